/// Edits: new heights for a rectangle of posts. All is checked and all memory is taken before anything is changed.
#include "base/base.h"
#include "grid/packed_edit.h"
#include <string.h>

/// One sample of any type.
typedef union sample {
    float as_float;
    double as_double;
    int16_t as_int16;
    uint16_t as_uint16;
} sample;

/// The sample nearest to a number, in the grid's type; of whole numbers only those that there are.
static bool make_sample(lf_sample_type type, double number, sample *made) {
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

/// The next number that a sample can be, upwards or downwards.
static double next_number(lf_sample_type type, double number, double towards) {
    if (type == LF_SAMPLE_FLOAT)
        return (double)nextafterf((float)number, (float)towards);
    return type == LF_SAMPLE_DOUBLE ? nextafter(number, towards) : number + (towards > 0 ? 1 : -1);
}

static bool stands_for(const lf_grid *grid, double number, double height, sample *made) {
    if (!make_sample(grid->type, number, made))
        return false;
    double read = lf__sample_read(grid->type, (const char *)made);
    return (grid->plain ? read : read * grid->scale + grid->offset) == height;
}

/// The sample that stands for a height in this grid, exactly. Division is rounded, so its neighbours are tried too.
static bool sample_for(const lf_grid *grid, double height, sample *made) {
    double number = grid->plain ? height : (height - grid->offset) / grid->scale;
    if (grid->type == LF_SAMPLE_INT16 || grid->type == LF_SAMPLE_UINT16)
        number = round(number);
    if (!isfinite(number))
        return false;
    double down = number, up = number;
    for (int k = 0; k < 4; k++) {
        if (stands_for(grid, down, height, made) || stands_for(grid, up, height, made))
            return true;
        down = next_number(grid->type, down, -LF_INFINITY);
        up = next_number(grid->type, up, LF_INFINITY);
    }
    return false;
}

/// What an edit works with.
typedef struct edit {
    lf_grid *grid;
    const lf_samples *samples;
    int64_t low[2], high[2]; ///< posts, both included
    bool same;               ///< samples are like the grid's own
    lf__packed_edit packed;  ///< of a compressed grid
} edit;

/// The new sample of a post. LF_NAN for a hole is told by `hole`; false when the grid cannot hold it.
static bool new_sample(const edit *e, int64_t i, int64_t j, sample *made, bool *hole) {
    const lf_samples *s = e->samples;
    double height = lf__samples_height(s, i, j);
    *hole = isnan(height);
    memset(made, 0, sizeof *made);
    int32_t step;
    if (e->grid->packed)
        return *hole || lf__packed_step_for(e->grid, height, &step);
    if (*hole && e->grid->type == LF_SAMPLE_FLOAT)
        made->as_float = NAN;
    else if (*hole && e->grid->type == LF_SAMPLE_DOUBLE)
        made->as_double = LF_NAN;
    else if (!*hole && e->same)
        memcpy(made, (const char *)s->values + j * s->row_step + i * s->column_step,
               lf__sample_size(s->type));
    else if (!*hole)
        return sample_for(e->grid, height, made);
    return true;
}

static lf_status check_heights(const edit *e, bool *holes, lf_error *error) {
    const lf_samples *s = e->samples;
    *holes = false;
    for (int64_t j = 0; j < s->rows; j++)
        for (int64_t i = 0; i < s->columns; i++) {
            sample made;
            bool hole;
            double height = lf__samples_height(s, i, j);
            if (!isnan(height) && !(fabs(height) <= LF__GRID_LIMIT))
                return lf__fail(error, LF_BAD_ARGUMENT, j * s->columns + i,
                                "the height %g of column %lld, row %lld is beyond %g", height, (long long)i,
                                (long long)j, LF__GRID_LIMIT);
            if (!new_sample(e, i, j, &made, &hole))
                return lf__fail(error, LF_BAD_ARGUMENT, j * s->columns + i,
                                "the grid's samples cannot hold the height %.17g of column %lld, row %lld",
                                height, (long long)i, (long long)j);
            *holes = *holes || hole;
        }
    return LF_OK;
}

/// Write one post, and the posts of the ring that are as high.
static void put(lf_grid *grid, int64_t i, int64_t j, const sample *made, bool hole) {
    bool ring = grid->first < 0;
    size_t item = lf__sample_size(grid->type);
    char *values = grid->packed ? NULL : (char *)grid->memory + (grid->values - (const char *)grid->memory);
    for (int64_t y = ring && j == 0 ? -1 : j; y <= (ring && j == grid->rows - 1 ? j + 1 : j); y++)
        for (int64_t x = ring && i == 0 ? -1 : i; x <= (ring && i == grid->columns - 1 ? i + 1 : i); x++) {
            if (!grid->packed)
                memcpy(values + y * grid->row_step + x * grid->column_step, made, item);
            if (!grid->holes)
                continue;
            uint64_t *word = grid->holes + (y - grid->first) * grid->hole_words + ((x - grid->first) >> 6);
            uint64_t bit = (uint64_t)1 << ((x - grid->first) & 63);
            *word = hole ? *word | bit : *word & ~bit;
        }
}

static void write_posts(const edit *e) {
    lf_grid *grid = e->grid;
    for (int64_t j = 0; j < e->samples->rows; j++)
        for (int64_t i = 0; i < e->samples->columns; i++) {
            sample made;
            bool hole;
            new_sample(e, i, j, &made, &hole);
            grid->hole_count += (int64_t)hole - (int64_t)lf__grid_hole(grid, e->low[0] + i, e->low[1] + j);
            put(grid, e->low[0] + i, e->low[1] + j, &made, hole);
        }
}

/// The squares whose surface the edited posts make.
static void squares_of(const edit *e, int64_t low[2], int64_t high[2]) {
    const lf_grid *grid = e->grid;
    const int64_t squares[2] = {grid->square_columns, grid->square_rows},
                  posts[2] = {grid->columns, grid->rows};
    for (int k = 0; k < 2; k++) {
        int64_t last = grid->first + squares[k] - 1;
        // Posts of the ring go with those of the border. Of `posts` the neighbours' walls change too.
        int64_t beyond = grid->surface == LF_SURFACE_POINT || (grid->extend && e->high[k] == posts[k] - 1);
        int64_t before = grid->extend && e->low[k] == 0 ? 2 : 1;
        low[k] = e->low[k] - before > grid->first ? e->low[k] - before : grid->first;
        high[k] = e->high[k] + beyond < last ? e->high[k] + beyond : last;
    }
}

static void apply(const edit *e, lf_grid_edit_cost *cost) {
    lf_grid *grid = e->grid;
    int64_t low[2], high[2];
    squares_of(e, low, high);
    cost->posts += e->samples->columns * e->samples->rows;
    lf__grid_forget_extremes(grid, e->low, e->high, &cost->posts);
    write_posts(e);
    if (grid->packed)
        lf__packed_edit_apply(&e->packed, grid);
    lf__grid_renew_extremes(grid, e->low, e->high, cost);
    if (grid->gaps)
        lf__grid_mark_gaps(grid, low, high);
    cost->nodes += lf__grid_refill(grid, low, high, &cost->posts);
    lf__grid_make_box(grid);
}

static lf_status check_edit(edit *e, lf_samples *samples, lf_error *error) {
    const lf_grid *grid = e->grid;
    lf_status status = lf__samples_check(samples, 1, error);
    if (status != LF_OK)
        return status;
    if (grid->packed ? !grid->packed->own_index : !grid->own)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "borrowed samples cannot be edited");
    if (e->low[0] < 0 || e->low[1] < 0 || samples->columns > grid->columns || samples->rows > grid->rows ||
        e->low[0] > grid->columns - samples->columns || e->low[1] > grid->rows - samples->rows)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "%lld x %lld posts from column %lld, row %lld on are not in %lld x %lld",
                        (long long)samples->columns, (long long)samples->rows, (long long)e->low[0],
                        (long long)e->low[1], (long long)grid->columns, (long long)grid->rows);
    e->high[0] = e->low[0] + samples->columns - 1;
    e->high[1] = e->low[1] + samples->rows - 1;
    e->same = samples->type == grid->type && samples->scale == grid->scale && samples->offset == grid->offset;
    return LF_OK;
}

/// An edit of a rectangle of posts, the repeated column too.
static lf_status edit_posts(lf_grid *grid, int64_t column, int64_t row, const lf_samples *samples,
                            lf_grid_edit_cost *cost, lf_error *error) {
    lf_samples given = *samples;
    edit e = {.grid = grid, .samples = &given, .low = {column, row}};
    lf_grid_edit_cost spent = {0, 0};
    bool holes;
    lf_status status = check_edit(&e, &given, error);
    if (status == LF_OK)
        status = check_heights(&e, &holes, error);
    if (status != LF_OK)
        return status;
    if (holes && !grid->holes) {
        status = lf__grid_take_holes(grid);
        if (status != LF_OK)
            return lf__fail_plain(error, status);
    }
    if (grid->packed) {
        status = lf__packed_edit_start(&e.packed, grid, &given, e.low);
        if (status != LF_OK)
            return lf__fail_plain(error, status);
    }
    apply(&e, &spent);
    if (grid->packed)
        lf__packed_edit_end(&e.packed, grid);
    cost->posts += spent.posts;
    cost->nodes += spent.nodes;
    return LF_OK;
}

/// The first column of a rectangle again, behind the last column of the grid.
static lf_status edit_repeated(lf_grid *grid, int64_t row, const lf_samples *samples, lf_grid_edit_cost *cost,
                               lf_error *error) {
    lf_samples first = *samples;
    lf_status status = lf__samples_check(&first, 1, error); // fills in the steps
    first.columns = 1;
    return status == LF_OK ? edit_posts(grid, grid->round, row, &first, cost, error) : status;
}

lf_status lf_grid_edit(lf_grid *grid, int64_t column, int64_t row, const lf_samples *samples,
                       lf_grid_edit_cost *cost, lf_error *error) {
    if (!grid || !samples)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s is NULL", grid ? "samples" : "grid");
    if (grid->round && grid->extend)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "an extended grid that wraps cannot be edited");
    if (grid->repeated && samples->columns > grid->round - column)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld columns from column %lld on are not in %lld",
                        (long long)samples->columns, (long long)column, (long long)grid->round);
    lf_grid_edit_cost spent = {0, 0};
    lf_status status = LF_OK;
    if (grid->repeated && column == 0 && grid->packed && samples->columns > 0)
        status = lf__fail(error, LF_BAD_ARGUMENT, 0,
                          "the first column of a compressed grid that wraps cannot be edited");
    if (status == LF_OK)
        status = edit_posts(grid, column, row, samples, &spent, error);
    if (status == LF_OK && grid->repeated && column == 0) // the same heights, and memory for holes is there
        status = edit_repeated(grid, row, samples, &spent, error);
    if (status == LF_OK && cost)
        *cost = spent;
    return status;
}
