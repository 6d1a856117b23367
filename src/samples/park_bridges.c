/// Bridges: one carries the avenue over the lake, one a footpath over the avenue.
#include "samples/park.h"
#include <math.h>

/// An arched deck from one end to the other.
typedef struct span {
    double x0, y0, x1, y1;
    double z0, z1; ///< heights of the ends
    double rise;   ///< of the middle above the line between them
    double half;   ///< of the width
    int64_t parts;
} span;

static double deck_height(const span *span, double t) {
    return span->z0 + (span->z1 - span->z0) * t + span->rise * 4 * t * (1 - t);
}

/// Four vertices across the deck at t: right rail, right edge, left edge, left rail; right is where one looks from
/// start to end.
static int64_t add_section(lf__maker *maker, const span *span, double t, double rail) {
    double dx = span->x1 - span->x0, dy = span->y1 - span->y0, length = sqrt(dx * dx + dy * dy);
    double x = span->x0 + dx * t, y = span->y0 + dy * t, z = deck_height(span, t);
    double right_x = dy / length * span->half, right_y = -dx / length * span->half;
    int64_t first = lf__maker_vertex(maker, x + right_x, y + right_y, z + rail);
    lf__maker_vertex(maker, x + right_x, y + right_y, z);
    lf__maker_vertex(maker, x - right_x, y - right_y, z);
    lf__maker_vertex(maker, x - right_x, y - right_y, z + rail);
    return first;
}

static void add_span(lf__maker *maker, const span *span) {
    int64_t deck = lf__maker_name(maker, "bridge"), rail = lf__maker_name(maker, "rail");
    int64_t last = add_section(maker, span, 0, 1.1);
    for (int64_t i = 1; i <= span->parts; i++) {
        int64_t next = add_section(maker, span, (double)i / (double)span->parts, 1.1);
        int64_t floor[4] = {last + 1, next + 1, next + 2, last + 2};
        int64_t right[4] = {last + 1, last, next, next + 1},
                left[4] = {last + 2, next + 2, next + 3, last + 3};
        lf__maker_quad(maker, deck, floor);
        lf__maker_quad(maker, rail, right);
        lf__maker_quad(maker, rail, left);
        last = next;
    }
}

static double avenue_y(double x) {
    return 152 + 0.06 * (x - 200);
}

/// The avenue's bridge starts and ends a few metres from the water.
static void add_lake_bridge(const lf__park *park) {
    double west = 200, east = 0;
    for (double x = 40; x < 230; x += 0.5)
        if (lf__park_lake(park, x, avenue_y(x)) < 1.0) {
            west = x < west ? x : west;
            east = x > east ? x : east;
        }
    if (!(west < east))
        return;
    span span = {west - 6, avenue_y(west - 6), east + 6, avenue_y(east + 6), 0, 0, 3.2, 2.4, 0};
    span.z0 = lf__park_ground(park, span.x0, span.y0);
    span.z1 = lf__park_ground(park, span.x1, span.y1);
    span.parts = lf__park_parts(park, (span.x1 - span.x0) / 3.0);
    add_span(park->maker, &span);
}

void lf__park_add_bridges(const lf__park *park) {
    span foot = {236, 118, 236, 190, 0, 0, 4.4, 1.4, lf__park_parts(park, 30)};
    foot.z0 = lf__park_ground(park, foot.x0, foot.y0);
    foot.z1 = lf__park_ground(park, foot.x1, foot.y1);
    double middle = lf__park_ground(park, 236, avenue_y(236)), line = 0.5 * (foot.z0 + foot.z1);
    foot.rise = middle + 4.4 > line + 2.5 ? middle + 4.4 - line : 2.5; // room to walk under it
    add_lake_bridge(park);
    add_span(park->maker, &foot);
}
