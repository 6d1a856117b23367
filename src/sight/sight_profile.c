/// Profiles of lines, and lines over a measured profile.
#include "base/base.h"
#include "grid/grid_query.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include "ground/ground.h"
#include "sight/sight.h"

/// The caller's array of points, filled up to its capacity.
typedef struct profile_list {
    const lf__sight_pair *pair;
    lf_profile_point *points;
    int64_t capacity, count;
} profile_list;

/// t from the caller's a; line: the height of the line there.
static void profile_add_point(profile_list *l, double t, double ground, double line) {
    if (l->count < l->capacity)
        l->points[l->count] = (lf_profile_point){t, t * l->pair->length, ground, line};
    l->count++;
}

// ---------------------------------------------------------------------------------------------------
// Breaks of a grid's surface
// ---------------------------------------------------------------------------------------------------

/// Parallel lines across the line of sight: `at + t * way` is k0, k0 + step, ... there.
typedef struct profile_rank {
    double at, way;
    double next, step; ///< the next one, and the distance between two; step 0: none left
    double low, high;
} profile_rank;

/// Lines at offset + n * apart, within low .. high.
static profile_rank rank_of(double at, double way, double offset, double apart, const double range[2]) {
    profile_rank r = {at, way, 0, way > 0 ? apart : way < 0 ? -apart : 0, range[0], range[1]};
    double from = way > 0 ? fmax(at, range[0]) : fmin(at, range[1]), count = (from - offset) / apart;
    r.next = offset + apart * (way > 0 ? floor(count) : ceil(count)); // at or before the first of them
    return r;
}

/// t of the next line beyond `after`; INFINITY: none.
static double profile_next_of(profile_rank *r, double after) {
    while (r->step != 0) {
        double t = (r->next - r->at) / r->way;
        if (r->step > 0 ? r->next > r->high : r->next < r->low)
            r->step = 0;
        else if (t > after && r->next >= r->low && r->next <= r->high)
            return t;
        else
            r->next += r->step;
    }
    return LF_INFINITY;
}

/// A line of at most half a turn is over at most this many copies of a grid.
#define PROFILE_MOST_COPIES 3

typedef struct profile_breaks {
    profile_rank ranks[6 * PROFILE_MOST_COPIES];
    int count;
} profile_breaks;

static void add_rank(profile_breaks *b, double at, double way, double offset, double apart, double low,
                     double high) {
    b->ranks[b->count++] = rank_of(at, way, offset, apart, (const double[2]){low, high});
}

/// Columns, rows, the two borders of each, which need not be among them, and diagonals, where columns are
/// within low .. high.
static void add_breaks(profile_breaks *b, const lf_grid *grid, const lf__sight_line *line,
                       const double columns[2]) {
    lf_vec2 p = line->at, d = line->way, low = {columns[0], grid->low.y}, high = {columns[1], grid->high.y};
    lf_surface surface = grid->surface;
    bool alternating = surface == LF_SURFACE_ALTERNATING;
    double apart = alternating ? 2 : 1, offset = alternating ? 1 : 0;
    add_rank(b, p.x, d.x, grid->shift, 1, low.x, high.x);
    add_rank(b, p.y, d.y, grid->shift, 1, low.y, high.y);
    add_rank(b, p.x, d.x, low.x, high.x - low.x, low.x, high.x);
    add_rank(b, p.y, d.y, low.y, high.y - low.y, low.y, high.y);
    if (surface == LF_SURFACE_FALLING || alternating)
        add_rank(b, p.x + p.y, d.x + d.y, offset, apart, low.x + low.y, high.x + high.y);
    if (surface == LF_SURFACE_RISING || alternating)
        add_rank(b, p.x - p.y, d.x - d.y, offset, apart, low.x - high.y, high.x - low.y);
}

/// A grid that wraps has no borders along its columns, and the same breaks on all its copies.
static void start_breaks(profile_breaks *b, const lf_grid *grid, const lf__sight_line *line) {
    double from = line->at.x, to = from + line->way.x;
    double around[2] = {floor(fmin(from, to)) - 1, ceil(fmax(from, to)) + 1},
           own[2] = {grid->low.x, grid->high.x};
    b->count = 0;
    if (grid->round) {
        add_breaks(b, grid, line, around);
        return;
    }
    lf__sight_copies copies = lf__sight_copies_of(grid, line);
    lf__sight_line part;
    for (int k = 0; k < PROFILE_MOST_COPIES && lf__sight_copies_next(&copies, &part); k++)
        add_breaks(b, grid, &part, own);
}

static double next_break(profile_breaks *b, double after) {
    double next = LF_INFINITY;
    for (int k = 0; k < b->count; k++)
        next = fmin(next, profile_next_of(&b->ranks[k], after));
    return next;
}

// ---------------------------------------------------------------------------------------------------
// Grids
// ---------------------------------------------------------------------------------------------------

static double profile_clamp01(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static lf_vec2 profile_place_at(const lf__sight_line *line, double t) {
    return t == 1 ? (lf_vec2){line->at.x + line->way.x, line->at.y + line->way.y}
                  : (lf_vec2){line->at.x + t * line->way.x, line->at.y + t * line->way.y};
}

/// The line in the columns of the copy of the grid under t.
static lf__sight_line on_copy(const lf_grid *grid, const lf__sight_line *line, double t) {
    lf__sight_line seen = *line;
    double middle = 0.5 * (grid->low.x + grid->high.x);
    double copies = grid->copies > 0 ? rint((profile_place_at(line, t).x - middle) / grid->copies) : 0;
    if (copies != 0)
        seen.at.x -= copies * grid->copies;
    return seen;
}

/// What is under the line at t. On the seam it may be on either side: the line is moved there.
static lf_reason profile_spot_at(const lf_grid *grid, lf__sight_line *line, double t, lf__grid_spot *spot) {
    lf_vec2 place = profile_place_at(line, t);
    double x = place.x;
    if (grid->round && place.x == (double)grid->round)
        place.x = 0;
    lf_reason reason = lf__grid_at_round(grid, &place, spot);
    line->at.x += place.x - x;
    return reason;
}

/// The height at t of the square that is under the line at `within`; NAN: none.
static double profile_height_at(const lf_grid *grid, const lf__sight_line *whole, double within, double t) {
    lf__grid_spot spot;
    lf__sight_line seen = on_copy(grid, whole, within), *line = &seen;
    if (profile_spot_at(grid, line, within, &spot) != LF_REASON_ANSWERED)
        return LF_NAN;
    if (grid->surface == LF_SURFACE_POINT)
        return spot.height;
    lf__grid_corners h = lf__grid_corners_of(grid, spot.i, spot.j);
    lf_vec2 p = profile_place_at(line, t);
    double u = profile_clamp01(p.x - (double)spot.i), v = profile_clamp01(p.y - (double)spot.j);
    return grid->surface == LF_SURFACE_BILINEAR
               ? lf__patch_height(&h, u, v)
               : lf__triangle_height(&h, lf__grid_falls(grid, spot.i, spot.j), spot.triangle, u, v);
}

/// The line from the caller's a, so that t counts from there.
static lf__sight_line line_from_a(const lf__sight_pair *pair, const lf_grid *grid) {
    bool turned;
    lf__sight_line line = lf__sight_pair_line(pair, grid, &turned);
    if (turned == pair->turned)
        return line;
    lf_vec2 b = profile_place_at(&line, 1), back = {-line.way.x, -line.way.y};
    return (lf__sight_line){b, back, line.z0 + line.z1 + line.z2, -line.z1 - 2 * line.z2, line.z2, 1, false};
}

/// At the end, the height of the end itself.
static double line_height(const profile_list *l, const lf__sight_line *line, double t) {
    return t == 1 ? (l->pair->turned ? l->pair->a.z : l->pair->b.z) : lf__sight_height(line, t);
}

static void list_breaks(profile_list *l, const lf_grid *grid) {
    lf__sight_line line = line_from_a(l->pair, grid);
    profile_breaks b;
    start_breaks(&b, grid, &line);
    double at = 0, before = LF_NAN;
    for (bool first = true; at < 1; first = false) {
        double next = fmin(next_break(&b, at), 1), middle = 0.5 * (at + next);
        double height = profile_height_at(grid, &line, middle, at), z = lf__sight_height(&line, at);
        double apart = fabs(height - before), same = 1e-12 * (fabs(height) + fabs(before));
        if (!first)
            profile_add_point(l, at, before, z);
        if (first || !(apart <= same || (isnan(height) && isnan(before))))
            profile_add_point(l, at, height, z);
        before = profile_height_at(grid, &line, middle, next);
        at = next;
    }
    profile_add_point(l, 1, before, line_height(l, &line, 1));
}

static void list_grid_steps(profile_list *l, const lf_grid *grid, int64_t steps) {
    lf__sight_line line = line_from_a(l->pair, grid);
    for (int64_t k = 0; k <= steps; k++) {
        double t = (double)k / (double)steps;
        lf__grid_spot spot;
        lf__sight_line seen = on_copy(grid, &line, t);
        bool any = profile_spot_at(grid, &seen, t, &spot) == LF_REASON_ANSWERED;
        profile_add_point(l, t, any ? spot.height : LF_NAN, line_height(l, &line, t));
    }
}

// ---------------------------------------------------------------------------------------------------
// Other grounds
// ---------------------------------------------------------------------------------------------------

typedef struct profile_topmost {
    bool any;
    lf_hit hit;
} profile_topmost;

static void profile_keep_topmost(void *user, const lf_hit *hit) {
    profile_topmost *top = user;
    if (!top->any || hit->t < top->hit.t)
        top->hit = *hit;
    top->any = true;
}

static void list_steps(profile_list *l, const lf_ground *ground, int64_t steps) {
    const lf_frame *frame = ground->kind->frame(ground->object);
    bool plain = lf__frame_is_down_z(frame);
    for (int64_t k = 0; k <= steps; k++) {
        double t = (double)k / (double)steps;
        lf_vec3 p = lf__sight_pair_point(l->pair, t);
        lf__track track;
        profile_topmost top = {false, {.t = 0}};
        lf__finder finder = {profile_keep_topmost, &top};
        if (lf__track_make(frame, p, p, &track)) {
            lf_ray down = lf__track_line(&track, 0);
            ground->kind->each(ground->object, &down, LF__EACH_LINE_SIDES, &finder, NULL);
        }
        profile_add_point(l, t, top.any ? lf__hit_height(frame, &top.hit) : LF_NAN,
                          plain ? p.z : lf_frame_to_local(frame, p).z);
    }
}

lf_status lf_sight_profile(const lf_ground *ground, const lf_sight_rules *given, lf_vec3 a, lf_vec3 b,
                           int64_t steps, lf_profile_point *points, int64_t capacity, int64_t *count) {
    lf_sight_rules rules;
    if (!ground || !count || capacity < 0 || (capacity > 0 && !points) || steps < 0 ||
        lf__sight_rules_read(given, &rules) != LF_OK || !lf__sight_rules_fit(&rules, ground) ||
        !lf__sight_end_valid(&rules, a) || !lf__sight_end_valid(&rules, b))
        return LF_BAD_ARGUMENT;
    ground = lf__ground_itself(ground);
    const lf_grid *grid = lf__ground_grid(ground);
    if (steps == 0 && !grid)
        return LF_BAD_ARGUMENT;
    lf__sight_pair pair;
    lf__sight_pair_make(ground, &rules, a, b, true, &pair);
    profile_list l = {&pair, points, capacity, 0};
    lf__grid_scratch space;
    if (grid)
        lf__grid_touch_line(grid, a, b);
    const lf_grid *view = grid ? lf__grid_open(grid, NULL, &space) : NULL;
    if (!grid)
        list_steps(&l, ground, steps);
    else if (steps > 0)
        list_grid_steps(&l, view, steps);
    else
        list_breaks(&l, view);
    *count = l.count;
    return lf__ground_status(ground, l.count > capacity ? LF_PARTIAL : LF_OK);
}

// ---------------------------------------------------------------------------------------------------
// Sight over a measured profile
// ---------------------------------------------------------------------------------------------------

#define PATH_DEGREES (180 / 3.14159265358979323846)

typedef struct sight_path {
    const double *distances, *heights;
    int64_t count;
    bool between;
    double length, a, b; ///< heights of the ends
    double sag;
    double curve; ///< how far the earth is below level at a distance, divided by its square
} sight_path;

static lf_status path_check(const sight_path *p, lf_error *error) {
    for (int64_t i = 0; i < p->count; i++) {
        if (!(fabs(p->distances[i]) <= LF__FARTHEST) || !(fabs(p->heights[i]) <= LF__FARTHEST))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "sample %lld: distance %g, height %g: must be finite",
                            (long long)i, p->distances[i], p->heights[i]);
        if (i == 0 ? p->distances[0] != 0 : !(p->distances[i] > p->distances[i - 1]))
            return lf__fail(error, LF_BAD_ARGUMENT, i,
                            "sample %lld is at %g: distances begin with 0 and ascend", (long long)i,
                            p->distances[i]);
    }
    return LF_OK;
}

/// The height of the line over straight ground from sample i to sample j, as a quadratic in t.
static void path_over_ground(const sight_path *p, int64_t i, int64_t j, double f[3]) {
    double from = p->distances[i] / p->length, to = p->distances[j] / p->length;
    double rise = i == j ? 0 : (p->heights[j] - p->heights[i]) / (to - from);
    f[0] = p->a - (p->heights[i] - rise * from);
    f[1] = (p->b - p->a) - p->sag - rise;
    f[2] = p->sag;
}

/// The first place from `first` to `last` where a quadratic that is not below 0 at `first` goes below; false:
/// none.
static bool path_breaks(const double f[3], double first, double last, double *t) {
    double at_first = f[0] + (f[1] + f[2] * first) * first, at_last = f[0] + (f[1] + f[2] * last) * last;
    double turn = f[2] > 0 ? -0.5 * f[1] / f[2] : first, square = f[1] * f[1] - 4 * f[0] * f[2];
    *t = first;
    if (at_first < 0)
        return true;
    if (!(at_last < 0) && !(turn > first && turn < last && square > 0))
        return false;
    double root = sqrt(fmax(square, 0)), sum = -0.5 * (f[1] < 0 ? f[1] - root : f[1] + root);
    double one = f[2] != 0 ? sum / f[2] : -f[0] / f[1], other = f[2] != 0 && sum != 0 ? f[0] / sum : one;
    double needed = f[2] > 0 ? fmin(one, other) : f[2] < 0 ? fmax(one, other) : one;
    *t = fmin(fmax(needed, first), last);
    return true;
}

/// d: from a, and from b.
static void path_scan(const sight_path *p, lf__sight_detail d[2], lf_sight *sight) {
    for (int64_t i = p->between ? 0 : 1; i + 1 < p->count; i++) {
        int64_t j = p->between ? i + 1 : i;
        double f[3], t, first = p->distances[i] / p->length, last = p->distances[j] / p->length;
        path_over_ground(p, i, j, f);
        double above[2] = {f[0] + (f[1] + f[2] * first) * first, f[0] + (f[1] + f[2] * last) * last};
        int signs[2] = {(above[0] > 0) - (above[0] < 0), (above[1] > 0) - (above[1] < 0)};
        lf__stretch q = {{first, last}, {above[0], above[1]}, f[2], f[1], {signs[0], signs[1]}};
        lf__stretch r = {
            {1 - last, 1 - first}, {above[1], above[0]}, f[2], -(f[1] + 2 * f[2]), {signs[1], signs[0]}};
        lf__sight_detail_add(&d[0], &q);
        lf__sight_detail_add(&d[1], &r);
        if (sight->verdict == LF_VERDICT_CLEAR && path_breaks(f, first, last, &t)) {
            sight->verdict = LF_VERDICT_BLOCKED;
            sight->t = t;
        }
    }
}

/// The highest ground as seen from an end: it appears as much above the other end as that end would have to
/// be raised.
static lf_profile_horizon path_horizon(const sight_path *p, const lf__sight_detail *d, double rise,
                                       bool seen) {
    double raise = seen ? 0 : -d->lower.value, slope = (rise - p->sag + raise) / p->length;
    return (lf_profile_horizon){atan(slope) * PATH_DEGREES, seen ? p->length : d->lower.t * p->length};
}

lf_status lf_sight_over_profile(const double *distances, const double *heights, int64_t count,
                                double a_height, double b_height, bool between, const lf_sight_rules *given,
                                lf_profile_sight *view, lf_error *error) {
    lf_sight_rules rules;
    if (!distances || !heights || !view || count < 2)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "profile: %lld samples: must be 2 or more, and no array NULL", (long long)count);
    if (lf__sight_rules_read(given, &rules) != LF_OK || !(fabs(a_height) <= LF__FARTHEST) ||
        !(fabs(b_height) <= LF__FARTHEST))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "rules are invalid, or the heights %g and %g of the ends are not finite", a_height,
                        b_height);
    sight_path p = {distances, heights, count, between,
                    .curve = rules.curvature.coefficient / (2 * rules.curvature.radius)};
    lf_status status = path_check(&p, error);
    if (status != LF_OK)
        return status;
    p.length = distances[count - 1];
    p.a = heights[0] + a_height;
    p.b = heights[count - 1] + b_height;
    p.sag = p.curve * p.length * p.length;
    double zone = rules.frequency_mhz > 0 ? lf__fresnel_zone(rules.frequency_mhz, p.length) : 0;
    lf__sight_detail d[2] = {lf__sight_detail_start(false, zone), lf__sight_detail_start(false, 0)};
    lf_sight sight = {.verdict = LF_VERDICT_CLEAR, .t = 1, .length = p.length};
    path_scan(&p, d, &sight);
    lf__sight_detail_report(&d[0], &sight);
    sight.point =
        (lf_vec3){sight.t * p.length, 0, p.a + sight.t * (p.b - p.a) - p.sag * sight.t * (1 - sight.t)};
    bool seen = sight.verdict == LF_VERDICT_CLEAR;
    *view = (lf_profile_sight){sight, path_horizon(&p, &d[0], p.b - p.a, seen),
                               path_horizon(&p, &d[1], p.a - p.b, seen)};
    return LF_OK;
}
