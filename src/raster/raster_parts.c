/// Which samples of a raster are read: all, or the parts that a program asks for; and rasters of one row or column.
#include "base/base.h"
#include "raster/raster.h"
#include <string.h>

#define MARGIN 2 // samples around those that are asked for, as partial grids require

/// Widen a range of samples by the margin and to whole squares of the grid; false where nothing of it is on the grid.
static bool align_range(int64_t samples, int64_t *first, int64_t *count) {
    if (*count < 1 || *first >= samples || *first < -samples || *count > INT64_MAX / 4)
        return false;
    int64_t low = *first - MARGIN, high = *first + *count - 1 + MARGIN; // both included
    if (high < 0)
        return false;
    low = low < 0 ? 0 : low / LF_GRID_PART * LF_GRID_PART;
    high = (high / LF_GRID_PART + 1) * LF_GRID_PART;
    high = high < samples - 1 ? high : samples - 1;
    if (high - low < 1) // the last sample alone
        low = low >= LF_GRID_PART ? low - LF_GRID_PART : 0;
    *first = low;
    *count = high - low + 1;
    return true;
}

/// Make parts of `count` windows; returns the number of samples, overlaps counted twice.
static double make_parts(lf_raster *raster, const lf_window *windows, int64_t count) {
    int64_t columns = raster->samples.columns + raster->repeated;
    double sum = 0;
    for (int64_t k = 0; k < count; k++) {
        lf_window part = windows[k];
        if (!align_range(columns, &part.column, &part.columns) ||
            !align_range(raster->samples.rows, &part.row, &part.rows))
            continue;
        raster->parts[raster->part_count++] = part;
        sum += (double)part.columns * (double)part.rows;
        if (!raster->repeated || part.column + part.columns < columns || part.column == 0)
            continue;
        // The last column repeats the first.
        part.column = 0;
        part.columns = LF_GRID_PART + 1 < columns ? LF_GRID_PART + 1 : columns;
        raster->parts[raster->part_count++] = part;
        sum += (double)part.columns * (double)part.rows;
    }
    return sum;
}

lf_status lf__raster_parts(const lf__raster_source *source, lf_raster *raster, lf_error *error) {
    const lf_raster_def *def = source->def;
    const lf_samples *samples = &raster->samples;
    if (!def->reach || samples->columns < 2 || samples->rows < 2)
        return LF_OK;
    // Every window may become two parts; the windows themselves are the last third.
    lf_status status = lf__allocate_array(&raster->allocator, (int64_t)3 * LF_RASTER_WINDOWS,
                                          sizeof *raster->parts, (void **)&raster->parts);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    raster->part_capacity = (int64_t)3 * LF_RASTER_WINDOWS;
    lf_window *windows = raster->parts + (ptrdiff_t)2 * LF_RASTER_WINDOWS;
    int64_t count = def->reach(def->reach_user, raster, windows);
    double all = (double)samples->columns * (double)samples->rows;
    double most = def->memory ? all : 0.5 * all; // a partial grid is slower, but memory is a limit
    raster->partial = count >= 0 && count <= LF_RASTER_WINDOWS && make_parts(raster, windows, count) < most;
    if (!raster->partial)
        raster->part_count = 0;
    return LF_OK;
}

const lf_window *lf__raster_part_list(const lf_raster *raster, lf_window *whole, int64_t *count) {
    *whole = (lf_window){0, 0, raster->samples.columns, raster->samples.rows};
    *count = raster->partial ? raster->part_count : 1;
    return raster->partial ? raster->parts : whole;
}

/// One row or column of `item` bytes a sample becomes two equal ones.
static void *duplicated(const lf_raster *raster, const void *from, size_t item, int64_t columns,
                        int64_t rows) {
    const lf_samples *samples = &raster->samples;
    char *to = lf__allocate(&raster->allocator, (size_t)(columns * rows) * item, LF__CACHE_LINE);
    for (int64_t j = 0; to && j < rows; j++)
        for (int64_t i = 0; i < columns; i++) {
            int64_t column = i < samples->mask_row_step ? i : samples->mask_row_step - 1;
            int64_t row = j < samples->rows ? j : samples->rows - 1;
            memcpy(to + (size_t)(j * columns + i) * item,
                   (const char *)from + (size_t)(row * samples->mask_row_step + column) * item, item);
        }
    return to;
}

lf_status lf__raster_duplicate_thin(lf_raster *raster, size_t item, lf_error *error) {
    lf_samples *samples = &raster->samples;
    int64_t columns = samples->columns < 2 ? 2 : samples->columns,
            rows = samples->rows < 2 ? 2 : samples->rows;
    if (columns == samples->columns && rows == samples->rows)
        return LF_OK;
    columns += raster->repeated;
    void *values = duplicated(raster, raster->values, item, columns, rows);
    void *mask = values && raster->mask ? duplicated(raster, raster->mask, 1, columns, rows) : NULL;
    if (!values || (raster->mask && !mask)) {
        lf__free(&raster->allocator, values, (size_t)(columns * rows) * item, LF__CACHE_LINE);
        return lf__fail_plain(error, LF_NO_MEMORY);
    }
    lf__free(&raster->allocator, raster->mask, raster->mask_bytes, LF__CACHE_LINE);
    lf__free(&raster->allocator, raster->values, raster->value_bytes, LF__CACHE_LINE);
    raster->values = values;
    raster->mask = mask;
    raster->value_bytes = (size_t)(columns * rows) * item;
    raster->mask_bytes = mask ? (size_t)(columns * rows) : 0;
    samples->values = values;
    samples->mask = mask;
    samples->columns = columns - raster->repeated;
    samples->rows = rows;
    samples->row_step = (ptrdiff_t)(columns * (int64_t)item);
    samples->mask_row_step = (ptrdiff_t)columns;
    return LF_OK;
}
