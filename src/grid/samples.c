/// The caller's samples: checked, copied, holes noted.
#include "base/base.h"
#include "base/size.h"
#include "grid/grid.h"
#include <string.h>

/// Bytes beyond the last sample that may be read.
#define SPARE 64

/// Posts between two looks at the clock of whoever waits.
#define STRETCH ((int64_t)1 << 22)

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

/// (count - 1) * |step| + more fits an address difference.
static bool reaches(int64_t count, ptrdiff_t step, size_t more, size_t *bytes) {
    return step > -PTRDIFF_MAX && lf__size_array(count - 1, (size_t)(step < 0 ? -step : step), bytes) &&
           lf__size_add(*bytes, more, bytes);
}

static lf_status check_steps(lf_samples *s, size_t item, lf_error *error) {
    size_t row, all;
    if (s->column_step == 0)
        s->column_step = (ptrdiff_t)item;
    if (s->column_step % (ptrdiff_t)item != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "a column step of %td bytes is no multiple of the sample's %zu", s->column_step,
                        item);
    if (!reaches(s->columns, s->column_step, (size_t)(s->column_step < 0 ? -s->column_step : s->column_step),
                 &row))
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld columns are more than memory has addresses",
                        (long long)s->columns);
    if (s->row_step == 0)
        s->row_step = (ptrdiff_t)row;
    if (s->row_step % (ptrdiff_t)item != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "a row step of %td bytes is no multiple of the sample's %zu", s->row_step, item);
    if (s->mask_row_step == 0)
        s->mask_row_step = (ptrdiff_t)s->columns;
    if (!reaches(s->rows, s->row_step, row, &all) ||
        (s->mask && !reaches(s->rows, s->mask_row_step, row, &all)))
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld x %lld samples are more than memory has addresses",
                        (long long)s->columns, (long long)s->rows);
    return LF_OK;
}

lf_status lf__samples_check(lf_samples *s, int64_t least, lf_error *error) {
    size_t item = lf__sample_size(s->type);
    int64_t count;
    if (item == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no sample type %d", (int)s->type);
    if (s->columns < least || s->rows < least)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld x %lld samples are too few: at least %lld x %lld",
                        (long long)s->columns, (long long)s->rows, (long long)least, (long long)least);
    if (__builtin_mul_overflow(s->columns, s->rows, &count))
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld x %lld samples cannot be counted",
                        (long long)s->columns, (long long)s->rows);
    if (!s->values || (uintptr_t)s->values % item != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the samples' address %p is not one of %zu byte samples",
                        s->values, item);
    if (!isfinite(s->scale) || s->scale == 0 || !isfinite(s->offset))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a scale of %g and an offset of %g make no heights",
                        s->scale, s->offset);
    return check_steps(s, item, error);
}

static inline double sample_at(const lf_samples *s, int64_t i, int64_t j) {
    return lf__sample_read(s->type, (const char *)s->values + j * s->row_step + i * s->column_step);
}

static inline bool is_hole(const lf_samples *s, double sample, int64_t i, int64_t j) {
    return !isfinite(sample) || sample == s->nodata || (s->mask && s->mask[j * s->mask_row_step + i] == 0);
}

static inline double height_of(const lf_samples *s, double sample) {
    return s->scale == 1 && s->offset == 0 ? sample : sample * s->scale + s->offset;
}

double lf__samples_height(const lf_samples *s, int64_t i, int64_t j) {
    double sample = sample_at(s, i, j);
    return is_hole(s, sample, i, j) ? LF_NAN : height_of(s, sample);
}

// ---------------------------------------------------------------------------------------------------
// The first pass: check and copy
// ---------------------------------------------------------------------------------------------------

/// What one worker has found; filled up to a cache line, because neighbours are written at once.
typedef struct findings {
    int64_t holes;
    int64_t bad; ///< the first sample that is too high or low, or INT64_MAX
    char unused[LF__CACHE_LINE - 2 * 8];
} findings;

typedef struct scan {
    lf_grid *grid;
    const lf_samples *samples;
    findings *found; ///< per worker
    int64_t row;     ///< of index 0
} scan;

/// Write a hole into a copy that can hold one.
static void mark_hole(lf_sample_type type, char *at) {
    if (type == LF_SAMPLE_FLOAT)
        *(float *)(void *)at = NAN;
    else if (type == LF_SAMPLE_DOUBLE)
        *(double *)(void *)at = LF_NAN;
}

/// Some samples of a row: columns from .. to - 1. Returns the range of their heights.
static lf__grid_range scan_part(const scan *s, int64_t j, int64_t from, int64_t to, findings *f) {
    const lf_samples *samples = s->samples;
    lf_grid *grid = s->grid;
    size_t item = lf__sample_size(samples->type);
    lf__grid_range range = lf__grid_range_empty();
    char *row = grid->own
                    ? (char *)grid->memory + (grid->values - (const char *)grid->memory) + j * grid->row_step
                    : NULL;
    const char *at = (const char *)samples->values + j * samples->row_step + from * samples->column_step;
    for (int64_t i = from; i < to; i++, at += samples->column_step) {
        double sample = lf__sample_read(samples->type, at);
        char *copy = row ? row + i * (int64_t)item : NULL;
        if (copy)
            memcpy(copy, at, item);
        if (is_hole(samples, sample, i, j)) {
            f->holes++;
            if (copy)
                mark_hole(samples->type, copy);
            continue;
        }
        double height = height_of(samples, sample);
        lf__grid_range_add(&range, height);
        if (!(fabs(height) <= LF__GRID_LIMIT) && j * samples->columns + i < f->bad)
            f->bad = j * samples->columns + i;
    }
    return range;
}

/// A row of blocks.
static void scan_blocks(const scan *s, int64_t by, findings *f) {
    const int64_t side = (int64_t)1 << LF__GRID_EXTREME;
    int64_t columns = s->grid->columns, rows = s->grid->rows, count = lf__grid_extreme_blocks(columns);
    lf__grid_range *ranges = s->grid->extremes + by * count;
    for (int64_t bx = 0; bx < count; bx++)
        ranges[bx] = lf__grid_range_empty();
    for (int64_t j = by * side; j < (by + 1) * side && j < rows; j++)
        for (int64_t bx = 0; bx < count; bx++) {
            int64_t to = (bx + 1) * side < columns ? (bx + 1) * side : columns;
            lf__grid_range range = scan_part(s, j, bx * side, to, f);
            lf__grid_range_join(&ranges[bx], &range);
        }
}

static void scan_share(void *job, int64_t first, int64_t last, int worker) {
    const scan *s = job;
    findings found = s->found[worker];
    for (int64_t k = first; k < last; k++)
        scan_blocks(s, s->row + k, &found);
    s->found[worker] = found;
}

/// Run over all rows in stretches, so that the caller can stop in between.
static lf_status run_rows(const lf_host *host, int64_t rows, int64_t columns, lf_task *task, scan *job) {
    int64_t stretch = STRETCH / columns > 0 ? STRETCH / columns : 1;
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
// Holes
// ---------------------------------------------------------------------------------------------------

static void hole_share(void *job, int64_t first, int64_t last, int worker) {
    const scan *s = job;
    lf_grid *grid = s->grid;
    (void)worker;
    for (int64_t j = s->row + first; j < s->row + last; j++) {
        uint64_t *words = grid->holes + (j - grid->first) * grid->hole_words;
        for (int64_t i = 0; i < grid->columns; i++)
            if (is_hole(s->samples, sample_at(s->samples, i, j), i, j))
                words[(i - grid->first) >> 6] |= (uint64_t)1 << ((i - grid->first) & 63);
    }
}

static void copy_bit(lf_grid *grid, int64_t i, int64_t j, int64_t from_i, int64_t from_j) {
    if (!lf__grid_bit(grid, grid->holes, from_i, from_j))
        return;
    int64_t x = i - grid->first, y = j - grid->first;
    grid->holes[y * grid->hole_words + (x >> 6)] |= (uint64_t)1 << (x & 63);
}

/// The ring's posts are holes where the border's are.
static void ring_holes(lf_grid *grid) {
    for (int64_t j = 0; j < grid->rows; j++) {
        copy_bit(grid, -1, j, lf__grid_ring_column(grid, -1), j);
        copy_bit(grid, grid->columns, j, lf__grid_ring_column(grid, grid->columns), j);
    }
    for (int64_t i = -1; i <= grid->columns; i++) {
        copy_bit(grid, i, -1, i, 0);
        copy_bit(grid, i, grid->rows, i, grid->rows - 1);
    }
}

void lf__grid_mark_gaps(lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    if (grid->gaps == grid->holes)
        return;
    int64_t words = grid->hole_words, from = (low[0] - grid->first) >> 6, to = (high[0] - grid->first) >> 6;
    for (int64_t j = low[1]; j <= high[1]; j++) {
        const uint64_t *here = grid->holes + (j - grid->first) * words, *next_row = here + words;
        uint64_t *gaps = grid->gaps + (j - grid->first) * words;
        for (int64_t w = from; w <= to; w++) {
            uint64_t both = here[w] | next_row[w], next = w + 1 < words ? here[w + 1] | next_row[w + 1] : 0;
            gaps[w] = both | both >> 1 | next << 63;
        }
    }
}

lf_status lf__grid_take_holes(lf_grid *grid) {
    int64_t count = (grid->rows - 2 * grid->first) * grid->hole_words;
    uint64_t *holes, *gaps;
    lf_status status = lf__take_array(&grid->allocator, count, sizeof *holes, (void **)&holes);
    if (status != LF_OK)
        return status;
    gaps = holes; // what a post owns is a hole where the post is
    if (grid->surface != LF_SURFACE_POINT)
        status = lf__take_array(&grid->allocator, count, sizeof *gaps, (void **)&gaps);
    if (status != LF_OK) {
        lf__give_array(&grid->allocator, holes, count, sizeof *holes);
        return status;
    }
    memset(holes, 0, (size_t)count * sizeof *holes);
    memset(gaps, 0, (size_t)count * sizeof *gaps);
    grid->holes = holes;
    grid->gaps = gaps;
    return LF_OK;
}

static lf_status note_holes(lf_grid *grid, const lf_host *host, scan *job) {
    if (grid->hole_count == 0)
        return LF_OK;
    lf_status status = lf__grid_take_holes(grid);
    if (status != LF_OK)
        return status;
    status = run_rows(host, grid->rows, grid->columns, hole_share, job);
    if (grid->first < 0)
        ring_holes(grid);
    const int64_t low[2] = {grid->first, grid->first};
    const int64_t high[2] = {grid->first + grid->square_columns - 1, grid->first + grid->square_rows - 1};
    lf__grid_mark_gaps(grid, low, high);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// All of it
// ---------------------------------------------------------------------------------------------------

static lf_status take_memory(lf_grid *grid, const lf_samples *samples) {
    size_t item = lf__sample_size(samples->type), row;
    int64_t ring = -grid->first;
    if (!lf__size_array(samples->columns + 2 * ring, item, &row) ||
        !lf__size_array(samples->rows + 2 * ring, row, &grid->memory_bytes) ||
        !lf__size_add(grid->memory_bytes, SPARE, &grid->memory_bytes))
        return LF_TOO_LARGE;
    grid->memory = lf__take(&grid->allocator, grid->memory_bytes, LF__CACHE_LINE);
    if (!grid->memory)
        return LF_NO_MEMORY;
    memset((char *)grid->memory + grid->memory_bytes - SPARE, 0, SPARE);
    grid->column_step = (ptrdiff_t)item;
    grid->row_step = (ptrdiff_t)row;
    grid->values = (const char *)grid->memory + ring * (grid->row_step + grid->column_step);
    grid->own = true;
    return LF_OK;
}

/// The ring's posts are as high as the border's.
static void ring_samples(lf_grid *grid) {
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

static lf_status scan_all(lf_grid *grid, const lf_host *host, scan *job, int workers, lf_error *error) {
    for (int i = 0; i < workers; i++)
        job->found[i] = (findings){.bad = INT64_MAX};
    int64_t columns; // of as many rows as a block has
    if (__builtin_mul_overflow(grid->columns, (int64_t)1 << LF__GRID_EXTREME, &columns))
        return lf__fail_plain(error, LF_TOO_LARGE);
    lf_status status = run_rows(host, lf__grid_extreme_blocks(grid->rows), columns, scan_share, job);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    findings all = job->found[0];
    for (int i = 1; i < workers; i++) {
        const findings *f = &job->found[i];
        all.bad = f->bad < all.bad ? f->bad : all.bad;
        all.holes += f->holes;
    }
    if (all.bad != INT64_MAX) {
        int64_t i = all.bad % grid->columns, j = all.bad / grid->columns;
        return lf__fail(error, LF_BAD_ARGUMENT, all.bad,
                        "the height %g of column %lld, row %lld is beyond %g",
                        lf__samples_height(job->samples, i, j), (long long)i, (long long)j, LF__GRID_LIMIT);
    }
    const int64_t low[2] = {0, 0}, high[2] = {grid->columns - 1, grid->rows - 1};
    int64_t nodes = 0;
    lf__grid_join_extremes(grid, low, high, &nodes);
    grid->hole_count = all.holes;
    return LF_OK;
}

lf_status lf__grid_take_samples(lf_grid *grid, const lf_grid_def *def, lf_error *error) {
    const lf_samples *samples = &def->samples;
    int workers = def->host.tasks && def->host.tasks->workers > 1 ? def->host.tasks->workers : 1;
    scan job = {grid, samples, NULL, 0};
    lf_status status = LF_OK;
    grid->type = samples->type;
    grid->scale = samples->scale;
    grid->offset = samples->offset;
    grid->plain = samples->scale == 1 && samples->offset == 0;
    grid->values = samples->values;
    grid->column_step = samples->column_step;
    grid->row_step = samples->row_step;
    grid->hole_words = (grid->columns - 2 * grid->first + 63) / 64;
    if (!def->borrow && def->codec == LF_CODEC_RAW)
        status = take_memory(grid, samples);
    if (status == LF_OK)
        status = lf__grid_take_extremes(grid);
    if (status == LF_OK)
        status = lf__take_array(&grid->allocator, workers, sizeof(findings), (void **)&job.found);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = scan_all(grid, &def->host, &job, workers, error);
    if (status == LF_OK && grid->first < 0 && grid->own)
        ring_samples(grid);
    if (status == LF_OK) {
        status = note_holes(grid, &def->host, &job);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    lf__give_array(&grid->allocator, job.found, workers, sizeof(findings));
    return status;
}
