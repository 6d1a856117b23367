/// landfall/model.h: shapes that touch other shapes. Any polygon soup, closed or open, in any pose.
///
/// What is exact: a question about two models carries the vertices of b into a's frame once, in doubles, by
/// lf_pose_to_world(lf_model_between(pose_a, pose_b), vertex). From there on nothing is rounded: touching is decided exactly for
/// these points and for a's own. Triangles are closed: a common corner, a common edge, one lying in the other's plane: all
/// that is touching. A triangle without area is the segment or the point that its corners span.
#ifndef LANDFALL_MODEL_H
#define LANDFALL_MODEL_H

#include <landfall/ask.h>
#include <landfall/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How to make a model; start from lf_model_def_default().
typedef struct lf_model_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    lf_polygons polygons; ///< copied; users and layers come back in rays' hits, sides do not matter
} lf_model_def;

/// The default: nothing yet. Fill in polygons.
static inline lf_model_def lf_model_def_default(void) {
    lf_model_def def = {
        sizeof(lf_model_def), {NULL, NULL, NULL, NULL}, {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL}};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_model_def_init(lf_model_def *def, size_t size);

/// A shape. Read-only once it is made; where it is, every question says anew.
typedef struct lf_model lf_model;

/// What a model is made of.
typedef struct lf_model_info {
    int64_t vertex_count;
    int64_t polygon_count;
    int64_t triangle_count; ///< an n-gon counts n - 2
    int64_t flat_count;     ///< triangles without area: kept, and touched like all others
    int64_t
        open_count; ///< edges that as many triangles pass one way as the other would not be: 0 means closed
    bool closed;    ///< it has an inside
    lf_box box;     ///< of the vertices that polygons use
    lf_vec3 centre; ///< of the sphere
    double radius;  ///< of a sphere around all of it
    size_t bytes;   ///< all memory that the model holds
    size_t tree_bytes; ///< of these, the box tree
} lf_model_info;

/// Make a model. A polygon of more than three corners is cut into a fan from its first corner: it should be convex.
/// def    polygons with 3 or more corners; vertices that no polygon uses do not matter
/// model  written only on success; give it back with lf_model_destroy
/// error  optional; `where` is the index of the offending polygon
/// Errors: LF_BAD_GEOMETRY (NaN, infinite or beyond 1e30, by polygon; no polygon at all), LF_BAD_ARGUMENT (corner out of range,
/// by polygon), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED. Triangles without area are counted, not refused.
/// Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_model_create(const lf_model_def *def, lf_model **model, lf_error *error);

/// Give a model back; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_model_destroy(lf_model *model);

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

/// The pose of b as seen from a: what carries points of b into a's frame. Both rigid.
/// Allocates nothing. Threads: any.
LF_API lf_pose lf_model_between(const lf_pose *a, const lf_pose *b);

/// Two models and where they are; start from lf_model_question_default().
typedef struct lf_model_question {
    size_t size;            ///< stamped by the default function
    const lf_model *a, *b;  ///< may be the same one
    lf_pose pose_a, pose_b; ///< rigid, within 1e30; the identity by default
    int64_t limit;          ///< stop after so many pairs; 0, the default: find all
} lf_model_question;

static inline lf_model_question lf_model_question_default(void) {
    lf_model_question question = {sizeof(lf_model_question),
                                  NULL,
                                  NULL,
                                  {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                                  {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
                                  0};
    return question;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to question.
LF_API void lf_model_question_init(lf_model_question *question, size_t size);

/// A triangle of a and one of b that share a point.
typedef struct lf_model_pair {
    int64_t a, b;
} lf_model_pair;

/// Do two models share a point of their surfaces? One wholly inside the other does not.
/// touching  always written
/// Errors: LF_BAD_ARGUMENT (NULL, a pose that is not rigid). Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_touch(const lf_model_question *question, bool *touching, lf_cursor *cursor);

/// Which triangles touch: every pair once.
/// pairs     room for capacity pairs; the order depends on the models and poses alone
/// count     how many there are; when more than capacity, the first found are written and LF_PARTIAL is returned. With a limit
///           the search ends there: count is then at most the limit
/// Errors: LF_BAD_ARGUMENT (NULL, a pose that is not rigid, a negative limit). Allocates nothing. Threads: any number at once.
LF_API lf_status lf_model_pairs(const lf_model_question *question, lf_model_pair *pairs, int64_t capacity,
                                int64_t *count, lf_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
