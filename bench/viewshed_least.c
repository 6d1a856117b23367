/// Least visible heights (modes ground and dem) against our own `visible`: the same raster and observer, one thread.
///
/// `visible` skips ground that is hidden as a whole, and a least height is a value for each hidden sample. So beside it
/// stands a `visible` from 3000 m above the same place, which skips next to nothing, and the time per sample.
#include "viewshed.h"

#include <math.h>
#include <stdlib.h>

/// Least share of `visible` in the time of least heights.
#define LEAST_SHARE (1.0 / 6)

/// Height from which nearly everything is visible: metres.
#define LEAST_ABOVE 3000

typedef struct least_run {
    bench_report *report;
    bench_table table;
    const lf_grid *grid;
    lf_sight_rules rules;
    int64_t samples;
    uint8_t *seen;
    float *values;
    double *slowest; ///< least share of `visible` of all rasters and observers
} least_run;

typedef struct least_asker {
    const least_run *run;
    lf_observer observer;
    bool numbers;
    lf_viewshed_mode mode;
    lf_viewshed_stats stats;
} least_asker;

static void run_least(void *user) {
    least_asker *a = user;
    const least_run *run = a->run;
    const lf_ground *ground = lf_grid_ground((lf_grid *)run->grid);
    lf_viewshed_def def = lf_viewshed_def_default();
    def.rules = run->rules;
    lf_window window = lf_grid_window(run->grid);
    lf_error error;
    lf_status status =
        a->numbers ? lf_viewshed_values(ground, &def, &a->observer, a->mode, window, run->values, 0,
                                        &a->stats, &error)
                   : lf_viewshed_visible(ground, &def, &a->observer, window, run->seen, 0, &a->stats, &error);
    if (status != LF_OK)
        bench_stop("least heights: %s", error.text);
}

static void measure_least(least_run *run, const char *raster, const char *place, lf_observer observer) {
    lf_observer above = observer;
    above.height += LEAST_ABOVE;
    least_asker askers[] = {{.run = run, .observer = observer, .numbers = true, .mode = LF_VIEWSHED_GROUND},
                            {.run = run, .observer = observer, .numbers = true, .mode = LF_VIEWSHED_DEM},
                            {.run = run, .observer = observer},
                            {.run = run, .observer = above}};
    bench_contestant contestants[4];
    char name[160];
    for (int k = 0; k < 4; k++)
        contestants[k] = (bench_contestant){"least", NULL, run_least, &askers[k]};
    bench_times times;
    bench_race(contestants, 4, run->report->rounds, true, &times);
    double count = (double)(run->samples * run->samples);
    bench_table_row(&run->table);
    bench_table_cell(&run->table, "%s", place);
    bench_table_cell(&run->table, "%.2f", 1e3 * times.seconds[0]);
    bench_table_cell(&run->table, "%.2f", 1e3 * times.seconds[1]);
    bench_table_cell(&run->table, "%.2f", 1e3 * times.seconds[2]);
    bench_table_cell(&run->table, "%.1f", times.seconds[0] / times.seconds[2]);
    bench_table_cell(&run->table, "%.1f", times.seconds[0] / times.seconds[3]);
    bench_table_cell(&run->table, "%.1f", 1e9 * times.seconds[0] / count);
    bench_table_cell(&run->table, "%.1f", 1e9 * times.seconds[3] / count);
    bench_table_cell(&run->table, "%.2f %%",
                     100 * (double)askers[2].stats.counts[LF_VISIBILITY_VISIBLE] / count);
    bench_table_cell(&run->table, "%.2f %%", 100 * (double)askers[0].stats.walked / count);
    snprintf(name, sizeof name, "least %s %s", raster, place);
    double share = fmin(times.ratio[2], times.seconds[2] / times.seconds[1]);
    bench_bar(run->report, name, share, LEAST_SHARE);
    *run->slowest = fmin(*run->slowest, share);
}

/// The highest and the lowest sample of the middle, the middle itself, and a high place.
static void measure_places(least_run *run, const bench_field *field, const char *raster) {
    static const char *const names[] = {"middle", "peak + 30 m", "valley", "300 m up"};
    static const double heights[] = {2, 30, 2, 300};
    int64_t n = field->samples, at[4] = {n / 2 * (n + 1), n / 2 * (n + 1), n / 2 * (n + 1), n / 2 * (n + 1)};
    for (int64_t row = n / 4; row < 3 * n / 4; row++)
        for (int64_t column = n / 4; column < 3 * n / 4; column++) {
            int64_t k = row * n + column;
            at[1] = field->heights[k] > field->heights[at[1]] ? k : at[1];
            at[2] = field->heights[k] < field->heights[at[2]] ? k : at[2];
        }
    for (int k = 0; k < 4; k++) {
        lf_geotransform to = lf_grid_describe(run->grid).geotransform;
        lf_vec2 place = {to.origin.x + (double)(at[k] % n) * to.per_column.x,
                         to.origin.y + (double)(at[k] / n) * to.per_row.y};
        measure_least(run, raster, names[k], (lf_observer){place, heights[k], false});
    }
}

/// The rows of a map in the other order: those of a grid go north.
static void turn_rows(bench_field *field) {
    int64_t n = field->samples;
    for (int64_t row = 0; row < n / 2; row++)
        for (int64_t column = 0; column < n; column++) {
            float *a = &field->heights[row * n + column], *b = &field->heights[(n - 1 - row) * n + column],
                  h = *a;
            *a = *b;
            *b = h;
        }
}

/// One raster. `corner` is of its first sample, in degrees; NULL: metres.
static void bench_least_field(bench_report *report, const bench_field *field, const lf_vec2 *corner,
                              double *slowest) {
    static const char *const heads[] = {"observer",         "ground ms",     "dem ms",  "visible ms",
                                        "ground / visible", "/ from 3000 m", "ns each", "ns 3000 m",
                                        "visible",          "own lines",     NULL};
    size_t count = (size_t)(field->samples * field->samples);
    least_run run = {
        .report = report, .rules = lf_sight_rules_default(), .samples = field->samples, .slowest = slowest};
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = field->heights;
    def.samples.columns = def.samples.rows = field->samples;
    def.borrow = true;
    def.geotransform.per_column.x = def.geotransform.per_row.y = BENCH_SPACING;
    if (corner) {
        double step = 1.0 / (double)(field->samples - 1);
        def.geotransform.origin = *corner;
        def.geotransform.per_column.x = step;
        def.geotransform.per_row.y = step;
        run.rules.units = LF_MAP_DEGREES;
    }
    run.rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    lf_error error;
    lf_grid *grid;
    if (lf_grid_create(&def, &grid, &error) != LF_OK)
        bench_stop("%s: %s", field->name, error.text);
    run.grid = grid;
    run.seen = bench_take(count, 1);
    run.values = bench_take(count, sizeof *run.values);
    bench_table_start(&run.table, field->name, heads);
    measure_places(&run, field, field->name);
    bench_table_end(&run.table, report);
    lf_grid_destroy(grid);
    free(run.values);
    free(run.seen);
}

void view_least(bench_report *report) {
    static const struct {
        const char *name, *path;
        lf_vec2 corner;
    } maps[] = {{"N57E011", "dem/N57E011.hgt", {11, 57}}, {"N44W072", "dem/N44W072.hgt", {-72, 44}}};
    bench_field field;
    double slowest = INFINITY;
    if (!bench_wanted(report, "least"))
        return;
    printf("\n== least visible heights, with curvature\n");
    for (int k = 0; k < 2; k++) {
        bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, k ? 1025 : 512);
        bench_least_field(report, &field, NULL, &slowest);
        bench_field_close(&field);
    }
    for (int k = 0; k < 2; k++)
        if (bench_field_hgt(&field, maps[k].name, maps[k].path)) {
            turn_rows(&field);
            bench_least_field(report, &field, &maps[k].corner, &slowest);
            bench_field_close(&field);
        }
    bench_bar(report, "least slowest", slowest, LEAST_SHARE);
}
