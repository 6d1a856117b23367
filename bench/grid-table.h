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

/// landfall on the same surface; leaf 0: what landfall takes by itself.
void table_open_ours(table_asker *asker, int leaf);
void table_run_ours(void *user);
/// Ask once more with a cursor that counts, outside the clock.
void table_count_ours(table_asker *asker);
void table_close_ours(table_asker *asker);

#endif
