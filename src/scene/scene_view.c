/// View volumes: checking views, objects against a volume, and objects hidden by ground.
#include "ground/ground.h"
#include "ground/group.h"
#include "scene/cull.h"
#include <landfall/sight.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// View volumes
// ---------------------------------------------------------------------------------------------------

#define VIEW_FARTHEST 1e30

/// Opening angles for which corners can be computed.
#define NARROWEST 1e-6
#define WIDEST 3.12

static lf_status check_number(double value, double low, double high, const char *name, lf_error *error) {
    if (value >= low && value <= high)
        return LF_OK;
    return lf__fail(error, LF_BAD_ARGUMENT, -1, "view: %s %g: expected %g..%g", name, value, low, high);
}

static lf_status check_distances(const lf_view *view, lf_error *error) {
    lf_status status = check_number(view->nearest, 0, VIEW_FARTHEST, "nearest", error);
    if (status == LF_OK)
        status = check_number(view->smallest, 0, VIEW_FARTHEST, "smallest", error);
    if (status == LF_OK && !(view->farthest > view->nearest))
        status =
            lf__fail(error, LF_BAD_ARGUMENT, -1, "view: ends at farthest %g: expected more than nearest, %g",
                     view->farthest, view->nearest);
    if (status == LF_OK && isfinite(view->farthest))
        status = check_number(view->farthest, 0, VIEW_FARTHEST, "farthest", error);
    return status;
}

static lf_status check_view(const lf_view *view, lf_error *error) {
    const double eye[3] = {view->at.x, view->at.y, view->at.z};
    for (int k = 0; k < 3; k++) {
        lf_status status = check_number(eye[k], -VIEW_FARTHEST, VIEW_FARTHEST, "eye", error);
        if (status != LF_OK)
            return status;
    }
    lf_status status = check_number(view->across, NARROWEST, WIDEST, "angle across", error);
    if (status == LF_OK)
        status = check_number(view->upright, NARROWEST, WIDEST, "angle upright", error);
    return status == LF_OK ? check_distances(view, error) : status;
}

/// Right, forward and up as unit vectors at right angles; false when up is along forward.
static bool turn_view(const lf_view *view, lf__volume *v) {
    if (!lf_vec3_finite(view->forward) || !lf_vec3_finite(view->up))
        return false;
    v->forward = lf_vec3_unit(view->forward);
    lf_vec3 right = lf_vec3_cross(v->forward, lf_vec3_unit(view->up));
    if (!(lf_vec3_length(right) > 1e-9))
        return false;
    v->right = lf_vec3_unit(right);
    v->up = lf_vec3_unit(lf_vec3_cross(v->right, v->forward));
    return lf_vec3_length(v->forward) > 0.5;
}

/// The directions of a frustum that is turned by an angle are, seen about the axis of one pair of its sides, at most that angle over the cosine
/// of their elevation from it outside of these sides. The elevation is at most that of the other pair, and the angle.
static double half_widened(double half, double other, double angle) {
    return half + asin(fmin(1, sin(angle) / cos(other + angle)));
}

bool lf__view_widen(const lf_view *view, double distance, double angle, lf_view *wide) {
    const double margin = 1 + 1e-9; // for the rounding of everything below
    double across = 0.5 * view->across, upright = 0.5 * view->upright;
    angle = angle * margin + 1e-12;
    if (!(across + angle < 0.5 * WIDEST && upright + angle < 0.5 * WIDEST))
        return false;
    double wider = half_widened(across, upright, angle), higher = half_widened(upright, across, angle);
    if (!(wider < 0.5 * WIDEST && higher < 0.5 * WIDEST))
        return false;
    // From so far behind, all sides are farther out by the distance.
    double size = fabs(view->at.x) + fabs(view->at.y) + fabs(view->at.z);
    double back = (distance * margin + 0x1p-40 * size) / fmin(sin(wider), sin(higher));
    *wide = *view;
    wide->at = lf_vec3_along(view->at, -back, lf_vec3_unit(view->forward));
    wide->across = 2 * wider;
    wide->upright = 2 * higher;
    wide->nearest = wide->smallest = 0;
    double slant = sqrt(1 + tan(across) * tan(across) + tan(upright) * tan(upright));
    if (isfinite(view->farthest))
        wide->farthest = (view->farthest * slant + distance + back) * margin;
    return wide->farthest <= VIEW_FARTHEST || isinf(view->farthest);
}

double lf__view_turned(const lf_view *view, const lf__volume *against) {
    lf__volume v;
    if (!turn_view(view, &v))
        return LF_INFINITY;
    lf_vec3 a = lf_vec3_sub(v.forward, against->forward), b = lf_vec3_sub(v.right, against->right),
            c = lf_vec3_sub(v.up, against->up);
    double sum = lf_vec3_dot(a, a) + lf_vec3_dot(b, b) + lf_vec3_dot(c, c); // 8 sin^2 of half the angle
    return 2 * asin(fmin(1, sqrt(sum / 8)));
}

static lf_plane plane_at(lf_vec3 normal, lf_vec3 point, double along) {
    lf_plane plane = {normal, lf_vec3_dot(normal, point) + along};
    return plane;
}

/// The planes through the eye that close two sides, at half an angle from forward: against `side`, and along
/// it.
static void close_sides(const lf__volume *v, lf_vec3 side, double half, lf_plane planes[2]) {
    double cosine = cos(half), sine = sin(half);
    lf_vec3 other = lf_vec3_scale(side, -1);
    planes[0] = plane_at(lf_vec3_along(lf_vec3_scale(other, cosine), -sine, v->forward), v->eye, 0);
    planes[1] = plane_at(lf_vec3_along(lf_vec3_scale(side, cosine), -sine, v->forward), v->eye, 0);
}

static void place_planes(const lf_view *view, lf__volume *v) {
    v->planes[0] = plane_at(lf_vec3_scale(v->forward, -1), v->eye, -v->nearest);
    close_sides(v, v->right, 0.5 * view->across, &v->planes[1]);
    close_sides(v, v->up, 0.5 * view->upright, &v->planes[3]);
    v->plane_count = 5;
    if (!v->endless)
        v->planes[v->plane_count++] = plane_at(v->forward, v->eye, v->farthest);
}

static lf_vec3 corner_at(const lf__volume *v, double depth, double x, double y) {
    lf_vec3 p = lf_vec3_along(v->eye, depth, v->forward);
    p = lf_vec3_along(p, depth * v->across * x, v->right);
    return lf_vec3_along(p, depth * v->upright * y, v->up);
}

static lf_box view_widened(lf_box box, double by) {
    lf_vec3 margin = {by, by, by};
    return (lf_box){lf_vec3_sub(box.low, margin), lf_vec3_add(box.high, margin)};
}

static void place_corners(lf__volume *v) {
    static const double x[4] = {-1, 1, 1, -1}, y[4] = {-1, -1, 1, 1};
    // Planes have errors of a few units in the last place of the eye's coordinates and of their normals.
    // Where a side meets the far plane at a small angle, the error grows with its square.
    double steep = 1 + v->across * v->across + v->upright * v->upright;
    v->blur = 0x1p-44 * (fabs(v->eye.x) + fabs(v->eye.y) + fabs(v->eye.z) + v->farthest) * steep;
    v->bounds = lf_box_empty();
    for (int k = 0; k < 8; k++) {
        v->corners[k] = corner_at(v, k < 4 ? v->nearest : v->farthest, x[k & 3], y[k & 3]);
        v->bounds = lf_box_with(v->bounds, v->corners[k]);
    }
    v->bounds = view_widened(v->bounds, v->blur);
}

lf_status lf__view_check(const lf_view *full, lf_error *error) {
    lf__volume v;
    lf_status status = check_view(full, error);
    if (status == LF_OK && !turn_view(full, &v))
        status =
            lf__fail(error, LF_BAD_ARGUMENT, -1,
                     "view: forward (%g, %g, %g) and up (%g, %g, %g): no orientation; expected directions "
                     "that are not parallel",
                     full->forward.x, full->forward.y, full->forward.z, full->up.x, full->up.y, full->up.z);
    return status;
}

/// Read a caller's view and check it.
static lf_status view_read(const lf_view *view, lf_view *full, lf_error *error) {
    *full = lf_view_default();
    lf_status status = lf__def_read(full, sizeof *full, view, error);
    return status == LF_OK ? lf__view_check(full, error) : status;
}

void lf__volume_make(const lf_view *view, double farthest, lf__volume *v) {
    memset(v, 0, sizeof *v);
    turn_view(view, v);
    v->eye = view->at;
    v->across = tan(0.5 * view->across);
    v->upright = tan(0.5 * view->upright);
    v->nearest = view->nearest;
    v->endless = isinf(view->farthest);
    v->farthest = v->endless ? fmax(farthest, view->nearest) : view->farthest;
    v->smallest = view->smallest;
    place_planes(view, v);
    place_corners(v);
}

double lf__view_reach(const lf_view *view, lf_box world) {
    double reach = view->nearest;
    lf_vec3 forward = lf_vec3_unit(view->forward);
    for (int k = 0; k < 8 && !lf_box_is_empty(world); k++) {
        lf_vec3 corner = {k & 1 ? world.high.x : world.low.x, k & 2 ? world.high.y : world.low.y,
                          k & 4 ? world.high.z : world.low.z};
        double depth = lf_vec3_dot(forward, lf_vec3_sub(corner, view->at));
        double size = fabs(corner.x) + fabs(corner.y) + fabs(corner.z) + fabs(view->at.x) + fabs(view->at.y) +
                      fabs(view->at.z);
        reach = fmax(reach, depth + 0x1p-46 * size);
    }
    return reach;
}

lf_status lf_view_volume(const lf_view *view, lf_polyhedron *volume, lf_error *error) {
    lf__volume v;
    lf_view full;
    if (!view || !volume)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "view or volume is NULL");
    lf_status status = view_read(view, &full, error);
    if (status != LF_OK)
        return status;
    lf__volume_make(&full, 0, &v);
    memset(volume, 0, sizeof *volume);
    volume->plane_count = v.plane_count;
    memcpy(volume->planes, v.planes, sizeof v.planes);
    volume->corner_count = v.endless ? 4 : 8;
    memcpy(volume->corners, v.corners, (size_t)volume->corner_count * sizeof *v.corners);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// One object against a volume
// ---------------------------------------------------------------------------------------------------

static double outside_size_of(lf_vec3 a) {
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

// ---------------------------------------------------------------------------------------------------
// Box against volume
// ---------------------------------------------------------------------------------------------------

/// Does a plane perpendicular to an axis separate the box from the volume? Not when the gap may be a rounding
/// error.
static bool parted_along(const lf__volume *v, lf_vec3 axis, lf_vec3 centre, lf_vec3 half) {
    double middle = lf_vec3_dot(axis, centre);
    double reach = fabs(axis.x) * half.x + fabs(axis.y) * half.y + fabs(axis.z) * half.z;
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 8; k++) {
        double at = lf_vec3_dot(axis, v->corners[k]);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    double gap = fmax(low - (middle + reach), (middle - reach) - high);
    double doubt = 0x1p-46 * (outside_size_of(centre) + outside_size_of(half));
    return gap > outside_size_of(axis) * (2 * v->blur + doubt);
}

/// Is the whole box in front of a plane of the volume? This needs no corners, and also works without a far
/// plane.
static bool before_plane(const lf_plane *plane, const lf_box *box) {
    lf_vec3 n = plane->normal;
    lf_vec3 p = {n.x > 0 ? box->low.x : box->high.x, n.y > 0 ? box->low.y : box->high.y,
                 n.z > 0 ? box->low.z : box->high.z};
    double size = outside_size_of(p) + fabs(plane->offset);
    return lf_vec3_dot(n, p) - plane->offset > 0x1p-50 * size;
}

bool lf__outside_volume(const lf__volume *v, const lf_box *box) {
    for (int k = 0; k < v->plane_count; k++)
        if (before_plane(&v->planes[k], box))
            return true;
    if (lf__outside_bounds(v, box))
        return true;
    lf_vec3 centre = lf_box_centre(*box), half = lf_vec3_scale(lf_vec3_sub(box->high, box->low), 0.5);
    lf_vec3 edges[6] = {v->right, v->up};
    for (int k = 0; k < 4; k++)
        edges[2 + k] = lf_vec3_unit(lf_vec3_sub(v->corners[4 + k], v->eye));
    for (int k = 0; k < 6; k++) {
        lf_vec3 e = edges[k];
        if (parted_along(v, (lf_vec3){0, e.z, -e.y}, centre, half) ||
            parted_along(v, (lf_vec3){-e.z, 0, e.x}, centre, half) ||
            parted_along(v, (lf_vec3){e.y, -e.x, 0}, centre, half))
            return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Polygons against volume
// ---------------------------------------------------------------------------------------------------

/// Polygons with more corners are kept: the buffers are too small to clip them.
#define CORNERS 64

/// Clip by one plane after the other, each moved outwards by the error of clipping.
static bool polygon_outside(const lf__volume *v, const lf_vec3 *corners, int64_t count) {
    lf_vec3 buffers[2][CORNERS + LF__VIEW_PLANES];
    double size = 0;
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, outside_size_of(corners[i]));
    for (int k = 0; k < v->plane_count; k++) {
        lf_plane plane = v->planes[k];
        plane.offset += 0x1p-46 * (size + fabs(plane.offset));
        count = lf_polygon_clip(corners, count, &plane, buffers[k & 1]);
        corners = buffers[k & 1];
        if (count == 0)
            return true;
    }
    return false;
}

bool lf__shape_outside_volume(const lf__volume *v, const lf_cull_shape *shape) {
    const lf_vec3 *corners = shape->corners;
    for (int64_t p = 0; p < shape->polygon_count; p++) {
        int64_t count = shape->corner_counts ? shape->corner_counts[p] : 3;
        if (count > CORNERS || !polygon_outside(v, corners, count))
            return false;
        corners += count;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Objects hidden by ground
// ---------------------------------------------------------------------------------------------------

// A line to a lower point at the same map position runs lower everywhere, so only the top of the box matters.
// On the map, all lines from the eye to the box cross every barrier in front of the box: a straight line at a
// fixed depth, as wide as the box appears. A barrier whose lowest ground is above the highest line over it
// hides everything. One barrier is rarely enough for a wide box, so the width is halved until each part has
// its own, at the depth where its middle line is deepest in the ground; a part whose middle line is clear
// ends the search.

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

static lf_vec2 line_place_at(const lines *l, double depth, double slope) {
    lf_vec2 place = {l->eye.x + depth * (l->ahead.x - slope * l->ahead.y),
                     l->eye.y + depth * (l->ahead.y + slope * l->ahead.x)};
    return place;
}

/// Is all ground of a barrier, at a part of the depth, higher than every line?
static bool barrier_hides(const lines *l, double part, double low, double high) {
    double depth = part * l->depth, line = l->eye.z + part * (l->top - l->eye.z);
    double least = l->ground->kind->least(l->ground->object, line_place_at(l, depth, low),
                                          line_place_at(l, depth, high));
    return least > line + 0x1p-40 * (fabs(l->eye.z) + fabs(l->top) + fabs(line));
}

/// Where is the middle line deepest in the ground? False when it is not blocked.
static bool deepest_part(const lines *l, double slope, double *part) {
    lf_sight_rules rules = lf_sight_rules_default();
    lf_sight sight;
    rules.detail = true;
    lf_vec2 place = line_place_at(l, l->depth, slope);
    lf_vec3 end = {place.x, place.y, l->top};
    if (lf_sight_between(l->ground, &rules, l->eye, end, &sight, l->cursor) != LF_OK ||
        sight.verdict != LF_VERDICT_BLOCKED)
        return false;
    *part = fmin(sight.clearance_t, LAST);
    return *part > 0;
}

/// The deepest point is often at the edge of an obstacle, so barriers a cell or two beside it are tried as
/// well.
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

static bool all_lines_hidden(const lines *l, double low, double high, int halvings) {
    double part, middle = 0.5 * low + 0.5 * high;
    if (!deepest_part(l, middle, &part))
        return false;
    if (barrier_near(l, part, low, high))
        return true;
    return halvings > 0 && all_lines_hidden(l, low, middle, halvings - 1) &&
           all_lines_hidden(l, middle, high, halvings - 1);
}

/// The lines to a box: false when the box reaches beside the eye.
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
    // Widened by the rounding error; the same for the depth.
    double doubt = 0x1p-40 * (1 + fabs(slopes[0]) + fabs(slopes[1]));
    slopes[0] -= doubt;
    slopes[1] += doubt;
    l->depth *= 1 - 0x1p-40;
    double rise = box->high.z - l->eye.z;
    l->top = rise > 0 ? box->high.z : l->eye.z + rise * (l->depth / farthest) * (1 - 0x1p-40);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Hidden by parts of a group
// ---------------------------------------------------------------------------------------------------

// What lies behind a convex body, seen from a point, is convex: a box is there if its corners are.

static lf_vec3 corner_of_box(const lf_box *box, int k) {
    return (lf_vec3){k & 1 ? box->high.x : box->low.x, k & 2 ? box->high.y : box->low.y,
                     k & 4 ? box->high.z : box->low.z};
}

/// Does a line pass through the inside of a box, strictly between its ends and by more than rounding?
static bool line_through(const lf_box *box, lf_vec3 from, lf_vec3 to) {
    const double low[3] = {box->low.x, box->low.y, box->low.z},
                 high[3] = {box->high.x, box->high.y, box->high.z}, a[3] = {from.x, from.y, from.z},
                 b[3] = {to.x, to.y, to.z};
    double enter = 0, leave = 1;
    for (int k = 0; k < 3; k++) {
        double doubt = 0x1p-40 * (fabs(low[k]) + fabs(high[k]) + fabs(a[k]) + fabs(b[k])), step = b[k] - a[k];
        double near = (step > 0 ? low[k] + doubt : high[k] - doubt) - a[k],
               far = (step > 0 ? high[k] - doubt : low[k] + doubt) - a[k];
        if (step == 0 && !(a[k] > low[k] + doubt && a[k] < high[k] - doubt))
            return false;
        enter = step != 0 ? fmax(enter, near / step) : enter;
        leave = step != 0 ? fmin(leave, far / step) : leave;
    }
    return enter > 0x1p-40 && leave < 1 - 0x1p-40 && leave - enter > 0x1p-40;
}

static bool part_hides(const lf__group_part *part, lf_vec3 eye, const lf_box *box) {
    lf_vec3 from = lf_pose_to_local(&part->pose, eye);
    for (int k = 0; k < 8 && part->is_box; k++)
        if (!line_through(&part->own, from, lf_pose_to_local(&part->pose, corner_of_box(box, k))))
            return false;
    return part->is_box;
}

/// By one of the grids of a group, or by one of the boxes that the lines to the corners and to the middle meet first.
static bool group_hides(const lf_group *group, lf_vec3 eye, const lf_box *box, lf_cursor *cursor) {
    bool hidden = false;
    for (int64_t i = 0, left = group->grid_count; left > 0 && !hidden; i++) {
        const lf__group_part *part = &group->parts[i];
        left -= part->has_grid;
        if (part->has_grid && part->identity)
            lf__box_hidden(part->ground, eye, *box, &hidden, cursor);
    }
    int64_t last = -1;
    for (int k = 0; k < 9 && !hidden; k++) {
        lf_ray ray = lf_ray_between(eye, k < 8 ? corner_of_box(box, k) : lf_box_centre(*box));
        lf_hit hit;
        if (!lf__ray_valid(&ray))
            return false;
        group->ground.kind->ray_first(group->ground.object, &ray, &hit, cursor);
        if (hit.kind == LF_HIT_NONE)
            return false; // a line to it is clear
        if (hit.part != last)
            hidden = part_hides(&group->parts[hit.part], eye, box);
        last = hit.part;
    }
    return hidden;
}

lf_status lf__box_hidden(const lf_ground *ground, lf_vec3 eye, lf_box box, bool *hidden, lf_cursor *cursor) {
    double slopes[2];
    if (!ground || !hidden || !(fabs(eye.x) <= 1e30) || !(fabs(eye.y) <= 1e30) || !(fabs(eye.z) <= 1e30) ||
        lf_box_is_empty(box) || !lf_vec3_finite(box.low) || !lf_vec3_finite(box.high))
        return LF_BAD_ARGUMENT;
    *hidden = false;
    ground = lf__ground_itself(ground);
    if (lf__ground_group(ground)) {
        *hidden = group_hides(lf__ground_group(ground), eye, &box, cursor);
        return lf__ground_status(ground, LF_OK);
    }
    if (!ground->kind->least)
        return LF_OK;
    lines l = {.ground = ground, .eye = eye, .cursor = cursor};
    l.spacing = ground->kind->spacing(ground->object, eye);
    if (!(l.spacing > 0))
        return LF_OK;
    *hidden = lines_to(&box, &l, slopes) && all_lines_hidden(&l, slopes[0], slopes[1], DEPTH);
    return lf__ground_status(ground, LF_OK);
}
