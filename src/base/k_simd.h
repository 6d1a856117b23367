/// Vectors of eight floats, four doubles or eight integers for kernels (k_*.c), by the names of AVX2.
///
/// Kernels are written once, with AVX2's intrinsics. On x86 they are compiled for AVX2 whatever the compiler's flags say; where
/// WebAssembly has vectors of 128 bits (-msimd128), and on aarch64, k_simd_wasm.h makes each of two of these. LF__SIMD: there are such vectors.
#ifndef LF_BASE_K_SIMD_H
#define LF_BASE_K_SIMD_H

#include "base/arithmetic.h"

#if LF__X86
#include <immintrin.h>
#define LF__SIMD 1
#define LF__SIMD_TARGET __attribute__((target("avx2,fma")))
#elif defined(__wasm_simd128__) || \
    (defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#include "base/k_simd_wasm.h"
#define LF__SIMD 1
#define LF__SIMD_TARGET
#else
#define LF__SIMD 0
#endif

#endif
