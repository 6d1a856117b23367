/// Least heights by the edges of bins with AVX-512: eight targets at a time, each with the edges of its own bin. What is
/// computed is what viewshed_least_rows.c computes for one target, rounded likewise.
#include "base/k_simd.h"
#include "sight/viewshed_least.h"
#include <stddef.h>

#if LF__X86

#define LEAST_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))

_Static_assert(offsetof(lf__least_pieces, count) == 0 && offsetof(lf__least_pieces, bent) == 4,
               "the head of a bin is read as one number");
_Static_assert(offsetof(lf__least_piece, first) == 0 && offsetof(lf__least_piece, s) == 16 &&
                   offsetof(lf__least_piece, c) == 40 && offsetof(lf__least_piece, e) == 56,
               "an edge is read as eight numbers");

/// Eight targets.
typedef struct least_lanes {
    const char *bins;
    int64_t at[8]; ///< offsets of their bins in bytes
    __m256i bin;
    __m512d v, metric, a;
    __m512d slope, x; ///< demanded so far
} least_lanes;

/// The numbers of edge k of each bin, `first` of all bins first.
LEAST_TARGET static inline void least_edges(const least_lanes *t, int k, __m512d out[8]) {
    size_t of = offsetof(lf__least_pieces, of) + (size_t)k * sizeof(lf__least_piece);
    __m512d row[8], pair[8], four[8];
    for (int n = 0; n < 8; n++)
        row[n] = _mm512_loadu_pd((const double *)(const void *)(t->bins + t->at[n] + of));
    for (int n = 0; n < 4; n++) {
        pair[n] = _mm512_unpacklo_pd(row[2 * n], row[2 * n + 1]); // numbers 0, 2, 4, 6
        pair[n + 4] = _mm512_unpackhi_pd(row[2 * n], row[2 * n + 1]);
    }
    for (int n = 0; n < 8; n += 4) {
        four[n] = _mm512_shuffle_f64x2(pair[n], pair[n + 1], 0x88); // numbers 0 and 4
        four[n + 1] = _mm512_shuffle_f64x2(pair[n + 2], pair[n + 3], 0x88);
        four[n + 2] = _mm512_shuffle_f64x2(pair[n], pair[n + 1], 0xdd);
        four[n + 3] = _mm512_shuffle_f64x2(pair[n + 2], pair[n + 3], 0xdd);
    }
    for (int n = 0; n < 8; n++) {
        const __m512d *from = &four[(n & 1) * 4 + (n & 2)];
        out[n] = n < 4 ? _mm512_shuffle_f64x2(from[0], from[1], 0x88)
                       : _mm512_shuffle_f64x2(from[0], from[1], 0xdd);
    }
}

/// The place within a triangle where the slope is greatest; `kind` is 0 where there is none. Of which bits there is one.
LEAST_TARGET static inline __mmask8 least_peak_within(const least_lanes *t, const __m512d edge[8],
                                                      __m256i kind, __m512d *x) {
    const __m512d none = _mm512_setzero_pd(), one = _mm512_set1_pd(1);
    *x = _mm512_sqrt_pd(_mm512_div_pd(edge[5], t->metric));
    __m512d along = _mm512_sub_pd(*x, edge[6]), across = _mm512_sub_pd(_mm512_mul_pd(*x, t->v), edge[7]);
    __mmask8 first = _mm256_cmpeq_epi32_mask(kind, _mm256_set1_epi32(1)),
             second = _mm256_cmpeq_epi32_mask(kind, _mm256_set1_epi32(2));
    first = _mm512_mask_cmp_pd_mask(first, along, none, _CMP_GE_OQ);
    first = _mm512_mask_cmp_pd_mask(first, along, across, _CMP_LE_OQ);
    first = _mm512_mask_cmp_pd_mask(first, across, one, _CMP_LE_OQ);
    second = _mm512_mask_cmp_pd_mask(second, along, one, _CMP_LE_OQ);
    second = _mm512_mask_cmp_pd_mask(second, across, none, _CMP_GE_OQ);
    second = _mm512_mask_cmp_pd_mask(second, across, along, _CMP_LE_OQ);
    __mmask8 in = _mm512_mask_cmp_pd_mask(first | second, *x, none, _CMP_GT_OQ);
    return _mm512_mask_cmp_pd_mask(in, t->metric, none, _CMP_GT_OQ);
}

/// Edge or triangle k of each bin, where there is one.
LEAST_TARGET static inline void least_meet_edge(least_lanes *t, __mmask8 some, int k, bool bent) {
    __m512d edge[8];
    least_edges(t, k, edge);
    __m512d x = _mm512_div_pd(edge[5], _mm512_sub_pd(edge[6], _mm512_mul_pd(edge[7], t->v))), times = x;
    some = _mm512_mask_cmp_pd_mask(some, t->v, edge[0], _CMP_GE_OQ);
    some = _mm512_mask_cmp_pd_mask(some, t->v, edge[1], _CMP_LE_OQ);
    if (bent) { // of a triangle the distance counts twice
        __m512d peak;
        __m256i kind = _mm512_mask_i64gather_epi32(_mm256_setzero_si256(), some, _mm512_loadu_si512(t->at),
                                                   t->bins + offsetof(lf__least_pieces, of) +
                                                       (size_t)k * sizeof(lf__least_piece) +
                                                       offsetof(lf__least_piece, triangle),
                                                   1);
        __mmask8 in = least_peak_within(t, edge, kind, &peak);
        some &= in | (__mmask8)~_mm256_test_epi32_mask(kind, kind);
        x = _mm512_mask_mov_pd(x, in, peak);
        times = _mm512_mask_add_pd(x, in, peak, peak);
    }
    __m512d turn = _mm512_mul_pd(edge[4], _mm512_sub_pd(t->v, edge[3])), slope = _mm512_add_pd(edge[2], turn);
    slope = _mm512_add_pd(slope, _mm512_mul_pd(t->metric, _mm512_sub_pd(t->a, times)));
    __mmask8 same = _mm512_mask_cmp_pd_mask(some, slope, t->slope, _CMP_EQ_OQ),
             more = _mm512_mask_cmp_pd_mask(some, slope, t->slope, _CMP_GT_OQ);
    more |= _mm512_mask_cmp_pd_mask(same, x, t->x, _CMP_LT_OQ);
    t->slope = _mm512_mask_mov_pd(t->slope, more, slope);
    t->x = _mm512_mask_mov_pd(t->x, more, x);
}

/// What the bins demand: lf__least_pieces_meet.
LEAST_TARGET static inline void least_meet(least_lanes *t, __mmask8 some) {
    __m512i head =
        _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), some, _mm512_loadu_si512(t->at), t->bins, 1);
    __m512i count = _mm512_and_si512(head, _mm512_set1_epi64(0xffffffff));
    bool bent = _mm512_test_epi64_mask(head, _mm512_set1_epi64((int64_t)0xff << 32)) != 0;
    for (int k = 0; k < LF__LEAST_PIECES; k++) {
        some = _mm512_mask_cmpgt_epi64_mask(some, count, _mm512_set1_epi64(k));
        if (!some)
            break;
        least_meet_edge(t, some, k, bent);
    }
}

/// Of rings: each target has its own, or all have the same.
LEAST_TARGET static inline __m512d least_of_rings(const lf__least_lanes *l, const double *of, int ring) {
    return l->rings_per_lane ? _mm512_loadu_pd(of + ring) : _mm512_set1_pd(of[ring]);
}

/// Bins of targets, of those that are in one for sure and whose edges are known.
LEAST_TARGET static inline __mmask8 least_bins_of(const lf__least_lanes *l, __mmask8 some, __m512d v,
                                                  __m256i *bins) {
    __m512d place = _mm512_mul_pd(_mm512_sub_pd(v, _mm512_set1_pd(l->v0)), _mm512_set1_pd(l->all_bins)),
            spare = _mm512_set1_pd(LF__LEAST_SPARE);
    __m256i low = _mm512_cvttpd_epi32(_mm512_sub_pd(place, spare)),
            high = _mm512_cvttpd_epi32(_mm512_add_pd(place, spare)), last = _mm256_set1_epi32(l->last_bin);
    low = _mm256_max_epi32(low, _mm256_setzero_si256());
    high = _mm256_min_epi32(high, last);
    some = _mm256_mask_cmpeq_epi32_mask(some, low, high);
    *bins = _mm256_min_epi32(low, last);
    int32_t bin[8];
    _mm256_storeu_si256((__m256i *)(void *)bin, *bins);
    for (int n = 0; n < 8; n++)
        some &= (__mmask8) ~(l->open[bin[n]] << n);
    return some;
}

/// Of which targets does nothing but the edges of their bins matter? Not the own chunk, nor ground before the first ring.
LEAST_TARGET static inline __mmask8 least_is_all(const lf__least_lanes *l, const least_lanes *t,
                                                 __mmask8 some, __m512d per_a, __m512d off) {
    __m512d reach = _mm512_sub_pd(t->slope, _mm512_mul_pd(t->metric, t->a)), rises = _mm512_set1_pd(l->rises);
    reach = _mm512_sub_pd(reach, _mm512_mul_pd(off, per_a));
    __m512d tilt = _mm512_add_pd(_mm512_set1_pd(l->tilt[0]), _mm512_mul_pd(_mm512_set1_pd(l->tilt[1]), t->v)),
            drift = _mm512_mul_pd(_mm512_mul_pd(rises, t->a), t->a),
            least = _mm512_sub_pd(_mm512_sub_pd(reach, tilt), _mm512_mul_pd(_mm512_set1_pd(0.25), drift));
    least = _mm512_sub_pd(least, _mm512_mul_pd(_mm512_set1_pd(1e-6), _mm512_abs_pd(least)));
    __m512d own = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), some, t->bin, l->own, 8);
    some = _mm512_mask_cmp_pd_mask(some, own, least, _CMP_LT_OQ);
    __m512d place = _mm512_div_pd(_mm512_sub_pd(t->v, _mm512_set1_pd(l->v0)), _mm512_set1_pd(l->wide));
    __m256i k = _mm512_cvttpd_epi32(_mm512_mul_pd(place, _mm512_set1_pd(LF__LEAST_NEAR)));
    k = _mm256_min_epi32(_mm256_max_epi32(k, _mm256_setzero_si256()), _mm256_set1_epi32(LF__LEAST_NEAR - 1));
    __m512d near = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), some, k, l->near, 8);
    return _mm512_mask_cmp_pd_mask(some, near, _mm512_sub_pd(reach, _mm512_mul_pd(rises, t->a)), _CMP_LT_OQ);
}

/// Where eight targets are, and their bins.
LEAST_TARGET static inline void least_place(const lf__least_lanes *l, lf__least_eight *eight,
                                            least_lanes *t) {
    int ring = eight->ring;
    __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
            b = _mm512_add_epi64(_mm512_set1_epi64(eight->b),
                                 _mm512_mullo_epi64(lane, _mm512_set1_epi64(l->b_per_lane)));
    __m512d db = _mm512_sub_pd(_mm512_cvtepi64_pd(b), _mm512_set1_pd(l->ob)),
            metric = least_of_rings(l, l->c[l->degree], ring);
    for (int k = l->degree - 1; k >= 0; k--)
        metric = _mm512_add_pd(_mm512_mul_pd(metric, db), least_of_rings(l, l->c[k], ring));
    t->a = least_of_rings(l, l->a, ring);
    t->v = _mm512_div_pd(db, t->a);
    t->metric = metric;
    eight->met = least_bins_of(l, (__mmask8)eight->some, t->v, &t->bin);
    t->slope = _mm512_set1_pd(-LF_INFINITY);
    t->x = t->a;
    _mm512_storeu_si512(t->at, _mm512_mullo_epi64(_mm512_cvtepi32_epi64(t->bin),
                                                  _mm512_set1_epi64((int64_t)sizeof *l->bins)));
}

/// Heights above datum.
LEAST_TARGET static inline __m512d least_heights(const lf__least_lanes *l, const lf__least_eight *eight) {
    __mmask8 some = (__mmask8)eight->some;
    if (!l->plain)
        return _mm512_loadu_pd(eight->height);
    if (l->type == LF_SAMPLE_FLOAT)
        return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(some, eight->samples));
    return _mm512_cvtepi32_pd(_mm256_cvtepi16_epi32(_mm_maskz_loadu_epi16(some, eight->samples)));
}

/// Write those of which all is known: as least_of_spot.
LEAST_TARGET static inline void least_finish(const lf__least_lanes *l, lf__least_eight *eight,
                                             const least_lanes *t) {
    __m512d lower = _mm512_mul_pd(_mm512_mul_pd(_mm512_abs_pd(t->metric), t->a), t->a),
            off = _mm512_add_pd(_mm512_set1_pd(l->off), _mm512_mul_pd(_mm512_set1_pd(1e-13), lower)),
            uneven = _mm512_mul_pd(_mm512_set1_pd(l->uneven), lower), height = least_heights(l, eight),
            base = l->datum ? height : _mm512_setzero_pd();
    __m512d least = _mm512_sub_pd(_mm512_mul_pd(t->a, t->slope), _mm512_sub_pd(height, _mm512_set1_pd(l->z)));
    __mmask8 some =
        _mm512_mask_cmp_pd_mask((__mmask8)eight->met, t->slope, _mm512_set1_pd(-LF_INFINITY), _CMP_GT_OQ);
    some = _mm512_mask_cmp_pd_mask(some, uneven, _mm512_mul_pd(_mm512_set1_pd(0.25 * LF__LEAST_OFF), least),
                                   _CMP_LE_OQ);
    __m512d sum = _mm512_add_pd(base, least),
            most = _mm512_mul_pd(_mm512_set1_pd(LF__LEAST_OFF), _mm512_min_pd(least, _mm512_abs_pd(sum))),
            all = _mm512_add_pd(_mm512_div_pd(_mm512_mul_pd(off, t->a), t->x), uneven);
    some = _mm512_mask_cmp_pd_mask(some, all, most, _CMP_LE_OQ);
    some = least_is_all(l, t, some, least_of_rings(l, l->per_a, eight->ring), _mm512_add_pd(off, uneven));
    _mm256_mask_storeu_ps(eight->to, some, _mm512_cvtpd_ps(sum));
    eight->some &= ~(unsigned)some;
    _mm512_storeu_pd(eight->slope, t->slope);
    _mm512_storeu_pd(eight->x, t->x);
}

LEAST_TARGET void lf__least_write_avx512(const lf__least_lanes *lanes, lf__least_eight *eights, int count) {
    least_lanes t[LF__LEAST_EIGHTS];
    for (int k = 0; k < count; k++) {
        t[k].bins = (const char *)lanes->bins;
        least_place(lanes, &eights[k], &t[k]);
    }
    for (int k = 0; k < count; k++)
        least_meet(&t[k], (__mmask8)eights[k].met);
    for (int k = 0; k < count; k++)
        least_finish(lanes, &eights[k], &t[k]);
}

#undef LEAST_TARGET

#endif
