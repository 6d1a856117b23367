#include "embree_field.h"
#include "embree_inside.h"

#include <stdlib.h>
#include <string.h>

static void make_vertices(bench_embree *embree, const bench_field *field) {
    int64_t samples = field->samples;
    embree->own_vertices = bench_take(3 * (size_t)(samples * samples) + 1, sizeof *embree->own_vertices);
    float *at = embree->own_vertices;
    for (int64_t row = 0; row < samples; row++)
        for (int64_t column = 0; column < samples; column++) {
            *at++ = (float)(BENCH_SPACING * (double)column);
            *at++ = (float)(BENCH_SPACING * (double)row);
            *at++ = field->heights[row * samples + column];
        }
    embree->vertices = embree->own_vertices;
    embree->vertex_count = samples * samples;
}

static void make_triangles(bench_embree *embree, int64_t samples) {
    embree->triangle_count = 2 * (samples - 1) * (samples - 1);
    embree->own_corners = bench_take(3 * (size_t)embree->triangle_count, sizeof *embree->own_corners);
    uint32_t *at = embree->own_corners;
    for (int64_t row = 0; row + 1 < samples; row++)
        for (int64_t column = 0; column + 1 < samples; column++) {
            uint32_t a = (uint32_t)(row * samples + column), b = a + 1, c = a + (uint32_t)samples, d = c + 1;
            const uint32_t corners[6] = {a, b, c, b, d, c};
            for (int i = 0; i < 6; i++)
                *at++ = corners[i];
        }
    embree->corners = embree->own_corners;
}

/// A grid counts its sides in 16 bits.
static void make_grid(bench_embree *embree, int64_t samples) {
    if (samples > 0x7fff)
        bench_stop("%lld samples are too many for Embree's grid", (long long)samples);
    embree->grid = bench_take(1, sizeof *embree->grid);
    struct RTCGrid grid = {0, (unsigned)samples, (unsigned short)samples, (unsigned short)samples};
    *embree->grid = grid;
}

bench_embree *bench_embree_open_field(const bench_field *field, bool as_grid, const char *isa) {
    bench_embree *embree = bench_embree_start(isa);
    make_vertices(embree, field);
    if (as_grid)
        make_grid(embree, field->samples);
    else
        make_triangles(embree, field->samples);
    return embree;
}

// The same loops for the two widths of packets: their types differ, their names do not.
#define BENCH_PACKETS(WIDTH)                                                                                \
    static void load_##WIDTH(struct RTCRay##WIDTH *packet, const struct RTCRay *rays) {                     \
        for (int i = 0; i < WIDTH; i++) {                                                                   \
            const struct RTCRay *ray = &rays[i];                                                            \
            packet->org_x[i] = ray->org_x;                                                                  \
            packet->org_y[i] = ray->org_y;                                                                  \
            packet->org_z[i] = ray->org_z;                                                                  \
            packet->dir_x[i] = ray->dir_x;                                                                  \
            packet->dir_y[i] = ray->dir_y;                                                                  \
            packet->dir_z[i] = ray->dir_z;                                                                  \
            packet->tnear[i] = ray->tnear;                                                                  \
            packet->tfar[i] = ray->tfar;                                                                    \
            packet->time[i] = 0.0f;                                                                         \
            packet->mask[i] = 0xffffffffu;                                                                  \
            packet->flags[i] = 0;                                                                           \
        }                                                                                                   \
    }                                                                                                       \
    static void first_##WIDTH(bench_embree *embree, const bench_embree_rays *rays, bench_answer *answers) { \
        struct RTCIntersectContext context;                                                                 \
        rtcInitIntersectContext(&context);                                                                  \
        context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;                                                \
        _Alignas(64) int valid[WIDTH];                                                                      \
        memset(valid, 0xff, sizeof valid);                                                                  \
        struct RTCRayHit##WIDTH asked;                                                                      \
        for (int64_t first = 0; first + WIDTH <= rays->count; first += WIDTH) {                             \
            load_##WIDTH(&asked.ray, &rays->rays[first]);                                                   \
            for (int i = 0; i < WIDTH; i++)                                                                 \
                asked.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;                                              \
            rtcIntersect##WIDTH(valid, embree->scene, &context, &asked);                                    \
            for (int i = 0; i < WIDTH; i++) {                                                               \
                bool hit = asked.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;                                  \
                answers[first + i].t = asked.ray.tfar[i];                                                   \
                answers[first + i].item = hit ? (int64_t)asked.hit.primID[i] : -1;                          \
            }                                                                                               \
        }                                                                                                   \
    }                                                                                                       \
    static void any_##WIDTH(bench_embree *embree, const bench_embree_rays *rays, bool *blocked) {           \
        struct RTCIntersectContext context;                                                                 \
        rtcInitIntersectContext(&context);                                                                  \
        _Alignas(64) int valid[WIDTH];                                                                      \
        memset(valid, 0xff, sizeof valid);                                                                  \
        struct RTCRay##WIDTH asked;                                                                         \
        for (int64_t first = 0; first + WIDTH <= rays->count; first += WIDTH) {                             \
            load_##WIDTH(&asked, &rays->rays[first]);                                                       \
            rtcOccluded##WIDTH(valid, embree->scene, &context, &asked);                                     \
            for (int i = 0; i < WIDTH; i++)                                                                 \
                blocked[first + i] = asked.tfar[i] < 0.0f;                                                  \
        }                                                                                                   \
    }

BENCH_PACKETS(8)
BENCH_PACKETS(16)

void bench_embree_first_packets(bench_embree *embree, const bench_embree_rays *rays, int width,
                                bench_answer *answers) {
    if (width == 16)
        first_16(embree, rays, answers);
    else if (width == 8)
        first_8(embree, rays, answers);
    else
        bench_embree_first(embree, rays, answers);
}

void bench_embree_any_packets(bench_embree *embree, const bench_embree_rays *rays, bool *blocked) {
    if (bench_embree_width() == 16)
        any_16(embree, rays, blocked);
    else
        any_8(embree, rays, blocked);
}
