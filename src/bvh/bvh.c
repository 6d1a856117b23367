/// Making and describing trees, and the public questions that need no kernel of their own.
#include "bvh/bvh.h"
#include "base/base.h"
#include "bvh/bvh_collect.h"
#include <string.h>

static lf_status check(const lf_tree_def *def, lf_error *error) {
    bool triangles = def->triangle_count > 0, boxes = def->box_count > 0;
    if (triangles == boxes || def->triangle_count < 0 || def->box_count < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a tree takes triangles or boxes: %lld and %lld given",
                        (long long)def->triangle_count, (long long)def->box_count);
    if ((triangles && (!def->vertices || !def->corners)) || (boxes && !def->boxes))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "an array is NULL");
    if (def->triangle_count > INT32_MAX || def->box_count > INT32_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "more than %d items in one tree", INT32_MAX);
    for (int64_t i = 0; i < def->box_count; i++)
        if (lf_box_is_empty(def->boxes[i]) || !lf_vec3_finite(def->boxes[i].low) ||
            !lf_vec3_finite(def->boxes[i].high))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "box %lld is empty or not finite", (long long)i);
    return LF_OK;
}

lf_status lf_tree_create(const lf_tree_def *given, lf_tree **tree, lf_error *error) {
    lf_tree_def def = lf_tree_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!tree)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "tree is NULL");
    status = check(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_tree *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_tree));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_tree){.allocator = allocator,
                       .kernels = lf__tree_kernels_for(lf_isa_best()),
                       .vertices = def.vertices,
                       .corners = def.triangle_count > 0 ? def.corners : NULL,
                       .boxes = def.box_count > 0 ? def.boxes : NULL,
                       .item_count = def.triangle_count > 0 ? def.triangle_count : def.box_count,
                       .free_node = LF__TREE_NOWHERE,
                       .free_leaf = LF__TREE_NOWHERE};
    status = lf__tree_build(fresh, &def.host);
    if (status != LF_OK) {
        lf_tree_destroy(fresh);
        return lf__fail_plain(error, status);
    }
    *tree = fresh;
    return LF_OK;
}

lf_status lf__tree_make_of(const lf_allocator *allocator, const lf_vec3 *vertices, const uint32_t *corners,
                           const uint32_t *items, int64_t count, lf_tree **tree) {
    lf_host host = {.allocator = allocator};
    lf_tree *fresh = lf__take(allocator, sizeof *fresh, _Alignof(lf_tree));
    if (!fresh)
        return LF_NO_MEMORY;
    *fresh = (lf_tree){.allocator = *allocator,
                       .kernels = lf__tree_kernels_for(lf_isa_best()),
                       .vertices = vertices,
                       .corners = corners,
                       .items = items,
                       .item_count = count,
                       .free_node = LF__TREE_NOWHERE,
                       .free_leaf = LF__TREE_NOWHERE};
    lf_status status = lf__tree_build(fresh, &host);
    if (status != LF_OK) {
        lf_tree_destroy(fresh);
        return status;
    }
    fresh->items = NULL;
    *tree = fresh;
    return LF_OK;
}

void lf_tree_destroy(lf_tree *tree) {
    if (!tree)
        return;
    lf_allocator allocator = tree->allocator;
    void *leaves = tree->boxes ? (void *)tree->groups : (void *)tree->leaves;
    lf__give_array(&allocator, leaves, tree->leaf_room, lf__tree_leaf_size(tree));
    lf__give_array(&allocator, tree->nodes, tree->node_room, sizeof(lf__tree_node));
    lf__give(&allocator, tree, sizeof *tree, _Alignof(lf_tree));
}

lf_tree_info lf_tree_describe(const lf_tree *tree) {
    lf_tree_info info = {.item_count = tree->item_count,
                         .node_count = tree->node_count,
                         .leaf_count = tree->leaf_count,
                         .depth = tree->depth,
                         .box = tree->box};
    info.bytes = sizeof *tree + (size_t)tree->node_room * sizeof(lf__tree_node) +
                 (size_t)tree->leaf_room * lf__tree_leaf_size(tree);
    return info;
}

lf_status lf_tree_ray_all(const lf_tree *tree, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                          int64_t *count, lf_cursor *cursor) {
    if (count)
        *count = 0;
    if (!tree || !count || capacity < 0 || (capacity > 0 && !hits) || !tree->corners || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    lf__nearest nearest = {tree, ray, hits, capacity, 0, 0};
    lf__tree_collector collector = {lf__nearest_offer, &nearest};
    lf__tree_all(tree, ray, NULL, &collector, cursor);
    lf__nearest_sort(&nearest);
    for (int64_t i = 0; i < nearest.kept; i++) {
        lf__tree_meeting meeting = {hits[i].t, (uint32_t)hits[i].element, NULL};
        lf__tree_hit(tree, ray, &meeting, &hits[i]);
    }
    *count = nearest.offered;
    return nearest.offered > nearest.kept ? LF_PARTIAL : LF_OK;
}
