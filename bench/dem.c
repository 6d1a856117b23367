/// Viewsheds on DEMs as people have them: degrees or metres, integers or floats, with voids, curvature on, from random places.
///
/// GDALViewshedGenerate gets the same raster, projected to UTM where it is in degrees, because it knows no others. What counts is the
/// distribution over the observers: the median, the slowest of 95 % and the worst of the ratios GDAL's time / landfall's.
#include "dem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Curvature coefficient of light, which is the default of both commands.
#define COEFFICIENT 0.85714

/// Viewsheds that take less than so many seconds are repeated so many times.
#define SHORT 1e-3
#define SHORT_ROUNDS 10

/// Ratios of one raster.
typedef struct ratios {
    double *values;
    int64_t count;
} ratios;

typedef struct dem_run {
    bench_report *report;
    bench_table table;
    int64_t observers; ///< for each height
} dem_run;

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Do the samples around a place have heights?
static bool has_ground(const dem_raster *dem, int64_t column, int64_t row) {
    for (int k = 0; k < 4; k++)
        if (!isfinite(lf_grid_sample(dem->grid, column + k % 2, row + k / 2)))
            return false;
    return true;
}

/// A place over a sample with a height, not always on one.
static bool random_place(const dem_raster *dem, bench_random *random, lf_vec2 *place) {
    for (int tries = 0; tries < 1000; tries++) {
        double column = bench_random_between(random, 1, (double)dem->columns - 2);
        double row = bench_random_between(random, 1, (double)dem->rows - 2);
        if (bench_random_bits(random) & 1)
            column = floor(column), row = floor(row);
        const lf_geotransform *p = &dem->geotransform;
        *place = (lf_vec2){p->origin.x + column * p->per_column.x + row * p->per_row.x,
                           p->origin.y + column * p->per_column.y + row * p->per_row.y};
        if (has_ground(dem, (int64_t)column, (int64_t)row))
            return true;
    }
    return false;
}

static double run_landfall(const dem_raster *dem, lf_vec2 at, double eye, lf_viewshed_stats *stats) {
    lf_viewshed_def def = lf_viewshed_def_default();
    def.rules = dem->rules;
    lf_observer observer = {at, eye, false};
    lf_error error;
    *stats = (lf_viewshed_stats){0};
    double start = bench_clock();
    if (lf_viewshed_visible(lf_grid_ground(dem->grid), &def, &observer, lf_grid_window(dem->grid), dem->seen,
                            0, stats, &error) != LF_OK)
        bench_stop("%s: %s", dem->name, error.text);
    return bench_clock() - start;
}

static double run_gdal(const dem_raster *dem, lf_vec2 at, double eye) {
    double start = bench_clock();
    dem_gdal_run(dem->gdal, at, eye, COEFFICIENT);
    return bench_clock() - start;
}

/// The least times of some rounds, in seconds.
typedef struct dem_times {
    double ours, gdal;
} dem_times;

/// Both sides take turns. Where a viewshed takes less than a millisecond, one interruption is more than that: there are more rounds.
static dem_times run_both(const dem_run *run, const dem_raster *dem, lf_vec2 at, double eye,
                          lf_viewshed_stats *stats) {
    dem_times t = {INFINITY, INFINITY};
    int rounds = run->report->rounds;
    for (int round = 0; round < rounds; round++) {
        t.ours = fmin(t.ours, run_landfall(dem, at, eye, stats));
        t.gdal = fmin(t.gdal, run_gdal(dem, at, eye));
        if (fmin(t.ours, t.gdal) < SHORT)
            rounds = SHORT_ROUNDS;
    }
    return t;
}

/// One height of the eye: a row of the table.
static void measure(dem_run *run, const dem_raster *dem, double eye, ratios *all) {
    bench_random random = {(uint64_t)eye + 1};
    double *values = bench_take((size_t)run->observers, sizeof *values), ours = 0, theirs = 0;
    int64_t count = 0, lines = 0;
    for (int64_t k = 0; k < run->observers; k++) {
        lf_vec2 at;
        lf_viewshed_stats stats;
        if (!random_place(dem, &random, &at))
            break;
        dem_times t = run_both(run, dem, at, eye, &stats);
        ours += t.ours;
        theirs += t.gdal;
        lines += stats.walked;
        values[count++] = all->values[all->count++] = t.gdal / t.ours;
    }
    if (count > 0) {
        qsort(values, (size_t)count, sizeof *values, compare);
        bench_table_row(&run->table);
        bench_table_cell(&run->table, "%s", dem->name);
        bench_table_cell(&run->table, "%lld x %lld", (long long)dem->columns, (long long)dem->rows);
        bench_table_cell(&run->table, "%s", dem->kind);
        bench_table_cell(&run->table, "%g", eye);
        bench_table_cell(&run->table, "%.1f", 1e3 * ours / (double)count);
        bench_table_cell(&run->table, "%.1f", 1e3 * theirs / (double)count);
        bench_table_cell(&run->table, "%.2f", values[count / 2]);
        bench_table_cell(&run->table, "%.2f", values[count / 20]);
        bench_table_cell(&run->table, "%.2f", values[0]);
        bench_table_cell(&run->table, "%.0f", (double)lines / (double)count);
    }
    free(values);
}

static void bench_raster(dem_run *run, dem_raster *dem, ratios *all) {
    static const double eyes[] = {2, 30, 300};
    for (int k = 0; k < 3; k++)
        measure(run, dem, eyes[k], all);
    dem_close(dem);
}

static void put_bars(dem_run *run, ratios *all) {
    if (all->count == 0)
        return;
    qsort(all->values, (size_t)all->count, sizeof *all->values, compare);
    printf("\n%lld viewsheds: GDAL's time / landfall's: median %.2f, 95 %% above %.2f, worst %.2f\n",
           (long long)all->count, all->values[all->count / 2], all->values[all->count / 20], all->values[0]);
    bench_bar(run->report, "real DEMs median", all->values[all->count / 2], 2);
    bench_bar(run->report, "real DEMs 95 %", all->values[all->count / 20], 1);
    bench_bar(run->report, "real DEMs worst", all->values[0], 0.5);
}

int main(int argc, char **argv) {
    static const char *const heads[] = {"raster", "samples", "kind",  "eye m",      "ms", "GDAL ms",
                                        "median", "95 %",    "worst", "lines each", NULL};
    static bench_report report; // large
    bench_report_start(&report, argc, argv, "Viewsheds on real DEMs against GDAL's.");
    static dem_run run;
    run.report = &report;
    run.observers = report.quick ? 10 : 200;
    report.rounds = report.rounds > 2 ? 2 : report.rounds;
    ratios all = {bench_take((size_t)(3 * run.observers * dem_count()), sizeof(double)), 0};
    printf("landfall %s (%s) against GDAL, one thread, processor time, %lld observers for each height\n%s\n",
           lf_version(), lf_isa_name(lf_isa_best()), (long long)run.observers, bench_machine());
    for (int k = 0; k < dem_count(); k++) {
        dem_raster dem;
        if (!bench_wanted(&report, dem_name(k)) || !dem_open(k, report.large, &dem))
            continue;
        bench_table_start(&run.table, dem.name, heads);
        bench_raster(&run, &dem, &all);
        bench_table_end(&run.table, &report);
    }
    put_bars(&run, &all);
    free(all.values);
    return bench_report_end(&report);
}
