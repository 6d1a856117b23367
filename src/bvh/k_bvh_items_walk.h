/// Walks through a tree of items, written once and compiled once per instruction set: k_bvh_items.c includes this file with
///     NAME(f)     f with the instruction set's suffix
///     TARGET      the function attribute
///     start       makes a ray ready; false: it misses the tree
///     nearest     the nearest child of a node; the others go on the stack
///     IN_TURN     the same, for several rays in turns
/// defined. All of this is a filter: the caller's test of an item decides.

/// What a test of an item says about how far to search.
static inline float NAME(far_after)(const lf__bvh_ray *walk, double reach) {
    return bvh_far_of(walk, walk->exponent == 0 ? reach : ldexp(reach, walk->exponent));
}

TARGET static void NAME(search)(const lf__items *items, lf__bvh_ray *walk, const lf__item_search *search) {
    item_stack stack;
    bvh_ray_lanes lanes;
    if (!NAME(start)(walk, &lanes))
        return;
    if (search->wide)
        item_widen(&lanes, search->wide);
    stack.count = 0;
    float far = bvh_far_of(walk, walk->line->t_max);
    uint32_t child = walk->tree->root;
    uint64_t nodes = 0;
    bool goes_on = true;
    while (goes_on) {
        if (!(child & LF__BVH_LEAF)) {
            nodes++;
            int before = stack.count;
            child = NAME(nearest)(&items->nodes[child], &lanes, far, &stack);
            for (int i = before; i < stack.count; i++)
                item_prefetch(items->nodes, search->parts, search->stride, stack.child[i]);
            if (child != LF__BVH_NOWHERE)
                continue;
        } else {
            double reach = search->item(search->user, child & ~LF__BVH_LEAF);
            if (reach != reach)
                break;
            far = NAME(far_after)(walk, reach);
        }
        child = item_next(&stack, far);
        goes_on = child != LF__BVH_NOWHERE;
    }
    walk->cost.nodes += nodes;
}

// ---------------------------------------------------------------------------------------------------
// Several rays in turns
// ---------------------------------------------------------------------------------------------------

typedef struct NAME(flight) {
    lf__bvh_ray walk;
    bvh_ray_lanes lanes;
    int64_t index;
    float far;
    uint32_t child; ///< comes next; being loaded from memory
    item_stack stack;
} NAME(flight);

/// Start the next ray that enters the tree; false when there is none.
TARGET static bool NAME(set_out)(NAME(flight) * flight, const lf__bvh *tree, const lf__item_searches *all,
                                 int64_t *next) {
    while (*next < all->count) {
        flight->index = (*next)++;
        const lf_ray *ray = (const void *)((const char *)all->rays + (size_t)flight->index * all->ray_stride);
        lf__bvh_ray_set(&flight->walk, tree, ray, NULL);
        if (!NAME(start)(&flight->walk, &flight->lanes))
            continue;
        if (all->wide) {
            float by = all->wide[flight->index];
            const float wide[3] = {by, by, by};
            item_widen(&flight->lanes, wide);
        }
        flight->stack.count = 0;
        flight->child = tree->root;
        flight->far = bvh_far_of(&flight->walk, flight->walk.line->t_max);
        return true;
    }
    return false;
}

/// One step: a node, or an item; asks for the memory of the next one. false when the ray has arrived.
TARGET static inline bool NAME(step)(NAME(flight) * flight, const lf__items *items,
                                     const lf__item_searches *all) {
    uint32_t child = flight->child;
    if (!(child & LF__BVH_LEAF)) {
        child = IN_TURN(&items->nodes[child], &flight->lanes, flight->far, &flight->stack);
    } else {
        double reach = all->item(all->user, flight->index, child & ~LF__BVH_LEAF);
        if (reach != reach)
            return false;
        flight->far = NAME(far_after)(&flight->walk, reach);
        child = LF__BVH_NOWHERE;
    }
    if (child == LF__BVH_NOWHERE)
        child = item_next(&flight->stack, flight->far);
    if (child == LF__BVH_NOWHERE)
        return false;
    item_prefetch(items->nodes, all->parts, all->stride, child);
    flight->child = child;
    return true;
}

TARGET static void NAME(search_many)(const lf__items *items, const lf__bvh *tree,
                                     const lf__item_searches *all) {
    NAME(flight) flights[LF__BVH_FLIGHTS];
    int order[LF__BVH_FLIGHTS], count = 0;
    int64_t next = 0;
    for (int i = 0; i < LF__BVH_FLIGHTS; i++)
        if (NAME(set_out)(&flights[i], tree, all, &next))
            order[count++] = i;
    while (count > 0)
        for (int i = 0; i < count; i++)
            if (!NAME(step)(&flights[order[i]], items, all) &&
                !NAME(set_out)(&flights[order[i]], tree, all, &next))
                order[i--] = order[--count];
}

static const lf__item_kernels NAME(kernels) = {NAME(search), NAME(search_many)};

#undef NAME
#undef IN_TURN
#undef TARGET
