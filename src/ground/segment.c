/// Segments that triangles block, decided by signs of volumes.
#include "ground/ground.h"

/// Is a point of a triangle's plane in the closed triangle? Decided in a projection with an area.
static bool segment_triangle_holds(const lf_vec3 c[3], lf_vec3 p) {
    for (int axis = 0; axis < 3; axis++) {
        lf_vec2 flat[4];
        for (int k = 0; k < 4; k++) {
            lf_vec3 v = k < 3 ? c[k] : p;
            flat[k] = axis == 0 ? (lf_vec2){v.x, v.y} : axis == 1 ? (lf_vec2){v.y, v.z} : (lf_vec2){v.z, v.x};
        }
        int turn = lf_orient2d(flat[0], flat[1], flat[2]);
        if (turn == 0)
            continue;
        return lf_orient2d(flat[0], flat[1], flat[3]) * turn >= 0 &&
               lf_orient2d(flat[1], flat[2], flat[3]) * turn >= 0 &&
               lf_orient2d(flat[2], flat[0], flat[3]) * turn >= 0;
    }
    return false;
}

/// Does the line through two points on different sides of a triangle's plane go through the closed triangle?
static bool segment_goes_through(const lf_vec3 c[3], lf_vec3 a, lf_vec3 b) {
    int s[3], low = 0, high = 0;
    for (int k = 0; k < 3; k++) {
        s[k] = lf_orient3d(a, b, c[k], c[(k + 1) % 3]);
        low = s[k] < low ? s[k] : low;
        high = s[k] > high ? s[k] : high;
    }
    return low == 0 || high == 0;
}

/// Where the plane is between two points, as a fraction of the way.
static double segment_plane_at(const lf_vec3 c[3], lf_vec3 a, lf_vec3 b) {
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(c[1], c[0]), lf_vec3_sub(c[2], c[0]));
    double from = lf_vec3_dot(normal, lf_vec3_sub(a, c[0])), to = lf_vec3_dot(normal, lf_vec3_sub(b, c[0]));
    double t = from / (from - to);
    return t >= 0 && t <= 1 ? t : t > 1 ? 1 : 0;
}

bool lf__segment_meets(const lf__segment *segment, const lf_vec3 c[3], double *t) {
    const lf_vec3 *ends = segment->ends;
    int side[2] = {lf_orient3d(c[0], c[1], c[2], ends[0]), lf_orient3d(c[0], c[1], c[2], ends[1])};
    if (side[0] * side[1] < 0) {
        if (!segment_goes_through(c, ends[0], ends[1]))
            return false;
        *t = segment_plane_at(c, ends[0], ends[1]);
        return true;
    }
    bool found = false;
    for (int k = 0; k < 2; k++)
        if (segment->joint[k] && side[k] == 0 && segment_triangle_holds(c, ends[k]) &&
            !(found && !segment->last)) {
            *t = k;
            found = true;
        }
    return found;
}
