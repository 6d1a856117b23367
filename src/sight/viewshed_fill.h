/// A group of bins on its way outwards, and how its chunks are filled.
#ifndef LF_SIGHT_VIEWSHED_FILL_H
#define LF_SIGHT_VIEWSHED_FILL_H

#include "sight/viewshed_sweep.h"
#include <math.h>

/// Rounding of slopes, as a share of their size.
#define LF__OFF_HEIGHT 1e-6

/// A group on its way.
typedef struct lf__course {
    const lf__sweep *sweep;
    const lf__sector *sector;
    int group;
    double v0, v1;
    bool near_voids; ///< voids may be among the samples of the chunk
    int64_t settled; ///< the bounds hold for targets up to this ring
    lf__chunk *chunk;
} lf__course;

/// Where a direction crosses a ring.
static inline double lf__course_place(const lf__sector *s, double v, int64_t ring) {
    return s->ob + ((double)ring - s->oa) * v;
}

/// Posts along a ring.
typedef struct lf__posts_span {
    int64_t low, high; ///< both included; low > high: none
} lf__posts_span;

/// Which b have 0 <= fixed + b * factor < count?
void lf__clip(lf__posts_span *s, int64_t fixed, int factor, int64_t count);

/// Which posts of a ring exist?
lf__posts_span lf__posts_of(const lf__sector *s, const lf_grid *grid, int64_t ring);

/// Everything about `rings` rings from `ring` on but their bounds.
void lf__course_fill(const lf__course *c, int64_t ring, int rings);

#endif
