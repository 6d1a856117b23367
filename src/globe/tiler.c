/// Tiles cut from rasters.
#include "globe/globe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 1024

static lf_status tiler_check(const lf_tiler_def *def, lf_error *error) {
    if (def->raster_count < 1 || !def->rasters)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "rasters: none given: must be 1 or more");
    if (def->cells < 2 || def->cells > 1024)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d cells along a tile: expected 2 to 1024", def->cells);
    if (def->threads < 1 || def->threads > MOST_THREADS)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "threads is %d: expected 1 to %d", def->threads,
                        MOST_THREADS);
    for (int64_t i = 0; i < def->raster_count; i++) {
        const lf_globe_raster *r = &def->rasters[i];
        double wide = (double)(r->columns - 1) * r->per_column;
        if (!r->read || r->columns < 2 || r->rows < 2 || !(r->per_column > 0) || !(r->per_row > 0) ||
            !(fabs(r->west) <= 720) || !(wide <= 720) || !isfinite(r->south))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "raster %lld has no samples in longitude and latitude",
                            (long long)i);
    }
    return LF_OK;
}

/// Finest first; otherwise in the given order.
static void sort_rasters(lf_tiler *cutter) {
    for (int64_t i = 1; i < cutter->raster_count; i++) {
        lf__cut_raster moved = cutter->rasters[i];
        int64_t k = i;
        for (; k > 0 && cutter->rasters[k - 1].given.per_row > moved.given.per_row; k--)
            cutter->rasters[k] = cutter->rasters[k - 1];
        cutter->rasters[k] = moved;
    }
}

static int level_of(const lf_globe_raster *r, int cells) {
    double finest = fmin(r->per_row, r->per_column);
    double level = ceil(log2(180 / (finest * cells)) - 1e-9);
    return level < 0 ? 0 : level > LF_GLOBE_LEVELS - 1 ? LF_GLOBE_LEVELS - 1 : (int)level;
}

/// Blocks are more than cuttings, each of which uses one at a time.
static lf_status make_blocks(lf_tiler *cutter, size_t memory, int threads) {
    size_t each = sizeof(float) * LF__CUT_BLOCK * LF__CUT_BLOCK;
    int64_t count = (int64_t)(memory / each), least = 7 + threads;
    count = count < least ? least : count > 4096 ? 4096 : count;
    lf_status status =
        lf__allocate_array(&cutter->allocator, count, sizeof *cutter->blocks, (void **)&cutter->blocks);
    if (status != LF_OK)
        return status;
    cutter->block_count = count;
    for (int64_t i = 0; i < count; i++)
        cutter->blocks[i] = (lf__cut_block){.raster = -1, .next = -1};
    status = lf__allocate_array(&cutter->allocator, count, sizeof *cutter->heads, (void **)&cutter->heads);
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        cutter->heads[i] = -1;
    while (status == LF_OK && cutter->mutexes <= count) {
        lf__mutex *next =
            cutter->mutexes == 0 ? &cutter->guard : &cutter->blocks[cutter->mutexes - 1].reading;
        status = lf__mutex_create(next) ? LF_OK : LF_NO_MEMORY;
        cutter->mutexes += status == LF_OK;
    }
    return status;
}

static lf_status set_up(lf_tiler *cutter, const lf_tiler_def *def, lf_error *error) {
    lf_status status = lf__allocate_array(&cutter->allocator, def->raster_count, sizeof *cutter->rasters,
                                          (void **)&cutter->rasters);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    cutter->raster_count = def->raster_count;
    for (int64_t i = 0; i < def->raster_count; i++)
        cutter->rasters[i] = (lf__cut_raster){.given = def->rasters[i], .number = i};
    sort_rasters(cutter);
    status = make_blocks(cutter, def->memory, def->threads);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    for (int64_t i = 0; i < cutter->raster_count; i++) {
        lf__cut_raster *r = &cutter->rasters[i];
        status = lf__cut_snap(cutter, i, error);
        if (status != LF_OK)
            return status;
        r->level = level_of(&r->given, cutter->cells);
        if (r->level >= cutter->level_count)
            cutter->level_count = r->level + 1;
        lf__cutting cut = {.tiler = cutter};
        status = lf__cut_open(&cut, i, error);
        lf__cut_end(&cut);
        if (status != LF_OK)
            return status;
    }
    lf__cut_report_gaps(cutter);
    return LF_OK;
}

lf_status lf_tiler_create(const lf_tiler_def *given, lf_tiler **cutter, lf_error *error) {
    lf_tiler_def def = lf_tiler_def_default();
    if (!cutter)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "cutter is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK)
        status = tiler_check(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_tiler *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_tiler));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_tiler){.host = def.host, .allocator = allocator, .cells = def.cells, .level_count = 1};
    status = set_up(fresh, &def, error);
    if (status != LF_OK) {
        lf_tiler_destroy(fresh);
        return status;
    }
    *cutter = fresh;
    return LF_OK;
}

void lf_tiler_destroy(lf_tiler *cutter) {
    if (!cutter)
        return;
    lf_allocator allocator = cutter->allocator;
    for (int64_t i = 0; i < cutter->block_count; i++)
        lf__free(&allocator, cutter->blocks[i].heights, sizeof(float) * LF__CUT_BLOCK * LF__CUT_BLOCK,
                 LF__CACHE_LINE);
    for (int64_t i = cutter->mutexes; i > 0; i--)
        lf__mutex_destroy(i == 1 ? &cutter->guard : &cutter->blocks[i - 2].reading);
    lf__free_array(&allocator, cutter->heads, cutter->block_count, sizeof *cutter->heads);
    lf__free_array(&allocator, cutter->blocks, cutter->block_count, sizeof *cutter->blocks);
    lf__free_array(&allocator, cutter->rasters, cutter->raster_count, sizeof *cutter->rasters);
    lf__free(&allocator, cutter, sizeof *cutter, _Alignof(lf_tiler));
}

// ---------------------------------------------------------------------------------------------------
// Cutting
// ---------------------------------------------------------------------------------------------------

static lf_geodetic_box tiler_area_of(lf_tile_key key) {
    double side = ldexp(180, -key.level);
    return (lf_geodetic_box){key.column * side - 180, key.row * side - 90, (key.column + 1) * side - 180,
                             (key.row + 1) * side - 90};
}

/// The finest raster over a tile among those with levels in [least, most]; -1: none.
static int64_t raster_over(const lf_tiler *cutter, lf_tile_key key, int least, int most, double *west) {
    for (int64_t i = 0; i < cutter->raster_count; i++) {
        const lf__cut_raster *r = &cutter->rasters[i];
        if (r->level >= least && r->level <= most && lf__cut_meets(r, tiler_area_of(key), west))
            return i;
    }
    return -1;
}

/// A tile exists where a raster has samples at its level or a finer one, and beside such tiles, up to the border of
/// their parent: its parent's samples are spaced evenly, so the parent is not the surface of any raster.
static bool exists(const lf_tiler *cutter, lf_tile_key key) {
    double west;
    lf_tile_key parent = {key.level - 1, key.column >> 1, key.row >> 1};
    return raster_over(cutter, key, 0, LF_GLOBE_LEVELS, &west) >= 0 &&
           raster_over(cutter, key.level > 0 ? parent : key, key.level, LF_GLOBE_LEVELS, &west) >= 0;
}

/// The raster whose own samples a tile has; -1: none, they are spaced evenly. A raster at its own level; and where
/// there is no finer one, the finest.
static int64_t own_raster(const lf_tiler *cutter, lf_tile_key key, double *west) {
    int64_t own = raster_over(cutter, key, key.level, key.level, west);
    double finer_west;
    if (own >= 0 || raster_over(cutter, key, key.level, LF_GLOBE_LEVELS, &finer_west) >= 0)
        return own;
    return raster_over(cutter, key, 0, key.level, west);
}

/// The raster's samples that cover an area.
static void tiler_window_of(const lf_globe_raster *r, double west, lf_geodetic_box area, lf_window *w) {
    double slack = 1e-6;
    w->column = (int64_t)floor((area.west - west) / r->per_column + slack);
    w->row = (int64_t)floor((area.south - r->south) / r->per_row + slack);
    w->columns = (int64_t)ceil((area.east - west) / r->per_column - slack) - w->column + 1;
    w->rows = (int64_t)ceil((area.north - r->south) / r->per_row - slack) - w->row + 1;
    w->columns = w->columns < 2 ? 2 : w->columns;
    w->rows = w->rows < 2 ? 2 : w->rows;
}

static float height_of_sample(lf__cutting *cut, int64_t raster, double west, int64_t column, int64_t row) {
    const lf_globe_raster *r = &cut->tiler->rasters[raster].given;
    double height = lf__cut_value(cut, raster, column, row);
    if (isnan(height) && raster + 1 < cut->tiler->raster_count)
        height = lf__cut_sample(cut, raster + 1, west + (double)column * r->per_column,
                                fmin(fmax(r->south + (double)row * r->per_row, -90), 90));
    return (float)height;
}

static void cut_own(lf__cutting *cut, int64_t raster, double west, const lf_window *w, float *heights) {
    for (int64_t j = 0; j < w->rows; j++)
        for (int64_t i = 0; i < w->columns; i++)
            heights[j * w->columns + i] = height_of_sample(cut, raster, west, w->column + i, w->row + j);
}

static void cut_even(lf__cutting *cut, lf_geodetic_box area, float *heights) {
    int n = cut->tiler->cells;
    double side = (area.east - area.west) / n;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            double lat = j == n ? area.north : area.south + j * side;
            heights[j * (n + 1) + i] =
                (float)lf__cut_sample(cut, 0, i == n ? area.east : area.west + i * side, lat);
        }
}

static lf_tile_state tiler_fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    lf_tiler *cutter = user;
    lf__cutting cut = {.tiler = cutter};
    double west;
    (void)wait;
    if (!exists(cutter, key))
        return LF_TILE_ABSENT;
    int64_t raster = own_raster(cutter, key, &west);
    lf_window w = {0, 0, cutter->cells + 1, cutter->cells + 1};
    lf_geodetic_box area = tiler_area_of(key);
    if (raster >= 0) {
        const lf_globe_raster *r = &cutter->rasters[raster].given;
        tiler_window_of(r, west, area, &w);
        tile->west = west + (double)w.column * r->per_column;
        tile->south = r->south + (double)w.row * r->per_row;
        tile->per_column = r->per_column;
        tile->per_row = r->per_row;
    }
    float *heights;
    lf_status status =
        lf__allocate_array(&cutter->allocator, w.columns * w.rows, sizeof *heights, (void **)&heights);
    if (status != LF_OK) {
        lf__fail_plain(detail, status);
        return LF_TILE_FAILED;
    }
    if (raster >= 0)
        cut_own(&cut, raster, west, &w, heights);
    else
        cut_even(&cut, area, heights);
    lf__cut_end(&cut);
    if (cut.status != LF_OK) {
        lf__free_array(&cutter->allocator, heights, w.columns * w.rows, sizeof *heights);
        *detail = cut.error;
        return LF_TILE_FAILED;
    }
    tile->heights = heights;
    tile->columns = (int32_t)w.columns;
    tile->rows = (int32_t)w.rows;
    for (int k = 0; k < 4; k++) {
        lf_tile_key child = {key.level + 1, 2 * key.column + (k & 1), 2 * key.row + (k >> 1)};
        tile->children |= exists(cutter, child) ? 1u << k : 0;
    }
    return LF_TILE_READY;
}

static void tiler_release(void *user, lf_tile *tile) {
    lf_tiler *cutter = user;
    lf__free_array(&cutter->allocator, (void *)tile->heights, (int64_t)tile->columns * tile->rows,
                   sizeof(float));
}

lf_globe_provider lf_tiler_provider(lf_tiler *cutter, int *level_count) {
    if (level_count)
        *level_count = cutter->level_count;
    return (lf_globe_provider){cutter, tiler_fetch, tiler_release};
}
