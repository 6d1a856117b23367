/// A target between its bounds, with AVX2: four rings at a time, in doubles.
///
/// Computes what lf__meet_scalar computes where squares are cut along one diagonal and samples are in memory;
/// only rounding differs, within the target's own margin.
#include "sight/viewshed_sweep.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define FOUR_TARGET __attribute__((target("avx2,fma")))

/// Rings of a chunk, the one before them, and space for writing four at once.
#define FOUR_SPACE (LF__CHUNK_RINGS + 8)

/// Where the direction crosses the rings.
typedef struct four_crossings {
    double a[FOUR_SPACE], whole[FOUR_SPACE], share[FOUR_SPACE];
    double low[FOUR_SPACE], high[FOUR_SPACE]; ///< heights above the observer of the samples before and after
} four_crossings;

/// What is the same for all rings.
typedef struct four_constants {
    const lf_grid *grid;
    const lf__sector *sector;
    __m256d v, z, oa, ob;
} four_constants;

FOUR_TARGET static inline __m128i four_clamp(__m128i x, int64_t count) {
    return _mm_min_epi32(_mm_max_epi32(x, _mm_setzero_si128()), _mm_set1_epi32((int)count - 1));
}

/// Samples at four places, given as byte offsets.
FOUR_TARGET static inline __m256d four_at(const lf_grid *grid, __m128i at) {
    const char *values = grid->values;
    if (grid->type == LF_SAMPLE_FLOAT)
        return _mm256_cvtps_pd(_mm_i32gather_ps((const float *)(const void *)values, at, 1));
    if (grid->type == LF_SAMPLE_DOUBLE)
        return _mm256_i32gather_pd((const double *)(const void *)values, at, 1);
    int32_t offset[4];
    _mm_storeu_si128((__m128i *)(void *)offset, at);
    if (grid->type == LF_SAMPLE_INT16) {
        const int16_t *p0 = (const void *)(values + offset[0]), *p1 = (const void *)(values + offset[1]);
        const int16_t *p2 = (const void *)(values + offset[2]), *p3 = (const void *)(values + offset[3]);
        return _mm256_cvtepi32_pd(_mm_setr_epi32(*p0, *p1, *p2, *p3));
    }
    const uint16_t *p0 = (const void *)(values + offset[0]), *p1 = (const void *)(values + offset[1]);
    const uint16_t *p2 = (const void *)(values + offset[2]), *p3 = (const void *)(values + offset[3]);
    return _mm256_cvtepi32_pd(_mm_setr_epi32(*p0, *p1, *p2, *p3));
}

/// Heights of four samples above the observer, one of each ring.
FOUR_TARGET static inline __m256d four_heights(const four_constants *c, __m128i ring, __m128i b) {
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->grid;
    __m128i i = _mm_add_epi32(_mm_mullo_epi32(ring, _mm_set1_epi32(s->along.i)),
                              _mm_mullo_epi32(b, _mm_set1_epi32(s->across.i)));
    __m128i j = _mm_add_epi32(_mm_mullo_epi32(ring, _mm_set1_epi32(s->along.j)),
                              _mm_mullo_epi32(b, _mm_set1_epi32(s->across.j)));
    i = four_clamp(i, grid->columns); // beyond the border: never in the way
    j = four_clamp(j, grid->rows);
    __m128i at = _mm_add_epi32(_mm_mullo_epi32(i, _mm_set1_epi32((int)grid->column_step)),
                               _mm_mullo_epi32(j, _mm_set1_epi32((int)grid->row_step)));
    __m256d height = four_at(grid, at);
    if (!grid->plain)
        height =
            _mm256_add_pd(_mm256_mul_pd(height, _mm256_set1_pd(grid->scale)), _mm256_set1_pd(grid->offset));
    return _mm256_sub_pd(height, c->z);
}

FOUR_TARGET static inline void cross_four(const four_constants *c, int64_t first, int k, four_crossings *x) {
    __m128i ring = _mm_add_epi32(_mm_set1_epi32((int)first + k), _mm_setr_epi32(0, 1, 2, 3));
    __m256d a = _mm256_sub_pd(_mm256_cvtepi32_pd(ring), c->oa);
    __m256d place = _mm256_fmadd_pd(a, c->v, c->ob), whole = _mm256_floor_pd(place);
    __m128i b = _mm256_cvtpd_epi32(whole);
    _mm256_storeu_pd(&x->a[k], a);
    _mm256_storeu_pd(&x->whole[k], whole);
    _mm256_storeu_pd(&x->share[k], _mm256_sub_pd(place, whole));
    _mm256_storeu_pd(&x->low[k], four_heights(c, ring, b));
    _mm256_storeu_pd(&x->high[k], four_heights(c, ring, _mm_add_epi32(b, _mm_set1_epi32(1))));
}

/// Heights of ground and their distances.
typedef struct four_places {
    __m256d height, x;
} four_places;

/// The edges between four rings and those after them.
FOUR_TARGET static inline four_places passed_four(const four_crossings *x, int k) {
    __m256d one = _mm256_set1_pd(1), f0 = _mm256_loadu_pd(&x->share[k]),
            f1 = _mm256_loadu_pd(&x->share[k + 1]);
    __m256d step =
        _mm256_cmp_pd(_mm256_loadu_pd(&x->whole[k]), _mm256_loadu_pd(&x->whole[k + 1]), _CMP_NEQ_OQ);
    __m256d from = _mm256_blendv_pd(_mm256_loadu_pd(&x->low[k]), _mm256_loadu_pd(&x->high[k]), step);
    __m256d to = _mm256_blendv_pd(_mm256_loadu_pd(&x->high[k + 1]), _mm256_loadu_pd(&x->low[k + 1]), step);
    __m256d from_off = _mm256_blendv_pd(f0, _mm256_sub_pd(one, f0), step);
    __m256d to_off = _mm256_blendv_pd(_mm256_sub_pd(one, f1), f1, step);
    __m256d sum = _mm256_add_pd(from_off, to_off);
    __m256d wide = _mm256_cmp_pd(sum, _mm256_set1_pd(1e-9), _CMP_GT_OQ);
    __m256d share = _mm256_blendv_pd(_mm256_set1_pd(0.5), _mm256_div_pd(from_off, sum), wide);
    __m256d height = _mm256_fmadd_pd(_mm256_sub_pd(to, from), share, from);
    height = _mm256_blendv_pd(_mm256_max_pd(from, to), height, wide);
    return (four_places){height, _mm256_add_pd(_mm256_loadu_pd(&x->a[k]), share)};
}

/// Test ground at four places, of which some count.
FOUR_TARGET static inline void meet_four(lf__target *t, four_places p, int count) {
    __m256d rest = _mm256_sub_pd(_mm256_set1_pd(t->a), p.x);
    __m256d slope = _mm256_fnmadd_pd(_mm256_set1_pd(t->metric), rest, _mm256_set1_pd(t->slope));
    __m256d above = _mm256_fnmadd_pd(p.x, slope, p.height);
    int lanes = count >= 4 ? 15 : (1 << count) - 1;
    __m256d open = _mm256_set1_pd(-t->off - t->bulge), blocked = _mm256_set1_pd(t->off);
    t->open |= (_mm256_movemask_pd(_mm256_cmp_pd(above, open, _CMP_GE_OQ)) & lanes) != 0;
    t->blocked |= (_mm256_movemask_pd(_mm256_cmp_pd(above, blocked, _CMP_GT_OQ)) & lanes) != 0;
}

FOUR_TARGET void lf__meet_avx2(lf__target *t, int64_t first, int64_t last) {
    if (first == t->sector->first_ring || last - first >= LF__CHUNK_RINGS) {
        lf__meet_scalar(t, first, last);
        return;
    }
    const lf__sector *s = t->sector;
    four_constants c = {t->sweep->view->grid,  s,
                        _mm256_set1_pd(t->v),  _mm256_set1_pd(t->sweep->view->z),
                        _mm256_set1_pd(s->oa), _mm256_set1_pd(s->ob)};
    four_crossings x;
    int strips = (int)(last - first) + 1;
    for (int k = 0; k <= strips; k += 4)
        cross_four(&c, first - 1, k, &x);
    int beyond = strips / 4 * 4 + 4; // loaded, though it does not count
    x.a[beyond] = x.whole[beyond] = x.share[beyond] = x.low[beyond] = x.high[beyond] = 0;
    for (int k = 0; k < strips && !t->blocked; k += 4) {
        __m256d low = _mm256_loadu_pd(&x.low[k + 1]), high = _mm256_loadu_pd(&x.high[k + 1]);
        __m256d level = _mm256_fmadd_pd(_mm256_loadu_pd(&x.share[k + 1]), _mm256_sub_pd(high, low), low);
        meet_four(t, passed_four(&x, k), strips - k);
        meet_four(t, (four_places){level, _mm256_loadu_pd(&x.a[k + 1])}, strips - k);
    }
}

#endif
