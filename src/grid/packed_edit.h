/// New heights for compressed grids: the tiles they are in are written anew, and all of that before anything is changed.
#ifndef LF_GRID_PACKED_EDIT_H
#define LF_GRID_PACKED_EDIT_H

#include "grid/packed.h"

/// The step that stands for a height: exactly, or within the grid's largest error. false: none does.
bool lf__packed_step_for(const lf_grid *grid, double height, int32_t *step);

typedef struct lf__packed_edit {
    lf__array changes; ///< of lf__tile_change
    lf__array bytes;   ///< of the new tiles
} lf__packed_edit;

/// Write the tiles that the samples, put at (low[0], low[1]), make, and take all memory. Errors: LF_NO_MEMORY; then nothing is to be given back.
lf_status lf__packed_edit_start(lf__packed_edit *edit, lf_grid *grid, const lf_samples *samples,
                                const int64_t low[2]);

/// Put them in place of the old ones.
void lf__packed_edit_apply(const lf__packed_edit *edit, lf_grid *grid);

void lf__packed_edit_end(lf__packed_edit *edit, lf_grid *grid);

#endif
