/// The house: three storeys with floors, stairs, a ramp, walls with doors, and a pitched roof.
#include "samples/park.h"

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
    lf__maker_patch(house->park->maker, lf__maker_name(house->park->maker, name), &patch);
}

static void add_level_patch(const house *house, double west, double south, double east, double north,
                            double z) {
    lf_vec3 origin = {west, south, z}, one = {east - west, 0, 0}, two = {0, north - south, 0};
    add_patch(house, "floor", origin, one, two, 2.2);
}

/// An upper floor: four patches round the opening.
static void add_floor(const house *house, double z) {
    const double *well = house->well;
    add_level_patch(house, house->west, house->south, house->east, well[1], z);
    add_level_patch(house, house->west, well[1], well[0], well[3], z);
    add_level_patch(house, well[2], well[1], house->east, well[3], z);
    add_level_patch(house, house->west, well[3], house->east, house->north, z);
}

/// A flight of steps through the opening, from west to east: treads and the risers in front of them.
static void add_stairs(const house *house, double z) {
    lf__maker *maker = house->park->maker;
    int64_t name = lf__maker_name(maker, "stairs");
    const double *well = house->well;
    double tread = (well[2] - well[0]) / STEPS, riser = STOREY / STEPS;
    lf_vec3 across = {0, well[3] - well[1], 0};
    for (int i = 0; i < STEPS; i++) {
        double x = well[0] + i * tread, low = z + i * riser;
        lf__patch front = {{x, well[3], low}, {0, well[1] - well[3], 0}, {0, 0, riser}, 1, 1};
        lf__patch top = {{x, well[1], low + riser}, {tread, 0, 0}, across, 1, 1};
        lf__maker_patch(maker, name, &front);
        lf__maker_patch(maker, name, &top);
    }
}

/// A wall from a to b, seen from its right hand side; doors are gaps in the storey `door_storey`.
static void add_wall(const house *house, double ax, double ay, double bx, double by, int door_storey) {
    lf__maker *maker = house->park->maker;
    int64_t name = lf__maker_name(maker, "wall");
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
            lf__maker_patch(maker, name, &part);
        }
}

/// Two slopes with eaves, and the gables under them.
static void add_roof(const house *house) {
    lf__maker *maker = house->park->maker;
    double eaves = 1.2, z = house->level + STOREYS * STOREY, middle = 0.5 * (house->south + house->north);
    double half = middle - house->south, ridge = z + 0.42 * half, drop = z - 0.42 * eaves;
    double west = house->west - eaves, east = house->east + eaves;
    lf_vec3 along = {east - west, 0, 0}, back = {west - east, 0, 0};
    lf_vec3 up = {0, half + eaves, ridge - drop}, down = {0, -half - eaves, ridge - drop};
    add_patch(house, "roof", (lf_vec3){west, house->south - eaves, drop}, along, up, 2.6);
    add_patch(house, "roof", (lf_vec3){east, house->north + eaves, drop}, back, down, 2.6);
    int64_t name = lf__maker_name(maker, "wall");
    int64_t a = lf__maker_vertex(maker, house->east, house->south, z);
    int64_t b = lf__maker_vertex(maker, house->east, house->north, z);
    int64_t c = lf__maker_vertex(maker, house->east, middle, ridge);
    lf__maker_triangle(maker, name, a, b, c);
    a = lf__maker_vertex(maker, house->west, house->north, z);
    b = lf__maker_vertex(maker, house->west, house->south, z);
    c = lf__maker_vertex(maker, house->west, middle, ridge);
    lf__maker_triangle(maker, name, a, b, c);
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
