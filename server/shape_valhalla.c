/// The elevation service of Valhalla: /height
#include "shapes.h"
#include <math.h>
#include <string.h>

#define RADIUS 6378160.187 // metres: of Valhalla's sphere
#define DEGREE 0.017453292519943295
#define LEAST_STEP 10.0 // metres: Valhalla's own limit on resample_distance

/// What a request asks for.
typedef struct asked {
    places places;
    bool encoded, range;
    int decimals;  ///< of the polyline
    int precision; ///< of heights
    const char *id;
    bool resampled;
} asked;

/// Distance on the sphere, metres.
static double arc(lf_vec2 a, lf_vec2 b) {
    double dy = sin(0.5 * (b.y - a.y) * DEGREE), dx = sin(0.5 * (b.x - a.x) * DEGREE);
    return 2 * RADIUS * asin(fmin(1, sqrt(dy * dy + cos(a.y * DEGREE) * cos(b.y * DEGREE) * dx * dx)));
}

/// The place at a share of the great circle between two.
static lf_vec2 along(lf_vec2 a, lf_vec2 b, double share) {
    double angle = arc(a, b) / RADIUS;
    if (angle <= 0)
        return a;
    double u = sin((1 - share) * angle) / sin(angle), v = sin(share * angle) / sin(angle);
    double ya = a.y * DEGREE, yb = b.y * DEGREE, xa = a.x * DEGREE, xb = b.x * DEGREE;
    double x = u * cos(ya) * cos(xa) + v * cos(yb) * cos(xb),
           y = u * cos(ya) * sin(xa) + v * cos(yb) * sin(xb);
    double z = u * sin(ya) + v * sin(yb);
    return (lf_vec2){atan2(y, x) / DEGREE, atan2(z, hypot(x, y)) / DEGREE};
}

static bool resample(const request *request, places *shape, double step, reply *reply) {
    places found = {0};
    double left = 0; // metres of the step that the segments before have covered
    bool fine = places_add(&found, request, shape->list[0].x, shape->list[0].y, reply);
    for (int64_t i = 1; fine && i < shape->count; i++) {
        lf_vec2 a = shape->list[i - 1], b = shape->list[i];
        double length = arc(a, b), at = step - left;
        for (; fine && at <= length && length > 0; at += step) {
            lf_vec2 place = along(a, b, at / length);
            fine = places_add(&found, request, place.x, place.y, reply);
        }
        left = length - (at - step);
    }
    lf_vec2 last = shape->list[shape->count - 1];
    fine = fine && places_add(&found, request, last.x, last.y, reply);
    places_free(shape);
    *shape = found;
    return fine;
}

static bool too_many(reply *reply, bool resampled) {
    return refuse(reply, 400, "Too many shape points (%.0f%s). The limit is %.0f", reply->asked,
                  resampled ? " after resampling" : "", reply->allowed);
}

static bool read_shape(const request *request, const value *root, asked *asked, reply *reply) {
    const value *shape = value_member(root, "shape");
    if (!value_is(shape, VALUE_ARRAY))
        return true;
    for (const value *item = value_first(shape); item < value_end(shape); item = value_next(item)) {
        const value *lat = value_member(item, "lat"), *lon = value_member(item, "lon");
        double y = value_number(lat), x = value_number(lon);
        if (!value_is(lat, VALUE_NUMBER) || !value_is(lon, VALUE_NUMBER) || !possible_place(request, x, y))
            return refuse(reply, 400, "Failed to parse shape");
        if (!places_add(&asked->places, request, x, y, reply))
            return reply->limit ? too_many(reply, false) : false;
    }
    return true;
}

static bool read_polyline(const request *request, const value *root, asked *asked, reply *reply) {
    const value *polyline = value_member(root, "encoded_polyline");
    const char *format = value_string(value_member(root, "shape_format"));
    asked->encoded = true;
    asked->decimals = format && strcmp(format, "polyline5") == 0 ? 5 : 6;
    if (!places_polyline(&asked->places, request, polyline->string, polyline->count, asked->decimals, reply))
        return reply->limit           ? too_many(reply, false)
               : reply->status == 400 ? refuse(reply, 400, "Failed to parse shape")
                                      : false;
    for (int64_t i = 0; i < asked->places.count; i++)
        if (!possible_place(request, asked->places.list[i].x, asked->places.list[i].y))
            return refuse(reply, 400, "Failed to parse shape");
    return true;
}

static bool read_request(const request *request, const value *root, asked *asked, reply *reply) {
    const value *step = value_member(root, "resample_distance"),
                *precision = value_member(root, "height_precision");
    bool encoded = value_is(value_member(root, "encoded_polyline"), VALUE_STRING);
    if (!(encoded ? read_polyline(request, root, asked, reply) : read_shape(request, root, asked, reply)))
        return false;
    if (asked->places.count < 1)
        return refuse(reply, 400, "Insufficient shape provided");
    asked->range = value_is(value_member(root, "range"), VALUE_TRUE);
    asked->id = value_string(value_member(root, "id"));
    double digits = value_number(precision);
    asked->precision = digits == 1 || digits == 2 ? (int)digits : 0;
    if (!value_is(step, VALUE_NUMBER))
        return true;
    if (!(value_number(step) >= LEAST_STEP))
        return refuse(reply, 400, "'resample_distance' must be >= %.6f meters", LEAST_STEP);
    asked->resampled = asked->places.count > 1;
    if (asked->resampled && !resample(request, &asked->places, value_number(step), reply))
        return reply->limit ? too_many(reply, true) : false;
    return true;
}

static void write_height(json *out, double height, int precision) {
    if (isnan(height))
        put_null(out, NULL);
    else if (precision == 0)
        put_integer(out, NULL, llround(height));
    else
        put_decimals(out, NULL, height, precision);
}

static void write_heights(json *out, const asked *asked, const elevation *answers) {
    double range = 0;
    put_open(out, asked->range ? "range_height" : "height", '[');
    for (int64_t i = 0; i < asked->places.count; i++) {
        if (asked->range) {
            range += i > 0 ? arc(asked->places.list[i - 1], asked->places.list[i]) : 0;
            put_open(out, NULL, '[');
            if (asked->precision == 0)
                put_integer(out, NULL, llround(range));
            else
                put_decimals(out, NULL, range, asked->precision);
        }
        write_height(out, answers[i].height, asked->precision);
        if (asked->range)
            put_close(out, ']');
    }
    put_close(out, ']');
}

static void write_reply(const request *request, const value *root, const asked *asked,
                        const elevation *answers, reply *reply) {
    json out = {&reply->body, &json_compact, 0, false};
    char number[LF_NUMBER_SIZE];
    const char *id = asked->id ? asked->id : request_text(request, "id", number);
    put_open(&out, NULL, '{');
    if (asked->encoded) {
        text line = {0};
        const value *given = value_member(root, "encoded_polyline");
        if (asked->resampled)
            polyline_encode(&line, asked->places.list, asked->places.count, asked->decimals);
        else
            text_add(&line, given->string, given->count);
        reply->body.failed |= line.failed;
        text_byte(&line, '\0');
        put_text(&out, "encoded_polyline", line.failed ? "" : line.bytes);
        text_free(&line);
    } else {
        put_open(&out, "shape", '[');
        for (int64_t i = 0; i < asked->places.count; i++) {
            put_open(&out, NULL, '{');
            put_decimals(&out, "lat", asked->places.list[i].y, 6);
            put_decimals(&out, "lon", asked->places.list[i].x, 6);
            put_close(&out, '}');
        }
        put_close(&out, ']');
    }
    write_heights(&out, asked, answers);
    if (id)
        put_text(&out, "id", id);
    put_close(&out, '}');
}

static void answer(const request *request, const value *root, reply *reply) {
    asked asked = {.decimals = 6};
    elevation *answers = NULL;
    selection all = select_all(request->data);
    if (read_request(request, root, &asked, reply)) {
        answers = memory_take((size_t)asked.places.count * sizeof *answers);
        if (!answers)
            refuse(reply, 503, "out of memory");
        else if (heights_find(request, &all, &asked.places, INTERPOLATION_BILINEAR, answers, reply))
            write_reply(request, root, &asked, answers, reply);
    }
    memory_free(answers);
    places_free(&asked.places);
}

void valhalla_height(request *request, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const char *given = request_text(request, "json", number);
    reply->type = "application/json;charset=utf-8";
    if (request->json || !given) {
        answer(request, request->json, reply);
        return;
    }
    struct request inner = {.settings = request->settings};
    if (request_body(&inner, "application/json", given, strlen(given), reply))
        answer(request, inner.json, reply);
    else if (reply->status == 400)
        refuse(reply, 400, "Failed to parse json request");
    document_free(&inner.document);
}

/// Valhalla's own numbers of its errors.
static int code_of(const reply *reply) {
    static const struct {
        int code;
        const char *begins;
    } codes[] = {{100, "Failed to parse json"}, {106, "Try any of"},          {134, "Failed to parse shape"},
                 {312, "Insufficient shape"},   {313, "'resample_distance'"}, {314, "Too many shape points"}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strncmp(reply->message, codes[i].begins, strlen(codes[i].begins)) == 0)
            return codes[i].code;
    return reply->status == 405 ? 101 : 199;
}

void valhalla_error(const request *request, reply *reply) {
    (void)request;
    json out = {&reply->body, &json_compact, 0, false};
    if (broken_body(reply))
        refuse(reply, 400, "Failed to parse json request");
    put_open(&out, NULL, '{');
    put_integer(&out, "error_code", code_of(reply));
    put_text(&out, "error", reply->message);
    put_integer(&out, "status_code", reply->status);
    put_text(&out, "status",
             reply->status == 400  ? "Bad Request"
             : reply->status < 500 ? "Client Error"
                                   : "Internal Server Error");
    put_close(&out, '}');
    reply->type = "application/json;charset=utf-8";
}
