/// The table of the paper on heightmaps (Sjostrand 2017, table 4.1): a ray in the worst place, by the paper's methods, by ours.
///
/// The worst ray runs along the whole diagonal and enters the box of every leaf on its way, without meeting the ground before
/// the last one. The map is made for it: a valley along the diagonal whose sides rise above the ray within each leaf, and
/// a wall across its very end. That exactly the leaves of the diagonal are entered is counted, and the benchmark stops when
/// they are not.
#include "grid-table.h"

#include <stdlib.h>

enum { LEAF = 32 };

/// What the paper reports: times of all triangles divided by times of the method.
typedef struct published {
    int32_t samples;
    double quadtree, walk;
} published;

static const published rows[] = {
    {1024, 11.9, 743.2}, {2048, 21.8, 1317.9}, {4096, 43.6, 2298.5}, {8192, 83.0, 3966.0}};
enum { ROWS = sizeof rows / sizeof *rows };

static void make_map(lf__sjostrand_map *map, int32_t samples) {
    map->samples = samples;
    map->heights = bench_take((size_t)samples * (size_t)samples, sizeof *map->heights);
    bench_random random = {1};
    for (int32_t row = 0; row < samples; row++)
        for (int32_t column = 0; column < samples; column++) {
            int32_t aside = abs(column - row);
            double side = aside <= 2 ? 0.0 : aside < 32 ? 10.0 * (aside - 2) : 300.0;
            double height = side + bench_random_between(&random, 0.0, 8.0);
            if (column >= samples - 2 && row >= samples - 2)
                height = 200.0;
            map->heights[(int64_t)row * samples + column] = (float)height;
        }
}

/// From outside the first corner to beyond the last, 120 m high there and 60 m here.
static lf_ray worst_ray(int32_t samples) {
    lf_vec3 origin = {-1.0, -1.0, 120.0}, direction = {1.0, 1.0, -60.0 / samples};
    return lf_ray_towards(origin, direction);
}

static void run_all(void *user) {
    table_asker *asker = user;
    for (int i = 0; i < asker->repeats; i++)
        asker->answer = lf__sjostrand_all(asker->map, &asker->ray);
}

static void run_quadtree(void *user) {
    table_asker *asker = user;
    for (int i = 0; i < asker->repeats; i++)
        asker->answer = lf__sjostrand_leaves(asker->tree, &asker->ray);
}

static void run_samples(void *user) {
    table_asker *asker = user;
    for (int i = 0; i < asker->repeats; i++)
        asker->answer = lf__sjostrand_walk_samples(asker->tree, &asker->ray, false);
}

static void run_skipping(void *user) {
    table_asker *asker = user;
    for (int i = 0; i < asker->repeats; i++)
        asker->answer = lf__sjostrand_walk_samples(asker->tree, &asker->ray, true);
}

static void run_cells(void *user) {
    table_asker *asker = user;
    for (int i = 0; i < asker->repeats; i++)
        asker->answer = lf__sjostrand_walk_cells(asker->tree, &asker->ray);
}

/// The methods, slowest first; how often each answers in one pass at 1024 samples, so that no pass is too short for the clock.
static const struct {
    const char *name;
    void (*run)(void *user);
    int repeats;
} methods[METHODS] = {[ALL] = {"all triangles", run_all, 1},
                      [QUADTREE] = {"quadtree only", run_quadtree, 8},
                      [SAMPLES] = {"line walk, samples", run_samples, 512},
                      [SKIPPING] = {"samples, skipping", run_skipping, 512},
                      [CELLS] = {"line walk, cells", run_cells, 1024},
                      [OURS_LEAF] = {"landfall, leaf 32", table_run_ours, 4096},
                      [OURS] = {"landfall", table_run_ours, 4096}};

/// Every method must have found the wall at the end; those with a quadtree by way of every leaf on the diagonal, no others.
static void check_answers(const table_asker askers[METHODS], int32_t samples) {
    const lf__sjostrand_answer *truth = &askers[ALL].answer;
    double end = samples - 3.0;
    if (!truth->hit || truth->t < end)
        bench_stop("%d samples: the ray should meet the wall at its end, and meets t = %.17g", (int)samples,
                   truth->t);
    for (int i = 0; i < METHODS; i++) {
        const lf__sjostrand_answer *answer = &askers[i].answer;
        if (answer->hit != truth->hit || fabs(answer->t - truth->t) > 1e-9 * truth->t)
            bench_stop("%d samples, %s: t = %.17g, but all triangles say %.17g", (int)samples,
                       methods[i].name, answer->t, truth->t);
        if (i >= QUADTREE && i <= CELLS && answer->leaves != samples / LEAF)
            bench_stop("%d samples, %s: the ray enters %lld leaves, not the %d of the diagonal", (int)samples,
                       methods[i].name, (long long)answer->leaves, (int)(samples / LEAF));
    }
}

lf_ray table_any_ray(bench_random *random, int32_t samples) {
    lf_vec3 from = {bench_random_between(random, -50.0, samples + 50.0),
                    bench_random_between(random, -50.0, samples + 50.0),
                    bench_random_between(random, 320.0, 600.0)};
    lf_vec3 to = {bench_random_between(random, 0.0, samples - 1.0),
                  bench_random_between(random, 0.0, samples - 1.0), -1.0};
    return lf_ray_between(from, to);
}

/// The methods are no good as a measure when they only work along the diagonal: all must agree on other rays too.
static void check_other_rays(table_asker askers[METHODS], int32_t samples, int rays) {
    bench_random random = {9};
    for (int k = 0; k < rays; k++) {
        lf_ray ray = table_any_ray(&random, samples);
        double truth = 0.0;
        for (int i = 0; i < METHODS; i++) {
            table_asker asker = askers[i];
            asker.ray = ray;
            asker.repeats = 1;
            methods[i].run(&asker);
            truth = i == ALL ? asker.answer.t : truth;
            if (fabs(asker.answer.t - truth) > 1e-9)
                bench_stop("%s: t = %.17g on ray %d, but all triangles say %.17g", methods[i].name,
                           asker.answer.t, k, truth);
        }
    }
}

static double speedups[METHODS][ROWS];

/// Table 4.1 as a figure, with what was published.
static void draw_speedups(const bench_report *report, int count) {
    static const char *const series[] = {"quadtree only", "the paper's walk of samples", "walk of cells",
                                         "landfall",      "published: quadtree",         "published: walk"};
    double at[ROWS], paper[2][ROWS];
    for (int i = 0; i < count; i++) {
        at[i] = rows[i].samples;
        paper[0][i] = rows[i].quadtree;
        paper[1][i] = rows[i].walk;
    }
    bench_figure figure = {.name = "table-4.1",
                           .title = "Table 4.1: times faster than testing all triangles",
                           .x = "samples along a side",
                           .y = "times faster",
                           .series = series,
                           .series_count = 6,
                           .at = at,
                           .count = count,
                           .values = {speedups[QUADTREE], speedups[SAMPLES], speedups[CELLS], speedups[OURS],
                                      paper[0], paper[1]},
                           .log_x = true,
                           .log_y = true};
    if (count > 1)
        bench_figure_draw(&figure, report);
}

static void add_rows(bench_table *table, const published *paper, const table_asker askers[METHODS],
                     const double seconds[METHODS]) {
    for (int i = 0; i < METHODS; i++) {
        const lf__sjostrand_answer *answer = &askers[i].answer;
        bench_table_row(table);
        bench_table_cell(table, "%d, %s", (int)paper->samples, methods[i].name);
        bench_table_cell(table, "%.3f", 1e6 * seconds[i]);
        bench_table_cell(table, "%.1f", seconds[ALL] / seconds[i]);
        double reported = i == ALL ? 1.0 : i == QUADTREE ? paper->quadtree : i == SAMPLES ? paper->walk : 0.0;
        bench_table_cell(table, reported > 0.0 ? "%.1f" : " ", reported);
        bench_table_cell(table, "%lld", (long long)answer->triangles);
        bench_table_cell(table, "%lld", (long long)answer->nodes);
        bench_table_cell(table, "%lld", (long long)answer->leaves);
    }
}

static void bench_size(const published *paper, bench_table *table, bench_report *report) {
    lf__sjostrand_map map;
    lf__sjostrand_tree tree;
    make_map(&map, paper->samples);
    if (lf__sjostrand_open(&tree, &map, LEAF) != LF_OK)
        bench_stop("out of memory");
    table_asker askers[METHODS];
    bench_contestant contestants[METHODS];
    for (int i = 0; i < METHODS; i++) {
        int repeats = methods[i].repeats * rows[0].samples / paper->samples;
        table_asker asker = {&map, &tree, NULL, NULL, worst_ray(paper->samples), repeats > 1 ? repeats : 1,
                             {0}};
        askers[i] = asker;
        bench_contestant contestant = {methods[i].name, NULL, methods[i].run, &askers[i]};
        contestants[i] = contestant;
    }
    table_open_ours(&askers[OURS_LEAF], LEAF);
    table_open_ours(&askers[OURS], 0);
    bench_times times;
    bench_race(contestants, METHODS, report->rounds, true, &times);
    table_count_ours(&askers[OURS_LEAF]);
    table_count_ours(&askers[OURS]);
    check_answers(askers, paper->samples);
    if (paper == rows)
        check_other_rays(askers, paper->samples, 64);
    if (paper == rows)
        table_skipped(report, &tree);
    if (paper->samples == 8192)
        table_nodes(report, &map);
    double seconds[METHODS];
    for (int i = 0; i < METHODS; i++) {
        seconds[i] = times.seconds[i] / askers[i].repeats;
        speedups[i][paper - rows] = times.seconds[ALL] / askers[ALL].repeats / seconds[i];
    }
    add_rows(table, paper, askers, seconds);
    char name[64];
    snprintf(name, sizeof name, "grid-table-walk-%d", (int)paper->samples);
    bench_bar(report, name, seconds[ALL] / seconds[CELLS], paper->walk);
    snprintf(name, sizeof name, "grid-table-landfall-%d", (int)paper->samples);
    bench_bar(report, name, seconds[ALL] / seconds[OURS], seconds[ALL] / seconds[CELLS]);
    snprintf(name, sizeof name, "grid-table-landfall-published-%d", (int)paper->samples);
    bench_bar(report, name, seconds[ALL] / seconds[OURS], paper->walk);
    table_close_ours(&askers[OURS]);
    table_close_ours(&askers[OURS_LEAF]);
    lf__sjostrand_close(&tree);
    free(map.heights);
}

int main(int argc, char **argv) {
    static const char *const heads[] = {"samples a side, method", "microseconds", "times faster", "published",
                                        "triangles tested",       "nodes",        "leaves",       NULL};
    bench_report report;
    bench_report_start(&report, argc, argv,
                       "The worst ray over a heightmap by the published methods, and by landfall.");
    printf("landfall %s (%s)\n%s\none thread, processor time, medians of %d rounds in turns\n", lf_version(),
           lf_isa_name(lf_isa_best()), bench_machine(), report.rounds);
    bench_table *table = bench_take(1, sizeof *table);
    bench_table_start(
        table, "Table 4.1: a ray along the whole diagonal, leaves of 32 x 32, all triangles = 1", heads);
    for (int i = 0; i < (report.quick ? 1 : ROWS); i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", (int)rows[i].samples);
        if (bench_wanted(&report, name))
            bench_size(&rows[i], table, &report);
    }
    bench_table_end(table, &report);
    if (report.quick)
        table_nodes(&report, NULL);
    else if (!report.only)
        draw_speedups(&report, ROWS);
    free(table);
    return bench_report_end(&report);
}
