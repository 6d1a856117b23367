/// The API of open-elevation: /api/v1/lookup
#include "shapes.h"
#include <math.h>
#include <string.h>

static const json_style style = {-1, ": ", ", ", NUMBER_PYTHON};

static bool read_query(const request *request, places *places, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const char *given = request_text(request, "locations", number);
    if (!given || !*given)
        return refuse(reply, 400, "\"Locations\" is required.");
    for (const char *next, *at = given; at; at = next) {
        const char *end = strchr(at, '|');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        next = end ? end + 1 : NULL;
        double lat, lon;
        if (!read_pair(at, length, &lat, &lon) || !isfinite(lat) || !isfinite(lon))
            return refuse(reply, 400, "Bad parameter format \"%.*s\".", length > 100 ? 100 : (int)length, at);
        if (!places_add(places, request, lon, lat, reply))
            return false;
    }
    return true;
}

static bool read_body(const request *request, places *places, reply *reply) {
    const value *list = request_member(request, "locations");
    if (!value_is(request->json, VALUE_OBJECT))
        return refuse(reply, 400, "Invalid JSON.");
    if (!value_is(list, VALUE_ARRAY) || list->count == 0)
        return refuse(reply, 400, "\"Locations\" is required in the body.");
    for (const value *item = value_first(list); item < value_end(list); item = value_next(item)) {
        const value *lat = value_member(item, "latitude"), *lon = value_member(item, "longitude");
        if (!value_is(lat, VALUE_NUMBER) || !value_is(lon, VALUE_NUMBER))
            return refuse(reply, 400, "\"location %lld\" is not in a valid format.",
                          (long long)places->count + 1);
        if (!places_add(places, request, lon->number, lat->number, reply))
            return false;
    }
    return true;
}

/// A coordinate of a body is echoed as it was: whole numbers stay whole.
static void write_coordinate(json *out, const value *item, const char *key, double number) {
    const value *given = value_member(item, key);
    if (given && given->whole && fabs(number) < 1e15)
        put_integer(out, key, (int64_t)number);
    else
        put_number(out, key, number);
}

static void write_reply(const request *request, const places *places, const elevation *answers,
                        reply *reply) {
    json out = {&reply->body, &style, 0, false};
    int64_t voids = 0;
    const value *item =
        request->method == HTTP_POST ? value_first(request_member(request, "locations")) : NULL;
    bool null = strcmp(request->settings->open_elevation_void, "null") == 0;
    put_open(&out, NULL, '{');
    put_open(&out, "results", '[');
    for (int64_t i = 0; i < places->count; i++) {
        double height = answers[i].height;
        put_open(&out, NULL, '{');
        write_coordinate(&out, item, "latitude", places->list[i].y);
        write_coordinate(&out, item, "longitude", places->list[i].x);
        item = item ? value_next(item) : NULL;
        if (isnan(height) && null)
            put_null(&out, "elevation");
        else if (isnan(height))
            put_integer(&out, "elevation", 0);
        else if (height == floor(height) && fabs(height) < 1e15)
            put_integer(&out, "elevation", (int64_t)height);
        else
            put_number(&out, "elevation", height);
        voids += isnan(height);
        put_close(&out, '}');
    }
    put_close(&out, ']');
    put_close(&out, '}');
    if (voids > 0)
        reply_header(reply, "X-Landfall-Voids", "%lld", (long long)voids);
}

void lookup_elevation(request *request, reply *reply) {
    places places = {0};
    elevation *answers = NULL;
    selection all = select_all(request->data);
    reply->type = "application/json";
    if (request->method == HTTP_POST ? read_body(request, &places, reply)
                                     : read_query(request, &places, reply)) {
        answers = memory_take((size_t)places.count * sizeof *answers);
        if (!answers)
            refuse(reply, 503, "out of memory");
        else if (heights_find(request, &all, &places, INTERPOLATION_NEAREST, answers, reply))
            write_reply(request, &places, answers, reply);
    }
    memory_free(answers);
    places_free(&places);
}

bool broken_body(const reply *reply) {
    return reply->status == 400 && strncmp(reply->message, "body: ", 6) == 0;
}

void lookup_error(const request *request, reply *reply) {
    (void)request;
    json out = {&reply->body, &style, 0, false};
    put_open(&out, NULL, '{');
    put_text(&out, "error", broken_body(reply) ? "Invalid JSON." : reply->message);
    put_close(&out, '}');
    reply->type = "application/json";
}
