// Viewsheds, skylines, shade and profiles over compressed grids: as over grids of the heights that they
// decode to, bit for bit.
#include "packed_pair.h"
#include <landfall/sight.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 }; ///< samples of a window

/// Results of both, side by side.
typedef struct both {
    float values[2][MOST];
    uint8_t bytes[2][MOST];
    uint32_t counts[2][MOST];
} both;

static bool same_double(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void same_floats(const both *r, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        assert_true(same_double((double)r->values[0][k], (double)r->values[1][k]));
}

static lf_window some_window(const packed_pair *p, test_random *random) {
    lf_window all = lf_grid_window(p->plain), w = all;
    w.columns = 1 + test_random_below(random, all.columns < 64 ? all.columns : 64);
    w.rows = 1 + test_random_below(random, all.rows < 64 ? all.rows : 64);
    w.column = test_random_below(random, all.columns - w.columns + 1);
    w.row = test_random_below(random, all.rows - w.rows + 1);
    return w;
}

/// An observer above the ground, on it, below it, or beyond the grid.
static lf_observer some_observer(const packed_pair *p, test_random *random) {
    lf_vec3 point = nasty_grid_point(&p->nasty, random);
    lf_grid_info info = lf_grid_describe(p->plain);
    double range = info.low < info.high ? info.high - info.low : 1;
    lf_observer observer = {
        {point.x, point.y}, info.low + range * test_random_between(random, -0.2, 2), true};
    observer.height = isfinite(observer.height) ? observer.height : 1;
    return observer;
}

static void viewsheds(const packed_pair *p, const lf_host *host, both *r, test_random *random) {
    const lf_grid *grids[2] = {p->packed, p->plain};
    lf_window w = some_window(p, random);
    int64_t count = w.columns * w.rows;
    lf_viewshed_def def = lf_viewshed_def_default();
    lf_observer observers[9];
    lf_viewshed_mode mode = (lf_viewshed_mode)test_random_below(random, 4);
    lf_status of[2];
    def.host = *host;
    def.target = test_random_below(random, 2) ? 0 : 1;
    def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    for (int k = 0; k < 9; k++)
        observers[k] = some_observer(p, random);
    for (int g = 0; g < 2; g++)
        of[g] = lf_viewshed_visible(lf_grid_ground(grids[g]), &def, observers, w, r->bytes[g], 0, NULL, NULL);
    assert_int_equal(of[0], of[1]);
    if (of[0] == LF_OK)
        assert_memory_equal(r->bytes[0], r->bytes[1], count);
    for (int g = 0; g < 2; g++)
        of[g] = lf_viewshed_values(lf_grid_ground(grids[g]), &def, observers + 1, mode, w, r->values[g], 0,
                                   NULL, NULL);
    assert_int_equal(of[0], of[1]);
    if (of[0] == LF_OK)
        same_floats(r, count);
    for (int g = 0; g < 2; g++)
        of[g] =
            lf_viewshed_count(lf_grid_ground(grids[g]), &def, observers, 3, w, r->counts[g], 0, NULL, NULL);
    assert_int_equal(of[0], of[1]);
    if (of[0] == LF_OK)
        assert_memory_equal(r->counts[0], r->counts[1], count * (int64_t)sizeof(uint32_t));
}

static void same_horizon(const lf_horizon *a, const lf_horizon *b) {
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->hole, b->hole);
    assert_true(a->elevation_deg == b->elevation_deg && a->distance == b->distance &&
                a->point.x == b->point.x && a->point.y == b->point.y && a->point.z == b->point.z);
}

static void horizons(const packed_pair *p, const lf_host *host, both *r, test_random *random) {
    const lf_grid *grids[2] = {p->packed, p->plain};
    lf_vec3 from = nasty_grid_point(&p->nasty, random);
    lf_window w = some_window(p, random);
    lf_horizon_def def = lf_horizon_def_default();
    double azimuths[12];
    lf_horizon one[2], many[2][12];
    def.host = *host;
    for (int k = 0; k < 12; k++)
        azimuths[k] = k % 3 ? test_random_between(random, 0, 360) : 45.0 * k;
    for (int g = 0; g < 2; g++) {
        assert_int_equal(
            lf_horizon_at(lf_grid_ground(grids[g]), NULL, from, azimuths[0], 1e9, &one[g], p->cursor), LF_OK);
        assert_int_equal(
            lf_horizon_around(lf_grid_ground(grids[g]), NULL, from, azimuths, 12, 1e9, many[g], host->tasks),
            LF_OK);
    }
    same_horizon(&one[0], &one[1]);
    for (int k = 0; k < 12; k++)
        same_horizon(&many[0][k], &many[1][k]);
    w.rows = w.rows < 8 ? w.rows : 8;
    for (int g = 0; g < 2; g++)
        assert_int_equal(
            lf_horizon_map(lf_grid_ground(grids[g]), &def, azimuths[1], w, r->values[g], 0, NULL), LF_OK);
    same_floats(r, w.columns * w.rows);
    w.rows = w.rows < 2 ? w.rows : 2;
    for (int g = 0; g < 2; g++)
        assert_int_equal(lf_sky_view(lf_grid_ground(grids[g]), &def, 5, w, r->values[g], 0, NULL), LF_OK);
    same_floats(r, w.columns * w.rows);
}

static void shades(const packed_pair *p, const lf_host *host, both *r, test_random *random) {
    const lf_grid *grids[2] = {p->packed, p->plain};
    lf_window w = some_window(p, random);
    lf_horizon_def def = lf_horizon_def_default();
    lf_sun suns[3];
    def.host = *host;
    def.rules.voids = (lf_void_policy)test_random_below(random, 3);
    for (int k = 0; k < 3; k++)
        suns[k] =
            (lf_sun){test_random_between(random, 0, 360), test_random_between(random, 1, 60), 0.5 + 0.1 * k};
    suns[2].azimuth_deg = 45.0 * (double)test_random_below(random, 8);
    for (int g = 0; g < 2; g++)
        assert_int_equal(lf_sun_shade(lf_grid_ground(grids[g]), &def, suns[2], w, r->bytes[g], 0, NULL),
                         LF_OK);
    assert_memory_equal(r->bytes[0], r->bytes[1], w.columns * w.rows);
    for (int g = 0; g < 2; g++)
        assert_int_equal(lf_sun_hours(lf_grid_ground(grids[g]), &def, suns, 3, w, r->values[g], 0, NULL),
                         LF_OK);
    same_floats(r, w.columns * w.rows);
}

static void profiles(const packed_pair *p, test_random *random) {
    enum { SAMPLES = 400 };
    lf_profile_point samples[2][SAMPLES];
    const lf_ground *grounds[2] = {p->packed_ground, p->plain_ground};
    lf_sight_rules rules = lf_sight_rules_default();
    lf_vec3 from = nasty_grid_point(&p->nasty, random), to = nasty_grid_point(&p->nasty, random);
    for (int64_t steps = 0; steps < 20; steps += 19) {
        lf_status of[2];
        int64_t counts[2] = {0, 0};
        for (int g = 0; g < 2; g++)
            of[g] = lf_sight_profile(grounds[g], &rules, from, to, steps, samples[g], SAMPLES, &counts[g]);
        assert_int_equal(of[0], of[1]);
        assert_true(of[0] >= 0);
        assert_int_equal(counts[0], counts[1]);
        for (int64_t k = 0; k < counts[0] && k < SAMPLES; k++)
            assert_true(samples[0][k].t == samples[1][k].t &&
                        same_double(samples[0][k].ground, samples[1][k].ground) &&
                        samples[0][k].line == samples[1][k].line);
    }
}

static void lines(const packed_pair *p, const lf_host *host, test_random *random) {
    enum { LINES = 40 };
    const lf_ground *grounds[2] = {p->packed_ground, p->plain_ground};
    lf_sight_rules rules = lf_sight_rules_default();
    lf_vec3 a[LINES], b[LINES];
    lf_sight sights[2][LINES];
    uint8_t verdicts[2][LINES], matrix[2][36];
    lf_status of[2];
    for (int k = 0; k < LINES; k++) {
        a[k] = nasty_grid_point(&p->nasty, random);
        b[k] = nasty_grid_point(&p->nasty, random);
    }
    for (int g = 0; g < 2; g++)
        of[g] = lf_sight_many(grounds[g], &rules, a, 0, b, 0, LINES, sights[g], 0, host->tasks);
    assert_true(of[0] == LF_OK && of[1] == LF_OK);
    for (int k = 0; k < LINES; k++)
        assert_true(sights[0][k].verdict == sights[1][k].verdict && sights[0][k].t == sights[1][k].t);
    for (int g = 0; g < 2; g++)
        of[g] = lf_sight_verdicts(grounds[g], &rules, a, 0, b, 0, LINES, verdicts[g], host->tasks);
    assert_true(of[0] == LF_OK && of[1] == LF_OK);
    assert_memory_equal(verdicts[0], verdicts[1], LINES);
    for (int g = 0; g < 2; g++)
        of[g] = lf_sight_matrix(grounds[g], &rules, a, 6, matrix[g], host->tasks);
    assert_true(of[0] == LF_OK && of[1] == LF_OK);
    assert_memory_equal(matrix[0], matrix[1], 36);
}

static void every_question(void **state) {
    (void)state;
    test_random random = test_random_start(6401);
    both *results = test_space(1, sizeof *results);
    lf_tasks tasks = test_tasks(3);
    for (int64_t round = 0; round < test_rounds(60); round++) {
        packed_pair p;
        lf_host host = {.tasks = NULL};
        host.tasks = round % 2 ? &tasks : NULL;
        packed_pair_make(&p, round, &random);
        viewsheds(&p, &host, results, &random);
        horizons(&p, &host, results, &random);
        shades(&p, &host, results, &random);
        for (int k = 0; k < 4; k++)
            profiles(&p, &random);
        lines(&p, &host, &random);
        packed_pair_free(&p);
    }
    free(results);
}

/// A landscape of some hundred tiles, so that tiles go and come back.
static void many_tiles(void **state) {
    (void)state;
    enum { SIDE = 300, SAMPLES = SIDE * SIDE };
    test_random random = test_random_start(6402);
    int16_t *heights = test_space(SAMPLES, sizeof *heights);
    uint8_t *seen[2] = {test_space(SAMPLES, 1), test_space(SAMPLES, 1)};
    lf_tasks tasks = test_tasks(2);
    for (int codec = 1; codec <= 4; codec++) {
        lf_grid *grids[2];
        lf_grid_def def = lf_grid_def_default();
        lf_viewshed_def view = lf_viewshed_def_default();
        double phase = test_random_between(&random, 0, 6);
        for (int k = 0; k < SAMPLES; k++)
            heights[k] = (int16_t)(200 * sin(0.031 * (k % SIDE) + phase) * cos(0.027 * (double)(k / SIDE)) +
                                   (double)test_random_below(&random, 12));
        def.samples = (lf_samples){LF_SAMPLE_INT16, heights, SIDE, SIDE, 0, 0, 1, 0, LF_NAN, NULL, 0};
        def.geotransform = (lf_geotransform){{0, 0}, {10, 0}, {0, 10}};
        assert_int_equal(lf_grid_create(&def, &grids[1], NULL), LF_OK);
        def.codec = (lf_codec)codec;
        assert_int_equal(lf_grid_create(&def, &grids[0], NULL), LF_OK);
        view.host.tasks = &tasks;
        lf_observer observer = {
            {test_random_between(&random, 100, 2900), test_random_between(&random, 100, 2900)}, 30, false};
        for (int g = 0; g < 2; g++)
            assert_int_equal(lf_viewshed_visible(lf_grid_ground(grids[g]), &view, &observer,
                                                 lf_grid_window(grids[g]), seen[g], 0, NULL, NULL),
                             LF_OK);
        assert_memory_equal(seen[0], seen[1], SAMPLES);
        lf_horizon_def shade = lf_horizon_def_default();
        shade.host.tasks = &tasks;
        lf_sun sun = {test_random_between(&random, 0, 360), 12, 0};
        for (int g = 0; g < 2; g++)
            assert_int_equal(lf_sun_shade(lf_grid_ground(grids[g]), &shade, sun, lf_grid_window(grids[g]),
                                          seen[g], 0, NULL),
                             LF_OK);
        assert_memory_equal(seen[0], seen[1], SAMPLES);
        lf_grid_destroy(grids[0]);
        lf_grid_destroy(grids[1]);
    }
    free(seen[1]);
    free(seen[0]);
    free(heights);
}

/// Where memory is short nothing is half done.
static lf_status look(const lf_host *host, void *user) {
    const lf_grid *grid = user;
    lf_viewshed_def view = lf_viewshed_def_default();
    lf_horizon_def shade = lf_horizon_def_default();
    lf_observer observer = {{4, 4}, 40, false};
    static uint8_t bytes[40 * 40];
    static float values[40 * 40];
    lf_sun sun = {100, 20, 1};
    lf_tasks tasks = test_tasks(2);
    view.host = shade.host = *host;
    view.host.tasks = shade.host.tasks = &tasks;
    lf_window w = lf_grid_window(grid);
    lf_status status = lf_viewshed_values(lf_grid_ground(grid), &view, &observer, LF_VIEWSHED_ANGLE, w,
                                          values, 0, NULL, NULL);
    if (status == LF_OK)
        status = lf_viewshed_visible(lf_grid_ground(grid), &view, &observer, w, bytes, 0, NULL, NULL);
    if (status == LF_OK)
        status = lf_sun_hours(lf_grid_ground(grid), &shade, &sun, 1, w, values, 0, NULL);
    return status == LF_OK ? lf_horizon_map(lf_grid_ground(grid), &shade, 30, w, values, 0, NULL) : status;
}

static void without_memory(void **state) {
    (void)state;
    int16_t heights[40 * 40];
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    for (int k = 0; k < 40 * 40; k++)
        heights[k] = (int16_t)(k * 7919 % 60);
    def.samples = (lf_samples){LF_SAMPLE_INT16, heights, 40, 40, 0, 0, 1, 0, LF_NAN, NULL, 0};
    def.codec = LF_CODEC_PACK;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    test_out_of_memory(look, grid);
    lf_grid_destroy(grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_question), cmocka_unit_test(many_tiles),
                                       cmocka_unit_test(without_memory)};
    return cmocka_run_group_tests_name("oracle: sight over compressed grids", tests, NULL, NULL);
}
