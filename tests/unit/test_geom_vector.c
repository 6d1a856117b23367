/// Vectors, boxes, planes, and the predicates at their boundaries.
#include "geom/expansion.h"
#include "geom/geometry.h"
#include "support.h"
#include <math.h>

static lf_vec3 vec(double x, double y, double z) {
    return (lf_vec3){x, y, z};
}

static bool same(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void vectors(void **state) {
    (void)state;
    lf_vec3 a = vec(1, 2, 3), b = vec(-4, 5, 6);
    assert_true(same(lf_vec3_add(a, b), vec(-3, 7, 9)));
    assert_true(same(lf_vec3_sub(a, b), vec(5, -3, -3)));
    assert_true(same(lf_vec3_scale(a, 2), vec(2, 4, 6)));
    assert_true(same(lf_vec3_along(a, 2, b), vec(-7, 12, 15)));
    assert_true(lf_vec3_dot(a, b) == 24);
    assert_true(same(lf_vec3_cross(vec(1, 0, 0), vec(0, 1, 0)), vec(0, 0, 1)));
    assert_true(same(lf_vec3_cross(a, b), vec(-3, -18, 13)));
    assert_true(lf_vec3_length(vec(3, 4, 12)) == 13);
    assert_true(lf_vec3_finite(a));
    assert_false(lf_vec3_finite(vec(0, NAN, 0)));
    assert_false(lf_vec3_finite(vec(0, 0, -INFINITY)));
}

static void unit_vectors_of_any_length(void **state) {
    (void)state;
    assert_true(same(lf_vec3_unit(vec(0, 0, -7)), vec(0, 0, -1)));
    assert_true(same(lf_vec3_unit(vec(0, 0, 0)), vec(0, 0, 0)));
    double lengths[] = {1e-308, 5e-324, 1e-200, 1, 1e200, 1.7e308};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        lf_vec3 unit = lf_vec3_unit(vec(lengths[i], -lengths[i], lengths[i]));
        assert_true(fabs(lf_vec3_length(unit) - 1) < 4e-16);
        assert_true(unit.x == -unit.y && unit.x == unit.z && unit.x > 0);
    }
    assert_true(isinf(lf_vec3_unit(vec(INFINITY, 0, 0)).x));
}

static void boxes(void **state) {
    (void)state;
    lf_box empty = lf_box_empty();
    assert_true(lf_box_is_empty(empty));
    lf_box point = lf_box_with(empty, vec(1, 2, 3));
    assert_false(lf_box_is_empty(point));
    assert_true(same(point.low, vec(1, 2, 3)) && same(point.high, vec(1, 2, 3)));
    lf_box box = lf_box_with(lf_box_with(point, vec(0, 5, 3)), vec(4, 2, -1));
    assert_true(same(box.low, vec(0, 2, -1)) && same(box.high, vec(4, 5, 3)));
    assert_true(same(lf_box_centre(box), vec(2, 3.5, 1)));
    assert_true(lf_box_contains(box, vec(4, 5, 3))); // closed
    assert_false(lf_box_contains(box, vec(4, 5, nextafter(3, 4))));
    lf_box touching = {vec(4, 5, 3), vec(9, 9, 9)};
    assert_true(lf_box_overlap(box, touching));
    touching.low.x = nextafter(4, 5);
    assert_false(lf_box_overlap(box, touching));
    assert_false(lf_box_overlap(box, empty));
    lf_box both = lf_box_union(box, touching);
    assert_true(same(both.low, box.low) && same(both.high, touching.high));
    both = lf_box_union(box, empty);
    assert_true(same(both.low, box.low) && same(both.high, box.high));
    assert_true(lf_box_is_empty((lf_box){vec(0, 0, 1), vec(1, 1, 0)}));
}

static void signs_say_which_side(void **state) {
    (void)state;
    assert_int_equal(lf_orient2d((lf_vec2){0, 0}, (lf_vec2){1, 0}, (lf_vec2){0, 1}), 1);
    assert_int_equal(lf_orient2d((lf_vec2){0, 0}, (lf_vec2){1, 0}, (lf_vec2){0, -1}), -1);
    assert_int_equal(lf_orient2d((lf_vec2){0.1, 0.1}, (lf_vec2){0.2, 0.2}, (lf_vec2){0.7, 0.7}), 0);
    assert_int_equal(lf_orient3d(vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0), vec(0, 0, 1)), 1);
    assert_int_equal(lf_orient3d(vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0), vec(5, 5, -1)), -1);
    assert_int_equal(lf_orient3d(vec(0, 0, 0), vec(1, 0, 0), vec(0, 1, 0), vec(7, 9, 0)), 0);
    // direction . ((a - origin) x (b - origin))
    assert_int_equal(lf_orient_line(vec(0, 0, 5), vec(0, 0, -1), vec(1, 0, 0), vec(0, 1, 0)), -1);
    assert_int_equal(lf_orient_line(vec(0, 0, 5), vec(0, 0, -1), vec(0, 1, 0), vec(1, 0, 0)), 1);
    assert_int_equal(lf_orient_line(vec(0, 0, 5), vec(0, 0, -1), vec(-1, 0, 0), vec(1, 0, 0)), 0); // meets
    assert_int_equal(lf_orient_line(vec(0, 0, 5), vec(0, 0, -1), vec(1, 0, 0), vec(1, 0, 9)), 0);  // parallel
}

/// Points on a line by construction, and their neighbours: naive arithmetic gets many of these wrong.
static void signs_next_to_a_line(void **state) {
    (void)state;
    int naive_wrong = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            lf_vec2 a = {0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53}, b = {12, 12}, c = {24, 24};
            int expected = (i < j) - (i > j); // a lies above the diagonal when j > i: then a, b, c turns left
            assert_int_equal(lf_orient2d(a, b, c), expected);
            double naive = (a.x - c.x) * (b.y - c.y) - (a.y - c.y) * (b.x - c.x);
            naive_wrong += (naive > 0) - (naive < 0) != expected;
        }
    assert_true(naive_wrong > 100);
}

static void the_ends_of_the_range(void **state) {
    (void)state;
    double sizes[] = {1e-80, 1e80};
    for (int i = 0; i < 2; i++) {
        double s = sizes[i];
        lf_vec3 a = vec(s, s, s), b = vec(2 * s, s, 3 * s), c = vec(s, 4 * s, 2 * s);
        lf_vec3 inside = lf_vec3_add(a, lf_vec3_add(lf_vec3_sub(b, a), lf_vec3_sub(c, a)));
        assert_int_equal(lf_orient3d(a, b, c, vec(inside.x, inside.y, nextafter(inside.z, 1e308))), 1);
        assert_int_equal(lf_orient3d(a, b, c, vec(inside.x, inside.y, nextafter(inside.z, 0))), -1);
    }
    // Beyond it nothing worse than a wrong sign happens.
    for (int i = 0; i < 1000; i++) {
        test_random random = test_random_start((uint64_t)i);
        lf_vec3 p[4];
        for (int k = 0; k < 4; k++)
            p[k] = vec(ldexp(1, (int)test_random_below(&random, 2000) - 1000),
                       -ldexp(3, (int)test_random_below(&random, 2000) - 1000),
                       ldexp(5, (int)test_random_below(&random, 2000) - 1000));
        int sign = lf_orient3d(p[0], p[1], p[2], p[3]);
        assert_true(sign >= -1 && sign <= 1);
    }
}

/// The plane through three points.
static lf_plane plane_through(lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    lf_vec3 corners[3] = {a, b, c};
    lf_plane plane = {lf_vec3_unit(lf_polygon_area(corners, 3)), 0};
    plane.offset = lf_vec3_dot(plane.normal, a);
    return plane;
}

static void planes(void **state) {
    (void)state;
    lf_plane plane = plane_through(vec(0, 0, 2), vec(1, 0, 2), vec(0, 1, 2));
    assert_true(same(plane.normal, vec(0, 0, 1)) && plane.offset == 2);
    assert_int_equal(lf__plane_side(&plane, vec(9, 9, 2)), 0);
    assert_int_equal(lf__plane_side(&plane, vec(9, 9, nextafter(2, 3))), 1);
    assert_int_equal(lf__plane_side(&plane, vec(9, 9, nextafter(2, 1))), -1);
    assert_true(lf__plane_height(&plane, vec(0, 0, 7)) == 5);
    assert_true(lf__plane_height(&plane, vec(0, 0, 2)) == 0);
    plane = plane_through(vec(0, 0, 0), vec(1, 2, 3), vec(2, 4, 6));
    assert_true(same(plane.normal, vec(0, 0, 0)) && plane.offset == 0);
}

/// A sliver far from the origin: the normal must still be that of the exact points.
static void the_plane_of_a_sliver(void **state) {
    (void)state;
    lf_vec3 a = vec(6e6, 1e6, 5), b = vec(6e6 + 1000, 1e6, 5), c = vec(6e6 + 500, 1e6, nextafter(5, 6));
    lf_plane plane = plane_through(a, b, c);
    assert_true(same(plane.normal, vec(0, -1, 0)));
    c = vec(6e6 + 500, 1e6 + 0x1p-30, 5);
    plane = plane_through(a, b, c);
    assert_true(same(plane.normal, vec(0, 0, 1)));
}

static void exact_numbers(void **state) {
    (void)state;
    lf__exact x, y, z;
    lf__exact_difference(1e30, 1e-30, &x);
    assert_int_equal(x.count, 2);
    lf__exact_of(1e30, &y);
    lf__exact_minus(&x, &y, &z);
    assert_true(lf__exact_estimate(&z) == -1e-30);
    assert_int_equal(lf__exact_sign(&z), -1);
    lf__exact_minus(&x, &x, &x); // the result may be an input
    assert_int_equal(x.count, 0);
    assert_int_equal(lf__exact_sign(&x), 0);
    assert_true(lf__exact_estimate(&x) == 0);
    lf__exact_product(&z, &x, &y);
    assert_int_equal(y.count, 0);
    lf__exact_of(3, &y);
    lf__exact_product(&y, &y, &y);
    assert_true(lf__exact_estimate(&y) == 9);
    lf__exact_scaled(&y, 0, &y);
    assert_int_equal(y.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(unit_vectors_of_any_length),
        cmocka_unit_test(boxes),
        cmocka_unit_test(signs_say_which_side),
        cmocka_unit_test(signs_next_to_a_line),
        cmocka_unit_test(the_ends_of_the_range),
        cmocka_unit_test(planes),
        cmocka_unit_test(the_plane_of_a_sliver),
        cmocka_unit_test(exact_numbers),
    };
    return cmocka_run_group_tests_name("geom vector", tests, NULL, NULL);
}
