/// From a meeting to a hit: where, which way the surface faces, which part of the triangle.
#include "geom/expansion.h"
#include "bvh/bvh.h"

/// A triangle narrower than this share of its length has lost too many digits in doubles.
#define NEEDLE 1e-3

static double component(lf_vec3 v, int k) {
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/// The unit normal; exact arithmetic for needles, whose doubles may even point backwards.
static lf_vec3 normal_of(const lf_vec3 t[3], bool *needle) {
    lf_vec3 e = lf_vec3_sub(t[1], t[0]), f = lf_vec3_sub(t[2], t[0]);
    lf_vec3 n = lf_vec3_cross(e, f);
    double area = lf_vec3_dot(n, n), ee = lf_vec3_dot(e, e), ff = lf_vec3_dot(f, f), edge = ee > ff ? ee : ff;
    *needle = !(area > NEEDLE * NEEDLE * edge * edge && area > 1e-200 && area < 1e200);
    if (!*needle)
        return lf_vec3_scale(n, 1 / sqrt(area));
    lf__exact3 ab, ac, exact;
    lf__exact3_difference(t[1], t[0], &ab);
    lf__exact3_difference(t[2], t[0], &ac);
    lf__exact3_cross(&ab, &ac, &exact);
    lf_vec3 rounded = {lf__exact_estimate(&exact.x), lf__exact_estimate(&exact.y),
                       lf__exact_estimate(&exact.z)};
    return lf_vec3_unit(rounded);
}

/// Move a point along a direction onto a plane it is close to: after a long way, origin + t * direction has
/// lost digits that the triangle still has. Left alone where the direction runs along the plane.
static lf_vec3 on_plane(lf_vec3 p, lf_vec3 direction, lf_vec3 on, lf_vec3 normal) {
    double across = lf_vec3_dot(normal, direction);
    if (!(across * across > 1e-4 * lf_vec3_dot(direction, direction)))
        return p;
    return lf_vec3_along(p, lf_vec3_dot(normal, lf_vec3_sub(on, p)) / across, direction);
}

/// Barycentrics of a point in the triangle's plane, seen along the normal's largest component.
static void weights_of_point(const lf_vec3 t[3], lf_vec3 normal, lf_vec3 p, double *u, double *v) {
    int axis = fabs(normal.x) >= fabs(normal.y) && fabs(normal.x) >= fabs(normal.z) ? 0
               : fabs(normal.y) >= fabs(normal.z)                                   ? 1
                                                                                    : 2;
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    lf_vec3 e = lf_vec3_sub(t[1], t[0]), f = lf_vec3_sub(t[2], t[0]), q = lf_vec3_sub(p, t[0]);
    double area = component(e, i) * component(f, j) - component(e, j) * component(f, i);
    double inverse = area != 0 ? 1 / area : 0;
    *u = (component(q, i) * component(f, j) - component(q, j) * component(f, i)) * inverse;
    *v = (component(e, i) * component(q, j) - component(e, j) * component(q, i)) * inverse;
}

/// Barycentrics of a line's crossing from its three sides, exactly. false for a line within the plane.
static bool weights_of_line(const lf_vec3 t[3], const lf_ray *ray, double *u, double *v) {
    lf__exact3 corner[3];
    double side[3];
    for (int k = 0; k < 3; k++)
        lf__exact3_difference(t[k], ray->origin, &corner[k]);
    for (int k = 0; k < 3; k++) {
        lf__exact3 across;
        lf__exact volume;
        lf__exact3_cross(&corner[(k + 1) % 3], &corner[(k + 2) % 3], &across);
        lf__exact3_dot_vec(&across, ray->direction, &volume);
        side[k] = lf__exact_estimate(&volume);
    }
    double sum = side[0] + side[1] + side[2];
    if (sum == 0)
        return false;
    *u = side[1] / sum;
    *v = side[2] / sum;
    return true;
}

/// Barycentrics of a point in a needle: first how far across from its longest edge, then how far along. Rounding in the
/// first is worth no more than the needle's width.
static void weights_in_needle(const lf_vec3 t[3], lf_vec3 normal, lf_vec3 p, double *u, double *v) {
    int from = 0;
    double longest = -1, weight[3];
    for (int k = 0; k < 3; k++) {
        lf_vec3 edge = lf_vec3_sub(t[(k + 1) % 3], t[k]);
        if (lf_vec3_dot(edge, edge) > longest)
            longest = lf_vec3_dot(edge, edge), from = k;
    }
    int to = (from + 1) % 3, third = (from + 2) % 3;
    lf_vec3 edge = lf_vec3_sub(t[to], t[from]), tip = lf_vec3_sub(t[third], t[from]),
            q = lf_vec3_sub(p, t[from]);
    lf_vec3 across = lf_vec3_cross(normal, edge);
    double along = lf_vec3_dot(q, edge) / longest, tip_along = lf_vec3_dot(tip, edge) / longest;
    // Seen from the edge, the triangle rises to its tip and falls again.
    double most = along < tip_along ? along / tip_along : (1 - along) / (1 - tip_along);
    double share = lf_vec3_dot(q, across) / lf_vec3_dot(tip, across);
    share = share < most ? share : most;
    weight[third] = share > 0 ? share : 0; // 0 also for NaN
    share = along - weight[third] * tip_along;
    weight[to] = share > 0 ? share : 0;
    weight[from] = 1 - weight[to] - weight[third];
    *u = weight[1];
    *v = weight[2];
}

/// Within the triangle whatever rounding did.
static void clamp_weights(double *u, double *v) {
    double a = *u > 0 ? *u : 0, b = *v > 0 ? *v : 0, sum = a + b;
    *u = sum > 1 ? a / sum : a;
    *v = sum > 1 ? b / sum : b;
}

void lf__tree_weights(const lf_tree *tree, uint32_t triangle, lf_vec3 p, double *u, double *v) {
    const uint32_t *corner = tree->corners + 3 * (size_t)triangle;
    lf_vec3 t[3] = {tree->vertices[corner[0]], tree->vertices[corner[1]], tree->vertices[corner[2]]};
    bool needle;
    lf_vec3 normal = normal_of(t, &needle);
    (needle ? weights_in_needle : weights_of_point)(t, normal, p, u, v);
    clamp_weights(u, v);
}

/// Filled in place: a hit is large, and copying what has just been written waits for the writing.
void lf__tree_hit(const lf_tree *tree, const lf_ray *ray, const lf__tree_meeting *meeting, lf_hit *hit) {
    const uint32_t *corner =
        meeting->vertex ? meeting->vertex : tree->corners + 3 * (size_t)meeting->triangle;
    lf_vec3 t[3] = {tree->vertices[corner[0]], tree->vertices[corner[1]], tree->vertices[corner[2]]};
    lf_vec3 far = lf_vec3_along(ray->origin, meeting->t, ray->direction);
    bool needle;
    lf_vec3 normal = normal_of(t, &needle), point = on_plane(far, ray->direction, t[0], normal);
    hit->kind = LF_HIT_TRIANGLE;
    hit->reason = LF_REASON_ANSWERED;
    hit->t = meeting->t;
    hit->point = point;
    hit->normal = normal;
    hit->part = 0;
    hit->element = meeting->triangle;
    hit->triangle = hit->level = 0;
    hit->resolution = 0;
    hit->user = 0;
    hit->layers = 1;
    if (!needle)
        weights_of_point(t, normal, point, &hit->u, &hit->v);
    else if (!weights_of_line(t, ray, &hit->u, &hit->v))
        weights_in_needle(t, normal, point, &hit->u, &hit->v);
    clamp_weights(&hit->u, &hit->v);
}
