/// A plaza of hexagons with a bandstand, and trees.
#include "samples/park.h"
#include <math.h>

#define PLAZA_X 226.0
#define PLAZA_Y 216.0
#define PLAZA_RADIUS 15.0

/// A regular polygon, level, counter-clockwise from above; or from below.
static void add_disc(lf__maker *maker, const char *name, lf_vec3 centre, double radius, int sides,
                     bool from_below) {
    int64_t corners[16];
    for (int i = 0; i < sides; i++) {
        double turns = ((double)i + 0.5) / sides;
        corners[from_below ? sides - 1 - i : i] = lf__maker_vertex(
            maker, centre.x + radius * lf__cosine(turns), centre.y + radius * lf__sine(turns), centre.z);
    }
    lf__maker_polygon(maker, lf__maker_name(maker, name), corners, sides);
}

static void add_cone(lf__maker *maker, const char *name, lf_vec3 centre, double radius, double rise,
                     int sides) {
    int64_t first = maker->vertices.count;
    for (int i = 0; i < sides; i++) {
        double turns = ((double)i + 0.5) / sides;
        lf__maker_vertex(maker, centre.x + radius * lf__cosine(turns), centre.y + radius * lf__sine(turns),
                         centre.z);
    }
    int64_t tip = lf__maker_vertex(maker, centre.x, centre.y, centre.z + rise);
    for (int i = 0; i < sides; i++)
        lf__maker_triangle(maker, lf__maker_name(maker, name), first + i, first + (i + 1) % sides, tip);
}

/// Upright walls round a regular polygon, seen from outside.
static void add_tube(lf__maker *maker, const char *name, lf_vec3 centre, double radius, double rise,
                     int sides) {
    int64_t first = maker->vertices.count;
    for (int i = 0; i < sides; i++) {
        double turns = ((double)i + 0.5) / sides;
        double x = centre.x + radius * lf__cosine(turns), y = centre.y + radius * lf__sine(turns);
        lf__maker_vertex(maker, x, y, centre.z);
        lf__maker_vertex(maker, x, y, centre.z + rise);
    }
    for (int i = 0; i < sides; i++) {
        int64_t a = first + 2 * i, b = first + 2 * ((i + 1) % sides), corners[4] = {a, b, b + 1, a + 1};
        lf__maker_quad(maker, lf__maker_name(maker, name), corners);
    }
}

/// The plaza's corners lie on a lattice of triangles: (i, j) stands at i * (1, 0) + j * (1/2, sqrt(3)/2). Hexagon
/// middles are the lattice points with i - j divisible by three.
static void add_hexagon(const lf__park *park, double side, int64_t i, int64_t j, double z) {
    static const int64_t around[6][2] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};
    int64_t corners[6];
    for (int k = 0; k < 6; k++) {
        double a = (double)(i + around[k][0]), b = (double)(j + around[k][1]);
        corners[k] = lf__maker_vertex(park->maker, PLAZA_X + side * (a + 0.5 * b),
                                      PLAZA_Y + side * 0.8660254037844386 * b, z);
    }
    lf__maker_polygon(park->maker, lf__maker_name(park->maker, "plaza"), corners, 6);
}

void lf__park_add_plaza(const lf__park *park) {
    double side = 1.5 / park->detail, top = 0;
    for (double y = -PLAZA_RADIUS; y <= PLAZA_RADIUS; y += 3)
        for (double x = -PLAZA_RADIUS; x <= PLAZA_RADIUS; x += 3) {
            double z = lf__park_ground(park, PLAZA_X + x, PLAZA_Y + y);
            top = z > top ? z : top;
        }
    double z = top + 0.3;
    int64_t reach = lf__floor(2.4 * PLAZA_RADIUS / side);
    for (int64_t j = -reach; j <= reach; j++)
        for (int64_t i = -reach; i <= reach; i++) {
            double x = side * ((double)i + 0.5 * (double)j), y = side * 0.8660254037844386 * (double)j;
            if ((i - j) % 3 == 0 && x * x + y * y < PLAZA_RADIUS * PLAZA_RADIUS)
                add_hexagon(park, side, i, j, z);
        }
    lf_vec3 stage = {PLAZA_X, PLAZA_Y, z};
    add_tube(park->maker, "wall", stage, 4.2, 0.8, 8);
    stage.z += 0.8;
    add_disc(park->maker, "floor", stage, 4.2, 8, false);
    stage.z += 3.4;
    add_cone(park->maker, "roof", stage, 4.8, 1.8, 8);
}

/// Is there room for a tree: nothing but meadow about?
static bool is_free(const lf__park *park, double x, double y) {
    double dx = x - PLAZA_X, dy = y - PLAZA_Y, lake = lf__park_lake(park, x, y);
    return lake > 13 && fabs(lf__park_avenue(x, y)) > 6.5 && fabs(lf__park_loop(x, y)) > 5 &&
           lf__park_velodrome(x, y) > 6 && lf__park_house(park, x, y) > 8 &&
           dx * dx + dy * dy > (PLAZA_RADIUS + 5) * (PLAZA_RADIUS + 5) && fabs(x - 236) > 5 && x > 5 &&
           y > 5 && x < LF__PARK_WIDTH - 5 && y < LF__PARK_DEPTH - 5;
}

/// Groves: a tree stands where slow noise says wood, on a jittered lattice.
void lf__park_add_trees(const lf__park *park) {
    lf__maker *maker = park->maker;
    for (int64_t j = 0; j < 36; j++)
        for (int64_t i = 0; i < 48; i++) {
            uint64_t bits = lf__hash(park->seed + 11, i, j);
            double x = ((double)i + 0.15 + 0.7 * lf__unit(bits)) * (LF__PARK_WIDTH / 48);
            double y = ((double)j + 0.15 + 0.7 * lf__unit(bits << 20)) * (LF__PARK_DEPTH / 36);
            if (lf__noise(park->seed + 12, x / 48, y / 48).z < 0.42 || !is_free(park, x, y))
                continue;
            double size = 0.75 + 0.5 * lf__unit(bits << 40);
            lf_vec3 foot = {x, y, lf__park_ground(park, x, y) - 0.2}, crown = {x, y, foot.z + 2.2 * size};
            add_tube(maker, "tree", foot, 0.25 * size, 2.2 * size, 6);
            add_disc(maker, "tree", crown, 2.6 * size, 8, true);
            add_cone(maker, "tree", crown, 2.6 * size, 6.5 * size, 8);
        }
}
