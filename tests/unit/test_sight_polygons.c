/// Lines over polygons and groups: the same ground as a grid and as a mesh gives the same verdicts.
#include "support.h"
#include <landfall/ground.h>

#define SIDE 12
#define CELLS ((SIDE - 1) * (SIDE - 1))

typedef struct twins {
    lf_grid *grid;
    lf_mesh *mesh;
    const lf_ground *of_grid, *of_mesh;
    float heights[SIDE * SIDE];
} twins;

/// Falling cells are cut from (0, 1) to (1, 0).
static void make_mesh(twins *t) {
    static lf_vec3 vertices[SIDE * SIDE];
    static int64_t corners[6 * CELLS];
    int64_t *c = corners;
    for (int k = 0; k < SIDE * SIDE; k++)
        vertices[k] = (lf_vec3){k % SIDE, k / SIDE, (double)t->heights[k]};
    for (int64_t j = 0; j + 1 < SIDE; j++)
        for (int64_t i = 0; i + 1 < SIDE; i++) {
            int64_t at = j * SIDE + i;
            *c++ = at, *c++ = at + 1, *c++ = at + SIDE;
            *c++ = at + 1, *c++ = at + SIDE + 1, *c++ = at + SIDE;
        }
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons.vertices = vertices;
    def.polygons.vertex_count = SIDE * SIDE;
    def.polygons.corners = corners;
    def.polygons.polygon_count = 2 * CELLS;
    assert_int_equal(lf_mesh_create(&def, &t->mesh, NULL), LF_OK);
    t->of_mesh = lf_mesh_ground(t->mesh);
}

static void make_twins(twins *t, test_random *random) {
    for (int k = 0; k < SIDE * SIDE; k++)
        t->heights[k] = (float)test_random_between(random, 0, 5);
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = t->heights;
    def.samples.columns = def.samples.rows = SIDE;
    assert_int_equal(lf_grid_create(&def, &t->grid, NULL), LF_OK);
    t->of_grid = lf_grid_ground(t->grid);
    make_mesh(t);
}

static void free_twins(twins *t) {
    lf_mesh_destroy(t->mesh);
    lf_grid_destroy(t->grid);
}

static lf_vec3 above_ground(const lf_ground *ground, test_random *random) {
    lf_vec2 at = {test_random_between(random, 0, SIDE - 1), test_random_between(random, 0, SIDE - 1)};
    lf_vec3 p;
    lf_reason reason;
    assert_int_equal(lf_sight_observer(ground, at, test_random_between(random, 0.01, 2), &p, &reason), LF_OK);
    assert_int_equal(reason, LF_REASON_ANSWERED);
    return p;
}

/// slack: how far off a bent line may be.
static void compare(const lf_ground *one, const lf_ground *other, const lf_sight_rules *rules, lf_vec3 a,
                    lf_vec3 b, double slack) {
    lf_sight s, t;
    lf_verdict verdict;
    assert_int_equal(lf_sight_between(one, rules, a, b, &s, NULL), LF_OK);
    assert_int_equal(lf_sight_between(other, rules, a, b, &t, NULL), LF_OK);
    assert_int_equal(lf_sight_verdict(other, rules, b, a, &verdict, NULL), LF_OK);
    assert_int_equal(t.verdict, verdict);
    assert_true(fabs(s.clearance - t.clearance) < 1e-9 && fabs(s.clearance_t - t.clearance_t) < 1e-6);
    assert_true(fabs(s.raise - t.raise) < 1e-6 * (1 + fabs(s.raise)));
    if (fabs(s.clearance) <= slack)
        return;
    assert_int_equal(s.verdict, t.verdict);
    // Where it goes below ground depends on how steeply it does.
    if (slack == 0)
        assert_true(fabs(s.t - t.t) < 1e-9);
}

static void grids_and_meshes_agree(void **state) {
    (void)state;
    test_random random = test_random_start(520);
    for (int round = 0; round < 4; round++) {
        twins t;
        make_twins(&t, &random);
        for (int k = 0; k < 100; k++) {
            lf_sight_rules rules = lf_sight_rules_default();
            lf_vec3 a = above_ground(t.of_grid, &random), b = above_ground(t.of_grid, &random);
            rules.detail = true;
            compare(t.of_grid, t.of_mesh, &rules, a, b, 0);
            rules.curvature = (lf_curvature){1, 30};
            compare(t.of_grid, t.of_mesh, &rules, a, b, 0.002);
        }
        free_twins(&t);
    }
}

/// A group of a grid and a mesh, each moved and turned, against each alone.
static void groups_ask_their_parts(void **state) {
    (void)state;
    test_random random = test_random_start(521);
    twins t;
    make_twins(&t, &random);
    lf_pose pose = lf_pose_identity(), far = lf_pose_identity();
    pose.translation = (lf_vec3){100, 50, 7};
    far.translation = (lf_vec3){-500, 0, 0};
    for (int which = 0; which < 2; which++) {
        lf_group_part parts[2] = {{.ground = which ? t.of_mesh : t.of_grid, .pose = pose},
                                  {.ground = t.of_mesh, .pose = far}};
        lf_group_def def = lf_group_def_default();
        def.parts = parts;
        def.part_count = 2;
        lf_group *group;
        const lf_ground *ground;
        assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
        ground = lf_group_ground(group);
        for (int k = 0; k < 100; k++) {
            lf_sight_rules rules = lf_sight_rules_default();
            lf_vec3 a = above_ground(t.of_grid, &random), b = above_ground(t.of_grid, &random);
            rules.curvature = (lf_curvature){k & 1, 30};
            rules.detail = true;
            lf_sight alone, moved;
            assert_int_equal(lf_sight_between(t.of_grid, &rules, a, b, &alone, NULL), LF_OK);
            assert_int_equal(lf_sight_between(ground, &rules, lf_vec3_add(a, pose.translation),
                                              lf_vec3_add(b, pose.translation), &moved, NULL),
                             LF_OK);
            if (fabs(alone.clearance) > 0.002)
                assert_int_equal(alone.verdict, moved.verdict);
            assert_true(fabs(alone.clearance - moved.clearance) < 1e-9);
        }
        lf_group_destroy(group);
    }
    free_twins(&t);
}

/// A bridge: one sees below it and above it, and not through it. Ends in the plane of a polygon see along it.
static void under_a_bridge(void **state) {
    (void)state;
    const lf_vec3 vertices[] = {{0, 0, 5}, {10, 0, 5}, {10, 2, 5}, {0, 2, 5}};
    const int64_t corners[] = {0, 1, 2, 3}, starts[] = {0, 4};
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons.vertices = vertices;
    def.polygons.vertex_count = 4;
    def.polygons.corners = corners;
    def.polygons.starts = starts;
    def.polygons.polygon_count = 1;
    lf_mesh *mesh;
    const lf_ground *ground;
    lf_cursor *cursor;
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
    ground = lf_mesh_ground(mesh);
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    const lf_sight_rules rules = lf_sight_rules_default();
    const struct {
        lf_vec3 a, b;
        lf_verdict verdict;
    } cases[] = {{{5, -5, 4}, {5, 5, 4}, LF_VERDICT_CLEAR},  {{5, -5, 6}, {5, 5, 6}, LF_VERDICT_CLEAR},
                 {{5, 1, 4}, {5, 1, 6}, LF_VERDICT_BLOCKED}, {{5, 1, 5}, {5, 1, 6}, LF_VERDICT_CLEAR},
                 {{5, -5, 5}, {5, 5, 5}, LF_VERDICT_CLEAR},  {{0, 0, 4}, {0, 0, 6}, LF_VERDICT_BLOCKED},
                 {{-1, 0, 4}, {-1, 0, 6}, LF_VERDICT_CLEAR}, {{3, 2, 9}, {3, 2, 1}, LF_VERDICT_BLOCKED},
                 {{5, 1, 4}, {5, 1, 5}, LF_VERDICT_CLEAR}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        lf_sight sight;
        assert_int_equal(lf_sight_between(ground, &rules, cases[k].a, cases[k].b, &sight, cursor), LF_OK);
        assert_int_equal(sight.verdict, cases[k].verdict);
        assert_int_equal(lf_sight_between(ground, &rules, cases[k].b, cases[k].a, &sight, NULL), LF_OK);
        assert_int_equal(sight.verdict, cases[k].verdict);
    }
    lf_sight sight;
    lf_cursor_set_layers(cursor, 2);
    assert_int_equal(lf_sight_between(ground, &rules, cases[2].a, cases[2].b, &sight, cursor), LF_OK);
    assert_int_equal(sight.verdict, LF_VERDICT_CLEAR);
    lf_profile_point samples[5];
    int64_t count;
    assert_int_equal(lf_sight_profile(ground, &rules, cases[0].a, cases[0].b, 0, samples, 5, &count),
                     LF_BAD_ARGUMENT);
    assert_int_equal(
        lf_sight_profile(ground, &rules, (lf_vec3){5, -2, 4}, (lf_vec3){5, 2, 8}, 4, samples, 5, &count),
        LF_OK);
    assert_true(count == 5 && isnan(samples[1].ground) && samples[3].ground == 5 && samples[3].line == 7 &&
                samples[3].distance == 3);
    lf_cursor_destroy(cursor);
    lf_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_and_meshes_agree),
        cmocka_unit_test(groups_ask_their_parts),
        cmocka_unit_test(under_a_bridge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
