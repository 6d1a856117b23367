/// Viewsheds of many observers: counts, and who sees what.
#include "base/base.h"
#include "base/containers.h"
#include "sight/sight.h"
#include "sight/viewshed.h"
#include "sight/viewshed_sweep.h"
#include "sight/viewshed_world.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// A viewshed for each observer
// ---------------------------------------------------------------------------------------------------

/// An observer in the order in which they are taken: neighbours one after the other, because most samples that one of them reads, and
/// the counts that it adds to, are in the cache from the one before.
typedef struct many_place {
    uint64_t key; ///< along a curve of squares, each within a larger one
    int64_t observer;
} many_place;

typedef struct many_run {
    const lf__viewshed *view; ///< of the whole window
    const lf_observer *observers;
    const lf__viewshed_visitor *visitor;
    lf__byte_plane plane; ///< of the whole window; with several threads each has a part of it
    int64_t most;         ///< samples that an observer reaches, at most
    int64_t voids;        ///< of the whole window
    lf_viewshed_stats *stats;
    lf__chunk *chunks; ///< scratch of each thread
    many_place *order; ///< by place
    bool parallel;     ///< observers, not the parts of one viewshed, are shared among the threads
    int failed;        ///< lf_status of one that failed
} many_run;

lf_window lf__viewshed_reached(const lf__viewshed *view, lf_window whole, const lf_observer *observer) {
    bool all = view->world || view->grid->turn > 0 || !isfinite(observer->at.x) || !isfinite(observer->at.y);
    return all ? whole : lf__viewshed_common(whole, lf__viewshed_near(view->grid, &view->def, observer->at));
}

/// The viewshed of one observer: only what its range reaches is examined, the rest is beyond or void.
static lf_status run_observer(many_run *run, lf__viewshed *view, lf__byte_plane seen, int64_t k,
                              lf_error *error) {
    lf_window whole = run->view->window;
    lf_viewshed_stats found = {0};
    view->window = lf__viewshed_reached(view, whole, &run->observers[k]);
    lf_status status = LF_OK;
    if (view->window.columns > 0) {
        seen.row_step = (ptrdiff_t)view->window.columns;
        status = lf__viewshed_start(view, &run->observers[k], k, error);
        if (status == LF_OK)
            status = lf__viewshed_run(view, seen, &found);
        if (status == LF_OK)
            run->visitor->take(run->visitor->user, view, seen, k, run->parallel);
    }
    int64_t others = whole.columns * whole.rows - view->window.columns * view->window.rows;
    if (others > 0) {
        int64_t voids = run->voids - found.counts[LF_VISIBILITY_VOID];
        found.counts[LF_VISIBILITY_VOID] += voids;
        found.counts[LF_VISIBILITY_BEYOND] += others - voids;
    }
    for (int c = 0; c < 5; c++)
        __atomic_fetch_add(&run->stats->counts[c], found.counts[c], __ATOMIC_RELAXED);
    __atomic_fetch_add(&run->stats->walked, found.walked, __ATOMIC_RELAXED);
    return status;
}

/// The scratch memory of a thread: the only block that a viewshed takes. Hosts' allocators need not be fit for several threads.
typedef struct many_slot {
    lf__chunk *chunk;
    bool taken;
} many_slot;

static void *slot_resize(void *user, void *old, size_t old_size, size_t new_size, size_t alignment) {
    many_slot *slot = user;
    (void)old;
    (void)old_size;
    (void)alignment;
    if (new_size == 0 || slot->taken || new_size > sizeof *slot->chunk) {
        slot->taken &= new_size > 0;
        return NULL;
    }
    slot->taken = true;
    return slot->chunk;
}

#define PLACE_SAMPLES 16 // along a side of the squares within which observers are not sorted

/// The bits of x and y in turns.
static uint64_t mix_bits(uint64_t x, uint64_t y) {
    uint64_t key = 0;
    for (int bit = 0; bit < 32; bit++)
        key |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
    return key;
}

static uint64_t place_key(const lf__viewshed *view, const lf_observer *observer) {
    lf_vec2 at = lf__sight_place(view->grid, observer->at);
    double x = fmin(fmax((at.x - (double)view->window.column) / PLACE_SAMPLES + 1, 0), UINT32_MAX),
           y = fmin(fmax((at.y - (double)view->window.row) / PLACE_SAMPLES + 1, 0), UINT32_MAX);
    return isfinite(at.x) && isfinite(at.y) ? mix_bits((uint64_t)x, (uint64_t)y) : 0;
}

static bool place_before(const void *items, int64_t i, int64_t j) {
    const many_place *a = (const many_place *)items + i, *b = (const many_place *)items + j;
    return a->key != b->key ? a->key < b->key : a->observer < b->observer;
}

static void swap_places(void *items, int64_t i, int64_t j) {
    many_place *order = items, first = order[i];
    order[i] = order[j];
    order[j] = first;
}

static void sort_places(const many_run *run, int64_t count) {
    const lf__heap heap = {run->order, place_before, swap_places};
    for (int64_t k = 0; k < count; k++) {
        run->order[k] = (many_place){place_key(run->view, &run->observers[k]), k};
        lf__heap_up(&heap, k);
    }
    lf__heap_sort(&heap, count);
}

/// Some observers on one thread, which has a part of the plane and its own view of the grid.
static void run_share(void *job, int64_t first, int64_t last, int worker) {
    many_run *run = job;
    lf__viewshed view = lf__viewshed_of(run->view, worker);
    lf__views own = {.grid = view.grid};
    lf__byte_plane seen = {run->plane.bytes + worker * run->most, 0};
    many_slot slot = {&run->chunks[worker], false};
    lf_allocator allocator = {&slot, slot_resize};
    view.views = &own;
    view.def.host.allocator = &allocator;
    view.def.host.tasks = NULL;
    view.def.host.progress = NULL;
    for (int64_t k = first; k < last && __atomic_load_n(&run->failed, __ATOMIC_RELAXED) == LF_OK; k++) {
        lf_status status = run_observer(run, &view, seen, run->order[k].observer, NULL);
        if (status != LF_OK)
            __atomic_store_n(&run->failed, (int)status, __ATOMIC_RELAXED);
    }
}

/// All observers are checked before anything is computed. The most samples that one reaches are noted.
static lf_status check_observers(many_run *run, int64_t count, lf_error *error) {
    lf__viewshed view = *run->view;
    if (count < 0 || (count > 0 && !run->observers) || count >= UINT32_MAX)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld observers, or their list is NULL",
                        (long long)count);
    for (int64_t k = 0; k < count; k++) {
        view.window = lf__viewshed_reached(&view, run->view->window, &run->observers[k]);
        lf_status status =
            view.window.columns > 0 ? lf__viewshed_start(&view, &run->observers[k], k, error) : LF_OK;
        if (status != LF_OK)
            return status;
        int64_t samples = view.window.columns * view.window.rows;
        run->most = samples > run->most ? samples : run->most;
    }
    return LF_OK;
}

lf_status lf__viewshed_each(const lf__viewshed *view, const lf_observer *observers, int64_t count,
                            const lf__viewshed_visitor *visitor, lf_viewshed_stats *stats, lf_error *error) {
    int64_t samples = view->window.columns * view->window.rows;
    int workers = lf__host_workers(&view->def.host);
    lf_allocator allocator;
    many_run run = {.view = view, .observers = observers, .visitor = visitor, .stats = stats};
    lf_status status = check_observers(&run, count, error);
    if (status == LF_OK)
        status = lf__viewshed_plane(view, &allocator, &run.plane, error);
    if (status != LF_OK)
        return status;
    status = lf__allocate_array(&allocator, count, sizeof *run.order, (void **)&run.order);
    if (status != LF_OK) {
        lf__viewshed_plane_free(view, &allocator, &run.plane);
        return lf__fail_plain(error, status);
    }
    sort_places(&run, count);
    run.voids = view->world ? 0 : lf__viewshed_voids(view->grid, view->window);
    run.parallel = !view->world && workers > 1 && count >= workers && run.most <= samples / workers;
    if (run.parallel) {
        void *chunks = NULL;
        status = lf__allocate_array(&allocator, workers, sizeof *run.chunks, &chunks);
        run.chunks = chunks;
        if (status == LF_OK) {
            visitor->begin(visitor->user);
            status = lf__viewshed_rows(view, "observers", count, run_share, &run);
        }
        if (chunks)
            lf__free_array(&allocator, chunks, workers, sizeof *run.chunks);
        status = lf__viewshed_status(status == LF_OK ? (lf_status)run.failed : status, error);
    }
    if (!run.parallel)
        visitor->begin(visitor->user);
    for (int64_t k = 0; k < count && status == LF_OK && !run.parallel; k++) {
        lf__viewshed own = *view;
        status =
            lf__viewshed_status(run_observer(&run, &own, run.plane, run.order[k].observer, error), error);
    }
    lf__free_array(&allocator, run.order, count, sizeof *run.order);
    lf__viewshed_plane_free(view, &allocator, &run.plane);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Counts and planes
// ---------------------------------------------------------------------------------------------------

/// What is accumulated over the observers.
typedef struct viewshed_gathering {
    lf_window whole;
    uint32_t *counts; ///< or NULL
    ptrdiff_t row_step;
    uint8_t *planes; ///< or NULL
    int64_t plane_count;
} viewshed_gathering;

/// The counts of a row are those of other observers too: with several threads each is added at once.
static void add_counts(const viewshed_gathering *g, lf_window w, const uint8_t *seen, int64_t row,
                       bool many) {
    uint32_t *counts = (uint32_t *)(void *)((char *)g->counts + (w.row - g->whole.row + row) * g->row_step) +
                       (w.column - g->whole.column);
    for (int64_t column = 0; column < w.columns && !many; column++)
        counts[column] += seen[column] == LF_VISIBILITY_VISIBLE;
    for (int64_t column = 0; column < w.columns && many; column++)
        if (seen[column] == LF_VISIBILITY_VISIBLE)
            __atomic_fetch_add(&counts[column], 1, __ATOMIC_RELAXED);
}

static void add_bits(const viewshed_gathering *g, lf_window w, const uint8_t *seen, int64_t row,
                     int64_t observer) {
    int64_t line = observer / 8 * g->whole.rows + w.row - g->whole.row + row;
    uint8_t *plane = g->planes + line * g->whole.columns + (w.column - g->whole.column);
    for (int64_t column = 0; column < w.columns; column++)
        if (seen[column] == LF_VISIBILITY_VISIBLE)
            __atomic_fetch_or(&plane[column], (uint8_t)(1 << (observer % 8)), __ATOMIC_RELAXED);
}

static void gather_observer(void *user, const lf__viewshed *view, lf__byte_plane seen, int64_t observer,
                            bool many) {
    const viewshed_gathering *g = user;
    for (int64_t row = 0; row < view->window.rows; row++) {
        const uint8_t *bytes = seen.bytes + row * seen.row_step;
        if (g->counts)
            add_counts(g, view->window, bytes, row, many);
        else
            add_bits(g, view->window, bytes, row, observer);
    }
}

/// No observer sees anything yet.
static void clear_rows(void *user) {
    const viewshed_gathering *g = user;
    lf_window w = g->whole;
    if (g->planes) {
        memset(g->planes, 0, (size_t)(g->plane_count * w.rows * w.columns));
        return;
    }
    for (int64_t row = 0; row < w.rows; row++)
        memset((char *)g->counts + row * g->row_step, 0, (size_t)w.columns * sizeof *g->counts);
}

static void mark_voids(const viewshed_gathering *g, const lf__viewshed *view) {
    lf_window w = g->whole;
    for (int64_t row = 0; row < w.rows && g->counts && (view->world || view->grid->voids); row++) {
        uint32_t *counts = (uint32_t *)(void *)((char *)g->counts + row * g->row_step);
        for (int64_t column = 0; column < w.columns; column++) {
            int64_t i = w.column + column, j = w.row + row;
            if (view->world ? isnan(lf__targets_ground(view, i, j)) : lf__grid_bare(view->grid, i, j))
                counts[column] = UINT32_MAX;
        }
    }
}

static lf_status viewshed_gather(viewshed_gathering *g, lf__viewshed *view, lf__targets *world,
                                 const lf_observer *observers, int64_t count, lf_viewshed_stats *stats,
                                 lf_error *error) {
    lf_viewshed_stats found = {0};
    lf__views views;
    lf_status status = lf__viewshed_begin(view, world, &views, error);
    if (status != LF_OK)
        return status;
    g->whole = view->window;
    g->plane_count = count / 8 + (count % 8 != 0);
    lf__viewshed_visitor visitor = {g, clear_rows, gather_observer};
    status = lf__viewshed_each(view, observers, count, &visitor, &found, error);
    if (status == LF_OK)
        mark_voids(g, view);
    lf__viewshed_note(&found, view, true);
    if (status == LF_OK && stats)
        *stats = found;
    lf__viewshed_end(view, world, &views);
    return status;
}

lf_status lf_viewshed_count(const lf_ground *ground, const lf_viewshed_def *def, const lf_observer *observers,
                            int64_t observer_count, lf_window window, uint32_t *counts, ptrdiff_t row_step,
                            lf_viewshed_stats *stats, lf_error *error) {
    lf__viewshed view = {.window = window};
    lf__targets world;
    lf_status status = lf__viewshed_open(&view, &world, ground, def, error);
    if (status != LF_OK)
        return status;
    if (!counts || !lf__viewshed_rows_fit(&row_step, window.columns, sizeof *counts))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "counts is NULL, or its rows are %td bytes apart",
                        row_step);
    viewshed_gathering g = {.counts = counts, .row_step = row_step};
    return viewshed_gather(&g, &view, &world, observers, observer_count, stats, error);
}

lf_status lf_viewshed_who(const lf_ground *ground, const lf_viewshed_def *def, const lf_observer *observers,
                          int64_t observer_count, lf_window window, uint8_t *planes, lf_viewshed_stats *stats,
                          lf_error *error) {
    lf__viewshed view = {.window = window};
    lf__targets world;
    lf_status status = lf__viewshed_open(&view, &world, ground, def, error);
    if (status != LF_OK)
        return status;
    if (!planes && observer_count > 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "planes is NULL");
    viewshed_gathering g = {.planes = planes};
    if (observer_count == 0) // nothing to write
        return LF_OK;
    return viewshed_gather(&g, &view, &world, observers, observer_count, stats, error);
}
