#include "mesh/nest.h"
#include "support.h"

static lf_status hull_of(const lf_vec3 *points, int64_t count, lf_vec3 down, lf__hull *hull) {
    lf_allocator plain = lf__allocator_of(NULL);
    *hull = (lf__hull){0};
    return lf__hull_make(hull, &plain, points, count, down);
}

static void drop(lf__hull *hull) {
    lf_allocator plain = lf__allocator_of(NULL);
    lf__hull_free(hull, &plain);
}

static const lf_vec3 straight_down = {0, 0, -1};

static void a_grid_has_four_corners(void **state) {
    (void)state;
    lf_vec3 points[121];
    for (int i = 0; i < 121; i++)
        points[i] = (lf_vec3){i % 11, i / 11, (i * 7919) % 13};
    lf__hull hull;
    assert_int_equal(hull_of(points, 121, straight_down, &hull), LF_OK);
    assert_int_equal(hull.count, 4);
    assert_true(lf__hull_contains(&hull, (lf_vec3){0, 0, 99}));
    assert_true(lf__hull_contains(&hull, (lf_vec3){10, 10, -99}));
    assert_true(lf__hull_contains(&hull, (lf_vec3){5, 0, 0}));
    assert_true(lf__hull_contains(&hull, (lf_vec3){3.3, 7.1, 0}));
    assert_false(lf__hull_contains(&hull, (lf_vec3){5, nextafter(0, -1), 0}));
    assert_false(lf__hull_contains(&hull, (lf_vec3){nextafter(10, 11), 10, 0}));
    assert_false(lf__hull_contains(&hull, (lf_vec3){-1, 0, 0}));
    assert_false(lf__hull_contains(&hull, (lf_vec3){11, 0, 0}));
    assert_false(lf__hull_contains(&hull, (lf_vec3){0, 11, 0}));
    assert_false(lf__hull_contains(&hull, (lf_vec3){0, -1, 0}));
    drop(&hull);
}

static void thin_hulls_are_exact(void **state) {
    (void)state;
    const lf_vec3 line[4] = {{0, 0, 5}, {3, 1, 0}, {6, 2, 1}, {6, 2, 9}};
    lf__hull hull;
    assert_int_equal(hull_of(line, 4, straight_down, &hull), LF_OK);
    assert_true(lf__hull_contains(&hull, (lf_vec3){3, 1, 7}));
    assert_true(lf__hull_contains(&hull, (lf_vec3){6, 2, 7}));
    assert_false(lf__hull_contains(&hull, (lf_vec3){9, 3, 7}));
    assert_false(lf__hull_contains(&hull, (lf_vec3){3, nextafter(1, 2), 7}));
    drop(&hull);
    assert_int_equal(hull_of(line, 1, straight_down, &hull), LF_OK);
    assert_true(lf__hull_contains(&hull, (lf_vec3){0, 0, 0}));
    assert_false(lf__hull_contains(&hull, (lf_vec3){0, 1e-300, 0}));
    drop(&hull);
}

/// Vertices that share one place in plan, of one height or of several: the hull is that place, once.
static void a_shared_place_is_one_corner(void **state) {
    (void)state;
    const lf_vec3 same[3] = {{4, 5, 1}, {4, 5, 1}, {4, 5, 1}},
                  upright[3] = {{4, 5, 1}, {4, 5, 9}, {4, 5, -3}};
    for (int64_t count = 2; count <= 3; count++)
        for (int k = 0; k < 2; k++) {
            lf__hull hull;
            assert_int_equal(hull_of(k ? upright : same, count, straight_down, &hull), LF_OK);
            assert_int_equal(hull.count, 1);
            assert_true(lf__hull_contains(&hull, (lf_vec3){4, 5, 77}));
            assert_false(lf__hull_contains(&hull, (lf_vec3){4, nextafter(5, 6), 1}));
            drop(&hull);
        }
    const lf_vec3 down = {1, 2, -2},
                  along[2] = {{4, 5, 1}, {5, 7, -1}}; // one place when seen along a tilted down
    lf__hull hull;
    assert_int_equal(hull_of(along, 2, down, &hull), LF_OK);
    assert_int_equal(hull.count, 1);
    drop(&hull);
}

/// Every point is within the hull, and a point is within exactly when no hull edge has it on the right.
static void random_hulls_hold_their_points(void **state) {
    (void)state;
    test_random random = test_random_start(21);
    for (int round = 0; round < 200; round++) {
        lf_vec3 points[60];
        bool whole = round % 2;
        for (int i = 0; i < 60; i++) {
            lf_vec3 p = {test_random_between(&random, -4, 4), test_random_between(&random, -4, 4),
                         test_random_between(&random, -4, 4)};
            points[i] = whole ? (lf_vec3){floor(p.x), floor(p.y), floor(p.z)} : p;
        }
        lf_vec3 down = {test_random_between(&random, -1, 1), test_random_between(&random, -1, 1),
                        test_random_between(&random, -1, 1)};
        if (round % 3 == 0)
            down = straight_down;
        lf__hull hull;
        assert_int_equal(hull_of(points, 60, down, &hull), LF_OK);
        assert_true(hull.count >= 3);
        for (int i = 0; i < 60; i++)
            assert_true(lf__hull_contains(&hull, points[i]));
        for (int i = 0; i < 100; i++) {
            lf_vec3 p = {test_random_between(&random, -5, 5), test_random_between(&random, -5, 5),
                         test_random_between(&random, -5, 5)};
            bool inside = true;
            for (int64_t k = 0; k < hull.count; k++)
                inside = inside &&
                         lf_orient_line(p, down, hull.corners[k], hull.corners[(k + 1) % hull.count]) <= 0;
            assert_int_equal(lf__hull_contains(&hull, p), inside);
        }
        drop(&hull);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_has_four_corners),
        cmocka_unit_test(thin_hulls_are_exact),
        cmocka_unit_test(a_shared_place_is_one_corner),
        cmocka_unit_test(random_hulls_hold_their_points),
    };
    return cmocka_run_group_tests_name("mesh: hull", tests, NULL, NULL);
}
