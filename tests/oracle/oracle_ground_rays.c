// Rays over polygon ground against brute force: layers, one-sided polygons, batches, instruction sets.
#include "mesh_oracle.h"
#include <stdlib.h>

/// Ask again with an interval that begins or ends at the hit's t, or one bit beside it.
static void oracle_interval(oracle *oracle, mesh_bench *bench, lf_ray ray, const lf_hit *hit, int64_t how) {
    double beside = how & 1 ? hit->t : nextafter(hit->t, how & 2 ? LF_INFINITY : 0);
    if (how & 4 && beside >= ray.t_min)
        ray.t_max = beside;
    else if (beside <= ray.t_max)
        ray.t_min = beside;
    mesh_oracle_ray(oracle, bench, &ray, ~0u);
}

/// The batch gives the same bits as one ray after the other, packed or with strides, on one thread or three.
static void oracle_many(oracle *oracle, const mesh_bench *bench, const lf_ray *rays, const lf_hit *singles,
                        int64_t count) {
    struct wide {
        lf_hit hit;
        double beside;
    } *wide = test_space(count, sizeof *wide);
    lf_hit *packed = test_space(count, sizeof *packed);
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground = bench->best.ground;
    assert_int_equal(lf_ground_ray_first_many(ground, rays, 0, count, packed, 0, &tasks), LF_OK);
    assert_int_equal(
        lf_ground_ray_first_many(ground, rays, sizeof *rays, count, &wide->hit, sizeof *wide, NULL), LF_OK);
    for (int64_t i = 0; i < count; i++) {
        brute_question question = {&bench->mesh, rays[i], ~0u, false, false, false};
        if (!oracle_same_hit(&packed[i], &singles[i]))
            oracle_wrong(oracle, &question, "many on three threads: not what one ray gives", &packed[i]);
        if (!oracle_same_hit(&wide[i].hit, &singles[i]))
            oracle_wrong(oracle, &question, "many with strides: not what one ray gives", &wide[i].hit);
    }
    free(packed);
    free(wide);
}

static void oracle_mesh(oracle *oracle, int kind, int64_t size, int64_t count, test_random *random) {
    static const uint32_t masks[4] = {1, 2, 0x80000004u, 0};
    nasty_mesh mesh;
    mesh_bench bench;
    nasty_mesh_make(&mesh, (nasty_mesh_kind)kind, size, test_random_below(random, 3) > 0, random);
    mesh_bench_open(&bench, &mesh, lf_frame_default());
    lf_ray *rays = test_space(count, sizeof *rays);
    lf_hit *singles = test_space(count, sizeof *singles);
    for (int64_t i = 0; i < count; i++) {
        rays[i] = nasty_ray_make((nasty_ray_kind)(i % NASTY_RAY_KINDS), &bench.mesh, random);
        singles[i] = mesh_oracle_ray(oracle, &bench, &rays[i], ~0u);
        if (i % 4 == 0)
            mesh_oracle_ray(oracle, &bench, &rays[i], masks[test_random_below(random, 4)]);
        if (singles[i].kind != LF_HIT_NONE && singles[i].t > 0 && i % 4 == 1)
            oracle_interval(oracle, &bench, rays[i], &singles[i], test_random_below(random, 8));
    }
    oracle_many(oracle, &bench, rays, singles, count);
    free(singles);
    free(rays);
    mesh_bench_close(&bench);
}

static void rays_equal_brute_force(void **state) {
    (void)state;
    test_random random = test_random_start(2001);
    oracle oracle = {.name = "ground rays"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            oracle_mesh(&oracle, kind, 1 + test_random_below(&random, 400), NASTY_RAY_KINDS * 20, &random);
    oracle_close(&oracle, 20000);
}

static void rays_over_many_polygons(void **state) {
    (void)state;
    test_random random = test_random_start(2002);
    oracle oracle = {.name = "ground rays, many polygons"};
    for (int64_t round = 0; round < test_rounds(1); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            oracle_mesh(&oracle, kind, 3000, NASTY_RAY_KINDS * 2, &random);
    oracle_close(&oracle, 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_equal_brute_force),
        cmocka_unit_test(rays_over_many_polygons),
    };
    return cmocka_run_group_tests_name("oracle: ground rays", tests, NULL, NULL);
}
