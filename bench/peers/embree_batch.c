/// Embree asked many rays at once: as an array of single rays, or in packets.
#include "embree_inside.h"

#include <stdlib.h>

struct bench_embree_batch {
    const bench_rays *rays;
    int width;
    int64_t count; ///< of packets
    void *packets; ///< RTCRayHit, RTCRayHit4, RTCRayHit8 or RTCRayHit16
};

/// Bytes of a packet. All its fields are arrays of `width` words: 12 of the ray, then the hit's.
static size_t packet_bytes(int width) {
    return width == 1   ? sizeof(struct RTCRayHit)
           : width == 4 ? sizeof(struct RTCRayHit4)
           : width == 8 ? sizeof(struct RTCRayHit8)
                        : sizeof(struct RTCRayHit16);
}

/// Where the fields of a packet are, in rows of `width` words.
enum { ORIGIN, T_NEAR = 3, DIRECTION, T_FAR = 8, MASK, HIT = 12 };
enum { PRIMITIVE = HIT + 5, GEOMETRY };

static float *numbers(const bench_embree_batch *batch, int64_t packet, int row) {
    return (float *)((char *)batch->packets + (size_t)packet * packet_bytes(batch->width)) +
           (size_t)row * (size_t)batch->width;
}

static uint32_t *words(const bench_embree_batch *batch, int64_t packet, int row) {
    return (uint32_t *)(void *)numbers(batch, packet, row);
}

bench_embree_batch *bench_embree_batch_make(const bench_rays *rays, int width) {
    bench_embree_batch *batch = bench_take(1, sizeof *batch);
    batch->rays = rays;
    batch->width = width;
    batch->count = (rays->count + width - 1) / width;
    size_t bytes = ((size_t)batch->count * packet_bytes(width) + 63) / 64 * 64;
    batch->packets = aligned_alloc(64, bytes);
    if (!batch->packets)
        bench_stop("no memory for %lld rays", (long long)rays->count);
    bench_embree_batch_reset(batch);
    return batch;
}

/// One lane; those beyond the last ray repeat it.
static void reset_lane(bench_embree_batch *batch, int64_t packet, int lane) {
    int64_t which = packet * batch->width + lane, last = batch->rays->count - 1;
    const lf_ray *ray = &batch->rays->rays[which < last ? which : last];
    const double origin[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
    const double direction[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    for (int row = 0; row < HIT; row++)
        words(batch, packet, row)[lane] = 0;
    for (int axis = 0; axis < 3; axis++) {
        numbers(batch, packet, ORIGIN + axis)[lane] = (float)origin[axis];
        numbers(batch, packet, DIRECTION + axis)[lane] = (float)direction[axis];
    }
    numbers(batch, packet, T_NEAR)[lane] = (float)ray->t_min;
    numbers(batch, packet, T_FAR)[lane] = (float)ray->t_max;
    words(batch, packet, MASK)[lane] = 0xffffffffu;
    words(batch, packet, GEOMETRY)[lane] = RTC_INVALID_GEOMETRY_ID;
}

void bench_embree_batch_reset(bench_embree_batch *batch) {
    for (int64_t packet = 0; packet < batch->count; packet++)
        for (int lane = 0; lane < batch->width; lane++)
            reset_lane(batch, packet, lane);
}

void bench_embree_batch_ask(bench_embree *embree, bench_embree_batch *batch, bool coherent) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    int valid[16] __attribute__((aligned(64)));
    for (int i = 0; i < 16; i++)
        valid[i] = -1;
    RTCScene scene = embree->scene;
    struct RTCRayHit *ones = batch->packets;
    struct RTCRayHit4 *fours = batch->packets;
    struct RTCRayHit8 *eights = batch->packets;
    struct RTCRayHit16 *sixteens = batch->packets;
    for (int64_t i = 0; batch->width == 1 && i < batch->count; i++)
        rtcIntersect1(scene, &context, &ones[i]);
    for (int64_t i = 0; batch->width == 4 && i < batch->count; i++)
        rtcIntersect4(valid, scene, &context, &fours[i]);
    for (int64_t i = 0; batch->width == 8 && i < batch->count; i++)
        rtcIntersect8(valid, scene, &context, &eights[i]);
    for (int64_t i = 0; batch->width == 16 && i < batch->count; i++)
        rtcIntersect16(valid, scene, &context, &sixteens[i]);
}

void bench_embree_batch_answers(const bench_embree_batch *batch, bench_answer *answers) {
    for (int64_t i = 0; i < batch->rays->count; i++) {
        int64_t packet = i / batch->width, lane = i % batch->width;
        bool met = words(batch, packet, GEOMETRY)[lane] != RTC_INVALID_GEOMETRY_ID;
        answers[i].t = (double)numbers(batch, packet, T_FAR)[lane];
        answers[i].item = met ? (int64_t)words(batch, packet, PRIMITIVE)[lane] : -1;
    }
}

void bench_embree_batch_close(bench_embree_batch *batch) {
    if (!batch)
        return;
    free(batch->packets);
    free(batch);
}
