/// Counts of many observers against one viewshed for each; places that cover most.
#include "scale.h"

#include <landfall/omp.h>
#include <landfall/sight.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MANY 200            // of the observers, spread over the raster
#define MANY_RANGE 5000.0   // metres
#define MANY_WANTED 100000. // for which the time is stated

typedef struct many_case {
    const lf_ground *ground;
    lf_viewshed_def def;
    lf_window window;
    lf_observer observers[MANY];
    uint32_t *counts, *sums;
    uint8_t *seen;
} many_case;

static void run_many(void *user) {
    many_case *c = user;
    if (lf_viewshed_count(c->ground, &c->def, c->observers, MANY, c->window, c->counts, 0, NULL, NULL) !=
        LF_OK)
        bench_stop("the observers of samples cannot be counted");
}

/// A viewshed of the raster for each observer, and a sum.
static void run_singles(void *user) {
    many_case *c = user;
    int64_t samples = c->window.columns * c->window.rows;
    memset(c->sums, 0, (size_t)samples * sizeof *c->sums);
    for (int k = 0; k < MANY; k++) {
        if (lf_viewshed_visible(c->ground, &c->def, &c->observers[k], c->window, c->seen, 0, NULL, NULL) !=
            LF_OK)
            bench_stop("a viewshed cannot be computed");
        for (int64_t i = 0; i < samples; i++)
            c->sums[i] += c->seen[i] == LF_VISIBILITY_VISIBLE;
    }
}

/// The same, each only where its range reaches.
static void run_cropped(void *user) {
    many_case *c = user;
    memset(c->sums, 0, (size_t)(c->window.columns * c->window.rows) * sizeof *c->sums);
    for (int k = 0; k < MANY; k++) {
        lf_window w = lf_viewshed_window(c->ground, &c->def, c->observers[k].at);
        if (lf_viewshed_visible(c->ground, &c->def, &c->observers[k], w, c->seen, 0, NULL, NULL) != LF_OK)
            bench_stop("a viewshed cannot be computed");
        for (int64_t i = 0; i < w.columns * w.rows; i++)
            c->sums[(w.row + i / w.columns) * c->window.columns + w.column + i % w.columns] +=
                c->seen[i] == LF_VISIBILITY_VISIBLE;
    }
}

void bench_many(bench_report *report) {
    bench_field field;
    bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, report->quick ? 1025 : 4097);
    int64_t side = field.samples;
    size_t samples = (size_t)(side * side);
    lf_grid *grid = bench_field_grid(&field);
    many_case *c = bench_take(1, sizeof *c);
    *c = (many_case){.ground = lf_grid_ground(grid),
                     .def = lf_viewshed_def_default(),
                     .window = {0, 0, side, side},
                     .counts = bench_take(samples, sizeof(uint32_t)),
                     .sums = bench_take(samples, sizeof(uint32_t)),
                     .seen = bench_take(samples, 1)};
    c->def.range_max = MANY_RANGE;
    c->def.rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    for (int k = 0; k < MANY; k++) { // a lattice that is turned against the samples
        double x = fmod(0.7548776662 * (k + 0.5), 1), y = fmod(0.5698402910 * (k + 0.5), 1);
        c->observers[k] = (lf_observer){
            {BENCH_SPACING * x * (double)(side - 1), BENCH_SPACING * y * (double)(side - 1)}, 10, false};
    }
    const bench_contestant contestants[] = {
        {"count", NULL, run_many, c}, {"singles", NULL, run_singles, c}, {"cropped", NULL, run_cropped, c}};
    bench_times times;
    bench_race(contestants, 3, report->rounds, true, &times);
    if (memcmp(c->counts, c->sums, samples * sizeof *c->counts) != 0)
        bench_stop("the counts are not the sums of single viewsheds");
    char title[160];
    snprintf(title, sizeof title, "%s, %lld samples a side, %d of 100,000 observers, range %g m", field.name,
             (long long)side, MANY, MANY_RANGE);
    const scale_row rows[] = {
        {"lf_viewshed_count", "per observer", "100,000 observers", times.seconds[0] / MANY, MANY_WANTED},
        {"single viewsheds, summed", NULL, NULL, times.seconds[1] / MANY, MANY_WANTED},
        {"each within its range", NULL, NULL, times.seconds[2] / MANY, MANY_WANTED}};
    scale_table(report, title, rows, 3);
    bench_bar(report, "many-to-single", times.seconds[1] / times.seconds[0], 5);
    free(c->counts);
    free(c->sums);
    free(c->seen);
    free(c);
    lf_grid_destroy(grid);
    bench_field_close(&field);
}

// ---- Places that cover most ----------------------------------------------------------------------

#define SITES 100
#define CANDIDATES 10000
#define SITE_RANGE 5000.0

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_sites(bench_report *report) {
    bench_field field;
    int64_t side = report->quick ? 513 : 2049, count,
            candidates = report->quick ? CANDIDATES / 20 : CANDIDATES;
    bench_field_landscape(&field, LF_LANDSCAPE_MOUNTAINS, side);
    lf_grid *grid = bench_field_grid(&field);
    lf_observer *places = bench_take((size_t)candidates, sizeof *places);
    lf_site sites[SITES];
    lf_site_stats stats;
    lf_site_def def = lf_site_def_default();
    lf_tasks tasks = lf_tasks_openmp(2);
    for (int64_t k = 0; k < candidates; k++) {
        double x = fmod(0.7548776662 * ((double)k + 0.5), 1), y = fmod(0.5698402910 * ((double)k + 0.5), 1);
        places[k] = (lf_observer){
            {BENCH_SPACING * x * (double)(side - 1), BENCH_SPACING * y * (double)(side - 1)}, 10, false};
    }
    def.view.range_max = SITE_RANGE;
    def.view.rules.curvature.coefficient = LF_CURVATURE_LIGHT;
    def.view.host.tasks = &tasks;
    def.candidates = places;
    def.candidate_count = candidates;
    def.most = SITES;
    double start = seconds_now();
    if (lf_site_choose(lf_grid_ground(grid), &def, sites, &count, &stats, NULL) != LF_OK || count == 0)
        bench_stop("no places can be chosen");
    printf("\n%s, %lld of %lld places, range %g m, two threads: %.1f s by the clock; %lld viewsheds, %lld "
           "gains evaluated (plain greedy "
           "search: %lld); %.1f %% covered, at least %.1f %% of the best choice; %.0f MB of viewsheds kept\n",
           field.name, (long long)count, (long long)candidates, SITE_RANGE, seconds_now() - start,
           (long long)stats.viewsheds, (long long)stats.gains,
           (long long)(count * candidates - count * (count - 1) / 2),
           100 * sites[count - 1].covered / stats.total, 100 * sites[count - 1].covered / stats.limit,
           (double)stats.bytes / 1e6);
    free(places);
    lf_grid_destroy(grid);
    bench_field_close(&field);
}
