/// Updates of a globe that decide only where something may have changed, against the definition, and against updates that decide
/// about every tile: after each frame of random flights both globes have the same tiles, in the same order of unloading.
#include "globe/globe.h"
#include "small_planet.h"
#include <math.h>

/// Two globes of the same planet. The second has a direction of view that sees everything, so that it decides about all tiles.
typedef struct twins {
    small_planet *planets[2];
    lf_globe *globes[2];
    lf_globe_update_rules rules;
    lf_globe_change changes[2];
    int64_t skipped; ///< decisions that were not taken again
} twins;

static void twins_open(twins *t, test_random *random) {
    uint64_t salt = (uint64_t)test_random_below(random, 1000);
    size_t budget = (size_t)test_random_between(random, 2e5, 6e6);
    int late = test_random_below(random, 2) ? (int)test_random_below(random, 60) : 0;
    for (int k = 0; k < 2; k++) {
        t->planets[k] = small_planet_make(lf_ellipsoid_wgs84(), 6, SMALL_PLANET_ROLLING, 4000, salt);
        t->planets[k]->late = late;
        t->globes[k] = small_planet_globe(t->planets[k], budget);
    }
    t->rules = lf_globe_update_rules_default();
    t->rules.detail = test_random_between(random, 0.02, 0.4);
    t->rules.most = 1 + test_random_below(random, 200);
    t->skipped = 0;
}

static void twins_close(twins *t) {
    for (int k = 0; k < 2; k++) {
        lf_globe_destroy(t->globes[k]);
        small_planet_free(t->planets[k]);
    }
}

/// Is a tile refined, by the definition?
static bool needs_children(const lf_globe_update_rules *rules, const lf__tile *tile) {
    lf_vec3 ahead = lf_vec3_along(rules->position, rules->ahead, rules->velocity);
    double here = lf_vec3_length(lf_vec3_sub(rules->position, tile->centre)) - tile->radius,
           there = lf_vec3_length(lf_vec3_sub(ahead, tile->centre)) - tile->radius;
    return rules->detail > 0 && fmax(fmin(here, there), 0) * rules->detail / tile->resolution < 1;
}

/// Every tile below a required one that the rules refine is required, and no other; the number of required ones.
static int64_t check_definition(const twins *t, const lf__tile *tile, bool required) {
    assert_int_equal(tile->required, required);
    bool refined = required && needs_children(&t->rules, tile);
    int64_t count = required;
    for (int k = 0; k < 4; k++)
        if (tile->child[k])
            count += check_definition(t, tile->child[k], refined);
    return count;
}

static void check_same(twins *t) {
    const lf_globe *a = t->globes[0], *b = t->globes[1];
    assert_memory_equal(&t->changes[0], &t->changes[1], sizeof t->changes[0]);
    assert_int_equal(a->tiles.count, b->tiles.count);
    assert_int_equal(a->required_count, b->required_count);
    assert_int_equal(a->fetch_count, b->fetch_count);
    for (int64_t i = 0; i < a->tiles.count; i++) {
        const lf__tile *x = lf__globe_tile(a, i), *y = lf__globe_find(b, x->key);
        assert_non_null(y);
        assert_int_equal(x->required, y->required);
        assert_int_equal(lf__tile_used(a, x), lf__tile_used(b, y));
        if (!x->required) // of required ones it is set when it is needed
            assert_true(x->score == y->score);
        t->skipped += x->required && x->due > a->travel;
    }
    int64_t required = 0;
    for (int64_t i = 0; i < a->root_count; i++)
        required += check_definition(t, lf__globe_tile(a, i), true);
    assert_int_equal(required, a->required_count);
}

static void twins_update(twins *t) {
    for (int k = 0; k < 2; k++) {
        lf_globe_update_rules rules = t->rules;
        if (k == 1)
            rules.forward = (lf_vec3){1, 2, 3}, rules.field = 100;
        assert_int_equal(lf_globe_update(t->globes[k], &rules, &t->changes[k]), LF_OK);
    }
    check_same(t);
}

/// Something else that loads and unloads tiles, or changes the rules.
static void twins_disturb(twins *t, test_random *random) {
    int64_t what = test_random_below(random, 6);
    double lon = test_random_between(random, -180, 180), lat = test_random_between(random, -90, 90);
    lf_tile_key key = {(int32_t)test_random_below(random, 5), 0, 0};
    key.column = (int32_t)test_random_below(random, 2 << key.level);
    key.row = (int32_t)test_random_below(random, 1 << key.level);
    size_t budget = (size_t)test_random_between(random, 2e5, 6e6);
    for (int k = 0; k < 2; k++) {
        lf_globe_elevation ground;
        if (what == 0)
            lf_globe_load(t->globes[k], key, NULL);
        else if (what == 1)
            lf_globe_height_finest(t->globes[k], lon, lat, &ground);
        else if (what == 2)
            lf_globe_set_budget(t->globes[k], budget);
        else if (what == 3 && test_random_below(random, 4) == 0 && k == 0)
            lf_globe_unload(t->globes[0]), lf_globe_unload(t->globes[1]);
    }
    if (what == 4)
        t->rules.detail = test_random_below(random, 4) == 0 ? 0 : test_random_between(random, 0.02, 0.4);
    if (what == 5)
        t->rules.ahead = test_random_between(random, 0, 20);
}

static void random_flights(void **state) {
    (void)state;
    test_random random = test_random_start(71);
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    int64_t flights = test_long() ? 60 : 12, skipped = 0;
    for (int64_t n = 0; n < flights; n++) {
        twins t;
        twins_open(&t, &random);
        lf_geodetic at = {test_random_between(&random, -180, 180), test_random_between(&random, -90, 90),
                          pow(10, test_random_between(&random, 2, 6))};
        double speed = pow(10, test_random_between(&random, 0, 5));
        lf_vec3 way = {test_random_between(&random, -1, 1), test_random_between(&random, -1, 1),
                       test_random_between(&random, -1, 1)};
        t.rules.position = lf_ellipsoid_to_centred(&wgs84, at);
        for (int frame = 0; frame < 60; frame++) {
            if (test_random_below(&random, 12) == 0)
                twins_disturb(&t, &random);
            if (test_random_below(&random, 40) == 0) {
                at.lon_deg = test_random_between(&random, -180, 180);
                t.rules.position = lf_ellipsoid_to_centred(&wgs84, at);
            }
            t.rules.velocity = lf_vec3_scale(way, speed);
            t.rules.position = lf_vec3_along(t.rules.position, 1.0 / 60, t.rules.velocity);
            twins_update(&t);
        }
        skipped += t.skipped;
        twins_close(&t);
    }
    assert_true(skipped > 1000 * flights);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_flights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
