/// The points that heights are asked for.
///
/// area     anywhere over ground, each as likely as any other
/// nothing  anywhere in the terrain's rectangle where there is no ground
/// car      one metre apart along a winding way over ground
#include "mesh.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static lf_vec3 point_at(const mesh_rivals *rivals, double x, double y) {
    lf_vec3 point = {(float)x, (float)y, rivals->start};
    return point;
}

static bool over_ground(const mesh_rivals *rivals, lf_vec3 point) {
    lf_hit hit;
    lf_ground_height(rivals->ground[NEST], point, LF_VERTICAL_DOWN, &hit, NULL);
    return hit.kind != LF_HIT_NONE;
}

/// Where there is ground, or where there is none. A terrain without holes has none only around it.
static lf_vec3 random_point(const mesh_rivals *rivals, bench_random *random, bool ground) {
    lf_box box = rivals->terrain.box;
    lf_vec3 point = box.low;
    for (int attempt = 0; attempt < 100000; attempt++) {
        double wide = !ground && attempt >= 1000 ? 0.5 : 0.0;
        double dx = wide * (box.high.x - box.low.x), dy = wide * (box.high.y - box.low.y);
        point = point_at(rivals, bench_random_between(random, box.low.x - dx, box.high.x + dx),
                         bench_random_between(random, box.low.y - dy, box.high.y + dy));
        if (over_ground(rivals, point) == ground)
            return point;
    }
    bench_stop("%s: no point found", rivals->terrain.name);
}

/// A metre on, turning away where the ground ends; a fresh start where there is no way out.
static lf_vec3 drive(const mesh_rivals *rivals, bench_random *random, lf_vec3 from, double *heading) {
    *heading += bench_random_between(random, -0.05, 0.05);
    for (int attempt = 0; attempt < 64; attempt++) {
        lf_vec3 to = point_at(rivals, from.x + cos(*heading), from.y + sin(*heading));
        if (over_ground(rivals, to))
            return to;
        *heading += bench_random_between(random, -0.5 * PI, 0.5 * PI);
    }
    return random_point(rivals, random, true);
}

static void fill_rays(mesh_points *points) {
    lf_vec3 down = {0.0, 0.0, -1.0};
    for (int64_t i = 0; i < points->count; i++)
        points->rays.rays[i] = lf_ray_towards(points->points[i], down);
}

void mesh_points_make(mesh_points *points, const mesh_rivals *rivals, mesh_place place, int64_t count) {
    bench_random random = {11 + (uint64_t)place};
    points->count = points->rays.count = count;
    points->points = bench_take((size_t)count, sizeof *points->points);
    points->rays.rays = bench_take((size_t)count, sizeof *points->rays.rays);
    lf_vec3 at = random_point(rivals, &random, true);
    double heading = 0.0;
    for (int64_t i = 0; i < count; i++) {
        at = place == MESH_CAR ? drive(rivals, &random, at, &heading)
                               : random_point(rivals, &random, place == MESH_AREA);
        points->points[i] = at;
    }
    fill_rays(points);
}

/// A point with its place on the curve.
typedef struct sorted_point {
    uint64_t key;
    lf_vec3 point;
} sorted_point;

/// The bits of a 16-bit number, every second one.
static uint64_t spread(uint64_t bits) {
    bits = (bits | bits << 8) & 0x00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0fu;
    bits = (bits | bits << 2) & 0x33333333u;
    return (bits | bits << 1) & 0x55555555u;
}

static uint64_t step_of(double value, double low, double high) {
    double step = 65536.0 * (value - low) / (high - low);
    return step <= 0.0 ? 0 : step >= 65535.0 ? 65535 : (uint64_t)step;
}

static int by_key(const void *a, const void *b) {
    uint64_t x = ((const sorted_point *)a)->key, y = ((const sorted_point *)b)->key;
    return (x > y) - (x < y);
}

void mesh_points_sort(mesh_points *points, const mesh_rivals *rivals) {
    lf_box box = rivals->terrain.box;
    sorted_point *sorted = bench_take((size_t)points->count, sizeof *sorted);
    for (int64_t i = 0; i < points->count; i++) {
        lf_vec3 p = points->points[i];
        sorted[i].key =
            spread(step_of(p.x, box.low.x, box.high.x)) | spread(step_of(p.y, box.low.y, box.high.y)) << 1;
        sorted[i].point = p;
    }
    qsort(sorted, (size_t)points->count, sizeof *sorted, by_key);
    for (int64_t i = 0; i < points->count; i++)
        points->points[i] = sorted[i].point;
    free(sorted);
    fill_rays(points);
}

void mesh_points_close(mesh_points *points) {
    free(points->rays.rays);
    free(points->points);
    memset(points, 0, sizeof *points);
}
