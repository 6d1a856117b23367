/// Nasty meshes as grounds, and a oracle that compares what the library says of them with brute force in exact arithmetic.
#ifndef LF_TESTS_MESH_JUDGE_H
#define LF_TESTS_MESH_JUDGE_H

#include "brute.h"
#include <landfall/mesh.h>

/// One nasty mesh as two grounds, made for different instruction sets, and space for answers.
typedef struct mesh_bench {
    nasty_mesh mesh;
    lf_frame frame;
    exact_hull *hull; ///< only where gravity is one direction
    test_place plain, best;
    lf_cursor *cursor;
    brute_hit *expected;
    lf_hit *hits, *other_hits;
} mesh_bench;

/// Open a bench over a mesh that is made already, which it then owns.
void mesh_bench_open(mesh_bench *bench, const nasty_mesh *mesh, lf_frame frame);
void mesh_bench_close(mesh_bench *bench);

/// Ask first, any and all, on both instruction sets, and oracle. Returns the first hit.
lf_hit mesh_oracle_ray(oracle *oracle, mesh_bench *bench, const lf_ray *ray, uint32_t layers);

/// Ask for heights down, up and all, on both instruction sets, and oracle.
void mesh_oracle_height(oracle *oracle, mesh_bench *bench, lf_vec3 point, uint32_t layers);

/// The line of a height question, looked along downwards (sign 1) or upwards (sign -1), for s >= 0.
brute_question mesh_oracle_half_line(const mesh_bench *bench, lf_vec3 point, double sign, uint32_t layers);

#endif
