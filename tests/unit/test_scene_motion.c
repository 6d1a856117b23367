/// Velocities: given, measured over one or more steps, of instances and of parts.
#include "scenes.h"
#include <math.h>

static const lf_vec3 unit = {1, 1, 1}, still = {0, 0, 0};

static lf_vec3 velocity_of(lf_scene *scene, lf_instance instance) {
    lf_instance_info info;
    assert_int_equal(lf_instance_describe(scene, instance, &info), LF_OK);
    return info.velocity;
}

static void step(lf_scene *scene, double dt) {
    assert_int_equal(lf_scene_step(scene, dt, NULL), LF_OK);
}

static void velocity_is_measured_by_the_centre(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, still, still);
    step(scene, 0.5);
    assert_true(lf_vec3_length(velocity_of(scene, a)) == 0);
    lf_instance_move(scene, a, (lf_vec3){1, 2, 0});
    step(scene, 0.5);
    lf_vec3 v = velocity_of(scene, a);
    assert_true(fabs(v.x - 2) < 1e-12 && fabs(v.y - 4) < 1e-12);
    // What grows to one side has a centre that moves; what grows to both sides has not.
    lf_instance_scale(scene, a, (lf_vec3){3, 3, 3});
    step(scene, 0.5);
    assert_true(lf_vec3_length(velocity_of(scene, a)) < 1e-12);
    test_part(scene, test_top(scene, a), LF_SHAPE_BOX, unit, (lf_vec3){0, 0, 2});
    step(scene, 0.5);
    assert_true(velocity_of(scene, a).z > 1);
    step(scene, 0.5);
    assert_true(lf_vec3_length(velocity_of(scene, a)) < 1e-12);
    lf_scene_destroy(scene);
}

/// A bird: its wings go up and down every second step while it flies on at 10 m/s.
static void a_bird_needs_two_steps(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance birds[2];
    lf_part wings[2];
    for (int i = 0; i < 2; i++) {
        birds[i] = test_box(scene, (lf_vec3){1, 0.2, 0.2}, (lf_vec3){0, 10.0 * i, 5}, still);
        wings[i] = test_part(scene, test_top(scene, birds[i]), LF_SHAPE_BOX, (lf_vec3){0.2, 2, 0.02}, still);
    }
    assert_int_equal(lf_instance_set_motion(scene, birds[1], LF_MOTION_MEASURED, (lf_vec3){0, 0, 0},
                                            (lf_vec3){0, 0, 0}, 2),
                     LF_OK);
    assert_int_equal(lf_instance_set_motion(scene, birds[1], LF_MOTION_MEASURED, (lf_vec3){0, 0, 0},
                                            (lf_vec3){0, 0, 0}, 65),
                     LF_BAD_ARGUMENT);
    for (int s = 0; s < 20; s++) {
        for (int i = 0; i < 2; i++) {
            lf_transform flap = lf_translation(0, 0, s % 2 ? -1 : 1);
            lf_part_transform(scene, wings[i], &flap);
            lf_instance_move(scene, birds[i], (lf_vec3){1, 0, 0});
        }
        step(scene, 0.1);
        if (s < 3)
            continue;
        assert_true(fabs(velocity_of(scene, birds[0]).z) > 3);    // up and down
        assert_true(fabs(velocity_of(scene, birds[1]).z) < 1e-9); // straight on
        assert_true(fabs(velocity_of(scene, birds[1]).x - 10) < 1e-9);
    }
    lf_scene_destroy(scene);
}

static void parts_have_velocities_too(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, still, (lf_vec3){1, 0, 0});
    lf_part arm = test_part(scene, test_top(scene, a), LF_SHAPE_SOLID, unit, still);
    lf_part hand = test_part(scene, arm, LF_SHAPE_BOX, (lf_vec3){0.1, 0.1, 0.1}, (lf_vec3){0, 2, 0});
    lf_vec3 v;
    lf_part_info info;
    step(scene, 1);
    assert_int_equal(lf_part_describe(scene, hand, &info), LF_OK);
    v = info.velocity;
    assert_true(v.x == 1 && v.y == 0);
    assert_int_equal(lf_part_set_velocity(scene, arm, NULL, 1), LF_OK);
    step(scene, 1);
    lf_transform lower = lf_translation(0, -0.5, 0);
    lf_part_transform(scene, arm, &lower);
    step(scene, 1);
    assert_int_equal(lf_part_describe(scene, hand, &info), LF_OK);
    v = info.velocity; // that of the arm above it
    assert_true(fabs(v.x - 1) < 1e-12 && fabs(v.y + 0.5) < 1e-12);
    lf_vec3 given = {7, 8, 9};
    assert_int_equal(lf_part_set_velocity(scene, hand, &given, 0), LF_OK);
    assert_int_equal(lf_part_describe(scene, hand, &info), LF_OK);
    v = info.velocity;
    assert_true(v.z == 9);
    assert_int_equal(lf_part_set_velocity(scene, hand, NULL, 0), LF_OK);
    assert_int_equal(lf_part_set_velocity(scene, arm, NULL, 0), LF_OK);
    assert_int_equal(lf_part_describe(scene, hand, &info), LF_OK);
    v = info.velocity;
    assert_true(v.x == 1 && v.y == 0);
    assert_int_equal(lf_part_set_velocity(scene, arm, NULL, -1), LF_BAD_ARGUMENT);
    lf_scene_destroy(scene);
}

/// A hand with a velocity of its own is predicted to hit although its instance stands still.
static void predictions_know_the_velocities_of_parts(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, still, still);
    lf_part hand = test_part(scene, test_top(scene, a), LF_SHAPE_BOX, unit, (lf_vec3){0, 2, 0});
    test_box(scene, unit, (lf_vec3){0, 8, 0}, still);
    lf_vec3 given = {0, 1, 0};
    assert_int_equal(lf_part_set_velocity(scene, hand, &given, 0), LF_OK);
    lf_watch_def def = lf_watch_def_default();
    def.ahead = 10;
    assert_int_equal(lf_watch_create(scene, &def, NULL, NULL),
                     LF_OK); // boxes: that of the instance stands still
    def.precision = LF_WATCH_PARTS;
    assert_int_equal(lf_watch_create(scene, &def, NULL, NULL), LF_OK);
    lf_event event = test_only(scene, 1, LF_EVENT_PREDICTED);
    assert_true(event.watch.index == 1 && fabs(event.wait - 5) < 1e-9 && event.part_a.index == hand.index);
    lf_scene_destroy(scene);
}

static void what_is_carried_moves_and_spins(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, (lf_vec3){4, 1, 1}, still, still);
    assert_int_equal(
        lf_instance_set_motion(scene, a, LF_MOTION_CARRIED, (lf_vec3){1, 0, 0}, (lf_vec3){0, 0, 0.5}, 0),
        LF_OK);
    for (int i = 0; i < 1000; i++)
        step(scene, 0.01);
    lf_instance_info info;
    lf_instance_describe(scene, a, &info);
    assert_true(fabs(info.pose.translation.x - 10) < 1e-9 && lf_pose_rigid(&info.pose));
    assert_true(fabs(info.pose.rows[0].x - cos(5)) < 1e-9 && fabs(info.pose.rows[1].x - sin(5)) < 1e-9);
    assert_true(fabs(lf_scene_describe(scene).time - 10) < 1e-9 && lf_scene_describe(scene).steps == 1000);
    assert_int_equal(lf_instance_set_motion(scene, a, (lf_motion)7, still, still, 0), LF_BAD_ARGUMENT);
    assert_int_equal(lf_instance_set_motion(scene, a, LF_MOTION_GIVEN, (lf_vec3){LF_NAN, 0, 0}, still, 0),
                     LF_BAD_ARGUMENT);
    lf_scene_destroy(scene);
}

static void a_spinning_rod_is_predicted_in_time(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance rod = test_box(scene, (lf_vec3){4, 0.1, 0.1}, still, still);
    test_box(scene, (lf_vec3){0.1, 0.1, 0.1}, (lf_vec3){0, 1.5, 0}, still);
    lf_instance_set_motion(scene, rod, LF_MOTION_CARRIED, still, (lf_vec3){0, 0, 0.1}, 0);
    lf_watch_def def = lf_watch_def_default();
    def.ahead = 100;
    def.precision = LF_WATCH_CONVEX;
    assert_int_equal(lf_watch_create(scene, &def, NULL, NULL), LF_OK);
    lf_event event = test_only(scene, 0.01, LF_EVENT_PREDICTED);
    double when = event.time,
           wanted = (1.57079632679 - 0.0667) / 0.1; // about: its side comes to the corner of the box
    assert_true(when > wanted - 0.3 && when < wanted + 0.3);
    int64_t count = 0;
    const lf_event *events = NULL;
    while (count == 0 && lf_scene_describe(scene).time < 20)
        events = test_step(scene, 0.05, &count);
    assert_true(count > 0 && events[0].kind == LF_EVENT_BEGIN);
    assert_true(events[0].time >= when - 1e-6 &&
                events[0].time < when + 0.01); // never late, and not early either
    lf_scene_destroy(scene);
}

/// Parts about an instance's origin go round with it; a step may turn it by up to half a turn.
static void what_turns_within_a_step_sweeps_a_circle(void **state) {
    (void)state;
    for (int level = LF_WATCH_CONVEX; level <= LF_WATCH_MODEL; level++)
        for (int kind = 0; kind < 2; kind++) {
            lf_scene *scene = test_scene();
            lf_instance arm = test_box(scene, (lf_vec3){0.1, 0.1, 0.1}, (lf_vec3){7, 7, 7}, still);
            // A small ball or a plate at the end of an arm of 10 m.
            lf_part end = test_part(scene, test_top(scene, arm), kind ? LF_SHAPE_SPHERE : LF_SHAPE_BOX,
                                    (lf_vec3){0.2, 0.2, 0.2}, (lf_vec3){10, 0, 0});
            if (kind == 0) { // not convex by its nature
                static const lf_vec3 v[3] = {{-0.1, 0, -0.1}, {0.1, 0, -0.1}, {0, 0, 0.1}};
                static const int64_t corners[3] = {0, 1, 2};
                lf_shape shape = lf_part_def_default().shape;
                shape.kind = LF_SHAPE_POLYGONS;
                shape.polygons = (lf_polygons){v, 3, NULL, corners, 1, NULL, NULL, NULL};
                assert_int_equal(lf_part_set_shape(scene, end, &shape, NULL), LF_OK);
            }
            // Where it comes by after 1 of 3 radians, and one inside the circle, where it never is.
            lf_instance sample = test_box(scene, (lf_vec3){0.2, 0.2, 0.2},
                                          (lf_vec3){7 + 10 * cos(1.0), 7 + 10 * sin(1.0), 7}, still);
            test_box(scene, (lf_vec3){0.2, 0.2, 0.2}, (lf_vec3){7, 12, 7}, still);
            lf_watch_def def = lf_watch_def_default();
            def.precision = (lf_watch_precision)level;
            def.a = (lf_watch_filter){LF_WATCH_FILTER_INSTANCE, arm, {0, 0}, NULL};
            assert_int_equal(lf_watch_create(scene, &def, NULL, NULL), LF_OK);
            test_quiet(scene, 1);
            assert_int_equal(lf_instance_turn(scene, arm, (lf_vec3){0, 0, 1}, 3), LF_OK);
            int64_t count;
            const lf_event *events = test_step(scene, 3, &count);
            assert_int_equal(count, 2);
            assert_true(events[0].kind == LF_EVENT_BEGIN && events[0].b.instance.index == sample.index);
            assert_true(events[1].kind == LF_EVENT_END);
            double seconds = 3 + events[0].wait; // a radian per second, less what the two are thick
            assert_true(seconds > 0.96 && seconds < 0.995);
            lf_scene_destroy(scene);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_is_measured_by_the_centre),
        cmocka_unit_test(a_bird_needs_two_steps),
        cmocka_unit_test(parts_have_velocities_too),
        cmocka_unit_test(predictions_know_the_velocities_of_parts),
        cmocka_unit_test(what_is_carried_moves_and_spins),
        cmocka_unit_test(a_spinning_rod_is_predicted_in_time),
        cmocka_unit_test(what_turns_within_a_step_sweeps_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
