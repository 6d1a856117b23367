/// Skylines of all posts of a window, and how much sky they leave.
#include "geom/angle.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include "sight/horizon.h"
#include <string.h>

/// What each worker does between two reports.
#define SHARES 8

#define MOST_DIRECTIONS 720

static lf_status check_window(const lf_grid *grid, lf_window w, lf_error *error) {
    int64_t columns = lf__grid_columns(grid);
    if (w.column < 0 || w.row < 0 || w.columns < 1 || w.rows < 1 || w.column >= columns ||
        w.row >= grid->rows || w.columns > columns - w.column || w.rows > grid->rows - w.row)
        return lf__fail(
            error, LF_BAD_ARGUMENT, -1,
            "the window of %lld x %lld posts from column %lld, row %lld on is not within the grid's "
            "%lld x %lld",
            (long long)w.columns, (long long)w.rows, (long long)w.column, (long long)w.row,
            (long long)columns, (long long)grid->rows);
    return LF_OK;
}

lf_status lf__horizon_def_read(const lf_grid *grid, const lf_horizon_def *given, lf_window window,
                               lf_horizon_def *def, lf_error *error) {
    *def = lf_horizon_def_default();
    if (!grid)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "grid is NULL");
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    if (!status)
        status = lf__bearing_check(&def->rules, def->range, error);
    if (!status && !isfinite(def->height))
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "height is %g: must be finite", def->height);
    if (!status)
        status = check_window(grid, window, error);
    // The sun and the horizon may come from anywhere.
    lf_vec2 low = {-LF_INFINITY, -LF_INFINITY}, high = {LF_INFINITY, LF_INFINITY};
    return status ? status : lf__grid_secure(grid, low, high, error);
}

typedef struct band {
    lf_task *task;
    void *job;
    int64_t first;
} band;

static void run_band(void *job, int64_t first, int64_t last, int worker) {
    const band *b = job;
    b->task(b->job, b->first + first, b->first + last, worker);
}

lf_status lf__horizon_run(const lf__horizon_rows *rows, lf_task *task, void *job) {
    const lf_tasks *tasks = rows->host->tasks;
    int64_t total = rows->parts * rows->rows, before = rows->part * rows->rows;
    int64_t at_once = rows->grain * SHARES * (tasks && tasks->workers > 1 ? tasks->workers : 1);
    for (int64_t row = 0; row < rows->rows; row += at_once) {
        if (!lf__report(rows->host, rows->stage, before + row, total))
            return LF_CANCELLED;
        band b = {task, job, row};
        int64_t left = rows->rows - row;
        lf__run(tasks, left < at_once ? left : at_once, rows->grain, run_band, &b);
    }
    return lf__report(rows->host, rows->stage, before + rows->rows, total) ? LF_OK : LF_CANCELLED;
}

typedef struct map {
    const lf_grid *grid;
    lf__views views;
    const lf_horizon_def *def;
    lf_window window;
    char *values; ///< of the window's first post
    ptrdiff_t row_step;
    double azimuth_deg;
    int directions; ///< 0: the elevation at the azimuth
} map;

/// The line of a post; the range is closed.
static lf__sight_line post_line(const map *m, const lf__bearing *bearing, int64_t i, int64_t j) {
    lf_vec3 from = {(double)i, (double)j, lf__grid_height(m->grid, i, j) + m->def->height};
    lf__sight_line line = lf__bearing_line(m->grid, bearing, from, 0, m->def->range);
    line.closed = true;
    return line;
}

/// A direction, as the posts of a row know it.
typedef struct look {
    lf__bearing bearing;
    double hint; ///< where the post before found its skyline
} look;

static double azimuth_of(const map *m, int k) {
    return m->directions == 0 ? m->azimuth_deg : 360.0 * k / m->directions;
}

/// The bearings at a post.
static void take_bearings(const map *m, int64_t i, int64_t j, look *looks) {
    lf_vec2 place = lf__post_place(m->grid, i, j);
    for (int k = 0; k < m->directions || k == 0; k++)
        looks[k].bearing = lf__bearing_of(m->grid, &m->def->rules, place, azimuth_of(m, k));
}

static double slope_of(const map *m, int64_t i, int64_t j, look *look, lf_counters *cost) {
    lf__sight_line line = post_line(m, &look->bearing, i, j);
    lf__skyline sky = lf__skyline_along(m->grid, &line, look->hint, cost);
    look->hint = sky.t;
    return sky.slope;
}

static double elevation_of(const map *m, int64_t i, int64_t j, look *look, lf_counters *cost) {
    double slope = slope_of(m, i, j, look, cost);
    return slope > -LF_INFINITY ? lf__atan2_deg(slope, 1) : -90;
}

static double share_of(const map *m, int64_t i, int64_t j, look *looks, lf_counters *cost) {
    double sum = 0;
    for (int k = 0; k < m->directions; k++) {
        double slope = slope_of(m, i, j, &looks[k], cost);
        sum += slope > 0 ? 1 / (1 + slope * slope) : 1;
    }
    return sum / m->directions;
}

static void fill_row(const map *m, int64_t row, look *looks, lf_counters *cost) {
    float *values = (float *)(void *)(m->values + row * m->row_step);
    int64_t j = m->window.row + row;
    // On degrees bearings go by the latitude.
    bool differ = m->def->rules.units == LF_MAP_DEGREES && m->grid->geotransform.per_column.y != 0;
    for (int64_t k = 0; k < m->window.columns; k++) {
        int64_t i = m->window.column + k;
        if (k == 0 || differ)
            take_bearings(m, i, j, looks);
        values[k] = lf__grid_bare(m->grid, i, j) ? (float)LF_NAN
                    : m->directions == 0         ? (float)elevation_of(m, i, j, looks, cost)
                                                 : (float)share_of(m, i, j, looks, cost);
    }
}

static void fill_rows(void *job, int64_t first, int64_t last, int worker) {
    map m = *(const map *)job;
    lf_counters cost = {.questions = 0};
    look looks[MOST_DIRECTIONS] = {{.hint = 0}};
    m.grid = lf__views_of(&m.views, worker);
    for (int64_t row = first; row < last; row++)
        fill_row(&m, row, looks, &cost);
}

static lf_status fill(map *m, const lf_horizon_def *given, float *values, ptrdiff_t row_step,
                      lf_error *error) {
    lf_horizon_def def;
    lf_status status = lf__horizon_def_read(m->grid, given, m->window, &def, error);
    if (!status && !values)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "the values are NULL");
    if (!status && row_step % (ptrdiff_t)sizeof *values != 0)
        status =
            lf__fail(error, LF_BAD_ARGUMENT, -1, "row_step is %lld: no multiple of 4", (long long)row_step);
    if (status)
        return status;
    m->def = &def;
    m->values = (char *)values;
    m->row_step = row_step ? row_step : m->window.columns * (ptrdiff_t)sizeof *values;
    lf__horizon_rows rows = {&def.host, "horizon", m->window.rows, 4, 0, 1};
    status = lf__views_open(&m->views, m->grid, &def.host);
    if (!status)
        status = lf__horizon_run(&rows, fill_rows, m);
    lf__views_close(&m->views);
    return status ? lf__fail_plain(error, status) : LF_OK;
}

lf_status lf_horizon_map(const lf_grid *grid, const lf_horizon_def *def, double azimuth_deg, lf_window window,
                         float *degrees, ptrdiff_t row_step, lf_error *error) {
    if (!isfinite(azimuth_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "azimuth_deg is %g: must be finite", azimuth_deg);
    map m = {.grid = grid, .window = window, .azimuth_deg = azimuth_deg};
    return fill(&m, def, degrees, row_step, error);
}

lf_status lf_sky_view(const lf_grid *grid, const lf_horizon_def *def, int directions, lf_window window,
                      float *share, ptrdiff_t row_step, lf_error *error) {
    if (directions < 1 || directions > MOST_DIRECTIONS)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "directions is %d: must be 1 .. %d", directions,
                        MOST_DIRECTIONS);
    map m = {.grid = grid, .window = window, .directions = directions};
    return fill(&m, def, share, row_step, error);
}
