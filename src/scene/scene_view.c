/// View volumes: checking views, and objects against a volume.
#include "scene/cull.h"
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
