/// A line seen along its longer way over the grid: for the filters of kernels.
///
/// As grid/course.h has it for rays: the line runs towards growing a, and no faster towards growing b, for which axes are swapped and
/// mirrored about a power of two, so that blocks stay blocks. Here its height is a quadratic in a, and it may be seen from either end.
#ifndef LF_SIGHT_COURSE_H
#define LF_SIGHT_COURSE_H

#include "sight/line.h"

/// Squares: far more than the rounding of places within reach.
#define LF__SIGHT_SLACK 1e-6
#define LF__SIGHT_REACH 0x1p22

typedef struct lf__sight_course {
    bool swap, mirror_a, mirror_b; ///< swap: a counts rows
    int64_t mirror;
    double a, b, z;                ///< where it begins
    double slope_b, slope_z, bend; ///< z + (slope_z + bend * (a' - a)) * (a' - a) at a'
    double per_a;                  ///< of t, > 0
    double start, end;             ///< the part of a over the grid, not padded
    double slack;                  ///< of z
    int64_t low_a, high_a;         ///< squares: low_a <= s < high_a
    int64_t low_b, high_b;
} lf__sight_course;

static inline double lf__sight_course_b(const lf__sight_course *c, double a) {
    return c->b + (a - c->a) * c->slope_b;
}

static inline double lf__sight_course_z(const lf__sight_course *c, double a) {
    return c->z + (c->slope_z + c->bend * (a - c->a)) * (a - c->a);
}

/// The number of a square in the grid, from its numbers in the frame.
static inline void lf__sight_course_square(const lf__sight_course *c, const lf_grid *grid, int64_t a,
                                           int64_t b, int64_t square[2]) {
    int64_t real_a = grid->first + (c->mirror_a ? c->mirror - 1 - a : a);
    int64_t real_b = grid->first + (c->mirror_b ? c->mirror - 1 - b : b);
    square[0] = c->swap ? real_b : real_a;
    square[1] = c->swap ? real_a : real_b;
}

/// Shorten the part to where the line is within the grid's rows, or columns, of b.
static inline void lf__sight_course_clip(lf__sight_course *c) {
    if (c->slope_b < 1e-9) {
        if (c->b < (double)c->low_b - 1e-3 || c->b > (double)c->high_b + 1e-3)
            c->end = c->start - 1;
        return;
    }
    double inverse = 1 / c->slope_b;
    double first = c->a + ((double)c->low_b - c->b) * inverse,
           last = c->a + ((double)c->high_b - c->b) * inverse;
    c->start = first > c->start ? first : c->start;
    c->end = last < c->end ? last : c->end;
}

/// from_end: seen from the line's end. false: no course for this line.
static inline bool lf__sight_course_start(lf__sight_course *c, const lf_grid *grid,
                                          const lf__sight_line *line, bool from_end) {
    double sign = from_end ? -1 : 1, t = from_end ? line->end : 0, first = (double)grid->first;
    const double x[2] = {line->at.x + t * line->way.x - first, line->at.y + t * line->way.y - first};
    const double d[2] = {sign * line->way.x, sign * line->way.y};
    const int64_t squares[2] = {grid->square_columns, grid->square_rows};
    int major = fabs(d[1]) > fabs(d[0]);
    if (!(fabs(d[major]) >= 1e-3) || !(fabs(x[0]) + fabs(x[1]) + fabs(d[0]) + fabs(d[1]) <= LF__SIGHT_REACH))
        return false;
    c->swap = major;
    c->mirror = grid->mirror;
    c->mirror_a = d[major] < 0;
    c->mirror_b = d[!major] < 0;
    c->low_a = c->mirror_a ? c->mirror - squares[major] : 0;
    c->low_b = c->mirror_b ? c->mirror - squares[!major] : 0;
    c->high_a = c->low_a + squares[major];
    c->high_b = c->low_b + squares[!major];
    c->a = c->mirror_a ? (double)c->mirror - x[major] : x[major];
    c->b = c->mirror_b ? (double)c->mirror - x[!major] : x[!major];
    c->per_a = 1 / fabs(d[major]);
    c->slope_b = fabs(d[!major]) * c->per_a;
    c->z = lf__sight_height(line, t);
    c->slope_z = sign * (line->z1 + 2 * line->z2 * t) * c->per_a;
    c->bend = line->z2 * c->per_a * c->per_a;
    double length = line->end * fabs(d[major]);
    c->slack =
        0x1p-46 * (fabs(c->z) + fabs(grid->highest) + fabs(grid->lowest) +
                   (fabs(c->slope_z) + fabs(c->bend) * length) * (length + fabs(c->a) + (double)c->mirror)) +
        LF__SIGHT_SLACK * 0.01 * (fabs(c->slope_z) + 2 * fabs(c->bend) * length);
    c->start = c->a > (double)c->low_a ? c->a : (double)c->low_a;
    c->end = c->a + length < (double)c->high_a ? c->a + length : (double)c->high_a;
    lf__sight_course_clip(c);
    return fabs(c->slope_z) + 2 * fabs(c->bend) * length <= 1e9 * grid->quantum;
}

#endif
