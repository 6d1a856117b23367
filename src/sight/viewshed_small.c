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

/// Terms of the lowering that are left out, relative to the greatest step between samples.
#define SMALL_REST 1e-3

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
        if (!(f->near_ground[k] >> lane & 1)) { // only voids behind that ring are in doubt
            lf__pass_voids(&t, near + 1, near + 1 == ring);
            continue;
        }
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
    s->degree = rest <= SMALL_REST * s->sweep->steepest ? 2 : LF__SERIES_USED;
    s->rest = s->degree == 2 ? rest : 0;
    double size = 0;
    memset(s->terms, 0, sizeof s->terms);
    power = 1;
    for (int n = 2; n <= s->degree; n++, power *= far + 3)
        for (int i = 0; i <= n; i++) {
            s->terms[i][n - i] = (float)l->at[i][n - i];
            size += fabs(l->at[i][n - i]) * power;
        }
    s->terms_size = size;
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
        s->none[k] = -LF__FAR_SLOPE;
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
    int first = s->ring[r].target_first, last = s->ring[r].target_last;
    int64_t b = s->base + first;
    ptrdiff_t step = sector->across.j * seen.row_step + sector->across.i;
    uint8_t *at = seen.bytes + (ring * sector->along.j + b * sector->across.j - w.row) * seen.row_step +
                  (ring * sector->along.i + b * sector->across.i - w.column);
    for (int row = first; r == 0 && row <= last; row++, at += step)
        if (s->slope[0][row] > LF__VOID_LIMIT)
            *at = decide_small_first(s, s->base + row);
    for (int row = first; r > 0 && row <= last; row += kernel->lanes, at += kernel->lanes * step) {
        lf__small_found *f = &s->found;
        int count = last - row + 1 < kernel->lanes ? last - row + 1 : kernel->lanes;
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
            at[lane * step] = decide_small(s, ring, s->base + row + lane, lane);
        }
    }
}

/// The memory of a worker. All of it is one block, because hosts may not have more (viewshed_many.c).
typedef struct small_worker {
    lf__small sector;
    lf__small_ground ground;          ///< of the first one: of all
    float heights[SMALL_SAMPLES + 4]; ///< likewise
} small_worker;

_Static_assert(sizeof(small_worker) <= sizeof(lf__chunk), "lf__viewshed_scratch has space for chunks");

/// What the sectors share.
typedef struct small_job {
    const lf__sweep *sweep;
    const lf__small_kernel *kernel;
    small_worker *workers;
} small_job;

static void run_small_sectors(void *job, int64_t first, int64_t last, int worker) {
    small_job *j = job;
    lf__small *s = &j->workers[worker].sector;
    s->ground = &j->workers[0].ground;
    for (int64_t k = first; k < last; k++) {
        const lf__sector *sector = &j->sweep->sectors[k];
        if (sector->last_ring < sector->first_ring)
            continue;
        start_small(s, j->sweep, sector);
        lf__small_fill(s, j->kernel);
        for (int r = 0; r < s->rings; r++)
            test_small_ring(s, r, j->kernel);
    }
}

bool lf__small_possible(const lf__sweep *sweep) {
    const lf__viewshed *view = sweep->view;
    lf_window area = lf__small_area(view);
    if (view->least || sweep->sectors[0].both || view->grid->packed || sweep->lowering < 0 ||
        !lf__small_kernel_best() || area.columns * area.rows > SMALL_SAMPLES ||
        area.columns > LF__SMALL_SIDE || area.rows > LF__SMALL_SIDE)
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
    lf_window area = lf__small_area(sweep->view);
    int64_t samples = area.columns * area.rows;
    bool high = sweep->clearance >= SMALL_CLEARANCE * (grid->highest - grid->lowest);
    return (samples <= SMALL_ALWAYS || (sweep->voids ? samples <= SMALL_WITH_VOIDS : high)) &&
           lf__small_possible(sweep);
}

lf_status lf__small_run(const lf__sweep *sweep) {
    const lf__viewshed *view = sweep->view;
    lf_allocator allocator = lf__allocator_of(&view->def.host);
    int64_t workers = lf__host_workers(&view->def.host);
    small_job job = {.sweep = sweep, .kernel = lf__small_kernel_best()};
    void *memory;
    lf_status status = lf__allocate_array(&allocator, workers, sizeof *job.workers, &memory);
    if (status != LF_OK)
        return status;
    job.workers = memory;
    lf__small_ground *ground = &job.workers[0].ground;
    ground->area = lf__small_area(view);
    ground->heights = job.workers[0].heights;
    lf__small_read(sweep, job.kernel, ground);
    status = lf__viewshed_rows(view, "sweep", sweep->sector_count, run_small_sectors, &job);
    lf__free_array(&allocator, memory, workers, sizeof *job.workers);
    return status;
}
