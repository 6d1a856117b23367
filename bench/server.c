/// server-inside RASTER.lf FILE: the work of landfall serve without sockets, for bench/server.py.
///
/// Prints lines NAME SECONDS: the least of several runs of parsing a body of points (FILE), of the batch of heights alone, of the whole
/// request, and of computing and encoding a viewshed.
#include "cache.h"
#include <gdal.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { TURNS = 15 };

static bool goes_on(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user;
    (void)stage;
    (void)done;
    (void)total;
    return true;
}

static request start(server *server, http_method method) {
    return (request){.server = server,
                     .settings = &server->current->settings,
                     .data = server->current->data,
                     .method = method,
                     .progress = {NULL, goes_on}};
}

/// A request from its first line to its reply; the bytes of the reply, 0 when it failed.
static size_t answer(server *server, const char *target, const char *body, size_t size, double *parsed) {
    request request = start(server, size ? HTTP_POST : HTTP_GET);
    reply reply = {.status = 200};
    double began = now_seconds();
    bool fine = request_target(&request, target, &reply) && server_fit(&request, &reply) &&
                request_body(&request, "application/json", body, size, &reply);
    *parsed = now_seconds() - began;
    if (fine)
        server_answer(&request, &reply);
    size_t count = reply.status == 200 ? reply.body.count : 0;
    request_free(&request);
    reply_free(&reply);
    return count;
}

static void batch(server *server, double *least) {
    enum { COUNT = 10000 };
    static lf_vec3 points[COUNT];
    static double heights[COUNT];
    const dataset *dataset = &server->current->data->list[0];
    for (int i = 0; i < COUNT; i++) {
        double t = (i * 7919 % COUNT) / (double)COUNT, s = i / (double)COUNT;
        points[i] = (lf_vec3){dataset->low.x + t * (dataset->high.x - dataset->low.x),
                              dataset->low.y + s * (dataset->high.y - dataset->low.y), LF_INFINITY};
    }
    for (int k = 0; k < TURNS; k++) {
        double began = now_seconds();
        lf_ground_heights_many(dataset->ground, points, 0, COUNT, LF_VERTICAL_DOWN, heights, 0, NULL);
        double took = now_seconds() - began;
        *least = took < *least ? took : *least;
    }
}

int main(int count, char **words) {
    static server server;
    complaint why;
    bool help;
    lf_map body;
    if (count != 4 || lf_map_open(words[2], &body, NULL) != LF_OK)
        return 2;
    GDALAllRegister();
    json_set_alloc_funcs(memory_take, memory_free);
    if (!setup_open(1, words + 1, &server.current, &help, &why)) {
        fprintf(stderr, "server-inside: %s\n", why.text);
        return 2;
    }
    server.cache = cache_create(0, NULL);
    double least[4] = {1e9, 1e9, 1e9, 1e9}, parsed;
    for (int k = 0; k < TURNS; k++) {
        double began = now_seconds();
        if (answer(&server, "/v1/height", body.data, body.size, &parsed) == 0)
            return 2;
        double took = now_seconds() - began;
        least[0] = parsed < least[0] ? parsed : least[0];
        least[1] = took < least[1] ? took : least[1];
    }
    batch(&server, &least[2]);
    for (int k = 0; k < 3; k++) {
        double began = now_seconds();
        if (answer(&server, words[3], NULL, 0, &parsed) == 0)
            return 2;
        double took = now_seconds() - began;
        least[3] = took < least[3] ? took : least[3];
    }
    printf("parse %.9f\nrequest %.9f\nbatch %.9f\nviewshed %.9f\n", least[0], least[1], least[2], least[3]);
    cache_destroy(server.cache);
    setup_release(server.current);
    lf_map_close(&body);
    return 0;
}
