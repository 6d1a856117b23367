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

/// Where the direction crosses a ring, among voids.
typedef struct target_place {
    double place;
    int64_t b;    ///< of the sample before
    double share; ///< of the step to the next
    bool at;      ///< exactly at the sample
    bool unclear; ///< too close to a sample to tell
} target_place;

/// From an observer on a sample, directions cross rings at multiples of 1 / a, and a is less than 2^22: what is
/// close to a sample is at it.
static target_place place_on(const lf__target *t, int64_t ring, bool own) {
    if (own)
        return (target_place){(double)t->b, t->b, 0, true, false};
    double place = t->sector->ob + ((double)ring - t->sector->oa) * t->v, whole = floor(place + 0.5);
    if (fabs(place - whole) > TARGET_BESIDE)
        return (target_place){place, (int64_t)floor(place), place - floor(place), false, false};
    if (t->on_sample)
        return (target_place){whole, (int64_t)whole, 0, true, false};
    return (target_place){place, (int64_t)floor(place), place - floor(place), false, true};
}

/// Does a triangle of three samples exist? Beyond the grid there is none.
static bool has_triangle(const lf__target *t, const target_sample places[3]) {
    const lf__sector *s = t->sector;
    const lf_grid *grid = t->sweep->view->grid;
    for (int k = 0; k < 3; k++) {
        int64_t ring = places[k].i, b = places[k].j;
        int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
        if (i < 0 || j < 0 || i >= grid->columns || j >= grid->rows || lf__grid_is_void(grid, i, j))
            return false;
    }
    return true;
}

/// Is a sample a corner of a triangle?
static bool is_corner(const lf__target *t, int64_t ring, int64_t b) {
    static const lf__step around[7] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, 0}};
    for (int k = 0; k < 6; k++)
        if (has_triangle(t, (target_sample[3]){{ring, b},
                                               {ring + around[k].i, b + around[k].j},
                                               {ring + around[k + 1].i, b + around[k + 1].j}}))
            return true;
    return false;
}

/// The direction runs along the edge from the sample b of the ring before to one of this ring: does one of the
/// triangles beside it exist?
static bool has_edge(const lf__target *t, int64_t ring, int64_t b, bool rises) {
    target_sample from = {ring - 1, b}, to = {ring, rises ? b + 1 : b};
    target_sample low = rises ? (target_sample){ring, b} : (target_sample){ring - 1, b - 1},
                  high = rises ? (target_sample){ring - 1, b + 1} : (target_sample){ring, b + 1};
    return has_triangle(t, (target_sample[3]){from, to, low}) ||
           has_triangle(t, (target_sample[3]){from, to, high});
}

/// Where a direction crosses the strip before a ring, which triangles are there, and where it leaves the first of
/// them: `upper` is between two samples of the ring before, `lower` between two of this ring.
typedef struct target_strip {
    target_place before, now;
    bool upper, lower;
    double middle;
} target_strip;

/// false: too close to a sample to tell.
static bool strip_of(const lf__target *t, int64_t ring, bool own, target_strip *x) {
    *x = (target_strip){.before = place_on(t, ring - 1, false), .now = place_on(t, ring, own)};
    int64_t before = x->before.b, now = x->now.b;
    bool step = before != now;
    double f0 = x->before.share, f1 = x->now.share, a = (double)ring - t->sector->oa;
    if (x->before.unclear || x->now.unclear || now - before > 1)
        return false;
    x->upper = x->lower = true;
    if (x->before.at && x->now.at) { // along an edge
        x->middle = a;
        x->upper = has_edge(t, ring, before, step);
        return true;
    }
    if (!x->before.at)
        x->upper = has_height(t, ring - 1, before) && has_height(t, ring - 1, before + 1) &&
                   has_height(t, ring, step ? now : now + 1);
    if (!x->now.at)
        x->lower = has_height(t, ring - 1, step ? before + 1 : before) && has_height(t, ring, now) &&
                   has_height(t, ring, now + 1);
    double share = step ? (1 - f0) / (1 - f0 + f1) : f0 / (f0 + 1 - f1);
    x->middle = x->now.at ? a : x->before.at ? a - 1 : a - 1 + share;
    return true;
}

static void meet_void_strip(lf__target *t, const target_strip *x, int64_t ring) {
    double a = (double)ring - t->sector->oa;
    if (!x->upper)
        meet_void(t, a - 1, x->middle);
    if (!x->lower)
        meet_void(t, x->middle, a);
}

/// A strip and the ring behind it, where some samples may be voids. Two triangles are crossed, or one edge is
/// followed. An edge exists if a triangle beside it does.
static void meet_strip_of_voids(lf__target *t, int64_t ring, bool own) {
    target_strip x;
    bool clear = strip_of(t, ring, own, &x);
    // Beside the observer the line may be just above the ground.
    double bulge = ring == t->sector->first_ring ? 4 * t->bulge : t->bulge;
    target_around a = target_check_voids(t, ring, x.before.b, x.now.b);
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
    meet_void_strip(t, &x, ring);
    const bool *b = a.is[0], *n = a.is[1];
    if (own) { // the ring before the target's own: its edge may exist because of the triangle before it
        bool level = x.before.at ? is_corner(t, ring - 1, x.before.b)
                                 : b[1] && b[2] && (x.upper || has_height(t, ring - 2, x.before.b));
        if (level)
            meet_level(t, &before, 4 * t->bulge);
        return;
    }
    if (!x.before.at && !x.now.at && (x.upper || x.lower))
        meet_strip(t, &before, &now, false);
    if (x.now.at ? is_corner(t, ring, x.now.b)
                 : n[1] && n[2] && (x.lower || has_height(t, ring + 1, x.now.b + 1)))
        meet_level(t, &now, bulge);
}

static lf__target start_target(const lf__chunk *chunk, int64_t ring, int64_t b) {
    const lf__sweep *sweep = chunk->sweep;
    const lf__viewshed *view = sweep->view;
    const lf__sector *s = chunk->sector;
    const lf_grid *grid = view->grid;
    double a = (double)ring - s->oa, db = (double)b - s->ob;
    lf__target t = {.sweep = sweep, .sector = s, .ring = ring, .b = b, .a = a, .v = db / a};
    t.on_sample = s->oa == floor(s->oa) && s->ob == floor(s->ob);
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

/// Rings that are tested for voids together.
#define VOID_RINGS 4

/// Rings among which there may be voids, the last ones first. Where there are none, kernels are faster.
static void meet_voids(lf__target *t, int64_t first, int64_t last) {
    if (first == t->sector->first_ring && !t->on_sample) { // what is before it is unknown
        t->open = true;
        first++;
    }
    for (int64_t end = last, begin; end >= first && !t->blocked; end = begin - 1) {
        begin = end - VOID_RINGS + 1 > first ? end - VOID_RINGS + 1 : first;
        if (!lf__sweep_voids_beside(t, begin, end)) {
            t->sweep->meet(t, begin, end);
            continue;
        }
        for (int64_t ring = end; ring >= begin && !t->blocked; ring--)
            meet_strip_of_voids(t, ring, false);
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

/// A chunk that has been passed: those parts of it that reach high enough, the last ones first.
static void meet_past(lf__target *t, const lf__chunk *chunk, int k, const lf__target_blocks *blocks,
                      float least) {
    const lf__past *past = &chunk->past[k];
    const float *low = chunk->past_part[blocks->low][k], *high = chunk->past_part[blocks->high][k];
    if (past->gaps) {
        t->open = true;
        return;
    }
    for (int end = LF__RING_PARTS, begin; end > 0 && !t->blocked; end = begin) {
        begin = end - 1;
        if (low[begin] < least && high[begin] < least)
            continue;
        while (begin > 0 && !(low[begin - 1] < least && high[begin - 1] < least))
            begin--;
        int64_t last = past->first + LF__PART_RINGS * end - 1;
        meet_rings(t, past->first + LF__PART_RINGS * begin, last < past->last ? last : past->last,
                   past->void_blocks & blocks->bits);
    }
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
    target_strip x;
    if (strip_of(t, ring, own, &x))
        meet_void_strip(t, &x, ring);
    else if (!target_check_voids(t, ring, x.before.b, x.now.b).all)
        t->void_open = true;
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

lf__target_blocks lf__target_blocks_of(const lf__chunk *chunk, const lf__target *t, double v0) {
    double place = (t->v - v0) * chunk->all_bins / chunk->sweep->block;
    int low = (int)fmax(place - 0.01, 0), high = (int)fmin(place + 0.01, lf__peak_groups(chunk) - 1);
    return (lf__target_blocks){place, low, high, (uint64_t)1 << low | (uint64_t)1 << high};
}

/// Is the line above all voids from the observer up to a distance? It sags downwards: where it ends below them, it
/// was above them before any place where it is above them.
static bool above_voids(const lf__target *t, double x) {
    return t->metric >= 0 && t->a * t->slope <= t->sweep->void_height &&
           lf__target_line(t, x) > t->sweep->void_height + t->off + t->bulge;
}

/// Do the two samples beside the direction on a ring have heights? Not where it may pass through one of them.
static bool has_pair(const lf__target *t, int64_t ring) {
    const lf__sector *s = t->sector;
    double place = s->ob + ((double)ring - s->oa) * t->v, whole = floor(place), share = place - whole;
    if (share < TARGET_BESIDE || share > 1 - TARGET_BESIDE)
        return false;
    int64_t b = (int64_t)whole, i = ring * s->along.i + b * s->across.i,
            j = ring * s->along.j + b * s->across.j;
    const lf_grid *grid = t->sweep->view->grid;
    return !lf__grid_is_void(grid, i, j) && !lf__grid_is_void(grid, i + s->across.i, j + s->across.j);
}

/// Voids between two rings, the last ones first. Both triangles of a strip exist where the two samples of either of
/// its rings do.
static void find_voids_between(lf__target *t, int64_t first, int64_t last) {
    bool now = has_pair(t, last);
    for (int64_t r = last; r >= first && !t->behind_void; r--) {
        if (r % VOID_RINGS == 0 && above_voids(t, (double)r - t->sector->oa))
            return;
        bool before = has_pair(t, r - 1);
        if (!before || !now)
            pass_voids(t, r, false);
        now = before;
    }
}

void lf__sweep_find_voids(lf__target *t, const lf__chunk *chunk, const lf__target_blocks *blocks, double v0) {
    int64_t next = t->sector->first_ring;
    bool near = near_void_bound(chunk, t, v0);
    if (t->on_sample && near)
        pass_voids(t, next, t->ring == next);
    else if (near)
        pass_near_voids(t);
    t->void_open |= !t->on_sample && t->ring == next;
    if (t->ring > next && chunk->void_blocks & blocks->bits)
        pass_voids(t, t->ring, true);
    for (int k = chunk->past_count - 1; k >= 0 && !t->behind_void; k--) {
        const lf__past *past = &chunk->past[k];
        int64_t last = past->last < t->ring - 1 ? past->last : t->ring - 1,
                first = past->first > next ? past->first : next + 1;
        if (above_voids(t, (double)last - t->sector->oa))
            return;
        if (past->void_blocks & blocks->bits && first <= last && lf__sweep_voids_beside(t, first, last))
            find_voids_between(t, first, last);
    }
}

lf_visibility lf__sweep_decide_voids(const lf__chunk *chunk, int64_t ring, int64_t b, double v0) {
    if (chunk->past_count > LF__HISTORY)
        return LF__SEEN_OPEN;
    lf__target t = start_target(chunk, ring, b);
    lf__target_blocks blocks = lf__target_blocks_of(chunk, &t, v0);
    lf__sweep_find_voids(&t, chunk, &blocks, v0);
    return t.behind_void ? (lf_visibility)chunk->void_byte
           : t.void_open ? LF__SEEN_OPEN
                         : LF_VISIBILITY_VISIBLE;
}

/// Test the ground of all chunks before a target that reaches high enough.
static void meet_history(lf__target *t, const lf__chunk *chunk, const lf__target_blocks *blocks) {
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
                meet_past(t, chunk, k, blocks, least);
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
    // Between the observer and the first ring there is only the ground that the line sags towards.
    t.open |= ring == t.sector->first_ring && t.bulge > 0;
    if (chunk->gaps)
        t.open = true;
    else if (chunk->void_blocks & blocks.bits)
        meet_strip_of_voids(&t, ring, true);
    else
        meet_own(&t);
    meet_history(&t, chunk, &blocks);
    if (t.blocked)
        return LF_VISIBILITY_HIDDEN;
    if (!t.behind_void && !t.open && chunk->behind_void)
        lf__sweep_find_voids(&t, chunk, &blocks, v0);
    if (t.behind_void && (chunk->void_byte == LF_VISIBILITY_HIDDEN || !t.open))
        return (lf_visibility)chunk->void_byte;
    return t.open || t.void_open ? LF__SEEN_OPEN : LF_VISIBILITY_VISIBLE;
}
