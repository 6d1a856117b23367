/// The exact predicates and the exact arithmetic under them against rational numbers (GMP): no wrong sign.
#include "geom/expansion.h"
#include "geom/geometry.h"
#include "support.h"
#include <gmp.h>
#include <math.h>
#include <stdlib.h>

static int64_t case_count(void) {
    return test_long() ? 2000000 : 60000;
}

// ---------------------------------------------------------------------------------------------------
// The rational side
// ---------------------------------------------------------------------------------------------------

typedef struct rational3 {
    mpq_t x, y, z;
} rational3;

static mpq_t scratch;
static rational3 ab, ac, ad, normal;
static mpq_t total;

static void rational3_start(rational3 *v) {
    mpq_inits(v->x, v->y, v->z, NULL);
}

static void subtract(mpq_t difference, double a, double b) {
    mpq_set_d(difference, a);
    mpq_set_d(scratch, b);
    mpq_sub(difference, difference, scratch);
}

static void subtract3(rational3 *difference, lf_vec3 a, lf_vec3 b) {
    subtract(difference->x, a.x, b.x);
    subtract(difference->y, a.y, b.y);
    subtract(difference->z, a.z, b.z);
}

static void minor_of(mpq_t result, const mpq_t a, const mpq_t b, const mpq_t c, const mpq_t d) {
    mpq_mul(result, a, d);
    mpq_mul(scratch, b, c);
    mpq_sub(result, result, scratch);
}

static void cross(rational3 *result, const rational3 *a, const rational3 *b) {
    minor_of(result->x, a->y, a->z, b->y, b->z);
    minor_of(result->y, a->z, a->x, b->z, b->x);
    minor_of(result->z, a->x, a->y, b->x, b->y);
}

static void dot(mpq_t result, const rational3 *a, const rational3 *b) {
    mpq_mul(result, a->x, b->x);
    mpq_mul(scratch, a->y, b->y);
    mpq_add(result, result, scratch);
    mpq_mul(scratch, a->z, b->z);
    mpq_add(result, result, scratch);
}

static int sign_2d(lf_vec2 a, lf_vec2 b, lf_vec2 c) {
    subtract(ab.x, a.x, c.x);
    subtract(ab.y, a.y, c.y);
    subtract(ac.x, b.x, c.x);
    subtract(ac.y, b.y, c.y);
    minor_of(total, ab.x, ab.y, ac.x, ac.y);
    return mpq_sgn(total);
}

static int sign_3d(lf_vec3 a, lf_vec3 b, lf_vec3 c, lf_vec3 d) {
    subtract3(&ab, b, a);
    subtract3(&ac, c, a);
    subtract3(&ad, d, a);
    cross(&normal, &ab, &ac);
    dot(total, &normal, &ad);
    return mpq_sgn(total);
}

static int sign_line(lf_vec3 origin, lf_vec3 direction, lf_vec3 a, lf_vec3 b) {
    lf_vec3 zero = {0, 0, 0};
    subtract3(&ab, a, origin);
    subtract3(&ac, b, origin);
    subtract3(&ad, direction, zero);
    cross(&normal, &ab, &ac);
    dot(total, &normal, &ad);
    return mpq_sgn(total);
}

static int sign_plane(const lf_plane *plane, lf_vec3 p) {
    lf_vec3 zero = {0, 0, 0};
    subtract3(&ab, plane->normal, zero);
    subtract3(&ac, p, zero);
    dot(total, &ab, &ac);
    mpq_set_d(scratch, plane->offset);
    mpq_sub(total, total, scratch);
    return mpq_sgn(total);
}

// ---------------------------------------------------------------------------------------------------
// Nasty numbers
// ---------------------------------------------------------------------------------------------------

/// Move a double by a few units in the last place.
static double nudge(test_random *random, double value) {
    int64_t steps = value == 0 ? 0 : test_random_below(random, 7) - 3; // next to 0 is out of range
    for (int64_t i = 0; i < llabs(steps); i++)
        value = nextafter(value, steps > 0 ? INFINITY : -INFINITY);
    return value;
}

/// A number of one of several kinds; `largest` bounds the decimal exponent of the wild ones.
static double number(test_random *random, int kind, double largest) {
    switch (kind) {
    case 0:
        return test_random_between(random, -1, 1);
    case 1: // small integers: many exact ties
        return (double)(test_random_below(random, 9) - 4);
    case 2: // far from the origin
        return 1e7 + test_random_between(random, -1, 1);
    case 3: // a lattice far from the origin, in steps that are no doubles
        return 6378137.1 + 0.1 * (double)test_random_below(random, 8);
    case 4: // tiny
        return test_random_between(random, -1e-30, 1e-30);
    default: { // any magnitude in the range
        double magnitude = pow(10, test_random_between(random, -largest, largest));
        int64_t choice = test_random_below(random, 5);
        return choice == 0 ? 0 : choice < 3 ? magnitude : -magnitude;
    }
    }
}

static lf_vec3 point(test_random *random, int kind, double largest) {
    lf_vec3 p;
    p.x = number(random, kind, largest);
    p.y = number(random, kind, largest);
    p.z = number(random, kind, largest);
    return p;
}

/// A point near the plane of a, b, c (or on an edge's line), some units in the last place away.
static lf_vec3 near_plane(test_random *random, lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    double s = test_random_between(random, -2, 3);
    double t = test_random_below(random, 3) == 0 ? 0 : test_random_between(random, -2, 3);
    if (test_random_below(random, 2) == 0) { // often exact
        s = (double)(test_random_below(random, 9) - 4) * 0.25;
        t = (double)(test_random_below(random, 9) - 4) * 0.25;
    }
    lf_vec3 p = lf_vec3_along(lf_vec3_along(a, s, lf_vec3_sub(b, a)), t, lf_vec3_sub(c, a));
    p.x = nudge(random, p.x);
    p.y = nudge(random, p.y);
    p.z = nudge(random, p.z);
    return p;
}

// ---------------------------------------------------------------------------------------------------
// The comparisons
// ---------------------------------------------------------------------------------------------------

static void orient2d_is_exact(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    for (int64_t i = 0; i < case_count(); i++) {
        int kind = (int)test_random_below(&random, 6);
        lf_vec3 a = point(&random, kind, 80), b = point(&random, kind, 80);
        lf_vec3 c = i % 3 == 0 ? point(&random, kind, 80) : near_plane(&random, a, b, a);
        lf_vec2 a2 = {a.x, a.y}, b2 = {b.x, b.y}, c2 = {c.x, c.y};
        int sign = sign_2d(a2, b2, c2);
        assert_int_equal(lf_orient2d(a2, b2, c2), sign);
        assert_int_equal(lf_orient2d(b2, a2, c2), -sign);
        assert_int_equal(lf_orient2d(b2, c2, a2), sign);
    }
}

static void orient3d_is_exact(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    int64_t ties = 0;
    for (int64_t i = 0; i < case_count(); i++) {
        int kind = (int)test_random_below(&random, 6);
        lf_vec3 a = point(&random, kind, 80), b = point(&random, kind, 80), c = point(&random, kind, 80);
        lf_vec3 d = i % 3 == 0 ? point(&random, kind, 80) : near_plane(&random, a, b, c);
        int sign = sign_3d(a, b, c, d);
        ties += sign == 0;
        assert_int_equal(lf_orient3d(a, b, c, d), sign);
        assert_int_equal(lf_orient3d(b, a, c, d), -sign);
        assert_int_equal(lf_orient3d(d, c, b, a), sign);
    }
    assert_true(ties > case_count() / 200); // the cases are as nasty as they should be
}

static void orient_line_is_exact(void **state) {
    (void)state;
    test_random random = test_random_start(3);
    for (int64_t i = 0; i < case_count(); i++) {
        int kind = (int)test_random_below(&random, 6);
        lf_vec3 origin = point(&random, kind, 80), a = point(&random, kind, 80), b = point(&random, kind, 80);
        lf_vec3 direction = point(&random, (int)test_random_below(&random, 6), 80);
        if (i % 3 != 0) // aimed at the edge
            direction = lf_vec3_sub(near_plane(&random, a, b, a), origin);
        int sign = sign_line(origin, direction, a, b);
        assert_int_equal(lf_orient_line(origin, direction, a, b), sign);
        assert_int_equal(lf_orient_line(origin, direction, b, a), -sign);
    }
}

static void plane_side_is_exact(void **state) {
    (void)state;
    test_random random = test_random_start(4);
    for (int64_t i = 0; i < case_count(); i++) {
        int kind = (int)test_random_below(&random, 6);
        lf_plane plane = {point(&random, kind, 80), number(&random, kind, 80)};
        lf_vec3 p = point(&random, kind, 80);
        if (i % 3 != 0)
            plane.offset = nudge(&random, lf_vec3_dot(plane.normal, p));
        assert_int_equal(lf__plane_side(&plane, p), sign_plane(&plane, p));
    }
}

/// n . (a - o) - t (n . d) with n = (b - a) x (c - a), of degree 4 (the parameter of a ray against t):
/// built from the toolkit, compared as a number.
static void degree_four_is_exact(void **state) {
    (void)state;
    test_random random = test_random_start(5);
    mpq_t expected;
    mpq_init(expected);
    for (int64_t i = 0; i < case_count() / 4; i++) {
        int kind = (int)test_random_below(&random, 6);
        lf_vec3 a = point(&random, kind, 60), b = point(&random, kind, 60), c = point(&random, kind, 60);
        lf_vec3 o = point(&random, kind, 60), d = lf_vec3_sub(near_plane(&random, a, b, c), o);
        double t = nudge(&random, i % 2 == 0 ? 1 : number(&random, kind, 60));

        lf__exact3 xab, xac, xao, xn;
        lf__exact value, speed;
        lf__exact3_difference(b, a, &xab);
        lf__exact3_difference(c, a, &xac);
        lf__exact3_difference(a, o, &xao);
        lf__exact3_cross(&xab, &xac, &xn);
        lf__exact3_dot(&xn, &xao, &value);
        lf__exact3_dot_vec(&xn, d, &speed);
        lf__exact_scaled(&speed, t, &speed);
        lf__exact_minus(&value, &speed, &value);

        lf_vec3 zero = {0, 0, 0};
        subtract3(&ab, b, a);
        subtract3(&ac, c, a);
        cross(&normal, &ab, &ac);
        subtract3(&ad, a, o);
        dot(expected, &normal, &ad);
        subtract3(&ad, d, zero);
        dot(total, &normal, &ad);
        mpq_set_d(scratch, t);
        mpq_mul(total, total, scratch);
        mpq_sub(expected, expected, total);

        assert_int_equal(lf__exact_sign(&value), mpq_sgn(expected));
        mpq_set_ui(total, 0, 1);
        for (int k = 0; k < value.count; k++) {
            mpq_set_d(scratch, value.term[k]);
            mpq_add(total, total, scratch);
            if (k > 0) // packed: exponents fall by 52 at least
                assert_true(ilogb(value.term[k]) - ilogb(value.term[k - 1]) >= 52);
        }
        assert_true(mpq_equal(total, expected));
    }
    mpq_clear(expected);
}

/// Sums and products of long expansions, as numbers.
static void arithmetic_is_exact(void **state) {
    (void)state;
    test_random random = test_random_start(6);
    mpq_t sums[2], expected;
    mpq_inits(sums[0], sums[1], expected, NULL);
    for (int64_t i = 0; i < case_count() / 16; i++) {
        lf__exact numbers[2];
        for (int side = 0; side < 2; side++) {
            lf__exact_of(0, &numbers[side]);
            mpq_set_ui(sums[side], 0, 1);
            for (int64_t k = test_random_below(&random, 12); k > 0; k--) {
                double value = number(&random, (int)test_random_below(&random, 6), 60);
                lf__exact one;
                lf__exact_of(value, &one);
                lf__exact_sum(&numbers[side], &one, &numbers[side]);
                mpq_set_d(scratch, value);
                mpq_add(sums[side], sums[side], scratch);
            }
        }
        lf__exact product, difference;
        lf__exact_product(&numbers[0], &numbers[1], &product);
        lf__exact_minus(&numbers[0], &numbers[1], &difference);
        mpq_mul(expected, sums[0], sums[1]);
        mpq_set_ui(total, 0, 1);
        for (int k = 0; k < product.count; k++) {
            mpq_set_d(scratch, product.term[k]);
            mpq_add(total, total, scratch);
        }
        assert_true(mpq_equal(total, expected));
        mpq_sub(expected, sums[0], sums[1]);
        assert_int_equal(lf__exact_sign(&difference), mpq_sgn(expected));
        mpq_set_d(scratch, lf__exact_estimate(&difference)); // truth within half a unit in the last place
        mpq_sub(scratch, scratch, expected);
        mpq_abs(scratch, scratch);
        mpq_set_d(total, fabs(lf__exact_estimate(&difference)) * 0x1.00001p-53);
        assert_true(mpq_cmp(scratch, total) <= 0);
    }
    mpq_clears(sums[0], sums[1], expected, NULL);
}

int main(void) {
    mpq_inits(scratch, total, NULL);
    rational3_start(&ab);
    rational3_start(&ac);
    rational3_start(&ad);
    rational3_start(&normal);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orient2d_is_exact),    cmocka_unit_test(orient3d_is_exact),
        cmocka_unit_test(orient_line_is_exact), cmocka_unit_test(plane_side_is_exact),
        cmocka_unit_test(degree_four_is_exact), cmocka_unit_test(arithmetic_is_exact),
    };
    int failures = cmocka_run_group_tests_name("geom predicates", tests, NULL, NULL);
    mpq_clears(scratch, total, ab.x, ab.y, ab.z, ac.x, ac.y, ac.z, ad.x, ad.y, ad.z, NULL);
    mpq_clears(normal.x, normal.y, normal.z, NULL);
    return failures;
}
