/// The calls of viewsheds: large grids, limits, numbers, several observers, threads, progress, memory, mistakes.
#include "bare.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>
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
    def.geotransform.per_column.x = def.geotransform.per_row.y = spacing;
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

/// An observer near the middle, on a sample, whose ground is no hole.
static lf_observer somebody(const lf_grid *grid, double height) {
    double spacing = lf_grid_describe(grid).geotransform.per_column.x;
    int64_t column = SIDE / 2, row = SIDE / 3;
    for (int k = 0; k < 4; k++)
        column += isnan(lf_grid_sample(grid, column, row));
    return (lf_observer){{spacing * (double)column, spacing * (double)row}, height, false};
}

/// A sample of samples of a large grid by lines: groups of bins, their splits and chunks that are skipped all occur.
static void check_large(lf_surface surface, bool holes, double bend) {
    lf_grid *grid = make_grid(surface, holes, 30);
    const lf_ground *ground;
    ground = lf_grid_ground(grid);
    lf_viewshed_def def = lf_viewshed_def_default();
    def.target = 1.5;
    def.rules.curvature.coefficient = bend;
    lf_observer observer = somebody(grid, 12);
    lf_viewshed_stats stats;
    assert_int_equal(lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid), seen, 0,
                                         &stats, NULL),
                     LF_OK);
    lf_vec3 eye, to;
    lf_reason reason;
    assert_int_equal(lf_sight_observer(ground, observer.at, observer.height, &eye, &reason), LF_OK);
    test_random random = test_random_start(3);
    for (int k = 0; k < 3000; k++) {
        int64_t i = test_random_below(&random, SIDE), j = test_random_below(&random, SIDE);
        to = (lf_vec3){30.0 * (double)i, 30.0 * (double)j, lf_grid_sample(grid, i, j) + def.target};
        lf_sight sight;
        if (sample_is_bare(grid, i, j)) {
            assert_int_equal(seen[j * SIDE + i], LF_VISIBILITY_VOID);
            continue;
        }
        assert_int_equal(lf_sight_between(ground, &def.rules, eye, to, &sight, NULL), LF_OK);
        assert_int_equal(seen[j * SIDE + i], sight.verdict == LF_VERDICT_CLEAR     ? LF_VISIBILITY_VISIBLE
                                             : sight.verdict == LF_VERDICT_BLOCKED ? LF_VISIBILITY_HIDDEN
                                                                                   : LF_VISIBILITY_UNKNOWN);
    }
    // Most are decided together.
    if (!holes)
        assert_true(stats.walked < SIDE * SIDE / 100);
    assert_true(stats.counts[LF_VISIBILITY_VISIBLE] > 0 && stats.counts[LF_VISIBILITY_HIDDEN] > 0);
    lf_grid_destroy(grid);
}

static void large_grids(void **state) {
    (void)state;
    check_large(LF_SURFACE_FALLING, false, 0);
    check_large(LF_SURFACE_RISING, false, LF_CURVATURE_LIGHT);
    check_large(LF_SURFACE_ALTERNATING, false, 0);
    check_large(LF_SURFACE_BILINEAR, false, LF_CURVATURE_LIGHT);
    check_large(LF_SURFACE_FALLING, true, 0);
}

/// Limits are what they say, sample by sample, and nothing else changes.
static void limits(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, true, 10);
    lf_viewshed_def def = lf_viewshed_def_default(), limited;
    lf_observer observer = somebody(grid, 30);
    lf_window all = lf_grid_window(grid);
    assert_int_equal(lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, all, seen, 0, NULL, NULL),
                     LF_OK);
    limited = def;
    limited.range_min = 100;
    limited.range_max = 900;
    limited.azimuth_from_deg = 300;
    limited.azimuth_to_deg = 60;
    lf_window window = lf_viewshed_window(lf_grid_ground(grid), &limited, observer.at);
    assert_true(window.columns >= 181 && window.columns <= 185 && window.rows >= 181 && window.rows <= 185);
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(grid), &limited, &observer, all, again, 0, NULL, NULL), LF_OK);
    for (int64_t k = 0; k < SIDE * SIDE; k++) {
        double dx = 10.0 * (double)(k % SIDE) - observer.at.x, dy = 10.0 * (double)(k / SIDE) - observer.at.y;
        double range = sqrt(dx * dx + dy * dy), turn = fabs(atan2(dx, dy)) * 180 / 3.14159265358979;
        bool within = range >= 100 && range <= 900 && turn <= 60 + 1e-9;
        if (fabs(turn - 60) < 1e-6)
            continue; // on the limit: whatever rounding says
        assert_int_equal(again[k], seen[k] == LF_VISIBILITY_VOID || within ? seen[k] : LF_VISIBILITY_BEYOND);
    }
    limited = def;
    limited.pitch_low_deg = -5;
    limited.pitch_high_deg = 0;
    static float angles[SIDE * SIDE];
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(grid), &limited, &observer, all, again, 0, NULL, NULL), LF_OK);
    assert_int_equal(lf_viewshed_values(lf_grid_ground(grid), &def, &observer, LF_VIEWSHED_ANGLE, all, angles,
                                        0, NULL, NULL),
                     LF_OK);
    for (int64_t k = 0; k < SIDE * SIDE; k++)
        if (seen[k] == LF_VISIBILITY_VISIBLE && angles[k] > -89)
            assert_int_equal(again[k], angles[k] >= -5 && angles[k] <= 0 ? LF_VISIBILITY_VISIBLE
                                                                         : LF_VISIBILITY_BEYOND);
    lf_grid_destroy(grid);
}

#define CLOSED_SIDE 61

/// Which samples a limited viewshed looks at, as many as are not beyond.
static int64_t looked_at(const lf_grid *grid, const lf_viewshed_def *def, lf_observer observer) {
    lf_viewshed_stats stats;
    lf_error error = {0};
    if (lf_viewshed_visible(lf_grid_ground(grid), def, &observer, lf_grid_window(grid), seen, 0, &stats,
                            &error) != LF_OK)
        fail_msg("%s", error.text);
    return CLOSED_SIDE * CLOSED_SIDE - stats.counts[LF_VISIBILITY_BEYOND];
}

/// The samples in a direction from the middle, which is itself within all limits; every one is looked at, and no other.
static void look_along(const lf_grid *grid, lf_observer observer, double from, double to, int dx, int dy) {
    lf_viewshed_def def = lf_viewshed_def_default();
    int middle = CLOSED_SIDE / 2;
    def.rules.units = lf_grid_describe(grid).geotransform.per_column.x < 0.1 ? LF_MAP_DEGREES : LF_MAP_METRES;
    def.azimuth_from_deg = from;
    def.azimuth_to_deg = to;
    int64_t count = looked_at(grid, &def, observer);
    for (int k = 1; k <= middle; k++)
        if (seen[(middle + k * dy) * CLOSED_SIDE + middle + k * dx] == LF_VISIBILITY_BEYOND)
            fail_msg("azimuth %.17g .. %.17g: %d, %d is beyond", from, to, k * dx, k * dy);
    if (from == to)
        assert_int_equal(count, middle + 1);
}

/// Limits that targets lie exactly on, with origins and cell sizes whose sums are rounded: they are within.
static void limits_are_closed(void **state) {
    (void)state;
    static const struct {
        double x, y, step;
    } places[] = {
        {500000.1, 5300000.3, 30.1}, {0.1, 0.7, 0.3}, {-3e6 + 0.2, 1e6 + 0.9, 90.7}, {7.05, 46.95, 0.0083}};
    static const int ways[8][2] = {{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}};
    for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
        bool degrees = n == 3;
        int middle = CLOSED_SIDE / 2;
        lf_grid_def grid_def = lf_grid_def_default();
        lf_grid *grid;
        memset(heights, 0, sizeof heights);
        grid_def.samples.values = heights;
        grid_def.samples.columns = grid_def.samples.rows = CLOSED_SIDE;
        grid_def.geotransform.origin = (lf_vec2){places[n].x, places[n].y};
        grid_def.geotransform.per_column.x = grid_def.geotransform.per_row.y = places[n].step;
        assert_int_equal(lf_grid_create(&grid_def, &grid, NULL), LF_OK);
        // As a user would type it: rounded another way than the grid's own sums.
        lf_observer observer = {.at = {round((places[n].x + middle * places[n].step) * 1e4) / 1e4,
                                       round((places[n].y + middle * places[n].step) * 1e4) / 1e4},
                                .height = 10};
        for (int k = 0; k < 8; k++) {
            double azimuth = 45.0 * k;
            if (degrees && k % 2)
                continue; // a diagonal of the map has another azimuth
            look_along(grid, observer, azimuth, azimuth, ways[k][0], ways[k][1]);
            look_along(grid, observer, azimuth - 360, azimuth - 360, ways[k][0], ways[k][1]);
            look_along(grid, observer, azimuth, azimuth + 20, ways[k][0], ways[k][1]);
            look_along(grid, observer, azimuth - 20, azimuth, ways[k][0], ways[k][1]);
        }
        for (int k = 1; k <= middle && !degrees; k++) { // rings: the four samples on the axes at least
            lf_viewshed_def def = lf_viewshed_def_default();
            def.range_min = def.range_max = round(k * places[n].step * 1e4) / 1e4;
            assert_true(looked_at(grid, &def, observer) >= 4);
            lf_window window = lf_viewshed_window(lf_grid_ground(grid), &def, observer.at);
            assert_true(window.columns >= 2 * k + 1 && window.rows >= 2 * k + 1);
            for (int way = 0; way < 8; way += 2)
                assert_int_not_equal(
                    seen[(middle + k * ways[way][1]) * CLOSED_SIDE + middle + k * ways[way][0]],
                    LF_VISIBILITY_BEYOND);
            def = lf_viewshed_def_default(); // and 45 degrees down to them
            observer.height = round(k * places[n].step * 1e4) / 1e4;
            def.pitch_low_deg = def.pitch_high_deg = -45;
            assert_true(looked_at(grid, &def, observer) >= 5); // the observer's own among them
        }
        lf_grid_destroy(grid);
    }
}

/// Azimuths are counted from the north that the observer has, on a map that is turned, stretched and not conformal.
static void observers_have_compasses(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, false, 10);
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = somebody(grid, 30);
    lf_compass compasses[2] = {{{0.9, -0.4}, {0.2, 1.3}}, {{1, 0}, {0, 1}}};
    def.azimuth_from_deg = 340;
    def.azimuth_to_deg = 75;
    int64_t counts[2] = {0, 0};
    for (int n = 0; n < 2; n++) {
        def.compasses = &compasses[n];
        assert_int_equal(lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid),
                                             seen, 0, NULL, NULL),
                         LF_OK);
        for (int64_t k = 0; k < SIDE * SIDE; k++) {
            lf_vec2 e = compasses[n].east, v = compasses[n].north;
            double x = 10.0 * (double)(k % SIDE) - observer.at.x,
                   y = 10.0 * (double)(k / SIDE) - observer.at.y, area = e.x * v.y - e.y * v.x;
            double azimuth =
                atan2((x * v.y - y * v.x) / area, (y * e.x - x * e.y) / area) * 180 / 3.14159265358979323846;
            bool within = (azimuth >= -20 && azimuth <= 75) || (x == 0 && y == 0);
            counts[n] += within;
            if (fabs(azimuth + 20) > 1e-6 && fabs(azimuth - 75) > 1e-6)
                assert_int_equal(seen[k] != LF_VISIBILITY_BEYOND, within);
        }
    }
    assert_true(llabs(counts[0] - counts[1]) > 1000);
    // Of several observers each has its own.
    static uint32_t numbers[SIDE * SIDE], both[SIDE * SIDE];
    lf_observer two[2] = {observer, observer};
    memset(both, 0, sizeof both);
    for (int n = 0; n < 2; n++) {
        def.compasses = &compasses[n];
        assert_int_equal(lf_viewshed_count(lf_grid_ground(grid), &def, &observer, 1, lf_grid_window(grid),
                                           numbers, 0, NULL, NULL),
                         LF_OK);
        for (int64_t k = 0; k < SIDE * SIDE; k++)
            both[k] += numbers[k];
    }
    def.compasses = compasses;
    assert_int_equal(
        lf_viewshed_count(lf_grid_ground(grid), &def, two, 2, lf_grid_window(grid), numbers, 0, NULL, NULL),
        LF_OK);
    assert_memory_equal(both, numbers, sizeof both);
    lf_error error = {0};
    compasses[1].north = (lf_vec2){2, 0}; // along its east
    assert_int_equal(
        lf_viewshed_count(lf_grid_ground(grid), &def, two, 2, lf_grid_window(grid), numbers, 0, NULL, &error),
        LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    assert_non_null(strstr(error.text, "north 2, 0"));
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
    def.rules.curvature.coefficient = 0;
    limited = def;
    limited.pitch_low_deg = -2;
    assert_int_equal(lf_viewshed_values(lf_grid_ground(grid), &def, &observer, LF_VIEWSHED_GROUND, all, least,
                                        0, NULL, NULL),
                     LF_OK);
    assert_int_equal(lf_viewshed_values(lf_grid_ground(grid), &limited, &observer, LF_VIEWSHED_GROUND, all,
                                        raised, 0, &stats, NULL),
                     LF_OK);
    assert_int_equal(lf_viewshed_values(lf_grid_ground(grid), &limited, &observer, LF_VIEWSHED_DEM, all, dem,
                                        0, NULL, NULL),
                     LF_OK);
    assert_int_equal(stats.counts[LF_VISIBILITY_BEYOND], 0);
    double eye =
        lf_grid_sample(grid, (int64_t)lround(observer.at.x / 10), (int64_t)lround(observer.at.y / 10)) +
        observer.height;
    for (int64_t k = 0; k < SIDE * SIDE; k++) {
        double dx = 10.0 * (double)(k % SIDE) - observer.at.x, dy = 10.0 * (double)(k / SIDE) - observer.at.y;
        double ground = lf_grid_sample(grid, k % SIDE, k / SIDE), range = sqrt(dx * dx + dy * dy);
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
    assert_int_equal(lf_viewshed_values(lf_grid_ground(grid), &limited, &observer, LF_VIEWSHED_GROUND, all,
                                        raised, 0, NULL, NULL),
                     LF_OK);
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
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid), seen, 0, NULL, NULL),
        LF_OK);
    const lf_window parts[] = {{200, 10, 60, 91}, {0, 0, 1, 1}, {160, 100, 30, 30}, {330, 0, 1, 331}};
    for (int p = 0; p < 4; p++) {
        lf_window w = parts[p];
        // Upside down: rows may be written in any order.
        uint8_t *last = again + (w.rows - 1) * w.columns;
        assert_int_equal(lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, w, last,
                                             -(ptrdiff_t)w.columns, NULL, NULL),
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
    const lf_ground *ground;
    ground = lf_grid_ground(grid);
    lf_viewshed_def def = lf_viewshed_def_default();
    def.rules.curvature.coefficient = LF_CURVATURE_RADIO;
    lf_observer observer = somebody(grid, 5);
    static float above[SIDE * SIDE], datum[SIDE * SIDE], distance[SIDE * SIDE];
    lf_window w = {100, 60, 90, 80};
    assert_int_equal(lf_viewshed_values(lf_grid_ground(grid), &def, &observer, LF_VIEWSHED_GROUND, w, above,
                                        0, NULL, NULL),
                     LF_OK);
    assert_int_equal(
        lf_viewshed_values(lf_grid_ground(grid), &def, &observer, LF_VIEWSHED_DEM, w, datum, 0, NULL, NULL),
        LF_OK);
    assert_int_equal(lf_viewshed_values(lf_grid_ground(grid), &def, &observer, LF_VIEWSHED_DISTANCE, w,
                                        distance, 0, NULL, NULL),
                     LF_OK);
    lf_vec3 eye;
    lf_reason reason;
    assert_int_equal(lf_sight_observer(ground, observer.at, observer.height, &eye, &reason), LF_OK);
    int hidden = 0;
    for (int64_t k = 0; k < w.columns * w.rows; k++) {
        int64_t i = w.column + k % w.columns, j = w.row + k / w.columns;
        double ground_z = lf_grid_sample(grid, i, j), x = 30.0 * (double)i, y = 30.0 * (double)j;
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
        assert_int_equal(
            lf_viewshed_visible(lf_grid_ground(grid), &def, &observers[k], w, each[k], 0, NULL, NULL), LF_OK);
    }
    lf_viewshed_stats stats;
    assert_int_equal(lf_viewshed_count(lf_grid_ground(grid), &def, observers, 10, w, counts, 0, &stats, NULL),
                     LF_OK);
    assert_int_equal(lf_viewshed_who(lf_grid_ground(grid), &def, observers, 10, w, planes, NULL, NULL),
                     LF_OK);
    assert_true(stats.bytes <= lf_viewshed_bytes(lf_grid_ground(grid), &def, w));
    for (int64_t p = 0; p < 90 * 100; p++) {
        uint32_t count = 0;
        for (int k = 0; k < 10; k++) {
            bool sees = each[k][p] == LF_VISIBILITY_VISIBLE;
            count += sees;
            assert_int_equal(planes[k / 8 * 9000 + p] >> (k % 8) & 1, sees);
        }
        assert_int_equal(counts[p], each[0][p] == LF_VISIBILITY_VOID ? UINT32_MAX : count);
    }
    assert_int_equal(lf_viewshed_count(lf_grid_ground(grid), &def, NULL, 0, w, counts, 0, NULL, NULL), LF_OK);
    assert_int_equal(lf_viewshed_who(lf_grid_ground(grid), &def, NULL, 0, w, planes, NULL, NULL), LF_OK);
    lf_grid_destroy(grid);
}

static void same_for_all_threads(void **state) {
    (void)state;
    lf_grid *grid = make_grid(LF_SURFACE_FALLING, true, 5);
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = somebody(grid, 8);
    lf_viewshed_stats one, many;
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid), seen, 0, &one, NULL),
        LF_OK);
    for (int threads = 2; threads < 5; threads++) {
        lf_tasks tasks = test_tasks(threads);
        def.host.tasks = &tasks;
        assert_int_equal(lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid),
                                             again, 0, &many, NULL),
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
        assert_int_equal(lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid),
                                             seen, 0, NULL, &error),
                         LF_CANCELLED);
        assert_int_equal(error.status, LF_CANCELLED);
    }
    patience p = {1000};
    lf_progress progress = {&p, report};
    def.host.progress = &progress;
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, lf_grid_window(grid), seen, 0, NULL, NULL),
        LF_OK);
    assert_true(p.left < 1000);
    lf_grid_destroy(grid);
}

static lf_status attempt(const lf_host *host, void *user) {
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observer = somebody(user, 8);
    static float values[40 * 40];
    def.host = *host;
    return lf_viewshed_values(lf_grid_ground(user), &def, &observer, LF_VIEWSHED_ANGLE,
                              (lf_window){5, 5, 40, 40}, values, 0, NULL, NULL);
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
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(grid), def, &observer, window, again, 0, NULL, &error),
        LF_BAD_ARGUMENT);
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
    expect_refused(grid, &def, fine, (lf_window){-1, 0, 1, 1}, "column -1, row 0");
    bad = def, bad.target = INFINITY;
    expect_refused(grid, &bad, fine, all, "target");
    bad = def, bad.range_min = -1;
    expect_refused(grid, &bad, fine, all, "range");
    bad = def, bad.azimuth_to_deg = NAN;
    expect_refused(grid, &bad, fine, all, "azimuth");
    bad = def, bad.pitch_low_deg = NAN;
    expect_refused(grid, &bad, fine, all, "pitch");
    bad = def, bad.rules.curvature.radius = 0;
    expect_refused(grid, &bad, fine, all, "radius 0");
    bad = def, bad.size = 3;
    expect_refused(grid, &bad, fine, all, "size");
    assert_int_equal(lf_viewshed_bytes(NULL, &def, all), 0);
    assert_int_equal(lf_viewshed_bytes(lf_grid_ground(grid), &bad, all), 0);
    lf_error error;
    lf_observer two[2] = {fine, {{1e3, 1e3}, 2, false}};
    uint32_t counts[4];
    assert_int_equal(lf_viewshed_count(lf_grid_ground(grid), &def, two, 2, (lf_window){0, 0, 2, 2}, counts, 0,
                                       NULL, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    assert_int_equal(lf_viewshed_window(lf_grid_ground(grid), &def, (lf_vec2){0, 0}).columns, SIDE);
    bad = def, bad.range_max = 3;
    assert_int_equal(lf_viewshed_window(lf_grid_ground(grid), &bad, (lf_vec2){-100, 0}).columns, 0);
    assert_string_equal(lf_visibility_name(LF_VISIBILITY_BEYOND), "beyond");
    assert_string_equal(lf_visibility_name((lf_visibility)77), "?");
    assert_string_equal(lf_viewshed_mode_name(LF_VIEWSHED_DEM), "dem");
    assert_string_equal(lf_viewshed_mode_name((lf_viewshed_mode)77), "?");
    lf_grid_destroy(grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_grids),
        cmocka_unit_test(limits),
        cmocka_unit_test(limits_are_closed),
        cmocka_unit_test(observers_have_compasses),
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
