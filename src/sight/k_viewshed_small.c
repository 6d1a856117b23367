/// Viewsheds of small rasters with AVX2 and AVX-512.
#include "base/k_simd.h"
#include "sight/viewshed_small.h"
#include <string.h>

#if LF__SIMD && !LF__SMALL_CODE

#if !LF__X86
LF__SIMD_TARGET static inline float small_greatest_of(__m256 x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_shuffle_ps(half, half, 1)));
}
#endif

/// Compilers make vectors of these loops.
#define HEIGHTS(type)                                \
    do {                                             \
        const type *samples = from;                  \
        for (int64_t k = 0; k < count; k++)          \
            to[k] = (float)((double)samples[k] - z); \
    } while (0)

LF__SIMD_TARGET static void small_heights(const void *from, lf_sample_type type, double z, float *restrict to,
                                          int64_t count) {
    switch (type) {
    case LF_SAMPLE_FLOAT:
        HEIGHTS(float);
        break;
    case LF_SAMPLE_DOUBLE:
        HEIGHTS(double);
        break;
    case LF_SAMPLE_INT16:
        HEIGHTS(int16_t);
        break;
    case LF_SAMPLE_UINT16:
        HEIGHTS(uint16_t);
        break;
    }
}
#undef HEIGHTS

/// Lowering on a ring, as a polynomial of b.
LF__SIMD_TARGET static void small_less(lf__small *s, int r) {
    lf__small_ring *ring = &s->ring[r];
    __m256 x = _mm256_set1_ps(ring->x), less = _mm256_loadu_ps(s->terms[LF__SERIES_USED]);
    for (int i = LF__SERIES_USED - 1; i > 0; i--)
        less = _mm256_fmadd_ps(less, x, _mm256_loadu_ps(s->terms[i]));
    _mm256_storeu_ps(ring->less,
                     _mm256_fmadd_ps(_mm256_loadu_ps(s->terms[0]), _mm256_set1_ps(ring->per_x), less));
}

#define greatest_of small_greatest_of
#define BINS_LANES 8
#define BINS_TARGET LF__SIMD_TARGET
#include "sight/k_viewshed_small.h"

static const lf__small_kernel small_kernel_8 = {8, small_heights, small_fill_8, small_raise_8, small_test_8};

#if LF__X86
#define BINS_LANES 16
#define BINS_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#include "sight/k_viewshed_small.h"

static const lf__small_kernel small_kernel_16 = {16, small_heights, small_fill_16, small_raise_16,
                                                 small_test_16};
#endif
#undef greatest_of

const lf__small_kernel *lf__small_kernel_best(void) {
#if LF__X86
    if (lf_isa_best() >= LF_ISA_AVX512)
        return &small_kernel_16;
#endif
    return lf_isa_best() >= LF_ISA_AVX2 ? &small_kernel_8 : NULL;
}

#else

const lf__small_kernel *lf__small_kernel_best(void) {
    return NULL;
}

#endif
