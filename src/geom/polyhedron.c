/// Convex polyhedra as common parts of half-spaces.
///
/// Which planes meet in a corner is decided exactly, for the planes as they are stored: a corner is a
/// meeting point of three planes that lies in front of no other. No tolerance can lose a corner or make one
/// up, and n planes have at most 2n - 4 different ones. Only then are points computed, and points closer
/// than rounding merged.
#include "geom/expansion.h"
#include "geom/geometry.h"
#include <math.h>
#include <string.h>

#define UNIT 0x1p-53

// ---------------------------------------------------------------------------------------------------
// Three planes
// ---------------------------------------------------------------------------------------------------

/// Where three planes meet: point = sum / volume (Cramer's rule), with the sizes that bound the rounding
/// errors.
typedef struct plane_meeting {
    const lf_plane *planes[3];
    double volume, volume_size;
    lf_vec3 sum, sum_size;
    bool exact_known; ///< the same without rounding, computed on first use
    lf__exact3 exact_sum;
    lf__exact exact_volume;
} plane_meeting;

static lf_vec3 magnitudes(lf_vec3 a) {
    return (lf_vec3){fabs(a.x), fabs(a.y), fabs(a.z)};
}

/// What |a x b| would be if nothing cancelled.
static lf_vec3 cross_size(lf_vec3 a, lf_vec3 b) {
    a = magnitudes(a);
    b = magnitudes(b);
    return (lf_vec3){a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x};
}

static void planes_meet(const lf_plane *a, const lf_plane *b, const lf_plane *c, plane_meeting *m) {
    m->planes[0] = a;
    m->planes[1] = b;
    m->planes[2] = c;
    m->sum = m->sum_size = (lf_vec3){0, 0, 0};
    m->exact_known = false;
    for (int i = 0; i < 3; i++) {
        const lf_plane *next = m->planes[(i + 1) % 3], *last = m->planes[(i + 2) % 3];
        lf_vec3 cross = lf_vec3_cross(next->normal, last->normal);
        lf_vec3 size = cross_size(next->normal, last->normal);
        m->sum = lf_vec3_along(m->sum, m->planes[i]->offset, cross);
        m->sum_size = lf_vec3_along(m->sum_size, fabs(m->planes[i]->offset), size);
        if (i == 0) {
            m->volume = lf_vec3_dot(a->normal, cross);
            m->volume_size = lf_vec3_dot(magnitudes(a->normal), size);
        }
    }
}

/// The sum and the volume of a meeting without rounding.
static void meet_exact(plane_meeting *m) {
    if (m->exact_known)
        return;
    m->exact_known = true;
    lf__exact3 *sum = &m->exact_sum;
    lf__exact3 normals[3], cross;
    lf__exact part;
    for (int i = 0; i < 3; i++)
        lf__exact3_of(m->planes[i]->normal, &normals[i]);
    lf__exact3_of((lf_vec3){0, 0, 0}, sum);
    for (int i = 0; i < 3; i++) {
        double offset = m->planes[i]->offset;
        lf__exact3_cross(&normals[(i + 1) % 3], &normals[(i + 2) % 3], &cross);
        lf__exact_scaled(&cross.x, offset, &part);
        lf__exact_sum(&sum->x, &part, &sum->x);
        lf__exact_scaled(&cross.y, offset, &part);
        lf__exact_sum(&sum->y, &part, &sum->y);
        lf__exact_scaled(&cross.z, offset, &part);
        lf__exact_sum(&sum->z, &part, &sum->z);
        if (i == 0)
            lf__exact3_dot(&normals[0], &cross, &m->exact_volume);
    }
}

/// The sign of normal . sum - offset * volume without rounding.
static int lean_exact(plane_meeting *m, const lf_plane *plane) {
    lf__exact volume, lean;
    meet_exact(m);
    lf__exact3_dot_vec(&m->exact_sum, plane->normal, &lean);
    lf__exact_scaled(&m->exact_volume, plane->offset, &volume);
    lf__exact_minus(&lean, &volume, &lean);
    return lf__exact_sign(&lean);
}

/// On which side of a plane do three others meet? volume_sign: that of the meeting's exact volume, not 0.
static int meeting_side(plane_meeting *m, int volume_sign, const lf_plane *plane) {
    double lean = lf_vec3_dot(plane->normal, m->sum) - plane->offset * m->volume;
    // At most nine roundings of each product: 2 for the cross product, 3 for the sum, 3 for the
    // dot product, 1 for the last subtraction (see orient.c for the bound).
    double bound =
        10 * UNIT *
        (lf_vec3_dot(magnitudes(plane->normal), m->sum_size) + fabs(plane->offset) * m->volume_size);
    if (fabs(lean) > bound)
        return lean > 0 ? volume_sign : -volume_sign;
    return lean_exact(m, plane) * volume_sign;
}

/// The point, each coordinate within two units in its last place.
static lf_vec3 meeting_point(plane_meeting *m) {
    meet_exact(m);
    double divisor = lf__exact_estimate(&m->exact_volume);
    return (lf_vec3){lf__exact_estimate(&m->exact_sum.x) / divisor,
                     lf__exact_estimate(&m->exact_sum.y) / divisor,
                     lf__exact_estimate(&m->exact_sum.z) / divisor};
}

static int volume_sign(const lf_plane *a, const lf_plane *b, const lf_plane *c) {
    return lf_orient_line((lf_vec3){0, 0, 0}, a->normal, b->normal, c->normal);
}

// ---------------------------------------------------------------------------------------------------
// From planes
// ---------------------------------------------------------------------------------------------------

/// Is the line in which planes i and j meet unbounded in either direction?
static bool open_along(const lf_polyhedron *polyhedron, int i, int j) {
    int forward = 0, backward = 0; // planes that bound each direction
    for (int k = 0; k < polyhedron->plane_count; k++) {
        int sign = volume_sign(&polyhedron->planes[k], &polyhedron->planes[i], &polyhedron->planes[j]);
        forward += sign > 0;
        backward += sign < 0;
    }
    bool parallel = forward == 0 && backward == 0;
    return !parallel && (forward == 0 || backward == 0);
}

/// Is the common part bounded? The unbounded directions form a cone. When the normals span space, the cone has
/// an edge, unless it is empty, and an edge lies in two of the planes.
static bool is_bounded(const lf_polyhedron *polyhedron) {
    bool spans = false;
    for (int i = 0; i < polyhedron->plane_count; i++)
        for (int j = i + 1; j < polyhedron->plane_count; j++) {
            if (open_along(polyhedron, i, j))
                return false;
            for (int k = j + 1; k < polyhedron->plane_count && !spans; k++)
                spans = volume_sign(&polyhedron->planes[i], &polyhedron->planes[j], &polyhedron->planes[k]);
        }
    return spans;
}

/// Corners closer than this part of the largest offset or coordinate are one.
#define MERGE 1e-12

static double largest_offset(const lf_polyhedron *polyhedron) {
    double largest = 0;
    for (int i = 0; i < polyhedron->plane_count; i++)
        largest = fmax(largest, fabs(polyhedron->planes[i].offset));
    return largest;
}

static double polyhedron_largest_coordinate(lf_vec3 p) {
    return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
}

static bool has_corner(const lf_polyhedron *polyhedron, lf_vec3 p, double scale) {
    double distance = MERGE * fmax(scale, polyhedron_largest_coordinate(p));
    for (int i = 0; i < polyhedron->corner_count; i++) {
        lf_vec3 apart = magnitudes(lf_vec3_sub(polyhedron->corners[i], p));
        if (apart.x <= distance && apart.y <= distance && apart.z <= distance)
            return true;
    }
    return false;
}

/// Add the point where three planes meet, if it is a corner.
static lf_status add_meeting(lf_polyhedron *polyhedron, int i, int j, int k, double scale) {
    const lf_plane *planes = polyhedron->planes;
    int sign = volume_sign(&planes[i], &planes[j], &planes[k]);
    if (sign == 0)
        return LF_OK;
    plane_meeting m;
    planes_meet(&planes[i], &planes[j], &planes[k], &m);
    for (int other = 0; other < polyhedron->plane_count; other++)
        if (other != i && other != j && other != k && meeting_side(&m, sign, &planes[other]) > 0)
            return LF_OK;
    lf_vec3 corner = meeting_point(&m);
    if (has_corner(polyhedron, corner, scale))
        return LF_OK;
    if (polyhedron->corner_count == LF_POLYHEDRON_CORNERS)
        return LF_TOO_LARGE;
    polyhedron->corners[polyhedron->corner_count++] = corner;
    return LF_OK;
}

static lf_status add_corners(lf_polyhedron *polyhedron) {
    double scale = largest_offset(polyhedron);
    for (int i = 0; i < polyhedron->plane_count; i++)
        for (int j = i + 1; j < polyhedron->plane_count; j++)
            for (int k = j + 1; k < polyhedron->plane_count; k++) {
                lf_status status = add_meeting(polyhedron, i, j, k, scale);
                if (status != LF_OK)
                    return status;
            }
    return polyhedron->corner_count > 0 ? LF_OK : LF_BAD_GEOMETRY;
}

/// The same half-space with a unit normal. Normals of unit length stay as they are, to the bit where
/// possible.
static bool unit_plane(const lf_plane *given, lf_plane *plane) {
    double length = hypot(hypot(given->normal.x, given->normal.y), given->normal.z);
    if (!isfinite(length) || !(length > 0) || !isfinite(given->offset))
        return false;
    plane->normal = length == 1 ? given->normal : lf_vec3_unit(given->normal);
    plane->offset = given->offset / length;
    return isfinite(plane->offset);
}

lf_status lf_polyhedron_from_planes(const lf_plane *planes, int count, lf_polyhedron *polyhedron) {
    if (!planes || !polyhedron || count < 1 || count > LF_POLYHEDRON_PLANES)
        return LF_BAD_ARGUMENT;
    lf_polyhedron built;
    memset(&built, 0, sizeof built);
    for (int i = 0; i < count; i++)
        if (!unit_plane(&planes[i], &built.planes[i]))
            return LF_BAD_ARGUMENT;
    built.plane_count = count;
    if (!is_bounded(&built))
        return LF_BAD_GEOMETRY;
    lf_status status = add_corners(&built);
    if (status == LF_OK)
        *polyhedron = built;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Questions
// ---------------------------------------------------------------------------------------------------

bool lf_polyhedron_contains(const lf_polyhedron *polyhedron, lf_vec3 p) {
    for (int i = 0; i < polyhedron->plane_count; i++)
        if (lf__plane_side(&polyhedron->planes[i], p) > 0)
            return false;
    return true;
}

/// The corner of a box that lies farthest along a direction.
static lf_vec3 polyhedron_farthest(lf_box box, lf_vec3 direction) {
    return (lf_vec3){direction.x > 0 ? box.high.x : box.low.x, direction.y > 0 ? box.high.y : box.low.y,
                     direction.z > 0 ? box.high.z : box.low.z};
}

/// The box of the corners, grown by what rounding and merging may have moved them.
static lf_box corner_box(const lf_polyhedron *polyhedron) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < polyhedron->corner_count; i++)
        box = lf_box_with(box, polyhedron->corners[i]);
    double scale = fmax(polyhedron_largest_coordinate(box.low), polyhedron_largest_coordinate(box.high));
    double slack = 2 * MERGE * fmax(scale, largest_offset(polyhedron));
    lf_vec3 grow = {slack, slack, slack};
    return (lf_box){lf_vec3_sub(box.low, grow), lf_vec3_add(box.high, grow)};
}

lf_relation lf_polyhedron_relation(const lf_polyhedron *polyhedron, lf_box box) {
    bool inside = true;
    if (lf_box_is_empty(box) || !lf_box_overlap(corner_box(polyhedron), box))
        return LF_RELATION_OUTSIDE;
    for (int i = 0; i < polyhedron->plane_count; i++) {
        const lf_plane *plane = &polyhedron->planes[i];
        if (lf__plane_side(plane, polyhedron_farthest(box, lf_vec3_scale(plane->normal, -1))) > 0)
            return LF_RELATION_OUTSIDE;
        inside = inside && lf__plane_side(plane, polyhedron_farthest(box, plane->normal)) <= 0;
    }
    return inside ? LF_RELATION_INSIDE : LF_RELATION_CROSSING;
}

#undef UNIT
