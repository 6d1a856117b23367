/// A model on a grid, from the inside.
#ifndef LF_MODEL_LAND_H
#define LF_MODEL_LAND_H

#include "model/model.h"

/// Does a model, carried into the grid's frame by a pose, share a point with the grid's surface? For the vertices so carried, and for
/// the corners of the surface in that frame, the answer is exact; for bilinear patches up to the rounding of the direction of the
/// model's edges.
bool lf__land_touches_grid(const lf_grid *grid, const lf_model *model, const lf_pose *pose,
                           lf_cursor *cursor);

/// The deepest point of a triangle below a grid.
typedef struct lf__land_depth {
    double depth;    ///< metres; 0 or less: nothing is below
    lf_vec3 point;   ///< of the triangle
    lf_vec3 surface; ///< above it
} lf__land_depth;

/// corners  in the grid's frame
lf__land_depth lf__land_depth_in_grid(const lf_grid *grid, const lf_vec3 corners[3], lf_cursor *cursor);

#endif
