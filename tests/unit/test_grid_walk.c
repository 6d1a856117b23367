// Walking over bilinear patches, which bend: the walker is always where the height is.
#include "support.h"
#include <landfall/ground.h>

#define SIDE 6

static lf_grid *any_grid(double rough, int64_t holes, test_random *random) {
    double heights[SIDE * SIDE];
    lf_grid_def def = lf_grid_def_default();
    for (int k = 0; k < SIDE * SIDE; k++)
        heights[k] =
            holes && test_random_below(random, holes) == 0 ? LF_NAN : test_random_between(random, 0, rough);
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = SIDE;
    def.surface = LF_SURFACE_BILINEAR;
    def.extend = test_random_below(random, 2) == 0;
    def.geotransform.per_column = (lf_vec2){2, 0.5};
    def.geotransform.per_row = (lf_vec2){-0.5, 3};
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static lf_vec3 any_place(test_random *random) {
    double i = test_random_between(random, 0, SIDE - 1), j = test_random_between(random, 0, SIDE - 1);
    return (lf_vec3){2 * i - 0.5 * j, 0.5 * i + 3 * j, LF_INFINITY};
}

static lf_hit top(const lf_ground *ground, lf_vec3 p) {
    lf_hit hit;
    assert_int_equal(lf_ground_height(ground, (lf_vec3){p.x, p.y, LF_INFINITY}, LF_VERTICAL_DOWN, &hit, NULL),
                     LF_OK);
    return hit;
}

static void on_the_ground(const lf_ground *ground, lf_vec3 p) {
    lf_hit hit = top(ground, p);
    assert_true(hit.kind != LF_HIT_NONE && fabs(hit.point.z - p.z) < 1e-8);
}

static bool has_ground(const lf_ground *ground, lf_vec3 from, lf_vec3 to, double t) {
    return top(ground, (lf_vec3){from.x + t * (to.x - from.x), from.y + t * (to.y - from.y), 0}).kind !=
           LF_HIT_NONE;
}

/// There is no step in a patch, nor between two: a walker that cannot climb a millimetre gets as far as there is ground.
static void no_steps_in_patches(void **state) {
    (void)state;
    test_random random = test_random_start(4300);
    for (int round = 0; round < 300; round++) {
        lf_vec3 space[64];
        lf_path path = {space, 64, 0};
        lf_grid *grid = any_grid(50, round % 2 ? 12 : 0, &random);
        const lf_ground *ground;
        ground = lf_grid_ground(grid);
        lf_vec3 from = any_place(&random), to = any_place(&random);
        to.z = 0;
        lf_walk walk;
        lf_walker walker = {1e-6, 1e-6, 0};
        assert_int_equal(lf_ground_walk(ground, &walker, from, to, &walk, &path, NULL), LF_OK);
        if (!has_ground(ground, from, to, 0)) {
            assert_int_equal(walk.end, LF_WALK_NO_GROUND);
        } else {
            assert_true(walk.end == LF_WALK_ARRIVED || walk.end == LF_WALK_NO_GROUND);
            assert_true(round % 2 || walk.end == LF_WALK_ARRIVED);
            bool arrived = walk.end == LF_WALK_ARRIVED;
            for (int64_t k = 0; k < path.count - !arrived; k++)
                on_the_ground(ground, space[k]);
            // At a hole's edge the place itself may be rounded into the hole: a little before it there is
            // ground.
            double back = arrived ? 0 : 1e-9 * walk.t;
            lf_hit there = top(ground, (lf_vec3){walk.position.x - back * (to.x - from.x),
                                                 walk.position.y - back * (to.y - from.y), 0});
            assert_true(there.kind != LF_HIT_NONE && fabs(there.point.z - walk.position.z) < 1e-5);
            if (there.element == walk.ground.element)
                assert_true(lf_vec3_length(lf_vec3_sub(there.normal, walk.ground.normal)) < 1e-5);
            for (int k = 1; k < 200; k++) // sampling finds ground up to there
                assert_true(has_ground(ground, from, to, walk.t * k / 200));
            if (walk.end == LF_WALK_NO_GROUND) {
                double beyond = walk.t + 1e-9;
                assert_false(has_ground(ground, from, to, beyond));
            }
        }
        lf_grid_destroy(grid);
    }
}

/// Two bent floors over each other: a walker that can climb anything is on the higher of them all the way.
static void floors_that_cross(void **state) {
    (void)state;
    test_random random = test_random_start(4301);
    int64_t changes = 0;
    for (int round = 0; round < 200; round++) {
        lf_vec3 space[256];
        lf_path path = {space, 256, 0};
        lf_grid *grids[2];
        const lf_ground *parts[2], *both;
        lf_group_part list[2];
        for (int k = 0; k < 2; k++) {
            grids[k] = any_grid(10, 0, &random);
            parts[k] = lf_grid_ground(grids[k]);
            list[k] = (lf_group_part){.ground = parts[k], .pose = lf_pose_identity()};
        }
        lf_group_def def = lf_group_def_default();
        lf_group *group;
        def.parts = list;
        def.part_count = 2;
        assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
        both = lf_group_ground(group);
        lf_walk walk;
        lf_walker walker = {LF_INFINITY, LF_INFINITY, 0};
        lf_vec3 from = any_place(&random), to = any_place(&random);
        assert_int_equal(lf_ground_walk(both, &walker, from, to, &walk, &path, NULL), LF_OK);
        assert_int_equal(walk.end, LF_WALK_ARRIVED);
        for (int64_t k = 0; k < path.count; k++)
            on_the_ground(both, space[k]);
        // Where the higher of the two changes between samples, the path has a point in between.
        int64_t seen = 0, last = -1;
        for (int k = 0; k <= 400; k++) {
            lf_vec3 p = {from.x + k / 400.0 * (to.x - from.x), from.y + k / 400.0 * (to.y - from.y), 0};
            lf_hit hit = top(both, p);
            seen += last >= 0 && hit.part != last;
            last = hit.part;
        }
        assert_true(path.count >= seen);
        changes += seen;
        on_the_ground(both, walk.position);
        lf_group_destroy(group);
        for (int k = 0; k < 2; k++) {
            lf_grid_destroy(grids[k]);
        }
    }
    assert_true(changes > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_steps_in_patches),
        cmocka_unit_test(floors_that_cross),
    };
    return cmocka_run_group_tests_name("grid: walking", tests, NULL, NULL);
}
