/// More of AVX2's intrinsics by pairs of WebAssembly's vectors, and of SSE's by single ones: those that the kernels of trees,
/// meshes, models, scenes and tiles use. A part of k_simd_wasm.h, which includes it.
#ifndef LF_BASE_K_SIMD_WASM_MORE_H
#define LF_BASE_K_SIMD_WASM_MORE_H

// ---------------------------------------------------------------------------------------------------
// Pairs
// ---------------------------------------------------------------------------------------------------

LF__WASM_ONE(__m256, ps, _mm256_sqrt_ps, __m256, ps, wasm_f32x4_sqrt)
LF__WASM_TWO(_mm256_add_epi8, __m256i, si256, wasm_i8x16_add)
LF__WASM_TWO(_mm256_sub_epi16, __m256i, si256, wasm_i16x8_sub)
LF__WASM_TWO(_mm256_madd_epi16, __m256i, si256, wasm_i32x4_dot_i16x8)

/// a, its opposite or 0, as b is positive, negative or 0.
LF__WASM v128_t lf__wasm_sign_16(v128_t a, v128_t b) {
    v128_t minus = wasm_i16x8_shr(b, 15);
    return wasm_v128_andnot(wasm_i16x8_sub(wasm_v128_xor(a, minus), minus),
                            wasm_i16x8_eq(b, wasm_i32x4_splat(0)));
}
LF__WASM_TWO(_mm256_sign_epi16, __m256i, si256, lf__wasm_sign_16)

/// An index of 128 or more selects 0, of the others the last four bits count.
LF__WASM v128_t lf__wasm_shuffle_8(v128_t x, v128_t index) {
    return wasm_i8x16_swizzle(x, wasm_v128_and(index, wasm_i32x4_splat((int32_t)0x8f8f8f8fu)));
}
LF__WASM_TWO(_mm256_shuffle_epi8, __m256i, si256, lf__wasm_shuffle_8)

#define LF__WASM_UNPACKLO(a, b) wasm_i32x4_shuffle(a, b, 0, 4, 1, 5)
#define LF__WASM_UNPACKHI(a, b) wasm_i32x4_shuffle(a, b, 2, 6, 3, 7)
LF__WASM_TWO(_mm256_unpacklo_epi32, __m256i, si256, LF__WASM_UNPACKLO)
LF__WASM_TWO(_mm256_unpackhi_epi32, __m256i, si256, LF__WASM_UNPACKHI)

LF__WASM __m256i _mm256_srli_epi32(__m256i x, int by) {
    return lf__wasm_join_si256(wasm_u32x4_shr(lf__wasm_low_si256(x), by),
                               wasm_u32x4_shr(lf__wasm_high_si256(x), by));
}

/// By 4 or 8 bytes.
LF__WASM v128_t lf__wasm_left(v128_t x, int bytes) {
    v128_t zero = wasm_i32x4_splat(0);
    return bytes == 4 ? wasm_i32x4_shuffle(zero, x, 0, 4, 5, 6) : wasm_i32x4_shuffle(zero, x, 0, 1, 4, 5);
}
LF__WASM __m256i _mm256_slli_si256(__m256i x, int bytes) {
    return lf__wasm_join_si256(lf__wasm_left(lf__wasm_low_si256(x), bytes),
                               lf__wasm_left(lf__wasm_high_si256(x), bytes));
}

LF__WASM __m256i _mm256_blend_epi32(__m256i a, __m256i b, int bits) {
    return _mm256_castps_si256(_mm256_blend_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), bits));
}
LF__WASM __m256d _mm256_blend_pd(__m256d a, __m256d b, int bits) {
    v128_t low = wasm_i64x2_make(-(bits & 1), -(bits >> 1 & 1)),
           high = wasm_i64x2_make(-(bits >> 2 & 1), -(bits >> 3 & 1));
    return lf__wasm_join_pd(wasm_v128_bitselect(lf__wasm_low_pd(b), lf__wasm_low_pd(a), low),
                            wasm_v128_bitselect(lf__wasm_high_pd(b), lf__wasm_high_pd(a), high));
}
LF__WASM __m256i _mm256_permute2x128_si256(__m256i a, __m256i b, int which) {
    v128_t a0 = lf__wasm_low_si256(a), a1 = lf__wasm_high_si256(a), b0 = lf__wasm_low_si256(b),
           b1 = lf__wasm_high_si256(b);
    return lf__wasm_join_si256(lf__wasm_pick(a0, a1, b0, b1, which),
                               lf__wasm_pick(a0, a1, b0, b1, which >> 4));
}
#define _mm256_permute4x64_pd(x, k) \
    __builtin_shufflevector(x, x, (k)&3, (k) >> 2 & 3, (k) >> 4 & 3, (k) >> 6 & 3)

#define _mm256_castpd256_pd128 lf__wasm_low_pd
#define _mm256_extractf128_pd(x, k) ((k) ? lf__wasm_high_pd(x) : lf__wasm_low_pd(x))
#define _mm256_castpd128_pd256(x) lf__wasm_join_pd(x, x)
#define _mm256_castsi128_si256(x) lf__wasm_join_si256(x, x)
#define _mm256_broadcastsi128_si256(x) lf__wasm_join_si256(x, x)
#define _mm256_insertf128_pd(a, x, k) \
    ((k) ? lf__wasm_join_pd(lf__wasm_low_pd(a), x) : lf__wasm_join_pd(x, lf__wasm_high_pd(a)))
#define _mm256_inserti128_si256(a, x, k) \
    ((k) ? lf__wasm_join_si256(lf__wasm_low_si256(a), x) : lf__wasm_join_si256(x, lf__wasm_high_si256(a)))
#define _mm256_broadcast_ss(p) _mm256_set1_ps(*(p))
#define _mm256_broadcastss_ps(x) _mm256_set1_ps(wasm_f32x4_extract_lane(x, 0))
#define _mm256_broadcastd_epi32(x) _mm256_set1_epi32(wasm_i32x4_extract_lane(x, 0))
#define _mm256_load_pd lf__wasm_load_pd

LF__WASM __m256i _mm256_cvtepu32_epi64(v128_t x) {
    return lf__wasm_join_si256(wasm_u64x2_extend_low_u32x4(x), wasm_u64x2_extend_high_u32x4(x));
}
LF__WASM __m256i _mm256_cvtepu8_epi32(v128_t x) {
    v128_t eight = wasm_u16x8_extend_low_u8x16(x);
    return lf__wasm_join_si256(wasm_u32x4_extend_low_u16x8(eight), wasm_u32x4_extend_high_u16x8(eight));
}
LF__WASM __m256i _mm256_setr_epi64x(int64_t a, int64_t b, int64_t c, int64_t d) {
    return lf__wasm_join_si256(wasm_i64x2_make(a, b), wasm_i64x2_make(c, d));
}

#define _mm256_setr_epi8(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...)            \
    lf__wasm_join_si256(wasm_i8x16_make(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p), \
                        wasm_i8x16_make(__VA_ARGS__))

/// Lanes whose mask is not negative are 0 and not read.
LF__WASM __m256d _mm256_maskload_pd(const double *p, __m256i mask) {
    return _mm256_setr_pd(mask[0] < 0 ? p[0] : 0, mask[1] < 0 ? p[1] : 0, mask[2] < 0 ? p[2] : 0,
                          mask[3] < 0 ? p[3] : 0);
}

// ---------------------------------------------------------------------------------------------------
// Halves by themselves
// ---------------------------------------------------------------------------------------------------

#define _mm_add_ps wasm_f32x4_add
#define _mm_sub_ps wasm_f32x4_sub
#define _mm_mul_ps wasm_f32x4_mul
#define _mm_min_ps LF__WASM_MIN_PS
#define _mm_and_ps wasm_v128_and
#define _mm_set1_ps wasm_f32x4_splat
#define _mm_castsi128_ps(x) (x)
#define _mm_cvttps_epi32 wasm_i32x4_trunc_sat_f32x4
#define _mm_movehdup_ps(x) wasm_i32x4_shuffle(x, x, 1, 1, 3, 3)
#define _mm_movemask_ps(x) (int)wasm_i32x4_bitmask(x)

#define _mm_add_pd wasm_f64x2_add
#define _mm_sub_pd wasm_f64x2_sub
#define _mm_mul_pd wasm_f64x2_mul
#define _mm_fmadd_pd LF__WASM_FMA_PD
#define _mm_fnmadd_pd LF__WASM_FNMA_PD
#define _mm_fmsub_pd(a, b, c) LF__WASM_FMA_PD(a, b, wasm_v128_xor(c, wasm_f64x2_splat(-0.0)))
#define _mm_floor_pd wasm_f64x2_floor
#define _mm_xor_pd wasm_v128_xor
#define _mm_andnot_pd LF__WASM_ANDNOT
#define _mm_set1_pd wasm_f64x2_splat
#define _mm_set_sd(x) wasm_f64x2_make(x, 0)
#define _mm_setzero_pd() wasm_f64x2_splat(0)
#define _mm_loadu_pd(p) wasm_v128_load(p)
#define _mm_load_pd(p) wasm_v128_load(p)
#define _mm_load_sd(p) wasm_v128_load64_zero(p)
#define _mm_loadh_pd(a, p) wasm_f64x2_replace_lane(a, 1, *(p))
#define _mm_storeu_pd(p, x) wasm_v128_store(p, x)
#define _mm_castpd_si128(x) (x)
#define _mm_cvtps_pd wasm_f64x2_promote_low_f32x4
#define _mm_cvtsd_f64(x) wasm_f64x2_extract_lane(x, 0)
#define _mm_cvtsi128_si64(x) wasm_i64x2_extract_lane(x, 0)
#define _mm_cvtsi32_sd(a, x) wasm_f64x2_replace_lane(a, 0, (double)(x))
#define _mm_movemask_pd(x) (int)wasm_i64x2_bitmask(x)
#define _mm_unpacklo_pd(a, b) wasm_i64x2_shuffle(a, b, 0, 2)
#define _mm_unpackhi_pd(a, b) wasm_i64x2_shuffle(a, b, 1, 3)
#define _mm_slli_si128 lf__wasm_left
#define _mm_broadcast_ss(p) wasm_f32x4_splat(*(p))

/// The first lane of x, the second of a.
LF__WASM v128_t lf__wasm_first(v128_t x, v128_t a) {
    return wasm_i64x2_shuffle(x, a, 0, 3);
}
LF__WASM v128_t _mm_add_sd(v128_t a, v128_t b) {
    return lf__wasm_first(wasm_f64x2_add(a, b), a);
}
LF__WASM v128_t _mm_max_sd(v128_t a, v128_t b) {
    return lf__wasm_first(LF__WASM_MAX_PD(a, b), a);
}
LF__WASM v128_t _mm_min_sd(v128_t a, v128_t b) {
    return lf__wasm_first(LF__WASM_MIN_PD(a, b), a);
}
LF__WASM v128_t _mm_fmadd_sd(v128_t a, v128_t b, v128_t c) {
    return lf__wasm_first(LF__WASM_FMA_PD(a, b, c), a);
}
LF__WASM v128_t _mm_min_ss(v128_t a, v128_t b) {
    return wasm_i32x4_shuffle(LF__WASM_MIN_PS(a, b), a, 0, 5, 6, 7);
}

#endif
