/// Views: checked, and turned into volumes.
#include "scene/view.h"
#include <math.h>
#include <string.h>

#define FARTHEST 1e30

/// Opening angles that leave corners where they can be computed.
#define NARROWEST 1e-6
#define WIDEST 3.12

static lf_status check_number(double value, double low, double high, const char *name, lf_error *error) {
    if (value >= low && value <= high)
        return LF_OK;
    return lf__fail(error, LF_BAD_ARGUMENT, -1, "the view's %s is %g, not %g .. %g", name, value, low, high);
}

static lf_status check_distances(const lf_eye *view, lf_error *error) {
    lf_status status = check_number(view->nearest, 0, FARTHEST, "nearest", error);
    if (status == LF_OK)
        status = check_number(view->smallest, 0, FARTHEST, "smallest", error);
    if (status == LF_OK && !(view->farthest > view->nearest))
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "the view ends at %g, not behind its beginning at %g",
                          view->farthest, view->nearest);
    if (status == LF_OK && isfinite(view->farthest))
        status = check_number(view->farthest, 0, FARTHEST, "farthest", error);
    return status;
}

static lf_status check_view(const lf_eye *view, lf_error *error) {
    const double eye[3] = {view->at.x, view->at.y, view->at.z};
    for (int k = 0; k < 3; k++) {
        lf_status status = check_number(eye[k], -FARTHEST, FARTHEST, "eye", error);
        if (status != LF_OK)
            return status;
    }
    lf_status status = check_number(view->across, NARROWEST, WIDEST, "angle across", error);
    if (status == LF_OK)
        status = check_number(view->upright, NARROWEST, WIDEST, "angle upright", error);
    return status == LF_OK ? check_distances(view, error) : status;
}

/// Right, forward and up as unit vectors at right angles; false when up is along forward.
static bool turn_view(const lf_eye *view, lf__volume *v) {
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

static lf_plane plane_at(lf_vec3 normal, lf_vec3 point, double along) {
    lf_plane plane = {normal, lf_vec3_dot(normal, point) + along};
    return plane;
}

/// The planes through the eye that close two sides, at half an angle from forward: against `side`, and along it.
static void close_sides(const lf__volume *v, lf_vec3 side, double half, lf_plane planes[2]) {
    double cosine = cos(half), sine = sin(half);
    lf_vec3 other = lf_vec3_scale(side, -1);
    planes[0] = plane_at(lf_vec3_along(lf_vec3_scale(other, cosine), -sine, v->forward), v->eye, 0);
    planes[1] = plane_at(lf_vec3_along(lf_vec3_scale(side, cosine), -sine, v->forward), v->eye, 0);
}

static void place_planes(const lf_eye *view, lf__volume *v) {
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

static lf_box widened(lf_box box, double by) {
    lf_vec3 margin = {by, by, by};
    return (lf_box){lf_vec3_sub(box.low, margin), lf_vec3_add(box.high, margin)};
}

static void place_corners(lf__volume *v) {
    static const double x[4] = {-1, 1, 1, -1}, y[4] = {-1, -1, 1, 1};
    // Planes are off by a few units in the last place of the eye's coordinates and of their normals. Where a
    // side meets the far plane the error grows with the square of how flat they meet.
    double steep = 1 + v->across * v->across + v->upright * v->upright;
    v->blur = 0x1p-44 * (fabs(v->eye.x) + fabs(v->eye.y) + fabs(v->eye.z) + v->farthest) * steep;
    v->bounds = lf_box_empty();
    for (int k = 0; k < 8; k++) {
        v->corners[k] = corner_at(v, k < 4 ? v->nearest : v->farthest, x[k & 3], y[k & 3]);
        v->bounds = lf_box_with(v->bounds, v->corners[k]);
    }
    v->bounds = widened(v->bounds, v->blur);
}

lf_status lf__eye_check(const lf_eye *full, lf_error *error) {
    lf__volume v;
    lf_status status = check_view(full, error);
    if (status == LF_OK && !turn_view(full, &v))
        status =
            lf__fail(error, LF_BAD_ARGUMENT, -1,
                     "the view's forward (%g, %g, %g) and up (%g, %g, %g) are no orientation",
                     full->forward.x, full->forward.y, full->forward.z, full->up.x, full->up.y, full->up.z);
    return status;
}

lf_status lf__view_read(const lf_eye *view, lf_eye *full, lf_error *error) {
    *full = lf_eye_default();
    lf_status status = lf__def_read(full, sizeof *full, view, error);
    return status == LF_OK ? lf__eye_check(full, error) : status;
}

void lf__volume_make(const lf_eye *view, double farthest, lf__volume *v) {
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
    double wide = sqrt(v->across * v->across + v->upright * v->upright);
    v->cone_cosine = 1 / sqrt(1 + wide * wide);
    v->cone_sine = wide * v->cone_cosine;
}

double lf__view_reach(const lf_eye *view, lf_box world) {
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

lf_status lf_eye_volume(const lf_eye *view, lf_polyhedron *volume, lf_error *error) {
    lf__volume v;
    lf_eye full;
    if (!view || !volume)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "view or volume is NULL");
    lf_status status = lf__view_read(view, &full, error);
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

lf_status lf_eye_project(const lf_eye *view, lf_vec3 point, lf_vec3 *seen) {
    lf__volume v;
    lf_eye full;
    if (!view || !seen || !lf_vec3_finite(point))
        return LF_BAD_ARGUMENT;
    lf_status status = lf__view_read(view, &full, NULL);
    if (status != LF_OK)
        return status;
    lf__volume_make(&full, 0, &v);
    lf_vec3 way = lf_vec3_sub(point, v.eye);
    double depth = lf_vec3_dot(way, v.forward);
    *seen = (lf_vec3){0, 0, depth};
    if (depth > 0) {
        seen->x = lf_vec3_dot(way, v.right) / (depth * v.across);
        seen->y = lf_vec3_dot(way, v.up) / (depth * v.upright);
    }
    return LF_OK;
}
