/// Grids as ground, plain and compressed.
#ifndef LF_GROUND_FROM_GRID_H
#define LF_GROUND_FROM_GRID_H

#include "ground/ground.h"

extern const lf__ground_kind_of lf__grid_kind, lf__packed_kind, lf__file_kind;

// Entries that the three share.
bool lf__grid_touches(const void *thing, const lf__land_body *body, const lf_pose *pose, lf_cursor *cursor);
void lf__grid_depth(const void *thing, const lf_vec3 corners[3], lf__land_depth *deepest, lf_cursor *cursor);
void lf__grid_faces(lf__face_search *search);
double lf__grid_spacing(const void *thing, lf_vec3 point);
double lf__grid_least(const void *thing, lf_vec2 a, lf_vec2 b);
/// The table's entry `grid`.
const struct lf_grid *lf__grid_of_ground(const void *thing);

#endif
