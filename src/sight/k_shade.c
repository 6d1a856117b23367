/// Plain loops that compilers turn into vectors: once for every machine, once for AVX2.
#include "sight/k_shade.h"

#if defined(__GNUC__)
#define ALWAYS static inline __attribute__((always_inline))
#else
#define ALWAYS static inline
#endif

ALWAYS void mix(double *restrict out, const double *restrict a, const double *restrict b, double v) {
    double rest = 1 - v;
    for (int r = 0; r < LF__SHADE_WIDE; r++)
        out[r] = a[r] * rest + b[r] * v;
}

ALWAYS void raise(double *restrict high, const double *restrict a, const double *restrict b, double v,
                  double rise) {
    double rest = 1 - v;
    for (int r = 0; r < LF__SHADE_WIDE; r++) {
        double value = a[r] * rest + b[r] * v - rise;
        high[r] = high[r] > value ? high[r] : value;
    }
}

ALWAYS void raise_highs(const lf__shade_strips *s) {
    const double *restrict left = s->left, *restrict right = s->right, *restrict inner = s->inner;
    double *restrict high = s->high, fall = s->fall;
    for (int r = 0; r < LF__SHADE_GROUP; r++) {
        double side = left[r] > right[r] ? left[r] : right[r], here = inner[r] > side ? inner[r] : side;
        double there = high[r] - fall;
        high[r] = there > here ? there : here;
    }
}

ALWAYS void raise_lows(const lf__shade_strips *s) {
    const double *restrict left = s->left_low, *restrict right = s->right_low, *restrict inner = s->inner_low;
    double *restrict low = s->low, *restrict away = s->away;
    double fall = s->fall_low, longer = s->longer, step = s->step;
    for (int r = 0; r < LF__SHADE_GROUP; r++) {
        double side = left[r] < right[r] ? left[r] : right[r], here = inner[r] < side ? inner[r] : side;
        double there = low[r] - fall - longer * away[r], farther = away[r] + step;
        low[r] = here > there ? here : there;
        away[r] = here > there ? 0 : farther;
    }
}

static void mix_plain(double *out, const double *a, const double *b, double v) {
    mix(out, a, b, v);
}

static void raise_plain(double *high, const double *a, const double *b, double v, double rise) {
    raise(high, a, b, v, rise);
}

static void strips_plain(const lf__shade_strips *strips) {
    raise_highs(strips);
    raise_lows(strips);
}

static const lf__shade_loops plain = {mix_plain, raise_plain, strips_plain};

#if defined(__x86_64__) && defined(__GNUC__)

#define TARGET __attribute__((target("avx2")))

TARGET static void mix_avx2(double *out, const double *a, const double *b, double v) {
    mix(out, a, b, v);
}

TARGET static void raise_avx2(double *high, const double *a, const double *b, double v, double rise) {
    raise(high, a, b, v, rise);
}

TARGET static void strips_avx2(const lf__shade_strips *strips) {
    raise_highs(strips);
    raise_lows(strips);
}

static const lf__shade_loops avx2 = {mix_avx2, raise_avx2, strips_avx2};

const lf__shade_loops *lf__shade_loops_for(lf_isa isa) {
    return isa >= LF_ISA_AVX2 ? &avx2 : &plain;
}

#else

const lf__shade_loops *lf__shade_loops_for(lf_isa isa) {
    (void)isa;
    return &plain;
}

#endif
