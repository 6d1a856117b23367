/// The folder in which `landfall build` keeps what it has done, so that the same command continues after an interruption.
#ifndef CLI_BUILD_WORK_H
#define CLI_BUILD_WORK_H

#include "tiles.h"

/// Samples that have been read, in a mapped file; heights that have been compressed, or tiles of a globe, in records.
typedef struct build_work {
    tile_job job; ///< which job it is, for the manifest
    tile_run folder;
    lf_raster_keep raster;
    lf_grid_keep grid;
    int samples, mask; ///< mapped files, or -1
    void *memory[2];
    size_t bytes[2];
    int blocks;          ///< a byte for each block that was read, in their order
    int64_t read, asked; ///< how many these are, and how many have been asked for
    int packed;          ///< records
    int64_t at;          ///< where the next record begins
    void *record;        ///< the last one that was loaded
    size_t record_bytes;
} build_work;

/// Create the folder FILE.work or continue in it. Refuses that of another job. Prints what is wrong and returns false.
bool build_work_open(cli *run, const char *path, build_work *work);

/// The path of a file in the folder. Lives until the run ends.
char *build_work_path(const build_work *work, const char *name);

/// A provider whose tiles are kept as they come, in any order and from any thread; those of an earlier run are taken from its records.
typedef struct kept_tiles kept_tiles;

/// Put itself in front of a provider. It lives until the run ends; close it when no globe uses it.
kept_tiles *kept_tiles_open(build_work *work, lf_globe_provider *provider);
void kept_tiles_close(kept_tiles *kept);

/// Close its files, and remove it where `done`, or where nothing in it could be continued.
void build_work_close(build_work *work, bool done);

#endif
