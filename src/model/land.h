/// A model on the ground, from the inside.
#ifndef LF_MODEL_LAND_H
#define LF_MODEL_LAND_H

#include "ground/land.h"
#include "model/model.h"

/// What depths are searched for: any, and then deeper ones.
typedef struct lf__land_wish {
    double reach;  ///< ground farther above than this does not count
    double deeper; ///< once something is found, only what is deeper than this too is searched for
} lf__land_wish;

/// The deepest point of a triangle below faces; `best` is what is known already. The nearest face above a point counts, and
/// only where it is met from behind. Exact up to the view's blur, where the nearest face ends the depth on its side.
/// corners  in the world
void lf__land_depth_in_faces(const lf__face_view *view, const lf_vec3 corners[3], const lf__land_wish *wish,
                             lf__land_depth *best);

#endif
