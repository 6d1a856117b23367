/// One polygon into triangles, none of its area lost.
#ifndef LF_IO_CUT_H
#define LF_IO_CUT_H

#include "base/array.h"
#include <landfall/geom.h>

/// Scratch, grown as needed and free between polygons.
typedef struct lf__cut {
    lf__array ring;      ///< int64_t: corners that bound something
    lf__array points;    ///< lf_vec3: their places
    lf__array triangles; ///< int64_t: the result, three numbers of corners each
} lf__cut;

/// Cut a polygon of 3 or more finite corners. The triangles' outline is the polygon's own, apart from corners on a straight edge and
/// from spikes, so that a closed body stays closed: ears are cut off where the outline's projection allows it; an outline that crosses
/// itself there becomes the fan with the least area. Triangles without area may be among the result.
/// crossed  set where it became a fan
/// Errors: LF_NO_MEMORY, LF_TOO_LARGE.
lf_status lf__cut_polygon(lf__cut *cut, const lf_allocator *allocator, const lf_vec3 *corners, int64_t count,
                          bool *crossed);

void lf__cut_free(lf__cut *cut, const lf_allocator *allocator);

#endif
