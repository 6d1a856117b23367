/// Is a point beside many others, seen along gravity? The directions in which the others lie, as a growing cone: as long
/// as it is narrower than half a turn, the point is outside of the convex hull of the others.
#ifndef LF_GROUND_CONE_H
#define LF_GROUND_CONE_H

#include <landfall/geom.h>

typedef struct lf__cone {
    lf_vec3 apex;
    lf_vec3 along; ///< down: the direction we look in
    lf_vec3 left,
        right;  ///< points on the borders of the cone, right to left counter-clockwise seen from above
    bool empty; ///< nothing yet
    bool whole; ///< half a turn or more: the apex is within the hull
} lf__cone;

lf__cone lf__cone_start(lf_vec3 apex, lf_vec3 along);

/// Add a point (finite). Decided exactly.
void lf__cone_add(lf__cone *cone, lf_vec3 p);

/// Would adding this point change nothing?
bool lf__cone_holds(const lf__cone *cone, lf_vec3 p);

/// A posed thing whose points are added to a cone.
typedef struct lf__spreading {
    const void *thing;
    const lf_pose *pose;
    lf__cone *cone;
} lf__spreading;

/// Could a point of this box, posed, change the cone? Takes an lf__spreading, for visitors.
bool lf__spreading_enters(void *user, const lf_box *box);

#endif
