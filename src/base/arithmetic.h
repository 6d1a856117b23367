/// Arithmetic that gives the same bits whatever a host's compiler flags are: every source file includes this before anything
/// that computes.
///
/// A product and a sum are rounded one by one: gcc contracts a * b + c into one operation by default (-std=gnu17) on machines
/// that have it, which changes answers. clang obeys the pragma unless it is called with -ffp-contract=fast. What no macro tells
/// is checked when an object is created (lf__def_read).
#ifndef LF_BASE_ARITHMETIC_H
#define LF_BASE_ARITHMETIC_H

#if defined(_WIN32) && !defined(__USE_MINGW_ANSI_STDIO)
#define __USE_MINGW_ANSI_STDIO 1 // printf as in C99
#endif
#include <float.h>
#include <math.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    defined(__NO_SIGNED_ZEROS__)
#error \
    "landfall needs IEEE 754 arithmetic: compile it without -ffast-math, -Ofast and -funsafe-math-optimizations"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "landfall needs NaN and infinity: compile it without -ffinite-math-only"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

// 16: as 0, on machines with half floats.
_Static_assert(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
               "landfall needs sums and products that round at once: on x86 compile it with "
               "-msse2 -mfpmath=sse, on s390x with -fexcess-precision=fast");

/// a * b + c, rounded once. The C library of Windows rounds twice.
#if defined(_WIN32)
double lf__fma(double a, double b, double c);
float lf__fmaf(float a, float b, float c);
#else
#define lf__fma fma
#define lf__fmaf fmaf
#endif

/// Kernels for x86: on Windows gcc does not align the stack as they need, unless the assembler is told to ignore that
/// (-Wa,-muse-unaligned-vector-move, with LF__UNALIGNED_MOVES; see cmake/options.cmake).
#if defined(__x86_64__) && (!defined(_WIN32) || defined(__clang__) || defined(LF__UNALIGNED_MOVES))
#define LF__X86 1
#else
#define LF__X86 0
#endif

/// Are there vectors for the kernels written with k_simd.h, and the attribute of functions that use them? Only kernel files
/// include that header: compilers take longer for the intrinsics of x86 than for most of our files.
#if LF__X86
#define LF__SIMD 1
#define LF__SIMD_TARGET __attribute__((target("avx2,fma")))
#define LF__SIMD_TARGET_BITS \
    __attribute__((target("avx2,fma,bmi,bmi2"))) // all processors with AVX2 have these
#elif defined(__wasm_simd128__) || \
    (defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define LF__SIMD 1
#define LF__SIMD_TARGET
#define LF__SIMD_TARGET_BITS
#else
#define LF__SIMD 0
#endif

/// Does an instruction set (lf_isa) have the kernels with these vectors? A module of WebAssembly has them or is not loaded at all:
/// there the answer is always yes, and the scalar kernels, 4 % of the module, are left out, unless LF__SCALAR_TOO is defined
/// (by tests that compare the two).
#if defined(__wasm_simd128__) && !defined(LF__SCALAR_TOO)
#define LF__SIMD_BY(isa) ((void)(isa), 1)
#else
#define LF__SIMD_BY(isa) ((isa) >= LF_ISA_AVX2)
#endif

/// Modules of WebAssembly are loaded with their page: there, paths that only help some inputs are left out.
#if defined(__wasm__)
#define LF__SMALL_CODE 1
#else
#define LF__SMALL_CODE 0
#endif

#if defined(__aarch64__) && !defined(__clang__) && __GNUC__ == 12
#pragma GCC optimize("no-tree-loop-vectorize") // it crashes on loops of fmin and fmax
#endif

#endif
