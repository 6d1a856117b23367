/// Meshes, rays and points that are made to break geometry code: shared edges hit exactly, slivers, coplanar copies,
/// huge offsets, polygons without area, lines in planes, intervals that end on the surface.
///
/// Deterministic for a test_random. Where a case has to be exact (a ray through a vertex, along an edge, in a plane)
/// the coordinates are small whole numbers or halves of them, so that no rounding happens on the way.
#ifndef LF_TESTS_NASTY_H
#define LF_TESTS_NASTY_H

#include "exact.h"
#include "support.h"
#include <landfall/mesh.h>

#define NASTY_MESH_LIST(X)                                            \
    X(NASTY_SOUP, "random soup")                                      \
    X(NASTY_GRID, "grid of whole numbers: shared edges and vertices") \
    X(NASTY_FLAT_GRID, "grid of whole numbers, all in one plane")     \
    X(NASTY_SLIVERS, "needles")                                       \
    X(NASTY_STACKED, "coplanar copies and overlaps")                  \
    X(NASTY_FLOORS, "stacked floors with holes")                      \
    X(NASTY_WALLS, "vertical walls and a few floors")                 \
    X(NASTY_BOXES, "boxes of quads")                                  \
    X(NASTY_FAR_GRID, "grid at 1e7")                                  \
    X(NASTY_FAR_SOUP, "soup at 1e9")                                  \
    X(NASTY_MIXED, "sizes of 1e-6 and 1e8 together")                  \
    X(NASTY_FANS, "fans round shared corners")                        \
    X(NASTY_NGONS, "convex polygons of whole numbers")                \
    X(NASTY_BENT, "quads and pentagons a little off their planes")    \
    X(NASTY_DEGENERATE, "grid with polygons without area mixed in")   \
    X(NASTY_NEAR_ZERO, "coordinates of 1e-55 beside whole ones")

typedef enum nasty_mesh_kind {
#define NASTY_ENUM(name, text) name,
    NASTY_MESH_LIST(NASTY_ENUM)
#undef NASTY_ENUM
        NASTY_MESH_KINDS
} nasty_mesh_kind;

typedef struct nasty_mesh {
    const char *name;
    nasty_mesh_kind kind;
    lf_vec3 *vertices;
    int64_t vertex_count, vertex_space;
    int64_t *starts; ///< polygon_count + 1
    int64_t *corners;
    int64_t polygon_count, polygon_space, corner_space;
    uint64_t *users;
    uint32_t *layers;
    uint8_t *sides;
    uint32_t *triangles;     ///< the fans of all polygons, three vertices each
    int64_t *owners;         ///< the polygon of a triangle
    int64_t *first_triangle; ///< of a polygon; polygon_count + 1
    int64_t triangle_count;
    lf_box box; ///< of the vertices that polygons use; others may be far away
} nasty_mesh;

/// Make a mesh of about `size` polygons. sided: half of the polygons are one-sided.
void nasty_mesh_make(nasty_mesh *mesh, nasty_mesh_kind kind, int64_t size, bool sided, test_random *random);
/// Cut the polygons of a mesh made by hand into the fans that oracles look at.
void nasty_mesh_cut(nasty_mesh *mesh);
void nasty_mesh_free(nasty_mesh *mesh);
lf_polygons nasty_mesh_polygons(const nasty_mesh *mesh);
/// The corners of a triangle (numbered through the whole mesh).
void nasty_mesh_triangle(const nasty_mesh *mesh, int64_t triangle, lf_vec3 corners[3]);

#define NASTY_RAY_LIST(X)                              \
    X(NASTY_RANDOM, "random")                          \
    X(NASTY_AT_VERTEX, "through a vertex")             \
    X(NASTY_AT_EDGE, "through an edge")                \
    X(NASTY_ALONG_EDGE, "along an edge")               \
    X(NASTY_BETWEEN_VERTICES, "from vertex to vertex") \
    X(NASTY_IN_PLANE, "in the plane of a polygon")     \
    X(NASTY_AXIS, "parallel to an axis")               \
    X(NASTY_ON_SURFACE, "from a point on the surface") \
    X(NASTY_ENDS_ON, "t_max on the surface")           \
    X(NASTY_STARTS_ON, "t_min on the surface")         \
    X(NASTY_FROM_FAR, "from 1e7 away at a vertex")     \
    X(NASTY_REVERSED, "away from what it would meet")  \
    X(NASTY_TINY, "direction of 1e-30")                \
    X(NASTY_HUGE, "direction of 1e30")                 \
    X(NASTY_GRAZING, "nearly parallel to a plane")     \
    X(NASTY_NUDGED, "one bit beside an exact case")    \
    X(NASTY_SMALL_PART, "a direction with a part of 1e-55")

typedef enum nasty_ray_kind {
#define NASTY_ENUM(name, text) name,
    NASTY_RAY_LIST(NASTY_ENUM)
#undef NASTY_ENUM
        NASTY_RAY_KINDS
} nasty_ray_kind;

lf_ray nasty_ray_make(nasty_ray_kind kind, const nasty_mesh *mesh, test_random *random);
const char *nasty_ray_name(nasty_ray_kind kind);

/// The hull, seen along `down`, of the vertices that polygons use. Release it with exact_hull_free.
exact_hull *nasty_mesh_hull(const nasty_mesh *mesh, lf_vec3 down);

/// A point to ask for the height at: above, below, on and beside vertices, edges, faces and the border, seen along
/// `down`.
lf_vec3 nasty_point_make(const nasty_mesh *mesh, lf_vec3 down, test_random *random);

/// Vectors of random parts in [-reach, reach), of whole ones in [-reach, reach], and in a box. One draw after the other:
/// C leaves the order within an expression to the compiler, and a seed must mean the same everywhere.
lf_vec3 nasty_real_vec(double reach, test_random *random);
lf_vec3 nasty_whole_vec(int64_t reach, test_random *random);
lf_vec3 nasty_box_vec(lf_box box, test_random *random);

/// A direction of gravity: whole numbers, so that points can be exactly below or above each other; or anything.
lf_vec3 nasty_gravity(test_random *random);

/// The neighbouring double of one part of a vector.
lf_vec3 nasty_nudge(lf_vec3 v, test_random *random);

#endif
