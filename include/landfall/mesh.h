/// landfall/mesh.h: terrain of convex polygons, free to overlap, to overhang and to have holes.
#ifndef LANDFALL_MESH_H
#define LANDFALL_MESH_H

#include <landfall/ask.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Polygons as plain arrays: what loaders and generators make and what meshes and models are made of.
/// Polygon i has the corners corner[start[i]] .. corner[start[i + 1] - 1], each the number of a vertex.
typedef struct lf_polygons {
    const lf_vec3 *vertices;
    int64_t vertex_count;
    const int64_t *starts; ///< polygon_count + 1 ascending numbers from 0; NULL: all are triangles
    const int64_t *corners;
    int64_t polygon_count;
    const uint64_t *users;  ///< a value per polygon that comes back in hits, or NULL (all 0)
    const uint32_t *layers; ///< a layer mask per polygon, or NULL (all 1)
    const uint8_t *sides;   ///< 1: hit only from the front, 2: from both; or NULL (all 2)
} lf_polygons;

/// How to make a mesh; start from lf_mesh_def_default().
typedef struct lf_mesh_def {
    size_t size; ///< stamped by the default function
    lf_host host;
    lf_polygons polygons; ///< copied
    lf_frame frame;       ///< where down is
    double tolerance;     ///< metres a corner may be off its polygon's plane; 0.001 by default
} lf_mesh_def;

/// The default: down is -z. Fill in polygons.
static inline lf_mesh_def lf_mesh_def_default(void) {
    lf_mesh_def def = {sizeof(lf_mesh_def),
                       {NULL, NULL, NULL, NULL},
                       {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL},
                       {LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                       0.001};
    return def;
}

/// The same for languages that cannot inline: writes at most `size` bytes of the default to def.
LF_API void lf_mesh_def_init(lf_mesh_def *def, size_t size);

/// A terrain of convex polygons. Asked through lf_ground, or here for what only a mesh has.
typedef struct lf_mesh lf_mesh;

/// What a mesh is made of.
typedef struct lf_mesh_info {
    int64_t vertex_count;
    int64_t polygon_count;
    int64_t triangle_count; ///< an n-gon counts n - 2
    int64_t wall_count;     ///< polygons edge-on to gravity: never met by gravity lines
    int64_t flat_count;     ///< polygons without area: kept, never met by anything
    lf_box box;             ///< of the vertices that polygons use
    lf_frame frame;
    size_t bytes;      ///< all memory that the mesh holds
    size_t tree_bytes; ///< of these, the box tree
} lf_mesh_info;

/// Make a mesh.
/// def    polygons with 3 or more corners, convex, flat within the tolerance
/// mesh   written only on success; give it back with lf_mesh_destroy
/// error  optional; `where` is the index of the offending polygon
/// Errors: LF_BAD_GEOMETRY (concave, bent or NaN polygon, by index; no polygon at all), LF_BAD_ARGUMENT
/// (corner out of range, by polygon), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED.
/// Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_mesh_create(const lf_mesh_def *def, lf_mesh **mesh, lf_error *error);

/// Give a mesh back; NULL is fine. Threads: nobody else may be using it.
LF_API void lf_mesh_destroy(lf_mesh *mesh);

/// What a mesh is made of. Allocates nothing. Threads: any number at once.
LF_API lf_mesh_info lf_mesh_describe(const lf_mesh *mesh);

#ifdef __cplusplus
}
#endif
#endif
