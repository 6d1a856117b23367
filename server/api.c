#include "api.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

json api_start(reply *reply) {
    reply->type = "application/json";
    return (json){&reply->body, &json_compact, 0, false};
}

void api_error(const request *request, reply *reply) {
    (void)request;
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_open(&out, "error", '{');
    put_integer(&out, "status", reply->status);
    put_text(&out, "message", reply->message);
    if (reply->limit) {
        put_text(&out, "limit", reply->limit);
        put_number(&out, "allowed", reply->allowed);
        put_number(&out, "asked", reply->asked);
    }
    put_close(&out, '}');
    put_close(&out, '}');
}

void api_source(json *out, const dataset *dataset) {
    if (out->filled)
        text_byte(out->out, ',');
    text_add(out->out, dataset->source.bytes, dataset->source.count);
    out->filled = true;
}

void api_datasets(request *request, reply *reply) {
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_open(&out, "datasets", '[');
    for (int i = 0; i < request->data->count; i++) {
        const dataset *dataset = &request->data->list[i];
        put_open(&out, NULL, '{');
        put_text(&out, "name", dataset->name);
        put_text(&out, "kind", dataset->kind_name);
        put_text(&out, "coordinates",
                 dataset->degrees     ? "degrees"
                 : dataset->projected ? "projected"
                                      : "local");
        put_text(&out, "datum", dataset->datum);
        put_number(&out, "resolution", dataset->resolution);
        put_open(&out, "bounds", '[');
        put_number(&out, NULL, dataset->low.x);
        put_number(&out, NULL, dataset->low.y);
        put_number(&out, NULL, dataset->high.x);
        put_number(&out, NULL, dataset->high.y);
        put_close(&out, ']');
        put_close(&out, '}');
    }
    put_close(&out, ']');
    put_close(&out, '}');
}

// ---- Points -------------------------------------------------------------------------------------

/// Two or three numbers between commas.
static bool parse_numbers(const char *text, size_t length, api_point *point) {
    double n[3];
    int count = 0;
    const char *at = text, *end = text + length;
    while (count < 3) {
        while (at < end && *at == ' ')
            at++;
        at = lf_number_read(at, end, &n[count]);
        if (!at || !isfinite(n[count++]))
            return false;
        while (at < end && *at == ' ')
            at++;
        if (at == end)
            break;
        if (*at++ != ',')
            return false;
    }
    *point = (api_point){{n[0], n[1]}, count == 3 ? n[2] : NAN};
    return at == end && count >= 2;
}

static bool json_point(const value *list, api_point *point) {
    if (!value_is(list, VALUE_ARRAY) || list->count < 2 || list->count > 3 || list->size != list->count + 1)
        return false;
    for (uint32_t i = 1; i <= list->count; i++)
        if (list[i].kind != VALUE_NUMBER)
            return false;
    *point = (api_point){{list[1].number, list[2].number}, list->count == 3 ? list[3].number : NAN};
    return true;
}

/// Are the coordinates of a request longitudes and latitudes?
static bool geographic(const request *request) {
    char number[LF_NUMBER_SIZE];
    const char *crs = request_text(request, "crs", number);
    if (crs && strcmp(crs, "native") == 0)
        return false;
    for (int i = 0; i < request->data->count; i++)
        if (request->data->list[i].earth)
            return true;
    return false;
}

static bool within(bool geographic, const api_point *point) {
    if (geographic && (fabs(point->at.y) > 90 || fabs(point->at.x) > 540))
        return false;
    return fabs(point->at.x) < 1e30 && fabs(point->at.y) < 1e30 && !(fabs(point->z) >= 1e30);
}

bool api_point_read(const request *request, const char *name, api_point *point, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const value *list = request_member(request, name);
    const char *given = list ? NULL : request_text(request, name, number);
    if (!list && !given)
        return refuse(reply, 400, "%s: missing: expected LON,LAT or LON,LAT,HEIGHT", name);
    if (list ? !json_point(list, point) : !parse_numbers(given, strlen(given), point))
        return refuse(reply, 400, "%s %.64s: expected LON,LAT or LON,LAT,HEIGHT", name, given ? given : "");
    if (!within(geographic(request), point))
        return refuse(reply, 400, "%s %.10g,%.10g: expected a longitude, and a latitude from -90 to 90", name,
                      point->at.x, point->at.y);
    return true;
}

/// Take a point in; z is kept where one of them has it.
static bool add_point(const request *request, places *places, const api_point *point, reply *reply) {
    int64_t space = places->space;
    if (places->count == 0)
        places->geographic = geographic(request);
    if (!within(places->geographic, point))
        return refuse(reply, 400,
                      "point %lld: %.10g,%.10g: expected a longitude, and a latitude from -90 to 90",
                      (long long)places->count + 1, point->at.x, point->at.y);
    if (!places_add(places, request, point->at.x, point->at.y, reply))
        return false;
    if (places->space != space) {
        double *z = memory_resize(places->z, (size_t)places->space * sizeof *z);
        if (!z)
            return refuse(reply, 503, "out of memory");
        places->z = z;
    }
    places->z[places->count - 1] = point->z;
    return true;
}

static bool add_array(const request *request, places *places, const value *list, reply *reply) {
    for (const value *at = value_first(list); at < value_end(list); at = value_next(at)) {
        api_point point;
        if (!json_point(at, &point))
            return refuse(reply, 400, "point %lld: expected an array of two or three numbers",
                          (long long)places->count + 1);
        if (!add_point(request, places, &point, reply))
            return false;
    }
    return true;
}

/// Points of a GeoJSON geometry, feature or collection.
static bool add_geojson(const request *request, places *places, const value *object, int depth,
                        reply *reply) {
    const value *coordinates = value_member(object, "coordinates"),
                *geometry = value_member(object, "geometry"), *features = value_member(object, "features");
    const char *type = value_string(value_member(object, "type"));
    api_point point;
    if (depth < 4 && geometry)
        return add_geojson(request, places, geometry, depth + 1, reply);
    if (features) {
        if (depth > 0 || features->kind != VALUE_ARRAY)
            return refuse(reply, 400, "features: expected an array of features, in no other collection");
        for (const value *at = value_first(features); at < value_end(features); at = value_next(at))
            if (!add_geojson(request, places, at, depth + 1, reply))
                return false;
        return true;
    }
    if (type && strcmp(type, "Point") == 0 && json_point(coordinates, &point))
        return add_point(request, places, &point, reply);
    if (type && value_is(coordinates, VALUE_ARRAY) &&
        (strcmp(type, "MultiPoint") == 0 || strcmp(type, "LineString") == 0))
        return add_array(request, places, coordinates, reply);
    return refuse(reply, 400, "geometry %.32s: expected Point, MultiPoint or LineString",
                  type ? type : "without type");
}

static bool add_text(const request *request, places *places, const char *given, reply *reply) {
    for (const char *next, *at = given; at; at = next) {
        const char *bar = strchr(at, '|');
        size_t length = bar ? (size_t)(bar - at) : strlen(at);
        api_point point;
        next = bar ? bar + 1 : NULL;
        if (!parse_numbers(at, length, &point))
            return refuse(reply, 400, "point %lld: %.*s: expected LON,LAT or LON,LAT,HEIGHT",
                          (long long)places->count + 1, length > 64 ? 64 : (int)length, at);
        if (!add_point(request, places, &point, reply))
            return false;
    }
    return true;
}

bool api_points_read(const request *request, const char *name, places *places, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const value *member = request_member(request, name);
    const char *given = value_is(member, VALUE_ARRAY) || value_is(member, VALUE_OBJECT)
                            ? NULL
                            : request_text(request, name, number);
    bool fine;
    if (given)
        fine = add_text(request, places, given, reply);
    else if (value_is(member, VALUE_ARRAY))
        fine = add_array(request, places, member, reply);
    else if (value_is(member, VALUE_OBJECT) || request_member(request, "type"))
        fine = add_geojson(request, places, member ? member : request->json, 0, reply);
    else
        return refuse(reply, 400,
                      "%s: missing: expected LON,LAT|LON,LAT, an array of arrays or a GeoJSON geometry",
                      name);
    return fine && (places->count > 0 || refuse(reply, 400, "%s: expected at least one point", name));
}

// ---- Grounds ------------------------------------------------------------------------------------

bool api_selection(const request *request, selection *chosen, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const char *names = request_text(request, "dataset", number);
    *chosen = select_all(request->data);
    if (!names)
        return true;
    chosen->count = 0;
    for (const char *at = names; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        int index = datasets_find(request->data, at, length);
        if (index < 0)
            return refuse(reply, 404, "dataset %.*s: not served: see /v1/datasets",
                          length > 64 ? 64 : (int)length, at);
        if (chosen->count < 256)
            chosen->list[chosen->count++] = index;
    }
    return true;
}

bool site_choose(const request *request, lf_vec2 first, site *site, reply *reply) {
    char number[LF_NUMBER_SIZE];
    const char *crs = request_text(request, "crs", number);
    selection chosen;
    elevation answer = {0};
    if (crs && strcmp(crs, "native") != 0 && strcmp(crs, "EPSG:4326") != 0)
        return refuse(reply, 400, "crs %.64s: expected EPSG:4326 or native", crs);
    if (!api_selection(request, &chosen, reply))
        return false;
    site->native = crs && strcmp(crs, "native") == 0;
    site->index = chosen.list[0];
    if (chosen.count > 1 && !site->native) {
        places one = {.list = &first, .count = 1, .space = 1};
        if (!heights_find(request, &chosen, &one, INTERPOLATION_SURFACE, &answer, reply))
            return false;
        if (!isnan(answer.height))
            site->index = answer.dataset;
    }
    site->dataset = &request->data->list[site->index];
    return true;
}

bool site_in(const site *site, lf_vec3 *points, int64_t count, reply *reply) {
    if (!site->native && !dataset_to_map(site->dataset, points, count))
        return refuse(reply, 503, "out of memory");
    for (int64_t i = 0; i < count; i++)
        if (!(fabs(points[i].x) < 1e30 && fabs(points[i].y) < 1e30))
            return refuse(reply, 400, "point %lld: outside of the map of %s", (long long)i + 1,
                          site->dataset->name);
    return true;
}

bool site_out(const site *site, lf_vec3 *points, int64_t count, reply *reply) {
    return site->native || dataset_from_map(site->dataset, points, count) ||
           refuse(reply, 503, "out of memory");
}

bool site_stand(const site *site, lf_vec2 at, double above, lf_vec3 *point, lf_reason *reason, reply *reply) {
    *point = (lf_vec3){at.x, at.y, NAN};
    if (!site_in(site, point, 1, reply))
        return false;
    if (!site->dataset->globe) {
        lf_vec2 place = {point->x, point->y};
        lf_status status = lf_sight_observer(site->dataset->ground, place, above, point, reason);
        return status == LF_OK || refuse_status(reply, status, NULL);
    }
    double height;
    lf_status status = dataset_globe_height(site->dataset, point->x, point->y, &height, reason, NULL);
    point->z = height + above;
    return status >= 0 || refuse_status(reply, status, NULL);
}

bool site_rules(const request *request, const site *site, lf_sight_rules *rules, reply *reply) {
    double factor;
    int holes;
    *rules = dataset_rules(site->dataset);
    double usual = site->dataset->earth && (site->dataset->grid || site->dataset->globe) ? LF_CURVATURE_LIGHT
                                                                                         : LF_CURVATURE_FLAT;
    if (!request_number(request, "cc", (range){usual, -1, 2}, &rules->curvature.coefficient, reply) ||
        !request_number(request, "k", (range){NAN, 0.1, 1e6}, &factor, reply) ||
        !request_number(request, "radius", (range){rules->curvature.radius, 1, 1e9}, &rules->curvature.radius,
                        reply) ||
        !request_number(request, "frequency", (range){0, 0, 1e9}, &rules->frequency_mhz, reply) ||
        !request_choice(request, "voids", "unknown|pass|stop", &holes, reply))
        return false;
    if (!isnan(factor))
        rules->curvature.coefficient = 1 / factor;
    rules->voids = (lf_void_policy)holes;
    return true;
}

void site_write(json *out, const site *site, const char *key, lf_vec3 point) {
    struct reply none = {0};
    site_out(site, &point, 1, &none);
    put_open(out, key, '[');
    put_number(out, NULL, point.x);
    put_number(out, NULL, point.y);
    if (!isnan(point.z))
        put_number(out, NULL, point.z);
    put_close(out, ']');
}
