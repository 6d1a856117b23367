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

/// Targets that take each step together: a processor that waits for one of them, or has guessed its next step wrong, has others.
#define RECENT_BATCH 64

/// A target: ground below `least` is not in its way, ground above `most` hides it. Both are slopes of its own ring.
typedef struct recent_target {
    int64_t ring, b;
    uint8_t *out;
    float v, a, least, most;
    float place;   ///< in bins
    int low, high; ///< bins it may be in
    int low_block, high_block;
    uint64_t blocks;  ///< these as bits
    int k;            ///< the chunk that is next
    unsigned reach;   ///< chunks after that, as in recent_chunks
    unsigned rings;   ///< of chunk k that may reach it, a bit for each
    int hidden, near; ///< by rings; near: too close to tell in floats
    bool settled;     ///< no ground before the last chunks reaches it
    bool lost;        ///< a chunk that may reach it cannot be read
} recent_target;

typedef struct recent_batch {
    lf__chunk *chunk;
    float rises, sinks; ///< as in lf__chunk
    __m256
        here; ///< by how much the ground of each of the last chunks may be higher for a ring than for its own
    __m256 before; ///< and all ground before it
    int decided, count;
    recent_target target[RECENT_BATCH];
} recent_batch;

/// Chunks, a bit for each: the highest one of LF__RECENT for the last chunk.
typedef struct recent_chunks {
    unsigned reach;   ///< their ground may reach the target
    unsigned settled; ///< no ground before them does
} recent_chunks;

LF__SIMD_TARGET static inline recent_chunks recent_chunks_of(const recent_batch *x, const recent_target *t,
                                                             int m, int block) {
    const lf__recent_bounds *b = &x->chunk->bounds;
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 rise = _mm256_loadu_ps(b->rise[block]), least = _mm256_set1_ps(t->least);
    float at = t->place - (float)m;
    at = at < 0 ? 0 : at > 1 ? 1 : at;
    __m256 line = _mm256_fmadd_ps(_mm256_set1_ps(1e-5f), _mm256_andnot_ps(sign, rise),
                                  _mm256_mul_ps(_mm256_set1_ps(at), rise));
    least =
        _mm256_sub_ps(_mm256_fnmadd_ps(_mm256_set1_ps(1e-6f), _mm256_andnot_ps(sign, least), least), line);
    __m256 here = _mm256_sub_ps(least, x->here), before = _mm256_sub_ps(least, x->before);
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
LF__SIMD_TARGET static inline unsigned recent_rings(const lf__chunk *chunk, const recent_target *t, int m,
                                                    int block, float least) {
    int k = t->k, halved = chunk->past[k].halved;
    float at = t->place - (float)(m >> halved << halved), wide = (float)(1 << halved),
          rise = chunk->past_rise[block][k];
    at = at < 0 ? 0 : at > wide ? wide : at;
    least -= rise * at + 1e-5f * wide * fabsf(rise) + 1e-6f * fabsf(least);
    const float *top = chunk->bounds.top[k % LF__RECENT][m >> halved];
    __m256 at_border = _mm256_set1_ps(least);
    int near = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(top), at_border, _CMP_GE_OQ)),
        far = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(top + 8), at_border, _CMP_GE_OQ));
    return (unsigned)(near | far << 8);
}

/// Where the direction crosses eight rings: each between two rows of the tile.
typedef struct recent_crossings {
    __m256 a, row, share, low, high;
} recent_crossings;

/// Of eight rings from one on, that which is `rings` before the target's. All are in the tile.
LF__SIMD_TARGET static inline recent_crossings
recent_cross(const recent_target *t, const lf__recent_tile *tile, int first, __m256 rings) {
    const int width = LF__TILE_ROWS + LF__TILE_PAD;
    __m256 place = _mm256_fnmadd_ps(rings, _mm256_set1_ps(t->v), _mm256_set1_ps((float)(t->b - tile->base)));
    __m256i row = _mm256_cvttps_epi32(_mm256_min_ps(
        _mm256_max_ps(place, _mm256_loadu_ps(tile->first + first)), _mm256_loadu_ps(tile->last + first)));
    const __m256i lines =
        _mm256_setr_epi32(0, width, 2 * width, 3 * width, 4 * width, 5 * width, 6 * width, 7 * width);
    __m256i at = _mm256_add_epi32(row, lines);
    __m256 whole = _mm256_cvtepi32_ps(row);
    return (recent_crossings){_mm256_loadu_ps(tile->a + first), whole, _mm256_sub_ps(place, whole),
                              lf__simd_gather(tile->slope[first], at),
                              lf__simd_gather(tile->slope[first] + 1, at)};
}

/// Of each ring the one before it; of the first one itself.
LF__SIMD_TARGET static inline recent_crossings recent_before(const recent_crossings *now) {
    const __m256i turn = _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6);
    return (recent_crossings){
        _mm256_permutevar8x32_ps(now->a, turn), _mm256_permutevar8x32_ps(now->row, turn),
        _mm256_permutevar8x32_ps(now->share, turn), _mm256_permutevar8x32_ps(now->low, turn),
        _mm256_permutevar8x32_ps(now->high, turn)};
}

/// The ground of the last one of t->rings, of six rings before it, and of the strips before them.
LF__SIMD_TARGET static inline void recent_meet(const recent_batch *x, recent_target *t) {
    const lf__recent_tile *tile = &x->chunk->tile[t->k % LF__RECENT];
    int last = 32 - __builtin_clz(t->rings), first = last > 7 ? last - 7 : 0;
    const __m256 one = _mm256_set1_ps(1), sign = _mm256_set1_ps(-0.0f);
    __m256 rings = _mm256_sub_ps(_mm256_set1_ps((float)(t->ring - tile->base_ring - first)),
                                 _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7));
    recent_crossings now = recent_cross(t, tile, first, rings), before = recent_before(&now);
    __m256 level = _mm256_fmadd_ps(now.share, _mm256_sub_ps(now.high, now.low), now.low),
           off = _mm256_loadu_ps(tile->off + first), step = _mm256_cmp_ps(before.row, now.row, _CMP_NEQ_OQ);
    __m256 from = _mm256_blendv_ps(before.low, before.high, step),
           d = _mm256_sub_ps(_mm256_blendv_ps(now.high, now.low, step), from);
    __m256 from_off = _mm256_blendv_ps(before.share, _mm256_sub_ps(one, before.share), step),
           to_off = _mm256_blendv_ps(_mm256_sub_ps(one, now.share), now.share, step);
    __m256 near = _mm256_mul_ps(_mm256_set1_ps(LF__SWEEP_OFF), now.a), share = _mm256_mul_ps(from_off, now.a),
           more = _mm256_mul_ps(_mm256_andnot_ps(sign, d), _mm256_mul_ps(_mm256_set1_ps(4), near)),
           sum = _mm256_fmadd_ps(to_off, before.a, _mm256_add_ps(share, near)),
           per_sum = _mm256_div_ps(one, sum), middle = _mm256_mul_ps(d, share);
    __m256 least = _mm256_fmadd_ps(_mm256_sub_ps(middle, more), per_sum, from),
           most = _mm256_fmadd_ps(_mm256_add_ps(middle, more), per_sum, from);
    // Ground is lowered differently for targets that are farther away.
    __m256 apart = _mm256_mul_ps(now.a, _mm256_add_ps(rings, one)),
           hides = _mm256_fmadd_ps(_mm256_set1_ps(x->sinks), apart, _mm256_set1_ps(t->most)),
           below = _mm256_fnmadd_ps(_mm256_set1_ps(x->rises), apart, _mm256_set1_ps(t->least));
    int hidden = _mm256_movemask_ps(
            _mm256_cmp_ps(_mm256_sub_ps(_mm256_max_ps(least, level), off), hides, _CMP_GT_OQ)),
        clear = _mm256_movemask_ps(
            _mm256_cmp_ps(_mm256_add_ps(_mm256_max_ps(most, level), off), below, _CMP_LT_OQ));
    int these = (int)(t->rings << 1 >> first) & 0xfe;
    t->hidden |= hidden & these;
    t->near |= ~clear & these;
    t->rings &= (1u << first) - 1;
}

/// The next one of the chunks that may reach a target: which of its rings do?
LF__SIMD_TARGET static inline void recent_next(const recent_batch *x, recent_target *t) {
    const lf__chunk *chunk = x->chunk;
    int own = chunk->past_count - 1, bit = 31 - __builtin_clz(t->reach);
    t->k = own - (LF__RECENT - 1 - bit);
    t->reach &= ~(1u << bit);
    const lf__past *past = &chunk->past[t->k];
    t->rings = 0;
    t->lost = (past->tile_blocks & t->blocks) != t->blocks || t->ring - past->first >= RECENT_RINGS;
    if (t->lost)
        return;
    int last = (int)((t->k == own ? t->ring : past->last + 1) - past->first); // counted from 1
    float a = t->a - (float)(t->ring - past->last),
          least = t->least - x->rises * a * (float)(t->ring - past->first + 1);
    unsigned rings = recent_rings(chunk, t, t->low, t->low_block, least);
    if (t->high != t->low)
        rings |= recent_rings(chunk, t, t->high, t->high_block, least);
    // Edges of a strip may begin at samples of the ring before it.
    t->rings = (rings | rings << 1) & ((1u << last) - 1);
}

/// Decide the targets of a batch; others stay open.
LF__SIMD_TARGET static void recent_decide(recent_batch *x) {
    uint8_t left[RECENT_BATCH];
    int count = 0;
    for (int k = 0; k < x->count; k++)
        left[k] = (uint8_t)k;
    for (int many = x->count; many > 0; many = count) {
        count = 0;
        for (int k = 0; k < many; k++) {
            recent_target *t = &x->target[left[k]];
            bool done = t->hidden || t->lost || !t->reach, clear = t->settled && !t->near && !t->lost;
            bool decided = t->hidden || (done && clear);
            *t->out = t->hidden ? LF_VISIBILITY_HIDDEN : decided ? LF_VISIBILITY_VISIBLE : LF__SEEN_OPEN;
            x->decided += decided;
            left[count] = left[k];
            count += !done;
        }
        for (int k = 0; k < count; k++)
            recent_next(x, &x->target[left[k]]);
        for (int k = 0; k < count; k++)
            for (recent_target *t = &x->target[left[k]]; t->rings && !t->hidden;)
                recent_meet(x, t);
    }
    x->count = 0;
}

/// Which of the last chunks may reach a target?
LF__SIMD_TARGET static inline void recent_reach(const recent_batch *x, recent_target *t) {
    int own = x->chunk->past_count - 1;
    recent_chunks c = recent_chunks_of(x, t, t->low, t->low_block);
    if (t->high != t->low) {
        recent_chunks other = recent_chunks_of(x, t, t->high, t->high_block);
        c.reach |= other.reach;
        c.settled &= other.settled;
    }
    unsigned known = own < LF__RECENT ? ~0u << (LF__RECENT - 1 - own) : ~0u; // there are no others
    c.settled = recent_in_order(c.settled, own) & known;
    c.reach = recent_in_order(c.reach, own) & known;
    int last = c.settled ? 31 - __builtin_clz(c.settled) : 0;
    t->reach = c.reach >> last << last;
    t->settled = c.settled != 0;
}

/// Add the target in a row of a ring.
LF__SIMD_TARGET static inline void recent_add(recent_batch *x, int r, int row, double v, double place) {
    lf__chunk *chunk = x->chunk;
    recent_target *t = &x->target[x->count];
    int most = chunk->bins - 1, per_block = 65536 / chunk->sweep->block + 1;
    t->ring = chunk->base_ring + r;
    t->b = chunk->base + row;
    t->out = &chunk->out[r][row];
    t->v = (float)v;
    t->a = chunk->ring[r].a;
    t->place = (float)place;
    t->low = place > RECENT_BESIDE ? (int)(place - RECENT_BESIDE) : 0;
    t->high = (int)(place + RECENT_BESIDE);
    t->low = t->low < most ? t->low : most;
    t->high = t->high < most ? t->high : most;
    t->low_block = t->low * per_block >> 16;
    t->high_block = t->high * per_block >> 16;
    t->blocks = (uint64_t)1 << t->low_block | (uint64_t)1 << t->high_block;
    if ((chunk->past[chunk->past_count - 1].tile_blocks & t->blocks) != t->blocks)
        return;
    t->least = chunk->slope[r][row] + chunk->ring[r].target_low;
    t->most = chunk->slope[r][row] + chunk->ring[r].target_high;
    t->hidden = t->near = 0;
    t->lost = false;
    recent_reach(x, t);
    if (++x->count == RECENT_BATCH)
        recent_decide(x);
}

/// How much higher the ground of the last chunks may be for a ring.
LF__SIMD_TARGET static inline void recent_margins(recent_batch *x, int r) {
    float here[LF__RECENT] = {0}, before[LF__RECENT] = {0}, a = x->chunk->ring[r].a;
    int64_t ring = x->chunk->base_ring + r;
    int own = x->chunk->past_count - 1;
    for (int k = own; k >= 0 && k > own - LF__RECENT && x->rises > 0; k--) {
        const lf__past *past = &x->chunk->past[k];
        float rings = x->rises * (float)(ring - past->first + 1);
        here[k % LF__RECENT] = (a - (float)(ring - past->last)) * rings;
        before[k % LF__RECENT] = a * rings;
    }
    x->here = _mm256_loadu_ps(here);
    x->before = _mm256_loadu_ps(before);
}

LF__SIMD_TARGET static void recent_ring(recent_batch *x, int r, lf__sample_span in, double v0) {
    const lf__chunk *chunk = x->chunk;
    const lf__sector *s = chunk->sector;
    double per_a = 1 / ((double)(chunk->base_ring + r) - s->oa);
    int first = (int)(in.low - chunk->base), count = (int)(in.high - in.low) + 1;
    recent_margins(x, r);
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
            recent_add(x, r, row, v, (v - v0) * chunk->all_bins);
        }
    }
}

LF__SIMD_TARGET int lf__decide_chunk_avx2(lf__chunk *chunk, const lf__sample_span *in, double v0) {
    recent_batch x;
    x.chunk = chunk;
    x.rises = 1.00001f * (float)chunk->rises;
    x.sinks = 1.00001f * (float)chunk->sinks;
    x.decided = x.count = 0;
    for (int r = 1; r <= chunk->rings; r++)
        recent_ring(&x, r, in[r], v0);
    recent_decide(&x);
    return x.decided;
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
