/// Tilted bounds of large blocks: on rough ground that slopes, level ones exclude nothing.
///
/// A plane through the posts of a block, by least squares, raised until no post is above it. What matters is only that none is; so
/// edits may raise it further without looking at the rest of the block.
#include "base/base.h"
#include "grid/kernels.h"

#define SIDE ((int64_t)1 << LF__GRID_PLANE)

/// Every so many rows are enough to find the tilt.
#define EVERY 2

/// Posts of a block, counted from the first square.
typedef struct posts {
    int64_t low[2], high[2]; ///< both included
} posts;

static posts posts_of(const lf_grid *grid, int64_t bx, int64_t by) {
    int64_t count[2] = {grid->square_columns, grid->square_rows};
    posts p = {{bx * SIDE, by * SIDE}, {(bx + 1) * SIDE, (by + 1) * SIDE}};
    for (int k = 0; k < 2; k++)
        p.high[k] = p.high[k] < count[k] ? p.high[k] : count[k];
    return p;
}

/// A row of a block's posts, less `off`; holes are NAN. Returns how many.
static int read_row(const lf_grid *grid, const posts *p, int64_t y, double off, double row[SIDE + 1]) {
    int count = (int)(p->high[0] - p->low[0]) + 1;
    int64_t i = grid->first + p->low[0], j = grid->first + y;
    if (!grid->holes && grid->plain && grid->type == LF_SAMPLE_FLOAT && grid->column_step == sizeof(float)) {
        const float *from = (const float *)(const void *)(grid->values + j * grid->row_step) + i;
        for (int k = 0; k < count; k++)
            row[k] = (double)from[k] - off;
        return count;
    }
    for (int k = 0; k < count; k++)
        row[k] = lf__grid_hole(grid, i + k, j) ? LF_NAN : lf__grid_height(grid, i + k, j) - off;
    return count;
}

/// Moments of the posts about the middle of the block's posts.
typedef struct moments {
    double x, y, xx, yy;
} moments;

static void add_row(moments *m, const double *row, int count, double y) {
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

static lf__grid_plane tilt_of(const lf_grid *grid, const posts *p) {
    double row[SIDE + 1], middle = 0.5 * (double)(p->low[1] + p->high[1]);
    double off = 0.5 * (grid->lowest + grid->highest);
    moments m = {0, 0, 0, 0};
    // From both ends, so that the rows lie evenly about the middle.
    for (int64_t low = p->low[1], high = p->high[1]; low < high; low += EVERY, high -= EVERY) {
        int count = read_row(grid, p, low, off, row);
        add_row(&m, row, count, (double)low - middle);
        count = read_row(grid, p, high, off, row);
        add_row(&m, row, count, (double)high - middle);
    }
    lf__grid_plane plane = {m.xx > 0 ? (float)(m.x / m.xx) : 0, m.yy > 0 ? (float)(m.y / m.yy) : 0,
                            -LF_INFINITY};
    return plane;
}

/// Raise a plane above some of its block's posts.
static void raise(const lf_grid *grid, int64_t bx, int64_t by, const posts *p, lf__grid_plane *plane) {
    double row[SIDE + 1], rise_x = (double)plane->rise_x, rise_y = (double)plane->rise_y, top = plane->top;
    double start = (double)p->low[0] - ((double)bx + 0.5) * SIDE, middle = ((double)by + 0.5) * SIDE;
    for (int64_t y = p->low[1]; y <= p->high[1]; y++) {
        double tilt = rise_y * ((double)y - middle) + rise_x * start, most = -LF_INFINITY;
        int count = read_row(grid, p, y, tilt, row);
        for (int k = 0; k < count; k++) {
            double over = row[k] - rise_x * k;
            most = over > most ? over : most;
        }
        top = most > top ? most : top;
    }
    // What rounding can do, here and where the plane is used.
    double size = fmax(fabs(grid->lowest), fabs(grid->highest)) + 2 * SIDE * (fabs(rise_x) + fabs(rise_y));
    if (top > plane->top)
        plane->top = top + 0x1p-45 * size;
}

typedef struct job {
    lf_grid *grid;
    int64_t columns;
} job;

static void make_rows(void *job_of, int64_t first, int64_t last, int worker) {
    const job *j = job_of;
    (void)worker;
    for (int64_t by = first; by < last; by++)
        for (int64_t bx = 0; bx < j->columns; bx++) {
            lf__grid_plane *plane = &j->grid->planes[by * j->columns + bx];
            posts p = posts_of(j->grid, bx, by);
            *plane = tilt_of(j->grid, &p);
            raise(j->grid, bx, by, &p, plane);
        }
}

lf_status lf__grid_planes_take(lf_grid *grid, const lf_host *host) {
    if (grid->level_count <= LF__GRID_PLANE)
        return LF_OK;
    const lf__grid_level *level = &grid->levels[LF__GRID_PLANE];
    int64_t count = level->columns * level->rows;
    lf_status status = lf__take_array(&grid->allocator, count, sizeof *grid->planes, (void **)&grid->planes);
    if (status != LF_OK)
        return status;
    grid->plane_count = count;
    job j = {grid, level->columns};
    lf__run(grid->packed ? NULL : host->tasks, level->rows, 1, make_rows, &j);
    return LF_OK;
}

/// A block shares the posts of its last row and column with the next ones.
static int64_t block_of(int64_t post) {
    return post > 0 ? (post - 1) >> LF__GRID_PLANE : 0;
}

void lf__grid_planes_raise(lf_grid *grid, const int64_t first[2], const int64_t last[2]) {
    if (!grid->planes)
        return;
    const lf__grid_level *level = &grid->levels[LF__GRID_PLANE];
    int64_t low[2] = {first[0] - grid->first, first[1] - grid->first};
    int64_t high[2] = {last[0] - grid->first, last[1] - grid->first};
    // Posts of the ring follow those of the border.
    for (int k = 0; k < 2 && grid->extend; k++) {
        low[k]--;
        high[k]++;
    }
    for (int64_t by = block_of(low[1]); by < level->rows && by * SIDE <= high[1]; by++)
        for (int64_t bx = block_of(low[0]); bx < level->columns && bx * SIDE <= high[0]; bx++) {
            posts p = posts_of(grid, bx, by);
            for (int k = 0; k < 2; k++) {
                p.low[k] = low[k] > p.low[k] ? low[k] : p.low[k];
                p.high[k] = high[k] < p.high[k] ? high[k] : p.high[k];
            }
            raise(grid, bx, by, &p, &grid->planes[by * level->columns + bx]);
        }
}
