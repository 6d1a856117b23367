#include "nasty_sight.h"
#include <float.h>

static const char *const sight_names[] = {
#define SIGHT_NAME(name, text) text,
    NASTY_SIGHT_LIST(SIGHT_NAME)
#undef SIGHT_NAME
};

const char *nasty_sight_name(nasty_sight_kind kind) {
    return sight_names[kind];
}

// ---------------------------------------------------------------------------------------------------
// The definitions
// ---------------------------------------------------------------------------------------------------

static double set_on_sample(double place, double error) {
    double whole = rint(place);
    return fabs(place - whole) <= error ? whole : place;
}

/// 2^m is the least power of two that is no less than columns + 2 and rows + 2.
static int size_exponent(const nasty_grid *grid) {
    const lf_samples *samples = &grid->def.samples;
    int64_t size = (samples->columns > samples->rows ? samples->columns : samples->rows) + 2;
    int exponent = 0;
    while (((int64_t)1 << exponent) < size)
        exponent++;
    return exponent;
}

static bool is_near(const nasty_grid *grid, lf_vec2 place) {
    double reach = ldexp(1, size_exponent(grid) + 1);
    return fabs(place.x) < reach && fabs(place.y) < reach;
}

/// On steps so wide that differences between places near the grid are doubles.
static double set_on_step(double place, int exponent) {
    return fabs(place) < ldexp(1, exponent + 1) ? ldexp(nearbyint(ldexp(place, 51 - exponent)), exponent - 51)
                                                : place;
}

lf_vec2 nasty_sight_place(const nasty_grid *grid, double x, double y) {
    lf_vec2 place = nasty_grid_local(grid, x, y), origin = grid->def.geotransform.origin;
    double wide = fabs(x) + fabs(origin.x), high = fabs(y) + fabs(origin.y), eight = 8 * 0x1p-53;
    int exponent = size_exponent(grid);
    place.x = set_on_sample(place.x, eight * (fabs(grid->a) * wide + fabs(grid->b) * high) + eight);
    place.y = set_on_sample(place.y, eight * (fabs(grid->c) * wide + fabs(grid->d) * high) + eight);
    return (lf_vec2){set_on_step(place.x, exponent), set_on_step(place.y, exponent)};
}

lf_vec2 nasty_sight_sample(const nasty_grid *grid, int64_t column, int64_t row) {
    const lf_geotransform *geotransform = &grid->def.geotransform;
    double i = (double)column, j = (double)row;
    return (lf_vec2){geotransform->origin.x + i * geotransform->per_column.x + j * geotransform->per_row.x,
                     geotransform->origin.y + i * geotransform->per_column.y + j * geotransform->per_row.y};
}

double nasty_sight_span(const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b) {
    double dx = b.x - a.x, dy = b.y - a.y;
    if (rules->units == LF_MAP_METRES)
        return sqrt(dx * dx + dy * dy);
    return lf_geodesic_between(&rules->ellipsoid, (lf_geodetic){.lon_deg = a.x, .lat_deg = a.y},
                               (lf_geodetic){.lon_deg = b.x, .lat_deg = b.y})
        .distance;
}

static bool before(lf_vec3 a, lf_vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z <= b.z;
}

/// The ends' heights up, and the bend to the nearest, on steps so wide that their differences are doubles: an end that stands on the
/// ground is not below it.
static void set_heights(exact_line *line, double end) {
    double most = fmax(fmax(fabs(line->z), fabs(end)), fabs(line->bend));
    int exponent = most > 0 && ilogb(most) > -900 ? ilogb(most) : -900, step = exponent - 50;
    line->z = ldexp(ceil(ldexp(line->z, -step)), step);
    line->rise = ldexp(ceil(ldexp(end, -step)), step) - line->z;
    line->bend = ldexp(nearbyint(ldexp(line->bend, -step)), step);
}

exact_line nasty_sight_line(const nasty_grid *grid, const lf_sight_rules *rules, lf_vec3 a, lf_vec3 b,
                            const lf_vec2 places[2]) {
    lf_vec2 of_a = places ? places[0] : nasty_sight_place(grid, a.x, a.y),
            of_b = places ? places[1] : nasty_sight_place(grid, b.x, b.y);
    bool near_a = is_near(grid, of_a), near_b = is_near(grid, of_b);
    bool back = near_a != near_b ? near_b : !before(a, b);
    lf_vec2 first = back ? of_b : of_a, second = back ? of_a : of_b;
    double length = before(a, b) ? nasty_sight_span(rules, a, b) : nasty_sight_span(rules, b, a);
    exact_line line = {.x = first.x,
                       .y = first.y,
                       .dx = second.x - first.x,
                       .dy = second.y - first.y,
                       .z = back ? b.z : a.z,
                       .bend = rules->curvature.coefficient * length * length / (2 * rules->curvature.radius),
                       .turn = 1,
                       .end = 1,
                       .back = back};
    set_heights(&line, back ? a.z : b.z);
    return line;
}

/// Metres of a degree of longitude and latitude.
static lf_vec2 metres_of_degree(const lf_ellipsoid *ellipsoid, double latitude) {
    double radian = 3.14159265358979323846 / 180,
           square = ellipsoid->flattening * (2 - ellipsoid->flattening);
    double sine = sin(latitude * radian), narrow = 1 - square * sine * sine;
    double across = ellipsoid->radius / sqrt(narrow);
    return (lf_vec2){across * cos(latitude * radian) * radian, across * (1 - square) / narrow * radian};
}

exact_line nasty_horizon_line(const nasty_grid *grid, const lf_sight_rules *rules, lf_vec3 from,
                              lf_vec2 place, double azimuth, double aside) {
    double quarter = rint(azimuth / 90), rest = azimuth - 90 * quarter;
    double angle = rest * (3.14159265358979323846 / 180) + aside, sine = sin(angle), cosine = cos(angle);
    if (fabs(rest) == 45 && aside == 0) // along the very diagonal
        sine = copysign(cosine, rest);
    for (int turns = (int)fmod(fmod(quarter, 4) + 4, 4); turns > 0; turns--) {
        double kept = sine;
        sine = cosine;
        cosine = -kept;
    }
    if (rules->units == LF_MAP_DEGREES) {
        lf_vec2 metres = metres_of_degree(&rules->ellipsoid, from.y);
        sine /= metres.x;
        cosine /= metres.y;
    }
    double bend = rules->curvature.coefficient / (2 * rules->curvature.radius);
    return (exact_line){.x = place.x,
                        .y = place.y,
                        .dx = grid->a * sine + grid->b * cosine,
                        .dy = grid->c * sine + grid->d * cosine,
                        .z = from.z,
                        .bend = bend,
                        .end = LF_INFINITY,
                        .closed = true};
}

lf_verdict nasty_sight_verdict(const exact_sight *sight, lf_void_policy voids, double *t) {
    bool hole = sight->hole && voids != LF_VOIDS_PASS;
    *t = 1;
    if (sight->blocked || (hole && voids == LF_VOIDS_STOP)) {
        *t = sight->blocked ? sight->blocked_t : sight->hole_t;
        if (hole && voids == LF_VOIDS_STOP)
            *t = fmin(*t, sight->hole_t);
        return LF_VERDICT_BLOCKED;
    }
    if (hole)
        *t = sight->hole_t;
    return hole ? LF_VERDICT_UNKNOWN : LF_VERDICT_CLEAR;
}

// ---------------------------------------------------------------------------------------------------
// Ends
// ---------------------------------------------------------------------------------------------------

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

static double whole(test_random *random, int64_t low, int64_t high) {
    return (double)(low + test_random_below(random, high - low + 1));
}

static double columns_of(const nasty_grid *grid) {
    return (double)(grid->def.samples.columns - 1);
}

static double rows_of(const nasty_grid *grid) {
    return (double)(grid->def.samples.rows - 1);
}

static double height_of(const nasty_grid *grid, double column, double row) {
    return nasty_grid_height(grid, column, row);
}

static lf_vec3 any_sample(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = {whole(random, 0, grid->def.samples.columns - 1),
                  whole(random, 0, grid->def.samples.rows - 1), 0};
    at.z = height_of(grid, at.x, at.y);
    return at;
}

/// Somewhere on the grid, or beyond it by a share of its size.
static lf_vec3 any_place(const nasty_grid *grid, double beyond, test_random *random) {
    double wide = beyond * (columns_of(grid) + 1), high = beyond * (rows_of(grid) + 1);
    lf_vec3 at = {test_random_between(random, -wide, columns_of(grid) + wide),
                  test_random_between(random, -high, rows_of(grid) + high), 0};
    int64_t how = test_random_below(random, 4);
    if (how < 2)
        at = (lf_vec3){rint(at.x * (how + 1)) / (double)(how + 1), rint(at.y * (how + 1)) / (double)(how + 1),
                       0};
    if (how == 2)
        at = (lf_vec3){rint(at.x * 4) / 4, rint(at.y * 4) / 4, 0};
    at.z = height_of(grid, at.x, at.y);
    return at;
}

static void bounds_of(const nasty_grid *grid, double *low, double *high) {
    *low = LF_INFINITY;
    *high = -LF_INFINITY;
    for (int64_t i = 0; i < grid->def.samples.columns * grid->def.samples.rows; i++) {
        *low = fmin(*low, grid->heights[i]);
        *high = fmax(*high, grid->heights[i]);
    }
    if (*low > *high)
        *low = *high = 0;
}

static double relief_of(const nasty_grid *grid) {
    double low, high;
    bounds_of(grid, &low, &high);
    return high > low ? high - low : 1;
}

/// Nothing, a few bits, an eye's height, or as much as the relief has.
double nasty_sight_eye(const nasty_grid *grid, test_random *random) {
    switch (test_random_below(random, 5)) {
    case 0:
    case 1:
        return 0;
    case 2:
        return whole(random, 0, 4) / 4;
    case 3:
        return test_random_between(random, 0, 1.7);
    default:
        return relief_of(grid) * whole(random, 0, 4) / 8;
    }
}

static double nudge(double value, test_random *random) {
    double towards = one_in(random, 2) ? DBL_MAX : -DBL_MAX;
    return one_in(random, 3) ? value : value == 0 ? copysign(0x1p-60, towards) : nextafter(value, towards);
}

typedef struct ends {
    lf_vec3 a, b; ///< in columns, rows and height
} ends;

static ends make_samples(const nasty_grid *grid, test_random *random) {
    ends ends = {any_sample(grid, random), any_sample(grid, random)};
    double height = nasty_sight_eye(grid, random);
    ends.a.z += height;
    ends.b.z += one_in(random, 2) ? height : nasty_sight_eye(grid, random);
    return ends;
}

static ends make_ground(const nasty_grid *grid, test_random *random) {
    ends ends = {any_place(grid, 0, random), any_place(grid, 0, random)};
    if (one_in(random, 3))
        ends.b.z += nasty_sight_eye(grid, random);
    return ends;
}

/// Through the very height of a sample, or of the middle of an edge, at t = 1/2 or 1/4.
static ends make_ridge(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_sample(grid, random);
    if (one_in(random, 3)) {
        at.x += one_in(random, 2) ? 0.5 : 0;
        at.y += at.x == floor(at.x) ? 0.5 : 0;
        at.z = height_of(grid, at.x, at.y);
    }
    lf_vec3 along = {whole(random, -6, 6) / 2, whole(random, -6, 6) / 2, whole(random, -4, 4) / 4};
    double after = one_in(random, 2) ? -1 : -3;
    ends ends = {lf_vec3_add(at, along), lf_vec3_along(at, after, along)};
    if (one_in(random, 2))
        ends.a.z = nudge(ends.a.z, random);
    return ends;
}

static ends make_below(const nasty_grid *grid, test_random *random) {
    ends ends = {any_place(grid, 0, random), any_place(grid, 0.2, random)};
    ends.a.z -= relief_of(grid) * whole(random, 0, 4) / 4 + (one_in(random, 2) ? 0x1p-40 : 0);
    ends.b.z += relief_of(grid) * whole(random, -4, 4) / 4;
    return ends;
}

static ends make_off(const nasty_grid *grid, test_random *random) {
    ends ends = {any_place(grid, 0.7, random), any_place(grid, 0.7, random)};
    ends.a.z += relief_of(grid) * whole(random, -2, 4) / 8;
    ends.b.z += relief_of(grid) * whole(random, -2, 4) / 8;
    return ends;
}

/// One end or both up to 1e9 cells away; the line still passes over the grid.
static ends make_far(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_place(grid, 0, random);
    lf_vec3 along = {test_random_between(random, -1, 1), test_random_between(random, -1, 1), 0};
    if (one_in(random, 3))
        along = (lf_vec3){whole(random, -1, 1), whole(random, -1, 1), 0};
    double far = pow(10, test_random_between(random, 2, 9));
    if (one_in(random, 2))
        far = floor(far);
    along.z = relief_of(grid) * whole(random, -1, 1) / (one_in(random, 2) ? 1 : 4) / far;
    at.z += nasty_sight_eye(grid, random);
    return (ends){lf_vec3_along(at, far, along), one_in(random, 2) ? at : lf_vec3_along(at, -far, along)};
}

static ends make_upright(const nasty_grid *grid, test_random *random) {
    ends ends = make_below(grid, random);
    ends.b.x = ends.a.x;
    ends.b.y = ends.a.y;
    return ends;
}

/// Ends at samples next to holes, or in the holes.
static ends make_hole(const nasty_grid *grid, test_random *random) {
    ends ends = make_samples(grid, random);
    lf_vec3 *both[2] = {&ends.a, &ends.b};
    for (int k = 0; k < 2; k++)
        for (int tries = 0; tries < 40; tries++) {
            lf_vec3 at = any_sample(grid, random);
            int64_t i = (int64_t)at.x, j = (int64_t)at.y;
            if (!isnan(grid->heights[j * grid->def.samples.columns + i]))
                continue;
            at.x += whole(random, -2, 2) / (one_in(random, 2) ? 1 : 2);
            at.y += whole(random, -2, 2) / (one_in(random, 2) ? 1 : 2);
            at.z = height_of(grid, at.x, at.y) + nasty_sight_eye(grid, random);
            *both[k] = at;
            break;
        }
    return ends;
}

static ends make_half(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_sample(grid, random), to = any_sample(grid, random);
    at.x += 0.5 * whole(random, -1, 1);
    at.y += 0.5 * whole(random, -1, 1);
    if (one_in(random, 2))
        to.x = at.x, to.y += 0.5 * whole(random, -1, 1);
    else
        to.y = at.y, to.x += 0.5 * whole(random, -1, 1);
    at.z = any_sample(grid, random).z;
    to.z = one_in(random, 2) ? at.z : any_sample(grid, random).z;
    return (ends){at, to};
}

static ends make_level(const nasty_grid *grid, double above, test_random *random) {
    double low, high;
    bounds_of(grid, &low, &high);
    ends ends = {any_place(grid, 0.2, random), any_place(grid, 0.2, random)};
    ends.a.z = ends.b.z = high + above;
    if (one_in(random, 2))
        ends.b.z = nudge(ends.b.z, random);
    return ends;
}

// ---------------------------------------------------------------------------------------------------
// Rules
// ---------------------------------------------------------------------------------------------------

/// Bends from a bit to more than the relief, both ways.
static lf_curvature any_bend(const nasty_grid *grid, lf_vec3 a, lf_vec3 b, test_random *random) {
    static const double coefficients[6] = {LF_CURVATURE_LIGHT, LF_CURVATURE_RADIO, 1, -1, 2, -0.25};
    lf_curvature curvature = {coefficients[test_random_below(random, 6)], 6371008.8};
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    if (one_in(random, 4) || !(square > 0))
        return curvature;
    double wanted = relief_of(grid) * (one_in(random, 2) ? whole(random, 1, 8) / 4
                                                         : pow(10, test_random_between(random, -6, 2)));
    curvature.radius = fmax(fabs(curvature.coefficient) * square / (2 * wanted), 0x1p-6);
    return curvature;
}

static bool in_degrees(lf_vec3 at) {
    return fabs(at.x) <= 170 && fabs(at.y) <= 85;
}

lf_sight_rules nasty_sight_rules(const nasty_grid *grid, lf_vec3 a, lf_vec3 b, test_random *random) {
    lf_sight_rules rules = lf_sight_rules_default();
    if (!one_in(random, 2))
        rules.curvature = any_bend(grid, a, b, random);
    if (one_in(random, 6) && in_degrees(a) && in_degrees(b))
        rules.units = LF_MAP_DEGREES;
    rules.voids = (lf_void_policy)test_random_below(random, 3);
    rules.search = (lf_search)test_random_below(random, 3);
    rules.detail = true;
    rules.frequency_mhz = one_in(random, 2) ? 0 : test_random_between(random, 30, 6000);
    return rules;
}

/// Raise both ends so that the bent line touches a sample at t = 1/2.
static void bend_to_touch(nasty_sight *sight, const nasty_grid *grid, test_random *random) {
    double square = (sight->b.x - sight->a.x) * (sight->b.x - sight->a.x) +
                    (sight->b.y - sight->a.y) * (sight->b.y - sight->a.y);
    sight->rules.units = LF_MAP_METRES;
    sight->rules.curvature =
        (lf_curvature){one_in(random, 4) ? -1 : 1, fmax(square / whole(random, 1, 8), 0x1p-6)};
    exact_line line = nasty_sight_line(grid, &sight->rules, sight->a, sight->b, NULL);
    sight->a.z += line.bend / 4;
    sight->b.z += line.bend / 4;
    if (one_in(random, 2))
        sight->b.z = nudge(sight->b.z, random);
}

static void put_on_ground(lf_vec3 *end, const lf_ground *ground, double above) {
    lf_vec3 point = *end;
    lf_reason reason = LF_REASON_NONE;
    assert_int_equal(lf_sight_observer(ground, (lf_vec2){end->x, end->y}, above, &point, &reason), LF_OK);
    if (reason == LF_REASON_ANSWERED)
        *end = point;
}

static ends make_ends(nasty_sight_kind kind, const nasty_grid *grid, test_random *random) {
    switch (kind) {
    case NASTY_SIGHT_POSTS:
        return make_samples(grid, random);
    case NASTY_SIGHT_RIDGE:
        return make_ridge(grid, random);
    case NASTY_SIGHT_BELOW:
        return make_below(grid, random);
    case NASTY_SIGHT_OFF:
        return make_off(grid, random);
    case NASTY_SIGHT_FAR:
        return make_far(grid, random);
    case NASTY_SIGHT_UPRIGHT:
        return make_upright(grid, random);
    case NASTY_SIGHT_HOLE:
        return make_hole(grid, random);
    case NASTY_SIGHT_HALF:
        return make_half(grid, random);
    case NASTY_SIGHT_LEVEL:
        return make_level(grid, 0, random);
    case NASTY_SIGHT_ABOVE:
        return make_level(grid, 1 + relief_of(grid), random);
    default:
        return make_ground(grid, random);
    }
}

/// t and 1 - t of few bits, as the ray's own numbers are.
static void cut_ray(nasty_sight *sight, const nasty_grid *grid, test_random *random) {
    lf_ray ray = nasty_grid_ray((nasty_line)test_random_below(random, NASTY_LINES), grid, random);
    double from = one_in(random, 2) ? 0 : whole(random, 0, 8) / 2;
    double to = from + (one_in(random, 2) ? whole(random, 1, 16) / 2 : test_random_between(random, 0, 20));
    sight->a = lf_vec3_along(ray.origin, from, ray.direction);
    sight->b = lf_vec3_along(ray.origin, to, ray.direction);
}

nasty_sight nasty_sight_make(nasty_sight_kind kind, const nasty_grid *grid, const lf_ground *ground,
                             test_random *random) {
    nasty_sight sight = {.kind = kind};
    if (kind == NASTY_SIGHT_RAY) {
        cut_ray(&sight, grid, random);
    } else {
        ends ends = kind == NASTY_SIGHT_BENT_RIDGE ? make_ridge(grid, random) : make_ends(kind, grid, random);
        sight.a = nasty_grid_world(grid, ends.a);
        sight.b = nasty_grid_world(grid, ends.b);
    }
    if (kind == NASTY_SIGHT_STAND) {
        put_on_ground(&sight.a, ground, nasty_sight_eye(grid, random));
        put_on_ground(&sight.b, ground, one_in(random, 2) ? 0 : nasty_sight_eye(grid, random));
    }
    if (kind == NASTY_SIGHT_POINT)
        sight.b = sight.a;
    sight.rules = nasty_sight_rules(grid, sight.a, sight.b, random);
    if (kind == NASTY_SIGHT_BENT_RIDGE)
        bend_to_touch(&sight, grid, random);
    if (one_in(random, 2)) {
        lf_vec3 kept = sight.a;
        sight.a = sight.b;
        sight.b = kept;
    }
    return sight;
}
