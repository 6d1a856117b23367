/// Vectors of eight floats, four doubles or eight integers for kernels (k_*.c), by the names of AVX2.
///
/// Kernels are written once, with AVX2's intrinsics. On x86 they are compiled for AVX2 whatever the compiler's flags say; where
/// WebAssembly has vectors of 128 bits (-msimd128), and on aarch64, k_simd_wasm.h makes each of two of these.
/// LF__SIMD (arithmetic.h): there are such vectors. Only kernel files include this.
#ifndef LF_BASE_K_SIMD_H
#define LF_BASE_K_SIMD_H

#include "base/arithmetic.h"

#if LF__X86
#include <immintrin.h>
#elif LF__SIMD
#include "base/k_simd_wasm.h"
#endif

/// Are products fused with sums? Where they are not, the intrinsics for it round twice, which is enough for bounds with a margin
/// (LF__SIMD_FMA is the same for numbers); what must be fused is left to lf__fma.
#if defined(__wasm__)
#define LF__SIMD_FUSES 0
#define LF__SIMD_FMA(a, b, c) ((a) * (b) + (c))
#else
#define LF__SIMD_FUSES 1
#define LF__SIMD_FMA __builtin_fma
#endif

#if LF__SIMD
/// Floats at eight places.
LF__SIMD_TARGET static inline __m256 lf__simd_gather(const float *from, __m256i at) {
#if LF__X86
    return _mm256_i32gather_ps(from, at, 4);
#else
    int32_t k[8];
    _mm256_storeu_si256((__m256i *)(void *)k, at);
    return _mm256_setr_ps(from[k[0]], from[k[1]], from[k[2]], from[k[3]], from[k[4]], from[k[5]], from[k[6]],
                          from[k[7]]);
#endif
}
#endif

/// Keep a vector in a register of its own: no load that spans it and the next one.
#if LF__X86
#define LF__SIMD_KEEP(x) __asm__("" : "+x"(x))
#else
#define LF__SIMD_KEEP(x) (void)(x)
#endif

#endif
