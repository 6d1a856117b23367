/// A box as a part of a group: six faces, which are met as the polygons of a mesh, without a mesh.
///
/// A ray is clipped to the three pairs of planes in doubles. Where rounding could decide, because it passes an edge, begins or ends on a face or runs
/// in one, the two triangles of each face are tested exactly.
#include "bvh/bvh_meet.h"
#include "geom/geometry.h"
#include "ground/group.h"
#include "ground/land.h"
#include "ground/sweep.h"

/// Corner i has the high side in x, y, z by bits 0, 1, 2; counter-clockwise seen from outside.
static const int box_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

static lf_vec3 box_corner(const lf_box *box, int i) {
    return (lf_vec3){i & 1 ? box->high.x : box->low.x, i & 2 ? box->high.y : box->low.y,
                     i & 4 ? box->high.z : box->low.z};
}

/// Triangle 0 or 1 of the fan of a face.
static void box_triangle(const lf_box *box, int face, int triangle, lf_vec3 corners[3]) {
    const int *c = box_faces[face];
    corners[0] = box_corner(box, c[0]);
    corners[1] = box_corner(box, c[1 + triangle]);
    corners[2] = box_corner(box, c[2 + triangle]);
}

// ---------------------------------------------------------------------------------------------------
// Clipping in doubles
// ---------------------------------------------------------------------------------------------------

/// Relative error of a t: a difference, an inverse and a product; with a margin.
#define CLIP_ERROR 0x1p-50

typedef enum box_answer { BOX_MISSED, BOX_PASSED, BOX_UNSURE } box_answer;

/// Where a line is within the three slabs, and through which faces it enters and leaves.
typedef struct box_passage {
    double near, far;
    int near_face, far_face;
} box_passage;

/// Is a less than b (1), greater (0), or too close to say (-1)?
static inline int surely_less(double a, double b) {
    double doubt = CLIP_ERROR * (fabs(a) + fabs(b));
    return b - a > doubt ? 1 : a - b > doubt ? 0 : -1;
}

static box_answer box_pass(const lf_box *box, const lf_ray *ray, box_passage *p) {
    const double o[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
    const double d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    const double low[3] = {box->low.x, box->low.y, box->low.z};
    const double high[3] = {box->high.x, box->high.y, box->high.z};
    double near = -LF_INFINITY, far = LF_INFINITY, next_near = -LF_INFINITY, next_far = LF_INFINITY;
    bool on_face = false;
    p->near_face = p->far_face = 0;
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0) {
            if (o[k] < low[k] || o[k] > high[k])
                return BOX_MISSED;
            on_face |= o[k] == low[k] || o[k] == high[k];
            continue;
        }
        if (fabs(d[k]) < 1e-280) { // its inverse may be infinite
            on_face = true;
            continue;
        }
        bool forward = d[k] > 0;
        double inverse = 1 / d[k];
        double enter = ((forward ? low[k] : high[k]) - o[k]) * inverse;
        double leave = ((forward ? high[k] : low[k]) - o[k]) * inverse;
        if (enter > near)
            next_near = near, near = enter, p->near_face = 2 * k + !forward;
        else
            next_near = enter > next_near ? enter : next_near;
        if (leave < far)
            next_far = far, far = leave, p->far_face = 2 * k + forward;
        else
            next_far = leave < next_far ? leave : next_far;
    }
    p->near = near;
    p->far = far;
    int order = surely_less(near, far);
    if (order == 0)
        return BOX_MISSED;
    // A tiny direction makes t overflow, or underflow: no error bound holds.
    bool range = fabs(near) < 1e280 && fabs(far) < 1e280 && fabs(near) > 1e-280 && fabs(far) > 1e-280;
    bool sure = order == 1 && range && !on_face && surely_less(next_near, near) == 1 &&
                surely_less(far, next_far) == 1;
    return sure ? BOX_PASSED : BOX_UNSURE;
}

/// Is a t within the closed interval? -1: too close to say.
static inline int box_within(double t, double first, double last) {
    int after = first == -LF_INFINITY ? 1 : surely_less(first, t),
        before = last == LF_INFINITY ? 1 : surely_less(t, last);
    return after == 0 || before == 0 ? 0 : after == 1 && before == 1 ? 1 : -1;
}

// ---------------------------------------------------------------------------------------------------
// Exact tests
// ---------------------------------------------------------------------------------------------------

/// The triangle of a face that is met first; false: neither.
static bool box_meet_face(const lf_box *box, int face, const lf_ray *ray, bool as_line,
                          lf__box_meeting *meeting, lf_counters *cost) {
    lf_ray scaled;
    int exponent;
    const lf_ray *line = lf__line_of(ray, &scaled, &exponent);
    bool found = false;
    lf_vec3 best[3];
    for (int triangle = 0; triangle < 2; triangle++) {
        lf_vec3 corners[3];
        lf__meeting met;
        box_triangle(box, face, triangle, corners);
        cost->triangles++;
        if (!lf__meet(line, corners, &met, &cost->exact) || (as_line && met.side == LF__SIDE_EDGE_ON))
            continue;
        double t = exponent == 0 ? met.t : ldexp(met.t, -exponent);
        int order = found ? lf__meet_order_roughly(t, meeting->t) : -1;
        if (order == 2)
            order = lf__meet_order(ray, corners, ray, best);
        if (order >= 0)
            continue;
        *meeting = (lf__box_meeting){t, face, triangle};
        for (int k = 0; k < 3; k++)
            best[k] = corners[k];
        found = true;
    }
    return found;
}

static bool box_first_exactly(const lf_box *box, const lf_ray *ray, bool as_line, lf__box_meeting *meeting,
                              lf_counters *cost) {
    bool found = false;
    for (int face = 0; face < 6; face++) {
        lf__box_meeting fresh;
        if (!box_meet_face(box, face, ray, as_line, &fresh, cost))
            continue;
        int order = found ? lf__meet_order_roughly(fresh.t, meeting->t) : -1;
        if (order == 2) {
            lf_vec3 a[3], b[3];
            box_triangle(box, fresh.face, fresh.triangle, a);
            box_triangle(box, meeting->face, meeting->triangle, b);
            order = lf__meet_order(ray, a, ray, b);
        }
        if (order < 0)
            *meeting = fresh;
        found = true;
    }
    return found;
}

bool lf__box_first(const lf_box *box, const lf_ray *ray, bool as_line, lf__box_meeting *meeting,
                   lf_counters *cost) {
    box_passage p;
    box_answer answer = box_pass(box, ray, &p);
    if (answer == BOX_MISSED)
        return false;
    if (answer == BOX_PASSED) {
        int enters = box_within(p.near, ray->t_min, ray->t_max);
        if (enters == 1) {
            *meeting = (lf__box_meeting){p.near, p.near_face, -1};
            return true;
        }
        int before = ray->t_min == -LF_INFINITY ? 0 : surely_less(p.near, ray->t_min);
        int leaves = box_within(p.far, ray->t_min, ray->t_max);
        if (enters == 0 && before == 0) // beyond the end
            return false;
        if (enters == 0 && before == 1 && leaves >= 0) {
            *meeting = (lf__box_meeting){p.far, p.far_face, -1};
            return leaves == 1;
        }
    }
    cost->exact++;
    return box_first_exactly(box, ray, as_line, meeting, cost);
}

// ---------------------------------------------------------------------------------------------------
// Hits
// ---------------------------------------------------------------------------------------------------

/// The shares of a point along the sides from a face's first corner to its second and to its fourth, and the
/// triangle of the fan that they are in.
static void box_weights(const lf_box *box, int face, lf_vec3 p, lf_hit *hit) {
    const int *c = box_faces[face];
    lf_vec3 from = box_corner(box, c[0]), at = lf_vec3_sub(p, from);
    lf_vec3 along = lf_vec3_sub(box_corner(box, c[1]), from),
            across = lf_vec3_sub(box_corner(box, c[3]), from);
    double a = fmin(fmax(lf_vec3_dot(at, along) / lf_vec3_dot(along, along), 0), 1);
    double b = fmin(fmax(lf_vec3_dot(at, across) / lf_vec3_dot(across, across), 0), 1);
    if (hit->triangle < 0)
        hit->triangle = b > a;
    hit->u = hit->triangle == 0 ? fmax(a - b, 0) : a;
    hit->v = hit->triangle == 0 ? b : fmax(b - a, 0);
}

void lf__box_hit(const lf_box *box, const lf_ray *ray, const lf__box_meeting *meeting, lf_hit *hit) {
    int axis = meeting->face / 2;
    bool high = meeting->face & 1;
    lf_vec3 p = lf_vec3_along(ray->origin, meeting->t, ray->direction), n = {0, 0, 0};
    double side = high ? 1 : -1;
    if (axis == 0)
        p.x = high ? box->high.x : box->low.x, n.x = side;
    else if (axis == 1)
        p.y = high ? box->high.y : box->low.y, n.y = side;
    else
        p.z = high ? box->high.z : box->low.z, n.z = side;
    *hit = (lf_hit){.kind = LF_HIT_TRIANGLE,
                    .t = meeting->t,
                    .point = p,
                    .normal = n,
                    .element = meeting->face,
                    .triangle = meeting->triangle,
                    .layers = 1};
    box_weights(box, meeting->face, p, hit);
}

static bool box_asked(const lf_cursor *cursor) {
    return (lf__cursor_layers(cursor) & 1u) != 0;
}

static bool box_first_hit(const void *object, const lf_ray *ray, bool as_line, lf_hit *hit,
                          lf_cursor *cursor) {
    lf_counters cost = {.questions = 1};
    lf__box_meeting meeting;
    bool met = box_asked(cursor) && lf__box_first(object, ray, as_line, &meeting, &cost);
    if (met)
        lf__box_hit(object, ray, &meeting, hit);
    lf__cursor_count(cursor, &cost);
    return met;
}

static void box_ray_first(const void *object, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!box_first_hit(object, ray, false, hit, cursor))
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
}

static bool box_line_first(const void *object, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    return box_first_hit(object, line, true, hit, cursor);
}

static bool box_ray_any(const void *object, const lf_ray *ray, lf_cursor *cursor) {
    lf_counters cost = {.questions = 1};
    lf__box_meeting meeting;
    bool met = box_asked(cursor) && lf__box_first(object, ray, false, &meeting, &cost);
    lf__cursor_count(cursor, &cost);
    return met;
}

/// The t of a face as lf__box_first has it, where that is sure.
static double box_each_t(box_answer answer, const box_passage *p, const lf__box_meeting *meeting) {
    if (answer != BOX_PASSED)
        return meeting->t;
    return meeting->face == p->near_face ? p->near : meeting->face == p->far_face ? p->far : meeting->t;
}

static void box_each(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                     lf_cursor *cursor) {
    lf_counters cost = {.questions = 1};
    box_passage p;
    box_answer answer = box_asked(cursor) ? box_pass(object, ray, &p) : BOX_MISSED;
    if (answer == BOX_MISSED)
        return;
    for (int face = 0; face < 6; face++) {
        lf__box_meeting meeting;
        lf_hit hit;
        if (!box_meet_face(object, face, ray, how != LF__EACH_RAY, &meeting, &cost))
            continue;
        meeting.t = box_each_t(answer, &p, &meeting);
        lf__box_hit(object, ray, &meeting, &hit);
        finder->found(finder->user, &hit);
    }
    lf__cursor_count(cursor, &cost);
}

// ---------------------------------------------------------------------------------------------------
// The other entries of the table
// ---------------------------------------------------------------------------------------------------

static lf_box box_box(const void *object) {
    return *(const lf_box *)object;
}

static const lf_frame *box_frame(const void *object) {
    static const lf_frame upright = {
        LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    (void)object;
    return &upright;
}

static bool box_weights_of_hit(const void *object, lf_hit *hit) {
    if (hit->element < 0 || hit->element > 5 || hit->triangle < 0 || hit->triangle > 1)
        return false;
    box_weights(object, (int)hit->element, hit->point, hit);
    return true;
}

static void box_corners_of_hit(const void *object, const lf_hit *hit, lf_vec3 corners[3]) {
    box_triangle(object, (int)hit->element, hit->triangle == 1, corners);
}

static void box_cuts(const void *object, const lf__track *track, lf__cuts *cuts, lf_cursor *cursor) {
    (void)cursor;
    for (int i = 0; i < 12; i++) {
        lf_vec3 corners[3];
        box_triangle(object, i / 2, i % 2, corners);
        lf__track_cross(track, corners, cuts);
    }
}

static void box_spread(const void *object, const lf_pose *pose, lf__cone *cone) {
    for (int i = 0; i < 8; i++)
        lf__cone_add(cone, lf_pose_to_world(pose, box_corner(object, i)));
}

/// Segments as a line's passage says: 1 blocked at t, 0 clear, -1 too close to say. The direction of a segment is a rounded
/// difference, which the error of t includes.
static int box_segment_passage(const lf__segment *segment, const box_passage *p, double *t) {
    int enters = box_within(p->near, 0, 1), leaves = box_within(p->far, 0, 1);
    if (enters < 0 || leaves < 0)
        return -1;
    *t = enters && !(segment->last && leaves) ? p->near : p->far;
    return enters || leaves;
}

static bool box_segment(const void *object, const lf__segment *segment, double t[2], lf_cursor *cursor) {
    lf_ray ray = lf_ray_between(segment->ends[0], segment->ends[1]);
    box_passage p;
    bool found = false;
    t[0] = 1, t[1] = 0;
    box_answer answer = box_asked(cursor) ? box_pass(object, &ray, &p) : BOX_MISSED;
    int known = answer == BOX_PASSED ? box_segment_passage(segment, &p, &t[0]) : -1;
    if (answer == BOX_MISSED || known >= 0) {
        t[1] = 1 - t[0];
        return answer == BOX_PASSED && known == 1;
    }
    for (int i = 0; i < 12 && !(found && segment->any); i++) {
        lf_vec3 corners[3];
        double at;
        box_triangle(object, i / 2, i % 2, corners);
        if (!lf__segment_meets(segment, corners, &at))
            continue;
        if (!found || (segment->last ? at > t[0] : at < t[0]))
            t[0] = at;
        found = true;
    }
    t[1] = 1 - t[0];
    return found;
}

// ---------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------

typedef struct box_contact {
    const lf_box *box;
    lf_box wide; ///< with a margin for the rounding of the pose
    const lf__land_body *body;
    const lf_pose *pose;
    bool touches;
} box_contact;

static bool box_node_near(void *user, const lf_box *node) {
    const box_contact *c = user;
    lf_box around = lf_box_empty();
    for (int i = 0; i < 8 && !c->touches; i++)
        around = lf_box_with(around, lf_pose_to_world(c->pose, box_corner(node, i)));
    return !c->touches && lf_box_overlap(around, c->wide);
}

static void box_meet_triangle(void *user, uint32_t triangle) {
    box_contact *c = user;
    lf_vec3 own[3], corners[3];
    lf__land_corners(c->body, triangle, c->pose, corners);
    for (int i = 0; i < 12 && !c->touches; i++) {
        box_triangle(c->box, i / 2, i % 2, own);
        c->touches = lf__triangles_touch(corners, own);
    }
}

static bool box_touches(const void *object, const lf__land_body *body, const lf_pose *pose,
                        lf_cursor *cursor) {
    const lf_box *box = object;
    if (!box_asked(cursor))
        return false;
    lf_vec3 p = pose->translation;
    double pad =
        1e-9 * body->radius + 1e-13 * (fabs(p.x) + fabs(p.y) + fabs(p.z) + lf_vec3_length(body->centre));
    lf_vec3 by = {pad, pad, pad};
    box_contact c = {box, {lf_vec3_sub(box->low, by), lf_vec3_add(box->high, by)}, body, pose, false};
    lf__bvh_visitor visitor = {box_node_near, box_meet_triangle, &c};
    lf__bvh_visit(body->tree, &visitor, cursor);
    return c.touches;
}

static void box_find_faces(lf__face_search *s) {
    for (int f = 0; f < 6 && !s->done && (s->layers & 1u); f++) {
        lf_vec3 corners[4];
        lf__face face;
        for (int c = 0; c < 4; c++)
            corners[c] =
                lf__face_to_view(s->view, lf_pose_to_world(s->pose, box_corner(s->object, box_faces[f][c])));
        face.part = s->part, face.triangle = (uint32_t)f;
        if (!lf__face_search_beside(s, corners, 4) && lf__face_make(s->view, corners, 4, &face))
            s->done = !s->finder->found(s->finder->user, &face);
    }
}

static void box_sweep(const void *object, lf__sweeping *sweep) {
    if (!(sweep->layers & 1u) || !lf__sweep_comes_near(sweep, object))
        return;
    for (int i = 0; i < 12; i++) {
        lf_vec3 corners[3];
        box_triangle(object, i / 2, i % 2, corners);
        sweep->element = (lf__sweep_element){i / 2, i % 2, 0, 1};
        lf__sweep_triangle(sweep, corners, 0);
    }
}

const lf__ground_kind_of lf__box_kind = {
    .box = box_box,
    .frame = box_frame,
    .weights = box_weights_of_hit,
    .ray_first = box_ray_first,
    .ray_any = box_ray_any,
    .line_first = box_line_first,
    .each = box_each,
    .corners = box_corners_of_hit,
    .cuts = box_cuts,
    .spread = box_spread,
    .touches = box_touches,
    .faces = box_find_faces,
    .segment = box_segment,
    .sweep = box_sweep,
};
