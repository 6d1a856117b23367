/// Two ends, put in order, so that what is said about them is the same both ways.
#ifndef LF_SIGHT_PAIR_H
#define LF_SIGHT_PAIR_H

#include "ground/group.h"
#include "sight/detail.h"
#include <landfall/mesh.h>

typedef struct lf__sight_pair {
    const lf_sight_rules *rules; ///< checked
    lf_vec3 a, b;                ///< the lesser end first: by x, then y, then z
    bool turned;                 ///< the caller's a is our b
    double length;               ///< metres on the map
    double sag;                  ///< the line lies lower than straight by sag * t * (1 - t)
    lf_vec3 down;                ///< unit; where gravity is one direction
} lf__sight_pair;

/// Which of two ends is the lesser.
static inline bool lf__sight_comes_first(lf_vec3 a, lf_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/// The caller's rules, checked, over the defaults.
lf_status lf__sight_rules_read(const lf_sight_rules *given, lf_sight_rules *rules);

/// May these rules be asked of a ground?
bool lf__sight_rules_fit(const lf_sight_rules *rules, const lf_ground *ground);

/// May this be an end? Without branches: batches ask it of every end.
static inline bool lf__sight_end_valid(const lf_sight_rules *rules, lf_vec3 end) {
    bool near = (fabs(end.x) <= LF__FARTHEST) & (fabs(end.y) <= LF__FARTHEST) & (fabs(end.z) <= LF__FARTHEST);
    return near & ((rules->units == LF_MAP_METRES) | (fabs(end.y) <= 90));
}

/// The x of the second end, moved by whole turns to where the line from the first one takes the shorter way; as it is without a turn.
double lf__sight_short_way(const lf_ground *ground, double from, double to);

/// Put two valid ends in order. `measure`: the length is wanted even where nothing bends.
void lf__sight_pair_make(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                         bool measure, lf__sight_pair *pair);

/// The line of a pair over a grid. It begins at the pair's b, `turned`, where that alone is near the grid.
lf__sight_line lf__sight_pair_line(const lf__sight_pair *pair, const lf_grid *grid, bool *turned);

/// What is wanted of a pair.
typedef enum lf__sight_want {
    LF__SIGHT_FIRST, ///< where the line breaks first, seen from the caller's a
    LF__SIGHT_ANY,   ///< whether it does; search from a
    LF__SIGHT_ANY_B  ///< whether it does; search from b
} lf__sight_want;

/// The verdict on a pair; t counts from the caller's a, and is anywhere on the line where any place will do.
void lf__sight_pair_ask(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_want want,
                        lf__sight_answer *answer, lf_cursor *cursor);

/// By how much the line clears the ground.
void lf__sight_pair_detail(const lf_ground *ground, const lf__sight_pair *pair, lf__sight_detail *detail,
                           lf_cursor *cursor);

/// One line, all checked but its ends.
lf_status lf__sight_between(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                            lf_sight *sight, lf_cursor *cursor);

/// Its verdict alone, ends checked too.
lf_verdict lf__sight_verdict(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                             lf_cursor *cursor);

/// A point of the line, t from the pair's a; and from the caller's a.
lf_vec3 lf__sight_pair_at(const lf__sight_pair *pair, double t);
lf_vec3 lf__sight_pair_point(const lf__sight_pair *pair, double t);

#endif
