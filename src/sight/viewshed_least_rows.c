/// Least visible heights by the edges of bins (viewshed_pieces.c): targets of some rings of a group.
#include "sight/viewshed_least.h"
#include <math.h>
#include <string.h>

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
    least_ring rings[LF__LEAST_RINGS];
    bool side_by_side; ///< `lanes` is set, except for rings
    lf__least_lanes lanes;
    int eight_count;
    lf__least_eight eights[LF__LEAST_EIGHTS];
    bool open[LF__BINS_SPACE];
    double own_peak[LF__BINS_SPACE];
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

/// A target, but for its bins.
static least_spot least_spot_of(const least_rows *rows, const least_ring *ring, int64_t b) {
    const lf__bin_group *c = rows->group;
    const lf__sector *s = c->sector;
    double db = (double)b - s->ob, metric = ring->c[rows->degree];
    for (int k = rows->degree - 1; k >= 0; k--)
        metric = metric * db + ring->c[k];
    least_spot spot = {.ring = ring, .b = b, .v = db / ring->a, .metric = metric};
    spot.i = ring->ring * s->along.i + b * s->across.i;
    spot.j = ring->ring * s->along.j + b * s->across.j;
    double height = lf__grid_height(c->sweep->view->grid, spot.i, spot.j);
    spot.height = height - c->sweep->view->z;
    spot.base = rows->plane->datum ? height : 0;
    double place = (spot.v - c->v0) * c->chunk->all_bins;
    int low = (int)(place - LF__LEAST_SPARE), high = (int)(place + LF__LEAST_SPARE),
        last = c->chunk->bins - 1;
    spot.bins = (lf__least_bins){low < 0 ? 0 : low, high < last ? high : last};
    return spot;
}

/// Write the least height of a hidden target.
static void least_take(least_rows *rows, const least_ring *ring, int64_t b) {
    const lf__bin_group *c = rows->group;
    least_spot spot = least_spot_of(rows, ring, b);
    bool lost = false; // is there more ground than is stored?
    for (int m = spot.bins.low; m <= spot.bins.high; m++) {
        if (c->chunk->least[m].pending)
            lf__least_collect(c->chunk, m, c->v0);
        rows->open[m] = c->chunk->pieces[m].lost > -LF_INFINITY;
        lost |= rows->open[m];
    }
    double least = lost ? lf__least_of_target(c->chunk, ring->ring, b, c->v0, spot.base)
                        : least_of_spot(rows, &spot, least_of_bins(rows, &spot));
    least_write(rows, &spot, least < 0 ? least_exactly(rows, &spot, -LF_INFINITY) : least);
}

// ---------------------------------------------------------------------------------------------------
// Side by side
// ---------------------------------------------------------------------------------------------------

/// What is the same for all targets. Only where there is a hidden one.
static void least_lanes_start(least_rows *rows) {
    const lf__bin_group *c = rows->group;
    const lf__sector *s = c->sector;
    const lf__chunk *chunk = c->chunk;
    lf__least_lanes *l = &rows->lanes;
    rows->side_by_side = true;
    for (int m = 0; m < chunk->bins; m++) {
        const lf__least_pieces *bin = &chunk->pieces[m];
        rows->open[m] = chunk->least[m].pending || bin->lost > -LF_INFINITY;
        rows->own_peak[m] = rows->own < 0 ? -LF_INFINITY
                            : lf__least_before(chunk, (lf__least_bins){m, m})
                                ? LF_INFINITY
                                : (double)chunk->peak[m / c->sweep->block];
    }
    l->bins = chunk->pieces;
    l->open = rows->open;
    l->own = rows->own_peak;
    l->near = chunk->near_of;
    l->degree = rows->degree;
    l->last_bin = chunk->bins - 1;
    l->ob = s->ob;
    l->z = c->sweep->view->z;
    l->v0 = c->v0;
    l->wide = c->v1 - c->v0;
    l->all_bins = chunk->all_bins;
    l->tilt[0] = s->tilt[0];
    l->tilt[1] = s->tilt[1];
    l->rises = chunk->rises;
    l->off = rows->off;
    l->uneven = rows->uneven;
    l->datum = rows->plane->datum;
    const lf_grid *grid = c->sweep->view->grid;
    l->type = grid->type;
    l->plain = !grid->packed && grid->plain &&
               ((grid->type == LF_SAMPLE_FLOAT && grid->column_step == sizeof(float)) ||
                (grid->type == LF_SAMPLE_INT16 && grid->column_step == sizeof(int16_t)));
}

/// Write the targets that have been collected.
static void least_flush(least_rows *rows) {
    const lf__least_lanes *l = &rows->lanes;
    if (rows->eight_count > 0)
        rows->group->sweep->least_write(l, rows->eights, rows->eight_count);
    for (int n = 0; n < rows->eight_count; n++) {
        const lf__least_eight *eight = &rows->eights[n];
        for (unsigned left = eight->some; left; left &= left - 1) {
            int k = __builtin_ctz(left);
            const least_ring *ring = &rows->rings[eight->ring + k * l->rings_per_lane];
            int64_t b = eight->b + k * l->b_per_lane;
            if (!(eight->met >> k & 1)) {
                least_take(rows, ring, b);
                continue;
            }
            least_spot spot = least_spot_of(rows, ring, b);
            least_write(rows, &spot,
                        least_of_spot(rows, &spot, (lf__least_demand){eight->slope[k], eight->x[k]}));
        }
    }
    rows->eight_count = 0;
}

/// Eight targets from a ring and b on, of which some are hidden.
static void least_take_eight(least_rows *rows, int ring, int64_t b, unsigned some) {
    const lf__bin_group *c = rows->group;
    const lf_grid *grid = c->sweep->view->grid;
    const lf__sector *s = c->sector;
    const lf__least_lanes *l = &rows->lanes;
    const lf__least_plane *plane = rows->plane;
    if (!rows->side_by_side)
        least_lanes_start(rows);
    int64_t at = rows->rings[ring].ring, i = at * s->along.i + b * s->across.i,
            j = at * s->along.j + b * s->across.j;
    lf__least_eight *eight = &rows->eights[rows->eight_count++];
    eight->ring = ring;
    eight->b = b;
    eight->some = some;
    eight->to =
        (float *)(void *)((char *)plane->values + (j - plane->row) * plane->row_step) + (i - plane->column);
    __builtin_prefetch(eight->to, 1);
    if (l->plain) {
        eight->samples = grid->values + j * grid->row_step + i * grid->column_step;
        __builtin_prefetch(eight->samples);
    }
    for (int k = 0; k < 8 && !l->plain; k++)
        eight->height[k] = some >> k & 1 ? lf__grid_height(grid, i + k, j) : 0;
    if (rows->eight_count == LF__LEAST_EIGHTS)
        least_flush(rows);
}

/// Those of eight targets that are hidden, or behind voids, by bits.
static unsigned least_hidden(const uint8_t *seen, int count) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t bytes = UINT64_MAX;
    if (count == 8)
        memcpy(&bytes, seen, sizeof bytes);
    else
        for (int k = 0; k < count; k++)
            bytes = (bytes & ~((uint64_t)255 << 8 * k)) | (uint64_t)seen[k] << 8 * k;
    bytes &= ~(0x0101010101010101u * LF_VISIBILITY_UNKNOWN); // hidden is 0
    bytes = ~(((bytes & low) + low) | bytes | low);
    return (unsigned)((bytes >> 7) * 0x0102040810204080u >> 56);
}

/// Targets of a row of the plane: from a ring on, each has the next one, or all have the same.
static void least_take_run(least_rows *rows, int ring, int64_t b, int count) {
    const lf__bin_group *c = rows->group;
    const lf__sector *s = c->sector;
    const lf__least_lanes *l = &rows->lanes;
    lf_window w = c->sweep->view->window;
    for (int first = 0; first < count; first += 8) {
        int from = ring + first * l->rings_per_lane, some = count - first < 8 ? count - first : 8;
        int64_t at = rows->rings[from].ring, row = b + first * l->b_per_lane;
        int64_t i = at * s->along.i + row * s->across.i, j = at * s->along.j + row * s->across.j;
        unsigned hidden =
            least_hidden(&c->sweep->seen.bytes[(j - w.row) * c->sweep->seen.row_step + (i - w.column)], some);
        if (hidden && c->sweep->least_write)
            least_take_eight(rows, from, row, hidden);
        for (int k = 0; hidden >> k && !c->sweep->least_write; k++)
            if (hidden >> k & 1)
                least_take(rows, &rows->rings[from + k * l->rings_per_lane], row + k * l->b_per_lane);
    }
}

/// In the order of memory: along rings, or across them, where b may change from ring to ring.
static void least_write_rows(least_rows *rows) {
    const lf__least_lanes *l = &rows->lanes;
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int k = 0; k < rows->count; k++) {
        const lf__sample_span *in = &rows->rings[k].in;
        if (!l->rings_per_lane && in->low <= in->high)
            least_take_run(rows, k, l->b_per_lane > 0 ? in->low : in->high, (int)(in->high - in->low + 1));
        int64_t less = (int64_t)k * l->b_per_lane;
        low = in->low - less < low ? in->low - less : low;
        high = in->high - less > high ? in->high - less : high;
    }
    for (int64_t start = low; start <= high && l->rings_per_lane; start++)
        for (int k = 0; k < rows->count; k++) { // runs of rings that have such a sample
            int first = k;
            for (; k < rows->count; k++) {
                int64_t b = start + (int64_t)k * l->b_per_lane;
                if (b < rows->rings[k].in.low || b > rows->rings[k].in.high)
                    break;
            }
            if (k > first)
                least_take_run(rows, first, start + (int64_t)first * l->b_per_lane, k - first);
        }
    least_flush(rows);
}

/// A ring and its place among the others: those are in the order of memory.
static void least_ring_put(least_rows *rows, int k, int64_t ring) {
    const lf__bin_group *c = rows->group;
    least_ring *to = &rows->rings[k];
    to->ring = ring;
    to->a = (double)ring - c->sector->oa;
    to->per_a = 1 / to->a;
    lf__lowering_ring(&c->sector->lowering, to->a, to->c);
    to->in = lf__least_span(c, ring);
    rows->lanes.a[k] = to->a;
    rows->lanes.per_a[k] = to->per_a;
    for (int n = 0; n <= rows->degree; n++) {
        to->c[n] *= to->per_a;
        rows->lanes.c[n][k] = to->c[n];
    }
}

void lf__least_by_edges(const lf__bin_group *c, int64_t first, int64_t last) {
    const lf__sweep *sweep = c->sweep;
    const lf__sector *s = c->sector;
    const lf__chunk *chunk = c->chunk;
    const lf_grid *grid = sweep->view->grid;
    least_rows rows; // large: what is read is set
    rows.group = c;
    rows.plane = sweep->view->least;
    rows.degree = s->lowering.degree;
    rows.walked = 0;
    rows.side_by_side = false;
    rows.eight_count = 0;
    bool done = chunk->past_count > 0 && chunk->past[chunk->past_count - 1].last >= first;
    double size = (double)(grid->columns + grid->rows) + fabs(s->oa) + fabs(s->ob);
    rows.own = done ? chunk->past_count - 1 : -1;
    rows.uneven = sweep->uneven;
    rows.off = 0x1p-50 * size * sweep->steepest + 0x1p-49 * sweep->most_height + sweep->line_off;
    // Steps to the next sample in a row.
    int turn = s->along.i * s->across.j - s->along.j * s->across.i, step = s->across.j * turn;
    rows.lanes.rings_per_lane = step != 0;
    rows.lanes.b_per_lane = -s->along.j * turn;
    for (; first <= last; first += LF__LEAST_RINGS) {
        rows.count = (int)(last - first + 1 < LF__LEAST_RINGS ? last - first + 1 : LF__LEAST_RINGS);
        for (int k = 0; k < rows.count; k++)
            least_ring_put(&rows, k, step < 0 ? first + rows.count - 1 - k : first + k);
        least_write_rows(&rows);
    }
    __atomic_fetch_add(rows.plane->walked, rows.walked, __ATOMIC_RELAXED);
}
