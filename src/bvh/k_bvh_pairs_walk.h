/// The traversal of two trees, compiled once per instruction set: k_pairs.c says what lanes are and includes this.
///
/// A pair of nodes is opened as a whole: the boxes of all children of each are carried into the other's axes,
/// eight at a time, and every child of b is compared with all children of a along the six face axes. Pairs of
/// leaves are tested right after, unless there is a hurry: then they wait with the pairs of nodes, and the
/// deepest of all comes first.

/// The boxes around a node's children along the axes of the other tree; NaN for an absent child. Without
/// fused multiplications: these boxes decide the order in which pairs are found, and that is the same
/// everywhere.
TARGET static inline void NAME(carry)(const lf__bvh_node *node, const lf__pair_frame *frame, float pad,
                                      pair_boxes *boxes) {
    V sum[3], size[3];
    for (int k = 0; k < 3; k++) {
        V low = NAME(load)(node->plane[k]), high = NAME(load)(node->plane[3 + k]);
        sum[k] = NAME(add)(low, high);
        size[k] = NAME(sub)(high, low);
    }
    for (int i = 0; i < 3; i++) {
        V middle = NAME(set)(frame->shift[i]), half = NAME(set)(pad);
        for (int k = 0; k < 3; k++) {
            middle = NAME(add)(NAME(mul)(NAME(set)(frame->turn[i][k]), sum[k]), middle);
            half = NAME(add)(NAME(mul)(NAME(set)(frame->spread[i][k]), size[k]), half);
        }
        NAME(store)(boxes->low[i], NAME(sub)(middle, half));
        NAME(store)(boxes->high[i], NAME(add)(middle, half));
    }
}

/// How deep eight boxes and one box of eight others are in each other along these axes, or `most` where that
/// is less; below 0 they are apart. What is NaN does not count.
TARGET static inline V NAME(depth)(const float *const low[3], const float *const high[3],
                                   const float *const other_low[3], const float *const other_high[3],
                                   int other, V most) {
    for (int k = 0; k < 3; k++) {
        V up = NAME(sub)(NAME(load)(high[k]), NAME(set)(other_low[k][other]));
        V down = NAME(sub)(NAME(set)(other_high[k][other]), NAME(load)(low[k]));
        most = NAME(least)(up, NAME(least)(down, most));
    }
    return most;
}

/// Look into two leaves. false: stopped.
TARGET static inline bool NAME(open_leaves)(lf__pair_walk *walk, uint32_t a, uint32_t b) {
    const lf__bvh_leaf *leaf_a = &walk->a->leaves[a & ~LF__BVH_LEAF];
    const lf__bvh_leaf *leaf_b = &walk->b->leaves[b & ~LF__BVH_LEAF];
    leaf_answers answers;
    walk->cost.cells++;
    NAME(ask_leaves)(walk, leaf_a, leaf_b, &answers);
    for (unsigned left = answers.found; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctz(left);
        for (unsigned lanes = answers.any[j]; lanes; lanes &= lanes - 1) {
            unsigned i = (unsigned)__builtin_ctz(lanes);
            if (!(answers.sure[j] >> i & 1) && !lf__pair_touch(walk, leaf_a, i, leaf_b, j))
                continue;
            if (!walk->finder->found(walk->finder->user, leaf_a->item[i], leaf_b->item[j]))
                return false;
        }
    }
    return true;
}

/// A leaf of one tree against the subtree of a node of the other. false: stopped.
TARGET static bool NAME(open_leaf)(lf__pair_walk *walk, const lone_leaf *lone, uint32_t root) {
    const lf__bvh *tree = lone->is_a ? walk->b : walk->a;
    const lf__pair_frame *frame = lone->is_a ? &walk->into_a : &walk->into_b;
    uint32_t stack[LF__BVH_STACK];
    int depth = 1;
    stack[0] = root;
    while (depth > 0) {
        const lf__bvh_node *node = &tree->nodes[stack[--depth]];
        pair_boxes carried;
        NAME(carry)(node, frame, walk->pad, &carried);
        walk->cost.nodes++;
        const float *const low[3] = {node->plane[0], node->plane[1], node->plane[2]};
        const float *const high[3] = {node->plane[3], node->plane[4], node->plane[5]};
        const float *const carried_low[3] = {carried.low[0], carried.low[1], carried.low[2]};
        const float *const carried_high[3] = {carried.high[0], carried.high[1], carried.high[2]};
        V in = NAME(depth)(low, high, lone->there_low, lone->there_high, lone->lane, NAME(set)(INFINITY));
        in = NAME(depth)(carried_low, carried_high, lone->low, lone->high, lone->lane, in);
        for (unsigned lanes = NAME(bits)(NAME(le)(NAME(set)(0), in)); lanes; lanes &= lanes - 1) {
            uint32_t child = node->child[__builtin_ctz(lanes)];
            if (!(child & LF__BVH_LEAF))
                stack[depth++] = child;
            else if (!(lone->is_a ? NAME(open_leaves)(walk, lone->leaf, child)
                                  : NAME(open_leaves)(walk, child, lone->leaf)))
                return false;
        }
    }
    return true;
}

/// Open a pair of nodes: leaves at once, pairs of nodes onto the stack. false: stopped.
TARGET static inline bool NAME(open_nodes)(lf__pair_walk *walk, const lf__bvh_node *a, const lf__bvh_node *b,
                                           bvh_node_pair *stack, int *depth) {
    pair_boxes a_there, b_there;
    NAME(carry)(a, &walk->into_b, walk->pad, &a_there);
    NAME(carry)(b, &walk->into_a, walk->pad, &b_there);
    walk->cost.nodes++;
    const float *const a_low[3] = {a->plane[0], a->plane[1], a->plane[2]};
    const float *const a_high[3] = {a->plane[3], a->plane[4], a->plane[5]};
    const float *const b_low[3] = {b->plane[0], b->plane[1], b->plane[2]};
    const float *const b_high[3] = {b->plane[3], b->plane[4], b->plane[5]};
    const float *const at_low[3] = {a_there.low[0], a_there.low[1], a_there.low[2]};
    const float *const at_high[3] = {a_there.high[0], a_there.high[1], a_there.high[2]};
    const float *const bt_low[3] = {b_there.low[0], b_there.low[1], b_there.low[2]};
    const float *const bt_high[3] = {b_there.high[0], b_there.high[1], b_there.high[2]};
    float in[LF__BVH_WIDTH];
    bvh_node_pair leaves[LF__BVH_WIDTH * LF__BVH_WIDTH];
    int first = *depth, leaf_count = 0;
    for (unsigned j = 0; b->lanes >> j; j++) {
        V deep = NAME(depth)(a_low, a_high, bt_low, bt_high, (int)j, NAME(set)(INFINITY));
        unsigned lanes = NAME(bits)(NAME(le)(NAME(set)(0), deep));
        if (!lanes)
            continue;
        deep = NAME(depth)(at_low, at_high, b_low, b_high, (int)j, deep);
        NAME(store)(in, deep);
        uint32_t child_b = b->child[j];
        for (lanes = NAME(bits)(NAME(le)(NAME(set)(0), deep)); lanes; lanes &= lanes - 1) {
            int i = __builtin_ctz(lanes);
            uint32_t child_a = a->child[i];
            bool on = true;
            if (!((child_a ^ child_b) & LF__BVH_LEAF)) {
                prefetch(walk->a, child_a);
                prefetch(walk->b, child_b);
                bvh_node_pair *to =
                    child_a & LF__BVH_LEAF && !walk->hurry ? &leaves[leaf_count++] : &stack[(*depth)++];
                *to = (bvh_node_pair){child_a, child_b, in[i]};
            } else if (child_a & LF__BVH_LEAF) {
                lone_leaf lone = {child_a, true, i, a_low, a_high, at_low, at_high};
                on = NAME(open_leaf)(walk, &lone, child_b);
            } else {
                lone_leaf lone = {child_b, false, (int)j, b_low, b_high, bt_low, bt_high};
                on = NAME(open_leaf)(walk, &lone, child_a);
            }
            if (!on)
                return false;
        }
    }
    for (int i = 0; i < leaf_count; i++)
        if (!NAME(open_leaves)(walk, leaves[i].a, leaves[i].b))
            return false;
    if (walk->hurry)
        sort_pairs(stack + first, *depth - first);
    return true;
}

TARGET static bool NAME(walk)(lf__pair_walk *walk) {
    bvh_node_pair stack[LF__PAIR_STACK];
    int depth = 0;
    if ((walk->a->root | walk->b->root) & LF__BVH_LEAF) {
        lf__bvh_node a = root_node(walk->a), b = root_node(walk->b);
        if (!NAME(open_nodes)(walk, &a, &b, stack, &depth))
            return true;
    } else {
        stack[depth++] = (bvh_node_pair){walk->a->root, walk->b->root, 0};
    }
    while (depth > 0) {
        bvh_node_pair pair = stack[--depth];
        if (pair.a & LF__BVH_LEAF) {
            if (!NAME(open_leaves)(walk, pair.a, pair.b))
                return true;
        } else if (!NAME(open_nodes)(walk, &walk->a->nodes[pair.a], &walk->b->nodes[pair.b], stack, &depth))
            return true;
    }
    return false;
}

#undef NAME
#undef V
#undef MASK
#undef TARGET
