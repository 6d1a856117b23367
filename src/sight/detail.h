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
    bool only_lower;     ///< nothing else is wanted
    double zone;         ///< the square of the first zone's radius is zone * s * (1 - s); 0: not asked for
    lf__least clearance; ///< of the height above ground
    lf__least lower;     ///< of that divided by s: by how much the other end could be lower
    lf__least fresnel;   ///< of that divided by the radius
} lf__sight_detail;

/// What `zone` is for a line of a length.
double lf__fresnel_zone(double frequency_mhz, double length);

/// Nothing known yet.
lf__sight_detail lf__sight_detail_start(bool turned, double zone);

/// A stretch of the way from s = at[0] to s = at[1], over which the height above ground is a quadratic.
typedef struct lf__stretch {
    double at[2];
    double above[2]; ///< there
    double bend;     ///< the factor of s * s
    double slope;    ///< how fast it grows at s = 0, where it begins there
    int signs[2];    ///< what `above` exactly is where these are the ends of the line, 0 and 1
} lf__stretch;

void lf__sight_detail_add(lf__sight_detail *detail, const lf__stretch *stretch);

/// What is known in the end.
void lf__sight_detail_tell(const lf__sight_detail *detail, lf_sight *sight);

/// A line all over a grid.
void lf__sight_detail_grid(const lf_grid *grid, const lf__sight_line *line, lf__sight_detail *detail,
                           lf_counters *cost);

#endif
