/// Putting triangles into a tree and taking them out.
///
/// As in an R-tree: a triangle goes down to the leaf whose box has to grow least for it; a leaf that is full
/// is cut in two, and so are the nodes above that have no space for one more child. The root is cut last, so
/// the tree becomes no deeper than the number of its triangles requires. Boxes on the path are recomputed
/// from their contents, so that after an edit they fit as tightly as before. The layout is that of the
/// builder, so queries do not depend on edits.
#include "base/containers.h"
#include "bvh/bvh_build.h"
#include <assert.h>

/// A part of what is cut in two has at least this many items.
#define LEAST_PART 3

/// One more than fits.
#define TOO_MANY (LF__BVH_WIDTH + 1)

/// The path from the root to a leaf: nodes, and the child in each that it continues with.
typedef struct bvh_descent {
    uint32_t node[LF__BVH_DEPTH + 1];
    int lane[LF__BVH_DEPTH + 1];
    int length;
    uint32_t leaf;
} bvh_descent;

/// A child with its box.
typedef struct branch {
    lf__bounds box;
    uint32_t child;
} branch;

static int bvh_edit_count_of(uint32_t lanes) {
    return __builtin_popcount(lanes);
}

static lf__bounds node_bounds(const lf__bvh_node *node) {
    lf__bounds box = lf__bounds_empty();
    for (int i = 0; i < bvh_edit_count_of(node->lanes); i++) {
        lf__bounds part = lf__bvh_lane_bounds(node, i);
        lf__bounds_grow(&box, part.low, part.high);
    }
    return box;
}

static lf__leaf_entry entry_at(const lf__bvh_leaf *leaf, int lane) {
    lf__leaf_entry entry = {leaf->item[lane],
                            {leaf->vertex[lane][0], leaf->vertex[lane][1], leaf->vertex[lane][2]}};
    return entry;
}

static lf__bounds leaf_bounds(const lf__bvh *tree, const lf__bvh_leaf *leaf) {
    lf__bounds box = lf__bounds_empty();
    for (int i = 0; i < bvh_edit_count_of(leaf->lanes); i++) {
        lf__leaf_entry entry = entry_at(leaf, i);
        lf__bounds part = lf__bounds_of(tree, lf__entry_box(tree, &entry));
        lf__bounds_grow(&box, part.low, part.high);
    }
    return box;
}

static lf__bounds child_bounds(const lf__bvh *tree, uint32_t child) {
    return child & LF__BVH_LEAF ? leaf_bounds(tree, &tree->leaves[child & ~LF__BVH_LEAF])
                                : node_bounds(&tree->nodes[child]);
}

/// Half the area of a box.
static double bvh_edit_area(const lf__bounds *b) {
    double x = (double)b->high[0] - b->low[0], y = (double)b->high[1] - b->low[1],
           z = (double)b->high[2] - b->low[2];
    return x * y + y * z + z * x;
}

static double area_with(lf__bounds box, const lf__bounds *other) {
    lf__bounds_grow(&box, other->low, other->high);
    return bvh_edit_area(&box);
}

// ---------------------------------------------------------------------------------------------------
// Nodes and leaves
// ---------------------------------------------------------------------------------------------------

lf_status lf__bvh_reserve(lf__bvh *tree, int64_t insertions) {
    // The root is cut once at first, and then each time its children have become three times as many.
    int deeper = 2;
    for (int64_t i = insertions; i > 0; i /= 2)
        deeper++;
    if (tree->depth + deeper > LF__BVH_DEPTH || insertions > INT32_MAX / LF__BVH_DEPTH)
        return LF_TOO_LARGE;
    // Every insertion cuts a leaf and the nodes above it at most; but a node that has been cut takes a while
    // to fill.
    int64_t nodes = insertions * (tree->depth + 2), fewer = 2 * tree->node_count + insertions + LF__BVH_DEPTH;
    void *leaves = tree->leaves, *items = tree->nodes;
    lf_status status = lf__grow(&tree->allocator, &leaves, &tree->leaf_space, tree->leaf_count + insertions,
                                sizeof *tree->leaves);
    tree->leaves = leaves;
    if (status == LF_OK)
        status = lf__grow(&tree->allocator, &items, &tree->node_space,
                          tree->node_count + (nodes < fewer ? nodes : fewer), sizeof *tree->nodes);
    tree->nodes = items;
    return status;
}

static uint32_t take_leaf(lf__bvh *tree) {
    uint32_t leaf = tree->free_leaf;
    if (leaf == LF__BVH_NOWHERE)
        return (uint32_t)tree->leaf_count++;
    tree->free_leaf = tree->leaves[leaf].item[0];
    return leaf;
}

static uint32_t take_node(lf__bvh *tree) {
    uint32_t node = tree->free_node;
    if (node == LF__BVH_NOWHERE)
        return (uint32_t)tree->node_count++;
    tree->free_node = tree->nodes[node].child[0];
    return node;
}

static void give_leaf(lf__bvh *tree, uint32_t leaf) {
    tree->leaves[leaf].item[0] = tree->free_leaf;
    tree->free_leaf = leaf;
}

static void give_node(lf__bvh *tree, uint32_t node) {
    tree->nodes[node].child[0] = tree->free_node;
    tree->free_node = node;
}

static void fill_node(lf__bvh_node *node, const branch *branches, int count) {
    lf__bounds none = lf__bounds_empty();
    *node = (lf__bvh_node){.lanes = (1u << count) - 1};
    for (int i = 0; i < LF__BVH_WIDTH; i++)
        lf__node_set_child(node, i, i < count ? &branches[i].box : &none, i < count ? branches[i].child : 0);
}

/// Recompute the boxes in the first `length` nodes of the path, from below.
static void refit(lf__bvh *tree, const bvh_descent *w, int length, lf__bvh_work *work) {
    for (int i = length - 1; i >= 0; i--) {
        lf__bvh_node *node = &tree->nodes[w->node[i]];
        lf__bounds box = child_bounds(tree, node->child[w->lane[i]]);
        lf__node_set_child(node, w->lane[i], &box, node->child[w->lane[i]]);
        work->nodes++;
    }
}

// ---------------------------------------------------------------------------------------------------
// Cutting in two
// ---------------------------------------------------------------------------------------------------

/// Order numbers of boxes by their middle along an axis.
static void order_along(const lf__bounds *boxes, int axis, int order[TOO_MANY]) {
    for (int i = 0; i < TOO_MANY; i++) {
        double middle = (double)boxes[i].low[axis] + boxes[i].high[axis];
        int place = i;
        for (; place > 0; place--) {
            const lf__bounds *other = &boxes[order[place - 1]];
            if ((double)other->low[axis] + other->high[axis] <= middle)
                break;
            order[place] = order[place - 1];
        }
        order[place] = i;
    }
}

/// Nine boxes in an order such that the first `return` of them are best kept apart from the others: least
/// areas, each times its number of boxes.
static int cut_in_two(const lf__bounds boxes[TOO_MANY], int best[TOO_MANY]) {
    double least = INFINITY;
    int at = LEAST_PART;
    for (int i = 0; i < TOO_MANY; i++)
        best[i] = i;
    for (int axis = 0; axis < 3; axis++) {
        int order[TOO_MANY];
        double right[TOO_MANY];
        lf__bounds side = lf__bounds_empty();
        order_along(boxes, axis, order);
        for (int i = TOO_MANY - 1; i > 0; i--) {
            lf__bounds_grow(&side, boxes[order[i]].low, boxes[order[i]].high);
            right[i] = bvh_edit_area(&side) * (TOO_MANY - i);
        }
        side = lf__bounds_empty();
        for (int i = 1; i <= TOO_MANY - LEAST_PART; i++) {
            lf__bounds_grow(&side, boxes[order[i - 1]].low, boxes[order[i - 1]].high);
            double cost = bvh_edit_area(&side) * i + right[i];
            if (i < LEAST_PART || !(cost < least))
                continue;
            least = cost;
            at = i;
            for (int k = 0; k < TOO_MANY; k++)
                best[k] = order[k];
        }
    }
    return at;
}

/// Add a child to the node at `level` of the path; it and the nodes above may have to be split.
static void add_branch(lf__bvh *tree, const bvh_descent *w, int level, branch extra, lf__bvh_work *work) {
    for (; level >= 0; level--) {
        lf__bvh_node *node = &tree->nodes[w->node[level]];
        int count = bvh_edit_count_of(node->lanes);
        work->nodes++;
        if (count < LF__BVH_WIDTH) {
            lf__node_set_child(node, count, &extra.box, extra.child);
            node->lanes = (1u << (count + 1)) - 1;
            refit(tree, w, level, work);
            return;
        }
        branch all[TOO_MANY], part[TOO_MANY];
        lf__bounds boxes[TOO_MANY];
        int order[TOO_MANY];
        for (int i = 0; i < LF__BVH_WIDTH; i++)
            all[i] = (branch){lf__bvh_lane_bounds(node, i), node->child[i]};
        all[LF__BVH_WIDTH] = extra;
        for (int i = 0; i < TOO_MANY; i++)
            boxes[i] = all[i].box;
        int first = cut_in_two(boxes, order);
        for (int i = 0; i < TOO_MANY; i++)
            part[i] = all[order[i]];
        uint32_t other = take_node(tree);
        fill_node(node, part, first);
        fill_node(&tree->nodes[other], part + first, TOO_MANY - first);
        if (level > 0) {
            lf__bvh_node *parent = &tree->nodes[w->node[level - 1]];
            lf__bounds box = node_bounds(node);
            lf__node_set_child(parent, w->lane[level - 1], &box, w->node[level]);
        }
        extra = (branch){node_bounds(&tree->nodes[other]), other};
    }
    // The root itself was cut, or was a leaf.
    branch both[2] = {{child_bounds(tree, tree->root), tree->root}, extra};
    uint32_t root = take_node(tree);
    fill_node(&tree->nodes[root], both, 2);
    tree->root = root;
    tree->depth++;
}

// ---------------------------------------------------------------------------------------------------
// In
// ---------------------------------------------------------------------------------------------------

/// The child whose box has to grow least.
static int best_lane(const lf__bvh_node *node, const lf__bounds *box) {
    int best = 0;
    double least = INFINITY, smallest = INFINITY;
    for (int i = 0; i < bvh_edit_count_of(node->lanes); i++) {
        lf__bounds lane = lf__bvh_lane_bounds(node, i);
        double before = bvh_edit_area(&lane), growth = area_with(lane, box) - before;
        if (growth < least || (growth == least && before < smallest)) {
            least = growth;
            smallest = before;
            best = i;
        }
    }
    return best;
}

static void find_place(const lf__bvh *tree, const lf__bounds *box, bvh_descent *w, lf__bvh_work *work) {
    uint32_t child = tree->root;
    w->length = 0;
    while (!(child & LF__BVH_LEAF)) {
        const lf__bvh_node *node = &tree->nodes[child];
        w->node[w->length] = child;
        w->lane[w->length] = best_lane(node, box);
        child = node->child[w->lane[w->length++]];
        work->nodes++;
    }
    w->leaf = child & ~LF__BVH_LEAF;
}

void lf__bvh_put_in(lf__bvh *tree, uint32_t triangle, lf__bvh_work *work) {
    bvh_descent w;
    lf__leaf_entry entries[TOO_MANY], part[TOO_MANY], fresh = lf__entry_of(tree, triangle);
    lf__bounds box = lf__bounds_of(tree, lf__entry_box(tree, &fresh));
    find_place(tree, &box, &w, work);
    lf__bvh_leaf *leaf = &tree->leaves[w.leaf];
    int count = bvh_edit_count_of(leaf->lanes);
    for (int i = 0; i < count; i++)
        entries[i] = entry_at(leaf, i);
    entries[count++] = fresh;
    work->nodes++;
    work->triangles += count;
    tree->edits++;
    if (count < TOO_MANY) {
        lf__bvh_fill_leaf(tree, entries, count, leaf);
        refit(tree, &w, w.length, work);
        return;
    }
    lf__bounds boxes[TOO_MANY];
    int order[TOO_MANY];
    for (int i = 0; i < TOO_MANY; i++)
        boxes[i] = lf__bounds_of(tree, lf__entry_box(tree, &entries[i]));
    int first = cut_in_two(boxes, order);
    for (int i = 0; i < TOO_MANY; i++)
        part[i] = entries[order[i]];
    uint32_t other = take_leaf(tree);
    lf__bvh_fill_leaf(tree, part, first, leaf);
    lf__bvh_fill_leaf(tree, part + first, TOO_MANY - first, &tree->leaves[other]);
    refit(tree, &w, w.length, work);
    branch extra = {leaf_bounds(tree, &tree->leaves[other]), LF__BVH_LEAF | other};
    add_branch(tree, &w, w.length - 1, extra, work);
}

// ---------------------------------------------------------------------------------------------------
// Out
// ---------------------------------------------------------------------------------------------------

static int lane_of(const lf__bvh_leaf *leaf, uint32_t triangle) {
    for (int i = 0; i < bvh_edit_count_of(leaf->lanes); i++)
        if (leaf->item[i] == triangle)
            return i;
    return -1;
}

static bool bvh_edit_holds(const lf__bvh_node *node, int lane, const lf__bounds *box) {
    for (int k = 0; k < 3; k++)
        if (node->plane[k][lane] > box->low[k] || node->plane[3 + k][lane] < box->high[k])
            return false;
    return true;
}

/// The leaf that has a triangle: only under boxes that hold its own.
static bool find_leaf(const lf__bvh *tree, uint32_t child, uint32_t triangle, const lf__bounds *box,
                      bvh_descent *w, lf__bvh_work *work) {
    work->nodes++;
    if (child & LF__BVH_LEAF) {
        w->leaf = child & ~LF__BVH_LEAF;
        return lane_of(&tree->leaves[w->leaf], triangle) >= 0;
    }
    const lf__bvh_node *node = &tree->nodes[child];
    int level = w->length++;
    w->node[level] = child;
    for (int i = 0; i < bvh_edit_count_of(node->lanes); i++) {
        w->lane[level] = i;
        if (bvh_edit_holds(node, i, box) && find_leaf(tree, node->child[i], triangle, box, w, work))
            return true;
    }
    w->length--;
    return false;
}

static void drop_lane(lf__bvh_leaf *leaf, int lane) {
    int last = bvh_edit_count_of(leaf->lanes) - 1;
    leaf->item[lane] = leaf->item[last];
    for (int c = 0; c < 3; c++) {
        leaf->vertex[lane][c] = leaf->vertex[last][c];
        for (int axis = 0; axis < 3; axis++)
            leaf->corner[c][axis][lane] = leaf->corner[c][axis][last];
    }
    leaf->lanes = (1u << last) - 1;
}

/// Remove the child from the last node of the path; a node with one child left is replaced by that child.
static void drop_child(lf__bvh *tree, bvh_descent *w) {
    uint32_t number = w->node[w->length - 1];
    lf__bvh_node *node = &tree->nodes[number];
    branch left[LF__BVH_WIDTH];
    int count = 0;
    for (int i = 0; i < bvh_edit_count_of(node->lanes); i++)
        if (i != w->lane[w->length - 1])
            left[count++] = (branch){lf__bvh_lane_bounds(node, i), node->child[i]};
    w->length--;
    if (count > 1) {
        fill_node(node, left, count);
        return;
    }
    give_node(tree, number);
    if (w->length == 0)
        tree->root = left[0].child;
    else
        tree->nodes[w->node[w->length - 1]].child[w->lane[w->length - 1]] = left[0].child;
}

/// A sibling leaf with space for all of a leaf's triangles, or -1.
static int roomy_sibling(const lf__bvh *tree, const lf__bvh_node *node, int lane) {
    lf__bounds box = lf__bvh_lane_bounds(node, lane);
    int needed = bvh_edit_count_of(tree->leaves[node->child[lane] & ~LF__BVH_LEAF].lanes), best = -1;
    double least = INFINITY;
    for (int i = 0; i < bvh_edit_count_of(node->lanes); i++) {
        if (i == lane || !(node->child[i] & LF__BVH_LEAF))
            continue;
        const lf__bvh_leaf *sibling = &tree->leaves[node->child[i] & ~LF__BVH_LEAF];
        lf__bounds own = lf__bvh_lane_bounds(node, i);
        double growth = area_with(own, &box) - bvh_edit_area(&own);
        if (bvh_edit_count_of(sibling->lanes) + needed <= LF__BVH_WIDTH && growth < least) {
            least = growth;
            best = i;
        }
    }
    return best;
}

/// Join a leaf with few triangles to a sibling that has space. true when its lane in the node has become free.
static bool join_leaf(lf__bvh *tree, const bvh_descent *w, lf__bvh_work *work) {
    lf__bvh_node *node = &tree->nodes[w->node[w->length - 1]];
    const lf__bvh_leaf *leaf = &tree->leaves[w->leaf];
    if (leaf->lanes == 0)
        return true;
    int lane =
        bvh_edit_count_of(leaf->lanes) <= LEAST_PART ? roomy_sibling(tree, node, w->lane[w->length - 1]) : -1;
    if (lane < 0)
        return false;
    lf__bvh_leaf *sibling = &tree->leaves[node->child[lane] & ~LF__BVH_LEAF];
    lf__leaf_entry entries[LF__BVH_WIDTH];
    int count = 0;
    for (int i = 0; i < bvh_edit_count_of(sibling->lanes); i++)
        entries[count++] = entry_at(sibling, i);
    for (int i = 0; i < bvh_edit_count_of(leaf->lanes); i++)
        entries[count++] = entry_at(leaf, i);
    lf__bvh_fill_leaf(tree, entries, count, sibling);
    lf__bounds box = leaf_bounds(tree, sibling);
    lf__node_set_child(node, lane, &box, node->child[lane]);
    work->triangles += count;
    return true;
}

void lf__bvh_take_out(lf__bvh *tree, uint32_t triangle, const lf_vec3 points[3], lf__bvh_work *work) {
    bvh_descent w = {.length = 0};
    lf_box given = lf_box_with(lf_box_with(lf_box_with(lf_box_empty(), points[0]), points[1]), points[2]);
    lf__bounds box = lf__bounds_of(tree, given);
    bool found = find_leaf(tree, tree->root, triangle, &box, &w, work);
    assert(found);
    if (!found)
        return;
    lf__bvh_leaf *leaf = &tree->leaves[w.leaf];
    work->triangles += bvh_edit_count_of(leaf->lanes);
    tree->edits++;
    drop_lane(leaf, lane_of(leaf, triangle));
    if (w.length > 0 && join_leaf(tree, &w, work)) {
        give_leaf(tree, w.leaf);
        drop_child(tree, &w);
    }
    refit(tree, &w, w.length, work);
}

void lf__bvh_settle(lf__bvh *tree, lf_box box, int64_t item_count) {
    double x = fmax(fabs(box.low.x), fabs(box.high.x)), y = fmax(fabs(box.low.y), fabs(box.high.y));
    double z = fmax(fabs(box.low.z), fabs(box.high.z));
    tree->box = box;
    // Boxes count from the old origin, whose own rounding stays.
    tree->scale = fmax(tree->scale, fmax(x, fmax(y, z)));
    tree->item_count = item_count;
}
