/// Walking: from cut to cut, with all floors in between known.
#include "ground/ground.h"
#include <landfall/ground.h>

/// Cuts per call.
#define WALK_CUTS 32

typedef struct walk_state {
    const lf_ground *ground;
    const lf_walker *walker;
    lf__track track;
    lf_walk *walk;
    lf_path *path;
    lf_cursor *cursor;
    double slack;  ///< rounding of heights: smaller differences count as 0
    double tiny;   ///< shorter pieces, as a fraction of the path, cannot be examined
    double length; ///< metres of the whole path
    lf__floor on;  ///< the floor under the walker
    double height; ///< its height there, in the track's metres
    double stuck;  ///< where a crack began that may be stepped over; below 0: no crack
    lf__floors floors;
    lf__cuts cuts;
    double cut_list[WALK_CUTS];
    int64_t next_cut;
} walk_state;

// ---------------------------------------------------------------------------------------------------
// Where the walker is
// ---------------------------------------------------------------------------------------------------

static lf_vec3 position_at(const walk_state *w, double t, double height) {
    lf_vec3 r = lf__track_r(&w->track, t);
    bool level = w->track.s_start == 0; // the segment itself: its ends are exact
    lf_vec3 x = level ? lf__track_point(&w->track, t) : lf__track_x(&w->track, t);
    return lf_vec3_along(x, height / lf_vec3_length(r), r);
}

static void add_to_path(walk_state *w, double t, double height) {
    if (!w->path)
        return;
    if (w->path->count < w->path->capacity)
        w->path->points[w->path->count] = position_at(w, t, height);
    w->path->count++;
}

/// The triangles of a cell lie in planes of their own, those of a polygon in one.
static bool same_floor(const lf_hit *a, const lf_hit *b) {
    return a->part == b->part && a->element == b->element &&
           (a->kind != LF_HIT_CELL || a->triangle == b->triangle);
}

/// Continue on another floor from t on.
static void change_floor(walk_state *w, const lf__floor *floor, double t) {
    double height = lf__floor_height(&w->track, floor, t);
    if (!same_floor(&floor->hit, &w->on.hit)) {
        add_to_path(w, t, w->height);
        if (fabs(height - w->height) > w->slack)
            add_to_path(w, t, height);
    }
    w->on = *floor;
    w->height = height;
}

/// Set the normal by the line at t; false: that does not meet the floor.
static bool walk_normal_at(walk_state *w, double t) {
    if (lf__floors_find(&w->floors, w->ground, &w->track, t, w->cursor) != LF_OK)
        return false;
    const lf__floor *list = lf__floors_list(&w->floors);
    for (int64_t i = 0; i < w->floors.count; i++)
        if (same_floor(&list[i].hit, &w->on.hit)) {
            w->on.hit.normal = list[i].hit.normal;
            return true;
        }
    return false;
}

/// The normal of a curved floor varies. At its very edge a line may be rounded off it.
static void walk_set_normal(walk_state *w, double t) {
    if (w->on.bend != 0 && !walk_normal_at(w, t))
        walk_normal_at(w, t - 4 * w->tiny);
}

static void walk_finish(walk_state *w, lf_walk_end end, double t) {
    lf_walk *walk = w->walk;
    walk->end = end;
    walk->t = t;
    walk->position = position_at(w, t, w->height);
    walk_set_normal(w, t);
    walk->ground = w->on.hit;
    walk->ground.t = 0;
    walk->ground.point = walk->position;
    add_to_path(w, t, w->height);
}

// ---------------------------------------------------------------------------------------------------
// One piece of the path
// ---------------------------------------------------------------------------------------------------

/// The floors where a piece begins.
typedef struct walk_choice {
    const lf__floor *floor;  ///< the highest within a step, or NULL
    const lf__floor *higher; ///< the lowest beyond a step, or NULL
    double height, higher_height;
} walk_choice;

/// Of two floors at the same height: the present one, then the lowest index.
static bool walk_preferred(const walk_state *w, const lf_hit *floor, const lf_hit *to) {
    if (same_floor(to, &w->on.hit))
        return false;
    if (same_floor(floor, &w->on.hit))
        return true;
    return floor->part != to->part ? floor->part < to->part : floor->element < to->element;
}

static walk_choice walk_choose(const walk_state *w, double t) {
    walk_choice c = {NULL, NULL, 0, 0};
    const lf__floor *list = lf__floors_list(&w->floors);
    double limit = w->height + w->walker->step + w->slack;
    for (int64_t i = 0; i < w->floors.count; i++) {
        double height = lf__floor_height(&w->track, &list[i], t);
        if (height <= limit && (!c.floor || height > c.height ||
                                (height == c.height && walk_preferred(w, &list[i].hit, &c.floor->hit)))) {
            c.floor = &list[i];
            c.height = height;
        } else if (height > limit && (!c.higher || height < c.higher_height)) {
            c.higher = &list[i];
            c.higher_height = height;
        }
    }
    return c;
}

/// Why there is no ground on a piece: queried next to where it begins, because a hole can lead to the
/// outside. Far from the origin that place can round to one on the ground that ends there: then farther on.
static lf_reason walk_why_not(const walk_state *w, double first, double middle) {
    static const double shares[] = {0x1p-20, 0x1p-10, 1};
    lf_hit hit = {.reason = LF_REASON_ANSWERED};
    for (int k = 0; k < 3 && hit.reason == LF_REASON_ANSWERED; k++) {
        lf_vec3 point = position_at(w, first + shares[k] * (middle - first), w->height);
        w->ground->kind->height(w->ground->object, &point, true, &hit, w->cursor);
    }
    // There is nothing to stand on here, whatever is visible from the other side.
    return hit.reason == LF_REASON_OUTSIDE || hit.reason == LF_REASON_NOT_LOADED ? hit.reason
                                                                                 : LF_REASON_HOLE;
}

/// Store why the walk ends at the beginning of this piece.
static void walk_end_here(walk_state *w, const walk_choice *c, double first, double middle) {
    lf_walk *walk = w->walk;
    walk->reason = LF_REASON_ANSWERED;
    if (c->floor) {
        walk->end = LF_WALK_STEP_DOWN;
        walk->step = c->height - w->height;
    } else if (c->higher) {
        walk->end = LF_WALK_STEP_UP;
        walk->step = c->higher_height - w->height;
    } else {
        walk->end = LF_WALK_NO_GROUND;
        walk->reason = walk_why_not(w, first, middle);
        walk->step = 0;
    }
}

/// Along a piece, floors rise from below, or come down from above within reach: each time the walker changes
/// to them.
static void walk_follow(walk_state *w, double t, double last) {
    const lf__floor *list = lf__floors_list(&w->floors);
    int64_t count = w->floors.count;
    // Two flat floors cross once and come within reach once, two curved ones twice: there are no more changes
    // than this.
    for (int64_t changes = 4 * count * count; changes > 0; changes--) {
        const lf__floor *best = NULL;
        double best_t = 0, best_height = 0;
        for (int64_t i = 0; i < count; i++) {
            lf__floor_race race = {&w->track, &w->on, &list[i], 0.5 * w->slack, w->walker->step + w->slack};
            double when;
            if (same_floor(&list[i].hit, &w->on.hit) || !lf__floor_first_within(&race, t, last, &when))
                continue;
            double height = lf__floor_height(&w->track, &list[i], when);
            if (!best || when < best_t ||
                (when == best_t && (height > best_height || (height == best_height &&
                                                             walk_preferred(w, &list[i].hit, &best->hit))))) {
                best = &list[i];
                best_t = when;
                best_height = height;
            }
        }
        if (!best)
            break;
        w->height = lf__floor_height(&w->track, &w->on, best_t);
        t = best_t;
        change_floor(w, best, t);
    }
    w->height = lf__floor_height(&w->track, &w->on, last);
}

/// Walk one piece. false: the walk has ended, or failed with `status`.
static bool walk_piece(walk_state *w, double first, double last, lf_status *status) {
    double middle = first + 0.5 * (last - first);
    if (last - first <= w->tiny)
        return true;
    *status = lf__floors_find(&w->floors, w->ground, &w->track, middle, w->cursor);
    if (*status != LF_OK)
        return false;
    walk_choice c = walk_choose(w, first);
    bool permitted = c.floor && w->height - c.height <= w->walker->drop + w->slack;
    if (permitted) {
        w->stuck = -1;
        change_floor(w, c.floor, first);
        walk_follow(w, first, last);
        return true;
    }
    if (w->stuck < 0) {
        w->stuck = first;
        walk_end_here(w, &c, first, middle);
    }
    if (last < 1 && (last - w->stuck) * w->length <= w->walker->crack)
        return true;
    lf_walk_end end = w->walk->end;
    walk_finish(w, end, w->stuck);
    return false;
}

// ---------------------------------------------------------------------------------------------------
// The whole path
// ---------------------------------------------------------------------------------------------------

static void walk_find_cuts(walk_state *w, double after) {
    w->cuts = (lf__cuts){after, w->cut_list, WALK_CUTS, 0};
    w->next_cut = 0;
    w->ground->kind->cuts(w->ground->object, &w->track, &w->cuts, w->cursor);
}

/// The next cut, or 1.
static double next_cut(walk_state *w) {
    if (w->next_cut == WALK_CUTS)
        walk_find_cuts(w, w->cut_list[WALK_CUTS - 1]);
    return w->next_cut < w->cuts.count ? w->cut_list[w->next_cut++] : 1;
}

/// The ground to start on: a height query from a step above.
static bool find_start(walk_state *w, lf_vec3 from) {
    lf_vec3 up = lf_vec3_unit(w->track.r0), point = from;
    if (isinf(from.z) || isinf(w->walker->step))
        point.z = LF_INFINITY;
    else
        point = lf_vec3_along(from, w->walker->step + w->slack, up);
    lf_hit hit;
    w->ground->kind->height(w->ground->object, &point, true, &hit, w->cursor);
    if (hit.kind == LF_HIT_NONE) {
        *w->walk = (lf_walk){LF_WALK_NO_GROUND, hit.reason, 0, from, hit, 0};
        return false;
    }
    w->on = lf__floor_of(w->ground, &w->track, 0, &hit);
    w->height = lf__floor_height(&w->track, &w->on, 0);
    return true;
}

static double walk_largest(lf_vec3 v) {
    return fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z));
}

static void walk_set_tolerances(walk_state *w) {
    lf_vec3 a = w->track.start, b = w->track.end;
    lf_box box = lf_ground_box(w->ground);
    double size = fmax(walk_largest(a), walk_largest(b)),
           far = fmax(walk_largest(box.low), walk_largest(box.high));
    w->length = lf_vec3_length(lf_vec3_sub(b, a));
    w->slack =
        1e-9 + 64 * 0x1p-52 * fmax(size, isinf(far) ? 0 : far); // a ground of voids alone has an empty box
    w->tiny = w->length > 0 ? fmax(0x1p-50, 16 * 0x1p-52 * size / w->length) : 1;
}

static lf_status walk_all(walk_state *w) {
    lf_status status = LF_OK;
    add_to_path(w, 0, w->height);
    if (w->track.still) {
        walk_finish(w, LF_WALK_ARRIVED, 1);
        return status;
    }
    walk_find_cuts(w, 0);
    for (double t = 0; t < 1;) {
        double next = next_cut(w);
        if (!walk_piece(w, t, next, &status))
            return status;
        t = next;
    }
    walk_finish(w, LF_WALK_ARRIVED, 1);
    return status;
}

static bool walker_valid(const lf_walker *walker) {
    return walker && walker->step >= 0 && walker->drop >= 0 && walker->crack >= 0;
}

lf_status lf_ground_walk(const lf_ground *ground, const lf_walker *walker, lf_vec3 from, lf_vec3 to,
                         lf_walk *walk, lf_path *path, lf_cursor *cursor) {
    if (!ground || !walk || !walker_valid(walker) || !lf__ground_point_valid(ground, from, true) ||
        (path && (path->capacity < 0 || (path->capacity > 0 && !path->points))))
        return LF_BAD_ARGUMENT;
    lf_frame frame = lf_ground_frame(ground);
    bool plain = lf__frame_is_down_z(&frame);
    if (isinf(walker->step) && !plain)
        return LF_BAD_ARGUMENT;
    lf_vec3 a = from, b = to;
    if (plain && !isnan(to.z)) // heights count from 0
        a.z = b.z = 0;
    else if (frame.kind == LF_FRAME_GRAVITY) // and from the level of the start
        b = lf_vec3_along(b, lf_vec3_dot(lf_vec3_sub(a, b), frame.down) / lf_vec3_dot(frame.down, frame.down),
                          frame.down);
    walk_state w = {
        .ground = ground, .walker = walker, .walk = walk, .path = path, .cursor = cursor, .stuck = -1};
    if (!lf_vec3_finite(b) || !lf__track_make(&frame, a, b, &w.track))
        return LF_BAD_ARGUMENT;
    walk_set_tolerances(&w);
    if (path)
        path->count = 0;
    *walk = (lf_walk){.reason = LF_REASON_ANSWERED};
    if (!find_start(&w, from))
        return lf__ground_status(ground, LF_OK);
    lf__floors_start(&w.floors, ground->allocator);
    lf_status status = walk_all(&w);
    lf__floors_free(&w.floors);
    if (status == LF_OK && path && path->count > path->capacity)
        status = LF_PARTIAL;
    return lf__ground_status(ground, status);
}
