/// A grid that wraps, and what it must equal: an ordinary grid of three turns, side by side, of which the middle one is asked.
#ifndef LF_TESTS_ROUND_GRID_H
#define LF_TESTS_ROUND_GRID_H

#include "support.h"

typedef struct round_grid {
    int64_t round, rows; ///< columns of a turn
    double spacing;      ///< a power of two, so that columns are exact
    double west, south;  ///< of sample (0, 0)
    double turn;
    bool point; ///< the last column repeats the first, in the caller's samples
    lf_surface surface;
    bool extend;
    bool holes;
    double *heights;    ///< round x rows
    lf_grid *grid;      ///< wraps
    lf_grid *reference; ///< three turns
    const lf_ground *ground, *reference_ground;
} round_grid;

/// A random one. spacing 0: 1, 2 or 0.5 and a turn that follows from the columns; else a turn of 360.
round_grid round_grid_make(test_random *random, double spacing, lf_codec codec);
void round_grid_drop(round_grid *made);

/// A random x within the turn: mostly a whole number of quarters of columns, often at the seam, where all is exact; now and then any.
double round_grid_x(const round_grid *made, test_random *random);
double round_grid_y(const round_grid *made, test_random *random);

/// The same place, some whole turns away.
double round_grid_turned(const round_grid *made, test_random *random, double x);

/// The element of the reference as the grid that wraps counts it.
int64_t round_grid_element(const round_grid *made, int64_t element);

#endif
