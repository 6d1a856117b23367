/// What kernels need of a grid: the choice of kernels, the steepest step, tilted planes over blocks.
#include "base/base.h"
#include "grid/grid_kernels.h"

/// Greatest number of squares, and of bytes between samples, for which kernels can use 32 bits.
#define PREPARE_STEP_LIMIT ((int64_t)1 << 26)

static bool prepare_small_enough(const lf_grid *grid) {
    return grid->square_columns <= PREPARE_STEP_LIMIT && grid->square_rows <= PREPARE_STEP_LIMIT &&
           grid->row_step <= PREPARE_STEP_LIMIT && grid->row_step >= -PREPARE_STEP_LIMIT &&
           grid->column_step <= PREPARE_STEP_LIMIT && grid->column_step >= -PREPARE_STEP_LIMIT;
}

/// Are heights in the range where floats are precise enough?
static bool prepare_in_range(const lf_grid *grid) {
    return fabs(grid->lowest) < 1e12 && fabs(grid->highest) < 1e12 && fabs(grid->scale) < 1e12 &&
           fabs(grid->offset) < 1e12 && grid->quantum > 1e-15;
}

static inline double prepare_step_between(const lf_grid *grid, int64_t i, int64_t j, int64_t i1, int64_t j1) {
    if (lf__grid_is_void(grid, i, j) || lf__grid_is_void(grid, i1, j1))
        return 0;
    return fabs(lf__grid_height(grid, i1, j1) - lf__grid_height(grid, i, j));
}

/// Number of steps that are compared at a time.
#define PREPARE_LANES 8

/// Fast path for contiguous floats without voids.
static float prepare_steepest_floats(const float *row, const float *next, int64_t count) {
    float most[PREPARE_LANES] = {0};
    int64_t i = 0;
    for (; i + PREPARE_LANES < count; i += PREPARE_LANES)
        for (int k = 0; k < PREPARE_LANES; k++) {
            float along = fabsf(row[i + k + 1] - row[i + k]), across = fabsf(next[i + k] - row[i + k]);
            float larger = along > across ? along : across;
            most[k] = larger > most[k] ? larger : most[k];
        }
    for (; i < count; i++) {
        float along = i + 1 < count ? fabsf(row[i + 1] - row[i]) : 0, across = fabsf(next[i] - row[i]);
        float larger = along > across ? along : across;
        most[0] = larger > most[0] ? larger : most[0];
    }
    for (int k = 1; k < PREPARE_LANES; k++)
        most[0] = most[k] > most[0] ? most[k] : most[0];
    return most[0];
}

/// The steepest step from row j to row `below` and within it, between the samples i0 and i1.
static double prepare_steepest_of_row(const lf_grid *grid, int64_t j, int64_t below, int64_t i0, int64_t i1) {
    if (!grid->voids && grid->plain && grid->type == LF_SAMPLE_FLOAT && grid->column_step == sizeof(float)) {
        const char *row = grid->values + i0 * grid->column_step;
        return (double)prepare_steepest_floats((const float *)(const void *)(row + j * grid->row_step),
                                               (const float *)(const void *)(row + below * grid->row_step),
                                               i1 - i0 + 1);
    }
    double most = 0;
    for (int64_t i = i0; i <= i1; i++) {
        double along = i < i1 ? prepare_step_between(grid, i, j, i + 1, j) : 0,
               across = prepare_step_between(grid, i, j, i, below);
        most = along > most ? along : most;
        most = across > most ? across : most;
    }
    return most;
}

void lf__grid_prepare_steepest(lf_grid *grid, double step) {
    step *= 1.000001; // floats round a difference once
    grid->steepest = step > grid->steepest ? step : grid->steepest;
}

static double prepare_steepest_of(const lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    double most = 0;
    for (int64_t j = low[1]; j <= high[1]; j++) {
        double step = prepare_steepest_of_row(grid, j, j < high[1] ? j + 1 : j, low[0], high[0]);
        most = step > most ? step : most;
    }
    return most;
}

/// Floats have 24 bits of a sample, of its scale, and of its height.
static void prepare_sample_error(lf_grid *grid) {
    bool exact = grid->plain && grid->type == LF_SAMPLE_FLOAT;
    double size = fmax(fabs(grid->lowest), fabs(grid->highest)) + fabs(grid->offset);
    grid->sample_error = exact ? 0 : 0x1p-21 * size;
}

/// Can single rays use the kernel for triangles of floats? Voids, which edits can add, are checked by each ray.
static bool prepare_serves_single(const lf_grid *grid) {
    int64_t step = (grid->row_step < 0 ? -grid->row_step : grid->row_step) +
                   (grid->column_step < 0 ? -grid->column_step : grid->column_step);
    return grid->kernels && grid->kernels->first && grid->surface != LF_SURFACE_BILINEAR && !grid->round &&
           grid->type == LF_SAMPLE_FLOAT && grid->plain && grid->column_step == sizeof(float) &&
           step <= (int64_t)1 << 20 && grid->level_count > LF__GRID_PLANE && grid->mirror <= (int64_t)1 << 22;
}

/// Choose the kernels for a grid, if any; compressed grids and level squares only use those for lines of sight.
static bool prepare_choose_kernels(lf_grid *grid) {
    grid->kernels = NULL;
    grid->single = false;
    grid->line_level = 0;
    if (grid->first_top > LF__GRID_BOTTOM + (grid->packed ? 2 : 0) || !prepare_small_enough(grid) ||
        !prepare_in_range(grid) || !(grid->lowest <= grid->highest))
        return false;
    const lf__grid_kernels *kernels = lf__grid_kernels_for(lf_isa_best());
    if (!kernels)
        return false;
    grid->kernels = grid->packed || grid->surface == LF_SURFACE_POINT ? NULL : kernels;
    grid->line_level = grid->first_bottom;
    grid->mirror = 64;
    while (grid->mirror < grid->square_columns || grid->mirror < grid->square_rows)
        grid->mirror *= 2;
    grid->single = prepare_serves_single(grid);
    prepare_sample_error(grid);
    return true;
}

lf_status lf__grid_prepare(lf_grid *grid) {
    grid->steepest = 0;
    if (!prepare_choose_kernels(grid) || grid->derived || grid->level_count <= LF__GRID_PLANE ||
        grid->surface == LF_SURFACE_POINT)
        return LF_OK;
    const lf__grid_level *level = &grid->levels[LF__GRID_PLANE];
    int64_t count = level->columns * level->rows;
    lf_status status = lf__grid_allocate(grid, count, sizeof *grid->planes, (void **)&grid->planes);
    grid->plane_count = status == LF_OK ? count : 0;
    return status;
}

void lf__grid_prepare_known(lf_grid *grid, double steepest) {
    grid->steepest = steepest;
    if (steepest >= 0 && steepest <= LF__GRID_LIMIT)
        prepare_choose_kernels(grid);
}

void lf__grid_prepare_again(lf_grid *grid, const int64_t low[2], const int64_t high[2]) {
    if (grid->line_level == 0)
        return;
    if (!prepare_in_range(grid)) {
        grid->kernels = NULL;
        grid->line_level = 0;
        return;
    }
    int64_t first[2], last[2], samples[2] = {grid->columns, grid->rows};
    for (int k = 0; k < 2; k++) {
        first[k] = low[k] > 0 ? low[k] - 1 : 0;
        last[k] = high[k] + 1 < samples[k] ? high[k] + 1 : samples[k] - 1;
    }
    prepare_sample_error(grid);
    lf__grid_prepare_steepest(grid, prepare_steepest_of(grid, first, last));
    lf__grid_planes_raise(grid, first, last);
}

// ---------------------------------------------------------------------------------------------------
// Planes
// ---------------------------------------------------------------------------------------------------

// Tilted bounds of large blocks, because on sloping rough ground level bounds exclude nothing. A
// least-squares plane through the samples of a block is raised until no sample is above it. Edits may raise
// it further without reading the rest of the block.

#define PLANE_SIDE ((int64_t)1 << LF__GRID_PLANE)

/// The tilt is computed from every second row.
#define PLANE_EVERY 2

/// Samples of a block, counted from the first square.
typedef struct plane_samples {
    int64_t low[2], high[2]; ///< both included
} plane_samples;

static plane_samples plane_samples_of(const lf_grid *grid, int64_t bx, int64_t by) {
    int64_t count[2] = {grid->square_columns, grid->square_rows};
    plane_samples p = {{bx * PLANE_SIDE, by * PLANE_SIDE}, {(bx + 1) * PLANE_SIDE, (by + 1) * PLANE_SIDE}};
    for (int k = 0; k < 2; k++)
        p.high[k] = p.high[k] < count[k] ? p.high[k] : count[k];
    return p;
}

/// Read a row of the samples of a block, less `off`; voids are NAN. Returns the number of samples.
static int plane_read_row(const lf_grid *grid, const plane_samples *p, int64_t y, double off,
                          double row[PLANE_SIDE + 1]) {
    int count = (int)(p->high[0] - p->low[0]) + 1;
    int64_t i = grid->first + p->low[0], j = grid->first + y;
    if (!grid->voids && grid->plain && grid->type == LF_SAMPLE_FLOAT && grid->column_step == sizeof(float)) {
        const float *from = (const float *)(const void *)(grid->values + j * grid->row_step) + i;
        for (int k = 0; k < count; k++)
            row[k] = (double)from[k] - off;
        return count;
    }
    for (int k = 0; k < count; k++)
        row[k] = lf__grid_is_void(grid, i + k, j) ? LF_NAN : lf__grid_height(grid, i + k, j) - off;
    return count;
}

/// Moments of the samples about the middle of the block's samples.
typedef struct plane_moments {
    double x, y, xx, yy;
} plane_moments;

static void plane_add_row(plane_moments *m, const double *row, int count, double y) {
    double sum = 0, x_sum = 0, middle = 0.5 * (count - 1);
    for (int k = 0; k < count; k++) {
        double height = isnan(row[k]) ? 0 : row[k], x = k - middle;
        sum += height;
        x_sum += x * height;
        m->xx += x * x;
    }
    m->x += x_sum;
    m->y += y * sum;
    m->yy += count * y * y;
}

static lf__grid_plane plane_tilt(const lf_grid *grid, const plane_samples *p) {
    double row[PLANE_SIDE + 1], middle = 0.5 * (double)(p->low[1] + p->high[1]);
    double off = 0.5 * (grid->lowest + grid->highest);
    plane_moments m = {0, 0, 0, 0};
    // From both ends, so that the rows are symmetric about the middle.
    for (int64_t low = p->low[1], high = p->high[1]; low < high; low += PLANE_EVERY, high -= PLANE_EVERY) {
        int count = plane_read_row(grid, p, low, off, row);
        plane_add_row(&m, row, count, (double)low - middle);
        count = plane_read_row(grid, p, high, off, row);
        plane_add_row(&m, row, count, (double)high - middle);
    }
    lf__grid_plane plane = {m.xx > 0 ? (float)(m.x / m.xx) : 0, m.yy > 0 ? (float)(m.y / m.yy) : 0,
                            -LF_INFINITY};
    return plane;
}

/// Raise a plane above some samples of its block.
static void plane_raise(const lf_grid *grid, int64_t bx, int64_t by, const plane_samples *p,
                        lf__grid_plane *plane) {
    double row[PLANE_SIDE + 1], rise_x = (double)plane->rise_x, rise_y = (double)plane->rise_y,
                                top = plane->top;
    double start = (double)p->low[0] - ((double)bx + 0.5) * PLANE_SIDE,
           middle = ((double)by + 0.5) * PLANE_SIDE;
    for (int64_t y = p->low[1]; y <= p->high[1]; y++) {
        double tilt = rise_y * ((double)y - middle) + rise_x * start, most = -LF_INFINITY;
        int count = plane_read_row(grid, p, y, tilt, row);
        for (int k = 0; k < count; k++) {
            double over = row[k] - rise_x * k;
            most = over > most ? over : most;
        }
        top = most > top ? most : top;
    }
    // A margin for rounding, here and where the plane is used.
    double size =
        fmax(fabs(grid->lowest), fabs(grid->highest)) + 2 * PLANE_SIDE * (fabs(rise_x) + fabs(rise_y));
    if (top > plane->top)
        plane->top = top + 0x1p-45 * size;
}

typedef struct plane_job {
    lf_grid *grid;
    lf__grid_blocks blocks;
} plane_job;

static void plane_make(lf_grid *grid, int64_t bx, int64_t by, const plane_samples *p) {
    lf__grid_plane *plane = &grid->planes[by * grid->levels[LF__GRID_PLANE].columns + bx];
    *plane = plane_tilt(grid, p);
    plane_raise(grid, bx, by, p, plane);
}

static void plane_make_rows(void *job_of, int64_t first, int64_t last, int worker) {
    const plane_job *j = job_of;
    (void)worker;
    for (int64_t by = j->blocks.low[1] + first; by < j->blocks.low[1] + last; by++)
        for (int64_t bx = j->blocks.low[0]; bx <= j->blocks.high[0]; bx++) {
            plane_samples p = plane_samples_of(j->grid, bx, by);
            plane_make(j->grid, bx, by, &p);
        }
}

void lf__grid_prepare_part(lf_grid *grid, const lf_window *part, const lf_host *host) {
    int64_t first[2] = {part->column, part->row};
    int64_t last[2] = {part->column + part->columns - 1, part->row + part->rows - 1};
    if (grid->line_level == 0)
        return;
    lf__grid_prepare_steepest(grid, prepare_steepest_of(grid, first, last));
    if (!grid->planes)
        return;
    plane_job j = {grid, lf__grid_part_blocks(grid, part, LF__GRID_PLANE)};
    lf__run(grid->packed ? NULL : host->tasks, j.blocks.high[1] - j.blocks.low[1] + 1, 1, plane_make_rows,
            &j);
}

double lf__grid_prepare_block(lf_grid *grid, int64_t bx, int64_t by) {
    plane_samples p = plane_samples_of(grid, bx, by);
    if (grid->line_level == 0)
        return 0;
    if (grid->planes)
        plane_make(grid, bx, by, &p);
    for (int k = 0; k < 2; k++) { // counted from the first square until here
        p.low[k] += grid->first;
        p.high[k] += grid->first;
    }
    return prepare_steepest_of(grid, p.low, p.high);
}

/// A block shares the samples of its last row and column with the next ones.
static int64_t plane_block_of(int64_t sample) {
    return sample > 0 ? (sample - 1) >> LF__GRID_PLANE : 0;
}

void lf__grid_planes_raise(lf_grid *grid, const int64_t first[2], const int64_t last[2]) {
    if (!grid->planes)
        return;
    const lf__grid_level *level = &grid->levels[LF__GRID_PLANE];
    int64_t low[2] = {first[0] - grid->first, first[1] - grid->first};
    int64_t high[2] = {last[0] - grid->first, last[1] - grid->first};
    // Samples of the ring copy those of the border.
    for (int k = 0; k < 2 && grid->extend; k++) {
        low[k]--;
        high[k]++;
    }
    for (int64_t by = plane_block_of(low[1]); by < level->rows && by * PLANE_SIDE <= high[1]; by++)
        for (int64_t bx = plane_block_of(low[0]); bx < level->columns && bx * PLANE_SIDE <= high[0]; bx++) {
            plane_samples p = plane_samples_of(grid, bx, by);
            for (int k = 0; k < 2; k++) {
                p.low[k] = low[k] > p.low[k] ? low[k] : p.low[k];
                p.high[k] = high[k] < p.high[k] ? high[k] : p.high[k];
            }
            plane_raise(grid, bx, by, &p, &grid->planes[by * level->columns + bx]);
        }
}
