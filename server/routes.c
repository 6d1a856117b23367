/// The paths that the server answers, and the way of a request through them.
#include "api.h"
#include "jobs.h"
#include "server.h"
#include "shapes.h"
#include "tiles.h"
#include <stdio.h>
#include <string.h>

#define GET (HTTP_GET | HTTP_HEAD)
#define BOTH (HTTP_GET | HTTP_HEAD | HTTP_POST)

extern const unsigned char openapi_json[];
extern const size_t openapi_json_size;

/// The description of all requests.
static void openapi(request *request, reply *reply) {
    (void)request;
    reply->type = "application/json";
    text_add(&reply->body, openapi_json, openapi_json_size);
}

const route routes[] = {
    {"/healthz", GET, false, true, healthz, api_error, NULL},
    {"/metrics", GET, false, true, metrics, api_error, NULL},
    {"/maps/api/elevation/json", GET, false, false, google_elevation, google_error, NULL},
    {"/api/v1/lookup", BOTH, false, false, lookup_elevation, lookup_error, NULL},
    {"/height", BOTH, false, false, valhalla_height, valhalla_error, NULL},
    {"/health", GET, false, true, topodata_health, topodata_error, NULL},
    {"/datasets", GET, false, false, topodata_datasets, topodata_error, NULL},
    {"/v1/datasets", GET, false, false, api_datasets, api_error, NULL},
    {"/v1/height", BOTH, false, false, api_height, api_error, NULL},
    {"/v1/ray", BOTH, false, false, api_ray, api_error, NULL},
    {"/v1/sight", BOTH, false, false, api_sight, api_error, NULL},
    {"/v1/profile", BOTH, true, false, api_profile, api_error, NULL},
    {"/v1/viewshed", BOTH, true, false, api_viewshed, api_error, NULL},
    {"/v1/horizon", BOTH, true, false, api_horizon, api_error, NULL},
    {"/v1/sun", BOTH, true, false, api_sun, api_error, NULL},
    {"/v1/intervisible", BOTH, true, false, api_intervisible, api_error, NULL},
    {"/v1/walk", BOTH, false, false, api_walk, api_error, NULL},
    {"/v1/place", BOTH, false, false, api_place, api_error, NULL},
    {"/v1/collide", BOTH, false, false, api_collide, api_error, NULL},
    {"/tiles/", GET, true, false, tile_picture, api_error, tile_peek},
    {"/terrain/", GET, true, false, tile_terrain, api_error, tile_peek},
    {"/v1/jobs/", GET | HTTP_DELETE, false, false, job_show, api_error, NULL},
    {"/v1/openapi.json", GET, false, true, openapi, api_error, NULL},
    {"/v1/", BOTH, false, false, topodata_elevation, topodata_error, NULL},
    {"/files/", GET, true, false, viewer_dataset, api_error, NULL},
    {"/", GET, true, true, viewer_file, api_error, NULL},
};

int route_count(void) {
    return (int)(sizeof routes / sizeof *routes);
}

const route *route_find(const char *path, const char **tail) {
    for (int i = 0; i < route_count(); i++) {
        size_t length = strlen(routes[i].path);
        bool prefix = routes[i].path[length - 1] == '/';
        if (prefix ? strncmp(path, routes[i].path, length) == 0 : strcmp(path, routes[i].path) == 0) {
            *tail = path + length;
            return &routes[i];
        }
    }
    return NULL;
}

bool server_fit(request *request, reply *reply) {
    request->route = route_find(request->path, &request->tail);
    if (request->route && request->route->run == viewer_file && *request->tail && !request->settings->viewer)
        request->route = NULL;
    if (!request->route && strcmp(request->path, "/v1") == 0)
        return refuse(reply, 404, "/v1: no dataset name: see /v1/datasets");
    if (!request->route)
        return refuse(reply, 404, "%.100s: no such path", request->path);
    if (request->method == HTTP_OPTIONS || request->method & request->route->methods)
        return true;
    bool post = request->route->methods & HTTP_POST, remove = request->route->methods & HTTP_DELETE;
    reply_header(reply, "Allow", "GET, HEAD,%s%s OPTIONS", post ? " POST," : "", remove ? " DELETE," : "");
    return refuse(reply, 405, "method not allowed: expected GET, HEAD%s%s or OPTIONS", post ? ", POST" : "",
                  remove ? ", DELETE" : "");
}

void server_fail(request *request, reply *reply) {
    text_free(&reply->body);
    blob_release(reply->blob);
    reply->blob = NULL;
    (request->route ? request->route->error : api_error)(request, reply);
    if (reply->body.failed) { // not even that fits into memory
        text_free(&reply->body);
        reply->status = 503;
        reply->type = "text/plain";
    }
}

void server_answer(request *request, reply *reply) {
    if (request->method == HTTP_OPTIONS) {
        reply->status = 204;
        reply_header(reply, "Allow", "GET, HEAD, POST, OPTIONS");
        return;
    }
    if (*request->tail == '\0' && strcmp(request->route->path, "/v1/") == 0)
        topodata_root(request, reply);
    else
        request->route->run(request, reply);
    if (reply->body.failed)
        refuse(reply, 503, "out of memory");
    if (reply->status >= 400)
        server_fail(request, reply);
}
