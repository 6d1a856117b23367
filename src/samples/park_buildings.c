/// Buildings of the park: a three-storey house and a velodrome.
#include "samples/sample_parts.h"

// ---------------------------------------------------------------------------------------------------
// The house: floors, stairs, a ramp, walls with doors, and a pitched roof
// ---------------------------------------------------------------------------------------------------

#define STOREY 3.6
#define STOREYS 3
#define STEPS 18

typedef struct house {
    const lf__park *park;
    double west, south, east, north, level;
    double well[4];     ///< the opening for the stairs: west, south, east, north
    int64_t wall_parts; ///< per 6 metres
} house;

static void add_patch(const house *house, const char *name, lf_vec3 origin, lf_vec3 one, lf_vec3 two,
                      double tile) {
    lf__patch patch = {origin, one, two, 1, 1};
    patch.ones = lf__park_parts(house->park, lf_vec3_length(one) / tile);
    patch.twos = lf__park_parts(house->park, lf_vec3_length(two) / tile);
    lf__builder_patch(house->park->builder, lf__builder_name(house->park->builder, name), &patch);
}

static void add_level_patch(const house *house, double west, double south, double east, double north,
                            double z) {
    lf_vec3 origin = {west, south, z}, one = {east - west, 0, 0}, two = {0, north - south, 0};
    add_patch(house, "floor", origin, one, two, 2.2);
}

/// An upper floor: four patches around the opening.
static void add_floor(const house *house, double z) {
    const double *well = house->well;
    add_level_patch(house, house->west, house->south, house->east, well[1], z);
    add_level_patch(house, house->west, well[1], well[0], well[3], z);
    add_level_patch(house, well[2], well[1], house->east, well[3], z);
    add_level_patch(house, house->west, well[3], house->east, house->north, z);
}

/// A flight of steps through the opening, from west to east: treads and the risers in front of them.
static void add_stairs(const house *house, double z) {
    lf__builder *builder = house->park->builder;
    int64_t name = lf__builder_name(builder, "stairs");
    const double *well = house->well;
    double tread = (well[2] - well[0]) / STEPS, riser = STOREY / STEPS;
    lf_vec3 across = {0, well[3] - well[1], 0};
    for (int i = 0; i < STEPS; i++) {
        double x = well[0] + i * tread, low = z + i * riser;
        lf__patch front = {{x, well[3], low}, {0, well[1] - well[3], 0}, {0, 0, riser}, 1, 1};
        lf__patch top = {{x, well[1], low + riser}, {tread, 0, 0}, across, 1, 1};
        lf__builder_patch(builder, name, &front);
        lf__builder_patch(builder, name, &top);
    }
}

/// A wall from a to b, seen from its right hand side; doors are gaps in the storey `door_storey`.
static void add_wall(const house *house, double ax, double ay, double bx, double by, int door_storey) {
    lf__builder *builder = house->park->builder;
    int64_t name = lf__builder_name(builder, "wall");
    lf_vec3 along = {bx - ax, by - ay, 0};
    int64_t parts = 2 * lf__park_parts(house->park, lf_vec3_length(along) / 8) + 1;
    for (int storey = 0; storey < STOREYS; storey++)
        for (int64_t i = 0; i < parts; i++) {
            if (storey == door_storey && i == parts / 2)
                continue;
            double t = (double)i / (double)parts;
            lf__patch part = {{ax + along.x * t, ay + along.y * t, house->level + storey * STOREY},
                              {along.x / (double)parts, along.y / (double)parts, 0},
                              {0, 0, STOREY},
                              1,
                              lf__park_parts(house->park, 2)};
            lf__builder_patch(builder, name, &part);
        }
}

/// Two slopes with eaves, and the gables under them.
static void add_roof(const house *house) {
    lf__builder *builder = house->park->builder;
    double eaves = 1.2, z = house->level + STOREYS * STOREY, middle = 0.5 * (house->south + house->north);
    double half = middle - house->south, ridge = z + 0.42 * half, drop = z - 0.42 * eaves;
    double west = house->west - eaves, east = house->east + eaves;
    lf_vec3 along = {east - west, 0, 0}, back = {west - east, 0, 0};
    lf_vec3 up = {0, half + eaves, ridge - drop}, down = {0, -half - eaves, ridge - drop};
    add_patch(house, "roof", (lf_vec3){west, house->south - eaves, drop}, along, up, 2.6);
    add_patch(house, "roof", (lf_vec3){east, house->north + eaves, drop}, back, down, 2.6);
    int64_t name = lf__builder_name(builder, "wall");
    int64_t a = lf__builder_vertex(builder, house->east, house->south, z);
    int64_t b = lf__builder_vertex(builder, house->east, house->north, z);
    int64_t c = lf__builder_vertex(builder, house->east, middle, ridge);
    lf__builder_triangle(builder, name, a, b, c);
    a = lf__builder_vertex(builder, house->west, house->north, z);
    b = lf__builder_vertex(builder, house->west, house->south, z);
    c = lf__builder_vertex(builder, house->west, middle, ridge);
    lf__builder_triangle(builder, name, a, b, c);
}

/// Outside along the south wall, up to a door in the first floor.
static void add_ramp(const house *house) {
    double middle = 0.5 * (house->west + house->east), length = 26, width = 2.6;
    lf_vec3 origin = {middle - 1.5 - length, house->south - width, house->level};
    add_patch(house, "ramp", origin, (lf_vec3){length, 0, STOREY}, (lf_vec3){0, width, 0}, 2.0);
    lf_vec3 landing = {middle - 1.5, house->south - width, house->level + STOREY};
    add_patch(house, "ramp", landing, (lf_vec3){4, 0, 0}, (lf_vec3){0, width, 0}, 2.0);
}

void lf__park_add_house(const lf__park *park) {
    const double *h = park->house;
    house house = {
        .park = park, .west = h[0], .south = h[1], .east = h[2], .north = h[3], .level = park->house_floor};
    double x = 0.5 * (h[0] + h[2]) - 12, y = h[1] + 0.62 * (h[3] - h[1]);
    house.well[0] = x;
    house.well[1] = y;
    house.well[2] = x + 6.0;
    house.well[3] = y + 3.0;
    for (int storey = 1; storey < STOREYS; storey++) {
        add_stairs(&house, house.level + (storey - 1) * STOREY);
        add_floor(&house, house.level + storey * STOREY);
    }
    add_wall(&house, house.west, house.south, house.east, house.south, 1);
    add_wall(&house, house.east, house.south, house.east, house.north, 0);
    add_wall(&house, house.east, house.north, house.west, house.north, 0);
    add_wall(&house, house.west, house.north, house.west, house.south, 0);
    add_ramp(&house);
    add_roof(&house);
}

// ---------------------------------------------------------------------------------------------------
// The velodrome: one profile swept around an oval of two straights and two half circles.
//
// The profile goes from the infield over the banked track and the stands to the top of the outer wall and
// down to the ground. It is the same all around, so every piece is a flat trapezium.
// ---------------------------------------------------------------------------------------------------

typedef struct oval {
    const lf__park *park;
    int64_t arc, straight, around; ///< parts of a half circle, of a straight, and of the whole
} oval;

/// Point number i at a distance from the oval's spine; i = 0 is the south end of the eastern half circle.
static void oval_point(const oval *oval, int64_t i, double radius, double *x, double *y) {
    double half = LF__VELODROME_STRAIGHT, side = 1;
    int64_t k = i % oval->around;
    if (k >= oval->arc + oval->straight) { // the second half is the first, rotated by half a turn
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
    int64_t first = oval->park->builder->vertices.count;
    for (int64_t i = 0; i < oval->around; i++) {
        double x, y;
        oval_point(oval, i, radius, &x, &y);
        lf__builder_vertex(oval->park->builder, x, y, LF__VELODROME_LEVEL + z);
    }
    return first;
}

static void add_band(const oval *oval, const char *name_text, int64_t inner, int64_t outer) {
    lf__builder *builder = oval->park->builder;
    int64_t name = lf__builder_name(builder, name_text);
    for (int64_t i = 0; i < oval->around; i++) {
        int64_t next = (i + 1) % oval->around;
        int64_t corners[4] = {inner + i, outer + i, outer + next, inner + next};
        lf__builder_quad(builder, name, corners);
    }
}

/// From the ring `inner` at (r0, z0) in `parts` bands to (r1, z1); returns the last ring.
static int64_t sweep(const oval *oval, const char *name_text, int64_t inner, const double from_to[4],
                     int64_t parts) {
    for (int64_t k = 1; k <= parts; k++) {
        double t = (double)k / (double)parts;
        int64_t outer = add_ring(oval, from_to[0] + (from_to[2] - from_to[0]) * t,
                                 from_to[1] + (from_to[3] - from_to[1]) * t);
        add_band(oval, name_text, inner, outer);
        inner = outer;
    }
    return inner;
}

/// The level infield: strips from the southern to the northern side that share the vertices of the inner ring
/// of the track.
static void add_infield(const oval *oval, int64_t ring) {
    lf__builder *builder = oval->park->builder;
    int64_t name = lf__builder_name(builder, "infield");
    int64_t half = oval->arc / 2, steps = 2 * half + oval->straight;
    int64_t upper = half, lower = half;
    for (int64_t k = 0; k < steps; k++) {
        int64_t next_upper = upper + 1, next_lower = (lower + oval->around - 1) % oval->around;
        int64_t corners[4] = {ring + lower, ring + upper, ring + next_upper, ring + next_lower};
        if (lower == upper)
            lf__builder_polygon(builder, name, corners + 1, 3);
        else if (next_lower == next_upper)
            lf__builder_polygon(builder, name, corners, 3);
        else
            lf__builder_quad(builder, name, corners);
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
