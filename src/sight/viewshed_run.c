/// One run of a viewshed on all cores: the sweep, then exact lines.
#include "base/base.h"
#include "sight/viewshed.h"
#include "sight/viewshed_sweep.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

static lf_status view_run_round(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats);

/// Number of progress reports.
#define RUN_REPORTS 32

/// Bytes that are summed in one byte.
#define COUNT_BLOCK 128

/// Rows per task when filling.
#define FILL_ROWS 64

/// A parallel loop that reports from within: cut into pieces with a report between them, it would let threads wait for each
/// other 32 times, and give work to few of them.
typedef struct run_loop {
    const lf_host *host;
    const char *stage;
    lf_task *task;
    void *job;
    int64_t count, step;
    int64_t reported;      ///< of the calling thread
    atomic_bool cancelled; ///< what is left is skipped
} run_loop;

/// The loop that this thread has started: reports come from the thread that called landfall.
static _Thread_local run_loop *own_loop;

static void run_loop_share(void *job, int64_t first, int64_t last, int worker) {
    run_loop *loop = job;
    for (int64_t i = first, end; i < last && !atomic_load_explicit(&loop->cancelled, memory_order_relaxed);
         i = end) {
        end = i + loop->step < last ? i + loop->step : last;
        loop->task(loop->job, i, end, worker);
        if (own_loop != loop || end - loop->reported < loop->step || end >= loop->count)
            continue;
        loop->reported = end;
        if (!lf__report(loop->host, loop->stage, end, loop->count))
            atomic_store_explicit(&loop->cancelled, true, memory_order_relaxed);
    }
}

lf_status lf__viewshed_rows(const lf__viewshed *view, const char *stage, int64_t count, lf_task *task,
                            void *job) {
    const lf_host *host = &view->def.host;
    run_loop loop = {.host = host, .stage = stage, .task = task, .job = job, .count = count};
    run_loop *outer = own_loop;
    if (!host->progress || !host->progress->report) {
        lf__run(host->tasks, count, 1, task, job);
        return LF_OK;
    }
    if (!lf__report(host, stage, 0, count))
        return LF_CANCELLED;
    loop.step = (count + RUN_REPORTS - 1) / RUN_REPORTS;
    own_loop = &loop;
    lf__run(host->tasks, count, 1, run_loop_share, &loop);
    own_loop = outer;
    if (atomic_load_explicit(&loop.cancelled, memory_order_relaxed) || !lf__report(host, stage, count, count))
        return LF_CANCELLED;
    return LF_OK;
}

typedef struct run_resolving {
    const lf__viewshed *view;
    lf__byte_plane seen;
    lf_viewshed_stats stats;
} run_resolving;

/// Count the bytes of a value, by sums of bytes, which compilers vectorise.
static int64_t count_bytes(const uint8_t *bytes, int64_t count, int value) {
    int64_t all = 0, k = 0;
    for (; k + COUNT_BLOCK <= count; k += COUNT_BLOCK) {
        uint8_t sum = 0;
        for (int n = 0; n < COUNT_BLOCK; n++)
            sum = (uint8_t)(sum + (bytes[k + n] == value));
        all += sum;
    }
    for (; k < count; k++)
        all += bytes[k] == value;
    return all;
}

static void count_row(const uint8_t *bytes, int64_t columns, int64_t counts[5]) {
    int64_t rest = columns;
    for (int value = 0; value < 5 && rest > 0; value++) {
        int64_t found = count_bytes(bytes, columns, value);
        counts[value] += found;
        rest -= found;
    }
}

/// Rows are counted while they are in the cache.
static void resolve_rows(void *job, int64_t first, int64_t last, int worker) {
    run_resolving *a = job;
    lf__viewshed view = lf__viewshed_of(a->view, worker);
    int64_t counts[5] = {0}, walked = 0;
    for (int64_t row = first; row < last; row++) {
        walked += lf__viewshed_resolve_rows(&view, a->seen, row, row + 1);
        count_row(a->seen.bytes + row * a->seen.row_step, a->view->window.columns, counts);
    }
    __atomic_fetch_add(&a->stats.walked, walked, __ATOMIC_RELAXED);
    for (int k = 0; k < 5; k++)
        __atomic_fetch_add(&a->stats.counts[k], counts[k], __ATOMIC_RELAXED);
}

// ---------------------------------------------------------------------------------------------------
// The sweep
// ---------------------------------------------------------------------------------------------------

/// Bins per sample at the end of a ring, and the least number of bins of a sector. More bins leave fewer
/// samples between their bounds, of which rough ground has many.
#define BINS_PER_SAMPLE 1.02
#define BINS_WHERE_ROUGH 2.5
#define LEAST_BINS 50

/// Groups from which on a few of them show how rough the ground is.
#define PROBE_GROUPS 13

typedef struct run_sweeping {
    lf__sweep sweep;
    lf__chunk *chunks; ///< one per worker
    bool sounded;      ///< the middle groups of the sectors are done
    int64_t tested, between;
} run_sweeping;

static void run_sweep_groups(void *job, int64_t first, int64_t last, int worker) {
    run_sweeping *s = job;
    int64_t before = 0;
    lf__viewshed view = lf__viewshed_of(s->sweep.view, worker);
    lf__sweep sweep = s->sweep;
    sweep.view = &view;
    for (int k = 0; k < sweep.sector_count; k++) {
        const lf__sector *sector = &sweep.sectors[k];
        for (int64_t group = 0; group < sector->groups; group++)
            if (before + group >= first && before + group < last &&
                !(s->sounded && group == sector->groups / 2))
                lf__sweep_group(&sweep, sector, (int)group, &s->chunks[worker]);
        before += sector->groups;
    }
}

/// Probe: the middle group of some sectors, until it gives up.
static void run_probe_sectors(void *job, int64_t first, int64_t last, int worker) {
    run_sweeping *s = job;
    lf__chunk *chunk = &s->chunks[worker];
    lf__viewshed view = lf__viewshed_of(s->sweep.view, worker);
    lf__sweep sweep = s->sweep;
    sweep.view = &view;
    chunk->watched = true;
    for (int64_t k = first; k < last; k++) {
        const lf__sector *sector = &sweep.sectors[k];
        if (sector->groups == 0)
            continue;
        bool gave_up = !lf__sweep_group(&sweep, sector, sector->groups / 2, chunk);
        __atomic_fetch_add(&s->tested, chunk->tested, __ATOMIC_RELAXED);
        __atomic_fetch_add(&s->between, chunk->between, __ATOMIC_RELAXED);
        if (gave_up)
            __atomic_store_n(&s->sounded, false, __ATOMIC_RELAXED);
    }
    chunk->watched = false;
}

static int64_t groups_of(const lf__sweep *sweep) {
    int64_t groups = 0;
    for (int k = 0; k < sweep->sector_count; k++)
        groups += sweep->sectors[k].groups;
    return groups;
}

/// How rough is the ground? A few groups show it; they are not repeated if it is smooth.
static bool run_probe(const lf__viewshed *view, lf__byte_plane seen, run_sweeping *s) {
    s->sounded = groups_of(&s->sweep) >= PROBE_GROUPS;
    s->tested = s->between = 0;
    if (!s->sounded) // as much work as the whole
        return true;
    lf__run(view->def.host.tasks, s->sweep.sector_count, 1, run_probe_sectors, s);
    double share = s->tested > 0 ? (double)s->between / (double)s->tested : 0;
    if (s->sounded || share < 1.0 / LF__GIVE_UP_SHARE)
        return true;
    return lf__sweep_start(&s->sweep, view, seen, BINS_WHERE_ROUGH, LEAST_BINS);
}

/// Fills the bytes of all samples before the sweep.
typedef struct run_filling {
    const lf__viewshed *view;
    lf__byte_plane seen;
    int value;
} run_filling;

static void run_fill_rows(void *job, int64_t first, int64_t last, int worker) {
    const run_filling *f = job;
    (void)worker;
    for (int64_t row = first; row < last; row++)
        memset(f->seen.bytes + row * f->seen.row_step, f->value, (size_t)f->view->window.columns);
}

static void run_fill(const lf__viewshed *view, lf__byte_plane seen, int value) {
    run_filling f = {view, seen, value};
    lf__run(view->def.host.tasks, view->window.rows, FILL_ROWS, run_fill_rows, &f);
}

/// The observer's own sample has no direction.
static void mark_own(const lf__viewshed *view, lf__byte_plane seen) {
    double column = view->eye.x - (double)view->window.column, row = view->eye.y - (double)view->window.row;
    if (column == floor(column) && row == floor(row) && column >= 0 && row >= 0 &&
        column < (double)view->window.columns && row < (double)view->window.rows)
        seen.bytes[(int64_t)row * seen.row_step + (int64_t)column] = LF__SEEN_OPEN;
}

size_t lf__viewshed_scratch(const lf_grid *grid, const lf_viewshed_def *def) {
    return (size_t)lf__host_workers(&def->host) * sizeof(lf__chunk) + lf__views_bytes(grid, &def->host);
}

static lf_status sweep_or_resolve(const lf__viewshed *view, lf__byte_plane seen) {
    run_sweeping s;
    lf_allocator allocator = lf__allocator_of(&view->def.host);
    int64_t workers = lf__host_workers(&view->def.host);
    void *chunks;
    if (!lf__sweep_start(&s.sweep, view, seen, BINS_PER_SAMPLE, LEAST_BINS)) {
        run_fill(view, seen, LF__SEEN_OPEN);
        return LF_OK;
    }
    lf_status status = lf__allocate_array(&allocator, workers, sizeof *s.chunks, &chunks);
    if (status != LF_OK)
        return status;
    s.chunks = chunks;
    for (int64_t k = 0; k < workers; k++)
        s.chunks[k].watched = false;
    run_fill(view, seen, LF_VISIBILITY_HIDDEN);
    if (run_probe(view, seen, &s))
        status = lf__viewshed_rows(view, "sweep", groups_of(&s.sweep), run_sweep_groups, &s);
    else
        run_fill(view, seen, LF__SEEN_OPEN);
    mark_own(view, seen);
    lf__free_array(&allocator, chunks, workers, sizeof *s.chunks);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// What is within reach
// ---------------------------------------------------------------------------------------------------

/// The intersection of two windows; 0 x 0: empty.
static lf_window run_common_window(lf_window a, lf_window b) {
    int64_t column = a.column > b.column ? a.column : b.column, row = a.row > b.row ? a.row : b.row;
    int64_t columns =
        (a.column + a.columns < b.column + b.columns ? a.column + a.columns : b.column + b.columns) - column;
    int64_t rows = (a.row + a.rows < b.row + b.rows ? a.row + a.rows : b.row + b.rows) - row;
    return columns > 0 && rows > 0 ? (lf_window){column, row, columns, rows}
                                   : (lf_window){a.column, a.row, 0, 0};
}

/// Marks samples of a row of the window beyond the range, between two columns.
static void put_beyond(const lf__viewshed *view, lf__byte_plane seen, int64_t row, int64_t first, int64_t end,
                       lf_viewshed_stats *stats) {
    uint8_t *bytes = seen.bytes + row * seen.row_step;
    memset(bytes + first, LF_VISIBILITY_BEYOND, (size_t)(end - first));
    int64_t voids = 0;
    for (int64_t column = first; column < end && view->grid->voids; column++)
        if (lf__grid_bare(view->grid, view->window.column + column, view->window.row + row)) {
            bytes[column] = LF_VISIBILITY_VOID;
            voids++;
        }
    stats->counts[LF_VISIBILITY_VOID] += voids;
    stats->counts[LF_VISIBILITY_BEYOND] += end - first - voids;
}

/// Marks everything outside the part of the window that is within the range.
static void put_outside(const lf__viewshed *view, lf_window reach, lf__byte_plane seen,
                        lf_viewshed_stats *stats) {
    lf_window w = view->window;
    for (int64_t row = 0; row < w.rows; row++) {
        bool within = row >= reach.row - w.row && row < reach.row - w.row + reach.rows;
        int64_t first = within ? reach.column - w.column : w.columns,
                end = within ? first + reach.columns : w.columns;
        put_beyond(view, seen, row, 0, first, stats);
        put_beyond(view, seen, row, end, w.columns, stats);
    }
}

static lf_status run_window(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats);

lf_status lf__viewshed_run(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats) {
    if (lf__viewshed_crosses(view))
        return view_run_round(view, seen, stats);
    lf_window w = view->window,
              reach = run_common_window(w, lf_viewshed_window(view->grid, &view->def, view->at));
    if (reach.columns == w.columns && reach.rows == w.rows)
        return run_window(view, seen, stats);
    lf_viewshed_stats all = {0};
    lf__viewshed part = *view;
    put_outside(view, reach, seen, &all);
    part.window = reach;
    lf__viewshed_measure(&part);
    seen.bytes += (reach.row - w.row) * seen.row_step + (reach.column - w.column);
    lf_status status = reach.columns > 0 ? run_window(&part, seen, &all) : LF_OK;
    for (int k = 0; k < 5 && stats; k++)
        stats->counts[k] += all.counts[k];
    if (stats)
        stats->walked += all.walked;
    return status;
}

/// Nothing farther away than this can be visible: the line sags below the lowest ground. Its lowest point is
/// below that when the root of its sag is more than the roots of both ends' heights above that ground. Exact
/// lines may be higher.
static double horizon_of(const lf__viewshed *view) {
    const lf_grid *grid = view->grid;
    const lf_curvature *curvature = &view->def.rules.curvature;
    double x = view->eye.x, y = view->eye.y;
    bool inside = x >= 0 && y >= 0 && x <= (double)(grid->columns - 1) && y <= (double)(grid->rows - 1);
    if (!(curvature->coefficient > 0) || view->least || grid->round || grid->voids || !inside ||
        view->def.target < 0)
        return LF_INFINITY;
    double off = lf__viewshed_line_off(view), eye = fmax(view->z - grid->lowest, 0) + off,
           target = grid->highest - grid->lowest + view->def.target + off;
    return 1.001 * (sqrt(eye) + sqrt(target)) * sqrt(2 * curvature->radius / curvature->coefficient) + 1;
}

/// The sweep, restricted to where something can be visible.
static lf_status run_near(const lf__viewshed *view, lf__byte_plane seen) {
    lf__viewshed near = *view;
    lf_viewshed_def def = view->def;
    def.range_max = fmin(def.range_max, horizon_of(view));
    near.window = run_common_window(view->window, lf_viewshed_window(view->grid, &def, view->at));
    if (near.window.columns == view->window.columns && near.window.rows == view->window.rows)
        return sweep_or_resolve(view, seen);
    run_fill(view, seen, LF_VISIBILITY_HIDDEN);
    seen.bytes +=
        (near.window.row - view->window.row) * seen.row_step + (near.window.column - view->window.column);
    return near.window.columns > 0 ? sweep_or_resolve(&near, seen) : LF_OK;
}

static lf_status run_window(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats) {
    lf_status status = run_near(view, seen);
    run_resolving a = {.view = view, .seen = seen};
    if (status == LF_OK)
        status = lf__viewshed_rows(view, "lines", view->window.rows, resolve_rows, &a);
    if (status != LF_OK || !stats)
        return status;
    stats->walked += a.stats.walked;
    for (int k = 0; k < 5; k++)
        stats->counts[k] += a.stats.counts[k];
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Grids that wrap
// ---------------------------------------------------------------------------------------------------

// The sweep needs a grid in which every line from the observer is straight. So the columns around the
// observer are copied to a grid of their own, whose border lies opposite the observer or beyond the range.

/// Rows that are copied at once.
#define ROLLED_BAND 64

/// Upper bound of the bytes per sample of a copy: heights, a padded copy of them, bounds, void bits, results.
#define ROLLED_BYTES_PER_SAMPLE 32

/// Further bytes, independent of the size.
#define ROLLED_FIXED_BYTES ((size_t)1 << 16)

/// The columns around an observer as a grid of their own.
typedef struct rolled_view {
    const lf__viewshed *view;
    lf_allocator allocator;
    lf_grid *grid;
    int64_t first,
        columns;       ///< its column 0 is column `first` of the grid, counted across the seam
    int64_t low, high; ///< columns of the view, counted like `first`: at most one turn
    void *heights;
    size_t item;
    size_t bytes;
} rolled_view;

/// Lower bound of metres per unit of x and y within the range; 0: unknown, near the poles.
static lf_vec2 least_degrees(const lf_viewshed_def *def, lf_vec2 at) {
    if (def->rules.units == LF_MAP_METRES)
        return (lf_vec2){1, 1};
    const lf_ellipsoid *e = &def->rules.ellipsoid;
    double polar = e->radius * (1 - e->flattening), square = 1 - e->flattening;
    double least = LF__DEGREE * polar * square; // of latitude, anywhere
    double farthest = fabs(at.y) + def->range_max / least + 1;
    if (!(farthest < 89))
        return (lf_vec2){0, least};
    return (lf_vec2){LF__DEGREE * polar * cos(farthest * LF__DEGREE) * 0.999, least};
}

lf_vec2 lf__viewshed_range_reach(const lf_grid *grid, const lf_viewshed_def *def, lf_vec2 at) {
    if (!isfinite(def->range_max))
        return (lf_vec2){LF_INFINITY, LF_INFINITY};
    lf_vec2 unit = least_degrees(def, at), eye = lf__sight_place(grid, at);
    double range = def->range_max * (1 + 1e-12); // closed, but for rounding
    double x = unit.x > 0 ? range / unit.x : 400, y = range / unit.y;
    // A rectangle of x by y in the world; on a plane a circle is enough.
    bool plane = def->rules.units == LF_MAP_METRES;
    double columns = plane ? x * hypot(grid->a, grid->b) : fabs(grid->a) * x + fabs(grid->b) * y;
    double rows = plane ? x * hypot(grid->c, grid->d) : fabs(grid->c) * x + fabs(grid->d) * y;
    return (lf_vec2){columns + 1e-12 * (fabs(eye.x) + columns), rows + 1e-12 * (fabs(eye.y) + rows)};
}

bool lf__viewshed_crosses(const lf__viewshed *view) {
    const lf_grid *grid = view->grid;
    if (!grid->round)
        return false;
    double far =
        fmin(lf__viewshed_range_reach(grid, &view->def, view->at).x + 1e-6, 0.5 * (double)grid->round);
    double beyond = view->eye.x + far - (double)grid->round;
    // The first and the last column are the same, and seen on the side where lines to it go.
    bool behind = beyond == 0 && (!grid->repeated || lf__sight_opposite(grid, view->eye.x) > view->eye.x);
    return view->eye.x - far < 0 || beyond > 0 || behind;
}

size_t lf__viewshed_wrapped_bytes(const lf_grid *grid, const lf_viewshed_def *def) {
    size_t samples = 0, bytes = 0;
    bool fits = grid->round &&
                lf__size_mul((size_t)grid->round + 6, (size_t)grid->rows + ROLLED_BAND, &samples) &&
                lf__size_mul(samples, ROLLED_BYTES_PER_SAMPLE, &bytes) &&
                lf__size_add(bytes, lf__viewshed_scratch(grid, def) + ROLLED_FIXED_BYTES, &bytes);
    return fits ? bytes : 0;
}

// ---------------------------------------------------------------------------------------------------
// The grid
// ---------------------------------------------------------------------------------------------------

/// Choose the columns: all within half a turn, or those within reach.
static void choose_columns(rolled_view *r) {
    const lf_grid *grid = r->view->grid;
    double eye = r->view->eye.x, round = (double)grid->round, half = 0.5 * round,
           far = lf__viewshed_range_reach(grid, &r->view->def, r->view->at).x + 2;
    if (2 * far + 2 < round) {
        r->low = (int64_t)floor(eye - far);
        r->high = (int64_t)ceil(eye + far);
    } else {
        r->low = (int64_t)ceil(eye - half);
        r->high = (int64_t)floor(eye + half);
    }
    // One more on either side, so that samples at the border have the same pieces of surface around them as
    // in the grid.
    r->first = r->low - 1;
    int64_t last = r->high + 1;
    if (r->high - r->low == grid->round) { // one column at both ends, exactly opposite
        if (lf__sight_opposite(grid, eye) > eye)
            r->low++;
        else
            r->high--;
    }
    r->first -= r->first & 1; // keeps the pattern of an alternating surface
    r->columns = last - r->first + 1;
}

/// The heights of some rows of the chosen columns.
static void rolled_read_rows(const rolled_view *r, int64_t row, int64_t rows, double *heights, double *part) {
    const lf_grid *grid = r->view->grid;
    int64_t round = grid->round;
    for (int64_t done = 0, count; done < r->columns; done += count) {
        int64_t column = ((r->first + done) % round + round) % round;
        count = round - column < r->columns - done ? round - column : r->columns - done;
        lf_grid_read(grid, column, row, count, rows, part);
        for (int64_t j = 0; j < rows; j++)
            memcpy(heights + j * r->columns + done, part + j * count, (size_t)count * sizeof *part);
    }
}

/// Heights as floats if they are all exact, which most are and the sweep prefers; false: some are not.
static bool put_rows(const rolled_view *r, int64_t row, int64_t rows, const double *heights) {
    bool exact = true;
    char *to = (char *)r->heights + (size_t)(row * r->columns) * r->item;
    for (int64_t k = 0; k < rows * r->columns; k++) {
        if (r->item == sizeof(float)) {
            float small = (float)heights[k];
            exact = exact && ((double)small == heights[k] || isnan(heights[k]));
            ((float *)(void *)to)[k] = small;
        } else {
            ((double *)(void *)to)[k] = heights[k];
        }
    }
    return exact;
}

static lf_status copy_heights(rolled_view *r, size_t item, bool *exact) {
    int64_t rows = r->view->grid->rows;
    void *band = NULL;
    r->item = item;
    *exact = true;
    lf_status status = lf__allocate_array(&r->allocator, r->columns * rows, item, &r->heights);
    if (status == LF_OK)
        status = lf__allocate_array(&r->allocator, 2 * ROLLED_BAND * r->columns, sizeof(double), &band);
    double *heights = band, *part = heights ? heights + ROLLED_BAND * r->columns : NULL;
    for (int64_t row = 0; status == LF_OK && *exact && row < rows; row += ROLLED_BAND) {
        int64_t count = rows - row < ROLLED_BAND ? rows - row : ROLLED_BAND;
        rolled_read_rows(r, row, count, heights, part);
        *exact = put_rows(r, row, count, heights);
    }
    lf__free_array(&r->allocator, band, 2 * ROLLED_BAND * r->columns, sizeof(double));
    return status;
}

static void free_heights(rolled_view *r) {
    lf__free_array(&r->allocator, r->heights, r->columns * r->view->grid->rows, r->item);
    r->heights = NULL;
}

static void rolled_destroy(rolled_view *r) {
    lf_grid_destroy(r->grid);
    free_heights(r);
}

static lf_status rolled_create(const lf__viewshed *view, rolled_view *r) {
    const lf_grid *grid = view->grid;
    bool exact;
    *r = (rolled_view){.view = view, .allocator = lf__allocator_of(&view->def.host)};
    choose_columns(r);
    lf_status status = copy_heights(r, sizeof(float), &exact);
    if (status == LF_OK && !exact) {
        free_heights(r);
        status = copy_heights(r, sizeof(double), &exact);
    }
    lf_grid_def def = lf_grid_def_default();
    def.host = view->def.host;
    def.host.progress = NULL; // the viewshed reports progress itself
    def.samples.type = r->item == sizeof(float) ? LF_SAMPLE_FLOAT : LF_SAMPLE_DOUBLE;
    def.samples.values = r->heights;
    def.samples.columns = r->columns;
    def.samples.rows = grid->rows;
    def.borrow = !grid->extend;
    def.geotransform = grid->geotransform;
    def.geotransform.origin.x += (double)r->first * grid->geotransform.per_column.x;
    def.surface = grid->surface;
    def.extend = grid->extend;
    if (status == LF_OK)
        status = lf_grid_create(&def, &r->grid, NULL);
    if (status == LF_OK) { // voids are no higher than the highest ground of the whole grid
        r->grid->lowest = grid->lowest;
        r->grid->highest = grid->highest;
    }
    if (status == LF_OK)
        r->bytes = lf_grid_describe(r->grid).bytes + (size_t)(r->columns * grid->rows) * r->item +
                   (size_t)(2 * ROLLED_BAND * r->columns) * sizeof(double);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Results
// ---------------------------------------------------------------------------------------------------

/// The observer in the copy.
static lf_observer observer_of(const rolled_view *r) {
    return (lf_observer){r->view->at, r->view->z, true};
}

/// The columns of the view, in the rows of the caller's window.
static lf_window rolled_window_of(const rolled_view *r) {
    return (lf_window){r->low - r->first, r->view->window.row, r->high - r->low + 1, r->view->window.rows};
}

/// The index of a column of the caller's window among the columns of the view; -1: not in the view.
static int64_t column_of(const rolled_view *r, int64_t column) {
    int64_t round = r->view->grid->round;
    int64_t at = ((r->view->window.column + column - r->low) % round + round) % round;
    return at <= r->high - r->low ? at : -1;
}

/// lf__viewshed_run for a view that crosses the seam, on a copy of the columns around the observer, at most
/// half a turn to each side. Adds to stats.
static lf_status view_run_round(const lf__viewshed *view, lf__byte_plane seen, lf_viewshed_stats *stats) {
    rolled_view r;
    void *bytes = NULL;
    lf_viewshed_stats found = {0};
    lf_status status = rolled_create(view, &r);
    lf_window from = rolled_window_of(&r), to = view->window;
    lf_observer observer = observer_of(&r);
    if (status == LF_OK)
        status = lf__allocate_array(&r.allocator, from.columns * from.rows, 1, &bytes);
    if (status == LF_OK)
        status = lf_viewshed_visible(r.grid, &view->def, &observer, from, bytes, 0, &found, NULL);
    for (int64_t row = 0; row < to.rows && status == LF_OK; row++)
        for (int64_t column = 0; column < to.columns; column++) {
            int64_t at = column_of(&r, column);
            uint8_t answer = at >= 0 ? ((const uint8_t *)bytes)[row * from.columns + at]
                             : lf__grid_bare(view->grid, to.column + column, to.row + row)
                                 ? LF_VISIBILITY_VOID
                                 : LF_VISIBILITY_BEYOND;
            seen.bytes[row * seen.row_step + column] = answer;
            if (stats)
                stats->counts[answer]++;
        }
    if (status == LF_OK && stats) {
        stats->walked += found.walked;
        size_t needed = r.bytes + found.bytes + (size_t)(from.columns * from.rows);
        stats->bytes = needed > stats->bytes ? needed : stats->bytes;
    }
    lf__free_array(&r.allocator, bytes, from.columns * from.rows, 1);
    rolled_destroy(&r);
    return status;
}

lf_status lf__viewshed_values_wrapped(const lf__viewshed *view, lf_viewshed_mode which, float *values,
                                      ptrdiff_t row_step, int64_t *walked) {
    rolled_view r;
    void *floats = NULL;
    lf_viewshed_stats found = {0};
    lf_status status = rolled_create(view, &r);
    lf_window from = rolled_window_of(&r), to = view->window;
    lf_observer observer = observer_of(&r);
    if (status == LF_OK)
        status = lf__allocate_array(&r.allocator, from.columns * from.rows, sizeof *values, &floats);
    if (status == LF_OK)
        status = lf_viewshed_values(r.grid, &view->def, &observer, which, from, floats, 0, &found, NULL);
    for (int64_t row = 0; row < to.rows && status == LF_OK; row++) {
        float *out = (float *)(void *)((char *)values + row * row_step);
        for (int64_t column = 0; column < to.columns; column++) {
            int64_t at = column_of(&r, column);
            out[column] = at >= 0 ? ((const float *)floats)[row * from.columns + at] : (float)LF_NAN;
        }
    }
    *walked += found.walked;
    lf__free_array(&r.allocator, floats, from.columns * from.rows, sizeof *values);
    rolled_destroy(&r);
    return status;
}
