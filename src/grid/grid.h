/// A grid from the inside: posts, holes, the pyramid of bounds.
///
/// Everything below speaks of columns and rows ("grid coordinates"): post (i, j) stands at x = i, y = j. Coordinates of
/// the world are turned into these once per question, by lf__grid_place; from there on all is exact.
///
/// Squares. What the pyramid bounds are squares of side 1. For triangles and bilinear patches a square is a cell: square
/// (i, j) lies between the posts i, i + 1 and j, j + 1. For the surface `posts` it is what a post owns: square (i, j)
/// reaches from i - 1/2 to i + 1/2. Squares are numbered from `first`, which is 0, or -1 where the grid is extended: then
/// there is a ring of posts around the caller's, with the numbers -1 and `columns`, so that `values` may be read there
/// too. Square i of an axis covers [i + shift, i + shift + 1], shift being 0 or -1/2. The surface ends where `low` and `high`
/// say, which for an extended grid is half a square inside of the outermost squares.
///
/// Pyramid. Level l has blocks of 2^l x 2^l squares; block (bx, by) begins at square (first + bx * 2^l, first + by * 2^l), so it covers
/// [first + shift + bx * 2^l, first + shift + (bx + 1) * 2^l]. Levels 0 .. level_count - 1; the last one is one block. `top` of a level
/// is an upper bound of the surface in the closed block, `bottom` a lower one; either is NULL on levels that are not
/// kept: tops begin at `first_top` (log2 of the leaf, 1 by default), bottoms at `first_bottom`. Every kept level has one more block all
/// around it, which bounds nothing, so that [-1] and [columns] may be read. Blocks that reach beyond the last
/// square are bounded by the squares that exist.
///
/// Codes. A bound is base + code * quantum, evaluated in doubles like this; that is conservative as it stands: the builder
/// has compared the very same expression. In `top` 0 means that there is no surface in the block (-infinity) and 65535 that it
/// may be at any height (+infinity, after edits that leave the range); in `bottom` 65535 and 0 mean the same.
/// Codes keep the order of heights: the code of a larger block is the greatest (least) of its parts'.
/// Only the posts of pieces that exist count. A finest top of cells of which one has a gap bounds the cells around them too: a
/// place next to the border of the block that rounding takes for one in it may be on these. A wall of `posts` is bounded by the square of its higher post.
///
/// Voids. A piece exists where all of its corners have heights: a triangle its three, a patch its four, a level square its one. `gaps` has the
/// squares of which a piece is missing. A cell of triangles that has a gap is either empty or has one triangle left, and then exactly one of
/// its corners is a void: that of the other triangle's right angle. Such a cell is decided piece by piece, never by its four corners. In the ring
/// voids come in pairs, so that its cells are whole or empty. lf__grid_parts is the one place that knows this.
#ifndef LF_GRID_GRID_H
#define LF_GRID_GRID_H

#include "ground/ground.h"
#include "query/query.h"
#include <landfall/grid.h>

/// Heights beyond this are refused, as is ground elsewhere.
#define LF__GRID_LIMIT 1e30

/// Sides are counted by 64 bits, but no memory holds more than this: 2^40 posts along one side.
#define LF__GRID_LEVELS 42

/// Bottoms are kept from blocks of 8 x 8 squares on, or from the leaves, whichever is larger.
#define LF__GRID_BOTTOM 3

/// Parts of a square without a gap.
#define LF__GRID_WHOLE 3u

#define LF__GRID_TOP_NOTHING 0
#define LF__GRID_TOP_ANY 65535
#define LF__GRID_BOTTOM_NOTHING 65535
#define LF__GRID_BOTTOM_ANY 0

/// One level of the pyramid; block (bx, by) at [by * stride + bx], -1 <= bx <= columns, -1 <= by <= rows.
typedef struct lf__grid_level {
    uint16_t *top;    ///< of block (0, 0); NULL where not kept
    uint16_t *bottom; ///< likewise
    int64_t columns, rows;
    int64_t stride;
} lf__grid_level;

/// Heights from low to high; low > high where there are none.
typedef struct lf__grid_range {
    double low, high;
} lf__grid_range;

static inline lf__grid_range lf__grid_range_empty(void) {
    lf__grid_range empty = {LF_INFINITY, -LF_INFINITY};
    return empty;
}

static inline void lf__grid_range_add(lf__grid_range *r, double height) {
    r->low = height < r->low ? height : r->low;
    r->high = height > r->high ? height : r->high;
}

static inline void lf__grid_range_join(lf__grid_range *r, const lf__grid_range *more) {
    r->low = more->low < r->low ? more->low : r->low;
    r->high = more->high > r->high ? more->high : r->high;
}

/// Exact extremes are kept of blocks of 2^6 x 2^6 posts, and of blocks of these.
#define LF__GRID_EXTREME 6

typedef struct lf__grid_kernels lf__grid_kernels;
typedef struct lf__packed lf__packed;
typedef struct lf__decoded lf__decoded;
typedef struct lf__guard lf__guard;

/// A tilted upper bound of a block, counted from the middle of the block, in squares.
typedef struct lf__grid_plane {
    float rise_x, rise_y;
    double top; ///< in the middle
} lf__grid_plane;

/// Planes are kept of blocks of this level.
#define LF__GRID_PLANE 6

struct lf_grid {
    lf_ground ground;
    lf_allocator allocator;

    // Posts
    int64_t columns, rows; ///< of the caller's posts
    lf_sample_type type;
    const char *values; ///< of post (0, 0); the height is at values + j * row_step + i * column_step
    ptrdiff_t column_step, row_step;
    double scale, offset;
    bool plain; ///< scale 1 and offset 0: samples are heights
    bool own;   ///< copied: packed, floats and doubles NaN at holes, and 64 bytes beyond the last may be read
    lf__packed *packed;   ///< compressed samples in place of values; or NULL
    lf__decoded *decoded; ///< of a view: where tiles of these are decoded to
    bool within_tiles;    ///< of a view: bounds of levels 1 .. 3 come from the tiles
    uint64_t stamp;       ///< another one after every edit

    // Holes, or NULL where there are none. Bit (i - first) & 63 of word (j - first) * hole_words + (i -
    // first) / 64.
    uint64_t *holes; ///< a bit per post, the ring's too: 1 where it is a hole
    uint64_t
        *gaps; ///< a bit per square: 1 where a corner has no height. For `posts` the same array as `holes`
    int64_t hole_words;
    int64_t hole_count; ///< of the caller's posts

    // Squares
    lf_surface surface;
    bool extend;
    int64_t first;                       ///< 0 or -1
    double shift;                        ///< 0 or -1/2
    int64_t square_columns, square_rows; ///< from `first` on, the ring included
    int64_t cell_columns,
        cell_rows;     ///< for elements: element = row * cell_columns + column, clamped to these
    lf_vec2 low, high; ///< where the surface ends

    // Pyramid
    int leaf; ///< 2^first_top
    int first_top, first_bottom, level_count;
    uint16_t *bounds; ///< all levels in one block of memory
    int64_t bound_count;
    double base, quantum;

    // Exact extremes of blocks of posts, level by level, for edits: block (bx, by) of level l at
    // extreme_start[l] + by * (blocks in a row) + bx. The last one is the whole grid's.
    lf__grid_range *extremes;
    int64_t extreme_count;
    int extreme_levels;

    // For kernels
    const lf__grid_kernels *kernels; ///< NULL: the plain way
    int line_level;         ///< finest level that searches along lines look at; 0: no kernel for these
    int64_t mirror;         ///< a power of two, no less than the squares of either axis and 64
    double steepest;        ///< between neighbouring posts that are no holes, or more
    double post_error;      ///< of heights as floats
    lf__grid_plane *planes; ///< block (bx, by) at [by * columns of its level + bx]; NULL: none
    int64_t plane_count;

    // Place
    lf_geotransform geotransform;
    double a, b, c,
        d;       ///< the inverse of the geotransform: column = a * x + b * y, row = c * x + d * y, from the origin
    double turn; ///< x and x + turn are the same place; 0: x does not go round
    double seam; ///< x of the last column of a grid that wraps
    double middle, half_width; ///< x of the grid's middle, and how far from it x is taken as it is
    double copies; ///< columns from one copy of the grid to the next, where there is a turn; else 0
    int64_t round; ///< the same where the grid wraps: post (round, j) stands where post (0, j) does; else 0
    bool repeated; ///< the last column is the first again, and none of the caller's
    double resolution;
    double lowest, highest; ///< heights; lowest > highest when there are only holes
    lf_box box;
    lf_frame frame;

    lf__guard *guard; ///< of a file: what has been checked of it; or NULL
    bool mapped;      ///< bounds, holes, gaps and planes are somebody else's, as those of a file
    void *memory;     ///< of own samples
    size_t memory_bytes;

    // At the end, so that views need not copy what there is not.
    lf__grid_level levels[LF__GRID_LEVELS];
    int64_t extreme_start[LF__GRID_LEVELS];
};

// ---------------------------------------------------------------------------------------------------
// Place
// ---------------------------------------------------------------------------------------------------

/// A direction of the world, or a place seen from the origin, in columns and rows. The formula that the header promises.
static inline lf_vec2 lf__grid_turn(const lf_grid *grid, double x, double y) {
    lf_vec2 turned = {grid->b == 0 ? grid->a * x : grid->a * x + grid->b * y,
                      grid->c == 0 ? grid->d * y : grid->c * x + grid->d * y};
    return turned;
}

static inline lf_vec2 lf__grid_place(const lf_grid *grid, double x, double y) {
    return lf__grid_turn(grid, x - grid->geotransform.origin.x, y - grid->geotransform.origin.y);
}

/// Do columns reach no farther than a turn? Copies of the grid must not lie over each other.
static inline bool lf__grid_turn_fits(double turn, int64_t columns, const lf_geotransform *geotransform) {
    return turn == 0 || (double)(columns - 1) * fabs(geotransform->per_column.x) <= turn * (1 + 1e-9);
}

/// The same place near the grid's middle. What is within half a turn of it stays as it is; of the two ends of a grid that wraps, which are one
/// place, the first column is taken.
static inline double lf__grid_turned(const lf_grid *grid, double x) {
    if (grid->turn == 0)
        return x;
    double turns = fabs(x - grid->middle) <= grid->half_width ? 0 : rint((grid->middle - x) / grid->turn);
    x = turns != 0 && isfinite(turns) ? x + turns * grid->turn : x;
    return grid->round && fabs(x - grid->seam) <= 1e-12 * (fabs(grid->seam) + grid->turn)
               ? x + (grid->geotransform.origin.x - grid->seam)
               : x;
}

/// Where a place is on the grid itself, not on one of its copies: for questions about one place.
static inline lf_vec2 lf__grid_place_round(const lf_grid *grid, double x, double y) {
    lf_vec2 place = lf__grid_place(grid, lf__grid_turned(grid, x), y);
    if (grid->round) { // only rounding takes it beyond
        place.x = place.x < 0 && place.x > -0.5 ? 0 : place.x;
        double last = (double)grid->round;
        place.x = place.x >= last && place.x < last + 0.5 ? 0 : place.x; // the same column
    }
    return place;
}

/// Copies of a grid with a turn that lie under some columns: copy k is k * grid->copies columns away from the grid itself.
typedef struct lf__grid_copies {
    int64_t first, last; ///< first > last: none
} lf__grid_copies;

/// No line is followed over more copies than this.
#define LF__GRID_COPIES 64

/// The copies under columns from low to high, or the first so many of them, seen in the direction of travel. Without a turn: the grid itself.
static inline lf__grid_copies lf__grid_copies_of(const lf_grid *grid, double low, double high,
                                                 bool backward) {
    if (grid->copies == 0)
        return (lf__grid_copies){0, 0};
    const double most = 1e15, pad = 1e-9 * (grid->copies + fabs(low) + fabs(high));
    double first = ceil((low - pad - grid->high.x) / grid->copies),
           last = floor((high + pad - grid->low.x) / grid->copies);
    first = first > -most ? first : -most;
    last = last < most ? last : most;
    if (!(first <= last) || first > most || last < -most)
        return (lf__grid_copies){1, 0};
    if (last - first >= LF__GRID_COPIES) {
        last = backward ? last : first + LF__GRID_COPIES - 1;
        first = backward ? last - (LF__GRID_COPIES - 1) : first;
    }
    return (lf__grid_copies){(int64_t)first, (int64_t)last};
}

// ---------------------------------------------------------------------------------------------------
// Posts
// ---------------------------------------------------------------------------------------------------

/// Bytes of one sample.
size_t lf__sample_size(lf_sample_type type);

/// A sample as it lies there.
static inline double lf__sample_read(lf_sample_type type, const char *at) {
    return type == LF_SAMPLE_FLOAT    ? (double)*(const float *)(const void *)at
           : type == LF_SAMPLE_INT16  ? (double)*(const int16_t *)(const void *)at
           : type == LF_SAMPLE_DOUBLE ? *(const double *)(const void *)at
                                      : (double)*(const uint16_t *)(const void *)at;
}

/// The same of a compressed grid; and an upper bound of block (bx, by) of a level that has none, from the tiles themselves: level 1 .. 3
/// of max-plus.
double lf__packed_height(const lf_grid *grid, int64_t i, int64_t j);
double lf__packed_top(const lf_grid *view, int level, int64_t bx, int64_t by);

/// Heights of the corners of a cell of a compressed grid.
typedef struct lf__grid_corners lf__grid_corners;
lf__grid_corners lf__packed_corners(const lf_grid *grid, int64_t i, int64_t j);

/// The height of a post that exists and is no hole.
static inline double lf__grid_height(const lf_grid *grid, int64_t i, int64_t j) {
    if (grid->packed)
        return lf__packed_height(grid, i, j);
    double sample = lf__sample_read(grid->type, grid->values + j * grid->row_step + i * grid->column_step);
    return grid->plain ? sample : sample * grid->scale + grid->offset;
}

/// The post that a post of the ring is as high as: the nearest one, or across the seam the one at the same place.
static inline int64_t lf__grid_ring_column(const lf_grid *grid, int64_t i) {
    if (i >= 0 && i < grid->columns)
        return i;
    return grid->round ? (i < 0 ? i + grid->round : i - grid->round) : i < 0 ? 0 : grid->columns - 1;
}

static inline int64_t lf__grid_ring_row(const lf_grid *grid, int64_t j) {
    return j < 0 ? 0 : j < grid->rows ? j : grid->rows - 1;
}

static inline bool lf__grid_bit(const lf_grid *grid, const uint64_t *bits, int64_t i, int64_t j) {
    int64_t x = i - grid->first, y = j - grid->first;
    return (bits[y * grid->hole_words + (x >> 6)] >> (x & 63) & 1) != 0;
}

/// Is an existing post a hole?
static inline bool lf__grid_hole(const lf_grid *grid, int64_t i, int64_t j) {
    return grid->holes && lf__grid_bit(grid, grid->holes, i, j);
}

/// Has an existing square a gap: is a part of it void, or all of it?
static inline bool lf__grid_gap(const lf_grid *grid, int64_t i, int64_t j) {
    return grid->gaps && lf__grid_bit(grid, grid->gaps, i, j);
}

/// Has any square of a rectangle, both corners included, a gap? Squares that do not exist have none.
static inline bool lf__grid_gaps_in(const lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    int64_t first[2], last[2], most[2] = {grid->square_columns - 1, grid->square_rows - 1};
    for (int k = 0; k < 2; k++) {
        first[k] = low[k] - grid->first < 0 ? 0 : low[k] - grid->first;
        last[k] = high[k] - grid->first > most[k] ? most[k] : high[k] - grid->first;
    }
    for (int64_t y = first[1]; grid->gaps && first[0] <= last[0] && y <= last[1]; y++) {
        const uint64_t *row = grid->gaps + y * grid->hole_words;
        for (int64_t x = first[0] >> 6; x <= last[0] >> 6; x++) {
            uint64_t bits = row[x];
            if (x == first[0] >> 6)
                bits &= UINT64_MAX << (first[0] & 63);
            if (x == last[0] >> 6)
                bits &= UINT64_MAX >> (63 - (last[0] & 63));
            if (bits)
                return true;
        }
    }
    return false;
}

/// Does a cell fall from its upper left to its lower right? For surfaces of triangles.
static inline bool lf__grid_falls(const lf_grid *grid, int64_t i, int64_t j) {
    return grid->surface == LF_SURFACE_FALLING ||
           (grid->surface == LF_SURFACE_ALTERNATING && ((i + j) & 1) == 0);
}

/// Which pieces of an existing square exist: bit k is triangle k; a patch or a level square has both bits or none.
static inline unsigned lf__grid_parts(const lf_grid *grid, int64_t i, int64_t j) {
    if (!lf__grid_gap(grid, i, j))
        return LF__GRID_WHOLE;
    if (grid->surface == LF_SURFACE_POINT || grid->surface == LF_SURFACE_BILINEAR)
        return 0;
    int64_t low = i + lf__grid_falls(grid, i, j),
            high = 2 * i + 1 - low; // ends of the diagonal: both triangles have them
    if (lf__grid_hole(grid, low, j) || lf__grid_hole(grid, high, j + 1))
        return 0;
    return (lf__grid_hole(grid, high, j) ? 0u : 1u) | (lf__grid_hole(grid, low, j + 1) ? 0u : 2u);
}

/// The range of the pieces of a square with a gap; empty where it has none.
lf__grid_range lf__grid_gap_range(const lf_grid *grid, int64_t i, int64_t j);

/// Is no piece of the surface at an existing post: a void, or a height with voids around it? The same as that lf__grid_at has no answer there.
bool lf__grid_bare_between(const lf_grid *grid, int64_t i, int64_t j);

static inline bool lf__grid_bare(const lf_grid *grid, int64_t i, int64_t j) {
    if (!grid->holes)
        return false;
    int64_t last_i = grid->first + grid->square_columns - 1, last_j = grid->first + grid->square_rows - 1;
    if (!lf__grid_gap(grid, i < last_i ? i : last_i, j < last_j ? j : last_j))
        return false; // most have a square without a gap beside them
    return lf__grid_hole(grid, i, j) || lf__grid_bare_between(grid, i, j);
}

/// Is a square one of the caller's, and not of the ring?
static inline bool lf__grid_is_real(const lf_grid *grid, int64_t i, int64_t j) {
    return i >= 0 && j >= 0 && i < grid->cell_columns && j < grid->cell_rows;
}

/// Columns of the caller's posts.
static inline int64_t lf__grid_columns(const lf_grid *grid) {
    return grid->columns - grid->repeated;
}

/// How many numbers a row of squares has: a repeated column of posts has those of the first.
static inline int64_t lf__grid_element_columns(const lf_grid *grid) {
    return grid->repeated && grid->surface == LF_SURFACE_POINT ? grid->round : grid->cell_columns;
}

/// Does a piece lie on a copy as well, under the number that it has there? Then that one is told of: of squares that own
/// half of what is beyond the seam only the wall towards the grid is its own.
static inline bool lf__grid_doubled(const lf_grid *grid, int64_t i, int triangle) {
    return grid->round &&
           (i < 0 || (i >= grid->round && !(grid->surface == LF_SURFACE_POINT && triangle == 1)));
}

/// The number by which the caller knows a square.
static inline int64_t lf__grid_element(const lf_grid *grid, int64_t i, int64_t j) {
    int64_t columns = lf__grid_element_columns(grid);
    int64_t column = i < 0 ? 0 : i < grid->cell_columns ? i : grid->cell_columns - 1;
    int64_t row = j < 0 ? 0 : j < grid->cell_rows ? j : grid->cell_rows - 1;
    bool again = grid->round && grid->surface == LF_SURFACE_POINT && column == grid->round;
    return row * columns + (again ? 0 : column);
}

/// Corners of a cell by their usual names.
struct lf__grid_corners {
    double h00, h10, h01, h11; ///< h10: one column on
};

static inline lf__grid_corners lf__grid_corners_of(const lf_grid *grid, int64_t i, int64_t j) {
    if (grid->type == LF_SAMPLE_FLOAT && grid->plain) { // by far the most frequent
        const char *low = grid->values + j * grid->row_step + i * grid->column_step,
                   *high = low + grid->row_step;
        const float *p = (const void *)low, *q = (const void *)(low + grid->column_step),
                    *r = (const void *)high, *s = (const void *)(high + grid->column_step);
        return (lf__grid_corners){(double)*p, (double)*q, (double)*r, (double)*s};
    }
    if (grid->packed)
        return lf__packed_corners(grid, i, j);
    return (lf__grid_corners){lf__grid_height(grid, i, j), lf__grid_height(grid, i + 1, j),
                              lf__grid_height(grid, i, j + 1), lf__grid_height(grid, i + 1, j + 1)};
}

// ---------------------------------------------------------------------------------------------------
// Bounds
// ---------------------------------------------------------------------------------------------------

static inline double lf__grid_bound(const lf_grid *grid, uint16_t code) {
    return grid->base + (double)code * grid->quantum;
}

static inline double lf__grid_top(const lf_grid *grid, uint16_t code) {
    return code == LF__GRID_TOP_NOTHING ? -LF_INFINITY
           : code == LF__GRID_TOP_ANY   ? LF_INFINITY
                                        : lf__grid_bound(grid, code);
}

static inline double lf__grid_bottom(const lf_grid *grid, uint16_t code) {
    return code == LF__GRID_BOTTOM_NOTHING ? LF_INFINITY
           : code == LF__GRID_BOTTOM_ANY   ? -LF_INFINITY
                                           : lf__grid_bound(grid, code);
}

/// The codes of a height, rounded outwards.
uint16_t lf__grid_top_code(const lf_grid *grid, double height);
uint16_t lf__grid_bottom_code(const lf_grid *grid, double height);

// ---------------------------------------------------------------------------------------------------
// Building
// ---------------------------------------------------------------------------------------------------

/// Check samples and fill in their steps; at least `least` each way.
lf_status lf__samples_check(lf_samples *samples, int64_t least, lf_error *error);

/// The height of a checked sample; NAN for a hole.
double lf__samples_height(const lf_samples *samples, int64_t i, int64_t j);

/// Take the caller's samples: check every height, copy them unless borrowed, note holes.
lf_status lf__grid_take_samples(lf_grid *grid, const lf_grid_def *def, lf_error *error);

/// Take memory for bits of holes and gaps, all of them 0. On failure there are none, as before.
lf_status lf__grid_take_holes(lf_grid *grid);

/// Mark which squares from low to high, both included, have a gap.
void lf__grid_mark_gaps(lf_grid *grid, const int64_t low[2], const int64_t high[2]);

/// The grid's box, from its extremes.
void lf__grid_make_box(lf_grid *grid);

/// How many levels there are and where they lie in `bounds`, which is not taken yet; false when sizes are beyond what can
/// be held.
bool lf__grid_lay_out(lf_grid *grid);

/// Let the levels point into `bounds`.
void lf__grid_place_levels(lf_grid *grid);

/// The inverse of the geotransform, and which squares there are; false for a geotransform that has none.
bool lf__grid_start(lf_grid *grid);

/// Is this a number of cells that a leaf can have?
static inline bool lf__leaf_valid(int leaf) {
    return leaf >= 1 && leaf <= 64 && (leaf & (leaf - 1)) == 0;
}

/// Choose the quantum, take memory and compute all bounds from the posts. Errors: LF_NO_MEMORY, LF_CANCELLED.
lf_status lf__grid_fill(lf_grid *grid, const lf_host *host);

/// Compute the bounds of the squares from first to last, both included, anew, on every level. Whatever else is kept of squares is
/// to be renewed here too: edits call nothing else. Returns how many blocks that were, and adds to the posts that were read.
int64_t lf__grid_refill(lf_grid *grid, const int64_t first[2], const int64_t last[2], int64_t *posts);

// ---------------------------------------------------------------------------------------------------
// Exact extremes
// ---------------------------------------------------------------------------------------------------

/// How many blocks of the lowest level there are along so many posts.
int64_t lf__grid_extreme_blocks(int64_t posts);

/// Lay out the levels and take memory; the lowest level is then filled by whoever reads the posts.
lf_status lf__grid_take_extremes(lf_grid *grid);

/// Compute the higher levels over a rectangle of posts, and the grid's lowest and highest.
void lf__grid_join_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2], int64_t *nodes);

/// Before a rectangle of posts changes, and after it has changed.
void lf__grid_forget_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2], int64_t *posts);
void lf__grid_renew_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2],
                             lf_grid_edit_cost *cost);

/// Make the grid a ground: of a file, compressed or plain, as it is now.
void lf__grid_init_ground(lf_grid *grid);

#endif
