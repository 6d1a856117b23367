/// A globe as ground: the finest there is, whatever is loaded; what stands, walks, lands and falls on it.
#include "planet.h"
#include "scenes.h"
#include "shapes.h"
#include <landfall/ground.h>
#include <landfall/scene.h>
#include <landfall/sight.h>
#include <math.h>

#define MOST ((size_t)1 << 30)
#define LITTLE 40000 ///< bytes: a few tiles

/// One planet twice: everything loaded, as ground of what is loaded, and next to nothing, as ground of the finest there is.
typedef struct twin_globes {
    planet *planet;
    lf_ellipsoid ellipsoid;
    lf_globe *all, *few;
    const lf_ground *whole, *finest;
} twin_globes;

static twin_globes twins_make(planet *p, lf_ellipsoid ellipsoid) {
    twin_globes t = {p,    ellipsoid, planet_globe(p, &ellipsoid, MOST), planet_globe(p, &ellipsoid, LITTLE),
                     NULL, NULL};
    assert_int_equal(lf_globe_load_area(t.all, (lf_geodetic_box){-180, -90, 180, 90}, p->levels), LF_OK);
    t.whole = lf_globe_ground(t.all);
    t.finest = lf_globe_ground_finest(t.few);
    return t;
}

static void twins_drop(twin_globes t) {
    lf_globe_destroy(t.few);
    lf_globe_destroy(t.all);
    assert_int_equal(t.planet->handed_out, 0);
}

static lf_geodetic some_place(test_random *random) {
    static const double lons[] = {-180, 180, 0, 90};
    lf_geodetic place = {test_random_between(random, -180, 180), test_random_between(random, -89, 89), 0};
    if (test_random_below(random, 5) == 0)
        place.lon_deg = lons[test_random_below(random, 4)] + test_random_between(random, -1e-3, 1e-3);
    return place;
}

static lf_vec3 over(const twin_globes *t, lf_geodetic place, double above) {
    lf_globe_elevation ground;
    assert_int_equal(lf_globe_height(t->all, place.lon_deg, place.lat_deg, &ground, NULL), LF_OK);
    place.height = (ground.reason == LF_REASON_ANSWERED ? ground.height : 0) + above;
    return lf_ellipsoid_to_centred(&t->ellipsoid, place);
}

static void same_hit(const lf_hit *a, const lf_hit *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->reason, b->reason);
    if (a->kind == LF_HIT_NONE)
        return;
    double apart = lf_vec3_length(lf_vec3_sub(a->point, b->point));
    if (!(apart < 1e-3))
        fail_msg("hits are %g m apart", apart);
}

/// Heights, rays, sight and weights, in any order, with tiles coming and going.
static void whatever_is_loaded(void **state) {
    (void)state;
    test_random random = test_random_start(950);
    for (int64_t n = 0; n < test_rounds(3); n++) {
        planet p = planet_random(&random);
        p.levels = p.levels > 4 ? 4 : p.levels;
        twin_globes t = twins_make(&p, n % 2 ? lf_ellipsoid_wgs84() : (lf_ellipsoid){6371000, 0});
        for (int k = 0; k < 20; k++) {
            lf_geodetic place = some_place(&random);
            lf_vec3 a = over(&t, place, test_random_between(&random, 1, 9000));
            place.lon_deg += test_random_between(&random, -3, 3);
            lf_vec3 b = over(&t, place, test_random_between(&random, -3000, 3000));
            lf_ray ray = lf_ray_between(a, b);
            lf_hit hits[2];
            bool any[2];
            lf_verdict verdicts[2];
            lf_sight_rules rules = lf_sight_rules_default();
            const lf_ground *grounds[2] = {t.whole, t.finest};
            for (int g = 0; g < 2; g++)
                assert_int_equal(lf_ground_height(grounds[g], a, LF_VERTICAL_DOWN, &hits[g], NULL), LF_OK);
            same_hit(&hits[0], &hits[1]);
            for (int g = 0; g < 2; g++) {
                assert_int_equal(lf_ground_ray_first(grounds[g], &ray, &hits[g], NULL), LF_OK);
                assert_int_equal(lf_ground_ray_any(grounds[g], &ray, &any[g], NULL), LF_OK);
                assert_int_equal(lf_sight_verdict(grounds[g], &rules, a, b, &verdicts[g], NULL), LF_OK);
                assert_int_equal(any[g], hits[g].kind != LF_HIT_NONE);
            }
            same_hit(&hits[0], &hits[1]);
            assert_int_equal(verdicts[0], verdicts[1]);
            if (test_random_below(&random, 3) == 0)
                lf_globe_unload(t.few);
            if (hits[1].kind != LF_HIT_NONE && !hits[1].triangle)
                assert_int_equal(lf_ground_weights(t.finest, &hits[1]), LF_OK);
            lf_globe_info info = lf_globe_describe(t.few);
            assert_true(info.bytes <= LITTLE || info.tile_count == 2); // roots stay
        }
        twins_drop(t);
    }
}

/// Many at once take turns, and find the same.
static void threads_take_turns(void **state) {
    (void)state;
    enum { COUNT = 200 };
    test_random random = test_random_start(951);
    planet p = planet_plain(8);
    twin_globes t = twins_make(&p, (lf_ellipsoid){6371000, 0});
    lf_vec3 points[COUNT];
    lf_hit whole[COUNT], finest[COUNT];
    for (int i = 0; i < COUNT; i++)
        points[i] = over(&t, some_place(&random), 20000);
    lf_tasks tasks = test_tasks(4);
    assert_int_equal(lf_ground_height_many(t.whole, points, 0, COUNT, LF_VERTICAL_DOWN, whole, 0, NULL),
                     LF_OK);
    assert_int_equal(lf_ground_height_many(t.finest, points, 0, COUNT, LF_VERTICAL_DOWN, finest, 0, &tasks),
                     LF_OK);
    for (int i = 0; i < COUNT; i++)
        same_hit(&whole[i], &finest[i]);
    twins_drop(t);
}

static void what_stands_and_walks(void **state) {
    (void)state;
    test_random random = test_random_start(952);
    planet p = planet_plain(9);
    twin_globes t = twins_make(&p, lf_ellipsoid_wgs84());
    lf_footprint wheels = lf_footprint_wheels(4, 2);
    lf_walker walker = lf_walker_default(1);
    for (int i = 0; i < 10; i++) {
        lf_geodetic place = some_place(&random);
        lf_vec3 from = over(&t, place, 1), high = over(&t, place, 50), to;
        place.lon_deg += 2e-4;
        to = over(&t, place, 1);
        lf_stance stances[2];
        lf_walk walks[2];
        const lf_ground *grounds[2] = {t.whole, t.finest};
        for (int g = 0; g < 2; g++) {
            lf_globe_unload(t.few);
            lf_frame frame = lf_ground_frame(grounds[g]);
            assert_int_equal(
                lf_ground_stand(grounds[g], &wheels, high, lf_frame_north(&frame, high), &stances[g], NULL),
                LF_OK);
            assert_int_equal(lf_ground_walk(grounds[g], &walker, from, to, &walks[g], NULL, NULL), LF_OK);
        }
        assert_true(stances[0].stands && stances[1].stands && stances[1].grounded == 4);
        assert_true(lf_vec3_length(lf_vec3_sub(stances[0].position, stances[1].position)) < 1e-3);
        assert_int_equal(walks[0].end, walks[1].end);
        assert_int_equal(walks[1].end, LF_WALK_ARRIVED);
        assert_true(lf_vec3_length(lf_vec3_sub(walks[0].position, walks[1].position)) < 1e-3);
    }
    twins_drop(t);
}

// ---------------------------------------------------------------------------------------------------
// Models
// ---------------------------------------------------------------------------------------------------

/// A cube of 2 x 2 x 2 metres times a size: twelve triangles.
static lf_model *make_cube(double size) {
    shape cube;
    test_random random = test_random_start(953);
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    shape_make(&cube, SHAPE_NESTED, 12, &random);
    for (int64_t i = 0; i < cube.vertex_count; i++)
        cube.vertices[i] = lf_vec3_scale(cube.vertices[i], size);
    def.polygons = shape_polygons(&cube);
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    shape_free(&cube);
    return model;
}

/// How far the corners of the cube are above the ground, along lines to the centre of a sphere.
static void corners_above(const twin_globes *t, const lf_pose *pose, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (int k = 0; k < 8; k++) {
        lf_vec3 corner = {k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
        lf_geodetic place = lf_ellipsoid_to_geodetic(&t->ellipsoid, lf_pose_to_world(pose, corner));
        lf_globe_elevation ground;
        assert_int_equal(lf_globe_height(t->all, place.lon_deg, place.lat_deg, &ground, NULL), LF_OK);
        *low = fmin(*low, place.height - ground.height);
        *high = fmax(*high, place.height - ground.height);
    }
}

static void cubes_touch_and_sink(void **state) {
    (void)state;
    test_random random = test_random_start(954);
    planet p = planet_plain(10);
    twin_globes t = twins_make(&p, (lf_ellipsoid){6371000, 0});
    lf_model *cube = make_cube(1);
    int seen[3] = {0, 0, 0};
    for (int i = 0; i < 60; i++) {
        double depths[] = {3, 0.5, -0.4, -1.9};
        lf_vec3 at = over(&t, some_place(&random), depths[i % 4]);
        lf_model_stand stand = {cube, lf_pose_identity(), t.finest, NULL, 0};
        lf_vec3 axis = {test_random_between(&random, -1, 1), test_random_between(&random, -1, 1), 1};
        lf_pose_turn((lf_vec3){0, 0, 0}, axis, test_random_between(&random, -3, 3), &stand.pose);
        stand.pose.translation = at;
        double low, high;
        corners_above(&t, &stand.pose, &low, &high);
        lf_model_landing landing;
        int64_t triangles[12];
        stand.under = triangles;
        stand.under_capacity = 12;
        lf_globe_unload(t.few);
        assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
        // The ground is flat there, to some micrometres: cells are 300 km wide. What is nearer than a
        // millimetre may be either.
        if (low > 1e-3)
            assert_true(!landing.touching && landing.under_count == 0 && landing.triangle == -1);
        if (high < -1e-3)
            assert_true(!landing.touching && landing.under_count == 12);
        if (low < -1e-3 && high > 1e-3)
            assert_true(landing.touching && landing.under_count > 0);
        if (low < -1e-3)
            assert_true(fabs(landing.depth + low) < 1e-3 && landing.triangle >= 0);
        seen[low > 1e-3 ? 0 : high < -1e-3 ? 2 : 1]++;
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
    lf_model_destroy(cube);
    twins_drop(t);
}

/// A peak that comes through the bottom of a large cube, far from its corners and edges.
static void a_peak_is_felt(void **state) {
    (void)state;
    planet p = {.seed = 1, .levels = 3, .samples = 9, .rough = 0, .swell = 3000};
    twin_globes t = twins_make(&p, (lf_ellipsoid){50000, 0});
    // The highest sample, and a cube as wide as five cells over it, its bottom 50 m below the peak.
    lf_geodetic peak = {0, 0, -INFINITY};
    double step = 180.0 / 32;
    for (int j = 6; j < 26; j++)
        for (int i = 0; i < 64; i++) {
            double h = planet_sample(&p, 2, i, j);
            if (h > peak.height)
                peak = (lf_geodetic){-180 + i * step, -90 + j * step, h};
        }
    double half = 2.5 * step * 0.017453292519943295 * 50000;
    lf_model *cube = make_cube(half);
    lf_vec3 top = lf_ellipsoid_to_centred(&t.ellipsoid, peak), up = lf_vec3_unit(top);
    lf_model_stand stand = {cube, lf_pose_identity(), t.finest, NULL, 0};
    lf_vec3 axis = lf_vec3_cross((lf_vec3){0, 0, 1}, up);
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, axis, acos(up.z), &stand.pose), LF_OK);
    stand.pose.translation = lf_vec3_along(top, half - 50, up);
    lf_model_landing landing;
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    assert_true(landing.touching && landing.under_count > 0);
    assert_true(landing.depth > 25 && landing.depth < 50.001);
    stand.pose.translation = lf_vec3_along(top, half + 1, up);
    assert_int_equal(lf_model_land(&stand, &landing, NULL), LF_OK);
    assert_true(!landing.touching && landing.under_count == 0 && landing.depth == 0);
    lf_model_destroy(cube);
    twins_drop(t);
}

/// When a falling thing will meet the ground, and that a watch says so in advance.
static void what_falls_is_predicted(void **state) {
    (void)state;
    test_random random = test_random_start(955);
    planet p = planet_plain(11);
    twin_globes t = twins_make(&p, (lf_ellipsoid){6371000, 0});
    for (int i = 0; i < 6; i++) {
        lf_geodetic place = some_place(&random);
        double above = test_random_between(&random, 20, 200);
        lf_vec3 at = over(&t, place, above), up = lf_vec3_unit(at);
        lf_scene *scene = test_scene();
        lf_instance ball = test_instance(scene, test_object(scene, LF_SHAPE_SPHERE, (lf_vec3){2, 2, 2}), at,
                                         lf_vec3_scale(up, -10));
        lf_thing thing = {ball, {0, 0}};
        double seconds[2];
        lf_globe_unload(t.few);
        assert_int_equal(lf_scene_ground_time(scene, thing, t.whole, LF_WATCH_BOXES, 60, &seconds[0]), LF_OK);
        assert_int_equal(lf_scene_ground_time(scene, thing, t.finest, LF_WATCH_BOXES, 60, &seconds[1]),
                         LF_OK);
        assert_true(fabs(seconds[0] - seconds[1]) < 1e-3);
        // Its box of 2 m a side reaches the slope of no more than 5 in 100 earlier than a point would, by no
        // more than its diagonal.
        assert_true(seconds[1] <= above / 10 && seconds[1] >= (above - 1.9) / 10);
        lf_watch_def def = lf_watch_def_default();
        def.a = (lf_watch_filter){LF_WATCH_FILTER_INSTANCE, ball, {0, 0}, NULL};
        def.b.kind = LF_WATCH_FILTER_GROUND;
        def.ground = t.finest;
        def.ahead = 1;
        lf_watch watch;
        assert_int_equal(lf_watch_create(scene, &def, &watch, NULL), LF_OK);
        double waited = 0;
        int64_t count = 0;
        const lf_event *events = NULL;
        while (count == 0 && waited < 30) {
            events = test_step(scene, 0.5, &count);
            waited += 0.5;
        }
        assert_int_equal(count, 1);
        assert_int_equal(events[0].kind, LF_EVENT_PREDICTED);
        assert_true(fabs(events[0].time - seconds[1]) < 1e-3 && events[0].wait > 0);
        assert_int_equal(events[0].ground.kind, LF_HIT_CELL);
        lf_scene_destroy(scene);
    }
    twins_drop(t);
}

static lf_status ask_finest(const lf_host *host, void *user) {
    planet *p = user;
    lf_globe_def def = lf_globe_def_default();
    lf_globe *globe;
    const lf_ground *ground = NULL;
    lf_hit hit;
    def.host = *host;
    def.provider = planet_provider(p);
    def.level_count = p->levels;
    lf_status status = lf_globe_create(&def, &globe, NULL);
    if (status != LF_OK)
        return status;
    ground = lf_globe_ground_finest(globe);
    if (status == LF_OK)
        status = lf_ground_height(ground, (lf_vec3){7e6, 1e5, 2e5}, LF_VERTICAL_DOWN, &hit, NULL);
    // Without memory for the finest tile the answer says so.
    if (status == LF_OK && hit.kind == LF_HIT_NONE)
        status = hit.reason == LF_REASON_NOT_LOADED ? LF_NO_MEMORY : LF_BAD_FORMAT;
    lf_globe_destroy(globe);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    planet p = planet_plain(12);
    test_out_of_memory(ask_finest, &p);
    assert_int_equal(p.handed_out, 0);
    assert_null(lf_globe_ground(NULL));
    assert_null(lf_globe_ground_finest(NULL));
}

/// Rays that run within walls, between tiles of different levels: the list of their hits is short, and so is the work.
static void rays_within_walls(void **state) {
    (void)state;
    enum { MOST_HITS = 4000 };
    static lf_hit hits[MOST_HITS];
    test_random random = test_random_start(1522);
    planet p = planet_plain(1521);
    p.rough = 20000, p.absent_of = 3;
    twin_globes t = twins_make(&p, lf_ellipsoid_wgs84());
    int64_t most = 0;
    uint64_t work = 0;
    for (int k = 0; k < 400; k++) {
        // Borders of tiles of the finest level are every 22.5 degrees.
        double lon = -180 + 22.5 * (double)test_random_below(&random, 16),
               lat = test_random_between(&random, -80, 80);
        if (k % 2)
            lat = -90 + 22.5 * (double)(1 + test_random_below(&random, 7)),
            lon = test_random_between(&random, -180, 180);
        lf_vec3 from = lf_ellipsoid_to_centred(&t.ellipsoid, (lf_geodetic){lon, lat, 50000});
        lf_vec3 to = lf_ellipsoid_to_centred(&t.ellipsoid, (lf_geodetic){lon, lat, -50000});
        lf_ray ray = lf_ray_between(from, to);
        lf_cursor *cursor;
        int64_t count;
        assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
        assert_int_equal(lf_ground_ray_all(t.whole, &ray, hits, MOST_HITS, &count, cursor), LF_OK);
        lf_counters cost = lf_cursor_counters(cursor);
        most = count > most ? count : most;
        work = cost.nodes > work ? cost.nodes : work;
        for (int64_t i = 1; i < count; i++)
            assert_true(hits[i].t > hits[i - 1].t);
        lf_cursor_destroy(cursor);
    }
    assert_true(most > 10 && most < 1000 && work < 200000);
    twins_drop(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_loaded),    cmocka_unit_test(threads_take_turns),
        cmocka_unit_test(what_stands_and_walks), cmocka_unit_test(cubes_touch_and_sink),
        cmocka_unit_test(a_peak_is_felt),        cmocka_unit_test(what_falls_is_predicted),
        cmocka_unit_test(out_of_memory),         cmocka_unit_test(rays_within_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
