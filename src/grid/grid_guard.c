/// Checksums of the blocks of a grid: computing them for a file, and checking them before queries read.
#include "base/base.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include <string.h>

#define GUARD_SIDE ((int64_t)1 << LF__GUARD_LOG2)

/// Up to this many samples the rounding error of a coordinate is less than a thousandth of a sample.
#define GUARD_FARTHEST 1e12

/// Greatest number of blocks of the known box, because extending it examines all of them.
#define GUARD_MOST_KNOWN 4096

int64_t lf__guard_blocks(int64_t columns, int64_t rows) {
    return ((columns - 1) / GUARD_SIDE + 1) * ((rows - 1) / GUARD_SIDE + 1);
}

size_t lf__guard_bytes(int64_t columns, int64_t rows) {
    return (size_t)(1 + lf__guard_blocks(columns, rows)) * sizeof(uint64_t);
}

// ---------------------------------------------------------------------------------------------------
// Checksums
// ---------------------------------------------------------------------------------------------------

static void guard_add_array(lf__guard *guard, lf__guard_array array) {
    if (array.data)
        guard->arrays[guard->array_count++] = array;
}

static void guard_add_bits(lf__guard *guard, const lf_grid *grid, const uint64_t *bits) {
    guard_add_array(guard, (lf__guard_array){.data = (const uint8_t *)bits,
                                             .item = sizeof *bits,
                                             .stride = (size_t)grid->void_words * sizeof *bits,
                                             .columns = grid->void_words,
                                             .rows = grid->rows - 2 * grid->first,
                                             .before = {0, -grid->first},
                                             .shift = {LF__GUARD_LOG2 - 6, LF__GUARD_LOG2}});
}

static void guard_add_bounds(lf__guard *guard, const lf__grid_level *level, const uint16_t *bounds,
                             int shift) {
    if (bounds)
        guard_add_array(guard, (lf__guard_array){.data = (const uint8_t *)(bounds - level->stride - 1),
                                                 .item = sizeof *bounds,
                                                 .stride = (size_t)level->stride * sizeof *bounds,
                                                 .columns = level->stride,
                                                 .rows = level->rows + 2,
                                                 .before = {1, 1},
                                                 .shift = {shift, shift}});
}

/// Add all arrays but raw samples, which come first and may not be in memory yet.
static void guard_add_arrays(lf__guard *guard, const lf_grid *grid) {
    const lf__packed *packed = grid->packed;
    if (packed) {
        int shift = LF__GUARD_LOG2 - packed->log2_side;
        guard_add_array(guard, (lf__guard_array){.data = packed->index,
                                                 .item = LF__INDEX_ENTRY,
                                                 .stride = (size_t)packed->tile_columns * LF__INDEX_ENTRY,
                                                 .columns = packed->tile_columns,
                                                 .rows = packed->tile_rows,
                                                 .shift = {shift, shift}});
    }
    for (int l = grid->first_top; !grid->derived && l < grid->level_count && l < LF__GUARD_LOG2; l++) {
        guard_add_bounds(guard, &grid->levels[l], grid->levels[l].top, LF__GUARD_LOG2 - l);
        guard_add_bounds(guard, &grid->levels[l], grid->levels[l].bottom, LF__GUARD_LOG2 - l);
    }
    guard_add_bits(guard, grid, grid->voids);
    guard_add_bits(guard, grid, grid->gaps == grid->voids ? NULL : grid->gaps);
    if (grid->planes) {
        const lf__grid_level *level = &grid->levels[LF__GRID_PLANE];
        int shift = LF__GUARD_LOG2 - LF__GRID_PLANE;
        guard_add_array(guard, (lf__guard_array){.data = (const uint8_t *)grid->planes,
                                                 .item = sizeof *grid->planes,
                                                 .stride = (size_t)level->columns * sizeof *grid->planes,
                                                 .columns = level->columns,
                                                 .rows = level->rows,
                                                 .shift = {shift, shift}});
    }
}

/// The items of an axis that belong to a block, without the end.
static int64_t guard_items(const lf__guard_array *a, int axis, int64_t block, int64_t blocks, int64_t *end) {
    int64_t count = axis == 0 ? a->columns : a->rows, before = a->before[axis];
    int64_t first = block == 0 ? 0 : before + (block << a->shift[axis]);
    *end = block == blocks - 1 ? count : before + ((block + 1) << a->shift[axis]);
    *end = *end < count ? *end : count;
    return first < *end ? first : *end;
}

/// Number of rows to prefetch, because rows of a block are far apart in memory.
#define GUARD_AHEAD 4

static uint64_t guard_sum_array(const lf__guard *guard, const lf__guard_array *a, const int64_t block[2],
                                uint64_t sum) {
    int64_t end[2], low = guard_items(a, 0, block[0], guard->columns, &end[0]);
    int64_t first = guard_items(a, 1, block[1], guard->rows, &end[1]);
    size_t bytes = (size_t)(end[0] - low) * a->item;
    for (int64_t y = first; y < end[1] && bytes > 0; y++) {
        const uint8_t *row = a->data + (size_t)y * a->stride + (size_t)low * a->item;
        for (size_t k = 0; k < bytes && y + GUARD_AHEAD < end[1]; k += LF__CACHE_LINE)
            __builtin_prefetch(row + GUARD_AHEAD * a->stride + k);
        sum = lf__xxh64(row, bytes, sum);
    }
    return sum;
}

/// Tiles are contiguous: those from one to before another end where that begins.
static lf__bytes guard_tiles(const lf__packed *packed, int64_t tile, int64_t next) {
    size_t from, to = 0;
    const uint8_t *start = lf__packed_find(packed, tile, &from);
    if (next < lf__packed_tiles(packed))
        lf__packed_find(packed, next, &to);
    return (lf__bytes){start, to < from ? from - to : 0};
}

static uint64_t guard_sum_tiles(const lf__packed *packed, const lf__guard *guard, const int64_t block[2],
                                uint64_t sum) {
    const lf__guard_array *index = &guard->arrays[0];
    int64_t end[2], low = guard_items(index, 0, block[0], guard->columns, &end[0]);
    for (int64_t y = guard_items(index, 1, block[1], guard->rows, &end[1]); y < end[1]; y++) {
        lf__bytes row =
            guard_tiles(packed, y * packed->tile_columns + low, y * packed->tile_columns + end[0]);
        sum = lf__xxh64(row.data, row.size, sum);
    }
    return sum;
}

/// The checksum of a block, continued from that of its raw samples.
static uint64_t guard_sum_block(const lf_grid *grid, const lf__guard *guard, int64_t number, uint64_t sum) {
    const int64_t block[2] = {number % guard->columns, number / guard->columns};
    for (int k = 0; k < guard->array_count; k++)
        sum = guard_sum_array(guard, &guard->arrays[k], block, sum);
    return grid->packed ? guard_sum_tiles(grid->packed, guard, block, sum) : sum;
}

/// Bounds of no single block: the first ones, and those of large blocks.
static void guard_rest(const lf_grid *grid, lf__bytes bounds[2]) {
    const lf__grid_level *first = &grid->levels[grid->first_top],
                         *last = &grid->levels[grid->level_count - 1];
    const uint16_t *start = first->top - first->stride - 1,
                   *large = last->bottom + last->stride * (last->rows + 1) - 1;
    if (grid->level_count > LF__GUARD_LOG2)
        large = grid->levels[LF__GUARD_LOG2].top - grid->levels[LF__GUARD_LOG2].stride - 1;
    bounds[0] = (lf__bytes){grid->bounds, (size_t)(start - grid->bounds) * sizeof *start};
    bounds[1] = (lf__bytes){large, (size_t)(grid->bounds + grid->bound_count - large) * sizeof *large};
}

/// The checksum of the rest: these bounds, and the spare bytes after samples or index.
static uint64_t guard_sum_rest(const lf_grid *grid, const uint8_t *after_samples, size_t spare) {
    lf__bytes bounds[2];
    guard_rest(grid, bounds);
    uint64_t sum = 0;
    if (!grid->derived) {
        sum = lf__xxh64(bounds[0].data, bounds[0].size, 0);
        sum = lf__xxh64(bounds[1].data, bounds[1].size, sum);
    }
    sum = lf__xxh64(after_samples, spare, sum);
    return lf__xxh64(&grid->steepest, sizeof grid->steepest, sum);
}

static void guard_count_blocks(lf__guard *guard, const lf_grid *grid) {
    guard->columns = (grid->columns - 1) / GUARD_SIDE + 1;
    guard->rows = (grid->rows - 1) / GUARD_SIDE + 1;
}

/// The spare bytes after the index, or those after raw samples, which are written as zeros.
static size_t guard_spare(const lf_grid *grid, const uint8_t **spare) {
    static const uint8_t zeros[64];
    if (grid->packed) {
        *spare = grid->packed->index + lf__packed_tiles(grid->packed) * LF__INDEX_ENTRY;
        return LF__INDEX_SPARE;
    }
    *spare = zeros;
    return sizeof zeros;
}

/// Raw samples as in the file.
static lf__guard_array guard_samples(const lf_grid *grid, const void *data) {
    size_t row;
    int64_t rows = lf__grid_store_rows(grid, &row), ring = -grid->first;
    return (lf__guard_array){.data = data,
                             .item = lf__sample_size(grid->type),
                             .stride = row,
                             .columns = grid->columns + 2 * ring,
                             .rows = rows,
                             .before = {ring, ring},
                             .shift = {LF__GUARD_LOG2, LF__GUARD_LOG2}};
}

/// Add raw samples, row by row as in the file, to the checksums of their blocks.
static bool guard_sum_samples(const lf_grid *grid, const lf__guard *guard, void *row, uint64_t *sums,
                              const lf_host *host) {
    lf__guard_array a = guard_samples(grid, row);
    int64_t rows = a.rows, ring = -grid->first;
    size_t item = a.item;
    for (int64_t j = 0; j < rows; j++) {
        int64_t by = j < ring ? 0 : (j - ring) >> LF__GUARD_LOG2;
        by = by < guard->rows ? by : guard->rows - 1;
        if (j % 64 == 0 && !lf__report(host, "file", j, rows))
            return false;
        lf__grid_store_row(grid, j, row);
        for (int64_t bx = 0; bx < guard->columns; bx++) {
            int64_t end, low = guard_items(&a, 0, bx, guard->columns, &end);
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
    size_t spare_bytes = guard_spare(grid, &spare);
    guard_count_blocks(&guard, grid);
    guard_add_arrays(&guard, grid);
    memset(sums, 0, lf__guard_bytes(grid->columns, grid->rows));
    sums[0] = guard_sum_rest(grid, spare, spare_bytes);
    if (!grid->packed && !guard_sum_samples(grid, &guard, row, sums + 1, host))
        return false;
    for (int64_t k = 0; k < guard.columns * guard.rows; k++)
        sums[1 + k] = guard_sum_block(grid, &guard, k, sums[1 + k]);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// A grid of a file
// ---------------------------------------------------------------------------------------------------

lf_status lf__guard_start(lf_grid *grid, const lf__grid_stored *s, lf_error *error) {
    lf__guard *guard = lf__allocate(&grid->allocator, sizeof *guard, _Alignof(lf__guard));
    if (!guard)
        return lf__fail_plain(error, LF_NO_MEMORY);
    memset(guard, 0, sizeof *guard);
    grid->guard = guard;
    guard_count_blocks(guard, grid);
    int64_t blocks = guard->columns * guard->rows;
    lf_status status = lf__allocate_array(&grid->allocator, blocks, 1, (void **)&guard->marks);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    memset((void *)guard->marks, 0, (size_t)blocks);
    guard->sums = s->sums.data;
    guard->paged = s->paged;
    atomic_init(&guard->left, blocks);
    const uint8_t *spare;
    lf__bytes rest[2];
    size_t spare_bytes = guard_spare(grid, &spare);
    if (!grid->packed) {
        lf__guard_array samples = guard_samples(grid, s->samples.data);
        guard_add_array(guard, samples);
        spare = samples.data + (size_t)samples.rows * samples.stride;
    }
    guard_add_arrays(guard, grid);
    if (guard->paged) {
        lf__paged_begin(guard->paged);
        lf__paged_want(guard->paged, spare, spare_bytes);
        guard_rest(grid, rest);
        for (int k = 0; k < 2 && !grid->derived; k++) // derived bounds are in no file
            lf__paged_want(guard->paged, rest[k].data, rest[k].size);
        status = lf__paged_end(guard->paged, error);
    }
    if (status != LF_OK || guard_sum_rest(grid, spare, spare_bytes) == guard->sums[0])
        return status;
    return lf__fail(error, LF_BAD_FORMAT, -1, "the grid is damaged: the checksum of its bounds is wrong");
}

void lf__guard_free(const lf_allocator *allocator, lf__guard *guard) {
    if (!guard)
        return;
    lf__free_array(allocator, (void *)guard->marks, guard->columns * guard->rows, 1);
    lf__free(allocator, guard, sizeof *guard, _Alignof(lf__guard));
}

// ---------------------------------------------------------------------------------------------------
// Before reading
// ---------------------------------------------------------------------------------------------------

static bool guard_is_marked(const lf__guard *guard, int64_t number) {
    return atomic_load_explicit(&guard->marks[number], memory_order_relaxed) != 0;
}

/// Every query fails from now on: nothing remains to be checked.
static void guard_fail(lf__guard *guard, lf_status status) {
    int none = LF_OK;
    atomic_compare_exchange_strong(&guard->failure, &none, (int)status);
    atomic_store(&guard->left, 0);
    if (guard->paged)
        lf__paged_report(guard->paged, status);
}

__attribute__((noinline)) static void guard_check(const lf_grid *grid, int64_t number) {
    lf__guard *guard = grid->guard;
    if (atomic_load_explicit(&guard->failure, memory_order_relaxed) != LF_OK)
        return;
    if (guard_sum_block(grid, guard, number, 0) != guard->sums[1 + number]) {
        guard_fail(guard, LF_BAD_FORMAT);
    } else if (atomic_exchange(&guard->marks[number], 1) == 0)
        atomic_fetch_sub(&guard->left, 1);
}

/// The steps of a check. A file that is read in ranges needs the first two: where tiles are is known once their index has been
/// read.
typedef enum guard_step { GUARD_ARRAYS, GUARD_TILES, GUARD_CHECK, GUARD_STEPS } guard_step;

/// Request the items of an array in blocks of a row.
static void guard_want_array(const lf__guard *guard, const lf__guard_array *a, int64_t row,
                             const int64_t x[2]) {
    int64_t end[2], last, low = guard_items(a, 0, x[0], guard->columns, &end[0]);
    guard_items(a, 0, x[1], guard->columns, &last);
    for (int64_t y = guard_items(a, 1, row, guard->rows, &end[1]); y < end[1] && low < last; y++)
        lf__paged_want(guard->paged, a->data + (size_t)y * a->stride + (size_t)low * a->item,
                       (size_t)(last - low) * a->item);
}

/// The same for tiles; `index`: only for the entries that say where they end, beyond those of the blocks.
static void guard_want_tiles(const lf_grid *grid, int64_t row, const int64_t x[2], bool index) {
    const lf__guard *guard = grid->guard;
    const lf__packed *packed = grid->packed;
    const lf__guard_array *entries = &guard->arrays[0];
    int64_t end[2], last, low = guard_items(entries, 0, x[0], guard->columns, &end[0]);
    guard_items(entries, 0, x[1], guard->columns, &last);
    for (int64_t y = guard_items(entries, 1, row, guard->rows, &end[1]); y < end[1]; y++) {
        int64_t next = y * packed->tile_columns + last;
        if (index) {
            size_t size = next < lf__packed_tiles(packed) ? LF__INDEX_ENTRY : 0;
            lf__paged_want(guard->paged, packed->index + next * LF__INDEX_ENTRY, size);
        } else {
            lf__bytes tiles = guard_tiles(packed, y * packed->tile_columns + low, next);
            lf__paged_want(guard->paged, tiles.data, tiles.size);
        }
    }
}

/// A step for the blocks from x[0] to x[1] of a row.
static void guard_take_row(const lf_grid *grid, guard_step step, int64_t row, const int64_t x[2]) {
    const lf__guard *guard = grid->guard;
    int64_t first = row * guard->columns + x[0], last = row * guard->columns + x[1];
    while (first <= last && guard_is_marked(guard, first))
        first++;
    while (first <= last && guard_is_marked(guard, last))
        last--;
    const int64_t rest[2] = {first - row * guard->columns, last - row * guard->columns};
    if (first > last)
        return;
    if (step == GUARD_ARRAYS)
        for (int k = 0; k < guard->array_count; k++)
            guard_want_array(guard, &guard->arrays[k], row, rest);
    if (step != GUARD_CHECK && grid->packed)
        guard_want_tiles(grid, row, rest, step == GUARD_ARRAYS);
    for (int64_t k = first; k <= last && step == GUARD_CHECK; k++)
        if (!guard_is_marked(guard, k))
            guard_check(grid, k);
}

/// The first step, and the next. Those before the last are between these two calls.
static guard_step guard_first(const lf_grid *grid) {
    if (!grid->guard->paged)
        return GUARD_CHECK;
    lf__paged_begin(grid->guard->paged);
    return GUARD_ARRAYS;
}

static guard_step guard_next(const lf_grid *grid, guard_step step) {
    lf__guard *guard = grid->guard;
    if (step == GUARD_CHECK)
        return GUARD_STEPS;
    lf_status status = lf__paged_end(guard->paged, NULL);
    if (status != LF_OK) {
        guard_fail(guard, status);
        return GUARD_STEPS;
    }
    if (step == GUARD_TILES || !grid->packed)
        return GUARD_CHECK;
    lf__paged_begin(guard->paged);
    return GUARD_TILES;
}

/// The block of a coordinate, clamped to the grid.
static int64_t guard_block_at(double at, int64_t blocks) {
    double block = floor(at / (double)GUARD_SIDE);
    return !(block > 0) ? 0 : block < (double)(blocks - 1) ? (int64_t)block : blocks - 1;
}

/// Blocks from low to high along an axis; false where they are outside of the grid.
static bool guard_blocks_between(double low, double high, int64_t samples, int64_t blocks, int64_t range[2]) {
    if (!(low <= high)) {
        range[0] = 0, range[1] = blocks - 1;
        return true;
    }
    if (high + LF__GUARD_AROUND < 0 || low - LF__GUARD_AROUND > (double)samples)
        return false;
    range[0] = guard_block_at(low - LF__GUARD_AROUND, blocks);
    range[1] = guard_block_at(high + LF__GUARD_AROUND, blocks);
    return true;
}

static bool guard_box_blocks(const lf_grid *grid, lf_vec2 low, lf_vec2 high, int64_t x[2], int64_t y[2]) {
    return guard_blocks_between(low.x, high.x, grid->columns, grid->guard->columns, x) &&
           guard_blocks_between(low.y, high.y, grid->rows, grid->guard->rows, y);
}

/// Extend the known box to include blocks that have just been checked. Where the extended box has a block
/// that is not marked, check that block instead.
static void guard_grow(const lf_grid *grid, const int64_t x[2], const int64_t y[2]) {
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
    if (x1 > 0xffff || y1 > 0xffff || (x1 - x0 + 1) * (y1 - y0 + 1) > GUARD_MOST_KNOWN ||
        (x1 == 0 && y1 == 0))
        return;
    for (int64_t row = y0; row <= y1; row++)
        for (int64_t k = row * guard->columns + x0; k <= row * guard->columns + x1; k++)
            if (!guard_is_marked(guard, k)) {
                if (!guard->paged)
                    guard_check(grid, k);
                return;
            }
    uint64_t grown = (uint64_t)x0 | (uint64_t)x1 << 16 | (uint64_t)y0 << 32 | (uint64_t)y1 << 48;
    atomic_compare_exchange_strong(&guard->known, &known, grown);
}

/// Do columns reach outside of a grid with a turn? Then some of them are on a copy, and any column may be
/// read.
static bool guard_goes_round(const lf_grid *grid, double low, double high) {
    return grid->copies != 0 && !(low >= 0 && high <= (double)(grid->columns - 1));
}

void lf__guard_box(const lf_grid *grid, lf_vec2 low, lf_vec2 high) {
    int64_t x[2], y[2];
    if (guard_goes_round(grid, low.x, high.x))
        low.x = -LF_INFINITY, high.x = LF_INFINITY;
    if (!guard_box_blocks(grid, low, high, x, y))
        return;
    for (guard_step step = guard_first(grid); step < GUARD_STEPS; step = guard_next(grid, step))
        for (int64_t row = y[0]; row <= y[1]; row++)
            guard_take_row(grid, step, row, x);
    guard_grow(grid, x, y);
}

/// The part of a line, from 0 to 1, on which a coordinate is within low and high.
static void guard_clip(double a, double b, double low, double high, double part[2]) {
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

/// The blocks of a row next to a line from p up to q; false without any. Ends within the row are not recomputed, to avoid
/// rounding.
static bool guard_line_row(const lf_grid *grid, lf_vec2 p, lf_vec2 q, int64_t row, int64_t x[2]) {
    double per_row = q.y > p.y ? (q.x - p.x) / (q.y - p.y) : 0;
    double low = (double)(row * GUARD_SIDE - LF__GUARD_AROUND),
           high = (double)((row + 1) * GUARD_SIDE + LF__GUARD_AROUND);
    double x0 = p.y >= low || q.y == p.y ? p.x : p.x + (low - p.y) * per_row;
    double x1 = q.y <= high || q.y == p.y ? q.x : p.x + (high - p.y) * per_row;
    return guard_blocks_between(fmin(x0, x1), fmax(x0, x1), grid->columns, grid->guard->columns, x);
}

void lf__guard_line(const lf_grid *grid, lf_vec2 a, lf_vec2 b) {
    double farthest = fmax(fmax(fabs(a.x), fabs(a.y)), fmax(fabs(b.x), fabs(b.y)));
    if (!(farthest <= GUARD_FARTHEST) || guard_goes_round(grid, fmin(a.x, b.x), fmax(a.x, b.x))) {
        lf__grid_touch_all(grid);
        return;
    }
    double part[2] = {0, 1};
    guard_clip(a.x, b.x, -2 * LF__GUARD_AROUND, (double)grid->columns + 2 * LF__GUARD_AROUND, part);
    guard_clip(a.y, b.y, -2 * LF__GUARD_AROUND, (double)grid->rows + 2 * LF__GUARD_AROUND, part);
    if (!(part[0] <= part[1]))
        return;
    lf_vec2 p = {a.x + part[0] * (b.x - a.x), a.y + part[0] * (b.y - a.y)};
    lf_vec2 q = {a.x + part[1] * (b.x - a.x), a.y + part[1] * (b.y - a.y)};
    if (p.y > q.y) {
        lf_vec2 r = p;
        p = q, q = r;
    }
    int64_t columns[2], rows[2], x[2];
    if (!guard_blocks_between(p.y, q.y, grid->rows, grid->guard->rows, rows) ||
        !guard_blocks_between(fmin(p.x, q.x), fmax(p.x, q.x), grid->columns, grid->guard->columns, columns))
        return;
    for (guard_step step = guard_first(grid); step < GUARD_STEPS; step = guard_next(grid, step))
        for (int64_t row = rows[0]; row <= rows[1]; row++)
            if (guard_line_row(grid, p, q, row, x))
                guard_take_row(grid, step, row, x);
    guard_grow(grid, columns, rows);
}

void lf__guard_ray(const lf_grid *grid, const lf_ray *ray) {
    lf_vec2 d = lf__grid_turn(grid, ray->direction.x, ray->direction.y);
    lf_vec2 at = lf__grid_place(grid, ray->origin.x, ray->origin.y);
    lf_vec2 from = {at.x + ray->t_min * d.x, at.y + ray->t_min * d.y},
            to = {at.x + ray->t_max * d.x, at.y + ray->t_max * d.y};
    lf_vec2 low = {from.x < to.x ? from.x : to.x, from.y < to.y ? from.y : to.y};
    lf_vec2 high = {from.x < to.x ? to.x : from.x, from.y < to.y ? to.y : from.y};
    if (lf__guard_knows(grid, low, high)) // false for an unbounded ray: NaN or infinite
        return;
    // The range of heights with a margin for rounding: outside of it the ray meets nothing.
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
    // Unbounded rays are cut beyond the corners of the grid.
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

void lf__guard_read_points(const lf_grid *grid, const lf_vec3 *points, size_t stride, int64_t count) {
    for (guard_step step = guard_first(grid); step < GUARD_CHECK; step = guard_next(grid, step))
        for (int64_t k = 0; k < count; k++) {
            const lf_vec3 *p = lf__guard_item(points, stride, k);
            lf_vec2 at = lf__grid_place(grid, p->x, p->y);
            int64_t x[2], y[2];
            if (guard_goes_round(grid, at.x, at.x) || !guard_box_blocks(grid, at, at, x, y))
                continue;
            for (int64_t row = y[0]; row <= y[1]; row++)
                guard_take_row(grid, step, row, x);
        }
}
