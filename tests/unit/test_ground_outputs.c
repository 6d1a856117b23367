/// Outputs that headers call "always written": also when the arguments are refused. Each call gets its output filled with a pattern first.
#include "bvh/bvh.h"
#include "globe/globe.h"
#include "small_planet.h"
#include "support.h"
#include "sweeps.h"
#include <landfall/camera.h>
#include <landfall/ground.h>
#include <landfall/published.h>
#include <landfall/sight.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN 0xa5

/// One of everything that can be asked.
typedef struct things {
    test_place mesh, tilted, quadtree;
    lf_grid *grid;
    lf__bvh *tree;
    lf_group *group;
    small_planet *planet;
    lf_globe *globe;
    const lf_ground *grounds[6]; ///< mesh, tilted mesh, quadtree, grid, group, globe
} things;

enum { GROUNDS = 6 };

static const lf_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
static const int64_t polygon_corners[6] = {0, 1, 2, 0, 2, 3};

static test_place make_mesh(lf_vec3 down, bool quadtree) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons.vertices = corners;
    def.polygons.vertex_count = 4;
    def.polygons.corners = polygon_corners;
    def.polygons.polygon_count = 2;
    assert_int_equal(lf_frame_gravity(down, &def.frame), LF_OK);
    if (quadtree)
        def.index = lf_quadtree_index();
    return test_place_make(&def);
}

static void open_things(things *t) {
    static const float heights[9] = {0};
    t->mesh = make_mesh((lf_vec3){0, 0, -1}, false);
    t->tilted = make_mesh((lf_vec3){0.1, 0, -1}, false);
    t->quadtree = make_mesh((lf_vec3){0, 0, -1}, true);
    lf_grid_def grid = lf_grid_def_default();
    grid.samples.values = heights;
    grid.samples.columns = grid.samples.rows = 3;
    assert_int_equal(lf_grid_create(&grid, &t->grid, NULL), LF_OK);
    lf__bvh_def tree = lf__bvh_def_default();
    tree.vertices = corners;
    tree.corners = indices;
    tree.triangle_count = 2;
    assert_int_equal(lf__bvh_create(&tree, &t->tree, NULL), LF_OK);
    lf_group_part part = {.ground = t->mesh.ground, .pose = lf_pose_identity()};
    lf_group_def group = lf_group_def_default();
    group.parts = &part;
    group.part_count = 1;
    assert_int_equal(lf_group_create(&group, &t->group, NULL), LF_OK);
    t->planet = small_planet_make(lf_ellipsoid_wgs84(), 2, SMALL_PLANET_ROLLING, 1000, 1);
    t->globe = small_planet_globe(t->planet, 1 << 24);
    t->grounds[0] = t->mesh.ground;
    t->grounds[1] = t->tilted.ground;
    t->grounds[2] = t->quadtree.ground;
    t->grounds[3] = lf_grid_ground(t->grid);
    t->grounds[4] = lf_group_ground(t->group);
    t->grounds[5] = lf_globe_ground(t->globe);
}

static void close_things(things *t) {
    lf_globe_destroy(t->globe);
    small_planet_free(t->planet);
    lf_group_destroy(t->group);
    lf__bvh_destroy(t->tree);
    lf_grid_destroy(t->grid);
    test_place_drop(t->quadtree);
    test_place_drop(t->tilted);
    test_place_drop(t->mesh);
}

static bool is_miss(const lf_hit *hit) {
    return hit->kind == LF_HIT_NONE && hit->reason == LF_REASON_NONE && hit->t == LF_INFINITY &&
           hit->part == -1 && hit->element == -1 && hit->triangle == -1 && hit->user == 0 &&
           hit->point.x == 0 && hit->normal.z == 0;
}

/// Ways to be wrong, shared by all calls that know them.
typedef enum fault { NO_THING, NAN_PLACE, FAR_PLACE, NO_DIRECTION, BAD_INTERVAL, BAD_OPTION, FAULTS } fault;

static lf_ray bad_ray(fault fault) {
    lf_ray ray = lf_ray_towards((lf_vec3){0.5, 0.5, 1}, (lf_vec3){0, 0, -1});
    if (fault == NAN_PLACE)
        ray.origin.x = NAN;
    if (fault == FAR_PLACE)
        ray.origin.y = 1e31;
    if (fault == NO_DIRECTION)
        ray.direction = (lf_vec3){0, 0, 0};
    if (fault == BAD_INTERVAL)
        ray.t_min = 2, ray.t_max = 1;
    return ray;
}

static lf_vec3 bad_point(fault fault) {
    return (lf_vec3){0.5, fault == NAN_PLACE ? NAN : 0.5, fault == FAR_PLACE ? -LF_INFINITY : 1};
}

/// Asks wrongly, and says whether the output was written as a refusal should be. `status` is what the call returned.
typedef bool ask_wrongly(const things *t, int ground, fault fault, lf_status *status);

static bool height(const things *t, int ground, fault fault, lf_status *status) {
    lf_hit hit;
    memset(&hit, PATTERN, sizeof hit);
    *status = lf_ground_height(fault == NO_THING ? NULL : t->grounds[ground], bad_point(fault),
                               fault == BAD_OPTION ? (lf_vertical)7 : LF_VERTICAL_DOWN, &hit, NULL);
    return is_miss(&hit);
}

static bool height_with_cursor(const things *t, int ground, fault fault, lf_status *status) {
    lf_cursor *cursor;
    lf_hit hit;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    memset(&hit, PATTERN, sizeof hit);
    *status = lf_ground_height(fault == NO_THING ? NULL : t->grounds[ground], bad_point(fault),
                               fault == BAD_OPTION ? (lf_vertical)7 : LF_VERTICAL_UP, &hit, cursor);
    lf_cursor_destroy(cursor);
    return is_miss(&hit);
}

static bool height_all(const things *t, int ground, fault fault, lf_status *status) {
    int64_t count = 77;
    lf_hit hits[2];
    *status = lf_ground_height_all(fault == NO_THING ? NULL : t->grounds[ground], bad_point(fault), hits,
                                   fault == BAD_OPTION ? -1 : 2, &count, NULL);
    return count == 0;
}

static bool ray_first(const things *t, int ground, fault fault, lf_status *status) {
    lf_ray ray = bad_ray(fault);
    lf_hit hit;
    memset(&hit, PATTERN, sizeof hit);
    *status = lf_ground_ray_first(fault == NO_THING ? NULL : t->grounds[ground],
                                  fault == BAD_OPTION ? NULL : &ray, &hit, NULL);
    return is_miss(&hit);
}

static bool ray_any(const things *t, int ground, fault fault, lf_status *status) {
    lf_ray ray = bad_ray(fault);
    bool blocked = true;
    *status = lf_ground_ray_any(fault == NO_THING ? NULL : t->grounds[ground],
                                fault == BAD_OPTION ? NULL : &ray, &blocked, NULL);
    return !blocked;
}

static bool ray_all(const things *t, int ground, fault fault, lf_status *status) {
    lf_ray ray = bad_ray(fault);
    int64_t count = 77;
    lf_hit hits[2];
    *status = lf_ground_ray_all(fault == NO_THING ? NULL : t->grounds[ground], &ray, hits,
                                fault == BAD_OPTION ? -1 : 2, &count, NULL);
    return count == 0;
}

static bool stand(const things *t, int ground, fault fault, lf_status *status) {
    lf_footprint wheels = lf_footprint_wheels(0.2, 0.1);
    lf_stance stance;
    memset(&stance, PATTERN, sizeof stance);
    wheels.passes = fault == BAD_OPTION ? 0 : 1;
    lf_vec3 heading = {fault == NO_DIRECTION ? NAN : 1, 0, 0};
    *status =
        lf_ground_stand(fault == NO_THING ? NULL : t->grounds[ground], fault == BAD_INTERVAL ? NULL : &wheels,
                        bad_point(fault), heading, &stance, NULL);
    bool empty = !stance.stands && stance.grounded == 0 && stance.position.x == 0 && stance.pitch == 0;
    for (int i = 0; i < LF_FOOTPRINT_CONTACTS; i++)
        empty = empty && is_miss(&stance.contacts[i]) && stance.gaps[i] == 0;
    return empty;
}

static bool tree_rays(const things *t, int ground, fault fault, lf_status *status) {
    lf_ray ray = bad_ray(fault);
    const lf_ray *asked = fault == BAD_OPTION ? NULL : &ray;
    const lf__bvh *tree = fault == NO_THING ? NULL : t->tree;
    lf_hit hit, hits[2];
    bool blocked = true;
    int64_t count = 77;
    (void)ground;
    memset(&hit, PATTERN, sizeof hit);
    *status = lf__bvh_ray_first(tree, asked, &hit, NULL);
    assert_int_equal(lf__bvh_ray_any(tree, asked, &blocked, NULL), *status);
    assert_int_equal(lf__bvh_ray_all(tree, asked, hits, 2, &count, NULL), *status);
    return is_miss(&hit) && !blocked && count == 0;
}

static bool globe_rays(const things *t, int ground, fault fault, lf_status *status) {
    lf_ray ray = bad_ray(fault);
    lf_globe *globe = fault == NO_THING ? NULL : t->globe;
    lf_hit hit, finest;
    (void)ground;
    memset(&hit, PATTERN, sizeof hit);
    memset(&finest, PATTERN, sizeof finest);
    double lift = fault == BAD_OPTION ? 1e9 : 0;
    *status = lf__globe_ray_first(globe, &ray, lift, LF__GLOBE_SURFACE, &hit, NULL);
    assert_int_equal(lf__globe_ray_finest(globe, &ray, lift, &finest, NULL), *status);
    return is_miss(&hit) && is_miss(&finest);
}

static bool sweeps(const things *t, int ground, fault fault, lf_status *status) {
    lf_pose pose = lf_pose_identity();
    lf_hit sphere, box;
    const lf_grid *grid = fault == NO_THING ? NULL : t->grid;
    lf_vec3 motion = {0, 0, fault == NO_DIRECTION ? NAN : -1};
    double tolerance = fault == BAD_INTERVAL ? 0 : 1e-6;
    (void)ground;
    memset(&sphere, PATTERN, sizeof sphere);
    memset(&box, PATTERN, sizeof box);
    pose.translation.x = bad_point(fault).y;
    if (fault == FAR_PLACE)
        pose.translation.x = LF_INFINITY;
    *status = sweep_sphere(lf_grid_ground(grid), pose.translation, fault == BAD_OPTION ? -1 : 0.1, motion,
                           tolerance, &sphere, NULL);
    lf_vec3 half = {0.1, fault == BAD_OPTION ? 0 : 0.1, 0.1};
    assert_int_equal(sweep_box(lf_grid_ground(grid), &pose, half, motion, tolerance, &box, NULL), *status);
    return sphere.kind == LF_HIT_NONE && sphere.t == 1 && sphere.element == -1 && box.kind == LF_HIT_NONE &&
           box.t == 1 && box.element == -1;
}

static bool models(const things *t, int ground, fault fault, lf_status *status) {
    lf_model_query question = lf_model_query_default();
    bool touching = true, within = true;
    (void)t, (void)ground, (void)fault;
    *status = lf_model_touch(&question, &touching, NULL);
    assert_int_equal(lf_model_within(&question, 1, &within, NULL), *status);
    return !touching && !within;
}

static bool model_lists_and_rays(const things *t, int ground, fault fault, lf_status *status) {
    lf_model_query question = lf_model_query_default();
    lf_ray ray = bad_ray(fault);
    lf_model_pair pairs[2];
    lf_hit hit;
    int64_t count = 77;
    (void)t, (void)ground;
    memset(&hit, PATTERN, sizeof hit);
    *status = lf_model_pairs(&question, pairs, fault == BAD_OPTION ? -1 : 2, &count, NULL);
    assert_int_equal(lf_ground_ray_first(lf_model_ground(NULL), &ray, &hit, NULL), *status);
    return count == 0 && is_miss(&hit);
}

static bool observer(const things *t, int ground, fault fault, lf_status *status) {
    lf_reason reason = (lf_reason)77;
    lf_vec3 point;
    lf_vec2 at = {0.5, fault == NAN_PLACE ? NAN : fault == FAR_PLACE ? 1e31 : 0.5};
    *status = lf_sight_observer(fault == NO_THING ? NULL : t->grounds[ground], at,
                                fault == BAD_OPTION ? NAN : 2, &point, &reason);
    return reason == LF_REASON_NONE;
}

static bool globe_heights(const things *t, int ground, fault fault, lf_status *status) {
    lf_globe *globe = fault == NO_THING ? NULL : t->globe;
    double lon = fault == NAN_PLACE ? NAN : 10, lat = fault == FAR_PLACE ? 91 : 10;
    lf_globe_elevation found[2];
    lf_vec3 normal;
    (void)ground;
    memset(found, PATTERN, sizeof found);
    memset(&normal, PATTERN, sizeof normal);
    *status = lf_globe_height(globe, lon, lat, &found[0], NULL);
    assert_int_equal(lf_globe_height_finest(globe, lon, lat, &found[1]), *status);
    assert_int_equal(lf_globe_normal(globe, lon, lat, &normal), *status);
    bool written = normal.x == 0 && normal.y == 0 && normal.z == 0;
    for (int i = 0; i < 2; i++)
        written = written && found[i].reason == LF_REASON_NONE && isnan(found[i].height) &&
                  found[i].ceiling == LF_INFINITY && found[i].element == -1 && found[i].sample_count == 0;
    return written;
}

static bool globe_sight(const things *t, int ground, fault fault, lf_status *status) {
    lf_vec3 a = {7e6, fault == NAN_PLACE ? NAN : 0, 0}, b = {0, 7e6, fault == FAR_PLACE ? LF_INFINITY : 0};
    lf_globe_sight sight;
    (void)ground;
    memset(&sight, PATTERN, sizeof sight);
    *status = lf_globe_sight_finest(fault == NO_THING ? NULL : t->globe, a, b, fault == BAD_OPTION ? 2 : 0,
                                    &sight, NULL);
    return !sight.clear && sight.t == 0 && sight.length == 0 && is_miss(&sight.hit);
}

static bool camera(const things *t, int ground, fault fault, lf_status *status) {
    lf_camera given = lf_camera_default();
    lf_vec3 to = {7e6, fault == NAN_PLACE ? NAN : 0, fault == FAR_PLACE ? LF_INFINITY : 0};
    lf_camera_contact contact;
    (void)ground;
    memset(&contact, PATTERN, sizeof contact);
    given.position = (lf_vec3){7e6, 0, 0};
    given.clearance = fault == BAD_OPTION ? -1 : 2;
    *status = lf_camera_check(&given, fault == NO_THING ? NULL : lf_globe_ground(t->globe), to, &contact);
    return !contact.met && contact.time == 0 && contact.depth == 0 && contact.normal.x == 0;
}

static const struct {
    const char *name;
    ask_wrongly *call;
    unsigned faults; ///< a bit for each that the call knows
    bool on_grounds; ///< asked of every kind of ground
} calls[] = {
    {"lf_ground_height", height, 1u << NO_THING | 1u << NAN_PLACE | 1u << FAR_PLACE | 1u << BAD_OPTION, true},
    {"lf_ground_height, cursor", height_with_cursor,
     1u << NO_THING | 1u << NAN_PLACE | 1u << FAR_PLACE | 1u << BAD_OPTION, true},
    {"lf_ground_height_all", height_all,
     1u << NO_THING | 1u << NAN_PLACE | 1u << FAR_PLACE | 1u << BAD_OPTION, true},
    {"lf_ground_ray_first", ray_first, (1u << FAULTS) - 1, true},
    {"lf_ground_ray_any", ray_any, (1u << FAULTS) - 1, true},
    {"lf_ground_ray_all", ray_all, (1u << FAULTS) - 1, true},
    {"lf_ground_stand", stand, (1u << FAULTS) - 1, true},
    {"lf__bvh_ray_*", tree_rays, (1u << FAULTS) - 1, false},
    {"rays against a globe", globe_rays, (1u << FAULTS) - 1, false},
    {"lf_ground_sweep", sweeps, (1u << FAULTS) - 1, false},
    {"lf_model_touch, lf_model_within", models, 1u << NO_THING, false},
    {"lf_model_pairs, lf_model_ground", model_lists_and_rays, (1u << FAULTS) - 1, false},
    {"lf_sight_observer", observer, 1u << NO_THING | 1u << NAN_PLACE | 1u << FAR_PLACE | 1u << BAD_OPTION,
     true},
    {"heights and normals of a globe", globe_heights, 1u << NO_THING | 1u << NAN_PLACE | 1u << FAR_PLACE,
     false},
    {"lf_globe_sight_finest", globe_sight,
     1u << NO_THING | 1u << NAN_PLACE | 1u << FAR_PLACE | 1u << BAD_OPTION, false},
    {"lf_camera_check", camera, 1u << NO_THING | 1u << NAN_PLACE | 1u << FAR_PLACE | 1u << BAD_OPTION, false},
};

static void outputs_are_written_when_arguments_are_refused(void **state) {
    (void)state;
    things t;
    open_things(&t);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int fault = 0; fault < FAULTS; fault++)
            for (int ground = 0; ground < (calls[i].on_grounds ? GROUNDS : 1); ground++) {
                lf_status status;
                if (!(calls[i].faults >> fault & 1))
                    continue;
                bool written = calls[i].call(&t, ground, (enum fault)fault, &status);
                if (status != LF_BAD_ARGUMENT || !written)
                    fail_msg("%s, fault %d, ground %d: status %d, output %swritten", calls[i].name, fault,
                             ground, (int)status, written ? "" : "not ");
            }
    close_things(&t);
}

/// A globe that cannot be loaded down to its finest tile answers from what it has.
static void height_of_a_globe_that_finds_no_space(void **state) {
    (void)state;
    small_planet *planet = small_planet_make(lf_ellipsoid_wgs84(), 4, SMALL_PLANET_ROLLING, 1000, 2);
    lf_globe *globe = small_planet_globe(planet, 1);
    lf_globe_elevation ground;
    memset(&ground, PATTERN, sizeof ground);
    assert_int_equal(lf_globe_height_finest(globe, 10, 10, &ground), LF_TOO_LARGE);
    assert_int_equal(ground.reason, LF_REASON_ANSWERED);
    assert_true(ground.coarser);
    lf_globe_destroy(globe);
    small_planet_free(planet);
}

/// One point or ray for all, packed, and apart by more than their size: the same hits as one by one.
static void strides_of_batches(void **state) {
    (void)state;
    things t;
    open_things(&t);
    enum { COUNT = 300 };
    static lf_hit hits[2 * COUNT];
    static double heights[2 * COUNT];
    static const lf_tasks *const serial = NULL;
    const lf_vec3 point = {0.3, 0.6, 1};
    const lf_ray ray = lf_ray_towards(point, (lf_vec3){0.1, 0, -1});
    for (int ground = 0; ground < GROUNDS - 1; ground++) {
        const lf_ground *g = t.grounds[ground];
        lf_hit height, first;
        assert_int_equal(lf_ground_height(g, point, LF_VERTICAL_DOWN, &height, NULL), LF_OK);
        assert_int_equal(lf_ground_ray_first(g, &ray, &first, NULL), LF_OK);
        memset(hits, PATTERN, sizeof hits);
        assert_int_equal(lf_ground_height_many(g, &point, LF_STRIDE_SAME, COUNT, LF_VERTICAL_DOWN, hits,
                                               2 * sizeof *hits, serial),
                         LF_OK);
        assert_int_equal(
            lf_ground_heights_many(g, &point, LF_STRIDE_SAME, COUNT, LF_VERTICAL_DOWN, heights, 0, serial),
            LF_OK);
        lf_frame frame = lf_ground_frame(g);
        double z = frame.down.x == 0 ? height.point.z : lf_frame_to_local(&frame, height.point).z;
        for (int i = 0; i < COUNT; i++) {
            assert_true(hits[2 * i].element == height.element && hits[2 * i].t == height.t);
            assert_true(heights[i] == z);
        }
        assert_int_equal(lf_ground_ray_first_many(g, &ray, LF_STRIDE_SAME, COUNT, hits, 0, serial), LF_OK);
        for (int i = 0; i < COUNT; i++)
            assert_true(hits[i].element == first.element && hits[i].t == first.t);
        assert_int_equal(
            lf_ground_height_many(g, &point, 0, 1, LF_VERTICAL_DOWN, hits, LF_STRIDE_SAME, serial),
            LF_BAD_ARGUMENT);
        assert_int_equal(
            lf_ground_heights_many(g, &point, 0, 1, LF_VERTICAL_DOWN, heights, LF_STRIDE_SAME, serial),
            LF_BAD_ARGUMENT);
        assert_int_equal(lf_ground_ray_first_many(g, &ray, 0, 1, hits, LF_STRIDE_SAME, serial),
                         LF_BAD_ARGUMENT);
    }
    close_things(&t);
}

/// Of many questions one at a time is refused, wherever it is: no answer is written then.
static void batches_with_one_bad_question(void **state) {
    (void)state;
    enum { MANY = 40000 };
    static const int64_t bad[] = {0, 16383, 16384, 30000, MANY - 1};
    things t;
    open_things(&t);
    lf_tasks parallel = test_tasks(3);
    lf_vec3 *points = test_space(MANY, sizeof *points);
    lf_ray *rays = test_space(MANY, sizeof *rays);
    lf_hit *hits = test_space(MANY, sizeof *hits), *before = test_space(MANY, sizeof *before);
    double *heights = (double *)(void *)hits;
    for (int64_t i = 0; i < MANY; i++) {
        points[i] = (lf_vec3){0.3, 0.6, 1};
        rays[i] = lf_ray_towards(points[i], (lf_vec3){0.1, 0, -1});
    }
    memset(hits, PATTERN, MANY * sizeof *hits);
    memset(before, PATTERN, MANY * sizeof *before);
    for (int k = 0; k < 10; k++) {
        const lf_tasks *tasks = k & 1 ? &parallel : NULL;
        int64_t i = bad[k / 2];
        points[i].y = LF_NAN;
        rays[i].direction.z = LF_NAN;
        assert_int_equal(
            lf_ground_height_many(t.grounds[0], points, 0, MANY, LF_VERTICAL_DOWN, hits, 0, tasks),
            LF_BAD_ARGUMENT);
        assert_int_equal(
            lf_ground_heights_many(t.grounds[0], points, 0, MANY, LF_VERTICAL_DOWN, heights, 0, tasks),
            LF_BAD_ARGUMENT);
        assert_int_equal(lf_ground_ray_first_many(t.grounds[0], rays, 0, MANY, hits, 0, tasks),
                         LF_BAD_ARGUMENT);
        assert_memory_equal(hits, before, MANY * sizeof *hits);
        points[i].y = 0.6;
        rays[i].direction.z = -1;
    }
    assert_int_equal(
        lf_ground_heights_many(t.grounds[0], points, 0, MANY, LF_VERTICAL_DOWN, heights, 0, &parallel),
        LF_OK);
    free(before);
    free(hits);
    free(rays);
    free(points);
    close_things(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_of_batches),
        cmocka_unit_test(batches_with_one_bad_question),
        cmocka_unit_test(outputs_are_written_when_arguments_are_refused),
        cmocka_unit_test(height_of_a_globe_that_finds_no_space),
    };
    return cmocka_run_group_tests_name("ground: outputs", tests, NULL, NULL);
}
