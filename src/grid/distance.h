/// Distances between a moving thing and flat pieces of ground.
#ifndef LF_GRID_DISTANCE_H
#define LF_GRID_DISTANCE_H

#include "grid/grid.h"

/// A thing where its motion begins: a ball, or a box (radius 0).
typedef struct lf__mover {
    lf_vec3 centre;
    double radius;
    lf_vec3 axes[3]; ///< of a box, each as long as its half side; zero of a ball
    lf_vec3 motion;
} lf__mover;

/// How far a thing is from something, and how.
typedef struct lf__apart {
    double distance; ///< 0 when they touch
    lf_vec3 point;   ///< of the something, nearest to the thing
    lf_vec3 away;    ///< unit, from there to the thing; zero when they touch
} lf__apart;

/// How far a thing that has moved for t is from a triangle.
lf__apart lf__mover_apart(const lf__mover *mover, double t, const lf_vec3 triangle[3]);

#endif
