/// Building the tree from the top down: split by the surface area heuristic over bins, eight ways at once.
#include "base/array.h"
#include "base/base.h"
#include "tree/tree.h"
#include <string.h>

#define BINS 16

/// One item on its way into a leaf.
typedef struct item_ref {
    float low[3];
    uint32_t item;
    float high[3];
    uint32_t unused;
} item_ref;

typedef struct bounds {
    float low[3], high[3];
} bounds;

/// A run of refs, the box around them, and the box around twice their centres.
typedef struct run {
    int64_t first, last;
    bounds box, centres;
} run;

typedef struct builder {
    lf_tree *tree;
    const lf_host *host;
    item_ref *refs;
    lf__array nodes, leaves;
    int64_t done, reported;
    lf_status status;
} builder;

typedef struct split_choice {
    int axis, bin;
    float scale;
    double cost;
} split_choice;

static bounds bounds_empty(void) {
    bounds b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return b;
}

static void bounds_grow(bounds *b, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; k++) {
        b->low[k] = low[k] < b->low[k] ? low[k] : b->low[k];
        b->high[k] = high[k] > b->high[k] ? high[k] : b->high[k];
    }
}

static double half_area(const bounds *b) {
    double x = (double)b->high[0] - b->low[0], y = (double)b->high[1] - b->low[1],
           z = (double)b->high[2] - b->low[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
}

static run run_measure(const builder *build, int64_t first, int64_t last) {
    run r = {first, last, bounds_empty(), bounds_empty()};
    for (int64_t i = first; i < last; i++) {
        const item_ref *ref = &build->refs[i];
        float centre[3] = {ref->low[0] + ref->high[0], ref->low[1] + ref->high[1],
                           ref->low[2] + ref->high[2]};
        bounds_grow(&r.box, ref->low, ref->high);
        bounds_grow(&r.centres, centre, centre);
    }
    return r;
}

static int bin_of(const item_ref *ref, const run *r, int axis, float scale) {
    int bin = (int)((ref->low[axis] + ref->high[axis] - r->centres.low[axis]) * scale);
    return bin < BINS - 1 ? bin : BINS - 1;
}

/// How many leaves' worth of work: eight items cost the same as one.
static double blocks(int64_t count) {
    return (double)((count + LF__TREE_WIDTH - 1) / LF__TREE_WIDTH);
}

/// The cheapest cut between bins along one axis.
static split_choice best_cut(const bounds bins[BINS], const int64_t counts[BINS], int axis, float scale) {
    double right_cost[BINS];
    bounds box = bounds_empty();
    int64_t count = 0;
    for (int b = BINS - 1; b > 0; b--) {
        bounds_grow(&box, bins[b].low, bins[b].high);
        count += counts[b];
        right_cost[b] = half_area(&box) * blocks(count);
    }
    split_choice best = {axis, 0, scale, INFINITY};
    box = bounds_empty();
    count = 0;
    for (int b = 1; b < BINS; b++) {
        bounds_grow(&box, bins[b - 1].low, bins[b - 1].high);
        count += counts[b - 1];
        double cost = half_area(&box) * blocks(count) + right_cost[b];
        if (cost < best.cost)
            best.bin = b, best.cost = cost;
    }
    return best;
}

static split_choice choose_split(const builder *build, const run *r) {
    bounds bins[3][BINS];
    int64_t counts[3][BINS] = {0};
    float scale[3];
    for (int axis = 0; axis < 3; axis++) {
        float extent = r->centres.high[axis] - r->centres.low[axis];
        scale[axis] = extent > 0 ? (float)BINS / extent : 0;
        if (!(scale[axis] < 1e30f))
            scale[axis] = 0;
        for (int b = 0; b < BINS; b++)
            bins[axis][b] = bounds_empty();
    }
    for (int64_t i = r->first; i < r->last; i++) {
        const item_ref *ref = &build->refs[i];
        for (int axis = 0; axis < 3; axis++) {
            int bin = bin_of(ref, r, axis, scale[axis]);
            bounds_grow(&bins[axis][bin], ref->low, ref->high);
            counts[axis][bin]++;
        }
    }
    split_choice best = {-1, 0, 0, INFINITY};
    for (int axis = 0; axis < 3; axis++) {
        if (scale[axis] <= 0)
            continue;
        split_choice cut = best_cut(bins[axis], counts[axis], axis, scale[axis]);
        if (cut.cost < best.cost)
            best = cut;
    }
    return best;
}

static int64_t partition(builder *build, const run *r, const split_choice *choice) {
    int64_t i = r->first, j = r->last;
    while (i < j) {
        if (bin_of(&build->refs[i], r, choice->axis, choice->scale) < choice->bin) {
            i++;
        } else {
            item_ref swap = build->refs[i];
            build->refs[i] = build->refs[--j];
            build->refs[j] = swap;
        }
    }
    return i;
}

/// Cut a run in two. Deep down, and where all centres coincide, the items are halved as they lie: that keeps
/// the depth within bounds whatever the data.
static void split(builder *build, run *r, run *other, int depth) {
    int64_t middle = r->first;
    if (depth < LF__TREE_DEPTH / 2) {
        split_choice choice = choose_split(build, r);
        if (choice.axis >= 0)
            middle = partition(build, r, &choice);
    }
    if (middle == r->first || middle == r->last)
        middle = r->first + (r->last - r->first) / 2;
    *other = run_measure(build, middle, r->last);
    *r = run_measure(build, r->first, middle);
}

/// Up to eight runs, by always cutting the largest one that is too long for a leaf.
static int spread(builder *build, run runs[LF__TREE_WIDTH], int depth) {
    int count = 1;
    while (count < LF__TREE_WIDTH) {
        int pick = -1;
        double largest = -1;
        for (int i = 0; i < count; i++) {
            double area = half_area(&runs[i].box);
            if (runs[i].last - runs[i].first > LF__TREE_WIDTH && area > largest)
                pick = i, largest = area;
        }
        if (pick < 0)
            break;
        split(build, &runs[pick], &runs[count++], depth);
    }
    return count;
}

static void fill_leaf(const lf_tree *tree, const item_ref *refs, int count, lf__tree_leaf *leaf) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < count; i++)
        box = lf_box_union(box, lf__tree_item_box(tree, refs[i].item));
    lf_vec3 origin = lf_box_centre(box);
    double reach = fmax(box.high.x - origin.x, fmax(box.high.y - origin.y, box.high.z - origin.z));
    *leaf = (lf__tree_leaf){.origin = {origin.x, origin.y, origin.z},
                            .scale = reach > 1e-290 ? LF__TREE_UNITS / (reach * (1 + 0x1p-40)) : 0,
                            .lanes = (1u << count) - 1};
    for (int i = 0; i < count; i++) {
        leaf->item[i] = refs[i].item;
        for (int c = 0; c < 3; c++) {
            leaf->vertex[i][c] = tree->corners[3 * (size_t)refs[i].item + (size_t)c];
            lf_vec3 v = lf_vec3_scale(lf_vec3_sub(tree->vertices[leaf->vertex[i][c]], origin), leaf->scale);
            leaf->corner[c][0][i] = (int16_t)rint(v.x);
            leaf->corner[c][1][i] = (int16_t)rint(v.y);
            leaf->corner[c][2][i] = (int16_t)rint(v.z);
        }
    }
}

static uint32_t make_leaf(builder *build, const run *r) {
    const lf_allocator *allocator = &build->tree->allocator;
    size_t size = build->tree->boxes ? sizeof(lf__tree_group) : sizeof(lf__tree_leaf);
    build->status = lf__array_reserve(&build->leaves, allocator, 1, size);
    if (build->status != LF_OK)
        return 0;
    int count = (int)(r->last - r->first);
    if (build->tree->boxes) {
        lf__tree_group *group = (lf__tree_group *)build->leaves.items + build->leaves.count;
        *group = (lf__tree_group){.count = (uint32_t)count};
        for (int i = 0; i < count; i++)
            group->item[i] = build->refs[r->first + i].item;
    } else {
        fill_leaf(build->tree, build->refs + r->first, count,
                  (lf__tree_leaf *)build->leaves.items + build->leaves.count);
    }
    build->done += count;
    if (build->done - build->reported > build->tree->item_count / 64) {
        build->reported = build->done;
        if (!lf__report(build->host, "tree", build->done, build->tree->item_count))
            build->status = LF_CANCELLED;
    }
    return LF__TREE_LEAF | (uint32_t)build->leaves.count++;
}

static uint32_t make_child(builder *build, const run *r, int depth);

static uint32_t make_node(builder *build, const run *r, int depth) {
    build->status = lf__array_reserve(&build->nodes, &build->tree->allocator, 1, sizeof(lf__tree_node));
    if (build->status != LF_OK)
        return 0;
    uint32_t number = (uint32_t)build->nodes.count++;
    run runs[LF__TREE_WIDTH] = {*r};
    int count = spread(build, runs, depth);
    lf__tree_node node = {.lanes = (1u << count) - 1};
    for (int i = 0; i < LF__TREE_WIDTH; i++) {
        bounds box = i < count ? runs[i].box : bounds_empty();
        for (int k = 0; k < 3; k++) {
            node.plane[k][i] = box.low[k];
            node.plane[3 + k][i] = box.high[k];
        }
        if (i < count && build->status == LF_OK)
            node.child[i] = make_child(build, &runs[i], depth + 1);
    }
    ((lf__tree_node *)build->nodes.items)[number] = node;
    return number;
}

static uint32_t make_child(builder *build, const run *r, int depth) {
    if (depth > build->tree->depth)
        build->tree->depth = depth;
    return r->last - r->first <= LF__TREE_WIDTH ? make_leaf(build, r) : make_node(build, r, depth);
}

static void make_refs(builder *build) {
    lf_vec3 o = build->tree->origin;
    for (int64_t i = 0; i < build->tree->item_count; i++) {
        lf_box b = lf__tree_item_box(build->tree, i);
        build->refs[i] = (item_ref){
            {lf__float_below(b.low.x - o.x), lf__float_below(b.low.y - o.y), lf__float_below(b.low.z - o.z)},
            (uint32_t)i,
            {lf__float_above(b.high.x - o.x), lf__float_above(b.high.y - o.y),
             lf__float_above(b.high.z - o.z)},
            0};
    }
}

/// Give back what growing took too much. A refusal to shrink is no failure, but the size must be right.
static lf_status trim(lf__array *array, const lf_allocator *allocator, size_t item) {
    int64_t count = array->count > 0 ? array->count : 1;
    if (array->capacity == 0)
        return lf__array_reserve(array, allocator, 1, item);
    void *items = allocator->resize(allocator->user, array->items, (size_t)array->capacity * item,
                                    (size_t)count * item, LF__CACHE_LINE);
    if (!items)
        return LF_NO_MEMORY;
    array->items = items;
    array->capacity = count;
    return LF_OK;
}

static double largest_coordinate(const lf_box *box) {
    double x = fmax(fabs(box->low.x), fabs(box->high.x)), y = fmax(fabs(box->low.y), fabs(box->high.y));
    return fmax(fmax(x, y), fmax(fabs(box->low.z), fabs(box->high.z)));
}

lf_status lf__tree_build(lf_tree *tree, const lf_host *host) {
    const lf_allocator *allocator = &tree->allocator;
    builder build = {.tree = tree, .host = host, .status = LF_OK};
    size_t leaf_size = tree->boxes ? sizeof(lf__tree_group) : sizeof(lf__tree_leaf);
    void *refs = NULL;
    lf_status status = lf__take_array(allocator, tree->item_count, sizeof(item_ref), &refs);
    if (status != LF_OK)
        return status;
    build.refs = refs;
    tree->box = lf_box_empty();
    for (int64_t i = 0; i < tree->item_count; i++)
        tree->box = lf_box_union(tree->box, lf__tree_item_box(tree, i));
    tree->scale = largest_coordinate(&tree->box);
    if (!(tree->scale <= LF__TREE_LIMIT)) {
        lf__give_array(allocator, refs, tree->item_count, sizeof(item_ref));
        return LF_BAD_ARGUMENT;
    }
    tree->origin = lf_box_centre(tree->box);
    make_refs(&build);
    run all = run_measure(&build, 0, tree->item_count);
    tree->root = make_child(&build, &all, 0);
    status = build.status;
    if (status == LF_OK)
        status = trim(&build.nodes, allocator, sizeof(lf__tree_node));
    if (status == LF_OK)
        status = trim(&build.leaves, allocator, leaf_size);
    lf__give_array(allocator, refs, tree->item_count, sizeof(item_ref));
    tree->nodes = build.nodes.items;
    tree->node_count = build.nodes.count;
    tree->leaf_count = build.leaves.count;
    *(tree->boxes ? (void **)&tree->groups : (void **)&tree->leaves) = build.leaves.items;
    if (status != LF_OK) {
        lf__array_free(&build.nodes, allocator, sizeof(lf__tree_node));
        lf__array_free(&build.leaves, allocator, leaf_size);
        tree->nodes = NULL;
        tree->leaves = NULL;
        tree->groups = NULL;
    }
    return status;
}
