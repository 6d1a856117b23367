/// Convex bodies at one moment: how far apart, and along which direction.
#ifndef LF_SCENE_CONVEX_H
#define LF_SCENE_CONVEX_H

#include "contact/contact.h"

/// A body where it is at some time.
typedef struct lf__posed {
    const lf_body *body;
    lf_vec3 turn[3]; ///< rows of the rotation since time 0
    lf_vec3 shift;   ///< world = turn * (rows * shape + translation) + shift
} lf__posed;

void lf__pose_body(const lf_body *body, double time, lf__posed *posed);

/// The point of a body that is farthest along a direction.
lf_vec3 lf__support(const lf__posed *posed, lf_vec3 direction);

/// How two bodies lie to each other.
typedef struct lf__gap {
    double
        least; ///< every point of a is at least so far along `normal` from every point of b; at most 0: they may touch
    double distance; ///< of the nearest points found; an upper bound up to rounding
    lf_vec3 normal;  ///< unit, from b to a; zero when nothing separates them
    lf_vec3 point_a, point_b;
} lf__gap;

/// near  a gap of this length need not be told from touching
lf__gap lf__find_gap(const lf__posed *a, const lf__posed *b, double near);

/// The size of a body: the diagonal of its box.
double lf__body_size(const lf__posed *posed);

bool lf__body_usable(const lf_body *body);

#endif
