/// Products with sums in one rounding, where the C library's are not (Windows).
#include "base/arithmetic.h"
#include "base/base.h"
#if defined(_WIN32) || defined(LF__FMA_TESTED)
#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 lf__wide;

static uint64_t fma_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/// The low bit of the result says that bits are lost.
static lf__wide shift_sticky(lf__wide x, int by) {
    if (by <= 0)
        return x;
    if (by > 127)
        return x != 0;
    return x >> by | ((x & (((lf__wide)1 << by) - 1)) != 0);
}

static int leading_zeros(lf__wide x) {
    uint64_t high = (uint64_t)(x >> 64);
    return high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)x);
}

/// x = number * 2^exponent, of a finite x that is not 0; number has 53 bits.
static uint64_t take_apart(double x, int *exponent) {
    uint64_t bits = fma_bits(x) & ~(UINT64_C(1) << 63);
    int field = (int)(bits >> 52);
    if (field == 0) {
        int by = __builtin_clzll(bits) - 11;
        *exponent = -1074 - by;
        return bits << by;
    }
    *exponent = field - 1075;
    return (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
}

/// number * 2^exponent rounded to the nearest double, ties to even; number is not 0.
static double put_together(bool negative, lf__wide number, int exponent) {
    int up = leading_zeros(number); // its highest bit becomes bit 127
    number <<= up;
    exponent += 127 - up; // of the highest bit
    int drop = 75 + (exponent < -1022 ? -1022 - exponent : 0);
    number = shift_sticky(number, drop - 2); // two more bits than a double has
    uint64_t kept = (uint64_t)(number >> 2);
    unsigned rest = (unsigned)(number & 3);
    kept += rest > 2 || (rest == 2 && (kept & 1));
    // A carry out of kept is the next exponent, of subnormal numbers too.
    uint64_t field = exponent < -1022 ? 0 : (uint64_t)(exponent + 1022);
    if (exponent > 1023)
        return negative ? -INFINITY : INFINITY;
    uint64_t bits = (field << 52) + kept;
    double x;
    bits |= (uint64_t)negative << 63;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// By integers of 128 bits: the product has 106, and the smaller one of the two is shifted to the exponent of the larger one.
static double fma_by_integers(double a, double b, double c) {
    if (isfinite(a) && isfinite(b) && !isfinite(c))
        return c; // whether or not the product overflows
    if (a == 0 || b == 0 || !isfinite(a) || !isfinite(b))
        return a * b + c; // exact, or as IEEE 754 says
    int ea, eb, ec;
    lf__wide product = (lf__wide)take_apart(a, &ea) * take_apart(b, &eb);
    bool negative = signbit(a) != signbit(b);
    int ep = ea + eb;
    if (c == 0)
        return put_together(negative, product, ep);
    lf__wide sum = take_apart(c, &ec);
    // Both with their highest bit at 125: one bit for a carry, and the others hold whatever can matter.
    int up = leading_zeros(product) - 2;
    product <<= up, ep -= up;
    up = leading_zeros(sum) - 2;
    sum <<= up, ec -= up;
    if (ep < ec)
        product = shift_sticky(product, ec - ep), ep = ec;
    else
        sum = shift_sticky(sum, ep - ec);
    if (negative == (bool)signbit(c))
        return put_together(negative, product + sum, ep);
    if (product == sum)
        return 0.0;
    return product > sum ? put_together(negative, product - sum, ep)
                         : put_together(!negative, sum - product, ep);
}

/// The product is exact as a double. The sum is rounded to odd, so that the second rounding, to a float, is the only one.
static float fmaf_by_doubles(float a, float b, float c) {
    double product = (double)a * (double)b, z = (double)c, sum = product + z;
    double back = sum - product, rest = (product - (sum - back)) + (z - back);
    uint64_t bits = fma_bits(sum);
    if (isfinite(sum) && rest != 0 && !(bits & 1)) {
        bits += (rest > 0) == (sum > 0) ? 1 : UINT64_MAX;
        memcpy(&sum, &bits, sizeof sum);
    }
    return (float)sum;
}
#endif

#if defined(_WIN32)
#if defined(__x86_64__)
__attribute__((target("fma"))) static double fma_by_machine(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
__attribute__((target("fma"))) static float fmaf_by_machine(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
#endif

double lf__fma(double a, double b, double c) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma"))
        return fma_by_machine(a, b, c);
#endif
    return fma_by_integers(a, b, c);
}

float lf__fmaf(float a, float b, float c) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("fma"))
        return fmaf_by_machine(a, b, c);
#endif
    return fmaf_by_doubles(a, b, c);
}
#endif
