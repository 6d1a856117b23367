/// Grids to and from files: everything a grid is made of, as numbers and blocks of memory.
#ifndef LF_GRID_STORED_H
#define LF_GRID_STORED_H

#include "grid/grid.h"

/// Some memory, somebody else's.
typedef struct lf__bytes {
    const void *data;
    size_t size;
} lf__bytes;

typedef struct lf__grid_stored {
    int64_t columns, rows;
    lf_surface surface;
    bool extend;
    int leaf;
    lf_codec codec;
    lf_sample_type type; ///< of raw samples
    double scale, offset;
    lf_geotransform geotransform;
    double turn;   ///< 0: none
    bool repeated; ///< the last column is the first again
    int64_t hole_count;
    double lowest, highest;
    double base, quantum;
    double steepest; ///< below 0: not known
    double max_error, largest_error, mean_square_error;
    lf__bytes
        samples; ///< raw, the ring's too, row by row, and 64 bytes more; when writing only the size is told
    lf__bytes tiles, index; ///< of compressed ones
    lf__bytes bounds;
    lf__bytes holes, gaps; ///< nothing where there are none
    lf__bytes planes;      ///< nothing where there are none
    lf__bytes sums;        ///< of blocks (guard.h); nothing where everything has been checked
} lf__grid_stored;

/// What a grid is made of. Its memory is not copied.
void lf__grid_store(const lf_grid *grid, lf__grid_stored *stored);

/// Row `row` of the raw samples of a grid, counted from 0 with the ring's: holes of floats are NaN. `samples` has room for it.
void lf__grid_store_row(const lf_grid *grid, int64_t row, void *samples);

/// How many rows of how many bytes there are.
int64_t lf__grid_store_rows(const lf_grid *grid, size_t *bytes);

/// A grid of stored memory, which it borrows. All sizes are checked, and nothing is read: numbers may be wrong, and so the answers, but no
/// more. Errors: LF_BAD_FORMAT names what does not fit, LF_NO_MEMORY.
lf_status lf__grid_from_stored(const lf__grid_stored *stored, const lf_host *host, lf_grid **grid,
                               lf_error *error);

#endif
