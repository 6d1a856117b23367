/// The kernel of the total viewshed, for any machine, for AVX2 and for AVX-512.
#include "base/arithmetic.h"
#include "sight/total.h"
#include <math.h>
#include <string.h>
#if LF__X86
#include <immintrin.h>
#endif

#if defined(__GNUC__)

// ---------------------------------------------------------------------------------------------------
// Any machine: the compiler's vectors
// ---------------------------------------------------------------------------------------------------

typedef float total_vec_any __attribute__((vector_size(32)));
typedef int32_t total_mask_any __attribute__((vector_size(32)));

static inline bool total_negative(const total_vec_any *a) {
    int32_t words[sizeof *a / sizeof(int32_t)], all = -1;
    memcpy(words, a, sizeof words);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        all &= words[k];
    return all < 0;
}

static inline void total_load(const float *from, total_vec_any *to) {
    memcpy(to, from, sizeof *to);
}

/// a = a * b + c
static inline void total_fma(total_vec_any *a, const total_vec_any *b, const total_vec_any *c) {
    for (size_t k = 0; k < sizeof *a / sizeof(float); k++)
        (*a)[k] = lf__fmaf((*a)[k], (*b)[k], (*c)[k]);
}

#define TOTAL(name) total_##name##_any
#define TOTAL_TARGET
#define TOTAL_WIDE 8
#define TOTAL_KEEPS 0
#define T_SET(x) ((total_vec_any){0} + (x))
#define T_LOAD(p)               \
    (__extension__({            \
        total_vec_any loaded;   \
        total_load(p, &loaded); \
        loaded;                 \
    }))
#define T_STORE(p, a) memcpy(p, &(a), sizeof(a))
#define T_ADD(a, b) ((a) + (b))
#define T_SUB(a, b) ((a) - (b))
#define T_FMA(a, b, c)                                     \
    (__extension__({                                       \
        total_vec_any product = (a), by = (b), plus = (c); \
        total_fma(&product, &by, &plus);                   \
        product;                                           \
    }))
#define T_FMS(a, b, c) T_FMA(a, b, -(c))
#define T_BOUND(a, b, c) ((a) * (b) - (c)) // rounded twice: bounds are raised by more than that
#define T_NOT_LESS(a, b) ((a) >= (b))
#define T_IF(m, a, b) ((total_vec_any)(((m) & (total_mask_any)(a)) | (~(m) & (total_mask_any)(b))))
#define T_MAX(a, b) T_IF((a) > (b), a, b)
#define T_ADD_IF(m, a, b) ((a) + (total_vec_any)((m) & (total_mask_any)(b)))
#define T_AND(a, b) ((total_vec_any)((total_mask_any)(a) & (total_mask_any)(b)))
#define T_ARE_NEGATIVE(a) total_negative(&(a))
#include "sight/k_total_look.h"

#if LF__X86

// ---------------------------------------------------------------------------------------------------
// AVX2 and AVX-512. Their maximum is the second operand unless the first is greater, as above: also for NAN.
// ---------------------------------------------------------------------------------------------------

typedef __m256 total_vec_avx2, total_mask_avx2;

#define TOTAL(name) total_##name##_avx2
#define TOTAL_TARGET __attribute__((target("avx2,fma")))
#define TOTAL_WIDE 8
#define TOTAL_KEEPS 1
#define T_SET(x) _mm256_set1_ps(x)
#define T_LOAD(p) _mm256_loadu_ps(p)
#define T_STORE(p, a) _mm256_storeu_ps(p, a)
#define T_ADD(a, b) _mm256_add_ps(a, b)
#define T_SUB(a, b) _mm256_sub_ps(a, b)
#define T_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define T_FMS(a, b, c) _mm256_fmsub_ps(a, b, c)
#define T_BOUND(a, b, c) _mm256_fmsub_ps(a, b, c)
#define T_MAX(a, b) _mm256_max_ps(a, b)
#define T_NOT_LESS(a, b) _mm256_cmp_ps(a, b, _CMP_GE_OQ)
#define T_IF(m, a, b) _mm256_blendv_ps(b, a, m)
#define T_ADD_IF(m, a, b) _mm256_add_ps(a, _mm256_and_ps(m, b))
#define T_HOLD(a) __asm__("" : "+x"(a))
#define T_AND(a, b) _mm256_and_ps(a, b)
#define T_ARE_NEGATIVE(a) (_mm256_movemask_ps(a) == 0xff)
#include "sight/k_total_look.h"

typedef __m512 total_vec_avx512;
typedef __mmask16 total_mask_avx512;

#define TOTAL(name) total_##name##_avx512
#define TOTAL_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#define TOTAL_WIDE 16
#define TOTAL_KEEPS 1
#define T_SET(x) _mm512_set1_ps(x)
#define T_LOAD(p) _mm512_loadu_ps(p)
#define T_STORE(p, a) _mm512_storeu_ps(p, a)
#define T_ADD(a, b) _mm512_add_ps(a, b)
#define T_SUB(a, b) _mm512_sub_ps(a, b)
#define T_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define T_FMS(a, b, c) _mm512_fmsub_ps(a, b, c)
#define T_BOUND(a, b, c) _mm512_fmsub_ps(a, b, c)
#define T_MAX(a, b) _mm512_max_ps(a, b)
#define T_NOT_LESS(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ)
#define T_IF(m, a, b) _mm512_mask_mov_ps(b, m, a)
#define T_ADD_IF(m, a, b) _mm512_mask_add_ps(a, m, a, b)
#define T_HOLD(a) __asm__("" : "+v"(a))
#define T_AND(a, b) _mm512_and_ps(a, b)
#define T_ARE_NEGATIVE(a) (_mm512_movepi32_mask(_mm512_castps_si512(a)) == 0xffff)
#include "sight/k_total_look.h"

#endif

// ---------------------------------------------------------------------------------------------------
// Sums
// ---------------------------------------------------------------------------------------------------

static void total_add_any(const float *seen, double more, double *sums, int64_t count) {
    if (count == LF__TOTAL_LANES) // known to the compiler
        for (int k = 0; k < LF__TOTAL_LANES; k++)
            sums[k] += (double)seen[k] + more;
    else
        for (int64_t k = 0; k < count; k++)
            sums[k] += (double)seen[k] + more;
}

#if LF__X86

__attribute__((target("avx2,fma"))) static void total_add_avx2(const float *seen, double more, double *sums,
                                                               int64_t count) {
    __m256d plus = _mm256_set1_pd(more);
    int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        __m256d each = _mm256_add_pd(_mm256_cvtps_pd(_mm_loadu_ps(seen + k)), plus);
        _mm256_storeu_pd(sums + k, _mm256_add_pd(_mm256_loadu_pd(sums + k), each));
    }
    for (; k < count; k++)
        sums[k] += (double)seen[k] + more;
}

__attribute__((target("avx512f,avx2,fma"))) static void total_add_avx512(const float *seen, double more,
                                                                         double *sums, int64_t count) {
    __m512d plus = _mm512_set1_pd(more);
    int64_t k = 0;
    for (; k + 8 <= count; k += 8) {
        __m512d each = _mm512_add_pd(_mm512_cvtps_pd(_mm256_loadu_ps(seen + k)), plus);
        _mm512_storeu_pd(sums + k, _mm512_add_pd(_mm512_loadu_pd(sums + k), each));
    }
    for (; k < count; k++)
        sums[k] += (double)seen[k] + more;
}

#endif

lf__total_adder *lf__total_adder_for(lf_isa isa) {
#if LF__X86
    if (isa >= LF_ISA_AVX2)
        return isa >= LF_ISA_AVX512 ? total_add_avx512 : total_add_avx2;
#endif
    (void)isa;
    return total_add_any;
}

lf__total_kernel *lf__total_kernel_for(lf_isa isa, int rows, bool full) {
    static lf__total_kernel *const kernels[][2][2] = {
        {{total_look_row_any, total_look_row_full_any}, {total_look_rows_any, total_look_rows_full_any}},
#if LF__X86
        {{total_look_row_avx2, total_look_row_full_avx2}, {total_look_rows_avx2, total_look_rows_full_avx2}},
        {{total_look_row_avx512, total_look_row_full_avx512},
         {total_look_rows_avx512, total_look_rows_full_avx512}},
#endif
    };
    int which = 0;
#if LF__X86
    which = isa >= LF_ISA_AVX512 ? 2 : isa >= LF_ISA_AVX2 ? 1 : 0;
#endif
    (void)isa;
    return kernels[which][rows > 1][full];
}

#endif
