/// Distances of triangles.
#ifndef LF_MODEL_NEAR_H
#define LF_MODEL_NEAR_H

#include <landfall/model.h>

/// The point of a triangle nearest to a point.
lf_vec3 lf__nearest_on_triangle(const lf_vec3 t[3], lf_vec3 p);

/// The squared distance of two triangles that do not touch, and where it is.
double lf__triangles_distance(const lf_vec3 p[3], const lf_vec3 q[3], lf_vec3 *on_p, lf_vec3 *on_q);

/// A point that two touching triangles share, up to rounding: on an edge of one that crosses the other, or where they come nearest.
lf_vec3 lf__triangles_common(const lf_vec3 p[3], const lf_vec3 q[3]);

/// As lf_model_nearest, but about: the true distance is not less than `share` (above 0, at most 1) of the one found. Much quicker where
/// many triangles are about as far, such as a thing in the middle of a ring.
lf_status lf__model_nearest_about(const lf_model_query *given, double share, lf_model_distance *nearest,
                                  lf_cursor *cursor);

#endif
