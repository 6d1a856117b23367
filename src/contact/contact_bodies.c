/// Bodies that move and turn: never farther ahead than they surely do not touch.
///
/// At some time a direction separates the bodies by a gap. Along that direction every point moves on by its own speed, and turning can
/// change that speed only so fast: the second derivative of a point that turns is at most its distance from the axis times the spin
/// squared. So the gap stays open until a parabola says otherwise. Then a new direction is found, until the gap is closed or the time
/// is over.
#include "contact/convex.h"

/// A gap that is always found a little smaller ends sometime; then the bodies are taken to touch.
#define ROUNDS 4096

/// Halvings of the time until a gap may close.
#define HALVINGS 24

/// Does the map of a body only turn, mirror and scale it?
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
    if (body->kind == LF_BODY_SPHERE && is_round(body)) // it looks the same however it is turned
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
    lf_vec3 pivot; ///< now
    double turn;   ///< no point is faster by turning
    double bend;   ///< and none changes that speed faster
} traveller;

static void go(traveller *it, const lf_body *body, double time) {
    it->body = body;
    lf__pose_body(body, time, &it->posed);
    it->pivot = lf_vec3_along(body->pivot, time, body->velocity);
}

/// The least that any point can be along a direction after some more time.
static double least_along(const traveller *it, lf_vec3 normal, double more) {
    const lf_body *body = it->body;
    double moved = more * lf_vec3_dot(normal, body->velocity);
    if (it->turn == 0 || body->kind != LF_BODY_POINTS)
        return lf_vec3_dot(normal, lf__support(&it->posed, lf_vec3_scale(normal, -1))) + moved -
               more * it->turn;
    // n . (p + more * spin x (p - pivot)) is linear in p: the extreme point along one direction
    lf_vec3 direction = lf_vec3_along(normal, more, lf_vec3_cross(normal, body->spin));
    lf_vec3 p = lf__support(&it->posed, lf_vec3_scale(direction, -1));
    double along = lf_vec3_dot(normal, p) +
                   more * lf_vec3_dot(normal, lf_vec3_cross(body->spin, lf_vec3_sub(p, it->pivot)));
    return along + moved - 0.5 * it->bend * more * more;
}

/// How wide the gap surely is after some more time.
static double gap_after(const traveller *a, const traveller *b, lf_vec3 normal, double more) {
    return least_along(a, normal, more) + least_along(b, lf_vec3_scale(normal, -1), more);
}

/// For how long the gap surely stays open, at most `left`. It is concave in time.
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
    for (int i = 0; i < HALVINGS && open - safe > 0.05 * safe; i++) {
        double middle = 0.5 * (safe + open);
        if (gap_after(a, b, gap->normal, middle) > 0)
            safe = middle;
        else
            open = middle;
    }
    return safe;
}

static void meet(const lf_body *body_a, const lf_body *body_b, double ahead, lf_contact_result *meeting) {
    traveller a = {.turn = fastest_turn(body_a)}, b = {.turn = fastest_turn(body_b)};
    a.bend = a.turn * lf_vec3_length(body_a->spin);
    b.bend = b.turn * lf_vec3_length(body_b->spin);
    double time = 0, near = 0;
    lf__gap gap = {0};
    *meeting = lf__no_meeting(ahead);
    for (int round = 0; round < ROUNDS; round++) {
        go(&a, body_a, time);
        go(&b, body_b, time);
        if (round == 0)
            near = LF__CONTACT_NEAR * (lf__body_size(&a.posed) + lf__body_size(&b.posed));
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

bool lf__body_usable(const lf_body *body) {
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
    if (!meeting || !lf__body_usable(a) || !lf__body_usable(b) || !(ahead >= 0) || !isfinite(ahead))
        return LF_BAD_ARGUMENT;
    meet(a, b, ahead, meeting);
    return LF_OK;
}

lf_status lf_body_distance(const lf_body *a, const lf_body *b, double *distance) {
    if (!distance || !lf__body_usable(a) || !lf__body_usable(b))
        return LF_BAD_ARGUMENT;
    lf__posed posed_a, posed_b;
    lf__pose_body(a, 0, &posed_a);
    lf__pose_body(b, 0, &posed_b);
    double near = 1e-9 * (lf__body_size(&posed_a) + lf__body_size(&posed_b));
    lf__gap gap = lf__find_gap(&posed_a, &posed_b, 0.25 * near);
    *distance = gap.least > near ? gap.distance : 0;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Boxes that turn are bodies of eight points
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

void lf__contact_turning(const lf_moving_box *a, const lf_moving_box *b, double ahead, lf_contact_result *meeting) {
    lf_vec3 points_a[8], points_b[8];
    lf_body body_a, body_b;
    body_of_box(a, points_a, &body_a);
    body_of_box(b, points_b, &body_b);
    meet(&body_a, &body_b, isfinite(ahead) ? ahead : 1e300, meeting);
    if (!meeting->meets)
        meeting->time = ahead;
}
