/// Total viewshed: what is seen from every sample, along some azimuths.
///
/// Along an azimuth every observer of a row meets the columns of samples (or the rows, whichever the azimuth crosses more often) at the same
/// fractions between two samples. So the heights of sixteen observers beside each other are two vectors of samples and one
/// interpolation, and nothing is resampled. What an azimuth crosses between two of these places can hide what is behind it. Highest heights
/// of parts of the raster tell which parts of an azimuth cannot be seen.
#include "sight/total.h"
#include "grid/guard.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_AZIMUTHS 4

/// Columns of an item, in blocks; and bytes that its farthest places may take.
#define ITEM_BLOCKS 8
#define ITEM_BYTES 4e6

/// Lists of all azimuths are kept if they take no more than this.
#define KEPT_BYTES 1.2e7
#define PLACE_BYTES (2 * sizeof(lf__total_step) + sizeof(lf__total_chunk) / 4.0 + 2 * sizeof(double))

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

static const struct {
    size_t item, offset;
} total_array[] = {{sizeof(float), offsetof(lf__total_job, planes[0].samples)},
                   {sizeof(float), offsetof(lf__total_job, planes[0].tops)},
                   {sizeof(float), offsetof(lf__total_job, planes[0].cells)},
                   {sizeof(float), offsetof(lf__total_job, planes[0].squares)},
                   {sizeof(float), offsetof(lf__total_job, planes[0].common)},
                   {sizeof(float), offsetof(lf__total_job, planes[1].samples)},
                   {sizeof(float), offsetof(lf__total_job, planes[1].tops)},
                   {sizeof(float), offsetof(lf__total_job, planes[1].cells)},
                   {sizeof(float), offsetof(lf__total_job, planes[1].squares)},
                   {sizeof(float), offsetof(lf__total_job, planes[1].common)},
                   {sizeof(float), offsetof(lf__total_job, sizes)},
                   {sizeof(lf__total_list), offsetof(lf__total_job, lists)},
                   {sizeof(lf__total_step), offsetof(lf__total_job, steps)},
                   {sizeof(lf__total_chunk), offsetof(lf__total_job, chunks)},
                   {sizeof(int64_t), offsetof(lf__total_job, step_ends)},
                   {sizeof(double), offsetof(lf__total_job, shares)},
                   {sizeof(double), offsetof(lf__total_job, sums)},
                   {sizeof(float), offsetof(lf__total_job, reaches)}};

#define ARRAYS ((int)(sizeof total_array / sizeof *total_array))

static int64_t array_count(const lf__total_job *job, int array) {
    const lf__total_plane *p = job->planes;
    int64_t workers = lf__host_workers(&job->def->host), samples = job->item_columns * job->item_rows;
    int64_t lists = job->kept ? job->def->azimuths : workers;
    const int64_t counts[] = {p[0].wide * p[0].high,
                              p[0].wide * p[0].rows,
                              p[0].columns * p[0].rows,
                              p[0].columns * p[0].rows,
                              p[0].columns * p[0].rows,
                              p[1].wide * p[1].high,
                              p[1].wide * p[1].rows,
                              p[1].columns * p[1].rows,
                              p[1].columns * p[1].rows,
                              p[1].columns * p[1].rows,
                              p[0].high,
                              lists,
                              lists * 2 * job->most_places, // at most one crossing before each
                              lists * lf__total_chunk_count(job->most_places),
                              lists * (job->most_places + 1),
                              lists * (job->most_places + 1),
                              workers * samples * (LF__TOTAL_SUMS + 1),
                              job->maps->longest ? workers * samples * job->def->azimuths : 0};
    return counts[array];
}

static void **array_of(lf__total_job *job, int array) {
    return (void **)(void *)((char *)job + total_array[array].offset);
}

static void total_free_arrays(lf__total_job *job) {
    lf_allocator allocator = lf__allocator_of(&job->def->host);
    lf__free_array(&allocator, job->block, job->block_size, 1);
}

/// All arrays in one block, which takes huge pages if it is large: small pages are written for the first time by the thousand.
static lf_status allocate_arrays(lf__total_job *job) {
    lf_allocator allocator = lf__allocator_of(&job->def->host);
    size_t starts[ARRAYS], bytes = 0;
    for (int k = 0; k < ARRAYS; k++) {
        size_t size;
        starts[k] = bytes;
        if (!lf__size_array(array_count(job, k), total_array[k].item, &size) ||
            !lf__size_add(size, LF__CACHE_LINE - 1, &size) ||
            !lf__size_add(bytes, size / LF__CACHE_LINE * LF__CACHE_LINE, &bytes))
            return LF_TOO_LARGE;
    }
    lf_status status = lf__allocate_array(&allocator, (int64_t)bytes, 1, &job->block);
    if (status != LF_OK)
        return status;
    job->block_size = (int64_t)bytes;
    for (int k = 0; k < ARRAYS; k++)
        *array_of(job, k) = array_count(job, k) > 0 ? (char *)job->block + starts[k] : NULL;
    return LF_OK;
}

/// row: where the first block begins
static void plane_measure(lf__total_plane *plane, int64_t columns, int64_t rows, int64_t row) {
    plane->wide = columns + 2 * LF__TOTAL_MARGIN;
    plane->high = rows + 2 * LF__TOTAL_MARGIN;
    plane->columns = plane->wide / LF__TOTAL_CELL_COLUMNS + 1;
    plane->lead =
        LF__TOTAL_CELL_ROWS - 1 - (row + LF__TOTAL_MARGIN + LF__TOTAL_CELL_ROWS - 1) % LF__TOTAL_CELL_ROWS;
    plane->rows = (plane->high + plane->lead) / LF__TOTAL_CELL_ROWS + 1;
}

/// What the range reaches from the window, and how many places.
static void total_measure(lf__total_job *job) {
    int64_t reach[2] = {0, 0}, rows[2] = {job->window.row, job->window.row + job->window.rows - 1};
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < job->def->azimuths; k++) {
            lf__total_way way = lf__total_way_of(job, rows[end], k);
            int64_t most = job->grid->columns > job->grid->rows ? job->grid->columns : job->grid->rows;
            int64_t count = lf__total_place_count(&way, job->def->range);
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
    plane_measure(&job->planes[0], job->around.columns, job->around.rows, w.row - top);
    if (job->alike)
        plane_measure(&job->planes[1], job->around.rows, job->around.columns, w.column - left);
}

/// What a worker computes at once: a block's rows where azimuths are alike, and few enough columns that there is something for all workers.
static void cut_items(lf__total_job *job) {
    int64_t workers = lf__host_workers(&job->def->host), columns = job->window.columns;
    int64_t lanes = (columns + LF__TOTAL_LANES - 1) / LF__TOTAL_LANES;
    job->kept = job->alike && (double)job->most_places * job->def->azimuths * PLACE_BYTES < KEPT_BYTES;
    job->item_columns = columns;
    job->item_rows = job->across = 1;
    if (!job->alike)
        return;
    int64_t blocks = ITEM_BLOCKS, block_bytes = LF__TOTAL_LANES * LF__TOTAL_LANES * (int64_t)sizeof(float);
    while (job->maps->longest && blocks > 1 &&
           (double)(blocks * block_bytes) * job->def->azimuths > ITEM_BYTES)
        blocks /= 2;
    job->across = (lanes + blocks - 1) / blocks;
    job->across = (job->across + workers - 1) / workers * workers;
    job->item_rows = LF__TOTAL_LANES;
    job->item_columns = (lanes + job->across - 1) / job->across * LF__TOTAL_LANES;
    job->across = job->across < lanes ? job->across : lanes;
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
    if (def->azimuths < LEAST_AZIMUTHS || def->azimuths > LF__TOTAL_MOST_AZIMUTHS)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "azimuths is %d: must be %d .. %d", def->azimuths,
                        LEAST_AZIMUTHS, LF__TOTAL_MOST_AZIMUTHS);
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

static lf_status run(lf__total_job *job) {
    const lf_host *host = &job->def->host;
    lf__total_fill_planes(job);
    lf__total_make_lists(job);
    int64_t strips = (job->window.rows + job->item_rows - 1) / job->item_rows;
    lf__horizon_rows items = {host, "total", strips * job->across, 1, 0, 1};
    return lf__horizon_run(&items, lf__total_fill_items, job);
}

lf_status lf_total_viewshed(const lf_ground *ground, const lf_total_def *given, lf_window window,
                            const lf_total_maps *maps, lf_error *error) {
    lf_total_def def;
    lf__total_job job = {.ground = ground, .def = &def, .maps = maps, .window = window};
    lf_status status = total_read_def(ground, given, window, &def, &job.grid, error);
    if (status == LF_OK)
        status = check_maps(maps, window, error);
    if (status != LF_OK)
        return status;
    job.stride = maps->stride ? maps->stride : window.columns;
    job.alike = def.rules.units != LF_MAP_DEGREES;
    job.full = maps->mean || maps->open || maps->longest;
    job.kernel = lf__total_kernel_for(lf_isa_best(), job.alike ? LF__TOTAL_ROWS : 1, job.full);
    job.add = lf__total_adder_for(lf_isa_best());
    total_measure(&job);
    cut_items(&job);
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
