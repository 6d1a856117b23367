/// Gravity lines that are not simple: on the border of a leaf, in every frame, and with every meeting wanted.
#ifndef LF_PUBLISHED_QUADTREE_NEAR_H
#define LF_PUBLISHED_QUADTREE_NEAR_H

#include "published/quadtree.h"

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
bool lf__quadtree_near(const lf__quadtree *tree, lf_vec3 point, lf_vec3 *local);

#endif
