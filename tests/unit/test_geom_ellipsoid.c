/// The ellipsoid and its geodesics.
#include "support.h"
#include <math.h>

static const double polar = 6356752.314245179; // WGS84's small half axis

static double apart(lf_vec3 a, lf_vec3 b) {
    return lf_vec3_length(lf_vec3_sub(a, b));
}

static void known_places(void **state) {
    (void)state;
    lf_ellipsoid earth = lf_ellipsoid_wgs84();
    lf_vec3 p = lf_ellipsoid_to_centred(&earth, (lf_geodetic){0, 0, 0});
    assert_true(p.x == 6378137 && p.y == 0 && p.z == 0);
    p = lf_ellipsoid_to_centred(&earth, (lf_geodetic){90, 0, 100});
    assert_true(p.x == 0 && p.y == 6378237 && p.z == 0);
    p = lf_ellipsoid_to_centred(&earth, (lf_geodetic){-540, 0, 0}); // any longitude
    assert_true(p.x == -6378137 && p.y == 0);
    p = lf_ellipsoid_to_centred(&earth, (lf_geodetic){33, 90, 0});
    assert_true(p.x == 0 && p.y == 0 && fabs(p.z - polar) < 2e-9);
    p = lf_ellipsoid_to_centred(&earth, (lf_geodetic){33, -90, 5});
    assert_true(p.x == 0 && p.y == 0 && fabs(p.z + polar + 5) < 2e-9);
    lf_ellipsoid ball = {1000, 0};
    p = lf_ellipsoid_to_centred(&ball, (lf_geodetic){45, 30, 0});
    assert_true(apart(p, (lf_vec3){1000 * sqrt(0.375), 1000 * sqrt(0.375), 500}) < 1e-12);
}

static void places_on_axes(void **state) {
    (void)state;
    lf_ellipsoid earth = lf_ellipsoid_wgs84();
    lf_geodetic place = lf_ellipsoid_to_geodetic(&earth, (lf_vec3){0, 0, polar + 10});
    assert_true(place.lon_deg == 0 && place.lat_deg == 90 && fabs(place.height - 10) < 2e-9);
    place = lf_ellipsoid_to_geodetic(&earth, (lf_vec3){0, 0, -50000});
    assert_true(place.lon_deg == 0 && place.lat_deg == -90 && fabs(place.height - (50000 - polar)) < 2e-9);
    place = lf_ellipsoid_to_geodetic(&earth, (lf_vec3){-6378137, 0, 0});
    assert_true(place.lon_deg == 180 && place.lat_deg == 0 && place.height == 0);
    place = lf_ellipsoid_to_geodetic(&earth, (lf_vec3){0, -6378138, 0});
    assert_true(place.lon_deg == -90 && place.lat_deg == 0 && fabs(place.height - 1) < 2e-9);
    // In the plane of the equator and 10 km from the centre: two places are nearest, the northern one counts.
    lf_vec3 deep = {1e4, 0, 0};
    place = lf_ellipsoid_to_geodetic(&earth, deep);
    assert_true(place.lon_deg == 0 && place.lat_deg > 45 && place.lat_deg < 90);
    assert_true(apart(lf_ellipsoid_to_centred(&earth, place), deep) < 1e-8);
    place = lf_ellipsoid_to_geodetic(&earth, (lf_vec3){0, 0, 0}); // the poles are nearest
    assert_true(place.lon_deg == 0 && place.lat_deg == 90 && fabs(place.height + polar) < 2e-9);
}

/// There and back within a micrometre, from the middle of the Earth to beyond the Moon's quarter way.
static void there_and_back(void **state) {
    (void)state;
    test_random random = test_random_start(41);
    double flattenings[] = {1 / 298.257223563, 0, 1 / 150.0, 0.1, 0.5, 0.9};
    double worst = 0;
    for (int i = 0; i < 60000; i++) {
        lf_ellipsoid ellipsoid = {6378137, flattenings[i % 6]};
        lf_vec3 direction;
        direction.x = test_random_between(&random, -1, 1);
        direction.y = test_random_between(&random, -1, 1);
        direction.z = test_random_between(&random, -1, 1);
        if (i % 5 == 1)
            direction.z *= pow(10, test_random_between(&random, -20, 0));
        if (i % 5 == 2) {
            direction.x *= pow(10, test_random_between(&random, -20, 0));
            direction.y *= 1e-12;
        }
        double radius = pow(10, test_random_between(&random, i % 3 == 0 ? 0 : log10(5e4), 8));
        if (i % 5 == 3)
            radius = test_random_between(&random, 6.3e6, 6.4e6);
        lf_vec3 p = lf_vec3_scale(lf_vec3_unit(direction), radius);
        lf_geodetic place = lf_ellipsoid_to_geodetic(&ellipsoid, p);
        assert_true(place.lon_deg >= -180 && place.lon_deg <= 180);
        assert_true(place.lat_deg >= -90 && place.lat_deg <= 90);
        worst = fmax(worst, apart(lf_ellipsoid_to_centred(&ellipsoid, place), p));
    }
    assert_true(worst < 1e-6);
    print_message("there and back: %.3g m at most\n", worst);
}

/// Height is the distance to the nearest point of the surface: no other point of the meridian is nearer.
static void the_height_is_the_least_distance(void **state) {
    (void)state;
    test_random random = test_random_start(42);
    for (int i = 0; i < 200; i++) {
        lf_ellipsoid ellipsoid = {1, i % 2 ? 0.4 : 1 / 298.257223563};
        lf_vec3 p = {test_random_between(&random, 0, 1.5), 0, test_random_between(&random, -1.5, 1.5)};
        if (i % 3 == 0)
            p = lf_vec3_scale(p, 0.1);
        lf_geodetic place = lf_ellipsoid_to_geodetic(&ellipsoid, p);
        for (double lat = -90; lat <= 90; lat += 0.5) {
            lf_vec3 other = lf_ellipsoid_to_centred(&ellipsoid, (lf_geodetic){place.lon_deg, lat, 0});
            assert_true(fabs(place.height) <= apart(other, p) + 1e-15);
        }
    }
}

static void geodesics_that_are_known(void **state) {
    (void)state;
    lf_ellipsoid earth = lf_ellipsoid_wgs84();
    lf_geodetic zero = {0, 0, 0};
    lf_geodesic way = lf_geodesic_between(&earth, zero, (lf_geodetic){90, 0, 77}); // a quarter of the equator
    assert_true(fabs(way.distance - 6378137 * acos(0)) < 1e-8);
    assert_true(way.azimuth1_deg == 90 && way.azimuth2_deg == 90);
    way = lf_geodesic_between(&earth, zero, (lf_geodetic){0, 90, 0}); // the meridian quadrant of WGS84
    assert_true(fabs(way.distance - 10001965.729312) < 1e-5);
    assert_true(way.azimuth1_deg == 0);
    way = lf_geodesic_between(&earth, zero, (lf_geodetic){180, 0, 0}); // over a pole, not along the equator
    assert_true(fabs(way.distance - 2 * 10001965.729312) < 2e-5);
    way = lf_geodesic_between(&earth, (lf_geodetic){0, 90, 0}, (lf_geodetic){123, -90, 0});
    assert_true(fabs(way.distance - 2 * 10001965.729312) < 2e-5);
    way = lf_geodesic_between(&earth, (lf_geodetic){12, 34, 5}, (lf_geodetic){372, 34, 6});
    assert_true(way.distance == 0 && way.azimuth1_deg == 0 && way.azimuth2_deg == 0);
    way = lf_geodesic_between(&earth, (lf_geodetic){10, 40, 0}, (lf_geodetic){-80, -40, 0});
    lf_geodesic back = lf_geodesic_between(&earth, (lf_geodetic){-80, -40, 0}, (lf_geodetic){10, 40, 0});
    assert_true(fabs(way.distance - back.distance) < 1e-8);
    assert_true(fabs(fabs(way.azimuth1_deg - back.azimuth2_deg) - 180) < 1e-12);
    lf_ellipsoid ball = {1, 0};
    way = lf_geodesic_between(&ball, (lf_geodetic){0, 0, 0}, (lf_geodetic){90, 45, 0});
    assert_true(fabs(way.distance - acos(0)) < 1e-15 && fabs(way.azimuth1_deg - 45) < 1e-13);
}

static void going_along_a_geodesic(void **state) {
    (void)state;
    lf_ellipsoid earth = lf_ellipsoid_wgs84();
    double azimuth;
    lf_geodetic place = lf_geodesic_from(&earth, (lf_geodetic){5, 60, 9}, 33, 0, &azimuth);
    assert_true(fabs(place.lon_deg - 5) < 1e-14 && fabs(place.lat_deg - 60) < 2e-14 && place.height == 0);
    assert_true(fabs(azimuth - 33) < 1e-13);
    place =
        lf_geodesic_from(&earth, (lf_geodetic){179, 0, 0}, 90, 6378137 * acos(0) / 45, &azimuth); // 2 degrees
    assert_true(fabs(place.lon_deg + 179) < 1e-13 && place.lat_deg == 0 && azimuth == 90);
    place = lf_geodesic_from(&earth, (lf_geodetic){20, 0, 0}, 0, 10001965.729312, NULL); // to the pole
    assert_true(fabs(place.lat_deg - 90) < 1e-9);
    place = lf_geodesic_from(&earth, (lf_geodetic){20, 0, 0}, 0, 4 * 10001965.729312, &azimuth); // once round
    assert_true(fabs(place.lat_deg) < 1e-9 && fabs(place.lon_deg - 20) < 1e-9 && fabs(azimuth) < 1e-9);
    lf_geodetic forth = lf_geodesic_from(&earth, (lf_geodetic){20, 30, 0}, 40, -2e6, &azimuth);
    lf_geodetic turned = lf_geodesic_from(&earth, (lf_geodetic){20, 30, 0}, 220, 2e6, NULL);
    assert_true(forth.lon_deg == turned.lon_deg && forth.lat_deg == turned.lat_deg);
    place = lf_geodesic_from(&earth, forth, azimuth, 2e6, &azimuth); // the azimuth there leads back
    assert_true(fabs(place.lon_deg - 20) < 1e-12 && fabs(place.lat_deg - 30) < 1e-12 &&
                fabs(azimuth - 40) < 1e-12);
    place = lf_geodesic_from(&earth, (lf_geodetic){20, 90, 0}, 150, 1e6,
                             NULL); // from a pole, the azimuth turns the meridian
    assert_true(fabs(place.lon_deg - 50) < 1e-12);
}

/// The inverse and then the direct arrive, on flat and on round ellipsoids.
static void between_then_from_arrives(void **state) {
    (void)state;
    test_random random = test_random_start(43);
    double flattenings[] = {1 / 298.257223563, 0, 1 / 150.0, 0.2, 0.6};
    for (int i = 0; i < 3000; i++) {
        lf_ellipsoid ellipsoid = {6378137, flattenings[i % 5]};
        lf_geodetic a = {test_random_between(&random, -180, 180), test_random_between(&random, -90, 90), 0};
        lf_geodetic b = {test_random_between(&random, -180, 180), test_random_between(&random, -90, 90), 0};
        if (i % 3 == 1) {
            b.lat_deg = -a.lat_deg;
            b.lon_deg = a.lon_deg + 180 - pow(10, test_random_between(&random, -15, 0));
        }
        lf_geodesic way = lf_geodesic_between(&ellipsoid, a, b);
        lf_geodetic reached = lf_geodesic_from(&ellipsoid, a, way.azimuth1_deg, way.distance, NULL);
        double off =
            apart(lf_ellipsoid_to_centred(&ellipsoid, reached), lf_ellipsoid_to_centred(&ellipsoid, b));
        assert_true(off < 3e-8);
    }
}

/// Axes of things at places, by hand.
static void poses_on_the_ellipsoid(void **state) {
    (void)state;
    lf_ellipsoid earth = lf_ellipsoid_wgs84();
    lf_pose pose;
    const lf_geodetic coast = {0, 0, 10}, pole = {90, 90, 0}, seam = {-180, 0, 0};
    assert_int_equal(lf_ellipsoid_pose(&earth, coast, 0, 0, 0, &pose), LF_OK);
    lf_vec3 east = lf_pose_to_world(&pose, (lf_vec3){2, 0, 0}),
            up = lf_pose_to_world(&pose, (lf_vec3){0, 0, 5});
    assert_true(east.x == earth.radius + 10 && east.y == 2 && east.z == 0 && up.x == earth.radius + 15);
    assert_int_equal(lf_ellipsoid_pose(&earth, coast, 90, 0, 0, &pose), LF_OK);
    lf_vec3 ahead = lf_pose_turn_to_world(&pose, (lf_vec3){0, 1, 0}),
            right = lf_pose_turn_to_world(&pose, (lf_vec3){1, 0, 0});
    assert_true(ahead.y == 1 && right.z == -1);
    assert_int_equal(lf_ellipsoid_pose(&earth, coast, 0, 30, 0, &pose), LF_OK);
    assert_true(fabs(lf_pose_turn_to_world(&pose, (lf_vec3){0, 1, 0}).x - 0.5) < 1e-15); // the front is up
    assert_int_equal(lf_ellipsoid_pose(&earth, coast, 0, 0, 30, &pose), LF_OK);
    assert_true(fabs(lf_pose_turn_to_world(&pose, (lf_vec3){-1, 0, 0}).x - 0.5) < 1e-15); // the left side is
    assert_int_equal(lf_ellipsoid_pose(&earth, pole, 0, 0, 0, &pose), LF_OK);
    assert_true(lf_pose_turn_to_world(&pose, (lf_vec3){1, 0, 0}).x == -1 && lf_pose_rigid(&pose));
    assert_int_equal(lf_ellipsoid_pose(&earth, seam, 123, 45, -67, &pose), LF_OK);
    assert_true(lf_pose_rigid(&pose) && pose.translation.x == -earth.radius);
    assert_int_equal(lf_ellipsoid_pose(&earth, (lf_geodetic){0, 91, 0}, 0, 0, 0, &pose), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ellipsoid_pose(&earth, coast, NAN, 0, 0, &pose), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ellipsoid_pose(NULL, coast, 0, 0, 0, &pose), LF_BAD_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_places),
        cmocka_unit_test(places_on_axes),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(the_height_is_the_least_distance),
        cmocka_unit_test(geodesics_that_are_known),
        cmocka_unit_test(going_along_a_geodesic),
        cmocka_unit_test(between_then_from_arrives),
        cmocka_unit_test(poses_on_the_ellipsoid),
    };
    return cmocka_run_group_tests_name("geom ellipsoid", tests, NULL, NULL);
}
