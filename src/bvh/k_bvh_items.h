/// A ray through a tree of items (bvh_items.h), written once and compiled once per instruction set, as k_bvh_ray_walk.h,
/// which includes this file.

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
            child = NAME(nearest_child)(tree, search, &tree->nodes[child], &lanes, far, stack, &count);
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
