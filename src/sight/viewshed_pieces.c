/// Ground that decides least visible heights: for each bin, edges of the surface that reach its lower bound.
///
/// Along an edge the slope is linear in the direction v, and so is that of a triangle's plane seen from the observer,
/// apart from the height h at which the plane passes the observer. The line to a target at a distance a demands the
/// slope of the edge + metric * (a - x), where the edge is crossed at the distance x = c / (d - e * v): it is the edge
/// that decides, not the ring. So a target is compared with the few edges that are above all others somewhere in its
/// bin, without reading ground. Over a curved earth the greatest slope may lie within a triangle, where x^2 = -h /
/// metric: triangles of which that may be true are stored too.
///
/// Edges are chosen by bounds in floats, which differ between kernels by more than the rounding of doubles. What is
/// computed from them is the same for all.
#include "sight/viewshed_least.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

/// Part of a bin by which edges may be beyond its borders: places of bins are rounded.
#define PIECE_SPARE LF__LEAST_SPARE

/// An edge that points at the observer, within this distance, is left to other methods.
#define PIECE_END_ON 1e-6

/// A corner of the surface.
typedef struct piece_corner {
    double a, b, v, g;
    float slope; ///< lowered, above the plane
} piece_corner;

/// A bin to which ground is added.
typedef struct piece_bin {
    lf__chunk *chunk;
    lf__least_pieces *to;
    double first, last; ///< directions
    double low[2];      ///< what decides reaches this line
    lf__limits metric;  ///< lowering / a^2 of targets
    float off;          ///< rounding error of slopes
} piece_bin;

/// Lowering / a and the slope of the plane on a ring, by powers of b.
static const double *piece_less(lf__chunk *chunk, int64_t ring) {
    int k = (int)(ring & (LF__LEAST_LESS - 1));
    if (chunk->least_less_ring[k] != ring) {
        const lf__sector *s = chunk->sector;
        double a = (double)ring - s->oa, *less = chunk->least_less[k];
        chunk->least_less_ring[k] = ring;
        lf__lowering_ring(&s->lowering, a, less);
        less[0] += s->tilt[0];
        less[1] += s->tilt[1] / a;
    }
    return chunk->least_less[k];
}

static bool piece_corner_at(lf__chunk *chunk, int64_t ring, int64_t b, piece_corner *corner) {
    const lf__sector *s = chunk->sector;
    const lf_grid *grid = chunk->sweep->view->grid;
    int64_t i = ring * s->along.i + b * s->across.i, j = ring * s->along.j + b * s->across.j;
    if (i < 0 || j < 0 || i >= grid->columns || j >= grid->rows)
        return false;
    corner->a = (double)ring - s->oa;
    corner->b = (double)b - s->ob;
    corner->v = corner->b / corner->a;
    corner->g = lf__grid_height(grid, i, j) - chunk->sweep->view->z;
    const double *c = piece_less(chunk, ring);
    double less = c[s->lowering.degree];
    for (int k = s->lowering.degree - 1; k >= 0; k--)
        less = less * corner->b + c[k];
    corner->slope = (float)(corner->g / corner->a - less);
    return true;
}

/// Does ground with these bounds, at its first and last direction, reach the line?
static bool piece_reaches(const piece_bin *bin, const lf__least_piece *p) {
    double low = p->first > bin->first ? p->first : bin->first,
           high = p->last < bin->last ? p->last : bin->last;
    if (low > high)
        return false;
    double wide = p->last - p->first, rise = wide > 0 ? ((double)p->top[1] - (double)p->top[0]) / wide : 0;
    double per = (bin->low[1] - bin->low[0]) / (bin->last - bin->first);
    double top = (double)p->top[0] + rise * (low - p->first), line = bin->low[0] + per * (low - bin->first);
    double slack = 1e-9 * (fabs((double)p->top[0]) + fabs((double)p->top[1]));
    return top + slack >= line || top + rise * (high - low) + slack >= line + per * (high - low);
}

/// Limit a piece to the bin, and note its ends.
static void piece_clip(const piece_bin *bin, lf__least_piece *p) {
    double wide = p->last - p->first, rise = wide > 0 ? ((double)p->top[1] - (double)p->top[0]) / wide : 0,
           ends[2] = {p->first > bin->first ? p->first : bin->first,
                      p->last < bin->last ? p->last : bin->last};
    float tops[2];
    for (int k = 0; k < 2; k++) {
        double top = (double)p->top[0] + rise * (ends[k] - p->first), v = ends[k];
        tops[k] = (float)(top + 1e-7 * fabs(top));
        // Of a triangle the distance counts twice.
        p->end[k].x = p->triangle ? 2 * sqrt(p->c / bin->metric.most) : p->c / (p->d - p->e * v);
        p->end[k].slope = p->s + p->q * (v - p->v);
    }
    double x = p->end[1].x - p->end[0].x;
    p->bent = p->triangle ? bin->metric.most * (2 * sqrt(p->c / bin->metric.least) - p->end[0].x)
                          : 0.25 * bin->metric.most * x * x / p->end[x < 0].x;
    p->first = ends[0];
    p->last = ends[1];
    p->top[0] = tops[0];
    p->top[1] = tops[1];
}

/// A piece at a direction: its slope, and the distance that the metric counts.
typedef struct piece_point {
    double slope, x;
} piece_point;

/// Between its ends a piece is nearly straight: see `bent`.
static piece_point piece_value_at(const lf__least_piece *p, double v) {
    double wide = p->last - p->first, share = wide > 0 ? (v - p->first) / wide : 0;
    return (piece_point){p->end[0].slope + share * (p->end[1].slope - p->end[0].slope),
                         p->end[0].x + share * (p->end[1].x - p->end[0].x)};
}

/// Do two edges have the same corner in a direction? There they are equal in every bit.
static bool piece_same_corner(const lf__least_piece *p, const lf__least_piece *other, double v) {
    return p->v == v && other->v == v && p->s == other->s && !p->triangle && !other->triangle;
}

/// Is a piece above another one in a direction, for any target, by more than `times` of what they are bent?
static bool piece_above(const piece_bin *bin, const lf__least_piece *p, const lf__least_piece *other,
                        double v, double times) {
    piece_point high = piece_value_at(p, v), low = piece_value_at(other, v);
    double more = high.slope - low.slope, x = high.x - low.x;
    double off = times * (p->bent + other->bent) + 1e-12 * (fabs(high.slope) + fabs(low.slope));
    return more > bin->metric.least * x + off && more > bin->metric.most * x + off;
}

/// Is a piece nowhere below another one between two directions? From a corner that both have their distance grows at
/// least as fast as what they are bent by, nearly a parabola, if it is some times that at the other end.
static bool piece_covers(const piece_bin *bin, const lf__least_piece *p, const lf__least_piece *other,
                         double low, double high) {
    bool first = piece_same_corner(p, other, low), last = piece_same_corner(p, other, high);
    return !(first && last) && (first || piece_above(bin, p, other, low, last ? 8 : 1)) &&
           (last || piece_above(bin, p, other, high, first ? 8 : 1));
}

/// Cut off the parts of a piece where another one is above it; false: nothing is left.
static bool piece_trim(const piece_bin *bin, lf__least_piece *p, const lf__least_piece *by) {
    if (by->triangle || by->last < p->first || by->first > p->last)
        return true;
    double low = by->first > p->first ? by->first : p->first, high = by->last < p->last ? by->last : p->last;
    if ((low > p->first && high < p->last) || !piece_covers(bin, by, p, low, high))
        return true;
    if (low == p->first && high == p->last)
        return false;
    bool front = low == p->first;
    double v = front ? high : low;
    piece_point at = piece_value_at(p, v);
    double top =
        (double)p->top[0] + (v - p->first) / (p->last - p->first) * ((double)p->top[1] - (double)p->top[0]);
    p->top[!front] = (float)(top + 1e-7 * fabs(top));
    *(front ? &p->first : &p->last) = v;
    p->end[!front].slope = at.slope;
    p->end[!front].x = at.x;
    return true;
}

static void piece_put(const piece_bin *bin, const lf__least_piece *given) {
    lf__least_pieces *to = bin->to;
    if (!piece_reaches(bin, given))
        return;
    lf__least_piece p = *given;
    piece_clip(bin, &p);
    for (int k = 0; k < to->count; k++)
        if (!piece_trim(bin, &p, &to->of[k]))
            return;
    int count = 0;
    for (int k = 0; k < to->count; k++)
        if (piece_trim(bin, &to->of[k], &p)) {
            if (count < k)
                to->of[count] = to->of[k];
            count++;
        }
    if (count < LF__LEAST_PIECES)
        to->of[count++] = p;
    else
        to->lost = fmaxf(to->lost, fmaxf(p.top[0], p.top[1]));
    to->count = count;
    to->bent |= p.triangle != 0;
}

/// An edge, from a corner to another; the second is on the same ring or the next one.
static void piece_put_edge(const piece_bin *bin, const piece_corner *from, const piece_corner *to,
                           float off) {
    bool up = from->v < to->v;
    double first = up ? from->v : to->v, last = up ? to->v : from->v;
    float top = from->slope > to->slope ? from->slope : to->slope;
    // Most edges beside a bin do not reach it: without their divisions.
    if (first > bin->last || last < bin->first ||
        (double)(top + off) + 1e-6 * fabs((double)top) <
            (bin->low[0] < bin->low[1] ? bin->low[0] : bin->low[1]))
        return;
    double da = to->a - from->a, db = to->b - from->b, c = from->a * db - da * from->b;
    if (fabs(c) < PIECE_END_ON) {
        if (c != 0)
            bin->to->lost = fmaxf(bin->to->lost, top + off);
        return; // of an edge along the direction only the ends matter
    }
    // The higher end comes first: where edges meet at a sample that decides, all of them have its slope.
    double s0 = from->g / from->a, s1 = to->g / to->a;
    lf__least_piece p = {.first = first,
                         .last = last,
                         .top = {(up ? from : to)->slope + off, (up ? to : from)->slope + off},
                         .s = s0 > s1 ? s0 : s1,
                         .v = s0 > s1 ? from->v : to->v,
                         .q = (s1 - s0) / (to->v - from->v),
                         .c = c,
                         .d = db,
                         .e = da};
    piece_put(bin, &p);
}

/// A triangle, if the slope may be greatest within it. `metric` is from the least to the most for any target.
static void piece_put_triangle(const piece_bin *bin, const piece_corner *const at[3], bool upper) {
    // Corners: at the origin of the square, along the ring, and behind it; the plane is g + ga * a + gb * b.
    const piece_corner *o = at[0], *next = at[1], *last = at[2];
    double ga = upper ? last->g - next->g : next->g - o->g, gb = upper ? next->g - o->g : last->g - next->g;
    double h = o->g - ga * o->a - gb * o->b;
    if (!(-h > bin->metric.least * o->a * o->a) || !(-h < bin->metric.most * (o->a + 1) * (o->a + 1)) ||
        !(bin->metric.least > 0))
        return;
    lf__least_piece p = {.triangle = upper ? 1 : 2, .s = ga, .q = gb, .c = -h, .d = o->a, .e = o->b};
    p.first = fmin(o->v, fmin(next->v, last->v));
    p.last = fmax(o->v, fmax(next->v, last->v));
    p.top[0] = fmaxf(o->slope, fmaxf(next->slope, last->slope)) + bin->off;
    p.top[1] = p.top[0];
    piece_put(bin, &p);
}

/// Corners that were read last, by the last bits of ring and b: edges and triangles share them.
#define PIECE_KEPT 8

typedef struct piece_corners {
    const piece_bin *bin;
    struct {
        int64_t ring, b;
        bool has;
        piece_corner corner;
    } kept[2 * PIECE_KEPT];
} piece_corners;

/// A corner; NULL: there is none.
static const piece_corner *piece_corner_of(piece_corners *of, int64_t ring, int64_t b) {
    int n = (int)(ring & 1) * PIECE_KEPT + (int)(b & (PIECE_KEPT - 1));
    if (of->kept[n].ring != ring || of->kept[n].b != b) {
        of->kept[n].ring = ring;
        of->kept[n].b = b;
        of->kept[n].has = piece_corner_at(of->bin->chunk, ring, b, &of->kept[n].corner);
    }
    return of->kept[n].has ? &of->kept[n].corner : NULL;
}

/// Edges along a ring.
static void piece_add_ring(piece_corners *of, int64_t ring) {
    const piece_bin *bin = of->bin;
    const lf__sector *s = bin->chunk->sector;
    int64_t b = lf__floor_place(lf__bin_group_place(s, bin->first, ring)),
            last = lf__floor_place(lf__bin_group_place(s, bin->last, ring));
    for (; b <= last; b++) {
        const piece_corner *from = piece_corner_of(of, ring, b), *to = piece_corner_of(of, ring, b + 1);
        if (from && to)
            piece_put_edge(bin, from, to, bin->off);
    }
}

/// Edges between a ring and the one before it, and triangles.
static void piece_add_strip(piece_corners *of, int64_t ring) {
    const piece_bin *bin = of->bin;
    const lf__sector *s = bin->chunk->sector;
    int64_t b = lf__floor_place(lf__bin_group_place(s, bin->first, ring - 1)) - 1,
            last = lf__floor_place(lf__bin_group_place(s, bin->last, ring));
    for (; b <= last; b++) {
        const piece_corner *near[2], *far[2];
        for (int k = 0; k < 2; k++) {
            near[k] = piece_corner_of(of, ring - 1, b + k);
            far[k] = piece_corner_of(of, ring, b + k);
        }
        if (near[0] && far[0])
            piece_put_edge(bin, near[0], far[0], bin->off);
        if (!near[0] || !far[1])
            continue;
        piece_put_edge(bin, near[0], far[1], bin->off);
        if (bin->metric.most > 0 && near[1])
            piece_put_triangle(bin, (const piece_corner *[3]){near[0], near[1], far[1]}, true);
        if (bin->metric.most > 0 && far[0])
            piece_put_triangle(bin, (const piece_corner *[3]){near[0], far[0], far[1]}, false);
    }
}

/// Are there triangles?
static bool piece_bent(const lf__least_pieces *of) {
    bool bent = false;
    for (int k = 0; k < of->count; k++)
        bent |= of->of[k].triangle != 0;
    return bent;
}

/// What is left of a bin's ground once the lower bound has risen, or the bin is cut in two.
static void piece_prune(const piece_bin *bin) {
    lf__least_pieces *to = bin->to;
    int count = 0;
    for (int k = 0; k < to->count; k++)
        if (piece_reaches(bin, &to->of[k])) {
            if (count < k)
                to->of[count] = to->of[k];
            count++;
        }
    to->count = count;
    to->bent = piece_bent(to);
}

/// Upper bound of how much lower bounds sink, and slopes of ground rise, up to the last ring: on degrees, ground is
/// lowered differently for targets farther away. Ground at a distance x, lowered for a target there, rises by at most
/// x * (far - x) times the change per ring. Lower bounds hold for targets at the end of the chunk, and sink from there.
static float least_drift(const lf__chunk *chunk) {
    double far = (double)chunk->sector->last_ring - chunk->sector->oa,
           now = (double)chunk->least_ring - chunk->sector->oa;
    double rise = now < 0.5 * far ? now * (far - now) : 0.25 * far * far, sink = now * fmax(far - now, 0);
    return (float)(1.000001 * (chunk->rises * rise + chunk->sinks * sink));
}

static piece_bin piece_bin_of(lf__chunk *chunk, int m, double v0, float drift) {
    double wide = 1.0 / chunk->all_bins;
    double low0 = (double)chunk->least_low[0][m], low1 = (double)chunk->least_low[1][m],
           rise = PIECE_SPARE * (low1 - low0);
    double slack = (double)drift + 1e-6 * (fabs(low0) + fabs(low1));
    piece_bin bin = {chunk,
                     &chunk->pieces[m],
                     v0 + (m - PIECE_SPARE) * wide,
                     v0 + (m + 1 + PIECE_SPARE) * wide,
                     {low0 - rise - slack, low1 + rise - slack},
                     {0, 0},
                     0};
    const lf__lowering *lowering = &chunk->sector->lowering;
    double a = (double)chunk->least_ring - chunk->sector->oa,
           far = (double)chunk->sector->last_ring - chunk->sector->oa - a;
    double first = lf__lowering_at(lowering, a, a * bin.first) / (a * a),
           last = lf__lowering_at(lowering, a, a * bin.last) / (a * a);
    // Between two directions it is bent by at most so much.
    double more = wide * wide * chunk->sector->most_metric;
    more += chunk->sweep->uneven * chunk->sector->most_metric;
    bin.metric.least = fmin(first, last) - chunk->rises * far - more;
    bin.metric.most = fmax(first, last) + chunk->sinks * far + more;
    return bin;
}

/// Some rings of a chunk of the history, by bits.
static void piece_add_rings(piece_bin *bin, int k, unsigned rings) {
    const lf__past *past = &bin->chunk->past[k];
    piece_corners corners; // large: what is read is set
    corners.bin = bin;
    for (int n = 0; n < 2 * PIECE_KEPT; n++)
        corners.kept[n].ring = INT64_MIN;
    bin->off = past->off;
    for (int64_t ring = past->first; ring <= past->last; ring++) {
        if (!(rings >> (ring - past->first) & 1))
            continue;
        if (ring != bin->chunk->sector->first_ring)
            piece_add_strip(&corners, ring);
        piece_add_ring(&corners, ring);
    }
}

/// A bin to which more ground will be added.
static piece_bin piece_bin_start(lf__chunk *chunk, int m, double v0) {
    piece_bin bin = piece_bin_of(chunk, m, v0, least_drift(chunk));
    // What was lost may be below everything by now.
    if ((double)bin.to->lost < fmin(bin.low[0], bin.low[1]))
        bin.to->lost = -LF_INFINITY;
    piece_prune(&bin);
    return bin;
}

void lf__least_collect(lf__chunk *chunk, int m, double v0) {
    lf__least_ground *ground = &chunk->least[m];
    piece_bin bin = piece_bin_start(chunk, m, v0);
    for (int k = 0; k < LF__LEAST_CHUNKS; k++)
        if (ground->pending >> k & 1)
            piece_add_rings(&bin, ground->of[k].chunk, ground->of[k].rings);
    ground->pending = 0;
}

void lf__least_pieces_split(lf__chunk *chunk, double v0) {
    double wide = 0.5 / chunk->all_bins;
    for (int m = 2 * chunk->bins - 1; m > 0; m--) {
        const lf__least_pieces *from = &chunk->pieces[m / 2];
        memcpy(&chunk->pieces[m], from,
               offsetof(lf__least_pieces, of) + (size_t)from->count * sizeof *from->of);
    }
    for (int m = 0; m < 2 * chunk->bins; m++) {
        piece_bin bin = {.chunk = chunk,
                         .to = &chunk->pieces[m],
                         .first = v0 + (m - PIECE_SPARE) * wide,
                         .last = v0 + (m + 1 + PIECE_SPARE) * wide,
                         .low = {-LF_INFINITY, -LF_INFINITY}};
        int count = 0;
        for (int k = 0; k < bin.to->count; k++)
            if (bin.to->of[k].first <= bin.last && bin.to->of[k].last >= bin.first)
                bin.to->of[count++] = bin.to->of[k];
        bin.to->count = count;
        bin.to->bent = piece_bent(bin.to);
    }
}

/// The place within a triangle where the slope is greatest; 0: none.
static double piece_peak(const lf__least_piece *p, double v, double metric) {
    if (!(metric > 0))
        return 0;
    double x = sqrt(p->c / metric), along = x - p->d, across = x * v - p->e;
    bool in = p->triangle == 1 ? along >= 0 && along <= across && across <= 1
                               : along <= 1 && across >= 0 && across <= along;
    return in ? x : 0;
}

void lf__least_triangles_meet(const lf__least_pieces *ground, double v, double metric, double a,
                              lf__least_demand *demand) {
    for (int k = 0; k < ground->count; k++) {
        const lf__least_piece *p = &ground->of[k];
        if (!p->triangle || v < p->first || v > p->last)
            continue;
        double x = piece_peak(p, v, metric);
        if (x > 0)
            lf__least_demand_add(demand, p->s + p->q * (v - p->v) + metric * (a - 2 * x), x);
    }
}

// ---------------------------------------------------------------------------------------------------
// Chunks
// ---------------------------------------------------------------------------------------------------

/// The rings of a chunk that reach a slope in a bin, by bits, with those after them, to which edges go; and how high.
static uint16_t least_rings_of(const lf__chunk *chunk, int m, float low, float *top) {
    int block = m / chunk->sweep->block;
    unsigned rings = 0;
    *top = chunk->peak[block];
    if (!chunk->tops)
        return *top >= low ? UINT16_MAX : 0;
    if (!chunk->done[block]) // below the lower bounds of all its bins
        return 0;
    *top = -LF_INFINITY;
    for (int r = 0; r <= chunk->rings; r++) {
        float here = lf__chunk_top(chunk, r, m);
        rings |= here >= low ? 3u << r : 0;
        *top = here > *top ? here : *top;
    }
    return (uint16_t)(rings >> 1);
}

/// Keep the chunks of a bin that still matter.
static void least_ground_prune(lf__least_ground *ground, float low) {
    int count = 0;
    unsigned pending = 0;
    for (int k = 0; k < ground->count && ground->count <= LF__LEAST_CHUNKS; k++)
        if (ground->of[k].top >= low) {
            pending |= (ground->pending >> k & 1) << count;
            ground->of[count++] = ground->of[k];
        }
    ground->pending = pending;
    ground->count = ground->count > LF__LEAST_CHUNKS ? ground->count : count;
}

/// Add some rings of the last chunk to a bin. What does not fit is collected at once.
static void least_ground_put(lf__chunk *chunk, int m, uint16_t rings, float top, double v0) {
    lf__least_ground *ground = &chunk->least[m];
    int index = chunk->past_count - 1, count = ground->count;
    bool edges = lf__least_by_pieces(chunk->sweep);
    if (count < LF__LEAST_CHUNKS) {
        ground->of[count].top = top;
        ground->of[count].chunk = (uint16_t)index;
        ground->of[count].rings = rings;
        ground->pending |= (unsigned)edges << count;
        ground->count++;
        return;
    }
    ground->count = LF__LEAST_CHUNKS + 1;
    if (!edges)
        return;
    lf__least_collect(chunk, m, v0);
    piece_bin bin = piece_bin_start(chunk, m, v0);
    piece_add_rings(&bin, index, rings);
}

void lf__least_ground_add(lf__chunk *chunk, double v0) {
    int64_t last = chunk->base_ring + chunk->rings;
    bool edges = lf__least_by_pieces(chunk->sweep);
    if (chunk->past_count > LF__HISTORY)
        return; // nothing is written from here on
    lf__past *past = &chunk->past[chunk->past_count - 1];
    for (int r = chunk->first; r <= chunk->rings; r++)
        past->off = fmaxf(past->off, chunk->ring[r].off);
    chunk->least_ring = last;
    for (int k = 0; k < 2; k++)
        memcpy(chunk->least_low[k], chunk->low[k], (size_t)chunk->bins * sizeof *chunk->low[k]);
    float drift = least_drift(chunk), top;
    for (int m = 0; m < chunk->bins; m++) {
        float low = chunk->low[0][m] < chunk->low[1][m] ? chunk->low[0][m] : chunk->low[1][m];
        low -= drift + 1e-6f * fabsf(low);
        uint16_t rings = least_rings_of(chunk, m, low, &top);
        // The bounds of the first strip leave out the ring before it, within whose rounding a triangle may be
        // higher.
        if (edges && chunk->pieces[m].edge == chunk->base_ring) {
            rings |= 1;
            top = fmaxf(top, chunk->pieces[m].edge_top);
        }
        if (!rings)
            continue;
        if (edges && rings >> (chunk->rings - 1) & 1) {
            chunk->pieces[m].edge = last;
            chunk->pieces[m].edge_top = top;
        }
        least_ground_prune(&chunk->least[m], low);
        least_ground_put(chunk, m, rings, top, v0);
    }
}

void lf__least_ground_split(lf__chunk *chunk, double v0) {
    if (lf__least_by_pieces(chunk->sweep))
        lf__least_pieces_split(chunk, v0);
    for (int m = chunk->bins - 1; m >= 0; m--)
        chunk->least[2 * m] = chunk->least[2 * m + 1] = chunk->least[m];
    for (int k = 0; k < 2 * chunk->bins; k++) {
        int m = 2 * chunk->bins - 1 - k;
        float first = chunk->least_low[0][m / 2], end = chunk->least_low[1][m / 2],
              middle = 0.5f * (first + end);
        chunk->least_low[0][m] = m % 2 ? middle : first;
        chunk->least_low[1][m] = m % 2 ? end : middle;
    }
}
