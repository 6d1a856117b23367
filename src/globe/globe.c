/// Creating a globe, the areas of its tiles, and heights and normals at places.
#include "globe/globe.h"
#include <string.h>

static lf_status globe_check(const lf_globe_def *def, lf_error *error) {
    if (!def->provider.fetch)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "provider.fetch is NULL: a globe needs a provider of tiles");
    if (!(def->ellipsoid.radius > 0) || !(def->ellipsoid.radius <= 1e12) ||
        !(def->ellipsoid.flattening >= 0) || !(def->ellipsoid.flattening < 0.9))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "ellipsoid of radius %g and flattening %g: expected a radius up to 1e12 and a "
                        "flattening from 0 to 0.9",
                        def->ellipsoid.radius, def->ellipsoid.flattening);
    if (def->root_columns < 1 || def->root_columns > 16 || def->root_rows < 1 || def->root_rows > 8)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d x %d root tiles: expected 1 x 1 to 16 x 8",
                        def->root_columns, def->root_rows);
    if (def->level_count < 1 || def->level_count > LF_GLOBE_LEVELS)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d levels: expected 1 to %d", def->level_count,
                        LF_GLOBE_LEVELS);
    if (def->fetchers < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "fetchers is %d: expected 1 or more", def->fetchers);
    return LF_OK;
}

static void set_shape(lf_globe *globe) {
    double a = globe->ellipsoid.radius, f = globe->ellipsoid.flattening, b = a * (1 - f), e2 = f * (2 - f);
    globe->least_radius = b * (b / a);
    globe->warp = 1.5 * e2 / (1 - e2) * (a / b) * a;
    for (int level = 0; level <= LF_GLOBE_LEVELS; level++) {
        // Halving is exact, so that neighbours have the same border to the last bit.
        globe->widths[level] = ldexp(360.0 / globe->root_columns, -level);
        globe->heights[level] = ldexp(180.0 / globe->root_rows, -level);
        globe->per_width[level] = 1 / globe->widths[level];
        globe->per_height[level] = 1 / globe->heights[level];
    }
    lf_frame_centre((lf_vec3){0, 0, 0}, &globe->frame_of_ground);
}

static lf_status fetch_roots(lf_globe *globe, lf_error *error) {
    for (int row = 0; row < globe->root_rows; row++)
        for (int column = 0; column < globe->root_columns; column++) {
            lf_tile_key key = {0, column, row};
            lf__tile *tile;
            lf__fetch fetched = lf__globe_fetch(globe, NULL, key, true, &tile);
            if (fetched == LF__FETCH_NO_MEMORY)
                return lf__fail_plain(error, LF_NO_MEMORY);
        }
    globe->root_count = globe->tiles.count;
    if (globe->root_count == 0)
        return lf__fail(error, LF_BAD_FORMAT, -1, "there is no root tile, and so no globe");
    return LF_OK;
}

lf_status lf_globe_create(const lf_globe_def *given, lf_globe **globe, lf_error *error) {
    lf_globe_def def = lf_globe_def_default();
    if (!globe)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "globe is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK)
        status = globe_check(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_globe *fresh = lf__allocate(&allocator, sizeof *fresh, LF__CACHE_LINE);
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_globe){.view = {.rules = {.detail = NAN}},
                        .host = def.host,
                        .allocator = allocator,
                        .ellipsoid = def.ellipsoid,
                        .provider = def.provider,
                        .root_columns = def.root_columns,
                        .root_rows = def.root_rows,
                        .level_count = def.level_count,
                        .fetchers = def.fetchers,
                        .budget = def.budget};
    fresh->loaded = (lf__globe_face){fresh, false};
    fresh->all = (lf__globe_face){fresh, true};
    set_shape(fresh);
    if (!lf__mutex_create(&fresh->one_at_a_time)) {
        lf__free(&allocator, fresh, sizeof *fresh, LF__CACHE_LINE);
        return lf__fail_plain(error, LF_NO_MEMORY);
    }
    status = fetch_roots(fresh, error);
    if (status != LF_OK) {
        lf_globe_destroy(fresh);
        return status;
    }
    lf__globe_init_grounds(fresh);
    *globe = fresh;
    return LF_OK;
}

void lf_globe_destroy(lf_globe *globe) {
    if (!globe || lf__globe_reentered(globe))
        return;
    lf_allocator allocator = globe->allocator;
    for (int64_t i = globe->tiles.count - 1; i >= 0; i--)
        lf__tile_free(globe, lf__globe_tile(globe, i));
    lf__table_free(&globe->table, &allocator);
    lf__array_free(&globe->tiles, &allocator, sizeof(lf__tile *));
    lf__mutex_destroy(&globe->one_at_a_time);
    lf__free(&allocator, globe, sizeof *globe, LF__CACHE_LINE);
}

bool lf__globe_face_core(const lf__globe_face *face, lf_vec3 *half_axes) {
    const lf_globe *globe = face->globe;
    const lf_ellipsoid *e = &globe->ellipsoid;
    double low = LF_INFINITY;
    if (face->finest || globe->open_count > 0 ||
        globe->root_count != (int64_t)globe->root_columns * globe->root_rows)
        return false;
    for (int64_t i = 0; i < globe->root_count; i++)
        low = fmin(low, lf__globe_tile(globe, i)->loaded_low);
    // Below the ellipsoid an ellipsoid whose axes are shorter by as much is outside of what is so deep, by
    // less than the square of the flattening times the depth.
    low -= 1 + 1e-9 * e->radius + 2 * e->flattening * e->flattening * fabs(low);
    double polar = e->radius * (1 - e->flattening) + low;
    *half_axes = (lf_vec3){e->radius + low, e->radius + low, polar};
    return polar > 0;
}

lf_globe_info lf_globe_describe(const lf_globe *globe) {
    lf_globe_info info = {.ellipsoid = globe->ellipsoid,
                          .root_columns = globe->root_columns,
                          .root_rows = globe->root_rows,
                          .level_count = globe->level_count,
                          .tile_count = globe->tiles.count,
                          .finest = globe->finest,
                          .bytes = globe->bytes,
                          .budget = globe->budget,
                          .fetch_count = globe->fetch_count,
                          .evict_count = globe->evict_count,
                          .bounded = true,
                          .low = LF_INFINITY,
                          .high = -LF_INFINITY};
    for (int64_t i = 0; i < globe->tiles.count; i++) {
        const lf__tile *tile = lf__globe_tile(globe, i);
        info.bounded &= tile->bounded;
        if (!tile->parent) {
            info.low = fmin(info.low, tile->low);
            info.high = fmax(info.high, tile->high);
        }
    }
    return info;
}

bool lf__globe_key_valid(const lf_globe *globe, lf_tile_key key) {
    return key.level >= 0 && key.level < globe->level_count && key.column >= 0 && key.row >= 0 &&
           key.column < (int64_t)globe->root_columns << key.level &&
           key.row < (int64_t)globe->root_rows << key.level;
}

/// The index of the tile that contains a place. The difference from the first border is rounded, and so is
/// the quotient: the borders themselves decide, or a place next to one could end up beyond it.
static int32_t index_of(double at, double first, double size, double per_size, int64_t count) {
    double index = floor((at - first) * per_size);
    if (at < index * size + first)
        index -= 1;
    else if (at >= (index + 1) * size + first)
        index += 1;
    return (int32_t)(index >= (double)count ? count - 1 : index > 0 ? (int64_t)index : 0);
}

lf_tile_key lf__globe_key_at(const lf_globe *globe, int level, double lon, double lat) {
    return (lf_tile_key){level,
                         index_of(lon, -180, globe->widths[level], globe->per_width[level],
                                  (int64_t)globe->root_columns << level),
                         index_of(lat, -90, globe->heights[level], globe->per_height[level],
                                  (int64_t)globe->root_rows << level)};
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// A place closer than this to a sample or a grid line, in cells, is on it.
#define ON_LINE 1e-9

/// The samples around a place of a cell: one, two or four.
static void name_samples(const lf__tile *tile, int32_t column, int32_t row, double u, double v,
                         lf_globe_elevation *ground) {
    bool on_column = u < ON_LINE || u > 1 - ON_LINE, on_row = v < ON_LINE || v > 1 - ON_LINE;
    int64_t first = (int64_t)(row + (on_row && v > 0.5)) * tile->columns + column + (on_column && u > 0.5);
    int64_t step[2] = {on_column ? 0 : 1, on_row ? 0 : tile->columns};
    ground->sample_count = (on_column ? 1 : 2) * (on_row ? 1 : 2);
    int count = 0;
    for (int k = 0; k < 4; k++)
        if ((!(k & 1) || step[0]) && (!(k & 2) || step[1]))
            ground->samples[count++] = first + (k & 1 ? step[0] : 0) + (k & 2 ? step[1] : 0);
}

static void grid_ground(const lf__tile *tile, double lon, double lat, lf_globe_elevation *ground) {
    lf__cells cell = lf__tile_cells(tile, lon, lat, lon, lat);
    lf__tile_cell patch;
    lf__tile_cell_at(tile, cell.c0, cell.r0, &patch);
    ground->element = (int64_t)cell.r0 * tile->columns + cell.c0;
    if (patch.hole) {
        ground->reason = LF_REASON_HOLE;
        return;
    }
    ground->reason = LF_REASON_ANSWERED;
    double u = (lon - patch.west) / patch.width, v = (lat - patch.south) / patch.height;
    // The rounding of the place must not lead beyond the cell.
    u = fmin(fmax(u, 0), 1);
    v = fmin(fmax(v, 0), 1);
    double south = patch.h[0] + u * (patch.h[1] - patch.h[0]);
    double north = patch.h[2] + u * (patch.h[3] - patch.h[2]);
    ground->height = south + v * (north - south);
    name_samples(tile, cell.c0, cell.r0, u, v, ground);
}

static void tin_ground(const lf_globe *globe, const lf__tile *tile, double lon, double lat,
                       lf_globe_elevation *ground) {
    lf_vec3 normal;
    ground->element = lf__tin_height(globe, tile, lon, lat, &ground->height, &normal);
    if (ground->element < 0) {
        ground->reason = LF_REASON_HOLE;
        return;
    }
    ground->reason = LF_REASON_ANSWERED;
    ground->sample_count = 3;
    for (int k = 0; k < 3; k++)
        ground->samples[k] = tile->tin.corners[3 * ground->element + k];
}

void lf__tile_ground(const lf_globe *globe, const lf__tile *tile, double lon, double lat,
                     lf_globe_elevation *ground) {
    ground->tile = tile->key;
    ground->resolution = tile->resolution;
    if (tile->kind == LF__TILE_GRID)
        grid_ground(tile, lon, lat, ground);
    else
        tin_ground(globe, tile, lon, lat, ground);
}

/// The quarter of a tile that a place is in, by the same rounding that finds tiles.
static int quarter_at(const lf_globe *globe, const lf__tile *tile, double lon, double lat) {
    return lf__tile_quarter(lf__globe_key_at(globe, tile->key.level + 1, lon, lat));
}

static bool place_valid(double lon_deg, double lat_deg) {
    return isfinite(lon_deg) && lat_deg >= -90 && lat_deg <= 90;
}

static void globe_elevation_at(const lf_globe *globe, double lon, double lat, lf_globe_elevation *ground) {
    lf__tile *finest;
    *ground = (lf_globe_elevation){.height = LF_NAN, .ceiling = LF_INFINITY, .element = -1};
    const lf__tile *tile = lf__globe_over(globe, lon, lat, &ground->probes, &finest);
    if (!finest) {
        ground->reason = LF_REASON_OUTSIDE;
        ground->ceiling = -LF_INFINITY;
        return;
    }
    ground->coarser = lf__tile_has_child(finest, quarter_at(globe, finest, lon, lat));
    if (tile)
        lf__tile_ground(globe, tile, lon, lat, ground);
    else
        ground->reason = ground->coarser ? LF_REASON_NOT_LOADED : LF_REASON_OUTSIDE;
    if (ground->coarser)
        ground->ceiling = finest->high;
    else
        ground->ceiling = ground->reason == LF_REASON_ANSWERED ? ground->height : -LF_INFINITY;
}

/// A query that is refused, with its result written.
static lf_status elevation_refused(lf_globe_elevation *ground) {
    if (ground)
        *ground = (lf_globe_elevation){
            .reason = LF_REASON_NONE, .height = LF_NAN, .ceiling = LF_INFINITY, .element = -1};
    return LF_BAD_ARGUMENT;
}

lf_status lf_globe_height(const lf_globe *globe, double lon_deg, double lat_deg, lf_globe_elevation *ground,
                          lf_cursor *cursor) {
    if (!globe || !ground || !place_valid(lon_deg, lat_deg))
        return elevation_refused(ground);
    double lon = fabs(lat_deg) == 90 ? 0 : lf__globe_turn(lon_deg);
    globe_elevation_at(globe, lon, lat_deg, ground);
    lf_counters cost = {.questions = 1, .cells = (uint64_t)ground->probes};
    lf__cursor_count(cursor, &cost);
    return lf__globe_told(globe, LF_OK);
}

lf_status lf__globe_load_over(lf_globe *globe, double lon, double lat, bool within_budget) {
    lf__tile *tile = lf__globe_find(globe, lf__globe_key_at(globe, 0, lon, lat));
    while (tile) {
        lf__tile_ask(globe, tile);
        int quarter = quarter_at(globe, tile, lon, lat);
        lf__tile *child = tile->child[quarter];
        if (!child && !lf__tile_has_child(tile, quarter))
            return LF_OK;
        if (!child) {
            lf__fetch fetched =
                lf__globe_fetch(globe, tile, lf__tile_child(tile->key, quarter), true, &child);
            if (fetched == LF__FETCH_NO_MEMORY)
                return LF_NO_MEMORY;
            if (fetched != LF__FETCHED)
                return LF_OK;
            child->stamp = globe->frame;
            if (within_budget && !lf__globe_make_space(globe, LF_INFINITY))
                return LF_TOO_LARGE;
        }
        tile = child;
    }
    return LF_OK;
}

lf_status lf_globe_height_finest(lf_globe *globe, double lon_deg, double lat_deg,
                                 lf_globe_elevation *ground) {
    if (!globe || !ground || !place_valid(lon_deg, lat_deg) || lf__globe_reentered(globe))
        return elevation_refused(ground);
    double lon = fabs(lat_deg) == 90 ? 0 : lf__globe_turn(lon_deg);
    globe->frame++;
    lf_status status = lf__globe_load_over(globe, lon, lat_deg, true);
    globe_elevation_at(globe, lon, lat_deg, ground);
    return lf__globe_told(globe, status);
}

/// The normal of a surface whose height rises by so much per radian of longitude and latitude.
static lf_vec3 tilted(const lf_globe *globe, lf_geodetic place, double per_lon, double per_lat) {
    double a = globe->ellipsoid.radius, f = globe->ellipsoid.flattening, e2 = f * (2 - f);
    lf__sincos lat = lf__sincos_deg(place.lat_deg), lon = lf__sincos_deg(place.lon_deg);
    double w = 1 - e2 * lat.sin * lat.sin, n = a / sqrt(w), m = n * (1 - e2) / w;
    lf_vec3 up = {lat.cos * lon.cos, lat.cos * lon.sin, lat.sin};
    lf_vec3 east = {-lon.sin, lon.cos, 0}, north = {-lat.sin * lon.cos, -lat.sin * lon.sin, lat.cos};
    double across = (n + place.height) * lat.cos, along = m + place.height;
    // At a pole east is undefined, and a degree of longitude has no length.
    lf_vec3 normal = across > 1e-6 ? lf_vec3_along(up, -per_lon / across, east) : up;
    return lf_vec3_unit(lf_vec3_along(normal, -per_lat / along, north));
}

lf_status lf_globe_normal(const lf_globe *globe, double lon_deg, double lat_deg, lf_vec3 *normal) {
    if (normal)
        *normal = (lf_vec3){0, 0, 0};
    if (!globe || !normal || !place_valid(lon_deg, lat_deg))
        return LF_BAD_ARGUMENT;
    double lon = lf__globe_turn(lon_deg), at_pole = fabs(lat_deg) == 90;
    int32_t probes = 0;
    lf_geodetic place = {lon, lat_deg, 0};
    const lf__tile *tile = lf__globe_over(globe, lon, lat_deg, &probes, NULL);
    *normal = tilted(globe, place, 0, 0);
    if (!tile || at_pole)
        return lf__globe_told(globe, LF_OK);
    if (tile->kind == LF__TILE_TIN) {
        lf_vec3 found;
        if (lf__tin_height(globe, tile, lon, lat_deg, &place.height, &found) >= 0)
            *normal = found;
        return lf__globe_told(globe, LF_OK);
    }
    lf__cells cell = lf__tile_cells(tile, lon, lat_deg, lon, lat_deg);
    lf__tile_cell p;
    lf__tile_cell_at(tile, cell.c0, cell.r0, &p);
    if (p.hole)
        return lf__globe_told(globe, LF_OK);
    double u = (lon - p.west) / p.width, v = (lat_deg - p.south) / p.height;
    double twist = (p.h[3] - p.h[2]) - (p.h[1] - p.h[0]);
    place.height = lf__tile_cell_height(&p, lon, lat_deg);
    *normal = tilted(globe, place, ((p.h[1] - p.h[0]) + v * twist) / (p.width * LF__DEGREE),
                     ((p.h[2] - p.h[0]) + u * twist) / (p.height * LF__DEGREE));
    return lf__globe_told(globe, LF_OK);
}
