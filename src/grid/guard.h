/// Grids of files: no byte that was damaged is part of an answer.
///
/// A grid is checked by blocks of posts, 2^LF__GUARD_LOG2 each way. The sum of a block covers whatever a grid keeps for it: samples or
/// tiles, bounds of the levels below, holes, planes. What belongs to larger parts is one more sum, the rest, which is compared on opening. A
/// block is checked when a question first comes near it, and marked. Each question that is not within a box of marked blocks makes that box grow by a
/// block, if only by checking one more, so that questions about a region soon cost no more than a comparison. Questions say where they go before they read ("touch"): a point, a line, a
/// box. Everything within two posts of that is checked too, so that blocks need not overlap.
///
/// What is found damaged is remembered for the whole grid: from then on every question is LF_BAD_FORMAT, so nobody has to carry a status
/// out of the depth of a search. Marks are atomic bytes that only ever go from 0 to 1; any number of threads may check the same block at once.
#ifndef LF_GRID_GUARD_H
#define LF_GRID_GUARD_H

#include "grid/grid.h"
#include "grid/stored.h"
#include <stdatomic.h>

/// Blocks of 128 x 128 posts.
#define LF__GUARD_LOG2 7

/// Of all arrays: samples or index, two per level below the blocks', holes, gaps, planes.
#define LF__GUARD_ARRAYS (2 * LF__GUARD_LOG2 + 4)

/// Rows of items, of which each belongs to a block.
typedef struct lf__guard_array {
    const uint8_t *data;
    size_t item, stride;   ///< bytes
    int64_t columns, rows; ///< of items, those beyond the border too
    int64_t before[2];     ///< how many of these come first: they belong to the first block
    int shift[2];          ///< log2 of the items per block
} lf__guard_array;

typedef struct lf__guard {
    int64_t columns, rows; ///< of blocks
    const uint64_t *sums;  ///< the rest's, then block by block; nothing where all was checked on opening
    lf__guard_array arrays[LF__GUARD_ARRAYS];
    int array_count;
    _Atomic uint8_t *marks; ///< per block: 1 when it was checked
    _Atomic int64_t left;   ///< blocks that are not marked; 0 or less: nothing is to be checked any more
    _Atomic uint64_t
        known; ///< a box of marked blocks, 16 bits each: first and last column, first and last row; 0: none yet
    _Atomic bool damaged;
} lf__guard;

/// How many blocks, and bytes of sums, a grid of so many posts has.
int64_t lf__guard_blocks(int64_t columns, int64_t rows);
size_t lf__guard_bytes(int64_t columns, int64_t rows);

/// The sums of a grid in memory, as it will be stored: packed tiles in order, no planes where none are written. `row` has room for
/// a row of samples (lf__grid_store_rows). false: the host has cancelled.
bool lf__guard_sum(const lf_grid *grid, void *row, uint64_t *sums, const lf_host *host);

/// Guard a stored grid by its sums; the rest is compared at once. Errors: LF_BAD_FORMAT, LF_NO_MEMORY.
lf_status lf__guard_start(lf_grid *grid, const lf__grid_stored *stored);
void lf__guard_free(const lf_allocator *allocator, lf__guard *guard);

// ---------------------------------------------------------------------------------------------------
// Before reading
// ---------------------------------------------------------------------------------------------------

/// Is there anything left to check?
static inline bool lf__guard_open(const lf_grid *grid) {
    return grid->guard && atomic_load_explicit(&grid->guard->left, memory_order_relaxed) > 0;
}

/// Posts around what is asked for that count too: squares have posts of the next block, and levels of an extended grid begin one earlier.
#define LF__GUARD_AROUND 2

/// Is a box of posts within the blocks that are known? NaN is not.
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

/// Check what is near a box of posts, from low to high; anything beyond the grid is clipped. NaN is everything.
void lf__guard_box(const lf_grid *grid, lf_vec2 low, lf_vec2 high);
/// Likewise near a line from a to b, in columns and rows; what is not finite makes it all.
void lf__guard_line(const lf_grid *grid, lf_vec2 a, lf_vec2 b);
void lf__guard_ray(const lf_grid *grid, const lf_ray *ray);

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

/// Of a ray whatever is within the heights of the grid.
static inline void lf__grid_touch_ray(const lf_grid *grid, const lf_ray *ray) {
    if (lf__guard_open(grid))
        lf__guard_ray(grid, ray);
}

// ---------------------------------------------------------------------------------------------------
// After reading
// ---------------------------------------------------------------------------------------------------

/// For what goes over a whole box: check it first. Errors: LF_BAD_FORMAT.
lf_status lf__grid_secure(const lf_grid *grid, lf_vec2 low, lf_vec2 high, lf_error *error);

/// A status, or LF_BAD_FORMAT where damage was found.
static inline lf_status lf__grid_told(const lf_grid *grid, lf_status status) {
    bool damaged = grid->guard && atomic_load_explicit(&grid->guard->damaged, memory_order_relaxed);
    return status >= 0 && damaged ? LF_BAD_FORMAT : status;
}

#endif
