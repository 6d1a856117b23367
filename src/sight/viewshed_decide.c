/// Targets between the bounds of their bin: along their own direction, in doubles.
///
/// Of every chunk that the sweep passed we know how high its ground reaches in any seven bins. Only where that is above the target does the ground
/// have to be looked at: mostly a strip or two. What then still hangs on rounding is left to an exact line.
#include "sight/viewshed_sweep.h"
#include <math.h>

/// Where the direction crosses a ring.
typedef struct crossing {
    double a, per_a, share;
    double h[4]; ///< slopes of the posts before, at, after, and after that
    int64_t b;
} crossing;

/// A ring, and what slopes on it need.
typedef struct ring_of {
    int64_t i, j; ///< of its post b = 0
    double per_a, m0, m1, m2;
} ring_of;

static ring_of ring_at(const lf__target *t, int64_t ring) {
    const lf__sector *s = t->sector;
    double a = (double)ring - s->oa, per_a = 1 / a;
    return (ring_of){ring * s->along.i, ring * s->along.j, per_a,
                     s->metric[0] * a,  s->metric[1],      s->metric[2] * per_a};
}

static inline double slope_at(const lf__target *t, const ring_of *r, int64_t b) {
    const lf__sector *s = t->sector;
    const lf_grid *grid = t->sweep->view->grid;
    int64_t i = r->i + b * s->across.i, j = r->j + b * s->across.j;
    i = i < 0 ? 0 : i >= grid->columns ? grid->columns - 1 : i; // beyond the border: never in the way
    j = j < 0 ? 0 : j >= grid->rows ? grid->rows - 1 : j;
    double slope = (lf__grid_height(grid, i, j) - t->sweep->view->z) * r->per_a, db = (double)b - s->ob;
    return t->sweep->lowering == 0 ? slope : slope - (r->m0 + (r->m1 + r->m2 * db) * db);
}

static inline crossing cross(const lf__target *t, int64_t ring) {
    const lf__sector *s = t->sector;
    ring_of r = ring_at(t, ring);
    crossing c = {.a = (double)ring - s->oa, .per_a = r.per_a};
    double place = s->ob + c.a * t->v;
    c.b = (int64_t)floor(place);
    c.share = place - (double)c.b;
    c.h[1] = slope_at(t, &r, c.b);
    c.h[2] = slope_at(t, &r, c.b + 1);
    if (s->both) {
        c.h[0] = slope_at(t, &r, c.b - 1);
        c.h[3] = slope_at(t, &r, c.b + 2);
    }
    return c;
}

/// As that of chunks.
static double passed(double from, double to, double from_off, double to_off, const crossing *before,
                     const crossing *now) {
    double share = from_off * now->a, sum = share + to_off * before->a;
    return sum > 1e-9 * now->a ? from + (to - from) * (share / sum) : fmax(from, to);
}

/// Ground at a distance, somewhere from `least` to `most`.
static inline void meet(lf__target *t, double least, double most, double per_a) {
    double off = t->off * per_a + t->margin;
    t->blocked |= least - off - t->dip * per_a > t->slope;
    t->open |= most + off + t->bulge * per_a >= t->slope;
}

/// Edges between two rings.
static void meet_strip(lf__target *t, const crossing *before, const crossing *now) {
    double f0 = before->share, f1 = now->share;
    bool step = before->b != now->b;
    if (!t->sector->both) {
        double slope = step ? passed(before->h[2], now->h[1], 1 - f0, f1, before, now)
                            : passed(before->h[1], now->h[2], f0, 1 - f1, before, now);
        meet(t, slope, slope, before->per_a);
        return;
    }
    double most = passed(before->h[2], now->h[1], 1 - f0, f1, before, now);
    if (step) {
        most = fmax(most, passed(before->h[2], now->h[0], 1 - f0, 1 + f1, before, now));
        most = fmax(most, passed(before->h[3], now->h[1], 2 - f0, f1, before, now));
    } else {
        most = fmax(most, passed(before->h[1], now->h[2], f0, 1 - f1, before, now));
    }
    meet(t, -LF_INFINITY, most, before->per_a);
}

void lf__meet_plain(lf__target *t, int64_t first, int64_t last, int64_t own) {
    if (first == t->sector->first_ring) { // the strip before it has been looked at
        crossing c = cross(t, first);
        double level = c.h[1] + c.share * (c.h[2] - c.h[1]);
        if (first != own)
            meet(t, level, level, c.per_a);
        first++;
    }
    if (first > last)
        return;
    crossing before = cross(t, first - 1);
    for (int64_t ring = first; ring <= last && !t->blocked; ring++) {
        crossing now = cross(t, ring);
        meet_strip(t, &before, &now);
        double level = now.h[1] + now.share * (now.h[2] - now.h[1]);
        if (ring != own)
            meet(t, level, level, now.per_a);
        before = now;
    }
}

static lf__target start_target(const lf__chunk *chunk, int64_t ring, int64_t b) {
    const lf__sweep *sweep = chunk->sweep;
    const lf__sector *s = chunk->sector;
    const lf_grid *grid = sweep->view->grid;
    double a = (double)ring - s->oa;
    lf__target t = {.sweep = sweep, .sector = s, .v = ((double)b - s->ob) / a, .bulge = sweep->bulge};
    t.dip = sweep->lowering < 0 || sweep->uneven > 0 ? sweep->bulge : 0;
    double size = (double)(grid->columns + grid->rows) + fabs(s->oa) + fabs(s->ob);
    ring_of own = ring_at(&t, ring);
    t.slope = slope_at(&t, &own, b) + sweep->view->def.target / a;
    t.off = 0x1p-46 * size * sweep->steepest + 0x1p-44 * sweep->most_height;
    t.margin = t.off / a + (1e-12 + sweep->uneven) * s->most_metric * a;
    return t;
}

// ---------------------------------------------------------------------------------------------------
// History
// ---------------------------------------------------------------------------------------------------

static int peak_groups(const lf__chunk *chunk) {
    return (chunk->bins + LF__PEAK_BINS - 1) / LF__PEAK_BINS;
}

void lf__past_add(lf__chunk *chunk) {
    int k = chunk->past_count++;
    if (k >= LF__HISTORY)
        return;
    chunk->past[k] = (lf__past){chunk->base_ring + 1, chunk->base_ring + chunk->rings, chunk->gaps};
    for (int g = 0; g < peak_groups(chunk); g++) {
        float *most = &chunk->past_most[g][k / LF__PAST_BLOCK], peak = chunk->peak[g];
        chunk->past_peak[g][k] = peak;
        *most = k % LF__PAST_BLOCK == 0 || peak > *most ? peak : *most;
    }
}

void lf__past_split(lf__chunk *chunk) {
    int groups = (2 * chunk->bins + LF__PEAK_BINS - 1) / LF__PEAK_BINS;
    int count = chunk->past_count < LF__HISTORY ? chunk->past_count : LF__HISTORY,
        last = peak_groups(chunk) - 1;
    for (int g = groups - 1; g > 0; g--) {
        int low = LF__PEAK_BINS * g / 2 / LF__PEAK_BINS,
            high = (LF__PEAK_BINS * g + LF__PEAK_BINS - 1) / 2 / LF__PEAK_BINS;
        high = high > last ? last : high;
        for (int k = 0; k < count; k++)
            chunk->past_peak[g][k] = fmaxf(chunk->past_peak[low][k], chunk->past_peak[high][k]);
        for (int k = 0; k < (count + LF__PAST_BLOCK - 1) / LF__PAST_BLOCK; k++)
            chunk->past_most[g][k] = fmaxf(chunk->past_most[low][k], chunk->past_most[high][k]);
    }
}

/// One that may be in the way.
static void meet_past(lf__target *t, const lf__past *past, int64_t ring) {
    if (past->gaps)
        t->open = true;
    else
        t->sweep->meet(t, past->first, past->last < ring ? past->last : ring, ring);
}

lf_seen lf__sweep_decide(const lf__chunk *chunk, int64_t ring, int64_t b, double v0) {
    const lf__sweep *sweep = chunk->sweep;
    if (chunk->past_count > LF__HISTORY)
        return LF__SEEN_ASK;
    lf__target t = start_target(chunk, ring, b);
    if (chunk->near + t.margin >= t.slope)
        t.open = lf__sweep_near(sweep, chunk->sector, t.v) + t.margin >= t.slope;
    // Rounding may have put the target into the next bin.
    double place = (t.v - v0) * chunk->all_bins / LF__PEAK_BINS;
    int low = (int)fmax(place - 0.01, 0), high = (int)fmin(place + 0.01, peak_groups(chunk) - 1);
    const double *tilt = chunk->sector->tilt;
    float least = (float)(t.slope - t.margin - (tilt[0] + tilt[1] * t.v));
    least -= 1e-6f * fabsf(least);
    for (int block = (chunk->past_count - 1) / LF__PAST_BLOCK; block >= 0 && !t.blocked; block--) {
        if (chunk->past_most[low][block] < least && chunk->past_most[high][block] < least)
            continue;
        int first = block * LF__PAST_BLOCK, end = first + LF__PAST_BLOCK;
        end = end > chunk->past_count ? chunk->past_count : end;
        for (int k = end - 1; k >= first && !t.blocked; k--)
            if (chunk->past_peak[low][k] >= least || chunk->past_peak[high][k] >= least)
                meet_past(&t, &chunk->past[k], ring);
    }
    return t.blocked ? LF_SEEN_HIDDEN : t.open ? LF__SEEN_ASK : LF_SEEN_VISIBLE;
}
