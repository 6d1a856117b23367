/// One thing against one view volume: sphere against cone, box and polygons against the volume itself.
#include "scene/view.h"
#include <math.h>

static double size_of(lf_vec3 a) {
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

// ---------------------------------------------------------------------------------------------------
// Sphere against cone
// ---------------------------------------------------------------------------------------------------

static double distance_to(const lf_box *box, lf_vec3 p) {
    double x = fmax(0, fmax(box->low.x - p.x, p.x - box->high.x));
    double y = fmax(0, fmax(box->low.y - p.y, p.y - box->high.y));
    double z = fmax(0, fmax(box->low.z - p.z, p.z - box->high.z));
    return sqrt(x * x + y * y + z * z);
}

/// With the angle a of the cone and b of the sphere's centre, both from the line of sight, the sphere is outside when
/// its centre is farther than its radius from the cone: from its surface, |way| sin(b - a), or from its tip when that is
/// nearest.
bool lf__outside_cone(const lf__volume *v, const lf_box *box) {
    lf_vec3 centre = lf_box_centre(*box), half = lf_vec3_scale(lf_vec3_sub(box->high, box->low), 0.5);
    lf_vec3 way = lf_vec3_sub(centre, v->eye);
    double margin = 0x1p-44 * (size_of(v->eye) + size_of(centre) + size_of(half));
    double radius = lf_vec3_length(half) * (1 + 0x1p-50) + margin;
    double length = lf_vec3_length(way), along = lf_vec3_dot(way, v->forward);
    if (2 * radius < v->smallest * (distance_to(box, v->eye) - margin))
        return true;
    if (along + radius < v->nearest || (!v->endless && along - radius > v->farthest))
        return true;
    if (length <= radius)
        return false; // the eye is in it
    double beside = lf_vec3_length(lf_vec3_along(way, -along, v->forward));
    if (beside * v->cone_sine + along * v->cone_cosine <= 0)
        return true; // behind the tip, which is nearest and not in it
    return beside * v->cone_cosine - along * v->cone_sine > radius;
}

// ---------------------------------------------------------------------------------------------------
// Box against volume
// ---------------------------------------------------------------------------------------------------

/// Does a plane at right angles to an axis part the box from the volume? Not when rounding could have made the gap.
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
    double doubt = 0x1p-46 * (size_of(centre) + size_of(half));
    return gap > size_of(axis) * (2 * v->blur + doubt);
}

/// A plane of the volume has the whole box in front. That needs no corners, and holds without an end too.
static bool before_plane(const lf_plane *plane, const lf_box *box) {
    lf_vec3 n = plane->normal;
    lf_vec3 p = {n.x > 0 ? box->low.x : box->high.x, n.y > 0 ? box->low.y : box->high.y,
                 n.z > 0 ? box->low.z : box->high.z};
    double size = size_of(p) + fabs(plane->offset);
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

/// Polygons with more corners are kept: no room to clip them.
#define CORNERS 64

/// Clip by one plane after the other, each moved out by what clipping can be off.
static bool polygon_outside(const lf__volume *v, const lf_vec3 *corners, int64_t count) {
    lf_vec3 rooms[2][CORNERS + LF__VIEW_PLANES];
    double size = 0;
    for (int64_t i = 0; i < count; i++)
        size = fmax(size, size_of(corners[i]));
    for (int k = 0; k < v->plane_count; k++) {
        lf_plane plane = v->planes[k];
        plane.offset += 0x1p-46 * (size + fabs(plane.offset));
        count = lf_polygon_clip(corners, count, &plane, rooms[k & 1]);
        corners = rooms[k & 1];
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
