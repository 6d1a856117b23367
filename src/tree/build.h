/// What the files of the builder share.
#ifndef LF_TREE_BUILD_H
#define LF_TREE_BUILD_H

#include "tree/tree.h"
#include <string.h>

/// A box in floats. The fourth lane means nothing: four at a time are one register.
typedef struct lf__bounds {
    float low[4], high[4];
} lf__bounds;

/// One item on its way into a leaf: its box, and its number in the bits of low[3].
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

/// Sort a run that is too long for a leaf into up to eight, for a node at this depth; in the order of their refs.
/// Returns how many. Depends on nothing but the refs.
int lf__run_spread(lf__item_ref *refs, lf__item_run runs[LF__TREE_WIDTH], int depth);

/// Fill in the leaf of a tree of triangles.
void lf__tree_fill_leaf(const lf_tree *tree, const lf__item_ref *refs, int count, lf__tree_leaf *leaf);

#endif
