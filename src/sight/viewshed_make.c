/// What viewsheds make: bytes, numbers, counts, bits.
#include "base/base.h"
#include "sight/viewshed_round.h"
#include "sight/viewshed_run.h"
#include <string.h>

/// Scratch: a byte per post.
static lf_status take_plane(const lf__view *view, lf_allocator *allocator, lf__plane *plane,
                            lf_error *error) {
    void *bytes;
    *allocator = lf__allocator_of(&view->def.host);
    lf_status status =
        lf__take_array(allocator, view->window.columns * view->window.rows, sizeof *plane->bytes, &bytes);
    *plane = (lf__plane){status == LF_OK ? bytes : NULL, (ptrdiff_t)view->window.columns};
    return status == LF_OK ? status : lf__fail_plain(error, status);
}

static void give_plane(const lf__view *view, const lf_allocator *allocator, const lf__plane *plane) {
    lf__give_array(allocator, plane->bytes, view->window.columns * view->window.rows, sizeof *plane->bytes);
}

/// What `stats` is to say of memory.
static void note_bytes(lf_viewshed_stats *stats, const lf__view *view, bool plane) {
    if (stats)
        stats->bytes += lf__view_scratch(view->grid, &view->def) +
                        (plane ? (size_t)view->window.columns * (size_t)view->window.rows : 0);
}

static lf_status told(lf_status status, lf_error *error) {
    return status == LF_OK ? status : lf__fail_plain(error, status);
}

/// Places for decoded tiles, where the grid is compressed.
static lf_status open_views(lf__view *view, lf__views *views, lf_error *error) {
    view->views = views;
    return told(lf__views_open(views, view->grid, &view->def.host), error);
}

lf_status lf_viewshed_visible(const lf_grid *grid, const lf_viewshed_def *def, const lf_observer *observer,
                           lf_window window, uint8_t *seen, ptrdiff_t row_step, lf_viewshed_stats *stats,
                           lf_error *error) {
    lf__view view = {.grid = grid, .window = window};
    lf_viewshed_stats found = {0};
    lf_status status = lf__view_check(grid, def, window, &view.def, error);
    if (status != LF_OK)
        return status;
    if (!observer || !seen || !lf__rows_fit(&row_step, window.columns, 1))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "observer or seen is NULL, or rows are %td bytes apart",
                        row_step);
    status = lf__view_start(&view, observer, -1, error);
    if (status != LF_OK)
        return status;
    lf__views views;
    status = open_views(&view, &views, error);
    if (status != LF_OK)
        return status;
    status = lf__view_run(&view, (lf__plane){seen, row_step}, &found);
    lf__views_close(&views);
    note_bytes(&found, &view, false);
    if (status == LF_OK && stats)
        *stats = found;
    return told(status, error);
}

// ---------------------------------------------------------------------------------------------------
// Numbers
// ---------------------------------------------------------------------------------------------------

typedef struct numbers {
    const lf__view *view;
    lf_viewshed_mode which;
    lf__plane seen;
    float *values;
    ptrdiff_t row_step;
    double pitch_low; ///< of least heights: what is lower is raised to it
    int64_t walked;
} numbers;

/// Least heights: nothing where it is visible on the ground, and not below the lowest pitch.
static double least_of(numbers *n, int64_t i, int64_t j, lf_visibility seen, int64_t *walked) {
    if (seen == LF_VISIBILITY_VOID || seen == LF_VISIBILITY_BEYOND)
        return LF_NAN;
    double ground = n->which == LF_VIEWSHED_DEM ? lf__grid_height(n->view->grid, i, j) : 0;
    double raise = lf__view_raise(n->view, i, j, n->pitch_low);
    if (isnan(raise))
        return LF_NAN;
    if (seen == LF_VISIBILITY_VISIBLE)
        return ground + fmax(0, raise);
    ++*walked;
    return ground + lf__view_least(n->view, i, j, raise);
}

static double number_of(numbers *n, int64_t i, int64_t j, lf_visibility seen, int64_t *walked) {
    if (n->which == LF_VIEWSHED_GROUND || n->which == LF_VIEWSHED_DEM)
        return least_of(n, i, j, seen, walked);
    if (seen != LF_VISIBILITY_VISIBLE)
        return LF_NAN;
    double distance = lf__view_distance(n->view, lf__view_post(n->view->grid, i, j));
    if (n->which == LF_VIEWSHED_DISTANCE)
        return distance;
    return lf__view_pitch(n->view, distance, lf__grid_height(n->view->grid, i, j) + n->view->def.target);
}

static void fill_rows(void *job, int64_t first, int64_t last, int worker) {
    numbers *all = job, own = *all, *n = &own;
    lf__view view = lf__view_of(all->view, worker);
    lf_window w = view.window;
    int64_t walked = 0;
    own.view = &view;
    for (int64_t row = first; row < last; row++) {
        float *values = (float *)(void *)((char *)n->values + row * n->row_step);
        const uint8_t *seen = n->seen.bytes + row * n->seen.row_step;
        for (int64_t column = 0; column < w.columns; column++)
            values[column] =
                (float)number_of(n, w.column + column, w.row + row, (lf_visibility)seen[column], &walked);
    }
    __atomic_fetch_add(&all->walked, walked, __ATOMIC_RELAXED);
}

lf_status lf_viewshed_values(const lf_grid *grid, const lf_viewshed_def *def, const lf_observer *observer,
                             lf_viewshed_mode which, lf_window window, float *values, ptrdiff_t row_step,
                             lf_viewshed_stats *stats, lf_error *error) {
    lf__view view = {.grid = grid, .window = window};
    lf_viewshed_stats found = {0};
    lf_status status = lf__view_check(grid, def, window, &view.def, error);
    if (status != LF_OK)
        return status;
    if (!observer || !values || !lf__rows_fit(&row_step, window.columns, sizeof *values) ||
        strcmp(lf_viewshed_mode_name(which), "?") == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "observer or values is NULL, rows are %td bytes apart, or there is no view %d",
                        row_step, (int)which);
    double pitch_low = view.def.pitch_low_deg;
    if (which == LF_VIEWSHED_GROUND || which == LF_VIEWSHED_DEM) {
        view.def.target = 0;
        view.def.pitch_low_deg = -90; // raises heights instead of leaving them out
    }
    status = lf__view_start(&view, observer, -1, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator;
    lf__plane seen;
    lf__views views;
    status = open_views(&view, &views, error);
    if (status != LF_OK)
        return status;
    status = take_plane(&view, &allocator, &seen, error);
    if (status != LF_OK) {
        lf__views_close(&views);
        return status;
    }
    numbers n = {&view, which, seen, values, row_step, pitch_low, 0};
    status = lf__view_run(&view, seen, &found);
    if (status == LF_OK)
        status = lf__view_crosses(&view) ? lf__view_values_round(&view, which, values, row_step, &n.walked)
                                         : lf__view_rows(&view, "numbers", window.rows, fill_rows, &n);
    found.walked += n.walked;
    note_bytes(&found, &view, true);
    if (status == LF_OK && stats)
        *stats = found;
    give_plane(&view, &allocator, &seen);
    lf__views_close(&views);
    return told(status, error);
}

// ---------------------------------------------------------------------------------------------------
// Several observers
// ---------------------------------------------------------------------------------------------------

/// What is done with what each observer sees.
typedef struct gathering {
    const lf__view *view;
    lf__plane seen;
    int64_t observer;
    uint32_t *counts; ///< or NULL
    ptrdiff_t row_step;
    uint8_t *planes; ///< or NULL
} gathering;

static void add_counts(const gathering *g, int64_t row) {
    uint32_t *counts = (uint32_t *)(void *)((char *)g->counts + row * g->row_step);
    const uint8_t *seen = g->seen.bytes + row * g->seen.row_step;
    for (int64_t column = 0; column < g->view->window.columns; column++)
        counts[column] += seen[column] == LF_VISIBILITY_VISIBLE;
}

static void add_bits(const gathering *g, int64_t row) {
    lf_window w = g->view->window;
    uint8_t *plane = g->planes + (g->observer / 8 * w.rows + row) * w.columns;
    const uint8_t *seen = g->seen.bytes + row * g->seen.row_step;
    for (int64_t column = 0; column < w.columns; column++)
        plane[column] |= (uint8_t)((seen[column] == LF_VISIBILITY_VISIBLE) << (g->observer % 8));
}

static void gather_rows(const gathering *g) {
    for (int64_t row = 0; row < g->view->window.rows; row++) {
        if (g->counts)
            add_counts(g, row);
        else
            add_bits(g, row);
    }
}

/// Nobody sees anything yet, and holes are holes.
static void clear_rows(const gathering *g, int64_t plane_count) {
    lf_window w = g->view->window;
    if (g->planes) {
        memset(g->planes, 0, (size_t)(plane_count * w.rows * w.columns));
        return;
    }
    for (int64_t row = 0; row < w.rows; row++)
        memset((char *)g->counts + row * g->row_step, 0, (size_t)w.columns * sizeof *g->counts);
}

static void mark_holes(const gathering *g) {
    lf_window w = g->view->window;
    for (int64_t row = 0; row < w.rows && g->counts && g->view->grid->holes; row++) {
        uint32_t *counts = (uint32_t *)(void *)((char *)g->counts + row * g->row_step);
        for (int64_t column = 0; column < w.columns; column++)
            if (lf__grid_bare(g->view->grid, w.column + column, w.row + row))
                counts[column] = UINT32_MAX;
    }
}

/// All observers are looked at before anything is written.
static lf_status check_observers(lf__view *view, const lf_observer *observers, int64_t count,
                                 lf_error *error) {
    if (count < 0 || (count > 0 && !observers) || count >= UINT32_MAX)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld observers, or their list is NULL",
                        (long long)count);
    for (int64_t k = 0; k < count; k++) {
        lf_status status = lf__view_start(view, &observers[k], k, error);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

static lf_status gather(gathering *g, lf__view *view, const lf_observer *observers, int64_t count,
                        lf_viewshed_stats *stats, lf_error *error) {
    lf_viewshed_stats found = {0};
    lf_allocator allocator;
    lf__views views;
    lf_status status = check_observers(view, observers, count, error);
    if (status == LF_OK)
        status = open_views(view, &views, error);
    if (status != LF_OK)
        return status;
    status = take_plane(view, &allocator, &g->seen, error);
    if (status != LF_OK) {
        lf__views_close(&views);
        return status;
    }
    g->view = view;
    clear_rows(g, count / 8 + (count % 8 != 0));
    for (int64_t k = 0; status == LF_OK && k < count; k++) {
        status = lf__view_start(view, &observers[k], k, error);
        if (status == LF_OK)
            status = told(lf__view_run(view, g->seen, &found), error);
        g->observer = k;
        if (status == LF_OK)
            gather_rows(g);
    }
    mark_holes(g);
    note_bytes(&found, view, true);
    if (status == LF_OK && stats)
        *stats = found;
    give_plane(view, &allocator, &g->seen);
    lf__views_close(&views);
    return status;
}

lf_status lf_viewshed_count(const lf_grid *grid, const lf_viewshed_def *def, const lf_observer *observers,
                            int64_t observer_count, lf_window window, uint32_t *counts, ptrdiff_t row_step,
                            lf_viewshed_stats *stats, lf_error *error) {
    lf__view view = {.grid = grid, .window = window};
    lf_status status = lf__view_check(grid, def, window, &view.def, error);
    if (status != LF_OK)
        return status;
    if (!counts || !lf__rows_fit(&row_step, window.columns, sizeof *counts))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "counts is NULL, or its rows are %td bytes apart",
                        row_step);
    gathering g = {.counts = counts, .row_step = row_step};
    return gather(&g, &view, observers, observer_count, stats, error);
}

lf_status lf_viewshed_who(const lf_grid *grid, const lf_viewshed_def *def, const lf_observer *observers,
                          int64_t observer_count, lf_window window, uint8_t *planes, lf_viewshed_stats *stats,
                          lf_error *error) {
    lf__view view = {.grid = grid, .window = window};
    lf_status status = lf__view_check(grid, def, window, &view.def, error);
    if (status != LF_OK)
        return status;
    if (!planes && observer_count > 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "planes is NULL");
    gathering g = {.planes = planes};
    if (observer_count == 0) // nothing to write
        return LF_OK;
    return gather(&g, &view, observers, observer_count, stats, error);
}
