/// Many observers with a range: counts, planes and statistics are those of one viewshed of the whole window for each.
#include "support.h"
#include <landfall/geom.h>
#include <landfall/sight.h>
#include <math.h>
#include <string.h>

#define SIDE 61
#define OBSERVERS 21

static void make_case(test_random *random, lf_grid **grid, lf_observer observers[OBSERVERS],
                      lf_viewshed_def *def, lf_window *window) {
    static float heights[SIDE * SIDE];
    bool voids = test_random_below(random, 2) == 0;
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = voids && test_random_below(random, 9) == 0
                         ? NAN
                         : (float)(20 * sin(0.3 * (k % SIDE)) + test_random_between(random, 0, 12));
    lf_grid_def grid_def = lf_grid_def_default();
    grid_def.samples.values = heights;
    grid_def.samples.columns = grid_def.samples.rows = SIDE;
    grid_def.geotransform = (lf_geotransform){{100, 50}, {3, 0}, {0, 4}};
    assert_int_equal(lf_grid_create(&grid_def, grid, NULL), LF_OK);
    *def = lf_viewshed_def_default();
    def->target = test_random_between(random, 0, 3);
    def->range_max = test_random_between(random, 0, 90);
    def->range_min = test_random_below(random, 3) == 0 ? 0.5 * def->range_max : 0;
    for (int k = 0; k < OBSERVERS; k++) // above datum: some beside the grid
        observers[k] = (lf_observer){{100 + test_random_between(random, -90, 3 * SIDE + 90),
                                      50 + test_random_between(random, -90, 4 * SIDE + 90)},
                                     test_random_between(random, 20, 60),
                                     true};
    int64_t column = test_random_below(random, SIDE - 1), row = test_random_below(random, SIDE - 1);
    *window = (lf_window){column, row, 1 + test_random_below(random, SIDE - column),
                          1 + test_random_below(random, SIDE - row)};
}

static void many_are_the_sum_of_all(void **state) {
    test_random random = test_random_start(235);
    static uint8_t seen[SIDE * SIDE], planes[(OBSERVERS + 7) / 8 * SIDE * SIDE];
    static uint32_t counts[SIDE * SIDE], sums[SIDE * SIDE];
    (void)state;
    for (int round = 0; round < (test_long() ? 3000 : 60); round++) {
        lf_grid *grid;
        lf_observer observers[OBSERVERS];
        lf_viewshed_def def;
        lf_window w;
        make_case(&random, &grid, observers, &def, &w);
        lf_tasks tasks = test_tasks(3);
        if (round % 2)
            def.host.tasks = &tasks;
        const lf_ground *ground = lf_grid_ground(grid);
        lf_viewshed_stats one, many, bits, all = {0};
        int64_t samples = w.columns * w.rows;
        assert_int_equal(lf_viewshed_count(ground, &def, observers, OBSERVERS, w, counts, 0, &many, NULL),
                         LF_OK);
        assert_int_equal(lf_viewshed_who(ground, &def, observers, OBSERVERS, w, planes, &bits, NULL), LF_OK);
        memset(sums, 0, sizeof sums);
        for (int k = 0; k < OBSERVERS; k++) {
            assert_int_equal(lf_viewshed_visible(ground, &def, &observers[k], w, seen, 0, &one, NULL), LF_OK);
            for (int c = 0; c < 5; c++)
                all.counts[c] += one.counts[c];
            for (int64_t i = 0; i < samples; i++) {
                bool sees = seen[i] == LF_VISIBILITY_VISIBLE;
                sums[i] = seen[i] == LF_VISIBILITY_VOID ? UINT32_MAX : sums[i] + sees;
                assert_int_equal(planes[k / 8 * samples + i] >> k % 8 & 1, sees);
            }
        }
        assert_memory_equal(counts, sums, (size_t)samples * sizeof *counts);
        assert_memory_equal(all.counts, many.counts, sizeof all.counts);
        assert_memory_equal(all.counts, bits.counts, sizeof all.counts);
        lf_grid_destroy(grid);
    }
}

/// A turned, skewed or far raster, also in degrees, and an observer whose range often ends exactly at a sample.
static lf_grid *make_circle(test_random *random, const float *heights, lf_viewshed_def *def, lf_vec2 *at) {
    lf_grid_def grid_def = lf_grid_def_default();
    lf_grid *grid;
    grid_def.samples.values = heights;
    grid_def.samples.columns = grid_def.samples.rows = SIDE;
    *def = lf_viewshed_def_default();
    double far = test_random_below(random, 3) == 0 ? 1e7 : 0;
    static const lf_geotransform maps[] = {{{100, 50}, {5, 0}, {0, 5}},
                                           {{-7, 3}, {3, 4}, {-4, 3}},
                                           {{0, 0}, {2, 1}, {-9, 6}},
                                           {{-0.02, 59.9}, {0.001, 0}, {0, 0.0005}},
                                           {{10.5, -30.2}, {0.0007, 0.0002}, {-0.0003, 0.0006}}};
    int map = (int)test_random_below(random, 5);
    grid_def.geotransform = maps[map];
    if (map < 3)
        grid_def.geotransform.origin.x += far;
    else
        def->rules.units = LF_MAP_DEGREES;
    assert_int_equal(lf_grid_create(&grid_def, &grid, NULL), LF_OK);
    int64_t i = test_random_below(random, SIDE), j = test_random_below(random, SIDE);
    *at = lf_geotransform_at(&grid_def.geotransform, (double)i, (double)j);
    def->range_max =
        map < 3 ? 5 * (double)test_random_below(random, 40) : test_random_between(random, 0, 6000);
    if (test_random_below(random, 3) == 0)
        def->range_min = 0.2 * def->range_max;
    return grid;
}

/// Which samples are beyond the range, against the distance of each.
static void ranges_end_where_they_should(void **state) {
    test_random random = test_random_start(236);
    static float heights[SIDE * SIDE];
    static uint8_t seen[SIDE * SIDE];
    int64_t on_limit = 0;
    (void)state;
    for (int round = 0; round < (test_long() ? 5000 : 200); round++) {
        lf_viewshed_def def;
        lf_vec2 at;
        lf_grid *grid = make_circle(&random, heights, &def, &at);
        lf_geotransform place = lf_grid_describe(grid).geotransform;
        lf_observer observer = {at, 10, true};
        assert_int_equal(lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid),
                                             seen, 0, NULL, NULL),
                         LF_OK);
        for (int64_t k = 0; k < (int64_t)SIDE * SIDE; k++) {
            lf_vec2 to = lf_geotransform_at(&place, (double)(k % SIDE), (double)(k / SIDE));
            double distance = def.rules.units == LF_MAP_METRES
                                  ? hypot(to.x - at.x, to.y - at.y)
                                  : lf_geodesic_between(&def.rules.ellipsoid, (lf_geodetic){at.x, at.y, 0},
                                                        (lf_geodetic){to.x, to.y, 0})
                                        .distance;
            bool tie = fabs(distance - def.range_max) < 1e-8 || fabs(distance - def.range_min) < 1e-8;
            bool within = distance <= def.range_max && distance >= def.range_min;
            on_limit += tie;
            if (!tie || def.rules.units == LF_MAP_METRES) // limits are closed
                assert_int_equal(seen[k] != LF_VISIBILITY_BEYOND, within || tie);
        }
        lf_grid_destroy(grid);
    }
    assert_true(on_limit > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_are_the_sum_of_all),
                                       cmocka_unit_test(ranges_end_where_they_should)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
