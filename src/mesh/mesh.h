/// Polygon terrain: the mesh, and queries of it.
#ifndef LF_MESH_MESH_H
#define LF_MESH_MESH_H

#include "bvh/bvh.h"
#include "ground/ground.h"
#include "mesh/nest.h"
#include "query/query.h"
#include <landfall/mesh.h>

// ---------------------------------------------------------------------------------------------------
// Polygon terrain from the inside.
// ---------------------------------------------------------------------------------------------------

/// Coordinates beyond this are refused: exact arithmetic and floats around an origin stay far from overflow.
#define LF__MESH_LIMIT 1e30

/// In the first corner of a triangle: its polygon has been removed.
#define LF__MESH_GONE 0x80000000u

/// No triangle has a number like this: in lf_mesh.plain, all polygons are triangles.
#define LF__MESH_PLAIN UINT32_MAX

/// The arrays that a mesh is made of.
enum {
    LF__MESH_VERTICES,
    LF__MESH_CORNERS,
    LF__MESH_OWNERS,
    LF__MESH_FIRSTS,
    LF__MESH_USERS,
    LF__MESH_LAYERS,
    LF__MESH_SIDES,
    LF__MESH_ARRAYS
};

/// The index of a mesh as a file describes it. All 0: the nested grid.
typedef struct lf__mesh_index_record {
    uint32_t kind; ///< 1: the quadtree
    uint32_t words[3];
    int64_t number;
} lf__mesh_index_record;

/// Checks of a mesh that borrows the memory of a file (mesh/mesh_stored.h).
typedef struct lf__mesh_guard lf__mesh_guard;

struct lf_mesh {
    lf_ground ground;
    lf_allocator allocator;
    lf_frame frame;
    lf_vec3 *vertices;
    int64_t vertex_count;
    uint32_t *corners; ///< three per triangle; polygon by polygon, each as a fan from its first corner
    int64_t triangle_count;
    uint32_t plain;   ///< triangles with lower numbers are polygons of the same number
    uint32_t *owners; ///< triangle to polygon, from `plain` on
    uint32_t *firsts; ///< polygon to its first triangle, from `plain` on, and one more
    int64_t polygon_count;
    uint64_t *users;                   ///< per polygon, or NULL
    uint32_t *layers;                  ///< per polygon, or NULL
    uint8_t *sides;                    ///< per polygon, or NULL
    int64_t capacity[LF__MESH_ARRAYS]; ///< items that each array has space for
    int64_t wall_count, flat_count;
    int64_t gone_count, gone_triangles; ///< removed polygons; their numbers are not used again
    lf_box box;
    double tolerance; ///< metres a corner may be off its polygon's plane
    bool compact;     ///< the nested grid keeps no planes
    bool straight;    ///< down is exactly -z: local coordinates are world coordinates
    bool fast;        ///< lf__nest_is_fast, as it was after the last change
    lf__bvh *tree;
    lf__nest nest; ///< for gravity in one direction
    const lf__nest_kernels *nest_kernels;
    lf__hull hull;              ///< of the vertices seen along gravity; empty where frames know no outside
    const lf_mesh_index *index; ///< in place of the nest, or NULL
    void *index_data;           ///< its own, made by the index
    lf__mesh_index_record index_record;
    lf_mesh_work built, edited;
    bool borrowed; ///< arrays, nested grid and nodes are those of a file
    lf__mesh_guard *guard;
};

static inline int64_t lf__mesh_owner(const lf_mesh *mesh, uint32_t triangle) {
    return triangle < mesh->plain ? triangle : mesh->owners[triangle - mesh->plain];
}

static inline int64_t lf__mesh_first(const lf_mesh *mesh, int64_t polygon) {
    return polygon < mesh->plain ? polygon : mesh->firsts[polygon - mesh->plain];
}

/// Has the polygon of this triangle been removed?
static inline bool lf__mesh_gone(const lf_mesh *mesh, int64_t triangle) {
    return (mesh->corners[3 * triangle] & LF__MESH_GONE) != 0;
}

/// The corners of a triangle, be it gone or not.
static inline void lf__mesh_triangle(const lf_mesh *mesh, int64_t triangle, lf_vec3 points[3]) {
    const uint32_t *corner = mesh->corners + 3 * triangle;
    points[0] = mesh->vertices[corner[0] & ~LF__MESH_GONE];
    points[1] = mesh->vertices[corner[1]];
    points[2] = mesh->vertices[corner[2]];
}

/// Prefetch them: vertices may lie anywhere in memory, and across two lines.
static inline __attribute__((always_inline)) void lf__mesh_fetch_triangle(const lf_mesh *mesh,
                                                                          int64_t triangle) {
    for (int c = 0; c < 3; c++) {
        const lf_vec3 *vertex = mesh->vertices + (mesh->corners[3 * triangle + c] & ~LF__MESH_GONE);
        __builtin_prefetch(&vertex->x);
        __builtin_prefetch(&vertex->z);
    }
}

/// The number of corners of a polygon, and one of them.
static inline int64_t lf__mesh_corner_count(const lf_mesh *mesh, int64_t polygon) {
    return lf__mesh_first(mesh, polygon + 1) - lf__mesh_first(mesh, polygon) + 2;
}

static inline lf_vec3 lf__mesh_corner(const lf_mesh *mesh, int64_t polygon, int64_t k) {
    int64_t fan = k < 2 ? 0 : k - 2;
    uint32_t corner = mesh->corners[3 * (lf__mesh_first(mesh, polygon) + fan) + (k - fan)];
    return mesh->vertices[corner & ~LF__MESH_GONE];
}

/// Local coordinates of a vertex, where gravity has one direction.
static inline lf_vec3 lf__mesh_local(const lf_mesh *mesh, lf_vec3 world) {
    return mesh->straight ? world : lf_frame_to_local(&mesh->frame, world);
}

/// Polygons that have been checked and stand behind the last ones of a mesh, but do not count yet.
typedef struct lf__mesh_addition {
    int64_t vertices, triangles, polygons;
    int64_t walls, flats;
    uint32_t plain; ///< what the mesh's will be
    lf_box box;
} lf__mesh_addition;

/// Check the caller's polygons and copy them behind those of a mesh. Arrays may have moved even when this fails.
lf_status lf__mesh_append(lf_mesh *mesh, const lf_polygons *polygons, const lf_host *host,
                          lf__mesh_addition *addition, lf_error *error);

/// Let them count, or no longer.
void lf__mesh_accept(lf_mesh *mesh, const lf__mesh_addition *addition);

/// Is a polygon of the mesh (gone or not) a wall, or without area? ring has space for its corners.
void lf__mesh_classify(const lf_mesh *mesh, int64_t polygon, lf_vec3 *ring, bool *wall, bool *flat);

/// Space for so many items in one of the arrays. As much as requested when it is new, half as much again when it grows.
lf_status lf__mesh_reserve(lf_mesh *mesh, int array, int64_t count);
void lf__mesh_free_arrays(lf_mesh *mesh);
size_t lf__mesh_array_bytes(const lf_mesh *mesh);

/// The hull of all vertices that polygons use, rebuilt.
lf_status lf__mesh_make_hull(const lf_mesh *mesh, lf__hull *hull);

static inline void lf__work_add(lf_mesh_work *sum, const lf_mesh_work *work) {
    sum->vertices += work->vertices;
    sum->triangles += work->triangles;
    sum->cells += work->cells;
    sum->references += work->references;
    sum->nodes += work->nodes;
}

/// Do gravity lines run within the plane of this triangle? Exact; also true of triangles without area.
bool lf__mesh_edge_on(const lf_frame *frame, const lf_vec3 triangle[3]);

/// The polygon of a triangle, and its first triangle.
static inline int64_t lf__nest_polygon(const lf_mesh *mesh, uint32_t triangle, int64_t *first) {
    int64_t polygon = triangle;
    *first = triangle;
    if (triangle >= mesh->plain) {
        polygon = mesh->owners[triangle - mesh->plain];
        *first = mesh->firsts[polygon - mesh->plain];
    }
    return polygon;
}

/// The polygon of a hit that has a triangle's number in its place.
static inline void lf__nest_name_polygon(const lf_mesh *mesh, uint32_t triangle, lf_hit *hit) {
    int64_t first, polygon = lf__nest_polygon(mesh, triangle, &first);
    hit->element = polygon;
    hit->triangle = (int32_t)(triangle - first);
    if (mesh->users)
        hit->user = mesh->users[polygon];
}

/// What of a hit does not depend on where the triangle is met, in a mesh without layers. `tagged` is the triangle as its leaf has it.
/// Returns the polygon.
static inline int64_t lf__nest_name_without_layers(const lf_mesh *mesh, uint32_t tagged, lf_hit *hit) {
    uint32_t triangle = tagged & LF__NEST_NUMBER;
    int64_t first, polygon = lf__nest_polygon(mesh, triangle, &first);
    hit->kind = LF_HIT_TRIANGLE;
    hit->reason = LF_REASON_ANSWERED;
    hit->part = 0;
    hit->element = polygon;
    hit->triangle = (int32_t)(triangle - first);
    hit->level = 0;
    hit->u = hit->v = 0;
    hit->resolution = 0;
    hit->user = 0;
    hit->layers = 1;
    hit->inner = 0;
    if (__builtin_expect(mesh->users != NULL, 0))
        hit->user = mesh->users[polygon];
    return polygon;
}

/// The same in any mesh.
static inline void lf__nest_name(const lf_mesh *mesh, uint32_t tagged, lf_hit *hit) {
    int64_t polygon = lf__nest_name_without_layers(mesh, tagged, hit);
    if (mesh->layers)
        hit->layers = mesh->layers[polygon];
}

/// The plane of a triangle that is no wall, from the corners; in local coordinates.
void lf__nest_plane_through(const lf__nest *nest, const lf_vec3 local[3], lf__nest_plane *plane);

/// The plane of a triangle in the nested grid: the one that is kept, or, in a compact mesh, computed now in `scratch`. The same bits.
static inline const lf__nest_plane *lf__nest_plane_of(const lf_mesh *mesh, uint32_t triangle,
                                                      lf__nest_plane *scratch) {
    if (mesh->nest.planes)
        return &mesh->nest.planes[triangle];
    lf_vec3 corners[3];
    lf__mesh_triangle(mesh, triangle, corners);
    for (int c = 0; c < 3; c++)
        corners[c] = lf__mesh_local(mesh, corners[c]);
    lf__nest_plane_through(&mesh->nest, corners, scratch);
    return scratch;
}

/// The hit on a triangle's plane over a local point, in local coordinates; t is left to the caller.
static inline void lf__nest_fill(const lf_mesh *mesh, const lf_vec3 *local, uint32_t tagged, double z,
                                 lf_hit *hit) {
    lf__nest_plane scratch;
    const lf__nest_plane *plane = lf__nest_plane_of(mesh, tagged & LF__NEST_NUMBER, &scratch);
    hit->point.x = local->x;
    hit->point.y = local->y;
    hit->point.z = z;
    hit->normal.x = -plane->gx * plane->up;
    hit->normal.y = -plane->gy * plane->up;
    hit->normal.z = plane->up;
    lf__nest_name(mesh, tagged, hit);
}

/// From infinity nothing is at a distance, and there is no other side.
static inline void lf__mesh_from_infinity(lf_hit *hit) {
    if (hit->kind != LF_HIT_NONE)
        hit->t = 0;
    else if (hit->reason == LF_REASON_NONE)
        hit->reason = LF_REASON_HOLE;
}

/// Does the fast path through the nested grid apply, with world coordinates?
static inline bool lf__nest_is_fast(const lf_mesh *mesh) {
    return mesh->nest.planes && mesh->straight && !mesh->layers && !mesh->sides;
}

/// After a change, also of the kernels.
void lf__mesh_choose_path(lf_mesh *mesh);

/// The nearest ground along a gravity line, through the nested grid.
void lf__nest_query(const lf_mesh *mesh, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor);

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

// Entries of the ground's function table.
bool lf__mesh_touches(const void *object, const lf__land_body *body, const lf_pose *pose, lf_cursor *cursor);
void lf__mesh_faces(lf__face_search *search);
void lf__mesh_sweep(const void *object, lf__sweeping *sweep);

void lf__mesh_init_ground(lf_mesh *mesh);
const lf__ground_kind_of *lf__mesh_kind(void);

/// Is down exactly -z?
bool lf__mesh_is_straight(const lf_frame *frame);

/// The same for a mesh that borrows its arrays and its tree from a model: it is no mesh for files and lists.
void lf__mesh_init_skin(lf_mesh *mesh);
const lf_mesh *lf__ground_skin(const lf_ground *ground); ///< or NULL

// ---------------------------------------------------------------------------------------------------
// One query of a mesh during its traversal of the tree.
// ---------------------------------------------------------------------------------------------------

typedef struct lf__mesh_query {
    const lf_mesh *mesh;
    const lf_ray *ray;
    uint32_t layers;
    bool gravity;    ///< a gravity line: meets no walls
    bool both_sides; ///< meets one-sided polygons from behind too
    lf__nearest nearest;
} lf__mesh_query;

lf__mesh_query lf__mesh_query_of(const lf_mesh *mesh, const lf_ray *ray, bool gravity,
                                 const lf_cursor *cursor);

/// For lf__bvh_filter, with a query as user: layers, sides, walls.
bool lf__mesh_accepts(const void *query, uint32_t triangle, lf__side side);

/// Where a query's line meets a polygon: the least exact t, then the lowest triangle, of those of its fan that the query accepts. t in lengths of
/// the query's ray.
bool lf__mesh_meet_polygon(const lf__mesh_query *query, int64_t polygon, lf__bvh_meeting *best,
                           uint64_t *exact);

/// Is one meeting before another: at a lower exact t, or at the same and with a lower number? t in lengths of the query's ray.
bool lf__mesh_before(const lf__mesh_query *query, const lf__bvh_meeting *a, const lf__bvh_meeting *b,
                     uint64_t *exact);

/// The hit for a meeting, with the polygon's own values.
void lf__mesh_hit(const lf__mesh_query *query, const lf__bvh_meeting *meeting, lf_hit *hit);

/// The hit of a gravity line: t is the distance from the line's start to the hit's point.
void lf__mesh_hit_on_line(const lf__mesh_query *query, const lf__bvh_meeting *meeting, double length,
                          lf_hit *hit);

/// Every polygon met, in order; returns how many there are.
int64_t lf__mesh_all(lf__mesh_query *query, lf_hit *hits, int64_t capacity, lf_cursor *cursor);

/// Every polygon met, as it is found, in no particular order.
void lf__mesh_each(const lf__mesh_query *query, const lf__finder *finder, lf_cursor *cursor);

/// Does a polygon block a segment? As the entry `segment` of the table of a ground.
bool lf__mesh_segment(const lf_mesh *mesh, const lf__segment *segment, double t[2], lf_cursor *cursor);

#endif
