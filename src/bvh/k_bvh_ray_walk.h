/// The traversals, written once and compiled once per instruction set: k_ray.c includes this file with
///     NAME(f)              f with the instruction set's suffix
///     TARGET               the function attribute
///     LANES                a ray spread over lanes for node tests
///     start                fills it in, and makes the ray ready for leaves
///     node_mask, node_within, leaf_mask
///                          the kernels
/// defined. All of this is a filter: the exact test decides, so every instruction set has the same results.

/// The nearest child that the ray enters before `far`; the others go on the stack, nearest on top. LF__BVH_NOWHERE
/// when there is none. Most nodes have one or two, so these are dealt with first.
/// search  of a tree of items, whose memory is asked for early too; NULL for triangles
TARGET static inline __attribute__((always_inline)) uint32_t
NAME(nearest_child)(const lf__bvh *tree, const lf__item_search *search, const lf__bvh_node *node,
                    const LANES *lanes, float far, bvh_ray_entry *stack, int *count) {
    float near[LF__BVH_WIDTH];
    unsigned mask = NAME(node_mask)(node, lanes, far, near);
    if (mask == 0)
        return LF__BVH_NOWHERE;
    unsigned lane = (unsigned)__builtin_ctz(mask);
    mask &= mask - 1;
    if (mask == 0 && !search)
        return node->child[lane];
    prefetch_child(tree, search, node->child[lane]);
    bvh_ray_entry best = {near[lane], node->child[lane]};
    int base = *count;
    for (; mask; mask &= mask - 1) {
        lane = (unsigned)__builtin_ctz(mask);
        bvh_ray_entry other = {near[lane], node->child[lane]};
        prefetch_child(tree, search, other.child);
        bool nearer = other.near < best.near;
        bvh_ray_entry farther = nearer ? best : other;
        best = nearer ? other : best;
        int place = (*count)++;
        for (; place > base && stack[place - 1].near < farther.near; place--)
            stack[place] = stack[place - 1];
        stack[place] = farther;
    }
    return best.child;
}

/// The largest float t, counted from the start of the walk, that may still matter: t is rounded, and all
/// triangles with the same exact t must be found.
static inline float NAME(far_of)(const lf__bvh_ray *walk, double t) {
    double far = t - walk->start + 2 * LF__MEET_ERROR * fabs(t);
    return far < 0 ? 0 : far < 3e38 ? (float)far * WIDER : INFINITY;
}

/// The triangles of a leaf that may be met, and those whose inside the line surely passes, by side.
TARGET static inline unsigned NAME(enter_leaf)(lf__bvh_ray *walk, const lf__bvh_leaf *leaf, unsigned *front,
                                               unsigned *back) {
    walk->cost.cells++;
    walk->cost.triangles += (unsigned)__builtin_popcount(leaf->lanes);
    return NAME(leaf_mask)(leaf, walk, front, back);
}

/// Test triangles of a leaf; true when a nearer one was met.
TARGET static inline bool NAME(meet_candidates)(lf__bvh_ray *walk, const lf__bvh_leaf *leaf, unsigned mask,
                                                unsigned front, unsigned back, lf__bvh_meeting *best) {
    bool nearer = false;
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        double t;
        if (!lf__bvh_meet(walk, leaf, lane, bvh_ray_side_of(lane, front, back), &t))
            continue;
        if (bvh_ray_is_before(walk, t, leaf, lane, best)) {
            *best = (lf__bvh_meeting){t, leaf->item[lane], leaf->vertex[lane]};
            nearer = true;
        }
    }
    return nearer;
}

TARGET static inline bool NAME(meet_leaf)(lf__bvh_ray *walk, const lf__bvh_leaf *leaf,
                                          lf__bvh_meeting *best) {
    unsigned front, back, mask = NAME(enter_leaf)(walk, leaf, &front, &back);
    return NAME(meet_candidates)(walk, leaf, mask, front, back, best);
}

TARGET static bool NAME(first)(lf__bvh_ray *walk, lf__bvh_meeting *best) {
    const lf__bvh *tree = walk->tree;
    bvh_ray_entry stack[LF__BVH_STACK];
    LANES lanes;
    if (!NAME(start)(walk, &lanes))
        return false;
    int count = 0;
    float far = NAME(far_of)(walk, walk->line->t_max);
    uint32_t child = tree->root;
    uint64_t nodes = 0;
    *best = (lf__bvh_meeting){INFINITY, LF__BVH_NOWHERE, NULL};
    for (;;) {
        while (!(child & LF__BVH_LEAF)) {
            nodes++;
            child = NAME(nearest_child)(tree, NULL, &tree->nodes[child], &lanes, far, stack, &count);
        }
        if (child != LF__BVH_NOWHERE && NAME(meet_leaf)(walk, &tree->leaves[child & ~LF__BVH_LEAF], best))
            far = NAME(far_of)(walk, best->t);
        do {
            if (count == 0) {
                walk->cost.nodes += nodes;
                return best->triangle != LF__BVH_NOWHERE;
            }
            count--;
        } while (stack[count].near > far);
        child = stack[count].child;
    }
}

/// Every triangle that the ray meets, in any order.
TARGET static void NAME(all)(lf__bvh_ray *walk, const lf__bvh_collector *collector) {
    const lf__bvh *tree = walk->tree;
    uint32_t stack[LF__BVH_STACK];
    float near[LF__BVH_WIDTH];
    LANES lanes;
    if (!NAME(start)(walk, &lanes))
        return;
    float far = NAME(far_of)(walk, walk->line->t_max);
    int count = 1;
    stack[0] = tree->root;
    while (count > 0) {
        uint32_t child = stack[--count];
        if (!(child & LF__BVH_LEAF)) {
            const lf__bvh_node *node = &tree->nodes[child];
            walk->cost.nodes++;
            for (unsigned mask = NAME(node_mask)(node, &lanes, far, near); mask; mask &= mask - 1)
                stack[count++] = node->child[__builtin_ctz(mask)];
            continue;
        }
        const lf__bvh_leaf *leaf = &tree->leaves[child & ~LF__BVH_LEAF];
        unsigned front, back;
        for (unsigned mask = NAME(enter_leaf)(walk, leaf, &front, &back); mask; mask &= mask - 1) {
            unsigned lane = (unsigned)__builtin_ctz(mask);
            lf__bvh_meeting meeting = {0, leaf->item[lane], leaf->vertex[lane]};
            if (lf__bvh_meet(walk, leaf, lane, bvh_ray_side_of(lane, front, back), &meeting.t))
                collector->found(collector->user, meeting);
        }
    }
}

/// Does the ray meet a triangle of a leaf? Where the leaf's box lies within the ray's interval, a line that
/// surely passes the inside of a triangle meets it: no t is needed, and the vertices are not read.
TARGET static inline bool NAME(any_in_leaf)(lf__bvh_ray *walk, const lf__bvh_leaf *leaf, bool within) {
    unsigned front, back, mask = NAME(enter_leaf)(walk, leaf, &front, &back);
    if (within)
        for (unsigned sure = mask & (front | back); sure; sure &= sure - 1) {
            unsigned lane = (unsigned)__builtin_ctz(sure);
            if (accepted(walk, leaf->item[lane], bvh_ray_side_of(lane, front, back)))
                return true;
        }
    if (within)
        mask &= ~(front | back);
    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        double t;
        if (lf__bvh_meet(walk, leaf, lane, bvh_ray_side_of(lane, front, back), &t))
            return true;
    }
    return false;
}

/// Does the ray hit any triangle? The order does not change the answer: children within the interval come
/// first, because their leaves can say yes without vertices.
TARGET static bool NAME(any)(lf__bvh_ray *walk) {
    const lf__bvh *tree = walk->tree;
    bvh_ray_waiting stack[LF__BVH_STACK];
    LANES lanes;
    if (!NAME(start)(walk, &lanes))
        return false;
    float far = NAME(far_of)(walk, walk->line->t_max), before = surely_before(far);
    int count = 1;
    bool met = false;
    stack[0] = (bvh_ray_waiting){tree->root, false};
    while (count > 0 && !met) {
        bvh_ray_waiting next = stack[--count];
        if (next.child & LF__BVH_LEAF) {
            met = NAME(any_in_leaf)(walk, &tree->leaves[next.child & ~LF__BVH_LEAF], next.within);
            continue;
        }
        const lf__bvh_node *node = &tree->nodes[next.child];
        walk->cost.nodes++;
        unsigned within, mask = NAME(node_within)(node, &lanes, far, before, &within);
        for (unsigned part = mask & ~within; part; part &= part - 1)
            wait_for(tree, node->child[__builtin_ctz(part)], false, &stack[count++]);
        for (unsigned part = mask & within; part; part &= part - 1)
            wait_for(tree, node->child[__builtin_ctz(part)], true, &stack[count++]);
    }
    return met;
}

#include "bvh/k_bvh_items.h"
#include "bvh/k_bvh_ray_batch.h"

static const lf__bvh_kernels NAME(kernels) = {NAME(first), NAME(first_many),  NAME(any),
                                              NAME(all),   NAME(overlapping), NAME(items)};

#undef NAME
#undef TARGET
#undef LANES
