/// Total viewshed: sixteen samples of a row look along an azimuth at once.
///
/// Along an azimuth every observer of a row meets the columns of samples (or the rows, whichever the azimuth crosses more often) at the same
/// fractions between two samples. So the heights of sixteen observers beside each other are two vectors of samples and one
/// interpolation, and nothing is resampled. What an azimuth crosses between two of these places can hide what is behind it. Highest heights of squares tell which parts of an azimuth cannot be seen.
#include "sight/total.h"
#include "grid/guard.h"
#include "sight/horizon.h"
#include "sight/sight.h"
#include <stdlib.h>
#include <string.h>

#define LEAST_AZIMUTHS 4
#define MOST_AZIMUTHS 3600

/// Samples around the buffer that are always voids: lanes may be beyond the edge where others are not.
#define MARGIN LF__TOTAL_SQUARE

/// Rounding of slopes, as a share of heights, with a wide margin; and metres besides.
#define BOUND_SHARE 1e-6
#define BOUND_METRES 1e-3

/// A place this near to a sample, in samples, is on it: beside it there may be none.
#define SNAP 1e-9

/// A direction over the samples.
typedef struct total_way {
    bool swap, back; ///< as in lf__total_line
    double drift;    ///< columns or rows to the side from place to place, signed
    double step;     ///< metres from place to place
} total_way;

typedef struct total_job {
    const lf_ground *ground;
    const lf_grid *grid;
    lf__views views;
    const lf_total_def *def;
    const lf_total_maps *maps;
    lf_window window, around; ///< around: what the range reaches
    int64_t stride;           ///< of the maps, in elements
    float *samples;           ///< of `around`, with its margins
    int64_t wide, high;       ///< of these
    float *bounds;            ///< of its squares
    int64_t bound_columns, bound_rows;
    float highest;
    lf__total_kernel *kernel;
    int64_t most_places; ///< along any azimuth
    // Of each worker.
    lf__total_place *places;
    double *shares; ///< area up to each place, as a share of the whole
    float *reaches; ///< number of the last visible place, of each azimuth and column
    double *sums;   ///< area, moment, inside and open azimuths of each column
    float *eyes;    ///< heights of the observers of a row
} total_job;

#define SUMS 4

// ---------------------------------------------------------------------------------------------------
// Directions and places
// ---------------------------------------------------------------------------------------------------

static total_way way_of(const total_job *job, int64_t j, int azimuth) {
    const lf_total_def *def = job->def;
    lf_vec2 world = lf__sample_place(job->grid, 0, j);
    lf_vec2 way = lf__bearing_of(job->grid, &def->rules, world, 360.0 * azimuth / def->azimuths).way;
    bool swap = fabs(way.y) > fabs(way.x);
    double along = swap ? way.y : way.x, beside = swap ? way.x : way.y;
    return (total_way){swap, along < 0, beside / fabs(along), 1 / fabs(along)};
}

static int64_t place_count(const total_way *way, double range) {
    double count = floor(range / way->step * (1 + 1e-12));
    return count < 0x1p40 ? (int64_t)count : (int64_t)1 << 40;
}

/// The area from the observer to the far side of place k: of a sector.
static double area_up_to(const total_way *way, const lf_total_def *def, int64_t k) {
    double radius = fmin(((double)k + 0.5) * way->step, def->range);
    return LF__PI / def->azimuths * radius * radius;
}

/// A crossing `along` steps away and `side` to the side, of which one is whole: between two samples in the direction of the other.
static lf__total_crossing crossing_at(const total_job *job, const total_way *way, double along, double side) {
    int64_t far = (way->back ? -1 : 1) * (way->swap ? job->wide : 1), beside = way->swap ? 1 : job->wide;
    const lf_curvature *curvature = &job->def->rules.curvature;
    double metres = along * way->step, f = along - floor(along) + side - floor(side);
    lf__total_crossing at = {.f = (float)f, .inverse = (float)(1 / metres)};
    at.a = (int64_t)floor(along) * far + (int64_t)floor(side) * beside;
    at.b = at.f == 0 ? at.a : at.a + (floor(along) < along ? far : beside);
    at.drop = (float)(curvature->coefficient / (2 * curvature->radius) * metres);
    return at;
}

static void list_places(const total_job *job, const total_way *way, int64_t count, lf__total_place *places,
                        double *shares) {
    double before = area_up_to(way, job->def, 0), last = 0;
    double whole = LF__PI / job->def->azimuths * job->def->range * job->def->range;
    shares[0] = before / whole;
    for (int64_t k = 1; k <= count; k++) {
        double side = (double)k * way->drift, metres = (double)k * way->step;
        side = fabs(side - rint(side)) < SNAP ? rint(side) : side; // on a sample
        double after = k < count ? area_up_to(way, job->def, k) : whole;
        // The row, or column, that lies between this place and the one before, if any does.
        double between = trunc(side);
        lf__total_place *p = &places[k - 1];
        p->at = crossing_at(job, way, (double)k, side);
        p->crosses = fabs(last) < fabs(between) && fabs(between) < fabs(side);
        if (p->crosses)
            p->before = crossing_at(job, way, between / way->drift, between);
        p->area = (float)(after - before);
        p->moment = (float)((after - before) * metres);
        p->beside = (int32_t)floor(side);
        shares[k] = after / whole;
        before = after;
        last = side;
    }
}

/// Places on the grid from a sample of `around`, or from any of several beside it.
static int64_t places_inside(const total_job *job, const total_way *way, int64_t column, int64_t columns,
                             int64_t row, int64_t count) {
    int64_t last_column = job->around.columns - 1, last_row = job->around.rows - 1;
    int64_t left = column + columns - 1, right = last_column - column; // of the lane that gets farthest
    int64_t along = way->swap ? (way->back ? row : last_row - row) : (way->back ? left : right);
    double aside =
        (double)(way->swap ? (way->drift < 0 ? left : right) : (way->drift < 0 ? row : last_row - row));
    count = along < count ? along : count;
    if (fabs(way->drift) * (double)count > aside + SNAP)
        count = (int64_t)floor((aside + SNAP) / fabs(way->drift));
    return count;
}

// ---------------------------------------------------------------------------------------------------
// Rows
// ---------------------------------------------------------------------------------------------------

/// What a worker has to itself.
typedef struct total_worker {
    lf__total_place *places;
    double *shares, *sums;
    float *reaches, *eyes;
} total_worker;

/// Eyes of a row, and of the lanes beyond it.
static int64_t eye_count(const total_job *job) {
    return job->window.columns + LF__TOTAL_LANES;
}

static total_worker worker_of(const total_job *job, int worker) {
    int64_t w = worker, columns = job->window.columns;
    return (total_worker){job->places + w * job->most_places, job->shares + w * (job->most_places + 1),
                          job->sums + w * columns * SUMS,
                          job->reaches ? job->reaches + w * columns * job->def->azimuths : NULL,
                          job->eyes + w * eye_count(job)};
}

/// Add what the lanes of a block see along an azimuth.
static void add_block(const total_job *job, const total_worker *own, const total_way *way, int azimuth,
                      int64_t first, int64_t row, int64_t count, const lf__total_sums *sums) {
    int64_t columns = job->window.columns, lanes = columns - first;
    double around = area_up_to(way, job->def, 0); // the observer's own place
    for (int64_t k = 0; k < LF__TOTAL_LANES && k < lanes; k++) {
        double *s = own->sums + (first + k) * SUMS;
        int64_t column = job->window.column - job->around.column + first + k;
        int64_t inside = places_inside(job, way, column, 1, row, count);
        s[0] += (double)sums->area[k] + around;
        s[1] += (double)sums->moment[k] + around * way->step / 3;
        s[2] += own->shares[inside];
        s[3] += inside > 0 && (int64_t)sums->last[k] == inside;
        if (own->reaches)
            own->reaches[(first + k) * job->def->azimuths + azimuth] = sums->last[k];
    }
}

static void look_along(const total_job *job, const total_worker *own, int64_t row, int azimuth) {
    total_way way = way_of(job, job->around.row + row, azimuth);
    int64_t count = place_count(&way, job->def->range), before = job->window.column - job->around.column;
    list_places(job, &way, count, own->places, own->shares);
    for (int64_t first = 0; first < job->window.columns; first += LF__TOTAL_LANES) {
        int64_t column = before + first;
        lf__total_sums sums;
        lf__total_line line = {
            .places = own->places,
            .count = places_inside(job, &way, column, LF__TOTAL_LANES, row, count),
            .target = (float)job->def->target_height,
            .above = (float)fmax(job->def->target_height, 0),
            .highest = job->highest,
            .bounds = job->bounds,
            .bound_columns = job->bound_columns,
            .column = column + MARGIN,
            .row = row + MARGIN,
            .swap = way.swap,
            .back = way.back,
            .drift = way.drift,
        };
        job->kernel(&line, job->samples + (row + MARGIN) * job->wide + column + MARGIN, own->eyes + first,
                    &sums);
        add_block(job, own, &way, azimuth, first, row, count, &sums);
    }
}

/// A place that is seen along an azimuth, on the map.
static lf_vec2 total_end_of(const total_job *job, int64_t i, int64_t j, int azimuth, float number) {
    total_way way = way_of(job, j, azimuth);
    double along = (way.back ? -1 : 1) * (double)number, side = (double)number * way.drift;
    double column = (double)i + (way.swap ? side : along), row = (double)j + (way.swap ? along : side);
    const lf_geotransform *g = &job->grid->geotransform;
    return (lf_vec2){g->origin.x + column * g->per_column.x + row * g->per_row.x,
                     g->origin.y + column * g->per_column.y + row * g->per_row.y};
}

/// The longest line of a sample that an exact line of sight confirms.
static double confirm_longest(const total_job *job, int64_t i, int64_t j, float *reaches, const double *steps,
                              lf_vec2 *end) {
    lf_vec2 place = lf__sample_place(job->grid, i, j);
    lf_sight_rules rules = job->def->rules;
    rules.voids = LF_VOIDS_PASS;
    lf_vec3 from, to;
    lf_reason reason;
    *end = place;
    if (lf_sight_observer(job->ground, place, job->def->observer_height, &from, &reason) != LF_OK ||
        reason != LF_REASON_ANSWERED)
        return 0;
    for (;;) {
        int best = -1;
        for (int k = 0; k < job->def->azimuths; k++)
            if (reaches[k] > 0 &&
                (best < 0 || (double)reaches[k] * steps[k] > (double)reaches[best] * steps[best]))
                best = k;
        if (best < 0)
            return 0;
        lf_verdict verdict = LF_VERDICT_BLOCKED;
        lf_vec2 far = total_end_of(job, i, j, best, reaches[best]);
        if (lf_sight_observer(job->ground, far, job->def->target_height, &to, &reason) == LF_OK &&
            reason == LF_REASON_ANSWERED)
            verdict = lf__sight_verdict(job->ground, &rules, from, to, NULL);
        if (verdict == LF_VERDICT_CLEAR) {
            *end = far;
            return (double)reaches[best] * steps[best];
        }
        reaches[best] = 0;
    }
}

static void write_row(const total_job *job, const total_worker *own, int64_t row) {
    const lf_total_maps *maps = job->maps;
    int azimuths = job->def->azimuths;
    int64_t j = job->window.row + row;
    double steps[MOST_AZIMUTHS];
    for (int k = 0; own->reaches && k < azimuths; k++)
        steps[k] = way_of(job, j, k).step;
    for (int64_t k = 0; k < job->window.columns; k++) {
        const double *s = own->sums + k * SUMS;
        int64_t at = row * job->stride + k;
        bool bare = isnan(own->eyes[k]);
        if (maps->area)
            maps->area[at] = bare ? (float)LF_NAN : (float)s[0];
        if (maps->mean)
            maps->mean[at] = bare ? (float)LF_NAN : s[0] > 0 ? (float)(s[1] / s[0]) : 0;
        if (maps->inside)
            maps->inside[at] = bare ? (float)LF_NAN : (float)(s[2] / azimuths);
        if (maps->open)
            maps->open[at] = bare ? (float)LF_NAN : (float)(s[3] / azimuths);
        if (!maps->longest)
            continue;
        lf_vec2 end = {LF_NAN, LF_NAN};
        maps->longest[at] = bare ? (float)LF_NAN
                                 : (float)confirm_longest(job, job->window.column + k, j,
                                                          own->reaches + k * azimuths, steps, &end);
        if (maps->end_x)
            maps->end_x[at] = end.x, maps->end_y[at] = end.y;
    }
}

static void total_fill_rows(void *user, int64_t first, int64_t last, int worker) {
    total_job job = *(const total_job *)user;
    total_worker own = worker_of(&job, worker);
    for (int64_t row = first; row < last; row++) {
        int64_t within = job.window.row - job.around.row + row;
        const float *samples =
            job.samples + (within + MARGIN) * job.wide + job.window.column - job.around.column + MARGIN;
        for (int64_t k = 0; k < eye_count(&job); k++)
            own.eyes[k] = samples[k] + (float)job.def->observer_height;
        memset(own.sums, 0, (size_t)(job.window.columns * SUMS) * sizeof *own.sums);
        for (int k = 0; k < job.def->azimuths; k++)
            look_along(&job, &own, within, k);
        write_row(&job, &own, row);
    }
}

// ---------------------------------------------------------------------------------------------------
// Samples and bounds
// ---------------------------------------------------------------------------------------------------

static void total_copy_rows(void *user, int64_t first, int64_t last, int worker) {
    const total_job *job = user;
    const lf_grid *grid = lf__views_of(&job->views, worker);
    for (int64_t row = first; row < last; row++) {
        float *out = job->samples + row * job->wide;
        int64_t j = job->around.row + row - MARGIN;
        bool there = row >= MARGIN && row < MARGIN + job->around.rows;
        for (int64_t k = 0; k < job->wide; k++) {
            int64_t i = job->around.column + k - MARGIN;
            bool sample = there && k >= MARGIN && k < MARGIN + job->around.columns;
            out[k] =
                sample && !lf__grid_bare(grid, i, j) ? (float)lf__grid_height(grid, i, j) : (float)LF_NAN;
        }
    }
}

/// The highest sample of two squares by two.
static float total_bound_of(const total_job *job, int64_t column, int64_t row) {
    float most = -LF_INFINITY;
    for (int64_t y = row * LF__TOTAL_SQUARE; y < (row + 2) * LF__TOTAL_SQUARE && y < job->high; y++)
        for (int64_t x = column * LF__TOTAL_SQUARE; x < (column + 2) * LF__TOTAL_SQUARE && x < job->wide;
             x++) {
            float z = job->samples[y * job->wide + x];
            most = z > most ? z : most;
        }
    return most;
}

static void bound_rows(void *user, int64_t first, int64_t last, int worker) {
    const total_job *job = user;
    (void)worker;
    for (int64_t row = first; row < last; row++)
        for (int64_t column = 0; column < job->bound_columns; column++)
            job->bounds[row * job->bound_columns + column] = total_bound_of(job, column, row);
}

/// Bounds are raised by more than slopes can be rounded.
static void raise_bounds(total_job *job) {
    int64_t count = job->bound_columns * job->bound_rows;
    double size = fabs(job->def->observer_height) + fabs(job->def->target_height);
    for (int64_t k = 0; k < job->wide * job->high; k++) {
        double z = (double)job->samples[k];
        size = fabs(z) > size ? fabs(z) : size;
    }
    float by = (float)(BOUND_SHARE * size + BOUND_METRES);
    job->highest = -LF_INFINITY;
    for (int64_t k = 0; k < count; k++) {
        job->bounds[k] += by;
        job->highest = fmaxf(job->highest, job->bounds[k]);
    }
}

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

static const struct {
    size_t item, offset;
} total_array[] = {{sizeof(float), offsetof(total_job, samples)},
                   {sizeof(float), offsetof(total_job, bounds)},
                   {sizeof(lf__total_place), offsetof(total_job, places)},
                   {sizeof(double), offsetof(total_job, shares)},
                   {sizeof(double), offsetof(total_job, sums)},
                   {sizeof(float), offsetof(total_job, eyes)},
                   {sizeof(float), offsetof(total_job, reaches)}};

#define ARRAYS ((int)(sizeof total_array / sizeof *total_array))

static int64_t array_count(const total_job *job, int array) {
    int64_t workers = lf__host_workers(&job->def->host), columns = job->window.columns;
    const int64_t counts[] = {job->wide * job->high,
                              job->bound_columns * job->bound_rows,
                              workers * job->most_places,
                              workers * (job->most_places + 1),
                              workers * columns * SUMS,
                              workers * eye_count(job),
                              job->maps->longest ? workers * columns * job->def->azimuths : 0};
    return counts[array];
}

static void **array_of(total_job *job, int array) {
    return (void **)(void *)((char *)job + total_array[array].offset);
}

static void total_free_arrays(total_job *job) {
    lf_allocator allocator = lf__allocator_of(&job->def->host);
    for (int k = 0; k < ARRAYS; k++)
        lf__free_array(&allocator, *array_of(job, k), array_count(job, k), total_array[k].item);
}

static lf_status allocate_arrays(total_job *job) {
    lf_allocator allocator = lf__allocator_of(&job->def->host);
    lf_status status = LF_OK;
    for (int k = 0; k < ARRAYS && status == LF_OK; k++)
        if (array_count(job, k) > 0)
            status =
                lf__allocate_array(&allocator, array_count(job, k), total_array[k].item, array_of(job, k));
    return status;
}

/// What the range reaches from the window, and how many places.
static void total_measure(total_job *job) {
    int64_t reach[2] = {0, 0}, rows[2] = {job->window.row, job->window.row + job->window.rows - 1};
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < job->def->azimuths; k++) {
            total_way way = way_of(job, rows[end], k);
            int64_t most = job->grid->columns > job->grid->rows ? job->grid->columns : job->grid->rows;
            int64_t count = place_count(&way, job->def->range);
            job->most_places = count > job->most_places ? count : job->most_places;
            count = count < most ? count : most;
            int64_t side = (int64_t)ceil((double)count * fabs(way.drift)) + 1;
            reach[way.swap] = count > reach[way.swap] ? count : reach[way.swap];
            reach[!way.swap] = side > reach[!way.swap] ? side : reach[!way.swap];
        }
    lf_window w = job->window;
    int64_t columns = lf__grid_columns(job->grid), left = w.column - reach[0], top = w.row - reach[1];
    int64_t right = w.column + w.columns + reach[0], bottom = w.row + w.rows + reach[1];
    left = left < 0 ? 0 : left, top = top < 0 ? 0 : top;
    right = right > columns ? columns : right, bottom = bottom > job->grid->rows ? job->grid->rows : bottom;
    job->around = (lf_window){left, top, right - left, bottom - top};
    job->wide = job->around.columns + 2 * MARGIN;
    job->high = job->around.rows + 2 * MARGIN;
    job->bound_columns = job->wide / LF__TOTAL_SQUARE + 1;
    job->bound_rows = job->high / LF__TOTAL_SQUARE + 1;
}

// ---------------------------------------------------------------------------------------------------
// Calls
// ---------------------------------------------------------------------------------------------------

static lf_status total_read_def(const lf_ground *ground, const lf_total_def *given, lf_window w,
                                lf_total_def *def, const lf_grid **grid, lf_error *error) {
    *def = lf_total_def_default();
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    lf_sight_rules rules;
    if (status != LF_OK)
        return status;
    if (lf__sight_rules_read(&def->rules, &rules) != LF_OK)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "rules: invalid: curvature coefficient %g, radius %g, units %d",
                        def->rules.curvature.coefficient, def->rules.curvature.radius, (int)def->rules.units);
    def->rules = rules;
    *grid = ground ? lf__ground_grid(lf__ground_itself(ground)) : NULL;
    if (!*grid)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        ground ? "ground: has no samples: expected a grid" : "ground is NULL");
    if (!isfinite(def->observer_height) || !isfinite(def->target_height))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "observer_height %g, target_height %g: must be finite",
                        def->observer_height, def->target_height);
    if (!(def->range > 0 && isfinite(def->range)))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "range is %g: must be finite and above 0", def->range);
    if (def->azimuths < LEAST_AZIMUTHS || def->azimuths > MOST_AZIMUTHS)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "azimuths is %d: must be %d .. %d", def->azimuths,
                        LEAST_AZIMUTHS, MOST_AZIMUTHS);
    status = lf__horizon_window_check(*grid, w, error);
    if (status != LF_OK)
        return status;
    lf_vec2 low = {-LF_INFINITY, -LF_INFINITY}, high = {LF_INFINITY, LF_INFINITY};
    return lf__grid_secure(*grid, low, high, error);
}

static lf_status check_maps(const lf_total_maps *maps, lf_window window, lf_error *error) {
    if (!maps || (!maps->area && !maps->open && !maps->mean && !maps->longest && !maps->inside))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "maps: none is given");
    if (!maps->end_x != !maps->end_y || (maps->end_x && !maps->longest))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "maps: end_x and end_y go together, and with longest");
    if (maps->stride != 0 && maps->stride < window.columns)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "stride is %lld: must be 0, or at least %lld",
                        (long long)maps->stride, (long long)window.columns);
    return LF_OK;
}

static lf_status run(total_job *job) {
    const lf_host *host = &job->def->host;
    lf__run(host->tasks, job->high, 16, total_copy_rows, job);
    lf__run(host->tasks, job->bound_rows, 1, bound_rows, job);
    raise_bounds(job);
    lf__horizon_rows rows = {host, "total", job->window.rows, 1, 0, 1};
    return lf__horizon_run(&rows, total_fill_rows, job);
}

lf_status lf_total_viewshed(const lf_ground *ground, const lf_total_def *given, lf_window window,
                            const lf_total_maps *maps, lf_error *error) {
    lf_total_def def;
    total_job job = {.ground = ground, .def = &def, .maps = maps, .window = window};
    lf_status status = total_read_def(ground, given, window, &def, &job.grid, error);
    if (status == LF_OK)
        status = check_maps(maps, window, error);
    if (status != LF_OK)
        return status;
    job.stride = maps->stride ? maps->stride : window.columns;
    job.kernel = lf__total_kernel_for(lf_isa_best());
    total_measure(&job);
    status = lf__views_open(&job.views, job.grid, &def.host);
    if (status == LF_OK)
        status = allocate_arrays(&job);
    if (status == LF_OK)
        status = run(&job);
    total_free_arrays(&job);
    lf__views_close(&job.views);
    return status == LF_OK ? lf__ground_status(ground, LF_OK) : lf__fail_plain(error, status);
}

/// The square metres of the visible samples of a viewshed.
static double visible_area(const lf_grid *grid, const lf_sight_rules *rules, lf_window w,
                           const uint8_t *seen) {
    const lf_geotransform *g = &grid->geotransform;
    double area = 0, cell = fabs(g->per_column.x * g->per_row.y - g->per_column.y * g->per_row.x);
    for (int64_t j = 0; j < w.rows; j++) {
        lf_vec2 middle = lf__sample_place(grid, w.column + w.columns / 2, w.row + j);
        lf_vec2 east = lf__bearing_of(grid, rules, middle, 90).world,
                north = lf__bearing_of(grid, rules, middle, 0).world;
        int64_t count = 0;
        for (int64_t i = 0; i < w.columns; i++)
            count += seen[j * w.columns + i] == LF_VISIBILITY_VISIBLE;
        area += (double)count * cell / (east.x * north.y);
    }
    return area;
}

/// A random number of 64 bits (SplitMix64).
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int compare_errors(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// The relative error of one sample; NAN for a void.
static lf_status check_sample(const lf_ground *ground, const lf_total_def *def, const lf_grid *grid,
                              int64_t i, int64_t j, float area, double *error_of, lf_error *error) {
    lf_viewshed_def view = lf_viewshed_def_default();
    lf_allocator allocator = lf__allocator_of(&def->host);
    *error_of = LF_NAN;
    if (isnan(area))
        return LF_OK;
    view.host.allocator = def->host.allocator;
    view.host.tasks = def->host.tasks;
    view.rules = def->rules;
    view.rules.voids = LF_VOIDS_PASS;
    view.target = def->target_height;
    view.range_max = def->range;
    lf_observer observer = {.at = lf__sample_place(grid, i, j), .height = def->observer_height};
    lf_window w = lf_viewshed_window(ground, &view, observer.at);
    void *seen;
    lf_status status = lf__allocate_array(&allocator, w.columns * w.rows, 1, &seen);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = lf_viewshed_visible(ground, &view, &observer, w, seen, 0, NULL, error);
    if (status == LF_OK) {
        double exact = visible_area(grid, &def->rules, w, seen);
        *error_of = exact > 0 ? fabs((double)area - exact) / exact : 0;
    }
    lf__free_array(&allocator, seen, w.columns * w.rows, 1);
    return status;
}

lf_status lf_total_check(const lf_ground *ground, const lf_total_def *given, lf_window window,
                         const float *area, ptrdiff_t stride, int64_t count, uint64_t seed,
                         lf_total_errors *errors, lf_error *error) {
    lf_total_def def;
    const lf_grid *grid;
    lf_total_maps maps = {.area = (float *)(uintptr_t)area, .stride = stride};
    lf_status status = total_read_def(ground, given, window, &def, &grid, error);
    if (status == LF_OK)
        status = check_maps(&maps, window, error);
    if (status == LF_OK && (count < 1 || !errors))
        status = lf__fail(error, LF_BAD_ARGUMENT, -1,
                          "count is %lld, errors is %p: expected 1 or more, and a place", (long long)count,
                          (void *)errors);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    void *space;
    status = lf__allocate_array(&allocator, count, sizeof(double), &space);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    double *all = space, sum = 0;
    int64_t found = 0;
    stride = stride ? stride : window.columns;
    for (int64_t k = 0; k < count && status == LF_OK; k++) {
        int64_t i = (int64_t)(next_random(&seed) % (uint64_t)window.columns),
                j = (int64_t)(next_random(&seed) % (uint64_t)window.rows);
        status = lf__report(&def.host, "check", k, count)
                     ? check_sample(ground, &def, grid, window.column + i, window.row + j,
                                    area[j * stride + i], &all[found], error)
                     : lf__fail_plain(error, LF_CANCELLED);
        if (status == LF_OK && !isnan(all[found]))
            sum += all[found++];
    }
    if (status == LF_OK) {
        lf__report(&def.host, "check", count, count);
        qsort(all, (size_t)found, sizeof *all, compare_errors);
        *errors = (lf_total_errors){.samples = found};
        if (found > 0)
            *errors = (lf_total_errors){found, sum / (double)found, all[(found * 95 + 99) / 100 - 1],
                                        all[found - 1]};
    }
    lf__free_array(&allocator, space, count, sizeof(double));
    return status;
}
