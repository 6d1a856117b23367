
/// Compressed grids: decoding tiles, views, memory, single cells.
#include "grid/grid_kernels.h"
#include "grid/packed.h"
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

uint64_t lf__grid_stamp(void) {
    static atomic_uint_fast64_t last;
    return (uint64_t)atomic_fetch_add(&last, 1) + 1;
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

void lf__index_write(uint8_t *index, int64_t tile, int64_t start) {
    for (int k = 0; k < LF__INDEX_ENTRY; k++)
        index[tile * LF__INDEX_ENTRY + k] = (uint8_t)((uint64_t)start >> 8 * k);
}

/// Decode a tile that exists.
static void packed_decode(const lf__packed *packed, int64_t tile, int32_t *steps) {
    size_t size, side = (size_t)1 << packed->log2_side;
    const uint8_t *bytes = lf__packed_find(packed, tile, &size);
    packed->decode(packed->kind, bytes, size, steps,
                   packed->kind == LF__CODEC_MAXPLUS ? steps + side * side : NULL);
}

const int32_t *lf__packed_tile(const lf_grid *view, int64_t tile) {
    const lf__packed *packed = view->packed;
    lf__decoded *d = view->decoded;
    int64_t slot = lf__packed_slot_of(packed, d, tile);
    int32_t *steps = d->steps + slot * lf__packed_slot(packed->kind);
    if (d->tiles[slot] != tile) {
        packed_decode(packed, tile, steps);
        if (packed->tops)
            lf__packed_forget_tops(steps + LF__CODEC_MOST);
        d->tiles[slot] = tile;
        d->samples += (uint64_t)1 << 2 * packed->log2_side;
    }
    d->last_tile = tile;
    d->last = steps;
    return steps;
}

/// The step of a sample from a tile that is decoded for it alone.
static double packed_height_alone(const lf_grid *grid, int64_t tile, int64_t within) {
    int32_t steps[LF__CODEC_MOST]; // space for the maxima of smaller tiles too
    packed_decode(grid->packed, tile, steps);
    return (double)steps[within];
}

double lf__packed_height(const lf_grid *grid, int64_t i, int64_t j) {
    const lf__packed *packed = grid->packed;
    int shift = packed->log2_side;
    int64_t mask = ((int64_t)1 << shift) - 1;
    i = lf__grid_ring_column(grid, i);
    j = lf__grid_ring_row(grid, j);
    if (lf__grid_is_void(grid, i, j)) // as in copies of floats, for callers that test for voids later
        return LF_NAN;
    int64_t tile = (j >> shift) * packed->tile_columns + (i >> shift);
    int64_t within = (j & mask) << shift | (i & mask);
    double step;
    if (!grid->decoded)
        step = packed_height_alone(grid, tile, within);
    else if (grid->decoded->last_tile == tile)
        step = (double)grid->decoded->last[within];
    else
        step = (double)lf__packed_tile(grid, tile)[within];
    return grid->plain ? step : step * grid->scale + grid->offset;
}

void lf__packed_row(const lf_grid *view, int64_t i, int64_t j, int64_t count, double *steps) {
    const lf__packed *packed = view->packed;
    int shift = packed->log2_side;
    int64_t side = (int64_t)1 << shift;
    for (int64_t end = i + count, n; i < end; i += n, steps += n) {
        int64_t tile = (j >> shift) * packed->tile_columns + (i >> shift), x = i & (side - 1);
        const int32_t *from =
            (view->decoded->last_tile == tile ? view->decoded->last : lf__packed_tile(view, tile)) +
            ((j & (side - 1)) << shift) + x;
        n = side - x < end - i ? side - x : end - i;
        for (int64_t k = 0; k < n; k++)
            steps[k] = (double)from[k];
    }
}

lf__grid_corners lf__packed_corners(const lf_grid *grid, int64_t i, int64_t j) {
    const lf__packed *packed = grid->packed;
    lf__decoded *d = grid->decoded;
    int shift = packed->log2_side;
    int64_t mask = ((int64_t)1 << shift) - 1, x = i & mask, y = j & mask;
    uint64_t samples = 0;
    if (!d)
        return lf__packed_cell(grid, i, j, &samples);
    if (d->single) {
        if (d->i != i || d->j != j)
            d->corners = lf__packed_cell(grid, i, j, &d->samples);
        d->i = i;
        d->j = j;
        return d->corners;
    }
    bool one = !grid->voids && i >= 0 && j >= 0 && x < mask && y < mask && i + 1 < grid->columns &&
               j + 1 < grid->rows;
    if (!one)
        return (lf__grid_corners){lf__packed_height(grid, i, j), lf__packed_height(grid, i + 1, j),
                                  lf__packed_height(grid, i, j + 1), lf__packed_height(grid, i + 1, j + 1)};
    int64_t tile = (j >> shift) * packed->tile_columns + (i >> shift);
    const int32_t *at = (d->last_tile == tile ? d->last : lf__packed_tile(grid, tile)) + (y << shift) + x;
    lf__grid_corners h = {(double)at[0], (double)at[1], (double)at[mask + 1], (double)at[mask + 2]};
    if (grid->plain)
        return h;
    double scale = grid->scale, offset = grid->offset;
    return (lf__grid_corners){h.h00 * scale + offset, h.h10 * scale + offset, h.h01 * scale + offset,
                              h.h11 * scale + offset};
}

// ---------------------------------------------------------------------------------------------------
// Views
// ---------------------------------------------------------------------------------------------------

static void packed_clear_slots(lf__decoded *d) {
    for (int64_t k = 0; k < d->columns * d->rows; k++)
        d->tiles[k] = -1;
    d->last_tile = -1;
    d->last = NULL;
}

static void packed_view_init(const lf_grid *grid, lf_grid *view, lf__decoded *decoded) {
    memcpy((void *)view, grid, offsetof(lf_grid, levels) + (size_t)grid->level_count * sizeof *grid->levels);
    view->decoded = decoded;
    // A grid with kernels for lines of sight is in the range of floats, so rays can use theirs.
    bool rays =
        grid->line_level > 0 && grid->first_top <= LF__GRID_BOTTOM && grid->surface != LF_SURFACE_POINT;
    view->kernels = rays ? grid->packed->rays : NULL;
    view->within_tiles =
        grid->packed->tops || (grid->packed->kind == LF__CODEC_MAXPLUS && grid->first_top == LF__CODEC_LOG2);
}

/// The start of the memory of a view, followed by the numbers of tiles, then by their steps.
typedef struct packed_view {
    lf_grid view;
    lf__decoded decoded;
} packed_view;

/// Lay out a view in memory; false where it is too small for 2 x 2 slots.
static bool packed_view_lay_out(const lf_grid *grid, void *space, size_t bytes) {
    size_t slot = sizeof(int64_t) + (size_t)lf__packed_slot(grid->packed->kind) * sizeof(int32_t);
    packed_view *k = space;
    if (bytes < sizeof *k + LF__SCRATCH_SIDE * LF__SCRATCH_SIDE * slot)
        return false;
    k->decoded = (lf__decoded){.columns = LF__SCRATCH_SIDE, .rows = LF__SCRATCH_SIDE};
    while (sizeof *k + (size_t)(2 * k->decoded.columns * k->decoded.rows) * slot <= bytes)
        if (k->decoded.columns > k->decoded.rows)
            k->decoded.rows *= 2;
        else
            k->decoded.columns *= 2;
    k->decoded.tiles = (int64_t *)(void *)(k + 1);
    k->decoded.steps = (int32_t *)(void *)(k->decoded.tiles + k->decoded.columns * k->decoded.rows);
    packed_clear_slots(&k->decoded);
    packed_view_init(grid, &k->view, &k->decoded);
    return true;
}

const lf_grid *lf__grid_open(const lf_grid *grid, lf_cursor *cursor, lf__grid_scratch *space) {
    if (!grid->packed || grid->decoded)
        return grid;
    if (cursor && cursor->space_owner == grid->stamp)
        return &((packed_view *)cursor->space)->view;
    if (cursor && packed_view_lay_out(grid, cursor->space, cursor->space_bytes)) {
        cursor->space_owner = grid->stamp;
        return &((packed_view *)cursor->space)->view;
    }
    packed_view_lay_out(grid, space->bytes, sizeof space->bytes);
    return &((packed_view *)(void *)space->bytes)->view;
}

const lf_grid *lf__grid_open_single(const lf_grid *grid, lf__grid_scratch *space) {
    const lf_grid *view = lf__grid_open(grid, NULL, space);
    if (view != grid) {
        view->decoded->single = true;
        view->decoded->i = view->decoded->j = -2; // no such cell
    }
    return view;
}

void lf__grid_close(const lf_grid *grid, const lf_grid *view, lf_cursor *cursor) {
    if (view == grid)
        return;
    lf_counters cost = {.decoded = view->decoded->samples};
    view->decoded->samples = 0;
    lf__cursor_count(cursor, &cost);
}

/// Memory of the view of a worker: 32 x 32 tiles of the smaller kind, more than a loop over neighbours reads
/// at once.
#define PACKED_WORKER_BYTES ((size_t)1100 << 10)

int lf__host_workers(const lf_host *host) {
    const lf_tasks *tasks = host ? host->tasks : NULL;
    return tasks && tasks->run && tasks->workers > 1 ? tasks->workers : 1;
}

size_t lf__views_bytes(const lf_grid *grid, const lf_host *host) {
    return grid->packed ? (size_t)lf__host_workers(host) * PACKED_WORKER_BYTES : 0;
}

lf_status lf__views_open(lf__views *views, const lf_grid *grid, const lf_host *host) {
    *views = (lf__views){.grid = grid, .allocator = lf__allocator_of(host)};
    if (!grid->packed || grid->decoded)
        return LF_OK;
    int count = lf__host_workers(host);
    lf_status status =
        lf__allocate_array(&views->allocator, count, sizeof *views->cursors, (void **)&views->cursors);
    while (status == LF_OK && views->count < count) {
        status = lf_cursor_create(host, &views->cursors[views->count]);
        if (status == LF_OK)
            status = lf_cursor_set_budget(views->cursors[views->count++], PACKED_WORKER_BYTES);
    }
    for (int k = views->count; k < count && views->cursors; k++)
        views->cursors[k] = NULL;
    views->count = views->cursors ? count : 0;
    if (status != LF_OK)
        lf__views_close(views);
    return status;
}

void lf__views_close(lf__views *views) {
    for (int k = 0; k < views->count; k++)
        lf_cursor_destroy(views->cursors[k]);
    if (views->cursors)
        lf__free_array(&views->allocator, views->cursors, views->count, sizeof *views->cursors);
    *views = (lf__views){.grid = NULL};
}

const lf_grid *lf__views_of(const lf__views *views, int worker) {
    return views->cursors ? lf__grid_open(views->grid, views->cursors[worker], NULL) : views->grid;
}

lf_status lf__packed_begin(lf_grid *grid) {
    const lf__packed *packed = grid->packed;
    lf__decoded *d = lf__allocate(&grid->allocator, sizeof *d, _Alignof(lf__decoded));
    if (!d)
        return LF_NO_MEMORY;
    *d = (lf__decoded){.columns = 1, .rows = 2};
    while (d->columns < packed->tile_columns)
        d->columns *= 2;
    int64_t slots = d->columns * d->rows;
    lf_status status = lf__allocate_array(&grid->allocator, slots, sizeof *d->tiles, (void **)&d->tiles);
    if (status == LF_OK)
        status = lf__allocate_array(&grid->allocator, slots * lf__packed_slot(packed->kind), sizeof *d->steps,
                                    (void **)&d->steps);
    grid->decoded = d;
    if (status == LF_OK)
        packed_clear_slots(d);
    else
        lf__packed_end(grid);
    return status;
}

void lf__packed_forget(lf_grid *grid) {
    packed_clear_slots(grid->decoded);
}

void lf__packed_end(lf_grid *grid) {
    lf__decoded *d = grid->decoded;
    if (!d)
        return;
    int64_t slots = d->columns * d->rows;
    lf__free_array(&grid->allocator, d->steps, slots * lf__packed_slot(grid->packed->kind), sizeof *d->steps);
    lf__free_array(&grid->allocator, d->tiles, slots, sizeof *d->tiles);
    lf__free(&grid->allocator, d, sizeof *d, _Alignof(lf__decoded));
    grid->decoded = NULL;
}

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

lf__packed *lf__packed_create(lf_grid *grid, lf_codec codec) {
    lf__packed *p = lf__allocate(&grid->allocator, sizeof *p, _Alignof(lf__packed));
    if (!p)
        return NULL;
    int shift = lf__codec_log2(lf__codec_kind_of(codec));
    *p = (lf__packed){.kind = lf__codec_kind_of(codec),
                      .decode = lf__codec_decoder_for(lf_isa_best()),
                      .two = lf__codec_two_for(lf_isa_best()),
                      .heights_on = lf__packed_heights_on_for(lf_isa_best()),
                      .rays = lf__grid_kernels_decoded(lf_isa_best()),
                      .log2_side = shift,
                      .tile_columns = ((grid->columns - 1) >> shift) + 1,
                      .tile_rows = ((grid->rows - 1) >> shift) + 1};
    bool wavelet = shift == LF__WAVE_LOG2;
    lf__wave wave = codec == LF_CODEC_D4 ? LF__WAVE_D4 : LF__WAVE_HAAR;
    if (wavelet && grid->leaf == LF__WAVE_SIDE &&
        lf__wave_tops_make(&grid->allocator, wave, &p->tops) != LF_OK) {
        lf__free(&grid->allocator, p, sizeof *p, _Alignof(lf__packed));
        return NULL;
    }
    grid->packed = p;
    return p;
}

void lf__packed_free(const lf_allocator *allocator, lf__packed *packed) {
    if (!packed)
        return;
    lf__array_free(&packed->own_bytes, allocator, 1);
    lf__wave_tops_free(allocator, packed->tops);
    if (packed->own_index)
        lf__free_array(allocator, packed->own_index,
                       lf__packed_tiles(packed) * LF__INDEX_ENTRY + LF__INDEX_SPARE, 1);
    lf__free(allocator, packed, sizeof *packed, _Alignof(lf__packed));
}

lf_status lf__packed_reserve(lf_grid *grid, int64_t bytes) {
    lf__packed *packed = grid->packed;
    lf_status status = lf__array_reserve(&packed->own_bytes, &grid->allocator, bytes, 1);
    packed->bytes = packed->own_bytes.items;
    return status;
}

void lf__packed_change(lf_grid *grid, const lf__packed_change_of *changes, int64_t count,
                       const uint8_t *bytes, int64_t byte_count) {
    lf__packed *packed = grid->packed;
    uint8_t *to = (uint8_t *)packed->own_bytes.items + packed->own_bytes.count;
    memcpy(to, bytes, (size_t)byte_count);
    for (int64_t k = 0; k < count; k++)
        lf__index_write(packed->own_index, changes[k].tile, packed->own_bytes.count + changes[k].start);
    packed->own_bytes.count += byte_count;
    packed->byte_count = packed->own_bytes.count;
    grid->stamp = lf__grid_stamp();
}

// ---------------------------------------------------------------------------------------------------
// Single cells
// ---------------------------------------------------------------------------------------------------

// For a single cell one or two rows of a tile, or of its neighbours, are decoded and not stored.

/// A cell that is being decoded.
typedef struct cell_source {
    const lf_grid *grid;
    int64_t i[2], j[2]; ///< of its samples, within the grid
    uint64_t samples;
} cell_source;

/// Decode the steps of `count` rows from j[row] on, for both columns.
static void cell_read_rows(cell_source *s, int row, int count, int32_t steps[2][2]) {
    const lf__packed *packed = s->grid->packed;
    int shift = packed->log2_side;
    int64_t mask = ((int64_t)1 << shift) - 1, before = -1;
    int32_t rows[2 * LF__WAVE_SIDE];
    for (int k = 0; k < 2; k++) {
        int64_t tile = (s->j[row] >> shift) * packed->tile_columns + (s->i[k] >> shift);
        if (tile != before) {
            size_t size;
            const uint8_t *bytes = lf__packed_fetch(packed, tile, s->j[row] & mask, &size);
            packed->two(packed->kind, bytes, size, (int)(s->j[row] & mask), count, rows);
            s->samples += (uint64_t)((s->j[row] & mask) + count) << shift;
            before = tile;
        }
        for (int r = 0; r < count; r++)
            steps[row + r][k] = rows[((int64_t)r << shift) + (s->i[k] & mask)];
    }
}

static double cell_height(const lf_grid *grid, const cell_source *s, int32_t steps[2][2], int row,
                          int column) {
    if (lf__grid_is_void(grid, s->i[column], s->j[row]))
        return LF_NAN;
    double step = (double)steps[row][column];
    return grid->plain ? step : step * grid->scale + grid->offset;
}

lf__grid_corners lf__packed_cell(const lf_grid *grid, int64_t i, int64_t j, uint64_t *samples) {
    cell_source s = {.grid = grid};
    int32_t steps[2][2];
    for (int k = 0; k < 2; k++) {
        s.i[k] = lf__grid_ring_column(grid, i + k);
        s.j[k] = lf__grid_ring_row(grid, j + k);
    }
    bool together =
        s.j[1] == s.j[0] + 1 && s.j[0] >> grid->packed->log2_side == s.j[1] >> grid->packed->log2_side;
    cell_read_rows(&s, 0, together ? 2 : 1, steps);
    if (!together)
        cell_read_rows(&s, 1, 1, steps);
    *samples += s.samples;
    return (lf__grid_corners){cell_height(grid, &s, steps, 0, 0), cell_height(grid, &s, steps, 0, 1),
                              cell_height(grid, &s, steps, 1, 0), cell_height(grid, &s, steps, 1, 1)};
}

bool lf__packed_query_inside(const lf_grid *grid, const lf_vec3 *point, bool down, lf_hit *hit) {
    lf__packed_spot s = lf__packed_spot_of(grid, point);
    uint64_t samples = 0;
    double height;
    if (!s.sure)
        return false;
    lf__piece piece = {.i = s.i, .j = s.j, .triangle = lf__packed_spot_triangle(grid, &s)};
    lf__grid_corners h = lf__packed_cell(grid, s.i, s.j, &samples);
    if (!lf__packed_spot_height(grid, &s, &h, piece.triangle, &height))
        return false;
    double above = point->z - height;
    if ((above > 0) != down) {
        lf__hit_nothing(hit, LF_REASON_NONE);
        return true;
    }
    *hit = (lf_hit){.point = {point->x, point->y, height}, .t = isinf(above) ? 0 : fabs(above)};
    lf__grid_hit_on(grid, &piece, &h, s.place, hit);
    return true;
}
