/// Internals of models.
#ifndef LF_MODEL_MODEL_H
#define LF_MODEL_MODEL_H

#include "bvh/bvh.h"
#include "geom/geometry.h"
#include "query/query.h"
#include <landfall/model.h>

/// Coordinates beyond this are rejected: exact arithmetic and floats around an origin stay far from overflow.
#define LF__MODEL_LIMIT LF__BVH_LIMIT

/// The result of the filter for two poses.
typedef enum lf__poses {
    LF__POSES_UNSURE, ///< lf__model_pose_valid may reject them
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
    lf__bvh *tree;
    struct lf__field *field;   ///< of landfall-published; or NULL
    lf_field_def field_record; ///< what the field was made of, or what a file says; sectors 0: none
    struct lf_mesh *skin;      ///< the model as a ground
};

/// Make the model a ground; its tree exists. After a failure, lf__model_free_skin frees what there is.
lf_status lf__model_make_skin(lf_model *model);
void lf__model_free_skin(lf_model *model);

enum { LF__FIELD_SECTORS_MAX = 256, LF__FIELD_LAYERS_MAX = 16 };

/// Check what a field is to be made of.
lf_status lf__field_check(const lf_field_def *def, lf_error *error);

/// Where found pairs go.
typedef struct lf__pair_list {
    lf_model_pair *pairs;
    int64_t capacity, count, limit;
} lf__pair_list;

/// Spheres that cover a model; each holds some point of it.
typedef struct lf__ball {
    lf_vec3 centre;
    double radius;
} lf__ball;

enum { LF__BALLS_MOST = 96 };

/// How the core reaches distance fields.
struct lf_field_functions {
    /// Make the field of a model: sets model->field, also where it fails halfway, and the centre of model->field_record.
    lf_status (*build)(lf_model *model, const lf_field_def *def, const lf_host *host);
    void (*destroy)(lf_model *model);
    size_t (*bytes)(const lf_model *model);
    /// Queries; both models have a field. Writes at most `capacity` pairs and counts all.
    bool (*touch)(const lf_model_query *query, const lf_pose *between, lf_cursor *cursor);
    lf_status (*pairs)(const lf_model_query *query, const lf_pose *between, lf__pair_list *list,
                       lf_cursor *cursor);
    /// At most LF__BALLS_MOST; returns how many.
    int (*cover)(const lf_model *model, lf__ball *balls);
};

static inline const lf_field_functions *lf__field_functions(const lf_model *model) {
    return model->field_record.functions;
}

static inline int64_t lf__model_owner(const lf_model *model, int64_t triangle) {
    return model->owners ? model->owners[triangle] : triangle;
}

static inline void lf__model_corners(const lf_model *model, int64_t triangle, lf_vec3 corners[3]) {
    for (int c = 0; c < 3; c++)
        corners[c] = model->vertices[model->corners[3 * triangle + c]];
}

/// Rigid, and within 1e30.
bool lf__model_pose_valid(const lf_pose *pose);

/// A query that has been checked, and the spheres of its models.
typedef struct lf__model_pair_state {
    lf_pose between;
    bool apart; ///< the spheres share no point
} lf__model_pair_state;

/// Check a query and fill `state`. On LF_OK `query` is the caller's own, or the copy where theirs has an
/// older size.
lf_status lf__model_query_read(const lf_model_query *given, lf_model_query *copy,
                               const lf_model_query **query, lf__model_pair_state *state);

/// The point of a triangle nearest to a point.
lf_vec3 lf__nearest_on_triangle(const lf_vec3 t[3], lf_vec3 p);

/// As lf_model_nearest, but approximate: the true distance is at least `share` (above 0, at most 1) of the
/// one found. Much faster where many triangles are about equally far, such as an object in the middle of a
/// ring.
lf_status lf__model_nearest_approx(const lf_model_query *given, double share, lf_model_distance *nearest,
                                   lf_cursor *cursor);

/// Visit all pairs of triangles that are nearer to each other than `reach`, by their corners in the frame of a.
typedef void lf__model_near(void *user, const lf_vec3 a[3], const lf_vec3 b[3]);
lf_status lf__model_all_near(const lf_model_query *given, double reach, lf__model_near *visit, void *user,
                             lf_cursor *cursor);

/// lf_model_land. any_depth: search each triangle only for some point under the ground, so that the list and count of
/// triangles are as without it, and depths are not the greatest.
lf_status lf__model_land(const lf_model_stand *stand, bool any_depth, lf_model_landing *landing,
                         lf_cursor *cursor);

#endif
