#include "ground.h"
#include <math.h>

#define DEGREE 0.017453292519943295

bool coordinates_start(cli *run) {
    const char *crs = options_value(&run->given, "crs");
    const loaded *ground = &run->ground;
    lf_box box = lf_ground_box(ground->ground);
    lf_error error = {0};
    run->coordinates = (coordinates){.degrees = ground_in_degrees(ground),
                                     .centred = ground->globe != NULL,
                                     .middle = 0.5 * (box.low.x + box.high.x),
                                     .ellipsoid = ground->about.ellipsoid};
    if (!crs)
        return true;
    // Degrees without a system: longitude and latitude of WGS 84.
    bool usual = run->coordinates.degrees || run->coordinates.centred;
    const char *own = ground->about.crs ? ground->about.crs : usual ? "OGC:CRS84" : NULL;
    if (!own)
        return failed("--crs %s: %s names no CRS itself; --ground-crs gives it one", crs,
                      run->given.arguments[0]);
    lf_status status = lf_crs_transform_create(crs, own, &run->host, &run->coordinates.way, &error);
    if (status == LF_BAD_ARGUMENT)
        message_error("--crs %s", error.text);
    return status == LF_BAD_ARGUMENT ? false : succeeded(status, &error);
}

void coordinates_end(coordinates *coordinates) {
    lf_crs_transform_destroy(coordinates->way);
    coordinates->way = NULL;
}

bool coordinates_differ(const coordinates *coordinates) {
    return coordinates->way || coordinates->degrees || coordinates->centred;
}

/// Whole turns that bring a longitude nearest to the middle of the ground. Most are 0, and change no bit.
static double turns_of(const coordinates *coordinates, double lon) {
    return coordinates->degrees && isfinite(lon) ? rint((coordinates->middle - lon) / 360) : 0;
}

void coordinates_shorten(const coordinates *coordinates, lf_vec3 from, lf_vec3 *to) {
    if (!coordinates->degrees || !(fabs(to->x - from.x) >= 180))
        return;
    to->x += 360 * rint((from.x - to->x) / 360);
    if (fabs(to->x - from.x) == 180) // the way that does not pass longitude 0
        to->x = from.x - 360 * floor(from.x / 360) < 180 ? from.x + 180 : from.x - 180;
}

void coordinates_in(const coordinates *coordinates, lf_vec3 *points, int64_t count, int together) {
    if (coordinates->way)
        lf_crs_transform_points(coordinates->way, points, 0, count, false);
    for (int64_t i = 0; i < count; i++) {
        double turns = turns_of(coordinates, points[i].x);
        points[i].x = turns != 0 ? points[i].x + 360 * turns : points[i].x;
        if (i % together > 0)
            coordinates_shorten(coordinates, points[i - i % together], &points[i]);
    }
    for (int64_t i = 0; i < count && coordinates->centred; i++) {
        lf_geodetic place = {points[i].x, points[i].y, points[i].z};
        bool there = isfinite(place.lon_deg) && fabs(place.lat_deg) <= 90;
        points[i] = there ? lf_ellipsoid_to_centred(&coordinates->ellipsoid, place)
                          : (lf_vec3){LF_NAN, LF_NAN, LF_NAN};
    }
}

lf_status ground_plumb(const cli *run, lf_geodetic place, bool topmost, lf_vertical look, lf_hit *hit) {
    const lf_ellipsoid *ellipsoid = &run->coordinates.ellipsoid;
    const double top = 1e5, bottom = -1e5; // metres above the ellipsoid: all ground lies between
    lf_geodetic from = place, to = place;
    from.height = topmost ? top : place.height;
    to.height = look == LF_VERTICAL_UP && !topmost ? top : bottom;
    lf_vec3 a = lf_ellipsoid_to_centred(ellipsoid, from), b = lf_ellipsoid_to_centred(ellipsoid, to);
    lf_ray ray = {a, lf_vec3_unit(lf_vec3_sub(b, a)), 0, lf_vec3_length(lf_vec3_sub(b, a))};
    lf_status status = lf_ground_ray_first(run->ground.ground, &ray, hit, NULL);
    if (status == LF_OK && hit->kind == LF_HIT_NONE)
        hit->reason = topmost ? LF_REASON_OUTSIDE : LF_REASON_NONE;
    return status;
}

lf_vec3 coordinates_point(const cli *run, const double *numbers, int count) {
    const coordinates *coordinates = &run->coordinates;
    lf_vec3 point = {numbers[0], numbers[1], count > 2 ? numbers[2] : LF_INFINITY};
    if (count > 2 || !coordinates->centred) {
        coordinates_in(coordinates, &point, 1, 1);
        return point;
    }
    // On a globe gravity leads to the centre, not along the plumb line: the point is so far out above the
    // ground that its own line meets it at that place.
    lf_globe_info info = lf_globe_describe(run->ground.globe);
    lf_globe_elevation found;
    point.z = 0;
    if (lf_globe_height_finest(run->ground.globe, numbers[0], numbers[1], &found) == LF_OK &&
        found.reason == LF_REASON_ANSWERED)
        point.z = found.height;
    double high = run->ground.world ? info.high + 1e5 : info.high; // what stands on it is higher
    double above = fmin(high, 0.2 * info.ellipsoid.radius) + 1 - point.z;
    coordinates_in(coordinates, &point, 1, 1);
    return lf_vec3_along(point, fmax(above, 1), lf_vec3_unit(point));
}

lf_vec3 coordinates_out(const coordinates *coordinates, lf_vec3 point, double first) {
    if (coordinates->centred) {
        lf_geodetic place = lf_ellipsoid_to_geodetic(&coordinates->ellipsoid, point);
        point = (lf_vec3){place.lon_deg, place.lat_deg, place.height};
        if (!coordinates->way) // by whole turns to the longitude as given
            point.x += 360 * round((first - point.x) / 360);
    }
    if (coordinates->way)
        lf_crs_transform_points(coordinates->way, &point, 0, 1, true);
    else if (coordinates->degrees)
        point.x -= 360 * turns_of(coordinates, first);
    return point;
}

/// Metres per degree to the east and to the north at a latitude.
static lf_vec2 degree_lengths(const lf_ellipsoid *ellipsoid, double lat_deg) {
    double e2 = ellipsoid->flattening * (2 - ellipsoid->flattening), s = sin(lat_deg * DEGREE);
    double root = sqrt(1 - e2 * s * s);
    lf_vec2 lengths = {DEGREE * ellipsoid->radius / root * cos(lat_deg * DEGREE),
                       DEGREE * ellipsoid->radius * (1 - e2) / (root * root * root)};
    return lengths;
}

/// Earth-centred to east, north and up at a position.
static lf_vec3 upright(const lf_ellipsoid *ellipsoid, lf_vec3 position, lf_vec3 vector) {
    lf_geodetic place = lf_ellipsoid_to_geodetic(ellipsoid, position);
    double lon = place.lon_deg * DEGREE, lat = place.lat_deg * DEGREE;
    lf_vec3 east = {-sin(lon), cos(lon), 0}, up = {cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)};
    return (lf_vec3){lf_vec3_dot(east, vector), lf_vec3_dot(lf_vec3_cross(up, east), vector),
                     lf_vec3_dot(up, vector)};
}

lf_vec3 coordinates_normal(const coordinates *coordinates, lf_vec3 point, lf_vec3 normal) {
    if (coordinates->centred)
        return upright(&coordinates->ellipsoid, point, normal);
    if (!coordinates->degrees)
        return normal;
    lf_vec2 lengths = degree_lengths(&coordinates->ellipsoid, point.y);
    // At a pole there is no east: what is left points north or up.
    lf_vec3 metric = {lengths.x > 1e-6 ? normal.x / lengths.x : 0, normal.y / lengths.y, normal.z};
    return lf_vec3_unit(metric);
}

double coordinates_distance(const coordinates *coordinates, lf_vec3 from, lf_vec3 to) {
    if (!coordinates->degrees)
        return lf_vec3_length(lf_vec3_sub(to, from));
    lf_geodetic a = {from.x, from.y, 0}, b = {to.x, to.y, 0};
    return lf_geodesic_between(&coordinates->ellipsoid, a, b).distance;
}
