/// The data structure of a grid: samples, voids, the pyramid of bounds.
///
/// Internal code uses columns and rows ("grid coordinates"): sample (i, j) is at x = i, y = j. World
/// coordinates are converted once per query, by lf__grid_place; from there on decisions are exact.
///
/// Squares. The pyramid bounds squares of side 1. For triangles and bilinear patches a square is a cell:
/// square (i, j) lies between the samples i, i + 1 and j, j + 1. For LF_SURFACE_POINT it is the square around
/// a sample: square (i, j) covers i - 1/2 to i + 1/2. Squares are numbered from `first`, which is 0, or -1
/// where the grid is extended: then a ring of samples surrounds the caller's, with the numbers -1 and
/// `columns`, so that `values` may be read there too. Square i of an axis covers [i + shift, i + shift + 1],
/// where shift is 0 or -1/2. The surface ends at `low` and `high`; for an extended grid these are in the
/// middle of the outermost squares.
///
/// Pyramid. Level l has blocks of 2^l x 2^l squares; block (bx, by) begins at square (first + bx * 2^l, first
/// + by * 2^l), so it covers [first + shift + bx * 2^l, first + shift + (bx + 1) * 2^l]. There are levels 0
/// .. level_count - 1; the last one is one block. `top` of a level is an upper bound of the surface in the
/// closed block, `bottom` a lower bound; either is NULL on levels that are not stored: tops begin at
/// `first_top` (log2 of the leaf, 1 by default), bottoms at `first_bottom`. Every stored level has a border
/// of one block, which bounds nothing, so that [-1] and [columns] may be read. Blocks that reach beyond the
/// last square are bounded by the squares that exist.
///
/// Codes. A bound is base + code * quantum, evaluated in doubles in this form. It is conservative without
/// further margin, because the builder has compared the same expression. In `top` 0 means that there is no
/// surface in the block (-infinity) and 65535 that it may be at any height (+infinity, after edits that leave
/// the range); in `bottom` 65535 and 0 mean the same. Codes preserve the order of heights: the code of a
/// larger block is the greatest (least) of the codes of its parts. Only the samples of pieces that exist
/// count. A finest top of cells of which one has a gap also bounds the cells around them, because rounding
/// may put a point of those cells into the block. A wall of LF_SURFACE_POINT is bounded by the square of its
/// higher sample.
///
/// Voids. A piece exists where all of its corners have heights: a triangle its three, a patch its four, a
/// level square its one. `gaps` marks the squares of which a piece is missing. A cell of triangles that has a
/// gap is either empty or has one triangle left, and then exactly one of its corners is a void: that of the
/// right angle of the other triangle. Such a cell is decided piece by piece, never by its four corners. In
/// the ring voids come in pairs, so that its cells are whole or empty. Only lf__grid_parts implements these
/// rules.
#ifndef LF_GRID_GRID_H
#define LF_GRID_GRID_H

#include "ground/ground.h"
#include "query/query.h"
#include <landfall/grid.h>

/// Heights beyond this are rejected, as for other kinds of ground.
#define LF__GRID_LIMIT 1e30

/// Enough levels for 2^40 samples along one side, which is more than memory holds.
#define LF__GRID_LEVELS 42

/// Bottoms are stored from blocks of 8 x 8 squares on, or from the leaves, whichever is larger.
#define LF__GRID_BOTTOM 3

/// Bytes after the last sample of a copy, or of a file, that may be read.
#define LF__GRID_SPARE 64

/// lf__grid_parts of a square without a gap.
#define LF__GRID_WHOLE 3u

#define LF__GRID_TOP_NOTHING 0
#define LF__GRID_TOP_ANY 65535
#define LF__GRID_BOTTOM_NOTHING 65535
#define LF__GRID_BOTTOM_ANY 0

/// One level of the pyramid; block (bx, by) at [by * stride + bx], -1 <= bx <= columns, -1 <= by <= rows.
typedef struct lf__grid_level {
    uint16_t *top;    ///< of block (0, 0); NULL where not stored
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

/// log2 of the side of the smallest blocks of samples whose exact extremes are stored.
#define LF__GRID_EXTREME 6

typedef struct lf__grid_kernels lf__grid_kernels;
typedef struct lf__packed lf__packed;
typedef struct lf__decoded lf__decoded;
typedef struct lf__guard lf__guard;

/// A tilted upper bound of a block: a plane over squares counted from the middle of the block.
typedef struct lf__grid_plane {
    float rise_x, rise_y;
    double top; ///< in the middle
} lf__grid_plane;

/// Planes are stored for blocks of this level.
#define LF__GRID_PLANE 6

struct lf_grid {
    lf_ground ground;
    lf_allocator allocator;

    // Samples
    int64_t columns, rows; ///< of the caller's samples
    lf_sample_type type;
    const char *values; ///< of sample (0, 0); the height is at values + j * row_step + i * column_step
    ptrdiff_t column_step, row_step;
    double scale, offset;
    bool plain; ///< scale 1 and offset 0: samples are heights
    bool own;   ///< copied: contiguous, floats and doubles NaN at voids, LF__GRID_SPARE more bytes readable
    lf__packed *packed;   ///< compressed samples instead of values; or NULL
    lf__decoded *decoded; ///< views only: decoded tiles
    bool within_tiles;    ///< views only: bounds of levels 1 .. 3 come from the tiles
    uint64_t stamp;       ///< unique for every state of every grid

    // Voids; NULL without voids. Sample (i, j) is bit (i - first) & 63 of word (j - first) * void_words + (i
    // - first) / 64.
    uint64_t *voids; ///< a bit per sample, ring included: 1 for a void
    uint64_t *gaps;  ///< a bit per square: 1 where a corner is a void. LF_SURFACE_POINT: the array `voids`
    int64_t void_words;
    int64_t hole_count; ///< of the caller's samples

    // Squares
    lf_surface surface;
    bool extend;
    int64_t first;                       ///< 0 or -1
    double shift;                        ///< 0 or -1/2
    int64_t square_columns, square_rows; ///< from `first` on, the ring included
    int64_t cell_columns, cell_rows;     ///< element = row * cell_columns + column, clamped to these
    lf_vec2 low, high;                   ///< where the surface ends

    // Pyramid
    int leaf;     ///< 2^first_top
    bool derived; ///< bounds come from the coefficients of tiles; files do not hold them
    int first_top, first_bottom, level_count;
    uint16_t *bounds; ///< all levels in one block of memory
    int64_t bound_count;
    double base, quantum;

    // Exact extremes of blocks of samples, level by level, for edits: block (bx, by) of level l at
    // extreme_start[l] + by * (blocks in a row) + bx. The last one is the whole grid's.
    lf__grid_range *extremes;
    int64_t extreme_count;
    int extreme_levels;

    // For kernels
    const lf__grid_kernels *kernels; ///< NULL: the scalar path
    bool single;                     ///< rays one by one may use the kernel for triangles of floats
    int line_level;                  ///< finest level that kernels for lines of sight read; 0: no such kernel
    int64_t mirror;                  ///< a power of two, at least 64 and the number of squares of either axis
    double steepest;                 ///< upper bound of the height difference of neighbouring samples
    double sample_error;             ///< upper bound of the error of heights as floats
    lf__grid_plane *planes;          ///< block (bx, by) at [by * columns of its level + bx]; NULL: none
    int64_t plane_count;

    // Place
    lf_geotransform geotransform;
    double a, b, c,
        d;       ///< inverse of the geotransform from its origin: column = a * x + b * y, row = c * x + d * y
    double turn; ///< x and x + turn are the same place; 0: x is not periodic
    double seam; ///< x of the last column of a grid that wraps
    double middle, half_width; ///< x of the grid's middle, and the distance within which x is not moved
    double copies; ///< columns from one copy of the grid to the next, where there is a turn; else 0
    int64_t
        round; ///< the same where the grid wraps: sample (round, j) is at the place of sample (0, j); else 0
    bool repeated; ///< the last column repeats the first and is not the caller's
    double resolution;
    double lowest, highest; ///< heights; lowest > highest when there are only voids
    lf_box box;
    lf_frame frame;

    // Parts of which samples are read, all of it as one part for most grids; only while the grid is created.
    const lf_window *parts;
    int64_t part_count;
    bool partial; ///< voids, gaps, bounds and planes are sparse memory

    lf__guard *guard; ///< of a grid of a file: which blocks have been checked; or NULL
    bool mapped;      ///< bounds (unless derived), voids, gaps and planes are borrowed, as those of a file
    void *memory;     ///< of the copy of the samples
    size_t memory_bytes;

    // Last, so that views copy only the levels in use.
    lf__grid_level levels[LF__GRID_LEVELS];
    int64_t extreme_start[LF__GRID_LEVELS];
};

// ---------------------------------------------------------------------------------------------------
// Place
// ---------------------------------------------------------------------------------------------------

/// A direction of the world, or a place relative to the origin, in columns and rows, by the formula
/// documented at lf_grid_locate.
static inline lf_vec2 lf__grid_turn(const lf_grid *grid, double x, double y) {
    lf_vec2 turned = {grid->b == 0 ? grid->a * x : grid->a * x + grid->b * y,
                      grid->c == 0 ? grid->d * y : grid->c * x + grid->d * y};
    return turned;
}

static inline lf_vec2 lf__grid_place(const lf_grid *grid, double x, double y) {
    return lf__grid_turn(grid, x - grid->geotransform.origin.x, y - grid->geotransform.origin.y);
}

/// Do the columns fit into one turn? Copies of the grid must not overlap.
static inline bool lf__grid_turn_fits(double turn, int64_t columns, const lf_geotransform *geotransform) {
    return turn == 0 || (double)(columns - 1) * fabs(geotransform->per_column.x) <= turn * (1 + 1e-9);
}

/// x moved by whole turns to the grid's middle; within half a turn of it x is not changed. The two ends of a
/// grid that wraps are one place, for which this returns the first column.
static inline double lf__grid_turned(const lf_grid *grid, double x) {
    if (grid->turn == 0)
        return x;
    double turns = fabs(x - grid->middle) <= grid->half_width ? 0 : rint((grid->middle - x) / grid->turn);
    x = turns != 0 && isfinite(turns) ? x + turns * grid->turn : x;
    return grid->round && fabs(x - grid->seam) <= 1e-12 * (fabs(grid->seam) + grid->turn)
               ? x + (grid->geotransform.origin.x - grid->seam)
               : x;
}

/// A place on the grid itself, not on one of its copies: for queries about one place.
static inline lf_vec2 lf__grid_place_round(const lf_grid *grid, double x, double y) {
    lf_vec2 place = lf__grid_place(grid, lf__grid_turned(grid, x), y);
    if (grid->round) { // only rounding can put it outside
        place.x = place.x < 0 && place.x > -0.5 ? 0 : place.x;
        double last = (double)grid->round;
        place.x = place.x >= last && place.x < last + 0.5 ? 0 : place.x; // the same column
    }
    return place;
}

/// The copies of a grid with a turn that some columns cover: copy k is k * grid->copies columns away from the
/// grid itself.
typedef struct lf__grid_copies {
    int64_t first, last; ///< first > last: none
} lf__grid_copies;

/// Lines are followed over at most this many copies.
#define LF__GRID_COPIES 64

/// The copies that columns from low to high cover, or the first LF__GRID_COPIES of them in the direction of
/// travel. Without a turn: the grid itself.
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
// Samples
// ---------------------------------------------------------------------------------------------------

/// Bytes of one sample.
size_t lf__sample_size(lf_sample_type type);

/// The value of a sample, before scale and offset.
static inline double lf__sample_read(lf_sample_type type, const char *at) {
    return type == LF_SAMPLE_FLOAT    ? (double)*(const float *)(const void *)at
           : type == LF_SAMPLE_INT16  ? (double)*(const int16_t *)(const void *)at
           : type == LF_SAMPLE_DOUBLE ? *(const double *)(const void *)at
                                      : (double)*(const uint16_t *)(const void *)at;
}

/// For compressed grids: the height of a sample, and an upper bound of block (bx, by) of level 1 .. 3 from
/// max-plus tiles.
double lf__packed_height(const lf_grid *grid, int64_t i, int64_t j);
double lf__packed_top(const lf_grid *view, int level, int64_t bx, int64_t by);

/// The steps of existing samples of a row of a compressed grid, before scale and offset.
void lf__packed_row(const lf_grid *view, int64_t i, int64_t j, int64_t count, double *steps);

/// Heights of the corners of a cell of a compressed grid.
typedef struct lf__grid_corners lf__grid_corners;
lf__grid_corners lf__packed_corners(const lf_grid *grid, int64_t i, int64_t j);

/// The height of an existing sample that is not a void.
static inline double lf__grid_height(const lf_grid *grid, int64_t i, int64_t j) {
    if (grid->packed)
        return lf__packed_height(grid, i, j);
    double sample = lf__sample_read(grid->type, grid->values + j * grid->row_step + i * grid->column_step);
    return grid->plain ? sample : sample * grid->scale + grid->offset;
}

/// The column or row whose height a sample of the ring has: the nearest one, or across the seam the one at
/// the same place.
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
    return (bits[y * grid->void_words + (x >> 6)] >> (x & 63) & 1) != 0;
}

/// The bits of (i .. i + count - 1, j), which all exist; at most 57.
static inline uint64_t lf__grid_bits(const lf_grid *grid, const uint64_t *bits, int64_t i, int64_t j,
                                     int count) {
    int64_t x = i - grid->first;
    const uint64_t *word = bits + (j - grid->first) * grid->void_words + (x >> 6);
    int shift = (int)(x & 63);
    uint64_t found = word[0] >> shift;
    if (shift + count > 64)
        found |= word[1] << (64 - shift);
    return found & (((uint64_t)1 << count) - 1);
}

/// Words of `voids`, and of `gaps` where that is an array of its own.
static inline int64_t lf__grid_void_entries(const lf_grid *grid) {
    return (grid->rows - 2 * grid->first) * grid->void_words;
}

/// Is an existing sample a void?
static inline bool lf__grid_is_void(const lf_grid *grid, int64_t i, int64_t j) {
    return grid->voids && lf__grid_bit(grid, grid->voids, i, j);
}

/// Does an existing square have a gap: is a part of it, or all of it, void?
static inline bool lf__grid_gap(const lf_grid *grid, int64_t i, int64_t j) {
    return grid->gaps && lf__grid_bit(grid, grid->gaps, i, j);
}

/// Does any square of a rectangle, both corners included, have a gap? Squares that do not exist have none.
static inline bool lf__grid_gaps_in(const lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    int64_t first[2], last[2], most[2] = {grid->square_columns - 1, grid->square_rows - 1};
    for (int k = 0; k < 2; k++) {
        first[k] = low[k] - grid->first < 0 ? 0 : low[k] - grid->first;
        last[k] = high[k] - grid->first > most[k] ? most[k] : high[k] - grid->first;
    }
    for (int64_t y = first[1]; grid->gaps && first[0] <= last[0] && y <= last[1]; y++) {
        const uint64_t *row = grid->gaps + y * grid->void_words;
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

/// Which pieces of an existing square exist: bit k is triangle k; a patch or a level square has both bits or
/// none.
static inline unsigned lf__grid_parts(const lf_grid *grid, int64_t i, int64_t j) {
    if (!lf__grid_gap(grid, i, j))
        return LF__GRID_WHOLE;
    if (grid->surface == LF_SURFACE_POINT || grid->surface == LF_SURFACE_BILINEAR)
        return 0;
    int64_t low = i + lf__grid_falls(grid, i, j),
            high = 2 * i + 1 - low; // ends of the diagonal, which both triangles share
    if (lf__grid_is_void(grid, low, j) || lf__grid_is_void(grid, high, j + 1))
        return 0;
    return (lf__grid_is_void(grid, high, j) ? 0u : 1u) | (lf__grid_is_void(grid, low, j + 1) ? 0u : 2u);
}

/// The range of the pieces of a square with a gap; empty where it has none.
lf__grid_range lf__grid_gap_range(const lf_grid *grid, int64_t i, int64_t j);

/// The range of an existing square of LF_SURFACE_POINT without a gap, walls included.
lf__grid_range lf__grid_level_range(const lf_grid *grid, int64_t i, int64_t j);

/// Is an existing sample on no piece of the surface: a void, or a height surrounded by voids? Then
/// lf__grid_at has no answer there.
bool lf__grid_bare_between(const lf_grid *grid, int64_t i, int64_t j);

static inline bool lf__grid_bare(const lf_grid *grid, int64_t i, int64_t j) {
    if (!grid->voids)
        return false;
    int64_t last_i = grid->first + grid->square_columns - 1, last_j = grid->first + grid->square_rows - 1;
    if (!lf__grid_gap(grid, i < last_i ? i : last_i, j < last_j ? j : last_j))
        return false; // most samples are next to a square without a gap
    return lf__grid_is_void(grid, i, j) || lf__grid_bare_between(grid, i, j);
}

/// Is a square one of the caller's, not of the ring?
static inline bool lf__grid_is_real(const lf_grid *grid, int64_t i, int64_t j) {
    return i >= 0 && j >= 0 && i < grid->cell_columns && j < grid->cell_rows;
}

/// Columns of the caller's samples.
static inline int64_t lf__grid_columns(const lf_grid *grid) {
    return grid->columns - grid->repeated;
}

/// Number of elements in a row of squares: a repeated column has those of the first.
static inline int64_t lf__grid_element_columns(const lf_grid *grid) {
    return grid->repeated && grid->surface == LF_SURFACE_POINT ? grid->round : grid->cell_columns;
}

/// Does a piece also exist on a copy, with the element of that copy? Then only that one is reported. Squares
/// of LF_SURFACE_POINT reach half a column over the seam; of these only the wall towards the grid is reported
/// here.
static inline bool lf__grid_doubled(const lf_grid *grid, int64_t i, int triangle) {
    return grid->round &&
           (i < 0 || (i >= grid->round && !(grid->surface == LF_SURFACE_POINT && triangle == 1)));
}

/// The element of a square, as in hits.
static inline int64_t lf__grid_element(const lf_grid *grid, int64_t i, int64_t j) {
    int64_t columns = lf__grid_element_columns(grid);
    int64_t column = i < 0 ? 0 : i < grid->cell_columns ? i : grid->cell_columns - 1;
    int64_t row = j < 0 ? 0 : j < grid->cell_rows ? j : grid->cell_rows - 1;
    bool again = grid->round && grid->surface == LF_SURFACE_POINT && column == grid->round;
    return row * columns + (again ? 0 : column);
}

/// Heights of the corners of a cell.
struct lf__grid_corners {
    double h00, h10, h01, h11; ///< h10: one column on
};

static inline lf__grid_corners lf__grid_corners_of(const lf_grid *grid, int64_t i, int64_t j) {
    if (grid->type == LF_SAMPLE_FLOAT && grid->plain) { // the most frequent case
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

/// Check samples, at least `least` columns and rows, and fill in default steps.
lf_status lf__samples_check(lf_samples *samples, int64_t least, lf_error *error);

/// The address of a checked sample.
static inline const char *lf__samples_at(const lf_samples *s, int64_t i, int64_t j) {
    return (const char *)s->values + j * s->row_step + i * s->column_step;
}

/// The height of a checked sample; NAN for a void.
double lf__samples_height(const lf_samples *samples, int64_t i, int64_t j);

/// Read the caller's samples: check every height, copy them unless borrowed, mark voids.
lf_status lf__grid_read_samples(lf_grid *grid, const lf_grid_def *def, lf_error *error);

/// Allocate the bits of voids and gaps, all of them 0. On failure the grid is not changed.
lf_status lf__grid_allocate_voids(lf_grid *grid);

/// Mark which squares from low to high, both included, have a gap.
void lf__grid_mark_gaps(lf_grid *grid, const int64_t low[2], const int64_t high[2]);

/// The grid's box, from its extremes.
void lf__grid_make_box(lf_grid *grid);

/// Number of blocks of 2^level along some squares or samples, the last of them perhaps smaller.
static inline int64_t lf__grid_blocks_along(int64_t count, int level) {
    return (count >> level) + ((count & (((int64_t)1 << level) - 1)) != 0);
}

/// Compute the sizes of all levels and of `bounds`, which is not allocated yet; false when they overflow.
bool lf__grid_lay_out(lf_grid *grid);

/// Set the pointers of the levels into `bounds`.
void lf__grid_place_levels(lf_grid *grid);

/// Compute the inverse of the geotransform and the range of squares; false where there is no inverse.
bool lf__grid_start(lf_grid *grid);

/// Is this a valid number of cells along the side of a leaf?
static inline bool lf__leaf_valid(int leaf) {
    return leaf >= 1 && leaf <= 64 && (leaf & (leaf - 1)) == 0;
}

/// Blocks of a level, both ends included; low[0] > high[0]: none.
typedef struct lf__grid_blocks {
    int64_t low[2], high[2];
} lf__grid_blocks;

/// The blocks that consist of squares of a part.
lf__grid_blocks lf__grid_part_blocks(const lf_grid *grid, const lf_window *part, int level);

/// Check the parts of a def whose samples have been checked.
lf_status lf__grid_check_parts(const lf_grid_def *def, lf_error *error);

/// Allocate and free voids, gaps, bounds and planes; those of a partial grid are zeros.
lf_status lf__grid_allocate(const lf_grid *grid, int64_t count, size_t item, void **array);
void lf__grid_free(const lf_grid *grid, void *array, int64_t count, size_t item);

/// Choose the quantum, allocate memory and compute all bounds from the samples. Errors: LF_NO_MEMORY,
/// LF_CANCELLED.
lf_status lf__grid_fill(lf_grid *grid, const lf_host *host);

/// Compute the bounds of whole wavelet tiles, and of the levels above, from coefficients; they are allocated. Errors: LF_NO_MEMORY.
lf_status lf__grid_derive_bounds(lf_grid *grid);

/// Recompute the bounds of the squares from first to last, both included, on every level, and all other data
/// derived from squares: edits call nothing else. Returns the number of blocks computed; `samples` counts the
/// samples read.
int64_t lf__grid_refill(lf_grid *grid, const int64_t first[2], const int64_t last[2], int64_t *samples);

// ---------------------------------------------------------------------------------------------------
// Exact extremes
// ---------------------------------------------------------------------------------------------------

/// Number of blocks of the lowest level along this many samples.
int64_t lf__grid_extreme_blocks(int64_t samples);

/// Allocate the levels; the code that reads the samples fills the lowest one.
lf_status lf__grid_allocate_extremes(lf_grid *grid);

/// Compute the higher levels over a rectangle of samples, and the grid's lowest and highest.
void lf__grid_join_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2], int64_t *nodes);

/// To be called before a rectangle of samples changes, and after it has changed.
void lf__grid_forget_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2], int64_t *samples);
void lf__grid_renew_extremes(lf_grid *grid, const int64_t low[2], const int64_t high[2],
                             lf_grid_edit_cost *cost);

/// Set the ground of a grid, by whether it is compressed or from a file.
void lf__grid_init_ground(lf_grid *grid);

#endif
