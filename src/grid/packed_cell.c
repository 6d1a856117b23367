/// Single cells of a compressed grid: one or two rows of a tile, or of its neighbours, are decoded for them and forgotten.
#include "grid/packed.h"
#include "grid/question.h"
#include <string.h>

/// Where a cell's two rows are taken from.
typedef struct source {
    const lf_grid *grid;
    int64_t i[2], j[2]; ///< of its posts, within the grid
    uint64_t samples;
} source;

/// Bytes of a tile that are asked for in advance, by their number of rows.
#define ON_THE_WAY 256

/// Ask for a tile's bytes, as far as rows up to `row` are likely to reach.
static inline const uint8_t *fetch(const lf__packed *packed, int64_t tile, int64_t row, size_t *size) {
    const uint8_t *bytes = lf__packed_find(packed, tile, size);
    size_t reach = (size_t)((row + 2) * ON_THE_WAY) >> packed->log2_side;
    for (size_t at = 0; at < reach && at < *size; at += LF__CACHE_LINE)
        __builtin_prefetch(bytes + at);
    return bytes;
}

/// The posts in rows j[row] and on, `count` of them, as steps, for both columns.
static void read_rows(source *s, int row, int count, int32_t steps[2][2]) {
    const lf__packed *packed = s->grid->packed;
    int shift = packed->log2_side;
    int64_t mask = ((int64_t)1 << shift) - 1, before = -1;
    int32_t rows[2 * LF__WAVE_SIDE];
    for (int k = 0; k < 2; k++) {
        int64_t tile = (s->j[row] >> shift) * packed->tile_columns + (s->i[k] >> shift);
        if (tile != before) {
            size_t size;
            const uint8_t *bytes = fetch(packed, tile, s->j[row] & mask, &size);
            packed->two(packed->kind, bytes, size, (int)(s->j[row] & mask), count, rows);
            s->samples += (uint64_t)((s->j[row] & mask) + count) << shift;
            before = tile;
        }
        for (int r = 0; r < count; r++)
            steps[row + r][k] = rows[((int64_t)r << shift) + (s->i[k] & mask)];
    }
}

static int64_t clamp(int64_t x, int64_t count) {
    return x < 0 ? 0 : x < count ? x : count - 1;
}

static double height_of(const lf_grid *grid, const source *s, int32_t steps[2][2], int row, int column) {
    if (lf__grid_hole(grid, s->i[column], s->j[row]))
        return LF_NAN;
    double step = (double)steps[row][column];
    return grid->plain ? step : step * grid->scale + grid->offset;
}

lf__grid_corners lf__packed_cell(const lf_grid *grid, int64_t i, int64_t j, uint64_t *samples) {
    source s = {.grid = grid};
    int32_t steps[2][2];
    for (int k = 0; k < 2; k++) {
        s.i[k] = clamp(i + k, grid->columns);
        s.j[k] = clamp(j + k, grid->rows);
    }
    bool together =
        s.j[1] == s.j[0] + 1 && s.j[0] >> grid->packed->log2_side == s.j[1] >> grid->packed->log2_side;
    read_rows(&s, 0, together ? 2 : 1, steps);
    if (!together)
        read_rows(&s, 1, 1, steps);
    *samples += s.samples;
    return (lf__grid_corners){height_of(grid, &s, steps, 0, 0), height_of(grid, &s, steps, 0, 1),
                              height_of(grid, &s, steps, 1, 0), height_of(grid, &s, steps, 1, 1)};
}

// ---------------------------------------------------------------------------------------------------
// Many
// ---------------------------------------------------------------------------------------------------

/// Points whose tiles are on their way before the first of them is decoded.
#define AHEAD 64

typedef struct spot {
    const lf_vec3 *point;
    lf_vec2 place;
    int64_t i, j, tile;
    bool sure; ///< strictly inside of a square that has a surface
} spot;

static void find_spot(const lf_grid *grid, spot *s) {
    const lf__packed *packed = grid->packed;
    s->place = lf__grid_place(grid, s->point->x, s->point->y);
    double x = s->place.x, y = s->place.y;
    s->sure = x >= 0 && y >= 0 && x < (double)grid->cell_columns && y < (double)grid->cell_rows &&
              grid->surface != LF_SURFACE_POSTS;
    if (!s->sure)
        return;
    s->i = (int64_t)x;
    s->j = (int64_t)y;
    s->sure = x > (double)s->i && y > (double)s->j && !lf__grid_gap(grid, s->i, s->j);
    s->tile = (s->j >> packed->log2_side) * packed->tile_columns + (s->i >> packed->log2_side);
    __builtin_prefetch(packed->index + s->tile * LF__INDEX_ENTRY);
}

/// The height at a place that is plainly on the asked side of it, or beyond; false where rounding could make a difference.
static inline bool plain_height(const lf_grid *grid, const spot *s, const lf__grid_corners *h, bool down,
                                double *height) {
    bool falls = lf__grid_falls(grid, s->i, s->j);
    double u = s->place.x - (double)s->i, v = s->place.y - (double)s->j, z = s->point->z;
    double found =
        grid->surface == LF_SURFACE_BILINEAR
            ? lf__patch_height(h, u, v)
            : lf__triangle_height(h, falls, lf__grid_triangle_at(falls, s->i, s->j, s->place), u, v);
    double size = fabs(h->h00) + fabs(h->h10) + fabs(h->h01) + fabs(h->h11) + fabs(z);
    if (!isinf(z) && !(fabs(z - found) > 16 * 0x1p-53 * size))
        return false;
    *height = (z > found) == down ? found : LF_NAN;
    return true;
}

static double height_at(const lf_grid *view, const spot *s, bool down) {
    double height;
    lf_hit hit;
    if (s->sure) {
        lf__grid_corners h = lf__packed_corners(view, s->i, s->j);
        if (plain_height(view, s, &h, down, &height))
            return height;
    }
    lf__grid_ask_height(view, s->point, down, &hit, NULL);
    return hit.kind == LF_HIT_NONE ? LF_NAN : hit.point.z;
}

static const lf_vec3 *point_at(const lf_vec3 *points, size_t stride, int64_t k) {
    return (const lf_vec3 *)(const void *)((const char *)points + (size_t)k * stride);
}

/// In the caller's order, through a view for single cells.
static void answer_in_turn(const lf_grid *view, const lf__heights_batch *b) {
    const lf__packed *packed = view->packed;
    int64_t mask = ((int64_t)1 << packed->log2_side) - 1;
    spot ahead[AHEAD];
    for (int64_t first = 0; first < b->count; first += AHEAD) {
        int number = b->count - first < AHEAD ? (int)(b->count - first) : AHEAD;
        for (int k = 0; k < number; k++) {
            ahead[k].point = point_at(b->points, b->point_stride, first + k);
            find_spot(view, &ahead[k]);
        }
        for (int k = 0; k < number; k++)
            if (ahead[k].sure) {
                size_t size;
                fetch(packed, ahead[k].tile, ahead[k].j & mask, &size);
            }
        for (int k = 0; k < number; k++)
            *(double *)(void *)((char *)b->heights + (size_t)(first + k) * b->height_stride) =
                height_at(view, &ahead[k], b->down);
    }
}

// ---------------------------------------------------------------------------------------------------
// Very many: tile by tile
// ---------------------------------------------------------------------------------------------------

/// Points per tile from which on it is worth bringing them into the order of tiles.
#define DENSE 2

/// Points that are asked for before they are needed.
#define POINTS_AHEAD 32

/// Points that are sorted together: about as many as a second cache holds, or eight for each tile where that is more.
#define AT_ONCE ((int64_t)1 << 17)

/// Fewer than this are not sorted, so that a share of a parallel loop takes no memory.
#define LEAST_SORTED 65536

/// The tile under a point; points that are under none come first.
static inline uint32_t tile_of(const lf_grid *grid, const lf_vec3 *point) {
    const lf__packed *packed = grid->packed;
    lf_vec2 place = lf__grid_place(grid, point->x, point->y);
    if (!(place.x >= 0 && place.y >= 0 && place.x < (double)grid->columns && place.y < (double)grid->rows))
        return 0;
    return (uint32_t)(((int64_t)place.y >> packed->log2_side) * packed->tile_columns +
                      ((int64_t)place.x >> packed->log2_side));
}

/// Points in the order of their tiles.
typedef struct sorting {
    int64_t tiles;
    uint32_t *ends;  ///< of each tile's points in `order`; one more entry than tiles
    uint32_t *order; ///< numbers of points
    uint32_t *under; ///< the tile of each point
} sorting;

static void sort_by_tile(const lf_grid *grid, const lf__heights_batch *b, sorting *s) {
    memset(s->ends, 0, (size_t)(s->tiles + 1) * sizeof *s->ends);
    for (int64_t k = 0; k < b->count; k++) {
        s->under[k] = tile_of(grid, point_at(b->points, b->point_stride, k));
        s->ends[s->under[k] + 1]++;
    }
    for (int64_t t = 0; t < s->tiles; t++)
        s->ends[t + 1] += s->ends[t];
    for (int64_t k = 0; k < b->count; k++)
        s->order[s->ends[s->under[k]]++] = (uint32_t)k;
}

/// Corners that lie in one decoded tile of a grid without holes, in which no post is beyond the grid.
static inline lf__grid_corners corners_in(const lf_grid *grid, const int32_t *steps, int64_t x, int64_t y) {
    int shift = grid->packed->log2_side;
    const int32_t *at = steps + (y << shift) + x, *above = at + ((int64_t)1 << shift);
    double scale = grid->scale, offset = grid->offset;
    lf__grid_corners h = {(double)at[0], (double)at[1], (double)above[0], (double)above[1]};
    if (!grid->plain)
        h = (lf__grid_corners){h.h00 * scale + offset, h.h10 * scale + offset, h.h01 * scale + offset,
                               h.h11 * scale + offset};
    return h;
}

/// The points over a tile. Each tile is decoded once, in a view that keeps it for its neighbours' points too.
static void answer_tile(const lf_grid *view, const lf__heights_batch *b, const sorting *sorted, int64_t first,
                        int64_t last) {
    int64_t mask = ((int64_t)1 << view->packed->log2_side) - 1;
    const int32_t *steps = NULL;
    for (int64_t k = first; k < last; k++) {
        if (k + POINTS_AHEAD < b->count) {
            int64_t next = sorted->order[k + POINTS_AHEAD];
            __builtin_prefetch(point_at(b->points, b->point_stride, next));
            __builtin_prefetch((const char *)b->heights + (size_t)next * b->height_stride, 1);
        }
        spot s = {.point = point_at(b->points, b->point_stride, sorted->order[k])};
        double *height = (double *)(void *)((char *)b->heights + sorted->order[k] * b->height_stride);
        find_spot(view, &s);
        int64_t x = s.i & mask, y = s.j & mask;
        if (s.sure && x < mask && y < mask && !view->holes) {
            steps = steps ? steps : lf__packed_tile(view, s.tile);
            lf__grid_corners h = corners_in(view, steps, x, y);
            if (plain_height(view, &s, &h, b->down, height))
                continue;
        }
        *height = height_at(view, &s, b->down);
        steps = NULL; // another tile may be there now
    }
}

/// All of them, some at a time, so that points and heights stay near.
static void answer_parts(const lf_grid *grid, const lf__heights_batch *b, sorting *sorted) {
    lf__grid_room room;
    const lf_grid *view = lf__grid_open(grid, NULL, &room);
    for (int64_t first = 0; first < b->count; first += AT_ONCE) {
        lf__heights_batch part = *b;
        part.points = point_at(b->points, b->point_stride, first);
        part.heights = (double *)(void *)((char *)b->heights + (size_t)first * b->height_stride);
        part.count = b->count - first < AT_ONCE ? b->count - first : AT_ONCE;
        sort_by_tile(grid, &part, sorted);
        for (int64_t t = 0; t < sorted->tiles; t++)
            answer_tile(view, &part, sorted, t > 0 ? sorted->ends[t - 1] : 0, sorted->ends[t]);
    }
}

/// false where there are too few points for that, or no memory.
static bool answer_sorted(const lf_grid *grid, const lf__heights_batch *b) {
    int64_t most = b->count < AT_ONCE ? b->count : AT_ONCE;
    sorting sorted = {.tiles = lf__packed_tiles(grid->packed)};
    void *memory;
    if (most / DENSE < sorted.tiles ||
        lf__take_array(&grid->allocator, sorted.tiles + 1 + 2 * most, sizeof(uint32_t), &memory) != LF_OK)
        return false;
    sorted.ends = memory;
    sorted.order = sorted.ends + sorted.tiles + 1;
    sorted.under = sorted.order + most;
    answer_parts(grid, b, &sorted);
    lf__give_array(&grid->allocator, memory, sorted.tiles + 1 + 2 * most, sizeof(uint32_t));
    return true;
}

void lf__packed_heights_many(const lf_grid *grid, const lf__heights_batch *batch) {
    lf__grid_room room;
    if (batch->count < LEAST_SORTED || !answer_sorted(grid, batch))
        answer_in_turn(lf__grid_open_single(grid, &room), batch);
}
