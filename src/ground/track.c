/// Where outlines cross the track of a way.
#include "ground/track.h"
#include "query/query.h"

/// How far beyond its ends an edge is still crossed: a cut too many does no harm, one that rounding hides does.
#define BEYOND 1e-6

/// An edge that runs along the track as nearly as this has no good crossing: its ends cut instead.
#define ALONG 1e-9

static const lf_vec3 zero = {0, 0, 0};

/// The part of a vector at right angles to another.
static lf_vec3 across(lf_vec3 a, lf_vec3 axis) {
    return lf_vec3_along(a, -lf_vec3_dot(a, axis) / lf_vec3_dot(axis, axis), axis);
}

/// Is b the zero vector as far as the rounding of a's coordinates can tell?
static bool negligible(lf_vec3 b, double size) {
    return lf_vec3_length(b) <= 8 * 0x1p-53 * size;
}

static double size_of(lf_vec3 a, lf_vec3 b) {
    return fmax(lf_vec3_length(a), lf_vec3_length(b));
}

/// Does r pass through zero, or so near that there is no telling?
static bool meets_axis(const lf__track *track, double size) {
    double rr = lf_vec3_dot(track->r1, track->r1);
    double t = rr > 0 ? -lf_vec3_dot(track->r0, track->r1) / rr : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return negligible(lf__track_r(track, t), size);
}

/// Lines towards a line or a point: x on it, r away from it.
static bool make_radial(const lf_frame *frame, lf__track *track) {
    lf_vec3 from = lf_vec3_sub(track->start, frame->origin), move = lf_vec3_sub(track->end, track->start);
    double size = size_of(from, lf_vec3_add(from, move));
    track->x0 = frame->origin;
    track->x1 = zero;
    track->r0 = from;
    track->r1 = move;
    if (frame->kind != LF_FRAME_CENTRE) {
        track->r0 = across(from, frame->down);
        track->r1 = across(move, frame->down);
        track->x0 = lf_vec3_add(frame->origin, lf_vec3_sub(from, track->r0));
        track->x1 = lf_vec3_sub(move, track->r1);
        if (negligible(track->x1, size))
            track->x1 = zero;
    }
    if (meets_axis(track, size))
        return false;
    lf_vec3 turn = lf_vec3_cross(track->r0, track->r1);
    track->still = track->x1.x == 0 && track->x1.y == 0 && track->x1.z == 0 &&
                   negligible(turn, size * lf_vec3_length(track->r0));
    track->s_low = 0;
    track->s_start = 1;
    if (frame->kind == LF_FRAME_AXIS_OUT) { // up is towards the axis
        track->r0 = lf_vec3_scale(track->r0, -1);
        track->r1 = lf_vec3_scale(track->r1, -1);
        track->s_low = -LF_INFINITY;
        track->s_high = 0;
        track->s_start = -1;
    }
    return true;
}

bool lf__track_make(const lf_frame *frame, lf_vec3 a, lf_vec3 b, lf__track *track) {
    *track = (lf__track){.start = a, .end = b, .s_low = -LF_INFINITY, .s_high = LF_INFINITY};
    if (frame->kind != LF_FRAME_GRAVITY)
        return make_radial(frame, track);
    track->x0 = a;
    track->x1 = lf_vec3_sub(b, a);
    track->r0 = lf_vec3_unit(lf_vec3_scale(frame->down, -1));
    lf_vec3 level = across(track->x1, track->r0);
    track->still = negligible(level, lf_vec3_length(track->x1));
    return true;
}

lf__track lf__track_posed(const lf__track *track, const lf_pose *pose) {
    lf__track local = *track;
    local.start = lf_pose_to_local(pose, track->start);
    local.end = lf_pose_to_local(pose, track->end);
    local.x0 = lf_pose_to_local(pose, track->x0);
    local.x1 = lf_pose_turn_to_local(pose, track->x1);
    local.r0 = lf_pose_turn_to_local(pose, track->r0);
    local.r1 = lf_pose_turn_to_local(pose, track->r1);
    return local;
}

lf_vec3 lf__track_point(const lf__track *track, double t) {
    if (t == 1)
        return track->end;
    return lf_vec3_along(track->start, t, lf_vec3_sub(track->end, track->start));
}

lf_ray lf__track_line(const lf__track *track, double t) {
    lf_ray line = {lf__track_point(track, t), lf_vec3_scale(lf__track_r(track, t), -1),
                   track->s_start - track->s_high, track->s_start - track->s_low};
    return line;
}

void lf__cuts_offer(lf__cuts *cuts, double t) {
    if (!(t > cuts->after && t < 1))
        return;
    int64_t at = cuts->count;
    while (at > 0 && cuts->list[at - 1] > t)
        at--;
    if ((at > 0 && cuts->list[at - 1] == t) || at == cuts->capacity)
        return;
    int64_t last = cuts->count < cuts->capacity ? cuts->count++ : cuts->capacity - 1;
    for (int64_t i = last; i > at; i--)
        cuts->list[i] = cuts->list[i - 1];
    cuts->list[at] = t;
}

// ---------------------------------------------------------------------------------------------------
// Edges
// ---------------------------------------------------------------------------------------------------

/// Where on the track a point lies, seen along gravity (or nearest to it).
static double place_of(const lf__track *track, lf_vec3 p) {
    lf_vec3 from = lf_vec3_sub(p, track->x0);
    double xx = lf_vec3_dot(track->x1, track->x1);
    bool turning = track->r1.x != 0 || track->r1.y != 0 || track->r1.z != 0;
    if (!turning) {
        lf_vec3 level = across(track->x1, track->r0);
        return lf_vec3_dot(level, from) / lf_vec3_dot(level, level);
    }
    if (xx > 0)
        return lf_vec3_dot(track->x1, from) / xx;
    lf_vec3 normal = lf_vec3_cross(track->r0, track->r1);
    return -lf_vec3_dot(lf_vec3_cross(from, track->r0), normal) /
           lf_vec3_dot(lf_vec3_cross(from, track->r1), normal);
}

/// Offer t if the line at t passes the edge between its ends, on the part of the line that there is.
static void offer_crossing(const lf__track *track, lf_vec3 a, lf_vec3 edge, double t, lf__cuts *cuts) {
    if (!(t > cuts->after && t < 1))
        return;
    lf_vec3 r = lf__track_r(track, t), from = lf_vec3_sub(a, lf__track_x(track, t));
    lf_vec3 normal = lf_vec3_cross(edge, r);
    double w = -lf_vec3_dot(lf_vec3_cross(from, r), normal) / lf_vec3_dot(normal, normal);
    double s = lf_vec3_dot(lf_vec3_along(from, w, edge), r) / lf_vec3_dot(r, r);
    if (w >= -BEYOND && w <= 1 + BEYOND && s >= track->s_low - BEYOND && s <= track->s_high + BEYOND)
        lf__cuts_offer(cuts, t);
}

static bool comes_first(lf_vec3 a, lf_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

static void cross_edge(const lf__track *track, lf_vec3 a, lf_vec3 b, lf__cuts *cuts) {
    if (comes_first(b, a)) { // neighbours cut a shared edge at the same bits
        lf_vec3 kept = a;
        a = b;
        b = kept;
    }
    // A line meets the edge's line where edge . ((a - x(t)) x r(t)) = 0.
    lf_vec3 edge = lf_vec3_sub(b, a), from = lf_vec3_sub(a, track->x0);
    double c0 = lf_vec3_dot(edge, lf_vec3_cross(from, track->r0));
    double c1 = lf_vec3_dot(edge, lf_vec3_cross(from, track->r1)) -
                lf_vec3_dot(edge, lf_vec3_cross(track->x1, track->r0));
    double c2 = -lf_vec3_dot(edge, lf_vec3_cross(track->x1, track->r1));
    double size = lf_vec3_length(edge) * (lf_vec3_length(from) * lf_vec3_length(track->r1) +
                                          lf_vec3_length(track->x1) * lf_vec3_length(track->r0));
    if (fabs(c1) + fabs(c2) <= ALONG * size) {
        lf__cuts_offer(cuts, place_of(track, a));
        lf__cuts_offer(cuts, place_of(track, b));
    }
    if (c2 == 0) {
        offer_crossing(track, a, edge, -c0 / c1, cuts);
        return;
    }
    double root = c1 * c1 - 4 * c2 * c0;
    // Touching is crossing, also when rounding has it pass by.
    root = sqrt(root > 0 ? root : 0);
    double q = -0.5 * (c1 + (c1 < 0 ? -root : root));
    offer_crossing(track, a, edge, q / c2, cuts);
    if (q != 0)
        offer_crossing(track, a, edge, c0 / q, cuts);
}

void lf__track_cross(const lf__track *track, const lf_vec3 triangle[3], lf__cuts *cuts) {
    for (int i = 0; i < 3; i++)
        cross_edge(track, triangle[i], triangle[(i + 1) % 3], cuts);
    if (track->s_start == 0) // lines without an end
        return;
    lf_vec3 normal =
        lf_vec3_cross(lf_vec3_sub(triangle[1], triangle[0]), lf_vec3_sub(triangle[2], triangle[0]));
    // Where x(t) lies in the triangle's plane; not a number, and no cut, where x stays.
    lf__cuts_offer(cuts,
                   lf_vec3_dot(normal, lf_vec3_sub(triangle[0], track->x0)) / lf_vec3_dot(normal, track->x1));
}

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

static lf_plane beyond(lf_vec3 normal, lf_vec3 on) {
    return (lf_plane){normal, lf_vec3_dot(normal, on)};
}

lf__track_slab lf__track_part(const lf__track *track, const lf__cuts *cuts) {
    double first = cuts->after, last = cuts->count < cuts->capacity ? 1 : cuts->list[cuts->capacity - 1];
    lf_vec3 x_first = lf__track_x(track, first), x_last = lf__track_x(track, last);
    lf_vec3 r_first = lf__track_r(track, first), r_last = lf__track_r(track, last);
    bool moving = track->x1.x != 0 || track->x1.y != 0 || track->x1.z != 0;
    lf_vec3 turn = lf_vec3_cross(track->r0, track->r1);
    bool turning = turn.x != 0 || turn.y != 0 || turn.z != 0;
    if (!turning) { // a plane, between two lines
        lf_vec3 side = lf_vec3_cross(track->r0, track->x1), level = across(track->x1, track->r0);
        return (lf__track_slab){{beyond(side, track->x0), beyond(lf_vec3_scale(side, -1), track->x0),
                                 beyond(level, x_last), beyond(lf_vec3_scale(level, -1), x_first)}};
    }
    // Between the half-planes of the first and the last line. Where up is inwards, what there is has s < 0.
    double out = track->s_high > 0 ? 1 : -1;
    lf__track_slab slab = {{beyond(lf_vec3_scale(lf_vec3_cross(turn, r_last), out), x_last),
                            beyond(lf_vec3_scale(lf_vec3_cross(turn, r_first), -out), x_first),
                            {zero, 0},
                            {zero, 0}}};
    slab.planes[2] = moving ? beyond(track->x1, x_last) : beyond(turn, track->x0);
    slab.planes[3] =
        moving ? beyond(lf_vec3_scale(track->x1, -1), x_first) : beyond(lf_vec3_scale(turn, -1), track->x0);
    return slab;
}

bool lf__track_slab_enters(const lf__track_slab *slab, const lf_box *box) {
    lf_vec3 low = box->low, high = box->high;
    for (int i = 0; i < 4; i++) {
        lf_vec3 n = slab->planes[i].normal;
        lf_vec3 near = {n.x > 0 ? low.x : high.x, n.y > 0 ? low.y : high.y, n.z > 0 ? low.z : high.z};
        double x = n.x * near.x, y = n.y * near.y, z = n.z * near.z;
        double margin = 1e-13 * (fabs(x) + fabs(y) + fabs(z) + fabs(slab->planes[i].offset));
        if (x + y + z - slab->planes[i].offset > margin)
            return false;
    }
    return true;
}

lf__crossing lf__crossing_start(const void *thing, const lf__track *track, lf__cuts *cuts) {
    return (lf__crossing){thing, track, cuts, lf__track_part(track, cuts), 1};
}

bool lf__crossing_enters(void *user, const lf_box *box) {
    lf__crossing *c = user;
    // Every cut that is found may shorten the part of the track that still matters.
    if (c->cuts->count == c->cuts->capacity && c->cuts->list[c->cuts->count - 1] < c->last) {
        c->last = c->cuts->list[c->cuts->count - 1];
        c->part = lf__track_part(c->track, c->cuts);
    }
    return lf__track_slab_enters(&c->part, box);
}
