/// Horizons and sun on grounds that are no grid.
///
/// The ground is cut by the upright half-plane of a direction: of every triangle a segment is left, and the skyline is the highest
/// slope of these. Grids in their place have their own exact search; a globe, which has no overhangs, is found by halving the angle of a line of sight.
#include "base/base.h"
#include "ground/sweep.h"
#include "sight/horizon.h"

// ---------------------------------------------------------------------------------------------------
// Cuts of triangles
// ---------------------------------------------------------------------------------------------------

/// Nearer than this, in metres, the direction to a place is not defined.
#define CUT_NEAREST 1e-6

/// The skyline over triangles. The search's mover has the point as its centre, the direction as motion and up as its first axis.
typedef struct cut_search {
    double range;
    double lowering; ///< slopes fall by this per metre
    lf__skyline best;
} cut_search;

static void cut_note(cut_search *s, double d, double z) {
    double slope = z / d - s->lowering * d;
    if (slope > s->best.slope)
        s->best = (lf__skyline){slope, d, z};
}

/// A place, as distance along the direction, to its side and up.
static lf_vec3 cut_place(const lf__sweeping *search, lf_vec3 p) {
    const lf__sweep_mover *m = &search->mover;
    lf_vec3 r = lf_vec3_sub(p, m->centre);
    return (lf_vec3){lf_vec3_dot(r, m->motion), lf_vec3_dot(r, m->axes[1]), lf_vec3_dot(r, m->axes[0])};
}

/// The height of a cut at a distance within it; where it is upright, its upper end.
static double cut_height(const double ends[2][2], double d) {
    double step = ends[1][0] - ends[0][0], t = step == 0 ? 0 : (d - ends[0][0]) / step;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return step == 0 ? fmax(ends[0][1], ends[1][1]) : ends[0][1] + t * (ends[1][1] - ends[0][1]);
}

static void cut_triangle(const lf__sweeping *search, const lf_vec3 triangle[3]) {
    cut_search *s = search->user;
    lf_vec3 p[3];
    double d[4], z[4];
    int count = 0;
    for (int k = 0; k < 3; k++)
        p[k] = cut_place(search, triangle[k]);
    for (int k = 0; k < 3 && count < 4; k++) {
        lf_vec3 a = p[k], b = p[(k + 1) % 3];
        if ((a.y > 0 && b.y > 0) || (a.y < 0 && b.y < 0))
            continue;
        double t = a.y == b.y ? 0 : a.y / (a.y - b.y);
        d[count] = a.x + t * (b.x - a.x);
        z[count++] = a.z + t * (b.z - a.z);
    }
    for (int i = 0; i < count; i++) // a triangle in the plane has three such places: all three pairs
        for (int k = i + 1; k < count; k++) {
            double far = fmin(fmax(d[i], d[k]), s->range), near = fmax(fmin(d[i], d[k]), CUT_NEAREST);
            if (!(near <= far))
                continue;
            const double ends[2][2] = {{d[i], z[i]}, {d[k], z[k]}};
            cut_note(s, near, cut_height(ends, near));
            cut_note(s, far, cut_height(ends, far));
            double step = d[k] - d[i], base = step == 0 ? 0 : z[i] - (z[k] - z[i]) / step * d[i];
            double top = s->lowering > 0 && base < 0 ? sqrt(-base / s->lowering) : 0;
            if (top > near && top < far)
                cut_note(s, top, cut_height(ends, top));
        }
}

/// Can anything in a box be above the skyline so far?
static bool cut_near(const lf__sweeping *search, const lf_box *box) {
    const cut_search *s = search->user;
    double low[3] = {LF_INFINITY, LF_INFINITY, LF_INFINITY},
           high[3] = {-LF_INFINITY, -LF_INFINITY, -LF_INFINITY};
    for (int k = 0; k < 8; k++) {
        lf_vec3 p =
            cut_place(search, (lf_vec3){k & 1 ? box->high.x : box->low.x, k & 2 ? box->high.y : box->low.y,
                                        k & 4 ? box->high.z : box->low.z});
        const double at[3] = {p.x, p.y, p.z};
        for (int n = 0; n < 3; n++)
            low[n] = fmin(low[n], at[n]), high[n] = fmax(high[n], at[n]);
    }
    double size = fabs(low[0]) + fabs(high[0]) + fabs(low[1]) + fabs(high[1]) + fabs(low[2]) + fabs(high[2]);
    double pad = 1e-12 * (size + fabs(search->mover.centre.x) + fabs(search->mover.centre.y)) + 1e-9;
    if (low[1] > pad || high[1] < -pad || high[0] < -pad || low[0] > s->range + pad)
        return false;
    double near = fmax(low[0] - pad, CUT_NEAREST), far = fmax(fmin(high[0] + pad, s->range), near),
           up = high[2] + pad;
    double most = up / (up > 0 ? near : far) - s->lowering * (s->lowering > 0 ? near : far);
    return most + 1e-9 * (1 + fabs(most)) > s->best.slope;
}

/// Metres by which curved surfaces, which are cut into triangles, may be off.
#define CUT_TOLERANCE 1e-4

static void cut_ground(const lf__horizon_world *w, const lf__horizon_way *way, lf__skyline *best) {
    cut_search s = {way->range, way->lowering, *best};
    lf_cursor cursor = {.layers = w->rules->layers};
    lf_hit hit;
    lf__sweeping search = {.mover = {.centre = way->from, .motion = way->ahead},
                           .tolerance = CUT_TOLERANCE,
                           .end = 1,
                           .hit = &hit,
                           .layers = w->rules->layers,
                           .cursor = &cursor,
                           .near = cut_near,
                           .each = cut_triangle,
                           .user = &s,
                           .skip = w->skip};
    if (w->rules->units == LF_MAP_DEGREES && !w->targets.globe) // metres for each degree
        search.mover.motion = lf_vec3_scale(way->ahead, 1 / lf_vec3_dot(way->ahead, way->ahead));
    search.mover.axes[0] = way->up;
    search.mover.axes[1] = lf_vec3_cross(way->up, way->ahead);
    if (w->targets.ground != w->skip && w->targets.ground->kind->sweep)
        w->targets.ground->kind->sweep(w->targets.ground->object, &search);
    *best = s.best;
}

// ---------------------------------------------------------------------------------------------------
// A globe
// ---------------------------------------------------------------------------------------------------

#define HALVINGS 52

/// Metres that ground may be below the ellipsoid.
#define GLOBE_DEPTH 1000

/// How far a line that touches ground goes before it is above everything, and a little more: to the horizon of the point, and from there to
/// that of the highest ground.
static double globe_reach(const lf__horizon_world *w, const lf__horizon_way *way) {
    lf_box box = w->skip->kind->box(w->skip->object);
    const lf_ellipsoid *e = &w->rules->ellipsoid;
    double high = fmax(box.high.x, fmax(-box.low.x, fmax(box.high.y, -box.low.y))) - e->radius;
    double own = lf_ellipsoid_to_geodetic(e, way->from).height;
    double reach = sqrt(2 * e->radius * (fmax(own, 0) + GLOBE_DEPTH)) +
                   sqrt(2 * e->radius * (fmax(high, 0) + GLOBE_DEPTH));
    return fmin(way->range, 1.2 * reach);
}

static lf_vec3 globe_end(const lf__horizon_way *way, double angle, double length) {
    double slope = tan(angle), level = length / sqrt(1 + slope * slope);
    lf_vec3 end = lf_vec3_along(way->from, level, way->ahead);
    return lf_vec3_along(end, (slope + way->lowering * level) * level, way->up);
}

static bool globe_blocks(const lf__horizon_world *w, const lf__horizon_way *way, double angle,
                         double length) {
    return lf__sight_verdict(w->skip, w->rules, way->from, globe_end(way, angle, length), NULL) ==
           LF_VERDICT_BLOCKED;
}

/// The highest angle at which a line of this length is blocked, and where; false: none is.
static bool globe_skyline(const lf__horizon_world *w, const lf__horizon_way *way, double length,
                          lf__skyline *sky) {
    double low = -0.49 * LF__PI, high = 0.49 * LF__PI;
    lf_sight sight = {.verdict = LF_VERDICT_CLEAR};
    if (!globe_blocks(w, way, low, length))
        return false;
    for (int k = 0; k < HALVINGS; k++) {
        double middle = 0.5 * (low + high);
        *(globe_blocks(w, way, middle, length) ? &low : &high) = middle;
    }
    // Where it only just touches, rounding may decide that it passes.
    for (double off = 0; sight.verdict != LF_VERDICT_BLOCKED && off < 1; off = off == 0 ? 1e-14 : 4 * off)
        if (lf_sight_between(w->skip, w->rules, way->from, globe_end(way, low - off, length), &sight, NULL) !=
            LF_OK)
            return false;
    lf_vec3 off = lf_vec3_sub(sight.point, way->from);
    *sky = (lf__skyline){tan(low), lf_vec3_dot(off, way->ahead), lf_vec3_dot(off, way->up)};
    return true;
}

/// A globe has no overhangs: what blocks a line blocks every lower one. The bend of a line depends on its length: once the place is known, the line ends
/// a little behind it.
static void cut_globe(const lf__horizon_world *w, const lf__horizon_way *way, lf__skyline *best) {
    double length = globe_reach(w, way);
    lf__skyline sky, nearer;
    if (!globe_skyline(w, way, length, &sky))
        return;
    if (way->lowering != 0 && globe_skyline(w, way, fmin(length, 2 * fabs(sky.t) + 1000), &nearer))
        sky = nearer;
    if (sky.slope > best->slope)
        *best = sky;
}

// ---------------------------------------------------------------------------------------------------
// Horizons
// ---------------------------------------------------------------------------------------------------

/// The globe of a ground, or NULL.
static const lf_ground *placed_globe(const lf_ground *ground) {
    if (lf__ground_globe(ground))
        return ground;
    const lf_group *group = lf__ground_group(ground);
    for (int64_t i = 0; group && i < group->count; i++)
        if (group->parts[i].ground && lf__ground_globe(group->parts[i].ground))
            return group->parts[i].ground;
    return NULL;
}

/// The first grid that is in its place, and is searched by itself; or NULL.
static const lf_ground *grid_of(const lf_ground *ground) {
    if (lf__ground_grid(ground))
        return ground;
    const lf_group *group = lf__ground_group(ground);
    for (int64_t i = 0; group && i < group->count; i++) {
        const lf__group_part *part = &group->parts[i];
        if (part->ground && part->identity && part->upright && lf__ground_grid(part->ground))
            return part->ground;
    }
    return NULL;
}

lf_status lf__horizon_world_find(lf__horizon_world *w, const lf_ground *ground, const lf_sight_rules *rules,
                                 const lf__lattice_given *given, const lf_grid **grid, bool *is_world,
                                 lf_error *error) {
    // Single points need no lattice: any will do.
    lf__lattice_given any = {{{{0, 0}, {1, 0}, {0, 1}}, 1, 1}, NULL};
    bool alone = !given && ground && lf__ground_grid(lf__ground_itself(ground));
    if (!ground)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "ground is NULL");
    if (alone)
        any.lattice = (lf_lattice){{{0, 0}, {0, 0}, {0, 0}}, 0, 0};
    lf_status status =
        lf__targets_find(&w->targets, ground, rules, given ? given : &any, grid, is_world, error);
    if (status != LF_OK || !*is_world)
        return status;
    w->rules = rules;
    w->skip = w->targets.globe ? placed_globe(w->targets.ground) : grid_of(w->targets.ground);
    w->grid = w->targets.globe || !w->skip ? NULL : lf__ground_grid(w->skip);
    if (w->grid) {
        const lf_group *group = w->targets.group;
        uint32_t layers = 1;
        for (int64_t i = 0; group && i < group->count; i++)
            if (group->parts[i].ground == w->skip && group->parts[i].layers)
                layers = group->parts[i].layers;
        w->grid_blocks = (layers & rules->layers) != 0;
    }
    return LF_OK;
}

lf__horizon_way lf__horizon_world_way(const lf__horizon_world *w, lf_vec3 from, double azimuth_deg,
                                      double range) {
    const lf_curvature *curvature = &w->rules->curvature;
    lf__horizon_way way = {.from = from, .range = range};
    lf__sincos turn = lf__bearing_turn(azimuth_deg);
    if (!w->targets.globe) {
        way.ahead = (lf_vec3){turn.sin, turn.cos, 0};
        way.up = (lf_vec3){0, 0, 1};
        way.lowering = curvature->coefficient / (2 * curvature->radius);
        if (w->rules->units == LF_MAP_DEGREES) {
            lf_vec2 lengths = lf__bearing_degree_lengths(w->rules->ellipsoid, from.y);
            way.ahead.x /= lengths.x, way.ahead.y /= lengths.y;
        }
        return way;
    }
    lf_pose stand;
    if (lf_ellipsoid_pose(&w->rules->ellipsoid, (lf_geodetic){from.x, from.y, from.z}, azimuth_deg, 0, 0,
                          &stand) != LF_OK)
        stand = lf_pose_identity();
    way.from = stand.translation;
    way.ahead = lf_pose_turn_to_world(&stand, (lf_vec3){0, 1, 0});
    way.up = lf_pose_turn_to_world(&stand, (lf_vec3){0, 0, 1});
    way.lowering = curvature->coefficient == 0 ? 0 : -(1 - curvature->coefficient) / (2 * curvature->radius);
    return way;
}

lf__skyline lf__horizon_world_skyline(const lf__horizon_world *w, const lf__horizon_way *way,
                                      double azimuth_deg, lf_counters *cost) {
    lf__skyline best = {-LF_INFINITY, 0, 0};
    if (w->grid && w->grid_blocks) {
        lf_vec2 world = {way->from.x, way->from.y}, place = lf__sight_place(w->grid, world);
        lf__grid_scratch space;
        const lf_grid *view = lf__grid_open(w->grid, NULL, &space);
        lf__bearing bearing = lf__bearing_of(view, w->rules, world, azimuth_deg);
        lf__sight_line line =
            lf__bearing_line(view, &bearing, (lf_vec3){place.x, place.y, way->from.z}, 0, way->range);
        line.closed = true;
        best = lf__skyline_along(view, &line, 0, cost);
        best.height -= way->from.z;
        lf__grid_close(w->grid, view, NULL);
    }
    if (w->targets.globe && w->skip)
        cut_globe(w, way, &best);
    if (best.slope < LF_INFINITY)
        cut_ground(w, way, &best);
    return best;
}

lf_horizon lf__horizon_world_at(const lf__horizon_world *w, lf_vec3 from, double azimuth_deg, double range,
                                lf_counters *cost) {
    lf__horizon_way way = lf__horizon_world_way(w, from, azimuth_deg, range);
    lf__skyline sky = lf__horizon_world_skyline(w, &way, azimuth_deg, cost);
    lf_horizon horizon = {.reason = LF_REASON_NONE, .elevation_deg = -90, .point = from};
    if (!(sky.slope > -LF_INFINITY))
        return horizon;
    horizon.reason = LF_REASON_ANSWERED;
    horizon.elevation_deg = lf__atan2_deg(sky.slope, 1);
    horizon.distance = fmin(sky.t, range);
    horizon.point = lf_vec3_along(lf_vec3_along(way.from, horizon.distance, way.ahead), sky.height, way.up);
    if (w->targets.globe) {
        lf_geodetic place = lf_ellipsoid_to_geodetic(&w->rules->ellipsoid, horizon.point);
        horizon.point = (lf_vec3){place.lon_deg, place.lat_deg, place.height};
    }
    return horizon;
}

// ---------------------------------------------------------------------------------------------------
// Sun
// ---------------------------------------------------------------------------------------------------

/// A point of the line to the sun, beyond everything within the range.
static lf_vec3 sun_end(const lf__horizon_world *w, const lf__horizon_way *way, double altitude_deg) {
    lf_box box = w->targets.ground->kind->box(w->targets.ground->object);
    lf_vec3 size = lf_vec3_sub(box.high, box.low),
            middle = lf_vec3_scale(lf_vec3_add(box.low, box.high), 0.5);
    lf_vec3 away = lf_vec3_sub(middle, way->from);
    if (w->rules->units == LF_MAP_DEGREES && !w->targets.globe) {
        lf_vec2 lengths = lf__bearing_degree_lengths(w->rules->ellipsoid, 0); // the longest
        size.x *= lengths.x, size.y *= lengths.y, away.x *= lengths.x, away.y *= lengths.y;
    }
    double far = lf_vec3_length(size) + lf_vec3_length(away) + 1;
    lf__sincos rise = lf__bearing_turn(altitude_deg);
    if (w->targets.globe) { // the sun is where it appears: the line is straight
        lf_vec3 end = lf_vec3_along(way->from, far * rise.cos, way->ahead);
        return lf_vec3_along(end, far * rise.sin, way->up);
    }
    if (!(rise.cos > 1e-9))
        return lf_vec3_along(way->from, far, way->up);
    double slope = rise.sin / rise.cos, level = fmin(far, way->range);
    level = slope > 0 ? fmin(level, fmax(far / slope, 1)) : level; // above everything
    lf_vec3 end = lf_vec3_along(way->from, level, way->ahead);
    return lf_vec3_along(end, (slope + way->lowering * level) * level, way->up);
}

/// The same over a grid alone in degrees, as over its own samples: lines of sight measure along the ellipsoid, lines to the sun do not.
static lf_visibility grid_lit(const lf__horizon_world *w, lf_vec3 from, lf_sun sun, double range) {
    lf_horizon_def def = lf_horizon_def_default();
    lf_counters cost = {.questions = 0};
    lf__grid_scratch space;
    lf_vec2 world = {from.x, from.y}, place = lf__sight_place(w->grid, world);
    lf__shade shade = {.grid = lf__grid_open(w->grid, NULL, &space), .def = &def};
    def.rules = *w->rules;
    def.range = range;
    lf_visibility lit = LF_VISIBILITY_HIDDEN;
    if (lf__shade_start(&shade, sun, NULL) == LF_OK)
        lit = lf__shade_place(&shade, world, (lf_vec3){place.x, place.y, from.z}, &cost);
    lf__grid_close(w->grid, shade.grid, NULL);
    return lit;
}

lf_visibility lf__horizon_world_lit(const lf__horizon_world *w, lf_vec3 from, lf_sun sun, double range,
                                    lf_cursor *cursor) {
    if (w->rules->units == LF_MAP_DEGREES && w->grid && !w->targets.group)
        return grid_lit(w, from, sun, range);
    lf__horizon_way way = lf__horizon_world_way(w, from, sun.azimuth_deg, range);
    lf_sight_rules rules = *w->rules;
    if (w->targets.globe) {
        rules.curvature.coefficient = 0;
    } else if (sun.altitude_deg < 0) { // as over a grid: the planet itself is in the way
        lf_box box = w->targets.ground->kind->box(w->targets.ground->object);
        double floor = fmin(box.low.z, 0), slope = tan(sun.altitude_deg * LF__DEGREE);
        if (!(way.lowering > 0) || from.z < floor + slope * slope / (4 * way.lowering))
            return LF_VISIBILITY_HIDDEN;
    }
    lf_vec3 end = sun_end(w, &way, sun.altitude_deg);
    return lf__seen_by(lf__sight_verdict(w->targets.ground, &rules, way.from, end, cursor));
}

// ---------------------------------------------------------------------------------------------------
// Maps
// ---------------------------------------------------------------------------------------------------

static void world_map_rows(void *job, int64_t first, int64_t last, int worker) {
    const lf__horizon_world_map *m = job;
    const lf__horizon_world *w = m->world;
    lf_window window = m->window;
    lf__grid_task_scratch hall;
    lf_cursor cursor = lf__scratch_cursor(&hall);
    lf_counters cost = {.questions = 0};
    (void)worker;
    for (int64_t row = first; row < last; row++)
        for (int64_t column = 0; column < window.columns; column++) {
            lf_vec2 at = lf__targets_place(&w->targets, m->lattice, window.column + column, window.row + row);
            double ground = m->heights[row * window.columns + column];
            lf_vec3 from = {at.x, at.y, ground + m->def->height};
            char *place = m->values + row * m->row_step;
            if (m->suns) {
                ((uint8_t *)place)[column] =
                    (uint8_t)(isnan(ground)
                                  ? LF_VISIBILITY_VOID
                                  : lf__horizon_world_lit(w, from, *m->suns, m->def->range, &cursor));
                continue;
            }
            double sum = 0;
            for (int k = 0; k < m->directions || k == 0; k++) {
                double azimuth = m->directions == 0 ? m->azimuth_deg : 360.0 * k / m->directions;
                lf__horizon_way way = lf__horizon_world_way(w, from, azimuth, m->def->range);
                double slope =
                    isnan(ground) ? LF_NAN : lf__horizon_world_skyline(w, &way, azimuth, &cost).slope;
                sum += m->directions == 0 ? (slope > -LF_INFINITY ? lf__atan2_deg(slope, 1) : -90)
                       : slope > 0        ? 1 / (1 + slope * slope)
                                          : 1;
            }
            sum = isnan(ground) ? LF_NAN : m->directions > 0 ? sum / m->directions : sum;
            ((float *)(void *)place)[column] = (float)sum;
        }
}

lf_status lf__horizon_world_open(lf__horizon_world_map *m, lf_error *error) {
    lf__targets *targets = &m->world->targets;
    void *heights;
    lf_status status = lf__targets_fill(targets, &m->def->host, &m->def->rules, m->def->target_on, m->window);
    if (status == LF_OK && targets->heights) {
        m->heights = targets->heights;
    } else if (status == LF_OK) {
        lf_allocator allocator = lf__allocator_of(&m->def->host);
        status = lf__allocate_array(&allocator, m->window.columns * m->window.rows, sizeof(double), &heights);
        if (status != LF_OK) {
            lf__targets_empty(targets);
        } else {
            lf__viewshed view = {.grid = m->lattice, .world = targets};
            m->heights = m->own = heights;
            lf__grid_scratch space;
            view.grid = lf__grid_open(m->lattice, NULL, &space);
            for (int64_t k = 0; k < m->window.columns * m->window.rows; k++)
                m->own[k] = lf__targets_ground(&view, m->window.column + k % m->window.columns,
                                               m->window.row + k / m->window.columns);
            lf__grid_close(m->lattice, view.grid, NULL);
        }
    }
    return status == LF_OK ? status : lf__fail_plain(error, status);
}

void lf__horizon_world_close(lf__horizon_world_map *m) {
    lf_allocator allocator = lf__allocator_of(&m->def->host);
    lf__free_array(&allocator, m->own, m->window.columns * m->window.rows, sizeof(double));
    lf__targets_empty(&m->world->targets);
}

lf_status lf__horizon_world_run(lf__horizon_world_map *m, int64_t part, int64_t parts) {
    lf__horizon_rows rows = {&m->def->host, m->suns ? "shade" : "horizon", m->window.rows, 1, part, parts};
    lf_status status = lf__horizon_run(&rows, world_map_rows, m);
    return status == LF_OK ? lf__ground_status(m->world->targets.ground, LF_OK) : status;
}
