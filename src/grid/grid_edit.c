/// Edits: new heights for a rectangle of samples. Everything is checked and allocated before the grid is
/// changed.
#include "base/base.h"
#include "grid/packed.h"
#include <string.h>

/// One sample of any type.
typedef union edit_sample {
    float as_float;
    double as_double;
    int16_t as_int16;
    uint16_t as_uint16;
} edit_sample;

/// Convert a number to a sample of a type; false where it is outside of the range of an integer type.
static bool edit_make_sample(lf_sample_type type, double number, edit_sample *made) {
    switch (type) {
    case LF_SAMPLE_FLOAT:
        made->as_float = (float)number;
        return true;
    case LF_SAMPLE_DOUBLE:
        made->as_double = number;
        return true;
    case LF_SAMPLE_INT16:
        made->as_int16 = number >= INT16_MIN && number <= INT16_MAX ? (int16_t)number : 0;
        return number >= INT16_MIN && number <= INT16_MAX;
    case LF_SAMPLE_UINT16:
        made->as_uint16 = number >= 0 && number <= UINT16_MAX ? (uint16_t)number : 0;
        return number >= 0 && number <= UINT16_MAX;
    }
    return false;
}

/// The next number that a sample can have, upwards or downwards.
static double edit_next_number(lf_sample_type type, double number, double towards) {
    if (type == LF_SAMPLE_FLOAT)
        return (double)nextafterf((float)number, (float)towards);
    return type == LF_SAMPLE_DOUBLE ? nextafter(number, towards) : number + (towards > 0 ? 1 : -1);
}

static bool edit_stands_for(const lf_grid *grid, double number, double height, edit_sample *made) {
    if (!edit_make_sample(grid->type, number, made))
        return false;
    double read = lf__sample_read(grid->type, (const char *)made);
    return (grid->plain ? read : read * grid->scale + grid->offset) == height;
}

/// The sample that represents a height exactly. Division is rounded, so neighbouring samples are tried too.
static bool edit_sample_for(const lf_grid *grid, double height, edit_sample *made) {
    double number = grid->plain ? height : (height - grid->offset) / grid->scale;
    if (grid->type == LF_SAMPLE_INT16 || grid->type == LF_SAMPLE_UINT16)
        number = round(number);
    if (!isfinite(number))
        return false;
    double down = number, up = number;
    for (int k = 0; k < 4; k++) {
        if (edit_stands_for(grid, down, height, made) || edit_stands_for(grid, up, height, made))
            return true;
        down = edit_next_number(grid->type, down, -LF_INFINITY);
        up = edit_next_number(grid->type, up, LF_INFINITY);
    }
    return false;
}

/// The state of an edit.
typedef struct edit_job {
    lf_grid *grid;
    const lf_samples *samples;
    int64_t low[2], high[2]; ///< samples, both included
    bool same;               ///< same type, scale and offset as the grid's samples
    lf__packed_edit packed;  ///< of a compressed grid
} edit_job;

/// Convert a sample of the edit to one of the grid; `is_void` is set for a void. False where the grid cannot
/// represent it.
static bool edit_new_sample(const edit_job *e, int64_t i, int64_t j, edit_sample *made, bool *is_void) {
    const lf_samples *s = e->samples;
    double height = lf__samples_height(s, i, j);
    *is_void = isnan(height);
    memset(made, 0, sizeof *made);
    int32_t step;
    if (e->grid->packed)
        return *is_void || lf__packed_step_for(e->grid, height, &step);
    if (*is_void && e->grid->type == LF_SAMPLE_FLOAT)
        made->as_float = NAN;
    else if (*is_void && e->grid->type == LF_SAMPLE_DOUBLE)
        made->as_double = LF_NAN;
    else if (!*is_void && e->same)
        memcpy(made, lf__samples_at(s, i, j), lf__sample_size(s->type));
    else if (!*is_void)
        return edit_sample_for(e->grid, height, made);
    return true;
}

static lf_status edit_check_heights(const edit_job *e, bool *voids, lf_error *error) {
    const lf_samples *s = e->samples;
    *voids = false;
    for (int64_t j = 0; j < s->rows; j++)
        for (int64_t i = 0; i < s->columns; i++) {
            edit_sample made;
            bool is_void;
            double height = lf__samples_height(s, i, j);
            if (!isnan(height) && !(fabs(height) <= LF__GRID_LIMIT))
                return lf__fail(error, LF_BAD_ARGUMENT, j * s->columns + i,
                                "height %g of column %lld, row %lld: must be within %g of 0", height,
                                (long long)i, (long long)j, LF__GRID_LIMIT);
            if (!edit_new_sample(e, i, j, &made, &is_void))
                return lf__fail(error, LF_BAD_ARGUMENT, j * s->columns + i,
                                "height %.17g of column %lld, row %lld: not exact in the grid's sample type",
                                height, (long long)i, (long long)j);
            *voids = *voids || is_void;
        }
    return LF_OK;
}

/// Write one sample, and the samples of the ring that copy it.
static void edit_put(lf_grid *grid, int64_t i, int64_t j, const edit_sample *made, bool is_void) {
    bool ring = grid->first < 0;
    size_t item = lf__sample_size(grid->type);
    char *values = grid->packed ? NULL : (char *)grid->memory + (grid->values - (const char *)grid->memory);
    for (int64_t y = ring && j == 0 ? -1 : j; y <= (ring && j == grid->rows - 1 ? j + 1 : j); y++)
        for (int64_t x = ring && i == 0 ? -1 : i; x <= (ring && i == grid->columns - 1 ? i + 1 : i); x++) {
            if (!grid->packed)
                memcpy(values + y * grid->row_step + x * grid->column_step, made, item);
            if (!grid->voids)
                continue;
            uint64_t *word = grid->voids + (y - grid->first) * grid->void_words + ((x - grid->first) >> 6);
            uint64_t bit = (uint64_t)1 << ((x - grid->first) & 63);
            *word = is_void ? *word | bit : *word & ~bit;
        }
}

static void edit_write_samples(const edit_job *e) {
    lf_grid *grid = e->grid;
    for (int64_t j = 0; j < e->samples->rows; j++)
        for (int64_t i = 0; i < e->samples->columns; i++) {
            edit_sample made;
            bool is_void;
            edit_new_sample(e, i, j, &made, &is_void);
            grid->hole_count +=
                (int64_t)is_void - (int64_t)lf__grid_is_void(grid, e->low[0] + i, e->low[1] + j);
            edit_put(grid, e->low[0] + i, e->low[1] + j, &made, is_void);
        }
}

/// The range of squares that the edited samples change.
static void edit_squares(const edit_job *e, int64_t low[2], int64_t high[2]) {
    const lf_grid *grid = e->grid;
    const int64_t squares[2] = {grid->square_columns, grid->square_rows},
                  sizes[2] = {grid->columns, grid->rows};
    for (int k = 0; k < 2; k++) {
        int64_t last = grid->first + squares[k] - 1;
        // Samples of the ring copy those of the border. Of LF_SURFACE_POINT the walls of neighbours change
        // too.
        int64_t beyond = grid->surface == LF_SURFACE_POINT || (grid->extend && e->high[k] == sizes[k] - 1);
        int64_t before = grid->extend && e->low[k] == 0 ? 2 : 1;
        low[k] = e->low[k] - before > grid->first ? e->low[k] - before : grid->first;
        high[k] = e->high[k] + beyond < last ? e->high[k] + beyond : last;
    }
}

static void edit_apply(const edit_job *e, lf_grid_edit_cost *cost) {
    lf_grid *grid = e->grid;
    int64_t low[2], high[2];
    edit_squares(e, low, high);
    cost->samples += e->samples->columns * e->samples->rows;
    lf__grid_forget_extremes(grid, e->low, e->high, &cost->samples);
    edit_write_samples(e);
    if (grid->packed)
        lf__packed_edit_apply(&e->packed, grid);
    lf__grid_renew_extremes(grid, e->low, e->high, cost);
    if (grid->gaps)
        lf__grid_mark_gaps(grid, low, high);
    cost->nodes += lf__grid_refill(grid, low, high, &cost->samples);
    lf__grid_make_box(grid);
}

static lf_status edit_check(edit_job *e, lf_samples *samples, lf_error *error) {
    const lf_grid *grid = e->grid;
    lf_status status = lf__samples_check(samples, 1, error);
    if (status != LF_OK)
        return status;
    if (grid->packed ? !grid->packed->own_index : !grid->own)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "the grid borrows its samples: must own them to be edited");
    if (e->low[0] < 0 || e->low[1] < 0 || samples->columns > grid->columns || samples->rows > grid->rows ||
        e->low[0] > grid->columns - samples->columns || e->low[1] > grid->rows - samples->rows)
        return lf__fail(
            error, LF_BAD_ARGUMENT, -1,
            "%lld x %lld samples from column %lld, row %lld on: outside of the grid of %lld x %lld",
            (long long)samples->columns, (long long)samples->rows, (long long)e->low[0], (long long)e->low[1],
            (long long)grid->columns, (long long)grid->rows);
    e->high[0] = e->low[0] + samples->columns - 1;
    e->high[1] = e->low[1] + samples->rows - 1;
    e->same = samples->type == grid->type && samples->scale == grid->scale && samples->offset == grid->offset;
    return LF_OK;
}

/// Edit a rectangle of samples, which may be in the repeated column.
static lf_status edit_rectangle(lf_grid *grid, int64_t column, int64_t row, const lf_samples *samples,
                                lf_grid_edit_cost *cost, lf_error *error) {
    lf_samples given = *samples;
    edit_job e = {.grid = grid, .samples = &given, .low = {column, row}};
    lf_grid_edit_cost spent = {0, 0};
    bool voids;
    lf_status status = edit_check(&e, &given, error);
    if (status == LF_OK)
        status = edit_check_heights(&e, &voids, error);
    if (status != LF_OK)
        return status;
    if (voids && !grid->voids) {
        status = lf__grid_allocate_voids(grid);
        if (status != LF_OK)
            return lf__fail_plain(error, status);
    }
    if (grid->packed) {
        status = lf__packed_edit_start(&e.packed, grid, &given, e.low);
        if (status != LF_OK)
            return lf__fail_plain(error, status);
    }
    edit_apply(&e, &spent);
    if (grid->packed)
        lf__packed_edit_end(&e.packed, grid);
    cost->samples += spent.samples;
    cost->nodes += spent.nodes;
    return LF_OK;
}

/// Write the first column of a rectangle to the repeated column of the grid.
static lf_status edit_repeated(lf_grid *grid, int64_t row, const lf_samples *samples, lf_grid_edit_cost *cost,
                               lf_error *error) {
    lf_samples first = *samples;
    lf_status status = lf__samples_check(&first, 1, error); // fills in the steps
    first.columns = 1;
    return status == LF_OK ? edit_rectangle(grid, grid->round, row, &first, cost, error) : status;
}

lf_status lf_grid_edit(lf_grid *grid, int64_t column, int64_t row, const lf_samples *samples,
                       lf_grid_edit_cost *cost, lf_error *error) {
    if (!grid || !samples)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s is NULL", grid ? "samples" : "grid");
    if (grid->round && grid->extend)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the grid is extended and wraps: cannot be edited");
    if (grid->repeated && samples->columns > grid->round - column)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "%lld columns from column %lld on: outside of the grid of %lld columns",
                        (long long)samples->columns, (long long)column, (long long)grid->round);
    lf_grid_edit_cost spent = {0, 0};
    lf_status status = LF_OK;
    if (grid->repeated && column == 0 && grid->packed && samples->columns > 0)
        status =
            lf__fail(error, LF_BAD_ARGUMENT, 0, "column 0 of a compressed grid that wraps: cannot be edited");
    if (status == LF_OK)
        status = edit_rectangle(grid, column, row, samples, &spent, error);
    if (status == LF_OK && grid->repeated &&
        column == 0) // cannot fail: the same heights, and the voids are allocated
        status = edit_repeated(grid, row, samples, &spent, error);
    if (status == LF_OK && cost)
        *cost = spent;
    return status;
}
