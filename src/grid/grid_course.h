/// A ray seen along its longer way over the grid: for the filters of kernels, which decide nothing.
///
/// In this frame the ray runs towards growing a, and no slower than towards growing b: 0 <= slope_b <= 1. For that, axes are
/// swapped and mirrored, and places are counted from the first square. Mirrored about a power of two, so that blocks
/// stay blocks: x becomes mirror - x, square s becomes mirror - 1 - s.
///
/// Everything is computed in doubles and is off by less than LF__COURSE_SLACK squares and by `slack` in height; courses for which that
/// could not be said are refused, and their rays take the plain way.
#ifndef LF_GRID_COURSE_H
#define LF_GRID_COURSE_H

#include "grid/grid_question.h"

/// Squares; far more than the rounding of places below LF__COURSE_REACH.
#define LF__COURSE_SLACK 1e-6
#define LF__COURSE_REACH 0x1p26

/// How steep a course may be, in quanta per square. Steeper ones are over few squares anyway.
#define LF__COURSE_STEEP 1e9

typedef struct lf__course {
    bool swap, mirror_a, mirror_b; ///< swap: a counts rows
    int64_t mirror;                ///< a power of two, no less than the squares of either axis and 64
    double a, b, z;                ///< of the ray's origin
    double along;                  ///< of a per t, > 0
    double slope_b, slope_z;       ///< per a
    double start, end;             ///< the part of a that matters
    double slack;                  ///< of z
    int64_t low_a, high_a;         ///< squares: low_a <= s < high_a
    int64_t low_b, high_b;
} lf__course;

typedef enum lf__course_verdict {
    LF__COURSE_MISSES, ///< nothing can be met
    LF__COURSE_RUNS,
    LF__COURSE_REFUSED ///< the plain way
} lf__course_verdict;

static inline double lf__course_b(const lf__course *c, double a) {
    return c->b + (a - c->a) * c->slope_b;
}

static inline double lf__course_z(const lf__course *c, double a) {
    return c->z + (a - c->a) * c->slope_z;
}

/// The number of a square in the grid, from its numbers in the frame.
static inline void lf__course_square(const lf__course *c, const lf_grid *grid, int64_t a, int64_t b,
                                     int64_t *i, int64_t *j) {
    int64_t real_a = grid->first + (c->mirror_a ? c->mirror - 1 - a : a);
    int64_t real_b = grid->first + (c->mirror_b ? c->mirror - 1 - b : b);
    *i = c->swap ? real_b : real_a;
    *j = c->swap ? real_a : real_b;
}

/// Shorten [start, end] to where x + a * slope is within [low, high], slope not 0.
static inline void lf__course_clip(lf__course *c, double x, double slope, double low, double high) {
    double inverse = 1 / slope, p = c->a + (low - x) * inverse, q = c->a + (high - x) * inverse;
    double first = p < q ? p : q, last = p < q ? q : p;
    c->start = first > c->start ? first : c->start;
    c->end = last < c->end ? last : c->end;
}

/// One axis: is it mirrored, and which squares has it in the frame?
static inline double lf__course_axis(const lf__course *c, double at, bool mirrored, int64_t squares,
                                     int64_t *low, int64_t *high) {
    *low = mirrored ? c->mirror - squares : 0;
    *high = *low + squares;
    return mirrored ? (double)c->mirror - at : at;
}

static inline lf__course_verdict lf__course_start(lf__course *c, const lf_grid *grid, const lf_ray *line) {
    const double x[2] = {line->origin.x - (double)grid->first, line->origin.y - (double)grid->first};
    const double d[2] = {line->direction.x, line->direction.y};
    const int64_t squares[2] = {grid->square_columns, grid->square_rows};
    int major = fabs(d[1]) > fabs(d[0]);
    double inverse = 1 / fabs(d[major]);
    c->swap = major;
    c->mirror = grid->mirror;
    c->mirror_a = d[major] < 0;
    c->mirror_b = d[!major] < 0;
    c->a = lf__course_axis(c, x[major], c->mirror_a, squares[major], &c->low_a, &c->high_a);
    c->b = lf__course_axis(c, x[!major], c->mirror_b, squares[!major], &c->low_b, &c->high_b);
    c->z = line->origin.z;
    c->along = fabs(d[major]);
    c->slope_b = fabs(d[!major]) * inverse;
    c->slope_z = line->direction.z * inverse;
    if (!(fabs(c->slope_z) <= LF__COURSE_STEEP * grid->quantum) || !(fabs(c->a) <= LF__COURSE_REACH) ||
        !(fabs(c->b) <= LF__COURSE_REACH))
        return LF__COURSE_REFUSED;
    double pad = 0.25 * LF__COURSE_SLACK;
    double first = c->a + line->t_min * c->along - pad, last = c->a + line->t_max * c->along + pad;
    c->start = first > (double)c->low_a ? first : (double)c->low_a;
    c->end = last < (double)c->high_a ? last : (double)c->high_a;
    if (c->slope_b > 1e-9)
        lf__course_clip(c, c->b, c->slope_b, (double)c->low_b - pad, (double)c->high_b + pad);
    else if (c->b < (double)c->low_b - 1 || c->b > (double)c->high_b + 1)
        return LF__COURSE_MISSES;
    c->slack = 0x1p-48 * (fabs(c->z) + fabs(grid->highest) + fabs(grid->lowest) +
                          fabs(c->slope_z) * (fabs(c->a) + (double)c->mirror));
    double low = grid->lowest - c->slack, high = grid->highest + c->slack;
    if (fabs(c->slope_z) > 1e-9 * grid->quantum)
        lf__course_clip(c, c->z, c->slope_z, low, high);
    else if (c->z < low - grid->quantum || c->z > high + grid->quantum)
        return LF__COURSE_MISSES;
    c->start -= pad;
    c->end += pad;
    c->start = c->start < (double)c->low_a ? (double)c->low_a : c->start;
    c->end = c->end > (double)c->high_a ? (double)c->high_a : c->end;
    return c->start <= c->end ? LF__COURSE_RUNS : LF__COURSE_MISSES;
}

#endif
