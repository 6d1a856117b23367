/// Distances, insides and rays of models against slow and simple answers.
#include "exact.h"
#include "exact_touch.h"
#include "nasty.h"
#include "shapes.h"
#include <landfall/published.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static lf_model *make_model(const shape *shape, int sectors) {
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    lf_error error = {0};
    def.polygons = shape_polygons(shape);
    def.field.sectors = sectors;
    def.field.functions = lf_funfzig_field();
    if (lf_model_create(&def, &model, &error) != LF_OK)
        fail_msg("no model of %s: %s", shape->name, error.text);
    return model;
}

static void fetch(const shape *shape, const lf_pose *pose, int64_t triangle, lf_vec3 corners[3]) {
    for (int c = 0; c < 3; c++)
        corners[c] = lf_pose_to_world(pose, shape->vertices[shape->corners[3 * triangle + c]]);
}

// ---------------------------------------------------------------------------------------------------
// Distances by descent: the least of a convex function of four weights, one after the other
// ---------------------------------------------------------------------------------------------------

/// The weights of the corners of a triangle with which it comes nearest to a point, by trying the inside, the edges and the corners.
static lf_vec3 project(const lf_vec3 t[3], lf_vec3 x) {
    lf_vec3 best = t[0];
    double least = INFINITY;
    lf_vec3 u = lf_vec3_sub(t[1], t[0]), v = lf_vec3_sub(t[2], t[0]), w = lf_vec3_sub(x, t[0]);
    double uu = lf_vec3_dot(u, u), uv = lf_vec3_dot(u, v), vv = lf_vec3_dot(v, v), det = uu * vv - uv * uv;
    lf_vec3 tries[7] = {t[0], t[1], t[2]};
    int count = 3;
    for (int k = 0; k < 3; k++) {
        lf_vec3 d = lf_vec3_sub(t[(k + 1) % 3], t[k]);
        double s = lf_vec3_dot(lf_vec3_sub(x, t[k]), d) / lf_vec3_dot(d, d);
        if (s > 0 && s < 1)
            tries[count++] = lf_vec3_along(t[k], s, d);
    }
    double a = (vv * lf_vec3_dot(u, w) - uv * lf_vec3_dot(v, w)) / det;
    double b = (uu * lf_vec3_dot(v, w) - uv * lf_vec3_dot(u, w)) / det;
    if (det > 0 && a > 0 && b > 0 && a + b < 1)
        tries[count++] = lf_vec3_along(lf_vec3_along(t[0], a, u), b, v);
    for (int i = 0; i < count; i++) {
        double far = lf_vec3_length(lf_vec3_sub(tries[i], x));
        if (far < least)
            least = far, best = tries[i];
    }
    return best;
}

/// Where two edges come nearest to each other between their ends: how far apart they are there. INFINITY where that is at an end.
static double edge_distance(lf_vec3 a, lf_vec3 to_a, lf_vec3 b, lf_vec3 to_b) {
    lf_vec3 u = lf_vec3_sub(to_a, a), v = lf_vec3_sub(to_b, b), w = lf_vec3_sub(b, a);
    double uu = lf_vec3_dot(u, u), uv = lf_vec3_dot(u, v), vv = lf_vec3_dot(v, v), det = uu * vv - uv * uv;
    double s = (lf_vec3_dot(u, w) * vv - lf_vec3_dot(v, w) * uv) / det,
           t = (lf_vec3_dot(u, w) * uv - lf_vec3_dot(v, w) * uu) / det;
    if (!(det > 0) || !(s > 0 && s < 1) || !(t > 0 && t < 1))
        return INFINITY;
    return lf_vec3_length(lf_vec3_sub(lf_vec3_along(a, s, u), lf_vec3_along(b, t, v)));
}

/// Two triangles that do not touch are nearest at a corner of one of them, or between two edges.
static double slow_distance(const lf_vec3 p[3], const lf_vec3 q[3]) {
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        least = fmin(least, lf_vec3_length(lf_vec3_sub(p[i], project(q, p[i]))));
        least = fmin(least, lf_vec3_length(lf_vec3_sub(q[i], project(p, q[i]))));
        for (int k = 0; k < 3; k++)
            least = fmin(least, edge_distance(p[i], p[(i + 1) % 3], q[k], q[(k + 1) % 3]));
    }
    return least;
}

static double box_distance(lf_box a, lf_box b) {
    double x = fmax(0, fmax(a.low.x - b.high.x, b.low.x - a.high.x));
    double y = fmax(0, fmax(a.low.y - b.high.y, b.low.y - a.high.y));
    double z = fmax(0, fmax(a.low.z - b.high.z, b.low.z - a.high.z));
    return sqrt(x * x + y * y + z * z);
}

/// The distance to rounding, where they do not touch.
static double brute_distance(const shape *a, const lf_pose *pose_a, const shape *b, const lf_pose *pose_b) {
    double best = INFINITY;
    lf_vec3 p[3], q[3];
    for (int64_t i = 0; i < a->triangle_count; i++)
        for (int64_t k = 0; k < b->triangle_count; k++) {
            fetch(a, pose_a, i, p);
            fetch(b, pose_b, k, q);
            if (box_distance(exact_box(p, 3), exact_box(q, 3)) < best)
                best = fmin(best, slow_distance(p, q));
        }
    return best;
}

static void oracle_distance(const shape *a, const shape *b, const lf_model *models[2], test_random *random) {
    lf_model_query question = lf_model_query_default();
    lf_model_distance nearest;
    bool touching, within;
    question.a = models[0], question.b = models[1];
    question.pose_a = shape_random_pose(3, random);
    question.pose_b = shape_pose(POSE_NEAR, a, &question.pose_a, b, random);
    assert_int_equal(lf_model_touch(&question, &touching, NULL), LF_OK);
    assert_int_equal(lf_model_nearest(&question, &nearest, NULL), LF_OK);
    assert_int_equal(touching, nearest.distance == 0);
    lf_vec3 p[3], q[3];
    fetch(a, &question.pose_a, nearest.a, p);
    fetch(b, &question.pose_b, nearest.b, q);
    double slack = 1e-9;
    assert_true(lf_vec3_length(lf_vec3_sub(project(p, nearest.point_a), nearest.point_a)) < slack);
    assert_true(lf_vec3_length(lf_vec3_sub(project(q, nearest.point_b), nearest.point_b)) < slack);
    assert_true(fabs(lf_vec3_length(lf_vec3_sub(nearest.point_a, nearest.point_b)) - nearest.distance) <
                slack);
    if (!touching) {
        double brute = brute_distance(a, &question.pose_a, b, &question.pose_b);
        assert_true(nearest.distance <= brute + slack);
        assert_true(nearest.distance >= brute - slack);
    }
    double least, most;
    assert_int_equal(lf_model_distance_bounds(&question, &least, &most), LF_OK);
    assert_true(least <= nearest.distance && nearest.distance <= most);
    assert_int_equal(lf_model_within(&question, nearest.distance * 1.001 + 1e-9, &within, NULL), LF_OK);
    assert_true(within);
    assert_int_equal(lf_model_within(&question, nearest.distance * 0.999, &within, NULL), LF_OK);
    assert_int_equal(within, touching);
}

static const shape_kind kinds[] = {SHAPE_SOUP, SHAPE_KNOT, SHAPE_BALL, SHAPE_TREE, SHAPE_BOXES, SHAPE_ONE};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void distances(void **state) {
    (void)state;
    test_random random = test_random_start(341);
    int64_t rounds = test_long() ? 20 : 1;
    for (int64_t round = 0; round < rounds; round++)
        for (int i = 0; i < KINDS; i++)
            for (int k = 0; k < KINDS; k++) {
                shape a, b;
                shape_make(&a, kinds[i], 60, &random);
                shape_make(&b, kinds[k], 60, &random);
                const lf_model *models[2] = {make_model(&a, 4 * (int)(k % 2)), make_model(&b, 4)};
                for (int n = 0; n < 3; n++)
                    oracle_distance(&a, &b, models, &random);
                lf_model_destroy((lf_model *)models[1]);
                lf_model_destroy((lf_model *)models[0]);
                shape_free(&b);
                shape_free(&a);
            }
}

static void points(void **state) {
    (void)state;
    test_random random = test_random_start(342);
    for (int i = 0; i < KINDS; i++) {
        shape shape;
        shape_make(&shape, kinds[i], 100, &random);
        lf_model *model = make_model(&shape, 8 * (i % 2));
        for (int n = 0; n < 100; n++) {
            lf_pose pose = shape_random_pose(3, &random);
            lf_vec3 point = lf_vec3_add(pose.translation, nasty_real_vec(3, &random)), t[3];
            lf_model_distance nearest;
            double best = INFINITY, least, most;
            for (int64_t k = 0; k < shape.triangle_count; k++) {
                fetch(&shape, &pose, k, t);
                best = fmin(best, lf_vec3_length(lf_vec3_sub(project(t, point), point)));
            }
            assert_int_equal(lf_model_nearest_to(model, &pose, point, &nearest, NULL), LF_OK);
            assert_true(fabs(nearest.distance - best) < 1e-9);
            assert_true(fabs(lf_vec3_length(lf_vec3_sub(nearest.point_b, point)) - best) < 1e-9);
            assert_int_equal(nearest.a, -1);
            assert_int_equal(lf_model_point_bounds(model, &pose, point, &least, &most), LF_OK);
            assert_true(least <= best && best <= most);
        }
        lf_model_destroy(model);
        shape_free(&shape);
    }
}

// ---------------------------------------------------------------------------------------------------
// Inside
// ---------------------------------------------------------------------------------------------------

/// How often the surface winds round a point: the sum of solid angles.
static double winding(const shape *shape, lf_vec3 x) {
    double sum = 0;
    for (int64_t i = 0; i < shape->triangle_count; i++) {
        lf_vec3 v[3];
        double length[3];
        for (int c = 0; c < 3; c++) {
            v[c] = lf_vec3_sub(shape->vertices[shape->corners[3 * i + c]], x);
            length[c] = lf_vec3_length(v[c]);
        }
        double numerator = lf_vec3_dot(v[0], lf_vec3_cross(v[1], v[2]));
        double denominator = length[0] * length[1] * length[2] + lf_vec3_dot(v[0], v[1]) * length[2] +
                             lf_vec3_dot(v[1], v[2]) * length[0] + lf_vec3_dot(v[2], v[0]) * length[1];
        sum += 2 * atan2(numerator, denominator);
    }
    return sum / (4 * 3.14159265358979323846);
}

static void insides(void **state) {
    (void)state;
    static const shape_kind closed[] = {SHAPE_KNOT, SHAPE_BALL, SHAPE_BOXES, SHAPE_NESTED};
    test_random random = test_random_start(343);
    int inside = 0;
    for (int i = 0; i < 4; i++) {
        shape shape;
        shape_make(&shape, closed[i], 120, &random);
        lf_model *model = make_model(&shape, 0);
        assert_true(lf_model_describe(model).closed);
        int on = 0;
        for (int n = 0; n < 600; n++) {
            lf_relation relation;
            lf_vec3 point = n % 3 == 0   ? nasty_whole_vec(3, &random)
                            : n % 3 == 1 ? nasty_real_vec(1, &random)
                                         : shape.vertices[test_random_below(&random, shape.vertex_count)];
            assert_int_equal(lf_model_point_inside(model, NULL, point, &relation, NULL), LF_OK);
            on += relation == LF_RELATION_CROSSING;
            inside += relation == LF_RELATION_INSIDE;
            if (n % 3 == 2)
                assert_int_equal(relation, LF_RELATION_CROSSING);
            if (relation != LF_RELATION_CROSSING)
                assert_int_equal(relation == LF_RELATION_INSIDE, fabs(winding(&shape, point)) > 0.5);
        }
        assert_true(on >= 200);
        lf_model_destroy(model);
        shape_free(&shape);
    }
    assert_true(inside > 50); // half of the ball's points are
}

static void rays(void **state) {
    (void)state;
    test_random random = test_random_start(344);
    shape shape;
    shape_make(&shape, SHAPE_KNOT, 400, &random);
    lf_model *model = make_model(&shape, 0);
    int hits = 0;
    for (int n = 0; n < 500; n++) {
        lf_pose pose = shape_random_pose(5, &random);
        lf_vec3 from = lf_vec3_add(pose.translation, nasty_real_vec(4, &random));
        lf_vec3 to = lf_vec3_add(pose.translation, nasty_real_vec(1.5, &random));
        lf_ray ray = lf_ray_towards(from, lf_vec3_sub(to, from));
        lf_hit hit;
        lf_vec3 t[3];
        lf_ray local = {lf_pose_to_local(&pose, from), lf_pose_turn_to_local(&pose, ray.direction), 0,
                        LF_INFINITY};
        assert_int_equal(lf_ground_ray_first(lf_model_ground(model), &local, &hit, NULL), LF_OK);
        hit.point = lf_pose_to_world(&pose, hit.point);
        hit.normal = lf_pose_turn_to_world(&pose, hit.normal);
        double first = INFINITY;
        for (int64_t k = 0; k < shape.triangle_count; k++) {
            fetch(&shape, &pose, k, t);
            exact_meeting meeting = exact_ray_triangle(&ray, t);
            if (meeting.met)
                first = fmin(first, meeting.t);
        }
        assert_int_equal(hit.kind != LF_HIT_NONE, isfinite(first));
        if (hit.kind == LF_HIT_NONE)
            continue;
        hits++;
        assert_true(fabs(hit.t - first) < 1e-9);
        fetch(&shape, &pose, hit.element, t);
        assert_true(lf_vec3_length(lf_vec3_sub(project(t, hit.point), hit.point)) < 1e-9);
        assert_true(fabs(lf_vec3_dot(hit.normal, lf_vec3_sub(t[1], t[0]))) < 1e-9);
    }
    assert_true(hits > 100);
    lf_model_destroy(model);
    shape_free(&shape);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(points),
        cmocka_unit_test(insides),
        cmocka_unit_test(rays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
