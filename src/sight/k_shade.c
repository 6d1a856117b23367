/// Loops of the sweep over strips, which compilers vectorise: compiled for any machine, and for vectors.
/// The same operations in the same order, so the same bits.
#include "base/k_simd.h"
#include "sight/horizon.h"

#if defined(__GNUC__)
#define SHADE_ALWAYS static inline __attribute__((always_inline))
#else
#define SHADE_ALWAYS static inline
#endif

SHADE_ALWAYS void shade_mix(double *restrict out, const double *restrict a, const double *restrict b,
                            double v) {
    double rest = 1 - v;
    for (int r = 0; r < LF__SHADE_WIDE; r++)
        out[r] = a[r] * rest + b[r] * v;
}

SHADE_ALWAYS void shade_raise(double *restrict high, const double *restrict a, const double *restrict b,
                              double v, double rise) {
    double rest = 1 - v;
    for (int r = 0; r < LF__SHADE_WIDE; r++) {
        double value = a[r] * rest + b[r] * v - rise;
        high[r] = high[r] > value ? high[r] : value;
    }
}

SHADE_ALWAYS void raise_highs(const lf__shade_strips *s) {
    const double *restrict left = s->left, *restrict right = s->right, *restrict inner = s->inner;
    double *restrict high = s->high, fall = s->fall;
    for (int r = 0; r < LF__SHADE_GROUP; r++) {
        double side = left[r] > right[r] ? left[r] : right[r], here = inner[r] > side ? inner[r] : side;
        double there = high[r] - fall;
        high[r] = there > here ? there : here;
    }
}

SHADE_ALWAYS void raise_lows(const lf__shade_strips *s) {
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

static void shade_mix_scalar(double *out, const double *a, const double *b, double v) {
    shade_mix(out, a, b, v);
}

static void shade_raise_scalar(double *high, const double *a, const double *b, double v, double rise) {
    shade_raise(high, a, b, v, rise);
}

static void shade_strips_scalar(const lf__shade_strips *strips) {
    raise_highs(strips);
    raise_lows(strips);
}

static void shade_follow_scalar(const float *tile, const lf__shade_tap *taps, int count, int lanes,
                                float *high, uint32_t *bad) {
    for (int k = 0; k < count; k++) {
        const float *a = tile + taps[k].a, *b = tile + taps[k].b;
        for (int r = 0; r < lanes; r++) {
            float value = a[r] * taps[k].rest + b[r] * taps[k].v - taps[k].rise;
            high[r] = value > high[r] ? value : high[r];
            bad[r] |= value != value ? UINT32_MAX : 0;
        }
    }
}

static const lf__shade_loops shade_scalar = {shade_mix_scalar, shade_raise_scalar, shade_strips_scalar,
                                             shade_follow_scalar};

#if LF__SIMD

#define SHADE_TARGET LF__SIMD_TARGET

SHADE_TARGET static void shade_mix_avx2(double *out, const double *a, const double *b, double v) {
    shade_mix(out, a, b, v);
}

SHADE_TARGET static void shade_raise_avx2(double *high, const double *a, const double *b, double v,
                                          double rise) {
    shade_raise(high, a, b, v, rise);
}

SHADE_TARGET static void shade_strips_avx2(const lf__shade_strips *strips) {
    raise_highs(strips);
    raise_lows(strips);
}

SHADE_TARGET static void shade_follow_avx2(const float *tile, const lf__shade_tap *taps, int count, int lanes,
                                           float *high, uint32_t *bad) {
    for (int r = 0; r < lanes; r += 8) {
        __m256 most = _mm256_loadu_ps(high + r),
               none = _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)(const void *)(bad + r)));
        for (int k = 0; k < count; k++) {
            const lf__shade_tap *t = &taps[k];
            __m256 a = _mm256_mul_ps(_mm256_loadu_ps(tile + t->a + r), _mm256_set1_ps(t->rest)),
                   b = _mm256_mul_ps(_mm256_loadu_ps(tile + t->b + r), _mm256_set1_ps(t->v));
            __m256 value = _mm256_sub_ps(_mm256_add_ps(a, b), _mm256_set1_ps(t->rise));
            most = _mm256_max_ps(value, most); // the second one where either is NAN
            none = _mm256_or_ps(none, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
        }
        _mm256_storeu_ps(high + r, most);
        _mm256_storeu_si256((__m256i *)(void *)(bad + r), _mm256_castps_si256(none));
    }
}

static const lf__shade_loops shade_avx2 = {shade_mix_avx2, shade_raise_avx2, shade_strips_avx2,
                                           shade_follow_avx2};

const lf__shade_loops *lf__shade_loops_for(lf_isa isa) {
    return LF__SIMD_BY(isa) ? &shade_avx2 : &shade_scalar;
}

#else

const lf__shade_loops *lf__shade_loops_for(lf_isa isa) {
    (void)isa;
    return &shade_scalar;
}

#endif
