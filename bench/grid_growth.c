/// Growth: what a random ray, line of sight and height take on 64 times the samples, of the same ground.
#include "grid.h"

#include <landfall/sight.h>
#include <math.h>
#include <stdlib.h>

enum { GROWTH_RAY, GROWTH_RAYS, GROWTH_SIGHT, GROWTH_SIGHTS, GROWTH_HEIGHT, GROWTH_HEIGHTS, GROWTH_KINDS };

static const char *const growth_names[GROWTH_KINDS] = {
    "ray", "ray, batch", "line of sight", "line of sight, batch", "height", "height, batch"};

/// Questions of each kind; a batch is all of them. So many that what they read does not stay in the second cache.
#define GROWTH_COUNT ((int64_t)1 << 19)

typedef struct growth_asker {
    bench_field field;
    lf_grid *grid;
    const lf_ground *ground;
    bench_rays rays;
    lf_vec3 *from, *to; ///< ends of lines of sight; the first ones are also the places of heights
    lf_hit *hits;
    double *heights;
    uint8_t *verdicts;
    lf_sight_rules rules;
} growth_asker;

static void ask_ray(void *user) {
    growth_asker *a = user;
    for (int64_t i = 0; i < a->rays.count; i++)
        lf_ground_ray_first(a->ground, &a->rays.rays[i], &a->hits[i], NULL);
}

static void ask_rays(void *user) {
    growth_asker *a = user;
    lf_ground_ray_first_many(a->ground, a->rays.rays, 0, a->rays.count, a->hits, 0, NULL);
}

static void ask_sight(void *user) {
    growth_asker *a = user;
    for (int64_t i = 0; i < GROWTH_COUNT; i++) {
        lf_verdict verdict;
        lf_sight_verdict(a->ground, &a->rules, a->from[i], a->to[i], &verdict, NULL);
        a->verdicts[i] = (uint8_t)verdict;
    }
}

static void ask_sights(void *user) {
    growth_asker *a = user;
    lf_sight_verdicts(a->ground, &a->rules, a->from, 0, a->to, 0, GROWTH_COUNT, a->verdicts, NULL);
}

static void ask_height(void *user) {
    growth_asker *a = user;
    for (int64_t i = 0; i < GROWTH_COUNT; i++)
        lf_ground_height(a->ground, a->from[i], LF_VERTICAL_DOWN, &a->hits[i], NULL);
}

static void ask_heights(void *user) {
    growth_asker *a = user;
    lf_ground_heights_many(a->ground, a->from, 0, GROWTH_COUNT, LF_VERTICAL_DOWN, a->heights, 0, NULL);
}

static void growth_open(growth_asker *a, int64_t samples) {
    bench_field_landscape(&a->field, LF_LANDSCAPE_MOUNTAINS, samples);
    a->grid = bench_field_grid(&a->field);
    a->ground = lf_grid_ground(a->grid);
    a->rules = lf_sight_rules_default();
    bench_field_rays(&a->field, BENCH_RANDOM, GROWTH_COUNT, &a->rays);
    a->from = bench_take((size_t)GROWTH_COUNT, sizeof *a->from);
    a->to = bench_take((size_t)GROWTH_COUNT, sizeof *a->to);
    a->hits = bench_take((size_t)GROWTH_COUNT, sizeof *a->hits);
    a->heights = bench_take((size_t)GROWTH_COUNT, sizeof *a->heights);
    a->verdicts = bench_take((size_t)GROWTH_COUNT, sizeof *a->verdicts);
    bench_random random = {5};
    double most = bench_field_extent(&a->field) * (1.0 - 1e-6);
    for (int64_t i = 0; i < 2 * GROWTH_COUNT; i++) {
        lf_vec3 *point = i % 2 ? &a->to[i / 2] : &a->from[i / 2];
        double height;
        *point = (lf_vec3){bench_random_between(&random, 0.0, most), bench_random_between(&random, 0.0, most),
                           a->field.high + 1};
        lf_ground_heights_many(a->ground, point, 0, 1, LF_VERTICAL_DOWN, &height, 0, NULL);
        point->z = height + 2;
    }
}

static void growth_close(growth_asker *a) {
    free(a->verdicts);
    free(a->heights);
    free(a->hits);
    free(a->to);
    free(a->from);
    bench_rays_close(&a->rays);
    lf_grid_destroy(a->grid);
    bench_field_close(&a->field);
}

void grid_ask_growth(const int64_t samples[2], bench_report *report) {
    static void (*const runs[GROWTH_KINDS])(void *) = {ask_ray,    ask_rays,   ask_sight,
                                                       ask_sights, ask_height, ask_heights};
    static const char *const heads[] = {"question", "ns, small", "ns, large", "growth", NULL};
    growth_asker askers[2] = {0};
    bench_table *table = bench_take(1, sizeof *table);
    char title[160];
    for (int k = 0; k < 2; k++)
        growth_open(&askers[k], samples[k]);
    snprintf(title, sizeof title, "growth from %lld to %lld samples a side", (long long)samples[0],
             (long long)samples[1]);
    bench_table_start(table, title, heads);
    for (int kind = 0; kind < GROWTH_KINDS; kind++) {
        const bench_contestant sizes[2] = {{"small", NULL, runs[kind], &askers[0]},
                                           {"large", NULL, runs[kind], &askers[1]}};
        bench_times times;
        char name[96];
        bench_race(sizes, 2, report->rounds, true, &times);
        bench_table_row(table);
        bench_table_cell(table, "%s", growth_names[kind]);
        for (int k = 0; k < 2; k++)
            bench_table_cell(table, "%.1f", 1e9 * times.seconds[k] / (double)GROWTH_COUNT);
        bench_table_cell(table, "%.2f", times.ratio[1]);
        snprintf(name, sizeof name, "grid growth at most 2, %s", growth_names[kind]);
        bench_bar(report, name, 2 / times.ratio[1], 1.0);
    }
    bench_table_end(table, report);
    free(table);
    for (int k = 0; k < 2; k++)
        growth_close(&askers[k]);
}
