// Cameras over grids, meshes and worlds: each response by itself, in a hall, under a bridge, at walls and
// towers.
#include "support.h"
#include <landfall/camera.h>
#include <landfall/grid.h>
#include <landfall/mesh.h>
#include <math.h>

static const lf_box floor_box = {{-100, -100, -1}, {100, 100, 0}}, tower_box = {{20, -5, 0}, {30, 5, 40}},
                    deck_box = {{-50, 40, 8}, {50, 44, 9}};

/// A floor, a tower on it, a bridge, and a hall without a front (its parts are a floor, a ceiling and three walls).
static lf_group *make_world(void) {
    const lf_box hall[] = {{{-30, -40, 4}, {-10, -20, 5}},
                           {{-30, -40, 0}, {-29, -20, 4}},
                           {{-11, -40, 0}, {-10, -20, 4}},
                           {{-30, -40, 0}, {-10, -39, 4}}};
    lf_group_part parts[8];
    lf_group_def def = lf_group_def_default();
    lf_group *group;
    const lf_box boxes[] = {floor_box, tower_box, deck_box, hall[0], hall[1], hall[2], hall[3]};
    for (int i = 0; i < 7; i++)
        parts[i] = (lf_group_part){.pose = lf_pose_identity(), .box = boxes[i]};
    parts[2].layers = 2;
    def.parts = parts;
    def.part_count = 7;
    assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
    return group;
}

static lf_camera camera_at(lf_vec3 position, lf_vec3 velocity) {
    lf_camera camera = lf_camera_default();
    camera.position = position;
    camera.velocity = velocity;
    camera.clearance = 1;
    camera.look_ahead = 0;
    return camera;
}

static lf_camera_result step(lf_camera *camera, const lf_ground *ground, double dt) {
    lf_camera_result result;
    assert_int_equal(lf_camera_step(camera, ground, dt, &result), LF_OK);
    return result;
}

static void a_wall_turns_the_velocity_along_it(void **state) {
    lf_camera camera = camera_at((lf_vec3){15, 0, 5}, (lf_vec3){1e5, 20, 0});
    lf_camera_result r = step(&camera, *state, 0.1);
    assert_true(r.did & LF_CAMERA_SLID && r.contact.met && r.contact.hit.part == 1 && r.share == 1);
    assert_true(r.contact.normal.x == -1 && r.contact.depth > 9000);
    assert_true(camera.velocity.x == 0 && camera.velocity.y == 20);
    assert_true(camera.position.x <= 19 && camera.position.x > 18.9);
    assert_true(fabs(camera.position.y - 2) < 1e-3);
    r = step(&camera, *state, 0.1); // it goes on along the wall
    assert_int_equal(r.did, 0);
}

static void a_kept_motion_is_raised_over_a_tower(void **state) {
    lf_camera camera = camera_at((lf_vec3){0, 0, 5}, (lf_vec3){0, 0, 0});
    bool held = false, raised = false;
    camera.turn = (lf_vec3){10, 0, 0};
    for (int i = 0; i < 200 && camera.position.x < 40; i++) {
        lf_camera_result r = step(&camera, *state, 0.1);
        held |= (r.did & LF_CAMERA_HELD) != 0;
        raised |= r.raised > 0;
        assert_true(r.raised <= 20 * (1 + 1e-12));
    }
    assert_true(held && raised && camera.position.x >= 40 && camera.position.z > 40.9 &&
                camera.position.z < 62);
    camera = camera_at((lf_vec3){-20, 0, 5}, (lf_vec3){0, 0, 0}); // with time to see it coming it is not held
    camera.turn = (lf_vec3){10, 0, 0};
    camera.look_ahead = 4;
    for (int i = 0; i < 60; i++) {
        lf_camera_result r = step(&camera, *state, 0.1);
        assert_false(r.did & LF_CAMERA_HELD);
    }
    assert_true(camera.position.x > 39.9 && camera.position.z > 40.9);
}

static void under_a_bridge_nothing_is_done(void **state) {
    lf_camera camera = camera_at((lf_vec3){0, 30, 4}, (lf_vec3){0, 25, 0});
    camera.look_ahead = 1;
    for (int i = 0; i < 10; i++)
        assert_int_equal(step(&camera, *state, 0.1).did, 0);
    camera = camera_at((lf_vec3){0, 30, 7.5}, (lf_vec3){0, 25, 0}); // too high for its clearance
    camera.look_ahead = 1;
    assert_true(step(&camera, *state, 0.1).did & LF_CAMERA_AHEAD);
    camera = camera_at((lf_vec3){0, 30, 7.5},
                       (lf_vec3){0, 25, 0}); // unless the layer of the bridge does not count
    camera.look_ahead = 1;
    camera.layers = 1;
    assert_int_equal(step(&camera, *state, 0.1).did, 0);
    camera = camera_at((lf_vec3){0, 42, 4}, (lf_vec3){0, 0, 30}); // rising below the deck
    step(&camera, *state, 1);
    assert_true(camera.position.z <= 7 && camera.position.z > 6.9 && camera.velocity.z == 0);
}

static void a_hall_keeps_it_between_floor_and_ceiling(void **state) {
    lf_camera camera = camera_at((lf_vec3){-20, -25, 2}, (lf_vec3){0, -30, 0});
    camera.look_ahead = 2;
    for (int i = 0; i < 20; i++) {
        step(&camera, *state, 0.05);
        assert_true(camera.position.z >= 1 && camera.position.z <= 3 && camera.position.y >= -38);
    }
    assert_true(camera.position.y < -37.9 && camera.velocity.y == 0);
    camera.velocity = (lf_vec3){300, -200, 500}; // into the corner
    for (int i = 0; i < 10; i++) {
        step(&camera, *state, 0.05);
        assert_true(camera.position.z <= 3 && camera.position.x <= -12 && camera.position.y >= -38);
    }
    assert_true(camera.position.x > -12.1 && camera.position.z > 2.9);
}

static void moves_and_checks(void **state) {
    lf_camera camera = camera_at((lf_vec3){0, 0, 5}, (lf_vec3){0, 0, 0});
    lf_camera_contact contact;
    lf_camera_result r;
    assert_int_equal(lf_camera_check(&camera, *state, (lf_vec3){60, 0, 5}, &contact), LF_OK);
    assert_true(contact.met && contact.hit.part == 1 && fabs(contact.time - 19.0 / 60) < 1e-3);
    assert_int_equal(lf_camera_move(&camera, *state, (lf_vec3){60, 0, 5}, &r), LF_OK);
    assert_true(r.did == LF_CAMERA_STOPPED && camera.position.x == 0);
    assert_int_equal(lf_camera_move(&camera, *state, (lf_vec3){0, 9, 5}, &r), LF_OK);
    assert_true(r.did == 0 && camera.position.y == 9);
    assert_int_equal(lf_camera_check(&camera, *state, camera.position, &contact), LF_OK);
    assert_false(contact.met);
    camera.position.z = 0.25;
    assert_int_equal(lf_camera_check(&camera, *state, camera.position, &contact), LF_OK);
    assert_true(contact.met && fabs(contact.depth - 0.75) < 1e-5 && contact.normal.z == 1);
    camera.raise_limit = 1;
    r = step(&camera, *state, 0.25); // it moves away, as fast as it may
    assert_true(r.did == (LF_CAMERA_RECOVERING | LF_CAMERA_HELD) && r.frames == 4);
    assert_true(fabs(camera.position.z - 0.5) < 1e-9);
    for (int64_t i = r.frames; i > 1; i--)
        r = step(&camera, *state, 0.25);
    assert_int_equal(step(&camera, *state, 0.25).did, 0);
    assert_int_equal(lf_camera_step(&camera, NULL, 1, NULL), LF_BAD_ARGUMENT);
    camera.position.x = LF_NAN;
    assert_int_equal(lf_camera_step(&camera, *state, 1, NULL), LF_BAD_ARGUMENT);
}

static void terrain_alone(void **state) {
    (void)state;
    float heights[25] = {0};
    heights[12] = 30; // a peak in the middle
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 5;
    def.geotransform.per_column = (lf_vec2){10, 0};
    def.geotransform.per_row = (lf_vec2){0, 10};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    const lf_ground *ground = lf_grid_ground(grid);
    lf_camera camera = camera_at((lf_vec3){1, 20, 5}, (lf_vec3){0, 0, 0});
    assert_int_equal(lf_camera_aim(&camera, ground, (lf_vec3){39, 20, 5}, 2), LF_OK);
    assert_true(camera.turn.x == 19 && camera.velocity.z == 0);
    camera.look_ahead = 2;
    for (int i = 0; i < 20; i++) {
        lf_hit hit;
        step(&camera, ground, 0.1);
        assert_int_equal(lf_ground_height(ground, camera.position, LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
        assert_true(hit.kind == LF_HIT_NONE || hit.t >= 1);
    }
    assert_true(camera.position.x == 39 || fabs(camera.position.x - 39) < 1e-9);
    camera = camera_at((lf_vec3){15, 15, -3}, (lf_vec3){5, 0, 0}); // below ground: it rises
    camera.raise_limit = 10;
    lf_camera_result r = step(&camera, ground, 0.1);
    assert_true(r.did & LF_CAMERA_RECOVERING && r.frames > 1 && fabs(camera.position.z + 2) < 1e-9);
    for (int i = 0; i < 100 && r.did & LF_CAMERA_RECOVERING; i++)
        r = step(&camera, ground, 0.1);
    assert_int_equal(r.did & LF_CAMERA_RECOVERING, 0);
    lf_grid_destroy(grid);
}

static void paths_over_a_world(void **state) {
    lf_camera_stop stops[] = {{0, {0, 0, 5}}, {1, {10, 0, 5}}, {2, {30, 0, 5}}, {3, {50, 0, 5}}};
    lf_camera_path path = {stops, 4, 0, NULL};
    lf_camera camera = camera_at((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 0});
    lf_camera_frame frame;
    camera.look_ahead = 2;
    assert_int_equal(lf_camera_path_begin(&camera, *state, &path, &frame), LF_OK);
    double highest = 0;
    for (int i = 0; i < 100 && !frame.arrived; i++) {
        assert_int_equal(lf_camera_path_step(&camera, *state, &path, &frame), LF_OK);
        highest = fmax(highest, camera.position.z);
    }
    assert_true(frame.arrived && highest > 41 && camera.position.x == 50);
    lf_vec3 half = lf_camera_path_at(&path, *state, 0.5, NULL);
    assert_true(half.x == 5 && half.z == 5);
}

static lf_group *world;

static int open_world(void **state) {
    world = make_world();
    *state = (void *)(uintptr_t)lf_group_ground(world);
    return 0;
}

static int close_world(void **state) {
    (void)state;
    lf_group_destroy(world);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_wall_turns_the_velocity_along_it, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_kept_motion_is_raised_over_a_tower, open_world, close_world),
        cmocka_unit_test_setup_teardown(under_a_bridge_nothing_is_done, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_hall_keeps_it_between_floor_and_ceiling, open_world, close_world),
        cmocka_unit_test_setup_teardown(moves_and_checks, open_world, close_world),
        cmocka_unit_test(terrain_alone),
        cmocka_unit_test_setup_teardown(paths_over_a_world, open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
