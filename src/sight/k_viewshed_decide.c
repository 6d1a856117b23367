/// A target between its bounds, with AVX2: four rings at a time, in doubles.
///
/// What is computed is what lf__meet_plain computes where squares are cut along one diagonal and posts are floats; only roundings differ, and
/// these are within the target's own slack.
#include "sight/viewshed_sweep.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))

/// Rings of a chunk, the one before them, and what the last four may spill over.
#define ROOM (LF__CHUNK_RINGS + 8)

/// Where the direction crosses the rings.
typedef struct crossings {
    double a[ROOM], per_a[ROOM], whole[ROOM], share[ROOM];
    double low[ROOM], high[ROOM]; ///< slopes of the posts before and after
} crossings;

/// What four rings are the same in.
typedef struct constants {
    const lf_grid *grid;
    const lf__sector *sector;
    __m256d v, z, oa, ob;
    bool bent;
} constants;

TARGET static inline __m128i clamp(__m128i x, int64_t count) {
    return _mm_min_epi32(_mm_max_epi32(x, _mm_setzero_si128()), _mm_set1_epi32((int)count - 1));
}

/// Slopes of four posts, one of each ring.
TARGET static inline __m256d slopes(const constants *c, __m128i ring, __m128i b, __m256d a, __m256d per_a) {
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->grid;
    __m128i i = _mm_add_epi32(_mm_mullo_epi32(ring, _mm_set1_epi32(s->along.i)),
                              _mm_mullo_epi32(b, _mm_set1_epi32(s->across.i)));
    __m128i j = _mm_add_epi32(_mm_mullo_epi32(ring, _mm_set1_epi32(s->along.j)),
                              _mm_mullo_epi32(b, _mm_set1_epi32(s->across.j)));
    i = clamp(i, grid->columns); // beyond the border: never in the way
    j = clamp(j, grid->rows);
    __m128i at = _mm_add_epi32(_mm_mullo_epi32(i, _mm_set1_epi32((int)grid->column_step)),
                               _mm_mullo_epi32(j, _mm_set1_epi32((int)grid->row_step)));
    __m128 posts = _mm_i32gather_ps((const float *)(const void *)grid->values, at, 1);
    __m256d slope = _mm256_mul_pd(_mm256_sub_pd(_mm256_cvtps_pd(posts), c->z), per_a);
    if (!c->bent)
        return slope;
    __m256d db = _mm256_sub_pd(_mm256_cvtepi32_pd(b), c->ob);
    __m256d m2 = _mm256_mul_pd(_mm256_set1_pd(s->metric[2]), per_a);
    __m256d less = _mm256_fmadd_pd(_mm256_fmadd_pd(m2, db, _mm256_set1_pd(s->metric[1])), db,
                                   _mm256_mul_pd(_mm256_set1_pd(s->metric[0]), a));
    return _mm256_sub_pd(slope, less);
}

TARGET static inline void cross_four(const constants *c, int64_t first, int k, crossings *x) {
    __m128i ring = _mm_add_epi32(_mm_set1_epi32((int)first + k), _mm_setr_epi32(0, 1, 2, 3));
    __m256d a = _mm256_sub_pd(_mm256_cvtepi32_pd(ring), c->oa), per_a = _mm256_div_pd(_mm256_set1_pd(1), a);
    __m256d place = _mm256_fmadd_pd(a, c->v, c->ob), whole = _mm256_floor_pd(place);
    __m128i b = _mm256_cvtpd_epi32(whole);
    _mm256_storeu_pd(&x->a[k], a);
    _mm256_storeu_pd(&x->per_a[k], per_a);
    _mm256_storeu_pd(&x->whole[k], whole);
    _mm256_storeu_pd(&x->share[k], _mm256_sub_pd(place, whole));
    _mm256_storeu_pd(&x->low[k], slopes(c, ring, b, a, per_a));
    _mm256_storeu_pd(&x->high[k], slopes(c, ring, _mm_add_epi32(b, _mm_set1_epi32(1)), a, per_a));
}

/// The edges between four rings and those after them.
TARGET static inline __m256d passed_four(const crossings *x, int k) {
    __m256d one = _mm256_set1_pd(1), f0 = _mm256_loadu_pd(&x->share[k]),
            f1 = _mm256_loadu_pd(&x->share[k + 1]);
    __m256d step =
        _mm256_cmp_pd(_mm256_loadu_pd(&x->whole[k]), _mm256_loadu_pd(&x->whole[k + 1]), _CMP_NEQ_OQ);
    __m256d from = _mm256_blendv_pd(_mm256_loadu_pd(&x->low[k]), _mm256_loadu_pd(&x->high[k]), step);
    __m256d to = _mm256_blendv_pd(_mm256_loadu_pd(&x->high[k + 1]), _mm256_loadu_pd(&x->low[k + 1]), step);
    __m256d from_off = _mm256_blendv_pd(f0, _mm256_sub_pd(one, f0), step);
    __m256d to_off = _mm256_blendv_pd(_mm256_sub_pd(one, f1), f1, step);
    __m256d a = _mm256_loadu_pd(&x->a[k + 1]), share = _mm256_mul_pd(from_off, a);
    __m256d sum = _mm256_fmadd_pd(to_off, _mm256_loadu_pd(&x->a[k]), share);
    __m256d wide = _mm256_cmp_pd(sum, _mm256_mul_pd(_mm256_set1_pd(1e-9), a), _CMP_GT_OQ);
    __m256d slope = _mm256_fmadd_pd(_mm256_sub_pd(to, from), _mm256_div_pd(share, sum), from);
    return _mm256_blendv_pd(_mm256_max_pd(from, to), slope, wide);
}

/// Ground on four rings, of which some count.
TARGET static inline void meet_four(lf__target *t, __m256d slope, __m256d per_a, int count) {
    __m256d margin = _mm256_set1_pd(t->margin), target = _mm256_set1_pd(t->slope);
    __m256d above = _mm256_fmadd_pd(_mm256_set1_pd(t->off + t->bulge), per_a, _mm256_add_pd(slope, margin));
    __m256d below = _mm256_fnmadd_pd(_mm256_set1_pd(t->off + t->dip), per_a, _mm256_sub_pd(slope, margin));
    int lanes = count >= 4 ? 15 : (1 << (count > 0 ? count : 0)) - 1;
    t->open |= (_mm256_movemask_pd(_mm256_cmp_pd(above, target, _CMP_GE_OQ)) & lanes) != 0;
    t->blocked |= (_mm256_movemask_pd(_mm256_cmp_pd(below, target, _CMP_GT_OQ)) & lanes) != 0;
}

TARGET void lf__meet_avx2(lf__target *t, int64_t first, int64_t last, int64_t own) {
    if (first == t->sector->first_ring || last - first >= LF__CHUNK_RINGS) {
        lf__meet_plain(t, first, last, own);
        return;
    }
    const lf__sector *s = t->sector;
    constants c = {t->sweep->view->grid,   s,
                   _mm256_set1_pd(t->v),   _mm256_set1_pd(t->sweep->view->z),
                   _mm256_set1_pd(s->oa),  _mm256_set1_pd(s->ob),
                   t->sweep->lowering != 0};
    crossings x;
    int strips = (int)(last - first) + 1, levels = strips - (last == own);
    for (int k = 0; k <= strips; k += 4)
        cross_four(&c, first - 1, k, &x);
    int beyond = strips / 4 * 4 + 4; // loaded, though it does not count
    x.a[beyond] = x.per_a[beyond] = x.whole[beyond] = x.share[beyond] = x.low[beyond] = x.high[beyond] = 0;
    for (int k = 0; k < strips && !t->blocked; k += 4) {
        __m256d low = _mm256_loadu_pd(&x.low[k + 1]), high = _mm256_loadu_pd(&x.high[k + 1]);
        __m256d level = _mm256_fmadd_pd(_mm256_loadu_pd(&x.share[k + 1]), _mm256_sub_pd(high, low), low);
        meet_four(t, passed_four(&x, k), _mm256_loadu_pd(&x.per_a[k]), strips - k);
        meet_four(t, level, _mm256_loadu_pd(&x.per_a[k + 1]), levels - k);
    }
}

#endif
