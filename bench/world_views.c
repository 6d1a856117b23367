/// Viewsheds of a city against one ray of Embree per target.
#include "world.h"

#include <math.h>
#include <stdlib.h>

typedef struct view_case {
    const city *c;
    const lf_ground *ground;
    lf_viewshed_def def;
    lf_observer observer;
    lf_window window;
    uint8_t *seen;
    lf_viewshed_stats stats;
    bench_rays rays;
    bench_embree_rays *theirs;
    bool *blocked;
} view_case;

static void view_ours(void *user) {
    view_case *v = user;
    if (lf_viewshed_visible(v->ground, &v->def, &v->observer, v->window, v->seen, 0, &v->stats, NULL) !=
        LF_OK)
        bench_stop("no viewshed");
}

static void view_embree(void *user) {
    const view_case *v = user;
    bench_embree_any(bench_embree_world_scene(v->c->embree), v->theirs, v->blocked);
}

/// A ray from the observer to each target, less the last centimetres, where it would meet what the target stands on.
static void aim_at_targets(view_case *v) {
    const bench_field *f = &v->c->field;
    lf_vec3 eye;
    lf_reason reason;
    lf_sight_observer(v->ground, v->observer.at, v->observer.height, &eye, &reason);
    v->rays = (bench_rays){bench_take((size_t)(f->samples * f->samples), sizeof *v->rays.rays),
                           f->samples * f->samples};
    v->blocked = bench_take((size_t)v->rays.count, sizeof *v->blocked);
    for (int64_t k = 0; k < v->rays.count; k++) {
        lf_vec3 to = {BENCH_SPACING * (double)(k % f->samples), BENCH_SPACING * (double)(k / f->samples), 0};
        lf_hit hit;
        to.z = (double)f->heights[k] + v->def.target;
        lf_ground_height(v->ground, (lf_vec3){to.x, to.y, LF_INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
        if (v->def.target_on == LF_TARGET_TOP)
            to.z = fmax(to.z, hit.point.z + v->def.target);
        lf_ray ray = lf_ray_between(eye, to);
        double length = lf_vec3_length(ray.direction);
        ray.t_max = length > 0.1 ? 1 - 0.05 / length : 0;
        v->rays.rays[k] = ray;
    }
    v->theirs = bench_embree_rays_make(&v->rays);
}

static double differing_targets(const view_case *v) {
    int64_t differ = 0;
    for (int64_t k = 0; k < v->rays.count; k++)
        differ += (v->seen[k] == LF_VISIBILITY_HIDDEN) != v->blocked[k];
    return (double)differ / (double)v->rays.count;
}

/// The highest sample, or one in the middle of the slopes.
static lf_vec2 observer_place(const city *c, bool peak) {
    int64_t n = c->field.samples, best = n / 2 * n + n / 2;
    for (int64_t k = 0; k < n * n && peak; k++)
        best = c->field.heights[k] > c->field.heights[best] ? k : best;
    return (lf_vec2){BENCH_SPACING * (double)(best % n) + 3, BENCH_SPACING * (double)(best / n) + 5};
}

void world_race_viewsheds(const city *c, bench_report *report) {
    static const char *const heads[] = {"observer",     "targets",   "landfall ms", "grid ms",
                                        "obstacles ms", "Embree ms", "ratio",       "of the two",
                                        "visible",      "differ",    NULL};
    static const struct {
        const char *name;
        bool peak;
        double height;
        lf_target_on on;
    } cases[] = {{"street", false, 2, LF_TARGET_TOP},
                 {"tower", false, 60, LF_TARGET_TOP},
                 {"peak", true, 10, LF_TARGET_TOP},
                 {"peak", true, 10, LF_TARGET_GROUND}};
    bench_table table;
    double least = LF_INFINITY, most = 0;
    bench_table_start(&table, "a city: viewsheds", heads);
    for (int k = 0; k < 4; k++) {
        int64_t samples = c->field.samples;
        view_case world = {.c = c,
                           .ground = c->ground,
                           .def = lf_viewshed_def_default(),
                           .window = {0, 0, samples, samples},
                           .observer = {observer_place(c, cases[k].peak), cases[k].height, false}};
        world.def.target = 1.7;
        world.def.target_on = cases[k].on;
        world.seen = bench_take((size_t)(samples * samples), 1);
        aim_at_targets(&world);
        view_case grid = world, obstacles = world;
        lf_vec3 eye;
        lf_reason reason;
        lf_sight_observer(c->ground, world.observer.at, world.observer.height, &eye, &reason);
        grid.ground = lf_grid_ground(c->grid);
        grid.observer = (lf_observer){world.observer.at, eye.z, true};
        obstacles.def.rules.layers = 2;
        grid.seen = bench_take((size_t)(samples * samples), 1);
        obstacles.seen = bench_take((size_t)(samples * samples), 1);
        bench_contestant who[4] = {{"landfall", NULL, view_ours, &world},
                                   {"grid", NULL, view_ours, &grid},
                                   {"obstacles", NULL, view_ours, &obstacles},
                                   {bench_embree_name(), NULL, view_embree, &world}};
        bench_times times;
        bench_race(who, 4, report->rounds, true, &times);
        double differ = differing_targets(&world), both = 2.5 * times.seconds[1] + times.seconds[2];
        least = fmin(least, times.ratio[3]);
        most = fmax(most, times.seconds[0] / both);
        bench_table_row(&table);
        bench_table_cell(&table, "%s", cases[k].name);
        bench_table_cell(&table, "%s", cases[k].on == LF_TARGET_TOP ? "top" : "ground");
        for (int i = 0; i < 4; i++)
            bench_table_cell(&table, "%.1f", 1e3 * times.seconds[i]);
        bench_table_cell(&table, "%.1f", times.ratio[3]);
        bench_table_cell(&table, "%.2f", times.seconds[0] / both);
        bench_table_cell(&table, "%.3f",
                         (double)world.stats.counts[LF_VISIBILITY_VISIBLE] / (double)(samples * samples));
        bench_table_cell(&table, "%.4f", differ);
        if (differ > 0.02)
            bench_stop("viewshed %s: %.1f %% of the answers differ", cases[k].name, 100 * differ);
        bench_embree_rays_close(world.theirs);
        free(world.rays.rays);
        free(world.blocked);
        free(world.seen);
        free(grid.seen);
        free(obstacles.seen);
    }
    bench_table_end(&table, report);
    bench_bar(report, "viewsheds of a city / Embree", least, 10);
    bench_bar(report, "2.5 x bare grid + obstacles only / viewsheds of a city", 1 / most, 1);
}
