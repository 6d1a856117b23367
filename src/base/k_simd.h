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

#endif
