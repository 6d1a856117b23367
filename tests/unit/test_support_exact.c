// Who oracles the oracle: cases worked out by hand, and two independent ways to the same answer.
#include "brute.h"
#include "exact.h"
#include "nasty.h"
#include <stdlib.h>

static const lf_vec3 flat[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};

static exact_meeting meet(lf_vec3 origin, lf_vec3 direction, double t_min, double t_max) {
    lf_ray ray = {origin, direction, t_min, t_max};
    exact_meeting meeting = exact_ray_triangle(&ray, flat);
    if (meeting.met)
        assert_true(exact_may_meet(&ray, flat));
    return meeting;
}

static void a_ray_from_above(void **state) {
    (void)state;
    exact_meeting meeting = meet((lf_vec3){1, 2, 3}, (lf_vec3){0, 0, -2}, 0, LF_INFINITY);
    assert_true(meeting.met);
    assert_int_equal(meeting.facing, -1);
    assert_true(meeting.t == 1.5 && meeting.u == 0.25 && meeting.v == 0.5);
    meeting = meet((lf_vec3){1, 2, -3}, (lf_vec3){0, 0, 2}, 0, LF_INFINITY);
    assert_true(meeting.met);
    assert_int_equal(meeting.facing, 1);
    assert_false(meet((lf_vec3){3, 2, 3}, (lf_vec3){0, 0, -2}, 0, LF_INFINITY).met);
    assert_false(meet((lf_vec3){1, 2, 3}, (lf_vec3){0, 0, 2}, 0, LF_INFINITY).met);
    assert_true(meet((lf_vec3){1, 2, 3}, (lf_vec3){0, 0, 2}, -LF_INFINITY, 0).met);
}

static void edges_and_corners_are_part_of_it(void **state) {
    (void)state;
    lf_vec3 down = {0, 0, -1};
    assert_true(meet((lf_vec3){2, 2, 1}, down, 0, 9).met);
    assert_false(meet((lf_vec3){nextafter(2, 3), 2, 1}, down, 0, 9).met);
    assert_true(meet((lf_vec3){nextafter(2, 1), 2, 1}, down, 0, 9).met);
    assert_true(meet((lf_vec3){0, 0, 1}, down, 0, 9).met);
    assert_true(meet((lf_vec3){4, 0, 1}, down, 0, 9).met);
    assert_false(meet((lf_vec3){4, -1e-300, 1}, down, 0, 9).met);
}

static void the_interval_is_closed(void **state) {
    (void)state;
    lf_vec3 from = {1, 1, 3}, slanted = {0.1, 0, -3};
    assert_true(meet(from, slanted, 1, 1).met);
    assert_false(meet(from, slanted, nextafter(1, 2), 9).met);
    assert_false(meet(from, slanted, 0, nextafter(1, 0)).met);
    // 3 / 10 is no double: 0.3 lies below it and the next one above it.
    lf_vec3 tenth = {0, 0, -10};
    assert_false(meet(from, tenth, 0, 0.3).met);
    assert_true(meet(from, tenth, 0, nextafter(0.3, 1)).met);
    assert_true(meet(from, tenth, 0.3, 1).met);
}

static void a_line_in_the_plane_enters_it(void **state) {
    (void)state;
    exact_meeting meeting = meet((lf_vec3){-1, 1, 0}, (lf_vec3){1, 0, 0}, 0, LF_INFINITY);
    assert_true(meeting.met && meeting.facing == 0 && meeting.t == 1);
    meeting = meet((lf_vec3){-1, 1, 0}, (lf_vec3){1, 0, 0}, 2, LF_INFINITY);
    assert_true(meeting.met && meeting.t == 2);
    meeting = meet((lf_vec3){-1, 1, 0}, (lf_vec3){1, 0, 0}, 4, LF_INFINITY);
    assert_true(meeting.met && meeting.t == 4);
    assert_false(meet((lf_vec3){-1, 1, 0}, (lf_vec3){1, 0, 0}, nextafter(4, 5), LF_INFINITY).met);
    assert_false(meet((lf_vec3){-1, 1, 0}, (lf_vec3){1, 0, 0}, 0, nextafter(1, 0)).met);
    assert_true(meet((lf_vec3){8, -4, 0}, (lf_vec3){-1, 1, 0}, 0, 4).met);
    assert_false(meet((lf_vec3){8, -4, 0}, (lf_vec3){-1, 1, 0}, 0, nextafter(4, 0)).met);
    assert_false(meet((lf_vec3){-1, 1, 1e-300}, (lf_vec3){1, 0, 0}, 0, LF_INFINITY).met);
    assert_false(meet((lf_vec3){-1, 5, 0}, (lf_vec3){1, 0, 0}, 0, LF_INFINITY).met);
    meeting = meet((lf_vec3){-1, 4, 0}, (lf_vec3){0x1p-100, 0, 0}, 0, LF_INFINITY);
    assert_true(meeting.met && meeting.t == 0x1p100);
}

static void without_area_nothing_is_met(void **state) {
    (void)state;
    lf_vec3 line[3] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}},
            almost[3] = {{0, 0, 0}, {1, 1, 1}, {3, 3, nextafter(3, 4)}};
    lf_ray ray = {{0, 0, 0}, {1, 1, 1}, 0, 9};
    assert_false(exact_ray_triangle(&ray, line).met);
    assert_false(exact_has_area(line));
    assert_true(exact_has_area(almost));
    assert_true(exact_ray_triangle(&ray, almost).met);
    assert_int_equal(exact_facing((lf_vec3){1, 1, 1}, almost), 0);
}

static void normals_are_unit_and_in_front(void **state) {
    (void)state;
    lf_vec3 up = exact_normal(flat);
    assert_true(up.x == 0 && up.y == 0 && up.z == 1);
    lf_vec3 tiny[3] = {{0, 0, 0}, {0, 0x1p-180, 0}, {0, 0, 0x1p-180}};
    lf_vec3 east = exact_normal(tiny);
    assert_true(east.x == 1 && east.y == 0 && east.z == 0);
}

static void hulls_are_closed(void **state) {
    (void)state;
    lf_vec3 points[7] = {{0, 0, 5}, {4, 0, 1}, {4, 4, 2}, {0, 4, 9}, {2, 2, 7}, {2, 0, 3}, {0, 0, 8}};
    exact_hull *hull = exact_hull_make(points, 7, (lf_vec3){0, 0, -1});
    assert_true(exact_hull_contains(hull, (lf_vec3){2, 2, 100}));
    assert_true(exact_hull_contains(hull, (lf_vec3){4, 4, 100}));
    assert_true(exact_hull_contains(hull, (lf_vec3){3, 0, 100}));
    assert_false(exact_hull_contains(hull, (lf_vec3){3, -1e-300, 100}));
    assert_false(exact_hull_contains(hull, (lf_vec3){nextafter(4, 5), 4, 0}));
    exact_hull_free(hull);
    hull = exact_hull_make(points, 4, (lf_vec3){1, 2, -2});
    assert_true(exact_hull_contains(hull, (lf_vec3){4 + 3, 0 + 6, 1 - 6}));
    assert_false(exact_hull_contains(hull, (lf_vec3){4 + 3, -1e-9 + 6, 1 - 6}));
    exact_hull_free(hull);
    exact_hull_free(NULL);
}

static void hulls_of_little(void **state) {
    (void)state;
    lf_vec3 wall[4] = {{0, 0, 0}, {2, 2, 0}, {2, 2, 5}, {1, 1, 9}};
    exact_hull *hull = exact_hull_make(wall, 4, (lf_vec3){0, 0, -9.8});
    assert_true(exact_hull_contains(hull, (lf_vec3){0.5, 0.5, 1}));
    assert_true(exact_hull_contains(hull, (lf_vec3){2, 2, 1}));
    assert_false(exact_hull_contains(hull, (lf_vec3){2.5, 2.5, 1}));
    assert_false(exact_hull_contains(hull, (lf_vec3){0.5, 0.6, 1}));
    exact_hull_free(hull);
    hull = exact_hull_make(wall + 1, 2, (lf_vec3){0, 0, -1});
    assert_true(exact_hull_contains(hull, (lf_vec3){2, 2, 1}));
    assert_false(exact_hull_contains(hull, (lf_vec3){2, 1, 1}));
    exact_hull_free(hull);
}

static void boxes_touch(void **state) {
    (void)state;
    lf_box box = exact_box(flat, 3), beside = {{4, -1, 0}, {5, 0, 0}}, above = {{0, 0, 1e-300}, {4, 4, 1}};
    assert_true(box.high.x == 4 && box.high.y == 4 && box.low.z == 0);
    assert_true(exact_boxes_touch(box, beside));
    assert_false(exact_boxes_touch(box, above));
}

/// The filter never throws away what is met, and turning the corners changes nothing.
static void filter_and_turning(void **state) {
    (void)state;
    test_random random = test_random_start(71);
    int64_t met = 0, dropped = 0;
    for (int kind = 0; kind < NASTY_MESH_KINDS; kind++) {
        nasty_mesh mesh;
        nasty_mesh_make(&mesh, (nasty_mesh_kind)kind, 24, false, &random);
        for (int i = 0; i < 8 * NASTY_RAY_KINDS; i++) {
            lf_ray ray = nasty_ray_make((nasty_ray_kind)(i % NASTY_RAY_KINDS), &mesh, &random);
            lf_vec3 c[3];
            nasty_mesh_triangle(&mesh, test_random_below(&random, mesh.triangle_count), c);
            lf_vec3 turned[3] = {c[1], c[2], c[0]}, flipped[3] = {c[1], c[0], c[2]};
            exact_meeting a = exact_ray_triangle(&ray, c), b = exact_ray_triangle(&ray, turned);
            exact_meeting f = exact_ray_triangle(&ray, flipped);
            assert_true(a.met == b.met && a.met == f.met && a.facing == b.facing && a.facing == -f.facing);
            assert_true(!a.met || (a.t == b.t && a.t == f.t));
            assert_true(!a.met || exact_may_meet(&ray, c));
            met += a.met;
            dropped += !exact_may_meet(&ray, c);
        }
        nasty_mesh_free(&mesh);
    }
    assert_true(met > 100 && dropped > 100);
}

/// Every kind of mesh has polygons, every kind of ray is a valid one, and most kinds meet something.
static void nasty_cases_are_what_they_say(void **state) {
    (void)state;
    test_random random = test_random_start(72);
    int64_t met[NASTY_RAY_KINDS] = {0};
    for (int kind = 0; kind < NASTY_MESH_KINDS; kind++) {
        nasty_mesh mesh;
        nasty_mesh_make(&mesh, (nasty_mesh_kind)kind, 30, true, &random);
        assert_true(mesh.polygon_count >= 30 && mesh.triangle_count >= mesh.polygon_count);
        brute_hit *hits = malloc((size_t)mesh.polygon_count * sizeof *hits);
        assert_non_null(hits);
        for (int i = 0; i < 4 * NASTY_RAY_KINDS; i++) {
            int ray_kind = i % NASTY_RAY_KINDS;
            brute_question question = {
                &mesh, nasty_ray_make((nasty_ray_kind)ray_kind, &mesh, &random), ~0u, false, false, false};
            const lf_ray *ray = &question.ray;
            assert_true(lf_vec3_finite(ray->origin) && lf_vec3_finite(ray->direction));
            assert_true(ray->t_min >= 0 && ray->t_min <= ray->t_max);
            assert_true(ray->direction.x != 0 || ray->direction.y != 0 || ray->direction.z != 0);
            brute_answer answer = {.hits = hits};
            brute_ask(&question, &answer);
            met[ray_kind] += answer.count > 0;
        }
        free(hits);
        nasty_mesh_free(&mesh);
    }
    for (int kind = 0; kind < NASTY_RAY_KINDS; kind++)
        if (met[kind] < 5)
            fail_msg("rays %s meet almost nothing", nasty_ray_name((nasty_ray_kind)kind));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_from_above),
        cmocka_unit_test(edges_and_corners_are_part_of_it),
        cmocka_unit_test(the_interval_is_closed),
        cmocka_unit_test(a_line_in_the_plane_enters_it),
        cmocka_unit_test(without_area_nothing_is_met),
        cmocka_unit_test(normals_are_unit_and_in_front),
        cmocka_unit_test(hulls_are_closed),
        cmocka_unit_test(hulls_of_little),
        cmocka_unit_test(boxes_touch),
        cmocka_unit_test(filter_and_turning),
        cmocka_unit_test(nasty_cases_are_what_they_say),
    };
    return cmocka_run_group_tests_name("support exact", tests, NULL, NULL);
}
