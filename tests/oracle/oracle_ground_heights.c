// Heights over polygon ground against brute force: down, up, all, and why there is none.
#include "mesh_judge.h"
#include <stdlib.h>

/// The batch gives the same bits as one point after the other, packed or with strides, on one thread or three.
static void judge_many(judge *judge, const mesh_bench *bench, const lf_vec3 *points, int64_t count,
                       lf_vertical look) {
    struct wide {
        lf_hit hit;
        double beside;
    } *wide = test_room(count, sizeof *wide);
    lf_hit *packed = test_room(count, sizeof *packed), single;
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground = bench->best.ground;
    assert_int_equal(lf_ground_height_many(ground, points, 0, count, look, packed, 0, &tasks), LF_OK);
    assert_int_equal(
        lf_ground_height_many(ground, points, sizeof *points, count, look, &wide->hit, sizeof *wide, NULL),
        LF_OK);
    for (int64_t i = 0; i < count; i++) {
        brute_question question = mesh_judge_half_line(bench, points[i], look == LF_VERTICAL_DOWN ? 1 : -1, ~0u);
        assert_int_equal(lf_ground_height(ground, points[i], look, &single, NULL), LF_OK);
        if (!judge_same_hit(&packed[i], &single))
            judge_wrong(judge, &question, "many on three threads: not what one point gives", &packed[i]);
        if (!judge_same_hit(&wide[i].hit, &single))
            judge_wrong(judge, &question, "many with strides: not what one point gives", &wide[i].hit);
    }
    free(packed);
    free(wide);
}

static void judge_mesh(judge *judge, int kind, int64_t size, lf_frame frame, test_random *random) {
    static const uint32_t masks[4] = {1, 2, 0x80000004u, 0};
    enum { COUNT = 120 };
    nasty_mesh mesh;
    mesh_bench bench;
    nasty_mesh_make(&mesh, (nasty_mesh_kind)kind, size, test_random_below(random, 3) > 0, random);
    mesh_bench_open(&bench, &mesh, frame);
    lf_vec3 points[COUNT];
    for (int i = 0; i < COUNT; i++) {
        points[i] = nasty_point_make(&bench.mesh, frame.down, random);
        mesh_judge_height(judge, &bench, points[i], ~0u);
        if (i % 4 == 0)
            mesh_judge_height(judge, &bench, points[i], masks[test_random_below(random, 4)]);
    }
    judge_many(judge, &bench, points, COUNT, LF_VERTICAL_DOWN);
    judge_many(judge, &bench, points, COUNT, LF_VERTICAL_UP);
    mesh_bench_close(&bench);
}

static void heights_where_down_is_minus_z(void **state) {
    (void)state;
    test_random random = test_random_start(3001);
    judge judge = {.name = "heights, -z"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            judge_mesh(&judge, kind, 1 + test_random_below(&random, 300), lf_frame_default(), &random);
    judge_close(&judge, 20000);
}

static void heights_along_any_gravity(void **state) {
    (void)state;
    test_random random = test_random_start(3002);
    judge judge = {.name = "heights, any gravity"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++) {
            lf_frame frame;
            assert_int_equal(lf_frame_gravity(nasty_gravity(&random), &frame), LF_OK);
            judge_mesh(&judge, kind, 1 + test_random_below(&random, 300), frame, &random);
        }
    judge_close(&judge, 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_where_down_is_minus_z),
        cmocka_unit_test(heights_along_any_gravity),
    };
    return cmocka_run_group_tests_name("oracle: ground heights", tests, NULL, NULL);
}
