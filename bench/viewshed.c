/// Exact viewsheds against GDAL's: the same raster, observer and target, one thread, then two.
#include "viewshed.h"

#include <landfall/omp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/// One run of the benchmark.
typedef struct bench_run {
    bench_report *report;
    bench_table table;
    const bench_field *field;
    double spacing;
    lf_grid *grid;
    double build; ///< seconds
    view_gdal *gdal;
    view_grass *grass; ///< or NULL
    uint8_t *seen, *again;
    double slowest_pair; ///< least gain of two threads
} bench_run;

typedef struct asker {
    const bench_run *run;
    view_question question;
    const lf_tasks *tasks;
    uint8_t *seen;
    lf_viewshed_stats stats;
} asker;

static void run_landfall(void *user) {
    asker *a = user;
    lf_viewshed_def def = lf_viewshed_def_default();
    def.target = a->question.target;
    def.rules.curvature.coefficient = a->question.bend;
    def.host.tasks = a->tasks;
    view_place p = a->question.place;
    lf_observer observer = {
        {a->run->spacing * (double)p.column, a->run->spacing * (double)p.row}, p.height, false};
    lf_error error;
    if (lf_viewshed_visible(lf_grid_ground(a->run->grid), &def, &observer, lf_grid_window(a->run->grid),
                            a->seen, 0, &a->stats, &error) != LF_OK)
        bench_stop("%s: %s", p.name, error.text);
}

static void run_gdal(void *user) {
    asker *a = user;
    view_gdal_run(a->run->gdal, &a->question);
}

static double wall(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// How many times faster two threads are: by the clock on the wall, the best of some rounds each, in turns.
static double gain_of_two(asker *a, int rounds) {
    lf_tasks two = lf_tasks_openmp(2);
    double best[2] = {INFINITY, INFINITY};
    for (int k = 0; k < 2 * rounds; k++) {
        a->tasks = k % 2 ? &two : NULL;
        a->seen = k % 2 ? a->run->again : a->run->seen;
        double start = wall();
        run_landfall(a);
        best[k % 2] = fmin(best[k % 2], wall() - start);
    }
    a->tasks = NULL;
    a->seen = a->run->seen;
    if (memcmp(a->run->seen, a->run->again, (size_t)(a->run->field->samples * a->run->field->samples)) != 0)
        bench_stop("two threads see something else than one");
    return best[0] / best[1];
}

/// The share of samples where somebody else says something else.
static double wrong_share(const bench_run *run, const uint8_t *theirs, int visible) {
    int64_t count = run->field->samples * run->field->samples, wrong = 0;
    for (int64_t k = 0; k < count; k++)
        wrong += (theirs[k] == visible) != (run->seen[k] == LF_VISIBILITY_VISIBLE);
    return (double)wrong / (double)count;
}

/// GRASS, once: it takes seconds. On flat earth only, because it bends by another rule.
static void measure_grass(bench_run *run, const asker *a, double ours) {
    if (!run->grass || a->question.bend != 0) {
        bench_table_cell(&run->table, "-");
        bench_table_cell(&run->table, "-");
        return;
    }
    char name[160];
    snprintf(name, sizeof name, "%s %s grass", run->field->name, a->question.place.name);
    double ratio = view_grass_run(run->grass, &a->question) / ours;
    bench_table_cell(&run->table, "%.0f", ratio);
    bench_table_cell(&run->table, "%.3f %%", 100 * wrong_share(run, view_grass_bytes(run->grass), 1));
    bench_bar(run->report, name, ratio, 100);
}

static void measure(bench_run *run, view_place place, double target, double bend, double bar) {
    asker a = {.run = run, .question = {run->field, run->spacing, place, target, bend}, .seen = run->seen};
    char name[160];
    snprintf(name, sizeof name, "%s %s %g", run->field->name, place.name, bend);
    if (!bench_wanted(run->report, name))
        return;
    const bench_contestant contestants[] = {{"landfall", NULL, run_landfall, &a},
                                            {"gdal", NULL, run_gdal, &a}};
    bench_times times;
    bench_race(contestants, 2, run->report->rounds, true, &times);
    double two = gain_of_two(&a, run->report->rounds),
           count = (double)(run->field->samples * run->field->samples);
    run->slowest_pair = fmin(run->slowest_pair, two);
    bench_table_row(&run->table);
    bench_table_cell(&run->table, "%s", place.name);
    bench_table_cell(&run->table, "%g", bend);
    bench_table_cell(&run->table, "%.1f", 1e3 * times.seconds[0]);
    bench_table_cell(&run->table, "%.1f", 1e3 * times.seconds[1]);
    bench_table_cell(&run->table, "%.2f", times.ratio[1]);
    bench_table_cell(&run->table, "%.2f", times.seconds[1] / (times.seconds[0] + run->build));
    bench_table_cell(&run->table, "%.2f", two);
    bench_table_cell(&run->table, "%.2f %%", 100 * (double)a.stats.counts[LF_VISIBILITY_VISIBLE] / count);
    bench_table_cell(&run->table, "%.2f %%", 100 * (double)a.stats.walked / count);
    bench_table_cell(&run->table, "%.3f %%", 100 * wrong_share(run, view_gdal_bytes(run->gdal), 255));
    measure_grass(run, &a, times.seconds[0]);
    bench_bar(run->report, name, times.ratio[1], bar);
    snprintf(name, sizeof name, "%s %s %g with build", run->field->name, place.name, bend);
    bench_bar(run->report, name, times.seconds[1] / (times.seconds[0] + run->build), 1);
}

// ---------------------------------------------------------------------------------------------------
// Fields
// ---------------------------------------------------------------------------------------------------

static void open_run(bench_run *run, const bench_field *field, double spacing) {
    static const char *const heads[] = {"observer",    "bend",        "ms",      "GDAL ms",   "ratio",
                                        "with build",  "2 threads",   "visible", "own lines", "GDAL wrong",
                                        "GRASS ratio", "GRASS wrong", NULL};
    printf("\n== %s, %g m samples, heights %.0f to %.0f m\n", field->name, spacing, field->low, field->high);
    run->field = field;
    run->spacing = spacing;
    size_t count = (size_t)(field->samples * field->samples);
    run->seen = bench_take(count, 1);
    run->again = bench_take(count, 1);
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = field->heights;
    def.samples.columns = def.samples.rows = field->samples;
    def.borrow = true;
    def.geotransform.per_column.x = def.geotransform.per_row.y = spacing;
    lf_error error;
    double start = bench_clock();
    if (lf_grid_create(&def, &run->grid, &error) != LF_OK)
        bench_stop("%s: %s", field->name, error.text);
    run->build = bench_clock() - start;
    run->gdal = view_gdal_open(field, spacing);
    printf("grid made in %.0f ms\n", 1e3 * run->build);
    bench_table_start(&run->table, field->name, heads);
}

static void close_run(bench_run *run) {
    bench_table_end(&run->table, run->report);
    view_grass_close(run->grass);
    view_gdal_close(run->gdal);
    lf_grid_destroy(run->grid);
    free(run->again);
    free(run->seen);
}

static float height_of(const bench_field *field, int64_t column, int64_t row) {
    return field->heights[row * field->samples + column];
}

/// The highest, the lowest and the steepest sample of the middle of a field.
static void find_places(const bench_field *field, view_place places[4]) {
    int64_t n = field->samples;
    view_place slope = {"slope", n / 2, n / 2, 2}, peak = {"peak + 30 m", n / 2, n / 2, 30};
    view_place valley = {"valley", n / 2, n / 2, 2};
    double steepest = 0, middle = 0.5 * (field->low + field->high), band = 0.1 * (field->high - field->low);
    for (int64_t row = n / 4; row < 3 * n / 4; row++)
        for (int64_t column = n / 4; column < 3 * n / 4; column++) {
            double h = (double)height_of(field, column, row);
            if (h > (double)height_of(field, peak.column, peak.row))
                peak.column = column, peak.row = row;
            if (h < (double)height_of(field, valley.column, valley.row))
                valley.column = column, valley.row = row;
            double step = fabs((double)height_of(field, column + 1, row) - h);
            if (step > steepest && fabs(h - middle) < band)
                slope.column = column, slope.row = row, steepest = step;
        }
    places[0] = slope;
    places[1] = peak;
    places[2] = valley;
    places[3] = (view_place){"3000 m up", n / 2, n / 2, 3000};
}

static void bench_mountains(bench_report *report, int64_t samples, double *least_pair) {
    bench_field field;
    bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, samples);
    bench_run run = {.report = report, .slowest_pair = INFINITY};
    view_place places[4];
    const double bars[4] = {3, 3, 3, 1};
    open_run(&run, &field, BENCH_SPACING);
    find_places(&field, places);
    run.grass = samples <= 1025 ? view_grass_open(&field, BENCH_SPACING) : NULL;
    if (samples <= 1025 && !run.grass)
        printf("GRASS is not there, and skipped\n");
    for (int k = 0; k < 4; k++)
        for (int bent = 0; bent < 2; bent++)
            measure(&run, places[k], 2, bent ? LF_CURVATURE_LIGHT : LF_CURVATURE_FLAT, bars[k]);
    *least_pair = samples < 4097 ? *least_pair : fmin(*least_pair, run.slowest_pair);
    view_commands(report, &(view_question){&field, BENCH_SPACING, places[0], 2, 0}, run.grass);
    close_run(&run);
    bench_field_close(&field);
}

/// Nearly normal: the sum of twelve.
static double normal(bench_random *random) {
    double sum = 0;
    for (int k = 0; k < 12; k++)
        sum += bench_random_between(random, -0.5, 0.5);
    return sum;
}

/// Farmland by lidar: 1 m samples, noise of 0.1 m on a tilted plane; or rough ground as others benchmarks have it.
static void bench_noise(bench_report *report, int64_t samples, bool lidar) {
    bench_field field;
    bench_random random = {7};
    bench_field_rough(&field, samples);
    if (lidar) {
        snprintf(field.name, sizeof field.name, "lidar %lld", (long long)samples);
        field.low = INFINITY;
        field.high = -INFINITY;
    }
    for (int64_t k = 0; lidar && k < samples * samples; k++) {
        double h = 0.02 * (double)(k % samples) + 0.01 * (double)(k / samples) + 0.1 * normal(&random);
        field.heights[k] = (float)h;
        field.low = fmin(field.low, h);
        field.high = fmax(field.high, h);
    }
    bench_run run = {.report = report, .slowest_pair = INFINITY};
    open_run(&run, &field, lidar ? 1 : BENCH_SPACING);
    measure(&run, (view_place){"+ 2 m", samples / 2, samples / 2, 2}, 2, 0, 1);
    measure(&run, (view_place){"+ 10 m", samples / 2, samples / 2, 10}, 2, 0, 1);
    measure(&run, (view_place){"+ 2 m, target 0.1 m", samples / 2, samples / 2, 2}, 0.1, 0, 0.6);
    close_run(&run);
    bench_field_close(&field);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv, "Exact viewsheds against GDAL's.");
    printf("landfall %s (%s) against %s\n%s\none thread, processor time, medians of %d rounds in turns\n",
           lf_version(), lf_isa_name(lf_isa_best()), view_gdal_name(), bench_machine(), report.rounds);
    printf("GRASS: r.viewshed alone, once, processor time\n");
    double least_pair = INFINITY;
    int64_t sizes[3] = {report.quick ? 257 : 1025, 4097, 8193};
    for (int k = 0; k < (report.quick ? 1 : report.large ? 3 : 2); k++) {
        bench_mountains(&report, sizes[k], &least_pair);
        bench_noise(&report, sizes[k], false);
        bench_noise(&report, sizes[k], true);
    }
    view_least(&report);
    if (isfinite(least_pair))
        bench_bar(&report, "viewshed-two-threads", least_pair, 1.8);
    return bench_report_end(&report);
}
