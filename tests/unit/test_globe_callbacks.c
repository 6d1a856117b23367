/// A provider whose functions call their own globe: loaded ground can be queried, everything that loads is refused.
#include "small_planet.h"
#include <landfall/camera.h>
#include <math.h>
#include <string.h>

#define BUDGET ((size_t)1 << 24)

/// A provider between a planet and its globe.
typedef struct caller {
    lf_globe_provider planet;
    lf_globe *globe; ///< NULL while it is created
    int64_t calls;   ///< callbacks in which the globe was used
} caller;

static void expect_queries(const lf_globe *globe) {
    lf_globe_elevation ground;
    lf_vec3 normal;
    lf_hit hit;
    lf_ray ray = lf_ray_towards((lf_vec3){7e6, 1e5, 1e5}, (lf_vec3){-1, 0, 0});
    assert_int_equal(lf_globe_height(globe, 10, 10, &ground, NULL), LF_OK);
    assert_int_equal(ground.reason, LF_REASON_ANSWERED);
    assert_int_equal(lf_globe_normal(globe, 10, 10, &normal), LF_OK);
    assert_int_equal(lf_ground_ray_first(lf_globe_ground(globe), &ray, &hit, NULL), LF_OK);
    assert_int_equal(hit.kind, LF_HIT_CELL);
    assert_true(lf_globe_describe(globe).tile_count >= 2);
}

static void expect_finest_refused(lf_globe *globe) {
    const lf_ground *finest = lf_globe_ground_finest(globe);
    lf_vec3 point = {7e6, 1e5, 1e5};
    lf_ray ray = lf_ray_towards(point, (lf_vec3){-1, 0, 0});
    lf_hit hit, hits[2];
    bool blocked = true;
    int64_t count = 77;
    assert_int_equal(lf_ground_height(finest, point, LF_VERTICAL_DOWN, &hit, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(hit.kind, LF_HIT_NONE);
    assert_int_equal(lf_ground_ray_first(finest, &ray, &hit, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(hit.kind, LF_HIT_NONE);
    assert_int_equal(lf_ground_ray_any(finest, &ray, &blocked, NULL), LF_BAD_ARGUMENT);
    assert_false(blocked);
    assert_int_equal(lf_ground_ray_all(finest, &ray, hits, 2, &count, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(count, 0);
}

static void expect_loading_refused(lf_globe *globe) {
    lf_globe_update_rules rules = lf_globe_update_rules_default();
    lf_globe_elevation ground;
    lf_globe_sight sight;
    lf_camera camera = lf_camera_default();
    lf_camera_stop stops[2] = {{0, {7e6, 0, 0}}, {1, {7e6, 1e3, 0}}};
    lf_camera_path path = {stops, 2, 0, globe};
    lf_camera_frame frame;
    lf_geodetic_box area = {0, 0, 20, 20};
    rules.position = stops[0].position;
    assert_int_equal(lf_globe_update(globe, &rules, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_globe_load(globe, (lf_tile_key){1, 0, 0}, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_globe_load_area(globe, area, 2), LF_BAD_ARGUMENT);
    assert_int_equal(lf_globe_height_finest(globe, 10, 10, &ground), LF_BAD_ARGUMENT);
    assert_int_equal(lf_globe_sight_finest(globe, stops[0].position, (lf_vec3){0, 7e6, 0}, 0, &sight, NULL),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_camera_path_begin(&camera, lf_globe_ground(globe), &path, &frame), LF_BAD_ARGUMENT);
    int64_t tiles = lf_globe_describe(globe).tile_count;
    lf_globe_unload(globe);
    lf_globe_destroy(globe);
    assert_int_equal(lf_globe_describe(globe).tile_count, tiles);
}

static void use_globe(caller *c) {
    if (!c->globe)
        return;
    c->calls++;
    expect_queries(c->globe);
    expect_finest_refused(c->globe);
    expect_loading_refused(c->globe);
}

static lf_tile_state fetch(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    caller *c = user;
    use_globe(c);
    return c->planet.fetch(c->planet.user, key, wait, tile, detail);
}

static void release(void *user, lf_tile *tile) {
    caller *c = user;
    use_globe(c);
    if (c->planet.release)
        c->planet.release(c->planet.user, tile);
}

static lf_globe *open_globe(caller *c, small_planet *planet, size_t budget) {
    *c = (caller){.planet = small_planet_provider(planet)};
    lf_globe_def def = lf_globe_def_default();
    def.ellipsoid = planet->ellipsoid;
    def.level_count = planet->levels;
    def.budget = budget;
    def.provider = (lf_globe_provider){c, fetch, release};
    lf_globe *globe;
    assert_int_equal(lf_globe_create(&def, &globe, NULL), LF_OK);
    c->globe = globe;
    return globe;
}

/// Every way to make a globe call its provider.
static void load_by(lf_globe *globe, int way) {
    lf_globe_update_rules rules = lf_globe_update_rules_default();
    lf_globe_elevation ground;
    lf_globe_sight sight;
    lf_hit hit;
    lf_vec3 a = {6.4e6, 1e5, 1e5}, b = {0, 6.4e6, 1e5}; // the line between them goes through the planet
    rules.position = a;
    rules.velocity = (lf_vec3){0, 1e4, 0};
    if (way == 0)
        assert_int_equal(lf_globe_update(globe, &rules, NULL), LF_OK);
    else if (way == 1)
        assert_int_equal(lf_globe_load(globe, (lf_tile_key){2, 3, 2}, NULL), LF_OK);
    else if (way == 2)
        assert_int_equal(lf_globe_load_area(globe, (lf_geodetic_box){0, 0, 20, 20}, 2), LF_OK);
    else if (way == 3)
        assert_int_equal(lf_globe_height_finest(globe, 10, 10, &ground), LF_OK);
    else if (way == 4)
        assert_int_equal(lf_globe_sight_finest(globe, a, b, 0, &sight, NULL), LF_OK);
    else
        assert_int_equal(lf_ground_height(lf_globe_ground_finest(globe), a, LF_VERTICAL_DOWN, &hit, NULL),
                         LF_OK);
}

#define WAYS 6

static void callbacks_may_query_but_not_load(void **state) {
    (void)state;
    for (int way = 0; way < WAYS; way++)
        for (int small = 0; small < 2; small++) {
            caller c;
            small_planet *planet =
                small_planet_make(lf_ellipsoid_wgs84(), 4, SMALL_PLANET_ROLLING, 1000, (uint64_t)way);
            lf_globe *globe = open_globe(&c, planet, small ? (size_t)1 << 16 : BUDGET);
            load_by(globe, way);
            if (c.calls == 0)
                fail_msg("way %d: no callback used the globe", way);
            // Outside of the callbacks everything works again.
            lf_globe_elevation ground;
            assert_int_equal(lf_globe_height_finest(globe, 50, 50, &ground), LF_OK);
            assert_true(fabs(ground.height - small_planet_height(planet, 50, 50)) < 1e-3);
            c.globe = NULL;
            lf_globe_destroy(globe);
            small_planet_free(planet);
        }
}

/// The provider of one globe may load another one.
static void another_globe_may_be_loaded(void **state) {
    (void)state;
    caller outer, inner;
    small_planet *a = small_planet_make(lf_ellipsoid_wgs84(), 3, SMALL_PLANET_ROLLING, 1000, 1);
    small_planet *b = small_planet_make(lf_ellipsoid_wgs84(), 3, SMALL_PLANET_ROLLING, 1000, 2);
    lf_globe *globes[2] = {open_globe(&outer, a, BUDGET), open_globe(&inner, b, BUDGET)};
    // The outer provider takes its tiles from the inner one, whose callbacks use the outer globe.
    inner.globe = globes[0];
    outer.globe = NULL;
    outer.planet = (lf_globe_provider){&inner, fetch, release};
    assert_int_equal(lf_globe_load(globes[0], (lf_tile_key){2, 3, 2}, NULL), LF_OK);
    assert_true(inner.calls > 0);
    inner.globe = NULL;
    lf_globe_destroy(globes[1]);
    lf_globe_destroy(globes[0]);
    small_planet_free(b);
    small_planet_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_may_query_but_not_load),
        cmocka_unit_test(another_globe_may_be_loaded),
    };
    return cmocka_run_group_tests_name("globe: callbacks", tests, NULL, NULL);
}
