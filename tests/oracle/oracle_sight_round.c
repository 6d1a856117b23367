// Lines of sight, profiles, horizons, light and viewsheds on grids that wrap, against an ordinary grid of
// three turns.
#include "round_grid.h"
#include <landfall/sight.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_POSTS 4000

static bool near(double a, double b) {
    return a == b || fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b)) || (isnan(a) && isnan(b));
}

static void fail_at(const round_grid *g, const char *what, lf_vec3 a, lf_vec3 b) {
    fail_msg(
        "%s: round %lld, rows %lld, spacing %g, west %g, point %d, %s, extend %d, holes %d, from %.17g %.17g "
        "%.17g to %.17g %.17g %.17g",
        what, (long long)g->round, (long long)g->rows, g->spacing, g->west, g->point,
        lf_surface_name(g->surface), g->extend, g->holes, a.x, a.y, a.z, b.x, b.y, b.z);
}

static lf_sight_rules any_rules(const round_grid *g, bool degrees, test_random *random) {
    lf_sight_rules rules = lf_sight_rules_default();
    (void)g;
    if (test_random_below(random, 2))
        rules.curvature = (lf_curvature){LF_CURVATURE_LIGHT, degrees ? 6371008.8 : 500};
    rules.units = degrees ? LF_MAP_DEGREES : LF_MAP_METRES;
    rules.voids = (lf_void_policy)test_random_below(random, 3);
    rules.search = (lf_search)test_random_below(random, 3);
    return rules;
}

/// An end on a quarter of a column, so that all is exact.
static lf_vec3 any_end(const round_grid *g, test_random *random) {
    double quarters = floor(4 * (round_grid_x(g, random) - g->west) / g->spacing);
    double rows = floor(4 * (round_grid_y(g, random) - g->south) / g->spacing);
    return (lf_vec3){g->west + 0.25 * g->spacing * quarters, g->south + 0.25 * g->spacing * rows,
                     floor(test_random_between(random, 0, 45))};
}

/// Is the way of half a turn from x to the east the one that does not pass 0?
static bool eastwards(const round_grid *g, double x) {
    return x - g->turn * floor(x / g->turn) < 0.5 * g->turn;
}

/// The second end as the reference has it: the shorter way round.
static lf_vec3 short_way(const round_grid *g, lf_vec3 a, lf_vec3 b) {
    double way = b.x - a.x, half = 0.5 * g->turn;
    if (fabs(way) == half)
        b.x = eastwards(g, a.x) ? a.x + half : a.x - half;
    else if (fabs(way) > half)
        b.x += way > 0 ? -g->turn : g->turn;
    return b;
}

// ---------------------------------------------------------------------------------------------------
// Lines
// ---------------------------------------------------------------------------------------------------

static void check_line(const round_grid *g, bool degrees, test_random *random) {
    lf_sight_rules rules = any_rules(g, degrees, random);
    lf_vec3 a = any_end(g, random), b = any_end(g, random), to = short_way(g, a, b), c = a, d = b;
    c.x = round_grid_turned(g, random, a.x);
    d.x = round_grid_turned(g, random, b.x);
    rules.detail = test_random_below(random, 2);
    rules.frequency_mhz = rules.detail && test_random_below(random, 2) ? 900 : 0;
    lf_sight expected, sight, back;
    lf_verdict verdict;
    lf_sight_between(g->reference_ground, &rules, a, to, &expected, NULL);
    assert_int_equal(lf_sight_between(g->ground, &rules, c, d, &sight, NULL), LF_OK);
    assert_int_equal(lf_sight_between(g->ground, &rules, d, c, &back, NULL), LF_OK);
    assert_int_equal(lf_sight_verdict(g->ground, &rules, c, d, &verdict, NULL), LF_OK);
    if (sight.verdict != expected.verdict || verdict != expected.verdict || back.verdict != expected.verdict)
        fail_at(g, "verdict", a, to);
    if (!near(sight.t, expected.t) || !near(sight.length, expected.length) ||
        !near(sight.point.x - c.x, expected.point.x - a.x) || !near(sight.point.y, expected.point.y) ||
        !near(sight.point.z, expected.point.z))
        fail_at(g, "where a line breaks", a, to);
    if (rules.detail && (!near(sight.clearance, expected.clearance) || !near(sight.raise, expected.raise) ||
                         !near(sight.fresnel, expected.fresnel)))
        fail_at(g, "clearance", a, to);
    uint8_t many[1];
    assert_int_equal(lf_sight_verdicts(g->ground, &rules, &c, 0, &d, 0, 1, many, NULL), LF_OK);
    assert_int_equal(many[0], expected.verdict);
}

/// A profile without the samples that rounding alone tells from the one before.
static int64_t tidy(lf_profile_point *samples, int64_t count) {
    int64_t kept = 0;
    for (int64_t k = 0; k < count; k++)
        if (kept == 0 || !near(samples[k].t, samples[kept - 1].t) ||
            !near(samples[k].ground, samples[kept - 1].ground))
            samples[kept++] = samples[k];
    return kept;
}

static void check_profile(const round_grid *g, bool degrees, test_random *random) {
    static lf_profile_point samples[MOST_POSTS], expected[MOST_POSTS];
    lf_sight_rules rules = any_rules(g, degrees, random);
    lf_vec3 a = any_end(g, random), b = any_end(g, random), to = short_way(g, a, b), c = a, d = b;
    c.x = round_grid_turned(g, random, a.x);
    d.x = round_grid_turned(g, random, b.x);
    int64_t steps = test_random_below(random, 2) ? 0 : 16, count, expected_count;
    assert_int_equal(
        lf_sight_profile(g->reference_ground, &rules, a, to, steps, expected, MOST_POSTS, &expected_count),
        LF_OK);
    assert_int_equal(lf_sight_profile(g->ground, &rules, c, d, steps, samples, MOST_POSTS, &count), LF_OK);
    count = tidy(samples, count);
    if (count != tidy(expected, expected_count))
        fail_at(g, "samples of a profile", a, to);
    for (int64_t k = 0; k < count; k++)
        if (!near(samples[k].t, expected[k].t) || !near(samples[k].line, expected[k].line) ||
            !near(samples[k].ground, expected[k].ground))
            fail_at(g, "profile", a, to);
}

static void check_stand(const round_grid *g, test_random *random) {
    lf_vec3 a = any_end(g, random), expected = {0, 0, 0}, point = {0, 0, 0};
    lf_reason reason, expected_reason;
    lf_vec2 at = {round_grid_turned(g, random, a.x), a.y};
    lf_sight_observer(g->reference_ground, (lf_vec2){a.x, a.y}, 2, &expected, &expected_reason);
    assert_int_equal(lf_sight_observer(g->ground, at, 2, &point, &reason), LF_OK);
    if (reason != expected_reason ||
        (reason == LF_REASON_ANSWERED && (point.z != expected.z || point.x != at.x)))
        fail_at(g, "standing", a, a);
}

// ---------------------------------------------------------------------------------------------------
// Horizons and light
// ---------------------------------------------------------------------------------------------------

/// Metres of half a turn, or a little less, at any latitude that these grids have.
static double half_turn(const round_grid *g, bool degrees) {
    return degrees ? 15000000 : 0.5 * g->turn;
}

static void check_horizon(const round_grid *g, bool degrees, test_random *random) {
    lf_sight_rules rules = any_rules(g, degrees, random);
    lf_vec3 from = any_end(g, random), moved = from;
    from.z = moved.z = floor(test_random_between(random, 20, 60));
    moved.x = round_grid_turned(g, random, from.x);
    double azimuth = test_random_below(random, 2) ? 45.0 * (double)test_random_below(random, 8)
                                                  : test_random_between(random, 0, 360);
    double range = test_random_between(random, 0.1, 1) * half_turn(g, degrees);
    lf_horizon expected, found;
    assert_int_equal(
        lf_horizon_at(lf_grid_ground(g->reference), &rules, from, azimuth, range, &expected, NULL), LF_OK);
    assert_int_equal(lf_horizon_at(lf_grid_ground(g->grid), &rules, moved, azimuth, range, &found, NULL),
                     LF_OK);
    if (found.reason != expected.reason || !near(found.elevation_deg, expected.elevation_deg) ||
        fabs(found.distance - expected.distance) > 1e-6 * range || found.hole != expected.hole ||
        fabs(found.point.x - moved.x - (expected.point.x - from.x)) > 1e-6 * g->turn)
        fail_at(g, "horizon", from, (lf_vec3){azimuth, range, 0});
    // Without a range it ends after half a turn, wherever the seam is.
    assert_int_equal(
        lf_horizon_at(lf_grid_ground(g->grid), &rules, moved, azimuth, LF_INFINITY, &found, NULL), LF_OK);
    assert_true(fabs(found.point.x - moved.x) <= 0.5 * g->turn * (1 + 1e-9));
}

static lf_horizon_def any_horizon_def(const round_grid *g, bool degrees, test_random *random) {
    lf_horizon_def def = lf_horizon_def_default();
    def.rules = any_rules(g, degrees, random);
    def.height = (double)test_random_below(random, 3);
    def.range = test_random_between(random, 0.1, 1) * half_turn(g, degrees);
    return def;
}

/// A map of the grid that wraps, and the middle turn of one of the reference.
static void check_maps(const round_grid *g, bool degrees, test_random *random) {
    lf_horizon_def def = any_horizon_def(g, degrees, random);
    lf_window own = lf_grid_window(g->grid), middle = {g->round, 0, own.columns, own.rows};
    int64_t count = own.columns * own.rows;
    float *expected = test_space(count, sizeof *expected), *found = test_space(count, sizeof *found);
    uint8_t *expected_lit = test_space(count, 1), *lit = test_space(count, 1);
    double azimuth = test_random_below(random, 2) ? 90.0 * (double)test_random_below(random, 4)
                                                  : test_random_between(random, 0, 360);
    lf_sun sun = {azimuth, test_random_between(random, -2, 60), 1};
    assert_int_equal(lf_horizon_map(lf_grid_ground(g->reference), &def, azimuth, middle, expected, 0, NULL),
                     LF_OK);
    assert_int_equal(lf_horizon_map(lf_grid_ground(g->grid), &def, azimuth, own, found, 0, NULL), LF_OK);
    assert_int_equal(lf_sun_shade(lf_grid_ground(g->reference), &def, sun, middle, expected_lit, 0, NULL),
                     LF_OK);
    assert_int_equal(lf_sun_shade(lf_grid_ground(g->grid), &def, sun, own, lit, 0, NULL), LF_OK);
    for (int64_t k = 0; k < count; k++) {
        lf_vec3 sample = {(double)(k % own.columns), (double)(k / own.columns), azimuth};
        if (!(found[k] == expected[k]) && !(isnan(found[k]) && isnan(expected[k])))
            fail_at(g, "map of horizons", sample, (lf_vec3){found[k], expected[k], def.range});
        if (lit[k] != expected_lit[k])
            fail_at(g, "map of light", sample, (lf_vec3){lit[k], expected_lit[k], sun.altitude_deg});
    }
    free(lit);
    free(expected_lit);
    free(found);
    free(expected);
}

// ---------------------------------------------------------------------------------------------------
// Viewsheds
// ---------------------------------------------------------------------------------------------------

static lf_viewshed_def any_viewshed_def(const round_grid *g, bool degrees, test_random *random) {
    lf_viewshed_def def = lf_viewshed_def_default();
    def.rules = any_rules(g, degrees, random);
    def.target = (double)test_random_below(random, 3);
    if (test_random_below(random, 2))
        def.range_max = test_random_between(random, 0.02, 0.6) * half_turn(g, degrees);
    if (test_random_below(random, 4) == 0) {
        def.azimuth_from_deg = floor(test_random_between(random, 0, 360));
        def.azimuth_to_deg = def.azimuth_from_deg + 130.5;
    }
    return def;
}

/// The column of the reference where a column of the grid is seen from a place: the shorter way round.
static int64_t reference_column(const round_grid *g, int64_t column, double x) {
    double own = g->west + g->spacing * (double)(column % g->round);
    double to = short_way(g, (lf_vec3){x, 0, 0}, (lf_vec3){own, 0, 0}).x;
    return column % g->round + g->round + (to > own ? g->round : to < own ? -g->round : 0);
}

static void check_viewshed(const round_grid *g, bool degrees, test_random *random) {
    lf_viewshed_def def = any_viewshed_def(g, degrees, random);
    lf_vec3 at = any_end(g, random);
    lf_observer observer = {{at.x, at.y}, at.z + 20, true}, moved = observer;
    moved.at.x = round_grid_turned(g, random, at.x);
    lf_window own = lf_grid_window(g->grid), all = lf_grid_window(g->reference);
    lf_viewshed_mode mode = (lf_viewshed_mode)test_random_below(random, 4);
    uint8_t *expected = test_space(all.columns * all.rows, 1), *seen = test_space(own.columns * own.rows, 1);
    float *expected_values = test_space(all.columns * all.rows, sizeof(float)),
          *values = test_space(own.columns * own.rows, sizeof(float));
    uint32_t *counts = test_space(own.columns * own.rows, sizeof *counts);
    lf_viewshed_stats stats, of_values;
    int64_t found[5] = {0};
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(g->reference), &def, &observer, all, expected, 0, NULL, NULL),
        LF_OK);
    assert_int_equal(lf_viewshed_visible(lf_grid_ground(g->grid), &def, &moved, own, seen, 0, &stats, NULL),
                     LF_OK);
    assert_int_equal(lf_viewshed_values(lf_grid_ground(g->reference), &def, &observer, mode, all,
                                        expected_values, 0, NULL, NULL),
                     LF_OK);
    assert_int_equal(
        lf_viewshed_values(lf_grid_ground(g->grid), &def, &moved, mode, own, values, 0, &of_values, NULL),
        LF_OK);
    assert_int_equal(lf_viewshed_count(lf_grid_ground(g->grid), &def, &moved, 1, own, counts, 0, NULL, NULL),
                     LF_OK);
    assert_true(stats.bytes <= lf_viewshed_bytes(lf_grid_ground(g->grid), &def, own));
    assert_true(of_values.bytes <= lf_viewshed_bytes(lf_grid_ground(g->grid), &def, own));
    lf_window around = lf_viewshed_window(lf_grid_ground(g->grid), &def, moved.at);
    for (int64_t k = 0; k < own.columns * own.rows; k++) {
        int64_t column = k % own.columns, row = k / own.columns;
        int64_t there = row * all.columns + reference_column(g, column, at.x);
        lf_vec3 sample = {(double)column, (double)row, (double)expected[there]};
        found[seen[k]]++;
        if (seen[k] != expected[there])
            fail_at(g, "viewshed", at, sample);
        if (!(values[k] == expected_values[there]) && !(isnan(values[k]) && isnan(expected_values[there])))
            fail_at(g, lf_viewshed_mode_name(mode), at,
                    (lf_vec3){sample.x, values[k], expected_values[there]});
        if (counts[k] != (seen[k] == LF_VISIBILITY_VOID ? UINT32_MAX : seen[k] == LF_VISIBILITY_VISIBLE))
            fail_at(g, "count of observers", at, sample);
        bool inside = column >= around.column && column < around.column + around.columns &&
                      row >= around.row && row < around.row + around.rows;
        if (!inside && seen[k] != LF_VISIBILITY_BEYOND && seen[k] != LF_VISIBILITY_VOID)
            fail_at(g, "window of a viewshed", at, sample);
    }
    assert_memory_equal(found, stats.counts, sizeof found);
    free(counts);
    free(values);
    free(expected_values);
    free(seen);
    free(expected);
}

static void run(double spacing, int64_t rounds, uint64_t salt) {
    test_random random = test_random_start(salt);
    bool degrees = spacing > 0;
    for (int64_t round = 0; round < test_rounds(rounds); round++) {
        static const lf_codec codecs[] = {LF_CODEC_RAW, LF_CODEC_RAW, LF_CODEC_PACK};
        round_grid g = round_grid_make(&random, spacing, codecs[test_random_below(&random, 3)]);
        for (int k = 0; k < 40; k++)
            check_line(&g, degrees, &random);
        for (int k = 0; k < 10; k++) {
            check_profile(&g, degrees, &random);
            check_stand(&g, &random);
            check_horizon(&g, degrees, &random);
        }
        check_maps(&g, degrees, &random);
        for (int k = 0; k < 4; k++)
            check_viewshed(&g, degrees, &random);
        round_grid_drop(&g);
    }
}

static void on_a_plane(void **state) {
    (void)state;
    run(0, 120, 7200);
}

static void on_degrees(void **state) {
    (void)state;
    run(2, 6, 7201);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_a_plane), cmocka_unit_test(on_degrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
