/// Grids, and rays over them, that are made to break geometry code: ties, flat ground, coplanar triangles, spikes, fine
/// relief on a high base, holes; rays along lines and diagonals, through samples, in planes, that only touch.
///
/// Deterministic for a test_random. Where a case has to be exact the numbers have few bits, so that no rounding happens
/// on the way; with a geotransform that rounds, the same rays become nearly what they were.
#ifndef LF_TESTS_NASTY_GRID_H
#define LF_TESTS_NASTY_GRID_H

#include "exact_grid.h"
#include "support.h"

#define NASTY_RELIEF_LIST(X)                             \
    X(NASTY_RELIEF_ROUGH, "random heights")              \
    X(NASTY_RELIEF_FLAT, "one height")                   \
    X(NASTY_RELIEF_TIES, "heights of 0, 1 and 2")        \
    X(NASTY_RELIEF_PLATEAUS, "plateaus")                 \
    X(NASTY_RELIEF_SAW, "a saw")                         \
    X(NASTY_RELIEF_SPIKES, "spikes on a plain")          \
    X(NASTY_RELIEF_HIGH, "whole heights on a high base") \
    X(NASTY_RELIEF_FINE, "a few bits on a high base")    \
    X(NASTY_RELIEF_PLANE, "one plane")                   \
    X(NASTY_RELIEF_SADDLE, "column times row")           \
    X(NASTY_RELIEF_RIDGE, "a straight ridge")            \
    X(NASTY_RELIEF_EIGHTHS, "eighths")                   \
    X(NASTY_RELIEF_TINY, "a billionth of a metre")       \
    X(NASTY_RELIEF_WILD, "heights from 1e-9 to 1e12")

typedef enum nasty_relief {
#define NASTY_RELIEF_ENUM(name, text) name,
    NASTY_RELIEF_LIST(NASTY_RELIEF_ENUM)
#undef NASTY_RELIEF_ENUM
        NASTY_RELIEFS
} nasty_relief;

typedef struct nasty_grid {
    const char *name;
    nasty_relief relief;
    lf_grid_def def;   ///< ready for lf_grid_create
    double *heights;   ///< of the samples, packed; NaN: a hole
    double a, b, c, d; ///< the inverse of the geotransform's matrix
    void *values;      ///< the memory behind def.samples
    uint8_t *mask;
    size_t values_bytes; ///< of values
} nasty_grid;

/// Make a grid of about `size` samples a side; of any shape from 2 x 2 to long and thin. 0: small, chosen.
void nasty_grid_make(nasty_grid *grid, nasty_relief relief, lf_surface surface, int64_t size,
                     test_random *random);
/// Put the samples at whole numbers, so that places convert without rounding.
void nasty_grid_place_plainly(nasty_grid *grid);
void nasty_grid_free(nasty_grid *grid);

/// Read samples as their definition says: heights of columns * rows samples, NaN for a hole.
void nasty_grid_decode(const lf_samples *samples, double *heights);

/// Samples of random layout that hold about the heights `wanted` says, and sometimes holes. The memory is the caller's
/// to free.
typedef struct nasty_samples {
    lf_samples samples;
    void *values;
    uint8_t *mask;
    size_t values_bytes;
} nasty_samples;
/// like  type, scale and offset to take; NULL: random
nasty_samples nasty_samples_make(const lf_samples *like, const double *wanted, int64_t columns, int64_t rows,
                                 test_random *random);
void nasty_samples_free(nasty_samples *samples);

exact_grid nasty_grid_exact(const nasty_grid *grid);
/// A world place or ray in columns, rows and height, by the formula that lf_grid_locate states.
lf_vec2 nasty_grid_local(const nasty_grid *grid, double x, double y);
lf_ray nasty_grid_local_ray(const nasty_grid *grid, const lf_ray *ray);
/// The other way, rounded.
lf_vec3 nasty_grid_world(const nasty_grid *grid, lf_vec3 local);
lf_ray nasty_grid_world_ray(const nasty_grid *grid, const lf_ray *local);

/// A height of the surface at a local place, in doubles; 0 where there is none.
double nasty_grid_height(const nasty_grid *grid, double column, double row);

#define NASTY_LINE_LIST(X)                                             \
    X(NASTY_LINE_RANDOM, "random")                                     \
    X(NASTY_LINE_COLUMN, "along a grid line")                          \
    X(NASTY_LINE_DIAGONAL, "along a diagonal")                         \
    X(NASTY_LINE_VERTEX, "through a sample")                           \
    X(NASTY_LINE_VERTICES, "from sample to sample")                    \
    X(NASTY_LINE_FROM_SURFACE, "from the surface")                     \
    X(NASTY_LINE_NEARLY_AXIS, "nearly parallel to an axis")            \
    X(NASTY_LINE_NEARLY_VERTICAL, "nearly vertical")                   \
    X(NASTY_LINE_VERTICAL, "vertical")                                 \
    X(NASTY_LINE_FAR, "from 10,000 km away")                           \
    X(NASTY_LINE_GRAZING, "grazing the highest sample or edge")        \
    X(NASTY_LINE_IN_PLANE, "within the plane of a triangle")           \
    X(NASTY_LINE_FROM_BELOW, "from below")                             \
    X(NASTY_LINE_SHORT, "a short range of t")                          \
    X(NASTY_LINE_TOUCHING, "ending or beginning on the surface")       \
    X(NASTY_LINE_LEVEL, "level at the height of a sample")             \
    X(NASTY_LINE_HALF, "along a line of halves")                       \
    X(NASTY_LINE_BORDER, "along the border")                           \
    X(NASTY_LINE_RULING, "along a ruling of a patch")                  \
    X(NASTY_LINE_TANGENT, "touching a patch from above or through it") \
    X(NASTY_LINE_ON_EDGE, "through points of edges")                   \
    X(NASTY_LINE_NEARLY_TOUCHING, "a bit off a sample, an edge or a tangent")

typedef enum nasty_line {
#define NASTY_LINE_ENUM(name, text) name,
    NASTY_LINE_LIST(NASTY_LINE_ENUM)
#undef NASTY_LINE_ENUM
        NASTY_LINES
} nasty_line;

const char *nasty_line_name(nasty_line line);

/// A ray in world coordinates.
lf_ray nasty_grid_ray(nasty_line line, const nasty_grid *grid, test_random *random);

/// A place in world coordinates for a height: at samples, on lines, diagonals and borders, just beside them, outside; at
/// the height of the ground, just beside it, or far off.
lf_vec3 nasty_grid_point(const nasty_grid *grid, test_random *random);

#endif
