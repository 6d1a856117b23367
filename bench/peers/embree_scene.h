/// What the files of this peer share.
#ifndef LF_BENCH_EMBREE_SCENE_H
#define LF_BENCH_EMBREE_SCENE_H

#include "embree.h"

#include <embree3/rtcore.h>

struct bench_embree {
    RTCDevice device;
    RTCScene scene;
    bool robust;
    const bench_terrain *terrain;
    bench_embree_memory memory;
};

#endif
