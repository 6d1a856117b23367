/// Reading the caller's samples: checks, copies, voids.
#include "base/base.h"
#include "grid/grid_kernels.h"
#include <float.h>
#include <math.h>
#include <string.h>

/// Samples between two reports of progress.
#define SAMPLES_STRETCH ((int64_t)1 << 22)

size_t lf__sample_size(lf_sample_type type) {
    switch (type) {
    case LF_SAMPLE_FLOAT:
        return sizeof(float);
    case LF_SAMPLE_DOUBLE:
        return sizeof(double);
    case LF_SAMPLE_INT16:
        return sizeof(int16_t);
    case LF_SAMPLE_UINT16:
        return sizeof(uint16_t);
    }
    return 0;
}

/// Does (count - 1) * |step| + more fit into an address difference?
static bool samples_reach(int64_t count, ptrdiff_t step, size_t more, size_t *bytes) {
    return step > -PTRDIFF_MAX && lf__size_array(count - 1, (size_t)(step < 0 ? -step : step), bytes) &&
           lf__size_add(*bytes, more, bytes);
}

static lf_status samples_check_steps(lf_samples *s, size_t item, lf_error *error) {
    size_t row, all;
    if (s->column_step == 0)
        s->column_step = (ptrdiff_t)item;
    if (s->column_step % (ptrdiff_t)item != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "column_step is %td: must be a multiple of the sample size %zu", s->column_step,
                        item);
    if (!samples_reach(s->columns, s->column_step,
                       (size_t)(s->column_step < 0 ? -s->column_step : s->column_step), &row))
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld columns: exceed the address space",
                        (long long)s->columns);
    if (s->row_step == 0)
        s->row_step = (ptrdiff_t)row;
    if (s->row_step % (ptrdiff_t)item != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "row_step is %td: must be a multiple of the sample size %zu", s->row_step, item);
    if (s->mask_row_step == 0)
        s->mask_row_step = (ptrdiff_t)s->columns;
    if (!samples_reach(s->rows, s->row_step, row, &all) ||
        (s->mask && !samples_reach(s->rows, s->mask_row_step, row, &all)))
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld x %lld samples: exceed the address space",
                        (long long)s->columns, (long long)s->rows);
    return LF_OK;
}

lf_status lf__samples_check(lf_samples *s, int64_t least, lf_error *error) {
    size_t item = lf__sample_size(s->type);
    int64_t count;
    if (item == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "sample type is %d: must be a value of lf_sample_type",
                        (int)s->type);
    if (s->columns < least || s->rows < least)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld x %lld samples: must be at least %lld x %lld",
                        (long long)s->columns, (long long)s->rows, (long long)least, (long long)least);
    if (__builtin_mul_overflow(s->columns, s->rows, &count))
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld x %lld samples: their number exceeds 64 bits",
                        (long long)s->columns, (long long)s->rows);
    if (!s->values || (uintptr_t)s->values % item != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "values is %p: must be a multiple of the sample size %zu, not NULL", s->values, item);
    if (!isfinite(s->scale) || s->scale == 0 || !isfinite(s->offset))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "scale is %g, offset is %g: must be finite, scale not 0",
                        s->scale, s->offset);
    return samples_check_steps(s, item, error);
}

static inline double samples_at(const lf_samples *s, int64_t i, int64_t j) {
    return lf__sample_read(s->type, lf__samples_at(s, i, j));
}

static inline bool samples_is_void(const lf_samples *s, double sample, int64_t i, int64_t j) {
    return !isfinite(sample) || sample == s->nodata || (s->mask && s->mask[j * s->mask_row_step + i] == 0);
}

static inline double samples_height(const lf_samples *s, double sample) {
    return s->scale == 1 && s->offset == 0 ? sample : sample * s->scale + s->offset;
}

double lf__samples_height(const lf_samples *s, int64_t i, int64_t j) {
    double sample = samples_at(s, i, j);
    return samples_is_void(s, sample, i, j) ? LF_NAN : samples_height(s, sample);
}

// ---------------------------------------------------------------------------------------------------
// The first pass: check and copy
// ---------------------------------------------------------------------------------------------------

/// The results of one worker, padded to a cache line against false sharing.
typedef struct samples_findings {
    int64_t voids;
    int64_t bad; ///< the first sample that is too high or low, or INT64_MAX
    lf__grid_range range;
    char unused[LF__CACHE_LINE - 4 * 8];
} samples_findings;

typedef struct samples_scan {
    lf_grid *grid;
    const lf_samples *samples;
    samples_findings *found; ///< per worker
    int64_t row;             ///< of index 0
    const lf_window *part;   ///< whose rows are counted
    lf__grid_range range;    ///< of all samples of a partial grid, if known
    const lf__bounds_kernels *kernels;
} samples_scan;

/// Write a void to a copy, where its type has NaN.
static void samples_mark_void(lf_sample_type type, char *at) {
    if (type == LF_SAMPLE_FLOAT)
        *(float *)(void *)at = NAN;
    else if (type == LF_SAMPLE_DOUBLE)
        *(double *)(void *)at = LF_NAN;
}

/// Values that are compared at a time.
#define SAMPLES_LANES 16

/// The least and greatest of some floats; false where one of them is not finite or is nodata (NAN: there is none).
static bool samples_float_range(const float *values, int64_t count, float nodata, lf__grid_range *range) {
    float low[SAMPLES_LANES], high[SAMPLES_LANES];
    int32_t odd[SAMPLES_LANES] = {0};
    for (int k = 0; k < SAMPLES_LANES; k++)
        low[k] = high[k] = values[0];
    int64_t i = 0;
    for (; i + SAMPLES_LANES <= count; i += SAMPLES_LANES)
        for (int k = 0; k < SAMPLES_LANES; k++) {
            float value = values[i + k];
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
            odd[k] |= !(fabsf(value) <= FLT_MAX) | (value == nodata);
        }
    for (; i < count; i++) {
        low[0] = values[i] < low[0] ? values[i] : low[0];
        high[0] = values[i] > high[0] ? values[i] : high[0];
        odd[0] |= !(fabsf(values[i]) <= FLT_MAX) | (values[i] == nodata);
    }
    for (int k = 1; k < SAMPLES_LANES; k++) {
        low[0] = low[k] < low[0] ? low[k] : low[0];
        high[0] = high[k] > high[0] ? high[k] : high[0];
        odd[0] |= odd[k];
    }
    *range = (lf__grid_range){(double)low[0], (double)high[0]};
    return !odd[0];
}

/// The same of 16-bit integers; `has` where nodata is one of their values.
static bool samples_int16_range(const int16_t *values, int64_t count, int16_t nodata, bool has,
                                lf__grid_range *range) {
    int16_t low[SAMPLES_LANES], high[SAMPLES_LANES], odd[SAMPLES_LANES] = {0};
    for (int k = 0; k < SAMPLES_LANES; k++)
        low[k] = high[k] = values[0];
    int64_t i = 0;
    for (; i + SAMPLES_LANES <= count; i += SAMPLES_LANES)
        for (int k = 0; k < SAMPLES_LANES; k++) {
            int16_t value = values[i + k];
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
            odd[k] = (int16_t)(odd[k] | (value == nodata));
        }
    for (; i < count; i++) {
        low[0] = values[i] < low[0] ? values[i] : low[0];
        high[0] = values[i] > high[0] ? values[i] : high[0];
        odd[0] = (int16_t)(odd[0] | (values[i] == nodata));
    }
    for (int k = 1; k < SAMPLES_LANES; k++) {
        low[0] = low[k] < low[0] ? low[k] : low[0];
        high[0] = high[k] > high[0] ? high[k] : high[0];
        odd[0] = (int16_t)(odd[0] | odd[k]);
    }
    *range = (lf__grid_range){(double)low[0], (double)high[0]};
    return !(has && odd[0]);
}

/// The range of the heights of some samples of a row in a single pass; false where one is void or too high or low, or where
/// their type has no such pass.
static bool samples_fast_range(const lf_samples *s, int64_t j, int64_t from, int64_t to,
                               lf__grid_range *range) {
    const void *at = lf__samples_at(s, from, j);
    bool fine = false;
    if (s->mask || to <= from || s->column_step != (ptrdiff_t)lf__sample_size(s->type))
        return false;
    if (s->type == LF_SAMPLE_FLOAT)
        fine = samples_float_range(at, to - from, fabs(s->nodata) <= (double)FLT_MAX ? (float)s->nodata : NAN,
                                   range);
    else if (s->type == LF_SAMPLE_INT16) {
        bool has = s->nodata >= INT16_MIN && s->nodata <= INT16_MAX && s->nodata == floor(s->nodata);
        fine = samples_int16_range(at, to - from, has ? (int16_t)s->nodata : 0, has, range);
    }
    if (!fine)
        return false;
    // Scaling keeps or reverses the order, rounding included.
    double a = samples_height(s, range->low), b = samples_height(s, range->high);
    *range = (lf__grid_range){a < b ? a : b, a < b ? b : a};
    return fabs(a) <= LF__GRID_LIMIT && fabs(b) <= LF__GRID_LIMIT;
}

/// Check and copy the columns from .. to - 1 of a row. Returns the range of their heights.
static lf__grid_range samples_scan_part(const samples_scan *s, int64_t j, int64_t from, int64_t to,
                                        samples_findings *f) {
    const lf_samples *samples = s->samples;
    lf_grid *grid = s->grid;
    size_t item = lf__sample_size(samples->type);
    lf__grid_range range = lf__grid_range_empty();
    char *row = grid->own
                    ? (char *)grid->memory + (grid->values - (const char *)grid->memory) + j * grid->row_step
                    : NULL;
    const char *at = (const char *)samples->values + j * samples->row_step + from * samples->column_step;
    if (samples_fast_range(samples, j, from, to, &range)) {
        if (row)
            memcpy(row + from * (int64_t)item, at, (size_t)(to - from) * item);
        return range;
    }
    range = lf__grid_range_empty();
    for (int64_t i = from; i < to; i++, at += samples->column_step) {
        double sample = lf__sample_read(samples->type, at);
        char *copy = row ? row + i * (int64_t)item : NULL;
        if (copy)
            memcpy(copy, at, item);
        if (samples_is_void(samples, sample, i, j)) {
            f->voids++;
            if (copy)
                samples_mark_void(samples->type, copy);
            continue;
        }
        double height = samples_height(samples, sample);
        lf__grid_range_add(&range, height);
        if (!(fabs(height) <= LF__GRID_LIMIT) && j * samples->columns + i < f->bad)
            f->bad = j * samples->columns + i;
    }
    return range;
}

/// Blocks whose ranges are found together, and how many of them have all columns of a block of floats.
#define SAMPLES_BLOCKS 64

static int64_t samples_whole_blocks(const samples_scan *s) {
    const lf_samples *samples = s->samples;
    bool floats = samples->type == LF_SAMPLE_FLOAT && samples->column_step == sizeof(float) && !samples->mask;
    return floats && s->grid->plain ? s->grid->columns >> LF__GRID_EXTREME : 0;
}

/// The ranges of some such blocks of a row of blocks. `fine` is set where all values are heights, which are copied then.
static void samples_fast_blocks(const samples_scan *s, lf_window part, lf__grid_range *ranges, bool *fine) {
    const lf_samples *samples = s->samples;
    lf_grid *grid = s->grid;
    const int64_t side = (int64_t)1 << LF__GRID_EXTREME, count = part.columns / side;
    float nodata = fabs(samples->nodata) <= (double)FLT_MAX ? (float)samples->nodata : NAN;
    lf__bounds_lanes lanes[SAMPLES_BLOCKS];
    for (int64_t k = 0; k < count; k++)
        lanes[k] = lf__bounds_lanes_start();
    for (int64_t j = 0; j < part.rows; j++)
        s->kernels->ranges((const float *)(const void *)lf__samples_at(samples, part.column, part.row + j),
                           count, nodata, lanes);
    char *to = grid->own ? (char *)grid->memory + (grid->values - (const char *)grid->memory) : NULL;
    for (int64_t k = 0; k < count; k++) {
        float found[2];
        fine[k] = lf__bounds_lanes_range(&lanes[k], found) && fabs((double)found[0]) <= LF__GRID_LIMIT &&
                  fabs((double)found[1]) <= LF__GRID_LIMIT;
        ranges[k] = (lf__grid_range){(double)found[0], (double)found[1]};
        int64_t column = part.column + k * side;
        for (int64_t j = part.row; j < part.row + part.rows && to && fine[k]; j++)
            memcpy(to + j * grid->row_step + column * (int64_t)sizeof(float),
                   lf__samples_at(samples, column, j), (size_t)side * sizeof(float));
    }
}

/// Scan a row of blocks.
static void samples_scan_blocks(const samples_scan *s, int64_t by, samples_findings *f) {
    const int64_t side = (int64_t)1 << LF__GRID_EXTREME;
    int64_t columns = s->grid->columns, rows = s->grid->rows, count = lf__grid_extreme_blocks(columns),
            whole = samples_whole_blocks(s), bottom = (by + 1) * side < rows ? (by + 1) * side : rows;
    lf__grid_range *ranges = s->grid->extremes + by * count;
    bool fine[SAMPLES_BLOCKS];
    for (int64_t bx = 0; bx < count; bx++) {
        int64_t k = bx % SAMPLES_BLOCKS, some = whole - bx < SAMPLES_BLOCKS ? whole - bx : SAMPLES_BLOCKS;
        if (k == 0 && some > 0)
            samples_fast_blocks(s, (lf_window){bx * side, by * side, some * side, bottom - by * side},
                                &ranges[bx], fine);
        if (bx < whole && fine[k])
            continue;
        ranges[bx] = lf__grid_range_empty();
        for (int64_t j = by * side; j < bottom; j++) {
            lf__grid_range range =
                samples_scan_part(s, j, bx * side, (bx + 1) * side < columns ? (bx + 1) * side : columns, f);
            lf__grid_range_join(&ranges[bx], &range);
        }
    }
}

static void samples_scan_share(void *job, int64_t first, int64_t last, int worker) {
    const samples_scan *s = job;
    samples_findings found = s->found[worker];
    for (int64_t k = first; k < last; k++)
        samples_scan_blocks(s, s->row + k, &found);
    s->found[worker] = found;
}

/// Scan rows of a part. Partial grids have no extremes of blocks: they cannot be edited.
static void samples_scan_part_rows(void *job, int64_t first, int64_t last, int worker) {
    const samples_scan *s = job;
    samples_findings found = s->found[worker];
    for (int64_t k = s->row + first; k < s->row + last; k++) {
        lf__grid_range range = samples_scan_part(s, s->part->row + k, s->part->column,
                                                 s->part->column + s->part->columns, &found);
        lf__grid_range_join(&found.range, &range);
    }
    s->found[worker] = found;
}

/// Run a task over all rows in stretches, so that the caller can cancel in between.
static lf_status samples_run_rows(const lf_host *host, int64_t rows, int64_t columns, lf_task *task,
                                  samples_scan *job) {
    int64_t stretch = SAMPLES_STRETCH / columns > 0 ? SAMPLES_STRETCH / columns : 1;
    int64_t grain = 65536 / columns > 0 ? 65536 / columns : 1;
    for (int64_t row = 0; row < rows; row += stretch) {
        if (!lf__report(host, "heights", row, rows))
            return LF_CANCELLED;
        job->row = row;
        lf__run(host->tasks, rows - row < stretch ? rows - row : stretch, grain, task, job);
    }
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Voids
// ---------------------------------------------------------------------------------------------------

static void samples_void_share(void *job, int64_t first, int64_t last, int worker) {
    const samples_scan *s = job;
    lf_grid *grid = s->grid;
    (void)worker;
    for (int64_t j = s->part->row + s->row + first; j < s->part->row + s->row + last; j++) {
        uint64_t *words = grid->voids + (j - grid->first) * grid->void_words;
        for (int64_t i = s->part->column; i < s->part->column + s->part->columns; i++)
            if (samples_is_void(s->samples, samples_at(s->samples, i, j), i, j))
                words[(i - grid->first) >> 6] |= (uint64_t)1 << ((i - grid->first) & 63);
    }
}

static void samples_copy_bit(lf_grid *grid, int64_t i, int64_t j, int64_t from_i, int64_t from_j) {
    if (!lf__grid_bit(grid, grid->voids, from_i, from_j))
        return;
    int64_t x = i - grid->first, y = j - grid->first;
    grid->voids[y * grid->void_words + (x >> 6)] |= (uint64_t)1 << (x & 63);
}

/// Samples of the ring are voids where those of the border are.
static void samples_ring_voids(lf_grid *grid) {
    for (int64_t j = 0; j < grid->rows; j++) {
        samples_copy_bit(grid, -1, j, lf__grid_ring_column(grid, -1), j);
        samples_copy_bit(grid, grid->columns, j, lf__grid_ring_column(grid, grid->columns), j);
    }
    for (int64_t i = -1; i <= grid->columns; i++) {
        samples_copy_bit(grid, i, -1, i, 0);
        samples_copy_bit(grid, i, grid->rows, i, grid->rows - 1);
    }
}

void lf__grid_mark_gaps(lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    if (grid->gaps == grid->voids)
        return;
    int64_t words = grid->void_words, from = (low[0] - grid->first) >> 6, to = (high[0] - grid->first) >> 6;
    for (int64_t j = low[1]; j <= high[1]; j++) {
        const uint64_t *here = grid->voids + (j - grid->first) * words, *next_row = here + words;
        uint64_t *gaps = grid->gaps + (j - grid->first) * words;
        for (int64_t w = from; w <= to; w++) {
            uint64_t both = here[w] | next_row[w], next = w + 1 < words ? here[w + 1] | next_row[w + 1] : 0;
            gaps[w] = both | both >> 1 | next << 63;
        }
    }
}

lf_status lf__grid_allocate_voids(lf_grid *grid) {
    int64_t count = lf__grid_void_entries(grid);
    uint64_t *voids, *gaps;
    lf_status status = lf__grid_allocate(grid, count, sizeof *voids, (void **)&voids);
    if (status != LF_OK)
        return status;
    gaps = voids; // the square of a sample is a void where the sample is
    if (grid->surface != LF_SURFACE_POINT)
        status = lf__grid_allocate(grid, count, sizeof *gaps, (void **)&gaps);
    if (status != LF_OK) {
        lf__grid_free(grid, voids, count, sizeof *voids);
        return status;
    }
    if (!grid->partial) {
        memset(voids, 0, (size_t)count * sizeof *voids);
        memset(gaps, 0, (size_t)count * sizeof *gaps);
    }
    grid->voids = voids;
    grid->gaps = gaps;
    return LF_OK;
}

static lf_status samples_note_voids(lf_grid *grid, const lf_host *host, samples_scan *job) {
    if (grid->hole_count == 0)
        return LF_OK;
    lf_status status = lf__grid_allocate_voids(grid);
    if (status != LF_OK)
        return status;
    for (int64_t k = 0; k < grid->part_count && status == LF_OK; k++) {
        job->part = &grid->parts[k];
        status = samples_run_rows(host, job->part->rows, job->part->columns, samples_void_share, job);
    }
    if (grid->first < 0)
        samples_ring_voids(grid);
    for (int64_t k = 0; k < grid->part_count; k++) {
        lf__grid_blocks squares = lf__grid_part_blocks(grid, &grid->parts[k], 0);
        const int64_t low[2] = {grid->first + squares.low[0], grid->first + squares.low[1]};
        const int64_t high[2] = {grid->first + squares.high[0], grid->first + squares.high[1]};
        lf__grid_mark_gaps(grid, low, high);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------------
// All of it
// ---------------------------------------------------------------------------------------------------

static lf_status samples_allocate(lf_grid *grid, const lf_samples *samples) {
    size_t item = lf__sample_size(samples->type), row;
    int64_t ring = -grid->first;
    if (!lf__size_array(samples->columns + 2 * ring, item, &row) ||
        !lf__size_array(samples->rows + 2 * ring, row, &grid->memory_bytes) ||
        !lf__size_add(grid->memory_bytes, LF__GRID_SPARE, &grid->memory_bytes))
        return LF_TOO_LARGE;
    grid->memory = lf__allocate(&grid->allocator, grid->memory_bytes, LF__CACHE_LINE);
    if (!grid->memory)
        return LF_NO_MEMORY;
    memset((char *)grid->memory + grid->memory_bytes - LF__GRID_SPARE, 0, LF__GRID_SPARE);
    grid->column_step = (ptrdiff_t)item;
    grid->row_step = (ptrdiff_t)row;
    grid->values = (const char *)grid->memory + ring * (grid->row_step + grid->column_step);
    grid->own = true;
    return LF_OK;
}

/// Samples of the ring copy those of the border.
static void samples_ring(lf_grid *grid) {
    size_t item = (size_t)grid->column_step, row = (size_t)grid->row_step;
    char *start = grid->memory;
    size_t west = (size_t)lf__grid_ring_column(grid, -1),
           east = (size_t)lf__grid_ring_column(grid, grid->columns);
    for (int64_t j = 0; j < grid->rows; j++) {
        char *at = start + (size_t)(j + 1) * row;
        memcpy(at, at + (west + 1) * item, item);
        memcpy(at + row - item, at + (east + 1) * item, item);
    }
    memcpy(start, start + row, row);
    memcpy(start + (size_t)(grid->rows + 1) * row, start + (size_t)grid->rows * row, row);
}

/// Scan all rows of blocks, or those of the parts.
static lf_status samples_scan_rows(lf_grid *grid, const lf_host *host, samples_scan *job) {
    int64_t columns; // of all rows of a block
    lf_status status = LF_OK;
    if (__builtin_mul_overflow(grid->columns, (int64_t)1 << LF__GRID_EXTREME, &columns))
        return LF_TOO_LARGE;
    if (!grid->partial)
        return samples_run_rows(host, lf__grid_extreme_blocks(grid->rows), columns, samples_scan_share, job);
    for (int64_t k = 0; k < grid->part_count && status == LF_OK; k++) {
        job->part = &grid->parts[k];
        status = samples_run_rows(host, job->part->rows, job->part->columns, samples_scan_part_rows, job);
    }
    return status;
}

static lf_status samples_scan_all(lf_grid *grid, const lf_host *host, samples_scan *job, int workers,
                                  lf_error *error) {
    for (int i = 0; i < workers; i++)
        job->found[i] = (samples_findings){.bad = INT64_MAX, .range = lf__grid_range_empty()};
    lf_status status = samples_scan_rows(grid, host, job);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    samples_findings all = job->found[0];
    for (int i = 1; i < workers; i++) {
        const samples_findings *f = &job->found[i];
        all.bad = f->bad < all.bad ? f->bad : all.bad;
        all.voids += f->voids;
        lf__grid_range_join(&all.range, &f->range);
    }
    if (all.bad != INT64_MAX) {
        int64_t i = all.bad % grid->columns, j = all.bad / grid->columns;
        return lf__fail(error, LF_BAD_ARGUMENT, all.bad,
                        "height %g of column %lld, row %lld: must be within %g of 0",
                        lf__samples_height(job->samples, i, j), (long long)i, (long long)j, LF__GRID_LIMIT);
    }
    const int64_t low[2] = {0, 0}, high[2] = {grid->columns - 1, grid->rows - 1};
    int64_t nodes = 0;
    grid->lowest = all.range.low;
    grid->highest = all.range.high;
    if (grid->partial && job->range.low <= job->range.high) {
        grid->lowest = fmin(grid->lowest, job->range.low);
        grid->highest = fmax(grid->highest, job->range.high);
    }
    if (!grid->partial)
        lf__grid_join_extremes(grid, low, high, &nodes);
    grid->hole_count = all.voids;
    return LF_OK;
}

lf_status lf__grid_read_samples(lf_grid *grid, const lf_grid_def *def, lf_error *error) {
    const lf_samples *samples = &def->samples;
    int workers = def->host.tasks && def->host.tasks->workers > 1 ? def->host.tasks->workers : 1;
    samples_scan job = {grid,
                        samples,
                        NULL,
                        0,
                        NULL,
                        {def->partial_low, def->partial_high},
                        lf__bounds_kernels_for(lf_isa_best())};
    lf_status status = LF_OK;
    grid->type = samples->type;
    grid->scale = samples->scale;
    grid->offset = samples->offset;
    grid->plain = samples->scale == 1 && samples->offset == 0;
    grid->values = samples->values;
    grid->column_step = samples->column_step;
    grid->row_step = samples->row_step;
    grid->void_words = (grid->columns - 2 * grid->first + 63) / 64;
    if (!def->borrow && def->codec == LF_CODEC_RAW)
        status = samples_allocate(grid, samples);
    if (status == LF_OK && !grid->partial)
        status = lf__grid_allocate_extremes(grid);
    if (status == LF_OK)
        status = lf__allocate_array(&grid->allocator, workers, sizeof(samples_findings), (void **)&job.found);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = samples_scan_all(grid, &def->host, &job, workers, error);
    if (status == LF_OK && grid->first < 0 && grid->own)
        samples_ring(grid);
    if (status == LF_OK) {
        status = samples_note_voids(grid, &def->host, &job);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    lf__free_array(&grid->allocator, job.found, workers, sizeof(samples_findings));
    return status;
}
