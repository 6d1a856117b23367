/// How near are two models? The nearest boxes first, and whatever is farther than the best so far is left out.
#include "base/base.h"
#include "model/model.h"
#include "model/near.h"

/// Pairs of children wait here: 63 per level where both have children, 7 where one is a leaf.
enum { STACK = LF__TREE_DEPTH * (LF__TREE_WIDTH * LF__TREE_WIDTH + LF__TREE_WIDTH - 2) + 1 };

/// Nothing is farther apart: both are within LF__MODEL_LIMIT of their own origins, and these of the world's.
#define FARTHEST (8 * LF__MODEL_LIMIT)

/// A child of each tree, and a distance they are not nearer than, squared.
typedef struct waiting {
    uint32_t a, b;
    double square;
} waiting;

typedef struct search {
    const lf_model *a, *b;
    const lf_pose *pose; ///< of b, seen from a
    double square;       ///< the best so far
    double enough;       ///< stop at this
    double share; ///< who is not nearer than this share of the best, squares compared, is left out; 1: exact
    lf_vec3 on_a, on_b;
    int64_t triangle_a, triangle_b;
    lf_counters cost;
} search;

/// Up to eight children (or one leaf, or one root) and their boxes in both frames.
typedef struct family {
    int count;
    uint32_t child[LF__TREE_WIDTH];
    lf_box here[LF__TREE_WIDTH], there[LF__TREE_WIDTH];
} family;

static double axis_gap(double low, double high, double other_low, double other_high) {
    return low > other_high ? low - other_high : other_low > high ? other_low - high : 0;
}

static double boxes_square(const lf_box *a, const lf_box *b) {
    double x = axis_gap(a->low.x, a->high.x, b->low.x, b->high.x);
    double y = axis_gap(a->low.y, a->high.y, b->low.y, b->high.y);
    double z = axis_gap(a->low.z, a->high.z, b->low.z, b->high.z);
    return x * x + y * y + z * z;
}

/// The box around a box, carried into the other frame.
static lf_box carried(const lf_box *box, const lf_pose *pose, bool back) {
    lf_vec3 centre = lf_box_centre(*box), half = lf_vec3_sub(box->high, centre), r[3];
    lf_vec3 middle = back ? lf_pose_to_local(pose, centre) : lf_pose_to_world(pose, centre);
    for (int i = 0; i < 3; i++) {
        lf_vec3 unit = {i == 0, i == 1, i == 2};
        r[i] = back ? lf_pose_turn_to_world(pose, unit) : lf_pose_turn_to_local(pose, unit);
    }
    double reach[3];
    for (int i = 0; i < 3; i++)
        reach[i] = fabs(r[i].x) * half.x + fabs(r[i].y) * half.y + fabs(r[i].z) * half.z;
    lf_vec3 half_there = {reach[0], reach[1], reach[2]};
    return (lf_box){lf_vec3_sub(middle, half_there), lf_vec3_add(middle, half_there)};
}

/// The box of a leaf's triangles, a unit larger all round.
static lf_box leaf_box(const lf_tree *tree, uint32_t leaf) {
    lf_box box = lf_box_empty();
    for (unsigned lanes = tree->leaves[leaf].lanes; lanes; lanes &= lanes - 1)
        box = lf_box_union(box, lf__tree_item_box(tree, tree->leaves[leaf].item[__builtin_ctz(lanes)]));
    return box;
}

/// What a code stands for when it is opened: a node's children, or the leaf itself.
static void open_code(const lf_tree *tree, uint32_t code, const lf_pose *pose, bool back, family *family) {
    family->count = 0;
    if (code & LF__TREE_LEAF) {
        family->count = 1;
        family->child[0] = code;
        family->here[0] = leaf_box(tree, code & ~LF__TREE_LEAF);
    } else {
        const lf__tree_node *node = &tree->nodes[code];
        for (unsigned lanes = node->lanes; lanes; lanes &= lanes - 1) {
            int i = __builtin_ctz(lanes), n = family->count++;
            lf_vec3 low = {(double)node->plane[0][i], (double)node->plane[1][i], (double)node->plane[2][i]};
            lf_vec3 high = {(double)node->plane[3][i], (double)node->plane[4][i], (double)node->plane[5][i]};
            family->child[n] = node->child[i];
            family->here[n] = (lf_box){lf_vec3_add(tree->origin, low), lf_vec3_add(tree->origin, high)};
        }
    }
    for (int i = 0; i < family->count; i++)
        family->there[i] = carried(&family->here[i], pose, back);
}

/// All triangles of two leaves.
static void compare_leaves(search *search, uint32_t leaf_a, uint32_t leaf_b) {
    const lf__tree_leaf *a = &search->a->tree->leaves[leaf_a], *b = &search->b->tree->leaves[leaf_b];
    search->cost.cells++;
    for (unsigned right = b->lanes; right; right &= right - 1) {
        lf_vec3 p[3], q[3], on_p, on_q;
        uint32_t item_b = b->item[__builtin_ctz(right)];
        lf__model_corners(search->b, item_b, q);
        for (int c = 0; c < 3; c++)
            q[c] = lf_pose_to_world(search->pose, q[c]);
        lf_box box = lf_box_with(lf_box_with(lf_box_with(lf_box_empty(), q[0]), q[1]), q[2]);
        for (unsigned left = a->lanes; left; left &= left - 1) {
            uint32_t item_a = a->item[__builtin_ctz(left)];
            lf_box other = lf__tree_item_box(search->a->tree, item_a);
            if (boxes_square(&box, &other) >= search->share * search->square)
                continue;
            lf__model_corners(search->a, item_a, p);
            search->cost.triangles++;
            double square = lf__triangles_distance(p, q, &on_p, &on_q);
            if (square < search->square) {
                search->square = square;
                search->on_a = on_p, search->on_b = on_q;
                search->triangle_a = item_a, search->triangle_b = item_b;
            }
        }
    }
}

/// The nearest last, so that it is looked at first.
static void sort_waiting(waiting *list, int count) {
    for (int i = 1; i < count; i++) {
        waiting item = list[i];
        int k = i;
        for (; k > 0 && list[k - 1].square < item.square; k--)
            list[k] = list[k - 1];
        list[k] = item;
    }
}

static void open_pair(search *search, const waiting *pair, waiting *stack, int *depth) {
    family a, b;
    int first = *depth;
    open_code(search->a->tree, pair->a, search->pose, true, &a);
    open_code(search->b->tree, pair->b, search->pose, false, &b);
    search->cost.nodes++;
    for (int i = 0; i < a.count; i++)
        for (int k = 0; k < b.count; k++) {
            double here = boxes_square(&a.here[i], &b.there[k]),
                   there = boxes_square(&a.there[i], &b.here[k]);
            double square = (here > there ? here : there) * (1 - 1e-8); // poses are rigid within 1e-9
            if (square < search->share * search->square)
                stack[(*depth)++] = (waiting){a.child[i], b.child[k], square};
        }
    sort_waiting(stack + first, *depth - first);
}

static void run_search(search *search) {
    waiting stack[STACK];
    int depth = 1;
    stack[0] = (waiting){search->a->tree->root, search->b->tree->root, 0};
    while (depth > 0 && search->square > search->enough) {
        waiting pair = stack[--depth];
        if (pair.square >= search->share * search->square)
            continue;
        if (pair.a & pair.b & LF__TREE_LEAF)
            compare_leaves(search, pair.a & ~LF__TREE_LEAF, pair.b & ~LF__TREE_LEAF);
        else
            open_pair(search, &pair, stack, &depth);
    }
}

/// Two triangles that touch, if any do.
static bool find_touching(search *search, lf_cursor *cursor) {
    lf_model_query question = lf_model_query_default();
    lf_model_pair pair;
    int64_t count;
    question.a = search->a, question.b = search->b;
    question.pose_b = *search->pose;
    question.limit = 1;
    if (lf_model_pairs(&question, &pair, 1, &count, cursor) != LF_OK || count == 0)
        return false;
    lf_vec3 p[3], q[3];
    lf__model_corners(search->a, pair.a, p);
    lf__model_corners(search->b, pair.b, q);
    for (int c = 0; c < 3; c++)
        q[c] = lf_pose_to_world(search->pose, q[c]);
    search->square = 0;
    search->on_a = search->on_b = lf__triangles_common(p, q);
    search->triangle_a = pair.a, search->triangle_b = pair.b;
    return true;
}

lf_status lf__model_nearest_about(const lf_model_query *given, double share, lf_model_distance *nearest,
                                  lf_cursor *cursor) {
    lf_model_query copy;
    const lf_model_query *question;
    lf__model_pair_state state;
    if (!nearest)
        return LF_BAD_ARGUMENT;
    lf_status status = lf__model_question_read(given, &copy, &question, &state);
    if (status != LF_OK)
        return status;
    lf_pose between = lf_model_between(&question->pose_a, &question->pose_b);
    search search = {.a = question->a,
                     .b = question->b,
                     .pose = &between,
                     .square = LF_INFINITY,
                     .enough = -1,
                     .share = share * share,
                     .cost = {.questions = 1}};
    bool touching = !state.apart && find_touching(&search, cursor);
    if (!touching)
        run_search(&search);
    *nearest = (lf_model_distance){.distance = sqrt(search.square),
                                   .point_a = lf_pose_to_world(&question->pose_a, search.on_a),
                                   .point_b = lf_pose_to_world(&question->pose_a, search.on_b),
                                   .a = search.triangle_a,
                                   .b = search.triangle_b};
    if (!touching && nearest->distance == 0)
        nearest->distance = 0x1p-1022; // apart, by less than squares can tell
    lf__cursor_count(cursor, &search.cost);
    return LF_OK;
}

lf_status lf_model_nearest(const lf_model_query *given, lf_model_distance *nearest, lf_cursor *cursor) {
    return lf__model_nearest_about(given, 1, nearest, cursor);
}

lf_status lf_model_within(const lf_model_query *given, double margin, bool *within, lf_cursor *cursor) {
    lf_model_query copy;
    const lf_model_query *question;
    lf__model_pair_state state;
    if (!within)
        return LF_BAD_ARGUMENT;
    *within = false;
    lf_status status = lf__model_question_read(given, &copy, &question, &state);
    if (status != LF_OK || !(margin >= 0))
        return status != LF_OK ? status : LF_BAD_ARGUMENT;
    lf_pose between = lf_model_between(&question->pose_a, &question->pose_b);
    double reach = fmin(margin, FARTHEST), square = reach * reach;
    search search = {.a = question->a,
                     .b = question->b,
                     .pose = &between,
                     .square = square > 0 ? square * (1 + 0x1p-50) : 0,
                     .enough = square,
                     .share = 1,
                     .triangle_a = -1,
                     .cost = {.questions = 1}};
    if (!state.apart && find_touching(&search, cursor))
        *within = true;
    else if (square > 0)
        run_search(&search), *within = search.triangle_a >= 0 && search.square <= square;
    lf__cursor_count(cursor, &search.cost);
    return LF_OK;
}
