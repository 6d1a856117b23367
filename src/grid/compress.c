/// From samples to tiles of steps.
///
/// Whole numbers are their own steps, with the samples' scale and offset: nothing is lost. Other heights are counted in a unit of nearly
/// twice the error that is allowed, so that the nearest step is within it; for wavelets in a quarter of it, and the rest is left to them.
/// Every tile is decoded again at once and compared with what it was made of.
#include "grid/kernels.h"
#include "grid/packed.h"
#include <string.h>

/// A unit is less than twice the error by this share, which is more than rounding takes.
#define MARGIN 0x1p-16

/// Units per range where bits per coefficient are given, and the error is what comes of it.
#define FINE 0x1p24

typedef struct compressor {
    const lf_grid *grid;
    const lf_samples *samples;
    lf__tile_plan plan;
    bool whole; ///< steps are samples
    double scale, offset;
    double largest, squares;
    int64_t counted;
} compressor;

static bool is_wave(lf_codec codec) {
    return codec == LF_CODEC_HAAR || codec == LF_CODEC_D4;
}

/// Are samples whole numbers? If not, which is the first that is none?
static bool all_whole(const lf_samples *s, int64_t *where) {
    if (s->type == LF_SAMPLE_INT16 || s->type == LF_SAMPLE_UINT16)
        return true;
    for (int64_t j = 0; j < s->rows; j++)
        for (int64_t i = 0; i < s->columns; i++) {
            double sample =
                lf__sample_read(s->type, (const char *)s->values + j * s->row_step + i * s->column_step);
            if (!isnan(lf__samples_height(s, i, j)) &&
                (sample != floor(sample) || fabs(sample) > LF__STEP_LIMIT)) {
                *where = j * s->columns + i;
                return false;
            }
        }
    return true;
}

/// Steps of a unit; the heights' range has been found.
static lf_status choose_unit(compressor *c, double unit, double max_error, lf_error *error) {
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
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "an error of %g is too small for heights from %g to %g",
                        max_error, low, high);
    return LF_OK;
}

static lf_status choose_steps(compressor *c, const lf_grid_def *def, lf_error *error) {
    const lf_samples *s = c->samples;
    bool wave = is_wave(def->codec), bits = def->band_bits[0] > 0;
    bool sixteen = s->type == LF_SAMPLE_INT16 || s->type == LF_SAMPLE_UINT16;
    int64_t where = -1;
    c->plan.kind = lf__tile_kind_of(def->codec);
    memcpy(c->plan.bits, def->band_bits, sizeof c->plan.bits);
    c->whole = true;
    c->scale = s->scale;
    c->offset = s->offset;
    double steps = def->max_error / fabs(s->scale) * (s->scale == 1 && s->offset == 0 ? 1 : 1 - MARGIN);
    if (sixteen && (wave || steps < 0.5)) {
        c->plan.slack = steps < 65536 ? (int32_t)steps : 65536;
        return LF_OK;
    }
    if (bits) {
        double low = c->grid->lowest, high = c->grid->highest;
        double unit = fmax((high - low) / FINE, 0x1p-36 * fmax(fabs(low), fabs(high)));
        return choose_unit(c, low <= high && unit > 0 ? unit : 1, 0, error);
    }
    if (def->max_error > 0) {
        c->plan.slack = wave ? 3 : 0;
        return choose_unit(c, def->max_error * (wave ? 0.25 : 2) * (1 - MARGIN), def->max_error, error);
    }
    if (!all_whole(s, &where))
        return lf__fail(
            error, LF_BAD_ARGUMENT, where,
            "the height %g of column %lld, row %lld is no whole number: say how far off it may be",
            lf__samples_height(s, where % s->columns, where / s->columns), (long long)(where % s->columns),
            (long long)(where / s->columns));
    return LF_OK;
}

static int32_t step_of(const compressor *c, int64_t i, int64_t j, double height) {
    const lf_samples *s = c->samples;
    if (c->whole)
        return (int32_t)lf__sample_read(s->type,
                                        (const char *)s->values + j * s->row_step + i * s->column_step);
    return (int32_t)floor((height - c->offset) / c->scale + 0.5);
}

/// A tile's heights, NaN at holes, and its steps. Holes and what is beyond the border get the step before them, which costs
/// little, and no maximum is higher for it.
static void gather(const compressor *c, int64_t tx, int64_t ty, double *heights, int32_t *steps) {
    const lf_samples *s = c->samples;
    int64_t side = (int64_t)1 << lf__tile_log2(c->plan.kind), at = 0;
    int32_t last = 0;
    bool any = false;
    for (int64_t j = ty * side; j < (ty + 1) * side; j++)
        for (int64_t i = tx * side; i < (tx + 1) * side; i++, at++) {
            int64_t x = i < s->columns ? i : s->columns - 1, y = j < s->rows ? j : s->rows - 1;
            double height = lf__samples_height(s, x, y);
            heights[at] = i < s->columns && j < s->rows ? height : LF_NAN;
            if (!isnan(height)) {
                last = step_of(c, x, y, height);
                for (int64_t k = 0; k < at && !any; k++)
                    steps[k] = last; // holes before the first
                any = true;
            }
            steps[at] = last;
        }
}

static void measure(compressor *c, const double *heights, const int32_t *steps) {
    int64_t count = (int64_t)1 << 2 * lf__tile_log2(c->plan.kind);
    bool plain = c->scale == 1 && c->offset == 0;
    for (int64_t k = 0; k < count; k++)
        if (!isnan(heights[k])) {
            double decoded = plain ? (double)steps[k] : (double)steps[k] * c->scale + c->offset;
            double off = fabs(decoded - heights[k]);
            c->largest = off > c->largest ? off : c->largest;
            c->squares += off * off;
            c->counted++;
        }
}

static lf_status pack_row(compressor *c, lf__packed *packed, int64_t ty) {
    lf_allocator allocator = c->grid->allocator;
    double heights[LF__TILE_MOST];
    int32_t steps[LF__TILE_MOST], decoded[LF__TILE_MOST];
    for (int64_t tx = 0; tx < packed->tile_columns; tx++) {
        lf_status status = lf__array_reserve(&packed->own_bytes, &allocator, LF__TILE_BYTES + 8, 1);
        if (status != LF_OK)
            return status;
        if (packed->own_bytes.count >> 8 * LF__INDEX_ENTRY != 0)
            return LF_TOO_LARGE;
        uint8_t *to = (uint8_t *)packed->own_bytes.items + packed->own_bytes.count;
        gather(c, tx, ty, heights, steps);
        size_t size = lf__tile_encode(&c->plan, steps, to);
        lf__tile_decode(packed->kind, to, size, decoded, NULL);
        measure(c, heights, decoded);
        lf__index_write(packed->own_index, ty * packed->tile_columns + tx, packed->own_bytes.count);
        packed->own_bytes.count += (int64_t)size;
    }
    return LF_OK;
}

static lf_status take(lf_grid *grid, lf_codec codec) {
    lf__packed *p = lf__take(&grid->allocator, sizeof *p, _Alignof(lf__packed));
    if (!p)
        return LF_NO_MEMORY;
    int shift = lf__tile_log2(lf__tile_kind_of(codec));
    *p = (lf__packed){.kind = lf__tile_kind_of(codec),
                      .decode = lf__tile_decoder_for(lf_isa_best()),
                      .two = lf__tile_two_for(lf_isa_best()),
                      .heights_on = lf__packed_heights_on_for(lf_isa_best()),
                      .rays = lf__grid_kernels_decoded(lf_isa_best()),
                      .log2_side = shift,
                      .tile_columns = ((grid->columns - 1) >> shift) + 1,
                      .tile_rows = ((grid->rows - 1) >> shift) + 1};
    grid->packed = p;
    int64_t bytes = lf__packed_tiles(p) * LF__INDEX_ENTRY + LF__INDEX_SPARE; // fewer than posts
    lf_status status = lf__take_array(&grid->allocator, bytes, 1, (void **)&p->own_index);
    if (status == LF_OK)
        memset(p->own_index, 0, (size_t)bytes);
    p->index = p->own_index;
    return status;
}

/// Give back what was taken in advance; where that fails more is kept than need be.
static void trim(const lf_allocator *allocator, lf__array *bytes) {
    if (bytes->count == 0 || bytes->count == bytes->capacity)
        return;
    void *items = allocator->resize(allocator->user, bytes->items, (size_t)bytes->capacity,
                                    (size_t)bytes->count, LF__CACHE_LINE);
    if (items) {
        bytes->items = items;
        bytes->capacity = bytes->count;
    }
}

/// The extremes of what comes back.
static lf_status renew_extremes(lf_grid *grid) {
    lf_status status = lf__packed_begin(grid);
    if (status != LF_OK)
        return status;
    const int64_t low[2] = {0, 0}, high[2] = {grid->columns - 1, grid->rows - 1};
    lf_grid_edit_cost cost = {0, 0};
    for (int64_t k = 0; k < grid->extreme_count; k++)
        grid->extremes[k] = (lf__grid_range){LF_NAN, LF_NAN}; // not known
    lf__grid_renew_extremes(grid, low, high, &cost);
    return LF_OK;
}

lf_status lf__grid_compress(lf_grid *grid, const lf_grid_def *def, lf_error *error) {
    compressor c = {.grid = grid, .samples = &def->samples};
    lf_status status = choose_steps(&c, def, error);
    if (status != LF_OK)
        return status;
    status = take(grid, def->codec);
    lf__packed *packed = grid->packed;
    for (int64_t ty = 0; status == LF_OK && ty < packed->tile_rows; ty++)
        status =
            lf__report(&def->host, "tiles", ty, packed->tile_rows) ? pack_row(&c, packed, ty) : LF_CANCELLED;
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    if (def->band_bits[0] == 0 && c.largest > def->max_error)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "an error of %g is too small: rounding takes %g",
                        def->max_error, c.largest);
    trim(&grid->allocator, &packed->own_bytes);
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
    status = renew_extremes(grid);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}
