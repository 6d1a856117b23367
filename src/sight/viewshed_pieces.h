/// Ground of a bin that may decide least visible heights behind it: rings of chunks, edges and triangles.
#ifndef LF_SIGHT_VIEWSHED_PIECES_H
#define LF_SIGHT_VIEWSHED_PIECES_H

#include "base/base.h"
#include <stdbool.h>
#include <stdint.h>

/// Ground in a bin that may decide the least heights behind it: rings of chunks. More of them are not stored.
#define LF__LEAST_CHUNKS 8

typedef struct lf__least_ground {
    int count;        ///< more than LF__LEAST_CHUNKS: unknown
    unsigned pending; ///< those whose edges have not been collected, by bits
    struct {
        float top;      ///< upper bound of the slopes
        uint16_t chunk; ///< index in the history
        uint16_t rings; ///< by bits, with the strips before them; bit 0: the first ring of the chunk
    } of[LF__LEAST_CHUNKS];
} lf__least_ground;

/// Edges, and triangles, of a bin that may decide the least heights behind it (viewshed_pieces.c). More of them are not stored.
#define LF__LEAST_PIECES 24

/// Part of a bin by which a direction may be in the next one: places of bins are rounded.
#define LF__LEAST_SPARE 0.01

typedef struct lf__least_piece {
    double first, last; ///< directions
    double s, v, q;     ///< its slope is s + q * (direction - v)
    double c, d,
        e;        ///< it is crossed at c / (d - e * direction); of a triangle -h, a and b of its first corner
    float top[2]; ///< upper bound of the slopes, lowered and above the plane, at the first and last direction
    struct {
        double slope, x;
    } end[2];     ///< slope and distance at the first and last direction; of a triangle twice the distance
    double bent;  ///< upper bound of what it differs from a straight line between them
    int triangle; ///< 0: an edge; 1 and 2: a triangle before and behind the diagonal
} lf__least_piece;

typedef struct lf__least_pieces {
    int count;
    bool bent; ///< there are triangles
    int64_t
        edge; ///< the last ring of a chunk, if it reached the lower bound: the strip behind it matters too
    float edge_top; ///< upper bound of the slopes of that chunk
    float lost;     ///< upper bound of the slopes of what is not stored; -INFINITY: nothing
    lf__least_piece of[LF__LEAST_PIECES];
} lf__least_pieces;

/// The greatest slope that the line to a target needs so far, and the distance at which ground demands it.
typedef struct lf__least_demand {
    double slope, x;
} lf__least_demand;

/// Of two demands that are equal the nearer one counts, whatever their order.
static inline void lf__least_demand_add(lf__least_demand *demand, double slope, double x) {
    bool more = (slope > demand->slope) | ((slope == demand->slope) & (x < demand->x));
    demand->slope = more ? slope : demand->slope;
    demand->x = more ? x : demand->x;
}

/// The triangles of a bin.
void lf__least_triangles_meet(const lf__least_pieces *ground, double v, double metric, double a,
                              lf__least_demand *demand);

/// What the ground of a bin demands in a direction, for a target at a distance.
static inline void lf__least_pieces_meet(const lf__least_pieces *ground, double v, double metric, double a,
                                         lf__least_demand *demand) {
    for (int k = 0; k < ground->count; k++) {
        const lf__least_piece *p = &ground->of[k];
        double x = p->c / (p->d - p->e * v), slope = p->s + p->q * (v - p->v) + metric * (a - x);
        bool in = (v >= p->first) & (v <= p->last) & !p->triangle;
        lf__least_demand_add(demand, in ? slope : -LF_INFINITY, x);
    }
    if (ground->bent)
        lf__least_triangles_meet(ground, v, metric, a, demand);
}

/// Rings of which the lowering is kept while edges are collected.
#define LF__LEAST_LESS 64

/// Intervals of the directions of a group, for bounds of the ground before the first ring.
#define LF__LEAST_NEAR 64

/// Targets whose bins are examined together.
#define LF__LEAST_BATCH 64

typedef struct lf__least_batch {
    int count;
    double v[LF__LEAST_BATCH], metric[LF__LEAST_BATCH], a[LF__LEAST_BATCH];
    int64_t bin[LF__LEAST_BATCH];                      ///< each is in this bin for sure
    double slope[LF__LEAST_BATCH], x[LF__LEAST_BATCH]; ///< demanded by the bin
} lf__least_batch;

/// What its bin demands of each target.
void lf__least_meet_scalar(const lf__least_pieces *bins, lf__least_batch *batch);
void lf__least_meet_avx512(const lf__least_pieces *bins, lf__least_batch *batch);

#endif
