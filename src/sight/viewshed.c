/// Viewsheds: definitions, observers and the public calls.
#include "sight/viewshed.h"
#include "base/base.h"
#include "grid/guard.h"
#include "sight/sight.h"
#include "sight/viewshed_world.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Definitions
// ---------------------------------------------------------------------------------------------------

static lf_status check_limits(const lf_viewshed_def *def, lf_error *error) {
    if (!isfinite(def->target))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "target %g: must be finite", def->target);
    if (!(def->range_min >= 0) || !(def->range_max >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "range_min %g, range_max %g: must be 0 or more",
                        def->range_min, def->range_max);
    if (!isfinite(def->azimuth_from_deg) || !isfinite(def->azimuth_to_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "azimuth_from_deg %g, azimuth_to_deg %g: must be finite",
                        def->azimuth_from_deg, def->azimuth_to_deg);
    if (isnan(def->pitch_low_deg) || isnan(def->pitch_high_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "pitch_low_deg %g, pitch_high_deg %g: must be numbers",
                        def->pitch_low_deg, def->pitch_high_deg);
    return LF_OK;
}

/// The caller's def over the defaults, checked.
static lf_status read_def(const lf_viewshed_def *given, lf_viewshed_def *def, lf_error *error) {
    *def = lf_viewshed_def_default();
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    if (status != LF_OK)
        return status;
    lf_sight_rules rules;
    if (lf__sight_rules_read(&def->rules, &rules) != LF_OK)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "rules: invalid: curvature coefficient %g, radius %g, units %d, voids %d",
                        def->rules.curvature.coefficient, def->rules.curvature.radius, (int)def->rules.units,
                        (int)def->rules.voids);
    def->rules = rules;
    return check_limits(def, error);
}

static bool window_fits(const lf_grid *grid, lf_window w) {
    int64_t columns = lf__grid_columns(grid);
    return w.column >= 0 && w.row >= 0 && w.columns > 0 && w.rows > 0 && w.columns <= columns &&
           w.rows <= grid->rows && w.column <= columns - w.columns && w.row <= grid->rows - w.rows;
}

static lf_status check_window_of(const lf_grid *grid, lf_window window, lf_error *error) {
    if (window_fits(grid, window))
        return LF_OK;
    return lf__fail(error, LF_BAD_ARGUMENT, -1,
                    "window: %lld x %lld samples from column %lld, row %lld: not within the grid",
                    (long long)window.columns, (long long)window.rows, (long long)window.column,
                    (long long)window.row);
}

lf_status lf__viewshed_check(const lf_grid *grid, const lf_viewshed_def *given, lf_window window,
                             lf_viewshed_def *def, lf_error *error) {
    lf_status status = read_def(given, def, error);
    return status == LF_OK ? check_window_of(grid, window, error) : status;
}

/// A ground and a def, checked: the view's grid, or world.
static lf_status view_find(lf__viewshed *view, lf__targets *world, const lf_ground *ground,
                           const lf_viewshed_def *given, lf_error *error) {
    bool is_world;
    if (!ground)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "ground is NULL");
    lf_status status = read_def(given, &view->def, error);
    lf__lattice_given lattice = {view->def.lattice, view->def.places};
    if (status == LF_OK)
        status = lf__targets_find(world, ground, &view->def.rules, &lattice, &view->grid, &is_world, error);
    if (status == LF_OK)
        view->world = is_world ? world : NULL;
    return status;
}

/// The same, with a window.
lf_status lf__viewshed_open(lf__viewshed *view, lf__targets *world, const lf_ground *ground,
                            const lf_viewshed_def *given, lf_error *error) {
    lf_status status = view_find(view, world, ground, given, error);
    return status == LF_OK ? check_window_of(view->grid, view->window, error) : status;
}

/// Metres per unit of x and y at the observer, measured over a thousandth of a degree.
static void measure_degrees(lf__viewshed *view) {
    view->degree_x = view->degree_y = 1;
    if (view->def.rules.units != LF_MAP_DEGREES)
        return;
    const lf_ellipsoid *e = &view->def.rules.ellipsoid;
    lf__sincos lat = lf__sincos_deg(view->at.y);
    double square = e->flattening * (2 - e->flattening), w = 1 - square * lat.sin * lat.sin;
    view->degree_x = LF__DEGREE * e->radius / sqrt(w) * lat.cos;
    view->degree_y = LF__DEGREE * e->radius * (1 - square) / (w * sqrt(w));
}

/// True east and north at the observer. false: north is undefined there.
static bool find_north(lf__viewshed *view, const lf_compass *compass) {
    view->to_east = (lf_vec2){view->degree_x, 0};
    view->to_north = (lf_vec2){0, view->degree_y};
    if (!compass)
        return true;
    lf_vec2 east = compass->east, north = compass->north;
    double area = east.x * north.y - east.y * north.x;
    view->to_east = (lf_vec2){north.y / area, -north.x / area};
    view->to_north = (lf_vec2){-east.y / area, east.x / area};
    return isfinite(view->to_east.x) && isfinite(view->to_east.y) && isfinite(view->to_north.x) &&
           isfinite(view->to_north.y);
}

/// Height of the observer above datum.
static lf_status view_set_observer(lf__viewshed *view, const lf_observer *observer, int64_t index,
                                   lf_error *error) {
    view->z = observer->height;
    if (observer->datum)
        return LF_OK;
    if (view->world && view->world->globe)
        return LF_OK;
    lf_vec3 point = {0, 0, 0};
    lf_reason reason = LF_REASON_NONE;
    const lf_ground *ground = view->world ? view->world->ground : &view->grid->ground;
    lf_status status = lf_sight_observer(ground, observer->at, observer->height, &point, &reason);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    if (reason != LF_REASON_ANSWERED)
        return lf__fail(error, LF_BAD_ARGUMENT, index,
                        "there is no ground (%s) at %.10g, %.10g to stand on: give a height above datum",
                        lf_reason_name(reason), observer->at.x, observer->at.y);
    view->z = point.z;
    return LF_OK;
}

/// If there is a range: the squares of distances within the window, and their error.
void lf__viewshed_measure(lf__viewshed *view) {
    const lf_viewshed_def *d = &view->def;
    bool range = d->range_min > 0 || d->range_max < LF_INFINITY;
    view->squares_off = 2;
    if (!range || d->rules.units != LF_MAP_DEGREES)
        return;
    lf_vec2 far = lf__viewshed_reach(view);
    lf__square_series_degrees(&d->rules.ellipsoid, view->at.y, &view->squares);
    // Both the series and geodesics are rounded.
    view->squares_off = lf__square_series_off(&view->squares, far.x, far.y) + 1e-12;
}

lf_status lf__viewshed_start(lf__viewshed *view, const lf_observer *observer, int64_t index,
                             lf_error *error) {
    lf_vec3 end = {observer->at.x, observer->at.y, observer->height};
    if (!lf__sight_end_valid(&view->def.rules, end))
        return lf__fail(error, LF_BAD_ARGUMENT, index,
                        "observer at %.10g, %.10g, height %.10g: not a valid position", end.x, end.y, end.z);
    view->at = (lf_vec2){lf__grid_turned(view->grid, observer->at.x), observer->at.y};
    view->eye = lf__sight_place(view->grid, view->at);
    const lf_window *w = &view->window;
    lf_vec2 low = {fmin((double)w->column, view->eye.x), fmin((double)w->row, view->eye.y)};
    lf_vec2 high = {fmax((double)(w->column + w->columns), view->eye.x),
                    fmax((double)(w->row + w->rows), view->eye.y)};
    lf_status status = lf__grid_secure(view->grid, low, high, error);
    if (status != LF_OK)
        return status;
    measure_degrees(view);
    const lf_viewshed_def *d = &view->def;
    const lf_compass *compass = d->compasses ? &d->compasses[index < 0 ? 0 : index] : NULL;
    if (!find_north(view, compass))
        return lf__fail(error, LF_BAD_ARGUMENT, index,
                        "compass: east %g, %g and north %g, %g: expected two different directions",
                        compass->east.x, compass->east.y, compass->north.x, compass->north.y);
    view->limited = d->range_min > 0 || d->range_max < LF_INFINITY ||
                    d->azimuth_to_deg - d->azimuth_from_deg < 360 || d->pitch_low_deg > -90 ||
                    d->pitch_high_deg < 90;
    lf__viewshed_measure(view);
    status = view_set_observer(view, observer, index, error);
    if (status == LF_OK && view->world && view->world->globe)
        status = lf__targets_stand(view, observer, index, error);
    if (status == LF_OK && view->world)
        view->point = lf__targets_point(view->world, &view->def.rules.ellipsoid, view->at, view->z);
    return status;
}

/// Replace a row step of 0 by its default; false: rows of this many items do not fit.
bool lf__viewshed_rows_fit(ptrdiff_t *row_step, int64_t columns, size_t item) {
    ptrdiff_t width = (ptrdiff_t)(columns * (int64_t)item);
    if (*row_step == 0)
        *row_step = width;
    return (*row_step >= width || *row_step <= -width) && *row_step % (ptrdiff_t)item == 0;
}

// ---------------------------------------------------------------------------------------------------
// Windows
// ---------------------------------------------------------------------------------------------------

size_t lf_viewshed_bytes(const lf_ground *ground, const lf_viewshed_def *given, lf_window window) {
    lf__viewshed view = {.window = window};
    lf__targets world;
    size_t plane, bytes;
    if (lf__viewshed_open(&view, &world, ground, given, NULL) != LF_OK ||
        !lf__size_mul((size_t)window.columns, (size_t)window.rows, &plane) ||
        !lf__size_add(plane, lf__viewshed_scratch(view.grid, &view.def), &bytes) ||
        !lf__size_add(bytes, view.world ? lf__targets_bytes(view.world, window) : 0, &bytes) ||
        !lf__size_add(bytes, lf__viewshed_wrapped_bytes(view.grid, &view.def), &bytes))
        return 0;
    return bytes;
}

lf_window lf_viewshed_window(const lf_ground *ground, const lf_viewshed_def *given, lf_vec2 at) {
    lf_window none = {0, 0, 0, 0};
    lf__viewshed view = {.at = at};
    lf__targets world;
    if (view_find(&view, &world, ground, given, NULL) != LF_OK || !isfinite(at.x) || !isfinite(at.y))
        return none;
    bool globe = view.world && world.globe;
    return globe || view.def.places ? lf_grid_window(view.grid) : lf__viewshed_near(view.grid, &view.def, at);
}

// ---------------------------------------------------------------------------------------------------
// Public calls
// ---------------------------------------------------------------------------------------------------

/// Scratch: one byte per sample.
lf_status lf__viewshed_plane(const lf__viewshed *view, lf_allocator *allocator, lf__byte_plane *plane,
                             lf_error *error) {
    void *bytes;
    *allocator = lf__allocator_of(&view->def.host);
    lf_status status =
        lf__allocate_array(allocator, view->window.columns * view->window.rows, sizeof *plane->bytes, &bytes);
    *plane = (lf__byte_plane){status == LF_OK ? bytes : NULL, (ptrdiff_t)view->window.columns};
    return status == LF_OK ? status : lf__fail_plain(error, status);
}

void lf__viewshed_plane_free(const lf__viewshed *view, const lf_allocator *allocator,
                             const lf__byte_plane *plane) {
    lf__free_array(allocator, plane->bytes, view->window.columns * view->window.rows, sizeof *plane->bytes);
}

/// The memory that `stats` reports.
void lf__viewshed_note(lf_viewshed_stats *stats, const lf__viewshed *view, bool plane) {
    if (stats)
        stats->bytes += lf__viewshed_scratch(view->grid, &view->def) +
                        (view->world ? lf__targets_bytes(view->world, view->window) : 0) +
                        (plane ? (size_t)view->window.columns * (size_t)view->window.rows : 0);
}

lf_status lf__viewshed_status(lf_status status, lf_error *error) {
    return status == LF_OK ? status : lf__fail_plain(error, status);
}

/// Buffers for decoded tiles, if the grid is compressed; of a world its targets.
lf_status lf__viewshed_begin(lf__viewshed *view, lf__targets *world, lf__views *views, lf_error *error) {
    const lf_viewshed_def *def = &view->def;
    view->views = views;
    lf_status status = lf__views_open(views, view->grid, &def->host);
    if (status == LF_OK && view->world) {
        status = lf__targets_fill(world, &def->host, &def->rules, def->target_on, view->window);
        if (status != LF_OK)
            lf__views_close(views);
    }
    return lf__viewshed_status(status, error);
}

void lf__viewshed_end(const lf__viewshed *view, lf__targets *world, lf__views *views) {
    if (view->world)
        lf__targets_empty(world);
    lf__views_close(views);
}

lf_status lf_viewshed_visible(const lf_ground *ground, const lf_viewshed_def *def,
                              const lf_observer *observer, lf_window window, uint8_t *seen,
                              ptrdiff_t row_step, lf_viewshed_stats *stats, lf_error *error) {
    lf__viewshed view = {.window = window};
    lf__targets world;
    lf_viewshed_stats found = {0};
    lf_status status = lf__viewshed_open(&view, &world, ground, def, error);
    if (status != LF_OK)
        return status;
    if (!observer || !seen || !lf__viewshed_rows_fit(&row_step, window.columns, 1))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "observer or seen is NULL, or rows are %td bytes apart",
                        row_step);
    status = lf__viewshed_start(&view, observer, -1, error);
    if (status != LF_OK)
        return status;
    lf__views views;
    status = lf__viewshed_begin(&view, &world, &views, error);
    if (status != LF_OK)
        return status;
    status = lf__viewshed_run(&view, (lf__byte_plane){seen, row_step}, &found);
    lf__viewshed_end(&view, &world, &views);
    lf__viewshed_note(&found, &view, false);
    if (status == LF_OK && stats)
        *stats = found;
    return lf__viewshed_status(status, error);
}

// ---------------------------------------------------------------------------------------------------
// Values
// ---------------------------------------------------------------------------------------------------

typedef struct viewshed_numbers {
    const lf__viewshed *view;
    lf_viewshed_mode which;
    lf__byte_plane seen;
    float *values;
    ptrdiff_t row_step;
    double pitch_low; ///< of least heights: lower ones are raised to it
    bool least;       ///< the sweep writes those that it can compute
    int64_t walked;
} viewshed_numbers;

static void clear_values(const viewshed_numbers *n) {
    float none;
    memcpy(&none, &(uint32_t){LF__NOT_WRITTEN}, sizeof none);
    for (int64_t row = 0; row < n->view->window.rows; row++)
        for (int64_t column = 0; column < n->view->window.columns; column++)
            memcpy((char *)n->values + row * n->row_step + column * (ptrdiff_t)sizeof none, &none,
                   sizeof none);
}

/// Least heights: 0 where the ground itself is visible and not below the lowest pitch. `known` is from the sweep.
static double least_of(viewshed_numbers *n, int64_t i, int64_t j, lf_visibility seen, float known,
                       int64_t *walked) {
    if (seen == LF_VISIBILITY_VOID || seen == LF_VISIBILITY_BEYOND)
        return LF_NAN;
    double ground = n->which == LF_VIEWSHED_DEM ? lf__grid_height(n->view->grid, i, j) : 0;
    double raise = lf__viewshed_raise(n->view, i, j, n->pitch_low);
    if (isnan(raise))
        return LF_NAN;
    if (seen == LF_VISIBILITY_VISIBLE)
        return ground + fmax(0, raise);
    if (n->least && lf__is_written(known))
        return (double)known;
    ++*walked;
    return ground + lf__viewshed_least(n->view, i, j, raise, -LF_INFINITY);
}

static double number_of(viewshed_numbers *n, int64_t i, int64_t j, lf_visibility seen, float known,
                        int64_t *walked) {
    if (n->view->world)
        return lf__targets_number(n->view, i, j, n->which, n->pitch_low, seen, walked);
    if (n->which == LF_VIEWSHED_GROUND || n->which == LF_VIEWSHED_DEM)
        return least_of(n, i, j, seen, known, walked);
    if (seen != LF_VISIBILITY_VISIBLE)
        return LF_NAN;
    double distance = lf__viewshed_distance(n->view, lf__sample_place(n->view->grid, i, j));
    if (n->which == LF_VIEWSHED_DISTANCE)
        return distance;
    return lf__viewshed_pitch(n->view, distance, lf__grid_height(n->view->grid, i, j) + n->view->def.target);
}

static void viewshed_fill_rows(void *job, int64_t first, int64_t last, int worker) {
    viewshed_numbers *all = job, own = *all, *n = &own;
    lf__viewshed view = lf__viewshed_of(all->view, worker);
    lf_window w = view.window;
    int64_t walked = 0;
    own.view = &view;
    for (int64_t row = first; row < last; row++) {
        float *values = (float *)(void *)((char *)n->values + row * n->row_step);
        const uint8_t *seen = n->seen.bytes + row * n->seen.row_step;
        for (int64_t column = 0; column < w.columns; column++)
            values[column] = (float)number_of(n, w.column + column, w.row + row, (lf_visibility)seen[column],
                                              values[column], &walked);
    }
    __atomic_fetch_add(&all->walked, walked, __ATOMIC_RELAXED);
}

lf_status lf_viewshed_values(const lf_ground *ground, const lf_viewshed_def *def, const lf_observer *observer,
                             lf_viewshed_mode which, lf_window window, float *values, ptrdiff_t row_step,
                             lf_viewshed_stats *stats, lf_error *error) {
    lf__viewshed view = {.window = window};
    lf__targets world;
    lf_viewshed_stats found = {0};
    lf_status status = lf__viewshed_open(&view, &world, ground, def, error);
    if (status != LF_OK)
        return status;
    if (!observer || !values || !lf__viewshed_rows_fit(&row_step, window.columns, sizeof *values) ||
        strcmp(lf_viewshed_mode_name(which), "?") == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "observer or values is NULL, rows are %td bytes apart, or there is no view %d",
                        row_step, (int)which);
    double pitch_low = view.def.pitch_low_deg;
    if (which == LF_VIEWSHED_GROUND || which == LF_VIEWSHED_DEM) {
        view.def.target = 0;
        view.def.pitch_low_deg = -90; // raises heights instead of excluding them
    }
    status = lf__viewshed_start(&view, observer, -1, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator;
    lf__byte_plane seen;
    lf__views views;
    status = lf__viewshed_begin(&view, &world, &views, error);
    if (status != LF_OK)
        return status;
    status = lf__viewshed_plane(&view, &allocator, &seen, error);
    if (status != LF_OK) {
        lf__viewshed_end(&view, &world, &views);
        return status;
    }
    viewshed_numbers n = {&view, which, seen, values, row_step, pitch_low, false, 0};
    lf__least_plane plane = {values,        row_step,   &n.walked,
                             window.column, window.row, which == LF_VIEWSHED_DEM};
    n.least = !view.world && (which == LF_VIEWSHED_GROUND || which == LF_VIEWSHED_DEM) &&
              !(pitch_low > -90) && !lf__viewshed_crosses(&view);
    if (n.least) {
        view.least = &plane;
        clear_values(&n);
    }
    status = lf__viewshed_run(&view, seen, &found);
    if (status == LF_OK)
        status = lf__viewshed_crosses(&view)
                     ? lf__viewshed_values_wrapped(&view, which, values, row_step, &n.walked)
                     : lf__viewshed_rows(&view, "numbers", window.rows, viewshed_fill_rows, &n);
    found.walked += n.walked;
    lf__viewshed_note(&found, &view, true);
    if (status == LF_OK && stats)
        *stats = found;
    lf__viewshed_plane_free(&view, &allocator, &seen);
    lf__viewshed_end(&view, &world, &views);
    return lf__viewshed_status(status, error);
}
