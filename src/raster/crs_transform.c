/// Coordinate reference systems and transforms between them, by PROJ.
#include "base/base.h"
#include "geom/geometry.h"
#include "raster/raster.h"
#include <cpl_string.h>
#include <math.h>

#define BLOCK_POINTS 4096 // transformed at once

LF__ENUM_NAME(lf_crs_kind_name, lf_crs_kind, LF_CRS_KIND_LIST, LF_NAME_CASE_3)

OGRSpatialReferenceH lf__crs_from_text(const char *text) {
    // GDAL would fetch an address from the network.
    if (STARTS_WITH_CI(text, "http"))
        return NULL;
    OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
    if (system && OSRSetFromUserInput(system, text) != OGRERR_NONE) {
        OSRDestroySpatialReference(system);
        system = NULL;
    }
    if (system)
        OSRSetAxisMappingStrategy(system, OAMS_TRADITIONAL_GIS_ORDER);
    return system;
}

bool lf__crs_undefined(OGRSpatialReferenceH system) {
    const char *name = OSRGetName(system);
    return name && (EQUAL(name, "Undefined geographic SRS") || EQUAL(name, "Undefined Cartesian SRS") ||
                    EQUAL(name, "Undefined SRS"));
}

struct lf_crs_transform {
    lf_allocator allocator;
    OGRCoordinateTransformationH there, back;
    double
        angle; ///< degrees in a unit of the longitudes and latitudes that it leads to; 0: it leads to a map
    lf_ellipsoid ellipsoid;
};

/// The unit and the ellipsoid of the longitudes and latitudes that a transform results in.
static void read_angles(lf_crs_transform *transform, OGRSpatialReferenceH system) {
    char *unit = NULL;
    OGRErr first = OGRERR_NONE, second = OGRERR_NONE;
    double radius = OSRGetSemiMajor(system, &first), inverse = OSRGetInvFlattening(system, &second);
    bool known = first == OGRERR_NONE && second == OGRERR_NONE && radius > 0 && isfinite(radius) &&
                 (inverse == 0 || inverse > 1);
    transform->angle = known && OSRIsGeographic(system) ? OSRGetAngularUnits(system, &unit) / LF__DEGREE : 0;
    if (fabs(transform->angle - 1) < 1e-9)
        transform->angle = 1;
    transform->ellipsoid = (lf_ellipsoid){radius, inverse > 0 ? 1 / inverse : 0};
}

/// The CRS of a text; without a text the longitudes and latitudes that another CRS is based on.
static OGRSpatialReferenceH system_or_base(const char *text, OGRSpatialReferenceH other) {
    if (text)
        return lf__crs_from_text(text);
    OGRSpatialReferenceH base = OSRCloneGeogCS(other);
    if (base)
        OSRSetAxisMappingStrategy(base, OAMS_TRADITIONAL_GIS_ORDER);
    return base;
}

static lf_status create_transforms(lf_crs_transform *transform, const char *from, const char *to,
                                   lf__gdal *gdal, lf_error *error) {
    OGRSpatialReferenceH a = lf__crs_from_text(from), b = a ? system_or_base(to, a) : NULL;
    lf_status status = LF_OK;
    if (a && b) {
        read_angles(transform, b);
        gdal->text[0] = '\0'; // PROJ names a local CRS as one without an ellipsoid, which is no fault
        transform->there = OCTNewCoordinateTransformation(a, b);
        transform->back = OCTNewCoordinateTransformation(b, a);
    }
    gdal->path = a && to ? to : from;
    if (!a || !b)
        status = lf__gdal_fail(gdal, LF_BAD_ARGUMENT, "no coordinate reference system", error);
    else if (!transform->there || !transform->back)
        status = lf__gdal_fail(gdal, LF_BAD_ARGUMENT, "no transformation to this system", error);
    OSRDestroySpatialReference(b);
    OSRDestroySpatialReference(a);
    return status;
}

lf_status lf_crs_transform_create(const char *from, const char *to, const lf_host *host,
                                  lf_crs_transform **transform, lf_error *error) {
    if (!from || !transform)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "from or transform is NULL");
    lf_allocator allocator = lf__allocator_of(host);
    lf_crs_transform *made = lf__allocate(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (lf_crs_transform){.allocator = allocator};
    lf__gdal gdal;
    lf__gdal_begin(&gdal, from, host);
    lf_status status = create_transforms(made, from, to, &gdal, error);
    lf__gdal_end(&gdal);
    if (status == LF_OK)
        *transform = made;
    else
        lf_crs_transform_destroy(made);
    return status;
}

void lf_crs_transform_destroy(lf_crs_transform *transform) {
    if (!transform)
        return;
    OCTDestroyCoordinateTransformation(transform->there);
    OCTDestroyCoordinateTransformation(transform->back);
    lf_allocator allocator = transform->allocator;
    lf__free(&allocator, transform, sizeof *transform, LF__CACHE_LINE);
}

static lf_vec3 *point_at(lf_vec3 *points, size_t stride, int64_t i) {
    return (lf_vec3 *)(void *)((char *)points + (size_t)i * stride);
}

/// Transform up to BLOCK_POINTS points; returns how many have no place on the other side.
static int64_t transform_block(OGRCoordinateTransformationH transform, lf_vec3 *points, size_t stride,
                               int64_t count) {
    double x[BLOCK_POINTS], y[BLOCK_POINTS];
    int fine[BLOCK_POINTS];
    int64_t lost = 0;
    for (int64_t i = 0; i < count; i++) {
        x[i] = point_at(points, stride, i)->x;
        y[i] = point_at(points, stride, i)->y;
        fine[i] = 0;
    }
    OCTTransformEx(transform, (int)count, x, y, NULL, fine);
    for (int64_t i = 0; i < count; i++) {
        bool there = fine[i] && isfinite(x[i]) && isfinite(y[i]);
        point_at(points, stride, i)->x = there ? x[i] : (double)NAN;
        point_at(points, stride, i)->y = there ? y[i] : (double)NAN;
        lost += !there;
    }
    return lost;
}

int64_t lf_crs_transform_points(lf_crs_transform *transform, lf_vec3 *points, size_t stride, int64_t count,
                                bool back) {
    size_t step = stride ? stride : sizeof(lf_vec3);
    int64_t lost = 0;
    lf__gdal gdal;
    lf__gdal_begin(&gdal, "", NULL);
    for (int64_t i = 0; i < count; i += BLOCK_POINTS)
        lost += transform_block(back ? transform->back : transform->there, point_at(points, step, i), step,
                                count - i < BLOCK_POINTS ? count - i : BLOCK_POINTS);
    lf__gdal_end(&gdal);
    return lost;
}

// ---------------------------------------------------------------------------------------------------
// North
// ---------------------------------------------------------------------------------------------------

#define STEP 1.5e-5      ///< of the radius, about 100 m on Earth: differences over it are exact to some 1e-9
#define BLOCK_PLACES 512 ///< at once

/// The four places one step to the east, west, north and south.
static void step_around(const lf_ellipsoid *ellipsoid, lf_vec3 at, double step, lf_vec3 *around) {
    lf__sincos lon = lf__sincos_deg(at.x), lat = lf__sincos_deg(at.y);
    lf_vec3 here = lf_ellipsoid_to_centred(ellipsoid, (lf_geodetic){at.x, at.y, 0});
    lf_vec3 axes[2] = {{-lon.sin, lon.cos, 0}, {-lat.sin * lon.cos, -lat.sin * lon.sin, lat.cos}};
    for (int k = 0; k < 4; k++) {
        lf_vec3 there = lf_vec3_along(here, k % 2 ? -step : step, axes[k / 2]);
        lf_geodetic place = lf_ellipsoid_to_geodetic(ellipsoid, there);
        around[k] = (lf_vec3){place.lon_deg, place.lat_deg, 0};
    }
}

/// The step in x and y per metre, from the places ahead and behind. At a border of the projection one of them
/// is missing, or on the other side of the map.
static lf_vec2 per_metre(lf_vec2 at, lf_vec3 ahead, lf_vec3 behind, double step) {
    lf_vec2 forward = {(ahead.x - at.x) / step, (ahead.y - at.y) / step},
            backward = {(at.x - behind.x) / step, (at.y - behind.y) / step};
    double a = hypot(forward.x, forward.y), b = hypot(backward.x, backward.y);
    if (!(fmax(a, b) < 1.5 * fmin(a, b)))
        return !(a > b) ? forward : backward; // also where b is NaN
    return (lf_vec2){0.5 * (forward.x + backward.x), 0.5 * (forward.y + backward.y)};
}

/// The compasses of up to BLOCK_PLACES places; returns how many have none.
static int64_t compass_block(lf_crs_transform *transform, const lf_vec2 *places, int64_t count,
                             lf_compass *compasses, lf_vec2 *lon_lat) {
    lf_vec3 at[BLOCK_PLACES], around[4 * BLOCK_PLACES];
    double step = STEP * transform->ellipsoid.radius;
    int64_t lost = 0;
    for (int64_t i = 0; i < count; i++)
        at[i] = (lf_vec3){places[i].x, places[i].y, 0};
    transform_block(transform->there, at, sizeof *at, count);
    for (int64_t i = 0; i < count; i++) {
        at[i] = (lf_vec3){at[i].x * transform->angle, at[i].y * transform->angle, 0};
        bool there = isfinite(at[i].x) && fabs(at[i].y) <= 90;
        if (there)
            step_around(&transform->ellipsoid, at[i], step, &around[4 * i]);
        for (int k = 4 * (int)i; k < 4 * (int)i + 4; k++)
            around[k] = there ? (lf_vec3){around[k].x / transform->angle, around[k].y / transform->angle, 0}
                              : (lf_vec3){(double)NAN, (double)NAN, 0};
    }
    transform_block(transform->back, around, sizeof *around, 4 * count);
    for (int64_t i = 0; i < count; i++) {
        const lf_vec3 *a = &around[4 * i];
        lf_compass c = {per_metre(places[i], a[0], a[1], step), per_metre(places[i], a[2], a[3], step)};
        bool found = isfinite(c.east.x) && isfinite(c.east.y) && isfinite(c.north.x) && isfinite(c.north.y);
        lf_vec2 none = {(double)NAN, (double)NAN};
        compasses[i] = found ? c : (lf_compass){none, none};
        if (lon_lat)
            lon_lat[i] = found ? (lf_vec2){at[i].x, at[i].y} : none;
        lost += !found;
    }
    return lost;
}

int64_t lf_crs_transform_compass(lf_crs_transform *transform, const lf_vec2 *places, int64_t count,
                                 lf_compass *compasses, lf_vec2 *lon_lat) {
    int64_t lost = 0;
    lf__gdal gdal;
    if (!transform || !(transform->angle > 0))
        return -1;
    lf__gdal_begin(&gdal, "", NULL);
    for (int64_t i = 0; i < count; i += BLOCK_PLACES)
        lost += compass_block(transform, places + i, count - i < BLOCK_PLACES ? count - i : BLOCK_PLACES,
                              compasses + i, lon_lat ? lon_lat + i : NULL);
    lf__gdal_end(&gdal);
    return lost;
}

static double azimuth_of(double east, double north) {
    double azimuth = lf__atan2_deg(east, north);
    azimuth += azimuth < 0 ? 360 : 0;
    return azimuth >= 360 ? 0 : azimuth;
}

double lf_compass_to_map(const lf_compass *c, double azimuth_deg) {
    lf__sincos a = lf__sincos_deg(azimuth_deg);
    return azimuth_of(a.sin * c->east.x + a.cos * c->north.x, a.sin * c->east.y + a.cos * c->north.y);
}

double lf_compass_to_true(const lf_compass *c, double map_azimuth_deg) {
    lf__sincos a = lf__sincos_deg(map_azimuth_deg);
    double mirror = c->east.x * c->north.y - c->east.y * c->north.x < 0 ? -1 : 1; // a mirrored map
    return azimuth_of(mirror * (a.sin * c->north.y - a.cos * c->north.x),
                      mirror * (a.cos * c->east.x - a.sin * c->east.y));
}
