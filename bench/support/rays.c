/// The rays that benchmarks ask with.
///
/// camera  one perspective picture, 60 degrees wide, row by row: from 1500 m above the ground at a corner, towards
///         the middle of the terrain and 20 degrees down. Neighbouring rays meet neighbouring triangles: about the
///         best case for any tree.
/// down    origins 1 to 1000 m above a random vertex; any azimuth, falling 0 to 20 degrees. Like the rays of sensors
///         and shots.
/// sphere  origins anywhere in the box, any direction in space. No order at all.
/// sight   segments between two vertices, each raised by 2 m: line of sight. Mostly blocked, often at once.
///
/// The last three are random: neighbouring rays have nothing in common, and on a large terrain each one waits
/// for memory.
#include "support.h"

#include <stdlib.h>

#define PI 3.14159265358979323846

/// A vector as single precision has it.
static lf_vec3 single(lf_vec3 a) {
    lf_vec3 rounded = {(float)a.x, (float)a.y, (float)a.z};
    return rounded;
}

static lf_vec3 random_point(bench_random *random, lf_vec3 low, lf_vec3 high) {
    lf_vec3 point;
    point.x = bench_random_between(random, low.x, high.x);
    point.y = bench_random_between(random, low.y, high.y);
    point.z = bench_random_between(random, low.z, high.z);
    return point;
}

static lf_vec3 random_vertex(bench_random *random, const bench_terrain *terrain) {
    return terrain->vertices[bench_random_below(random, terrain->vertex_count)];
}

static lf_ray down_ray(bench_random *random, const bench_terrain *terrain) {
    lf_vec3 origin = random_vertex(random, terrain);
    origin.z += bench_random_between(random, 1.0, 1000.0);
    double azimuth = bench_random_between(random, 0.0, 2.0 * PI);
    double fall = bench_random_between(random, 0.0, PI / 9.0);
    lf_vec3 direction = {cos(fall) * cos(azimuth), cos(fall) * sin(azimuth), -sin(fall)};
    return lf_ray_towards(single(origin), single(direction));
}

static lf_ray sphere_ray(bench_random *random, const bench_terrain *terrain) {
    lf_vec3 origin = random_point(random, terrain->box.low, terrain->box.high);
    double z = bench_random_between(random, -1.0, 1.0);
    double azimuth = bench_random_between(random, 0.0, 2.0 * PI);
    double flat = sqrt(1.0 - z * z);
    lf_vec3 direction = {flat * cos(azimuth), flat * sin(azimuth), z};
    return lf_ray_towards(single(origin), single(direction));
}

static lf_ray sight_ray(bench_random *random, const bench_terrain *terrain) {
    lf_vec3 a = random_vertex(random, terrain), b = a;
    for (int attempt = 0; attempt < 100 && a.x == b.x && a.y == b.y; attempt++)
        b = random_vertex(random, terrain);
    a.z += 2.0;
    b.z += 2.0;
    lf_ray ray = lf_ray_between(single(a), single(b));
    ray.direction = single(ray.direction);
    return ray;
}

/// 1500 m above the vertex that is nearest to the corner, seen from above.
static lf_vec3 corner_eye(const bench_terrain *terrain) {
    lf_vec3 corner = terrain->box.low, eye = corner;
    double nearest = LF_INFINITY;
    for (int64_t i = 0; i < terrain->vertex_count; i++) {
        lf_vec3 p = terrain->vertices[i];
        double distance = (p.x - corner.x) * (p.x - corner.x) + (p.y - corner.y) * (p.y - corner.y);
        if (distance < nearest) {
            nearest = distance;
            eye = p;
        }
    }
    eye.z += 1500.0;
    return single(eye);
}

static void camera_rays(bench_rays *rays, const bench_terrain *terrain, int64_t side) {
    lf_vec3 eye = corner_eye(terrain);
    lf_vec3 centre = lf_box_centre(terrain->box), up = {0.0, 0.0, 1.0};
    double azimuth = atan2(centre.y - eye.y, centre.x - eye.x), fall = PI / 9.0;
    lf_vec3 forward = {cos(fall) * cos(azimuth), cos(fall) * sin(azimuth), -sin(fall)};
    lf_vec3 right = {sin(azimuth), -cos(azimuth), 0.0};
    up = lf_vec3_cross(right, forward);
    double half = tan(PI / 6.0);
    for (int64_t row = 0; row < side; row++)
        for (int64_t column = 0; column < side; column++) {
            double u = (2.0 * ((double)column + 0.5) / (double)side - 1.0) * half;
            double v = (1.0 - 2.0 * ((double)row + 0.5) / (double)side) * half;
            lf_vec3 direction = lf_vec3_along(lf_vec3_along(forward, u, right), v, up);
            rays->rays[row * side + column] = lf_ray_towards(eye, single(direction));
        }
}

void bench_rays_make(bench_rays *rays, bench_ray_kind kind, const bench_terrain *terrain, int64_t count,
                     uint64_t seed) {
    static lf_ray (*const makers[])(bench_random *, const bench_terrain *) = {
        [BENCH_DOWN] = down_ray, [BENCH_SPHERE] = sphere_ray, [BENCH_SIGHT] = sight_ray};
    int64_t side = (int64_t)floor(sqrt((double)count));
    rays->count = kind == BENCH_CAMERA ? side * side : count;
    rays->rays = bench_take((size_t)rays->count, sizeof *rays->rays);
    if (kind == BENCH_CAMERA) {
        camera_rays(rays, terrain, side);
        return;
    }
    bench_random random = {seed};
    for (int64_t i = 0; i < rays->count; i++)
        rays->rays[i] = makers[kind](&random, terrain);
}

void bench_rays_close(bench_rays *rays) {
    free(rays->rays);
    rays->rays = NULL;
    rays->count = 0;
}
