/// Total viewsheds against one exact viewshed for each sample; the table that the parts of this benchmark print.
#include "scale.h"
#include "published/tabik.h"

#include <landfall/omp.h>
#include <landfall/sight.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#define AZIMUTHS 360
#define RANGE 10000.0

/// Rows that are computed: the time of a row is the same everywhere but at the edges.
#define ROWS 16

/// Samples whose exact viewsheds are computed.
#define EXACT 24

/// Bands of sight are measured along every so many azimuths.
#define BAND_EVERY 20

typedef struct scale_case {
    const lf_grid *grid;
    lf_total_def def;
    lf_window window;
    lf_total_maps maps;
    uint8_t *seen;
    lf__tabik_def bands;
    double *band_area;
} scale_case;

static void run_total(void *user) {
    scale_case *c = user;
    if (lf_total_viewshed(lf_grid_ground(c->grid), &c->def, c->window, &c->maps, NULL) != LF_OK)
        bench_stop("the total viewshed cannot be computed");
}

/// Exact viewsheds of samples spread over the rows.
static void run_viewsheds(void *user) {
    scale_case *c = user;
    lf_viewshed_def def = lf_viewshed_def_default();
    def.rules = c->def.rules;
    def.range_max = RANGE;
    for (int k = 0; k < EXACT; k++) {
        int64_t sample = (int64_t)k * c->window.columns / EXACT;
        lf_observer observer = {
            .at = {BENCH_SPACING * (double)sample, BENCH_SPACING * (double)(c->window.row + k % ROWS)},
            .height = c->def.observer_height};
        lf_window window = lf_viewshed_window(lf_grid_ground(c->grid), &def, observer.at);
        if (lf_viewshed_visible(lf_grid_ground(c->grid), &def, &observer, window, c->seen, 0, NULL, NULL) !=
            LF_OK)
            bench_stop("a viewshed cannot be computed");
    }
}

/// Bands of sight: without observers, for what all samples share, and with those of the rows.
static void run_bands(void *user, lf_window window) {
    scale_case *c = user;
    c->bands.window = window;
    if (lf__tabik_total(&c->bands, c->band_area) != LF_OK)
        bench_stop("bands of sight cannot be computed");
}

static void run_band_lists(void *user) {
    run_bands(user, (lf_window){0, 0, 0, 0});
}

static void run_band_rows(void *user) {
    run_bands(user, ((scale_case *)user)->window);
}

static double elapsed(scale_case *c) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    run_total(c);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

/// The best of several runs each, in turns: elapsed time depends on what else the machine does.
static double faster_by_two(scale_case *one, scale_case *two, int rounds) {
    double best[2] = {LF_INFINITY, LF_INFINITY};
    for (int k = 0; k < rounds; k++) {
        best[0] = fmin(best[0], elapsed(one));
        best[1] = fmin(best[1], elapsed(two));
    }
    return best[0] / best[1];
}

static scale_case open_case(const bench_field *field, lf_window window) {
    scale_case c = {.grid = bench_field_grid(field),
                    .def = lf_total_def_default(),
                    .window = window,
                    .maps = {.area = bench_take((size_t)(window.columns * window.rows), sizeof(float))},
                    .seen = bench_take((size_t)(field->samples * field->samples), 1),
                    .band_area = bench_take((size_t)(window.columns * window.rows), sizeof(double))};
    c.def.azimuths = AZIMUTHS;
    c.def.range = RANGE;
    c.def.rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    c.bands = (lf__tabik_def){.heights = field->heights,
                              .columns = field->samples,
                              .rows = field->samples,
                              .spacing = BENCH_SPACING,
                              .observer_height = c.def.observer_height,
                              .range = RANGE,
                              .curvature = c.def.rules.curvature,
                              .azimuths = AZIMUTHS,
                              .every = BAND_EVERY};
    return c;
}

static void close_case(scale_case *c, bench_field *field) {
    free(c->seen);
    free(c->maps.area);
    free(c->band_area);
    lf_grid_destroy((lf_grid *)(uintptr_t)c->grid);
    bench_field_close(field);
}

static lf_total_errors errors_of(const scale_case *c, const float *area, int64_t count) {
    lf_total_errors errors;
    if (lf_total_check(lf_grid_ground(c->grid), &c->def, c->window, area, 0, count, 1, &errors, NULL) !=
        LF_OK)
        bench_stop("the visible area cannot be checked");
    return errors;
}

/// Both methods against exact viewsheds, where all bands of sight take no longer than the rest of the benchmark.
static void compare_bands(void) {
    bench_field field;
    bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, 257);
    scale_case c = open_case(&field, (lf_window){0, 128, 257, 1});
    c.bands.every = 1;
    run_total(&c);
    run_band_rows(&c);
    lf_total_errors ours = errors_of(&c, c.maps.area, 50);
    for (int k = 0; k < 257; k++)
        c.maps.area[k] = (float)c.band_area[k];
    lf_total_errors bands = errors_of(&c, c.maps.area, 50);
    printf("257 samples a side: mean error %.4f, of bands of sight %.4f\n", ours.mean, bands.mean);
    if (bands.mean > 0.2)
        bench_stop("bands of sight find something else");
    close_case(&c, &field);
}

enum { TOTAL, VIEWSHEDS, BAND_LISTS, BAND_ROWS, METHODS };

void scale_table(bench_report *report, const char *title, const scale_row *rows, int count) {
    const char *const heads[] = {"method", rows[0].one, rows[0].all, "ratio", NULL};
    bench_table *table = bench_take(1, sizeof *table);
    bench_table_start(table, title, heads);
    for (int k = 0; k < count; k++) {
        bench_table_row(table);
        bench_table_cell(table, "%s", rows[k].method);
        bench_table_cell(table, "%.1f us", 1e6 * rows[k].seconds);
        bench_table_cell(table, "%.3g s", rows[k].seconds * rows[k].wanted);
        bench_table_cell(table, "%.1f", rows[k].seconds / rows[0].seconds);
    }
    bench_table_end(table, report);
    free(table);
}

static void print_methods(const bench_field *field, const double each[3], bench_report *report) {
    double all = (double)(field->samples * field->samples);
    const scale_row rows[] = {{"total viewshed", "per sample", "all samples", each[0], all},
                              {"an exact viewshed each", NULL, NULL, each[1], all},
                              {"bands of sight", NULL, NULL, each[2], all}};
    char title[160];
    snprintf(title, sizeof title, "%s, %lld samples a side, range %g m, %d azimuths", field->name,
             (long long)field->samples, RANGE, AZIMUTHS);
    scale_table(report, title, rows, 3);
}

static void bench_one(bench_field *field, bench_report *report) {
    int64_t side = field->samples;
    double samples = (double)(side * ROWS);
    scale_case c = open_case(field, (lf_window){0, side / 2, side, ROWS});
    lf_tasks tasks = lf_tasks_openmp(2);
    scale_case two = c;
    two.def.host.tasks = &tasks;
    const bench_contestant contestants[METHODS] = {{"total", NULL, run_total, &c},
                                                   {"viewsheds", NULL, run_viewsheds, &c},
                                                   {"lists", NULL, run_band_lists, &c},
                                                   {"bands", NULL, run_band_rows, &c}};
    bench_times times;
    bench_race(contestants, METHODS, report->rounds, true, &times);
    // Lists are sorted and kept for all samples of the raster, whichever of them are observers.
    double lists = times.seconds[BAND_LISTS], looks = times.seconds[BAND_ROWS] - lists;
    double each[] = {times.seconds[TOTAL] / samples, times.seconds[VIEWSHEDS] / EXACT,
                     BAND_EVERY * (looks / samples + lists / (double)(side * side))};
    double faster = faster_by_two(&c, &two, report->rounds);
    lf_total_errors errors = errors_of(&c, c.maps.area, 100);
    print_methods(field, each, report);
    printf("relative error of the visible area: mean %.4f, 95 %% within %.4f, worst of %lld %.4f; two "
           "threads %.2f times one; bands of sight: %.0f %% in lists\n",
           errors.mean, errors.most95, (long long)errors.samples, errors.worst, faster,
           100 * BAND_EVERY * lists / (double)(side * side) / each[2]);
    compare_bands();
    bench_bar(report, "total-to-viewsheds", each[1] / each[0], 300);
    bench_bar(report, "total-to-bands", each[2] / each[0], 3);
    bench_bar(report, "total-two-threads", faster, 1.85);
    bench_bar(report, "total-accuracy", 0.01 / fmax(errors.mean, 1e-9), 1);
    close_case(&c, field);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(
        &report, argc, argv,
        "Total viewsheds against one exact viewshed for each sample and bands of sight; many observers.");
    printf("landfall %s (%s)\n%s\none thread, processor time, medians of %d rounds in turns\n", lf_version(),
           lf_isa_name(lf_isa_best()), bench_machine(), report.rounds);
    if (bench_wanted(&report, "total")) {
        bench_field field;
        bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, report.quick ? 257 : 1025);
        bench_one(&field, &report);
    }
    if (bench_wanted(&report, "many"))
        bench_many(&report);
    if (bench_wanted(&report, "sites"))
        bench_sites(&report);
    return bench_report_end(&report);
}
