/// Viewsheds: what is asked, by whom, and where the answers go.
#include "base/base.h"
#include "base/size.h"
#include "grid/guard.h"
#include "sight/pair.h"
#include "sight/viewshed_round.h"
#include "sight/viewshed_run.h"
#include <string.h>

const char *lf_visibility_name(lf_visibility seen) {
    switch (seen) {
#define LF_SEEN_CASE(name, value, word) \
    case name:                          \
        return word;
        LF_VISIBILITY_LIST(LF_SEEN_CASE)
#undef LF_SEEN_CASE
    }
    return "?";
}

const char *lf_viewshed_mode_name(lf_viewshed_mode view) {
    switch (view) {
#define LF_VIEW_CASE(name, value, word) \
    case name:                          \
        return word;
        LF_VIEWSHED_LIST(LF_VIEW_CASE)
#undef LF_VIEW_CASE
    }
    return "?";
}

// ---------------------------------------------------------------------------------------------------
// What may be asked
// ---------------------------------------------------------------------------------------------------

static lf_status check_limits(const lf_viewshed_def *def, lf_error *error) {
    if (!isfinite(def->target))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the target's height %g is not finite", def->target);
    if (!(def->range_min >= 0) || !(def->range_max >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a range from %g to %g is none", def->range_min,
                        def->range_max);
    if (!isfinite(def->azimuth_from_deg) || !isfinite(def->azimuth_to_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "azimuths from %g to %g are not finite",
                        def->azimuth_from_deg, def->azimuth_to_deg);
    if (isnan(def->pitch_low_deg) || isnan(def->pitch_high_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "pitches from %g to %g are none", def->pitch_low_deg,
                        def->pitch_high_deg);
    return LF_OK;
}

/// The caller's def, checked, over the defaults.
static lf_status read_def(const lf_viewshed_def *given, lf_viewshed_def *def, lf_error *error) {
    *def = lf_viewshed_def_default();
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    if (status != LF_OK)
        return status;
    lf_sight_rules rules;
    if (lf__sight_rules_read(&def->rules, &rules) != LF_OK)
        return lf__fail(
            error, LF_BAD_ARGUMENT, -1, "bad rules of sight: bend %g, radius %g, span %d, holes %d",
            def->rules.curvature.coefficient, def->rules.curvature.radius, (int)def->rules.units, (int)def->rules.voids);
    def->rules = rules;
    return check_limits(def, error);
}

static bool window_fits(const lf_grid *grid, lf_window w) {
    int64_t columns = lf__grid_columns(grid);
    return w.column >= 0 && w.row >= 0 && w.columns > 0 && w.rows > 0 && w.columns <= columns &&
           w.rows <= grid->rows && w.column <= columns - w.columns && w.row <= grid->rows - w.rows;
}

lf_status lf__view_check(const lf_grid *grid, const lf_viewshed_def *given, lf_window window,
                         lf_viewshed_def *def, lf_error *error) {
    if (!grid)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "grid is NULL");
    lf_status status = read_def(given, def, error);
    if (status == LF_OK && !window_fits(grid, window))
        status = lf__fail(error, LF_BAD_ARGUMENT, -1,
                          "a window of %lld x %lld posts from %lld, %lld is not within the grid",
                          (long long)window.columns, (long long)window.rows, (long long)window.column,
                          (long long)window.row);
    return status;
}

/// Metres per unit of x and y at the observer: what a thousandth of a degree is there.
static void measure_degrees(lf__view *view) {
    view->degree_x = view->degree_y = 1;
    if (view->def.rules.units != LF_MAP_DEGREES)
        return;
    const lf_ellipsoid *e = &view->def.rules.ellipsoid;
    lf__sincos lat = lf__sincos_deg(view->at.y);
    double square = e->flattening * (2 - e->flattening), w = 1 - square * lat.sin * lat.sin;
    view->degree_x = LF__DEGREE * e->radius / sqrt(w) * lat.cos;
    view->degree_y = LF__DEGREE * e->radius * (1 - square) / (w * sqrt(w));
}

/// True east and north at the observer. False: its compass has none.
static bool find_north(lf__view *view, const lf_compass *compass) {
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

/// Where the observer's eye is above datum.
static lf_status stand(lf__view *view, const lf_observer *observer, int64_t index, lf_error *error) {
    view->z = observer->height;
    if (observer->datum)
        return LF_OK;
    lf_vec3 point = {0, 0, 0};
    lf_reason reason = LF_REASON_NONE;
    lf_status status = lf_sight_observer(&view->grid->ground, observer->at, observer->height, &point, &reason);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    if (reason != LF_REASON_ANSWERED)
        return lf__fail(error, LF_BAD_ARGUMENT, index,
                        "there is no ground (%s) at %.10g, %.10g to stand on: give a height above datum",
                        lf_reason_name(reason), observer->at.x, observer->at.y);
    view->z = point.z;
    return LF_OK;
}

/// Where there is a range: the squares of distances within the window, and how far they may be off.
void lf__view_measure(lf__view *view) {
    const lf_viewshed_def *d = &view->def;
    bool range = d->range_min > 0 || d->range_max < LF_INFINITY;
    view->squares_off = 2;
    if (!range || d->rules.units != LF_MAP_DEGREES)
        return;
    lf_vec2 far = lf__view_reach(view);
    lf__square_series_degrees(&d->rules.ellipsoid, view->at.y, &view->squares);
    // Both the series and geodesics are rounded.
    view->squares_off = lf__square_series_off(&view->squares, far.x, far.y) + 1e-12;
}

lf_status lf__view_start(lf__view *view, const lf_observer *observer, int64_t index, lf_error *error) {
    lf_vec3 end = {observer->at.x, observer->at.y, observer->height};
    if (!lf__sight_end_valid(&view->def.rules, end))
        return lf__fail(error, LF_BAD_ARGUMENT, index, "an observer at %.10g, %.10g, height %.10g is nowhere",
                        end.x, end.y, end.z);
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
                        "a compass with east %g, %g and north %g, %g: expected two directions",
                        compass->east.x, compass->east.y, compass->north.x, compass->north.y);
    view->limited = d->range_min > 0 || d->range_max < LF_INFINITY ||
                    d->azimuth_to_deg - d->azimuth_from_deg < 360 || d->pitch_low_deg > -90 ||
                    d->pitch_high_deg < 90;
    lf__view_measure(view);
    return stand(view, observer, index, error);
}

bool lf__rows_fit(ptrdiff_t *row_step, int64_t columns, size_t item) {
    ptrdiff_t width = (ptrdiff_t)(columns * (int64_t)item);
    if (*row_step == 0)
        *row_step = width;
    return (*row_step >= width || *row_step <= -width) && *row_step % (ptrdiff_t)item == 0;
}

// ---------------------------------------------------------------------------------------------------
// Before it runs
// ---------------------------------------------------------------------------------------------------

size_t lf_viewshed_bytes(const lf_grid *grid, const lf_viewshed_def *given, lf_window window) {
    lf_viewshed_def def;
    size_t plane, bytes;
    if (lf__view_check(grid, given, window, &def, NULL) != LF_OK ||
        !lf__size_mul((size_t)window.columns, (size_t)window.rows, &plane) ||
        !lf__size_add(plane, lf__view_scratch(grid, &def), &bytes) ||
        !lf__size_add(bytes, lf__view_round_bytes(grid, &def), &bytes))
        return 0;
    return bytes;
}

/// Columns or rows, within 0 .. count - 1, that are within reach of a place; false: none.
static bool reach(double at, double far, int64_t count, int64_t *first, int64_t *number) {
    double low = fmax(ceil(at - far - 1e-6), 0), high = fmin(floor(at + far + 1e-6), (double)(count - 1));
    if (!(low <= high))
        return false;
    *first = (int64_t)low;
    *number = (int64_t)high - *first + 1;
    return true;
}

lf_window lf_viewshed_window(const lf_grid *grid, const lf_viewshed_def *given, lf_vec2 at) {
    lf_window none = {0, 0, 0, 0}, window;
    lf_viewshed_def def;
    if (!grid || read_def(given, &def, NULL) != LF_OK || !isfinite(at.x) || !isfinite(at.y))
        return none;
    window = lf_grid_window(grid);
    if (!isfinite(def.range_max))
        return window;
    lf__view view = {.grid = grid, .def = def, .at = at, .eye = lf__sight_place(grid, at)};
    lf_vec2 far = lf__view_range_reach(grid, &def, at);
    // Over the seam a window cannot go: it has all columns then.
    if ((!lf__view_crosses(&view) &&
         !reach(view.eye.x, far.x, window.columns, &window.column, &window.columns)) ||
        !reach(view.eye.y, far.y, grid->rows, &window.row, &window.rows))
        return none;
    return window;
}
