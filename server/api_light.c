/// /v1/horizon: the skyline of a place; /v1/sun: is a place in the sun, and for how many hours, or the shade of an area.
#include "raster_out.h"
#include <landfall/picture.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIRECTIONS 3600
#define SUNS 1500

/// A place on a raster, with true north there.
typedef struct viewpoint {
    site site;
    lf_sight_rules rules;
    lf_vec3 from;
    lf_compass compass;
    lf_vec2 lon_lat;
    double range;
} viewpoint;

static bool read_viewpoint(const request *request, viewpoint *view, reply *reply) {
    api_point at;
    double eye;
    lf_reason reason;
    if (!api_point_read(request, "at", &at, reply) ||
        !request_number(request, "eye", (range){2, -1e6, 1e6}, &eye, reply) ||
        !request_number(request, "range", (range){50000, 1, 1e9}, &view->range, reply) ||
        !site_choose(request, at.at, &view->site, reply) ||
        !site_rules(request, &view->site, &view->rules, reply))
        return false;
    if (!view->site.dataset->grid)
        return refuse(reply, 400, "dataset %s: holds a %s: expected a raster", view->site.dataset->name,
                      view->site.dataset->kind_name);
    if (!site_stand(&view->site, at.at, isnan(at.z) ? eye : at.z, &view->from, &reason, reply))
        return false;
    if (reason != LF_REASON_ANSWERED)
        return refuse(reply, 404, "at: no ground there: %s", lf_reason_name(reason));
    if (!dataset_compass(view->site.dataset, (lf_vec2){view->from.x, view->from.y}, &view->compass,
                         &view->lon_lat))
        return refuse(reply, 503, "out of memory");
    return true;
}

/// True azimuths to those of the map; on degrees these are true ones already.
static double map_azimuth(const viewpoint *view, double azimuth) {
    return view->site.dataset->projected ? lf_compass_to_map(&view->compass, azimuth) : azimuth;
}

// ---- Horizons -----------------------------------------------------------------------------------

static void write_horizon(const viewpoint *view, const double *azimuths, const lf_horizon *horizons,
                          int count, reply *reply) {
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_open(&out, "directions", '[');
    for (int i = 0; i < count; i++) {
        put_open(&out, NULL, '{');
        put_number(&out, "azimuth", azimuths[i]);
        bool found = horizons[i].reason == LF_REASON_ANSWERED;
        put_number(&out, "elevation", found ? horizons[i].elevation_deg : NAN);
        put_number(&out, "distance", found ? horizons[i].distance : NAN);
        if (found)
            site_write(&out, &view->site, "at", horizons[i].point);
        put_bool(&out, "void", horizons[i].hole);
        put_close(&out, '}');
    }
    put_close(&out, ']');
    site_write(&out, &view->site, "from", view->from);
    put_number(&out, "cc", view->rules.curvature.coefficient);
    api_source(&out, view->site.dataset);
    put_close(&out, '}');
}

/// The skyline as a strip: one column a direction, ground dark below the sky.
static void draw_horizon(const lf_horizon *horizons, int count, reply *reply) {
    enum { HEIGHT = 160, MARGIN = 10 };
    double low = INFINITY, high = -INFINITY;
    uint8_t *pixels = memory_take((size_t)count * HEIGHT * 3);
    if (!pixels) {
        refuse(reply, 503, "out of memory");
        return;
    }
    for (int i = 0; i < count; i++)
        if (horizons[i].reason == LF_REASON_ANSWERED) {
            low = fmin(low, horizons[i].elevation_deg);
            high = fmax(high, horizons[i].elevation_deg);
        }
    double scale = high > low ? (HEIGHT - 2 * MARGIN) / (high - low) : 0;
    for (int i = 0; i < count; i++) {
        bool found = horizons[i].reason == LF_REASON_ANSWERED;
        int top = found ? HEIGHT - MARGIN - (int)(scale * (horizons[i].elevation_deg - low)) : HEIGHT;
        for (int j = 0; j < HEIGHT; j++) {
            const uint8_t sky[3] = {(uint8_t)(150 + j / 3), (uint8_t)(190 + j / 4), 235},
                          ground[3] = {70, 80, 60};
            memcpy(pixels + ((size_t)j * (size_t)count + (size_t)i) * 3, j < top ? sky : ground, 3);
        }
    }
    picture image = {pixels, count, HEIGHT, 3, NULL, 0, 3};
    if (!picture_write(&reply->body, &image))
        refuse(reply, 503, "out of memory");
    reply->type = "image/png";
    reply_header(reply, "X-Landfall-Range", "%.10g,%.10g", low, high);
    memory_free(pixels);
}

void api_horizon(request *request, reply *reply) {
    viewpoint view;
    double step, azimuths[DIRECTIONS], mapped[DIRECTIONS];
    int format;
    if (!request_choice(request, "format", "json|png", &format, reply) ||
        !request_number(request, "step", (range){1, 0.1, 360}, &step, reply) ||
        !read_viewpoint(request, &view, reply))
        return;
    int count = (int)ceil(360 / step - 1e-9);
    lf_horizon *horizons = memory_take((size_t)count * sizeof *horizons);
    for (int i = 0; i < count; i++) {
        azimuths[i] = i * step;
        mapped[i] = map_azimuth(&view, azimuths[i]);
    }
    lf_status status = horizons ? lf_horizon_around(lf_grid_ground(view.site.dataset->grid), &view.rules,
                                                    view.from, mapped, count, view.range, horizons, NULL)
                                : LF_NO_MEMORY;
    if (status != LF_OK)
        refuse_status(reply, status, NULL);
    else if (format == 1)
        draw_horizon(horizons, count, reply);
    else
        write_horizon(&view, azimuths, horizons, count, reply);
    memory_free(horizons);
}

// ---- Sun ----------------------------------------------------------------------------------------

/// Is a sun above the horizon of the place?
static lf_status lit(const viewpoint *view, const lf_sun *sun, bool *is_lit, lf_horizon *horizon) {
    lf_status status = lf_horizon_at(lf_grid_ground(view->site.dataset->grid), &view->rules, view->from,
                                     map_azimuth(view, sun->azimuth_deg), view->range, horizon, NULL);
    *is_lit = sun->altitude_deg >
                  (horizon->reason == LF_REASON_ANSWERED ? fmax(horizon->elevation_deg, -90) : -0.8333) &&
              sun->altitude_deg > -2;
    return status;
}

/// The sun at one moment, at one place.
static void sun_now(const viewpoint *view, double time, reply *reply) {
    lf_sun sun;
    lf_horizon horizon;
    bool is_lit;
    lf_status status = lf_sun_at(view->lon_lat.x, view->lon_lat.y, time, true, &sun);
    if (status == LF_OK)
        status = lit(view, &sun, &is_lit, &horizon);
    if (status != LF_OK) {
        refuse_status(reply, status, NULL);
        return;
    }
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_number(&out, "azimuth", sun.azimuth_deg);
    put_number(&out, "altitude", sun.altitude_deg);
    put_number(&out, "horizon", horizon.reason == LF_REASON_ANSWERED ? horizon.elevation_deg : NAN);
    put_bool(&out, "lit", is_lit);
    site_write(&out, &view->site, "from", view->from);
    api_source(&out, view->site.dataset);
    put_close(&out, '}');
}

/// Hours of sun of a day, at one place.
static void sun_hours(const viewpoint *view, double start, double step, reply *reply) {
    lf_sun suns[SUNS];
    int64_t count = 0;
    double hours = 0, possible = 0;
    lf_error error = {.text = ""};
    lf_sun_day_def def = lf_sun_day_def_default();
    def.lon_deg = view->lon_lat.x;
    def.lat_deg = view->lon_lat.y;
    def.start = start;
    def.step_minutes = step;
    lf_status status = lf_sun_day(&def, suns, SUNS, &count, &error);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        lf_horizon horizon;
        bool is_lit;
        status = lit(view, &suns[i], &is_lit, &horizon);
        hours += is_lit ? suns[i].hours : 0;
        possible += suns[i].hours;
    }
    if (status != LF_OK) {
        refuse_status(reply, status, &error);
        return;
    }
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_number(&out, "hours", hours);
    put_number(&out, "daylight_hours", possible);
    site_write(&out, &view->site, "from", view->from);
    api_source(&out, view->site.dataset);
    put_close(&out, '}');
}

/// The shade of the samples within range at one moment.
static void sun_map(const request *request, const viewpoint *view, double time, int format, reply *reply) {
    static const uint8_t colours[5][4] = {
        {20, 30, 60, 150}, {255, 220, 90, 110}, {120, 120, 120, 120}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    lf_viewshed_def area = lf_viewshed_def_default();
    lf_horizon_def def = lf_horizon_def_default();
    lf_error error = {.text = ""};
    lf_sun sun;
    area.rules = def.rules = view->rules;
    area.range_max = def.range = view->range;
    def.host.progress = &request->progress;
    lf_window window = lf_viewshed_window(lf_grid_ground(view->site.dataset->grid), &area,
                                          (lf_vec2){view->from.x, view->from.y});
    double cells = (double)window.columns * (double)window.rows;
    if (cells > request->settings->max_cells) {
        refuse_limit(reply, 413, "cells", request->settings->max_cells, cells);
        return;
    }
    uint8_t *bytes = memory_take((size_t)(cells + 1));
    lf_status status = bytes ? lf_sun_at(view->lon_lat.x, view->lon_lat.y, time, true, &sun) : LF_NO_MEMORY;
    if (status == LF_OK) {
        sun.azimuth_deg = map_azimuth(view, sun.azimuth_deg);
        status = lf_sun_shade(lf_grid_ground(view->site.dataset->grid), &def, sun, window, bytes, 0, &error);
    }
    window_values values = {view->site.dataset, window, bytes, NULL, NULL};
    if (status == LF_OK && format == 1)
        window_png(&values, colours, 5, reply);
    else if (status == LF_OK)
        geotiff_write(&values, reply);
    else if (reply->status < 400)
        refuse_status(reply, status, &error);
    memory_free(bytes);
}

void api_sun(request *request, reply *reply) {
    viewpoint view;
    char number[LF_NUMBER_SIZE];
    double start, step;
    int format;
    lf_error error = {.text = ""};
    const char *time = request_text(request, "time", number), *date = request_text(request, "date", number);
    if (!request_choice(request, "format", "json|png|tif", &format, reply) ||
        !request_number(request, "step_minutes", (range){10, 1, 240}, &step, reply) ||
        !read_viewpoint(request, &view, reply))
        return;
    if (!time == !date)
        refuse(reply, 400, "time, date: expected one of these: time=2026-06-21T12:00Z or date=2026-06-21");
    else if (!view.site.dataset->earth)
        refuse(reply, 400, "dataset %s: is not on the earth", view.site.dataset->name);
    else if (lf_time_read(time ? time : date, &start, &error) != LF_OK)
        refuse(reply, 400, "%s %.64s: expected a time such as 2026-06-21T12:00Z", time ? "time" : "date",
               time ? time : date);
    else if (format > 0 && !time)
        refuse(reply, 400, "format: pictures need time, not date");
    else if (format > 0)
        sun_map(request, &view, start, format, reply);
    else if (time)
        sun_now(&view, start, reply);
    else
        sun_hours(&view, start, step, reply);
}
