/// Scenes and ground: following it, and knowing when it will be hit.
#include "scenes.h"
#include "sweeps.h"
#include <math.h>

static const lf_vec3 still = {0, 0, 0};

/// Hills on a grid of 65 x 65 samples, 10 m apart.
typedef struct land {
    lf_grid *grid;
    const lf_ground *ground;
} land;

static double hill(double x, double y) {
    return 40 * sin(0.01 * x) * cos(0.013 * y) + 0.05 * x;
}

static land land_make(void) {
    static double heights[65 * 65];
    for (int r = 0; r < 65; r++)
        for (int c = 0; c < 65; c++)
            heights[65 * r + c] = hill(10.0 * c, 10.0 * r);
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 65;
    def.geotransform = (lf_geotransform){{0, 0}, {10, 0}, {0, 10}};
    land l;
    assert_int_equal(lf_grid_create(&def, &l.grid, NULL), LF_OK);
    l.ground = lf_grid_ground(l.grid);
    return l;
}

static void land_drop(land l) {
    lf_grid_destroy(l.grid);
}

static double height_at(const lf_ground *ground, double x, double y) {
    lf_hit hit;
    assert_int_equal(lf_ground_height(ground, (lf_vec3){x, y, LF_INFINITY}, LF_VERTICAL_DOWN, &hit, NULL),
                     LF_OK);
    assert_true(hit.kind != LF_HIT_NONE);
    return hit.point.z;
}

static void cars_follow_the_ground(void **state) {
    (void)state;
    land l = land_make();
    lf_scene *scene = test_scene();
    lf_instance car = test_box(scene, (lf_vec3){4, 2, 1.5}, (lf_vec3){100, 100, 500}, (lf_vec3){15, 5, 0});
    lf_footprint wheels = lf_footprint_wheels(2.5, 1.6);
    wheels.reach = 20;
    assert_int_equal(lf_instance_follow(scene, car, l.ground, &wheels, 0.75), LF_OK);
    for (int i = 0; i < 100; i++) {
        int64_t count;
        test_step(scene, 0.1, &count);
        lf_instance_info info;
        lf_stance stance, again;
        lf_instance_describe(scene, car, &info);
        assert_non_null(info.stance);
        stance = *info.stance;
        assert_true(stance.stands && stance.grounded == 4);
        lf_vec3 at = info.pose.translation;
        assert_true(fabs(at.x - (100 + 1.5 * (i + 1))) < 1e-9 && fabs(at.y - (100 + 0.5 * (i + 1))) < 1e-9);
        // It stands as lf_ground_stand says, lifted.
        assert_true(fabs(at.z - 0.75 - stance.position.z) < 1e-9);
        lf_vec3 x = {info.pose.rows[0].x, info.pose.rows[1].x, info.pose.rows[2].x};
        assert_true(fabs(x.x - stance.forward.x) < 1e-12 && fabs(x.z - stance.forward.z) < 1e-12);
        lf_vec3 point = {at.x, at.y, at.z};
        assert_int_equal(lf_ground_stand(l.ground, &wheels, point, x, &again, NULL), LF_OK);
        assert_true(fabs(again.position.z - stance.position.z) < 1e-9);
        assert_true(fabs(stance.position.z - height_at(l.ground, at.x, at.y)) < 0.5);
    }
    assert_int_equal(lf_instance_follow(scene, car, NULL, NULL, 0), LF_OK);
    lf_instance_info info;
    assert_int_equal(lf_instance_describe(scene, car, &info), LF_OK);
    assert_null(info.stance);
    lf_scene_destroy(scene);
    land_drop(l);
}

static void who_cannot_stand_stays(void **state) {
    (void)state;
    land l = land_make();
    lf_scene *scene = test_scene();
    lf_instance car = test_box(scene, (lf_vec3){4, 2, 1.5}, (lf_vec3){-1000, 0, 50}, still);
    lf_footprint wheels = lf_footprint_wheels(2.5, 1.6);
    assert_int_equal(lf_instance_follow(scene, car, l.ground, &wheels, 0), LF_OK);
    int64_t count;
    test_step(scene, 1, &count);
    lf_instance_info info;
    lf_instance_describe(scene, car, &info);
    assert_true(info.pose.translation.x == -1000 && info.pose.translation.z == 50);
    assert_non_null(info.stance);
    assert_false(info.stance->stands);
    wheels.count = 7;
    assert_int_equal(lf_instance_follow(scene, car, l.ground, &wheels, 0), LF_BAD_ARGUMENT);
    assert_int_equal(lf_instance_follow(scene, car, l.ground, NULL, 0), LF_BAD_ARGUMENT);
    lf_scene_destroy(scene);
    land_drop(l);
}

/// The sweep of the grid space, which knows nothing of models, for a box that is larger by so much all around; INFINITY: no contact.
static double swept_time(const land *l, const lf_pose *pose, lf_vec3 half, double larger, lf_vec3 velocity) {
    lf_vec3 by = {larger, larger, larger};
    lf_hit contact;
    assert_int_equal(sweep_box(lf_grid_ground(l->grid), pose, lf_vec3_add(half, by),
                               lf_vec3_scale(velocity, 10), 1e-6, &contact, NULL),
                     LF_OK);
    return contact.kind != LF_HIT_NONE ? 10 * contact.t : LF_INFINITY;
}

/// In the time by which the answer may be early, 1e-5 s, nothing here goes farther than 3e-4 m: a box larger by 1e-3 touches before, and
/// one smaller by 1e-4 not before.
static void oracle_time(const land *l, const lf_pose *pose, lf_vec3 half, lf_vec3 velocity, double time) {
    assert_true(swept_time(l, pose, half, 1e-3, velocity) <= time);
    assert_true(time <= swept_time(l, pose, half, -1e-4, velocity));
}

static void the_time_to_the_mountain_is_never_late(void **state) {
    (void)state;
    land l = land_make();
    test_random random = test_random_start(811);
    int met = 0;
    for (int64_t round = 0; round < test_rounds(10); round++) {
        lf_scene *scene = test_scene();
        double x = test_random_between(&random, 100, 540), y = test_random_between(&random, 100, 540);
        lf_vec3 at = {x, y, height_at(l.ground, x, y) + test_random_between(&random, 5, 60)};
        lf_vec3 velocity = {test_random_between(&random, -20, 20), test_random_between(&random, -20, 20), -5};
        if (round == 0) // one that surely meets it
            at.z = height_at(l.ground, x, y) + 20, velocity = (lf_vec3){0, 0, -5};
        lf_instance drone = test_box(scene, (lf_vec3){3, 2, 1}, at, velocity);
        lf_instance_turn(scene, drone, (lf_vec3){velocity.x, velocity.y, 9},
                         test_random_between(&random, 0, 3));
        lf_instance_info info;
        lf_instance_describe(scene, drone, &info);
        lf_thing thing = {drone, {0, 0}};
        lf_box box;
        lf_part_box(scene, test_top(scene, drone), &box);
        double times[4];
        for (int level = LF_WATCH_BOXES; level <= LF_WATCH_MODEL; level++)
            assert_int_equal(
                lf_scene_ground_time(scene, thing, l.ground, (lf_watch_precision)level, 10, &times[level]),
                LF_OK);
        lf_pose still_pose = lf_pose_identity();
        still_pose.translation = lf_box_centre(box);
        oracle_time(&l, &still_pose, lf_vec3_scale(lf_vec3_sub(box.high, box.low), 0.5), velocity,
                    times[LF_WATCH_BOXES]);
        oracle_time(&l, &info.pose, (lf_vec3){1.5, 1, 0.5}, velocity, times[LF_WATCH_MODEL]);
        assert_true(times[LF_WATCH_PARTS] == times[LF_WATCH_BOXES]);
        met += times[LF_WATCH_MODEL] < LF_INFINITY;
        lf_scene_destroy(scene);
    }
    assert_true(met > 0);
    land_drop(l);
}

static void a_drone_is_warned_and_lands(void **state) {
    (void)state;
    land l = land_make();
    lf_scene *scene = test_scene();
    double top = height_at(l.ground, 150, 20);
    lf_instance drone =
        test_box(scene, (lf_vec3){1, 1, 1}, (lf_vec3){150, 20, top + 20.5}, (lf_vec3){0, 0, -2});
    lf_watch_def def = lf_watch_def_default();
    def.a = (lf_watch_filter){LF_WATCH_FILTER_INSTANCE, drone, {0, 0}, NULL};
    def.b.kind = LF_WATCH_FILTER_GROUND;
    def.ground = l.ground;
    def.ahead = 5;
    lf_watch watch;
    assert_int_equal(lf_watch_create(scene, &def, &watch, NULL), LF_OK);
    int64_t count;
    int step = 0;
    const lf_event *events;
    do
        events = test_step(scene, 0.5, &count);
    while (count == 0 && ++step < 100);
    assert_int_equal(events[0].kind, LF_EVENT_PREDICTED);
    assert_true(events[0].wait <= 5 && events[0].wait > 4 && events[0].time < 10.001 && events[0].time > 9);
    assert_true(events[0].ground.kind != LF_HIT_NONE && lf_instance_is_none(events[0].b.instance));
    // It pulls up.
    lf_instance_set_motion(scene, drone, LF_MOTION_CARRIED, (lf_vec3){0, 0, 3}, still, 0);
    test_only(scene, 0.5, LF_EVENT_CLEARED);
    test_quiet(scene, 0.5);
    // And flies into it so fast that it is through in one step.
    lf_instance_set_motion(scene, drone, LF_MOTION_CARRIED, (lf_vec3){0, 0, -1000}, still, 0);
    events = test_step(scene, 0.5, &count);
    assert_int_equal(count, 1);
    assert_int_equal(events[0].kind, LF_EVENT_BEGIN);
    assert_true(events[0].wait < -0.4);
    lf_instance_set_motion(scene, drone, LF_MOTION_CARRIED, (lf_vec3){0, 0, 1000}, still, 0);
    test_quiet(scene, 0.25); // still under it
    test_only(scene, 0.5, LF_EVENT_END);
    assert_int_equal(lf_instance_remove(scene, drone), LF_OK);
    test_quiet(scene, 1);
    lf_scene_destroy(scene);
    land_drop(l);
}

static void bad_questions_are_refused(void **state) {
    (void)state;
    land l = land_make();
    lf_scene *scene = test_scene();
    lf_instance drone = test_box(scene, (lf_vec3){1, 1, 1}, still, still);
    lf_thing thing = {drone, {0, 0}}, gone = {{7, 1}, {0, 0}};
    double seconds = 7;
    assert_int_equal(lf_scene_ground_time(scene, gone, l.ground, LF_WATCH_BOXES, 1, &seconds),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_ground_time(scene, thing, l.ground, LF_WATCH_OWN, 1, &seconds),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_ground_time(scene, thing, l.ground, LF_WATCH_BOXES, -1, &seconds),
                     LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_ground_time(scene, thing, NULL, LF_WATCH_BOXES, 1, &seconds), LF_BAD_ARGUMENT);
    assert_true(seconds == 7);
    lf_scene_destroy(scene);
    land_drop(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cars_follow_the_ground),
        cmocka_unit_test(who_cannot_stand_stays),
        cmocka_unit_test(the_time_to_the_mountain_is_never_late),
        cmocka_unit_test(a_drone_is_warned_and_lands),
        cmocka_unit_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
