/// landfall/place.h: setting things down on the ground: position, pitch and roll from three or four contacts.
///
/// A thing touches the ground at its contacts: wheels, feet, the corners of a base. The ground is asked under each of them
/// and a plane is laid through the answers; the thing stands on that plane. This is right for things that are small
/// beside the features of the ground. A contact without ground is told and takes no part.
#ifndef LANDFALL_PLACE_H
#define LANDFALL_PLACE_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a plane is found for four contacts. (For three there is only one.)
typedef enum lf_stand_rule {
    LF_STAND_FIT, ///< the plane of least squares: all four share what is left over, as on springs
    LF_STAND_REST ///< a stiff frame: it rests on three, no ground pokes through, the fourth hangs in the air
} lf_stand_rule;

#define LF_FOOTPRINT_CONTACTS 4

/// Where a thing touches the ground, and how to look for that ground.
typedef struct lf_footprint {
    int count; ///< contacts: 3 or 4
    lf_vec2 contacts
        [LF_FOOTPRINT_CONTACTS]; ///< metres forward (x) and to the left (y) of the thing's origin; finite, no
                                 ///< three of them on one line
    lf_stand_rule rule;
    double
        reach; ///< metres, 0 or more: ground so far above the point asked about still counts as below a contact
    int passes; ///< 1 .. 16: how often the tilt found is used to find where tilted wheels really are. 1: the
                ///< contacts are where they would be on level ground
} lf_footprint;

/// Three contacts.
static inline lf_footprint lf_footprint_three(lf_vec2 a, lf_vec2 b, lf_vec2 c) {
    lf_footprint footprint = {3, {a, b, c, {0, 0}}, LF_STAND_FIT, 0, 1};
    return footprint;
}

/// Four wheels: the axles `base` metres apart, the wheels of an axle `track` metres; the origin is in the middle.
/// In the order front left, front right, rear left, rear right.
static inline lf_footprint lf_footprint_wheels(double base, double track) {
    double x = 0.5 * base, y = 0.5 * track;
    lf_footprint footprint = {4, {{x, y}, {x, -y}, {-x, y}, {-x, -y}}, LF_STAND_FIT, 0, 1};
    return footprint;
}

/// How a thing stands.
typedef struct lf_stance {
    bool stands;      ///< was there a plane? If not, only the contacts are told and the rest is zero
    int grounded;     ///< contacts with ground
    lf_vec3 position; ///< the thing's origin: where the gravity line through the point meets the plane
    lf_vec3 normal;   ///< of the plane, unit length, upwards
    lf_vec3 forward;  ///< unit length, in the plane: where the thing's nose points
    double pitch;     ///< radians, positive with the nose up
    double roll;      ///< radians, positive with the left side up
    lf_hit contacts
        [LF_FOOTPRINT_CONTACTS]; ///< the ground under each; kind LF_HIT_NONE and the reason where there is none
    double gaps
        [LF_FOOTPRINT_CONTACTS]; ///< metres from that ground up to the plane: positive where the contact hangs in
                                 ///< the air, negative where ground pokes through; 0 without ground
} lf_stance;

/// Set a thing down: the ground at or below each contact, the plane through it, and how the thing lies in it.
/// footprint  see there
/// point      where the thing's origin is, seen along gravity; finite, z may be INFINITY where gravity is -z
/// heading    where its nose should point, seen along gravity: finite, any length, not along gravity
/// stance     always written; after LF_BAD_ARGUMENT it does not stand and no contact has ground
/// With four contacts, and three of them with ground, the thing stands on those three. With fewer than three it does
/// not stand; a contact's height is never invented.
/// LF_STAND_REST: of the two triples that no ground pokes through, the one over which the origin lies; where it lies on the
/// border of both, the one that leaves the later contact in the air.
/// cursor     counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT, also where there is no down. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_stand(const lf_ground *ground, const lf_footprint *footprint, lf_vec3 point,
                                 lf_vec3 heading, lf_stance *stance, lf_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
