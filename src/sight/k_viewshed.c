/// Chunks of a viewshed with AVX2: eight borders, and so seven bins, at a time, ring after ring in registers.
///
/// Computes what lf__chunk_scalar computes where all squares are solid; only rounding differs, within the
/// slack of the bounds. So the verdicts are the same.
#include "sight/viewshed_sweep.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>

#define SIMD_TARGET __attribute__((target("avx2,fma")))

/// For functions whose `both` is a constant.
#define SIMD_EACH SIMD_TARGET __attribute__((always_inline)) static inline

/// Bins between the borders of one vector.
#define SIMD_BINS LF__PEAK_BINS

/// Eight borders at a ring.
typedef struct at_ring {
    __m256 whole;        ///< row of the sample before
    __m256 share, rest;  ///< fractions of the step to the next sample, and from it
    __m256 low, high;    ///< slopes of the two samples
    __m256 below, above; ///< and of those around them; only for `both`
    __m256 solid;        ///< both are heights; if there are voids
} at_ring;

SIMD_TARGET static inline __m256 is_height(__m256 slope) {
    return _mm256_cmp_ps(slope, _mm256_set1_ps(LF__VOID_LIMIT), _CMP_GT_OQ);
}

/// Zero where the mask is not set.
SIMD_TARGET static inline __m256 simd_only(__m256 slope, __m256 mask) {
    return _mm256_blendv_ps(_mm256_set1_ps(-LF__FAR_SLOPE), slope, mask);
}

SIMD_TARGET static inline __m256 simd_fetch(const float *slope, __m256i index) {
    return _mm256_permutevar8x32_ps(_mm256_loadu_ps(slope), index);
}

/// Seven bins are no wider than seven samples: eight consecutive samples cover them.
SIMD_EACH at_ring simd_bins(const lf__chunk *chunk, int r, __m256 place, __m256 v, bool both) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    at_ring at;
    __m256 here = _mm256_fmadd_ps(_mm256_set1_ps((float)r), v, place);
    at.whole = _mm256_floor_ps(here);
    at.whole = _mm256_max_ps(at.whole, _mm256_broadcast_ss(&ring->first));
    at.whole = _mm256_min_ps(at.whole, _mm256_broadcast_ss(&ring->last));
    at.share = _mm256_sub_ps(here, at.whole);
    at.rest = _mm256_sub_ps(_mm256_set1_ps(1), at.share);
    __m256i row = _mm256_cvtps_epi32(at.whole);
    int first = _mm_cvtsi128_si32(_mm256_castsi256_si128(row));
    __m256i index = _mm256_sub_epi32(row, _mm256_set1_epi32(first));
    const float *slope = &chunk->slope[r][first];
    at.low = simd_fetch(slope, index);
    at.high = simd_fetch(slope + 1, index);
    at.solid = _mm256_and_ps(is_height(at.low), is_height(at.high));
    if (both) {
        at.below = simd_fetch(slope - 1, index);
        at.above = simd_fetch(slope + 2, index);
    }
    return at;
}

typedef struct simd_scales {
    __m256 a, before, off, off4; ///< distances of this ring and the one before, and their rounding errors
} simd_scales;

/// Slopes of ground, between `least` and `most`.
typedef struct simd_range {
    __m256 least, most;
} simd_range;

/// As chunk_passed of the scalar path.
SIMD_TARGET static inline simd_range simd_passed(__m256 from, __m256 to, __m256 from_off, __m256 to_off,
                                                 const simd_scales *s) {
    __m256 share = _mm256_mul_ps(from_off, s->a), d = _mm256_sub_ps(to, from);
    __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), d);
    __m256 sum = _mm256_fmadd_ps(to_off, s->before, _mm256_add_ps(share, s->off));
    __m256 per_sum = _mm256_div_ps(_mm256_set1_ps(1), sum), more = _mm256_mul_ps(size, s->off4);
    return (simd_range){_mm256_fmadd_ps(_mm256_fmsub_ps(d, share, more), per_sum, from),
                        _mm256_fmadd_ps(_mm256_fmadd_ps(d, share, more), per_sum, from)};
}

/// The one edge that is crossed where squares are cut along one diagonal.
SIMD_TARGET static inline simd_range inner_one(const at_ring *b, const at_ring *n, const simd_scales *s) {
    __m256 step = _mm256_cmp_ps(b->whole, n->whole, _CMP_NEQ_OQ);
    return simd_passed(_mm256_blendv_ps(b->low, b->high, step), _mm256_blendv_ps(n->high, n->low, step),
                       _mm256_blendv_ps(b->share, b->rest, step), _mm256_blendv_ps(n->rest, n->share, step),
                       s);
}

/// The same where its ends may be voids.
SIMD_TARGET static inline simd_range inner_of_voids(const at_ring *b, const at_ring *n,
                                                    const simd_scales *s) {
    __m256 step = _mm256_cmp_ps(b->whole, n->whole, _CMP_NEQ_OQ);
    __m256 there = _mm256_and_ps(is_height(_mm256_blendv_ps(b->low, b->high, step)),
                                 is_height(_mm256_blendv_ps(n->high, n->low, step)));
    simd_range inner = inner_one(b, n, s);
    return (simd_range){simd_only(inner.least, there), simd_only(inner.most, there)};
}

/// All edges that may exist where squares may be cut along either diagonal: there is no lower bound.
SIMD_TARGET static inline simd_range inner_both(const at_ring *b, const at_ring *n, const simd_scales *s) {
    __m256 step = _mm256_cmp_ps(b->whole, n->whole, _CMP_NEQ_OQ), one = _mm256_set1_ps(1);
    __m256 most = simd_passed(b->high, n->low, b->rest, n->share, s).most;
    // Without a step the other diagonal; with a step that of the square before.
    __m256 more =
        simd_passed(_mm256_blendv_ps(b->low, b->high, step), _mm256_blendv_ps(n->high, n->below, step),
                    _mm256_blendv_ps(b->share, b->rest, step),
                    _mm256_blendv_ps(n->rest, _mm256_add_ps(one, n->share), step), s)
            .most;
    __m256 last = simd_passed(b->above, n->low, _mm256_add_ps(one, b->rest), n->share, s).most;
    most = _mm256_max_ps(most, more);
    most = _mm256_blendv_ps(most, _mm256_max_ps(most, last), step);
    return (simd_range){_mm256_set1_ps(-LF__FAR_SLOPE), most};
}

/// The border after each.
SIMD_TARGET static inline __m256 simd_next(__m256 x) {
    return _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7));
}

/// Write the results of the samples of a ring in some of the seven bins.
SIMD_TARGET static inline void simd_write_samples(lf__chunk *chunk, int r, int first, int samples,
                                                  int visible, int hidden) {
    // One byte per lane: 1 visible, 0 hidden, 255 open.
    __m128i bit = _mm_cvtsi64_si128((int64_t)0x8040201008040201u);
    __m128i is_visible = _mm_cmpeq_epi8(_mm_and_si128(_mm_set1_epi8((char)visible), bit), bit);
    __m128i is_hidden = _mm_cmpeq_epi8(_mm_and_si128(_mm_set1_epi8((char)hidden), bit), bit);
    __m128i bytes =
        _mm_blendv_epi8(_mm_set1_epi8((char)LF__SEEN_OPEN), _mm_set1_epi8(LF_VISIBILITY_VISIBLE), is_visible);
    bytes = _mm_andnot_si128(is_hidden, bytes);
    bytes = _mm_shuffle_epi8(bytes,
                             _mm_loadl_epi64((const __m128i *)(const void *)chunk->sweep->packing[samples]));
    _mm_storel_epi64((__m128i *)(void *)&chunk->out[r][first], bytes);
    chunk->any = true;
}

SIMD_TARGET static inline float greatest_of(__m256 x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_shuffle_ps(half, half, 1)));
}

SIMD_TARGET static inline float greatest_of_seven(__m256 x) {
    return greatest_of(_mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 0)));
}

/// The bounds of seven bins, as in lf__chunk, and the peak of the chunk's ground in them.
typedef struct simd_bounds {
    __m256 high_0, high_1, over, low_0, low_1;
    __m256 peak;
} simd_bounds;

/// Bins at a ring: the samples in them.
typedef struct simd_in_bins {
    const lf__chunk_ring *ring;
    __m256 off;
    __m256 has_sample, sample, share,
        share_off;    ///< which bins have one, its slope, and the fraction of the bin before it
    __m256 low_where; ///< bins whose ring is ground throughout
} simd_in_bins;

SIMD_TARGET static inline __m256 simd_line_at(const simd_in_bins *x, __m256 first, __m256 last) {
    return _mm256_fmadd_ps(x->share, _mm256_sub_ps(last, first), first);
}

SIMD_TARGET static inline __m256 simd_line_off(const simd_in_bins *x, __m256 first, __m256 last) {
    __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), _mm256_sub_ps(last, first));
    return _mm256_mul_ps(x->share_off, size);
}

SIMD_TARGET static inline void simd_raise_high(simd_bounds *b, __m256 first, __m256 last) {
    b->high_0 = _mm256_max_ps(b->high_0, first);
    b->high_1 = _mm256_max_ps(b->high_1, last);
    b->peak = _mm256_max_ps(b->peak, _mm256_max_ps(first, last));
}

SIMD_TARGET static inline void simd_raise_low(simd_bounds *b, __m256 first, __m256 last, __m256 where) {
    __m256 better = _mm256_cmp_ps(_mm256_add_ps(first, last), _mm256_add_ps(b->low_0, b->low_1), _CMP_GT_OQ);
    better = _mm256_and_ps(better, where);
    b->low_0 = _mm256_blendv_ps(b->low_0, first, better);
    b->low_1 = _mm256_blendv_ps(b->low_1, last, better);
}

/// Targets on the ring.
SIMD_TARGET static inline void simd_classify(lf__chunk *chunk, int r, const simd_bounds *b,
                                             const simd_in_bins *x, int first) {
    int samples = _mm256_movemask_ps(x->has_sample) & 0x7f;
    __m256 most_target = _mm256_add_ps(x->sample, _mm256_broadcast_ss(&x->ring->target_high));
    __m256 lower = _mm256_sub_ps(simd_line_at(x, b->low_0, b->low_1), simd_line_off(x, b->low_0, b->low_1));
    int hidden = _mm256_movemask_ps(_mm256_cmp_ps(most_target, lower, _CMP_LT_OQ));
    if (!(samples & ~hidden))
        return;
    __m256 least_target = _mm256_add_ps(x->sample, _mm256_broadcast_ss(&x->ring->target_low));
    __m256 upper =
        _mm256_add_ps(simd_line_at(x, b->high_0, b->high_1), simd_line_off(x, b->high_0, b->high_1));
    upper = _mm256_fmadd_ps(b->over, _mm256_set1_ps(LF__OVER_ROUNDED), upper);
    int visible = _mm256_movemask_ps(_mm256_cmp_ps(least_target, upper, _CMP_GT_OQ));
    simd_write_samples(chunk, r, first, samples, visible, hidden & ~visible);
}

/// The ground on the ring itself; before the strip and the ring the upper line was (old_0, old_1).
SIMD_TARGET static inline void simd_pass_ring(simd_bounds *b, const simd_in_bins *x, __m256 level,
                                              __m256 old_0, __m256 old_1) {
    __m256 next_level = simd_next(level), zero = _mm256_setzero_ps();
    simd_raise_high(b, _mm256_add_ps(level, x->off), _mm256_add_ps(next_level, x->off));
    __m256 risen = _mm256_min_ps(_mm256_sub_ps(b->high_0, old_0), _mm256_sub_ps(b->high_1, old_1));
    __m256 over = _mm256_fnmadd_ps(_mm256_set1_ps(LF__OVER_SINKS), risen, b->over);
    __m256 sample = _mm256_add_ps(x->sample, x->off);
    __m256 above = _mm256_sub_ps(_mm256_add_ps(sample, simd_line_off(x, b->high_0, b->high_1)),
                                 simd_line_at(x, b->high_0, b->high_1));
    b->over = _mm256_max_ps(_mm256_max_ps(over, zero), _mm256_and_ps(above, x->has_sample));
    b->peak = _mm256_max_ps(b->peak, _mm256_blendv_ps(b->peak, sample, x->has_sample));
    __m256 dip = _mm256_sub_ps(
        _mm256_add_ps(simd_line_at(x, level, next_level), simd_line_off(x, level, next_level)), x->sample);
    dip = _mm256_add_ps(_mm256_and_ps(_mm256_max_ps(dip, zero), x->has_sample), x->off);
    simd_raise_low(b, _mm256_sub_ps(level, dip), _mm256_sub_ps(next_level, dip), x->low_where);
}

SIMD_TARGET static inline simd_bounds load_bounds(const lf__chunk *chunk, int m) {
    return (simd_bounds){_mm256_loadu_ps(&chunk->high[0][m]), _mm256_loadu_ps(&chunk->high[1][m]),
                         _mm256_loadu_ps(&chunk->over[m]),    _mm256_loadu_ps(&chunk->low[0][m]),
                         _mm256_loadu_ps(&chunk->low[1][m]),  _mm256_set1_ps(-INFINITY)};
}

/// The eighth lane has no border after it: it belongs to the next seven.
SIMD_TARGET static inline void store_seven(float *out, __m256 x) {
    _mm256_storeu_ps(out, _mm256_blend_ps(x, _mm256_loadu_ps(out), 0x80));
}

/// Upper bound of the slopes of ground and targets of seven bins in the chunk and in the strip before it,
/// from all samples around them.
SIMD_EACH float greatest_around(const lf__chunk *chunk, int m, bool both) {
    __m256 most = _mm256_set1_ps(-INFINITY);
    for (int r = 0; r <= chunk->rings; r++) {
        const lf__chunk_ring *ring = &chunk->ring[r];
        float place = chunk->place[m] + (float)r * chunk->v[m]; // positive: the cast is floor
        place = place > ring->first ? place : ring->first;
        place = place < ring->last ? place : ring->last;
        // One more on either side than needed: places are rounded differently elsewhere.
        const float *slope = &chunk->slope[r][(int)place];
        __m256 here = _mm256_max_ps(_mm256_loadu_ps(slope - (both ? 2 : 1)), _mm256_loadu_ps(slope + 3));
        most = _mm256_max_ps(most, _mm256_add_ps(here, _mm256_broadcast_ss(&ring->target_high)));
    }
    return greatest_of(most);
}

/// Is everything in the chunk below the horizon of seven bins? Then nothing of them changes.
SIMD_EACH bool all_below(lf__chunk *chunk, int m, bool both) {
    __m256 low = _mm256_min_ps(_mm256_loadu_ps(&chunk->low[0][m]), _mm256_loadu_ps(&chunk->low[1][m]));
    float least = -greatest_of_seven(_mm256_sub_ps(_mm256_setzero_ps(), low));
    float most = greatest_around(chunk, m, both);
    chunk->peak[m / SIMD_BINS] = most;
    return most < least - chunk->sink;
}

/// Bins of a chunk that are skipped: their ground is farther away all the same.
SIMD_TARGET static inline void pass_by(lf__chunk *chunk, int m) {
    __m256 rise = _mm256_broadcast_ss(&chunk->rise), sink = _mm256_broadcast_ss(&chunk->sink);
    for (int k = 0; k < 2; k++) {
        store_seven(&chunk->high[k][m], _mm256_add_ps(_mm256_loadu_ps(&chunk->high[k][m]), rise));
        store_seven(&chunk->low[k][m], _mm256_sub_ps(_mm256_loadu_ps(&chunk->low[k][m]), sink));
    }
}

SIMD_EACH void do_bins(lf__chunk *chunk, int m, bool both, bool drifts, bool voids) {
    if (all_below(chunk, m, both)) {
        if (drifts)
            pass_by(chunk, m);
        return;
    }
    __m256 place = _mm256_loadu_ps(&chunk->place[m]), v = _mm256_loadu_ps(&chunk->v[m]);
    simd_bounds b = load_bounds(chunk, m);
    at_ring before = simd_bins(chunk, 0, place, v, both);
    __m256 had_sample = _mm256_cmp_ps(simd_next(before.whole), before.whole, _CMP_NEQ_OQ);
    // Edges of the first strip may begin at samples of the ring before it.
    __m256 sample = _mm256_add_ps(simd_next(before.low), _mm256_broadcast_ss(&chunk->ring[0].off));
    if (voids)
        had_sample = _mm256_and_ps(had_sample, is_height(simd_next(before.low)));
    b.peak = _mm256_blendv_ps(b.peak, sample, had_sample);
    __m256 distance = _mm256_broadcast_ss(&chunk->ring[0].a), one = _mm256_set1_ps(1);
    for (int r = 1; r <= chunk->rings; r++) {
        const lf__chunk_ring *ring = &chunk->ring[r];
        at_ring now = simd_bins(chunk, r, place, v, both);
        simd_scales s = {.a = _mm256_broadcast_ss(&ring->a), .before = distance};
        s.off = _mm256_mul_ps(s.a, _mm256_set1_ps(LF__SWEEP_OFF));
        s.off4 = _mm256_mul_ps(s.off, _mm256_set1_ps(4));
        simd_in_bins x = {.ring = ring, .off = _mm256_broadcast_ss(&ring->off), .sample = simd_next(now.low)};
        x.share_off = _mm256_broadcast_ss(&ring->share_off);
        x.has_sample = _mm256_cmp_ps(simd_next(now.whole), now.whole, _CMP_NEQ_OQ);
        x.share = _mm256_fnmadd_ps(simd_next(now.share), _mm256_broadcast_ss(&ring->per_bin), one);
        x.share = _mm256_min_ps(_mm256_max_ps(x.share, _mm256_setzero_ps()), one);
        if (drifts) {
            __m256 rise = _mm256_broadcast_ss(&ring->rise), sink = _mm256_broadcast_ss(&ring->sink);
            b.high_0 = _mm256_add_ps(b.high_0, rise);
            b.high_1 = _mm256_add_ps(b.high_1, rise);
            b.low_0 = _mm256_sub_ps(b.low_0, sink);
            b.low_1 = _mm256_sub_ps(b.low_1, sink);
        }
        // No edge of the strip is in the way of a target on the ring, unless squares may be cut along the
        // other diagonal.
        if (!both)
            simd_classify(chunk, r, &b, &x, (int)_mm256_cvtss_f32(now.whole) + 1);
        __m256 old_0 = b.high_0, old_1 = b.high_1;
        simd_range inner = both    ? inner_both(&before, &now, &s)
                           : voids ? inner_of_voids(&before, &now, &s)
                                   : inner_one(&before, &now, &s);
        __m256 most = _mm256_add_ps(inner.most, x.off);
        simd_raise_high(&b, most, simd_next(most));
        if (!both && !voids) { // the same edge on both borders
            __m256 least = _mm256_sub_ps(inner.least, x.off),
                   samples = _mm256_or_ps(x.has_sample, had_sample);
            simd_raise_low(&b, least, simd_next(least),
                           _mm256_xor_ps(samples, _mm256_castsi256_ps(_mm256_set1_epi32(-1))));
        }
        if (both)
            simd_classify(chunk, r, &b, &x, (int)_mm256_cvtss_f32(now.whole) + 1);
        __m256 level = _mm256_fmadd_ps(now.share, _mm256_sub_ps(now.high, now.low), now.low);
        x.low_where = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
        if (voids) {
            __m256 step = _mm256_cmp_ps(before.whole, now.whole, _CMP_NEQ_OQ);
            __m256 there = is_height(_mm256_blendv_ps(before.low, before.high, step));
            there = _mm256_and_ps(there, now.solid);
            x.low_where = _mm256_and_ps(there, simd_next(there));
            level = simd_only(level, now.solid);
            x.has_sample = _mm256_and_ps(x.has_sample, is_height(x.sample));
        }
        simd_pass_ring(&b, &x, level, old_0, old_1);
        before = now;
        had_sample = x.has_sample;
        distance = s.a;
    }
    chunk->peak[m / SIMD_BINS] = greatest_of_seven(b.peak);
    store_seven(&chunk->high[0][m], b.high_0);
    store_seven(&chunk->high[1][m], b.high_1);
    store_seven(&chunk->over[m], b.over);
    store_seven(&chunk->low[0][m], b.low_0);
    store_seven(&chunk->low[1][m], b.low_1);
}

SIMD_EACH void do_parts(lf__chunk *chunk, bool both, bool drifts, bool voids) {
    for (int m = 0; m < chunk->bins; m += SIMD_BINS)
        if (chunk->part[m / LF__PART_BINS])
            do_bins(chunk, m, both, drifts, voids);
        else if (drifts)
            pass_by(chunk, m);
}

SIMD_TARGET static void chunk_one(lf__chunk *chunk) {
    do_parts(chunk, false, false, false);
}

SIMD_TARGET static void chunk_one_drifts(lf__chunk *chunk) {
    do_parts(chunk, false, true, false);
}

SIMD_TARGET static void chunk_one_voids(lf__chunk *chunk) {
    do_parts(chunk, false, true, true);
}

SIMD_TARGET static void chunk_both(lf__chunk *chunk) {
    do_parts(chunk, true, true, false);
}

void lf__chunk_avx2(lf__chunk *chunk) {
    // Beyond the last bin nothing is known or needed.
    for (int m = chunk->bins; m < chunk->bins + 8; m++)
        chunk->high[0][m] = chunk->high[1][m] = chunk->over[m] = chunk->low[0][m] = chunk->low[1][m] = 0;
    if (chunk->sector->both)
        chunk_both(chunk);
    else if (chunk->voids)
        chunk_one_voids(chunk);
    else if (chunk->drifts)
        chunk_one_drifts(chunk);
    else
        chunk_one(chunk);
}

// ---------------------------------------------------------------------------------------------------
// Filling
// ---------------------------------------------------------------------------------------------------

/// Four consecutive samples.
SIMD_TARGET static inline __m256d four_samples(const lf__slope_row *row, const char *at) {
    ptrdiff_t step = row->step;
    if (row->type == LF_SAMPLE_FLOAT) {
        const float *p0 = (const void *)at, *p1 = (const void *)(at + step);
        const float *p2 = (const void *)(at + 2 * step), *p3 = (const void *)(at + 3 * step);
        return _mm256_cvtps_pd(step == (ptrdiff_t)sizeof(float) ? _mm_loadu_ps(p0)
                                                                : _mm_setr_ps(*p0, *p1, *p2, *p3));
    }
    if (row->type == LF_SAMPLE_INT16) {
        const int16_t *p0 = (const void *)at, *p1 = (const void *)(at + step);
        const int16_t *p2 = (const void *)(at + 2 * step), *p3 = (const void *)(at + 3 * step);
        if (step == (ptrdiff_t)sizeof(int16_t))
            return _mm256_cvtepi32_pd(_mm_cvtepi16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)at)));
        return _mm256_cvtepi32_pd(_mm_setr_epi32(*p0, *p1, *p2, *p3));
    }
    return _mm256_setr_pd(lf__sample_read(row->type, at), lf__sample_read(row->type, at + step),
                          lf__sample_read(row->type, at + 2 * step),
                          lf__sample_read(row->type, at + 3 * step));
}

/// `degree` is a constant at the call.
SIMD_EACH int slopes_of_degree(const lf__slope_row *row, float *slope, int degree) {
    const char *at = row->at;
    __m256d z = _mm256_set1_pd(row->z), per_a = _mm256_set1_pd(row->per_a), four = _mm256_set1_pd(4);
    __m256d b = _mm256_add_pd(_mm256_set1_pd(row->first), _mm256_setr_pd(0, 1, 2, 3));
    __m256d scale = _mm256_set1_pd(row->scale), offset = _mm256_set1_pd(row->offset);
    int k = 0;
    for (; k + 4 <= row->count || (k < row->count && k >= 4); k += 4, at += 4 * row->step) {
        if (k + 4 > row->count) { // the last four, some of them twice
            int back = k + 4 - row->count;
            k -= back;
            at -= back * row->step;
            b = _mm256_sub_pd(b, _mm256_set1_pd(back));
        }
        __m256d height = four_samples(row, at), less = _mm256_set1_pd(row->c[degree]);
        if (!row->plain)
            height = _mm256_add_pd(_mm256_mul_pd(height, scale), offset);
        for (int j = degree - 1; j >= 0; j--)
            less = _mm256_fmadd_pd(less, b, _mm256_set1_pd(row->c[j]));
        __m256d up = _mm256_fmsub_pd(_mm256_sub_pd(height, z), per_a, less);
        _mm_storeu_ps(&slope[k], _mm256_cvtpd_ps(up));
        b = _mm256_add_pd(b, four);
    }
    return k;
}

SIMD_TARGET void lf__slopes_avx2(const lf__slope_row *row, float *slope) {
    int k =
        row->degree == 2 ? slopes_of_degree(row, slope, 2) : slopes_of_degree(row, slope, LF__SERIES_USED);
    lf__slope_row rest = *row;
    rest.at += k * row->step;
    rest.count -= k;
    rest.first += k;
    lf__slopes_scalar(&rest, slope + k);
}

SIMD_TARGET void lf__slope_range_avx2(const float *slope, int count, float range[2]) {
    __m256 size = _mm256_setzero_ps(), step = size, sign = _mm256_set1_ps(-0.0f);
    int k = 0;
    for (; k + 9 <= count; k += 8) { // NAN is skipped: max then returns its second operand
        __m256 x = _mm256_loadu_ps(&slope[k]), d = _mm256_sub_ps(_mm256_loadu_ps(&slope[k + 1]), x);
        size = _mm256_max_ps(_mm256_andnot_ps(sign, x), size);
        step = _mm256_max_ps(_mm256_andnot_ps(sign, d), step);
    }
    lf__slope_range_scalar(slope + k, count - k, range);
    range[0] = fmaxf(range[0], greatest_of(size));
    range[1] = fmaxf(range[1], greatest_of(step));
}

#endif
