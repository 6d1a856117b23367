/// landfall/tree.h: the wide box tree, over triangles or over anything with a box.
#ifndef LANDFALL_TREE_H
#define LANDFALL_TREE_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How to make a tree; start from lf_tree_def_default(). Give triangles or boxes, not both.
typedef struct lf_tree_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    const lf_vec3 *vertices; ///< borrowed: must outlive the tree
    const uint32_t *corners; ///< three per triangle, borrowed
    int64_t triangle_count;
    const lf_box *boxes; ///< borrowed: must outlive the tree
    int64_t box_count;
} lf_tree_def;

/// The default: nothing yet.
static inline lf_tree_def lf_tree_def_default(void) {
    lf_tree_def def = {sizeof(lf_tree_def), {NULL, NULL, NULL, NULL}, NULL, NULL, 0, NULL, 0};
    return def;
}

typedef struct lf_tree lf_tree;

typedef struct lf_tree_info {
    int64_t item_count; ///< triangles or boxes
    int64_t node_count; ///< inner nodes
    int64_t leaf_count;
    int depth;
    size_t bytes; ///< beyond the caller's arrays
    lf_box box;
} lf_tree_info;

/// Make a tree. Finite vertices, corners in range of them: the caller has checked (meshes and models do).
/// Errors: LF_BAD_ARGUMENT (nothing, or both kinds, an empty or non-finite box, a coordinate beyond 1e30), LF_NO_MEMORY, LF_TOO_LARGE
/// (over 2^31 items), LF_CANCELLED. Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_tree_create(const lf_tree_def *def, lf_tree **tree, lf_error *error);

/// Give a tree back; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_tree_destroy(lf_tree *tree);

/// What a tree is made of. Allocates nothing. Threads: any number at once.
LF_API lf_tree_info lf_tree_describe(const lf_tree *tree);

/// First triangle a ray meets; exact, as lf_ground_ray_first. `element` is the triangle.
LF_API lf_status lf_tree_ray_first(const lf_tree *tree, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);

/// Does a ray meet any triangle?
LF_API lf_status lf_tree_ray_any(const lf_tree *tree, const lf_ray *ray, bool *blocked, lf_cursor *cursor);

/// Every triangle a ray meets, in the order of t, then index; as lf_ground_ray_all.
LF_API lf_status lf_tree_ray_all(const lf_tree *tree, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                                 int64_t *count, lf_cursor *cursor);

/// Every item whose box shares a point with a box (touching counts), in ascending order of index.
/// box       not empty, finite
/// items     room for capacity indices
/// count     how many there are; when more than capacity, the lowest are written and LF_PARTIAL is returned
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_tree_overlaps(const lf_tree *tree, lf_box box, int64_t *items, int64_t capacity,
                                  int64_t *count, lf_cursor *cursor);

#ifdef __cplusplus
}
#endif
#endif
