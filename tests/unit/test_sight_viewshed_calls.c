/// The calls of viewsheds: large grids, limits, numbers, several observers, threads, progress, memory, mistakes.
#include "support.h"
#include <math.h>
#include <string.h>

#define SIDE 331

static float heights[SIDE * SIDE];
static uint8_t seen[SIDE * SIDE], again[SIDE * SIDE];

static lf_grid *make_grid(lf_surface surface, bool holes, double spacing) {
    test_random random = test_random_start(2);
    for (int64_t k = 0; k < SIDE * SIDE; k++) {
        double x = (double)(k % SIDE), y = (double)(k / SIDE);
        heights[k] = (float)(100 * sin(x * 0.021) * cos(y * 0.017) + 20 * sin(x * 0.2 + y * 0.13) +
                             test_random_between(&random, -0.5, 0.5));
    }
    for (int k = 0; holes && k < 20; k++)
        heights[test_random_below(&random, SIDE * SIDE)] = NAN;
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.surface = surface;
    def.placing.per_column.x = def.placing.per_row.y = spacing;
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

/// An observer near the middle, on a post, whose ground is no hole.
static lf_observer somebody(const lf_grid *grid, double height) {
    double spacing = lf_grid_describe(grid).placing.per_column.x;
    int64_t column = SIDE / 2, row = SIDE / 3;
    for (int k = 0; k < 4; k++)
        column += isnan(lf_grid_post(grid, column, row));
    return (lf_observer){{spacing * (double)column, spacing * (double)row}, height, false};
}

/// A sample of posts of a large grid by lines: groups of bins, their splits and chunks that are skipped all occur.
static void check_large(lf_surface surface, bool holes, double bend) {
    lf_grid *grid = make_grid(surface, holes, 30);
    lf_ground *ground;
    assert_int_equal(lf_ground_from_grid(grid, NULL, &ground), LF_OK);
    lf_viewshed_def def = lf_viewshed_def_default();
    def.target = 1.5;
    def.rules.bend.coefficient = bend;
    lf_observer observer = somebody(grid, 12);
    lf_viewshed_stats stats;
    assert_int_equal(lf_viewshed_seen(grid, &def, &observer, lf_grid_window(grid), seen, 0, &stats, NULL),
                     LF_OK);
    lf_vec3 eye, to;
    lf_reason reason;
    assert_int_equal(lf_sight_stand(ground, observer.at, observer.height, &eye, &reason), LF_OK);
    test_random random = test_random_start(3);
    for (int k = 0; k < 3000; k++) {
        int64_t i = test_random_below(&random, SIDE), j = test_random_below(&random, SIDE);
        to = (lf_vec3){30.0 * (double)i, 30.0 * (double)j, lf_grid_post(grid, i, j) + def.target};
        lf_sight sight;
        if (isnan(to.z)) {
            assert_int_equal(seen[j * SIDE + i], LF_SEEN_HOLE);
            continue;
        }
        assert_int_equal(lf_sight_between(ground, &def.rules, eye, to, &sight, NULL), LF_OK);
        assert_int_equal(seen[j * SIDE + i], sight.verdict == LF_VERDICT_CLEAR     ? LF_SEEN_VISIBLE
                                             : sight.verdict == LF_VERDICT_BLOCKED ? LF_SEEN_HIDDEN
                                                                                   : LF_SEEN_UNKNOWN);
    }
    // Most are decided together.
    if (!holes)
        assert_true(stats.walked < SIDE * SIDE / 100);
    assert_true(stats.counts[LF_SEEN_VISIBLE] > 0 && stats.counts[LF_SEEN_HIDDEN] > 0);
    lf_ground_destroy(ground);
    lf_grid_destroy(grid);
}

static void large_grids(void **state) {
    (void)state;
    check_large(LF_SURFACE_FALLING, false, 0);
    check_large(LF_SURFACE_RISING, false, LF_BEND_LIGHT);
    check_large(LF_SURFACE_ALTERNATING, false, 0);
    check_large(LF_SURFACE_BILINEAR, false, LF_BEND_LIGHT);
    check_large(LF_SURFACE_FALLING, true, 0);
}

/// Limits are what they say, post by post, and nothing else changes.
static void limits(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, true, 10);
    lf_viewshed_def def = lf_viewshed_def_default(), limited;
    lf_observer observer = somebody(grid, 30);
    lf_window all = lf_grid_window(grid);
    assert_int_equal(lf_viewshed_seen(grid, &def, &observer, all, seen, 0, NULL, NULL), LF_OK);
    limited = def;
    limited.range_min = 100;
    limited.range_max = 900;
    limited.azimuth_from_deg = 300;
    limited.azimuth_to_deg = 60;
    lf_window window = lf_viewshed_window(grid, &limited, observer.at);
    assert_true(window.columns >= 181 && window.columns <= 185 && window.rows >= 181 && window.rows <= 185);
    assert_int_equal(lf_viewshed_seen(grid, &limited, &observer, all, again, 0, NULL, NULL), LF_OK);
    for (int64_t k = 0; k < SIDE * SIDE; k++) {
        double dx = 10.0 * (double)(k % SIDE) - observer.at.x, dy = 10.0 * (double)(k / SIDE) - observer.at.y;
        double range = sqrt(dx * dx + dy * dy), turn = fabs(atan2(dx, dy)) * 180 / 3.14159265358979;
        bool within = range >= 100 && range <= 900 && turn <= 60 + 1e-9;
        if (fabs(turn - 60) < 1e-6)
            continue; // on the limit: whatever rounding says
        assert_int_equal(again[k], seen[k] == LF_SEEN_HOLE || within ? seen[k] : LF_SEEN_BEYOND);
    }
    limited = def;
    limited.pitch_low_deg = -5;
    limited.pitch_high_deg = 0;
    static float angles[SIDE * SIDE];
    assert_int_equal(lf_viewshed_seen(grid, &limited, &observer, all, again, 0, NULL, NULL), LF_OK);
    assert_int_equal(lf_viewshed_values(grid, &def, &observer, LF_VIEW_ANGLE, all, angles, 0, NULL, NULL),
                     LF_OK);
    for (int64_t k = 0; k < SIDE * SIDE; k++)
        if (seen[k] == LF_SEEN_VISIBLE && angles[k] > -89)
            assert_int_equal(again[k], angles[k] >= -5 && angles[k] <= 0 ? LF_SEEN_VISIBLE : LF_SEEN_BEYOND);
    lf_grid_destroy(grid);
}

/// The lowest pitch raises least heights: to the height at which it is reached, where that is more than what is in the way asks for.
static void low_pitches_raise_heights(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, true, 10);
    lf_viewshed_def def = lf_viewshed_def_default(), limited;
    lf_observer observer = somebody(grid, 30);
    lf_window all = lf_grid_window(grid);
    static float least[SIDE * SIDE], raised[SIDE * SIDE], dem[SIDE * SIDE];
    int64_t raises = 0, keeps = 0;
    lf_viewshed_stats stats;
    def.rules.bend.coefficient = 0;
    limited = def;
    limited.pitch_low_deg = -2;
    assert_int_equal(lf_viewshed_values(grid, &def, &observer, LF_VIEW_GROUND, all, least, 0, NULL, NULL),
                     LF_OK);
    assert_int_equal(
        lf_viewshed_values(grid, &limited, &observer, LF_VIEW_GROUND, all, raised, 0, &stats, NULL), LF_OK);
    assert_int_equal(lf_viewshed_values(grid, &limited, &observer, LF_VIEW_DEM, all, dem, 0, NULL, NULL),
                     LF_OK);
    assert_int_equal(stats.counts[LF_SEEN_BEYOND], 0);
    double eye =
        lf_grid_post(grid, (int64_t)lround(observer.at.x / 10), (int64_t)lround(observer.at.y / 10)) +
        observer.height;
    for (int64_t k = 0; k < SIDE * SIDE; k++) {
        double dx = 10.0 * (double)(k % SIDE) - observer.at.x, dy = 10.0 * (double)(k / SIDE) - observer.at.y;
        double ground = lf_grid_post(grid, k % SIDE, k / SIDE), range = sqrt(dx * dx + dy * dy);
        double lift = eye - range * tan(2 * 3.14159265358979324 / 180) - ground;
        if (isnan(least[k])) {
            assert_true(isnan(raised[k]) || lift > 0);
            continue;
        }
        double expected = range == 0 ? least[k] : fmax(least[k], lift);
        assert_true(fabs(raised[k] - expected) <= 1e-4 * (1 + fabs(expected)));
        assert_true(fabs(dem[k] - (ground + raised[k])) <= 1e-3);
        raises += raised[k] > least[k];
        keeps += raised[k] == least[k];
    }
    assert_true(raises > 100 && keeps > 100);
    limited.pitch_low_deg = 90;
    assert_int_equal(
        lf_viewshed_values(grid, &limited, &observer, LF_VIEW_GROUND, all, raised, 0, NULL, NULL), LF_OK);
    for (int64_t k = 0; k < SIDE * SIDE; k++)
        assert_true(isnan(raised[k]) || raised[k] == 0);
    lf_grid_destroy(grid);
}

/// A window is a part of the whole.
static void windows(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_RISING, true, 1);
    lf_viewshed_def def = lf_viewshed_def_default();
    def.target = 2;
    lf_observer observer = somebody(grid, 3);
    assert_int_equal(lf_viewshed_seen(grid, &def, &observer, lf_grid_window(grid), seen, 0, NULL, NULL),
                     LF_OK);
    const lf_window parts[] = {{200, 10, 60, 91}, {0, 0, 1, 1}, {160, 100, 30, 30}, {330, 0, 1, 331}};
    for (int p = 0; p < 4; p++) {
        lf_window w = parts[p];
        // Upside down: rows may be written in any order.
        uint8_t *last = again + (w.rows - 1) * w.columns;
        assert_int_equal(lf_viewshed_seen(grid, &def, &observer, w, last, -(ptrdiff_t)w.columns, NULL, NULL),
                         LF_OK);
        for (int64_t row = 0; row < w.rows; row++)
            assert_memory_equal(again + (w.rows - 1 - row) * w.columns,
                                seen + (w.row + row) * SIDE + w.column, (size_t)w.columns);
    }
    lf_grid_destroy(grid);
}

/// Least heights: a target just above is seen, one below is not.
static void least_heights(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, false, 30);
    lf_ground *ground;
    assert_int_equal(lf_ground_from_grid(grid, NULL, &ground), LF_OK);
    lf_viewshed_def def = lf_viewshed_def_default();
    def.rules.bend.coefficient = LF_BEND_RADIO;
    lf_observer observer = somebody(grid, 5);
    static float above[SIDE * SIDE], datum[SIDE * SIDE], distance[SIDE * SIDE];
    lf_window w = {100, 60, 90, 80};
    assert_int_equal(lf_viewshed_values(grid, &def, &observer, LF_VIEW_GROUND, w, above, 0, NULL, NULL),
                     LF_OK);
    assert_int_equal(lf_viewshed_values(grid, &def, &observer, LF_VIEW_DEM, w, datum, 0, NULL, NULL), LF_OK);
    assert_int_equal(lf_viewshed_values(grid, &def, &observer, LF_VIEW_DISTANCE, w, distance, 0, NULL, NULL),
                     LF_OK);
    lf_vec3 eye;
    lf_reason reason;
    assert_int_equal(lf_sight_stand(ground, observer.at, observer.height, &eye, &reason), LF_OK);
    int hidden = 0;
    for (int64_t k = 0; k < w.columns * w.rows; k++) {
        int64_t i = w.column + k % w.columns, j = w.row + k / w.columns;
        double ground_z = lf_grid_post(grid, i, j), x = 30.0 * (double)i, y = 30.0 * (double)j;
        assert_true(fabs((double)datum[k] - (ground_z + (double)above[k])) < 1e-3);
        lf_sight sight;
        lf_vec3 higher = {x, y, ground_z + (double)above[k] * (1 + 1e-5) + 1e-4},
                lower = {x, y, ground_z + (double)above[k] * (1 - 1e-5) - 1e-4};
        assert_int_equal(lf_sight_between(ground, &def.rules, eye, higher, &sight, NULL), LF_OK);
        assert_int_equal(sight.verdict, LF_VERDICT_CLEAR);
        assert_int_equal(isnan(distance[k]), above[k] > 0);
        if (above[k] == 0) {
            assert_true(fabs((double)distance[k] - hypot(x - eye.x, y - eye.y)) <= 1e-3);
            continue;
        }
        hidden++;
        assert_int_equal(lf_sight_between(ground, &def.rules, eye, lower, &sight, NULL), LF_OK);
        assert_int_equal(sight.verdict, LF_VERDICT_BLOCKED);
    }
    assert_true(hidden > 0);
    lf_ground_destroy(ground);
    lf_grid_destroy(grid);
}

static void several_observers(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, true, 1);
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_window w = {20, 30, 100, 90};
    lf_observer observers[10];
    static uint8_t each[10][90 * 100], planes[2 * 90 * 100];
    static uint32_t counts[90 * 100];
    for (int k = 0; k < 10; k++) {
        observers[k] = (lf_observer){{30 + 13.5 * k, 200 - 7.25 * k}, 90 + 5 * k, true};
        assert_int_equal(lf_viewshed_seen(grid, &def, &observers[k], w, each[k], 0, NULL, NULL), LF_OK);
    }
    lf_viewshed_stats stats;
    assert_int_equal(lf_viewshed_count(grid, &def, observers, 10, w, counts, 0, &stats, NULL), LF_OK);
    assert_int_equal(lf_viewshed_who(grid, &def, observers, 10, w, planes, NULL, NULL), LF_OK);
    assert_true(stats.bytes <= lf_viewshed_bytes(grid, &def, w));
    for (int64_t p = 0; p < 90 * 100; p++) {
        uint32_t count = 0;
        for (int k = 0; k < 10; k++) {
            bool sees = each[k][p] == LF_SEEN_VISIBLE;
            count += sees;
            assert_int_equal(planes[k / 8 * 9000 + p] >> (k % 8) & 1, sees);
        }
        assert_int_equal(counts[p], each[0][p] == LF_SEEN_HOLE ? UINT32_MAX : count);
    }
    assert_int_equal(lf_viewshed_count(grid, &def, NULL, 0, w, counts, 0, NULL, NULL), LF_OK);
    assert_int_equal(lf_viewshed_who(grid, &def, NULL, 0, w, planes, NULL, NULL), LF_OK);
    lf_grid_destroy(grid);
}

static void same_for_all_threads(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, true, 5);
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = somebody(grid, 8);
    lf_viewshed_stats one, many;
    assert_int_equal(lf_viewshed_seen(grid, &def, &observer, lf_grid_window(grid), seen, 0, &one, NULL),
                     LF_OK);
    for (int threads = 2; threads < 5; threads++) {
        lf_tasks tasks = test_tasks(threads);
        def.host.tasks = &tasks;
        assert_int_equal(lf_viewshed_seen(grid, &def, &observer, lf_grid_window(grid), again, 0, &many, NULL),
                         LF_OK);
        assert_memory_equal(seen, again, sizeof seen);
        assert_int_equal(one.walked, many.walked);
        assert_memory_equal(one.counts, many.counts, sizeof one.counts);
    }
    lf_grid_destroy(grid);
}

typedef struct patience {
    int left;
} patience;

static bool report(void *user, const char *stage, int64_t done, int64_t total) {
    patience *p = user;
    assert_non_null(stage);
    assert_true(done >= 0 && done <= total);
    return p->left-- > 0;
}

static void cancelling(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, false, 5);
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = somebody(grid, 8);
    for (int left = 0; left < 40; left += 13) {
        patience p = {left};
        lf_progress progress = {&p, report};
        lf_error error;
        def.host.progress = &progress;
        assert_int_equal(lf_viewshed_seen(grid, &def, &observer, lf_grid_window(grid), seen, 0, NULL, &error),
                         LF_CANCELLED);
        assert_int_equal(error.status, LF_CANCELLED);
    }
    patience p = {1000};
    lf_progress progress = {&p, report};
    def.host.progress = &progress;
    assert_int_equal(lf_viewshed_seen(grid, &def, &observer, lf_grid_window(grid), seen, 0, NULL, NULL),
                     LF_OK);
    assert_true(p.left < 1000);
    lf_grid_destroy(grid);
}

static lf_status attempt(const lf_host *host, void *user) {
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = somebody(user, 8);
    static float values[40 * 40];
    def.host = *host;
    return lf_viewshed_values(user, &def, &observer, LF_VIEW_ANGLE, (lf_window){5, 5, 40, 40}, values, 0,
                              NULL, NULL);
}

/// Every allocation may fail; and no more is taken than was said.
static void memory(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, false, 5);
    test_out_of_memory(attempt, grid);
    lf_grid_destroy(grid);
}

static void expect_refused(const lf_grid *grid, const lf_viewshed_def *def, lf_observer observer,
                           lf_window window, const char *text) {
    lf_error error = {LF_OK, 0, ""};
    memset(again, 7, 16);
    assert_int_equal(lf_viewshed_seen(grid, def, &observer, window, again, 0, NULL, &error), LF_BAD_ARGUMENT);
    if (!strstr(error.text, text))
        print_error("%s\n", error.text);
    assert_non_null(strstr(error.text, text));
    assert_int_equal(again[0], 7);
}

static void mistakes(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, false, 1);
    lf_viewshed_def def = lf_viewshed_def_default(), bad;
    lf_window all = lf_grid_window(grid);
    lf_observer fine = somebody(grid, 2);
    expect_refused(grid, &def, (lf_observer){{-5.5, 12.25}, 2, false}, all, "outside) at -5.5, 12.25");
    expect_refused(grid, &def, (lf_observer){{NAN, 0}, 2, true}, all, "nan");
    expect_refused(grid, &def, fine, (lf_window){0, 0, SIDE + 1, 1}, "332 x 1");
    expect_refused(grid, &def, fine, (lf_window){-1, 0, 1, 1}, "-1, 0");
    bad = def, bad.target = INFINITY;
    expect_refused(grid, &bad, fine, all, "target");
    bad = def, bad.range_min = -1;
    expect_refused(grid, &bad, fine, all, "range");
    bad = def, bad.azimuth_to_deg = NAN;
    expect_refused(grid, &bad, fine, all, "azimuth");
    bad = def, bad.pitch_low_deg = NAN;
    expect_refused(grid, &bad, fine, all, "pitch");
    bad = def, bad.rules.bend.radius = 0;
    expect_refused(grid, &bad, fine, all, "radius 0");
    bad = def, bad.size = 3;
    expect_refused(grid, &bad, fine, all, "size");
    assert_int_equal(lf_viewshed_bytes(NULL, &def, all), 0);
    assert_int_equal(lf_viewshed_bytes(grid, &bad, all), 0);
    lf_error error;
    lf_observer two[2] = {fine, {{1e3, 1e3}, 2, false}};
    uint32_t counts[4];
    assert_int_equal(lf_viewshed_count(grid, &def, two, 2, (lf_window){0, 0, 2, 2}, counts, 0, NULL, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    assert_int_equal(lf_viewshed_window(grid, &def, (lf_vec2){0, 0}).columns, SIDE);
    bad = def, bad.range_max = 3;
    assert_int_equal(lf_viewshed_window(grid, &bad, (lf_vec2){-100, 0}).columns, 0);
    assert_string_equal(lf_seen_word(LF_SEEN_BEYOND), "beyond");
    assert_string_equal(lf_seen_word((lf_seen)77), "?");
    assert_string_equal(lf_viewshed_mode_word(LF_VIEW_DEM), "dem");
    assert_string_equal(lf_viewshed_mode_word((lf_viewshed_mode)77), "?");
    lf_grid_destroy(grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_grids),
        cmocka_unit_test(limits),
        cmocka_unit_test(low_pitches_raise_heights),
        cmocka_unit_test(windows),
        cmocka_unit_test(least_heights),
        cmocka_unit_test(several_observers),
        cmocka_unit_test(same_for_all_threads),
        cmocka_unit_test(cancelling),
        cmocka_unit_test(memory),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
