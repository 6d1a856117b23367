/// The box tree: a bounding volume hierarchy with eight children per node, over triangles or boxes.
#ifndef LF_BVH_BVH_H
#define LF_BVH_BVH_H

#include "base/containers.h"
#include "bvh/bvh_meet.h"
#include "query/query.h"
#include <landfall/ground.h>

/// The input of a tree: triangles or boxes, not both. All arrays are borrowed and must outlive the tree.
typedef struct lf__bvh_def {
    size_t size; ///< set by lf__bvh_def_default
    lf_host host;
    const lf_vec3 *vertices; ///< finite
    const uint32_t *corners; ///< three per triangle, each the index of a vertex
    int64_t triangle_count;
    const lf_box *boxes;
    int64_t box_count;
} lf__bvh_def;

static inline lf__bvh_def lf__bvh_def_default(void) {
    lf__bvh_def def = {sizeof(lf__bvh_def), {NULL, NULL, NULL, NULL}, NULL, NULL, 0, NULL, 0};
    return def;
}

typedef struct lf__bvh lf__bvh;

typedef struct lf__bvh_info {
    int64_t item_count; ///< triangles or boxes
    int64_t node_count; ///< inner nodes
    int64_t leaf_count;
    int depth;
    size_t bytes; ///< without the caller's arrays
    lf_box box;
} lf__bvh_info;

/// Build a tree. The caller has checked vertices and corners.
/// Errors: LF_BAD_ARGUMENT (no items, or both kinds; an empty or non-finite box; a coordinate beyond 1e30),
/// LF_NO_MEMORY, LF_TOO_LARGE (over 2^31 items), LF_CANCELLED.
lf_status lf__bvh_create(const lf__bvh_def *def, lf__bvh **tree, lf_error *error);
void lf__bvh_destroy(lf__bvh *tree);
lf__bvh_info lf__bvh_describe(const lf__bvh *tree);

/// Rays against the triangles of a tree: exact, as lf_ground_ray_first, _any and _all; `element` is the triangle.
/// LF_BAD_ARGUMENT for an invalid ray, a NULL output or a tree of boxes.
lf_status lf__bvh_ray_first(const lf__bvh *tree, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);
lf_status lf__bvh_ray_any(const lf__bvh *tree, const lf_ray *ray, bool *blocked, lf_cursor *cursor);
lf_status lf__bvh_ray_all(const lf__bvh *tree, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                          int64_t *count, lf_cursor *cursor);

/// Every item whose box shares a point with a box (touching counts), in ascending order of index.
/// box       not empty, finite
/// count     the number of such items; where it exceeds capacity, the lowest are written and LF_PARTIAL is returned
lf_status lf__bvh_overlaps(const lf__bvh *tree, lf_box box, int64_t *items, int64_t capacity, int64_t *count,
                           lf_cursor *cursor);

/// Bound of the coordinates of boxes, vertices and ray origins, so that floats relative to an origin do not
/// overflow.
#define LF__BVH_LIMIT 1e30

/// Children per node and items per leaf.
#define LF__BVH_WIDTH 8

/// No tree is deeper: a node has at least two children, each with fewer items, and the builder halves the
/// items once the depth passes half of this.
#define LF__BVH_DEPTH 64

/// Size of a traversal's stack: every level leaves at most seven siblings.
#define LF__BVH_STACK (LF__BVH_DEPTH * (LF__BVH_WIDTH - 1) + 1)

/// A child is a node's number, or a leaf's with this bit set.
#define LF__BVH_LEAF 0x80000000u

/// No child, and no triangle. It has the bit of a leaf, so that descending stops here.
#define LF__BVH_NOWHERE 0xffffffffu

/// Boxes of the children, floats relative to the tree's origin and rounded outwards. plane[0..2] low x, y, z;
/// plane[3..5] high. An absent child has low = +inf, high = -inf and overlaps nothing.
typedef struct lf__bvh_node {
    float plane[6][LF__BVH_WIDTH];
    uint32_t child[LF__BVH_WIDTH];
    uint32_t lanes;     ///< a bit per child
    uint32_t unused[7]; ///< up to four whole cache lines
} lf__bvh_node;

/// Eight triangles around the leaf's own origin, scaled so that all coordinates fit 16 bits; a filter only.
/// What the filter reads is in the first three cache lines, what the exact test needs in the other two.
/// Absent triangles have no bit in `lanes`.
typedef struct lf__bvh_leaf {
    double origin[3];
    double scale;                        ///< units per metre
    int16_t corner[3][3][LF__BVH_WIDTH]; ///< [corner][axis][triangle]
    uint32_t lanes;                      ///< a bit per triangle
    uint32_t item[LF__BVH_WIDTH];
    uint32_t vertex[LF__BVH_WIDTH][3];
    uint32_t unused[3];
} lf__bvh_leaf;

_Static_assert(sizeof(lf__bvh_leaf) == 5 * LF__CACHE_LINE, "leaves are whole cache lines");
_Static_assert(sizeof(lf__bvh_node) == 4 * LF__CACHE_LINE, "nodes are whole cache lines");

/// Coordinates in a leaf are whole numbers up to this.
#define LF__BVH_UNITS 32767

/// A leaf of a tree of boxes has no copy of them: the box in the parent covers all eight.
typedef struct lf__bvh_group {
    uint32_t count;
    uint32_t item[LF__BVH_WIDTH];
} lf__bvh_group;

typedef struct lf__bvh_kernels lf__bvh_kernels;

struct lf__bvh {
    lf_allocator allocator;
    const lf__bvh_kernels *kernels;
    const lf_vec3 *vertices;
    const uint32_t *corners;
    const lf_box *boxes;
    int64_t item_count;
    lf_box box;
    lf_vec3 origin;
    double scale;  ///< no coordinate of the box is larger
    uint32_t root; ///< a child code
    int depth;
    lf__bvh_node *nodes;
    int64_t node_count;    ///< including those that edits have freed
    lf__bvh_leaf *leaves;  ///< of a tree of triangles
    lf__bvh_group *groups; ///< of a tree of boxes
    int64_t leaf_count;
    int64_t node_space, leaf_space;
    const uint32_t *items;         ///< while building: the triangles to include; NULL: all
    uint32_t free_node, free_leaf; ///< the first of those that edits have freed, or LF__BVH_NOWHERE
    int64_t moved;                 ///< how often building moved a triangle from one run to a shorter one
    int64_t edits;                 ///< triangles inserted and removed since the tree was built
};

/// The caller's filter, called for every triangle that the ray intersects.
typedef struct lf__bvh_filter {
    bool (*accepts)(const void *user, uint32_t triangle, lf__side side);
    const void *user;
} lf__bvh_filter;

/// One intersection of a ray with a triangle.
typedef struct lf__bvh_meeting {
    double t;
    uint32_t triangle;
    const uint32_t *vertex; ///< its three vertices, or NULL where they are not at hand
} lf__bvh_meeting;

/// A ray prepared for boxes and leaves.
typedef struct lf__bvh_ray {
    const lf__bvh *tree;
    const lf__bvh_filter *filter;
    const lf_ray *line; ///< for the exact test: the caller's ray, or
    lf_ray scaled;      ///< this
    int exponent;       ///< t of the caller = ldexp(t of the line, -exponent)
    double start;       ///< where the ray enters the tree's box: t of the boxes counts from here
    int axis[3];        ///< axis[2] is where the direction is largest
    bool forward;       ///< and it is positive there
    double from[3];     ///< the origin by those axes
    double shear[2];    ///< direction / largest component
    double blur;        ///< error of the sheared ray in a leaf, before scaling
    lf_counters cost;
} lf__bvh_ray;

/// The part of the preparation that does not depend on the instruction set; the kernels do the rest.
static inline void lf__bvh_ray_set(lf__bvh_ray *walk, const lf__bvh *tree, const lf_ray *ray,
                                   const lf__bvh_filter *filter) {
    walk->tree = tree;
    walk->filter = filter;
    walk->line = lf__line_of(ray, &walk->scaled, &walk->exponent);
    walk->cost = (lf_counters){.questions = 1};
}

/// t in lengths of the caller's direction.
static inline double lf__bvh_caller_t(const lf__bvh_ray *walk, double t) {
    return walk->exponent == 0 ? t : ldexp(t, -walk->exponent);
}

/// A direction component smaller than this fraction of the largest differs from zero only by the pads.
#define LF__BVH_LEAST_DIRECTION 1e-30

/// Widens the tree's box, times the largest coordinate, before a ray is clipped to it.
#define LF__BVH_CLIP_PAD 0x1p-48

/// Pads around the point where the ray enters the box, as floats: times the largest coordinate, times the
/// point, and for the smallest numbers. They cover every rounding up to that point, in the boxes of nodes and
/// in the conversion to float; and, times the largest inverse, every t within the box.
#define LF__BVH_START_PAD 0x1p-46
#define LF__BVH_FLOAT_PAD 0x1p-23
#define LF__BVH_TINY_PAD 1e-37

/// Error of a sheared ray in a leaf, times the largest coordinate.
#define LF__BVH_BLUR 0x1p-49

/// Called for each intersection that a traversal finds.
typedef struct lf__bvh_collector {
    void (*found)(void *user, lf__bvh_meeting meeting);
    void *user;
} lf__bvh_collector;

/// Many rays at once.
typedef struct lf__bvh_batch {
    const lf__bvh *tree;
    const lf__bvh_filter *filter; ///< the same for all
    const lf_ray *rays;
    size_t stride; ///< bytes from one ray to the next
    int64_t count;
    void (*found)(void *user, int64_t index, const lf__bvh_meeting *best); ///< once per ray; NULL: a miss
    void *user;
} lf__bvh_batch;

static inline const lf_ray *lf__bvh_batch_ray(const lf__bvh_batch *batch, int64_t index) {
    return (const void *)((const char *)batch->rays + (size_t)index * batch->stride);
}

/// The number of rays that are traced in turns.
#define LF__BVH_FLIGHTS 8

/// The traversals, one set per instruction set. All have the same results.
struct lf__bvh_kernels {
    bool (*first)(lf__bvh_ray *walk, lf__bvh_meeting *best);
    void (*first_many)(const lf__bvh_batch *batch);
    bool (*any)(lf__bvh_ray *walk);
    void (*all)(lf__bvh_ray *walk, const lf__bvh_collector *collector);
    int (*overlapping)(const lf__bvh_node *node, const float low[3], const float high[3]);
};

const lf__bvh_kernels *lf__bvh_kernels_for(lf_isa isa);

/// Exact test of one triangle of the tree, and the filter. `sure` is the side from which the line passes
/// through the triangle's inside where that is known, else LF__SIDE_EDGE_ON.
bool lf__bvh_meet(lf__bvh_ray *walk, const lf__bvh_leaf *leaf, unsigned lane, lf__side sure, double *t);

/// Does the line meet a triangle of a leaf before the best so far? By exact arithmetic, for t that are too
/// close for doubles.
bool lf__bvh_before(lf__bvh_ray *walk, const lf__bvh_leaf *leaf, unsigned lane, const lf__bvh_meeting *best);

/// The sign of the exact t of one triangle that a ray meets minus that of another.
int lf__bvh_order(const lf__bvh *tree, const lf_ray *ray, uint32_t a, uint32_t b);

/// First, any and all with a filter. The ray has been checked. `first` returns false on a miss.
bool lf__bvh_first(const lf__bvh *tree, const lf_ray *ray, const lf__bvh_filter *filter,
                   lf__bvh_meeting *best, lf_cursor *cursor);
/// `first` for many rays at once: the same bits, faster where the tree is too large for the caches.
void lf__bvh_first_many(const lf__bvh_batch *batch);
bool lf__bvh_any(const lf__bvh *tree, const lf_ray *ray, const lf__bvh_filter *filter, lf_cursor *cursor);
void lf__bvh_all(const lf__bvh *tree, const lf_ray *ray, const lf__bvh_filter *filter,
                 const lf__bvh_collector *collector, lf_cursor *cursor);

/// Barycentric coordinates of a point on a triangle.
void lf__bvh_weights(const lf__bvh *tree, uint32_t triangle, lf_vec3 p, double *u, double *v);

/// The hit of an intersection: point, normal, barycentric coordinates; element is the triangle.
void lf__bvh_hit(const lf__bvh *tree, const lf_ray *ray, const lf__bvh_meeting *meeting, lf_hit *hit);

/// A traversal with the caller's test: into the children whose box `enters` accepts, and to every item of the
/// leaves there, in no particular order. Boxes are exact up to the rounding of their sums: test them with a
/// margin.
typedef struct lf__bvh_visitor {
    bool (*enters)(void *user, const lf_box *box);
    void (*item)(void *user, uint32_t item);
    void *user;
} lf__bvh_visitor;

void lf__bvh_visit(const lf__bvh *tree, const lf__bvh_visitor *visitor, lf_cursor *cursor);

/// The nearest float that is not above (not below) a double.
static inline float lf__float_below(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static inline float lf__float_above(double x) {
    float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

/// The box of one item.
static inline lf_box lf__bvh_item_box(const lf__bvh *tree, int64_t item) {
    if (tree->boxes)
        return tree->boxes[item];
    const uint32_t *corner = tree->corners + 3 * item;
    lf_box box = lf_box_with(lf_box_empty(), tree->vertices[corner[0]]);
    return lf_box_with(lf_box_with(box, tree->vertices[corner[1]]), tree->vertices[corner[2]]);
}

static inline size_t lf__bvh_leaf_size(const lf__bvh *tree) {
    return tree->boxes ? sizeof(lf__bvh_group) : sizeof(lf__bvh_leaf);
}

// ---------------------------------------------------------------------------------------------------
// Edits of trees of triangles
// ---------------------------------------------------------------------------------------------------

/// What edits read or wrote.
typedef struct lf__bvh_work {
    int64_t nodes; ///< and leaves
    int64_t triangles;
} lf__bvh_work;

/// A tree of some of the triangles in the caller's arrays, which must outlive it.
lf_status lf__bvh_make_of(const lf_allocator *allocator, const lf_vec3 *vertices, const uint32_t *corners,
                          const uint32_t *items, int64_t count, lf__bvh **tree);

/// The caller's arrays have moved.
static inline void lf__bvh_rebase(lf__bvh *tree, const lf_vec3 *vertices, const uint32_t *corners) {
    tree->vertices = vertices;
    tree->corners = corners;
}

/// Reserve space to insert a number of triangles. The tree is unchanged when there is no memory, or when it could
/// become too deep (LF_TOO_LARGE).
lf_status lf__bvh_reserve(lf__bvh *tree, int64_t insertions);

/// Remove a triangle, which is in the tree. Its corners are arguments because the caller's arrays may have changed.
void lf__bvh_take_out(lf__bvh *tree, uint32_t triangle, const lf_vec3 points[3], lf__bvh_work *work);

/// Insert a triangle; space has been reserved. Triangles in the tree have their corners in the caller's arrays.
void lf__bvh_put_in(lf__bvh *tree, uint32_t triangle, lf__bvh_work *work);

/// Set the box and the number of triangles after an edit.
void lf__bvh_settle(lf__bvh *tree, lf_box box, int64_t item_count);

/// Fill in nodes and leaves. After a failure, lf__bvh_destroy frees what has been allocated.
lf_status lf__bvh_build(lf__bvh *tree, const lf_host *host);

// ---------------------------------------------------------------------------------------------------
// The nearest of many: a bounded heap in the array of the caller, so that ray_all allocates nothing
// ---------------------------------------------------------------------------------------------------

/// Keeps the `capacity` nearest of the intersections offered to it, in hits[].t and hits[].element; the rest
/// of a hit is filled in afterwards.
typedef struct lf__nearest {
    const lf__bvh *tree; ///< whose triangles
    const lf_ray *ray;   ///< met these
    lf_hit *hits;
    int64_t capacity;
    int64_t kept;
    int64_t offered;
} lf__nearest;

/// Offer one. For use as lf__bvh_collector.found with an lf__nearest as user.
void lf__nearest_offer(void *nearest, lf__bvh_meeting meeting);

/// Sort what was kept by the exact t, then by triangle. Rounded t that are not in that order are raised to the one
/// before them, which leaves each within the error that t may have.
void lf__nearest_sort(lf__nearest *nearest);

// ---------------------------------------------------------------------------------------------------
// Touching triangles of two trees
// ---------------------------------------------------------------------------------------------------

/// Called for each pair of touching triangles once, in an order that depends on the trees and the pose only;
/// returns false to stop.
typedef struct lf__pair_finder {
    bool (*found)(void *user, uint32_t a, uint32_t b);
    void *user;
    bool hurry; ///< search the likeliest parts first: for callers that stop at the first pair
} lf__pair_finder;

/// Every pair of touching triangles of two trees of triangles. The vertices of b are carried into a's frame
/// by lf_pose_to_world, in doubles; for these the answer is exact: closed triangles, so touching counts,
/// coplanar ones and triangles without area too. Returns true when the finder stopped it. The pose is rigid.
bool lf__bvh_pairs(const lf__bvh *a, const lf__bvh *b, const lf_pose *pose, const lf__pair_finder *finder,
                   lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// What bvh_pairs.c and its kernels share
// ---------------------------------------------------------------------------------------------------

/// From the boxes of one tree to boxes around them along the other tree's axes. Boxes come as sums and
/// differences of low and high, so everything here is halved.
typedef struct lf__pair_frame {
    float turn[3][3];   ///< [axis there][axis here]
    float spread[3][3]; ///< the magnitudes
    float shift[3];     ///< the origin here, seen from the origin there
} lf__pair_frame;

/// One query.
typedef struct lf__pair_walk {
    const lf__bvh *a, *b;
    const lf_pose *pose;
    const lf__pair_finder *finder;
    double turn[3][3]; ///< the rows of the pose
    double shift[3];   ///< and its translation
    double blur;       ///< metres: rounding of doubles in the transformation from b's frame to a's
    lf__pair_frame into_a, into_b;
    float pad; ///< metres: rounding of floats in the transformation of boxes to the other tree's axes
    bool hurry;
    lf_counters cost;
} lf__pair_walk;

/// The traversal, one per instruction set. true: stopped.
typedef bool lf__pair_kernel(lf__pair_walk *walk);

lf__pair_kernel *lf__pair_kernel_for(lf_isa isa);

/// The exact test of one lane of a leaf of each tree.
bool lf__pair_touch(lf__pair_walk *walk, const lf__bvh_leaf *a, unsigned lane_a, const lf__bvh_leaf *b,
                    unsigned lane_b);

/// Size of the stack of a traversal of two trees: each level leaves at most 63 pairs of nodes.
#define LF__PAIR_STACK (LF__BVH_DEPTH * (LF__BVH_WIDTH * LF__BVH_WIDTH - 1) + 1)

// ---------------------------------------------------------------------------------------------------
// Trees of items that move: the parts of a group, the parts of a scene
// ---------------------------------------------------------------------------------------------------

// A child that is not a node is an item itself, with its own box: the last step of a traversal tests sixteen
// items at once. An item that moves changes its box and those above it, nothing else; when the boxes have
// grown too much by such moves, the tree is built again.

/// Children per node. Rays through many small objects wait for memory at every step: a wide node makes fewer steps.
#define LF__ITEM_WIDTH 16

/// Size of a traversal's stack.
#define LF__ITEM_STACK (LF__BVH_DEPTH * (LF__ITEM_WIDTH - 1) + 1)

/// As lf__bvh_node. An absent child is LF__BVH_NOWHERE.
typedef struct lf__item_node {
    float plane[6][LF__ITEM_WIDTH];
    uint32_t child[LF__ITEM_WIDTH];
} lf__item_node;

_Static_assert(sizeof(lf__item_node) == 7 * LF__CACHE_LINE, "nodes are whole cache lines");

/// A search along a ray for the items of a tree of items (lf__items). The order is nearest first, as far as that is
/// known; the instruction sets may differ in it.
typedef struct lf__item_search {
    /// Test an item whose box the ray enters. Returns the largest t of the caller's ray that matters from now on; NaN:
    /// none does.
    double (*item)(void *user, uint32_t item);
    void *user;
    const float *wide; ///< metres by which all boxes are widened along x, y and z; NULL: none
    const char
        *parts; ///< memory that is read when an item is tested, to be fetched before: `stride` bytes per item
    size_t stride;
} lf__item_search;

/// Searches along many rays, in turns: while the memory for the next step of one is fetched, the others go on. Each finds what it
/// finds alone.
typedef struct lf__item_searches {
    const lf_ray *rays; ///< of `ray_stride` bytes each; checked
    size_t ray_stride;
    int64_t count;
    /// As lf__item_search.item, of the ray `index`.
    double (*item)(void *user, int64_t index, uint32_t item);
    void *user;
    const float *wide; ///< by how much boxes are widened for each ray, along x, y and z; NULL: not at all
    const char *parts; ///< as in lf__item_search
    size_t stride;
} lf__item_searches;

typedef struct lf__items lf__items;

/// The searches, one set per instruction set. The ray has been set.
typedef struct lf__item_kernels {
    void (*search)(const lf__items *items, lf__bvh_ray *walk, const lf__item_search *search);
    /// tree   for the box that rays are clipped to
    void (*search_many)(const lf__items *items, const lf__bvh *tree, const lf__item_searches *searches);
} lf__item_kernels;

const lf__item_kernels *lf__item_kernels_for(lf_isa isa);

struct lf__items {
    lf__bvh tree; ///< box, origin and root; it has no nodes and leaves of its own
    const lf__item_kernels *kernels;
    lf__item_node *nodes;
    const lf_box
        *boxes; ///< the caller's: item i's is `stride` bytes times i after the first; empty: it is not there
    size_t stride;
    int64_t count;     ///< of items, there or not
    uint32_t *parents; ///< of each node: 16 * parent + lane; LF__BVH_NOWHERE for the root
    uint32_t *places;  ///< of each item: 16 * node + lane; LF__BVH_NOWHERE: it is not in the tree
    int64_t place_space, parent_space;
    double area,
        built; ///< the sum of the half areas of the children that are nodes: now, and when the tree was built
    int64_t moves; ///< since the tree was built
    bool ready;    ///< it has been built
};

static inline const lf_box *lf__items_box(const lf__items *items, int64_t item) {
    return (const void *)((const char *)items->boxes + (size_t)item * items->stride);
}

/// Start with no items.
void lf__items_start(lf__items *items, const lf_allocator *allocator);
void lf__items_free(lf__items *items);

/// Build the tree of all items that are there, or build it again. Finite boxes within 1e30.
/// Errors: LF_NO_MEMORY, LF_TOO_LARGE; then the tree is as it was.
lf_status lf__items_build(lf__items *items, const lf_box *boxes, size_t stride, int64_t count);

/// The box of an item has changed, but not whether it is there: refit what is above it. Now and then this builds the tree again, if
/// there is memory.
void lf__items_moved(lf__items *items, int64_t item);

/// The exact box around all items; empty without any.
lf_box lf__items_bounds(const lf__items *items);

/// The items along a ray, nearest first. The ray has been checked; its t_min may be -INFINITY.
void lf__items_search(const lf__items *items, const lf_ray *ray, const lf__item_search *search,
                      lf_cursor *cursor);

/// The same along many rays; without counters.
void lf__items_search_many(const lf__items *items, const lf__item_searches *searches);

/// All items in children that `enters` accepts, in no particular order; as lf__bvh_visit. `enters` also gets the boxes of items.
void lf__items_visit(const lf__items *items, const lf__bvh_visitor *visitor, lf_cursor *cursor);

#endif
