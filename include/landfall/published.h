/// landfall/published.h: published methods, as baselines to compare with and to learn from.
///
/// They are a library of their own, landfall-published, which is static and is linked with the static core: no program
/// pays for a method that it does not name. Answers are those of the core's own methods.
#ifndef LANDFALL_PUBLISHED_H
#define LANDFALL_PUBLISHED_H

#include <landfall/globe.h>
#include <landfall/mesh.h>
#include <landfall/scene.h>
#include <landfall/store.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// The quadtree of QOTA: J. W. Barrus and R. C. Waters, "QOTA: A fast, multi-purpose algorithm for terrain
// following in virtual environments" (1996), with the better cuts that the paper hopes for.
// ---------------------------------------------------------------------------------------------------

/// Where a quadtree cuts a node into four: identifier, value, name, what it does.
#define LF_QUADTREE_CUT_LIST(X)                                                        \
    X(LF_QUADTREE_CUT_MIDDLE, 0, "middle", "through the middle, as published")         \
    X(LF_QUADTREE_CUT_VERTEX, 1, "vertex", "through the vertex nearest to the middle") \
    X(LF_QUADTREE_CUT_BALANCED, 2, "balanced", "through the medians of the vertices")  \
    X(LF_QUADTREE_CUT_COST, 3, "cost", "where the fewest tests are expected")          \
    X(LF_QUADTREE_CUT_AREA, 4, "area", "slowly, for the largest area with no or one polygon in a leaf")

typedef enum lf_quadtree_cut {
#define LF_QUADTREE_CUT_ENUM(identifier, value, name, text) identifier = value,
    LF_QUADTREE_CUT_LIST(LF_QUADTREE_CUT_ENUM)
#undef LF_QUADTREE_CUT_ENUM
} lf_quadtree_cut;

/// How to make a quadtree; start from lf_quadtree_def_default(). A leaf is cut as long as it has too many polygons, may
/// still be deeper, and is not covered completely by so many polygons that another cut cannot help.
typedef struct lf_quadtree_def {
    int64_t max_polygons; ///< a leaf with more is cut, 1 or more; 12 by default
    int max_depth;        ///< no deeper than this, 0 .. 24; the root is at 0. 12 by default
    lf_quadtree_cut cut;  ///< the middle by default
    bool turn;            ///< turn the squares to the terrain's sides, where gravity has one direction
} lf_quadtree_def;

/// The default: 12 polygons, depth 12, cut in the middle, not turned.
static inline lf_quadtree_def lf_quadtree_def_default(void) {
    lf_quadtree_def def = {12, 12, LF_QUADTREE_CUT_MIDDLE, false};
    return def;
}

/// The quadtree for lf_mesh_def.index; lf_mesh_def.index_def is then a lf_quadtree_def, or NULL.
/// lf_mesh_create fails with LF_BAD_ARGUMENT where that is out of range.
/// Static table. Allocates nothing. Threads: any.
LF_API const lf_mesh_index *lf_quadtree_index(void);

/// The mesh of a file that was written with a quadtree, with its quadtree. (The mesh that lf_store_mesh returns for such a
/// file has the nested grid.)
/// store  holds a mesh that had a quadtree when it was written
/// host   allocator and progress, or NULL
/// mesh   written only on success; free it with lf_mesh_destroy. It does not need the store
/// error  optional
/// Errors: LF_BAD_ARGUMENT for any other file, and those of lf_mesh_create. Allocates with the host's allocator. Threads:
/// any.
LF_API lf_status lf_quadtree_from_store(const lf_store *store, const lf_host *host, lf_mesh **mesh,
                                        lf_error *error);

/// The name of a cut, such as "middle"; "?" for any other value.
/// Static text. Allocates nothing. Threads: any.
static inline const char *lf_quadtree_cut_name(lf_quadtree_cut cut) {
    LF_NAME_OF(cut, LF_QUADTREE_CUT_LIST, LF_NAME_CASE_4);
}

/// Statistics of a quadtree. Areas are those of the squares in local coordinates: square metres, or the frame's angles.
typedef struct lf_quadtree_stats {
    int64_t node_count;      ///< leaves, and nodes with four children
    int64_t leaf_count;      ///< number of leaves
    int64_t reference_count; ///< from leaves to polygons
    int64_t most_polygons;   ///< in one leaf
    int depth;               ///< of the deepest leaf
    size_t bytes;            ///< nodes, references, and the one copy of each polygon
    double tests;    ///< polygons in a leaf, the mean over the area: expected containment tests of a query
    double few_area; ///< share of the area in leaves with no or one polygon, 0 .. 1
    double turn;     ///< radians by which the squares are turned
} lf_quadtree_stats;

/// Statistics of a mesh's quadtree.
/// mesh   made with lf_quadtree_index()
/// stats  written only on success
/// Errors: LF_BAD_ARGUMENT for NULL or a mesh with another index. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_quadtree_describe(const lf_mesh *mesh, lf_quadtree_stats *stats);

/// One leaf of a quadtree.
typedef struct lf_quadtree_leaf {
    lf_vec3 corners[4];    ///< counter-clockwise, in world coordinates, halfway up the mesh
    lf_vec2 low, high;     ///< in local coordinates, turned as the tree is; or in the frame's angles
    int64_t polygon_count; ///< that it refers to
    int depth;             ///< levels below the root
} lf_quadtree_leaf;

/// Called for each leaf; false to stop.
typedef bool lf_quadtree_visit(void *user, const lf_quadtree_leaf *leaf);

/// Visit every leaf of a mesh's quadtree, in an order that depends on nothing but the tree.
/// mesh   made with lf_quadtree_index()
/// visit  not NULL; called with user, on this thread
/// Errors: LF_BAD_ARGUMENT for NULL or a mesh with another index, LF_CANCELLED when visit returned false. Allocates
/// nothing. Threads: any number at once.
LF_API lf_status lf_quadtree_walk(const lf_mesh *mesh, lf_quadtree_visit *visit, void *user);

// ---------------------------------------------------------------------------------------------------
// The camera test of Luo, Zhong, Huang, Guo and Cheng, "Real-time Collision Detection and Response in Virtual
// Global Terrain Environments".
// ---------------------------------------------------------------------------------------------------

/// The height that Luo's rule gives a place: that of the highest of the samples around it, and never below the surface.
/// ground  of lf_globe_height or lf_globe_height_finest of this globe, since which nothing was loaded or unloaded
/// Returns NAN for NULL, where there was no answer, and where the tile is no longer loaded. Allocates nothing. Threads: any
/// number at once.
LF_API double lf_luo_height(const lf_globe *globe, const lf_globe_elevation *ground);

/// The steps of Luo's test, as Table 1 of the paper names them.
typedef enum lf_luo_step {
    LF_LUO_PLACE,   ///< 1: from the position to longitude, latitude and distance
    LF_LUO_TILE,    ///< 2-1: the tile
    LF_LUO_HEIGHT,  ///< 2-2: the highest of the samples around
    LF_LUO_COMPARE, ///< 3: the distance with the height
    LF_LUO_STEPS    ///< number of steps
} lf_luo_step;

/// Operations of a step of Luo's test, counted by the arithmetic that does them.
typedef struct lf_luo_operations {
    int64_t squares;      ///< number of squares
    int64_t square_roots; ///< number of square roots
    int64_t divisions;    ///< number of divisions
    int64_t arc_sines;    ///< number of arc sines
    int64_t arc_tangents; ///< number of arc tangents
    int64_t subtractions; ///< number of subtractions
    int64_t comparisons;  ///< number of comparisons
    int64_t tiles;        ///< that were compared with the place
    int64_t
        left_out; ///< operations that are needed, but are not in Table 1: sums, degrees, the half of the globe, levels of
                  ///< tiles, is the place near a sample or a line
} lf_luo_operations;

/// Luo's test of a camera (quick oriented terrain collision detection): its place by the formula of the sphere, the tile by
/// comparing all loaded ones, the highest of the one, two or four samples around it, and one comparison.
/// position    earth-centred, finite, not the centre. The radius is the ellipsoid's equatorial one: meant for spheres
/// snap        share of a cell within which a place counts as on a sample or a line, 0 .. 0.5
/// ground      optional: what was found; of it reason, height (by Luo's rule), tile and resolution are written
/// operations  optional: LF_LUO_STEPS of them, added to
/// collides    is the camera at or below that height?
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_luo_collides(const lf_globe *globe, lf_vec3 position, double snap,
                                 lf_globe_elevation *ground, lf_luo_operations *operations, bool *collides);

// ---------------------------------------------------------------------------------------------------
// The contact and culling methods of A. Gottstein's thesis on bounding boxes in the Object Modeling Language
// ---------------------------------------------------------------------------------------------------

/// Ways to predict when two boxes touch.
typedef enum lf_gottstein_contact_kind {
    LF_GOTTSTEIN_STEPS, ///< "steps": the first multiple of the tick (and `ahead` itself) at which they touch: late by less
                        ///< than a tick, and contacts in between are missed
    LF_GOTTSTEIN_SPHERES, ///< "spheres": of the spheres around the boxes, about what each turns: never late, may meet where
                          ///< the boxes do not
    LF_GOTTSTEIN_BISECTION, ///< "bisection": the start of the first stretch of time, no longer than a tick, in which the swept
    ///< solids touch: never late, early by less than a tick; boxes that pass the same place within a
    ///< tick are said to meet
    LF_GOTTSTEIN_SPHERES_BISECTION ///< "spheres-bisection": spheres narrow the time, bisection does the rest
} lf_gottstein_contact_kind;

/// One of these methods, for lf_watch_def.method and lf_script_def.methods; NULL for any other value.
/// Its function returns LF_BAD_ARGUMENT as lf_contact_boxes does and, but for spheres, for a tick that is not above 0 or an
/// infinite time ahead. At most 2^20 ticks are tested: the tick is then made longer.
/// Static table. Allocates nothing. Threads: any.
LF_API const lf_contact_method *lf_gottstein_contact(lf_gottstein_contact_kind kind);

/// Gottstein's culling methods, for lf_cull_rules.filters: bit flags of a grid of 4 x 4 x 2 cells (LF_CULL_FLAGS), the box around
/// the view volume (LF_CULL_BOUNDS), spheres against the cone around it (LF_CULL_SPHERE). The fourth, LF_CULL_VOLUME, is in the
/// core.
/// Static table. Allocates nothing. Threads: any.
LF_API const lf_cull_filters *lf_gottstein_filters(void);

// ---------------------------------------------------------------------------------------------------
// The spherical distance field of C. Fünfzig, T. Ullrich, D. W. Fellner and E. N. Bachelder, "Terrain and
// Model Queries Using Scalar Representations With Wavelet Compression" (2009)
// ---------------------------------------------------------------------------------------------------

/// Distance fields, for lf_model_def.field.functions: then lf_model_def.field.sectors may be above 0, and queries may use
/// LF_MODEL_FIELD, LF_MODEL_SHELLS and reports by layer and sector.
/// Static table. Allocates nothing. Threads: any.
LF_API const lf_field_functions *lf_funfzig_field(void);

/// The model of a file that was written with a distance field, with its field. (The model that lf_store_model returns for such a
/// file has the tree alone.)
/// store  holds a model that had a field when it was written
/// host   allocator and progress, or NULL
/// model  written only on success; free it with lf_model_destroy. It does not need the store
/// error  optional
/// Errors: LF_BAD_ARGUMENT for any other file, and those of lf_model_create. Allocates with the host's allocator. Threads:
/// any.
LF_API lf_status lf_funfzig_from_store(const lf_store *store, const lf_host *host, lf_model **model,
                                       lf_error *error);

/// What a field has become.
typedef struct lf_field_stats {
    lf_vec3 centre;        ///< metres
    double radius;         ///< of a sphere about the centre
    int sectors;           ///< along each side of a chart
    int64_t sector_count;  ///< 6 sectors^2
    int64_t filled_count;  ///< sectors with anything in them
    int64_t layer_count;   ///< shells of all sectors
    int64_t entry_count;   ///< triangles in sectors: one counts in each it crosses
    double thickness;      ///< mean of high - low over the shells
    size_t pyramid_bytes;  ///< bounds of all nodes, as differences
    size_t full_bytes;     ///< the same if the bounds of every node were stored
    size_t quadtree_bytes; ///< and if those of a quad-tree's nodes were
    size_t bytes;          ///< everything
} lf_field_stats;

/// What a model's field has become.
/// stats  written only on success
/// Errors: LF_BAD_ARGUMENT for NULL or without a field. Allocates nothing. Threads: any number at once.
LF_API lf_status lf_funfzig_stats(const lf_model *model, lf_field_stats *stats);

/// The bounds of one sector: the least and the largest distance from the centre of anything in it.
typedef struct lf_field_sector {
    double least, most;     ///< both 0 where there is nothing
    int layers;             ///< number of layers
    int64_t triangle_count; ///< number of triangles
    int difference; ///< the number at this sector's place among the stored ones, in steps of radius / 32767: what the picture of
    ///< a transform shows
} lf_field_sector;

/// One sector of a model's field.
/// chart, column, row  0 .. 5, and 0 .. sectors - 1
/// Errors: LF_BAD_ARGUMENT (NULL, no field, out of range). Allocates nothing. Threads: any number at once.
LF_API lf_status lf_funfzig_sector(const lf_model *model, int chart, int column, int row,
                                   lf_field_sector *sector);

#ifdef __cplusplus
}
#endif
#endif
