/// Building the tree from the top down.
///
/// First the items are sorted: cut into runs, these into runs again, until each fits a leaf. That needs no
/// memory but a byte per item, which says at what depth the item's place became the start of a run, and it
/// counts nodes and leaves. Then exactly so many are taken and filled in. Runs that are short enough are
/// sorted, and later filled in, as tasks of their own; which ones these are depends on the items alone, and
/// so does the tree.
#include "bvh/bvh_build.h"
#include "base/containers.h"

// First the items are sorted: cut into runs, these into runs again, until each fits a leaf. That needs no
// memory but a byte per item, which says at what depth the item's place became the start of a run, and it
// counts nodes and leaves. Then exactly so many are taken and filled in. Runs that are short enough are
// sorted, and later filled in, as tasks of their own; which ones these are depends on the items alone, and so
// does the tree.

/// The number of tasks that create the refs and compute the box of all items.
#define SHARES 64

/// Tasks are runs of at most this share of all items, but not too small to be worth handing out.
#define TASK_SHARE 64
#define TASK_LEAST 4096

/// Progress reports of each half of the work: sorting and filling in.
#define REPORTS 8

/// A child with its subtree.
typedef struct subtree {
    lf__item_run run;
    int depth;   ///< of its root
    int deepest; ///< of its leaves
    int64_t node_count, leaf_count;
    int64_t moved;      ///< items, each time that a run was cut
    int64_t node, leaf; ///< the first of them
} subtree;

typedef struct bvh_build_builder {
    lf__bvh *tree;
    const lf_host *host;
    lf__item_ref *refs;
    uint8_t *starts;    ///< per ref: 1 + depth of the node one of whose runs starts here; 0: none
    int64_t task_items; ///< runs up to this length are tasks
    int64_t top_nodes;  ///< the nodes above them
    lf__array subtrees; ///< the tasks, in the order of their refs
    int64_t group;      ///< the first of those that run now
    lf_box boxes[SHARES];
} bvh_build_builder;

static int64_t run_length(const lf__item_run *r) {
    return r->last - r->first;
}

// ---------------------------------------------------------------------------------------------------
// Refs
// ---------------------------------------------------------------------------------------------------

static int64_t share_start(const bvh_build_builder *build, int64_t share) {
    return build->tree->item_count / SHARES * share +
           (share < build->tree->item_count % SHARES ? share : build->tree->item_count % SHARES);
}

static uint32_t item_at(const bvh_build_builder *build, int64_t i) {
    return build->tree->items ? build->tree->items[i] : (uint32_t)i;
}

/// How many items ahead vertices are prefetched: they may lie anywhere in memory.
#define BVH_BUILD_SOON 16

static inline __attribute__((always_inline)) void fetch_vertices(const lf__bvh *tree, uint32_t item) {
    const uint32_t *corner = tree->corners + 3 * (size_t)item;
    for (int c = 0; c < 3; c++) {
        __builtin_prefetch(&tree->vertices[corner[c]].x); // they may be across two lines
        __builtin_prefetch(&tree->vertices[corner[c]].z);
    }
}

/// The box of an item, while what those after it need is on its way.
static inline lf_box next_box(const bvh_build_builder *build, int64_t i) {
    const lf__bvh *tree = build->tree;
    if (!tree->boxes && i + BVH_BUILD_SOON < tree->item_count)
        fetch_vertices(tree, item_at(build, i + BVH_BUILD_SOON));
    return lf__bvh_item_box(tree, item_at(build, i));
}

static void find_boxes(void *job, int64_t first, int64_t last, int worker) {
    bvh_build_builder *build = job;
    (void)worker;
    for (int64_t share = first; share < last; share++) {
        lf_box box = lf_box_empty();
        for (int64_t i = share_start(build, share); i < share_start(build, share + 1); i++)
            box = lf_box_union(box, next_box(build, i));
        build->boxes[share] = box;
    }
}

static void make_refs(void *job, int64_t first, int64_t last, int worker) {
    bvh_build_builder *build = job;
    (void)worker;
    for (int64_t i = share_start(build, first); i < share_start(build, last); i++) {
        uint32_t item = item_at(build, i);
        lf__item_ref *ref = &build->refs[i];
        ref->box = lf__bounds_of(build->tree, next_box(build, i));
        memcpy(&ref->box.low[3], &item, sizeof item);
    }
}

static double bvh_build_largest_coordinate(const lf_box *box) {
    double x = fmax(fabs(box->low.x), fabs(box->high.x)), y = fmax(fabs(box->low.y), fabs(box->high.y));
    return fmax(fmax(x, y), fmax(fabs(box->low.z), fabs(box->high.z)));
}

static lf_status measure_tree(bvh_build_builder *build) {
    lf__bvh *tree = build->tree;
    lf__run(build->host->tasks, SHARES, 1, find_boxes, build);
    tree->box = lf_box_empty();
    for (int i = 0; i < SHARES; i++)
        if (!lf_box_is_empty(build->boxes[i]))
            tree->box = lf_box_union(tree->box, build->boxes[i]);
    tree->scale = bvh_build_largest_coordinate(&tree->box);
    tree->origin = lf_box_centre(tree->box);
    return tree->scale <= LF__BVH_LIMIT ? LF_OK : LF_BAD_ARGUMENT;
}

// ---------------------------------------------------------------------------------------------------
// Sorting and counting
// ---------------------------------------------------------------------------------------------------

/// Cut a run into the runs of a node's children and mark where they start.
static int sort_node(const bvh_build_builder *build, lf__item_run runs[LF__BVH_WIDTH], int depth) {
    int count = lf__run_spread(build->refs, runs, LF__BVH_WIDTH, LF__BVH_WIDTH, depth);
    for (int i = 1; i < count; i++)
        build->starts[runs[i].first] = (uint8_t)(1 + depth);
    return count;
}

/// Build the subtree of a run that becomes a child at this depth.
static void sort_run(const bvh_build_builder *build, const lf__item_run *r, int depth, subtree *sum) {
    if (depth > sum->deepest)
        sum->deepest = depth;
    if (run_length(r) <= LF__BVH_WIDTH) {
        sum->leaf_count++;
        return;
    }
    lf__item_run runs[LF__BVH_WIDTH] = {*r};
    int count = sort_node(build, runs, depth);
    sum->node_count++;
    sum->moved += run_length(r);
    for (int i = 0; i < count; i++)
        sort_run(build, &runs[i], depth + 1, sum);
}

/// The same from the top, down to the runs that become tasks.
static lf_status sort_top(bvh_build_builder *build, const lf__item_run *r, int depth) {
    if (run_length(r) <= build->task_items) {
        lf_status status = lf__array_reserve(&build->subtrees, &build->tree->allocator, 1, sizeof(subtree));
        if (status == LF_OK)
            ((subtree *)build->subtrees.items)[build->subtrees.count++] =
                (subtree){.run = *r, .depth = depth, .deepest = depth};
        return status;
    }
    lf__item_run runs[LF__BVH_WIDTH] = {*r};
    int count = sort_node(build, runs, depth);
    build->top_nodes++;
    build->tree->moved += run_length(r);
    lf_status status = LF_OK;
    for (int i = 0; i < count && status == LF_OK; i++)
        status = sort_top(build, &runs[i], depth + 1);
    return status;
}

static void sort_subtrees(void *job, int64_t first, int64_t last, int worker) {
    bvh_build_builder *build = job;
    subtree *subtrees = (subtree *)build->subtrees.items + build->group;
    (void)worker;
    for (int64_t i = first; i < last; i++)
        sort_run(build, &subtrees[i].run, subtrees[i].depth, &subtrees[i]);
}

// ---------------------------------------------------------------------------------------------------
// Filling in
// ---------------------------------------------------------------------------------------------------

/// Progress of filling in.
typedef struct bvh_build_filling {
    const bvh_build_builder *build;
    int64_t node, leaf; ///< the next ones
    int64_t task;       ///< the next task in the top; -1: this is a task itself
} bvh_build_filling;

static uint32_t subtree_code(const subtree *s) {
    return s->node_count > 0 ? (uint32_t)s->node : LF__BVH_LEAF | (uint32_t)s->leaf;
}

/// The next place behind `from` and before `last` where a run of a node at this depth starts, or `last`.
static int64_t next_start(const bvh_build_builder *build, int64_t from, int64_t last, int depth) {
    const uint8_t *at =
        from + 1 < last ? memchr(build->starts + from + 1, 1 + depth, (size_t)(last - from - 1)) : NULL;
    return at ? at - build->starts : last;
}

/// What the leaves after one of these items need: corners, then vertices. (Inline: gcc removes calls of functions that only prefetch.)
static inline __attribute__((always_inline)) void fetch_leaves(const bvh_build_builder *build, int64_t first,
                                                               int64_t last) {
    const lf__bvh *tree = build->tree;
    for (int64_t i = first + BVH_BUILD_SOON; i < last + BVH_BUILD_SOON; i++) {
        if (i + BVH_BUILD_SOON < tree->item_count)
            __builtin_prefetch(tree->corners + 3 * (size_t)lf__item_of(&build->refs[i + BVH_BUILD_SOON]));
        if (i < tree->item_count)
            fetch_vertices(tree, lf__item_of(&build->refs[i]));
    }
}

static uint32_t fill_leaf(const bvh_build_builder *build, const lf__item_run *r, int64_t number) {
    const lf__bvh *tree = build->tree;
    const lf__item_ref *refs = build->refs + r->first;
    int count = (int)run_length(r);
    if (!tree->boxes) {
        fetch_leaves(build, r->first, r->last);
        lf__leaf_entry entries[LF__BVH_WIDTH];
        for (int i = 0; i < count; i++)
            entries[i] = lf__entry_of(tree, lf__item_of(&refs[i]));
        lf__bvh_fill_leaf(tree, entries, count, &tree->leaves[number]);
    } else {
        lf__bvh_group *group = &tree->groups[number];
        *group = (lf__bvh_group){.count = (uint32_t)count};
        for (int i = 0; i < count; i++)
            group->item[i] = lf__item_of(&refs[i]);
    }
    return LF__BVH_LEAF | (uint32_t)number;
}

/// A child of the top that is a task of its own.
static uint32_t next_task(bvh_build_filling *fill, lf__bounds *box) {
    const subtree *task = (const subtree *)fill->build->subtrees.items + fill->task++;
    *box = task->run.box;
    return subtree_code(task);
}

/// Fill in the subtree of a run and compute its box.
static uint32_t fill_run(bvh_build_filling *fill, const lf__item_run *r, int depth, lf__bounds *box) {
    const bvh_build_builder *build = fill->build;
    if (fill->task >= 0 && run_length(r) <= build->task_items)
        return next_task(fill, box);
    *box = lf__bounds_empty();
    if (run_length(r) <= LF__BVH_WIDTH) {
        for (int64_t i = r->first; i < r->last; i++)
            lf__bounds_grow(box, build->refs[i].box.low, build->refs[i].box.high);
        return fill_leaf(build, r, fill->leaf++);
    }
    int64_t number = fill->node++;
    lf__bvh_node *node = &build->tree->nodes[number];
    lf__bounds none = lf__bounds_empty(), part;
    int lane = 0;
    *node = (lf__bvh_node){.lanes = 0};
    for (lf__item_run child = *r; child.first < r->last; child.first = child.last, lane++) {
        child.last = next_start(build, child.first, r->last, depth);
        uint32_t code = fill_run(fill, &child, depth + 1, &part);
        lf__node_set_child(node, lane, &part, code);
        lf__bounds_grow(box, part.low, part.high);
    }
    node->lanes = (1u << lane) - 1;
    for (; lane < LF__BVH_WIDTH; lane++)
        lf__node_set_child(node, lane, &none, 0);
    return (uint32_t)number;
}

static void fill_subtrees(void *job, int64_t first, int64_t last, int worker) {
    bvh_build_builder *build = job;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        const subtree *task = (const subtree *)build->subtrees.items + build->group + i;
        bvh_build_filling fill = {build, task->node, task->leaf, -1};
        lf__bounds box;
        fill_run(&fill, &task->run, task->depth, &box);
    }
}

/// Take exactly as many nodes and leaves as were counted, and tell each task which are its own.
static lf_status take_nodes_and_leaves(bvh_build_builder *build) {
    lf__bvh *tree = build->tree;
    subtree *subtrees = build->subtrees.items;
    tree->node_count = build->top_nodes;
    for (int64_t i = 0; i < build->subtrees.count; i++) {
        subtrees[i].node = tree->node_count;
        subtrees[i].leaf = tree->leaf_count;
        tree->node_count += subtrees[i].node_count;
        tree->leaf_count += subtrees[i].leaf_count;
        tree->moved += subtrees[i].moved;
        tree->depth = subtrees[i].deepest > tree->depth ? subtrees[i].deepest : tree->depth;
    }
    void *nodes = NULL, *leaves = NULL;
    lf_status status = lf__allocate_array(&tree->allocator, tree->node_count, sizeof(lf__bvh_node), &nodes);
    if (status == LF_OK)
        status = lf__allocate_array(&tree->allocator, tree->leaf_count, lf__bvh_leaf_size(tree), &leaves);
    tree->node_space = tree->node_count > 0 ? tree->node_count : 1;
    tree->leaf_space = tree->leaf_count;
    tree->nodes = nodes;
    if (tree->boxes)
        tree->groups = leaves;
    else
        tree->leaves = leaves;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// All together
// ---------------------------------------------------------------------------------------------------

/// Run a task over all subtrees; with reports in between, on this thread, when somebody wants to hear.
/// Sorting is the first half of the work, filling in the second.
static lf_status run_tasks(bvh_build_builder *build, lf_task *task, int half) {
    const subtree *subtrees = build->subtrees.items;
    int64_t count = build->subtrees.count, items = build->tree->item_count;
    int64_t step = build->host->progress ? count / REPORTS + 1 : count;
    for (build->group = 0; build->group < count; build->group += step) {
        int64_t left = count - build->group, now = step < left ? step : left;
        lf__run(build->host->tasks, now, 1, task, build);
        int64_t done = subtrees[build->group + now - 1].run.last;
        if (!lf__report(build->host, "tree", (half * items + done) / 2, items))
            return LF_CANCELLED;
    }
    return LF_OK;
}

static lf_status sort_and_fill(bvh_build_builder *build) {
    lf__bvh *tree = build->tree;
    lf_status status = measure_tree(build);
    if (status != LF_OK)
        return status;
    lf__run(build->host->tasks, SHARES, 1, make_refs, build);
    memset(build->starts, 0, (size_t)tree->item_count);
    lf__item_run all = lf__run_measure(build->refs, 0, tree->item_count);
    status = sort_top(build, &all, 0);
    if (status == LF_OK)
        status = run_tasks(build, sort_subtrees, 0);
    if (status == LF_OK)
        status = take_nodes_and_leaves(build);
    if (status == LF_OK)
        status = run_tasks(build, fill_subtrees, 1);
    if (status != LF_OK)
        return status;
    bvh_build_filling top = {build, 0, 0, 0};
    lf__bounds box;
    tree->root = fill_run(&top, &all, 0, &box);
    return LF_OK;
}

lf_status lf__bvh_build(lf__bvh *tree, const lf_host *host) {
    const lf_allocator *allocator = &tree->allocator;
    int64_t share = tree->item_count / TASK_SHARE;
    bvh_build_builder build = {
        .tree = tree, .host = host, .task_items = share > TASK_LEAST ? share : TASK_LEAST};
    void *refs = NULL, *starts = NULL;
    lf_status status = lf__allocate_array(allocator, tree->item_count, sizeof(lf__item_ref), &refs);
    if (status == LF_OK)
        status = lf__allocate_array(allocator, tree->item_count, sizeof(uint8_t), &starts);
    build.refs = refs;
    build.starts = starts;
    if (status == LF_OK)
        status = sort_and_fill(&build);
    lf__array_free(&build.subtrees, allocator, sizeof(subtree));
    lf__free_array(allocator, starts, tree->item_count, sizeof(uint8_t));
    lf__free_array(allocator, refs, tree->item_count, sizeof(lf__item_ref));
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Leaves: eight triangles around an origin of their own, in 16 bits
// ---------------------------------------------------------------------------------------------------

void lf__bvh_fill_leaf(const lf__bvh *tree, const lf__leaf_entry *entries, int count, lf__bvh_leaf *leaf) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < count; i++)
        box = lf_box_union(box, lf__entry_box(tree, &entries[i]));
    lf_vec3 origin = lf_box_centre(box);
    double reach = fmax(box.high.x - origin.x, fmax(box.high.y - origin.y, box.high.z - origin.z));
    *leaf = (lf__bvh_leaf){.origin = {origin.x, origin.y, origin.z},
                           .scale = reach > 1e-290 ? LF__BVH_UNITS / (reach * (1 + 0x1p-40)) : 0,
                           .lanes = (1u << count) - 1};
    for (int i = 0; i < count; i++) {
        leaf->item[i] = entries[i].item;
        for (int c = 0; c < 3; c++) {
            leaf->vertex[i][c] = entries[i].vertex[c];
            lf_vec3 v = lf_vec3_scale(lf_vec3_sub(tree->vertices[leaf->vertex[i][c]], origin), leaf->scale);
            leaf->corner[c][0][i] = (int16_t)rint(v.x);
            leaf->corner[c][1][i] = (int16_t)rint(v.y);
            leaf->corner[c][2][i] = (int16_t)rint(v.z);
        }
    }
}

#undef REPORTS
#undef SHARES
#undef BVH_BUILD_SOON
