/// Embree as a peer: triangles in a scene of its highest build quality, one thread; one ray at a time, or in packets.
#ifndef LF_BENCH_EMBREE_H
#define LF_BENCH_EMBREE_H

#include "support.h"

typedef struct bench_embree bench_embree;

/// What it takes: now, and at most while building. Embree's own monitor, without the arrays that it shares with
/// the caller.
typedef struct bench_embree_memory {
    int64_t bytes;
    int64_t peak;
} bench_embree_memory;

/// "Embree 3.13.5 (avx2)", in a static buffer.
const char *bench_embree_name(void);

/// robust asks for RTC_SCENE_FLAG_ROBUST: slower, and fewer rays slip through edges.
bench_embree *bench_embree_open(const bench_terrain *terrain, bool robust);
/// Build (or build again).
void bench_embree_build(bench_embree *embree);
bench_embree_memory bench_embree_describe(const bench_embree *embree);
void bench_embree_close(bench_embree *embree);

/// Rays in Embree's own form, made before the clock starts.
typedef struct bench_embree_rays bench_embree_rays;
bench_embree_rays *bench_embree_rays_make(const bench_rays *rays);
void bench_embree_rays_close(bench_embree_rays *rays);

/// rtcIntersect1 for each ray.
void bench_embree_first(bench_embree *embree, const bench_embree_rays *rays, bench_answer *answers);
/// rtcOccluded1 for each ray.
void bench_embree_any(bench_embree *embree, const bench_embree_rays *rays, bool *blocked);

/// The widest packets that this machine runs natively: 16, 8 or 4 rays.
int bench_embree_width(void);

/// Many rays with their hits, in Embree's own form: singles (width 1) or packets of 4, 8 or 16.
typedef struct bench_embree_batch bench_embree_batch;
bench_embree_batch *bench_embree_batch_make(const bench_rays *rays, int width);
/// As before the question: asking writes into the rays.
void bench_embree_batch_reset(bench_embree_batch *batch);
/// rtcIntersect1, 4, 8 or 16 for all. coherent says so to Embree: neighbouring rays have much in common.
void bench_embree_batch_ask(bench_embree *embree, bench_embree_batch *batch, bool coherent);
void bench_embree_batch_answers(const bench_embree_batch *batch, bench_answer *answers);
void bench_embree_batch_close(bench_embree_batch *batch);

#endif
