/// /v1/height: heights of one or many places, with normal, slope, reason, datum and resolution; /v1/ray: what a ray meets.
#include "api.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEGREE 0.017453292519943295

/// The surface at a place that has a height: its normal in metres east, north and up.
static bool find_normal(dataset *dataset, lf_vec2 place, lf_vec3 *normal) {
    lf_vec3 point = {place.x, place.y, INFINITY};
    lf_hit hit;
    if (dataset->globe) { // turned from earth-centred axes to those of the place
        lf_vec3 centred = {0, 0, 0};
        lf_reason reason;
        double height;
        lf_status status = dataset_globe_height(dataset, place.x, place.y, &height, &reason, &centred);
        double sx = sin(place.x * DEGREE), cx = cos(place.x * DEGREE), sy = sin(place.y * DEGREE),
               cy = cos(place.y * DEGREE);
        *normal = (lf_vec3){-sx * centred.x + cx * centred.y,
                            -sy * cx * centred.x - sy * sx * centred.y + cy * centred.z,
                            cy * cx * centred.x + cy * sx * centred.y + sy * centred.z};
        return status == LF_OK && reason == LF_REASON_ANSWERED;
    }
    if (!dataset_to_map(dataset, &point, 1) ||
        lf_ground_height(dataset->ground, point, LF_VERTICAL_DOWN, &hit, NULL) != LF_OK ||
        hit.kind == LF_HIT_NONE)
        return false;
    lf_vec2 metres = dataset_metres(dataset, (lf_vec2){point.x, point.y});
    *normal = lf_vec3_unit((lf_vec3){hit.normal.x / metres.x, hit.normal.y / metres.y, hit.normal.z});
    if (normal->z < 0)
        *normal = (lf_vec3){-normal->x, -normal->y, -normal->z};
    return true;
}

static void write_surface(json *out, dataset *dataset, lf_vec2 place) {
    lf_vec3 normal;
    if (!find_normal(dataset, place, &normal))
        return;
    put_open(out, "normal", '[');
    put_number(out, NULL, normal.x);
    put_number(out, NULL, normal.y);
    put_number(out, NULL, normal.z);
    put_close(out, ']');
    put_number(out, "slope_deg", atan2(hypot(normal.x, normal.y), normal.z) / DEGREE);
}

static void write_properties(json *out, const request *request, lf_vec2 place, const elevation *answer,
                             bool detail) {
    put_number(out, "height", answer->height);
    put_word(out, "reason", lf_reason_name(answer->reason));
    if (answer->reason == LF_REASON_ANSWERED) {
        dataset *dataset = &request->data->list[answer->dataset];
        api_source(out, dataset);
        if (detail)
            write_surface(out, dataset, place);
    }
}

static void write_position(json *out, const char *key, lf_vec2 place, double height) {
    put_open(out, key, '[');
    put_number(out, NULL, place.x);
    put_number(out, NULL, place.y);
    if (!isnan(height))
        put_number(out, NULL, height);
    put_close(out, ']');
}

static void write_json(const request *request, const places *places, const elevation *answers, bool detail,
                       reply *reply) {
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_open(&out, "results", '[');
    for (int64_t i = 0; i < places->count; i++) {
        put_open(&out, NULL, '{');
        write_position(&out, "at", places->list[i], NAN);
        write_properties(&out, request, places->list[i], &answers[i], detail);
        put_close(&out, '}');
    }
    put_close(&out, ']');
    put_close(&out, '}');
}

static void write_geojson(const request *request, const places *places, const elevation *answers, bool detail,
                          reply *reply) {
    json out = api_start(reply);
    reply->type = "application/geo+json";
    put_open(&out, NULL, '{');
    put_text(&out, "type", "FeatureCollection");
    put_open(&out, "features", '[');
    for (int64_t i = 0; i < places->count; i++) {
        put_open(&out, NULL, '{');
        put_text(&out, "type", "Feature");
        put_open(&out, "geometry", '{');
        put_text(&out, "type", "Point");
        write_position(&out, "coordinates", places->list[i], answers[i].height);
        put_close(&out, '}');
        put_open(&out, "properties", '{');
        write_properties(&out, request, places->list[i], &answers[i], detail);
        put_close(&out, '}');
        put_close(&out, '}');
    }
    put_close(&out, ']');
    put_close(&out, '}');
}

void api_height(request *request, reply *reply) {
    places places = {0};
    elevation *answers = NULL;
    selection chosen;
    int format, how, detail;
    char number[LF_NUMBER_SIZE];
    const char *name = request_text(request, "at", number) || request_member(request, "at") ? "at" : "points";
    api_point point;
    bool fine = request_choice(request, "format", "json|geojson", &format, reply) &&
                request_choice(request, "interpolation", "surface|nearest|bilinear|cubic", &how, reply) &&
                request_choice(request, "detail", "false|true", &detail, reply) &&
                api_selection(request, &chosen, reply);
    if (fine && strcmp(name, "at") == 0)
        fine = api_point_read(request, name, &point, reply) &&
               places_add(&places, request, point.at.x, point.at.y, reply);
    else if (fine)
        fine = api_points_read(request, name, &places, reply);
    if (fine) {
        static const interpolation kinds[] = {INTERPOLATION_SURFACE, INTERPOLATION_NEAREST,
                                              INTERPOLATION_BILINEAR, INTERPOLATION_CUBIC};
        answers = memory_take((size_t)places.count * sizeof *answers);
        if (!answers)
            refuse(reply, 503, "out of memory");
        else if (heights_find(request, &chosen, &places, kinds[how], answers, reply))
            (format ? write_geojson : write_json)(request, &places, answers, detail || places.count == 1,
                                                  reply);
    }
    memory_free(answers);
    places_free(&places);
}

// ---- Rays ---------------------------------------------------------------------------------------

/// A ray from a point of the map, by azimuth and pitch.
static bool make_ray(const request *request, const site *site, const api_point *from, lf_ray *ray,
                     reply *reply) {
    double azimuth, pitch, range_most;
    lf_vec3 start = {from->at.x, from->at.y, from->z};
    lf_compass compass;
    lf_vec2 lon_lat;
    if (!request_number(request, "azimuth", (range){0, -720, 720}, &azimuth, reply) ||
        !request_number(request, "pitch", (range){-90, -90, 90}, &pitch, reply) ||
        !request_number(request, "range", (range){1e6, 1e-3, 1e9}, &range_most, reply) ||
        !site_in(site, &start, 1, reply))
        return false;
    if (isnan(start.z))
        return refuse(reply, 400, "from: expected LON,LAT,HEIGHT");
    double up = sin(pitch * DEGREE), level = fabs(pitch) == 90 ? 0 : cos(pitch * DEGREE),
           e = level * sin(azimuth * DEGREE), n = level * cos(azimuth * DEGREE);
    *ray = (lf_ray){.t_min = 0, .t_max = range_most};
    if (site->dataset->globe) {
        double sx = sin(start.x * DEGREE), cx = cos(start.x * DEGREE), sy = sin(start.y * DEGREE),
               cy = cos(start.y * DEGREE);
        lf_geodetic place = {start.x, start.y, start.z};
        ray->origin = lf_ellipsoid_to_centred(&site->dataset->ellipsoid, place);
        ray->direction = (lf_vec3){-sx * e - sy * cx * n + cy * cx * up, cx * e - sy * sx * n + cy * sx * up,
                                   cy * n + sy * up};
        return true;
    }
    if (!dataset_compass(site->dataset, (lf_vec2){start.x, start.y}, &compass, &lon_lat))
        return refuse(reply, 503, "out of memory");
    ray->origin = start;
    ray->direction =
        (lf_vec3){e * compass.east.x + n * compass.north.x, e * compass.east.y + n * compass.north.y, up};
    return true;
}

static lf_status cast(const site *site, const lf_ray *ray, lf_hit *hit) {
    dataset *dataset = site->dataset;
    if (!dataset->globe)
        return lf_ground_ray_first(dataset->ground, ray, hit, NULL);
    pthread_mutex_lock(&dataset->lock);
    lf_status status = lf_ground_ray_first(
        dataset->has_parts ? dataset->ground : lf_globe_ground_finest(dataset->globe), ray, hit, NULL);
    pthread_mutex_unlock(&dataset->lock);
    return status;
}

void api_ray(request *request, reply *reply) {
    api_point from;
    site site;
    lf_ray ray;
    lf_hit hit;
    if (!api_point_read(request, "from", &from, reply) || !site_choose(request, from.at, &site, reply) ||
        !make_ray(request, &site, &from, &ray, reply))
        return;
    lf_status status = cast(&site, &ray, &hit);
    if (status != LF_OK) {
        refuse_status(reply, status, NULL);
        return;
    }
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_bool(&out, "hit", hit.kind != LF_HIT_NONE);
    put_text(&out, "reason", lf_reason_name(hit.reason));
    if (hit.kind != LF_HIT_NONE) {
        lf_vec3 point = hit.point;
        if (site.dataset->globe) {
            lf_geodetic place = lf_ellipsoid_to_geodetic(&site.dataset->ellipsoid, hit.point);
            point = (lf_vec3){place.lon_deg, place.lat_deg, place.height};
        }
        put_number(&out, "distance", hit.t);
        site_write(&out, &site, "at", point);
        put_integer(&out, "element", hit.element);
    }
    api_source(&out, site.dataset);
    put_close(&out, '}');
}
