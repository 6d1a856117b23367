/// The globe: loading, the budget, late tiles, bounds, Luo's rule, refusals, memory.
#include "globe/globe.h"
#include "ground/ground.h"
#include "planet.h"
#include <landfall/published.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)1 << 30)

static lf_globe_elevation ask(const lf_globe *globe, double lon, double lat) {
    lf_globe_elevation ground;
    assert_int_equal(lf_globe_height(globe, lon, lat, &ground, NULL), LF_OK);
    return ground;
}

static void the_finest_loaded_tile_answers(void **state) {
    (void)state;
    planet p = planet_plain(1);
    lf_globe *globe = planet_globe(&p, NULL, MOST);
    lf_globe_elevation ground = ask(globe, 10, 50);
    assert_int_equal(ground.tile.level, 0);
    assert_true(ground.coarser && ground.ceiling >= ground.height && isfinite(ground.ceiling));
    lf_tile_key key = lf__globe_key_at(globe, 3, 10, 50);
    bool there = false;
    assert_int_equal(lf_globe_load(globe, key, &there), LF_OK);
    assert_true(there);
    lf_globe_elevation fine = ask(globe, 10, 50);
    assert_int_equal(fine.tile.level, 3);
    assert_false(fine.coarser);
    assert_true(fine.ceiling == fine.height && fine.height <= ground.ceiling);
    assert_true(fine.resolution < ground.resolution / 7 && fine.probes <= 5);
    lf_globe_unload(globe);
    assert_int_equal(ask(globe, 10, 50).tile.level, 0);
    lf_globe_elevation finest;
    assert_int_equal(lf_globe_height_finest(globe, 10 + 360, 50, &finest), LF_OK);
    assert_true(fabs(finest.height - fine.height) < 1e-6);
    assert_int_equal(lf_tile_unpack(lf_tile_pack(key)).column, key.column);
    lf_globe_destroy(globe);
    assert_int_equal(p.handed_out, 0);
}

static void samples_lines_and_cells(void **state) {
    (void)state;
    planet p = planet_plain(2);
    p.levels = 1;
    lf_globe *globe = planet_globe(&p, NULL, MOST);
    double step = 180.0 / 8;
    lf_globe_elevation on_sample = ask(globe, -180 + 3 * step, -90 + 2 * step);
    assert_int_equal(on_sample.sample_count, 1);
    assert_true(on_sample.height == planet_sample(&p, 0, 3, 2) &&
                lf_luo_height(globe, &on_sample) == on_sample.height);
    lf_globe_elevation on_line = ask(globe, -180 + 3.5 * step, -90 + 2 * step);
    assert_int_equal(on_line.sample_count, 2);
    assert_true(lf_luo_height(globe, &on_line) ==
                fmax(planet_sample(&p, 0, 3, 2), planet_sample(&p, 0, 4, 2)));
    lf_globe_elevation in_cell = ask(globe, -180 + 3.5 * step, -90 + 2.25 * step);
    assert_int_equal(in_cell.sample_count, 4);
    assert_true(lf_luo_height(globe, &in_cell) >= in_cell.height);
    assert_true(ask(globe, 12, 90).height == ask(globe, -77, 90).height);
    assert_true(ask(globe, 180, 10).height == ask(globe, -180, 10).height);
    lf_vec3 normal;
    assert_int_equal(lf_globe_normal(globe, 33, 44, &normal), LF_OK);
    assert_true(fabs(lf_vec3_length(normal) - 1) < 1e-12);
    lf_globe_destroy(globe);
}

static void operations_equal(const lf_luo_operations *a, lf_luo_operations b) {
    assert_int_equal(a->squares, b.squares);
    assert_int_equal(a->square_roots, b.square_roots);
    assert_int_equal(a->divisions, b.divisions);
    assert_int_equal(a->arc_sines, b.arc_sines);
    assert_int_equal(a->arc_tangents, b.arc_tangents);
    assert_int_equal(a->subtractions, b.subtractions);
    assert_int_equal(a->comparisons, b.comparisons);
    assert_int_equal(a->tiles, b.tiles);
}

/// Table 1 of the paper, step by step: so many operations, whatever is loaded. `samples` around the place are compared.
static void table_1(const lf_luo_operations done[LF_LUO_STEPS], int64_t tiles, int samples) {
    operations_equal(&done[LF_LUO_PLACE], (lf_luo_operations){.squares = 3,
                                                              .square_roots = 1,
                                                              .divisions = 2,
                                                              .arc_sines = 1,
                                                              .arc_tangents = 1,
                                                              .subtractions = 1});
    operations_equal(&done[LF_LUO_TILE], (lf_luo_operations){.comparisons = 4 * tiles, .tiles = tiles});
    operations_equal(&done[LF_LUO_HEIGHT], (lf_luo_operations){.divisions = 2, .comparisons = samples - 1});
    operations_equal(&done[LF_LUO_COMPARE], (lf_luo_operations){.comparisons = 1});
}

static void published_operations(void **state) {
    (void)state;
    planet p = planet_plain(3);
    lf_ellipsoid sphere = {6371000, 0};
    lf_globe *globe = planet_globe(&p, &sphere, MOST);
    assert_int_equal(lf_globe_load_area(globe, (lf_geodetic_box){-180, -90, 180, 90}, 2), LF_OK);
    int64_t tiles = lf_globe_describe(globe).tile_count;
    test_random random = test_random_start(920);
    for (int i = 0; i < 200; i++) {
        lf_geodetic place = {test_random_between(&random, -180, 180), test_random_between(&random, -89, 89),
                             test_random_between(&random, -5000, 9000)};
        lf_luo_operations done[LF_LUO_STEPS] = {{0}};
        lf_globe_elevation found;
        bool collides;
        lf_vec3 at = lf_ellipsoid_to_centred(&sphere, place);
        assert_int_equal(lf_luo_collides(globe, at, 0, &found, done, &collides), LF_OK);
        table_1(done, tiles, 4);
        lf_globe_elevation ours = ask(globe, place.lon_deg, place.lat_deg);
        assert_true(found.height == lf_luo_height(globe, &ours) && ours.probes <= 4);
        assert_int_equal(collides, place.height <= lf_luo_height(globe, &ours));
    }
    bool collides;
    assert_int_equal(lf_luo_collides(globe, (lf_vec3){0, 0, 6e6}, 0, NULL, NULL, &collides), LF_OK);
    assert_true(collides); // over the pole, where there is no longitude
    lf_globe_destroy(globe);
}

/// Figure 3 of the paper: places within a small error of a sample, of a row, of a column, and in between, of every cell and
/// from every side.
static void published_samples(void **state) {
    (void)state;
    planet p = planet_plain(2);
    p.levels = 1;
    lf_ellipsoid sphere = {6371000, 0};
    lf_globe *globe = planet_globe(&p, &sphere, MOST);
    int64_t tiles = lf_globe_describe(globe).tile_count;
    double step = 180.0 / 8;
    static const double beside[] = {-0.009, 0, 0.009, 0.5, 0.02};
    for (int j = 1; j < 8; j++)
        for (int i = 0; i < 15; i++)
            for (int k = 0; k < 25; k++) {
                double u = beside[k % 5], v = beside[k / 5], low = -LF_INFINITY;
                if (i + u < 0 || j + v > 8)
                    continue;
                bool on_column = k % 5 < 3, on_row = k / 5 < 3;
                lf_geodetic place = {-180 + (i + u) * step, -90 + (j + v) * step, 100};
                for (int s = 0; s < 4; s++)
                    if (!(s & 1 && on_column) && !(s & 2 && on_row))
                        low = fmax(low, planet_sample(&p, 0, i + (s & 1), j + (s >> 1)));
                lf_luo_operations done[LF_LUO_STEPS] = {{0}};
                lf_globe_elevation found;
                bool collides;
                assert_int_equal(lf_luo_collides(globe, lf_ellipsoid_to_centred(&sphere, place), 0.01, &found,
                                                 done, &collides),
                                 LF_OK);
                assert_true(found.height == low);
                assert_int_equal(collides, place.height <= low);
                table_1(done, tiles, on_column && on_row ? 1 : on_column || on_row ? 2 : 4);
            }
    lf_globe_destroy(globe);
}

/// The highest of all finer tiles beneath is never below any of them.
static void ceilings_hold(void **state) {
    (void)state;
    test_random random = test_random_start(921);
    for (int n = 0; n < 6; n++) {
        planet p = planet_random(&random);
        p.unbounded = false;
        lf_globe *all = planet_globe(&p, NULL, MOST), *few = planet_globe(&p, NULL, MOST);
        assert_int_equal(lf_globe_load_area(all, (lf_geodetic_box){-180, -90, 180, 90}, p.levels - 1), LF_OK);
        for (int i = 0; i < 5; i++) {
            int level = (int)test_random_below(&random, p.levels);
            lf_globe_load(few,
                          (lf_tile_key){level, (int32_t)test_random_below(&random, 2LL << level),
                                        (int32_t)test_random_below(&random, 1LL << level)},
                          NULL);
        }
        for (int i = 0; i < 300; i++) {
            double lon = test_random_between(&random, -180, 180), lat = test_random_between(&random, -90, 90);
            lf_globe_elevation fine = ask(all, lon, lat), coarse = ask(few, lon, lat);
            if (fine.reason == LF_REASON_ANSWERED)
                assert_true(coarse.ceiling >= fine.height);
        }
        lf_globe_destroy(few);
        lf_globe_destroy(all);
    }
}

static void updates_keep_to_the_budget(void **state) {
    (void)state;
    planet p = planet_plain(4);
    p.levels = 7;
    p.late_of = 2;
    p.unbounded = true;
    size_t budget = 200000;
    lf_globe *globe = planet_globe(&p, NULL, budget);
    lf_globe_update_rules view = lf_globe_update_rules_default();
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    int64_t evicted = 0;
    for (int i = 0; i < 120; i++) {
        lf_globe_change change;
        lf_geodetic place = {i * 3.0, 30 * sin(i * 0.05), 20000};
        view.position = lf_ellipsoid_to_centred(&wgs84, place);
        view.velocity = lf_vec3_scale(
            lf_vec3_sub(view.position, lf_ellipsoid_to_centred(
                                           &wgs84, (lf_geodetic){place.lon_deg - 1, place.lat_deg, 20000})),
            1);
        assert_int_equal(lf_globe_update(globe, &view, &change), LF_OK);
        lf_globe_info info = lf_globe_describe(globe);
        assert_true(info.bytes <= budget && info.tile_count >= 2);
        assert_int_equal(ask(globe, place.lon_deg, place.lat_deg).reason, LF_REASON_ANSWERED);
        evicted += change.evicted;
    }
    assert_true(evicted > 0);
    // Standing still it comes to rest, with the finest tile under it.
    lf_globe_change change = {.fetched = 1};
    view.velocity = (lf_vec3){0, 0, 0};
    for (int i = 0; i < 400; i++)
        assert_int_equal(lf_globe_update(globe, &view, &change), LF_OK);
    lf_geodetic place = lf_ellipsoid_to_geodetic(&wgs84, view.position);
    assert_int_equal(ask(globe, place.lon_deg, place.lat_deg).tile.level, 6);
    lf_globe_set_budget(globe, 1);
    lf_globe_unload(globe);
    assert_int_equal(lf_globe_load(globe, (lf_tile_key){3, 0, 0}, NULL), LF_TOO_LARGE);
    lf_globe_destroy(globe);
    assert_int_equal(p.handed_out, 0);
}

static void sight_over_the_bulge(void **state) {
    (void)state;
    planet p = {.levels = 1, .samples = 5};
    lf_globe *globe = planet_globe(&p, NULL, MOST);
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    lf_vec3 a = lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){0, 0, 10});
    lf_globe_sight sight;
    // From 10 m one sees 11.3 km to the horizon.
    lf_vec3 near = lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){0.09, 0, 0.1});
    lf_vec3 far = lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){0.2, 0, 0.1});
    assert_int_equal(lf__globe_sight_between(globe, a, near, 0, &sight, NULL), LF_OK);
    assert_true(sight.clear);
    assert_int_equal(lf__globe_sight_between(globe, a, far, 0, &sight, NULL), LF_OK);
    assert_false(sight.clear);
    assert_int_equal(lf_globe_sight_finest(globe, a, far, 1, &sight, NULL), LF_OK);
    assert_true(sight.clear); // air that bends light as the earth does
    lf_globe_destroy(globe);
}

static void as_ground(void **state) {
    (void)state;
    planet p = planet_plain(5);
    lf_ellipsoid sphere = {6371000, 0};
    lf_globe *globe = planet_globe(&p, &sphere, MOST);
    const lf_ground *ground;
    lf_hit hit;
    test_random random = test_random_start(922);
    ground = lf_globe_ground(globe);
    assert_non_null(lf__ground_globe(ground));
    for (int i = 0; i < 50; i++) {
        lf_geodetic place = {test_random_between(&random, -180, 180), test_random_between(&random, -89, 89),
                             20000};
        double want = ask(globe, place.lon_deg, place.lat_deg).height;
        lf_vec3 at = lf_ellipsoid_to_centred(&sphere, place);
        assert_int_equal(lf_ground_height(ground, at, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
        assert_int_equal(hit.kind, LF_HIT_CELL);
        assert_true(fabs(hit.t - (20000 - want)) < 1e-3);
        assert_int_equal(lf_ground_weights(ground, &hit), LF_OK);
        assert_int_equal(lf_ground_height(ground, at, LF_VERTICAL_UP, &hit, NULL), LF_OK);
        assert_int_equal(hit.kind, LF_HIT_NONE);
    }
    lf_walker walker = lf_walker_default(1);
    lf_walk walk;
    lf_vec3 ends[2];
    for (int k = 0; k < 2; k++)
        ends[k] = lf_ellipsoid_to_centred(
            &sphere, (lf_geodetic){10 + 0.0001 * k, 20, ask(globe, 10 + 0.0001 * k, 20).height + 1});
    assert_int_equal(lf_ground_walk(ground, &walker, ends[0], ends[1], &walk, NULL, NULL), LF_OK);
    assert_int_equal(walk.end, LF_WALK_ARRIVED);
    lf_globe_destroy(globe);
}

// ---------------------------------------------------------------------------------------------------
// Refusals
// ---------------------------------------------------------------------------------------------------

typedef struct bad {
    float heights[9];
    lf_tile tile;
    lf_tile_state state;
} bad;

static lf_tile_state fetch_bad(void *user, lf_tile_key key, bool wait, lf_tile *tile, lf_error *detail) {
    bad *b = user;
    (void)key, (void)wait, (void)detail;
    *tile = b->tile;
    return b->state;
}

static lf_status try_bad(bad *b) {
    lf_globe_def def = lf_globe_def_default();
    lf_globe *globe = NULL;
    def.provider = (lf_globe_provider){b, fetch_bad, NULL};
    lf_status status = lf_globe_create(&def, &globe, NULL);
    lf_globe_destroy(globe);
    return status;
}

static void hostile_tiles_are_left_out(void **state) {
    (void)state;
    bad b = {.state = LF_TILE_READY};
    b.tile = (lf_tile){.heights = b.heights, .columns = 3, .rows = 3};
    assert_int_equal(try_bad(&b), LF_OK);
    b.tile.columns = 1;
    assert_int_equal(try_bad(&b), LF_BAD_FORMAT);
    b.tile.columns = 3;
    b.heights[4] = INFINITY;
    assert_int_equal(try_bad(&b), LF_BAD_FORMAT);
    b.heights[4] = 3e6f;
    assert_int_equal(try_bad(&b), LF_BAD_FORMAT);
    b.heights[4] = 0;
    b.tile.per_column = b.tile.per_row = 1; // nowhere near the tile
    assert_int_equal(try_bad(&b), LF_BAD_FORMAT);
    static const lf_geodetic vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const int64_t corners[3] = {0, 1, 7};
    b.tile = (lf_tile){.vertices = vertices, .corners = corners, .vertex_count = 3, .triangle_count = 1};
    assert_int_equal(try_bad(&b), LF_BAD_FORMAT);
    b.state = LF_TILE_ABSENT;
    b.tile = (lf_tile){0};
    assert_int_equal(try_bad(&b), LF_BAD_FORMAT);
}

static void bad_arguments(void **state) {
    (void)state;
    planet p = planet_plain(6);
    lf_globe *globe = planet_globe(&p, NULL, MOST);
    lf_globe_elevation ground;
    lf_hit hit;
    lf_ray ray = lf_ray_towards((lf_vec3){7e6, 0, 0}, (lf_vec3){-1, 0, 0});
    assert_int_equal(lf_globe_height(globe, 0, 90.001, &ground, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_globe_height(globe, NAN, 0, &ground, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_globe_load(globe, (lf_tile_key){0, 2, 0}, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf__globe_ray_first(globe, &ray, 1e9, LF__GLOBE_SURFACE, &hit, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf__globe_ray_first(globe, &ray, 0, LF__GLOBE_FINEST, &hit, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf__globe_ray_first(globe, &ray, 0, LF__GLOBE_SURFACE, &hit, NULL), LF_OK);
    assert_int_equal(hit.kind, LF_HIT_CELL);
    lf_globe_def def = lf_globe_def_default();
    assert_int_equal(lf_globe_create(&def, &globe, NULL), LF_BAD_ARGUMENT);
    lf_globe_destroy(globe);
}

static lf_status make_and_ask(const lf_host *host, void *user) {
    planet *p = user;
    lf_globe_def def = lf_globe_def_default();
    lf_globe *globe;
    lf_globe_elevation ground;
    def.host = *host;
    def.provider = planet_provider(p);
    def.level_count = p->levels;
    lf_status status = lf_globe_create(&def, &globe, NULL);
    if (status != LF_OK)
        return status;
    status = lf_globe_height_finest(globe, 12, 34, &ground);
    lf_globe_destroy(globe);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    planet p = planet_plain(7);
    p.tin_of = 2;
    test_out_of_memory(make_and_ask, &p);
    assert_int_equal(p.handed_out, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_finest_loaded_tile_answers),
        cmocka_unit_test(samples_lines_and_cells),
        cmocka_unit_test(published_operations),
        cmocka_unit_test(published_samples),
        cmocka_unit_test(ceilings_hold),
        cmocka_unit_test(updates_keep_to_the_budget),
        cmocka_unit_test(sight_over_the_bulge),
        cmocka_unit_test(as_ground),
        cmocka_unit_test(hostile_tiles_are_left_out),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
