/// Entries of a grid's function table that models on the ground need (grid_land.c).
#ifndef LF_GRID_GROUND_H
#define LF_GRID_GROUND_H

#include "grid/grid.h"
#include "ground/land.h"

bool lf__grid_touches(const void *object, const lf__land_body *body, const lf_pose *pose, lf_cursor *cursor);
void lf__grid_depth(const void *object, const lf_vec3 corners[3], lf__land_depth *deepest, lf_cursor *cursor);
void lf__grid_faces(lf__face_search *search);
void lf__grid_sweep(const void *object, lf__sweeping *sweep);
double lf__grid_spacing(const void *object, lf_vec3 point);
double lf__grid_least(const void *object, lf_vec2 a, lf_vec2 b);

#endif
