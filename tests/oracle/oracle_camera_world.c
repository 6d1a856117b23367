// Cameras in worlds of a grid, meshes, models, boxes and a scene, planar and on a globe, against the distance
// from every triangle, one by one, in long doubles: never nearer than the clearance, never through anything,
// however fast.
#include "small_planet.h"
#include "worlds.h"
#include <landfall/camera.h>
#include <math.h>
#include <string.h>

enum { SIDE = 17, BOXES = 50, MOVERS = 4, PARTS = BOXES + 5, TRIANGLES = 4000, SAMPLES = 10 };

typedef struct world {
    float heights[SIDE * SIDE];
    lf_grid *grid;
    lf_mesh *hall, *bridge; ///< a hall with an open side, and a deck on two piers
    lf_model *tower;
    lf_scene *scene;
    lf_instance movers[MOVERS];
    lf_group *group;
    lf_group_part parts[PARTS];
    small_planet *planet; ///< or NULL
    lf_globe *globe;
    lf_pose outer; ///< of everything but the globe
    facets facets;
    int64_t fixed; ///< facets that never move
    test_random random;
} world;

typedef struct flown {
    int64_t frames, touched, clear, did[8];
} flown;

static double any(world *w, double low, double high) {
    return test_random_between(&w->random, low, high);
}

static lf_vec3 any_vector(world *w, double size) {
    lf_vec3 v = {any(w, -1, 1), any(w, -1, 1), 0};
    v.z = any(w, -1, 1);
    return lf_vec3_scale(v, size);
}

// ---------------------------------------------------------------------------------------------------
// Triangles as they stand
// ---------------------------------------------------------------------------------------------------

/// Polygons of boxes, without some of their faces, as ground or model.
typedef struct solid {
    lf_vec3 vertices[64];
    int64_t corners[256];
    int64_t vertex_count, corner_count;
} solid;

static void solid_add(solid *s, lf_box box, unsigned without) {
    world_box_corners(box, s->vertices + s->vertex_count);
    for (int f = 0; f < 6; f++)
        for (int k = 1; k < 3 && !(without >> f & 1); k++) {
            const int *face = world_box_faces[f], corners[3] = {face[0], face[k], face[k + 1]};
            for (int i = 0; i < 3; i++)
                s->corners[s->corner_count++] = s->vertex_count + corners[i];
        }
    s->vertex_count += 8;
}

static lf_polygons solid_polygons(const solid *s) {
    return (lf_polygons){.vertices = s->vertices,
                         .vertex_count = s->vertex_count,
                         .corners = s->corners,
                         .polygon_count = s->corner_count / 3};
}

static void add_solid(world *w, const lf_pose *pose, const solid *s) {
    const lf_pose *const poses[] = {pose, NULL};
    for (int64_t i = 0; i < s->corner_count; i += 3)
        facets_add(&w->facets, poses,
                   (lf_vec3[3]){s->vertices[s->corners[i]], s->vertices[s->corners[i + 1]],
                                s->vertices[s->corners[i + 2]]},
                   (facet){.layers = 1});
}

static lf_mesh *solid_mesh(const solid *s) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh;
    def.polygons = solid_polygons(s);
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
    return mesh;
}

// ---------------------------------------------------------------------------------------------------
// Worlds
// ---------------------------------------------------------------------------------------------------

static lf_pose any_pose(world *w, double reach) {
    lf_pose pose = lf_pose_identity();
    if (test_random_below(&w->random, 2) == 0)
        assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, any_vector(w, 1), any(w, -3, 3), &pose), LF_OK);
    pose.translation = (lf_vec3){any(w, -reach, reach), any(w, -reach, reach), any(w, -2, 12)};
    return lf_pose_then(&pose, &w->outer);
}

/// Samples 4 m apart from (-32, -32).
static void make_grid(world *w) {
    const facets_grid grid = {w->heights, SIDE, -32, 4};
    const lf_pose *const poses[] = {&w->outer, NULL};
    for (int i = 0; i < SIDE * SIDE; i++)
        w->heights[i] = (float)any(w, -2, 3);
    w->grid = world_grid(&grid);
    facets_add_grid(&w->facets, poses, &grid, (facet){.layers = 1});
}

static void make_scene(world *w) {
    lf_scene_def def = lf_scene_def_default();
    lf_object_def object_def = lf_object_def_default();
    lf_part_def part = lf_part_def_default();
    lf_object object;
    lf_part top;
    assert_int_equal(lf_scene_create(&def, &w->scene, NULL), LF_OK);
    assert_int_equal(lf_object_create(w->scene, &object_def, &object, &top, NULL), LF_OK);
    part.shape.kind = LF_SHAPE_BOX;
    part.shape.size = (lf_vec3){2, 3, 4};
    assert_int_equal(lf_part_add(w->scene, top, &part, NULL, NULL), LF_OK);
    for (int i = 0; i < MOVERS; i++) {
        lf_instance_def instance = lf_instance_def_default();
        instance.object = object;
        instance.pose.translation = (lf_vec3){any(w, -20, 20), any(w, -20, 20), any(w, 0, 12)};
        instance.velocity = any_vector(w, 1);
        instance.motion = LF_MOTION_CARRIED;
        assert_int_equal(lf_instance_create(w->scene, &instance, &w->movers[i], NULL), LF_OK);
    }
    assert_int_equal(lf_scene_update(w->scene), LF_OK);
}

/// The scene moves, and its triangles are listed again.
static void move_scene(world *w, double dt) {
    const lf_pose *const poses[] = {&w->outer, NULL};
    w->facets.count = w->fixed;
    assert_int_equal(lf_scene_step(w->scene, dt, NULL), LF_OK);
    for (int i = 0; i < MOVERS; i++)
        facets_add_instance(&w->facets, poses, w->scene, w->movers[i], (facet){.part = 1});
    assert_int_equal(lf_group_update(w->group), LF_OK);
}

static void make_parts(world *w) {
    solid hall = {.vertex_count = 0}, bridge = {.vertex_count = 0}, tower = {.vertex_count = 0};
    solid_add(&hall, (lf_box){{-8, -6, 0}, {8, 6, 6}},
              1u << 2); // open to the south: floor, ceiling, three walls
    solid_add(&bridge, (lf_box){{-20, -2, 5}, {20, 2, 5.5}}, 0);
    solid_add(&bridge, (lf_box){{-20, -2, -4}, {-19, 2, 5}}, 0);
    solid_add(&bridge, (lf_box){{19, -2, -4}, {20, 2, 5}}, 0);
    solid_add(&tower, (lf_box){{-2, -2, -5}, {2, 2, 25}}, 0);
    solid_add(&tower, (lf_box){{-5, -5, 10}, {5, 5, 12}}, 0);
    w->hall = solid_mesh(&hall);
    w->bridge = solid_mesh(&bridge);
    lf_model_def def = lf_model_def_default();
    def.polygons = solid_polygons(&tower);
    assert_int_equal(lf_model_create(&def, &w->tower, NULL), LF_OK);
    make_scene(w);
    const lf_ground *grounds[] = {lf_mesh_ground(w->hall), lf_mesh_ground(w->bridge),
                                  lf_model_ground(w->tower)};
    const solid *solids[] = {&hall, &bridge, &tower};
    for (int i = 0; i < PARTS; i++) {
        lf_group_part *part = &w->parts[i];
        *part = (lf_group_part){.pose = any_pose(w, 28)};
        if (i >= 5) {
            const lf_pose *const poses[] = {&part->pose, NULL};
            part->box = world_any_box(&w->random, (lf_vec3){4, 4, 8});
            facets_add_box(&w->facets, poses, part->box, (facet){.part = i});
        } else if (i > 1) {
            part->ground = grounds[i - 2];
            add_solid(w, &part->pose, solids[i - 2]);
        } else if (i == 1) {
            part->ground = lf_scene_ground(w->scene);
            part->pose = w->outer;
        } else {
            part->ground = w->globe ? lf_globe_ground(w->globe) : lf_grid_ground(w->grid);
            part->pose = lf_pose_identity();
        }
    }
    w->fixed = w->facets.count;
}

static void open_world(world *w, int64_t number, uint64_t salt) {
    *w = (world){.random = test_random_start(salt), .outer = lf_pose_identity()};
    facets_open(&w->facets, TRIANGLES);
    if (number % 2) {
        lf_ellipsoid ellipsoid = number % 4 == 1 ? (lf_ellipsoid){5e4, 0.05} : lf_ellipsoid_wgs84();
        w->planet = small_planet_make(ellipsoid, 4, (small_planet_land)(number % 3), 10,
                                      test_random_bits(&w->random));
        w->globe = small_planet_globe(w->planet, (size_t)1 << 30);
        assert_int_equal(lf_globe_load_area(w->globe, (lf_geodetic_box){-180, -90, 180, 90}, 3), LF_OK);
        static const lf_geodetic places[] = {{12, 47, 0}, {180, -3, 0}, {30, 90, 0}, {-100, -89.9999, 0}};
        lf_geodetic place = places[number / 2 % 4];
        place.height = small_planet_height(w->planet, place.lon_deg, place.lat_deg);
        assert_int_equal(lf_ellipsoid_pose(&ellipsoid, place, any(w, 0, 360), 0, 0, &w->outer), LF_OK);
    } else {
        make_grid(w);
    }
    make_parts(w);
    w->group = world_group(w->parts, PARTS);
    move_scene(w, 0.01);
}

static void close_world(world *w) {
    lf_group_destroy(w->group);
    lf_scene_destroy(w->scene);
    lf_model_destroy(w->tower);
    lf_mesh_destroy(w->hall);
    lf_mesh_destroy(w->bridge);
    lf_grid_destroy(w->grid);
    lf_globe_destroy(w->globe);
    if (w->planet)
        small_planet_free(w->planet);
    facets_close(&w->facets);
}

// ---------------------------------------------------------------------------------------------------
// Brute force
// ---------------------------------------------------------------------------------------------------

/// Does a segment pass through a triangle?
static bool passes(world_point a, world_point b, const world_point c[3]) {
    world_point n = world_cross(world_less(c[1], c[0]), world_less(c[2], c[0]));
    long double p = world_dot(world_less(a, c[0]), n), q = world_dot(world_less(b, c[0]), n);
    if ((p > 0) == (q > 0))
        return false;
    long double t = p / (p - q);
    world_point at = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
    for (int k = 0; k < 3; k++)
        if (world_dot(world_cross(world_less(c[(k + 1) % 3], c[k]), world_less(at, c[k])), n) < 0)
            return false;
    return true;
}

/// Metres beyond the clearance to the nearest triangle; on a globe also the height above its ground.
static double space_at(const world *w, lf_vec3 position, double clearance) {
    long double least = LF_INFINITY;
    world_point p = world_point_of(position);
    for (int64_t i = 0; i < w->facets.count; i++) {
        const world_point *c = w->facets.list[i].c;
        long double reach = fmaxl(fmaxl(world_dot(world_less(c[1], c[0]), world_less(c[1], c[0])),
                                        world_dot(world_less(c[2], c[0]), world_less(c[2], c[0]))),
                                  1);
        long double far = world_dot(world_less(p, c[0]), world_less(p, c[0]));
        if (far < 4 * (reach + (clearance + 1) * (clearance + 1))) // else it is more than a metre beyond
            least = fminl(least, facet_distance(&w->facets.list[i], p));
    }
    if (w->planet) {
        lf_geodetic place = lf_ellipsoid_to_geodetic(&w->planet->ellipsoid, position);
        least = fminl(least, place.height - small_planet_height(w->planet, place.lon_deg, place.lat_deg));
    }
    return (double)least - clearance;
}

/// Below the terrain, which it may have gone around or have been put?
static bool under_grid(const world *w, lf_vec3 position) {
    for (int64_t i = 0; i < 2 * (SIDE - 1) * (SIDE - 1) && w->grid; i++) {
        const world_point *c = w->facets.list[i].c;
        world_point above = {position.x, position.y, 1000};
        if (passes(world_point_of(position), above, c))
            return true;
    }
    return false;
}

/// The times at which a frame is examined, ascending: evenly spaced, and where its pieces begin, because a chord over the corner of a path
/// may lead through what the path goes around.
static int frame_times(const lf_camera_result *r, double times[SAMPLES + LF_CAMERA_PIECES]) {
    int count = 0, piece = 1;
    for (int i = 1; i <= SAMPLES; i++) {
        double even = i < SAMPLES ? r->duration * i / SAMPLES : r->duration;
        for (; piece < r->piece_count && r->pieces[piece].start < r->share * even; piece++)
            times[count++] = r->pieces[piece].start / r->share; // a camera that is held moves slower
        times[count++] = even;
    }
    return count;
}

static void check_frame(const world *w, const lf_camera *before, const lf_camera *after,
                        const lf_camera_result *r) {
    const lf_ground *ground = lf_group_ground(w->group);
    double times[SAMPLES + LF_CAMERA_PIECES];
    int count = frame_times(r, times);
    lf_vec3 last = before->position, at = last;
    for (int i = 0; i < count; i++) {
        at = lf_camera_at(r, ground, times[i]);
        double space = space_at(w, at, before->clearance);
        if (space < -1e-5)
            fail_msg("%g m too near after %g s: did %u, share %g, raised %g, %d pieces, frame %g s, "
                     "clearance %g",
                     -space, times[i], r->did, r->share, r->raised, r->piece_count, r->duration,
                     before->clearance);
        for (int64_t k = 0; k < w->facets.count; k++)
            if (passes(world_point_of(last), world_point_of(at), w->facets.list[k].c))
                fail_msg("through triangle %lld: did %u, share %g, raised %g", (long long)k, r->did, r->share,
                         r->raised);
        last = at;
    }
    assert_memory_equal(&at, &after->position, sizeof at);
    assert_true(r->share >= 0 && r->share <= 1 && r->raise_rate >= 0);
    assert_true(r->raised <= before->raise_limit * r->duration * (1 + 1e-12));
}

/// Without anything in the way: where the velocities lead, to the last bit.
static void check_free(const world *w, const lf_camera *before, const lf_camera *after, double dt) {
    if (before->turn.x != 0 || before->turn.y != 0 || before->turn.z != 0)
        return;
    lf_vec3 velocity = lf_vec3_along(before->velocity, dt, before->acceleration);
    lf_vec3 to = lf_vec3_along(before->position, dt, velocity);
    if (memcmp(&to, &after->position, sizeof to) != 0)
        fail_msg("free, but off by %g m: globe %d", lf_vec3_length(lf_vec3_sub(to, after->position)),
                 w->globe != NULL);
}

// ---------------------------------------------------------------------------------------------------
// Flights
// ---------------------------------------------------------------------------------------------------

static lf_camera start(world *w) {
    lf_camera camera = lf_camera_default();
    lf_vec3 local = {any(w, -30, 30), any(w, -30, 30), any(w, -3, 30)};
    double speed = pow(10, any(w, -0.5, 3));
    camera.position = lf_pose_to_world(&w->outer, local);
    camera.clearance = test_random_below(&w->random, 6) == 0 ? 0 : any(w, 0.05, 1.5);
    camera.raise_limit = test_random_below(&w->random, 6) == 0 ? LF_INFINITY : pow(10, any(w, 0, 2.5));
    camera.look_ahead = test_random_below(&w->random, 3) == 0 ? 0 : any(w, 0, 2);
    int64_t kind = test_random_below(&w->random, 4);
    if (kind != 1)
        camera.velocity = any_vector(w, speed);
    if (kind == 1 || kind == 2) {
        lf_vec3 to = lf_pose_to_world(&w->outer, lf_vec3_add(local, any_vector(w, speed)));
        lf_camera aimed = camera;
        assert_int_equal(lf_camera_aim(&aimed, lf_group_ground(w->group), to, 1), LF_OK);
        camera.turn = aimed.turn;
    }
    if (kind == 3) // gravity
        camera.acceleration = lf_pose_turn_to_world(&w->outer, (lf_vec3){0, 0, -9.8});
    return camera;
}

static void fly(world *w, flown *f) {
    const lf_ground *ground = lf_group_ground(w->group);
    lf_camera camera = start(w);
    double dt = pow(10, any(w, -2.3, 0));
    if (space_at(w, camera.position, camera.clearance) < 1e-7 || under_grid(w, camera.position))
        return;
    for (int i = 0; i < 10; i++) {
        lf_camera before = camera;
        lf_camera_result result;
        bool clear = space_at(w, camera.position, camera.clearance) >= 0 && !under_grid(w, camera.position);
        assert_int_equal(lf_camera_step(&camera, ground, dt, &result), LF_OK);
        if (clear) {
            check_frame(w, &before, &camera, &result);
            assert_false(result.did & LF_CAMERA_RECOVERING && result.contact.depth > 1e-5);
        }
        if (result.did == 0)
            check_free(w, &before, &camera, dt);
        f->frames++;
        f->clear += clear;
        f->touched += result.did != 0;
        for (int k = 0; k < 8; k++)
            f->did[k] += result.did >> k & 1;
        if (i % 4 == 3)
            move_scene(w, any(w, 0.01, 0.3));
    }
}

static void cameras_keep_their_distance(void **state) {
    (void)state;
    flown f = {0};
    int64_t worlds = test_rounds(24);
    for (int64_t i = 0; i < worlds; i++) {
        world w;
        open_world(&w, i, 40 + (uint64_t)i);
        for (int k = 0; k < 12; k++)
            fly(&w, &f);
        close_world(&w);
    }
    print_message("%lld frames, %lld clear at their start, %lld touched\n", (long long)f.frames,
                  (long long)f.clear, (long long)f.touched);
    for (int k = 0; k < 8; k++)
        print_message("%12s %6lld\n", lf_camera_act_name((lf_camera_act)(1 << k)), (long long)f.did[k]);
    assert_true(f.touched > f.frames / 20 && f.clear > f.frames / 2);
    for (int k = 1; k < 5; k++)
        assert_true(f.did[k] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cameras_keep_their_distance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
