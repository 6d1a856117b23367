/// Tracks of gravity lines over a segment, and the floors along them.
#include "ground/ground.h"
#include "query/query.h"

/// How far beyond its ends an edge is still crossed: an extra cut does no harm, a missing one does.
#define TRACK_BEYOND 1e-6

/// An edge closer to the direction of the track than this has no accurate crossing: its ends are cuts
/// instead.
#define TRACK_ALONG 1e-9

static const lf_vec3 track_zero = {0, 0, 0};

/// The part of a vector at right angles to another.
static lf_vec3 track_across(lf_vec3 a, lf_vec3 axis) {
    return lf_vec3_along(a, -lf_vec3_dot(a, axis) / lf_vec3_dot(axis, axis), axis);
}

/// Is b zero within the rounding of a's coordinates?
static bool track_negligible(lf_vec3 b, double size) {
    return lf_vec3_length(b) <= 8 * 0x1p-53 * size;
}

static double track_size_of(lf_vec3 a, lf_vec3 b) {
    return fmax(lf_vec3_length(a), lf_vec3_length(b));
}

/// Does r pass through zero, within rounding?
static bool meets_axis(const lf__track *track, double size) {
    double rr = lf_vec3_dot(track->r1, track->r1);
    double t = rr > 0 ? -lf_vec3_dot(track->r0, track->r1) / rr : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return track_negligible(lf__track_r(track, t), size);
}

/// Lines towards a line or a point: x on it, r away from it.
static bool make_radial(const lf_frame *frame, lf__track *track) {
    lf_vec3 from = lf_vec3_sub(track->start, frame->origin), move = lf_vec3_sub(track->end, track->start);
    double size = track_size_of(from, lf_vec3_add(from, move));
    track->x0 = frame->origin;
    track->x1 = track_zero;
    track->r0 = from;
    track->r1 = move;
    if (frame->kind != LF_FRAME_CENTRE) {
        track->r0 = track_across(from, frame->down);
        track->r1 = track_across(move, frame->down);
        track->x0 = lf_vec3_add(frame->origin, lf_vec3_sub(from, track->r0));
        track->x1 = lf_vec3_sub(move, track->r1);
        if (track_negligible(track->x1, size))
            track->x1 = track_zero;
    }
    if (meets_axis(track, size))
        return false;
    lf_vec3 turn = lf_vec3_cross(track->r0, track->r1);
    track->still = track->x1.x == 0 && track->x1.y == 0 && track->x1.z == 0 &&
                   track_negligible(turn, size * lf_vec3_length(track->r0));
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
    lf_vec3 level = track_across(track->x1, track->r0);
    track->still = track_negligible(level, lf_vec3_length(track->x1));
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

/// Where a point lies along the track, seen along gravity (or the nearest place).
static double track_place_of(const lf__track *track, lf_vec3 p) {
    lf_vec3 from = lf_vec3_sub(p, track->x0);
    double xx = lf_vec3_dot(track->x1, track->x1);
    bool turning = track->r1.x != 0 || track->r1.y != 0 || track->r1.z != 0;
    if (!turning) {
        lf_vec3 level = track_across(track->x1, track->r0);
        return lf_vec3_dot(level, from) / lf_vec3_dot(level, level);
    }
    if (xx > 0)
        return lf_vec3_dot(track->x1, from) / xx;
    lf_vec3 normal = lf_vec3_cross(track->r0, track->r1);
    return -lf_vec3_dot(lf_vec3_cross(from, track->r0), normal) /
           lf_vec3_dot(lf_vec3_cross(from, track->r1), normal);
}

/// Add t if the line at t passes the edge between its ends, within the limits of the line.
static void offer_crossing(const lf__track *track, lf_vec3 a, lf_vec3 edge, double t, lf__cuts *cuts) {
    if (!(t > cuts->after && t < 1))
        return;
    lf_vec3 r = lf__track_r(track, t), from = lf_vec3_sub(a, lf__track_x(track, t));
    lf_vec3 normal = lf_vec3_cross(edge, r);
    double w = -lf_vec3_dot(lf_vec3_cross(from, r), normal) / lf_vec3_dot(normal, normal);
    double s = lf_vec3_dot(lf_vec3_along(from, w, edge), r) / lf_vec3_dot(r, r);
    if (w >= -TRACK_BEYOND && w <= 1 + TRACK_BEYOND && s >= track->s_low - TRACK_BEYOND &&
        s <= track->s_high + TRACK_BEYOND)
        lf__cuts_offer(cuts, t);
}

static bool track_comes_first(lf_vec3 a, lf_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

static void cross_edge(const lf__track *track, lf_vec3 a, lf_vec3 b, lf__cuts *cuts) {
    if (track_comes_first(b, a)) { // neighbours cut a shared edge at the same bits
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
    if (fabs(c1) + fabs(c2) <= TRACK_ALONG * size) {
        lf__cuts_offer(cuts, track_place_of(track, a));
        lf__cuts_offer(cuts, track_place_of(track, b));
    }
    if (c2 == 0) {
        offer_crossing(track, a, edge, -c0 / c1, cuts);
        return;
    }
    double root = c1 * c1 - 4 * c2 * c0;
    // Touching counts as crossing, also if rounding moves it beside.
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
    // Where x(t) lies in the triangle's plane; NAN, and no cut, if x is constant.
    lf__cuts_offer(cuts,
                   lf_vec3_dot(normal, lf_vec3_sub(triangle[0], track->x0)) / lf_vec3_dot(normal, track->x1));
}

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

static lf_plane track_beyond(lf_vec3 normal, lf_vec3 on) {
    return (lf_plane){normal, lf_vec3_dot(normal, on)};
}

/// The part of space that the track passes from cuts->after to the last cut that may still be needed.
static lf__track_slab track_part(const lf__track *track, const lf__cuts *cuts) {
    double first = cuts->after, last = cuts->count < cuts->capacity ? 1 : cuts->list[cuts->capacity - 1];
    lf_vec3 x_first = lf__track_x(track, first), x_last = lf__track_x(track, last);
    lf_vec3 r_first = lf__track_r(track, first), r_last = lf__track_r(track, last);
    bool moving = track->x1.x != 0 || track->x1.y != 0 || track->x1.z != 0;
    lf_vec3 turn = lf_vec3_cross(track->r0, track->r1);
    bool turning = turn.x != 0 || turn.y != 0 || turn.z != 0;
    if (!turning) { // a plane, between two lines
        lf_vec3 side = lf_vec3_cross(track->r0, track->x1), level = track_across(track->x1, track->r0);
        return (lf__track_slab){
            {track_beyond(side, track->x0), track_beyond(lf_vec3_scale(side, -1), track->x0),
             track_beyond(level, x_last), track_beyond(lf_vec3_scale(level, -1), x_first)}};
    }
    // Between the half-planes of the first and the last line. Where up is inwards, everything has s < 0.
    double out = track->s_high > 0 ? 1 : -1;
    lf__track_slab slab = {{track_beyond(lf_vec3_scale(lf_vec3_cross(turn, r_last), out), x_last),
                            track_beyond(lf_vec3_scale(lf_vec3_cross(turn, r_first), -out), x_first),
                            {track_zero, 0},
                            {track_zero, 0}}};
    slab.planes[2] = moving ? track_beyond(track->x1, x_last) : track_beyond(turn, track->x0);
    slab.planes[3] = moving ? track_beyond(lf_vec3_scale(track->x1, -1), x_first)
                            : track_beyond(lf_vec3_scale(turn, -1), track->x0);
    return slab;
}

static bool track_slab_enters(const lf__track_slab *slab, const lf_box *box) {
    lf_vec3 low = box->low, high = box->high;
    for (int i = 0; i < 4; i++) {
        lf_vec3 n = slab->planes[i].normal;
        lf_vec3 near = {n.x > 0 ? low.x : high.x, n.y > 0 ? low.y : high.y, n.z > 0 ? low.z : high.z};
        // Blocks of a partial grid that have not been read have no ends of their height.
        double x = n.x * near.x, y = n.y * near.y, z = n.z == 0 ? 0 : n.z * near.z;
        double margin = 1e-13 * (fabs(x) + fabs(y) + fabs(z) + fabs(slab->planes[i].offset));
        if (x + y + z - slab->planes[i].offset > margin)
            return false;
    }
    return true;
}

lf__crossing lf__crossing_start(const void *object, const lf__track *track, lf__cuts *cuts) {
    return (lf__crossing){object, track, cuts, track_part(track, cuts), 1};
}

bool lf__crossing_enters(void *user, const lf_box *box) {
    lf__crossing *c = user;
    // Every cut that is found may shorten the part of the track that still matters.
    if (c->cuts->count == c->cuts->capacity && c->cuts->list[c->cuts->count - 1] < c->last) {
        c->last = c->cuts->list[c->cuts->count - 1];
        c->part = track_part(c->track, c->cuts);
    }
    return track_slab_enters(&c->part, box);
}

// ---------------------------------------------------------------------------------------------------
// Floors
// ---------------------------------------------------------------------------------------------------

void lf__floors_start(lf__floors *floors, const lf_allocator *allocator) {
    floors->allocator = *allocator;
    floors->many = (lf__array){NULL, 0, 0};
    floors->count = 0;
    floors->failed = false;
}

void lf__floors_free(lf__floors *floors) {
    lf__array_free(&floors->many, &floors->allocator, sizeof(lf__floor));
}

const lf__floor *lf__floors_list(const lf__floors *floors) {
    return floors->count > LF__FLOORS_FEW ? floors->many.items : floors->few;
}

lf__floor lf__floor_of(const lf_ground *ground, const lf__track *track, double t, const lf_hit *hit) {
    const lf__ground_kind_of *kind = ground->kind;
    return (lf__floor){*hit, t, kind->bend ? kind->bend(ground->object, hit, track) : 0};
}

static void floors_add(void *user, const lf_hit *hit) {
    lf__floors *floors = user;
    if (floors->failed)
        return;
    lf__floor floor = lf__floor_of(floors->ground, floors->track, floors->t, hit);
    if (floors->count < LF__FLOORS_FEW) {
        floors->few[floors->count++] = floor;
        return;
    }
    lf__array *many = &floors->many;
    many->count = floors->count == LF__FLOORS_FEW ? 0 : floors->count;
    int64_t more = floors->count + 1 - many->count;
    if (lf__array_reserve(many, &floors->allocator, more, sizeof(lf__floor)) != LF_OK) {
        floors->failed = true;
        return;
    }
    lf__floor *list = many->items;
    for (int64_t i = many->count; i < floors->count; i++)
        list[i] = floors->few[i];
    list[floors->count++] = floor;
    many->count = floors->count;
}

lf_status lf__floors_find(lf__floors *floors, const lf_ground *ground, const lf__track *track, double t,
                          lf_cursor *cursor) {
    lf_ray line = lf__track_line(track, t);
    lf__finder finder = {floors_add, floors};
    floors->count = 0;
    floors->ground = ground;
    floors->track = track;
    floors->t = t;
    ground->kind->each(ground->object, &line, LF__EACH_LINE, &finder, cursor);
    return floors->failed ? LF_NO_MEMORY : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// s where the line at t meets the floor's plane.
static double floor_meeting(const lf__track *track, const lf_hit *floor, double t) {
    lf_vec3 from = lf_vec3_sub(floor->point, lf__track_x(track, t));
    return lf_vec3_dot(floor->normal, from) / lf_vec3_dot(floor->normal, lf__track_r(track, t));
}

double lf__floor_height(const lf__track *track, const lf__floor *floor, double t) {
    double bent = floor->bend == 0 ? 0 : floor->bend * (t - floor->t) * (t - floor->t);
    return floor_meeting(track, &floor->hit, t) * lf_vec3_length(lf__track_r(track, t)) + bent;
}

typedef struct floor_range {
    double low, high;
} floor_range;

static floor_range floor_range_of(double a, double b) {
    return a < b ? (floor_range){a, b} : (floor_range){b, a};
}

/// The length of r between two places: convex, so least in between or at an end.
static floor_range floor_length_range(const lf__track *track, double first, double last) {
    floor_range ends =
        floor_range_of(lf_vec3_length(lf__track_r(track, first)), lf_vec3_length(lf__track_r(track, last)));
    double rr = lf_vec3_dot(track->r1, track->r1);
    double least = rr > 0 ? -lf_vec3_dot(track->r0, track->r1) / rr : first;
    if (least > first && least < last)
        ends.low = lf_vec3_length(lf__track_r(track, least));
    return ends;
}

/// The curvature of a floor between two places.
static floor_range floor_curve_range(const lf__floor *floor, double first, double last) {
    double a = (first - floor->t) * (first - floor->t), b = (last - floor->t) * (last - floor->t);
    floor_range square = floor_range_of(a, b);
    if (first <= floor->t && floor->t <= last)
        square.low = 0;
    return floor_range_of(floor->bend * square.low, floor->bend * square.high);
}

/// Certain bounds of the height of one floor above the other between two places. s is a quotient of linear
/// functions of t, so it is monotonic where it has no pole, and it has none on a piece that a floor covers.
static floor_range floor_gap_range(const lf__floor_race *race, double first, double last) {
    floor_range above = floor_range_of(floor_meeting(race->track, &race->above->hit, first),
                                       floor_meeting(race->track, &race->above->hit, last));
    floor_range below = floor_range_of(floor_meeting(race->track, &race->below->hit, first),
                                       floor_meeting(race->track, &race->below->hit, last));
    floor_range length = floor_length_range(race->track, first, last);
    double low = above.low - below.high, high = above.high - below.low;
    floor_range bent_above = floor_curve_range(race->above, first, last),
                bent_below = floor_curve_range(race->below, first, last);
    return (floor_range){low * (low < 0 ? length.high : length.low) + bent_above.low - bent_below.high,
                         high * (high < 0 ? length.low : length.high) + bent_above.high - bent_below.low};
}

static double floor_gap(const lf__floor_race *race, double t) {
    return lf__floor_height(race->track, race->above, t) - lf__floor_height(race->track, race->below, t);
}

/// Bisection, the earlier half first, and only where the gap can be within the limits: finds the first place,
/// or that there is none. A gap that only touches a limit is decided at a width of 2^-48 of the path.
static bool floor_first_curved(const lf__floor_race *race, double first, double last, double *t) {
    double stack[64][2];
    int depth = 1;
    stack[0][0] = first;
    stack[0][1] = last;
    for (int left = 20000; depth > 0 && left > 0; left--) {
        depth--;
        double a = stack[depth][0], b = stack[depth][1], middle = 0.5 * (a + b);
        floor_range can = floor_gap_range(race, a, b);
        if (!(can.high > race->low && can.low <= race->high))
            continue;
        double here = floor_gap(race, a);
        if ((here > race->low && here <= race->high) || b - a < 0x1p-48 || depth > 61 || middle <= a ||
            middle >= b) {
            *t = here > race->low && here <= race->high ? a : b;
            return true;
        }
        stack[depth][0] = middle;
        stack[depth++][1] = b;
        stack[depth][0] = a;
        stack[depth++][1] = middle;
    }
    return false;
}

bool lf__floor_first_within(const lf__floor_race *race, double first, double last, double *t) {
    const lf_vec3 *r1 = &race->track->r1;
    if (r1->x != 0 || r1->y != 0 || r1->z != 0 || race->above->bend != 0 || race->below->bend != 0)
        return floor_first_curved(race, first, last, t);
    double here = floor_gap(race, first), there = floor_gap(race, last);
    double share;
    if (here > race->low && here <= race->high)
        share = 0;
    else if (here > race->high && there <= race->high)
        share = (here - race->high) / (here - there);
    else if (here <= race->low && there > race->low)
        share = (race->low - here) / (there - here);
    else
        return false;
    *t = first + share * (last - first);
    return true;
}
