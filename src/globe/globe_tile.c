/// One tile: the provider's data, checked and copied, with bounds of its cells.
#include "globe/globe.h"
#include <string.h>

/// Samples may be off the border of their tile by this part of a cell: rounding, not a gap.
#define SLACK 1e-6

#define MOST_POSTS 4097

// ---------------------------------------------------------------------------------------------------
// Bounds of cells
// ---------------------------------------------------------------------------------------------------

static int32_t tile_blocks_of(int32_t cells, int shift) {
    return (int32_t)((cells + ((int64_t)1 << shift) - 1) >> shift);
}

int64_t lf__bound_blocks(int32_t across, int32_t up, int base) {
    int64_t sum = 0;
    if (across < 1 || up < 1) // of a tile that was rejected
        return 0;
    for (int k = base;; k++) {
        int64_t count = (int64_t)tile_blocks_of(across, k) * tile_blocks_of(up, k);
        sum += count;
        if (count == 1)
            return sum;
    }
}

/// Of numbers that are no NAN, unlike fminf and fmaxf, which are calls on many processors.
static inline float tile_lower(float a, float b) {
    return a < b ? a : b;
}

static inline float tile_higher(float a, float b) {
    return a > b ? a : b;
}

static lf__tile_bound joined(lf__tile_bound a, lf__tile_bound b) {
    return (lf__tile_bound){tile_lower(a.low, b.low), tile_higher(a.high, b.high)};
}

static const lf__tile_bound tile_nothing = {INFINITY, -INFINITY};

void lf__bound_fill(lf__tile *tile) {
    lf__tile_bound *from = tile->bounds;
    for (int k = tile->bound_base;; k++) {
        int32_t across = tile_blocks_of(lf__tile_across(tile), k), up = tile_blocks_of(lf__tile_up(tile), k);
        if (across == 1 && up == 1)
            return;
        lf__tile_bound *to = from + (int64_t)across * up;
        int32_t wide = tile_blocks_of(lf__tile_across(tile), k + 1),
                high = tile_blocks_of(lf__tile_up(tile), k + 1);
        for (int64_t i = 0; i < (int64_t)wide * high; i++)
            to[i] = tile_nothing;
        for (int32_t r = 0; r < up; r++)
            for (int32_t c = 0; c < across; c++) {
                lf__tile_bound *block = &to[(int64_t)(r / 2) * wide + c / 2];
                *block = joined(*block, from[(int64_t)r * across + c]);
            }
        from = to;
    }
}

/// Bounds of a cell of a grid: empty where a corner is void.
static lf__tile_bound cell_bound(const lf__tile *tile, int32_t c, int32_t r) {
    const float *south = tile->heights + (int64_t)r * tile->columns + c, *north = south + tile->columns;
    if (isnan(south[0] + south[1] + north[0] + north[1]))
        return tile_nothing;
    return (lf__tile_bound){tile_lower(tile_lower(south[0], south[1]), tile_lower(north[0], north[1])),
                            tile_higher(tile_higher(south[0], south[1]), tile_higher(north[0], north[1]))};
}

/// Samples of a row that are compared side by side: whole blocks and one more.
#define TILE_SPAN (64 * (1 << LF__TILE_BASE) + 1)

/// Bounds of a row of blocks of cells without voids, from some column of samples on: those of the rows of samples side by side, then
/// those of the columns of each block.
static void tile_row_bounds(const lf__tile *tile, int32_t first, int32_t row, lf__tile_bound *to) {
    enum { SIDE = 1 << LF__TILE_BASE };
    float low[TILE_SPAN], high[TILE_SPAN];
    int32_t count = tile->columns - first, last = row + SIDE < tile->rows ? row + SIDE : tile->rows - 1;
    count = count < TILE_SPAN ? count : TILE_SPAN;
    const float *heights = tile->heights + (int64_t)row * tile->columns + first;
    memcpy(low, heights, (size_t)count * sizeof *low);
    memcpy(high, heights, (size_t)count * sizeof *high);
    for (int32_t r = row + 1; r <= last; r++) {
        heights += tile->columns;
        for (int32_t c = 0; c < count; c++) {
            low[c] = tile_lower(heights[c], low[c]);
            high[c] = tile_higher(heights[c], high[c]);
        }
    }
    for (int32_t c = 0; c < count - 1; c += SIDE) {
        lf__tile_bound block = {low[c], high[c]};
        for (int32_t k = c + 1; k <= c + SIDE && k < count; k++)
            block = joined(block, (lf__tile_bound){low[k], high[k]});
        to[c / SIDE] = block;
    }
}

static void grid_bounds(lf__tile *tile) {
    int32_t across = tile_blocks_of(lf__tile_across(tile), LF__TILE_BASE),
            up = tile_blocks_of(lf__tile_up(tile), LF__TILE_BASE);
    tile->bound_base = LF__TILE_BASE;
    for (int32_t r = 0; r < up && !tile->open; r++)
        for (int32_t c = 0; c < across; c += TILE_SPAN >> LF__TILE_BASE)
            tile_row_bounds(tile, c << LF__TILE_BASE, r << LF__TILE_BASE,
                            tile->bounds + (int64_t)r * across + c);
    if (!tile->open) {
        lf__bound_fill(tile);
        return;
    }
    for (int64_t i = 0; i < (int64_t)across * up; i++)
        tile->bounds[i] = tile_nothing;
    for (int32_t r = 0; r < lf__tile_up(tile); r++)
        for (int32_t c = 0; c < lf__tile_across(tile); c++) {
            lf__tile_bound *block =
                &tile->bounds[(int64_t)(r >> LF__TILE_BASE) * across + (c >> LF__TILE_BASE)];
            *block = joined(*block, cell_bound(tile, c, r));
        }
    lf__bound_fill(tile);
}

lf__tile_bound lf__tile_bound_of(const lf__tile *tile, lf__cells cells) {
    lf__tile_bound sum = tile_nothing;
    if (tile->heights && cells.c1 - cells.c0 < 4 && cells.r1 - cells.r0 < 4) {
        for (int32_t r = cells.r0; r <= cells.r1; r++)
            for (int32_t c = cells.c0; c <= cells.c1; c++)
                sum = joined(sum, cell_bound(tile, c, r));
        return sum;
    }
    const lf__tile_bound *at = tile->bounds;
    int k = tile->bound_base;
    while ((cells.c1 >> k) - (cells.c0 >> k) > 3 || (cells.r1 >> k) - (cells.r0 >> k) > 3) {
        at += (int64_t)tile_blocks_of(lf__tile_across(tile), k) * tile_blocks_of(lf__tile_up(tile), k);
        k++;
    }
    int32_t across = tile_blocks_of(lf__tile_across(tile), k);
    for (int32_t r = cells.r0 >> k; r <= cells.r1 >> k; r++)
        for (int32_t c = cells.c0 >> k; c <= cells.c1 >> k; c++)
            sum = joined(sum, at[(int64_t)r * across + c]);
    return sum;
}

// ---------------------------------------------------------------------------------------------------
// Cells
// ---------------------------------------------------------------------------------------------------

static int32_t tile_cell_at(double at, int32_t count) {
    return at >= count ? count - 1 : at > 0 ? (int32_t)at : 0;
}

lf__cells lf__tile_cells(const lf__tile *tile, double west, double south, double east, double north) {
    int32_t across = lf__tile_across(tile), up = lf__tile_up(tile);
    return (lf__cells){tile_cell_at((west - tile->west) / tile->per_column, across),
                       tile_cell_at((south - tile->south) / tile->per_row, up),
                       tile_cell_at((east - tile->west) / tile->per_column, across),
                       tile_cell_at((north - tile->south) / tile->per_row, up)};
}

void lf__tile_cell_at(const lf__tile *tile, int32_t column, int32_t row, lf__tile_cell *patch) {
    const float *south = tile->heights + (int64_t)row * tile->columns + column;
    const float *north = south + tile->columns;
    patch->h[0] = (double)south[0];
    patch->h[1] = (double)south[1];
    patch->h[2] = (double)north[0];
    patch->h[3] = (double)north[1];
    patch->hole = isnan(patch->h[0] + patch->h[1] + patch->h[2] + patch->h[3]);
    patch->west = tile->west + column * tile->per_column;
    patch->width = tile->per_column;
    double low = tile->south + row * tile->per_row, high = low + tile->per_row;
    patch->south = low < -90 ? -90 : low;
    patch->height = low < -90 || high > 90 ? fmin(high, 90) - patch->south : tile->per_row;
}

// ---------------------------------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------------------------------

static lf_status check_grid(const lf_globe *globe, const lf_tile *given, lf_geodetic_box area,
                            lf_error *error) {
    if (given->columns < 2 || given->rows < 2 || given->columns > MOST_POSTS || given->rows > MOST_POSTS ||
        !given->heights)
        return lf__fail(error, LF_BAD_FORMAT, -1, "a tile of %d x %d samples: expected 2 to %d each",
                        given->columns, given->rows, MOST_POSTS);
    if (given->per_column != 0) {
        double east = given->west + (given->columns - 1) * given->per_column;
        double north = given->south + (given->rows - 1) * given->per_row;
        if (!(given->per_column > 0 && given->per_row > 0 && isfinite(east) && isfinite(north)) ||
            given->west > area.west + SLACK * given->per_column ||
            given->south > area.south + SLACK * given->per_row ||
            east < area.east - SLACK * given->per_column || north < area.north - SLACK * given->per_row ||
            given->south <= -90 - given->per_row || north >= 90 + given->per_row)
            return lf__fail(error, LF_BAD_FORMAT, -1, "the samples of a tile do not cover its area");
    }
    double most = 0.25 * globe->least_radius;
    int64_t count = (int64_t)given->columns * given->rows;
    // Without a branch and in floats, so that compilers vectorise it. No float is between `most` and this
    // limit.
    float limit = (float)most;
    limit = (double)limit > most ? nextafterf(limit, 0) : limit;
    int beyond = 0;
    for (int64_t i = 0; i < count; i++)
        beyond |= fabsf(given->heights[i]) > limit;
    for (int64_t i = 0; i < count && beyond; i++)
        if (fabs((double)given->heights[i]) > most)
            return lf__fail(error, LF_BAD_FORMAT, i, "height %g m: too large for a planet of radius %g m",
                            (double)given->heights[i], globe->ellipsoid.radius);
    return LF_OK;
}

static void copy_grid(lf__tile *tile, const lf_tile *given) {
    tile->columns = given->columns;
    tile->rows = given->rows;
    bool even = given->per_column == 0;
    tile->per_column = even ? (tile->area.east - tile->area.west) / (given->columns - 1) : given->per_column;
    tile->per_row = even ? (tile->area.north - tile->area.south) / (given->rows - 1) : given->per_row;
    tile->west = even ? tile->area.west : given->west;
    tile->south = even ? tile->area.south : given->south;
    tile->columns_per_degree = 1 / tile->per_column;
    tile->rows_per_degree = 1 / tile->per_row;
    tile->plain = tile->south >= -90 && tile->south + (tile->rows - 1) * tile->per_row <= 90;
    int64_t count = (int64_t)given->columns * given->rows;
    int voids = 0;
    memcpy(tile->heights, given->heights, (size_t)count * sizeof(float));
    for (int64_t i = 0; i < count; i++)
        voids |= tile->heights[i] != tile->heights[i];
    tile->open = voids != 0;
    grid_bounds(tile);
}

static lf_status tile_make_grid(const lf_globe *globe, const lf_tile *given, lf__tile *tile,
                                lf_error *error) {
    lf_status status = check_grid(globe, given, tile->area, error);
    if (status != LF_OK)
        return status;
    int64_t samples = (int64_t)given->columns * given->rows;
    int64_t blocks = lf__bound_blocks(given->columns - 1, given->rows - 1, LF__TILE_BASE);
    tile->heights = lf__allocate(&globe->allocator, (size_t)samples * sizeof(float), LF__CACHE_LINE);
    tile->bounds = lf__allocate(&globe->allocator, (size_t)blocks * sizeof *tile->bounds, LF__CACHE_LINE);
    tile->columns = given->columns;
    tile->rows = given->rows;
    if (!tile->heights || !tile->bounds)
        return lf__fail_plain(error, LF_NO_MEMORY);
    copy_grid(tile, given);
    tile->bytes += (size_t)samples * sizeof(float) + (size_t)blocks * sizeof *tile->bounds;
    double lat = LF__DEGREE * 0.5 * (tile->area.south + tile->area.north),
           e2 = globe->ellipsoid.flattening * (2 - globe->ellipsoid.flattening);
    double w = 1 - e2 * sin(lat) * sin(lat);
    tile->resolution = LF__DEGREE * tile->per_row * globe->ellipsoid.radius * (1 - e2) / (w * sqrt(w));
    return LF_OK;
}

/// A sphere around the tile, only for the distances that loading uses.
static void surround(const lf_globe *globe, lf__tile *tile) {
    lf_geodetic_box area = tile->area;
    double low = isfinite(tile->low) ? tile->low : 0, high = isfinite(tile->high) ? tile->high : 0;
    if (area.east - area.west > 90) {
        tile->radius = globe->ellipsoid.radius + fmax(high, 0);
        return;
    }
    lf_geodetic middle = {0.5 * (area.west + area.east), 0.5 * (area.south + area.north), 0.5 * (low + high)};
    tile->centre = lf_ellipsoid_to_centred(&globe->ellipsoid, middle);
    for (int k = 0; k < 18; k++) {
        lf_geodetic corner = {area.west + 0.5 * (k % 3) * (area.east - area.west),
                              area.south + 0.5 * (k / 3 % 3) * (area.north - area.south), k < 9 ? low : high};
        lf_vec3 from = lf_vec3_sub(lf_ellipsoid_to_centred(&globe->ellipsoid, corner), tile->centre);
        tile->radius = fmax(tile->radius, lf_vec3_length(from));
    }
}

static void set_bounds(lf__tile *tile, const lf_tile *given) {
    lf__tile_bound own = tile_nothing;
    if (tile->kind != LF__TILE_NONE)
        own = lf__tile_bound_of(tile, (lf__cells){0, 0, lf__tile_across(tile) - 1, lf__tile_up(tile) - 1});
    tile->own_low = (double)own.low;
    tile->own_high = (double)own.high;
    bool known = given->bounded && given->low <= given->high;
    tile->bounded = known || given->children == 0;
    tile->low = known ? given->low : tile->children == 0 ? LF_INFINITY : -LF_INFINITY;
    tile->high = known ? given->high : tile->children == 0 ? -LF_INFINITY : LF_INFINITY;
    tile->low = fmin(tile->low, tile->own_low);
    tile->high = fmax(tile->high, tile->own_high);
    tile->loaded_low = tile->own_low;
    tile->loaded_high = tile->own_high;
}

lf_status lf__tile_make(const lf_globe *globe, lf_tile_key key, const lf_tile *given, lf__tile **made,
                        lf_error *error) {
    lf__tile *tile = lf__allocate(&globe->allocator, sizeof *tile, LF__CACHE_LINE);
    if (!tile)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *tile = (lf__tile){.key = key,
                       .area = lf__globe_tile_area(globe, key),
                       .bytes = sizeof *tile,
                       .stamp = -1,
                       .loaded_at = -1};
    tile->children = given->children & LF_TILE_CHILDREN_UNKNOWN ? LF_TILE_CHILDREN_ALL
                                                                : given->children & LF_TILE_CHILDREN_ALL;
    if (key.level + 1 >= globe->level_count)
        tile->children = 0;
    lf_status status = LF_OK;
    if (given->columns != 0 || given->heights) {
        tile->kind = LF__TILE_GRID;
        status = tile_make_grid(globe, given, tile, error);
    } else if (given->triangle_count != 0) {
        tile->kind = LF__TILE_TIN;
        status = lf__tin_make(globe, given, tile, error);
    }
    if (status != LF_OK) {
        lf__tile_free(globe, tile);
        return status;
    }
    tile->open |= tile->kind == LF__TILE_TIN || (tile->kind == LF__TILE_NONE && key.level == 0);
    set_bounds(tile, given);
    surround(globe, tile);
    *made = tile;
    return LF_OK;
}

void lf__tile_free(const lf_globe *globe, lf__tile *tile) {
    if (!tile)
        return;
    const lf_allocator *allocator = &globe->allocator;
    if (tile->kind == LF__TILE_TIN) {
        lf__tin_free(globe, tile);
    } else if (tile->kind == LF__TILE_GRID) {
        int64_t blocks = lf__bound_blocks(tile->columns - 1, tile->rows - 1, LF__TILE_BASE);
        lf__free(allocator, tile->bounds, (size_t)blocks * sizeof *tile->bounds, LF__CACHE_LINE);
        lf__free(allocator, tile->heights, (size_t)tile->columns * (size_t)tile->rows * sizeof(float),
                 LF__CACHE_LINE);
    }
    lf__free(allocator, tile, sizeof *tile, LF__CACHE_LINE);
}

#undef MOST_POSTS
#undef SLACK
