/// Where the parts of a world are: places, coordinate reference systems, and the ground that they stand on.
#include "geom/geometry.h"
#include "raster/raster.h"
#include "world/world_parts.h"
#include <math.h>
#include <string.h>

lf_status lf__world_standing(const lf__world_reader *reader, const lf_ground **ground) {
    lf_world_file *world = reader->world;
    lf_error inner = {0};
    *ground = NULL;
    if (world->terrain.count == 0)
        return LF_OK;
    if (!world->standing) {
        lf_group_def def = lf_group_def_default();
        def.host.allocator = world->host.allocator;
        def.parts = world->terrain.items;
        def.part_count = world->terrain.count;
        lf_status status = lf_group_create(&def, &world->standing, &inner);
        if (status != LF_OK)
            return lf__world_pass_on(reader, status, "", &inner);
    }
    *ground = lf_group_ground(world->standing);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Coordinate reference systems
// ---------------------------------------------------------------------------------------------------

static bool same_system(const char *a, const char *b) {
    bool same = strcmp(a, b) == 0;
    OGRSpatialReferenceH first = same ? NULL : lf__crs_from_text(a),
                         second = same ? NULL : lf__crs_from_text(b);
    if (first && second) {
        if (OSRIsCompound(first))
            OSRStripVertical(first);
        if (OSRIsCompound(second))
            OSRStripVertical(second);
        same = OSRIsSame(first, second) != 0;
    }
    OSRDestroySpatialReference(first);
    OSRDestroySpatialReference(second);
    return same;
}

/// A name of a CRS for messages; a copy of at most `size` bytes.
static const char *system_name(const char *crs, char *text, size_t size) {
    OGRSpatialReferenceH system = lf__crs_from_text(crs);
    const char *name = system ? OSRGetName(system) : NULL;
    CPLStrlcpy(text, name ? name : crs, size);
    OSRDestroySpatialReference(system);
    return text;
}

lf_status lf__world_fit(const lf__world_reader *reader, const char *key, const char *crs, bool degrees) {
    lf_world_file *world = reader->world;
    char theirs[64], ours[64];
    if (world->globe)
        return lf__world_refuse(reader, LF_BAD_FORMAT, key,
                                "lies on a map, and the world on a globe: expected a place by lon and lat");
    if (degrees)
        return lf__world_refuse(
            reader, LF_BAD_FORMAT, key,
            "x and y are degrees: expected metres: warp it to a projected CRS, or build a globe of it");
    if (!crs)
        return LF_OK;
    if (!world->crs) {
        world->crs = lf__world_copy(world, "", 0, crs);
        return world->crs ? LF_OK : lf__fail_plain(reader->error, LF_NO_MEMORY);
    }
    lf__gdal gdal;
    lf__gdal_begin(&gdal, reader->path, &world->host);
    bool same = same_system(crs, world->crs);
    lf_status status = LF_OK;
    if (!same)
        status = lf__world_refuse(
            reader, LF_BAD_FORMAT, key, "its CRS is %s, the world's is %s: warp it first",
            system_name(crs, theirs, sizeof theirs), system_name(world->crs, ours, sizeof ours));
    lf__gdal_end(&gdal);
    return status;
}

lf_status lf__world_transform(const lf__world_reader *reader, const char *key, const char *crs,
                              lf_crs_transform **transform) {
    const lf_world_file *world = reader->world;
    lf_error inner = {0};
    char name[64];
    *transform = NULL;
    if (!crs || strcmp(crs, "world") == 0)
        return LF_OK;
    lf__gdal gdal;
    lf__gdal_begin(&gdal, reader->path, &world->host);
    bool same = !world->globe && world->crs && same_system(crs, world->crs);
    system_name(crs, name, sizeof name);
    lf__gdal_end(&gdal);
    if (same)
        return LF_OK;
    if (!world->globe && !world->crs)
        return lf__world_refuse(
            reader, LF_BAD_FORMAT, key,
            "its CRS is %s, and the world has none: give the world a crs, or this part the crs \"world\"",
            name);
    lf_status status =
        lf_crs_transform_create(crs, world->globe ? NULL : world->crs, &world->host, transform, &inner);
    return lf__world_pass_on(reader, status, key, &inner);
}

void lf__world_localise(const lf_ellipsoid *ellipsoid, lf_vec3 *points, int64_t count, lf_pose *pose) {
    double low = LF_INFINITY, high = -LF_INFINITY, first = count > 0 ? points[0].x : 0;
    lf_vec3 middle = {0, 0, 0};
    for (int64_t i = 0; i < count; i++) { // east and west of the antimeridian are near
        double turned = points[i].x + 360 * rint((first - points[i].x) / 360);
        middle.x += (turned - middle.x) / (double)(i + 1);
        low = fmin(low, points[i].y);
        high = fmax(high, points[i].y);
    }
    lf_geodetic centre = {middle.x, count > 0 ? 0.5 * (low + high) : 0, 0};
    lf_ellipsoid_pose(ellipsoid, centre, 0, 0, 0, pose);
    for (int64_t i = 0; i < count; i++) {
        lf_geodetic at = {points[i].x, points[i].y, points[i].z};
        points[i] = lf_pose_to_local(pose, lf_ellipsoid_to_centred(ellipsoid, at));
    }
}

// ---------------------------------------------------------------------------------------------------
// Places
// ---------------------------------------------------------------------------------------------------

/// A place as it is written: NaN for what is not given.
typedef struct place {
    double x, y, z, lon, lat, height, above;
    double heading, pitch, roll;
    double offset; ///< of the vertical datum
} place;

/// The height of the ground at a place, for `above`.
static lf_status ground_there(const lf__world_reader *reader, const place *place, double *height) {
    lf_world_file *world = reader->world;
    const lf_ground *ground;
    if (world->globe) {
        lf_globe_elevation found = {0};
        lf_status status = lf_globe_height_finest(world->globe, place->lon, place->lat, &found);
        if (status != LF_OK)
            return lf__world_refuse(reader, status, "place.above", "%s", lf_status_text(status));
        *height = found.height;
        return found.reason == LF_REASON_ANSWERED
                   ? LF_OK
                   : lf__world_refuse(reader, LF_BAD_FORMAT, "place.above", "there is no ground at %g,%g",
                                      place->lon, place->lat);
    }
    lf_hit hit = {0};
    lf_vec3 top = {place->x, place->y, LF_INFINITY};
    lf_status status = lf__world_standing(reader, &ground);
    if (status == LF_OK && ground)
        status = lf_ground_height(ground, top, LF_VERTICAL_DOWN, &hit, NULL);
    if (status == LF_OK && hit.kind == LF_HIT_NONE)
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place.above",
                                "there is no ground at %.12g,%.12g among the parts before this one", place->x,
                                place->y);
    *height = hit.point.z;
    return status;
}

/// Longitude and latitude on the map of a world that is not a globe.
static lf_status to_map(const lf__world_reader *reader, place *place) {
    lf_crs_transform *way = NULL;
    lf_error inner = {0};
    lf_vec3 point = {place->lon, place->lat, 0};
    if (!reader->world->crs)
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place.lon",
                                "the world has no crs and no globe: expected x and y");
    lf_status status =
        lf_crs_transform_create("OGC:CRS84", reader->world->crs, &reader->world->host, &way, &inner);
    if (status == LF_OK && lf_crs_transform_points(way, &point, 0, 1, false) > 0)
        status = lf__world_refuse(reader, LF_BAD_FORMAT, "place.lon", "%g,%g is not on the map of the world",
                                  place->lon, place->lat);
    else
        status = lf__world_pass_on(reader, status, "place.lon", &inner);
    lf_crs_transform_destroy(way);
    place->x = point.x;
    place->y = point.y;
    return status;
}

static lf_status check_place(const lf__world_reader *reader, const place *p) {
    bool map = !isnan(p->x) || !isnan(p->y) || !isnan(p->z);
    bool earth = !isnan(p->lon) || !isnan(p->lat) || !isnan(p->height);
    if (map == earth || (map && (isnan(p->x) || isnan(p->y))) || (earth && (isnan(p->lon) || isnan(p->lat))))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place", "expected x and y, or lon and lat");
    if (map && reader->world->globe)
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place", "the world is a globe: expected lon and lat");
    if (isnan(map ? p->z : p->height) == isnan(p->above))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place", "expected either %s or above",
                                map ? "z" : "height");
    if (earth && !(fabs(p->lat) <= 90))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place.lat", "%g: expected -90 to 90", p->lat);
    if (p->offset != 0 && !isnan(p->above))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "vertical_offset",
                                "the place is given above ground, which has no datum");
    return LF_OK;
}

static lf_status make_pose(const lf__world_reader *reader, place *p, lf_pose *pose) {
    double ground = 0;
    lf_status status = check_place(reader, p);
    bool earth = !isnan(p->lon);
    if (status == LF_OK && earth && !reader->world->globe)
        status = to_map(reader, p);
    if (status == LF_OK && !isnan(p->above))
        status = ground_there(reader, p, &ground);
    if (status != LF_OK)
        return status;
    double height = !isnan(p->above) ? ground + p->above : (earth ? p->height : p->z) + p->offset;
    // At the north pole and this longitude, east and north are x and y, to the last bit.
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    lf_geodetic map = {-90, 90, 0}, there = {p->lon, p->lat, height};
    if (reader->world->globe)
        return lf_ellipsoid_pose(&reader->world->ellipsoid, there, p->heading, p->pitch, p->roll, pose);
    status = lf_ellipsoid_pose(&wgs84, map, p->heading, p->pitch, p->roll, pose);
    pose->translation = (lf_vec3){p->x, p->y, height};
    return status;
}

/// The datum of the part's heights, and what leads from it to the world's.
static lf_status read_datum(const lf__world_reader *reader, const json_t *part, double *offset) {
    const char *vertical = NULL, *ours = reader->world->vertical;
    bool given = json_object_get(part, "vertical_offset") != NULL;
    lf_status status = lf__world_text(reader, part, "vertical", &vertical);
    if (status == LF_OK)
        status = lf__world_number(reader, part, "vertical_offset", offset);
    if (status == LF_OK && vertical && !given && (!ours || strcmp(vertical, ours) != 0))
        status = lf__world_refuse(reader, LF_BAD_FORMAT, "vertical",
                                  "heights above %.40s in a world of heights above %.40s: expected a "
                                  "vertical_offset in metres",
                                  vertical, ours ? ours : "an unknown datum");
    return status;
}

lf_status lf__world_place(const lf__world_reader *reader, const json_t *part, lf_pose *pose, bool *given) {
    static const char *const keys[] = {"x",     "y",       "z",     "lon",  "lat", "height",
                                       "above", "heading", "pitch", "roll", NULL};
    const json_t *value = json_object_get(part, "place");
    place p = {LF_NAN, LF_NAN, LF_NAN, LF_NAN, LF_NAN, LF_NAN, LF_NAN, 0, 0, 0, 0};
    double *const numbers[] = {&p.x,      &p.y,     &p.z,       &p.lon,   &p.lat,
                               &p.height, &p.above, &p.heading, &p.pitch, &p.roll};
    lf_status status = read_datum(reader, part, &p.offset);
    bool own = json_is_string(value) && strcmp(json_string_value(value), "own") == 0;
    *pose = lf_pose_identity();
    *given = value != NULL;
    if (status != LF_OK)
        return status;
    if (!value || own) {
        if (p.offset != 0 && reader->world->globe)
            return lf__world_refuse(reader, LF_BAD_FORMAT, "vertical_offset",
                                    "on a globe it applies only to parts with a place");
        pose->translation.z = p.offset;
        return LF_OK;
    }
    if (!json_is_object(value))
        return lf__world_refuse(reader, LF_BAD_FORMAT, "place", "expected an object or \"own\"");
    status = lf__world_keys(reader, value, "place.", keys);
    for (int i = 0; keys[i] && status == LF_OK; i++) {
        char key[24] = "place.";
        memcpy(key + 6, keys[i], strlen(keys[i]) + 1);
        status = lf__world_number(reader, value, key, numbers[i]);
    }
    return status == LF_OK ? make_pose(reader, &p, pose) : status;
}
