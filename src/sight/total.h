/// Total viewshed: what its kernel and the rest share.
#ifndef LF_SIGHT_TOTAL_H
#define LF_SIGHT_TOTAL_H

#include "sight/horizon.h"
#include "sight/sight.h"

// ---------------------------------------------------------------------------------------------------
// The kernel
// ---------------------------------------------------------------------------------------------------

/// Observers of a block: so many samples of a row, one beside the other, in so many rows. On degrees a block has one row.
#define LF__TOTAL_LANES 16
#define LF__TOTAL_ROWS 4

/// Places of an azimuth between two tests whether any of them can be seen, and how many of these chunks are tested together.
#define LF__TOTAL_CHUNK 8
#define LF__TOTAL_GROUP 8

/// Bounds of heights begin at every so many samples.
#define LF__TOTAL_CELL_COLUMNS 8
#define LF__TOTAL_CELL_ROWS 4

/// What a lane touches in a chunk is within so many cells below each other, and twice so many columns.
#define LF__TOTAL_TOP_CELLS 3
#define LF__TOTAL_TOP_COLUMNS 5

/// Where an azimuth crosses a line between two samples, as seen from any observer of a row. At a place, where it crosses a column, or a
/// row, whichever it crosses more often, the ground may be seen. Elsewhere it only hides: before the place that follows, of whose samples one is the second
/// sample there.
typedef struct lf__total_step {
    int64_t a;     ///< the first sample, as an offset from the observer's
    int32_t to_b;  ///< from it to the second
    float f;       ///< share of the second
    float inverse; ///< 1 / metres
    float drop;    ///< by which the earth's curvature lowers its slope
    float area;    ///< square metres that a place stands for; 0: it only hides
    float moment;  ///< these times the distance
} lf__total_step;

/// Consecutive places; or consecutive chunks of them.
typedef struct lf__total_chunk {
    int64_t first, end;  ///< steps, or chunks
    int64_t column, row; ///< of the first sample that its steps touch, from the observer's
    int64_t top, more; ///< a chunk's first top, as an offset from the block's; columns from it to the second
    float near, far;   ///< 1 / metres of the place before it and of its last one
    float drop;        ///< the least of these
    float number;      ///< of the place before it
} lf__total_chunk;

/// Samples with margins of voids, and bounds of their heights.
typedef struct lf__total_plane {
    float *samples;
    int64_t wide, high;
    float
        *tops; ///< from each column and row of cells: all that a lane touches in a chunk is below one of two
    float *cells;          ///< the highest sample of each cell
    float *squares;        ///< of four by four cells
    float *common;         ///< bounds of groups
    int64_t columns, rows; ///< of cells
    int64_t lead;          ///< rows by which cells begin above the samples, so that blocks begin with cells
} lf__total_plane;

/// An azimuth, as seen from a block.
typedef struct lf__total_line {
    const lf__total_plane *plane;
    int64_t column, row; ///< of the first lane in the plane
    int64_t onward;      ///< offset from a row of the block to the next one that the azimuth meets
    const lf__total_step *steps;
    const lf__total_chunk *chunks, *groups;
    int64_t step_count, chunk_count, group_count; ///< inside the raster; the last chunk may have fewer steps
    float observer, target, above; ///< heights of observers and of targets; the latter if that is positive
} lf__total_line;

/// What a block sees along an azimuth.
typedef struct lf__total_sums {
    float area[LF__TOTAL_ROWS][LF__TOTAL_LANES];
    float moment[LF__TOTAL_ROWS][LF__TOTAL_LANES]; ///< area times metres
    float last[LF__TOTAL_ROWS][LF__TOTAL_LANES];   ///< number of the farthest visible place, from 1; 0: none
} lf__total_sums;

typedef void lf__total_kernel(const lf__total_line *line, lf__total_sums *sums);

/// rows  1 or LF__TOTAL_ROWS
/// full  with moments and last places
lf__total_kernel *lf__total_kernel_for(lf_isa isa, int rows, bool full);

/// Add what some observers beside each other see, and something more, to their sums.
typedef void lf__total_adder(const float *seen, double more, double *sums, int64_t count);

lf__total_adder *lf__total_adder_for(lf_isa isa);

// ---------------------------------------------------------------------------------------------------
// The job
// ---------------------------------------------------------------------------------------------------

#define LF__TOTAL_MOST_AZIMUTHS 3600

/// Samples around a plane that are always voids: lanes may be beyond the edge where others are not.
#define LF__TOTAL_MARGIN 32

/// A place this near to a sample, in samples, is on it: beside it there may be none.
#define LF__TOTAL_SNAP 1e-9

/// Sums of a sample over the azimuths.
enum { LF__TOTAL_AREA, LF__TOTAL_MOMENT, LF__TOTAL_INSIDE, LF__TOTAL_OPEN, LF__TOTAL_SUMS };

/// A direction over the samples.
typedef struct lf__total_way {
    bool swap;    ///< places are one row apart, not one column
    bool back;    ///< towards lower columns, or rows
    bool turned;  ///< by the plane with columns and rows exchanged, where places are one row apart
    double drift; ///< columns or rows to the side from place to place, signed
    double step;  ///< metres from place to place
} lf__total_way;

/// The steps of an azimuth, in the arrays of a worker.
typedef struct lf__total_list {
    lf__total_way way;
    int64_t count; ///< of places
    lf__total_step *steps;
    lf__total_chunk *chunks, *groups;
    int64_t *step_ends; ///< steps up to each place
    double *shares;     ///< area up to each place, as a share of the whole
} lf__total_list;

typedef struct lf__total_job {
    const lf_ground *ground;
    const lf_grid *grid;
    lf__views views;
    const lf_total_def *def;
    const lf_total_maps *maps;
    lf_window window, around;  ///< around: what the range reaches
    int64_t stride;            ///< of the maps, in elements
    bool alike;                ///< azimuths have the same direction in all rows: not on degrees
    bool full;                 ///< moments or last places are asked for
    lf__total_plane planes[2]; ///< of `around`; and with columns and rows exchanged, if azimuths are alike
    void *block;               ///< with all arrays
    int64_t block_size;
    float *sizes; ///< the greatest of each row of the first plane
    lf__total_kernel *kernel;
    lf__total_adder *add;
    int64_t most_places;                     ///< along any azimuth
    int64_t item_columns, item_rows, across; ///< what a worker computes at once; items beside each other
    // Lists of all azimuths, if azimuths are alike and these are not too many; otherwise one for each worker.
    bool kept;
    lf__total_list *lists;
    lf__total_step *steps;
    lf__total_chunk *chunks;
    int64_t *step_ends;
    double *shares;
    // Of each worker.
    float *reaches; ///< number of the last visible place, of each sample and azimuth
    double *sums;   ///< of each sample, one array for each kind and a spare one
} lf__total_job;

lf__total_way lf__total_way_of(const lf__total_job *job, int64_t row, int azimuth);

/// Places within the range.
int64_t lf__total_place_count(const lf__total_way *way, double range);

/// How many chunks, with groups of them, so many places take.
int64_t lf__total_chunk_count(int64_t places);

/// The area from the observer to the far side of place k: of a sector.
double lf__total_area_up_to(const lf__total_way *way, const lf_total_def *def, int64_t k);

/// Give each list its arrays, and fill those that are kept.
void lf__total_make_lists(lf__total_job *job);

/// Fill the arrays of a list for an azimuth, as seen from a row of the raster.
void lf__total_list_steps(const lf__total_job *job, int64_t row, int azimuth, lf__total_list *list);

/// Read the samples of `around` into the planes, and find their bounds.
void lf__total_fill_planes(lf__total_job *job);

/// A task: items first .. last - 1 of the window.
void lf__total_fill_items(void *job, int64_t first, int64_t last, int worker);

#endif
