/// Distances of models: exact up to rounding, within a margin, and bounds by spheres.
#include "base/base.h"
#include "model/model.h"

// ---------------------------------------------------------------------------------------------------
// Triangles
// ---------------------------------------------------------------------------------------------------

static double near_clamp01(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static lf_vec3 on_segment(lf_vec3 a, lf_vec3 b, lf_vec3 p) {
    lf_vec3 d = lf_vec3_sub(b, a);
    double square = lf_vec3_dot(d, d);
    return square > 0 ? lf_vec3_along(a, near_clamp01(lf_vec3_dot(lf_vec3_sub(p, a), d) / square), d) : a;
}

static double square_between(lf_vec3 a, lf_vec3 b) {
    lf_vec3 d = lf_vec3_sub(a, b);
    return lf_vec3_dot(d, d);
}

/// Over the inside of the triangle it is the foot on the plane, else the nearest point of the edges.
lf_vec3 lf__nearest_on_triangle(const lf_vec3 t[3], lf_vec3 p) {
    lf_vec3 u = lf_vec3_sub(t[1], t[0]), v = lf_vec3_sub(t[2], t[0]), n = lf_vec3_cross(u, v);
    double square = lf_vec3_dot(n, n);
    if (square > 0) {
        bool inside = true;
        for (int k = 0; k < 3 && inside; k++) {
            lf_vec3 edge = lf_vec3_sub(t[(k + 1) % 3], t[k]);
            inside = lf_vec3_dot(lf_vec3_cross(edge, lf_vec3_sub(p, t[k])), n) >= 0;
        }
        if (inside)
            return lf_vec3_along(p, -lf_vec3_dot(lf_vec3_sub(p, t[0]), n) / square, n);
    }
    lf_vec3 best = on_segment(t[0], t[1], p);
    for (int k = 1; k < 3; k++) {
        lf_vec3 other = on_segment(t[k], t[(k + 1) % 3], p);
        if (square_between(other, p) < square_between(best, p))
            best = other;
    }
    return best;
}

/// The nearest points of two segments.
static void segments_nearest(const lf_vec3 s[2], const lf_vec3 t[2], lf_vec3 *on_s, lf_vec3 *on_t) {
    lf_vec3 u = lf_vec3_sub(s[1], s[0]), v = lf_vec3_sub(t[1], t[0]), w = lf_vec3_sub(s[0], t[0]);
    double a = lf_vec3_dot(u, u), b = lf_vec3_dot(u, v), c = lf_vec3_dot(v, v);
    double d = lf_vec3_dot(u, w), e = lf_vec3_dot(v, w), slope = a * c - b * b;
    double along = slope > 1e-14 * a * c ? near_clamp01((b * e - c * d) / slope) : 0.5;
    *on_t = on_segment(t[0], t[1], lf_vec3_along(s[0], along, u));
    *on_s = on_segment(s[0], s[1], *on_t);
    *on_t = on_segment(t[0], t[1], *on_s); // once more: nearly parallel segments converge slowly
    *on_s = on_segment(s[0], s[1], *on_t);
}

typedef struct nearest_points {
    double square;
    lf_vec3 on_p, on_q;
} nearest_points;

static void nearest_offer(nearest_points *best, lf_vec3 on_p, lf_vec3 on_q) {
    double square = square_between(on_p, on_q);
    if (square < best->square)
        *best = (nearest_points){square, on_p, on_q};
}

/// The squared distance of two triangles that do not touch, and where it is.
static double triangles_distance(const lf_vec3 p[3], const lf_vec3 q[3], lf_vec3 *on_p, lf_vec3 *on_q) {
    nearest_points best = {LF_INFINITY, p[0], q[0]};
    for (int i = 0; i < 3; i++) {
        nearest_offer(&best, p[i], lf__nearest_on_triangle(q, p[i]));
        nearest_offer(&best, lf__nearest_on_triangle(p, q[i]), q[i]);
        for (int k = 0; k < 3; k++) {
            const lf_vec3 s[2] = {p[i], p[(i + 1) % 3]}, t[2] = {q[k], q[(k + 1) % 3]};
            lf_vec3 on_s, on_t;
            segments_nearest(s, t, &on_s, &on_t);
            nearest_offer(&best, on_s, on_t);
        }
    }
    *on_p = best.on_p;
    *on_q = best.on_q;
    return best.square;
}

/// Where the edges of one cross the plane of the other: the crossing nearest to that other.
static void offer_crossings(const lf_vec3 edges[3], const lf_vec3 t[3], nearest_points *best) {
    lf_vec3 n = lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0]));
    for (int k = 0; k < 3; k++) {
        lf_vec3 a = edges[k], b = edges[(k + 1) % 3];
        double over_a = lf_vec3_dot(n, lf_vec3_sub(a, t[0])), over_b = lf_vec3_dot(n, lf_vec3_sub(b, t[0]));
        if (over_a == over_b || over_a * over_b > 0)
            continue;
        lf_vec3 at = lf_vec3_along(a, over_a / (over_a - over_b), lf_vec3_sub(b, a));
        nearest_offer(best, at, lf__nearest_on_triangle(t, at));
    }
}

/// A point that two touching triangles share, up to rounding: on an edge of one that crosses the other, or
/// where they come nearest.
static lf_vec3 triangles_common(const lf_vec3 p[3], const lf_vec3 q[3]) {
    nearest_points best = {LF_INFINITY, p[0], p[0]};
    best.square = triangles_distance(p, q, &best.on_p, &best.on_q);
    offer_crossings(p, q, &best);
    offer_crossings(q, p, &best);
    return best.on_q;
}

// ---------------------------------------------------------------------------------------------------
// Models
// ---------------------------------------------------------------------------------------------------

/// Size of the stack of pairs of children: 63 per level where both have children, 7 where one is a leaf.
enum { DISTANCE_STACK = LF__BVH_DEPTH * (LF__BVH_WIDTH * LF__BVH_WIDTH + LF__BVH_WIDTH - 2) + 1 };

/// Nothing is farther apart: both are within LF__MODEL_LIMIT of their own origins, and these of the world's.
#define DISTANCE_FARTHEST (8 * LF__MODEL_LIMIT)

/// A child of each tree, and a lower bound of their distance, squared.
typedef struct distance_waiting {
    uint32_t a, b;
    double square;
} distance_waiting;

typedef struct distance_search {
    const lf_model *a, *b;
    const lf_pose *pose; ///< of b, seen from a
    double square;       ///< the best so far
    double enough;       ///< stop at this
    double share; ///< pairs not nearer than this share of the best (of the squares) are skipped; 1: exact
    lf_vec3 on_a, on_b;
    int64_t triangle_a, triangle_b;
    lf__model_near *visit; ///< or NULL: of all pairs nearer than `square`, which stays as it is
    void *user;
    lf_counters cost;
} distance_search;

/// Up to eight children (or one leaf, or one root) and their boxes in both frames.
typedef struct family {
    int count;
    uint32_t child[LF__BVH_WIDTH];
    lf_box here[LF__BVH_WIDTH], there[LF__BVH_WIDTH];
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

/// The box of a leaf's triangles, rounded outwards.
static lf_box leaf_box(const lf__bvh *tree, uint32_t leaf) {
    lf_box box = lf_box_empty();
    for (unsigned lanes = tree->leaves[leaf].lanes; lanes; lanes &= lanes - 1)
        box = lf_box_union(box, lf__bvh_item_box(tree, tree->leaves[leaf].item[__builtin_ctz(lanes)]));
    return box;
}

/// What a code stands for when it is opened: a node's children, or the leaf itself.
static void open_code(const lf__bvh *tree, uint32_t code, const lf_pose *pose, bool back, family *family) {
    family->count = 0;
    if (code & LF__BVH_LEAF) {
        family->count = 1;
        family->child[0] = code;
        family->here[0] = leaf_box(tree, code & ~LF__BVH_LEAF);
    } else {
        const lf__bvh_node *node = &tree->nodes[code];
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
static void compare_leaves(distance_search *search, uint32_t leaf_a, uint32_t leaf_b) {
    const lf__bvh_leaf *a = &search->a->tree->leaves[leaf_a], *b = &search->b->tree->leaves[leaf_b];
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
            lf_box other = lf__bvh_item_box(search->a->tree, item_a);
            if (boxes_square(&box, &other) >= search->share * search->square)
                continue;
            lf__model_corners(search->a, item_a, p);
            search->cost.triangles++;
            double square = triangles_distance(p, q, &on_p, &on_q);
            if (search->visit) {
                if (square < search->square)
                    search->visit(search->user, p, q);
            } else if (square < search->square) {
                search->square = square;
                search->on_a = on_p, search->on_b = on_q;
                search->triangle_a = item_a, search->triangle_b = item_b;
            }
        }
    }
}

/// The nearest last, so that it is taken from the stack first.
static void sort_waiting(distance_waiting *list, int count) {
    for (int i = 1; i < count; i++) {
        distance_waiting item = list[i];
        int k = i;
        for (; k > 0 && list[k - 1].square < item.square; k--)
            list[k] = list[k - 1];
        list[k] = item;
    }
}

static void open_pair(distance_search *search, const distance_waiting *pair, distance_waiting *stack,
                      int *depth) {
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
                stack[(*depth)++] = (distance_waiting){a.child[i], b.child[k], square};
        }
    sort_waiting(stack + first, *depth - first);
}

static void run_search(distance_search *search) {
    distance_waiting stack[DISTANCE_STACK];
    int depth = 1;
    stack[0] = (distance_waiting){search->a->tree->root, search->b->tree->root, 0};
    while (depth > 0 && search->square > search->enough) {
        distance_waiting pair = stack[--depth];
        if (pair.square >= search->share * search->square)
            continue;
        if (pair.a & pair.b & LF__BVH_LEAF)
            compare_leaves(search, pair.a & ~LF__BVH_LEAF, pair.b & ~LF__BVH_LEAF);
        else
            open_pair(search, &pair, stack, &depth);
    }
}

/// Two triangles that touch, if any do.
static bool find_touching(distance_search *search, lf_cursor *cursor) {
    lf_model_query query = lf_model_query_default();
    lf_model_pair pair;
    int64_t count;
    query.a = search->a, query.b = search->b;
    query.pose_b = *search->pose;
    query.limit = 1;
    if (lf_model_pairs(&query, &pair, 1, &count, cursor) != LF_OK || count == 0)
        return false;
    lf_vec3 p[3], q[3];
    lf__model_corners(search->a, pair.a, p);
    lf__model_corners(search->b, pair.b, q);
    for (int c = 0; c < 3; c++)
        q[c] = lf_pose_to_world(search->pose, q[c]);
    search->square = 0;
    search->on_a = search->on_b = triangles_common(p, q);
    search->triangle_a = pair.a, search->triangle_b = pair.b;
    return true;
}

/// A query, and the search that it begins: of everything, exact.
typedef struct distance_job {
    lf_model_query copy;
    const lf_model_query *query;
    lf__model_pair_state state;
    lf_pose between;
    distance_search search;
} distance_job;

static lf_status distance_start(const lf_model_query *given, distance_job *job) {
    lf_status status = lf__model_query_read(given, &job->copy, &job->query, &job->state);
    if (status != LF_OK)
        return status;
    job->between = lf__pose_between(&job->query->pose_a, &job->query->pose_b);
    job->search = (distance_search){.a = job->query->a,
                                    .b = job->query->b,
                                    .pose = &job->between,
                                    .square = LF_INFINITY,
                                    .enough = -1,
                                    .share = 1,
                                    .triangle_a = -1,
                                    .cost = {.questions = 1}};
    return LF_OK;
}

lf_status lf__model_nearest_approx(const lf_model_query *given, double share, lf_model_distance *nearest,
                                   lf_cursor *cursor) {
    distance_job job;
    if (!nearest)
        return LF_BAD_ARGUMENT;
    lf_status status = distance_start(given, &job);
    if (status != LF_OK)
        return status;
    distance_search *search = &job.search;
    search->share = share * share;
    bool touching = !job.state.apart && find_touching(search, cursor);
    if (!touching)
        run_search(search);
    *nearest = (lf_model_distance){.distance = sqrt(search->square),
                                   .point_a = lf_pose_to_world(&job.query->pose_a, search->on_a),
                                   .point_b = lf_pose_to_world(&job.query->pose_a, search->on_b),
                                   .a = search->triangle_a,
                                   .b = search->triangle_b};
    if (!touching && nearest->distance == 0)
        nearest->distance = 0x1p-1022; // apart, by less than squares can represent
    lf__cursor_count(cursor, &search->cost);
    return LF_OK;
}

lf_status lf_model_nearest(const lf_model_query *given, lf_model_distance *nearest, lf_cursor *cursor) {
    return lf__model_nearest_approx(given, 1, nearest, cursor);
}

lf_status lf__model_all_near(const lf_model_query *given, double reach, lf__model_near *visit, void *user,
                             lf_cursor *cursor) {
    distance_job job;
    lf_status status = distance_start(given, &job);
    if (status != LF_OK)
        return status;
    job.search.square = reach * reach;
    job.search.visit = visit;
    job.search.user = user;
    run_search(&job.search);
    lf__cursor_count(cursor, &job.search.cost);
    return LF_OK;
}

lf_status lf_model_within(const lf_model_query *given, double margin, bool *within, lf_cursor *cursor) {
    distance_job job;
    if (!within)
        return LF_BAD_ARGUMENT;
    *within = false;
    lf_status status = distance_start(given, &job);
    if (status != LF_OK || !(margin >= 0))
        return status != LF_OK ? status : LF_BAD_ARGUMENT;
    distance_search *search = &job.search;
    double reach = fmin(margin, DISTANCE_FARTHEST), square = reach * reach;
    search->square = square > 0 ? square * (1 + 0x1p-50) : 0;
    search->enough = square;
    if (!job.state.apart && find_touching(search, cursor))
        *within = true;
    else if (square > 0)
        run_search(search), *within = search->triangle_a >= 0 && search->square <= square;
    lf__cursor_count(cursor, &search->cost);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Bounds
// ---------------------------------------------------------------------------------------------------

// Bounds without any triangle: models are covered by spheres, from the nodes of their fields or one around
// everything. Every sphere holds some point of the model, and the spheres together hold all of it. So the
// distance is at least that of the two nearest spheres, and at most that of the two whose far sides are
// nearest.

/// Rounding error of carrying a point from one frame to another, as a share of all coordinates.
#define BOUNDS_BLUR 0x1p-46

typedef struct parts {
    lf__ball balls[LF__BALLS_MOST];
    int count;
} parts;

/// Parts of a model, carried by a pose unless that is NULL.
static void find_parts(const lf_model *model, const lf_pose *pose, bool fields, parts *parts) {
    parts->count = fields ? lf__field_functions(model)->cover(model, parts->balls) : 0;
    if (parts->count == 0)
        parts->balls[parts->count++] = (lf__ball){model->centre, model->radius};
    for (int i = 0; pose && i < parts->count; i++)
        parts->balls[i].centre = lf_pose_to_world(pose, parts->balls[i].centre);
}

/// blur  rounding error of a point, in metres
static void compare_parts(const parts *a, const parts *b, double blur, double *least, double *most) {
    *least = *most = LF_INFINITY;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++) {
            lf_vec3 d = lf_vec3_sub(a->balls[i].centre, b->balls[k].centre);
            double distance = lf_vec3_length(d), reach = a->balls[i].radius + b->balls[k].radius + blur;
            *least = fmin(*least, distance * (1 - 1e-8) - reach);
            *most = fmin(*most, distance * (1 + 1e-8) + reach);
        }
    *least = fmax(*least, 0);
}

/// Everything is compared in a's frame, as lf_model_nearest does: far from the world's origin both poses are
/// coarse, but their difference is not.
lf_status lf_model_distance_bounds(const lf_model_query *given, double *least, double *most) {
    lf_model_query copy;
    const lf_model_query *query;
    lf__model_pair_state state;
    parts a, b;
    if (!least || !most)
        return LF_BAD_ARGUMENT;
    lf_status status = lf__model_query_read(given, &copy, &query, &state);
    if (status != LF_OK)
        return status;
    bool fields = query->a->field && query->b->field;
    lf_pose between = lf__pose_between(&query->pose_a, &query->pose_b);
    double size = query->a->reach + query->b->reach + lf_vec3_length(between.translation);
    find_parts(query->a, NULL, fields, &a);
    find_parts(query->b, &between, fields, &b);
    compare_parts(&a, &b, BOUNDS_BLUR * size, least, most);
    return LF_OK;
}

lf_status lf_model_point_bounds(const lf_model *model, const lf_pose *pose, lf_vec3 point, double *least,
                                double *most) {
    if (!model || !least || !most || !(lf_vec3_length(point) <= 2 * LF__MODEL_LIMIT) ||
        (pose && !lf__model_pose_valid(pose)))
        return LF_BAD_ARGUMENT;
    lf_vec3 local = pose ? lf_pose_to_local(pose, point) : point;
    parts a = {{{local, 0}}, 1}, b;
    find_parts(model, NULL, model->field != NULL, &b);
    compare_parts(&a, &b, BOUNDS_BLUR * (model->reach + lf_vec3_length(local)), least, most);
    return LF_OK;
}
