/// A walk through the tree by somebody else's idea of near.
#include "bvh/bvh.h"

static lf_box child_box(const lf_tree *tree, const lf__tree_node *node, int child) {
    lf_vec3 low = {node->plane[0][child], node->plane[1][child], node->plane[2][child]};
    lf_vec3 high = {node->plane[3][child], node->plane[4][child], node->plane[5][child]};
    return (lf_box){lf_vec3_add(tree->origin, low), lf_vec3_add(tree->origin, high)};
}

static void visit_leaf(const lf_tree *tree, uint32_t leaf, const lf__tree_visitor *visitor,
                       lf_counters *cost) {
    uint32_t count =
        tree->boxes ? tree->groups[leaf].count : (uint32_t)__builtin_popcount(tree->leaves[leaf].lanes);
    const uint32_t *items = tree->boxes ? tree->groups[leaf].item : tree->leaves[leaf].item;
    cost->cells++;
    cost->triangles += count;
    for (uint32_t i = 0; i < count; i++)
        visitor->item(visitor->user, items[i]);
}

void lf__tree_visit(const lf_tree *tree, const lf__tree_visitor *visitor, lf_cursor *cursor) {
    lf_counters cost = {.questions = 1};
    uint32_t stack[LF__TREE_STACK];
    int depth = 1;
    stack[0] = tree->root;
    while (depth > 0) {
        uint32_t child = stack[--depth];
        if (child & LF__TREE_LEAF) {
            visit_leaf(tree, child & ~LF__TREE_LEAF, visitor, &cost);
            continue;
        }
        const lf__tree_node *node = &tree->nodes[child];
        cost.nodes++;
        for (int i = 0; i < LF__TREE_WIDTH; i++) {
            lf_box box = child_box(tree, node, i); // empty where there is no child
            if (!lf_box_is_empty(box) && visitor->enters(visitor->user, &box))
                stack[depth++] = node->child[i];
        }
    }
    lf__cursor_count(cursor, &cost);
}
