// Viewsheds of larger rasters: every sample against a line of sight of its own, which another program
// oracles.
#include "grid_oracle.h"
#include <landfall/sight.h>
#include <stdio.h>
#include <stdlib.h>

/// Hills by halving, as high as their width allows; the kinds differ in how rough they are.
static void make_hills(float *heights, int64_t size, double rough, test_random *random) {
    heights[0] = heights[size - 1] = heights[size * (size - 1)] = heights[size * size - 1] = 0;
    double reach = 100;
    for (int64_t step = size - 1; step > 1; step /= 2, reach *= rough) {
        int64_t half = step / 2;
        for (int64_t j = 0; j < size; j += half)
            for (int64_t i = 0; i < size; i += half) {
                if (i % step == 0 && j % step == 0)
                    continue;
                int64_t left = i - i % step, top = j - j % step;
                int64_t right = i % step ? left + step : left, bottom = j % step ? top + step : top;
                double mean =
                    ((double)heights[top * size + left] + (double)heights[top * size + right] +
                     (double)heights[bottom * size + left] + (double)heights[bottom * size + right]) /
                    4;
                heights[j * size + i] = (float)(mean + test_random_between(random, -reach, reach));
            }
    }
}

typedef struct large {
    lf_grid *grid;
    const lf_ground *ground;
    int64_t size, close, looked, questions, wrong;
} large;

/// The targets of all samples, by the grid's formula.
static lf_vec3 *targets_of(const lf_grid *grid, double above) {
    lf_grid_info info = lf_grid_describe(grid);
    const lf_geotransform *geotransform = &info.geotransform;
    lf_vec3 *targets = test_space(info.columns * info.rows, sizeof *targets);
    for (int64_t sample = 0; sample < info.columns * info.rows; sample++) {
        double i = (double)(sample % info.columns), j = (double)(sample / info.columns);
        targets[sample] =
            (lf_vec3){geotransform->origin.x + i * geotransform->per_column.x + j * geotransform->per_row.x,
                      geotransform->origin.y + i * geotransform->per_column.y + j * geotransform->per_row.y,
                      lf_grid_sample(grid, sample % info.columns, sample / info.columns) + above};
    }
    return targets;
}

/// A sample that differs, or one of a few: by how much does its line miss?
static void look_closely(large *large, const lf_sight_rules *rules, lf_vec3 eye, lf_vec3 target, bool same) {
    lf_sight_rules with_detail = *rules;
    lf_sight sight;
    with_detail.detail = true;
    assert_int_equal(lf_sight_between(large->ground, &with_detail, eye, target, &sight, NULL), LF_OK);
    large->close += fabs(sight.raise) < 0.001;
    large->looked++;
    if (!same && large->wrong++ == 0)
        fprintf(stderr,
                "large viewshed: WRONG: eye %a %a %a target %a %a %a: it is %s; raise %.17g at %.17g\n",
                eye.x, eye.y, eye.z, target.x, target.y, target.z, lf_verdict_name(sight.verdict),
                sight.raise, sight.raise_t);
}

/// Every sample, and so every one whose margin is under 1 mm, against a line of its own.
static void oracle_large(large *large, const lf_viewshed_def *def, const lf_observer *observer) {
    int64_t count = large->size * large->size;
    uint8_t *seen = test_space(count, 1), *verdicts = test_space(count, 1);
    lf_window window = {0, 0, large->size, large->size};
    lf_vec3 eye, *targets = targets_of(large->grid, def->target);
    lf_reason reason;
    lf_tasks tasks = test_tasks(2);
    assert_int_equal(
        lf_viewshed_visible(lf_grid_ground(large->grid), def, observer, window, seen, 0, NULL, NULL), LF_OK);
    assert_int_equal(lf_sight_observer(large->ground, observer->at, observer->height, &eye, &reason), LF_OK);
    assert_int_equal(lf_sight_verdicts(large->ground, &def->rules, &eye, LF_STRIDE_SAME, targets, 0, count,
                                       verdicts, &tasks),
                     LF_OK);
    for (int64_t sample = 0; sample < count; sample++) {
        bool over = targets[sample].x == eye.x && targets[sample].y == eye.y;
        lf_visibility expected =
            over || verdicts[sample] == LF_VERDICT_CLEAR ? LF_VISIBILITY_VISIBLE : LF_VISIBILITY_HIDDEN;
        large->questions++;
        if (seen[sample] != expected || sample % 37 == 0)
            look_closely(large, &def->rules, eye, targets[sample], seen[sample] == expected);
    }
    free(targets);
    free(verdicts);
    free(seen);
}

static void oracle_hills(large *large, lf_surface surface, double rough, test_random *random) {
    large->size = test_long() ? 1025 : 129;
    float *heights = test_space(large->size * large->size, sizeof *heights);
    make_hills(heights, large->size, rough, random);
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = large->size;
    def.surface = surface;
    def.geotransform.per_column.x = def.geotransform.per_row.y = 10;
    assert_int_equal(lf_grid_create(&def, &large->grid, NULL), LF_OK);
    large->ground = lf_grid_ground(large->grid);
    lf_viewshed_def view = lf_viewshed_def_default();
    for (int k = 0; k < 3; k++) {
        double width = 10 * (double)(large->size - 1);
        lf_observer observer = {
            {test_random_between(random, 0, width), test_random_between(random, 0, width)},
            k == 0   ? 2
            : k == 1 ? 30
                     : 3000,
            false};
        if (k == 1)
            observer.at = (lf_vec2){rint(observer.at.x / 10) * 10, rint(observer.at.y / 10) * 10};
        view.rules.curvature.coefficient = k == 1 ? LF_CURVATURE_LIGHT : 0;
        view.target = k == 2 ? 1.7 : 0;
        oracle_large(large, &view, &observer);
    }
    lf_grid_destroy(large->grid);
    free(heights);
}

static void large_viewsheds_are_lines(void **state) {
    (void)state;
    test_random random = test_random_start(5400);
    large large = {0};
    for (int surface = LF_SURFACE_FALLING; surface <= LF_SURFACE_POINT; surface++)
        oracle_hills(&large, (lf_surface)surface, surface % 2 ? 0.5 : 0.7, &random);
    fprintf(
        stderr, "large viewsheds: %lld samples, %lld wrong; of %lld looked at closely %lld are within 1 mm\n",
        (long long)large.questions, (long long)large.wrong, (long long)large.looked, (long long)large.close);
    assert_int_equal(large.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_viewsheds_are_lines),
    };
    return cmocka_run_group_tests_name("oracle: large viewsheds", tests, NULL, NULL);
}
