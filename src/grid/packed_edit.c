#include "grid/packed_edit.h"
#include <string.h>

bool lf__packed_step_for(const lf_grid *grid, double height, int32_t *step) {
    double near = floor((height - grid->offset) / grid->scale + 0.5);
    if (!(fabs(near) < LF__STEP_LIMIT))
        return false;
    for (int k = -1; k <= 1; k++) { // division is rounded
        double tried = near + k, stands = grid->plain ? tried : tried * grid->scale + grid->offset;
        if (stands == height || (k == 0 && fabs(stands - height) <= grid->packed->max_error)) {
            *step = (int32_t)tried;
            return true;
        }
    }
    return false;
}

/// The posts of an edit in a tile; of a new hole the step stays as it is.
static void put_posts(const lf_grid *grid, const lf_samples *samples, const int64_t low[2], int64_t tile,
                      int32_t *steps) {
    int shift = grid->packed->log2_side;
    int64_t side = (int64_t)1 << shift, x0 = (tile % grid->packed->tile_columns) << shift,
            y0 = (tile / grid->packed->tile_columns) << shift;
    for (int64_t y = y0; y < y0 + side; y++)
        for (int64_t x = x0; x < x0 + side; x++) {
            int64_t i = x - low[0], j = y - low[1];
            if (i < 0 || j < 0 || i >= samples->columns || j >= samples->rows)
                continue;
            double height = lf__samples_height(samples, i, j);
            if (!isnan(height))
                lf__packed_step_for(grid, height, &steps[(y - y0) * side + (x - x0)]);
        }
}

/// Other posts of the tile are kept as they are decoded, so nothing is lost on them again.
static lf_status write_tile(lf__packed_edit *edit, lf_grid *grid, const lf_samples *samples,
                            const int64_t low[2], int64_t tile) {
    int32_t steps[LF__TILE_MOST];
    lf__tile_plan plan = {.kind = grid->packed->kind};
    lf_status status = lf__array_reserve(&edit->bytes, &grid->allocator, LF__TILE_BYTES + 8, 1);
    if (status == LF_OK)
        status = lf__array_reserve(&edit->changes, &grid->allocator, 1, sizeof(lf__tile_change));
    if (status != LF_OK)
        return status;
    memcpy(steps, lf__packed_tile(grid, tile), sizeof *steps << 2 * grid->packed->log2_side);
    put_posts(grid, samples, low, tile, steps);
    ((lf__tile_change *)edit->changes.items)[edit->changes.count++] =
        (lf__tile_change){tile, edit->bytes.count};
    edit->bytes.count +=
        (int64_t)lf__tile_encode(&plan, steps, (uint8_t *)edit->bytes.items + edit->bytes.count);
    return LF_OK;
}

lf_status lf__packed_edit_start(lf__packed_edit *edit, lf_grid *grid, const lf_samples *samples,
                                const int64_t low[2]) {
    int shift = grid->packed->log2_side;
    *edit = (lf__packed_edit){{NULL, 0, 0}, {NULL, 0, 0}};
    lf_status status = lf__packed_begin(grid);
    if (status != LF_OK)
        return status;
    for (int64_t ty = low[1] >> shift; ty <= (low[1] + samples->rows - 1) >> shift; ty++)
        for (int64_t tx = low[0] >> shift; tx <= (low[0] + samples->columns - 1) >> shift; tx++)
            if (status == LF_OK)
                status = write_tile(edit, grid, samples, low, ty * grid->packed->tile_columns + tx);
    if (status == LF_OK)
        status = lf__packed_reserve(grid, edit->bytes.count);
    if (status == LF_OK && (grid->packed->byte_count + edit->bytes.count) >> 8 * LF__INDEX_ENTRY != 0)
        status = LF_TOO_LARGE;
    if (status != LF_OK)
        lf__packed_edit_end(edit, grid);
    return status;
}

void lf__packed_edit_apply(const lf__packed_edit *edit, lf_grid *grid) {
    lf__packed_change(grid, edit->changes.items, edit->changes.count, edit->bytes.items, edit->bytes.count);
    lf__packed_forget(grid);
    grid->packed->largest_error = fmax(grid->packed->largest_error, grid->packed->max_error);
}

void lf__packed_edit_end(lf__packed_edit *edit, lf_grid *grid) {
    lf__array_free(&edit->bytes, &grid->allocator, 1);
    lf__array_free(&edit->changes, &grid->allocator, sizeof(lf__tile_change));
    lf__packed_end(grid);
}
