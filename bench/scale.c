/// Total viewsheds against one exact viewshed for each sample; the table that the parts of this benchmark print.
#include "scale.h"

#include <landfall/omp.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#define AZIMUTHS 360
#define RANGE 10000.0

/// Rows that are computed: the time of a row is the same everywhere but at the edges.
#define ROWS 16

/// Samples whose exact viewsheds are computed.
#define EXACT 24

typedef struct scale_case {
    const lf_grid *grid;
    lf_total_def def;
    lf_window window;
    lf_total_maps maps;
    uint8_t *seen;
    int64_t next;
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

void scale_table(bench_report *report, const char *title, const scale_row *rows, int count) {
    const char *const heads[] = {"method", rows[0].one, rows[0].all, "ratio", NULL};
    bench_table *table = bench_take(1, sizeof *table);
    bench_table_start(table, title, heads);
    for (int k = 0; k < count; k++) {
        bench_table_row(table);
        bench_table_cell(table, "%s", rows[k].method);
        bench_table_cell(table, "%.4g us", 1e6 * rows[k].seconds);
        bench_table_cell(table, "%.3g s", rows[k].seconds * rows[k].wanted);
        bench_table_cell(table, "%.3g", rows[k].seconds / rows[0].seconds);
    }
    bench_table_end(table, report);
    free(table);
}

static void bench_one(bench_field *field, bench_report *report) {
    int64_t side = field->samples;
    size_t samples = (size_t)(side * ROWS);
    lf_grid *grid = bench_field_grid(field);
    scale_case c = {.grid = grid,
                    .def = lf_total_def_default(),
                    .window = {0, side / 2, side, ROWS},
                    .maps = {.area = bench_take(samples, sizeof(float))},
                    .seen = bench_take((size_t)(side * side), 1)};
    lf_tasks tasks = lf_tasks_openmp(2);
    c.def.azimuths = AZIMUTHS;
    c.def.range = RANGE;
    c.def.rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    scale_case two = c;
    two.def.host.tasks = &tasks;
    const bench_contestant contestants[] = {{"total", NULL, run_total, &c},
                                            {"viewsheds", NULL, run_viewsheds, &c}};
    bench_times times;
    bench_race(contestants, 2, report->rounds, true, &times);
    double ours = times.seconds[0] / (double)samples, exact = times.seconds[1] / EXACT;
    double faster = faster_by_two(&c, &two, report->rounds);
    lf_total_errors errors;
    if (lf_total_check(lf_grid_ground(grid), &c.def, c.window, c.maps.area, 0, 100, 1, &errors, NULL) !=
        LF_OK)
        bench_stop("the total viewshed cannot be checked");
    char title[160];
    snprintf(title, sizeof title, "%s, %lld samples a side, range %g m, %d azimuths", field->name,
             (long long)side, RANGE, AZIMUTHS);
    double wanted = (double)(side * side);
    const scale_row rows[] = {{"total viewshed", "per sample", "all samples", ours, wanted},
                              {"an exact viewshed each", NULL, NULL, exact, wanted}};
    scale_table(report, title, rows, 2);
    printf("relative error of the visible area: mean %.4f, 95 %% within %.4f, worst of %lld %.4f; two "
           "threads %.2f times one\n",
           errors.mean, errors.most95, (long long)errors.samples, errors.worst, faster);
    bench_bar(report, "total-to-viewsheds", exact / ours, 300);
    bench_bar(report, "total-two-threads", faster, 1.85);
    bench_bar(report, "total-accuracy", 0.01 / fmax(errors.mean, 1e-9), 1);
    free(c.seen);
    free(c.maps.area);
    lf_grid_destroy(grid);
    bench_field_close(field);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv, "Total viewsheds against one exact viewshed for each sample.");
    printf("landfall %s (%s)\n%s\none thread, processor time, medians of %d rounds in turns\n", lf_version(),
           lf_isa_name(lf_isa_best()), bench_machine(), report.rounds);
    bench_field field;
    bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, report.quick ? 257 : 1025);
    if (bench_wanted(&report, "total"))
        bench_one(&field, &report);
    if (bench_wanted(&report, "many"))
        bench_many(&report);
    return bench_report_end(&report);
}
