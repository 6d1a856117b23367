/// landfall/model.h: collision, distance and containment of models: any polygon soup, closed or open, in any pose.
///
/// Exactness: a query of two models transforms the vertices of b into the frame of a once, in doubles, by
/// lf_pose_to_world(pose of b in a, vertex). After that nothing is rounded: touching is decided exactly for these points
/// and those of a. Triangles are closed: a shared corner, a shared edge and coplanar overlap are contacts. A triangle
/// without area is the segment or the point that its corners span.
#ifndef LANDFALL_MODEL_H
#define LANDFALL_MODEL_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Centre of a distance field: identifier, value, name, description.
#define LF_FIELD_CENTRE_LIST(X)                                                                    \
    X(LF_FIELD_CENTRE_SPHERE, 0, "sphere", "the centre of an enclosing sphere")                    \
    X(LF_FIELD_CENTRE_MASS, 1, "mass", "the centre of mass of the surface")                        \
    X(LF_FIELD_CENTRE_SEEING, 2, "seeing", "the point that sees most of the surface, by a search") \
    X(LF_FIELD_CENTRE_GIVEN, 3, "given", "chosen by the caller")

typedef enum lf_field_centre {
#define LF_FIELD_CENTRE_ENUM(name, value, word, text) name = value,
    LF_FIELD_CENTRE_LIST(LF_FIELD_CENTRE_ENUM)
#undef LF_FIELD_CENTRE_ENUM
} lf_field_centre;

/// Functions of distance fields: lf_funfzig_field() of <landfall/published.h>.
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
    lf_field_def field;   ///< none by default: only the tree is used
} lf_model_def;

/// The default: nothing yet. Fill in polygons.
static inline lf_model_def lf_model_def_default(void) {
    lf_model_def def = {sizeof(lf_model_def),
                        {NULL, NULL, NULL, NULL},
                        {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL},
                        {0, 4, LF_FIELD_CENTRE_SPHERE, {0, 0, 0}, NULL}};
    return def;
}

/// A model. It does not change; each query states its pose.
typedef struct lf_model lf_model;

/// Description of a model.
typedef struct lf_model_info {
    int64_t vertex_count;   ///< number of vertices
    int64_t polygon_count;  ///< number of polygons
    int64_t triangle_count; ///< an n-gon counts n - 2
    int64_t flat_count;     ///< triangles without area; they are kept and can touch
    int64_t open_count;     ///< edges that are not used equally often in both directions; 0: closed
    bool closed;            ///< it has an inside
    lf_box box;             ///< of the vertices that polygons use
    lf_vec3 centre;         ///< of the sphere
    double radius;          ///< of a sphere around all of it
    size_t bytes;           ///< all memory that the model holds
    size_t tree_bytes;      ///< of these, the box tree
    size_t field_bytes;     ///< of these, the distance field
} lf_model_info;

/// Create a model. A polygon with more than three corners is cut into a fan from its first corner: it should be convex.
/// def    polygons with 3 or more corners; unused vertices are ignored
/// model  written only on success; free it with lf_model_destroy
/// error  optional; `where` is the index of the offending polygon
/// Errors: LF_BAD_GEOMETRY (NaN, infinite or beyond 1e30, by polygon; no polygon at all), LF_BAD_ARGUMENT (corner out of
/// range, by polygon), LF_NO_MEMORY, LF_TOO_LARGE (also for a field with more than 64 triangles per sector, or more than 64
/// sectors per triangle, on average: its centre is too close to too many triangles), LF_CANCELLED. Triangles without area
/// are counted, not refused. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_model_create(const lf_model_def *def, lf_model **model, lf_error *error);

/// Destroy a model; NULL is accepted. Threads: no other thread may use it.
LF_API void lf_model_destroy(lf_model *model);

/// The model as a ground, in its own coordinates with down -z, valid as long as the model; NULL for NULL. As a part of
/// groups (landfall/ground.h) it can be in many places at once. Faces are hit from both sides; `element` of a hit is the
/// polygon; a point beyond its box is outside. Costs nothing. Threads: any.
LF_API const lf_ground *lf_model_ground(const lf_model *model);

/// Describe a model. Allocates nothing. Threads: any number at once.
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

/// Search for touching triangles: identifier, value, name, description. Results do not depend on it, except for
/// LF_MODEL_SHELLS.
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

/// Which of the touching pairs are returned.
typedef enum lf_model_report {
    LF_MODEL_REPORT_ALL,   ///< every pair once
    LF_MODEL_REPORT_LAYER, ///< one for each two shells (layers of two sectors of the fields) that touch
    LF_MODEL_REPORT_SECTOR ///< one for each two sectors of the fields that touch
} lf_model_report;

/// Two models and their poses; start from lf_model_query_default().
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

/// Do the surfaces of two models share a point? A model completely inside the other does not touch it.
/// touching  always written; false after LF_BAD_ARGUMENT. With LF_MODEL_SHELLS it may be true for models that are only close:
///           closer than the thickness of the shells there and the width of their sectors
/// Errors: LF_BAD_ARGUMENT (NULL, a pose that is not rigid, a method that needs fields and a model without one). Allocates
/// nothing. Threads: any number at once.
LF_API lf_status lf_model_touch(const lf_model_query *question, bool *touching, lf_cursor *cursor);

/// Which triangles touch.
/// pairs     space for capacity pairs; the order depends on the models, the poses and the method alone
/// count     how many there are; when more than capacity, the first are written and LF_PARTIAL is returned. With a limit
///           the search ends there: count is then at most the limit. Always written; 0 after LF_BAD_ARGUMENT
/// Errors: LF_BAD_ARGUMENT (as lf_model_touch; a negative limit; LF_MODEL_SHELLS, which finds no
/// triangles; a report other than all without fields), LF_NO_MEMORY. Allocates nothing, except LF_MODEL_FIELD for all pairs:
/// 8 bytes per pair and sector with the allocator of a. Threads: any number at once.
LF_API lf_status lf_model_pairs(const lf_model_query *question, lf_model_pair *pairs, int64_t capacity,
                                int64_t *count, lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// Distance
// ---------------------------------------------------------------------------------------------------

/// The distance of two models, or of a point and a model.
typedef struct lf_model_distance {
    double distance;          ///< 0 exactly when they touch
    lf_vec3 point_a, point_b; ///< the closest points, in the world; equal, up to rounding, where they touch
    int64_t a, b;             ///< their triangles; a is -1 for a point
} lf_model_distance;

/// The distance of the surfaces of two models. Whether it is 0 is exact; otherwise it is within 1e-13 of the coordinates.
/// question  its limit, method and report are not used
/// nearest   written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_nearest(const lf_model_query *question, lf_model_distance *nearest,
                                  lf_cursor *cursor);

/// Are the surfaces of two models within a margin of each other?
/// margin  metres, >= 0; 0: do they touch, exactly?
/// within  always written; false after LF_BAD_ARGUMENT
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

/// Bounds of the distance of two models, without testing a triangle: least <= distance <= most. Computed from the fields if
/// both have one, else from spheres and boxes.
/// least, most  written only on success
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_distance_bounds(const lf_model_query *question, double *least, double *most);

/// Bounds of the distance of a point of the world and a model. Otherwise as lf_model_distance_bounds.
LF_API lf_status lf_model_point_bounds(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                                       double *least, double *most);

/// Is a point of the world inside a closed model? Exact for the point after lf_pose_to_local to the frame of the model.
/// pose      rigid, or NULL for the identity
/// relation  written only on success: LF_RELATION_INSIDE, LF_RELATION_OUTSIDE, or LF_RELATION_CROSSING for a point on the
///           surface. Inside is where the winding number of the surface is not 0; an inner shell with reversed triangles is
///           a cavity
/// Errors: LF_BAD_ARGUMENT (NULL, NaN, an open model). Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_point_inside(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                                       lf_relation *relation, lf_cursor *cursor);

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

/// Contact of a model and the ground.
typedef struct lf_model_landing {
    /// Do they share a point? Exact, as between two models, in the frame of each part of the ground.
    bool touching;
    int64_t under_count; ///< triangles that are at least partly under the ground
    double depth;     ///< metres along gravity from the deepest point up to the ground; 0 if none is under it
    lf_vec3 deepest;  ///< that point of the model, in the world
    lf_vec3 surface;  ///< the ground over it
    int64_t triangle; ///< the first triangle of the deepest point; -1 if none
} lf_model_landing;

/// Does a model touch the ground, and how deep is it below it? A point is under the ground if the nearest ground above it,
/// along gravity and no farther than the size of the model, is met from behind: its front is up. So the ceiling of a cave
/// does not cover what stands in the cave, but a floor covers what has sunk into it. Everything below a grid or a globe is
/// under the ground, however deep. All points of the triangles count, not only their corners: where ground ends above a
/// triangle, the depth is the limit towards that border. In frames with a centre or an axis the deepest point is searched
/// with the direction of gravity at the centre of the model, and its depth is then measured along its own gravity line. On a
/// globe, points of a triangle are tested that are at most a quarter of a cell, or 1/64 of its longest side, apart. In a
/// group, a bilinear patch that is tilted or close to other parts is approximated by 16 x 16 squares of two triangles. On
/// bilinear ground touching is exact up to the rounding of the direction of the model's edges.
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
