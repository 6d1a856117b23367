/// What building and editing share: of the nested grid, of a mesh, and of an index in place of the nested grid.
#ifndef LF_MESH_EDIT_H
#define LF_MESH_EDIT_H

#include "mesh/mesh.h"

// ---------------------------------------------------------------------------------------------------
// What building and editing the nested grid share.
// ---------------------------------------------------------------------------------------------------

/// A cell with more triangles becomes a grid, unless it is this deep already.
#define LF__NEST_LEAF_TRIANGLES 64
#define LF__NEST_DEEPEST 4

/// Words before a grid: references of all leaves in it, when it was made and now.
#define LF__NEST_HEADER 2

/// Words of a block: even, so that all places are.
static inline int64_t lf__nest_even(int64_t words) {
    return (words + 1) / 2 * 2;
}

/// Kernels read whole groups of lanes: so many words behind the last leaf.
#define LF__NEST_SPARE (2 * LF__NEST_LANES)

/// Flag of a triangle that no gravity line meets: edge-on, or without area. It is in no cell.
#define LF__NEST_WALL 1u

typedef struct lf__nest_builder {
    lf__nest *nest;
    const lf_mesh *mesh;
    const lf_host *host;
    const lf_allocator *allocator;
    lf__array words;
    lf__array *taken; ///< in an edit: the blocks that it took; NULL in a build
    uint32_t *flags;  ///< in a build, per triangle: LF__NEST_STEEP, LF__NEST_UNDER, LF__NEST_WALL
    lf_status status;
    lf__array entries; ///< of the triangles that are being sorted into a grid: see lf__nest_entry
    lf_vec2 *seen;     ///< vertices in top cells; NULL in an edit
    lf_vec2 *hull;     ///< likewise
    int64_t hull_count;
    int64_t hull_row; ///< the row that these are for, in cells:
    double outer[2], inner[2];
    lf_mesh_work work;
} lf__nest_builder;

/// A grid being filled: its cells are square, in units of themselves from (x, y), which is in top cells.
typedef struct lf__nest_grid {
    double x, y, per_top; ///< cells of this grid per top cell
    int64_t columns, rows;
    uint32_t *starts; ///< per cell and one more: first its number of references, then where they begin
    uint32_t *references;
    int64_t reference_count;
    void *user; ///< of the caller that enters triangles
} lf__nest_grid;

/// A tagged triangle enters a cell.
typedef struct lf__nest_entry {
    uint32_t cell, tagged;
} lf__nest_entry;

/// What goes into a cell: tagged triangles; how deep the cell is, and how it lies to the hull.
typedef struct lf__nest_content {
    const uint32_t *triangles;
    uint32_t count;
    int depth;
    uint32_t code;
} lf__nest_content;

/// Called for each cell that a tagged triangle enters.
typedef void lf__nest_enter_cell(lf__nest_grid *g, int64_t cell, uint32_t tagged);

/// Every cell of a grid that a triangle enters, row by row.
void lf__nest_enter(const lf__nest_builder *build, lf__nest_grid *g, uint32_t tagged,
                    lf__nest_enter_cell *enter);

/// A vertex as seen along gravity, in top cells; a triangle's corners, in a grid's cells.
lf_vec2 lf__nest_seen(const lf__nest *nest, const lf_mesh *mesh, uint32_t vertex);
void lf__nest_corners(const lf__nest_builder *build, const lf__nest_grid *g, uint32_t tagged,
                      lf_vec2 corner[3]);

/// The span of x that a triangle has between two values of y; false when it has none.
bool lf__nest_span(const lf_vec2 corner[3], double low, double high, double *first, double *last);

/// How many triangles ahead vertices are prefetched: they may lie anywhere in memory.
#define LF__NEST_SOON 8
void lf__nest_fetch(const lf__nest_builder *build, uint32_t tagged);

/// Sort tagged triangles into a grid's cells. NULL: all of the mesh, but for walls.
lf_status lf__nest_sort(lf__nest_builder *build, lf__nest_grid *g, const uint32_t *triangles, int64_t count);
void lf__nest_free_grid(const lf__nest_builder *build, lf__nest_grid *g);

/// Of two numbers; no NaNs.
static inline double lf__nest_larger(double a, double b) {
    return a > b ? a : b;
}

/// The grid of all cells, and the grid of m times m cells in the one whose low corner is `low`.
lf__nest_grid lf__nest_top(const lf__nest *nest);
lf__nest_grid lf__nest_inner(const lf__nest_grid *g, lf_vec2 low, int64_t m);

/// A leaf, or a grid with leaves, for one cell; what the cell's word is to be. The builder's status says whether it is.
uint32_t lf__nest_make_cell(lf__nest_builder *build, const lf__nest_grid *g, lf_vec2 low,
                            const lf__nest_content *content);

/// The plane of a triangle, and its flags.
uint32_t lf__nest_make_plane(const lf__nest *nest, const lf_mesh *mesh, int64_t triangle,
                             lf__nest_plane *plane);

/// The sum of the largest coordinates of the mesh.
double lf__nest_far(const lf_mesh *mesh);

/// In an edit: words from the nest's blocks.
lf_status lf__nest_allocate_block(lf__nest_builder *build, int64_t words, uint32_t *place);

// ---------------------------------------------------------------------------------------------------
// An edit of a mesh and of its structures.
//
// At first the mesh's own arrays are brought up to date, in a way that can be undone. Then each structure
// prepares: it allocates all the memory that it needs, writes only where no query reads yet, and may fail.
// When all have prepared, all commit, which cannot fail; else all abandon what they have prepared.
// ---------------------------------------------------------------------------------------------------

/// What is going to change. The mesh's arrays say so already: what is removed is marked as gone, what is added counts.
typedef struct lf__mesh_change {
    lf_mesh *mesh;
    const int64_t *removed; ///< polygons
    int64_t removed_count;
    int64_t first_polygon, first_triangle, first_vertex; ///< of those that are added
    lf_mesh_work work;
    bool rebuilt;
} lf__mesh_change;

/// A block of words.
typedef struct lf__nest_block {
    uint32_t place;
    int64_t words;
} lf__nest_block;

typedef struct lf__nest_edit {
    lf__mesh_change *change;
    lf__nest_builder build;
    lf__array taken, retired; ///< blocks that are new, and blocks that will not be needed any more
    lf__array changes;        ///< words to write
    lf__array list;           ///< triangles of the cell at hand
    int64_t leaf_count, reference_count;
    lf__nest fresh; ///< the nest is rebuilt when fresh.mesh is not NULL
} lf__nest_edit;

lf_status lf__nest_prepare(lf__nest_edit *edit, lf__mesh_change *change);
void lf__nest_commit(lf__nest_edit *edit);
void lf__nest_abandon(lf__nest_edit *edit);

/// Rebuild the nest when so much has changed that this pays; without memory for it the old one stays, which is slower but
/// right.
void lf__nest_renew(lf__mesh_change *change);

/// Sort a list of numbers (uint32_t, tagged or not) and leave each in it once.
void lf__list_unique(lf__array *list);

/// The box and the hull of a mesh after a change, by walks through its old tree. What is found goes into the arguments; the mesh
/// keeps its own.
lf_box lf__mesh_new_box(lf__mesh_change *change);
lf_status lf__mesh_new_hull(lf__mesh_change *change, lf__hull *hull, bool *shrank, bool *grew);

// ---------------------------------------------------------------------------------------------------
// What an index must provide to take the place of a mesh's nested grid.
//
// Only gravity lines use it; rays use the box tree. The functions get the mesh and find their own data in
// mesh->index_data.
// ---------------------------------------------------------------------------------------------------

struct lf_mesh_index {
    /// Make mesh->index_data of the mesh's polygons and fill in mesh->index_record. `def` is what the caller gave, or NULL.
    lf_status (*create)(lf_mesh *mesh, const void *def, const lf_host *host, lf_error *error);
    void (*destroy)(lf_mesh *mesh); ///< mesh->index_data may be NULL

    const void *(*def)(const lf_mesh *mesh); ///< the parameters that it was made with
    size_t (*bytes)(const lf_mesh *mesh);
    lf_mesh_work (*work)(const lf_mesh *mesh); ///< of making it

    /// The nearest ground along gravity, where that has one direction; false, with nothing written, when the point is too far
    /// away for this index.
    bool (*height)(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor);

    /// A gravity line in any frame, which is the query's ray: as lf__bvh_first, lf__bvh_any and lf__mesh_all.
    bool (*first)(const lf__mesh_query *query, lf__bvh_meeting *best, lf_cursor *cursor);
    bool (*any)(const lf__mesh_query *query, lf_cursor *cursor);
    int64_t (*all)(lf__mesh_query *query, lf_hit *hits, int64_t capacity, lf_cursor *cursor);

    /// An edit, as edit.h describes it. `edit` is the index's own; NULL until it has prepared. The last two arguments of
    /// commit say whether the mesh's hull shrank or grew anywhere.
    lf_status (*prepare)(lf__mesh_change *change, void **edit);
    void (*commit)(void *edit, bool shrank, bool grew);
    void (*abandon)(void *edit);
    void (*renew)(lf__mesh_change *change); ///< as lf__nest_renew
};

/// An index for meshes that nobody edits, in frames with a centre: lines to the centre by their direction (mesh_cube.c).
const lf_mesh_index *lf__cube_index(void);

#endif
