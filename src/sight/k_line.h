/// Lines over grids by kernels.
#ifndef LF_SIGHT_K_LINE_H
#define LF_SIGHT_K_LINE_H

#include "sight/line.h"

typedef enum lf__line_search {
    LF__LINE_CLEAR,
    LF__LINE_BELOW,  ///< ground
    LF__LINE_REFUSED ///< the plain way
} lf__line_search;

/// May kernels search over this grid? Beside holes floats cannot tell what is below ground.
static inline bool lf__sight_has_kernel(const lf_grid *grid) {
    return grid->line_level > 0 && !grid->gaps;
}

/// Search a line from its start, or from its end.
/// any  t is then only near a place where the line is below ground, as far as that is known; else where it breaks first, or last
lf__line_search lf__sight_search(const lf_grid *grid, const lf__sight_line *line, bool from_end, bool any,
                                 double *t, lf_counters *cost);

/// The line between two ends over a grid with kernels, both ends at once: what lf__sight_place and lf__sight_line_between make, to the bit.
/// a    the lesser end
/// sag  as of lf__sight_line_between
/// false: an end is far off the grid
bool lf__sight_line_of_ends(const lf_grid *grid, lf_vec3 a, lf_vec3 b, double sag, lf__sight_line *line);

#endif
