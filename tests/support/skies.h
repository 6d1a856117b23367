/// Grids of all kinds for tests of horizons and shade, and what their definitions say, by many places along a line.
#ifndef LF_TESTS_SKIES_H
#define LF_TESTS_SKIES_H

#include "support.h"
#include <landfall/sight.h>

typedef struct sky_grid {
    lf_grid *grid;
    const lf_ground *ground;
    lf_grid_info info;
} sky_grid;

/// A grid of a surface, of no more than so many samples each way: whole heights with many ties or real ones, with holes or without, extended or
/// not, placed straight, with oblong cells or askew.
sky_grid sky_grid_any(lf_surface surface, int64_t most, test_random *random);

/// A grid of given heights, column by column of the first row and so on, with samples a metre apart.
sky_grid sky_grid_of(const double *heights, int64_t columns, int64_t rows, lf_surface surface);

void sky_grid_free(sky_grid *sky);

lf_window sky_window_all(const sky_grid *sky);

/// A line: height z + slope * d + bend * d * d at the distance d from a place of the world, in the direction of a unit vector.
typedef struct sky_line {
    lf_vec3 from;
    lf_vec2 way;
    double slope, bend, range;
} sky_line;

typedef struct sky_brute {
    double
        steepest; ///< greatest (ground - from.z) / d - bend * d of all places looked at; -INFINITY: no ground
    double distance;  ///< where
    double clearance; ///< least height of the line over ground, of these; INFINITY: no ground
} sky_brute;

/// Look at every place where the line crosses a column, a row or any diagonal, just before and behind, and at many places
/// between.
sky_brute sky_look(const sky_grid *sky, const sky_line *line);

#endif
