/// Total viewshed: the steps of an azimuth, and the samples with their bounds.
#include "sight/total.h"
#include <math.h>

/// Rounding of slopes, as a share of heights, with a wide margin; and metres besides.
#define BOUND_SHARE 1e-6
#define BOUND_METRES 1e-3

lf__total_way lf__total_way_of(const lf__total_job *job, int64_t row, int azimuth) {
    const lf_total_def *def = job->def;
    lf_vec2 world = lf__sample_place(job->grid, 0, row);
    lf_vec2 way = lf__bearing_of(job->grid, &def->rules, world, 360.0 * azimuth / def->azimuths).way;
    bool swap = fabs(way.y) > fabs(way.x);
    double along = swap ? way.y : way.x, beside = swap ? way.x : way.y;
    return (lf__total_way){swap, along < 0, job->alike && !swap, beside / fabs(along), 1 / fabs(along)};
}

int64_t lf__total_place_count(const lf__total_way *way, double range) {
    double count = floor(range / way->step * (1 + 1e-12));
    return count < 0x1p40 ? (int64_t)count : (int64_t)1 << 40;
}

int64_t lf__total_chunk_count(int64_t places) {
    int64_t chunks = (places + LF__TOTAL_CHUNK - 1) / LF__TOTAL_CHUNK;
    return chunks + (chunks + LF__TOTAL_GROUP - 1) / LF__TOTAL_GROUP;
}

double lf__total_area_up_to(const lf__total_way *way, const lf_total_def *def, int64_t k) {
    double radius = ((double)k + 0.5) * way->step;
    radius = radius < def->range ? radius : def->range;
    return LF__PI / def->azimuths * radius * radius;
}

/// As floor, without a call.
static int64_t total_floor(double x) {
    int64_t whole = (int64_t)x;
    return whole - ((double)whole > x);
}

/// What the steps of an azimuth share.
typedef struct step_rule {
    int64_t far, beside; ///< offsets of the next sample along the azimuth, and to the side
    double step, lowering;
} step_rule;

static step_rule step_rule_of(const lf__total_job *job, const lf__total_way *way) {
    const lf_curvature *curvature = &job->def->rules.curvature;
    bool rows = way->swap || way->turned;
    int64_t wide = job->planes[way->turned].wide;
    return (step_rule){(way->back ? -1 : 1) * (rows ? wide : 1), rows ? 1 : wide, way->step,
                       curvature->coefficient / (2 * curvature->radius)};
}

/// A crossing `along` steps away and `side` to the side, of which one is whole: between two samples in the direction of the other.
static lf__total_step total_step_at(const step_rule *rule, double along, double side) {
    int64_t ahead = total_floor(along), aside = total_floor(side);
    double metres = along * rule->step, f = along - (double)ahead + side - (double)aside;
    lf__total_step s = {.a = ahead * rule->far + aside * rule->beside,
                        .f = (float)f,
                        .inverse = (float)(1 / metres),
                        .drop = (float)(rule->lowering * metres)};
    if (s.f != 0)
        s.to_b = (int32_t)((double)ahead < along ? rule->far : rule->beside);
    return s;
}

static double total_side(const lf__total_way *way, int64_t k) {
    double side = (double)k * way->drift, nearest = (double)total_floor(side + 0.5);
    return fabs(side - nearest) < LF__TOTAL_SNAP ? nearest : side; // on a sample
}

/// Places near + 1 .. far, as one chunk or group. Its rows, or columns, begin as if it had `most` places.
static lf__total_chunk total_chunk_of(const lf__total_list *list, int64_t near, int64_t far, int64_t most) {
    const lf__total_way *way = &list->way;
    const lf__total_step *before = &list->steps[list->step_ends[near > 0 ? near : 1] - 1],
                         *last = &list->steps[list->step_ends[far] - 1];
    int64_t along = way->back ? -(near + most) : near;
    int64_t ends[2] = {total_floor(total_side(way, near + 1)), total_floor(total_side(way, far))};
    int64_t beside = ends[way->drift < 0], aside = ends[way->drift >= 0] + 1;
    bool rows = way->swap || way->turned;
    int64_t columns = rows ? aside - beside + 1 : most + 1;
    return (lf__total_chunk){.column = rows ? beside : along,
                             .row = rows ? along : beside,
                             .more = columns > LF__TOTAL_TOP_COLUMNS ? columns - LF__TOTAL_TOP_COLUMNS : 0,
                             .near = before->inverse,
                             .far = last->inverse,
                             .drop = before->drop < last->drop ? before->drop : last->drop,
                             .number = (float)near};
}

/// The first top of a chunk, from that of a block in a row of the plane, whose cells begin with all blocks unless each row has its own list.
static int64_t total_top_of(const lf__total_plane *plane, int64_t row, const lf__total_chunk *chunk) {
    int64_t from = row + plane->lead, at = total_floor((double)(from + chunk->row) / LF__TOTAL_CELL_ROWS);
    return (at - from / LF__TOTAL_CELL_ROWS) * plane->wide + chunk->column;
}

/// What lies before the first place of a chunk is behind the last one of the chunk before. Before the very first place lies nothing.
static void total_list_chunks(const lf__total_plane *plane, int64_t row, lf__total_list *list) {
    int64_t chunk = 0, group = 0, count = list->count;
    for (int64_t near = 0; near < count; near += LF__TOTAL_CHUNK, chunk++) {
        int64_t far = near + LF__TOTAL_CHUNK < count ? near + LF__TOTAL_CHUNK : count;
        list->chunks[chunk] = total_chunk_of(list, near, far, LF__TOTAL_CHUNK);
        list->chunks[chunk].first = list->step_ends[near];
        list->chunks[chunk].end = list->step_ends[far];
        list->chunks[chunk].top = total_top_of(plane, row, &list->chunks[chunk]);
    }
    list->groups = list->chunks + chunk;
    for (int64_t first = 0; first < chunk; first += LF__TOTAL_GROUP, group++) {
        int64_t end = first + LF__TOTAL_GROUP < chunk ? first + LF__TOTAL_GROUP : chunk;
        int64_t near = first * LF__TOTAL_CHUNK, far = end * LF__TOTAL_CHUNK;
        list->groups[group] =
            total_chunk_of(list, near, far < count ? far : count, LF__TOTAL_CHUNK * LF__TOTAL_GROUP);
        list->groups[group].first = first;
        list->groups[group].end = end;
    }
}

void lf__total_list_steps(const lf__total_job *job, int64_t row, int azimuth, lf__total_list *list) {
    lf__total_way way = list->way = lf__total_way_of(job, row, azimuth);
    const lf_total_def *def = job->def;
    step_rule rule = step_rule_of(job, &way);
    double before = lf__total_area_up_to(&way, def, 0), last = 0;
    double whole = LF__PI / def->azimuths * def->range * def->range;
    int64_t steps = 0, count = list->count = lf__total_place_count(&way, def->range);
    list->shares[0] = before / whole;
    list->step_ends[0] = 0;
    for (int64_t k = 1; k <= count; k++) {
        double side = total_side(&way, k), metres = (double)k * way.step;
        double after = k < count ? lf__total_area_up_to(&way, def, k) : whole;
        // The row, or column, that lies between this place and the one before, if any does.
        double between = (double)(int64_t)side;
        if (fabs(last) < fabs(between) && fabs(between) < fabs(side))
            list->steps[steps++] = total_step_at(&rule, between / way.drift, between);
        lf__total_step *s = &list->steps[steps++];
        *s = total_step_at(&rule, (double)k, side);
        s->area = (float)(after - before);
        s->moment = (float)((after - before) * metres);
        list->step_ends[k] = steps;
        list->shares[k] = after / whole;
        before = after;
        last = side;
    }
    // A block of several rows begins with a cell, as a row of that number does.
    const lf__total_plane *plane = &job->planes[way.turned];
    int64_t from = job->alike ? LF__TOTAL_CELL_ROWS - plane->lead : row - job->around.row + LF__TOTAL_MARGIN;
    total_list_chunks(plane, from, list);
}

static void total_make_some(void *user, int64_t first, int64_t last, int worker) {
    const lf__total_job *job = user;
    (void)worker;
    for (int64_t k = first; k < last; k++) {
        job->lists[k] = (lf__total_list){.steps = job->steps + k * 2 * job->most_places,
                                         .chunks = job->chunks + k * lf__total_chunk_count(job->most_places),
                                         .step_ends = job->step_ends + k * (job->most_places + 1),
                                         .shares = job->shares + k * (job->most_places + 1)};
        if (job->kept)
            lf__total_list_steps(job, job->window.row, (int)k, &job->lists[k]);
    }
}

void lf__total_make_lists(lf__total_job *job) {
    const lf_host *host = &job->def->host;
    lf__run(host->tasks, job->kept ? job->def->azimuths : lf__host_workers(host), 4, total_make_some, job);
}

// ---------------------------------------------------------------------------------------------------
// Samples and bounds
// ---------------------------------------------------------------------------------------------------

static inline float higher(float z, float than) {
    return z > than ? z : than;
}

/// The greatest size of some samples, in vectors.
static float greatest_size(const float *samples, int64_t count) {
    float most[8] = {0}, all = 0;
    int64_t k = 0;
    for (; k + 8 <= count; k += 8)
        for (int i = 0; i < 8; i++)
            most[i] = higher(fabsf(samples[k + i]), most[i]);
    for (; k < count; k++)
        all = higher(fabsf(samples[k]), all);
    for (int i = 0; i < 8; i++)
        all = higher(most[i], all);
    return all;
}

static void total_copy_rows(void *user, int64_t first, int64_t last, int worker) {
    const lf__total_job *job = user;
    const lf_grid *grid = lf__views_of(&job->views, worker);
    const lf__total_plane *plane = &job->planes[0];
    lf_window around = job->around;
    for (int64_t row = first; row < last; row++) {
        float *out = plane->samples + row * plane->wide, *inner = out + LF__TOTAL_MARGIN;
        int64_t j = around.row + row - LF__TOTAL_MARGIN;
        bool there = row >= LF__TOTAL_MARGIN && row < LF__TOTAL_MARGIN + around.rows;
        for (int64_t k = 0; k < plane->wide; k++)
            out[k] = (float)LF_NAN;
        for (int64_t k = 0; k < around.columns && there; k++)
            if (!lf__grid_bare(grid, around.column + k, j))
                inner[k] = (float)lf__grid_height(grid, around.column + k, j);
        job->sizes[row] = greatest_size(out, plane->wide);
    }
}

/// Columns become rows, a few at a time.
static void total_turn_rows(void *user, int64_t first, int64_t last, int worker) {
    const lf__total_job *job = user;
    const lf__total_plane *from = &job->planes[0], *to = &job->planes[1];
    (void)worker;
    for (int64_t column = 0; column < to->wide; column += LF__TOTAL_LANES)
        for (int64_t row = first; row < last; row++)
            for (int64_t k = column; k < column + LF__TOTAL_LANES && k < to->wide; k++)
                to->samples[row * to->wide + k] = from->samples[k * from->wide + row];
}

/// The highest of rows of numbers, from this row up to another one within those that there are.
typedef struct row_span {
    const float *values;
    int64_t wide, row, end, high;
} row_span;

/// Raise each number of a row to the highest of its column in the rows.
static void raise_by_rows(float *restrict out, const row_span *span) {
    for (int64_t y = span->row > 0 ? span->row : 0; y < span->end && y < span->high; y++) {
        const float *restrict from = span->values + y * span->wide;
        for (int64_t x = 0; x < span->wide; x++)
            out[x] = higher(from[x], out[x]);
    }
}

/// Raise each number of a row to those that lie so many columns to its right, which have not been raised yet.
static void raise_by_columns(float *row, int64_t count, int64_t apart) {
    for (int64_t x = 0; x + apart < count; x++)
        row[x] = higher(row[x + apart], row[x]);
}

static void lower_all(float *row, int64_t count) {
    for (int64_t x = 0; x < count; x++)
        row[x] = -LF_INFINITY;
}

/// The cells of a row, and the tops that begin there: first of each column, then of the columns beside it.
static void tops_of_row(const lf__total_plane *plane, int64_t row, float raise) {
    float *tops = plane->tops + row * plane->wide, *cells = plane->cells + row * plane->columns;
    int64_t top = row * LF__TOTAL_CELL_ROWS - plane->lead;
    row_span span = {plane->samples, plane->wide, top, top + LF__TOTAL_CELL_ROWS, plane->high};
    lower_all(tops, plane->wide);
    raise_by_rows(tops, &span);
    for (int64_t column = 0; column < plane->columns; column++) {
        const int64_t left = column * LF__TOTAL_CELL_COLUMNS, right = left + LF__TOTAL_CELL_COLUMNS;
        cells[column] = -LF_INFINITY;
        for (int64_t x = left; x < right && x < plane->wide; x++)
            cells[column] = higher(tops[x], cells[column]);
    }
    span.row = span.end;
    span.end = top + LF__TOTAL_TOP_CELLS * LF__TOTAL_CELL_ROWS;
    raise_by_rows(tops, &span);
    raise_by_columns(tops, plane->wide, 1); // of two, four and five columns
    raise_by_columns(tops, plane->wide, 2);
    raise_by_columns(tops, plane->wide, 1);
    for (int64_t x = 0; x < plane->wide; x++)
        tops[x] += raise;
}

/// The highest of four by four cells.
static void squares_of_row(const lf__total_plane *plane, int64_t row, float raise) {
    float *squares = plane->squares + row * plane->columns;
    const row_span span = {plane->cells, plane->columns, row, row + 4, plane->rows};
    lower_all(squares, plane->columns);
    raise_by_rows(squares, &span);
    raise_by_columns(squares, plane->columns, 1);
    raise_by_columns(squares, plane->columns, 2);
    for (int64_t x = 0; x < plane->columns; x++)
        squares[x] += raise;
}

/// A group of 64 places moves a block of 16 x 4 observers over 72 rows and 88 columns at most, counted from the corner of its cell.
static void common_of_row(const lf__total_plane *plane, int64_t row) {
    static const int64_t rows[] = {0, 4, 8, 12, 14};
    float *common = plane->common + row * plane->columns;
    lower_all(common, plane->columns);
    for (int k = 0; k < 5; k++) {
        const row_span span = {plane->squares, plane->columns, row + rows[k], row + rows[k] + 1, plane->rows};
        raise_by_rows(common, &span);
    }
    raise_by_columns(common, plane->columns, 4);
    raise_by_columns(common, plane->columns, 4);
}

/// A task over rows of cells of one plane.
typedef struct bound_task {
    lf__total_plane *plane;
    int stage; ///< cells and tops, squares, bounds of groups
    float raise;
} bound_task;

static void total_bound_rows(void *user, int64_t first, int64_t last, int worker) {
    const bound_task *task = user;
    (void)worker;
    for (int64_t row = first; row < last; row++)
        if (task->stage == 0)
            tops_of_row(task->plane, row, task->raise);
        else if (task->stage == 1)
            squares_of_row(task->plane, row, task->raise);
        else
            common_of_row(task->plane, row);
}

/// Bounds are raised by more than slopes can be rounded.
static float raise_of(const lf__total_job *job) {
    double size = fabs(job->def->observer_height) + fabs(job->def->target_height);
    double most = (double)greatest_size(job->sizes, job->planes[0].high);
    return (float)(BOUND_SHARE * (most > size ? most : size) + BOUND_METRES);
}

void lf__total_fill_planes(lf__total_job *job) {
    const lf_tasks *tasks = job->def->host.tasks;
    lf__run(tasks, job->planes[0].high, 16, total_copy_rows, job);
    float raise = raise_of(job);
    if (job->alike)
        lf__run(tasks, job->planes[1].high, 16, total_turn_rows, job);
    for (int k = 0; k < (job->alike ? 2 : 1); k++)
        for (int stage = 0; stage < 3; stage++) {
            bound_task task = {&job->planes[k], stage, raise};
            lf__run(tasks, job->planes[k].rows, 4, total_bound_rows, &task);
        }
}
