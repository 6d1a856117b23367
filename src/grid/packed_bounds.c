/// Bounds of blocks within tiles, where the pyramid has none: the maxima of max-plus tiles, which decoding produces, and tops
/// from the coefficients of wavelet tiles, which need not be decoded. Bounds of whole wavelet tiles, where files hold none.
#include "grid/packed.h"

static int64_t bounds_clamp(int64_t x, int64_t count) {
    return x < 0 ? 0 : x < count ? x : count - 1;
}

/// The maximum of block (x, y) of 2^level samples, 1 <= level < LF__CODEC_LOG2, numbered over all tiles.
static int32_t bounds_maximum(const lf_grid *view, int level, int64_t x, int64_t y) {
    static const int start[] = {0, 0, 64, 80};
    int up = LF__CODEC_LOG2 - level;
    const int32_t *tile = lf__packed_tile(view, (y >> up) * view->packed->tile_columns + (x >> up));
    int64_t mask = ((int64_t)1 << up) - 1;
    return tile[LF__CODEC_SIDE * LF__CODEC_SIDE + start[level] + ((y & mask) << up) + (x & mask)];
}

/// A top that is not known yet.
#define BOUNDS_UNKNOWN INT32_MIN

void lf__packed_forget_tops(int32_t *tops) {
    for (int k = 0; k < LF__WAVE_BLOCKS; k++)
        tops[k] = BOUNDS_UNKNOWN;
}

/// The greatest step of a block of a decoded tile, as lf__wave_top bounds it.
static int32_t bounds_of_steps(const int32_t *steps, int block) {
    int x0 = block % LF__WAVE_BLOCK_COLUMNS * LF__WAVE_BLOCK,
        y0 = block / LF__WAVE_BLOCK_COLUMNS * LF__WAVE_BLOCK;
    int x1 = x0 + LF__WAVE_BLOCK < LF__WAVE_SIDE ? x0 + LF__WAVE_BLOCK : LF__WAVE_SIDE - 1;
    int y1 = y0 + LF__WAVE_BLOCK < LF__WAVE_SIDE ? y0 + LF__WAVE_BLOCK : LF__WAVE_SIDE - 1;
    int32_t most = steps[y0 * LF__WAVE_SIDE + x0];
    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++)
            most = steps[y * LF__WAVE_SIDE + x] > most ? steps[y * LF__WAVE_SIDE + x] : most;
    return most;
}

/// Load the coefficients of a tile into its slot; a tile that stores steps is decoded.
static void bounds_load(const lf_grid *view, int64_t tile, int64_t slot) {
    const lf__packed *packed = view->packed;
    lf__decoded *d = view->decoded;
    double coefficients[LF__CODEC_MOST];
    size_t size;
    const uint8_t *bytes = lf__packed_find(packed, tile, &size);
    if (!lf__wave_coefficients(bytes, size, coefficients)) {
        lf__packed_tile(view, tile);
        return;
    }
    int32_t *numbers = d->steps + slot * lf__packed_slot(packed->kind);
    lf__wave_tops_load(packed->tops, coefficients, (float *)(void *)numbers);
    lf__packed_forget_tops(numbers + LF__CODEC_MOST);
    d->tiles[slot] = -2 - tile;
    if (d->last == numbers)
        d->last_tile = -1;
}

/// Upper bound of the steps of block (x, y) of 8 x 8 samples of wavelet tiles, numbered over all tiles; with the next column and
/// row, where these are in the same tile.
static int32_t bounds_top(const lf_grid *view, int64_t x, int64_t y) {
    const lf__packed *packed = view->packed;
    lf__decoded *d = view->decoded;
    enum { UP = LF__WAVE_LOG2 - LF__WAVE_BLOCK_LOG2, MASK = LF__WAVE_BLOCK_COLUMNS - 1 };
    int64_t tile = (y >> UP) * packed->tile_columns + (x >> UP), slot = lf__packed_slot_of(packed, d, tile);
    int block = (int)((y & MASK) * LF__WAVE_BLOCK_COLUMNS + (x & MASK));
    if (d->tiles[slot] >= 0 && d->tiles[slot] != tile)
        return LF__STEP_LIMIT; // a decoded tile is worth more than the bounds of another
    if (d->tiles[slot] != tile && d->tiles[slot] != -2 - tile)
        bounds_load(view, tile, slot);
    int32_t *numbers = d->steps + slot * lf__packed_slot(packed->kind),
            *top = numbers + LF__CODEC_MOST + block;
    if (*top == BOUNDS_UNKNOWN)
        *top = d->tiles[slot] == tile
                   ? bounds_of_steps(numbers, block)
                   : lf__wave_top(packed->tops, (const float *)(const void *)numbers, block);
    return *top;
}

bool lf__packed_undecoded(const lf_grid *view, int64_t i, int64_t j) {
    const lf__packed *packed = view->packed;
    if (!packed->tops || !view->decoded)
        return false;
    int64_t x = bounds_clamp(i, view->columns) >> LF__WAVE_LOG2,
            y = bounds_clamp(j, view->rows) >> LF__WAVE_LOG2;
    int64_t tile = y * packed->tile_columns + x;
    return view->decoded->tiles[lf__packed_slot_of(packed, view->decoded, tile)] != tile;
}

/// The last block along an axis that samples up to `last` need: the column behind a block belongs to it, except behind a tile.
static int64_t bounds_last_block(int64_t first, int64_t last) {
    bool behind = last > first && (last & (LF__WAVE_BLOCK - 1)) == 0 && (last & (LF__WAVE_SIDE - 1)) != 0;
    return (behind ? last - 1 : last) >> LF__WAVE_BLOCK_LOG2;
}

/// The greatest step of samples i0 .. i1, j0 .. j1, by blocks.
static int32_t bounds_of_samples(const lf_grid *view, const int64_t i[2], const int64_t j[2]) {
    int32_t most = INT32_MIN;
    for (int64_t y = j[0] >> LF__WAVE_BLOCK_LOG2; y <= bounds_last_block(j[0], j[1]); y++)
        for (int64_t x = i[0] >> LF__WAVE_BLOCK_LOG2; x <= bounds_last_block(i[0], i[1]); x++) {
            int32_t step = bounds_top(view, x, y);
            most = step > most ? step : most;
        }
    return most;
}

double lf__packed_top(const lf_grid *view, int level, int64_t bx, int64_t by) {
    // The samples of the squares from first + bx * 2^level on; cells have one more.
    int64_t side = (int64_t)1 << level, more = view->surface == LF_SURFACE_POINT ? side - 1 : side;
    int64_t i = view->first + bx * side, j = view->first + by * side;
    if (view->packed->tops && level < LF__WAVE_BLOCK_LOG2)
        return view->highest; // less than a block: its samples would have to be decoded
    if (view->round && view->extend && (i < 0 || i + more >= view->columns))
        return view->highest; // the ring copies samples of other tiles
    const int64_t columns[2] = {bounds_clamp(i, view->columns), bounds_clamp(i + more, view->columns)};
    const int64_t rows[2] = {bounds_clamp(j, view->rows), bounds_clamp(j + more, view->rows)};
    int32_t most = INT32_MIN;
    if (view->packed->tops)
        most = bounds_of_samples(view, columns, rows);
    else
        for (int64_t y = rows[0] >> level; y <= rows[1] >> level; y++)
            for (int64_t x = columns[0] >> level; x <= columns[1] >> level; x++) {
                int32_t step = bounds_maximum(view, level, x, y);
                most = step > most ? step : most;
            }
    // With a negative scale the maxima of steps are minima of heights.
    if (view->scale < 0)
        return LF_INFINITY;
    return view->plain ? (double)most : (double)most * view->scale + view->offset;
}

// ---------------------------------------------------------------------------------------------------
// Whole tiles
// ---------------------------------------------------------------------------------------------------

/// The heights of a tile, decoded or not: the weak bound of its coefficients, or the extremes of its steps where it stores these.
static lf__grid_range derived_tile(const lf_grid *grid, const lf__wave_table *table, int64_t tile) {
    double coefficients[LF__CODEC_MOST];
    int32_t steps[LF__CODEC_MOST];
    size_t size;
    const uint8_t *bytes = lf__packed_find(grid->packed, tile, &size);
    lf__wave_range r = {LF_INFINITY, -LF_INFINITY};
    if (lf__wave_coefficients(bytes, size, coefficients)) {
        r = lf__wave_weak_bounds(table, coefficients);
        r = (lf__wave_range){floor(r.low + 0.5), floor(r.high + 0.5)}; // as decoding rounds
    } else {
        lf__wave_decode(grid->packed->kind == LF__CODEC_D4, bytes, size, steps);
        for (int k = 0; k < LF__CODEC_MOST; k++) {
            r.low = fmin(r.low, (double)steps[k]);
            r.high = fmax(r.high, (double)steps[k]);
        }
    }
    double a = grid->plain ? r.low : r.low * grid->scale + grid->offset;
    double b = grid->plain ? r.high : r.high * grid->scale + grid->offset;
    lf__grid_range heights = {fmax(fmin(a, b), grid->lowest), fmin(fmax(a, b), grid->highest)};
    bool sound = !isnan(a) && !isnan(b) && heights.low <= heights.high; // not for any bytes
    return sound ? heights : (lf__grid_range){grid->lowest, grid->highest};
}

lf_status lf__packed_tile_ranges(const lf_grid *grid, lf__grid_range *ranges) {
    lf__wave_table *table;
    lf__wave wave = grid->packed->kind == LF__CODEC_D4 ? LF__WAVE_D4 : LF__WAVE_HAAR;
    lf_status status = lf__wave_table_make(&grid->allocator, wave, LF__WAVE_LOG2, &table);
    if (status != LF_OK)
        return status;
    for (int64_t k = 0; k < lf__packed_tiles(grid->packed); k++)
        ranges[k] = derived_tile(grid, table, k);
    lf__wave_table_free(&grid->allocator, table);
    return LF_OK;
}

lf__grid_range lf__packed_block_range(const lf_grid *grid, const lf__grid_range *ranges, int level,
                                      int64_t bx, int64_t by) {
    // Squares beside a gap, and walls, depend on samples around the block.
    int64_t side = (int64_t)1 << level, around = grid->gaps || grid->surface == LF_SURFACE_POINT;
    int64_t i = grid->first + bx * side, j = grid->first + by * side;
    if (grid->round && (i - around < 0 || i + side + around >= grid->columns))
        return (lf__grid_range){grid->lowest, grid->highest}; // and on samples across the seam
    int64_t x0 = bounds_clamp(i - around, grid->columns) >> LF__WAVE_LOG2,
            x1 = bounds_clamp(i + side + around, grid->columns) >> LF__WAVE_LOG2;
    int64_t y0 = bounds_clamp(j - around, grid->rows) >> LF__WAVE_LOG2,
            y1 = bounds_clamp(j + side + around, grid->rows) >> LF__WAVE_LOG2;
    lf__grid_range r = lf__grid_range_empty();
    for (int64_t y = y0; y <= y1; y++)
        for (int64_t x = x0; x <= x1; x++)
            lf__grid_range_join(&r, &ranges[y * grid->packed->tile_columns + x]);
    return r;
}
