/// Things that move: how far, until they touch the ground.
///
/// A thing and a flat piece are convex, and so is the piece with some thickness. Between them lies a plane; the thing may move
/// on at least until it reaches that plane, and if it does not move towards it, they never meet. So it goes from plane
/// to plane until the piece is within the tolerance, or behind. A bilinear patch is cut into pieces that are flat to within half
/// the tolerance, and given that thickness; parts that the thing cannot reach before its first contact so far are not cut.
#include "grid/distance.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include "grid/grid_question.h"

/// Planes per piece before a thing is stopped where it is, which is never late.
#define MOST_PLANES 1000

/// A patch is cut in four at most so many times in a row.
#define MOST_CUTS 24

/// And so many times where it is steeper than it can be cut flat, by slopes of thousands: a contact there may be early by a 2000th of a
/// cell's diagonal, never late.
#define CLIFF_CUTS 12

typedef struct sweep {
    const lf_grid *grid;
    lf__mover mover;
    lf_vec3 reach; ///< half the sides of the thing's box in the world
    double tolerance;
    double end; ///< t of the first contact so far, or 1
    lf_sweep_contact *contact;
    uint64_t parts; ///< of patches that were cut
} sweep;

/// Can the thing come near a box before `end`?
static bool comes_near(void *user, const lf_box *box) {
    const sweep *s = user;
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

static void note_contact(sweep *s, double t, const lf__apart *apart, const lf_vec3 triangle[3],
                         int64_t element) {
    lf_sweep_contact *c = s->contact;
    if (c->touches && (t > c->t || (t == c->t && element >= c->element)))
        return;
    lf_vec3 up = lf_vec3_cross(lf_vec3_sub(triangle[1], triangle[0]), lf_vec3_sub(triangle[2], triangle[0]));
    bool apart_at_all = lf_vec3_dot(apart->away, apart->away) > 0;
    *c = (lf_sweep_contact){true, t, apart->point, apart_at_all ? apart->away : lf_vec3_unit(up), element};
    s->end = t;
}

static void meet_triangle(sweep *s, const lf_vec3 triangle[3], double thick, int64_t element) {
    double t = 0, near = thick > 0 ? 0.5 * s->tolerance : s->tolerance;
    for (int planes = 0; planes < MOST_PLANES; planes++) {
        lf__apart apart = lf__mover_apart(&s->mover, t, triangle);
        double rest = apart.distance - thick, closing = -lf_vec3_dot(s->mover.motion, apart.away);
        if (rest <= near || planes == MOST_PLANES - 1) {
            note_contact(s, t, &apart, triangle, element);
            return;
        }
        if (closing <= 0)
            return;
        t += (rest - 0.25 * near) / closing; // stops short of the plane: rounding cannot carry it beyond
        if (!(t <= s->end))
            return;
    }
}

static lf_vec3 middle(lf_vec3 a, lf_vec3 b) {
    return (lf_vec3){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z)};
}

static void meet_flat(sweep *s, const lf_vec3 c[4], double thick, int64_t element) {
    const lf_vec3 second[3] = {c[0], c[2], c[3]};
    meet_triangle(s, c, thick, element);
    meet_triangle(s, second, thick, element);
}

/// Planes after which a part of a patch counts as reached.
#define SOME_PLANES 8

/// Can the thing come within `near` of a triangle before `end`?
static bool reaches_triangle(const sweep *s, const lf_vec3 triangle[3], double near) {
    double t = 0;
    for (int planes = 0; planes < SOME_PLANES; planes++) {
        lf__apart apart = lf__mover_apart(&s->mover, t, triangle);
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

/// Can it come near any part of a patch that lies within `off` of its two triangles? The triangles of a part may be off by half as much again.
static bool reaches_patch(const sweep *s, const lf_vec3 c[4], double off) {
    const lf_vec3 second[3] = {c[0], c[2], c[3]};
    double near = 1.5 * off + s->tolerance;
    return reaches_triangle(s, c, near) || reaches_triangle(s, second, near);
}

/// The longer diagonal of a patch in plan.
static double width_of(const lf_vec3 c[4]) {
    lf_vec3 a = lf_vec3_sub(c[2], c[0]), b = lf_vec3_sub(c[3], c[1]);
    return sqrt(fmax(a.x * a.x + a.y * a.y, b.x * b.x + b.y * b.y));
}

/// A patch, or a part of one, by its corners in turn.
static void meet_patch(sweep *s, const lf_vec3 c[4], int cuts, int64_t element) {
    lf_box box = lf_box_empty();
    for (int k = 0; k < 4; k++)
        box = lf_box_with(box, c[k]);
    if (!comes_near(s, &box))
        return;
    // A patch is nowhere farther from its two triangles than a quarter of its twist. Nor than it is wide:
    // they have each of its heights somewhere.
    double twist = 0.25 * fabs((c[2].z - c[3].z) - (c[1].z - c[0].z)), width = width_of(c),
           off = fmin(twist, width);
    bool cliff = twist > width && cuts <= MOST_CUTS - CLIFF_CUTS;
    s->parts++;
    if (!(off > 0.5 * s->tolerance) || cliff || cuts == 0) {
        meet_flat(s, c, off, element);
        return;
    }
    if (!reaches_patch(s, c, off))
        return;
    lf_vec3 sides[4], heart = middle(middle(c[0], c[1]), middle(c[2], c[3]));
    for (int k = 0; k < 4; k++)
        sides[k] = middle(c[k], c[(k + 1) % 4]);
    const lf_vec3 parts[4][4] = {{c[0], sides[0], heart, sides[3]},
                                 {sides[0], c[1], sides[1], heart},
                                 {heart, sides[1], c[2], sides[2]},
                                 {sides[3], heart, sides[2], c[3]}};
    for (int k = 0; k < 4; k++)
        meet_patch(s, parts[k], cuts - 1, element);
}

static void meet_piece(void *user, const lf__piece *piece) {
    sweep *s = user;
    lf_vec3 corners[4];
    int count = lf__piece_outline(s->grid, piece, corners);
    int64_t element = lf__grid_element(s->grid, piece->i, piece->j);
    if (piece->kind == LF__PIECE_PATCH)
        meet_patch(s, corners, MOST_CUTS, element);
    else if (count == 4)
        meet_flat(s, corners, 0, element);
    else
        meet_triangle(s, corners, 0, element);
}

static const lf_sweep_contact no_contact = {.t = 1, .element = -1};

static lf_status run(const lf_grid *grid, const lf__mover *mover, double tolerance, lf_sweep_contact *contact,
                     lf_cursor *cursor) {
    if (contact)
        *contact = no_contact;
    if (!grid || !contact || !lf_vec3_finite(mover->centre) || !lf_vec3_finite(mover->motion) ||
        !(mover->radius >= 0) || isinf(mover->radius) || !(tolerance > 0) || isinf(tolerance))
        return LF_BAD_ARGUMENT;
    double r = mover->radius;
    const lf_vec3 *a = mover->axes;
    lf__grid_room room;
    const lf_grid *view = lf__grid_open(grid, cursor, &room);
    sweep s = {view, *mover, {r, r, r}, tolerance, 1, contact, 0};
    for (int k = 0; k < 3; k++) {
        if (!lf_vec3_finite(a[k]))
            return LF_BAD_ARGUMENT;
        s.reach = (lf_vec3){s.reach.x + fabs(a[k].x), s.reach.y + fabs(a[k].y), s.reach.z + fabs(a[k].z)};
    }
    lf__grid_visitor visitor = {comes_near, meet_piece, &s};
    lf_counters cost = {.questions = 1};
    if (lf__cursor_layers(cursor) & 1u)
        lf__grid_visit(view, &visitor, cursor);
    cost.triangles = 2 * s.parts;
    lf__cursor_count(cursor, &cost);
    lf__grid_close(grid, view, cursor);
    return lf__grid_told(grid, LF_OK);
}

lf_status lf_grid_sweep_sphere(const lf_grid *grid, lf_vec3 centre, double radius, lf_vec3 motion,
                               double tolerance, lf_sweep_contact *contact, lf_cursor *cursor) {
    lf__mover mover = {.centre = centre, .radius = radius, .motion = motion};
    return run(grid, &mover, tolerance, contact, cursor);
}

lf_status lf_grid_sweep_box(const lf_grid *grid, const lf_pose *pose, lf_vec3 half, lf_vec3 motion,
                            double tolerance, lf_sweep_contact *contact, lf_cursor *cursor) {
    if (!pose || !(half.x > 0) || !(half.y > 0) || !(half.z > 0)) {
        if (contact)
            *contact = no_contact;
        return LF_BAD_ARGUMENT;
    }
    lf__mover mover = {.centre = lf_pose_to_world(pose, (lf_vec3){0, 0, 0}), .motion = motion};
    mover.axes[0] = lf_pose_turn_to_world(pose, (lf_vec3){half.x, 0, 0});
    mover.axes[1] = lf_pose_turn_to_world(pose, (lf_vec3){0, half.y, 0});
    mover.axes[2] = lf_pose_turn_to_world(pose, (lf_vec3){0, 0, half.z});
    return run(grid, &mover, tolerance, contact, cursor);
}
