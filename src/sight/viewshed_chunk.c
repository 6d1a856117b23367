/// Chunks the plain way: the reference for kernels, and the way for squares that are not there.
#include "sight/viewshed_sweep.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------------
// Before the first ring
// ---------------------------------------------------------------------------------------------------

/// A post's height above the observer; false where it does not exist.
static bool height_at(const lf__sweep *sweep, const lf__sector *s, int64_t a, int64_t b, double *height) {
    const lf_grid *grid = sweep->view->grid;
    int64_t i = a * s->along.i + b * s->across.i, j = a * s->along.j + b * s->across.j;
    if (i < 0 || j < 0 || i >= grid->columns || j >= grid->rows || lf__grid_hole(grid, i, j))
        return false;
    double da = (double)a - s->oa, db = (double)b - s->ob;
    double lower = s->metric[0] * da * da + s->metric[1] * da * db + s->metric[2] * db * db;
    *height = lf__grid_height(grid, i, j) - sweep->view->z - lower;
    return true;
}

/// Where the ray crosses the edge from (a, b) to (a + 1, b + up): its slope there; -INFINITY where it does not.
static double edge_slope(const lf__sweep *sweep, const lf__sector *s, double v, int64_t b, int up) {
    int64_t a = s->first_ring - 1;
    double from, to;
    if (v == up)
        return -LF_INFINITY; // along it: what matters are its ends
    double before = s->oa - (double)a;
    double t = ((double)b + before * up - s->ob) / (v - up);
    if (!(t > -1e-9 && t < 1 - before + 1e-9))
        return -LF_INFINITY;
    if (!height_at(sweep, s, a, b, &from) || !height_at(sweep, s, a + 1, b + up, &to))
        return -LF_INFINITY;
    double share = fmin(fmax(before + t, 0), 1), height = from + share * (to - from);
    double off = 1e-6 * (sweep->most_height + sweep->steepest) + sweep->bulge +
                 (1e-6 + sweep->uneven) * s->most_metric;
    if (t < 1e-7)
        return height + off < 0 ? -LF_INFINITY : LF_INFINITY;
    return (height + off) / t;
}

double lf__sweep_near(const lf__sweep *sweep, const lf__sector *s, double v) {
    int64_t b = (int64_t)floor(s->ob);
    double most = -LF_INFINITY;
    for (int64_t row = b; row <= b + 2; row++) {
        most = fmax(most, edge_slope(sweep, s, v, row, 0));
        most = fmax(most, edge_slope(sweep, s, v, row - 1, 1));
        if (s->both)
            most = fmax(most, edge_slope(sweep, s, v, row, -1));
    }
    return most;
}

// ---------------------------------------------------------------------------------------------------
// Borders
// ---------------------------------------------------------------------------------------------------

/// Where the borders of the bins are at a ring, and what the ground is there.
typedef struct borders {
    int row[LF__BINS_ROOM]; ///< of the post before
    float share[LF__BINS_ROOM], level[LF__BINS_ROOM], inner[LF__BINS_ROOM];
} borders;

/// An edge from one ring to the next, its slopes `from` and `to`, passed at these distances along b, in posts: its slope there, no less than
/// that. Linear in v; off_a is what rounding of the distances can do.
static float passed(float from, float to, float from_off, float to_off, const lf__chunk_ring *ring) {
    float a = ring[0].a, share = from_off * a, off = LF__SWEEP_OFF * a, d = to - from;
    return from + (d * share + fabsf(d) * (4 * off)) / (share + to_off * ring[-1].a + off);
}

/// What edges between the last ring and this one add in the direction of a border.
static float inner_of(const lf__chunk *chunk, int r, const borders *before, const borders *now, int m) {
    const float *from = chunk->slope[r - 1], *to = chunk->slope[r];
    const lf__chunk_ring *ring = &chunk->ring[r];
    int row0 = before->row[m], row1 = now->row[m];
    float f0 = before->share[m], f1 = now->share[m];
    bool step = row0 != row1;
    if (!chunk->sector->both)
        return step ? passed(from[row0 + 1], to[row1], 1 - f0, f1, ring)
                    : passed(from[row0], to[row1 + 1], f0, 1 - f1, ring);
    float most = passed(from[row0 + 1], to[row1], 1 - f0, f1, ring);
    if (!step)
        return fmaxf(most, passed(from[row0], to[row1 + 1], f0, 1 - f1, ring));
    most = fmaxf(most, passed(from[row0 + 1], to[row1 - 1], 1 - f0, 1 + f1, ring));
    return fmaxf(most, passed(from[row0 + 2], to[row1], 2 - f0, f1, ring));
}

static void set_borders(const lf__chunk *chunk, int r, borders *now) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    for (int m = 0; m <= chunk->bins; m++) {
        float place = chunk->place[m] + (float)r * chunk->v[m];
        float whole = fminf(fmaxf(floorf(place), ring->first), ring->last);
        now->row[m] = (int)whole;
        now->share[m] = place - whole;
        const float *slope = &chunk->slope[r][now->row[m]];
        now->level[m] = slope[0] + now->share[m] * (slope[1] - slope[0]);
    }
}

// ---------------------------------------------------------------------------------------------------
// Bins
// ---------------------------------------------------------------------------------------------------

/// A bin at a ring.
typedef struct at {
    lf__chunk *chunk;
    int r, m;
    const borders *before, *now;
    bool whole; ///< all squares of the strip are solid
    bool level; ///< and those next to the ring
} at;

/// Squares that are not there: what can be said all the same of the strip's ground in this bin.
static float inner_with_gaps(at *x) {
    const lf__chunk *chunk = x->chunk;
    int first = x->before->row[x->m] - 1, last = x->now->row[x->m + 1] + 1;
    bool pass = chunk->sweep->view->def.rules.holes == LF_HOLES_PASS, unknown = false;
    float most = -LF_INFINITY;
    for (int row = first; row <= last; row++) {
        int state = chunk->state[x->r][row];
        unknown |= state == LF__HOLE && !pass;
        x->whole &= state == LF__SOLID;
        x->level &= state == LF__SOLID || row < x->now->row[x->m] - 1;
        // The posts of the ring may belong to squares beyond it. Those that are holes are no numbers, and do
        // not count.
        const float *a = &chunk->slope[x->r - 1][row], *b = &chunk->slope[x->r][row];
        most = fmaxf(fmaxf(most, b[0]), b[1]);
        if (state == LF__SOLID) // beside the observer slopes are beyond bounds
            most = chunk->first ? LF_INFINITY : fmaxf(most, fmaxf(a[0], a[1]));
    }
    return unknown ? LF_INFINITY : most;
}

/// The target on the ring that lies in the bin: seen over everything before, or not?
static void classify(at *x) {
    lf__chunk *chunk = x->chunk;
    const lf__chunk_ring *ring = &chunk->ring[x->r];
    int row = x->now->row[x->m + 1];
    float slope = chunk->slope[x->r][row];
    uint8_t seen = LF__SEEN_ASK;
    if (slope + ring->target_low > chunk->high[x->m])
        seen = LF_SEEN_VISIBLE;
    else if (slope + ring->target_high < chunk->low[x->m])
        seen = LF_SEEN_HIDDEN;
    chunk->out[x->r][row] = seen;
    chunk->any |= seen != LF_SEEN_HIDDEN;
}

static void do_bin(at *x) {
    lf__chunk *chunk = x->chunk;
    int m = x->m;
    float off = chunk->ring[x->r].off, *high = &chunk->high[m], *low = &chunk->low[m];
    bool post = x->now->row[m + 1] != x->now->row[m];
    float slope = chunk->slope[x->r][x->now->row[m + 1]];
    float inner = chunk->first ? -LF_INFINITY : fmaxf(x->now->inner[m], x->now->inner[m + 1]);
    x->whole = x->level = true;
    if (chunk->gaps) {
        float rough = inner_with_gaps(x);
        inner = x->whole ? inner : rough;
    }
    float *peak = &chunk->peak[m / LF__PEAK_BINS];
    *high = fmaxf(*high, inner + off);
    *peak = fmaxf(*peak, inner + off);
    if (post)
        classify(x);
    float most = fmaxf(x->now->level[m], x->now->level[m + 1]);
    float least = fminf(x->now->level[m], x->now->level[m + 1]);
    most = (post ? fmaxf(most, slope) : most) + off;
    if (x->whole) {
        *high = fmaxf(*high, most);
        *peak = fmaxf(*peak, most);
    }
    if (x->level)
        *low = fmaxf(*low, (post ? fminf(least, slope) : least) - off);
}

void lf__chunk_plain(lf__chunk *chunk) {
    borders both[2];
    for (int k = 0; k < LF__PEAKS; k++)
        chunk->peak[k] = -LF_INFINITY;
    set_borders(chunk, 0, &both[0]);
    for (int r = 1; r <= chunk->rings; r++) {
        borders *before = &both[(r - 1) & 1], *now = &both[r & 1];
        set_borders(chunk, r, now);
        for (int m = 0; m <= chunk->bins && !chunk->first; m++)
            now->inner[m] = inner_of(chunk, r, before, now, m);
        for (int m = 0; m < chunk->bins; m++)
            do_bin(&(at){.chunk = chunk, .r = r, .m = m, .before = before, .now = now});
    }
}
