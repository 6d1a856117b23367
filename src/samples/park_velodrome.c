/// The velodrome: one profile swept round an oval of two straights and two half circles.
///
/// The profile goes from the infield over the banked track and the stands to the top of the outer wall and down to the
/// ground. It is the same all round, so every piece is a flat trapezium.
#include "samples/park.h"

typedef struct oval {
    const lf__park *park;
    int64_t arc, straight, around; ///< parts of a half circle, of a straight, and of the whole
} oval;

/// Point number i at a distance from the oval's spine; i = 0 is the south end of the eastern half circle.
static void oval_point(const oval *oval, int64_t i, double radius, double *x, double *y) {
    double half = LF__VELODROME_STRAIGHT, side = 1;
    int64_t k = i % oval->around;
    if (k >= oval->arc + oval->straight) { // the second half is the first, turned by half a turn
        k -= oval->arc + oval->straight;
        side = -1;
    }
    double px, py;
    if (k <= oval->arc) {
        double turns = 0.5 * (double)k / (double)oval->arc - 0.25;
        px = half + radius * lf__cosine(turns);
        py = radius * lf__sine(turns);
    } else {
        px = half - 2 * half * (double)(k - oval->arc) / (double)oval->straight;
        py = radius;
    }
    *x = LF__VELODROME_X + side * px;
    *y = LF__VELODROME_Y + side * py;
}

/// A ring of vertices; returns the first.
static int64_t add_ring(const oval *oval, double radius, double z) {
    int64_t first = oval->park->maker->vertices.count;
    for (int64_t i = 0; i < oval->around; i++) {
        double x, y;
        oval_point(oval, i, radius, &x, &y);
        lf__maker_vertex(oval->park->maker, x, y, LF__VELODROME_LEVEL + z);
    }
    return first;
}

static void add_band(const oval *oval, const char *word, int64_t inner, int64_t outer) {
    lf__maker *maker = oval->park->maker;
    int64_t name = lf__maker_name(maker, word);
    for (int64_t i = 0; i < oval->around; i++) {
        int64_t next = (i + 1) % oval->around;
        int64_t corners[4] = {inner + i, outer + i, outer + next, inner + next};
        lf__maker_quad(maker, name, corners);
    }
}

/// From the ring `inner` at (r0, z0) in `parts` bands to (r1, z1); returns the last ring.
static int64_t sweep(const oval *oval, const char *word, int64_t inner, const double from_to[4],
                     int64_t parts) {
    for (int64_t k = 1; k <= parts; k++) {
        double t = (double)k / (double)parts;
        int64_t outer = add_ring(oval, from_to[0] + (from_to[2] - from_to[0]) * t,
                                 from_to[1] + (from_to[3] - from_to[1]) * t);
        add_band(oval, word, inner, outer);
        inner = outer;
    }
    return inner;
}

/// The level infield: strips from the southern to the northern side, sharing the vertices of the track's inner ring.
static void add_infield(const oval *oval, int64_t ring) {
    lf__maker *maker = oval->park->maker;
    int64_t name = lf__maker_name(maker, "infield");
    int64_t half = oval->arc / 2, steps = 2 * half + oval->straight;
    int64_t upper = half, lower = half;
    for (int64_t k = 0; k < steps; k++) {
        int64_t next_upper = upper + 1, next_lower = (lower + oval->around - 1) % oval->around;
        int64_t corners[4] = {ring + lower, ring + upper, ring + next_upper, ring + next_lower};
        if (lower == upper)
            lf__maker_polygon(maker, name, corners + 1, 3);
        else if (next_lower == next_upper)
            lf__maker_polygon(maker, name, corners, 3);
        else
            lf__maker_quad(maker, name, corners);
        upper = next_upper;
        lower = next_lower;
    }
}

void lf__park_add_velodrome(const lf__park *park) {
    oval oval = {.park = park, .arc = 2 * lf__park_parts(park, 20), .straight = lf__park_parts(park, 16)};
    oval.around = 2 * (oval.arc + oval.straight);
    double apron[4] = {17.5, 0, 19.5, 0}, bank[4] = {19.5, 0, 26.5, 4.2};
    int64_t ring = add_ring(&oval, apron[0], apron[1]);
    add_infield(&oval, ring);
    ring = sweep(&oval, "apron", ring, apron, 1);
    ring = sweep(&oval, "track", ring, bank, lf__park_parts(park, 6));
    double radius = bank[2], z = bank[3];
    for (int step = 0; step < 4; step++) {
        double riser[4] = {radius, z, radius, z + 0.5}, tread[4] = {radius, z + 0.5, radius + 1.5, z + 0.5};
        ring = sweep(&oval, "wall", ring, riser, 1);
        ring = sweep(&oval, "stand", ring, tread, 1);
        radius += 1.5;
        z += 0.5;
    }
    double parapet[4] = {radius, z, radius, z + 3}, crown[4] = {radius, z + 3, LF__VELODROME_RADIUS, z + 3};
    double outside[4] = {LF__VELODROME_RADIUS, z + 3, LF__VELODROME_RADIUS, -1.0};
    ring = sweep(&oval, "wall", ring, parapet, 1);
    ring = sweep(&oval, "roof", ring, crown, 1);
    sweep(&oval, "wall", ring, outside, lf__park_parts(park, 2));
    double shelter[4] = {27.5, z + 4.2, LF__VELODROME_RADIUS + 0.6, z + 3.4};
    int64_t rim = add_ring(&oval, shelter[0], shelter[1]);
    sweep(&oval, "roof", rim, shelter, lf__park_parts(park, 2));
}
