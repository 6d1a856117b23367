/// /v1/viewshed: what one or several observers see of a raster, as PNG, GeoTIFF, polygons or counts.
#include "raster_out.h"
#include <math.h>
#include <string.h>

typedef enum view_mode {
    VIEW_VISIBLE,
    VIEW_GROUND,
    VIEW_DEM,
    VIEW_ANGLE,
    VIEW_DISTANCE,
    VIEW_COUNT,
    VIEW_WHO
} view_mode;

#define MODES "visible|ground|dem|angle|distance|count|who"

/// A viewshed that was asked for.
typedef struct view {
    site site;
    lf_viewshed_def def;
    view_mode mode;
    int format;
    lf_observer *observers;
    int64_t count;
    lf_window window;
    uint8_t *bytes;
    float *floats;
    lf_viewshed_stats stats;
} view;

// Hidden, visible, unknown, void, beyond.
static const uint8_t colours[5][4] = {
    {0, 0, 0, 0}, {230, 90, 20, 160}, {120, 120, 120, 120}, {0, 0, 0, 0}, {0, 0, 0, 0}};

static bool read_observers(const request *request, view *view, places *places, reply *reply) {
    char number[LF_NUMBER_SIZE];
    double eye;
    const char *name = request_text(request, "at", number) || request_member(request, "at") ? "at" : "points";
    api_point one;
    if (!request_number(request, "eye", (range){2, -1e6, 1e6}, &eye, reply))
        return false;
    if (strcmp(name, "at") == 0) {
        if (!api_point_read(request, "at", &one, reply) ||
            !places_add(places, request, one.at.x, one.at.y, reply))
            return false;
    } else if (!api_points_read(request, "points", places, reply)) {
        return false;
    }
    double most = request->settings->max_observers;
    if ((double)places->count > most)
        return refuse_limit(reply, 413, "observers", most, (double)places->count);
    if (view->mode == VIEW_WHO && places->count > 8) // a byte for each sample
        return refuse_limit(reply, 413, "observers", 8, (double)places->count);
    if (places->count > 1 && view->mode != VIEW_COUNT && view->mode != VIEW_WHO)
        return refuse(reply, 400, "mode: several observers need mode=count or mode=who");
    if (!site_choose(request, places->list[0], &view->site, reply))
        return false;
    view->count = places->count;
    view->observers = memory_take((size_t)places->count * sizeof *view->observers);
    if (!view->observers)
        return refuse(reply, 503, "out of memory");
    for (int64_t i = 0; i < places->count; i++) {
        lf_vec3 at = {places->list[i].x, places->list[i].y, 0};
        double own = strcmp(name, "at") == 0 ? one.z : places->z[i];
        if (!site_in(&view->site, &at, 1, reply))
            return false;
        view->observers[i] = (lf_observer){{at.x, at.y}, isnan(own) ? eye : own, false};
    }
    return true;
}

static bool read_view(const request *request, view *view, places *places, reply *reply) {
    int mode;
    double range_most;
    view->def = lf_viewshed_def_default();
    if (!request_choice(request, "format", "png|tif|geojson|json", &view->format, reply) ||
        !request_choice(request, "mode", MODES, &mode, reply))
        return false;
    view->mode = (view_mode)mode;
    if (!read_observers(request, view, places, reply))
        return false;
    if (!view->site.dataset->grid)
        return refuse(reply, 400, "dataset %s: holds a %s: viewsheds need a raster", view->site.dataset->name,
                      view->site.dataset->kind_name);
    if (view->format == 2 && view->mode != VIEW_VISIBLE)
        return refuse(reply, 400, "format geojson: needs mode=visible");
    view->def.host.progress = &request->progress;
    return site_rules(request, &view->site, &view->def.rules, reply) &&
           request_number(request, "target", (range){0, -1e6, 1e6}, &view->def.target, reply) &&
           request_number(request, "range", (range){20000, 0, 1e9}, &range_most, reply) &&
           request_number(request, "range_min", (range){0, 0, range_most}, &view->def.range_min, reply) &&
           request_number(request, "azimuth_from", (range){0, -720, 720}, &view->def.azimuth_from_deg,
                          reply) &&
           request_number(request, "azimuth_to", (range){view->def.azimuth_from_deg + 360, -720, 1440},
                          &view->def.azimuth_to_deg, reply) &&
           (view->def.range_max = range_most, true);
}

/// The window that holds what all observers may see.
static bool find_window(const request *request, view *view, reply *reply) {
    int64_t west = INT64_MAX, south = INT64_MAX, east = -1, north = -1;
    for (int64_t i = 0; i < view->count; i++) {
        lf_window one =
            lf_viewshed_window(lf_grid_ground(view->site.dataset->grid), &view->def, view->observers[i].at);
        if (one.columns <= 0 || one.rows <= 0)
            continue;
        west = one.column < west ? one.column : west;
        south = one.row < south ? one.row : south;
        east = one.column + one.columns > east ? one.column + one.columns : east;
        north = one.row + one.rows > north ? one.row + one.rows : north;
    }
    if (east < 0)
        return refuse(reply, 404, "at: no ground within range");
    view->window = (lf_window){west, south, east - west, north - south};
    double cells = (double)view->window.columns * (double)view->window.rows * (double)view->count;
    double most = request->settings->max_cells;
    return cells <= most || refuse_limit(reply, 413, "cells", most, cells);
}

static void count_bytes(view *view, const uint32_t *counts, int64_t cells) {
    for (int64_t i = 0; i < cells; i++)
        view->floats[i] = counts[i] == UINT32_MAX ? NAN : (float)counts[i];
}

static lf_status compute_count(view *view, int64_t cells, lf_error *error) {
    uint32_t *counts = memory_take((size_t)cells * sizeof *counts);
    if (!counts)
        return LF_NO_MEMORY;
    lf_status status =
        lf_viewshed_count(lf_grid_ground(view->site.dataset->grid), &view->def, view->observers, view->count,
                          view->window, counts, 0, &view->stats, error);
    if (status == LF_OK)
        count_bytes(view, counts, cells);
    memory_free(counts);
    return status;
}

static bool compute(view *view, reply *reply) {
    int64_t cells = view->window.columns * view->window.rows;
    int64_t planes = view->mode == VIEW_WHO ? (view->count + 7) / 8 : 1;
    bool bytes = view->mode == VIEW_VISIBLE || view->mode == VIEW_WHO;
    lf_error error = {.text = ""};
    if (bytes)
        view->bytes = memory_take((size_t)(cells * planes));
    else
        view->floats = memory_take((size_t)cells * sizeof *view->floats);
    if (!view->bytes && !view->floats)
        return refuse(reply, 503, "out of memory");
    const lf_grid *grid = view->site.dataset->grid;
    lf_status status =
        view->mode == VIEW_VISIBLE ? lf_viewshed_visible(lf_grid_ground(grid), &view->def, view->observers,
                                                         view->window, view->bytes, 0, &view->stats, &error)
        : view->mode == VIEW_WHO
            ? lf_viewshed_who(lf_grid_ground(grid), &view->def, view->observers, view->count, view->window,
                              view->bytes, &view->stats, &error)
        : view->mode == VIEW_COUNT ? compute_count(view, cells, &error)
                                   : lf_viewshed_values(lf_grid_ground(grid), &view->def, view->observers,
                                                        (lf_viewshed_mode)(view->mode - VIEW_GROUND),
                                                        view->window, view->floats, 0, &view->stats, &error);
    if (status == LF_CANCELLED && reply->status >= 400)
        return false;
    return status == LF_OK || refuse_status(reply, status, &error);
}

static void write_json(const view *view, reply *reply) {
    static const char *const names[] = {"hidden", "visible", "unknown", "void", "beyond"};
    json out = api_start(reply);
    window_values values = {view->site.dataset, view->window, NULL, NULL, NULL};
    double edges[4];
    window_edges(&values, edges);
    put_open(&out, NULL, '{');
    put_open(&out, "samples", '{');
    for (int i = 0; i < 5; i++)
        put_integer(&out, names[i], view->stats.counts[i]);
    put_close(&out, '}');
    put_open(&out, "bounds", '[');
    for (int i = 0; i < 4; i++)
        put_number(&out, NULL, edges[i]);
    put_close(&out, ']');
    put_integer(&out, "columns", view->window.columns);
    put_integer(&out, "rows", view->window.rows);
    put_number(&out, "cc", view->def.rules.curvature.coefficient);
    api_source(&out, view->site.dataset);
    put_close(&out, '}');
}

static void write_values(view *view, reply *reply) {
    window_values values = {view->site.dataset, view->window, view->bytes, view->floats,
                            view->mode == VIEW_ANGLE                               ? "degree"
                            : view->mode > VIEW_VISIBLE && view->mode < VIEW_COUNT ? "metre"
                                                                                   : NULL};
    if (view->format == 3) {
        write_json(view, reply);
    } else if (view->format == 2) {
        polygons_write(&values, &view->site, reply);
    } else if (view->format == 1) {
        geotiff_write(&values, reply);
    } else if (view->mode == VIEW_VISIBLE) {
        window_png(&values, colours, 5, reply);
    } else if (view->mode == VIEW_WHO) {
        refuse(reply, 400, "format png: mode=who needs format=tif");
    } else {
        float low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < view->window.columns * view->window.rows; i++) {
            low = view->floats[i] < low ? view->floats[i] : low;
            high = view->floats[i] > high ? view->floats[i] : high;
        }
        ramp_png(&values, low, high, reply);
    }
}

void api_viewshed(request *request, reply *reply) {
    view view = {0};
    places places = {0};
    if (read_view(request, &view, &places, reply) && find_window(request, &view, reply) &&
        compute(&view, reply))
        write_values(&view, reply);
    places_free(&places);
    memory_free(view.observers);
    memory_free(view.bytes);
    memory_free(view.floats);
}
