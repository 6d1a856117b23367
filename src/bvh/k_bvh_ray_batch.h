/// Several rays in turns, for k_ray_walk.h. A ray through a large tree mostly waits for memory: a node says
/// where the next node lies, and no other work is available meanwhile. With other rays there is: each step
/// ends with a request for what the next step of the same ray will read. Every ray is walked as in `first`,
/// so answers are the same bits.

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
            flight->far = NAME(far_of)(&flight->walk, flight->walk.line->t_max);
            return true;
        }
        batch->found(batch->user, flight->index, NULL);
    }
    return false;
}

/// Continue with the top of the stack; false when it is empty.
TARGET static inline bool NAME(turn_back)(NAME(flight) * flight) {
    do {
        if (flight->count == 0)
            return false;
        flight->count--;
    } while (flight->stack[flight->count].near > flight->far);
    flight->child = flight->stack[flight->count].child;
    return true;
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
            flight->far = NAME(far_of)(&flight->walk, flight->best.t);
        flight->candidates = 0;
        return NAME(turn_back)(flight);
    }
    if (flight->child & LF__BVH_LEAF) {
        NAME(look_at_leaf)(flight);
        return flight->candidates || NAME(turn_back)(flight);
    }
    flight->child = NAME(nearest_child)(tree, NULL, &tree->nodes[flight->child], &flight->lanes, flight->far,
                                        flight->stack, &flight->count);
    if (flight->child == LF__BVH_NOWHERE)
        return NAME(turn_back)(flight);
    prefetch_child(tree, NULL, flight->child);
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
