/// The quadtree of Barrus and Waters: the squares of a plane across gravity, each with the polygons that enter it.
///
/// There is one copy of each polygon, made for one query: which polygons hold this point of the plane, and how high are
/// they there? Leaves refer to it. In frames with a centre or an axis the plane is that of two angles, or of an angle and a
/// length; polygons have only boxes there, and the exact test in space does the rest.
#ifndef LF_PUBLISHED_QUADTREE_H
#define LF_PUBLISHED_QUADTREE_H

#include "base/containers.h"
#include "mesh/mesh_edit.h"
#include "mesh/nest.h"
#include <landfall/published.h>

/// No tree is deeper.
#define LF__QUADTREE_DEEPEST 24

/// Heights are as good as this, in metres, or they are left to the exact test.
#define LF__QUADTREE_TOLERANCE 1e-10

typedef struct lf__rectangle {
    double low_x, low_y, high_x, high_y;
} lf__rectangle;

/// An edge of a polygon: its inside is where a * x + b * y >= -c. Because of rounding two numbers stand for -c: what
/// is less than `below` is surely outside, what is not less than `above` is surely inside.
typedef struct lf__quadtree_line {
    double a, b;
    double below, above;
} lf__quadtree_line;

typedef struct lf__quadtree_polygon {
    lf__rectangle box; ///< wide enough for all roundings; across the seam of an angle high_x is beyond pi
    double gx, gy, c;  ///< height = gx * x + gy * y + c, with x and y from the tree's middle
    float error;       ///< heights by the plane are closer than this to the exact ones; INFINITY: unknown
    uint32_t first_line;
    uint32_t line_count; ///< one per edge, in the polygon's order; 0 where only the exact test will do
    uint32_t flags;
} lf__quadtree_polygon;

#define LF__QUADTREE_ABSENT 1u ///< a wall, or without area: in no leaf
#define LF__QUADTREE_UNDER 2u  ///< the front faces down
#define LF__QUADTREE_EXACT 4u  ///< no lines and no plane: the triangles are tested one by one
#define LF__QUADTREE_FINE 8u   ///< the plane is good enough for hits

/// Four children in a row, or a leaf. Children: 0 low x, low y; 1 high x, low y; 2 low x, high y; 3 high x, high y.
typedef struct lf__quadtree_node {
    double x, y;       ///< where it is cut
    uint32_t children; ///< the first of them; 0 for a leaf
    uint32_t first;    ///< of a leaf's references
    uint32_t count;
    uint32_t hull; ///< how a leaf lies to the hull
} lf__quadtree_node;

enum { LF__HULL_INSIDE, LF__HULL_BORDER, LF__HULL_OUTSIDE };

typedef struct lf__quadtree {
    lf_quadtree_def def;
    lf_frame frame; ///< to local coordinates; turned, and around the middle of the mesh unless straight
    bool straight;  ///< local coordinates are the world's
    double length;  ///< of the direction of down, where it has one
    double turn;    ///< radians
    lf_vec2 middle; ///< planes count from here, in local coordinates
    double reach;   ///< no vertex is farther from the frame's origin
    double blur;    ///< how far local coordinates can be off by rounding, for points within twice the reach
    double slack;   ///< a polygon that is closer than this to a cut does not enter the other side for that
    lf__rectangle box; ///< of the root
    lf__quadtree_node *nodes;
    int64_t node_count;              ///< that are in the tree
    int64_t node_end, node_capacity; ///< with those that edits have left behind
    uint32_t free_quad;              ///< the first of four of these, linked by `first`; 0: none
    uint32_t *references;
    int64_t reference_count; ///< that are in leaves
    int64_t reference_end, reference_capacity;
    int64_t built_references; ///< when it was made
    lf__blocks blocks;        ///< of references
    lf__quadtree_polygon *polygons;
    lf__quadtree_line *lines;
    int64_t polygon_count, line_count, line_capacity;
    int64_t polygon_capacity;
    lf_mesh_work work; ///< of making it
    uint32_t
        doubted; ///< a bit per code of leaves: its statement about the hull is no longer certain: the hull itself decides
} lf__quadtree;

/// The quadtree of a mesh that was made with one.
static inline lf__quadtree *lf__quadtree_of(const lf_mesh *mesh) {
    return mesh->index_data;
}

/// From world to local coordinates.
static inline lf_vec3 lf__quadtree_local(const lf__quadtree *tree, lf_vec3 world) {
    if (tree->straight)
        return world;
    if (tree->frame.kind != LF_FRAME_GRAVITY)
        return lf_frame_to_local(&tree->frame, world);
    lf_vec3 from = lf_vec3_sub(world, tree->frame.origin);
    lf_vec3 local = {lf_vec3_dot(tree->frame.rows[0], from), lf_vec3_dot(tree->frame.rows[1], from),
                     lf_vec3_dot(tree->frame.rows[2], from)};
    return local;
}

/// One of the four parts that a cut makes of a rectangle.
static inline lf__rectangle lf__quadtree_part(lf__rectangle box, lf_vec2 cut, int child) {
    lf__rectangle part = {child & 1 ? cut.x : box.low_x, child & 2 ? cut.y : box.low_y,
                          child & 1 ? box.high_x : cut.x, child & 2 ? box.high_y : cut.y};
    return part;
}

/// A node that is to be cut: its square and its polygons, and scratch memory for the choice.
typedef struct lf__quadtree_piece {
    const lf__quadtree *tree;
    const lf_mesh *mesh;
    lf__rectangle box;
    const uint32_t *polygons;
    int64_t count;
    lf__array *scratch; ///< of doubles
} lf__quadtree_piece;

/// Make the one copy of each polygon from tree->polygon_count on. The frame, reach and blur are known.
lf_status lf__quadtree_measure(lf__quadtree *tree, const lf_mesh *mesh, const lf_host *host);

/// The box of a polygon in angles around a centre or an axis, wide enough for every gravity line that meets it.
lf__rectangle lf__quadtree_angles(const lf__quadtree *tree, const lf_mesh *mesh, int64_t polygon);

/// Does a polygon of a piece enter one of its parts?
bool lf__quadtree_enters(const lf__quadtree_piece *piece, uint32_t polygon, lf_vec2 cut, int child);

/// Would every part of the piece have this polygon, and every part of a part, however it is cut?
bool lf__quadtree_covers(const lf__quadtree_piece *piece, uint32_t polygon);

/// Where to cut. Allocates only in the piece's scratch.
lf_status lf__quadtree_choose(const lf__quadtree_piece *piece, lf_vec2 *cut);

/// margin  space around the terrain, as a share of its extent
lf_status lf__quadtree_build(lf__quadtree *tree, const lf_mesh *mesh, const lf_host *host, double margin);

/// What building and editing share.
typedef struct lf__quadtree_builder {
    lf__quadtree *tree;
    const lf_mesh *mesh;
    const lf_host *host;
    const lf_allocator *allocator;
    lf__array nodes, references;
    lf__array work;    ///< polygons of the nodes of the descent, node after node
    lf__array scratch; ///< for the cuts
    lf__hull hull;     ///< in local coordinates, z = 0; in an edit empty: then children inherit what is known
    double done;       ///< area of finished leaves
    int64_t reported;
    int64_t tests;    ///< of polygons against children
    lf__array *taken; ///< in an edit: the blocks that it took; NULL in a build
} lf__quadtree_builder;

/// A node during the build: its polygons are work[first .. first + count).
typedef struct lf__quadtree_place {
    uint32_t node;
    lf__rectangle box;
    int64_t first, count;
    int depth;
    uint32_t hull;
} lf__quadtree_place;

/// Make a node, and whatever is under it, of the polygons of its place.
lf_status lf__quadtree_make_node(lf__quadtree_builder *build, lf__quadtree_place here);

/// In an edit: space for four children, or for references, where the tree has some free.
lf_status lf__quadtree_allocate_quad(lf__quadtree_builder *build, uint32_t *first);
lf_status lf__quadtree_allocate_references(lf__quadtree_builder *build, int64_t count, uint32_t *first);

/// Make a quadtree of a mesh. The parameters have been checked.
lf_status lf__quadtree_create(const lf_mesh *mesh, const lf_quadtree_def *def, const lf_host *host,
                              double margin, lf__quadtree **tree);

void lf__quadtree_destroy(lf__quadtree *tree, const lf_allocator *allocator);

/// Floating point operations, as the paper's Table 3 counts them.
typedef struct lf__operations {
    uint64_t times, compares, adds, multiplies;
} lf__operations;

typedef struct lf__quadtree_count {
    lf__operations child;  ///< finding the child that holds a point
    lf__operations box;    ///< testing a polygon's box
    lf__operations line;   ///< evaluating an edge
    lf__operations plane;  ///< the height of a polygon
    lf__operations border; ///< is the point on the border of its leaf? (not in the paper)
} lf__quadtree_count;

/// The nearest ground along gravity, where that has one direction; false, with nothing written, when the point is too far
/// away for this tree.
bool lf__quadtree_height(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor);

/// The same, counting operations. Not for the hot path.
bool lf__quadtree_height_counted(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit,
                                 lf__quadtree_count *count);

/// A gravity line through the tree, in all frames: as lf__bvh_first, lf__bvh_any and lf__mesh_all. The query's ray is
/// the gravity line.
bool lf__quadtree_first(const lf__mesh_query *query, lf__bvh_meeting *best, lf_cursor *cursor);
bool lf__quadtree_any(const lf__mesh_query *query, lf_cursor *cursor);
int64_t lf__quadtree_all(lf__mesh_query *query, lf_hit *hits, int64_t capacity, lf_cursor *cursor);

/// Edits, as mesh/mesh_edit.h describes them.
lf_status lf__quadtree_prepare(lf__mesh_change *change, void **edit);
void lf__quadtree_commit(void *edit, bool shrank, bool grew);
void lf__quadtree_abandon(void *edit);
void lf__quadtree_renew(lf__mesh_change *change);

// ---------------------------------------------------------------------------------------------------
// Gravity lines that are not simple: on the border of a leaf, in every frame, and with every meeting
// requested.
// ---------------------------------------------------------------------------------------------------

/// Leaves are wider than rounding, so four meet at a point; more only where angles do.
#define LF__QUADTREE_LEAVES 8

typedef struct lf__quadtree_leaves {
    uint32_t nodes[LF__QUADTREE_LEAVES];
    int count;
} lf__quadtree_leaves;

/// All leaves that hold a local point, or have it within the slack of their border.
void lf__quadtree_gather(const lf__quadtree *tree, double x, double y, lf__quadtree_leaves *leaves);

/// The point in local coordinates; false when it is too far away for the tree's tolerances, or, around a centre or an axis,
/// too close to that.
bool lf__quadtree_within_reach(const lf__quadtree *tree, lf_vec3 point, lf_vec3 *local);

#endif
