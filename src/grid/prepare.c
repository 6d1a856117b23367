/// What kernels need to know of a grid.
#include "grid/kernels.h"

/// Steps from post to post, and from block to block, by which kernels still count in 32 bits.
#define STEP_LIMIT ((int64_t)1 << 26)

static bool small_enough(const lf_grid *grid) {
    return grid->square_columns <= STEP_LIMIT && grid->square_rows <= STEP_LIMIT &&
           grid->row_step <= STEP_LIMIT && grid->row_step >= -STEP_LIMIT && grid->column_step <= STEP_LIMIT &&
           grid->column_step >= -STEP_LIMIT;
}

/// Beyond these floats are of no use.
static bool tame(const lf_grid *grid) {
    return fabs(grid->lowest) < 1e12 && fabs(grid->highest) < 1e12 && fabs(grid->scale) < 1e12 &&
           fabs(grid->offset) < 1e12 && grid->quantum > 1e-15;
}

static inline double step_between(const lf_grid *grid, int64_t i, int64_t j, int64_t i1, int64_t j1) {
    if (lf__grid_hole(grid, i, j) || lf__grid_hole(grid, i1, j1))
        return 0;
    return fabs(lf__grid_height(grid, i1, j1) - lf__grid_height(grid, i, j));
}

/// Steps are compared so many at a time.
#define LANES 8

/// Rows of packed floats without holes, quickly.
static float steepest_floats(const float *row, const float *next, int64_t count) {
    float most[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES < count; i += LANES)
        for (int k = 0; k < LANES; k++) {
            float along = fabsf(row[i + k + 1] - row[i + k]), across = fabsf(next[i + k] - row[i + k]);
            float larger = along > across ? along : across;
            most[k] = larger > most[k] ? larger : most[k];
        }
    for (; i < count; i++) {
        float along = i + 1 < count ? fabsf(row[i + 1] - row[i]) : 0, across = fabsf(next[i] - row[i]);
        float larger = along > across ? along : across;
        most[0] = larger > most[0] ? larger : most[0];
    }
    for (int k = 1; k < LANES; k++)
        most[0] = most[k] > most[0] ? most[k] : most[0];
    return most[0];
}

/// The steepest step from row j to its neighbours and within it, between the posts i0 and i1.
static double steepest_of_row(const lf_grid *grid, int64_t j, int64_t i0, int64_t i1) {
    int64_t below = j + 1 < grid->rows ? j + 1 : j;
    if (!grid->holes && grid->plain && grid->type == LF_SAMPLE_FLOAT && grid->column_step == sizeof(float)) {
        const char *row = grid->values + i0 * grid->column_step;
        return (double)steepest_floats((const float *)(const void *)(row + j * grid->row_step),
                                       (const float *)(const void *)(row + below * grid->row_step),
                                       i1 - i0 + 1);
    }
    double most = 0;
    for (int64_t i = i0; i <= i1; i++) {
        double along = i < i1 ? step_between(grid, i, j, i + 1, j) : 0,
               across = step_between(grid, i, j, i, below);
        most = along > most ? along : most;
        most = across > most ? across : most;
    }
    return most;
}

static void add_steepest(lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    for (int64_t j = low[1]; j <= high[1]; j++) {
        double most = steepest_of_row(grid, j, low[0], high[0]);
        // Floats round a difference once.
        grid->steepest = most * 1.000001 > grid->steepest ? most * 1.000001 : grid->steepest;
    }
}

/// Floats hold no more than 24 bits of a sample, of its scale, of its height.
static void set_post_error(lf_grid *grid) {
    bool exact = grid->plain && grid->type == LF_SAMPLE_FLOAT;
    double size = fmax(fabs(grid->lowest), fabs(grid->highest)) + fabs(grid->offset);
    grid->post_error = exact ? 0 : 0x1p-21 * size;
}

/// Choose kernels where there are some for this grid: for compressed ones those that look for lines of sight, and read few posts.
static bool choose_kernels(lf_grid *grid) {
    grid->kernels = NULL;
    grid->line_level = 0;
    if (grid->surface == LF_SURFACE_POINT || grid->first_top > LF__GRID_BOTTOM + (grid->packed ? 1 : 0) ||
        !small_enough(grid) || !tame(grid) || !(grid->lowest <= grid->highest))
        return false;
    const lf__grid_kernels *kernels = lf__grid_kernels_for(lf_isa_best());
    if (!kernels)
        return false;
    grid->kernels = grid->packed ? NULL : kernels;
    grid->line_level = grid->first_bottom;
    grid->mirror = 64;
    while (grid->mirror < grid->square_columns || grid->mirror < grid->square_rows)
        grid->mirror *= 2;
    set_post_error(grid);
    return true;
}

lf_status lf__grid_prepare(lf_grid *grid, const lf_host *host) {
    int64_t first[2] = {0, 0}, last[2] = {grid->columns - 1, grid->rows - 1};
    grid->steepest = 0;
    if (!choose_kernels(grid))
        return LF_OK;
    add_steepest(grid, first, last);
    return lf__grid_planes_take(grid, host);
}

void lf__grid_prepare_known(lf_grid *grid, double steepest) {
    grid->steepest = steepest;
    if (steepest >= 0 && steepest <= LF__GRID_LIMIT)
        choose_kernels(grid);
}

void lf__grid_prepare_again(lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    if (grid->line_level == 0)
        return;
    if (!tame(grid)) {
        grid->kernels = NULL;
        grid->line_level = 0;
        return;
    }
    int64_t first[2], last[2], posts[2] = {grid->columns, grid->rows};
    for (int k = 0; k < 2; k++) {
        first[k] = low[k] > 0 ? low[k] - 1 : 0;
        last[k] = high[k] + 1 < posts[k] ? high[k] + 1 : posts[k] - 1;
    }
    set_post_error(grid);
    add_steepest(grid, first, last);
    lf__grid_planes_raise(grid, first, last);
}
