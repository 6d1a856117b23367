/// Closed models: a ball and a knot.
#include "samples/park.h"
#include <math.h>

/// An octahedron whose faces are cut into n * n triangles each, pushed out to radius 1: 8 n^2 triangles. Vertices are
/// shared, so that the ball is closed.
typedef struct ball {
    lf__maker *maker;
    int64_t n;
} ball;

/// Number of the vertex in ring r (0 is the north pole, 2 n the south pole), k-th from the x axis.
static int64_t ball_vertex(const ball *ball, int64_t r, int64_t k) {
    int64_t n = ball->n, size = 4 * (r <= n ? r : 2 * n - r);
    if (size == 0)
        return r == 0 ? 0 : 4 * n * n + 1;
    int64_t before = r <= n ? 1 + 2 * r * (r - 1) : 4 * n * n + 1 - 2 * (2 * n - r) * (2 * n - r + 1);
    return before + k % size;
}

static void add_ball_ring(const ball *ball, int64_t r) {
    int64_t n = ball->n, m = r <= n ? r : 2 * n - r;
    for (int64_t k = 0; k < (m > 0 ? 4 * m : 1); k++) {
        int64_t side = m > 0 ? k / m : 0, step = m > 0 ? k % m : 0;
        double a = (double)(m - step), b = (double)step, z = (double)(n - r);
        double x = side == 0 ? a : side == 1 ? -b : side == 2 ? -a : b;
        double y = side == 0 ? b : side == 1 ? a : side == 2 ? -b : -a;
        double scale = 1 / sqrt(x * x + y * y + z * z);
        lf__maker_vertex(ball->maker, x * scale, y * scale, z * scale);
    }
}

/// The triangles between ring r and the next: on each of four sides a strip of up and down triangles.
static void add_ball_strip(const ball *ball, int64_t r, int64_t name) {
    bool north = r < ball->n;
    int64_t upper = north ? r : 2 * ball->n - r, lower = north ? r + 1 : 2 * ball->n - r - 1;
    int64_t small = north ? upper : lower, small_ring = north ? r : r + 1, large_ring = north ? r + 1 : r;
    for (int64_t side = 0; side < 4; side++)
        for (int64_t k = 0; k <= small; k++) {
            int64_t inner = ball_vertex(ball, small_ring, side * small + k);
            int64_t outer = ball_vertex(ball, large_ring, side * (small + 1) + k);
            int64_t next = ball_vertex(ball, large_ring, side * (small + 1) + k + 1);
            lf__maker_triangle(ball->maker, name, inner, north ? outer : next, north ? next : outer);
            if (k == small)
                continue;
            int64_t beyond = ball_vertex(ball, small_ring, side * small + k + 1);
            lf__maker_triangle(ball->maker, name, inner, north ? next : beyond, north ? beyond : next);
        }
}

void lf__make_sphere(lf__maker *maker, int64_t count) {
    ball ball = {maker, lf__floor(sqrt((double)count / 8) + 0.5)};
    if (ball.n < 1)
        ball.n = 1;
    int64_t name = lf__maker_name(maker, "sphere");
    for (int64_t r = 0; r <= 2 * ball.n && maker->status == LF_OK; r++)
        add_ball_ring(&ball, r);
    for (int64_t r = 0; r < 2 * ball.n && maker->status == LF_OK; r++)
        add_ball_strip(&ball, r, name);
}

/// The spine of a trefoil: twice round while going three times up and down.
static lf_vec3 knot_spine(double turns) {
    double radius = 1 + 0.4 * lf__cosine(3 * turns);
    lf_vec3 p = {radius * lf__cosine(2 * turns), radius * lf__sine(2 * turns), 0.4 * lf__sine(3 * turns)};
    return p;
}

static lf_vec3 unit(lf_vec3 a) {
    return lf_vec3_scale(a, 1 / lf_vec3_length(a));
}

/// A ring of the tube round the spine. The directions across it come from the axis of the knot, which the spine never
/// runs along: no twist where the ends meet.
static void add_knot_ring(lf__maker *maker, double turns, int64_t sides) {
    lf_vec3 middle = knot_spine(turns),
            along = unit(lf_vec3_sub(knot_spine(turns + 1e-4), knot_spine(turns - 1e-4)));
    lf_vec3 axis = {0, 0, 1}, right = unit(lf_vec3_cross(axis, along)), up = lf_vec3_cross(along, right);
    for (int64_t k = 0; k < sides; k++) {
        double angle = (double)k / (double)sides;
        lf_vec3 p = lf_vec3_along(middle, 0.2 * lf__cosine(angle), right);
        p = lf_vec3_along(p, 0.2 * lf__sine(angle), up);
        lf__maker_vertex(maker, p.x, p.y, p.z);
    }
}

void lf__make_knot(lf__maker *maker, int64_t count) {
    int64_t sides = lf__floor(sqrt((double)count / 32) + 0.5);
    sides = sides < 3 ? 3 : sides;
    int64_t rings = lf__floor((double)count / (2 * (double)sides) + 0.5);
    rings = rings < 12 ? 12 : rings;
    int64_t name = lf__maker_name(maker, "knot");
    for (int64_t i = 0; i < rings && maker->status == LF_OK; i++)
        add_knot_ring(maker, (double)i / (double)rings, sides);
    for (int64_t i = 0; i < rings && maker->status == LF_OK; i++)
        for (int64_t k = 0; k < sides; k++) {
            int64_t here = i * sides, next = (i + 1) % rings * sides, other = (k + 1) % sides;
            lf__maker_triangle(maker, name, here + k, here + other, next + k);
            lf__maker_triangle(maker, name, here + other, next + other, next + k);
        }
}
