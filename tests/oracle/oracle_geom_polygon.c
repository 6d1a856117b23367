/// Polygons against other ways to the same answer: a polygon is convex when it is as long as its hull, and
/// triangles are right when a point is in as many of them as the outline winds round it.
#include "support.h"
#include <math.h>
#include <stdlib.h>

#define MOST 40

// ---------------------------------------------------------------------------------------------------
// Convexity
// ---------------------------------------------------------------------------------------------------

static int by_place(const void *left, const void *right) {
    const lf_vec2 *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

static double between(lf_vec2 a, lf_vec2 b) {
    return hypot(b.x - a.x, b.y - a.y);
}

static double cross(lf_vec2 a, lf_vec2 b, lf_vec2 c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// The length round the convex hull of points with small whole coordinates; negative when it has no area.
static double hull_length(const lf_vec2 *points, int count) {
    lf_vec2 sorted[MOST], hull[2 * MOST];
    int size = 0;
    for (int i = 0; i < count; i++)
        sorted[i] = points[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_place);
    for (int pass = 0, floor = 0; pass < 2; pass++, floor = size - 1)
        for (int i = 0; i < count; i++) {
            lf_vec2 p = sorted[pass == 0 ? i : count - 1 - i];
            while (size >= floor + 2 && cross(hull[size - 2], hull[size - 1], p) <= 0)
                size--;
            hull[size++] = p;
        }
    double length = 0, area = 0;
    for (int i = 0; i + 1 < size; i++) {
        length += between(hull[i], hull[i + 1]);
        area += cross(hull[0], hull[i], hull[i + 1]);
    }
    return area > 0 ? length : -1;
}

/// Coordinates in a plane of space, whole numbers as long as u and v are: 0 keeps x, y; others tilt.
static lf_vec3 lift(lf_vec2 p, int tilt) {
    static const lf_vec3 across[] = {{1, 0, 0}, {0, 1, 0}, {3, 0, 1}, {1, 2, -2}, {0, -1, 0}};
    static const lf_vec3 along[] = {{0, 1, 0}, {0, 0, 1}, {0, 2, -1}, {-2, 1, 5}, {0, 0, 1}};
    lf_vec3 origin = {tilt * 1048576.0, tilt * -3.0, 7};
    return lf_vec3_along(lf_vec3_along(origin, p.x, across[tilt]), p.y, along[tilt]);
}

static void convex_is_as_long_as_the_hull(void **state) {
    (void)state;
    test_random random = test_random_start(51);
    int64_t fine = 0, rounds = test_long() ? 5000000 : 150000;
    for (int64_t i = 0; i < rounds; i++) {
        lf_vec2 flat[8];
        lf_vec3 corners[8];
        int count = 3 + (int)test_random_below(&random, 6), tilt = (int)test_random_below(&random, 5);
        double length = 0;
        for (int k = 0; k < count; k++) {
            flat[k] = (lf_vec2){(double)test_random_below(&random, 4), (double)test_random_below(&random, 4)};
            corners[k] = lift(flat[k], tilt);
        }
        for (int k = 0; k < count; k++)
            length += between(flat[k], flat[(k + 1) % count]);
        double least = hull_length(flat, count);
        bool convex = least > 0 && length < least + 1e-9;
        int64_t at;
        lf_polygon_fault fault = lf_polygon_check(corners, count, 1e-9, &at);
        assert_int_equal(fault == LF_POLYGON_FINE, convex);
        if (least < 0)
            assert_int_equal(fault, LF_POLYGON_DEGENERATE);
        if (fault == LF_POLYGON_DEGENERATE)
            assert_true(lf_vec3_length(lf_polygon_area(corners, count)) == 0);
        fine += convex;
    }
    assert_true(fine > rounds / 100);
}

// ---------------------------------------------------------------------------------------------------
// Triangles
// ---------------------------------------------------------------------------------------------------

/// A simple outline: corners of a ring at growing angles, on a coarse lattice when wanted (then many are
/// straight or repeated).
static int make_outline(test_random *random, lf_vec2 *outline) {
    int count = 3 + (int)test_random_below(random, MOST - 3);
    bool coarse = test_random_below(random, 2);
    for (int i = 0; i < count; i++) {
        double angle = 6.283185307179586 * (i + test_random_between(random, 0, 0.99)) / count;
        double radius = pow(10, test_random_between(random, 0, 2));
        outline[i] = (lf_vec2){radius * cos(angle), radius * sin(angle)};
        if (coarse)
            outline[i] = (lf_vec2){1e6 + floor(outline[i].x), floor(outline[i].y)};
    }
    if (test_random_below(random, 2)) // the other way round
        for (int i = 0; i < count / 2; i++) {
            lf_vec2 swap = outline[i];
            outline[i] = outline[count - 1 - i];
            outline[count - 1 - i] = swap;
        }
    return count;
}

/// Does an outline with whole coordinates touch or cross itself anywhere?
static bool touches_itself(const lf_vec2 *p, int count) {
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            lf_vec2 a = p[i], b = p[(i + 1) % count], c = p[j], d = p[(j + 1) % count];
            int abc = lf_orient2d(a, b, c), abd = lf_orient2d(a, b, d);
            int cda = lf_orient2d(c, d, a), cdb = lf_orient2d(c, d, b);
            bool next = j == i + 1 || (i == 0 && j == count - 1);
            bool apart = fmax(a.x, b.x) < fmin(c.x, d.x) || fmax(c.x, d.x) < fmin(a.x, b.x) ||
                         fmax(a.y, b.y) < fmin(c.y, d.y) || fmax(c.y, d.y) < fmin(a.y, b.y);
            bool folded = next && abc == 0 && abd == 0 && cda == 0 && cdb == 0 &&
                          (j == i + 1 ? (b.x - a.x) * (d.x - c.x) + (b.y - a.y) * (d.y - c.y)
                                      : (d.x - c.x) * (b.x - a.x) + (d.y - c.y) * (b.y - a.y)) <= 0;
            if (folded || (!next && !apart && abc * abd <= 0 && cda * cdb <= 0))
                return true;
        }
    return false;
}

static int winding(const lf_vec2 *p, int count, lf_vec2 q) {
    int turns = 0;
    for (int i = 0; i < count; i++) {
        lf_vec2 a = p[i], b = p[(i + 1) % count];
        if (a.y <= q.y && b.y > q.y && lf_orient2d(a, b, q) > 0)
            turns++;
        if (a.y > q.y && b.y <= q.y && lf_orient2d(a, b, q) < 0)
            turns--;
    }
    return turns;
}

/// Every triangle turns like the outline, and random points lie in as many triangles as the outline winds
/// round them.
static void oracle_triangles(test_random *random, const lf_vec2 *outline, int count, const int64_t *triangles,
                             int64_t written) {
    for (int i = 0; i < 30; i++) {
        lf_vec2 a = outline[test_random_below(random, count)], b = outline[test_random_below(random, count)];
        double t = test_random_between(random, 0.1, 0.9);
        lf_vec2 q = {a.x + t * (b.x - a.x) + test_random_between(random, -1e-3, 1e-3),
                     a.y + t * (b.y - a.y) + test_random_between(random, -1e-3, 1e-3)};
        int expected = winding(outline, count, q), found = 0;
        for (int64_t k = 0; k < written; k++) {
            lf_vec2 triangle[] = {outline[triangles[3 * k]], outline[triangles[3 * k + 1]],
                                  outline[triangles[3 * k + 2]]};
            assert_int_not_equal(lf_orient2d(triangle[0], triangle[1], triangle[2]), 0);
            found += winding(triangle, 3, q);
        }
        assert_int_equal(found, expected);
    }
}

static void triangles_cover_the_outline_once(void **state) {
    (void)state;
    test_random random = test_random_start(52);
    int64_t rounds = test_long() ? 200000 : 5000, simple = 0;
    for (int64_t i = 0; i < rounds; i++) {
        lf_vec2 outline[MOST];
        lf_vec3 corners[MOST];
        int64_t triangles[3 * MOST];
        int count = make_outline(&random, outline);
        for (int k = 0; k < count; k++)
            corners[k] = (lf_vec3){outline[k].x, outline[k].y, 0.25 * outline[k].x - 0.5 * outline[k].y};
        int64_t written = lf_polygon_triangulate(corners, count, triangles);
        assert_true(written >= -1 && written <= count - 2);
        if (!touches_itself(outline, count)) {
            simple++;
            assert_int_equal(written, count - 2);
        }
        if (written > 0)
            oracle_triangles(&random, outline, count, triangles, written);
    }
    assert_true(simple > rounds / 4);
}

/// Any corners at all: no crash, no hang, no number out of range.
static void anything_can_be_given(void **state) {
    (void)state;
    test_random random = test_random_start(53);
    for (int64_t i = 0; i < (test_long() ? 1000000 : 30000); i++) {
        lf_vec3 corners[12];
        int64_t triangles[30], count = 3 + test_random_below(&random, 9);
        for (int64_t k = 0; k < count; k++)
            corners[k] =
                (lf_vec3){(double)test_random_below(&random, 5), (double)test_random_below(&random, 5),
                          (double)test_random_below(&random, 2)};
        int64_t written = lf_polygon_triangulate(corners, count, triangles);
        assert_true(written >= -1 && written <= count - 2);
        for (int64_t k = 0; k < 3 * written; k++)
            assert_true(triangles[k] >= 0 && triangles[k] < count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convex_is_as_long_as_the_hull),
        cmocka_unit_test(triangles_cover_the_outline_once),
        cmocka_unit_test(anything_can_be_given),
    };
    return cmocka_run_group_tests_name("geom polygon oracle", tests, NULL, NULL);
}
