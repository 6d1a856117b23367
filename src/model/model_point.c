/// Points and rays against one model.
#include "model/model.h"

static const lf_pose still = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

/// The pose to use, or NULL when it is invalid.
static const lf_pose *pose_or_still(const lf_pose *pose) {
    if (!pose)
        return &still;
    return lf__model_pose_valid(pose) ? pose : NULL;
}

static bool point_usable(lf_vec3 p) {
    return fabs(p.x) <= LF__MODEL_LIMIT && fabs(p.y) <= LF__MODEL_LIMIT && fabs(p.z) <= LF__MODEL_LIMIT;
}

// ---------------------------------------------------------------------------------------------------
// The nearest point
// ---------------------------------------------------------------------------------------------------

typedef struct nearest_search {
    const lf_model *model;
    lf_vec3 point;
    double square;
    lf_vec3 on;
    int64_t triangle;
} nearest_search;

static double point_gap(double low, double high, double x) {
    return x < low ? low - x : x > high ? x - high : 0;
}

static bool point_enters(void *user, const lf_box *box) {
    const nearest_search *search = user;
    lf_vec3 p = search->point;
    double x = point_gap(box->low.x, box->high.x, p.x), y = point_gap(box->low.y, box->high.y, p.y),
           z = point_gap(box->low.z, box->high.z, p.z);
    return (x * x + y * y + z * z) * (1 - 1e-12) <= search->square;
}

static void nearest_test_triangle(void *user, uint32_t triangle) {
    nearest_search *search = user;
    lf_vec3 t[3];
    lf__model_corners(search->model, triangle, t);
    lf_vec3 on = lf__nearest_on_triangle(t, search->point), d = lf_vec3_sub(on, search->point);
    double square = lf_vec3_dot(d, d);
    bool nearer = square < search->square || (square == search->square && triangle < search->triangle);
    if (nearer)
        search->square = square, search->on = on, search->triangle = triangle;
}

/// A first guess, by descending to the nearest box, so that the traversal that follows skips most of the
/// tree.
static void point_guess(nearest_search *search) {
    const lf__bvh *tree = search->model->tree;
    uint32_t code = tree->root;
    while (!(code & LF__BVH_LEAF)) {
        const lf__bvh_node *node = &tree->nodes[code];
        lf_vec3 p = lf_vec3_sub(search->point, tree->origin);
        double best = LF_INFINITY;
        for (unsigned lanes = node->lanes; lanes; lanes &= lanes - 1) {
            int i = __builtin_ctz(lanes);
            double x = point_gap((double)node->plane[0][i], (double)node->plane[3][i], p.x);
            double y = point_gap((double)node->plane[1][i], (double)node->plane[4][i], p.y);
            double z = point_gap((double)node->plane[2][i], (double)node->plane[5][i], p.z);
            double square = x * x + y * y + z * z;
            if (square < best || best == LF_INFINITY)
                best = square, code = node->child[i];
        }
    }
    const lf__bvh_leaf *leaf = &tree->leaves[code & ~LF__BVH_LEAF];
    for (unsigned lanes = leaf->lanes; lanes; lanes &= lanes - 1)
        nearest_test_triangle(search, leaf->item[__builtin_ctz(lanes)]);
}

lf_status lf_model_nearest_to(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                              lf_model_distance *nearest, lf_cursor *cursor) {
    if (!model || !nearest || !point_usable(point) || !(pose = pose_or_still(pose)))
        return LF_BAD_ARGUMENT;
    nearest_search search = {
        .model = model, .point = lf_pose_to_local(pose, point), .square = LF_INFINITY, .triangle = INT64_MAX};
    lf__bvh_visitor visitor = {point_enters, nearest_test_triangle, &search};
    point_guess(&search);
    lf__bvh_visit(model->tree, &visitor, cursor);
    *nearest = (lf_model_distance){.distance = sqrt(search.square),
                                   .point_a = point,
                                   .point_b = lf_pose_to_world(pose, search.on),
                                   .a = -1,
                                   .b = search.triangle};
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Inside
// ---------------------------------------------------------------------------------------------------

/// Directions to count crossings in. If one passes through an edge or a corner, the next is tried.
enum { POINT_TRIES = 64 };

typedef struct crossing_count {
    const lf_model *model;
    const lf_ray *ray;
    int winding;
    bool doubtful;
} crossing_count;

static void count_crossing(void *user, lf__bvh_meeting meeting) {
    crossing_count *count = user;
    lf_vec3 t[3], o = count->ray->origin, d = count->ray->direction;
    lf__model_corners(count->model, meeting.triangle, t);
    int x = lf_orient_line(o, d, t[0], t[1]), y = lf_orient_line(o, d, t[1], t[2]),
        z = lf_orient_line(o, d, t[2], t[0]);
    if (x == 0 || x != y || y != z)
        count->doubtful = true;
    count->winding += x;
}

lf_status lf_model_point_inside(const lf_model *model, const lf_pose *pose, lf_vec3 point,
                                lf_relation *relation, lf_cursor *cursor) {
    if (!model || !relation || model->open_count != 0 || !point_usable(point) ||
        !(pose = pose_or_still(pose)))
        return LF_BAD_ARGUMENT;
    lf_vec3 local = lf_pose_to_local(pose, point);
    *relation = LF_RELATION_OUTSIDE;
    if (!lf_box_contains(model->tree->box, local))
        return LF_OK;
    lf_ray here = {local, {1, 0, 0}, 0, 0};
    if (lf__bvh_any(model->tree, &here, NULL, cursor)) {
        *relation = LF_RELATION_CROSSING;
        return LF_OK;
    }
    for (int i = 0; i < POINT_TRIES; i++) {
        // Directions that are unrelated to each other and to the axes.
        lf_ray ray =
            lf_ray_towards(local, (lf_vec3){cos(1.0 + 2.3 * i), sin(2.0 + 3.1 * i), cos(0.3 + 1.7 * i)});
        crossing_count count = {model, &ray, 0, false};
        lf__bvh_collector collector = {count_crossing, &count};
        lf__bvh_all(model->tree, &ray, NULL, &collector, cursor);
        if (count.doubtful)
            continue;
        *relation = count.winding != 0 ? LF_RELATION_INSIDE : LF_RELATION_OUTSIDE;
        return LF_OK;
    }
    return LF_OK; // through an edge in every direction: it is so narrow that nothing is inside
}
