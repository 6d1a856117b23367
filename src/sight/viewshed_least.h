/// Least visible heights: calls of the sweep, a target and the ground along its direction.
#ifndef LF_SIGHT_VIEWSHED_LEAST_H
#define LF_SIGHT_VIEWSHED_LEAST_H

#include "sight/viewshed_sweep.h"

// ---------------------------------------------------------------------------------------------------
// What the sweep calls
// ---------------------------------------------------------------------------------------------------

/// Add a chunk, whose targets are done, to what decides least heights; and bins of half the width. The first bin begins
/// at v0.
void lf__least_ground_add(lf__chunk *chunk, double v0);
void lf__least_ground_split(lf__chunk *chunk, double v0);

/// Upper bounds of the slopes before the first ring.
void lf__least_near_start(const lf__bin_group *c);

/// Are least heights decided by edges? Elsewhere, where there are voids, by rings.
static inline bool lf__least_by_pieces(const lf__sweep *sweep) {
    return !sweep->voids;
}

/// Collect the edges of a bin, before a target in it is examined, from the chunks that were added since the last time: those that
/// reached its lower bound when the last chunk was added. Nothing is collected for bins in which all is visible.
void lf__least_collect(lf__chunk *chunk, int m, double v0);
void lf__least_pieces_split(lf__chunk *chunk, double v0);

/// Write least heights of the hidden samples of some rings, all of which have been processed or skipped.
void lf__sweep_least(const lf__bin_group *c, int64_t first, int64_t last);

// ---------------------------------------------------------------------------------------------------
// What the files of least heights share
// ---------------------------------------------------------------------------------------------------

/// Greatest error of a height, relative to it: half the rounding error of a float.
#define LF__LEAST_OFF 0x1p-25

/// A target, and the greatest slope that ground before it demands.
typedef struct lf__least_target {
    lf__target line; ///< its slope is the greatest one so far
    double at;       ///< where the ground demands it
} lf__least_target;

/// Ground along the direction: its height above the observer at a distance.
typedef struct lf__least_place {
    double x, g;
} lf__least_place;

/// Where the direction crosses a ring: samples before and after, and the ground between them.
typedef struct lf__least_crossing {
    int64_t b;
    double share, low, high;
    lf__least_place place;
} lf__least_crossing;

/// The bins that a target may be in: rounding may have put it into the next one.
typedef struct lf__least_bins {
    int low, high;
} lf__least_bins;

/// Ground along a straight stretch, of which the end counts.
void lf__least_stretch(lf__least_target *t, lf__least_place from, lf__least_place to);

lf__least_crossing lf__least_cross(const lf__target *t, int64_t ring);

/// The strip before the first ring, from the ground below the observer on.
void lf__least_near(lf__least_target *t);

/// Ground that reaches no higher than this slope, lowered and above the plane, demands no greater one.
float lf__least_reach(const lf__chunk *chunk, const lf__target *t);

/// The strip behind a ring that reached high enough, if that was the last one before the chunk: its bounds leave that ring out, within whose
/// rounding a triangle may be higher. Not known where there are voids.
unsigned lf__least_before(const lf__chunk *chunk, lf__least_bins bins);

/// Test rings of a chunk before a target; false: there are voids.
bool lf__least_past(lf__least_target *t, const lf__chunk *chunk, int k, uint64_t blocks, unsigned rings);

/// The least height above ground of a hidden sample; NAN: a void is in the way; negative: unknown. `base` is added to
/// it, which must not make its error greater.
double lf__least_of_target(const lf__chunk *chunk, int64_t ring, int64_t b, double v0, double base);

/// The samples of a ring that belong to the group and to the window.
lf__sample_span lf__least_span(const lf__bin_group *c, int64_t ring);

/// Write the least heights of some rings by the edges of bins.
void lf__least_by_edges(const lf__bin_group *c, int64_t first, int64_t last);

#endif
