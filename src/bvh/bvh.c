/// Creating and describing box trees, boxes against a tree, and walks with a test of the caller.
#include "bvh/bvh.h"
#include "base/base.h"
#include "base/containers.h"
#include <string.h>

static lf_status bvh_check(const lf__bvh_def *def, lf_error *error) {
    bool triangles = def->triangle_count > 0, boxes = def->box_count > 0;
    if (triangles == boxes || def->triangle_count < 0 || def->box_count < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a tree takes triangles or boxes: %lld and %lld given",
                        (long long)def->triangle_count, (long long)def->box_count);
    if ((triangles && (!def->vertices || !def->corners)) || (boxes && !def->boxes))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "an array is NULL");
    if (def->triangle_count > INT32_MAX || def->box_count > INT32_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "items: more than %d: too many for one tree", INT32_MAX);
    for (int64_t i = 0; i < def->box_count; i++)
        if (lf_box_is_empty(def->boxes[i]) || !lf_vec3_finite(def->boxes[i].low) ||
            !lf_vec3_finite(def->boxes[i].high))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "box %lld is empty or not finite", (long long)i);
    return LF_OK;
}

lf_status lf__bvh_create(const lf__bvh_def *given, lf__bvh **tree, lf_error *error) {
    lf__bvh_def def = lf__bvh_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!tree)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "tree is NULL");
    status = bvh_check(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf__bvh *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf__bvh));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf__bvh){.allocator = allocator,
                       .kernels = lf__bvh_kernels_for(lf_isa_best()),
                       .vertices = def.vertices,
                       .corners = def.triangle_count > 0 ? def.corners : NULL,
                       .boxes = def.box_count > 0 ? def.boxes : NULL,
                       .item_count = def.triangle_count > 0 ? def.triangle_count : def.box_count,
                       .free_node = LF__BVH_NOWHERE,
                       .free_leaf = LF__BVH_NOWHERE};
    status = lf__bvh_build(fresh, &def.host);
    if (status != LF_OK) {
        lf__bvh_destroy(fresh);
        return lf__fail_plain(error, status);
    }
    *tree = fresh;
    return LF_OK;
}

lf_status lf__bvh_make_of(const lf_allocator *allocator, const lf_vec3 *vertices, const uint32_t *corners,
                          const uint32_t *items, int64_t count, lf__bvh **tree) {
    lf_host host = {.allocator = allocator};
    lf__bvh *fresh = lf__allocate(allocator, sizeof *fresh, _Alignof(lf__bvh));
    if (!fresh)
        return LF_NO_MEMORY;
    *fresh = (lf__bvh){.allocator = *allocator,
                       .kernels = lf__bvh_kernels_for(lf_isa_best()),
                       .vertices = vertices,
                       .corners = corners,
                       .items = items,
                       .item_count = count,
                       .free_node = LF__BVH_NOWHERE,
                       .free_leaf = LF__BVH_NOWHERE};
    lf_status status = lf__bvh_build(fresh, &host);
    if (status != LF_OK) {
        lf__bvh_destroy(fresh);
        return status;
    }
    fresh->items = NULL;
    *tree = fresh;
    return LF_OK;
}

void lf__bvh_destroy(lf__bvh *tree) {
    if (!tree)
        return;
    lf_allocator allocator = tree->allocator;
    void *leaves = tree->boxes ? (void *)tree->groups : (void *)tree->leaves;
    lf__free_array(&allocator, leaves, tree->leaf_space, lf__bvh_leaf_size(tree));
    lf__free_array(&allocator, tree->nodes, tree->node_space, sizeof(lf__bvh_node));
    lf__free(&allocator, tree, sizeof *tree, _Alignof(lf__bvh));
}

lf__bvh_info lf__bvh_describe(const lf__bvh *tree) {
    lf__bvh_info info = {.item_count = tree->item_count,
                         .node_count = tree->node_count,
                         .leaf_count = tree->leaf_count,
                         .depth = tree->depth,
                         .box = tree->box};
    info.bytes = sizeof *tree + (size_t)tree->node_space * sizeof(lf__bvh_node) +
                 (size_t)tree->leaf_space * lf__bvh_leaf_size(tree);
    return info;
}

// ---------------------------------------------------------------------------------------------------
// Boxes against the tree
// ---------------------------------------------------------------------------------------------------

/// Keeps the `capacity` lowest of the numbers offered to it.
typedef struct lowest_items {
    int64_t *items;
    int64_t capacity;
    int64_t kept;
    int64_t offered;
} lowest_items;

static bool number_before(const void *items, int64_t i, int64_t j) {
    const int64_t *numbers = items;
    return numbers[i] < numbers[j];
}

static void number_swap(void *items, int64_t i, int64_t j) {
    int64_t *numbers = items, kept = numbers[i];
    numbers[i] = numbers[j];
    numbers[j] = kept;
}

static void lowest_offer(lowest_items *lowest, int64_t item) {
    lf__heap h = {lowest->items, number_before, number_swap};
    lowest->offered++;
    if (lowest->kept < lowest->capacity) {
        lowest->items[lowest->kept] = item;
        lf__heap_up(&h, lowest->kept++);
    } else if (lowest->capacity > 0 && item < lowest->items[0]) {
        lowest->items[0] = item;
        lf__heap_down(&h, lowest->kept);
    }
}

static void lowest_sort(lowest_items *lowest) {
    lf__heap h = {lowest->items, number_before, number_swap};
    lf__heap_sort(&h, lowest->kept);
}

/// Offer the items of a leaf that overlap: decided in doubles on the caller's data.
static void offer_leaf(const lf__bvh *tree, uint32_t leaf, lf_box box, lowest_items *lowest) {
    uint32_t count =
        tree->boxes ? tree->groups[leaf].count : (uint32_t)__builtin_popcount(tree->leaves[leaf].lanes);
    const uint32_t *items = tree->boxes ? tree->groups[leaf].item : tree->leaves[leaf].item;
    for (uint32_t i = 0; i < count; i++)
        if (lf_box_overlap(lf__bvh_item_box(tree, items[i]), box))
            lowest_offer(lowest, items[i]);
}

lf_status lf__bvh_overlaps(const lf__bvh *tree, lf_box box, int64_t *items, int64_t capacity, int64_t *count,
                           lf_cursor *cursor) {
    if (!tree || !count || capacity < 0 || (capacity > 0 && !items) || lf_box_is_empty(box) ||
        !lf_vec3_finite(box.low) || !lf_vec3_finite(box.high))
        return LF_BAD_ARGUMENT;
    lf_counters cost = {.questions = 1};
    lowest_items lowest = {items, capacity, 0, 0};
    lf_vec3 o = tree->origin;
    const float low[3] = {lf__float_below(box.low.x - o.x), lf__float_below(box.low.y - o.y),
                          lf__float_below(box.low.z - o.z)};
    const float high[3] = {lf__float_above(box.high.x - o.x), lf__float_above(box.high.y - o.y),
                           lf__float_above(box.high.z - o.z)};
    uint32_t stack[LF__BVH_STACK];
    int depth = 1;
    stack[0] = tree->root;
    while (depth > 0) {
        uint32_t child = stack[--depth];
        if (child & LF__BVH_LEAF) {
            cost.cells++;
            offer_leaf(tree, child & ~LF__BVH_LEAF, box, &lowest);
            continue;
        }
        const lf__bvh_node *node = &tree->nodes[child];
        cost.nodes++;
        for (int mask = tree->kernels->overlapping(node, low, high); mask; mask &= mask - 1)
            stack[depth++] = node->child[__builtin_ctz((unsigned)mask)];
    }
    lowest_sort(&lowest);
    *count = lowest.offered;
    lf__cursor_count(cursor, &cost);
    return lowest.offered > lowest.kept ? LF_PARTIAL : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Walks with the caller's test
// ---------------------------------------------------------------------------------------------------

static lf_box child_box(const lf__bvh *tree, const lf__bvh_node *node, int child) {
    lf_vec3 low = {node->plane[0][child], node->plane[1][child], node->plane[2][child]};
    lf_vec3 high = {node->plane[3][child], node->plane[4][child], node->plane[5][child]};
    return (lf_box){lf_vec3_add(tree->origin, low), lf_vec3_add(tree->origin, high)};
}

static void visit_leaf(const lf__bvh *tree, uint32_t leaf, const lf__bvh_visitor *visitor,
                       lf_counters *cost) {
    uint32_t count =
        tree->boxes ? tree->groups[leaf].count : (uint32_t)__builtin_popcount(tree->leaves[leaf].lanes);
    const uint32_t *items = tree->boxes ? tree->groups[leaf].item : tree->leaves[leaf].item;
    cost->cells++;
    cost->triangles += count;
    for (uint32_t i = 0; i < count; i++)
        visitor->item(visitor->user, items[i]);
}

void lf__bvh_visit(const lf__bvh *tree, const lf__bvh_visitor *visitor, lf_cursor *cursor) {
    lf_counters cost = {.questions = 1};
    uint32_t stack[LF__BVH_STACK];
    int depth = 1;
    stack[0] = tree->root;
    while (depth > 0) {
        uint32_t child = stack[--depth];
        if (child & LF__BVH_LEAF) {
            visit_leaf(tree, child & ~LF__BVH_LEAF, visitor, &cost);
            continue;
        }
        const lf__bvh_node *node = &tree->nodes[child];
        cost.nodes++;
        for (int i = 0; i < LF__BVH_WIDTH; i++) {
            lf_box box = child_box(tree, node, i); // empty where there is no child
            if (!lf_box_is_empty(box) && visitor->enters(visitor->user, &box))
                stack[depth++] = node->child[i];
        }
    }
    lf__cursor_count(cursor, &cost);
}
