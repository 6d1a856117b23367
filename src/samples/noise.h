/// Noise that is the same on every machine: integer hashing and + - * / sqrt, nothing from libm.
#ifndef LF_MAKE_NOISE_H
#define LF_MAKE_NOISE_H

#include <stdint.h>

/// A value and its slope.
typedef struct lf__slope {
    double z, dx, dy;
} lf__slope;

/// Well-mixed bits of three numbers.
static inline uint64_t lf__hash(uint64_t seed, int64_t x, int64_t y) {
    uint64_t h = seed ^ ((uint64_t)x * 0x9e3779b97f4a7c15u);
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    h ^= (uint64_t)y * 0xc2b2ae3d27d4eb4fu;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

/// Uniform in [0, 1) from bits.
static inline double lf__unit(uint64_t bits) {
    return (double)(bits >> 11) * 0x1p-53;
}

/// The greatest whole number that is not above v; |v| below 2^62.
static inline int64_t lf__floor(double v) {
    int64_t i = (int64_t)v;
    return i - ((double)i > v);
}

static inline double lf__clamp(double v, double low, double high) {
    return v < low ? low : v > high ? high : v;
}

/// 0 below a, 1 above b, smooth between.
static inline double lf__smooth(double a, double b, double v) {
    double t = lf__clamp((v - a) / (b - a), 0, 1);
    return t * t * (3 - 2 * t);
}

/// Sine and cosine of an angle in turns (1 is all the way round), to about 1e-15; |turns| below 2^50.
double lf__sine(double turns);
double lf__cosine(double turns);

/// Gradient noise with cells of size 1 and smooth slopes: within -1 .. 1, mean 0, zero at the lattice points.
lf__slope lf__noise(uint64_t seed, double x, double y);

/// Gullies: waves that run down a slope, with crests as far apart as one cell and changing gently from cell to cell.
/// (across_x, across_y) is the direction across the slope, of length at most 1; shorter makes wider waves.
/// The value is within -1 .. 1.
lf__slope lf__gullies(uint64_t seed, double x, double y, double across_x, double across_y);

#endif
