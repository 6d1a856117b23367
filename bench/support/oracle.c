/// Who is right when two answers differ: exact signs on the triangles that the two name.
#include "support.h"

#include <float.h>

typedef struct precise {
    long double x, y, z;
} precise;

static precise difference(lf_vec3 a, lf_vec3 b) {
    precise d = {(long double)a.x - b.x, (long double)a.y - b.y, (long double)a.z - b.z};
    return d;
}

static precise cross(precise a, precise b) {
    precise c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

static long double dot(precise a, precise b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static const lf_vec3 *corner_of(const bench_terrain *terrain, int64_t item, int which) {
    return &terrain->vertices[terrain->corners[3 * item + which]];
}

static precise normal_of(const bench_terrain *terrain, int64_t item) {
    lf_vec3 a = *corner_of(terrain, item, 0);
    return cross(difference(*corner_of(terrain, item, 1), a), difference(*corner_of(terrain, item, 2), a));
}

/// Exact signs say whether the line passes inside; t comes from 64-bit mantissas, good to about 1e-17 of its size
/// beside floats.
int bench_exact_hit(const bench_terrain *terrain, const lf_ray *ray, int64_t item, long double *t) {
    lf_vec3 a = *corner_of(terrain, item, 0), b = *corner_of(terrain, item, 1);
    int side_c = lf_orient_line(ray->origin, ray->direction, a, b);
    lf_vec3 c = *corner_of(terrain, item, 2);
    int side_a = lf_orient_line(ray->origin, ray->direction, b, c);
    if (side_c * side_a < 0)
        return 0;
    int side_b = lf_orient_line(ray->origin, ray->direction, c, a);
    if (side_b * side_a < 0 || side_b * side_c < 0)
        return 0;
    if (!side_a && !side_b && !side_c)
        return -1;
    precise normal = normal_of(terrain, item);
    precise direction = {ray->direction.x, ray->direction.y, ray->direction.z};
    *t = dot(normal, difference(a, ray->origin)) / dot(normal, direction);
    return *t >= ray->t_min && *t <= ray->t_max;
}

/// How far along the ray single precision may put a hit on this triangle: a few units in the last place of the
/// coordinates, stretched by how flat the ray meets it.
static double single_tolerance(const bench_terrain *terrain, const lf_ray *ray, int64_t item) {
    lf_box all = lf_box_with(terrain->box, ray->origin);
    double size = lf_vec3_length(lf_vec3_sub(all.high, all.low));
    precise normal = normal_of(terrain, item);
    precise direction = {ray->direction.x, ray->direction.y, ray->direction.z};
    long double steep = fabsl(dot(normal, direction)) / sqrtl(dot(normal, normal));
    return (double)(16.0L * FLT_EPSILON * size / steep);
}

/// The ray meets our triangle at `truth`; what did the peer make of it?
static void oracle_peer(bench_verdict *verdict, const bench_terrain *terrain, const lf_ray *ray,
                        bench_answer ours, bench_answer peer, long double truth) {
    if (peer.item < 0) {
        verdict->peer_missed++;
        return;
    }
    long double other;
    int met = bench_exact_hit(terrain, ray, peer.item, &other);
    long double slack = 1e-13L * (1.0L + fabsl(truth));
    if (met < 0)
        verdict->undecided++;
    else if (met && fabsl(other - truth) <= slack)
        verdict->tie++;
    else if (met && other < truth)
        verdict->ours_wrong++;
    else if (fabs(peer.t - (double)truth) <= single_tolerance(terrain, ray, ours.item))
        verdict->rounded++;
    else if (peer.t > (double)truth)
        verdict->peer_missed++;
    else
        verdict->peer_phantom++;
}

void bench_oracle(bench_verdict *verdict, const bench_terrain *terrain, const lf_ray *ray, bench_answer ours,
                  bench_answer peer) {
    verdict->rays++;
    if (ours.item == peer.item) {
        verdict->same++;
        if (ours.item >= 0) {
            double error = fabs(ours.t - peer.t) * lf_vec3_length(ray->direction);
            verdict->t_error = error > verdict->t_error ? error : verdict->t_error;
        }
        return;
    }
    long double t;
    if (ours.item < 0) {
        int met = bench_exact_hit(terrain, ray, peer.item, &t);
        if (met < 0)
            verdict->undecided++;
        else if (met)
            verdict->ours_wrong++;
        else
            verdict->peer_phantom++;
        return;
    }
    int met = bench_exact_hit(terrain, ray, ours.item, &t);
    if (met < 0)
        verdict->undecided++;
    else if (!met)
        verdict->ours_wrong++;
    else
        oracle_peer(verdict, terrain, ray, ours, peer, t);
}

bench_answer bench_brute_first(const bench_terrain *terrain, const lf_ray *ray) {
    bench_answer first = {ray->t_max, -1};
    long double nearest = LF_INFINITY, t;
    for (int64_t item = 0; item < terrain->triangle_count; item++)
        if (bench_exact_hit(terrain, ray, item, &t) == 1 && t < nearest) {
            nearest = t;
            first.t = (double)t;
            first.item = item;
        }
    return first;
}
