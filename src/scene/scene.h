/// Internals of scenes.
#ifndef LF_SCENE_SCENE_H
#define LF_SCENE_SCENE_H

#include "base/base.h"
#include "base/containers.h"
#include "query/query.h"
#include <landfall/scene.h>
#include <stdatomic.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Pools of items with generations, which ids refer to
// ---------------------------------------------------------------------------------------------------

/// No item.
#define LF__NO_INDEX 0xffffffffu

/// Every item of a pool begins with this. A slot is in use while `live`. Its generation is incremented when
/// the item is removed; a slot whose generation would wrap around is never used again.
typedef struct lf__pool_slot {
    uint32_t generation;
    uint32_t next_free;
    bool live;
} lf__pool_slot;

/// Slots for items of one kind; items move in memory when the pool grows.
typedef struct lf__pool {
    lf__array array;
    size_t item;
    uint32_t free;
    int64_t live_count;
} lf__pool;

static inline void lf__pool_start(lf__pool *pool, size_t item) {
    *pool = (lf__pool){.item = item, .free = LF__NO_INDEX};
}

static inline lf__pool_slot *lf__pool_at(const lf__pool *pool, uint32_t index) {
    return (lf__pool_slot *)((char *)pool->array.items + (size_t)index * pool->item);
}

/// The item that an id refers to, or NULL.
static inline void *lf__pool_find(const lf__pool *pool, uint32_t index, uint32_t generation) {
    if (generation == 0 || (int64_t)index >= pool->array.count)
        return NULL;
    lf__pool_slot *slot = lf__pool_at(pool, index);
    return slot->live && slot->generation == generation ? slot : NULL;
}

/// Add a zeroed item in a free slot, or in a new one.
static inline lf_status lf__pool_add(lf__pool *pool, const lf_allocator *allocator, uint32_t *index) {
    uint32_t place = pool->free, generation = 1;
    if (place != LF__NO_INDEX) {
        const lf__pool_slot *slot = lf__pool_at(pool, place);
        pool->free = slot->next_free;
        generation = slot->generation;
    } else {
        if (pool->array.count >= (int64_t)LF__NO_INDEX)
            return LF_TOO_LARGE;
        lf_status status = lf__array_reserve(&pool->array, allocator, 1, pool->item);
        if (status != LF_OK)
            return status;
        place = (uint32_t)pool->array.count++;
    }
    lf__pool_slot *slot = lf__pool_at(pool, place);
    memset(slot, 0, pool->item);
    *slot = (lf__pool_slot){generation, LF__NO_INDEX, true};
    pool->live_count++;
    *index = place;
    return LF_OK;
}

static inline void lf__pool_remove(lf__pool *pool, uint32_t index) {
    lf__pool_slot *slot = lf__pool_at(pool, index);
    slot->live = false;
    pool->live_count--;
    if (++slot->generation != 0) {
        slot->next_free = pool->free;
        pool->free = index;
    }
}

static inline void lf__pool_free(lf__pool *pool, const lf_allocator *allocator) {
    lf__array_free(&pool->array, allocator, pool->item);
    pool->free = LF__NO_INDEX;
    pool->live_count = 0;
}

// ---------------------------------------------------------------------------------------------------
// Maps of transforms that act on a whole or on each shape
// ---------------------------------------------------------------------------------------------------

// Let a shape have its origin at t and its vertices v at R v + t. A transform (A, b) of the whole gives R' =
// A R, t' = A t + b. One of each shape about its own origin gives R' = A R, t' = t + b. So any list of
// transforms of both kinds maps all shapes below by R' = turn R, t' = carry t + shift, with two matrices and
// a vector: one matrix for the shapes, one for their origins.

typedef struct lf__maps {
    lf_vec3 turn[3];  ///< rows
    lf_vec3 carry[3]; ///< rows
    lf_vec3 shift;
} lf__maps;

static inline lf__maps lf__maps_identity(void) {
    lf__maps none = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    return none;
}

static inline lf_vec3 lf__rows_point(const lf_vec3 rows[3], lf_vec3 p) {
    lf_vec3 at = {lf_vec3_dot(rows[0], p), lf_vec3_dot(rows[1], p), lf_vec3_dot(rows[2], p)};
    return at;
}

/// product = a b; product may be either.
static inline void lf__rows_product(const lf_vec3 a[3], const lf_vec3 b[3], lf_vec3 product[3]) {
    lf_vec3 columns[3] = {{b[0].x, b[1].x, b[2].x}, {b[0].y, b[1].y, b[2].y}, {b[0].z, b[1].z, b[2].z}};
    lf_vec3 rows[3];
    for (int i = 0; i < 3; i++)
        rows[i] = (lf_vec3){lf_vec3_dot(a[i], columns[0]), lf_vec3_dot(a[i], columns[1]),
                            lf_vec3_dot(a[i], columns[2])};
    for (int i = 0; i < 3; i++)
        product[i] = rows[i];
}

static inline void lf__rows_transpose(const lf_vec3 rows[3], lf_vec3 turned[3]) {
    lf_vec3 x = {rows[0].x, rows[1].x, rows[2].x}, y = {rows[0].y, rows[1].y, rows[2].y};
    lf_vec3 z = {rows[0].z, rows[1].z, rows[2].z};
    turned[0] = x, turned[1] = y, turned[2] = z;
}

static inline double lf__rows_determinant(const lf_vec3 rows[3]) {
    return lf_vec3_dot(rows[0], lf_vec3_cross(rows[1], rows[2]));
}

/// The inverse; false where it cannot be computed.
static inline bool lf__rows_inverse(const lf_vec3 rows[3], lf_vec3 inverse[3]) {
    double determinant = lf__rows_determinant(rows);
    if (!isfinite(determinant) || fabs(determinant) < 1e-280)
        return false;
    lf_vec3 columns[3] = {lf_vec3_cross(rows[1], rows[2]), lf_vec3_cross(rows[2], rows[0]),
                          lf_vec3_cross(rows[0], rows[1])};
    for (int i = 0; i < 3; i++)
        columns[i] = lf_vec3_scale(columns[i], 1 / determinant);
    lf__rows_transpose(columns, inverse);
    return lf_vec3_finite(inverse[0]) && lf_vec3_finite(inverse[1]) && lf_vec3_finite(inverse[2]);
}

static inline bool lf__rows_same(const lf_vec3 a[3], const lf_vec3 b[3]) {
    bool same = true;
    for (int i = 0; i < 3; i++)
        same = same && a[i].x == b[i].x && a[i].y == b[i].y && a[i].z == b[i].z;
    return same;
}

/// First inner, then outer.
static inline lf__maps lf__maps_then(const lf__maps *inner, const lf__maps *outer) {
    lf__maps both;
    lf__rows_product(outer->turn, inner->turn, both.turn);
    lf__rows_product(outer->carry, inner->carry, both.carry);
    both.shift = lf_vec3_add(lf__rows_point(outer->carry, inner->shift), outer->shift);
    return both;
}

// ---------------------------------------------------------------------------------------------------
// Scenes
// ---------------------------------------------------------------------------------------------------

/// Coordinates beyond this are rejected.
#define LF__SCENE_LIMIT 1e30

/// Size of names, labels and tags, including the terminating 0.
#define LF__NAME_SIZE 64

/// Different tags in a scene: a bit each.
#define LF__TAGS_MAX 64

/// Largest depth of a tree of parts.
#define LF__PART_DEPTH_MAX 64

/// Largest nesting of build functions that create further instances.
#define LF__BUILD_DEPTH_MAX 64

/// When a part has this many transforms, the earlier half is folded into one.
#define LF__TRANSFORMS_MAX 64

/// A transform and what it does.
typedef struct lf__transform {
    lf_transform given;
    lf__maps maps;
} lf__transform;

/// Where the centre of a box was at the ends of the last steps.
typedef struct lf__trail {
    int steps;      ///< the number of steps that is measured over; the ring has one entry more
    int count;      ///< entries in use
    int newest;     ///< index of the newest entry
    lf_vec3 *where; ///< ring
    double *when;   ///< ring, by the scene's clock
} lf__trail;

/// What a shape owns.
typedef struct lf__form {
    lf_shape_kind kind;
    lf_vec3 size;
    double radius;
    lf_vec3 *vertices;
    int64_t vertex_count;
    int64_t *starts;  ///< polygon_count + 1, also of triangles
    int64_t *corners; ///< of a path: three per triangle that it is cut into
    int64_t polygon_count;
    const lf_model *model;
} lf__form;

typedef struct lf__part {
    lf__pool_slot slot;
    uint32_t above, first, last, next, before; ///< LF__NO_INDEX where there is none
    uint32_t instance;                         ///< LF__NO_INDEX for a part of an object
    lf__form form;
    lf_paint paint;
    char *label; ///< or NULL; allocated on its own, so that it does not move when the pool grows
    uint64_t tags, user;
    uint32_t layers;      ///< as ground; 0: it is not ground
    int64_t form_changes; ///< how often its shape has changed
    lf__array transforms; ///< of lf__transform
    lf__maps own;         ///< what the transforms do
    lf__maps maps;        ///< and all those above, with the scale of the instance
    lf_vec3 turn[3];      ///< maps.turn, rotated by the instance
    lf_vec3 shift; ///< maps.shift likewise: a vertex v is at the instance's translation + (turn v + shift)
    lf_box core;   ///< of a shape's vertices as turn carries them
    lf_box box;    ///< relative to the instance's translation
    lf_vec3 old_turn[3]; ///< at the end of the last step,
    lf_vec3 old_shift;   ///< likewise
    lf_box old_box;      ///< likewise
    int64_t
        changed; ///< the step in which the three above were saved; in other steps they equal the current ones
    bool known;  ///< the box has been computed at least once
    bool stale_map;        ///< maps must be recomputed, here and below
    bool stale_core;       ///< the shape has changed
    bool stale_box;        ///< the box must be recomputed: something here or below has changed
    bool given;            ///< the velocity is the caller's
    lf_vec3 velocity;      ///< set or measured
    lf__trail *track;      ///< or NULL
    lf_model *solid;       ///< the shape as a model, for exact queries, or NULL
    lf_vec3 solid_turn[3]; ///< the maps.turn it was made with
} lf__part;

typedef struct lf__parameter {
    char name[LF__NAME_SIZE];
    double value;
} lf__parameter;

typedef struct lf__object {
    lf__pool_slot slot;
    char name[LF__NAME_SIZE];
    uint32_t top;
    lf__parameter *parameters;
    int parameter_count;
    lf_status (*build)(void *user, lf_scene *scene, lf_part top, const double *parameters);
    void *user;
    int cull_levels;
} lf__object;

/// How an instance follows a ground.
typedef struct lf__follow {
    const lf_ground *ground;
    lf_footprint footprint;
    double lift;
    lf_stance stance; ///< as it was set down last
} lf__follow;

typedef struct lf__instance {
    lf__pool_slot slot;
    lf_object object;
    char name[LF__NAME_SIZE];
    uint32_t top;
    lf_pose pose;
    lf_vec3 scale;
    lf_motion motion;
    lf_vec3 velocity, spin;
    lf__trail track;
    lf__parameter *parameters;
    int parameter_count;
    uint64_t user;
    lf_pose old_pose;          ///< at the end of the last step
    bool fresh;                ///< it was created or has jumped since the last step: old_pose is its new pose
    int64_t stamp;             ///< the last step at which it deviated from its forecast,
    lf_vec3 forecast_velocity; ///< its velocity then,
    lf_box forecast_box;       ///< its box,
    double forecast_time;      ///< when that was,
    bool has_forecast;         ///< and whether there is a forecast
    int64_t part_velocities;   ///< parts with a velocity of their own
    lf__follow *follow;        ///< the ground it follows, or NULL
    int cull_levels;           ///< of its object
} lf__instance;

struct lf_scene {
    lf_allocator allocator;
    lf_progress progress;        ///< report may be NULL
    int64_t work, work_reported; ///< units done; what was last reported
    bool cancelled;              ///< the host has cancelled the step
    double thickness;
    double (*clock)(void *user);
    void *clock_user;
    lf__pool parts, objects, instances, watches;
    char (*tags)[LF__NAME_SIZE];
    int tag_count;
    int64_t part_boxes, vertices, pair_tests, sleeping_pairs, ground_tests, steps;
    double time;
    int64_t tracked_parts; ///< parts whose velocity is measured
    lf__array boxes; ///< of lf_box: those of all instances in one array, for queries; empty for free slots
    int64_t touched; ///< incremented with every change of a box
    int64_t listed;  ///< what it was when the boxes were listed
    struct lf__world *world;       ///< the scene as a ground, or NULL
    int64_t world_listed;          ///< what `touched` was when it was last brought up to date
    struct lf_cull *cull;          ///< of the boxes, kept between queries; or NULL
    struct lf__ray_tree *ray_tree; ///< of the boxes, for rays; or NULL
    int32_t rays;                  ///< since the boxes were listed, as far as they are counted
    int64_t culled;                ///< what `listed` was when it was last brought up to date
    lf__array kept;                ///< of int64_t: items kept by the culler
    lf__array events;              ///< of lf_event
    // Scratch arrays of watches, kept between steps.
    lf__array shapes_a, shapes_b; ///< of uint32_t
    lf__array candidates;         ///< of lf__candidate
    lf__array movers;             ///< of lf_vec3, four per triangle
    lf__array soup, soup_numbers; ///< of lf_vec3, three per triangle, and of int64_t
    // Set while a callback runs.
    const char *held;        ///< the running callback, while a step holds pointers into the arrays; or NULL
    _Atomic int64_t showing; ///< running calls of lf_part_triangles, on any thread
    int building;            ///< running build functions, nested
};

/// The callback that is running while nothing may be changed; NULL when the scene may be changed.
static inline const char *lf__scene_holder(const lf_scene *scene) {
    if (scene->held)
        return scene->held;
    return atomic_load_explicit(&scene->showing, memory_order_relaxed) > 0
               ? "the show function of lf_part_triangles"
               : NULL;
}

/// For calls that change the scene: LF_OK, or LF_BAD_ARGUMENT and a message that names the call and the
/// running callback.
lf_status lf__scene_may_change(const lf_scene *scene, const char *call, lf_error *error);

static inline lf__part *lf__part_at(const lf_scene *scene, uint32_t index) {
    return (lf__part *)lf__pool_at(&scene->parts, index);
}

static inline lf__instance *lf__instance_at(const lf_scene *scene, uint32_t index) {
    return (lf__instance *)lf__pool_at(&scene->instances, index);
}

static inline lf__part *lf__part_find(const lf_scene *scene, lf_part id) {
    return scene ? lf__pool_find(&scene->parts, id.index, id.generation) : NULL;
}

static inline lf__instance *lf__instance_find(const lf_scene *scene, lf_instance id) {
    return scene ? lf__pool_find(&scene->instances, id.index, id.generation) : NULL;
}

/// The same for calls that change what they find: NULL also while nothing may be changed.
static inline lf__part *lf__part_to_change(const lf_scene *scene, lf_part id) {
    return scene && !lf__scene_holder(scene) ? lf__part_find(scene, id) : NULL;
}

static inline lf__instance *lf__instance_to_change(const lf_scene *scene, lf_instance id) {
    return scene && !lf__scene_holder(scene) ? lf__instance_find(scene, id) : NULL;
}

/// Ids of items; the null id for LF__NO_INDEX.
static inline lf_part lf__part_id(const lf_scene *scene, uint32_t index) {
    if (index == LF__NO_INDEX)
        return (lf_part){0, 0};
    return (lf_part){index, lf__part_at(scene, index)->slot.generation};
}

static inline lf_instance lf__instance_id(const lf_scene *scene, uint32_t index) {
    if (index == LF__NO_INDEX)
        return (lf_instance){0, 0};
    return (lf_instance){index, lf__instance_at(scene, index)->slot.generation};
}

static inline bool lf__within_limit(lf_vec3 p) {
    return fabs(p.x) <= LF__SCENE_LIMIT && fabs(p.y) <= LF__SCENE_LIMIT && fabs(p.z) <= LF__SCENE_LIMIT;
}

static inline lf_box lf__box_moved(lf_box box, lf_vec3 by) {
    lf_box moved = {lf_vec3_add(by, box.low), lf_vec3_add(by, box.high)};
    return moved;
}

/// Units of work between two reports.
#define LF__WORK_STEP 4096

void lf__work_report(lf_scene *scene);

/// Count work, one unit for about a comparison of two boxes, and report it from time to time. false: the host
/// has cancelled the step; operations that cannot be interrupted ignore that.
static inline bool lf__work(lf_scene *scene, int64_t units) {
    scene->work += units;
    if (scene->work - scene->work_reported >= LF__WORK_STEP)
        lf__work_report(scene);
    return !scene->cancelled;
}

/// A cursor that counts the work of queries for the scene, keeps no hints, and stops long queries when the
/// host cancels.
lf_cursor lf__work_cursor(lf_scene *scene);

/// Count the cost of queries with such a cursor since the last call.
bool lf__work_of(lf_scene *scene, lf_cursor *cursor);

/// Text of 1 to 63 bytes.
bool lf__name_valid(const char *name);

/// The tree of the boxes for rays: follow the boxes that have been listed, if rays are asked.
void lf__ray_tree_refresh(lf_scene *scene);
void lf__ray_tree_free(lf_scene *scene);

/// Where a line is within a circle (z left out) or a sphere about the origin: between the two t.
bool lf__within_round(lf_vec3 origin, lf_vec3 direction, double radius, double *enter, double *leave);

/// The topmost part over a part.
uint32_t lf__part_top(const lf_scene *scene, uint32_t index);

/// The next part of a tree after a part, in the order of the tree, without leaving what is under `top`;
/// LF__NO_INDEX at the end.
uint32_t lf__part_after(const lf_scene *scene, uint32_t index, uint32_t top);

/// The same, but skipping the parts below it.
uint32_t lf__part_beside(const lf_scene *scene, uint32_t index, uint32_t top);

/// Mark that a part's transforms (map), shape (core) or parts below have changed.
void lf__part_touch(lf_scene *scene, uint32_t index, bool map, bool core);

/// Create a part that is not attached yet, with default values.
lf_status lf__part_make(lf_scene *scene, uint32_t instance, uint32_t *index);

/// Detach a part and free it with all parts below it.
void lf__part_free(lf_scene *scene, uint32_t index);

/// Copy all parts below `from` to below `to`.
lf_status lf__part_copy_below(lf_scene *scene, uint32_t from, uint32_t to);

/// Check a shape and copy it.
lf_status lf__form_make(lf_scene *scene, const lf_shape *shape, lf__form *form, lf_error *error);
lf_status lf__form_copy(lf_scene *scene, const lf__form *from, lf__form *to);
void lf__form_free(lf_scene *scene, lf__form *form);
void lf__solid_free(lf__part *part);

/// A tag's number; a new tag is added.
lf_status lf__tag_number(lf_scene *scene, const char *tag, int *number);

/// Bring a tree of parts up to date, from its topmost.
void lf__parts_refresh(lf_scene *scene, uint32_t top);
void lf__scene_refresh(lf_scene *scene);

/// Boxes in the world; the instance is up to date.
lf_box lf__part_box_now(const lf_scene *scene, const lf__part *part);
/// The box at the end of the last step; the current one where there was none.
lf_box lf__part_box_before(const lf_scene *scene, const lf__part *part);

/// Tracks of centres.
lf_status lf__trail_make(const lf_allocator *allocator, lf__trail *track, int steps);
void lf__trail_free(const lf_allocator *allocator, lf__trail *track);
void lf__trail_forget(lf__trail *track);
/// The velocity over the trail's steps; 0 with fewer than two entries.
lf_vec3 lf__trail_velocity(const lf__trail *track);

void lf__part_untrack(lf_scene *scene, lf__part *part);

/// The colour a part is drawn in: its own or the nearest above.
lf_paint lf__part_colour(const lf_scene *scene, const lf__part *part);

/// The velocity of a part of an instance.
lf_vec3 lf__part_velocity(const lf_scene *scene, const lf__part *part);

/// The triangles of a shape in its own coordinates. facets: of a circle; stretch: 1, or more to have round
/// shapes inside their facets. Stops when `show` returns false.
typedef bool lf__show_triangle(void *user, const lf_vec3 corners[3], int64_t polygon);
bool lf__form_triangles(const lf__form *form, int facets, double stretch, lf__show_triangle *show,
                        void *user);

/// At the end of a step: measure every velocity.
void lf__velocities_note(lf_scene *scene);

/// Set an instance down on the ground it follows.
void lf__instance_set_down(lf_scene *scene, lf__instance *instance);

/// Free what instances and objects own, their parts too.
void lf__instance_free(lf_scene *scene, lf__instance *instance);
void lf__object_free(lf_scene *scene, lf__object *object);

/// Watches: the beginning and the end of a scene.
void lf__watches_start(lf_scene *scene);
void lf__watches_free(lf_scene *scene);

/// Make the rows orthonormal again: thousands of small rotations accumulate errors.
void lf__pose_straighten(lf_pose *pose);

/// Change the pose of an instance, and mark what depends on it.
void lf__instance_pose(lf_scene *scene, lf__instance *instance, const lf_pose *pose);

#endif
