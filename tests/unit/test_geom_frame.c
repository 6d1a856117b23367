/// Frames: what turns "down" into -z.
#include "support.h"
#include <landfall/ground.h>
#include <landfall/mesh.h>
#include <math.h>
#include <string.h>

static lf_vec3 vec(double x, double y, double z) {
    return (lf_vec3){x, y, z};
}

static void assert_near(lf_vec3 a, lf_vec3 b, double tolerance) {
    assert_true(fabs(a.x - b.x) <= tolerance && fabs(a.y - b.y) <= tolerance && fabs(a.z - b.z) <= tolerance);
}

static lf_vec3 random_vec(test_random *random, double size) {
    lf_vec3 v;
    v.x = test_random_between(random, -size, size);
    v.y = test_random_between(random, -size, size);
    v.z = test_random_between(random, -size, size);
    return v;
}

static void straight_down_is_the_identity(void **state) {
    (void)state;
    lf_frame plain = lf_frame_default(), heavy;
    assert_int_equal(lf_frame_gravity(vec(0, 0, -9.81), &heavy), LF_OK);
    assert_memory_equal(plain.rows, heavy.rows, sizeof plain.rows);
    assert_true(heavy.down.z == -9.81); // as given
    lf_vec3 p = vec(0.1, 1e7, -3e-5), local = lf_frame_to_local(&heavy, p),
            back = lf_frame_to_world(&heavy, local);
    assert_memory_equal(&p, &local, sizeof p);
    assert_memory_equal(&p, &back, sizeof p);
    lf_vec3 down = lf_frame_down(&heavy, p);
    assert_true(down.x == 0 && down.y == 0 && down.z == -1);
    assert_int_equal(plain.kind, LF_FRAME_GRAVITY);
}

static void assert_rotation(const lf_frame *frame) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(lf_vec3_dot(frame->rows[i], frame->rows[k]) - (i == k)) < 1e-15);
    assert_near(lf_vec3_cross(frame->rows[0], frame->rows[1]), frame->rows[2], 1e-15); // no mirror
}

static void gravity_in_any_direction(void **state) {
    (void)state;
    test_random random = test_random_start(31);
    for (int i = 0; i < 2000; i++) {
        lf_vec3 gravity = random_vec(&random, 1);
        if (i == 0)
            gravity = vec(0, 0, 5); // upwards
        if (i % 4 == 1)
            gravity = vec(gravity.x * 1e-9, gravity.y * 1e-9, i % 8 == 1 ? 1 : -1);
        if (i % 4 == 2)
            gravity = lf_vec3_scale(gravity, 1e-300);
        lf_frame frame;
        assert_int_equal(lf_frame_gravity(gravity, &frame), LF_OK);
        assert_rotation(&frame);
        lf_vec3 p = random_vec(&random, 1e6), down = lf_frame_down(&frame, p);
        assert_near(down, lf_vec3_unit(gravity), 1e-15);
        assert_near(lf_frame_to_world(&frame, lf_frame_to_local(&frame, p)), p, 1e-8);
        // A metre down is one less in z and nothing else.
        lf_vec3 local = lf_frame_to_local(&frame, p), lower = lf_frame_to_local(&frame, lf_vec3_add(p, down));
        assert_near(lf_vec3_sub(lower, local), vec(0, 0, -1), 1e-8);
    }
}

static void a_centre(void **state) {
    (void)state;
    lf_frame frame;
    lf_vec3 centre = vec(10, 20, 30);
    assert_int_equal(lf_frame_centre(centre, &frame), LF_OK);
    assert_near(lf_frame_to_local(&frame, vec(15, 20, 30)), vec(0, 0, 5), 0);
    assert_near(lf_frame_to_local(&frame, vec(10, 25, 30)), vec(acos(0), 0, 5), 1e-15);
    assert_near(lf_frame_to_local(&frame, vec(10, 20, 37)), vec(0, acos(0), 7), 1e-15);
    assert_near(lf_frame_to_local(&frame, vec(10, 20, 23)), vec(0, -acos(0), 7), 1e-15);
    assert_near(lf_frame_to_local(&frame, centre), vec(0, 0, 0), 0);
    assert_near(lf_frame_down(&frame, vec(15, 20, 30)), vec(-1, 0, 0), 0);
    assert_near(lf_frame_down(&frame, centre), vec(0, 0, 0), 0);
    test_random random = test_random_start(32);
    for (int i = 0; i < 1000; i++) {
        lf_vec3 p = random_vec(&random, 1e7);
        lf_vec3 local = lf_frame_to_local(&frame, p);
        assert_near(lf_frame_to_world(&frame, local), p, 1e-8);
        lf_vec3 lower = lf_frame_to_local(&frame, lf_vec3_add(p, lf_frame_down(&frame, p)));
        assert_near(lf_vec3_sub(lower, local), vec(0, 0, -1), 1e-8);
    }
}

/// An axis is a direction: its length, however extreme, changes no answer, on a mesh either.
static void an_axis_of_any_length(void **state) {
    (void)state;
    const double lengths[] = {1, 0x1p-1040, 0x1p-600, 0x1p600, 0x1p1020};
    const lf_vec3 vertices[3] = {{5, -4, -4}, {5, 4, -4}, {5, 0, 4}};
    const int64_t corners[3] = {0, 1, 2}, starts[2] = {0, 3};
    double first = NAN;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        lf_mesh_def def = lf_mesh_def_default();
        lf_mesh *mesh;
        const lf_ground *ground;
        lf_hit hit;
        assert_int_equal(lf_frame_axis(vec(0, 0, 0), vec(0, 0, lengths[i]), true, &def.frame), LF_OK);
        def.polygons = (lf_polygons){.vertices = vertices,
                                     .vertex_count = 3,
                                     .corners = corners,
                                     .starts = starts,
                                     .polygon_count = 1};
        assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
        ground = lf_mesh_ground(mesh);
        assert_int_equal(lf_ground_height(ground, vec(9, 0.5, 0.25), LF_VERTICAL_DOWN, &hit, NULL), LF_OK);
        assert_int_equal(hit.reason, LF_REASON_ANSWERED);
        first = i == 0 ? hit.t : first;
        assert_true(hit.t == first);
        lf_mesh_destroy(mesh);
    }
}

static void an_axis(void **state) {
    (void)state;
    lf_frame in, out;
    lf_vec3 point = vec(1, 2, 3);
    assert_int_equal(lf_frame_axis(point, vec(0, 0, 4), true, &in), LF_OK);
    assert_int_equal(lf_frame_axis(point, vec(0, 0, 4), false, &out), LF_OK);
    assert_near(lf_frame_to_local(&in, vec(6, 2, 10)), vec(0, 7, 5), 0);
    assert_near(lf_frame_to_local(&out, vec(6, 2, 10)), vec(0, 7, -5), 0);
    assert_near(lf_frame_down(&in, vec(6, 2, 10)), vec(-1, 0, 0), 0);
    assert_near(lf_frame_down(&out, vec(6, 2, 10)), vec(1, 0, 0), 0);
    assert_near(lf_frame_down(&in, vec(1, 2, 99)), vec(0, 0, 0), 0);
    test_random random = test_random_start(33);
    for (int i = 0; i < 1000; i++) {
        lf_vec3 axis = random_vec(&random, 2), p = random_vec(&random, 1000);
        assert_int_equal(lf_frame_axis(point, axis, true, &in), LF_OK);
        assert_int_equal(lf_frame_axis(point, axis, false, &out), LF_OK);
        assert_rotation(&in);
        const lf_frame *frame = i % 2 ? &in : &out;
        lf_vec3 local = lf_frame_to_local(frame, p), down = lf_frame_down(frame, p);
        assert_true(fabs(lf_vec3_dot(down, lf_vec3_unit(axis))) < 1e-12);
        assert_near(lf_frame_to_world(frame, local), p, 1e-10);
        lf_vec3 lower = lf_frame_to_local(frame, lf_vec3_along(p, 1e-3, down));
        assert_near(lf_vec3_sub(lower, local), vec(0, 0, -1e-3), 1e-9);
        // Points of the axis itself have no down, although they are rounded.
        lf_vec3 on_axis = lf_vec3_along(point, test_random_between(&random, -100, 100), vec(0, 3, 0));
        assert_int_equal(lf_frame_axis(point, vec(0, 2, 0), true, &in), LF_OK);
        assert_near(lf_frame_down(&in, on_axis), vec(0, 0, 0), 0);
    }
}

static void what_is_refused(void **state) {
    (void)state;
    lf_frame frame, untouched;
    memset(&frame, 0x22, sizeof frame);
    untouched = frame;
    assert_int_equal(lf_frame_gravity(vec(0, 0, 0), &frame), LF_BAD_ARGUMENT);
    assert_int_equal(lf_frame_gravity(vec(0, NAN, 1), &frame), LF_BAD_ARGUMENT);
    assert_int_equal(lf_frame_gravity(vec(0, 0, -INFINITY), &frame), LF_BAD_ARGUMENT);
    assert_int_equal(lf_frame_centre(vec(INFINITY, 0, 0), &frame), LF_BAD_ARGUMENT);
    assert_int_equal(lf_frame_axis(vec(0, 0, 0), vec(0, 0, 0), true, &frame), LF_BAD_ARGUMENT);
    assert_int_equal(lf_frame_axis(vec(0, 0, NAN), vec(0, 0, 1), true, &frame), LF_BAD_ARGUMENT);
    assert_memory_equal(&frame, &untouched, sizeof frame);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_down_is_the_identity),
        cmocka_unit_test(gravity_in_any_direction),
        cmocka_unit_test(a_centre),
        cmocka_unit_test(an_axis),
        cmocka_unit_test(an_axis_of_any_length),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests_name("geom frame", tests, NULL, NULL);
}
