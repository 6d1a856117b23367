/// Triangle against triangle: the library's exact test against one that shares nothing with it, on whole numbers (where
/// everything touches, lies in one plane or has no area) and on random and rounded ones.
#include "exact_touch.h"
#include "geom/geometry.h"
#include "nasty.h"
#include "support.h"
#include <stdio.h>

typedef struct tally {
    int64_t asked, touching, wrong;
} tally;

static void compare(tally *tally, const lf_vec3 p[3], const lf_vec3 q[3]) {
    bool expected = exact_triangles_touch(p, q);
    bool said = lf__triangles_touch(p, q), turned = lf__triangles_touch(q, p);
    tally->asked++;
    tally->touching += expected;
    if (said == expected && turned == expected)
        return;
    if (tally->wrong++ == 0)
        for (int c = 0; c < 3; c++)
            fprintf(stderr, "wrong (%d): p %a %a %a  q %a %a %a\n", (int)expected, p[c].x, p[c].y, p[c].z,
                    q[c].x, q[c].y, q[c].z);
}

static void close_tally(const tally *tally, const char *name) {
    printf("%s: %lld pairs, %lld touch\n", name, (long long)tally->asked, (long long)tally->touching);
    assert_int_equal(tally->wrong, 0);
    assert_true(tally->touching > 0);
    assert_true(tally->touching < tally->asked);
}

/// Corners on a lattice so small that everything that can happen does.
static void lattice(void **state) {
    (void)state;
    test_random random = test_random_start(301);
    for (int64_t reach = 1; reach <= 4; reach++) {
        tally sum = {0, 0, 0};
        for (int64_t i = 0; i < test_rounds(8000); i++) {
            lf_vec3 p[3], q[3];
            for (int c = 0; c < 3; c++) {
                p[c] = nasty_whole_vec(reach, &random);
                q[c] = nasty_whole_vec(reach, &random);
            }
            compare(&sum, p, q);
        }
        close_tally(&sum, "lattice");
    }
}

/// All in one plane, and the plane is not one of the coordinates'.
static void coplanar(void **state) {
    (void)state;
    test_random random = test_random_start(302);
    tally sum = {0, 0, 0};
    for (int64_t i = 0; i < test_rounds(10000); i++) {
        lf_vec3 u = nasty_whole_vec(3, &random), v = nasty_whole_vec(3, &random), corners[6];
        for (int c = 0; c < 6; c++) {
            lf_vec3 at = nasty_whole_vec(4, &random);
            corners[c] = lf_vec3_along(lf_vec3_scale(u, at.x), at.y, v);
        }
        compare(&sum, corners, corners + 3);
    }
    close_tally(&sum, "coplanar");
}

/// A corner or a point of an edge of one lies on the other up to one rounding: either answer may be right.
static void nearly(void **state) {
    (void)state;
    test_random random = test_random_start(303);
    tally sum = {0, 0, 0};
    for (int64_t i = 0; i < test_rounds(20000); i++) {
        lf_vec3 p[3], q[3];
        double offset = i % 3 == 0 ? 0 : i % 3 == 1 ? 1000 : 1e7;
        for (int c = 0; c < 3; c++) {
            p[c] = lf_vec3_add(nasty_real_vec(1, &random), (lf_vec3){offset, -offset, offset});
            q[c] = lf_vec3_add(nasty_real_vec(1, &random), (lf_vec3){offset, -offset, offset});
        }
        double s = test_random_between(&random, -0.2, 1.2), t = test_random_between(&random, -0.2, 1.2);
        lf_vec3 at = lf_vec3_along(p[0], s, lf_vec3_sub(p[1], p[0]));
        at = lf_vec3_along(at, t, lf_vec3_sub(p[2], p[0]));
        q[0] = i % 2 ? at : lf_vec3_sub(lf_vec3_scale(at, 2), q[1]);
        compare(&sum, p, q);
    }
    close_tally(&sum, "nearly");
}

static void random_ones(void **state) {
    (void)state;
    test_random random = test_random_start(304);
    tally sum = {0, 0, 0};
    for (int64_t i = 0; i < test_rounds(20000); i++) {
        lf_vec3 p[3], q[3];
        for (int c = 0; c < 3; c++) {
            p[c] = nasty_real_vec(1, &random);
            q[c] = nasty_real_vec(i % 5 == 0 ? 1e-6 : 1, &random);
        }
        if (i % 7 == 0)
            p[2] = p[1];
        if (i % 11 == 0)
            q[2] = lf_vec3_scale(lf_vec3_add(q[0], q[1]), 0.5);
        compare(&sum, p, q);
    }
    close_tally(&sum, "random");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice),
        cmocka_unit_test(coplanar),
        cmocka_unit_test(nearly),
        cmocka_unit_test(random_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
