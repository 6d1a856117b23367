/// Viewsheds as an overlay of map tiles: computed once, then looked up for each pixel.
#include "tiles.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIZE 256

/// What is kept of a viewshed: its window, then a byte for each sample.
typedef struct kept_view {
    lf_window window;
    int32_t dataset;
} kept_view;

static bool make_key(const request *request, text *key) {
    uint64_t grounds = 0;
    for (int i = 0; i < request->data->count; i++)
        grounds = grounds * 0x100000001b3u ^ request->data->list[i].hash;
    text_format(key, "view%016llx", (unsigned long long)grounds);
    for (int i = 0; i < request->query_count; i++)
        if (strcmp(request->query[i].name, "key") != 0) {
            text_byte(key, '&');
            text_put(key, request->query[i].name);
            text_byte(key, '=');
            text_put(key, request->query[i].value);
        }
    text_byte(key, '\0');
    return !key->failed;
}

static bool read_view(const request *request, site *site, lf_viewshed_def *def, lf_observer *observer,
                      reply *reply) {
    api_point at;
    double eye;
    *def = lf_viewshed_def_default();
    if (!api_point_read(request, "at", &at, reply) ||
        !request_number(request, "eye", (range){2, -1e6, 1e6}, &eye, reply) ||
        !request_number(request, "target", (range){0, -1e6, 1e6}, &def->target, reply) ||
        !request_number(request, "range", (range){20000, 1, 1e9}, &def->range_max, reply) ||
        !site_choose(request, at.at, site, reply))
        return false;
    if (!site->dataset->grid)
        return refuse(reply, 400, "dataset %s: holds a %s: viewsheds need a raster", site->dataset->name,
                      site->dataset->kind_name);
    lf_vec3 point = {at.at.x, at.at.y, 0};
    if (!site_in(site, &point, 1, reply) || !site_rules(request, site, &def->rules, reply))
        return false;
    *observer = (lf_observer){{point.x, point.y}, isnan(at.z) ? eye : at.z, false};
    def->host.progress = &request->progress;
    return true;
}

/// Compute a viewshed and keep it.
static blob *make_view(const request *request, reply *reply) {
    site site;
    lf_viewshed_def def;
    lf_observer observer;
    lf_error error = {.text = ""};
    if (!read_view(request, &site, &def, &observer, reply))
        return NULL;
    kept_view head = {lf_viewshed_window(lf_grid_ground(site.dataset->grid), &def, observer.at), site.index};
    double cells = (double)head.window.columns * (double)head.window.rows;
    if (cells < 1 || cells > request->settings->max_cells) {
        refuse_limit(reply, cells < 1 ? 404 : 413, "cells", request->settings->max_cells, cells);
        return NULL;
    }
    uint8_t *seen = memory_take((size_t)cells + sizeof head);
    if (!seen) {
        refuse(reply, 503, "out of memory");
        return NULL;
    }
    memcpy(seen, &head, sizeof head);
    lf_status status = lf_viewshed_visible(lf_grid_ground(site.dataset->grid), &def, &observer, head.window,
                                           seen + sizeof head, 0, NULL, &error);
    blob *made = status == LF_OK ? blob_create(seen, (size_t)cells + sizeof head) : NULL;
    if (status != LF_OK ? reply->status < 400 : !made)
        refuse_status(reply, status != LF_OK ? status : LF_NO_MEMORY, &error);
    memory_free(seen);
    return made;
}

static void draw(const kept_view *head, const uint8_t *seen, dataset *dataset, lf_vec3 *points,
                 uint8_t *pixels) {
    lf_window window = head->window;
    int64_t round_columns = lf_grid_round(dataset->grid);
    for (int i = 0; i < SIZE * SIZE; i++) {
        pixels[i] = LF_VISIBILITY_BEYOND;
        if (isnan(points[i].x) || isnan(points[i].y))
            continue;
        lf_vec2 at = lf_grid_locate(dataset->grid, (lf_vec2){points[i].x, points[i].y});
        if (!(fabs(at.x) < 1e15 && fabs(at.y) < 1e15))
            continue;
        int64_t column = (int64_t)floor(at.x + 0.5), row = (int64_t)floor(at.y + 0.5) - window.row;
        if (round_columns > 0)
            column = ((column % round_columns) + round_columns) % round_columns;
        column -= window.column;
        if (column >= 0 && column < window.columns && row >= 0 && row < window.rows)
            pixels[i] = seen[row * window.columns + column];
    }
}

bool viewshed_tile(request *request, tile tile, uint8_t *pixels, reply *reply) {
    text key = {0};
    blob *view = NULL;
    lf_vec3 *points = memory_take(SIZE * SIZE * sizeof *points);
    bool fine = (points && make_key(request, &key)) || refuse(reply, 503, "out of memory");
    if (fine && !(view = cache_find(request->server->cache, key.bytes, false)) &&
        (view = make_view(request, reply)))
        cache_keep(request->server->cache, key.bytes, view);
    if (fine && view) {
        kept_view head;
        memcpy(&head, view->bytes, sizeof head);
        dataset *dataset = &request->data->list[head.dataset];
        for (int i = 0; i < SIZE * SIZE; i++) {
            lf_vec2 at = mercator_place(tile, i % SIZE + 0.5, i / SIZE + 0.5, SIZE);
            points[i] = (lf_vec3){at.x, at.y, 0};
        }
        if (dataset_to_map(dataset, points, SIZE * SIZE))
            draw(&head, view->bytes + sizeof head, dataset, points, pixels);
        else
            fine = refuse(reply, 503, "out of memory");
    }
    fine = fine && view;
    blob_release(view);
    text_free(&key);
    memory_free(points);
    return fine;
}
