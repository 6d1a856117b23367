/// Cursors from the inside, and the checks that every query makes.
#ifndef LF_ASK_ASK_H
#define LF_ASK_ASK_H

#include "base/base.h"
#include <landfall/ground.h>

struct lf_cursor {
    lf_allocator allocator;
    lf_counters counters;
    uint32_t layers;
    bool from_b; ///< sight: which end decided last

    // For decoded blocks: the module that fills it knows what it contains.
    void *space;
    size_t space_bytes;
    uint64_t space_owner; ///< 0: none

    // For queries that may take very long: called now and then, false ends the query without an answer. NULL:
    // it is not ended.
    bool (*go_on)(struct lf_cursor *cursor);
    void *go_on_user;
};

/// Has the owner of an optional cursor requested that a long query ends?
static inline bool lf__cursor_stops(lf_cursor *cursor) {
    return cursor && cursor->go_on && !cursor->go_on(cursor);
}

/// The layer filter of an optional cursor.
static inline uint32_t lf__cursor_layers(const lf_cursor *cursor) {
    return cursor ? cursor->layers : UINT32_MAX;
}

/// Add the cost of one query to an optional cursor.
static inline void lf__cursor_count(lf_cursor *cursor, const lf_counters *cost) {
    if (!cursor)
        return;
    cursor->counters.questions += cost->questions;
    cursor->counters.nodes += cost->nodes;
    cursor->counters.cells += cost->cells;
    cursor->counters.triangles += cost->triangles;
    cursor->counters.exact += cost->exact;
    cursor->counters.decoded += cost->decoded;
}

/// Is this a valid ray for a query?
bool lf__ray_valid(const lf_ray *ray);

/// Called for each hit as it is found.
typedef struct lf__finder {
    void (*found)(void *user, const lf_hit *hit);
    void *user;
} lf__finder;

/// The ray from a point along gravity, down or up; towards a centre or an axis it ends there. `length` is the
/// length of its direction. false where down is undefined.
bool lf__gravity_ray(const lf_frame *frame, lf_vec3 point, bool down, lf_ray *ray, double *length);

/// The distance of a hit's point along a line of this length per t. The point is on its polygon's plane; t has a
/// relative error of up to 3e-14, which for distant hits is more than the distance of the point from the line.
double lf__line_distance(const lf_ray *line, double length, const lf_hit *hit);

/// A miss. Inline: it is then made in its place. A copy of what was just written in smaller pieces waits for them.
static inline lf_hit lf__hit_none(double t, lf_reason reason) {
    return (lf_hit){.kind = LF_HIT_NONE, .reason = reason, .t = t, .part = -1, .element = -1, .triangle = -1};
}

/// The same for heights, in place.
static inline void lf__hit_nothing(lf_hit *hit, lf_reason reason) {
    *hit = lf__hit_none(LF_INFINITY, reason);
}

/// Refuse a query: its hit, if not NULL, becomes a miss.
static inline lf_status lf__hit_refused(lf_hit *hit) {
    if (hit)
        lf__hit_nothing(hit, LF_REASON_NONE);
    return LF_BAD_ARGUMENT;
}

#endif
