/// Compressed grids: heights in tiles of steps, decoded on demand.
///
/// A height is step * scale + offset of its grid, as in a grid of 16-bit samples. Tile (tx, ty) has the
/// samples from (tx << log2_side, ty << log2_side) on; tiles are numbered row by row. The index has the start
/// of each tile; a tile's own header gives its length. Samples of the ring are those of the border.
///
/// Decoded tiles belong to a view: a copy of the grid with slots for them. Queries of one thread use one
/// view, which lies in the caller's cursor or, without one, on the stack. A grid without slots decodes a tile
/// for every sample: correct, but slow.
#ifndef LF_GRID_PACKED_H
#define LF_GRID_PACKED_H

#include "base/containers.h"
#include "codec/codec.h"
#include "grid/grid_query.h"

/// Bytes of an entry of the index, and bytes after the last entry that may be read.
#define LF__INDEX_ENTRY 5
#define LF__INDEX_SPARE 3

/// Heights of points with known corners of their cells, four steps each (00, 10, 01, 11), which are ignored
/// for points that are not certainly inside of a cell with a surface. The view is one for single cells.
typedef void lf__packed_heights_on(const lf_grid *view, const lf__heights_batch *batch,
                                   const int32_t *corners);
lf__packed_heights_on lf__packed_heights_on_scalar;
#if LF__SIMD
lf__packed_heights_on lf__packed_heights_on_avx2;
#endif

static inline lf__packed_heights_on *lf__packed_heights_on_for(lf_isa isa) {
#if LF__SIMD
    if (isa >= LF_ISA_AVX2)
        return lf__packed_heights_on_avx2;
#endif
    (void)isa;
    return lf__packed_heights_on_scalar;
}

struct lf__packed {
    lf__codec_kind kind;
    lf__codec_decoder *decode;
    lf__codec_two *two;
    lf__packed_heights_on *heights_on;
    const lf__grid_kernels *rays; ///< of views; NULL: the scalar path
    lf__wave_tops *tops;          ///< of wavelet tiles whose blocks have no stored bounds; or NULL
    int log2_side;
    int64_t tile_columns, tile_rows;
    const uint8_t *bytes; ///< all tiles
    int64_t byte_count;
    const uint8_t *index; ///< start of each tile
    double max_error, largest_error, mean_square_error;

    // Owned memory; empty where tiles are borrowed, as from a file.
    lf__array own_bytes;
    uint8_t *own_index;
};

/// Slots of decoded tiles: tile (tx, ty) is decoded to slot ((ty & rows - 1) * columns + (tx & columns - 1)).
struct lf__decoded {
    int64_t columns, rows; ///< of slots: powers of two
    int64_t *tiles;        ///< number of the tile in each slot, or -1; -2 - tile: its coefficients, as floats
    int32_t *steps;        ///< lf__packed_slot() numbers per slot
    int64_t last_tile;
    const int32_t *last;
    uint64_t samples; ///< decoded so far

    // The last cell whose corners were read.
    bool single; ///< only cells are read: tiles are decoded as far as a cell needs them
    int64_t i, j;
    lf__grid_corners corners;
};

/// Numbers per slot: steps, and for max-plus tiles their maxima, for wavelet tiles the tops of their blocks.
static inline int64_t lf__packed_slot(lf__codec_kind kind) {
    int64_t steps = (int64_t)1 << 2 * lf__codec_log2(kind);
    return kind == LF__CODEC_MAXPLUS   ? steps + LF__CODEC_MAXIMA
           : kind == LF__CODEC_PREDICT ? steps
                                       : steps + LF__WAVE_BLOCKS;
}

static inline int64_t lf__packed_slot_of(const lf__packed *packed, const lf__decoded *d, int64_t tile) {
    int64_t tx = tile % packed->tile_columns, ty = tile / packed->tile_columns;
    return (ty & (d->rows - 1)) * d->columns + (tx & (d->columns - 1));
}

static inline int64_t lf__packed_tiles(const lf__packed *packed) {
    return packed->tile_columns * packed->tile_rows;
}

/// The steps of a tile, decoded to its slot.
const int32_t *lf__packed_tile(const lf_grid *view, int64_t tile);

/// For grids with derived bounds: the range of heights of each tile by the weak bound. Errors: LF_NO_MEMORY.
lf_status lf__packed_tile_ranges(const lf_grid *grid, lf__grid_range *ranges);

/// From these, the range of the squares of a block of whole tiles.
lf__grid_range lf__packed_block_range(const lf_grid *grid, const lf__grid_range *ranges, int level,
                                      int64_t bx, int64_t by);

/// Invalidate the tops of a slot.
void lf__packed_forget_tops(int32_t *tops);

/// Does decoding cost more than a bound from the coefficients, for the tile of these squares? Only where blocks of tiles
/// have no stored bounds.
bool lf__packed_undecoded(const lf_grid *view, int64_t i, int64_t j);

/// The step of a sample of the grid, or of its ring.
static inline int32_t lf__packed_step(const lf_grid *view, int64_t i, int64_t j) {
    const lf__packed *packed = view->packed;
    int shift = packed->log2_side;
    int64_t mask = ((int64_t)1 << shift) - 1;
    i = i < 0 ? 0 : i < view->columns ? i : view->columns - 1;
    j = j < 0 ? 0 : j < view->rows ? j : view->rows - 1;
    int64_t tile = (j >> shift) * packed->tile_columns + (i >> shift);
    const int32_t *steps =
        view->decoded->last_tile == tile ? view->decoded->last : lf__packed_tile(view, tile);
    return steps[(j & mask) << shift | (i & mask)];
}

/// The start of a tile, and the number of bytes from there on, which is 0 where the entry of the index is
/// invalid.
static inline const uint8_t *lf__packed_find(const lf__packed *packed, int64_t tile, size_t *size) {
    uint64_t mask = ((uint64_t)1 << 8 * LF__INDEX_ENTRY) - 1;
    int64_t start = (int64_t)(lf__load64(packed->index + tile * LF__INDEX_ENTRY) & mask);
    bool inside = start < packed->byte_count;
    *size = inside ? (size_t)(packed->byte_count - start) : 0;
    return packed->bytes + (inside ? start : 0);
}

/// Corners of a cell, decoding as few rows of tiles as possible; NaN at voids. `samples` counts the samples
/// decoded.
lf__grid_corners lf__packed_cell(const lf_grid *grid, int64_t i, int64_t j, uint64_t *samples);

/// lf__grid_query_height without a cursor and a view, for a point that is certainly inside of a cell and
/// certainly above or below its surface; false, with nothing written, for any other.
bool lf__packed_query_inside(const lf_grid *grid, const lf_vec3 *point, bool down, lf_hit *hit);

/// lf__grid_heights_many without a view. Where there are many points per tile they are answered tile by tile,
/// which allocates some megabytes with the grid's allocator; where that fails, in order.
void lf__packed_heights_many(const lf_grid *grid, const lf__heights_batch *batch);

// ---------------------------------------------------------------------------------------------------
// Views
// ---------------------------------------------------------------------------------------------------

/// Least number of columns and rows of slots: the four tiles around a corner have one slot each.
#define LF__SCRATCH_SIDE 2

/// Stack memory of a query without a cursor: 16 tiles of the smaller kind, four of the larger.
#define LF__SCRATCH_BYTES ((size_t)24 << 10)

typedef struct lf__grid_scratch {
    _Alignas(LF__CACHE_LINE) unsigned char bytes[LF__SCRATCH_BYTES];
} lf__grid_scratch;

/// The same for a task that makes many queries: 64 tiles of the smaller kind.
#define LF__TASK_SCRATCH_BYTES ((size_t)72 << 10)

typedef struct lf__grid_task_scratch {
    _Alignas(LF__CACHE_LINE) unsigned char bytes[LF__TASK_SCRATCH_BYTES];
} lf__grid_task_scratch;

/// A cursor that uses this memory. It must not be destroyed.
static inline lf_cursor lf__scratch_cursor(lf__grid_task_scratch *hall) {
    return (lf_cursor){.layers = UINT32_MAX, .space = hall->bytes, .space_bytes = sizeof hall->bytes};
}

/// Open a view of a grid: the grid itself where it is not compressed.
const lf_grid *lf__grid_open(const lf_grid *grid, lf_cursor *cursor, lf__grid_scratch *space);

/// The same for a query of one cell.
const lf_grid *lf__grid_open_single(const lf_grid *grid, lf__grid_scratch *space);

/// Close a view after the query: count the samples decoded for it.
void lf__grid_close(const lf_grid *grid, const lf_grid *view, lf_cursor *cursor);

/// Views for the workers of a parallel loop, one each; empty where the grid is not compressed.
typedef struct lf__views {
    const lf_grid *grid;
    lf_allocator allocator;
    lf_cursor **cursors;
    int count;
} lf__views;

/// The number of workers of a host, and the bytes of their views.
int lf__host_workers(const lf_host *host);
size_t lf__views_bytes(const lf_grid *grid, const lf_host *host);

/// Allocate views for all workers of the host. Errors: LF_NO_MEMORY.
lf_status lf__views_open(lf__views *views, const lf_grid *grid, const lf_host *host);
void lf__views_close(lf__views *views);

/// The view that a worker queries.
const lf_grid *lf__views_of(const lf__views *views, int worker);

/// For exclusive use of a grid: allocate slots for two rows of tiles. Errors: LF_NO_MEMORY.
lf_status lf__packed_begin(lf_grid *grid);
void lf__packed_forget(lf_grid *grid); ///< invalidate the slots
void lf__packed_end(lf_grid *grid);

// ---------------------------------------------------------------------------------------------------
// Compression
// ---------------------------------------------------------------------------------------------------

/// The tile codec of a grid's codec.
static inline lf__codec_kind lf__codec_kind_of(lf_codec codec) {
    return (lf__codec_kind)(codec - LF_CODEC_PACK);
}

static inline lf_codec lf__codec_of(const lf__packed *packed) {
    return packed ? (lf_codec)(packed->kind + LF_CODEC_PACK) : LF_CODEC_RAW;
}

/// Compress the caller's samples, which have been checked and whose voids are known, and compute extremes of
/// the decoded heights.
lf_status lf__grid_compress(lf_grid *grid, const lf_grid_def *def, lf_error *error);

/// Allocate the tiles of a grid, without bytes and index; NULL without memory.
lf__packed *lf__packed_create(lf_grid *grid, lf_codec codec);

/// Free owned memory.
void lf__packed_free(const lf_allocator *allocator, lf__packed *packed);

/// A new unique number for the state of a grid.
uint64_t lf__grid_stamp(void);

/// Write an entry of the index.
void lf__index_write(uint8_t *index, int64_t tile, int64_t start);

/// A replaced tile: its number, and where its bytes start among the new ones. Changing tiles cannot fail once
/// memory is reserved.
typedef struct lf__packed_change_of {
    int64_t tile, start;
} lf__packed_change_of;
lf_status lf__packed_reserve(lf_grid *grid, int64_t bytes);
void lf__packed_change(lf_grid *grid, const lf__packed_change_of *changes, int64_t count,
                       const uint8_t *bytes, int64_t byte_count);

// ---------------------------------------------------------------------------------------------------
// Edits
// ---------------------------------------------------------------------------------------------------

// Edits of compressed grids encode the tiles that contain new heights, all of them before the grid is
// changed.

/// The step of a height, exact or within the grid's allowed error; false where there is none.
bool lf__packed_step_for(const lf_grid *grid, double height, int32_t *step);

typedef struct lf__packed_edit {
    lf__array changes; ///< lf__packed_change_of
    lf__array bytes;   ///< of the new tiles
} lf__packed_edit;

/// Encode the tiles for samples placed at (low[0], low[1]), and allocate all memory. Errors: LF_NO_MEMORY;
/// then nothing remains allocated.
lf_status lf__packed_edit_start(lf__packed_edit *edit, lf_grid *grid, const lf_samples *samples,
                                const int64_t low[2]);

/// Replace the old tiles.
void lf__packed_edit_apply(const lf__packed_edit *edit, lf_grid *grid);

void lf__packed_edit_end(lf__packed_edit *edit, lf_grid *grid);

// ---------------------------------------------------------------------------------------------------
// Points inside of cells
// ---------------------------------------------------------------------------------------------------

// Most points are strictly inside of a cell with a surface; the four corners of the cell are enough to answer
// them.

typedef struct lf__packed_spot {
    const lf_vec3 *point;
    lf_vec2 place;
    int64_t i, j, tile;
    bool sure; ///< strictly inside of a square without a gap; otherwise only point and place are set
} lf__packed_spot;

static inline lf__packed_spot lf__packed_spot_of(const lf_grid *grid, const lf_vec3 *point) {
    const lf__packed *packed = grid->packed;
    lf__packed_spot s = {.point = point, .place = lf__grid_place_round(grid, point->x, point->y)};
    double x = s.place.x, y = s.place.y;
    s.sure = x >= 0 && y >= 0 && x < (double)grid->cell_columns && y < (double)grid->cell_rows &&
             grid->surface != LF_SURFACE_POINT;
    if (!s.sure)
        return s;
    s.i = (int64_t)x;
    s.j = (int64_t)y;
    s.sure = x > (double)s.i && y > (double)s.j && !lf__grid_gap(grid, s.i, s.j);
    s.tile = (s.j >> packed->log2_side) * packed->tile_columns + (s.i >> packed->log2_side);
    return s;
}

/// The triangle under a sure spot; 0 for patches.
static inline int lf__packed_spot_triangle(const lf_grid *grid, const lf__packed_spot *s) {
    return grid->surface == LF_SURFACE_BILINEAR
               ? 0
               : lf__grid_triangle_at(lf__grid_falls(grid, s->i, s->j), s->i, s->j, s->place);
}

/// The height at a sure spot, as computed by lf__grid_at; false where rounding could decide on which side the
/// point is.
static inline bool lf__packed_spot_height(const lf_grid *grid, const lf__packed_spot *s,
                                          const lf__grid_corners *h, int triangle, double *height) {
    double u = s->place.x - (double)s->i, v = s->place.y - (double)s->j, z = s->point->z;
    *height = grid->surface == LF_SURFACE_BILINEAR
                  ? lf__patch_height(h, u, v)
                  : lf__triangle_height(h, lf__grid_falls(grid, s->i, s->j), triangle, u, v);
    double size = fabs(h->h00) + fabs(h->h10) + fabs(h->h01) + fabs(h->h11) + fabs(z);
    return isinf(z) || fabs(z - *height) > 16 * 0x1p-53 * size;
}

/// Convert the corners of a cell from steps to heights.
static inline lf__grid_corners lf__packed_heights_of(const lf_grid *grid, const lf__grid_corners *steps) {
    double scale = grid->scale, offset = grid->offset;
    return grid->plain ? *steps
                       : (lf__grid_corners){steps->h00 * scale + offset, steps->h10 * scale + offset,
                                            steps->h01 * scale + offset, steps->h11 * scale + offset};
}

/// Prefetch the bytes of a tile, as far as rows up to `row` are likely to reach.
static inline const uint8_t *lf__packed_fetch(const lf__packed *packed, int64_t tile, int64_t row,
                                              size_t *size) {
    enum { TYPICAL_BYTES = 256 }; // of a tile
    const uint8_t *bytes = lf__packed_find(packed, tile, size);
    size_t reach = (size_t)((row + 2) * TYPICAL_BYTES) >> packed->log2_side;
    for (size_t at = 0; at < reach && at < *size; at += LF__CACHE_LINE)
        __builtin_prefetch(bytes + at);
    return bytes;
}

#endif
