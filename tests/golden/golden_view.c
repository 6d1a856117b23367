/// Golden answers of views: viewsheds, horizons, sun and sky.
#include "golden.h"
#include <stdio.h>
#include <stdlib.h>

#define SIDE 72
#define SAMPLES (SIDE * SIDE)

static const lf_window whole = {0, 0, SIDE, SIDE};
static const lf_observer observers[] = {
    {{1005.3, -190.1}, 2, false}, {{1011.7, -170.9}, 30, false}, {{1018.3, -160.7}, 10, false}};

static void visible(const lf_grid *grid, const lf_viewshed_def *def) {
    static uint8_t seen[SAMPLES];
    static uint32_t counts[SAMPLES];
    for (int k = 0; k < 3; k++) {
        golden_ok(lf_viewshed_visible(lf_grid_ground(grid), def, &observers[k], whole, seen, 0, NULL, NULL),
                  "lf_viewshed_visible");
        golden_bytes(seen, SAMPLES);
    }
    golden_ok(lf_viewshed_count(lf_grid_ground(grid), def, observers, 3, whole, counts, 0, NULL, NULL),
              "lf_viewshed_count");
    for (int k = 0; k < SAMPLES; k++)
        golden_whole(counts[k]);
}

static void viewsheds(const lf_grid *grid, const char *surface) {
    static float values[SAMPLES];
    char name[64];
    lf_viewshed_def def = lf_viewshed_def_default();
    snprintf(name, sizeof name, "viewshed_%s", surface);
    golden_group(name, 0);
    visible(grid, &def);
    def.rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    def.target = 1.5;
    def.range_max = 20.3;
    visible(grid, &def);
    static const lf_viewshed_mode modes[] = {LF_VIEWSHED_GROUND, LF_VIEWSHED_DEM, LF_VIEWSHED_DISTANCE,
                                             LF_VIEWSHED_ANGLE};
    for (int m = 0; m < 4; m++) {
        // Angles pass through the arc tangent, and are rounded to floats.
        snprintf(name, sizeof name, "viewshed_%s_%s", surface, lf_viewshed_mode_name(modes[m]));
        golden_group(name, modes[m] == LF_VIEWSHED_ANGLE ? 1e-6 : 0);
        golden_ok(lf_viewshed_values(lf_grid_ground(grid), &def, &observers[1], modes[m], whole, values, 0,
                                     NULL, NULL),
                  "lf_viewshed_values");
        for (int k = 0; k < SAMPLES; k += modes[m] == LF_VIEWSHED_ANGLE ? 37 : 1)
            golden_real((double)values[k]);
    }
}

static void horizons(const lf_grid *grid) {
    lf_sight_rules rules = lf_sight_rules_default();
    golden_group("horizon", 1e-12);
    for (int k = 0; k < 180; k++) {
        lf_horizon horizon;
        golden_ok(lf_horizon_at(lf_grid_ground(grid), &rules, (lf_vec3){1015.2, -160.4, 12}, 2.03 * k,
                                LF_INFINITY, &horizon, NULL),
                  "lf_horizon_at");
        golden_real(horizon.elevation_deg);
        golden_real(horizon.distance);
    }
}

static void skies(const lf_grid *grid) {
    static float values[SAMPLES];
    static uint8_t lit[SAMPLES];
    lf_horizon_def def = lf_horizon_def_default();
    golden_group("horizon_map", 1e-6);
    golden_ok(lf_horizon_map(lf_grid_ground(grid), &def, 77, whole, values, 0, NULL), "lf_horizon_map");
    for (int k = 0; k < SAMPLES; k += 37)
        golden_real((double)values[k]);
    golden_group("sky_view", 1e-6);
    golden_ok(lf_sky_view(lf_grid_ground(grid), &def, 8, whole, values, 0, NULL), "lf_sky_view");
    for (int k = 0; k < SAMPLES; k += 37)
        golden_real((double)values[k]);
    golden_group("sun_shade", 1e-6);
    golden_ok(lf_sun_shade(lf_grid_ground(grid), &def, (lf_sun){133, 21, 1}, whole, lit, 0, NULL),
              "lf_sun_shade");
    for (int k = 0; k < SAMPLES; k += 7)
        golden_whole(lit[k]);
}

/// The same in degrees, where distances are those of the ellipsoid.
static void over_degrees(void) {
    static uint8_t seen[SAMPLES];
    float *heights = golden_heights(SIDE, SIDE, 5, false);
    lf_grid_def def = lf_grid_def_default();
    lf_viewshed_def view = lf_viewshed_def_default();
    lf_grid *grid = NULL;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.geotransform = (lf_geotransform){{7.1, 46.2}, {0.0003, 0}, {0, 0.0003}};
    golden_ok(lf_grid_create(&def, &grid, NULL), "lf_grid_create");
    view.rules.units = LF_MAP_DEGREES;
    view.rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    golden_group("viewshed_degrees", 1e-9);
    lf_observer observer = {{7.115, 46.213}, 5, false};
    golden_ok(lf_viewshed_visible(lf_grid_ground(grid), &view, &observer, whole, seen, 0, NULL, NULL),
              "lf_viewshed_visible");
    golden_bytes(seen, SAMPLES / 8);
    golden_group("sight_degrees", 1e-11);
    golden_random random = {6};
    for (int k = 0; k < 100; k++) {
        lf_sight sight;
        lf_vec3 a = {golden_between(&random, 7.101, 7.120), golden_between(&random, 46.201, 46.220),
                     golden_between(&random, 5, 14)};
        lf_vec3 b = {golden_between(&random, 7.101, 7.120), golden_between(&random, 46.201, 46.220),
                     golden_between(&random, 5, 14)};
        golden_ok(lf_sight_between(lf_grid_ground(grid), &view.rules, a, b, &sight, NULL),
                  "lf_sight_between");
        golden_whole((int64_t)sight.verdict);
        golden_real(sight.t);
        golden_real(sight.length);
    }
    lf_grid_destroy(grid);
    free(heights);
}

void golden_views(void) {
    static const lf_surface surfaces[] = {LF_SURFACE_FALLING, LF_SURFACE_RISING, LF_SURFACE_ALTERNATING,
                                          LF_SURFACE_BILINEAR, LF_SURFACE_POINT};
    for (int s = 0; s < 5; s++) {
        lf_grid *grid = golden_grid(SIDE, surfaces[s], LF_CODEC_RAW, s % 2 == 0);
        viewsheds(grid, lf_surface_name(surfaces[s]));
        if (s == 0) {
            horizons(grid);
            skies(grid);
        }
        lf_grid_destroy(grid);
    }
    over_degrees();
}
