/// A globe as ground, from the inside: what of it is loaded, or the finest there is.
#ifndef LF_GLOBE_FACE_H
#define LF_GLOBE_FACE_H

#include "query/query.h"
#include <landfall/globe.h>

typedef struct lf__globe_face {
    lf_globe *globe;
    bool finest; ///< the finest there is, else what is loaded
} lf__globe_face;

/// Begin and end a question. Where it may load, questions wait for one another, and what was loaded goes again at the end as far as it is beyond the
/// budget. Else both do nothing. Between them nothing but the calls below and const questions.
void lf__globe_face_begin(const lf__globe_face *face);
void lf__globe_face_end(const lf__globe_face *face);

/// What a face is a face of.
static inline const lf_globe *lf__globe_face_globe(const lf__globe_face *face) {
    return face->globe;
}

/// The first meeting of a ray; false: none, with the reason in the hit (LF_REASON_NOT_LOADED: there was no memory to find out). A question of its own.
bool lf__globe_face_first(const lf__globe_face *face, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);

/// Sight between two positions, without air. A question of its own.
void lf__globe_face_sight(const lf__globe_face *face, lf_vec3 a, lf_vec3 b, lf_globe_sight *sight,
                          lf_cursor *cursor);

/// The ground at the place of a position. A question of its own.
void lf__globe_face_ground(const lf__globe_face *face, lf_vec3 position, lf_globe_elevation *ground);

#endif
