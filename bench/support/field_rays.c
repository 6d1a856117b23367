/// The rays that benchmarks of grids ask with. All their numbers are floats held in doubles.
///
/// random    origins 1 to 1000 m above a random sample; any azimuth, falling 0 to 20 degrees. Neighbouring rays have nothing in
///           common, and on a large grid each one waits for memory.
/// picture   one perspective picture, 60 degrees wide, from 1500 m above the sample at (0, 0) towards the middle and 20 degrees
///           down. In tiles of 4 x 4, row of tiles by row of tiles: 16 rays that follow each other lie close together, which
///           is what packets want.
/// diagonal  from near the corner (0, 0) to near the opposite one, without a hit: level, a metre above the highest sample along
///           the way; over a rough plane parallel to it, a metre and a tenth above it, where the noise ends at a metre.
#include "field.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static lf_vec3 single(lf_vec3 a) {
    lf_vec3 rounded = {(float)a.x, (float)a.y, (float)a.z};
    return rounded;
}

static lf_ray random_ray(const bench_field *field, bench_random *random) {
    int64_t column = bench_random_below(random, field->samples),
            row = bench_random_below(random, field->samples);
    double above = bench_random_between(random, 1.0, 1000.0);
    lf_vec3 origin = {BENCH_SPACING * (double)column, BENCH_SPACING * (double)row,
                      field->heights[row * field->samples + column] + above};
    double azimuth = bench_random_between(random, 0.0, 2.0 * PI),
           fall = bench_random_between(random, 0.0, PI / 9.0);
    lf_vec3 direction = {cos(fall) * cos(azimuth), cos(fall) * sin(azimuth), -sin(fall)};
    return lf_ray_towards(single(origin), single(direction));
}

static void picture_rays(const bench_field *field, int64_t side, lf_ray *rays) {
    lf_vec3 eye = {0.0, 0.0, field->heights[0] + 1500.0};
    double azimuth = PI / 4.0, fall = PI / 9.0, half = tan(PI / 6.0);
    lf_vec3 forward = {cos(fall) * cos(azimuth), cos(fall) * sin(azimuth), -sin(fall)};
    lf_vec3 right = {sin(azimuth), -cos(azimuth), 0.0}, up = lf_vec3_cross(right, forward);
    for (int64_t i = 0; i < side * side; i++) {
        int64_t tile = i / 16, column = 4 * (tile % (side / 4)) + i % 4,
                row = 4 * (tile / (side / 4)) + i / 4 % 4;
        double u = (2.0 * ((double)column + 0.5) / (double)side - 1.0) * half;
        double v = (1.0 - 2.0 * ((double)row + 0.5) / (double)side) * half;
        lf_vec3 direction = lf_vec3_along(lf_vec3_along(forward, u, right), v, up);
        rays[i] = lf_ray_towards(single(eye), single(direction));
    }
}

/// The highest sample near the way from a to b: of all cells within one of it.
static double highest_between(const bench_field *field, lf_vec3 a, lf_vec3 b) {
    double highest = field->low;
    int64_t last = field->samples - 1;
    for (int64_t i = 0; i <= 2 * last; i++) {
        double share = (double)i / (double)(2 * last);
        int64_t column = (int64_t)((a.x + share * (b.x - a.x)) / BENCH_SPACING);
        int64_t row = (int64_t)((a.y + share * (b.y - a.y)) / BENCH_SPACING);
        for (int64_t y = row - 1; y <= row + 2; y++)
            for (int64_t x = column - 1; x <= column + 2; x++)
                if (x >= 0 && y >= 0 && x <= last && y <= last &&
                    field->heights[y * field->samples + x] > highest)
                    highest = field->heights[y * field->samples + x];
    }
    return highest;
}

static lf_ray diagonal_ray(const bench_field *field, bench_random *random) {
    double extent = bench_field_extent(field), near = 0.1 * extent;
    lf_vec3 a = {bench_random_between(random, 0.0, near), bench_random_between(random, 0.0, near), 0.0};
    lf_vec3 b = {extent - bench_random_between(random, 0.0, near),
                 extent - bench_random_between(random, 0.0, near), 0.0};
    if (field->slope.x != 0.0) {
        a.z = field->slope.x * a.x + field->slope.y * a.y + 1.1;
        b.z = field->slope.x * b.x + field->slope.y * b.y + 1.1;
    } else {
        a.z = b.z = highest_between(field, a, b) + 1.0;
    }
    lf_vec3 along = lf_vec3_sub(b, a);
    double length = lf_vec3_length(along);
    lf_ray ray = lf_ray_towards(single(a), single(lf_vec3_scale(along, 1.0 / length)));
    ray.t_max = (float)length;
    return ray;
}

void bench_field_rays(const bench_field *field, bench_approach approach, int64_t count, bench_rays *rays) {
    int64_t side = (int64_t)sqrt((double)count) / 4 * 4;
    rays->count = approach == BENCH_PICTURE ? side * side : count / 16 * 16;
    rays->rays = bench_take((size_t)rays->count, sizeof *rays->rays);
    if (approach == BENCH_PICTURE) {
        picture_rays(field, side, rays->rays);
        return;
    }
    bench_random random = {(uint64_t)approach + 11};
    for (int64_t i = 0; i < rays->count; i++)
        rays->rays[i] = approach == BENCH_RANDOM ? random_ray(field, &random) : diagonal_ray(field, &random);
}
