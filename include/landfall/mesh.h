/// landfall/mesh.h: terrain of convex polygons, which may overlap, overhang each other and leave holes.
#ifndef LANDFALL_MESH_H
#define LANDFALL_MESH_H

#include <landfall/ground.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An index that finds the polygons over a point, in place of the mesh's own nested grid: a table of functions. Answers do
/// not depend on it. <landfall/published.h> has one.
typedef struct lf_mesh_index lf_mesh_index;

/// How to make a mesh; start from lf_mesh_def_default().
typedef struct lf_mesh_def {
    size_t size;                ///< stamped by the default function
    lf_host host;               ///< hooks of the caller
    lf_polygons polygons;       ///< copied
    lf_frame frame;             ///< where down is
    double tolerance;           ///< metres a corner may be off its polygon's plane; 0.001 by default
    const lf_mesh_index *index; ///< NULL: the nested grid, which is the fast one
    /// Copied: the parameters of the index, of the type that it expects; NULL: its defaults.
    const void *index_def;
    /// Of the nested grid: less memory (32 bytes per triangle), slower heights, the same answers.
    bool compact;
} lf_mesh_def;

/// The default: down is -z. Fill in polygons.
static inline lf_mesh_def lf_mesh_def_default(void) {
    lf_mesh_def def = {sizeof(lf_mesh_def),
                       {NULL, NULL, NULL, NULL},
                       {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL},
                       {LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                       0.001,
                       NULL,
                       NULL,
                       false};
    return def;
}

/// A terrain of convex polygons. Queried through lf_ground, or here for what only a mesh has.
typedef struct lf_mesh lf_mesh;

/// Work that was done, counted in objects that were read or written, each time.
typedef struct lf_mesh_work {
    int64_t vertices;   ///< number of vertices
    int64_t triangles;  ///< number of triangles
    int64_t cells;      ///< of the nested grid, or leaves of another index
    int64_t references; ///< from these to triangles or polygons
    int64_t nodes;      ///< and leaves of the box tree; nodes of another index
} lf_mesh_work;

/// What a mesh is made of.
typedef struct lf_mesh_info {
    int64_t vertex_count;  ///< vertices that no polygon uses any more count until lf_mesh_compact
    int64_t polygon_count; ///< number of polygons
    int64_t id_count; ///< numbers of polygons are below this: polygon_count, and those that have been removed
    int64_t triangle_count; ///< an n-gon counts n - 2
    int64_t wall_count;     ///< polygons edge-on to gravity: never met by gravity lines
    int64_t flat_count;     ///< polygons without area: kept, never met by anything
    lf_box box;             ///< of the vertices that polygons use
    lf_frame frame;         ///< direction of gravity
    size_t bytes;           ///< all memory that the mesh holds
    size_t tree_bytes;      ///< of these, the box tree
    size_t height_bytes;    ///< and what finds heights: the nested grid, or another index
    lf_mesh_work built;     ///< in making it
    lf_mesh_work edited;    ///< in all edits since
} lf_mesh_info;

/// Make a mesh.
/// def    polygons with 3 or more corners, convex, flat within the tolerance
/// mesh   written only on success; free it with lf_mesh_destroy
/// error  optional; `where` is the index of the offending polygon
/// Errors: LF_BAD_GEOMETRY (concave, bent or NaN polygon, by index; no polygon at all), LF_BAD_ARGUMENT
/// (corner out of range, by polygon), LF_NO_MEMORY, LF_TOO_LARGE, LF_CANCELLED.
/// Allocates with the host's allocator. Threads: any.
LF_API lf_status lf_mesh_create(const lf_mesh_def *def, lf_mesh **mesh, lf_error *error);

/// Destroy a mesh; NULL is accepted. Threads: no other may use it.
LF_API void lf_mesh_destroy(lf_mesh *mesh);

/// The mesh as a ground, for as long as the mesh exists; NULL for NULL. Costs nothing. Threads: any.
LF_API const lf_ground *lf_mesh_ground(const lf_mesh *mesh);

/// What a mesh is made of. Allocates nothing. Threads: any number at once.
LF_API lf_mesh_info lf_mesh_describe(const lf_mesh *mesh);

/// What to change in a mesh; start from lf_mesh_edit_def_default().
typedef struct lf_mesh_edit_def {
    size_t size;           ///< stamped by the default function
    lf_polygons add;       ///< copied, with their own vertices; polygon_count may be 0
    const int64_t *remove; ///< numbers of polygons
    int64_t remove_count;  ///< number of polygons to remove
} lf_mesh_edit_def;

/// The default: nothing.
static inline lf_mesh_edit_def lf_mesh_edit_def_default(void) {
    lf_mesh_edit_def def = {sizeof(lf_mesh_edit_def), {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL}, NULL, 0};
    return def;
}

/// What an edit did.
typedef struct lf_mesh_edit_result {
    int64_t first;     ///< the number of the first polygon that was added; the others follow
    lf_mesh_work work; ///< read or written
    bool rebuilt;      ///< a structure was rebuilt, which pays after many edits; `work` says what that took
} lf_mesh_edit_result;

/// Add polygons to a mesh and remove polygons from it. Afterwards every answer is that of a mesh made of the polygons that
/// there are now; grounds and groups made of the mesh see the change. Numbers of polygons do not change, and those of
/// removed ones are not used again, until lf_mesh_compact.
/// edit    polygons to add: as in lf_mesh_create, in the mesh's frame and with its tolerance; polygons to remove: each
///         once, none that is gone already. At least one polygon must be left.
/// edited  optional; written only on success
/// error   optional; `where` is the index of the offending polygon, in edit->add or in edit->remove
/// The work is proportional to the edit: a polygon costs what there is in the cells that it enters and on the way
/// to it. What is beyond the terrain's old extent may cost as much as rebuilding the mesh's structure, but rarely does so twice.
/// On any failure the mesh is as it was.
/// Errors: LF_BAD_GEOMETRY (a polygon to add, by index; none would be left), LF_BAD_ARGUMENT (corner out of range, by
/// polygon; no such polygon to remove, by index), LF_NO_MEMORY, LF_TOO_LARGE.
/// Allocates with the mesh's allocator. Threads: no other may use the mesh.
LF_API lf_status lf_mesh_edit(lf_mesh *mesh, const lf_mesh_edit_def *edit, lf_mesh_edit_result *edited,
                              lf_error *error);

/// Rebuild a mesh from the polygons and vertices that it has now, and number the polygons from 0 in the same order.
/// map       optional; gets the new number of each polygon by its old one, -1 for those that were removed
/// map_count items that map has space for: at least id_count of lf_mesh_describe, when map is given
/// error     optional
/// On any failure the mesh is as it was. It takes as long as lf_mesh_create, and while it lasts the memory of two meshes.
/// Errors: LF_BAD_ARGUMENT (map too short), LF_NO_MEMORY, LF_TOO_LARGE.
/// Allocates with the mesh's allocator. Threads: no other may use the mesh.
LF_API lf_status lf_mesh_compact(lf_mesh *mesh, int64_t *map, int64_t map_count, lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Is a point lit? For one light that stays, or moves only now and then.
//
// A shadow is a mesh built for the rays of a light instead of gravity lines: a query costs as much as a
// height. For another light make another shadow, which costs as much as building the mesh.
// ---------------------------------------------------------------------------------------------------

/// Kinds of lights.
typedef enum lf_light_kind {
    LF_LIGHT_DIRECTION, ///< parallel light: the sun
    LF_LIGHT_POINT      ///< light from a point: a lamp
} lf_light_kind;

/// A light.
typedef struct lf_light {
    lf_light_kind kind; ///< which kind
    /// The direction in which the light shines (any length, not zero), or its position; finite.
    lf_vec3 vector;
} lf_light;

/// Light that shines in a direction everywhere.
static inline lf_light lf_light_along(lf_vec3 direction) {
    lf_light light = {LF_LIGHT_DIRECTION, direction};
    return light;
}

/// Light from a point.
static inline lf_light lf_light_at(lf_vec3 position) {
    lf_light light = {LF_LIGHT_POINT, position};
    return light;
}

/// How to make a shadow; start from lf_shadow_def_default().
typedef struct lf_shadow_def {
    size_t size;          ///< stamped by the default function
    lf_host host;         ///< hooks of the caller
    lf_polygons polygons; ///< what casts shadow, from both sides; borrowed: must outlive the shadow
    lf_light light;       ///< the light
    double tolerance;     ///< metres a corner may be off its polygon's plane; 0.001 by default
    /// Metres, 0 or more: what is not farther than this from a point is touched by it and casts no shadow
    /// on it; 1e-6 by default, so that a point computed to be on a surface is not in its own shadow.
    double skin;
} lf_shadow_def;

/// The default: light straight down. Fill in polygons and the light.
static inline lf_shadow_def lf_shadow_def_default(void) {
    lf_shadow_def def = {sizeof(lf_shadow_def),
                         {NULL, NULL, NULL, NULL},
                         {NULL, 0, NULL, NULL, 0, NULL, NULL, NULL},
                         {LF_LIGHT_DIRECTION, {0, 0, -1}},
                         0.001,
                         1e-6};
    return def;
}

/// Polygons that cast shadow, and a light.
typedef struct lf_shadow lf_shadow;

/// Make a shadow.
/// shadow  written only on success; free it with lf_shadow_destroy
/// error   optional; `where` is the index of the offending polygon
/// Errors: those of lf_mesh_create; LF_BAD_ARGUMENT for a bad light or skin. Allocates with the host's allocator.
/// Threads: any.
LF_API lf_status lf_shadow_create(const lf_shadow_def *def, lf_shadow **shadow, lf_error *error);

/// Destroy a shadow; NULL is accepted. Threads: no other may use it.
LF_API void lf_shadow_destroy(lf_shadow *shadow);

/// Is a point lit? It is, unless a polygon lies strictly between it and the light.
/// point   finite
/// lit     written only on success
/// by      optional: the polygon nearest to the point that casts the shadow, t is its distance; kind LF_HIT_NONE when lit
/// A polygon casts no shadow on points of its own; one that is edge-on to the light casts none at all. Light goes
/// through a light's own position: a polygon through that does not darken it.
/// cursor  counters and filters of the caller's thread, or NULL
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_shadow_at(const lf_shadow *shadow, lf_vec3 point, bool *lit, lf_hit *by,
                              lf_cursor *cursor);

/// Many points: what lf_shadow_at gives for each.
/// points   count of them, `stride` bytes apart (0: packed; LF_STRIDE_SAME)
/// lit, by  count of each, packed; by may be NULL
/// tasks    parallel loop, or NULL for one thread
/// Errors: LF_BAD_ARGUMENT for a point that is not finite; nothing is written then. Allocates nothing.
LF_API lf_status lf_shadow_many(const lf_shadow *shadow, const lf_vec3 *points, size_t stride, int64_t count,
                                bool *lit, lf_hit *by, const lf_tasks *tasks);

#ifdef __cplusplus
}
#endif
#endif
