/// When do models of any shape touch? Against looking very often: no contact is missed, none is told late, and what is told is near.
#include "shapes.h"
#include <landfall/collide.h>

enum { CASES = 150, SAMPLES = 120, TRIANGLES = 40 };

static lf_model *make_model(const shape *shape) {
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    def.polygons = shape_polygons(shape);
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    return model;
}

static lf_vec3 turned(const lf_pose *turn, lf_vec3 p) {
    return (lf_vec3){lf_vec3_dot(turn->rows[0], p), lf_vec3_dot(turn->rows[1], p),
                     lf_vec3_dot(turn->rows[2], p)};
}

/// Where a moving model is at a time, by turning it all at once.
static lf_pose pose_at(const lf_moving_model *it, double time) {
    lf_pose turn = lf_pose_identity(), pose = it->pose;
    double speed = lf_vec3_length(it->spin);
    if (speed > 0)
        assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, it->spin, speed * time, &turn), LF_OK);
    const lf_vec3 columns[3] = {{pose.rows[0].x, pose.rows[1].x, pose.rows[2].x},
                                {pose.rows[0].y, pose.rows[1].y, pose.rows[2].y},
                                {pose.rows[0].z, pose.rows[1].z, pose.rows[2].z}};
    lf_vec3 x = turned(&turn, columns[0]), y = turned(&turn, columns[1]), z = turned(&turn, columns[2]);
    pose.rows[0] = (lf_vec3){x.x, y.x, z.x};
    pose.rows[1] = (lf_vec3){x.y, y.y, z.y};
    pose.rows[2] = (lf_vec3){x.z, y.z, z.z};
    lf_vec3 arm = turned(&turn, lf_vec3_sub(it->pose.translation, it->pivot));
    pose.translation = lf_vec3_add(lf_vec3_along(it->pivot, time, it->velocity), arm);
    return pose;
}

static lf_model_query question_at(const lf_moving_model *a, const lf_moving_model *b, double time) {
    lf_model_query question = lf_model_query_default();
    question.a = a->model;
    question.b = b->model;
    question.pose_a = pose_at(a, time);
    question.pose_b = pose_at(b, time);
    return question;
}

/// Before `until`, at none of many moments do they touch.
static void expect_apart(const lf_moving_model *a, const lf_moving_model *b, double until, const char *what) {
    for (int s = 0; s <= SAMPLES; s++) {
        lf_model_query question = question_at(a, b, until * s / SAMPLES);
        bool touching;
        assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_OK);
        if (touching)
            fail_msg("%s: they touch at %g of %g", what, until * s / SAMPLES, until);
    }
}

static lf_vec3 random_vector(test_random *random, double size) {
    return (lf_vec3){test_random_between(random, -size, size), test_random_between(random, -size, size),
                     test_random_between(random, -size, size)};
}

/// One flies at, or past, the other; half of them turn, some about a place outside of themselves.
static void set_off(lf_moving_model *a, lf_moving_model *b, int round, test_random *random) {
    lf_vec3 from = lf_vec3_scale(lf_vec3_unit(random_vector(random, 1)), 5);
    a->pose = shape_random_pose(0.1, random);
    b->pose = shape_random_pose(0.1, random);
    b->pose.translation = lf_vec3_add(b->pose.translation, from);
    a->velocity = random_vector(random, 0.5);
    b->velocity = lf_vec3_add(lf_vec3_scale(from, -test_random_between(random, 0.2, 2)),
                              random_vector(random, round % 3 ? 0.5 : 2));
    a->spin = round % 2 ? random_vector(random, 3) : (lf_vec3){0, 0, 0};
    b->spin = round % 4 == 1 ? random_vector(random, 3) : (lf_vec3){0, 0, 0};
    a->pivot = round % 5 ? a->pose.translation : random_vector(random, 2);
    b->pivot = b->pose.translation;
}

static bool oracle(const lf_moving_model *a, const lf_moving_model *b, double ahead, const char *what) {
    lf_contact_result meeting;
    assert_int_equal(lf_contact_models(a, b, ahead, &meeting, NULL), LF_OK);
    if (!meeting.meets) {
        expect_apart(a, b, ahead, what);
        return false;
    }
    double size = lf_model_describe(a->model).radius + lf_model_describe(b->model).radius;
    lf_model_query question = question_at(a, b, meeting.time);
    lf_model_distance nearest;
    assert_int_equal(lf_model_nearest(&question, &nearest, NULL), LF_OK);
    if (!(nearest.distance <= 1.01e-6 * size))
        fail_msg("%s: told at %g, but then they are %g apart", what, meeting.time, nearest.distance);
    if (meeting.time > 0) // what is just before it may touch by rounding
        expect_apart(a, b, meeting.time * (1 - 1e-9), what);
    return true;
}

static void models_meet_in_time(void **state) {
    (void)state;
    static const shape_kind kinds[] = {SHAPE_SOUP,   SHAPE_TREE,   SHAPE_KNOT,    SHAPE_BALL, SHAPE_BOXES,
                                       SHAPE_NESTED, SHAPE_SHEETS, SHAPE_NEEDLES, SHAPE_ONE};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    test_random random = test_random_start(31);
    int met = 0;
    for (int round = 0; round < CASES; round++) {
        shape one, two;
        lf_moving_model a = {0}, b = {0};
        shape_make(&one, kinds[round % KINDS], TRIANGLES, &random);
        shape_make(&two, kinds[(round / KINDS) % KINDS], TRIANGLES, &random);
        lf_model *model_a = make_model(&one), *model_b = make_model(&two);
        a.model = model_a;
        b.model = model_b;
        set_off(&a, &b, round, &random);
        met += oracle(&a, &b, test_random_between(&random, 0.5, 4), one.name);
        lf_model_destroy(model_b);
        lf_model_destroy(model_a);
        shape_free(&two);
        shape_free(&one);
    }
    print_message("%d of %d meet\n", met, CASES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_meet_in_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
