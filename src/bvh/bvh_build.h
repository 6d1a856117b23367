/// What the files of the builder share.
#ifndef LF_BVH_BUILD_H
#define LF_BVH_BUILD_H

#include "bvh/bvh.h"
#include <string.h>

/// A box in floats. The fourth lane is unused: four floats are one register.
typedef struct lf__bounds {
    float low[4], high[4];
} lf__bounds;

/// One item to be put into a leaf: its box, and its number in the bits of low[3].
typedef struct lf__item_ref {
    lf__bounds box;
} lf__item_ref;

static inline uint32_t lf__item_of(const lf__item_ref *ref) {
    uint32_t item;
    memcpy(&item, &ref->box.low[3], sizeof item);
    return item;
}

/// A run of refs, the box around them, and the box around twice their centres.
typedef struct lf__item_run {
    int64_t first, last;
    lf__bounds box, centres;
} lf__item_run;

/// The box of a child.
static inline lf__bounds lf__bvh_lane_bounds(const lf__bvh_node *node, unsigned lane) {
    lf__bounds box = {{node->plane[0][lane], node->plane[1][lane], node->plane[2][lane], 0},
                      {node->plane[3][lane], node->plane[4][lane], node->plane[5][lane], 0}};
    return box;
}

static inline lf__bounds lf__bounds_empty(void) {
    lf__bounds b = {{INFINITY, INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
    return b;
}

static inline void lf__bounds_grow(lf__bounds *b, const float low[4], const float high[4]) {
    for (int k = 0; k < 4; k++) {
        b->low[k] = low[k] < b->low[k] ? low[k] : b->low[k];
        b->high[k] = high[k] > b->high[k] ? high[k] : b->high[k];
    }
}

/// The run of these refs.
lf__item_run lf__run_measure(const lf__item_ref *refs, int64_t first, int64_t last);

/// Sort a run into up to `most`, for a node at this depth; in the order of their refs. Runs of up to `leaf` refs are not
/// cut. Returns their number. Depends on the refs only.
int lf__run_spread(lf__item_ref *refs, lf__item_run *runs, int most, int leaf, int depth);

/// The bounds of a box in a tree, rounded outwards.
static inline lf__bounds lf__bounds_of(const lf__bvh *tree, lf_box b) {
    lf_vec3 o = tree->origin;
    lf__bounds bounds = {
        {lf__float_below(b.low.x - o.x), lf__float_below(b.low.y - o.y), lf__float_below(b.low.z - o.z), 0},
        {lf__float_above(b.high.x - o.x), lf__float_above(b.high.y - o.y), lf__float_above(b.high.z - o.z),
         0}};
    return bounds;
}

/// A triangle to be put into a leaf.
typedef struct lf__leaf_entry {
    uint32_t item;
    uint32_t vertex[3];
} lf__leaf_entry;

static inline lf__leaf_entry lf__entry_of(const lf__bvh *tree, uint32_t item) {
    const uint32_t *corner = tree->corners + 3 * (size_t)item;
    lf__leaf_entry entry = {item, {corner[0], corner[1], corner[2]}};
    return entry;
}

static inline lf_box lf__entry_box(const lf__bvh *tree, const lf__leaf_entry *entry) {
    lf_box box = lf_box_with(lf_box_empty(), tree->vertices[entry->vertex[0]]);
    return lf_box_with(lf_box_with(box, tree->vertices[entry->vertex[1]]), tree->vertices[entry->vertex[2]]);
}

/// Fill in the leaf of a tree of triangles.
void lf__bvh_fill_leaf(const lf__bvh *tree, const lf__leaf_entry *entries, int count, lf__bvh_leaf *leaf);

static inline void lf__node_set_child(lf__bvh_node *node, int lane, const lf__bounds *box, uint32_t child) {
    for (int k = 0; k < 3; k++) {
        node->plane[k][lane] = box->low[k];
        node->plane[3 + k][lane] = box->high[k];
    }
    node->child[lane] = child;
}

#endif
