/// The least and greatest height of blocks of posts, exactly: so that an edit need not look at every post to know those of
/// the whole grid. 16 bytes for 4096 posts.
#include "base/base.h"
#include "grid/grid.h"

static int64_t blocks(int64_t posts, int level) {
    return (posts >> level) + ((posts & (((int64_t)1 << level) - 1)) != 0);
}

int64_t lf__grid_extreme_blocks(int64_t posts) {
    return blocks(posts, LF__GRID_EXTREME);
}

lf_status lf__grid_take_extremes(lf_grid *grid) {
    int64_t count = 0;
    int levels = 0;
    for (int64_t columns = 0, rows = 0; columns != 1 || rows != 1; levels++) {
        columns = blocks(grid->columns, LF__GRID_EXTREME + levels);
        rows = blocks(grid->rows, LF__GRID_EXTREME + levels);
        grid->extreme_start[levels] = count;
        count += columns * rows; // fewer than posts, which have been counted
    }
    grid->extreme_levels = levels;
    lf_status status =
        lf__take_array(&grid->allocator, count, sizeof *grid->extremes, (void **)&grid->extremes);
    grid->extreme_count = status == LF_OK ? count : 0;
    return status;
}

void lf__grid_join_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2], int64_t *nodes) {
    for (int l = 1; l < grid->extreme_levels; l++) {
        int shift = LF__GRID_EXTREME + l;
        int64_t columns = blocks(grid->columns, shift), below_columns = blocks(grid->columns, shift - 1);
        int64_t below_rows = blocks(grid->rows, shift - 1);
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

/// The posts of a rectangle, both ends included, that are no holes.
static lf__grid_range range_of_posts(const lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    lf__grid_range r = lf__grid_range_empty();
    for (int64_t j = low[1]; j <= high[1]; j++)
        for (int64_t i = low[0]; i <= high[0]; i++)
            if (!lf__grid_hole(grid, i, j))
                lf__grid_range_add(&r, lf__grid_height(grid, i, j));
    return r;
}

/// The part of a rectangle in a block of posts.
static void part_in_block(const lf_grid *grid, const int64_t block[2], const int64_t low[2],
                          const int64_t high[2], int64_t part[2][2]) {
    const int64_t posts[2] = {grid->columns, grid->rows};
    for (int k = 0; k < 2; k++) {
        int64_t first = block[k] << LF__GRID_EXTREME, last = first + ((int64_t)1 << LF__GRID_EXTREME) - 1;
        last = last < posts[k] ? last : posts[k] - 1;
        part[0][k] = low[k] > first ? low[k] : first;
        part[1][k] = high[k] < last ? high[k] : last;
    }
}

static int64_t post_count(int64_t part[2][2]) {
    return (part[1][0] - part[0][0] + 1) * (part[1][1] - part[0][1] + 1);
}

/// Leave a block's range alone where the old heights do not make it; else let it be looked for.
static void forget_block(lf_grid *grid, const int64_t block[2], const int64_t low[2], const int64_t high[2],
                         int64_t *posts) {
    lf__grid_range *r = grid->extremes + block[1] * blocks(grid->columns, LF__GRID_EXTREME) + block[0];
    int64_t part[2][2];
    part_in_block(grid, block, low, high, part);
    lf__grid_range old = range_of_posts(grid, part[0], part[1]);
    *posts += post_count(part);
    if (old.low <= r->low)
        r->low = LF_NAN;
    if (old.high >= r->high)
        r->high = LF_NAN;
}

static void renew_block(lf_grid *grid, const int64_t block[2], const int64_t low[2], const int64_t high[2],
                        lf_grid_edit_cost *cost) {
    lf__grid_range *r = grid->extremes + block[1] * blocks(grid->columns, LF__GRID_EXTREME) + block[0];
    int64_t part[2][2];
    bool lost = isnan(r->low) || isnan(r->high);
    const int64_t nowhere[2] = {0, 0}, everywhere[2] = {grid->columns, grid->rows};
    part_in_block(grid, block, lost ? nowhere : low, lost ? everywhere : high, part);
    lf__grid_range found = range_of_posts(grid, part[0], part[1]);
    cost->posts += post_count(part);
    cost->nodes++;
    if (lost)
        *r = found;
    else
        lf__grid_range_join(r, &found);
}

void lf__grid_forget_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2], int64_t *posts) {
    for (int64_t by = low[1] >> LF__GRID_EXTREME; by <= high[1] >> LF__GRID_EXTREME; by++)
        for (int64_t bx = low[0] >> LF__GRID_EXTREME; bx <= high[0] >> LF__GRID_EXTREME; bx++)
            forget_block(grid, (int64_t[2]){bx, by}, low, high, posts);
}

void lf__grid_renew_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2],
                             lf_grid_edit_cost *cost) {
    for (int64_t by = low[1] >> LF__GRID_EXTREME; by <= high[1] >> LF__GRID_EXTREME; by++)
        for (int64_t bx = low[0] >> LF__GRID_EXTREME; bx <= high[0] >> LF__GRID_EXTREME; bx++)
            renew_block(grid, (int64_t[2]){bx, by}, low, high, cost);
    lf__grid_join_extremes(grid, low, high, &cost->nodes);
}
