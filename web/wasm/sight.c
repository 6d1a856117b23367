/// Lines of sight, viewsheds, horizons and the sun, with flat arguments.
#include "web.h"

// ---------------------------------------------------------------------------------------------------
// Sight
// ---------------------------------------------------------------------------------------------------

/// Rules of sight from four numbers: curvature coefficient, earth radius, what voids do, frequency.
static lf_sight_rules rules_of(const web_ground *g, const double *numbers) {
    lf_sight_rules rules = lf_sight_rules_default();
    rules.curvature = (lf_curvature){numbers[0], numbers[1]};
    rules.voids = (lf_void_policy)numbers[2];
    rules.frequency_mhz = numbers[3];
    rules.units = g->units;
    return rules;
}

/// The point above the topmost ground, as a reason: 0 is an answer.
WEB int web_observer(const web_ground *g, double x, double y, double above, double *point) {
    lf_vec3 at = {0, 0, 0};
    lf_reason reason = LF_REASON_NONE;
    lf_status status = lf_sight_observer(g->ground, (lf_vec2){x, y}, above, &at, &reason);
    memcpy(point, &at, sizeof at);
    return status == LF_OK ? (int)reason : web_fail(status, NULL);
}

/// One line in detail: verdict, t, point (3), length, clearance, clearance_t, raise, raise_t, fresnel, fresnel_t.
WEB int web_sight(const web_ground *g, const double *numbers, const double *ends, double *out) {
    lf_sight_rules rules = rules_of(g, numbers);
    lf_sight s;
    rules.detail = true;
    lf_status status = lf_sight_between(g->ground, &rules, (lf_vec3){ends[0], ends[1], ends[2]},
                                        (lf_vec3){ends[3], ends[4], ends[5]}, &s, NULL);
    if (status != LF_OK)
        return web_fail(status, NULL);
    double all[] = {(double)s.verdict, s.t,           s.point.x, s.point.y, s.point.z, s.length,
                    s.clearance,       s.clearance_t, s.raise,   s.raise_t, s.fresnel, s.fresnel_t};
    memcpy(out, all, sizeof all);
    return 0;
}

/// Verdicts of lines; with `same` all begin at the first of a.
WEB int web_verdicts(const web_ground *g, const double *numbers, const double *a, int same, const double *b,
                     int count, uint8_t *verdicts) {
    lf_sight_rules rules = rules_of(g, numbers);
    lf_status status =
        lf_sight_verdicts(g->ground, &rules, (const lf_vec3 *)(const void *)a, same ? LF_STRIDE_SAME : 0,
                          (const lf_vec3 *)(const void *)b, 0, count, verdicts, web_tasks());
    return status == LF_OK ? 0 : web_fail(status, NULL);
}

/// A profile; returns how many points there are, of which at most capacity are written (t, distance, ground, line).
WEB int web_profile(const web_ground *g, const double *numbers, const double *ends, int steps, double *points,
                    int capacity) {
    lf_sight_rules rules = rules_of(g, numbers);
    int64_t count = 0;
    lf_status status = lf_sight_profile(g->ground, &rules, (lf_vec3){ends[0], ends[1], ends[2]},
                                        (lf_vec3){ends[3], ends[4], ends[5]}, steps,
                                        (lf_profile_point *)(void *)points, capacity, &count);
    return status < 0 ? web_fail(status, NULL) : (int)count;
}

/// Where results have their samples: zeros where that is the ground's own grid.
static lf_lattice lattice_of(const web_ground *g) {
    return g->raster ? (lf_lattice){0} : g->lattice;
}

static int64_t rows_in(const web_ground *g) {
    return g->raster ? lf_grid_window(g->raster).rows : g->lattice.rows;
}

/// The definition of a viewshed: rules (4), target, range (2), azimuths (2), pitches (2).
static lf_viewshed_def viewshed_of(const web_ground *g, const double *n) {
    lf_viewshed_def def = lf_viewshed_def_default();
    def.host = web_host();
    def.rules = rules_of(g, n);
    def.target = n[4];
    def.range_min = n[5];
    def.range_max = n[6];
    def.azimuth_from_deg = n[7];
    def.azimuth_to_deg = n[8];
    def.pitch_low_deg = n[9];
    def.pitch_high_deg = n[10];
    def.lattice = lattice_of(g);
    return def;
}

/// A window in the caller's order of rows as the grid counts.
static lf_window window_of(const web_ground *g, const double *n) {
    lf_window window = {(int64_t)n[0], (int64_t)n[1], (int64_t)n[2], (int64_t)n[3]};
    if (g->north_up)
        window.row = rows_in(g) - window.row - window.rows;
    return window;
}

static void put_window(const web_ground *g, lf_window window, double *n) {
    if (g->north_up)
        window.row = rows_in(g) - window.row - window.rows;
    double numbers[] = {(double)window.column, (double)window.row, (double)window.columns,
                        (double)window.rows};
    memcpy(n, numbers, sizeof numbers);
}

/// First byte of the grid's first row in a result in the caller's order, and the step to its next row.
static void *rows_of(const web_ground *g, void *data, lf_window window, size_t item, ptrdiff_t *step) {
    ptrdiff_t row = (ptrdiff_t)(item * (size_t)window.columns);
    *step = g->north_up ? -row : row;
    return g->north_up ? (char *)data + row * (ptrdiff_t)(window.rows - 1) : data;
}

/// The window that an observer's range reaches.
WEB void web_viewshed_window(const web_ground *g, const double *def, double x, double y, double *window) {
    lf_viewshed_def d = viewshed_of(g, def);
    put_window(g, lf_viewshed_window(g->ground, &d, (lf_vec2){x, y}), window);
}

static void put_stats(const lf_viewshed_stats *stats, double *out) {
    for (int k = 0; k < 5; k++)
        out[k] = (double)stats->counts[k];
    out[5] = (double)stats->walked;
}

/// mode -1: a byte per sample (lf_visibility); otherwise a float (lf_viewshed_mode). observer: x, y, height, above datum or not.
WEB int web_viewshed(const web_ground *g, const double *def, const double *observer, int mode,
                     const double *window, void *result, double *stats) {
    lf_viewshed_def d = viewshed_of(g, def);
    lf_observer o = {{observer[0], observer[1]}, observer[2], observer[3] != 0};
    lf_window w = window_of(g, window);
    lf_viewshed_stats s;
    lf_error error = {0};
    ptrdiff_t step;
    void *rows = rows_of(g, result, w, mode < 0 ? 1 : sizeof(float), &step);
    lf_status status =
        mode < 0 ? lf_viewshed_visible(g->ground, &d, &o, w, rows, step, &s, &error)
                 : lf_viewshed_values(g->ground, &d, &o, (lf_viewshed_mode)mode, w, rows, step, &s, &error);
    if (status != LF_OK)
        return web_fail(status, &error);
    put_stats(&s, stats);
    return 0;
}

/// How many of the observers (4 numbers each) see each sample.
WEB int web_viewshed_count(const web_ground *g, const double *def, const double *observers, int count,
                           const double *window, uint32_t *counts, double *stats) {
    lf_viewshed_def d = viewshed_of(g, def);
    lf_window w = window_of(g, window);
    lf_observer *list = malloc(sizeof *list * (size_t)(count > 0 ? count : 1));
    lf_viewshed_stats s;
    lf_error error = {0};
    ptrdiff_t step;
    if (!list)
        return web_fail(LF_NO_MEMORY, NULL);
    for (int k = 0; k < count; k++) {
        const double *n = observers + 4 * (size_t)k;
        list[k] = (lf_observer){{n[0], n[1]}, n[2], n[3] != 0};
    }
    void *rows = rows_of(g, counts, w, sizeof *counts, &step);
    lf_status status = lf_viewshed_count(g->ground, &d, list, count, w, rows, step, &s, &error);
    free(list);
    if (status != LF_OK)
        return web_fail(status, &error);
    put_stats(&s, stats);
    return 0;
}

// ---------------------------------------------------------------------------------------------------
// Horizon and sun
// ---------------------------------------------------------------------------------------------------

/// Horizons around a point: elevation, distance, x, y, z of each azimuth; elevation -90 and distance 0 where there is no ground.
WEB int web_horizon(const web_ground *g, const double *numbers, const double *from, double range,
                    const double *azimuths, int count, double *out) {
    lf_sight_rules rules = rules_of(g, numbers);
    for (int k = 0; k < count; k++) {
        lf_horizon h;
        lf_status status = lf_horizon_at(g->ground, &rules, (lf_vec3){from[0], from[1], from[2]}, azimuths[k],
                                         range, &h, NULL);
        if (status != LF_OK)
            return web_fail(status, NULL);
        double *o = out + 5 * (size_t)k;
        o[0] = h.elevation_deg, o[1] = h.distance, o[2] = h.point.x, o[3] = h.point.y, o[4] = h.point.z;
    }
    return 0;
}

/// Which samples of a window the sun lights: lf_visibility.
WEB int web_shade(const web_ground *g, const double *numbers, double azimuth, double altitude,
                  const double *window, uint8_t *lit) {
    lf_horizon_def def = lf_horizon_def_default();
    lf_window w = window_of(g, window);
    lf_error error = {0};
    ptrdiff_t step;
    void *rows = rows_of(g, lit, w, 1, &step);
    def.host = web_host();
    def.rules = rules_of(g, numbers);
    def.lattice = lattice_of(g);
    lf_status status = lf_sun_shade(g->ground, &def, (lf_sun){azimuth, altitude, 0}, w, rows, step, &error);
    return status == LF_OK ? 0 : web_fail(status, &error);
}

/// Hours of sun of each sample of a window: suns of three numbers (azimuth, altitude, hours).
WEB int web_sun_hours(const web_ground *g, const double *numbers, const double *suns, int count,
                      const double *window, float *hours) {
    lf_horizon_def def = lf_horizon_def_default();
    lf_window w = window_of(g, window);
    lf_error error = {0};
    ptrdiff_t step;
    void *rows = rows_of(g, hours, w, sizeof *hours, &step);
    def.host = web_host();
    def.rules = rules_of(g, numbers);
    def.lattice = lattice_of(g);
    lf_status status =
        lf_sun_hours(g->ground, &def, (const lf_sun *)(const void *)suns, count, w, rows, step, &error);
    return status == LF_OK ? 0 : web_fail(status, &error);
}
