/// What polygon.c and triangulate.c share: the flat picture of a polygon in space.
#ifndef LF_GEOM_POLYGON_H
#define LF_GEOM_POLYGON_H

#include <landfall/geom.h>

/// Which coordinate is left out, and how the polygon goes round in the picture.
typedef struct lf__projection {
    int axis; ///< 0 x, 1 y, 2 z: the largest component of the area
    int turn; ///< +1 counter-clockwise, -1 clockwise, 0 no area
} lf__projection;

/// The projection along the largest component of the area vector. Without any area (a bow tie, or corners on
/// a line) the axis is one along which single triangles have area, if there is such an axis.
lf__projection lf__polygon_projection(const lf_vec3 *corners, int64_t count);

/// A corner without the coordinate of the axis; the order keeps turns: counter-clockwise seen from the
/// axis's positive end stays counter-clockwise.
static inline lf_vec2 lf__project(lf_vec3 p, int axis) {
    lf_vec2 yz = {p.y, p.z}, zx = {p.z, p.x}, xy = {p.x, p.y};
    return axis == 0 ? yz : axis == 1 ? zx : xy;
}

static inline bool lf__vec2_same(lf_vec2 a, lf_vec2 b) {
    return a.x == b.x && a.y == b.y;
}

/// Does the way from a to b go up (or level to the right)? Opposite ways always differ.
static inline bool lf__vec2_rises(lf_vec2 a, lf_vec2 b) {
    return b.y > a.y || (b.y == a.y && b.x > a.x);
}

#endif
