/// Grids as ground, plain and compressed.
#ifndef LF_GROUND_FROM_GRID_H
#define LF_GROUND_FROM_GRID_H

#include "ground/ground.h"

extern const lf__ground_kind_of lf__grid_kind, lf__packed_kind, lf__file_kind;

/// The table's entry `grid`.
const struct lf_grid *lf__grid_of_ground(const void *thing);

#endif
