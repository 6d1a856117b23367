/// One run of a viewshed, on all cores: the sweep, then the lines.
#include "sight/viewshed_run.h"
#include "base/base.h"
#include "sight/viewshed_round.h"
#include "sight/viewshed_sweep.h"
#include <math.h>
#include <string.h>

/// How often progress is told.
#define REPORTS 32

/// Bytes that are counted into one.
#define COUNT_BLOCK 128

/// Rows that are filled at once.
#define FILL_ROWS 64

lf_status lf__view_rows(const lf__view *view, const char *stage, int64_t count, lf_task *task, void *job) {
    const lf_host *host = &view->def.host;
    bool tell = host->progress && host->progress->report;
    int64_t step = tell ? (count + REPORTS - 1) / REPORTS : count;
    lf__view_slice slice = {task, job, 0};
    for (int64_t done = 0; done < count; done += step) {
        if (!lf__report(host, stage, done, count))
            return LF_CANCELLED;
        slice.first = done;
        lf__run(host->tasks, step < count - done ? step : count - done, 1, lf__view_slice_task, &slice);
    }
    return lf__report(host, stage, count, count) ? LF_OK : LF_CANCELLED;
}

void lf__view_slice_task(void *job, int64_t first, int64_t last, int worker) {
    const lf__view_slice *slice = job;
    slice->task(slice->job, slice->first + first, slice->first + last, worker);
}

typedef struct asking {
    const lf__view *view;
    lf__plane seen;
    lf_viewshed_stats stats;
} asking;

/// How many bytes have a value: sums of bytes, which compilers take many of at once.
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

/// Rows are counted while they are at hand.
static void ask_rows(void *job, int64_t first, int64_t last, int worker) {
    asking *a = job;
    lf__view view = lf__view_of(a->view, worker);
    int64_t counts[5] = {0}, walked = 0;
    for (int64_t row = first; row < last; row++) {
        walked += lf__view_ask_rows(&view, a->seen, row, row + 1);
        count_row(a->seen.bytes + row * a->seen.row_step, a->view->window.columns, counts);
    }
    __atomic_fetch_add(&a->stats.walked, walked, __ATOMIC_RELAXED);
    for (int k = 0; k < 5; k++)
        __atomic_fetch_add(&a->stats.counts[k], counts[k], __ATOMIC_RELAXED);
}

// ---------------------------------------------------------------------------------------------------
// The sweep
// ---------------------------------------------------------------------------------------------------

/// Bins per post at the end of a ring, and bins of a sector at least. More bins leave fewer posts between their bounds, which on rough
/// ground are many.
#define BINS_PER_POST 1.02
#define BINS_WHERE_ROUGH 2.5
#define LEAST_BINS 64

typedef struct sweeping {
    lf__sweep sweep;
    lf__chunk *chunks; ///< one per worker
    bool sounded;      ///< the middle groups of the sectors are done
    int64_t looked, between;
} sweeping;

static int workers_of(const lf_viewshed_def *def) {
    return lf__host_workers(&def->host);
}

static void sweep_groups(void *job, int64_t first, int64_t last, int worker) {
    sweeping *s = job;
    int64_t before = 0;
    lf__view view = lf__view_of(s->sweep.view, worker);
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

/// The middle group of some sectors, as long as bins do for them.
static void sound_sectors(void *job, int64_t first, int64_t last, int worker) {
    sweeping *s = job;
    lf__chunk *chunk = &s->chunks[worker];
    lf__view view = lf__view_of(s->sweep.view, worker);
    lf__sweep sweep = s->sweep;
    sweep.view = &view;
    chunk->watched = true;
    for (int64_t k = first; k < last; k++) {
        const lf__sector *sector = &sweep.sectors[k];
        if (sector->groups == 0)
            continue;
        bool gave_up = !lf__sweep_group(&sweep, sector, sector->groups / 2, chunk);
        __atomic_fetch_add(&s->looked, chunk->looked, __ATOMIC_RELAXED);
        __atomic_fetch_add(&s->between, chunk->between, __ATOMIC_RELAXED);
        if (gave_up)
            __atomic_store_n(&s->sounded, false, __ATOMIC_RELAXED);
    }
    chunk->watched = false;
}

/// How rough is the ground? A few groups tell; they need not be done again where it is not.
static bool sound(const lf__view *view, lf__plane seen, sweeping *s) {
    s->sounded = true;
    s->looked = s->between = 0;
    lf__run(view->def.host.tasks, s->sweep.sector_count, 1, sound_sectors, s);
    double share = s->looked > 0 ? (double)s->between / (double)s->looked : 0;
    if (s->sounded || share < 1.0 / LF__GIVE_UP_SHARE)
        return true;
    return lf__sweep_start(&s->sweep, view, seen, BINS_WHERE_ROUGH, LEAST_BINS);
}

static lf_status run_sweep(const lf__view *view, sweeping *s) {
    int64_t groups = 0;
    for (int k = 0; k < s->sweep.sector_count; k++)
        groups += s->sweep.sectors[k].groups;
    return lf__view_rows(view, "sweep", groups, sweep_groups, s);
}

/// Bytes of all posts before the sweep.
typedef struct filling {
    const lf__view *view;
    lf__plane seen;
    int value;
} filling;

static void fill_rows(void *job, int64_t first, int64_t last, int worker) {
    const filling *f = job;
    (void)worker;
    for (int64_t row = first; row < last; row++)
        memset(f->seen.bytes + row * f->seen.row_step, f->value, (size_t)f->view->window.columns);
}

static void fill(const lf__view *view, lf__plane seen, int value) {
    filling f = {view, seen, value};
    lf__run(view->def.host.tasks, view->window.rows, FILL_ROWS, fill_rows, &f);
}

/// The observer's own post is in no direction.
static void mark_own(const lf__view *view, lf__plane seen) {
    double column = view->eye.x - (double)view->window.column, row = view->eye.y - (double)view->window.row;
    if (column == floor(column) && row == floor(row) && column >= 0 && row >= 0 &&
        column < (double)view->window.columns && row < (double)view->window.rows)
        seen.bytes[(int64_t)row * seen.row_step + (int64_t)column] = LF__SEEN_ASK;
}

size_t lf__view_scratch(const lf_grid *grid, const lf_viewshed_def *def) {
    return (size_t)workers_of(def) * sizeof(lf__chunk) + lf__views_bytes(grid, &def->host);
}

static lf_status sweep_or_ask(const lf__view *view, lf__plane seen) {
    sweeping s;
    lf_allocator allocator = lf__allocator_of(&view->def.host);
    int64_t workers = workers_of(&view->def);
    void *chunks;
    if (!lf__sweep_start(&s.sweep, view, seen, BINS_PER_POST, LEAST_BINS)) {
        fill(view, seen, LF__SEEN_ASK);
        return LF_OK;
    }
    lf_status status = lf__take_array(&allocator, workers, sizeof *s.chunks, &chunks);
    if (status != LF_OK)
        return status;
    s.chunks = chunks;
    for (int64_t k = 0; k < workers; k++)
        s.chunks[k].watched = false;
    fill(view, seen, LF_VISIBILITY_HIDDEN);
    if (sound(view, seen, &s))
        status = run_sweep(view, &s);
    else
        fill(view, seen, LF__SEEN_ASK);
    mark_own(view, seen);
    lf__give_array(&allocator, chunks, workers, sizeof *s.chunks);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// What is within reach
// ---------------------------------------------------------------------------------------------------

/// The part of a window that another has too; 0 x 0: none.
static lf_window common(lf_window a, lf_window b) {
    int64_t column = a.column > b.column ? a.column : b.column, row = a.row > b.row ? a.row : b.row;
    int64_t columns =
        (a.column + a.columns < b.column + b.columns ? a.column + a.columns : b.column + b.columns) - column;
    int64_t rows = (a.row + a.rows < b.row + b.rows ? a.row + a.rows : b.row + b.rows) - row;
    return columns > 0 && rows > 0 ? (lf_window){column, row, columns, rows}
                                   : (lf_window){a.column, a.row, 0, 0};
}

/// Samples of a row of the window that are beyond the range, from one column to another.
static void put_beyond(const lf__view *view, lf__plane seen, int64_t row, int64_t first, int64_t end,
                       lf_viewshed_stats *stats) {
    uint8_t *bytes = seen.bytes + row * seen.row_step;
    memset(bytes + first, LF_VISIBILITY_BEYOND, (size_t)(end - first));
    int64_t holes = 0;
    for (int64_t column = first; column < end && view->grid->holes; column++)
        if (lf__grid_bare(view->grid, view->window.column + column, view->window.row + row)) {
            bytes[column] = LF_VISIBILITY_VOID;
            holes++;
        }
    stats->counts[LF_VISIBILITY_VOID] += holes;
    stats->counts[LF_VISIBILITY_BEYOND] += end - first - holes;
}

/// Everything outside the part of the window that is within the range.
static void put_outside(const lf__view *view, lf_window reach, lf__plane seen, lf_viewshed_stats *stats) {
    lf_window w = view->window;
    for (int64_t row = 0; row < w.rows; row++) {
        bool within = row >= reach.row - w.row && row < reach.row - w.row + reach.rows;
        int64_t first = within ? reach.column - w.column : w.columns,
                end = within ? first + reach.columns : w.columns;
        put_beyond(view, seen, row, 0, first, stats);
        put_beyond(view, seen, row, end, w.columns, stats);
    }
}

static lf_status run_window(const lf__view *view, lf__plane seen, lf_viewshed_stats *stats);

lf_status lf__view_run(const lf__view *view, lf__plane seen, lf_viewshed_stats *stats) {
    if (lf__view_crosses(view))
        return lf__view_run_round(view, seen, stats);
    lf_window w = view->window, reach = common(w, lf_viewshed_window(view->grid, &view->def, view->at));
    if (reach.columns == w.columns && reach.rows == w.rows)
        return run_window(view, seen, stats);
    lf_viewshed_stats all = {0};
    lf__view part = *view;
    put_outside(view, reach, seen, &all);
    part.window = reach;
    lf__view_measure(&part);
    seen.bytes += (reach.row - w.row) * seen.row_step + (reach.column - w.column);
    lf_status status = reach.columns > 0 ? run_window(&part, seen, &all) : LF_OK;
    for (int k = 0; k < 5 && stats; k++)
        stats->counts[k] += all.counts[k];
    if (stats)
        stats->walked += all.walked;
    return status;
}

/// Farther away than this nothing can be visible: a line so long sags below the lowest ground. Its lowest point is below that when the root of
/// its sag is more than the roots of both ends' heights above that ground. Exact lines may be higher.
static double horizon_of(const lf__view *view) {
    const lf_grid *grid = view->grid;
    const lf_curvature *bend = &view->def.rules.curvature;
    double x = view->eye.x, y = view->eye.y;
    bool inside = x >= 0 && y >= 0 && x <= (double)(grid->columns - 1) && y <= (double)(grid->rows - 1);
    if (!(bend->coefficient > 0) || grid->round || grid->holes || !inside || view->def.target < 0)
        return LF_INFINITY;
    double off = lf__view_line_off(view), eye = fmax(view->z - grid->lowest, 0) + off,
           target = grid->highest - grid->lowest + view->def.target + off;
    return 1.001 * (sqrt(eye) + sqrt(target)) * sqrt(2 * bend->radius / bend->coefficient) + 1;
}

/// The sweep, where something can be visible.
static lf_status run_near(const lf__view *view, lf__plane seen) {
    lf__view near = *view;
    lf_viewshed_def def = view->def;
    def.range_max = fmin(def.range_max, horizon_of(view));
    near.window = common(view->window, lf_viewshed_window(view->grid, &def, view->at));
    if (near.window.columns == view->window.columns && near.window.rows == view->window.rows)
        return sweep_or_ask(view, seen);
    fill(view, seen, LF_VISIBILITY_HIDDEN);
    seen.bytes +=
        (near.window.row - view->window.row) * seen.row_step + (near.window.column - view->window.column);
    return near.window.columns > 0 ? sweep_or_ask(&near, seen) : LF_OK;
}

static lf_status run_window(const lf__view *view, lf__plane seen, lf_viewshed_stats *stats) {
    lf_status status = run_near(view, seen);
    asking a = {.view = view, .seen = seen};
    if (status == LF_OK)
        status = lf__view_rows(view, "lines", view->window.rows, ask_rows, &a);
    if (status != LF_OK || !stats)
        return status;
    stats->walked += a.stats.walked;
    for (int k = 0; k < 5; k++)
        stats->counts[k] += a.stats.counts[k];
    return LF_OK;
}
