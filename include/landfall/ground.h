/// landfall/ground.h: one interface for all kinds of ground.
///
/// Grids, meshes, globes, models, scenes and groups of all of them are grounds (lf_grid_ground and so on), and answer the same
/// queries. Heights and rays come first; sweeps, standing, walking, groups and locales build on them. For ground in a file
/// (landfall/store.h) any query may return LF_BAD_FORMAT: the file is damaged, and the output is not a result.
#ifndef LANDFALL_GROUND_H
#define LANDFALL_GROUND_H

#include <landfall/geom.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of object that was hit.
typedef enum lf_hit_kind { LF_HIT_NONE, LF_HIT_TRIANGLE, LF_HIT_CELL } lf_hit_kind;

/// One result for all kinds of ground. On a miss kind is LF_HIT_NONE, reason is set, t is the ray's
/// t_max, and the rest is zero (ids -1).
typedef struct lf_hit {
    lf_hit_kind kind; ///< which kind
    lf_reason reason; ///< why there is no hit
    double t;         ///< along the ray; for heights the distance, see lf_ground_height
    lf_vec3 point;    ///< where
    lf_vec3 normal;   ///< unit length, on the counter-clockwise (front) side of the surface
    int64_t part;     ///< which member of a group, which part of a scene; 0 where there are none
    /// The polygon, or the cell: row * (columns - 1) + column of its lower left sample on a grid (row * columns + column for
    /// LF_SURFACE_POINT and where it wraps), row * columns + column of its south-west sample in a tile of a globe.
    int64_t element;
    int32_t triangle; ///< which triangle of that polygon or cell
    int32_t level;    ///< level of detail, 0 where there is only one
    double u, v; ///< barycentrics of the triangle's second and third corner (heights: see lf_ground_weights)
    double resolution; ///< metres between samples where that applies, else 0
    uint64_t user;     ///< the element's user value
    uint32_t layers;   ///< the element's layers
    uint32_t inner; ///< of a part that is a group or a scene itself: which of its parts, see lf_group; else 0
} lf_hit;

/// Work done by queries, in units that do not depend on the clock.
typedef struct lf_counters {
    uint64_t questions; ///< queries with this cursor
    uint64_t nodes;     ///< inner nodes whose children were tested
    uint64_t cells;     ///< leaves, cells or tiles entered
    uint64_t triangles; ///< triangles tested
    uint64_t exact;     ///< decisions by exact arithmetic, where rounding could matter
    uint64_t decoded;   ///< samples of compressed grids that were decoded
} lf_counters;

/// A caller's own workspace for queries: counters, decoded blocks, the layer filter. It makes questions
/// cheaper or narrower, never different. One per thread. Every query also accepts NULL.
typedef struct lf_cursor lf_cursor;

/// Make a cursor.
/// host    hooks (only the allocator is used) or NULL
/// cursor  written only on success; free with lf_cursor_destroy
/// Errors: LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_cursor_create(const lf_host *host, lf_cursor **cursor);

/// Free a cursor; NULL is accepted. Threads: one per cursor.
LF_API void lf_cursor_destroy(lf_cursor *cursor);

/// The counters since creation or the last reset. cursor not NULL. Threads: one per cursor.
LF_API lf_counters lf_cursor_counters(const lf_cursor *cursor);

/// Set all counters to zero. cursor not NULL. Threads: one per cursor.
LF_API void lf_cursor_reset(lf_cursor *cursor);

/// Only see elements that share at least one layer with this mask (all bits at creation).
/// cursor not NULL; a mask of 0 sees nothing. Threads: one per cursor.
LF_API void lf_cursor_set_layers(lf_cursor *cursor, uint32_t layers);

/// How much memory the cursor keeps for decoded blocks of compressed grids (256 KiB at creation). What it
/// held is forgotten. With too little for a handful of blocks, or without a cursor, blocks are kept for no
/// longer than a question.
/// cursor  not NULL; bytes 0: none
/// Errors: LF_NO_MEMORY (it then keeps what it had). Threads: one per cursor.
LF_API lf_status lf_cursor_set_budget(lf_cursor *cursor, size_t bytes);

/// What can be asked for heights, rays and everything that is built on these: grids, meshes, globes, models, scenes, groups.
typedef struct lf_ground lf_ground;

/// The frame of a ground: where down is. Allocates nothing. Threads: any number at once.
LF_API lf_frame lf_ground_frame(const lf_ground *ground);

/// The box of everything in a ground. Allocates nothing. Threads: any number at once.
LF_API lf_box lf_ground_box(const lf_ground *ground);

/// Direction of a height query along the gravity line through its point.
typedef enum lf_vertical {
    LF_VERTICAL_DOWN, ///< nearest ground at or below the point
    LF_VERTICAL_UP    ///< nearest ground at or above the point
} lf_vertical;

/// Where the gravity line through a point meets the ground.
/// point   within 1e30; z may be INFINITY where gravity is -z: the topmost ground, downwards
/// vertical  down or up; ground at the point itself counts for both (t = 0)
/// hit     always written; t is the distance along the line, point and normal are in world coordinates.
///         On a miss the reason is set: outside, hole, or none (ground only on the other side).
///         After LF_BAD_ARGUMENT it is a miss with the reason none
/// Accuracy: which polygon, and whether there is one, is exact; the height is within 1e-10 m, or 1e-14 of the
/// terrain's extent where that is more. On a grid it is exact at samples, and elsewhere within 8 * 2^-53
/// (bilinear: 10 * 2^-53), which is about 1e-15, of the largest height of the cell in magnitude.
/// Ties:   nearest, compared exactly, then lowest part, then lowest polygon index, on a grid then lowest
///         triangle. Walls (edge-on to gravity) are never met; one-sided polygons only from their front.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT for a NaN. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_height(const lf_ground *ground, lf_vec3 point, lf_vertical vertical, lf_hit *hit,
                                  lf_cursor *cursor);

/// Fill in the barycentrics u and v of a height's hit; rays come with theirs.
/// hit     a hit that this ground gave; u and v are written, to within rounding of its point
/// Heights leave them 0, because few need them and reading the corners costs more than finding the ground.
/// Errors: LF_BAD_ARGUMENT for NULL, for a miss, and for an element that this ground does not have.
/// Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_weights(const lf_ground *ground, lf_hit *hit);

/// Every meeting of the gravity line through a point with the ground, from the top down; one-sided polygons
/// from both sides.
/// hits      space for capacity hits; t is positive below the point and negative above it
///           (distance from the topmost hit where z is INFINITY)
/// count     how many there are; when more than capacity, the first are written and LF_PARTIAL is returned; 0
///           after LF_BAD_ARGUMENT
/// Otherwise as lf_ground_height.
LF_API lf_status lf_ground_height_all(const lf_ground *ground, lf_vec3 point, lf_hit *hits, int64_t capacity,
                                      int64_t *count, lf_cursor *cursor);

/// The first element that a ray meets.
/// ray     finite origin, non-zero direction, 0 <= t_min <= t_max; the interval is closed
/// hit     always written; on a miss kind is LF_HIT_NONE and t is ray->t_max (after LF_BAD_ARGUMENT:
///         INFINITY)
/// Ties:   lowest t, compared exactly before it is rounded, then lowest part, then lowest polygon index. A
///         start on the surface is a hit at t_min. A ray in the plane of a polygon meets it where it enters
///         it.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_ray_first(const lf_ground *ground, const lf_ray *ray, lf_hit *hit,
                                     lf_cursor *cursor);

/// Does a ray meet anything? As lf_ground_ray_first, but any hit will do, and only true or false is returned
/// (after LF_BAD_ARGUMENT: false).
LF_API lf_status lf_ground_ray_any(const lf_ground *ground, const lf_ray *ray, bool *blocked,
                                   lf_cursor *cursor);

/// Every polygon a ray meets, in the order of t, then polygon index; one hit per polygon. The order is that
/// of the exact t; rounded, they never fall. On a globe a ray that runs within a wall between two tiles has a
/// few hits where it enters the wall, and the next behind it.
/// hits    space for capacity hits
/// count   how many there are; when more than capacity, the first are written and LF_PARTIAL is returned; 0
///         after LF_BAD_ARGUMENT
/// Otherwise as lf_ground_ray_first.
LF_API lf_status lf_ground_ray_all(const lf_ground *ground, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                                   int64_t *count, lf_cursor *cursor);

/// Many heights: bit for bit what lf_ground_height gives for each point.
/// points, hits  count of each, `point_stride` and `hit_stride` bytes apart (0: packed; LF_STRIDE_SAME for points)
/// tasks         parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a NaN point; nothing is written then. Allocates nothing.
LF_API lf_status lf_ground_height_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                       int64_t count, lf_vertical vertical, lf_hit *hits, size_t hit_stride,
                                       const lf_tasks *tasks);

/// Many heights as numbers: a hit is twenty times as large.
/// points, heights  count of each, `point_stride` and `height_stride` bytes apart (0: packed; LF_STRIDE_SAME for points)
/// heights          bit for bit the height of the hit that lf_ground_height gives for each point: the z of
///                  the hit's point where down is -z, else the z that lf_frame_to_local makes of it; NAN
///                  where there is no ground
/// tasks            parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a NaN point; nothing is written then. Allocates nothing, but for compressed
/// grids, queried on one thread for several heights per tile: a megabyte from the grid's allocator, without
/// which they are slower.
LF_API lf_status lf_ground_heights_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                        int64_t count, lf_vertical vertical, double *heights,
                                        size_t height_stride, const lf_tasks *tasks);

/// Many first hits: bit for bit what lf_ground_ray_first gives for each ray.
/// rays, hits  count of each, `ray_stride` and `hit_stride` bytes apart (0: packed; LF_STRIDE_SAME for rays)
/// tasks       parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a bad ray; nothing is written then. Allocates nothing.
LF_API lf_status lf_ground_ray_first_many(const lf_ground *ground, const lf_ray *rays, size_t ray_stride,
                                          int64_t count, lf_hit *hits, size_t hit_stride,
                                          const lf_tasks *tasks);

// ---------------------------------------------------------------------------------------------------
// Spheres and boxes that move
// ---------------------------------------------------------------------------------------------------

/// A sphere or a box, and its straight motion; start from lf_sweep_sphere or lf_sweep_box.
typedef struct lf_sweep {
    lf_pose pose;     ///< rigid: where it is at the start; a sphere's centre is the translation
    lf_vec3 half;     ///< half the sides of a box, each above 0; all 0 for a sphere
    double radius;    ///< of a sphere, 0 or more; 0 for a box
    lf_vec3 motion;   ///< finite
    double tolerance; ///< metres, above 0; 1e-6 by default
} lf_sweep;

/// A sphere; a radius of 0 is a point.
static inline lf_sweep lf_sweep_sphere(lf_vec3 centre, double radius, lf_vec3 motion) {
    lf_sweep sweep = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, centre}, {0, 0, 0}, radius, motion, 1e-6};
    return sweep;
}

/// The box of the points pose(x) with |x| <= half along each axis.
static inline lf_sweep lf_sweep_box(lf_pose pose, lf_vec3 half, lf_vec3 motion) {
    lf_sweep sweep = {pose, half, 0, motion, 1e-6};
    return sweep;
}

/// First contact of a sphere or box that moves in a straight line without rotation. The motion is continuous: nothing is passed
/// through, however fast. The ground is only the surface, from both sides: what is below it or in a closed shape does not touch.
/// sweep   see there
/// hit     always written. t is along the motion, 0 .. 1. It is conservative: not later than the contact, and not earlier than
///         the contact of the same object enlarged by the tolerance on all sides; 0 where the object is within the
///         tolerance at its start. point: of the ground, within the tolerance of the object; normal: from there to the object, unit
///         length, the ground's own where they overlap; u and v are 0. On a miss t is 1
/// Ties:   lowest t, then lowest part, then lowest element. On a bilinear cell with slopes of thousands the tolerance is at least
///         a 2000th of its diagonal; a globe's surface is met to within 1 mm more.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_sweep(const lf_ground *ground, const lf_sweep *sweep, lf_hit *hit,
                                 lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Groups: a world of several grounds, each with its own pose, queried as one.
// ---------------------------------------------------------------------------------------------------

/// One member of a group: a ground or a box, and where it is. Zeros are the defaults of everything but ground and pose.
typedef struct lf_group_part {
    /// Borrowed, must outlive the group, and may be shared by many parts; NULL: the part is a box.
    const lf_ground *ground;
    lf_pose pose;    ///< rigid
    lf_box box;      ///< of a part without ground: in its own coordinates, not empty, finite
    uint32_t layers; ///< 0: its elements have their own layers, a box has layer 1; else all of it has these
    uint64_t user;   ///< 0: its elements have their own user values; else all of it has this one
} lf_group_part;

/// How to make a group; start from lf_group_def_default().
typedef struct lf_group_def {
    size_t size;  ///< stamped by the default function
    lf_host host; ///< hooks of the caller
    /// Where down is for the whole group, whatever the parts were made for. With a globe: the globe's, as it is posed.
    lf_frame frame;
    const lf_group_part *parts; ///< copied
    int64_t part_count;         ///< 1 or more
} lf_group_def;

/// The default: down is -z. Fill in parts.
static inline lf_group_def lf_group_def_default(void) {
    lf_group_def def = {sizeof(lf_group_def),
                        {NULL, NULL, NULL, NULL},
                        {LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                        NULL,
                        0};
    return def;
}

/// Any grounds and boxes as one ground, which move as rigid parts: grids, meshes, models, scenes, groups, and at most one globe.
///
/// Each query is answered by the parts that it can meet, found by a tree of their boxes, in the part's own coordinates: those
/// that lf_pose_to_local and lf_pose_turn_to_local give, in doubles; with the identity as pose, unchanged. A part whose own down
/// is the group's down there (one that is only moved, and turned about gravity) answers with what it keeps for
/// gravity lines; one that is tilted answers as to any other ray. Answers are those of one ground made of all polygons as they
/// stand, up to the rounding of the poses. Which of two polygons' hits comes first is decided by the exact t of the line in
/// each part's coordinates; where one of them is of a grid or of round shape, by t as it is rounded.
///
/// A box is a part without ground: it has six faces, which are met as the polygons of a mesh. Faces 0 .. 5 are those of
/// low x, high x, low y, high y, low z, high z.
///
/// Hits name the part. Where it is a group itself, `inner` is its part's number plus the `inner` of a hit of that part, counting
/// as many numbers for each earlier part as that part has: 1, or all those of its own parts if it is a group, 2^24 if it is a scene.
typedef struct lf_group lf_group;

/// Make a group.
/// group  written only on success; free with lf_group_destroy
/// error  optional; `where` is the index of the offending part
/// Errors: LF_BAD_ARGUMENT (no part, a pose that is not rigid, an empty or infinite box, two globes, a frame without direction),
/// LF_TOO_LARGE (more than 2^31 parts, or 2^32 numbers), LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_group_create(const lf_group_def *def, lf_group **group, lf_error *error);

/// Free a group, not its parts; NULL is accepted. Threads: not while another thread uses it.
LF_API void lf_group_destroy(lf_group *group);

/// How many parts it has. Allocates nothing. Threads: any number at once.
LF_API int64_t lf_group_count(const lf_group *group);

/// The pose of a part, 0 <= part < count. Allocates nothing. Threads: any number at once.
LF_API lf_pose lf_group_pose(const lf_group *group, int64_t part);

/// Move a part: the cost does not depend on how large it is. A group that this one is a part of needs lf_group_update.
/// Errors: LF_BAD_ARGUMENT (no such part, a pose that is not rigid, or another one for a globe); then nothing changes.
/// Allocates only to rebuild the tree, after many moves; without memory the tree is kept. Threads: not while another thread uses
/// the group.
LF_API lf_status lf_group_set_pose(lf_group *group, int64_t part, const lf_pose *pose);

/// Take over the boxes of all parts, after a ground that is a part has changed its own: by an edit, a step of a scene, a move
/// within a group. (A group of a single ground in its own coordinates needs this never.) Groups that are parts are not updated
/// themselves. Costs a comparison per part, and as much as a move for each that has changed.
/// Errors: LF_BAD_ARGUMENT. Allocates as lf_group_set_pose. Threads: not while another thread uses the group.
LF_API lf_status lf_group_update(lf_group *group);

/// The group as a ground, for as long as the group exists; NULL for NULL. Costs nothing. Threads: any.
LF_API const lf_ground *lf_group_ground(const lf_group *group);

// ---------------------------------------------------------------------------------------------------
// Objects standing on the ground: position, pitch and roll from three or four contacts.
//
// An object touches the ground at its contacts: wheels, feet, the corners of a base. The ground is queried
// under each and a plane is fitted to the results; the object stands on that plane. This is right for objects
// that are small compared with the features of the ground. A contact without ground is reported and ignored.
// ---------------------------------------------------------------------------------------------------

/// How a plane is found for four contacts. (For three there is only one.)
typedef enum lf_stand_rule {
    LF_STAND_FIT, ///< the plane of least squares: all four share what is left over, as on springs
    LF_STAND_REST ///< a stiff frame: it rests on three, no ground pokes through, the fourth hangs in the air
} lf_stand_rule;

/// Most contacts of a footprint.
#define LF_FOOTPRINT_CONTACTS 4

/// Where an object touches the ground, and how that ground is searched.
typedef struct lf_footprint {
    int count; ///< contacts: 3 or 4
    /// Metres forward (x) and to the left (y) of the object's origin; finite, no three of them on one line.
    lf_vec2 contacts[LF_FOOTPRINT_CONTACTS];
    lf_stand_rule rule; ///< how it stands
    /// Metres, 0 or more: ground up to this far above the queried point still counts as below a contact.
    double reach;
    int passes; ///< 1 .. 16: how often the tilt found is used to find where tilted wheels really are. 1: the
                ///< contacts are where they would be on level ground
} lf_footprint;

/// Three contacts.
static inline lf_footprint lf_footprint_three(lf_vec2 a, lf_vec2 b, lf_vec2 c) {
    lf_footprint footprint = {3, {a, b, c, {0, 0}}, LF_STAND_FIT, 0, 1};
    return footprint;
}

/// Four wheels: the axles `base` metres apart, the wheels of an axle `track` metres; the origin is in the
/// middle. In the order front left, front right, rear left, rear right.
static inline lf_footprint lf_footprint_wheels(double base, double track) {
    double x = 0.5 * base, y = 0.5 * track;
    lf_footprint footprint = {4, {{x, y}, {x, -y}, {-x, y}, {-x, -y}}, LF_STAND_FIT, 0, 1};
    return footprint;
}

/// How an object stands.
typedef struct lf_stance {
    bool stands;      ///< was there a plane? If not, only the contacts are set and the rest is zero
    int grounded;     ///< contacts with ground
    lf_vec3 position; ///< the object's origin: where the gravity line through the point meets the plane
    lf_vec3 normal;   ///< of the plane, unit length, upwards
    lf_vec3 forward;  ///< unit length, in the plane: the object's forward direction
    double pitch;     ///< radians, positive with the nose up
    double roll;      ///< radians, positive with the left side up
    /// The ground under each; kind LF_HIT_NONE and the reason where there is none.
    lf_hit contacts[LF_FOOTPRINT_CONTACTS];
    /// Metres from that ground up to the plane: positive where the contact hangs in the air, negative where
    /// ground pokes through; 0 without ground.
    double gaps[LF_FOOTPRINT_CONTACTS];
} lf_stance;

/// Stand an object on the ground: the ground at or below each contact, the plane through it, and the pose on
/// it.
/// footprint  see there
/// point      the object's origin, seen along gravity; finite, z may be INFINITY where gravity is -z
/// heading    its forward direction, seen along gravity: finite, any length, not along gravity
/// stance     always written; after LF_BAD_ARGUMENT it does not stand and no contact has ground
/// With four contacts, and three of them with ground, the object stands on those three. With fewer than three
/// it does not stand; a contact's height is never invented. LF_STAND_REST: of the two triples that no ground
/// pokes through, the one over which the origin lies; where it lies on the border of both, the one that
/// leaves the later contact in the air.
/// cursor     counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT, also where there is no down. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_ground_stand(const lf_ground *ground, const lf_footprint *footprint, lf_vec3 point,
                                 lf_vec3 heading, lf_stance *stance, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Walking over the ground, with gaps and steps as obstacles.
// ---------------------------------------------------------------------------------------------------

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
    LF_WALK_NO_GROUND, ///< there is no more ground: the reason is hole or outside
    LF_WALK_STEP_UP,   ///< the ground goes on, but higher than a step
    LF_WALK_STEP_DOWN  ///< the ground goes on, but deeper than a drop
} lf_walk_end;

/// How a walk went.
typedef struct lf_walk {
    lf_walk_end end;  ///< why it ended
    lf_reason reason; ///< LF_REASON_ANSWERED unless there is no more ground
    double t;         ///< how far along the way, 0 to 1
    /// The last permitted one, on the ground; where there was none to start from, the start itself.
    lf_vec3 position;
    /// What it stands on there (its t is 0); kind LF_HIT_NONE where there was none to start from.
    lf_hit ground;
    double step; ///< metres of the step that was refused: positive up, negative down; 0 where none was
} lf_walk;

/// The polyline that was walked.
typedef struct lf_path {
    lf_vec3 *points;  ///< space for capacity points
    int64_t capacity; ///< 0 or more
    int64_t count;    ///< written: how many there are; when more than capacity, the first are there
} lf_path;

/// Try to move over the ground, straight from one point to another as seen along gravity.
///
/// At every place of the way the walker stands on the highest ground that is not more than `step` above where
/// it stood just before. Where there is none, or where it is more than `drop` below, the walk ends. So it
/// goes up kerbs and stairs, stays on a bridge or under it, and on several floors follows the one that
/// permitted steps lead to. The whole way is examined, not samples of it: every outline that crosses the path
/// is tested, on both sides. (An obstacle shorter than 16 units in the last place of the coordinates cannot
/// be distinguished from a shared edge.) Steps are allowed up to 1 nanometre beyond the limits, and some
/// units in the last place of the coordinates: a kerb of 0.2 m is no obstacle to a step of 0.2 m.
///
/// walker  see there
/// from    it starts on the highest ground that is not more than `step` above this point, however deep below:
///         finite; z may be INFINITY where gravity is -z
/// to      finite; only where it is seen along gravity matters (where gravity is -z, its z may be anything
///         but NaN)
/// walk    always written, except on LF_BAD_ARGUMENT
/// path    optional: the start, every place where the ground under the walker changes (both ends of a step),
///         the end. About an axis, the way over one polygon is a curve; the polyline has its ends
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_PARTIAL when the path has more points than capacity; LF_BAD_ARGUMENT, also for a way that meets
/// the centre or the axis of the frame; LF_NO_MEMORY. Takes memory from the ground's allocator only where
/// more than 32 floors lie over one place, and frees it. Threads: any number at once.
LF_API lf_status lf_ground_walk(const lf_ground *ground, const lf_walker *walker, lf_vec3 from, lf_vec3 to,
                                lf_walk *walk, lf_path *path, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Locales, which are volumes between a floor and a ceiling: which of them hold a point, and which borders
// does a move cross.
//
// A volume is what has floor below and ceiling above. Its sides need no walls: they are where floor or
// ceiling end. It is closed: a point on the floor or on the ceiling is inside. Where floor and ceiling are in
// one ground they must be apart: a point on a surface with nothing else above or below is not inside.
// ---------------------------------------------------------------------------------------------------

/// A volume with a name.
typedef struct lf_locale {
    const char *name; ///< not NULL, not empty, unlike all others
    const lf_ground
        *floor; ///< must outlive the locales, and stay within the box that it had when they were made
    const lf_ground *ceiling; ///< likewise; NULL: in the same ground as the floor
} lf_locale;

/// A set of named volumes. They may overlap.
typedef struct lf_locales lf_locales;

/// Make a set of locales.
/// list     count >= 1 of them; copied, the names too
/// host     hooks (only the allocator is used) or NULL
/// locales  written only on success; free with lf_locales_destroy
/// error    optional; `where` is the index of the offending locale
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_locales_create(const lf_locale *list, int64_t count, const lf_host *host,
                                   lf_locales **locales, lf_error *error);

/// Free locales, not their grounds; NULL is accepted. Threads: not while another thread uses them.
LF_API void lf_locales_destroy(lf_locales *locales);

/// The name of a locale by its index in the list; NULL beyond it; it lives as long as the locales. Allocates nothing. Threads: any
/// number at once.
LF_API const char *lf_locales_name(const lf_locales *locales, int64_t index);

/// Which locales hold a point, in ascending order.
/// point     finite
/// indices   space for capacity of them
/// count     how many there are; when more than capacity, the lowest are written and LF_PARTIAL is returned
/// cursor    counters and filters of the caller's thread, or NULL
/// The cost is that of two heights for each locale whose floor is under the point; many locales are found by a tree of boxes.
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_locales_at(const lf_locales *locales, lf_vec3 point, int64_t *indices, int64_t capacity,
                               int64_t *count, lf_cursor *cursor);

/// One border crossed.
typedef struct lf_crossing {
    double t;       ///< along the segment, 0 to 1
    lf_vec3 point;  ///< where
    int64_t locale; ///< whose border
    bool entering;  ///< or leaving
} lf_crossing;

/// Which borders does a straight move cross, and where? The whole segment is examined, not samples of it: a
/// locale that is left for the width of a finger is left and entered.
/// from, to   finite; they may be the same
/// crossings  space for capacity of them, in the order of t; at the same t leaving comes first, then the
///            lower locale
/// count      how many there are; when more than capacity, the first are written and LF_PARTIAL is returned
/// From the locales that hold `from`, the crossings lead to those that hold `to`: a move that begins on a
/// border and goes away leaves at t = 0. In between, a border that is only touched is not crossed. What is
/// shorter than 16 units in the last place of the coordinates cannot be distinguished from that.
/// cursor     counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT, also for a segment that meets the centre or the axis of a locale's frame.
/// Allocates nothing. Threads: any number at once.
LF_API lf_status lf_locales_cross(const lf_locales *locales, lf_vec3 from, lf_vec3 to, lf_crossing *crossings,
                                  int64_t capacity, int64_t *count, lf_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
