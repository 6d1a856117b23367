/// Least visible heights by the edges of bins (viewshed_pieces.c): targets of some rings of a group.
#include "sight/viewshed_least.h"
#include <math.h>

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

/// A target among the bins of its group.
typedef struct least_spot {
    const least_ring *ring;
    int64_t i, j; ///< column and row
    int64_t b;
    double v, metric;
    double height; ///< above the observer
    double base;   ///< what is added to its least height
    double off;    ///< rounding error of heights: metres
    double uneven; ///< error of its lowering: metres
    lf__least_bins bins;
} least_spot;

/// Targets of some rings of a group.
typedef struct least_rows {
    const lf__bin_group *group;
    const lf__least_plane *plane;
    int own; ///< of the history: the chunk of the targets; -1: it was skipped
    int degree;
    double off, uneven; ///< rounding error of heights in metres, and of the lowering, relative
    int64_t walked;     ///< exact lines
    int count;
    least_ring rings[LEAST_RINGS];
    lf__least_batch batch; ///< of these targets
    least_spot spots[LF__LEAST_BATCH];
} least_rows;

/// The rings of the target's own chunk that reach high enough, with the strip before its own.
static unsigned least_own_strips(const lf__least_target *t, const lf__chunk *chunk, lf__least_bins bins,
                                 float reach) {
    int block = chunk->sweep->block, count = (int)(t->line.ring - chunk->base_ring);
    unsigned rings = 0, before = lf__least_before(chunk, bins);
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

static lf__least_target least_target_of(const least_rows *rows, const least_ring *ring,
                                        const least_spot *spot, const lf__least_demand *demand) {
    const lf__chunk *chunk = rows->group->chunk;
    return (lf__least_target){.line = {.sweep = chunk->sweep,
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

/// May ground of the own chunk demand more? By the bounds of its blocks, as least_own_strips.
static bool least_own_reaches(const least_rows *rows, const least_ring *ring, const least_spot *spot,
                              const lf__least_demand *demand) {
    const lf__chunk *chunk = rows->group->chunk;
    const double *tilt = chunk->sector->tilt;
    int block = chunk->sweep->block;
    double slope = demand->slope - spot->metric * ring->a - (tilt[0] + tilt[1] * spot->v);
    slope -= (spot->off + spot->uneven) * ring->per_a + 0.25 * chunk->rises * ring->a * ring->a;
    float least = (float)slope;
    least -= 1e-6f * fabsf(least);
    return chunk->peak[spot->bins.low / block] >= least || chunk->peak[spot->bins.high / block] >= least ||
           lf__least_before(chunk, spot->bins);
}

/// The rings of the own chunk; false: unknown.
static bool least_own(const least_rows *rows, const least_ring *ring, const least_spot *spot,
                      lf__least_demand *demand) {
    const lf__chunk *chunk = rows->group->chunk;
    lf__least_target t = least_target_of(rows, ring, spot, demand);
    unsigned rings = least_own_strips(&t, chunk, spot->bins, lf__least_reach(chunk, &t.line));
    int own = (int)(ring->ring - chunk->base_ring) - 1;
    if (rings >> own & 1)
        lf__least_stretch(&t, lf__least_cross(&t.line, ring->ring - 1).place,
                          (lf__least_place){ring->a, spot->height});
    rings &= (1u << own) - 1;
    if (rings && !lf__least_past(&t, chunk, rows->own, 0, rings))
        return false;
    *demand = (lf__least_demand){t.line.slope, t.at};
    return true;
}

/// Upper bound of the slopes before the first ring in a direction.
static double least_near_bound(const lf__bin_group *c, double v) {
    int k = (int)((v - c->v0) / (c->v1 - c->v0) * LF__LEAST_NEAR);
    return c->chunk->near_of[k < 0 ? 0 : k < LF__LEAST_NEAR ? k : LF__LEAST_NEAR - 1];
}

/// Add the rings of the own chunk and the ground beside the observer to what the bin demands; false: unknown.
static bool least_add_rest(const least_rows *rows, const least_spot *spot, lf__least_demand *demand) {
    const lf__chunk *chunk = rows->group->chunk;
    const least_ring *ring = spot->ring;
    double a = ring->a;
    if (rows->own >= 0 && least_own_reaches(rows, ring, spot, demand) && !least_own(rows, ring, spot, demand))
        return false;
    double reach =
        demand->slope - spot->metric * a - (spot->off + spot->uneven) * ring->per_a - chunk->rises * a;
    if (least_near_bound(rows->group, spot->v) < reach || demand->slope == -LF_INFINITY)
        return demand->slope > -LF_INFINITY;
    lf__least_target t = least_target_of(rows, ring, spot, demand);
    lf__least_near(&t);
    *demand = (lf__least_demand){t.line.slope, t.at};
    return true;
}

/// What the bins of a target demand.
static lf__least_demand least_of_bins(const least_rows *rows, const least_spot *spot) {
    lf__least_demand demand = {-LF_INFINITY, spot->ring->a};
    for (int m = spot->bins.low; m <= spot->bins.high; m++)
        lf__least_pieces_meet(&rows->group->chunk->pieces[m], spot->v, spot->metric, spot->ring->a, &demand);
    return demand;
}

static float *least_place_of(const least_rows *rows, const least_spot *spot) {
    const lf__least_plane *plane = rows->plane;
    return (float *)(void *)((char *)plane->values + (spot->j - plane->row) * plane->row_step) +
           (spot->i - plane->column);
}

/// By an exact line; negative: it has been written already, by a sweep with wider bins.
static double least_exactly(least_rows *rows, const least_spot *spot, double guess) {
    if (lf__is_written(*least_place_of(rows, spot)))
        return -1;
    rows->walked++;
    return lf__viewshed_least(rows->group->sweep->view, spot->i, spot->j, -LF_INFINITY, guess);
}

/// The least height above ground, from what the bins demand; by an exact line where that is not close enough.
static double least_of_spot(least_rows *rows, least_spot *spot, lf__least_demand demand) {
    double a = spot->ring->a, lower = fabs(spot->metric) * a * a;
    spot->off = rows->off + 1e-13 * lower;
    spot->uneven = rows->uneven * lower;
    if (!least_add_rest(rows, spot, &demand))
        return least_exactly(rows, spot, -LF_INFINITY);
    double least = a * demand.slope - spot->height, uneven = spot->uneven;
    if (uneven > 0.25 * LF__LEAST_OFF * least) { // the distance is not accurate enough
        spot->metric = lf__viewshed_sag(rows->group->sweep->view, spot->i, spot->j) / (a * a);
        demand = least_of_bins(rows, spot);
        if (!least_add_rest(rows, spot, &demand))
            return least_exactly(rows, spot, -LF_INFINITY);
        least = a * demand.slope - spot->height;
        uneven = 0;
    }
    double most = LF__LEAST_OFF * fmin(least, fabs(spot->base + least)),
           off = spot->off * a / demand.x + uneven;
    return off <= most ? least : least_exactly(rows, spot, least - 2 * off);
}

static void least_write(const least_rows *rows, const least_spot *spot, double least) {
    if (!(least < 0))
        *least_place_of(rows, spot) = (float)(spot->base + least);
}

/// Write the targets that have been collected.
static void least_flush(least_rows *rows) {
    lf__least_batch *batch = &rows->batch;
    const lf__bin_group *c = rows->group;
    if (batch->count > 0)
        c->sweep->least_meet(c->chunk->pieces, batch);
    for (int k = 0; k < batch->count; k++) {
        lf__least_demand demand = {batch->slope[k], batch->x[k]};
        least_write(rows, &rows->spots[k], least_of_spot(rows, &rows->spots[k], demand));
    }
    batch->count = 0;
}

/// A target in two bins, or in one with more ground than is stored.
static void least_write_alone(least_rows *rows, least_spot *spot) {
    const lf__bin_group *c = rows->group;
    bool lost = false;
    for (int m = spot->bins.low; m <= spot->bins.high; m++)
        lost |= c->chunk->pieces[m].lost > -LF_INFINITY;
    double least = lost ? lf__least_of_target(c->chunk, spot->ring->ring, spot->b, c->v0, spot->base)
                        : least_of_spot(rows, spot, least_of_bins(rows, spot));
    least_write(rows, spot, least < 0 ? least_exactly(rows, spot, -LF_INFINITY) : least);
}

/// Write the least height of a target, if it is hidden, at once or with others.
static void least_take(least_rows *rows, const least_ring *ring, int64_t b) {
    const lf__bin_group *c = rows->group;
    const lf__viewshed *view = c->sweep->view;
    const lf__sector *s = c->sector;
    lf_window w = view->window;
    int64_t i = ring->ring * s->along.i + b * s->across.i, j = ring->ring * s->along.j + b * s->across.j;
    uint8_t seen = c->sweep->seen.bytes[(j - w.row) * c->sweep->seen.row_step + (i - w.column)];
    if (seen != LF_VISIBILITY_HIDDEN && seen != LF_VISIBILITY_UNKNOWN)
        return;
    lf__least_batch *batch = &rows->batch;
    least_spot *spot = &rows->spots[batch->count];
    double height = lf__grid_height(view->grid, i, j), db = (double)b - s->ob, metric = ring->c[rows->degree];
    for (int k = rows->degree - 1; k >= 0; k--)
        metric = metric * db + ring->c[k];
    spot->ring = ring;
    spot->i = i;
    spot->j = j;
    spot->b = b;
    spot->v = db / ring->a;
    spot->metric = metric;
    spot->height = height - view->z;
    spot->base = rows->plane->datum ? height : 0;
    double place = (spot->v - c->v0) * c->chunk->all_bins;
    int low = (int)(place - LF__LEAST_SPARE), high = (int)(place + LF__LEAST_SPARE),
        most = c->chunk->bins - 1;
    spot->bins = (lf__least_bins){low < 0 ? 0 : low, high < most ? high : most};
    for (int m = spot->bins.low; m <= spot->bins.high; m++)
        if (c->chunk->least[m].pending)
            lf__least_collect(c->chunk, m, c->v0);
    if (spot->bins.low != spot->bins.high || c->chunk->pieces[spot->bins.low].lost > -LF_INFINITY) {
        least_write_alone(rows, spot);
        return;
    }
    int k = batch->count++;
    batch->v[k] = spot->v;
    batch->metric[k] = metric;
    batch->a[k] = ring->a;
    batch->bin[k] = spot->bins.low;
    if (batch->count == LF__LEAST_BATCH)
        least_flush(rows);
}

/// Rings are rows of the plane, or rows are samples of the same b: in the order of memory either way.
static void least_write_rows(least_rows *rows) {
    lf__sample_span all = {INT64_MAX, INT64_MIN};
    bool across = rows->group->sector->across.j != 0;
    for (int k = 0; k < rows->count; k++) {
        const least_ring *ring = &rows->rings[k];
        for (int64_t b = ring->in.low; b <= ring->in.high && !across; b++)
            least_take(rows, ring, b);
        all.low = ring->in.low < all.low ? ring->in.low : all.low;
        all.high = ring->in.high > all.high ? ring->in.high : all.high;
    }
    for (int64_t b = all.low; b <= all.high && across; b++)
        for (int k = 0; k < rows->count; k++)
            if (b >= rows->rings[k].in.low && b <= rows->rings[k].in.high)
                least_take(rows, &rows->rings[k], b);
    least_flush(rows);
}

void lf__least_by_edges(const lf__bin_group *c, int64_t first, int64_t last) {
    const lf__sweep *sweep = c->sweep;
    const lf__sector *s = c->sector;
    const lf__chunk *chunk = c->chunk;
    const lf_grid *grid = sweep->view->grid;
    least_rows rows; // large: what is written is set
    rows.group = c;
    rows.plane = sweep->view->least;
    rows.degree = s->lowering.degree;
    rows.count = rows.batch.count = 0;
    rows.walked = 0;
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
        to->in = lf__least_span(c, ring);
        if (rows.count == LEAST_RINGS || ring == last) {
            least_write_rows(&rows);
            rows.count = 0;
        }
    }
    __atomic_fetch_add(rows.plane->walked, rows.walked, __ATOMIC_RELAXED);
}
