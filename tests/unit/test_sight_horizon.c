/// Skylines of grids: what is known by hand, what the definition says, and maps that say what single questions say.
#include "bare.h"
#include "sight/horizon.h"
#include "skies.h"
#include <stdlib.h>
#include <string.h>

#define DEGREE 0.017453292519943295

static lf_horizon look(const sky_grid *sky, const lf_sight_rules *rules, lf_vec3 from, double azimuth,
                       double range) {
    lf_horizon h;
    assert_int_equal(lf_horizon_at(lf_grid_ground(sky->grid), rules, from, azimuth, range, &h, NULL), LF_OK);
    return h;
}

static void near_to(double a, double b, double within) {
    if (!(fabs(a - b) <= within))
        fail_msg("%.17g is not %.17g", a, b);
}

enum { SIDE = 21 };

/// A level ground with a wall of height 6 at column 16.
static sky_grid walled(lf_surface surface) {
    double heights[SIDE * SIDE] = {0};
    for (int j = 0; j < SIDE; j++)
        heights[j * SIDE + 16] = 6;
    return sky_grid_of(heights, SIDE, SIDE, surface);
}

static void wall(void **state) {
    (void)state;
    for (int surface = 0; surface < 4; surface++) {
        sky_grid sky = walled((lf_surface)surface);
        lf_horizon h = look(&sky, NULL, (lf_vec3){10, 10, 0}, 90, LF_INFINITY);
        assert_int_equal(h.reason, LF_REASON_ANSWERED);
        near_to(h.elevation_deg, 45, 1e-12);
        near_to(h.distance, 6, 1e-12);
        near_to(h.point.x, 16, 1e-12);
        near_to(h.point.y, 10, 1e-12);
        near_to(h.point.z, 6, 1e-12);
        assert_false(h.hole);
        // Askew it is farther away; behind, level ground runs on to the border.
        h = look(&sky, NULL, (lf_vec3){10.5, 10, 0}, 60, LF_INFINITY);
        near_to(h.distance, 5.5 / cos(30 * DEGREE), 1e-12);
        near_to(tan(h.elevation_deg * DEGREE), 6 / h.distance, 1e-12);
        h = look(&sky, NULL, (lf_vec3){10, 10, 0}, 270, LF_INFINITY);
        assert_true(h.elevation_deg == 0);
        assert_true(h.distance == 0); // as near as you like
        h = look(&sky, NULL, (lf_vec3){10, 10, 5}, 270, LF_INFINITY);
        near_to(tan(h.elevation_deg * DEGREE), -0.5, 1e-12);
        near_to(h.distance, 10, 1e-12);
        h = look(&sky, NULL, (lf_vec3){10, 10, 5}, 270, 4); // within range only
        near_to(tan(h.elevation_deg * DEGREE), -1.25, 1e-12);
        near_to(h.distance, 4, 1e-12);
        h = look(&sky, NULL, (lf_vec3){10, 10, -1}, 20, LF_INFINITY); // from below ground
        assert_true(h.elevation_deg == 90 && h.distance == 0);
        near_to(h.point.z, 0, 1e-12);
        sky_grid_free(&sky);
    }
}

/// Peaks that appear under one slope, over cells and from origins whose multiples are rounded: the nearest is reported.
static void ties_go_to_the_nearest(void **state) {
    (void)state;
    static const double steps[] = {30, 0.1, 1.0 / 3, 90.7, 7.3e-3};
    static const double azimuths[] = {0, 90, 180, 270, 26.56505117707799, 116.56505117707799, 10, 77.7, 341};
    enum { WIDE = 121, MIDDLE = 60 };
    double *heights = test_space(WIDE * WIDE, sizeof *heights);
    for (int surface = 0; surface < 4; surface++)
        for (int n = 0; n < 5; n++) {
            // Rings around the middle: columns and rows at 12, 24 .. 60 from it, each as high as it is far.
            // Seen from above the ground, and from the ground itself.
            double step = steps[n], below = n % 2 ? 5 : 0;
            for (int j = 0; j < WIDE; j++)
                for (int i = 0; i < WIDE; i++) {
                    int ring = abs(i - MIDDLE) > abs(j - MIDDLE) ? abs(i - MIDDLE) : abs(j - MIDDLE);
                    heights[j * WIDE + i] = ring > 0 && ring % 12 == 0 ? 5 + 0.3 * step * ring : below;
                }
            lf_grid_def def = lf_grid_def_default();
            lf_grid *grid;
            def.samples.values = heights;
            def.samples.type = LF_SAMPLE_DOUBLE;
            def.samples.columns = def.samples.rows = WIDE;
            def.surface = (lf_surface)surface;
            def.geotransform.origin = (lf_vec2){500000.1, 5300000.3};
            def.geotransform.per_column.x = def.geotransform.per_row.y = step;
            assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
            lf_vec3 from = {500000.1 + MIDDLE * step, 5300000.3 + MIDDLE * step, 5};
            for (size_t k = 0; k < sizeof azimuths / sizeof *azimuths; k++) {
                double way = fmax(fabs(sin(azimuths[k] * DEGREE)), fabs(cos(azimuths[k] * DEGREE)));
                lf_horizon h;
                assert_int_equal(
                    lf_horizon_at(lf_grid_ground(grid), NULL, from, azimuths[k], LF_INFINITY, &h, NULL),
                    LF_OK);
                near_to(tan(h.elevation_deg * DEGREE), 0.3 * way, 1e-10);
                near_to(h.distance, 12 * step / way, 1e-9 * step);
            }
            lf_grid_destroy(grid);
        }
    free(heights);
}

static void nothing_there(void **state) {
    (void)state;
    sky_grid sky = walled(LF_SURFACE_FALLING);
    lf_horizon h = look(&sky, NULL, (lf_vec3){25, 10, 0}, 90, LF_INFINITY);
    assert_int_equal(h.reason, LF_REASON_NONE);
    assert_true(h.elevation_deg == -90 && h.distance == 0 && !h.hole);
    h = look(&sky, NULL, (lf_vec3){25, 10, 0}, 270, LF_INFINITY); // from outside, over the border
    near_to(h.distance, 9, 1e-12);
    near_to(tan(h.elevation_deg * DEGREE), 6.0 / 9, 1e-12);
    h = look(&sky, NULL, (lf_vec3){25, 10, 0}, 270, 5.5);
    assert_int_equal(h.reason, LF_REASON_ANSWERED);
    h = look(&sky, NULL, (lf_vec3){25, 10, 0}, 270, 4.5); // it does not reach so far
    assert_int_equal(h.reason, LF_REASON_NONE);
    sky_grid_free(&sky);
}

static void samples_have_walls(void **state) {
    (void)state;
    sky_grid sky = walled(LF_SURFACE_POINT);
    lf_horizon h = look(&sky, NULL, (lf_vec3){10, 10, 0}, 90, LF_INFINITY);
    near_to(h.distance, 5.5, 1e-12);
    near_to(tan(h.elevation_deg * DEGREE), 6 / 5.5, 1e-12);
    h = look(&sky, NULL, (lf_vec3){10, 10, 1}, 90, 5.5); // the range is closed
    near_to(tan(h.elevation_deg * DEGREE), 5 / 5.5, 1e-12);
    sky_grid_free(&sky);
}

/// Over a round earth the horizon of a level ground dips by 2 sqrt(height * bend), at sqrt(height / bend).
static void round_earth(void **state) {
    (void)state;
    double heights[4] = {0};
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    def.samples = (lf_samples){LF_SAMPLE_DOUBLE, heights, 2, 2, 0, 0, 1, 0, NAN, NULL, 0};
    def.geotransform = (lf_geotransform){{-50000, -50000}, {100000, 0}, {0, 100000}};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    for (int surface = 0; surface < 2; surface++) {
        lf_sight_rules rules = lf_sight_rules_default();
        rules.curvature.coefficient = LF_CURVATURE_LIGHT;
        double bend = LF_CURVATURE_LIGHT / (2 * rules.curvature.radius);
        lf_horizon h;
        lf_cursor cursor = {0};
        assert_int_equal(
            lf_horizon_at(lf_grid_ground(grid), &rules, (lf_vec3){0, 0, 2}, 77, LF_INFINITY, &h, &cursor),
            LF_OK);
        near_to(h.distance, sqrt(2 / bend), 1e-6 * h.distance);
        near_to(tan(h.elevation_deg * DEGREE), -2 * sqrt(2 * bend), 1e-15);
        near_to(h.point.x, h.distance * sin(77 * DEGREE), 1e-6);
        near_to(h.point.z, 0, 1e-9);
        assert_true(cursor.counters.questions == 1);
    }
    lf_grid_destroy(grid);
}

static void degrees(void **state) {
    (void)state;
    double heights[9] = {0, 0, 0, 0, 0, 0, 0, 50, 0};
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    def.samples = (lf_samples){LF_SAMPLE_DOUBLE, heights, 3, 3, 0, 0, 1, 0, NAN, NULL, 0};
    def.geotransform = (lf_geotransform){{11, 59.99}, {0.01, 0}, {0, 0.01}};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    lf_sight_rules rules = lf_sight_rules_default();
    rules.units = LF_MAP_DEGREES;
    lf_horizon h;
    // A degree of latitude at 60 degrees has 111412.3 metres, one of longitude 55800.2.
    assert_int_equal(
        lf_horizon_at(lf_grid_ground(grid), &rules, (lf_vec3){11.01, 60, 1}, 0, LF_INFINITY, &h, NULL),
        LF_OK);
    near_to(h.distance, 1114.123, 0.01);
    near_to(tan(h.elevation_deg * DEGREE), 49 / 1114.123, 1e-6);
    near_to(h.point.x, 11.01, 1e-9);
    near_to(h.point.y, 60.01, 1e-9);
    assert_int_equal(
        lf_horizon_at(lf_grid_ground(grid), &rules, (lf_vec3){11.01, 60, 10}, 90, LF_INFINITY, &h, NULL),
        LF_OK);
    near_to(h.distance, 558.002, 0.01);
    assert_int_equal(
        lf_horizon_at(lf_grid_ground(grid), &rules, (lf_vec3){11, 90, 10}, 90, LF_INFINITY, &h, NULL), LF_OK);
    lf_grid_destroy(grid);
}

static lf_sight_rules any_rules(test_random *random) {
    lf_sight_rules rules = lf_sight_rules_default();
    if (test_random_below(random, 2) == 0)
        rules.curvature =
            (lf_curvature){test_random_between(random, -0.2, 1), pow(10, test_random_between(random, 1, 6))};
    return rules;
}

static double any_azimuth(test_random *random) {
    double azimuth = test_random_between(random, -400, 400);
    return test_random_below(random, 3) == 0 ? 45 * floor(azimuth / 45) : azimuth;
}

/// Against many places along the line: never below any, and no higher than between two that are close.
static void as_defined(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    for (int k = 0; k < (test_long() ? 4000 : 80); k++) {
        sky_grid sky = sky_grid_any((lf_surface)test_random_below(&random, 5), 9, &random);
        lf_box box = sky.info.box;
        lf_sight_rules rules = any_rules(&random);
        double range = test_random_below(&random, 2) ? LF_INFINITY : test_random_between(&random, 0.1, 40),
               azimuth = any_azimuth(&random);
        lf_vec3 from = {test_random_between(&random, box.low.x, box.high.x),
                        test_random_between(&random, box.low.y, box.high.y),
                        box.high.z + test_random_between(&random, 0.01, 5)};
        lf_horizon h = look(&sky, &rules, from, azimuth, range);
        lf__sincos turn = lf__bearing_turn(azimuth);
        sky_line line = {
            from, {turn.sin, turn.cos}, 0, rules.curvature.coefficient / (2 * rules.curvature.radius), range};
        sky_brute brute = sky_look(&sky, &line);
        if (h.reason == LF_REASON_NONE) {
            assert_true(brute.steepest == -LF_INFINITY);
        } else if (brute.steepest > -LF_INFINITY) {
            double slope = tan(h.elevation_deg * DEGREE);
            assert_true(slope > brute.steepest - 1e-9 * (1 + fabs(slope)));
            assert_true(slope < brute.steepest + 1e-3 * (1 + fabs(slope)));
            near_to((h.point.z - from.z) / h.distance - line.bend * h.distance, slope,
                    1e-9 * (1 + fabs(slope)));
        }
        sky_grid_free(&sky);
    }
}

static void holes_are_told(void **state) {
    (void)state;
    double heights[25] = {0};
    heights[2 * 5 + 3] = NAN;
    sky_grid sky = sky_grid_of(heights, 5, 5, LF_SURFACE_RISING);
    lf_vec3 from = {0.5, 2.5, 1};
    assert_true(look(&sky, NULL, from, 90, LF_INFINITY).hole);
    assert_false(look(&sky, NULL, from, 90, 1.25).hole); // it begins at column 2
    assert_false(look(&sky, NULL, from, 0, LF_INFINITY).hole);
    assert_false(look(&sky, NULL, from, 270, LF_INFINITY).hole);
    sky_grid_free(&sky);
}

/// A grid may be all holes.
static void only_holes(void **state) {
    (void)state;
    double heights[4] = {NAN, NAN, NAN, NAN};
    sky_grid sky = sky_grid_of(heights, 2, 2, LF_SURFACE_FALLING);
    lf_horizon h = look(&sky, NULL, (lf_vec3){-1, 0.5, 0}, 90, LF_INFINITY);
    assert_int_equal(h.reason, LF_REASON_NONE);
    assert_true(h.hole);
    assert_false(look(&sky, NULL, (lf_vec3){-1, 0.5, 0}, 90, 0.5).hole);
    assert_false(look(&sky, NULL, (lf_vec3){-1, 0.5, 0}, 270, LF_INFINITY).hole);
    sky_grid_free(&sky);
}

static void around_is_as_one_by_one(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    lf_tasks tasks = test_tasks(3);
    for (int k = 0; k < 10; k++) {
        sky_grid sky = sky_grid_any((lf_surface)(k % 5), 20, &random);
        lf_sight_rules rules = any_rules(&random);
        lf_box box = sky.info.box;
        lf_vec3 from = {0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y), box.high.z};
        double azimuths[50];
        lf_horizon horizons[50];
        for (int n = 0; n < 50; n++)
            azimuths[n] = any_azimuth(&random);
        assert_int_equal(lf_horizon_around(lf_grid_ground(sky.grid), &rules, from, azimuths, 50, 30, horizons,
                                           k % 2 ? &tasks : NULL),
                         LF_OK);
        for (int n = 0; n < 50; n++) {
            lf_horizon one = look(&sky, &rules, from, azimuths[n], 30);
            assert_true(one.elevation_deg == horizons[n].elevation_deg &&
                        one.distance == horizons[n].distance && one.hole == horizons[n].hole &&
                        one.reason == horizons[n].reason);
        }
        sky_grid_free(&sky);
    }
}

/// Maps against single questions, bit for bit, whatever the hints were.
static void maps_are_as_single_questions(void **state) {
    (void)state;
    test_random random = test_random_start(3);
    lf_tasks tasks = test_tasks(3);
    for (int k = 0; k < (test_long() ? 2000 : 40); k++) {
        sky_grid sky = sky_grid_any((lf_surface)(k % 5), 16, &random);
        lf_horizon_def def = lf_horizon_def_default();
        def.rules = any_rules(&random);
        def.rules.units = k % 7 == 0 ? LF_MAP_DEGREES : LF_MAP_METRES;
        def.range = test_random_below(&random, 2) ? LF_INFINITY : test_random_between(&random, 0.5, 30);
        def.height = test_random_below(&random, 2) ? 0 : test_random_between(&random, -1, 3);
        def.host.tasks = k % 2 ? &tasks : NULL;
        double azimuth = any_azimuth(&random);
        lf_window w = sky_window_all(&sky);
        float degrees[16 * 16], shares[16 * 16];
        int directions = 1 + (int)test_random_below(&random, 9);
        assert_int_equal(lf_horizon_map(lf_grid_ground(sky.grid), &def, azimuth, w, degrees, 0, NULL), LF_OK);
        assert_int_equal(lf_sky_view(lf_grid_ground(sky.grid), &def, directions, w, shares, 0, NULL), LF_OK);
        for (int64_t j = 0; j < w.rows; j++)
            for (int64_t i = 0; i < w.columns; i++) {
                float degree = degrees[j * w.columns + i], share = shares[j * w.columns + i];
                double ground = lf_grid_sample(sky.grid, i, j);
                if (sample_is_bare(sky.grid, i, j)) {
                    assert_true(isnan(degree) && isnan(share));
                    continue;
                }
                lf_vec2 place = lf__sample_place(sky.grid, i, j);
                lf_vec3 from = {place.x, place.y, ground + def.height};
                assert_true(degree == (float)look(&sky, &def.rules, from, azimuth, def.range).elevation_deg);
                double sum = 0;
                for (int n = 0; n < directions; n++) {
                    double e = look(&sky, &def.rules, from, 360.0 * n / directions, def.range).elevation_deg;
                    sum += e > 0 ? cos(e * DEGREE) * cos(e * DEGREE) : 1;
                }
                near_to(share, sum / directions, 1e-6);
            }
        sky_grid_free(&sky);
    }
}

static bool stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)stage;
    assert_true(done >= 0 && done <= total);
    return --*(int *)user >= 0;
}

static void cancelled(void **state) {
    (void)state;
    sky_grid sky = walled(LF_SURFACE_BILINEAR);
    lf_horizon_def def = lf_horizon_def_default();
    int left = 0;
    lf_progress progress = {&left, stop};
    def.host.progress = &progress;
    float values[SIDE * SIDE];
    lf_error error;
    assert_int_equal(
        lf_horizon_map(lf_grid_ground(sky.grid), &def, 0, sky_window_all(&sky), values, 0, &error),
        LF_CANCELLED);
    assert_int_equal(lf_sky_view(lf_grid_ground(sky.grid), &def, 4, sky_window_all(&sky), values, 0, &error),
                     LF_CANCELLED);
    left = 1000;
    assert_int_equal(lf_sky_view(lf_grid_ground(sky.grid), &def, 4, sky_window_all(&sky), values, 0, &error),
                     LF_OK);
    sky_grid_free(&sky);
}

static void bad_input(void **state) {
    (void)state;
    sky_grid sky = walled(LF_SURFACE_FALLING);
    lf_vec3 from = {1, 1, 1};
    lf_horizon h = {.distance = -5};
    lf_sight_rules rules = lf_sight_rules_default();
    assert_int_equal(lf_horizon_at(NULL, NULL, from, 0, 1, &h, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_horizon_at(lf_grid_ground(sky.grid), NULL, from, 0, 1, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_horizon_at(lf_grid_ground(sky.grid), NULL, from, NAN, 1, &h, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_horizon_at(lf_grid_ground(sky.grid), NULL, from, 0, 0, &h, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_horizon_at(lf_grid_ground(sky.grid), NULL, from, 0, NAN, &h, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(
        lf_horizon_at(lf_grid_ground(sky.grid), NULL, (lf_vec3){1, LF_INFINITY, 1}, 0, 1, &h, NULL),
        LF_BAD_ARGUMENT);
    rules.curvature.radius = -1;
    assert_int_equal(lf_horizon_at(lf_grid_ground(sky.grid), &rules, from, 0, 1, &h, NULL), LF_BAD_ARGUMENT);
    double azimuths[2] = {0, LF_INFINITY};
    assert_int_equal(lf_horizon_around(lf_grid_ground(sky.grid), NULL, from, azimuths, 2, 1, &h, NULL),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_horizon_around(lf_grid_ground(sky.grid), NULL, from, azimuths, -1, 1, &h, NULL),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_horizon_around(lf_grid_ground(sky.grid), NULL, from, NULL, 1, 1, &h, NULL),
                     LF_BAD_ARGUMENT);
    assert_true(h.distance == -5);

    lf_horizon_def def = lf_horizon_def_default();
    float values[SIDE * SIDE];
    lf_error error;
    lf_window all = sky_window_all(&sky);
    assert_int_equal(lf_horizon_map(lf_grid_ground(sky.grid), &def, NAN, all, values, 0, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_horizon_map(lf_grid_ground(sky.grid), &def, 0, all, NULL, 0, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_horizon_map(lf_grid_ground(sky.grid), &def, 0, all, values, 6, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_horizon_map(lf_grid_ground(sky.grid), NULL, 0, all, values, 0, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_sky_view(lf_grid_ground(sky.grid), &def, 0, all, values, 0, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "directions is 0"));
    assert_int_equal(lf_sky_view(lf_grid_ground(sky.grid), &def, 721, all, values, 0, &error),
                     LF_BAD_ARGUMENT);
    def.range = -1;
    assert_int_equal(lf_sky_view(lf_grid_ground(sky.grid), &def, 8, all, values, 0, &error), LF_BAD_ARGUMENT);
    sky_grid_free(&sky);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wall),
        cmocka_unit_test(ties_go_to_the_nearest),
        cmocka_unit_test(nothing_there),
        cmocka_unit_test(samples_have_walls),
        cmocka_unit_test(round_earth),
        cmocka_unit_test(degrees),
        cmocka_unit_test(as_defined),
        cmocka_unit_test(holes_are_told),
        cmocka_unit_test(only_holes),
        cmocka_unit_test(around_is_as_one_by_one),
        cmocka_unit_test(maps_are_as_single_questions),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
