/// Who is right when two answers on a field differ.
#include "grid.h"

/// The oracle of triangles, on a terrain of only the two that are named.
static void oracle_two(const bench_field *field, const lf_ray *ray, bench_answer ours, bench_answer peer,
                       bench_verdict *verdict) {
    lf_vec3 vertices[6] = {{0.0, 0.0, 0.0}};
    uint32_t corners[6] = {0, 1, 2, 3, 4, 5};
    double extent = bench_field_extent(field);
    bench_terrain two = {.vertices = vertices,
                         .vertex_count = 6,
                         .corners = corners,
                         .triangle_count = 2,
                         .box = {{0.0, 0.0, field->low}, {extent, extent, field->high}}};
    if (ours.item >= 0) {
        bench_field_triangle(field, ours.item, vertices);
        ours.item = 0;
    }
    if (peer.item >= 0) {
        bench_field_triangle(field, peer.item, vertices + 3);
        peer.item = 1;
    }
    bench_oracle(verdict, &two, ray, ours, peer);
}

static double metres_between(const lf_ray *ray, bench_answer a, bench_answer b) {
    return fabs(a.t - b.t) * lf_vec3_length(ray->direction);
}

void grid_oracle(const bench_field *field, const bench_rays *rays, const bench_answer *ours,
                 const bench_answer *peer, bench_verdict *verdict) {
    for (int64_t i = 0; i < rays->count; i++) {
        if (ours[i].item != peer[i].item) {
            oracle_two(field, &rays->rays[i], ours[i], peer[i], verdict);
            continue;
        }
        verdict->rays++;
        verdict->same++;
        if (ours[i].item < 0)
            continue;
        double error = metres_between(&rays->rays[i], ours[i], peer[i]);
        verdict->t_error = error > verdict->t_error ? error : verdict->t_error;
    }
}

int64_t grid_count_far(const bench_rays *rays, const bench_answer *ours, const bench_answer *peer,
                       double metres) {
    int64_t far = 0;
    for (int64_t i = 0; i < rays->count; i++) {
        bool ours_hit = ours[i].item >= 0, peer_hit = peer[i].item >= 0;
        far +=
            ours_hit != peer_hit || (ours_hit && metres_between(&rays->rays[i], ours[i], peer[i]) > metres);
    }
    return far;
}
