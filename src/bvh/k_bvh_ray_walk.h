/// The traversals, written once and compiled once per instruction set: k_bvh_ray.c includes this file with
///     NAME(f)              f with the instruction set's suffix
///     TARGET               the function attribute
///     LANES                a ray spread over lanes for node tests
///     start                fills it in, and makes the ray ready for leaves
///     node_mask, node_within, leaf_mask
///                          the kernels
/// defined. All of this is a filter: the exact test decides, so every instruction set has the same results.

/// The nearest child that the ray enters before `far`; the others go on the stack, nearest on top. LF__BVH_NOWHERE
/// when there is none. Most nodes have one or two, so these are dealt with first.
TARGET static inline __attribute__((always_inline)) uint32_t
NAME(nearest_child)(const lf__bvh *tree, const lf__bvh_node *node, const LANES *lanes, float far,
                    bvh_ray_entry *stack, int *count) {
    float near[LF__BVH_WIDTH];
    unsigned mask = NAME(node_mask)(node, lanes, far, near);
    if (mask == 0)
        return LF__BVH_NOWHERE;
    unsigned lane = (unsigned)__builtin_ctz(mask);
    mask &= mask - 1;
    if (mask == 0)
        return node->child[lane];
    prefetch_child(tree, node->child[lane]);
    bvh_ray_entry best = {near[lane], node->child[lane]};
    int base = *count;
    for (; mask; mask &= mask - 1) {
        lane = (unsigned)__builtin_ctz(mask);
        bvh_ray_entry other = {near[lane], node->child[lane]};
        prefetch_child(tree, other.child);
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
    float far = bvh_far_of(walk, walk->line->t_max);
    uint32_t child = tree->root;
    uint64_t nodes = 0;
    *best = (lf__bvh_meeting){INFINITY, LF__BVH_NOWHERE, NULL};
    for (;;) {
        while (!(child & LF__BVH_LEAF)) {
            nodes++;
            child = NAME(nearest_child)(tree, &tree->nodes[child], &lanes, far, stack, &count);
        }
        if (child != LF__BVH_NOWHERE && NAME(meet_leaf)(walk, &tree->leaves[child & ~LF__BVH_LEAF], best))
            far = bvh_far_of(walk, best->t);
        child = bvh_next_child(stack, &count, far);
        if (child == LF__BVH_NOWHERE) {
            walk->cost.nodes += nodes;
            return best->triangle != LF__BVH_NOWHERE;
        }
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
    float far = bvh_far_of(walk, walk->line->t_max);
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
    float far = bvh_far_of(walk, walk->line->t_max), before = surely_before(walk);
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

// ---------------------------------------------------------------------------------------------------
// Several rays in turns
// ---------------------------------------------------------------------------------------------------

// A ray through a large tree mostly waits for memory: a node says where the next node lies, and no other work
// is available meanwhile. With other rays there is: each step ends with a request for what the next step of
// the same ray will read. Every ray is walked as in `first`, so answers are the same bits.

/// A ray that is being traced.
typedef struct NAME(flight) {
    lf__bvh_ray walk;
    LANES lanes;
    lf__bvh_meeting best;
    int64_t index;
    float far;
    uint32_t child;           ///< comes next; being loaded from memory
    int count;                ///< of the stack
    const lf__bvh_leaf *leaf; ///< the leaf whose
    unsigned candidates;      ///< these triangles come next, once their vertices are there
    unsigned front, back;
    bvh_ray_entry stack[LF__BVH_STACK];
} NAME(flight);

/// Start the batch's next ray that enters the tree; false when there is none.
TARGET static bool NAME(set_out)(NAME(flight) * flight, const lf__bvh_batch *batch, int64_t *next) {
    while (*next < batch->count) {
        flight->index = (*next)++;
        lf__bvh_ray_set(&flight->walk, batch->tree, lf__bvh_batch_ray(batch, flight->index), batch->filter);
        flight->best = (lf__bvh_meeting){INFINITY, LF__BVH_NOWHERE, NULL};
        flight->count = 0;
        flight->candidates = 0;
        flight->child = batch->tree->root;
        if (NAME(start)(&flight->walk, &flight->lanes)) {
            flight->far = bvh_far_of(&flight->walk, flight->walk.line->t_max);
            return true;
        }
        batch->found(batch->user, flight->index, NULL);
    }
    return false;
}

/// Continue with the top of the stack; false when it is empty.
TARGET static inline bool NAME(turn_back)(NAME(flight) * flight) {
    flight->child = bvh_next_child(flight->stack, &flight->count, flight->far);
    return flight->child != LF__BVH_NOWHERE;
}

/// The triangles of a leaf that may be hit; requests their vertices.
TARGET static inline void NAME(look_at_leaf)(NAME(flight) * flight) {
    const lf__bvh *tree = flight->walk.tree;
    const lf__bvh_leaf *leaf = &tree->leaves[flight->child & ~LF__BVH_LEAF];
    flight->leaf = leaf;
    flight->candidates = NAME(enter_leaf)(&flight->walk, leaf, &flight->front, &flight->back);
    for (unsigned mask = flight->candidates; mask; mask &= mask - 1)
        for (int c = 0; c < 3; c++) {
            const char *vertex = (const char *)&tree->vertices[leaf->vertex[__builtin_ctz(mask)][c]];
            __builtin_prefetch(vertex);
            __builtin_prefetch(vertex + sizeof(lf_vec3) - 1);
        }
}

/// One step: a node, a leaf, or the vertices of a leaf. false when the ray has arrived.
TARGET static inline bool NAME(step)(NAME(flight) * flight) {
    const lf__bvh *tree = flight->walk.tree;
    if (flight->candidates) {
        if (NAME(meet_candidates)(&flight->walk, flight->leaf, flight->candidates, flight->front,
                                  flight->back, &flight->best))
            flight->far = bvh_far_of(&flight->walk, flight->best.t);
        flight->candidates = 0;
        return NAME(turn_back)(flight);
    }
    if (flight->child & LF__BVH_LEAF) {
        NAME(look_at_leaf)(flight);
        return flight->candidates || NAME(turn_back)(flight);
    }
    flight->child = NAME(nearest_child)(tree, &tree->nodes[flight->child], &flight->lanes, flight->far,
                                        flight->stack, &flight->count);
    if (flight->child == LF__BVH_NOWHERE)
        return NAME(turn_back)(flight);
    prefetch_child(tree, flight->child);
    return true;
}

static void NAME(arrive)(NAME(flight) * flight, const lf__bvh_batch *batch) {
    bool met = flight->best.triangle != LF__BVH_NOWHERE;
    if (met)
        flight->best.t = lf__bvh_caller_t(&flight->walk, flight->best.t);
    batch->found(batch->user, flight->index, met ? &flight->best : NULL);
}

TARGET static void NAME(first_many)(const lf__bvh_batch *batch) {
    NAME(flight) flights[LF__BVH_FLIGHTS];
    int order[LF__BVH_FLIGHTS], count = 0;
    int64_t next = 0;
    for (int i = 0; i < LF__BVH_FLIGHTS; i++)
        if (NAME(set_out)(&flights[i], batch, &next))
            order[count++] = i;
    while (count > 0)
        for (int i = 0; i < count; i++) {
            NAME(flight) *flight = &flights[order[i]];
            if (NAME(step)(flight))
                continue;
            NAME(arrive)(flight, batch);
            if (!NAME(set_out)(flight, batch, &next))
                order[i--] = order[--count];
        }
}

static const lf__bvh_kernels NAME(kernels) = {NAME(first), NAME(first_many), NAME(any), NAME(all),
                                              NAME(overlapping)};

#undef NAME
#undef TARGET
#undef LANES
