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

/// Column and row of a sample.
typedef struct target_sample {
    int64_t i, j;
} target_sample;

static inline target_sample target_sample_at(const lf__target *t, int64_t ring, int64_t b) {
    const lf__sector *s = t->sector;
    const lf_grid *grid = t->sweep->view->grid;
    int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
    i = i < 0 ? 0 : i >= grid->columns ? grid->columns - 1 : i; // beyond the border: never in the way
    j = j < 0 ? 0 : j >= grid->rows ? grid->rows - 1 : j;
    return (target_sample){i, j};
}

static inline double target_height_at(const lf__target *t, int64_t ring, int64_t b) {
    target_sample at = target_sample_at(t, ring, b);
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
    return cross_at(t, ring, place, (int64_t)floor(place));
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
    double level = c->h[1] + c->share * (c->h[2] - c->h[1]);
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
static void meet_own(lf__target *t) {
    if (t->ring == t->sector->first_ring)
        return;
    target_crossing before = target_cross(t, t->ring - 1), now = cross_at(t, t->ring, (double)t->b, t->b);
    if (!t->sector->both) {
        meet_last(t, &before);
        return;
    }
    meet_strip(t, &before, &now, true);
    meet_level(t, &before, 4 * t->bulge);
}

// ---------------------------------------------------------------------------------------------------
// Beside voids
// ---------------------------------------------------------------------------------------------------

/// A direction that passes a sample closer than this is left to an exact line.
#define TARGET_BESIDE 1e-7

/// Samples of two rings around the direction: which of them have heights. Index 1 is the one before the
/// direction.
typedef struct target_around {
    bool is[2][4];
    bool all;
} target_around;

static bool has_height(const lf__target *t, int64_t ring, int64_t b) {
    target_sample at = target_sample_at(t, ring, b);
    return !lf__grid_is_void(t->sweep->view->grid, at.i, at.j);
}

static target_around target_check_voids(const lf__target *t, int64_t ring, int64_t before, int64_t now) {
    target_around a = {.all = true};
    for (int k = 0; k < 4; k++) {
        a.is[0][k] = has_height(t, ring - 1, before - 1 + k);
        a.is[1][k] = has_height(t, ring, now - 1 + k);
        a.all = a.all && a.is[0][k] && a.is[1][k];
    }
    return a;
}

/// A void triangle, crossed between two distances.
static void meet_void(lf__target *t, double from, double to) {
    double low = fmin(lf__target_line(t, from), lf__target_line(t, to)), height = t->sweep->void_height;
    if (!t->sweep->finds_voids)
        return;
    if (to - from < TARGET_BESIDE)
        t->void_open = true;
    else if (low < height - t->off)
        t->behind_void = true;
    else if (low < height + t->off + t->bulge)
        t->void_open = true;
}

/// A strip and the ring behind it, where some samples may be voids. Two triangles are crossed: one between
/// two samples of the ring before and one of this ring, and one between one of the ring before and two of
/// this ring. An edge exists if a triangle beside it does.
static void meet_strip_of_voids(lf__target *t, int64_t ring, bool own) {
    target_crossing before = target_cross(t, ring - 1),
                    now = own ? cross_at(t, ring, (double)t->b, t->b) : target_cross(t, ring);
    target_around a = target_check_voids(t, ring, before.b, now.b);
    if (a.all && own) {
        meet_last(t, &before);
        return;
    }
    if (a.all) {
        meet_strip(t, &before, &now, false);
        meet_level(t, &now, t->bulge);
        return;
    }
    bool step = before.b != now.b, beside = before.share < TARGET_BESIDE || before.share > 1 - TARGET_BESIDE;
    if (beside || (!own && (now.share < TARGET_BESIDE || now.share > 1 - TARGET_BESIDE)) ||
        now.b - before.b > 1) {
        t->open = true;
        return;
    }
    const bool *b = a.is[0], *n = a.is[1];
    bool upper = b[1] && b[2] && n[step ? 1 : 2]; // between two samples of the ring before
    bool lower = b[step ? 2 : 1] && n[1] && n[2];
    double share = step ? (1 - before.share) / (1 - before.share + now.share)
                        : before.share / (before.share + 1 - now.share);
    double middle = own ? now.a : before.a + share;
    if (!upper)
        meet_void(t, before.a, middle);
    if (!own && !lower)
        meet_void(t, middle, now.a);
    if (!own && (upper || lower))
        meet_strip(t, &before, &now, false);
    if (!own && n[1] && n[2] && (lower || has_height(t, ring + 1, now.b + 1)))
        meet_level(t, &now, t->bulge);
    if (own && b[1] &&
        b[2]) { // the ring before the target's own: its edge may exist because of the triangle before it
        if (upper || has_height(t, ring - 2, before.b))
            meet_level(t, &before, 4 * t->bulge);
    }
}

static lf__target start_target(const lf__chunk *chunk, int64_t ring, int64_t b) {
    const lf__sweep *sweep = chunk->sweep;
    const lf__viewshed *view = sweep->view;
    const lf__sector *s = chunk->sector;
    const lf_grid *grid = view->grid;
    double a = (double)ring - s->oa, db = (double)b - s->ob;
    lf__target t = {.sweep = sweep, .sector = s, .ring = ring, .b = b, .a = a, .v = db / a};
    double size = (double)(grid->columns + grid->rows) + fabs(s->oa) + fabs(s->ob);
    const double *less = chunk->less[ring - chunk->base_ring], *tilt = s->tilt;
    double lower = less[s->lowering.degree];
    for (int j = s->lowering.degree - 1; j >= 0; j--)
        lower = lower * db + less[j];
    lower = lower * a - (tilt[0] * a + tilt[1] * db);
    t.slope = (target_height_at(&t, ring, b) + view->def.target) / a;
    t.metric = lower / (a * a);
    t.bulge = fmax(0.25 * t.metric, 0);
    t.off = 0x1p-46 * size * sweep->steepest + 0x1p-44 * sweep->most_height + sweep->line_off +
            (1e-13 + sweep->uneven) * fabs(lower) + 1e-14 * (fabs(tilt[0]) + fabs(tilt[1])) * a;
    return t;
}

// ---------------------------------------------------------------------------------------------------
// History
// ---------------------------------------------------------------------------------------------------

static int peak_groups(const lf__chunk *chunk) {
    return chunk->bins / chunk->sweep->block;
}

void lf__past_add(lf__chunk *chunk) {
    int k = chunk->past_count++;
    if (k >= LF__HISTORY)
        return;
    chunk->past[k] = (lf__past){chunk->base_ring + 1, chunk->base_ring + chunk->rings, chunk->gaps,
                                chunk->voids, chunk->void_blocks};
    for (int g = 0; g < peak_groups(chunk); g++) {
        float *most = &chunk->past_most[g][k / LF__PAST_BLOCK], peak = chunk->peak[g];
        chunk->past_peak[g][k] = peak;
        *most = k % LF__PAST_BLOCK == 0 || peak > *most ? peak : *most;
    }
}

void lf__past_split(lf__chunk *chunk) {
    int block = chunk->sweep->block, groups = 2 * peak_groups(chunk);
    int count = chunk->past_count < LF__HISTORY ? chunk->past_count : LF__HISTORY,
        last = peak_groups(chunk) - 1;
    for (int k = 0; k < count; k++) {
        uint64_t before = chunk->past[k].void_blocks, after = 0;
        for (int g = 0; g < groups && before; g++)
            if (before >> (block * g / 2 / block) & 1 || before >> ((block * g + block - 1) / 2 / block) & 1)
                after |= (uint64_t)1 << g;
        chunk->past[k].void_blocks = after;
    }
    for (int g = groups - 1; g > 0; g--) {
        int low = block * g / 2 / block, high = (block * g + block - 1) / 2 / block;
        high = high > last ? last : high;
        for (int k = 0; k < count; k++)
            chunk->past_peak[g][k] = fmaxf(chunk->past_peak[low][k], chunk->past_peak[high][k]);
        for (int k = 0; k < (count + LF__PAST_BLOCK - 1) / LF__PAST_BLOCK; k++)
            chunk->past_most[g][k] = fmaxf(chunk->past_most[low][k], chunk->past_most[high][k]);
    }
}

/// Rings that are tested for voids together.
#define VOID_RINGS 4

/// Are there voids beside the direction, from one ring to another?
static bool voids_beside(const lf__target *t, int64_t first, int64_t last) {
    const lf__sector *s = t->sector;
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (int k = 0; k < 4; k++) {
        int64_t ring = k & 1 ? last + 1 : first - 2;
        int64_t b = (int64_t)floor(s->ob + ((double)ring - s->oa) * t->v) + (k & 2 ? 2 : -1);
        int64_t at[2] = {ring * s->along.i + b * s->across.i, ring * s->along.j + b * s->across.j};
        for (int n = 0; n < 2; n++) {
            low[n] = at[n] - 1 < low[n] ? at[n] - 1 : low[n];
            high[n] = at[n] > high[n] ? at[n] : high[n];
        }
    }
    return lf__grid_gaps_in(t->sweep->view->grid, low, high);
}

/// Rings among which there may be voids, the last ones first. Where there are none, kernels are faster.
static void meet_voids(lf__target *t, int64_t first, int64_t last) {
    if (first == t->sector->first_ring) { // what is before it is unknown
        t->open = true;
        first++;
    }
    for (int64_t end = last, begin; end >= first && !t->blocked; end = begin - 1) {
        begin = end - VOID_RINGS + 1 > first ? end - VOID_RINGS + 1 : first;
        if (!voids_beside(t, begin, end)) {
            t->sweep->meet(t, begin, end);
            continue;
        }
        for (int64_t ring = end; ring >= begin && !t->blocked; ring--)
            meet_strip_of_voids(t, ring, false);
    }
}

/// A void that may be in the way.
static void meet_past(lf__target *t, const lf__past *past, uint64_t blocks) {
    int64_t last = past->last < t->ring - 1 ? past->last : t->ring - 1;
    if (past->gaps)
        t->open = true;
    else if (past->void_blocks & blocks && past->first <= last && voids_beside(t, past->first, last))
        meet_voids(t, past->first, last);
    else if (past->first <= last)
        t->sweep->meet(t, past->first, last);
}

/// The rings of the target's own chunk, by what reaches high enough in its bin, and in the next one if
/// rounding may have put it there.
static void meet_own_chunk(lf__target *t, const lf__chunk *chunk, double place, float least) {
    int low = (int)fmax(place - 0.15, 0), high = (int)fmin(place + 0.15, chunk->bins - 1);
    int block = chunk->sweep->block;
    bool reaches[LF__CHUNK_RINGS + 1];
    for (int r = 0; r < t->ring - chunk->base_ring; r++) {
        reaches[r] = false;
        for (int m = low; m <= high; m++)
            reaches[r] |= (chunk->done[m / block] ? chunk->top[r][m] : chunk->peak[m / block]) >= least;
    }
    for (int last = (int)(t->ring - chunk->base_ring) - 1, first; last >= 1 && !t->blocked;
         last = first - 1) {
        first = last;
        if (!reaches[last] && !reaches[last - 1])
            continue;
        while (first > 1 && (reaches[first - 1] || reaches[first - 2]))
            first--;
        t->sweep->meet(t, chunk->base_ring + first, chunk->base_ring + last);
    }
}

/// May a void beside the observer be in the way?
static bool near_void_bound(const lf__chunk *chunk, const lf__target *t, double v0) {
    int bin = (int)((t->v - v0) * chunk->all_bins);
    for (int m = bin - 1; m <= bin + 1 && chunk->sweep->finds_voids; m++)
        if (m >= 0 && m < chunk->bins && chunk->void_high[m] > 0.5f * LF__FAR_SLOPE)
            return true;
    return false;
}

/// Ground that reaches no higher than this slope is not in the way.
static float least_peak(const lf__chunk *chunk, const lf__target *t) {
    const double *tilt = chunk->sector->tilt;
    double slope = t->slope - t->metric * t->a - (tilt[0] + tilt[1] * t->v);
    float least = (float)(slope - t->off / t->a - 0.25 * chunk->rises * t->a * t->a);
    return least - 1e-6f * fabsf(least);
}

/// Void triangles between two rings.
static void pass_voids(lf__target *t, int64_t ring, bool own) {
    double a = (double)ring - t->sector->oa, from = t->sector->ob + (a - 1) * t->v;
    double to = own ? (double)t->b : t->sector->ob + a * t->v;
    int64_t before = (int64_t)floor(from), now = own ? t->b : (int64_t)floor(to);
    double f0 = from - (double)before, f1 = to - (double)now;
    bool step = before != now;
    bool upper = has_height(t, ring - 1, before) && has_height(t, ring - 1, before + 1) &&
                 has_height(t, ring, step ? now : now + 1);
    bool lower = own || (has_height(t, ring - 1, step ? before + 1 : before) && has_height(t, ring, now) &&
                         has_height(t, ring, now + 1));
    bool beside = f0 < TARGET_BESIDE || f0 > 1 - TARGET_BESIDE ||
                  (!own && (f1 < TARGET_BESIDE || f1 > 1 - TARGET_BESIDE)) || now - before > 1;
    if (beside &&
        (own || !upper || !lower || !has_height(t, ring - 1, before - 1) || !has_height(t, ring, now - 1) ||
         !has_height(t, ring - 1, before + 2) || !has_height(t, ring, now + 2)))
        t->void_open = true;
    if (beside)
        return;
    double share = step ? (1 - f0) / (1 - f0 + f1) : f0 / (f0 + 1 - f1), middle = own ? a : a - 1 + share;
    if (!upper)
        meet_void(t, a - 1, middle);
    if (!lower)
        meet_void(t, middle, a);
}

/// The triangle of the strip before the first ring that contains a point, in the middle of a piece of the
/// direction.
static void pass_near_triangle(lf__target *t, double from, double to) {
    const lf__sector *s = t->sector;
    int64_t ring = s->first_ring - 1;
    double middle = 0.5 * (from + to), up = s->oa - (double)ring + middle, place = s->ob + t->v * middle;
    int64_t b = (int64_t)floor(place);
    double share = place - (double)b;
    if (to - from < TARGET_BESIDE)
        return;
    if (share < TARGET_BESIDE || share > 1 - TARGET_BESIDE || fabs(share - up) < TARGET_BESIDE)
        t->void_open = true; // along an edge
    else if (!has_height(t, ring, b) || !has_height(t, ring + 1, b + 1) ||
             !(share < up ? has_height(t, ring + 1, b) : has_height(t, ring, b + 1)))
        meet_void(t, from, to);
}

/// Void triangles between the observer and the first ring. The direction crosses edges from the ring before it
/// to the same row and to the next one.
static void pass_near_voids(lf__target *t) {
    const lf__sector *s = t->sector;
    double before = s->oa - (double)(s->first_ring - 1), end = 1 - before, at[4] = {0}, last = 0;
    int count = 0;
    for (int64_t row = (int64_t)floor(s->ob) - 1; row <= (int64_t)floor(s->ob) + 2; row++)
        for (int up = 0; up <= 1; up++) {
            double x = t->v == up ? -1 : ((double)row + before * up - s->ob) / (t->v - up);
            if (x > 0 && x < end && count < 4)
                at[count++] = x;
        }
    t->void_open |= count == 4; // two at most
    for (int k = 0; k <= count; k++) {
        double next = end;
        for (int n = 0; n < count; n++)
            next = at[n] > last && at[n] < next ? at[n] : next;
        pass_near_triangle(t, last, next);
        last = next;
    }
}

/// The blocks of bins that a target may be in, as bits: rounding may have put it into the next bin.
typedef struct target_blocks {
    double place; ///< in blocks
    int low, high;
    uint64_t bits;
} target_blocks;

static target_blocks blocks_of(const lf__chunk *chunk, const lf__target *t, double v0) {
    double place = (t->v - v0) * chunk->all_bins / chunk->sweep->block;
    int low = (int)fmax(place - 0.01, 0), high = (int)fmin(place + 0.01, peak_groups(chunk) - 1);
    return (target_blocks){place, low, high, (uint64_t)1 << low | (uint64_t)1 << high};
}

/// Find voids in the way of a target, whatever the ground.
static void find_voids(lf__target *t, const lf__chunk *chunk, const target_blocks *blocks, double v0) {
    t->void_open |= t->ring == t->sector->first_ring;
    if (near_void_bound(chunk, t, v0))
        pass_near_voids(t);
    if (t->ring > t->sector->first_ring && chunk->void_blocks & blocks->bits)
        pass_voids(t, t->ring, true);
    for (int k = chunk->past_count - 1; k >= 0 && !t->behind_void; k--) {
        const lf__past *past = &chunk->past[k];
        int64_t last = past->last < t->ring - 1 ? past->last : t->ring - 1,
                first = past->first > t->sector->first_ring ? past->first : t->sector->first_ring + 1;
        if (!(past->void_blocks & blocks->bits) || first > last || !voids_beside(t, first, last))
            continue;
        for (int64_t end = last, begin; end >= first && !t->behind_void; end = begin - 1) {
            begin = end - VOID_RINGS + 1 > first ? end - VOID_RINGS + 1 : first;
            for (int64_t r = voids_beside(t, begin, end) ? end : begin - 1; r >= begin && !t->behind_void;
                 r--)
                pass_voids(t, r, false);
        }
    }
}

lf_visibility lf__sweep_decide_voids(const lf__chunk *chunk, int64_t ring, int64_t b, double v0) {
    if (chunk->past_count > LF__HISTORY)
        return LF__SEEN_OPEN;
    lf__target t = start_target(chunk, ring, b);
    target_blocks blocks = blocks_of(chunk, &t, v0);
    find_voids(&t, chunk, &blocks, v0);
    return t.behind_void ? (lf_visibility)chunk->void_byte
           : t.void_open ? LF__SEEN_OPEN
                         : LF_VISIBILITY_VISIBLE;
}

/// Test the ground of all chunks before a target that reaches high enough.
static void meet_history(lf__target *t, const lf__chunk *chunk, const target_blocks *blocks) {
    float least = least_peak(chunk, t);
    int low = blocks->low, high = blocks->high;
    for (int block = (chunk->past_count - 1) / LF__PAST_BLOCK; block >= 0 && !t->blocked; block--) {
        if (chunk->past_most[low][block] < least && chunk->past_most[high][block] < least)
            continue;
        int first = block * LF__PAST_BLOCK, end = first + LF__PAST_BLOCK;
        end = end > chunk->past_count ? chunk->past_count : end;
        for (int k = end - 1; k >= first && !t->blocked; k--)
            if (!(chunk->past_peak[low][k] >= least || chunk->past_peak[high][k] >= least))
                continue;
            else if (k == chunk->past_count - 1 && chunk->tops && !chunk->gaps &&
                     !(chunk->void_blocks & blocks->bits))
                meet_own_chunk(t, chunk, blocks->place * chunk->sweep->block, least);
            else
                meet_past(t, &chunk->past[k], blocks->bits);
    }
}

lf_visibility lf__sweep_decide(const lf__chunk *chunk, int64_t ring, int64_t b, double v0) {
    const lf__sweep *sweep = chunk->sweep;
    if (chunk->past_count > LF__HISTORY)
        return LF__SEEN_OPEN;
    lf__target t = start_target(chunk, ring, b);
    // Up to the first ring there is one triangle. It ends at the target, or below it, and its distance from
    // the line has no root before that if the observer is high enough for how far the line sags.
    if (ring == t.sector->first_ring && !t.sector->both && !chunk->voids && !chunk->gaps)
        return sweep->clearance > fmax(t.metric, 0) * t.a * t.a + t.off ? LF_VISIBILITY_VISIBLE
                                                                        : LF__SEEN_OPEN;
    target_blocks blocks = blocks_of(chunk, &t, v0);
    double slope = t.slope - t.metric * t.a - t.off / t.a - chunk->rises * t.a;
    if (chunk->near >= slope)
        t.open = lf__sweep_near(sweep, chunk->sector, t.v) >= slope;
    // Between the observer and the first ring there is only the ground that the line sags towards.
    t.open |= ring == t.sector->first_ring && t.bulge > 0;
    if (chunk->gaps || (chunk->voids && chunk->first))
        t.open = true;
    else if (chunk->void_blocks & blocks.bits)
        meet_strip_of_voids(&t, ring, true);
    else
        meet_own(&t);
    meet_history(&t, chunk, &blocks);
    if (t.blocked)
        return LF_VISIBILITY_HIDDEN;
    if (!t.behind_void && !t.open && chunk->behind_void)
        find_voids(&t, chunk, &blocks, v0);
    if (t.behind_void && (chunk->void_byte == LF_VISIBILITY_HIDDEN || !t.open))
        return (lf_visibility)chunk->void_byte;
    return t.open || t.void_open ? LF__SEEN_OPEN : LF_VISIBILITY_VISIBLE;
}
