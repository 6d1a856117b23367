/// By how much a line clears the ground, or does not.
#ifndef LF_SIGHT_DETAIL_H
#define LF_SIGHT_DETAIL_H

#include "sight/line.h"

/// The least of some numbers, and where along the line that is.
typedef struct lf__least {
    double value, t;
} lf__least;

static inline void lf__least_take(lf__least *least, double value, double t) {
    if (value < least->value)
        *least = (lf__least){value, t};
}

/// All of it counted from the end that asks: s is 0 there.
typedef struct lf__sight_detail {
    bool turned;         ///< that is the line's end, not its start: s = end - t
    double zone;         ///< the square of the first zone's radius is zone * s * (1 - s); 0: not asked for
    lf__least clearance; ///< of the height above ground
    lf__least lower;     ///< of that divided by s: by how much the other end could be lower
    lf__least fresnel;   ///< of that divided by the radius
} lf__sight_detail;

/// What `zone` is for a line of a length.
double lf__fresnel_zone(double frequency_mhz, double length);

/// Nothing known yet.
lf__sight_detail lf__sight_detail_start(bool turned, double zone);

/// The height above ground is f[0] + f[1] * s + f[2] * s * s from s = first to s = last. sign0: that of f[0] where first is 0.
void lf__sight_detail_add(lf__sight_detail *detail, const double f[3], double first, double last, int sign0);

/// What is known in the end.
void lf__sight_detail_tell(const lf__sight_detail *detail, lf_sight *sight);

/// A line all over a grid.
void lf__sight_detail_grid(const lf_grid *grid, const lf__sight_line *line, lf__sight_detail *detail,
                           lf_counters *cost);

#endif
