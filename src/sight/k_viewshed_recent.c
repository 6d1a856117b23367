/// Targets between the bounds, in floats: their lines against rings of the last chunks, whose slopes are still there.
///
/// For every bin the history has how high each ring reaches. Only the rings that reach the target, one or two as a rule, are
/// compared with its line, by the bounds that bins have at their borders (k_viewshed_bins.h): what is decided here, bins would
/// decide too if one of them had a border in the target's direction.
#include "base/k_simd.h"
#include "sight/viewshed_sweep.h"

#if LF__SIMD
#include <math.h>
#include <string.h>

/// Beyond the borders of a bin by less than this a target may be in it: places are rounded. In bins.
#define RECENT_BESIDE 0.03

/// Rings over which the place of a direction is known to within LF__SWEEP_OFF.
#define RECENT_RINGS 400

/// A target: ground below `least` is not in its way, ground above `most` hides it. Both are slopes of its own ring.
typedef struct recent_target {
    const lf__chunk *chunk;
    int64_t ring, b;
    float v, a, least, most;
    float rises, sinks; ///< as in lf__chunk
    float place;        ///< in bins
    int low, high;      ///< bins it may be in
    int low_block, high_block;
    uint64_t blocks;   ///< these as bits
    bool hidden, near; ///< near: too close to tell in floats
    __m256
        here; ///< by how much the ground of each of the last chunks may be higher for this ring than for its own
    __m256 before; ///< and all ground before it
} recent_target;

/// Chunks, a bit for each: the highest one of LF__RECENT for the last chunk.
typedef struct recent_chunks {
    unsigned reach;   ///< their ground may reach the target
    unsigned settled; ///< no ground before them does
} recent_chunks;

LF__SIMD_TARGET static inline recent_chunks recent_chunks_of(const recent_target *t, int m, int block) {
    const lf__recent_bounds *b = &t->chunk->bounds;
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 rise = _mm256_loadu_ps(b->rise[block]), least = _mm256_set1_ps(t->least);
    float at = t->place - (float)m;
    at = at < 0 ? 0 : at > 1 ? 1 : at;
    __m256 line = _mm256_fmadd_ps(_mm256_set1_ps(1e-5f), _mm256_andnot_ps(sign, rise),
                                  _mm256_mul_ps(_mm256_set1_ps(at), rise));
    least =
        _mm256_sub_ps(_mm256_fnmadd_ps(_mm256_set1_ps(1e-6f), _mm256_andnot_ps(sign, least), least), line);
    __m256 here = _mm256_sub_ps(least, t->here), before = _mm256_sub_ps(least, t->before);
    return (recent_chunks){
        (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(b->peak[m]), here, _CMP_GE_OQ)),
        (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(b->before[m]), before, _CMP_LT_OQ))};
}

/// Bits of numbers of chunks as bits of recent_chunks.
static inline unsigned recent_in_order(unsigned bits, int own) {
    return (bits | bits << LF__RECENT) >> (own % LF__RECENT + 1) & ((1u << LF__RECENT) - 1);
}

/// Which rings of a chunk reach a slope in a bin? A bit for each, the first ring of the chunk is the lowest one. By bins of that
/// time, which were wider.
LF__SIMD_TARGET static inline unsigned recent_rings(const recent_target *t, int k, int m, int block,
                                                    float least) {
    int halved = t->chunk->past[k].halved;
    float at = t->place - (float)(m >> halved << halved), wide = (float)(1 << halved),
          rise = t->chunk->past_rise[block][k];
    at = at < 0 ? 0 : at > wide ? wide : at;
    least -= rise * at + 1e-5f * wide * fabsf(rise) + 1e-6f * fabsf(least);
    const float *top = t->chunk->bounds.top[k % LF__RECENT][m >> halved];
    __m256 at_border = _mm256_set1_ps(least);
    int near = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(top), at_border, _CMP_GE_OQ)),
        far = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(top + 8), at_border, _CMP_GE_OQ));
    return (unsigned)(near | far << 8);
}

/// Where the direction crosses a ring: between two rows of the tile.
typedef struct recent_crossing {
    int row;
    float share, low, high;
} recent_crossing;

static inline recent_crossing recent_cross(const lf__recent_tile *tile, int r, float place) {
    float whole = place < tile->first[r] ? tile->first[r] : place > tile->last[r] ? tile->last[r] : place;
    int row = (int)whole;
    const float *slope = &tile->slope[r][row];
    return (recent_crossing){row, place - (float)row, slope[0], slope[1]};
}

/// The ground of a ring and of the strip before it.
static inline void recent_meet(recent_target *t, const lf__recent_tile *tile, int r) {
    float rings = (float)(t->ring - tile->base_ring - r), rows = (float)(t->b - tile->base);
    recent_crossing now = recent_cross(tile, r, rows - rings * t->v),
                    before = recent_cross(tile, r - 1, rows - (rings + 1) * t->v);
    float level = now.low + now.share * (now.high - now.low), a = tile->a[r], off = tile->off[r];
    bool step = before.row != now.row;
    float from = step ? before.high : before.low, d = (step ? now.low : now.high) - from;
    float from_off = step ? 1 - before.share : before.share, to_off = step ? now.share : 1 - now.share;
    float near = LF__SWEEP_OFF * a, share = from_off * a, more = fabsf(d) * (4 * near);
    float per_sum = 1 / (to_off * tile->a[r - 1] + share + near);
    float least = from + (d * share - more) * per_sum, most = from + (d * share + more) * per_sum;
    // Ground is lowered differently for targets that are farther away.
    float apart = a * (rings + 1);
    t->hidden |= (least > level ? least : level) - off > t->most + t->sinks * apart;
    t->near |= !((most > level ? most : level) + off < t->least - t->rises * apart);
}

/// The rings of a chunk up to a last one, which counts from 1.
LF__SIMD_TARGET static inline void recent_chunk(recent_target *t, int k, int last) {
    const lf__past *past = &t->chunk->past[k];
    const lf__recent_tile *tile = &t->chunk->tile[k % LF__RECENT];
    float x = t->a - (float)(t->ring - past->last),
          least = t->least - t->rises * x * (float)(t->ring - past->first + 1);
    unsigned rings = recent_rings(t, k, t->low, t->low_block, least);
    if (t->high != t->low)
        rings |= recent_rings(t, k, t->high, t->high_block, least);
    // Edges of a strip may begin at samples of the ring before it.
    for (rings = (rings | rings << 1) & ((1u << last) - 1); rings && !t->hidden;) {
        int r = 32 - __builtin_clz(rings);
        recent_meet(t, tile, r);
        rings &= ~(1u << (r - 1));
    }
}

/// Returns whether the target is decided.
LF__SIMD_TARGET static inline bool recent_decide(recent_target *t) {
    const lf__chunk *chunk = t->chunk;
    int own = chunk->past_count - 1;
    uint64_t bits = t->blocks;
    recent_chunks c = recent_chunks_of(t, t->low, t->low_block);
    if (t->high != t->low) {
        recent_chunks other = recent_chunks_of(t, t->high, t->high_block);
        c.reach |= other.reach;
        c.settled &= other.settled;
    }
    unsigned known = own < LF__RECENT ? ~0u << (LF__RECENT - 1 - own) : ~0u; // there are no others
    c.settled = recent_in_order(c.settled, own) & known;
    c.reach = recent_in_order(c.reach, own) & known;
    int last = c.settled ? 31 - __builtin_clz(c.settled) : 0;
    for (c.reach = c.reach >> last << last; c.reach;) {
        int bit = 31 - __builtin_clz(c.reach), k = own - (LF__RECENT - 1 - bit);
        c.reach &= ~(1u << bit);
        const lf__past *past = &chunk->past[k];
        if ((past->tile_blocks & bits) != bits || t->ring - past->first >= RECENT_RINGS)
            return false;
        recent_chunk(t, k, (int)((k == own ? t->ring : past->last + 1) - past->first));
        if (t->hidden)
            return true;
    }
    return c.settled && !t->near;
}

/// The target in a row of a ring; false: it is not decided.
LF__SIMD_TARGET static inline bool recent_target_at(recent_target *t, int r, int row, double place) {
    lf__chunk *chunk = (lf__chunk *)t->chunk;
    int most = chunk->bins - 1, per_block = 65536 / chunk->sweep->block + 1;
    t->b = chunk->base + row;
    t->place = (float)place;
    t->low = place > RECENT_BESIDE ? (int)(place - RECENT_BESIDE) : 0;
    t->high = (int)(place + RECENT_BESIDE);
    t->low = t->low < most ? t->low : most;
    t->high = t->high < most ? t->high : most;
    t->low_block = t->low * per_block >> 16;
    t->high_block = t->high * per_block >> 16;
    t->blocks = (uint64_t)1 << t->low_block | (uint64_t)1 << t->high_block;
    if ((chunk->past[chunk->past_count - 1].tile_blocks & t->blocks) != t->blocks)
        return false;
    t->least = chunk->slope[r][row] + chunk->ring[r].target_low;
    t->most = chunk->slope[r][row] + chunk->ring[r].target_high;
    t->hidden = t->near = false;
    if (!recent_decide(t))
        return false;
    chunk->out[r][row] = t->hidden ? LF_VISIBILITY_HIDDEN : LF_VISIBILITY_VISIBLE;
    return true;
}

/// How much higher the ground of the last chunks may be for a ring.
LF__SIMD_TARGET static inline void recent_margins(recent_target *t) {
    float here[LF__RECENT] = {0}, before[LF__RECENT] = {0};
    int own = t->chunk->past_count - 1;
    for (int k = own; k >= 0 && k > own - LF__RECENT && t->rises > 0; k--) {
        const lf__past *past = &t->chunk->past[k];
        float rings = t->rises * (float)(t->ring - past->first + 1);
        here[k % LF__RECENT] = (t->a - (float)(t->ring - past->last)) * rings;
        before[k % LF__RECENT] = t->a * rings;
    }
    t->here = _mm256_loadu_ps(here);
    t->before = _mm256_loadu_ps(before);
}

LF__SIMD_TARGET int lf__decide_ring_avx2(lf__chunk *chunk, int r, int first, int count, double v0) {
    const lf__sector *s = chunk->sector;
    recent_target t = {.chunk = chunk,
                       .ring = chunk->base_ring + r,
                       .a = chunk->ring[r].a,
                       .rises = 1.00001f * (float)chunk->rises,
                       .sinks = 1.00001f * (float)chunk->sinks};
    double per_a = 1 / ((double)t.ring - s->oa);
    int decided = 0;
    recent_margins(&t);
    for (int k = 0; k < count; k += 8) {
        uint64_t open; // these have the highest bit of their byte set; machines with vectors begin with the
                       // lowest byte
        memcpy(&open, &chunk->out[r][first + k], sizeof open);
        open &= 0x8080808080808080u;
        if (count - k < 8)
            open &= UINT64_MAX >> (8 * (8 - (count - k)));
        for (; open; open &= open - 1) {
            int row = first + k + __builtin_ctzll(open) / 8;
            double v = ((double)(chunk->base + row) - s->ob) * per_a;
            t.v = (float)v;
            decided += recent_target_at(&t, r, row, (v - v0) * chunk->all_bins);
        }
    }
    return decided;
}

// ---------------------------------------------------------------------------------------------------
// What is kept of a chunk
// ---------------------------------------------------------------------------------------------------

/// Four bins of a block whose rings have tops.
LF__SIMD_TARGET static inline void keep_four(lf__chunk *chunk, int k, int m) {
    lf__recent_bounds *b = &chunk->bounds;
    __m128 most = _mm_loadu_ps(&chunk->top[0][m]);
    for (int r = 0; r < LF__CHUNK_RINGS; r += 4) {
        __m128 x[4];
        for (int j = 0; j < 4; j++) {
            const float *top = chunk->top[r + j < chunk->rings ? r + j + 1 : chunk->rings];
            x[j] = _mm_loadu_ps(top + m);
        }
        if (r == 0)
            x[0] = _mm_max_ps(x[0], most);
        most = _mm_max_ps(_mm_max_ps(most, _mm_max_ps(x[0], x[1])), _mm_max_ps(x[2], x[3]));
        _MM_TRANSPOSE4_PS(x[0], x[1], x[2], x[3]);
        for (int j = 0; j < 4; j++)
            _mm_storeu_ps(&b->top[k][m + j][r], x[j]);
    }
    float peak[4];
    _mm_storeu_ps(peak, most);
    for (int j = 0; j < 4; j++)
        b->peak[m + j][k] = peak[j];
}

LF__SIMD_TARGET void lf__recent_keep_avx2(lf__chunk *chunk) {
    int last = chunk->past_count - 1, k = last % LF__RECENT, block = chunk->sweep->block;
    lf__recent_bounds *b = &chunk->bounds;
    if (last >= LF__HISTORY)
        return;
    const lf__past *past = &chunk->past[last];
    for (int g = 0; g < lf__peak_groups(chunk); g++) {
        float rise = chunk->past_rise[g][last], peak = chunk->past_peak[g][last];
        bool done = past->done_blocks >> g & 1, tile = past->tile_blocks >> g & 1;
        b->rise[g][k] = rise;
        for (int m = g * block; m < (g + 1) * block; m++) {
            b->peak[m][k] = peak - (rise < 0 ? rise : 0);
            b->before[m][k] = done ? chunk->recent_before[k][m] : LF_INFINITY;
        }
        for (int m = g * block; tile && m < (g + 1) * block; m += 4)
            keep_four(chunk, k, m + 4 <= (g + 1) * block ? m : (g + 1) * block - 4);
    }
}

#endif
