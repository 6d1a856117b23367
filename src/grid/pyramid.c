/// Bounds of blocks, of blocks of blocks, and so on.
#include "base/base.h"
#include "base/size.h"
#include "grid/kernels.h"
#include <string.h>

/// Entries before and behind the levels that may be read along with a neighbour.
#define SPARE 32

/// Heights may leave their range by this share of it through edits before bounds are lost.
#define HEADROOM 0.25

/// Codes that stand for heights lie between these.
#define LEAST_CODE 1
#define GREATEST_CODE 65534

static double inward(double code) {
    return code < LEAST_CODE ? LEAST_CODE : code > GREATEST_CODE ? GREATEST_CODE : code;
}

uint16_t lf__grid_top_code(const lf_grid *grid, double height) {
    double code = inward(ceil((height - grid->base) / grid->quantum));
    while (code > LEAST_CODE && lf__grid_bound(grid, (uint16_t)(code - 1)) >= height)
        code--;
    while (code <= GREATEST_CODE && lf__grid_bound(grid, (uint16_t)code) < height)
        code++;
    return (uint16_t)code; // one beyond the greatest stands for any height
}

uint16_t lf__grid_bottom_code(const lf_grid *grid, double height) {
    double code = inward(floor((height - grid->base) / grid->quantum));
    while (code < GREATEST_CODE && lf__grid_bound(grid, (uint16_t)(code + 1)) <= height)
        code++;
    while (code >= LEAST_CODE && lf__grid_bound(grid, (uint16_t)code) > height)
        code--;
    return (uint16_t)code; // one below the least likewise
}

/// Spread the codes over the heights that there are, with some room for others.
static void choose_quantum(lf_grid *grid) {
    bool any = grid->lowest <= grid->highest;
    double low = any ? grid->lowest : 0, high = any ? grid->highest : 0;
    double size = fmax(fabs(low), fabs(high)), range = high - low;
    double room = HEADROOM * range;
    // A quantum far above the rounding of the heights, so that neighbouring codes are different bounds.
    grid->quantum = fmax((range + 2 * room) / (GREATEST_CODE - LEAST_CODE - 4), fmax(0x1p-40 * size, 1e-30));
    grid->base = low - room - 3 * grid->quantum;
}

// ---------------------------------------------------------------------------------------------------
// Layout
// ---------------------------------------------------------------------------------------------------

static int log2_of(int leaf) {
    int level = 0;
    while ((1 << level) < leaf)
        level++;
    return level;
}

static int64_t blocks(int64_t squares, int level) {
    return (squares >> level) + ((squares & (((int64_t)1 << level) - 1)) != 0);
}

/// Count a level's entries, its border included.
static bool add_level(lf__grid_level *level, int64_t *count) {
    int64_t entries;
    level->stride = level->columns + 2;
    return !__builtin_mul_overflow(level->stride, level->rows + 2, &entries) &&
           !__builtin_add_overflow(*count, entries, count);
}

bool lf__grid_lay_out(lf_grid *grid) {
    int64_t count = (int64_t)2 * SPARE, most = (int64_t)1 << (LF__GRID_LEVELS - 1);
    if (grid->square_columns > most || grid->square_rows > most)
        return false;
    grid->first_top = log2_of(grid->leaf);
    grid->first_bottom = grid->first_top > LF__GRID_BOTTOM ? grid->first_top : LF__GRID_BOTTOM;
    for (int l = 0; l < LF__GRID_LEVELS; l++) {
        lf__grid_level *level = &grid->levels[l];
        level->columns = blocks(grid->square_columns, l);
        level->rows = blocks(grid->square_rows, l);
        grid->level_count = l + 1;
        if ((l >= grid->first_top && !add_level(level, &count)) ||
            (l >= grid->first_bottom && !add_level(level, &count)))
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
    uint16_t *at = grid->bounds + SPARE;
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

/// Nothing in the borders of the levels.
static void clear_levels(lf_grid *grid) {
    memset(grid->bounds, 0, SPARE * sizeof *grid->bounds);
    memset(grid->bounds + grid->bound_count - SPARE, 0, SPARE * sizeof *grid->bounds);
    for (int l = grid->first_top; l < grid->level_count; l++) {
        lf__grid_level *level = &grid->levels[l];
        size_t bytes = (size_t)(level->stride * (level->rows + 2)) * sizeof *level->top;
        memset(level->top - level->stride - 1, LF__GRID_TOP_NOTHING, bytes);
        if (level->bottom)
            memset(level->bottom - level->stride - 1, 0xff, bytes); // LF__GRID_BOTTOM_NOTHING
    }
}

// ---------------------------------------------------------------------------------------------------
// The first levels, from the posts
// ---------------------------------------------------------------------------------------------------

static void add_whole(const lf_grid *grid, int64_t i, int64_t j, lf__grid_range *r) {
    if (grid->surface != LF_SURFACE_POINT) {
        lf__grid_corners h = lf__grid_corners_of(grid, i, j);
        lf__grid_range_add(r, h.h00);
        lf__grid_range_add(r, h.h10);
        lf__grid_range_add(r, h.h01);
        lf__grid_range_add(r, h.h11);
        return;
    }
    lf__grid_range_add(r, lf__grid_height(grid, i, j));
    // Walls go down to the neighbours.
    if (i > 0 && !lf__grid_hole(grid, i - 1, j))
        r->low = fmin(r->low, lf__grid_height(grid, i - 1, j));
    if (i + 1 < grid->columns && !lf__grid_hole(grid, i + 1, j))
        r->low = fmin(r->low, lf__grid_height(grid, i + 1, j));
    if (j > 0 && !lf__grid_hole(grid, i, j - 1))
        r->low = fmin(r->low, lf__grid_height(grid, i, j - 1));
    if (j + 1 < grid->rows && !lf__grid_hole(grid, i, j + 1))
        r->low = fmin(r->low, lf__grid_height(grid, i, j + 1));
}

/// The range of the pieces of one square.
static inline void add_square(const lf_grid *grid, int64_t i, int64_t j, lf__grid_range *r) {
    if (!lf__grid_gap(grid, i, j)) {
        add_whole(grid, i, j, r);
    } else if (lf__grid_parts(grid, i, j)) {
        lf__grid_range parts = lf__grid_gap_range(grid, i, j);
        lf__grid_range_join(r, &parts);
    }
}

/// The last square of a block, seen from its first.
static int64_t block_end(int64_t start, int level, int64_t first, int64_t count) {
    int64_t end = start + ((int64_t)1 << level) - 1, last = first + count - 1;
    return end < last ? end : last;
}

static lf__grid_range block_by_squares(const lf_grid *grid, int level, int64_t bx, int64_t by) {
    lf__grid_range r = lf__grid_range_empty();
    int64_t i0 = grid->first + (bx << level), j0 = grid->first + (by << level);
    int64_t i1 = block_end(i0, level, grid->first, grid->square_columns);
    int64_t j1 = block_end(j0, level, grid->first, grid->square_rows);
    for (int64_t j = j0; j <= j1; j++)
        for (int64_t i = i0; i <= i1; i++)
            add_square(grid, i, j, &r);
    return r;
}

/// How high the squares of a block are, and if one of them has a gap those around it too. Along the border of a block without a gap its own
/// surface is as high as what is beyond; of a gap nothing can be said, and whoever takes a place on the border for one beside it would
/// see nothing.
static double top_with_ring(const lf_grid *grid, int level, int64_t bx, int64_t by, double high) {
    int64_t first = grid->first, last_i = first + grid->square_columns - 1,
            last_j = first + grid->square_rows - 1;
    int64_t i0 = first + (bx << level), j0 = first + (by << level);
    int64_t i1 = block_end(i0, level, first, grid->square_columns);
    int64_t j1 = block_end(j0, level, first, grid->square_rows);
    bool gap = false;
    for (int64_t j = j0; j <= j1; j++)
        for (int64_t i = i0; i <= i1; i++)
            gap |= lf__grid_gap(grid, i, j);
    if (!gap)
        return high;
    lf__grid_range r = {high, high};
    for (int64_t j = j0 > first ? j0 - 1 : j0; j <= j1 + 1 && j <= last_j; j++)
        for (int64_t i = i0 > first ? i0 - 1 : i0; i <= i1 + 1 && i <= last_i; i++)
            add_square(grid, i, j, &r);
    return r.high;
}

static void set_block(lf_grid *grid, int level, int64_t bx, int64_t by, lf__grid_range r) {
    lf__grid_level *l = &grid->levels[level];
    bool any = r.low <= r.high;
    if (level == grid->first_top) {
        double high = r.high;
        if (grid->gaps && grid->surface != LF_SURFACE_POINT)
            high = top_with_ring(grid, level, bx, by, high);
        l->top[by * l->stride + bx] =
            high > -LF_INFINITY ? lf__grid_top_code(grid, high) : LF__GRID_TOP_NOTHING;
    }
    if (level == grid->first_bottom)
        l->bottom[by * l->stride + bx] = any ? lf__grid_bottom_code(grid, r.low) : LF__GRID_BOTTOM_NOTHING;
}

/// Posts that are looked at together, so that they stay in the first cache.
#define TILE 512

/// The lowest and highest of each column of posts of a block row, for columns from `start` on.
static void tile_ranges(const lf_grid *grid, int64_t start, int count, const int64_t rows[2],
                        lf__grid_range *columns) {
    for (int i = 0; i < count; i++)
        columns[i] = lf__grid_range_empty();
    bool floats = grid->type == LF_SAMPLE_FLOAT && grid->plain && grid->column_step == sizeof(float);
    for (int64_t j = rows[0]; j <= rows[1]; j++) {
        if (floats) {
            const float *row = (const float *)(const void *)(grid->values + j * grid->row_step) + start;
            for (int i = 0; i < count; i++)
                lf__grid_range_add(&columns[i], (double)row[i]);
        } else {
            for (int i = 0; i < count; i++)
                lf__grid_range_add(&columns[i], lf__grid_height(grid, start + i, j));
        }
    }
}

/// A row of blocks of cells without any gap.
static void fill_whole_row(lf_grid *grid, int level, int64_t by) {
    lf__grid_range columns[TILE + 1];
    int64_t side = (int64_t)1 << level, count = grid->levels[level].columns, at_once = TILE / side;
    int64_t j0 = grid->first + by * side;
    int64_t rows[2] = {j0, block_end(j0, level, grid->first, grid->square_rows) + 1};
    for (int64_t bx = 0; bx < count; bx += at_once) {
        int64_t last = bx + at_once < count ? bx + at_once : count;
        int64_t start = grid->first + bx * side;
        int64_t end =
            block_end(grid->first + (last - 1) * side, level, grid->first, grid->square_columns) + 1;
        tile_ranges(grid, start, (int)(end - start + 1), rows, columns);
        for (int64_t k = bx; k < last; k++) {
            lf__grid_range r = lf__grid_range_empty();
            int64_t i0 = (k - bx) * side, i1 = i0 + side < end - start ? i0 + side : end - start;
            for (int64_t i = i0; i <= i1; i++) {
                r.low = columns[i].low < r.low ? columns[i].low : r.low;
                r.high = columns[i].high > r.high ? columns[i].high : r.high;
            }
            set_block(grid, level, k, by, r);
        }
    }
}

static void fill_row(lf_grid *grid, int level, int64_t by) {
    if (!grid->gaps && grid->surface != LF_SURFACE_POINT) {
        fill_whole_row(grid, level, by);
        return;
    }
    for (int64_t bx = 0; bx < grid->levels[level].columns; bx++)
        set_block(grid, level, bx, by, block_by_squares(grid, level, bx, by));
}

// ---------------------------------------------------------------------------------------------------
// The others, from the level below
// ---------------------------------------------------------------------------------------------------

static uint16_t greatest(const uint16_t *at, int64_t stride) {
    uint16_t a = at[0] > at[1] ? at[0] : at[1], b = at[stride] > at[stride + 1] ? at[stride] : at[stride + 1];
    return a > b ? a : b;
}

static uint16_t least(const uint16_t *at, int64_t stride) {
    uint16_t a = at[0] < at[1] ? at[0] : at[1], b = at[stride] < at[stride + 1] ? at[stride] : at[stride + 1];
    return a < b ? a : b;
}

/// The blocks bx0 .. bx1 of a row, whose parts have been computed. Beyond the last part there is the border.
static void join_row(lf_grid *grid, int level, int64_t by, int64_t bx0, int64_t bx1) {
    if (level == grid->first_top)
        return;
    lf__grid_level *l = &grid->levels[level];
    const lf__grid_level *below = l - 1;
    int64_t parts = 2 * by * below->stride;
    for (int64_t bx = bx0; bx <= bx1; bx++)
        l->top[by * l->stride + bx] = greatest(below->top + parts + 2 * bx, below->stride);
    for (int64_t bx = bx0; bx <= bx1 && level > grid->first_bottom; bx++)
        l->bottom[by * l->stride + bx] = least(below->bottom + parts + 2 * bx, below->stride);
}

typedef struct filling {
    lf_grid *grid;
    int level;
    int64_t row; ///< of index 0
} filling;

static void fill_share(void *job, int64_t first, int64_t last, int worker) {
    const filling *f = job;
    (void)worker;
    for (int64_t by = f->row + first; by < f->row + last; by++) {
        if (f->level == f->grid->first_top || f->level == f->grid->first_bottom)
            fill_row(f->grid, f->level, by);
        join_row(f->grid, f->level, by, 0, f->grid->levels[f->level].columns - 1);
    }
}

lf_status lf__grid_fill(lf_grid *grid, const lf_host *host) {
    choose_quantum(grid);
    lf_status status =
        lf__take_array(&grid->allocator, grid->bound_count, sizeof *grid->bounds, (void **)&grid->bounds);
    if (status != LF_OK)
        return status;
    lf__grid_place_levels(grid);
    clear_levels(grid);
    for (int l = grid->first_top; l < grid->level_count; l++) {
        filling f = {grid, l, 0};
        int64_t columns = grid->levels[l].columns, rows = grid->levels[l].rows;
        int64_t stretch = ((int64_t)1 << 20) / columns + 1, grain = 16384 / columns + 1;
        for (; f.row < rows; f.row += stretch) {
            if (!lf__report(host, "bounds", f.row, rows))
                return LF_CANCELLED;
            lf__run(grid->packed ? NULL : host->tasks, rows - f.row < stretch ? rows - f.row : stretch, grain,
                    fill_share, &f);
        }
    }
    return lf__grid_prepare(grid, host);
}

/// The posts of the squares of some blocks.
static int64_t posts_in(int64_t first, int64_t last, int level, int64_t squares) {
    int64_t end = (last + 1) << level;
    return (end < squares ? end : squares) - (first << level) + 1;
}

int64_t lf__grid_refill(lf_grid *grid, const int64_t first[2], const int64_t last[2], int64_t *posts) {
    int64_t nodes = 0, squares[2] = {grid->square_columns, grid->square_rows}, low[2], high[2];
    lf__grid_prepare_again(grid, first, last);
    // Blocks with gaps are bounded with what is around them.
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
            *posts += posts_in(bx0, bx1, l, grid->square_columns) * posts_in(by0, by1, l, grid->square_rows);
        for (int64_t by = by0; by <= by1; by++) {
            for (int64_t bx = bx0; bx <= bx1 && from_posts; bx++)
                set_block(grid, l, bx, by, block_by_squares(grid, l, bx, by));
            join_row(grid, l, by, bx0, bx1);
        }
        nodes += (bx1 - bx0 + 1) * (by1 - by0 + 1);
    }
    return nodes;
}
