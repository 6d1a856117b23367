/// Chunks of a viewshed by vectors: one border of a bin per lane, ring after ring in registers.
///
/// k_viewshed.c includes this file once for each width, with BINS_LANES (8 or 16) and BINS_TARGET defined.
/// Computes what lf__chunk_scalar computes where all squares are solid; only rounding differs, within the
/// slack of the bounds. So the verdicts are the same.

#define BINS_JOIN(name, lanes) name##_##lanes
#define BINS_JOIN_ALL(name, lanes) BINS_JOIN(name, lanes)
#define BINS(name) BINS_JOIN_ALL(name, BINS_LANES)

/// For functions whose flags are constants at the call.
#define BINS_EACH BINS_TARGET __attribute__((always_inline)) static inline

/// Bins between the borders of one vector, and a bit for each of them.
#define BINS_COUNT (BINS_LANES - 1)
#define BINS_BITS ((1 << BINS_COUNT) - 1)

#include "sight/k_viewshed_lanes.h"

#define VEC BINS(vec)
#define MASK BINS(mask)

// ---------------------------------------------------------------------------------------------------
// Borders at a ring
// ---------------------------------------------------------------------------------------------------

typedef struct BINS(at_ring) {
    VEC whole;        ///< row of the sample before
    VEC share, rest;  ///< fractions of the step to the next sample, and from it
    VEC low, high;    ///< slopes of the two samples
    VEC below, above; ///< and of those around them; only for `both` and with voids
    MASK solid;       ///< with voids: the two are heights
} BINS(at_ring);

BINS_EACH MASK BINS(is_height)(VEC slope) {
    return V_LESS(V_SET(LF__VOID_LIMIT), slope);
}

/// Bins are no wider than a sample: as many consecutive samples as lanes cover them.
BINS_EACH BINS(at_ring)
    BINS(cross_ring)(const lf__chunk *chunk, int r, VEC place, VEC v, bool around, bool voids) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    BINS(at_ring) at;
    VEC here = V_FMA(V_SET((float)r), v, place);
    at.whole = V_FLOOR(here);
    at.whole = V_MAX(at.whole, V_SET(ring->first));
    at.whole = V_MIN(at.whole, V_SET(ring->last));
    at.share = V_SUB(here, at.whole);
    at.rest = V_SUB(V_SET(1), at.share);
#if BINS_LANES == 16
    __m512i row = _mm512_cvtps_epi32(at.whole);
    int first = _mm_cvtsi128_si32(_mm512_castsi512_si128(row));
    __m512i index = _mm512_sub_epi32(row, _mm512_set1_epi32(first));
    const float *slope = &chunk->slope[r][first];
#define BINS_FETCH(p) _mm512_permutexvar_ps(index, _mm512_loadu_ps(p))
#else
    __m256i row = _mm256_cvtps_epi32(at.whole);
    int first = _mm_cvtsi128_si32(_mm256_castsi256_si128(row));
    __m256i index = _mm256_sub_epi32(row, _mm256_set1_epi32(first));
    const float *slope = &chunk->slope[r][first];
#define BINS_FETCH(p) _mm256_permutevar8x32_ps(_mm256_loadu_ps(p), index)
#endif
    at.low = BINS_FETCH(slope);
    at.high = BINS_FETCH(slope + 1);
    if (voids)
        at.solid = M_AND(BINS(is_height)(at.low), BINS(is_height)(at.high));
    if (around) {
        at.below = BINS_FETCH(slope - 1);
        at.above = BINS_FETCH(slope + 2);
    }
#undef BINS_FETCH
    return at;
}

typedef struct BINS(scales) {
    VEC a, before, off, off4; ///< distances of this ring and the one before, and their rounding errors
} BINS(scales);

/// Slopes of ground, between `least` and `most`.
typedef struct BINS(range) {
    VEC least, most;
} BINS(range);

/// As chunk_passed of the scalar path.
BINS_EACH BINS(range) BINS(passed)(VEC from, VEC to, VEC from_off, VEC to_off, const BINS(scales) * s) {
    VEC share = V_MUL(from_off, s->a), d = V_SUB(to, from);
    VEC sum = V_FMA(to_off, s->before, V_ADD(share, s->off));
    VEC per_sum = V_DIV(V_SET(1), sum), more = V_MUL(V_ABS(d), s->off4);
    return (BINS(range)){V_FMA(V_FMS(d, share, more), per_sum, from),
                         V_FMA(V_FMA(d, share, more), per_sum, from)};
}

/// The one edge that is crossed where squares are cut along one diagonal.
BINS_EACH BINS(range)
    BINS(inner_one)(const BINS(at_ring) * b, const BINS(at_ring) * n, const BINS(scales) * s, bool voids) {
    MASK step = V_DIFFER(b->whole, n->whole);
    VEC from = V_IF(step, b->high, b->low), to = V_IF(step, n->low, n->high);
    BINS(range)
    inner = BINS(passed)(from, to, V_IF(step, b->rest, b->share), V_IF(step, n->share, n->rest), s);
    if (voids) { // its ends may be voids
        MASK there = M_AND(BINS(is_height)(from), BINS(is_height)(to));
        VEC none = V_SET(-LF__FAR_SLOPE);
        inner = (BINS(range)){V_IF(there, inner.least, none), V_IF(there, inner.most, none)};
    }
    return inner;
}

/// All edges that may exist where squares may be cut along either diagonal: there is no lower bound.
BINS_EACH BINS(range)
    BINS(inner_both)(const BINS(at_ring) * b, const BINS(at_ring) * n, const BINS(scales) * s) {
    MASK step = V_DIFFER(b->whole, n->whole);
    VEC one = V_SET(1), most = BINS(passed)(b->high, n->low, b->rest, n->share, s).most;
    // Without a step the other diagonal; with a step that of the square before.
    VEC more = BINS(passed)(V_IF(step, b->high, b->low), V_IF(step, n->below, n->high),
                            V_IF(step, b->rest, b->share), V_IF(step, V_ADD(one, n->share), n->rest), s)
                   .most;
    VEC last = BINS(passed)(b->above, n->low, V_ADD(one, b->rest), n->share, s).most;
    most = V_MAX(most, more);
    most = V_IF(step, V_MAX(most, last), most);
    return (BINS(range)){V_SET(-LF__FAR_SLOPE), most};
}

// ---------------------------------------------------------------------------------------------------
// Bins
// ---------------------------------------------------------------------------------------------------

/// The bounds of some bins, as in lf__chunk.
typedef struct BINS(bounds) {
    VEC high_0, high_1, over, low_0, low_1;
    VEC void_high, void_low;
    VEC rise; ///< of the line below which `top` is
    VEC top;  ///< of the ground of the ring and of the strip before it, at the first border
} BINS(bounds);

/// Bins at a ring: the samples in them.
typedef struct BINS(in_bins) {
    const lf__chunk_ring *ring;
    VEC off;
    MASK has_sample;
    VEC sample, share, share_off; ///< its slope, the fraction of the bin before it, and the error of that
    MASK low_where;               ///< bins whose ring is ground throughout
} BINS(in_bins);

BINS_EACH VEC BINS(line_at)(const BINS(in_bins) * x, VEC first, VEC last) {
    return V_FMA(x->share, V_SUB(last, first), first);
}

/// A line in the direction of the sample, and its rounding error.
BINS_EACH VEC BINS(line_most)(const BINS(in_bins) * x, VEC first, VEC last) {
    VEC d = V_SUB(last, first);
    return V_FMA(x->share_off, V_ABS(d), V_FMA(x->share, d, first));
}

BINS_EACH VEC BINS(line_least)(const BINS(in_bins) * x, VEC first, VEC last) {
    VEC d = V_SUB(last, first);
    return V_FNMA(x->share_off, V_ABS(d), V_FMA(x->share, d, first));
}

BINS_EACH void BINS(raise_high)(BINS(bounds) * b, VEC first, VEC last) {
    b->high_0 = V_MAX(b->high_0, first);
    b->high_1 = V_MAX(b->high_1, last);
}

BINS_EACH void BINS(raise_low)(BINS(bounds) * b, VEC first, VEC last, MASK where) {
    MASK better = M_AND(V_LESS(V_ADD(b->low_0, b->low_1), V_ADD(first, last)), where);
    b->low_0 = V_IF(better, first, b->low_0);
    b->low_1 = V_IF(better, last, b->low_1);
}

/// Results of the bins of a vector, by bits. What is in none of them is open.
typedef struct BINS(verdicts) {
    int visible, hidden;
    int behind_void, maybe_void;
} BINS(verdicts);

/// Write the results of the samples of a ring in some of the bins, one byte each, from row `first` on.
BINS_EACH void BINS(write_samples)(lf__chunk *chunk, int r, int first, int samples, const BINS(verdicts) * v,
                                   bool voids) {
    uint8_t *out = &chunk->out[r][first];
#if BINS_LANES == 16
    __m512i bytes = _mm512_mask_mov_epi32(_mm512_set1_epi32(LF__SEEN_OPEN), (__mmask16)v->visible,
                                          _mm512_set1_epi32(LF_VISIBILITY_VISIBLE));
    bytes = _mm512_maskz_mov_epi32((__mmask16)~v->hidden, bytes);
    if (voids) {
        bytes = _mm512_mask_mov_epi32(bytes, (__mmask16)v->behind_void, _mm512_set1_epi32(chunk->void_byte));
        bytes =
            _mm512_mask_mov_epi32(bytes, (__mmask16)v->maybe_void, _mm512_set1_epi32(LF__SEEN_MAYBE_VOID));
    }
    bytes = _mm512_maskz_compress_epi32((__mmask16)samples, bytes);
    _mm_storeu_si128((__m128i *)(void *)out, _mm512_cvtepi32_epi8(bytes));
#else
    __m128i bit = _mm_cvtsi64_si128((int64_t)0x8040201008040201u);
#define BINS_BYTES(bits) _mm_cmpeq_epi8(_mm_and_si128(_mm_set1_epi8((char)(bits)), bit), bit)
    __m128i bytes = _mm_blendv_epi8(_mm_set1_epi8((char)LF__SEEN_OPEN), _mm_set1_epi8(LF_VISIBILITY_VISIBLE),
                                    BINS_BYTES(v->visible));
    bytes = _mm_andnot_si128(BINS_BYTES(v->hidden), bytes);
    if (voids) {
        bytes = _mm_blendv_epi8(bytes, _mm_set1_epi8((char)chunk->void_byte), BINS_BYTES(v->behind_void));
        bytes = _mm_blendv_epi8(bytes, _mm_set1_epi8((char)LF__SEEN_MAYBE_VOID), BINS_BYTES(v->maybe_void));
    }
#undef BINS_BYTES
    bytes = _mm_shuffle_epi8(bytes,
                             _mm_loadl_epi64((const __m128i *)(const void *)chunk->sweep->packing[samples]));
    _mm_storel_epi64((__m128i *)(void *)out, bytes);
#endif
    chunk->any = true;
}

/// Targets on the ring.
BINS_EACH void BINS(classify)(lf__chunk *chunk, int r, const BINS(bounds) * b, const BINS(in_bins) * x,
                              int first, bool voids) {
    int samples = M_BITS(x->has_sample) & BINS_BITS;
    VEC most_target = V_ADD(x->sample, V_SET(x->ring->target_high));
    BINS(verdicts)
    v = {.hidden = M_BITS(V_LESS(most_target, BINS(line_least)(x, b->low_0, b->low_1)))};
    if (voids)
        v.hidden |= ~M_BITS(BINS(is_height)(x->sample));
    if (!(samples & ~v.hidden))
        return;
    VEC least_target = V_ADD(x->sample, V_SET(x->ring->target_low));
    VEC upper = V_FMA(b->over, V_SET(LF__OVER_ROUNDED), BINS(line_most)(x, b->high_0, b->high_1));
    v.visible = M_BITS(V_LESS(upper, least_target));
    if (voids) {
        int over_voids = M_BITS(V_LESS(b->void_high, least_target)),
            under_voids = M_BITS(V_LESS(most_target, b->void_low));
        v.visible &= M_BITS(BINS(is_height)(x->sample));
        v.behind_void = v.visible & ~over_voids & under_voids;
        v.maybe_void = v.visible & ~over_voids & ~under_voids;
    }
    v.hidden &= ~v.visible;
    BINS(write_samples)(chunk, r, first, samples, &v, voids);
}

/// The ground of the strip, which reaches `strip` at the borders, and on the ring itself.
BINS_EACH void BINS(pass_ring)(BINS(bounds) * b, const BINS(in_bins) * x, VEC level, VEC strip) {
    VEC next_level = V_NEXT(level), zero = V_SET(0), old_0 = b->high_0, old_1 = b->high_1;
    VEC ground = V_MAX(V_ADD(level, x->off), strip), next_ground = V_NEXT(ground);
    BINS(raise_high)(b, ground, next_ground);
    b->top = V_MAX(ground, V_SUB(next_ground, b->rise));
    VEC risen = V_MIN(V_SUB(b->high_0, old_0), V_SUB(b->high_1, old_1));
    VEC over = V_FNMA(V_SET(LF__OVER_SINKS), risen, b->over);
    VEC sample = V_ADD(x->sample, x->off);
    VEC above = V_SUB(sample, BINS(line_least)(x, b->high_0, b->high_1));
    b->over = V_MAX(V_MAX(over, zero), V_ONLY(x->has_sample, above));
    VEC at_border = V_FMA(x->share_off, V_ABS(b->rise), V_FNMA(x->share, b->rise, sample));
    b->top = V_IF(x->has_sample, V_MAX(b->top, at_border), b->top);
    VEC dip = V_SUB(BINS(line_most)(x, level, next_level), x->sample);
    dip = V_ADD(V_ONLY(x->has_sample, V_MAX(dip, zero)), x->off);
    BINS(raise_low)(b, V_SUB(level, dip), V_SUB(next_level, dip), x->low_where);
}

// ---------------------------------------------------------------------------------------------------
// Voids
// ---------------------------------------------------------------------------------------------------

/// Voids at a ring: samples beside the bins, one more on either side than needed, because places are rounded.
typedef struct BINS(voids_at) {
    MASK none, all; ///< no sample beside the bin is a void; all of them are
    VEC lower;      ///< lowering / a and the plane's slope at the borders
} BINS(voids_at);

BINS_EACH BINS(voids_at) BINS(voids_of)(const lf__chunk *chunk, int r, const BINS(at_ring) * at, VEC v) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    MASK below = BINS(is_height)(at->below), above = BINS(is_height)(at->above);
    MASK low = BINS(is_height)(at->low), high = BINS(is_height)(at->high);
    MASK none = M_AND(M_AND(below, above), at->solid);
    MASK all = M_NOT(M_OR(M_OR(below, above), M_OR(low, high)));
    VEC b = V_MUL(v, V_SET(ring->a)), lower = V_SET(ring->less[LF__SERIES_USED]);
    for (int j = LF__SERIES_USED - 1; j >= 0; j--)
        lower = V_FMA(lower, b, V_SET(ring->less[j]));
    return (BINS(voids_at)){M_AND(none, M_NEXT(none)), M_AND(all, M_NEXT(all)), lower};
}

/// Voids between the last ring and this one are in the way of targets on this one.
BINS_EACH void BINS(pass_void_strip)(BINS(bounds) * b, const lf__chunk_ring *ring,
                                     const BINS(voids_at) * before, const BINS(voids_at) * now) {
    VEC lower = V_MIN(before->lower, now->lower);
    VEC most = V_SUB(V_SET(ring->void_most), V_MIN(lower, V_NEXT(lower)));
    MASK none = M_AND(before->none, now->none);
    b->void_high = V_IF(none, b->void_high, V_MAX(b->void_high, most));
}

/// Voids all along a ring are in the way of everything behind it.
BINS_EACH void BINS(pass_void_ring)(BINS(bounds) * b, const lf__chunk_ring *ring,
                                    const BINS(voids_at) * now) {
    VEC least = V_SUB(V_SET(ring->void_least), V_MAX(now->lower, V_NEXT(now->lower)));
    b->void_low = V_IF(now->all, V_MAX(b->void_low, least), b->void_low);
}

// ---------------------------------------------------------------------------------------------------
// Chunks
// ---------------------------------------------------------------------------------------------------

BINS_EACH BINS(bounds) BINS(load_bounds)(const lf__chunk *chunk, int m, bool voids) {
    BINS(bounds)
    b = {.high_0 = V_LOAD(&chunk->high[0][m]),
         .high_1 = V_LOAD(&chunk->high[1][m]),
         .over = V_LOAD(&chunk->over[m]),
         .low_0 = V_LOAD(&chunk->low[0][m]),
         .low_1 = V_LOAD(&chunk->low[1][m])};
    if (voids) {
        b.void_high = V_LOAD(&chunk->void_high[m]);
        b.void_low = V_LOAD(&chunk->void_low[m]);
    }
    return b;
}

/// The last lane has no border after it: it belongs to the next bins.
BINS_EACH void BINS(store)(float *out, VEC x) {
#if BINS_LANES == 16
    _mm512_mask_storeu_ps(out, BINS_BITS, x);
#else
    _mm256_storeu_ps(out, _mm256_blend_ps(x, _mm256_loadu_ps(out), 0x80));
#endif
}

BINS_EACH void BINS(store_bounds)(lf__chunk *chunk, int m, const BINS(bounds) * b, bool voids) {
    BINS(store)(&chunk->high[0][m], b->high_0);
    BINS(store)(&chunk->high[1][m], b->high_1);
    BINS(store)(&chunk->over[m], b->over);
    BINS(store)(&chunk->low[0][m], b->low_0);
    BINS(store)(&chunk->low[1][m], b->low_1);
    if (voids) {
        BINS(store)(&chunk->void_high[m], b->void_high);
        BINS(store)(&chunk->void_low[m], b->void_low);
    }
}

/// Greatest of the bins of a vector, without the last lane.
BINS_EACH float BINS(greatest_of_bins)(VEC x) {
#if BINS_LANES == 16
    return _mm512_mask_reduce_max_ps(BINS_BITS, x);
#else
    return greatest_of(_mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 0)));
#endif
}

/// Upper bound of the slopes of ground and targets of some bins in the chunk and in the strip before it, from
/// all samples around them; or, without voids, less than that and more than `enough`. `beside`: there are voids among these.
BINS_EACH float BINS(greatest_around)(const lf__chunk *chunk, int m, bool both, bool voids, bool *beside,
                                      float enough) {
    VEC most = V_SET(-INFINITY), least = V_SET(INFINITY);
    for (int r = 0; r <= chunk->rings; r++) {
        if (!voids && r % 4 == 2 && M_BITS(V_LESS(V_SET(enough), most)))
            break;
        const lf__chunk_ring *ring = &chunk->ring[r];
        float place = chunk->place[m] + (float)r * chunk->v[m]; // positive: the cast is floor
        place = place > ring->first ? place : ring->first;
        place = place < ring->last ? place : ring->last;
        // One more on either side than needed: places are rounded differently elsewhere.
        const float *slope = &chunk->slope[r][(int)place];
        VEC first = V_LOAD(slope - (both || voids ? 2 : 1)), last = V_LOAD(slope + 3);
        most = V_MAX(most, V_ADD(V_MAX(first, last), V_SET(ring->target_high)));
        if (voids)
            least = V_MIN(least, V_MIN(first, last));
    }
    *beside = voids && -V_GREATEST(V_SUB(V_SET(0), least)) < LF__VOID_LIMIT;
    return V_GREATEST(most);
}

/// Is everything in the chunk below the horizon of some bins? Then nothing of them changes.
BINS_EACH bool BINS(all_below)(lf__chunk *chunk, int m, bool both, bool voids) {
    VEC low = V_MIN(V_LOAD(&chunk->low[0][m]), V_LOAD(&chunk->low[1][m]));
    float least = -BINS(greatest_of_bins)(V_SUB(V_SET(0), low));
    bool beside;
    float most = BINS(greatest_around)(chunk, m, both, voids, &beside, least - chunk->sink);
    chunk->peak[m / BINS_COUNT] = most;
    chunk->void_blocks |= (uint64_t)beside << (m / BINS_COUNT);
    most = beside && chunk->void_top > most ? chunk->void_top : most;
    chunk->done[m / BINS_COUNT] = !(most < least - chunk->sink);
    return !chunk->done[m / BINS_COUNT];
}

/// Bins of a chunk that are skipped: their ground is farther away all the same.
BINS_EACH void BINS(pass_by)(lf__chunk *chunk, int m, bool voids) {
    VEC rise = V_SET(chunk->rise), sink = V_SET(chunk->sink);
    BINS(bounds) b = BINS(load_bounds)(chunk, m, voids);
    b.high_0 = V_ADD(b.high_0, rise);
    b.high_1 = V_ADD(b.high_1, rise);
    b.low_0 = V_SUB(b.low_0, sink);
    b.low_1 = V_SUB(b.low_1, sink);
    if (voids) {
        b.void_high = V_ADD(b.void_high, rise);
        b.void_low = V_SUB(b.void_low, sink);
    }
    BINS(store_bounds)(chunk, m, &b, voids);
}

/// Ground that has been passed is now one ring farther from its targets.
BINS_EACH void BINS(drift)(BINS(bounds) * b, const lf__chunk_ring *ring, bool voids) {
    VEC rise = V_SET(ring->rise), sink = V_SET(ring->sink);
    b->high_0 = V_ADD(b->high_0, rise);
    b->high_1 = V_ADD(b->high_1, rise);
    b->low_0 = V_SUB(b->low_0, sink);
    b->low_1 = V_SUB(b->low_1, sink);
    if (voids) {
        b->void_high = V_ADD(b->void_high, rise);
        b->void_low = V_SUB(b->void_low, sink);
    }
}

/// With voids: where the ring is ground throughout the bin, and only real slopes.
BINS_EACH VEC BINS(only_ground)(const BINS(at_ring) * before, const BINS(at_ring) * now, VEC level,
                                BINS(in_bins) * x) {
    MASK step = V_DIFFER(before->whole, now->whole);
    MASK there = M_AND(BINS(is_height)(V_IF(step, before->high, before->low)), now->solid);
    x->low_where = M_AND(there, M_NEXT(there));
    x->has_sample = M_AND(x->has_sample, BINS(is_height)(x->sample));
    // A border that passes through a sample, or nearly, has the ground of that sample, whatever is beside it.
    VEC close = V_SET(4 * LF__SWEEP_OFF), none = V_SET(-LF__FAR_SLOPE);
    VEC first = V_IF(M_AND(V_LESS(now->share, close), BINS(is_height)(now->low)), now->low, none),
        last = V_IF(M_AND(V_LESS(now->rest, close), BINS(is_height)(now->high)), now->high, none);
    return V_IF(now->solid, level, V_MAX(first, last));
}

/// How much the bounds of the ground of a block rise per bin: as the horizon does. Where that is a line, as on water,
/// one number for the whole block, or for a bin, would be far above most of its ground.
BINS_EACH float BINS(part_rise)(lf__chunk *chunk, int m) {
    float first = chunk->high[0][m], last = chunk->high[1][m + BINS_COUNT - 1], rise = last - first;
    // A horizon that changes a lot beside voids or near the observer says nothing about the ground behind it.
    rise = fabsf(rise) < 0.25f * (fabsf(first) + fabsf(last)) && fabsf(rise) < 1e6f ? rise / BINS_COUNT : 0;
    chunk->part_rise[m / BINS_COUNT] = rise;
    return rise;
}

/// The line that rises by so much per bin and is above those of all bins, at the first border.
BINS_EACH float BINS(part_bound)(VEC peak, float rise) {
    float most = BINS(greatest_of_bins)(V_FNMA(V_LANES, V_SET(rise), peak));
    return most + 1e-6f * (fabsf(most) + BINS_LANES * fabsf(rise));
}

BINS_EACH void BINS(do_bins)(lf__chunk *chunk, int m, bool both, bool drifts, bool voids) {
    if (BINS(all_below)(chunk, m, both, voids)) {
        if (drifts)
            BINS(pass_by)(chunk, m, voids);
        return;
    }
    VEC place = V_LOAD(&chunk->place[m]), v = V_LOAD(&chunk->v[m]);
    BINS(bounds) b = BINS(load_bounds)(chunk, m, voids);
    BINS(at_ring) before = BINS(cross_ring)(chunk, 0, place, v, both || voids, voids);
    BINS(voids_at) voids_before, voids_now;
    MASK had_sample = V_DIFFER(V_NEXT(before.whole), before.whole);
    // Edges of the first strip may begin at samples of the ring before it.
    VEC sample = V_ADD(V_NEXT(before.low), V_SET(chunk->ring[0].off));
    float rise = BINS(part_rise)(chunk, m);
    b.rise = V_SET(rise);
    if (voids) {
        had_sample = M_AND(had_sample, BINS(is_height)(V_NEXT(before.low)));
        voids_before = BINS(voids_of)(chunk, 0, &before, v);
    }
    // Somewhere in the bin: at its first border that is less, or more.
    sample = V_SUB(sample, V_MIN(b.rise, V_SET(0)));
    VEC peak = V_IF(had_sample, sample, V_SET(-INFINITY)), most_peak = peak;
    VEC ground = V_FMA(b.over, V_SET(LF__OVER_ROUNDED), V_MAX(b.high_0, V_SUB(b.high_1, b.rise)));
    BINS(store)(&chunk->recent_before[chunk->past_count % LF__RECENT][m], ground);
    float *part_peak = chunk->part_peak[m / BINS_COUNT];
    float(*recent)[LF__BINS_SPACE] = lf__recent_parts(chunk);
    for (int k = (chunk->rings + LF__PART_RINGS - 1) / LF__PART_RINGS; k < LF__RING_PARTS; k++) {
        part_peak[k] = -INFINITY;
        BINS(store)(&recent[k][m], V_SET(-INFINITY));
    }
    BINS(store)(&chunk->top[0][m], peak);
    VEC distance = V_SET(chunk->ring[0].a), one = V_SET(1);
    for (int r = 1; r <= chunk->rings; r++) {
        const lf__chunk_ring *ring = &chunk->ring[r];
        BINS(at_ring) now = BINS(cross_ring)(chunk, r, place, v, both || voids, voids);
        BINS(scales) s = {.a = V_SET(ring->a), .before = distance};
        s.off = V_MUL(s.a, V_SET(LF__SWEEP_OFF));
        s.off4 = V_MUL(s.off, V_SET(4));
        BINS(in_bins)
        x = {.ring = ring, .off = V_SET(ring->off), .sample = V_NEXT(now.low), .low_where = M_ALL};
        x.share_off = V_SET(ring->share_off);
        x.has_sample = V_DIFFER(V_NEXT(now.whole), now.whole);
        x.share = V_FNMA(V_NEXT(now.share), V_SET(ring->per_bin), one);
        x.share = V_MIN(V_MAX(x.share, V_SET(0)), one);
        if (drifts)
            BINS(drift)(&b, ring, voids);
        if (voids) {
            voids_now = BINS(voids_of)(chunk, r, &now, v);
            BINS(pass_void_strip)(&b, ring, &voids_before, &voids_now);
        }
        // No edge of the strip is in the way of a target on the ring, unless squares may be cut along the
        // other diagonal.
        int first = (int)V_FIRST(now.whole) + 1;
        if (!both)
            BINS(classify)(chunk, r, &b, &x, first, voids);
        BINS(range)
        inner = both ? BINS(inner_both)(&before, &now, &s) : BINS(inner_one)(&before, &now, &s, voids);
        VEC most = V_ADD(inner.most, x.off);
        if (!both && !voids) { // the same edge on both borders
            VEC least = V_SUB(inner.least, x.off);
            BINS(raise_low)(&b, least, V_NEXT(least), M_NOT(M_OR(x.has_sample, had_sample)));
        }
        if (both) {
            BINS(bounds) raised = b; // with the strip, but not the ring
            BINS(raise_high)(&raised, most, V_NEXT(most));
            BINS(classify)(chunk, r, &raised, &x, first, false);
        }
        VEC level = V_FMA(now.share, V_SUB(now.high, now.low), now.low);
        if (voids)
            level = BINS(only_ground)(&before, &now, level, &x);
        BINS(pass_ring)(&b, &x, level, most);
        if (voids) {
            BINS(pass_void_ring)(&b, ring, &voids_now);
            voids_before = voids_now;
        }
        BINS(store)(&chunk->top[r][m], b.top);
        peak = V_MAX(peak, b.top);
        if (r % LF__PART_RINGS == 0 || r == chunk->rings) {
            part_peak[(r - 1) / LF__PART_RINGS] = BINS(part_bound)(peak, rise);
            BINS(store)(&recent[(r - 1) / LF__PART_RINGS][m], peak);
            most_peak = V_MAX(most_peak, peak);
            peak = b.top; // edges of the next strip may begin on this ring
        }
        before = now;
        had_sample = x.has_sample;
        distance = s.a;
    }
    most_peak = V_ADD(most_peak, V_MAX(b.rise, V_SET(0)));
    chunk->peak[m / BINS_COUNT] = BINS(greatest_of_bins)(most_peak);
    BINS(store_bounds)(chunk, m, &b, voids);
}

#include "sight/k_viewshed_flat.h"

BINS_EACH void BINS(do_parts)(lf__chunk *chunk, bool both, bool drifts, bool voids) {
    for (int m = 0; m < chunk->bins;) {
        if (chunk->flat.done[m / BINS_COUNT]) {
            m = BINS(write_flat)(chunk, m);
            continue;
        }
        if (chunk->part[m / chunk->part_bins])
            BINS(do_bins)(chunk, m, both, drifts, voids);
        else {
            chunk->done[m / BINS_COUNT] = false;
            if (drifts)
                BINS(pass_by)(chunk, m, voids);
        }
        m += BINS_COUNT;
    }
    chunk->tops = true;
}

BINS_TARGET static void BINS(chunk_one)(lf__chunk *chunk) {
    BINS(do_parts)(chunk, false, false, false);
}

BINS_TARGET static void BINS(chunk_one_drifts)(lf__chunk *chunk) {
    BINS(do_parts)(chunk, false, true, false);
}

BINS_TARGET static void BINS(chunk_one_voids)(lf__chunk *chunk) {
    BINS(do_parts)(chunk, false, true, true);
}

BINS_TARGET static void BINS(chunk_both)(lf__chunk *chunk) {
    BINS(do_parts)(chunk, true, true, false);
}

static void BINS(chunk)(lf__chunk *chunk) {
    if (chunk->sector->both)
        BINS(chunk_both)(chunk);
    else if (chunk->voids || chunk->behind_void)
        BINS(chunk_one_voids)(chunk);
    else if (chunk->drifts)
        BINS(chunk_one_drifts)(chunk);
    else
        BINS(chunk_one)(chunk);
}

#undef BINS_JOIN
#undef BINS_JOIN_ALL
#undef BINS
#undef BINS_EACH
#undef BINS_COUNT
#undef BINS_BITS
#undef VEC
#undef MASK
#undef BINS_LANES
#undef BINS_TARGET
