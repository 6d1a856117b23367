/// Chunks of the sweep by scalar code: the reference for the kernels, and the only path where squares are
/// missing.
#include "sight/viewshed_sweep.h"
#include <math.h>
#include <string.h>

void lf__slope_range_scalar(const float *slope, int count, float range[2]) {
    range[0] = range[1] = 0;
    for (int k = 0; k < count; k++) { // voids are NAN or LF__VOID_SLOPE, and do not count
        float next = slope[k + 1 < count ? k + 1 : k];
        if (slope[k] < LF__VOID_LIMIT)
            continue;
        float size = fabsf(slope[k]), step = next < LF__VOID_LIMIT ? 0 : fabsf(next - slope[k]);
        range[0] = size > range[0] ? size : range[0];
        range[1] = step > range[1] ? step : range[1];
    }
}

// ---------------------------------------------------------------------------------------------------
// Before the first ring
// ---------------------------------------------------------------------------------------------------

/// A sample's height above the observer; false where it does not exist.
static bool chunk_height_at(const lf__sweep *sweep, const lf__sector *s, int64_t a, int64_t b,
                            double *height) {
    const lf_grid *grid = sweep->view->grid;
    int64_t i = a * s->along.i + b * s->across.i, j = a * s->along.j + b * s->across.j;
    if (i < 0 || j < 0 || i >= grid->columns || j >= grid->rows || lf__grid_is_void(grid, i, j))
        return false;
    *height = lf__grid_height(grid, i, j) - sweep->view->z;
    return true;
}

/// Upper bound of errors of heights before the first ring. There the slope of the ground may be greater than
/// at the crossing of an edge, by at most its lowering. So it is not lowered at all.
static double near_off(const lf__sweep *sweep, const lf__sector *s) {
    return 1e-6 * (sweep->most_height + sweep->steepest) + sweep->line_off +
           (sweep->lowering < 0 ? 2 * s->most_metric : 0);
}

/// The slope where the ray crosses the edge from (a, b) to (a + 1, b + up); -INFINITY where it does not.
static double edge_slope(const lf__sweep *sweep, const lf__sector *s, double v, int64_t b, int up) {
    int64_t a = s->first_ring - 1;
    double from, to;
    if (v == up)
        return -LF_INFINITY; // along the edge: only its ends matter
    double before = s->oa - (double)a;
    double t = ((double)b + before * up - s->ob) / (v - up);
    if (!(t > -1e-9 && t < 1 - before + 1e-9))
        return -LF_INFINITY;
    if (!chunk_height_at(sweep, s, a, b, &from) || !chunk_height_at(sweep, s, a + 1, b + up, &to))
        return -LF_INFINITY;
    double share = fmin(fmax(before + t, 0), 1), height = from + share * (to - from);
    double off = near_off(sweep, s);
    if (t < 1e-7)
        return height + off < 0 ? -LF_INFINITY : LF_INFINITY;
    return (height + off) / t;
}

double lf__sweep_near_most(const lf__sweep *sweep, const lf__sector *s) {
    int64_t a = s->first_ring - 1, b = (int64_t)floor(s->ob);
    double most = -LF_INFINITY, height;
    for (int64_t row = b - 1; row <= b + 2; row++)
        for (int k = 0; k < 2; k++)
            if (chunk_height_at(sweep, s, a + k, row, &height)) {
                height -= s->tilt[0] * ((double)(a + k) - s->oa) + s->tilt[1] * ((double)row - s->ob);
                most = height > most ? height : most;
            }
    most += near_off(sweep, s);
    return most < 0 ? 0.999999 * most : LF_INFINITY; // divided by a distance of at most one ring
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

double lf__sweep_near_ring(const lf__sweep *sweep, const lf__sector *s, double v0, double v1) {
    double x = (double)s->first_ring - s->oa, most = -LF_INFINITY, height;
    int64_t last = (int64_t)floor(s->ob + x * v1 + 1e-6);
    for (int64_t row = (int64_t)ceil(s->ob + x * v0 - 1e-6); row <= last; row++)
        if (chunk_height_at(sweep, s, s->first_ring, row, &height)) {
            height += near_off(sweep, s);
            most = fmax(most, height < 0 ? height : x < 1e-7 ? LF_INFINITY : height / x);
        }
    return most;
}

/// Is the edge from (a, b) to (a + 1, b + up) a side of a triangle? Both ends have heights.
static bool edge_exists(const lf__sweep *sweep, const lf__sector *s, int64_t a, int64_t b, int up) {
    double height;
    return chunk_height_at(sweep, s, a + 1, up ? b : b + 1, &height) ||
           chunk_height_at(sweep, s, a, up ? b + 1 : b - 1, &height);
}

bool lf__sweep_near_hides(const lf__target *t) {
    const lf__sweep *sweep = t->sweep;
    const lf__sector *s = t->sector;
    int64_t a = s->first_ring - 1, row = (int64_t)floor(s->ob) - 1;
    double before = s->oa - (double)a, off = near_off(sweep, s) + t->off;
    for (int k = 0; k < 8 && !s->both && !sweep->gaps; k++) {
        int64_t b = row + k / 2;
        int up = k % 2;
        double from, to, x = ((double)b + before * up - s->ob) / (t->v - up);
        if (!(fabs(t->v - up) > 1e-6 && x > 1e-6 && x < 1 - before) ||
            !chunk_height_at(sweep, s, a, b, &from) || !chunk_height_at(sweep, s, a + 1, b + up, &to) ||
            !edge_exists(sweep, s, a, b, up))
            continue;
        double height = from + (before + x) * (to - from), line = x * (t->slope - t->metric * (t->a - x));
        if (height > line + off)
            return true;
    }
    return false;
}

/// The plane of a triangle passes the observer at the height h, and along a ray the slope is h / x + rise - metric * x: greatest where
/// x^2 = -h / metric. lf__sweep_near has bounds at the edges only, and the ground at the first ring is lowered already.
bool lf__sweep_near_peak(const lf__sweep *sweep, const lf__sector *s) {
    int64_t a = s->first_ring - 1, row = (int64_t)floor(s->ob) - 1;
    double end = (double)s->first_ring - s->oa, off = 1e-9 * (sweep->most_height + sweep->steepest);
    for (int k = 0; k < 8; k++) {
        int64_t b = row + k / 2;
        bool upper = k % 2;
        double from, middle, to;
        if (!chunk_height_at(sweep, s, a, b, &from) || !chunk_height_at(sweep, s, a + 1, b + 1, &to) ||
            !chunk_height_at(sweep, s, upper ? a : a + 1, upper ? b + 1 : b, &middle))
            continue;
        double per_a = upper ? to - middle : middle - from, per_b = upper ? middle - from : to - middle;
        double below = per_a * ((double)a - s->oa) + per_b * ((double)b - s->ob) - from;
        if (below > -off && below < s->most_metric * end * end + off)
            return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Borders
// ---------------------------------------------------------------------------------------------------

/// Places of the borders of the bins at a ring, and the ground there.
typedef struct chunk_borders {
    int row[LF__BINS_SPACE]; ///< of the sample before
    float share[LF__BINS_SPACE], level[LF__BINS_SPACE];
    float most[LF__BINS_SPACE], least[LF__BINS_SPACE]; ///< of the edges since the last ring
    bool solid[LF__BINS_SPACE]; ///< the edge of the ring and the triangle before it exist
} chunk_borders;

static bool chunk_is_void(float slope) {
    return slope < LF__VOID_LIMIT;
}

/// Range of the slope of an edge at a border.
typedef struct chunk_range {
    float least, most;
} chunk_range;

/// The slope of an edge from one ring to the next, with slopes `from` and `to` at its ends, at a border at
/// these distances along b, in samples. Linear in v; four times `off` bounds the effect of rounded distances.
static chunk_range chunk_passed(float from, float to, float from_off, float to_off,
                                const lf__chunk_ring *ring) {
    float a = ring[0].a, share = from_off * a, off = LF__SWEEP_OFF * a, d = to - from;
    float sum = share + to_off * ring[-1].a + off, middle = d * share, more = fabsf(d) * (4 * off);
    return (chunk_range){from + (middle - more) / sum, from + (middle + more) / sum};
}

static chunk_range chunk_higher(chunk_range x, chunk_range y) {
    return (chunk_range){-LF__FAR_SLOPE, fmaxf(x.most, y.most)};
}

/// The edges between the last ring and this one at a border. Where there may be several, there is no lower
/// bound.
static chunk_range inner_of(const lf__chunk *chunk, int r, const chunk_borders *before,
                            const chunk_borders *now, int m) {
    const float *from = chunk->slope[r - 1], *to = chunk->slope[r];
    const lf__chunk_ring *ring = &chunk->ring[r];
    int row0 = before->row[m], row1 = now->row[m];
    float f0 = before->share[m], f1 = now->share[m];
    bool step = row0 != row1;
    if (!chunk->sector->both && (chunk_is_void(from[row0 + step]) || chunk_is_void(to[row1 + !step])))
        return (chunk_range){-LF__FAR_SLOPE, -LF__FAR_SLOPE};
    if (!chunk->sector->both)
        return step ? chunk_passed(from[row0 + 1], to[row1], 1 - f0, f1, ring)
                    : chunk_passed(from[row0], to[row1 + 1], f0, 1 - f1, ring);
    chunk_range most = chunk_passed(from[row0 + 1], to[row1], 1 - f0, f1, ring);
    if (!step)
        return chunk_higher(most, chunk_passed(from[row0], to[row1 + 1], f0, 1 - f1, ring));
    most = chunk_higher(most, chunk_passed(from[row0 + 1], to[row1 - 1], 1 - f0, 1 + f1, ring));
    return chunk_higher(most, chunk_passed(from[row0 + 2], to[row1], 2 - f0, f1, ring));
}

static void set_borders(const lf__chunk *chunk, int r, chunk_borders *now) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    for (int m = 0; m <= chunk->bins; m++) {
        float place = chunk->place[m] + (float)r * chunk->v[m];
        float whole = fminf(fmaxf(floorf(place), ring->first), ring->last);
        now->row[m] = (int)whole;
        now->share[m] = place - whole;
        const float *slope = &chunk->slope[r][now->row[m]];
        now->level[m] = slope[0] + now->share[m] * (slope[1] - slope[0]);
        bool solid = !chunk_is_void(slope[0]) && !chunk_is_void(slope[1]);
        // A border that passes through a sample, or nearly, has the ground of that sample, whatever is beside
        // it.
        if (!solid) {
            float close = 4 * LF__SWEEP_OFF, share = now->share[m];
            now->level[m] = fmaxf(share < close && !chunk_is_void(slope[0]) ? slope[0] : -LF__FAR_SLOPE,
                                  1 - share < close && !chunk_is_void(slope[1]) ? slope[1] : -LF__FAR_SLOPE);
        }
        now->solid[m] = solid && r > 0 && !chunk->first && !chunk_is_void(chunk->slope[r - 1][now->row[m]]);
    }
}

// ---------------------------------------------------------------------------------------------------
// Bins
// ---------------------------------------------------------------------------------------------------

/// A line over a bin, by its slopes at the two borders.
typedef struct chunk_line {
    float first, last;
} chunk_line;

/// A bin at a ring.
typedef struct chunk_bin {
    lf__chunk *chunk;
    const lf__chunk_ring *ring;
    int r, m;
    const chunk_borders *before, *now;
    bool sample;  ///< there is one in the bin, on this ring
    float slope;  ///< of the sample
    float share;  ///< of the bin, before the sample
    bool whole;   ///< all squares of the strip are solid
    bool level;   ///< and those next to the ring
    float high_0; ///< upper line of the bin before the ring
    float high_1;
} chunk_bin;

/// A line in the direction of the sample, and the rounding error of that.
static float chunk_line_at(const chunk_bin *x, chunk_line l) {
    return l.first + x->share * (l.last - l.first);
}

static float chunk_line_off(const chunk_bin *x, chunk_line l) {
    return x->ring->share_off * fabsf(l.last - l.first);
}

static chunk_line chunk_high_of(const chunk_bin *x) {
    return (chunk_line){x->chunk->high[0][x->m], x->chunk->high[1][x->m]};
}

/// Raise the upper line to ground that is no higher than a line between the borders.
static void chunk_raise_high(chunk_bin *x, chunk_line most) {
    float *first = &x->chunk->high[0][x->m], *last = &x->chunk->high[1][x->m];
    float *peak = &x->chunk->peak[x->m / x->chunk->sweep->block], off = x->ring->off;
    *first = fmaxf(*first, most.first + off);
    *last = fmaxf(*last, most.last + off);
    *peak = fmaxf(*peak, fmaxf(most.first, most.last) + off);
}

/// Raise the lower line to ground that is nowhere below a line. Of two lines, keep the one that is higher in
/// the middle.
static void chunk_raise_low(chunk_bin *x, chunk_line least) {
    float *first = &x->chunk->low[0][x->m], *last = &x->chunk->low[1][x->m], off = x->ring->off;
    least = (chunk_line){least.first - off, least.last - off};
    if (least.first + least.last > *first + *last) {
        *first = least.first;
        *last = least.last;
    }
}

/// With missing squares: an upper bound of the strip's ground in this bin.
static float inner_with_gaps(chunk_bin *x) {
    const lf__chunk *chunk = x->chunk;
    int first = x->before->row[x->m] - 1, last = x->now->row[x->m + 1] + 1;
    bool pass = chunk->sweep->view->def.rules.voids == LF_VOIDS_PASS, unknown = false;
    float most = -LF_INFINITY;
    for (int row = first; row <= last; row++) {
        int state = chunk->state[x->r][row];
        unknown |= (state == LF__SQUARE_VOID || state == LF__SQUARE_PART) && !pass;
        x->whole &= state == LF__SQUARE_SOLID;
        x->level &= state == LF__SQUARE_SOLID || row < x->now->row[x->m] - 1;
        // The samples of the ring may belong to squares beyond it. Voids are NAN and do not count.
        const float *a = &chunk->slope[x->r - 1][row], *b = &chunk->slope[x->r][row];
        most = fmaxf(fmaxf(most, b[0]), b[1]);
        if (state <= LF__SQUARE_PART) // there is ground; beside the observer slopes are unbounded
            most = chunk->first ? LF_INFINITY : fmaxf(most, fmaxf(a[0], a[1]));
    }
    return unknown ? LF_INFINITY : most;
}

/// The strip between the last ring and this one.
static void chunk_pass_strip(chunk_bin *x) {
    lf__chunk *chunk = x->chunk;
    int m = x->m;
    if (chunk->gaps) {
        float rough = inner_with_gaps(x);
        if (!x->whole && rough < LF__FAR_SLOPE)
            chunk_raise_high(x, (chunk_line){rough, rough});
        else if (!x->whole)
            chunk->over[m] = chunk->peak[m / chunk->sweep->block] = LF_INFINITY;
    }
    if (chunk->first || !x->whole)
        return;
    chunk_raise_high(x, (chunk_line){x->now->most[m], x->now->most[m + 1]});
    // The same edge on both borders.
    if (!chunk->sector->both && !chunk->voids && !x->sample && x->before->row[m] == x->before->row[m + 1])
        chunk_raise_low(x, (chunk_line){x->now->least[m], x->now->least[m + 1]});
}

// A void is an obstacle as high as the highest ground: a target below it that is not hidden by ground is
// unknown. For each bin two slopes are kept: no void reaches above `void_high`, and voids in the way of all
// directions of the bin reach `void_low`.

/// Samples beside a bin at a ring, one more on either side than needed, because places are rounded.
typedef struct chunk_voids {
    bool none, all;    ///< none of them is a void; all of them are
    float least, most; ///< lowering / a and the plane's slope at the borders
} chunk_voids;

static chunk_voids chunk_voids_beside(const lf__chunk *chunk, int r, const chunk_borders *at, int m) {
    const lf__chunk_ring *ring = &chunk->ring[r];
    chunk_voids found = {true, true, LF__FAR_SLOPE, -LF__FAR_SLOPE};
    for (int row = at->row[m] - 1; row <= at->row[m + 1] + 2; row++) {
        bool is = chunk_is_void(chunk->slope[r][row]);
        found.none = found.none && !is;
        found.all = found.all && is;
    }
    for (int k = m; k <= m + 1; k++) {
        float b = chunk->v[k] * ring->a, lower = ring->less[LF__SERIES_USED];
        for (int j = LF__SERIES_USED - 1; j >= 0; j--)
            lower = lower * b + ring->less[j];
        found.least = lower < found.least ? lower : found.least;
        found.most = lower > found.most ? lower : found.most;
    }
    return found;
}

/// Voids between the last ring and this one are in the way of targets on this one. The first ring of a sector
/// has no ring before it.
static void pass_void_strip(chunk_bin *x) {
    lf__chunk *chunk = x->chunk;
    chunk_voids now = chunk_voids_beside(chunk, x->r, x->now, x->m),
                before = chunk->first ? now : chunk_voids_beside(chunk, x->r - 1, x->before, x->m);
    if (now.none && before.none)
        return;
    chunk->void_blocks |= (uint64_t)1 << (x->m / chunk->sweep->block);
    float most = x->ring->void_most - (now.least < before.least ? now.least : before.least);
    float *high = &chunk->void_high[x->m];
    *high = most > *high ? most : *high;
}

/// Voids all along a ring are in the way of everything behind it.
static void pass_void_ring(chunk_bin *x) {
    chunk_voids now = chunk_voids_beside(x->chunk, x->r, x->now, x->m);
    float *low = &x->chunk->void_low[x->m], least = x->ring->void_least - now.most;
    *low = now.all && least > *low ? least : *low;
}

/// The result of a target that ground does not hide.
static uint8_t over_voids(const chunk_bin *x) {
    const lf__chunk *chunk = x->chunk;
    if (x->slope + x->ring->target_low > chunk->void_high[x->m])
        return LF_VISIBILITY_VISIBLE;
    return x->slope + x->ring->target_high < chunk->void_low[x->m] ? chunk->void_byte : LF__SEEN_MAYBE_VOID;
}

/// The target in the bin on this ring: is it visible over everything before it?
static void chunk_classify(chunk_bin *x) {
    lf__chunk *chunk = x->chunk;
    chunk_line high = chunk_high_of(x), low = {chunk->low[0][x->m], chunk->low[1][x->m]};
    uint8_t seen = LF__SEEN_OPEN;
    if (chunk_is_void(x->slope))
        seen = LF_VISIBILITY_HIDDEN;
    else if (x->slope + x->ring->target_low >
             chunk_line_at(x, high) + chunk_line_off(x, high) + LF__OVER_ROUNDED * chunk->over[x->m])
        seen = over_voids(x);
    else if (x->slope + x->ring->target_high < chunk_line_at(x, low) - chunk_line_off(x, low))
        seen = LF_VISIBILITY_HIDDEN;
    chunk->out[x->r][x->now->row[x->m + 1]] = seen;
    chunk->any |= seen != LF_VISIBILITY_HIDDEN;
}

/// The ground on the ring itself.
static void chunk_pass_ring(chunk_bin *x) {
    lf__chunk *chunk = x->chunk;
    float *over = &chunk->over[x->m], *peak = &chunk->peak[x->m / x->chunk->sweep->block];
    chunk_line level = {x->now->level[x->m], x->now->level[x->m + 1]};
    if (x->whole)
        chunk_raise_high(x, level);
    chunk_line high = chunk_high_of(x);
    float risen = fminf(high.first - x->high_0, high.last - x->high_1);
    *over = fmaxf(*over - LF__OVER_SINKS * risen, 0);
    if (x->whole && x->sample && !chunk_is_void(x->slope)) {
        *peak = fmaxf(*peak, x->slope + x->ring->off);
        *over = fmaxf(*over, x->slope + x->ring->off - chunk_line_at(x, high) + chunk_line_off(x, high));
    }
    if (x->level && x->sample) {
        float dip = fmaxf(chunk_line_at(x, level) - x->slope + chunk_line_off(x, level), 0);
        level = (chunk_line){level.first - dip, level.last - dip};
    }
    if (x->level)
        chunk_raise_low(x, level);
}

/// Ground that has been passed is now one ring farther from its targets.
static void chunk_drift(lf__chunk *chunk, int r, int m) {
    for (int k = 0; k < 2; k++) {
        chunk->high[k][m] += chunk->ring[r].rise;
        chunk->low[k][m] -= chunk->ring[r].sink;
    }
    chunk->void_high[m] += chunk->ring[r].rise;
    chunk->void_low[m] -= chunk->ring[r].sink;
}

static void chunk_do_bin(lf__chunk *chunk, int r, int m, const chunk_borders *before,
                         const chunk_borders *now) {
    chunk_drift(chunk, r, m);
    chunk_bin x = {.chunk = chunk, .ring = &chunk->ring[r], .r = r, .m = m, .before = before, .now = now};
    x.sample = now->row[m + 1] != now->row[m];
    x.slope = chunk->slope[r][now->row[m + 1]];
    x.share = fminf(fmaxf(1 - now->share[m + 1] * x.ring->per_bin, 0), 1);
    x.whole = true;
    x.level = !chunk->voids || (now->solid[m] && now->solid[m + 1]);
    x.high_0 = chunk->high[0][m];
    x.high_1 = chunk->high[1][m];
    // Where all squares are cut along one diagonal, no edge of the strip before a target's ring is in its
    // way: those that its ray touches end at the target.
    bool early = !chunk->sector->both;
    if (chunk->voids)
        pass_void_strip(&x);
    if (x.sample && early)
        chunk_classify(&x);
    chunk_pass_strip(&x);
    if (x.sample && !early)
        chunk_classify(&x);
    chunk_pass_ring(&x);
    if (chunk->voids)
        pass_void_ring(&x);
}

/// The ground before the first ring: edges of the first strip may begin at samples of the ring before it.
static void start_peaks(lf__chunk *chunk, const chunk_borders *before) {
    for (int k = 0; k < LF__PEAKS; k++)
        chunk->peak[k] = -LF_INFINITY;
    for (int m = 0; m < chunk->bins && !chunk->first; m++) {
        float *peak = &chunk->peak[m / chunk->sweep->block];
        if (before->row[m + 1] != before->row[m] && !chunk_is_void(chunk->slope[0][before->row[m + 1]]))
            *peak = fmaxf(*peak, chunk->slope[0][before->row[m + 1]] + chunk->ring[0].off);
    }
}

void lf__chunk_scalar(lf__chunk *chunk) {
    chunk_borders both[2];
    chunk->tops = false;
    set_borders(chunk, 0, &both[0]);
    start_peaks(chunk, &both[0]);
    for (int r = 1; r <= chunk->rings; r++) {
        chunk_borders *before = &both[(r - 1) & 1], *now = &both[r & 1];
        set_borders(chunk, r, now);
        for (int m = 0; m <= chunk->bins && !chunk->first; m++) {
            chunk_range inner = inner_of(chunk, r, before, now, m);
            now->least[m] = inner.least;
            now->most[m] = inner.most;
        }
        for (int m = 0; m < chunk->bins; m++)
            chunk_do_bin(chunk, r, m, before, now);
    }
}

// ---------------------------------------------------------------------------------------------------
// The history of a chunk, which viewshed_decide.c reads
// ---------------------------------------------------------------------------------------------------

/// A bit for each block of bins that the kernel has processed.
static uint64_t done_blocks_of(const lf__chunk *chunk) {
    uint64_t done = 0;
    for (int g = 0; g < lf__peak_groups(chunk) && chunk->tops; g++)
        done |= (uint64_t)chunk->done[g] << g;
    return done;
}

/// Bits of blocks for blocks of half the width: each one twice.
static uint64_t split_bits(uint64_t before, int groups) {
    uint64_t after = before & 0xffffffffu;
    after = (after | after << 16) & 0x0000ffff0000ffffu;
    after = (after | after << 8) & 0x00ff00ff00ff00ffu;
    after = (after | after << 4) & 0x0f0f0f0f0f0f0f0fu;
    after = (after | after << 2) & 0x3333333333333333u;
    after = (after | after << 1) & 0x5555555555555555u;
    return (after | after << 1) & (UINT64_MAX >> (64 - groups));
}

static void recent_split(lf__chunk *chunk) {
    int first = chunk->past_count > LF__RECENT ? chunk->past_count - LF__RECENT : 0;
    for (int k = first; k < chunk->past_count && k < LF__HISTORY; k++) {
        chunk->past[k].halved++;
        chunk->past[k].done_blocks = split_bits(chunk->past[k].done_blocks, 2 * lf__peak_groups(chunk));
        chunk->past[k].tile_blocks = split_bits(chunk->past[k].tile_blocks, 2 * lf__peak_groups(chunk));
    }
}

void lf__past_add(lf__chunk *chunk) {
    int k = chunk->past_count++;
    if (k >= LF__HISTORY)
        return;
    chunk->past[k] = (lf__past){chunk->base_ring + 1,
                                chunk->base_ring + chunk->rings,
                                chunk->gaps,
                                chunk->voids,
                                0,
                                chunk->void_blocks,
                                done_blocks_of(chunk),
                                lf__recent_tile_blocks(chunk),
                                0};
    for (int g = 0; g < lf__peak_groups(chunk); g++) {
        float *most = &chunk->past_most[g][k / LF__PAST_BLOCK], peak = chunk->peak[g];
        bool parts = chunk->tops && chunk->done[g];
        chunk->past_peak[g][k] = peak;
        chunk->past_rise[g][k] = parts ? chunk->part_rise[g] : 0;
        *most = k % LF__PAST_BLOCK == 0 || peak > *most ? peak : *most;
        for (int n = 0; n < LF__RING_PARTS; n++)
            chunk->past_part[g][k][n] = parts ? chunk->part_peak[g][n] : peak;
    }
}

void lf__past_split(lf__chunk *chunk) {
    int block = chunk->sweep->block, groups = 2 * lf__peak_groups(chunk);
    int count = chunk->past_count < LF__HISTORY ? chunk->past_count : LF__HISTORY;
    recent_split(chunk);
    if (chunk->sweep->keep_bounds)
        lf__recent_halve(chunk);
    for (int k = 0; k < count; k++)
        chunk->past[k].void_blocks = split_bits(chunk->past[k].void_blocks, groups);
    for (int g = groups - 1; g >= 0; g--) {
        int from = g / 2;
        float before = g % 2 ? 0.5f * (float)block : 0; // the second half begins in the middle
        for (int k = 0; k < count; k++) {
            float rise = chunk->past_rise[from][k], up = rise * before;
            chunk->past_peak[g][k] = chunk->past_peak[from][k];
            chunk->past_rise[g][k] = 0.5f * rise;
            for (int n = 0; n < LF__RING_PARTS; n++)
                chunk->past_part[g][k][n] = chunk->past_part[from][k][n] + up + 1e-7f * fabsf(up);
        }
        if (g > 0)
            memcpy(chunk->past_most[g], chunk->past_most[from], sizeof chunk->past_most[g]);
    }
}
