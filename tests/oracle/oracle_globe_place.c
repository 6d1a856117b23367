// The quick place of a position against the careful one, on all kinds of ellipsoids.
#include "globe/camera.h"
#include "support.h"
#include <math.h>

static void quick_places_are_right(void **state) {
    (void)state;
    test_random random = test_random_start(1);
    static const double flattenings[] = {0, 1 / 298.257223563, 0.01, 0.1, 0.3};
    int64_t rounds = test_rounds(200000);
    for (int64_t i = 0; i < rounds; i++) {
        lf_ellipsoid e = {i % 2 ? 6378137.0 : 5e4, flattenings[i % 5]};
        lf_geodetic place = {test_random_between(&random, -180, 180), test_random_between(&random, -90, 90),
                             0};
        int64_t kind = test_random_below(&random, 6);
        if (kind == 0)
            place.lat_deg = copysign(90 - pow(10, test_random_between(&random, -12, 0)), place.lat_deg);
        if (kind == 1)
            place.lat_deg = (double)(test_random_below(&random, 5) - 2) * 45;
        if (kind == 2)
            place.lon_deg = (double)(test_random_below(&random, 9) - 4) * 45;
        place.height = e.radius * (kind == 3 ? test_random_between(&random, -0.4, 0) * (1 - e.flattening) *
                                                   (1 - e.flattening)
                                             : test_random_between(&random, -0.01, 0.01));
        if (kind == 4)
            place.height = e.radius * pow(10, test_random_between(&random, -4, 3));
        lf_vec3 position = lf_ellipsoid_to_centred(&e, place);
        lf_geodetic slow = lf_ellipsoid_to_geodetic(&e, position), quick = lf__place_of(&e, position);
        double far = fmax(1, lf_vec3_length(position) / 6.4e6);
        double turn = fabs(remainder(slow.lon_deg - quick.lon_deg, 360)),
               rise = fabs(slow.lat_deg - quick.lat_deg);
        if (turn > LF__PLACE_ANGLE || rise > LF__PLACE_ANGLE ||
            fabs(slow.height - quick.height) > LF__PLACE_HEIGHT * far)
            fail_msg("flattening %g at %.17g, %.17g, %.17g: off by %g, %g, %g", e.flattening, slow.lon_deg,
                     slow.lat_deg, slow.height, turn, rise, slow.height - quick.height);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(quick_places_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
