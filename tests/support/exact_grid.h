/// A grid asked exactly and slowly: every triangle, patch, square and wall against one line in rational arithmetic.
///
/// Written from the definitions of the surfaces alone and sharing no line with the library. Columns and rows are the
/// horizontal coordinates here: the caller converts. One thread only: the numbers live in static storage.
#ifndef LF_TESTS_EXACT_GRID_H
#define LF_TESTS_EXACT_GRID_H

#include <landfall/grid.h>

typedef struct exact_grid {
    int64_t columns, rows;
    const double *heights; ///< row by row; NaN: a void. A piece exists where all of its corners have heights
    lf_surface surface;
    bool extend;
} exact_grid;

/// The line meets one triangle, patch, square or wall.
typedef struct exact_grid_hit {
    int64_t element;
    int triangle;
    double t;       ///< the exact one, rounded within one unit in the last place
    double u, v;    ///< weights as lf_hit has them; for samples the place in the square, from its middle
    lf_vec3 normal; ///< in columns, rows and height, of any length; upwards, or away from the higher sample
    double bend;    ///< by how much slopes change in the cell; 0 where it is flat
    double most;    ///< the largest sample height round it, in magnitude
    bool ring;      ///< beyond the border samples
    bool same_as_last; ///< its exact t is that of the hit before it
    bool alike;        ///< so are its element and triangle: only a ring has such
} exact_grid_hit;

/// Everything that a line meets within [t_min, t_max], in the order of exact t, element, triangle. Cells of the ring
/// have the element of the nearest real cell, and each of them is met by itself.
/// line  origin and direction in columns, rows and height; t_min may be -INFINITY
/// hits  set to static storage, good until the next call
/// Returns how many.
int64_t exact_grid_meet(const exact_grid *grid, const lf_ray *line, const exact_grid_hit **hits);

/// The same with or without the filter in doubles that leaves out what is certainly missed.
int64_t exact_grid_meet_by(const exact_grid *grid, const lf_ray *line, bool filter,
                           const exact_grid_hit **hits);

/// The one surface at a place.
typedef struct exact_grid_height {
    lf_reason reason; ///< answered, outside or hole
    int side;         ///< sign of z - height
    double height;
    double distance;           ///< |z - height|, rounded once
    const exact_grid_hit *hit; ///< in static storage, good until the next call; those alike follow
    int64_t alike_count;       ///< with the hit itself
} exact_grid_height;

/// column, row, z  finite
exact_grid_height exact_grid_at(const exact_grid *grid, double column, double row, double z);

/// Has a sample no surface: is it a void, or a corner of no piece? Then it is a void for all questions.
static inline bool exact_grid_bare(const exact_grid *grid, int64_t column, int64_t row) {
    return exact_grid_at(grid, (double)column, (double)row, 0).reason != LF_REASON_ANSWERED;
}

#endif
