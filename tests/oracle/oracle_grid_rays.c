// Rays over grids of every surface against brute force in exact arithmetic.
#include "brute.h"
#include "grid_oracle.h"
#include <stdlib.h>

/// Ask again with an interval that begins or ends at the hit's t, or one bit beside it.
static void oracle_interval(grid_oracle *oracle, grid_bench *bench, lf_ray ray, const lf_hit *hit,
                            int64_t how) {
    double beside = how & 1 ? hit->t : nextafter(hit->t, how & 2 ? LF_INFINITY : 0);
    if (how & 4 && beside >= ray.t_min)
        ray.t_max = beside;
    else if (beside <= ray.t_max)
        ray.t_min = beside;
    grid_oracle_ray(oracle, bench, &ray);
}

/// The batch gives the same bits as one ray after the other, packed or with strides, on one thread or three.
static void oracle_many(grid_oracle *oracle, const grid_bench *bench, const lf_ray *rays,
                        const lf_hit *singles, int64_t count) {
    struct wide {
        lf_hit hit;
        double beside;
    } *wide = test_space(count, sizeof *wide);
    lf_hit *packed = test_space(count, sizeof *packed), *plain = test_space(count, sizeof *plain);
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground = bench->best.ground;
    assert_int_equal(lf_ground_ray_first_many(ground, rays, 0, count, packed, 0, &tasks), LF_OK);
    assert_int_equal(
        lf_ground_ray_first_many(ground, rays, sizeof *rays, count, &wide->hit, sizeof *wide, NULL), LF_OK);
    grid_bench_plain(true);
    assert_int_equal(lf_ground_ray_first_many(bench->plain.ground, rays, 0, count, plain, 0, NULL), LF_OK);
    grid_bench_plain(false);
    for (int64_t i = 0; i < count; i++) {
        if (!oracle_same_hit(&packed[i], &singles[i]))
            grid_oracle_wrong(oracle, bench, &rays[i], "many on three threads: not what one ray gives",
                              &packed[i]);
        if (!oracle_same_hit(&wide[i].hit, &singles[i]))
            grid_oracle_wrong(oracle, bench, &rays[i], "many with strides: not what one ray gives",
                              &wide[i].hit);
        if (!oracle_same_hit(&plain[i], &singles[i]))
            grid_oracle_wrong(oracle, bench, &rays[i], "many on plain instructions: not what one ray gives",
                              &plain[i]);
    }
    free(plain);
    free(packed);
    free(wide);
}

static void oracle_grid(grid_oracle *oracle, const nasty_grid *nasty, int64_t per_line, test_random *random) {
    grid_bench bench;
    grid_bench_open(&bench, nasty);
    int64_t count = per_line * NASTY_LINES;
    lf_ray *rays = test_space(count, sizeof *rays);
    lf_hit *singles = test_space(count, sizeof *singles);
    for (int64_t i = 0; i < count; i++) {
        rays[i] = nasty_grid_ray((nasty_line)(i % NASTY_LINES), &bench.nasty, random);
        singles[i] = grid_oracle_ray(oracle, &bench, &rays[i]);
        if (singles[i].kind != LF_HIT_NONE && singles[i].t > 0 && i % 5 == 1)
            oracle_interval(oracle, &bench, rays[i], &singles[i], test_random_below(random, 8));
    }
    oracle_many(oracle, &bench, rays, singles, count);
    free(singles);
    free(rays);
    grid_bench_close(&bench);
}

static void oracle_surface(lf_surface surface, const char *name) {
    test_random random = test_random_start(4100 + (uint64_t)surface);
    grid_oracle oracle = {.name = name};
    for (int64_t round = 0; round < test_rounds(13) || oracle.questions < 20000; round++)
        for (int relief = 0; relief < NASTY_RELIEFS; relief++) {
            nasty_grid nasty;
            nasty_grid_make(&nasty, (nasty_relief)relief, surface, 0, &random);
            if (round % 2)
                nasty_grid_place_plainly(&nasty);
            oracle_grid(&oracle, &nasty, 5, &random);
        }
    grid_oracle_close(&oracle, 20000);
}

static void falling(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_FALLING, "rays, falling");
}

static void rising(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_RISING, "rays, rising");
}

static void alternating(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_ALTERNATING, "rays, alternating");
}

static void bilinear(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_BILINEAR, "rays, bilinear");
}

static void samples(void **state) {
    (void)state;
    oracle_surface(LF_SURFACE_POINT, "rays, samples");
}

/// Several levels of bounds.
static void larger_grids(void **state) {
    (void)state;
    test_random random = test_random_start(4110);
    grid_oracle oracle = {.name = "rays, larger grids"};
    for (int64_t round = 0; round < test_rounds(10); round++) {
        nasty_grid nasty;
        nasty_relief relief = (nasty_relief)test_random_below(&random, NASTY_RELIEFS);
        nasty_grid_make(&nasty, relief, (lf_surface)(round % 5), 60, &random);
        oracle_grid(&oracle, &nasty, 3, &random);
    }
    grid_oracle_close(&oracle, 10 * NASTY_LINES * 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling),  cmocka_unit_test(rising),  cmocka_unit_test(alternating),
        cmocka_unit_test(bilinear), cmocka_unit_test(samples), cmocka_unit_test(larger_grids),
    };
    return cmocka_run_group_tests_name("oracle: grid rays", tests, NULL, NULL);
}
