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
    *height = lf__grid_height(grid, i, j) - sweep->view->z;
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
    // Before the ring ground may be higher, as slopes go, than where it is crossed: by no more than what it
    // is lowered there. So it is not lowered at all.
    double off = 1e-6 * (sweep->most_height + sweep->steepest) + sweep->line_off +
                 (sweep->lowering < 0 ? 2 * s->most_metric : 0);
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
    float share[LF__BINS_ROOM], level[LF__BINS_ROOM];
    float most[LF__BINS_ROOM], least[LF__BINS_ROOM]; ///< of the edges since the last ring
    bool solid[LF__BINS_ROOM]; ///< the edge of the ring and the triangle before it are there
} borders;

static bool is_void(float slope) {
    return slope < LF__VOID_LIMIT;
}

/// What the slope of an edge is where it is passed.
typedef struct range {
    float least, most;
} range;

/// An edge from one ring to the next, its slopes `from` and `to`, passed at these distances along b, in posts: its slope there. Linear
/// in v; four times `off` is what rounding of the distances can do.
static range passed(float from, float to, float from_off, float to_off, const lf__chunk_ring *ring) {
    float a = ring[0].a, share = from_off * a, off = LF__SWEEP_OFF * a, d = to - from;
    float sum = share + to_off * ring[-1].a + off, middle = d * share, more = fabsf(d) * (4 * off);
    return (range){from + (middle - more) / sum, from + (middle + more) / sum};
}

static range higher(range x, range y) {
    return (range){-LF__FAR_SLOPE, fmaxf(x.most, y.most)};
}

/// What edges between the last ring and this one add in the direction of a border. Where there may be several nothing is known from
/// below.
static range inner_of(const lf__chunk *chunk, int r, const borders *before, const borders *now, int m) {
    const float *from = chunk->slope[r - 1], *to = chunk->slope[r];
    const lf__chunk_ring *ring = &chunk->ring[r];
    int row0 = before->row[m], row1 = now->row[m];
    float f0 = before->share[m], f1 = now->share[m];
    bool step = row0 != row1;
    if (!chunk->sector->both && (is_void(from[row0 + step]) || is_void(to[row1 + !step])))
        return (range){-LF__FAR_SLOPE, -LF__FAR_SLOPE};
    if (!chunk->sector->both)
        return step ? passed(from[row0 + 1], to[row1], 1 - f0, f1, ring)
                    : passed(from[row0], to[row1 + 1], f0, 1 - f1, ring);
    range most = passed(from[row0 + 1], to[row1], 1 - f0, f1, ring);
    if (!step)
        return higher(most, passed(from[row0], to[row1 + 1], f0, 1 - f1, ring));
    most = higher(most, passed(from[row0 + 1], to[row1 - 1], 1 - f0, 1 + f1, ring));
    return higher(most, passed(from[row0 + 2], to[row1], 2 - f0, f1, ring));
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
        if (is_void(slope[0]) || is_void(slope[1]))
            now->level[m] = -LF__FAR_SLOPE;
        now->solid[m] =
            !is_void(now->level[m]) && r > 0 && !chunk->first && !is_void(chunk->slope[r - 1][now->row[m]]);
    }
}

// ---------------------------------------------------------------------------------------------------
// Bins
// ---------------------------------------------------------------------------------------------------

/// A line over a bin, by its slopes at the two borders.
typedef struct line {
    float first, last;
} line;

/// A bin at a ring.
typedef struct at {
    lf__chunk *chunk;
    const lf__chunk_ring *ring;
    int r, m;
    const borders *before, *now;
    bool post;    ///< there is one in the bin; on this ring
    float slope;  ///< of it
    float share;  ///< of the bin before it
    bool whole;   ///< all squares of the strip are solid
    bool level;   ///< and those next to the ring
    float high_0; ///< what the bin's upper line was before the ring
    float high_1;
} at;

/// A line in the post's direction, and what rounding of that can do.
static float line_at(const at *x, line l) {
    return l.first + x->share * (l.last - l.first);
}

static float line_off(const at *x, line l) {
    return x->ring->share_off * fabsf(l.last - l.first);
}

static line high_of(const at *x) {
    return (line){x->chunk->high[0][x->m], x->chunk->high[1][x->m]};
}

/// Ground that is between the borders no higher than a line.
static void raise_high(at *x, line most) {
    float *first = &x->chunk->high[0][x->m], *last = &x->chunk->high[1][x->m];
    float *peak = &x->chunk->peak[x->m / LF__PEAK_BINS], off = x->ring->off;
    *first = fmaxf(*first, most.first + off);
    *last = fmaxf(*last, most.last + off);
    *peak = fmaxf(*peak, fmaxf(most.first, most.last) + off);
}

/// Ground that is nowhere below a line. Of two lines the one that is higher in the middle is kept.
static void raise_low(at *x, line least) {
    float *first = &x->chunk->low[0][x->m], *last = &x->chunk->low[1][x->m], off = x->ring->off;
    least = (line){least.first - off, least.last - off};
    if (least.first + least.last > *first + *last) {
        *first = least.first;
        *last = least.last;
    }
}

/// Squares that are not there: what can be said all the same of the strip's ground in this bin.
static float inner_with_gaps(at *x) {
    const lf__chunk *chunk = x->chunk;
    int first = x->before->row[x->m] - 1, last = x->now->row[x->m + 1] + 1;
    bool pass = chunk->sweep->view->def.rules.voids == LF_VOIDS_PASS, unknown = false;
    float most = -LF_INFINITY;
    for (int row = first; row <= last; row++) {
        int state = chunk->state[x->r][row];
        unknown |= (state == LF__HOLE || state == LF__PART) && !pass;
        x->whole &= state == LF__SOLID;
        x->level &= state == LF__SOLID || row < x->now->row[x->m] - 1;
        // The posts of the ring may belong to squares beyond it. Those that are holes are no numbers, and do
        // not count.
        const float *a = &chunk->slope[x->r - 1][row], *b = &chunk->slope[x->r][row];
        most = fmaxf(fmaxf(most, b[0]), b[1]);
        if (state <= LF__PART) // there is ground; beside the observer slopes are beyond bounds
            most = chunk->first ? LF_INFINITY : fmaxf(most, fmaxf(a[0], a[1]));
    }
    return unknown ? LF_INFINITY : most;
}

/// What lies between the last ring and this one.
static void pass_strip(at *x) {
    lf__chunk *chunk = x->chunk;
    int m = x->m;
    if (chunk->gaps) {
        float rough = inner_with_gaps(x);
        if (!x->whole && rough < LF__FAR_SLOPE)
            raise_high(x, (line){rough, rough});
        else if (!x->whole)
            chunk->over[m] = chunk->peak[m / LF__PEAK_BINS] = LF_INFINITY;
    }
    if (chunk->first || !x->whole)
        return;
    raise_high(x, (line){x->now->most[m], x->now->most[m + 1]});
    // The same edge on both borders.
    if (!chunk->sector->both && !chunk->voids && !x->post && x->before->row[m] == x->before->row[m + 1])
        raise_low(x, (line){x->now->least[m], x->now->least[m + 1]});
}

/// The target on the ring that lies in the bin: seen over everything before, or not?
static void classify(at *x) {
    lf__chunk *chunk = x->chunk;
    line high = high_of(x), low = {chunk->low[0][x->m], chunk->low[1][x->m]};
    uint8_t seen = LF__SEEN_ASK;
    if (is_void(x->slope))
        seen = LF_VISIBILITY_HIDDEN;
    else if (x->slope + x->ring->target_low >
             line_at(x, high) + line_off(x, high) + LF__OVER_ROUNDED * chunk->over[x->m])
        seen = LF_VISIBILITY_VISIBLE;
    else if (x->slope + x->ring->target_high < line_at(x, low) - line_off(x, low))
        seen = LF_VISIBILITY_HIDDEN;
    chunk->out[x->r][x->now->row[x->m + 1]] = seen;
    chunk->any |= seen != LF_VISIBILITY_HIDDEN;
}

/// The ground of the ring itself.
static void pass_ring(at *x) {
    lf__chunk *chunk = x->chunk;
    float *over = &chunk->over[x->m], *peak = &chunk->peak[x->m / LF__PEAK_BINS];
    line level = {x->now->level[x->m], x->now->level[x->m + 1]};
    if (x->whole)
        raise_high(x, level);
    line high = high_of(x);
    float risen = fminf(high.first - x->high_0, high.last - x->high_1);
    *over = fmaxf(*over - LF__OVER_SINKS * risen, 0);
    if (x->whole && x->post && !is_void(x->slope)) {
        *peak = fmaxf(*peak, x->slope + x->ring->off);
        *over = fmaxf(*over, x->slope + x->ring->off - line_at(x, high) + line_off(x, high));
    }
    if (x->level && x->post) {
        float dip = fmaxf(line_at(x, level) - x->slope + line_off(x, level), 0);
        level = (line){level.first - dip, level.last - dip};
    }
    if (x->level)
        raise_low(x, level);
}

/// Ground that has been passed is a ring farther from its targets now.
static void drift(lf__chunk *chunk, int r, int m) {
    for (int k = 0; k < 2; k++) {
        chunk->high[k][m] += chunk->ring[r].rise;
        chunk->low[k][m] -= chunk->ring[r].sink;
    }
}

static void do_bin(lf__chunk *chunk, int r, int m, const borders *before, const borders *now) {
    drift(chunk, r, m);
    at x = {.chunk = chunk, .ring = &chunk->ring[r], .r = r, .m = m, .before = before, .now = now};
    x.post = now->row[m + 1] != now->row[m];
    x.slope = chunk->slope[r][now->row[m + 1]];
    x.share = fminf(fmaxf(1 - now->share[m + 1] * x.ring->per_bin, 0), 1);
    x.whole = true;
    x.level = !chunk->voids || (now->solid[m] && now->solid[m + 1]);
    x.high_0 = chunk->high[0][m];
    x.high_1 = chunk->high[1][m];
    // Where squares are cut along one diagonal no edge of the strip before a target's ring is in its way:
    // those that its ray touches end at the target.
    bool early = !chunk->sector->both;
    if (x.post && early)
        classify(&x);
    pass_strip(&x);
    if (x.post && !early)
        classify(&x);
    pass_ring(&x);
}

/// What the ground reaches before the first ring: edges of the first strip may begin at posts of the ring before it.
static void start_peaks(lf__chunk *chunk, const borders *before) {
    for (int k = 0; k < LF__PEAKS; k++)
        chunk->peak[k] = -LF_INFINITY;
    for (int m = 0; m < chunk->bins && !chunk->first; m++) {
        float *peak = &chunk->peak[m / LF__PEAK_BINS];
        if (before->row[m + 1] != before->row[m] && !is_void(chunk->slope[0][before->row[m + 1]]))
            *peak = fmaxf(*peak, chunk->slope[0][before->row[m + 1]] + chunk->ring[0].off);
    }
}

void lf__chunk_plain(lf__chunk *chunk) {
    borders both[2];
    set_borders(chunk, 0, &both[0]);
    start_peaks(chunk, &both[0]);
    for (int r = 1; r <= chunk->rings; r++) {
        borders *before = &both[(r - 1) & 1], *now = &both[r & 1];
        set_borders(chunk, r, now);
        for (int m = 0; m <= chunk->bins && !chunk->first; m++) {
            range inner = inner_of(chunk, r, before, now, m);
            now->least[m] = inner.least;
            now->most[m] = inner.most;
        }
        for (int m = 0; m < chunk->bins; m++)
            do_bin(chunk, r, m, before, now);
    }
}
