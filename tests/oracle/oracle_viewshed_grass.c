// Viewsheds that GRASS r.viewshed made of real rasters, against ours. GRASS asks a cell's neighbours for
// heights at the cell's corners and looks at three places of each cell, so it is not the same surface; but
// where the two differ, the margin has to be small.
#include "support.h"
#include <landfall/io.h>
#include <landfall/sight.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct example {
    const char *heights, *seen; ///< files under expected/ or dem/
    double x, y, eye, target;
    double coefficient;
} example;

#define GRASS "expected/viewshed-grass/"
#define MADE "expected/viewshed-made/"
#define HELENS "dem/vtk-sthelens/SainteHelens.tif"
#define KROVAK "expected/viewshed-jancaha/dsm.tif"

static const example examples[] = {
    {GRASS "elevation.ascii", GRASS "lake_viewshed.ascii", 634720, 216180, 1.72, 0, 0},
    {HELENS, MADE "sthelens_0.tif", 562260, 5115390, 1.75, 0, 0},
    {HELENS, MADE "sthelens_1.tif", 562260, 5115390, 1.75, 0, 1},
    {HELENS, MADE "sthelens_2.tif", 565710, 5109750, 10, 2, 6.0 / 7},
    {HELENS, MADE "sthelens_3.tif", 561090, 5114970, 1.75, 0, 0},
    {KROVAK, MADE "dsm_krovak_0.tif", -336429.1453, -1189102.6189, 1.75, 0, 0},
    {KROVAK, MADE "dsm_krovak_1.tif", -336429.1453, -1189102.6189, 1.75, 0, 1},
    {KROVAK, MADE "dsm_krovak_2.tif", -336337.1453, -1189180.6189, 10, 2, 6.0 / 7},
    {KROVAK, MADE "dsm_krovak_3.tif", -336457.1453, -1189119.6189, 1.75, 0, 0},
};

static lf_grid *read_grid(const char *name, lf_surface surface, lf_raster **raster) {
    const char *path = test_data(name);
    lf_error error = {0};
    lf_raster_def def = lf_raster_def_default();
    if (!path)
        return NULL;
    if (lf_raster_read(path, &def, raster, &error) != LF_OK)
        fail_msg("%s: %s", name, error.text);
    lf_grid_def grid_def = lf_raster_grid_def(*raster);
    grid_def.surface = surface;
    lf_grid *grid = NULL;
    assert_int_equal(lf_grid_create(&grid_def, &grid, &error), LF_OK);
    return grid;
}

enum { MARGINS = 6 };
static const double margins[MARGINS] = {0.01, 0.1, 0.5, 2, 10, 1e30};

/// How many samples agree, and of those that do not, by how much the line misses.
typedef struct tally {
    int64_t samples, same, visible, unexplained, differ[MARGINS];
} tally;

typedef struct comparison {
    const example *example;
    const lf_grid *grid, *theirs;
    const lf_ground *ground;
    lf_viewshed_def def;
    lf_observer observer;
} comparison;

static lf_vec2 sample_at(const lf_geotransform *geotransform, int64_t column, int64_t row) {
    double i = (double)column, j = (double)row;
    return (lf_vec2){geotransform->origin.x + i * geotransform->per_column.x + j * geotransform->per_row.x,
                     geotransform->origin.y + i * geotransform->per_column.y + j * geotransform->per_row.y};
}

/// By how much heights differ among the samples within two cells of a place: no interpolation is off by more.
static double relief_around(const lf_grid *grid, lf_vec3 at) {
    lf_vec2 place = lf_grid_locate(grid, (lf_vec2){at.x, at.y});
    double low = LF_INFINITY, high = -LF_INFINITY;
    for (int64_t row = (int64_t)floor(place.y) - 1; row <= (int64_t)floor(place.y) + 2; row++)
        for (int64_t column = (int64_t)floor(place.x) - 1; column <= (int64_t)floor(place.x) + 2; column++) {
            low = fmin(low, lf_grid_sample(grid, column, row));
            high = fmax(high, lf_grid_sample(grid, column, row));
        }
    return high - low;
}

/// Metres by which the line misses the ground at the place that decides: what GRASS's other surface has to explain.
static double margin_of(const comparison *comparison, int64_t column, int64_t row, bool *explained) {
    lf_grid_info info = lf_grid_describe(comparison->grid);
    lf_vec2 at = sample_at(&info.geotransform, column, row);
    lf_vec3 eye,
        target = {at.x, at.y, lf_grid_sample(comparison->grid, column, row) + comparison->def.target};
    lf_reason reason;
    lf_sight sight;
    lf_sight_rules rules = comparison->def.rules;
    rules.detail = true;
    assert_int_equal(lf_sight_observer(comparison->ground, comparison->observer.at,
                                       comparison->observer.height, &eye, &reason),
                     LF_OK);
    assert_int_equal(lf_sight_between(comparison->ground, &rules, eye, target, &sight, NULL), LF_OK);
    double margin = fabs(sight.raise) * sight.raise_t;
    lf_vec3 decisive = lf_vec3_along(eye, sight.raise_t, lf_vec3_sub(target, eye));
    *explained = margin <= relief_around(comparison->grid, decisive);
    return margin;
}

static tally compare(const comparison *comparison) {
    lf_grid_info info = lf_grid_describe(comparison->grid);
    tally tally = {0};
    uint8_t *seen = test_space(info.columns * info.rows, 1);
    lf_window window = {0, 0, info.columns, info.rows};
    assert_int_equal(lf_viewshed_visible(lf_grid_ground(comparison->grid), &comparison->def,
                                         &comparison->observer, window, seen, 0, NULL, NULL),
                     LF_OK);
    for (int64_t sample = 0; sample < info.columns * info.rows; sample++) {
        int64_t column = sample % info.columns, row = sample / info.columns;
        if (seen[sample] == LF_VISIBILITY_VOID)
            continue;
        double angle = lf_grid_sample(comparison->theirs, column, row);
        bool theirs = !isnan(angle) && angle != 0; // GDAL reads the stars of the text format as 0
        bool ours = seen[sample] == LF_VISIBILITY_VISIBLE;
        tally.samples++;
        tally.visible += ours;
        tally.same += ours == theirs;
        if (ours == theirs)
            continue;
        bool explained;
        double margin = margin_of(comparison, column, row, &explained);
        tally.unexplained += !explained;
        int bin = 0;
        while (margin > margins[bin])
            bin++;
        tally.differ[bin]++;
    }
    free(seen);
    return tally;
}

/// The sample that GRASS's observer stands on: the middle of the cell that holds the place.
static lf_vec2 middle_of_cell(const lf_grid *grid, double x, double y) {
    lf_grid_info info = lf_grid_describe(grid);
    lf_vec2 place = lf_grid_locate(grid, (lf_vec2){x, y});
    return sample_at(&info.geotransform, (int64_t)rint(place.x), (int64_t)rint(place.y));
}

static void try_example(const example *example, lf_surface surface) {
    lf_raster *rasters[2] = {NULL, NULL};
    lf_grid *grid = read_grid(example->heights, surface, &rasters[0]);
    lf_grid *theirs = grid ? read_grid(example->seen, LF_SURFACE_POINT, &rasters[1]) : NULL;
    if (!theirs) {
        lf_grid_destroy(grid);
        lf_raster_close(rasters[0]);
        return;
    }
    const lf_ground *ground;
    ground = lf_grid_ground(grid);
    comparison comparison = {example,
                             grid,
                             theirs,
                             ground,
                             lf_viewshed_def_default(),
                             {middle_of_cell(grid, example->x, example->y), example->eye, false}};
    comparison.def.target = example->target;
    comparison.def.rules.curvature.coefficient = example->coefficient;
    comparison.def.rules.voids = LF_VOIDS_PASS;
    assert_int_equal(lf_grid_describe(theirs).columns, lf_grid_describe(grid).columns);
    assert_int_equal(lf_grid_describe(theirs).rows, lf_grid_describe(grid).rows);
    tally tally = compare(&comparison);
    double share = (double)tally.same / (double)tally.samples;
    fprintf(stderr, "%s, %s: %lld samples, %lld visible, %.3f %% as GRASS has it; margins of the others:",
            example->seen, lf_surface_name(surface), (long long)tally.samples, (long long)tally.visible,
            100 * share);
    for (int i = 0; i < MARGINS; i++)
        fprintf(stderr, " %lld to %g m", (long long)tally.differ[i], margins[i]);
    fprintf(stderr, "; %lld more than the relief there\n", (long long)tally.unexplained);
    assert_true(share >= 0.97);
    assert_int_equal(tally.unexplained, 0);
    lf_grid_destroy(theirs);
    lf_grid_destroy(grid);
    lf_raster_close(rasters[1]);
    lf_raster_close(rasters[0]);
}

static void grass_sees_about_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        try_example(&examples[i], LF_SURFACE_BILINEAR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grass_sees_about_the_same),
    };
    return cmocka_run_group_tests_name("oracle: viewsheds by GRASS", tests, NULL, NULL);
}
