/// A planet of noise, its tiles, and flights over it.
#include "globe.h"
#include <math.h>
#include <stdlib.h>

#define MIDDLE_COLUMN 4300
#define MIDDLE_ROW 3000
#define FLIGHT_TILES 3.5 // from the middle outwards

static double bump(double x, double y, uint64_t salt) {
    int64_t i = (int64_t)floor(x), j = (int64_t)floor(y);
    double u = x - (double)i, v = y - (double)j, h[4];
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    for (int k = 0; k < 4; k++) {
        bench_random random = {(uint64_t)(i + (k & 1)) * 0x9e3779b97f4a7c15U ^
                               (uint64_t)(j + (k >> 1)) * 0xc2b2ae3d27d4eb4fU ^ salt};
        h[k] = bench_random_between(&random, 0, 1);
    }
    return (h[0] * (1 - u) + h[1] * u) * (1 - v) + (h[2] * (1 - u) + h[3] * u) * v;
}

double globe_height(double lon, double lat) {
    return 2000 * bump(4 * lon, 4 * lat, 1) + 700 * bump(20 * lon, 20 * lat, 2) +
           150 * bump(90 * lon, 90 * lat, 3);
}

static lf_tile_state fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    static float heights[GLOBE_POSTS * GLOBE_POSTS];
    (void)user;
    (void)wait;
    (void)detail;
    double size = ldexp(180, -key.level);
    for (int j = 0; j < GLOBE_POSTS; j++)
        for (int i = 0; i < GLOBE_POSTS; i++)
            heights[j * GLOBE_POSTS + i] =
                (float)globe_height(-180 + size * (key.column + i / (GLOBE_POSTS - 1.0)),
                                    -90 + size * (key.row + j / (GLOBE_POSTS - 1.0)));
    tile->heights = heights;
    tile->columns = tile->rows = GLOBE_POSTS;
    tile->children = key.level < GLOBE_LEVEL ? LF_TILE_CHILDREN_ALL : 0;
    tile->bounded = true;
    tile->low = 0;
    tile->high = 2850;
    return LF_TILE_READY;
}

lf_globe *globe_open(void) {
    lf_globe_def def = lf_globe_def_default();
    lf_globe *globe;
    lf_error error = {LF_OK, -1, ""};
    def.provider = (lf_globe_provider){NULL, fetch, NULL};
    def.level_count = GLOBE_LEVEL + 1;
    def.budget = (size_t)8 << 30;
    if (lf_globe_create(&def, &globe, &error) != LF_OK)
        bench_stop("the globe cannot be made: %s", error.text);
    return globe;
}

/// Rings of squares around the middle: ring r has 8 r tiles.
lf_tile_key globe_ring_key(int64_t number) {
    int64_t r = (int64_t)floor((sqrt((double)number) + 1) / 2);
    while (number < (2 * r - 1) * (2 * r - 1) && r > 0)
        r--;
    while (number >= (2 * r + 1) * (2 * r + 1))
        r++;
    int64_t at = r > 0 ? number - (2 * r - 1) * (2 * r - 1) : 0, side = r > 0 ? at / (2 * r) : 0,
            step = r > 0 ? at % (2 * r) : 0;
    static const int from[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
                     along[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    return (lf_tile_key){GLOBE_LEVEL, (int32_t)(MIDDLE_COLUMN + from[side][0] * r + along[side][0] * step),
                         (int32_t)(MIDDLE_ROW + from[side][1] * r + along[side][1] * step)};
}

void globe_load(lf_globe *globe, int64_t count) {
    // Of tiles that are there already, which are loaded in this order, only their key is looked up.
    for (int64_t i = 0; i < count; i++)
        if (lf_globe_load(globe, globe_ring_key(i), NULL) != LF_OK)
            bench_stop("a tile cannot be loaded");
}

static lf_vec3 over(double lon, double lat, double above) {
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    return lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){lon, lat, globe_height(lon, lat) + above});
}

/// Loops within a few tiles of the middle, 55 to 305 m above ground, as one flies that a response keeps clear, 5 m from camera to camera.
lf_vec3 *globe_flight(int64_t count) {
    double size = ldexp(180, -GLOBE_LEVEL), lon = -180 + size * (MIDDLE_COLUMN + 0.5),
           lat = -90 + size * (MIDDLE_ROW + 0.5);
    lf_vec3 *positions = bench_take((size_t)count, sizeof *positions);
    for (int64_t i = 0; i < count; i++) {
        double s = 3e-4 * (double)i;
        positions[i] =
            over(lon + FLIGHT_TILES * size * sin(s),
                 lat + FLIGHT_TILES * size * sin(1.37 * s) * cos(0.11 * s), 180 + 125 * sin(40 * s));
    }
    return positions;
}

/// A spiral over the first `tiles` of the finest tiles, two cameras or more in each, 55 to 305 m above ground.
lf_vec3 *globe_spiral(int64_t count, int64_t tiles) {
    double size = ldexp(180, -GLOBE_LEVEL);
    int64_t crossed = tiles < count / 2 ? tiles : count / 2;
    lf_vec3 *positions = bench_take((size_t)count, sizeof *positions);
    for (int64_t i = 0; i < count; i++) {
        // The flight ends in the outermost ring, so that it needs the tiles that were loaded last.
        double at = (double)(tiles - crossed) + (double)i * (double)(crossed - 1) / (double)(count - 1);
        lf_tile_key a = globe_ring_key((int64_t)at), b = globe_ring_key((int64_t)at + 1);
        double part = at - floor(at), column = a.column + part * (b.column - a.column),
               row = a.row + part * (b.row - a.row);
        positions[i] =
            over(-180 + size * (column + 0.5), -90 + size * (row + 0.5), 180 + 125 * sin(0.7 * (double)i));
    }
    return positions;
}

lf_vec3 *globe_anywhere(int64_t count, int64_t tiles) {
    bench_random random = {77};
    double size = ldexp(180, -GLOBE_LEVEL);
    lf_vec3 *positions = bench_take((size_t)count, sizeof *positions);
    for (int64_t i = 0; i < count; i++) {
        lf_tile_key key = globe_ring_key(bench_random_below(&random, tiles));
        positions[i] = over(-180 + size * (key.column + bench_random_between(&random, 0, 1)),
                            -90 + size * (key.row + bench_random_between(&random, 0, 1)),
                            bench_random_between(&random, 20, 300));
    }
    return positions;
}
