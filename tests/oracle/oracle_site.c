/// Siting: the same choice as of a greedy search that evaluates everything, and never worse than promised against all choices.
#include "support.h"
#include <landfall/sight.h>
#include <math.h>
#include <string.h>

#define SIDE 70
#define SAMPLES (SIDE * SIDE)
#define MOST 11

typedef struct site_case {
    float heights[SAMPLES], weights[SAMPLES];
    lf_grid *grid;
    lf_observer candidates[MOST];
    lf_site_def def;
    uint8_t seen[MOST][SAMPLES]; ///< of each candidate, in the window
    int64_t samples;
} site_case;

static void make_case(test_random *random, site_case *c) {
    bool voids = test_random_below(random, 3) == 0;
    for (int k = 0; k < SAMPLES; k++) {
        c->heights[k] = voids && test_random_below(random, 30) == 0
                            ? NAN
                            : (float)(15 * sin(0.2 * (k % SIDE)) + test_random_between(random, 0, 9));
        c->weights[k] = (float)test_random_below(random, 9) / 4 - 0.5f; // sums are exact; some count nothing
    }
    lf_grid_def grid_def = lf_grid_def_default();
    grid_def.samples.values = c->heights;
    grid_def.samples.columns = grid_def.samples.rows = SIDE;
    assert_int_equal(lf_grid_create(&grid_def, &c->grid, NULL), LF_OK);
    lf_site_def *def = &c->def;
    *def = lf_site_def_default();
    if (test_random_below(random, 4) > 0)
        def->view.range_max = test_random_between(random, 1, 40);
    def->view.target = test_random_between(random, 0, 3);
    def->candidates = c->candidates;
    def->candidate_count = 1 + test_random_below(random, MOST);
    def->most = 1 + test_random_below(random, 5);
    def->overlap = test_random_below(random, 3) == 0 ? 1 + (int)test_random_below(random, 3) : 1;
    def->weights = test_random_below(random, 2) ? c->weights : NULL;
    if (test_random_below(random, 2)) {
        int64_t column = test_random_below(random, SIDE - 1), row = test_random_below(random, SIDE - 1);
        def->window = (lf_window){column, row, 1 + test_random_below(random, SIDE - column),
                                  1 + test_random_below(random, SIDE - row)};
    }
    for (int k = 0; k < MOST; k++) // some twice, so that there are equal ones
        c->candidates[k] = k > 0 && test_random_below(random, 4) == 0
                               ? c->candidates[k - 1]
                               : (lf_observer){{test_random_between(random, -9, SIDE + 9),
                                                test_random_between(random, -9, SIDE + 9)},
                                               test_random_between(random, 5, 30),
                                               true};
    lf_window w = def->window.columns > 0 ? def->window : lf_grid_window(c->grid);
    c->samples = w.columns * w.rows;
    for (int64_t k = 0; k < def->candidate_count; k++)
        assert_int_equal(lf_viewshed_visible(lf_grid_ground(c->grid), &def->view, &c->candidates[k], w,
                                             c->seen[k], 0, NULL, NULL),
                         LF_OK);
}

/// What some of the candidates cover, by the definition.
static double covers(const site_case *c, unsigned chosen) {
    double sum = 0;
    for (int64_t i = 0; i < c->samples; i++) {
        int count = 0;
        for (int64_t k = 0; k < c->def.candidate_count; k++)
            count += (chosen >> k & 1) && c->seen[k][i] == LF_VISIBILITY_VISIBLE;
        double weight = c->def.weights ? fmax((double)c->def.weights[i], 0) : 1;
        sum += weight * (count < c->def.overlap ? count : c->def.overlap);
    }
    return sum / c->def.overlap;
}

static int bits_of(unsigned set) {
    return __builtin_popcount(set);
}

/// The best choice there is.
static double best_of_all(const site_case *c) {
    double best = 0;
    for (unsigned set = 0; set < 1u << c->def.candidate_count; set++)
        if (bits_of(set) <= c->def.most)
            best = fmax(best, covers(c, set));
    return best;
}

/// Greedy: every candidate each time, of equal ones the first.
static void check_greedy(const site_case *c, const lf_site *sites, int64_t count) {
    unsigned chosen = 0;
    double covered = 0;
    for (int64_t step = 0; step < c->def.most; step++) {
        int64_t best = -1;
        double most = covered;
        for (int64_t k = 0; k < c->def.candidate_count; k++) {
            double with = chosen >> k & 1 ? covered : covers(c, chosen | 1u << k);
            if (with > most) {
                best = k;
                most = with;
            }
        }
        if (best < 0) {
            assert_int_equal(count, step);
            return;
        }
        assert_true(step < count);
        assert_int_equal(sites[step].candidate, best);
        assert_true(fabs(sites[step].gain - (most - covered)) < 1e-9);
        assert_true(fabs(sites[step].covered - most) < 1e-9);
        chosen |= 1u << best;
        covered = most;
    }
    assert_int_equal(count, c->def.most);
}

static void greedy_and_its_guarantee(void **state) {
    test_random random = test_random_start(231);
    static site_case c;
    lf_tasks tasks = test_tasks(3);
    int64_t saved = 0;
    (void)state;
    for (int round = 0; round < (test_long() ? 1500 : 60); round++) {
        lf_site sites[MOST], again[MOST];
        int64_t count, second;
        lf_site_stats stats, few;
        make_case(&random, &c);
        const lf_ground *ground = lf_grid_ground(c.grid);
        assert_int_equal(lf_site_choose(ground, &c.def, sites, &count, &stats, NULL), LF_OK);
        check_greedy(&c, sites, count);
        double covered = count > 0 ? sites[count - 1].covered : 0, best = best_of_all(&c);
        assert_true(covered >= LF_SITE_GUARANTEE * best - 1e-9);
        assert_true(stats.limit >= best - 1e-9 && stats.limit <= stats.total + 1e-9);
        assert_true(stats.viewsheds <= c.def.candidate_count);
        saved += c.def.candidate_count * count - stats.gains;
        c.def.memory = (size_t)test_random_below(&random, 3000); // most are computed again
        c.def.view.host.tasks = &tasks;
        assert_int_equal(lf_site_choose(ground, &c.def, again, &second, &few, NULL), LF_OK);
        assert_int_equal(second, count);
        assert_memory_equal(again, sites, (size_t)count * sizeof *sites);
        assert_true(few.viewsheds >= stats.viewsheds && few.limit == stats.limit && few.total == stats.total);
        lf_grid_destroy(c.grid);
    }
    assert_true(saved > 0);
}

/// Candidates that only sit where weights are nothing need no viewshed.
static void bounds_save_viewsheds(void **state) {
    test_random random = test_random_start(232);
    static site_case c;
    static lf_observer many[400];
    lf_site site;
    int64_t count;
    lf_site_stats stats;
    (void)state;
    make_case(&random, &c);
    c.def.view.range_max = 5;
    c.def.weights = c.weights;
    c.def.window = (lf_window){0, 0, SIDE, SIDE};
    c.def.overlap = 1;
    c.def.most = 1;
    memset(c.weights, 0, sizeof c.weights);
    for (int k = 0; k < SIDE; k++)
        c.weights[k] = 1;
    for (int k = 0; k < 400; k++)
        many[k] = (lf_observer){{k % 20 * 3.5, k / 20 * 3.5}, 40, true};
    c.def.candidates = many;
    c.def.candidate_count = 400;
    assert_int_equal(lf_site_choose(lf_grid_ground(c.grid), &c.def, &site, &count, &stats, NULL), LF_OK);
    assert_int_equal(count, 1);
    assert_true(stats.viewsheds <= 64);
    lf_grid_destroy(c.grid);
}

static bool stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user;
    (void)stage;
    return done < total / 4;
}

static void bad_arguments(void **state) {
    test_random random = test_random_start(233);
    static site_case c;
    lf_site sites[MOST];
    int64_t count;
    lf_error error = {0};
    (void)state;
    make_case(&random, &c);
    const lf_ground *ground = lf_grid_ground(c.grid);
    lf_site_def def = c.def;
    assert_int_equal(lf_site_choose(ground, &def, NULL, &count, NULL, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_site_choose(NULL, &def, sites, &count, NULL, NULL), LF_BAD_ARGUMENT);
    def.candidate_count = 0;
    assert_int_equal(lf_site_choose(ground, &def, sites, &count, NULL, &error), LF_BAD_ARGUMENT);
    def = c.def;
    def.overlap = 256;
    assert_int_equal(lf_site_choose(ground, &def, sites, &count, NULL, &error), LF_BAD_ARGUMENT);
    def = c.def;
    def.window = (lf_window){0, 0, SIDE + 1, 1};
    assert_int_equal(lf_site_choose(ground, &def, sites, &count, NULL, &error), LF_BAD_ARGUMENT);
    def = c.def;
    def.candidate_count = 2;
    c.candidates[1] = (lf_observer){{-1, 3}, 2, false}; // no ground to stand on
    def.view.range_max = LF_INFINITY;
    assert_int_equal(lf_site_choose(ground, &def, sites, &count, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    c.candidates[1] = c.candidates[0];
    lf_progress progress = {NULL, stop};
    def.view.host.progress = &progress;
    def.most = 2;
    c.candidates[1].at.x += 1;
    lf_status status = lf_site_choose(ground, &def, sites, &count, NULL, &error);
    assert_true(status == LF_CANCELLED || status == LF_OK);
    lf_grid_destroy(c.grid);
}

/// Each allocation fails in turn.
static void without_memory(void **state) {
    test_random random = test_random_start(234);
    static site_case c;
    lf_site sites[MOST];
    int64_t count;
    (void)state;
    make_case(&random, &c);
    c.def.overlap = 2;
    c.def.weights = c.weights;
    lf_status status = LF_NO_MEMORY;
    for (int64_t k = 0; status != LF_OK; k++) {
        test_memory memory;
        test_memory_start(&memory, k);
        c.def.view.host.allocator = &memory.allocator;
        status = lf_site_choose(lf_grid_ground(c.grid), &c.def, sites, &count, NULL, NULL);
        assert_true(status == LF_OK || status == LF_NO_MEMORY);
        assert_int_equal(memory.blocks_out, 0);
    }
    lf_grid_destroy(c.grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(greedy_and_its_guarantee),
                                       cmocka_unit_test(bounds_save_viewsheds),
                                       cmocka_unit_test(bad_arguments), cmocka_unit_test(without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
