/// Lines over grids: verdicts, breaks and clearances against the ground sampled along them.
#include "support.h"

#define SIDE 24

typedef struct world {
    lf_grid *grid;
    const lf_ground *ground;
} world;

static world make_world(test_random *random, lf_surface surface, double holes, bool extend) {
    static float heights[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = test_random_between(random, 0, 1) < holes ? (float)NAN
                                                               : (float)test_random_between(random, 0, 20);
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.surface = surface;
    def.extend = extend;
    def.geotransform = (lf_geotransform){{500, -300}, {7, 0.5}, {-1, 5}};
    world w;
    assert_int_equal(lf_grid_create(&def, &w.grid, NULL), LF_OK);
    w.ground = lf_grid_ground(w.grid);
    return w;
}

static void free_world(world w) {
    lf_grid_destroy(w.grid);
}

/// A place in columns and rows, in the world.
static lf_vec3 at(double column, double row, double z) {
    return (lf_vec3){500 + 7 * column - row, -300 + 0.5 * column + 5 * row, z};
}

static lf_vec3 random_end(test_random *random) {
    double from = -3, to = SIDE + 3, column = test_random_between(random, from, to),
           row = test_random_between(random, from, to);
    if (test_random_below(random, 4) == 0) {
        column = floor(column);
        row = floor(row);
    }
    return at(column, row, test_random_between(random, 5, 32));
}

/// The least clearance that sampling finds, at many places; INFINITY over no ground. Holes met below the highest height are noted.
static double sample(const world *w, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b, double *t,
                     bool *hole) {
    enum { STEPS = 2000 };
    static lf_profile_point samples[STEPS + 1];
    int64_t count;
    double least = INFINITY, high = lf_grid_describe(w->grid).high;
    assert_int_equal(lf_sight_profile(w->ground, rules, a, b, STEPS, samples, STEPS + 1, &count), LF_OK);
    assert_int_equal(count, STEPS + 1);
    *t = 1;
    *hole = false;
    for (int k = 1; k < STEPS; k++) {
        double clearance = samples[k].line - samples[k].ground;
        least = clearance < least ? clearance : least;
        *t = clearance < 0 && samples[k].t < *t ? samples[k].t : *t;
        lf_vec2 p = lf_grid_locate(
            w->grid, (lf_vec2){a.x + samples[k].t * (b.x - a.x), a.y + samples[k].t * (b.y - a.y)});
        double inside = fmin(fmin(p.x, p.y), SIDE - 1 - fmax(p.x, p.y));
        *hole |= inside > 1e-9 && isnan(samples[k].ground) && samples[k].line < high - 1e-6;
    }
    return least;
}

static void check_line(const world *w, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b) {
    lf_sight sight, back;
    lf_verdict verdict;
    double t;
    bool hole;
    assert_int_equal(lf_sight_between(w->ground, rules, a, b, &sight, NULL), LF_OK);
    assert_int_equal(lf_sight_between(w->ground, rules, b, a, &back, NULL), LF_OK);
    assert_int_equal(lf_sight_verdict(w->ground, rules, a, b, &verdict, NULL), LF_OK);
    double least = sample(w, rules, a, b, &t, &hole);
    assert_int_equal(sight.verdict, back.verdict);
    assert_int_equal(sight.verdict, verdict);
    bool known = sight.clearance < 0; // blocked by ground
    assert_true(sight.clearance <= least + 1e-6);
    lf_grid_info info = lf_grid_describe(w->grid);
    if (info.surface != LF_SURFACE_POINT && info.hole_count == 0 && !isinf(least))
        assert_true(sight.clearance > least - 2); // what a step of the samples can miss
    assert_int_equal(sight.clearance<0, sight.raise> 0);
    if (least < -1e-9)
        assert_int_equal(sight.verdict, LF_VERDICT_BLOCKED);
    if (rules->voids == LF_VOIDS_PASS || !hole)
        assert_true(sight.verdict == LF_VERDICT_BLOCKED ? known || rules->voids == LF_VOIDS_STOP : !known);
    else if (!known)
        assert_int_equal(sight.verdict,
                         rules->voids == LF_VOIDS_STOP ? LF_VERDICT_BLOCKED : LF_VERDICT_UNKNOWN);
    if (sight.verdict == LF_VERDICT_BLOCKED)
        assert_true(sight.t <= t + 1e-9 && sight.t + back.t <= 1 + 1e-9);
    if (sight.verdict == LF_VERDICT_BLOCKED && !known)
        assert_int_equal(rules->voids, LF_VOIDS_STOP);
    assert_true(fabs(sight.clearance - back.clearance) <= 1e-9 || isinf(sight.clearance));
}

/// Raised by what is said, b is just seen; a little less, and it is not.
static void check_raise(const world *w, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b) {
    lf_sight sight, raised;
    assert_int_equal(lf_sight_between(w->ground, rules, a, b, &sight, NULL), LF_OK);
    if (isinf(sight.raise))
        return;
    lf_vec3 c = {b.x, b.y, b.z + sight.raise + 1e-6}, d = {b.x, b.y, b.z + sight.raise - 1e-6};
    assert_int_equal(lf_sight_between(w->ground, rules, a, c, &raised, NULL), LF_OK);
    assert_true(raised.clearance >= 0);
    assert_int_equal(lf_sight_between(w->ground, rules, a, d, &raised, NULL), LF_OK);
    assert_true(raised.clearance < 0);
}

static void test_random_lines(void **state) {
    (void)state;
    test_random random = test_random_start(501);
    for (int surface = 0; surface < 5; surface++)
        for (int kind = 0; kind < 4; kind++) {
            world w = make_world(&random, (lf_surface)surface, kind & 1 ? 0.03 : 0, kind >= 2);
            for (int k = 0; k < 30; k++) {
                lf_sight_rules rules = lf_sight_rules_default();
                rules.detail = true;
                rules.voids = (lf_void_policy)test_random_below(&random, 3);
                rules.curvature.coefficient = test_random_below(&random, 2) ? 0.75 : 0;
                rules.curvature.radius = 600; // a small planet, so that lines bend by metres
                lf_vec3 a = random_end(&random), b = random_end(&random);
                check_line(&w, &rules, a, b);
                check_raise(&w, &rules, a, b);
            }
            free_world(w);
        }
}

/// A whole batch is what its lines are, in any number of threads.
static void test_batches(void **state) {
    (void)state;
    enum { COUNT = 700 };
    static lf_vec3 a[COUNT], b[COUNT];
    static lf_sight sights[COUNT];
    static uint8_t verdicts[COUNT];
    test_random random = test_random_start(502);
    world w = make_world(&random, LF_SURFACE_ALTERNATING, 0.002, false);
    lf_sight_rules rules = lf_sight_rules_default();
    for (int k = 0; k < COUNT; k++) {
        a[k] = random_end(&random);
        b[k] = random_end(&random);
    }
    lf_tasks tasks = test_tasks(3);
    for (int search = 0; search < 3; search++) {
        rules.search = (lf_search)search;
        assert_int_equal(lf_sight_many(w.ground, &rules, a, 0, b, 0, COUNT, sights, 0, &tasks), LF_OK);
        assert_int_equal(lf_sight_verdicts(w.ground, &rules, a, 0, b, 0, COUNT, verdicts, &tasks), LF_OK);
        lf_cursor *cursor;
        assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
        for (int k = 0; k < COUNT; k++) {
            lf_sight one;
            lf_verdict verdict;
            assert_int_equal(lf_sight_between(w.ground, &rules, a[k], b[k], &one, NULL), LF_OK);
            assert_int_equal(lf_sight_verdict(w.ground, &rules, a[k], b[k], &verdict, cursor), LF_OK);
            assert_memory_equal(&one.t, &sights[k].t, sizeof one.t);
            assert_int_equal(one.verdict, sights[k].verdict);
            assert_int_equal(one.verdict, verdict);
            assert_int_equal(one.verdict, verdicts[k]);
        }
        assert_int_equal(lf_cursor_counters(cursor).questions, COUNT);
        lf_cursor_destroy(cursor);
    }
    assert_int_equal(lf_sight_verdicts(w.ground, &rules, a, LF_STRIDE_SAME, b, 0, COUNT, verdicts, NULL),
                     LF_OK);
    assert_int_equal(lf_sight_many(w.ground, &rules, a, LF_STRIDE_SAME, b, 0, COUNT, sights, 0, NULL), LF_OK);
    for (int k = 0; k < COUNT; k++)
        assert_int_equal(verdicts[k], sights[k].verdict);
    static uint8_t matrix[40 * 40];
    assert_int_equal(lf_sight_matrix(w.ground, &rules, a, 40, matrix, &tasks), LF_OK);
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 40; j++) {
            lf_verdict verdict = LF_VERDICT_CLEAR;
            if (i != j)
                assert_int_equal(lf_sight_verdict(w.ground, &rules, a[i], a[j], &verdict, NULL), LF_OK);
            assert_int_equal(matrix[i * 40 + j], verdict);
        }
    free_world(w);
}

/// Breaks along the way: where the surface does, and at every one of them it is as high as it is.
static void test_profile_breaks(void **state) {
    (void)state;
    static lf_profile_point samples[1000];
    test_random random = test_random_start(503);
    for (int surface = 0; surface < 5; surface++) {
        world w = make_world(&random, (lf_surface)surface, 0, false);
        for (int k = 0; k < 40; k++) {
            lf_sight_rules rules = lf_sight_rules_default();
            lf_vec3 a = random_end(&random), b = random_end(&random);
            int64_t count, again;
            lf_sight sight;
            rules.detail = true;
            assert_int_equal(lf_sight_profile(w.ground, &rules, a, b, 0, samples, 1000, &count), LF_OK);
            assert_int_equal(lf_sight_profile(w.ground, &rules, a, b, 0, samples, 3, &again),
                             count > 3 ? LF_PARTIAL : LF_OK);
            assert_int_equal(count, again);
            assert_int_equal(lf_sight_between(w.ground, &rules, a, b, &sight, NULL), LF_OK);
            double least = INFINITY;
            for (int64_t i = 0; i < count; i++) {
                assert_true(i == 0 ? samples[0].t == 0 : samples[i].t >= samples[i - 1].t);
                least = fmin(least, samples[i].line - samples[i].ground);
            }
            assert_true(samples[count - 1].t == 1 && samples[count - 1].line == b.z);
            // Straight between breaks. What is touched at an end alone does not count; corners of samples'
            // squares are no breaks.
            if (surface != LF_SURFACE_BILINEAR && !isinf(sight.clearance))
                assert_true(sight.clearance < least + 1e-9 &&
                            (surface == LF_SURFACE_POINT || sight.clearance > least - 1e-9));
        }
        free_world(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_lines),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_profile_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
