/// Trees of items that move: the parts of a group, the parts of a scene.
///
/// The nodes are those of bvh.h, but a child that is not a node is an item itself, with its own box: the last step of
/// a traversal tests eight items at once. An item that moves changes its box and those above it, nothing else; when
/// the boxes have grown too much by such moves, the tree is built again.
#ifndef LF_BVH_ITEMS_H
#define LF_BVH_ITEMS_H

#include "bvh/bvh.h"

typedef struct lf__items {
    lf__bvh tree; ///< nodes, box, origin and kernels; it has no leaves
    const lf_box
        *boxes; ///< the caller's: item i's is `stride` bytes times i after the first; empty: it is not there
    size_t stride;
    int64_t count;     ///< of items, there or not
    uint32_t *parents; ///< of each node: 8 * parent + lane; LF__BVH_NOWHERE for the root
    uint32_t *places;  ///< of each item: 8 * node + lane; LF__BVH_NOWHERE: it is not in the tree
    int64_t place_space, parent_space;
    double area,
        built; ///< the sum of the half areas of the children that are nodes: now, and when the tree was built
    int64_t moves; ///< since the tree was built
    bool ready;    ///< it has been built
} lf__items;

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

/// All items in children that `enters` accepts, in no particular order; as lf__bvh_visit. `enters` also gets the boxes of items.
void lf__items_visit(const lf__items *items, const lf__bvh_visitor *visitor, lf_cursor *cursor);

#endif
