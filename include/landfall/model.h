/// landfall/model.h: shapes that touch other shapes. Any polygon soup, closed or open, in any pose.
///
/// What is exact: a question about two models carries the vertices of b into a's frame once, in doubles, by
/// lf_pose_to_world(pose of b in a, vertex). From there on nothing is rounded: touching is decided exactly for
/// these points and for a's own. Triangles are closed: a common corner, a common edge, one lying in the other's plane: all
/// that is touching. A triangle without area is the segment or the point that its corners span.
#ifndef LANDFALL_MODEL_H
#define LANDFALL_MODEL_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where a distance field looks from: name, value, word, what it is.
#define LF_FIELD_CENTRE_LIST(X)                                                                    \
    X(LF_FIELD_CENTRE_SPHERE, 0, "sphere", "the centre of an enclosing sphere")                    \
    X(LF_FIELD_CENTRE_MASS, 1, "mass", "the centre of mass of the surface")                        \
    X(LF_FIELD_CENTRE_SEEING, 2, "seeing", "the place that sees most of the surface, by a search") \
    X(LF_FIELD_CENTRE_GIVEN, 3, "given", "the caller's own")

typedef enum lf_field_centre {
#define LF_FIELD_CENTRE_ENUM(name, value, word, text) name = value,
    LF_FIELD_CENTRE_LIST(LF_FIELD_CENTRE_ENUM)
#undef LF_FIELD_CENTRE_ENUM
} lf_field_centre;

/// Distance fields, as the core reaches them: lf_funfzig_field() of <landfall/published.h>.
typedef struct lf_field_functions lf_field_functions;

/// How to make a spherical distance field (Fünfzig and others, 2009).
typedef struct lf_field_def {
    int sectors; ///< along each side of the six charts, a power of two, 2 .. 256; 0, the default: no field
    int layers;  ///< shells per sector, 1 .. 16; 4 by default
    lf_field_centre centre;              ///< where distances are measured from
    lf_vec3 at;                          ///< for LF_FIELD_CENTRE_GIVEN
    const lf_field_functions *functions; ///< lf_funfzig_field(); may be NULL where there are no sectors
} lf_field_def;

/// How to make a model; start from lf_model_def_default().
typedef struct lf_model_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< hooks of the caller
    lf_polygons polygons; ///< copied; users and layers come back in rays' hits, sides do not matter
    lf_field_def field;   ///< none by default: the tree answers
} lf_model_def;

/// The default: nothing yet. Fill in polygons.
static inline lf_model_def lf_model_def_default(void) {
    lf_model_def def = {sizeof(lf_model_def),
                        {NULL, NULL, NULL, NULL},
                        {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL},
                        {0, 4, LF_FIELD_CENTRE_SPHERE, {0, 0, 0}, NULL}};
    return def;
}

/// A shape. Read-only once it is made; where it is, every question says again.
typedef struct lf_model lf_model;

/// What a model is made of.
typedef struct lf_model_info {
    int64_t vertex_count;   ///< number of vertices
    int64_t polygon_count;  ///< number of polygons
    int64_t triangle_count; ///< an n-gon counts n - 2
    int64_t flat_count;     ///< triangles without area: kept, and touched like all others
    int64_t open_count;     ///< edges that are not passed as often one way as the other; 0: closed
    bool closed;            ///< it has an inside
    lf_box box;             ///< of the vertices that polygons use
    lf_vec3 centre;         ///< of the sphere
    double radius;          ///< of a sphere around all of it
    size_t bytes;           ///< all memory that the model holds
    size_t tree_bytes;      ///< of these, the box tree
    size_t field_bytes;     ///< of these, the distance field
} lf_model_info;

/// Make a model. A polygon of more than three corners is cut into a fan from its first corner: it should be convex.
/// def    polygons with 3 or more corners; vertices that no polygon uses do not matter
/// model  written only on success; release it with lf_model_destroy
/// error  optional; `where` is the index of the offending polygon
/// Errors: LF_BAD_GEOMETRY (NaN, infinite or beyond 1e30, by polygon; no polygon at all), LF_BAD_ARGUMENT (corner out of range,
/// by polygon), LF_NO_MEMORY, LF_TOO_LARGE (also of a field whose sectors hold more than 64 triangles each, or whose triangles cross more than 64 sectors each, on the
/// average: its centre lies amid too many of them), LF_CANCELLED. Triangles without area are counted, not refused.
/// Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_model_create(const lf_model_def *def, lf_model **model, lf_error *error);

/// Destroy a model; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_model_destroy(lf_model *model);

/// The model as a ground, in its own coordinates with down -z, for as long as the model exists; NULL for NULL. As a part of groups
/// (landfall/ground.h) it can stand in many places at once. Faces are met from both sides; a place beyond its box is outside. Costs nothing.
/// Threads: any.
LF_API const lf_ground *lf_model_ground(const lf_model *model);

/// What a model is made of. Allocates nothing. Threads: any number at once.
LF_API lf_model_info lf_model_describe(const lf_model *model);

/// One triangle of a model: its corners, in the model's own frame, and the polygon it belongs to.
/// triangle  0 <= triangle < triangle_count, polygon by polygon
/// corners   three are written; polygon is optional
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_triangle(const lf_model *model, int64_t triangle, lf_vec3 *corners,
                                   int64_t *polygon);

// ---------------------------------------------------------------------------------------------------
// Two models
// ---------------------------------------------------------------------------------------------------

/// What finds touching triangles. Answers do not depend on it, except for LF_MODEL_SHELLS.
#define LF_MODEL_METHOD_LIST(X)                                                           \
    X(LF_MODEL_AUTO, 0, "auto", "the faster one")                                         \
    X(LF_MODEL_TREE, 1, "tree", "trees of boxes")                                         \
    X(LF_MODEL_FIELD, 2, "field", "spherical distance fields; both models must have one") \
    X(LF_MODEL_SHELLS, 3, "shells", "the fields' shells alone: never misses, but near is touching")

typedef enum lf_model_method {
#define LF_MODEL_METHOD_ENUM(name, value, word, text) name = value,
    LF_MODEL_METHOD_LIST(LF_MODEL_METHOD_ENUM)
#undef LF_MODEL_METHOD_ENUM
} lf_model_method;

/// Which of the touching pairs are requested.
typedef enum lf_model_report {
    LF_MODEL_REPORT_ALL,   ///< every pair once
    LF_MODEL_REPORT_LAYER, ///< one for each two shells (layers of two sectors of the fields) that touch
    LF_MODEL_REPORT_SECTOR ///< one for each two sectors of the fields that touch
} lf_model_report;

/// Two models and where they are; start from lf_model_query_default().
typedef struct lf_model_query {
    size_t size;            ///< stamped by the default function
    const lf_model *a, *b;  ///< may be the same one
    lf_pose pose_a, pose_b; ///< rigid, within 1e30; the identity by default
    int64_t limit;          ///< stop after so many pairs; 0, the default: find all
    lf_model_method method; ///< how it is computed
    lf_model_report report; ///< other than all: only where both have fields
} lf_model_query;

static inline lf_model_query lf_model_query_default(void) {
    lf_model_query question = {sizeof(lf_model_query),
                               NULL,
                               NULL,
                               {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                               {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                               0,
                               LF_MODEL_AUTO,
                               LF_MODEL_REPORT_ALL};
    return question;
}

/// A triangle of a and one of b that share a point.
typedef struct lf_model_pair {
    int64_t a, b; ///< triangles of the first and of the second model
} lf_model_pair;

/// Do two models share a point of their surfaces? One wholly inside the other does not.
/// touching  always written. With LF_MODEL_SHELLS it may be true for models that only come near: nearer than the thickness of the
///           shells there and the width of their sectors
/// Errors: LF_BAD_ARGUMENT (NULL, a pose that is not rigid, a method that wants fields where there are none). Allocates nothing.
/// Threads: any number at once.
LF_API lf_status lf_model_touch(const lf_model_query *question, bool *touching, lf_cursor *cursor);

/// Which triangles touch.
/// pairs     space for capacity pairs; the order depends on the models, the poses and the method alone
/// count     how many there are; when more than capacity, the first are written and LF_PARTIAL is returned. With a limit
///           the search ends there: count is then at most the limit
/// Errors: LF_BAD_ARGUMENT (as lf_model_touch; a negative limit; LF_MODEL_SHELLS, which knows no triangles; a report other than all
/// by the tree or without fields), LF_NO_MEMORY.
/// Allocates nothing, except by LF_MODEL_FIELD for all pairs: that notes what has been found with a's allocator, 8 bytes per pair
/// and sector. Threads: any number at once.
LF_API lf_status lf_model_pairs(const lf_model_query *question, lf_model_pair *pairs, int64_t capacity,
                                int64_t *count, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Distance
// ---------------------------------------------------------------------------------------------------

/// How near two things are, and where.
typedef struct lf_model_distance {
    double distance;          ///< 0 exactly when they touch
    lf_vec3 point_a, point_b; ///< in the world; the same where they touch, up to rounding
    int64_t a, b;             ///< their triangles; a is -1 for a point
} lf_model_distance;

/// The distance of two models' surfaces. Whether it is 0 is exact; else it is within 1e-13 of the models' coordinates.
/// question  its limit, method and report do not matter
/// nearest   written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_nearest(const lf_model_query *question, lf_model_distance *nearest,
                                  lf_cursor *cursor);

/// Are two models' surfaces within a margin of each other?
/// margin  metres, 0 or more; 0 asks whether they touch, exactly
/// within  always written
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_within(const lf_model_query *question, double margin, bool *within,
                                 lf_cursor *cursor);

/// The point of a model's surface nearest to a point of the world, which may be inside.
/// pose     rigid, or NULL for the identity
/// point    within 1e30
/// nearest  written only on success; point_a is the point itself
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_nearest_to(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                                     lf_model_distance *nearest, lf_cursor *cursor);

/// Bounds of the distance of two models without looking at a single triangle: least <= distance <= most.
/// From the fields where both have one, else from spheres and boxes.
/// least, most  written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_distance_bounds(const lf_model_query *question, double *least, double *most);

/// The same from a point of the world to a model.
LF_API lf_status lf_model_point_bounds(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                                       double *least, double *most);

/// Is a point of the world inside a closed model? Exact for the point as lf_pose_to_local carries it into the model's frame.
/// pose      rigid, or NULL for the identity
/// relation  LF_RELATION_INSIDE, LF_RELATION_OUTSIDE, or LF_RELATION_CROSSING for a point on the surface. Inside is where the surface winds round the
///           point, however often; a shell within a shell, turned inside out, is a hollow
/// Errors: LF_BAD_ARGUMENT (NULL, NaN, an open model). Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_point_inside(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                                       lf_relation *relation, lf_cursor *cursor);

/// First triangle of a model that a ray of the world meets; exact as lf_ground_ray_first, for the ray as the pose carries it into the
/// model's frame. `element` is the polygon.
/// pose  rigid, or NULL for the identity
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_ray_first(const lf_model *model, const lf_pose *pose, const lf_ray *ray,
                                    lf_hit *hit, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// A model and the ground
// ---------------------------------------------------------------------------------------------------

/// A model in a pose over a ground.
typedef struct lf_model_stand {
    const lf_model *model;   ///< the model
    lf_pose pose;            ///< rigid, within 1e30
    const lf_ground *ground; ///< the ground
    int64_t *under; ///< optional: space for the indices of the triangles under the ground, in ascending order
    int64_t under_capacity; ///< how many there is space for; 0 or more
} lf_model_stand;

/// How a model and the ground meet.
typedef struct lf_model_landing {
    bool
        touching; ///< do they share a point? Exact, as between two models, in the frame of each part of the ground
    int64_t under_count; ///< triangles that are, in part at least, under the ground
    double depth;        ///< metres along gravity from the deepest point up to the ground; 0 without any
    lf_vec3 deepest;     ///< that point of the model, in the world
    lf_vec3 surface;     ///< the ground over it
    int64_t triangle;    ///< the first triangle it belongs to; -1 without any
} lf_model_landing;

/// Does a model touch the ground, and how deep is it in it? A point is under the ground when the nearest ground above it, along gravity
/// and no farther than the model is large, is met from behind: its front is up. The ceiling of a cave is not above a
/// thing that stands in the cave, but a floor is above a thing that has sunk into it. A grid has no caves, nor has a globe: everything below it is
/// under it, however deep. All points of the triangles count, not only their corners: where ground ends over a triangle the depth is the
/// greatest that points beside that border come near to. Towards a centre or an axis the point is looked for as if gravity had the
/// direction that it has in the model's middle, and its depth then measured along its own gravity; on a globe of tiles
/// points of a triangle count that are no farther apart than a quarter of a cell, or a 64th of its longest side. In a group, a bilinear patch that is tilted or has other parts near is taken as 16 x 16 squares of two triangles. On bilinear
/// ground touching is exact up to the rounding of the direction of the model's edges.
/// stand    pointers not NULL; the pose checked
/// landing  written only on success; its under_count is also the number of indices for `under`: when more than under_capacity,
///          the first are written and LF_PARTIAL is returned
/// cursor   counters and the layer filter of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT; LF_PARTIAL only where `under` is given. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_land(const lf_model_stand *stand, lf_model_landing *landing, lf_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
