/// landfall/walk.h: trying to move over the ground, with holes and steps as obstacles.
#ifndef LANDFALL_WALK_H
#define LANDFALL_WALK_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a walker can do.
typedef struct lf_walker {
    double step;  ///< metres up that it can take at once: 0 or more, INFINITY allowed
    double drop;  ///< metres down likewise
    double crack; ///< obstacles no longer than this along the way are stepped over; 0: none, however narrow
} lf_walker;

/// A walker that can step so far up and down.
static inline lf_walker lf_walker_default(double step) {
    lf_walker walker = {step, step, 0};
    return walker;
}

/// How a walk ended.
typedef enum lf_walk_end {
    LF_WALK_ARRIVED,
    LF_WALK_NO_GROUND, ///< there is no more ground: the reason says whether that is a hole or outside
    LF_WALK_STEP_UP,   ///< the ground goes on, but higher than a step
    LF_WALK_STEP_DOWN  ///< the ground goes on, but deeper than a drop
} lf_walk_end;

typedef struct lf_walk {
    lf_walk_end end;
    lf_reason reason; ///< LF_REASON_ANSWERED unless there is no more ground
    double t;         ///< how far along the way, 0 to 1
    lf_vec3
        position; ///< the last permitted one, on the ground; where there was none to start from, the start itself
    lf_hit
        ground; ///< what it stands on there (its t is 0); kind LF_HIT_NONE where there was none to start from
    double step; ///< metres of the step that was refused: positive up, negative down; 0 where none was
} lf_walk;

/// The polyline that was walked.
typedef struct lf_path {
    lf_vec3 *points;  ///< room for capacity points
    int64_t capacity; ///< 0 or more
    int64_t count;    ///< written: how many there are; when more than capacity, the first are there
} lf_path;

/// Try to move over the ground, straight from one point to another as seen along gravity.
///
/// At every place of the way the walker stands on the highest ground that is not more than `step` above where it stood just
/// before. Where there is none, or where it is more than `drop` below, the walk ends. So it goes up kerbs and
/// stairs, stays on a bridge or under it, and on several floors follows the one that permitted steps lead to.
/// The whole way is examined, not samples of it: every outline that crosses the way is looked at, on both sides. (An
/// obstacle shorter than 16 units in the last place of the coordinates is not told from a shared edge.)
/// Steps are allowed up to 1 nanometre beyond the limits, and some units in the last place of the coordinates: a kerb of
/// 0.2 m is no obstacle to a step of 0.2 m.
///
/// walker  see there
/// from    it starts on the highest ground that is not more than `step` above this point, however deep below: finite; z may
///         be INFINITY where gravity is -z
/// to      finite; only where it is seen along gravity matters (where gravity is -z, its z may be anything but NaN)
/// walk    always written, except on LF_BAD_ARGUMENT
/// path    optional: the start, every place where the ground under the walker changes (both ends of a step), the end.
///         About an axis, the way over one polygon is a curve; the polyline has its ends
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_PARTIAL when the path has more points than room; LF_BAD_ARGUMENT, also for a way that meets the centre or the
/// axis of the frame; LF_NO_MEMORY. Takes memory from the ground's allocator only where more than 32 floors lie
/// over one place, and gives it back. Threads: any number at once.
LF_API lf_status lf_ground_walk(const lf_ground *ground, const lf_walker *walker, lf_vec3 from, lf_vec3 to,
                                lf_walk *walk, lf_path *path, lf_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
