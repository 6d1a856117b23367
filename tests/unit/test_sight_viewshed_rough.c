/// Viewsheds of rough ground, where many samples lie between the bounds of their bins and passed chunks have to be asked again: every sample against
/// its line. Then all samples are put between the bounds.
#include "sight/viewshed.h"
#include "sight/viewshed_sweep.h"
#include "support.h"
#include <math.h>
#include <string.h>

/// Long, so that bins become as wide as they get.
#define COLUMNS 900
#define ROWS 18
#define SAMPLES (COLUMNS * ROWS)

typedef struct rough {
    float heights[SAMPLES];
    uint8_t seen[SAMPLES];
    lf_grid *grid;
} rough;

/// Noise on a plane that is tilted or not, with some samples that stand out.
static void make_rough(rough *r, test_random *random, lf_surface surface) {
    double x = test_random_between(random, -3, 3), y = test_random_between(random, -3, 3);
    double tilt = test_random_below(random, 2) ? 1 : 0, noise = test_random_between(random, 0.01, 1);
    int64_t rare = 1 + test_random_below(random, 200);
    for (int64_t k = 0; k < SAMPLES; k++) {
        double plane = tilt * (x * (double)(k % COLUMNS) + y * (double)(k / COLUMNS));
        double high = test_random_below(random, rare) == 0 ? 10 : 1;
        r->heights[k] = (float)(plane + high * test_random_between(random, 0, noise));
    }
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = r->heights;
    def.samples.columns = COLUMNS;
    def.samples.rows = ROWS;
    def.borrow = true;
    def.surface = surface;
    assert_int_equal(lf_grid_create(&def, &r->grid, NULL), LF_OK);
}

static lf__viewshed open_view(const rough *r, const lf_viewshed_def *def, const lf_observer *observer) {
    lf__viewshed view = {.grid = r->grid, .window = lf_grid_window(r->grid)};
    assert_int_equal(lf__viewshed_check(r->grid, def, view.window, &view.def, NULL), LF_OK);
    assert_int_equal(lf__viewshed_start(&view, observer, -1, NULL), LF_OK);
    return view;
}

/// Samples that are not what a line says; those that are left to a line do not count.
static int64_t count_wrong(const rough *r, const lf__viewshed *view) {
    int64_t wrong = 0;
    for (int64_t k = 0; k < SAMPLES; k++)
        wrong += r->seen[k] != LF__SEEN_OPEN &&
                 lf__viewshed_resolve(view, k % COLUMNS, k / COLUMNS) != (lf_visibility)r->seen[k];
    return wrong;
}

static void (*way_of_chunks)(lf__chunk *chunk);

/// The bounds are as they are, but nobody believes them.
static void ask_all(lf__chunk *chunk) {
    way_of_chunks(chunk);
    for (int k = 1; k <= chunk->rings; k++)
        memset(chunk->out[k], LF__SEEN_OPEN, sizeof chunk->out[k]);
    chunk->any = true;
}

static int (*way_of_deciding)(lf__chunk *chunk, const lf__sample_span *in, double v0);

/// What is decided in floats does not depend on what is decided beside it: all rings at once are as one after the other.
static int decide_twice(lf__chunk *chunk, const lf__sample_span *in, double v0) {
    static uint8_t before[sizeof chunk->out], after[sizeof chunk->out];
    memcpy(before, chunk->out, sizeof before);
    int at_once = way_of_deciding(chunk, in, v0), one_by_one = 0;
    memcpy(after, chunk->out, sizeof after);
    memcpy(chunk->out, before, sizeof before);
    for (int k = 1; k <= chunk->rings; k++) {
        lf__sample_span one[LF__CHUNK_RINGS + 1];
        for (int r = 1; r <= chunk->rings; r++)
            one[r] = (lf__sample_span){in[r].low, r == k ? in[r].high : in[r].low - 1};
        one_by_one += way_of_deciding(chunk, one, v0);
    }
    assert_int_equal(at_once, one_by_one);
    assert_memory_equal(after + sizeof chunk->out[0], chunk->out[1],
                        (size_t)chunk->rings * sizeof chunk->out[0]);
    return at_once;
}

/// Passed chunks alone decide.
static void decide_all(rough *r, const lf__viewshed *view, double bins_per_sample) {
    lf__sweep sweep;
    static lf__chunk chunk;
    memset(r->seen, LF_VISIBILITY_HIDDEN, sizeof r->seen);
    if (!lf__sweep_start(&sweep, view, (lf__byte_plane){r->seen, COLUMNS}, bins_per_sample, 64))
        return;
    way_of_chunks = sweep.chunk;
    sweep.chunk = ask_all;
    way_of_deciding = sweep.decide_chunk;
    sweep.decide_chunk = way_of_deciding ? decide_twice : NULL;
    for (int k = 0; k < sweep.sector_count; k++)
        for (int group = 0; group < sweep.sectors[k].groups; group++)
            assert_true(lf__sweep_group(&sweep, &sweep.sectors[k], group, &chunk));
    r->seen[(int64_t)view->eye.y * COLUMNS + (int64_t)view->eye.x] = LF_VISIBILITY_VISIBLE;
}

static void check_surface(lf_surface surface, int seed, int count) {
    test_random random = test_random_start((uint64_t)seed);
    static rough r;
    for (int k = 0; k < count; k++) {
        make_rough(&r, &random, surface);
        lf_viewshed_def def = lf_viewshed_def_default();
        def.target = test_random_between(&random, 0.01, 0.2);
        lf_observer observer = {{floor(test_random_between(&random, 0, COLUMNS - 1)),
                                 floor(test_random_between(&random, 0, ROWS - 1))},
                                test_random_between(&random, 0.5, 20),
                                false};
        lf__viewshed view = open_view(&r, &def, &observer);
        assert_int_equal(
            lf_viewshed_visible(lf_grid_ground(r.grid), &def, &observer, view.window, r.seen, 0, NULL, NULL),
            LF_OK);
        assert_int_equal(count_wrong(&r, &view), 0);
        decide_all(&r, &view, 1.02);
        assert_int_equal(count_wrong(&r, &view), 0);
        decide_all(&r, &view, 2.5); // by the last chunks in floats, too
        assert_int_equal(count_wrong(&r, &view), 0);
        lf_grid_destroy(r.grid);
    }
}

/// How many samples are between the bounds?
static int64_t count_between(const rough *r) {
    lf_viewshed_def def = lf_viewshed_def_default();
    def.target = 0.1;
    lf_observer observer = {{COLUMNS / 2, ROWS / 2}, 2, false};
    lf__viewshed view = open_view(r, &def, &observer);
    static uint8_t seen[SAMPLES];
    static lf__chunk chunk;
    lf__sweep sweep;
    int64_t between = 0;
    assert_true(lf__sweep_start(&sweep, &view, (lf__byte_plane){seen, COLUMNS}, 1.02, 64));
    for (int k = 0; k < sweep.sector_count; k++)
        for (int group = 0; group < sweep.sectors[k].groups; group++) {
            assert_true(lf__sweep_group(&sweep, &sweep.sectors[k], group, &chunk));
            between += chunk.between;
        }
    return between;
}

/// Noise of one metre is as much on a mountain side as on a plain: slopes in floats are those above the plane, and not rounded as
/// those above the observer.
static void on_a_slope(void **state) {
    (void)state;
    test_random random = test_random_start(5);
    static rough r;
    int64_t between[2];
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = r.heights;
    def.samples.columns = COLUMNS;
    def.samples.rows = ROWS;
    def.borrow = true;
    for (int64_t k = 0; k < SAMPLES; k++)
        r.heights[k] = (float)test_random_below(&random, 64) / 64;
    for (int tilted = 0; tilted < 2; tilted++) {
        for (int64_t k = 0; k < SAMPLES && tilted; k++)
            r.heights[k] += 20 * (float)(k % COLUMNS) + 10 * (float)(k / COLUMNS);
        assert_int_equal(lf_grid_create(&def, &r.grid, NULL), LF_OK);
        between[tilted] = count_between(&r);
        lf_grid_destroy(r.grid);
    }
    assert_true(between[0] > 100 && between[1] < between[0] + between[0] / 20);
}

static void one_diagonal(void **state) {
    (void)state;
    check_surface(LF_SURFACE_FALLING, 1, test_long() ? 2000 : 12);
    check_surface(LF_SURFACE_RISING, 2, test_long() ? 500 : 3);
}

static void both_diagonals(void **state) {
    (void)state;
    check_surface(LF_SURFACE_ALTERNATING, 3, test_long() ? 500 : 3);
    check_surface(LF_SURFACE_BILINEAR, 4, test_long() ? 500 : 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_diagonal),
        cmocka_unit_test(both_diagonals),
        cmocka_unit_test(on_a_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
