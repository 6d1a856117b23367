#include "grid/guard.h"
#include "base/checksum.h"
#include "grid/packed.h"
#include <string.h>

#define SIDE ((int64_t)1 << LF__GUARD_LOG2)

#define AROUND LF__GUARD_AROUND

/// Ends farther away than this many posts leave less than a thousandth of one to rounding.
#define FARTHEST 1e12

/// A known box has no more blocks than this: growing it means to look through it.
#define MOST_KNOWN 4096

int64_t lf__guard_blocks(int64_t columns, int64_t rows) {
    return ((columns - 1) / SIDE + 1) * ((rows - 1) / SIDE + 1);
}

size_t lf__guard_bytes(int64_t columns, int64_t rows) {
    return (size_t)(1 + lf__guard_blocks(columns, rows)) * sizeof(uint64_t);
}

// ---------------------------------------------------------------------------------------------------
// Sums
// ---------------------------------------------------------------------------------------------------

static void add_array(lf__guard *guard, lf__guard_array array) {
    if (array.data)
        guard->arrays[guard->array_count++] = array;
}

static void add_bits(lf__guard *guard, const lf_grid *grid, const uint64_t *bits) {
    add_array(guard, (lf__guard_array){.data = (const uint8_t *)bits,
                                       .item = sizeof *bits,
                                       .stride = (size_t)grid->hole_words * sizeof *bits,
                                       .columns = grid->hole_words,
                                       .rows = grid->rows - 2 * grid->first,
                                       .before = {0, -grid->first},
                                       .shift = {LF__GUARD_LOG2 - 6, LF__GUARD_LOG2}});
}

static void add_bounds(lf__guard *guard, const lf__grid_level *level, const uint16_t *bounds, int shift) {
    if (bounds)
        add_array(guard, (lf__guard_array){.data = (const uint8_t *)(bounds - level->stride - 1),
                                           .item = sizeof *bounds,
                                           .stride = (size_t)level->stride * sizeof *bounds,
                                           .columns = level->stride,
                                           .rows = level->rows + 2,
                                           .before = {1, 1},
                                           .shift = {shift, shift}});
}

/// All arrays but raw samples, which come first and may not lie anywhere yet.
static void add_arrays(lf__guard *guard, const lf_grid *grid) {
    const lf__packed *packed = grid->packed;
    if (packed) {
        int shift = LF__GUARD_LOG2 - packed->log2_side;
        add_array(guard, (lf__guard_array){.data = packed->index,
                                           .item = LF__INDEX_ENTRY,
                                           .stride = (size_t)packed->tile_columns * LF__INDEX_ENTRY,
                                           .columns = packed->tile_columns,
                                           .rows = packed->tile_rows,
                                           .shift = {shift, shift}});
    }
    for (int l = grid->first_top; l < grid->level_count && l < LF__GUARD_LOG2; l++) {
        add_bounds(guard, &grid->levels[l], grid->levels[l].top, LF__GUARD_LOG2 - l);
        add_bounds(guard, &grid->levels[l], grid->levels[l].bottom, LF__GUARD_LOG2 - l);
    }
    add_bits(guard, grid, grid->holes);
    add_bits(guard, grid, grid->gaps == grid->holes ? NULL : grid->gaps);
    if (grid->planes) {
        const lf__grid_level *level = &grid->levels[LF__GRID_PLANE];
        int shift = LF__GUARD_LOG2 - LF__GRID_PLANE;
        add_array(guard, (lf__guard_array){.data = (const uint8_t *)grid->planes,
                                           .item = sizeof *grid->planes,
                                           .stride = (size_t)level->columns * sizeof *grid->planes,
                                           .columns = level->columns,
                                           .rows = level->rows,
                                           .shift = {shift, shift}});
    }
}

/// The items of an axis that belong to a block: from first up to, not including, the end.
static int64_t items_of(const lf__guard_array *a, int axis, int64_t block, int64_t blocks, int64_t *end) {
    int64_t count = axis == 0 ? a->columns : a->rows, before = a->before[axis];
    int64_t first = block == 0 ? 0 : before + (block << a->shift[axis]);
    *end = block == blocks - 1 ? count : before + ((block + 1) << a->shift[axis]);
    *end = *end < count ? *end : count;
    return first < *end ? first : *end;
}

/// Rows ahead that are asked for before they are needed: rows of a block lie far apart.
#define AHEAD 4

static uint64_t sum_array(const lf__guard *guard, const lf__guard_array *a, const int64_t block[2],
                          uint64_t sum) {
    int64_t end[2], low = items_of(a, 0, block[0], guard->columns, &end[0]);
    int64_t first = items_of(a, 1, block[1], guard->rows, &end[1]);
    size_t bytes = (size_t)(end[0] - low) * a->item;
    for (int64_t y = first; y < end[1] && bytes > 0; y++) {
        const uint8_t *row = a->data + (size_t)y * a->stride + (size_t)low * a->item;
        for (size_t k = 0; k < bytes && y + AHEAD < end[1]; k += LF__CACHE_LINE)
            __builtin_prefetch(row + AHEAD * a->stride + k);
        sum = lf__xxh64(row, bytes, sum);
    }
    return sum;
}

/// Tiles lie one behind the other: those of a row of the block reach up to where the tile behind them begins.
static uint64_t sum_tiles(const lf__packed *packed, const lf__guard *guard, const int64_t block[2],
                          uint64_t sum) {
    const lf__guard_array *index = &guard->arrays[0];
    int64_t end[2], low = items_of(index, 0, block[0], guard->columns, &end[0]);
    for (int64_t y = items_of(index, 1, block[1], guard->rows, &end[1]); y < end[1]; y++) {
        int64_t behind = y * packed->tile_columns + end[0];
        size_t from, to = 0;
        const uint8_t *start = lf__packed_find(packed, y * packed->tile_columns + low, &from);
        if (behind < lf__packed_tiles(packed))
            lf__packed_find(packed, behind, &to);
        sum = lf__xxh64(start, to < from ? from - to : 0, sum);
    }
    return sum;
}

/// Everything of a block, going on from the sum of its raw samples.
static uint64_t sum_block(const lf_grid *grid, const lf__guard *guard, int64_t number, uint64_t sum) {
    const int64_t block[2] = {number % guard->columns, number / guard->columns};
    for (int k = 0; k < guard->array_count; k++)
        sum = sum_array(guard, &guard->arrays[k], block, sum);
    return grid->packed ? sum_tiles(grid->packed, guard, block, sum) : sum;
}

/// What is no block's: the first bounds and those of large blocks, and what behind samples and index may be read.
static uint64_t sum_rest(const lf_grid *grid, const uint8_t *behind_samples, size_t spare) {
    const uint16_t *bounds = grid->bounds, *end = bounds + grid->bound_count;
    const lf__grid_level *first = &grid->levels[grid->first_top],
                         *last = &grid->levels[grid->level_count - 1];
    const uint16_t *start = first->top - first->stride - 1,
                   *large = last->bottom + last->stride * (last->rows + 1) - 1;
    if (grid->level_count > LF__GUARD_LOG2)
        large = grid->levels[LF__GUARD_LOG2].top - grid->levels[LF__GUARD_LOG2].stride - 1;
    uint64_t sum = lf__xxh64(bounds, (size_t)(start - bounds) * sizeof *bounds, 0);
    sum = lf__xxh64(large, (size_t)(end - large) * sizeof *bounds, sum);
    sum = lf__xxh64(behind_samples, spare, sum);
    return lf__xxh64(&grid->steepest, sizeof grid->steepest, sum);
}

static void count_blocks(lf__guard *guard, const lf_grid *grid) {
    guard->columns = (grid->columns - 1) / SIDE + 1;
    guard->rows = (grid->rows - 1) / SIDE + 1;
}

/// Bytes behind the index, or none: of raw samples they are written as zeros.
static size_t spare_of(const lf_grid *grid, const uint8_t **spare) {
    static const uint8_t zeros[64];
    if (grid->packed) {
        *spare = grid->packed->index + lf__packed_tiles(grid->packed) * LF__INDEX_ENTRY;
        return LF__INDEX_SPARE;
    }
    *spare = zeros;
    return sizeof zeros;
}

/// Raw samples row by row, as they will lie in the file, into the sums of their blocks.
static bool sum_samples(const lf_grid *grid, const lf__guard *guard, void *row, uint64_t *sums,
                        const lf_host *host) {
    size_t bytes, item = lf__sample_size(grid->type);
    int64_t rows = lf__grid_store_rows(grid, &bytes), ring = -grid->first;
    lf__guard_array a = {.data = row,
                         .item = item,
                         .columns = (int64_t)(bytes / item),
                         .rows = rows,
                         .before = {ring, ring},
                         .shift = {LF__GUARD_LOG2, LF__GUARD_LOG2}};
    for (int64_t j = 0; j < rows; j++) {
        int64_t by = j < ring ? 0 : (j - ring) >> LF__GUARD_LOG2;
        by = by < guard->rows ? by : guard->rows - 1;
        if (j % 64 == 0 && !lf__report(host, "file", j, rows))
            return false;
        lf__grid_store_row(grid, j, row);
        for (int64_t bx = 0; bx < guard->columns; bx++) {
            int64_t end, low = items_of(&a, 0, bx, guard->columns, &end);
            uint64_t *sum = &sums[by * guard->columns + bx];
            *sum =
                low < end ? lf__xxh64(a.data + (size_t)low * item, (size_t)(end - low) * item, *sum) : *sum;
        }
    }
    return true;
}

bool lf__guard_sum(const lf_grid *grid, void *row, uint64_t *sums, const lf_host *host) {
    lf__guard guard = {.array_count = 0};
    const uint8_t *spare;
    size_t spare_bytes = spare_of(grid, &spare);
    count_blocks(&guard, grid);
    add_arrays(&guard, grid);
    memset(sums, 0, lf__guard_bytes(grid->columns, grid->rows));
    sums[0] = sum_rest(grid, spare, spare_bytes);
    if (!grid->packed && !sum_samples(grid, &guard, row, sums + 1, host))
        return false;
    for (int64_t k = 0; k < guard.columns * guard.rows; k++)
        sums[1 + k] = sum_block(grid, &guard, k, sums[1 + k]);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// A grid of a file
// ---------------------------------------------------------------------------------------------------

lf_status lf__guard_start(lf_grid *grid, const lf__grid_stored *s) {
    lf__guard *guard = lf__take(&grid->allocator, sizeof *guard, _Alignof(lf__guard));
    if (!guard)
        return LF_NO_MEMORY;
    memset(guard, 0, sizeof *guard);
    grid->guard = guard;
    count_blocks(guard, grid);
    int64_t blocks = guard->columns * guard->rows;
    lf_status status = lf__take_array(&grid->allocator, blocks, 1, (void **)&guard->marks);
    if (status != LF_OK)
        return status;
    memset((void *)guard->marks, 0, (size_t)blocks);
    guard->sums = s->sums.data;
    atomic_init(&guard->left, blocks);
    const uint8_t *spare;
    size_t spare_bytes = spare_of(grid, &spare), row;
    if (!grid->packed) {
        int64_t rows = lf__grid_store_rows(grid, &row), ring = -grid->first;
        add_array(guard, (lf__guard_array){.data = s->samples.data,
                                           .item = lf__sample_size(grid->type),
                                           .stride = row,
                                           .columns = grid->columns + 2 * ring,
                                           .rows = rows,
                                           .before = {ring, ring},
                                           .shift = {LF__GUARD_LOG2, LF__GUARD_LOG2}});
        spare = (const uint8_t *)s->samples.data + (size_t)rows * row;
    }
    add_arrays(guard, grid);
    return sum_rest(grid, spare, spare_bytes) == guard->sums[0] ? LF_OK : LF_BAD_FORMAT;
}

void lf__guard_free(const lf_allocator *allocator, lf__guard *guard) {
    if (!guard)
        return;
    lf__give_array(allocator, (void *)guard->marks, guard->columns * guard->rows, 1);
    lf__give(allocator, guard, sizeof *guard, _Alignof(lf__guard));
}

// ---------------------------------------------------------------------------------------------------
// Before reading
// ---------------------------------------------------------------------------------------------------

static bool is_marked(const lf__guard *guard, int64_t number) {
    return atomic_load_explicit(&guard->marks[number], memory_order_relaxed) != 0;
}

__attribute__((noinline)) static void check(const lf_grid *grid, int64_t number) {
    lf__guard *guard = grid->guard;
    if (sum_block(grid, guard, number, 0) != guard->sums[1 + number]) {
        atomic_store(&guard->damaged, true);
        atomic_store(&guard->left, 0); // nothing is told any more: nothing has to be checked
    } else if (atomic_exchange(&guard->marks[number], 1) == 0)
        atomic_fetch_sub(&guard->left, 1);
}

static void check_row(const lf_grid *grid, int64_t row, int64_t first, int64_t last) {
    const lf__guard *guard = grid->guard;
    for (int64_t k = row * guard->columns + first; k <= row * guard->columns + last; k++)
        if (!is_marked(guard, k))
            check(grid, k);
}

/// The block of a coordinate, which may be anywhere.
static int64_t block_of(double at, int64_t blocks) {
    double block = floor(at / (double)SIDE);
    return !(block > 0) ? 0 : block < (double)(blocks - 1) ? (int64_t)block : blocks - 1;
}

/// Blocks from low to high along an axis; false: all of it is beyond the grid.
static bool blocks_of(double low, double high, int64_t posts, int64_t blocks, int64_t range[2]) {
    if (!(low <= high)) {
        range[0] = 0, range[1] = blocks - 1;
        return true;
    }
    if (high + AROUND < 0 || low - AROUND > (double)posts)
        return false;
    range[0] = block_of(low - AROUND, blocks);
    range[1] = block_of(high + AROUND, blocks);
    return true;
}

static bool box_of(const lf_grid *grid, lf_vec2 low, lf_vec2 high, int64_t x[2], int64_t y[2]) {
    return blocks_of(low.x, high.x, grid->columns, grid->guard->columns, x) &&
           blocks_of(low.y, high.y, grid->rows, grid->guard->rows, y);
}

/// Let the known box reach over one that has just been checked: where it then has a block that is not marked, that one is checked in place of that.
static void grow(const lf_grid *grid, const int64_t x[2], const int64_t y[2]) {
    lf__guard *guard = grid->guard;
    uint64_t known = atomic_load_explicit(&guard->known, memory_order_relaxed);
    int64_t x0 = x[0], x1 = x[1], y0 = y[0], y1 = y[1];
    if (known != 0) {
        int64_t old[4] = {(int64_t)(known & 0xffff), (int64_t)(known >> 16 & 0xffff),
                          (int64_t)(known >> 32 & 0xffff), (int64_t)(known >> 48)};
        x0 = old[0] < x0 ? old[0] : x0;
        x1 = old[1] > x1 ? old[1] : x1;
        y0 = old[2] < y0 ? old[2] : y0;
        y1 = old[3] > y1 ? old[3] : y1;
    }
    if (x1 > 0xffff || y1 > 0xffff || (x1 - x0 + 1) * (y1 - y0 + 1) > MOST_KNOWN || (x1 == 0 && y1 == 0))
        return;
    for (int64_t row = y0; row <= y1; row++)
        for (int64_t k = row * guard->columns + x0; k <= row * guard->columns + x1; k++)
            if (!is_marked(guard, k)) {
                check(grid, k);
                return;
            }
    uint64_t grown = (uint64_t)x0 | (uint64_t)x1 << 16 | (uint64_t)y0 << 32 | (uint64_t)y1 << 48;
    atomic_compare_exchange_strong(&guard->known, &known, grown);
}

/// Do columns reach beyond a grid that x goes round of? Then some of them are those of a copy, and all may be asked.
static bool goes_round(const lf_grid *grid, double low, double high) {
    return grid->copies != 0 && !(low >= 0 && high <= (double)(grid->columns - 1));
}

void lf__guard_box(const lf_grid *grid, lf_vec2 low, lf_vec2 high) {
    int64_t x[2], y[2];
    if (goes_round(grid, low.x, high.x))
        low.x = -LF_INFINITY, high.x = LF_INFINITY;
    if (!box_of(grid, low, high, x, y))
        return;
    for (int64_t row = y[0]; row <= y[1]; row++)
        check_row(grid, row, x[0], x[1]);
    grow(grid, x, y);
}

/// The part of a line, from 0 to 1, on which a coordinate is within low and high.
static void clip(double a, double b, double low, double high, double part[2]) {
    double d = b - a;
    if (d == 0) {
        if (a < low || a > high)
            part[1] = -1;
        return;
    }
    double t0 = (low - a) / d, t1 = (high - a) / d;
    part[0] = fmax(part[0], fmin(t0, t1));
    part[1] = fmin(part[1], fmax(t0, t1));
}

void lf__guard_line(const lf_grid *grid, lf_vec2 a, lf_vec2 b) {
    double farthest = fmax(fmax(fabs(a.x), fabs(a.y)), fmax(fabs(b.x), fabs(b.y)));
    if (!(farthest <= FARTHEST) || goes_round(grid, fmin(a.x, b.x), fmax(a.x, b.x))) {
        lf__grid_touch_all(grid);
        return;
    }
    double part[2] = {0, 1};
    clip(a.x, b.x, -2 * AROUND, (double)grid->columns + 2 * AROUND, part);
    clip(a.y, b.y, -2 * AROUND, (double)grid->rows + 2 * AROUND, part);
    if (!(part[0] <= part[1]))
        return;
    lf_vec2 p = {a.x + part[0] * (b.x - a.x), a.y + part[0] * (b.y - a.y)};
    lf_vec2 q = {a.x + part[1] * (b.x - a.x), a.y + part[1] * (b.y - a.y)};
    if (p.y > q.y) {
        lf_vec2 r = p;
        p = q, q = r;
    }
    int64_t columns[2], rows[2];
    double per_row = q.y > p.y ? (q.x - p.x) / (q.y - p.y) : 0;
    if (!blocks_of(p.y, q.y, grid->rows, grid->guard->rows, rows) ||
        !blocks_of(fmin(p.x, q.x), fmax(p.x, q.x), grid->columns, grid->guard->columns, columns))
        return;
    for (int64_t row = rows[0]; row <= rows[1]; row++) {
        // Where the line is next to this row of blocks. Far ends stay as they are: a slope times a length may
        // round.
        int64_t x[2];
        double low = (double)(row * SIDE - AROUND), high = (double)((row + 1) * SIDE + AROUND);
        double x0 = p.y >= low || q.y == p.y ? p.x : p.x + (low - p.y) * per_row;
        double x1 = q.y <= high || q.y == p.y ? q.x : p.x + (high - p.y) * per_row;
        if (blocks_of(fmin(x0, x1), fmax(x0, x1), grid->columns, grid->guard->columns, x))
            check_row(grid, row, x[0], x[1]);
    }
    grow(grid, columns, rows);
}

void lf__guard_ray(const lf_grid *grid, const lf_ray *ray) {
    lf_vec2 d = lf__grid_turn(grid, ray->direction.x, ray->direction.y);
    lf_vec2 at = lf__grid_place(grid, ray->origin.x, ray->origin.y);
    lf_vec2 from = {at.x + ray->t_min * d.x, at.y + ray->t_min * d.y},
            to = {at.x + ray->t_max * d.x, at.y + ray->t_max * d.y};
    lf_vec2 low = {from.x < to.x ? from.x : to.x, from.y < to.y ? from.y : to.y};
    lf_vec2 high = {from.x < to.x ? to.x : from.x, from.y < to.y ? to.y : from.y};
    if (lf__guard_knows(grid, low, high)) // nothing where the ray has no end: NaN or infinite
        return;
    // Heights with room for every rounding: a ray that leaves them meets nothing there.
    double slack = 1 + 1e-6 * (fabs(grid->lowest) + fabs(grid->highest));
    double t[2] = {ray->t_min, ray->t_max};
    if (!(grid->lowest <= grid->highest))
        return;
    if (ray->direction.z != 0) {
        double t0 = (grid->lowest - slack - ray->origin.z) / ray->direction.z,
               t1 = (grid->highest + slack - ray->origin.z) / ray->direction.z;
        t[0] = fmax(t[0], fmin(t0, t1));
        t[1] = fmin(t[1], fmax(t0, t1));
    } else if (ray->origin.z < grid->lowest - slack || ray->origin.z > grid->highest + slack) {
        return;
    }
    if (!(t[0] <= t[1]))
        return;
    // As far as the corners of the box, where a ray has no end.
    double speed = fmax(fabs(d.x), fabs(d.y));
    if (speed == 0) {
        lf__guard_box(grid, at, at);
        return;
    }
    double far = (fabs(at.x) + fabs(at.y) + (double)grid->columns + (double)grid->rows) / speed;
    t[0] = fmax(t[0], -far);
    t[1] = fmin(t[1], far);
    if (t[0] <= t[1])
        lf__guard_line(grid, (lf_vec2){at.x + t[0] * d.x, at.y + t[0] * d.y},
                       (lf_vec2){at.x + t[1] * d.x, at.y + t[1] * d.y});
}

lf_status lf__grid_secure(const lf_grid *grid, lf_vec2 low, lf_vec2 high, lf_error *error) {
    lf__grid_touch_box(grid, low, high);
    lf_status status = lf__grid_told(grid, LF_OK);
    return status == LF_OK
               ? LF_OK
               : lf__fail(error, status, -1, "the file is damaged: the checksum of a block is wrong");
}
