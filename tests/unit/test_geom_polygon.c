/// Polygons: check, area, triangles, clipping.
#include "geom/geometry.h"
#include "support.h"
#include <math.h>
#include <string.h>

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

static lf_polygon_fault fault_of(const lf_vec3 *corners, int64_t count, int64_t *at) {
    return lf_polygon_check(corners, count, 1e-6, at);
}

static void good_polygons_pass(void **state) {
    (void)state;
    int64_t at = 7;
    lf_vec3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    assert_int_equal(fault_of(square, 4, &at), LF_POLYGON_FINE);
    assert_int_equal(at, -1);
    lf_vec3 clockwise[] = {{0, 1, 0}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}};
    assert_int_equal(fault_of(clockwise, 4, NULL), LF_POLYGON_FINE);
    lf_vec3 wall[] = {{0, 0, 0}, {0, 5, 0}, {0, 5, 3}, {0, 0, 3}};
    assert_int_equal(fault_of(wall, 4, &at), LF_POLYGON_FINE);
    lf_vec3 other_wall[] = {{0, 0, 0}, {5, 0, 0}, {5, 0, 3}, {0, 0, 3}};
    assert_int_equal(fault_of(other_wall, 4, &at), LF_POLYGON_FINE);
    lf_vec3 collinear[] = {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0},   {1, 0, 0},
                           {1, 1, 0}, {0, 1, 0},   {0, 0.3, 0}, {0, 0, 0}};
    assert_int_equal(fault_of(collinear, 8, &at), LF_POLYGON_FINE);
    lf_vec3 sliver[] = {{6e6, 0, 0}, {6e6 + 1000, 0.1, 0.2}, {6e6 + 500, 0.3, nextafter(7, 8)}};
    assert_int_equal(lf_polygon_check(sliver, 3, 0, &at), LF_POLYGON_FINE); // three corners are flat
}

static void a_tilted_ring_is_fine(void **state) {
    (void)state;
    lf_vec3 ring[100];
    for (int i = 0; i < 100; i++) {
        double angle = i * 0.0628318530717958648;
        ring[i] = (lf_vec3){1e6 + 50 * cos(angle), 2e6 + 50 * sin(angle), 0};
        ring[i].z = 0.5 * (ring[i].x - 1e6) - 0.25 * (ring[i].y - 2e6);
    }
    int64_t at;
    assert_int_equal(lf_polygon_check(ring, 100, 1e-6, &at), LF_POLYGON_FINE);
    ring[40].z += 1e-3;
    assert_int_equal(lf_polygon_check(ring, 100, 1e-6, &at), LF_POLYGON_BENT);
    assert_int_equal(at, 40);
    assert_int_equal(lf_polygon_check(ring, 100, 1e-2, &at), LF_POLYGON_FINE);
    ring[40].z -= 2e-3;
    assert_int_equal(lf_polygon_check(ring, 100, 1e-6, &at), LF_POLYGON_BENT);
    assert_int_equal(at, 40);
}

static void bad_polygons_are_named(void **state) {
    (void)state;
    int64_t at;
    lf_vec3 two[] = {{0, 0, 0}, {1, 0, 0}};
    assert_int_equal(fault_of(two, 2, &at), LF_POLYGON_TOO_FEW);
    assert_int_equal(at, -1);
    lf_vec3 broken[] = {{0, 0, 0}, {1, 0, 0}, {1, NAN, 0}};
    assert_int_equal(fault_of(broken, 3, &at), LF_POLYGON_NOT_FINITE);
    assert_int_equal(at, 2);
    lf_vec3 line[] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {2, 2, 2}};
    assert_int_equal(fault_of(line, 4, &at), LF_POLYGON_DEGENERATE);
    assert_int_equal(at, -1);
    lf_vec3 point[] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    assert_int_equal(fault_of(point, 3, &at), LF_POLYGON_DEGENERATE);
    lf_vec3 arrow[] = {{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {0, 4, 0}};
    assert_int_equal(fault_of(arrow, 4, &at), LF_POLYGON_CONCAVE);
    assert_int_equal(at, 2);
    lf_vec3 bow[] = {{0, 0, 0}, {2, 2, 0}, {2, 0, 0}, {0, 2, 0}}; // no area on balance
    assert_int_equal(fault_of(bow, 4, &at), LF_POLYGON_CONCAVE);
    lf_vec3 spike[] = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    assert_int_equal(fault_of(spike, 5, &at), LF_POLYGON_CONCAVE);
    assert_int_equal(at, 2);
    lf_vec3 folded[] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 1}};
    assert_int_equal(fault_of(folded, 4, &at), LF_POLYGON_BENT);
    assert_true(at >= 0 && at < 4);
}

static void winding_twice_is_concave(void **state) {
    (void)state;
    lf_vec3 star[5];
    for (int i = 0; i < 5; i++)
        star[i] = (lf_vec3){cos(i * 2.51327412287), sin(i * 2.51327412287), 0}; // every corner turns left
    int64_t at;
    assert_int_equal(fault_of(star, 5, &at), LF_POLYGON_CONCAVE);
    lf_vec3 twice[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    assert_int_equal(fault_of(twice, 6, &at), LF_POLYGON_CONCAVE);
}

static void one_ulp_decides_convexity(void **state) {
    (void)state;
    lf_vec3 edge[] = {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    assert_int_equal(fault_of(edge, 5, NULL), LF_POLYGON_FINE);
    edge[1].y = 1e-60;
    int64_t at;
    assert_int_equal(fault_of(edge, 5, &at), LF_POLYGON_CONCAVE);
    assert_int_equal(at, 1);
    edge[1].y = -1e-60;
    assert_int_equal(fault_of(edge, 5, &at), LF_POLYGON_FINE);
}

static void areas(void **state) {
    (void)state;
    lf_vec3 square[] = {{1e7, 1e7, 5}, {1e7 + 2, 1e7, 5}, {1e7 + 2, 1e7 + 2, 5}, {1e7, 1e7 + 2, 5}};
    lf_vec3 area = lf_polygon_area(square, 4);
    assert_true(area.x == 0 && area.y == 0 && area.z == 4);
    assert_true(lf_polygon_area(square, 2).z == 0);
    assert_true(lf_polygon_area(square, 0).z == 0);
    // A thin one whose area rounding would lose: 1000 m long, 2^-30 m wide.
    lf_vec3 thin[] = {{0.1, 0, 0.1}, {1000.1, 0, 1000.1}, {1000.1, 0x1p-30, 1000.1}, {0.1, 0x1p-30, 0.1}};
    area = lf_polygon_area(thin, 4);
    double along = thin[1].x - thin[0].x;
    assert_true(fabs(area.z / (along * 0x1p-30) - 1) < 1e-12);
    assert_true(fabs(area.x / (-along * 0x1p-30) - 1) < 1e-12);
    assert_true(area.y == 0);
    lf_vec3 line[] = {{0.1, 0.1, 0.1}, {0.3, 0.3, 0.3}, {0.7, 0.7, 0.7}};
    area = lf_polygon_area(line, 3);
    assert_true(area.x == 0 && area.y == 0 && area.z == 0);
}

/// Cut into triangles; every triangle turns like the polygon, their areas add up. Returns the number of
/// triangles.
static int64_t triangulate(const lf_vec3 *corners, int64_t count) {
    int64_t triangles[3 * 64];
    memset(triangles, 0x5a, sizeof triangles);
    int64_t written = lf_polygon_triangulate(corners, count, triangles);
    assert_int_equal(triangles[3 * (count - 2)], 0x5a5a5a5a5a5a5a5a); // not beyond the space
    lf_vec3 area = lf_polygon_area(corners, count), sum = {0, 0, 0};
    for (int64_t i = 0; i < written; i++) {
        lf_vec3 triangle[3];
        for (int k = 0; k < 3; k++) {
            int64_t corner = triangles[3 * i + k];
            assert_true(corner >= 0 && corner < count);
            triangle[k] = corners[corner];
        }
        lf_vec3 part = lf_polygon_area(triangle, 3);
        assert_true(lf_vec3_dot(part, area) > 0);
        sum = lf_vec3_add(sum, part);
    }
    if (written >= 0)
        assert_true(lf_vec3_length(lf_vec3_sub(sum, area)) <= 1e-12 * lf_vec3_length(area));
    return written;
}

static void triangles_of_simple_polygons(void **state) {
    (void)state;
    lf_vec3 triangle[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    assert_int_equal(triangulate(triangle, 3), 1);
    lf_vec3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    assert_int_equal(triangulate(square, 4), 2);
    lf_vec3 arrow[] = {{0, 0, 0}, {0, 4, 0}, {1, 1, 0}, {4, 0, 0}}; // clockwise
    assert_int_equal(triangulate(arrow, 4), 2);
    lf_vec3 comb[] = {{0, 0, 0}, {7, 0, 0}, {7, 5, 0}, {6, 1, 0}, {5, 5, 0},
                      {4, 1, 0}, {3, 5, 0}, {2, 1, 0}, {1, 5, 0}};
    assert_int_equal(triangulate(comb, 9), 7);
    lf_vec3 middles[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {0, 2, 0}, {0, 1, 0}};
    assert_int_equal(triangulate(middles, 6), 4); // corners within straight edges are used
}

static void triangles_of_odd_polygons(void **state) {
    (void)state;
    lf_vec3 repeated[] = {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}};
    assert_int_equal(triangulate(repeated, 7), 2);
    lf_vec3 spike[] = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    assert_int_equal(triangulate(spike, 5), 1);
    lf_vec3 line[] = {{0, 0, 0}, {1, 1, 0}, {3, 3, 0}, {2, 2, 0}};
    assert_int_equal(triangulate(line, 4), 0);
    lf_vec3 point[] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    assert_int_equal(triangulate(point, 3), 0);
    lf_vec3 bow[] = {{0, 0, 0}, {2, 2, 0}, {2, 0, 0}, {0, 2, 0}};
    assert_int_equal(triangulate(bow, 4), -1);
    lf_vec3 star[5];
    for (int i = 0; i < 5; i++)
        star[i] = (lf_vec3){cos(i * 2.51327412287), sin(i * 2.51327412287), 0};
    assert_int_equal(triangulate(star, 5), -1);
    // A square with a square hole, joined by a bridge that is walked twice.
    lf_vec3 hole[] = {{0, 0, 0}, {9, 0, 0}, {9, 9, 0}, {0, 9, 0}, {0, 0, 0},
                      {3, 3, 0}, {3, 6, 0}, {6, 6, 0}, {6, 3, 0}, {3, 3, 0}};
    assert_int_equal(triangulate(hole, COUNT(hole)), 8);
    // Two squares that touch in a corner.
    lf_vec3 touch[] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {4, 2, 0},
                       {4, 4, 0}, {2, 4, 0}, {2, 2, 0}, {0, 2, 0}};
    assert_int_equal(triangulate(touch, COUNT(touch)), 4);
    assert_int_equal(lf_polygon_triangulate(touch, 2, NULL), 0);
}

static void clipping(void **state) {
    (void)state;
    lf_vec3 square[] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}}, clipped[5];
    lf_plane plane = {{1, 0, 0}, 1};
    assert_int_equal(lf_polygon_clip(square, 4, &plane, clipped), 4);
    assert_true(lf_polygon_area(clipped, 4).z == 4);
    plane.offset = 9;
    assert_int_equal(lf_polygon_clip(square, 4, &plane, clipped), 4);
    assert_memory_equal(square, clipped, sizeof square);
    plane.offset = -1;
    assert_int_equal(lf_polygon_clip(square, 4, &plane, clipped), 0);
    plane.offset = 0; // touches along an edge: those corners are kept
    assert_int_equal(lf_polygon_clip(square, 4, &plane, clipped), 2);
    plane = (lf_plane){{1, 1, 0}, 0}; // touches in a corner
    assert_int_equal(lf_polygon_clip(square, 4, &plane, clipped), 1);
    plane = (lf_plane){{1, 1, 0}, 7}; // cuts a corner off
    assert_int_equal(lf_polygon_clip(square, 4, &plane, clipped), 5);
    assert_true(lf_polygon_area(clipped, 5).z == 15.5);
    plane = (lf_plane){{1, -1, 0}, 0}; // through two corners
    assert_int_equal(lf_polygon_clip(square, 4, &plane, clipped), 3);
    assert_int_equal(lf_polygon_clip(square, 0, &plane, clipped), 0);
}

static void clipping_never_runs_over(void **state) {
    (void)state;
    test_random random = test_random_start(11);
    for (int i = 0; i < 2000; i++) {
        lf_vec3 corners[12], clipped[14];
        int64_t count = 1 + test_random_below(&random, 12);
        for (int64_t k = 0; k < count; k++)
            corners[k] =
                (lf_vec3){(double)test_random_below(&random, 5), (double)test_random_below(&random, 5), 0};
        clipped[count + 1].x = 1234;
        lf_plane plane = {{1, 0.5, 0}, test_random_between(&random, 0, 6)};
        assert_true(lf_polygon_clip(corners, count, &plane, clipped) <= count + 1);
        assert_true(clipped[count + 1].x == 1234);
    }
}

static void neighbours_are_cut_at_the_same_point(void **state) {
    (void)state;
    test_random random = test_random_start(12);
    for (int i = 0; i < 1000; i++) {
        lf_vec3 p[4], left[4], right[4];
        for (int k = 0; k < 4; k++) {
            p[k].x = test_random_between(&random, -100, 100) + (k == 1 ? 200 : 0);
            p[k].y = test_random_between(&random, -100, 100);
            p[k].z = test_random_between(&random, -100, 100);
        }
        lf_plane plane = {{1, 0.1, 0.2}, 75};
        lf_vec3 first[] = {p[0], p[1], p[2]}, second[] = {p[1], p[0], p[3]};
        if (lf__plane_side(&plane, p[0]) >= 0 || lf__plane_side(&plane, p[1]) <= 0)
            continue;
        int64_t left_count = lf_polygon_clip(first, 3, &plane, left);
        int64_t right_count = lf_polygon_clip(second, 3, &plane, right);
        bool shared = false;
        for (int64_t a = 0; a < left_count; a++)
            for (int64_t b = 0; b < right_count; b++)
                shared |= memcmp(&left[a], &right[b], sizeof left[a]) == 0 &&
                          lf_vec3_dot(plane.normal, left[a]) > 74.9;
        assert_true(shared);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_polygons_pass),
        cmocka_unit_test(a_tilted_ring_is_fine),
        cmocka_unit_test(bad_polygons_are_named),
        cmocka_unit_test(winding_twice_is_concave),
        cmocka_unit_test(one_ulp_decides_convexity),
        cmocka_unit_test(areas),
        cmocka_unit_test(triangles_of_simple_polygons),
        cmocka_unit_test(triangles_of_odd_polygons),
        cmocka_unit_test(clipping),
        cmocka_unit_test(clipping_never_runs_over),
        cmocka_unit_test(neighbours_are_cut_at_the_same_point),
    };
    return cmocka_run_group_tests_name("geom polygon", tests, NULL, NULL);
}
