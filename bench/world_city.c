/// The city of the world benchmark: 100,000 boxes and 1,000 meshes on a grid of 1025 x 1025 samples, for landfall and for Embree.
#include "world.h"

#include <landfall/model.h>
#include <math.h>
#include <stdlib.h>

/// The unit box, from -1 to 1, with the corners and faces of landfall's boxes.
static const float cube[25] = {-1, -1, -1, 1,  -1, -1, -1, 1, -1, 1, 1, -1, -1,
                               -1, 1,  1,  -1, 1,  -1, 1,  1, 1,  1, 1, 0};
static const uint32_t cube_corners[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                          2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

double city_ground(const bench_field *f, double x, double y) {
    int64_t i = (int64_t)fmin(x / BENCH_SPACING, (double)(f->samples - 1));
    int64_t j = (int64_t)fmin(y / BENCH_SPACING, (double)(f->samples - 1));
    return (double)f->heights[j * f->samples + i];
}

static void make_dome(city *c) {
    int64_t n = 0, t = 0;
    for (int r = 0; r < CITY_RINGS; r++)
        for (int k = 0; k < CITY_RINGS; k++) {
            double up = 1.5 * r / CITY_RINGS, around = 6.28318530717958648 * k / CITY_RINGS;
            c->dome_vertices[n++] = (float)(15 * cos(up) * cos(around));
            c->dome_vertices[n++] = (float)(15 * cos(up) * sin(around));
            c->dome_vertices[n++] = (float)(20 * sin(up) - 2);
            if (r + 1 == CITY_RINGS)
                continue;
            uint32_t a = (uint32_t)(r * CITY_RINGS + k),
                     b = (uint32_t)(r * CITY_RINGS + (k + 1) % CITY_RINGS);
            const uint32_t two[6] = {a, b, b + CITY_RINGS, a, b + CITY_RINGS, a + CITY_RINGS};
            for (int i = 0; i < 6; i++)
                c->dome_corners[t++] = two[i];
        }
    c->dome_vertex_count = n / 3;
    c->dome_triangle_count = t / 3;
    lf_vec3 vertices[CITY_RINGS * CITY_RINGS];
    int64_t corners[6 * CITY_RINGS * CITY_RINGS];
    for (int64_t i = 0; i < c->dome_vertex_count; i++)
        vertices[i] = (lf_vec3){(double)c->dome_vertices[3 * i], (double)c->dome_vertices[3 * i + 1],
                                (double)c->dome_vertices[3 * i + 2]};
    for (int64_t i = 0; i < t; i++)
        corners[i] = c->dome_corners[i];
    lf_model_def def = lf_model_def_default();
    def.polygons = (lf_polygons){.vertices = vertices,
                                 .vertex_count = c->dome_vertex_count,
                                 .corners = corners,
                                 .polygon_count = c->dome_triangle_count};
    if (lf_model_create(&def, &c->dome, NULL) != LF_OK)
        bench_stop("the dome cannot be made");
}

void city_matrix(const lf_group_part *part, float m[12]) {
    lf_vec3 s = part->ground ? (lf_vec3){1, 1, 1} : part->box.high;
    const lf_vec3 *r = part->pose.rows;
    const double all[12] = {r[0].x * s.x,
                            r[1].x * s.x,
                            r[2].x * s.x,
                            r[0].y * s.y,
                            r[1].y * s.y,
                            r[2].y * s.y,
                            r[0].z * s.z,
                            r[1].z * s.z,
                            r[2].z * s.z,
                            part->pose.translation.x,
                            part->pose.translation.y,
                            part->pose.translation.z};
    for (int i = 0; i < 12; i++)
        m[i] = (float)all[i];
}

static lf_pose stand_at(const city *c, double x, double y, double half, double angle) {
    lf_pose pose;
    lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 1}, angle, &pose);
    pose.translation = (lf_vec3){(double)(float)x, (double)(float)y,
                                 (double)(float)(city_ground(&c->field, x, y) + half - 2)};
    return pose;
}

static void make_parts(city *c, bench_random *random) {
    double side = bench_field_extent(&c->field);
    c->part_count = 1 + c->box_count + c->mesh_count;
    c->parts = bench_take((size_t)c->part_count, sizeof *c->parts);
    c->parts[0] = (lf_group_part){.ground = lf_grid_ground(c->grid), .pose = lf_pose_identity()};
    for (int64_t i = 1; i < c->part_count; i++) {
        bool box = i <= c->box_count;
        lf_vec3 half = {(double)(float)bench_random_between(random, 5, 20),
                        (double)(float)bench_random_between(random, 5, 20),
                        (double)(float)bench_random_between(random, 4, 35)};
        double x = bench_random_between(random, 50, side - 50),
               y = bench_random_between(random, 50, side - 50);
        c->parts[i] = (lf_group_part){
            .pose = stand_at(c, x, y, box ? half.z : 0, bench_random_between(random, 0, 1.5)), .layers = 2};
        if (box)
            c->parts[i].box = (lf_box){lf_vec3_scale(half, -1), half};
        else
            c->parts[i].ground = lf_model_ground(c->dome);
    }
}

void city_fill_embree(city *c, bench_embree_world *world) {
    int grid = bench_embree_world_shape(world, c->grid_vertices, c->field.samples * c->field.samples,
                                        c->grid_corners, 2 * (c->field.samples - 1) * (c->field.samples - 1));
    int box = bench_embree_world_shape(world, cube, 8, cube_corners, 12);
    int dome = bench_embree_world_shape(world, c->dome_vertices, c->dome_vertex_count, c->dome_corners,
                                        c->dome_triangle_count);
    for (int64_t i = 0; i < c->part_count; i++) {
        float m[12];
        city_matrix(&c->parts[i], m);
        bench_embree_world_add(world, i == 0 ? grid : i <= c->box_count ? box : dome, m);
    }
    bench_embree_world_build(world);
}

static void make_triangles(city *c) {
    int64_t n = c->field.samples;
    c->grid_vertices = bench_take(3 * (size_t)(n * n) + 1, sizeof *c->grid_vertices);
    c->grid_corners = bench_take(6 * (size_t)((n - 1) * (n - 1)), sizeof *c->grid_corners);
    float *v = c->grid_vertices;
    uint32_t *t = c->grid_corners;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            *v++ = (float)(BENCH_SPACING * (double)i);
            *v++ = (float)(BENCH_SPACING * (double)j);
            *v++ = c->field.heights[j * n + i];
            if (i + 1 == n || j + 1 == n)
                continue;
            uint32_t a = (uint32_t)(j * n + i), d = a + (uint32_t)n;
            const uint32_t two[6] = {a, a + 1, d, a + 1, d + 1, d};
            for (int k = 0; k < 6; k++)
                *t++ = two[k];
        }
}

void city_open(city *c, const bench_report *report) {
    bench_random random = {11};
    c->box_count = report->quick ? 10000 : 100000;
    c->mesh_count = c->box_count / 100;
    bench_field_landscape(&c->field, LF_LANDSCAPE_HILLS, report->quick ? 257 : 1025);
    c->grid = bench_field_grid(&c->field);
    make_dome(c);
    make_parts(c, &random);
    make_triangles(c);
    lf_group_def group = lf_group_def_default();
    group.parts = c->parts;
    group.part_count = c->part_count;
    if (lf_group_create(&group, &c->group, NULL) != LF_OK)
        bench_stop("the group cannot be made");
    c->ground = lf_group_ground(c->group);
    group.part_count = 1;
    if (lf_group_create(&group, &c->single, NULL) != LF_OK)
        bench_stop("the group cannot be made");
    c->embree = bench_embree_world_open(false);
    city_fill_embree(c, c->embree);
}

void city_close(city *c) {
    bench_embree_world_close(c->embree);
    lf_group_destroy(c->single);
    lf_group_destroy(c->group);
    lf_model_destroy(c->dome);
    lf_grid_destroy(c->grid);
    bench_field_close(&c->field);
    free(c->grid_corners);
    free(c->grid_vertices);
    free(c->parts);
}
