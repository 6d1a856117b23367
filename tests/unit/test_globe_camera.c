// What a camera does at ground, case by case: the published responses, and those beyond them.
#include "small_planet.h"
#include <landfall/camera.h>
#include <math.h>
#include <string.h>

#define RADIUS 1e5 ///< of a round planet: a degree is 1745 m, a sample stands every 1227 m
static const double degree = 0.017453292519943295;

static small_planet *planet;
static lf_globe *globe;

/// Flat, but for a wall along the meridian of 10 degrees: 500 m high, a cell wide.
static int make_all(void **state) {
    (void)state;
    planet = small_planet_make((lf_ellipsoid){RADIUS, 0}, 5, SMALL_PLANET_SPIKES, 0, 1);
    for (int64_t j = 0; j < planet->rows; j++)
        for (int64_t i = 0; i < planet->columns; i++) {
            double lon = -180 + 360.0 * (double)i / (double)(planet->columns - 1);
            planet->samples[j * planet->columns + i] = fabs(lon - 10) < 0.5 ? 500 : 100;
        }
    globe = small_planet_globe(planet, (size_t)1 << 30);
    assert_int_equal(lf_globe_load_area(globe, (lf_geodetic_box){-180, -90, 180, 90}, 4), LF_OK);
    return 0;
}

static int free_all(void **state) {
    (void)state;
    lf_globe_destroy(globe);
    small_planet_free(planet);
    return 0;
}

static lf_vec3 at(double lon, double lat, double height) {
    lf_ellipsoid e = {RADIUS, 0};
    return lf_ellipsoid_to_centred(&e, (lf_geodetic){lon, lat, height});
}

static lf_geodetic place_of(const lf_camera *camera) {
    lf_ellipsoid e = {RADIUS, 0};
    return lf_ellipsoid_to_geodetic(&e, camera->position);
}

static double space_of(const lf_camera *camera) {
    lf_geodetic place = place_of(camera);
    return place.height - small_planet_height(planet, place.lon_deg, place.lat_deg) - camera->clearance;
}

static lf_camera camera_at(double lon, double lat, double height) {
    lf_camera camera = lf_camera_default();
    camera.position = at(lon, lat, height);
    camera.clearance = 5;
    return camera;
}

static void step(lf_camera *camera, double dt, lf_camera_result *result) {
    assert_int_equal(lf_camera_step(camera, lf_globe_ground(globe), dt, result), LF_OK);
    assert_true(space_of(camera) >= -1e-6);
}

static void without_velocity_it_is_not_moved_into_ground(void **state) {
    (void)state;
    lf_camera camera = camera_at(0, 20, 200), before = camera;
    lf_camera_result result;
    assert_int_equal(lf_camera_move(&camera, lf_globe_ground(globe), at(0.1, 20, 90), &result), LF_OK);
    assert_int_equal(result.did, LF_CAMERA_STOPPED);
    assert_memory_equal(&camera, &before, sizeof camera);
    assert_true(result.contact.met && fabs(result.contact.depth - 15) < 0.1);
    assert_true(result.share == 0);
    lf_vec3 to = at(1, 21, 150);
    assert_int_equal(lf_camera_move(&camera, lf_globe_ground(globe), to, &result), LF_OK);
    assert_int_equal(result.did, 0);
    assert_memory_equal(&camera.position, &to, sizeof to);
    // Both ends are clear, the way between them is not.
    before = camera;
    assert_int_equal(lf_camera_move(&camera, lf_globe_ground(globe), at(20, 21, 150), &result), LF_OK);
    assert_int_equal(result.did, LF_CAMERA_STOPPED);
    assert_memory_equal(&camera, &before, sizeof camera);
    // From below ground it may be put above it.
    camera.position = at(0, 20, 50);
    to = at(0, 20, 300);
    assert_int_equal(lf_camera_move(&camera, lf_globe_ground(globe), to, &result), LF_OK);
    assert_memory_equal(&camera.position, &to, sizeof to);
}

static void the_whole_movement_is_examined(void **state) {
    (void)state;
    lf_camera camera = camera_at(0, 20, 150);
    lf_camera_contact contact;
    assert_int_equal(lf_camera_check(&camera, lf_globe_ground(globe), at(20, 20, 150), &contact), LF_OK);
    assert_true(contact.met && contact.time > 0.4 && contact.time < 0.5);
    assert_true(fabs(contact.geodetic.lon_deg - 10) < 1);
    assert_true(fabs(contact.depth - 355) < 60); // the deepest of 256 parts of the way
    assert_int_equal(contact.ground.tile.level, 4);
    assert_true(contact.ground.sample_count >= 1 && contact.ground.sample_count <= 4);
    for (int i = 0; i < contact.ground.sample_count; i++)
        assert_true(contact.ground.samples[i] >= 0 && contact.ground.samples[i] < 17 * 17);
    assert_true(fabs(lf_vec3_length(contact.normal) - 1) < 1e-12);
    assert_true(lf_vec3_dot(contact.normal, lf_vec3_unit(at(contact.geodetic.lon_deg, 20, 0))) > 0.5);
    assert_int_equal(lf_camera_check(&camera, lf_globe_ground(globe), at(20, 20, 600), &contact), LF_OK);
    assert_true(contact.met); // rising evenly it is too low at the wall
    assert_int_equal(lf_camera_check(&camera, lf_globe_ground(globe), at(9, 21, 106), &contact), LF_OK);
    assert_false(contact.met);
    assert_int_equal(lf_camera_check(&camera, lf_globe_ground(globe), camera.position, &contact), LF_OK);
    assert_false(contact.met);
    camera.position = at(0, 20, 104);
    assert_int_equal(lf_camera_check(&camera, lf_globe_ground(globe), camera.position, &contact), LF_OK);
    assert_true(contact.met && contact.time == 0 && fabs(contact.depth - 1) < 1e-3);
}

static void linear_velocity_slides(void **state) {
    (void)state;
    lf_camera camera = camera_at(-60, 0, 106);
    lf_vec3 up = lf_vec3_unit(camera.position), north = {0, 0, 1};
    camera.look_ahead = 0;
    camera.velocity = lf_vec3_along(lf_vec3_scale(up, -50), 30, north);
    lf_camera_result result;
    step(&camera, 0.1, &result); // down 5 m: 4 m too many
    assert_true(result.did & LF_CAMERA_SLID);
    assert_false(result.did & LF_CAMERA_HELD);
    assert_true(result.share == 1 && result.piece_count == 2);
    assert_true(fabs(lf_vec3_dot(camera.velocity, up)) < 0.1);
    assert_true(fabs(lf_vec3_dot(camera.velocity, north) - 30) < 0.1);
    assert_true(space_of(&camera) < 0.1);
    for (int i = 0; i < 20; i++) // and on, along the ground
        step(&camera, 0.1, &result);
    assert_true(fabs(place_of(&camera).lat_deg - 21 * 0.1 * 30 / RADIUS / degree) < 1e-3);
}

static void turn_is_kept_and_the_camera_raised(void **state) {
    (void)state;
    lf_camera camera = camera_at(5, 0, 200);
    camera.turn = (lf_vec3){0, 0, 2 * degree}; // 3.5 km per second, eastwards
    camera.raise_limit = 2000;
    lf_camera_result result;
    double highest = 0;
    uint32_t did = 0;
    for (int i = 0; i < 50; i++) {
        step(&camera, 0.1, &result);
        did |= result.did;
        highest = fmax(highest, place_of(&camera).height);
        assert_true(camera.turn.x == 0 && camera.turn.y == 0 && camera.turn.z == 2 * degree);
        assert_true(fabs(place_of(&camera).lon_deg - (5 + 0.2 * (i + 1))) < 1e-9);
    }
    assert_int_equal(did & (LF_CAMERA_HELD | LF_CAMERA_SLID), 0);
    assert_true(did & LF_CAMERA_RAISED && did & LF_CAMERA_AHEAD);
    assert_true(highest >= 505 && highest < 540); // GRAIN: not far above what is needed
}

static void accelerations_do_not_pile_up(void **state) {
    (void)state;
    lf_camera camera = camera_at(-60, 40, 130);
    lf_vec3 up = lf_vec3_unit(camera.position);
    camera.look_ahead = 0.2;
    camera.acceleration = lf_vec3_scale(up, -10); // as gravity
    lf_camera_result result;
    for (int i = 0; i < 300; i++)
        step(&camera, 1.0 / 60, &result);
    assert_true(space_of(&camera) < 0.1); // it has come to rest on the ground
    assert_true(lf_vec3_length(camera.velocity) < 1);
    assert_true(lf_vec3_dot(camera.acceleration, up) ==
                lf_vec3_dot(lf_vec3_scale(up, -10), up)); // the caller's
    camera = camera_at(5, 0, 200);
    camera.turn_acceleration = (lf_vec3){0, 0, degree};
    step(&camera, 0.5, &result);
    assert_true(camera.turn.z == 0.5 * degree);
}

/// Rise to the wall with and without looking ahead: the highest rate.
static double highest_rate(double look_ahead, uint32_t *did) {
    lf_camera camera = camera_at(5, 0, 200);
    camera.turn = (lf_vec3){0, 0, 0.5 * degree}; // the wall's foot is 9.5 s away
    camera.look_ahead = look_ahead;
    camera.raise_limit = 1000;
    lf_camera_result result;
    double highest = 0;
    *did = 0;
    for (int i = 0; i < 700; i++) {
        step(&camera, 1.0 / 60, &result);
        highest = fmax(highest, result.raise_rate);
        *did |= result.did;
    }
    return highest;
}

static void looking_ahead_is_smooth(void **state) {
    (void)state;
    uint32_t with, without;
    double smooth = highest_rate(4, &with), rough = highest_rate(0, &without);
    assert_true(with & LF_CAMERA_AHEAD);
    assert_false(without & LF_CAMERA_AHEAD);
    assert_true(smooth < 0.6 * rough); // the wall rises 400 m in 1.4 s; from 4 s away it is 300 m in 4 s
}

static void it_is_held_where_it_may_not_rise_fast_enough(void **state) {
    (void)state;
    lf_camera camera = camera_at(8, 0, 106);
    camera.turn = (lf_vec3){0, 0, degree};
    camera.raise_limit = 20;
    camera.look_ahead = 0.5;
    lf_camera_result result;
    int held = 0, frames = 0;
    double before = place_of(&camera).height;
    while (place_of(&camera).lon_deg < 12 && frames++ < 2000) {
        step(&camera, 0.05, &result);
        held += (result.did & LF_CAMERA_HELD) != 0;
        assert_true((result.share < 1) == ((result.did & LF_CAMERA_HELD) != 0));
        assert_true(place_of(&camera).height - before <= 20 * 0.05 + 1e-6);
        before = place_of(&camera).height;
    }
    assert_true(held > 100 && frames < 2000); // 400 m at 20 m/s are 400 frames, and then it goes on
}

static void it_recovers_within_the_frames_it_says(void **state) {
    (void)state;
    lf_camera camera = camera_at(0, -30, 20);
    camera.raise_limit = 60;
    lf_camera_result result;
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(globe), 0.1, &result), LF_OK);
    assert_int_equal(result.did, LF_CAMERA_RECOVERING | LF_CAMERA_HELD);
    assert_true(fabs(result.contact.depth - 85) < 0.001);
    assert_int_equal(result.frames, 15); // 85 m and a skin, 6 m at a time
    for (int64_t i = 1, frames = result.frames; i < frames; i++) {
        assert_true(space_of(&camera) < 0);
        assert_int_equal(lf_camera_step(&camera, lf_globe_ground(globe), 0.1, &result), LF_OK);
        assert_int_equal(result.frames, frames - i);
    }
    assert_true(space_of(&camera) >= 0);
    step(&camera, 0.1, &result);
    assert_int_equal(result.did, 0);
}

static void bounds_stand_in_for_missing_tiles(void **state) {
    (void)state;
    lf_globe *rough = small_planet_globe(planet, 1 << 20);
    lf_camera camera =
        camera_at(-90, 30, 506); // nothing there is higher than 100 m, but nobody knows that yet
    lf_camera_result result;
    camera.turn = (lf_vec3){0, 0, 0.1 * degree};
    camera.look_ahead = 0;
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(rough), 0.1, &result), LF_OK);
    assert_int_equal(result.did, 0);
    camera.position = at(60, 30, 300); // the half with the wall
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(rough), 0.1, &result), LF_OK);
    assert_true(result.did & LF_CAMERA_COARSE);
    assert_true(result.contact.ground.coarser && result.contact.ground.ceiling == 500);
    assert_int_equal(lf_globe_load_area(rough, (lf_geodetic_box){50, 20, 70, 40}, 4), LF_OK);
    camera.position = at(60, 30, 300);
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(rough), 0.1, &result), LF_OK);
    assert_int_equal(result.did, 0);
    lf_globe_destroy(rough);
}

static void sources_without_bounds_say_so(void **state) {
    (void)state;
    small_planet *hidden = small_planet_make((lf_ellipsoid){RADIUS, 0}, 5, SMALL_PLANET_SPIKES, 0, 1);
    hidden->bounded = false;
    for (int64_t i = 0; i < hidden->columns * hidden->rows; i++)
        hidden->samples[i] = i % 16 == 0 && i / hidden->columns % 16 == 0 ? 0 : 300; // what roots do not show
    lf_globe *rough = small_planet_globe(hidden, (size_t)1 << 30);
    lf_camera camera = camera_at(3, 3, 50);
    lf_camera_result result;
    camera.raise_limit = 500;
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(rough), 0.1, &result), LF_OK);
    assert_int_equal(result.did, LF_CAMERA_UNPROVEN);
    assert_int_equal(lf_globe_load_area(rough, (lf_geodetic_box){0, 0, 10, 10}, 4), LF_OK);
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(rough), 0.1, &result), LF_OK);
    assert_true(result.did & LF_CAMERA_RECOVERING && result.frames == 6); // 255 m, 50 m at a time
    for (int64_t i = result.frames; i > 1; i--)
        assert_int_equal(lf_camera_step(&camera, lf_globe_ground(rough), 0.1, &result), LF_OK);
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(rough), 0.1, &result), LF_OK);
    assert_int_equal(result.did, 0);
    lf_globe_destroy(rough);
    small_planet_free(hidden);
}

static void far_from_ground_nothing_is_done(void **state) {
    (void)state;
    lf_camera camera = camera_at(30, 60, 5000);
    lf_camera_result result;
    camera.velocity = (lf_vec3){10, 20, 30};
    lf_vec3 wanted = lf_vec3_along(camera.position, 0.25, camera.velocity);
    step(&camera, 0.25, &result);
    assert_int_equal(result.did, 0);
    assert_memory_equal(&camera.position, &wanted, sizeof wanted);
    assert_true(result.bounds <= 2); // one look at where it is, one at all of its way
    lf_vec3 to = at(31, 61, 4000);
    assert_int_equal(lf_camera_aim(&camera, lf_globe_ground(globe), to, 2), LF_OK);
    camera.look_ahead = 0;
    step(&camera, 2, &result);
    assert_true(lf_vec3_length(lf_vec3_sub(camera.position, to)) < 1e-6);
    lf_vec3 half = lf_camera_at(&result, lf_globe_ground(globe), 1);
    assert_true(fabs(lf_ellipsoid_to_geodetic(&planet->ellipsoid, half).height - 4500) < 60);
}

static void arguments_are_checked(void **state) {
    (void)state;
    const lf_camera good = camera_at(0, 0, 1000);
    lf_camera_result result;
    lf_camera_contact contact;
    lf_camera camera = good;
    assert_int_equal(lf_camera_step(NULL, lf_globe_ground(globe), 1, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_camera_step(&camera, NULL, 1, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(globe), 0, &result), LF_BAD_ARGUMENT);
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(globe), LF_NAN, &result), LF_BAD_ARGUMENT);
    assert_int_equal(lf_camera_move(&camera, lf_globe_ground(globe), (lf_vec3){0, 0, 0}, &result),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_camera_check(&camera, lf_globe_ground(globe), good.position, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_camera_aim(&camera, lf_globe_ground(globe), (lf_vec3){0, 0, 0}, 1), LF_BAD_ARGUMENT);
    assert_int_equal(lf_camera_aim(&camera, lf_globe_ground(globe), good.position, 0), LF_BAD_ARGUMENT);
    double *const spoiled[] = {&camera.position.x,     &camera.velocity.y, &camera.turn.z,
                               &camera.acceleration.x, &camera.clearance,  &camera.turn_acceleration.x,
                               &camera.raise_limit,    &camera.look_ahead};
    for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
        camera = good;
        *spoiled[i] = LF_NAN;
        assert_int_equal(lf_camera_step(&camera, lf_globe_ground(globe), 1, &result), LF_BAD_ARGUMENT);
        assert_int_equal(lf_camera_check(&camera, lf_globe_ground(globe), good.position, &contact),
                         LF_BAD_ARGUMENT);
    }
    camera = good;
    camera.size--;
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(globe), 1, &result), LF_BAD_ARGUMENT);
    camera = good;
    assert_int_equal(lf_camera_step(&camera, lf_globe_ground(globe), 1, NULL), LF_OK);
    camera = lf_camera_default();
    assert_true(camera.size == sizeof camera && camera.layers == UINT32_MAX);
    lf_camera fresh = lf_camera_default();
    assert_memory_equal(&camera, &fresh,
                        offsetof(lf_camera, layers) + sizeof camera.layers); // padding may differ
    assert_string_equal(lf_camera_act_name(LF_CAMERA_HELD), "held");
    assert_string_equal(lf_camera_act_name((lf_camera_act)3), "?");
    assert_non_null(strstr(lf_camera_act_reason(LF_CAMERA_SLID), "along"));
    assert_string_equal(lf_camera_act_reason((lf_camera_act)0), "?");
}

/// Over the wall at 10 degrees, and down to the path again behind it.
static void paths_are_followed(void **state) {
    (void)state;
    enum { STOPS = 41 };
    lf_camera_stop stops[STOPS];
    lf_camera_path path = {stops, STOPS, 0, globe};
    lf_camera camera = camera_at(0, 0, 0);
    lf_camera_frame frame;
    for (int i = 0; i < STOPS; i++)
        stops[i] = (lf_camera_stop){100 + 2.0 * i, at(5 + 0.25 * i, 20, 200)};
    assert_int_equal(lf_camera_path_begin(&camera, lf_globe_ground(globe), &path, &frame), LF_OK);
    assert_memory_equal(&camera.position, &stops[0].position, sizeof(lf_vec3));
    assert_true(frame.time == 100 && frame.path_time == 100 && frame.raised == 0 && !frame.arrived);
    double highest = 0;
    bool raised = false, on_path = false;
    for (int i = 0; i < 10 * STOPS && !frame.arrived; i++) {
        lf_vec3 was = frame.goal;
        assert_int_equal(lf_camera_path_step(&camera, lf_globe_ground(globe), &path, &frame), LF_OK);
        assert_true(space_of(&camera) >= -1e-6);
        assert_true(frame.path_time <= frame.time && frame.raised >= 0);
        lf_vec3 goal = lf_camera_path_at(&path, lf_globe_ground(globe), frame.path_time, NULL);
        assert_memory_equal(&goal, &frame.goal, sizeof goal);
        assert_true(memcmp(&was, &frame.goal, sizeof was) != 0);
        highest = fmax(highest, place_of(&camera).height);
        raised = raised || (frame.result.did & (LF_CAMERA_RAISED | LF_CAMERA_AHEAD));
        on_path = raised && frame.result.did == 0 && frame.raised == 0;
    }
    assert_true(frame.arrived && raised && on_path);
    assert_true(highest > 505 && highest < 700);
    assert_memory_equal(&camera.position, &stops[STOPS - 1].position, sizeof(lf_vec3));
    assert_int_equal(lf_camera_path_step(&camera, lf_globe_ground(globe), &path, &frame), LF_BAD_ARGUMENT);
}

static void paths_that_begin_under_ground(void **state) {
    (void)state;
    lf_camera_stop stops[3] = {{0, at(0, 20, 50)}, {1, at(0.1, 20, 300)}, {2, at(0.2, 20, 300)}};
    lf_camera_path path = {stops, 3, 4, globe};
    lf_camera camera = camera_at(0, 0, 0), before;
    lf_camera_frame frame;
    assert_int_equal(lf_camera_path_begin(&camera, lf_globe_ground(globe), &path, &frame), LF_OK);
    assert_int_equal(frame.result.did, LF_CAMERA_RECOVERING);
    assert_true(fabs(frame.raised - 55) < 1 && space_of(&camera) >= -1e-6);
    before = camera;
    stops[2].time = 1;
    assert_int_equal(lf_camera_path_begin(&camera, lf_globe_ground(globe), &path, &frame), LF_BAD_ARGUMENT);
    stops[2].time = 2;
    stops[1].position.x = NAN;
    assert_int_equal(lf_camera_path_begin(&camera, lf_globe_ground(globe), &path, &frame), LF_BAD_ARGUMENT);
    stops[1].position = at(0.1, 20, 300);
    path.stop_count = 1;
    assert_int_equal(lf_camera_path_begin(&camera, lf_globe_ground(globe), &path, &frame), LF_BAD_ARGUMENT);
    path.stop_count = 3;
    stops[0].position = (lf_vec3){0, 0, 0};
    assert_int_equal(lf_camera_path_begin(&camera, lf_globe_ground(globe), &path, &frame), LF_BAD_ARGUMENT);
    assert_int_equal(lf_camera_path_begin(&camera, lf_globe_ground(globe), NULL, &frame), LF_BAD_ARGUMENT);
    assert_memory_equal(&camera, &before, sizeof camera);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_followed),
        cmocka_unit_test(paths_that_begin_under_ground),
        cmocka_unit_test(without_velocity_it_is_not_moved_into_ground),
        cmocka_unit_test(the_whole_movement_is_examined),
        cmocka_unit_test(linear_velocity_slides),
        cmocka_unit_test(turn_is_kept_and_the_camera_raised),
        cmocka_unit_test(accelerations_do_not_pile_up),
        cmocka_unit_test(looking_ahead_is_smooth),
        cmocka_unit_test(it_is_held_where_it_may_not_rise_fast_enough),
        cmocka_unit_test(it_recovers_within_the_frames_it_says),
        cmocka_unit_test(bounds_stand_in_for_missing_tiles),
        cmocka_unit_test(sources_without_bounds_say_so),
        cmocka_unit_test(far_from_ground_nothing_is_done),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
