/// Heights on a square raster, for benchmarks of grids: floats, 32 m between samples, the first sample at (0, 0).
///
/// 32 m so that places and columns are exactly convertible: everybody, in single or double precision, sees the same ground.
/// Cells are cut from their upper left to their lower right (landfall's "falling").
#ifndef LF_BENCH_FIELD_H
#define LF_BENCH_FIELD_H

#include "support.h"

#include <samples.h>

#define BENCH_SPACING 32.0

typedef struct bench_field {
    char name[64];
    int64_t samples; ///< a side
    float *heights;
    bench_memory memory; ///< on huge pages, as landfall's own allocator would take them
    double low, high;
    lf_vec2 slope; ///< of the plane that a rough field lies on: rise per metre in x and in y; 0 for others
} bench_field;

/// Mountains or hills as lf_make_rows makes them.
void bench_field_landscape(bench_field *field, lf_landscape landscape, int64_t samples);
/// A plane that rises 1 m in 10 and 1 in 14, with noise of 1 m at each sample: bounds that are level prune nothing on it.
void bench_field_rough(bench_field *field, int64_t samples);
/// A raster of the SRTM mission (.hgt) under the folder of real data, as if its samples were 32 m apart; false (and a line that says
/// so) when it is not there. Voids are 0.
bool bench_field_hgt(bench_field *field, const char *name, const char *relative);
void bench_field_close(bench_field *field);

/// A grid that borrows the heights.
lf_grid *bench_field_grid(const bench_field *field);

/// The extent of a side in metres.
static inline double bench_field_extent(const bench_field *field) {
    return BENCH_SPACING * (double)(field->samples - 1);
}

/// Triangle number 2 * cell + half, as landfall counts; its corners counter-clockwise from above.
void bench_field_triangle(const bench_field *field, int64_t item, lf_vec3 corners[3]);

/// The ways in which rays come to a field, see field_rays.c.
typedef enum bench_approach { BENCH_RANDOM, BENCH_PICTURE, BENCH_DIAGONAL } bench_approach;

/// Make rays over a field; count is rounded down to a multiple of 16, for a picture to a square of one.
void bench_field_rays(const bench_field *field, bench_approach approach, int64_t count, bench_rays *rays);

#endif
