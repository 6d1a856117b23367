/// landfall/collide.h: when moving boxes, spheres, convex bodies and models touch, and which of many boxes overlap.
#ifndef LANDFALL_COLLIDE_H
#define LANDFALL_COLLIDE_H

#include <landfall/model.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Time of contact of two moving shapes
//
// Each call finds the first time t in the closed interval [0, ahead] at which the two closed shapes share a
// point. Shapes move in straight lines at constant velocity; some also rotate at constant rate. No time is
// late, and no contact is missed.
//
// Coordinates and speeds are finite and at most 1e100. Calls allocate nothing and may be made by any number
// of threads, unless a comment states otherwise.
// ---------------------------------------------------------------------------------------------------

/// Result of a contact query.
typedef struct lf_contact_result {
    bool meets;    ///< they touch within [0, ahead]
    double time;   ///< seconds; 0: they touch already; `ahead` without a contact
    lf_vec3 point; ///< of the contact, if the method determines one; else zero
    /// Unit, from a to b; zero if it is not determined: shapes that touch already, and spheres around boxes.
    lf_vec3 normal;
} lf_contact_result;

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

/// A moving box, aligned with the axes at time 0, that may rotate.
typedef struct lf_moving_box {
    lf_box box;       ///< not empty
    lf_vec3 velocity; ///< metres per second
    lf_vec3 spin;  ///< angular velocity: along the axis, its length is radians per second; zero: no rotation
    lf_vec3 pivot; ///< centre of rotation at time 0; moves with the velocity
} lf_moving_box;

/// When do two boxes touch?
/// Without rotation: whether they touch is exact; the time is within 4 ulp. With rotation: never late, and early by at most
/// the time in which they move 1e-6 of their size; boxes that come closer than that without touching may count as
/// touching.
/// ahead    seconds, 0 or more; may be infinite
/// meeting  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL, an empty box, a number that is not finite or too large, ahead negative or NaN).
LF_API lf_status lf_contact_boxes(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                                  lf_contact_result *meeting);

/// Another way to predict contacts of boxes, for lf_watch_def.method. <landfall/published.h> has some.
typedef struct lf_contact_method {
    const char *name; ///< in scripts
    /// As lf_contact_boxes; tick is the time between two tests in seconds, for methods that test at intervals.
    lf_status (*boxes)(const lf_moving_box *a, const lf_moving_box *b, double ahead, double tick,
                       lf_contact_result *meeting);
} lf_contact_method;

/// Many pairs of boxes.
typedef struct lf_contact_batch {
    const lf_moving_box *a, *b;  ///< pair i is the i-th of each
    size_t a_stride, b_stride;   ///< bytes from one to the next; 0: packed, LF_STRIDE_SAME: always the first
    int64_t count;               ///< how many
    double ahead;                ///< seconds to look ahead
    lf_contact_result *meetings; ///< count of them
    const lf_tasks *tasks;       ///< NULL: one thread
} lf_contact_batch;

/// lf_contact_boxes for many pairs, with the same bits.
/// wrong  optional: the index of the first invalid pair, or -1
/// Errors: LF_BAD_ARGUMENT; the results before the invalid pair are written.
LF_API lf_status lf_contact_boxes_many(const lf_contact_batch *batch, int64_t *wrong);

/// A box with its own axes that moves without rotation.
typedef struct lf_moving_block {
    lf_vec3 centre, half; ///< half of each side, 0 or more
    lf_vec3 axes[3];      ///< unit, at right angles within 1e-9
    lf_vec3 velocity;     ///< metres per second
} lf_moving_block;

/// When do two blocks touch? Computed in closed form from the fifteen separating axes. Blocks closer than 1e-13 of the
/// coordinates count as touching, so that no contact is missed.
/// Errors: LF_BAD_ARGUMENT as lf_contact_boxes; axes that are not at right angles; a negative half.
LF_API lf_status lf_contact_blocks(const lf_moving_block *a, const lf_moving_block *b, double ahead,
                                   lf_contact_result *meeting);

// ---------------------------------------------------------------------------------------------------
// Spheres
// ---------------------------------------------------------------------------------------------------

/// A sphere that moves at constant velocity.
typedef struct lf_moving_sphere {
    lf_vec3 centre;   ///< metres
    double radius;    ///< 0 or more
    lf_vec3 velocity; ///< metres per second
} lf_moving_sphere;

/// When do two spheres touch? Whether they do is exact for numbers between 1e-60 and 1e60; the time is within 1e-12 of
/// itself, or of the time in which they cover the distance of their centres.
/// Errors: LF_BAD_ARGUMENT as lf_contact_boxes; a negative radius.
LF_API lf_status lf_contact_spheres(const lf_moving_sphere *a, const lf_moving_sphere *b, double ahead,
                                    lf_contact_result *meeting);

// ---------------------------------------------------------------------------------------------------
// Points, edges and triangles whose corners move independently in straight lines
// ---------------------------------------------------------------------------------------------------

/// What four points are.
typedef enum lf_contact_elements {
    LF_CONTACT_POINT_FACE, ///< a point, then the three corners of a triangle
    LF_CONTACT_EDGES       ///< the ends of one edge, then those of another
} lf_contact_elements;

/// When does a moving point touch a moving triangle, which may deform, or when do two moving edges touch? Each point moves
/// straight from start to end within one unit of time.
/// elements    what the four points are
/// start, end  finite; the triangle may be or become a segment or a point
/// meeting     time in [0, 1]: the contact is not before it, and within 1e-9 of it; meets false: there is none
/// Decided by exact signs of polynomials in t. Only what is undecided in an interval of 2^-96 counts as a contact: none is
/// missed. Exact for numbers between 1e-60 and 1e60, and 0.
/// Errors: LF_BAD_ARGUMENT (NULL, not finite).
LF_API lf_status lf_contact_points(lf_contact_elements elements, const lf_vec3 start[4], const lf_vec3 end[4],
                                   lf_contact_result *meeting);

// ---------------------------------------------------------------------------------------------------
// Convex bodies
// ---------------------------------------------------------------------------------------------------

/// Kinds of convex bodies.
typedef enum lf_body_kind {
    LF_BODY_POINTS,  ///< the hull of points
    LF_BODY_SPHERE,  ///< around the origin
    LF_BODY_CYLINDER ///< around the z axis, from -half to half
} lf_body_kind;

/// A convex body that moves and rotates. At time 0 it is rows * shape + translation, any affine map (a sphere may become
/// an ellipsoid).
typedef struct lf_body {
    lf_body_kind kind;             ///< which kind
    const lf_vec3 *points;         ///< count >= 1 of them
    int64_t count;                 ///< how many
    double radius, half;           ///< of spheres and cylinders, 0 or more
    lf_vec3 rows[3];               ///< of the matrix
    lf_vec3 translation;           ///< metres
    lf_vec3 velocity, spin, pivot; ///< as those of lf_moving_box
} lf_body;

/// The distance of two bodies at time 0, within 1e-9 of their size.
/// distance  written only on success; 0 when they touch or are closer than 1e-9 of their size
/// Errors: LF_BAD_ARGUMENT (NULL, no points, a number that is not finite or beyond 1e100, negative radius or half).
LF_API lf_status lf_body_distance(const lf_body *a, const lf_body *b, double *distance);

/// When do two bodies touch? Computed by conservative advancement: never late, and early by at most the time in which they
/// move 1e-6 of their size; bodies that come closer than that may count as touching.
/// Errors: as lf_body_distance; ahead negative, NaN or infinite.
LF_API lf_status lf_contact_bodies(const lf_body *a, const lf_body *b, double ahead,
                                   lf_contact_result *meeting);

/// A model that moves and rotates.
typedef struct lf_moving_model {
    const lf_model *model;         ///< the model
    lf_pose pose;                  ///< at time 0, rigid
    lf_vec3 velocity, spin, pivot; ///< metres per second; radians per second about an axis through the pivot
} lf_moving_model;

/// When do the surfaces of two models touch? As lf_contact_bodies, by lf_model_nearest: models closer than 1e-6 of their
/// size count as touching.
/// Errors: LF_BAD_ARGUMENT.
LF_API lf_status lf_contact_models(const lf_moving_model *a, const lf_moving_model *b, double ahead,
                                   lf_contact_result *meeting, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Overlapping pairs of many boxes, some moving and some static
//
// Boxes are added once, moved as often as needed, and queried as a whole: every pair that shares a point,
// touching included, exactly. Two static boxes are never a pair. There are no world bounds to set and no
// sizes to guess, and a step costs the same after a million steps as at the start.
// ---------------------------------------------------------------------------------------------------

/// How to make a set of boxes; start from lf_pairs_def_default().
typedef struct lf_pairs_def {
    size_t size;  ///< stamped by the default function
    lf_host host; ///< hooks of the caller
} lf_pairs_def;

/// The default: memory from malloc.
static inline lf_pairs_def lf_pairs_def_default(void) {
    lf_pairs_def def = {sizeof(lf_pairs_def), {NULL, NULL, NULL, NULL}};
    return def;
}

/// A set of boxes.
typedef struct lf_pairs lf_pairs;

/// Id of a box in a set; all zero: no box.
typedef struct lf_pairs_id {
    uint32_t index, generation; ///< index in the tables, and how often it was used before
} lf_pairs_id;

/// A box to add; start from lf_pairs_item_default().
typedef struct lf_pairs_item {
    lf_box box;      ///< finite, low <= high
    uint64_t user;   ///< copied to pairs
    uint32_t groups; ///< groups that it belongs to, a bit each
    uint32_t meets;  ///< groups that it may form pairs with
    bool moves;      ///< false: static: it moves rarely, and forms no pairs with other static boxes
} lf_pairs_item;

/// A moving box of group 1 that meets everything.
static inline lf_pairs_item lf_pairs_item_default(void) {
    lf_pairs_item item = {{{0, 0, 0}, {0, 0, 0}}, 0, 1, 0xffffffffu, true};
    return item;
}

/// Two boxes that share a point; a.index < b.index.
typedef struct lf_pair {
    lf_pairs_id a, b;        ///< the two boxes
    uint64_t user_a, user_b; ///< their user values
} lf_pair;

/// The box that a box sweeps when it moves straight by `motion`: the least box around start and end.
static inline lf_box lf_box_swept(lf_box box, lf_vec3 motion) {
    lf_box end = {lf_vec3_add(box.low, motion), lf_vec3_add(box.high, motion)};
    return lf_box_union(box, end);
}

/// Create an empty set.
/// def    NULL: the default
/// pairs  written only on success; free it with lf_pairs_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_pairs_create(const lf_pairs_def *def, lf_pairs **pairs, lf_error *error);

/// Destroy a set; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_pairs_destroy(lf_pairs *pairs);

/// Add a box.
/// item   box finite and not empty; two boxes are a pair only if (a.meets & b.groups) | (b.meets & a.groups) is not 0
/// id     written only on success
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE (2^31 boxes). May allocate. Threads: one per set.
LF_API lf_status lf_pairs_add(lf_pairs *pairs, const lf_pairs_item *item, lf_pairs_id *id, lf_error *error);

/// Set the position of a box, or what it sweeps in this step (lf_box_swept). Moving a static box costs more.
/// Errors: LF_BAD_ARGUMENT (no such box, not finite, empty). Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_move(lf_pairs *pairs, lf_pairs_id id, const lf_box *box);

/// Move many boxes, as lf_pairs_move one after the other.
/// ids, boxes  count of each
/// done        optional: how many were moved; an invalid one ends it
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_move_many(lf_pairs *pairs, const lf_pairs_id *ids, const lf_box *boxes,
                                    int64_t count, int64_t *done);

/// Remove a box. Its id becomes invalid.
/// Errors: LF_BAD_ARGUMENT (no such box). Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_remove(lf_pairs *pairs, lf_pairs_id id);

/// The current pairs.
typedef struct lf_pairs_found {
    /// In the order of a.index, then b.index; the set's own memory, until its next change or question.
    const lf_pair *pairs;
    int64_t count; ///< how many
} lf_pairs_found;

/// All current pairs, each once.
/// found  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL), LF_NO_MEMORY: call again. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_find(lf_pairs *pairs, lf_pairs_found *found);

/// Changes of the pairs.
typedef struct lf_pairs_changes {
    /// In the order of lf_pairs_find; the set's own memory, until its next change or question.
    const lf_pair *begun;
    int64_t begun_count;  ///< number of pairs that began
    const lf_pair *ended; ///< in the same order; removed boxes have the id they had
    int64_t ended_count;  ///< number of pairs that ended
} lf_pairs_changes;

/// The pairs that began and those that ended since the last report (at first: since the set was created). A pair that began
/// and ended in between is not reported. lf_pairs_find is not a report.
/// changes  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL), LF_NO_MEMORY: the same changes are reported again. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_report(lf_pairs *pairs, lf_pairs_changes *changes);

/// Size of a set, and work since it was created: the same numbers on every machine.
typedef struct lf_pairs_stats {
    int64_t count;     ///< boxes in the set
    int64_t questions; ///< calls of lf_pairs_find and lf_pairs_report
    int64_t tested;    ///< pairs of boxes that were compared exactly
    int64_t asked;     ///< boxes that searched for their neighbours one by one
    int64_t rebuilt;   ///< times that all moving boxes searched at once
} lf_pairs_stats;

/// Describe a set; all zero for NULL. Allocates nothing. Threads: any number of readers.
LF_API lf_pairs_stats lf_pairs_describe(const lf_pairs *pairs);

/// Every box that shares a point with a box, moving or static, by ascending index.
/// box       finite, not empty
/// ids       space for capacity
/// count     how many there are; when more than capacity, the lowest are written and LF_PARTIAL is returned
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_overlaps(lf_pairs *pairs, const lf_box *box, lf_pairs_id *ids, int64_t capacity,
                                   int64_t *count);

#ifdef __cplusplus
}
#endif
#endif
