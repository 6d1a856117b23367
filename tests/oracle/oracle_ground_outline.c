/// Boxes of groups: what their outlines in floats tell against the exact box, and batches against single questions.
#include "ground/group.h"
#include "support.h"
#include <landfall/sight.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BOXES = 60, LINES = 400 };

static double any(test_random *random, double low, double high) {
    return test_random_between(random, low, high);
}

static lf_vec3 any_vector(test_random *random, double size) {
    return (lf_vec3){any(random, -size, size), any(random, -size, size), any(random, -size, size)};
}

/// Boxes of all proportions, some with right angles to the axes, some far from the origin.
static lf_group *make_boxes(test_random *random, double size, double far) {
    static lf_group_part parts[BOXES];
    lf_group_def def = lf_group_def_default();
    lf_group *group;
    for (int i = 0; i < BOXES; i++) {
        double flat = test_random_below(random, 4) == 0 ? 1e-4 : 1;
        lf_vec3 half = {size * any(random, 0.01, 1), size * any(random, 0.01, 1),
                        flat * size * any(random, 0.01, 1)};
        lf_vec3 off = any_vector(random, size);
        lf_vec3 axis = test_random_below(random, 3) ? any_vector(random, 1) : (lf_vec3){0, 0, 1};
        double angle = test_random_below(random, 3) ? any(random, -4, 4) : 0;
        parts[i] = (lf_group_part){.box = {lf_vec3_sub(off, half), lf_vec3_add(off, half)}};
        lf_pose_turn((lf_vec3){0, 0, 0}, axis, angle, &parts[i].pose);
        parts[i].pose.translation = lf_vec3_add(any_vector(random, 8 * size), (lf_vec3){far, -far, far});
    }
    def.parts = parts;
    def.part_count = BOXES;
    assert_int_equal(lf_group_create(&def, &group, NULL), LF_OK);
    return group;
}

/// A line through a point at or near a corner, an edge, a face or the inside of a box.
static lf_ray any_line(const lf__group_part *part, test_random *random, double size) {
    lf_vec3 middle = lf_box_centre(part->own), half = lf_vec3_sub(part->own.high, middle), p = middle;
    double beside =
        1 + (test_random_below(random, 2) ? 0 : pow(10, any(random, -12, -1)) * any(random, -1, 1));
    const double side[3] = {-1, 0, 1};
    p.x += beside * half.x *
           (test_random_below(random, 2) ? side[test_random_below(random, 3)] : any(random, -2, 2));
    p.y += beside * half.y *
           (test_random_below(random, 2) ? side[test_random_below(random, 3)] : any(random, -2, 2));
    p.z += beside * half.z *
           (test_random_below(random, 2) ? side[test_random_below(random, 3)] : any(random, -2, 2));
    p = lf_pose_to_world(&part->pose, p);
    lf_vec3 d = any_vector(random, 1);
    if (test_random_below(random, 4) == 0)
        d = part->pose.rows[test_random_below(random, 3)];
    double way = size * pow(10, any(random, -2, 4)), stretch = pow(10, any(random, -3, 3));
    if (test_random_below(random, 20) == 0)
        stretch = pow(10, any(random, -150, 150));
    lf_ray ray = {lf_vec3_along(p, -way, d), lf_vec3_scale(d, stretch), 0, LF_INFINITY};
    if (test_random_below(random, 2))
        ray.t_max = (way + any(random, -2, 2) * size) / stretch;
    ray.t_max = fmax(ray.t_max, 0);
    return ray;
}

static void outlines_tell_the_truth(void **state) {
    (void)state;
    test_random random = test_random_start(811);
    int64_t told = 0, unsure = 0;
    for (int64_t round = 0; round < 40; round++) {
        double size = pow(10, any(&random, -2, 4)),
               far = test_random_below(&random, 3) ? 0 : pow(10, any(&random, 0, 8));
        lf_group *group = make_boxes(&random, size, far);
        for (int i = 0; i < LINES; i++) {
            const lf__group_part *part = &group->parts[test_random_below(&random, BOXES)];
            lf_ray ray = any_line(part, &random, size), local = lf__part_ray(part, &ray);
            lf__outline_line line = lf__outline_line_of(&ray);
            lf_counters cost = {0};
            lf__box_meeting meeting;
            double enters;
            bool met = lf__box_first(&part->own, &local, false, &meeting, &cost);
            lf__outline_answer answer =
                lf__outline_pass(&part->outline, &line, ray.t_min, ray.t_max, &enters);
            if (answer == LF__OUTLINE_MISSED)
                assert_false(met);
            if (answer == LF__OUTLINE_THROUGH)
                assert_true(met);
            told += answer != LF__OUTLINE_UNSURE;
            unsure += answer == LF__OUTLINE_UNSURE;
        }
        lf_group_destroy(group);
    }
    printf("%lld lines told, %lld unsure\n", (long long)told, (long long)unsure);
    assert_true(told > unsure);
}

static void batches_are_single_questions(void **state) {
    (void)state;
    test_random random = test_random_start(812);
    for (int64_t round = 0; round < 20; round++) {
        static lf_ray rays[LINES];
        static lf_hit hits[LINES];
        static lf_vec3 a[LINES], b[LINES];
        static uint8_t verdicts[LINES];
        double size = pow(10, any(&random, -1, 3));
        lf_group *group = make_boxes(&random, size, 0);
        const lf_ground *ground = lf_group_ground(group);
        lf_sight_rules rules = lf_sight_rules_default();
        rules.curvature.coefficient = test_random_below(&random, 2) ? 0.85 : 0;
        for (int i = 0; i < LINES; i++) {
            a[i] = any_vector(&random, 9 * size), b[i] = any_vector(&random, 9 * size);
            b[i] = test_random_below(&random, 30) ? b[i] : a[i];
            rays[i] = any_line(&group->parts[test_random_below(&random, BOXES)], &random, size);
        }
        assert_int_equal(lf_ground_ray_first_many(ground, rays, 0, LINES, hits, 0, NULL), LF_OK);
        assert_int_equal(lf_sight_verdicts(ground, &rules, a, 0, b, 0, LINES, verdicts, NULL), LF_OK);
        for (int i = 0; i < LINES; i++) {
            lf_hit hit;
            lf_verdict verdict;
            lf_sight sight;
            assert_int_equal(lf_ground_ray_first(ground, &rays[i], &hit, NULL), LF_OK);
            assert_memory_equal(&hit, &hits[i], sizeof hit);
            assert_int_equal(lf_sight_verdict(ground, &rules, a[i], b[i], &verdict, NULL), LF_OK);
            assert_int_equal(verdict, verdicts[i]);
            assert_int_equal(lf_sight_between(ground, &rules, a[i], b[i], &sight, NULL), LF_OK);
            assert_int_equal(sight.verdict, verdict);
        }
        lf_group_destroy(group);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(outlines_tell_the_truth),
                                       cmocka_unit_test(batches_are_single_questions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
