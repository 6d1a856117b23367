/// The traversals, written once and compiled once per instruction set: k_ray.c includes this file with
///     NAME(f)              f with the instruction set's suffix
///     TARGET               the function attribute
///     ray_lanes            a ray spread over lanes for node tests
///     spread_ray           fills it in
///     node_mask, leaf_mask the two kernels
/// defined. Everything here only filters: the exact test decides, so every instruction set gives the same answers.

typedef struct NAME(entry) {
    float near;
    uint32_t child;
} NAME(entry);

/// The children that the ray enters before `far`, nearest on top of the stack.
TARGET static inline int NAME(push_children)(const lf__tree_node *node, const NAME(ray_lanes) * lanes,
                                             float far, NAME(entry) * stack, int count) {
    float near[LF__TREE_WIDTH];
    unsigned mask = NAME(node_mask)(node, lanes, far, near);
    int base = count;
    while (mask) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        mask &= mask - 1;
        NAME(entry) fresh = {near[lane], node->child[lane]};
        int place = count++;
        while (place > base && stack[place - 1].near < fresh.near) {
            stack[place] = stack[place - 1];
            place--;
        }
        stack[place] = fresh;
    }
    return count;
}

/// The largest float t, counted from the start of the walk, that may still matter.
static inline float NAME(far_of)(const lf__tree_ray *walk, double t) {
    double far = t - walk->start;
    return far < 0 ? 0 : far < 3e38 ? (float)far * WIDER : INFINITY;
}

TARGET static bool NAME(first)(lf__tree_ray *walk, lf__tree_meeting *best) {
    const lf_tree *tree = walk->tree;
    NAME(entry) stack[LF__TREE_STACK];
    NAME(ray_lanes) lanes;
    NAME(spread_ray)(walk, &lanes);
    int count = 1;
    bool found = false;
    float far = NAME(far_of)(walk, walk->line.t_max);
    stack[0] = (NAME(entry)){0, tree->root};
    while (count > 0) {
        NAME(entry) top = stack[--count];
        if (top.near > far)
            continue;
        if (!(top.child & LF__TREE_LEAF)) {
            walk->cost.nodes++;
            count = NAME(push_children)(&tree->nodes[top.child], &lanes, far, stack, count);
            continue;
        }
        const lf__tree_leaf *leaf = &tree->leaves[top.child & ~LF__TREE_LEAF];
        walk->cost.cells++;
        walk->cost.triangles += leaf->count;
        unsigned mask = NAME(leaf_mask)(leaf, walk);
        for (; mask; mask &= mask - 1) {
            uint32_t triangle = leaf->item[__builtin_ctz(mask)];
            double t;
            if (!lf__tree_meet(walk, triangle, &t))
                continue;
            if (!found || t < best->t || (t == best->t && triangle < best->triangle)) {
                *best = (lf__tree_meeting){t, triangle};
                far = NAME(far_of)(walk, t);
                found = true;
            }
        }
    }
    return found;
}

/// Every leaf that the ray enters, in any order; stops when `visit` says so.
TARGET static bool NAME(every_leaf)(lf__tree_ray *walk, const lf__tree_collector *collector) {
    const lf_tree *tree = walk->tree;
    uint32_t stack[LF__TREE_STACK];
    float near[LF__TREE_WIDTH];
    NAME(ray_lanes) lanes;
    NAME(spread_ray)(walk, &lanes);
    float far = NAME(far_of)(walk, walk->line.t_max);
    int count = 1;
    stack[0] = tree->root;
    while (count > 0) {
        uint32_t child = stack[--count];
        if (!(child & LF__TREE_LEAF)) {
            const lf__tree_node *node = &tree->nodes[child];
            walk->cost.nodes++;
            for (unsigned mask = NAME(node_mask)(node, &lanes, far, near); mask; mask &= mask - 1)
                stack[count++] = node->child[__builtin_ctz(mask)];
            continue;
        }
        const lf__tree_leaf *leaf = &tree->leaves[child & ~LF__TREE_LEAF];
        walk->cost.cells++;
        walk->cost.triangles += leaf->count;
        for (unsigned mask = NAME(leaf_mask)(leaf, walk); mask; mask &= mask - 1) {
            lf__tree_meeting meeting = {0, leaf->item[__builtin_ctz(mask)]};
            if (!lf__tree_meet(walk, meeting.triangle, &meeting.t))
                continue;
            if (!collector)
                return true;
            collector->found(collector->user, meeting);
        }
    }
    return false;
}

TARGET static bool NAME(any)(lf__tree_ray *walk) {
    return NAME(every_leaf)(walk, NULL);
}

TARGET static void NAME(all)(lf__tree_ray *walk, const lf__tree_collector *collector) {
    NAME(every_leaf)(walk, collector);
}

static const lf__tree_kernels NAME(kernels) = {NAME(first), NAME(any), NAME(all), NAME(overlapping)};

#undef NAME
#undef TARGET
