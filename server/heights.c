#include "heights.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void places_free(places *places) {
    memory_free(places->list);
    memory_free(places->z);
    *places = (struct places){0};
}

bool places_add(places *places, const request *request, double x, double y, reply *reply) {
    if ((double)places->count >= request->settings->max_points)
        return refuse_limit(reply, 413, "points", request->settings->max_points, (double)places->count + 1);
    if (places->count == places->space) {
        int64_t space = places->space ? 2 * places->space : 16;
        lf_vec2 *list = memory_resize(places->list, (size_t)space * sizeof *list);
        if (!list)
            return refuse(reply, 503, "out of memory");
        places->list = list;
        places->space = space;
    }
    places->list[places->count++] = (lf_vec2){x, y};
    return true;
}

selection select_all(const datasets *data) {
    selection all = {0};
    bool earth = false;
    for (int i = 0; i < data->count; i++)
        earth |= data->list[i].earth;
    for (int i = 0; i < data->count && all.count < 256; i++)
        if (data->list[i].earth || !earth)
            all.list[all.count++] = i;
    return all;
}

// ---- Encoded polylines --------------------------------------------------------------------------

/// One number of a polyline; NULL when it is broken.
static const char *polyline_number(const char *at, const char *end, int64_t *sum) {
    uint64_t bits = 0;
    for (int shift = 0; at < end && shift < 60; shift += 5) {
        int value = *at++ - 63;
        if (value < 0 || value > 63)
            return NULL;
        bits |= (uint64_t)(value & 31) << shift;
        if (value < 32) {
            *sum += (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
            return at;
        }
    }
    return NULL;
}

bool places_polyline(places *places, const request *request, const char *text, size_t length, int decimals,
                     reply *reply) {
    const char *at = text, *end = text + length;
    double scale = decimals == 6 ? 1e6 : 1e5;
    int64_t lat = 0, lon = 0, limit = (int64_t)1 << 40;
    while (at < end) {
        const char *middle = polyline_number(at, end, &lat),
                   *next = middle ? polyline_number(middle, end, &lon) : NULL;
        if (!next || lat > limit || lat < -limit || lon > limit || lon < -limit)
            return refuse(reply, 400, "polyline: broken at character %lld", (long long)(at - text + 1));
        if (!places_add(places, request, (double)lon / scale, (double)lat / scale, reply))
            return false;
        at = next;
    }
    return true;
}

static void encode_number(text *out, int64_t value) {
    uint64_t bits = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
    for (; bits >= 32; bits >>= 5)
        text_byte(out, (char)(((bits & 31) | 32) + 63));
    text_byte(out, (char)(bits + 63));
}

void polyline_encode(text *out, const lf_vec2 *list, int64_t count, int decimals) {
    double scale = decimals == 6 ? 1e6 : 1e5;
    int64_t lat = 0, lon = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t y = llround(list[i].y * scale), x = llround(list[i].x * scale);
        encode_number(out, y - lat);
        encode_number(out, x - lon);
        lat = y;
        lon = x;
    }
}

// ---- Points along a path ------------------------------------------------------------------------

static lf_geodetic geodetic(lf_vec2 place) {
    return (lf_geodetic){place.x, place.y, 0};
}

bool places_along(places *places, int64_t count, reply *reply) {
    const lf_ellipsoid earth = lf_sight_rules_default().ellipsoid;
    lf_vec2 *found = memory_take((size_t)count * sizeof *found);
    double *reached = memory_take((size_t)places->count * sizeof *reached);
    if (!found || !reached) {
        memory_free(found);
        memory_free(reached);
        return refuse(reply, 503, "out of memory");
    }
    reached[0] = 0;
    for (int64_t i = 1; i < places->count; i++)
        reached[i] =
            reached[i - 1] +
            lf_geodesic_between(&earth, geodetic(places->list[i - 1]), geodetic(places->list[i])).distance;
    double total = reached[places->count - 1];
    for (int64_t k = 0, i = 0; k < count; k++) {
        double distance = total * (double)k / (double)(count - 1);
        while (i + 1 < places->count && reached[i + 1] <= distance)
            i++;
        found[k] = places->list[i];
        if (k == count - 1)
            found[k] = places->list[places->count - 1];
        else if (distance > reached[i] && i + 1 < places->count) {
            lf_geodetic from = geodetic(places->list[i]);
            double azimuth = lf_geodesic_between(&earth, from, geodetic(places->list[i + 1])).azimuth1_deg;
            lf_geodetic at = lf_geodesic_from(&earth, from, azimuth, distance - reached[i], NULL);
            found[k] = (lf_vec2){at.lon_deg, at.lat_deg};
        }
    }
    memory_free(reached);
    memory_free(places->list);
    places->list = found;
    places->count = places->space = count;
    return true;
}

// ---- Heights of one dataset ---------------------------------------------------------------------

/// Catmull-Rom's cubic through four values, at t between the second and the third.
static double cubic(const double v[4], double t) {
    return v[1] + 0.5 * t *
                      (v[2] - v[0] +
                       t * (2 * v[0] - 5 * v[1] + 4 * v[2] - v[3] + t * (3 * (v[1] - v[2]) + v[3] - v[0])));
}

static int64_t clamp(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

/// A sample; columns go round on a grid that wraps, else samples beyond the border are those on it.
static double sample_at(const lf_grid *grid, const lf_grid_info *info, int64_t column, int64_t row) {
    int64_t round = lf_grid_round(grid);
    column = round > 0 ? ((column % round) + round) % round : clamp(column, 0, info->columns - 1);
    return lf_grid_sample(grid, column, clamp(row, 0, info->rows - 1));
}

/// The height between the samples, NAN where one of them is void or the place is outside of them all.
static double interpolate(const lf_grid *grid, const lf_grid_info *info, lf_vec2 at, interpolation how,
                          lf_reason *reason) {
    lf_vec2 place = lf_grid_locate(grid, at);
    double edge = how == INTERPOLATION_NEAREST ? 0.5 : 0, columns = (double)info->columns - 1;
    bool round = lf_grid_round(grid) > 0;
    *reason = LF_REASON_OUTSIDE;
    if (!(place.y >= -edge && place.y <= (double)info->rows - 1 + edge) ||
        (!round && !(place.x >= -edge && place.x <= columns + edge)))
        return NAN;
    double column = floor(place.x), row = floor(place.y), rows[4], line[4];
    *reason = LF_REASON_HOLE;
    if (how == INTERPOLATION_NEAREST)
        return sample_at(grid, info, (int64_t)floor(place.x + 0.5), (int64_t)floor(place.y + 0.5));
    if (!round && column >= columns)
        column = columns - 1;
    if (row >= (double)info->rows - 1)
        row = (double)info->rows - 2;
    int reach = how == INTERPOLATION_CUBIC ? 1 : 0;
    double s = place.x - column, t = place.y - row;
    for (int j = -reach; j <= 1 + reach; j++) {
        for (int i = -reach; i <= 1 + reach; i++)
            line[i + reach] = sample_at(grid, info, (int64_t)column + i, (int64_t)row + j);
        rows[j + reach] = reach    ? cubic(line, s)
                          : s == 0 ? line[0]
                          : s == 1 ? line[1]
                                   : line[0] * (1 - s) + line[1] * s;
    }
    return reach ? cubic(rows, t) : t == 0 ? rows[0] : t == 1 ? rows[1] : rows[0] * (1 - t) + rows[1] * t;
}

static void ask_grid(const dataset *dataset, const lf_vec3 *points, int64_t count, interpolation how,
                     double *heights, uint8_t *reasons) {
    lf_grid_info info = lf_grid_describe(dataset->grid);
    for (int64_t i = 0; i < count; i++) {
        lf_reason reason;
        heights[i] = interpolate(dataset->grid, &info, (lf_vec2){points[i].x, points[i].y}, how, &reason);
        reasons[i] = (uint8_t)(isnan(heights[i]) ? reason : LF_REASON_ANSWERED);
    }
}

static lf_status ask_globe(dataset *dataset, const lf_vec3 *points, int64_t count, double *heights,
                           uint8_t *reasons) {
    lf_status status = LF_OK;
    for (int64_t i = 0; i < count && status >= 0; i++) {
        lf_reason reason;
        status = dataset_globe_height(dataset, points[i].x, points[i].y, &heights[i], &reason, NULL);
        reasons[i] = (uint8_t)reason;
    }
    return status;
}

/// Heights of the surface itself, and the reasons where there are none.
static lf_status ask_surface(const dataset *dataset, const lf_vec3 *points, int64_t count, double *heights,
                             uint8_t *reasons) {
    lf_status status =
        lf_ground_heights_many(dataset->ground, points, 0, count, LF_VERTICAL_DOWN, heights, 0, NULL);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        lf_hit hit = {.reason = LF_REASON_ANSWERED};
        if (isnan(heights[i]))
            status = lf_ground_height(dataset->ground, points[i], LF_VERTICAL_DOWN, &hit, NULL);
        reasons[i] = (uint8_t)hit.reason;
    }
    return status;
}

/// Does a bilinear answer come from the surface itself?
static bool from_surface(const dataset *dataset, interpolation how) {
    return !dataset->grid || how == INTERPOLATION_SURFACE ||
           (how == INTERPOLATION_BILINEAR && lf_grid_describe(dataset->grid).surface == LF_SURFACE_BILINEAR);
}

static lf_status ask_dataset(dataset *dataset, const lf_vec3 *points, int64_t count, interpolation how,
                             double *heights, uint8_t *reasons) {
    if (dataset->globe)
        return ask_globe(dataset, points, count, heights, reasons);
    if (from_surface(dataset, how))
        return ask_surface(dataset, points, count, heights, reasons);
    ask_grid(dataset, points, count, how, heights, reasons);
    return LF_OK;
}

// ---- All of them --------------------------------------------------------------------------------

/// What one round over a dataset works on: the places that have no height so far.
typedef struct batch {
    lf_vec3 *points;
    double *heights;
    int64_t *indices;
    uint8_t *reasons;
    int64_t count;
} batch;

static bool batch_start(batch *batch, int64_t count) {
    size_t n = (size_t)count + 1;
    *batch = (struct batch){memory_take(n * sizeof(lf_vec3)), memory_take(n * sizeof(double)),
                            memory_take(n * sizeof(int64_t)), memory_take(n), 0};
    return batch->points && batch->heights && batch->indices && batch->reasons;
}

static void batch_free(batch *batch) {
    memory_free(batch->points);
    memory_free(batch->heights);
    memory_free(batch->indices);
    memory_free(batch->reasons);
}

/// One dataset: fill in the answers that it has.
static bool round_over(dataset *dataset, int index, const places *places, interpolation how, batch *batch,
                       elevation *answers) {
    batch->count = 0;
    for (int64_t i = 0; i < places->count; i++)
        if (isnan(answers[i].height)) {
            batch->indices[batch->count] = i;
            batch->points[batch->count++] = (lf_vec3){places->list[i].x, places->list[i].y, 0};
        }
    if (batch->count == 0)
        return true;
    if (!dataset_to_map(dataset, batch->points, batch->count))
        return false;
    int64_t kept = 0;
    for (int64_t k = 0; k < batch->count; k++) {
        lf_vec3 at = batch->points[k];
        bool there = isfinite(at.x) && isfinite(at.y) && fabs(at.x) < 1e30 && fabs(at.y) < 1e30;
        answers[batch->indices[k]] = (elevation){NAN, index, LF_REASON_OUTSIDE};
        if (there) {
            batch->indices[kept] = batch->indices[k];
            batch->points[kept++] = (lf_vec3){at.x, at.y, INFINITY};
        }
    }
    if (ask_dataset(dataset, batch->points, kept, how, batch->heights, batch->reasons) < 0)
        return false;
    for (int64_t k = 0; k < kept; k++)
        answers[batch->indices[k]] = (elevation){batch->heights[k], index, (lf_reason)batch->reasons[k]};
    return true;
}

bool heights_find(const request *request, const selection *selection, const places *places, interpolation how,
                  elevation *answers, reply *reply) {
    batch batch;
    bool fine = batch_start(&batch, places->count);
    for (int64_t i = 0; i < places->count; i++)
        answers[i] = (elevation){NAN, -1, LF_REASON_OUTSIDE};
    for (int k = 0; fine && k < selection->count; k++)
        fine = round_over(&request->data->list[selection->list[k]], selection->list[k], places, how, &batch,
                          answers);
    batch_free(&batch);
    return fine || refuse(reply, 503, "out of memory, or a damaged file");
}
