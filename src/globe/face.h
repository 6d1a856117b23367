/// A globe as ground, from the inside: what of it is loaded, or the finest there is.
#ifndef LF_GLOBE_FACE_H
#define LF_GLOBE_FACE_H

#include "query/query.h"
#include <landfall/globe.h>

typedef struct lf__globe_face {
    lf_globe *globe;
    bool finest; ///< the finest there is, else what is loaded
} lf__globe_face;

/// Begin and end a query. Where it may load tiles, queries wait for one another, and at the end tiles beyond
/// the budget are dropped. Otherwise both do nothing. Between them only the calls below and const queries are
/// allowed.
void lf__globe_face_begin(const lf__globe_face *face);
void lf__globe_face_end(const lf__globe_face *face);

/// The globe of a face.
static inline const lf_globe *lf__globe_face_globe(const lf__globe_face *face) {
    return face->globe;
}

/// The first hit of a ray; false: none, with the reason in the hit (LF_REASON_NOT_LOADED: no memory to load tiles).
/// Begins and ends its own query.
bool lf__globe_face_first(const lf__globe_face *face, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);

/// Line of sight between two positions. Begins and ends its own query.
void lf__globe_face_sight(const lf__globe_face *face, lf_vec3 a, lf_vec3 b, double refraction,
                          lf_globe_sight *sight, lf_cursor *cursor);

/// The ground at the place of a position. Begins and ends its own query.
void lf__globe_face_ground(const lf__globe_face *face, lf_vec3 position, lf_globe_elevation *ground);

#endif
