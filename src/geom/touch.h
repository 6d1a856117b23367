/// Do two closed triangles share a point? Exactly, whatever their shape.
#ifndef LF_GEOM_TOUCH_H
#define LF_GEOM_TOUCH_H

#include <landfall/geom.h>

/// Touching counts, and so do coplanar triangles. A triangle without area is the segment, or the point, that its corners
/// span. Exact in the range of the predicates in landfall/geom.h. Allocates nothing. Threads: any.
bool lf__triangles_touch(const lf_vec3 p[3], const lf_vec3 q[3]);

#endif
