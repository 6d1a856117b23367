/// Chunks are filled: posts become slopes, turned and mirrored as the sector wants them.
#include "sight/viewshed_fill.h"
#include <string.h>

/// Rounding of directions and places, as a share of the step from post to post.
#define OFF_STEP 3e-4

/// Rows of the tile around those of some bins: kernels load eight at once.
#define ROWS_BEFORE 3
#define ROWS_AFTER 12

void lf__clip(lf__posts_span *s, int64_t fixed, int factor, int64_t count) {
    int64_t low = factor > 0 ? -fixed : fixed - count + 1, high = factor > 0 ? count - 1 - fixed : fixed;
    if (factor == 0 && (fixed < 0 || fixed >= count))
        high = s->low - 1, low = s->low;
    if (factor == 0 && fixed >= 0 && fixed < count)
        return;
    s->low = low > s->low ? low : s->low;
    s->high = high < s->high ? high : s->high;
}

lf__posts_span lf__posts_of(const lf__sector *s, const lf_grid *grid, int64_t ring) {
    lf__posts_span all = {INT64_MIN / 4, INT64_MAX / 4};
    lf__clip(&all, ring * s->along.i, s->across.i, grid->columns);
    lf__clip(&all, ring * s->along.j, s->across.j, grid->rows);
    return all;
}

// ---------------------------------------------------------------------------------------------------
// Filling a chunk
// ---------------------------------------------------------------------------------------------------

/// Which posts of a ring belong to the group?
static void set_ends(const lf__course *c, int r) {
    const lf__sector *s = c->sector;
    lf__chunk *chunk = c->chunk;
    int64_t ring = chunk->base_ring + r;
    int64_t first = c->group == 0 ? s->low_b : (int64_t)floor(lf__course_place(s, c->v0, ring)) + 1;
    int64_t last =
        c->group == s->groups - 1 ? ring + s->high_less : (int64_t)floor(lf__course_place(s, c->v1, ring));
    first = first < s->low_b ? s->low_b : first;
    last = last > ring + s->high_less ? ring + s->high_less : last;
    last = last < first - 1 ? first - 1 : last;
    chunk->ring[r].first = (float)(first - 1 - chunk->base);
    chunk->ring[r].last = (float)(last - chunk->base);
}

/// By how much slopes of lowered ground between the last ring and one at a distance are above those on the rings: (x - x0) * (x1 - x) / x
/// is greatest, for x from x0 to x1, where x is the root of x0 * x1.
static double bulge_slope(const lf__sector *s, double a) {
    double step = sqrt(a) - sqrt(fmax(a - 1, 0));
    return s->bulge * (4 * step * step + 1 / a); // and along an edge of the ring itself
}

/// What rounding can do to slopes of a ring, which are of some size and change from post to post by some step.
static void set_ring(const lf__course *c, int r, double size, double step) {
    const lf__sweep *sweep = c->sweep;
    const lf__sector *s = c->sector;
    lf__chunk *chunk = c->chunk;
    lf__chunk_ring *out = &chunk->ring[r];
    double a = (double)(chunk->base_ring + r) - s->oa;
    set_ends(c, r);
    out->a = (float)a;
    if (!(a > 0))
        return;
    double target = sweep->view->def.target / a, per_bin = chunk->all_bins / a;
    double off = LF__OFF_HEIGHT * (size + fabs(target)) + OFF_STEP * step + bulge_slope(s, a) +
                 sweep->uneven * s->most_metric * a;
    // Slopes are small where the ground follows the plane; what they are the difference of is not.
    off += 0x1p-46 * (sweep->most_height / a + fabs(s->tilt[0]) + fabs(s->tilt[1]) + s->most_metric * a);
    out->per_bin = (float)per_bin;
    out->share_off = (float)fmin(3 * (double)LF__SWEEP_OFF * per_bin, 1);
    out->off = (float)off;
    // The last piece of ground ends at the target, which may be on the ground: there it has to stay below a
    // line that sags.
    double sag = s->bulge > 0 ? 4 * s->bulge / fmax(a - 1, 0) : 0;
    out->target_low = (float)fmax(target - off - sag, -(double)LF__FAR_SLOPE);
    out->target_high = (float)(target + off);
}

static float slope_of(const lf__slope_row *row, int k, double height) {
    double b = row->first + k, less = row->c[row->degree];
    for (int j = row->degree - 1; j >= 0; j--)
        less = less * b + row->c[j];
    return (float)((height - row->z) * row->per_a - less);
}

void lf__slopes_plain(const lf__slope_row *row, float *slope) {
    const char *at = row->at;
    for (int k = 0; k < row->count; k++, at += row->step) {
        double sample = lf__sample_read(row->type, at);
        slope[k] = slope_of(row, k, row->plain ? sample : sample * row->scale + row->offset);
    }
}

void lf__slope_range_plain(const float *slope, int count, float range[2]) {
    range[0] = range[1] = 0;
    for (int k = 0; k < count; k++) { // holes are no numbers, and do not count
        float size = fabsf(slope[k]), step = fabsf(slope[k + 1 < count ? k + 1 : k] - slope[k]);
        range[0] = size > range[0] ? size : range[0];
        range[1] = step > range[1] ? step : range[1];
    }
}

void lf__slope_range_voids(const float *slope, int count, float range[2]) {
    range[0] = range[1] = 0;
    for (int k = 0; k < count; k++) {
        float next = slope[k + 1 < count ? k + 1 : k];
        if (slope[k] < LF__VOID_LIMIT)
            continue;
        float size = fabsf(slope[k]), step = next < LF__VOID_LIMIT ? 0 : fabsf(next - slope[k]);
        range[0] = size > range[0] ? size : range[0];
        range[1] = step > range[1] ? step : range[1];
    }
}

/// Put voids among the slopes that were read.
static void put_voids(const lf__course *c, int count, int64_t i, int64_t j, float *slope) {
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    for (int k = 0; k < count; k++)
        if (lf__grid_hole(grid, i + k * s->across.i, j + k * s->across.j)) {
            slope[k] = LF__VOID_SLOPE;
            c->chunk->voids = true;
        }
}

/// Slopes of posts that follow each other along a ring.
static void read_slopes(const lf__course *c, const lf__slope_row *row, int64_t i, int64_t j, float *slope) {
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    if (!grid->packed) {
        c->sweep->slopes(row, slope);
        return;
    }
    for (int k = 0; k < row->count; k++)
        slope[k] = slope_of(row, k, lf__grid_height(grid, i + k * s->across.i, j + k * s->across.j));
}

/// Slopes of the posts of a ring, some rows of the tile; beyond the grid those at its border go on.
static void fill_rows(const lf__course *c, int r, int first_row, int end_row) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    int64_t ring = chunk->base_ring + r;
    float *slope = chunk->slope[r];
    lf__posts_span posts = lf__posts_of(s, grid, ring);
    double a = (double)ring - s->oa, per_a = 1 / a;
    if (!(a > 0) || posts.low > posts.high) {
        for (int row = first_row; row < end_row; row++)
            slope[row] = 0;
        return;
    }
    int64_t low = posts.low - chunk->base, high = posts.high - chunk->base;
    low = low < first_row ? first_row : low > end_row - 1 ? end_row - 1 : low;
    high = high < first_row ? first_row : high > end_row - 1 ? end_row - 1 : high;
    int64_t from = chunk->base + low < posts.low ? posts.low : chunk->base + low;
    from = from > posts.high ? posts.high : from;
    high = high - low > posts.high - from ? low + posts.high - from : high;
    int64_t i = ring * s->along.i + from * s->across.i, j = ring * s->along.j + from * s->across.j;
    int64_t offset = j * grid->row_step + i * grid->column_step;
    lf__slope_row row = {.at = grid->values ? grid->values + offset : NULL, // compressed grids have none
                         .step = s->across.i * grid->column_step + s->across.j * grid->row_step,
                         .count = (int)(high - low) + 1,
                         .type = grid->type,
                         .scale = grid->scale,
                         .offset = grid->offset,
                         .plain = grid->plain,
                         .z = c->sweep->view->z,
                         .per_a = per_a,
                         .first = (double)from - s->ob,
                         .degree = s->lowering.degree};
    memcpy(row.c, chunk->less[r], sizeof row.c);
    read_slopes(c, &row, i, j, slope + low);
    if (c->near_voids)
        put_voids(c, row.count, i, j, slope + low);
    for (int64_t k = first_row; k < low; k++)
        slope[k] = slope[low];
    for (int64_t k = high + 1; k < end_row; k++)
        slope[k] = slope[high];
}

static int row_at(const lf__chunk *chunk, int r, int m) {
    return (int)(chunk->place[m] + (float)r * chunk->v[m]);
}

/// Lowering on a ring.
static void set_less(const lf__course *c, int r) {
    const lf__sector *s = c->sector;
    double a = (double)(c->chunk->base_ring + r) - s->oa, *less = c->chunk->less[r];
    lf__lowering_ring(&s->lowering, a, less);
    less[0] += s->tilt[0];
    less[1] += s->tilt[1] / a;
}

/// The parts that are looked at, and what they say of the size of slopes and of steps.
static void fill_ring(const lf__course *c, int r, float range[2]) {
    lf__chunk *chunk = c->chunk;
    range[0] = range[1] = 0;
    for (int k = 0; k < chunk->parts; k++) {
        if (!chunk->part[k])
            continue;
        int begin = k * LF__PART_BINS;
        while (k + 1 < chunk->parts && chunk->part[k + 1])
            k++;
        int end = (k + 1) * LF__PART_BINS < chunk->bins ? (k + 1) * LF__PART_BINS : chunk->bins + 7;
        int first_row = row_at(chunk, r, begin) - ROWS_BEFORE, end_row = row_at(chunk, r, end) + ROWS_AFTER;
        first_row = first_row < 0 ? 0 : first_row;
        fill_rows(c, r, first_row, end_row);
        float found[2];
        if (c->near_voids)
            lf__slope_range_voids(chunk->slope[r] + first_row, end_row - first_row, found);
        else
            c->sweep->slope_range(chunk->slope[r] + first_row, end_row - first_row, found);
        range[0] = fmaxf(range[0], found[0]);
        range[1] = fmaxf(range[1], found[1]);
    }
}

/// States of the squares between a ring and the one before it. Only where sectors are eight: then squares are squares here too.
static void fill_states(const lf__course *c, int r, int rows) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf_grid *grid = c->sweep->view->grid;
    int64_t a = chunk->base_ring + r - 1;
    for (int row = 0; row < rows; row++) {
        int64_t b = chunk->base + row;
        int64_t i = a * s->along.i + b * s->across.i, j = a * s->along.j + b * s->across.j;
        i -= s->along.i < 0 || s->across.i < 0;
        j -= s->along.j < 0 || s->across.j < 0;
        bool outside = i < 0 || j < 0 || i > grid->columns - 2 || j > grid->rows - 2;
        int state = outside ? LF__OUTSIDE : LF__SOLID;
        if (!outside && lf__grid_gap(grid, i, j))
            state = lf__grid_parts(grid, i, j) ? LF__PART : LF__HOLE;
        chunk->state[r][row] = (uint8_t)state;
        chunk->gaps |= state != LF__SOLID;
    }
}

/// Ground that has been passed is lowered in another way for targets that are a ring farther away.
static void set_drift(const lf__course *c) {
    lf__chunk *chunk = c->chunk;
    float size = 0;
    chunk->rise = chunk->sink = 0;
    for (int r = 0; r <= chunk->rings && !chunk->drifts; r++)
        chunk->ring[r].rise = chunk->ring[r].sink = 0;
    if (!chunk->drifts)
        return;
    for (int m = 0; m < chunk->bins; m++)
        for (int k = 0; k < 2; k++) {
            float high = fabsf(chunk->high[k][m]), low = fabsf(chunk->low[k][m]);
            size =
                high > size && high < 0.5f * LF__FAR_SLOPE ? high : size; // beyond that nothing is known yet
            size = low > size && low < 0.5f * LF__FAR_SLOPE ? low : size;
        }
    for (int r = 1; r <= chunk->rings; r++) {
        double a = fmax((double)(chunk->base_ring + r) - c->sector->oa, 0), rounding = 0x1p-22 * (double)size;
        chunk->ring[r].rise = (float)(1.0001 * a * chunk->rises + rounding);
        chunk->ring[r].sink = (float)(1.0001 * a * chunk->sinks + rounding);
        chunk->rise += 1.0001f * chunk->ring[r].rise;
        chunk->sink += 1.0001f * chunk->ring[r].sink;
    }
}

static void count_voids(lf__chunk *chunk, int r, int rows) {
    int count = 0, *ends = chunk->void_rows[r];
    ends[0] = LF__TILE_ROWS + LF__TILE_PAD;
    ends[1] = -1;
    for (int row = 0; row < rows; row++) {
        chunk->void_before[r][row] = (int16_t)count;
        if (chunk->slope[r][row] < LF__VOID_LIMIT) {
            ends[0] = count == 0 ? row : ends[0];
            ends[1] = row;
            count++;
        }
    }
    for (int row = rows; row <= LF__TILE_ROWS + LF__TILE_PAD; row++)
        chunk->void_before[r][row] = (int16_t)count;
    chunk->void_count[r] = count;
}

/// Is a square beside the observer not whole? An edge of the first ring is there only if a triangle beside it is, and the samples before that ring
/// are not looked at.
static bool gap_beside_observer(const lf__sweep *sweep) {
    int64_t x = (int64_t)floor(sweep->view->eye.x), y = (int64_t)floor(sweep->view->eye.y);
    return sweep->voids &&
           lf__grid_gaps_in(sweep->view->grid, (int64_t[2]){x - 2, y - 2}, (int64_t[2]){x + 2, y + 2});
}

void lf__course_fill(const lf__course *c, int64_t ring, int rings) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    double step = 1.0 / c->chunk->all_bins;
    chunk->rings = rings;
    chunk->base_ring = ring - 1;
    chunk->base = (int64_t)floor(lf__course_place(s, c->v0, ring - 1)) - 3;
    chunk->base = c->group == 0 && chunk->base > s->low_b - 4 ? s->low_b - 4 : chunk->base;
    chunk->gaps = false;
    chunk->voids = chunk->first && gap_beside_observer(c->sweep);
    chunk->any = false;
    set_drift(c);
    for (int m = 0; m < chunk->bins + 8; m++) {
        double v = c->v0 + m * step;
        double nudge = m == 0 ? -LF__SWEEP_OFF : m >= chunk->bins ? LF__SWEEP_OFF : 0;
        chunk->v[m] = (float)v;
        chunk->place[m] = (float)(lf__course_place(s, v, ring - 1) - (double)chunk->base + nudge);
    }
    int rows = row_at(chunk, rings, chunk->bins + 7) + 4;
    float range[2], before[2] = {0, 0};
    for (int r = 0; r <= rings; r++) {
        set_less(c, r);
        fill_ring(c, r, range);
        set_ring(c, r, (double)fmaxf(range[0], before[0]), (double)fmaxf(range[1], before[1]));
        memcpy(before, range, sizeof before);
        if (r > 0)
            memset(chunk->out[r], 0, sizeof chunk->out[r]);
        if (r > 0 && c->sweep->gaps)
            fill_states(c, r, rows);
    }
    for (int r = 0; r <= rings && chunk->voids; r++)
        count_voids(chunk, r,
                    rows + 8 < LF__TILE_ROWS + LF__TILE_PAD ? rows + 8 : LF__TILE_ROWS + LF__TILE_PAD);
}
