/// The pyramid of bounds.
#include "base/base.h"
#include "grid/grid.h"
#include "grid/grid_kernels.h"
#include "grid/packed.h"
#include <string.h>

/// Entries before and after the levels that may be read with a neighbour.
#define PYRAMID_SPARE 32

/// Edits may exceed the range of heights by this part of it before bounds become infinite.
#define PYRAMID_HEADROOM 0.25

/// Range of the codes of heights.
#define PYRAMID_LEAST_CODE 1
#define PYRAMID_GREATEST_CODE 65534

static double pyramid_clamp_code(double code) {
    return code < PYRAMID_LEAST_CODE      ? PYRAMID_LEAST_CODE
           : code > PYRAMID_GREATEST_CODE ? PYRAMID_GREATEST_CODE
                                          : code;
}

uint16_t lf__grid_top_code(const lf_grid *grid, double height) {
    double code = pyramid_clamp_code(ceil((height - grid->base) / grid->quantum));
    while (code > PYRAMID_LEAST_CODE && lf__grid_bound(grid, (uint16_t)(code - 1)) >= height)
        code--;
    while (code <= PYRAMID_GREATEST_CODE && lf__grid_bound(grid, (uint16_t)code) < height)
        code++;
    return (uint16_t)code; // greatest + 1 means any height
}

uint16_t lf__grid_bottom_code(const lf_grid *grid, double height) {
    double code = pyramid_clamp_code(floor((height - grid->base) / grid->quantum));
    while (code < PYRAMID_GREATEST_CODE && lf__grid_bound(grid, (uint16_t)(code + 1)) <= height)
        code++;
    while (code >= PYRAMID_LEAST_CODE && lf__grid_bound(grid, (uint16_t)code) > height)
        code--;
    return (uint16_t)code; // least - 1 means any height
}

/// Spread the codes over the range of heights, with some headroom.
static void pyramid_choose_quantum(lf_grid *grid) {
    bool any = grid->lowest <= grid->highest;
    double low = any ? grid->lowest : 0, high = any ? grid->highest : 0;
    double size = fmax(fabs(low), fabs(high)), range = high - low;
    double headroom = PYRAMID_HEADROOM * range;
    // The quantum is much larger than the rounding of heights, so that neighbouring codes are different
    // bounds.
    grid->quantum = fmax((range + 2 * headroom) / (PYRAMID_GREATEST_CODE - PYRAMID_LEAST_CODE - 4),
                         fmax(0x1p-40 * size, 1e-30));
    grid->base = low - headroom - 3 * grid->quantum;
}

// ---------------------------------------------------------------------------------------------------
// Layout
// ---------------------------------------------------------------------------------------------------

static int pyramid_log2(int leaf) {
    int level = 0;
    while ((1 << level) < leaf)
        level++;
    return level;
}

/// Count a level's entries, its border included.
static bool pyramid_add_level(lf__grid_level *level, int64_t *count) {
    int64_t entries;
    level->stride = level->columns + 2;
    return !__builtin_mul_overflow(level->stride, level->rows + 2, &entries) &&
           !__builtin_add_overflow(*count, entries, count);
}

bool lf__grid_lay_out(lf_grid *grid) {
    int64_t count = (int64_t)2 * PYRAMID_SPARE, most = (int64_t)1 << (LF__GRID_LEVELS - 1);
    if (grid->square_columns > most || grid->square_rows > most)
        return false;
    grid->first_top = pyramid_log2(grid->leaf);
    grid->first_bottom = grid->first_top > LF__GRID_BOTTOM ? grid->first_top : LF__GRID_BOTTOM;
    for (int l = 0; l < LF__GRID_LEVELS; l++) {
        lf__grid_level *level = &grid->levels[l];
        level->columns = lf__grid_blocks_along(grid->square_columns, l);
        level->rows = lf__grid_blocks_along(grid->square_rows, l);
        grid->level_count = l + 1;
        if ((l >= grid->first_top && !pyramid_add_level(level, &count)) ||
            (l >= grid->first_bottom && !pyramid_add_level(level, &count)))
            return false;
        if (l >= grid->first_bottom && level->columns == 1 && level->rows == 1) {
            size_t bytes;
            grid->bound_count = count;
            return lf__size_array(count, sizeof *grid->bounds, &bytes);
        }
    }
    return false;
}

void lf__grid_place_levels(lf_grid *grid) {
    uint16_t *at = grid->bounds + PYRAMID_SPARE;
    for (int l = 0; l < grid->level_count; l++) {
        lf__grid_level *level = &grid->levels[l];
        int64_t entries = level->stride * (level->rows + 2);
        if (l >= grid->first_top) {
            level->top = at + level->stride + 1;
            at += entries;
        }
        if (l >= grid->first_bottom) {
            level->bottom = at + level->stride + 1;
            at += entries;
        }
    }
}

/// Clear the levels and their borders.
static void pyramid_clear_levels(lf_grid *grid) {
    memset(grid->bounds, 0, PYRAMID_SPARE * sizeof *grid->bounds);
    memset(grid->bounds + grid->bound_count - PYRAMID_SPARE, 0, PYRAMID_SPARE * sizeof *grid->bounds);
    for (int l = grid->first_top; l < grid->level_count; l++) {
        lf__grid_level *level = &grid->levels[l];
        size_t bytes = (size_t)(level->stride * (level->rows + 2)) * sizeof *level->top;
        memset(level->top - level->stride - 1, LF__GRID_TOP_NOTHING, bytes);
        if (level->bottom)
            memset(level->bottom - level->stride - 1, 0xff, bytes); // LF__GRID_BOTTOM_NOTHING
    }
}

// ---------------------------------------------------------------------------------------------------
// The first levels, from the samples
// ---------------------------------------------------------------------------------------------------

lf__grid_range lf__grid_level_range(const lf_grid *grid, int64_t i, int64_t j) {
    double h = lf__grid_height(grid, i, j);
    lf__grid_range r = {h, h};
    // Walls go down to the neighbours.
    if (i > 0 && !lf__grid_is_void(grid, i - 1, j))
        r.low = fmin(r.low, lf__grid_height(grid, i - 1, j));
    if (i + 1 < grid->columns && !lf__grid_is_void(grid, i + 1, j))
        r.low = fmin(r.low, lf__grid_height(grid, i + 1, j));
    if (j > 0 && !lf__grid_is_void(grid, i, j - 1))
        r.low = fmin(r.low, lf__grid_height(grid, i, j - 1));
    if (j + 1 < grid->rows && !lf__grid_is_void(grid, i, j + 1))
        r.low = fmin(r.low, lf__grid_height(grid, i, j + 1));
    return r;
}

static void pyramid_add_whole(const lf_grid *grid, int64_t i, int64_t j, lf__grid_range *r) {
    if (grid->surface == LF_SURFACE_POINT) {
        lf__grid_range level = lf__grid_level_range(grid, i, j);
        lf__grid_range_join(r, &level);
        return;
    }
    lf__grid_corners h = lf__grid_corners_of(grid, i, j);
    lf__grid_range_add(r, h.h00);
    lf__grid_range_add(r, h.h10);
    lf__grid_range_add(r, h.h01);
    lf__grid_range_add(r, h.h11);
}

/// The range of the pieces of one square.
static inline void pyramid_add_square(const lf_grid *grid, int64_t i, int64_t j, lf__grid_range *r) {
    if (!lf__grid_gap(grid, i, j)) {
        pyramid_add_whole(grid, i, j, r);
    } else if (lf__grid_parts(grid, i, j)) {
        lf__grid_range parts = lf__grid_gap_range(grid, i, j);
        lf__grid_range_join(r, &parts);
    }
}

/// The last square of a block, from its first.
static int64_t pyramid_block_end(int64_t start, int level, int64_t first, int64_t count) {
    int64_t end = start + ((int64_t)1 << level) - 1, last = first + count - 1;
    return end < last ? end : last;
}

static lf__grid_range pyramid_block_by_squares(const lf_grid *grid, int level, int64_t bx, int64_t by) {
    lf__grid_range r = lf__grid_range_empty();
    int64_t i0 = grid->first + (bx << level), j0 = grid->first + (by << level);
    int64_t i1 = pyramid_block_end(i0, level, grid->first, grid->square_columns);
    int64_t j1 = pyramid_block_end(j0, level, grid->first, grid->square_rows);
    for (int64_t j = j0; j <= j1; j++)
        for (int64_t i = i0; i <= i1; i++)
            pyramid_add_square(grid, i, j, &r);
    return r;
}

/// The top of the squares of a block, and, where one of them has a gap, of those around it. At the border of
/// a block without a gap its own surface has the same height as its neighbour's. Next to a gap it may not,
/// and a query whose rounding moves a point across the border would find nothing.
static double pyramid_top_with_ring(const lf_grid *grid, int level, int64_t bx, int64_t by, double high) {
    int64_t first = grid->first, last_i = first + grid->square_columns - 1,
            last_j = first + grid->square_rows - 1;
    int64_t i0 = first + (bx << level), j0 = first + (by << level);
    int64_t i1 = pyramid_block_end(i0, level, first, grid->square_columns);
    int64_t j1 = pyramid_block_end(j0, level, first, grid->square_rows);
    bool gap = false;
    for (int64_t j = j0; j <= j1; j++)
        for (int64_t i = i0; i <= i1; i++)
            gap |= lf__grid_gap(grid, i, j);
    if (!gap)
        return high;
    lf__grid_range r = {high, high};
    for (int64_t j = j0 > first ? j0 - 1 : j0; j <= j1 + 1 && j <= last_j; j++)
        for (int64_t i = i0 > first ? i0 - 1 : i0; i <= i1 + 1 && i <= last_i; i++)
            pyramid_add_square(grid, i, j, &r);
    return r.high;
}

static void pyramid_set_block(lf_grid *grid, int level, int64_t bx, int64_t by, lf__grid_range r) {
    lf__grid_level *l = &grid->levels[level];
    bool any = r.low <= r.high;
    if (level == grid->first_top) {
        double high = r.high;
        if (grid->gaps && grid->surface != LF_SURFACE_POINT)
            high = pyramid_top_with_ring(grid, level, bx, by, high);
        l->top[by * l->stride + bx] =
            high > -LF_INFINITY ? lf__grid_top_code(grid, high) : LF__GRID_TOP_NOTHING;
    }
    if (level == grid->first_bottom)
        l->bottom[by * l->stride + bx] = any ? lf__grid_bottom_code(grid, r.low) : LF__GRID_BOTTOM_NOTHING;
}

/// Samples that are processed together, so that they stay in the first cache.
#define PYRAMID_TILE 512

/// The range of each column of samples in a row of blocks, for columns from `start` on.
static void pyramid_tile_ranges(const lf_grid *grid, int64_t start, int count, const int64_t rows[2],
                                lf__grid_range *columns) {
    for (int i = 0; i < count; i++)
        columns[i] = lf__grid_range_empty();
    for (int64_t j = rows[0]; j <= rows[1]; j++)
        for (int i = 0; i < count; i++)
            lf__grid_range_add(&columns[i], lf__grid_height(grid, start + i, j));
}

/// Floats that are compared at a time; PYRAMID_TILE is a multiple.
#define PYRAMID_LANES 8

/// The same for contiguous floats that are heights, in floats: `low` and `high` have space for a tile and some lanes.
static void pyramid_tile_floats(const lf_grid *grid, int64_t start, int count, const int64_t rows[2],
                                float *low, float *high) {
    const float *row = (const float *)(const void *)(grid->values + rows[0] * grid->row_step) + start;
    memcpy(low, row, (size_t)count * sizeof *low);
    memcpy(high, row, (size_t)count * sizeof *high);
    for (int64_t j = rows[0] + 1; j <= rows[1]; j++) {
        row = (const float *)(const void *)(grid->values + j * grid->row_step) + start;
        int i = 0;
        for (; i + PYRAMID_LANES <= count; i += PYRAMID_LANES)
            for (int k = 0; k < PYRAMID_LANES; k++) {
                float value = row[i + k];
                low[i + k] = value < low[i + k] ? value : low[i + k];
                high[i + k] = value > high[i + k] ? value : high[i + k];
            }
        for (; i < count; i++) {
            low[i] = row[i] < low[i] ? row[i] : low[i];
            high[i] = row[i] > high[i] ? row[i] : high[i];
        }
    }
}

/// A row of blocks of such floats, in one tile: blocks bx .. last - 1, whose samples begin at `start` and end at `end`.
static void pyramid_fill_floats(lf_grid *grid, int level, int64_t by, int64_t bx, int64_t last,
                                const int64_t rows[2], const int64_t samples[2]) {
    float low[PYRAMID_TILE + 1], high[PYRAMID_TILE + 1];
    int64_t side = (int64_t)1 << level, size = samples[1] - samples[0];
    pyramid_tile_floats(grid, samples[0], (int)(size + 1), rows, low, high);
    for (int64_t k = bx; k < last; k++) {
        int64_t i0 = (k - bx) * side, i1 = i0 + side < size ? i0 + side : size;
        float least = low[i0], most = high[i0];
        for (int64_t i = i0 + 1; i <= i1; i++) {
            least = low[i] < least ? low[i] : least;
            most = high[i] > most ? high[i] : most;
        }
        pyramid_set_block(grid, level, k, by, (lf__grid_range){(double)least, (double)most});
    }
}

/// Compute the blocks first .. count - 1 of a row, of cells without gaps.
static void pyramid_fill_whole_row(lf_grid *grid, int level, int64_t by, int64_t first, int64_t count) {
    lf__grid_range columns[PYRAMID_TILE + 1];
    int64_t side = (int64_t)1 << level, at_once = PYRAMID_TILE / side;
    int64_t j0 = grid->first + by * side;
    int64_t rows[2] = {j0, pyramid_block_end(j0, level, grid->first, grid->square_rows) + 1};
    for (int64_t bx = first; bx < count; bx += at_once) {
        int64_t last = bx + at_once < count ? bx + at_once : count;
        int64_t start = grid->first + bx * side;
        int64_t end =
            pyramid_block_end(grid->first + (last - 1) * side, level, grid->first, grid->square_columns) + 1;
        if (grid->type == LF_SAMPLE_FLOAT && grid->plain && grid->column_step == sizeof(float)) {
            pyramid_fill_floats(grid, level, by, bx, last, rows, (const int64_t[2]){start, end});
            continue;
        }
        pyramid_tile_ranges(grid, start, (int)(end - start + 1), rows, columns);
        for (int64_t k = bx; k < last; k++) {
            lf__grid_range r = lf__grid_range_empty();
            int64_t i0 = (k - bx) * side, i1 = i0 + side < end - start ? i0 + side : end - start;
            for (int64_t i = i0; i <= i1; i++) {
                r.low = columns[i].low < r.low ? columns[i].low : r.low;
                r.high = columns[i].high > r.high ? columns[i].high : r.high;
            }
            pyramid_set_block(grid, level, k, by, r);
        }
    }
}

static void pyramid_fill_row(lf_grid *grid, int level, int64_t by, int64_t first, int64_t count) {
    if (!grid->gaps && grid->surface != LF_SURFACE_POINT) {
        pyramid_fill_whole_row(grid, level, by, first, count);
        return;
    }
    for (int64_t bx = first; bx < count; bx++)
        pyramid_set_block(grid, level, bx, by, pyramid_block_by_squares(grid, level, bx, by));
}

// ---------------------------------------------------------------------------------------------------
// The others, from the level below
// ---------------------------------------------------------------------------------------------------

static uint16_t pyramid_greatest(const uint16_t *at, int64_t stride) {
    uint16_t a = at[0] > at[1] ? at[0] : at[1], b = at[stride] > at[stride + 1] ? at[stride] : at[stride + 1];
    return a > b ? a : b;
}

static uint16_t pyramid_least(const uint16_t *at, int64_t stride) {
    uint16_t a = at[0] < at[1] ? at[0] : at[1], b = at[stride] < at[stride + 1] ? at[stride] : at[stride + 1];
    return a < b ? a : b;
}

/// Compute the blocks bx0 .. bx1 of a row from their parts. After the last part there is the border.
static void pyramid_join_row(lf_grid *grid, int level, int64_t by, int64_t bx0, int64_t bx1) {
    if (level == grid->first_top)
        return;
    lf__grid_level *l = &grid->levels[level];
    const lf__grid_level *below = l - 1;
    int64_t parts = 2 * by * below->stride;
    for (int64_t bx = bx0; bx <= bx1; bx++)
        l->top[by * l->stride + bx] = pyramid_greatest(below->top + parts + 2 * bx, below->stride);
    for (int64_t bx = bx0; bx <= bx1 && level > grid->first_bottom; bx++)
        l->bottom[by * l->stride + bx] = pyramid_least(below->bottom + parts + 2 * bx, below->stride);
}

typedef struct pyramid_filling {
    lf_grid *grid;
    int level;
    bool filled; ///< the finest tops and bottoms are there
    int64_t row; ///< of index 0
    lf__grid_blocks blocks;
} pyramid_filling;

static void pyramid_fill_share(void *job, int64_t first, int64_t last, int worker) {
    const pyramid_filling *f = job;
    (void)worker;
    for (int64_t by = f->row + first; by < f->row + last; by++) {
        if (!f->filled && (f->level == f->grid->first_top || f->level == f->grid->first_bottom))
            pyramid_fill_row(f->grid, f->level, by, f->blocks.low[0], f->blocks.high[0] + 1);
        pyramid_join_row(f->grid, f->level, by, f->blocks.low[0], f->blocks.high[0]);
    }
}

void lf__grid_fill_block(lf_grid *grid, int64_t bx, int64_t by) {
    for (int l = grid->first_top; l <= grid->first_bottom; l++) {
        const lf__grid_level *level = &grid->levels[l];
        int64_t side = (int64_t)1 << (LF__GRID_PLANE - l), first = bx * side;
        int64_t last = first + side < level->columns ? first + side : level->columns;
        for (int64_t y = by * side; y < (by + 1) * side && y < level->rows; y++)
            if (l == grid->first_top || l == grid->first_bottom)
                pyramid_fill_row(grid, l, y, first, last);
    }
}

/// Compute the bounds of a part on every level.
static lf_status pyramid_fill_part(lf_grid *grid, const lf_window *part, const lf_host *host) {
    bool blocks = lf__grid_has_blocks(grid);
    lf_status status = blocks ? lf__grid_fill_blocks(grid, part, host) : LF_OK;
    if (status != LF_OK)
        return status;
    for (int l = grid->first_top; l < grid->level_count; l++) {
        pyramid_filling f = {grid, l, blocks, 0, lf__grid_part_blocks(grid, part, l)};
        int64_t columns = f.blocks.high[0] - f.blocks.low[0] + 1, end = f.blocks.high[1] + 1;
        int64_t stretch = ((int64_t)1 << 20) / columns + 1, grain = 16384 / columns + 1;
        for (f.row = f.blocks.low[1]; f.row < end; f.row += stretch) {
            if (!lf__report(host, "bounds", f.row - f.blocks.low[1], end - f.blocks.low[1]))
                return LF_CANCELLED;
            lf__run(grid->packed ? NULL : host->tasks, end - f.row < stretch ? end - f.row : stretch, grain,
                    pyramid_fill_share, &f);
        }
    }
    if (!blocks)
        lf__grid_prepare_part(grid, part, host);
    return LF_OK;
}

/// Does any square of a block have a surface?
static bool pyramid_block_exists(const lf_grid *grid, int level, int64_t bx, int64_t by) {
    int64_t i0 = grid->first + (bx << level), j0 = grid->first + (by << level);
    int64_t i1 = pyramid_block_end(i0, level, grid->first, grid->square_columns);
    int64_t j1 = pyramid_block_end(j0, level, grid->first, grid->square_rows);
    for (int64_t j = j0; j <= j1; j++)
        for (int64_t i = i0; i <= i1; i++)
            if (!lf__grid_gap(grid, i, j) || lf__grid_parts(grid, i, j))
                return true;
    return false;
}

lf_status lf__grid_derive_bounds(lf_grid *grid) {
    lf__grid_range *tiles = NULL;
    int64_t count = lf__packed_tiles(grid->packed);
    lf_status status = lf__allocate_array(&grid->allocator, count, sizeof *tiles, (void **)&tiles);
    if (status != LF_OK)
        return status;
    pyramid_clear_levels(grid);
    status = lf__packed_tile_ranges(grid, tiles);
    for (int l = grid->first_top; l < grid->level_count && status == LF_OK; l++) {
        lf__grid_level *level = &grid->levels[l];
        for (int64_t by = 0; by < level->rows; by++) {
            for (int64_t bx = 0; bx < level->columns && l == grid->first_top; bx++) {
                if (grid->gaps && !pyramid_block_exists(grid, l, bx, by))
                    continue;
                lf__grid_range r = lf__packed_block_range(grid, tiles, l, bx, by);
                level->top[by * level->stride + bx] = lf__grid_top_code(grid, r.high);
                level->bottom[by * level->stride + bx] = lf__grid_bottom_code(grid, r.low);
            }
            pyramid_join_row(grid, l, by, 0, level->columns - 1);
        }
    }
    lf__free_array(&grid->allocator, tiles, count, sizeof *tiles);
    return status;
}

lf_status lf__grid_fill(lf_grid *grid, const lf_host *host) {
    pyramid_choose_quantum(grid);
    lf_status status =
        lf__grid_allocate(grid, grid->bound_count, sizeof *grid->bounds, (void **)&grid->bounds);
    if (status != LF_OK)
        return status;
    lf__grid_place_levels(grid);
    if (!grid->partial)
        pyramid_clear_levels(grid);
    status = lf__grid_prepare(grid);
    if (grid->derived && status == LF_OK)
        status = lf__grid_derive_bounds(grid);
    for (int64_t k = 0; k < grid->part_count && status == LF_OK; k++)
        if (grid->derived)
            lf__grid_prepare_part(grid, &grid->parts[k], host);
        else
            status = pyramid_fill_part(grid, &grid->parts[k], host);
    return status;
}

/// Number of samples of the squares of some blocks.
static int64_t pyramid_samples_in(int64_t first, int64_t last, int level, int64_t squares) {
    int64_t end = (last + 1) << level;
    return (end < squares ? end : squares) - (first << level) + 1;
}

int64_t lf__grid_refill(lf_grid *grid, const int64_t first[2], const int64_t last[2], int64_t *samples) {
    int64_t nodes = 0, squares[2] = {grid->square_columns, grid->square_rows}, low[2], high[2];
    lf__grid_prepare_again(grid, first, last);
    // Blocks with gaps are bounded together with their neighbours.
    int64_t ring = grid->gaps && grid->surface != LF_SURFACE_POINT;
    for (int k = 0; k < 2; k++) {
        int64_t end = grid->first + squares[k] - 1;
        low[k] = first[k] - ring > grid->first ? first[k] - ring : grid->first;
        high[k] = last[k] + ring < end ? last[k] + ring : end;
    }
    for (int l = grid->first_top; l < grid->level_count; l++) {
        int64_t bx0 = (low[0] - grid->first) >> l, bx1 = (high[0] - grid->first) >> l;
        int64_t by0 = (low[1] - grid->first) >> l, by1 = (high[1] - grid->first) >> l;
        bool from_posts = l == grid->first_top || l == grid->first_bottom;
        if (from_posts)
            *samples += pyramid_samples_in(bx0, bx1, l, grid->square_columns) *
                        pyramid_samples_in(by0, by1, l, grid->square_rows);
        for (int64_t by = by0; by <= by1; by++) {
            for (int64_t bx = bx0; bx <= bx1 && from_posts; bx++)
                pyramid_set_block(grid, l, bx, by, pyramid_block_by_squares(grid, l, bx, by));
            pyramid_join_row(grid, l, by, bx0, bx1);
        }
        nodes += (bx1 - bx0 + 1) * (by1 - by0 + 1);
    }
    return nodes;
}
