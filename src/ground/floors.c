#include "ground/floors.h"

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
    return floors->count > LF__FLOORS_ROOM ? floors->many.items : floors->few;
}

lf__floor lf__floor_of(const lf_ground *ground, const lf__track *track, double t, const lf_hit *hit) {
    const lf__ground_kind_of *kind = ground->kind;
    return (lf__floor){*hit, t, kind->bend ? kind->bend(ground->thing, hit, track) : 0};
}

static void add_floor(void *user, const lf_hit *hit) {
    lf__floors *floors = user;
    if (floors->failed)
        return;
    lf__floor floor = lf__floor_of(floors->ground, floors->track, floors->t, hit);
    if (floors->count < LF__FLOORS_ROOM) {
        floors->few[floors->count++] = floor;
        return;
    }
    lf__array *many = &floors->many;
    many->count = floors->count == LF__FLOORS_ROOM ? 0 : floors->count;
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

lf_status lf__floors_ask(lf__floors *floors, const lf_ground *ground, const lf__track *track, double t,
                         lf_cursor *cursor) {
    lf_ray line = lf__track_line(track, t);
    lf__finder finder = {add_floor, floors};
    floors->count = 0;
    floors->ground = ground;
    floors->track = track;
    floors->t = t;
    ground->kind->each(ground->thing, &line, LF__EACH_LINE, &finder, cursor);
    return floors->failed ? LF_NO_MEMORY : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// s where the line at t meets the floor's plane.
static double meeting(const lf__track *track, const lf_hit *floor, double t) {
    lf_vec3 from = lf_vec3_sub(floor->point, lf__track_x(track, t));
    return lf_vec3_dot(floor->normal, from) / lf_vec3_dot(floor->normal, lf__track_r(track, t));
}

double lf__floor_height(const lf__track *track, const lf__floor *floor, double t) {
    double bent = floor->bend == 0 ? 0 : floor->bend * (t - floor->t) * (t - floor->t);
    return meeting(track, &floor->hit, t) * lf_vec3_length(lf__track_r(track, t)) + bent;
}

typedef struct range {
    double low, high;
} range;

static range range_of(double a, double b) {
    return a < b ? (range){a, b} : (range){b, a};
}

/// The length of r between two places: convex, so least in between or at an end.
static range length_range(const lf__track *track, double first, double last) {
    range ends =
        range_of(lf_vec3_length(lf__track_r(track, first)), lf_vec3_length(lf__track_r(track, last)));
    double rr = lf_vec3_dot(track->r1, track->r1);
    double least = rr > 0 ? -lf_vec3_dot(track->r0, track->r1) / rr : first;
    if (least > first && least < last)
        ends.low = lf_vec3_length(lf__track_r(track, least));
    return ends;
}

/// What the bend adds to a floor between two places.
static range bend_range(const lf__floor *floor, double first, double last) {
    double a = (first - floor->t) * (first - floor->t), b = (last - floor->t) * (last - floor->t);
    range square = range_of(a, b);
    if (first <= floor->t && floor->t <= last)
        square.low = 0;
    return range_of(floor->bend * square.low, floor->bend * square.high);
}

/// How far one floor is above the other between two places, for sure. s is a quotient of linear functions of t, so it is
/// monotonous where it has no pole, and on a piece that a floor covers it has none.
static range gap_range(const lf__floor_race *race, double first, double last) {
    range above = range_of(meeting(race->track, &race->above->hit, first),
                           meeting(race->track, &race->above->hit, last));
    range below = range_of(meeting(race->track, &race->below->hit, first),
                           meeting(race->track, &race->below->hit, last));
    range length = length_range(race->track, first, last);
    double low = above.low - below.high, high = above.high - below.low;
    range bent_above = bend_range(race->above, first, last),
          bent_below = bend_range(race->below, first, last);
    return (range){low * (low < 0 ? length.high : length.low) + bent_above.low - bent_below.high,
                   high * (high < 0 ? length.low : length.high) + bent_above.high - bent_below.low};
}

static double gap(const lf__floor_race *race, double t) {
    return lf__floor_height(race->track, race->above, t) - lf__floor_height(race->track, race->below, t);
}

/// Halving, the earlier half first, and only where the gap can be within: finds the first place, or that there is
/// none. A gap that only grazes the limit is decided at a width of 2^-48 of the way.
static bool first_curved(const lf__floor_race *race, double first, double last, double *t) {
    double stack[64][2];
    int depth = 1;
    stack[0][0] = first;
    stack[0][1] = last;
    for (int left = 20000; depth > 0 && left > 0; left--) {
        depth--;
        double a = stack[depth][0], b = stack[depth][1], middle = 0.5 * (a + b);
        range can = gap_range(race, a, b);
        if (!(can.high > race->low && can.low <= race->high))
            continue;
        double here = gap(race, a);
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
        return first_curved(race, first, last, t);
    double here = gap(race, first), there = gap(race, last);
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
