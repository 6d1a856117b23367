/// The exact least and greatest height of blocks of samples, so that an edit need not read every sample to update those of the
/// whole grid. They take 16 bytes for 4096 samples.
#include "base/base.h"
#include "grid/grid.h"

int64_t lf__grid_extreme_blocks(int64_t samples) {
    return lf__grid_blocks_along(samples, LF__GRID_EXTREME);
}

lf_status lf__grid_allocate_extremes(lf_grid *grid) {
    int64_t count = 0;
    int levels = 0;
    for (int64_t columns = 0, rows = 0; columns != 1 || rows != 1; levels++) {
        columns = lf__grid_blocks_along(grid->columns, LF__GRID_EXTREME + levels);
        rows = lf__grid_blocks_along(grid->rows, LF__GRID_EXTREME + levels);
        grid->extreme_start[levels] = count;
        count += columns * rows; // cannot overflow: fewer than samples
    }
    grid->extreme_levels = levels;
    lf_status status =
        lf__allocate_array(&grid->allocator, count, sizeof *grid->extremes, (void **)&grid->extremes);
    grid->extreme_count = status == LF_OK ? count : 0;
    return status;
}

void lf__grid_join_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2], int64_t *nodes) {
    for (int l = 1; l < grid->extreme_levels; l++) {
        int shift = LF__GRID_EXTREME + l;
        int64_t columns = lf__grid_blocks_along(grid->columns, shift),
                below_columns = lf__grid_blocks_along(grid->columns, shift - 1);
        int64_t below_rows = lf__grid_blocks_along(grid->rows, shift - 1);
        const lf__grid_range *below = grid->extremes + grid->extreme_start[l - 1];
        lf__grid_range *here = grid->extremes + grid->extreme_start[l];
        for (int64_t by = low[1] >> shift; by <= high[1] >> shift; by++)
            for (int64_t bx = low[0] >> shift; bx <= high[0] >> shift; bx++) {
                lf__grid_range r = lf__grid_range_empty();
                for (int k = 0; k < 4; k++) {
                    int64_t x = 2 * bx + (k & 1), y = 2 * by + (k >> 1);
                    if (x < below_columns && y < below_rows)
                        lf__grid_range_join(&r, &below[y * below_columns + x]);
                }
                here[by * columns + bx] = r;
                ++*nodes;
            }
    }
    const lf__grid_range *all = grid->extremes + grid->extreme_count - 1;
    grid->lowest = all->low;
    grid->highest = all->high;
}

/// The range of a rectangle of samples, both ends included, without voids.
static lf__grid_range extremes_range(const lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    lf__grid_range r = lf__grid_range_empty();
    for (int64_t j = low[1]; j <= high[1]; j++)
        for (int64_t i = low[0]; i <= high[0]; i++)
            if (!lf__grid_is_void(grid, i, j))
                lf__grid_range_add(&r, lf__grid_height(grid, i, j));
    return r;
}

/// The part of a rectangle in a block of samples.
static void extremes_part(const lf_grid *grid, const int64_t block[2], const int64_t low[2],
                          const int64_t high[2], int64_t part[2][2]) {
    const int64_t samples[2] = {grid->columns, grid->rows};
    for (int k = 0; k < 2; k++) {
        int64_t first = block[k] << LF__GRID_EXTREME, last = first + ((int64_t)1 << LF__GRID_EXTREME) - 1;
        last = last < samples[k] ? last : samples[k] - 1;
        part[0][k] = low[k] > first ? low[k] : first;
        part[1][k] = high[k] < last ? high[k] : last;
    }
}

static int64_t extremes_count(int64_t part[2][2]) {
    return (part[1][0] - part[0][0] + 1) * (part[1][1] - part[0][1] + 1);
}

/// Invalidate the range of a block where the old heights determine it.
static void extremes_forget_block(lf_grid *grid, const int64_t block[2], const int64_t low[2],
                                  const int64_t high[2], int64_t *samples) {
    lf__grid_range *r =
        grid->extremes + block[1] * lf__grid_blocks_along(grid->columns, LF__GRID_EXTREME) + block[0];
    int64_t part[2][2];
    extremes_part(grid, block, low, high, part);
    lf__grid_range old = extremes_range(grid, part[0], part[1]);
    *samples += extremes_count(part);
    if (old.low <= r->low)
        r->low = LF_NAN;
    if (old.high >= r->high)
        r->high = LF_NAN;
}

static void extremes_renew_block(lf_grid *grid, const int64_t block[2], const int64_t low[2],
                                 const int64_t high[2], lf_grid_edit_cost *cost) {
    lf__grid_range *r =
        grid->extremes + block[1] * lf__grid_blocks_along(grid->columns, LF__GRID_EXTREME) + block[0];
    int64_t part[2][2];
    bool lost = isnan(r->low) || isnan(r->high);
    const int64_t nowhere[2] = {0, 0}, everywhere[2] = {grid->columns, grid->rows};
    extremes_part(grid, block, lost ? nowhere : low, lost ? everywhere : high, part);
    lf__grid_range found = extremes_range(grid, part[0], part[1]);
    cost->samples += extremes_count(part);
    cost->nodes++;
    if (lost)
        *r = found;
    else
        lf__grid_range_join(r, &found);
}

void lf__grid_forget_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2], int64_t *samples) {
    for (int64_t by = low[1] >> LF__GRID_EXTREME; by <= high[1] >> LF__GRID_EXTREME; by++)
        for (int64_t bx = low[0] >> LF__GRID_EXTREME; bx <= high[0] >> LF__GRID_EXTREME; bx++)
            extremes_forget_block(grid, (int64_t[2]){bx, by}, low, high, samples);
}

void lf__grid_renew_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2],
                             lf_grid_edit_cost *cost) {
    for (int64_t by = low[1] >> LF__GRID_EXTREME; by <= high[1] >> LF__GRID_EXTREME; by++)
        for (int64_t bx = low[0] >> LF__GRID_EXTREME; bx <= high[0] >> LF__GRID_EXTREME; bx++)
            extremes_renew_block(grid, (int64_t[2]){bx, by}, low, high, cost);
    lf__grid_join_extremes(grid, low, high, &cost->nodes);
}
