/// Two trees of triangles against each other: which triangles of one share a point with which of the other.
#ifndef LF_TREE_PAIRS_H
#define LF_TREE_PAIRS_H

#include "bvh/bvh.h"

/// Who is told of touching triangles, each pair once, in an order that depends on nothing but the trees and the pose; false: no more.
typedef struct lf__pair_finder {
    bool (*found)(void *user, uint32_t a, uint32_t b);
    void *user;
    bool hurry; ///< look first where a pair is likeliest: for those who stop at once
} lf__pair_finder;

/// Every pair of touching triangles of two trees of triangles. The vertices of b are carried into a's frame by
/// lf_pose_to_world, in doubles; for these the answer is exact: closed triangles, so touching counts, coplanar ones and
/// triangles without area too. true when the finder stopped it. pose rigid.
bool lf__tree_pairs(const lf_tree *a, const lf_tree *b, const lf_pose *pose, const lf__pair_finder *finder,
                    lf_cursor *cursor);

// ---------------------------------------------------------------------------------------------------
// What pairs.c and its kernels share
// ---------------------------------------------------------------------------------------------------

/// From the boxes of one tree to boxes around them along the other tree's axes. Boxes come as sums and differences of low and
/// high, so everything here is halved.
typedef struct lf__pair_frame {
    float turn[3][3];   ///< [axis there][axis here]
    float spread[3][3]; ///< the magnitudes
    float shift[3];     ///< the origin here, seen from the origin there
} lf__pair_frame;

/// One question on its way.
typedef struct lf__pair_walk {
    const lf_tree *a, *b;
    const lf_pose *pose;
    const lf__pair_finder *finder;
    double turn[3][3]; ///< the rows of the pose
    double shift[3];   ///< and its translation
    double blur;       ///< metres: what doubles can lose on the way from b's frame to a's
    lf__pair_frame into_a, into_b;
    float pad; ///< metres: what floats can lose on the way from one tree's boxes to the other's axes
    bool hurry;
    lf_counters cost;
} lf__pair_walk;

/// The traversal, one per instruction set. true: stopped.
typedef bool lf__pair_kernel(lf__pair_walk *walk);

lf__pair_kernel *lf__pair_kernel_for(lf_isa isa);

/// The exact test of one lane of a leaf of each tree.
bool lf__pair_touch(lf__pair_walk *walk, const lf__tree_leaf *a, unsigned lane_a, const lf__tree_leaf *b,
                    unsigned lane_b);

/// Room on the stack of a traversal of two trees: each level leaves at most 63 pairs of nodes behind.
#define LF__PAIR_STACK (LF__TREE_DEPTH * (LF__TREE_WIDTH * LF__TREE_WIDTH - 1) + 1)

#endif
