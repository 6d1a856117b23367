/// The skyline of a point.
#include "sight/horizon.h"
#include "geom/angle.h"
#include "grid/guard.h"
#include "grid/packed.h"

/// What a question needs besides its azimuth.
typedef struct station {
    const lf_grid *grid;
    lf_sight_rules rules;
    lf_vec3 from;
    double range;
} station;

static lf_status stand(const lf_grid *grid, const lf_sight_rules *rules, lf_vec3 from, double range,
                       station *at) {
    *at = (station){grid, lf_sight_rules_default(), from, range};
    if (!grid || !isfinite(from.x) || !isfinite(from.y) || !isfinite(from.z))
        return LF_BAD_ARGUMENT;
    lf_status status = rules ? lf__def_read(&at->rules, sizeof at->rules, rules, NULL) : LF_OK;
    return status ? status : lf__bearing_check(&at->rules, range, NULL);
}

static bool find_hole(lf__sight_way *way, const lf__sight_block *block) {
    (void)block;
    return !*(bool *)way->user;
}

static void look_at_hole(lf__sight_way *way, const lf__sight_block *block) {
    int64_t square[2] = {way->grid->first + block->bx, way->grid->first + block->by};
    double t;
    if (lf__grid_gap(way->grid, square[0], square[1]) &&
        lf__over_hole(way->grid, way->line, square, false, &t, &way->cost.exact)) {
        *(bool *)way->user = true;
        way->last = way->first - 1;
    }
}

/// Is there a hole under the line? It is taken below all ground, so that no hole passes unseen.
static bool passes_hole(const lf_grid *grid, const lf__sight_line *line, lf_counters *cost) {
    bool found = false;
    lf__sight_line low = *line;
    lf_grid bare;
    if (!(grid->lowest <= grid->highest)) { // without any height: one that is finite will do
        bare = *grid;
        bare.lowest = bare.highest = 0;
        grid = &bare;
    }
    low.z0 = grid->highest - 1 - fabs(grid->highest);
    low.z1 = low.z2 = 0;
    lf__sight_way way = {.grid = grid,
                         .line = &low,
                         .last = line->end,
                         .enters = find_hole,
                         .square = look_at_hole,
                         .user = &found,
                         .cost = *cost};
    if (grid->gaps)
        lf__sight_go(&way);
    *cost = way.cost;
    return found;
}

static lf_horizon look(const station *at, double azimuth_deg, lf_counters *cost) {
    const lf_grid *grid = at->grid;
    lf_vec2 world = {at->from.x, at->from.y}, place = lf__sight_place(grid, world);
    lf__bearing bearing = lf__bearing_of(grid, &at->rules, world, azimuth_deg);
    lf__sight_line line = lf__bearing_line(grid, &bearing, (lf_vec3){place.x, place.y, at->from.z}, 0,
                                           at->range),
                   part;
    lf__grid_touch_line(
        grid, at->from,
        (lf_vec3){world.x + at->range * bearing.world.x, world.y + at->range * bearing.world.y, 0});
    lf_horizon horizon = {.reason = LF_REASON_NONE, .elevation_deg = -90, .point = at->from};
    lf__sight_copies copies = lf__sight_copies_of(grid, &line);
    while (!horizon.hole && lf__sight_copies_next(&copies, &part))
        horizon.hole = passes_hole(grid, &part, cost);
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

lf_status lf_horizon_at(const lf_grid *grid, const lf_sight_rules *rules, lf_vec3 from, double azimuth_deg,
                        double range, lf_horizon *horizon, lf_cursor *cursor) {
    station at;
    lf_status status = stand(grid, rules, from, range, &at);
    if (status || !horizon || !isfinite(azimuth_deg))
        return LF_BAD_ARGUMENT;
    lf_counters cost = {.questions = 1};
    lf__grid_room room;
    at.grid = lf__grid_open(grid, cursor, &room);
    *horizon = look(&at, azimuth_deg, &cost);
    lf__grid_close(grid, at.grid, cursor);
    lf__cursor_count(cursor, &cost);
    return lf__grid_told(grid, LF_OK);
}

typedef struct around {
    const station *at;
    const double *azimuths_deg;
    lf_horizon *horizons;
} around;

static void look_around(void *job, int64_t first, int64_t last, int worker) {
    const around *a = job;
    lf_counters cost = {.questions = 0};
    lf__grid_hall hall;
    lf_cursor cursor = lf__hall_cursor(&hall);
    station at = *a->at;
    at.grid = lf__grid_open(at.grid, &cursor, NULL);
    (void)worker;
    for (int64_t k = first; k < last; k++)
        a->horizons[k] = look(&at, a->azimuths_deg[k], &cost);
}

lf_status lf_horizon_around(const lf_grid *grid, const lf_sight_rules *rules, lf_vec3 from,
                            const double *azimuths_deg, int64_t count, double range, lf_horizon *horizons,
                            const lf_tasks *tasks) {
    station at;
    lf_status status = stand(grid, rules, from, range, &at);
    if (status || count < 0 || (count > 0 && (!azimuths_deg || !horizons)))
        return LF_BAD_ARGUMENT;
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(azimuths_deg[k]))
            return LF_BAD_ARGUMENT;
    around job = {&at, azimuths_deg, horizons};
    lf__run(tasks, count, 8, look_around, &job);
    return lf__grid_told(grid, LF_OK);
}
