/// Sight over measured profiles, and what ITU-R P.1812's own examples say.
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 5000

static lf_profile_sight look(const double *distances, const double *heights, int64_t count, double a,
                             double b, bool between, double coefficient) {
    lf_sight_rules rules = lf_sight_rules_default();
    lf_profile_sight view;
    rules.curvature.coefficient = coefficient;
    rules.frequency_mhz = 100;
    assert_int_equal(lf_sight_over_profile(distances, heights, count, a, b, between, &rules, &view, NULL),
                     LF_OK);
    return view;
}

static void a_hill_between(void **state) {
    (void)state;
    const double d[] = {0, 1000, 2000, 4000}, h[] = {10, 10, 50, 10};
    lf_profile_sight view = look(d, h, 4, 10, 10, false, 0);
    assert_int_equal(view.sight.verdict, LF_VERDICT_BLOCKED);
    assert_true(view.sight.t == 0.5 && view.sight.point.x == 2000 && view.sight.point.z == 20);
    assert_true(view.sight.clearance == -30 && view.sight.clearance_t == 0.5);
    assert_true(fabs(view.sight.raise - 60) < 1e-9);
    assert_true(fabs(view.from_a.angle_deg - atan(0.015) * 180 / acos(-1)) < 1e-12);
    assert_true(fabs(view.from_a.distance - 2000) < 1e-9 && fabs(view.from_b.distance - 2000) < 1e-9);
    view = look(d, h, 4, 10, 10, true, 0); // the slope is met before the summit
    assert_true(fabs(view.sight.point.x - 1250) < 1e-9);
    view = look(d, h, 4, 50, 50, true, 0);
    assert_int_equal(view.sight.verdict, LF_VERDICT_CLEAR);
    assert_true(view.sight.clearance == 10 && view.from_a.distance == 4000);
    assert_true(fabs(view.sight.fresnel - 10 / lf_fresnel_radius(100, 2000, 2000)) < 1e-12);
}

/// Over the level sea two eyes of height h see each other up to twice sqrt(2 h R), but samples alone may hide that.
static void the_round_sea(void **state) {
    (void)state;
    double reach = 2 * sqrt(2 * 10 * 6371008.8);
    double d[] = {0, reach - 1}, h[] = {0, 0};
    assert_int_equal(look(d, h, 2, 10, 10, true, 1).sight.verdict, LF_VERDICT_CLEAR);
    d[1] = reach + 1;
    lf_profile_sight view = look(d, h, 2, 10, 10, true, 1);
    assert_int_equal(view.sight.verdict, LF_VERDICT_BLOCKED);
    assert_true(fabs(view.sight.t - 0.5) < 1e-2 && view.sight.clearance < 0 && view.sight.clearance > -1e-3);
    assert_int_equal(look(d, h, 2, 10, 10, false, 1).sight.verdict, LF_VERDICT_CLEAR);
    assert_int_equal(look(d, h, 2, 10, 10, true, LF_CURVATURE_LIGHT).sight.verdict, LF_VERDICT_CLEAR);
}

static void bad_paths(void **state) {
    (void)state;
    const double falling[] = {0, 2, 1}, late[] = {1, 2, 3}, fine[] = {0, 1, 2}, h[] = {0, 0, 0},
                 hole[] = {0, NAN, 0};
    lf_sight_rules rules = lf_sight_rules_default();
    lf_profile_sight view;
    lf_error error;
    assert_int_equal(lf_sight_over_profile(falling, h, 3, 1, 1, true, &rules, &view, &error),
                     LF_BAD_ARGUMENT);
    assert_true(error.where == 2 && strstr(error.text, "1"));
    assert_int_equal(lf_sight_over_profile(late, h, 3, 1, 1, true, &rules, &view, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 0);
    assert_int_equal(lf_sight_over_profile(fine, hole, 3, 1, 1, true, &rules, &view, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    assert_int_equal(lf_sight_over_profile(fine, h, 1, 1, 1, true, &rules, &view, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sight_over_profile(fine, h, 3, NAN, 1, true, &rules, &view, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sight_over_profile(fine, h, 3, 1, 1, true, NULL, &view, NULL), LF_BAD_ARGUMENT);
}

// ---------------------------------------------------------------------------------------------------
// ITU-R P.1812
// ---------------------------------------------------------------------------------------------------

static FILE *open_data(const char *name, const char *tail) {
    char relative[256];
    snprintf(relative, sizeof relative, "expected/itu-p1812/%s%s", name, tail);
    const char *path = test_data(relative);
    return path ? fopen(path, "r") : NULL;
}

static int64_t read_profile(const char *name, double *distances, double *heights) {
    char line[512];
    int64_t count = 0, wanted = 0;
    FILE *file = open_data(name, ".csv");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file) && !(wanted && count == wanted)) {
        const char *points = strstr(line, "Number of Points:,");
        char *rest;
        if (points) {
            wanted = strtol(points + 18, NULL, 10);
        } else if (wanted) {
            assert_true(count < MOST);
            distances[count] = 1000 * strtod(line, &rest);
            heights[count++] = strtod(rest + 1, NULL);
        }
    }
    fclose(file);
    assert_true(wanted > 1 && count == wanted);
    return count;
}

/// What a log says of a parameter, the first time.
static double log_value(FILE *file, const char *name) {
    char line[512];
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        char *at = strchr(line, ',');
        if (strncmp(line, name, strlen(name)) != 0 || !at)
            continue;
        at = strchr(at + 1, ',');
        return strtod(strchr(at + 1, ',') + 1, NULL);
    }
    fail_msg("no %s", name);
    return 0;
}

static bool near(double a, double b) {
    return fabs(a - b) <= 2e-8 * (1 + fabs(b));
}

/// Angles, and distances to what makes the horizon; where the ends see each other those to the least share of Fresnel's zone.
static void check_log(const char *name, int number, const double *distances, const double *heights,
                      int64_t count) {
    char tail[32];
    snprintf(tail, sizeof tail, "_%d_log.csv", number);
    FILE *file = open_data(name, tail);
    if (!file)
        return;
    lf_sight_rules rules = lf_sight_rules_default();
    lf_profile_sight view;
    rules.curvature = (lf_curvature){1, 1000 * log_value(file, "ae (km)")};
    rules.frequency_mhz = 1000 * log_value(file, "f (GHz)");
    double a = log_value(file, "htg (m)"), b = log_value(file, "hrg (m)"), to_mrad = 1000 * acos(-1) / 180;
    assert_int_equal(lf_sight_over_profile(distances, heights, count, a, b, false, &rules, &view, NULL),
                     LF_OK);
    bool seen = view.sight.verdict == LF_VERDICT_CLEAR;
    double from_a = seen ? view.sight.fresnel_t * view.sight.length : view.from_a.distance;
    double from_b = seen ? view.sight.length - from_a : view.from_b.distance;
    assert_true(near(view.from_a.angle_deg * to_mrad, log_value(file, "th_t (mrad)")));
    assert_true(near(view.from_b.angle_deg * to_mrad, log_value(file, "th_r (mrad)")));
    assert_true(near(from_a, 1000 * log_value(file, "dlt (km)")));
    assert_true(near(from_b, 1000 * log_value(file, "dlr (km)")));
    fclose(file);
}

static void published_paths(void **state) {
    (void)state;
    static const char *const names[] = {"b2iseac",
                                        "b2iseac_dense_urban_land",
                                        "b2iseac_dense_urban_land_eqdist",
                                        "b2iseac_eqdist",
                                        "b2iseac_eqdist_vertical",
                                        "b2iseac_rural_land_100km",
                                        "b2iseac_rural_land_100km_eqdist",
                                        "b2iseac_rural_land_10km",
                                        "b2iseac_rural_land_10km_eqdist",
                                        "b2iseac_rural_land_1km",
                                        "b2iseac_rural_land_1km_eqdist",
                                        "b2iseac_vertical",
                                        "rburg",
                                        "rburg_rural_noclutter",
                                        "rburg_rural_noclutter_los",
                                        "rburg_rural_noclutter_los_subpath_diffraction",
                                        "rburg_rural_with_clutter",
                                        "rburg_urban_with_clutter",
                                        "rburg_urban_with_clutter_vertical"};
    static double distances[MOST], heights[MOST];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        int64_t count = read_profile(names[k], distances, heights);
        if (count == 0)
            return; // no data here
        int logs = strstr(names[k], "rburg_urban") ? 6 : 3;
        for (int number = 0; number < logs; number++)
            check_log(names[k], number, distances, heights, count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hill_between),
        cmocka_unit_test(the_round_sea),
        cmocka_unit_test(bad_paths),
        cmocka_unit_test(published_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
