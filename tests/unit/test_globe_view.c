// What an update loads for a viewer that looks one way, and the tiles that a renderer draws.
#include "small_planet.h"
#include <landfall/globe.h>
#include <math.h>
#include <stdlib.h>

static lf_globe *globe;
static small_planet *planet;
static lf_globe_drawn *tiles;
static int64_t count;

enum { MOST = 20000 };

static void update(lf_vec3 forward, double field) {
    lf_globe_update_rules rules = lf_globe_update_rules_default();
    lf_globe_change change;
    rules.position = lf_ellipsoid_to_centred(&planet->ellipsoid, (lf_geodetic){10, 20, 3000});
    rules.forward = forward;
    rules.field = field;
    rules.detail = 1.0 / 4;
    rules.most = 100000;
    do
        assert_int_equal(lf_globe_update(globe, &rules, &change), LF_OK);
    while (change.fetched > 0);
    assert_int_equal(lf_globe_draw_list(globe, tiles, MOST, &count), LF_OK);
}

/// The one tile of the list over a place.
static const lf_globe_drawn *tile_at(double lon, double lat) {
    const lf_globe_drawn *found = NULL;
    for (int64_t i = 0; i < count; i++) {
        lf_geodetic_box a = lf_tile_area(2, 1, tiles[i].key);
        if (!(lon > a.west && lon < a.east && lat > a.south && lat < a.north))
            continue;
        int quarter = (lon > 0.5 * (a.west + a.east)) + 2 * (lat > 0.5 * (a.south + a.north));
        if (!(tiles[i].quarters >> quarter & 1))
            continue;
        assert_null(found); // of exactly one
        found = &tiles[i];
    }
    assert_non_null(found);
    return found;
}

static void the_list_covers_the_globe_once(void **state) {
    (void)state;
    test_random random = test_random_start(3);
    update((lf_vec3){0, 0, 0}, 1);
    for (int k = 0; k < 500; k++) {
        double lon = test_random_between(&random, -179.9, 179.9),
               lat = test_random_between(&random, -89.9, 89.9);
        const lf_globe_drawn *tile = tile_at(lon, lat);
        lf_globe_elevation ground;
        assert_int_equal(lf_globe_height(globe, lon, lat, &ground, NULL), LF_OK);
        assert_int_equal(ground.tile.level, tile->key.level);
        lf_vec3 at = lf_ellipsoid_to_centred(&planet->ellipsoid, (lf_geodetic){lon, lat, ground.height});
        assert_true(lf_box_overlap(tile->box, (lf_box){at, at}) && tile->columns > 1 && tile->heights);
        int64_t i = (int64_t)floor((lon - tile->west) / tile->per_column),
                j = (int64_t)floor((lat - tile->south) / tile->per_row);
        double low = LF_INFINITY, high = -LF_INFINITY;
        for (int c = 0; c < 4; c++) {
            double h = (double)tile->heights[(j + c / 2) * tile->columns + i + c % 2];
            low = fmin(low, h);
            high = fmax(high, h);
        }
        assert_true(ground.height >= low - 1e-3 && ground.height <= high + 1e-3);
    }
    int64_t fewer;
    assert_int_equal(lf_globe_draw_list(globe, tiles, 3, &fewer), LF_PARTIAL);
    assert_int_equal(fewer, count);
    assert_int_equal(lf_globe_draw_list(NULL, tiles, 3, &fewer), LF_BAD_ARGUMENT);
    assert_int_equal(lf_globe_draw_list(globe, NULL, 3, &fewer), LF_BAD_ARGUMENT);
}

/// Looking north: as fine as all round in view and below, coarser behind.
static void what_is_behind_is_not_refined(void **state) {
    (void)state;
    test_random random = test_random_start(4);
    lf_pose here;
    int32_t levels[400];
    double places[400][2];
    update((lf_vec3){0, 0, 0}, 1);
    int64_t all = count, finer = 0;
    for (int k = 0; k < 400; k++) {
        places[k][0] = test_random_between(&random, -60, 80);
        places[k][1] = test_random_between(&random, -50, 80);
        levels[k] = tile_at(places[k][0], places[k][1])->key.level;
    }
    assert_int_equal(lf_ellipsoid_pose(&planet->ellipsoid, (lf_geodetic){10, 20, 3000}, 0, -20, 0, &here),
                     LF_OK);
    lf_vec3 forward = lf_pose_turn_to_world(&here, (lf_vec3){0, 1, 0});
    lf_globe_unload(globe);
    update(forward, 0.8);
    assert_true(count < all);
    assert_true(tile_at(10.01, 20.01)->key.level == 4);
    for (int k = 0; k < 400; k++) {
        lf_vec3 at =
            lf_ellipsoid_to_centred(&planet->ellipsoid, (lf_geodetic){places[k][0], places[k][1], 0});
        lf_vec3 to = lf_vec3_unit(lf_vec3_sub(at, here.translation));
        int32_t level = tile_at(places[k][0], places[k][1])->key.level;
        assert_true(level <= levels[k]);
        if (acos(lf_vec3_dot(to, forward)) < 0.4) // in view
            assert_int_equal(level, levels[k]);
        finer += levels[k] > level;
    }
    print_message("%lld tiles instead of %lld, %lld of 400 places coarser\n", (long long)count,
                  (long long)all, (long long)finer);
    assert_true(finer > 50);
    lf_globe_update_rules rules = lf_globe_update_rules_default();
    rules.field = 0;
    assert_int_equal(lf_globe_update(globe, &rules, NULL), LF_BAD_ARGUMENT);
    rules.field = 1;
    rules.forward.x = LF_NAN;
    assert_int_equal(lf_globe_update(globe, &rules, NULL), LF_BAD_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_list_covers_the_globe_once),
                                       cmocka_unit_test(what_is_behind_is_not_refined)};
    planet = small_planet_make((lf_ellipsoid){5e4, 0.01}, 5, SMALL_PLANET_ROLLING, 500, 7);
    globe = small_planet_globe(planet, (size_t)1 << 30);
    tiles = test_space(MOST, sizeof *tiles);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(tiles);
    lf_globe_destroy(globe);
    small_planet_free(planet);
    return failed;
}
