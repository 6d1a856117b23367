/// What ground hides of a box.
///
/// A line to a lower point at the same place of the map runs lower all the way, so only the top of the box matters. Seen on the
/// map, all lines from the eye to the box cross every barrier that stands across them before the box: a straight piece at a
/// fixed depth, as wide as the box appears. A barrier whose least ground is higher than the highest line above it hides all. One
/// barrier rarely does for a wide box, so the width is halved until each part has its own, at the depth where sight finds its
/// middle line deepest in the ground; a part whose middle line is clear ends the search.
#include "ground/ground.h"
#include "scene/view.h"
#include <landfall/sight.h>
#include <math.h>

#define DEPTH 6            ///< how often a width is halved
#define LAST (1 - 0x1p-20) ///< barriers stand before the box

/// All lines from an eye to a box, on the map: at depth d along `ahead` they are d * slope to the side.
typedef struct lines {
    const lf_ground *ground;
    lf_vec3 eye;
    lf_vec2 ahead;
    double spacing; ///< of the ground's samples
    double depth;   ///< of the box's nearest point
    double top;     ///< height at that depth of the highest line
    lf_cursor *cursor;
} lines;

static lf_vec2 place_at(const lines *l, double depth, double slope) {
    lf_vec2 place = {l->eye.x + depth * (l->ahead.x - slope * l->ahead.y),
                     l->eye.y + depth * (l->ahead.y + slope * l->ahead.x)};
    return place;
}

/// Is all ground of a barrier, at a part of the depth, higher than every line?
static bool barrier_hides(const lines *l, double part, double low, double high) {
    double depth = part * l->depth, line = l->eye.z + part * (l->top - l->eye.z);
    double least =
        l->ground->kind->least(l->ground->thing, place_at(l, depth, low), place_at(l, depth, high));
    return least > line + 0x1p-40 * (fabs(l->eye.z) + fabs(l->top) + fabs(line));
}

/// Where is the middle line deepest in the ground? False when it is not in it at all.
static bool deepest_part(const lines *l, double slope, double *part) {
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight sight;
    rules.detail = true;
    lf_vec2 place = place_at(l, l->depth, slope);
    lf_vec3 end = {place.x, place.y, l->top};
    if (lf_sight_between(l->ground, &rules, l->eye, end, &sight, l->cursor) != LF_OK ||
        sight.verdict != LF_VERDICT_BLOCKED)
        return false;
    *part = fmin(sight.clearance_t, LAST);
    return *part > 0;
}

/// The deepest place is often the edge of what hides, so barriers a cell or two beside it are tried as well.
static bool barrier_near(const lines *l, double part, double low, double high) {
    static const double cells[5] = {0, 1, -1, 2, -2};
    double cell = l->spacing / l->depth;
    for (int k = 0; k < 5; k++) {
        double beside = part + cells[k] * cell;
        if (beside > 0 && beside <= LAST && barrier_hides(l, beside, low, high))
            return true;
    }
    return false;
}

static bool all_hidden(const lines *l, double low, double high, int halvings) {
    double part, middle = 0.5 * low + 0.5 * high;
    if (!deepest_part(l, middle, &part))
        return false;
    if (barrier_near(l, part, low, high))
        return true;
    return halvings > 0 && all_hidden(l, low, middle, halvings - 1) &&
           all_hidden(l, middle, high, halvings - 1);
}

/// The lines to a box: false when it reaches to the eye's side.
static bool lines_to(const lf_box *box, lines *l, double slopes[2]) {
    lf_vec3 way = lf_vec3_sub(lf_box_centre(*box), l->eye);
    double length = sqrt(way.x * way.x + way.y * way.y), farthest = 0;
    if (!(length > 0))
        return false;
    l->ahead = (lf_vec2){way.x / length, way.y / length};
    l->depth = INFINITY;
    slopes[0] = INFINITY;
    slopes[1] = -INFINITY;
    for (int k = 0; k < 4; k++) {
        double x = (k & 1 ? box->high.x : box->low.x) - l->eye.x;
        double y = (k & 2 ? box->high.y : box->low.y) - l->eye.y;
        double depth = x * l->ahead.x + y * l->ahead.y, side = y * l->ahead.x - x * l->ahead.y;
        if (!(depth > 0x1p-30 * length))
            return false;
        slopes[0] = fmin(slopes[0], side / depth);
        slopes[1] = fmax(slopes[1], side / depth);
        l->depth = fmin(l->depth, depth);
        farthest = fmax(farthest, depth);
    }
    // Wider by what rounding can have taken; the same for the depth.
    double doubt = 0x1p-40 * (1 + fabs(slopes[0]) + fabs(slopes[1]));
    slopes[0] -= doubt;
    slopes[1] += doubt;
    l->depth *= 1 - 0x1p-40;
    double rise = box->high.z - l->eye.z;
    l->top = rise > 0 ? box->high.z : l->eye.z + rise * (l->depth / farthest) * (1 - 0x1p-40);
    return true;
}

lf_status lf_view_hidden(const lf_ground *ground, lf_vec3 eye, lf_box box, bool *hidden, lf_cursor *cursor) {
    double slopes[2];
    if (!ground || !hidden || !(fabs(eye.x) <= 1e30) || !(fabs(eye.y) <= 1e30) || !(fabs(eye.z) <= 1e30) ||
        lf_box_is_empty(box) || !lf_vec3_finite(box.low) || !lf_vec3_finite(box.high))
        return LF_BAD_ARGUMENT;
    *hidden = false;
    if (!ground->kind->least)
        return LF_OK;
    lines l = {.ground = ground, .eye = eye, .cursor = cursor};
    l.spacing = ground->kind->spacing(ground->thing, eye);
    if (!(l.spacing > 0))
        return LF_OK;
    *hidden = lines_to(&box, &l, slopes) && all_hidden(&l, slopes[0], slopes[1], DEPTH);
    return lf__ground_told(ground, LF_OK);
}
