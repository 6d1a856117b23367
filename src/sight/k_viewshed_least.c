/// Least heights by the edges of bins with AVX-512: eight targets at a time, each with the edges of its own bin.
#include "base/k_simd.h"
#include "sight/viewshed_sweep.h"
#include <stddef.h>

#if LF__X86

#define LEAST_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))

_Static_assert(offsetof(lf__least_pieces, count) == 0 && offsetof(lf__least_pieces, bent) == 4,
               "the head of a bin is read as one number");

/// Eight targets, with the offsets of their bins in bytes.
typedef struct least_eight {
    const char *bins;
    __m512i at;
    __m512d v, metric, a;
    __m512d slope, x; ///< demanded so far
} least_eight;

LEAST_TARGET static inline __m512d least_field(const least_eight *t, __mmask8 some, size_t offset) {
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), some, t->at, t->bins + offset, 1);
}

/// Edge k of each bin, where there is one: what lf__least_pieces_meet computes, rounded likewise.
LEAST_TARGET static inline void least_meet_edge(least_eight *t, __mmask8 some, int k) {
    size_t of = offsetof(lf__least_pieces, of) + (size_t)k * sizeof(lf__least_piece);
#define LEAST_FIELD(name) least_field(t, some, of + offsetof(lf__least_piece, name))
    __m512d along = _mm512_sub_pd(LEAST_FIELD(d), _mm512_mul_pd(LEAST_FIELD(e), t->v));
    __m512d x = _mm512_div_pd(LEAST_FIELD(c), along);
    __m512d turn = _mm512_mul_pd(LEAST_FIELD(q), _mm512_sub_pd(t->v, LEAST_FIELD(v)));
    __m512d slope =
        _mm512_add_pd(_mm512_add_pd(LEAST_FIELD(s), turn), _mm512_mul_pd(t->metric, _mm512_sub_pd(t->a, x)));
    some = _mm512_mask_cmp_pd_mask(some, t->v, LEAST_FIELD(first), _CMP_GE_OQ);
    some = _mm512_mask_cmp_pd_mask(some, t->v, LEAST_FIELD(last), _CMP_LE_OQ);
#undef LEAST_FIELD
    __mmask8 same = _mm512_mask_cmp_pd_mask(some, slope, t->slope, _CMP_EQ_OQ),
             more = _mm512_mask_cmp_pd_mask(some, slope, t->slope, _CMP_GT_OQ);
    more |= _mm512_mask_cmp_pd_mask(same, x, t->x, _CMP_LT_OQ);
    t->slope = _mm512_mask_mov_pd(t->slope, more, slope);
    t->x = _mm512_mask_mov_pd(t->x, more, x);
}

/// Bins with triangles are left out: their targets have no demand yet.
LEAST_TARGET static inline unsigned least_meet_eight(least_eight *t, __mmask8 some) {
    __m512i head = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), some, t->at, t->bins, 1);
    __m512i count = _mm512_and_si512(head, _mm512_set1_epi64(0xffffffff));
    __mmask8 bent = _mm512_mask_test_epi64_mask(some, head, _mm512_set1_epi64((int64_t)0xff << 32));
    some &= (__mmask8)~bent;
    for (int k = 0; k < LF__LEAST_PIECES; k++) {
        some = _mm512_mask_cmpgt_epi64_mask(some, count, _mm512_set1_epi64(k));
        if (!some)
            break;
        least_meet_edge(t, some, k);
    }
    return bent;
}

LEAST_TARGET void lf__least_meet_avx512(const lf__least_pieces *bins, lf__least_batch *batch) {
    for (int k = 0; k < batch->count; k += 8) {
        int left = batch->count - k;
        __mmask8 some = (__mmask8)(left >= 8 ? 255 : (1 << left) - 1);
        least_eight t = {.bins = (const char *)bins,
                         .v = _mm512_maskz_loadu_pd(some, &batch->v[k]),
                         .metric = _mm512_maskz_loadu_pd(some, &batch->metric[k]),
                         .a = _mm512_maskz_loadu_pd(some, &batch->a[k]),
                         .slope = _mm512_set1_pd(-LF_INFINITY)};
        t.at = _mm512_mullo_epi64(_mm512_maskz_loadu_epi64(some, &batch->bin[k]),
                                  _mm512_set1_epi64((int64_t)sizeof *bins));
        t.x = t.a;
        unsigned bent = least_meet_eight(&t, some);
        _mm512_mask_storeu_pd(&batch->slope[k], some, t.slope);
        _mm512_mask_storeu_pd(&batch->x[k], some, t.x);
        for (int n = 0; bent >> n; n++) {
            int at = k + n;
            lf__least_demand demand = {-LF_INFINITY, batch->a[at]};
            if (!(bent >> n & 1))
                continue;
            lf__least_pieces_meet(&bins[batch->bin[at]], batch->v[at], batch->metric[at], batch->a[at],
                                  &demand);
            batch->slope[at] = demand.slope;
            batch->x[at] = demand.x;
        }
    }
}

#endif
