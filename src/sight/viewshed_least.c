/// Least visible heights of the samples that a sweep finds hidden.
///
/// The line to a target at distance a, with slope s, is x * (s - metric * (a - x)) above the observer at distance x.
/// It clears ground of height g there if s is at least g / x + metric * (a - x): the greatest of these, over all ground
/// before the target, is the slope of the lowest line. Each bin knows the edges that may decide (viewshed_pieces.c); with voids,
/// and where there are too many of them, the rings. Heights whose error may be seen in a float, and ground beside
/// voids and observers, are left to the exact line.
///
/// Kernels may differ in which chunks they skip, by more than the rounding of doubles; the greatest slope is the same.
#include "sight/viewshed_least.h"
#include <math.h>
#include <string.h>

static void least_add(lf__least_target *t, double x, double g) {
    double slope = g / x + t->line.metric * (t->line.a - x);
    if (slope > t->line.slope) {
        t->line.slope = slope;
        t->at = x;
    }
}

/// Ground along a straight stretch, of which the end counts. Over a curved earth the slope may be greatest between its
/// ends: where x^2 = -h / metric, if h is the height of the straight line at the observer.
void lf__least_stretch(lf__least_target *t, lf__least_place from, lf__least_place to) {
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

lf__least_crossing lf__least_cross(const lf__target *t, int64_t ring) {
    double a = (double)ring - t->sector->oa, place = t->sector->ob + a * t->v;
    lf__least_crossing c = {.b = lf__floor_place(place)};
    c.share = place - (double)c.b;
    c.low = least_height_at(t, ring, c.b);
    c.high = least_height_at(t, ring, c.b + 1);
    c.place = (lf__least_place){a, c.low + c.share * (c.high - c.low)};
    return c;
}

/// The strip between two rings: two stretches, on either side of the edge between the rings.
static void least_strip(lf__least_target *t, const lf__least_crossing *before,
                        const lf__least_crossing *now) {
    bool step = before->b != now->b;
    double from = step ? before->high : before->low, to = step ? now->low : now->high;
    double from_off = step ? 1 - before->share : before->share, to_off = step ? now->share : 1 - now->share;
    double sum = from_off + to_off;
    lf__least_place middle = before->place;
    if (sum > 1e-9) {
        double share = from_off / sum;
        middle = (lf__least_place){before->place.x + share, from + share * (to - from)};
    }
    lf__least_stretch(t, before->place, middle);
    lf__least_stretch(t, middle, now->place);
}

/// Can the strip demand a greater slope? By its highest sample, at the nearer or the farther ring.
static bool least_matters(const lf__least_target *t, const lf__least_crossing *before,
                          const lf__least_crossing *now) {
    double first = before->low > before->high ? before->low : before->high,
           last = now->low > now->high ? now->low : now->high, g = first > last ? first : last;
    double near = before->place.x, x = g > 0 ? near : now->place.x, metric = t->line.metric;
    return !(g / x + metric * (t->line.a - (metric > 0 ? near : now->place.x)) <= t->line.slope);
}

/// Some rings of a chunk, by bits, and the strips before them. The first ring of the sector has been added with its
/// own strip. false: a strip may lack a triangle.
static bool least_rings(lf__least_target *t, int64_t first, int64_t last, unsigned rings, bool voids) {
    lf__least_crossing before, now;
    int64_t known = INT64_MIN;
    for (int64_t ring = first; ring <= last; ring++) {
        if (!(rings >> (ring - first) & 1) || ring == t->line.sector->first_ring)
            continue;
        before = known == ring - 1 ? now : lf__least_cross(&t->line, ring - 1);
        now = lf__least_cross(&t->line, ring);
        known = ring;
        if (voids && (!least_solid(&t->line, ring - 1, before.b) || !least_solid(&t->line, ring, now.b)))
            return false;
        if (least_matters(t, &before, &now))
            least_strip(t, &before, &now);
    }
    return true;
}

/// The slope of the higher sample of the first ring beside a direction, not lowered.
static double near_ring(const lf__bin_group *c, double v) {
    lf__target t = {.sweep = c->sweep, .sector = c->sector, .v = v};
    lf__least_crossing ring = lf__least_cross(&t, c->sector->first_ring);
    return fmax(ring.low, ring.high) / ring.place.x;
}

/// An edge before the first ring that ends between the borders of an interval does so at a sample of that ring. Within a triangle
/// the slope that is not lowered grows outwards: it is no greater than at an edge or at the ring.
void lf__least_near_start(const lf__bin_group *c) {
    const lf__sector *s = c->sector;
    double step = (c->v1 - c->v0) / LF__LEAST_NEAR, off = 1e-5 * (c->sweep->most_height + c->sweep->steepest);
    double before = lf__sweep_near(c->sweep, s, c->v0);
    for (int k = 0; k < LF__LEAST_LESS; k++)
        c->chunk->least_less_ring[k] = INT64_MIN;
    if (s->both || c->sweep->gaps || c->sweep->voids || c->sweep->lowering < 0)
        off = LF_INFINITY;
    for (int k = 0; k < LF__LEAST_NEAR; k++) {
        double v = c->v0 + k * step, next = lf__sweep_near(c->sweep, s, v + step);
        bool sample = lf__floor_place(lf__bin_group_place(s, v - 1e-6, s->first_ring)) !=
                      lf__floor_place(lf__bin_group_place(s, v + step + 1e-6, s->first_ring));
        double most = fmax(before, next);
        if (sample || c->chunk->near_peak)
            most = fmax(most, fmax(near_ring(c, v), near_ring(c, v + step)));
        c->chunk->near_of[k] = most + off / ((double)s->first_ring - s->oa);
        before = next;
    }
}

/// The strip before the first ring, from the ground below the observer on. The direction crosses edges from the ring
/// before it to the same row and to the next one: two at most.
void lf__least_near(lf__least_target *t) {
    const lf__target *line = &t->line;
    const lf__sector *s = line->sector;
    int64_t ring = s->first_ring - 1, row = (int64_t)floor(s->ob) - 1;
    double before = s->oa - (double)ring, end = 1 - before;
    lf__least_place at[9] = {{0, -line->sweep->clearance}};
    int count = 1;
    for (int k = 0; k < 8; k++) {
        int64_t b = row + k / 2;
        int up = k % 2;
        double x = line->v == up ? -1 : ((double)b + before * up - s->ob) / (line->v - up);
        if (!(x > 0 && x < end))
            continue;
        double from = least_height_at(line, ring, b), to = least_height_at(line, ring + 1, b + up);
        lf__least_place place = {x, from + (before + x) * (to - from)};
        int n = count++;
        for (; n > 1 && at[n - 1].x > x; n--)
            at[n] = at[n - 1];
        at[n] = place;
    }
    for (int k = 1; k < count; k++)
        lf__least_stretch(t, at[k - 1], at[k]);
    lf__least_stretch(t, at[count - 1], lf__least_cross(line, s->first_ring).place);
}

// ---------------------------------------------------------------------------------------------------
// Targets
// ---------------------------------------------------------------------------------------------------

/// Ground that reaches no higher than this slope, lowered and above the plane, demands no greater one.
float lf__least_reach(const lf__chunk *chunk, const lf__target *t) {
    const double *tilt = chunk->sector->tilt;
    double slope = t->slope - t->metric * t->a - (tilt[0] + tilt[1] * t->v);
    float least = (float)(slope - t->off / t->a - 0.25 * chunk->rises * t->a * t->a);
    return least - 1e-6f * fabsf(least);
}

static void least_start(lf__least_target *t, const lf__chunk *chunk, int64_t ring, int64_t b) {
    const lf__sweep *sweep = chunk->sweep;
    const lf__sector *s = chunk->sector;
    const lf_grid *grid = sweep->view->grid;
    double a = (double)ring - s->oa, db = (double)b - s->ob, lower = lf__lowering_at(&s->lowering, a, db);
    double size = (double)(grid->columns + grid->rows) + fabs(s->oa) + fabs(s->ob);
    *t = (lf__least_target){.line = {.sweep = sweep,
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

/// The strip behind a ring that reached high enough, if that was the last one before the chunk: its bounds leave that ring out, within whose
/// rounding a triangle may be higher. Not known where there are voids.
unsigned lf__least_before(const lf__chunk *chunk, lf__least_bins bins) {
    return lf__least_by_pieces(chunk->sweep) && (chunk->pieces[bins.low].edge == chunk->base_ring ||
                                                 chunk->pieces[bins.high].edge == chunk->base_ring);
}

/// The rings of the target's own chunk that reach high enough.
static unsigned least_own_rings(const lf__least_target *t, const lf__chunk *chunk, lf__least_bins bins,
                                float reach) {
    int block = chunk->sweep->block, count = (int)(t->line.ring - chunk->base_ring);
    unsigned rings = 0;
    if (!chunk->tops || !chunk->done[bins.low / block] || !chunk->done[bins.high / block])
        return UINT16_MAX;
    for (int r = 0; r < count && r <= chunk->rings; r++)
        rings |= lf__chunk_top(chunk, r, bins.low) >= reach || lf__chunk_top(chunk, r, bins.high) >= reach
                     ? 3u << r
                     : 0;
    return rings >> 1 | lf__least_before(chunk, bins);
}

/// Test rings of a chunk before a target; false: there are voids.
bool lf__least_past(lf__least_target *t, const lf__chunk *chunk, int k, uint64_t blocks, unsigned rings) {
    const lf__past *past = &chunk->past[k];
    int64_t last = past->last < t->line.ring - 1 ? past->last : t->line.ring - 1;
    if (past->first > last)
        return true;
    bool voids = past->void_blocks & blocks, first = past->first == chunk->sector->first_ring;
    if (past->gaps || (first && voids && lf__sweep_voids_beside(&t->line, past->first, last)))
        return false;
    if (first)
        lf__least_near(t);
    return least_rings(t, past->first, last, rings, voids);
}

/// All chunks that reach high enough; false: voids are among them.
static bool least_history(lf__least_target *t, const lf__chunk *chunk, const lf__target_blocks *blocks) {
    const float *low = chunk->past_peak[blocks->low], *high = chunk->past_peak[blocks->high];
    float reach = lf__least_reach(chunk, &t->line);
    for (int k = chunk->past_count - 1; k >= 0; k--) {
        if (low[k] < reach && high[k] < reach)
            continue;
        if (!lf__least_past(t, chunk, k, blocks->bits, UINT16_MAX))
            return false;
        reach = lf__least_reach(chunk, &t->line);
    }
    return true;
}

/// Those of a bin, the highest first.
static bool least_in_bin(lf__least_target *t, const lf__chunk *chunk, const lf__least_ground *ground,
                         uint64_t blocks) {
    int first = 0;
    for (int k = 1; k < ground->count; k++)
        first = ground->of[k].top > ground->of[first].top ? k : first;
    float reach = lf__least_reach(chunk, &t->line);
    for (int n = -1; n < ground->count; n++) {
        int k = n < 0 ? first : n;
        if (n == first || ground->count == 0 || ground->of[k].top < reach)
            continue;
        if (!lf__least_past(t, chunk, ground->of[k].chunk, blocks, ground->of[k].rings))
            return false;
        reach = lf__least_reach(chunk, &t->line);
    }
    return true;
}

/// The ground of all chunks before a target, and of its own; false: voids are in the way.
static bool least_chunks(lf__least_target *t, const lf__chunk *chunk, const lf__target_blocks *blocks) {
    double place = blocks->place * chunk->sweep->block;
    lf__least_bins bins = {(int)fmax(place - 0.15, 0), (int)fmin(place + 0.15, chunk->bins - 1)};
    int own = chunk->past_count - 1;
    if (chunk->least[bins.low].count > LF__LEAST_CHUNKS || chunk->least[bins.high].count > LF__LEAST_CHUNKS)
        return least_history(t, chunk, blocks);
    if (!least_in_bin(t, chunk, &chunk->least[bins.low], blocks->bits) ||
        (bins.high != bins.low && !least_in_bin(t, chunk, &chunk->least[bins.high], blocks->bits)))
        return false;
    float reach = lf__least_reach(chunk, &t->line);
    // The own chunk is not among those of the bin yet.
    if (chunk->past[own].last < t->line.ring ||
        (chunk->past_peak[blocks->low][own] < reach && chunk->past_peak[blocks->high][own] < reach))
        return true;
    return lf__least_past(t, chunk, own, blocks->bits, least_own_rings(t, chunk, bins, reach));
}

/// The ground before the first ring, if it reaches high enough; false: voids may be there.
static bool least_beside(lf__least_target *t, const lf__chunk *chunk) {
    double slope =
        t->line.slope - t->line.metric * t->line.a - t->line.off / t->line.a - chunk->rises * t->line.a;
    if (!chunk->near_peak &&
        (!(chunk->near >= slope) || !(lf__sweep_near(chunk->sweep, chunk->sector, t->line.v) >= slope)))
        return true;
    lf__least_near(t);
    return !chunk->sweep->voids;
}

/// The greatest slope over all ground before a target; false: unknown.
static bool least_slope(lf__least_target *t, const lf__chunk *chunk, const lf__target_blocks *blocks) {
    const lf__target *line = &t->line;
    double ground = line->slope * line->a;
    lf__least_crossing before = lf__least_cross(line, line->ring - 1);
    if (chunk->sweep->voids && !least_solid(line, line->ring - 1, before.b))
        return false;
    lf__least_stretch(t, before.place, (lf__least_place){line->a, ground});
    return least_chunks(t, chunk, blocks) && least_beside(t, chunk);
}

/// The least height above ground of a hidden sample; NAN: a void is in the way; negative: unknown. `base` is added to
/// it, which must not make its error greater.
double lf__least_of_target(const lf__chunk *chunk, int64_t ring, int64_t b, double v0, double base) {
    const lf__viewshed *view = chunk->sweep->view;
    lf__least_target t;
    least_start(&t, chunk, ring, b);
    lf__target_blocks blocks = lf__target_blocks_of(chunk, &t.line, v0);
    double a = t.line.a, ground = t.line.slope * a,
           uneven = chunk->sweep->uneven * fabs(t.line.metric) * a * a;
    double height = least_height_at(&t.line, ring, b);
    if (!least_slope(&t, chunk, &blocks))
        return -1;
    double least = a * t.line.slope - height;
    if (uneven > 0.25 * LF__LEAST_OFF * least) { // the distance is not accurate enough
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
    if (!(t.line.off * (a / t.at) + uneven <= LF__LEAST_OFF * fmin(least, fabs(base + least))))
        return -1;
    if (!chunk->behind_void)
        return least;
    lf__shadow shadow = lf__shadow_of(chunk, ring, b, v0);
    lf__sweep_find_voids(&t.line, chunk, &blocks, &shadow, v0);
    return t.line.behind_void ? (double)LF_NAN : t.line.void_open ? -1 : least;
}

lf__sample_span lf__least_span(const lf__bin_group *c, int64_t ring) {
    const lf__sector *s = c->sector;
    lf_window w = c->sweep->view->window;
    lf__sample_span in = lf__group_samples(c, ring);
    lf__sample_span_clip(&in, ring * s->along.i - w.column, s->across.i, w.columns);
    lf__sample_span_clip(&in, ring * s->along.j - w.row, s->across.j, w.rows);
    return in;
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
        lf__least_by_edges(c, first > s->first_ring ? first : s->first_ring + 1, last);
        return;
    }
    for (int64_t ring = first > s->first_ring ? first : s->first_ring + 1; ring <= last; ring++) {
        lf__sample_span in = lf__least_span(c, ring);
        for (int64_t b = in.low; b <= in.high; b++) {
            int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
            uint8_t seen = c->sweep->seen.bytes[(j - w.row) * c->sweep->seen.row_step + (i - w.column)];
            if ((seen != LF_VISIBILITY_HIDDEN && seen != LF_VISIBILITY_UNKNOWN) ||
                lf__grid_is_void(view->grid, i, j))
                continue;
            double base = plane->datum ? lf__grid_height(view->grid, i, j) : 0;
            double least = lf__least_of_target(c->chunk, ring, b, c->v0, base);
            float *to = (float *)(void *)((char *)plane->values + (j - plane->row) * plane->row_step) +
                        (i - plane->column);
            if (!(least < 0))
                *to = (float)(base + least);
        }
    }
}
