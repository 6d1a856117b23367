/// WebAssembly's vectors of 128 bits by NEON (aarch64): those that k_simd_wasm.h uses. They do what WebAssembly documents; products
/// with sums are fused besides, as AVX2's are.
#ifndef LF_BASE_K_SIMD_NEON_H
#define LF_BASE_K_SIMD_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

typedef int32x4_t v128_t;

#define LF__NEON static inline __attribute__((always_inline))

// Lanes alike: NAME(a) and NAME(a, b), by an intrinsic of lanes of one type.
#define LF__NEON_ONE(name, lanes, f) \
    LF__NEON v128_t name(v128_t a) { \
        return (v128_t)f((lanes)a);  \
    }
#define LF__NEON_TWO(name, lanes, f)           \
    LF__NEON v128_t name(v128_t a, v128_t b) { \
        return (v128_t)f((lanes)a, (lanes)b);  \
    }
#define LF__NEON_FUSED(name, lanes, f)                   \
    LF__NEON v128_t name(v128_t a, v128_t b, v128_t c) { \
        return (v128_t)f((lanes)c, (lanes)a, (lanes)b);  \
    }

LF__NEON_TWO(wasm_f32x4_add, float32x4_t, vaddq_f32)
LF__NEON_TWO(wasm_f32x4_sub, float32x4_t, vsubq_f32)
LF__NEON_TWO(wasm_f32x4_mul, float32x4_t, vmulq_f32)
LF__NEON_TWO(wasm_f32x4_div, float32x4_t, vdivq_f32)
LF__NEON_TWO(wasm_f32x4_eq, float32x4_t, vceqq_f32)
LF__NEON_TWO(wasm_f32x4_lt, float32x4_t, vcltq_f32)
LF__NEON_TWO(wasm_f32x4_le, float32x4_t, vcleq_f32)
LF__NEON_TWO(wasm_f32x4_gt, float32x4_t, vcgtq_f32)
LF__NEON_TWO(wasm_f32x4_ge, float32x4_t, vcgeq_f32)
LF__NEON_ONE(wasm_f32x4_floor, float32x4_t, vrndmq_f32)
LF__NEON_ONE(wasm_f32x4_nearest, float32x4_t, vrndnq_f32)
LF__NEON_ONE(wasm_f32x4_sqrt, float32x4_t, vsqrtq_f32)
LF__NEON_FUSED(lf__neon_fma_ps, float32x4_t, vfmaq_f32)
LF__NEON_FUSED(lf__neon_fnma_ps, float32x4_t, vfmsq_f32)

LF__NEON_TWO(wasm_f64x2_add, float64x2_t, vaddq_f64)
LF__NEON_TWO(wasm_f64x2_sub, float64x2_t, vsubq_f64)
LF__NEON_TWO(wasm_f64x2_mul, float64x2_t, vmulq_f64)
LF__NEON_TWO(wasm_f64x2_div, float64x2_t, vdivq_f64)
LF__NEON_TWO(wasm_f64x2_eq, float64x2_t, vceqq_f64)
LF__NEON_TWO(wasm_f64x2_lt, float64x2_t, vcltq_f64)
LF__NEON_TWO(wasm_f64x2_le, float64x2_t, vcleq_f64)
LF__NEON_TWO(wasm_f64x2_gt, float64x2_t, vcgtq_f64)
LF__NEON_TWO(wasm_f64x2_ge, float64x2_t, vcgeq_f64)
LF__NEON_ONE(wasm_f64x2_floor, float64x2_t, vrndmq_f64)
LF__NEON_ONE(wasm_f64x2_sqrt, float64x2_t, vsqrtq_f64)
LF__NEON_ONE(wasm_f64x2_nearest, float64x2_t, vrndnq_f64)
LF__NEON_FUSED(lf__neon_fma_pd, float64x2_t, vfmaq_f64)
LF__NEON_FUSED(lf__neon_fnma_pd, float64x2_t, vfmsq_f64)

LF__NEON_TWO(wasm_i32x4_add, int32x4_t, vaddq_s32)
LF__NEON_TWO(wasm_i32x4_sub, int32x4_t, vsubq_s32)
LF__NEON_TWO(wasm_i32x4_mul, int32x4_t, vmulq_s32)
LF__NEON_TWO(wasm_i32x4_min, int32x4_t, vminq_s32)
LF__NEON_TWO(wasm_i32x4_max, int32x4_t, vmaxq_s32)
LF__NEON_TWO(wasm_i32x4_eq, int32x4_t, vceqq_s32)
LF__NEON_TWO(wasm_i32x4_gt, int32x4_t, vcgtq_s32)
LF__NEON_TWO(wasm_i64x2_add, int64x2_t, vaddq_s64)
LF__NEON_TWO(wasm_i8x16_eq, int8x16_t, vceqq_s8)
LF__NEON_TWO(wasm_i8x16_add, int8x16_t, vaddq_s8)
LF__NEON_TWO(wasm_i8x16_sub, int8x16_t, vsubq_s8)
LF__NEON_TWO(wasm_i16x8_sub, int16x8_t, vsubq_s16)
LF__NEON_TWO(wasm_i16x8_eq, int16x8_t, vceqq_s16)
LF__NEON_TWO(wasm_u16x8_min, uint16x8_t, vminq_u16)
LF__NEON_TWO(wasm_u16x8_max, uint16x8_t, vmaxq_u16)
LF__NEON_TWO(wasm_i8x16_swizzle, uint8x16_t, vqtbl1q_u8)

LF__NEON_TWO(wasm_v128_and, int32x4_t, vandq_s32)
LF__NEON_TWO(wasm_v128_or, int32x4_t, vorrq_s32)
LF__NEON_TWO(wasm_v128_xor, int32x4_t, veorq_s32)
LF__NEON_TWO(wasm_v128_andnot, int32x4_t, vbicq_s32)
LF__NEON_ONE(wasm_v128_not, int32x4_t, vmvnq_s32)

LF__NEON v128_t wasm_v128_bitselect(v128_t a, v128_t b, v128_t mask) {
    return vbslq_s32((uint32x4_t)mask, a, b);
}

/// The first where one is NAN or both are zeros.
LF__NEON v128_t wasm_f32x4_pmin(v128_t a, v128_t b) {
    return wasm_v128_bitselect(b, a, wasm_f32x4_lt(b, a));
}
LF__NEON v128_t wasm_f32x4_pmax(v128_t a, v128_t b) {
    return wasm_v128_bitselect(b, a, wasm_f32x4_lt(a, b));
}
LF__NEON v128_t wasm_f64x2_pmin(v128_t a, v128_t b) {
    return wasm_v128_bitselect(b, a, wasm_f64x2_lt(b, a));
}
LF__NEON v128_t wasm_f64x2_pmax(v128_t a, v128_t b) {
    return wasm_v128_bitselect(b, a, wasm_f64x2_lt(a, b));
}

// ---------------------------------------------------------------------------------------------------
// Conversions: what is out of range becomes the nearest integer, NAN becomes 0
// ---------------------------------------------------------------------------------------------------

LF__NEON_ONE(wasm_f32x4_convert_i32x4, int32x4_t, vcvtq_f32_s32)
LF__NEON_ONE(wasm_i32x4_trunc_sat_f32x4, float32x4_t, vcvtq_s32_f32)

LF__NEON v128_t wasm_i32x4_trunc_sat_f64x2_zero(v128_t a) {
    return vcombine_s32(vqmovn_s64(vcvtq_s64_f64((float64x2_t)a)), vdup_n_s32(0));
}
LF__NEON v128_t wasm_f64x2_convert_low_i32x4(v128_t a) {
    return (v128_t)vcvtq_f64_s64(vmovl_s32(vget_low_s32(a)));
}
LF__NEON v128_t wasm_f64x2_promote_low_f32x4(v128_t a) {
    return (v128_t)vcvt_f64_f32(vget_low_f32((float32x4_t)a));
}
LF__NEON v128_t wasm_f32x4_demote_f64x2_zero(v128_t a) {
    return (v128_t)vcombine_f32(vcvt_f32_f64((float64x2_t)a), vdup_n_f32(0));
}
LF__NEON v128_t wasm_i64x2_extend_low_i32x4(v128_t a) {
    return (v128_t)vmovl_s32(vget_low_s32(a));
}
LF__NEON v128_t wasm_i64x2_extend_high_i32x4(v128_t a) {
    return (v128_t)vmovl_high_s32(a);
}
LF__NEON v128_t wasm_i32x4_extend_low_i16x8(v128_t a) {
    return vmovl_s16(vget_low_s16((int16x8_t)a));
}
LF__NEON v128_t wasm_i32x4_extend_high_i16x8(v128_t a) {
    return vmovl_high_s16((int16x8_t)a);
}
LF__NEON v128_t wasm_u32x4_extend_low_u16x8(v128_t a) {
    return (v128_t)vmovl_u16(vget_low_u16((uint16x8_t)a));
}
LF__NEON v128_t wasm_u32x4_extend_high_u16x8(v128_t a) {
    return (v128_t)vmovl_high_u16((uint16x8_t)a);
}
LF__NEON v128_t wasm_u64x2_extend_low_u32x4(v128_t a) {
    return (v128_t)vmovl_u32(vget_low_u32((uint32x4_t)a));
}
LF__NEON v128_t wasm_u64x2_extend_high_u32x4(v128_t a) {
    return (v128_t)vmovl_high_u32((uint32x4_t)a);
}
LF__NEON v128_t wasm_u16x8_extend_low_u8x16(v128_t a) {
    return (v128_t)vmovl_u8(vget_low_u8((uint8x16_t)a));
}

/// Sums of the products of neighbours.
LF__NEON v128_t wasm_i32x4_dot_i16x8(v128_t a, v128_t b) {
    return vpaddq_s32(vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b)),
                      vmull_high_s16((int16x8_t)a, (int16x8_t)b));
}
LF__NEON v128_t wasm_i64x2_extmul_low_i32x4(v128_t a, v128_t b) {
    return (v128_t)vmull_s32(vget_low_s32(a), vget_low_s32(b));
}

// ---------------------------------------------------------------------------------------------------
// Shifts by the same number of bits, and the signs of lanes
// ---------------------------------------------------------------------------------------------------

LF__NEON v128_t wasm_i32x4_shl(v128_t a, int by) {
    return vshlq_s32(a, vdupq_n_s32(by & 31));
}
LF__NEON v128_t wasm_i32x4_shr(v128_t a, int by) {
    return vshlq_s32(a, vdupq_n_s32(-(by & 31)));
}
LF__NEON v128_t wasm_u32x4_shr(v128_t a, int by) {
    return (v128_t)vshlq_u32((uint32x4_t)a, vdupq_n_s32(-(by & 31)));
}
LF__NEON v128_t wasm_i16x8_shr(v128_t a, int by) {
    return (v128_t)vshlq_s16((int16x8_t)a, vdupq_n_s16((int16_t) - (by & 15)));
}
LF__NEON v128_t wasm_i64x2_shr(v128_t a, int by) {
    return (v128_t)vshlq_s64((int64x2_t)a, vdupq_n_s64(-(by & 63)));
}
LF__NEON v128_t wasm_i8x16_shr(v128_t a, int by) {
    return (v128_t)vshlq_s8((int8x16_t)a, vdupq_n_s8((int8_t) - (by & 7)));
}
LF__NEON uint32_t wasm_i32x4_bitmask(v128_t a) {
    static const int32_t places[4] = {0, 1, 2, 3};
    return vaddvq_u32(vshlq_u32(vshrq_n_u32((uint32x4_t)a, 31), vld1q_s32(places)));
}
LF__NEON uint32_t wasm_i64x2_bitmask(v128_t a) {
    uint64x2_t signs = vshrq_n_u64((uint64x2_t)a, 63);
    return (uint32_t)(vgetq_lane_u64(signs, 0) | vgetq_lane_u64(signs, 1) << 1);
}

// ---------------------------------------------------------------------------------------------------
// Constants, lanes, shuffles, memory
// ---------------------------------------------------------------------------------------------------

#define wasm_f32x4_splat(x) ((v128_t)vdupq_n_f32(x))
#define wasm_f64x2_splat(x) ((v128_t)vdupq_n_f64(x))
#define wasm_i8x16_splat(x) ((v128_t)vdupq_n_s8(x))
#define wasm_i32x4_splat(x) vdupq_n_s32(x)
#define wasm_i64x2_splat(x) ((v128_t)vdupq_n_s64(x))
#define wasm_f32x4_make(a, b, c, d) ((v128_t)(float32x4_t){a, b, c, d})
#define wasm_f64x2_make(a, b) ((v128_t)(float64x2_t){a, b})
#define wasm_i8x16_make(...) ((v128_t)(int8x16_t){__VA_ARGS__})
#define wasm_i32x4_make(a, b, c, d) ((v128_t){a, b, c, d})
#define wasm_i64x2_make(a, b) ((v128_t)(int64x2_t){a, b})
#define wasm_f32x4_extract_lane(x, k) vgetq_lane_f32((float32x4_t)(x), k)
#define wasm_f64x2_extract_lane(x, k) vgetq_lane_f64((float64x2_t)(x), k)
#define wasm_f64x2_replace_lane(x, k, value) ((v128_t)vsetq_lane_f64(value, (float64x2_t)(x), k))
#define wasm_i64x2_extract_lane(x, k) vgetq_lane_s64((int64x2_t)(x), k)
#define wasm_i32x4_extract_lane(x, k) vgetq_lane_s32(x, k)
#define wasm_i16x8_replace_lane(x, k, value) ((v128_t)vsetq_lane_s16(value, (int16x8_t)(x), k))

#define wasm_i16x8_shuffle(a, b, ...) \
    ((v128_t)__builtin_shufflevector((int16x8_t)(a), (int16x8_t)(b), __VA_ARGS__))
#define wasm_i32x4_shuffle(a, b, ...) ((v128_t)__builtin_shufflevector(a, b, __VA_ARGS__))
#define wasm_i64x2_shuffle(a, b, ...) \
    ((v128_t)__builtin_shufflevector((int64x2_t)(a), (int64x2_t)(b), __VA_ARGS__))

LF__NEON v128_t wasm_v128_load(const void *p) {
    v128_t x;
    memcpy(&x, p, sizeof x);
    return x;
}
LF__NEON v128_t wasm_v128_load32_zero(const void *p) {
    int32_t x;
    memcpy(&x, p, sizeof x);
    return wasm_i32x4_make(x, 0, 0, 0);
}
LF__NEON v128_t wasm_v128_load64_zero(const void *p) {
    int64_t x;
    memcpy(&x, p, sizeof x);
    return wasm_i64x2_make(x, 0);
}
LF__NEON void wasm_v128_store(void *p, v128_t x) {
    memcpy(p, &x, sizeof x);
}
LF__NEON void lf__neon_store_low(void *p, v128_t x) {
    memcpy(p, &x, 8);
}
#define wasm_v128_store64_lane(p, x, k) lf__neon_store_low(p, x) // k is 0 wherever this is used

#endif
