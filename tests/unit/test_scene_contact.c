/// Times of contact: simple cases with known answers, what is refused, thin and fast things, many at once, models.
#include "contact/contact.h"
#include "support.h"
#include <landfall/published.h>
#include <stdlib.h>
#include <string.h>

static lf_moving_box box_at(double x, double y, double z, lf_vec3 velocity) {
    return (lf_moving_box){{{x, y, z}, {x + 1, y + 1, z + 1}}, velocity, {0, 0, 0}, {0, 0, 0}};
}

static void head_on(void **state) {
    (void)state;
    lf_moving_box a = box_at(0, 0, 0, (lf_vec3){2, 0, 0}), b = box_at(5, 0.5, 0, (lf_vec3){-2, 0, 0});
    lf_contact_result meeting;
    assert_int_equal(lf_contact_boxes(&a, &b, 10, &meeting), LF_OK);
    assert_true(meeting.meets && meeting.time == 1 && meeting.normal.x == 1);
    assert_true(meeting.point.x == 3 && meeting.point.y == 0.75);
    assert_int_equal(lf_contact_boxes(&a, &b, 1, &meeting), LF_OK);
    assert_true(meeting.meets); // the end counts
    assert_int_equal(lf_contact_boxes(&a, &b, nextafter(1, 0), &meeting), LF_OK);
    assert_true(!meeting.meets && meeting.time == nextafter(1, 0));
    assert_int_equal(lf_contact_boxes(&a, &b, (double)INFINITY, &meeting), LF_OK);
    assert_true(meeting.meets && meeting.time == 1);
    b.velocity = a.velocity;
    assert_int_equal(lf_contact_boxes(&a, &b, (double)INFINITY, &meeting), LF_OK);
    assert_false(meeting.meets);
}

/// A thin plate and a small thing that passes through it between two ticks.
static void nothing_tunnels(void **state) {
    (void)state;
    lf_moving_box plate = {{{0, -5, -5}, {0.001, 5, 5}}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    lf_moving_box shot = {{{-10.005, 0, 0}, {-10, 0.01, 0.01}}, {1000, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    lf_contact_result meeting;
    assert_int_equal(lf_contact_boxes(&shot, &plate, 1, &meeting), LF_OK);
    assert_true(meeting.meets && meeting.time <= 0.010001);
    static const bool sees[] = {false, true, true, true};
    for (int kind = LF_GOTTSTEIN_STEPS; kind <= LF_GOTTSTEIN_SPHERES_BISECTION; kind++) {
        const lf_contact_method *method = lf_gottstein_contact((lf_gottstein_contact_kind)kind);
        assert_int_equal(method->boxes(&shot, &plate, 1, 1.0 / 60, &meeting), LF_OK);
        assert_int_equal(meeting.meets, sees[kind]);
        if (sees[kind])
            assert_true(meeting.time <= 0.010001);
    }
    assert_string_equal(lf_gottstein_contact(LF_GOTTSTEIN_BISECTION)->name, "bisection");
    assert_null(lf_gottstein_contact((lf_gottstein_contact_kind)99));
}

/// A bar that turns about its middle reaches a wall that it does not reach when it stands still.
static void turning(void **state) {
    (void)state;
    lf_moving_box bar = {{{-2, -0.1, -0.1}, {2, 0.1, 0.1}}, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}};
    lf_moving_box wall = {{{-5, 1.5, -5}, {5, 2, 5}}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    lf_contact_result meeting;
    assert_int_equal(lf_contact_boxes(&bar, &wall, 3, &meeting), LF_OK);
    // the corner (2, 0.1) comes to y = 1.5: 2 sin t + 0.1 cos t = 1.5
    double right = asin(1.5 / hypot(2, 0.1)) - atan2(0.1, 2);
    assert_true(meeting.meets && meeting.time <= right && meeting.time > right - 1e-4);
    bar.spin.z = 0;
    assert_int_equal(lf_contact_boxes(&bar, &wall, 3, &meeting), LF_OK);
    assert_false(meeting.meets);
    // one that spins close to the wall for a long time does not touch it
    lf_moving_box wheel = {{{-1, -1, -0.1}, {1, 1, 0.1}}, {0, 0, 0}, {0, 0, 10}, {0, 0, 0}};
    wall.box.low.y = 1.43;
    assert_int_equal(lf_contact_boxes(&wheel, &wall, 10, &meeting), LF_OK);
    assert_false(meeting.meets);
}

static void spheres_and_blocks(void **state) {
    (void)state;
    lf_moving_sphere a = {{0, 0, 0}, 1, {1, 0, 0}}, b = {{10, 0, 0}, 2, {0, 0, 0}};
    lf_contact_result meeting;
    assert_int_equal(lf_contact_spheres(&a, &b, 7, &meeting), LF_OK);
    assert_true(meeting.meets && meeting.time == 7 && meeting.point.x == 8);
    b.centre.y = 3; // they just touch in passing
    assert_int_equal(lf_contact_spheres(&a, &b, 100, &meeting), LF_OK);
    assert_true(meeting.meets && fabs(meeting.time - 10) < 1e-6);
    b.centre.y = nextafter(3, 4);
    assert_int_equal(lf_contact_spheres(&a, &b, 100, &meeting), LF_OK);
    assert_false(meeting.meets);
    double s = sqrt(0.5);
    lf_moving_block block = {{0, 0, 0}, {1, 1, 1}, {{s, s, 0}, {-s, s, 0}, {0, 0, 1}}, {1, 0, 0}};
    lf_moving_block still = {{5, 0, 0}, {1, 1, 1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    assert_int_equal(lf_contact_blocks(&block, &still, 10, &meeting), LF_OK);
    assert_true(meeting.meets && fabs(meeting.time - (4 - sqrt(2.0))) < 1e-9 &&
                fabs(meeting.normal.x - 1) < 1e-12);
}

static void points_and_edges(void **state) {
    (void)state;
    lf_vec3 start[4] = {{0.25, 0.25, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, end[4];
    memcpy(end, start, sizeof end);
    end[0].z = -3;
    lf_contact_result meeting;
    assert_int_equal(lf_contact_points(LF_CONTACT_POINT_FACE, start, end, &meeting), LF_OK);
    assert_true(meeting.meets && fabs(meeting.time - 0.25) < 1e-9);
    start[0].x = end[0].x = -0x1p-50; // beside the edge
    assert_int_equal(lf_contact_points(LF_CONTACT_POINT_FACE, start, end, &meeting), LF_OK);
    assert_false(meeting.meets);
    start[0].x = end[0].x = 0; // on it
    assert_int_equal(lf_contact_points(LF_CONTACT_POINT_FACE, start, end, &meeting), LF_OK);
    assert_true(meeting.meets);
    lf_vec3 from[4] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 1}, {0, 1, 1}}, to[4];
    memcpy(to, from, sizeof to);
    to[2].z = to[3].z = -1;
    assert_int_equal(lf_contact_points(LF_CONTACT_EDGES, from, to, &meeting), LF_OK);
    assert_true(meeting.meets && fabs(meeting.time - 0.5) < 1e-9 && fabs(meeting.point.x) < 1e-9);
    to[0].x = (double)NAN;
    assert_int_equal(lf_contact_points(LF_CONTACT_EDGES, from, to, &meeting), LF_BAD_ARGUMENT);
    assert_int_equal(lf_contact_points(LF_CONTACT_POINT_FACE, NULL, to, &meeting), LF_BAD_ARGUMENT);
}

static void bodies(void **state) {
    (void)state;
    lf_body ball = {.kind = LF_BODY_SPHERE, .radius = 1, .rows = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    lf_body tube = {
        .kind = LF_BODY_CYLINDER, .radius = 1, .half = 2, .rows = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    tube.translation = (lf_vec3){5, 0, 0};
    double distance;
    assert_int_equal(lf_body_distance(&ball, &tube, &distance), LF_OK);
    assert_true(fabs(distance - 3) < 1e-8);
    ball.velocity = (lf_vec3){1, 0, 0};
    ball.spin = (lf_vec3){3, 4, 5}; // a ball looks the same however it turns
    lf_contact_result meeting;
    assert_int_equal(lf_contact_bodies(&ball, &tube, 10, &meeting), LF_OK);
    assert_true(meeting.meets && meeting.time <= 3 + 1e-9 && meeting.time > 3 - 1e-4);
    assert_int_equal(lf_contact_bodies(&ball, &tube, 2.9, &meeting), LF_OK);
    assert_false(meeting.meets);
    ball.rows[0].x = 2; // an ellipsoid
    ball.spin = (lf_vec3){0, 0, 0};
    assert_int_equal(lf_body_distance(&ball, &tube, &distance), LF_OK);
    assert_true(fabs(distance - 2) < 1e-8);
    ball.radius = -1;
    assert_int_equal(lf_body_distance(&ball, &tube, &distance), LF_BAD_ARGUMENT);
    tube.kind = LF_BODY_POINTS;
    assert_int_equal(lf_contact_bodies(&tube, &tube, 1, &meeting), LF_BAD_ARGUMENT);
}

/// Many at once are what they are one by one, with one thread or three.
static void many(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    test_random random = test_random_start(4);
    lf_moving_box *boxes = test_space(2 * COUNT, sizeof *boxes);
    lf_contact_result *meetings = test_space(COUNT, sizeof *meetings), one;
    for (int i = 0; i < 2 * COUNT; i++) {
        boxes[i] =
            box_at(test_random_between(&random, 0, 6), test_random_between(&random, 0, 6), 0,
                   (lf_vec3){test_random_between(&random, -2, 2), test_random_between(&random, -2, 2), 0});
        if (i % 50 == 0)
            boxes[i].spin.z = 1;
    }
    lf_tasks tasks = test_tasks(3);
    lf_contact_batch batch = {boxes, boxes + COUNT, sizeof *boxes, sizeof *boxes, COUNT, 2, meetings, &tasks};
    int64_t wrong;
    assert_int_equal(lf_contact_boxes_many(&batch, &wrong), LF_OK);
    assert_int_equal(wrong, -1);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(lf_contact_boxes(&boxes[i], &boxes[COUNT + i], 2, &one), LF_OK);
        assert_true(one.meets == meetings[i].meets && one.time == meetings[i].time);
        assert_memory_equal(&one.point, &meetings[i].point, sizeof one.point);
        assert_memory_equal(&one.normal, &meetings[i].normal, sizeof one.normal);
    }
    batch.tasks = NULL;
    batch.a_stride = LF_STRIDE_SAME;
    batch.b_stride = 0; // packed
    assert_int_equal(lf_contact_boxes_many(&batch, &wrong), LF_OK);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(lf_contact_boxes(&boxes[0], &boxes[COUNT + i], 2, &one), LF_OK);
        assert_true(one.meets == meetings[i].meets && one.time == meetings[i].time);
    }
    batch.a_stride = 0;
    boxes[7].box.low.x = 100;
    assert_int_equal(lf_contact_boxes_many(&batch, &wrong), LF_BAD_ARGUMENT);
    assert_int_equal(wrong, 7);
    assert_int_equal(lf_contact_boxes_many(NULL, &wrong), LF_BAD_ARGUMENT);
    free(meetings);
    free(boxes);
}

static void refused(void **state) {
    (void)state;
    lf_moving_box a = box_at(0, 0, 0, (lf_vec3){1, 0, 0}), b = a;
    lf_contact_result meeting;
    assert_int_equal(lf_contact_boxes(&a, &b, -1, &meeting), LF_BAD_ARGUMENT);
    assert_int_equal(lf_contact_boxes(&a, &b, (double)NAN, &meeting), LF_BAD_ARGUMENT);
    assert_int_equal(lf_contact_boxes(&a, NULL, 1, &meeting), LF_BAD_ARGUMENT);
    for (int kind = LF_GOTTSTEIN_STEPS; kind <= LF_GOTTSTEIN_SPHERES_BISECTION; kind++) {
        const lf_contact_method *method = lf_gottstein_contact((lf_gottstein_contact_kind)kind);
        lf_status endless = kind == LF_GOTTSTEIN_SPHERES ? LF_OK : LF_BAD_ARGUMENT;
        assert_int_equal(method->boxes(&a, &b, 1, 0, &meeting), endless);
        assert_int_equal(method->boxes(&a, &b, (double)INFINITY, 1, &meeting), endless);
        assert_int_equal(method->boxes(&a, &b, -1, 1, &meeting), LF_BAD_ARGUMENT);
        assert_int_equal(method->boxes(&a, NULL, 1, 1, &meeting), LF_BAD_ARGUMENT);
        assert_int_equal(method->boxes(&a, &b, 1, 1, NULL), LF_BAD_ARGUMENT);
    }
    b.box.high.x = -5;
    assert_int_equal(lf_contact_boxes(&a, &b, 1, &meeting), LF_BAD_ARGUMENT);
    lf_moving_sphere s = {{0, 0, 0}, -1, {0, 0, 0}};
    assert_int_equal(lf_contact_spheres(&s, &s, 1, &meeting), LF_BAD_ARGUMENT);
    lf_moving_block block = {{0, 0, 0}, {1, 1, 1}, {{1, 0, 0}, {0, 1, 0}, {0, 1, 0}}, {0, 0, 0}};
    assert_int_equal(lf_contact_blocks(&block, &block, 1, &meeting), LF_BAD_ARGUMENT);
    lf_moving_model none = {0};
    assert_int_equal(lf_contact_models(&none, &none, 1, &meeting, NULL), LF_BAD_ARGUMENT);
}

/// A number as boxes may have it: often the same again, sometimes one that breaks things.
static double odd_number(test_random *random) {
    static const double odd[] = {0,     -0.0,   1,      -1,     0.5,    1e-310,           1e99,
                                 1e150, -1e101, 1e-200, 3e-324, 0x1p52, (double)INFINITY, (double)NAN};
    uint64_t which = (uint64_t)test_random_below(random, 400);
    if (which < sizeof odd / sizeof *odd)
        return odd[which];
    return which < 200 ? (double)test_random_below(random, 5) - 2 : test_random_between(random, -3, 3);
}

static lf_moving_box odd_box(test_random *random) {
    lf_moving_box box;
    double *numbers = (double *)(void *)&box;
    for (size_t i = 0; i < sizeof box / sizeof *numbers; i++)
        numbers[i] = i < 9 || test_random_below(random, 50) == 0 ? odd_number(random) : 0;
    double *low = &box.box.low.x, *high = &box.box.high.x;
    for (int k = 0; k < 3; k++)
        if (low[k] > high[k] && test_random_below(random, 100) > 0) {
            double kept = low[k];
            low[k] = high[k];
            high[k] = kept;
        }
    return box;
}

static bool same_meeting(const lf_contact_result *a, const lf_contact_result *b) {
    return a->meets == b->meets && memcmp(&a->time, &b->time, sizeof a->time) == 0 &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0;
}

/// Every instruction set refuses the same pairs and gives the same bits for the others.
static void kernels_agree(void **state) {
    (void)state;
    test_random random = test_random_start(9);
    const lf__contact_kernels *plain = lf__contact_kernels_for(LF_ISA_SCALAR),
                              *best = lf__contact_kernels_for(lf_isa_best());
    for (int i = 0; i < 20000; i++) {
        lf_moving_box a = odd_box(&random), b = odd_box(&random);
        lf_contact_result one = {0}, two = {0}, three = {0};
        double ahead = i % 7 == 0 ? (double)INFINITY : test_random_between(&random, 0, 5);
        if (!lf__is_zero(a.spin) || !lf__is_zero(b.spin))
            ahead = i % 11 == 0 ? ahead : 1; // turning boxes take long where they never meet
        bool fine = plain->one(&a, &b, ahead, &one);
        assert_true(best->one(&a, &b, ahead, &two) == fine);
        lf_contact_batch batch = {&a, &b, 0, 0, 1, ahead, &three, NULL};
        assert_int_equal(best->many(&batch, 0, 1), fine);
        if (fine && !(same_meeting(&one, &two) && same_meeting(&one, &three)))
            fail_msg("pair %d: %d at %.17g, and %d at %.17g", i, one.meets, one.time, two.meets, two.time);
    }
}

/// Blocks so slow, so far or so small that squares of numbers leave the doubles: what meets is still found.
static void odd_blocks(void **state) {
    (void)state;
    static const double scales[] = {1, 1e-60, 1e-160, 1e60, 1e90};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        for (size_t j = 0; j < sizeof scales / sizeof *scales; j++) {
            double size = scales[i], speed = scales[j], time = 4 * (size / speed);
            lf_moving_block a = {{0, 0, 0}, {size, size, size}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                            b = a;
            lf_contact_result meeting;
            b.centre = (lf_vec3){6 * size, 1.5 * size, 0}; // the gap is 4 sizes
            b.velocity = (lf_vec3){-speed, 0, 0};
            assert_int_equal(lf_contact_blocks(&a, &b, (double)INFINITY, &meeting), LF_OK);
            assert_true(meeting.meets && meeting.time <= time * (1 + 1e-12) &&
                        meeting.time >= time * (1 - 1e-9));
            assert_int_equal(lf_contact_blocks(&a, &b, 0.9 * time, &meeting), LF_OK);
            assert_false(meeting.meets);
            b.centre.y = 2.5 * size; // it passes by, half a size away
            assert_int_equal(lf_contact_blocks(&a, &b, 2 * time, &meeting), LF_OK);
            assert_false(meeting.meets);
        }
}

/// Two pyramids, one flying at the other.
static void models(void **state) {
    (void)state;
    const lf_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int64_t corners[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const int64_t starts[5] = {0, 3, 6, 9, 12};
    lf_model_def def = lf_model_def_default();
    def.polygons.vertices = vertices;
    def.polygons.vertex_count = 4;
    def.polygons.corners = corners;
    def.polygons.starts = starts;
    def.polygons.polygon_count = 4;
    lf_model *model;
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    lf_moving_model a = {model, lf_pose_identity(), {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, b = a;
    b.pose.translation = (lf_vec3){5, 0.1, 0.1};
    b.velocity = (lf_vec3){-2, 0, 0};
    lf_contact_result meeting;
    assert_int_equal(lf_contact_models(&a, &b, 10, &meeting, NULL), LF_OK);
    // b's left face x = 5 - 2 t meets the slanted face x + y + z = 1 in its corner (0, 0.1, 0.1)
    assert_true(meeting.meets && meeting.time <= 2.1 + 1e-9 && meeting.time > 2.1 - 1e-4);
    assert_int_equal(lf_contact_models(&a, &b, 2, &meeting, NULL), LF_OK);
    assert_false(meeting.meets);
    // One slides along another, much closer than its size but farther than what counts as touching: for 20 m,
    // and over the edge.
    b.pose.translation = (lf_vec3){-10, 0, -1 - 4e-6};
    b.velocity = (lf_vec3){2, 0, 0};
    assert_int_equal(lf_contact_models(&a, &b, 10, &meeting, NULL), LF_OK);
    assert_false(meeting.meets);
    b.pose.translation.z += 4e-6; // and in touch
    assert_int_equal(lf_contact_models(&a, &b, 10, &meeting, NULL), LF_OK);
    assert_true(meeting.meets);
    lf_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_on),
        cmocka_unit_test(nothing_tunnels),
        cmocka_unit_test(turning),
        cmocka_unit_test(spheres_and_blocks),
        cmocka_unit_test(points_and_edges),
        cmocka_unit_test(bodies),
        cmocka_unit_test(many),
        cmocka_unit_test(refused),
        cmocka_unit_test(kernels_agree),
        cmocka_unit_test(odd_blocks),
        cmocka_unit_test(models),
    };
    return cmocka_run_group_tests_name("test_scene_contact", tests, NULL, NULL);
}
