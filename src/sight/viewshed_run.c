/// One run of a viewshed, on all cores: the sweep, then the lines.
#include "sight/viewshed_run.h"
#include "base/base.h"
#include "sight/viewshed_sweep.h"
#include <string.h>

/// How often progress is told.
#define REPORTS 32

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
    int64_t walked;
} asking;

static void ask_rows(void *job, int64_t first, int64_t last, int worker) {
    asking *a = job;
    lf__view view = lf__view_of(a->view, worker);
    int64_t walked = lf__view_ask_rows(&view, a->seen, first, last);
    __atomic_fetch_add(&a->walked, walked, __ATOMIC_RELAXED);
}

static void count_posts(const lf__view *view, lf__plane seen, lf_viewshed_stats *stats) {
    for (int64_t row = 0; row < view->window.rows; row++) {
        const uint8_t *bytes = seen.bytes + row * seen.row_step;
        int64_t counts[5] = {0};
        for (int64_t column = 0; column < view->window.columns; column++)
            counts[bytes[column]]++;
        for (int k = 0; k < 5; k++)
            stats->counts[k] += counts[k];
    }
}

// ---------------------------------------------------------------------------------------------------
// The sweep
// ---------------------------------------------------------------------------------------------------

/// Bins per post at the end of a ring, and bins of a sector at least.
#define BINS_PER_POST 2
#define LEAST_BINS 256

typedef struct sweeping {
    lf__sweep sweep;
    lf__chunk *chunks; ///< one per worker
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
            if (before + group >= first && before + group < last)
                lf__sweep_group(&sweep, sector, (int)group, &s->chunks[worker]);
        before += sector->groups;
    }
}

static lf_status run_sweep(const lf__view *view, sweeping *s) {
    int64_t groups = 0;
    for (int k = 0; k < s->sweep.sector_count; k++)
        groups += s->sweep.sectors[k].groups;
    return lf__view_rows(view, "sweep", groups, sweep_groups, s);
}

static void fill(const lf__view *view, lf__plane seen, int value) {
    for (int64_t row = 0; row < view->window.rows; row++)
        memset(seen.bytes + row * seen.row_step, value, (size_t)view->window.columns);
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
    fill(view, seen, LF_SEEN_HIDDEN);
    status = run_sweep(view, &s);
    mark_own(view, seen);
    lf__give_array(&allocator, chunks, workers, sizeof *s.chunks);
    return status;
}

lf_status lf__view_run(const lf__view *view, lf__plane seen, lf_viewshed_stats *stats) {
    lf_status status = sweep_or_ask(view, seen);
    asking a = {view, seen, 0};
    if (status == LF_OK)
        status = lf__view_rows(view, "lines", view->window.rows, ask_rows, &a);
    if (status == LF_OK && stats) {
        stats->walked += a.walked;
        count_posts(view, seen, stats);
    }
    return status;
}
