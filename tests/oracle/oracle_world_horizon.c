// Horizons and sun over worlds against all polygons of all parts, one by one, in long doubles.
#include "random_world.h"
#include "small_planet.h"
#include <stdio.h>
#include <string.h>

enum { SIDE = RANDOM_WORLD_SIDE, SAMPLES = SIDE * SIDE };

/// A point above everything that is at its place.
static lf_vec3 any_point(const random_world *w, test_random *random) {
    lf_vec3 point = {random_world_any(random, 0, 46), random_world_any(random, 0, 46), 0};
    lf_reason reason;
    lf_sight_observer(w->ground, (lf_vec2){point.x, point.y}, random_world_any(random, 0.2, 3), &point,
                      &reason);
    return point;
}

/// The highest slope in a direction, with what it falls per metre: of the cut of every facet with the upright half-plane.
static long double brute_slope(const random_world *w, world_point p, const world_point axes[3],
                               long double lowering, long double range) {
    long double best = -INFINITY;
    for (int64_t i = 0; i < w->facets.count; i++) {
        long double d[3], z[3];
        int ends = 0;
        for (int k = 0; k < 3; k++) {
            const world_point *c = w->facets.list[i].c, a = c[k], b = c[(k + 1) % 3];
            long double at[2][3];
            for (int n = 0; n < 3; n++) {
                at[0][n] = (a.x - p.x) * axes[n].x + (a.y - p.y) * axes[n].y + (a.z - p.z) * axes[n].z;
                at[1][n] = (b.x - p.x) * axes[n].x + (b.y - p.y) * axes[n].y + (b.z - p.z) * axes[n].z;
            }
            if ((at[0][1] > 0) == (at[1][1] > 0))
                continue;
            long double t = at[0][1] / (at[0][1] - at[1][1]);
            d[ends] = at[0][0] + t * (at[1][0] - at[0][0]);
            z[ends++] = at[0][2] + t * (at[1][2] - at[0][2]);
        }
        if (ends < 2 || fmaxl(d[0], d[1]) <= 1e-6L || fminl(d[0], d[1]) >= range)
            continue;
        for (int k = 0; k <= 64; k++) { // along the cut: with curvature the highest place may be within it
            long double from = fmaxl(fminl(d[0], d[1]), 1e-6L), to = fminl(fmaxl(d[0], d[1]), range);
            long double at = from + (to - from) * k / 64,
                        share = d[1] == d[0] ? 0 : (at - d[0]) / (d[1] - d[0]);
            long double up = d[1] == d[0] ? fmaxl(z[0], z[1]) : z[0] + share * (z[1] - z[0]);
            best = fmaxl(best, up / at - lowering * at);
        }
    }
    return best;
}

static void check_horizon(const random_world *w, const lf_sight_rules *rules, lf_vec3 from, double azimuth,
                          double range) {
    lf_horizon horizon;
    double turn = azimuth * 0.017453292519943295;
    const world_point axes[3] = {{sinl((long double)turn), cosl((long double)turn), 0},
                                 {-cosl((long double)turn), sinl((long double)turn), 0},
                                 {0, 0, 1}};
    long double lowering = rules->curvature.coefficient / (2 * rules->curvature.radius);
    assert_int_equal(lf_horizon_at(w->ground, rules, from, azimuth, range, &horizon, NULL), LF_OK);
    long double slope = brute_slope(w, world_point_of(from), axes, lowering, range);
    if (horizon.reason == LF_REASON_NONE) {
        assert_true(slope == -INFINITY);
        return;
    }
    long double found = tanl(horizon.elevation_deg * 0.017453292519943295L);
    long double slack = (lowering == 0 ? 1e-9L : 1e-4L) * (1 + fabsl(slope));
    if (!(fabsl(found - slope) <= slack))
        fail_msg("from %.9g, %.9g, %.9g to %.9g degrees: slope %.9Lg, expected %.9Lg", from.x, from.y, from.z,
                 azimuth, found, slope);
    // The place that makes it is there.
    double dx = horizon.point.x - from.x, dy = horizon.point.y - from.y, far = sqrt(dx * dx + dy * dy);
    assert_true(fabs(far - horizon.distance) < 1e-6 && far <= range + 1e-6);
    assert_true(fabsl((horizon.point.z - from.z) / fmaxl(far, 1e-9L) - lowering * far - found) <
                1e-6L * (1 + fabsl(found)) + 1e-9L / fmaxl(far, 1e-9L));
}

static void horizons(void **state) {
    (void)state;
    test_random random = test_random_start(9301);
    for (int64_t round = 0; round < test_rounds(12); round++) {
        random_world w;
        random_world_open(&w, NULL, NULL, false, &random);
        lf_sight_rules rules = lf_sight_rules_default();
        if (round % 3 == 2) {
            rules.curvature.coefficient = random_world_any(&random, 0.2, 1);
            rules.curvature.radius = random_world_any(&random, 500, 5000);
        }
        for (int k = 0; k < 60; k++) {
            if (k == 30)
                random_world_stir(&w, &random);
            lf_vec3 from = any_point(&w, &random);
            double azimuth = random_world_any(&random, -360, 360);
            check_horizon(&w, &rules, from, azimuth, k % 4 ? INFINITY : random_world_any(&random, 2, 40));
        }
        random_world_close(&w);
    }
}

/// Maps are single points; lines to the sun are lines of sight.
static void maps(void **state) {
    (void)state;
    test_random random = test_random_start(9302);
    static float degrees[SAMPLES], share[SAMPLES], hours[SAMPLES];
    static uint8_t lit[2][SAMPLES];
    lf_window window = {0, 0, SIDE, SIDE};
    int64_t dark = 0, bright = 0, doubtful = 0;
    for (int64_t round = 0; round < test_rounds(3); round++) {
        random_world w;
        random_world_open(&w, NULL, NULL, round == 1, &random);
        lf_horizon_def def = lf_horizon_def_default();
        def.height = random_world_any(&random, 0.1, 2);
        def.target_on = round == 2 ? LF_TARGET_GROUND : LF_TARGET_TOP;
        double azimuth = random_world_any(&random, 0, 360);
        lf_sun suns[2] = {{azimuth, random_world_any(&random, 5, 40), 1.5}, {azimuth + 100, 60, 2}};
        assert_int_equal(lf_horizon_map(w.ground, &def, azimuth, window, degrees, 0, NULL), LF_OK);
        assert_int_equal(lf_sky_view(w.ground, &def, 4, window, share, 0, NULL), LF_OK);
        for (int n = 0; n < 2; n++)
            assert_int_equal(lf_sun_shade(w.ground, &def, suns[n], window, lit[n], 0, NULL), LF_OK);
        assert_int_equal(lf_sun_hours(w.ground, &def, suns, 2, window, hours, 0, NULL), LF_OK);
        for (int64_t k = 0; k < SAMPLES; k++) {
            lf_vec2 at = {2.0 * (double)(k % SIDE), 2.0 * (double)(k / SIDE)};
            lf_vec3 from = {at.x, at.y, (double)w.heights[k] + def.height}, point;
            lf_hit hit, alone;
            lf_reason reason;
            lf_horizon horizon;
            lf_ground_height(w.ground, (lf_vec3){at.x, at.y, INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
            lf_ground_height(lf_grid_ground(w.grid), (lf_vec3){at.x, at.y, INFINITY}, LF_VERTICAL_DOWN,
                             &alone, NULL);
            bool roof = def.target_on == LF_TARGET_TOP && hit.kind != LF_HIT_NONE && hit.part != 0;
            if (!roof && alone.kind == LF_HIT_NONE) {
                assert_true(isnan(degrees[k]) && isnan(share[k]) && isnan(hours[k]) &&
                            lit[0][k] == LF_VISIBILITY_VOID);
                continue;
            }
            if (roof) {
                lf_sight_observer(w.ground, at, 0, &point, &reason);
                from.z = point.z + def.height;
            }
            lf_horizon_at(w.ground, &def.rules, from, azimuth, INFINITY, &horizon, NULL);
            assert_true(degrees[k] == (float)horizon.elevation_deg);
            double sum = 0;
            for (int n = 0; n < 4; n++) {
                lf_horizon_at(w.ground, &def.rules, from, 90 * n, INFINITY, &horizon, NULL);
                double sine = sin(fmax(horizon.elevation_deg, 0) * 0.017453292519943295);
                sum += 1 - sine * sine;
            }
            assert_true(fabs((double)share[k] - sum / 4) < 1e-5);
            double expected = 0;
            for (int n = 0; n < 2; n++) {
                double turn = suns[n].azimuth_deg * 0.017453292519943295,
                       up = tan(suns[n].altitude_deg * 0.017453292519943295);
                lf_vec3 far = {from.x + 200 * sin(turn), from.y + 200 * cos(turn), from.z + 200 * up};
                int blocked = random_world_blocked(&w, world_point_of(from), world_point_of(far), UINT32_MAX);
                if (blocked == 0 && alone.kind == LF_HIT_NONE)
                    blocked = random_world_below(&w, from, far);
                expected += lit[n][k] == LF_VISIBILITY_VISIBLE ? suns[n].hours : 0;
                doubtful += blocked < 0;
                if (blocked < 0 || lit[n][k] == LF_VISIBILITY_UNKNOWN)
                    continue;
                dark += blocked, bright += !blocked;
                if ((lit[n][k] == LF_VISIBILITY_HIDDEN) != blocked)
                    fail_msg("sun %d at %g, %g, %g: %s, of all polygons %d", n, from.x, from.y, from.z,
                             lf_visibility_name((lf_visibility)lit[n][k]), blocked);
            }
            assert_true(fabs((double)hours[k] - expected) < 1e-6);
        }
        random_world_close(&w);
    }
    printf("%lld dark, %lld bright, %lld doubtful\n", (long long)dark, (long long)bright,
           (long long)doubtful);
    assert_true(dark > 100 && bright > 100);
}

/// Points at any places: each as lf_horizon_at has it. The def's lattice says only how many there are.
static void points_at_any_places(void **state) {
    (void)state;
    enum { COLUMNS = 9, ROWS = 7, COUNT = COLUMNS * ROWS };
    test_random random = test_random_start(9305);
    lf_window window = {1, 2, 7, 5};
    for (int64_t round = 0; round < test_rounds(6); round++) {
        random_world w;
        lf_vec2 places[COUNT];
        float degrees[COUNT], share[COUNT], hours[COUNT];
        uint8_t lit[COUNT];
        random_world_open(&w, NULL, NULL, false, &random);
        const lf_ground *ground = round % 2 ? lf_grid_ground(w.grid) : w.ground;
        lf_horizon_def def = lf_horizon_def_default();
        def.height = random_world_any(&random, 0.1, 2);
        def.lattice.columns = COLUMNS, def.lattice.rows = ROWS;
        def.places = places;
        for (int64_t k = 0; k < COUNT; k++)
            places[k] = test_random_below(&random, 9) == 0
                            ? (lf_vec2){NAN, NAN}
                            : (lf_vec2){random_world_any(&random, -3, 49), random_world_any(&random, -3, 49)};
        lf_sun sun = {random_world_any(&random, 0, 360), random_world_any(&random, 5, 40), 1.5};
        assert_int_equal(lf_horizon_map(ground, &def, sun.azimuth_deg, window, degrees, 0, NULL), LF_OK);
        assert_int_equal(lf_sky_view(ground, &def, 4, window, share, 0, NULL), LF_OK);
        assert_int_equal(lf_sun_shade(ground, &def, sun, window, lit, 0, NULL), LF_OK);
        assert_int_equal(lf_sun_hours(ground, &def, &sun, 1, window, hours, 0, NULL), LF_OK);
        for (int64_t k = 0; k < window.columns * window.rows; k++) {
            lf_vec2 at =
                places[(window.row + k / window.columns) * COLUMNS + window.column + k % window.columns];
            lf_vec3 from;
            lf_reason reason = LF_REASON_NONE;
            lf_horizon horizon;
            if (!isnan(at.x))
                lf_sight_observer(ground, at, 0, &from, &reason);
            if (reason != LF_REASON_ANSWERED) {
                assert_true(isnan(degrees[k]) && isnan(share[k]) && isnan(hours[k]));
                assert_int_equal(lit[k], LF_VISIBILITY_VOID);
                continue;
            }
            from.z += def.height;
            assert_int_equal(
                lf_horizon_at(ground, &def.rules, from, sun.azimuth_deg, INFINITY, &horizon, NULL), LF_OK);
            assert_true(degrees[k] == (float)horizon.elevation_deg);
            assert_true((double)hours[k] == (lit[k] == LF_VISIBILITY_VISIBLE ? sun.hours : 0));
            assert_true(lit[k] == LF_VISIBILITY_VISIBLE || horizon.elevation_deg > sun.altitude_deg - 1e-9);
        }
        random_world_close(&w);
    }
}

/// A raster in degrees, its samples given one by one: as its own samples, which are swept.
static void samples_in_degrees(void **state) {
    (void)state;
    enum { WIDE = 21, TALL = 16, COUNT = WIDE * TALL };
    test_random random = test_random_start(9306);
    lf_window window = {0, 0, WIDE, TALL};
    for (int64_t round = 0; round < test_rounds(8); round++) {
        static float heights[COUNT], degrees[2][COUNT], share[2][COUNT], hours[2][COUNT], far[2][COUNT];
        static uint8_t lit[2][COUNT], seen[2][COUNT];
        lf_vec2 places[COUNT];
        lf_grid_def grid_def = lf_grid_def_default();
        lf_grid *grid;
        double latitude = random_world_any(&random, -75, 75);
        for (int k = 0; k < COUNT; k++)
            heights[k] = round % 2 && test_random_below(&random, 30) == 0
                             ? NAN
                             : (float)random_world_any(&random, 0, round % 3 ? 300 : 2000);
        grid_def.samples.values = heights;
        grid_def.samples.columns = WIDE, grid_def.samples.rows = TALL;
        grid_def.geotransform = (lf_geotransform){{11, latitude}, {0.0125, 0}, {0, 0.0125}};
        assert_int_equal(lf_grid_create(&grid_def, &grid, NULL), LF_OK);
        const lf_ground *ground = lf_grid_ground(grid);
        lf_horizon_def def = lf_horizon_def_default();
        def.rules.units = LF_MAP_DEGREES;
        def.rules.curvature.coefficient = round % 4 ? LF_CURVATURE_LIGHT : 0;
        def.height = random_world_any(&random, 0, 3);
        lf_viewshed_def view = lf_viewshed_def_default();
        view.rules = def.rules;
        view.target = def.height;
        view.range_max = random_world_any(&random, 5e3, 3e4);
        view.azimuth_to_deg = 200;
        lf_observer observer = {{11.1234, latitude + 0.0777}, 2100, true};
        lf_sun suns[2] = {{random_world_any(&random, 0, 360), random_world_any(&random, 0.2, 20), 1.5},
                          {random_world_any(&random, 0, 360), random_world_any(&random, 0.2, 9), 2}};
        for (int64_t k = 0; k < COUNT; k++)
            places[k] = lf_geotransform_at(&grid_def.geotransform, (double)(k % WIDE), (double)(k / WIDE));
        for (int n = 0; n < 2; n++) {
            if (n == 1) {
                def.places = view.places = places;
                def.lattice.columns = view.lattice.columns = WIDE;
                def.lattice.rows = view.lattice.rows = TALL;
            }
            assert_int_equal(lf_horizon_map(ground, &def, suns[0].azimuth_deg, window, degrees[n], 0, NULL),
                             LF_OK);
            assert_int_equal(lf_sky_view(ground, &def, 5, window, share[n], 0, NULL), LF_OK);
            assert_int_equal(lf_sun_shade(ground, &def, suns[0], window, lit[n], 0, NULL), LF_OK);
            assert_int_equal(lf_sun_hours(ground, &def, suns, 2, window, hours[n], 0, NULL), LF_OK);
            assert_int_equal(lf_viewshed_visible(ground, &view, &observer, window, seen[n], 0, NULL, NULL),
                             LF_OK);
            assert_int_equal(lf_viewshed_values(ground, &view, &observer, LF_VIEWSHED_DISTANCE, window,
                                                far[n], 0, NULL, NULL),
                             LF_OK);
        }
        assert_memory_equal(degrees[0], degrees[1], sizeof degrees[0]);
        assert_memory_equal(share[0], share[1], sizeof share[0]);
        assert_memory_equal(lit[0], lit[1], sizeof lit[0]);
        assert_memory_equal(hours[0], hours[1], sizeof hours[0]);
        assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
        assert_memory_equal(far[0], far[1], sizeof far[0]);
        lf_grid_destroy(grid);
    }
}

/// The azimuth of some polygon.
static double facing(const random_world *w, const lf_pose *stand, test_random *random) {
    const world_point *c = w->facets.list[test_random_below(random, (uint64_t)w->facets.count)].c;
    lf_vec3 middle = {(double)(c[0].x + c[1].x + c[2].x) / 3, (double)(c[0].y + c[1].y + c[2].y) / 3,
                      (double)(c[0].z + c[1].z + c[2].z) / 3};
    lf_vec3 local = lf_pose_to_local(stand, middle);
    return atan2(local.x, local.y) * 57.29577951308232;
}

/// Degrees above the horizon at which lines pass. Lines that are bent by the air are cut into straight pieces, off by half a millimetre at
/// most: these are 443 m long and begin 2.6e-4 degrees lower.
#define PASSING_STRAIGHT 1e-4
#define PASSING_BENT 4e-4

/// On a globe: a line a little above the horizon is clear, and one a little below is not.
static void globes(void **state) {
    (void)state;
    test_random random = test_random_start(9303);
    small_planet *planet = small_planet_make(lf_ellipsoid_wgs84(), 2, SMALL_PLANET_ROLLING, 400, 79);
    lf_globe *globe = small_planet_globe(planet, (size_t)1 << 24);
    const lf_geodetic places[] = {{12.3, 45.6, 0}, {180, -7, 0}, {-180, 33, 0}, {0, 90, 0}, {77, -90, 0}};
    const lf_ellipsoid *e = &planet->ellipsoid;
    int objects = 0;
    for (int64_t round = 0; round < test_rounds(5); round++) {
        lf_geodetic at = places[round % 5];
        lf_pose outer, shift = lf_pose_identity();
        lf_globe_elevation ground;
        random_world w;
        lf_globe_height(globe, at.lon_deg, at.lat_deg, &ground, NULL);
        at.height = ground.height;
        assert_int_equal(lf_ellipsoid_pose(e, at, 0, 0, 0, &outer), LF_OK);
        shift.translation = (lf_vec3){-24, -24, 0};
        outer = lf_pose_then(&shift, &outer);
        random_world_open(&w, lf_globe_ground(globe), &outer, false, &random);
        lf_sight_rules rules = lf_sight_rules_default();
        rules.curvature.coefficient = round % 2 ? LF_CURVATURE_LIGHT : 0;
        for (int k = 0; k < 12; k++) {
            lf_vec3 from = {at.lon_deg, at.lat_deg, at.height + random_world_any(&random, 1, 12)};
            lf_horizon horizon;
            lf_pose stand;
            lf_ellipsoid_pose(e, (lf_geodetic){from.x, from.y, from.z}, 0, 0, 0, &stand);
            double azimuth = k % 2 ? random_world_any(&random, 0, 360) : facing(&w, &stand, &random);
            assert_int_equal(lf_horizon_at(w.ground, &rules, from, azimuth, INFINITY, &horizon, NULL), LF_OK);
            assert_int_equal(horizon.reason, LF_REASON_ANSWERED);
            objects += horizon.distance < 100;
            lf_ellipsoid_pose(e, (lf_geodetic){from.x, from.y, from.z}, azimuth, 0, 0, &stand);
            double above = rules.curvature.coefficient == 0 ? PASSING_STRAIGHT : PASSING_BENT;
            bool roofed = horizon.distance < 1e-5; // nothing passes above a roof over the eye
            for (int side = 0; side < (roofed ? 1 : 2); side++) {
                double up = tan((horizon.elevation_deg + (side ? above : -1e-4)) * 0.017453292519943295);
                double bent = rules.curvature.coefficient == 0
                                  ? 0
                                  : (1 - rules.curvature.coefficient) / (2 * rules.curvature.radius);
                double far = side ? 200000 : horizon.distance + fmax(1e-3 * horizon.distance, 0.01);
                lf_vec3 end = lf_pose_to_world(&stand, (lf_vec3){0, far, (up - bent * far) * far});
                lf_verdict verdict;
                lf_sight_verdict(w.ground, &rules, stand.translation, end, &verdict, NULL);
                if (side && verdict != LF_VERDICT_CLEAR) {
                    lf_sight sight, alone;
                    lf_sight_between(w.ground, &rules, stand.translation, end, &sight, NULL);
                    lf_sight_between(lf_globe_ground(globe), &rules, stand.translation, end, &alone, NULL);
                    fail_msg(
                        "round %d, %g degrees: horizon %.9g at %.9g m, but blocked at %.9g m, globe %.9g m",
                        (int)round, azimuth, horizon.elevation_deg, horizon.distance, sight.t * far,
                        alone.t * far);
                }
            }
            // Of all polygons: none appears higher.
            lf_vec3 right = lf_pose_turn_to_world(&stand, (lf_vec3){-1, 0, 0}),
                    ahead = lf_pose_turn_to_world(&stand, (lf_vec3){0, 1, 0}),
                    top = lf_pose_turn_to_world(&stand, (lf_vec3){0, 0, 1});
            const world_point axes[3] = {world_point_of(ahead), world_point_of(right), world_point_of(top)};
            long double slope = brute_slope(&w, world_point_of(stand.translation), axes, 0, 1e9L);
            long double found = tanl(horizon.elevation_deg * 0.017453292519943295L);
            if (!(found >= slope - 1e-6L * (1 + fabsl(slope))) ||
                (horizon.distance < 100 && !(fabsl(found - slope) < 1e-5L * (1 + fabsl(found)))))
                fail_msg("round %d, %g degrees: slope %.9Lg at %.9g m, of all polygons %.9Lg", (int)round,
                         azimuth, found, horizon.distance, slope);
        }
        random_world_close(&w);
    }
    assert_true(objects > 3);
    lf_globe_destroy(globe);
    small_planet_free(planet);
}

/// A group of one grid has the bits of the grid.
static void one_grid(void **state) {
    (void)state;
    test_random random = test_random_start(9304);
    static float values[2][SAMPLES];
    static uint8_t lit[2][SAMPLES];
    lf_window window = {0, 0, SIDE, SIDE};
    random_world w;
    random_world_open(&w, NULL, NULL, true, &random);
    lf_group *group = world_group(w.parts, 1);
    const lf_ground *grounds[2] = {lf_grid_ground(w.grid), lf_group_ground(group)};
    lf_horizon_def def = lf_horizon_def_default();
    lf_sun sun = {200, 20, 1};
    for (int n = 0; n < 2; n++) {
        assert_int_equal(lf_horizon_map(grounds[n], &def, 77, window, values[n], 0, NULL), LF_OK);
        assert_int_equal(lf_sun_shade(grounds[n], &def, sun, window, lit[n], 0, NULL), LF_OK);
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    assert_memory_equal(lit[0], lit[1], sizeof lit[0]);
    lf_group_destroy(group);
    random_world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(horizons),
                                       cmocka_unit_test(maps),
                                       cmocka_unit_test(points_at_any_places),
                                       cmocka_unit_test(samples_in_degrees),
                                       cmocka_unit_test(globes),
                                       cmocka_unit_test(one_grid)};
    return cmocka_run_group_tests_name("world_horizon", tests, NULL, NULL);
}
