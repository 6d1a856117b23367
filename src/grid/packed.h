/// Heights that lie compressed: tiles of steps, decoded as they are asked for.
///
/// A height is step * scale + offset of its grid, which is what a grid of 16-bit samples says too. Tile (tx, ty) has the posts from
/// (tx << log2_side, ty << log2_side) on; tiles are numbered row by row. Where a tile begins is told by the index; where it ends it
/// says itself. Posts of the ring are those of the border.
///
/// Decoded tiles live in a view: a copy of the grid that has a place for them. Questions of one thread are asked through one view, which
/// lies in the caller's cursor or, without one, on the stack. A grid without a place for tiles decodes one for every post: right, but slow.
#ifndef LF_GRID_PACKED_H
#define LF_GRID_PACKED_H

#include "base/array.h"
#include "grid/grid.h"
#include "codec/bits.h"
#include "codec/tile.h"

/// Bytes of an entry of the index, and bytes behind the last that may be read.
#define LF__INDEX_ENTRY 5
#define LF__INDEX_SPARE 3

/// Many points, and where their bare heights go; strides in bytes.
typedef struct lf__heights_batch {
    const lf_vec3 *points;
    size_t point_stride;
    int64_t count;
    bool down;
    double *heights;
    size_t height_stride;
} lf__heights_batch;

/// Bare heights of points whose cells' corners are known, four steps each (00, 10, 01, 11); of points that are not sure to be inside of a cell
/// with a surface they do not matter. The view is one for single cells.
typedef void lf__packed_heights_on(const lf_grid *view, const lf__heights_batch *batch,
                                   const int32_t *corners);
lf__packed_heights_on lf__packed_heights_on_plain;
#if defined(__x86_64__)
lf__packed_heights_on lf__packed_heights_on_avx2;
#endif

static inline lf__packed_heights_on *lf__packed_heights_on_for(lf_isa isa) {
#if defined(__x86_64__)
    if (isa >= LF_ISA_AVX2)
        return lf__packed_heights_on_avx2;
#endif
    (void)isa;
    return lf__packed_heights_on_plain;
}

struct lf__packed {
    lf__tile_kind kind;
    lf__tile_decoder *decode;
    lf__tile_two *two;
    lf__packed_heights_on *heights_on;
    const lf__grid_kernels *rays; ///< of views; NULL: the plain way
    int log2_side;
    int64_t tile_columns, tile_rows;
    const uint8_t *bytes; ///< all tiles
    int64_t byte_count;
    const uint8_t *index; ///< where each begins
    double max_error, largest_error, mean_square_error;

    // Memory of its own; nothing where it is borrowed, as from a file.
    lf__array own_bytes;
    uint8_t *own_index;
};

/// A place for decoded tiles: tile (tx, ty) goes to slot ((ty & rows - 1) * columns + (tx & columns - 1)).
struct lf__decoded {
    int64_t columns, rows; ///< of slots: powers of two
    int64_t *tiles;        ///< what is in each, or -1
    int32_t *steps;        ///< lf__packed_slot() numbers per slot
    int64_t last_tile;
    const int32_t *last;
    uint64_t samples; ///< decoded so far

    // The last cell whose corners were asked for.
    bool single; ///< nothing but cells is asked for: tiles are decoded as far as a cell needs them
    int64_t i, j;
    lf__grid_corners corners;
};

/// Numbers per slot: steps, and maxima where tiles bring some.
static inline int64_t lf__packed_slot(lf__tile_kind kind) {
    int64_t steps = (int64_t)1 << 2 * lf__tile_log2(kind);
    return kind == LF__TILE_MAXPLUS ? steps + LF__TILE_MAXIMA : steps;
}

static inline int64_t lf__packed_tiles(const lf__packed *packed) {
    return packed->tile_columns * packed->tile_rows;
}

/// The steps of a tile, through the grid's place for them.
const int32_t *lf__packed_tile(const lf_grid *view, int64_t tile);

/// The step of a post of the grid, or of its ring.
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

/// Where a tile begins, and how many bytes there are from there on; an index that points nowhere gives none.
static inline const uint8_t *lf__packed_find(const lf__packed *packed, int64_t tile, size_t *size) {
    uint64_t mask = ((uint64_t)1 << 8 * LF__INDEX_ENTRY) - 1;
    int64_t start = (int64_t)(lf__load64(packed->index + tile * LF__INDEX_ENTRY) & mask);
    bool inside = start < packed->byte_count;
    *size = inside ? (size_t)(packed->byte_count - start) : 0;
    return packed->bytes + (inside ? start : 0);
}

/// Corners of a cell from as few rows of tiles as that takes; NaN at holes. Adds to the samples decoded.
lf__grid_corners lf__packed_cell(const lf_grid *grid, int64_t i, int64_t j, uint64_t *samples);

/// As lf__grid_ask_height without a cursor, for a point plainly inside of a cell and plainly over or under it; false, with nothing written: for
/// any other. No view is needed.
bool lf__packed_ask_inside(const lf_grid *grid, const lf_vec3 *point, bool down, lf_hit *hit);

/// As lf__grid_heights_many, without a view. Where there are many for each tile they are answered tile by tile, which takes some megabytes
/// from the grid's allocator; where it has none, in turn.
void lf__packed_heights_many(const lf_grid *grid, const lf__heights_batch *batch);

// ---------------------------------------------------------------------------------------------------
// Views
// ---------------------------------------------------------------------------------------------------

/// A place has at least this many slots each way: the four tiles around a corner have one each.
#define LF__ROOM_SIDE 2

/// What a question takes from the stack where there is no cursor: 16 tiles of the smaller kind, four of the larger.
#define LF__ROOM_BYTES ((size_t)24 << 10)

typedef struct lf__grid_room {
    _Alignas(LF__CACHE_LINE) unsigned char bytes[LF__ROOM_BYTES];
} lf__grid_room;

/// The same for a task that asks many questions: eight by eight of the smaller kind.
#define LF__HALL_BYTES ((size_t)72 << 10)

typedef struct lf__grid_hall {
    _Alignas(LF__CACHE_LINE) unsigned char bytes[LF__HALL_BYTES];
} lf__grid_hall;

/// A cursor that has its place there. It is not to be destroyed.
static inline lf_cursor lf__hall_cursor(lf__grid_hall *hall) {
    return (lf_cursor){.layers = UINT32_MAX, .room = hall->bytes, .room_bytes = sizeof hall->bytes};
}

/// The grid with a place for decoded tiles: itself where it needs none.
const lf_grid *lf__grid_open(const lf_grid *grid, lf_cursor *cursor, lf__grid_room *room);

/// The same for a question that is about one cell.
const lf_grid *lf__grid_open_single(const lf_grid *grid, lf__grid_room *room);

/// After the question: count what was decoded for it.
void lf__grid_close(const lf_grid *grid, const lf_grid *view, lf_cursor *cursor);

/// Views for the workers of a parallel loop, one each. Nothing where the grid needs none.
typedef struct lf__views {
    const lf_grid *grid;
    lf_allocator allocator;
    lf_cursor **cursors;
    int count;
} lf__views;

/// How many workers a host has, and how many bytes their views take.
int lf__host_workers(const lf_host *host);
size_t lf__views_bytes(const lf_grid *grid, const lf_host *host);

/// Take places for all workers of the host. Errors: LF_NO_MEMORY.
lf_status lf__views_open(lf__views *views, const lf_grid *grid, const lf_host *host);
void lf__views_close(lf__views *views);

/// The grid as one of them is to ask it.
const lf_grid *lf__views_of(const lf__views *views, int worker);

/// For whoever has the grid alone: a place for two rows of tiles, of its own memory. Errors: LF_NO_MEMORY.
lf_status lf__packed_begin(lf_grid *grid);
void lf__packed_forget(lf_grid *grid); ///< what is in there is not true any more
void lf__packed_end(lf_grid *grid);

// ---------------------------------------------------------------------------------------------------
// Making
// ---------------------------------------------------------------------------------------------------

/// The word's codec as tiles.
static inline lf__tile_kind lf__tile_kind_of(lf_codec codec) {
    return (lf__tile_kind)(codec - LF_CODEC_PACK);
}

static inline lf_codec lf__codec_of(const lf__packed *packed) {
    return packed ? (lf_codec)(packed->kind + LF_CODEC_PACK) : LF_CODEC_RAW;
}

/// Compress the caller's samples, which have been checked and whose holes are known, and read extremes from what comes back.
lf_status lf__grid_compress(lf_grid *grid, const lf_grid_def *def, lf_error *error);

/// Give back what is its own.
void lf__packed_free(const lf_allocator *allocator, lf__packed *packed);

/// A number for every state of a grid, never the same.
uint64_t lf__grid_stamp(void);

/// Write an entry of the index.
void lf__index_write(uint8_t *index, int64_t tile, int64_t start);

/// New tiles for some: bytes one behind the other, each with its number and where it begins in them. Nothing fails once memory is taken.
typedef struct lf__tile_change {
    int64_t tile, start;
} lf__tile_change;
lf_status lf__packed_reserve(lf_grid *grid, int64_t bytes);
void lf__packed_change(lf_grid *grid, const lf__tile_change *changes, int64_t count, const uint8_t *bytes,
                       int64_t byte_count);

#endif
