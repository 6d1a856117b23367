/// The published methods on rasters, Sjöstrand's and Fünfzig's, against landfall's own answers.
#include "published/funfzig_sight.h"
#include "published/sjostrand.h"
#include "support.h"
#include <landfall/grid.h>
#include <landfall/sight.h>
#include <math.h>

enum { SIDE = 64 };

static void fill(float *heights, test_random *random) {
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] =
            (float)(8 * sin(0.2 * (k % SIDE)) * cos(0.17 * (k / SIDE)) + test_random_between(random, 0, 2));
}

static lf_grid *make_grid(const float *heights, lf_surface surface) {
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.geotransform.per_column.x = def.geotransform.per_row.y = 1;
    def.surface = surface;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static lf_vec3 place(test_random *random, double z) {
    lf_vec3 p = {test_random_between(random, 1, SIDE - 2), 0, z};
    p.y = test_random_between(random, 1, SIDE - 2);
    return p;
}

/// Rays from above the map to below it: every method finds the same hit, and the walks test fewer triangles.
static void sjostrand_finds_the_same_hits(void **state) {
    (void)state;
    static float heights[SIDE * SIDE];
    test_random random = test_random_start(1601);
    fill(heights, &random);
    lf_grid *grid = make_grid(heights, LF_SURFACE_ALTERNATING);
    lf__sjostrand_map map = {SIDE, heights};
    lf__sjostrand_tree tree;
    int64_t tested[5] = {0};
    assert_int_equal(lf__sjostrand_open(&tree, &map, 8), LF_OK);
    for (int i = 0; i < 300; i++) {
        lf_ray ray = lf_ray_between(place(&random, test_random_between(&random, 12, 30)),
                                    place(&random, test_random_between(&random, -30, -12)));
        lf_hit hit;
        assert_int_equal(lf_ground_ray_first(lf_grid_ground(grid), &ray, &hit, NULL), LF_OK);
        lf__sjostrand_answer answers[5] = {lf__sjostrand_all(&map, &ray), lf__sjostrand_leaves(&tree, &ray),
                                           lf__sjostrand_walk_samples(&tree, &ray, false),
                                           lf__sjostrand_walk_samples(&tree, &ray, true),
                                           lf__sjostrand_walk_cells(&tree, &ray)};
        for (int k = 0; k < 5; k++)
            assert_true(answers[k].hit && fabs(answers[k].t - hit.t) < 1e-9);
        for (int k = 0; k < 5; k++)
            tested[k] += answers[k].triangles;
    }
    assert_true(tested[1] < tested[0] && tested[2] < tested[1] && tested[3] < tested[2] &&
                tested[4] < tested[2]);
    lf__sjostrand_close(&tree);
    lf_grid_destroy(grid);
}

/// The trees' exact leaves have the verdicts of lf_sight_verdict, whichever end they search from; the compressed tree has
/// those of the tree for every kind of leaf, and takes as many numbers as there are leaves.
static void funfzig_has_the_same_verdicts(void **state) {
    (void)state;
    static float heights[SIDE * SIDE];
    const double unit = 0x1p-10;
    test_random random = test_random_start(1602);
    fill(heights, &random);
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] = (float)(unit * rint((double)heights[k] / unit));
    for (int leaf = LF__FUNFZIG_POINT; leaf <= LF__FUNFZIG_BILINEAR; leaf++) {
        lf_grid *grid =
            make_grid(heights, leaf == LF__FUNFZIG_POINT ? LF_SURFACE_POINT : LF_SURFACE_BILINEAR);
        lf__funfzig_sight trees[2];
        assert_int_equal(lf__funfzig_sight_open(&trees[0], heights, SIDE, (lf__funfzig_leaf)leaf), LF_OK);
        assert_int_equal(
            lf__funfzig_sight_open_wavelet(&trees[1], heights, SIDE, (lf__funfzig_leaf)leaf, unit), LF_OK);
        assert_int_equal(trees[1].capacity, trees[1].leaves * trees[1].leaves);
        lf_sight_rules rules = lf_sight_rules_default();
        int blocked = 0, count = 1000;
        for (int i = 0; i < count; i++) {
            lf_vec3 a = place(&random, test_random_between(&random, 10.5, 12)),
                    b = place(&random, test_random_between(&random, 0, 12));
            lf_verdict verdict;
            bool found[4];
            assert_int_equal(lf_sight_verdict(lf_grid_ground(grid), &rules, a, b, &verdict, NULL), LF_OK);
            for (int k = 0; k < 4; k++) {
                lf__funfzig_line line = {a.x, a.y, a.z, b.x - a.x, b.y - a.y, b.z - a.z, k >= 2, 0};
                found[k] = lf__funfzig_sight_blocked(&trees[k % 2], &line);
                assert_int_equal(found[k], found[0]);
            }
            if (leaf != LF__FUNFZIG_APPROX)
                assert_int_equal(found[0], verdict == LF_VERDICT_BLOCKED);
            blocked += found[0];
        }
        assert_true(blocked > count / 10 && blocked < count * 9 / 10);
        lf__funfzig_sight_close(&trees[1]);
        lf__funfzig_sight_close(&trees[0]);
        lf_grid_destroy(grid);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sjostrand_finds_the_same_hits),
                                       cmocka_unit_test(funfzig_has_the_same_verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
