/// Heights of many points of a compressed grid: in the caller's order, or tile by tile where there are many
/// points per tile.
#include "grid/packed.h"
#include <string.h>

/// The height at a sure spot from the corners of its cell, or NaN where the surface is on the other side;
/// false where the exact fallback is needed.
static inline bool packed_fast_height(const lf_grid *grid, const lf__packed_spot *s,
                                      const lf__grid_corners *h, bool down, double *height) {
    double found;
    if (!lf__packed_spot_height(grid, s, h, lf__packed_spot_triangle(grid, s), &found))
        return false;
    *height = (s->point->z > found) == down ? found : LF_NAN;
    return true;
}

// ---------------------------------------------------------------------------------------------------
// In order
// ---------------------------------------------------------------------------------------------------

/// Points whose tiles are prefetched before the first of them is decoded.
#define PACKED_AHEAD 64

/// In the caller's order, through a view for single cells.
static void packed_answer_in_order(const lf_grid *view, const lf__heights_batch *b) {
    const lf__packed *packed = view->packed;
    int64_t mask = ((int64_t)1 << packed->log2_side) - 1;
    lf__packed_spot ahead[PACKED_AHEAD];
    for (int64_t first = 0; first < b->count; first += PACKED_AHEAD) {
        int number = b->count - first < PACKED_AHEAD ? (int)(b->count - first) : PACKED_AHEAD;
        for (int k = 0; k < number; k++) {
            ahead[k] = lf__packed_spot_of(view, lf__heights_point(b, first + k));
            if (ahead[k].sure)
                __builtin_prefetch(packed->index + ahead[k].tile * LF__INDEX_ENTRY);
        }
        for (int k = 0; k < number; k++)
            if (ahead[k].sure) {
                size_t size;
                lf__packed_fetch(packed, ahead[k].tile, ahead[k].j & mask, &size);
            }
        for (int k = 0; k < number; k++) {
            const lf__packed_spot *s = &ahead[k];
            double *height = lf__heights_result(b, first + k);
            if (s->sure) {
                lf__grid_corners h = lf__packed_corners(view, s->i, s->j);
                if (packed_fast_height(view, s, &h, b->down, height))
                    continue;
            }
            *height = lf__heights_query(view, s->point, b->down);
        }
    }
}

// ---------------------------------------------------------------------------------------------------
// Tile by tile
// ---------------------------------------------------------------------------------------------------
//
// Some points at a time: their cells are found in order and sorted by tile; each tile is decoded once, and
// the corners of its cells are written to their points; then heights are computed in order again. Scattered
// writes are 20 bytes a point, and no load depends on them.

/// Points per tile from which on sorting them by tile is faster.
#define PACKED_DENSE 2

/// Points that are sorted together: enough to share tiles, and few enough for the cache. More where there are many tiles, as
/// far as a point and its place within a tile fit into 32 bits.
#define PACKED_AT_ONCE ((int64_t)1 << 18)
#define PACKED_MOST_AT_ONCE ((int64_t)1 << 22)

/// Fewer points are not sorted, so that the tasks of a parallel loop allocate nothing.
#define PACKED_LEAST_SORTED 65536

/// Points in the order of their tiles.
typedef struct packed_sorting {
    int64_t tiles;
    int64_t at_once;  ///< points that are sorted together
    int bits;         ///< of a place within a tile
    uint32_t *ends;   ///< of each tile's points in `order`; one more entry than tiles
    uint32_t *cells;  ///< of each point: tile, and place within it
    uint32_t *order;  ///< by tile: point, and place within
    int32_t *corners; ///< four for each point: steps
} packed_sorting;

/// The cell of a point; cell 0 for those that are not certainly inside of one.
static inline uint32_t packed_cell_of(const lf_grid *grid, const lf_vec3 *point, int bits) {
    lf__packed_spot s = lf__packed_spot_of(grid, point);
    int shift = grid->packed->log2_side;
    int64_t mask = ((int64_t)1 << shift) - 1;
    return s.sure ? (uint32_t)(s.tile << bits | (s.j & mask) << shift | (s.i & mask)) : 0;
}

/// The tile of the sample nearest to a point, clamped to the grid.
static inline uint32_t packed_sample_of(const lf_grid *grid, const lf_vec3 *point, int bits) {
    lf_vec2 at = lf__grid_place_round(grid, point->x, point->y);
    int64_t i = (int64_t)fmin(fmax(at.x + 0.5, 0), (double)(grid->columns - 1)),
            j = (int64_t)fmin(fmax(at.y + 0.5, 0), (double)(grid->rows - 1));
    int shift = grid->packed->log2_side;
    return (uint32_t)(((j >> shift) * grid->packed->tile_columns + (i >> shift)) << bits);
}

static void packed_sort_by_tile(const lf_grid *grid, const lf__heights_batch *b, packed_sorting *s) {
    bool points = grid->surface == LF_SURFACE_POINT;
    memset(s->ends, 0, (size_t)(s->tiles + 1) * sizeof *s->ends);
    for (int64_t k = 0; k < b->count; k++) {
        s->cells[k] = points ? packed_sample_of(grid, lf__heights_point(b, k), s->bits)
                             : packed_cell_of(grid, lf__heights_point(b, k), s->bits);
        s->ends[(s->cells[k] >> s->bits) + 1]++;
    }
    for (int64_t t = 0; t < s->tiles; t++)
        s->ends[t + 1] += s->ends[t];
    uint32_t within = ((uint32_t)1 << s->bits) - 1;
    for (int64_t k = 0; k < b->count; k++)
        s->order[s->ends[s->cells[k] >> s->bits]++] = (uint32_t)k << s->bits | (s->cells[k] & within);
}

/// A tile and the parts of its neighbours that its last column and row of cells need. Each is decoded when
/// first used, and the right neighbour is kept as the next tile.
typedef struct tile_patch {
    const lf__packed *packed;
    int64_t tile;                     ///< the current one
    int64_t held[2];                  ///< the tiles in `steps`, or -1
    int64_t rows_of;                  ///< the tile whose upper neighbours are in `above`, or -1
    int32_t above[2 * LF__WAVE_SIDE]; ///< first rows of the tile above, and of the one on its right
    int32_t steps[2][LF__CODEC_MOST]; ///< tiles, the even ones and the odd ones
} tile_patch;

static const int32_t *tile_patch_tile(tile_patch *p, int64_t tile) {
    int which = (int)(tile & 1);
    if (p->held[which] != tile) {
        size_t size;
        const uint8_t *bytes = lf__packed_find(p->packed, tile, &size);
        p->packed->decode(p->packed->kind, bytes, size, p->steps[which], NULL);
        p->held[which] = tile;
    }
    return p->steps[which];
}

/// The first row of the tile above, and of its right neighbour where it exists.
static const int32_t *tile_patch_above(tile_patch *p) {
    const lf__packed *packed = p->packed;
    if (p->rows_of != p->tile) {
        bool last = (p->tile + 1) % packed->tile_columns == 0;
        for (int k = 0; k < (last ? 1 : 2); k++) {
            size_t size;
            const uint8_t *bytes = lf__packed_find(packed, p->tile + packed->tile_columns + k, &size);
            packed->two(packed->kind, bytes, size, 0, 1, p->above + ((size_t)k << packed->log2_side));
        }
        p->rows_of = p->tile;
    }
    return p->above;
}

/// Corners of a cell that begins in the tile.
static inline void tile_patch_corners(tile_patch *p, const int32_t *steps, uint32_t within,
                                      int32_t *corners) {
    int shift = p->packed->log2_side;
    uint32_t side = (uint32_t)1 << shift, x = within & (side - 1), y = within >> shift;
    const int32_t *at = steps + within, *above = y + 1 < side ? at + side : tile_patch_above(p) + x;
    corners[0] = at[0];
    corners[2] = above[0];
    if (x + 1 < side) {
        corners[1] = at[1];
        corners[3] = above[1];
    } else {
        const int32_t *next = tile_patch_tile(p, p->tile + 1) + (y << shift);
        corners[1] = next[0];
        corners[3] = y + 1 < side ? next[side] : above[1];
    }
}

/// Tiles ahead of the one that is decoded whose bytes are requested.
#define PACKED_REQUESTED 6

/// Points in a tile up to which the places of their corners are requested too: stores to memory that is not cached hold up those of
/// the decoder.
#define PACKED_FEW 32

/// Request the bytes of a tile, the first rows above it where one of its points is in its last row of cells, and the places of corners.
/// Always inline, because gcc removes calls of functions that only prefetch.
__attribute__((always_inline)) static inline void packed_request(const packed_sorting *s,
                                                                 const lf__packed *packed, int64_t tile) {
    uint32_t last = ((uint32_t)1 << s->bits) - ((uint32_t)1 << packed->log2_side),
             within = ((uint32_t)1 << s->bits) - 1, k = tile > 0 ? s->ends[tile - 1] : 0;
    bool above = false;
    size_t size;
    if (k == s->ends[tile])
        return;
    lf__packed_fetch(packed, tile, last >> packed->log2_side, &size);
    bool few = s->ends[tile] - k <= PACKED_FEW;
    for (; k < s->ends[tile]; k++) {
        above |= (s->order[k] & within) >= last;
        if (few)
            __builtin_prefetch(s->corners + (size_t)(s->order[k] >> s->bits) * 4, 1);
    }
    for (int64_t next = tile + packed->tile_columns; above && next <= tile + packed->tile_columns + 1; next++)
        if (next < s->tiles)
            lf__packed_fetch(packed, next, 0, &size);
}

static void packed_find_corners(const packed_sorting *s, tile_patch *p) {
    uint32_t k = 0, within = ((uint32_t)1 << s->bits) - 1;
    for (int64_t t = 0; t < s->tiles; t++) {
        if (t + PACKED_REQUESTED < s->tiles)
            packed_request(s, p->packed, t + PACKED_REQUESTED);
        if (k == s->ends[t])
            continue;
        p->tile = t;
        const int32_t *steps = tile_patch_tile(p, t); // remains valid: the next tile has the other slot
        for (; k < s->ends[t]; k++)
            tile_patch_corners(p, steps, s->order[k] & within,
                               s->corners + (size_t)(s->order[k] >> s->bits) * 4);
    }
}

void lf__packed_heights_on_scalar(const lf_grid *view, const lf__heights_batch *b, const int32_t *corners) {
    for (int64_t k = 0; k < b->count; k++, corners += 4) {
        double *height = lf__heights_result(b, k);
        lf__packed_spot s = lf__packed_spot_of(view, lf__heights_point(b, k));
        if (s.sure) {
            lf__grid_corners h = {(double)corners[0], (double)corners[1], (double)corners[2],
                                  (double)corners[3]};
            h = lf__packed_heights_of(view, &h);
            if (packed_fast_height(view, &s, &h, b->down, height))
                continue;
        }
        *height = lf__heights_query(view, s.point, b->down);
    }
}

/// LF_SURFACE_POINT has no cells: points are queried one by one in the order of tiles, which are then mostly
/// decoded.
static void packed_answer_samples(const lf_grid *view, const lf__heights_batch *b, const packed_sorting *s) {
    for (int64_t k = 0; k < b->count; k++) {
        int64_t point = s->order[k] >> s->bits;
        *lf__heights_result(b, point) = lf__heights_query(view, lf__heights_point(b, point), b->down);
    }
}

/// Answer all points, so many at a time.
static void packed_answer_parts(const lf_grid *grid, const lf__heights_batch *b, packed_sorting *sorted) {
    lf__grid_scratch space;
    tile_patch p = {.packed = grid->packed, .held = {-1, -1}, .rows_of = -1};
    bool points = grid->surface == LF_SURFACE_POINT;
    const lf_grid *view = points ? lf__grid_open(grid, NULL, &space) : lf__grid_open_single(grid, &space);
    for (int64_t first = 0; first < b->count; first += sorted->at_once) {
        lf__heights_batch part = *b;
        part.points = lf__heights_point(b, first);
        part.heights = lf__heights_result(b, first);
        part.count = b->count - first < sorted->at_once ? b->count - first : sorted->at_once;
        packed_sort_by_tile(grid, &part, sorted);
        if (points) {
            packed_answer_samples(view, &part, sorted);
            continue;
        }
        packed_find_corners(sorted, &p);
        grid->packed->heights_on(view, &part, sorted->corners);
    }
}

/// Returns false where there are too few points, or no memory.
static bool packed_answer_by_tiles(const lf_grid *grid, const lf__heights_batch *b) {
    packed_sorting sorted = {.tiles = lf__packed_tiles(grid->packed),
                             .at_once = PACKED_AT_ONCE,
                             .bits = 2 * grid->packed->log2_side};
    void *memory;
    int64_t limit = (int64_t)1 << (32 - sorted.bits);
    limit = limit < PACKED_MOST_AT_ONCE ? limit : PACKED_MOST_AT_ONCE;
    while (sorted.at_once < 4 * PACKED_DENSE * sorted.tiles && sorted.at_once < limit)
        sorted.at_once *= 2;
    int64_t most = b->count < sorted.at_once ? b->count : sorted.at_once;
    if (most / PACKED_DENSE < sorted.tiles)
        return false;
    int64_t numbers = sorted.tiles + 1 + 6 * most;
    if (lf__allocate_array(&grid->allocator, numbers, sizeof(uint32_t), &memory) != LF_OK)
        return false;
    sorted.corners = memory;
    sorted.ends = (uint32_t *)memory + 4 * most;
    sorted.cells = sorted.ends + sorted.tiles + 1;
    sorted.order = sorted.cells + most;
    packed_answer_parts(grid, b, &sorted);
    lf__free_array(&grid->allocator, memory, numbers, sizeof(uint32_t));
    return true;
}

void lf__packed_heights_many(const lf_grid *grid, const lf__heights_batch *batch) {
    lf__grid_scratch space;
    if (batch->count < PACKED_LEAST_SORTED || !packed_answer_by_tiles(grid, batch))
        packed_answer_in_order(lf__grid_open_single(grid, &space), batch);
}
