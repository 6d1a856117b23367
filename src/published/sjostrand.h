/// The published way to meet a heightmap with a ray (Sjostrand 2017), as a baseline: a quadtree of boxes, and a walk along
/// the ray's line within its leaves.
///
/// The surface is the paper's: right angles at the samples with an even sum of column and row, so that these samples have four
/// triangles around them and the others eight. One metre between samples.
#ifndef LF_PUBLISHED_SJOSTRAND_H
#define LF_PUBLISHED_SJOSTRAND_H

#include "base/base.h"
#include <landfall/geom.h>

/// A square heightmap of so many samples a side, a power of two.
typedef struct lf__sjostrand_map {
    int32_t samples;
    float *heights; ///< row by row
} lf__sjostrand_map;

typedef struct lf__sjostrand_answer {
    bool hit;
    double t;
    int64_t triangles; ///< tested
    int64_t nodes;     ///< boxes tested
    int64_t leaves;    ///< boxes of leaves entered
} lf__sjostrand_answer;

/// A box: an area, closed, with the heights of its samples, those on its border included.
typedef struct lf__sjostrand_node {
    int32_t column, row, side;
    float low, high;
} lf__sjostrand_node;

/// A leaf that the ray enters.
typedef struct lf__sjostrand_entry {
    int64_t node;
    double t_in, t_out;
} lf__sjostrand_entry;

/// All nodes of all levels, the children of node i from 4 i + 1 on.
typedef struct lf__sjostrand_tree {
    lf_allocator allocator;
    const lf__sjostrand_map *map;
    lf__sjostrand_node *nodes;
    int64_t node_count;
    int64_t first_leaf;
    int64_t leaf_count;
    int32_t leaf_side;
    int64_t *queue; ///< of the search: space for all nodes
    lf__sjostrand_entry *entries;
} lf__sjostrand_tree;

/// leaf_side: samples a side, a power of two. The map must outlive the tree.
/// Errors: LF_NO_MEMORY; close the tree then, too.
lf_status lf__sjostrand_open(lf__sjostrand_tree *tree, const lf__sjostrand_map *map, int32_t leaf_side);
void lf__sjostrand_close(lf__sjostrand_tree *tree);

/// The leaves whose boxes the ray passes through, in its order; a box that is only touched at an edge does not count. Writes
/// tree->entries and returns how many; adds to the answer's counters.
int64_t lf__sjostrand_search(lf__sjostrand_tree *tree, const lf_ray *ray, lf__sjostrand_answer *answer);

/// Every triangle of the map.
lf__sjostrand_answer lf__sjostrand_all(const lf__sjostrand_map *map, const lf_ray *ray);
/// Every triangle around the samples of the leaves entered.
lf__sjostrand_answer lf__sjostrand_leaves(lf__sjostrand_tree *tree, const lf_ray *ray);
/// Every triangle around the samples along the line; skip leaves out those that were tested at the sample before.
lf__sjostrand_answer lf__sjostrand_walk_samples(lf__sjostrand_tree *tree, const lf_ray *ray, bool skip);
/// The two triangles of every cell that the line passes through: no triangle comes twice.
lf__sjostrand_answer lf__sjostrand_walk_cells(lf__sjostrand_tree *tree, const lf_ray *ray);

#endif
