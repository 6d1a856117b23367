/// landfall/geom.h: points, boxes, planes, convex shapes, frames, the ellipsoid, exact predicates.
///
/// World positions are doubles, in metres unless a name says otherwise; angles in radians unless a name
/// says otherwise. x east, y north, z up.
#ifndef LANDFALL_GEOM_H
#define LANDFALL_GEOM_H

#include <landfall/base.h>
#include <math.h>

/// Infinity, as a double.
#define LF_INFINITY ((double)INFINITY)
/// Not a number, as a double.
#define LF_NAN ((double)NAN)

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------
// Vectors and boxes
// ---------------------------------------------------------------------------------------------------

/// A point or vector on the map.
typedef struct lf_vec2 {
    double x, y; ///< coordinates
} lf_vec2;

/// A point or vector in space.
typedef struct lf_vec3 {
    double x, y, z; ///< coordinates
} lf_vec3;

/// A closed box. Empty when low exceeds high in any axis.
typedef struct lf_box {
    lf_vec3 low, high; ///< corners with the least and the greatest coordinates
} lf_box;

/// a + b.
static inline lf_vec3 lf_vec3_add(lf_vec3 a, lf_vec3 b) {
    lf_vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
    return sum;
}

/// a - b.
static inline lf_vec3 lf_vec3_sub(lf_vec3 a, lf_vec3 b) {
    lf_vec3 difference = {a.x - b.x, a.y - b.y, a.z - b.z};
    return difference;
}

/// a times a factor.
static inline lf_vec3 lf_vec3_scale(lf_vec3 a, double factor) {
    lf_vec3 scaled = {a.x * factor, a.y * factor, a.z * factor};
    return scaled;
}

/// a + t * b
static inline lf_vec3 lf_vec3_along(lf_vec3 a, double t, lf_vec3 b) {
    lf_vec3 point = {a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
    return point;
}

/// The scalar product.
static inline double lf_vec3_dot(lf_vec3 a, lf_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// The vector product, a x b.
static inline lf_vec3 lf_vec3_cross(lf_vec3 a, lf_vec3 b) {
    lf_vec3 product = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return product;
}

/// The length of a vector.
static inline double lf_vec3_length(lf_vec3 a) {
    return sqrt(lf_vec3_dot(a, a));
}

/// Are all three coordinates finite?
static inline bool lf_vec3_finite(lf_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// Unit vector along a; a itself when its length is 0 or a is not finite. Safe from overflow and underflow.
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_vec3_unit(lf_vec3 a);

/// The box that holds nothing: growing it by a point gives that point.
static inline lf_box lf_box_empty(void) {
    lf_box box = {{LF_INFINITY, LF_INFINITY, LF_INFINITY}, {-LF_INFINITY, -LF_INFINITY, -LF_INFINITY}};
    return box;
}

/// Does low exceed high in any axis?
static inline bool lf_box_is_empty(lf_box box) {
    return !(box.low.x <= box.high.x && box.low.y <= box.high.y && box.low.z <= box.high.z);
}

/// The least box that holds a box and a point (finite).
static inline lf_box lf_box_with(lf_box box, lf_vec3 p) {
    box.low.x = p.x < box.low.x ? p.x : box.low.x;
    box.low.y = p.y < box.low.y ? p.y : box.low.y;
    box.low.z = p.z < box.low.z ? p.z : box.low.z;
    box.high.x = p.x > box.high.x ? p.x : box.high.x;
    box.high.y = p.y > box.high.y ? p.y : box.high.y;
    box.high.z = p.z > box.high.z ? p.z : box.high.z;
    return box;
}

/// The least box that holds both. The empty box adds nothing.
static inline lf_box lf_box_union(lf_box a, lf_box b) {
    a.low.x = b.low.x < a.low.x ? b.low.x : a.low.x;
    a.low.y = b.low.y < a.low.y ? b.low.y : a.low.y;
    a.low.z = b.low.z < a.low.z ? b.low.z : a.low.z;
    a.high.x = b.high.x > a.high.x ? b.high.x : a.high.x;
    a.high.y = b.high.y > a.high.y ? b.high.y : a.high.y;
    a.high.z = b.high.z > a.high.z ? b.high.z : a.high.z;
    return a;
}

/// Do two closed boxes share a point? Touching counts.
static inline bool lf_box_overlap(lf_box a, lf_box b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

/// Is a point in a box, its sides included?
static inline bool lf_box_contains(lf_box box, lf_vec3 p) {
    return p.x >= box.low.x && p.x <= box.high.x && p.y >= box.low.y && p.y <= box.high.y &&
           p.z >= box.low.z && p.z <= box.high.z;
}

/// The middle of a box that is not empty.
static inline lf_vec3 lf_box_centre(lf_box box) {
    lf_vec3 centre = {0.5 * box.low.x + 0.5 * box.high.x, 0.5 * box.low.y + 0.5 * box.high.y,
                      0.5 * box.low.z + 0.5 * box.high.z};
    return centre;
}

// ---------------------------------------------------------------------------------------------------
// Exact predicates: the sign is that of the real number, whatever rounding does
// ---------------------------------------------------------------------------------------------------
// Inputs finite. Exact as long as no intermediate product overflows or underflows: magnitudes between
// 1e-80 and 1e80, and zeros, are safe; beyond that a sign may be wrong, but nothing else happens.
// Allocate nothing. Threads: any.

/// On which side of the directed line a to b does c lie? +1 left, 0 on it, -1 right.
LF_API int lf_orient2d(lf_vec2 a, lf_vec2 b, lf_vec2 c);

/// On which side of the plane a, b, c does d lie? +1 when a, b, c appear counter-clockwise from d (d is
/// in front), 0 in the plane, -1 behind.
LF_API int lf_orient3d(lf_vec3 a, lf_vec3 b, lf_vec3 c, lf_vec3 d);

/// The sign of direction . ((a - origin) x (b - origin)): on which side of the directed edge a to b does a
/// line pass. 0 means that the line meets the edge's line or is parallel to it.
LF_API int lf_orient_line(lf_vec3 origin, lf_vec3 direction, lf_vec3 a, lf_vec3 b);

/// normal . p = offset
typedef struct lf_plane {
    lf_vec3 normal; ///< unit length
    double offset;  ///< of the plane along its normal
} lf_plane;

// ---------------------------------------------------------------------------------------------------
// Convex polygons and polyhedra
// ---------------------------------------------------------------------------------------------------

/// What is wrong with a polygon that should be flat and convex.
typedef enum lf_polygon_fault {
    LF_POLYGON_FINE,       ///< nothing
    LF_POLYGON_TOO_FEW,    ///< fewer than three corners
    LF_POLYGON_NOT_FINITE, ///< NaN or infinite corner
    LF_POLYGON_DEGENERATE, ///< no area
    LF_POLYGON_CONCAVE,    ///< turns the wrong way at the corner given by `at`, or winds round twice
    LF_POLYGON_BENT        ///< the corner given by `at` is farther from the plane than the tolerance
} lf_polygon_fault;

/// Check that a polygon is flat within a tolerance and convex.
/// corners    count corners in order, either way round
/// tolerance  metres from the polygon's plane that are still flat, >= 0; rounding (2e-15 of the polygon's
///            extent) is allowed for. The plane is normal to lf_polygon_area and goes through the mean of
///            the corners
/// at         optional; the offending corner, or -1
/// Collinear and repeated corners are fine as long as there is area; three corners are always flat.
/// Convexity is decided exactly on the projection along the largest component of the normal. Of several
/// faults one is returned.
/// Allocates nothing. Threads: any.
LF_API lf_polygon_fault lf_polygon_check(const lf_vec3 *corners, int64_t count, double tolerance,
                                         int64_t *at);

/// The area vector of a polygon: its length is the area, it points to the counter-clockwise side. Right to
/// 12 digits however thin the polygon is; exactly zero when there is no area, and for fewer than three
/// corners.
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_polygon_area(const lf_vec3 *corners, int64_t count);

/// Cut a simple polygon, convex or not, into triangles (ears, by exact orientation on the projection along
/// the largest normal component).
/// corners    count >= 3 finite corners in order
/// triangles  space for 3 * (count - 2) corner numbers, each 0 <= number < count, same winding as the
///            polygon; the whole space is used while working
/// Returns the number of triangles written: count - 2, or fewer when corners repeat or run straight back, 0
/// when all corners lie on a line; -1 when two edges cross or when the outline touches itself so that no
/// ear is left.
/// No triangle is without area. Corners in the middle of a straight edge are used.
/// Allocates nothing (quadratic in count). Threads: any.
LF_API int64_t lf_polygon_triangulate(const lf_vec3 *corners, int64_t count, int64_t *triangles);

/// Clip a convex polygon to the side normal . p <= offset of a plane.
/// corners    count corners in order
/// clipped    space for count + 1 corners; must not overlap corners
/// Returns the number of corners kept, 0 when nothing is left. Corners on the plane (exactly) are kept: a
/// polygon that only touches the plane from the far side leaves one or two corners. An edge is cut at the
/// same point whichever way round it is given. A polygon that is not convex loses all crossings but the
/// first two.
/// Allocates nothing. Threads: any.
LF_API int64_t lf_polygon_clip(const lf_vec3 *corners, int64_t count, const lf_plane *plane,
                               lf_vec3 *clipped);

/// A convex polyhedron as the common part of half-spaces normal . p <= offset, and its corners.
/// At most 32 planes and 64 corners: boxes, view volumes, sectors of shells.
#define LF_POLYHEDRON_PLANES 32
/// Most corners of a polyhedron.
#define LF_POLYHEDRON_CORNERS 64
/// A convex polyhedron.
typedef struct lf_polyhedron {
    int plane_count;                        ///< number of planes
    int corner_count;                       ///< number of corners
    lf_plane planes[LF_POLYHEDRON_PLANES];  ///< outward unit normals
    lf_vec3 corners[LF_POLYHEDRON_CORNERS]; ///< its corners
} lf_polyhedron;

/// How one shape lies to another.
typedef enum lf_relation { LF_RELATION_OUTSIDE, LF_RELATION_CROSSING, LF_RELATION_INSIDE } lf_relation;

// ---------------------------------------------------------------------------------------------------
// Rays, and polygons as arrays
// ---------------------------------------------------------------------------------------------------

/// A ray: origin + t * direction for t_min <= t <= t_max (closed). The direction needs no unit length;
/// t counts in its lengths. Origin within 1e30, finite direction, not zero, 0 <= t_min <= t_max;
/// t_max may be INFINITY.
typedef struct lf_ray {
    lf_vec3 origin;    ///< starting point
    lf_vec3 direction; ///< need not be of unit length
    double t_min;      ///< start, closed
    double t_max;      ///< end, closed; may be INFINITY
} lf_ray;

/// The ray from a point in a direction, t from 0 without end.
static inline lf_ray lf_ray_towards(lf_vec3 origin, lf_vec3 direction) {
    lf_ray ray = {origin, direction, 0.0, LF_INFINITY};
    return ray;
}

/// The segment from a to b: t is 0 at a and 1 at b.
static inline lf_ray lf_ray_between(lf_vec3 a, lf_vec3 b) {
    lf_ray ray = {a, {b.x - a.x, b.y - a.y, b.z - a.z}, 0.0, 1.0};
    return ray;
}

/// Polygons as plain arrays: what loaders and generators make and what meshes and models are made of.
/// Polygon i has the corners corner[start[i]] .. corner[start[i + 1] - 1], each the number of a vertex.
typedef struct lf_polygons {
    const lf_vec3 *vertices; ///< positions
    int64_t vertex_count;    ///< number of vertices
    const int64_t *starts;   ///< polygon_count + 1 ascending numbers from 0; NULL: all are triangles
    const int64_t *corners;  ///< numbers of vertices
    int64_t polygon_count;   ///< number of polygons
    const uint64_t *users;   ///< a value per polygon that comes back in hits, or NULL (all 0)
    const uint32_t *layers;  ///< a layer mask per polygon, or NULL (all 1)
    const uint8_t *sides;    ///< 1: hit only from the front, 2: from both; or NULL (all 2)
} lf_polygons;

// ---------------------------------------------------------------------------------------------------
// Frames: coordinates in which down is -z
// ---------------------------------------------------------------------------------------------------

/// Kinds of gravity.
typedef enum lf_frame_kind {
    LF_FRAME_GRAVITY, ///< one direction everywhere
    LF_FRAME_CENTRE,  ///< towards a point: a planet
    LF_FRAME_AXIS_IN, ///< towards a line
    LF_FRAME_AXIS_OUT ///< away from a line: a rotating station
} lf_frame_kind;

/// A frame. Local coordinates have down = -z: turned x, y, z for gravity; longitude, latitude (radians) and
/// distance for a centre; angle, distance along the axis and distance from it for an axis (negated where
/// gravity points outwards).
typedef struct lf_frame {
    lf_frame_kind kind; ///< which kind
    lf_vec3 origin;     ///< centre, or a point of the axis; zero for gravity
    lf_vec3 down;       ///< gravity as the caller gave it, or the axis, not normalised; zero for a centre
    lf_vec3 rows[3];    ///< rotation: local = rows * (world - origin), before angles are taken
} lf_frame;

/// The usual frame: down is -z and local coordinates are world coordinates.
static inline lf_frame lf_frame_default(void) {
    lf_frame frame = {LF_FRAME_GRAVITY, {0, 0, 0}, {0, 0, -1}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return frame;
}

/// Gravity along a vector (finite, not zero, any length). Straight down gives the identity rotation.
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_frame_gravity(lf_vec3 gravity, lf_frame *frame);

/// Gravity towards a point (finite). Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_frame_centre(lf_vec3 centre, lf_frame *frame);

/// Gravity towards (inwards) or away from the line through a point along a direction (finite, not zero).
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_frame_axis(lf_vec3 point, lf_vec3 direction, bool inwards, lf_frame *frame);

/// The direction of down at a point: unit length; zero where there is none (the centre; the axis, as far as
/// rounding can tell).
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_frame_down(const lf_frame *frame, lf_vec3 p);

/// The direction of north at a point: unit length, level. The local y axis for gravity; towards the end of the z axis
/// for a centre, and along the meridian of longitude 0 over its poles; along the axis for an axis.
/// Allocates nothing. Threads: any.
LF_API lf_vec3 lf_frame_north(const lf_frame *frame, lf_vec3 p);

/// World to local coordinates and back. Angles are in [-pi, pi], and 0 where there is none (on the axis).
/// Allocate nothing. Threads: any.
LF_API lf_vec3 lf_frame_to_local(const lf_frame *frame, lf_vec3 world);
LF_API lf_vec3 lf_frame_to_world(const lf_frame *frame, lf_vec3 local);

// ---------------------------------------------------------------------------------------------------
// Poses: position and rotation of a rigid body
// ---------------------------------------------------------------------------------------------------

/// world = rows * local + translation. The rows are those of a rotation.
typedef struct lf_pose {
    lf_vec3 rows[3];     ///< of the matrix
    lf_vec3 translation; ///< metres
} lf_pose;

/// The pose that changes nothing.
static inline lf_pose lf_pose_identity(void) {
    lf_pose pose = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    return pose;
}

/// A direction of the body in the world.
static inline lf_vec3 lf_pose_turn_to_world(const lf_pose *pose, lf_vec3 local) {
    lf_vec3 world = {lf_vec3_dot(pose->rows[0], local), lf_vec3_dot(pose->rows[1], local),
                     lf_vec3_dot(pose->rows[2], local)};
    return world;
}

/// A direction of the world in the coordinates of the body.
static inline lf_vec3 lf_pose_turn_to_local(const lf_pose *pose, lf_vec3 world) {
    lf_vec3 sum = lf_vec3_scale(pose->rows[0], world.x);
    sum = lf_vec3_along(sum, world.y, pose->rows[1]);
    return lf_vec3_along(sum, world.z, pose->rows[2]);
}

/// A point of the body in the world.
static inline lf_vec3 lf_pose_to_world(const lf_pose *pose, lf_vec3 local) {
    return lf_vec3_add(lf_pose_turn_to_world(pose, local), pose->translation);
}

/// A point of the world in the coordinates of the body.
static inline lf_vec3 lf_pose_to_local(const lf_pose *pose, lf_vec3 world) {
    return lf_pose_turn_to_local(pose, lf_vec3_sub(world, pose->translation));
}

/// A rotation by an angle (radians, counter-clockwise for an observer whom the axis points at) about the line through a
/// point along an axis (finite, not zero). About x, y or z the other rows are exact.
/// Errors: LF_BAD_ARGUMENT. Allocates nothing. Threads: any.
LF_API lf_status lf_pose_turn(lf_vec3 point, lf_vec3 axis, double angle, lf_pose *pose);

/// The composition of two poses: first one, then the other. Allocates nothing. Threads: any.
LF_API lf_pose lf_pose_then(const lf_pose *first, const lf_pose *second);

/// Is it rigid: finite, rows of unit length and at right angles within 1e-9, not mirrored?
/// Allocates nothing. Threads: any.
LF_API bool lf_pose_rigid(const lf_pose *pose);

// ---------------------------------------------------------------------------------------------------
// The ellipsoid
// ---------------------------------------------------------------------------------------------------

/// An ellipsoid of revolution; a sphere has flattening 0.
typedef struct lf_ellipsoid {
    double radius;     ///< equatorial, metres, > 0
    double flattening; ///< 0 <= f < 1
} lf_ellipsoid;

/// A place on it. lon_deg any finite number, answers in [-180, 180]; lat_deg in [-90, 90].
typedef struct lf_geodetic {
    double lon_deg, lat_deg, height; ///< degrees east, degrees north, metres above the ellipsoid
} lf_geodetic;

/// WGS84.
static inline lf_ellipsoid lf_ellipsoid_wgs84(void) {
    lf_ellipsoid wgs84 = {6378137.0, 1.0 / 298.257223563};
    return wgs84;
}

/// Earth-centred position of a place. Allocates nothing. Threads: any.
LF_API lf_vec3 lf_ellipsoid_to_centred(const lf_ellipsoid *ellipsoid, lf_geodetic geodetic);

/// Place of an earth-centred position (finite): the nearest place of the surface, and the height over it.
/// There and back is within 1 micrometre up to 1e8 m from the Earth's centre, for every flattening, and
/// inside too. On the axis lon is 0; where two places are equally near (deep inside, in the plane of the
/// equator) the northern one.
/// Allocates nothing. Threads: any.
LF_API lf_geodetic lf_ellipsoid_to_geodetic(const lf_ellipsoid *ellipsoid, lf_vec3 centred);

/// The pose of a thing at a place, in earth-centred coordinates: its x points to the right, y ahead, z up. Without turns these are
/// east, north and up (against the ellipsoid's normal); at a pole, those of the meridian of the place's lon_deg.
/// heading_deg  of y, clockwise from north
/// pitch_deg    positive with the front (y) up
/// roll_deg     positive with the left side (-x) up
/// pose         written only on success
/// Errors: LF_BAD_ARGUMENT for NULL, numbers that are not finite, a latitude beyond 90. Allocates nothing. Threads: any.
LF_API lf_status lf_ellipsoid_pose(const lf_ellipsoid *ellipsoid, lf_geodetic place, double heading_deg,
                                   double pitch_deg, double roll_deg, lf_pose *pose);

/// The shortest way over an ellipsoid.
typedef struct lf_geodesic {
    double distance;     ///< metres
    double azimuth1_deg; ///< at the start, clockwise from north, [-180, 180]
    double azimuth2_deg; ///< at the end, going on
} lf_geodesic;

/// Distance and azimuths between two places; heights are ignored. Accurate to 10 nanometres for Earth,
/// antipodal places included. Azimuths are such that lf_geodesic_from arrives to the same accuracy; they
/// are 0 between coincident places. At a pole, north is along the meridian of the place's lon_deg. Of
/// equally short ways one is given. About 2 microseconds. Allocates nothing. Threads: any.
LF_API lf_geodesic lf_geodesic_between(const lf_ellipsoid *ellipsoid, lf_geodetic from, lf_geodetic to);

/// The place reached from one by a distance (metres, may be negative) in an azimuth, height 0.
/// azimuth2_deg: optional, the azimuth there, going on. Same accuracy up to half way round, and so much
/// more for each further half. Allocates nothing. Threads: any.
LF_API lf_geodetic lf_geodesic_from(const lf_ellipsoid *ellipsoid, lf_geodetic from, double azimuth_deg,
                                    double distance, double *azimuth2_deg);

#ifdef __cplusplus
}
#endif
#endif
