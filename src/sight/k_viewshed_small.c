/// Viewsheds of small rasters with AVX2 and AVX-512.
#include "base/k_simd.h"
#include "sight/viewshed_small.h"
#include <string.h>

#if LF__SIMD && !LF__SMALL_CODE

LF__SIMD_TARGET static inline float small_greatest_of(__m256 x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_shuffle_ps(half, half, 1)));
}

#define greatest_of small_greatest_of
#define BINS_LANES 8
#define BINS_TARGET LF__SIMD_TARGET
#include "sight/k_viewshed_small.h"

static const lf__small_kernel small_kernel_8 = {8, small_fill_8, small_raise_8, small_test_8};

#if LF__X86
#define BINS_LANES 16
#define BINS_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#include "sight/k_viewshed_small.h"

static const lf__small_kernel small_kernel_16 = {16, small_fill_16, small_raise_16, small_test_16};
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
