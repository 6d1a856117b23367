/// What the files of the camera share: the ground that it flies over, its path, and fast conversion of positions.
#ifndef LF_GLOBE_CAMERA_H
#define LF_GLOBE_CAMERA_H

#include "base/base.h"
#include "globe/globe.h"
#include "ground/ground.h"
#include <landfall/camera.h>

/// The highest that ground can be in an area.
typedef struct lf__ceiling {
    double high;   ///< metres above the ellipsoid; -INFINITY without ground
    bool coarser;  ///< finer tiles are missing somewhere in it, and a bound of theirs counts
    bool unproven; ///< finer tiles are missing somewhere in it, and their height is unknown
} lf__ceiling;

/// The ground of a camera: a globe, and everything else.
typedef struct lf__camera_land {
    const lf__globe_face *face; ///< the globe; NULL: none
    lf_ellipsoid ellipsoid;     ///< of the globe
    const lf_ground *world;     ///< what the sphere of the clearance meets, less the globe; NULL: nothing
    const lf_frame *frame;      ///< of gravity
    uint32_t layers;            ///< of the world that count
} lf__camera_land;

void lf__camera_land_find(const lf_ground *ground, uint32_t layers, lf__camera_land *land);

/// The highest ground of a globe over a closed area: west <= east, at most 360 apart, any turn; west = east and south = north is a
/// place. Never too low, and for small areas close to the actual height.
lf__ceiling lf__globe_upper(const lf_globe *globe, lf_geodetic_box area);

/// The ground of a globe and its normal at a place.
void lf__globe_camera_ground(const lf_globe *globe, double lon, double lat, lf_globe_elevation *ground,
                             lf_vec3 *normal);

/// The direction away from gravity at a position, unit length; over a globe the ellipsoid's normal.
lf_vec3 lf__land_up(const lf__camera_land *land, lf_vec3 position);

/// A position raised along it, and the height of a position in that direction.
lf_vec3 lf__land_raised(const lf__camera_land *land, lf_vec3 position, double height);
double lf__land_height(const lf__camera_land *land, lf_vec3 position);

/// A camera's path, and the work that was done.
typedef struct lf__flight {
    const lf__camera_land *land;
    double clearance;
    double skin_time; ///< seconds over which the skin grows, see flight.c
    int piece_count;
    lf_camera_piece pieces[LF_CAMERA_PIECES];
    lf_vec3 nudges
        [LF_CAMERA_PIECES]; ///< the part of each piece's velocity that only keeps it off what it slides along
    int contacts[LF_CAMERA_PIECES]; ///< with the world, before each piece
    int64_t bounds;
    bool coarser, unproven; ///< somewhere where it mattered
    double margin,
        tolerance; ///< metres beyond the clearance at which the world is met, and within which; see camera_sweep.c
} lf__flight;

/// A moment of the path.
typedef struct lf__moment {
    double time; ///< seconds
    lf_geodetic place;
} lf__moment;

/// The position on the path at a time. The last piece has no end.
lf_vec3 lf__flight_at(const lf__flight *flight, double time);

/// Where the path first comes down to the ground of the globe and the clearance within the time from..to; false: nowhere.
/// The camera rises by `rate` metres per second from the start of the path.
bool lf__flight_first(lf__flight *flight, double from, double to, double rate, lf__moment *first);

/// The least constant rate, metres per second, at which the camera must rise from the start of the path to be
/// clear of the globe until a time; 0: it is clear. INFINITY: it is not clear at the start. `where` is the
/// moment that requires this rate.
double lf__flight_rate(lf__flight *flight, double to, lf__moment *where);

/// The depth below the globe's ground and the clearance at the deepest moment of the path until a time, within a 256th of
/// that time; not above 0: it is clear.
double lf__flight_depth(lf__flight *flight, double to, lf__moment *where);

/// The depth of the start of the path below the upper bound of the globe's ground and the clearance; not above 0: it
/// is clear.
double lf__flight_start(lf__flight *flight);

/// Is a place clear of the upper bound of the globe's ground and a clearance? If not, `depth` is how far it is below.
bool lf__flight_clear(const lf__camera_land *land, lf_geodetic place, double clearance, double *depth);

/// The bound of the acceleration of a camera that rises from a piece of a path at a rate until a time.
double lf__flight_bend(const lf__flight *flight, const lf_camera_piece *piece, double rate, double time);

// ---------------------------------------------------------------------------------------------------
// The world: everything but the globe, met by the sphere of the clearance (camera_sweep.c)
// ---------------------------------------------------------------------------------------------------

/// A moment at which something is met: the globe, or something of the world.
typedef struct lf__encounter {
    lf__moment at; ///< of the world: only the time
    bool swept;    ///< it is of the world,
    lf_hit hit;    ///< this
} lf__encounter;

/// What of the world is met first within the time from..to, as lf__flight_first; false: nothing.
bool lf__flight_world_first(lf__flight *flight, double from, double to, double rate, lf__encounter *first);

/// The least rate from `low` on, and at most `limit`, at which nothing of the world is met until a time; INFINITY: none. It is
/// met at `low`: `first`.
double lf__flight_world_rate(lf__flight *flight, double to, double low, double limit,
                             const lf__encounter *first);

/// How a camera is too near to something of the world, or below it.
typedef struct lf__nearness {
    double lack;  ///< metres that it must move
    lf_vec3 away; ///< in this direction, unit length,
    double free;  ///< of these so many can be moved without meeting anything else
    lf_hit hit;   ///< what it is
} lf__nearness;

/// Is nothing of the world near the path until a time? Then the flight's margin is set. One sweep: false may mean anything.
bool lf__flight_world_clear(lf__flight *flight, double to);

/// Is a camera at rest too near to something, or below ground? false: it is clear, and the flight's margin is set.
bool lf__flight_world_near(lf__flight *flight, lf_vec3 position, lf__nearness *near);

/// The part, 0 .. 1, of a straight motion from a position on that nothing blocks.
double lf__flight_world_free(const lf__flight *flight, lf_vec3 position, lf_vec3 motion);

/// A vector turned about the centre by an angle vector.
lf_vec3 lf__flight_turned(lf_vec3 v, lf_vec3 angle);

/// Metres above the clearance to which a camera is moved: a margin for rounding and for bounds that are not tight.
#define LF__FLIGHT_SKIN 0.01

/// As the public calls of these names; arguments have been checked, and result is not optional.
void lf__camera_step(lf_camera *camera, const lf__camera_land *land, double dt, lf_camera_result *result);
void lf__camera_move(lf_camera *camera, const lf__camera_land *land, lf_vec3 to, lf_camera_result *result);
void lf__camera_check(const lf_camera *camera, const lf__camera_land *land, lf_vec3 to,
                      lf_camera_contact *contact);
void lf__camera_aim(lf_camera *camera, const lf__camera_land *land, lf_vec3 to, double dt);
lf_vec3 lf__camera_at(const lf_camera_result *result, const lf__camera_land *land, double time);

// ---------------------------------------------------------------------------------------------------
// Positions to longitude, latitude and height
// ---------------------------------------------------------------------------------------------------

/// As lf_ellipsoid_to_geodetic, off by no more than LF__PLACE_ANGLE degrees and LF__PLACE_HEIGHT metres for
/// each 6,400 km of distance from the centre.
lf_geodetic lf__place_of(const lf_ellipsoid *ellipsoid, lf_vec3 position);

#define LF__PLACE_ANGLE 2e-11
#define LF__PLACE_HEIGHT 1e-6

#endif
