/// The Elevation API of Google Maps: /maps/api/elevation/json
#include "shapes.h"
#include <math.h>
#include <string.h>

static const json_style style = {3, " : ", ",", NUMBER_SHORT};

bool read_pair(const char *text, size_t length, double *lat, double *lon) {
    const char *end = text + length, *comma;
    while (text < end && *text == ' ')
        text++;
    comma = lf_number_read(text, end, lat);
    while (comma && comma < end && *comma == ' ')
        comma++;
    if (!comma || comma == end || *comma++ != ',')
        return false;
    while (comma < end && *comma == ' ')
        comma++;
    const char *rest = lf_number_read(comma, end, lon);
    while (rest && rest < end && *rest == ' ')
        rest++;
    return rest == end;
}

bool possible_place(const request *request, double lon, double lat) {
    bool earth = false;
    for (int i = 0; i < request->data->count; i++)
        earth |= request->data->list[i].earth;
    return isfinite(lon) && isfinite(lat) && (!earth || (fabs(lat) <= 90 && fabs(lon) <= 1e6));
}

/// "40.7,-73.9|-34.4,150.6" or "enc:POLYLINE".
static bool read_places(const request *request, const char *name, const char *given, places *places,
                        reply *reply) {
    if (strncmp(given, "enc:", 4) == 0) {
        if (!places_polyline(places, request, given + 4, strlen(given + 4), 5, reply))
            return reply->status == 400 ? refuse(reply, 400, "Invalid request. Invalid '%s' parameter.", name)
                                        : false;
        return places->count > 0 || refuse(reply, 400, "Invalid request. Invalid '%s' parameter.", name);
    }
    for (const char *next, *at = given; at; at = next) {
        const char *end = strchr(at, '|');
        next = end ? end + 1 : NULL;
        double lat, lon;
        if (!read_pair(at, end ? (size_t)(end - at) : strlen(at), &lat, &lon) ||
            !possible_place(request, lon, lat))
            return refuse(reply, 400, "Invalid request. Invalid '%s' parameter.", name);
        if (!places_add(places, request, lon, lat, reply))
            return false;
    }
    return true;
}

static bool read_request(const request *request, places *places, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const char *locations = request_text(request, "locations", number),
               *path = request_text(request, "path", number);
    double samples;
    if (locations && !path)
        return read_places(request, "locations", locations, places, reply);
    if (!path || locations)
        return refuse(reply, 400, "Invalid request. Missing the 'locations' or 'path' parameter.");
    if (!request_text(request, "samples", number))
        return refuse(reply, 400, "Invalid request. Missing the 'samples' parameter.");
    if (!request_number(request, "samples", (range){2, 2, 1e9}, &samples, reply) || samples != floor(samples))
        return refuse(reply, 400, "Invalid request. Invalid 'samples' parameter.");
    if (samples > request->settings->max_points)
        return refuse_limit(reply, 413, "points", request->settings->max_points, samples);
    if (!read_places(request, "path", path, places, reply))
        return false;
    if (places->count < 2)
        return refuse(reply, 400, "Invalid request. Invalid 'path' parameter.");
    return places_along(places, (int64_t)samples, reply);
}

static void write_result(json *out, const request *request, lf_vec2 place, const elevation *answer) {
    put_open(out, NULL, '{');
    put_number(out, "elevation", answer->height);
    put_open(out, "location", '{');
    put_number(out, "lat", place.y);
    put_number(out, "lng", place.x);
    put_close(out, '}');
    double resolution = answer->dataset >= 0 ? request->data->list[answer->dataset].resolution : NAN;
    if (isfinite(resolution) && !isnan(answer->height))
        put_number(out, "resolution", resolution);
    put_close(out, '}');
}

static void write_reply(const request *request, const places *places, const elevation *answers,
                        reply *reply) {
    json out = {&reply->body, &style, 0, false};
    int64_t found = 0;
    for (int64_t i = 0; i < places->count; i++)
        found += !isnan(answers[i].height);
    put_open(&out, NULL, '{');
    put_open(&out, "results", '[');
    for (int64_t i = 0; found > 0 && i < places->count; i++)
        write_result(&out, request, places->list[i], &answers[i]);
    put_close(&out, ']');
    put_text(&out, "status", found > 0 ? "OK" : "DATA_NOT_AVAILABLE");
    put_close(&out, '}');
    text_byte(&reply->body, '\n');
}

void google_elevation(request *request, reply *reply) {
    places places = {0};
    elevation *answers = NULL;
    selection all = select_all(request->data);
    reply->type = "application/json; charset=UTF-8";
    if (read_request(request, &places, reply)) {
        answers = memory_take((size_t)places.count * sizeof *answers);
        if (!answers)
            refuse(reply, 503, "out of memory");
        else if (heights_find(request, &all, &places, INTERPOLATION_BILINEAR, answers, reply))
            write_reply(request, &places, answers, reply);
    }
    memory_free(answers);
    places_free(&places);
}

void google_error(const request *request, reply *reply) {
    (void)request;
    json out = {&reply->body, &style, 0, false};
    int status = reply->status;
    put_open(&out, NULL, '{');
    put_text(&out, "error_message", reply->message);
    put_open(&out, "results", '[');
    put_close(&out, ']');
    put_text(&out, "status",
             status == 429                    ? "OVER_QUERY_LIMIT"
             : status == 401 || status == 403 ? "REQUEST_DENIED"
             : status < 500                   ? "INVALID_REQUEST"
                                              : "UNKNOWN_ERROR");
    put_close(&out, '}');
    text_byte(&reply->body, '\n');
    reply->type = "application/json; charset=UTF-8";
}
