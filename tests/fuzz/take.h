/// Numbers and grounds made of a fuzzer's bytes: few bits as a rule, so that lines touch, tie and fall together.
#ifndef LF_TESTS_FUZZ_TAKE_H
#define LF_TESTS_FUZZ_TAKE_H

#include "fuzz.h"
#include "grid_oracle.h"
#include <math.h>
#include <string.h>

/// What is left of the input; zeros behind its end.
typedef struct fuzz_bytes {
    const uint8_t *next, *end;
} fuzz_bytes;

static inline uint8_t fuzz_byte(fuzz_bytes *bytes) {
    return bytes->next < bytes->end ? *bytes->next++ : 0;
}

/// One of 0 .. count - 1.
static inline int fuzz_below(fuzz_bytes *bytes, int count) {
    return fuzz_byte(bytes) % count;
}

/// Any double between a billionth and a billion in magnitude, or 0.
static inline double fuzz_any_number(fuzz_bytes *bytes) {
    uint8_t parts[8];
    double number;
    for (size_t i = 0; i < sizeof parts; i++)
        parts[i] = fuzz_byte(bytes);
    memcpy(&number, parts, sizeof number);
    return fabs(number) >= 1e-9 && fabs(number) <= 1e9 ? number : 0;
}

/// A whole number, eighths, a neighbour of one, or anything. Signs are exact for 0 and from 1e-60 on: 0 has no neighbours here.
static inline double fuzz_number(fuzz_bytes *bytes) {
    int kind = fuzz_below(bytes, 8);
    if (kind == 7)
        return fuzz_any_number(bytes);
    double whole = (int8_t)fuzz_byte(bytes);
    if (kind < 6)
        return kind < 3 ? whole / 8 : whole / 2;
    double aside = (int8_t)fuzz_byte(bytes);
    return whole == 0 ? aside : nextafter(whole / 8, aside);
}

static inline lf_vec3 fuzz_vector(fuzz_bytes *bytes) {
    lf_vec3 v;
    v.x = fuzz_number(bytes);
    v.y = fuzz_number(bytes);
    v.z = fuzz_number(bytes);
    return v;
}

/// A ray with a direction, from anywhere to anywhere.
static inline lf_ray fuzz_ray(fuzz_bytes *bytes) {
    lf_ray ray = {.origin = fuzz_vector(bytes)};
    ray.direction = fuzz_vector(bytes); // behind it: C leaves the order within an initializer to the compiler
    if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0)
        ray.direction.z = -1;
    ray.t_min = fuzz_below(bytes, 2) ? fabs(fuzz_number(bytes)) : 0;
    ray.t_max = fuzz_below(bytes, 2) ? ray.t_min + fabs(fuzz_number(bytes)) : LF_INFINITY;
    return ray;
}

/// A grid of 2 to 8 samples a side with the samples at whole numbers, of any surface; some samples are holes.
static inline void fuzz_grid_take(nasty_grid *grid, fuzz_bytes *bytes) {
    static const int leaves[4] = {0, 1, 2, 4};
    int64_t columns = 2 + fuzz_below(bytes, 7);
    int64_t rows = 2 + fuzz_below(bytes, 7);
    *grid = (nasty_grid){.name = "fuzzed", .def = lf_grid_def_default()};
    grid->def.surface = (lf_surface)fuzz_below(bytes, 5);
    grid->def.leaf = leaves[fuzz_below(bytes, 4)];
    bool extend = fuzz_below(bytes, 2);
    bool wild = fuzz_below(bytes, 4) == 3;
    grid->def.extend = extend && grid->def.surface != LF_SURFACE_POINT;
    grid->heights = test_space(columns * rows, sizeof *grid->heights);
    for (int64_t i = 0; i < columns * rows; i++) {
        int8_t whole = (int8_t)fuzz_byte(bytes);
        grid->heights[i] = whole == INT8_MIN ? LF_NAN : wild ? fuzz_number(bytes) : (double)whole / 8;
    }
    if (isnan(grid->heights[0])) // one sample at least has ground
        grid->heights[0] = 0;
    grid->values_bytes = (size_t)(columns * rows) * sizeof(double);
    grid->values = test_space(columns * rows, sizeof(double));
    memcpy(grid->values, grid->heights, grid->values_bytes);
    grid->def.samples.type = LF_SAMPLE_DOUBLE;
    grid->def.samples.values = grid->values;
    grid->def.samples.columns = columns;
    grid->def.samples.rows = rows;
    nasty_grid_place_plainly(grid);
}

#endif
