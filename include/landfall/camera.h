/// landfall/camera.h: a camera that flies over a globe and never goes under ground.
///
/// A camera has a velocity along a straight line and one around the globe's centre. A step moves it by both, for as long as a frame lasts;
/// where ground is in the way, or will be soon, the step moves it otherwise, and says how and why. What is examined is the whole way
/// between two frames, not its end.
#ifndef LANDFALL_CAMERA_H
#define LANDFALL_CAMERA_H

#include <landfall/globe.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A camera; start from lf_camera_default(). Positions are earth-centred, in metres, times in seconds, angles in radians.
typedef struct lf_camera {
    size_t size;      ///< stamped by the default function
    lf_vec3 position; ///< metres
    lf_vec3 velocity; ///< along a straight line
    lf_vec3 turn; ///< around the globe's centre: its direction is the axis, its length the angle per second
    lf_vec3 acceleration;      ///< of the velocity,
    lf_vec3 turn_acceleration; ///< and of the turn
    double clearance;          ///< metres above ground to be kept, 0 or more; 2 by default
    double
        raise_limit; ///< metres per second by which a correction may raise the camera, > 0, INFINITY allowed; 200 by default
    double
        look_ahead; ///< seconds ahead from which on it is raised for ground in the way, 0 or more; 2 by default. 0: none
} lf_camera;

static inline lf_camera lf_camera_default(void) {
    lf_camera camera = {sizeof(lf_camera), {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 2, 200, 2};
    return camera;
}

/// What a step did with a camera: name, bit, word, and why.
#define LF_CAMERA_ACT_LIST(X)                                                                            \
    X(LF_CAMERA_STOPPED, 1, "stopped", "without velocity it is not moved into ground")                   \
    X(LF_CAMERA_SLID, 2, "slid", "its velocity led into ground and now leads along it")                  \
    X(LF_CAMERA_RAISED, 4, "raised", "ground was in the way")                                            \
    X(LF_CAMERA_AHEAD, 8, "ahead", "it was raised for ground further ahead")                             \
    X(LF_CAMERA_HELD, 16, "held", "it may not be raised fast enough for all of the way")                 \
    X(LF_CAMERA_RECOVERING, 32, "recovering", "it was below the ground and its clearance")               \
    X(LF_CAMERA_COARSE, 64, "coarse", "finer tiles were missing, so the bound of a coarser one counted") \
    X(LF_CAMERA_UNPROVEN, 128, "unproven", "finer tiles were missing, and the source gives no bound of them")

typedef enum lf_camera_act {
#define LF_CAMERA_ACT_ENUM(name, bit, word, why) name = bit,
    LF_CAMERA_ACT_LIST(LF_CAMERA_ACT_ENUM)
#undef LF_CAMERA_ACT_ENUM
} lf_camera_act;

/// The word for one bit, such as "held", and why it is done; "?" for anything else. Static text. Threads: any.
LF_API const char *lf_camera_act_name(lf_camera_act act);
LF_API const char *lf_camera_act_reason(lf_camera_act act);

/// Where a camera meets ground and its clearance.
typedef struct lf_camera_contact {
    bool met;          ///< within the movement; false and time > 0: further ahead
    double time;       ///< seconds from the beginning of the movement
    lf_geodetic place; ///< of the camera there
    double
        depth; ///< metres by which it would be below ground and clearance, at the deepest place of the movement
    lf_vec3 normal;            ///< of the ground there, upwards, earth-centred
    lf_globe_elevation ground; ///< height, tile, samples
} lf_camera_contact;

#define LF_CAMERA_PIECES 5

/// A piece of a movement: at a time t after its start the camera is at from, turned around the centre by t * turn, and t * velocity further.
typedef struct lf_camera_piece {
    double start;                 ///< seconds of the way
    lf_vec3 from, velocity, turn; ///< start; metres per second; radians per second about the centre
} lf_camera_piece;

/// What became of a step.
typedef struct lf_camera_result {
    uint32_t did;   ///< lf_camera_act bits; 0: it moved as if there were no ground
    double share;   ///< of the way that it went: 1 unless held or stopped
    double raised;  ///< metres
    int64_t frames; ///< as long as this one, after which a recovering camera is clear again; 0 otherwise
    lf_camera_contact contact;                ///< the contact, if there is one
    lf_vec3 from;                             ///< where it was
    double duration;                          ///< of the step, seconds
    double raise_rate;                        ///< metres per second
    int32_t piece_count;                      ///< number of pieces
    lf_camera_piece pieces[LF_CAMERA_PIECES]; ///< the way, before raising
    int64_t bounds;                           ///< stretches of the way that were looked at
} lf_camera_result;

/// Move a camera for so many seconds. Velocity and turn grow by their accelerations first.
///
/// Without ground in the way it ends where the two velocities lead, bit for bit. Else, as published (Luo et al.): a velocity that leads into ground is
/// bent so that it leads along it, and stays so (the camera slides; so is a fall that raising has taken up); a turn around the centre is kept, and the camera raised. Beyond that: it is
/// raised already for ground that is no more than look_ahead away, at the least constant rate that clears it; never faster than raise_limit; and where
/// it would have to be, it is held back on its way, so that its clearance is kept. While finer tiles are missing the bound of the coarser one counts: sources
/// that give bounds are safe whatever is loaded. Others are not: there a tile that arrives can be above the camera, which then recovers, rising at
/// raise_limit, in result->frames frames. Accelerations count for the part of the frame in which it moved.
///
/// camera  position at least half the radius from the centre, everything finite but raise_limit; changed: position, velocity, turn
/// dt      seconds, > 0
/// result  optional
/// Errors: LF_BAD_ARGUMENT; nothing is changed then. Allocates nothing. Threads: any number at once, each with its own camera.
LF_API lf_status lf_camera_step(lf_camera *camera, const lf_globe *globe, double dt,
                                lf_camera_result *result);

/// Put a camera without velocity elsewhere, around the centre, unless ground is in its way: then it stays where it is. A camera that is below
/// ground may always be put above it.
/// to      earth-centred, as a camera's position
/// Otherwise as lf_camera_step. result->duration is 1.
LF_API lf_status lf_camera_move(lf_camera *camera, const lf_globe *globe, lf_vec3 to,
                                lf_camera_result *result);

/// Where would a camera meet ground on its way to a place, around the centre? Changes nothing; velocities and look_ahead do not count. To where it is:
/// the collision of a camera at rest.
/// contact  written: met, and the rest if so. Its time is a share, 0 to 1
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_camera_check(const lf_camera *camera, const lf_globe *globe, lf_vec3 to,
                                 lf_camera_contact *contact);

/// Give a camera the velocities that bring it to a place in so many seconds: around the centre, and up or down. Accelerations become 0.
/// Errors: LF_BAD_ARGUMENT for a place at the centre, and a time that is not above 0. Allocates nothing. Threads: any.
LF_API lf_status lf_camera_aim(lf_camera *camera, lf_vec3 to, double dt);

/// Where a camera was during a step, seconds from its beginning (held within 0 to its duration).
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_camera_at(const lf_camera_result *result, const lf_ellipsoid *ellipsoid, double time);

// ---------------------------------------------------------------------------------------------------
// Paths: a camera that follows positions at times, kept above the ground
//
//     lf_camera_frame frame;
//     lf_camera_path_begin(&camera, globe, &path, &frame);
//     while (!frame.arrived && lf_camera_path_step(&camera, globe, &path, &frame) == LF_OK)
//         draw(&camera);
// ---------------------------------------------------------------------------------------------------

#define LF_CAMERA_SHORTEST 1e-6 ///< seconds from stop to stop, at least
#define LF_CAMERA_LATEST 1e12   ///< times of stops are within so many seconds of 0

/// A position at a time.
typedef struct lf_camera_stop {
    double time;      ///< seconds, within LF_CAMERA_LATEST
    lf_vec3 position; ///< earth-centred, as a camera's
} lf_camera_stop;

/// The path that a camera follows. Between two stops it goes around the centre, and up or down evenly.
typedef struct lf_camera_path {
    const lf_camera_stop *stops; ///< in ascending order of time, at least LF_CAMERA_SHORTEST apart
    int64_t stop_count;          ///< 2 or more
    int64_t tiles;               ///< tiles that are fetched before a frame at most; 0: all that are needed
} lf_camera_path;

/// How far a camera has come on its path: written by lf_camera_path_begin and by each step.
typedef struct lf_camera_frame {
    double time;             ///< seconds, as a clock shows them
    double path_time;        ///< of the path: behind the clock where the camera was held
    lf_vec3 goal;            ///< position of the path at path_time
    double raised;           ///< metres of the camera above it
    bool arrived;            ///< the end of the path is reached
    lf_camera_result result; ///< what became of the last step
} lf_camera_frame;

/// The position of a path at a time; before its first and after its last stop, those.
/// path       valid, see lf_camera_path_begin
/// ellipsoid  of the globe
/// stop       optional: index of the stop before that time, 0 .. stop_count - 2
/// Allocates nothing. Threads: any number at once.
LF_API lf_vec3 lf_camera_path_at(const lf_camera_path *path, const lf_ellipsoid *ellipsoid, double time,
                                 int64_t *stop);

/// Put a camera at the beginning of a path, or above it where that is below the ground and its clearance. Loads tiles.
/// camera  its clearance, look_ahead and raise_limit are used, its position is set
/// path    see there
/// frame   written only on success: the first frame
/// Errors: LF_BAD_ARGUMENT (also for a stop that is not finite, and times that do not ascend), and those of lf_globe_update; the
/// camera is then unchanged. Threads: no other thread may be using the globe.
LF_API lf_status lf_camera_path_begin(lf_camera *camera, lf_globe *globe, const lf_camera_path *path,
                                      lf_camera_frame *frame);

/// One frame along a path: lf_camera_step towards the next stop, and down again to the path by at most as much as the camera may be
/// raised. A frame is as long as the step of the path, also where the camera is behind. Loads tiles.
/// camera  as the last frame left it
/// frame   that of the last step, or of lf_camera_path_begin; not arrived. Written only on success
/// Errors: LF_BAD_ARGUMENT, and those of lf_globe_update; camera and frame are then unchanged. Threads: no other thread may be
/// using the globe.
LF_API lf_status lf_camera_path_step(lf_camera *camera, lf_globe *globe, const lf_camera_path *path,
                                     lf_camera_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
