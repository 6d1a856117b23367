/// A group of bins from the observer outwards, chunk by chunk.
#include "sight/viewshed_least.h"
#include <string.h>

/// Results that are looked at together: most have none that is open.
#define OPEN_MANY 32

/// Rings that one test of the bounds may skip.
#define SKIP_RINGS 128

lf__sample_span lf__samples_of_ring(const lf__sector *s, const lf_grid *grid, int64_t ring) {
    lf__sample_span all = {INT64_MIN / 4, INT64_MAX / 4};
    lf__sample_span_clip(&all, ring * s->along.i, s->across.i, grid->columns);
    lf__sample_span_clip(&all, ring * s->along.j, s->across.j, grid->rows);
    return all;
}

// ---------------------------------------------------------------------------------------------------
// A chunk
// ---------------------------------------------------------------------------------------------------

/// Which of eight results are open: the highest bits of their bytes, the first of which is the lowest one.
static uint64_t open_of_eight(const uint8_t *out) {
    const bool backwards =
        __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; // the first byte in memory is the highest one
    uint64_t eight;
    memcpy(&eight, out, sizeof eight);
    return (backwards ? __builtin_bswap64(eight) : eight) & 0x8080808080808080u;
}

/// Are some of OPEN_MANY results open?
static bool any_open(const uint8_t *out) {
    uint64_t many[OPEN_MANY / 8];
    memcpy(many, out, sizeof many);
    return ((many[0] | many[1]) | (many[2] | many[3])) & 0x8080808080808080u;
}

/// Decide a sample that is between the bounds.
static void decide_sample(const lf__bin_group *c, int r, int64_t b) {
    lf__chunk *chunk = c->chunk;
    int64_t ring = chunk->base_ring + r, row = b - chunk->base;
    uint8_t *out = &chunk->out[r][row];
    if (*out == LF__SEEN_MAYBE_VOID) {
        *out = (uint8_t)lf__sweep_decide_voids(chunk, ring, b, c->v0);
    } else if (*out == LF__SEEN_OPEN) {
        bool is_void = chunk->slope[r][row] < LF__VOID_LIMIT;
        *out = is_void ? LF_VISIBILITY_HIDDEN : (uint8_t)lf__sweep_decide(chunk, ring, b, c->v0);
        chunk->between += !is_void;
    }
}

/// Decide the samples of a ring that are between the bounds. A row of results has space beyond the last one.
static void decide_ring(const lf__bin_group *c, int r, lf__sample_span in) {
    lf__chunk *chunk = c->chunk;
    int64_t count = in.high - in.low + 1;
    const uint8_t *out = &chunk->out[r][in.low - chunk->base];
    for (int64_t k = 0; k < count; k += 8) {
        if (k + OPEN_MANY <= count && !any_open(out + k)) {
            k += OPEN_MANY - 8;
            continue;
        }
        uint64_t open = open_of_eight(out + k);
        if (count - k < 8)
            open &= UINT64_MAX >> (8 * (8 - (count - k)));
        for (; open; open &= open - 1)
            decide_sample(c, r, in.low + k + __builtin_ctzll(open) / 8);
    }
}

/// Where results go: the byte of a sample is at + ring * along + row * across.
typedef struct result_place {
    uint8_t *at;
    ptrdiff_t along, across;
} result_place;

static result_place results_of(const lf__bin_group *c) {
    const lf__sector *s = c->sector;
    lf__byte_plane seen = c->sweep->seen;
    lf_window w = c->sweep->view->window;
    int64_t i = c->chunk->base_ring * s->along.i + c->chunk->base * s->across.i - w.column,
            j = c->chunk->base_ring * s->along.j + c->chunk->base * s->across.j - w.row;
    return (result_place){seen.bytes + j * seen.row_step + i, s->along.j * seen.row_step + s->along.i,
                          s->across.j * seen.row_step + s->across.i};
}

/// Copy the results of some rows of a ring.
static void copy_rows(const uint8_t *out, int64_t count, uint8_t *to, ptrdiff_t step) {
    int64_t k = 0;
    if (step == 1) {
        memcpy(to, out, (size_t)count);
        return;
    }
    for (; step == -1 && k + 8 <= count; k += 8) {
        uint64_t eight;
        memcpy(&eight, out + k, sizeof eight);
        eight = __builtin_bswap64(eight);
        memcpy(to - k - 7, &eight, sizeof eight);
    }
    for (; k < count; k++)
        to[k * step] = out[k];
}

/// Swap rows and columns of eight by eight bytes.
static void transpose_bytes(uint64_t x[8]) {
    static const uint64_t masks[3] = {0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};
    const bool backwards =
        __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; // the first byte in memory is the highest one
    for (int k = 0; backwards && k < 8; k++)
        x[k] = __builtin_bswap64(x[k]);
    for (int level = 0, step = 1; level < 3; level++, step *= 2)
        for (int pair = 0; pair < 4; pair++) {
            int k = (pair & (step - 1)) | ((pair & -step) << 1);
            uint64_t low = x[k], high = x[k + step], mask = masks[level];
            x[k] = (low & mask) | (high & mask) << (8 * step);
            x[k + step] = (low >> (8 * step) & mask) | (high & ~mask);
        }
    for (int k = 0; backwards && k < 8; k++)
        x[k] = __builtin_bswap64(x[k]);
}

/// Copy eight rings of eight rows, where rings are consecutive in the plane, upwards or downwards.
static void copy_square(const lf__chunk *chunk, int r, int64_t row, const result_place *p) {
    uint64_t x[8];
    for (int k = 0; k < 8; k++)
        memcpy(&x[k], &chunk->out[r + k][row], sizeof x[k]);
    transpose_bytes(x);
    for (int k = 0; k < 8; k++) {
        uint8_t *to = p->at + r * p->along + (row + k) * p->across;
        if (p->along < 0)
            x[k] = __builtin_bswap64(x[k]);
        if (x[k])
            memcpy(p->along < 0 ? to - 7 : to, &x[k], sizeof x[k]);
    }
}

/// Copy eight rings, rows of which are within `in`; false: rings are not consecutive in the plane.
static bool copy_eight(const lf__chunk *chunk, int r, const lf__sample_span *in, const result_place *p) {
    int64_t low = INT64_MIN, high = INT64_MAX;
    if (p->along != 1 && p->along != -1)
        return false;
    for (int k = r; k < r + 8; k++) {
        low = in[k].low > low ? in[k].low : low;
        high = in[k].high < high ? in[k].high : high;
    }
    int64_t row = low - chunk->base, end = high - chunk->base + 1;
    if (end - row < 8)
        return false;
    for (int k = r; k < r + 8; k++)
        copy_rows(&chunk->out[k][in[k].low - chunk->base], low - in[k].low,
                  p->at + k * p->along + (in[k].low - chunk->base) * p->across, p->across);
    if (chunk->sweep->turn)
        row += chunk->sweep->turn(&chunk->out[r][row], end - row, p->at + r * p->along + row * p->across,
                                  p->along, p->across);
    for (; row + 8 <= end; row += 8)
        copy_square(chunk, r, row, p);
    for (int k = r; k < r + 8; k++)
        copy_rows(&chunk->out[k][row], in[k].high - chunk->base - row + 1,
                  p->at + k * p->along + row * p->across, p->across);
    return true;
}

/// Copy the results of a chunk to the plane.
static void write_out(const lf__bin_group *c) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    lf_window w = c->sweep->view->window;
    lf__sample_span in[LF__CHUNK_RINGS + 1];
    for (int r = 1; r <= chunk->rings; r++) {
        int64_t a = chunk->base_ring + r;
        in[r] = (lf__sample_span){(int64_t)chunk->ring[r].first + 1 + chunk->base,
                                  (int64_t)chunk->ring[r].last + chunk->base};
        lf__sample_span_clip(&in[r], a * s->along.i - w.column, s->across.i, w.columns);
        lf__sample_span_clip(&in[r], a * s->along.j - w.row, s->across.j, w.rows);
        if (in[r].low > in[r].high)
            in[r].high = in[r].low - 1;
        chunk->tested += in[r].high - in[r].low + 1;
    }
    if (c->sweep->decide_chunk && chunk->tops && !chunk->gaps && !chunk->voids && !chunk->behind_void &&
        chunk->past_count <= LF__HISTORY)
        chunk->between += c->sweep->decide_chunk(chunk, in, c->v0);
    for (int r = 1; r <= chunk->rings; r++) {
        if (chunk->voids && c->sweep->finds_voids)
            lf__shadow_add(chunk, r, c->v0);
        decide_ring(c, r, in[r]);
    }
    result_place p = results_of(c);
    for (int r = 1; r <= chunk->rings; r++) {
        if (r + 7 <= chunk->rings && copy_eight(chunk, r, in, &p)) {
            r += 7;
            continue;
        }
        int64_t row = in[r].low - chunk->base;
        if (in[r].low <= in[r].high)
            copy_rows(&chunk->out[r][row], in[r].high - in[r].low + 1, p.at + r * p.along + row * p.across,
                      p.across);
    }
}

// ---------------------------------------------------------------------------------------------------
// Skipping
// ---------------------------------------------------------------------------------------------------

/// Some rings of some directions, with the strip before them.
typedef struct sweep_wedge {
    int64_t first, last;
    double v0, v1;
} sweep_wedge;

/// A rectangle of squares.
typedef struct sweep_area {
    int64_t low[2], high[2]; ///< both included
} sweep_area;

static void sweep_area_add(sweep_area *r, const lf__sector *s, int64_t a, int64_t b) {
    int64_t at[2] = {a * s->along.i + b * s->across.i, a * s->along.j + b * s->across.j};
    for (int k = 0; k < 2; k++) {
        r->low[k] = at[k] < r->low[k] ? at[k] : r->low[k];
        r->high[k] = at[k] > r->high[k] ? at[k] : r->high[k];
    }
}

/// The squares that a wedge may touch; false: none.
static bool sweep_area_of(const lf__bin_group *c, const sweep_wedge *w, sweep_area *r) {
    const lf_grid *grid = c->sweep->view->grid;
    int64_t most[2] = {grid->columns - 2, grid->rows - 2};
    *r = (sweep_area){{INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}};
    for (int k = 0; k < 2; k++) {
        int64_t ring = k ? w->last : w->first - 1;
        sweep_area_add(r, c->sector, ring, (int64_t)floor(lf__bin_group_place(c->sector, w->v0, ring)) - 1);
        sweep_area_add(r, c->sector, ring, (int64_t)floor(lf__bin_group_place(c->sector, w->v1, ring)) + 2);
    }
    for (int k = 0; k < 2; k++) {
        r->low[k] = r->low[k] - 1 < 0 ? 0 : r->low[k] - 1;
        r->high[k] = r->high[k] > most[k] ? most[k] : r->high[k];
    }
    return r->low[0] <= r->high[0] && r->low[1] <= r->high[1];
}

/// Upper bound of the surface.
static double top_of(const lf_grid *grid, const sweep_area *r) {
    int64_t size =
        r->high[0] - r->low[0] > r->high[1] - r->low[1] ? r->high[0] - r->low[0] : r->high[1] - r->low[1];
    int level = grid->first_top;
    while (level + 1 < grid->level_count && (size >> level) > 6)
        level++;
    const lf__grid_level *l = &grid->levels[level];
    uint16_t top = 0;
    for (int64_t y = (r->low[1] - grid->first) >> level; y <= (r->high[1] - grid->first) >> level; y++)
        for (int64_t x = (r->low[0] - grid->first) >> level; x <= (r->high[0] - grid->first) >> level; x++) {
            uint16_t code = l->top[y * l->stride + x];
            top = code > top ? code : top;
        }
    return lf__grid_top(grid, top);
}

/// Lower bound of the surface, at a level that has one.
static double bottom_of(const lf_grid *grid, const sweep_area *r, int level) {
    const lf__grid_level *l = &grid->levels[level];
    uint16_t bottom = UINT16_MAX;
    for (int64_t y = (r->low[1] - grid->first) >> level; y <= (r->high[1] - grid->first) >> level; y++)
        for (int64_t x = (r->low[0] - grid->first) >> level; x <= (r->high[0] - grid->first) >> level; x++) {
            uint16_t code = l->bottom[y * l->stride + x];
            bottom = code < bottom ? code : bottom;
        }
    return lf__grid_bottom(grid, bottom);
}

bool lf__sweep_level(const lf__bin_group *c, int64_t first, int64_t last, double v0, double v1) {
    const lf_grid *grid = c->sweep->view->grid;
    sweep_area r;
    if (!sweep_area_of(c, &(sweep_wedge){first, last, v0, v1}, &r) || grid->first_bottom >= grid->level_count)
        return false;
    return top_of(grid, &r) - bottom_of(grid, &r, grid->first_bottom) < 0.999;
}

/// Upper bound of the slope of a void between two distances.
static double void_slope(const lf__sweep *sweep, double near, double far) {
    return sweep->void_height / (sweep->void_height > 0 ? near : far);
}

/// The bits of a float as an integer of the same order, and back: compilers vectorise minima of integers.
static inline int32_t ordered_bits(int32_t bits) {
    return bits ^ (bits >> 31 & INT32_MAX);
}

/// The least of some bounds, or `least`, by their ordered bits.
static int32_t least_bits(const float *bounds, int count, int32_t least) {
    for (int m = 0; m < count; m++) {
        int32_t bits;
        memcpy(&bits, &bounds[m], sizeof bits);
        bits = ordered_bits(bits);
        least = bits < least ? bits : least;
    }
    return least;
}

static float from_ordered(int32_t bits) {
    float value;
    bits = ordered_bits(bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// The least lower bound of some bins.
static float least_low(const lf__chunk *chunk, int first, int end) {
    if (first >= end)
        return LF_INFINITY;
    if (chunk->sweep->least_of && end - first >= 8) {
        float one = chunk->sweep->least_of(chunk->low[0] + first, end - first),
              other = chunk->sweep->least_of(chunk->low[1] + first, end - first);
        return one < other ? one : other;
    }
    int32_t least = least_bits(chunk->low[0] + first, end - first, INT32_MAX);
    return from_ordered(least_bits(chunk->low[1] + first, end - first, least));
}

/// Lower bound of the slope of voids that are in the way of all directions of a wedge.
static double least_void(const lf__bin_group *c, const sweep_wedge *w) {
    const lf__chunk *chunk = c->chunk;
    int first = (int)fmax((w->v0 - c->v0) * chunk->all_bins - 1, 0),
        end = (int)fmin((w->v1 - c->v0) * chunk->all_bins + 2, chunk->bins);
    float least = LF_INFINITY;
    if (first < end && chunk->behind_void)
        least = from_ordered(least_bits(chunk->void_low + first, end - first, INT32_MAX));
    double drift = chunk->sinks * ((double)w->last - c->sector->oa) * (double)(w->last - c->settled);
    return chunk->behind_void ? (double)least - drift : -LF_INFINITY;
}

/// Upper bound of the slopes of ground and targets in a wedge. INFINITY: unknown. Where ground reaches `least`, voids are not looked for.
static double most_slope(const lf__bin_group *c, const sweep_wedge *w, double least) {
    const lf__sector *s = c->sector;
    const lf__viewshed *view = c->sweep->view;
    double near = (double)(w->first - 1) - s->oa, far = (double)w->last - s->oa;
    sweep_area r;
    if (!(near > 0))
        return LF_INFINITY;
    if (!sweep_area_of(c, w, &r))
        return c->sweep->inside ? -LF_INFINITY : LF_INFINITY;
    double up = top_of(view->grid, &r) - view->z + fmax(view->def.target, 0);
    double off = (LF__OFF_HEIGHT * c->sweep->most_height + s->sag + s->bulge) / near +
                 (LF__OFF_HEIGHT + c->sweep->uneven) * s->most_metric * far;
    double lower = c->least_metric * (c->least_metric > 0 ? near : far);
    double tilt = s->tilt[0] + fmin(s->tilt[1] * w->v0, s->tilt[1] * w->v1);
    off += 1e-6 * (fabs(s->tilt[0]) + fabs(s->tilt[1]));
    double most = (up > 0 ? up / near : up / far) - lower - tilt + off;
    if (!(most < least) || !lf__grid_gaps_in(view->grid, r.low, r.high))
        return most;
    // Voids that are behind other voids in all directions hide nothing more.
    if (!c->sweep->voids ||
        (c->sweep->finds_voids && !(void_slope(c->sweep, near, far) - lower - tilt + off < least_void(c, w))))
        return LF_INFINITY;
    return most;
}

/// Is everything from one ring to another below the horizon in every bin, also for targets that are farther
/// away?
static bool sweep_all_hidden(const lf__bin_group *c, int64_t first, int64_t last, float least) {
    if (!(least > -LF__FAR_SLOPE))
        return false;
    const lf__sector *s = c->sector;
    const lf__chunk *chunk = c->chunk;
    double far = (double)last - s->oa, to_end = (double)(s->last_ring - first);
    double margin = far * (chunk->sinks * (double)(last - c->settled) + chunk->rises * to_end);
    return most_slope(c, &(sweep_wedge){first, last, c->v0, c->v1}, (double)least) + margin < (double)least;
}

/// Ground that has been passed is lowered differently for targets that are farther away: widen the bounds so
/// that they hold for targets up to a ring.
static void sweep_settle(lf__bin_group *c, int64_t last) {
    lf__chunk *chunk = c->chunk;
    double rings = ((double)last - c->sector->oa) * (double)(last - c->settled);
    bool same = last == c->settled || !chunk->drifts;
    c->settled = last;
    if (same)
        return;
    float up = (float)(1.000001 * chunk->rises * rings), down = (float)(1.000001 * chunk->sinks * rings);
    for (int k = 0; k < 2; k++)
        for (int m = 0; m < chunk->bins; m++) {
            float *high = &chunk->high[k][m], *low = &chunk->low[k][m];
            *high += up + 0x1p-22f * fabsf(*high);
            *low -= down + 0x1p-22f * fabsf(*low);
        }
    for (int m = 0; m < chunk->bins && chunk->behind_void; m++) {
        chunk->void_high[m] += up + 0x1p-22f * fabsf(chunk->void_high[m]);
        chunk->void_low[m] -= down + 0x1p-22f * fabsf(chunk->void_low[m]);
    }
}

/// Did the ground of the chunk before a ring reach the least bound of some bins? Then what follows most likely does, and is not worth a
/// test.
static bool reached_before(const lf__bin_group *c, int64_t ring, int begin, int end, float least) {
    const lf__chunk *chunk = c->chunk;
    int k = chunk->past_count - 1, block = c->sweep->block;
    if (k < 0 || k >= LF__HISTORY || chunk->past[k].last != ring - 1)
        return false;
    for (int g = begin / block; g * block < end; g++)
        if (chunk->past_peak[g][k] >= least)
            return true;
    return false;
}

/// Which parts of a group must be processed? The peak of the others is known.
static void choose_parts(const lf__bin_group *c, int64_t first, int64_t last) {
    lf__chunk *chunk = c->chunk;
    double step = 1.0 / chunk->all_bins;
    bool all = c->sweep->gaps || c->near_voids || !c->sweep->in_parts || first == c->sector->first_ring;
    chunk->part_bins = c->sweep->block * ((LF__LEAST_PART + c->sweep->block - 1) / c->sweep->block);
    chunk->parts = (chunk->bins + chunk->part_bins - 1) / chunk->part_bins;
    for (int k = 0; k < chunk->parts; k++) {
        int begin = k * chunk->part_bins, end = begin + chunk->part_bins;
        end = end < chunk->bins ? end : chunk->bins;
        float least = least_low(chunk, begin, end);
        sweep_wedge w = {first, last, c->v0 + begin * step, c->v0 + end * step};
        double most = all || !(least > -LF__FAR_SLOPE) || reached_before(c, first, begin, end, least)
                          ? LF_INFINITY
                          : most_slope(c, &w, (double)least);
        double sink = chunk->sinks * ((double)last - c->sector->oa) * (double)(last - first + 1);
        chunk->part[k] = !(most + 1.001 * sink < (double)least);
        most = fmax(most, -(double)LF__FAR_SLOPE);
        for (int m = begin; m < end && !chunk->part[k]; m += c->sweep->block)
            chunk->peak[m / c->sweep->block] = (float)(most + 1e-6 * fabs(most));
    }
}

// ---------------------------------------------------------------------------------------------------
// Outwards
// ---------------------------------------------------------------------------------------------------

/// A bin of which only an upper bound of the slope is known.
static void set_bin(lf__chunk *chunk, int m, double most) {
    bool known = most < (double)LF__FAR_SLOPE;
    chunk->high[0][m] = chunk->high[1][m] = known ? (float)fmax(most, -(double)LF__FAR_SLOPE) : 0;
    chunk->over[m] = known ? 0 : LF_INFINITY;
    chunk->low[0][m] = chunk->low[1][m] = -LF__FAR_SLOPE;
    chunk->void_high[m] = chunk->void_low[m] = -LF__FAR_SLOPE;
}

static double tilt_at(const lf__sector *s, double v) {
    return s->tilt[0] + s->tilt[1] * v;
}

/// Start with few, wide bins, but at least a block per group.
static void start_bins(lf__bin_group *c) {
    const lf__sector *s = c->sector;
    int least = c->sweep->block * s->groups;
    least = least > c->sweep->least_bins ? least : c->sweep->least_bins;
    c->chunk->all_bins = s->bins;
    while (c->chunk->all_bins / 2 >= least)
        c->chunk->all_bins /= 2;
    c->v0 = (double)c->group * s->group_bins / s->bins;
    c->v1 = (double)(c->group + 1) * s->group_bins / s->bins;
    c->chunk->bins = s->group_bins / (s->bins / c->chunk->all_bins);
    double step = 1.0 / c->chunk->all_bins;
    double before = lf__sweep_near(c->sweep, s, c->v0);
    bool near_voids = c->sweep->finds_voids && lf__sweep_near_void(c->sweep, s, c->v0, c->v1);
    c->chunk->near = fmax(before, lf__sweep_near_ring(c->sweep, s, c->v0, c->v1));
    c->chunk->near_peak = c->sweep->view->least && lf__sweep_near_peak(c->sweep, s);
    double far = (double)s->last_ring - s->oa;
    c->chunk->metric = lf__lowering_limits(&s->lowering, &(lf__fan){{c->v0, c->v1}, {0, fmax(far, 0)}});
    c->least_metric = c->chunk->metric.least;
    lf__limits changes = lf__lowering_changes(&s->lowering, &(lf__fan){{c->v0, c->v1}, {0, fmax(far, 0)}});
    c->chunk->sinks = fmax(changes.most, 0);
    c->chunk->rises = fmax(-changes.least, 0);
    c->chunk->drifts = c->chunk->sinks > 0 || c->chunk->rises > 0;
    c->settled = s->first_ring - 1;
    if (c->sweep->view->least)
        lf__least_near_start(c);
    if (c->sweep->finds_voids)
        lf__shadow_start(c->chunk);
    for (int m = 0; m < c->chunk->bins; m++) {
        double v = c->v0 + m * step, next = lf__sweep_near(c->sweep, s, v + step);
        c->chunk->least[m].count = c->chunk->pieces[m].count = 0;
        c->chunk->least[m].pending = 0;
        c->chunk->pieces[m].lost = -LF_INFINITY;
        c->chunk->pieces[m].edge = INT64_MIN;
        set_bin(c->chunk, m, fmax(before - tilt_at(s, v), next - tilt_at(s, v + step)));
        if (near_voids && lf__sweep_near_void(c->sweep, s, v, v + step)) {
            lf__shadow_near(c->chunk, m * step, (m + 1) * step);
            c->chunk->void_high[m] = LF__FAR_SLOPE;
            c->chunk->behind_void = true;
        }
        c->chunk->near = fmax(c->chunk->near, next);
        before = next;
    }
}

static void split_line(float line[2][LF__BINS_SPACE], int m) {
    float first = line[0][m], last = line[1][m], middle = 0.5f * (first + last);
    line[0][2 * m] = first;
    line[1][2 * m] = line[0][2 * m + 1] = middle;
    line[1][2 * m + 1] = last;
}

static void split_bins(lf__bin_group *c) {
    lf__chunk *chunk = c->chunk;
    for (int m = chunk->bins - 1; m >= 0; m--) {
        split_line(chunk->low, m);
        split_line(chunk->high, m);
        chunk->over[2 * m] = chunk->over[2 * m + 1] = chunk->over[m];
        chunk->void_high[2 * m] = chunk->void_high[2 * m + 1] = chunk->void_high[m];
        chunk->void_low[2 * m] = chunk->void_low[2 * m + 1] = chunk->void_low[m];
    }
    lf__past_split(chunk);
    if (c->sweep->view->least)
        lf__least_ground_split(chunk, c->v0);
    chunk->bins *= 2;
    chunk->all_bins *= 2;
}

/// Is the group beyond the grid from this ring on?
static bool left_grid(const lf__bin_group *c, int64_t ring) {
    const lf__sector *s = c->sector;
    lf__sample_span samples = lf__samples_of_ring(s, c->sweep->view->grid, ring);
    return c->sweep->inside && (samples.low > samples.high ||
                                lf__bin_group_place(s, c->v0, ring - 1) > (double)samples.high + 1 ||
                                lf__bin_group_place(s, c->v1, ring) < (double)samples.low);
}

/// One chunk: rings from `ring` to end - 1.
static void do_chunk(lf__bin_group *c, int64_t ring, int64_t end) {
    lf__chunk *chunk = c->chunk;
    chunk->first = ring == c->sector->first_ring;
    sweep_settle(c, ring - 1);
    sweep_area r;
    c->near_voids = c->sweep->voids && sweep_area_of(c, &(sweep_wedge){ring, end - 1, c->v0, c->v1}, &r) &&
                    lf__grid_gaps_in(c->sweep->view->grid, r.low, r.high);
    choose_parts(c, ring, end - 1);
    lf__bin_group_fill(c, ring, (int)(end - ring));
    c->settled = end - 1;
    if (chunk->first || chunk->gaps)
        lf__chunk_scalar(chunk);
    else
        c->sweep->chunk(chunk);
    lf__past_add(chunk);
    if (c->sweep->keep_bounds)
        c->sweep->keep_bounds(chunk);
    if (chunk->any)
        write_out(c);
    for (int r = 1; r <= chunk->rings && !chunk->any && chunk->voids && c->sweep->finds_voids; r++)
        lf__shadow_add(chunk, r, c->v0);
}

/// The ring from which on bins are narrower, or the one after the last.
static int64_t end_of_bins(const lf__bin_group *c) {
    const lf__sector *s = c->sector;
    int64_t end = s->last_ring + 1;
    if (c->chunk->all_bins == s->bins)
        return end;
    int64_t split = s->first_ring + (int64_t)(c->chunk->all_bins / c->sweep->bins_per_sample);
    return split < end ? split : end;
}

static bool gives_up(const lf__chunk *chunk) {
    return chunk->give_up_share > 0 && chunk->between > LF__GIVE_UP_SAMPLES &&
           chunk->between > chunk->tested / chunk->give_up_share;
}

bool lf__sweep_group(const lf__sweep *sweep, const lf__sector *sector, int group, lf__chunk *chunk) {
    lf__bin_group c = {.sweep = sweep, .sector = sector, .group = group, .chunk = chunk};
    chunk->sweep = sweep;
    chunk->sector = sector;
    chunk->past_count = 0;
    chunk->tested = chunk->between = 0;
    chunk->behind_void = false;
    chunk->void_byte =
        sweep->view->def.rules.voids == LF_VOIDS_STOP ? LF_VISIBILITY_HIDDEN : LF_VISIBILITY_UNKNOWN;
    start_bins(&c);
    float least = -LF__FAR_SLOPE;
    int64_t ring = sector->first_ring;
    while (ring <= sector->last_ring && !left_grid(&c, ring) && !gives_up(chunk)) {
        int64_t distance = ring - sector->first_ring + 1;
        while (chunk->all_bins < sector->bins && sweep->bins_per_sample * (double)distance > chunk->all_bins)
            split_bins(&c);
        int64_t end = end_of_bins(&c);
        int64_t many = ring + SKIP_RINGS < end ? ring + SKIP_RINGS : end;
        bool reached = reached_before(&c, ring, 0, chunk->bins, least);
        if (!reached && sweep_all_hidden(&c, ring, many - 1, least)) {
            lf__sweep_least(&c, ring, many - 1);
            ring = many;
            continue;
        }
        int64_t few = ring + LF__CHUNK_RINGS < end ? ring + LF__CHUNK_RINGS : end;
        few = ring == sector->first_ring ? ring + 1 : few;
        bool done = reached || !sweep_all_hidden(&c, ring, few - 1, least);
        if (done) {
            do_chunk(&c, ring, few);
            least = least_low(chunk, 0, chunk->bins);
        }
        lf__sweep_least(&c, ring, few - 1);
        if (done && sweep->view->least)
            lf__least_ground_add(chunk, c.v0);
        ring = few;
    }
    return !gives_up(chunk);
}
