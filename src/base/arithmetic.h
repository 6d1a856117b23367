/// Arithmetic that gives the same bits whatever a host's compiler flags are: every source file includes this before anything
/// that computes.
///
/// A product and a sum are rounded one by one: gcc contracts a * b + c into one operation by default (-std=gnu17) on machines
/// that have it, which changes answers. clang obeys the pragma unless it is called with -ffp-contract=fast. What no macro tells
/// is checked when an object is created (lf__def_read).
#ifndef LF_BASE_ARITHMETIC_H
#define LF_BASE_ARITHMETIC_H

#include <float.h>

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

_Static_assert(FLT_EVAL_METHOD == 0,
               "landfall needs sums and products that round at once: on x86 compile it with "
               "-msse2 -mfpmath=sse, on s390x with -fexcess-precision=fast");

#if defined(__aarch64__) && !defined(__clang__) && __GNUC__ == 12
#pragma GCC optimize("no-tree-loop-vectorize") // it crashes on loops of fmin and fmax
#endif

#endif
