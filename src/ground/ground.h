/// Any ground: its function table, and what walks, locales and groups build on.
///
/// Seen along gravity, ground changes only where the outline of an element crosses the path. These places cut
/// the path into pieces; along a piece every element lies either under all of it or under none of it: what
/// holds in the middle of a piece holds on all of it, and no hole is too narrow to be found.
///
/// In every frame the gravity lines over a segment are x(t) + s * r(t) with x and r linear in t: for a
/// gravity vector x varies along the segment and r is constant; towards a centre x is constant and r varies;
/// about an axis both vary.
#ifndef LF_GROUND_GROUND_H
#define LF_GROUND_GROUND_H

#include "base/containers.h"
#include "query/query.h"
#include <landfall/geom.h>
#include <landfall/ground.h>

// ---------------------------------------------------------------------------------------------------
// Tracks
// ---------------------------------------------------------------------------------------------------

typedef struct lf__track {
    lf_vec3 start, end;   ///< of the segment
    lf_vec3 x0, x1;       ///< x(t) = x0 + t * x1
    lf_vec3 r0, r1;       ///< r(t) = r0 + t * r1: upwards
    double s_low, s_high; ///< limits of the lines in the frame
    double s_start;       ///< s of the segment's own points
    bool still;           ///< seen along gravity the segment is a point: nothing is ever crossed
} lf__track;

/// The track of the segment from a to b. false: down is undefined somewhere on it (it meets the centre or the
/// axis).
bool lf__track_make(const lf_frame *frame, lf_vec3 a, lf_vec3 b, lf__track *track);

/// The same track in the coordinates of a posed object.
lf__track lf__track_posed(const lf__track *track, const lf_pose *pose);

static inline lf_vec3 lf__track_x(const lf__track *track, double t) {
    return lf_vec3_along(track->x0, t, track->x1);
}

static inline lf_vec3 lf__track_r(const lf__track *track, double t) {
    return lf_vec3_along(track->r0, t, track->r1);
}

/// The point of the segment at t: its ends exactly.
lf_vec3 lf__track_point(const lf__track *track, double t);

/// The gravity line at t as a ray downwards from the segment's point, with the limits of the frame in both
/// directions: t_min is below 0.
lf_ray lf__track_line(const lf__track *track, double t);

/// The least few places beyond `after` where outlines are crossed, in ascending order, each once. There may
/// be extra places: a cut where nothing changes does no harm.
typedef struct lf__cuts {
    double after;
    double *list;
    int64_t capacity;
    int64_t count;
} lf__cuts;

void lf__cuts_offer(lf__cuts *cuts, double t);

/// Add where the track crosses the outline of a triangle; about an axis also where the axis passes through
/// it: there the triangle moves to the lines of the other side.
void lf__track_cross(const lf__track *track, const lf_vec3 triangle[3], lf__cuts *cuts);

/// Half-spaces around a part of the track. A box outside of them cannot be met there.
typedef struct lf__track_slab {
    lf_plane planes[4]; ///< normal . p <= offset; normal zero: no limit
} lf__track_slab;

/// A search of an object for the places where its outlines cross a track.
typedef struct lf__crossing {
    const void *object;
    const lf__track *track;
    lf__cuts *cuts;
    lf__track_slab part;
    double last; ///< the last cut when `part` was computed
} lf__crossing;

lf__crossing lf__crossing_start(const void *object, const lf__track *track, lf__cuts *cuts);

/// Can anything in this box matter to the search? Takes an lf__crossing, for visitors.
bool lf__crossing_enters(void *user, const lf_box *box);

// ---------------------------------------------------------------------------------------------------
// Cones of directions
// ---------------------------------------------------------------------------------------------------

// Is a point outside of many others, seen along gravity? The directions of the others form a growing cone; as
// long as it is narrower than half a turn, the point is outside of their convex hull.

typedef struct lf__cone {
    lf_vec3 apex;
    lf_vec3 along; ///< down: the direction of projection
    lf_vec3 left,
        right;  ///< points on the borders of the cone, right to left counter-clockwise seen from above
    bool empty; ///< nothing yet
    bool whole; ///< half a turn or more: the apex is within the hull
} lf__cone;

lf__cone lf__cone_start(lf_vec3 apex, lf_vec3 along);

/// Add a point (finite). Decided exactly.
void lf__cone_add(lf__cone *cone, lf_vec3 p);

/// A posed object whose points are added to a cone.
typedef struct lf__spreading {
    const void *object;
    const lf_pose *pose;
    lf__cone *cone;
} lf__spreading;

/// Could a point of this box, posed, change the cone? Takes an lf__spreading, for visitors.
bool lf__spreading_enters(void *user, const lf_box *box);

// ---------------------------------------------------------------------------------------------------
// The function table
// ---------------------------------------------------------------------------------------------------

/// How `each` tests elements.
typedef enum lf__each {
    LF__EACH_RAY,        ///< as rays
    LF__EACH_LINE,       ///< as gravity lines: never edge-on
    LF__EACH_LINE_SIDES, ///< likewise, and one-sided elements from behind too
} lf__each;

typedef struct lf__land_body lf__land_body;     ///< triangles of a model (ground/land.h)
typedef struct lf__land_depth lf__land_depth;   ///< how deep one of them is below the ground
typedef struct lf__face_search lf__face_search; ///< a search for flat faces
typedef struct lf__sweeping lf__sweeping;       ///< a moving sphere or box (ground/sweep.h)

/// A straight segment that ground may block, and what is requested.
typedef struct lf__segment {
    lf_vec3 ends[2];
    bool joint[2]; ///< this end lies within a longer line: ground that touches it blocks too
    bool any;      ///< any blocked place will do
    bool last;     ///< search from ends[1], and find the blocked place nearest to it
    double rise;   ///< on a globe the line is higher than straight by rise * t * (1 - t); elsewhere 0
} lf__segment;

/// Does a straight segment go through a closed triangle's plane within it, strictly between its ends, or touch it at a joint?
/// Exact. t: where, as a share of the segment.
bool lf__segment_meets(const lf__segment *segment, const lf_vec3 triangle[3], double *t);

/// A height without a cursor, including the check of the point (lf__ground_height_checked). The arguments are those of
/// lf_ground_height, at the same places: the call of one from the other moves nothing.
typedef lf_status lf__ask_height(const void *object, lf_vec3 point, lf_vertical vertical, lf_hit *hit);

/// What a kind of ground can do. Arguments have been checked. `object` is the object.
typedef struct lf__ground_kind_of {
    lf_box (*box)(const void *object);
    const lf_frame *(*frame)(const void *object);
    bool (*takes_infinity)(const void *object); ///< is down -z, so that "above everything" is a place?
    void (*height)(const void *object, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor);
    lf__ask_height *ask; ///< or NULL
    /// Many heights at once, as hits or as numbers (lf__hit_height): the same bits as single queries. NULL
    /// where that is no faster.
    void (*height_many)(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                        bool down, lf_hit *hits, size_t hit_stride);
    void (*heights_many)(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                         bool down, double *heights, size_t height_stride);
    int64_t (*height_all)(const void *object, lf_vec3 point, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor);
    bool (*weights)(const void *object, lf_hit *hit);
    void (*ray_first)(const void *object, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);
    /// Many rays at once: the same bits as single queries. NULL where that is no faster.
    void (*ray_first_many)(const void *object, const lf_ray *rays, size_t ray_stride, int64_t count,
                           lf_hit *hits, size_t hit_stride);
    bool (*ray_any)(const void *object, const lf_ray *ray, lf_cursor *cursor);
    int64_t (*ray_all)(const void *object, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                       lf_cursor *cursor);

    // For walks, locales and groups. These rays may have a t_min below 0, and -INFINITY.

    /// First element a gravity line meets: as ray_first, but never edge-on. false on a miss.
    bool (*line_first)(const void *object, const lf_ray *line, lf_hit *hit, lf_cursor *cursor);
    /// Every element a ray meets, in any order; t counts in lengths of its direction.
    void (*each)(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                 lf_cursor *cursor);
    /// The corners of the triangle of a hit, from which its exact t can be computed. NULL where a hit only
    /// has its t.
    void (*corners)(const void *object, const lf_hit *hit, lf_vec3 corners[3]);
    /// Where the outlines of elements cross a track. In between elements are flat, or quadratic (`bend`).
    void (*cuts)(const void *object, const lf__track *track, lf__cuts *cuts, lf_cursor *cursor);
    /// The curvature along the track of an element that one of its lines has met: half the second derivative
    /// of its height, in metres along the line. NULL where everything is flat.
    double (*bend)(const void *object, const lf_hit *hit, const lf__track *track);
    /// Add all elements, posed, to a cone.
    void (*spread)(const void *object, const lf_pose *pose, lf__cone *cone);

    // Bodies of triangles on the ground (ground/land.h).

    /// Does a body, carried into the ground's own coordinates by a pose, share a point with the surface?
    bool (*touches)(const void *object, const lf__land_body *body, const lf_pose *pose, lf_cursor *cursor);
    /// The deepest point of a triangle, in the ground's own coordinates. NULL where there may be free space under a surface.
    void (*depth)(const void *object, const lf_vec3 corners[3], lf__land_depth *deepest, lf_cursor *cursor);
    /// The flat faces in a box that a ray upwards could meet. NULL where the surface has none.
    void (*faces)(lf__face_search *search);
    /// Metres between samples near a point; 0 where that is unknown, or samples cannot be read one by one. NULL without samples.
    double (*spacing)(const void *object, lf_vec3 point);
    /// A lower bound of the heights over a straight line on the map; -INFINITY where none is known. NULL where it never is.
    double (*least)(const void *object, lf_vec2 a, lf_vec2 b);

    // For lines of sight, cameras, models and files, which need one representation. NULL where a kind does
    // not have it.

    /// The grid itself: lines over it are decided square by square.
    const struct lf_grid *(*grid)(const void *object);
    /// The mesh itself.
    const struct lf_mesh *(*mesh)(const void *object);
    /// The globe itself, as loaded or at its finest: it bends lines of sight by `rise` of a segment.
    const struct lf__globe_face *(*globe)(const void *object);
    /// What the object is, where that matters. Never told by the address of a table: several libraries in one process may have one each.
    bool is_group, is_scene; ///< an lf_group; an lf_group of a scene's objects
    bool is_skin;            ///< an lf_mesh that is the surface of a model
    /// Does ground block a segment strictly between its ends? t: where, counted from ends[0] and from
    /// ends[1].
    bool (*segment)(const void *object, const lf__segment *segment, double t[2], lf_cursor *cursor);
    /// First contact of a moving sphere or box, in the ground's own coordinates.
    void (*sweep)(const void *object, lf__sweeping *sweep);

    /// LF_OK, or why no result can be returned: LF_BAD_FORMAT if its file was found damaged, LF_BAD_ARGUMENT if it
    /// cannot be queried from this callback. NULL: always LF_OK.
    lf_status (*failure)(const void *object);
} lf__ground_kind_of;

/// Embedded in every object that is a ground.
struct lf_ground {
    const lf__ground_kind_of *kind;
    const void *object;            ///< the object
    const lf_allocator *allocator; ///< of the object
    lf__ask_height *ask;           ///< that of the kind, or a faster one for this object
};

static inline lf_ground lf__ground_of(const lf__ground_kind_of *kind, const void *object,
                                      const lf_allocator *allocator) {
    return (lf_ground){kind, object, allocator, kind->ask};
}

/// A status, or that of the ground if it cannot return results: every query ends with it.
static inline lf_status lf__ground_status(const lf_ground *ground, lf_status status) {
    lf_status failure = status >= 0 && ground->kind->failure ? ground->kind->failure(ground->object) : LF_OK;
    return failure != LF_OK ? failure : status;
}

/// The grid, mesh or globe that a ground is; NULL for other kinds.
static inline const struct lf_grid *lf__ground_grid(const lf_ground *ground) {
    return ground->kind->grid ? ground->kind->grid(ground->object) : NULL;
}

static inline const struct lf_mesh *lf__ground_mesh(const lf_ground *ground) {
    return ground->kind->mesh ? ground->kind->mesh(ground->object) : NULL;
}

static inline const struct lf__globe_face *lf__ground_globe(const lf_ground *ground) {
    return ground->kind->globe ? ground->kind->globe(ground->object) : NULL;
}

/// Beyond this, rounding makes results meaningless.
#define LF__FARTHEST 1e30

/// The height of a hit in its ground's frame; NAN for a miss.
double lf__hit_height(const lf_frame *frame, const lf_hit *hit);

/// A height with the check of the point.
lf_status lf__ground_height_checked(const lf_ground *ground, const lf_vec3 *point, bool down, lf_hit *hit,
                                    lf_cursor *cursor);

/// Is this point valid for a height query?
bool lf__ground_point_valid(const lf_ground *ground, lf_vec3 point, bool down);

/// Is there ground strictly below (above) a finite point? As height, but ground at the point itself does not
/// count.
bool lf__ground_beyond(const lf_ground *ground, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor);

/// Is down -z, so that "above everything" is a valid point?
static inline bool lf__frame_is_down_z(const lf_frame *frame) {
    return frame->kind == LF_FRAME_GRAVITY && frame->down.x == 0 && frame->down.y == 0 && frame->down.z < 0;
}

// ---------------------------------------------------------------------------------------------------
// Floors
// ---------------------------------------------------------------------------------------------------

// The floors over one piece of a path: surfaces that lie along all of it, and their heights. All but bilinear
// patches are flat; the height of a patch along the path is quadratic.

#define LF__FLOORS_FEW 32

typedef struct lf__floor {
    lf_hit hit;
    double t;    ///< of the line that met it
    double bend; ///< half the second derivative: height of the hit's plane + bend * (t - this t)^2
} lf__floor;

/// Floors; the first few need no allocation.
typedef struct lf__floors {
    lf_allocator allocator;
    lf__floor few[LF__FLOORS_FEW];
    lf__array many; ///< of lf__floor, if there are more
    int64_t count;
    bool failed;             ///< out of memory
    const lf_ground *ground; ///< being queried, along `track` at `t`
    const lf__track *track;
    double t;
} lf__floors;

/// The floor of a hit of the line at t.
lf__floor lf__floor_of(const lf_ground *ground, const lf__track *track, double t, const lf_hit *hit);

void lf__floors_start(lf__floors *floors, const lf_allocator *allocator);
void lf__floors_free(lf__floors *floors);

/// Everything that the gravity line at t of a track meets from above.
lf_status lf__floors_find(lf__floors *floors, const lf_ground *ground, const lf__track *track, double t,
                          lf_cursor *cursor);

const lf__floor *lf__floors_list(const lf__floors *floors);

/// The height of a floor at t, in metres along gravity, counted as by the track: along a gravity vector from
/// the segment itself, else from the centre or the axis.
double lf__floor_height(const lf__track *track, const lf__floor *floor, double t);

/// Two floors between t_first and t_last: where does one first lie more than `low` but not more than `high`
/// above the other? false: nowhere.
typedef struct lf__floor_race {
    const lf__track *track;
    const lf__floor *below, *above;
    double low, high;
} lf__floor_race;

bool lf__floor_first_within(const lf__floor_race *race, double t_first, double t_last, double *t);

#endif
