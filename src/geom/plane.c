/// Planes, and the height of a point over one with a sign that can be trusted.
#include "geom/plane.h"
#include "geom/expansion.h"
#include <math.h>

static double height_exact(const lf_plane *plane, lf_vec3 p) {
    lf__exact3 point;
    lf__exact along, offset;
    lf__exact3_of(p, &point);
    lf__exact3_dot_vec(&point, plane->normal, &along);
    lf__exact_of(plane->offset, &offset);
    lf__exact_minus(&along, &offset, &along);
    return lf__exact_estimate(&along);
}

double lf__plane_height(const lf_plane *plane, lf_vec3 p) {
    double x = plane->normal.x * p.x, y = plane->normal.y * p.y, z = plane->normal.z * p.z;
    double height = x + y + z - plane->offset;
    // A product and three additions: four roundings (see orient.c for the bound).
    double bound = 5 * 0x1p-53 * (fabs(x) + fabs(y) + fabs(z) + fabs(plane->offset));
    return fabs(height) > bound ? height : height_exact(plane, p);
}

int lf_plane_side(const lf_plane *plane, lf_vec3 p) {
    double height = lf__plane_height(plane, p);
    return (height > 0) - (height < 0);
}

/// (b - a) x (c - a), each component rounded once.
static lf_vec3 normal_exact(lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    lf__exact3 ab, ac, normal;
    lf__exact3_difference(b, a, &ab);
    lf__exact3_difference(c, a, &ac);
    lf__exact3_cross(&ab, &ac, &normal);
    return (lf_vec3){lf__exact_estimate(&normal.x), lf__exact_estimate(&normal.y),
                     lf__exact_estimate(&normal.z)};
}

lf_plane lf_plane_through(lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    lf_vec3 ab = lf_vec3_unit(lf_vec3_sub(b, a)), ac = lf_vec3_unit(lf_vec3_sub(c, a));
    lf_vec3 normal = lf_vec3_cross(ab, ac);
    // The length is the sine of the angle at a: where it is small, rounding would turn the normal.
    if (lf_vec3_length(normal) < 1e-3)
        normal = normal_exact(a, b, c);
    lf_plane plane = {lf_vec3_unit(normal), 0};
    plane.offset = lf_vec3_dot(plane.normal, a);
    return plane;
}
