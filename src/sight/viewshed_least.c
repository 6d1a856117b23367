/// Least visible heights of the samples that a sweep finds hidden.
///
/// The line to a target at distance a, with slope s, is x * (s - metric * (a - x)) above the observer at distance x.
/// It clears ground of height g there if s is at least g / x + metric * (a - x): the greatest of these, over all ground
/// before the target, is the slope of the lowest line. Each bin knows the edges that may decide (viewshed_pieces.c); with voids,
/// and where there are too many of them, the rings. Heights whose error may be seen in a float, and ground beside
/// voids and observers, are left to the exact line.
///
/// Kernels may differ in which chunks they skip, by more than the rounding of doubles; the greatest slope is the same.
#include "sight/viewshed_sweep.h"
#include <math.h>
#include <string.h>

/// Greatest error of a height, relative to it: half the rounding error of a float.
#define LEAST_OFF 0x1p-25

/// A target, and the greatest slope that ground before it demands.
typedef struct least_target {
    lf__target line; ///< its slope is the greatest one so far
    double at;       ///< where the ground demands it
} least_target;

/// Ground along the direction: its height above the observer at a distance.
typedef struct least_place {
    double x, g;
} least_place;

static void least_add(least_target *t, double x, double g) {
    double slope = g / x + t->line.metric * (t->line.a - x);
    if (slope > t->line.slope) {
        t->line.slope = slope;
        t->at = x;
    }
}

/// Ground along a straight stretch, of which the end counts. Over a curved earth the slope may be greatest between its
/// ends: where x^2 = -h / metric, if h is the height of the straight line at the observer.
static void least_stretch(least_target *t, least_place from, least_place to) {
    double metric = t->line.metric, length = to.x - from.x;
    least_add(t, to.x, to.g);
    if (!(metric > 0) || !(length > 0))
        return;
    double rise = (to.g - from.g) / length, square = (from.x * rise - from.g) / metric;
    if (!(square > from.x * from.x && square < to.x * to.x))
        return;
    double x = sqrt(square);
    least_add(t, x, from.g + rise * (x - from.x));
}

// ---------------------------------------------------------------------------------------------------
// Rings
// ---------------------------------------------------------------------------------------------------

/// Where the direction crosses a ring: samples before and after, and the ground between them.
typedef struct least_crossing {
    int64_t b;
    double share, low, high;
    least_place place;
} least_crossing;

/// Column and row of a sample; beyond the border, where it has no weight, of the one at the border.
typedef struct least_sample {
    int64_t i, j;
} least_sample;

static least_sample least_sample_at(const lf__target *t, int64_t ring, int64_t b) {
    const lf__sector *s = t->sector;
    const lf_grid *grid = t->sweep->view->grid;
    int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
    return (least_sample){i < 0                ? 0
                          : i >= grid->columns ? grid->columns - 1
                                               : i,
                          j < 0             ? 0
                          : j >= grid->rows ? grid->rows - 1
                                            : j};
}

static double least_height_at(const lf__target *t, int64_t ring, int64_t b) {
    least_sample at = least_sample_at(t, ring, b);
    return lf__grid_height(t->sweep->view->grid, at.i, at.j) - t->sweep->view->z;
}

/// Do both samples beside the direction have heights?
static bool least_solid(const lf__target *t, int64_t ring, int64_t b) {
    least_sample low = least_sample_at(t, ring, b), high = least_sample_at(t, ring, b + 1);
    const lf_grid *grid = t->sweep->view->grid;
    return !lf__grid_is_void(grid, low.i, low.j) && !lf__grid_is_void(grid, high.i, high.j);
}

static least_crossing least_cross(const lf__target *t, int64_t ring) {
    double a = (double)ring - t->sector->oa, place = t->sector->ob + a * t->v, whole = floor(place);
    least_crossing c = {.b = (int64_t)whole, .share = place - whole};
    c.low = least_height_at(t, ring, c.b);
    c.high = least_height_at(t, ring, c.b + 1);
    c.place = (least_place){a, c.low + c.share * (c.high - c.low)};
    return c;
}

/// The strip between two rings: two stretches, on either side of the edge between the rings.
static void least_strip(least_target *t, const least_crossing *before, const least_crossing *now) {
    bool step = before->b != now->b;
    double from = step ? before->high : before->low, to = step ? now->low : now->high;
    double from_off = step ? 1 - before->share : before->share, to_off = step ? now->share : 1 - now->share;
    double sum = from_off + to_off;
    least_place middle = before->place;
    if (sum > 1e-9) {
        double share = from_off / sum;
        middle = (least_place){before->place.x + share, from + share * (to - from)};
    }
    least_stretch(t, before->place, middle);
    least_stretch(t, middle, now->place);
}

/// Can the strip demand a greater slope? By its highest sample, at the nearer or the farther ring.
static bool least_matters(const least_target *t, const least_crossing *before, const least_crossing *now) {
    double first = before->low > before->high ? before->low : before->high,
           last = now->low > now->high ? now->low : now->high, g = first > last ? first : last;
    double near = before->place.x, x = g > 0 ? near : now->place.x, metric = t->line.metric;
    return !(g / x + metric * (t->line.a - (metric > 0 ? near : now->place.x)) <= t->line.slope);
}

/// Some rings of a chunk, by bits, and the strips before them. The first ring of the sector has been added with its
/// own strip. false: a strip may lack a triangle.
static bool least_rings(least_target *t, int64_t first, int64_t last, unsigned rings, bool voids) {
    least_crossing before, now;
    int64_t known = INT64_MIN;
    for (int64_t ring = first; ring <= last; ring++) {
        if (!(rings >> (ring - first) & 1) || ring == t->line.sector->first_ring)
            continue;
        before = known == ring - 1 ? now : least_cross(&t->line, ring - 1);
        now = least_cross(&t->line, ring);
        known = ring;
        if (voids && (!least_solid(&t->line, ring - 1, before.b) || !least_solid(&t->line, ring, now.b)))
            return false;
        if (least_matters(t, &before, &now))
            least_strip(t, &before, &now);
    }
    return true;
}

/// The strip before the first ring, from the ground below the observer on. The direction crosses edges from the ring
/// before it to the same row and to the next one: two at most.
static void least_near(least_target *t) {
    const lf__target *line = &t->line;
    const lf__sector *s = line->sector;
    int64_t ring = s->first_ring - 1, row = (int64_t)floor(s->ob) - 1;
    double before = s->oa - (double)ring, end = 1 - before;
    least_place at[9] = {{0, -line->sweep->clearance}};
    int count = 1;
    for (int k = 0; k < 8; k++) {
        int64_t b = row + k / 2;
        int up = k % 2;
        double x = line->v == up ? -1 : ((double)b + before * up - s->ob) / (line->v - up);
        if (!(x > 0 && x < end))
            continue;
        double from = least_height_at(line, ring, b), to = least_height_at(line, ring + 1, b + up);
        least_place place = {x, from + (before + x) * (to - from)};
        int n = count++;
        for (; n > 1 && at[n - 1].x > x; n--)
            at[n] = at[n - 1];
        at[n] = place;
    }
    for (int k = 1; k < count; k++)
        least_stretch(t, at[k - 1], at[k]);
    least_stretch(t, at[count - 1], least_cross(line, s->first_ring).place);
}

// ---------------------------------------------------------------------------------------------------
// Targets
// ---------------------------------------------------------------------------------------------------

/// Ground that reaches no higher than this slope, lowered and above the plane, demands no greater one.
static float least_reach(const lf__chunk *chunk, const lf__target *t) {
    const double *tilt = chunk->sector->tilt;
    double slope = t->slope - t->metric * t->a - (tilt[0] + tilt[1] * t->v);
    float least = (float)(slope - t->off / t->a - 0.25 * chunk->rises * t->a * t->a);
    return least - 1e-6f * fabsf(least);
}

static void least_start(least_target *t, const lf__chunk *chunk, int64_t ring, int64_t b) {
    const lf__sweep *sweep = chunk->sweep;
    const lf__sector *s = chunk->sector;
    const lf_grid *grid = sweep->view->grid;
    double a = (double)ring - s->oa, db = (double)b - s->ob, lower = lf__lowering_at(&s->lowering, a, db);
    double size = (double)(grid->columns + grid->rows) + fabs(s->oa) + fabs(s->ob);
    *t = (least_target){.line = {.sweep = sweep,
                                 .sector = s,
                                 .ring = ring,
                                 .b = b,
                                 .a = a,
                                 .v = db / a,
                                 .metric = lower / (a * a)},
                        .at = a};
    t->line.slope = least_height_at(&t->line, ring, b) / a;
    t->line.on_sample = s->on_sample;
    t->line.bulge = fmax(0.25 * t->line.metric, 0);
    t->line.off = 0x1p-50 * size * sweep->steepest + 0x1p-49 * sweep->most_height + sweep->line_off +
                  1e-13 * fabs(lower);
}

/// The bins that a target may be in: rounding may have put it into the next one.
typedef struct least_bins {
    int low, high;
} least_bins;

/// The strip behind a ring that reached high enough, if that was the last one before the chunk: its bounds leave that ring out, within whose
/// rounding a triangle may be higher. Not known where there are voids.
static unsigned least_before(const lf__chunk *chunk, least_bins bins) {
    return lf__least_by_pieces(chunk->sweep) && (chunk->pieces[bins.low].edge == chunk->base_ring ||
                                                 chunk->pieces[bins.high].edge == chunk->base_ring);
}

/// The rings of the target's own chunk that reach high enough.
static unsigned least_own_rings(const least_target *t, const lf__chunk *chunk, least_bins bins, float reach) {
    int block = chunk->sweep->block, count = (int)(t->line.ring - chunk->base_ring);
    unsigned rings = 0;
    if (!chunk->tops || !chunk->done[bins.low / block] || !chunk->done[bins.high / block])
        return UINT16_MAX;
    for (int r = 0; r < count && r <= chunk->rings; r++)
        rings |= lf__chunk_top(chunk, r, bins.low) >= reach || lf__chunk_top(chunk, r, bins.high) >= reach
                     ? 3u << r
                     : 0;
    return rings >> 1 | least_before(chunk, bins);
}

/// Test rings of a chunk before a target; false: there are voids.
static bool least_past(least_target *t, const lf__chunk *chunk, int k, uint64_t blocks, unsigned rings) {
    const lf__past *past = &chunk->past[k];
    int64_t last = past->last < t->line.ring - 1 ? past->last : t->line.ring - 1;
    if (past->first > last)
        return true;
    bool voids = past->void_blocks & blocks, first = past->first == chunk->sector->first_ring;
    if (past->gaps || (first && voids && lf__sweep_voids_beside(&t->line, past->first, last)))
        return false;
    if (first)
        least_near(t);
    return least_rings(t, past->first, last, rings, voids);
}

/// All chunks that reach high enough; false: voids are among them.
static bool least_history(least_target *t, const lf__chunk *chunk, const lf__target_blocks *blocks) {
    const float *low = chunk->past_peak[blocks->low], *high = chunk->past_peak[blocks->high];
    float reach = least_reach(chunk, &t->line);
    for (int k = chunk->past_count - 1; k >= 0; k--) {
        if (low[k] < reach && high[k] < reach)
            continue;
        if (!least_past(t, chunk, k, blocks->bits, UINT16_MAX))
            return false;
        reach = least_reach(chunk, &t->line);
    }
    return true;
}

/// Those of a bin, the highest first.
static bool least_in_bin(least_target *t, const lf__chunk *chunk, const lf__least_ground *ground,
                         uint64_t blocks) {
    int first = 0;
    for (int k = 1; k < ground->count; k++)
        first = ground->of[k].top > ground->of[first].top ? k : first;
    float reach = least_reach(chunk, &t->line);
    for (int n = -1; n < ground->count; n++) {
        int k = n < 0 ? first : n;
        if (n == first || ground->count == 0 || ground->of[k].top < reach)
            continue;
        if (!least_past(t, chunk, ground->of[k].chunk, blocks, ground->of[k].rings))
            return false;
        reach = least_reach(chunk, &t->line);
    }
    return true;
}

/// The ground of all chunks before a target, and of its own; false: voids are in the way.
static bool least_chunks(least_target *t, const lf__chunk *chunk, const lf__target_blocks *blocks) {
    double place = blocks->place * chunk->sweep->block;
    least_bins bins = {(int)fmax(place - 0.15, 0), (int)fmin(place + 0.15, chunk->bins - 1)};
    int own = chunk->past_count - 1;
    if (chunk->least[bins.low].count > LF__LEAST_CHUNKS || chunk->least[bins.high].count > LF__LEAST_CHUNKS)
        return least_history(t, chunk, blocks);
    if (!least_in_bin(t, chunk, &chunk->least[bins.low], blocks->bits) ||
        (bins.high != bins.low && !least_in_bin(t, chunk, &chunk->least[bins.high], blocks->bits)))
        return false;
    float reach = least_reach(chunk, &t->line);
    // The own chunk is not among those of the bin yet.
    if (chunk->past[own].last < t->line.ring ||
        (chunk->past_peak[blocks->low][own] < reach && chunk->past_peak[blocks->high][own] < reach))
        return true;
    return least_past(t, chunk, own, blocks->bits, least_own_rings(t, chunk, bins, reach));
}

/// The ground before the first ring, if it reaches high enough; false: voids may be there.
static bool least_beside(least_target *t, const lf__chunk *chunk) {
    double slope =
        t->line.slope - t->line.metric * t->line.a - t->line.off / t->line.a - chunk->rises * t->line.a;
    if (!chunk->near_peak &&
        (!(chunk->near >= slope) || !(lf__sweep_near(chunk->sweep, chunk->sector, t->line.v) >= slope)))
        return true;
    least_near(t);
    return !chunk->sweep->voids;
}

/// The greatest slope over all ground before a target; false: unknown.
static bool least_slope(least_target *t, const lf__chunk *chunk, const lf__target_blocks *blocks) {
    const lf__target *line = &t->line;
    double ground = line->slope * line->a;
    least_crossing before = least_cross(line, line->ring - 1);
    if (chunk->sweep->voids && !least_solid(line, line->ring - 1, before.b))
        return false;
    least_stretch(t, before.place, (least_place){line->a, ground});
    return least_chunks(t, chunk, blocks) && least_beside(t, chunk);
}

/// The least height above ground of a hidden sample; NAN: a void is in the way; negative: unknown. `base` is added to
/// it, which must not make its error greater.
static double least_of_target(const lf__chunk *chunk, int64_t ring, int64_t b, double v0, double base) {
    const lf__viewshed *view = chunk->sweep->view;
    least_target t;
    least_start(&t, chunk, ring, b);
    lf__target_blocks blocks = lf__target_blocks_of(chunk, &t.line, v0);
    double a = t.line.a, ground = t.line.slope * a,
           uneven = chunk->sweep->uneven * fabs(t.line.metric) * a * a;
    double height = least_height_at(&t.line, ring, b);
    if (!least_slope(&t, chunk, &blocks))
        return -1;
    double least = a * t.line.slope - height;
    if (uneven > 0.25 * LEAST_OFF * least) { // the distance is not accurate enough
        const lf__sector *s = chunk->sector;
        int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
        t.line.metric = lf__viewshed_sag(view, i, j) / (a * a);
        t.line.slope = ground / a;
        t.line.off += uneven;
        if (!least_slope(&t, chunk, &blocks))
            return -1;
        t.line.off -= uneven;
        least = a * t.line.slope - height;
        uneven = 0;
    }
    if (!(t.line.off * (a / t.at) + uneven <= LEAST_OFF * fmin(least, fabs(base + least))))
        return -1;
    if (!chunk->behind_void)
        return least;
    lf__shadow shadow = lf__shadow_of(chunk, ring, b, v0);
    lf__sweep_find_voids(&t.line, chunk, &blocks, &shadow, v0);
    return t.line.behind_void ? (double)LF_NAN : t.line.void_open ? -1 : least;
}

// ---------------------------------------------------------------------------------------------------
// Targets by the edges of their bin
// ---------------------------------------------------------------------------------------------------

/// Rings that are written together, in the order of memory.
#define LEAST_RINGS 32

/// A ring of targets.
typedef struct least_ring {
    int64_t ring;
    double a;
    double per_a;                  ///< 1 / a
    double c[LF__SERIES_USED + 1]; ///< lowering / a^2 by powers of b
    lf__sample_span in;
} least_ring;

/// Targets of some rings of a group.
typedef struct least_rows {
    const lf__bin_group *group;
    const lf__least_plane *plane;
    int own; ///< of the history: the chunk of the targets; -1: it was skipped
    int degree;
    double off, uneven; ///< rounding error of heights in metres, and of the lowering, relative
    int count;
    least_ring rings[LEAST_RINGS];
} least_rows;

/// The rings of the target's own chunk that reach high enough, with the strip before its own.
static unsigned least_own_strips(const least_target *t, const lf__chunk *chunk, least_bins bins,
                                 float reach) {
    int block = chunk->sweep->block, count = (int)(t->line.ring - chunk->base_ring);
    unsigned rings = 0, before = least_before(chunk, bins);
    if (chunk->peak[bins.low / block] < reach && chunk->peak[bins.high / block] < reach)
        return before;
    if (!chunk->tops || !chunk->done[bins.low / block] || !chunk->done[bins.high / block])
        return UINT32_MAX;
    float least =
        reach - fmaxf(chunk->part_rise[bins.low / block], fmaxf(chunk->part_rise[bins.high / block], 0));
    for (int r = 0; r <= count; r++)
        rings |= chunk->top[r][bins.low] >= least || chunk->top[r][bins.high] >= least ? 3u << r : 0;
    return rings >> 1 | before;
}

/// A target among the bins of its group.
typedef struct least_spot {
    int64_t b;
    double v, metric;
    double height; ///< above the observer
    double base;   ///< what is added to its least height
    double off;    ///< rounding error of heights: metres
    double uneven; ///< error of its lowering: metres
    least_bins bins;
} least_spot;

static least_target least_target_of(const least_rows *rows, const least_ring *ring, const least_spot *spot,
                                    const lf__least_demand *demand) {
    const lf__chunk *chunk = rows->group->chunk;
    return (least_target){.line = {.sweep = chunk->sweep,
                                   .sector = chunk->sector,
                                   .ring = ring->ring,
                                   .b = spot->b,
                                   .a = ring->a,
                                   .v = spot->v,
                                   .slope = demand->slope,
                                   .metric = spot->metric,
                                   .off = spot->off + spot->uneven},
                          .at = demand->x};
}

/// The rings of the own chunk; false: unknown.
static bool least_own(const least_rows *rows, const least_ring *ring, const least_spot *spot,
                      lf__least_demand *demand) {
    const lf__chunk *chunk = rows->group->chunk;
    least_target t = least_target_of(rows, ring, spot, demand);
    unsigned rings = least_own_strips(&t, chunk, spot->bins, least_reach(chunk, &t.line));
    int own = (int)(ring->ring - chunk->base_ring) - 1;
    if (rings >> own & 1)
        least_stretch(&t, least_cross(&t.line, ring->ring - 1).place, (least_place){ring->a, spot->height});
    rings &= (1u << own) - 1;
    if (rings && !least_past(&t, chunk, rows->own, 0, rings))
        return false;
    *demand = (lf__least_demand){t.line.slope, t.at};
    return true;
}

/// The greatest slope by the edges of the bin, the rings of the own chunk and the ground beside the observer; false: unknown.
static bool least_of_bin(const least_rows *rows, const least_ring *ring, const least_spot *spot,
                         lf__least_demand *demand) {
    const lf__chunk *chunk = rows->group->chunk;
    double a = ring->a;
    *demand = (lf__least_demand){-LF_INFINITY, a};
    for (int m = spot->bins.low; m <= spot->bins.high; m++)
        lf__least_pieces_meet(&chunk->pieces[m], spot->v, spot->metric, a, demand);
    if (rows->own >= 0 && !least_own(rows, ring, spot, demand))
        return false;
    double reach =
        demand->slope - spot->metric * a - (spot->off + spot->uneven) * ring->per_a - chunk->rises * a;
    if ((!chunk->near_peak && chunk->near < reach) || demand->slope == -LF_INFINITY)
        return demand->slope > -LF_INFINITY;
    least_target t = least_target_of(rows, ring, spot, demand);
    least_near(&t);
    *demand = (lf__least_demand){t.line.slope, t.at};
    return true;
}

/// The least height above ground; negative: unknown.
static double least_of_spot(const least_rows *rows, const least_ring *ring, least_spot *spot, int64_t i,
                            int64_t j) {
    double a = ring->a, lower = fabs(spot->metric) * a * a;
    lf__least_demand demand;
    spot->off = rows->off + 1e-13 * lower;
    spot->uneven = rows->uneven * lower;
    if (!least_of_bin(rows, ring, spot, &demand))
        return -1;
    double least = a * demand.slope - spot->height, uneven = spot->uneven;
    if (uneven > 0.25 * LEAST_OFF * least) { // the distance is not accurate enough
        spot->metric = lf__viewshed_sag(rows->group->sweep->view, i, j) / (a * a);
        if (!least_of_bin(rows, ring, spot, &demand))
            return -1;
        least = a * demand.slope - spot->height;
        uneven = 0;
    }
    double most = LEAST_OFF * fmin(least, fabs(spot->base + least));
    return spot->off * a + uneven * demand.x <= most * demand.x ? least : -1;
}

/// Write the least height of a target, if it is hidden.
static void least_write(const least_rows *rows, const least_ring *ring, int64_t b) {
    const lf__bin_group *c = rows->group;
    const lf__viewshed *view = c->sweep->view;
    const lf__sector *s = c->sector;
    const lf__least_plane *plane = rows->plane;
    lf_window w = view->window;
    int64_t i = ring->ring * s->along.i + b * s->across.i, j = ring->ring * s->along.j + b * s->across.j;
    uint8_t seen = c->sweep->seen.bytes[(j - w.row) * c->sweep->seen.row_step + (i - w.column)];
    if (seen != LF_VISIBILITY_HIDDEN && seen != LF_VISIBILITY_UNKNOWN)
        return;
    double height = lf__grid_height(view->grid, i, j), db = (double)b - s->ob;
    least_spot spot = {.b = b,
                       .v = db / ring->a,
                       .metric = ring->c[rows->degree],
                       .height = height - view->z,
                       .base = plane->datum ? height : 0};
    for (int k = rows->degree - 1; k >= 0; k--)
        spot.metric = spot.metric * db + ring->c[k];
    double place = (spot.v - c->v0) * c->chunk->all_bins;
    int low = (int)(place - LF__LEAST_SPARE), high = (int)(place + LF__LEAST_SPARE),
        most = c->chunk->bins - 1;
    spot.bins = (least_bins){low < 0 ? 0 : low, high < most ? high : most};
    bool lost = false;
    for (int m = spot.bins.low; m <= spot.bins.high; m++)
        lost |= c->chunk->pieces[m].lost > -LF_INFINITY;
    double least = lost ? -1 : least_of_spot(rows, ring, &spot, i, j);
    if (lost)
        least = least_of_target(c->chunk, ring->ring, b, c->v0, spot.base);
    float *to =
        (float *)(void *)((char *)plane->values + (j - plane->row) * plane->row_step) + (i - plane->column);
    if (!(least < 0))
        *to = (float)(spot.base + least);
}

/// Rings are rows of the plane, or rows are samples of the same b: in the order of memory either way.
static void least_write_rows(const least_rows *rows) {
    lf__sample_span all = {INT64_MAX, INT64_MIN};
    bool across = rows->group->sector->across.j != 0;
    for (int k = 0; k < rows->count; k++) {
        const least_ring *ring = &rows->rings[k];
        for (int64_t b = ring->in.low; b <= ring->in.high && !across; b++)
            least_write(rows, ring, b);
        all.low = ring->in.low < all.low ? ring->in.low : all.low;
        all.high = ring->in.high > all.high ? ring->in.high : all.high;
    }
    for (int64_t b = all.low; b <= all.high && across; b++)
        for (int k = 0; k < rows->count; k++)
            if (b >= rows->rings[k].in.low && b <= rows->rings[k].in.high)
                least_write(rows, &rows->rings[k], b);
}

static lf__sample_span least_span(const lf__bin_group *c, int64_t ring) {
    const lf__sector *s = c->sector;
    lf_window w = c->sweep->view->window;
    lf__sample_span in = lf__group_samples(c, ring);
    lf__sample_span_clip(&in, ring * s->along.i - w.column, s->across.i, w.columns);
    lf__sample_span_clip(&in, ring * s->along.j - w.row, s->across.j, w.rows);
    return in;
}

static void least_by_pieces(const lf__bin_group *c, int64_t first, int64_t last) {
    const lf__sweep *sweep = c->sweep;
    const lf__sector *s = c->sector;
    const lf__chunk *chunk = c->chunk;
    const lf_grid *grid = sweep->view->grid;
    least_rows rows = {.group = c, .plane = sweep->view->least, .degree = s->lowering.degree};
    bool done = chunk->past_count > 0 && chunk->past[chunk->past_count - 1].last >= first;
    double size = (double)(grid->columns + grid->rows) + fabs(s->oa) + fabs(s->ob);
    rows.own = done ? chunk->past_count - 1 : -1;
    rows.uneven = sweep->uneven;
    rows.off = 0x1p-50 * size * sweep->steepest + 0x1p-49 * sweep->most_height + sweep->line_off;
    for (int64_t ring = first; ring <= last; ring++) {
        least_ring *to = &rows.rings[rows.count++];
        to->ring = ring;
        to->a = (double)ring - s->oa;
        to->per_a = 1 / to->a;
        lf__lowering_ring(&s->lowering, to->a, to->c);
        for (int k = 0; k <= rows.degree; k++)
            to->c[k] *= to->per_a;
        to->in = least_span(c, ring);
        if (rows.count == LEAST_RINGS || ring == last) {
            least_write_rows(&rows);
            rows.count = 0;
        }
    }
}

void lf__sweep_least(const lf__bin_group *c, int64_t first, int64_t last) {
    const lf__sector *s = c->sector;
    const lf__viewshed *view = c->sweep->view;
    const lf__least_plane *plane = view->least;
    lf_window w = view->window;
    // From the ground itself the slope may be greatest at the observer.
    if (!plane || s->both || c->sweep->gaps || !(c->sweep->clearance > 0) ||
        c->chunk->past_count > LF__HISTORY)
        return;
    if (lf__least_by_pieces(c->sweep)) {
        least_by_pieces(c, first > s->first_ring ? first : s->first_ring + 1, last);
        return;
    }
    for (int64_t ring = first > s->first_ring ? first : s->first_ring + 1; ring <= last; ring++) {
        lf__sample_span in = least_span(c, ring);
        for (int64_t b = in.low; b <= in.high; b++) {
            int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
            uint8_t seen = c->sweep->seen.bytes[(j - w.row) * c->sweep->seen.row_step + (i - w.column)];
            if ((seen != LF_VISIBILITY_HIDDEN && seen != LF_VISIBILITY_UNKNOWN) ||
                lf__grid_is_void(view->grid, i, j))
                continue;
            double base = plane->datum ? lf__grid_height(view->grid, i, j) : 0;
            double least = least_of_target(c->chunk, ring, b, c->v0, base);
            float *to = (float *)(void *)((char *)plane->values + (j - plane->row) * plane->row_step) +
                        (i - plane->column);
            if (!(least < 0))
                *to = (float)(base + least);
        }
    }
}
