/// Polygon terrain from the inside.
#ifndef LF_MESH_MESH_H
#define LF_MESH_MESH_H

#include "ask/ask.h"
#include "mesh/hull.h"
#include "mesh/nest.h"
#include "tree/tree.h"
#include <landfall/mesh.h>

/// Coordinates beyond this are refused: exact arithmetic and floats around an origin stay far from overflow.
#define LF__MESH_LIMIT 1e30

struct lf_mesh {
    lf_allocator allocator;
    lf_frame frame;
    lf_vec3 *vertices;
    int64_t vertex_count;
    uint32_t *corners; ///< three per triangle; polygon by polygon, each as a fan from its first corner
    int64_t triangle_count;
    uint32_t *owners; ///< triangle to polygon; NULL when all polygons are triangles
    uint32_t *firsts; ///< polygon to its first triangle, and one more; NULL likewise
    int64_t polygon_count;
    uint64_t *users;  ///< per polygon, or NULL
    uint32_t *layers; ///< per polygon, or NULL
    uint8_t *sides;   ///< per polygon, or NULL
    int64_t wall_count, flat_count;
    lf_box box;
    bool straight; ///< down is exactly -z: local coordinates are world coordinates
    lf_tree *tree;
    lf__nest nest; ///< for gravity in one direction
    const lf__nest_kernels *nest_kernels;
    lf__hull hull;                 ///< of the vertices seen along gravity; empty where frames know no outside
    struct lf__quadtree *quadtree; ///< instead of the nest, or NULL
};

static inline int64_t lf__mesh_owner(const lf_mesh *mesh, uint32_t triangle) {
    return mesh->owners ? mesh->owners[triangle] : triangle;
}

static inline int64_t lf__mesh_first(const lf_mesh *mesh, int64_t polygon) {
    return mesh->firsts ? mesh->firsts[polygon] : polygon;
}

/// Local coordinates of a vertex, where gravity has one direction.
static inline lf_vec3 lf__mesh_local(const lf_mesh *mesh, lf_vec3 world) {
    return mesh->straight ? world : lf_frame_to_local(&mesh->frame, world);
}

/// Check the caller's polygons and copy them into a mesh.
lf_status lf__mesh_copy(lf_mesh *mesh, const lf_mesh_def *def, lf_error *error);

/// Do gravity lines run within the plane of this triangle? Exact; also true of triangles without area.
bool lf__mesh_edge_on(const lf_frame *frame, const lf_vec3 triangle[3]);

/// What of a hit does not depend on where the triangle is met. `tagged` is the triangle as its leaf has it.
static inline void lf__nest_name(const lf_mesh *mesh, uint32_t tagged, lf_hit *hit) {
    uint32_t triangle = tagged & LF__NEST_NUMBER;
    int64_t polygon = triangle, first = triangle;
    if (mesh->owners) {
        polygon = mesh->owners[triangle];
        first = mesh->firsts[polygon];
    }
    hit->kind = LF_HIT_TRIANGLE;
    hit->reason = LF_REASON_ANSWERED;
    hit->part = 0;
    hit->element = polygon;
    hit->triangle = (int32_t)(triangle - first);
    hit->level = 0;
    hit->u = hit->v = 0;
    hit->resolution = 0;
    hit->user = mesh->users ? mesh->users[polygon] : 0;
    hit->layers = mesh->layers ? mesh->layers[polygon] : 1;
}

/// The hit on a triangle's plane over a local point, in local coordinates; t is left to the caller.
static inline void lf__nest_fill(const lf_mesh *mesh, const lf_vec3 *local, uint32_t tagged, double z,
                                 lf_hit *hit) {
    const lf__nest_plane *plane = &mesh->nest.planes[tagged & LF__NEST_NUMBER];
    double up = (tagged & LF__NEST_UNDER ? -1 : 1) / sqrt(1 + plane->gx * plane->gx + plane->gy * plane->gy);
    hit->point.x = local->x;
    hit->point.y = local->y;
    hit->point.z = z;
    hit->normal.x = -plane->gx * up;
    hit->normal.y = -plane->gy * up;
    hit->normal.z = up;
    lf__nest_name(mesh, tagged, hit);
}

/// From infinity nothing is at a distance, and there is no other side.
static inline void lf__mesh_from_above_all(lf_hit *hit) {
    if (hit->kind != LF_HIT_NONE)
        hit->t = 0;
    else if (hit->reason == LF_REASON_NONE)
        hit->reason = LF_REASON_HOLE;
}

/// May the quick way through the nested grid be taken, with world coordinates?
static inline bool lf__nest_is_quick(const lf_mesh *mesh) {
    return mesh->nest.mesh && mesh->straight && !mesh->layers && !mesh->sides;
}

/// The nearest ground along a gravity line, through the nested grid.
void lf__nest_ask(const lf_mesh *mesh, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor);

/// The questions, as ground.h describes them; arguments have been checked.
void lf__mesh_height(const lf_mesh *mesh, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor);
bool lf__mesh_weights(const lf_mesh *mesh, lf_hit *hit);
int64_t lf__mesh_height_all(const lf_mesh *mesh, lf_vec3 point, lf_hit *hits, int64_t capacity,
                            lf_cursor *cursor);
void lf__mesh_ray_first(const lf_mesh *mesh, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);
void lf__mesh_ray_first_many(const lf_mesh *mesh, const lf_ray *rays, size_t ray_stride, int64_t count,
                             lf_hit *hits, size_t hit_stride);
bool lf__mesh_ray_any(const lf_mesh *mesh, const lf_ray *ray, lf_cursor *cursor);
int64_t lf__mesh_ray_all(const lf_mesh *mesh, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                         lf_cursor *cursor);

#endif
