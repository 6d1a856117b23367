/// What other tools have been found to get wrong, and what a caller may get wrong.
#include "support.h"

#define SIDE 21

typedef struct world {
    lf_grid *grid;
    const lf_ground *ground;
} world;

static world make(const double *heights, lf_surface surface, lf_geotransform geotransform) {
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.surface = surface;
    def.geotransform = geotransform;
    world w;
    assert_int_equal(lf_grid_create(&def, &w.grid, NULL), LF_OK);
    w.ground = lf_grid_ground(w.grid);
    return w;
}

static void drop(world w) {
    lf_grid_destroy(w.grid);
}

static lf_geotransform metres(double x, double y) {
    return (lf_geotransform){{0, 0}, {x, 0}, {0, y}};
}

static lf_sight ask(const world *w, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b) {
    lf_sight sight, back;
    assert_int_equal(lf_sight_between(w->ground, rules, a, b, &sight, NULL), LF_OK);
    assert_int_equal(lf_sight_between(w->ground, rules, b, a, &back, NULL), LF_OK);
    assert_int_equal(sight.verdict, back.verdict);
    return sight;
}

/// A ridge one sample wide across the way of a line at 45 degrees, which passes through samples only.
static void lines_at_45_degrees(void **state) {
    (void)state;
    for (int surface = 0; surface < 5; surface++) {
        double heights[SIDE * SIDE];
        for (int k = 0; k < SIDE * SIDE; k++)
            heights[k] = k % SIDE + k / SIDE == SIDE - 1 ? 10 : 0;
        world w = make(heights, (lf_surface)surface, metres(30, 30));
        lf_sight_rules rules = lf_sight_rules_default();
        double far = 30 * (SIDE - 1), half = 0.5;
        lf_sight sight = ask(&w, &rules, (lf_vec3){0, 0, 5}, (lf_vec3){far, far, 5});
        assert_int_equal(sight.verdict, LF_VERDICT_BLOCKED);
        // Triangles and patches rise towards the ridge, from a cell before it; samples have their squares.
        assert_true(sight.t < half && sight.t >= half - 1.0 / (SIDE - 1));
        sight = ask(&w, &rules, (lf_vec3){0, 0, 10}, (lf_vec3){far, far, 10});
        assert_int_equal(sight.verdict, LF_VERDICT_CLEAR); // it touches the ridge
        drop(w);
    }
}

/// A target behind a summit, just seen over it; a hair lower, and it is hidden.
static void below_a_summit(void **state) {
    (void)state;
    double heights[SIDE * SIDE] = {0};
    heights[10 * SIDE + 10] = 100;
    for (int surface = 0; surface < 4; surface++) {
        world w = make(heights, (lf_surface)surface, metres(10, 10));
        lf_sight_rules rules = lf_sight_rules_default();
        lf_vec3 eye = {50, 100, 120}, target = {150, 100, 80};
        rules.detail = true;
        lf_sight sight = ask(&w, &rules, eye, target);
        assert_int_equal(sight.verdict, LF_VERDICT_CLEAR);
        assert_true(sight.clearance == 0 && sight.clearance_t == 0.5 && sight.raise == 0);
        target.z = 80 - 0x1p-43; // heights are set on steps of 2^-44 here
        sight = ask(&w, &rules, eye, target);
        assert_int_equal(sight.verdict, LF_VERDICT_BLOCKED);
        assert_true(sight.clearance < 0 && sight.raise > 0 && fabs(sight.t - 0.5) < 1e-9);
        // From the summit's own foot, which is level, it rises into the line of sight.
        assert_int_equal(ask(&w, &rules, (lf_vec3){80, 100, 1}, (lf_vec3){120, 100, 1}).verdict,
                         LF_VERDICT_BLOCKED);
        drop(w);
    }
}

/// From above everything one sees all samples of ground that falls away everywhere, and those of a plain.
static void observer_above_all(void **state) {
    (void)state;
    double heights[SIDE * SIDE];
    for (int bowl = 0; bowl < 2; bowl++) {
        for (int k = 0; k < SIDE * SIDE; k++) {
            double x = k % SIDE - 10, y = k / SIDE - 10;
            heights[k] = bowl ? x * x + y * y : 5;
        }
        world w = make(heights, LF_SURFACE_FALLING, metres(25, 25));
        lf_sight_rules rules = lf_sight_rules_default();
        for (int k = 0; k < SIDE * SIDE; k++) {
            lf_vec3 sample = {25 * (k % SIDE), 25 * (k / SIDE), heights[k]};
            lf_vec3 eye = {25 * 10, 25 * 10, 9000};
            assert_int_equal(ask(&w, &rules, eye, sample).verdict, LF_VERDICT_CLEAR);
        }
        drop(w);
    }
}

/// A level sea in degrees at 60 north, where a degree of longitude has half the metres: how far one sees is the same.
static void degrees_with_curvature(void **state) {
    (void)state;
    double heights[SIDE * SIDE] = {0}, eye = 20, step = 0.02;
    lf_geotransform geotransform = {{10, 59.8}, {step, 0}, {0, step}};
    world w = make(heights, LF_SURFACE_FALLING, geotransform);
    lf_sight_rules rules = lf_sight_rules_default();
    rules.units = LF_MAP_DEGREES;
    rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    double reach = sqrt(2 * eye * rules.curvature.radius / LF_CURVATURE_LIGHT);
    for (int direction = 0; direction < 2; direction++) {
        lf_geodetic from = {10.01, 59.81, 0};
        for (int over = -1; over <= 1; over += 2) {
            lf_geodetic to =
                lf_geodesic_from(&rules.ellipsoid, from, direction ? 0 : 90, reach + over * 20, NULL);
            lf_sight sight = ask(&w, &rules, (lf_vec3){from.lon_deg, from.lat_deg, eye},
                                 (lf_vec3){to.lon_deg, to.lat_deg, 0});
            assert_true(fabs(sight.length - (reach + over * 20)) < 1e-6);
            assert_int_equal(sight.verdict, over < 0 ? LF_VERDICT_CLEAR : LF_VERDICT_BLOCKED);
        }
    }
    rules.curvature.coefficient = 0;
    assert_int_equal(ask(&w, &rules, (lf_vec3){10, 59.8, eye}, (lf_vec3){10.4, 60.2, 0}).verdict,
                     LF_VERDICT_CLEAR);
    drop(w);
}

/// The eye stands on a sample beside a hole.
static void nodata_beside_the_observer(void **state) {
    (void)state;
    double heights[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = k == 3 * SIDE + 3 ? 50 : 10;
    heights[10 * SIDE + 11] = NAN;
    for (int surface = 0; surface < 5; surface++) {
        world w = make(heights, (lf_surface)surface, metres(5, 5));
        lf_sight_rules rules = lf_sight_rules_default();
        lf_vec3 eye = {50, 50, 12}, east = {90, 50, 12}, west = {10, 50, 12}, high = {90, 50, 200};
        const lf_verdict expected[] = {LF_VERDICT_UNKNOWN, LF_VERDICT_CLEAR, LF_VERDICT_BLOCKED};
        for (int policy = 0; policy < 3; policy++) {
            rules.voids = (lf_void_policy)policy;
            lf_sight sight = ask(&w, &rules, eye, east);
            assert_int_equal(sight.verdict, expected[policy]);
            if (policy != LF_VOIDS_PASS)
                assert_true(fabs(sight.t - (surface == LF_SURFACE_POINT ? 0.0625 : 0)) < 1e-12);
            assert_int_equal(ask(&w, &rules, eye, west).verdict, LF_VERDICT_CLEAR);
            // Once it is as high as the highest ground a hole cannot hide it.
            assert_int_equal(ask(&w, &rules, (lf_vec3){50, 50, 50}, high).verdict, LF_VERDICT_CLEAR);
            // Known ground blocks, whatever the hole.
            assert_int_equal(ask(&w, &rules, (lf_vec3){15, 10, 12}, (lf_vec3){15, 20, 12}).verdict,
                             LF_VERDICT_BLOCKED);
        }
        drop(w);
    }
}

/// Cells of 10 x 1000 metres, or the other way round: lengths and bends are those of the world, not of columns and rows.
static void anisotropic_cells(void **state) {
    (void)state;
    double heights[SIDE * SIDE] = {0};
    for (int turned = 0; turned < 2; turned++) {
        world w = make(heights, LF_SURFACE_RISING, turned ? metres(10, 1000) : metres(1000, 10));
        lf_sight_rules rules = lf_sight_rules_default();
        rules.curvature.coefficient = 1;
        lf_vec3 eye = {turned ? 100 : 0, turned ? 0 : 100, 2},
                far = {turned ? 100 : 20000, turned ? 20000 : 100, 2};
        lf_vec3 near = {turned ? 0 : 100, turned ? 100 : 0, 0};
        assert_int_equal(ask(&w, &rules, eye, far).verdict, LF_VERDICT_BLOCKED);
        far.z = 90; // 5047 m to the horizon, and 14953 m from there to a height of 17.5
        assert_int_equal(ask(&w, &rules, eye, far).verdict, LF_VERDICT_CLEAR);
        assert_int_equal(ask(&w, &rules, eye, near).verdict, LF_VERDICT_CLEAR);
        far.z = 17;
        assert_int_equal(ask(&w, &rules, eye, far).verdict, LF_VERDICT_BLOCKED);
        drop(w);
    }
}

/// Whoever stands on the ground is not below it.
static void where_to_stand(void **state) {
    (void)state;
    test_random random = test_random_start(510);
    double heights[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = test_random_between(&random, 0, 1000);
    heights[0] = NAN;
    for (int surface = 0; surface < 5; surface++) {
        world w = make(heights, (lf_surface)surface, (lf_geotransform){{1e5, 2e6}, {30, 1}, {-2, 29}});
        lf_sight_rules rules = lf_sight_rules_default();
        for (int k = 0; k < 300; k++) {
            double i = test_random_between(&random, 2, SIDE - 1),
                   j = test_random_between(&random, 2, SIDE - 1);
            lf_vec2 at = {1e5 + 30 * i - 2 * j, 2e6 + i + 29 * j};
            lf_vec3 p;
            lf_reason reason;
            lf_hit hit;
            assert_int_equal(lf_sight_observer(w.ground, at, 0, &p, &reason), LF_OK);
            assert_int_equal(reason, LF_REASON_ANSWERED);
            lf_ground_height(w.ground, (lf_vec3){at.x, at.y, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
            assert_true(fabs(p.z - hit.point.z) <= 1e-10);
            assert_int_equal(ask(&w, &rules, p, (lf_vec3){p.x, p.y, 5000}).verdict, LF_VERDICT_CLEAR);
            p.z -= 1e-9;
            assert_int_equal(ask(&w, &rules, p, (lf_vec3){p.x, p.y, 5000}).verdict, LF_VERDICT_BLOCKED);
        }
        lf_vec3 p = {1, 2, 3};
        lf_reason reason;
        assert_int_equal(lf_sight_observer(w.ground, (lf_vec2){1e5, 2e6}, 0, &p, &reason), LF_OK);
        assert_int_equal(reason, LF_REASON_HOLE);
        assert_int_equal(lf_sight_observer(w.ground, (lf_vec2){0, 0}, 0, &p, &reason), LF_OK);
        assert_true(reason == LF_REASON_OUTSIDE && p.x == 1 && p.z == 3);
        assert_int_equal(lf_sight_observer(w.ground, (lf_vec2){NAN, 0}, 0, &p, &reason), LF_BAD_ARGUMENT);
        drop(w);
    }
}

static void refused(const world *w, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b) {
    lf_sight sight = {.t = 42};
    lf_verdict verdict = LF_VERDICT_UNKNOWN;
    uint8_t byte = 42;
    int64_t count = 42;
    lf_vec3 ends[2] = {a, b};
    assert_int_equal(lf_sight_between(w->ground, rules, a, b, &sight, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sight_verdict(w->ground, rules, a, b, &verdict, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sight_many(w->ground, rules, &a, 0, &b, 0, 1, &sight, 0, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sight_verdicts(w->ground, rules, &a, 0, &b, 0, 1, &byte, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sight_matrix(w->ground, rules, ends, 2, &byte, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_sight_profile(w->ground, rules, a, b, 4, NULL, 0, &count), LF_BAD_ARGUMENT);
    assert_true(sight.t == 42 && verdict == LF_VERDICT_UNKNOWN && byte == 42 && count == 42);
}

static void bad_questions(void **state) {
    (void)state;
    double heights[SIDE * SIDE] = {0};
    world w = make(heights, LF_SURFACE_FALLING, metres(1, 1));
    const lf_sight_rules fine = lf_sight_rules_default();
    lf_vec3 a = {1, 1, 1}, b = {5, 5, 5};
    lf_sight_rules rules = fine;
    refused(&w, &fine, (lf_vec3){NAN, 0, 0}, b);
    refused(&w, &fine, a, (lf_vec3){0, 0, INFINITY});
    refused(&w, NULL, a, b);
    rules.curvature.radius = 0, refused(&w, &rules, a, b), rules = fine;
    rules.curvature.coefficient = NAN, refused(&w, &rules, a, b), rules = fine;
    rules.voids = (lf_void_policy)7, refused(&w, &rules, a, b), rules = fine;
    rules.search = (lf_search)7, refused(&w, &rules, a, b), rules = fine;
    rules.frequency_mhz = -1, refused(&w, &rules, a, b), rules = fine;
    rules.size = 3, refused(&w, &rules, a, b), rules = fine;
    rules.units = LF_MAP_DEGREES, refused(&w, &rules, a, (lf_vec3){5, 95, 5}), rules = fine;
    rules.ellipsoid.flattening = 1, refused(&w, &rules, a, b), rules = fine;
    assert_string_equal(lf_verdict_name(LF_VERDICT_BLOCKED), "blocked");
    assert_string_equal(lf_verdict_name((lf_verdict)9), "?");
    drop(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_at_45_degrees),
        cmocka_unit_test(below_a_summit),
        cmocka_unit_test(observer_above_all),
        cmocka_unit_test(degrees_with_curvature),
        cmocka_unit_test(nodata_beside_the_observer),
        cmocka_unit_test(anisotropic_cells),
        cmocka_unit_test(where_to_stand),
        cmocka_unit_test(bad_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
