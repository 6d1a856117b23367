/// The first intersection of a line with the ground of a globe.
///
/// The height of a straight line above an ellipsoid is convex along the line: it is the signed distance from
/// a convex body. Values and slopes at the ends of a stretch bound it from both sides. The normal of the
/// ellipsoid turns by no more than length over radius, which bounds the map under the stretch. A stretch that
/// is above or below all ground on that part of the map is finished; one over a single cell is decided by
/// value, slope and a bound of the second derivative; any other is cut in two. A stretch of a tenth of a
/// millimetre that is still undecided is a hit: none can be missed.
#include "globe/globe.h"

#define SHORTEST 1e-4 ///< metres: stretches are not cut further
#define ROUNDING 1e-8 ///< metres: the error of heights
#define MOST_STRETCHES (1 << 22)
#define DEEPEST 80 ///< cuts into cuts

// ---------------------------------------------------------------------------------------------------
// Stretches
// ---------------------------------------------------------------------------------------------------

static lf__stop stop_at(const lf__search *s, double t) {
    lf__stop stop = {.t = t};
    stop.place =
        lf_ellipsoid_to_geodetic(&s->globe->ellipsoid, lf_vec3_along(s->ray.origin, t, s->ray.direction));
    stop.lat = lf__sincos_deg(stop.place.lat_deg);
    stop.lon = lf__sincos_deg(stop.place.lon_deg);
    lf_vec3 up = {stop.lat.cos * stop.lon.cos, stop.lat.cos * stop.lon.sin, stop.lat.sin};
    stop.slope = lf_vec3_dot(up, s->ray.direction);
    return stop;
}

/// The least that a convex function can be between two ends.
static double least_between(const lf__stop *a, const lf__stop *b) {
    if (a->slope >= 0)
        return a->place.height;
    if (b->slope <= 0)
        return b->place.height;
    double t =
        ((b->place.height - a->place.height) + a->slope * a->t - b->slope * b->t) / (a->slope - b->slope);
    return a->place.height + a->slope * (fmin(fmax(t, a->t), b->t) - a->t);
}

static void set_heights(const lf__search *s, lf__stretch_on *on) {
    double from = lf__search_extra(s, on->a.t), to = lf__search_extra(s, on->b.t), share = on->b.t - on->a.t;
    double bow = 0.25 * s->sag * share * share; // distance of the curved line from its chord
    on->length = share * lf_vec3_length(s->ray.direction);
    on->deep = least_between(&on->a, &on->b) - ROUNDING;
    on->low = on->deep + fmin(from, to) + fmin(bow, 0);
    on->high = fmax(on->a.place.height, on->b.place.height) + fmax(from, to) + fmax(bow, 0) + ROUNDING;
}

/// The least distance from the axis on a stretch; not above 0: it may come to it.
static double axis_distance(const lf__search *s, const lf__stretch_on *on) {
    double lat = fabs(on->middle.place.lat_deg) * LF__DEGREE + on->angle;
    return (s->globe->ellipsoid.radius + on->deep) * cos(fmin(lat, 0.5 * LF__PI));
}

/// No second derivative of the latitude, radians by metres of the line, is larger on the stretch.
static double lat_bend(const lf__search *s, const lf__stretch_on *on) {
    double q = s->globe->least_radius + on->deep, rho = axis_distance(s, on);
    double lat1 = 1 / q, lon1 = rho > 0 ? 1 / rho : LF_INFINITY;
    return lat1 * (lat1 + lon1) + lat1 * lat1 * (s->globe->warp / q + 1);
}

/// The map under a stretch.
static void set_area(const lf__search *s, lf__stretch_on *on) {
    double radius = s->globe->least_radius + on->deep;
    lf_geodetic m = on->middle.place;
    // Only the horizontal part turns the normal, and that part changes by no more than that turn.
    double turn = 0.5 * on->length / radius * (1 + 1e-9);
    lf_vec3 up = {on->middle.lat.cos * on->middle.lon.cos, on->middle.lat.cos * on->middle.lon.sin,
                  on->middle.lat.sin};
    double level = lf_vec3_length(lf_vec3_cross(up, s->ray.direction)) / lf_vec3_length(s->ray.direction);
    on->angle = turn * fmin(1, level + turn) * (1 + 1e-9) + 4e-15;
    on->wide = !(radius > 0.25 * s->globe->least_radius) || turn > 1;
    if (on->wide)
        return;
    double reach = on->angle / LF__DEGREE;
    on->area = (lf_geodetic_box){-180, fmax(m.lat_deg - reach, -90), 180, fmin(m.lat_deg + reach, 90)};
    // The second derivative of the latitude is bounded: a line beside a parallel does not seem to touch it.
    double off = lat_bend(s, on) * on->length * on->length / (8 * LF__DEGREE) +
                 1e-8 / (s->globe->least_radius * LF__DEGREE) + 1e-13;
    on->area.south = fmax(on->area.south, fmin(on->a.place.lat_deg, on->b.place.lat_deg) - off);
    on->area.north = fmin(on->area.north, fmax(on->a.place.lat_deg, on->b.place.lat_deg) + off);
    double sine = sin(on->angle) / on->middle.lat.cos;
    if (on->area.south > -90 && on->area.north < 90 && sine < 1) {
        double across = asin(sine) / LF__DEGREE * (1 + 1e-9) + 1e-13;
        double a = remainder(on->a.place.lon_deg - m.lon_deg, 360);
        double b = remainder(on->b.place.lon_deg - m.lon_deg, 360);
        // Longitude rises or falls all along a straight line. Heights and places are rounded to some
        // nanometres.
        double slack = 1e-8 / (s->globe->least_radius * LF__DEGREE * on->middle.lat.cos) + 1e-13;
        bool near = fabs(a) < 90 && fabs(b) < 90;
        on->area.west = m.lon_deg + (near ? fmax(fmin(a, b) - slack, -across) : -across);
        on->area.east = m.lon_deg + (near ? fmin(fmax(a, b) + slack, across) : across);
    }
}

// ---------------------------------------------------------------------------------------------------
// One cell
// ---------------------------------------------------------------------------------------------------

typedef enum globe_search_verdict { PASSES, MEETS, UNDECIDED } globe_search_verdict;

/// The height of the line above a cell, and its derivatives.
typedef struct globe_search_above {
    double height, slope, second; ///< second: bound of the second derivative on the stretch
} globe_search_above;

static double near_lon(double lon, const lf__tile_cell *p) {
    return lon + 360 * round((p->west + 0.5 * p->width - lon) / 360);
}

static globe_search_above above_patch(const lf__search *s, const lf__stop *stop, const lf__tile_cell *p) {
    double a = s->globe->ellipsoid.radius, f = s->globe->ellipsoid.flattening, e2 = f * (2 - f);
    double w = 1 - e2 * stop->lat.sin * stop->lat.sin, n = a / sqrt(w), m = n * (1 - e2) / w;
    lf_vec3 d = s->ray.direction;
    double east = d.y * stop->lon.cos - d.x * stop->lon.sin;
    double north = d.z * stop->lat.cos - stop->lat.sin * (d.x * stop->lon.cos + d.y * stop->lon.sin);
    double u = (near_lon(stop->place.lon_deg, p) - p->west) / p->width;
    double v = (stop->place.lat_deg - p->south) / p->height;
    double twist = (p->h[3] - p->h[2]) - (p->h[1] - p->h[0]);
    double by_u = (p->h[1] - p->h[0]) + v * twist, by_v = (p->h[2] - p->h[0]) + u * twist;
    double across = (n + stop->place.height) * stop->lat.cos * LF__DEGREE * p->width;
    double along = (m + stop->place.height) * LF__DEGREE * p->height;
    globe_search_above at = {stop->place.height + lf__search_extra(s, stop->t) -
                                 (p->h[0] + u * (p->h[1] - p->h[0]) + v * by_v),
                             0, 0};
    at.slope = stop->slope + s->sag * (1 - 2 * stop->t) - by_u * east / across - by_v * north / along;
    return at;
}

/// Bound of the second derivative of the height above a cell on the stretch.
static double bend_over(const lf__search *s, const lf__stretch_on *on, const lf__tile_cell *p) {
    double w = lf_vec3_length(s->ray.direction), q = s->globe->least_radius + on->deep;
    double rho = axis_distance(s, on);
    if (!(rho > 0))
        return LF_INFINITY;
    double lon1 = w / rho, lat1 = w / q, lon2 = 2 * lon1 * lon1, lat2 = w * w * lat_bend(s, on);
    double wide = p->width * LF__DEGREE, high = p->height * LF__DEGREE;
    double twist = fabs((p->h[3] - p->h[2]) - (p->h[1] - p->h[0])) / (wide * high);
    double by_lon = fmax(fabs(p->h[1] - p->h[0]), fabs(p->h[3] - p->h[2])) / wide;
    double by_lat = fmax(fabs(p->h[2] - p->h[0]), fabs(p->h[3] - p->h[1])) / high;
    return w * w / q + 2 * fabs(s->sag) + 2 * twist * lon1 * lat1 + by_lon * lon2 + by_lat * lat2;
}

/// The root of a rising or falling height between two stops of different signs, by Newton's steps held within.
static double root_between(const lf__search *s, const lf__stretch_on *on, const lf__tile_cell *p,
                           bool falls) {
    double first = on->a.t, last = on->b.t, t = on->middle.t, speed = lf_vec3_length(s->ray.direction);
    for (int round = 0; round < 100; round++) {
        lf__stop stop = stop_at(s, t);
        globe_search_above at = above_patch(s, &stop, p);
        if ((at.height > 0) == falls)
            first = t;
        else
            last = t;
        double next = t - at.height / at.slope;
        if (!(next >= first && next <= last))
            next = 0.5 * first + 0.5 * last;
        if (fabs(next - t) * speed < 1e-9)
            return next;
        t = next;
    }
    return t;
}

static globe_search_verdict over_patch(const lf__search *s, const lf__stretch_on *on, const lf__tile_cell *p,
                                       double *t) {
    if (isinf(p->h[0]))
        return UNDECIDED;
    globe_search_above at = above_patch(s, &on->middle, p);
    double half = 0.5 * (on->b.t - on->a.t), bend = bend_over(s, on, p);
    if (fabs(at.height) > fabs(at.slope) * half + 0.5 * bend * half * half + ROUNDING)
        return PASSES;
    if (!(fabs(at.slope) > bend * half))
        return UNDECIDED;
    globe_search_above from = above_patch(s, &on->a, p), to = above_patch(s, &on->b, p);
    if (from.height == 0 || fabs(from.height) < ROUNDING) {
        *t = on->a.t;
        return MEETS;
    }
    if ((from.height > 0) == (to.height > 0) && fabs(to.height) > ROUNDING)
        return PASSES;
    *t = root_between(s, on, p, from.height > 0);
    return MEETS;
}

// ---------------------------------------------------------------------------------------------------
// Along the line
// ---------------------------------------------------------------------------------------------------

static bool lies_within(const lf_geodetic_box *area, const lf__tile_cell *p) {
    double turn = near_lon(area->west, p) - area->west;
    return area->west + turn >= p->west && area->east + turn <= p->west + p->width &&
           area->south >= p->south && area->north <= p->south + p->height;
}

/// Shorter stretches than the shortest are not examined: bounds have become that narrow, so an undecided one
/// is a hit.
static globe_search_verdict globe_search_decide(lf__search *s, const lf__stretch_on *on, double *t) {
    lf__stretch_ground look;
    bool last = on->length <= SHORTEST || on->middle.t <= on->a.t || on->middle.t >= on->b.t;
    if (on->wide)
        return last ? MEETS : UNDECIDED;
    lf__stretch_examine(s, on, last, &look);
    if (!last && look.above && look.below && !look.meets && !look.large) // a wall, or only a void beside?
        lf__stretch_examine(s, on, true, &look);
    if (look.large)
        return last ? MEETS : UNDECIDED;
    bool between = look.above && look.below; // of two neighbours: there is a wall
    if (!look.meets && !between && !look.tin_met)
        return PASSES;
    globe_search_verdict v = UNDECIDED;
    if (look.pieces == 0 && look.tins == 1 && look.tin_met)
        v = MEETS;
    else if (look.pieces == 1 && look.tins == 0 && lies_within(&on->area, &look.patch))
        v = over_patch(s, on, &look.patch, t);
    if (look.tin_met && (v == MEETS || last))
        *t = fmax(look.tin_t, on->a.t);
    return v == UNDECIDED && last ? MEETS : v;
}

/// The lowest and the highest that ground can be.
typedef struct globe_search_reach {
    double bottom, top;
} globe_search_reach;

static bool globe_search_go(lf__search *s, const lf__stop *a, const lf__stop *b,
                            const globe_search_reach *within, int depth, double *t) {
    lf__stretch_on on = {.a = *a, .b = *b};
    set_heights(s, &on);
    if (on.low > within->top || on.high < within->bottom || s->no_memory)
        return false;
    on.middle = stop_at(s, 0.5 * a->t + 0.5 * b->t);
    set_area(s, &on);
    *t = a->t;
    switch (globe_search_decide(s, &on, t)) {
    case PASSES:
        return false;
    case MEETS:
        return true;
    case UNDECIDED:
        break;
    }
    if (depth >= DEEPEST || s->stretches++ >= MOST_STRETCHES)
        return true;
    return globe_search_go(s, a, &on.middle, within, depth + 1, t) ||
           globe_search_go(s, &on.middle, b, within, depth + 1, t);
}

static globe_search_reach globe_search_reach_of(const lf__search *s) {
    double most = 0.25 * s->globe->least_radius;
    globe_search_reach r = {most, -most};
    for (int64_t i = 0; i < s->globe->root_count; i++) {
        const lf__tile *root = lf__globe_tile(s->globe, i);
        r.top = fmax(r.top, s->surface == LF__GLOBE_SURFACE ? root->loaded_high : root->high);
        r.bottom = fmin(r.bottom, s->surface == LF__GLOBE_SURFACE ? root->loaded_low : root->low);
    }
    return (globe_search_reach){fmax(r.bottom, -most) - ROUNDING, fmin(r.top, most) + ROUNDING};
}

/// The part of the ray that is within a sphere around the globe; false: none.
static bool globe_search_within(const lf__search *s, double top, double *first, double *last) {
    lf_vec3 d = s->ray.direction;
    double radius = (s->globe->ellipsoid.radius + top + fabs(s->lift) + fabs(s->sag)) * (1 + 1e-9) + 1;
    double dd = lf_vec3_dot(d, d), nearest = -lf_vec3_dot(s->ray.origin, d) / dd;
    lf_vec3 p = lf_vec3_along(s->ray.origin, nearest, d);
    double rest = radius * radius - lf_vec3_dot(p, p);
    if (!(rest >= 0))
        return false;
    double half = sqrt(rest / dd) * (1 + 1e-12);
    *first = fmax(s->ray.t_min, nearest - half);
    *last = fmin(s->ray.t_max, nearest + half);
    return *first <= *last;
}

static void fill_hit(const lf__search *s, double t, lf_hit *hit) {
    lf__stop stop = stop_at(s, t);
    lf_globe_elevation ground;
    lf_geodetic place = stop.place;
    lf_globe_height(s->globe, place.lon_deg, place.lat_deg, &ground, NULL);
    double height = place.height + lf__search_extra(s, t);
    *hit = (lf_hit){.kind = LF_HIT_CELL,
                    .reason = LF_REASON_ANSWERED,
                    .t = t,
                    .point = lf_vec3_along(s->ray.origin, t, s->ray.direction),
                    .element = ground.element,
                    .level = ground.tile.level,
                    .resolution = ground.resolution,
                    .user = lf_tile_pack(ground.tile),
                    .layers = 1};
    if (ground.sample_count == 3)
        hit->kind = LF_HIT_TRIANGLE;
    lf_vec3 up = {stop.lat.cos * stop.lon.cos, stop.lat.cos * stop.lon.sin, stop.lat.sin};
    if (s->surface == LF__GLOBE_CEILING && ground.coarser) {
        hit->normal = up;
    } else if (!(fabs(height - ground.height) <= 0.02)) {
        hit->triangle = 2;
        hit->normal = lf_vec3_unit(lf_vec3_along(s->ray.direction, -stop.slope, up));
        hit->normal = lf_vec3_scale(hit->normal, -1);
    } else {
        lf_globe_normal(s->globe, place.lon_deg, place.lat_deg, &hit->normal);
    }
}

bool lf__search_first(lf__search *s, lf_hit *hit) {
    double first, last, t;
    globe_search_reach r = globe_search_reach_of(s);
    s->cost.questions = 1;
    *hit = lf__hit_none(s->ray.t_max, LF_REASON_NONE);
    if (!globe_search_within(s, r.top, &first, &last))
        return false;
    lf__stop a = stop_at(s, first), b = stop_at(s, last);
    bool met = globe_search_go(s, &a, &b, &r, 0, &t);
    if (met)
        fill_hit(s, t, hit);
    return met;
}

// ---------------------------------------------------------------------------------------------------
// Rays and sight
// ---------------------------------------------------------------------------------------------------

static bool lift_valid(const lf_globe *globe, double lift) {
    return fabs(lift) < 0.25 * globe->least_radius;
}

lf_status lf__globe_ray_first(const lf_globe *globe, const lf_ray *ray, double lift,
                              lf__globe_surface surface, lf_hit *hit, lf_cursor *cursor) {
    if (!globe || !hit || !lf__ray_valid(ray) || !lift_valid(globe, lift) ||
        (surface != LF__GLOBE_SURFACE && surface != LF__GLOBE_CEILING))
        return lf__hit_refused(hit);
    lf__search search = {.globe = globe, .ray = *ray, .lift = lift, .surface = surface};
    lf__search_first(&search, hit);
    lf__cursor_count(cursor, &search.cost);
    return lf__globe_told(globe, LF_OK);
}

lf_status lf__globe_ray_finest(lf_globe *globe, const lf_ray *ray, double lift, lf_hit *hit,
                               lf_cursor *cursor) {
    if (!globe || !hit || !lf__ray_valid(ray) || !lift_valid(globe, lift))
        return lf__hit_refused(hit);
    globe->frame++;
    lf__search search = {
        .globe = globe, .loader = globe, .ray = *ray, .lift = lift, .surface = LF__GLOBE_FINEST};
    lf__search_first(&search, hit);
    lf__cursor_count(cursor, &search.cost);
    globe->frame++;
    lf__globe_make_space(globe, LF_INFINITY);
    return search.no_memory ? LF_NO_MEMORY : lf__globe_told(globe, LF_OK);
}

#define TOUCHING 1e-3 ///< metres: ground less than this above a line does not block it
#define END 1e-2      ///< metres: nor does ground closer than this to its ends

/// A query that is refused, with its result written.
static lf_status sight_refused(lf_globe_sight *found) {
    if (found)
        *found = (lf_globe_sight){.hit = lf__hit_none(LF_INFINITY, LF_REASON_NONE)};
    return LF_BAD_ARGUMENT;
}

static lf_status sight(const lf_globe *globe, lf_globe *loader, lf_vec3 a, lf_vec3 b, double refraction,
                       lf_globe_sight *found, lf_cursor *cursor) {
    if (!globe || !found || !lf_vec3_finite(a) || !lf_vec3_finite(b) || !(fabs(refraction) <= 1))
        return sight_refused(found);
    double length = lf_vec3_length(lf_vec3_sub(b, a));
    *found = (lf_globe_sight){true, 1, b, length, lf__hit_none(1, LF_REASON_NONE)};
    if (!(length > 2 * END))
        return lf__globe_told(globe, LF_OK);
    // The same line in both directions: it is always searched from the same end.
    bool turned = a.x != b.x ? a.x > b.x : a.y != b.y ? a.y > b.y : a.z > b.z;
    lf__search search = {.globe = globe,
                         .loader = loader,
                         .ray = turned ? lf_ray_between(b, a) : lf_ray_between(a, b),
                         .lift = -TOUCHING,
                         .sag = refraction * length * length / (2 * globe->ellipsoid.radius),
                         .surface = loader ? LF__GLOBE_FINEST : LF__GLOBE_SURFACE};
    search.ray.t_min = END / length;
    search.ray.t_max = 1 - END / length;
    found->clear = !lf__search_first(&search, &found->hit);
    if (!found->clear && turned) { // the blocking point is counted from a
        search.ray = lf_ray_between(a, b);
        search.ray.t_min = END / length;
        search.ray.t_max = 1 - END / length;
        lf_hit last = found->hit;
        if (!lf__search_first(&search, &found->hit)) { // the two directions differ by rounding only: a touch
            found->hit = last;
            found->hit.t = 1 - last.t;
        }
    }
    lf__cursor_count(cursor, &search.cost);
    found->t = found->clear ? 1 : found->hit.t;
    found->point = lf_vec3_along(a, found->t, lf_vec3_sub(b, a));
    if (loader) {
        loader->frame++;
        lf__globe_make_space(loader, LF_INFINITY);
    }
    return search.no_memory ? LF_NO_MEMORY : lf__globe_told(globe, LF_OK);
}

lf_status lf__globe_sight_between(const lf_globe *globe, lf_vec3 a, lf_vec3 b, double refraction,
                                  lf_globe_sight *found, lf_cursor *cursor) {
    return sight(globe, NULL, a, b, refraction, found, cursor);
}

lf_status lf_globe_sight_finest(lf_globe *globe, lf_vec3 a, lf_vec3 b, double refraction,
                                lf_globe_sight *found, lf_cursor *cursor) {
    if (!globe || lf__globe_reentered(globe))
        return sight_refused(found);
    globe->frame++;
    return sight(globe, globe, a, b, refraction, found, cursor);
}

#undef DEEPEST
#undef ROUNDING
#undef SHORTEST
