#include "support.h"

/// A square of 20 m with the height z = 0.1 x + 0.2 y + 3, a hole at its east (x > 10), a step of 1 m at x < 0.
static const lf_vec3 vertices[] = {
    {0, -10, 1},   {10, -10, 2},  {10, 10, 6},  {0, 10, 5},   // slope
    {-10, -10, 4}, {0, -10, 4},   {0, 10, 4},   {-10, 10, 4}, // level
    {20, -10, 9},  {30, -10, 9},  {30, 10, 9},  {20, 10, 9},  // level, behind the hole
    {20, -10, 12}, {30, -10, 12}, {30, 10, 12}, {20, 10, 12}, // a roof over it
};
static const int64_t starts[] = {0, 4, 8, 12, 16};
static const int64_t corners[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

typedef struct yard {
    lf_mesh *mesh;
    const lf_ground *ground;
} yard;

static yard make_yard(void) {
    yard y;
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){
        .vertices = vertices, .vertex_count = 16, .starts = starts, .corners = corners, .polygon_count = 4};
    assert_int_equal(lf_mesh_create(&def, &y.mesh, NULL), LF_OK);
    y.ground = lf_mesh_ground(y.mesh);
    return y;
}

static void drop_yard(yard y) {
    lf_mesh_destroy(y.mesh);
}

static void near(double a, double b) {
    assert_true(fabs(a - b) <= 1e-12 * (1 + fabs(b)));
}

static lf_stance stand(yard y, const lf_footprint *footprint, lf_vec3 point, lf_vec3 heading) {
    lf_stance stance;
    assert_int_equal(lf_ground_stand(y.ground, footprint, point, heading, &stance, NULL), LF_OK);
    return stance;
}

static const lf_vec3 east = {1, 0, 0}, north = {0, 1, 0};

static void three_points_give_the_plane(void **state) {
    (void)state;
    yard y = make_yard();
    lf_footprint three = lf_footprint_three((lf_vec2){2, 0}, (lf_vec2){-1, 1}, (lf_vec2){-1, -1});
    lf_stance s = stand(y, &three, (lf_vec3){5, 0, INFINITY}, east);
    assert_true(s.stands && s.grounded == 3);
    near(s.position.z, 3.5);
    assert_true(s.position.x == 5 && s.position.y == 0);
    near(s.pitch, atan(0.1));            // uphill to the east
    near(tan(s.roll), 0.2 / sqrt(1.01)); // left, the north, is up
    near(lf_vec3_length(s.normal), 1);
    near(s.normal.x / s.normal.z, -0.1);
    near(lf_vec3_dot(s.normal, s.forward), 0);
    for (int i = 0; i < 3; i++)
        near(s.gaps[i], 0);
    // Backwards everything is the other way round.
    s = stand(y, &three, (lf_vec3){5, 0, 50}, (lf_vec3){-3, 0, 7});
    near(s.pitch, -atan(0.1));
    near(tan(s.roll), -0.2 / sqrt(1.01));
    drop_yard(y);
}

static void four_wheels_over_a_step(void **state) {
    (void)state;
    yard y = make_yard();
    lf_footprint wheels = lf_footprint_wheels(2, 1);
    wheels.contacts[0].x = wheels.contacts[1].x = 1;
    lf_stance s = stand(y, &wheels, (lf_vec3){0, 0, INFINITY}, north);
    // Left wheels on 4, right wheels (x = 0.5) on 3.05 + 0.2 y: front 3.25, rear 2.85; the fit halves what is
    // over.
    assert_true(s.stands && s.grounded == 4);
    near(s.contacts[0].point.z, 4);
    near(s.contacts[1].point.z, 3.25);
    near(s.contacts[3].point.z, 2.85);
    near(s.position.z, (4 + 4 + 3.25 + 2.85) / 4);
    near(tan(s.pitch), 0.1);
    for (int i = 0; i < 4; i++)
        near(fabs(s.gaps[i]), 0.1);
    // A stiff frame rests on the higher diagonal, rear left to front right 7.25, against 6.85.
    wheels.rule = LF_STAND_REST;
    s = stand(y, &wheels, (lf_vec3){0, 0, INFINITY}, north);
    double lowest = fmin(fmin(s.gaps[0], s.gaps[1]), fmin(s.gaps[2], s.gaps[3]));
    near(lowest, 0);
    near(s.gaps[1], 0);
    near(s.gaps[2], 0);
    near(s.gaps[0], 0);
    near(s.gaps[3], 0.4);
    // With the weight at the back it rests on the rear axle.
    for (int i = 0; i < 4; i++)
        wheels.contacts[i].x += 0.5;
    s = stand(y, &wheels, (lf_vec3){0, -0.5, INFINITY}, north);
    near(s.gaps[3], 0);
    near(s.gaps[0], 0.4);
    // On one plane there is nothing to choose.
    s = stand(y, &wheels, (lf_vec3){5, 0, INFINITY}, north);
    assert_true(s.stands);
    for (int i = 0; i < 4; i++)
        near(s.gaps[i], 0);
    drop_yard(y);
}

static void a_wheel_over_a_hole_is_told(void **state) {
    (void)state;
    yard y = make_yard();
    lf_footprint wheels = lf_footprint_wheels(2, 1);
    // North-east, so that only the front right wheel is over the hole.
    lf_stance s = stand(y, &wheels, (lf_vec3){9.4, 0, INFINITY}, (lf_vec3){1, 1, 0});
    assert_true(s.stands && s.grounded == 3);
    assert_true(s.contacts[1].kind == LF_HIT_NONE && s.contacts[1].reason == LF_REASON_HOLE &&
                s.gaps[1] == 0);
    near(s.position.z, 0.94 + 3);
    s = stand(y, &wheels, (lf_vec3){10, 0, INFINITY}, east);
    assert_true(!s.stands && s.grounded == 2 && s.pitch == 0 && s.position.z == 0);
    s = stand(y, &wheels, (lf_vec3){5, 10, INFINITY}, north);
    assert_true(!s.stands && s.contacts[0].reason == LF_REASON_OUTSIDE &&
                s.contacts[2].reason == LF_REASON_ANSWERED);
    lf_footprint three = lf_footprint_three((lf_vec2){2, 0}, (lf_vec2){-1, 1}, (lf_vec2){-1, -1});
    assert_false(stand(y, &three, (lf_vec3){9, 0, INFINITY}, east).stands);
    drop_yard(y);
}

static void floors_and_reach(void **state) {
    (void)state;
    yard y = make_yard();
    lf_footprint wheels = lf_footprint_wheels(2, 1);
    near(stand(y, &wheels, (lf_vec3){25, 0, INFINITY}, north).position.z, 12);
    near(stand(y, &wheels, (lf_vec3){25, 0, 10}, north).position.z, 9);
    assert_int_equal(stand(y, &wheels, (lf_vec3){25, 0, 8}, north).contacts[0].reason, LF_REASON_NONE);
    wheels.reach = 1;
    near(stand(y, &wheels, (lf_vec3){25, 0, 8}, north).position.z, 9);
    wheels.reach = INFINITY;
    near(stand(y, &wheels, (lf_vec3){25, 0, 8}, north).position.z, 12);
    drop_yard(y);
}

static void tilted_wheels_come_nearer(void **state) {
    (void)state;
    yard y = make_yard();
    lf_footprint wheels = lf_footprint_wheels(2, 1);
    lf_stance once = stand(y, &wheels, (lf_vec3){5, 0, INFINITY}, north);
    near(lf_vec3_length(lf_vec3_sub(once.contacts[0].point, once.contacts[2].point)), 2 * sqrt(1.04));
    wheels.passes = 16;
    lf_stance often = stand(y, &wheels, (lf_vec3){5, 0, INFINITY}, north);
    near(lf_vec3_length(lf_vec3_sub(often.contacts[0].point, often.contacts[2].point)), 2);
    near(lf_vec3_length(lf_vec3_sub(often.contacts[0].point, often.contacts[1].point)), 1);
    near(often.pitch, once.pitch);
    drop_yard(y);
}

/// The same yard under any gravity: turned along, everything is the same.
static void any_gravity(void **state) {
    (void)state;
    yard y = make_yard();
    lf_pose pose;
    assert_int_equal(lf_pose_turn((lf_vec3){1, 2, 3}, (lf_vec3){1, -2, 0.5}, 2.2, &pose), LF_OK);
    lf_vec3 turned[16];
    for (int i = 0; i < 16; i++)
        turned[i] = lf_pose_to_world(&pose, vertices[i]);
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){
        .vertices = turned, .vertex_count = 16, .starts = starts, .corners = corners, .polygon_count = 4};
    assert_int_equal(lf_frame_gravity(lf_pose_turn_to_world(&pose, (lf_vec3){0, 0, -9.81}), &def.frame),
                     LF_OK);
    yard t;
    assert_int_equal(lf_mesh_create(&def, &t.mesh, NULL), LF_OK);
    t.ground = lf_mesh_ground(t.mesh);
    test_random random = test_random_start(77);
    lf_footprint wheels = lf_footprint_wheels(2, 1);
    for (int i = 0; i < 300; i++) {
        lf_vec3 p = {test_random_between(&random, -10, 30), test_random_between(&random, -10, 10), 20};
        double angle = test_random_between(&random, -4, 4);
        lf_vec3 heading = {cos(angle), sin(angle), 0};
        wheels.rule = i % 2 ? LF_STAND_FIT : LF_STAND_REST;
        lf_stance a = stand(y, &wheels, p, heading);
        lf_stance b = stand(t, &wheels, lf_pose_to_world(&pose, p), lf_pose_turn_to_world(&pose, heading));
        assert_int_equal(a.grounded, b.grounded);
        assert_int_equal(a.stands, b.stands);
        assert_true(fabs(a.pitch - b.pitch) < 1e-9 && fabs(a.roll - b.roll) < 1e-9);
        if (a.stands)
            assert_true(lf_vec3_length(lf_vec3_sub(lf_pose_to_world(&pose, a.position), b.position)) < 1e-9);
    }
    drop_yard(t);
    drop_yard(y);
}

static void bad_footprints_are_refused(void **state) {
    (void)state;
    yard y = make_yard();
    lf_stance s;
    lf_vec3 p = {5, 0, 9};
    lf_footprint good = lf_footprint_wheels(2, 1), bad = good;
    assert_int_equal(lf_ground_stand(y.ground, &good, p, (lf_vec3){0, 0, 1}, &s, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_stand(y.ground, &good, p, (lf_vec3){0, 0, 0}, &s, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_stand(y.ground, &good, p, (lf_vec3){NAN, 0, 0}, &s, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_stand(y.ground, &good, (lf_vec3){NAN, 0, 0}, east, &s, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_stand(y.ground, NULL, p, east, &s, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_ground_stand(y.ground, &good, p, east, NULL, NULL), LF_BAD_ARGUMENT);
    bad.count = 5;
    assert_int_equal(lf_ground_stand(y.ground, &bad, p, east, &s, NULL), LF_BAD_ARGUMENT);
    bad = good;
    bad.contacts[2] = (lf_vec2){1, 7}; // on the line of the front axle
    assert_int_equal(lf_ground_stand(y.ground, &bad, p, east, &s, NULL), LF_BAD_ARGUMENT);
    bad = good;
    bad.contacts[3].y = INFINITY;
    assert_int_equal(lf_ground_stand(y.ground, &bad, p, east, &s, NULL), LF_BAD_ARGUMENT);
    bad = good;
    bad.reach = -1;
    assert_int_equal(lf_ground_stand(y.ground, &bad, p, east, &s, NULL), LF_BAD_ARGUMENT);
    bad = good;
    bad.passes = 0;
    assert_int_equal(lf_ground_stand(y.ground, &bad, p, east, &s, NULL), LF_BAD_ARGUMENT);
    drop_yard(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_points_give_the_plane), cmocka_unit_test(four_wheels_over_a_step),
        cmocka_unit_test(a_wheel_over_a_hole_is_told), cmocka_unit_test(floors_and_reach),
        cmocka_unit_test(tilted_wheels_come_nearer),   cmocka_unit_test(any_gravity),
        cmocka_unit_test(bad_footprints_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
