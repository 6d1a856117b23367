/// Boxes against the tree.
#include "bvh/bvh_collect.h"
#include "bvh/bvh.h"

/// Which items of a leaf really overlap: decided in doubles on the caller's own data.
static void offer_leaf(const lf_tree *tree, uint32_t leaf, lf_box box, lf__lowest *lowest) {
    uint32_t count =
        tree->boxes ? tree->groups[leaf].count : (uint32_t)__builtin_popcount(tree->leaves[leaf].lanes);
    const uint32_t *items = tree->boxes ? tree->groups[leaf].item : tree->leaves[leaf].item;
    for (uint32_t i = 0; i < count; i++)
        if (lf_box_overlap(lf__tree_item_box(tree, items[i]), box))
            lf__lowest_offer(lowest, items[i]);
}

lf_status lf_tree_overlaps(const lf_tree *tree, lf_box box, int64_t *items, int64_t capacity, int64_t *count,
                           lf_cursor *cursor) {
    if (!tree || !count || capacity < 0 || (capacity > 0 && !items) || lf_box_is_empty(box) ||
        !lf_vec3_finite(box.low) || !lf_vec3_finite(box.high))
        return LF_BAD_ARGUMENT;
    lf_counters cost = {.questions = 1};
    lf__lowest lowest = {items, capacity, 0, 0};
    lf_vec3 o = tree->origin;
    const float low[3] = {lf__float_below(box.low.x - o.x), lf__float_below(box.low.y - o.y),
                          lf__float_below(box.low.z - o.z)};
    const float high[3] = {lf__float_above(box.high.x - o.x), lf__float_above(box.high.y - o.y),
                           lf__float_above(box.high.z - o.z)};
    uint32_t stack[LF__TREE_STACK];
    int depth = 1;
    stack[0] = tree->root;
    while (depth > 0) {
        uint32_t child = stack[--depth];
        if (child & LF__TREE_LEAF) {
            cost.cells++;
            offer_leaf(tree, child & ~LF__TREE_LEAF, box, &lowest);
            continue;
        }
        const lf__tree_node *node = &tree->nodes[child];
        cost.nodes++;
        for (int mask = tree->kernels->overlapping(node, low, high); mask; mask &= mask - 1)
            stack[depth++] = node->child[__builtin_ctz((unsigned)mask)];
    }
    lf__lowest_sort(&lowest);
    *count = lowest.offered;
    lf__cursor_count(cursor, &cost);
    return lowest.offered > lowest.kept ? LF_PARTIAL : LF_OK;
}
