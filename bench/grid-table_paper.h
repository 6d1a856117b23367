/// The published way to meet a heightmap with a ray (Sjostrand 2017), as a baseline: a quadtree of boxes, and a walk along
/// the ray's line within its leaves.
///
/// The surface is the paper's: right angles at the samples with an even sum of column and row, so that these samples have four
/// triangles around them and the others eight. One metre between samples.
#ifndef LF_BENCH_GRID_TABLE_PAPER_H
#define LF_BENCH_GRID_TABLE_PAPER_H

#include "support.h"

/// A square heightmap of so many samples a side, a power of two.
typedef struct paper_map {
    int32_t samples;
    float *heights; ///< row by row
} paper_map;

typedef struct paper_answer {
    bool hit;
    double t;
    int64_t triangles; ///< tested
    int64_t nodes;     ///< boxes tested
    int64_t leaves;    ///< boxes of leaves entered
} paper_answer;

/// A box: an area, closed, with the heights of its samples, those on its border included.
typedef struct paper_node {
    int32_t column, row, side;
    float low, high;
} paper_node;

/// A leaf that the ray enters.
typedef struct paper_entry {
    int64_t node;
    double t_in, t_out;
} paper_entry;

/// All nodes of all levels, the children of node i from 4 i + 1 on.
typedef struct paper_tree {
    const paper_map *map;
    paper_node *nodes;
    int64_t node_count;
    int64_t first_leaf;
    int32_t leaf_side;
    int64_t *queue; ///< of the search: space for all nodes
    paper_entry *entries;
} paper_tree;

/// leaf_side: samples a side, a power of two.
void paper_tree_open(paper_tree *tree, const paper_map *map, int32_t leaf_side);
void paper_tree_close(paper_tree *tree);

/// The leaves whose boxes the ray passes through, in its order; a box that is only touched at an edge does not count. Writes
/// tree->entries and returns how many; adds to the answer's counters.
int64_t paper_tree_search(paper_tree *tree, const lf_ray *ray, paper_answer *answer);

/// Every triangle of the map.
paper_answer paper_all_triangles(const paper_map *map, const lf_ray *ray);
/// Every triangle around the samples of the leaves entered.
paper_answer paper_quadtree(paper_tree *tree, const lf_ray *ray);
/// Every triangle around the samples along the line; skip leaves out those that were tested at the sample before.
paper_answer paper_walk_samples(paper_tree *tree, const lf_ray *ray, bool skip);
/// The two triangles of every cell that the line passes through: no triangle comes twice.
paper_answer paper_walk_cells(paper_tree *tree, const lf_ray *ray);

#endif
