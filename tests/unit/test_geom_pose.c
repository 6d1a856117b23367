#include "support.h"

static void assert_near(lf_vec3 a, lf_vec3 b, double tolerance) {
    assert_true(lf_vec3_length(lf_vec3_sub(a, b)) <= tolerance);
}

static lf_vec3 any(test_random *random, double size) {
    lf_vec3 v;
    v.x = test_random_between(random, -size, size);
    v.y = test_random_between(random, -size, size);
    v.z = test_random_between(random, -size, size);
    return v;
}

static void a_quarter_turn_about_z(void **state) {
    (void)state;
    lf_pose pose;
    assert_int_equal(lf_pose_turn((lf_vec3){1, 1, 0}, (lf_vec3){0, 0, 5}, 2 * atan(1), &pose), LF_OK);
    assert_near(lf_pose_to_world(&pose, (lf_vec3){2, 1, 7}), (lf_vec3){1, 2, 7}, 1e-15);
    // The axis itself is not touched by a rounding: this is what keeps oriented structures usable.
    assert_true(pose.rows[2].x == 0 && pose.rows[2].y == 0 && pose.rows[2].z == 1);
    assert_true(pose.rows[0].z == 0 && pose.rows[1].z == 0 && pose.translation.z == 0);
}

static void there_and_back_and_one_after_the_other(void **state) {
    (void)state;
    test_random random = test_random_start(31);
    for (int i = 0; i < 1000; i++) {
        lf_pose a, b;
        lf_vec3 p = any(&random, 100);
        assert_int_equal(
            lf_pose_turn(any(&random, 10), any(&random, 1), test_random_between(&random, -7, 7), &a), LF_OK);
        assert_int_equal(
            lf_pose_turn(any(&random, 10), any(&random, 1), test_random_between(&random, -7, 7), &b), LF_OK);
        assert_true(lf_pose_rigid(&a));
        assert_near(lf_pose_to_local(&a, lf_pose_to_world(&a, p)), p, 1e-12);
        assert_near(lf_pose_turn_to_local(&a, lf_pose_turn_to_world(&a, p)), p, 1e-12);
        lf_pose both = lf_pose_then(&a, &b);
        assert_true(lf_pose_rigid(&both));
        assert_near(lf_pose_to_world(&both, p), lf_pose_to_world(&b, lf_pose_to_world(&a, p)), 1e-11);
    }
}

static void what_is_not_rigid_is_told(void **state) {
    (void)state;
    lf_pose pose = lf_pose_identity();
    assert_true(lf_pose_rigid(&pose));
    pose.rows[0].x = -1;
    assert_false(lf_pose_rigid(&pose)); // mirrored
    pose.rows[0].x = 1.001;
    assert_false(lf_pose_rigid(&pose)); // stretched
    pose.rows[0].x = 1;
    pose.rows[0].y = 0.001;
    assert_false(lf_pose_rigid(&pose)); // sheared
    pose = lf_pose_identity();
    pose.rows[2].z = NAN;
    assert_false(lf_pose_rigid(&pose));
    pose = lf_pose_identity();
    pose.translation.x = INFINITY;
    assert_false(lf_pose_rigid(&pose));
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 0}, 1, &pose), LF_BAD_ARGUMENT);
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 1}, NAN, &pose), LF_BAD_ARGUMENT);
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 1}, 1, NULL), LF_BAD_ARGUMENT);
}

static void north_in_every_frame(void **state) {
    (void)state;
    lf_frame frame = lf_frame_default();
    assert_near(lf_frame_north(&frame, (lf_vec3){3, 4, 5}), (lf_vec3){0, 1, 0}, 0);
    assert_int_equal(lf_frame_centre((lf_vec3){1, 0, 0}, &frame), LF_OK);
    assert_near(lf_frame_north(&frame, (lf_vec3){9, 0, 0}), (lf_vec3){0, 0, 1}, 1e-15);
    assert_near(lf_frame_north(&frame, (lf_vec3){1, 0, 8}), (lf_vec3){-1, 0, 0}, 1e-15);
    assert_near(lf_frame_north(&frame, (lf_vec3){1, 0, -8}), (lf_vec3){1, 0, 0}, 1e-15);
    assert_int_equal(lf_frame_axis((lf_vec3){0, 0, 0}, (lf_vec3){0, 3, 0}, false, &frame), LF_OK);
    assert_near(lf_frame_north(&frame, (lf_vec3){5, 5, 5}), (lf_vec3){0, 1, 0}, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarter_turn_about_z),
        cmocka_unit_test(there_and_back_and_one_after_the_other),
        cmocka_unit_test(what_is_not_rigid_is_told),
        cmocka_unit_test(north_in_every_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
