/// Total viewshed: what its kernel and the rest share.
#ifndef LF_SIGHT_TOTAL_H
#define LF_SIGHT_TOTAL_H

#include "base/base.h"

/// Observers of a block: so many samples of a row, one beside the other.
#define LF__TOTAL_LANES 16

/// Places of an azimuth between two tests whether any of them can be seen.
#define LF__TOTAL_CHUNK 16

/// Bounds of heights are kept for squares of this many samples, each from the corner of a square to the far corner of the next one in both
/// directions: the places of a chunk, of all lanes, are within one of them.
#define LF__TOTAL_SQUARE 32

/// Where an azimuth crosses a line between two samples, as seen from any observer of a row.
typedef struct lf__total_crossing {
    int64_t a, b;  ///< the samples, as offsets from the observer's
    float f;       ///< share of b
    float inverse; ///< 1 / metres
    float drop;    ///< by which the earth's curvature lowers its slope
} lf__total_crossing;

/// A place along an azimuth: where it crosses a column, or a row, whichever it crosses more often.
typedef struct lf__total_place {
    lf__total_crossing at;
    lf__total_crossing before; ///< of the other kind, since the place before; it only hides
    bool crosses;              ///< is there one?
    int32_t beside;            ///< whole columns, or rows, to the side
    float area;                ///< square metres that it stands for
    float moment;              ///< these times the distance
} lf__total_place;

/// An azimuth, as seen from a block.
typedef struct lf__total_line {
    const lf__total_place *places; ///< from near to far
    int64_t count;
    float target, above; ///< height of targets; and if that is positive
    float highest;       ///< no ground is above this
    const float *bounds; ///< of squares, all rows of them, `bound_columns` each
    int64_t bound_columns;
    int64_t column, row; ///< of the first lane, in the samples of the buffer
    bool swap;           ///< places are one row apart, not one column
    bool back;           ///< towards lower columns, or rows
    double drift;        ///< rows, or columns, from place to place
} lf__total_line;

/// What a block sees along an azimuth.
typedef struct lf__total_sums {
    float area[LF__TOTAL_LANES];
    float moment[LF__TOTAL_LANES]; ///< area times metres
    float last[LF__TOTAL_LANES];   ///< number of the farthest visible place, from 1; 0: none
} lf__total_sums;

typedef void lf__total_kernel(const lf__total_line *line, const float *samples, const float *eyes,
                              lf__total_sums *sums);

lf__total_kernel *lf__total_kernel_for(lf_isa isa);

#endif
