/// Where a line begins, and how high it is.
#include "sight/line.h"
#include <string.h>

#define UNIT LF__SIGHT_UNIT

/// Numbers below this are treated as if they were this large: steps must not vanish.
#define LEAST_HEIGHT 0x1p-900

/// Bends of less than this are none: products of them would not be exact.
#define LEAST_SAG 0x1p-200

/// Where a double keeps its exponent.
#define EXPONENT ((uint64_t)0x7ff << 52)

static double set_on_posts(double at, double size) {
    // Adding so much leaves no room for a fraction; larger numbers have none worth speaking of.
    double whole = fabs(at) < 0x1p50 ? (at + 0x1.8p52) - 0x1.8p52 : at;
    return fabs(at - whole) <= size ? whole : at;
}

/// To the nearest multiple of 2^-52 of a power of two that is more than x: doubles between that and twice that have no others.
static double nearest_step(double x, double power) {
    double sum = copysign(power, x);
    return (x + sum) - sum;
}

static double set_on_steps(double at, double reach) {
    return fabs(at) < reach ? nearest_step(at, reach) : at;
}

/// The least whole number that is not below x; |x| below 2^52.
static double whole_above(double x) {
    double whole = (double)(int64_t)x;
    return whole < x ? whole + 1 : whole;
}

lf_vec2 lf__sight_place(const lf_grid *grid, lf_vec2 world) {
    world.x = lf__grid_turned(grid, world.x);
    lf_vec2 place = lf__grid_place(grid, world.x, world.y);
    double x = fabs(world.x) + fabs(grid->geotransform.origin.x), y = fabs(world.y) + fabs(grid->geotransform.origin.y);
    place.x = set_on_posts(place.x, 8 * UNIT * (fabs(grid->a) * x + fabs(grid->b) * y) + 8 * UNIT);
    place.y = set_on_posts(place.y, 8 * UNIT * (fabs(grid->c) * x + fabs(grid->d) * y) + 8 * UNIT);
    double reach = lf__sight_reach(grid);
    return (lf_vec2){set_on_steps(place.x, reach), set_on_steps(place.y, reach)};
}

/// The x of a column within one turn from 0 on.
static double within_turn(const lf_grid *grid, double column) {
    double x = grid->geotransform.origin.x + column * grid->geotransform.per_column.x;
    double turns = x / grid->turn - floor(x / grid->turn);
    return turns > 1 - 1e-9 ? 0 : turns;
}

double lf__sight_opposite(const lf_grid *grid, double column) {
    double half = 0.5 * grid->copies;
    bool eastwards = within_turn(grid, column + half) > within_turn(grid, column);
    return column + (eastwards == (grid->geotransform.per_column.x > 0) ? half : -half);
}

lf_vec2 lf__sight_place_near(const lf_grid *grid, lf_vec2 world, double x) {
    lf_vec2 place = lf__sight_place(grid, world);
    double half = 0.5 * grid->copies;
    if (grid->copies > 0 && fabs(place.x - x) > half)
        place.x +=
            place.x < x ? grid->copies : -grid->copies; // steps and whole columns: exact where it wraps
    if (grid->copies > 0 && fabs(place.x - x) == half)
        place.x = lf__sight_opposite(grid, x);
    return place;
}

lf__sight_copies lf__sight_copies_of(const lf_grid *grid, const lf__sight_line *line) {
    double from = line->at.x, to = line->at.x + line->end * line->way.x;
    lf__grid_copies under = lf__grid_copies_of(grid, from < to ? from : to, from < to ? to : from, to < from);
    return (lf__sight_copies){grid, *line, under.first, under.last};
}

bool lf__sight_copies_next(lf__sight_copies *copies, lf__sight_line *line) {
    if (copies->next > copies->last)
        return false;
    *line = copies->line;
    if (copies->next != 0)
        line->at.x -= (double)copies->next * copies->grid->copies;
    copies->next++;
    return true;
}

bool lf__sight_is_near(const lf_grid *grid, lf_vec2 place) {
    double reach = lf__sight_reach(grid);
    return fabs(place.x) < reach && fabs(place.y) < reach;
}

/// The step of heights: 2^-50 of the greatest power of two that is no more than the largest number.
static double step_of(double largest) {
    uint64_t bits;
    largest = largest > LEAST_HEIGHT ? largest : LEAST_HEIGHT;
    memcpy(&bits, &largest, sizeof bits);
    bits = (bits & EXPONENT) - ((uint64_t)50 << 52);
    memcpy(&largest, &bits, sizeof bits);
    return largest;
}

double lf__sight_sag(const lf_curvature *bend, double length) {
    double sag = bend->coefficient * length * length / (2 * bend->radius);
    return fabs(sag) < LEAST_SAG ? 0 : sag;
}

lf__sight_line lf__sight_line_between(lf_vec2 from, double z_from, lf_vec2 to, double z_to, double sag) {
    double largest = fabs(z_from) > fabs(z_to) ? fabs(z_from) : fabs(z_to);
    double step = step_of(fabs(sag) > largest ? fabs(sag) : largest);
    double inverse = 1 / step; // a power of two: exact
    z_from = whole_above(z_from * inverse) * step;
    z_to = whole_above(z_to * inverse) * step;
    sag = nearest_step(sag, 0x1p52 * step);
    return (lf__sight_line){from, {to.x - from.x, to.y - from.y}, z_from, (z_to - z_from) - sag, sag, 1,
                            false};
}

/// The height where a line turns, if that is between first and last; else that at first. Where the turn is rounds to a part of
/// 2^-50 of it, and the height there to the square of that.
static double turn(const lf__sight_line *line, double first, double last, double at_first) {
    if (line->z2 == 0)
        return at_first;
    double t = -0.5 * line->z1 / line->z2;
    return t > first && t < last ? lf__sight_height(line, t) : at_first;
}

/// What all the roundings can be.
static double pad(const lf__sight_line *line, double last) {
    return 16 * UNIT * (fabs(line->z0) + (fabs(line->z1) + fabs(line->z2) * last) * last) + 0x1p-1000;
}

double lf__sight_low(const lf__sight_line *line, double first, double last) {
    double a = lf__sight_height(line, first), b = lf__sight_height(line, last);
    double c = turn(line, first, last, a);
    a = a < b ? a : b;
    return (a < c ? a : c) - pad(line, last);
}

double lf__sight_high(const lf__sight_line *line, double first, double last) {
    double a = lf__sight_height(line, first), b = lf__sight_height(line, last);
    double c = turn(line, first, last, a);
    a = a > b ? a : b;
    return (a > c ? a : c) + pad(line, last);
}
