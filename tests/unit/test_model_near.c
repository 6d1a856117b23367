/// How near: margins and bounds at the ends of what doubles can hold.
#include "shapes.h"
#include <landfall/published.h>
#include <math.h>

static lf_model *make(const lf_vec3 corners[3], int sectors) {
    static const int64_t order[3] = {0, 1, 2};
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    def.polygons.vertices = corners;
    def.polygons.vertex_count = 3;
    def.polygons.corners = order;
    def.polygons.polygon_count = 1;
    def.field.sectors = sectors;
    def.field.functions = lf_funfzig_field();
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    return model;
}

/// Models of one point each, so that bounds have nothing to spare, far from the world's origin, from their own, or from neither.
static void bounds_far_away(void **state) {
    (void)state;
    test_random random = test_random_start(391);
    for (int i = 0; i < 2000; i++) {
        double own = i % 3 == 1 ? 1e9 : 1, away = i % 3 == 2 ? 1e13 : 10;
        lf_model_query question = lf_model_query_default();
        lf_model_distance nearest;
        lf_model *models[2];
        double least, most;
        for (int k = 0; k < 2; k++) {
            lf_vec3 at = shape_random_pose(own, &random).translation, corners[3] = {at, at, at};
            models[k] = make(corners, i % 2 ? 2 : 0);
        }
        question.a = models[0], question.b = models[1];
        question.pose_a = question.pose_b = shape_random_pose(away, &random);
        question.pose_b.translation =
            lf_vec3_add(question.pose_a.translation, shape_random_pose(1, &random).translation);
        assert_int_equal(lf_model_nearest(&question, &nearest, NULL), LF_OK);
        assert_int_equal(lf_model_distance_bounds(&question, &least, &most), LF_OK);
        assert_true(least <= nearest.distance && nearest.distance <= most);
        lf_vec3 point = question.pose_b.translation;
        assert_int_equal(lf_model_nearest_to(models[0], &question.pose_a, point, &nearest, NULL), LF_OK);
        assert_int_equal(lf_model_point_bounds(models[0], &question.pose_a, point, &least, &most), LF_OK);
        assert_true(least <= nearest.distance && nearest.distance <= most);
        lf_model_destroy(models[1]);
        lf_model_destroy(models[0]);
    }
}

/// Everything is within a margin that has no square.
static void wide_margins(void **state) {
    (void)state;
    const lf_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const double margins[] = {5, 1e10, 1e31, 1e160, 1e308, INFINITY};
    lf_model *model = make(corners, 0);
    lf_model_query question = lf_model_query_default();
    bool within;
    question.a = question.b = model;
    question.pose_b.translation = (lf_vec3){0, 0, 5};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(lf_model_within(&question, margins[i], &within, NULL), LF_OK);
        assert_true(within);
    }
    question.pose_a.translation.x = 1e30;
    question.pose_b.translation.x = -1e30;
    for (int i = 0; i < 6; i++) {
        assert_int_equal(lf_model_within(&question, margins[i], &within, NULL), LF_OK);
        assert_int_equal(within, margins[i] > 2e30);
    }
    assert_int_equal(lf_model_within(&question, NAN, &within, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_model_within(&question, -1, &within, NULL), LF_BAD_ARGUMENT);
    lf_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_far_away),
        cmocka_unit_test(wide_margins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
