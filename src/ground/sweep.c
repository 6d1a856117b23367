/// Sweeps: first contacts of moving spheres and boxes with the ground.
///
/// An object and a flat piece are convex, and so is the piece with some thickness. A plane separates them;
/// the object can move at least until it reaches that plane, and if it does not move towards the plane, they
/// never touch. So it advances from plane to plane until the piece is within the tolerance, or passed. What is
/// not flat is cut into pieces that are, to within half the tolerance, which is then their thickness.
#include "ground/sweep.h"

/// The distance of an object from a piece.
typedef struct sweep_distance {
    double distance; ///< 0 when they touch
    lf_vec3 point;   ///< of the piece, nearest to the object
    lf_vec3 away;    ///< unit, from there to the object; zero when they touch
} sweep_distance;

static double sweep_share(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// ---------------------------------------------------------------------------------------------------
// Points and segments
// ---------------------------------------------------------------------------------------------------

/// Two points and the square of their distance.
typedef struct nearest_pair {
    lf_vec3 object, ground;
    double square;
} nearest_pair;

static void nearest_keep(nearest_pair *best, lf_vec3 object, lf_vec3 ground) {
    lf_vec3 between = lf_vec3_sub(object, ground);
    double square = lf_vec3_dot(between, between);
    if (square < best->square)
        *best = (nearest_pair){object, ground, square};
}

static lf_vec3 nearest_on_segment(lf_vec3 p, lf_vec3 a, lf_vec3 b) {
    lf_vec3 along = lf_vec3_sub(b, a);
    double length = lf_vec3_dot(along, along);
    return length > 0 ? lf_vec3_along(a, sweep_share(lf_vec3_dot(lf_vec3_sub(p, a), along) / length), along)
                      : a;
}

/// The nearest point of a triangle: in its interior where the point projects to it, else on a side.
static void point_to_triangle(lf_vec3 p, const lf_vec3 t[3], nearest_pair *best) {
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0]));
    double size = lf_vec3_dot(normal, normal);
    bool over = size > 0;
    for (int k = 0; k < 3; k++) {
        lf_vec3 a = t[k], b = t[(k + 1) % 3];
        nearest_keep(best, p, nearest_on_segment(p, a, b));
        over = over && lf_vec3_dot(lf_vec3_cross(lf_vec3_sub(b, a), lf_vec3_sub(p, a)), normal) >= 0;
    }
    if (over)
        nearest_keep(best, p, lf_vec3_along(p, -lf_vec3_dot(lf_vec3_sub(p, t[0]), normal) / size, normal));
}

/// The nearest points of two segments. For parallel segments these include an end, which other tests cover.
static void segment_to_segment(lf_vec3 p, lf_vec3 d, lf_vec3 q, lf_vec3 e, nearest_pair *best) {
    lf_vec3 r = lf_vec3_sub(p, q);
    double dd = lf_vec3_dot(d, d), ee = lf_vec3_dot(e, e), de = lf_vec3_dot(d, e);
    double dr = lf_vec3_dot(d, r), er = lf_vec3_dot(e, r), area = dd * ee - de * de;
    if (!(area > 1e-14 * dd * ee))
        return;
    double s = sweep_share((de * er - dr * ee) / area), u = sweep_share((de * s + er) / ee);
    s = sweep_share((de * u - dr) / dd);
    nearest_keep(best, lf_vec3_along(p, s, d), lf_vec3_along(q, u, e));
}

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

/// Coordinates in a box, whose points are centre + x * axes with |x| <= 1.
static lf_vec3 box_to_local(const lf__sweep_mover *m, lf_vec3 centre, lf_vec3 p) {
    lf_vec3 from = lf_vec3_sub(p, centre);
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = lf_vec3_dot(from, m->axes[k]) / lf_vec3_dot(m->axes[k], m->axes[k]);
    return (lf_vec3){x[0], x[1], x[2]};
}

static lf_vec3 box_to_world(const lf__sweep_mover *m, lf_vec3 centre, double x, double y, double z) {
    return lf_vec3_along(lf_vec3_along(lf_vec3_along(centre, x, m->axes[0]), y, m->axes[1]), z, m->axes[2]);
}

static double clamp_box(double x) {
    return x < -1 ? -1 : x > 1 ? 1 : x;
}

/// Does a segment pass through the box, and where does it enter it?
static bool passes_box(const lf__sweep_mover *m, lf_vec3 centre, lf_vec3 a, lf_vec3 b, lf_vec3 *at) {
    lf_vec3 p = box_to_local(m, centre, a), q = box_to_local(m, centre, b);
    const double from[3] = {p.x, p.y, p.z}, to[3] = {q.x, q.y, q.z};
    double first = 0, last = 1;
    for (int k = 0; k < 3; k++) {
        double step = to[k] - from[k];
        if (step == 0) {
            if (fabs(from[k]) > 1)
                return false;
            continue;
        }
        double s = (-1 - from[k]) / step, e = (1 - from[k]) / step;
        first = fmax(first, fmin(s, e));
        last = fmin(last, fmax(s, e));
    }
    *at = lf_vec3_along(a, first, lf_vec3_sub(b, a));
    return first <= last;
}

/// Does a segment pass through a triangle?
static bool passes_triangle(lf_vec3 a, lf_vec3 b, const lf_vec3 t[3], lf_vec3 *at) {
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0]));
    double p = lf_vec3_dot(lf_vec3_sub(a, t[0]), normal), q = lf_vec3_dot(lf_vec3_sub(b, t[0]), normal);
    if (p == q || (p > 0 && q > 0) || (p < 0 && q < 0))
        return false;
    *at = lf_vec3_along(a, p / (p - q), lf_vec3_sub(b, a));
    for (int k = 0; k < 3; k++) {
        lf_vec3 side = lf_vec3_sub(t[(k + 1) % 3], t[k]);
        if (lf_vec3_dot(lf_vec3_cross(side, lf_vec3_sub(*at, t[k])), normal) < 0)
            return false;
    }
    return true;
}

/// One of the twelve edges: along axis k / 4.
static void box_edge(const lf__sweep_mover *m, lf_vec3 centre, int k, lf_vec3 ends[2]) {
    int axis = k / 4;
    double a = k & 1 ? 1 : -1, b = k & 2 ? 1 : -1;
    for (int end = 0; end < 2; end++) {
        double along = end ? 1 : -1;
        ends[end] = axis == 0   ? box_to_world(m, centre, along, a, b)
                    : axis == 1 ? box_to_world(m, centre, a, along, b)
                                : box_to_world(m, centre, a, b, along);
    }
}

static void box_to_triangle(const lf__sweep_mover *m, lf_vec3 centre, const lf_vec3 t[3],
                            nearest_pair *best) {
    lf_vec3 at;
    for (int k = 0; k < 3; k++) {
        lf_vec3 x = box_to_local(m, centre, t[k]);
        nearest_keep(best, box_to_world(m, centre, clamp_box(x.x), clamp_box(x.y), clamp_box(x.z)), t[k]);
        if (passes_box(m, centre, t[k], t[(k + 1) % 3], &at))
            *best = (nearest_pair){at, at, 0};
    }
    for (int k = 0; k < 12; k++) {
        lf_vec3 ends[2];
        box_edge(m, centre, k, ends);
        if (k < 4) { // these four have all corners
            point_to_triangle(ends[0], t, best);
            point_to_triangle(ends[1], t, best);
        }
        if (passes_triangle(ends[0], ends[1], t, &at))
            *best = (nearest_pair){at, at, 0};
        for (int side = 0; side < 3; side++)
            segment_to_segment(ends[0], lf_vec3_sub(ends[1], ends[0]), t[side],
                               lf_vec3_sub(t[(side + 1) % 3], t[side]), best);
    }
}

/// The distance of an object that has moved for t from a triangle.
static sweep_distance sweep_apart(const lf__sweep_mover *mover, double t, const lf_vec3 triangle[3]) {
    lf_vec3 centre = lf_vec3_along(mover->centre, t, mover->motion);
    nearest_pair best = {centre, centre, LF_INFINITY};
    if (lf_vec3_dot(mover->axes[0], mover->axes[0]) + lf_vec3_dot(mover->axes[1], mover->axes[1]) +
            lf_vec3_dot(mover->axes[2], mover->axes[2]) >
        0)
        box_to_triangle(mover, centre, triangle, &best);
    else
        point_to_triangle(centre, triangle, &best);
    double length = sqrt(best.square), rest = length - mover->radius;
    sweep_distance apart = {rest > 0 ? rest : 0, best.ground, {0, 0, 0}};
    if (length > 0)
        apart.away = lf_vec3_scale(lf_vec3_sub(best.object, best.ground), 1 / length);
    return apart;
}

// ---------------------------------------------------------------------------------------------------
// Sweeps
// ---------------------------------------------------------------------------------------------------

/// Planes per piece after which the object stops, which is conservative.
#define SWEEP_MOST_PLANES 1000

/// Can the object come near a box before `end`?
bool lf__sweep_comes_near(void *user, const lf_box *box) {
    const lf__sweeping *s = user;
    if (s->near)
        return s->near(s, box);
    const lf_vec3 c = s->mover.centre, m = s->mover.motion, low = box->low, high = box->high;
    const double from[3] = {c.x, c.y, c.z}, step[3] = {m.x, m.y, m.z};
    const double reach[3] = {s->reach.x, s->reach.y, s->reach.z};
    const double lows[3] = {low.x, low.y, low.z}, highs[3] = {high.x, high.y, high.z};
    double first = 0, last = s->end;
    for (int k = 0; k < 3; k++) {
        double pad = s->tolerance + reach[k] +
                     1e-13 * (fabs(from[k]) + fabs(step[k]) + fabs(lows[k]) + fabs(highs[k]) + reach[k]);
        double a = lows[k] - pad - from[k], b = highs[k] + pad - from[k];
        if (step[k] == 0) {
            if (a > 0 || b < 0)
                return false;
            continue;
        }
        first = fmax(first, fmin(a / step[k], b / step[k]) - 1e-13);
        last = fmin(last, fmax(a / step[k], b / step[k]) + 1e-13);
    }
    return first <= last;
}

static void sweep_note_contact(lf__sweeping *s, double t, const sweep_distance *apart,
                               const lf_vec3 triangle[3]) {
    const lf__sweep_element *e = &s->element;
    if (s->found && (t > s->hit->t || (t == s->hit->t && e->element >= s->hit->element)))
        return;
    lf_vec3 up = lf_vec3_cross(lf_vec3_sub(triangle[1], triangle[0]), lf_vec3_sub(triangle[2], triangle[0]));
    bool apart_at_all = lf_vec3_dot(apart->away, apart->away) > 0;
    *s->hit = (lf_hit){.kind = s->kind,
                       .t = t,
                       .point = apart->point,
                       .normal = apart_at_all ? apart->away : lf_vec3_unit(up),
                       .element = e->element,
                       .triangle = e->triangle,
                       .user = e->user,
                       .layers = e->layers};
    s->found = true;
    s->end = t;
}

void lf__sweep_triangle(lf__sweeping *s, const lf_vec3 triangle[3], double thick) {
    s->tested++;
    if (s->each) {
        s->each(s, triangle);
        return;
    }
    double t = 0, near = thick > 0 ? 0.5 * s->tolerance : s->tolerance;
    for (int planes = 0; planes < SWEEP_MOST_PLANES; planes++) {
        sweep_distance apart = sweep_apart(&s->mover, t, triangle);
        double rest = apart.distance - thick, closing = -lf_vec3_dot(s->mover.motion, apart.away);
        if (rest <= near || planes == SWEEP_MOST_PLANES - 1) {
            sweep_note_contact(s, t, &apart, triangle);
            return;
        }
        if (closing <= 0)
            return;
        t += (rest - 0.25 * near) / closing; // stops before the plane, with a margin for rounding
        if (!(t <= s->end))
            return;
    }
}

void lf__sweep_flat(lf__sweeping *s, const lf_vec3 c[4], double thick) {
    const lf_vec3 second[3] = {c[0], c[2], c[3]};
    lf__sweep_triangle(s, c, thick);
    lf__sweep_triangle(s, second, thick);
}

/// Planes after which a part of a patch counts as reached.
#define SWEEP_SOME_PLANES 8

/// Can the object come within `near` of a triangle before `end`?
static bool sweep_reaches_triangle(const lf__sweeping *s, const lf_vec3 triangle[3], double near) {
    double t = 0;
    for (int planes = 0; planes < SWEEP_SOME_PLANES; planes++) {
        sweep_distance apart = sweep_apart(&s->mover, t, triangle);
        double rest = apart.distance - near, closing = -lf_vec3_dot(s->mover.motion, apart.away);
        if (!(rest > 0))
            return true;
        if (closing <= 0)
            return false;
        t += rest / closing;
        if (!(t <= s->end))
            return false;
    }
    return true;
}

/// Can it come near any part of a patch that lies within `off` of its two triangles? The triangles of a part
/// may deviate by half as much more.
bool lf__sweep_reaches(const lf__sweeping *s, const lf_vec3 c[4], double off) {
    if (s->near) // its box has been tested
        return true;
    const lf_vec3 second[3] = {c[0], c[2], c[3]};
    double near = 1.5 * off + s->tolerance;
    return sweep_reaches_triangle(s, c, near) || sweep_reaches_triangle(s, second, near);
}

/// A curved surface is cut at most so often, and at least once: its corners alone say nothing of a whole turn.
#define CURVED_MOST_CUTS 40

static void sweep_curved(lf__sweeping *s, const lf__sweep_patch *patch, lf_box r, int cuts) {
    const lf_vec3 c[4] = {patch->at(patch->user, r.low.x, r.low.y), patch->at(patch->user, r.high.x, r.low.y),
                          patch->at(patch->user, r.high.x, r.high.y),
                          patch->at(patch->user, r.low.x, r.high.y)};
    double u = r.high.x - r.low.x, v = r.high.y - r.low.y;
    // The surface is that far from its bilinear interpolation, and that from its two triangles by a quarter
    // of the twist.
    double off =
        0.125 * (patch->uu * u * u + 2 * patch->uv * u * v + patch->vv * v * v) + 0.25 * patch->uv * u * v;
    lf_box box = lf_box_empty();
    for (int k = 0; k < 4; k++)
        box = lf_box_with(box, c[k]);
    lf_vec3 by = {off, off, off};
    box = (lf_box){lf_vec3_sub(box.low, by), lf_vec3_add(box.high, by)};
    if (!lf__sweep_comes_near(s, &box))
        return;
    if (!(off > 0.5 * s->tolerance) || cuts == 0) {
        lf__sweep_flat(s, c, off);
        return;
    }
    if (!lf__sweep_reaches(s, c, off))
        return;
    lf_box low = r, high = r;
    if (patch->uu * u * u >= patch->vv * v * v)
        low.high.x = high.low.x = 0.5 * (r.low.x + r.high.x);
    else
        low.high.y = high.low.y = 0.5 * (r.low.y + r.high.y);
    sweep_curved(s, patch, low, cuts - 1);
    sweep_curved(s, patch, high, cuts - 1);
}

void lf__sweep_curved(lf__sweeping *s, const lf__sweep_patch *patch, lf_box range) {
    sweep_curved(s, patch, range, CURVED_MOST_CUTS);
}

lf_vec3 lf__sweep_reach(const lf__sweep_mover *mover) {
    const lf_vec3 *a = mover->axes;
    lf_vec3 reach = {mover->radius, mover->radius, mover->radius};
    for (int k = 0; k < 3; k++)
        reach = (lf_vec3){reach.x + fabs(a[k].x), reach.y + fabs(a[k].y), reach.z + fabs(a[k].z)};
    return reach;
}

/// A sphere has no sides, a box three, and no radius.
static bool sweep_valid(const lf_sweep *sweep) {
    lf_vec3 h = sweep->half;
    bool sphere = h.x == 0 && h.y == 0 && h.z == 0 && sweep->radius >= 0 && isfinite(sweep->radius);
    bool box = h.x > 0 && h.y > 0 && h.z > 0 && sweep->radius == 0 && lf_vec3_finite(h);
    return (sphere || box) && lf_pose_rigid(&sweep->pose) && lf_vec3_finite(sweep->motion) &&
           sweep->tolerance > 0 && isfinite(sweep->tolerance);
}

bool lf__sweep_sphere(const lf_ground *ground, const lf_sweep *sphere, uint32_t layers, bool globes,
                      lf_hit *hit) {
    lf__sweeping s = {
        .mover = {.centre = sphere->pose.translation, .radius = sphere->radius, .motion = sphere->motion},
        .reach = {sphere->radius, sphere->radius, sphere->radius},
        .tolerance = sphere->tolerance,
        .end = 1,
        .hit = hit,
        .kind = LF_HIT_TRIANGLE,
        .layers = layers,
        .no_globe = !globes};
    ground->kind->sweep(ground->object, &s);
    return s.found;
}

lf_status lf_ground_sweep(const lf_ground *ground, const lf_sweep *sweep, lf_hit *hit, lf_cursor *cursor) {
    if (hit)
        *hit = lf__hit_none(1, LF_REASON_NONE);
    if (!ground || !hit || !sweep || !sweep_valid(sweep) || !ground->kind->sweep)
        return LF_BAD_ARGUMENT;
    lf__sweep_mover mover = {
        .centre = sweep->pose.translation, .radius = sweep->radius, .motion = sweep->motion};
    mover.axes[0] = lf_pose_turn_to_world(&sweep->pose, (lf_vec3){sweep->half.x, 0, 0});
    mover.axes[1] = lf_pose_turn_to_world(&sweep->pose, (lf_vec3){0, sweep->half.y, 0});
    mover.axes[2] = lf_pose_turn_to_world(&sweep->pose, (lf_vec3){0, 0, sweep->half.z});
    lf__sweeping s = {.mover = mover,
                      .reach = lf__sweep_reach(&mover),
                      .tolerance = sweep->tolerance,
                      .end = 1,
                      .hit = hit,
                      .kind = LF_HIT_TRIANGLE,
                      .layers = lf__cursor_layers(cursor),
                      .cursor = cursor};
    ground->kind->sweep(ground->object, &s);
    lf_counters cost = {.questions = 1, .triangles = s.tested};
    lf__cursor_count(cursor, &cost);
    return lf__ground_status(ground, LF_OK);
}
