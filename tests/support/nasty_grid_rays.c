#include "nasty_grid.h"
#include <float.h>

static const char *const line_names[] = {
#define LINE_NAME(name, text) text,
    NASTY_LINE_LIST(LINE_NAME)
#undef LINE_NAME
};

const char *nasty_line_name(nasty_line line) {
    return line_names[line];
}

static bool one_in(test_random *random, int64_t count) {
    return test_random_below(random, count) == 0;
}

static int64_t within(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

static double sample(const nasty_grid *grid, int64_t column, int64_t row) {
    const lf_samples *samples = &grid->def.samples;
    double height = grid->heights[within(row, 0, samples->rows - 1) * samples->columns +
                                  within(column, 0, samples->columns - 1)];
    return isnan(height) ? 0 : height;
}

/// The plane or patch of a cell, by the surface's own rule, at u and v in it.
static double cell_height(const nasty_grid *grid, int64_t i, int64_t j, double u, double v) {
    double h00 = sample(grid, i, j), h10 = sample(grid, i + 1, j), h01 = sample(grid, i, j + 1),
           h11 = sample(grid, i + 1, j + 1);
    lf_surface surface = grid->def.surface;
    if (surface == LF_SURFACE_BILINEAR)
        return h00 + u * (h10 - h00) + v * (h01 - h00) + u * v * (h11 - h10 - h01 + h00);
    bool rising = surface == LF_SURFACE_RISING || (surface == LF_SURFACE_ALTERNATING && (i + j) % 2 != 0);
    if (rising)
        return u >= v ? h00 + u * (h10 - h00) + v * (h11 - h10) : h00 + v * (h01 - h00) + u * (h11 - h01);
    return u + v <= 1 ? h00 + u * (h10 - h00) + v * (h01 - h00)
                      : h11 + (1 - u) * (h01 - h11) + (1 - v) * (h10 - h11);
}

double nasty_grid_height(const nasty_grid *grid, double column, double row) {
    const lf_samples *samples = &grid->def.samples;
    column = fmax(0, fmin((double)(samples->columns - 1), column));
    row = fmax(0, fmin((double)(samples->rows - 1), row));
    if (grid->def.surface == LF_SURFACE_POINT)
        return sample(grid, (int64_t)rint(column), (int64_t)rint(row));
    int64_t i = within((int64_t)floor(column), 0, samples->columns - 2);
    int64_t j = within((int64_t)floor(row), 0, samples->rows - 2);
    return cell_height(grid, i, j, column - (double)i, row - (double)j);
}

/// A whole number from low to high.
static double whole(test_random *random, int64_t low, int64_t high) {
    return (double)(low + test_random_below(random, high - low + 1));
}

static double any_column(const nasty_grid *grid, test_random *random) {
    return whole(random, 0, grid->def.samples.columns - 1);
}

static double any_row(const nasty_grid *grid, test_random *random) {
    return whole(random, 0, grid->def.samples.rows - 1);
}

static lf_vec3 any_sample(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = {any_column(grid, random), any_row(grid, random), 0};
    at.z = sample(grid, (int64_t)at.x, (int64_t)at.y);
    return at;
}

/// A point of the surface: with few bits, or anywhere.
static lf_vec3 any_ground(const nasty_grid *grid, bool few_bits, test_random *random) {
    double columns = (double)(grid->def.samples.columns - 1), rows = (double)(grid->def.samples.rows - 1);
    lf_vec3 at = {test_random_between(random, 0, columns), test_random_between(random, 0, rows), 0};
    if (few_bits) {
        at.x = rint(at.x * 4) / 4;
        at.y = rint(at.y * 4) / 4;
    }
    at.z = nasty_grid_height(grid, at.x, at.y);
    return at;
}

/// A direction of few bits, never zero.
static lf_vec3 few_bits_direction(test_random *random) {
    lf_vec3 along = {whole(random, -4, 4), whole(random, -4, 4), whole(random, -4, 4)};
    if (one_in(random, 3))
        along.z = -fabs(along.z) - 1;
    if (along.x == 0 && along.y == 0 && along.z == 0)
        along.z = -1;
    double factor = ldexp(1, (int)test_random_below(random, 5) - 3);
    return lf_vec3_scale(along, factor);
}

static lf_vec3 any_direction(test_random *random) {
    return (lf_vec3){test_random_between(random, -1, 1), test_random_between(random, -1, 1),
                     test_random_between(random, -1, 1) + 1e-9};
}

/// The ray that reaches `at` when t is `back`.
static lf_ray through(lf_vec3 at, lf_vec3 along, double back) {
    return lf_ray_towards(lf_vec3_along(at, -back, along), along);
}

static double relief_of(const nasty_grid *grid) {
    double low = LF_INFINITY, high = -LF_INFINITY;
    for (int64_t i = 0; i < grid->def.samples.columns * grid->def.samples.rows; i++) {
        low = fmin(low, grid->heights[i]);
        high = fmax(high, grid->heights[i]);
    }
    return high > low ? high - low : 1;
}

static lf_ray make_random(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_ground(grid, false, random), along = any_direction(random);
    along.z *= one_in(random, 2) ? relief_of(grid) : one_in(random, 2) ? 0.1 : 1;
    at.z += one_in(random, 2) ? 0 : test_random_between(random, -1, 1) * relief_of(grid);
    return through(at, along, test_random_between(random, 0, 9));
}

static lf_ray make_column(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_sample(grid, random), along = {0, 0, whole(random, -2, 2) / 4};
    if (one_in(random, 2))
        along.x = one_in(random, 2) ? 1 : -1;
    else
        along.y = one_in(random, 2) ? 1 : -1;
    at.z += whole(random, -1, 1) / 2;
    return through(at, along, whole(random, -1, 5));
}

static lf_ray make_diagonal(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_sample(grid, random);
    lf_vec3 along = {one_in(random, 2) ? 1 : -1, one_in(random, 2) ? 1 : -1, whole(random, -3, 3) / 2};
    at.z += one_in(random, 2) ? 0 : whole(random, -2, 2) / 4;
    if (one_in(random, 3))
        at.x += 0.5; // across the middles of edges
    return through(at, along, whole(random, 0, 12) / 2);
}

static lf_ray make_vertex(const nasty_grid *grid, test_random *random) {
    return through(any_sample(grid, random), few_bits_direction(random), whole(random, 0, 16) / 2);
}

static lf_ray make_vertices(const nasty_grid *grid, test_random *random) {
    lf_vec3 from = any_sample(grid, random), to = any_sample(grid, random);
    lf_vec3 along = lf_vec3_sub(to, from);
    if (along.x == 0 && along.y == 0 && along.z == 0)
        along.x = 1;
    lf_ray ray = through(from, along, whole(random, 0, 2));
    if (one_in(random, 2))
        ray.t_max = whole(random, 0, 3);
    return ray;
}

static lf_ray make_from_surface(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = one_in(random, 2) ? any_sample(grid, random) : any_ground(grid, !one_in(random, 3), random);
    return lf_ray_towards(at, one_in(random, 2) ? few_bits_direction(random) : any_direction(random));
}

static double small_number(test_random *random) {
    return pow(10, test_random_between(random, -18, -2)) * (one_in(random, 2) ? 1 : -1);
}

/// The next double; beside zero a number whose products do not underflow.
static double next_to(double value, test_random *random) {
    double towards = one_in(random, 2) ? DBL_MAX : -DBL_MAX;
    return value == 0 ? copysign(0x1p-200, towards) : nextafter(value, towards);
}

static lf_ray make_nearly_axis(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = one_in(random, 2) ? any_sample(grid, random) : any_ground(grid, true, random);
    double along = one_in(random, 2) ? 1 : -1, beside = one_in(random, 4) ? 0 : small_number(random);
    lf_vec3 direction = {along, beside, one_in(random, 2) ? small_number(random) : whole(random, -1, 1) / 8};
    if (one_in(random, 2))
        direction = (lf_vec3){direction.y, direction.x, direction.z};
    return through(at, direction, test_random_between(random, 0, 9));
}

static lf_ray make_nearly_vertical(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = one_in(random, 2) ? any_sample(grid, random) : any_ground(grid, one_in(random, 2), random);
    lf_vec3 along = {small_number(random), one_in(random, 4) ? 0 : small_number(random),
                     one_in(random, 3) ? 1 : -1};
    return through(at, along, one_in(random, 3) ? 1000 : whole(random, 0, 8));
}

/// A local place worth asking for: at samples, on lines, diagonals, borders, or anywhere; sometimes a bit beside.
static lf_vec3 any_place(const nasty_grid *grid, test_random *random) {
    double columns = (double)grid->def.samples.columns, rows = (double)grid->def.samples.rows;
    lf_vec3 at = {test_random_between(random, -1, columns), test_random_between(random, -1, rows), 0};
    int64_t how = test_random_below(random, 8);
    if (how == 0 || how == 1)
        at.x = rint(at.x * how * 2) / (how * 2 + (how == 0));
    if (how == 0 || how == 2)
        at.y = rint(at.y);
    if (how == 0 || how == 3)
        at.x = rint(at.x);
    if (how == 4)
        at = (lf_vec3){rint(at.x * 2) / 2, rint(at.y * 2) / 2, 0};
    if (how == 5) { // on a diagonal
        double share = whole(random, 0, 16) / 16;
        at = (lf_vec3){floor(at.x) + share, floor(at.y) + (one_in(random, 2) ? share : 1 - share), 0};
    }
    if (one_in(random, 6))
        at.x = next_to(at.x, random);
    if (one_in(random, 6))
        at.y = next_to(at.y, random);
    at.z = nasty_grid_height(grid, at.x, at.y);
    return at;
}

static lf_ray make_vertical(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_place(grid, random);
    lf_vec3 along = {0, 0, one_in(random, 3) ? 0.5 : one_in(random, 2) ? -3 : -1};
    return through(at, along, one_in(random, 4) ? 0 : whole(random, -2, 20) / 2);
}

static lf_ray make_far(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = one_in(random, 2) ? any_sample(grid, random) : any_ground(grid, true, random);
    lf_vec3 along = one_in(random, 2) ? any_direction(random) : few_bits_direction(random);
    if (one_in(random, 2))
        along.z = small_number(random);
    return through(at, along, 1e7);
}

static lf_vec3 highest_sample(const nasty_grid *grid) {
    lf_vec3 best = {0, 0, -LF_INFINITY};
    for (int64_t j = 0; j < grid->def.samples.rows; j++)
        for (int64_t i = 0; i < grid->def.samples.columns; i++)
            if (grid->heights[j * grid->def.samples.columns + i] > best.z)
                best = (lf_vec3){(double)i, (double)j, grid->heights[j * grid->def.samples.columns + i]};
    return isinf(best.z) ? (lf_vec3){0, 0, 0} : best;
}

/// Over the highest sample, level or rising to it; or over an edge of it.
static lf_ray make_grazing(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = highest_sample(grid);
    lf_vec3 along = {whole(random, -3, 3), whole(random, -3, 3), 0};
    if (one_in(random, 3)) { // the middle of an edge that starts there, crossed in its tangent
        lf_vec3 end = {at.x + 1, at.y, sample(grid, (int64_t)at.x + 1, (int64_t)at.y)};
        lf_vec3 edge = lf_vec3_sub(end, at);
        at = lf_vec3_along(at, 0.5, edge);
        along = lf_vec3_along((lf_vec3){0, whole(random, 1, 3), 0}, whole(random, -2, 2) / 2, edge);
    }
    if (along.x == 0 && along.y == 0)
        along.y = 1;
    return through(at, along, whole(random, 0, 9) / 2);
}

static lf_ray make_in_plane(const nasty_grid *grid, test_random *random) {
    int64_t i = test_random_below(random, grid->def.samples.columns - 1);
    int64_t j = test_random_below(random, grid->def.samples.rows - 1);
    int64_t u = test_random_below(random, 2), v = test_random_below(random, 2);
    lf_vec3 corner = {(double)(i + u), (double)(j + v), sample(grid, i + u, j + v)};
    lf_vec3 beside = {(double)(i + 1 - u), (double)(j + v), sample(grid, i + 1 - u, j + v)};
    lf_vec3 above = {(double)(i + u), (double)(j + 1 - v), sample(grid, i + u, j + 1 - v)};
    lf_vec3 first = lf_vec3_sub(beside, corner), second = lf_vec3_sub(above, corner);
    double p = whole(random, -2, 2), q = whole(random, -2, 2);
    if (p == 0 && q == 0)
        p = 1;
    lf_vec3 along = lf_vec3_along(lf_vec3_scale(first, p), q, second);
    lf_vec3 at =
        lf_vec3_along(lf_vec3_along(corner, whole(random, 0, 4) / 4, first), whole(random, 0, 2) / 4, second);
    return through(at, along, whole(random, 0, 9) / 4);
}

static lf_ray make_from_below(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = one_in(random, 2) ? any_sample(grid, random) : any_ground(grid, one_in(random, 2), random);
    lf_vec3 along = one_in(random, 2) ? few_bits_direction(random) : any_direction(random);
    along.z = fabs(along.z) * (one_in(random, 2) ? relief_of(grid) : 1);
    if (along.x == 0 && along.y == 0 && along.z == 0)
        along.z = 1;
    return through(at, along, test_random_between(random, 0, 6));
}

/// About where the surface is, which may be just before or behind.
static lf_ray make_short(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = one_in(random, 2) ? any_sample(grid, random) : any_ground(grid, one_in(random, 2), random);
    double back = test_random_between(random, 0, 9), length = pow(10, test_random_between(random, -15, 0.5));
    lf_ray ray = through(at, one_in(random, 2) ? few_bits_direction(random) : any_direction(random), back);
    ray.t_min = fmax(0, back - length * test_random_between(random, -0.2, 1));
    ray.t_max = ray.t_min + length;
    if (one_in(random, 5))
        ray.t_max = ray.t_min;
    return ray;
}

static lf_ray make_touching(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = one_in(random, 2) ? any_sample(grid, random) : any_ground(grid, true, random);
    double back = whole(random, 1, 8) / 2;
    lf_ray ray = through(at, few_bits_direction(random), back);
    double limit = one_in(random, 2) ? back : nextafter(back, one_in(random, 2) ? 0 : 99);
    if (one_in(random, 2))
        ray.t_max = limit;
    else
        ray.t_min = limit;
    return ray;
}

static lf_ray make_level(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_place(grid, random), along = few_bits_direction(random);
    at.z = any_sample(grid, random).z;
    along.z = 0;
    if (along.x == 0 && along.y == 0)
        along.x = 1;
    return through(at, along, whole(random, 0, 16) / 2);
}

static lf_ray make_half(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = {any_column(grid, random) - 0.5, any_row(grid, random) - 0.5, any_sample(grid, random).z};
    lf_vec3 along = {0, 1, whole(random, -4, 4) / 4};
    at.x += one_in(random, 4) ? 1 : 0;
    at.z += whole(random, -1, 1) / 4;
    if (one_in(random, 5))
        along = (lf_vec3){0, 0, 1}; // up or down in the plane of a wall
    if (one_in(random, 2))
        along = (lf_vec3){along.y, along.x, along.z};
    if (one_in(random, 2))
        along = lf_vec3_scale(along, -0.5);
    return through(at, along, whole(random, 0, 16) / 2);
}

static lf_ray make_border(const nasty_grid *grid, test_random *random) {
    double beyond = one_in(random, 2) ? 0.5 : 0;
    double right = (double)(grid->def.samples.columns - 1) + beyond;
    double top = (double)(grid->def.samples.rows - 1) + beyond;
    bool upright = one_in(random, 2);
    lf_vec3 at = {one_in(random, 2) ? -beyond : right, one_in(random, 2) ? -beyond : top, 0};
    if (upright)
        at.y = any_row(grid, random);
    else
        at.x = any_column(grid, random);
    at.z = nasty_grid_height(grid, at.x, at.y) + whole(random, -1, 1) / 4;
    lf_vec3 along = {upright ? 0 : 1, upright ? 1 : 0, whole(random, -2, 2) / 4};
    if (one_in(random, 4))
        along = few_bits_direction(random);
    return through(at, along, whole(random, -2, 8) / 2);
}

static lf_ray make_ruling(const nasty_grid *grid, test_random *random) {
    int64_t i = test_random_below(random, grid->def.samples.columns - 1);
    int64_t j = test_random_below(random, grid->def.samples.rows - 1);
    double share = whole(random, 0, 8) / 8;
    bool upright = one_in(random, 2);
    double u = upright ? share : 0, v = upright ? 0 : share;
    double end_u = upright ? share : 1, end_v = upright ? 1 : share;
    lf_vec3 from = {(double)i + u, (double)j + v, cell_height(grid, i, j, u, v)};
    lf_vec3 to = {(double)i + end_u, (double)j + end_v, cell_height(grid, i, j, end_u, end_v)};
    lf_vec3 along = lf_vec3_sub(to, from);
    if (one_in(random, 2)) {
        lf_vec3 kept = from;
        from = to;
        to = kept;
        along = lf_vec3_scale(along, -1);
    }
    return through(from, along, whole(random, -1, 8) / 4);
}

/// In the tangent plane of a patch's point: a double root, unless the direction is a ruling.
static lf_ray make_tangent(const nasty_grid *grid, test_random *random) {
    int64_t i = test_random_below(random, grid->def.samples.columns - 1);
    int64_t j = test_random_below(random, grid->def.samples.rows - 1);
    double h00 = sample(grid, i, j), h10 = sample(grid, i + 1, j), h01 = sample(grid, i, j + 1),
           h11 = sample(grid, i + 1, j + 1);
    double u = whole(random, 0, 4) / 4, v = whole(random, 0, 4) / 4, twist = h11 - h10 - h01 + h00;
    double by_u = h10 - h00 + v * twist, by_v = h01 - h00 + u * twist;
    lf_vec3 at = {(double)i + u, (double)j + v, h00 + u * (h10 - h00) + v * (h01 - h00) + u * v * twist};
    lf_vec3 along = {whole(random, -2, 2), whole(random, 1, 3), 0};
    along.z = along.x * by_u + along.y * by_v;
    return through(at, along, whole(random, 0, 8) / 2);
}

static lf_vec3 any_edge_point(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_sample(grid, random);
    double share = one_in(random, 2) ? whole(random, 0, 4) / 4 : test_random_between(random, 0, 1);
    if (one_in(random, 2))
        at.x += share;
    else
        at.y += share;
    at.z = nasty_grid_height(grid, at.x, at.y);
    return at;
}

static lf_ray make_on_edge(const nasty_grid *grid, test_random *random) {
    lf_vec3 from = any_edge_point(grid, random), to = any_edge_point(grid, random);
    lf_vec3 along = lf_vec3_sub(to, from);
    if (one_in(random, 3) || (along.x == 0 && along.y == 0 && along.z == 0))
        along = few_bits_direction(random);
    return through(from, along, whole(random, 0, 4) / 2);
}

static double bit_beside(double value, test_random *random) {
    value = next_to(value, random);
    return one_in(random, 2) ? value : next_to(value, random);
}

static lf_ray make_nearly_touching(const nasty_grid *grid, test_random *random) {
    static lf_ray (*const makers[])(const nasty_grid *, test_random *) = {
        make_grazing, make_tangent, make_vertices, make_in_plane, make_ruling, make_level, make_half,
    };
    lf_ray ray = makers[test_random_below(random, 7)](grid, random);
    double *parts[6] = {&ray.origin.z,    &ray.direction.z, &ray.origin.x,
                        &ray.direction.x, &ray.origin.y,    &ray.direction.y};
    double *part = parts[one_in(random, 2) ? test_random_below(random, 6) : 0];
    *part = *part == 0 ? 0x1p-50 * (one_in(random, 2) ? 1 : -1) : bit_beside(*part, random);
    return ray;
}

lf_ray nasty_grid_ray(nasty_line line, const nasty_grid *grid, test_random *random) {
    static lf_ray (*const makers[NASTY_LINES])(const nasty_grid *, test_random *) = {
        [NASTY_LINE_RANDOM] = make_random,
        [NASTY_LINE_COLUMN] = make_column,
        [NASTY_LINE_DIAGONAL] = make_diagonal,
        [NASTY_LINE_VERTEX] = make_vertex,
        [NASTY_LINE_VERTICES] = make_vertices,
        [NASTY_LINE_FROM_SURFACE] = make_from_surface,
        [NASTY_LINE_NEARLY_AXIS] = make_nearly_axis,
        [NASTY_LINE_NEARLY_VERTICAL] = make_nearly_vertical,
        [NASTY_LINE_VERTICAL] = make_vertical,
        [NASTY_LINE_FAR] = make_far,
        [NASTY_LINE_GRAZING] = make_grazing,
        [NASTY_LINE_IN_PLANE] = make_in_plane,
        [NASTY_LINE_FROM_BELOW] = make_from_below,
        [NASTY_LINE_SHORT] = make_short,
        [NASTY_LINE_TOUCHING] = make_touching,
        [NASTY_LINE_LEVEL] = make_level,
        [NASTY_LINE_HALF] = make_half,
        [NASTY_LINE_BORDER] = make_border,
        [NASTY_LINE_RULING] = make_ruling,
        [NASTY_LINE_TANGENT] = make_tangent,
        [NASTY_LINE_ON_EDGE] = make_on_edge,
        [NASTY_LINE_NEARLY_TOUCHING] = make_nearly_touching,
    };
    lf_ray local = makers[line](grid, random);
    if (one_in(random, 8)) { // t in other lengths, such as a unit direction has
        double factor = one_in(random, 2) ? test_random_between(random, 0.01, 100) : 0x1p-20;
        local.direction = lf_vec3_scale(local.direction, factor);
        local.t_min /= factor;
        local.t_max /= factor;
    }
    return nasty_grid_world_ray(grid, &local);
}

lf_vec3 nasty_grid_point(const nasty_grid *grid, test_random *random) {
    lf_vec3 at = any_place(grid, random);
    switch (test_random_below(random, 6)) {
    case 0:
        at.z = bit_beside(at.z, random);
        break;
    case 1:
        at.z += relief_of(grid) * test_random_between(random, -2, 2);
        break;
    case 2:
        at.z = test_random_between(random, 1e6, 1e8) * (one_in(random, 2) ? 1 : -1);
        break;
    case 3:
        at.z += whole(random, -2, 2) / 4;
        break;
    default:
        break;
    }
    return nasty_grid_world(grid, at);
}
