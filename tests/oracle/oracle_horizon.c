// Skylines of points over grids of every surface, flat and bent, against the exact least upper bound of
// slopes.
#include "horizon_oracle.h"
#include <stdlib.h>
#include <string.h>

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

/// One question and its answer.
typedef struct question {
    lf_sight_rules rules;
    horizon_eye eye;
    double azimuth, range;
    lf_horizon said;
} question;

/// The height of the ground seen from the eye at the said place, against that of the said point and slope.
static const char *oracle_place(const grid_bench *bench, const question *asked) {
    const lf_horizon *said = &asked->said;
    double d = said->distance, slope = tan(said->elevation_deg * (3.14159265358979323846 / 180));
    double bend = asked->rules.curvature.coefficient / (2 * asked->rules.curvature.radius);
    double high = asked->eye.from.z + d * slope + bend * d * d;
    lf_grid_info info = lf_grid_describe(bench->best.grid);
    double steep = 1e-4 * (fabs(info.low) +
                           fabs(info.high)); // what a rounded place makes of a cliff, and the 1e-9 below
    double most = 1 + fabs(asked->eye.from.z) + fabs(said->point.z) + fabs(bend * d * d) + steep;
    if (!(d >= 0 && d <= asked->range * (1 + 1e-12)))
        return "distance is not in the range";
    if (fabs(said->elevation_deg) < 89 &&
        !(fabs(said->point.z - high) <= 1e-9 * (most + d * (1 + slope * slope))))
        return "the point does not lie in the said direction";
    lf_vec2 place = lf_grid_locate(bench->best.grid, (lf_vec2){said->point.x, said->point.y});
    exact_line line = nasty_horizon_line(&bench->nasty, &asked->rules, asked->eye.from, asked->eye.place,
                                         asked->azimuth, 0);
    double turn = fabs(bench->nasty.a) + fabs(bench->nasty.b) + fabs(bench->nasty.c) + fabs(bench->nasty.d);
    double off = 1e-9 * (1 + fabs(place.x) + fabs(place.y)) + 1e-9 * d * (fabs(line.dx) + fabs(line.dy)) +
                 0x1p-50 * turn * (fabs(said->point.x) + fabs(said->point.y));
    if (!(fabs(line.x + d * line.dx - place.x) <= off && fabs(line.y + d * line.dy - place.y) <= off))
        return "the point does not lie at the said distance";
    return NULL;
}

static const char *oracle_answer(const grid_bench *bench, const question *asked, const horizon_truth *truth) {
    const lf_horizon *said = &asked->said;
    bool none = said->reason != LF_REASON_ANSWERED;
    if (none ? !truth->may_be_none : !truth->may_be_ground)
        return none ? "no ground where there is some" : "ground where there is none";
    if (said->hole ? !truth->may_be_hole : !truth->may_be_whole)
        return "hole is wrong";
    if (none)
        return said->reason == LF_REASON_NONE && said->elevation_deg == -90 && said->distance == 0
                   ? NULL
                   : "nothing, with wrong numbers";
    double off = 1e-11 + 1e-9 * fabs(said->elevation_deg) * 1e-3;
    if (!(said->elevation_deg >= truth->low_deg - off && said->elevation_deg <= truth->high_deg + off))
        return "elevation is off";
    return oracle_place(bench, asked);
}

static bool same_horizon(const lf_horizon *a, const lf_horizon *b) {
    return a->reason == b->reason && memcmp(&a->elevation_deg, &b->elevation_deg, sizeof(double)) == 0 &&
           memcmp(&a->distance, &b->distance, sizeof(double)) == 0 &&
           memcmp(&a->point, &b->point, sizeof a->point) == 0 && a->hole == b->hole;
}

static void oracle_question(grid_oracle *oracle, const grid_bench *bench, question *asked) {
    memset(&asked->said, 0x5a, sizeof asked->said);
    assert_int_equal(lf_horizon_at(lf_grid_ground(bench->best.grid), &asked->rules, asked->eye.from,
                                   asked->azimuth, asked->range, &asked->said, NULL),
                     LF_OK);
    horizon_truth truth =
        horizon_truth_of(bench, &asked->rules, asked->eye, asked->azimuth, asked->range, false);
    oracle->questions++;
    oracle->hits += !truth.none;
    oracle->misses += truth.none;
    const char *fault = oracle_answer(bench, asked, &truth);
    if (fault) { // what a rounded direction explains is not a fault
        oracle->ties++;
        truth = horizon_truth_of(bench, &asked->rules, asked->eye, asked->azimuth, asked->range, true);
        fault = oracle_answer(bench, asked, &truth);
    }
    double numbers[3] = {asked->azimuth, asked->range, asked->said.elevation_deg};
    if (fault)
        horizon_wrong(oracle, bench, &asked->rules, asked->eye, numbers, fault);
    grid_bench_plain(true);
    lf_horizon plain;
    assert_int_equal(lf_horizon_at(lf_grid_ground(bench->plain.grid), &asked->rules, asked->eye.from,
                                   asked->azimuth, asked->range, &plain, bench->cursor),
                     LF_OK);
    grid_bench_plain(false);
    if (!same_horizon(&plain, &asked->said))
        horizon_wrong(oracle, bench, &asked->rules, asked->eye, numbers,
                      "plain instructions make a difference");
}

static double any_azimuth(test_random *random) {
    switch (test_random_below(random, 4)) {
    case 0:
        return 45 * (double)test_random_below(random, 9);
    case 1:
        return (double)(test_random_below(random, 1441) - 720) / 2;
    case 2:
        return atan2((double)(test_random_below(random, 9) - 4), (double)(test_random_below(random, 9) - 4)) *
               (180 / 3.14159265358979323846);
    default:
        return test_random_between(random, 0, 360);
    }
}

static horizon_eye any_eye(const grid_bench *bench, test_random *random) {
    int64_t sample = test_random_below(random, bench->exact.columns * bench->exact.rows);
    double above = nasty_sight_eye(&bench->nasty, random);
    if (one_in(random, 2) && !isnan(bench->exact.heights[sample]))
        return horizon_eye_over(bench, sample, above);
    lf_vec3 at = nasty_grid_point(&bench->nasty, random);
    lf_reason reason;
    if (one_in(random, 2))
        assert_int_equal(lf_sight_observer(bench->best.ground, (lf_vec2){at.x, at.y}, above, &at, &reason),
                         LF_OK);
    return (horizon_eye){at, nasty_sight_place(&bench->nasty, at.x, at.y)};
}

/// All directions of one point at once are those one by one, on any number of threads.
static void oracle_around(grid_oracle *oracle, const grid_bench *bench, const question *asked,
                          const double *azimuths, const lf_horizon *singles, int64_t count) {
    lf_horizon *around = test_space(count, sizeof *around);
    double numbers[3] = {asked->azimuth, asked->range, 0};
    for (int threads = 1; threads <= 3; threads++) {
        lf_tasks tasks = test_tasks(threads);
        assert_int_equal(lf_horizon_around(lf_grid_ground(bench->best.grid), &asked->rules, asked->eye.from,
                                           azimuths, count, asked->range, around,
                                           threads == 1 ? NULL : &tasks),
                         LF_OK);
        for (int64_t i = 0; i < count; i++)
            if (!same_horizon(&around[i], &singles[i]))
                horizon_wrong(oracle, bench, &asked->rules, asked->eye, numbers,
                              "around: not what one gives");
    }
    free(around);
}

enum { AZIMUTHS = 16 };

static void oracle_point(grid_oracle *oracle, const grid_bench *bench, test_random *random) {
    question asked = {.eye = any_eye(bench, random), .range = LF_INFINITY};
    lf_vec2 corner = nasty_sight_sample(&bench->nasty, bench->exact.columns - 1, bench->exact.rows - 1);
    asked.rules = nasty_sight_rules(&bench->nasty, asked.eye.from, (lf_vec3){corner.x, corner.y, 0}, random);
    if (one_in(random, 3)) {
        double length = nasty_sight_span(&asked.rules, asked.eye.from, (lf_vec3){corner.x, corner.y, 0});
        asked.range = length > 0 ? length / (double)(1 + test_random_below(random, 4)) : 1;
    }
    double azimuths[AZIMUTHS];
    lf_horizon singles[AZIMUTHS];
    for (int i = 0; i < AZIMUTHS; i++) {
        asked.azimuth = azimuths[i] = any_azimuth(random);
        oracle_question(oracle, bench, &asked);
        singles[i] = asked.said;
    }
    oracle_around(oracle, bench, &asked, azimuths, singles, AZIMUTHS);
}

static void horizons_are_exact(void **state) {
    (void)state;
    test_random random = test_random_start(5500);
    grid_oracle oracle = {.name = "horizons (misses: no ground, ties: decided by the direction's rounding)"};
    for (int64_t round = 0; round < test_rounds(2); round++)
        for (int surface = LF_SURFACE_FALLING; surface <= LF_SURFACE_POINT; surface++)
            for (int relief = 0; relief < NASTY_RELIEFS; relief++) {
                grid_bench bench;
                nasty_grid nasty;
                nasty_grid_make(&nasty, (nasty_relief)relief, (lf_surface)surface, 0, &random);
                if (round % 2)
                    nasty_grid_place_plainly(&nasty);
                grid_bench_open(&bench, &nasty);
                for (int point = 0; point < 2; point++)
                    oracle_point(&oracle, &bench, &random);
                grid_bench_close(&bench);
            }
    grid_oracle_close(&oracle, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(horizons_are_exact),
    };
    return cmocka_run_group_tests_name("oracle: horizons", tests, NULL, NULL);
}
