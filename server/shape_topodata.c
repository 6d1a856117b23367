/// The API of opentopodata: /v1/NAME, /health and /datasets, as its server writes them (Python, sorted keys).
#include "shapes.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_style style = {2, ": ", ",", NUMBER_PYTHON};

static json start(reply *reply) {
    reply->type = "application/json";
    return (json){&reply->body, &style, 0, false};
}

/// An argument: of the query with GET, of the form or the JSON body with POST.
static const char *argument(const request *request, const char *name, char number[LF_NUMBER_SIZE]) {
    struct request one = *request;
    if (request->method == HTTP_POST)
        one.query_count = 0;
    return request_text(&one, name, number);
}

static bool read_location(const request *request, const char *at, size_t length, int64_t position,
                          places *places, reply *reply) {
    double lat, lon;
    int shown = length > 100 ? 100 : (int)length;
    if (!memchr(at, ',', length))
        return refuse(
            reply, 400,
            "Unable to parse location '%.*s' in position %lld. Add locations like lat1,lon1|lat2,lon2.",
            shown, at, (long long)position);
    if (!read_pair(at, length, &lat, &lon) || !isfinite(lat) || !isfinite(lon))
        return refuse(reply, 400, "Unable to parse location '%.*s' in position %lld.", shown, at,
                      (long long)position);
    bool earth = !possible_place(request, 0, 91);
    if (earth && fabs(lat) > 90)
        return refuse(
            reply, 400,
            "Unable to parse location '%.*s' in position %lld. Latitude must be between -90 and 90. Provide "
            "locations in lat,lon order.",
            shown, at, (long long)position);
    if (earth && fabs(lon) > 180)
        return refuse(
            reply, 400,
            "Unable to parse location '%.*s' in position %lld. Longitude must be between -180 and 180.",
            shown, at, (long long)position);
    return places_add(places, request, lon, lat, reply);
}

static bool too_many(const request *request, const char *what, int64_t count, reply *reply) {
    double most = request->settings->max_points;
    if ((double)count <= most)
        return false;
    refuse_limit(reply, 400, "points", most, (double)count);
    refuse(reply, 400, "Too many %s (%lld), the limit is %.0f.", what, (long long)count, most);
    return true;
}

static bool read_locations(const request *request, places *places, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const char *given = argument(request, "locations", number);
    if (!given || !*given)
        return refuse(
            reply, 400,
            "No locations provided. Add locations in a query string: ?locations=lat1,lon1|lat2,lon2.");
    if (!strchr(given, ',')) {
        given += strncmp(given, "enc:", 4) == 0 ? 4 : 0;
        if (places_polyline(places, request, given, strlen(given), 5, reply) && places->count > 0)
            return true;
        if (reply->limit)
            return refuse(reply, 400, "Too many locations provided (%.0f), the limit is %.0f.", reply->asked,
                          reply->allowed);
        return refuse(reply, 400, "Unable to parse locations as polyline.");
    }
    while (*given == '|')
        given++;
    size_t length = strlen(given);
    while (length > 0 && given[length - 1] == '|')
        length--;
    int64_t count = 1, position = 0;
    for (size_t i = 0; i < length; i++)
        count += given[i] == '|';
    if (too_many(request, "locations provided", count, reply))
        return false;
    for (const char *at = given, *end = given + length; at <= end; position++) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        if (!read_location(request, at, (size_t)((bar ? bar : end) - at), position + 1, places, reply))
            return false;
        at = bar ? bar + 1 : end + 1;
    }
    return true;
}

static bool read_samples(const request *request, places *places, reply *reply) {
    char number[LF_NUMBER_SIZE], *end;
    const char *given = argument(request, "samples", number);
    if (!given || !*given)
        return true;
    long long samples = strtoll(given, &end, 10);
    if (*end)
        return refuse(reply, 400, "Invalid value for samples argument '%.64s'. Samples should be an integer.",
                      given);
    if (samples < 2)
        return refuse(reply, 400,
                      "Must provide at least 2 samples. The ends of the path are included as samples.");
    if (too_many(request, "samples requested", samples, reply))
        return false;
    return places_along(places, samples, reply);
}

static bool read_interpolation(const request *request, interpolation *how, reply *reply) {
    static const char *const names[] = {"nearest", "bilinear", "cubic"};
    char number[LF_NUMBER_SIZE];
    const char *given = argument(request, "interpolation", number);
    *how = INTERPOLATION_BILINEAR;
    if (!given || !*given)
        return true;
    for (int i = 0; i < 3; i++)
        if (strcmp(given, names[i]) == 0) {
            *how = (interpolation)i;
            return true;
        }
    return refuse(reply, 400,
                  "Invalid interpolation method '%.64s'. The valid interpolation methods are: nearest, "
                  "bilinear, cubic.",
                  given);
}

/// The text that stands for a missing height.
static bool read_nodata(const request *request, char nodata[32], reply *reply) {
    char number[LF_NUMBER_SIZE], *end;
    const char *given = argument(request, "nodata_value", number);
    snprintf(nodata, 32, "null");
    if (!given || strcmp(given, "null") == 0)
        return true;
    if (strcasecmp(given, "nan") == 0) {
        snprintf(nodata, 32, "NaN");
        return true;
    }
    long long value = strtoll(given, &end, 10);
    if (!*given || *end || strlen(given) > 18)
        return refuse(reply, 400,
                      "Invalid nodata value '%.64s'. Valid nodata values are 'null', 'nan', or an integer.",
                      given);
    snprintf(nodata, 32, "%lld", value);
    return true;
}

/// The datasets in "a,b,c".
static bool read_names(const request *request, const char *names, selection *chosen, reply *reply) {
    char missing[256] = "";
    int missing_count = 0;
    chosen->count = 0;
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, ","), from = strspn(at, " ");
        const char *next = at + length + (at[length] == ',');
        at += from < length ? from : length;
        length -= from < length ? from : length;
        while (length > 0 && at[length - 1] == ' ')
            length--;
        int index = datasets_find(request->data, at, length);
        for (int i = 0; i < chosen->count; i++)
            if (chosen->list[i] == index && index >= 0)
                return refuse(reply, 400, "Duplicate dataset names provided.");
        if (length > 0 && index < 0) {
            size_t used = strlen(missing);
            snprintf(missing + used, sizeof missing - used, "%s%.*s", missing_count++ ? ", " : "",
                     (int)length, at);
        } else if (length > 0 && chosen->count < 256) {
            chosen->list[chosen->count++] = index;
        }
        at = next;
    }
    if (missing_count > 0)
        return refuse(reply, 400, "Dataset%s '%s' not in config.", missing_count > 1 ? "s" : "", missing);
    return chosen->count > 0 || refuse(reply, 400, "No valid dataset names provided.");
}

static void write_reply(const request *request, const places *places, const elevation *answers,
                        const char *nodata, reply *reply) {
    json out = start(reply);
    put_open(&out, NULL, '{');
    put_open(&out, "results", '[');
    for (int64_t i = 0; i < places->count; i++) {
        const elevation *answer = &answers[i];
        bool hole = isnan(answer->height) && answer->reason != LF_REASON_OUTSIDE;
        put_open(&out, NULL, '{');
        put_text(&out, "dataset", request->data->list[answer->dataset].name);
        if (isnan(answer->height))
            put_raw(&out, "elevation", hole ? nodata : "null", strlen(hole ? nodata : "null"));
        else
            put_number(&out, "elevation", answer->height);
        put_open(&out, "location", '{');
        put_number(&out, "lat", places->list[i].y);
        put_number(&out, "lng", places->list[i].x);
        put_close(&out, '}');
        put_close(&out, '}');
    }
    put_close(&out, ']');
    put_text(&out, "status", "OK");
    put_close(&out, '}');
    text_byte(&reply->body, '\n');
}

void topodata_elevation(request *request, reply *reply) {
    places places = {0};
    elevation *answers = NULL;
    interpolation how;
    selection chosen;
    char nodata[32];
    if (read_interpolation(request, &how, reply) && read_nodata(request, nodata, reply) &&
        read_locations(request, &places, reply) && read_samples(request, &places, reply) &&
        read_names(request, request->tail, &chosen, reply)) {
        answers = memory_take((size_t)places.count * sizeof *answers);
        if (!answers)
            refuse(reply, 503, "out of memory");
        else if (heights_find(request, &chosen, &places, how, answers, reply))
            write_reply(request, &places, answers, nodata, reply);
    }
    memory_free(answers);
    places_free(&places);
}

void topodata_root(request *request, reply *reply) {
    (void)request;
    refuse(reply, 404,
           "No dataset name provided. Try a url like '/v1/test-dataset?locations=-10,120' to get started, "
           "and see "
           "https://www.opentopodata.org for full documentation.");
}

static void write_status(reply *reply, const char *status) {
    json out = start(reply);
    put_open(&out, NULL, '{');
    put_text(&out, "status", status);
    put_close(&out, '}');
    text_byte(&reply->body, '\n');
}

void topodata_health(request *request, reply *reply) {
    (void)request;
    write_status(reply, "OK");
}

static int compare_names(const void *a, const void *b) {
    return strcmp((*(const dataset *const *)a)->name, (*(const dataset *const *)b)->name);
}

void topodata_datasets(request *request, reply *reply) {
    json out = start(reply);
    const dataset **sorted = memory_take((size_t)request->data->count * sizeof *sorted);
    if (!sorted) {
        refuse(reply, 503, "out of memory");
        return;
    }
    for (int i = 0; i < request->data->count; i++)
        sorted[i] = &request->data->list[i];
    qsort(sorted, (size_t)request->data->count, sizeof *sorted, compare_names);
    put_open(&out, NULL, '{');
    put_open(&out, "results", '[');
    for (int i = 0; i < request->data->count; i++) {
        put_open(&out, NULL, '{');
        put_open(&out, "child_datasets", '[');
        put_close(&out, ']');
        put_text(&out, "name", sorted[i]->name);
        put_close(&out, '}');
    }
    put_close(&out, ']');
    put_text(&out, "status", "OK");
    put_close(&out, '}');
    text_byte(&reply->body, '\n');
    memory_free(sorted);
}

void topodata_error(const request *request, reply *reply) {
    (void)request;
    json out = start(reply);
    put_open(&out, NULL, '{');
    put_text(&out, "error", broken_body(reply) ? "Invalid JSON." : reply->message);
    put_text(&out, "status", reply->status < 500 ? "INVALID_REQUEST" : "SERVER_ERROR");
    put_close(&out, '}');
    text_byte(&reply->body, '\n');
}
