/// Sight by the published kd-tree over heights (Fünfzig and others, 2009), as a baseline: every node has the greatest height
/// below it. Its nodes are stored as they are, or as max-plus coefficients, which are decoded on the way down. One metre
/// between samples.
#ifndef LF_PUBLISHED_FUNFZIG_SIGHT_H
#define LF_PUBLISHED_FUNFZIG_SIGHT_H

#include "base/base.h"

/// What a leaf is: a sample with its square, or a cell between four samples, whose height is taken in one place or all along the line.
typedef enum lf__funfzig_leaf {
    LF__FUNFZIG_POINT,
    LF__FUNFZIG_APPROX,
    LF__FUNFZIG_BILINEAR
} lf__funfzig_leaf;

/// As published: two children, the greatest height, the split; 24 bytes.
typedef struct lf__funfzig_node {
    int32_t child[2]; ///< a leaf: -1 - column, and row
    double top, split;
} lf__funfzig_node;

typedef struct lf__funfzig_sight {
    const float *heights;
    int32_t samples;
    int32_t leaves; ///< a side
    lf__funfzig_leaf leaf;
    int32_t *coefficients; ///< instead of nodes: one for each leaf, in units (funfzig_split.h)
    double unit;
    lf__funfzig_node *nodes;
    int64_t capacity;
    int32_t count;
    lf_allocator allocator;
} lf__funfzig_sight;

/// heights: samples a side, row by row; they must outlive the tree. Errors: LF_NO_MEMORY.
lf_status lf__funfzig_sight_open(lf__funfzig_sight *tree, const float *heights, int32_t samples,
                                 lf__funfzig_leaf leaf);

/// The same as max-plus coefficients.
/// unit  of the coefficients, in metres: heights must be multiples of it, less than 2^30 of them
lf_status lf__funfzig_sight_open_wavelet(lf__funfzig_sight *tree, const float *heights, int32_t samples,
                                         lf__funfzig_leaf leaf, double unit);
void lf__funfzig_sight_close(lf__funfzig_sight *tree);

/// A line from a to b, in columns and rows; t is 0 at a.
typedef struct lf__funfzig_line {
    double x, y, z, dx, dy, dz;
    bool backward; ///< search from b
    double t;      ///< where something was found
} lf__funfzig_line;

/// Bytes that a search reads: nodes or coefficients, and the heights where leaves need them.
int64_t lf__funfzig_sight_bytes(const lf__funfzig_sight *tree);

/// Is the line blocked?
bool lf__funfzig_sight_blocked(const lf__funfzig_sight *tree, lf__funfzig_line *line);

#endif
