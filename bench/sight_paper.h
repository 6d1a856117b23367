/// The tree of the paper on height and distance fields: a kd-tree with the greatest height of each node.
#ifndef LF_BENCH_SIGHT_PAPER_H
#define LF_BENCH_SIGHT_PAPER_H

#include <stdbool.h>
#include <stdint.h>

/// What a leaf is: a sample with its square, or a cell between four samples, whose height is taken in one place or all along the line.
typedef enum paper_leaf { PAPER_POINT, PAPER_APPROX, PAPER_BILINEAR } paper_leaf;

/// As published: two children, the greatest height, the split; 24 bytes.
typedef struct paper_node {
    int32_t child[2]; ///< a leaf: -1 - column, and row
    double top, split;
} paper_node;

typedef struct paper_kd {
    const float *heights;
    int32_t samples;
    paper_leaf leaf;
    paper_node *nodes;
    int32_t count;
} paper_kd;

void paper_kd_open(paper_kd *tree, const float *heights, int32_t samples, paper_leaf leaf);
void paper_kd_close(paper_kd *tree);

/// A line from a to b, in columns and rows; t is 0 at a.
typedef struct paper_line {
    double x, y, z, dx, dy, dz;
    bool backward; ///< search from b
    double t;      ///< where something was found
} paper_line;

/// Is the line blocked?
bool paper_kd_blocked(const paper_kd *tree, paper_line *line);

#endif
