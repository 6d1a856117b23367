/// Embree as a peer for worlds: a scene of instances of a terrain, of a few meshes and of a unit box. One thread.
#ifndef LF_BENCH_EMBREE_WORLD_H
#define LF_BENCH_EMBREE_WORLD_H

#include "embree.h"

typedef struct bench_embree_world bench_embree_world;

/// fast: the lowest quality of the tree over instances, which is the fastest to build again.
bench_embree_world *bench_embree_world_open(bool fast);
/// A shape to be instanced: triangles as floats; its number.
int bench_embree_world_shape(bench_embree_world *world, const float *vertices, int64_t vertex_count,
                             const uint32_t *corners, int64_t triangle_count);
/// An instance of a shape: columns of a 3 x 4 matrix. Its number.
int64_t bench_embree_world_add(bench_embree_world *world, int shape, const float matrix[12]);
void bench_embree_world_move(bench_embree_world *world, int64_t instance, const float matrix[12]);
/// Build, or build again, the tree over the instances.
void bench_embree_world_build(bench_embree_world *world);
/// The scene for bench_embree_first, _any and batches.
bench_embree *bench_embree_world_scene(bench_embree_world *world);
void bench_embree_world_close(bench_embree_world *world);

#endif
