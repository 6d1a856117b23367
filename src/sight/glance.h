/// A glance at a square under a line: heights in plain doubles at the few places that matter, good enough to see that nothing is there.
#ifndef LF_SIGHT_GLANCE_H
#define LF_SIGHT_GLANCE_H

#include "sight/line.h"

/// Where the line comes over a square, crosses its diagonal and leaves, all behind its start. Between two of these, or between the start
/// on a post and the first, the ground is no higher than the straight line between their heights, within `slack`; the first
/// `solid` are ground themselves.
typedef struct lf__glance {
    int count, solid;
    double t[4], height[4];
    double slack;
} lf__glance;

/// No two posts of a grid that has heights differ by more. (What kernels know of neighbours is not there for every grid.)
static inline double lf__glance_steepest(const lf_grid *grid) {
    return grid->highest - grid->lowest;
}

/// Does a line begin on a post, or above it?
bool lf__glance_from_post(const lf_grid *grid, const lf__sight_line *line);

/// false: no glance is possible, because the line begins there, not on a post, or ends there, or the square is not plain or has a gap.
bool lf__glance_at(const lf_grid *grid, const lf__sight_line *line, const lf__sight_block *square,
                   bool from_post, lf__glance *glance);

/// Where the line is over a square, to rounding; false when it is not, or begins there.
bool lf__glance_within(const lf_grid *grid, const lf__sight_line *line, lf__sight_block *square);

/// Does a line come over this square at its start at the most? Exact.
static inline bool lf__glance_behind(const lf_grid *grid, const lf__sight_line *line,
                                     const lf__sight_block *square) {
    double x = (double)(grid->first + square->bx) + grid->shift,
           y = (double)(grid->first + square->by) + grid->shift;
    return (line->way.x > 0 && x + 1 <= line->at.x) || (line->way.x < 0 && x >= line->at.x) ||
           (line->way.y > 0 && y + 1 <= line->at.y) || (line->way.y < 0 && y >= line->at.y);
}

#endif
