/// Geodesics against PROJ's (which promises 15 nanometres itself).
#include "support.h"
#include <geodesic.h>
#include <math.h>

#define TOLERANCE 20e-9 // 10 are ours, the rest is space for the peer's rounding

static const double flattenings[] = {1 / 298.257223563, 0, 1 / 150.0};

typedef enum pair_kind {
    ANYWHERE,
    NEARLY_ANTIPODAL,
    CLOSE,
    EQUATORIAL,
    MERIDIONAL,
    SAME_LATITUDE,
    POLES,
    ALMOST_ANTIPODAL,
    PAIR_KINDS
} pair_kind;

static lf_geodetic anywhere(test_random *random) {
    lf_geodetic place = {test_random_between(random, -180, 180), test_random_between(random, -90, 90), 0};
    return place;
}

static double near_pole(test_random *random) {
    double lat_deg = 90 * (1 - pow(10, test_random_between(random, -18, -1)));
    return test_random_below(random, 2) ? lat_deg : -lat_deg;
}

/// Two places of a kind; latitudes may leave the range by a little, then the pair is not used.
static void make_pair(test_random *random, pair_kind kind, lf_geodetic *a, lf_geodetic *b) {
    bool coin = test_random_below(random, 2);
    double size = pow(10, test_random_between(random, kind == CLOSE ? -10 : -16, 0));
    *a = anywhere(random);
    *b = anywhere(random);
    switch (kind) {
    case NEARLY_ANTIPODAL:
        b->lat_deg = -a->lat_deg + test_random_between(random, -0.5, 0.5);
        b->lon_deg = a->lon_deg + 180 + test_random_between(random, -1, 1);
        break;
    case ALMOST_ANTIPODAL:
        b->lat_deg = -a->lat_deg + size * test_random_between(random, -1, 1);
        b->lon_deg = a->lon_deg + 180 + size * test_random_between(random, -1, 1);
        break;
    case CLOSE:
        b->lat_deg = a->lat_deg + size * test_random_between(random, -1, 1);
        b->lon_deg = a->lon_deg + size * test_random_between(random, -1, 1);
        break;
    case EQUATORIAL:
        a->lat_deg = b->lat_deg = 0;
        b->lon_deg = coin ? a->lon_deg + 180 - test_random_between(random, 0, 1.3) : b->lon_deg;
        break;
    case MERIDIONAL:
        b->lon_deg = a->lon_deg + (coin ? 180 : 0);
        break;
    case SAME_LATITUDE:
        b->lat_deg = coin ? a->lat_deg : -a->lat_deg;
        break;
    case POLES:
        a->lat_deg = near_pole(random);
        b->lat_deg = coin ? near_pole(random) : b->lat_deg;
        break;
    default:
        break;
    }
}

static double apart(const lf_ellipsoid *ellipsoid, lf_geodetic a, lf_geodetic b) {
    lf_vec3 p = lf_ellipsoid_to_centred(ellipsoid, a), q = lf_ellipsoid_to_centred(ellipsoid, b);
    return lf_vec3_length(lf_vec3_sub(p, q));
}

/// The largest differences seen, in metres.
typedef struct worst {
    double distance; ///< of the inverse
    double landing;  ///< where PROJ arrives with our azimuth and distance
    double azimuth;  ///< of the inverse, as metres at the other end; where the way is unique
    double direct;   ///< of the direct
    double back;     ///< of the azimuth at the end of the direct, as metres over a radius
} worst;

static void compare(const lf_ellipsoid *ellipsoid, const struct geod_geodesic *proj, lf_geodetic a,
                    lf_geodetic b, worst *worst) {
    double distance, azimuth1, azimuth2, lat, lon, azimuth, ours;
    geod_inverse(proj, a.lat_deg, a.lon_deg, b.lat_deg, b.lon_deg, &distance, &azimuth1, &azimuth2);
    lf_geodesic way = lf_geodesic_between(ellipsoid, a, b);
    worst->distance = fmax(worst->distance, fabs(way.distance - distance));

    geod_direct(proj, a.lat_deg, a.lon_deg, way.azimuth1_deg, way.distance, &lat, &lon, &azimuth);
    worst->landing = fmax(worst->landing, apart(ellipsoid, b, (lf_geodetic){lon, lat, 0}));
    if (distance > 0 && distance < 1.5e7) {
        double lever = ellipsoid->radius * sin(distance / ellipsoid->radius) / 57.29577951308232;
        worst->azimuth = fmax(worst->azimuth, fabs(remainder(way.azimuth1_deg - azimuth1, 360)) * lever);
        worst->azimuth = fmax(worst->azimuth, fabs(remainder(way.azimuth2_deg - azimuth2, 360)) * lever);
    }

    lf_geodetic reached = lf_geodesic_from(ellipsoid, a, azimuth1, distance, &ours);
    geod_direct(proj, a.lat_deg, a.lon_deg, azimuth1, distance, &lat, &lon, &azimuth);
    worst->direct = fmax(worst->direct, apart(ellipsoid, reached, (lf_geodetic){lon, lat, 0}));
    double across = ellipsoid->radius * cos(lat / 57.29577951308232);
    worst->back = fmax(worst->back, fabs(remainder(ours - azimuth, 360)) / 57.29577951308232 * across);
}

static void geodesics_agree_with_proj(void **state) {
    (void)state;
    int64_t count = test_long() ? 100000 : 2500;
    worst worst = {0};
    for (size_t f = 0; f < sizeof flattenings / sizeof *flattenings; f++) {
        lf_ellipsoid ellipsoid = {6378137, flattenings[f]};
        struct geod_geodesic proj;
        geod_init(&proj, ellipsoid.radius, ellipsoid.flattening);
        for (pair_kind kind = ANYWHERE; kind < PAIR_KINDS; kind++) {
            test_random random = test_random_start(100 * f + kind);
            for (int64_t i = 0; i < count; i++) {
                lf_geodetic a, b;
                make_pair(&random, kind, &a, &b);
                if (fabs(b.lat_deg) <= 90)
                    compare(&ellipsoid, &proj, a, b, &worst);
            }
        }
    }
    print_message(
        "largest differences from PROJ in nanometres: distance %.1f, landing %.1f, azimuth %.1f, direct "
        "%.1f, azimuth at its end %.1f\n",
        worst.distance * 1e9, worst.landing * 1e9, worst.azimuth * 1e9, worst.direct * 1e9, worst.back * 1e9);
    assert_true(worst.distance < TOLERANCE);
    assert_true(worst.landing < TOLERANCE);
    assert_true(worst.azimuth < TOLERANCE);
    assert_true(worst.direct < TOLERANCE);
    assert_true(worst.back < TOLERANCE);
}

/// Several times round: the error may grow by as much for each half turn.
static void long_ways_agree_with_proj(void **state) {
    (void)state;
    lf_ellipsoid earth = lf_ellipsoid_wgs84();
    struct geod_geodesic proj;
    geod_init(&proj, earth.radius, earth.flattening);
    test_random random = test_random_start(9);
    for (int64_t i = 0; i < (test_long() ? 100000 : 5000); i++) {
        lf_geodetic from = anywhere(&random);
        double azimuth = test_random_between(&random, -180, 180), lat, lon, azimuth2;
        double distance = test_random_between(&random, -1e8, 1e8);
        lf_geodetic reached = lf_geodesic_from(&earth, from, azimuth, distance, NULL);
        geod_direct(&proj, from.lat_deg, from.lon_deg, azimuth, distance, &lat, &lon, &azimuth2);
        assert_true(apart(&earth, reached, (lf_geodetic){lon, lat, 0}) <
                    TOLERANCE * (1 + fabs(distance) / 2e7));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geodesics_agree_with_proj),
        cmocka_unit_test(long_ways_agree_with_proj),
    };
    return cmocka_run_group_tests_name("geom geodesic", tests, NULL, NULL);
}
