/// Rays and boxes against the scene, and its triangles.
#include "scenes.h"
#include <math.h>
#include <string.h>

static const lf_vec3 unit = {1, 1, 1}, still = {0, 0, 0};

static lf_hit first(lf_scene *scene, lf_vec3 from, lf_vec3 towards) {
    lf_ray ray = lf_ray_towards(from, towards);
    lf_hit hit;
    assert_int_equal(lf_scene_ray_first(scene, &ray, &hit, NULL), LF_OK);
    return hit;
}

static void rays_meet_every_kind_of_shape(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    static const double wanted[8] = {0, 10, 9,  9,
                                     9, 10, 10, 0}; // from z = 10 down onto things of radius or half height 1
    static const lf_vec3 v[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 2, 0}};
    static const int64_t corners[3] = {0, 1, 2};
    for (int kind = LF_SHAPE_RECTANGLE; kind <= LF_SHAPE_POLYGONS; kind++) {
        lf_instance instance = test_box(scene, unit, (lf_vec3){10.0 * kind, 0, 0}, still);
        lf_part_info info;
        lf_part_describe(scene, test_top(scene, instance), &info);
        lf_shape shape = lf_part_def_default().shape;
        shape.kind = (lf_shape_kind)kind;
        shape.size = (lf_vec3){2, 2, 2};
        shape.radius = 1;
        shape.polygons = (lf_polygons){v, 3, NULL, corners, 1, NULL, NULL, NULL};
        assert_int_equal(lf_part_set_shape(scene, info.first, &shape, NULL), LF_OK);
        lf_hit hit = first(scene, (lf_vec3){10.0 * kind, 0, 10}, (lf_vec3){0, 0, -1});
        lf_part part = lf_scene_part_of(scene, hit.part);
        assert_true(part.index == info.first.index && part.generation == info.first.generation);
        assert_int_equal(lf_part_describe(scene, part, &info), LF_OK);
        assert_true(info.instance.index == instance.index && hit.layers == info.layers);
        assert_true(fabs(hit.t - wanted[kind]) < 1e-12 && fabs(hit.normal.z - 1) < 1e-12);
        // Turned over, twice as large, and away from the origin.
        lf_instance_turn(scene, instance, (lf_vec3){1, 0, 0}, 3.14159265358979323846);
        lf_instance_scale(scene, instance, (lf_vec3){2, 2, 2});
        hit = first(scene, (lf_vec3){10.0 * kind, 0, 10}, (lf_vec3){0, 0, -1});
        assert_true(fabs(hit.t - (2 * wanted[kind] - 10)) < 1e-9);
    }
    lf_hit tiny = first(scene, (lf_vec3){30, 0, 10}, (lf_vec3){0, 0, -1e-300}); // the ball, twice as large
    assert_true(fabs(tiny.t / 8e300 - 1) < 1e-9);
    lf_hit miss = first(scene, (lf_vec3){0, 50, 0}, (lf_vec3){0, 0, 1});
    assert_true(miss.kind == LF_HIT_NONE && isinf(miss.t));
    lf_scene_destroy(scene);
}

static void rays_from_inside_meet_the_surface(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    test_instance(scene, test_object(scene, LF_SHAPE_CYLINDER, (lf_vec3){2, 2, 6}), still, still);
    assert_true(fabs(first(scene, still, (lf_vec3){1, 0, 0}).t - 1) < 1e-12);
    assert_true(fabs(first(scene, still, (lf_vec3){0, 0, -2}).t - 1.5) < 1e-12);
    assert_true(fabs(first(scene, (lf_vec3){0, 0, 5}, (lf_vec3){0, 0, -1}).t - 2) < 1e-12);
    lf_ray part_way = {{-5, 0, 0}, {1, 0, 0}, 4.5, 5.5}; // both sides of the surface are beyond its ends
    lf_hit hit;
    assert_int_equal(lf_scene_ray_first(scene, &part_way, &hit, NULL), LF_OK);
    assert_true(hit.kind == LF_HIT_NONE);
    part_way.t_max = 6;
    assert_int_equal(lf_scene_ray_first(scene, &part_way, &hit, NULL), LF_OK);
    assert_false(hit.kind == LF_HIT_NONE);
    part_way.direction = still;
    assert_int_equal(lf_scene_ray_first(scene, &part_way, &hit, NULL), LF_BAD_ARGUMENT);
    lf_scene_destroy(scene);
}

/// Rays against the triangles that the scene shows, one after the other.
typedef struct search {
    lf_ray ray;
    double t;
} search;

static bool look_at(void *user, const lf_scene_triangle *triangle) {
    search *s = user;
    const lf_vec3 *c = triangle->corners;
    lf_vec3 e = lf_vec3_sub(c[1], c[0]), f = lf_vec3_sub(c[2], c[0]), p = lf_vec3_cross(s->ray.direction, f);
    double volume = lf_vec3_dot(e, p);
    if (volume == 0)
        return true;
    lf_vec3 o = lf_vec3_sub(s->ray.origin, c[0]), q = lf_vec3_cross(o, e);
    double u = lf_vec3_dot(o, p) / volume, v = lf_vec3_dot(s->ray.direction, q) / volume,
           t = lf_vec3_dot(f, q) / volume;
    if (u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t < s->t)
        s->t = t;
    return true;
}

static void rays_agree_with_the_triangles(void **state) {
    (void)state;
    test_random random = test_random_start(821);
    lf_scene *scene = test_scene();
    static const lf_shape_kind kinds[4] = {LF_SHAPE_BOX, LF_SHAPE_SPHERE, LF_SHAPE_CYLINDER,
                                           LF_SHAPE_RECTANGLE};
    lf_instance all[40];
    for (int i = 0; i < 40; i++) {
        lf_vec3 at = {test_random_between(&random, -10, 10), test_random_between(&random, -10, 10),
                      test_random_between(&random, -10, 10)};
        all[i] = test_instance(scene, test_object(scene, kinds[i % 4], (lf_vec3){2, 1, 3}), at, still);
        lf_instance_turn(scene, all[i], (lf_vec3){1, 2, at.x}, at.y);
        lf_instance_scale(scene, all[i], (lf_vec3){1, 1.5, -0.7});
    }
    for (int round = 0; round < 40; round++) {
        search s = {lf_ray_towards((lf_vec3){test_random_between(&random, -20, 20), -20, 0},
                                   (lf_vec3){test_random_between(&random, -1, 1), 1,
                                             test_random_between(&random, -0.5, 0.5)}),
                    LF_INFINITY};
        for (int i = 0; i < 40; i++)
            assert_int_equal(lf_part_triangles(scene, test_top(scene, all[i]), 32, look_at, &s), LF_OK);
        lf_hit hit, hits[64];
        int64_t count;
        assert_int_equal(lf_scene_ray_first(scene, &s.ray, &hit, NULL), LF_OK);
        assert_int_equal(lf_ground_ray_all(lf_scene_ground(scene), &s.ray, hits, 64, &count, NULL), LF_OK);
        assert_int_equal(hit.kind == LF_HIT_NONE, count == 0);
        for (int64_t i = 1; i < count; i++)
            assert_true(hits[i - 1].t <= hits[i].t);
        if (count > 0)
            assert_true(fabs(hits[0].t - hit.t) < 1e-9 && hits[0].part == hit.part);
        // Facets lie inside round shapes: what they meet, the shape meets before.
        if (s.t < LF_INFINITY)
            assert_true(hit.t <= s.t + 1e-9);
    }
    lf_scene_destroy(scene);
}

static bool count_up(void *user, const lf_scene_triangle *triangle) {
    int64_t *count = user;
    assert_true(triangle->colour.opacity == 1);
    return ++*count < 5;
}

static void boxes_find_instances(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    for (int i = 0; i < 10; i++) {
        lf_instance instance = test_box(scene, unit, (lf_vec3){3.0 * i, 0, 0}, still);
        test_part(scene, test_top(scene, instance), LF_SHAPE_SPHERE, unit, (lf_vec3){0, 5, 0});
    }
    lf_instance instances[10];
    int64_t count;
    lf_box box = {{2.5, -1, -1}, {6.5, 1, 1}};
    assert_int_equal(lf_scene_instances_in(scene, box, instances, 10, &count, NULL), LF_OK);
    assert_int_equal(count, 2);
    assert_true(instances[0].index == 1 && instances[1].index == 2);
    assert_int_equal(lf_scene_instances_in(scene, box, instances, 1, &count, NULL), LF_PARTIAL);
    assert_int_equal(count, 2);
    box.low.x = 7;
    assert_int_equal(lf_scene_instances_in(scene, box, instances, 3, &count, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_instances(scene, instances, 3, &count), LF_PARTIAL);
    assert_int_equal(count, 10);
    count = 0;
    assert_int_equal(lf_part_triangles(scene, test_top(scene, instances[0]), 16, count_up, &count), LF_OK);
    assert_int_equal(count, 5);
    lf_cursor *cursor;
    lf_ray ray = lf_ray_towards((lf_vec3){0, -5, 0}, (lf_vec3){0, 1, 0});
    lf_hit hit;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    assert_int_equal(lf_scene_ray_first(scene, &ray, &hit, cursor), LF_OK);
    lf_counters cost = lf_cursor_counters(cursor);
    assert_true(cost.questions == 1 && cost.nodes == 12 &&
                cost.cells <= 2); // ten boxes, and two of the parts of one
    lf_cursor_destroy(cursor);
    lf_scene_destroy(scene);
}

/// Rays that many threads ask at once.
typedef struct asked {
    lf_scene *scene;
    double t[256];
} asked;

static void ask(void *job, int64_t first_ray, int64_t last_ray, int worker) {
    (void)worker;
    asked *a = job;
    for (int64_t i = first_ray; i < last_ray; i++)
        a->t[i] = first(a->scene, (lf_vec3){0.1 * (double)i, 0, 10}, (lf_vec3){0, 0, -1}).t;
}

static void many_threads_ask_what_is_up_to_date(void **state) {
    (void)state;
    asked one = {.scene = test_scene()}, many = one;
    for (int i = 0; i < 20; i++) {
        lf_instance instance = test_box(one.scene, unit, (lf_vec3){1.3 * i, 0, 0.1 * i}, still);
        lf_instance_turn(one.scene, instance, (lf_vec3){0, 1, 0}, i);
    }
    lf_instance gone = test_box(one.scene, unit, (lf_vec3){0, 0, 5}, still);
    assert_true(first(one.scene, (lf_vec3){0, 0, 10}, (lf_vec3){0, 0, -1}).t == 4.5);
    assert_int_equal(lf_instance_remove(one.scene, gone), LF_OK);
    assert_int_equal(lf_scene_update(one.scene), LF_OK);
    ask(&one, 0, 256, 0);
    many.scene = one.scene;
    lf_tasks tasks = test_tasks(4);
    tasks.run(tasks.user, 256, 8, ask, &many);
    for (int i = 0; i < 256; i++)
        assert_true(one.t[i] == many.t[i]);
    assert_true(one.t[0] > 9);
    lf_scene_destroy(one.scene);
}

/// A hit that is always written is so for arguments that are refused, too.
static void the_hit_of_a_ray_is_always_written(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    test_box(scene, unit, still, still);
    lf_ray good = lf_ray_towards((lf_vec3){-5, 0, 0}, (lf_vec3){1, 0, 0}), bad = good;
    good.t_max = bad.t_max = 3;
    bad.direction = still;
    const lf_ray *rays[3] = {&good, &bad, NULL};
    for (int i = 0; i < 6; i++) {
        lf_hit hit;
        memset(&hit, 0x55, sizeof hit);
        lf_status status = lf_scene_ray_first(i < 3 ? scene : NULL, rays[i % 3], &hit, NULL);
        assert_int_equal(status, i == 0 ? LF_OK : LF_BAD_ARGUMENT);
        assert_true(hit.kind == LF_HIT_NONE && hit.part == -1 && hit.element == -1);
        assert_true(hit.t == (i == 0 ? 3 : LF_INFINITY));
    }
    lf_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_every_kind_of_shape),
        cmocka_unit_test(rays_from_inside_meet_the_surface),
        cmocka_unit_test(rays_agree_with_the_triangles),
        cmocka_unit_test(boxes_find_instances),
        cmocka_unit_test(many_threads_ask_what_is_up_to_date),
        cmocka_unit_test(the_hit_of_a_ray_is_always_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
