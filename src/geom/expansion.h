/// Exact arithmetic on sums of doubles: for the few signs that rounding must not decide.
///
/// A number is kept as a sum of doubles ("expansion") whose exponents fall by 52 at least from each term
/// to the next. The doubles span 2098 bits, so 41 terms hold any sum, difference or product that neither
/// overflows nor underflows: no expression can outgrow the struct, whatever its degree.
///
///     lf__exact3_cross(&ab, &ac, &n);        // n = (b - a) x (c - a)
///     lf__exact3_dot(&n, &ao, &height);      // n . (a - o)
///     int sign = lf__exact_sign(&height);
///
/// Results go to the last argument (returning such structs would copy all of them every time). It may be
/// one of the inputs, except in lf__exact3_cross.
///
/// Range: with inputs that are 0 or between 1e-60 and 1e60 in magnitude, polynomials of degree 4 in the
/// inputs are exact (degree 3: 1e-80 and 1e80; degree 2: 1e-120 and 1e120). The reason for the lower limit:
/// the last bit of a product is the product of the last bits, and must be a double too. Beyond the range an
/// answer may be wrong, but memory is safe. Nothing here allocates. Threads: any.
#ifndef LF_GEOM_EXPANSION_H
#define LF_GEOM_EXPANSION_H

#include "base/arithmetic.h"
#include <landfall/geom.h>

/// 2098 bits / 52, rounded up
#define LF__EXACT_TERMS 41

/// Terms by growing magnitude, none of them 0; the number 0 has no terms.
typedef struct lf__exact {
    int count;
    double term[LF__EXACT_TERMS];
} lf__exact;

typedef struct lf__exact3 {
    lf__exact x, y, z;
} lf__exact3;

/// sum + rest = a + b exactly; sum is the rounded sum.
static inline double lf__two_sum(double a, double b, double *rest) {
    double sum = a + b;
    double b_part = sum - a;
    double a_part = sum - b_part;
    *rest = (a - a_part) + (b - b_part);
    return sum;
}

/// The same when |a| >= |b| or a = 0.
static inline double lf__two_sum_ordered(double a, double b, double *rest) {
    double sum = a + b;
    *rest = b - (sum - a);
    return sum;
}

/// Two halves of 26 bits: high + low = a exactly. |a| below 2^996.
static inline double lf__halves(double a, double *low) {
    double big = 134217729.0 * a; // 2^27 + 1
    double high = big - (big - a);
    *low = a - high;
    return high;
}

/// product + rest = a * b exactly. Where fma is no instruction, halves cost no more than a call of fma().
static inline double lf__two_product(double a, double b, double *rest) {
    double product = a * b;
#ifdef FP_FAST_FMA
    *rest = lf__fma(a, b, -product);
#else
    double a_low, b_low;
    double a_high = lf__halves(a, &a_low);
    double b_high = lf__halves(b, &b_low);
    double error = product - a_high * b_high;
    error -= a_low * b_high;
    error -= a_high * b_low;
    *rest = a_low * b_low - error;
#endif
    return product;
}

/// A double as an exact number.
static inline void lf__exact_of(double a, lf__exact *exact) {
    exact->count = a != 0;
    exact->term[0] = a;
}

/// a - b
static inline void lf__exact_difference(double a, double b, lf__exact *difference) {
    double rest, rounded = lf__two_sum(a, -b, &rest);
    difference->count = 0;
    if (rest != 0)
        difference->term[difference->count++] = rest;
    if (rounded != 0)
        difference->term[difference->count++] = rounded;
}

/// The sign: -1, 0 or 1.
static inline int lf__exact_sign(const lf__exact *x) {
    if (x->count == 0)
        return 0;
    double top = x->term[x->count - 1];
    return (top > 0) - (top < 0);
}

/// The nearest double; next to a tie it may be the other neighbour: off by 0.5000001 ulp at most.
static inline double lf__exact_estimate(const lf__exact *x) {
    if (x->count < 2)
        return x->count == 0 ? 0 : x->term[0];
    return x->term[x->count - 1] + x->term[x->count - 2];
}

/// x + y
void lf__exact_sum(const lf__exact *x, const lf__exact *y, lf__exact *sum);

/// x - y
void lf__exact_minus(const lf__exact *x, const lf__exact *y, lf__exact *difference);

/// x * factor
void lf__exact_scaled(const lf__exact *x, double factor, lf__exact *scaled);

/// x * y
void lf__exact_product(const lf__exact *x, const lf__exact *y, lf__exact *product);

/// A quotient of exact numbers; the denominator is not zero.
typedef struct lf__ratio {
    lf__exact numerator, denominator;
} lf__ratio;

/// Rounded three times.
double lf__ratio_value(const lf__ratio *r);

/// The sign of a - b. With numerators and denominators of degree 3 in the inputs this is exact where the
/// largest input is no more than 1e85 times the smallest that is not 0.
int lf__ratio_order(const lf__ratio *a, const lf__ratio *b);

/// The sign of r - t; t may be infinite.
int lf__ratio_against(const lf__ratio *r, double t);

/// A vector as exact numbers.
void lf__exact3_of(lf_vec3 a, lf__exact3 *exact);

/// a - b
void lf__exact3_difference(lf_vec3 a, lf_vec3 b, lf__exact3 *difference);

/// a x b; the product may not be a or b
void lf__exact3_cross(const lf__exact3 *a, const lf__exact3 *b, lf__exact3 *product);

/// a . b
void lf__exact3_dot(const lf__exact3 *a, const lf__exact3 *b, lf__exact *product);

/// a . b with b in doubles: a direction, a plane's normal
void lf__exact3_dot_vec(const lf__exact3 *a, lf_vec3 b, lf__exact *product);

#endif
