/// Bare heights of many points over a compressed grid: in the caller's order while there are few, tile by tile where there are many for each.
#include "grid/packed_spot.h"
#include <string.h>

static const lf_vec3 *point_of(const lf__heights_batch *b, int64_t k) {
    return (const lf_vec3 *)(const void *)((const char *)b->points + (size_t)k * b->point_stride);
}

static double *height_of(const lf__heights_batch *b, int64_t k) {
    return (double *)(void *)((char *)b->heights + (size_t)k * b->height_stride);
}

/// A height at a sure spot by the corners of its cell, or NaN where the surface is on the other side; false where more care is needed.
static inline bool plain_height(const lf_grid *grid, const lf__packed_spot *s, const lf__grid_corners *h,
                                bool down, double *height) {
    double found;
    if (!lf__packed_spot_height(grid, s, h, lf__packed_spot_triangle(grid, s), &found))
        return false;
    *height = (s->point->z > found) == down ? found : LF_NAN;
    return true;
}

/// A height with all the care there is.
static double careful_height(const lf_grid *view, const lf_vec3 *point, bool down) {
    lf_hit hit;
    lf__grid_ask_height(view, point, down, &hit, NULL);
    return hit.kind == LF_HIT_NONE ? LF_NAN : hit.point.z;
}

// ---------------------------------------------------------------------------------------------------
// In turn
// ---------------------------------------------------------------------------------------------------

/// Points whose tiles are on their way before the first of them is decoded.
#define AHEAD 64

/// In the caller's order, through a view for single cells.
static void answer_in_turn(const lf_grid *view, const lf__heights_batch *b) {
    const lf__packed *packed = view->packed;
    int64_t mask = ((int64_t)1 << packed->log2_side) - 1;
    lf__packed_spot ahead[AHEAD];
    for (int64_t first = 0; first < b->count; first += AHEAD) {
        int number = b->count - first < AHEAD ? (int)(b->count - first) : AHEAD;
        for (int k = 0; k < number; k++) {
            ahead[k] = lf__packed_spot_of(view, point_of(b, first + k));
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
            double *height = height_of(b, first + k);
            if (s->sure) {
                lf__grid_corners h = lf__packed_corners(view, s->i, s->j);
                if (plain_height(view, s, &h, b->down, height))
                    continue;
            }
            *height = careful_height(view, s->point, b->down);
        }
    }
}

// ---------------------------------------------------------------------------------------------------
// Tile by tile
// ---------------------------------------------------------------------------------------------------
//
// Some points at a time: their cells are found, in turn; sorted by tile; each tile is decoded once and its
// cells' corners are written to their points; then heights are computed, in turn again. What is scattered is
// 20 bytes a point, and nothing waits for it.

/// Points per tile from which on it is worth bringing them into the order of tiles.
#define DENSE 2

/// Points that are sorted together, at the most: so many that tiles are shared by some, and caches hold what is scattered.
#define AT_ONCE_LOG2 18
#define AT_ONCE ((int64_t)1 << AT_ONCE_LOG2)

/// Fewer than this are not sorted, so that a share of a parallel loop takes no memory.
#define LEAST_SORTED 65536

/// Bits of a place within a tile of any kind. With them the number of a tile, or of a point, is still one of 32 bits.
#define WITHIN_LOG2 (2 * LF__WAVE_LOG2)
#define WITHIN (((uint32_t)1 << WITHIN_LOG2) - 1)
_Static_assert(AT_ONCE_LOG2 + WITHIN_LOG2 <= 32, "a point and its place within a tile are one number");

/// Points in the order of their tiles.
typedef struct sorting {
    int64_t tiles;
    uint32_t *ends;   ///< of each tile's points in `order`; one more entry than tiles
    uint32_t *cells;  ///< of each point: tile, and place within it
    uint32_t *order;  ///< by tile: point, and place within
    int32_t *corners; ///< four for each point: steps
} sorting;

/// The cell of a point; the very first for those that are not sure to be in one.
static inline uint32_t cell_of(const lf_grid *grid, const lf_vec3 *point) {
    lf__packed_spot s = lf__packed_spot_of(grid, point);
    int shift = grid->packed->log2_side;
    int64_t mask = ((int64_t)1 << shift) - 1;
    return s.sure ? (uint32_t)(s.tile << WITHIN_LOG2 | (s.j & mask) << shift | (s.i & mask)) : 0;
}

/// The tile of the post that owns the place of a point, or of one next to it; the very first for points beyond the grid.
static inline uint32_t post_of(const lf_grid *grid, const lf_vec3 *point) {
    lf_vec2 at = lf__grid_place_round(grid, point->x, point->y);
    int64_t i = (int64_t)fmin(fmax(at.x + 0.5, 0), (double)(grid->columns - 1)),
            j = (int64_t)fmin(fmax(at.y + 0.5, 0), (double)(grid->rows - 1));
    int shift = grid->packed->log2_side;
    return (uint32_t)(((j >> shift) * grid->packed->tile_columns + (i >> shift)) << WITHIN_LOG2);
}

static void sort_by_tile(const lf_grid *grid, const lf__heights_batch *b, sorting *s) {
    bool posts = grid->surface == LF_SURFACE_POINT;
    memset(s->ends, 0, (size_t)(s->tiles + 1) * sizeof *s->ends);
    for (int64_t k = 0; k < b->count; k++) {
        s->cells[k] = posts ? post_of(grid, point_of(b, k)) : cell_of(grid, point_of(b, k));
        s->ends[(s->cells[k] >> WITHIN_LOG2) + 1]++;
    }
    for (int64_t t = 0; t < s->tiles; t++)
        s->ends[t + 1] += s->ends[t];
    for (int64_t k = 0; k < b->count; k++)
        s->order[s->ends[s->cells[k] >> WITHIN_LOG2]++] = (uint32_t)k << WITHIN_LOG2 | (s->cells[k] & WITHIN);
}

/// A tile and what of its neighbours its last column and row of cells need. Nothing is decoded before it is asked for, and the next
/// tile is there already when its turn comes.
typedef struct patch {
    const lf__packed *packed;
    int64_t tile;                     ///< the one whose cells are asked for
    int64_t held[2];                  ///< what is in `steps`, or -1
    int64_t rows_of;                  ///< the tile whose upper neighbours are in `above`, or -1
    int32_t above[2 * LF__WAVE_SIDE]; ///< first rows of the tile above, and of the one on its right
    int32_t steps[2][LF__TILE_MOST];  ///< tiles, the even ones and the odd ones
} patch;

static const int32_t *patch_tile(patch *p, int64_t tile) {
    int which = (int)(tile & 1);
    if (p->held[which] != tile) {
        size_t size;
        const uint8_t *bytes = lf__packed_find(p->packed, tile, &size);
        p->packed->decode(p->packed->kind, bytes, size, p->steps[which], NULL);
        p->held[which] = tile;
    }
    return p->steps[which];
}

/// The first rows above, of the neighbour on the right only where there is one.
static const int32_t *patch_above(patch *p) {
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

/// Corners of a cell that begins in the tile, and whose posts the grid has.
static inline void patch_corners(patch *p, const int32_t *steps, uint32_t within, int32_t *corners) {
    int shift = p->packed->log2_side;
    uint32_t side = (uint32_t)1 << shift, x = within & (side - 1), y = within >> shift;
    const int32_t *at = steps + within, *above = y + 1 < side ? at + side : patch_above(p) + x;
    corners[0] = at[0];
    corners[2] = above[0];
    if (x + 1 < side) {
        corners[1] = at[1];
        corners[3] = above[1];
    } else {
        const int32_t *next = patch_tile(p, p->tile + 1) + (y << shift);
        corners[1] = next[0];
        corners[3] = y + 1 < side ? next[side] : above[1];
    }
}

static void find_corners(const sorting *s, patch *p) {
    uint32_t k = 0;
    for (int64_t t = 0; t < s->tiles; t++) {
        if (k == s->ends[t])
            continue;
        p->tile = t;
        const int32_t *steps = patch_tile(p, t); // stays: the next one goes elsewhere
        for (; k < s->ends[t]; k++)
            patch_corners(p, steps, s->order[k] & WITHIN,
                          s->corners + (size_t)(s->order[k] >> WITHIN_LOG2) * 4);
    }
}

void lf__packed_heights_on_plain(const lf_grid *view, const lf__heights_batch *b, const int32_t *corners) {
    for (int64_t k = 0; k < b->count; k++, corners += 4) {
        double *height = height_of(b, k);
        lf__packed_spot s = lf__packed_spot_of(view, point_of(b, k));
        if (s.sure) {
            lf__grid_corners h = {(double)corners[0], (double)corners[1], (double)corners[2],
                                  (double)corners[3]};
            h = lf__packed_heights_of(view, &h);
            if (plain_height(view, &s, &h, b->down, height))
                continue;
        }
        *height = careful_height(view, s.point, b->down);
    }
}

/// Posts have no cells: each point is asked for, where its tile is likely to be decoded.
static void answer_posts(const lf_grid *view, const lf__heights_batch *b, const uint32_t *order) {
    for (int64_t k = 0; k < b->count; k++) {
        int64_t point = order[k] >> WITHIN_LOG2;
        *height_of(b, point) = careful_height(view, point_of(b, point), b->down);
    }
}

/// All of them, some at a time.
static void answer_parts(const lf_grid *grid, const lf__heights_batch *b, sorting *sorted) {
    lf__grid_room room;
    patch p = {.packed = grid->packed, .held = {-1, -1}, .rows_of = -1};
    bool posts = grid->surface == LF_SURFACE_POINT;
    const lf_grid *view = posts ? lf__grid_open(grid, NULL, &room) : lf__grid_open_single(grid, &room);
    for (int64_t first = 0; first < b->count; first += AT_ONCE) {
        lf__heights_batch part = *b;
        part.points = point_of(b, first);
        part.heights = height_of(b, first);
        part.count = b->count - first < AT_ONCE ? b->count - first : AT_ONCE;
        sort_by_tile(grid, &part, sorted);
        if (posts) {
            answer_posts(view, &part, sorted->order);
            continue;
        }
        find_corners(sorted, &p);
        grid->packed->heights_on(view, &part, sorted->corners);
    }
}

/// false where there are too few points for that, or no memory.
static bool answer_by_tiles(const lf_grid *grid, const lf__heights_batch *b) {
    int64_t most = b->count < AT_ONCE ? b->count : AT_ONCE;
    sorting sorted = {.tiles = lf__packed_tiles(grid->packed)};
    void *memory;
    if (most / DENSE < sorted.tiles)
        return false;
    int64_t numbers = sorted.tiles + 1 + 6 * most;
    if (lf__take_array(&grid->allocator, numbers, sizeof(uint32_t), &memory) != LF_OK)
        return false;
    sorted.corners = memory;
    sorted.ends = (uint32_t *)memory + 4 * most;
    sorted.cells = sorted.ends + sorted.tiles + 1;
    sorted.order = sorted.cells + most;
    answer_parts(grid, b, &sorted);
    lf__give_array(&grid->allocator, memory, numbers, sizeof(uint32_t));
    return true;
}

void lf__packed_heights_many(const lf_grid *grid, const lf__heights_batch *batch) {
    lf__grid_room room;
    if (batch->count < LEAST_SORTED || !answer_by_tiles(grid, batch))
        answer_in_turn(lf__grid_open_single(grid, &room), batch);
}
