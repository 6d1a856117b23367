/// Far apart: every instruction set's kernel, against what lf__model_pose_valid and plain distances say, on random and on nasty input.
#include "model/model.h"
#include "shapes.h"
#include <float.h>
#include <math.h>

enum { KERNELS = 2 };

static lf__apart_kernel *kernel(int index) {
    return lf__apart_kernel_for(index == 0 ? LF_ISA_SCALAR : lf_isa_best());
}

/// Where the distance is not within a hair of the reach there is one answer.
static void rigid_poses(void **state) {
    (void)state;
    test_random random = test_random_start(371);
    for (int i = 0; i < 20000; i++) {
        double scale = pow(10, test_random_between(&random, -20, 20));
        lf_pose a = shape_random_pose(scale, &random), b = shape_random_pose(scale, &random);
        lf_vec3 d = lf_vec3_sub(a.translation, b.translation);
        double share = 1 + test_random_between(&random, -1, 1) * pow(10, test_random_between(&random, -9, 0));
        bool apart = share < 1;
        for (int k = 0; k < KERNELS && fabs(share - 1) > 1e-9; k++)
            assert_int_equal(kernel(k)(&a, &b, lf_vec3_length(d) * share),
                             apart ? LF__POSES_APART : LF__POSES_NEAR);
    }
}

/// The numbers of a pose one after the other.
static double *number(lf_pose *pose, int index) {
    lf_vec3 *v = index < 9 ? &pose->rows[index / 3] : &pose->translation;
    return index % 3 == 0 ? &v->x : index % 3 == 1 ? &v->y : &v->z;
}

/// A pose with one number wrong; true when it is still one that questions take.
static bool spoil(lf_pose *pose, test_random *random) {
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 0, 1, -1, 1e31, -2e30, 1e-9, 1e300, DBL_MIN};
    double *at = number(pose, (int)test_random_below(random, 12));
    int64_t kind = test_random_below(random, 14);
    if (kind < 11)
        *at = wrong[kind];
    else if (kind < 13)
        *at += pow(10, test_random_between(random, -13, -7));
    else
        for (int i = 0; i < 3; i++) // mirrored: everything has the right length
            *number(pose, 3 * i) *= -1;
    return lf__model_pose_valid(pose);
}

/// Kernels take no pose that is not rigid, and questions refuse it however far the models are apart.
static void spoilt_poses(void **state) {
    (void)state;
    test_random random = test_random_start(372);
    shape shape;
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    shape_make(&shape, SHAPE_BALL, 50, &random);
    def.polygons = shape_polygons(&shape);
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    int64_t refused = 0;
    for (int i = 0; i < 20000; i++) {
        lf_model_query question = lf_model_query_default();
        lf_pose *poses[2] = {&question.pose_a, &question.pose_b};
        int which = (int)test_random_below(&random, 2);
        bool touching, valid;
        question.a = question.b = model;
        question.pose_a = shape_random_pose(10, &random);
        question.pose_b = shape_random_pose(10, &random);
        question.pose_b.translation.x += 1000;
        valid = spoil(poses[which], &random);
        for (int k = 0; k < KERNELS && !valid; k++)
            assert_int_equal(kernel(k)(poses[0], poses[1], 4), LF__POSES_UNSURE);
        assert_int_equal(lf_model_touch(&question, &touching, NULL), valid ? LF_OK : LF_BAD_ARGUMENT);
        refused += !valid;
    }
    assert_true(refused > 5000);
    lf_model_destroy(model);
    shape_free(&shape);
}

/// Squares that vanish, and translations beyond the limit that are near each other.
static void ends_of_doubles(void **state) {
    (void)state;
    lf_pose a = lf_pose_identity(), b = lf_pose_identity();
    for (int k = 0; k < KERNELS; k++) {
        b.translation = (lf_vec3){1e-162, 1e-162, 1e-162};
        assert_int_equal(kernel(k)(&a, &b, 3e-162), LF__POSES_NEAR);
        b.translation = (lf_vec3){1e-100, 0, 0};
        assert_int_equal(kernel(k)(&a, &b, 0), LF__POSES_APART);
        assert_int_equal(kernel(k)(&b, &b, 0), LF__POSES_NEAR);
        lf_pose far_a = a, far_b = a;
        far_a.translation.x = 3e30;
        far_b.translation.x = 3e30 + 1e20;
        assert_int_equal(kernel(k)(&far_a, &far_b, 1), LF__POSES_UNSURE);
        far_a.translation.x = far_b.translation.x = 0;
        far_a.translation.y = 2e29;
        assert_int_equal(kernel(k)(&far_a, &far_b, 1), LF__POSES_APART);
        assert_int_equal(kernel(k)(&far_b, &far_a, 1), LF__POSES_APART);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_poses),
        cmocka_unit_test(spoilt_poses),
        cmocka_unit_test(ends_of_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
