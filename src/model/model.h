/// FIXHEAD model/model.h
#ifndef LF_MODEL_MODEL_H
#define LF_MODEL_MODEL_H

#include "bvh/bvh_pairs.h"
#include "query/query.h"
#include <landfall/model.h>

// ---------------------------------------------------------------------------------------------------
// model.h
// ---------------------------------------------------------------------------------------------------

/// Models from the inside.

/// Coordinates beyond this are refused: exact arithmetic and floats around an origin stay far from overflow.
#define LF__MODEL_LIMIT LF__TREE_LIMIT

/// What a first look at two poses tells.
typedef enum lf__poses {
    LF__POSES_UNSURE, ///< they may be such as lf__model_pose_valid does not take
    LF__POSES_NEAR,   ///< they are rigid; their origins may be within `reach`
    LF__POSES_APART   ///< they are rigid, and their origins are surely farther apart
} lf__poses;

typedef lf__poses lf__apart_kernel(const lf_pose *a, const lf_pose *b, double reach);

lf__apart_kernel *lf__apart_kernel_for(lf_isa isa);

struct lf_model {
    lf_allocator allocator;
    lf_vec3 *vertices;
    int64_t vertex_count;
    uint32_t *corners; ///< three per triangle; polygon by polygon, each as a fan from its first corner
    int64_t triangle_count;
    uint32_t *owners; ///< triangle to polygon; NULL when all polygons are triangles
    int64_t polygon_count;
    uint64_t *users;  ///< per polygon, or NULL
    uint32_t *layers; ///< per polygon, or NULL
    int64_t flat_count, open_count;
    lf_vec3 centre; ///< of a sphere around everything
    double radius;
    double reach; ///< of a sphere about the origin, however the model is turned
    lf__apart_kernel *apart;
    lf_tree *tree;
    struct lf__field *field; ///< or NULL
};

static inline int64_t lf__model_owner(const lf_model *model, int64_t triangle) {
    return model->owners ? model->owners[triangle] : triangle;
}

static inline void lf__model_corners(const lf_model *model, int64_t triangle, lf_vec3 corners[3]) {
    for (int c = 0; c < 3; c++)
        corners[c] = model->vertices[model->corners[3 * triangle + c]];
}

/// Check the caller's polygons and copy them into a model.
lf_status lf__model_copy(lf_model *model, const lf_model_def *def, lf_error *error);

/// Count the edges that do not close.
lf_status lf__model_count_open(lf_model *model);

/// Set the sphere around everything.
void lf__model_enclose(lf_model *model);

/// Rigid, and within 1e30.
bool lf__model_pose_valid(const lf_pose *pose);

/// A question that has been checked, and the spheres of its models.
typedef struct lf__model_pair_state {
    lf_pose between;
    bool apart; ///< the spheres share no point
} lf__model_pair_state;

/// Check a question; LF_OK: `state` says how to go on, and `question` is the caller's own, or the copy where theirs is of an older
/// size.
lf_status lf__model_question_read(const lf_model_query *given, lf_model_query *copy,
                                  const lf_model_query **question, lf__model_pair_state *state);

// ---------------------------------------------------------------------------------------------------
// near.h
// ---------------------------------------------------------------------------------------------------

/// Distances of triangles.

/// The point of a triangle nearest to a point.
lf_vec3 lf__nearest_on_triangle(const lf_vec3 t[3], lf_vec3 p);

/// The squared distance of two triangles that do not touch, and where it is.
double lf__triangles_distance(const lf_vec3 p[3], const lf_vec3 q[3], lf_vec3 *on_p, lf_vec3 *on_q);

/// A point that two touching triangles share, up to rounding: on an edge of one that crosses the other, or where they come nearest.
lf_vec3 lf__triangles_common(const lf_vec3 p[3], const lf_vec3 q[3]);

/// As lf_model_nearest, but about: the true distance is not less than `share` (above 0, at most 1) of the one found. Much quicker where
/// many triangles are about as far, such as a thing in the middle of a ring.
lf_status lf__model_nearest_about(const lf_model_query *given, double share, lf_model_distance *nearest,
                                  lf_cursor *cursor);

#endif
