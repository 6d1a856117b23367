/// Samples that carry no surface: voids, and heights with voids around them.
#ifndef LF_TESTS_BARE_H
#define LF_TESTS_BARE_H

#include "grid/grid_query.h"

/// Does the height question have no answer at a sample? Then viewsheds, shade and horizons must call it a void.
static inline bool sample_is_bare(const lf_grid *grid, int64_t column, int64_t row) {
    lf__grid_spot spot;
    return lf__grid_at(grid, (lf_vec2){(double)column, (double)row}, &spot) != LF_REASON_ANSWERED;
}

#endif
