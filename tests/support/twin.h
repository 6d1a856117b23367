/// The same surface twice: as a grid, and as the polygons that the definition of its surface says, made without looking at
/// the grid's code. Not for bilinear patches, which no polygons are.
#ifndef LF_TESTS_TWIN_H
#define LF_TESTS_TWIN_H

#include "nasty.h"
#include <landfall/grid.h>
#include <landfall/ground.h>

typedef struct twin_shape {
    lf_surface surface;
    int64_t columns, rows;
    int64_t rise;       ///< whole heights up to this; 0: real ones up to 3
    int64_t holes;      ///< one sample in so many is a hole; 0: none
    int leaf;           ///< as lf_grid_def
    lf_vec2 per_sample; ///< spacing; 1, 1 keeps the coordinates exactly
} twin_shape;

typedef struct twin {
    twin_shape shape;
    double *heights; ///< NAN for holes
    lf_grid *grid;
    const lf_ground *ground;
    nasty_mesh mesh;   ///< polygons in the order of element and triangle
    int64_t *elements; ///< of a polygon
    int *triangles;    ///< likewise
    lf_mesh *polygons;
    const lf_ground *polygon_ground;
} twin;

/// Make both. Polygons have no layers of their own, and two sides. At least one square has a surface.
void twin_make(twin *twin, const twin_shape *shape, test_random *random);
void twin_free(twin *twin);

/// Make both of given heights.
void twin_make_of(twin *twin, const twin_shape *shape, const double *heights);

/// A random small shape of some surface.
twin_shape twin_any_shape(lf_surface surface, test_random *random);

/// The polygon of a hit on the grid, or -1.
int64_t twin_polygon_of(const twin *twin, const lf_hit *hit);

#endif
