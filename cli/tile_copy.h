/// The decoded samples of a raster on disk, for jobs in tiles.
#ifndef CLI_TILE_COPY_H
#define CLI_TILE_COPY_H

#include "ground.h"

struct tile_copy {
    int file;   ///< -1: there is no copy
    void *base; ///< memory with the layout of the raster, of which only the pages of the windows exist
    size_t bytes, mask_at;
    const lf_tasks *tasks; ///< copying and the pages that it touches take time on one thread
    lf_window *windows;    ///< that are asked for next, LF_RASTER_WINDOWS at most
    int64_t count;
};

/// Begin one for the raster that is open, where it can have one and the disk of the result has space.
void tile_copy_start(tile_copy *copy, const cli *run);

/// Fill it with all samples, each block of the raster read once, and find the least and the greatest height. False: it could not be done this way, or not be read; there
/// is no message, and the raster is read part by part.
bool tile_copy_fill(tile_copy *copy, cli *run, double range[2]);

/// Add what has been read of the raster. All of it must have been added before the copy is complete.
void tile_copy_add(tile_copy *copy, const lf_raster *raster);
void tile_copy_complete(tile_copy *copy);

/// Is there one, with everything? NULL: no.
bool tile_copy_is_complete(const tile_copy *copy);

/// Let a grid have the samples of the windows from here. The raster has read none. Prints what is wrong and returns false.
bool tile_copy_use(tile_copy *copy, lf_grid_def *def);

/// A grid is gone: its samples take no memory any more.
void tile_copy_drop(const tile_copy *copy);
void tile_copy_end(tile_copy *copy);

#endif
