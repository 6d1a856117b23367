/// AVX2's intrinsics by pairs of WebAssembly's vectors: those that the kernels use (more: k_simd_wasm_more.h). On aarch64 the same, with
/// NEON under WebAssembly's names (k_simd_neon.h).
///
/// They do what Intel documents, but for two things. WebAssembly cannot fuse products with sums, and the margins of these kernels hold
/// for two roundings, as in the scalar code beside them. Numbers that are no integers of 32 bits are converted to the nearest one (NAN
/// to 0).
#ifndef LF_BASE_K_SIMD_WASM_H
#define LF_BASE_K_SIMD_WASM_H

#include <stdint.h>
#include <string.h>
#if defined(__wasm_simd128__)
#include <wasm_simd128.h>
#else
#include "base/k_simd_neon.h"
#endif

typedef float __m256 __attribute__((__vector_size__(32), __aligned__(32)));
typedef double __m256d __attribute__((__vector_size__(32), __aligned__(32)));
typedef int64_t __m256i __attribute__((__vector_size__(32), __aligned__(32)));
typedef v128_t __m128, __m128d, __m128i;

#define LF__WASM static inline __attribute__((always_inline))

#define LF__WASM_HALF_TYPES(vec, of, lane, one)                                                       \
    typedef one lf__wasm_##of __attribute__((__vector_size__(16), __aligned__(16)));                  \
    LF__WASM v128_t lf__wasm_low_##of(vec x) {                                                        \
        return (v128_t)__builtin_shufflevector(x, x, LF__WASM_FIRST_##lane);                          \
    }                                                                                                 \
    LF__WASM v128_t lf__wasm_high_##of(vec x) {                                                       \
        return (v128_t)__builtin_shufflevector(x, x, LF__WASM_LAST_##lane);                           \
    }                                                                                                 \
    LF__WASM vec lf__wasm_join_##of(v128_t low, v128_t high) {                                        \
        return __builtin_shufflevector((lf__wasm_##of)low, (lf__wasm_##of)high, LF__WASM_ALL_##lane); \
    }

#define LF__WASM_FIRST_8 0, 1, 2, 3
#define LF__WASM_LAST_8 4, 5, 6, 7
#define LF__WASM_ALL_8 0, 1, 2, 3, 4, 5, 6, 7
#define LF__WASM_FIRST_4 0, 1
#define LF__WASM_LAST_4 2, 3
#define LF__WASM_ALL_4 0, 1, 2, 3

LF__WASM_HALF_TYPES(__m256, ps, 8, float)
LF__WASM_HALF_TYPES(__m256d, pd, 4, double)
LF__WASM_HALF_TYPES(__m256i, si256, 4, int64_t)

// Both halves alike: NAME(a) and NAME(a, b), by a function of the halves.
#define LF__WASM_ONE(result, to, name, vec, of, f)                                    \
    LF__WASM result name(vec a) {                                                     \
        return lf__wasm_join_##to(f(lf__wasm_low_##of(a)), f(lf__wasm_high_##of(a))); \
    }
#define LF__WASM_TWO(name, vec, of, f)                                              \
    LF__WASM vec name(vec a, vec b) {                                               \
        return lf__wasm_join_##of(f(lf__wasm_low_##of(a), lf__wasm_low_##of(b)),    \
                                  f(lf__wasm_high_##of(a), lf__wasm_high_##of(b))); \
    }

// The second where one is NAN or both are zeros, as on x86.
#define LF__WASM_MIN_PS(a, b) wasm_f32x4_pmin(b, a)
#define LF__WASM_MAX_PS(a, b) wasm_f32x4_pmax(b, a)
#define LF__WASM_MIN_PD(a, b) wasm_f64x2_pmin(b, a)
#define LF__WASM_MAX_PD(a, b) wasm_f64x2_pmax(b, a)
#define LF__WASM_ANDNOT(a, b) wasm_v128_andnot(b, a)
#define LF__WASM_NEAREST(a) wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(a))

/// A mask of the lanes whose bits are set.
LF__WASM v128_t lf__wasm_lanes(int bits) {
    return wasm_i32x4_make(-(bits & 1), -(bits >> 1 & 1), -(bits >> 2 & 1), -(bits >> 3 & 1));
}

LF__WASM_TWO(_mm256_add_ps, __m256, ps, wasm_f32x4_add)
LF__WASM_TWO(_mm256_sub_ps, __m256, ps, wasm_f32x4_sub)
LF__WASM_TWO(_mm256_mul_ps, __m256, ps, wasm_f32x4_mul)
LF__WASM_TWO(_mm256_div_ps, __m256, ps, wasm_f32x4_div)
LF__WASM_TWO(_mm256_min_ps, __m256, ps, LF__WASM_MIN_PS)
LF__WASM_TWO(_mm256_max_ps, __m256, ps, LF__WASM_MAX_PS)
LF__WASM_TWO(_mm256_and_ps, __m256, ps, wasm_v128_and)
LF__WASM_TWO(_mm256_or_ps, __m256, ps, wasm_v128_or)
LF__WASM_TWO(_mm256_xor_ps, __m256, ps, wasm_v128_xor)
LF__WASM_TWO(_mm256_andnot_ps, __m256, ps, LF__WASM_ANDNOT)
LF__WASM_ONE(__m256, ps, _mm256_floor_ps, __m256, ps, wasm_f32x4_floor)

LF__WASM_TWO(_mm256_add_pd, __m256d, pd, wasm_f64x2_add)
LF__WASM_TWO(_mm256_sub_pd, __m256d, pd, wasm_f64x2_sub)
LF__WASM_TWO(_mm256_mul_pd, __m256d, pd, wasm_f64x2_mul)
LF__WASM_TWO(_mm256_div_pd, __m256d, pd, wasm_f64x2_div)
LF__WASM_TWO(_mm256_min_pd, __m256d, pd, LF__WASM_MIN_PD)
LF__WASM_TWO(_mm256_max_pd, __m256d, pd, LF__WASM_MAX_PD)
LF__WASM_TWO(_mm256_and_pd, __m256d, pd, wasm_v128_and)
LF__WASM_TWO(_mm256_or_pd, __m256d, pd, wasm_v128_or)
LF__WASM_TWO(_mm256_xor_pd, __m256d, pd, wasm_v128_xor)
LF__WASM_TWO(_mm256_andnot_pd, __m256d, pd, LF__WASM_ANDNOT)
LF__WASM_ONE(__m256d, pd, _mm256_floor_pd, __m256d, pd, wasm_f64x2_floor)
LF__WASM_ONE(__m256d, pd, _mm256_sqrt_pd, __m256d, pd, wasm_f64x2_sqrt)

LF__WASM_TWO(_mm256_add_epi32, __m256i, si256, wasm_i32x4_add)
LF__WASM_TWO(_mm256_sub_epi32, __m256i, si256, wasm_i32x4_sub)
LF__WASM_TWO(_mm256_mullo_epi32, __m256i, si256, wasm_i32x4_mul)
LF__WASM_TWO(_mm256_min_epi32, __m256i, si256, wasm_i32x4_min)
LF__WASM_TWO(_mm256_max_epi32, __m256i, si256, wasm_i32x4_max)
LF__WASM_TWO(_mm256_cmpgt_epi32, __m256i, si256, wasm_i32x4_gt)
LF__WASM_TWO(_mm256_cmpeq_epi32, __m256i, si256, wasm_i32x4_eq)
LF__WASM_TWO(_mm256_and_si256, __m256i, si256, wasm_v128_and)
LF__WASM_TWO(_mm256_or_si256, __m256i, si256, wasm_v128_or)
LF__WASM_TWO(_mm256_xor_si256, __m256i, si256, wasm_v128_xor)
LF__WASM_TWO(_mm256_andnot_si256, __m256i, si256, LF__WASM_ANDNOT)
LF__WASM_TWO(_mm256_add_epi64, __m256i, si256, wasm_i64x2_add)

LF__WASM_ONE(__m256, ps, _mm256_castsi256_ps, __m256i, si256, )
LF__WASM_ONE(__m256i, si256, _mm256_castps_si256, __m256, ps, )
LF__WASM_ONE(__m256d, pd, _mm256_castsi256_pd, __m256i, si256, )
LF__WASM_ONE(__m256i, si256, _mm256_cvttps_epi32, __m256, ps, wasm_i32x4_trunc_sat_f32x4)
LF__WASM_ONE(__m256i, si256, _mm256_cvtps_epi32, __m256, ps, LF__WASM_NEAREST)
LF__WASM_ONE(__m256, ps, _mm256_cvtepi32_ps, __m256i, si256, wasm_f32x4_convert_i32x4)

// ---------------------------------------------------------------------------------------------------
// Products with sums
// ---------------------------------------------------------------------------------------------------

#if defined(__wasm_simd128__)
#define LF__WASM_FMA_PS(a, b, c) wasm_f32x4_add(wasm_f32x4_mul(a, b), c)
#define LF__WASM_FNMA_PS(a, b, c) wasm_f32x4_sub(c, wasm_f32x4_mul(a, b))
#define LF__WASM_FMA_PD(a, b, c) wasm_f64x2_add(wasm_f64x2_mul(a, b), c)
#define LF__WASM_FNMA_PD(a, b, c) wasm_f64x2_sub(c, wasm_f64x2_mul(a, b))
#else
#define LF__WASM_FMA_PS lf__neon_fma_ps
#define LF__WASM_FNMA_PS lf__neon_fnma_ps
#define LF__WASM_FMA_PD lf__neon_fma_pd
#define LF__WASM_FNMA_PD lf__neon_fnma_pd
#endif
#define LF__WASM_THREE(name, vec, of, f)                                                                   \
    LF__WASM vec name(vec a, vec b, vec c) {                                                               \
        return lf__wasm_join_##of(f(lf__wasm_low_##of(a), lf__wasm_low_##of(b), lf__wasm_low_##of(c)),     \
                                  f(lf__wasm_high_##of(a), lf__wasm_high_##of(b), lf__wasm_high_##of(c))); \
    }
LF__WASM_THREE(_mm256_fmadd_ps, __m256, ps, LF__WASM_FMA_PS)
LF__WASM_THREE(_mm256_fnmadd_ps, __m256, ps, LF__WASM_FNMA_PS)
LF__WASM_THREE(_mm256_fmadd_pd, __m256d, pd, LF__WASM_FMA_PD)
LF__WASM_THREE(_mm256_fnmadd_pd, __m256d, pd, LF__WASM_FNMA_PD)

/// a * b - c, by the opposite of c.
LF__WASM __m256 _mm256_fmsub_ps(__m256 a, __m256 b, __m256 c) {
    v128_t sign = wasm_f32x4_splat(-0.0f);
    return _mm256_fmadd_ps(a, b, _mm256_xor_ps(c, lf__wasm_join_ps(sign, sign)));
}
LF__WASM __m256d _mm256_fmsub_pd(__m256d a, __m256d b, __m256d c) {
    v128_t sign = wasm_f64x2_splat(-0.0);
    return _mm256_fmadd_pd(
        a, b,
        lf__wasm_join_pd(wasm_v128_xor(lf__wasm_low_pd(c), sign), wasm_v128_xor(lf__wasm_high_pd(c), sign)));
}

// ---------------------------------------------------------------------------------------------------
// Comparisons and choices
// ---------------------------------------------------------------------------------------------------

enum { _CMP_EQ_OQ, _CMP_LT_OQ, _CMP_LE_OQ, _CMP_GE_OQ, _CMP_GT_OQ, _CMP_NEQ_OQ, _CMP_NLE_UQ, _CMP_UNORD_Q };

/// An ordered "not equal" is false for NAN.
LF__WASM v128_t lf__wasm_compare_ps(v128_t a, v128_t b, int how) {
    v128_t same = wasm_v128_and(wasm_f32x4_eq(a, a), wasm_f32x4_eq(b, b));
    return how == _CMP_EQ_OQ    ? wasm_f32x4_eq(a, b)
           : how == _CMP_LT_OQ  ? wasm_f32x4_lt(a, b)
           : how == _CMP_LE_OQ  ? wasm_f32x4_le(a, b)
           : how == _CMP_GE_OQ  ? wasm_f32x4_ge(a, b)
           : how == _CMP_GT_OQ  ? wasm_f32x4_gt(a, b)
           : how == _CMP_NEQ_OQ ? wasm_v128_or(wasm_f32x4_lt(a, b), wasm_f32x4_gt(a, b))
           : how == _CMP_NLE_UQ ? wasm_v128_not(wasm_f32x4_le(a, b))
                                : wasm_v128_not(same);
}
LF__WASM v128_t lf__wasm_compare_pd(v128_t a, v128_t b, int how) {
    v128_t same = wasm_v128_and(wasm_f64x2_eq(a, a), wasm_f64x2_eq(b, b));
    return how == _CMP_EQ_OQ    ? wasm_f64x2_eq(a, b)
           : how == _CMP_LT_OQ  ? wasm_f64x2_lt(a, b)
           : how == _CMP_LE_OQ  ? wasm_f64x2_le(a, b)
           : how == _CMP_GE_OQ  ? wasm_f64x2_ge(a, b)
           : how == _CMP_GT_OQ  ? wasm_f64x2_gt(a, b)
           : how == _CMP_NEQ_OQ ? wasm_v128_or(wasm_f64x2_lt(a, b), wasm_f64x2_gt(a, b))
           : how == _CMP_NLE_UQ ? wasm_v128_not(wasm_f64x2_le(a, b))
                                : wasm_v128_not(same);
}
LF__WASM __m256 _mm256_cmp_ps(__m256 a, __m256 b, int how) {
    return lf__wasm_join_ps(lf__wasm_compare_ps(lf__wasm_low_ps(a), lf__wasm_low_ps(b), how),
                            lf__wasm_compare_ps(lf__wasm_high_ps(a), lf__wasm_high_ps(b), how));
}
LF__WASM __m256d _mm256_cmp_pd(__m256d a, __m256d b, int how) {
    return lf__wasm_join_pd(lf__wasm_compare_pd(lf__wasm_low_pd(a), lf__wasm_low_pd(b), how),
                            lf__wasm_compare_pd(lf__wasm_high_pd(a), lf__wasm_high_pd(b), how));
}

/// By the signs of the mask.
LF__WASM v128_t _mm_blendv_ps(v128_t a, v128_t b, v128_t mask) {
    return wasm_v128_bitselect(b, a, wasm_i32x4_shr(mask, 31));
}
LF__WASM v128_t _mm_blendv_epi8(v128_t a, v128_t b, v128_t mask) {
    return wasm_v128_bitselect(b, a, wasm_i8x16_shr(mask, 7));
}
LF__WASM __m256 _mm256_blendv_ps(__m256 a, __m256 b, __m256 mask) {
    return lf__wasm_join_ps(_mm_blendv_ps(lf__wasm_low_ps(a), lf__wasm_low_ps(b), lf__wasm_low_ps(mask)),
                            _mm_blendv_ps(lf__wasm_high_ps(a), lf__wasm_high_ps(b), lf__wasm_high_ps(mask)));
}
LF__WASM v128_t lf__wasm_blendv_pd(v128_t a, v128_t b, v128_t mask) {
    return wasm_v128_bitselect(b, a, wasm_i64x2_shr(mask, 63));
}
LF__WASM __m256d _mm256_blendv_pd(__m256d a, __m256d b, __m256d mask) {
    return lf__wasm_join_pd(
        lf__wasm_blendv_pd(lf__wasm_low_pd(a), lf__wasm_low_pd(b), lf__wasm_low_pd(mask)),
        lf__wasm_blendv_pd(lf__wasm_high_pd(a), lf__wasm_high_pd(b), lf__wasm_high_pd(mask)));
}
LF__WASM __m256 _mm256_blend_ps(__m256 a, __m256 b, int bits) {
    return lf__wasm_join_ps(
        wasm_v128_bitselect(lf__wasm_low_ps(b), lf__wasm_low_ps(a), lf__wasm_lanes(bits)),
        wasm_v128_bitselect(lf__wasm_high_ps(b), lf__wasm_high_ps(a), lf__wasm_lanes(bits >> 4)));
}
LF__WASM int _mm256_movemask_ps(__m256 a) {
    return (int)(wasm_i32x4_bitmask(lf__wasm_low_ps(a)) | wasm_i32x4_bitmask(lf__wasm_high_ps(a)) << 4);
}
LF__WASM int _mm256_movemask_pd(__m256d a) {
    return (int)(wasm_i64x2_bitmask(lf__wasm_low_pd(a)) | wasm_i64x2_bitmask(lf__wasm_high_pd(a)) << 2);
}

// ---------------------------------------------------------------------------------------------------
// Constants, loads, stores
// ---------------------------------------------------------------------------------------------------

LF__WASM __m256 _mm256_set1_ps(float x) {
    return lf__wasm_join_ps(wasm_f32x4_splat(x), wasm_f32x4_splat(x));
}
LF__WASM __m256d _mm256_set1_pd(double x) {
    return lf__wasm_join_pd(wasm_f64x2_splat(x), wasm_f64x2_splat(x));
}
LF__WASM __m256i _mm256_set1_epi32(int32_t x) {
    return lf__wasm_join_si256(wasm_i32x4_splat(x), wasm_i32x4_splat(x));
}
LF__WASM __m256i _mm256_set1_epi64x(int64_t x) {
    return lf__wasm_join_si256(wasm_i64x2_splat(x), wasm_i64x2_splat(x));
}
LF__WASM __m256 _mm256_setzero_ps(void) {
    return _mm256_set1_ps(0);
}
LF__WASM __m256d _mm256_setzero_pd(void) {
    return _mm256_set1_pd(0);
}
LF__WASM __m256i _mm256_setzero_si256(void) {
    return _mm256_set1_epi32(0);
}
LF__WASM __m256 _mm256_setr_ps(float a, float b, float c, float d, float e, float f, float g, float h) {
    return lf__wasm_join_ps(wasm_f32x4_make(a, b, c, d), wasm_f32x4_make(e, f, g, h));
}
LF__WASM __m256d _mm256_setr_pd(double a, double b, double c, double d) {
    return lf__wasm_join_pd(wasm_f64x2_make(a, b), wasm_f64x2_make(c, d));
}
LF__WASM __m256i _mm256_setr_epi32(int a, int b, int c, int d, int e, int f, int g, int h) {
    return lf__wasm_join_si256(wasm_i32x4_make(a, b, c, d), wasm_i32x4_make(e, f, g, h));
}
#define LF__WASM_MEMORY(vec, of, type)                                                      \
    LF__WASM vec lf__wasm_load_##of(const type *p) {                                        \
        return lf__wasm_join_##of(wasm_v128_load(p), wasm_v128_load((const char *)p + 16)); \
    }                                                                                       \
    LF__WASM void lf__wasm_store_##of(type *p, vec x) {                                     \
        wasm_v128_store(p, lf__wasm_low_##of(x));                                           \
        wasm_v128_store((char *)p + 16, lf__wasm_high_##of(x));                             \
    }
LF__WASM_MEMORY(__m256, ps, float)
LF__WASM_MEMORY(__m256d, pd, double)
LF__WASM_MEMORY(__m256i, si256, void)
#define _mm256_load_ps lf__wasm_load_ps
#define _mm256_loadu_ps lf__wasm_load_ps
#define _mm256_store_ps lf__wasm_store_ps
#define _mm256_storeu_ps lf__wasm_store_ps
#define _mm256_loadu_pd lf__wasm_load_pd
#define _mm256_store_pd lf__wasm_store_pd
#define _mm256_storeu_pd lf__wasm_store_pd
#define _mm256_load_si256 lf__wasm_load_si256
#define _mm256_loadu_si256 lf__wasm_load_si256
#define _mm256_store_si256 lf__wasm_store_si256
#define _mm256_storeu_si256 lf__wasm_store_si256

LF__WASM float lf__wasm_float_at(const float *base, int32_t offset) {
    float x;
    memcpy(&x, (const char *)base + offset, sizeof x);
    return x;
}
LF__WASM double lf__wasm_double_at(const double *base, int32_t offset) {
    double x;
    memcpy(&x, (const char *)base + offset, sizeof x);
    return x;
}
LF__WASM v128_t _mm_i32gather_ps(const float *base, v128_t at, int scale) {
    at = wasm_i32x4_mul(at, wasm_i32x4_splat(scale));
    return wasm_f32x4_make(lf__wasm_float_at(base, wasm_i32x4_extract_lane(at, 0)),
                           lf__wasm_float_at(base, wasm_i32x4_extract_lane(at, 1)),
                           lf__wasm_float_at(base, wasm_i32x4_extract_lane(at, 2)),
                           lf__wasm_float_at(base, wasm_i32x4_extract_lane(at, 3)));
}
LF__WASM __m256d _mm256_i32gather_pd(const double *base, v128_t at, int scale) {
    at = wasm_i32x4_mul(at, wasm_i32x4_splat(scale));
    return _mm256_setr_pd(lf__wasm_double_at(base, wasm_i32x4_extract_lane(at, 0)),
                          lf__wasm_double_at(base, wasm_i32x4_extract_lane(at, 1)),
                          lf__wasm_double_at(base, wasm_i32x4_extract_lane(at, 2)),
                          lf__wasm_double_at(base, wasm_i32x4_extract_lane(at, 3)));
}

// ---------------------------------------------------------------------------------------------------
// Halves, shuffles, conversions between widths
// ---------------------------------------------------------------------------------------------------

#define _mm256_castps256_ps128 lf__wasm_low_ps
#define _mm256_castsi256_si128 lf__wasm_low_si256
#define _mm256_extractf128_ps(x, k) ((k) ? lf__wasm_high_ps(x) : lf__wasm_low_ps(x))
#define _mm256_castps128_ps256(x) lf__wasm_join_ps(x, x)
#define _mm256_insertf128_ps(a, x, k) \
    ((k) ? lf__wasm_join_ps(lf__wasm_low_ps(a), x) : lf__wasm_join_ps(x, lf__wasm_high_ps(a)))

LF__WASM v128_t lf__wasm_pick(v128_t a0, v128_t a1, v128_t b0, v128_t b1, int which) {
    return which & 8          ? wasm_i32x4_splat(0)
           : (which & 3) == 0 ? a0
           : (which & 3) == 1 ? a1
           : (which & 3) == 2 ? b0
                              : b1;
}
LF__WASM __m256d _mm256_permute2f128_pd(__m256d a, __m256d b, int which) {
    v128_t a0 = lf__wasm_low_pd(a), a1 = lf__wasm_high_pd(a), b0 = lf__wasm_low_pd(b),
           b1 = lf__wasm_high_pd(b);
    return lf__wasm_join_pd(lf__wasm_pick(a0, a1, b0, b1, which), lf__wasm_pick(a0, a1, b0, b1, which >> 4));
}
LF__WASM v128_t lf__wasm_shuffle_pd(v128_t a, v128_t b, int which) {
    return (which & 3) == 0   ? wasm_i64x2_shuffle(a, b, 0, 2)
           : (which & 3) == 1 ? wasm_i64x2_shuffle(a, b, 1, 2)
           : (which & 3) == 2 ? wasm_i64x2_shuffle(a, b, 0, 3)
                              : wasm_i64x2_shuffle(a, b, 1, 3);
}
LF__WASM __m256d _mm256_shuffle_pd(__m256d a, __m256d b, int which) {
    return lf__wasm_join_pd(lf__wasm_shuffle_pd(lf__wasm_low_pd(a), lf__wasm_low_pd(b), which),
                            lf__wasm_shuffle_pd(lf__wasm_high_pd(a), lf__wasm_high_pd(b), which >> 2));
}
LF__WASM __m256d _mm256_unpacklo_pd(__m256d a, __m256d b) {
    return _mm256_shuffle_pd(a, b, 0);
}
LF__WASM __m256d _mm256_unpackhi_pd(__m256d a, __m256d b) {
    return _mm256_shuffle_pd(a, b, 15);
}

/// Bytes of eight lanes: an index beyond its half selects 0 there.
LF__WASM v128_t lf__wasm_eight(v128_t low, v128_t high, v128_t lane) {
    v128_t byte =
        wasm_i32x4_add(wasm_i32x4_mul(wasm_v128_and(lane, wasm_i32x4_splat(7)), wasm_i32x4_splat(0x04040404)),
                       wasm_i32x4_splat(0x03020100));
    return wasm_v128_or(wasm_i8x16_swizzle(low, byte),
                        wasm_i8x16_swizzle(high, wasm_i8x16_sub(byte, wasm_i8x16_splat(16))));
}
LF__WASM __m256 lf__wasm_permute(__m256 x, __m256i lane) {
    v128_t low = lf__wasm_low_ps(x), high = lf__wasm_high_ps(x);
    return lf__wasm_join_ps(lf__wasm_eight(low, high, lf__wasm_low_si256(lane)),
                            lf__wasm_eight(low, high, lf__wasm_high_si256(lane)));
}
#define _mm256_permutevar8x32_ps(x, lane) lf__wasm_permute(x, lane)

LF__WASM __m256i _mm256_permutevar8x32_epi32(__m256i x, __m256i lane) {
    return _mm256_castps_si256(lf__wasm_permute(_mm256_castsi256_ps(x), lane));
}

// Shifts that differ between lanes; of less than 32.
#define LF__WASM_EACH(f, x, by)                                                       \
    wasm_i32x4_make(f(wasm_i32x4_extract_lane(x, 0), wasm_i32x4_extract_lane(by, 0)), \
                    f(wasm_i32x4_extract_lane(x, 1), wasm_i32x4_extract_lane(by, 1)), \
                    f(wasm_i32x4_extract_lane(x, 2), wasm_i32x4_extract_lane(by, 2)), \
                    f(wasm_i32x4_extract_lane(x, 3), wasm_i32x4_extract_lane(by, 3)))
#define LF__WASM_RIGHT(x, by) (int32_t)((uint32_t)(x) >> ((by)&31))
#define LF__WASM_LEFT(x, by) (int32_t)((uint32_t)(x) << ((by)&31))
#define LF__WASM_SRLV(x, by) LF__WASM_EACH(LF__WASM_RIGHT, x, by)
#define LF__WASM_SLLV(x, by) LF__WASM_EACH(LF__WASM_LEFT, x, by)
LF__WASM_TWO(_mm256_srlv_epi32, __m256i, si256, LF__WASM_SRLV)
LF__WASM_TWO(_mm256_sllv_epi32, __m256i, si256, LF__WASM_SLLV)

/// Products of 64 bits of the even lanes.
LF__WASM v128_t lf__wasm_mul_even(v128_t a, v128_t b) {
    return wasm_i64x2_extmul_low_i32x4(wasm_i32x4_shuffle(a, a, 0, 2, 0, 2),
                                       wasm_i32x4_shuffle(b, b, 0, 2, 0, 2));
}
LF__WASM_TWO(_mm256_mul_epi32, __m256i, si256, lf__wasm_mul_even)

LF__WASM __m256i _mm256_cvtepi32_epi64(v128_t x) {
    return lf__wasm_join_si256(wasm_i64x2_extend_low_i32x4(x), wasm_i64x2_extend_high_i32x4(x));
}
LF__WASM __m256i _mm256_cvtepi16_epi32(v128_t x) {
    return lf__wasm_join_si256(wasm_i32x4_extend_low_i16x8(x), wasm_i32x4_extend_high_i16x8(x));
}
LF__WASM __m256i _mm256_cvtepu16_epi32(v128_t x) {
    return lf__wasm_join_si256(wasm_u32x4_extend_low_u16x8(x), wasm_u32x4_extend_high_u16x8(x));
}
LF__WASM __m256d _mm256_cvtepi32_pd(v128_t x) {
    return lf__wasm_join_pd(wasm_f64x2_convert_low_i32x4(x),
                            wasm_f64x2_convert_low_i32x4(wasm_i64x2_shuffle(x, x, 1, 1)));
}
LF__WASM __m256d _mm256_cvtps_pd(v128_t x) {
    return lf__wasm_join_pd(wasm_f64x2_promote_low_f32x4(x),
                            wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(x, x, 1, 1)));
}
LF__WASM v128_t _mm256_cvtpd_ps(__m256d x) {
    return wasm_i64x2_shuffle(wasm_f32x4_demote_f64x2_zero(lf__wasm_low_pd(x)),
                              wasm_f32x4_demote_f64x2_zero(lf__wasm_high_pd(x)), 0, 2);
}
LF__WASM v128_t _mm256_cvttpd_epi32(__m256d x) {
    return wasm_i64x2_shuffle(wasm_i32x4_trunc_sat_f64x2_zero(lf__wasm_low_pd(x)),
                              wasm_i32x4_trunc_sat_f64x2_zero(lf__wasm_high_pd(x)), 0, 2);
}
LF__WASM v128_t _mm256_cvtpd_epi32(__m256d x) {
    return wasm_i64x2_shuffle(wasm_i32x4_trunc_sat_f64x2_zero(wasm_f64x2_nearest(lf__wasm_low_pd(x))),
                              wasm_i32x4_trunc_sat_f64x2_zero(wasm_f64x2_nearest(lf__wasm_high_pd(x))), 0, 2);
}
LF__WASM float _mm256_cvtss_f32(__m256 x) {
    return x[0];
}

// ---------------------------------------------------------------------------------------------------
// Halves by themselves
// ---------------------------------------------------------------------------------------------------

#define _mm_add_epi32 wasm_i32x4_add
#define _mm_mullo_epi32 wasm_i32x4_mul
#define _mm_min_epi32 wasm_i32x4_min
#define _mm_max_epi32 wasm_i32x4_max
#define _mm_cmpeq_epi32 wasm_i32x4_eq
#define _mm_cmpeq_epi8 wasm_i8x16_eq
#define _mm_min_epu16 wasm_u16x8_min
#define _mm_max_epu16 wasm_u16x8_max
#define _mm_max_ps LF__WASM_MAX_PS
#define _mm_and_si128 wasm_v128_and
#define _mm_andnot_si128 LF__WASM_ANDNOT
#define _mm_castpd_ps(x) (x)
#define _mm_cvtepi16_epi32 wasm_i32x4_extend_low_i16x8
#define _mm_cvtss_f32(x) wasm_f32x4_extract_lane(x, 0)
#define _mm_cvtsi128_si32(x) wasm_i32x4_extract_lane(x, 0)
#define _mm_cvtsi32_si128(x) wasm_i32x4_make(x, 0, 0, 0)
#define _mm_cvtsi64_si128(x) wasm_i64x2_make(x, 0)
#define _mm_insert_epi16(x, value, k) wasm_i16x8_replace_lane(x, k, (int16_t)(value))
#define _mm_load_ss(p) wasm_v128_load32_zero(p)
#define _mm_loadl_epi64(p) wasm_v128_load64_zero(p)
#define _mm_loadu_ps(p) wasm_v128_load(p)
#define _mm_loadu_si128(p) wasm_v128_load(p)
#define _mm_store_ps(p, x) wasm_v128_store(p, x)
#define _mm_store_si128(p, x) wasm_v128_store(p, x)
#define _mm_storeu_ps(p, x) wasm_v128_store(p, x)
#define _mm_storeu_si128(p, x) wasm_v128_store(p, x)
#define _mm_storel_epi64(p, x) wasm_v128_store64_lane(p, x, 0)
#define _mm_set1_epi32 wasm_i32x4_splat
#define _mm_set1_epi8 wasm_i8x16_splat
#define _mm_setr_epi32 wasm_i32x4_make
#define _mm_setr_epi8 wasm_i8x16_make
#define _mm_setr_pd wasm_f64x2_make
#define _mm_setr_ps wasm_f32x4_make
#define _mm_setzero_si128() wasm_i32x4_splat(0)
#define _mm_slli_epi32 wasm_i32x4_shl
#define _mm_srai_epi32 wasm_i32x4_shr
#define _mm_srli_epi32 wasm_u32x4_shr
#define _mm_movehl_ps(a, b) wasm_i64x2_shuffle(b, a, 1, 3)
#define _mm_shuffle_ps(a, b, k) \
    wasm_i32x4_shuffle(a, b, (k)&3, (k) >> 2 & 3, 4 + ((k) >> 4 & 3), 4 + ((k) >> 6 & 3))
#define _mm_permute_ps(a, k) _mm_shuffle_ps(a, a, k)
#define _mm_unpacklo_epi16(a, b) wasm_i16x8_shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define _mm_unpackhi_epi16(a, b) wasm_i16x8_shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define _mm_unpacklo_epi64(a, b) wasm_i64x2_shuffle(a, b, 0, 2)

/// An index of 128 or more selects 0; the others are below 16 where this is used.
#define _mm_shuffle_epi8 wasm_i8x16_swizzle

LF__WASM v128_t _mm_max_ss(v128_t a, v128_t b) {
    return wasm_i32x4_shuffle(LF__WASM_MAX_PS(a, b), a, 0, 5, 6, 7);
}

/// Lane k >> 6 of b to lane k >> 4 & 3 of a; nothing is set to zero.
LF__WASM v128_t lf__wasm_insert(v128_t a, float x, int k) {
    v128_t all = wasm_f32x4_splat(x);
    return wasm_v128_bitselect(all, a, lf__wasm_lanes(1 << (k >> 4 & 3)));
}
#define _mm_insert_ps(a, b, k) lf__wasm_insert(a, wasm_f32x4_extract_lane(b, (k) >> 6 & 3), k)

#define _MM_TRANSPOSE4_PS(a, b, c, d)                                                                \
    do {                                                                                             \
        v128_t ab = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), cd = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5); \
        v128_t AB = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7), CD = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7); \
        a = wasm_i64x2_shuffle(ab, cd, 0, 2);                                                        \
        b = wasm_i64x2_shuffle(ab, cd, 1, 3);                                                        \
        c = wasm_i64x2_shuffle(AB, CD, 0, 2);                                                        \
        d = wasm_i64x2_shuffle(AB, CD, 1, 3);                                                        \
    } while (0)

#include "base/k_simd_wasm_more.h"

#endif
