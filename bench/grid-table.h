/// What the files of the heightmap table share.
#ifndef LF_BENCH_GRID_TABLE_H
#define LF_BENCH_GRID_TABLE_H

#include "published/sjostrand.h"
#include "support.h"

#include <landfall/grid.h>

enum { ALL, QUADTREE, SAMPLES, SKIPPING, CELLS, OURS_LEAF, OURS, METHODS };

/// One method with what it asks and where its answer goes.
typedef struct table_asker {
    const lf__sjostrand_map *map;
    lf__sjostrand_tree *tree;
    lf_grid *grid;
    const lf_ground *ground;
    lf_ray ray;
    int repeats; ///< answers in one pass
    lf__sjostrand_answer answer;
} table_asker;

/// A ray from above the map to a place on it; seldom along a line of the grid.
lf_ray table_any_ray(bench_random *random, int32_t samples);

/// Figure 2.2: nodes of quadtrees over a map of 8192 x 8192 samples; `map` is that map, or NULL: nothing is built.
void table_nodes(bench_report *report, const lf__sjostrand_map *map);
/// The share of triangles that need not be tested again at the next sample, on random rays.
void table_skipped(bench_report *report, lf__sjostrand_tree *tree);

/// landfall on the same surface; leaf 0: what landfall takes by itself.
void table_open_ours(table_asker *asker, int leaf);
void table_run_ours(void *user);
/// Ask once more with a cursor that counts, outside the clock.
void table_count_ours(table_asker *asker);
void table_close_ours(table_asker *asker);

#endif
