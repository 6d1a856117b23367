/// Compressing samples to tiles of steps, and editing these.
///
/// Integer samples are their own steps, with the samples' scale and offset: this is lossless. Other heights
/// are counted in a unit of nearly twice the allowed error, so that the nearest step is within it; for
/// wavelets in a quarter of it, and the rest is left to the wavelets. Every tile is decoded at once and
/// compared with its samples.
#include "grid/grid_kernels.h"
#include "grid/packed.h"
#include <string.h>

/// A unit is less than twice the error by this part of it, which is more than rounding errors.
#define COMPRESS_MARGIN 0x1p-16

/// Units per range of heights where bits per coefficient are given instead of an error.
#define COMPRESS_FINE 0x1p24

typedef struct compressor {
    const lf_grid *grid;
    const lf_samples *samples;
    lf__codec_plan plan;
    bool whole; ///< steps are samples
    double scale, offset;
    double largest, squares;
    int64_t counted;

    // Bands that are coarser than tiles: of the means of squares of 2^coarse x 2^coarse tiles.
    int coarse; ///< 0: none
    int coarse_bits[LF_CODEC_COARSE_BANDS];
    double *means;   ///< rounded, of the tiles of a row of squares, row by row
    int64_t rounded; ///< the row of squares, from 1, that these are of; 0: none yet
} compressor;

static bool compress_is_wave(lf_codec codec) {
    return codec == LF_CODEC_HAAR || codec == LF_CODEC_D4;
}

/// Are all samples whole numbers? If not, `where` is the first that is not.
static bool compress_all_whole(const lf_samples *s, int64_t *where) {
    if (s->type == LF_SAMPLE_INT16 || s->type == LF_SAMPLE_UINT16)
        return true;
    for (int64_t j = 0; j < s->rows; j++)
        for (int64_t i = 0; i < s->columns; i++) {
            double sample = lf__sample_read(s->type, lf__samples_at(s, i, j));
            if (!isnan(lf__samples_height(s, i, j)) &&
                (sample != floor(sample) || fabs(sample) > LF__STEP_LIMIT)) {
                *where = j * s->columns + i;
                return false;
            }
        }
    return true;
}

/// Choose steps of a unit; the range of heights is known.
static lf_status compress_choose_unit(compressor *c, double unit, double max_error, lf_error *error) {
    const lf_grid *grid = c->grid;
    double low = grid->lowest, high = grid->highest;
    c->whole = false;
    c->scale = unit;
    c->offset = 0;
    if (!(low <= high))
        return LF_OK;
    if (fmax(fabs(low), fabs(high)) / unit >= LF__STEP_LIMIT - 2)
        c->offset = low;
    if (!((high - c->offset) / unit < LF__STEP_LIMIT - 2) || !(unit > 0x1p-40 * fmax(fabs(low), fabs(high))))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "max_error is %g: too small for heights from %g to %g",
                        max_error, low, high);
    return LF_OK;
}

static lf_status compress_choose_steps(compressor *c, const lf_grid_def *def, lf_error *error) {
    const lf_samples *s = c->samples;
    bool wave = compress_is_wave(def->codec), bits = def->band_bits[0] > 0;
    bool sixteen = s->type == LF_SAMPLE_INT16 || s->type == LF_SAMPLE_UINT16;
    int64_t where = -1;
    c->plan.kind = lf__codec_kind_of(def->codec);
    memcpy(c->plan.bits, def->band_bits, sizeof c->plan.bits);
    for (int k = 0; k < LF_CODEC_COARSE_BANDS; k++)
        if (def->coarse_bits[k] > 0)
            c->coarse_bits[c->coarse++] = def->coarse_bits[k];
    c->whole = true;
    c->scale = s->scale;
    c->offset = s->offset;
    double steps =
        def->max_error / fabs(s->scale) * (s->scale == 1 && s->offset == 0 ? 1 : 1 - COMPRESS_MARGIN);
    if (sixteen && (wave || steps < 0.5)) {
        c->plan.slack = steps < 65536 ? (int32_t)steps : 65536;
        return LF_OK;
    }
    if (bits) {
        double low = c->grid->lowest, high = c->grid->highest;
        double unit = fmax((high - low) / COMPRESS_FINE, 0x1p-36 * fmax(fabs(low), fabs(high)));
        return compress_choose_unit(c, low <= high && unit > 0 ? unit : 1, 0, error);
    }
    if (def->max_error > 0) {
        c->plan.slack = wave ? 3 : 0;
        return compress_choose_unit(c, def->max_error * (wave ? 0.25 : 2) * (1 - COMPRESS_MARGIN),
                                    def->max_error, error);
    }
    if (!compress_all_whole(s, &where))
        return lf__fail(error, LF_BAD_ARGUMENT, where,
                        "height %g of column %lld, row %lld: not a whole number, requires max_error",
                        lf__samples_height(s, where % s->columns, where / s->columns),
                        (long long)(where % s->columns), (long long)(where / s->columns));
    return LF_OK;
}

static int32_t compress_step(const compressor *c, int64_t i, int64_t j, double height) {
    const lf_samples *s = c->samples;
    if (c->whole)
        return (int32_t)lf__sample_read(s->type, lf__samples_at(s, i, j));
    return (int32_t)floor((height - c->offset) / c->scale + 0.5);
}

/// Collect the heights of a tile, NaN at voids, and its steps. Voids and samples outside of the grid get the
/// previous step, which costs few bits and does not raise a maximum.
static void compress_gather(const compressor *c, int64_t tx, int64_t ty, double *heights, int32_t *steps) {
    const lf_samples *s = c->samples;
    int64_t side = (int64_t)1 << lf__codec_log2(c->plan.kind), at = 0;
    int32_t last = 0;
    bool any = false;
    for (int64_t j = ty * side; j < (ty + 1) * side; j++)
        for (int64_t i = tx * side; i < (tx + 1) * side; i++, at++) {
            int64_t x = i < s->columns ? i : s->columns - 1, y = j < s->rows ? j : s->rows - 1;
            double height = lf__samples_height(s, x, y);
            heights[at] = i < s->columns && j < s->rows ? height : LF_NAN;
            if (!isnan(height)) {
                last = compress_step(c, x, y, height);
                for (int64_t k = 0; k < at && !any; k++)
                    steps[k] = last; // voids before the first height
                any = true;
            }
            steps[at] = last;
        }
}

/// The errors of a tile's heights; NaN at voids.
static void compress_measure(const compressor *c, const double *heights, const int32_t *steps, double *off) {
    int64_t count = (int64_t)1 << 2 * lf__codec_log2(c->plan.kind);
    bool plain = c->scale == 1 && c->offset == 0;
    for (int64_t k = 0; k < count; k++) {
        double decoded = plain ? (double)steps[k] : (double)steps[k] * c->scale + c->offset;
        off[k] = fabs(decoded - heights[k]);
    }
}

/// Sums are in the order of tiles and samples, whichever thread has encoded them.
static void compress_sum(compressor *c, const double *off) {
    int64_t count = (int64_t)1 << 2 * lf__codec_log2(c->plan.kind);
    for (int64_t k = 0; k < count; k++)
        if (!isnan(off[k])) {
            c->largest = off[k] > c->largest ? off[k] : c->largest;
            c->squares += off[k] * off[k];
            c->counted++;
        }
}

/// Round the means of the tiles of a row of squares, from tile row `ty` on. Beyond the last column and row tiles are repeated.
static void compress_round_means(compressor *c, const lf__packed *packed, int64_t ty) {
    enum { MOST = 1 << LF_CODEC_COARSE_BANDS };
    double heights[LF__CODEC_MOST], square[MOST * MOST];
    int32_t steps[LF__CODEC_MOST];
    int64_t side = (int64_t)1 << c->coarse, columns = packed->tile_columns;
    lf__wave wave = c->plan.kind == LF__CODEC_D4 ? LF__WAVE_D4 : LF__WAVE_HAAR;
    for (int64_t y = 0; y < side && ty + y < packed->tile_rows; y++)
        for (int64_t x = 0; x < columns; x++) {
            compress_gather(c, x, ty + y, heights, steps);
            c->means[y * columns + x] = lf__wave_tile_mean(c->plan.kind, steps);
        }
    int64_t last_row = packed->tile_rows - ty < side ? packed->tile_rows - ty - 1 : side - 1;
    for (int64_t x0 = 0; x0 < columns; x0 += side) {
        for (int64_t k = 0; k < side * side; k++) {
            int64_t x = x0 + k % side, y = k / side;
            square[k] = c->means[(y < last_row ? y : last_row) * columns + (x < columns ? x : columns - 1)];
        }
        lf__wave_forward(wave, square, c->coarse);
        lf__wave_quantise(square, c->coarse, c->coarse_bits);
        lf__wave_back(wave, square, c->coarse);
        for (int64_t y = 0; y <= last_row; y++)
            for (int64_t x = x0; x < x0 + side && x < columns; x++)
                c->means[y * columns + x] = square[y * side + (x - x0)];
    }
}

// ---------------------------------------------------------------------------------------------------
// Batches of tiles, which threads encode, and which may be kept
// ---------------------------------------------------------------------------------------------------

#define COMPRESS_BATCH 256 // tiles

/// What is kept of a batch: this, the bytes of each tile (u32), the tiles.
typedef struct compress_record {
    int64_t first, count, bytes;
    double largest, squares; ///< of all tiles so far
    int64_t counted;
} compress_record;

typedef struct compress_batch {
    const compressor *c;
    int64_t tile_columns, first, count;
    uint32_t sizes[COMPRESS_BATCH];
    double *off;    ///< LF__CODEC_MOST per tile
    uint8_t *bytes; ///< LF__CODEC_BYTES + 8 per tile
} compress_batch;

#define COMPRESS_SPACE ((size_t)LF__CODEC_BYTES + 8)

static void compress_tiles(void *job, int64_t first, int64_t last, int worker) {
    compress_batch *batch = job;
    const compressor *c = batch->c;
    double heights[LF__CODEC_MOST];
    int32_t steps[LF__CODEC_MOST], decoded[LF__CODEC_MOST];
    lf__codec_plan plan = c->plan;
    plan.mean_given = c->coarse > 0;
    (void)worker;
    for (int64_t k = first; k < last; k++) {
        int64_t tile = batch->first + k;
        uint8_t *to = batch->bytes + (size_t)k * COMPRESS_SPACE;
        compress_gather(c, tile % batch->tile_columns, tile / batch->tile_columns, heights, steps);
        if (c->coarse > 0)
            plan.mean = c->means[tile % (batch->tile_columns << c->coarse)];
        size_t size = lf__codec_encode(&plan, steps, to);
        lf__codec_decode(c->plan.kind, to, size, decoded, NULL);
        compress_measure(c, heights, decoded, batch->off + (size_t)k * LF__CODEC_MOST);
        batch->sizes[k] = (uint32_t)size;
    }
}

/// Append a tile to the grid.
static lf_status compress_append(const lf_grid *grid, lf__packed *packed, int64_t tile, const uint8_t *bytes,
                                 size_t size) {
    // As much as a tile may have, and what decoders read beyond one.
    lf_status status = lf__array_reserve(&packed->own_bytes, &grid->allocator, LF__CODEC_BYTES + 8, 1);
    if (status != LF_OK)
        return status;
    if (packed->own_bytes.count >> 8 * LF__INDEX_ENTRY != 0)
        return LF_TOO_LARGE;
    memcpy((uint8_t *)packed->own_bytes.items + packed->own_bytes.count, bytes, size);
    lf__index_write(packed->own_index, tile, packed->own_bytes.count);
    packed->own_bytes.count += (int64_t)size;
    return LF_OK;
}

/// Take over a batch that was kept; *taken is false without one. One that does not fit ends what can be taken over.
static lf_status compress_load(compressor *c, lf__packed *packed, const lf_grid_keep *keep, int64_t first,
                               int64_t count, bool *taken) {
    size_t bytes = 0, used = 0;
    const uint8_t *record = keep ? keep->load(keep->user, &bytes) : NULL;
    compress_record head;
    uint32_t sizes[COMPRESS_BATCH];
    *taken = false;
    if (!record || bytes < sizeof head + (size_t)count * sizeof *sizes)
        return LF_OK;
    memcpy(&head, record, sizeof head);
    memcpy(sizes, record + sizeof head, (size_t)count * sizeof *sizes);
    record += sizeof head + (size_t)count * sizeof *sizes;
    bytes -= sizeof head + (size_t)count * sizeof *sizes;
    for (int64_t k = 0; k < count; k++)
        used += sizes[k];
    if (head.first != first || head.count != count || used != bytes)
        return LF_OK;
    lf_status status = LF_OK;
    for (int64_t k = 0; k < count && status == LF_OK; record += sizes[k], k++)
        status = sizes[k] <= LF__CODEC_BYTES ? compress_append(c->grid, packed, first + k, record, sizes[k])
                                             : LF_BAD_FORMAT;
    c->largest = head.largest;
    c->squares = head.squares;
    c->counted = head.counted;
    *taken = true;
    return status;
}

/// Encode a batch on all threads, append it and keep it.
static lf_status compress_encode(compressor *c, lf__packed *packed, const lf_grid_def *def,
                                 compress_batch *batch) {
    int64_t square_rows = batch->first / (batch->tile_columns << c->coarse);
    if (c->coarse > 0 && c->rounded != square_rows + 1) {
        compress_round_means(c, packed, square_rows << c->coarse);
        c->rounded = square_rows + 1;
    }
    lf__run(def->host.tasks, batch->count, 8, compress_tiles, batch);
    compress_record head = {batch->first, batch->count, 0, 0, 0, 0};
    for (int64_t k = 0; k < batch->count; k++) {
        const uint8_t *bytes = batch->bytes + (size_t)k * COMPRESS_SPACE;
        compress_sum(c, batch->off + (size_t)k * LF__CODEC_MOST);
        lf_status status = compress_append(c->grid, packed, batch->first + k, bytes, batch->sizes[k]);
        if (status != LF_OK)
            return status;
        head.bytes += batch->sizes[k];
    }
    if (!def->keep)
        return LF_OK;
    head.largest = c->largest, head.squares = c->squares, head.counted = c->counted;
    // The errors have been summed: their space takes the record.
    size_t front = sizeof head + (size_t)batch->count * sizeof *batch->sizes, used = front;
    uint8_t *record = (uint8_t *)batch->off;
    memcpy(record, &head, sizeof head);
    memcpy(record + sizeof head, batch->sizes, front - sizeof head);
    for (int64_t k = 0; k < batch->count; used += batch->sizes[k], k++)
        memcpy(record + used, batch->bytes + (size_t)k * COMPRESS_SPACE, batch->sizes[k]);
    return def->keep->save(def->keep->user, record, used) ? LF_OK : LF_IO_FAILED;
}

_Static_assert(sizeof(compress_record) + COMPRESS_BATCH * (sizeof(uint32_t) + LF__CODEC_BYTES) <=
                   COMPRESS_BATCH * LF__CODEC_MOST * sizeof(double),
               "a record has space where the errors were");

static lf_status compress_all(compressor *c, lf__packed *packed, const lf_grid_def *def) {
    lf_allocator allocator = c->grid->allocator;
    int64_t tiles = lf__packed_tiles(packed);
    compress_batch batch = {.c = c, .tile_columns = packed->tile_columns};
    lf_status status = lf__allocate_array(&allocator, COMPRESS_BATCH * LF__CODEC_MOST, sizeof *batch.off,
                                          (void **)&batch.off);
    if (status == LF_OK)
        status = lf__allocate_array(&allocator, COMPRESS_BATCH, COMPRESS_SPACE, (void **)&batch.bytes);
    bool taken = def->keep != NULL;
    for (; status == LF_OK && batch.first < tiles; batch.first += batch.count) {
        batch.count = tiles - batch.first < COMPRESS_BATCH ? tiles - batch.first : COMPRESS_BATCH;
        // Means of tiles are known for one row of squares at a time.
        int64_t row_tiles = packed->tile_columns << c->coarse, left = row_tiles - batch.first % row_tiles;
        if (c->coarse > 0 && left < batch.count)
            batch.count = left;
        if (!lf__report(&def->host, "tiles", batch.first / packed->tile_columns, packed->tile_rows))
            status = LF_CANCELLED;
        if (status == LF_OK && taken)
            status = compress_load(c, packed, def->keep, batch.first, batch.count, &taken);
        if (status == LF_OK && !taken)
            status = compress_encode(c, packed, def, &batch);
    }
    lf__free_array(&allocator, batch.bytes, COMPRESS_BATCH, COMPRESS_SPACE);
    lf__free_array(&allocator, batch.off, COMPRESS_BATCH * LF__CODEC_MOST, sizeof *batch.off);
    return status;
}

static lf_status compress_allocate(lf_grid *grid, lf_codec codec) {
    lf__packed *p = lf__packed_create(grid, codec);
    if (!p)
        return LF_NO_MEMORY;
    int64_t bytes =
        lf__packed_tiles(p) * LF__INDEX_ENTRY + LF__INDEX_SPARE; // cannot overflow: fewer than samples
    lf_status status = lf__allocate_array(&grid->allocator, bytes, 1, (void **)&p->own_index);
    if (status == LF_OK)
        memset(p->own_index, 0, (size_t)bytes);
    p->index = p->own_index;
    return status;
}

/// Free unused capacity; where that fails the memory is kept.
static void compress_trim(const lf_allocator *allocator, lf__array *bytes) {
    if (bytes->count == 0 || bytes->count == bytes->capacity)
        return;
    void *items = allocator->resize(allocator->user, bytes->items, (size_t)bytes->capacity,
                                    (size_t)bytes->count, LF__CACHE_LINE);
    if (items) {
        bytes->items = items;
        bytes->capacity = bytes->count;
    }
}

/// Recompute the extremes from decoded heights.
static lf_status compress_extremes(lf_grid *grid) {
    lf_status status = lf__packed_begin(grid);
    if (status != LF_OK)
        return status;
    const int64_t low[2] = {0, 0}, high[2] = {grid->columns - 1, grid->rows - 1};
    lf_grid_edit_cost cost = {0, 0};
    for (int64_t k = 0; k < grid->extreme_count; k++)
        grid->extremes[k] = (lf__grid_range){LF_NAN, LF_NAN}; // unknown
    lf__grid_renew_extremes(grid, low, high, &cost);
    return LF_OK;
}

lf_status lf__grid_compress(lf_grid *grid, const lf_grid_def *def, lf_error *error) {
    compressor c = {.grid = grid, .samples = &def->samples};
    lf_status status = compress_choose_steps(&c, def, error);
    if (status != LF_OK)
        return status;
    status = compress_allocate(grid, def->codec);
    lf__packed *packed = grid->packed;
    int64_t mean_count = c.coarse > 0 && status == LF_OK ? packed->tile_columns << c.coarse : 0;
    if (mean_count > 0)
        status = lf__allocate_array(&grid->allocator, mean_count, sizeof *c.means, (void **)&c.means);
    if (status == LF_OK)
        status = compress_all(&c, packed, def);
    lf__free_array(&grid->allocator, c.means, mean_count, sizeof *c.means);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    if (def->band_bits[0] == 0 && c.largest > def->max_error)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "max_error is %g: too small, the rounding error is %g",
                        def->max_error, c.largest);
    compress_trim(&grid->allocator, &packed->own_bytes);
    packed->bytes = packed->own_bytes.items;
    packed->byte_count = packed->own_bytes.count;
    packed->max_error = def->max_error;
    packed->largest_error = c.largest;
    packed->mean_square_error = c.counted > 0 ? c.squares / (double)c.counted : 0;
    grid->values = NULL;
    grid->column_step = grid->row_step = 0;
    grid->type = LF_SAMPLE_DOUBLE;
    grid->scale = c.scale;
    grid->offset = c.offset;
    grid->plain = c.scale == 1 && c.offset == 0;
    status = compress_extremes(grid);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

// ---------------------------------------------------------------------------------------------------
// Edits
// ---------------------------------------------------------------------------------------------------

bool lf__packed_step_for(const lf_grid *grid, double height, int32_t *step) {
    double near = floor((height - grid->offset) / grid->scale + 0.5);
    if (!(fabs(near) < LF__STEP_LIMIT))
        return false;
    for (int k = -1; k <= 1; k++) { // neighbours too, because division is rounded
        double tried = near + k, stands = grid->plain ? tried : tried * grid->scale + grid->offset;
        if (stands == height || (k == 0 && fabs(stands - height) <= grid->packed->max_error)) {
            *step = (int32_t)tried;
            return true;
        }
    }
    return false;
}

/// Write the samples of an edit to the steps of a tile; new voids keep their steps.
static void packed_put_samples(const lf_grid *grid, const lf_samples *samples, const int64_t low[2],
                               int64_t tile, int32_t *steps) {
    int shift = grid->packed->log2_side;
    int64_t side = (int64_t)1 << shift, x0 = (tile % grid->packed->tile_columns) << shift,
            y0 = (tile / grid->packed->tile_columns) << shift;
    for (int64_t y = y0; y < y0 + side; y++)
        for (int64_t x = x0; x < x0 + side; x++) {
            int64_t i = x - low[0], j = y - low[1];
            if (i < 0 || j < 0 || i >= samples->columns || j >= samples->rows)
                continue;
            double height = lf__samples_height(samples, i, j);
            if (!isnan(height))
                lf__packed_step_for(grid, height, &steps[(y - y0) * side + (x - x0)]);
        }
}

/// Other samples of the tile keep their decoded steps, so their errors do not grow.
static lf_status packed_write_tile(lf__packed_edit *edit, lf_grid *grid, const lf_samples *samples,
                                   const int64_t low[2], int64_t tile) {
    int32_t steps[LF__CODEC_MOST];
    lf__codec_plan plan = {.kind = grid->packed->kind};
    lf_status status = lf__array_reserve(&edit->bytes, &grid->allocator, LF__CODEC_BYTES + 8, 1);
    if (status == LF_OK)
        status = lf__array_reserve(&edit->changes, &grid->allocator, 1, sizeof(lf__packed_change_of));
    if (status != LF_OK)
        return status;
    memcpy(steps, lf__packed_tile(grid, tile), sizeof *steps << 2 * grid->packed->log2_side);
    packed_put_samples(grid, samples, low, tile, steps);
    ((lf__packed_change_of *)edit->changes.items)[edit->changes.count++] =
        (lf__packed_change_of){tile, edit->bytes.count};
    edit->bytes.count +=
        (int64_t)lf__codec_encode(&plan, steps, (uint8_t *)edit->bytes.items + edit->bytes.count);
    return LF_OK;
}

lf_status lf__packed_edit_start(lf__packed_edit *edit, lf_grid *grid, const lf_samples *samples,
                                const int64_t low[2]) {
    int shift = grid->packed->log2_side;
    *edit = (lf__packed_edit){{NULL, 0, 0}, {NULL, 0, 0}};
    lf_status status = lf__packed_begin(grid);
    if (status != LF_OK)
        return status;
    for (int64_t ty = low[1] >> shift; ty <= (low[1] + samples->rows - 1) >> shift; ty++)
        for (int64_t tx = low[0] >> shift; tx <= (low[0] + samples->columns - 1) >> shift; tx++)
            if (status == LF_OK)
                status = packed_write_tile(edit, grid, samples, low, ty * grid->packed->tile_columns + tx);
    if (status == LF_OK)
        status = lf__packed_reserve(grid, edit->bytes.count);
    if (status == LF_OK && (grid->packed->byte_count + edit->bytes.count) >> 8 * LF__INDEX_ENTRY != 0)
        status = LF_TOO_LARGE;
    if (status != LF_OK)
        lf__packed_edit_end(edit, grid);
    return status;
}

void lf__packed_edit_apply(const lf__packed_edit *edit, lf_grid *grid) {
    lf__packed_change(grid, edit->changes.items, edit->changes.count, edit->bytes.items, edit->bytes.count);
    lf__packed_forget(grid);
    grid->packed->largest_error = fmax(grid->packed->largest_error, grid->packed->max_error);
}

void lf__packed_edit_end(lf__packed_edit *edit, lf_grid *grid) {
    lf__array_free(&edit->bytes, &grid->allocator, 1);
    lf__array_free(&edit->changes, &grid->allocator, sizeof(lf__packed_change_of));
    lf__packed_end(grid);
}
