/// One run of a viewshed on all cores: the sweep, then exact lines.
#include "base/base.h"
#include "sight/viewshed.h"
#include "sight/viewshed_small.h"
#include "sight/viewshed_sweep.h"
#include "sight/viewshed_world.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

/// Number of progress reports.
#define RUN_REPORTS 32

/// Words of eight bytes that are counted side by side.
#define COUNT_WORDS 4

/// Blocks of such words that are looked at together: most are all hidden.
#define COUNT_BLOCKS 64

/// Bytes that are counted together, if rows are consecutive.
#define COUNT_BYTES 8192

/// Rows per task when filling.
#define FILL_ROWS 64

/// Tasks that rows are cut into where these have little work each: threads add to the same counts after each of them.
#define ROW_TASKS 256

/// Such tasks for each thread.
#define ROW_TASKS_EACH 32

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

static lf_status run_reported(const lf__viewshed *view, const char *stage, int64_t count, int64_t grain,
                              lf_task *task, void *job) {
    const lf_host *host = &view->def.host;
    run_loop loop = {.host = host, .stage = stage, .task = task, .job = job, .count = count};
    run_loop *outer = own_loop;
    if (!host->progress || !host->progress->report) {
        lf__run(host->tasks, count, grain, task, job);
        return LF_OK;
    }
    if (!lf__report(host, stage, 0, count))
        return LF_CANCELLED;
    loop.step = (count + RUN_REPORTS - 1) / RUN_REPORTS;
    own_loop = &loop;
    lf__run(host->tasks, count, grain, run_loop_share, &loop);
    own_loop = outer;
    if (atomic_load_explicit(&loop.cancelled, memory_order_relaxed) || !lf__report(host, stage, count, count))
        return LF_CANCELLED;
    return LF_OK;
}

lf_status lf__viewshed_rows(const lf__viewshed *view, const char *stage, int64_t count, lf_task *task,
                            void *job) {
    return run_reported(view, stage, count, count / ROW_TASKS > 1 ? count / ROW_TASKS : 1, task, job);
}

typedef struct run_resolving {
    const lf__viewshed *view;
    lf__byte_plane seen;
    lf_viewshed_stats stats;
} run_resolving;

/// The sum of the bytes of some words, of which each byte is at most 255.
static int64_t sum_bytes(const uint64_t words[COUNT_WORDS]) {
    uint64_t sum = 0;
    for (int k = 0; k < COUNT_WORDS; k++) {
        uint64_t pairs = (words[k] & 0x00ff00ff00ff00ffu) + (words[k] >> 8 & 0x00ff00ff00ff00ffu);
        sum += pairs * 0x0001000100010001u >> 48;
    }
    return (int64_t)sum;
}

/// Count the values, 0 to 4, of some blocks of COUNT_WORDS words, at most 255 of them: by bits, so that compilers vectorise it.
static void count_blocks(const uint8_t *bytes, int64_t blocks, int64_t counts[5]) {
    const uint64_t ones = 0x0101010101010101u;
    uint64_t bit[3][COUNT_WORDS] = {{0}}, three[COUNT_WORDS] = {0};
    for (int64_t n = 0; n < blocks; n++) {
        uint64_t words[COUNT_WORDS];
        memcpy(words, bytes + n * (int64_t)sizeof words, sizeof words);
        for (int k = 0; k < COUNT_WORDS; k++) {
            bit[0][k] += words[k] & ones;
            bit[1][k] += words[k] >> 1 & ones;
            bit[2][k] += words[k] >> 2 & ones;
            three[k] += words[k] & words[k] >> 1 & ones;
        }
    }
    int64_t threes = sum_bytes(three), one = sum_bytes(bit[0]) - threes, two = sum_bytes(bit[1]) - threes,
            four = sum_bytes(bit[2]);
    counts[0] += blocks * COUNT_WORDS * (int64_t)sizeof(uint64_t) - one - two - threes - four;
    counts[1] += one;
    counts[2] += two;
    counts[3] += threes;
    counts[4] += four;
}

/// Whether some blocks have only the value 0.
static bool all_hidden(const uint8_t *bytes, int64_t blocks) {
    uint64_t any = 0, word;
    for (int64_t n = 0; n < blocks * COUNT_WORDS; n++) {
        memcpy(&word, bytes + n * (int64_t)sizeof word, sizeof word);
        any |= word;
    }
    return any == 0;
}

void lf__viewshed_count_row(const uint8_t *bytes, int64_t columns, int64_t counts[5]) {
    const int64_t size = COUNT_WORDS * (int64_t)sizeof(uint64_t);
    int64_t k = 0;
#if LF__X86
    if (lf_isa_best() >= LF_ISA_AVX2)
        k = lf__viewshed_count_avx2(bytes, columns, counts);
#endif
    while (columns - k >= size) {
        int64_t blocks = (columns - k) / size < COUNT_BLOCKS ? (columns - k) / size : COUNT_BLOCKS;
        if (all_hidden(bytes + k, blocks))
            counts[LF_VISIBILITY_HIDDEN] += blocks * size;
        else
            count_blocks(bytes + k, blocks, counts);
        k += blocks * size;
    }
    for (; k < columns; k++)
        if (bytes[k] < 5)
            counts[bytes[k]]++;
}

/// Rows are counted while they are in the cache; where they are consecutive, several as one.
static void resolve_rows(void *job, int64_t first, int64_t last, int worker) {
    run_resolving *a = job;
    lf__viewshed view = lf__viewshed_of(a->view, worker);
    int64_t counts[5] = {0}, walked = 0;
    lf__byte_plane seen = a->seen;
    int64_t columns = a->view->window.columns, many = 1;
    if (seen.row_step == (ptrdiff_t)columns && columns < COUNT_BYTES)
        many = COUNT_BYTES / columns;
    for (int64_t row = first, end; row < last; row = end) {
        end = last - row < many ? last : row + many;
        walked += lf__viewshed_resolve_rows(&view, seen, row, end);
        lf__viewshed_count_row(seen.bytes + row * seen.row_step, (end - row) * columns, counts);
    }
    __atomic_fetch_add(&a->stats.walked, walked, __ATOMIC_RELAXED);
    for (int k = 0; k < 5; k++)
        __atomic_fetch_add(&a->stats.counts[k], counts[k], __ATOMIC_RELAXED);
}

static lf_status resolve_all(const lf__viewshed *view, run_resolving *a) {
    int64_t rows = view->window.rows, tasks = ROW_TASKS_EACH * lf__host_workers(&view->def.host);
    tasks = tasks < ROW_TASKS ? tasks : ROW_TASKS;
    return run_reported(view, "lines", rows, rows / tasks > 1 ? rows / tasks : 1, resolve_rows, a);
}

// ---------------------------------------------------------------------------------------------------
// The sweep
// ---------------------------------------------------------------------------------------------------

/// Bins per sample at the end of a ring, and the least number of bins of a sector. More bins leave fewer
/// samples between their bounds, of which rough ground has many.
#define BINS_PER_SAMPLE 1.02
#define BINS_WHERE_ROUGH 2.5
#define BINS_WITH_FLOATS 2.25 // where most of these are decided in floats, by the last chunks
#define LEAST_BINS 28

/// Groups from which on a few of them show how rough the ground is. Of fewer the middle ones are most of the work: they give
/// up only where the ground is certainly rough, and what was done in vain is then little.
#define PROBE_GROUPS 13
#define ROUGH_SHARE 32
#define ROUGH_SHARE_OF_FEW 16

typedef struct run_sweeping {
    lf__sweep sweep;
    lf__chunk *chunks; ///< one per worker
    int rough_share;   ///< one sample between the bounds in so many: a group that is probed gives up
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
    chunk->give_up_share = s->rough_share;
    for (int64_t k = first; k < last; k++) {
        const lf__sector *sector = &sweep.sectors[k];
        bool vain = s->rough_share == ROUGH_SHARE_OF_FEW && !__atomic_load_n(&s->sounded, __ATOMIC_RELAXED);
        if (sector->groups == 0 || vain)
            continue;
        bool gave_up = !lf__sweep_group(&sweep, sector, sector->groups / 2, chunk);
        __atomic_fetch_add(&s->tested, chunk->tested, __ATOMIC_RELAXED);
        __atomic_fetch_add(&s->between, chunk->between, __ATOMIC_RELAXED);
        if (gave_up)
            __atomic_store_n(&s->sounded, false, __ATOMIC_RELAXED);
    }
    chunk->give_up_share = 0;
}

static int64_t groups_of(const lf__sweep *sweep) {
    int64_t groups = 0;
    for (int k = 0; k < sweep->sector_count; k++)
        groups += sweep->sectors[k].groups;
    return groups;
}

/// How rough is the ground? A few groups show it; they are not repeated if it is smooth.
static bool run_probe(const lf__viewshed *view, lf__byte_plane seen, run_sweeping *s) {
    s->rough_share = groups_of(&s->sweep) >= PROBE_GROUPS ? ROUGH_SHARE : ROUGH_SHARE_OF_FEW;
    s->sounded = true;
    s->tested = s->between = 0;
    lf__run(view->def.host.tasks, s->sweep.sector_count, 1, run_probe_sectors, s);
    double share = s->tested > 0 ? (double)s->between / (double)s->tested : 0;
    if (s->sounded || share < 1.0 / s->rough_share)
        return true;
    bool floats = s->sweep.in_parts && !s->sweep.sectors[0].both;
    return lf__sweep_start(&s->sweep, view, seen, floats ? BINS_WITH_FLOATS : BINS_WHERE_ROUGH, LEAST_BINS);
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
    if (lf__small_fits(&s.sweep)) {
        run_fill(view, seen, LF_VISIBILITY_HIDDEN);
        lf_status small = lf__small_run(&s.sweep);
        mark_own(view, seen);
        return small;
    }
    lf_status status = lf__allocate_array(&allocator, workers, sizeof *s.chunks, &chunks);
    if (status != LF_OK)
        return status;
    s.chunks = chunks;
    for (int64_t k = 0; k < workers; k++)
        s.chunks[k].give_up_share = 0;
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
    if (view->world)
        return lf__targets_run(view, seen, stats);
    if (lf__viewshed_crosses(view))
        return lf__viewshed_run_wrapped(view, seen, stats);
    lf_window w = view->window,
              reach = lf__viewshed_common(w, lf__viewshed_near(view->grid, &view->def, view->at));
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
    near.window = lf__viewshed_common(view->window, lf__viewshed_near(view->grid, &def, view->at));
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
        status = resolve_all(view, &a);
    if (status != LF_OK || !stats)
        return status;
    stats->walked += a.stats.walked;
    for (int k = 0; k < 5; k++)
        stats->counts[k] += a.stats.counts[k];
    return LF_OK;
}
