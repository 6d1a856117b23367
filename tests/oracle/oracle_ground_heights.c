// Heights over polygon ground against brute force: down, up, all, and why there is none.
#include "mesh_oracle.h"
#include <stdlib.h>

/// The batch gives the same bits as one point after the other, packed or with strides, on one thread or three.
static void oracle_many(oracle *oracle, const mesh_bench *bench, const lf_vec3 *points, int64_t count,
                        lf_vertical look) {
    struct wide {
        lf_hit hit;
        double beside;
    } *wide = test_space(count, sizeof *wide);
    lf_hit *packed = test_space(count, sizeof *packed), single;
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground = bench->best.ground;
    assert_int_equal(lf_ground_height_many(ground, points, 0, count, look, packed, 0, &tasks), LF_OK);
    assert_int_equal(
        lf_ground_height_many(ground, points, sizeof *points, count, look, &wide->hit, sizeof *wide, NULL),
        LF_OK);
    for (int64_t i = 0; i < count; i++) {
        brute_question question =
            mesh_oracle_half_line(bench, points[i], look == LF_VERTICAL_DOWN ? 1 : -1, ~0u);
        assert_int_equal(lf_ground_height(ground, points[i], look, &single, NULL), LF_OK);
        if (!oracle_same_hit(&packed[i], &single))
            oracle_wrong(oracle, &question, "many on three threads: not what one point gives", &packed[i]);
        if (!oracle_same_hit(&wide[i].hit, &single))
            oracle_wrong(oracle, &question, "many with strides: not what one point gives", &wide[i].hit);
    }
    free(packed);
    free(wide);
}

static void oracle_mesh(oracle *oracle, int kind, int64_t size, lf_frame frame, test_random *random) {
    static const uint32_t masks[4] = {1, 2, 0x80000004u, 0};
    enum { COUNT = 120 };
    nasty_mesh mesh;
    mesh_bench bench;
    nasty_mesh_make(&mesh, (nasty_mesh_kind)kind, size, test_random_below(random, 3) > 0, random);
    mesh_bench_open(&bench, &mesh, frame);
    lf_vec3 points[COUNT];
    for (int i = 0; i < COUNT; i++) {
        points[i] = nasty_point_make(&bench.mesh, frame.down, random);
        mesh_oracle_height(oracle, &bench, points[i], ~0u);
        if (i % 4 == 0)
            mesh_oracle_height(oracle, &bench, points[i], masks[test_random_below(random, 4)]);
    }
    oracle_many(oracle, &bench, points, COUNT, LF_VERTICAL_DOWN);
    oracle_many(oracle, &bench, points, COUNT, LF_VERTICAL_UP);
    mesh_bench_close(&bench);
}

static void heights_where_down_is_minus_z(void **state) {
    (void)state;
    test_random random = test_random_start(3001);
    oracle oracle = {.name = "heights, -z"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            oracle_mesh(&oracle, kind, 1 + test_random_below(&random, 300), lf_frame_default(), &random);
    oracle_close(&oracle, 20000);
}

static void heights_along_any_gravity(void **state) {
    (void)state;
    test_random random = test_random_start(3002);
    oracle oracle = {.name = "heights, any gravity"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++) {
            lf_frame frame;
            assert_int_equal(lf_frame_gravity(nasty_gravity(&random), &frame), LF_OK);
            oracle_mesh(&oracle, kind, 1 + test_random_below(&random, 300), frame, &random);
        }
    oracle_close(&oracle, 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_where_down_is_minus_z),
        cmocka_unit_test(heights_along_any_gravity),
    };
    return cmocka_run_group_tests_name("oracle: ground heights", tests, NULL, NULL);
}
