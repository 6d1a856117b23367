/// Distances of triangles, in doubles.
#include "model/near.h"

static double clamp01(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static lf_vec3 on_segment(lf_vec3 a, lf_vec3 b, lf_vec3 p) {
    lf_vec3 d = lf_vec3_sub(b, a);
    double square = lf_vec3_dot(d, d);
    return square > 0 ? lf_vec3_along(a, clamp01(lf_vec3_dot(lf_vec3_sub(p, a), d) / square), d) : a;
}

static double square_between(lf_vec3 a, lf_vec3 b) {
    lf_vec3 d = lf_vec3_sub(a, b);
    return lf_vec3_dot(d, d);
}

/// Over the inside of the triangle it is the foot on the plane, else the nearest of the edges.
lf_vec3 lf__nearest_on_triangle(const lf_vec3 t[3], lf_vec3 p) {
    lf_vec3 u = lf_vec3_sub(t[1], t[0]), v = lf_vec3_sub(t[2], t[0]), n = lf_vec3_cross(u, v);
    double square = lf_vec3_dot(n, n);
    if (square > 0) {
        bool inside = true;
        for (int k = 0; k < 3 && inside; k++) {
            lf_vec3 edge = lf_vec3_sub(t[(k + 1) % 3], t[k]);
            inside = lf_vec3_dot(lf_vec3_cross(edge, lf_vec3_sub(p, t[k])), n) >= 0;
        }
        if (inside)
            return lf_vec3_along(p, -lf_vec3_dot(lf_vec3_sub(p, t[0]), n) / square, n);
    }
    lf_vec3 best = on_segment(t[0], t[1], p);
    for (int k = 1; k < 3; k++) {
        lf_vec3 other = on_segment(t[k], t[(k + 1) % 3], p);
        if (square_between(other, p) < square_between(best, p))
            best = other;
    }
    return best;
}

/// The nearest points of two segments.
static void segments_nearest(const lf_vec3 s[2], const lf_vec3 t[2], lf_vec3 *on_s, lf_vec3 *on_t) {
    lf_vec3 u = lf_vec3_sub(s[1], s[0]), v = lf_vec3_sub(t[1], t[0]), w = lf_vec3_sub(s[0], t[0]);
    double a = lf_vec3_dot(u, u), b = lf_vec3_dot(u, v), c = lf_vec3_dot(v, v);
    double d = lf_vec3_dot(u, w), e = lf_vec3_dot(v, w), slope = a * c - b * b;
    double along = slope > 1e-14 * a * c ? clamp01((b * e - c * d) / slope) : 0.5;
    *on_t = on_segment(t[0], t[1], lf_vec3_along(s[0], along, u));
    *on_s = on_segment(s[0], s[1], *on_t);
    *on_t = on_segment(t[0], t[1], *on_s); // once more: nearly parallel ones creep towards the answer
    *on_s = on_segment(s[0], s[1], *on_t);
}

typedef struct nearest {
    double square;
    lf_vec3 on_p, on_q;
} nearest;

static void offer(nearest *best, lf_vec3 on_p, lf_vec3 on_q) {
    double square = square_between(on_p, on_q);
    if (square < best->square)
        *best = (nearest){square, on_p, on_q};
}

double lf__triangles_distance(const lf_vec3 p[3], const lf_vec3 q[3], lf_vec3 *on_p, lf_vec3 *on_q) {
    nearest best = {LF_INFINITY, p[0], q[0]};
    for (int i = 0; i < 3; i++) {
        offer(&best, p[i], lf__nearest_on_triangle(q, p[i]));
        offer(&best, lf__nearest_on_triangle(p, q[i]), q[i]);
        for (int k = 0; k < 3; k++) {
            const lf_vec3 s[2] = {p[i], p[(i + 1) % 3]}, t[2] = {q[k], q[(k + 1) % 3]};
            lf_vec3 on_s, on_t;
            segments_nearest(s, t, &on_s, &on_t);
            offer(&best, on_s, on_t);
        }
    }
    *on_p = best.on_p;
    *on_q = best.on_q;
    return best.square;
}

/// Where the edges of one cross the plane of the other: the crossing nearest to that other.
static void offer_crossings(const lf_vec3 edges[3], const lf_vec3 t[3], nearest *best) {
    lf_vec3 n = lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0]));
    for (int k = 0; k < 3; k++) {
        lf_vec3 a = edges[k], b = edges[(k + 1) % 3];
        double over_a = lf_vec3_dot(n, lf_vec3_sub(a, t[0])), over_b = lf_vec3_dot(n, lf_vec3_sub(b, t[0]));
        if (over_a == over_b || over_a * over_b > 0)
            continue;
        lf_vec3 at = lf_vec3_along(a, over_a / (over_a - over_b), lf_vec3_sub(b, a));
        offer(best, at, lf__nearest_on_triangle(t, at));
    }
}

lf_vec3 lf__triangles_common(const lf_vec3 p[3], const lf_vec3 q[3]) {
    nearest best = {LF_INFINITY, p[0], p[0]};
    best.square = lf__triangles_distance(p, q, &best.on_p, &best.on_q);
    offer_crossings(p, q, &best);
    offer_crossings(q, p, &best);
    return best.on_q;
}
