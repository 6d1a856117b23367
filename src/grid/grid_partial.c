/// Grids of which only parts are read: checks, blocks, sparse memory.
///
/// Such a grid has the columns, rows and coordinates of the whole, so that every answer is computed from the same
/// numbers. Its arrays are addressed as those of the whole too, in memory of which only written pages exist. A bound
/// that was not written is 0: no surface below, any height above.
#include "base/base.h"
#include "grid/grid.h"

_Static_assert(LF_GRID_PART == 1 << LF__GRID_PLANE,
               "a part consists of the largest blocks that are made of samples");

static bool part_fits(int64_t first, int64_t count, int64_t samples) {
    return first >= 0 && count >= 2 && first % LF_GRID_PART == 0 && count <= samples - first &&
           (first + count == samples || count % LF_GRID_PART == 1);
}

lf_status lf__grid_check_parts(const lf_grid_def *def, lf_error *error) {
    int64_t columns = def->samples.columns, rows = def->samples.rows;
    if (!def->partial)
        return LF_OK;
    if (!def->borrow || def->extend || def->codec != LF_CODEC_RAW)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "partial is set: requires borrow, codec raw and no extend");
    if (def->part_count < 0 || (def->part_count > 0 && !def->parts))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "part_count is %lld: must be 0 or the number of parts",
                        (long long)def->part_count);
    for (int64_t k = 0; k < def->part_count; k++) {
        const lf_window *part = &def->parts[k];
        if (!part_fits(part->column, part->columns, columns) || !part_fits(part->row, part->rows, rows))
            return lf__fail(
                error, LF_BAD_ARGUMENT, k,
                "part %lld of %lld x %lld samples from column %lld, row %lld: must begin at multiples of %d "
                "and end one sample after one, or with the %lld x %lld samples",
                (long long)k, (long long)part->columns, (long long)part->rows, (long long)part->column,
                (long long)part->row, LF_GRID_PART, (long long)columns, (long long)rows);
    }
    return LF_OK;
}

lf__grid_blocks lf__grid_part_blocks(const lf_grid *grid, const lf_window *part, int level) {
    lf__grid_blocks blocks = {{0, 0},
                              {(grid->square_columns - 1) >> level, (grid->square_rows - 1) >> level}};
    if (!grid->partial)
        return blocks;
    blocks.low[0] = part->column >> level;
    blocks.low[1] = part->row >> level;
    if (part->column + part->columns < grid->columns) // its last samples are the border of the next block
        blocks.high[0] = (part->column + part->columns - 2) >> level;
    if (part->row + part->rows < grid->rows)
        blocks.high[1] = (part->row + part->rows - 2) >> level;
    return blocks;
}

lf_status lf__grid_allocate(const lf_grid *grid, int64_t count, size_t item, void **array) {
    size_t bytes;
    if (!grid->partial)
        return lf__allocate_array(&grid->allocator, count, item, array);
    if (!lf__size_array(count, item, &bytes))
        return LF_TOO_LARGE;
    *array = lf__sparse_take(bytes > 0 ? bytes : 1);
    return *array ? LF_OK : LF_NO_MEMORY;
}

void lf__grid_free(const lf_grid *grid, void *array, int64_t count, size_t item) {
    if (!grid->partial)
        lf__free_array(&grid->allocator, array, count, item);
    else if (array)
        lf__sparse_give(array, count > 0 ? (size_t)count * item : 1);
}
