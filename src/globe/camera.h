/// What the files of the camera share: the ground that it flies over, its path, and fast conversion of positions.
#ifndef LF_GLOBE_CAMERA_H
#define LF_GLOBE_CAMERA_H

#include "base/base.h"
#include <landfall/camera.h>

/// The highest that ground can be in an area.
typedef struct lf__ceiling {
    double high;   ///< metres above the ellipsoid; -INFINITY without ground
    bool coarser;  ///< finer tiles are missing somewhere in it, and a bound of theirs counts
    bool unproven; ///< finer tiles are missing somewhere in it, and their height is unknown
} lf__ceiling;

/// The ground of a camera: a globe, or one that a test defines.
typedef struct lf__camera_land {
    lf_ellipsoid ellipsoid;
    const void *user;
    /// Over a closed area: west <= east, at most 360 apart, any turn; west = east and south = north is a
    /// place. Never too low, and for small areas close to the actual height.
    lf__ceiling (*upper)(const void *user, lf_geodetic_box area);
    /// The ground and its normal at a place.
    void (*ground)(const void *user, double lon, double lat, lf_globe_elevation *ground, lf_vec3 *normal);
} lf__camera_land;

/// The ground of a globe.
lf__camera_land lf__camera_land_of(const lf_globe *globe);

/// A camera's path, and the work that was done.
typedef struct lf__flight {
    const lf__camera_land *land;
    double clearance;
    double skin_time; ///< seconds over which the skin grows, see flight.c
    int piece_count;
    lf_camera_piece pieces[LF_CAMERA_PIECES];
    int64_t bounds;
    bool coarser, unproven; ///< somewhere where it mattered
} lf__flight;

/// A moment of the path.
typedef struct lf__moment {
    double time; ///< seconds
    lf_geodetic place;
} lf__moment;

/// The position on the path at a time. The last piece has no end.
lf_vec3 lf__flight_at(const lf__flight *flight, double time);

/// Where the path first comes down to ground and clearance within the time from..to; false: nowhere. The
/// camera rises by `rate` metres per second from the start of the path.
bool lf__flight_first(lf__flight *flight, double from, double to, double rate, lf__moment *first);

/// The least constant rate, metres per second, at which the camera must rise from the start of the path to be
/// clear of the ground until a time; 0: it is clear. INFINITY: it is not clear at the start. `where` is the
/// moment that requires this rate.
double lf__flight_rate(lf__flight *flight, double to, lf__moment *where);

/// The depth below ground and clearance at the deepest moment of the path until a time, within a 256th of
/// that time; not above 0: it is clear.
double lf__flight_depth(lf__flight *flight, double to, lf__moment *where);

/// The depth of the start of the path below the upper bound of the ground and the clearance; not above 0: it
/// is clear.
double lf__flight_start(lf__flight *flight);

/// Is a place clear of the upper bound of the ground and a clearance? If not, `depth` is how far it is below.
bool lf__flight_clear(const lf__camera_land *land, lf_geodetic place, double clearance, double *depth);

/// A vector turned about the centre by an angle vector.
lf_vec3 lf__flight_turned(lf_vec3 v, lf_vec3 angle);

/// Metres above the clearance to which a camera is moved: a margin for rounding and for bounds that are not tight.
#define LF__FLIGHT_SKIN 0.01

/// As the public calls of these names, over any land; arguments have been checked, and result is not optional.
void lf__camera_step(lf_camera *camera, const lf__camera_land *land, double dt, lf_camera_result *result);
void lf__camera_move(lf_camera *camera, const lf__camera_land *land, lf_vec3 to, lf_camera_result *result);
void lf__camera_check(const lf_camera *camera, const lf__camera_land *land, lf_vec3 to,
                      lf_camera_contact *contact);
void lf__camera_aim(lf_camera *camera, lf_vec3 to, double dt);

// ---------------------------------------------------------------------------------------------------
// Positions to longitude, latitude and height
// ---------------------------------------------------------------------------------------------------

/// As lf_ellipsoid_to_geodetic, off by no more than LF__PLACE_ANGLE degrees and LF__PLACE_HEIGHT metres for
/// each 6,400 km of distance from the centre.
lf_geodetic lf__place_of(const lf_ellipsoid *ellipsoid, lf_vec3 position);

#define LF__PLACE_ANGLE 2e-11
#define LF__PLACE_HEIGHT 1e-6

#endif
