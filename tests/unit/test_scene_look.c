/// Looking at a scene: instances are culled, and of large ones their parts; nothing that can be seen is left out.
#include "geom/geometry.h"
#include "support.h"
#include <math.h>
#include <stdlib.h>

enum { SHAPES = 60, THINGS = 12, SPACE = 4000 };

/// An object of many small boxes, in groups of six, as wide as a world.
static lf_object make_cloud(lf_scene *scene, test_random *random, int levels) {
    lf_object_def def = lf_object_def_default();
    lf_object object;
    lf_part top, group = {0, 0};
    def.name = "cloud";
    def.cull_levels = levels;
    assert_int_equal(lf_object_create(scene, &def, &object, &top, NULL), LF_OK);
    for (int i = 0; i < SHAPES; i++) {
        if (i % 6 == 0) {
            lf_part_def solid = lf_part_def_default();
            assert_int_equal(lf_part_add(scene, top, &solid, &group, NULL), LF_OK);
        }
        lf_part_def part = lf_part_def_default();
        lf_transform place =
            lf_translation(test_random_between(random, -40, 40), test_random_between(random, -40, 40),
                           test_random_between(random, -40, 40));
        part.shape.kind = LF_SHAPE_BOX;
        part.shape.size = (lf_vec3){0.5, 0.5, 0.5};
        part.transforms = &place;
        part.transform_count = 1;
        assert_int_equal(lf_part_add(scene, group, &part, NULL, NULL), LF_OK);
    }
    return object;
}

/// Is a shape at or below one of the parts that were handed out?
static bool handed_out(const lf_scene *scene, const lf_scene_cull_result *seen, lf_part part) {
    while (!lf_part_is_none(part)) {
        for (int64_t i = 0; i < seen->count; i++)
            if (seen->parts[i].index == part.index && seen->parts[i].generation == part.generation)
                return true;
        lf_part_info info;
        assert_int_equal(lf_part_describe(scene, part, &info), LF_OK);
        part = info.above;
    }
    return false;
}

/// What is checked: each corner of each triangle.
typedef struct oracle {
    lf_scene *scene;
    const lf_polyhedron *volume;
    const lf_scene_cull_result *seen;
    int64_t visible, drawn;
} oracle;

static bool oracle_triangle(void *user, const lf_scene_triangle *triangle) {
    oracle *j = user;
    bool out = handed_out(j->scene, j->seen, triangle->part), in = false;
    for (int c = 0; c < 3; c++) {
        bool inside = true;
        for (int k = 0; k < j->volume->plane_count; k++)
            inside = inside && lf__plane_side(&j->volume->planes[k], triangle->corners[c]) <= 0;
        in = in || inside;
    }
    assert_true(out || !in);
    j->visible += in;
    j->drawn += out;
    return true;
}

static void oracle_look(lf_scene *scene, const lf_view *eye, const lf_scene_cull_result *seen, oracle *j) {
    lf_polyhedron volume;
    lf_instance instances[THINGS];
    int64_t count;
    assert_int_equal(lf_view_volume(eye, &volume, NULL), LF_OK);
    assert_int_equal(lf_scene_instances(scene, instances, THINGS, &count), LF_OK);
    *j = (oracle){scene, &volume, seen, 0, 0};
    for (int64_t i = 0; i < count; i++) {
        lf_instance_info info;
        assert_int_equal(lf_instance_describe(scene, instances[i], &info), LF_OK);
        assert_int_equal(lf_part_triangles(scene, info.top, 8, oracle_triangle, j), LF_OK);
    }
}

static lf_instance put_cloud(lf_scene *scene, lf_object cloud, int i) {
    lf_instance_def def = lf_instance_def_default();
    lf_instance instance;
    def.object = cloud;
    def.pose.translation = (lf_vec3){60.0 * (i % 4), 60.0 * (i / 4), 0};
    assert_int_equal(lf_instance_create(scene, &def, &instance, NULL), LF_OK);
    return instance;
}

/// The same look once more: nothing is rebuilt, and the same parts are seen.
static void expect_same_again(lf_scene *scene, const lf_view *eye, const lf_scene_cull_result *before) {
    static lf_part parts[SPACE];
    lf_scene_cull_result seen = {.parts = parts, .capacity = SPACE};
    assert_int_equal(lf_scene_cull(scene, eye, NULL, &seen, NULL), LF_OK);
    assert_false(seen.volume_made);
    assert_int_equal(seen.count, before->count);
    assert_memory_equal(parts, before->parts, (size_t)seen.count * sizeof *parts);
}

static void test_looks(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    static lf_part parts[SPACE];
    lf_scene *scene;
    int64_t drawn = 0, all = 0;
    assert_int_equal(lf_scene_create(NULL, &scene, NULL), LF_OK);
    lf_object cloud = make_cloud(scene, &random, LF_CULL_LEVELS_AUTO);
    lf_instance instances[THINGS];
    for (int i = 0; i < THINGS; i++)
        instances[i] = put_cloud(scene, cloud, i);
    for (int k = 0; k < 40; k++) {
        lf_view eye = lf_view_default();
        lf_scene_cull_result seen = {.parts = parts, .capacity = SPACE};
        oracle j;
        eye.at = (lf_vec3){test_random_between(&random, -50, 200), test_random_between(&random, -50, 200), 0};
        eye.forward =
            (lf_vec3){test_random_between(&random, -1, 1), test_random_between(&random, -1, 1), 0.1};
        eye.across = test_random_between(&random, 0.2, 1.5);
        // One moves a little, one is gone and another one has come.
        int mover = k % THINGS, gone = (k + 5) % THINGS;
        assert_int_equal(lf_instance_move(scene, instances[mover], (lf_vec3){0, 0, k % 2 ? 3 : -3}), LF_OK);
        assert_int_equal(lf_instance_remove(scene, instances[gone]), LF_OK);
        instances[gone] = put_cloud(scene, cloud, gone);
        assert_int_equal(lf_scene_cull(scene, &eye, NULL, &seen, NULL), LF_OK);
        assert_true(seen.volume_made);
        assert_int_equal(seen.instances.tested, THINGS);
        expect_same_again(scene, &eye, &seen);
        assert_true(seen.opened <= THINGS - seen.instances.culled);
        oracle_look(scene, &eye, &seen, &j);
        drawn += j.drawn;
        all += (THINGS - seen.instances.culled) * SHAPES * 12;
        seen.capacity = 0;
        assert_int_equal(lf_scene_cull(scene, &eye, NULL, &seen, NULL), seen.count > 0 ? LF_PARTIAL : LF_OK);
    }
    // A view that crosses clouds as wide as its world leaves out a good part of them: by whole instances all
    // would be drawn.
    assert_true(2 * drawn < all);
    lf_scene_destroy(scene);
}

/// The levels of parts that may be culled are the caller's choice: none, groups, or groups and boxes, as by default.
static void test_levels(void **state) {
    (void)state;
    static lf_part parts[4][SPACE];
    static const int levels[4] = {LF_CULL_LEVELS_AUTO, 0, 1, 2};
    int64_t tested[4] = {0}, opened[4] = {0};
    for (int k = 0; k < 30; k++) {
        lf_scene_cull_result seen[4];
        for (int n = 0; n < 4; n++) {
            test_random random = test_random_start(7);
            lf_scene *scene;
            oracle j;
            assert_int_equal(lf_scene_create(NULL, &scene, NULL), LF_OK);
            lf_object cloud = make_cloud(scene, &random, levels[n]);
            for (int i = 0; i < THINGS; i++)
                put_cloud(scene, cloud, i);
            lf_view eye = lf_view_default();
            eye.at = (lf_vec3){10.0 * k - 50, 8.0 * k - 40, 0};
            eye.forward = (lf_vec3){sin(k), cos(k), 0.1};
            eye.across = 0.2 + 0.04 * k;
            seen[n] = (lf_scene_cull_result){.parts = parts[n], .capacity = SPACE};
            assert_int_equal(lf_scene_cull(scene, &eye, NULL, &seen[n], NULL), LF_OK);
            oracle_look(scene, &eye, &seen[n], &j);
            tested[n] += seen[n].opened_parts.tested;
            opened[n] += seen[n].opened;
            for (int64_t i = 0; i < seen[n].count; i++) {
                lf_part_info info, above;
                assert_int_equal(lf_part_describe(scene, parts[n][i], &info), LF_OK);
                bool top = lf_part_is_none(info.above);
                bool group = !top && lf_part_describe(scene, info.above, &above) == LF_OK &&
                             lf_part_is_none(above.above);
                assert_true(levels[n] == 0 ? top : levels[n] == 1 ? top || group : true);
            }
            lf_scene_destroy(scene);
        }
        assert_int_equal(seen[0].count, seen[3].count);
    }
    assert_true(opened[1] == 0 && tested[1] == 0 && opened[2] > 0 && opened[2] == opened[3]);
    assert_true(tested[2] < tested[3] && tested[0] == tested[3]);
    lf_scene *scene;
    lf_object object;
    lf_object_def def = lf_object_def_default();
    def.cull_levels = -2;
    assert_int_equal(lf_scene_create(NULL, &scene, NULL), LF_OK);
    assert_int_equal(lf_object_create(scene, &def, &object, NULL, NULL), LF_BAD_ARGUMENT);
    lf_scene_destroy(scene);
}

static void test_small_ones(void **state) {
    (void)state;
    lf_scene *scene;
    lf_object_def def = lf_object_def_default();
    lf_instance_def instance_def = lf_instance_def_default();
    lf_part top, parts[4];
    lf_instance instance;
    lf_part_def part = lf_part_def_default();
    lf_view eye = lf_view_default();
    lf_scene_cull_result seen = {.parts = parts, .capacity = 4};
    assert_int_equal(lf_scene_create(NULL, &scene, NULL), LF_OK);
    assert_int_equal(lf_scene_cull(scene, &eye, NULL, &seen, NULL), LF_OK);
    assert_int_equal(seen.count, 0);
    assert_int_equal(lf_object_create(scene, &def, &instance_def.object, &top, NULL), LF_OK);
    part.shape.kind = LF_SHAPE_BOX;
    assert_int_equal(lf_part_add(scene, top, &part, NULL, NULL), LF_OK);
    assert_int_equal(lf_instance_create(scene, &instance_def, &instance, NULL), LF_OK);
    assert_int_equal(lf_scene_cull(scene, &eye, NULL, &seen, NULL), LF_OK);
    assert_int_equal(seen.count, 1); // the eye is in it; one shape is not worth opening
    assert_int_equal(seen.opened, 0);
    eye.at.y = 10;
    assert_int_equal(lf_scene_cull(scene, &eye, NULL, &seen, NULL), LF_OK);
    assert_int_equal(seen.count, 0);
    assert_int_equal(seen.instances.culled, 1);
    eye.across = 9;
    assert_int_equal(lf_scene_cull(scene, &eye, NULL, &seen, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_cull(NULL, &eye, NULL, &seen, NULL), LF_BAD_ARGUMENT);
    lf_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_small_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
