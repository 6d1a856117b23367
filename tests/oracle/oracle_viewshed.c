// Viewsheds of small rasters of all shapes against exact lines of sight, sample by sample.
#include "viewshed_scene.h"
#include <stdlib.h>
#include <string.h>

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

// ---------------------------------------------------------------------------------------------------
// Seen, and numbers
// ---------------------------------------------------------------------------------------------------

static void oracle_seen(grid_oracle *oracle, const viewshed_scene *scene, const viewshed_truth *truths,
                        const uint8_t *seen) {
    static const char *const faults[5] = {"seen: it is hidden", "seen: it is visible", "seen: it is unknown",
                                          "seen: it is a hole", "seen: it is beyond the limits"};
    for (int64_t sample = 0; sample < scene->count; sample++) {
        oracle->questions++;
        oracle->hits += truths[sample].target.seen == LF_VISIBILITY_VISIBLE;
        oracle->misses += truths[sample].target.seen == LF_VISIBILITY_HIDDEN;
        oracle->ties += truths[sample].target.seen == LF_VISIBILITY_UNKNOWN;
        oracle->meetings += truths[sample].target.seen == LF_VISIBILITY_BEYOND;
        if (seen[sample] != truths[sample].target.seen && !truths[sample].target.limit)
            viewshed_scene_wrong(oracle, scene, sample, faults[truths[sample].target.seen], seen[sample]);
    }
}

static bool near_float(double said, double low, double high) {
    double most = isinf(high) ? fabs(low) : fmax(fabs(low), fabs(high));
    double off = (0x1p-23 + 1e-9) * most + 0x1p-148;
    if (isinf(low))
        return said == low;
    if (isinf(high))
        return said >= low - off;
    return said >= low - off && said <= high + off;
}

static const char *oracle_least_height(const viewshed_truth *truth, lf_viewshed_mode view, double said) {
    double base = view == LF_VIEWSHED_DEM ? truth->height : 0;
    double low = truth->beside ? fmax(0, truth->raise.low) : 0,
           high = truth->beside ? fmax(0, truth->raise.high) : 0;
    low = fmax(low, truth->pitch_raise - truth->pitch_error);
    high = fmax(high, truth->pitch_raise + truth->pitch_error);
    if (isnan(said) && truth->beside && truth->hole)
        return NULL;
    if (truth->beside && truth->raised_hole)
        return "value: a height although a hole is in the way";
    return near_float(said, base + low, base + high) ? NULL
           : view == LF_VIEWSHED_DEM                 ? "value: least height above datum is off"
                                                     : "value: least height above ground is off";
}

/// What is wrong with a number; NULL: nothing.
static const char *oracle_value(const viewshed_truth *truth, lf_viewshed_mode view, double said) {
    bool least = view == LF_VIEWSHED_GROUND || view == LF_VIEWSHED_DEM;
    const viewshed_target *target = least ? &truth->ground : &truth->target;
    double expected = view == LF_VIEWSHED_ANGLE ? target->angle : target->length;
    if (target->limit)
        return NULL;
    if (target->seen == LF_VISIBILITY_VOID || target->seen == LF_VISIBILITY_BEYOND)
        return isnan(said) ? NULL : "value: a number for a hole or beyond the limits";
    if (least)
        return oracle_least_height(truth, view, said);
    if (target->seen != LF_VISIBILITY_VISIBLE)
        return isnan(said) ? NULL : "value: an angle or distance of what is not visible";
    if (view == LF_VIEWSHED_ANGLE && !(target->length > 0))
        return NULL;
    double off = view == LF_VIEWSHED_ANGLE ? 1e-12 : 0; // level: rise and bend cancel
    return near_float(said, expected - off, expected + off) ? NULL
           : view == LF_VIEWSHED_ANGLE                      ? "value: angle is off"
                                                            : "value: distance is off";
}

static void oracle_values(grid_oracle *oracle, viewshed_scene *scene, const viewshed_truth *truths) {
    float *values = test_space(scene->count, sizeof *values);
    float *again = test_space(scene->count, sizeof *again);
    for (int view = LF_VIEWSHED_GROUND; view <= LF_VIEWSHED_DISTANCE; view++) {
        lf_viewshed_def def = scene->def;
        lf_tasks tasks = test_tasks(2 + view % 2);
        def.host.tasks = &tasks;
        assert_int_equal(lf_viewshed_values(lf_grid_ground(scene->bench.best.grid), &scene->def,
                                            &scene->observer, (lf_viewshed_mode)view,
                                            viewshed_scene_window(scene), values, 0, NULL, NULL),
                         LF_OK);
        assert_int_equal(lf_viewshed_values(lf_grid_ground(scene->bench.plain.grid), &def, &scene->observer,
                                            (lf_viewshed_mode)view, viewshed_scene_window(scene), again, 0,
                                            NULL, NULL),
                         LF_OK);
        if (memcmp(values, again, (size_t)scene->count * sizeof *values) != 0)
            viewshed_scene_wrong(oracle, scene, -1, "values: threads or instructions make a difference",
                                 view);
        for (int64_t sample = 0; sample < scene->count; sample++) {
            const char *fault = oracle_value(&truths[sample], (lf_viewshed_mode)view, (double)values[sample]);
            if (fault)
                viewshed_scene_wrong(oracle, scene, sample, fault, (double)values[sample]);
        }
    }
    free(again);
    free(values);
}

// ---------------------------------------------------------------------------------------------------
// Threads, windows, stats
// ---------------------------------------------------------------------------------------------------

static void oracle_threads(grid_oracle *oracle, viewshed_scene *scene, const uint8_t *seen) {
    uint8_t *again = test_space(scene->count, 1);
    lf_host host = scene->def.host;
    for (int threads = 1; threads <= 3; threads++) {
        lf_tasks tasks = test_tasks(threads);
        scene->def.host.tasks = &tasks;
        viewshed_scene_seen(scene, again, NULL);
        if (memcmp(seen, again, (size_t)scene->count) != 0)
            viewshed_scene_wrong(oracle, scene, -1, "seen: threads make a difference", threads);
    }
    scene->def.host = host;
    grid_bench_plain(true);
    assert_int_equal(lf_viewshed_visible(lf_grid_ground(scene->bench.plain.grid), &scene->def,
                                         &scene->observer, viewshed_scene_window(scene), again, 0, NULL,
                                         NULL),
                     LF_OK);
    grid_bench_plain(false);
    if (memcmp(seen, again, (size_t)scene->count) != 0)
        viewshed_scene_wrong(oracle, scene, -1, "seen: plain instructions make a difference", 0);
    free(again);
}

static void oracle_stats(grid_oracle *oracle, const viewshed_scene *scene, const uint8_t *seen,
                         const lf_viewshed_stats *stats) {
    int64_t counts[5] = {0};
    for (int64_t sample = 0; sample < scene->count; sample++)
        counts[seen[sample] < 5 ? seen[sample] : 0]++;
    for (int i = 0; i < 5; i++)
        if (stats->counts[i] != counts[i])
            viewshed_scene_wrong(oracle, scene, -1, "stats: wrong counts", (double)stats->counts[i]);
    if (stats->walked < 0 || stats->walked > scene->count)
        viewshed_scene_wrong(oracle, scene, -1, "stats: walked more samples than there are",
                             (double)stats->walked);
    if (stats->bytes >
        lf_viewshed_bytes(lf_grid_ground(scene->bench.best.grid), &scene->def, viewshed_scene_window(scene)))
        viewshed_scene_wrong(oracle, scene, -1, "stats: more memory than was said", (double)stats->bytes);
}

/// A crop with gaps between its rows, or from its last row, equals the same part of the whole.
static void oracle_crop(grid_oracle *oracle, const viewshed_scene *scene, const uint8_t *seen,
                        test_random *random) {
    const exact_grid *exact = &scene->bench.exact;
    lf_window crop = {test_random_below(random, exact->columns), test_random_below(random, exact->rows), 0,
                      0};
    crop.columns = 1 + test_random_below(random, exact->columns - crop.column);
    crop.rows = 1 + test_random_below(random, exact->rows - crop.row);
    ptrdiff_t step = (ptrdiff_t)(crop.columns + test_random_below(random, 3));
    size_t bytes = (size_t)(step * crop.rows);
    uint8_t *part = test_space((int64_t)bytes, 1);
    memset(part, 0x77, bytes);
    bool upside_down = one_in(random, 2);
    uint8_t *first = upside_down ? part + step * (crop.rows - 1) : part;
    ptrdiff_t row_step = upside_down ? -step : step;
    assert_int_equal(lf_viewshed_visible(lf_grid_ground(scene->bench.best.grid), &scene->def,
                                         &scene->observer, crop, first, row_step, NULL, NULL),
                     LF_OK);
    for (int64_t row = 0; row < crop.rows; row++) {
        const uint8_t *whole = seen + (crop.row + row) * exact->columns + crop.column;
        const uint8_t *said = first + row * row_step;
        if (memcmp(whole, said, (size_t)crop.columns) != 0)
            viewshed_scene_wrong(oracle, scene, (crop.row + row) * exact->columns + crop.column,
                                 "crop: not what the whole has", (double)crop.columns);
        for (int64_t i = crop.columns; i < step; i++)
            if (said[i] != 0x77)
                viewshed_scene_wrong(oracle, scene, -1, "crop: wrote between the rows", (double)said[i]);
    }
    free(part);
}

/// The window of the range holds every sample in range, and lies in the box of the circle, give or take two samples.
static void oracle_window(grid_oracle *oracle, const viewshed_scene *scene) {
    const exact_grid *exact = &scene->bench.exact;
    const nasty_grid *nasty = &scene->bench.nasty;
    const lf_viewshed_def *def = &scene->def;
    lf_window window = lf_viewshed_window(lf_grid_ground(scene->bench.best.grid), def, scene->observer.at);
    for (int64_t sample = 0; sample < scene->count; sample++) {
        int64_t i = sample % exact->columns, j = sample / exact->columns;
        lf_vec2 at = nasty_sight_sample(nasty, i, j);
        bool outside = i < window.column || i >= window.column + window.columns || j < window.row ||
                       j >= window.row + window.rows;
        if (outside && nasty_sight_span(&def->rules, scene->eye, (lf_vec3){at.x, at.y, 0}) <= def->range_max)
            viewshed_scene_wrong(oracle, scene, sample, "window: a sample in range lies outside",
                                 (double)window.column);
    }
    double wide = 2 + def->range_max * hypot(nasty->a, nasty->b),
           high = 2 + def->range_max * hypot(nasty->c, nasty->d);
    bool empty = window.columns == 0 || window.rows == 0;
    if (isinf(def->range_max) && (window.columns != exact->columns || window.rows != exact->rows))
        viewshed_scene_wrong(oracle, scene, -1, "window: not the whole grid", (double)window.columns);
    if (def->rules.units == LF_MAP_METRES && !empty &&
        ((double)window.column < scene->place.x - wide || (double)window.row < scene->place.y - high ||
         (double)(window.column + window.columns - 1) > scene->place.x + wide ||
         (double)(window.row + window.rows - 1) > scene->place.y + high))
        viewshed_scene_wrong(oracle, scene, -1, "window: many samples out of range", (double)window.columns);
}

// ---------------------------------------------------------------------------------------------------
// All of it
// ---------------------------------------------------------------------------------------------------

static void oracle_nowhere(const viewshed_scene *scene) {
    uint8_t *seen = test_space(scene->count, 1);
    lf_error error = {0};
    assert_int_equal(lf_viewshed_visible(lf_grid_ground(scene->bench.best.grid), &scene->def,
                                         &scene->observer, viewshed_scene_window(scene), seen, 0, NULL,
                                         &error),
                     LF_BAD_ARGUMENT);
    assert_true(error.text[0] != 0);
    free(seen);
}

static void oracle_scene(grid_oracle *oracle, viewshed_scene *scene, test_random *random) {
    viewshed_truth *truths = test_space(scene->count, sizeof *truths);
    uint8_t *seen = test_space(scene->count, 1);
    lf_viewshed_stats stats = {0};
    for (int64_t sample = 0; sample < scene->count; sample++)
        truths[sample] = viewshed_truth_of(scene, sample);
    viewshed_scene_seen(scene, seen, &stats);
    oracle_seen(oracle, scene, truths, seen);
    oracle_stats(oracle, scene, seen, &stats);
    oracle_threads(oracle, scene, seen);
    oracle_crop(oracle, scene, seen, random);
    oracle_window(oracle, scene);
    oracle_values(oracle, scene, truths);
    free(seen);
    free(truths);
}

static void small_viewsheds_are_exact(void **state) {
    (void)state;
    test_random random = test_random_start(5200);
    grid_oracle oracle = {.name =
                              "viewsheds (hits: visible, misses: hidden, ties: unknown, meetings: beyond)"};
    for (int64_t round = 0; round < test_rounds(2); round++)
        for (int surface = LF_SURFACE_FALLING; surface <= LF_SURFACE_POINT; surface++)
            for (int relief = 0; relief < NASTY_RELIEFS; relief++) {
                viewshed_scene scene = {0};
                nasty_grid nasty;
                nasty_grid_make(&nasty, (nasty_relief)relief, (lf_surface)surface, 0, &random);
                if (round % 2)
                    nasty_grid_place_plainly(&nasty);
                grid_bench_open(&scene.bench, &nasty);
                for (int observer = 0; observer < 3; observer++)
                    if (viewshed_scene_look(&scene, &random))
                        oracle_scene(&oracle, &scene, &random);
                    else
                        oracle_nowhere(&scene);
                grid_bench_close(&scene.bench);
            }
    grid_oracle_close(&oracle, 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_viewsheds_are_exact),
    };
    return cmocka_run_group_tests_name("oracle: viewsheds", tests, NULL, NULL);
}
