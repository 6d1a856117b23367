/// Squares of geodesic distances as series: no farther from the geodesics than they say.
#include "sight/viewshed.h"
#include "support.h"
#include <stdlib.h>

static void series_are_as_near_as_they_say(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    double widest = 0;
    for (int k = 0; k < 400; k++) {
        double lat = test_random_between(&random, -88, 88);
        double size = pow(10, test_random_between(&random, -3, 1));
        lf__square_series s;
        lf__square_series_degrees(&wgs84, lat, &s);
        double off = lf__square_series_off(&s, size, size);
        if (off > 1)
            continue;
        widest = size > widest ? size : widest;
        for (int n = 0; n < 20; n++) {
            double x = test_random_between(&random, -size, size),
                   y = test_random_between(&random, -size, size);
            if (fabs(lat + y) > 90)
                continue;
            double d =
                lf_geodesic_between(&wgs84, (lf_geodetic){20, lat, 0}, (lf_geodetic){20 + x, lat + y, 0})
                    .distance;
            lf__lowering l;
            lf__lowering_start(&l, &s, (double[2]){1, 0}, (double[2]){0, 1}, 1);
            double square = lf__lowering_at(&l, x, y);
            // Geodesics are right to some nanometres.
            double slack = (off + 1e-12) * d * d + 2e-8 * d + 1e-12;
            if (!(fabs(square - d * d) <= slack))
                fail_msg("latitude %g, %g %g: %.17g instead of %.17g, off %g", lat, x, y, square, d * d, off);
        }
    }
    assert_true(widest > 1); // there are such as cover whole degrees
}

static void small_windows_are_nearly_exact(void **state) {
    (void)state;
    lf__square_series s;
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    for (int lat = -75; lat <= 75; lat += 15) {
        lf__square_series_degrees(&wgs84, lat, &s);
        double off = lf__square_series_off(&s, 0.5, 0.5);
        if (!(off < (abs(lat) > 60 ? 1e-5 : 1e-7)))
            fail_msg("latitude %d: off %g", lat, off);
    }
}

static void limits_hold(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    for (int k = 0; k < 200; k++) {
        lf__square_series s;
        lf__square_series_degrees(&wgs84, test_random_between(&random, -80, 80), &s);
        lf__lowering l;
        lf__lowering_start(&l, &s, (double[2]){0.001, test_random_between(&random, -0.001, 0.001)},
                           (double[2]){0.0001, 0.0008}, 1e-7);
        lf__fan fan = {{test_random_between(&random, 0, 0.5), test_random_between(&random, 0.5, 1)},
                       {test_random_between(&random, 1, 50), test_random_between(&random, 50, 1000)}};
        lf__limits limits = lf__lowering_limits(&l, &fan), changes = lf__lowering_changes(&l, &fan);
        for (int n = 0; n < 50; n++) {
            double v = test_random_between(&random, fan.v[0], fan.v[1]),
                   a = test_random_between(&random, fan.a[0], fan.a[1]), h = 1e-3 * a;
            double here = lf__lowering_at(&l, a, a * v) / (a * a);
            assert_true(here >= limits.least - 1e-12 && here <= limits.most + 1e-12);
            double before = lf__lowering_at(&l, a - h, (a - h) * v) / ((a - h) * (a - h)),
                   after = lf__lowering_at(&l, a + h, (a + h) * v) / ((a + h) * (a + h));
            double change = (after - before) / (2 * h), slack = 1e-6 * fabs(change) + 1e-13;
            assert_true(change >= changes.least - slack && change <= changes.most + slack);
            double c[LF__SERIES_USED + 1], ring = 0;
            lf__lowering_ring(&l, a, c);
            for (int j = l.degree; j >= 0; j--)
                ring = ring * a * v + c[j];
            assert_true(fabs(ring - here * a) <= 1e-10 * fabs(ring));
        }
    }
}

/// The lowering in the opposite direction, from that of the other.
static void turned_around(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    for (int k = 0; k < 100; k++) {
        lf__square_series s;
        lf__square_series_degrees(&wgs84, test_random_between(&random, -80, 80), &s);
        double x[2], y[2];
        for (int n = 0; n < 2; n++) {
            x[n] = test_random_between(&random, -0.001, 0.001);
            y[n] = test_random_between(&random, -0.001, 0.001);
        }
        lf__lowering l, turned, other;
        lf__lowering_start(&l, &s, x, y, 1e-7);
        lf__lowering_start(&other, &s, (double[2]){-x[0], -x[1]}, (double[2]){-y[0], -y[1]}, 1e-7);
        lf__lowering_turn(&turned, &l);
        assert_int_equal(turned.degree, other.degree);
        for (int i = 0; i <= LF__SERIES_USED; i++)
            for (int j = 0; j <= LF__SERIES_USED; j++)
                assert_true(turned.at[i][j] == other.at[i][j]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_are_as_near_as_they_say),
        cmocka_unit_test(small_windows_are_nearly_exact),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(turned_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
