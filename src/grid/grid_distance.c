#include "grid/distance.h"

/// Two points and the square of what is between them.
typedef struct pair {
    lf_vec3 thing, ground;
    double square;
} pair;

static void keep_nearer(pair *best, lf_vec3 thing, lf_vec3 ground) {
    lf_vec3 between = lf_vec3_sub(thing, ground);
    double square = lf_vec3_dot(between, between);
    if (square < best->square)
        *best = (pair){thing, ground, square};
}

static double held(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static lf_vec3 nearest_on_segment(lf_vec3 p, lf_vec3 a, lf_vec3 b) {
    lf_vec3 along = lf_vec3_sub(b, a);
    double length = lf_vec3_dot(along, along);
    return length > 0 ? lf_vec3_along(a, held(lf_vec3_dot(lf_vec3_sub(p, a), along) / length), along) : a;
}

/// The nearest point of a triangle: inside, if the point is over it, else on a side.
static void point_to_triangle(lf_vec3 p, const lf_vec3 t[3], pair *best) {
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0]));
    double size = lf_vec3_dot(normal, normal);
    bool over = size > 0;
    for (int k = 0; k < 3; k++) {
        lf_vec3 a = t[k], b = t[(k + 1) % 3];
        keep_nearer(best, p, nearest_on_segment(p, a, b));
        over = over && lf_vec3_dot(lf_vec3_cross(lf_vec3_sub(b, a), lf_vec3_sub(p, a)), normal) >= 0;
    }
    if (over)
        keep_nearer(best, p, lf_vec3_along(p, -lf_vec3_dot(lf_vec3_sub(p, t[0]), normal) / size, normal));
}

/// The nearest points of two segments; where they are parallel, the ends decide, which are looked at elsewhere.
static void segment_to_segment(lf_vec3 p, lf_vec3 d, lf_vec3 q, lf_vec3 e, pair *best) {
    lf_vec3 r = lf_vec3_sub(p, q);
    double dd = lf_vec3_dot(d, d), ee = lf_vec3_dot(e, e), de = lf_vec3_dot(d, e);
    double dr = lf_vec3_dot(d, r), er = lf_vec3_dot(e, r), area = dd * ee - de * de;
    if (!(area > 1e-14 * dd * ee))
        return;
    double s = held((de * er - dr * ee) / area), u = held((de * s + er) / ee);
    s = held((de * u - dr) / dd);
    keep_nearer(best, lf_vec3_along(p, s, d), lf_vec3_along(q, u, e));
}

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

/// A box as the points centre + x * axes with |x| <= 1.
static lf_vec3 in_box(const lf__mover *m, lf_vec3 centre, lf_vec3 p) {
    lf_vec3 from = lf_vec3_sub(p, centre);
    double x[3];
    for (int k = 0; k < 3; k++)
        x[k] = lf_vec3_dot(from, m->axes[k]) / lf_vec3_dot(m->axes[k], m->axes[k]);
    return (lf_vec3){x[0], x[1], x[2]};
}

static lf_vec3 of_box(const lf__mover *m, lf_vec3 centre, double x, double y, double z) {
    return lf_vec3_along(lf_vec3_along(lf_vec3_along(centre, x, m->axes[0]), y, m->axes[1]), z, m->axes[2]);
}

static double inside(double x) {
    return x < -1 ? -1 : x > 1 ? 1 : x;
}

/// Does a segment pass through the box, and where does it enter it?
static bool passes_box(const lf__mover *m, lf_vec3 centre, lf_vec3 a, lf_vec3 b, lf_vec3 *at) {
    lf_vec3 p = in_box(m, centre, a), q = in_box(m, centre, b);
    const double from[3] = {p.x, p.y, p.z}, to[3] = {q.x, q.y, q.z};
    double first = 0, last = 1;
    for (int k = 0; k < 3; k++) {
        double step = to[k] - from[k];
        if (step == 0) {
            if (fabs(from[k]) > 1)
                return false;
            continue;
        }
        double s = (-1 - from[k]) / step, e = (1 - from[k]) / step;
        first = fmax(first, fmin(s, e));
        last = fmin(last, fmax(s, e));
    }
    *at = lf_vec3_along(a, first, lf_vec3_sub(b, a));
    return first <= last;
}

/// Does a segment pass through a triangle?
static bool passes_triangle(lf_vec3 a, lf_vec3 b, const lf_vec3 t[3], lf_vec3 *at) {
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0]));
    double p = lf_vec3_dot(lf_vec3_sub(a, t[0]), normal), q = lf_vec3_dot(lf_vec3_sub(b, t[0]), normal);
    if (p == q || (p > 0 && q > 0) || (p < 0 && q < 0))
        return false;
    *at = lf_vec3_along(a, p / (p - q), lf_vec3_sub(b, a));
    for (int k = 0; k < 3; k++) {
        lf_vec3 side = lf_vec3_sub(t[(k + 1) % 3], t[k]);
        if (lf_vec3_dot(lf_vec3_cross(side, lf_vec3_sub(*at, t[k])), normal) < 0)
            return false;
    }
    return true;
}

/// One of the twelve edges: along axis k / 4.
static void edge_of(const lf__mover *m, lf_vec3 centre, int k, lf_vec3 ends[2]) {
    int axis = k / 4;
    double a = k & 1 ? 1 : -1, b = k & 2 ? 1 : -1;
    for (int end = 0; end < 2; end++) {
        double along = end ? 1 : -1;
        ends[end] = axis == 0   ? of_box(m, centre, along, a, b)
                    : axis == 1 ? of_box(m, centre, a, along, b)
                                : of_box(m, centre, a, b, along);
    }
}

static void box_to_triangle(const lf__mover *m, lf_vec3 centre, const lf_vec3 t[3], pair *best) {
    lf_vec3 at;
    for (int k = 0; k < 3; k++) {
        lf_vec3 x = in_box(m, centre, t[k]);
        keep_nearer(best, of_box(m, centre, inside(x.x), inside(x.y), inside(x.z)), t[k]);
        if (passes_box(m, centre, t[k], t[(k + 1) % 3], &at))
            *best = (pair){at, at, 0};
    }
    for (int k = 0; k < 12; k++) {
        lf_vec3 ends[2];
        edge_of(m, centre, k, ends);
        if (k < 4) { // these have all corners
            point_to_triangle(ends[0], t, best);
            point_to_triangle(ends[1], t, best);
        }
        if (passes_triangle(ends[0], ends[1], t, &at))
            *best = (pair){at, at, 0};
        for (int side = 0; side < 3; side++)
            segment_to_segment(ends[0], lf_vec3_sub(ends[1], ends[0]), t[side],
                               lf_vec3_sub(t[(side + 1) % 3], t[side]), best);
    }
}

lf__apart lf__mover_apart(const lf__mover *mover, double t, const lf_vec3 triangle[3]) {
    lf_vec3 centre = lf_vec3_along(mover->centre, t, mover->motion);
    pair best = {centre, centre, LF_INFINITY};
    if (lf_vec3_dot(mover->axes[0], mover->axes[0]) + lf_vec3_dot(mover->axes[1], mover->axes[1]) +
            lf_vec3_dot(mover->axes[2], mover->axes[2]) >
        0)
        box_to_triangle(mover, centre, triangle, &best);
    else
        point_to_triangle(centre, triangle, &best);
    double length = sqrt(best.square), rest = length - mover->radius;
    lf__apart apart = {rest > 0 ? rest : 0, best.ground, {0, 0, 0}};
    if (length > 0)
        apart.away = lf_vec3_scale(lf_vec3_sub(best.thing, best.ground), 1 / length);
    return apart;
}
