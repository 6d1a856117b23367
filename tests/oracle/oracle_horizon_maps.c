// Horizon maps, sky view, shade and hours of sun over every sample of small rasters, against exact
// arithmetic.
#include "horizon_oracle.h"
#include <stdlib.h>
#include <string.h>

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

typedef struct scene {
    grid_bench bench;
    lf_horizon_def def;
    lf_window window; ///< all samples
    int64_t count;
} scene;

static void wrong(grid_oracle *oracle, const scene *scene, int64_t sample, const double numbers[3],
                  const char *what) {
    horizon_wrong(oracle, &scene->bench, &scene->def.rules,
                  horizon_eye_over(&scene->bench, sample, scene->def.height), numbers, what);
}

static bool is_bare(const scene *scene, int64_t sample) {
    int64_t columns = scene->bench.exact.columns;
    return exact_grid_bare(&scene->bench.exact, sample % columns, sample / columns);
}

static horizon_truth skyline(const scene *scene, int64_t sample, double azimuth, bool doubt) {
    return horizon_truth_of(&scene->bench, &scene->def.rules,
                            horizon_eye_over(&scene->bench, sample, scene->def.height), azimuth,
                            scene->def.range, doubt);
}

static bool in_skyline(const horizon_truth *truth, double said) {
    double low = truth->may_be_none ? -90 : truth->low_deg, high = fmax(truth->high_deg, low);
    double off = 0x1p-23 * fmax(fabs(low), fabs(high)) + 1e-9;
    return said >= low - off && said <= high + off;
}

static void oracle_map(grid_oracle *oracle, scene *scene, double azimuth) {
    float *map = test_space(scene->count, sizeof *map), *again = test_space(scene->count, sizeof *map);
    lf_tasks tasks = test_tasks(3);
    assert_int_equal(lf_horizon_map(lf_grid_ground(scene->bench.best.grid), &scene->def, azimuth,
                                    scene->window, map, 0, NULL),
                     LF_OK);
    scene->def.host.tasks = &tasks;
    assert_int_equal(lf_horizon_map(lf_grid_ground(scene->bench.plain.grid), &scene->def, azimuth,
                                    scene->window, again, 0, NULL),
                     LF_OK);
    scene->def.host.tasks = NULL;
    if (memcmp(map, again, (size_t)scene->count * sizeof *map) != 0)
        wrong(oracle, scene, 0, (double[3]){azimuth, 0, 0}, "map: threads or instructions make a difference");
    for (int64_t sample = 0; sample < scene->count; sample++) {
        double numbers[3] = {azimuth, scene->def.range, (double)map[sample]};
        oracle->questions++;
        if (is_bare(scene, sample)) {
            if (!isnan(map[sample]))
                wrong(oracle, scene, sample, numbers, "map: a horizon of a hole");
            continue;
        }
        horizon_truth truth = skyline(scene, sample, azimuth, false);
        if (in_skyline(&truth, (double)map[sample]))
            continue;
        truth = skyline(scene, sample, azimuth, true);
        oracle->ties++;
        if (!in_skyline(&truth, (double)map[sample]))
            wrong(oracle, scene, sample, numbers, "map: elevation is off");
    }
    free(again);
    free(map);
}

/// cos^2 of an elevation, below level counted as level.
static double open_share(double elevation_deg) {
    double cosine = cos(fmax(0, elevation_deg) * (3.14159265358979323846 / 180));
    return cosine * cosine;
}

static void oracle_sky(grid_oracle *oracle, scene *scene, int directions) {
    float *share = test_space(scene->count, sizeof *share);
    assert_int_equal(lf_sky_view(lf_grid_ground(scene->bench.best.grid), &scene->def, directions,
                                 scene->window, share, 0, NULL),
                     LF_OK);
    for (int64_t sample = 0; sample < scene->count; sample++) {
        double numbers[3] = {directions, scene->def.range, (double)share[sample]}, low = 0, high = 0;
        oracle->questions++;
        if (is_bare(scene, sample)) {
            if (!isnan(share[sample]))
                wrong(oracle, scene, sample, numbers, "sky: a share of a hole");
            continue;
        }
        for (int k = 0; k < directions; k++) {
            horizon_truth truth = skyline(scene, sample, 360.0 * k / directions, true);
            low += open_share(truth.high_deg) / directions;
            high += open_share(truth.may_be_none ? -90 : truth.low_deg) / directions;
        }
        if (!((double)share[sample] >= low - 1e-6 && (double)share[sample] <= high + 1e-6))
            wrong(oracle, scene, sample, numbers, "sky: share is off");
    }
    free(share);
}

static unsigned light(const scene *scene, int64_t sample, lf_sun sun, bool doubt) {
    if (is_bare(scene, sample))
        return 1u << LF_VISIBILITY_VOID;
    return horizon_light(&scene->bench, &scene->def.rules,
                         horizon_eye_over(&scene->bench, sample, scene->def.height), sun, scene->def.range,
                         doubt);
}

static void oracle_shade(grid_oracle *oracle, scene *scene, lf_sun sun) {
    uint8_t *lit = test_space(scene->count, 1), *again = test_space(scene->count, 1);
    lf_tasks tasks = test_tasks(3);
    assert_int_equal(
        lf_sun_shade(lf_grid_ground(scene->bench.best.grid), &scene->def, sun, scene->window, lit, 0, NULL),
        LF_OK);
    scene->def.host.tasks = &tasks;
    assert_int_equal(lf_sun_shade(lf_grid_ground(scene->bench.plain.grid), &scene->def, sun, scene->window,
                                  again, 0, NULL),
                     LF_OK);
    scene->def.host.tasks = NULL;
    double numbers[3] = {sun.azimuth_deg, sun.altitude_deg, 0};
    if (memcmp(lit, again, (size_t)scene->count) != 0)
        wrong(oracle, scene, 0, numbers, "shade: threads or instructions make a difference");
    for (int64_t sample = 0; sample < scene->count; sample++) {
        numbers[2] = lit[sample];
        oracle->questions++;
        oracle->hits += lit[sample] == LF_VISIBILITY_VISIBLE;
        oracle->misses += lit[sample] == LF_VISIBILITY_HIDDEN;
        if (lit[sample] < 4 && (light(scene, sample, sun, false) >> lit[sample] & 1))
            continue;
        oracle->ties++;
        if (lit[sample] > 3 || !(light(scene, sample, sun, true) >> lit[sample] & 1))
            wrong(oracle, scene, sample, numbers, "shade: wrong");
    }
    free(again);
    free(lit);
}

static void oracle_hours(grid_oracle *oracle, scene *scene, const lf_sun *suns, int64_t count) {
    float *hours = test_space(scene->count, sizeof *hours);
    assert_int_equal(lf_sun_hours(lf_grid_ground(scene->bench.best.grid), &scene->def, suns, count,
                                  scene->window, hours, 0, NULL),
                     LF_OK);
    for (int64_t sample = 0; sample < scene->count; sample++) {
        double low = 0, high = 0, numbers[3] = {(double)count, suns[0].azimuth_deg, (double)hours[sample]};
        oracle->questions++;
        if (is_bare(scene, sample)) {
            if (!isnan(hours[sample]))
                wrong(oracle, scene, sample, numbers, "hours: of a hole");
            continue;
        }
        for (int64_t k = 0; k < count; k++) {
            unsigned may_be = light(scene, sample, suns[k], true);
            low += may_be == 1u << LF_VISIBILITY_VISIBLE ? suns[k].hours : 0;
            high += may_be >> LF_VISIBILITY_VISIBLE & 1 ? suns[k].hours : 0;
        }
        if (!((double)hours[sample] >= low - 1e-5 && (double)hours[sample] <= high + 1e-5))
            wrong(oracle, scene, sample, numbers, "hours: off");
    }
    free(hours);
}

static lf_sun any_sun(test_random *random) {
    lf_sun sun = {test_random_between(random, 0, 360), test_random_between(random, 1, 80), 0.25};
    if (one_in(random, 2))
        sun.azimuth_deg = 45 * (double)test_random_below(random, 8);
    if (one_in(random, 3))
        sun.altitude_deg = 45;
    if (one_in(random, 8))
        sun.altitude_deg = test_random_between(random, -3, 1);
    return sun;
}

static void scene_open(scene *scene, int64_t round, test_random *random) {
    nasty_grid nasty;
    nasty_grid_make(&nasty, (nasty_relief)(round % NASTY_RELIEFS), (lf_surface)(round % 5), 0, random);
    if (one_in(random, 2))
        nasty_grid_place_plainly(&nasty);
    grid_bench_open(&scene->bench, &nasty);
    scene->window = (lf_window){0, 0, scene->bench.exact.columns, scene->bench.exact.rows};
    scene->count = scene->window.columns * scene->window.rows;
    scene->def = lf_horizon_def_default();
    lf_vec2 corner =
        nasty_sight_sample(&scene->bench.nasty, scene->window.columns - 1, scene->window.rows - 1);
    lf_vec2 first = nasty.def.geotransform.origin;
    scene->def.rules = nasty_sight_rules(&scene->bench.nasty, (lf_vec3){first.x, first.y, 0},
                                         (lf_vec3){corner.x, corner.y, 0}, random);
    scene->def.height = one_in(random, 2) ? 0 : nasty_sight_eye(&scene->bench.nasty, random);
}

static void maps_are_exact(void **state) {
    (void)state;
    test_random random = test_random_start(5600);
    grid_oracle oracle = {
        .name = "horizon maps (hits: lit, misses: shade, ties: decided by the direction's rounding)"};
    for (int64_t round = 0; round < test_rounds(35); round++) {
        scene scene = {0};
        scene_open(&scene, round, &random);
        lf_sun suns[4];
        for (int k = 0; k < 4; k++)
            suns[k] = any_sun(&random);
        oracle_shade(&oracle, &scene, suns[0]);
        oracle_hours(&oracle, &scene, suns, 4);
        if (one_in(&random, 3))
            scene.def.range = nasty_sight_span(&scene.def.rules, (lf_vec3){0, 0, 0}, (lf_vec3){1.5, 2, 0});
        oracle_map(&oracle, &scene, suns[1].azimuth_deg);
        oracle_sky(&oracle, &scene, 1 + (int)test_random_below(&random, 5));
        grid_bench_close(&scene.bench);
    }
    grid_oracle_close(&oracle, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_exact),
    };
    return cmocka_run_group_tests_name("oracle: horizon maps", tests, NULL, NULL);
}
