/// Shade on grids: the sweep says what single lines say, and these what the definition says.
#include "bare.h"
#include "sight/horizon.h"
#include "skies.h"
#include <stdlib.h>
#include <string.h>

static lf_sun any_sun(test_random *random) {
    static const double azimuths[] = {0, 45, 90, 135, 180, 225, 270, 315};
    static const double altitudes[] = {0, 45, 26.56505117707799, 90, 60, 5};
    lf_sun sun = {test_random_between(random, -400, 400), test_random_between(random, -3, 70), 1};
    if (test_random_below(random, 3) == 0)
        sun.azimuth_deg = azimuths[test_random_below(random, 8)];
    if (test_random_below(random, 3) == 0)
        sun.altitude_deg = altitudes[test_random_below(random, 6)];
    return sun;
}

static lf_horizon_def any_def(test_random *random) {
    lf_horizon_def def = lf_horizon_def_default();
    if (test_random_below(random, 2) == 0)
        def.rules.curvature =
            (lf_curvature){test_random_between(random, -0.2, 1), pow(10, test_random_between(random, 1, 6))};
    if (test_random_below(random, 3) == 0)
        def.range = test_random_between(random, 0.5, 60);
    if (test_random_below(random, 2) == 0)
        def.height = test_random_below(random, 2) ? 1 : test_random_between(random, -0.5, 3);
    def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    return def;
}

static lf_window any_window(const sky_grid *sky, test_random *random) {
    lf_window w = sky_window_all(sky);
    if (test_random_below(random, 2) == 0)
        return w;
    w.column = test_random_below(random, w.columns);
    w.row = test_random_below(random, w.rows);
    w.columns = 1 + test_random_below(random, w.columns - w.column);
    w.rows = 1 + test_random_below(random, w.rows - w.row);
    return w;
}

/// Every sample of a window against a line of its own. Returns how many are lit.
static int64_t compare(const sky_grid *sky, const lf_horizon_def *def, lf_sun sun, lf_window w, int threads) {
    lf_horizon_def mine = *def;
    lf_tasks tasks = test_tasks(threads);
    mine.host.tasks = threads > 1 ? &tasks : NULL;
    uint8_t *lit = malloc((size_t)(w.columns * w.rows));
    memset(lit, 77, (size_t)(w.columns * w.rows));
    assert_int_equal(lf_sun_shade(lf_grid_ground(sky->grid), &mine, sun, w, lit, 0, NULL), LF_OK);
    lf__shade shade = {.grid = sky->grid, .def = &mine, .window = w};
    assert_int_equal(lf__shade_start(&shade, sun, NULL), LF_OK);
    lf_counters cost = {.questions = 0};
    int64_t bright = 0;
    for (int64_t j = 0; j < w.rows; j++)
        for (int64_t i = 0; i < w.columns; i++) {
            int64_t column = w.column + i, row = w.row + j;
            int seen = sample_is_bare(sky->grid, column, row) ? LF_VISIBILITY_VOID
                                                              : lf__shade_sample(&shade, column, row, &cost);
            int swept = lit[j * w.columns + i];
            bright += seen == LF_VISIBILITY_VISIBLE;
            if (swept != seen)
                fail_msg(
                    "sample %d, %d of %d x %d, surface %d, sun %.17g %.17g, bend %g, range %g, height %g, "
                    "holes %d: swept %d, by itself %d",
                    (int)column, (int)row, (int)sky->info.columns, (int)sky->info.rows,
                    (int)sky->info.surface, sun.azimuth_deg, sun.altitude_deg,
                    def->rules.curvature.coefficient, def->range, def->height, (int)def->rules.voids, swept,
                    seen);
        }
    free(lit);
    return bright;
}

static void sweep_is_as_single_lines(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    int64_t rounds = test_long() ? 20000 : 250;
    for (int64_t k = 0; k < rounds; k++) {
        sky_grid sky = sky_grid_any((lf_surface)test_random_below(&random, 5), 24, &random);
        lf_horizon_def def = any_def(&random);
        compare(&sky, &def, any_sun(&random), any_window(&sky, &random), k % 8 == 0 ? 3 : 1);
        sky_grid_free(&sky);
    }
}

/// Wide enough for several tasks side by side.
static void wide_sweeps_too(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    for (int64_t k = 0; k < (test_long() ? 200 : 5); k++) {
        sky_grid sky = sky_grid_any((lf_surface)(k % 4), 400, &random);
        lf_horizon_def def = any_def(&random);
        lf_sun sun = {test_random_between(&random, 0, 360), test_random_between(&random, 1, 30), 1};
        lf_window w = any_window(&sky, &random);
        w.rows = w.rows > 100 ? 100 : w.rows;
        compare(&sky, &def, sun, w, 1 + (int)(k % 3));
        sky_grid_free(&sky);
    }
}

/// A grid in degrees: whole heights or real ones, void samples or none, near the equator, the poles or the seam.
static sky_grid degrees_grid(test_random *random) {
    lf_grid_def def = lf_grid_def_default();
    lf_samples *samples = &def.samples;
    static const double steps[] = {1.0 / 1200, 0.01, 0.25, 1.0 / 64}, lats[] = {0, 44, -57.5, 84, 89, 89.9};
    double lat = lats[test_random_below(random, 6)];
    int64_t step = test_random_below(random, 4), most = step == 2 ? 20 : lat == 89.9 ? 8 : 90;
    int64_t holes = test_random_below(random, 3) == 0 ? 3 + test_random_below(random, 400) : 0;
    samples->columns = 2 + test_random_below(random, most);
    samples->rows = 2 + test_random_below(random, most);
    samples->type = test_random_below(random, 2) ? LF_SAMPLE_FLOAT : LF_SAMPLE_INT16;
    int64_t count = samples->columns * samples->rows;
    float *heights = test_space(count, sizeof *heights);
    int16_t *whole = test_space(count, sizeof *whole);
    double size = pow(10, test_random_between(random, 0, 3.5));
    for (int64_t k = 0; k < count; k++) {
        heights[k] = (float)(size * pow(test_random_between(random, 0, 1), 4));
        whole[k] = (int16_t)heights[k];
        if (holes && k > 0 && test_random_below(random, holes) == 0) {
            heights[k] = (float)NAN;
            whole[k] = -32768;
        }
    }
    samples->values = samples->type == LF_SAMPLE_FLOAT ? (const void *)heights : (const void *)whole;
    if (samples->type == LF_SAMPLE_INT16)
        samples->nodata = -32768;
    def.surface = (lf_surface)test_random_below(random, 5);
    def.extend = test_random_below(random, 4) == 0;
    double lon = test_random_below(random, 4) == 0 ? 179.5 : 11;
    def.geotransform = (lf_geotransform){{lon, lat}, {steps[step], 0}, {0, steps[step]}};
    if (test_random_below(random, 6) == 0)
        def.geotransform.per_row.x = 0.3 * steps[step];
    if (test_random_below(random, 8) == 0)
        def.geotransform.per_column.y = 0.1 * steps[step];
    if (test_random_below(random, 2) == 0 && def.geotransform.per_row.x == 0 &&
        def.geotransform.per_column.y == 0)
        def.turn = 360;
    sky_grid sky;
    lf_error error = {0};
    if (lf_grid_create(&def, &sky.grid, &error) != LF_OK)
        fail_msg("%s", error.text);
    sky.ground = lf_grid_ground(sky.grid);
    sky.info = lf_grid_describe(sky.grid);
    free(whole);
    free(heights);
    return sky;
}

/// On degrees every row has its own direction.
static void degrees_are_as_single_lines(void **state) {
    (void)state;
    test_random random = test_random_start(11);
    int64_t bright = 0, samples = 0;
    for (int64_t k = 0; k < (test_long() ? 4000 : 120); k++) {
        sky_grid sky = degrees_grid(&random);
        lf_horizon_def def = any_def(&random);
        def.rules.units = LF_MAP_DEGREES;
        if (test_random_below(&random, 2) == 0)
            def.rules.curvature = (lf_curvature){0.857, 6371008.8};
        if (def.range < LF_INFINITY)
            def.range *= 1000;
        lf_sun sun = any_sun(&random);
        if (test_random_below(&random, 2) == 0)
            sun.altitude_deg = test_random_between(&random, -1, 3);
        lf_window w = any_window(&sky, &random);
        bright += compare(&sky, &def, sun, w, k % 8 == 0 ? 3 : 1);
        samples += w.columns * w.rows;
        sky_grid_free(&sky);
    }
    assert_true(bright > samples / 20 && bright < samples - samples / 20);
}

/// The lowest height of a line without end that goes down at first.
static double lowest_of(const sky_line *line) {
    if (line->slope >= 0)
        return LF_INFINITY;
    double lowest = line->from.z, d = 1e-3;
    for (int k = 0; k < 400; k++, d *= 1.1) // to 10^13 m
        lowest = fmin(lowest, line->from.z + line->slope * d + line->bend * d * d);
    return lowest;
}

/// Single lines against the definition, wherever that is not within rounding.
static void single_lines_are_as_defined(void **state) {
    (void)state;
    test_random random = test_random_start(3);
    for (int k = 0; k < (test_long() ? 3000 : 60); k++) {
        sky_grid sky = sky_grid_any((lf_surface)test_random_below(&random, 5), 9, &random);
        lf_horizon_def def = any_def(&random);
        def.rules.voids = LF_VOIDS_PASS;
        lf_sun sun = any_sun(&random);
        sun.altitude_deg = fmin(sun.altitude_deg, 80);
        int64_t i = test_random_below(&random, sky.info.columns),
                j = test_random_below(&random, sky.info.rows);
        double ground = lf_grid_sample(sky.grid, i, j);
        uint8_t lit;
        assert_int_equal(
            lf_sun_shade(lf_grid_ground(sky.grid), &def, sun, (lf_window){i, j, 1, 1}, &lit, 0, NULL), LF_OK);
        if (sample_is_bare(sky.grid, i, j)) {
            assert_int_equal(lit, LF_VISIBILITY_VOID);
        } else {
            const double degree = 0.017453292519943295;
            lf_vec2 place = lf__sample_place(sky.grid, i, j);
            sky_line line = {{place.x, place.y, ground + def.height},
                             {sin(sun.azimuth_deg * degree), cos(sun.azimuth_deg * degree)},
                             tan(sun.altitude_deg * degree),
                             def.rules.curvature.coefficient / (2 * def.rules.curvature.radius),
                             def.range};
            sky_brute brute = sky_look(&sky, &line);
            double deepest = lowest_of(&line);
            if (deepest < fmin(0, sky.info.low)) // the planet is in the way
                brute.clearance = fmin(brute.clearance, deepest - fmin(0, sky.info.low));
            if (brute.clearance < -1e-5)
                assert_int_equal(lit, LF_VISIBILITY_HIDDEN);
            // Between the places that were looked at the ground cannot rise by more than this.
            if (brute.clearance > 0.05)
                assert_int_equal(lit, LF_VISIBILITY_VISIBLE);
        }
        sky_grid_free(&sky);
    }
}

/// A wall of height 10 on column 10 of a level ground, the sun in the east at 45 degrees: shade as far as column 0.
static void shadow_of_a_wall(void **state) {
    (void)state;
    enum { SIDE = 25 };
    double heights[SIDE * SIDE] = {0};
    for (int j = 0; j < SIDE; j++)
        heights[j * SIDE + 14] = 10;
    sky_grid sky = sky_grid_of(heights, SIDE, SIDE, LF_SURFACE_RISING);
    lf_horizon_def def = lf_horizon_def_default();
    uint8_t lit[SIDE * SIDE];
    lf_sun sun = {90, 45, 1};
    assert_int_equal(lf_sun_shade(lf_grid_ground(sky.grid), &def, sun, sky_window_all(&sky), lit, 0, NULL),
                     LF_OK);
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) // the line from column 4 touches the crest: lit
            assert_int_equal(lit[j * SIDE + i],
                             i > 4 && i < 14 ? LF_VISIBILITY_HIDDEN : LF_VISIBILITY_VISIBLE);
    def.range = 5.5; // only what is near counts
    assert_int_equal(
        lf_sun_shade(lf_grid_ground(sky.grid), &def, sun, sky_window_all(&sky), lit, -SIDE + SIDE, NULL),
        LF_OK);
    for (int i = 0; i < SIDE; i++)
        assert_int_equal(lit[i], i > 8 && i < 14 ? LF_VISIBILITY_HIDDEN : LF_VISIBILITY_VISIBLE);
    sky_grid_free(&sky);
}

static void holes_are_unknown(void **state) {
    (void)state;
    enum { SIDE = 9 };
    double heights[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = k == 0 ? 3 : 0;
    heights[4 * SIDE + 6] = NAN;
    sky_grid sky = sky_grid_of(heights, SIDE, SIDE, LF_SURFACE_FALLING);
    lf_horizon_def def = lf_horizon_def_default();
    lf_sun sun = {90, 45, 1};
    static const lf_visibility wanted[3] = {LF_VISIBILITY_UNKNOWN, LF_VISIBILITY_VISIBLE,
                                            LF_VISIBILITY_HIDDEN};
    for (int policy = 0; policy < 3; policy++) {
        uint8_t lit[SIDE * SIDE];
        def.rules.voids = (lf_void_policy)policy;
        assert_int_equal(
            lf_sun_shade(lf_grid_ground(sky.grid), &def, sun, sky_window_all(&sky), lit, 0, NULL), LF_OK);
        // Cells from column 5 to 7 are missing; the highest height is 3, so the line is above that 3 columns
        // on.
        assert_int_equal(lit[4 * SIDE + 6], LF_VISIBILITY_VOID);
        for (int i = 0; i < SIDE; i++)
            if (i != 6)
                assert_int_equal(lit[4 * SIDE + i], i > 2 && i < 7 ? wanted[policy] : LF_VISIBILITY_VISIBLE);
    }
    sky_grid_free(&sky);
}

/// Seen from high up over a round earth, a sun a little below level still shines: 40 m above datum its dip is 0.188 degrees. From lower down, and at
/// night, the planet hides it, although the grid ends before any ground does; a range is no help.
static void sun_below_level(void **state) {
    (void)state;
    static const struct {
        double altitude, bend, range;
        int lit;
    } cases[] = {{-0.1, LF_CURVATURE_LIGHT, LF_INFINITY, 1},
                 {-0.18, LF_CURVATURE_LIGHT, LF_INFINITY, 1},
                 {-0.2, LF_CURVATURE_LIGHT, LF_INFINITY, 0},
                 {-11, LF_CURVATURE_LIGHT, LF_INFINITY, 0},
                 {-0.2, LF_CURVATURE_LIGHT, 0.5, 0},
                 {-0.1, LF_CURVATURE_LIGHT, 0.5, 1},
                 {-0.1, 0, LF_INFINITY, 0},
                 {-0.01, -0.5, LF_INFINITY, 0},
                 {0, LF_CURVATURE_LIGHT, LF_INFINITY, 9},
                 {0, 0, 0.5, 9}};
    double heights[3 * 3] = {0, 0, 0, 0, 40, 0, 0, 0, 0};
    for (int azimuth = 0; azimuth < 360; azimuth += 41)
        for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
            for (int surface = 0; surface < 4; surface++) { // the squares of samples hide what is below level
                sky_grid sky = sky_grid_of(heights, 3, 3, (lf_surface)surface);
                lf_horizon_def def = lf_horizon_def_default();
                lf_sun sun = {azimuth, cases[n].altitude, 1};
                uint8_t lit[9];
                float hours[9];
                int count = 0;
                def.rules.curvature.coefficient = cases[n].bend;
                def.range = cases[n].range;
                assert_int_equal(
                    lf_sun_shade(lf_grid_ground(sky.grid), &def, sun, sky_window_all(&sky), lit, 0, NULL),
                    LF_OK);
                assert_int_equal(lf_sun_hours(lf_grid_ground(sky.grid), &def, &sun, 1, sky_window_all(&sky),
                                              hours, 0, NULL),
                                 LF_OK);
                for (int i = 0; i < 9; i++) {
                    count += lit[i] == LF_VISIBILITY_VISIBLE;
                    assert_true(hours[i] == (lit[i] == LF_VISIBILITY_VISIBLE ? 1.0f : 0.0f));
                }
                // With the sun at level the peak hides it from some of the others.
                if (cases[n].lit < 9 ? count != cases[n].lit : count < 5)
                    fail_msg("azimuth %d, case %zu, surface %d: %d are lit", azimuth, n, surface, count);
                assert_int_equal(lit[4], cases[n].lit > 0 ? LF_VISIBILITY_VISIBLE : LF_VISIBILITY_HIDDEN);
                sky_grid_free(&sky);
            }
}

static void hours_add_up(void **state) {
    (void)state;
    test_random random = test_random_start(4);
    for (int k = 0; k < 20; k++) {
        sky_grid sky = sky_grid_any((lf_surface)(k % 5), 20, &random);
        lf_window w = any_window(&sky, &random);
        lf_horizon_def def = any_def(&random);
        lf_tasks tasks = test_tasks(2);
        def.host.tasks = k % 2 ? &tasks : NULL;
        lf_sun suns[5];
        double sums[400] = {0};
        uint8_t lit[400];
        for (int n = 0; n < 5; n++) {
            suns[n] = any_sun(&random);
            suns[n].hours = test_random_between(&random, 0, 2);
            assert_int_equal(lf_sun_shade(lf_grid_ground(sky.grid), &def, suns[n], w, lit, 0, NULL), LF_OK);
            for (int64_t p = 0; p < w.columns * w.rows; p++)
                sums[p] += lit[p] == LF_VISIBILITY_VISIBLE ? suns[n].hours : 0;
        }
        float hours[400 + 20];
        assert_int_equal(
            lf_sun_hours(lf_grid_ground(sky.grid), &def, suns, 5, w, hours + 20 * (w.rows - 1), -80, NULL),
            LF_OK);
        for (int64_t j = 0; j < w.rows; j++)
            for (int64_t i = 0; i < w.columns; i++) {
                float got = hours[20 * (w.rows - 1 - j) + i];
                if (sample_is_bare(sky.grid, w.column + i, w.row + j))
                    assert_true(isnan(got));
                else
                    assert_true(got == (float)sums[j * w.columns + i]);
            }
        assert_int_equal(lf_sun_hours(lf_grid_ground(sky.grid), &def, NULL, 0, w, hours, 0, NULL), LF_OK);
        assert_true(hours[0] == 0 || isnan(hours[0]));
        sky_grid_free(&sky);
    }
}

static bool stop_at_once(void *user, const char *stage, int64_t done, int64_t total) {
    int *left = user;
    assert_non_null(stage);
    assert_true(done >= 0 && done <= total);
    return --*left >= 0;
}

static void cancelled(void **state) {
    (void)state;
    test_random random = test_random_start(5);
    sky_grid sky = sky_grid_any(LF_SURFACE_RISING, 20, &random);
    lf_horizon_def def = lf_horizon_def_default();
    int left = 0;
    lf_progress progress = {&left, stop_at_once};
    def.host.progress = &progress;
    uint8_t lit[400];
    float hours[400];
    lf_error error;
    lf_sun suns[2] = {{1, 20, 1}, {2, 20, 1}};
    lf_window w = sky_window_all(&sky);
    assert_int_equal(lf_sun_shade(lf_grid_ground(sky.grid), &def, suns[0], w, lit, 0, &error), LF_CANCELLED);
    assert_int_equal(error.status, LF_CANCELLED);
    left = 2;
    hours[0] = 5;
    assert_int_equal(lf_sun_hours(lf_grid_ground(sky.grid), &def, suns, 2, w, hours, 0, &error),
                     LF_CANCELLED);
    assert_true(hours[0] == 5);
    left = 100;
    assert_int_equal(lf_sun_hours(lf_grid_ground(sky.grid), &def, suns, 2, w, hours, 0, &error), LF_OK);
    assert_true(left < 98);
    sky_grid_free(&sky);
}

static lf_status count_with(const lf_host *host, void *user) {
    const sky_grid *sky = user;
    lf_horizon_def def = lf_horizon_def_default();
    def.host = *host;
    lf_sun sun = {90, 30, 1};
    float hours[400];
    return lf_sun_hours(lf_grid_ground(sky->grid), &def, &sun, 1, sky_window_all(sky), hours, 0, NULL);
}

static void out_of_memory(void **state) {
    (void)state;
    test_random random = test_random_start(6);
    sky_grid sky = sky_grid_any(LF_SURFACE_FALLING, 20, &random);
    test_out_of_memory(count_with, &sky);
    sky_grid_free(&sky);
}

static void refuse(const sky_grid *sky, const lf_horizon_def *def, lf_sun sun, lf_window w,
                   const char *word) {
    uint8_t lit[16] = {9};
    float hours[16] = {9};
    lf_error error = {.text = ""};
    assert_int_equal(lf_sun_shade(lf_grid_ground(sky->grid), def, sun, w, lit, 0, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, word));
    assert_int_equal(lf_sun_hours(lf_grid_ground(sky->grid), def, &sun, 1, w, hours, 0, &error),
                     LF_BAD_ARGUMENT);
    assert_true(lit[0] == 9 && hours[0] == 9);
}

static void bad_input(void **state) {
    (void)state;
    double heights[16] = {0};
    sky_grid sky = sky_grid_of(heights, 4, 4, LF_SURFACE_FALLING);
    lf_horizon_def good = lf_horizon_def_default(), bad;
    lf_sun sun = {0, 30, 1};
    lf_window all = sky_window_all(&sky);
    refuse(&sky, &good, (lf_sun){NAN, 1, 1}, all, "azimuth");
    refuse(&sky, &good, (lf_sun){0, 91, 1}, all, "91");
    refuse(&sky, &good, (lf_sun){0, -90, 1}, all, "-90");
    refuse(&sky, &good, sun, (lf_window){0, 0, 5, 4}, "5 x 4");
    refuse(&sky, &good, sun, (lf_window){0, 0, 0, 4}, "0 x 4");
    refuse(&sky, &good, sun, (lf_window){-1, 0, 1, 1}, "-1");
    refuse(&sky, &good, sun, (lf_window){3, 3, INT64_MAX, 1}, "window");
    bad = good, bad.range = 0;
    refuse(&sky, &bad, sun, all, "range");
    bad = good, bad.range = NAN;
    refuse(&sky, &bad, sun, all, "range");
    bad = good, bad.height = LF_INFINITY;
    refuse(&sky, &bad, sun, all, "height");
    bad = good, bad.rules.curvature.radius = 0;
    refuse(&sky, &bad, sun, all, "radius");
    bad = good, bad.rules.voids = (lf_void_policy)7;
    refuse(&sky, &bad, sun, all, "7");
    bad = good, bad.rules.units = (lf_map_units)5;
    refuse(&sky, &bad, sun, all, "5");
    bad = good, bad.rules.units = LF_MAP_DEGREES, bad.rules.ellipsoid.radius = -1;
    refuse(&sky, &bad, sun, all, "-1");
    float hours[16];
    lf_error error;
    lf_sun suns[2] = {sun, {0, 30, -1}};
    assert_int_equal(lf_sun_shade(lf_grid_ground(sky.grid), &good, sun, all, NULL, 0, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_shade(NULL, &good, sun, all, (uint8_t *)hours, 0, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_hours(lf_grid_ground(sky.grid), &good, suns, 2, all, hours, 0, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    suns[1] = (lf_sun){0, 99, 1};
    assert_int_equal(lf_sun_hours(lf_grid_ground(sky.grid), &good, suns, 2, all, hours, 0, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    assert_int_equal(lf_sun_hours(lf_grid_ground(sky.grid), &good, NULL, 2, all, hours, 0, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_sun_hours(lf_grid_ground(sky.grid), &good, suns, 1, all, hours, 3, &error),
                     LF_BAD_ARGUMENT);
    sky_grid_free(&sky);
}

/// Everything that the loops of an instruction set write.
typedef struct written {
    double high[LF__SHADE_WIDE], low[LF__SHADE_WIDE], away[LF__SHADE_WIDE];
} written;

static written run_loops(lf_isa isa, double in[6][LF__SHADE_WIDE], const double numbers[4]) {
    const lf__shade_loops *loops = lf__shade_loops_for(isa);
    written w = {{0}, {0}, {0}};
    loops->mix(w.high, in[0], in[1], numbers[0]);
    loops->mix(w.low, in[2], in[3], numbers[0]);
    loops->raise(w.high, in[4], in[5], numbers[1], numbers[2]);
    for (int step = 0; step < 3; step++) {
        lf__shade_strips strips = {in[step], in[1],  in[2],      in[3],      in[4 - step], in[5], w.high,
                                   w.low,    w.away, numbers[2], numbers[3], 0.001,        30};
        loops->strips(&strips);
    }
    return w;
}

/// The same bits whatever the instruction set.
static void loops_agree(void **state) {
    (void)state;
    test_random random = test_random_start(7);
    static double in[6][LF__SHADE_WIDE];
    for (int k = 0; k < 200; k++) {
        double numbers[4] = {test_random_between(&random, 0, 1), test_random_between(&random, 0, 1),
                             test_random_between(&random, -1, 9), test_random_between(&random, -1, 9)};
        for (int n = 0; n < 6; n++)
            for (int r = 0; r < LF__SHADE_WIDE; r++)
                in[n][r] = test_random_below(&random, 9) == 0 ? -1e30 : test_random_between(&random, 0, 50);
        written a = run_loops(LF_ISA_SCALAR, in, numbers), b = run_loops(lf_isa_best(), in, numbers);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

#define LOOP_TAPS 40

typedef struct loop_result {
    float high[LF__SHADE_LANES];
    uint32_t bad[LF__SHADE_LANES];
} loop_result;

static loop_result run_loop(lf_isa isa, const float *tile, const lf__shade_tap *taps, int lanes) {
    loop_result result;
    for (int r = 0; r < LF__SHADE_LANES; r++) {
        result.high[r] = -3e38F;
        result.bad[r] = 0;
    }
    lf__shade_loops_for(isa)->follow(tile, taps, LOOP_TAPS, lanes, result.high, result.bad);
    return result;
}

static void follow_agrees(void **state) {
    (void)state;
    test_random random = test_random_start(7);
    static float tile[500];
    for (int k = 0; k < 200; k++) {
        lf__shade_tap taps[LOOP_TAPS];
        for (int n = 0; n < 500; n++)
            tile[n] = test_random_below(&random, 200) == 0  ? (float)NAN
                      : test_random_below(&random, 20) == 0 ? -3e38F
                                                            : (float)test_random_between(&random, 0, 50);
        for (int n = 0; n < LOOP_TAPS; n++) {
            double v = test_random_below(&random, 4) == 0 ? 0 : test_random_between(&random, 0, 1);
            taps[n] = (lf__shade_tap){(int32_t)test_random_below(&random, 460),
                                      (int32_t)test_random_below(&random, 460), (float)(1 - v), (float)v,
                                      (float)test_random_between(&random, -9, 99)};
        }
        int lanes = 8 * (1 + (int)test_random_below(&random, LF__SHADE_LANES / 8));
        loop_result a = run_loop(LF_ISA_SCALAR, tile, taps, lanes),
                    b = run_loop(lf_isa_best(), tile, taps, lanes);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_is_as_single_lines),
        cmocka_unit_test(wide_sweeps_too),
        cmocka_unit_test(degrees_are_as_single_lines),
        cmocka_unit_test(single_lines_are_as_defined),
        cmocka_unit_test(shadow_of_a_wall),
        cmocka_unit_test(holes_are_unknown),
        cmocka_unit_test(sun_below_level),
        cmocka_unit_test(hours_add_up),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(bad_input),
        cmocka_unit_test(loops_agree),
        cmocka_unit_test(follow_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
