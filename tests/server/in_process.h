/// A server without sockets, on a grid in memory: for tests of faults and for fuzzing.
#ifndef TESTS_SERVER_IN_PROCESS_H
#define TESTS_SERVER_IN_PROCESS_H

#include "cache.h"
#include <gdal.h>

typedef struct in_process {
    server server;
    setup setup;
    float heights[17 * 17];
} in_process;

/// A plane of 17 x 17 samples from 7, 46 to 7.5, 46.5, with a void.
static inline void in_process_start(in_process *here) {
    lf_grid_def def = lf_grid_def_default();
    complaint why;
    *here = (in_process){0};
    GDALAllRegister();
    settings_start(&here->setup.settings);
    here->setup.settings.max_points = 200;
    here->setup.settings.max_cells = 400;
    settings_set(&here->setup.settings, "dataset", "plane=none", &why);
    pthread_mutex_init(&here->setup.keys.lock, NULL);
    pthread_mutex_init(&here->server.lock, NULL);
    for (int i = 0; i < 17 * 17; i++)
        here->heights[i] = (float)(100 + i % 17 + 2 * (i / 17));
    here->heights[20] = (float)LF_NAN;
    def.samples.values = here->heights;
    def.samples.columns = def.samples.rows = 17;
    def.borrow = true;
    def.surface = LF_SURFACE_BILINEAR;
    def.geotransform = (lf_geotransform){{7, 46}, {0.03125, 0}, {0, 0.03125}};
    def.turn = 360;
    datasets *data = memory_take(sizeof *data + sizeof *data->list);
    *data = (datasets){.count = 1};
    atomic_init(&data->users, 1);
    dataset *one = &data->list[0];
    *one = (dataset){.name = memory_copy("plane"), .datum = memory_copy("none"), .kind_name = "grid"};
    pthread_mutex_init(&one->lock, NULL);
    lf_grid_create(&def, &one->owned_grid, NULL);
    one->grid = one->owned_grid;
    one->ground = lf_grid_ground(one->grid);
    one->kind = LF_CRS_DEGREES;
    one->degrees = one->earth = true;
    one->ellipsoid = lf_sight_rules_default().ellipsoid;
    one->low = (lf_vec2){7, 46};
    one->high = (lf_vec2){7.5, 46.5};
    one->resolution = 3470;
    text_put(&one->source, "\"dataset\":\"plane\"");
    here->setup.data = data;
    here->server.current = &here->setup;
    here->server.cache = cache_create(1 << 20, NULL);
}

static inline bool in_process_goes_on(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user;
    (void)stage;
    (void)done;
    (void)total;
    return true;
}

/// Answer a request as the server would; returns the status. The reply is left to the caller.
static inline int in_process_ask(in_process *here, http_method method, const char *target, const char *type,
                                 const char *body, size_t size, reply *reply) {
    request request = {.server = &here->server,
                       .settings = &here->setup.settings,
                       .data = here->setup.data,
                       .method = method,
                       .progress = {NULL, in_process_goes_on}};
    *reply = (struct reply){.status = 200};
    if (request_target(&request, target, reply) && server_fit(&request, reply) &&
        request_body(&request, type, body, size, reply))
        server_answer(&request, reply);
    else
        server_fail(&request, reply);
    request_free(&request);
    return reply->status;
}

static inline void in_process_end(in_process *here) {
    cache_destroy(here->server.cache);
    datasets_release(here->setup.data);
    settings_free(&here->setup.settings);
}

#endif
