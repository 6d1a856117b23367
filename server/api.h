/// The server's own requests, /v1/...: heights, lines of sight, viewsheds and so on, as JSON, GeoJSON, pictures and rasters.
#ifndef SERVER_API_H
#define SERVER_API_H

#include "heights.h"

void api_height(request *request, reply *reply);
void api_ray(request *request, reply *reply);
void api_sight(request *request, reply *reply);
void api_profile(request *request, reply *reply);
void api_viewshed(request *request, reply *reply);
void api_horizon(request *request, reply *reply);
void api_sun(request *request, reply *reply);
void api_intervisible(request *request, reply *reply);
void api_walk(request *request, reply *reply);
void api_place(request *request, reply *reply);
void api_collide(request *request, reply *reply);
void api_datasets(request *request, reply *reply);
void api_error(const request *request, reply *reply);

/// A point: LON,LAT[,Z] in text, or an array of numbers.
typedef struct api_point {
    lf_vec2 at;
    double z; ///< NAN: not given
} api_point;

/// Read a point parameter that must be there. False: status and message are set.
bool api_point_read(const request *request, const char *name, api_point *point, reply *reply);

/// Read many: "LON,LAT|LON,LAT" in text, an array of arrays, or a GeoJSON geometry or feature.
bool api_points_read(const request *request, const char *name, places *places, reply *reply);

/// The datasets that the parameter `dataset` names (A,B,C), or all.
bool api_selection(const request *request, selection *chosen, reply *reply);

/// The ground of a request about one ground, and what its coordinates are.
typedef struct site {
    dataset *dataset;
    int index;
    bool native; ///< coordinates of the request are those of the map
} site;

/// Choose the dataset: the one that is named, or the first that has a height at the place.
bool site_choose(const request *request, lf_vec2 first, site *site, reply *reply);

/// Points of the request to the map, and of the map to the reply.
bool site_in(const site *site, lf_vec3 *points, int64_t count, reply *reply);
bool site_out(const site *site, lf_vec3 *points, int64_t count, reply *reply);

/// A parameter point on the ground of a site, so much above it. reason: why there is no ground.
bool site_stand(const site *site, lf_vec2 at, double above, lf_vec3 *point, lf_reason *reason, reply *reply);

/// Rules of sight from cc, k, radius, holes and frequency.
bool site_rules(const request *request, const site *site, lf_sight_rules *rules, reply *reply);

/// Write a point of the map as an array of longitude, latitude and height.
void site_write(json *out, const site *site, const char *key, lf_vec3 point);

/// The beginning of a JSON reply.
json api_start(reply *reply);

/// What is said of every answer: dataset, datum, resolution.
void api_source(json *out, const dataset *dataset);

#endif
