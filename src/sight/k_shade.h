/// The loops of the sweep over strips, for each instruction set. The same operations in the same order: the same bits.
#ifndef LF_SIGHT_K_SHADE_H
#define LF_SIGHT_K_SHADE_H

#include <landfall/base.h>

#define LF__SHADE_GROUP 128                  ///< strips that are taken along at once
#define LF__SHADE_WIDE (LF__SHADE_GROUP + 4) ///< and their sides, rounded up

/// One phase of strips: what is known of their sides, of posts within, and what they keep. None of them overlap but for reading.
typedef struct lf__shade_strips {
    const double *left, *right, *inner;             ///< no ground is higher
    const double *left_low, *right_low, *inner_low; ///< ground is this high
    double *high, *low, *away;
    double fall, fall_low, longer, step; ///< low falls by fall_low and `longer` for each metre away
} lf__shade_strips;

typedef struct lf__shade_loops {
    /// out = a * (1 - v) + b * v, WIDE of them.
    void (*mix)(double *out, const double *a, const double *b, double v);
    /// high is raised to a * (1 - v) + b * v - rise, WIDE of them.
    void (*raise)(double *high, const double *a, const double *b, double v, double rise);
    /// Strips go on to a line, GROUP of them.
    void (*strips)(const lf__shade_strips *strips);
} lf__shade_loops;

const lf__shade_loops *lf__shade_loops_for(lf_isa isa);

#endif
