// Lines of sight over grids of every surface, flat and bent, against exact arithmetic: verdicts, places and
// numbers; the same both ways, from whichever end they are searched, one by one or many at once, on any
// instruction set.
#include "sight_oracle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Lines that share their rules: many at once, packed or not, on threads, from one end to all; and bare verdicts.
typedef struct batch {
    int64_t count;
    nasty_sight *asked;
    lf_sight *singles;
    lf_vec3 *ends; ///< a and b in turns
    lf_sight *packed;
    struct wide {
        lf_sight sight;
        double beside;
    } * wide;
    uint8_t *verdicts;
} batch;

/// The first line's, but in metres: others may lie beyond the degrees there are.
static lf_sight_rules batch_rules(const batch *batch) {
    lf_sight_rules rules = batch->asked[0].rules;
    rules.units = LF_MAP_METRES;
    return rules;
}

static void oracle_batch(grid_oracle *oracle, grid_bench *bench, const batch *batch) {
    lf_sight_rules rules = batch_rules(batch);
    const lf_ground *ground = bench->best.ground;
    int64_t count = batch->count;
    size_t step = 2 * sizeof(lf_vec3);
    lf_tasks three = test_tasks(3), two = test_tasks(2);
    for (int64_t i = 0; i < count; i++) {
        batch->ends[2 * i] = batch->asked[i].a;
        batch->ends[2 * i + 1] = batch->asked[i].b;
        batch->singles[i] = sight_oracle_ask(ground, &rules, batch->asked[i].a, batch->asked[i].b, NULL);
    }
    assert_int_equal(lf_sight_many(ground, &rules, batch->ends, step, batch->ends + 1, step, count,
                                   batch->packed, 0, &three),
                     LF_OK);
    assert_int_equal(lf_sight_many(ground, &rules, batch->ends, step, batch->ends + 1, step, count,
                                   &batch->wide->sight, sizeof *batch->wide, NULL),
                     LF_OK);
    assert_int_equal(lf_sight_verdicts(ground, &rules, batch->ends, step, batch->ends + 1, step, count,
                                       batch->verdicts, &two),
                     LF_OK);
    bool zone = rules.frequency_mhz > 0;
    for (int64_t i = 0; i < count; i++) {
        nasty_sight asked = batch->asked[i];
        asked.rules = rules;
        if (!sight_oracle_same_numbers(&batch->packed[i], &batch->singles[i], zone) ||
            !sight_oracle_same_numbers(&batch->wide[i].sight, &batch->singles[i], zone))
            sight_oracle_wrong(oracle, bench, &asked, "many: not what one line gives", &batch->packed[i]);
        if (batch->verdicts[i] != batch->singles[i].verdict)
            sight_oracle_wrong(oracle, bench, &asked, "verdicts: not what one line gives",
                               &batch->singles[i]);
    }
}

/// From one end to all others, by a stride that stays.
static void oracle_fan(grid_oracle *oracle, grid_bench *bench, const batch *batch) {
    lf_sight_rules rules = batch_rules(batch);
    const lf_ground *ground = bench->best.ground;
    lf_vec3 from = batch->asked[0].a;
    size_t step = 2 * sizeof(lf_vec3);
    lf_tasks three = test_tasks(3);
    rules.detail = false;
    assert_int_equal(lf_sight_verdicts(ground, &rules, &from, LF_STRIDE_SAME, batch->ends + 1, step,
                                       batch->count, batch->verdicts, &three),
                     LF_OK);
    assert_int_equal(lf_sight_many(ground, &rules, batch->ends + 1, step, &from, LF_STRIDE_SAME, batch->count,
                                   batch->packed, 0, &three),
                     LF_OK);
    for (int64_t i = 0; i < batch->count; i++) {
        nasty_sight asked = {batch->asked[i].kind, from, batch->asked[i].b, rules};
        sight_truth truth = sight_truth_of(bench, &asked, NULL);
        if (batch->verdicts[i] != truth.verdict)
            sight_oracle_wrong(oracle, bench, &asked, "verdicts from one end: wrong", NULL);
        lf_sight back = sight_oracle_ask(ground, &rules, asked.b, asked.a, NULL);
        if (!sight_oracle_same(&back, &batch->packed[i]))
            sight_oracle_wrong(oracle, bench, &asked, "many to one end: not what one line gives",
                               &batch->packed[i]);
    }
}

/// The largest height of the cells that a place may be in.
static double most_around(const exact_grid *grid, lf_vec2 place) {
    double most = 0;
    for (int64_t j = 0; j < grid->rows; j++)
        for (int64_t i = 0; i < grid->columns; i++)
            if (fabs((double)i - place.x) <= 1.5 && fabs((double)j - place.y) <= 1.5)
                most = fmax(most, fabs(grid->heights[j * grid->columns + i]));
    return most;
}

static void oracle_stand(grid_oracle *oracle, grid_bench *bench, test_random *random) {
    lf_vec3 at = nasty_grid_point(&bench->nasty, random), stand = {0, 0, 0};
    double above = (double)(test_random_below(random, 9) - 2) / 3, off;
    lf_reason reason;
    nasty_sight asked = {
        NASTY_SIGHT_STAND, {at.x, at.y, above}, {at.x, at.y, above}, lf_sight_rules_default()};
    assert_int_equal(lf_sight_observer(bench->best.ground, (lf_vec2){at.x, at.y}, above, &stand, &reason),
                     LF_OK);
    lf_vec2 place = nasty_sight_place(&bench->nasty, at.x, at.y);
    exact_grid_height height = exact_grid_at(&bench->exact, place.x, place.y, 0);
    if (reason != height.reason)
        sight_oracle_wrong(oracle, bench, &asked, "stand: another reason", NULL);
    if (reason != LF_REASON_ANSWERED || height.reason != LF_REASON_ANSWERED)
        return;
    int side = exact_stand(&bench->exact, place.x, place.y, stand.z, above, &off);
    double most = fmax(most_around(&bench->exact, place), fabs(above));
    if (side < 0)
        sight_oracle_wrong(oracle, bench, &asked, "stand: below the ground", NULL);
    if (off > 24 * 0x1p-53 * most)
        sight_oracle_wrong(oracle, bench, &asked, "stand: too high", NULL);
    if (stand.x != at.x || stand.y != at.y)
        sight_oracle_wrong(oracle, bench, &asked, "stand: at another place", NULL);
}

static batch batch_open(int64_t count) {
    batch batch = {.count = count};
    batch.asked = test_space(count, sizeof *batch.asked);
    batch.singles = test_space(count, sizeof *batch.singles);
    batch.ends = test_space(2 * count, sizeof *batch.ends);
    batch.packed = test_space(count, sizeof *batch.packed);
    batch.wide = test_space(count, sizeof *batch.wide);
    batch.verdicts = test_space(count, sizeof *batch.verdicts);
    return batch;
}

static void batch_close(batch *batch) {
    free(batch->verdicts);
    free(batch->wide);
    free(batch->packed);
    free(batch->ends);
    free(batch->singles);
    free(batch->asked);
}

static void oracle_grid(grid_oracle *oracle, const nasty_grid *nasty, int64_t count, test_random *random) {
    grid_bench bench;
    grid_bench_open(&bench, nasty);
    batch batch = batch_open(count);
    for (int64_t i = 0; i < count; i++) {
        batch.asked[i] =
            nasty_sight_make((nasty_sight_kind)(i % NASTY_SIGHTS), &bench.nasty, bench.best.ground, random);
        sight_oracle_line(oracle, &bench, &batch.asked[i]);
        oracle_stand(oracle, &bench, random);
    }
    oracle_batch(oracle, &bench, &batch);
    oracle_fan(oracle, &bench, &batch);
    batch_close(&batch);
    grid_bench_close(&bench);
}

static void lines_are_exact(void **state) {
    (void)state;
    test_random random = test_random_start(5000);
    grid_oracle oracle = {.name = "sight lines (hits: blocked, misses: clear, ties: unknown)"};
    for (int64_t round = 0; round < test_rounds(5); round++)
        for (int surface = LF_SURFACE_FALLING; surface <= LF_SURFACE_POINT; surface++)
            for (int relief = 0; relief < NASTY_RELIEFS; relief++) {
                nasty_grid nasty;
                nasty_grid_make(&nasty, (nasty_relief)relief, (lf_surface)surface, 0, &random);
                if (round % 2)
                    nasty_grid_place_plainly(&nasty);
                oracle_grid(&oracle, &nasty, 4 * NASTY_SIGHTS, &random);
            }
    grid_oracle_close(&oracle, 20000);
}

// ---------------------------------------------------------------------------------------------------
// Plain sight
// ---------------------------------------------------------------------------------------------------

enum { PLAIN = 24 };

/// A slope of one rounded plane, of doubles or floats, placed as maps are.
static lf_grid *make_slope(int kind, lf_surface surface, test_random *random) {
    static double heights[PLAIN * PLAIN];
    static float singles[PLAIN * PLAIN];
    lf_grid_def def = lf_grid_def_default();
    double base = test_random_between(random, 0, 1000);
    for (int i = 0; i < PLAIN * PLAIN; i++) {
        heights[i] = base + 0.3 * (i % PLAIN) + 0.1 * (double)(i / PLAIN);
        singles[i] = (float)heights[i];
    }
    def.samples.type = kind % 2 ? LF_SAMPLE_FLOAT : LF_SAMPLE_DOUBLE;
    def.samples.values = kind % 2 ? (const void *)singles : (const void *)heights;
    def.samples.columns = def.samples.rows = PLAIN;
    def.surface = surface;
    if (kind >= 2)
        def.geotransform = (lf_geotransform){{562260.3, 5115390.7}, {9.8, 1.7}, {-1.7, 9.8}};
    lf_grid *grid = NULL;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static lf_vec2 any_spot(const lf_grid *grid, bool sample, test_random *random) {
    lf_geotransform geotransform = lf_grid_describe(grid).geotransform;
    double i = test_random_between(random, 0, PLAIN - 1), j = test_random_between(random, 0, PLAIN - 1);
    if (sample) {
        i = rint(i);
        j = rint(j);
    }
    return (lf_vec2){geotransform.origin.x + i * geotransform.per_column.x + j * geotransform.per_row.x,
                     geotransform.origin.y + i * geotransform.per_column.y + j * geotransform.per_row.y};
}

/// Whoever looks down on a slope from far above sees all that stands on it, flat on the ground too: no rounding hides it.
static void what_stands_in_plain_sight_is_seen(void **state) {
    (void)state;
    test_random random = test_random_start(5050);
    lf_sight_rules rules = lf_sight_rules_default();
    int64_t asked = 0, hidden[4] = {0};
    for (int kind = 0; kind < 4; kind++)
        for (int surface = LF_SURFACE_FALLING; surface <= LF_SURFACE_BILINEAR; surface++) {
            lf_grid *grid = make_slope(kind, (lf_surface)surface, &random);
            const lf_ground *ground;
            ground = lf_grid_ground(grid);
            for (int64_t i = 0; i < test_rounds(400); i++) {
                bool eye_on_sample = test_random_below(&random, 2),
                     target_on_sample = test_random_below(&random, 2);
                lf_vec2 from = any_spot(grid, eye_on_sample, &random),
                        to = any_spot(grid, target_on_sample, &random);
                lf_vec3 eye = {0, 0, 0}, target = {0, 0, 0};
                lf_reason reason;
                lf_verdict verdict;
                assert_int_equal(lf_sight_observer(ground, from, 500.7, &eye, &reason), LF_OK);
                if (reason != LF_REASON_ANSWERED)
                    continue;
                assert_int_equal(lf_sight_observer(ground, to, 0, &target, &reason), LF_OK);
                if (reason != LF_REASON_ANSWERED)
                    continue;
                assert_int_equal(lf_sight_verdict(ground, &rules, eye, target, &verdict, NULL), LF_OK);
                asked++;
                hidden[2 * eye_on_sample + target_on_sample] += verdict != LF_VERDICT_CLEAR;
            }
            lf_grid_destroy(grid);
        }
    fprintf(stderr,
            "plain sight: %lld targets, hidden: %lld (both between samples), %lld (target on a sample), %lld "
            "(eye on a "
            "sample), %lld (both on samples)\n",
            (long long)asked, (long long)hidden[0], (long long)hidden[1], (long long)hidden[2],
            (long long)hidden[3]);
    assert_int_equal(hidden[0] + hidden[1] + hidden[2] + hidden[3], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_exact),
        cmocka_unit_test(what_stands_in_plain_sight_is_seen),
    };
    return cmocka_run_group_tests_name("oracle: sight lines", tests, NULL, NULL);
}
