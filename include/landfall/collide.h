/// landfall/collide.h: which things touch, and when: moving boxes, spheres, polyhedra and models.
#ifndef LANDFALL_COLLIDE_H
#define LANDFALL_COLLIDE_H

#include <landfall/model.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// When will two moving things touch?
//
// All of them ask: is there a time t in the closed interval [0, ahead] at which the two closed shapes share a
// point, and which is the first? Shapes move straight and evenly; some turn evenly while they do. No answer
// comes late, and no contact is missed.
//
// Coordinates and speeds are finite and at most 1e100. Calls allocate nothing and may be made from any number
// of threads, unless a comment says otherwise.
// ---------------------------------------------------------------------------------------------------

/// The answer.
typedef struct lf_contact_result {
    bool meets;    ///< within [0, ahead]
    double time;   ///< seconds; 0: they touch already; `ahead` when they do not meet
    lf_vec3 point; ///< a place of the contact, as far as the method knows one; else zero
    lf_vec3
        normal; ///< unit, from a to b; zero where it is not known: shapes that touch already, and spheres around boxes
} lf_contact_result;

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

/// A box that is aligned at time 0, moves, and may turn.
typedef struct lf_moving_box {
    lf_box box;       ///< not empty
    lf_vec3 velocity; ///< metres per second
    lf_vec3 spin;     ///< along the axis, its length is radians per second; zero: it does not turn
    lf_vec3 pivot;    ///< what it turns about, at time 0; moves with the velocity
} lf_moving_box;

/// When do two boxes touch?
/// Boxes that do not turn: whether they meet is decided exactly, touching included; the time is within 4 units in its last place.
/// Boxes that turn: never late; early by no more than the time it takes to go 1e-6 of the boxes' size. Two that come nearer than that
/// without touching may be said to meet.
/// ahead    seconds, 0 or more; may be infinite
/// meeting  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL, a box that is empty, a number that is not finite or too large, ahead negative or NaN).
LF_API lf_status lf_contact_boxes(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                                  lf_contact_result *meeting);

/// Another way to predict contacts of boxes, for lf_watch_def.method. <landfall/published.h> has some.
typedef struct lf_contact_method {
    const char *name; ///< what scripts call it
    /// When do two boxes touch? As lf_contact_boxes; tick is the time between two tests, in seconds, where the method tests.
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
    const lf_tasks *tasks;       ///< NULL: this thread
} lf_contact_batch;

/// lf_contact_boxes for many pairs: bit for bit the same answers.
/// Errors: LF_BAD_ARGUMENT, for the first pair that has one when `wrong` (optional) tells which; the meetings before it are written.
LF_API lf_status lf_contact_boxes_many(const lf_contact_batch *batch, int64_t *wrong);

/// A box with axes of its own, that moves but does not turn.
typedef struct lf_moving_block {
    lf_vec3 centre, half; ///< half of each side, 0 or more
    lf_vec3 axes[3];      ///< unit, at right angles within 1e-9
    lf_vec3 velocity;     ///< metres per second
} lf_moving_block;

/// When do two blocks touch? By the fifteen axes that can separate them, each swept, in closed form. Touching is decided with a slack of
/// 1e-13 of the coordinates: blocks nearer than that are said to meet, so that none is missed.
/// Errors: LF_BAD_ARGUMENT as lf_contact_boxes; axes that are not at right angles; a negative half.
LF_API lf_status lf_contact_blocks(const lf_moving_block *a, const lf_moving_block *b, double ahead,
                                   lf_contact_result *meeting);

// ---------------------------------------------------------------------------------------------------
// Spheres
// ---------------------------------------------------------------------------------------------------

/// A sphere that moves evenly.
typedef struct lf_moving_sphere {
    lf_vec3 centre;   ///< metres
    double radius;    ///< 0 or more
    lf_vec3 velocity; ///< metres per second
} lf_moving_sphere;

/// When do two spheres touch? Whether they meet is decided exactly for numbers between 1e-60 and 1e60; the time is within 1e-12 of
/// itself, or of the time in which they cover the distance of their centres.
/// Errors: LF_BAD_ARGUMENT as lf_contact_boxes; a negative radius.
LF_API lf_status lf_contact_spheres(const lf_moving_sphere *a, const lf_moving_sphere *b, double ahead,
                                    lf_contact_result *meeting);

// ---------------------------------------------------------------------------------------------------
// Points, edges and faces that move straight, each corner on its own
// ---------------------------------------------------------------------------------------------------

/// Which of four points belong together.
typedef enum lf_contact_elements {
    LF_CONTACT_POINT_FACE, ///< a point, then the three corners of a triangle
    LF_CONTACT_EDGES       ///< the ends of one edge, then those of another
} lf_contact_elements;

/// Does a moving point touch a moving triangle that may bend, or do two moving edges touch? Each point goes straight from start to end
/// within one unit of time.
/// elements    what the four points are
/// start, end  finite; the triangle may be or become a segment or a point
/// meeting     time in [0, 1]: the contact is not before it, and within 1e-9 of it; meets false: there is none
/// Decided by signs of polynomials in t that rounding cannot change. Only what is undecided in an interval of time of 2^-96 is taken
/// for a contact: none is ever missed. Exact for numbers between 1e-60 and 1e60, and 0.
/// Errors: LF_BAD_ARGUMENT (NULL, not finite).
LF_API lf_status lf_contact_points(lf_contact_elements elements, const lf_vec3 start[4], const lf_vec3 end[4],
                                   lf_contact_result *meeting);

// ---------------------------------------------------------------------------------------------------
// Convex bodies
// ---------------------------------------------------------------------------------------------------

typedef enum lf_body_kind {
    LF_BODY_POINTS,  ///< the hull of points
    LF_BODY_SPHERE,  ///< around the origin
    LF_BODY_CYLINDER ///< around the z axis, from -half to half
} lf_body_kind;

/// A convex body that moves and turns. Where it is at time 0: rows * shape + translation, by any affine map (a sphere may become an
/// ellipsoid).
typedef struct lf_body {
    lf_body_kind kind;             ///< which kind
    const lf_vec3 *points;         ///< count >= 1 of them
    int64_t count;                 ///< how many
    double radius, half;           ///< of spheres and cylinders, 0 or more
    lf_vec3 rows[3];               ///< of the matrix
    lf_vec3 translation;           ///< metres
    lf_vec3 velocity, spin, pivot; ///< as those of lf_moving_box
} lf_body;

/// How far apart are two bodies at time 0? Within 1e-9 of the bodies' size.
/// distance  0 when they touch or are nearer than 1e-9 of their size
/// Errors: LF_BAD_ARGUMENT (NULL, no points, a number that is not finite or beyond 1e100, negative radius or half).
LF_API lf_status lf_body_distance(const lf_body *a, const lf_body *b, double *distance);

/// When do two bodies touch? By advancing only as far as they cannot touch, whatever they turn: never late. Early by no more than it takes to
/// go 1e-6 of the bodies' size; bodies that come nearer than that may be said to meet.
/// Errors: as lf_body_distance; ahead negative, NaN or infinite.
LF_API lf_status lf_contact_bodies(const lf_body *a, const lf_body *b, double ahead,
                                   lf_contact_result *meeting);

/// A model that moves and turns.
typedef struct lf_moving_model {
    const lf_model *model;         ///< the model
    lf_pose pose;                  ///< at time 0, rigid
    lf_vec3 velocity, spin, pivot; ///< metres per second; radians per second about an axis through the pivot
} lf_moving_model;

/// When do the surfaces of two models touch? As lf_contact_bodies, by lf_model_nearest: 1e-6 of the models' size counts as touching.
/// Errors: LF_BAD_ARGUMENT.
LF_API lf_status lf_contact_models(const lf_moving_model *a, const lf_moving_model *b, double ahead,
                                   lf_contact_result *meeting, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Which of many boxes touch, some moving and some not.
//
// Boxes are added once, moved as often as they like, and asked about as a whole: every pair that shares a
// point, touching included, exactly. Two boxes that do not move are no pair, whatever they share. There are
// no bounds of the world to give, no sizes to guess, and a step costs the same after a million steps as at
// the start.
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

/// A box in the set; zero: no box.
typedef struct lf_pairs_id {
    uint32_t index, generation; ///< place in the tables, and how often it was used
} lf_pairs_id;

/// What to add.
typedef struct lf_pairs_item {
    lf_box box;      ///< finite, low <= high
    uint64_t user;   ///< comes back in pairs
    uint32_t groups; ///< what it is, a bit per group
    uint32_t meets;  ///< which groups it looks for
    bool moves;      ///< false: it will rarely move, and never makes a pair with others of its kind
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

/// Make an empty set.
/// def    NULL: the default
/// pairs  written only on success; release it with lf_pairs_destroy
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_pairs_create(const lf_pairs_def *def, lf_pairs **pairs, lf_error *error);

/// Destroy a set; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_pairs_destroy(lf_pairs *pairs);

/// Add a box.
/// item   box finite and not empty; a pair is one only when (a.meets & b.groups) | (b.meets & a.groups) is not 0
/// id     written only on success
/// error  optional
/// Errors: LF_BAD_ARGUMENT, LF_NO_MEMORY, LF_TOO_LARGE (2^31 boxes). May allocate. Threads: one per set.
LF_API lf_status lf_pairs_add(lf_pairs *pairs, const lf_pairs_item *item, lf_pairs_id *id, lf_error *error);

/// Say where a box is now, or what it sweeps in this step (lf_box_swept). A box that "does not move" may be moved too: that costs more.
/// Errors: LF_BAD_ARGUMENT (no such box, not finite, empty); nothing has then changed. Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_move(lf_pairs *pairs, lf_pairs_id id, const lf_box *box);

/// Move many boxes, as lf_pairs_move one after the other.
/// ids, boxes  count of each
/// done        optional: how many have been moved; all of them unless one was wrong, which ends it
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_move_many(lf_pairs *pairs, const lf_pairs_id *ids, const lf_box *boxes,
                                    int64_t count, int64_t *done);

/// Say whether a box moves from now on.
/// Errors: LF_BAD_ARGUMENT (no such box). Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_mark(lf_pairs *pairs, lf_pairs_id id, bool moves);

/// Take a box out. Its id means nothing from then on.
/// Errors: LF_BAD_ARGUMENT (no such box). Allocates nothing. Threads: one per set.
LF_API lf_status lf_pairs_remove(lf_pairs *pairs, lf_pairs_id id);

/// Pairs as they are now.
typedef struct lf_pairs_found {
    const lf_pair *
        pairs; ///< in the order of a.index, then b.index; the set's own memory, until its next change or question
    int64_t count; ///< how many
} lf_pairs_found;

/// Every pair that there is, each once.
/// found  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL), LF_NO_MEMORY: ask again. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_find(lf_pairs *pairs, lf_pairs_found *found);

/// What has become of the pairs.
typedef struct lf_pairs_changes {
    const lf_pair
        *begun; ///< in the order of lf_pairs_find; the set's own memory, until its next change or question
    int64_t begun_count;  ///< number of pairs that began
    const lf_pair *ended; ///< in the same order; boxes that have been taken out are named by the id they had
    int64_t ended_count;  ///< number of pairs that ended
} lf_pairs_changes;

/// The pairs that have begun and those that have ended since the last news (at first: since there was nothing). A pair that came
/// and went in between is not told. lf_pairs_find does not count as news.
/// news  written only on success
/// Errors: LF_BAD_ARGUMENT (NULL), LF_NO_MEMORY: nothing counts as told. May allocate. Threads: one per set.
LF_API lf_status lf_pairs_report(lf_pairs *pairs, lf_pairs_changes *news);

/// How many boxes there are, and the work done since the set was made: the same numbers everywhere.
typedef struct lf_pairs_stats {
    int64_t count;     ///< boxes in the set
    int64_t questions; ///< calls of lf_pairs_find and lf_pairs_report
    int64_t tested;    ///< pairs of boxes that were compared exactly
    int64_t asked;     ///< boxes that had to search for their neighbours one by one
    int64_t rebuilt;   ///< times that all moving boxes searched for theirs at once
} lf_pairs_stats;

/// Describe a set; all zero for NULL. Allocates nothing. Threads: any number of readers.
LF_API lf_pairs_stats lf_pairs_describe(const lf_pairs *pairs);

/// Every box that shares a point with a box, movers and others, by ascending index.
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
