/// Targets between the bounds of their bin, decided along their own direction in doubles.
///
/// For every chunk that the sweep passed, the history has the greatest slope of its ground in blocks of
/// bins. Ground is read only where that is above the target: usually a strip or two. Targets that depend on
/// rounding are left to an exact line.
#include "sight/viewshed_sweep.h"
#include <math.h>

/// Where the direction crosses a ring.
typedef struct target_crossing {
    double a, share;
    double h[4]; ///< heights above the observer of the samples before, at, after, and after that
    int64_t b;
} target_crossing;

static inline double target_height_at(const lf__target *t, int64_t ring, int64_t b) {
    lf__target_sample at = lf__target_sample_at(t, ring, b);
    return lf__grid_height(t->sweep->view->grid, at.i, at.j) - t->sweep->view->z;
}

static inline target_crossing cross_at(const lf__target *t, int64_t ring, double place, int64_t b) {
    target_crossing c = {.a = (double)ring - t->sector->oa, .b = b, .share = place - (double)b};
    c.h[1] = target_height_at(t, ring, b);
    c.h[2] = target_height_at(t, ring, b + 1);
    if (t->sector->both) {
        c.h[0] = target_height_at(t, ring, b - 1);
        c.h[3] = target_height_at(t, ring, b + 2);
    }
    return c;
}

static inline target_crossing target_cross(const lf__target *t, int64_t ring) {
    double place = t->sector->ob + ((double)ring - t->sector->oa) * t->v;
    return cross_at(t, ring, place, lf__floor_place(place));
}

/// An edge from one ring to the next, crossed at these distances from its ends along the rings.
static void meet_edge(lf__target *t, const target_crossing *before, double from, double to,
                      const double offs[2], bool only_most, double bulge) {
    double sum = offs[0] + offs[1], share = sum > 1e-9 ? offs[0] / sum : 0.5;
    double height = sum > 1e-9 ? from + share * (to - from) : fmax(from, to);
    lf__target_meet(t, only_most ? -LF_INFINITY : height, height, before->a + share, bulge);
}

/// Edges between two rings; those that end at the target are not in its way.
static void meet_strip(lf__target *t, const target_crossing *before, const target_crossing *now, bool own) {
    double f0 = before->share, f1 = now->share, bulge = own ? 4 * t->bulge : t->bulge;
    bool step = before->b != now->b, both = t->sector->both;
    const double up[2] = {1 - f0, f1}, along[2] = {f0, 1 - f1};
    if (step ? !own : both && !own)
        meet_edge(t, before, before->h[2], now->h[1], up, both, bulge);
    if (!step)
        meet_edge(t, before, before->h[1], now->h[2], along, both, bulge);
    if (!both || !step)
        return;
    const double before_it[2] = {1 - f0, 1 + f1}, after_it[2] = {2 - f0, f1};
    meet_edge(t, before, before->h[2], now->h[0], before_it, true, bulge);
    if (!own)
        meet_edge(t, before, before->h[3], now->h[1], after_it, true, bulge);
}

static void meet_level(lf__target *t, const target_crossing *c, double bulge) {
    double level =
        c->share == 0 ? c->h[1] : c->h[1] + c->share * (c->h[2] - c->h[1]); // the next may be a void
    lf__target_meet(t, level, level, c->a, bulge);
}

void lf__meet_scalar(lf__target *t, int64_t first, int64_t last) {
    if (first == t->sector->first_ring) { // the strip before it has been processed
        target_crossing c = target_cross(t, first);
        meet_level(t, &c, 4 * t->bulge); // beside the observer the line may be just above the ground
        first++;
    }
    if (first > last)
        return;
    target_crossing before = target_cross(t, first - 1);
    for (int64_t ring = first; ring <= last && !t->blocked; ring++) {
        target_crossing now = target_cross(t, ring);
        meet_strip(t, &before, &now, false);
        meet_level(t, &now, t->bulge);
        before = now;
    }
}

/// The last piece of ground, a triangle from the ring before the target's own to the target. The line is above
/// it by d at the ring, and by the target's height h at the target. Between them it sags: with u from 0 at the
/// target to 1 at the ring it is above by h + (d - h) * u - m * u * (1 - u), which is least at (1 - (d - h) /
/// m) / 2.
static void meet_last(lf__target *t, const target_crossing *before) {
    double level = before->h[1] + before->share * (before->h[2] - before->h[1]),
           h = t->sweep->view->def.target;
    double d = lf__target_line(t, before->a) - level, m = t->metric, least = d;
    double u = m > 0 ? 0.5 * (1 - (d - h) / m) : 1;
    if (u > 0 && u < 1)
        least = h - m * u * u;
    else if (u <= 0 && d > t->off)
        return; // nothing is lower than its ends
    t->blocked |= least < -t->off;
    t->open |= least <= t->off;
}

/// The strip before the target's own ring. Where squares may be cut both ways, the line may sag four times as
/// much as elsewhere, because it meets the ground at the target.
void lf__meet_own(lf__target *t) {
    if (t->ring == t->sector->first_ring)
        return;
    target_crossing before = target_cross(t, t->ring - 1);
    if (!t->sector->both) {
        meet_last(t, &before);
        return;
    }
    target_crossing now = cross_at(t, t->ring, (double)t->b, t->b);
    meet_strip(t, &before, &now, true);
    meet_level(t, &before, 4 * t->bulge);
}

// ---------------------------------------------------------------------------------------------------
// Beside voids
// ---------------------------------------------------------------------------------------------------

/// A direction that crosses the first ring closer to a sample than this is left to an exact line.
#define FIRST_BESIDE 1e-7

/// A strip and the ring behind it, where some samples may be voids. Two triangles are crossed, or one edge is
/// followed. An edge exists if a triangle beside it does.
void lf__meet_strip_of_voids(lf__target *t, int64_t ring, bool own) {
    lf__void_strip x;
    bool clear = lf__void_strip_of(t, ring, own, &x);
    // Beside the observer the line may be just above the ground.
    double bulge = ring == t->sector->first_ring ? 4 * t->bulge : t->bulge;
    lf__void_around a = lf__void_check(t, ring, x.before.b, x.now.b);
    target_crossing before = cross_at(t, ring - 1, x.before.place, x.before.b),
                    now = cross_at(t, ring, x.now.place, x.now.b);
    if (a.all && own) {
        meet_last(t, &before);
        return;
    }
    if (a.all) {
        meet_strip(t, &before, &now, false);
        meet_level(t, &now, bulge);
        return;
    }
    if (!clear) {
        t->open = true;
        return;
    }
    lf__void_strip_meet(t, &x, ring);
    const bool *b = a.is[0], *n = a.is[1];
    if (own) { // the ring before the target's own: its edge may exist because of the triangle before it
        bool level = x.before.at ? lf__void_is_corner(t, ring - 1, x.before.b)
                                 : b[1] && b[2] && (x.upper || lf__void_has_height(t, ring - 2, x.before.b));
        if (level)
            meet_level(t, &before, 4 * t->bulge);
        return;
    }
    if (!x.before.at && !x.now.at && (x.upper || x.lower))
        meet_strip(t, &before, &now, false);
    if (x.now.at ? lf__void_is_corner(t, ring, x.now.b)
                 : n[1] && n[2] && (x.lower || lf__void_has_height(t, ring + 1, x.now.b + 1)))
        meet_level(t, &now, bulge);
}

void lf__meet_first_of_voids(lf__target *t) {
    int64_t first = t->sector->first_ring;
    target_crossing c = target_cross(t, first);
    if (!(c.share > FIRST_BESIDE && c.share < 1 - FIRST_BESIDE))
        t->open = true;
    else if (lf__void_is_level(t, first, c.b))
        meet_level(t, &c, 4 * t->bulge);
}

static lf__target start_target(const lf__chunk *chunk, int64_t ring, int64_t b) {
    const lf__sweep *sweep = chunk->sweep;
    const lf__viewshed *view = sweep->view;
    const lf__sector *s = chunk->sector;
    const lf_grid *grid = view->grid;
    double a = (double)ring - s->oa, db = (double)b - s->ob;
    lf__target t = {.sweep = sweep, .sector = s, .ring = ring, .b = b, .a = a, .v = db / a};
    t.on_sample = s->on_sample;
    double size = (double)(grid->columns + grid->rows) + fabs(s->oa) + fabs(s->ob);
    const double *less = chunk->less[ring - chunk->base_ring], *tilt = s->tilt;
    double lower = less[s->lowering.degree];
    for (int j = s->lowering.degree - 1; j >= 0; j--)
        lower = lower * db + less[j];
    lower = lower * a - (tilt[0] * a + tilt[1] * db);
    t.slope = (target_height_at(&t, ring, b) + view->def.target) / a;
    t.metric = lower / (a * a);
    t.bulge = t.metric > 0 ? 0.25 * t.metric : 0;
    t.off = 0x1p-46 * size * sweep->steepest + 0x1p-44 * sweep->most_height + sweep->line_off +
            (1e-13 + sweep->uneven) * fabs(lower) + 1e-14 * (fabs(tilt[0]) + fabs(tilt[1])) * a;
    return t;
}

// ---------------------------------------------------------------------------------------------------
// History
// ---------------------------------------------------------------------------------------------------

/// Rings that are tested for voids together.
#define VOID_RINGS 4

/// Rings among which there may be voids, the last ones first. Where there are none, kernels are faster.
static void meet_voids(lf__target *t, int64_t first, int64_t last) {
    if (first == t->sector->first_ring && !t->on_sample) {
        if (lf__sweep_voids_beside(t, first, first))
            lf__meet_first_of_voids(t);
        else
            t->sweep->meet(t, first, first);
        first++;
    }
    for (int64_t end = last, begin; end >= first && !t->blocked; end = begin - 1) {
        begin = end - VOID_RINGS + 1 > first ? end - VOID_RINGS + 1 : first;
        if (!lf__sweep_voids_beside(t, begin, end)) {
            t->sweep->meet(t, begin, end);
            continue;
        }
        for (int64_t ring = end; ring >= begin && !t->blocked; ring--)
            lf__meet_strip_of_voids(t, ring, false);
    }
}

/// Some rings of a chunk that has been passed.
static void meet_rings(lf__target *t, int64_t first, int64_t last, bool voids) {
    last = last < t->ring - 1 ? last : t->ring - 1;
    if (first > last)
        return;
    if (voids && lf__sweep_voids_beside(t, first, last))
        meet_voids(t, first, last);
    else
        t->sweep->meet(t, first, last);
}

/// What a bound of a block at its first border must reach where it rises to `least` at a place.
static float least_at_border(const lf__chunk *chunk, int k, int block, double place, float least) {
    float rise = chunk->past_rise[block][k], at = (float)((place - block) * chunk->sweep->block),
          most = (float)chunk->sweep->block;
    at = at < 0 ? 0 : at > most ? most : at;
    // Rounding may have put the target into the next bin.
    return least - rise * at - (0.2f + 1e-6f * most) * fabsf(rise);
}

/// Bins that a target at a place among them may be in: rounding may have put it into the next one.
typedef struct target_bins {
    int low, high;
} target_bins;

static target_bins bins_at(const lf__chunk *chunk, double place) {
    int high = (int)(place + 0.15), most = chunk->bins - 1;
    return (target_bins){place > 0.15 ? (int)(place - 0.15) : 0, high < most ? high : most};
}

/// What a bound of a bin at its first border must reach where it rises to `least` at a place.
static float least_rise_in_bin(float rise, int m, double place, float least) {
    float at = (float)(place - m);
    at = at < 0 ? 0 : at > 1 ? 1 : at;
    return least - rise * at - 1e-5f * fabsf(rise);
}

/// Which parts of a chunk that has been passed reach high enough? A bit for each.
static unsigned parts_above(const lf__chunk *chunk, int k, const lf__target_blocks *blocks, float least) {
    unsigned above = 0;
    const float *low = chunk->past_part[blocks->low][k], *high = chunk->past_part[blocks->high][k];
    float least_low = least_at_border(chunk, k, blocks->low, blocks->place, least),
          least_high = least_at_border(chunk, k, blocks->high, blocks->place, least);
    for (int n = 0; n < LF__RING_PARTS; n++)
        above |= (unsigned)!(low[n] < least_low && high[n] < least_high) << n;
    return above;
}

/// A bin that a target may be in, for the bounds of the last chunks.
typedef struct recent_bin {
    int m, block;
    float at; ///< of the target, in bins after the first border, within the bin
} recent_bin;

static recent_bin recent_bin_at(const lf__chunk *chunk, int m, double place) {
    float at = (float)(place - m);
    return (recent_bin){m, m / chunk->sweep->block, at < 0 ? 0 : at > 1 ? 1 : at};
}

/// What a bound of the bin at its first border must reach in a chunk where it rises to `least` at the target's place.
static float recent_least(const lf__chunk *chunk, int k, const recent_bin *bin, float least) {
    float rise = chunk->past_rise[bin->block][k];
    return least - rise * bin->at - 1e-5f * fabsf(rise);
}

/// Has the target's bin, or bins, bounds of its own in a chunk?
static bool has_recent(const lf__chunk *chunk, int k, const lf__target_blocks *blocks) {
    return (chunk->past[k].done_blocks & blocks->bits) == blocks->bits;
}

static unsigned recent_parts_above(const lf__chunk *chunk, int k, const recent_bin *bin, float least) {
    unsigned above = 0;
    float least_here = recent_least(chunk, k, bin, least);
    for (int n = 0; n < LF__RING_PARTS; n++)
        above |= (unsigned)!(chunk->recent[k % LF__RECENT][n][bin->m] < least_here) << n;
    return above;
}

static bool recent_before_above(const lf__chunk *chunk, int k, const recent_bin *bin, float least) {
    return !(chunk->recent_before[k % LF__RECENT][bin->m] < recent_least(chunk, k, bin, least));
}

/// Some parts of a chunk that has been passed, given by bits, the last ones first.
static void meet_parts(lf__target *t, const lf__past *past, const lf__target_blocks *blocks, unsigned parts) {
    if (parts && past->gaps) {
        t->open = true;
        return;
    }
    for (int end = LF__RING_PARTS, begin; end > 0 && parts && !t->blocked; end = begin) {
        begin = end - 1;
        if (!(parts >> begin & 1))
            continue;
        while (begin > 0 && parts >> (begin - 1) & 1)
            begin--;
        int64_t last = past->first + LF__PART_RINGS * end - 1;
        meet_rings(t, past->first + LF__PART_RINGS * begin, last < past->last ? last : past->last,
                   past->void_blocks & blocks->bits);
    }
}

/// The rings of the target's own chunk, by what reaches high enough in its bin, and in the next one if
/// rounding may have put it there.
static void meet_own_chunk(lf__target *t, const lf__chunk *chunk, double place, float least) {
    target_bins at = bins_at(chunk, place);
    int rings = (int)(t->ring - chunk->base_ring), block = chunk->sweep->block;
    uint32_t reaches = 0; // a bit for each ring
    for (int m = at.low; m <= at.high; m++) {
        if (!chunk->done[m / block] || chunk->flat.done[m / block]) {
            reaches |= chunk->peak[m / block] >= least ? UINT32_MAX : 0;
            continue;
        }
        float least_here = least_rise_in_bin(chunk->part_rise[m / block], m, place, least);
        for (int r = 0; r < rings; r++)
            reaches |= (uint32_t)(chunk->top[r][m] >= least_here) << r;
    }
    // A strip is in the way if one of its two rings reaches high enough.
    uint32_t strips = (reaches | reaches << 1) & (((uint32_t)1 << rings) - 2);
    while (strips && !t->blocked) {
        int last = 31 - __builtin_clz(strips), most = t->sweep->strips,
            first = last < most ? 1 : last - most + 1;
        first = __builtin_ctz(strips >> first << first);
        t->sweep->meet(t, chunk->base_ring + first, chunk->base_ring + last);
        strips &= ((uint32_t)1 << first) - 1;
    }
}

/// Ground that reaches no higher than this slope is not in the way.
static double least_peak(const lf__chunk *chunk, const lf__target *t) {
    const double *tilt = chunk->sector->tilt;
    double slope = t->slope - t->metric * t->a - (tilt[0] + tilt[1] * t->v);
    return slope - t->off / t->a;
}

/// The same for the ground of some rings: at a distance x it is lowered differently for this target, by at most
/// rises * x * (a - x).
static float least_peak_of(const lf__chunk *chunk, const lf__target *t, int64_t first, int64_t last,
                           double peak) {
    double near = (double)(first - 1) - t->sector->oa, far = (double)last - t->sector->oa, x = 0.5 * t->a;
    x = x < near ? near : x > far ? far : x;
    float least = (float)(peak - 1.000001 * chunk->rises * x * (t->a - x));
    return least - 1e-6f * fabsf(least);
}

/// The same for all ground before a ring, by bounds that hold for targets on the ring before it: they widen from ring to ring.
static float least_peak_before(const lf__chunk *chunk, const lf__target *t, int64_t ring, double peak) {
    float least = (float)(peak - 1.000001 * chunk->rises * t->a * (double)(t->ring - ring + 1)),
          whole = least_peak_of(chunk, t, t->sector->first_ring, ring - 1, peak);
    least -= 1e-6f * fabsf(least);
    return least > whole ? least : whole;
}

lf__target_blocks lf__target_blocks_of(const lf__chunk *chunk, const lf__target *t, double v0) {
    double place = (t->v - v0) * chunk->all_bins / chunk->sweep->block;
    int low = place > 0.01 ? (int)(place - 0.01) : 0, high = (int)(place + 0.01),
        most = lf__peak_groups(chunk) - 1;
    high = high < most ? high : most;
    return (lf__target_blocks){place, low, high, (uint64_t)1 << low | (uint64_t)1 << high};
}

/// By the last voids in its direction, without looking for them, if that is enough. LF__SEEN_OPEN: it is not.
static lf_visibility decide_shadow(const lf__chunk *chunk, int64_t ring, int64_t b,
                                   const lf__shadow *shadow) {
    const lf__sector *s = chunk->sector;
    const lf__viewshed *view = chunk->sweep->view;
    if (ring == s->first_ring)
        return LF__SEEN_OPEN;
    if (shadow->some < s->first_ring)
        return LF_VISIBILITY_VISIBLE;
    if (shadow->all < s->first_ring)
        return LF__SEEN_OPEN;
    int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
    double height = lf__grid_height(view->grid, i, j) - view->z + view->def.target;
    return height < s->under_voids ? (lf_visibility)chunk->void_byte : LF__SEEN_OPEN;
}

/// The same where the line may be above voids near the observer.
static lf_visibility decide_descent(const lf__chunk *chunk, const lf__target *t, const lf__shadow *shadow) {
    const lf__sector *s = chunk->sector;
    double some = (double)shadow->some - s->oa, all = (double)shadow->all - s->oa;
    double under = chunk->sweep->void_height - t->off;
    if (t->ring == s->first_ring)
        return LF__SEEN_OPEN;
    if (lf__target_above_voids(t, some))
        return LF_VISIBILITY_VISIBLE;
    // A line that sags is highest at the ends of a strip.
    if (shadow->all > s->first_ring && t->metric >= 0 && lf__target_line(t, all - 1) < under &&
        lf__target_line(t, all) < under)
        return (lf_visibility)chunk->void_byte;
    return LF__SEEN_OPEN;
}

lf_visibility lf__sweep_decide_voids(const lf__chunk *chunk, int64_t ring, int64_t b, double v0) {
    lf__shadow shadow = lf__shadow_of(chunk, ring, b, v0);
    lf_visibility seen = decide_shadow(chunk, ring, b, &shadow);
    if (seen != (lf_visibility)LF__SEEN_OPEN)
        return seen;
    if (chunk->past_count > LF__HISTORY)
        return LF__SEEN_OPEN;
    lf__target t = start_target(chunk, ring, b);
    seen = decide_descent(chunk, &t, &shadow);
    if (seen != (lf_visibility)LF__SEEN_OPEN)
        return seen;
    lf__target_blocks blocks = lf__target_blocks_of(chunk, &t, v0);
    lf__sweep_find_voids(&t, chunk, &blocks, &shadow, v0);
    return t.behind_void ? (lf_visibility)chunk->void_byte
           : t.void_open ? LF__SEEN_OPEN
                         : LF_VISIBILITY_VISIBLE;
}

/// Test the ground of the last chunks that reaches high enough; false: no ground before them does.
static bool meet_recent(lf__target *t, const lf__chunk *chunk, const lf__target_blocks *blocks, double peak) {
    double place = blocks->place * chunk->sweep->block;
    target_bins at = bins_at(chunk, place);
    int own = chunk->past_count - 1;
    recent_bin bin[2] = {recent_bin_at(chunk, at.low, place)};
    bool two = at.high != at.low;
    if (two)
        bin[1] = recent_bin_at(chunk, at.high, place);
    for (int k = own; k >= 0 && k > own - LF__RECENT && !t->blocked; k--) {
        const lf__past *past = &chunk->past[k];
        float least = least_peak_of(chunk, t, past->first, past->last, peak);
        bool bins = has_recent(chunk, k, blocks);
        if (k == own && chunk->tops && !chunk->gaps && !(chunk->void_blocks & blocks->bits)) {
            meet_own_chunk(t, chunk, place, least);
        } else if (bins) {
            unsigned above = recent_parts_above(chunk, k, &bin[0], least);
            meet_parts(t, past, blocks, above | (two ? recent_parts_above(chunk, k, &bin[1], least) : 0));
        } else {
            meet_parts(t, past, blocks, parts_above(chunk, k, blocks, least));
        }
        least = least_peak_before(chunk, t, past->first, peak);
        if (bins && !recent_before_above(chunk, k, &bin[0], least) &&
            !(two && recent_before_above(chunk, k, &bin[1], least)))
            return false;
    }
    return !t->blocked;
}

/// Test the ground of all chunks before a target that reaches high enough.
static void meet_history(lf__target *t, const lf__chunk *chunk, const lf__target_blocks *blocks) {
    double peak = least_peak(chunk, t);
    int low = blocks->low, high = blocks->high, count = chunk->past_count - LF__RECENT;
    if (!meet_recent(t, chunk, blocks, peak))
        return;
    for (int block = (count - 1) / LF__PAST_BLOCK; block >= 0 && count > 0 && !t->blocked; block--) {
        int first = block * LF__PAST_BLOCK, end = first + LF__PAST_BLOCK;
        end = end > count ? count : end;
        float least = least_peak_of(chunk, t, chunk->past[first].first, chunk->past[end - 1].last, peak);
        if (chunk->past_most[low][block] < least && chunk->past_most[high][block] < least)
            continue;
        for (int k = end - 1; k >= first && !t->blocked; k--) {
            least = least_peak_of(chunk, t, chunk->past[k].first, chunk->past[k].last, peak);
            if (chunk->past_peak[low][k] >= least || chunk->past_peak[high][k] >= least)
                meet_parts(t, &chunk->past[k], blocks, parts_above(chunk, k, blocks, least));
        }
    }
}

lf_visibility lf__sweep_decide(const lf__chunk *chunk, int64_t ring, int64_t b, double v0) {
    const lf__sweep *sweep = chunk->sweep;
    if (chunk->past_count > LF__HISTORY)
        return LF__SEEN_OPEN;
    lf__target t = start_target(chunk, ring, b);
    // Up to the first ring there is one triangle. It ends at the target, or below it, and its distance from
    // the line has no root before that if the observer is high enough for how far the line sags.
    bool first = ring == t.sector->first_ring && !t.sector->both && !chunk->gaps;
    if (first && !(sweep->clearance > fmax(t.metric, 0) * t.a * t.a + t.off))
        return LF__SEEN_OPEN;
    if (first && !chunk->voids)
        return LF_VISIBILITY_VISIBLE;
    if (first)
        return lf__sweep_decide_voids(chunk, ring, b, v0);
    lf__target_blocks blocks = lf__target_blocks_of(chunk, &t, v0);
    double slope = t.slope - t.metric * t.a - t.off / t.a - chunk->rises * t.a;
    if (chunk->near >= slope)
        t.open = lf__sweep_near(sweep, chunk->sector, t.v) >= slope;
    if (t.open && lf__sweep_near_hides(&t))
        return LF_VISIBILITY_HIDDEN;
    // Between the observer and the first ring there is only the ground that the line sags towards.
    t.open |= ring == t.sector->first_ring && t.bulge > 0;
    if (chunk->gaps)
        t.open = true;
    else if (chunk->void_blocks & blocks.bits)
        lf__meet_strip_of_voids(&t, ring, true);
    else
        lf__meet_own(&t);
    if (!t.blocked)
        meet_history(&t, chunk, &blocks);
    if (t.blocked)
        return LF_VISIBILITY_HIDDEN;
    if (!t.behind_void && !t.open && chunk->behind_void) {
        lf__shadow shadow = lf__shadow_of(chunk, ring, b, v0);
        lf_visibility seen = decide_shadow(chunk, ring, b, &shadow);
        seen = seen == (lf_visibility)LF__SEEN_OPEN ? decide_descent(chunk, &t, &shadow) : seen;
        if (seen != (lf_visibility)LF__SEEN_OPEN)
            return seen;
        lf__sweep_find_voids(&t, chunk, &blocks, &shadow, v0);
    }
    if (t.behind_void && (chunk->void_byte == LF_VISIBILITY_HIDDEN || !t.open))
        return (lf_visibility)chunk->void_byte;
    return t.open || t.void_open ? LF__SEEN_OPEN : LF_VISIBILITY_VISIBLE;
}
