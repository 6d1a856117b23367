/// What Embree's files share: its types stay out of the benchmarks.
#ifndef LF_BENCH_EMBREE_INSIDE_H
#define LF_BENCH_EMBREE_INSIDE_H

#include "embree.h"

#include <embree3/rtcore.h>

struct bench_embree {
    RTCDevice device;
    RTCScene scene;
    bool robust;
    const float *vertices; ///< three numbers each, and four bytes more at the end
    int64_t vertex_count;
    const uint32_t *corners;
    int64_t triangle_count;
    struct RTCGrid *grid;  ///< all vertices as one grid, instead of triangles; or NULL
    float *own_vertices;   ///< what is freed with the scene, or NULL
    uint32_t *own_corners; ///< likewise
    bench_embree_memory memory;
};

struct bench_embree_rays {
    struct RTCRay *rays;
    int64_t count;
};

/// A device without a scene; isa NULL: the best of the machine.
bench_embree *bench_embree_start(const char *isa);

#endif
