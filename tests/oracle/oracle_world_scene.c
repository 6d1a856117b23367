// A scene as ground against the scene's own rays, one shape after the other: after steps, changes of shapes
// and removals; as a part of a group, seen by layers; and sweeps of spheres against its triangles.
#include "scenes.h"
#include "sweeps.h"
#include <landfall/model.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { THINGS = 60 };

typedef struct stage {
    lf_scene *scene;
    lf_model *model;
    lf_instance instances[THINGS];
    int count;
} stage;

static double any(test_random *random, double low, double high) {
    return test_random_between(random, low, high);
}

static lf_vec3 any_vector(test_random *random, double size) {
    lf_vec3 v = {any(random, -size, size), any(random, -size, size), 0};
    v.z = any(random, -size, size);
    return v;
}

static lf_model *make_wedge(void) {
    static const lf_vec3 v[5] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0.2, 0.1, 1.5}};
    static const int64_t starts[6] = {0, 4, 7, 10, 13, 16},
                         corners[16] = {3, 2, 1, 0, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    def.polygons = (lf_polygons){
        .vertices = v, .vertex_count = 5, .starts = starts, .corners = corners, .polygon_count = 5};
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    return model;
}

static lf_shape any_shape(const stage *s, test_random *random) {
    static const lf_vec3 v[4] = {{-1, -1, 0}, {1.5, -1, 0}, {0, 2, 0}, {-1, 0.5, 0}};
    static const int64_t corners[6] = {0, 1, 2, 0, 2, 3};
    lf_shape shape = lf_part_def_default().shape;
    shape.kind = (lf_shape_kind)(LF_SHAPE_RECTANGLE +
                                 test_random_below(random, LF_SHAPE_MODEL - LF_SHAPE_RECTANGLE + 1));
    shape.size = (lf_vec3){any(random, 0.2, 3), any(random, 0.2, 3), any(random, 0.2, 3)};
    shape.radius = any(random, 0.2, 2);
    shape.polygons = (lf_polygons){.vertices = v, .vertex_count = 4, .corners = corners, .polygon_count = 2};
    shape.model = s->model;
    return shape;
}

/// Turned, shifted, and scaled, not always alike along all axes.
static lf_instance add_thing(stage *s, test_random *random) {
    lf_instance instance =
        test_box(s->scene, (lf_vec3){1, 1, 1}, any_vector(random, 12), any_vector(random, 1));
    lf_part_info info;
    lf_shape shape = any_shape(s, random);
    assert_int_equal(lf_part_describe(s->scene, test_top(s->scene, instance), &info), LF_OK);
    assert_int_equal(lf_part_set_shape(s->scene, info.first, &shape, NULL), LF_OK);
    assert_int_equal(lf_part_set_layers(s->scene, info.first, test_random_below(random, 3) ? 1 : 6), LF_OK);
    lf_instance_turn(s->scene, instance, any_vector(random, 1), any(random, -3, 3));
    if (test_random_below(random, 2))
        lf_instance_scale(s->scene, instance,
                          (lf_vec3){any(random, 0.5, 2), any(random, 0.5, 2), any(random, -2, -0.5)});
    return instance;
}

static void compare(const stage *s, const lf_ground *ground, lf_vec3 p, lf_vec3 q, int64_t *hits) {
    lf_ray ray = lf_ray_between(p, q);
    lf_hit expected, behind, hit;
    bool blocked;
    assert_int_equal(lf_scene_ray_first(s->scene, &ray, &expected, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
    assert_int_equal(lf_ground_ray_any(ground, &ray, &blocked, NULL), LF_OK);
    assert_true(blocked == (hit.kind != LF_HIT_NONE));
    if (fabs(expected.t - 1) < 1e-9 || fabs(expected.t) < 1e-9)
        return;
    bool none = expected.kind == LF_HIT_NONE;
    assert_true(none == (hit.kind == LF_HIT_NONE));
    if (none)
        return;
    ++*hits;
    assert_true(fabs(hit.t - expected.t) < 1e-9);
    ray.t_min = nextafter(expected.t, 2);
    ray.t_max = expected.t + 1e-9;
    assert_int_equal(lf_scene_ray_first(s->scene, &ray, &behind, NULL), LF_OK);
    bool tie = behind.kind != LF_HIT_NONE;
    assert_true(tie || hit.part == expected.part);
    assert_true(tie || lf_vec3_length(lf_vec3_sub(hit.normal, expected.normal)) < 1e-6 ||
                lf_vec3_length(lf_vec3_add(hit.normal, expected.normal)) < 1e-6);
    assert_true(lf_vec3_length(lf_vec3_sub(hit.point, expected.point)) < 1e-8);
}

static void a_scene_is_a_ground(void **state) {
    (void)state;
    test_random random = test_random_start(9201);
    int64_t hits = 0;
    for (int64_t round = 0; round < test_rounds(4); round++) {
        stage s = {.scene = test_scene(), .model = make_wedge()};
        const lf_ground *ground = lf_scene_ground(s.scene);
        assert_true(lf_box_is_empty(lf_ground_box(ground)));
        for (s.count = 0; s.count < THINGS; s.count++)
            s.instances[s.count] = add_thing(&s, &random);
        for (int i = 0; i < 200; i++) {
            if (i % 20 == 5)
                assert_int_equal(lf_scene_step(s.scene, 0.25, NULL), LF_OK);
            if (i % 50 == 30) {
                int which = (int)test_random_below(&random, THINGS);
                assert_int_equal(lf_instance_remove(s.scene, s.instances[which]), LF_OK);
                s.instances[which] = add_thing(&s, &random);
            }
            assert_int_equal(lf_scene_update(s.scene), LF_OK);
            assert_ptr_equal(lf_scene_ground(s.scene), ground);
            compare(&s, ground, any_vector(&random, 14), any_vector(&random, 14), &hits);
        }
        lf_scene_destroy(s.scene);
        lf_model_destroy(s.model);
    }
    printf("%lld hits\n", (long long)hits);
    assert_true(hits > 100);
}

/// The same ray by the tree of boxes and without it, bit for bit. The tree is not there for the first ray after a change if there was none between the two
/// changes before; ties are in it, because things stand in the same places.
static void rays_by_the_tree(void **state) {
    (void)state;
    test_random random = test_random_start(9204);
    int64_t hits = 0, nodes[2] = {0, 0};
    stage s = {.scene = test_scene(), .model = make_wedge()};
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    for (int i = 0; i < 150; i++) {
        lf_vec3 cube = {1, 1, 1}, at = {floor(any(&random, -12, 12)), floor(any(&random, -12, 12)), 0};
        if (i % 3)
            s.instances[0] = test_box(s.scene, cube, at, (lf_vec3){any(&random, -0.01, 0.01), 0, 0});
        else
            add_thing(&s, &random);
    }
    for (int64_t i = 0; i < test_rounds(800); i++) {
        lf_hit found[2];
        lf_vec3 p = any_vector(&random, 14), q = any_vector(&random, 14);
        if (i % 4 == 0) { // along an axis, through faces that several boxes have in common
            p = (lf_vec3){-20, floor(any(&random, -12, 12)) + 0.25, 0.25};
            q = (lf_vec3){20, p.y, p.z};
        }
        lf_ray ray = lf_ray_between(p, q);
        for (int k = 0; k < 2; k++) { // a change after one ray, and one after three
            assert_int_equal(lf_part_set_layers(s.scene, test_top(s.scene, s.instances[0]), 1), LF_OK);
            assert_int_equal(lf_scene_update(s.scene), LF_OK);
            lf_cursor_reset(cursor);
            assert_int_equal(lf_scene_ray_first(s.scene, &ray, &found[k], cursor), LF_OK);
            nodes[k] += lf_cursor_counters(cursor).nodes;
            for (int n = 0; n < 2 * (k == 0); n++) {
                lf_hit again;
                assert_int_equal(lf_scene_ray_first(s.scene, &ray, &again, NULL), LF_OK);
                assert_memory_equal(&again, &found[0], sizeof again);
            }
        }
        assert_memory_equal(&found[0], &found[1], sizeof found[0]);
        hits += found[0].kind != LF_HIT_NONE;
        if (i % 16 == 7)
            assert_int_equal(lf_scene_step(s.scene, 0.25, NULL), LF_OK);
    }
    printf("%lld hits; nodes %lld and by the tree %lld\n", (long long)hits, (long long)nodes[0],
           (long long)nodes[1]);
    assert_true(hits > 100 && nodes[1] * 2 < nodes[0]);
    lf_cursor_destroy(cursor);
    lf_scene_destroy(s.scene);
    lf_model_destroy(s.model);
}

/// As a part of a group, by layers: what stops a ray need not stop sight.
static void scenes_in_groups(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance glass = test_box(scene, (lf_vec3){1, 10, 10}, (lf_vec3){0, 0, 0}, (lf_vec3){1, 0, 0});
    lf_part_info info;
    assert_int_equal(lf_part_describe(scene, test_top(scene, glass), &info), LF_OK);
    assert_int_equal(lf_part_set_layers(scene, test_top(scene, glass), 8), LF_OK);
    const lf_ground *own = lf_scene_ground(scene);
    lf_group_part parts[2] = {{.pose = lf_pose_identity(), .box = {{-50, -50, -20}, {50, 50, -10}}},
                              {.ground = own, .pose = lf_pose_identity()}};
    parts[1].pose.translation = (lf_vec3){0, 0, 5};
    lf_group_def def = lf_group_def_default();
    lf_group *group;
    def.parts = parts;
    def.part_count = 2;
    assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
    const lf_ground *ground = lf_group_ground(group);
    lf_vec3 a = {-9, 0, 5}, b = {9, 1, 5};
    lf_ray ray = lf_ray_between(a, b);
    lf_hit hit;
    assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
    assert_true(hit.part == 1 && hit.element == 0 && fabs(hit.t - 8.5 / 18) < 1e-12 && hit.layers == 8);
    assert_int_equal(lf_scene_part_of(scene, hit.inner).index, info.first.index);
    lf_sight_rules rules = lf_sight_rules_default();
    lf_verdict verdict;
    assert_int_equal(lf_sight_verdict(ground, &rules, a, b, &verdict, NULL), LF_OK);
    assert_int_equal(verdict, LF_VERDICT_BLOCKED);
    rules.layers = ~8u;
    assert_int_equal(lf_sight_verdict(ground, &rules, a, b, &verdict, NULL), LF_OK);
    assert_int_equal(verdict, LF_VERDICT_CLEAR);
    for (int i = 0; i < 12; i++)
        assert_int_equal(lf_scene_step(scene, 1, NULL), LF_OK); // it moves 12 m, out of the way
    assert_int_equal(lf_group_update(group), LF_OK);
    assert_int_equal(lf_ground_ray_first(ground, &ray, &hit, NULL), LF_OK);
    assert_int_equal(hit.kind, LF_HIT_NONE);
    assert_int_equal(lf_part_set_layers(scene, info.first, 0), LF_OK);
    assert_true(lf_box_is_empty(lf_ground_box(lf_scene_ground(scene))));
    assert_int_equal(lf_part_set_layers(scene, (lf_part){7, 7}, 1), LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_part_of(scene, 1 << 20).generation, 0);
    lf_group_destroy(group);
    lf_scene_destroy(scene);
    assert_null(lf_scene_ground(NULL));
}

/// A sphere that moves towards a round shape stops within the tolerance of it.
static void sweeps_meet_round_shapes(void **state) {
    (void)state;
    test_random random = test_random_start(9203);
    for (int i = 0; i < 40; i++) {
        lf_scene *scene = test_scene();
        double radius = any(&random, 0.5, 3), own = any(&random, 0.1, 1), tolerance = 1e-5;
        lf_vec3 centre = any_vector(&random, 5);
        test_instance(scene,
                      test_object(scene, LF_SHAPE_SPHERE, (lf_vec3){2 * radius, 2 * radius, 2 * radius}),
                      centre, (lf_vec3){0, 0, 0});
        const lf_ground *ground = lf_scene_ground(scene);
        lf_box box = lf_ground_box(ground);
        double r = 0.5 * (box.high.x - box.low.x);
        lf_vec3 p = any_vector(&random, 12),
                motion = lf_vec3_scale(lf_vec3_sub(centre, p), any(&random, 1, 2));
        double distance = lf_vec3_length(lf_vec3_sub(centre, p)), length = lf_vec3_length(motion);
        if (distance > r + own + 0.1) {
            lf_hit hit;
            assert_int_equal(sweep_sphere(ground, p, own, motion, tolerance, &hit, NULL), LF_OK);
            double expected = (distance - r - own) / length;
            assert_true(hit.kind != LF_HIT_NONE && hit.t <= expected + 1e-9 &&
                        hit.t >= expected - 2 * tolerance / length);
            assert_true(fabs(lf_vec3_length(lf_vec3_sub(hit.point, centre)) - r) < 2 * tolerance);
        }
        lf_scene_destroy(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_scene_is_a_ground),
                                       cmocka_unit_test(rays_by_the_tree), cmocka_unit_test(scenes_in_groups),
                                       cmocka_unit_test(sweeps_meet_round_shapes)};
    return cmocka_run_group_tests_name("world: scenes", tests, NULL, NULL);
}
