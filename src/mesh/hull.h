/// The convex hull of points seen along gravity: what is beyond it is outside, what is within it without
/// ground is a hole.
#ifndef LF_MESH_HULL_H
#define LF_MESH_HULL_H

#include "base/memory.h"
#include <landfall/geom.h>

typedef struct lf__hull {
    lf_vec3 direction; ///< along which we look
    lf_vec3 *corners;  ///< in order; looking against the direction they run counter-clockwise
    int64_t count;
} lf__hull;

/// The hull of points (finite, at least one) along a direction (finite, not zero), decided by exact signs.
lf_status lf__hull_make(lf__hull *hull, const lf_allocator *allocator, const lf_vec3 *points, int64_t count,
                        lf_vec3 direction);
void lf__hull_free(lf__hull *hull, const lf_allocator *allocator);

/// The number of the corner that is just this point; -1: none.
int64_t lf__hull_find(const lf__hull *hull, lf_vec3 point);

/// Is a point's shadow within the closed hull? Exact.
bool lf__hull_contains(const lf__hull *hull, lf_vec3 point);

#endif
