/// A packed tree of boxes: eight to a node, no pointers, made anew or refitted in one go. A filter: what overlaps is found, and a
/// little more.
///
/// Boxes are floats around an origin. Rounding is monotone, so that what overlaps in doubles overlaps in floats, too: nothing has to
/// be widened.
#ifndef LF_SCENE_FLAT_H
#define LF_SCENE_FLAT_H

#include "base/array.h"
#include <landfall/geom.h>

#define LF__FLAT_WIDTH 8

/// 8^11 leaves of 8 are more than indices of 32 bits can tell apart.
#define LF__FLAT_LEVELS 12

/// The item of a lane that has none.
#define LF__FLAT_NOBODY 0xffffffffu

/// A node that waits while a tree is walked needs its level, and up to seven neighbours wait on every level.
#define LF__FLAT_STACK (LF__FLAT_LEVELS * (LF__FLAT_WIDTH - 1) + 1)

/// Eight boxes; an absent one has low = +inf, high = -inf.
typedef struct lf__flat_node {
    float low[3][LF__FLAT_WIDTH], high[3][LF__FLAT_WIDTH];
} lf__flat_node;

/// A box as nodes have it.
typedef struct lf__flat_box {
    float low[3], high[3];
} lf__flat_box;

/// An item while the tree is made.
typedef struct lf__flat_point {
    float at[3];
    uint32_t item;
} lf__flat_point;

/// Child j of node k of level l + 1 is node 8 k + j of level l; level 0 holds the items.
typedef struct lf__flat {
    lf__flat_node *nodes; ///< all levels, the items' own first
    uint32_t *items;      ///< eight per node of level 0
    lf__flat_point *points;
    int64_t node_room, item_room, point_room;
    int64_t count; ///< of items
    int levels;    ///< 0: nothing in it
    int64_t first[LF__FLAT_LEVELS + 1];
    lf_vec3 origin;
    double girth; ///< sum of the leaves' sizes
    double best;  ///< what it was when the items were last put in order
} lf__flat;

/// Where findings go: keys, in a growing array.
typedef struct lf__sink {
    lf__array keys; ///< of uint64_t
    const lf_allocator *allocator;
    bool full; ///< there was no memory for some
} lf__sink;

/// Room for 64 more; false when there is none.
static inline bool lf__sink_room(lf__sink *sink) {
    if (sink->keys.capacity - sink->keys.count >= 64)
        return true;
    if (lf__array_reserve(&sink->keys, sink->allocator, 64, sizeof(uint64_t)) == LF_OK)
        return true;
    sink->full = true;
    return false;
}

/// What looks into trees, one set per instruction set; same answers.
typedef struct lf__flat_kernels {
    /// Items whose box overlaps a box.
    void (*query)(const lf__flat *flat, const lf__flat_box *box, lf__sink *sink);
    /// Items of one tree that overlap items of another with the same origin, as (smaller number << 32 | larger one); with
    /// a == b each pair once.
    void (*join)(const lf__flat *a, const lf__flat *b, lf__sink *sink);
    /// Items whose box overlaps a box, of nodes that are in no tree.
    void (*scan)(const lf__flat_node *nodes, const uint32_t *items, int64_t count, const lf__flat_box *box,
                 lf__sink *sink);
} lf__flat_kernels;

const lf__flat_kernels *lf__flat_kernels_for(lf_isa isa);

/// The boxes of items, wherever they are: item i's at boxes + i * stride.
typedef struct lf__flat_boxes {
    const lf_box *boxes;
    size_t stride;
} lf__flat_boxes;

static inline const lf_box *lf__flat_box_at(const lf__flat_boxes *boxes, uint32_t item) {
    return (const void *)((const char *)boxes->boxes + (size_t)item * boxes->stride);
}

/// Make a tree of items. When they are those of the last time and lie as well as then, the tree is only refitted.
/// Set `origin` first: anywhere, but best amidst the items.
/// items  count of them, in ascending order
/// same   the items and the origin are those of the last time
/// On LF_NO_MEMORY the tree is empty.
lf_status lf__flat_make(lf__flat *flat, const lf_allocator *allocator, const lf__flat_boxes *boxes,
                        const uint32_t *items, int64_t count, bool same);

/// A place amidst some items (count > 0).
lf_vec3 lf__flat_amidst(const lf__flat_boxes *boxes, const uint32_t *items, int64_t count);

void lf__flat_free(lf__flat *flat, const lf_allocator *allocator);

/// A box around an origin.
static inline lf__flat_box lf__flat_local(lf_vec3 origin, const lf_box *box) {
    lf_vec3 low = lf_vec3_sub(box->low, origin), high = lf_vec3_sub(box->high, origin);
    return (lf__flat_box){{(float)low.x, (float)low.y, (float)low.z},
                          {(float)high.x, (float)high.y, (float)high.z}};
}

/// Set one box of a node, or none at all.
void lf__flat_set(lf__flat_node *node, unsigned lane, const lf__flat_box *box);
void lf__flat_clear(lf__flat_node *node);

/// The box around a node of level 0.
lf__flat_box lf__flat_around_node(const lf__flat_node *node);

static inline lf__flat_box lf__flat_around(const lf__flat *flat, int64_t node) {
    if (flat->levels == 1)
        return lf__flat_around_node(&flat->nodes[node]);
    const lf__flat_node *above = &flat->nodes[flat->first[1] + node / LF__FLAT_WIDTH];
    int lane = (int)(node % LF__FLAT_WIDTH);
    return (lf__flat_box){{above->low[0][lane], above->low[1][lane], above->low[2][lane]},
                          {above->high[0][lane], above->high[1][lane], above->high[2][lane]}};
}

#endif
