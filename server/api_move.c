/// /v1/intervisible, /v1/walk, /v1/place and /v1/collide.
#include "api.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEGREE 0.017453292519943295

// ---- Intervisibility ----------------------------------------------------------------------------

static void write_matrix(const site *site, const lf_vec3 *points, const uint8_t *verdicts,
                         const lf_reason *reasons, int64_t count, reply *reply) {
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_open(&out, "points", '[');
    for (int64_t i = 0; i < count; i++)
        site_write(&out, site, NULL, points[i]);
    put_close(&out, ']');
    put_open(&out, "verdicts", '[');
    for (int64_t i = 0; i < count; i++) {
        put_open(&out, NULL, '[');
        for (int64_t j = 0; j < count; j++) {
            bool known = reasons[i] == LF_REASON_ANSWERED && reasons[j] == LF_REASON_ANSWERED;
            put_text(&out, NULL,
                     lf_verdict_name(known ? (lf_verdict)verdicts[i * count + j] : LF_VERDICT_UNKNOWN));
        }
        put_close(&out, ']');
    }
    put_close(&out, ']');
    api_source(&out, site->dataset);
    put_close(&out, '}');
}

static bool stand_all(const site *site, const places *places, double eye, lf_vec3 *points, lf_reason *reasons,
                      reply *reply) {
    for (int64_t i = 0; i < places->count; i++) {
        double own = places->z ? places->z[i] : NAN;
        if (!site_stand(site, places->list[i], isnan(own) ? eye : own, &points[i], &reasons[i], reply))
            return false;
        if (reasons[i] != LF_REASON_ANSWERED)
            points[i].z = 0;
    }
    return true;
}

static void find_matrix(const request *request, const site *site, const places *places, double eye,
                        reply *reply) {
    int64_t count = places->count;
    lf_vec3 *points = memory_take((size_t)count * sizeof *points);
    lf_reason *reasons = memory_take((size_t)count * sizeof *reasons);
    uint8_t *verdicts = memory_take((size_t)(count * count));
    lf_sight_rules rules;
    if (!points || !reasons || !verdicts) {
        refuse(reply, 503, "out of memory");
    } else if (site_rules(request, site, &rules, reply) &&
               stand_all(site, places, eye, points, reasons, reply)) {
        lf_status status = lf_sight_matrix(site->dataset->ground, &rules, points, count, verdicts, NULL);
        if (status == LF_OK)
            write_matrix(site, points, verdicts, reasons, count, reply);
        else
            refuse_status(reply, status, NULL);
    }
    memory_free(points);
    memory_free(reasons);
    memory_free(verdicts);
}

void api_intervisible(request *request, reply *reply) {
    places places = {0};
    site site;
    double eye, most = fmin(1000, request->settings->max_points);
    if (request_number(request, "eye", (range){2, -1e6, 1e6}, &eye, reply) &&
        api_points_read(request, "points", &places, reply) &&
        site_choose(request, places.list[0], &site, reply)) {
        if ((double)places.count > most)
            refuse_limit(reply, 413, "points", most, (double)places.count);
        else if (site.dataset->globe)
            refuse(reply, 400, "dataset %s: is a globe: expected a raster or a mesh", site.dataset->name);
        else
            find_matrix(request, &site, &places, eye, reply);
    }
    places_free(&places);
}

// ---- Walking and standing -----------------------------------------------------------------------

static bool needs_metres(const site *site, reply *reply) {
    if (!site->dataset->degrees)
        return true;
    return refuse(reply, 400, "dataset %s: x and y are degrees: expected a projected raster or a mesh",
                  site->dataset->name);
}

void api_walk(request *request, reply *reply) {
    static const char *const ends[] = {"arrived", "no ground", "step up", "step down"};
    api_point from, to;
    site site;
    lf_walker walker = lf_walker_default(0.5);
    lf_walk walk;
    if (!api_point_read(request, "from", &from, reply) || !api_point_read(request, "to", &to, reply) ||
        !request_number(request, "step", (range){0.5, 0, 1e6}, &walker.step, reply) ||
        !request_number(request, "drop", (range){walker.step, 0, 1e6}, &walker.drop, reply) ||
        !site_choose(request, from.at, &site, reply))
        return;
    lf_vec3 ends_of_way[2] = {{from.at.x, from.at.y, isnan(from.z) ? INFINITY : from.z},
                              {to.at.x, to.at.y, 0}};
    if (site.dataset->globe) {
        refuse(reply, 400, "dataset %s: is a globe: expected a raster or a mesh", site.dataset->name);
        return;
    }
    if (!site_in(&site, ends_of_way, 2, reply))
        return;
    lf_status status =
        lf_ground_walk(site.dataset->ground, &walker, ends_of_way[0], ends_of_way[1], &walk, NULL, NULL);
    if (status < 0) {
        refuse_status(reply, status, NULL);
        return;
    }
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_text(&out, "end", ends[walk.end]);
    put_number(&out, "share", walk.t);
    if (walk.ground.kind != LF_HIT_NONE)
        site_write(&out, &site, "at", walk.position);
    if (walk.reason != LF_REASON_ANSWERED)
        put_text(&out, "reason", lf_reason_name(walk.reason));
    if (walk.step != 0)
        put_number(&out, "step", walk.step);
    api_source(&out, site.dataset);
    put_close(&out, '}');
}

void api_place(request *request, reply *reply) {
    api_point at;
    site site;
    double azimuth, base, track;
    lf_compass compass;
    lf_vec2 lon_lat;
    lf_stance stance;
    if (!api_point_read(request, "at", &at, reply) ||
        !request_number(request, "heading", (range){0, -720, 720}, &azimuth, reply) ||
        !request_number(request, "base", (range){2.7, 1e-3, 1e4}, &base, reply) ||
        !request_number(request, "track", (range){1.6, 1e-3, 1e4}, &track, reply) ||
        !site_choose(request, at.at, &site, reply) || !needs_metres(&site, reply))
        return;
    lf_vec3 point = {at.at.x, at.at.y, isnan(at.z) ? INFINITY : at.z};
    lf_footprint footprint = lf_footprint_wheels(base, track);
    if (!site_in(&site, &point, 1, reply))
        return;
    if (!dataset_compass(site.dataset, (lf_vec2){point.x, point.y}, &compass, &lon_lat)) {
        refuse(reply, 503, "out of memory");
        return;
    }
    double s = sin(azimuth * DEGREE), c = cos(azimuth * DEGREE);
    lf_vec3 forward = {s * compass.east.x + c * compass.north.x, s * compass.east.y + c * compass.north.y, 0};
    lf_status status = lf_ground_stand(site.dataset->ground, &footprint, point, forward, &stance, NULL);
    if (status != LF_OK) {
        refuse_status(reply, status, NULL);
        return;
    }
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_bool(&out, "stands", stance.stands);
    put_integer(&out, "grounded", stance.grounded);
    if (stance.stands) {
        site_write(&out, &site, "at", stance.position);
        put_number(&out, "pitch_deg", stance.pitch / DEGREE);
        put_number(&out, "roll_deg", stance.roll / DEGREE);
    }
    api_source(&out, site.dataset);
    put_close(&out, '}');
}

void api_collide(request *request, reply *reply) {
    api_point from, to;
    site site;
    double radius;
    lf_hit hit;
    if (!api_point_read(request, "from", &from, reply) || !api_point_read(request, "to", &to, reply) ||
        !request_number(request, "radius", (range){0, 0, 1e6}, &radius, reply) ||
        !site_choose(request, from.at, &site, reply) || !needs_metres(&site, reply))
        return;
    lf_vec3 way[2] = {{from.at.x, from.at.y, from.z}, {to.at.x, to.at.y, to.z}};
    if (isnan(from.z) || isnan(to.z) || site.dataset->globe) {
        refuse(reply, 400, "from, to: expected LON,LAT,HEIGHT on a raster or a mesh");
        return;
    }
    if (!site_in(&site, way, 2, reply))
        return;
    lf_vec3 motion = {way[1].x - way[0].x, way[1].y - way[0].y, way[1].z - way[0].z};
    lf_sweep sweep = lf_sweep_sphere(way[0], radius, motion);
    sweep.tolerance = 1e-3;
    lf_status status = lf_ground_sweep(site.dataset->ground, &sweep, &hit, NULL);
    if (status != LF_OK) {
        refuse_status(reply, status, NULL);
        return;
    }
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_bool(&out, "touches", hit.kind != LF_HIT_NONE);
    put_number(&out, "share", hit.t);
    if (hit.kind != LF_HIT_NONE)
        site_write(&out, &site, "at", hit.point);
    api_source(&out, site.dataset);
    put_close(&out, '}');
}
