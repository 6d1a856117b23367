/// Making a globe, and its tiles as areas.
#include "globe/globe.h"
#include <string.h>

static lf_status check(const lf_globe_def *def, lf_error *error) {
    if (!def->provider.fetch)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a globe without a provider of tiles");
    if (!(def->ellipsoid.radius > 0) || !(def->ellipsoid.radius <= 1e12) ||
        !(def->ellipsoid.flattening >= 0) || !(def->ellipsoid.flattening < 0.9))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "an ellipsoid of radius %g and flattening %g",
                        def->ellipsoid.radius, def->ellipsoid.flattening);
    if (def->root_columns < 1 || def->root_columns > 16 || def->root_rows < 1 || def->root_rows > 8)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d x %d root tiles: 1 x 1 to 16 x 8 it has to be",
                        def->root_columns, def->root_rows);
    if (def->level_count < 1 || def->level_count > LF_GLOBE_LEVELS)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d levels: 1 to %d it has to be", def->level_count,
                        LF_GLOBE_LEVELS);
    return LF_OK;
}

static void set_shape(lf_globe *globe) {
    double a = globe->ellipsoid.radius, f = globe->ellipsoid.flattening, b = a * (1 - f), e2 = f * (2 - f);
    globe->least_radius = b * (b / a);
    globe->bend = 1.5 * e2 / (1 - e2) * (a / b) * a;
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
        status = check(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_globe *fresh = lf__take(&allocator, sizeof *fresh, LF__CACHE_LINE);
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_globe){.host = def.host,
                        .allocator = allocator,
                        .ellipsoid = def.ellipsoid,
                        .provider = def.provider,
                        .root_columns = def.root_columns,
                        .root_rows = def.root_rows,
                        .level_count = def.level_count,
                        .budget = def.budget};
    fresh->loaded = (lf__globe_face){fresh, false};
    fresh->all = (lf__globe_face){fresh, true};
    set_shape(fresh);
    if (pthread_mutex_init(&fresh->one_at_a_time, NULL) != 0) {
        lf__give(&allocator, fresh, sizeof *fresh, LF__CACHE_LINE);
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
    if (!globe)
        return;
    lf_allocator allocator = globe->allocator;
    for (int64_t i = globe->tiles.count - 1; i >= 0; i--)
        lf__tile_free(globe, lf__globe_tile(globe, i));
    lf__give_array(&allocator, globe->slots, globe->slot_count, sizeof *globe->slots);
    lf__array_free(&globe->tiles, &allocator, sizeof(lf__tile *));
    pthread_mutex_destroy(&globe->one_at_a_time);
    lf__give(&allocator, globe, sizeof *globe, LF__CACHE_LINE);
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

lf_geodetic_box lf_globe_tile_area(const lf_globe *globe, lf_tile_key key) {
    double width = ldexp(globe->widths[0], -key.level), height = ldexp(globe->heights[0], -key.level);
    return (lf_geodetic_box){key.column * width - 180, key.row * height - 90, (key.column + 1) * width - 180,
                     (key.row + 1) * height - 90};
}

/// Which of so many tiles of a size has a place. The difference from the first border is rounded, and so is the quotient: the borders themselves
/// decide, or a place next to one would be taken to be beyond it.
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

lf_tile_key lf_globe_tile_at(const lf_globe *globe, int level, double lon_deg, double lat_deg) {
    int held = level < 0 ? 0 : level > LF_GLOBE_LEVELS ? LF_GLOBE_LEVELS : level;
    return lf__globe_key_at(globe, held, lf__globe_turn(lon_deg), lat_deg);
}
