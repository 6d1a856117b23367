/// Angles, planes, projections of polygons and touching triangles: what modules use of geom beyond the public
/// header.
#ifndef LF_GEOM_GEOMETRY_H
#define LF_GEOM_GEOMETRY_H

#include "base/arithmetic.h"
#include "base/containers.h"
#include <landfall/geom.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Angles in degrees: the sine of 180 degrees is 0, and the cosine of 60 is 1/2 within the last bit
// ---------------------------------------------------------------------------------------------------

#define LF__PI 3.14159265358979323846
#define LF__DEGREE (LF__PI / 180)

/// Sine and cosine, usually (but not always) of one angle.
typedef struct lf__sincos {
    double sin, cos;
} lf__sincos;

/// Sine and cosine of an angle in degrees: reduced exactly to [-45, 45] first.
static inline lf__sincos lf__sincos_deg(double degrees) {
    int quarter;
    double rest = remquo(degrees, 90, &quarter) * LF__DEGREE; // exact up to the multiplication
    double s = sin(rest), c = cos(rest);
    switch (quarter & 3) {
    case 0:
        return (lf__sincos){s, c};
    case 1:
        return (lf__sincos){c, 0 - s};
    case 2:
        return (lf__sincos){0 - s, 0 - c};
    default:
        return (lf__sincos){0 - c, s};
    }
}

/// The angle of (x, y) in degrees, in [-180, 180]. Quarter turns are added in degrees, where they are exact.
static inline double lf__atan2_deg(double y, double x) {
    int quarter = 0;
    if (fabs(y) > fabs(x)) {
        quarter = y > 0 ? 1 : -1;
        double swap = y;
        y = quarter > 0 ? 0 - x : x;
        x = quarter > 0 ? swap : 0 - swap;
    } else if (x < 0) {
        quarter = y < 0 ? -2 : 2;
        x = 0 - x;
        y = 0 - y;
    }
    return quarter * 90 + atan2(y, x) / LF__DEGREE;
}

// ---------------------------------------------------------------------------------------------------
// Planes
// ---------------------------------------------------------------------------------------------------

/// The exact sign of normal . p - offset: +1 in front, 0 on the plane, -1 behind.
int lf__plane_side(const lf_plane *plane, lf_vec3 p);

/// normal . p - offset: the sign is exact, the value off by little (a few roundings of the largest product,
/// and by half a unit in the last place where that could matter for the sign). A distance when the normal
/// is unit.
double lf__plane_height(const lf_plane *plane, lf_vec3 p);

// ---------------------------------------------------------------------------------------------------
// Projections of polygons
// ---------------------------------------------------------------------------------------------------

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

/// Does the direction from a to b go up (or level to the right)? Opposite directions always differ.
static inline bool lf__vec2_rises(lf_vec2 a, lf_vec2 b) {
    return b.y > a.y || (b.y == a.y && b.x > a.x);
}

// ---------------------------------------------------------------------------------------------------
// Triangles
// ---------------------------------------------------------------------------------------------------

/// Touching counts, and so do coplanar triangles. A triangle without area is the segment, or the point, that
/// its corners span. Exact in the range of the predicates in landfall/geom.h. Allocates nothing. Threads:
/// any.
bool lf__triangles_touch(const lf_vec3 p[3], const lf_vec3 q[3]);

// ---------------------------------------------------------------------------------------------------
// Poses
// ---------------------------------------------------------------------------------------------------

/// lf_pose_turn_to_local without a call: the same operations in the same order.
static inline lf_vec3 lf__pose_turn_back(const lf_pose *pose, lf_vec3 v) {
    lf_vec3 sum = lf_vec3_scale(pose->rows[0], v.x);
    sum = lf_vec3_along(sum, v.y, pose->rows[1]);
    return lf_vec3_along(sum, v.z, pose->rows[2]);
}

/// The pose of b as seen from a: the transposed rotation of a, times the rotation of b.
static inline lf_pose lf__pose_between(const lf_pose *a, const lf_pose *b) {
    const lf_vec3 *r = a->rows;
    lf_pose between;
    between.rows[0] = lf__pose_turn_back(b, (lf_vec3){r[0].x, r[1].x, r[2].x});
    between.rows[1] = lf__pose_turn_back(b, (lf_vec3){r[0].y, r[1].y, r[2].y});
    between.rows[2] = lf__pose_turn_back(b, (lf_vec3){r[0].z, r[1].z, r[2].z});
    between.translation = lf__pose_turn_back(a, lf_vec3_sub(b->translation, a->translation));
    return between;
}

// ---------------------------------------------------------------------------------------------------
// Places in hash tables
// ---------------------------------------------------------------------------------------------------

/// A hash of a place for lf__table: the same for -0 and 0.
static inline uint64_t lf__place_hash(lf_vec3 p) {
    const double values[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
    uint64_t bits[3], hash = 0;
    memcpy(bits, values, sizeof bits);
    for (int i = 0; i < 3; i++)
        hash = lf__table_hash(hash, bits[i]);
    return hash;
}

static inline bool lf__place_same(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

#endif
