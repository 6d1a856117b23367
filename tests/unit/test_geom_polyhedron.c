/// Convex polyhedra.
#include "support.h"
#include <math.h>
#include <string.h>

static lf_vec3 vec(double x, double y, double z) {
    return (lf_vec3){x, y, z};
}

/// A pyramid over the square |x|, |y| <= 1 at z = 0 with its tip at (0, 0, 1): four planes meet in the tip.
static const lf_plane pyramid[] = {
    {{0, 0, -2}, 0}, {{1, 0, 1}, 1}, {{-1, 0, 1}, 1}, {{0, 1, 1}, 1}, {{0, -3, 3}, 3}};

static lf_polyhedron polyhedron_from_box(lf_box box) {
    const lf_plane planes[6] = {{{-1, 0, 0}, -box.low.x}, {{1, 0, 0}, box.high.x},  {{0, -1, 0}, -box.low.y},
                                {{0, 1, 0}, box.high.y},  {{0, 0, -1}, -box.low.z}, {{0, 0, 1}, box.high.z}};
    lf_polyhedron polyhedron;
    assert_int_equal(lf_polyhedron_from_planes(planes, 6, &polyhedron), LF_OK);
    return polyhedron;
}

static void from_a_box(void **state) {
    (void)state;
    lf_box box = {vec(1, 2, 3), vec(4, 6, 8)};
    lf_polyhedron p = polyhedron_from_box(box);
    assert_int_equal(p.plane_count, 6);
    assert_int_equal(p.corner_count, 8);
    for (int i = 0; i < 8; i++) {
        assert_true(lf_box_contains(box, p.corners[i]));
        assert_true(lf_polyhedron_contains(&p, p.corners[i]));
        for (int k = 0; k < i; k++)
            assert_true(memcmp(&p.corners[i], &p.corners[k], sizeof p.corners[i]) != 0);
    }
    assert_true(lf_polyhedron_contains(&p, vec(2, 3, 4)));
    assert_true(lf_polyhedron_contains(&p, vec(4, 6, 8)));
    assert_false(lf_polyhedron_contains(&p, vec(nextafter(4, 5), 6, 8)));
}

static void from_the_planes_of_a_box(void **state) {
    (void)state;
    lf_box box = {vec(1e6, 2e6, -3), vec(1e6 + 1, 2e6 + 2, 5)};
    lf_polyhedron p = polyhedron_from_box(box);
    assert_int_equal(p.corner_count, 8);
    for (int i = 0; i < 8; i++) {
        int found = 0;
        for (int k = 0; k < 8; k++) {
            lf_vec3 corner = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y,
                              k & 4 ? box.high.z : box.low.z};
            found += memcmp(&p.corners[i], &corner, sizeof corner) == 0;
        }
        assert_int_equal(found, 1);
    }
}

static void many_planes_through_one_corner(void **state) {
    (void)state;
    lf_polyhedron p;
    assert_int_equal(lf_polyhedron_from_planes(pyramid, 5, &p), LF_OK);
    assert_int_equal(p.corner_count, 5);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(lf_vec3_length(p.planes[i].normal) - 1) < 4e-16);
    // A cone of 31 planes over a floor: one tip and 31 corners below.
    lf_plane cone[32] = {{{0, 0, -1}, 0}};
    for (int i = 1; i < 32; i++)
        cone[i] = (lf_plane){{cos(i * 0.2026833970057931), sin(i * 0.2026833970057931), 0.5}, 1};
    assert_int_equal(lf_polyhedron_from_planes(cone, 32, &p), LF_OK);
    assert_int_equal(p.corner_count, 32);
    // A wedge that needs the full number: planes that touch a ball.
    lf_plane ball[32];
    for (int i = 0; i < 32; i++) {
        double z = -1 + (2 * i + 1) / 32.0, r = sqrt(1 - z * z), turn = i * 2.399963229728653;
        ball[i] = (lf_plane){{r * cos(turn), r * sin(turn), z}, 10};
    }
    assert_int_equal(lf_polyhedron_from_planes(ball, 32, &p), LF_OK);
    assert_int_equal(p.corner_count, 60);
}

static void planes_that_bound_nothing_stay(void **state) {
    (void)state;
    lf_plane planes[7];
    lf_polyhedron p = polyhedron_from_box((lf_box){vec(0, 0, 0), vec(1, 1, 1)});
    memcpy(planes, p.planes, sizeof planes);
    planes[6] = (lf_plane){{1, 1, 1}, 3}; // touches the corner (1, 1, 1)
    assert_int_equal(lf_polyhedron_from_planes(planes, 7, &p), LF_OK);
    assert_int_equal(p.plane_count, 7);
    assert_true(p.corner_count >= 8 && p.corner_count <= 10);
    planes[6] = (lf_plane){{1, 0, 0}, 0}; // leaves a square
    assert_int_equal(lf_polyhedron_from_planes(planes, 7, &p), LF_OK);
    assert_int_equal(p.corner_count, 4);
    assert_true(lf_polyhedron_contains(&p, vec(0, 0.5, 0.5)));
    assert_false(lf_polyhedron_contains(&p, vec(1e-300, 0.5, 0.5)));
}

static void what_is_refused(void **state) {
    (void)state;
    lf_polyhedron p, untouched;
    memset(&p, 0x11, sizeof p);
    untouched = p;
    lf_plane planes[33] = {{{1, 0, 0}, 1}, {{-1, 0, 0}, -2}};
    assert_int_equal(lf_polyhedron_from_planes(planes, 0, &p), LF_BAD_ARGUMENT);
    assert_int_equal(lf_polyhedron_from_planes(planes, 33, &p), LF_BAD_ARGUMENT);
    assert_int_equal(lf_polyhedron_from_planes(NULL, 3, &p), LF_BAD_ARGUMENT);
    assert_int_equal(lf_polyhedron_from_planes(planes, 3, &p), LF_BAD_ARGUMENT); // a zero normal
    assert_int_equal(lf_polyhedron_from_planes(planes, 2, &p), LF_BAD_GEOMETRY); // rank 1
    planes[0].offset = NAN;
    assert_int_equal(lf_polyhedron_from_planes(planes, 2, &p), LF_BAD_ARGUMENT);
    memcpy(planes, pyramid, sizeof pyramid);
    assert_int_equal(lf_polyhedron_from_planes(planes + 1, 4, &p), LF_BAD_GEOMETRY); // open below
    planes[0].offset = -3;                                                           // floor above the tip
    assert_int_equal(lf_polyhedron_from_planes(planes, 5, &p), LF_BAD_GEOMETRY);
    lf_plane corner[] = {{{-1, 0, 0}, 0}, {{0, -1, 0}, 0}, {{0, 0, -1}, 0}};
    assert_int_equal(lf_polyhedron_from_planes(corner, 3, &p), LF_BAD_GEOMETRY);
    lf_plane prism[] = {{{-1, 0, 0}, 0}, {{0, -1, 0}, 0}, {{1, 1, 0}, 1}};
    assert_int_equal(lf_polyhedron_from_planes(prism, 3, &p), LF_BAD_GEOMETRY);
    assert_memory_equal(&p, &untouched, sizeof p);
    lf_plane tetrahedron[] = {
        {{-1, 0, 0}, 0}, {{0, -1, 0}, 0}, {{0, 0, -1}, 0}, {{1e-200, 1e-200, 1e-200}, 1e-200}};
    assert_int_equal(lf_polyhedron_from_planes(tetrahedron, 4, &p), LF_OK);
    assert_int_equal(p.corner_count, 4);
}

static void how_boxes_lie(void **state) {
    (void)state;
    lf_polyhedron p;
    assert_int_equal(lf_polyhedron_from_planes(pyramid, 5, &p), LF_OK);
    assert_int_equal(lf_polyhedron_relation(&p, (lf_box){vec(-.1, -.1, 0), vec(.1, .1, .5)}),
                     LF_RELATION_INSIDE);
    assert_int_equal(lf_polyhedron_relation(&p, (lf_box){vec(-9, -9, -9), vec(9, 9, 9)}),
                     LF_RELATION_CROSSING);
    assert_int_equal(lf_polyhedron_relation(&p, (lf_box){vec(-.1, -.1, -1), vec(.1, .1, .1)}),
                     LF_RELATION_CROSSING);
    assert_int_equal(lf_polyhedron_relation(&p, (lf_box){vec(2, 2, 0), vec(3, 3, 1)}), LF_RELATION_OUTSIDE);
    assert_int_equal(lf_polyhedron_relation(&p, (lf_box){vec(-1, -1, -2), vec(1, 1, -1e-9)}),
                     LF_RELATION_OUTSIDE);
    assert_int_equal(lf_polyhedron_relation(&p, (lf_box){vec(-1, -1, -2), vec(1, 1, 0)}),
                     LF_RELATION_CROSSING); // touches
    assert_int_equal(lf_polyhedron_relation(&p, lf_box_empty()), LF_RELATION_OUTSIDE);
}

/// INSIDE and OUTSIDE are never wrong, checked by points; and a box with a corner or a point in common is
/// never outside.
static void relations_hold_for_points(void **state) {
    (void)state;
    test_random random = test_random_start(21);
    int64_t seen[3] = {0, 0, 0};
    for (int i = 0; i < 200; i++) {
        lf_plane planes[10];
        int count = 6 + (int)test_random_below(&random, 5);
        for (int k = 0; k < count; k++) {
            lf_vec3 n = {test_random_between(&random, -1, 1), test_random_between(&random, -1, 1),
                         test_random_between(&random, -1, 1)};
            planes[k] = (lf_plane){n, test_random_between(&random, 0.2, 1)};
        }
        lf_polyhedron p;
        if (lf_polyhedron_from_planes(planes, count, &p) != LF_OK)
            continue;
        for (int k = 0; k < p.corner_count; k++) { // round a corner there are shared points
            lf_vec3 little = vec(1e-12, 1e-12, 1e-12);
            little = lf_vec3_scale(little, 1 + lf_vec3_length(p.corners[k]));
            lf_box round = {lf_vec3_sub(p.corners[k], little), lf_vec3_add(p.corners[k], little)};
            assert_int_equal(lf_polyhedron_relation(&p, round), LF_RELATION_CROSSING);
        }
        for (int k = 0; k < 20; k++) {
            lf_vec3 c = {test_random_between(&random, -2, 2), test_random_between(&random, -2, 2),
                         test_random_between(&random, -2, 2)};
            double half = pow(10, test_random_between(&random, -2.5, 0));
            lf_box box = {lf_vec3_sub(c, vec(half, half, half)), lf_vec3_add(c, vec(half, half, half))};
            lf_relation relation = lf_polyhedron_relation(&p, box);
            seen[relation]++;
            for (int j = 0; j < 20; j++) {
                lf_vec3 q = {test_random_between(&random, box.low.x, box.high.x),
                             test_random_between(&random, box.low.y, box.high.y),
                             test_random_between(&random, box.low.z, box.high.z)};
                bool inside = lf_polyhedron_contains(&p, q);
                assert_false(relation == LF_RELATION_INSIDE && !inside);
                assert_false(relation == LF_RELATION_OUTSIDE && inside);
            }
        }
    }
    assert_true(seen[LF_RELATION_INSIDE] > 20 && seen[LF_RELATION_OUTSIDE] > 20 &&
                seen[LF_RELATION_CROSSING] > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_a_box),
        cmocka_unit_test(from_the_planes_of_a_box),
        cmocka_unit_test(many_planes_through_one_corner),
        cmocka_unit_test(planes_that_bound_nothing_stay),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(how_boxes_lie),
        cmocka_unit_test(relations_hold_for_points),
    };
    return cmocka_run_group_tests_name("geom polyhedron", tests, NULL, NULL);
}
