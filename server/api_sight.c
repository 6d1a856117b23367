/// /v1/sight: does one point see another; /v1/profile: the ground under the line between them.
#include "raster_out.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/// Two ends of a line, on the map.
typedef struct line {
    site site;
    lf_sight_rules rules;
    lf_vec3 a, b;
    lf_reason reason; ///< why an end has no ground
    int end;          ///< and which: 0 from, 1 to
} line;

static bool read_line(const request *request, line *line, reply *reply) {
    api_point from, to;
    double eye, target;
    *line = (struct line){0};
    if (!api_point_read(request, "from", &from, reply) || !api_point_read(request, "to", &to, reply) ||
        !request_number(request, "eye", (range){2, -1e6, 1e6}, &eye, reply) ||
        !request_number(request, "target", (range){0, -1e6, 1e6}, &target, reply) ||
        !site_choose(request, from.at, &line->site, reply) ||
        !site_rules(request, &line->site, &line->rules, reply))
        return false;
    if (!site_stand(&line->site, from.at, isnan(from.z) ? eye : from.z, &line->a, &line->reason, reply))
        return false;
    line->end = line->reason != LF_REASON_ANSWERED ? 0 : 1;
    return line->reason != LF_REASON_ANSWERED ||
           site_stand(&line->site, to.at, isnan(to.z) ? target : to.z, &line->b, &line->reason, reply);
}

static void write_number(json *out, const char *key, double value) {
    if (isfinite(value))
        put_number(out, key, value);
}

static void write_sight(const line *line, const lf_sight *sight, reply *reply) {
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_text(&out, "verdict", lf_verdict_name(sight->verdict));
    put_number(&out, "length", sight->length);
    if (sight->verdict != LF_VERDICT_CLEAR) {
        put_number(&out, "distance", sight->t * sight->length);
        site_write(&out, &line->site, "at", sight->point);
    }
    if (line->rules.detail) {
        write_number(&out, "clearance", sight->clearance);
        write_number(&out, "clearance_distance", sight->clearance_t * sight->length);
        write_number(&out, "raise", sight->raise);
        if (line->rules.frequency_mhz > 0) {
            write_number(&out, "fresnel", sight->fresnel);
            write_number(&out, "fresnel_distance", sight->fresnel_t * sight->length);
        }
    }
    site_write(&out, &line->site, "from", line->a);
    site_write(&out, &line->site, "to", line->b);
    put_number(&out, "cc", line->rules.curvature.coefficient);
    api_source(&out, line->site.dataset);
    put_close(&out, '}');
}

/// An end without ground: the verdict is unknown, with the reason.
static void write_unknown(const line *line, reply *reply) {
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_text(&out, "verdict", "unknown");
    put_text(&out, "end", line->end ? "to" : "from");
    put_text(&out, "reason", lf_reason_name(line->reason));
    api_source(&out, line->site.dataset);
    put_close(&out, '}');
}

/// On a globe the line is straight in space, but for refraction.
static lf_status globe_sight(const line *line, lf_sight *sight) {
    dataset *dataset = line->site.dataset;
    lf_globe_sight found = {0};
    lf_sight_rules rules = line->rules;
    rules.units = LF_MAP_METRES; // earth-centred
    lf_vec3 a = lf_ellipsoid_to_centred(&dataset->ellipsoid, (lf_geodetic){line->a.x, line->a.y, line->a.z});
    lf_vec3 b = lf_ellipsoid_to_centred(&dataset->ellipsoid, (lf_geodetic){line->b.x, line->b.y, line->b.z});
    pthread_mutex_lock(&dataset->lock);
    lf_status status = dataset->has_parts
                           ? lf_sight_between(dataset->ground, &rules, a, b, sight, NULL)
                           : lf_globe_sight_finest(dataset->globe, a, b,
                                                   1 - line->rules.curvature.coefficient, &found, NULL);
    pthread_mutex_unlock(&dataset->lock);
    if (status != LF_OK)
        return status;
    if (!dataset->has_parts)
        *sight = (lf_sight){.verdict = found.clear ? LF_VERDICT_CLEAR : LF_VERDICT_BLOCKED,
                            .t = found.t,
                            .point = found.point,
                            .length = found.length};
    lf_geodetic place = lf_ellipsoid_to_geodetic(&dataset->ellipsoid, sight->point);
    sight->point = (lf_vec3){place.lon_deg, place.lat_deg, place.height};
    return LF_OK;
}

void api_sight(request *request, reply *reply) {
    line line;
    lf_sight sight = {0};
    if (!read_line(request, &line, reply))
        return;
    if (line.reason != LF_REASON_ANSWERED) {
        write_unknown(&line, reply);
        return;
    }
    line.rules.detail = line.site.dataset->grid != NULL;
    lf_status status = line.site.dataset->globe ? globe_sight(&line, &sight)
                                                : lf_sight_between(line.site.dataset->ground, &line.rules,
                                                                   line.a, line.b, &sight, NULL);
    if (status == LF_OK)
        write_sight(&line, &sight, reply);
    else
        refuse_status(reply, status, NULL);
}

// ---- Profiles -----------------------------------------------------------------------------------

typedef struct profile {
    line line;
    lf_profile_point *points;
    int64_t count;
} profile;

static bool find_profile(const request *request, profile *profile, reply *reply) {
    double steps, most = request->settings->max_points;
    bool grid = profile->line.site.dataset->grid != NULL;
    if (!request_number(request, "steps", (range){grid ? 0 : 256, grid ? 0 : 1, 1e9}, &steps, reply))
        return false;
    if (steps + 1 > most)
        return refuse_limit(reply, 413, "points", most, steps + 1);
    int64_t capacity = (int64_t)most;
    profile->points = memory_take((size_t)capacity * sizeof *profile->points);
    if (!profile->points)
        return refuse(reply, 503, "out of memory");
    lf_status status =
        lf_sight_profile(profile->line.site.dataset->ground, &profile->line.rules, profile->line.a,
                         profile->line.b, (int64_t)steps, profile->points, capacity, &profile->count);
    if (status == LF_PARTIAL)
        return refuse_limit(reply, 413, "points", most, (double)profile->count);
    return status == LF_OK || refuse_status(reply, status, NULL);
}

/// The place on the map of a point of a profile.
static lf_vec3 profile_place(const profile *profile, int64_t i) {
    const line *line = &profile->line;
    double t = profile->points[i].t;
    return (lf_vec3){line->a.x + t * (line->b.x - line->a.x), line->a.y + t * (line->b.y - line->a.y), NAN};
}

static void write_json(const profile *profile, reply *reply) {
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_open(&out, "points", '[');
    for (int64_t i = 0; i < profile->count; i++) {
        const lf_profile_point *point = &profile->points[i];
        put_open(&out, NULL, '{');
        site_write(&out, &profile->line.site, "at", profile_place(profile, i));
        put_number(&out, "distance", point->distance);
        put_number(&out, "ground", point->ground);
        put_number(&out, "line", point->line);
        put_close(&out, '}');
    }
    put_close(&out, ']');
    api_source(&out, profile->line.site.dataset);
    put_close(&out, '}');
}

static void write_csv(const profile *profile, reply *reply) {
    text *out = &reply->body;
    reply->type = "text/csv; charset=utf-8";
    text_put(out, "lon,lat,distance,ground,line\n");
    for (int64_t i = 0; i < profile->count; i++) {
        lf_vec3 place = profile_place(profile, i);
        site_out(&profile->line.site, &place, 1, reply);
        double numbers[] = {place.x, place.y, profile->points[i].distance, profile->points[i].ground,
                            profile->points[i].line};
        for (int k = 0; k < 5; k++) {
            if (k > 0)
                text_byte(out, ',');
            if (isfinite(numbers[k]))
                text_number(out, numbers[k], NUMBER_SHORT, 0);
        }
        text_byte(out, '\n');
    }
}

void api_profile(request *request, reply *reply) {
    profile profile = {0};
    int format;
    if (!request_choice(request, "format", "json|csv|png|svg", &format, reply) ||
        !read_line(request, &profile.line, reply))
        return;
    if (profile.line.site.dataset->globe)
        refuse(reply, 400, "dataset %s: is a globe: profiles need a raster or a mesh",
               profile.line.site.dataset->name);
    else if (profile.line.reason != LF_REASON_ANSWERED)
        refuse(reply, 404, "%s: no ground there: %s", profile.line.end ? "to" : "from",
               lf_reason_name(profile.line.reason));
    else if (find_profile(request, &profile, reply)) {
        if (format == 0)
            write_json(&profile, reply);
        else if (format == 1)
            write_csv(&profile, reply);
        else
            (format == 2 ? profile_png : profile_svg)(profile.points, profile.count, reply);
    }
    memory_free(profile.points);
}
