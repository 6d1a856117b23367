/// Distances and contact times of convex bodies, and contact times of models, that move and rotate.
#include "contact/contact.h"
#include "model/model.h"
#include "query/query.h"

// ---------------------------------------------------------------------------------------------------
// Distance of convex bodies
// ---------------------------------------------------------------------------------------------------

// The distance of convex bodies by Gilbert, Johnson and Keerthi: the nearest point to the origin of all
// differences of points, found by nearer and nearer simplices whose corners are extreme points. The lower
// bound does not depend on how well this converges: for each direction tried, the extreme points prove how
// far apart the bodies are at least.

/// At most this many iterations; each finds a nearer point.
#define GJK_ROUNDS 100

void lf__pose_body(const lf_body *body, double time, lf__posed *posed) {
    static const lf_vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    posed->body = body;
    for (int k = 0; k < 3; k++) // rows of a rotation are the units turned back
        posed->turn[k] = lf__turned(units[k], body->spin, -time);
    lf_vec3 moved = lf_vec3_scale(body->velocity, time);
    if (!lf__is_zero(body->spin))
        moved = lf_vec3_add(moved, lf_vec3_sub(body->pivot, lf__turned(body->pivot, body->spin, time)));
    posed->shift = moved;
}

static lf_vec3 rows_times(const lf_vec3 rows[3], lf_vec3 a) {
    return (lf_vec3){lf_vec3_dot(rows[0], a), lf_vec3_dot(rows[1], a), lf_vec3_dot(rows[2], a)};
}

static lf_vec3 columns_times(const lf_vec3 rows[3], lf_vec3 a) {
    return lf_vec3_along(lf_vec3_along(lf_vec3_scale(rows[0], a.x), a.y, rows[1]), a.z, rows[2]);
}

/// The extreme point of the shape itself.
static lf_vec3 extreme(const lf_body *body, lf_vec3 direction) {
    if (body->kind == LF_BODY_SPHERE)
        return lf_vec3_scale(lf_vec3_unit(direction), body->radius);
    if (body->kind == LF_BODY_CYLINDER) {
        lf_vec3 round = lf_vec3_scale(lf_vec3_unit((lf_vec3){direction.x, direction.y, 0}), body->radius);
        return (lf_vec3){round.x, round.y, direction.z < 0 ? -body->half : body->half};
    }
    int64_t best = 0;
    double most = -LF_INFINITY;
    for (int64_t i = 0; i < body->count; i++) {
        double along = lf_vec3_dot(body->points[i], direction);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return body->points[best];
}

/// The point of a body that is farthest along a direction.
static lf_vec3 body_support(const lf__posed *posed, lf_vec3 direction) {
    const lf_body *body = posed->body;
    lf_vec3 local = columns_times(body->rows, columns_times(posed->turn, direction));
    lf_vec3 at = lf_vec3_add(rows_times(body->rows, extreme(body, local)), body->translation);
    return lf_vec3_add(rows_times(posed->turn, at), posed->shift);
}

/// The size of a body: the diagonal of its box.
static double body_size(const lf__posed *posed) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        lf_vec3 axis = {k == 0, k == 1, k == 2};
        lf_vec3 high = body_support(posed, axis), low = body_support(posed, lf_vec3_scale(axis, -1));
        double extent = lf_vec3_dot(axis, lf_vec3_sub(high, low));
        sum += extent * extent;
    }
    return sqrt(sum);
}

// ---------------------------------------------------------------------------------------------------
// Simplices
// ---------------------------------------------------------------------------------------------------

/// Up to four differences of points, the points themselves, and the weights of the point nearest to the
/// origin.
typedef struct simplex {
    lf_vec3 at[4], a[4], b[4];
    double weight[4];
    int count;
} simplex;

static void gjk_keep(simplex *s, const int *which, const double *weight, int count) {
    simplex old = *s;
    for (int i = 0; i < count; i++) {
        s->at[i] = old.at[which[i]];
        s->a[i] = old.a[which[i]];
        s->b[i] = old.b[which[i]];
        s->weight[i] = weight[i];
    }
    s->count = count;
}

static lf_vec3 blend(const lf_vec3 *points, const double *weight, int count) {
    lf_vec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = lf_vec3_along(sum, weight[i], points[i]);
    return sum;
}

/// The point nearest to the origin on some corners of a simplex.
typedef struct gjk_nearest {
    int which[4];
    double weight[4];
    int count;
    double square; ///< of the distance
} gjk_nearest;

static void gjk_set_square(const simplex *s, gjk_nearest *n) {
    lf_vec3 p = {0, 0, 0};
    for (int i = 0; i < n->count; i++)
        p = lf_vec3_along(p, n->weight[i], s->at[n->which[i]]);
    n->square = lf_vec3_dot(p, p);
}

static gjk_nearest on_corner(const simplex *s, int i) {
    gjk_nearest n = {{i}, {1}, 1, 0};
    gjk_set_square(s, &n);
    return n;
}

static gjk_nearest on_edge(const simplex *s, int i, int j) {
    lf_vec3 way = lf_vec3_sub(s->at[j], s->at[i]);
    double length = lf_vec3_dot(way, way), along = -lf_vec3_dot(s->at[i], way);
    if (!(along > 0))
        return on_corner(s, i);
    if (along >= length)
        return on_corner(s, j);
    double t = along / length;
    gjk_nearest n = {{i, j}, {1 - t, t}, 2, 0};
    gjk_set_square(s, &n);
    return n;
}

static gjk_nearest nearer(gjk_nearest a, gjk_nearest b) {
    return b.square < a.square ? b : a;
}

/// On a triangle: within it, where all three weights are positive, or on one of its edges.
static gjk_nearest on_face(const simplex *s, int i, int j, int k) {
    lf_vec3 a = s->at[i], b = s->at[j], c = s->at[k];
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(b, a), lf_vec3_sub(c, a));
    double area = lf_vec3_dot(normal, normal);
    double wa = lf_vec3_dot(normal, lf_vec3_cross(b, c)), wb = lf_vec3_dot(normal, lf_vec3_cross(c, a));
    double wc = lf_vec3_dot(normal, lf_vec3_cross(a, b));
    gjk_nearest best = nearer(nearer(on_edge(s, i, j), on_edge(s, j, k)), on_edge(s, k, i));
    if (area > 0 && wa > 0 && wb > 0 && wc > 0) {
        double sum = wa + wb + wc;
        gjk_nearest n = {{i, j, k}, {wa / sum, wb / sum, wc / sum}, 3, 0};
        gjk_set_square(s, &n);
        best = nearer(best, n);
    }
    return best;
}

/// Is the origin on the inner side of the face i, j, k of a tetrahedron?
static bool is_behind(const simplex *s, int i, int j, int k, int other) {
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(s->at[j], s->at[i]), lf_vec3_sub(s->at[k], s->at[i]));
    double origin = -lf_vec3_dot(normal, s->at[i]);
    double inside = lf_vec3_dot(normal, lf_vec3_sub(s->at[other], s->at[i]));
    return inside > 0 ? origin >= 0 : inside < 0 ? origin <= 0 : false;
}

/// Reduce the simplex to the corners that span its point nearest to the origin; true: the origin is inside.
static bool reduce(simplex *s) {
    gjk_nearest best;
    if (s->count == 1) {
        best = on_corner(s, 0);
    } else if (s->count == 2) {
        best = on_edge(s, 0, 1);
    } else if (s->count == 3) {
        best = on_face(s, 0, 1, 2);
    } else {
        if (is_behind(s, 0, 1, 2, 3) && is_behind(s, 0, 1, 3, 2) && is_behind(s, 0, 2, 3, 1) &&
            is_behind(s, 1, 2, 3, 0))
            return true;
        best = nearer(nearer(on_face(s, 0, 1, 2), on_face(s, 0, 1, 3)),
                      nearer(on_face(s, 0, 2, 3), on_face(s, 1, 2, 3)));
    }
    gjk_keep(s, best.which, best.weight, best.count);
    return false;
}

static bool gjk_holds(const simplex *s, lf_vec3 at) {
    for (int i = 0; i < s->count; i++)
        if (s->at[i].x == at.x && s->at[i].y == at.y && s->at[i].z == at.z)
            return true;
    return false;
}

/// The extreme difference along a direction, as the last corner of the simplex.
static lf_vec3 add_extreme(simplex *s, const lf__posed *a, const lf__posed *b, lf_vec3 direction) {
    lf_vec3 on_a = body_support(a, direction), on_b = body_support(b, lf_vec3_scale(direction, -1));
    s->a[s->count] = on_a;
    s->b[s->count] = on_b;
    s->at[s->count] = lf_vec3_sub(on_a, on_b);
    s->weight[s->count] = 1;
    return s->at[s->count];
}

lf__gap lf__find_gap(const lf__posed *a, const lf__posed *b, double near) {
    simplex s = {.count = 0};
    lf__gap gap = {-LF_INFINITY, LF_INFINITY, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    lf_vec3 v = add_extreme(&s, a, b, (lf_vec3){1, 0, 0});
    s.count = 1;
    for (int round = 0; round < GJK_ROUNDS; round++) {
        double length = lf_vec3_length(v);
        gap.distance = length;
        gap.point_a = blend(s.a, s.weight, s.count);
        gap.point_b = blend(s.b, s.weight, s.count);
        if (!(length > near))
            break;
        lf_vec3 normal = lf_vec3_scale(v, 1 / length);
        lf_vec3 extreme = add_extreme(&s, a, b, lf_vec3_scale(normal, -1));
        double least = lf_vec3_dot(normal, extreme);
        if (least > gap.least) {
            gap.least = least;
            gap.normal = normal;
        }
        if (length - least <= 1e-12 * length || gjk_holds(&s, extreme))
            break;
        s.count++;
        if (reduce(&s)) {
            gap.distance = 0;
            break;
        }
        v = blend(s.at, s.weight, s.count);
    }
    return gap;
}

// ---------------------------------------------------------------------------------------------------
// Bodies
// ---------------------------------------------------------------------------------------------------

// Conservative advancement: at some time a direction separates the bodies by a gap. Along that direction
// every point moves with its own speed, and rotation can change that speed only so fast: the second
// derivative of a rotating point is at most its distance from the axis times the spin squared. So a parabola
// bounds how long the gap stays open. Then a new direction is computed, until the gap is closed or the time
// is over.

/// At most this many steps; after that the bodies count as touching.
#define BODY_ROUNDS 4096

/// Halvings of the time until a gap may close.
#define BODY_HALVINGS 24

/// Does the map of a body only rotate, mirror and scale it?
static bool is_round(const lf_body *body) {
    double square = lf_vec3_dot(body->rows[0], body->rows[0]);
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            if (fabs(lf_vec3_dot(body->rows[i], body->rows[j]) - (i == j ? square : 0)) > 1e-12 * square)
                return false;
    return true;
}

static double fastest_turn(const lf_body *body) {
    double most = 0, spin = lf_vec3_length(body->spin);
    if (!(spin > 0))
        return 0;
    if (body->kind == LF_BODY_POINTS) {
        for (int64_t i = 0; i < body->count; i++) {
            lf_vec3 at = {lf_vec3_dot(body->rows[0], body->points[i]),
                          lf_vec3_dot(body->rows[1], body->points[i]),
                          lf_vec3_dot(body->rows[2], body->points[i])};
            at = lf_vec3_sub(lf_vec3_add(at, body->translation), body->pivot);
            most = fmax(most, lf_vec3_length(lf_vec3_cross(body->spin, at)));
        }
        return most * (1 + 1e-12);
    }
    lf_vec3 middle = lf_vec3_sub(body->translation, body->pivot);
    if (body->kind == LF_BODY_SPHERE && is_round(body)) // rotation does not change it
        return lf_vec3_length(lf_vec3_cross(body->spin, middle)) * (1 + 1e-12);
    double reach = body->kind == LF_BODY_SPHERE ? body->radius : hypot(body->radius, body->half);
    double stretch =
        sqrt(lf_vec3_dot(body->rows[0], body->rows[0]) + lf_vec3_dot(body->rows[1], body->rows[1]) +
             lf_vec3_dot(body->rows[2], body->rows[2]));
    return (lf_vec3_length(lf_vec3_cross(body->spin, middle)) + spin * stretch * reach) * (1 + 1e-12);
}

/// A body, where it is, and how it may move along the direction.
typedef struct traveller {
    const lf_body *body;
    lf__posed posed;
    lf_vec3 pivot;       ///< at the current time
    double turn;         ///< upper bound of any point's speed by rotation
    double acceleration; ///< and of how fast that speed changes
} traveller;

static void body_advance(traveller *it, const lf_body *body, double time) {
    it->body = body;
    lf__pose_body(body, time, &it->posed);
    it->pivot = lf_vec3_along(body->pivot, time, body->velocity);
}

/// A lower bound of the coordinate of any point along a direction after some more time.
static double least_along(const traveller *it, lf_vec3 normal, double more) {
    const lf_body *body = it->body;
    double moved = more * lf_vec3_dot(normal, body->velocity);
    if (it->turn == 0 || body->kind != LF_BODY_POINTS)
        return lf_vec3_dot(normal, body_support(&it->posed, lf_vec3_scale(normal, -1))) + moved -
               more * it->turn;
    // n . (p + more * spin x (p - pivot)) is linear in p: the extreme point along one direction
    lf_vec3 direction = lf_vec3_along(normal, more, lf_vec3_cross(normal, body->spin));
    lf_vec3 p = body_support(&it->posed, lf_vec3_scale(direction, -1));
    double along = lf_vec3_dot(normal, p) +
                   more * lf_vec3_dot(normal, lf_vec3_cross(body->spin, lf_vec3_sub(p, it->pivot)));
    return along + moved - 0.5 * it->acceleration * more * more;
}

/// A lower bound of the gap after some more time.
static double gap_after(const traveller *a, const traveller *b, lf_vec3 normal, double more) {
    return least_along(a, normal, more) + least_along(b, lf_vec3_scale(normal, -1), more);
}

/// How long the gap surely stays open, at most `left`. Its bound is concave in time.
static double safe_time(const traveller *a, const traveller *b, const lf__gap *gap, double left) {
    double closing = lf_vec3_dot(gap->normal, lf_vec3_sub(b->body->velocity, a->body->velocity));
    double worst = closing + a->turn + b->turn;
    if (!(worst > 0) || gap->least >= worst * left)
        return left;
    double safe = gap->least / worst;
    if (a->turn == 0 && b->turn == 0)
        return safe;
    double open = left;
    if (gap_after(a, b, gap->normal, open) > 0)
        return left;
    for (int i = 0; i < BODY_HALVINGS && open - safe > 0.05 * safe; i++) {
        double middle = 0.5 * (safe + open);
        if (gap_after(a, b, gap->normal, middle) > 0)
            safe = middle;
        else
            open = middle;
    }
    return safe;
}

/// near: what counts as touching; 0: by their size.
static void body_meet(const lf_body *body_a, const lf_body *body_b, double ahead, double near,
                      lf_contact_result *meeting) {
    traveller a = {.turn = fastest_turn(body_a)}, b = {.turn = fastest_turn(body_b)};
    a.acceleration = a.turn * lf_vec3_length(body_a->spin);
    b.acceleration = b.turn * lf_vec3_length(body_b->spin);
    double time = 0;
    lf__gap gap = {0};
    *meeting = lf__no_meeting(ahead);
    for (int round = 0; round < BODY_ROUNDS; round++) {
        body_advance(&a, body_a, time);
        body_advance(&b, body_b, time);
        if (near == 0)
            near = LF__CONTACT_NEAR * (body_size(&a.posed) + body_size(&b.posed));
        gap = lf__find_gap(&a.posed, &b.posed, 0.5 * near);
        if (!(gap.least > near))
            break;
        double more = safe_time(&a, &b, &gap, ahead - time);
        if (more >= ahead - time)
            return;
        if (!(time + more > time))
            break;
        time += more;
    }
    meeting->meets = true;
    meeting->time = time;
    meeting->point = lf_vec3_scale(lf_vec3_add(gap.point_a, gap.point_b), 0.5);
    meeting->normal = time > 0 ? lf_vec3_scale(gap.normal, -1) : (lf_vec3){0, 0, 0};
}

static bool body_usable(const lf_body *body) {
    if (!body || !lf__contact_usable(body->translation) || !lf__contact_usable(body->velocity) ||
        !lf__contact_usable(body->spin) || !lf__contact_usable(body->pivot))
        return false;
    for (int k = 0; k < 3; k++)
        if (!lf__contact_usable(body->rows[k]))
            return false;
    if (body->kind == LF_BODY_SPHERE || body->kind == LF_BODY_CYLINDER)
        return body->radius >= 0 && body->radius <= LF__CONTACT_LIMIT &&
               (body->kind == LF_BODY_SPHERE || (body->half >= 0 && body->half <= LF__CONTACT_LIMIT));
    if (body->kind != LF_BODY_POINTS || !body->points || body->count < 1)
        return false;
    for (int64_t i = 0; i < body->count; i++)
        if (!lf__contact_usable(body->points[i]))
            return false;
    return true;
}

lf_status lf_contact_bodies(const lf_body *a, const lf_body *b, double ahead, lf_contact_result *meeting) {
    if (!meeting || !body_usable(a) || !body_usable(b) || !(ahead >= 0) || !isfinite(ahead))
        return LF_BAD_ARGUMENT;
    body_meet(a, b, ahead, 0, meeting);
    return LF_OK;
}

lf_status lf_body_distance(const lf_body *a, const lf_body *b, double *distance) {
    if (!distance || !body_usable(a) || !body_usable(b))
        return LF_BAD_ARGUMENT;
    lf__posed posed_a, posed_b;
    lf__pose_body(a, 0, &posed_a);
    lf__pose_body(b, 0, &posed_b);
    double near = 1e-9 * (body_size(&posed_a) + body_size(&posed_b));
    lf__gap gap = lf__find_gap(&posed_a, &posed_b, 0.25 * near);
    *distance = gap.least > near ? gap.distance : 0;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Rotating boxes are bodies of eight points
// ---------------------------------------------------------------------------------------------------

static void body_of_box(const lf_moving_box *box, lf_vec3 points[8], lf_body *body) {
    lf_vec3 centre = lf_box_centre(box->box), half = lf_vec3_sub(box->box.high, centre);
    for (int i = 0; i < 8; i++)
        points[i] = (lf_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    *body = (lf_body){LF_BODY_POINTS,
                      points,
                      8,
                      0,
                      0,
                      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                      centre,
                      box->velocity,
                      box->spin,
                      lf__is_zero(box->spin) ? centre : box->pivot};
}

void lf__contact_turning(const lf_moving_box *a, const lf_moving_box *b, double ahead,
                         lf_contact_result *meeting) {
    lf_vec3 points_a[8], points_b[8];
    lf_body body_a, body_b;
    body_of_box(a, points_a, &body_a);
    body_of_box(b, points_b, &body_b);
    body_meet(&body_a, &body_b, isfinite(ahead) ? ahead : 1e300, 0, meeting);
    if (!meeting->meets)
        meeting->time = ahead;
}

// ---------------------------------------------------------------------------------------------------
// Models
// ---------------------------------------------------------------------------------------------------

// Models cannot touch before they have moved by the distance between them. Models that pass each other
// closely would need very many such steps. Then the pairs of triangles that are near are followed, each as
// two bodies, until farther ones could touch.

/// Steps by the distance in a row, without getting farther than MOVING_MODEL_CLOSE times what counts as touching.
#define MOVING_MODEL_ROUNDS 32
#define MOVING_MODEL_CLOSE 1000

/// At most this many steps; after that the models count as touching.
#define MOVING_MODEL_MOST 65536

/// Distances need not be exact: the models can advance by this share of the one found.
#define MOVING_MODEL_SHARE 0.7

static lf_pose pose_at(const lf_moving_model *it, double time) {
    lf_pose pose = it->pose, turned = pose;
    const lf_vec3 columns[3] = {{pose.rows[0].x, pose.rows[1].x, pose.rows[2].x},
                                {pose.rows[0].y, pose.rows[1].y, pose.rows[2].y},
                                {pose.rows[0].z, pose.rows[1].z, pose.rows[2].z}};
    lf_vec3 x = lf__turned(columns[0], it->spin, time), y = lf__turned(columns[1], it->spin, time);
    lf_vec3 z = lf__turned(columns[2], it->spin, time);
    turned.rows[0] = (lf_vec3){x.x, y.x, z.x};
    turned.rows[1] = (lf_vec3){x.y, y.y, z.y};
    turned.rows[2] = (lf_vec3){x.z, y.z, z.z};
    lf_vec3 from = lf_vec3_sub(pose.translation, it->pivot);
    lf_vec3 moved = lf_vec3_along(it->pivot, time, it->velocity);
    turned.translation = lf__is_zero(it->spin) ? lf_vec3_along(pose.translation, time, it->velocity)
                                               : lf_vec3_add(moved, lf__turned(from, it->spin, time));
    return turned;
}

static bool moving_model_is_usable(const lf_moving_model *it) {
    return it && it->model && lf_pose_rigid(&it->pose) && lf__contact_usable(it->velocity) &&
           lf__contact_usable(it->spin) && lf__contact_usable(it->pivot);
}

/// An upper bound of the speed of any point of a model by rotation.
static double turn_speed(const lf_moving_model *it) {
    lf_vec3 pivot = lf_pose_to_local(&it->pose, it->pivot);
    double spin = lf_vec3_length(it->spin);
    return spin > 0 ? spin * lf__farthest_corner(lf_model_describe(it->model).box, pivot) : 0;
}

/// Pairs of triangles from a time on.
typedef struct near_pairs {
    const lf_moving_model *a, *b;
    lf_pose pose; ///< of a at that time
    double time, span;
    double near; ///< what counts as touching
    lf_contact_result first;
} near_pairs;

static lf_body body_of_triangle(const near_pairs *pairs, const lf_moving_model *it, const lf_vec3 local[3],
                                lf_vec3 points[3]) {
    for (int k = 0; k < 3; k++)
        points[k] = lf_pose_to_world(&pairs->pose, local[k]);
    lf_vec3 pivot = lf__is_zero(it->spin) ? points[0] : lf_vec3_along(it->pivot, pairs->time, it->velocity);
    return (lf_body){.kind = LF_BODY_POINTS,
                     .points = points,
                     .count = 3,
                     .rows = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                     .velocity = it->velocity,
                     .spin = it->spin,
                     .pivot = pivot};
}

static void follow_pair(void *user, const lf_vec3 a[3], const lf_vec3 b[3]) {
    near_pairs *pairs = user;
    lf_vec3 points_a[3], points_b[3];
    lf_contact_result meeting;
    lf_body body_a = body_of_triangle(pairs, pairs->a, a, points_a),
            body_b = body_of_triangle(pairs, pairs->b, b, points_b);
    body_meet(&body_a, &body_b, pairs->span, pairs->near, &meeting);
    if (!meeting.meets || (pairs->first.meets && meeting.time >= pairs->first.time))
        return;
    pairs->first = meeting;
    pairs->span = meeting.time;
}

static lf_model_query moving_query(const lf_moving_model *a, const lf_moving_model *b, double time) {
    lf_model_query query = lf_model_query_default();
    query.a = a->model;
    query.b = b->model;
    query.pose_a = pose_at(a, time);
    query.pose_b = pose_at(b, time);
    return query;
}

lf_status lf_contact_models(const lf_moving_model *a, const lf_moving_model *b, double ahead,
                            lf_contact_result *meeting, lf_cursor *cursor) {
    if (!meeting || !moving_model_is_usable(a) || !moving_model_is_usable(b) || !(ahead >= 0) ||
        !isfinite(ahead))
        return LF_BAD_ARGUMENT;
    double near =
        LF__CONTACT_NEAR * (lf_model_describe(a->model).radius + lf_model_describe(b->model).radius);
    double speed = lf_vec3_length(lf_vec3_sub(a->velocity, b->velocity)) + turn_speed(a) + turn_speed(b);
    lf_contact_result found = lf__no_meeting(ahead);
    double time = 0, more;
    for (int round = 0, close = 0; time <= ahead; round++, time += more) {
        lf_model_query query = moving_query(a, b, time);
        lf_model_distance nearest;
        lf_status status = lf__model_nearest_approx(&query, MOVING_MODEL_SHARE, &nearest, cursor);
        if (status == LF_OK && lf__cursor_stops(cursor))
            status = LF_CANCELLED;
        if (status != LF_OK)
            return status;
        if (nearest.distance <= near || round == MOVING_MODEL_MOST) {
            found.meets = true;
            found.time = time;
            found.point = lf_vec3_scale(lf_vec3_add(nearest.point_a, nearest.point_b), 0.5);
            if (time > 0)
                found.normal = lf_vec3_unit(lf_vec3_sub(nearest.point_b, nearest.point_a));
            break;
        }
        // the error of the distance is 1e-13 of the coordinates, far less than `near`
        more = (MOVING_MODEL_SHARE * nearest.distance - 0.5 * near) / speed;
        close = nearest.distance < MOVING_MODEL_CLOSE * near ? close + 1 : 0;
        if (close <= MOVING_MODEL_ROUNDS || !(time + more <= ahead))
            continue;
        double reach = 2 * MOVING_MODEL_CLOSE * near;
        near_pairs pairs = {a,    b,  query.pose_a, time, fmin((reach - 0.5 * near) / speed, ahead - time),
                            near, {0}};
        status = lf__model_all_near(&query, reach, follow_pair, &pairs, cursor);
        if (status != LF_OK)
            return status;
        if (pairs.first.meets) {
            found = pairs.first;
            found.time += time;
            break;
        }
        more = pairs.span;
        close = 0;
    }
    *meeting = found;
    return LF_OK;
}
