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

/// A target among the bins of its group.
typedef struct least_spot {
    int64_t b;
    double v, metric;
    double height; ///< above the observer
    double base;   ///< what is added to its least height
    double off;    ///< rounding error of heights: metres
    double uneven; ///< error of its lowering: metres
    lf__least_bins bins;
} least_spot;

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
    lf__least_target t = least_target_of(rows, ring, spot, demand);
    lf__least_near(&t);
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
    if (uneven > 0.25 * LF__LEAST_OFF * least) { // the distance is not accurate enough
        spot->metric = lf__viewshed_sag(rows->group->sweep->view, i, j) / (a * a);
        if (!least_of_bin(rows, ring, spot, &demand))
            return -1;
        least = a * demand.slope - spot->height;
        uneven = 0;
    }
    double most = LF__LEAST_OFF * fmin(least, fabs(spot->base + least));
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
    spot.bins = (lf__least_bins){low < 0 ? 0 : low, high < most ? high : most};
    bool lost = false;
    for (int m = spot.bins.low; m <= spot.bins.high; m++)
        lost |= c->chunk->pieces[m].lost > -LF_INFINITY;
    double least = lost ? -1 : least_of_spot(rows, ring, &spot, i, j);
    if (lost)
        least = lf__least_of_target(c->chunk, ring->ring, b, c->v0, spot.base);
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
void lf__least_by_edges(const lf__bin_group *c, int64_t first, int64_t last) {
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
        to->in = lf__least_span(c, ring);
        if (rows.count == LEAST_RINGS || ring == last) {
            least_write_rows(&rows);
            rows.count = 0;
        }
    }
}
