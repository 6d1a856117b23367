/// Triangle against triangle by signs of determinants alone.
///
/// Two closed triangles share a point exactly when an edge of one meets the other: what they share is convex,
/// and an end of it lies on an edge. An edge meets a triangle when its ends are not strictly on the same side
/// of the plane and its line passes the triangle's three edges without changing sides. In the plane, and for
/// triangles that are only segments, the same question is decided one dimension lower. All signs are exact,
/// so there is nothing to round and no tolerance to choose.
#include "geom/geometry.h"

typedef struct segment {
    lf_vec3 a, b;
} segment;

typedef struct segment2 {
    lf_vec2 a, b;
} segment2;

static bool touch_between(double low, double high, double x) {
    return low <= high ? low <= x && x <= high : high <= x && x <= low;
}

// ---------------------------------------------------------------------------------------------------
// In a plane
// ---------------------------------------------------------------------------------------------------

/// Is a point of the segment's line on the segment?
static bool within2(segment2 s, lf_vec2 p) {
    return touch_between(s.a.x, s.b.x, p.x) && touch_between(s.a.y, s.b.y, p.y);
}

static bool segments_meet2(segment2 s, segment2 t) {
    int a = lf_orient2d(t.a, t.b, s.a), b = lf_orient2d(t.a, t.b, s.b);
    int c = lf_orient2d(s.a, s.b, t.a), d = lf_orient2d(s.a, s.b, t.b);
    if (a * b < 0 && c * d < 0)
        return true;
    return (a == 0 && within2(t, s.a)) || (b == 0 && within2(t, s.b)) || (c == 0 && within2(s, t.a)) ||
           (d == 0 && within2(s, t.b));
}

/// A triangle with area in the plane.
static bool inside2(const lf_vec2 t[3], lf_vec2 p) {
    int x = lf_orient2d(t[0], t[1], p), y = lf_orient2d(t[1], t[2], p), z = lf_orient2d(t[2], t[0], p);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

static bool segment_meets_triangle2(segment2 s, const lf_vec2 t[3]) {
    if (inside2(t, s.a))
        return true;
    for (int k = 0; k < 3; k++)
        if (segments_meet2(s, (segment2){t[k], t[(k + 1) % 3]}))
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Segments in space
// ---------------------------------------------------------------------------------------------------

/// Along which axis do three points have area when seen? -1: they are on one line.
static int seen_along(lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    for (int axis = 0; axis < 3; axis++)
        if (lf_orient2d(lf__project(a, axis), lf__project(b, axis), lf__project(c, axis)) != 0)
            return axis;
    return -1;
}

static segment2 project(segment s, int axis) {
    return (segment2){lf__project(s.a, axis), lf__project(s.b, axis)};
}

/// Is a before b in the order of x, then y, then z? Along a line that order runs in one direction.
static bool touch_before(lf_vec3 a, lf_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

static segment ordered(segment s) {
    return touch_before(s.b, s.a) ? (segment){s.b, s.a} : s;
}

/// Segments may be points.
static bool segments_meet(segment s, segment t) {
    if (lf_orient3d(s.a, s.b, t.a, t.b) != 0)
        return false;
    const lf_vec3 points[4] = {s.a, s.b, t.a, t.b};
    for (int left_out = 0; left_out < 4; left_out++) {
        int axis =
            seen_along(points[left_out == 0], points[left_out <= 1 ? 2 : 1], points[left_out <= 2 ? 3 : 2]);
        if (axis >= 0)
            return segments_meet2(project(s, axis), project(t, axis));
    }
    s = ordered(s);
    t = ordered(t);
    return !touch_before(s.b, t.a) && !touch_before(t.b, s.a);
}

// ---------------------------------------------------------------------------------------------------
// Triangles
// ---------------------------------------------------------------------------------------------------

/// One triangle of the test.
typedef struct face {
    const lf_vec3 *corner;
    int side[3]; ///< of its corners to the other's plane
    int axis;    ///< along which it has area when seen; -1: it has none
} face;

static bool same_side(const int side[3]) {
    return side[0] != 0 && side[0] == side[1] && side[1] == side[2];
}

/// A segment and a triangle with area; the sides are those of the segment's ends to the triangle's plane.
static bool segment_meets_face(segment s, int side_a, int side_b, const lf_vec3 t[3], int axis) {
    if (side_a * side_b > 0)
        return false;
    if (side_a == 0 && side_b == 0) {
        const lf_vec2 seen[3] = {lf__project(t[0], axis), lf__project(t[1], axis), lf__project(t[2], axis)};
        return segment_meets_triangle2(project(s, axis), seen);
    }
    int x = lf_orient3d(s.a, s.b, t[0], t[1]);
    int y = lf_orient3d(s.a, s.b, t[1], t[2]);
    if (x * y < 0)
        return false;
    int z = lf_orient3d(s.a, s.b, t[2], t[0]);
    return x * z >= 0 && y * z >= 0;
}

/// Does an edge of f meet g, which has area?
static bool edges_meet(const face *f, const face *g) {
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        segment edge = {f->corner[k], f->corner[next]};
        if (segment_meets_face(edge, f->side[k], f->side[next], g->corner, g->axis))
            return true;
    }
    return false;
}

/// The segment that a triangle without area is: from its first to its last corner along the line.
static segment as_segment(const lf_vec3 t[3]) {
    segment s = ordered((segment){t[0], t[1]});
    if (touch_before(t[2], s.a))
        s.a = t[2];
    if (touch_before(s.b, t[2]))
        s.b = t[2];
    return s;
}

static lf_box touch_box_of(const lf_vec3 t[3]) {
    return lf_box_with(lf_box_with(lf_box_with(lf_box_empty(), t[0]), t[1]), t[2]);
}

/// One of them at least has no area.
static bool flat_meet(const face *f, const face *g) {
    if (f->axis < 0 && g->axis < 0)
        return segments_meet(as_segment(f->corner), as_segment(g->corner));
    return f->axis < 0 ? edges_meet(f, g) : edges_meet(g, f);
}

static void take_sides(face *f, const lf_vec3 plane[3]) {
    for (int k = 0; k < 3; k++)
        f->side[k] = lf_orient3d(plane[0], plane[1], plane[2], f->corner[k]);
}

bool lf__triangles_touch(const lf_vec3 p[3], const lf_vec3 q[3]) {
    if (!lf_box_overlap(touch_box_of(p), touch_box_of(q)))
        return false;
    face f = {p, {0, 0, 0}, -1}, g = {q, {0, 0, 0}, -1};
    take_sides(&g, p);
    if (same_side(g.side))
        return false;
    take_sides(&f, q);
    if (same_side(f.side))
        return false;
    f.axis = seen_along(p[0], p[1], p[2]);
    g.axis = seen_along(q[0], q[1], q[2]);
    if (f.axis < 0 || g.axis < 0)
        return flat_meet(&f, &g);
    return edges_meet(&f, &g) || edges_meet(&g, &f);
}
