// Heights over grids of every surface, and what a grid says of itself, against exact arithmetic.
#include "brute.h"
#include "grid_oracle.h"
#include <stdlib.h>

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/// Samples, counts and bounds; made of samples of every type and layout.
static void check_description(const grid_bench *bench) {
    const exact_grid *exact = &bench->exact;
    const lf_grid *grid = bench->best.grid;
    lf_grid_info info = lf_grid_describe(grid);
    double low = LF_INFINITY, high = -LF_INFINITY;
    int64_t holes = 0;
    for (int64_t i = 0; i < exact->columns * exact->rows; i++) {
        double height = exact->heights[i];
        assert_true(same_number(lf_grid_sample(grid, i % exact->columns, i / exact->columns), height));
        holes += isnan(height);
        low = fmin(low, height);
        high = fmax(high, height);
    }
    assert_true(isnan(lf_grid_sample(grid, -1, 0)) && isnan(lf_grid_sample(grid, exact->columns, 0)) &&
                isnan(lf_grid_sample(grid, 0, exact->rows)));
    assert_int_equal(info.columns, exact->columns);
    assert_int_equal(info.rows, exact->rows);
    assert_int_equal(info.hole_count, holes);
    assert_int_equal(info.surface, exact->surface);
    assert_int_equal(info.extend, exact->extend);
    assert_true(holes == exact->columns * exact->rows ? info.low > info.high
                                                      : info.low == low && info.high == high);
    if (holes == 0)
        assert_true(info.box.low.z == low && info.box.high.z == high);
    if (bench->nasty.def.leaf)
        assert_int_equal(info.leaf, bench->nasty.def.leaf);
}

/// The batch gives the same bits as one point after the other, packed or with strides, on one thread or three.
static void oracle_many(grid_oracle *oracle, const grid_bench *bench, const lf_vec3 *points,
                        const lf_hit *singles, int64_t count, lf_vertical look) {
    struct wide {
        lf_hit hit;
        double beside;
    } *wide = test_space(count, sizeof *wide);
    lf_hit *packed = test_space(count, sizeof *packed), *plain = test_space(count, sizeof *plain);
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground = bench->best.ground;
    assert_int_equal(lf_ground_height_many(ground, points, 0, count, look, packed, 0, &tasks), LF_OK);
    assert_int_equal(
        lf_ground_height_many(ground, points, sizeof *points, count, look, &wide->hit, sizeof *wide, NULL),
        LF_OK);
    grid_bench_plain(true);
    assert_int_equal(lf_ground_height_many(bench->plain.ground, points, 0, count, look, plain, 0, NULL),
                     LF_OK);
    grid_bench_plain(false);
    for (int64_t i = 0; i < count; i++) {
        lf_ray line = {points[i], {0, 0, -1}, 0, LF_INFINITY};
        if (!oracle_same_hit(&packed[i], &singles[2 * i + look]) ||
            !oracle_same_hit(&wide[i].hit, &singles[2 * i + look]))
            grid_oracle_wrong(oracle, bench, &line, "many heights: not what one point gives", &packed[i]);
        if (!oracle_same_hit(&plain[i], &singles[2 * i + look]))
            grid_oracle_wrong(oracle, bench, &line, "many heights on plain instructions: not what one gives",
                              &plain[i]);
    }
    free(plain);
    free(packed);
    free(wide);
}

/// Walls apart, the surface that rays meet is the one that heights tell of.
static void oracle_vertical_ray(grid_oracle *oracle, grid_bench *bench, lf_vec3 point, const lf_hit *down) {
    lf_ray line = {point, {0, 0, -1}, 0, LF_INFINITY};
    lf_hit hit = grid_oracle_ray(oracle, bench, &line);
    bool agree =
        (hit.kind == LF_HIT_NONE) == (down->kind == LF_HIT_NONE) &&
        (hit.kind == LF_HIT_NONE || (hit.element == down->element && hit.triangle == down->triangle));
    if (!agree)
        grid_oracle_wrong(oracle, bench, &line,
                          "a vertical ray does not meet the ground that heights tell of", &hit);
}

static void oracle_grid(grid_oracle *oracle, const nasty_grid *nasty, int64_t count, test_random *random) {
    grid_bench bench;
    grid_bench_open(&bench, nasty);
    check_description(&bench);
    lf_vec3 *points = test_space(count, sizeof *points);
    lf_hit *singles = test_space(2 * count, sizeof *singles);
    for (int64_t i = 0; i < count; i++) {
        points[i] = nasty_grid_point(&bench.nasty, random);
        grid_oracle_height(oracle, &bench, points[i], &singles[2 * i]);
        if (i % 4 == 0 && bench.exact.surface != LF_SURFACE_POINT)
            oracle_vertical_ray(oracle, &bench, points[i], &singles[2 * i]);
        if (i % 8 == 0) {
            lf_hit from_above[2];
            grid_oracle_height(oracle, &bench, (lf_vec3){points[i].x, points[i].y, LF_INFINITY}, from_above);
        }
    }
    oracle_many(oracle, &bench, points, singles, count, LF_VERTICAL_DOWN);
    oracle_many(oracle, &bench, points, singles, count, LF_VERTICAL_UP);
    free(singles);
    free(points);
    grid_bench_close(&bench);
}

static void heights_are_exact(void **state) {
    (void)state;
    test_random random = test_random_start(4200);
    grid_oracle oracle = {.name = "grid heights"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int surface = LF_SURFACE_FALLING; surface <= LF_SURFACE_POINT; surface++)
            for (int relief = 0; relief < NASTY_RELIEFS; relief++) {
                nasty_grid nasty;
                nasty_grid_make(&nasty, (nasty_relief)relief, (lf_surface)surface, round % 4 == 3 ? 15 : 0,
                                &random);
                if (round % 2)
                    nasty_grid_place_plainly(&nasty);
                oracle_grid(&oracle, &nasty, 100, &random);
            }
    grid_oracle_close(&oracle, 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_are_exact),
    };
    return cmocka_run_group_tests_name("oracle: grid heights", tests, NULL, NULL);
}
