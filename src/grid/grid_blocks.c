/// The finest bounds of a grid, the steepest step and the planes, block by block of 64 x 64 squares: each sample is read once from
/// memory, and what follows from it is computed while it is in the cache.
#include "base/base.h"
#include "grid/grid_kernels.h"
#include <string.h>

#define BLOCKS_LEVEL LF__GRID_PLANE
#define BLOCKS_SIDE LF__BOUNDS_SIDE

_Static_assert(BLOCKS_SIDE == 1 << BLOCKS_LEVEL, "planes are those of blocks");
_Static_assert(LF__BOUNDS_GROUP == 1 << LF__GRID_BOTTOM, "bottoms are those of groups");

/// The results of one worker, padded to a cache line against false sharing.
typedef struct blocks_found {
    double steepest;
    char unused[LF__CACHE_LINE - 8];
} blocks_found;

typedef struct blocks_job {
    lf_grid *grid;
    const lf__bounds_kernels *kernels;
    lf__bounds_scale scale;
    int64_t row;            ///< of blocks, of index 0
    lf__grid_blocks blocks; ///< of a part
    blocks_found *found;    ///< per worker
} blocks_job;

/// A block, and its samples where they are not floats in the grid, or fewer than 65 in a row.
typedef struct blocks_samples {
    int64_t column, row; ///< of the first sample
    int columns, rows;   ///< of squares
    lf__bounds_rows at;
    float copy[BLOCKS_SIDE + 1][BLOCKS_SIDE + 8];
} blocks_samples;

bool lf__grid_has_blocks(const lf_grid *grid) {
    bool floats = grid->type != LF_SAMPLE_DOUBLE && grid->plain; // as floats they are the same heights
    return floats && !grid->packed && !grid->derived && grid->first_top <= LF__GRID_BOTTOM &&
           grid->surface != LF_SURFACE_POINT && grid->column_step == (ptrdiff_t)lf__sample_size(grid->type);
}

/// Copy a row of samples as floats; the last one is repeated, which changes no bound.
static void blocks_copy_row(const lf_grid *grid, const char *from, int count, float *row) {
    if (grid->type == LF_SAMPLE_FLOAT)
        memcpy(row, from, (size_t)count * sizeof *row);
    else if (grid->type == LF_SAMPLE_INT16)
        for (int k = 0; k < count; k++)
            row[k] = (float)((const int16_t *)(const void *)from)[k];
    else
        for (int k = 0; k < count; k++)
            row[k] = (float)((const uint16_t *)(const void *)from)[k];
    for (int k = count; k <= BLOCKS_SIDE; k++)
        row[k] = row[count - 1];
}

static void blocks_read(const lf_grid *grid, blocks_samples *s) {
    const char *from = grid->values + s->row * grid->row_step + s->column * grid->column_step;
    bool direct = grid->type == LF_SAMPLE_FLOAT && s->columns == BLOCKS_SIDE;
    s->at.count = s->rows + 1;
    for (int j = 0; j <= s->rows; j++, from += grid->row_step) {
        if (!direct)
            blocks_copy_row(grid, from, s->columns + 1, s->copy[j]);
        s->at.at[j] = direct ? (const float *)(const void *)from : s->copy[j];
    }
    for (int j = s->rows + 1; j <= BLOCKS_SIDE; j++)
        s->at.at[j] = s->at.at[s->rows];
}

/// Does any square of a block have a gap?
static bool blocks_gap(const lf_grid *grid, const blocks_samples *s) {
    if (!grid->gaps)
        return false;
    const uint64_t *words =
        grid->gaps + (s->row - grid->first) * grid->void_words + ((s->column - grid->first) >> 6);
    uint64_t any = 0;
    for (int j = 0; j < s->rows; j++)
        any |= words[j * grid->void_words];
    return any != 0;
}

/// Put the codes of a block into the levels.
static void blocks_store(lf_grid *grid, int64_t bx, int64_t by, const blocks_samples *s,
                         const lf__bounds_codes *codes) {
    int level = grid->first_top;
    const lf__grid_level *top = &grid->levels[level], *bottom = &grid->levels[LF__GRID_BOTTOM];
    int columns = (s->columns + (1 << level) - 1) >> level, rows = (s->rows + (1 << level) - 1) >> level;
    uint16_t *to = top->top + (by << (BLOCKS_LEVEL - level)) * top->stride + (bx << (BLOCKS_LEVEL - level));
    int per_group = LF__BOUNDS_GROUP >> level;
    for (int j = 0; j < rows; j++)
        memcpy(to + j * top->stride, codes[j / per_group].top[j % per_group], (size_t)columns * sizeof *to);
    columns = (s->columns + LF__BOUNDS_GROUP - 1) / LF__BOUNDS_GROUP;
    to = bottom->bottom + (by * BLOCKS_SIDE * bottom->stride + bx * BLOCKS_SIDE) / LF__BOUNDS_GROUP;
    for (int j = 0; j < (s->rows + LF__BOUNDS_GROUP - 1) / LF__BOUNDS_GROUP; j++)
        memcpy(to + j * bottom->stride, codes[j].bottom, (size_t)columns * sizeof *to);
}

/// One block. Returns the steepest step in it.
static double blocks_fill(const blocks_job *job, int64_t bx, int64_t by) {
    lf_grid *grid = job->grid;
    blocks_samples s;
    s.column = grid->first + bx * BLOCKS_SIDE;
    s.row = grid->first + by * BLOCKS_SIDE;
    int64_t columns = grid->square_columns - bx * BLOCKS_SIDE, rows = grid->square_rows - by * BLOCKS_SIDE;
    s.columns = (int)(columns < BLOCKS_SIDE ? columns : BLOCKS_SIDE);
    s.rows = (int)(rows < BLOCKS_SIDE ? rows : BLOCKS_SIDE);
    if (blocks_gap(grid, &s)) {
        lf__grid_fill_block(grid, bx, by);
        return lf__grid_prepare_block(grid, bx, by);
    }
    lf__bounds_codes codes[BLOCKS_SIDE / LF__BOUNDS_GROUP];
    float steepest = 0;
    blocks_read(grid, &s);
    job->kernels->codes(&s.at, grid->first_top, &job->scale, &steepest, codes);
    blocks_store(grid, bx, by, &s, codes);
    if (!grid->planes)
        return (double)steepest;
    if (s.columns < BLOCKS_SIDE || s.rows < BLOCKS_SIDE)
        return lf__grid_prepare_block(grid, bx, by);
    double size = fmax(fabs(grid->lowest), fabs(grid->highest));
    job->kernels->plane(&s.at, size, &grid->planes[by * grid->levels[BLOCKS_LEVEL].columns + bx]);
    return (double)steepest;
}

static void blocks_fill_rows(void *job_of, int64_t first, int64_t last, int worker) {
    const blocks_job *job = job_of;
    double steepest = job->found[worker].steepest;
    for (int64_t by = job->row + first; by < job->row + last; by++)
        for (int64_t bx = job->blocks.low[0]; bx <= job->blocks.high[0]; bx++) {
            double most = blocks_fill(job, bx, by);
            steepest = most > steepest ? most : steepest;
        }
    job->found[worker].steepest = steepest;
}

/// Samples between two calls of the host's progress.
#define BLOCKS_STRETCH ((int64_t)1 << 24)

lf_status lf__grid_fill_blocks(lf_grid *grid, const lf_window *part, const lf_host *host) {
    int workers = host->tasks && host->tasks->workers > 1 ? host->tasks->workers : 1;
    blocks_job job = {
        grid, lf__bounds_kernels_for(lf_isa_best()),          {grid->base, grid->quantum, 1 / grid->quantum},
        0,    lf__grid_part_blocks(grid, part, BLOCKS_LEVEL), NULL};
    lf_status status = lf__allocate_array(&grid->allocator, workers, sizeof *job.found, (void **)&job.found);
    if (status != LF_OK)
        return status;
    memset(job.found, 0, (size_t)workers * sizeof *job.found);
    int64_t columns = (job.blocks.high[0] - job.blocks.low[0] + 1) * BLOCKS_SIDE * BLOCKS_SIDE;
    int64_t end = job.blocks.high[1] + 1, stretch = BLOCKS_STRETCH / columns + 1;
    for (job.row = job.blocks.low[1]; job.row < end && status == LF_OK; job.row += stretch)
        if (lf__report(host, "bounds", job.row - job.blocks.low[1], end - job.blocks.low[1]))
            lf__run(host->tasks, end - job.row < stretch ? end - job.row : stretch, 1, blocks_fill_rows,
                    &job);
        else
            status = LF_CANCELLED;
    for (int k = 0; k < workers && grid->line_level > 0; k++)
        lf__grid_prepare_steepest(grid, job.found[k].steepest);
    lf__free_array(&grid->allocator, job.found, workers, sizeof *job.found);
    return status;
}
