/// Trees of items that move: building, refitting, and walks through them.
#include "base/base.h"
#include "bvh/bvh.h"
#include "bvh/bvh_build.h"

/// The tree is built again when the boxes of its nodes have grown by this factor, and so many of the items, as a share,
/// have moved: its cost is then that of the moves.
#define ITEMS_GROWTH 1.5
#define ITEMS_SHARE 4

/// An item whose box has more than this share of the area of all is a child of the root: it would only make the boxes above it as
/// large as itself. There are at most so many.
#define ITEMS_LARGE 0.2
#define ITEMS_LARGE_MOST 7

void lf__items_start(lf__items *items, const lf_allocator *allocator) {
    *items = (lf__items){.kernels = lf__item_kernels_for(lf_isa_best()),
                         .tree = {.allocator = *allocator,
                                  .root = LF__BVH_NOWHERE,
                                  .free_node = LF__BVH_NOWHERE,
                                  .free_leaf = LF__BVH_NOWHERE,
                                  .box = lf_box_empty()}};
}

void lf__items_free(lf__items *items) {
    const lf_allocator *allocator = &items->tree.allocator;
    lf__free_array(allocator, items->places, items->place_space, sizeof *items->places);
    lf__free_array(allocator, items->parents, items->parent_space, sizeof *items->parents);
    lf__free_array(allocator, items->nodes, items->tree.node_space, sizeof *items->nodes);
    items->places = items->parents = NULL;
    items->nodes = NULL;
}

// ---------------------------------------------------------------------------------------------------
// Building
// ---------------------------------------------------------------------------------------------------

typedef struct items_builder {
    lf__items *items; ///< fresh arrays
    lf__item_ref *refs;
    lf_status status;
} items_builder;

static void item_set_child(lf__item_node *node, int lane, const lf__bounds *box, uint32_t child) {
    for (int k = 0; k < 3; k++) {
        node->plane[k][lane] = box->low[k];
        node->plane[3 + k][lane] = box->high[k];
    }
    node->child[lane] = child;
}

/// The box of a child.
static lf__bounds item_bounds_at(const lf__item_node *node, unsigned lane) {
    return (lf__bounds){{node->plane[0][lane], node->plane[1][lane], node->plane[2][lane], 0},
                        {node->plane[3][lane], node->plane[4][lane], node->plane[5][lane], 0}};
}

static double items_half_area(const lf__bounds *b) {
    double x = (double)b->high[0] - b->low[0], y = (double)b->high[1] - b->low[1],
           z = (double)b->high[2] - b->low[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
}

/// A new node without children; its number.
static int64_t items_add_node(items_builder *build) {
    lf__items *items = build->items;
    lf__bvh *tree = &items->tree;
    build->status = lf__grow(&tree->allocator, (void **)&items->nodes, &tree->node_space,
                             tree->node_count + 1, sizeof *items->nodes);
    if (build->status == LF_OK)
        build->status = lf__grow(&tree->allocator, (void **)&items->parents, &items->parent_space,
                                 tree->node_count + 1, sizeof *items->parents);
    if (build->status != LF_OK)
        return -1;
    lf__bounds none = lf__bounds_empty();
    lf__item_node *node = &items->nodes[tree->node_count];
    for (int lane = 0; lane < LF__ITEM_WIDTH; lane++)
        item_set_child(node, lane, &none, LF__BVH_NOWHERE);
    items->parents[tree->node_count] = LF__BVH_NOWHERE;
    return tree->node_count++;
}

static void add_child(items_builder *build, int64_t node, int lane, const lf__bounds *box, uint32_t child) {
    lf__items *items = build->items;
    uint32_t place = (uint32_t)(LF__ITEM_WIDTH * node + lane);
    item_set_child(&items->nodes[node], lane, box, child);
    if (child & LF__BVH_LEAF) {
        items->places[child & ~LF__BVH_LEAF] = place;
    } else {
        items->parents[child] = place;
        items->area += items_half_area(box);
    }
}

static uint32_t build_run(items_builder *build, const lf__item_run *run, int depth, lf__bounds *box);

/// Children of a node from a lane on, for the items of a run.
static void add_run(items_builder *build, int64_t node, int lane, const lf__item_run *run, int depth) {
    lf__item_run runs[LF__ITEM_WIDTH] = {*run};
    int most = LF__ITEM_WIDTH - lane, count = (int)(run->last - run->first);
    if (run->last - run->first <= most)
        for (int i = 0; i < count; i++)
            runs[i] = (lf__item_run){.first = run->first + i, .last = run->first + i + 1};
    else
        count = lf__run_spread(build->refs, runs, most, LF__ITEM_WIDTH, depth);
    for (int i = 0; i < count; i++) {
        lf__bounds part;
        uint32_t child = build_run(build, &runs[i], depth + 1, &part);
        if (build->status != LF_OK)
            return;
        add_child(build, node, lane + i, &part, child);
    }
}

/// The subtree of a run; its box. Recursion ends: runs become shorter, and deep down they are halved.
static uint32_t build_run(items_builder *build, const lf__item_run *run, int depth, lf__bounds *box) {
    *box = run->box;
    if (run->last - run->first == 1) {
        *box = build->refs[run->first].box;
        return LF__BVH_LEAF | lf__item_of(&build->refs[run->first]);
    }
    int64_t node = items_add_node(build);
    if (node < 0)
        return LF__BVH_NOWHERE;
    add_run(build, node, 0, run, depth);
    return (uint32_t)node;
}

/// Move the items that are large compared with everything to the front; their number.
static int64_t large_first(lf__item_ref *refs, int64_t count) {
    lf__item_run all = lf__run_measure(refs, 0, count);
    double least = ITEMS_LARGE * items_half_area(&all.box);
    int64_t large = 0;
    for (int64_t i = 0; i < count && large < ITEMS_LARGE_MOST; i++)
        if (items_half_area(&refs[i].box) > least) {
            lf__item_ref moved = refs[i];
            refs[i] = refs[large];
            refs[large++] = moved;
        }
    return large;
}

/// The large items and the runs of all others are children of the root.
static void build_root(items_builder *build, int64_t count) {
    int64_t large = count > LF__ITEM_WIDTH ? large_first(build->refs, count) : 0;
    int64_t root = items_add_node(build);
    if (root < 0)
        return;
    build->items->tree.root = (uint32_t)root;
    for (int64_t i = 0; i < large; i++)
        add_child(build, root, (int)i, &build->refs[i].box, LF__BVH_LEAF | lf__item_of(&build->refs[i]));
    lf__item_run rest = lf__run_measure(build->refs, large, count);
    if (large < count)
        add_run(build, root, (int)large, &rest, 0);
}

static double items_scale(const lf_box *box) {
    double x = fmax(fabs(box->low.x), fabs(box->high.x)), y = fmax(fabs(box->low.y), fabs(box->high.y));
    return fmax(fmax(x, y), fmax(fabs(box->low.z), fabs(box->high.z)));
}

/// Refs of all items that are there; their number.
static int64_t make_item_refs(items_builder *build) {
    lf__items *items = build->items;
    lf__bvh *tree = &items->tree;
    tree->box = lf_box_empty();
    for (int64_t i = 0; i < items->count; i++)
        tree->box = lf_box_union(tree->box, *lf__items_box(items, i));
    if (lf_box_is_empty(tree->box))
        return 0;
    tree->scale = items_scale(&tree->box);
    tree->origin = lf_box_centre(tree->box);
    int64_t count = 0;
    for (int64_t i = 0; i < items->count; i++) {
        items->places[i] = LF__BVH_NOWHERE;
        if (lf_box_is_empty(*lf__items_box(items, i)))
            continue;
        uint32_t item = (uint32_t)i;
        lf__item_ref *ref = &build->refs[count++];
        ref->box = lf__bounds_of(tree, *lf__items_box(items, i));
        memcpy(&ref->box.low[3], &item, sizeof item);
    }
    return count;
}

lf_status lf__items_build(lf__items *items, const lf_box *boxes, size_t stride, int64_t count) {
    if (count >= INT32_MAX)
        return LF_TOO_LARGE;
    lf__items fresh;
    lf_allocator allocator = items->tree.allocator;
    lf__items_start(&fresh, &allocator);
    fresh.boxes = boxes, fresh.stride = stride, fresh.count = count;
    items_builder build = {&fresh, NULL, LF_OK};
    void *refs = NULL, *places = NULL;
    build.status = lf__allocate_array(&allocator, count, sizeof(lf__item_ref), &refs);
    build.refs = refs;
    if (build.status == LF_OK)
        build.status = lf__allocate_array(&allocator, count, sizeof *fresh.places, &places);
    fresh.places = places;
    fresh.place_space = count;
    int64_t there = build.status == LF_OK ? make_item_refs(&build) : 0;
    if (there > 0)
        build_root(&build, there);
    lf__free_array(&allocator, refs, count, sizeof(lf__item_ref));
    if (build.status != LF_OK) {
        lf__items_free(&fresh);
        return build.status;
    }
    fresh.built = fresh.area;
    fresh.ready = true;
    lf__items_free(items);
    *items = fresh;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Refitting
// ---------------------------------------------------------------------------------------------------

static lf__bounds items_node_bounds(const lf__item_node *node) {
    lf__bounds box = {{0}, {0}};
    for (int k = 0; k < 3; k++) {
        float low = node->plane[k][0], high = node->plane[3 + k][0];
        for (int lane = 1; lane < LF__ITEM_WIDTH; lane++) {
            low = node->plane[k][lane] < low ? node->plane[k][lane] : low;
            high = node->plane[3 + k][lane] > high ? node->plane[3 + k][lane] : high;
        }
        box.low[k] = low;
        box.high[k] = high;
    }
    return box;
}

static bool bounds_same(const lf__bounds *a, const lf__bounds *b) {
    bool same = true;
    for (int k = 0; k < 3; k++)
        same &= a->low[k] == b->low[k] && a->high[k] == b->high[k];
    return same;
}

/// Only boxes, which rays are clipped to: rounding is covered by their margins.
static void refit_root(lf__items *items) {
    lf__bvh *tree = &items->tree;
    lf__bounds b = items_node_bounds(&items->nodes[tree->root]);
    lf_vec3 o = tree->origin;
    tree->box = (lf_box){{o.x + (double)b.low[0], o.y + (double)b.low[1], o.z + (double)b.low[2]},
                         {o.x + (double)b.high[0], o.y + (double)b.high[1], o.z + (double)b.high[2]}};
    tree->scale = fmax(tree->scale, items_scale(&tree->box));
}

void lf__items_moved(lf__items *items, int64_t item) {
    uint32_t place = items->places[item];
    if (place == LF__BVH_NOWHERE)
        return;
    lf__bvh *tree = &items->tree;
    lf__bounds fresh = lf__bounds_of(tree, *lf__items_box(items, item));
    uint32_t child = LF__BVH_LEAF | (uint32_t)item;
    items->moves++;
    for (;;) {
        lf__item_node *node = &items->nodes[place / LF__ITEM_WIDTH];
        lf__bounds old = item_bounds_at(node, place % LF__ITEM_WIDTH);
        if (bounds_same(&old, &fresh))
            break;
        if (!(child & LF__BVH_LEAF))
            items->area += items_half_area(&fresh) - items_half_area(&old);
        item_set_child(node, (int)(place % LF__ITEM_WIDTH), &fresh, child);
        child = place / LF__ITEM_WIDTH;
        place = items->parents[child];
        if (place == LF__BVH_NOWHERE) {
            refit_root(items);
            break;
        }
        fresh = items_node_bounds(node);
    }
    if (items->area > ITEMS_GROWTH * items->built &&
        items->moves > items->count / ITEMS_SHARE + LF__ITEM_WIDTH)
        lf__items_build(items, items->boxes, items->stride, items->count); // without memory it stays as it is
}

// ---------------------------------------------------------------------------------------------------
// Walks
// ---------------------------------------------------------------------------------------------------

static double side_of(const lf_box *box, int side) {
    const double sides[6] = {box->low.x, box->low.y, box->low.z, -box->high.x, -box->high.y, -box->high.z};
    return sides[side];
}

/// The least exact value of one side of all boxes; of the high sides, of their negative.
static double least_side(const lf__items *items, int side) {
    const lf__bvh *tree = &items->tree;
    const double origin[3] = {tree->origin.x, tree->origin.y, tree->origin.z};
    double best = INFINITY, sign = side < 3 ? 1 : -1;
    uint32_t stack[LF__ITEM_STACK];
    int depth = 1;
    stack[0] = tree->root;
    while (depth > 0) {
        const lf__item_node *node = &items->nodes[stack[--depth]];
        for (unsigned lane = 0; lane < LF__ITEM_WIDTH; lane++) {
            double bound = sign * (origin[side % 3] + (double)node->plane[side][lane]);
            bound -= 1e-15 * fabs(origin[side % 3]); // the sum is rounded
            if (node->child[lane] == LF__BVH_NOWHERE || !(bound < best))
                continue;
            uint32_t child = node->child[lane];
            if (child & LF__BVH_LEAF)
                best = fmin(best, side_of(lf__items_box(items, child & ~LF__BVH_LEAF), side));
            else
                stack[depth++] = child;
        }
    }
    return best;
}

lf_box lf__items_bounds(const lf__items *items) {
    if (items->tree.root == LF__BVH_NOWHERE)
        return lf_box_empty();
    double sides[6];
    for (int side = 0; side < 6; side++)
        sides[side] = least_side(items, side);
    return (lf_box){{sides[0], sides[1], sides[2]}, {-sides[3], -sides[4], -sides[5]}};
}

/// The tree with the box that rays are clipped to made wider.
static lf__bvh items_wider(const lf__bvh *tree, lf_vec3 by) {
    lf__bvh wider = *tree;
    wider.box = (lf_box){lf_vec3_sub(tree->box.low, by), lf_vec3_add(tree->box.high, by)};
    wider.scale = fmax(tree->scale, items_scale(&wider.box));
    return wider;
}

void lf__items_search(const lf__items *items, const lf_ray *ray, const lf__item_search *search,
                      lf_cursor *cursor) {
    const lf__bvh *tree = &items->tree;
    if (tree->root == LF__BVH_NOWHERE)
        return;
    lf__bvh_ray walk;
    lf__bvh wider;
    if (search->wide) {
        wider = items_wider(tree, (lf_vec3){search->wide[0], search->wide[1], search->wide[2]});
        tree = &wider;
    }
    lf__bvh_ray_set(&walk, tree, ray, NULL);
    walk.cost.questions = 0;
    items->kernels->search(items, &walk, search);
    lf__cursor_count(cursor, &walk.cost);
}

void lf__items_search_many(const lf__items *items, const lf__item_searches *searches) {
    const lf__bvh *tree = &items->tree;
    float most = 0;
    if (tree->root == LF__BVH_NOWHERE)
        return;
    for (int64_t i = 0; i < searches->count && searches->wide; i++)
        most = fmaxf(most, searches->wide[i]);
    lf__bvh wider = items_wider(tree, (lf_vec3){most, most, most});
    items->kernels->search_many(items, most > 0 ? &wider : tree, searches);
}

void lf__items_visit(const lf__items *items, const lf__bvh_visitor *visitor, lf_cursor *cursor) {
    const lf__bvh *tree = &items->tree;
    lf_counters cost = {.questions = 0};
    uint32_t stack[LF__ITEM_STACK];
    int depth = 0;
    if (tree->root != LF__BVH_NOWHERE)
        stack[depth++] = tree->root;
    while (depth > 0) {
        const lf__item_node *node = &items->nodes[stack[--depth]];
        cost.nodes++;
        for (unsigned lane = 0; lane < LF__ITEM_WIDTH; lane++) {
            if (node->child[lane] == LF__BVH_NOWHERE)
                continue;
            lf__bounds b = item_bounds_at(node, lane);
            lf_vec3 o = tree->origin;
            lf_box box = {{o.x + (double)b.low[0], o.y + (double)b.low[1], o.z + (double)b.low[2]},
                          {o.x + (double)b.high[0], o.y + (double)b.high[1], o.z + (double)b.high[2]}};
            if (lf_box_is_empty(box) || !visitor->enters(visitor->user, &box))
                continue;
            if (node->child[lane] & LF__BVH_LEAF)
                visitor->item(visitor->user, node->child[lane] & ~LF__BVH_LEAF);
            else
                stack[depth++] = node->child[lane];
        }
    }
    lf__cursor_count(cursor, &cost);
}
