/// Shade: which samples the sun reaches.
#include "sight/horizon.h"
#include "sight/sight.h"

/// A search for ground above a line.
typedef struct shade_search {
    bool from_sample, found;
} shade_search;

static void shade_found(lf__sight_walk *way) {
    ((shade_search *)way->user)->found = true;
    way->last = way->first - 1;
}

/// Must a square be tested exactly? Heights in doubles may show that all of it is below the line, or that
/// some is above.
static bool shade_refine(lf__sight_walk *way, const lf__sight_block *block) {
    const lf__sight_line *line = way->line;
    lf__square_heights heights;
    if (!lf__grid_parts(way->grid, way->grid->first + block->bx, way->grid->first + block->by) ||
        lf__sight_starts_behind(way->grid, line, block))
        return false;
    if (!lf__square_heights_at(way->grid, line, block, ((shade_search *)way->user)->from_sample, &heights))
        return true;
    // Between two places a line that curves upwards can dip by less than this.
    double length = block->last - block->first, dip = fabs(line->z2) * length * length;
    bool below = true;
    for (int k = 0; k < heights.count; k++) {
        double t = heights.t[k], above = lf__sight_height(line, t) - heights.height[k];
        double slack =
            heights.slack + 16 * 0x1p-53 * (fabs(line->z0) + (fabs(line->z1) + fabs(line->z2) * t) * t);
        below = below && above > slack + dip;
        if (k < heights.solid && above < -slack) {
            shade_found(way);
            return false;
        }
    }
    return !below;
}

static bool may_be_above(lf__sight_walk *way, const lf__sight_block *block) {
    const lf_grid *grid = way->grid;
    const lf__grid_level *level = &grid->levels[block->level];
    double top =
        level->top ? lf__grid_top(grid, level->top[block->by * level->stride + block->bx]) : grid->highest;
    return lf__sight_low(way->line, block->first, block->last) < top &&
           (block->level > 0 || shade_refine(way, block));
}

static void shade_exact(lf__sight_walk *way, const lf__sight_block *block) {
    lf__piece pieces[LF__PIECES];
    int count = lf__pieces_of(way->grid, way->grid->first + block->bx, way->grid->first + block->by, pieces);
    for (int k = 0; k < count; k++) {
        lf__over over;
        double t;
        if ((pieces[k].kind == LF__PIECE_PLANE || pieces[k].kind == LF__PIECE_PATCH) &&
            lf__over_start(&over, way->line, &pieces[k], &way->cost.exact) &&
            lf__over_blocks(&over, false, &t))
            shade_found(way);
    }
}

/// Is known ground of the grid above a line? Exact.
static bool is_below_copy(const lf_grid *grid, const lf__sight_line *line, lf_counters *cost) {
    shade_search s = {lf__sight_from_sample(grid, line), false};
    lf__sight_walk way = {.grid = grid,
                          .line = line,
                          .last = line->end,
                          .enters = may_be_above,
                          .square = shade_exact,
                          .user = &s,
                          .cost = *cost};
    if (grid->lowest <= grid->highest)
        lf__sight_walk_run(&way);
    *cost = way.cost;
    return s.found;
}

/// The same for all copies.
static bool is_below_ground(const lf_grid *grid, const lf__sight_line *line, lf_counters *cost) {
    lf__sight_copies copies = lf__sight_copies_of(grid, line);
    lf__sight_line part;
    bool below = false;
    while (!below && lf__sight_copies_next(&copies, &part))
        below = is_below_copy(grid, &part, cost);
    return below;
}

lf_visibility lf__shade_place(const lf__shade *shade, lf_vec2 world, lf_vec3 from, lf_counters *cost) {
    const lf_grid *grid = shade->grid;
    const lf_horizon_def *def = shade->def;
    if (from.z < shade->dark)
        return LF_VISIBILITY_HIDDEN;
    if (shade->slope == LF_INFINITY) // straight up
        return def->height < 0 ? LF_VISIBILITY_HIDDEN : LF_VISIBILITY_VISIBLE;
    lf__bearing bearing =
        shade->parallel ? shade->bearing : lf__bearing_of(grid, &def->rules, world, shade->sun.azimuth_deg);
    lf__sight_line line = lf__bearing_line(grid, &bearing, from, shade->slope, def->range);
    if (is_below_ground(grid, &line, cost))
        return LF_VISIBILITY_HIDDEN;
    if (!grid->gaps || def->rules.voids == LF_VOIDS_PASS)
        return LF_VISIBILITY_VISIBLE;
    lf__sight_result answer = {LF_VERDICT_CLEAR, false, 1};
    lf__sight_copies copies = lf__sight_copies_of(grid, &line);
    while (answer.verdict == LF_VERDICT_CLEAR &&
           lf__sight_copies_next(&copies, &line)) // known ground is below
        lf__sight_grid(grid, &line, &(lf__sight_search_rules){def->rules.voids, false, true}, &answer, cost);
    return answer.verdict == LF_VERDICT_CLEAR     ? LF_VISIBILITY_VISIBLE
           : answer.verdict == LF_VERDICT_BLOCKED ? LF_VISIBILITY_HIDDEN
                                                  : LF_VISIBILITY_UNKNOWN;
}

lf_visibility lf__shade_sample(const lf__shade *shade, int64_t i, int64_t j, lf_counters *cost) {
    double z = lf__grid_height(shade->grid, i, j) + shade->def->height;
    return lf__shade_place(shade, lf__sample_place(shade->grid, i, j), (lf_vec3){(double)i, (double)j, z},
                           cost);
}

/// A line that rises by slope * d + curvature * d * d goes down by at most slope^2 / (4 * curvature), and without limit
/// where it does not curve upwards. Ground beyond the grid is assumed to be no lower than datum, or than the
/// lowest ground of the grid.
static double dark_below(const lf_grid *grid, double slope, double curvature) {
    double floor = grid->lowest < 0 ? grid->lowest : 0;
    if (!(slope < 0))
        return -LF_INFINITY;
    return curvature > 0 ? floor + slope * slope / (4 * curvature) : LF_INFINITY;
}

lf_status lf__shade_start(lf__shade *shade, lf_sun sun, lf_error *error) {
    if (!isfinite(sun.azimuth_deg))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "azimuth_deg is %g: must be finite", sun.azimuth_deg);
    if (!(sun.altitude_deg > -90 && sun.altitude_deg <= 90))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "altitude_deg is %g: must be above -90, and 90 or less",
                        sun.altitude_deg);
    lf__sincos rise = lf__bearing_turn(sun.altitude_deg);
    lf_vec2 origin = shade->grid->geotransform.origin;
    shade->sun = sun;
    shade->slope = rise.cos > 0 ? rise.sin / rise.cos : LF_INFINITY;
    shade->parallel = shade->def->rules.units == LF_MAP_METRES;
    shade->bearing = lf__bearing_of(shade->grid, &shade->def->rules, origin, sun.azimuth_deg);
    shade->dark = dark_below(shade->grid, shade->slope, shade->bearing.curvature);
    return LF_OK;
}

typedef struct shade_picture {
    const lf__shade *shade;
    uint8_t *lit;
    ptrdiff_t row_step;
} shade_picture;

static void shade_rows(void *job, int64_t first, int64_t last, int worker) {
    const shade_picture *p = job;
    lf__shade own = lf__shade_of(p->shade, worker), *shade = &own;
    lf_counters cost = {.questions = 0};
    for (int64_t row = first; row < last; row++) {
        uint8_t *lit = p->lit + row * p->row_step;
        for (int64_t k = 0; k < shade->window.columns; k++) {
            int64_t i = shade->window.column + k, j = shade->window.row + row;
            lit[k] = (uint8_t)(lf__grid_bare(shade->grid, i, j) ? LF_VISIBILITY_VOID
                                                                : lf__shade_sample(shade, i, j, &cost));
        }
    }
}

/// After a sweep, which does not know of the planet below the grid.
static void darken_rows(void *job, int64_t first, int64_t last, int worker) {
    const shade_picture *p = job;
    lf__shade own = lf__shade_of(p->shade, worker), *shade = &own;
    for (int64_t row = first; row < last; row++) {
        uint8_t *lit = p->lit + row * p->row_step;
        for (int64_t k = 0; k < shade->window.columns; k++)
            if (lit[k] != LF_VISIBILITY_VOID &&
                lf__grid_height(shade->grid, shade->window.column + k, shade->window.row + row) +
                        shade->def->height <
                    shade->dark)
                lit[k] = LF_VISIBILITY_HIDDEN;
    }
}

static lf_status shade_all(const lf__shade *shade, uint8_t *lit, ptrdiff_t row_step, int64_t part,
                           int64_t parts) {
    shade_picture p = {shade, lit, row_step};
    double height = shade->def->height;
    bool night = shade->grid->highest + height < shade->dark;
    // A sweep begins where shadows that reach the window do, which is too far for a small one.
    const lf_window *w = &shade->window;
    bool large = 2 * w->columns * w->rows > shade->grid->columns * shade->grid->rows,
         sweeps = large && lf__shade_can_sweep(shade);
    if (!night && (sweeps || lf__shade_can_follow(shade))) {
        lf_status status = sweeps ? lf__shade_sweep(shade, lit, row_step, part, parts)
                                  : lf__shade_follow(shade, lit, row_step, part, parts);
        if (status == LF_OK && shade->grid->lowest + height < shade->dark)
            lf__run(shade->def->host.tasks, shade->window.rows, 16, darken_rows, &p);
        return status;
    }
    lf__horizon_rows rows = {&shade->def->host, "shade", shade->window.rows, 4, part, parts};
    return lf__horizon_run(&rows, shade_rows, &p);
}

static lf__horizon_world_map shade_map_of(const lf__shade *shade, lf__horizon_world *world, uint8_t *lit,
                                          ptrdiff_t row_step) {
    return (lf__horizon_world_map){.world = world,
                                   .lattice = shade->grid,
                                   .def = shade->def,
                                   .window = shade->window,
                                   .values = (char *)lit,
                                   .row_step = row_step,
                                   .suns = &shade->sun};
}

static lf_status shade_world(const lf__shade *shade, lf__horizon_world *world, uint8_t *lit,
                             ptrdiff_t row_step, lf_error *error) {
    lf__horizon_world_map map = shade_map_of(shade, world, lit, row_step);
    lf_status status = lf__horizon_world_open(&map, error);
    if (status)
        return status;
    status = lf__horizon_world_run(&map, 0, 1);
    lf__horizon_world_close(&map);
    return status ? lf__fail_plain(error, status) : LF_OK;
}

lf_status lf_sun_shade(const lf_ground *ground, const lf_horizon_def *given, lf_sun sun, lf_window window,
                       uint8_t *lit, ptrdiff_t row_step, lf_error *error) {
    lf_horizon_def def;
    lf__horizon_world world;
    bool is_world;
    lf__shade shade = {.def = &def, .window = window};
    lf_status status =
        lf__horizon_def_read(ground, given, window, &def, &world, &shade.grid, &is_world, error);
    if (!status && !lit)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "lit is NULL");
    if (!status)
        status = lf__shade_start(&shade, sun, error);
    if (status)
        return status;
    if (is_world)
        return shade_world(&shade, &world, lit, row_step ? row_step : window.columns, error);
    status = lf__views_open(&shade.views, shade.grid, &def.host);
    if (!status)
        status = shade_all(&shade, lit, row_step ? row_step : window.columns, 0, 1);
    lf__views_close(&shade.views);
    return status ? lf__fail_plain(error, status) : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Hours
// ---------------------------------------------------------------------------------------------------

/// The samples of the window while suns are counted.
typedef struct shade_count {
    const lf_grid *grid;
    lf_window window;
    double hours;               ///< of the present sun
    lf__horizon_world_map *map; ///< on ground that is no grid
    uint8_t *lit;
    double *sums;
    char *answer;
    ptrdiff_t row_step;
} shade_count;

static void shade_add_rows(void *job, int64_t first, int64_t last, int worker) {
    const shade_count *c = job;
    (void)worker;
    for (int64_t k = first * c->window.columns; k < last * c->window.columns; k++)
        c->sums[k] += c->lit[k] == LF_VISIBILITY_VISIBLE ? c->hours : 0;
}

static void answer_rows(void *job, int64_t first, int64_t last, int worker) {
    const shade_count *c = job;
    (void)worker;
    for (int64_t row = first; row < last; row++) {
        float *hours = (float *)(void *)(c->answer + row * c->row_step);
        for (int64_t k = 0; k < c->window.columns; k++) {
            bool bare = c->map ? isnan(c->map->heights[row * c->window.columns + k])
                               : lf__grid_bare(c->grid, c->window.column + k, c->window.row + row);
            hours[k] = bare ? (float)LF_NAN : (float)c->sums[row * c->window.columns + k];
        }
    }
}

static lf_status count_suns(lf__shade *shade, const lf_sun *suns, int64_t sun_count, shade_count *c,
                            lf_error *error) {
    const lf_tasks *tasks = shade->def->host.tasks;
    for (int64_t k = 0; k < sun_count; k++) {
        lf_status status = lf__shade_start(shade, suns[k], error);
        if (!status)
            status = c->map ? lf__horizon_world_run(c->map, k, sun_count)
                            : shade_all(shade, c->lit, c->window.columns, k, sun_count);
        if (status)
            return lf__fail_plain(error, status);
        c->hours = suns[k].hours;
        lf__run(tasks, c->window.rows, 16, shade_add_rows, c);
    }
    lf__run(tasks, c->window.rows, 16, answer_rows, c);
    return LF_OK;
}

static lf_status check_suns(lf__shade *shade, const lf_sun *suns, int64_t count, lf_error *error) {
    if (count < 0 || (count > 0 && !suns))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "suns is NULL, or count is below 0");
    for (int64_t k = 0; k < count; k++) {
        if (!(suns[k].hours >= 0 && isfinite(suns[k].hours)))
            return lf__fail(error, LF_BAD_ARGUMENT, k, "hours of sun %lld: %g: must be 0 or more",
                            (long long)k, suns[k].hours);
        lf_status status = lf__shade_start(shade, suns[k], error);
        if (status) {
            if (error)
                error->where = k;
            return status;
        }
    }
    return LF_OK;
}

lf_status lf_sun_hours(const lf_ground *ground, const lf_horizon_def *given, const lf_sun *suns,
                       int64_t sun_count, lf_window window, float *hours, ptrdiff_t row_step,
                       lf_error *error) {
    lf_horizon_def def;
    lf__horizon_world world;
    bool is_world;
    lf__shade shade = {.def = &def, .window = window};
    lf_status status =
        lf__horizon_def_read(ground, given, window, &def, &world, &shade.grid, &is_world, error);
    if (!status)
        status = check_suns(&shade, suns, sun_count, error);
    if (!status && (!hours || row_step % (ptrdiff_t)sizeof *hours != 0))
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "hours is NULL, or row_step %lld is no multiple of 4",
                          (long long)row_step);
    if (status)
        return status;
    int64_t samples = window.columns * window.rows;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf__horizon_world_map map = shade_map_of(&shade, &world, NULL, window.columns);
    shade_count c = {.grid = shade.grid, .window = window, .answer = (char *)hours};
    c.row_step = row_step ? row_step : window.columns * (ptrdiff_t)sizeof *hours;
    void *lit = NULL, *sums = NULL;
    status = lf__allocate_array(&allocator, samples, sizeof *c.lit, &lit);
    if (!status)
        status = lf__allocate_array(&allocator, samples, sizeof *c.sums, &sums);
    if (!status && is_world) {
        status = lf__horizon_world_open(&map, error);
        c.map = status ? NULL : &map;
        map.values = lit;
    }
    if (!status)
        status = lf__views_open(&shade.views, shade.grid, &def.host);
    if (status) {
        lf__fail_plain(error, status);
        goto done;
    }
    c.lit = lit;
    c.sums = sums;
    for (int64_t k = 0; k < samples; k++)
        c.sums[k] = 0;
    status = count_suns(&shade, suns, sun_count, &c, error);
done:
    if (c.map)
        lf__horizon_world_close(&map);
    lf__views_close(&shade.views);
    lf__free_array(&allocator, sums, samples, sizeof *c.sums);
    lf__free_array(&allocator, lit, samples, sizeof *c.lit);
    return status;
}
