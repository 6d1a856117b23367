/// Where a line begins, and how high it is.
#include "sight/line.h"

/// Half a unit in the last place.
#define UNIT 0x1p-53

static double set_on_posts(double at, double size) {
    // Adding so much leaves no room for a fraction; larger numbers have none worth speaking of.
    double whole = fabs(at) < 0x1p50 ? (at + 0x1.8p52) - 0x1.8p52 : at;
    return fabs(at - whole) <= size ? whole : at;
}

lf_vec2 lf__sight_place(const lf_grid *grid, lf_vec2 world) {
    lf_vec2 place = lf__grid_place(grid, world.x, world.y);
    double x = fabs(world.x) + fabs(grid->placing.origin.x), y = fabs(world.y) + fabs(grid->placing.origin.y);
    place.x = set_on_posts(place.x, 8 * UNIT * (fabs(grid->a) * x + fabs(grid->b) * y) + 8 * UNIT);
    place.y = set_on_posts(place.y, 8 * UNIT * (fabs(grid->c) * x + fabs(grid->d) * y) + 8 * UNIT);
    return place;
}

/// The height where a line turns, if that is between first and last; else that at first. Where the turn is rounds to a part of
/// 2^-50 of it, and the height there to the square of that.
static double turn(const lf__sight_line *line, double first, double last, double at_first) {
    if (line->z2 == 0)
        return at_first;
    double t = -0.5 * (line->z1 + line->z1_more) / line->z2;
    return t > first && t < last ? lf__sight_height(line, t) : at_first;
}

/// What all the roundings can be.
static double pad(const lf__sight_line *line, double last) {
    return 16 * UNIT *
               (fabs(line->z0) + (fabs(line->z1) + fabs(line->z1_more) + fabs(line->z2) * last) * last) +
           0x1p-1000;
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
