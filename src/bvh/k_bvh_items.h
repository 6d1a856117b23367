/// A ray through a tree of items (bvh_items.h), written once and compiled once per instruction set, as k_bvh_ray_walk.h,
/// which includes this file.

/// Ask for the memory of a node or an item before it is needed.
static inline void NAME(fetch_item)(const lf__bvh *tree, const lf__item_search *search, uint32_t child) {
    const char *at = child & LF__BVH_LEAF ? search->parts + (size_t)(child & ~LF__BVH_LEAF) * search->stride
                                          : (const char *)&tree->nodes[child];
    for (int line = 0; line < 4; line++)
        __builtin_prefetch(at + line * LF__CACHE_LINE);
}

/// The nearest child that the ray enters before `far`, an item or a node; the others go on the stack, nearest on top.
TARGET static inline uint32_t NAME(nearest_item)(const lf__bvh *tree, const lf__item_search *search,
                                                 const lf__bvh_node *node, const LANES *lanes, float far,
                                                 bvh_ray_entry *stack, int *count) {
    float near[LF__BVH_WIDTH];
    unsigned mask = NAME(node_mask)(node, lanes, far, near);
    if (mask == 0)
        return LF__BVH_NOWHERE;
    unsigned lane = (unsigned)__builtin_ctz(mask);
    bvh_ray_entry best = {near[lane], node->child[lane]};
    NAME(fetch_item)(tree, search, best.child);
    int base = *count;
    for (mask &= mask - 1; mask; mask &= mask - 1) {
        lane = (unsigned)__builtin_ctz(mask);
        bvh_ray_entry other = {near[lane], node->child[lane]};
        NAME(fetch_item)(tree, search, other.child);
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

/// Widen all boxes, by moving the ray's place against each side of them.
TARGET static inline void NAME(widen)(LANES *lanes, const float wide[3]) {
    for (int k = 0; k < 3; k++) {
        float by = lanes->near_plane[k] < lanes->far_plane[k] ? wide[k] : -wide[k];
        lanes->near_at[k] += by;
        lanes->far_at[k] -= by;
    }
}

/// The items whose boxes the ray enters, roughly nearest first.
TARGET static void NAME(items)(lf__bvh_ray *walk, const lf__item_search *search) {
    const lf__bvh *tree = walk->tree;
    bvh_ray_entry stack[LF__BVH_STACK];
    LANES lanes;
    if (!NAME(start)(walk, &lanes))
        return;
    if (search->wide)
        NAME(widen)(&lanes, search->wide);
    int count = 0;
    float far = NAME(far_of)(walk, walk->line->t_max);
    uint32_t child = tree->root;
    for (;;) {
        while (!(child & LF__BVH_LEAF)) {
            walk->cost.nodes++;
            child = NAME(nearest_item)(tree, search, &tree->nodes[child], &lanes, far, stack, &count);
        }
        if (child != LF__BVH_NOWHERE) {
            double reach = search->item(search->user, child & ~LF__BVH_LEAF);
            if (reach != reach)
                return;
            far = NAME(far_of)(walk, walk->exponent == 0 ? reach : ldexp(reach, walk->exponent));
        }
        do {
            if (count == 0)
                return;
            count--;
        } while (stack[count].near > far);
        child = stack[count].child;
    }
}
