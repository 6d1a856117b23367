/// Rays and lines of sight in a city against Embree, and what a group of a single grid costs.
#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rays_ours(void *user) {
    ray_case *r = user;
    for (int64_t i = 0; i < r->rays.count; i++)
        lf_ground_ray_first(r->ground, &r->rays.rays[i], &r->hits[i], NULL);
}

static void rays_ours_many(void *user) {
    ray_case *r = user;
    lf_ground_ray_first_many(r->ground, r->rays.rays, 0, r->rays.count, r->hits, 0, NULL);
}

static void rays_embree(void *user) {
    const ray_case *r = user;
    bench_embree_first(bench_embree_world_scene(r->c->embree), r->theirs, r->answers);
}

static void any_ours(void *user) {
    ray_case *r = user;
    for (int64_t i = 0; i < r->rays.count; i++)
        lf_ground_ray_any(r->ground, &r->rays.rays[i], &r->ours_blocked[i], NULL);
}

static void any_embree(void *user) {
    const ray_case *r = user;
    bench_embree_any(bench_embree_world_scene(r->c->embree), r->theirs, r->blocked);
}

static void sight_ours(void *user) {
    ray_case *r = user;
    lf_sight_rules rules = lf_sight_rules_default();
    for (int64_t i = 0; i < r->rays.count; i++) {
        lf_verdict verdict;
        lf_sight_verdict(r->ground, &rules, r->a[i], r->b[i], &verdict, NULL);
        r->verdicts[i] = (uint8_t)verdict;
    }
}

static void sight_ours_many(void *user) {
    ray_case *r = user;
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight_verdicts(r->ground, &rules, r->a, 0, r->b, 0, r->rays.count, r->verdicts, NULL);
}

void rays_open(ray_case *r, const city *c, int64_t count) {
    *r = (ray_case){.c = c, .ground = c->ground};
    r->rays = (bench_rays){bench_take((size_t)count, sizeof *r->rays.rays), count};
    r->hits = bench_take((size_t)count, sizeof *r->hits);
    r->answers = bench_take((size_t)count, sizeof *r->answers);
    r->blocked = bench_take((size_t)count, sizeof *r->blocked);
    r->ours_blocked = bench_take((size_t)count, sizeof *r->ours_blocked);
    r->verdicts = bench_take((size_t)count, 1);
    r->a = bench_take((size_t)count, sizeof *r->a);
    r->b = bench_take((size_t)count, sizeof *r->b);
}

void rays_close(ray_case *r) {
    bench_embree_rays_close(r->theirs);
    free(r->rays.rays);
    free(r->hits);
    free(r->answers);
    free(r->blocked);
    free(r->ours_blocked);
    free(r->verdicts);
    free(r->a);
    free(r->b);
}

static lf_vec3 rounded(lf_vec3 v) {
    return (lf_vec3){(double)(float)v.x, (double)(float)v.y, (double)(float)v.z};
}

void rays_aim(ray_case *r, bool pairs, bench_random *random) {
    const bench_field *f = &r->c->field;
    double side = bench_field_extent(f);
    for (int64_t i = 0; i < r->rays.count; i++) {
        double x = bench_random_between(random, 1600, side - 1600),
               y = bench_random_between(random, 1600, side - 1600);
        lf_vec3 from = rounded((lf_vec3){x, y, city_ground(f, x, y) + bench_random_between(random, 10, 60)});
        double angle = bench_random_between(random, 0, 6.28318),
               far = bench_random_between(random, 100, 1500);
        lf_vec3 d = {cos(angle), sin(angle), bench_random_between(random, -0.15, 0.05)};
        r->rays.rays[i] = (lf_ray){from, rounded(d), 0, LF_INFINITY};
        if (!pairs)
            continue;
        double tx = x + far * d.x, ty = y + far * d.y;
        lf_vec3 to =
            rounded((lf_vec3){tx, ty, city_ground(f, tx, ty) + bench_random_between(random, 10, 60)});
        r->a[i] = from, r->b[i] = to;
        r->rays.rays[i] = lf_ray_between(from, to);
        r->rays.rays[i].direction = rounded(r->rays.rays[i].direction);
        r->b[i] = lf_vec3_add(from, r->rays.rays[i].direction);
    }
    r->theirs = bench_embree_rays_make(&r->rays);
}

static double differing_rays(ray_case *r) {
    int64_t differ = 0;
    rays_ours(r);
    rays_embree(r);
    for (int64_t i = 0; i < r->rays.count; i++) {
        bool ours = r->hits[i].kind != LF_HIT_NONE, theirs = r->answers[i].item >= 0;
        differ += ours != theirs ||
                  (ours && fabs(r->hits[i].t - (double)r->answers[i].t) > 0.01 + 1e-5 * r->hits[i].t);
    }
    return (double)differ / (double)r->rays.count;
}

static double differing_sights(ray_case *r) {
    int64_t differ = 0;
    sight_ours_many(r);
    any_embree(r);
    for (int64_t i = 0; i < r->rays.count; i++)
        differ += (r->verdicts[i] == LF_VERDICT_BLOCKED) != r->blocked[i];
    return (double)differ / (double)r->rays.count;
}

/// Nodes and cells of all structures that one pass visits.
static lf_counters work_of(const ray_case *r, int kind) {
    lf_cursor *cursor;
    lf_sight_rules rules = lf_sight_rules_default();
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        bench_stop("no memory");
    for (int64_t i = 0; i < r->rays.count; i++) {
        lf_verdict verdict;
        bool blocked;
        if (kind == 0)
            lf_ground_ray_first(r->ground, &r->rays.rays[i], &r->hits[i], cursor);
        else if (kind == 1)
            lf_ground_ray_any(r->ground, &r->rays.rays[i], &blocked, cursor);
        else
            lf_sight_verdict(r->ground, &rules, r->a[i], r->b[i], &verdict, cursor);
    }
    lf_counters work = lf_cursor_counters(cursor);
    lf_cursor_destroy(cursor);
    return work;
}

void world_race_rays(const city *c, bench_report *report) {
    static const char *const heads[] = {"question", "landfall ns", "batch ns", "Embree ns", "ratio",
                                        "batch",    "differ",      "nodes",    "parts",     NULL};
    bench_random random = {5};
    bench_table table;
    ray_case r;
    int64_t count = report->quick ? 20000 : 100000;
    bench_table_start(&table, "a city: rays and lines of sight", heads);
    for (int kind = 0; kind < 3; kind++) {
        static const char *const names[] = {"first hit", "any hit", "line of sight"};
        if (!bench_wanted(report, names[kind]))
            continue;
        rays_open(&r, c, count);
        rays_aim(&r, kind == 2, &random);
        double differ = kind == 2 ? differing_sights(&r) : differing_rays(&r);
        bench_contestant who[3] = {{"landfall", NULL,
                                    kind == 0   ? rays_ours
                                    : kind == 1 ? any_ours
                                                : sight_ours,
                                    &r},
                                   {"batch", NULL,
                                    kind == 0   ? rays_ours_many
                                    : kind == 1 ? any_ours
                                                : sight_ours_many,
                                    &r},
                                   {bench_embree_name(), NULL, kind == 0 ? rays_embree : any_embree, &r}};
        bench_times times;
        bench_race(who, 3, report->rounds, true, &times);
        double each = 1e9 / (double)count, batch = times.seconds[2] / times.seconds[1];
        bench_table_row(&table);
        bench_table_cell(&table, "%s", names[kind]);
        bench_table_cell(&table, "%.0f", times.seconds[0] * each);
        bench_table_cell(&table, "%.0f", times.seconds[1] * each);
        bench_table_cell(&table, "%.0f", times.seconds[2] * each);
        bench_table_cell(&table, "%.2f", times.ratio[2]);
        bench_table_cell(&table, "%.2f", batch);
        bench_table_cell(&table, "%.4f", differ);
        lf_counters work = work_of(&r, kind);
        bench_table_cell(&table, "%.1f", (double)work.nodes / (double)count);
        bench_table_cell(&table, "%.1f", (double)work.cells / (double)count);
        if (kind == 0)
            bench_bar(report, "rays in a city / Embree", times.ratio[2], 1.5);
        if (kind == 2) {
            bench_bar(report, "lines of sight in a city / Embree", times.ratio[2], 1.5);
            bench_bar(report, "the same as a batch / Embree", batch, 2);
        }
        if (differ > 0.01)
            bench_stop("%s: %.1f %% of the answers differ", names[kind], 100 * differ);
        rays_close(&r);
    }
    bench_table_end(&table, report);
}

void world_race_single(const city *c, bench_report *report) {
    static const char *const heads[] = {"question", "grid ns", "group of it ns", "cost", NULL};
    bench_random random = {23};
    bench_table table;
    int64_t count = report->quick ? 20000 : 100000;
    ray_case alone, grouped;
    rays_open(&alone, c, count);
    rays_open(&grouped, c, count);
    rays_aim(&alone, false, &random);
    random.state = 23;
    rays_aim(&grouped, false, &random);
    alone.ground = lf_grid_ground(c->grid);
    grouped.ground = lf_group_ground(c->single);
    bench_contestant who[2] = {{"grid", NULL, rays_ours, &alone}, {"group", NULL, rays_ours, &grouped}};
    bench_times times;
    bench_race(who, 2, report->rounds, true, &times);
    if (memcmp(alone.hits, grouped.hits, (size_t)count * sizeof *alone.hits) != 0)
        bench_stop("a group of one grid differs from the grid");
    bench_table_start(&table, "a group of one grid", heads);
    bench_table_row(&table);
    bench_table_cell(&table, "first hit");
    bench_table_cell(&table, "%.0f", times.seconds[0] * 1e9 / (double)count);
    bench_table_cell(&table, "%.0f", times.seconds[1] * 1e9 / (double)count);
    bench_table_cell(&table, "%.3f", times.ratio[1]);
    bench_table_end(&table, report);
    bench_bar(report, "a grid / a group of it", 1 / times.ratio[1], 1 / 1.1);
    rays_close(&alone);
    rays_close(&grouped);
}
