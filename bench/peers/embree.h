/// Embree as a peer: triangles in a scene of its highest build quality, one ray at a time, one thread.
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
/// Build (or build anew).
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

#endif
