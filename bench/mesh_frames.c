/// The uses of the quadtree that its paper names beside heights: other directions of gravity, parts that move, locales, shadows. Against
/// the box tree, which knows no direction, and Embree.
#include "mesh.h"

#include <math.h>
#include <stdlib.h>

/// Lines that all run one way, along a frame's gravity or towards a light; each asked of everybody.
typedef struct frame_case {
    const char *terrain, *name;
    const lf_ground *ours, *quadtree;
    const lf_shadow *shadow; ///< in place of `ours`
    const lf_ground *tree;   ///< the box tree by rays
    bench_embree *embree;
    bench_embree_rays *rays;
    const lf_ray *lines;
    const lf_vec3 *points;
    int64_t count;
    bench_answer *answers[2]; ///< ours, Embree's
    int64_t met[3];           ///< ours, quadtree, box tree
    bool *blocked;
} frame_case;

static void ask_ours(void *user) {
    frame_case *c = user;
    c->met[0] = 0;
    for (int64_t i = 0; i < c->count; i++) {
        lf_hit hit;
        bool lit = false;
        if (c->shadow)
            lf_shadow_at(c->shadow, c->points[i], &lit, &hit, NULL);
        else
            lf_ground_height(c->ours, c->points[i], LF_VERTICAL_DOWN, &hit, NULL);
        c->answers[0][i] = (bench_answer){hit.t, hit.kind == LF_HIT_NONE ? -1 : hit.element};
        c->met[0] += hit.kind != LF_HIT_NONE;
    }
}

static void ask_quadtree(void *user) {
    frame_case *c = user;
    c->met[1] = 0;
    for (int64_t i = 0; i < c->count; i++) {
        lf_hit hit;
        lf_ground_height(c->quadtree, c->points[i], LF_VERTICAL_DOWN, &hit, NULL);
        c->met[1] += hit.kind != LF_HIT_NONE;
    }
}

static void ask_tree(void *user) {
    frame_case *c = user;
    c->met[2] = 0;
    for (int64_t i = 0; i < c->count; i++) {
        lf_hit hit;
        lf_ground_ray_first(c->tree, &c->lines[i], &hit, NULL);
        c->met[2] += hit.kind != LF_HIT_NONE;
    }
}

static void ask_embree(void *user) {
    frame_case *c = user;
    if (c->shadow)
        bench_embree_any(c->embree, c->rays, c->blocked);
    else
        bench_embree_first(c->embree, c->rays, c->answers[1]);
}

static void frame_row(bench_report *report, frame_case *c, bench_table *table, double work[2]) {
    const bench_contestant all[] = {{"landfall", NULL, ask_ours, c},
                                    {"box tree", NULL, ask_tree, c},
                                    {"Embree", NULL, ask_embree, c},
                                    {"quadtree", NULL, ask_quadtree, c}};
    bench_times times;
    bench_race(all, c->quadtree ? 4 : 3, report->rounds, true, &times);
    int64_t differ = 0;
    for (int64_t i = 0; i < c->count; i++)
        differ += (c->answers[0][i].item >= 0) != (c->shadow ? c->blocked[i] : c->answers[1][i].item >= 0);
    bench_table_row(table);
    bench_table_cell(table, "%s", c->name);
    for (int k = 0; k < 3; k++)
        bench_table_cell(table, "%.1f", 1e9 * times.seconds[k] / (double)c->count);
    if (c->quadtree)
        bench_table_cell(table, "%.1f", 1e9 * times.seconds[3] / (double)c->count);
    else
        bench_table_cell(table, "-");
    bench_table_cell(table, "%.2f", times.ratio[1]);
    bench_table_cell(table, "%.2f", times.ratio[2]);
    bench_table_cell(table, "%.2f + %.1f", work[0], work[1]);
    bench_table_cell(table, "%.0f %%", 100.0 * (double)c->met[0] / (double)c->count);
    bench_table_cell(table, "%lld", (long long)differ);
    char name[64];
    snprintf(name, sizeof name, "mesh-%s-frame-%s-box-tree", c->terrain, c->name);
    bench_bar(report, name, times.ratio[1], 1.5);
    if (50 * differ > c->count)
        bench_stop("%s: %lld answers differ from Embree's", c->name, (long long)differ);
}

/// Cells and triangles per question.
static void count_work(frame_case *c, double work[2]) {
    lf_cursor *cursor;
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        bench_stop("no memory");
    for (int64_t i = 0; i < c->count; i++) {
        lf_hit hit;
        bool lit;
        if (c->shadow)
            lf_shadow_at(c->shadow, c->points[i], &lit, &hit, cursor);
        else
            lf_ground_height(c->ours, c->points[i], LF_VERTICAL_DOWN, &hit, cursor);
    }
    lf_counters cost = lf_cursor_counters(cursor);
    work[0] = (double)(cost.cells + cost.nodes) / (double)c->count;
    work[1] = (double)cost.triangles / (double)c->count;
    lf_cursor_destroy(cursor);
}

static float single(double x) {
    return (float)x;
}

/// Points over the ground, so far up along each frame's gravity, and the lines from there. What both see are floats.
static void make_lines(const mesh_rivals *rivals, const lf_frame *frame, int64_t count, double up,
                       lf_vec3 *points, lf_ray *lines) {
    bench_random random = {21};
    lf_box box = rivals->terrain.box;
    for (int64_t i = 0; i < count; i++) {
        lf_hit hit;
        do { // over ground
            points[i] = (lf_vec3){bench_random_between(&random, box.low.x, box.high.x),
                                  bench_random_between(&random, box.low.y, box.high.y), rivals->start};
            lf_ground_height(rivals->ground[NEST], points[i], LF_VERTICAL_DOWN, &hit, NULL);
        } while (hit.kind == LF_HIT_NONE);
        points[i] = lf_vec3_along(hit.point, -up, lf_frame_down(frame, hit.point));
        points[i] =
            (lf_vec3){(double)single(points[i].x), (double)single(points[i].y), (double)single(points[i].z)};
        lf_vec3 down = lf_frame_down(frame, points[i]);
        lines[i] = lf_ray_towards(
            points[i], (lf_vec3){(double)single(down.x), (double)single(down.y), (double)single(down.z)});
        if (frame->kind == LF_FRAME_CENTRE)
            lines[i].t_max = (double)single(0.999 * lf_vec3_length(lf_vec3_sub(frame->origin, points[i])));
    }
}

static lf_mesh *mesh_in(const mesh_rivals *rivals, const lf_frame *frame, bool quadtree) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh;
    def.polygons = rivals->polygons;
    def.frame = *frame;
    def.index = quadtree ? lf_quadtree_index() : NULL;
    if (lf_mesh_create(&def, &mesh, NULL) != LF_OK)
        bench_stop("a mesh with another gravity cannot be made");
    return mesh;
}

static void one_frame(const mesh_rivals *rivals, bench_report *report, const char *name,
                      const lf_frame *frame, const lf_light *light, bench_table *table) {
    int64_t count = report->quick ? 2000 : 100000;
    lf_vec3 *points = bench_take((size_t)count, sizeof *points);
    bench_rays rays = {bench_take((size_t)count, sizeof(lf_ray)), count};
    lf_mesh *mesh = mesh_in(rivals, frame, false), *quadtree = mesh_in(rivals, frame, true);
    lf_shadow *shadow = NULL;
    lf_shadow_def def = lf_shadow_def_default();
    double work[2];
    def.polygons = rivals->polygons;
    if (light) {
        def.light = *light;
        if (lf_shadow_create(&def, &shadow, NULL) != LF_OK)
            bench_stop("a shadow cannot be made");
    }
    make_lines(rivals, frame, count, light ? -0.01 : 40, points, rays.rays);
    frame_case c = {.terrain = rivals->terrain.name,
                    .name = name,
                    .ours = lf_mesh_ground(mesh),
                    .quadtree = lf_mesh_ground(quadtree),
                    .shadow = shadow,
                    .tree = rivals->ground[NEST],
                    .embree = rivals->embree[HIGH],
                    .rays = bench_embree_rays_make(&rays),
                    .lines = rays.rays,
                    .points = points,
                    .count = count};
    c.answers[0] = bench_take((size_t)count, sizeof(bench_answer));
    c.answers[1] = bench_take((size_t)count, sizeof(bench_answer));
    c.blocked = bench_take((size_t)count, sizeof(bool));
    count_work(&c, work);
    frame_row(report, &c, table, work);
    free(c.blocked);
    free(c.answers[1]);
    free(c.answers[0]);
    bench_embree_rays_close(c.rays);
    lf_shadow_destroy(shadow);
    lf_mesh_destroy(quadtree);
    lf_mesh_destroy(mesh);
    free(rays.rays);
    free(points);
}

void mesh_frames(const mesh_rivals *rivals, bench_report *report) {
    static const char *const heads[] = {
        "question",      "landfall ns",       "box tree ns", "Embree ns", "quadtree ns", "box tree / ours",
        "Embree / ours", "cells + triangles", "met",         "differ",    NULL};
    static bench_table table;
    lf_box box = rivals->terrain.box;
    lf_vec3 middle = lf_box_centre(box), size = lf_vec3_sub(box.high, box.low);
    double wide = fmax(size.x, size.y);
    lf_frame frame;
    char title[120];
    snprintf(title, sizeof title, "%s: gravity lines in other frames, and shadows", rivals->terrain.name);
    bench_table_start(&table, title, heads);
    lf_frame_gravity((lf_vec3){0, 0, -1}, &frame);
    one_frame(rivals, report, "straight-down", &frame, NULL, &table);
    lf_frame_gravity((lf_vec3){0.2, -0.1, -1}, &frame);
    one_frame(rivals, report, "vector", &frame, NULL, &table);
    lf_frame_centre((lf_vec3){middle.x, middle.y, box.low.z - wide}, &frame);
    one_frame(rivals, report, "centre", &frame, NULL, &table);
    lf_frame_axis((lf_vec3){middle.x, middle.y, box.low.z - wide}, (lf_vec3){1, 0, 0}, true, &frame);
    one_frame(rivals, report, "axis", &frame, NULL, &table);
    lf_light sun = lf_light_along((lf_vec3){0.8, 0.3, -0.5});
    lf_frame_gravity(lf_vec3_scale(sun.vector, -1), &frame); // towards the sun
    one_frame(rivals, report, "sun", &frame, &sun, &table);
    lf_light lamp = lf_light_at((lf_vec3){(double)single(middle.x), (double)single(middle.y),
                                          (double)single(box.high.z + 0.05 * wide)});
    lf_frame_centre(lamp.vector, &frame);
    one_frame(rivals, report, "lamp", &frame, &lamp, &table);
    bench_table_end(&table, report);
}
