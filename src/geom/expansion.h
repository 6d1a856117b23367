/// Exact arithmetic on sums of doubles: for the few signs that rounding must not decide.
///
/// A number is kept as a sum of doubles ("expansion") whose exponents fall by 52 at least from each term
/// to the next. The doubles span 2098 bits, so 41 terms hold any sum, difference or product that neither
/// overflows nor underflows: no expression can outgrow the struct, whatever its degree.
///
///     lf__exact3 n = lf__exact3_cross(&ab, &ac);       // n = (b - a) x (c - a)
///     lf__exact height = lf__exact3_dot(&n, &ao);      // n . (a - o)
///     int sign = lf__exact_sign(&height);
///
/// Range: with inputs that are 0 or between 1e-60 and 1e60 in magnitude, polynomials of degree 4 in the inputs
/// are exact (degree 3: 1e-80 and 1e80; degree 2: 1e-120 and 1e120). The reason for the lower limit: the last
/// bit of a product is the product of the last bits, and must be a double too. Beyond the range an answer
/// may be wrong, but memory is safe. Nothing here allocates. Threads: any.
#ifndef LF_GEOM_EXPANSION_H
#define LF_GEOM_EXPANSION_H

#include <float.h>
#include <landfall/geom.h>

_Static_assert(FLT_EVAL_METHOD == 0, "sums and products must round to double at once");

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

/// product + rest = a * b exactly. Without the fma instruction, halves are far cheaper than a call of fma().
static inline double lf__two_product(double a, double b, double *rest) {
    double product = a * b;
#ifdef FP_FAST_FMA
    *rest = fma(a, b, -product);
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
static inline lf__exact lf__exact_of(double a) {
    lf__exact x;
    x.count = a != 0;
    x.term[0] = a;
    return x;
}

/// a - b
static inline lf__exact lf__exact_difference(double a, double b) {
    lf__exact x;
    double rest, difference = lf__two_sum(a, -b, &rest);
    x.count = 0;
    if (rest != 0)
        x.term[x.count++] = rest;
    if (difference != 0)
        x.term[x.count++] = difference;
    return x;
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

/// -x
static inline lf__exact lf__exact_negated(const lf__exact *x) {
    lf__exact y;
    y.count = x->count;
    for (int i = 0; i < x->count; i++)
        y.term[i] = -x->term[i];
    return y;
}

/// x + y
lf__exact lf__exact_sum(const lf__exact *x, const lf__exact *y);

/// x - y
lf__exact lf__exact_minus(const lf__exact *x, const lf__exact *y);

/// x * factor
lf__exact lf__exact_scaled(const lf__exact *x, double factor);

/// x * y
lf__exact lf__exact_product(const lf__exact *x, const lf__exact *y);

/// A vector as exact numbers.
lf__exact3 lf__exact3_of(lf_vec3 a);

/// a - b
lf__exact3 lf__exact3_difference(lf_vec3 a, lf_vec3 b);

/// a x b
lf__exact3 lf__exact3_cross(const lf__exact3 *a, const lf__exact3 *b);

/// a . b
lf__exact lf__exact3_dot(const lf__exact3 *a, const lf__exact3 *b);

/// a . b with b in doubles: a direction, a plane's normal
lf__exact lf__exact3_dot_vec(const lf__exact3 *a, lf_vec3 b);

#endif
