/// Contact times of pairs of boxes: scalar, and with AVX2, where x, y and z are computed at once. The same
/// operations in the same order, and so the same results.
#include "contact/contact.h"

static bool one_scalar(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                       lf_contact_result *meeting) {
    if (!lf__contact_pair_usable(a, b))
        return false;
    lf__contact_pair(a, b, ahead, meeting);
    return true;
}

static int64_t many_scalar(const lf_contact_batch *batch, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i++)
        if (!one_scalar(lf__moving_at(batch->a, batch->a_stride, i),
                        lf__moving_at(batch->b, batch->b_stride, i), batch->ahead, &batch->meetings[i]))
            return i;
    return last;
}

static const lf__contact_kernels contact_kernels_scalar = {one_scalar, many_scalar};

#if LF__SIMD
#include "base/k_simd.h"

#define K_CONTACT_AVX2 LF__SIMD_TARGET
#define XYZ 7 ///< the lanes that count; the fourth holds whatever follows in memory

/// A box as vectors.
typedef struct lanes {
    __m256d low, high, velocity, spin;
} lanes;

K_CONTACT_AVX2 static inline lanes lanes_of(const lf_moving_box *box) {
    lanes l = {_mm256_loadu_pd(&box->box.low.x), _mm256_loadu_pd(&box->box.high.x),
               _mm256_loadu_pd(&box->velocity.x), _mm256_loadu_pd(&box->spin.x)};
    return l;
}

K_CONTACT_AVX2 static inline __m256d k_contact_size_of(__m256d a) {
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a);
}

/// Valid, not too large, and not rotating: what the fast path requires. All lanes, of which x, y and z count.
K_CONTACT_AVX2 static inline __m256d usable_lanes(const lanes *box) {
    __m256d all = _mm256_add_pd(_mm256_add_pd(k_contact_size_of(box->low), k_contact_size_of(box->high)),
                                k_contact_size_of(box->velocity));
    __m256d fine = _mm256_cmp_pd(all, _mm256_set1_pd(LF__CONTACT_LIMIT), _CMP_LE_OQ);
    fine = _mm256_and_pd(fine, _mm256_cmp_pd(box->low, box->high, _CMP_LE_OQ));
    return _mm256_and_pd(fine, _mm256_cmp_pd(box->spin, _mm256_setzero_pd(), _CMP_EQ_OQ));
}

static inline double k_contact_most(double a, double b) {
    return a > b ? a : b;
}

static inline double k_contact_least(double a, double b) {
    return a < b ? a : b;
}

/// As guess_stretch in contact_boxes.c: the interval of time in which both overlap along all axes. False: use
/// the scalar path.
K_CONTACT_AVX2 static inline bool stretch_of(const lanes *a, const lanes *b, double ahead, double *from,
                                             double *to) {
    __m256d speed = _mm256_sub_pd(a->velocity, b->velocity);
    __m256d fine = _mm256_and_pd(usable_lanes(a), usable_lanes(b));
    fine = _mm256_and_pd(fine, _mm256_cmp_pd(speed, _mm256_setzero_pd(), _CMP_NEQ_OQ));
    if ((_mm256_movemask_pd(fine) & XYZ) != XYZ)
        return false;
    __m256d front = _mm256_div_pd(_mm256_sub_pd(b->low, a->high), speed);
    __m256d back = _mm256_div_pd(_mm256_sub_pd(b->high, a->low), speed);
    double begin[4], end[4];
    _mm256_storeu_pd(begin, _mm256_min_pd(front, back));
    _mm256_storeu_pd(end, _mm256_max_pd(front, back));
    *from = k_contact_most(k_contact_most(0, begin[0]), k_contact_most(begin[1], begin[2]));
    *to = k_contact_least(k_contact_least(ahead, end[0]), k_contact_least(end[1], end[2]));
    return *from < LF_INFINITY;
}

/// Pairs that rotate, are invalid, or are not decided by doubles take the scalar path.
K_CONTACT_AVX2 static inline bool k_contact_answer(const lf_moving_box *box_a, const lf_moving_box *box_b,
                                                   double ahead, lf_contact_result *meeting) {
    lanes a = lanes_of(box_a), b = lanes_of(box_b);
    double from, to;
    if (!stretch_of(&a, &b, ahead, &from, &to))
        return one_scalar(box_a, box_b, ahead, meeting);
    double doubt = LF__CONTACT_DOUBT * (from + fabs(to)), left = to - from;
    if (left < -doubt) {
        *meeting = lf__no_meeting(ahead);
        return true;
    }
    if (!(left > doubt || to == LF_INFINITY))
        return one_scalar(box_a, box_b, ahead, meeting);
    lf__contact_surely(box_a, box_b, from, meeting);
    return true;
}

K_CONTACT_AVX2 static bool one_avx2(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                                    lf_contact_result *meeting) {
    return k_contact_answer(a, b, ahead, meeting);
}

K_CONTACT_AVX2 static int64_t many_avx2(const lf_contact_batch *batch, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i++)
        if (!k_contact_answer(lf__moving_at(batch->a, batch->a_stride, i),
                              lf__moving_at(batch->b, batch->b_stride, i), batch->ahead, &batch->meetings[i]))
            return i;
    return last;
}

static const lf__contact_kernels contact_kernels_avx2 = {one_avx2, many_avx2};
#endif

const lf__contact_kernels *lf__contact_kernels_for(lf_isa isa) {
#if LF__SIMD
    if (LF__SIMD_BY(isa))
        return &contact_kernels_avx2;
#endif
    (void)isa;
    return &contact_kernels_scalar;
}

const lf__contact_kernels *lf__contact_kernels_best(void) {
    static const lf__contact_kernels *chosen; // a race is harmless: all threads choose the same
    const lf__contact_kernels *kernels = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    if (!kernels) {
        kernels = lf__contact_kernels_for(lf_isa_best());
        __atomic_store_n(&chosen, kernels, __ATOMIC_RELAXED);
    }
    return kernels;
}
