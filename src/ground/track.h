/// The track of a way over the ground: all gravity lines over a straight segment, and where outlines cross them.
///
/// Seen along gravity, ground changes only where the outline of an element crosses the way. These places cut the way into
/// pieces on which every element either lies all along or not at all: what holds in the middle of a piece holds
/// on the whole of it, and no hole is too narrow to be found.
///
/// In every frame the gravity lines over a segment are x(t) + s * r(t) with x and r linear in t: for a gravity vector x
/// runs along the segment and r stays; towards a centre x stays and r runs; about an axis both run.
#ifndef LF_GROUND_TRACK_H
#define LF_GROUND_TRACK_H

#include <landfall/ground.h>

typedef struct lf__track {
    lf_vec3 start, end;   ///< of the segment
    lf_vec3 x0, x1;       ///< x(t) = x0 + t * x1
    lf_vec3 r0, r1;       ///< r(t) = r0 + t * r1: upwards
    double s_low, s_high; ///< the lines are as long as the frame has them
    double s_start;       ///< s of the segment's own points
    bool still;           ///< seen along gravity the segment is a point: nothing is ever crossed
} lf__track;

/// The track of the segment from a to b. false when there is no down somewhere on it (it meets the centre or the axis).
bool lf__track_make(const lf_frame *frame, lf_vec3 a, lf_vec3 b, lf__track *track);

/// The same track for something posed: in its own coordinates.
lf__track lf__track_posed(const lf__track *track, const lf_pose *pose);

static inline lf_vec3 lf__track_x(const lf__track *track, double t) {
    return lf_vec3_along(track->x0, t, track->x1);
}

static inline lf_vec3 lf__track_r(const lf__track *track, double t) {
    return lf_vec3_along(track->r0, t, track->r1);
}

/// The point of the segment at t: its ends exactly.
lf_vec3 lf__track_point(const lf__track *track, double t);

/// The gravity line at t as a ray from the segment's point downwards, as long as the frame has it both ways: t_min is
/// below 0.
lf_ray lf__track_line(const lf__track *track, double t);

/// The least few places beyond `after` where outlines are crossed, in ascending order, each once. There may be places too
/// many: a cut where nothing changes does no harm.
typedef struct lf__cuts {
    double after;
    double *list;
    int64_t capacity;
    int64_t count;
} lf__cuts;

void lf__cuts_offer(lf__cuts *cuts, double t);

/// Offer where the track crosses the outline of a triangle. About an axis also where that goes through it: there the
/// triangle changes over to the lines of the other side.
void lf__track_cross(const lf__track *track, const lf_vec3 triangle[3], lf__cuts *cuts);

/// Can the track meet something in this box, at a place that the cuts still want? Never wrong when it says no.
typedef struct lf__track_slab {
    lf_plane planes[4]; ///< normal . p <= offset; normal zero: no limit
} lf__track_slab;

/// The part of space that the track passes from cuts->after to the last cut that may still be wanted.
lf__track_slab lf__track_part(const lf__track *track, const lf__cuts *cuts);
bool lf__track_slab_enters(const lf__track_slab *slab, const lf_box *box);

/// A search through a thing for the places where its outlines cross a track.
typedef struct lf__crossing {
    const void *thing;
    const lf__track *track;
    lf__cuts *cuts;
    lf__track_slab part;
    double last; ///< the last cut when `part` was made
} lf__crossing;

lf__crossing lf__crossing_start(const void *thing, const lf__track *track, lf__cuts *cuts);

/// Can anything in this box matter to the search? Takes an lf__crossing, for visitors.
bool lf__crossing_enters(void *user, const lf_box *box);

#endif
