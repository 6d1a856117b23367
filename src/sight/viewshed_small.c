/// Viewsheds of small rasters: tiles of sectors, and targets that floats leave open.
#include "sight/viewshed_small.h"
#include "base/base.h"
#include "grid/grid_query.h"
#include <math.h>
#include <string.h>

/// Samples of which heights are stored, at most; and where the sweep is slower, whatever the observer, or where there are voids.
#define SMALL_SAMPLES 30000
#define SMALL_ALWAYS 15000
#define SMALL_WITH_VOIDS 16000

/// The first ring may not be closer to the observer: slopes would be too great for floats.
#define SMALL_NEAREST 1e-6

/// From so high above the ground, relative to its relief, most of it is visible, and the sweep skips little.
#define SMALL_CLEARANCE 0.15

/// Rounding error of directions and places, relative to the step between samples.
#define SMALL_STEP_OFF 3e-4

/// Terms of the lowering that are left out, relative to the greatest step between samples.
#define SMALL_REST 1e-3

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// The samples that lines to the window cross.
static lf_window small_area(const lf__viewshed *view) {
    lf_window w = view->window;
    int64_t low[2] = {(int64_t)floor(view->eye.x) - 1, (int64_t)floor(view->eye.y) - 1},
            high[2] = {low[0] + 3, low[1] + 3}, most[2] = {view->grid->columns - 1, view->grid->rows - 1};
    int64_t first[2] = {w.column - 1, w.row - 1}, last[2] = {w.column + w.columns, w.row + w.rows};
    for (int k = 0; k < 2; k++) {
        low[k] = first[k] < low[k] ? first[k] : low[k];
        high[k] = last[k] > high[k] ? last[k] : high[k];
        low[k] = low[k] < 0 ? 0 : low[k];
        high[k] = high[k] > most[k] ? most[k] : high[k];
    }
    return (lf_window){low[0], low[1], high[0] - low[0] + 1, high[1] - low[1] + 1};
}

/// Heights of a row above the observer.
static void small_read_row(const lf__viewshed *view, const lf_window *area, int64_t row, float *to) {
    const lf_grid *grid = view->grid;
    const char *at = grid->values + (area->row + row) * grid->row_step + area->column * grid->column_step;
    double z = view->z;
    if (grid->plain && grid->type == LF_SAMPLE_FLOAT && grid->column_step == (ptrdiff_t)sizeof(float)) {
        const float *from = (const void *)at;
        for (int64_t k = 0; k < area->columns; k++)
            to[k] = (float)((double)from[k] - z);
    } else if (grid->plain && grid->type == LF_SAMPLE_INT16 &&
               grid->column_step == (ptrdiff_t)sizeof(int16_t)) {
        const int16_t *from = (const void *)at;
        for (int64_t k = 0; k < area->columns; k++)
            to[k] = (float)((double)from[k] - z);
    } else if (grid->plain && grid->type == LF_SAMPLE_DOUBLE &&
               grid->column_step == (ptrdiff_t)sizeof(double)) {
        const double *from = (const void *)at;
        for (int64_t k = 0; k < area->columns; k++)
            to[k] = (float)(from[k] - z);
    } else {
        for (int64_t k = 0; k < area->columns; k++)
            to[k] = (float)(lf__grid_height(grid, area->column + k, area->row + row) - z);
    }
    for (int64_t k = 0, many; k < area->columns && grid->voids; k += many) {
        many = area->columns - k < 56 ? area->columns - k : 56;
        uint64_t bits = lf__grid_bits(grid, grid->voids, area->column + k, area->row + row, (int)many);
        for (int64_t m = 0; bits && m < many; m++) // without a branch: voids are often beside each other
            to[k + m] = bits >> m & 1 ? LF__SMALL_VOID : to[k + m];
    }
}

/// Rows beyond the border of the area, on either side, that are set at least.
#define SMALL_BEYOND 3

/// Copy the heights of a ring, from the row before the first direction to two after the last; beyond the area those at
/// its border are repeated, or voids. False: there are none.
static bool read_small_ring(lf__small *s, int r) {
    const lf__sector *sector = s->sector;
    const lf_window *area = &s->area;
    int64_t ring = sector->first_ring + r;
    int rows = (int)(s->ob + (double)s->ring[r].x + 1e-3) + 3;
    lf__sample_span in = {s->base, s->base + rows - 1};
    lf__sample_span_clip(&in, ring * sector->along.i - area->column, sector->across.i, area->columns);
    lf__sample_span_clip(&in, ring * sector->along.j - area->row, sector->across.j, area->rows);
    if (in.low > in.high)
        return false;
    int64_t i = ring * sector->along.i + in.low * sector->across.i - area->column,
            j = ring * sector->along.j + in.low * sector->across.j - area->row;
    const float *from = s->heights + j * area->columns + i;
    ptrdiff_t step = sector->across.j * area->columns + sector->across.i;
    int first = (int)(in.low - s->base), last = (int)(in.high - s->base),
        window = lf__small_window(s->ring[r].x), beyond = window > SMALL_BEYOND ? window : SMALL_BEYOND;
    float *to = s->raw;
    if (step == 1)
        memcpy(&to[first], from, (size_t)(last - first + 1) * sizeof *to);
    else
        for (int k = first; k <= last; k++, from += step)
            to[k] = *from;
    s->ring[r].first = first > SMALL_BEYOND ? first - SMALL_BEYOND : 0;
    s->ring[r].last = last + beyond;
    // Beyond the border there are no triangles.
    bool voids = s->sweep->voids;
    float before = voids ? LF__SMALL_VOID : to[first], behind = voids ? LF__SMALL_VOID : to[last];
    for (int k = s->ring[r].first; k < first; k++)
        to[k] = before;
    for (int k = last + 1; k <= s->ring[r].last; k++)
        to[k] = behind;
    return true;
}

// ---------------------------------------------------------------------------------------------------
// The tile
// ---------------------------------------------------------------------------------------------------

/// Lowering on a ring; returns the size of its terms.
static double set_small_less(lf__small *s, lf__small_ring *ring, double x) {
    double less[LF__SERIES_USED + 1], size = 0;
    if (s->degree == 2)
        lf__lowering_ring_of(&s->sector->lowering, x, less, 2);
    else
        lf__lowering_ring_of(&s->sector->lowering, x, less, LF__SERIES_USED);
    for (int j = s->degree; j >= 0; j--) {
        ring->less[j] = (float)less[j];
        size = size * (x + 3) + fabs(less[j]);
    }
    return size;
}

/// How far lowered ground of a ring and the strip behind it may be above its lowered samples.
static double small_bulge(const lf__sector *s, double x, double per_x) {
    double both = s->sag + s->bulge;
    return x > 0.25 ? both * per_x : 4 * both + s->bulge * per_x;
}

static float most_of(float a, float b) {
    return a > b ? a : b;
}

/// Margins of a ring and the strip behind it, from the sizes of this ring and the next.
static void finish_small_ring(lf__small *s, int r, const lf__small_sizes sizes[2]) {
    const lf__sweep *sweep = s->sweep;
    const lf__sector *sector = s->sector;
    lf__small_ring *ring = &s->ring[r];
    double x = (double)ring->x, per_x = 1.000001 * (double)ring->per_x,
           tilt = fabs(sector->tilt[0]) + fabs(sector->tilt[1]);
    double size = (double)most_of(sizes[0].slope, sizes[1].slope),
           step = (double)most_of(sizes[0].step, sizes[1].step) + (double)sizes[1].across;
    double off = (s->off + s->rest + 0x1p-21 * (sweep->most_height + 1)) * per_x + 0x1p-20 * (size + tilt) +
                 SMALL_STEP_OFF * step;
    ring->hides = (float)off;
    ring->clears = (float)(1.0001 * (off + (r > 0 ? 2 : 4) * sector->sag * per_x));
    ring->stays = r > 0 ? most_of(ring[-1].clears, ring->clears) : ring->clears;
    double bulge = small_bulge(sector, x, per_x);
    ring->above = (float)(1.0001 * ((double)ring->clears + bulge));
    ring->below = (float)(1.0001 * ((double)ring->hides + bulge));
    ring->voids |= ring[1].voids;
    ring->all_voids = ring->voids | (r > 0 ? ring[-1].all_voids : 0);
}

/// Read a ring; false: no target is on it or behind it.
static bool start_small_ring(lf__small *s, int r) {
    const lf__sector *sector = s->sector;
    double tilt = fabs(sector->tilt[0]) + fabs(sector->tilt[1]),
           x = (double)(sector->first_ring + r) - sector->oa;
    lf__small_ring *ring = &s->ring[r];
    ring->x = (float)x;
    double per_x = 1 / x;
    ring->per_x = (float)per_x;
    ring->ratio = (float)(1 - per_x);
    double less = set_small_less(s, ring, x);
    ring->target_off =
        (float)(0x1p-20 * ((s->sweep->most_height + 1) * per_x + 4 * less + 2 * tilt) + s->rest * per_x);
    ring->voids = 0;
    return read_small_ring(s, r);
}

static void fill_small(lf__small *s, const lf__small_kernel *kernel) {
    lf__small_sizes sizes[2] = {{0, 0, 0}, {0, 0, 0}};
    int filled = 0;
    for (; filled < s->rings && start_small_ring(s, filled); filled++) {
        sizes[0] = sizes[1];
        sizes[1] = kernel->fill(s, filled);
        if (filled > 0)
            finish_small_ring(s, filled - 1, sizes);
    }
    s->rings = filled;
    s->voids = s->near_voids || (filled > 1 && s->ring[filled - 2].all_voids);
}

// ---------------------------------------------------------------------------------------------------
// Beside the observer
// ---------------------------------------------------------------------------------------------------

static int small_bin(float v) {
    int bin = (int)(v * LF__SMALL_NEAR);
    return bin < 0 ? 0 : bin < LF__SMALL_NEAR ? bin : LF__SMALL_NEAR - 1;
}

/// Upper bound of slopes before the first ring in some directions, above the plane. An edge there is no higher than where it
/// leaves these directions, or than its end at a sample of the first ring.
static float small_near(lf__small *s, int bin) {
    const lf__sector *sector = s->sector;
    if (!isnan(s->near[bin]))
        return s->near[bin];
    double most = -(double)LF__FAR_SLOPE;
    for (int k = 0; k < 2; k++) {
        double v = (double)(bin + k) / LF__SMALL_NEAR, *border = &s->near_border[bin + k];
        if (isnan(*border))
            *border = lf__sweep_near(s->sweep, sector, v) - (sector->tilt[0] + sector->tilt[1] * v);
        most = fmax(most, *border);
    }
    double x = (double)s->ring[0].x, first = s->ob + x * bin / LF__SMALL_NEAR,
           last = first + x / LF__SMALL_NEAR;
    for (int row = (int)ceil(first - 1e-3); row <= (int)(last + 1e-3); row++)
        most = fmax(most, (double)(s->slope[0][row] + s->ring[0].clears));
    most += 1e-6 * fabs(most);
    return s->near[bin] = most < (double)LF__FAR_SLOPE ? (float)most : LF__FAR_SLOPE;
}

/// May there be voids between the observer and the first ring? From a sample there is one triangle up to it.
static bool small_has_near_voids(const lf__sweep *sweep, const lf__sector *sector) {
    const lf_grid *grid = sweep->view->grid;
    int64_t row = (int64_t)floor(sector->ob);
    for (int k = 0; k < 6 && sweep->finds_voids; k++) {
        int64_t a = sector->first_ring - 1 + k % 2, b = row + k / 2;
        int64_t i = a * sector->along.i + b * sector->across.i,
                j = a * sector->along.j + b * sector->across.j;
        bool needed = !sector->on_sample || k < 2 || k == 3;
        bool outside = i < 0 || j < 0 || i >= grid->columns || j >= grid->rows;
        if (needed && (outside || lf__grid_is_void(grid, i, j)))
            return true;
    }
    return false;
}

static bool small_near_void(lf__small *s, int bin) {
    if (s->near_void[bin] < 0)
        s->near_void[bin] = lf__sweep_near_void(s->sweep, s->sector, (double)bin / LF__SMALL_NEAR,
                                                (double)(bin + 1) / LF__SMALL_NEAR);
    return s->near_void[bin];
}

/// Is the line to a target above all voids up to the first ring, at which it is not below its lowered slope?
static bool small_above_voids(const lf__small *s, int lane) {
    const double *tilt = s->sector->tilt;
    double high = (double)s->void_height + (double)s->void_off, v = (double)s->found.v[lane];
    return high < 0 && (double)s->ring[0].x * ((double)s->found.least[lane] + tilt[0] + tilt[1] * v) > high;
}

/// Targets that the kernel found visible, though ground or voids before the first ring may be in the way.
static uint32_t small_behind_near(lf__small *s) {
    const lf__small_found *f = &s->found;
    uint32_t open = 0;
    uint32_t voids = s->near_voids ? ~f->behind_void : 0;
    for (uint32_t bits = f->visible & (f->near | voids); bits; bits &= bits - 1) {
        int lane = __builtin_ctz(bits), bin = small_bin(f->v[lane]);
        bool is = (f->near >> lane & 1 && !(small_near(s, bin) < f->least[lane])) ||
                  (voids >> lane & 1 && !small_above_voids(s, lane) && small_near_void(s, bin));
        open |= (uint32_t)is << lane;
    }
    return open;
}

// ---------------------------------------------------------------------------------------------------
// Targets that are open
// ---------------------------------------------------------------------------------------------------

/// As start_target of viewshed_decide.c.
static lf__target small_target(const lf__small *s, int64_t ring, int64_t b) {
    const lf__sweep *sweep = s->sweep;
    const lf__sector *sector = s->sector;
    const lf__viewshed *view = sweep->view;
    double a = (double)ring - sector->oa, db = (double)b - sector->ob;
    lf__target t = {.sweep = sweep, .sector = sector, .ring = ring, .b = b, .a = a, .v = db / a};
    t.on_sample = sector->on_sample;
    double lower = lf__lowering_at(&sector->lowering, a, db);
    lf__target_sample at = lf__target_sample_at(&t, ring, b);
    t.slope = (lf__grid_height(view->grid, at.i, at.j) - view->z + view->def.target) / a;
    t.metric = lower / (a * a);
    t.bulge = t.metric > 0 ? 0.25 * t.metric : 0;
    t.off = s->off;
    return t;
}

/// A ring that is close to the line, and the strips beside it, of which those from `done` on have been examined.
static void meet_small_ring(const lf__small *s, lf__target *t, int64_t ring, int64_t done) {
    int64_t last = ring + 1 < done ? ring + 1 : ring, first = s->sector->first_ring;
    if (!s->voids) {
        s->sweep->meet(t, ring, last);
        return;
    }
    for (; ring <= last && !t->blocked; ring++) {
        if (!lf__sweep_voids_beside(t, ring, ring))
            s->sweep->meet(t, ring, ring);
        else if (ring == first && !t->on_sample)
            lf__meet_first_of_voids(t);
        else
            lf__meet_strip_of_voids(t, ring, false);
    }
}

/// The result of a target behind a void.
static uint8_t small_behind(const lf__small *s) {
    return s->sweep->view->def.rules.voids == LF_VOIDS_STOP ? LF_VISIBILITY_HIDDEN : LF_VISIBILITY_UNKNOWN;
}

static uint8_t small_verdict(const lf__small *s, const lf__target *t) {
    uint8_t behind = small_behind(s);
    if (t->blocked)
        return LF_VISIBILITY_HIDDEN;
    if (t->behind_void && (behind == LF_VISIBILITY_HIDDEN || !t->open))
        return behind;
    return t->open || t->void_open ? LF__SEEN_OPEN : LF_VISIBILITY_VISIBLE;
}

/// Voids before the first ring, and on it.
static void pass_small_near(lf__small *s, lf__target *t) {
    int64_t first = s->sector->first_ring;
    if (!s->near_voids || t->behind_void || !small_near_void(s, small_bin((float)t->v)))
        return;
    if (t->on_sample)
        lf__pass_voids(t, first, t->ring == first);
    else
        lf__pass_near_voids(t);
    t->void_open |= !t->on_sample && t->ring == first;
}

/// A target of the first ring: up to it there is one triangle.
static uint8_t decide_small_first(lf__small *s, int64_t b) {
    lf__target t = small_target(s, s->sector->first_ring, b);
    if (!(s->sweep->clearance > fmax(t.metric, 0) * t.a * t.a + t.off))
        return LF__SEEN_OPEN;
    pass_small_near(s, &t);
    return small_verdict(s, &t);
}

static uint8_t decide_small(lf__small *s, int64_t ring, int64_t b, int lane) {
    const lf__small_found *f = &s->found;
    const lf__sector *sector = s->sector;
    lf__target t = small_target(s, ring, b);
    double slope = t.slope - t.metric * t.a - t.off / t.a - s->rises * t.a;
    t.behind_void = f->behind_void >> lane & 1;
    if (f->near >> lane & 1)
        t.open = lf__sweep_near(s->sweep, sector, t.v) >= slope;
    if (t.open && lf__sweep_near_hides(&t))
        return LF_VISIBILITY_HIDDEN;
    int64_t done = ring;
    for (int k = 0; k < f->near_count && !t.blocked; k++) {
        // Behind a void, only ground can change the answer.
        if (!((t.behind_void ? f->near_ground[k] : f->near_bits[k]) >> lane & 1))
            continue;
        int64_t near = sector->first_ring + f->near_ring[k];
        if (near == ring - 1 && s->voids)
            lf__meet_strip_of_voids(&t, ring, true);
        else if (near == ring - 1)
            lf__meet_own(&t);
        meet_small_ring(s, &t, near, done);
        done = near;
    }
    if (!t.blocked && !t.open)
        pass_small_near(s, &t);
    return small_verdict(s, &t);
}

// ---------------------------------------------------------------------------------------------------
// Sectors
// ---------------------------------------------------------------------------------------------------

/// Terms of the lowering beyond the second degree, if they are less than a small part of what a line is off from sample to sample, are a
/// margin.
static void set_small_degree(lf__small *s, double far) {
    const lf__lowering *l = &s->sector->lowering;
    double rest = 0, power = (far + 3) * (far + 3);
    for (int n = 3; n <= l->degree; n++) {
        power *= far + 3;
        for (int i = 0; i <= n; i++)
            rest += fabs(l->at[i][n - i]) * power;
    }
    s->degree = rest <= SMALL_REST * s->sweep->steepest ? 2 : l->degree;
    s->rest = s->degree == 2 ? rest : 0;
}

static void start_small(lf__small *s, const lf__sweep *sweep, const lf__sector *sector) {
    const lf__viewshed *view = sweep->view;
    double far = (double)sector->last_ring - sector->oa, tilt = fabs(sector->tilt[0]) + fabs(sector->tilt[1]);
    s->sweep = sweep;
    s->sector = sector;
    s->rings = (int)(sector->last_ring - sector->first_ring + 1);
    s->base = (int64_t)floor(sector->ob) - 2;
    s->ob = sector->ob - (double)s->base;
    double size = (double)(view->grid->columns + view->grid->rows) + fabs(sector->oa) + fabs(sector->ob),
           lower = sector->most_metric * far * far;
    set_small_degree(s, far);
    s->off = 0x1p-46 * size * sweep->steepest + 0x1p-44 * sweep->most_height + sweep->line_off +
             (1e-13 + sweep->uneven) * lower + 1e-14 * tilt * far;
    lf__limits changes = lf__lowering_changes(&sector->lowering, &(lf__fan){{0, 1}, {0, far}});
    s->rises = 1.0001 * fmax(-changes.least, 0);
    s->sinks = 1.0001 * fmax(changes.most, 0);
    s->target = (float)view->def.target;
    s->raised = view->def.target > 1.0001 * sector->most_metric + 2 * (s->off + s->rest);
    s->void_height = (float)sweep->void_height;
    s->void_off = (float)(s->off + s->rest + sector->sag + 1e-5 * (sweep->most_height + tilt * far + lower));
    double most = lf__sweep_near_most(sweep, sector);
    s->near_most = most < 0 ? (float)(most + 1e-6 * fabs(most)) : LF__FAR_SLOPE;
    s->near_voids = small_has_near_voids(sweep, sector);
    for (int k = 0; k < LF__SMALL_FANS; k++)
        s->low[k] = -LF__FAR_SLOPE;
    for (int k = 0; k < LF__SMALL_NEAR; k++)
        s->near[k] = LF_NAN;
    for (int k = 0; k <= LF__SMALL_NEAR; k++)
        s->near_border[k] = LF_NAN;
    memset(s->near_void, -1, sizeof s->near_void);
}

/// Write eight results that are beside each other, the first bits first.
static void put_small_row(uint32_t visible, uint8_t *at, ptrdiff_t step) {
    const uint64_t each = 0x0101010101010101u;
    uint64_t bits = (visible & 0xff) * each & 0x8040201008040201u;
    bits = ((bits + 0x7f * each) >> 7 & each) * LF_VISIBILITY_VISIBLE;
    const bool backwards = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    if ((step < 0) != backwards)
        bits = __builtin_bswap64(bits);
    memcpy(step < 0 ? at - 7 : at, &bits, sizeof bits);
}

/// Write what is visible; all bytes are LF_VISIBILITY_HIDDEN so far.
static void put_small(uint32_t visible, uint8_t *at, ptrdiff_t step, int count) {
    for (; count >= 8 && visible; count -= 8, visible >>= 8, at += 8 * step) {
        if (step == 1 || step == -1)
            put_small_row(visible, at, step);
        else
            for (int k = 0; k < 8; k++)
                at[k * step] = visible >> k & 1 ? LF_VISIBILITY_VISIBLE : LF_VISIBILITY_HIDDEN;
    }
    for (; visible; visible &= visible - 1)
        at[__builtin_ctz(visible) * step] = LF_VISIBILITY_VISIBLE;
}

/// Write what is behind a void.
static void put_small_behind(uint32_t bits, uint8_t *at, ptrdiff_t step, uint8_t behind) {
    for (; bits; bits &= bits - 1)
        at[__builtin_ctz(bits) * step] = behind;
}

/// Targets of a ring.
static void test_small_ring(lf__small *s, int r, const lf__small_kernel *kernel) {
    const lf__sector *sector = s->sector;
    lf__byte_plane seen = s->sweep->seen;
    lf_window w = s->sweep->view->window;
    int64_t ring = sector->first_ring + r;
    lf__sample_span in = {sector->low_b, ring + sector->high_less};
    lf__sample_span_clip(&in, ring * sector->along.i - w.column, sector->across.i, w.columns);
    lf__sample_span_clip(&in, ring * sector->along.j - w.row, sector->across.j, w.rows);
    ptrdiff_t step = sector->across.j * seen.row_step + sector->across.i;
    uint8_t *at = seen.bytes + (ring * sector->along.j + in.low * sector->across.j - w.row) * seen.row_step +
                  (ring * sector->along.i + in.low * sector->across.i - w.column);
    if (in.low > in.high)
        return;
    for (int64_t b = in.low; r == 0 && b <= in.high; b++, at += step)
        if (s->slope[0][b - s->base] > LF__VOID_LIMIT)
            *at = decide_small_first(s, b);
    for (int64_t b = in.low; r > 0 && b <= in.high; b += kernel->lanes, at += kernel->lanes * step) {
        lf__small_found *f = &s->found;
        int count = (int)(in.high - b + 1 < kernel->lanes ? in.high - b + 1 : kernel->lanes),
            row = (int)(b - s->base);
        if (s->ring[r].voids && lf__small_void_rows(s, r, row, row + count - 1) == ((uint64_t)1 << count) - 1)
            continue;
        kernel->test(s, r, row, count);
        if (f->near | (s->near_voids ? f->visible : 0)) {
            uint32_t open = small_behind_near(s);
            f->open |= open;
            f->visible &= ~open;
        }
        put_small(f->visible & ~f->behind_void, at, step, count);
        put_small_behind(f->visible & f->behind_void, at, step, small_behind(s));
        for (uint32_t bits = f->open; bits; bits &= bits - 1) {
            int lane = __builtin_ctz(bits);
            at[lane * step] = decide_small(s, ring, b + lane, lane);
        }
    }
}

/// The memory of a worker. All of it is one block, because hosts may not have more (viewshed_many.c).
typedef struct small_worker {
    lf__small sector;
    float heights[SMALL_SAMPLES]; ///< of the first one: of all
} small_worker;

_Static_assert(sizeof(small_worker) <= sizeof(lf__chunk), "lf__viewshed_scratch has space for chunks");

/// What the sectors share.
typedef struct small_job {
    const lf__sweep *sweep;
    const lf__small_kernel *kernel;
    lf_window area;
    small_worker *workers;
} small_job;

static void run_small_sectors(void *job, int64_t first, int64_t last, int worker) {
    small_job *j = job;
    lf__small *s = &j->workers[worker].sector;
    s->area = j->area;
    s->heights = j->workers[0].heights;
    for (int64_t k = first; k < last; k++) {
        const lf__sector *sector = &j->sweep->sectors[k];
        if (sector->last_ring < sector->first_ring)
            continue;
        start_small(s, j->sweep, sector);
        fill_small(s, j->kernel);
        for (int r = 0; r < s->rings; r++) {
            if (r > 0)
                j->kernel->raise(s, r - 1);
            test_small_ring(s, r, j->kernel);
        }
    }
}

bool lf__small_possible(const lf__sweep *sweep) {
    const lf__viewshed *view = sweep->view;
    lf_window area = small_area(view);
    if (view->least || sweep->sectors[0].both || view->grid->packed || sweep->lowering < 0 ||
        !lf__small_kernel_best() || area.columns * area.rows > SMALL_SAMPLES)
        return false;
    for (int k = 0; k < sweep->sector_count; k++) {
        const lf__sector *s = &sweep->sectors[k];
        if (s->last_ring - s->first_ring >= LF__SMALL_RINGS || (double)s->first_ring - s->oa < SMALL_NEAREST)
            return false;
    }
    return true;
}

bool lf__small_fits(const lf__sweep *sweep) {
    const lf_grid *grid = sweep->view->grid;
    lf_window area = small_area(sweep->view);
    int64_t samples = area.columns * area.rows;
    bool high = sweep->clearance >= SMALL_CLEARANCE * (grid->highest - grid->lowest);
    return (samples <= SMALL_ALWAYS || (sweep->voids ? samples <= SMALL_WITH_VOIDS : high)) &&
           lf__small_possible(sweep);
}

lf_status lf__small_run(const lf__sweep *sweep) {
    const lf__viewshed *view = sweep->view;
    lf_allocator allocator = lf__allocator_of(&view->def.host);
    int64_t workers = lf__host_workers(&view->def.host);
    small_job job = {.sweep = sweep, .kernel = lf__small_kernel_best(), .area = small_area(view)};
    void *memory;
    lf_status status = lf__allocate_array(&allocator, workers, sizeof *job.workers, &memory);
    if (status != LF_OK)
        return status;
    job.workers = memory;
    for (int64_t row = 0; row < job.area.rows; row++)
        small_read_row(view, &job.area, row, job.workers[0].heights + row * job.area.columns);
    status = lf__viewshed_rows(view, "sweep", sweep->sector_count, run_small_sectors, &job);
    lf__free_array(&allocator, memory, workers, sizeof *job.workers);
    return status;
}
