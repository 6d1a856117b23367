/// Results computed tile by tile: --memory and --tile, and all jobs of landfall-mpi.
///
/// A job says what it computes for a window of samples. Without tiles that is done once, for all samples. With tiles the raster is
/// read in parts, each with what is within range of it; every tile becomes a file in a folder beside the result, and these files
/// become the result at the end. The folder has a manifest, so that the same command continues where it was ended.
#ifndef CLI_TILES_H
#define CLI_TILES_H

#include "results.h"

#define TILE_COUNTS 8

/// What is summed over tiles, and numbers of single samples.
typedef struct tile_sums {
    int64_t counts[TILE_COUNTS];
    double *numbers; ///< in no particular order
    int64_t number_count, number_capacity;
} tile_sums;

void tile_sums_add(tile_sums *sums, double number);

typedef struct tile_job {
    cli *run;
    void *user;
    unsigned needs; ///< of the ground, as in ground_open
    double range;   ///< metres: what a sample depends on; INFINITY: everything
    /// Called when the ground is open, perhaps without samples, and again for each tile: rules, north. Sets window and result.
    bool (*start)(struct tile_job *job);
    void (*end)(struct tile_job *job); ///< frees what start made; or NULL
    /// Computes the samples of a window, band after band.
    bool (*compute)(struct tile_job *job, lf_window window, void *values, tile_sums *sums);
    /// Adds places that a tile needs besides its surroundings; or NULL.
    void (*reach)(struct tile_job *job, reach *reach);
    double (*cost)(struct tile_job *job, lf_window window); ///< relative; NULL: the number of samples
    size_t sample_bytes;  ///< memory for a sample of a tile, besides its result
    size_t around_bytes;  ///< memory for a sample of a tile or around it, besides that of the raster
    size_t fixed_bytes;   ///< memory besides, whatever the size of the tile
    size_t scratch;       ///< memory besides the result where there are no tiles, for the note
    lf_window window;     ///< samples of the result
    lf_result_def result; ///< type, bands, names, unit, nodata
    // Afterwards.
    tile_sums sums;
    void *values; ///< NULL with tiles
    struct tile_run *tiles;
} tile_job;

/// Compute everything, or what an earlier run has left. Prints what is wrong and returns false.
bool tiles_compute(tile_job *job);

/// Write the result where -o says, as result_write does. Returns the exit status. Other ranks than the first return CLI_YES and write nothing.
int tiles_write(tile_job *job, const facts *facts, const lf_figure_layer *look);

/// Do other processes compute the tiles, and is another one the first? Then this one prints no answer.
bool tiles_silent(void);

/// Bytes of a size such as 500M, 2G or 1.5GiB; false: it is not a size.
bool size_read(const char *text, double *bytes);

// ---- The manifest, in tile_manifest.c -----------------------------------------------------------

/// A tile of a job.
typedef struct tile {
    lf_window window;
    double cost;
    bool done;
    int64_t bytes; ///< of its file, when it was done
} tile;

typedef struct tile_run {
    char *folder; ///< PATH.tiles
    tile *tiles;
    int64_t count;
    int64_t *order;        ///< of those that were not done, the most expensive first
    int64_t left;          ///< how many these are
    int64_t columns, rows; ///< of a tile, at most
    double low, high;      ///< heights of the whole raster
    int lock;              ///< the manifest, or -1
    int log;               ///< of this process, or -1
    double began;          ///< when computing began, for LANDFALL_TIMES
    double manifest;       ///< seconds that went into the manifest since then
} tile_run;

/// The path of the file of a tile. Lives until the run ends.
char *tile_path(const tile_run *tiles, int64_t index);

/// Open the manifest of an earlier run, and take its tiling and its heights; or find that there is none. Refuses one of another job.
bool manifest_open(tile_job *job, tile_run *tiles, bool *found);

/// Check that all processes see the same job and the same inputs. Prints the difference and returns false.
bool manifest_compare(const tile_job *job);

/// Create it, when the tiling is known.
bool manifest_create(tile_job *job, tile_run *tiles);

/// Which tiles are done, and their sums.
bool manifest_read_done(tile_job *job, tile_run *tiles);

/// Note that a tile is done.
bool manifest_done(tile_job *job, tile_run *tiles, int64_t index, const tile_sums *sums);

/// Remove the folder, after the result has been written.
void manifest_remove(tile_run *tiles);

// ---- Several processes --------------------------------------------------------------------------

/// How the processes of a job work together; landfall-mpi has them. agree, share and least are called by all processes in the same order.
typedef struct crew {
    int rank, count;
    int threads;                               ///< of a process, unless --threads says otherwise
    bool (*agree)(bool fine);                  ///< true if it is true everywhere
    void (*share)(void *bytes, size_t size);   ///< from rank 0 to all
    void (*least)(double *numbers, int count); ///< each becomes the least one of all processes
    int64_t (*next)(
        int64_t count); ///< a number below count that no other process gets, in order; count: none is left
    void (*stop)(void); ///< nobody gets another one
} crew;

/// NULL: there is only this process.
extern const crew *run_crew;

#endif
