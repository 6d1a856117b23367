/// What building and editing the nested grid share.
#ifndef LF_MESH_NEST_BUILD_H
#define LF_MESH_NEST_BUILD_H

#include "mesh/mesh.h"

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
    void *user; ///< of whoever enters triangles
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

/// Triangles on the way while one is looked at. Vertices lie anywhere: those of a triangle that comes soon are asked for early.
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
lf_status lf__nest_take_block(lf__nest_builder *build, int64_t words, uint32_t *place);

#endif
