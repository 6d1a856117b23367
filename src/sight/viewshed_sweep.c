/// A group of bins from the observer outwards, chunk by chunk.
#include "sight/viewshed_sweep.h"
#include <string.h>

/// Rings that one look at the bounds may skip.
#define SKIP_RINGS 128

/// Rounding of directions, slopes and places, as shares of the steepest step and of the greatest height.
#define OFF_STEP 3e-4
#define OFF_HEIGHT 1e-6

/// A group on its way.
typedef struct course {
    const lf__sweep *sweep;
    const lf__sector *sector;
    int group;
    double v0, v1;
    lf__chunk *chunk;
} course;

static double place_of(const lf__sector *s, double v, int64_t ring) {
    return s->ob + ((double)ring - s->oa) * v;
}

// ---------------------------------------------------------------------------------------------------
// Posts of a ring
// ---------------------------------------------------------------------------------------------------

typedef struct span {
    int64_t low, high; ///< both included; low > high: none
} span;

/// Which b have 0 <= fixed + b * factor < count?
static void clip(span *s, int64_t fixed, int factor, int64_t count) {
    int64_t low = factor > 0 ? -fixed : fixed - count + 1, high = factor > 0 ? count - 1 - fixed : fixed;
    if (factor == 0 && (fixed < 0 || fixed >= count))
        high = s->low - 1, low = s->low;
    if (factor == 0 && fixed >= 0 && fixed < count)
        return;
    s->low = low > s->low ? low : s->low;
    s->high = high < s->high ? high : s->high;
}

/// Which posts of a ring exist?
static span posts_of(const lf__sector *s, const lf_grid *grid, int64_t ring) {
    span all = {INT64_MIN / 4, INT64_MAX / 4};
    clip(&all, ring * s->along.i, s->across.i, grid->columns);
    clip(&all, ring * s->along.j, s->across.j, grid->rows);
    return all;
}

// ---------------------------------------------------------------------------------------------------
// Filling a chunk
// ---------------------------------------------------------------------------------------------------

static void set_ring(const course *c, int r) {
    const lf__sweep *sweep = c->sweep;
    const lf__sector *s = c->sector;
    lf__chunk *chunk = c->chunk;
    int64_t ring = chunk->base_ring + r;
    double a = (double)ring - s->oa;
    int64_t first = c->group == 0 ? s->low_b : (int64_t)floor(place_of(s, c->v0, ring)) + 1;
    int64_t last = c->group == s->groups - 1 ? ring + s->high_less : (int64_t)floor(place_of(s, c->v1, ring));
    first = first < s->low_b ? s->low_b : first;
    last = last > ring + s->high_less ? ring + s->high_less : last;
    last = last < first - 1 ? first - 1 : last;
    lf__chunk_ring *out = &chunk->ring[r];
    out->first = (float)(first - 1 - chunk->base);
    out->last = (float)(last - chunk->base);
    out->a = (float)a;
    if (!(a > 0))
        return;
    double off =
        (OFF_HEIGHT * sweep->most_height + OFF_STEP * sweep->steepest + sweep->post_off + sweep->bulge) / a +
        (OFF_HEIGHT + sweep->uneven) * s->most_metric * a;
    double target = sweep->view->def.target / a;
    double per_bin = chunk->all_bins / a;
    out->per_bin = (float)per_bin;
    out->share_off = (float)fmin(3 * (double)LF__SWEEP_OFF * per_bin, 1);
    out->off = (float)off;
    out->target_low = (float)(target - off);
    out->target_high = (float)(target + off);
}

/// Posts that follow each other along a ring.
typedef struct row_of_posts {
    int64_t i, j; ///< the first
    int count;
    double per_a;
} row_of_posts;

/// Their slopes, flat.
static void read_slopes(const lf__view *view, const lf__sector *s, const row_of_posts *p, float *slope) {
    const lf_grid *grid = view->grid;
    const char *at = grid->values + p->j * grid->row_step + p->i * grid->column_step;
    ptrdiff_t step = s->across.i * grid->column_step + s->across.j * grid->row_step;
    double z = view->z, per_a = p->per_a;
    if (grid->plain && grid->type == LF_SAMPLE_FLOAT) {
        for (int k = 0; k < p->count; k++, at += step)
            slope[k] = (float)(((double)*(const float *)(const void *)at - z) * per_a);
        return;
    }
    for (int k = 0; k < p->count; k++)
        slope[k] =
            (float)((lf__grid_height(grid, p->i + k * s->across.i, p->j + k * s->across.j) - z) * per_a);
}

/// Slopes of the posts of a ring; beyond the grid those at its border go on.
static void fill_ring(const course *c, int r, int rows) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    const lf__view *view = c->sweep->view;
    const lf_grid *grid = view->grid;
    int64_t ring = chunk->base_ring + r;
    float *slope = chunk->slope[r];
    span posts = posts_of(s, grid, ring);
    double a = (double)ring - s->oa, per_a = 1 / a;
    if (!(a > 0) || posts.low > posts.high) {
        for (int row = 0; row < rows; row++)
            slope[row] = 0;
        return;
    }
    int64_t low = posts.low - chunk->base, high = posts.high - chunk->base;
    low = low < 0 ? 0 : low > rows - 1 ? rows - 1 : low;
    high = high < 0 ? 0 : high > rows - 1 ? rows - 1 : high;
    double m0 = s->metric[0] * a, m1 = s->metric[1], m2 = s->metric[2] * per_a;
    int64_t from = chunk->base + low < posts.low ? posts.low : chunk->base + low;
    from = from > posts.high ? posts.high : from;
    high = high - low > posts.high - from ? low + posts.high - from : high;
    row_of_posts posts_in = {ring * s->along.i + from * s->across.i, ring * s->along.j + from * s->across.j,
                             (int)(high - low) + 1, per_a};
    read_slopes(view, s, &posts_in, slope + low);
    for (int64_t row = low; row <= high && c->sweep->lowering != 0; row++) {
        double db = (double)(from + row - low) - s->ob;
        slope[row] -= (float)(m0 + (m1 + m2 * db) * db);
    }
    for (int64_t row = 0; row < low; row++)
        slope[row] = slope[low];
    for (int64_t row = high + 1; row < rows; row++)
        slope[row] = slope[high];
}

/// States of the squares between a ring and the one before it. Only where sectors are eight: then squares are squares here too.
static void fill_states(const course *c, int r, int rows) {
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
        int state = outside ? LF__OUTSIDE : lf__grid_gap(grid, i, j) ? LF__HOLE : LF__SOLID;
        chunk->state[r][row] = (uint8_t)state;
        chunk->gaps |= state != LF__SOLID;
    }
}

/// Everything about `rings` rings from `ring` on but their bounds.
static void fill_chunk(const course *c, int64_t ring, int rings) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    double step = 1.0 / c->chunk->all_bins;
    chunk->rings = rings;
    chunk->base_ring = ring - 1;
    chunk->base = (int64_t)floor(place_of(s, c->v0, ring - 1)) - 2;
    chunk->base = c->group == 0 && chunk->base > s->low_b - 3 ? s->low_b - 3 : chunk->base;
    chunk->gaps = false;
    chunk->any = false;
    for (int m = 0; m < chunk->bins + 8; m++) {
        double v = c->v0 + m * step;
        double nudge = m == 0 ? -LF__SWEEP_OFF : m >= chunk->bins ? LF__SWEEP_OFF : 0;
        chunk->v[m] = (float)v;
        chunk->place[m] = (float)(place_of(s, v, ring - 1) - (double)chunk->base + nudge);
    }
    double far = (double)chunk->place[chunk->bins + 7] + rings * (double)chunk->v[chunk->bins + 7];
    int rows = (int)far + 4;
    for (int r = 0; r <= rings; r++) {
        set_ring(c, r);
        fill_ring(c, r, rows);
        if (r > 0)
            memset(chunk->out[r], 0, sizeof chunk->out[r]);
        if (r > 0 && c->sweep->gaps)
            fill_states(c, r, rows);
    }
}

/// Put what a chunk found where it belongs.
static void write_out(const course *c) {
    lf__chunk *chunk = c->chunk;
    const lf__sector *s = c->sector;
    lf_window w = c->sweep->view->window;
    for (int r = 1; r <= chunk->rings; r++) {
        int64_t a = chunk->base_ring + r;
        span in = {(int64_t)chunk->ring[r].first + 1 + chunk->base,
                   (int64_t)chunk->ring[r].last + chunk->base};
        clip(&in, a * s->along.i - w.column, s->across.i, w.columns);
        clip(&in, a * s->along.j - w.row, s->across.j, w.rows);
        chunk->looked += in.low <= in.high ? in.high - in.low + 1 : 0;
        for (int64_t b = in.low; b <= in.high; b++) {
            uint8_t seen = chunk->out[r][b - chunk->base];
            chunk->between += seen == LF__SEEN_ASK;
            if (seen == LF__SEEN_ASK)
                seen = (uint8_t)lf__sweep_decide(chunk, a, b, c->v0);
            int64_t i = a * s->along.i + b * s->across.i - w.column,
                    j = a * s->along.j + b * s->across.j - w.row;
            if (seen)
                c->sweep->seen.bytes[j * c->sweep->seen.row_step + i] = seen;
        }
    }
}

// ---------------------------------------------------------------------------------------------------
// Skipping
// ---------------------------------------------------------------------------------------------------

/// A rectangle of squares.
typedef struct area {
    int64_t low[2], high[2]; ///< both included
} area;

static void area_add(area *r, const lf__sector *s, int64_t a, int64_t b) {
    int64_t at[2] = {a * s->along.i + b * s->across.i, a * s->along.j + b * s->across.j};
    for (int k = 0; k < 2; k++) {
        r->low[k] = at[k] < r->low[k] ? at[k] : r->low[k];
        r->high[k] = at[k] > r->high[k] ? at[k] : r->high[k];
    }
}

/// The squares that a group may touch between two rings; false: none.
static bool area_of(const course *c, int64_t first, int64_t last, area *r) {
    const lf_grid *grid = c->sweep->view->grid;
    int64_t most[2] = {grid->columns - 2, grid->rows - 2};
    *r = (area){{INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}};
    for (int k = 0; k < 2; k++) {
        int64_t ring = k ? last : first;
        area_add(r, c->sector, ring, (int64_t)floor(place_of(c->sector, c->v0, ring)) - 1);
        area_add(r, c->sector, ring, (int64_t)floor(place_of(c->sector, c->v1, ring)) + 2);
    }
    for (int k = 0; k < 2; k++) {
        r->low[k] = r->low[k] - 1 < 0 ? 0 : r->low[k] - 1;
        r->high[k] = r->high[k] > most[k] ? most[k] : r->high[k];
    }
    return r->low[0] <= r->high[0] && r->low[1] <= r->high[1];
}

/// An upper bound of the surface.
static double top_of(const lf_grid *grid, const area *r) {
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

static bool has_gaps(const lf_grid *grid, const area *r) {
    for (int64_t j = r->low[1]; grid->gaps && j <= r->high[1]; j++)
        for (int64_t x = (r->low[0] - grid->first) >> 6; x <= (r->high[0] - grid->first) >> 6; x++)
            if (grid->gaps[(j - grid->first) * grid->hole_words + x])
                return true;
    return false;
}

/// Is everything from one ring to another below the horizon in every bin?
static bool all_hidden(const course *c, int64_t first, int64_t last, float least) {
    const lf__sector *s = c->sector;
    const lf__view *view = c->sweep->view;
    double near = (double)(first - 1) - s->oa, far = (double)last - s->oa;
    area r;
    if (!(near > 0) || !(least > -LF__FAR_SLOPE))
        return false;
    if (!area_of(c, first - 1, last, &r))
        return c->sweep->inside;
    if (has_gaps(view->grid, &r))
        return false;
    double up = top_of(view->grid, &r) - view->z + fmax(view->def.target, 0);
    double off = (OFF_HEIGHT * c->sweep->most_height + c->sweep->bulge) / near +
                 (OFF_HEIGHT + c->sweep->uneven) * s->most_metric * far;
    double lower = s->least_metric > 0 ? s->least_metric * near : s->least_metric * far;
    return (up > 0 ? up / near : up / far) - lower + off < (double)least;
}

static float least_low(const lf__chunk *chunk) {
    float least = LF_INFINITY;
    for (int m = 0; m < chunk->bins; m++) {
        float low = chunk->low[0][m] < chunk->low[1][m] ? chunk->low[0][m] : chunk->low[1][m];
        least = low < least ? low : least;
    }
    return least;
}

// ---------------------------------------------------------------------------------------------------
// The way outwards
// ---------------------------------------------------------------------------------------------------

/// A bin of which nothing is known but a slope that its ground does not exceed.
static void set_bin(lf__chunk *chunk, int m, double most) {
    bool known = most < (double)LF__FAR_SLOPE;
    chunk->high[0][m] = chunk->high[1][m] = known ? (float)fmax(most, -(double)LF__FAR_SLOPE) : 0;
    chunk->over[m] = known ? 0 : LF_INFINITY;
    chunk->low[0][m] = chunk->low[1][m] = -LF__FAR_SLOPE;
}

/// Bins as narrow as they begin: few, but no fewer than 16 of a group.
static void start_bins(course *c) {
    const lf__sector *s = c->sector;
    int least = 16 * s->groups;
    c->chunk->all_bins = s->bins;
    while (c->chunk->all_bins / 2 >= least && c->chunk->all_bins / 2 >= c->sweep->least_bins)
        c->chunk->all_bins /= 2;
    c->v0 = (double)c->group * s->group_bins / s->bins;
    c->v1 = (double)(c->group + 1) * s->group_bins / s->bins;
    c->chunk->bins = s->group_bins / (s->bins / c->chunk->all_bins);
    double before = lf__sweep_near(c->sweep, s, c->v0);
    for (int m = 0; m < c->chunk->bins; m++) {
        double next = lf__sweep_near(c->sweep, s, c->v0 + (m + 1.0) / c->chunk->all_bins);
        set_bin(c->chunk, m, fmax(before, next));
        before = next;
    }
}

static void split_line(float line[2][LF__BINS_ROOM], int m) {
    float first = line[0][m], last = line[1][m], middle = 0.5f * (first + last);
    line[0][2 * m] = first;
    line[1][2 * m] = line[0][2 * m + 1] = middle;
    line[1][2 * m + 1] = last;
}

static void split_bins(course *c) {
    lf__chunk *chunk = c->chunk;
    for (int m = chunk->bins - 1; m >= 0; m--) {
        split_line(chunk->low, m);
        split_line(chunk->high, m);
        chunk->over[2 * m] = chunk->over[2 * m + 1] = chunk->over[m];
    }
    lf__past_split(chunk);
    chunk->bins *= 2;
    chunk->all_bins *= 2;
}

/// Is the group beyond the grid from this ring on?
static bool left_grid(const course *c, int64_t ring) {
    const lf__sector *s = c->sector;
    span posts = posts_of(s, c->sweep->view->grid, ring);
    return c->sweep->inside &&
           (posts.low > posts.high || place_of(s, c->v0, ring - 1) > (double)posts.high + 1 ||
            place_of(s, c->v1, ring) < (double)posts.low);
}

/// One chunk of rings, up to and without `end`.
static void do_chunk(course *c, int64_t ring, int64_t end) {
    lf__chunk *chunk = c->chunk;
    chunk->first = ring == c->sector->first_ring;
    fill_chunk(c, ring, (int)(end - ring));
    if (chunk->first || chunk->gaps)
        lf__chunk_plain(chunk);
    else
        c->sweep->chunk(chunk);
    lf__past_add(chunk);
    if (chunk->any)
        write_out(c);
}

/// The ring from which on bins are to be narrower, or the first beyond the last.
static int64_t end_of_bins(const course *c) {
    const lf__sector *s = c->sector;
    int64_t end = s->last_ring + 1;
    if (c->chunk->all_bins == s->bins)
        return end;
    int64_t split = s->first_ring + (int64_t)(c->chunk->all_bins / c->sweep->bins_per_post);
    return split < end ? split : end;
}

static bool gives_up(const lf__chunk *chunk) {
    return chunk->watched && chunk->between > LF__GIVE_UP_POSTS &&
           chunk->between > chunk->looked / LF__GIVE_UP_SHARE;
}

bool lf__sweep_group(const lf__sweep *sweep, const lf__sector *sector, int group, lf__chunk *chunk) {
    course c = {.sweep = sweep, .sector = sector, .group = group, .chunk = chunk};
    chunk->sweep = sweep;
    chunk->sector = sector;
    chunk->past_count = 0;
    chunk->looked = chunk->between = 0;
    start_bins(&c);
    float least = -LF__FAR_SLOPE;
    int64_t ring = sector->first_ring;
    while (ring <= sector->last_ring && !left_grid(&c, ring) && !gives_up(chunk)) {
        int64_t distance = ring - sector->first_ring + 1;
        while (chunk->all_bins < sector->bins && sweep->bins_per_post * (double)distance > chunk->all_bins)
            split_bins(&c);
        int64_t end = end_of_bins(&c);
        int64_t many = ring + SKIP_RINGS < end ? ring + SKIP_RINGS : end;
        if (all_hidden(&c, ring, many - 1, least)) {
            ring = many;
            continue;
        }
        int64_t few = ring + LF__CHUNK_RINGS < end ? ring + LF__CHUNK_RINGS : end;
        few = ring == sector->first_ring ? ring + 1 : few;
        if (!all_hidden(&c, ring, few - 1, least)) {
            do_chunk(&c, ring, few);
            least = least_low(chunk);
        }
        ring = few;
    }
    return !gives_up(chunk);
}
