/// True north on maps, against the factors that PROJ computes for its projections, and against geodesics.
#include "support.h"
#include <geodesic.h>
#include <landfall/io.h>
#include <math.h>
#include <proj.h>
#include <stdio.h>

#define DEGREE 0.017453292519943295

/// A map and the part of the planet that it shows.
typedef struct map_case {
    const char *crs;
    double west, south, east, north;
    bool conformal;
} map_case;

static const map_case maps[] = {
    {"EPSG:32632", 4, -10, 14, 84, true},       // UTM, and a few degrees beyond its zone
    {"EPSG:32756", 148, -79, 158, 0, true},     // in the south
    {"EPSG:3031", -180, -90, 180, -61, true},   // polar stereographic
    {"EPSG:3413", -180, 60, 180, 89.99, true},  // and in the north, turned by 45 degrees
    {"EPSG:2154", -5, 41, 9, 51, true},         // conic
    {"EPSG:3006", 10, 55, 24, 69, true},        // transverse Mercator
    {"EPSG:3857", -179, -84, 179, 84, false},   // a sphere's formula on an ellipsoid
    {"EPSG:3035", -20, 30, 45, 72, false},      // equal-area
    {"EPSG:5070", -124, 25, -67, 49, false},    // Albers
    {"ESRI:54009", -150, -80, 150, 80, false},  // Mollweide
    {"EPSG:2056", 6, 45.8, 10.4, 47.8, true},   // oblique Mercator
    {"EPSG:27700", -7, 50, 1.7, 60.8, true},    // another datum
    {"IAU_2015:30130", -180, 60, 180, 89, true} // the Moon
};

/// East and north on the map at a place, from PROJ's partial derivatives. False where it has none.
static bool reference(PJ *projection, const lf_ellipsoid *ellipsoid, lf_vec2 lon_lat, lf_compass *compass) {
    PJ_COORD at = proj_coord(lon_lat.x * DEGREE, lon_lat.y * DEGREE, 0, 0);
    PJ_FACTORS f = proj_factors(projection, at);
    if (proj_errno(projection) != 0) {
        proj_errno_reset(projection);
        return false;
    }
    double e2 = ellipsoid->flattening * (2 - ellipsoid->flattening), s = sin(lon_lat.y * DEGREE);
    double w = sqrt(1 - e2 * s * s), across = ellipsoid->radius / w,
           along = ellipsoid->radius * (1 - e2) / (w * w * w);
    // Derivatives by radians, in units of the larger axis or in metres, as the steps of the projection have
    // it.
    double a = hypot(f.dx_dphi, f.dy_dphi) > 1000 ? 1 : ellipsoid->radius,
           c = across * cos(lon_lat.y * DEGREE);
    *compass =
        (lf_compass){{a * f.dx_dlam / c, a * f.dy_dlam / c}, {a * f.dx_dphi / along, a * f.dy_dphi / along}};
    return true;
}

static double turn_between(double a, double b) {
    return fabs(remainder(a - b, 360));
}

static void near_vectors(const map_case *map, lf_vec2 at, lf_vec2 got, lf_vec2 want, const char *what) {
    double turn = turn_between(atan2(got.x, got.y) / DEGREE, atan2(want.x, want.y) / DEGREE);
    double length = hypot(got.x, got.y), other = hypot(want.x, want.y);
    if (!(turn < 1e-4) || !(fabs(length - other) < 1e-5 * other))
        fail_msg("%s: %s at %.9g, %.9g: %.12g %.12g, PROJ has %.12g %.12g", map->crs, what, at.x, at.y, got.x,
                 got.y, want.x, want.y);
}

/// The convergence, and the whole of the directions, at random places of every kind of projection.
static void as_the_factors_of_proj(void **state) {
    (void)state;
    test_random random = test_random_start(980);
    for (size_t n = 0; n < sizeof maps / sizeof *maps; n++) {
        const map_case *map = &maps[n];
        PJ_CONTEXT *context = proj_context_create();
        PJ *stated = proj_create(context, map->crs),
           *projection = proj_normalize_for_visualization(context, stated);
        lf_crs_transform *way = NULL;
        lf_error error = {0};
        assert_non_null(projection);
        if (lf_crs_transform_create(map->crs, NULL, NULL, &way, &error) != LF_OK)
            fail_msg("%s", error.text);
        PJ *body = proj_get_ellipsoid(context, projection);
        double radius, polar, inverse;
        assert_true(proj_ellipsoid_get_parameters(context, body, &radius, &polar, NULL, &inverse));
        lf_ellipsoid ellipsoid = {radius, inverse > 0 ? 1 / inverse : 0};
        int64_t compared = 0;
        for (int64_t k = 0; k < test_rounds(16); k++) {
            lf_vec3 at = {test_random_between(&random, map->west, map->east),
                          test_random_between(&random, map->south, map->north), 0};
            lf_vec2 lon_lat = {at.x, at.y}, place, found;
            lf_compass compass, want;
            if (lf_crs_transform_points(way, &at, 0, 1, true) != 0 ||
                !reference(projection, &ellipsoid, lon_lat, &want))
                continue;
            place = (lf_vec2){at.x, at.y};
            assert_int_equal(lf_crs_transform_compass(way, &place, 1, &compass, &found), 0);
            assert_true(fabs(found.y - lon_lat.y) < 1e-7);
            near_vectors(map, lon_lat, compass.north, want.north, "north");
            near_vectors(map, lon_lat, compass.east, want.east, "east");
            double azimuth = test_random_between(&random, -400, 400),
                   on_map = lf_compass_to_map(&compass, azimuth);
            assert_true(on_map >= 0 && on_map < 360);
            assert_true(turn_between(lf_compass_to_true(&compass, on_map), azimuth) < 1e-9);
            if (map->conformal) { // then one angle does for all directions
                double convergence = atan2(want.north.x, want.north.y) / DEGREE;
                assert_true(turn_between(on_map, azimuth + convergence) < 1e-3);
            }
            compared++;
        }
        if (compared < test_rounds(16) / 2)
            fail_msg("%s: only %lld places", map->crs, (long long)compared);
        proj_destroy(body);
        lf_crs_transform_destroy(way);
        proj_destroy(projection);
        proj_destroy(stated);
        proj_context_destroy(context);
    }
}

/// Where a short geodesic of an azimuth leads, there the map's direction leads too; to longitudes and latitudes of WGS 84, from other datums as well.
static void as_geodesics_go(void **state) {
    (void)state;
    test_random random = test_random_start(981);
    struct geod_geodesic earth;
    geod_init(&earth, 6378137, 1 / 298.257223563);
    for (size_t n = 0; n + 1 < sizeof maps / sizeof *maps; n++) { // all but the Moon
        const map_case *map = &maps[n];
        lf_crs_transform *way = NULL;
        lf_error error = {0};
        if (lf_crs_transform_create(map->crs, "OGC:CRS84", NULL, &way, &error) != LF_OK)
            fail_msg("%s", error.text);
        for (int64_t k = 0; k < test_rounds(100); k++) {
            double lon = test_random_between(&random, map->west, map->east),
                   lat = test_random_between(&random, map->south, map->north),
                   azimuth = test_random_between(&random, 0, 360);
            lf_vec3 ends[3] = {{lon, lat, 0}};
            lf_compass compass;
            geod_direct(&earth, lat, lon, azimuth, 200, &ends[1].y, &ends[1].x, NULL);
            geod_direct(&earth, lat, lon, azimuth, -200, &ends[2].y, &ends[2].x, NULL);
            if (lf_crs_transform_points(way, ends, 0, 3, true) != 0)
                continue;
            lf_vec2 place = {ends[0].x, ends[0].y};
            assert_int_equal(lf_crs_transform_compass(way, &place, 1, &compass, NULL), 0);
            double on_map = atan2(ends[1].x - ends[2].x, ends[1].y - ends[2].y) / DEGREE;
            if (fabs(lat) < 89.5 && !(turn_between(on_map, lf_compass_to_map(&compass, azimuth)) < 1e-3))
                fail_msg("%s at %.9g, %.9g: azimuth %.9g goes to %.9g, not %.9g", map->crs, lon, lat, azimuth,
                         on_map, lf_compass_to_map(&compass, azimuth));
        }
        lf_crs_transform_destroy(way);
    }
}

/// The pole, places beyond the map, degrees, and ways that do not lead to degrees.
static void where_north_is_odd(void **state) {
    (void)state;
    lf_crs_transform *way = NULL;
    lf_compass compasses[2];
    lf_vec2 lon_lat[2];
    assert_int_equal(lf_crs_transform_create("EPSG:3031", NULL, NULL, &way, NULL), LF_OK);
    lf_vec2 poles[2] = {{0, 0}, {0, 1}};
    assert_int_equal(lf_crs_transform_compass(way, poles, 2, compasses, lon_lat), 0);
    assert_true(fabs(lon_lat[0].y + 90) < 1e-9);
    assert_true(turn_between(lf_compass_to_true(&compasses[1], 0), 0) <
                1e-4); // +y leads away along 0 degrees: north
    assert_true(turn_between(lf_compass_to_true(&compasses[1], 90), 90) < 1e-4);
    for (int k = 0; k < 2; k++) // to scale, at right angles
        assert_true(fabs(hypot(compasses[k].north.x, compasses[k].north.y) - 0.9728) < 1e-3 &&
                    fabs(compasses[k].north.x * compasses[k].east.x +
                         compasses[k].north.y * compasses[k].east.y) < 1e-6);
    lf_crs_transform_destroy(way);
    // Beyond the map of Mollweide, and on its edge, where the next place to the east is on the other side.
    assert_int_equal(lf_crs_transform_create("ESRI:54009", "OGC:CRS84", NULL, &way, NULL), LF_OK);
    lf_vec2 edges[2] = {{3e7, 8e6}, {18040095.6, 0}};
    assert_int_equal(lf_crs_transform_compass(way, edges, 2, compasses, lon_lat), 1);
    assert_true(isnan(compasses[0].east.x) && isnan(compasses[0].north.y) && isnan(lon_lat[0].x));
    assert_true(isnan(lf_compass_to_map(&compasses[0], 90)));
    assert_true(turn_between(lf_compass_to_map(&compasses[1], 90), 90) < 1e-3);
    lf_crs_transform_destroy(way);
    // Degrees: north is +y, and a degree of longitude is as long as it is there.
    assert_int_equal(lf_crs_transform_create("EPSG:4326", "OGC:CRS84", NULL, &way, NULL), LF_OK);
    lf_vec2 place = {10, 60};
    assert_int_equal(lf_crs_transform_compass(way, &place, 1, compasses, NULL), 0);
    assert_true(fabs(1 / compasses[0].east.x - 55800) < 10 && fabs(1 / compasses[0].north.y - 111412) < 10);
    lf_crs_transform_destroy(way);
    // Longitudes in grads from Paris: only they differ.
    lf_vec2 paris = {600000, 2200000}, far = {1000000, 1800000}, where[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(lf_crs_transform_create("EPSG:27572", k ? NULL : "OGC:CRS84", NULL, &way, NULL),
                         LF_OK);
        assert_int_equal(lf_crs_transform_compass(way, &paris, 1, &compasses[k], NULL), 0);
        assert_true(turn_between(lf_compass_to_map(&compasses[k], 0), 0) < 1e-3);
        assert_int_equal(lf_crs_transform_compass(way, &far, 1, &compasses[k], &where[k]), 0);
        lf_crs_transform_destroy(way);
    }
    assert_true(fabs(where[0].x - where[1].x - 2.3372) < 1e-3 && fabs(where[0].y - where[1].y) < 1e-3);
    assert_true(turn_between(lf_compass_to_map(&compasses[1], 0), lf_compass_to_map(&compasses[0], 0)) <
                1e-3);
    assert_int_equal(lf_crs_transform_create("EPSG:4326", "EPSG:3006", NULL, &way, NULL), LF_OK);
    assert_int_equal(lf_crs_transform_compass(way, &place, 1, compasses, NULL), -1);
    lf_crs_transform_destroy(way);
    assert_int_equal(lf_crs_transform_compass(NULL, &place, 1, compasses, NULL), -1);
}

/// The sun of a moment over places is the sun at that time, bit for bit.
static void moments_are_suns(void **state) {
    (void)state;
    test_random random = test_random_start(982);
    for (int64_t n = 0; n < test_rounds(20); n++) {
        double seconds = test_random_between(&random, 0, 4e9);
        lf_sun_moment moment;
        assert_int_equal(lf_sun_moment_at(seconds, &moment), LF_OK);
        for (int k = 0; k < 5; k++) {
            double lon = test_random_between(&random, -180, 180), lat = test_random_between(&random, -90, 90);
            lf_sun a, b;
            assert_int_equal(lf_sun_at(lon, lat, seconds, k % 2, &a), LF_OK);
            assert_int_equal(lf_sun_over(&moment, lon, lat, k % 2, &b), LF_OK);
            assert_true(a.azimuth_deg == b.azimuth_deg && a.altitude_deg == b.altitude_deg);
            assert_int_equal(lf_sun_over(&moment, lon, 91, true, &b), LF_BAD_ARGUMENT);
        }
        assert_int_equal(lf_sun_moment_at(1e12, &moment), LF_BAD_ARGUMENT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_factors_of_proj),
        cmocka_unit_test(as_geodesics_go),
        cmocka_unit_test(where_north_is_odd),
        cmocka_unit_test(moments_are_suns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
