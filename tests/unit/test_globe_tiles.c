/// Tiles that fail, that lie ahead, and neighbours that do not fit.
#include "globe/globe.h"
#include "planet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)1 << 30)

/// A planet whose provider fails for some tiles.
typedef struct failing {
    planet planet;
    lf_globe_provider inner;
    lf_tile_key key; ///< this one, and those beneath it
    lf_tile_state state;
    int told;
} failing;

static lf_tile_state fetch_or_fail(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    failing *f = user;
    int deeper = key.level - f->key.level;
    if (deeper >= 0 && key.column >> deeper == f->key.column && key.row >> deeper == f->key.row) {
        strcpy(detail->text, "the disk has gone");
        return f->state;
    }
    return f->inner.fetch(f->inner.user, key, wait, tile, detail);
}

static void release_inner(void *user, lf_tile *tile) {
    failing *f = user;
    f->inner.release(f->inner.user, tile);
}

static void hear(void *user, lf_log_level level, const char *text) {
    failing *f = user;
    (void)level;
    f->told += strstr(text, "the disk has gone") && strstr(text, "2/4/1");
}

/// A tile that cannot be read, or that never comes though it is waited for, is said aloud; the coarser one answers, and questions go on.
static void failing_tiles_leave_the_coarser_ones(void **state) {
    (void)state;
    static const lf_tile_state states[] = {LF_TILE_FAILED, LF_TILE_LATER};
    for (int k = 0; k < 2; k++) {
        failing f = {.planet = planet_plain(20), .key = {2, 4, 1}, .state = states[k]};
        lf_globe_def def = lf_globe_def_default();
        lf_log log = {&f, hear};
        lf_globe *globe;
        lf_globe_elevation ground;
        f.inner = planet_provider(&f.planet);
        def.host.log = &log;
        def.provider = (lf_globe_provider){&f, fetch_or_fail, release_inner};
        def.level_count = f.planet.levels;
        assert_int_equal(lf_globe_create(&def, &globe, NULL), LF_OK);
        assert_int_equal(lf_globe_height_finest(globe, 10, -30, &ground), LF_OK);
        assert_int_equal(f.told, 1);
        assert_int_equal(ground.reason, LF_REASON_ANSWERED);
        assert_int_equal(ground.tile.level, 1);
        assert_false(ground.coarser); // as far as can be known
        assert_int_equal(lf_globe_height_finest(globe, 10, 30, &ground), LF_OK);
        assert_int_equal(ground.tile.level, 3);
        lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
        lf_ray ray = lf_ray_between(lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){10, -30, 50000}),
                                    lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){10, -30, -50000}));
        lf_hit hit;
        assert_int_equal(lf__globe_ray_finest(globe, &ray, 0, &hit, NULL), LF_OK);
        assert_int_equal(hit.level, 1);
        lf_globe_destroy(globe);
        assert_int_equal(f.planet.handed_out, 0);
    }
}

/// Where the camera is heading tiles come, and not where it comes from.
static void tiles_come_where_the_camera_is_heading(void **state) {
    (void)state;
    planet p = planet_plain(21);
    p.levels = 7;
    p.unbounded = true; // bounds of seven levels are slow to find
    lf_globe *globe = planet_globe(&p, NULL, MOST);
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    lf_globe_update_rules view = lf_globe_update_rules_default();
    view.position = lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){10, 0, 8000});
    lf_vec3 later = lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){40, 0, 8000});
    view.velocity = lf_vec3_scale(lf_vec3_sub(later, view.position), 0.5);
    view.detail = 1;
    view.most = 12; // the two ways down to the finest level, and little else
    for (int i = 0; i < 2; i++)
        assert_int_equal(lf_globe_update(globe, &view, NULL), LF_OK);
    lf_globe_elevation here, ahead, behind;
    lf_geodetic under =
        lf_ellipsoid_to_geodetic(&wgs84, lf_vec3_along(view.position, view.ahead, view.velocity));
    assert_int_equal(lf_globe_height(globe, 10.01, 0.01, &here, NULL), LF_OK);
    assert_int_equal(lf_globe_height(globe, under.lon_deg, 0.01, &ahead, NULL), LF_OK);
    assert_int_equal(lf_globe_height(globe, -20, 0.01, &behind, NULL), LF_OK);
    assert_int_equal(here.tile.level, 6);
    assert_true(ahead.tile.level > behind.tile.level);
    lf_globe_destroy(globe);
}

/// Rays through borders and corners of tiles, of neighbours of one level and of several, of grids and TINs, a rounding beside them or on them: from above ground
/// to below it none gets through.
static void nothing_passes_between_neighbours(void **state) {
    (void)state;
    test_random random = test_random_start(960);
    int64_t count = test_rounds(30);
    for (int64_t n = 0; n < count; n++) {
        planet p = planet_plain(test_random_bits(&random));
        lf_ellipsoid ellipsoid = n % 2 ? lf_ellipsoid_wgs84() : (lf_ellipsoid){6371000, 0};
        p.tin_of = n % 3 == 0 ? 2 : 0;
        lf_globe *globe = planet_globe(&p, &ellipsoid, MOST);
        for (int i = 0; i < 8; i++) {
            int level = 1 + (int)test_random_below(&random, 3);
            lf_tile_key key = {level, (int32_t)test_random_below(&random, (int64_t)2 << level),
                               (int32_t)test_random_below(&random, (int64_t)1 << level)};
            assert_int_equal(lf_globe_load(globe, key, NULL), LF_OK);
        }
        for (int i = 0; i < 40; i++) {
            static const double beside[] = {0, 0, 1e-13, -1e-13, 1e-9, -1e-9};
            bool on_lon = test_random_below(&random, 3) > 0,
                 on_lat = !on_lon || test_random_below(&random, 3) == 0;
            double lon = on_lon ? 22.5 * (double)(test_random_below(&random, 17) - 8)
                                : test_random_between(&random, -180, 180);
            double lat = on_lat ? 22.5 * (double)(test_random_below(&random, 7) - 3)
                                : test_random_between(&random, -89.9, 89.9);
            lf_geodetic at = {lon + beside[test_random_below(&random, 6)],
                              lat + beside[test_random_below(&random, 6)], 30000};
            lf_geodetic below = at;
            below.height = -500000; // flat triangles of 22 degrees lie that deep
            if (i % 2) {            // slanting, along the border or across it
                below.lon_deg += on_lon && i % 4 == 1 ? 0 : test_random_between(&random, -0.3, 0.3);
                below.lat_deg += on_lat && i % 4 == 1 ? 0 : test_random_between(&random, -0.3, 0.3);
            }
            lf_ray ray = lf_ray_between(lf_ellipsoid_to_centred(&ellipsoid, at),
                                        lf_ellipsoid_to_centred(&ellipsoid, below));
            lf_hit hit;
            assert_int_equal(lf__globe_ray_first(globe, &ray, 0, LF__GLOBE_SURFACE, &hit, NULL), LF_OK);
            if (hit.kind == LF_HIT_NONE)
                fail_msg("through at %.17g, %.17g", at.lon_deg, at.lat_deg);
        }
        lf_globe_destroy(globe);
    }
}

/// A place a rounding west of a border belongs to the tile there.
static void borders_are_where_they_are(void **state) {
    (void)state;
    planet p = planet_plain(22);
    lf_globe *globe = planet_globe(&p, NULL, MOST);
    for (int level = 0; level < 20; level++)
        for (int k = 1; k < 4; k++) {
            double lon = -180 + 90.0 * k, lat = -90 + 45.0 * k;
            lf_tile_key on = lf__globe_key_at(globe, level, lon, lat);
            lf_tile_key before =
                lf__globe_key_at(globe, level, nextafter(lon, -INFINITY), nextafter(lat, -INFINITY));
            lf_geodetic_box area = lf__globe_tile_area(globe, on), other = lf__globe_tile_area(globe, before);
            assert_true(lon >= area.west && lon < area.east && lat >= area.south && lat < area.north);
            assert_true(nextafter(lon, -INFINITY) >= other.west && nextafter(lon, -INFINITY) < other.east);
            assert_true(nextafter(lat, -INFINITY) >= other.south && nextafter(lat, -INFINITY) < other.north);
        }
    lf_globe_destroy(globe);
}

/// Bounds of all cells of a tile, from their samples.
static lf__tile_bound bounds_of_cells(const lf_tile *tile) {
    lf__tile_bound all = {INFINITY, -INFINITY};
    for (int32_t r = 0; r + 1 < tile->rows; r++)
        for (int32_t c = 0; c + 1 < tile->columns; c++) {
            const float *h = tile->heights + (int64_t)r * tile->columns + c;
            const float corners[4] = {h[0], h[1], h[tile->columns], h[tile->columns + 1]};
            bool gap = false;
            for (int k = 0; k < 4; k++)
                gap |= isnan(corners[k]);
            for (int k = 0; k < 4 && !gap; k++) {
                all.low = fminf(all.low, corners[k]);
                all.high = fmaxf(all.high, corners[k]);
            }
        }
    return all;
}

/// The bound of a block, from the cells of that block alone.
static void check_blocks(const lf__tile *tile) {
    int32_t side = 1 << LF__TILE_BASE, across = (lf__tile_across(tile) + side - 1) / side;
    for (int32_t r = 0; r < lf__tile_up(tile); r += side)
        for (int32_t c = 0; c < lf__tile_across(tile); c += side) {
            lf__tile_bound expected = {INFINITY, -INFINITY},
                           found = tile->bounds[r / side * across + c / side];
            for (int32_t k = 0; k < side * side; k++) {
                int32_t y = r + k / side, x = c + k % side;
                if (y >= lf__tile_up(tile) || x >= lf__tile_across(tile))
                    continue;
                lf_tile cell = {.columns = 2, .rows = 2};
                const float *h = tile->heights + (int64_t)y * tile->columns + x;
                const float corners[4] = {h[0], h[1], h[tile->columns], h[tile->columns + 1]};
                cell.heights = corners;
                lf__tile_bound one = bounds_of_cells(&cell);
                expected.low = fminf(expected.low, one.low);
                expected.high = fmaxf(expected.high, one.high);
            }
            assert_true(found.low == expected.low && found.high == expected.high);
        }
}

/// Blocks of cells at the borders of a tile, tiles wider than what is compared at once, and voids.
static void bounds_are_those_of_the_cells(void **state) {
    (void)state;
    test_random random = test_random_start(2);
    planet p = planet_plain(20);
    lf_globe *globe = planet_globe(&p, NULL, MOST);
    for (int k = 0; k < 60; k++) {
        int32_t columns = 2 + (int32_t)test_random_below(&random, k % 6 == 0 ? 700 : 40),
                rows = 2 + (int32_t)test_random_below(&random, 40);
        float *heights = malloc((size_t)columns * (size_t)rows * sizeof *heights);
        int64_t voids = k % 3 == 0 ? 1 + test_random_below(&random, 30) : 0;
        for (int64_t i = 0; i < (int64_t)columns * rows; i++)
            heights[i] = voids && test_random_below(&random, voids) == 0
                             ? NAN
                             : (float)test_random_between(&random, -100, 4000);
        lf_tile given = {.heights = heights, .columns = columns, .rows = rows};
        lf__tile *tile;
        assert_int_equal(lf__tile_make(globe, (lf_tile_key){3, 4, 2}, &given, &tile, NULL), LF_OK);
        lf__tile_bound expected = bounds_of_cells(&given);
        assert_true(tile->own_low == (double)expected.low && tile->own_high == (double)expected.high);
        check_blocks(tile);
        lf__tile_free(globe, tile);
        // A height beyond a quarter of the planet is refused, with its number, wherever it is.
        int64_t bad = test_random_below(&random, (int64_t)columns * rows);
        lf_error error;
        heights[bad] = test_random_below(&random, 2) ? -1.6e6f : INFINITY;
        assert_int_equal(lf__tile_make(globe, (lf_tile_key){3, 4, 2}, &given, &tile, &error), LF_BAD_FORMAT);
        assert_int_equal(error.where, bad);
        free(heights);
    }
    lf_globe_destroy(globe);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_those_of_the_cells),
        cmocka_unit_test(failing_tiles_leave_the_coarser_ones),
        cmocka_unit_test(tiles_come_where_the_camera_is_heading),
        cmocka_unit_test(nothing_passes_between_neighbours),
        cmocka_unit_test(borders_are_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
