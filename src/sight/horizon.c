/// Horizons at points and over windows of a grid.
#include "sight/horizon.h"
#include "geom/geometry.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include <string.h>

static lf_status bearing_check(const lf_sight_rules *rules, double range, lf_error *error);

/// What a query needs besides its azimuth.
typedef struct horizon_station {
    const lf_grid *grid;
    const lf__horizon_world *world; ///< NULL: the grid is the ground
    lf_sight_rules rules;
    lf_vec3 from;
    double range;
} horizon_station;

static lf_status horizon_observer(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 from,
                                  double range, lf__horizon_world *world, horizon_station *at) {
    bool is_world;
    *at = (horizon_station){NULL, NULL, lf_sight_rules_default(), from, range};
    if (!ground || !isfinite(from.x) || !isfinite(from.y) || !isfinite(from.z))
        return LF_BAD_ARGUMENT;
    lf_status status = rules ? lf__def_read(&at->rules, sizeof at->rules, rules, NULL) : LF_OK;
    if (status == LF_OK)
        status = bearing_check(&at->rules, range, NULL);
    if (status == LF_OK)
        status = lf__horizon_world_find(world, ground, &at->rules, NULL, &at->grid, &is_world, NULL);
    if (status == LF_OK && is_world && world->targets.globe && !(fabs(from.y) <= 90))
        status = LF_BAD_ARGUMENT;
    if (status == LF_OK)
        at->world = is_world ? world : NULL;
    return status;
}

static bool horizon_find_void(lf__sight_walk *way, const lf__sight_block *block) {
    (void)block;
    return !*(bool *)way->user;
}

static void horizon_check_void(lf__sight_walk *way, const lf__sight_block *block) {
    int64_t square[2] = {way->grid->first + block->bx, way->grid->first + block->by};
    double t;
    if (lf__grid_gap(way->grid, square[0], square[1]) &&
        lf__over_void(way->grid, way->line, square, false, &t, &way->cost.exact)) {
        *(bool *)way->user = true;
        way->last = way->first - 1;
    }
}

/// Is there a void under the line? The line is taken below all ground, so that no void is missed.
static bool horizon_passes_void(const lf_grid *grid, const lf__sight_line *line, lf_counters *cost) {
    bool found = false;
    lf__sight_line low = *line;
    lf_grid bare;
    if (!(grid->lowest <= grid->highest)) { // without any height: any finite one will do
        bare = *grid;
        bare.lowest = bare.highest = 0;
        grid = &bare;
    }
    low.z0 = grid->highest - 1 - fabs(grid->highest);
    low.z1 = low.z2 = 0;
    lf__sight_walk way = {.grid = grid,
                          .line = &low,
                          .last = line->end,
                          .enters = horizon_find_void,
                          .square = horizon_check_void,
                          .user = &found,
                          .cost = *cost};
    if (grid->gaps)
        lf__sight_walk_run(&way);
    *cost = way.cost;
    return found;
}

/// The range, or how far the grid can reach in this direction if that is less: so that a line without an end needs only the blocks
/// along it.
static double horizon_reach(const lf_grid *grid, lf_vec2 from, double range, lf_vec2 way) {
    const lf_box *box = &grid->box;
    double across = fabs(box->high.x - box->low.x) + fabs(box->high.y - box->low.y),
           away = fabs(from.x - box->low.x) + fabs(from.y - box->low.y);
    double farthest = 1.001 * (across + away) / sqrt(way.x * way.x + way.y * way.y);
    return grid->copies == 0 && farthest < range ? farthest : range;
}

static lf_horizon horizon_query(const horizon_station *at, double azimuth_deg, lf_counters *cost) {
    const lf_grid *grid = at->grid;
    lf_vec2 world = {at->from.x, at->from.y}, place = lf__sight_place(grid, world);
    lf__bearing bearing = lf__bearing_of(grid, &at->rules, world, azimuth_deg);
    lf__sight_line line = lf__bearing_line(grid, &bearing, (lf_vec3){place.x, place.y, at->from.z}, 0,
                                           at->range),
                   part;
    double reach = horizon_reach(grid, world, at->range, bearing.world);
    lf__grid_touch_line(grid, at->from,
                        (lf_vec3){world.x + reach * bearing.world.x, world.y + reach * bearing.world.y, 0});
    lf_horizon horizon = {.reason = LF_REASON_NONE, .elevation_deg = -90, .point = at->from};
    lf__sight_copies copies = lf__sight_copies_of(grid, &line);
    while (!horizon.hole && lf__sight_copies_next(&copies, &part))
        horizon.hole = horizon_passes_void(grid, &part, cost);
    line.closed = true;
    lf__skyline sky = lf__skyline_along(grid, &line, 0, cost);
    if (sky.slope > -LF_INFINITY) {
        horizon.reason = LF_REASON_ANSWERED;
        horizon.elevation_deg = lf__atan2_deg(sky.slope, 1);
        horizon.distance = sky.t < at->range ? sky.t : at->range;
        horizon.point = (lf_vec3){world.x + horizon.distance * bearing.world.x,
                                  world.y + horizon.distance * bearing.world.y, sky.height};
    }
    return horizon;
}

lf_status lf_horizon_at(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 from,
                        double azimuth_deg, double range, lf_horizon *horizon, lf_cursor *cursor) {
    horizon_station at;
    lf__horizon_world world;
    lf_status status = horizon_observer(ground, rules, from, range, &world, &at);
    if (status || !horizon || !isfinite(azimuth_deg))
        return LF_BAD_ARGUMENT;
    lf_counters cost = {.questions = 1};
    if (at.world) {
        *horizon = lf__horizon_world_at(at.world, from, azimuth_deg, range, &cost);
        lf__cursor_count(cursor, &cost);
        return lf__ground_status(ground, LF_OK);
    }
    lf__grid_scratch space;
    const lf_grid *grid = at.grid;
    at.grid = lf__grid_open(grid, cursor, &space);
    *horizon = horizon_query(&at, azimuth_deg, &cost);
    lf__grid_close(grid, at.grid, cursor);
    lf__cursor_count(cursor, &cost);
    return lf__grid_status(grid, LF_OK);
}

typedef struct horizon_around {
    const horizon_station *at;
    const double *azimuths_deg;
    lf_horizon *horizons;
} horizon_around;

static void horizon_query_around(void *job, int64_t first, int64_t last, int worker) {
    const horizon_around *a = job;
    lf_counters cost = {.questions = 0};
    lf__grid_task_scratch hall;
    lf_cursor cursor = lf__scratch_cursor(&hall);
    horizon_station at = *a->at;
    (void)worker;
    for (int64_t k = first; k < last && at.world; k++)
        a->horizons[k] = lf__horizon_world_at(at.world, at.from, a->azimuths_deg[k], at.range, &cost);
    if (at.world)
        return;
    at.grid = lf__grid_open(at.grid, &cursor, NULL);
    for (int64_t k = first; k < last; k++)
        a->horizons[k] = horizon_query(&at, a->azimuths_deg[k], &cost);
}

lf_status lf_horizon_around(const lf_ground *ground, const lf_sight_rules *rules, lf_vec3 from,
                            const double *azimuths_deg, int64_t count, double range, lf_horizon *horizons,
                            const lf_tasks *tasks) {
    horizon_station at;
    lf__horizon_world world;
    lf_status status = horizon_observer(ground, rules, from, range, &world, &at);
    if (status || count < 0 || (count > 0 && (!azimuths_deg || !horizons)))
        return LF_BAD_ARGUMENT;
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(azimuths_deg[k]))
            return LF_BAD_ARGUMENT;
    horizon_around job = {&at, azimuths_deg, horizons};
    lf__run(tasks, count, 8, horizon_query_around, &job);
    return lf__ground_status(ground, LF_OK);
}

// ---------------------------------------------------------------------------------------------------
// Directions
// ---------------------------------------------------------------------------------------------------

/// The sine and the cosine of 45 degrees.
#define BEARING_DIAGONAL 0.70710678118654752

lf__sincos lf__bearing_turn(double degrees) {
    lf__sincos turn = lf__sincos_deg(degrees);
    if (fabs(remainder(degrees, 90)) == 45) {
        turn.sin = copysign(BEARING_DIAGONAL, turn.sin);
        turn.cos = copysign(BEARING_DIAGONAL, turn.cos);
    }
    return turn;
}

/// Metres of a degree of longitude and of latitude.
lf_vec2 lf__bearing_degree_lengths(lf_ellipsoid ellipsoid, double lat_deg) {
    lf__sincos lat = lf__sincos_deg(lat_deg);
    double oblate = ellipsoid.flattening * (2 - ellipsoid.flattening);
    double w = 1 - oblate * lat.sin * lat.sin;
    double across = ellipsoid.radius / sqrt(w);
    lf_vec2 lengths = {across * fabs(lat.cos) * LF__DEGREE, across * (1 - oblate) / w * LF__DEGREE};
    lengths.x = lengths.x > 0.001 ? lengths.x : 0.001;
    return lengths;
}

lf__bearing lf__bearing_of(const lf_grid *grid, const lf_sight_rules *rules, lf_vec2 world,
                           double azimuth_deg) {
    lf__sincos turn = lf__bearing_turn(azimuth_deg);
    lf__bearing bearing = {.world = {turn.sin, turn.cos},
                           .curvature = rules->curvature.coefficient / (2 * rules->curvature.radius)};
    if (rules->units == LF_MAP_DEGREES) {
        lf_vec2 lengths = lf__bearing_degree_lengths(rules->ellipsoid, world.y);
        bearing.world.x /= lengths.x;
        bearing.world.y /= lengths.y;
    }
    bearing.way = lf__grid_turn(grid, bearing.world.x, bearing.world.y);
    return bearing;
}

lf__sight_line lf__bearing_line(const lf_grid *grid, const lf__bearing *bearing, lf_vec3 from, double slope,
                                double range) {
    lf_vec2 way = bearing->way;
    bool by_columns = fabs(way.x) >= fabs(way.y);
    double at = by_columns ? from.x : from.y, low = by_columns ? grid->low.x : grid->low.y,
           high = by_columns ? grid->high.x : grid->high.y;
    double beyond = 2 * (fabs(at) + fabs(low) + fabs(high) + 1) / fabs(by_columns ? way.x : way.y);
    if (grid->round && fabs(way.x) * beyond > 0.5 * grid->copies) // at most half a turn
        beyond = 0.5 * grid->copies / fabs(way.x);
    lf__sight_line line = {.at = {from.x, from.y},
                           .way = way,
                           .z0 = from.z,
                           .z1 = slope,
                           .z2 = bearing->curvature,
                           .end = range < beyond ? range : beyond};
    return line;
}

/// Check curvature, range and ellipsoid; the error names the one that is invalid.
static lf_status bearing_check(const lf_sight_rules *rules, double range, lf_error *error) {
    lf_curvature curvature = rules->curvature;
    if (!isfinite(curvature.coefficient) || !(curvature.radius > 0 && isfinite(curvature.radius)))
        return lf__fail(
            error, LF_BAD_ARGUMENT, -1,
            "curvature: coefficient %g, radius %g: expected a finite coefficient and a radius above 0",
            curvature.coefficient, curvature.radius);
    if (rules->units != LF_MAP_METRES && rules->units != LF_MAP_DEGREES)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "units is %d: expected LF_MAP_METRES or LF_MAP_DEGREES",
                        (int)rules->units);
    lf_ellipsoid e = rules->ellipsoid;
    if (rules->units == LF_MAP_DEGREES &&
        !(e.radius > 0 && isfinite(e.radius) && e.flattening >= 0 && e.flattening < 1))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "ellipsoid: radius %g, flattening %g: expected a radius above 0 and a flattening "
                        "from 0 to below 1",
                        e.radius, e.flattening);
    if (rules->voids != LF_VOIDS_UNKNOWN && rules->voids != LF_VOIDS_PASS && rules->voids != LF_VOIDS_STOP)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "voids is %d: expected LF_VOIDS_UNKNOWN, PASS or STOP",
                        (int)rules->voids);
    if (!(range > 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "range is %g: must be above 0", range);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Maps
// ---------------------------------------------------------------------------------------------------

/// What each worker does between two reports.
#define HORIZON_MAP_SHARES 8

#define MOST_DIRECTIONS 720

lf_status lf__horizon_window_check(const lf_grid *grid, lf_window w, lf_error *error) {
    int64_t columns = lf__grid_columns(grid);
    if (w.column < 0 || w.row < 0 || w.columns < 1 || w.rows < 1 || w.column >= columns ||
        w.row >= grid->rows || w.columns > columns - w.column || w.rows > grid->rows - w.row)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "window: %lld x %lld samples from column %lld, row %lld: not within the grid of "
                        "%lld x %lld",
                        (long long)w.columns, (long long)w.rows, (long long)w.column, (long long)w.row,
                        (long long)columns, (long long)grid->rows);
    return LF_OK;
}

lf_status lf__horizon_def_read(const lf_ground *ground, const lf_horizon_def *given, lf_window window,
                               lf_horizon_def *def, lf__horizon_world *world, const lf_grid **grid,
                               bool *is_world, lf_error *error) {
    *def = lf_horizon_def_default();
    if (!ground)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "ground is NULL");
    lf_status status = lf__def_read(def, sizeof *def, given, error);
    if (!status)
        status = bearing_check(&def->rules, def->range, error);
    if (!status && !isfinite(def->height))
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "height is %g: must be finite", def->height);
    if (!status)
        status =
            lf__horizon_world_find(world, ground, &def->rules,
                                   &(lf__lattice_given){def->lattice, def->places}, grid, is_world, error);
    if (!status)
        status = lf__horizon_window_check(*grid, window, error);
    // The sun and the horizon may be in any direction.
    lf_vec2 low = {-LF_INFINITY, -LF_INFINITY}, high = {LF_INFINITY, LF_INFINITY};
    return status ? status : lf__grid_secure(*grid, low, high, error);
}

typedef struct horizon_map_band {
    lf_task *task;
    void *job;
    int64_t first;
} horizon_map_band;

static void run_band(void *job, int64_t first, int64_t last, int worker) {
    const horizon_map_band *b = job;
    b->task(b->job, b->first + first, b->first + last, worker);
}

lf_status lf__horizon_run(const lf__horizon_rows *rows, lf_task *task, void *job) {
    const lf_tasks *tasks = rows->host->tasks;
    int64_t total = rows->parts * rows->rows, before = rows->part * rows->rows;
    int64_t at_once = rows->grain * HORIZON_MAP_SHARES * (tasks && tasks->workers > 1 ? tasks->workers : 1);
    for (int64_t row = 0; row < rows->rows; row += at_once) {
        if (!lf__report(rows->host, rows->stage, before + row, total))
            return LF_CANCELLED;
        horizon_map_band b = {task, job, row};
        int64_t left = rows->rows - row;
        lf__run(tasks, left < at_once ? left : at_once, rows->grain, run_band, &b);
    }
    return lf__report(rows->host, rows->stage, before + rows->rows, total) ? LF_OK : LF_CANCELLED;
}

typedef struct horizon_map_map {
    const lf_grid *grid;
    lf__views views;
    const lf_horizon_def *def;
    lf_window window;
    char *values; ///< of the window's first sample
    ptrdiff_t row_step;
    double azimuth_deg;
    int directions; ///< 0: the elevation at the azimuth
} horizon_map_map;

/// The line of a sample; the range is closed.
static lf__sight_line sample_line(const horizon_map_map *m, const lf__bearing *bearing, int64_t i,
                                  int64_t j) {
    lf_vec3 from = {(double)i, (double)j, lf__grid_height(m->grid, i, j) + m->def->height};
    lf__sight_line line = lf__bearing_line(m->grid, bearing, from, 0, m->def->range);
    line.closed = true;
    return line;
}

/// A direction, at the samples of a row.
typedef struct horizon_map_pass {
    lf__bearing bearing;
    double hint; ///< where the sample before found its skyline
} horizon_map_pass;

static double azimuth_of(const horizon_map_map *m, int k) {
    return m->directions == 0 ? m->azimuth_deg : 360.0 * k / m->directions;
}

/// The bearings at a sample.
static void read_bearings(const horizon_map_map *m, int64_t i, int64_t j, horizon_map_pass *passes) {
    lf_vec2 place = lf__sample_place(m->grid, i, j);
    for (int k = 0; k < m->directions || k == 0; k++)
        passes[k].bearing = lf__bearing_of(m->grid, &m->def->rules, place, azimuth_of(m, k));
}

static double horizon_map_slope_of(const horizon_map_map *m, int64_t i, int64_t j, horizon_map_pass *pass,
                                   lf_counters *cost) {
    lf__sight_line line = sample_line(m, &pass->bearing, i, j);
    lf__skyline sky = lf__skyline_along(m->grid, &line, pass->hint, cost);
    pass->hint = sky.t;
    return sky.slope;
}

static double elevation_of(const horizon_map_map *m, int64_t i, int64_t j, horizon_map_pass *pass,
                           lf_counters *cost) {
    double slope = horizon_map_slope_of(m, i, j, pass, cost);
    return slope > -LF_INFINITY ? lf__atan2_deg(slope, 1) : -90;
}

static double horizon_map_share_of(const horizon_map_map *m, int64_t i, int64_t j, horizon_map_pass *passes,
                                   lf_counters *cost) {
    double sum = 0;
    for (int k = 0; k < m->directions; k++) {
        double slope = horizon_map_slope_of(m, i, j, &passes[k], cost);
        sum += slope > 0 ? 1 / (1 + slope * slope) : 1;
    }
    return sum / m->directions;
}

static void horizon_map_fill_row(const horizon_map_map *m, int64_t row, horizon_map_pass *passes,
                                 lf_counters *cost) {
    float *values = (float *)(void *)(m->values + row * m->row_step);
    int64_t j = m->window.row + row;
    // On degrees, bearings depend on the latitude.
    bool differ = m->def->rules.units == LF_MAP_DEGREES && m->grid->geotransform.per_column.y != 0;
    for (int64_t k = 0; k < m->window.columns; k++) {
        int64_t i = m->window.column + k;
        if (k == 0 || differ)
            read_bearings(m, i, j, passes);
        values[k] = lf__grid_bare(m->grid, i, j) ? (float)LF_NAN
                    : m->directions == 0         ? (float)elevation_of(m, i, j, passes, cost)
                                                 : (float)horizon_map_share_of(m, i, j, passes, cost);
    }
}

static void horizon_map_fill_rows(void *job, int64_t first, int64_t last, int worker) {
    horizon_map_map m = *(const horizon_map_map *)job;
    lf_counters cost = {.questions = 0};
    horizon_map_pass passes[MOST_DIRECTIONS] = {{.hint = 0}};
    m.grid = lf__views_of(&m.views, worker);
    for (int64_t row = first; row < last; row++)
        horizon_map_fill_row(&m, row, passes, &cost);
}

/// The same on ground that is no grid.
static lf_status horizon_map_world(const horizon_map_map *m, lf__horizon_world *world, lf_error *error) {
    lf__horizon_world_map map = {.world = world,
                                 .lattice = m->grid,
                                 .def = m->def,
                                 .window = m->window,
                                 .values = m->values,
                                 .row_step = m->row_step,
                                 .azimuth_deg = m->azimuth_deg,
                                 .directions = m->directions};
    lf_status status = lf__horizon_world_open(&map, error);
    if (status)
        return status;
    status = lf__horizon_world_run(&map, 0, 1);
    lf__horizon_world_close(&map);
    return status ? lf__fail_plain(error, status) : LF_OK;
}

static lf_status horizon_map_fill(horizon_map_map *m, const lf_ground *ground, const lf_horizon_def *given,
                                  float *values, ptrdiff_t row_step, lf_error *error) {
    lf_horizon_def def;
    lf__horizon_world world;
    bool is_world;
    lf_status status =
        lf__horizon_def_read(ground, given, m->window, &def, &world, &m->grid, &is_world, error);
    if (!status && !values)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "values is NULL");
    if (!status && row_step % (ptrdiff_t)sizeof *values != 0)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "row_step is %lld: must be a multiple of 4",
                          (long long)row_step);
    if (status)
        return status;
    m->def = &def;
    m->values = (char *)values;
    m->row_step = row_step ? row_step : m->window.columns * (ptrdiff_t)sizeof *values;
    if (is_world)
        return horizon_map_world(m, &world, error);
    lf__horizon_rows rows = {&def.host, "horizon", m->window.rows, 4, 0, 1};
    status = lf__views_open(&m->views, m->grid, &def.host);
    if (!status)
        status = lf__horizon_run(&rows, horizon_map_fill_rows, m);
    lf__views_close(&m->views);
    return status ? lf__fail_plain(error, status) : LF_OK;
}

lf_status lf_horizon_map(const lf_ground *ground, const lf_horizon_def *def, double azimuth_deg,
                         lf_window window, float *degrees, ptrdiff_t row_step, lf_error *error) {
    if (!isfinite(azimuth_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "azimuth_deg is %g: must be finite", azimuth_deg);
    horizon_map_map m = {.window = window, .azimuth_deg = azimuth_deg};
    return horizon_map_fill(&m, ground, def, degrees, row_step, error);
}

lf_status lf_sky_view(const lf_ground *ground, const lf_horizon_def *def, int directions, lf_window window,
                      float *share, ptrdiff_t row_step, lf_error *error) {
    if (directions < 1 || directions > MOST_DIRECTIONS)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "directions is %d: must be 1 .. %d", directions,
                        MOST_DIRECTIONS);
    horizon_map_map m = {.window = window, .directions = directions};
    return horizon_map_fill(&m, ground, def, share, row_step, error);
}
