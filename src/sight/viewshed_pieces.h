/// Ground of a bin that may decide least visible heights behind it: rings of chunks, edges and triangles.
#ifndef LF_SIGHT_VIEWSHED_PIECES_H
#define LF_SIGHT_VIEWSHED_PIECES_H

#include "sight/viewshed.h"
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
    // What a target is compared with, as kernels read it.
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

/// Rings whose targets are written together, in the order of memory.
#define LF__LEAST_RINGS 32

/// Targets of a group that are examined side by side.
typedef struct lf__least_lanes {
    const lf__least_pieces *bins;
    const bool *open;   ///< by bins: more has to be done before their edges can be used
    const double *own;  ///< by bins: upper bound of the slopes of the own chunk
    const double *near; ///< by intervals of directions: of the ground before the first ring
    double a[LF__LEAST_RINGS + 8], per_a[LF__LEAST_RINGS + 8];
    double c[LF__SERIES_USED + 1][LF__LEAST_RINGS + 8]; ///< lowering / a^2 by powers of b
    int degree;
    int rings_per_lane, b_per_lane; ///< from a target to the next one in memory: 0 or 1, and -1, 0 or 1
    int last_bin;
    double ob, z;
    double v0, wide, all_bins; ///< first direction, directions of the group, and bins of the sector
    double tilt[2], rises;
    double off, uneven; ///< rounding error of heights in metres, and of the lowering, relative
    bool datum;         ///< heights are added
    lf_sample_type type;
    bool plain; ///< heights are read from samples, which are floats or int16
} lf__least_lanes;

/// Eight targets beside each other in memory.
typedef struct lf__least_eight {
    int ring;              ///< of the first one, among those of the lanes
    int64_t b;             ///< likewise
    unsigned some;         ///< those that are asked for, by bits; then those that are left
    unsigned met;          ///< those of which is known what their bins demand
    const char *samples;   ///< floats or int16, as `lanes` says
    double height[8];      ///< above datum; if `lanes` has no samples
    double slope[8], x[8]; ///< demanded by their bins
    float *to;
} lf__least_eight;

/// Such eights that are written together: what one waits for is hidden behind the others.
#define LF__LEAST_EIGHTS 8

/// Write the least heights of targets, except of those that need more than the edges of their bins.
typedef void lf__least_write(const lf__least_lanes *lanes, lf__least_eight *eights, int count);
lf__least_write lf__least_write_avx512;

#endif
