/// landfall/camera.h: a camera that flies over any ground and keeps its clearance.
///
/// A camera has a linear velocity and an angular velocity about the centre of the globe. A step moves it by both for the
/// duration of a frame. Where ground is in the way, or will be soon, the step changes the motion and reports how and why.
/// The whole motion between two frames is examined, not only its end: nothing is passed through, however fast.
///
/// Over a globe the clearance is a height above its ground. Everything else (grids, meshes, models, boxes, scenes, alone, in
/// groups and in groups with a globe) is met as a surface with two sides, by a sphere whose radius is the clearance: from above and
/// below, under bridges and inside buildings.
#ifndef LANDFALL_CAMERA_H
#define LANDFALL_CAMERA_H

#include <landfall/globe.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A camera; start from lf_camera_default(). Positions are those of the ground (over a globe earth-centred), in metres, times in
/// seconds, angles in radians.
typedef struct lf_camera {
    size_t size;      ///< stamped by the default function
    lf_vec3 position; ///< metres
    lf_vec3 velocity; ///< linear, metres per second
    /// Angular velocity about the centre (the origin of the ground's frame): its direction is the axis, its length radians
    /// per second. Where down is the same everywhere the centre is infinitely far below, and this is a velocity, metres per
    /// second, of which only the level part counts. Ground in the way turns `velocity` aside; from this motion it raises the camera.
    lf_vec3 turn;
    lf_vec3 acceleration;      ///< of the velocity
    lf_vec3 turn_acceleration; ///< of the turn
    /// Least height above the ground of a globe, least distance from everything else: metres, >= 0; 2 by default.
    double clearance;
    /// Metres per second by which a correction may raise the camera, > 0, INFINITY allowed; 200 by default.
    double raise_limit;
    /// Seconds ahead from which on it is raised for ground in the way, 0 or more; 2 by default. 0: none.
    double look_ahead;
    uint32_t
        layers; ///< only elements that share a layer with it are met (a globe always is); all bits by default
} lf_camera;

static inline lf_camera lf_camera_default(void) {
    lf_camera camera = {sizeof(lf_camera), {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0},
                        {0, 0, 0},         2,         200,       2,         UINT32_MAX};
    return camera;
}

/// What a step did to a camera: identifier, bit, name, reason.
#define LF_CAMERA_ACT_LIST(X)                                                                             \
    X(LF_CAMERA_STOPPED, 1, "stopped", "a camera without velocity is not moved into the ground")          \
    X(LF_CAMERA_SLID, 2, "slid", "its velocity pointed into the ground and was turned along it")          \
    X(LF_CAMERA_RAISED, 4, "raised", "ground was in the way")                                             \
    X(LF_CAMERA_AHEAD, 8, "ahead", "it was raised for ground further ahead")                              \
    X(LF_CAMERA_HELD, 16, "held",                                                                         \
      "it was slowed down, because raise_limit does not allow it to rise fast enough")                    \
    X(LF_CAMERA_RECOVERING, 32, "recovering",                                                             \
      "it was below its clearance and rises, or too near and moves away")                                 \
    X(LF_CAMERA_COARSE, 64, "coarse", "finer tiles were not loaded: the bound of a coarser one was used") \
    X(LF_CAMERA_UNPROVEN, 128, "unproven", "finer tiles were not loaded, and the source has no bound of them")

typedef enum lf_camera_act {
#define LF_CAMERA_ACT_ENUM(name, bit, word, why) name = bit,
    LF_CAMERA_ACT_LIST(LF_CAMERA_ACT_ENUM)
#undef LF_CAMERA_ACT_ENUM
} lf_camera_act;

/// The name of one bit, such as "held"; "?" for any other value. Static text. Threads: any.
static inline const char *lf_camera_act_name(lf_camera_act act) {
    LF_NAME_OF(act, LF_CAMERA_ACT_LIST, LF_NAME_CASE_4);
}

/// The reason for one bit, in words; "?" for any other value. Static text. Threads: any.
static inline const char *lf_camera_act_reason(lf_camera_act act) {
    switch (act) {
#define LF_CAMERA_ACT_REASON(name, bit, word, why) \
    case name:                                     \
        return why;
        LF_CAMERA_ACT_LIST(LF_CAMERA_ACT_REASON)
#undef LF_CAMERA_ACT_REASON
    }
    return "?";
}

/// Contact of a camera with the ground (raised by its clearance).
typedef struct lf_camera_contact {
    bool met;             ///< within the motion; false with time > 0: further ahead
    double time;          ///< seconds from the start of the motion
    lf_geodetic geodetic; ///< position of the camera there, over a globe
    /// Metres by which it would fall below its clearance, at the deepest point of the motion; of anything but a globe: how far
    /// the motion leads beyond the place of the contact, along the normal.
    double depth;
    lf_vec3 normal; ///< of the ground there, upwards; of anything but a globe: from it to the camera
    lf_globe_elevation ground; ///< the ground of a globe there
    lf_vec3 position;          ///< of the camera there
    lf_hit hit;                ///< of anything but a globe: what is met, as lf_ground_sweep names it
} lf_camera_contact;

#define LF_CAMERA_PIECES 5 ///< largest number of pieces of a motion

/// A piece of a motion: at the time t after its start the camera is at `from`, rotated about the centre by t * turn, plus
/// t * velocity.
typedef struct lf_camera_piece {
    double start;                 ///< seconds from the start of the motion
    lf_vec3 from, velocity, turn; ///< position; metres per second; radians per second about the centre
} lf_camera_piece;

/// Result of a step.
typedef struct lf_camera_result {
    uint32_t did;              ///< lf_camera_act bits; 0: no ground was in the way
    double share;              ///< fraction of the motion that was made: 1 unless held or stopped
    double raised;             ///< metres that it was raised
    int64_t frames;            ///< frames like this one until a recovering camera has its clearance; else 0
    lf_camera_contact contact; ///< the contact, if there is one
    lf_vec3 from;              ///< position before the step
    double duration;           ///< of the step, seconds
    double raise_rate;         ///< metres per second
    int32_t piece_count;       ///< number of pieces
    lf_camera_piece pieces[LF_CAMERA_PIECES]; ///< the motion, before raising
    int64_t bounds;                           ///< intervals of the motion that were examined
    lf_vec3
        away; ///< metres per second: the motion of a camera that was too near to something and moves away; else zero
} lf_camera_result;

/// Move a camera for a time step. Velocity and turn first change by their accelerations.
///
/// Without ground in the way the camera ends where its velocities lead, bit for bit. Otherwise, as published (Luo et al.): a
/// velocity into the ground is turned along it and stays so (the camera slides; also when raising has stopped a descent); a
/// rotation about the centre is kept, and the camera is raised. Beyond that, the camera is raised in advance for ground up
/// to look_ahead seconds away, at the least constant rate that clears it, and never faster than raise_limit; where that is
/// too slow, the camera is held back, so that its clearance is kept. While finer tiles are not loaded, the bound of the
/// coarser one is used: with sources that have bounds, the camera is safe whatever is loaded. With others, a tile that is
/// loaded later can be above the camera, which then recovers: it rises at raise_limit, for result->frames frames.
/// Accelerations count for the part of the frame in which the camera moved.
///
/// The same holds for everything that is not a globe, where it is met by the sphere of the clearance: a wall turns the velocity
/// along it, a building ahead raises the camera over it, as far as nothing is overhead. It is not raised into a ceiling; where no
/// rate clears the path, it is held. The clearance is kept to within 10 micrometres. A camera that starts too near moves away,
/// at raise_limit; one that has nothing below it and above it the back of a grid, or of a mesh that is the whole ground, is below
/// ground, and rises.
///
/// camera  over a globe: position at least half the radius from the centre; down must be defined at it. Everything finite
///         except raise_limit; position, velocity and turn are changed
/// ground  any. Of a globe what is loaded counts, with the bounds of what is not
/// dt      seconds, > 0
/// result  optional; written only on success
/// Errors: LF_BAD_ARGUMENT; nothing is changed then. Allocates nothing. Threads: any number at once, each with its own
/// camera.
LF_API lf_status lf_camera_step(lf_camera *camera, const lf_ground *ground, double dt,
                                lf_camera_result *result);

/// Move a camera to a position, about the centre (straight, where down is the same everywhere), regardless of its velocities. It stays where it is if ground is in the
/// way. A camera that is below the ground may always be moved above it.
/// to      as the position of a camera
/// Otherwise as lf_camera_step. result->duration is 1.
LF_API lf_status lf_camera_move(lf_camera *camera, const lf_ground *ground, lf_vec3 to,
                                lf_camera_result *result);

/// Where would a camera meet ground on a motion to a position, as lf_camera_move makes it? Changes nothing; velocities and look_ahead
/// are not used. With its own position: does the camera at rest collide?
/// contact  always written; without a contact all but `met` is zero. Its time is a fraction of the motion, 0 to 1
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_camera_check(const lf_camera *camera, const lf_ground *ground, lf_vec3 to,
                                 lf_camera_contact *contact);

/// Set the velocities that bring a camera to a position in a given time: `turn` about the centre, or level where down is the same
/// everywhere, and `velocity` up or down. Accelerations become 0.
/// ground  whose frame says where down is
/// Errors: LF_BAD_ARGUMENT (a position at the centre, dt not > 0). Allocates nothing. Threads: any.
LF_API lf_status lf_camera_aim(lf_camera *camera, const lf_ground *ground, lf_vec3 to, double dt);

/// The position of a camera during a step.
/// ground  that of the step
/// time    seconds from the start of the step, limited to 0 .. duration
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_camera_at(const lf_camera_result *result, const lf_ground *ground, double time);

// ---------------------------------------------------------------------------------------------------
// Paths: a camera that follows positions at given times and stays above the ground
//
//     lf_camera_frame frame;
//     lf_camera_path_begin(&camera, ground, &path, &frame);
//     while (!frame.arrived && lf_camera_path_step(&camera, ground, &path, &frame) == LF_OK)
//         draw(&camera);
// ---------------------------------------------------------------------------------------------------

#define LF_CAMERA_SHORTEST 1e-6 ///< least time from stop to stop, seconds
#define LF_CAMERA_LATEST 1e12   ///< largest magnitude of the time of a stop, seconds

/// A position at a time.
typedef struct lf_camera_stop {
    double time;      ///< seconds, within LF_CAMERA_LATEST
    lf_vec3 position; ///< as a camera's
} lf_camera_stop;

/// The path of a camera. Between two stops it moves as lf_camera_aim says, at constant speed.
typedef struct lf_camera_path {
    const lf_camera_stop *stops; ///< in ascending order of time, at least LF_CAMERA_SHORTEST apart
    int64_t stop_count;          ///< 2 or more
    int64_t tiles;               ///< largest number of tiles fetched per frame; 0: all that are needed
    lf_globe *globe; ///< of the ground, to load tiles into ahead of the camera; NULL: none are loaded
} lf_camera_path;

/// State of a camera on its path: written by lf_camera_path_begin and by each step.
typedef struct lf_camera_frame {
    double time;             ///< seconds, of the clock
    double path_time;        ///< seconds, of the path: behind the clock if the camera was held
    lf_vec3 goal;            ///< position of the path at path_time
    double raised;           ///< metres of the camera above the goal
    bool arrived;            ///< the end of the path is reached
    lf_camera_result result; ///< of the last step
} lf_camera_frame;

/// The position of a path at a time, which is limited to those of its first and last stop.
/// path    valid, see lf_camera_path_begin
/// ground  whose frame says where down is
/// stop    optional: index of the stop before that time, 0 .. stop_count - 2
/// Allocates nothing. Threads: any number at once.
LF_API lf_vec3 lf_camera_path_at(const lf_camera_path *path, const lf_ground *ground, double time,
                                 int64_t *stop);

/// Put a camera at the start of a path, or above it, where it has its clearance. Loads tiles. Where anything but a globe is too
/// near, the camera stays at the start and moves away with the first steps.
/// camera  its clearance, look_ahead and raise_limit are used, its position is set
/// path    see there
/// frame   written only on success: the first frame
/// Errors: LF_BAD_ARGUMENT (also for a stop that is not finite, and times that do not ascend), and those of
/// lf_globe_update; the camera is then unchanged. Threads: no other thread may use path->globe.
LF_API lf_status lf_camera_path_begin(lf_camera *camera, const lf_ground *ground, const lf_camera_path *path,
                                      lf_camera_frame *frame);

/// Move a camera by one frame along a path: lf_camera_step towards the next stop, and back down to the path by at most
/// raise_limit. The frame lasts from stop to stop, also where the camera is behind. Loads tiles.
/// camera  as the last frame left it
/// frame   that of the last step, or of lf_camera_path_begin; not arrived. Written only on success
/// Errors: LF_BAD_ARGUMENT, and those of lf_globe_update; camera and frame are then unchanged. Threads: no other thread may
/// use path->globe.
LF_API lf_status lf_camera_path_step(lf_camera *camera, const lf_ground *ground, const lf_camera_path *path,
                                     lf_camera_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
