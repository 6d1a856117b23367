/// Grids of files: their parts as numbers and blocks of memory, and the checksums that keep damaged bytes out
/// of answers.
#ifndef LF_GRID_GUARD_H
#define LF_GRID_GUARD_H

#include "base/paged.h"
#include "grid/grid.h"
#include <stdatomic.h>

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
    bool repeated; ///< the last column repeats the first
    int64_t hole_count;
    double lowest, highest;
    double base, quantum;
    double steepest; ///< below 0: unknown
    double max_error, largest_error, mean_square_error;
    lf__bytes samples; ///< raw with ring, row by row, then LF__GRID_SPARE bytes; only the size when writing
    lf__bytes tiles, index; ///< of compressed ones
    lf__bytes bounds;
    lf__bytes holes, gaps; ///< empty without voids
    lf__bytes planes;      ///< empty without planes
    lf__bytes sums;        ///< checksums of blocks; empty where everything has been checked
    lf__paged *paged;      ///< what reads these bytes; NULL: they are in memory
} lf__grid_stored;

/// The parts of a grid, whose memory is not copied.
void lf__grid_store(const lf_grid *grid, lf__grid_stored *stored);

/// Copy row `row` of the raw samples of a grid to `samples`, ring included and counted from 0; voids of
/// floats are NaN.
void lf__grid_store_row(const lf_grid *grid, int64_t row, void *samples);

/// The number of rows to store, and the bytes of each.
int64_t lf__grid_store_rows(const lf_grid *grid, size_t *bytes);

/// Create a grid from stored memory, which it borrows. All sizes are checked, but no contents are read:
/// damaged contents can cause wrong answers, but no invalid memory access. Errors: LF_BAD_FORMAT (names the
/// part that does not fit), LF_NO_MEMORY.
lf_status lf__grid_from_stored(const lf__grid_stored *stored, const lf_host *host, lf_grid **grid,
                               lf_error *error);

// ---------------------------------------------------------------------------------------------------
// Checking
// ---------------------------------------------------------------------------------------------------

// A grid is checked by blocks of 2^LF__GUARD_LOG2 x 2^LF__GUARD_LOG2 samples. The checksum of a block covers
// all data stored for it: samples or tiles, bounds of the lower levels, voids, planes. One more checksum
// covers the rest, and is compared when the file is opened. A block is checked when a query first comes near
// it, and then marked. A query outside of the known box of marked blocks extends that box, or checks one more
// block for it, so that queries of one region soon cost only a comparison. Queries declare where they will
// read ("touch"): a point, a line, a box. Everything within two samples of that is checked too, so that
// blocks need not overlap.
//
// Where the file is read in ranges, the blocks that a query declares are read before they are checked, those
// of a box at once.
//
// Damage is recorded for the whole grid: from then on every query returns LF_BAD_FORMAT, so searches need not
// propagate a status. Marks are atomic bytes that only change from 0 to 1; any number of threads may check
// the same block at once.

/// log2 of the side of a block, in samples.
#define LF__GUARD_LOG2 7

/// Number of arrays: samples or index, two per level below that of blocks, voids, gaps, planes.
#define LF__GUARD_ARRAYS (2 * LF__GUARD_LOG2 + 4)

/// An array of rows of items, each of which belongs to a block.
typedef struct lf__guard_array {
    const uint8_t *data;
    size_t item, stride;   ///< bytes
    int64_t columns, rows; ///< of items, borders included
    int64_t before[2];     ///< leading border items, which belong to the first block
    int shift[2];          ///< log2 of the items per block
} lf__guard_array;

typedef struct lf__guard {
    int64_t columns, rows; ///< of blocks
    const uint64_t *sums;  ///< that of the rest, then one per block
    lf__guard_array arrays[LF__GUARD_ARRAYS];
    int array_count;
    _Atomic uint8_t *marks; ///< per block: 1 when it was checked
    _Atomic int64_t left;   ///< blocks that are not marked; 0 or less: nothing remains to be checked
    /// A box of marked blocks, 16 bits each: first and last column, first and last row; 0: none yet.
    _Atomic uint64_t known;
    _Atomic int failure; ///< an lf_status: damage, or bytes that could not be read
    lf__paged *paged;    ///< reads the bytes of a block before they are checked; NULL: they are mapped
} lf__guard;

/// The number of blocks, and the bytes of checksums, of a grid with this many samples.
int64_t lf__guard_blocks(int64_t columns, int64_t rows);
size_t lf__guard_bytes(int64_t columns, int64_t rows);

/// Compute the checksums of a grid in memory as it will be stored. `row` has space for a row of samples
/// (lf__grid_store_rows).
/// Returns false where the host has cancelled.
bool lf__guard_sum(const lf_grid *grid, void *row, uint64_t *sums, const lf_host *host);

/// Guard a stored grid by its checksums; that of the rest is compared at once. Errors: LF_BAD_FORMAT,
/// LF_NO_MEMORY.
lf_status lf__guard_start(lf_grid *grid, const lf__grid_stored *stored, lf_error *error);
void lf__guard_free(const lf_allocator *allocator, lf__guard *guard);

// ---------------------------------------------------------------------------------------------------
// Before reading
// ---------------------------------------------------------------------------------------------------

/// Is there anything left to check?
static inline bool lf__guard_open(const lf_grid *grid) {
    return grid->guard && atomic_load_explicit(&grid->guard->left, memory_order_relaxed) > 0;
}

/// Margin in samples that is checked too: squares use samples of the next block, and levels of an extended
/// grid begin one earlier.
#define LF__GUARD_AROUND 2

/// Is a box of samples within the known blocks? False for NaN.
static inline bool lf__guard_knows(const lf_grid *grid, lf_vec2 low, lf_vec2 high) {
    const lf__guard *guard = grid->guard;
    uint64_t known = atomic_load_explicit(&guard->known, memory_order_relaxed);
    int64_t x0 = (int64_t)(known & 0xffff), x1 = (int64_t)(known >> 16 & 0xffff),
            y0 = (int64_t)(known >> 32 & 0xffff), y1 = (int64_t)(known >> 48);
    const double side = (double)(1 << LF__GUARD_LOG2), around = LF__GUARD_AROUND;
    return known != 0 && (x0 == 0 || low.x - around >= side * (double)x0) &&
           (y0 == 0 || low.y - around >= side * (double)y0) &&
           (x1 == guard->columns - 1 || high.x + around < side * (double)(x1 + 1)) &&
           (y1 == guard->rows - 1 || high.y + around < side * (double)(y1 + 1)) && low.x <= high.x &&
           low.y <= high.y;
}

/// Item `index` of an array whose items are `stride` bytes apart.
static inline const void *lf__guard_item(const void *first, size_t stride, int64_t index) {
    return (const char *)first + (size_t)index * stride;
}

/// Read the blocks near all points at once, in a file that is read in ranges.
void lf__guard_read_points(const lf_grid *grid, const lf_vec3 *points, size_t stride, int64_t count);

/// Check the blocks near a box of samples, clipped to the grid; NaN means the whole grid.
void lf__guard_box(const lf_grid *grid, lf_vec2 low, lf_vec2 high);
/// Check the blocks near a line from a to b, in columns and rows; the whole grid where an end is not finite.
void lf__guard_line(const lf_grid *grid, lf_vec2 a, lf_vec2 b);
void lf__guard_ray(const lf_grid *grid, const lf_ray *ray);

/// Check the blocks near many points or rays of the world; strides in bytes.
void lf__grid_touch_points(const lf_grid *grid, const lf_vec3 *points, size_t stride, int64_t count);
void lf__grid_touch_rays(const lf_grid *grid, const lf_ray *rays, size_t stride, int64_t count);

static inline void lf__grid_touch_box(const lf_grid *grid, lf_vec2 low, lf_vec2 high) {
    if (lf__guard_open(grid) && !lf__guard_knows(grid, low, high))
        lf__guard_box(grid, low, high);
}

static inline void lf__grid_touch_place(const lf_grid *grid, lf_vec2 place) {
    lf__grid_touch_box(grid, place, place);
}

static inline void lf__grid_touch_all(const lf_grid *grid) {
    lf__grid_touch_box(grid, (lf_vec2){-LF_INFINITY, -LF_INFINITY}, (lf_vec2){LF_INFINITY, LF_INFINITY});
}

/// A line between two places of the world.
static inline void lf__grid_touch_line(const lf_grid *grid, lf_vec3 a, lf_vec3 b) {
    if (!lf__guard_open(grid))
        return;
    lf_vec2 p = lf__grid_place(grid, a.x, a.y), q = lf__grid_place(grid, b.x, b.y);
    lf_vec2 low = {p.x < q.x ? p.x : q.x, p.y < q.y ? p.y : q.y};
    lf_vec2 high = {p.x < q.x ? q.x : p.x, p.y < q.y ? q.y : p.y};
    if (!lf__guard_knows(grid, low, high))
        lf__guard_line(grid, p, q);
}

/// The part of a ray that is within the heights of the grid.
static inline void lf__grid_touch_ray(const lf_grid *grid, const lf_ray *ray) {
    if (lf__guard_open(grid))
        lf__guard_ray(grid, ray);
}

// ---------------------------------------------------------------------------------------------------
// After reading
// ---------------------------------------------------------------------------------------------------

/// Check a whole box in advance. Errors: LF_BAD_FORMAT, and failures to read.
lf_status lf__grid_secure(const lf_grid *grid, lf_vec2 low, lf_vec2 high, lf_error *error);

/// A status, or LF_BAD_FORMAT where damage was found, or the failure to read a block.
static inline lf_status lf__grid_status(const lf_grid *grid, lf_status status) {
    int failure = grid->guard ? atomic_load_explicit(&grid->guard->failure, memory_order_relaxed) : LF_OK;
    return status >= 0 && failure != LF_OK ? (lf_status)failure : status;
}

#endif
