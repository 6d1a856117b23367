/// The park: its plan, meadow, bridges, plaza and trees.
#include "samples/sample_parts.h"
#include <math.h>

#define LAKE_LEVEL 4.0
#define PATH_HALF 1.7
#define AVENUE_HALF 2.4

typedef struct ellipse {
    double x, y, a, b;
} ellipse;

static double ellipse_field(const lf__park *park, const ellipse *e, double x, double y) {
    double u = (x - e->x) / e->a, v = (y - e->y) / e->b, q = sqrt(u * u + v * v);
    double wobble = 0.17 * lf__noise(park->seed + 1, x / 34, y / 34).z +
                    0.05 * lf__noise(park->seed + 2, x / 13, y / 13).z;
    return (q - 1 + wobble) * (e->a < e->b ? e->a : e->b);
}

/// The distance in metres to the shore of the lakes, negative in the water; the other distances likewise.
static double park_lake(const lf__park *park, double x, double y) {
    static const ellipse lake = {134, 170, 58, 40}, pond = {322, 74, 34, 24};
    double first = ellipse_field(park, &lake, x, y), second = ellipse_field(park, &pond, x, y);
    return first < second ? first : second;
}

/// A rounded rectangle along the border: q = (u^4 + v^4)^(1/4), divided by its slope to make it a distance.
static double park_loop(double x, double y) {
    double a = 184, b = 136, u = (x - 200) / a, v = (y - 150) / b;
    double p = u * u * u * u + v * v * v * v, q = sqrt(sqrt(p));
    if (!(q > 0.05))
        return -100;
    double scale = 1 / (q * q * q), dx = u * u * u * scale / a, dy = v * v * v * scale / b;
    return (q - 1) / sqrt(dx * dx + dy * dy);
}

static double park_avenue(double x, double y) {
    return (y - 152 - 0.06 * (x - 200)) / 1.0017983829094555;
}

static double park_velodrome(double x, double y) {
    double dx = x - LF__VELODROME_X, dy = y - LF__VELODROME_Y, s = LF__VELODROME_STRAIGHT;
    dx = dx > s ? dx - s : dx < -s ? dx + s : 0;
    return sqrt(dx * dx + dy * dy) - LF__VELODROME_RADIUS;
}

static double park_house(const lf__park *park, double x, double y) {
    const double *h = park->house;
    double dx = x < h[0] ? h[0] - x : x > h[2] ? x - h[2] : 0;
    double dy = y < h[1] ? h[1] - y : y > h[3] ? y - h[3] : 0;
    return sqrt(dx * dx + dy * dy);
}

/// The height of the ground: rolling, and level near lakes and buildings.
static double park_ground(const lf__park *park, double x, double y) {
    double z = 9.5 + 5.2 * lf__noise(park->seed + 3, x / 105, y / 105).z +
               1.5 * lf__noise(park->seed + 4, x / 41, y / 41).z +
               0.3 * lf__noise(park->seed + 5, x / 15, y / 15).z;
    double lake = park_lake(park, x, y), shore = LAKE_LEVEL + 0.12 + 0.06 * (lake > 0 ? lake : 0);
    z = shore + (z - shore) * lf__smooth(0, 26, lake);
    z = LF__VELODROME_LEVEL + (z - LF__VELODROME_LEVEL) * lf__smooth(2, 24, park_velodrome(x, y));
    return park->house_floor + (z - park->house_floor) * lf__smooth(3, 24, park_house(park, x, y));
}

enum {
    FIELD_LAKE,
    FIELD_SHORE_NEAR,
    FIELD_SHORE_FAR,
    FIELD_SOUTH,
    FIELD_NORTH,
    FIELD_INNER,
    FIELD_OUTER,
    FIELD_WALL
};

static lf__values values_at(const lf__park *park, double x, double y) {
    double lake = park_lake(park, x, y), avenue = park_avenue(x, y), loop = park_loop(x, y);
    lf__values values = {{0}};
    values.field[FIELD_LAKE] = lake;
    values.field[FIELD_SHORE_NEAR] = lake - 6.0;
    values.field[FIELD_SHORE_FAR] = lake - 6.0 - 2 * PATH_HALF;
    values.field[FIELD_SOUTH] = avenue + AVENUE_HALF;
    values.field[FIELD_NORTH] = avenue - AVENUE_HALF;
    values.field[FIELD_INNER] = loop + PATH_HALF;
    values.field[FIELD_OUTER] = loop - PATH_HALF;
    values.field[FIELD_WALL] = park_velodrome(x, y) + 0.8; // the ground reaches a little under the wall
    return values;
}

/// Grid vertices are shifted a little, so that the meadow looks surveyed; not on the border, and not at the
/// house, whose walls stand on lines of the grid.
static void add_vertex(const lf__park *park, lf__fields *fields, int64_t i, int64_t j) {
    double wide = LF__PARK_WIDTH / (double)park->columns, deep = LF__PARK_DEPTH / (double)park->rows;
    double x = (double)i * wide, y = (double)j * deep;
    bool border = i == 0 || j == 0 || i == park->columns || j == park->rows;
    if (!border && park_house(park, x, y) > 0.5 * park->cell) {
        uint64_t bits = lf__hash(park->seed + 9, i, j);
        x += 0.44 * wide * (lf__unit(bits) - 0.5);
        y += 0.44 * deep * (lf__unit(bits << 24) - 0.5);
    }
    lf__builder_vertex(park->builder, x, y, park_ground(park, x, y));
    lf__values values = values_at(park, x, y);
    lf__fields_add(fields, &values);
}

#define USER_FLOOR ((int64_t)1 << LF__FIELDS)

static void add_cell(const lf__park *park, int64_t i, int64_t j) {
    int64_t across = park->columns + 1, a = j * across + i, b = a + 1, c = b + across, d = a + across;
    double x = ((double)i + 0.5) * LF__PARK_WIDTH / (double)park->columns;
    double y = ((double)j + 0.5) * LF__PARK_DEPTH / (double)park->rows;
    if (park_house(park, x, y) <= 0) {
        int64_t corners[4] = {a, b, c, d};
        lf__builder_quad(park->builder, USER_FLOOR, corners);
    } else if ((i + j) % 2) {
        lf__builder_triangle(park->builder, 0, a, b, c);
        lf__builder_triangle(park->builder, 0, a, c, d);
    } else {
        lf__builder_triangle(park->builder, 0, a, b, d);
        lf__builder_triangle(park->builder, 0, b, c, d);
    }
}

/// The name of a piece of ground by the sides of the fields it lies on; -1 for water and for what the
/// velodrome covers.
static int64_t ground_name(lf__builder *builder, uint64_t sides) {
    bool on[LF__FIELDS];
    for (int k = 0; k < LF__FIELDS; k++)
        on[k] = sides >> k & 1;
    if (sides & (uint64_t)USER_FLOOR)
        return lf__builder_name(builder, "floor");
    if (!on[FIELD_LAKE] || !on[FIELD_WALL])
        return -1;
    bool shore = on[FIELD_SHORE_NEAR] && !on[FIELD_SHORE_FAR], avenue = on[FIELD_SOUTH] && !on[FIELD_NORTH];
    bool loop = on[FIELD_INNER] && !on[FIELD_OUTER];
    return lf__builder_name(builder, shore || avenue || loop ? "path" : "meadow");
}

/// Turn sides into names and leave out water and what the velodrome stands on.
static void name_ground(lf__builder *builder) {
    lf__builder named = {.allocator = builder->allocator};
    lf__builder_reserve(&named, 0, lf__builder_count(builder), builder->corners.count);
    const int64_t *starts = builder->starts.items, *corners = builder->corners.items;
    const uint64_t *users = builder->users.items;
    for (int64_t i = 0; i < lf__builder_count(builder) && builder->status == LF_OK; i++) {
        int64_t name = ground_name(builder, users[i]);
        if (name >= 0)
            lf__builder_polygon(&named, name, corners + starts[i], starts[i + 1] - starts[i]);
    }
    builder->status = builder->status == LF_OK ? named.status : builder->status;
    lf__array_free(&builder->users, &builder->allocator, sizeof(uint64_t));
    lf__array_free(&builder->corners, &builder->allocator, sizeof(int64_t));
    lf__array_free(&builder->starts, &builder->allocator, sizeof(int64_t));
    builder->users = named.users;
    builder->corners = named.corners;
    builder->starts = named.starts;
}

static void add_meadow(const lf__park *park) {
    lf__fields fields = {.builder = park->builder, .snap = 0.06 * park->cell};
    lf__fields_reserve(&fields, (park->columns + 1) * (park->rows + 1) * 5 / 4);
    lf__builder_name(park->builder, "meadow");
    for (int64_t j = 0; j <= park->rows; j++)
        for (int64_t i = 0; i <= park->columns; i++)
            add_vertex(park, &fields, i, j);
    for (int64_t j = 0; j < park->rows; j++)
        for (int64_t i = 0; i < park->columns; i++)
            add_cell(park, i, j);
    for (int k = FIELD_LAKE; k <= FIELD_WALL; k++)
        lf__fields_split(&fields, k);
    name_ground(park->builder);
    lf__fields_drop(&fields);
}

// ---------------------------------------------------------------------------------------------------
// Bridges: one carries the avenue over the lake, one a footpath over the avenue
// ---------------------------------------------------------------------------------------------------

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

/// Four vertices across the deck at t: right rail, right edge, left edge, left rail, as seen from the start
/// towards the end.
static int64_t add_section(lf__builder *builder, const span *span, double t, double rail) {
    double dx = span->x1 - span->x0, dy = span->y1 - span->y0, length = sqrt(dx * dx + dy * dy);
    double x = span->x0 + dx * t, y = span->y0 + dy * t, z = deck_height(span, t);
    double right_x = dy / length * span->half, right_y = -dx / length * span->half;
    int64_t first = lf__builder_vertex(builder, x + right_x, y + right_y, z + rail);
    lf__builder_vertex(builder, x + right_x, y + right_y, z);
    lf__builder_vertex(builder, x - right_x, y - right_y, z);
    lf__builder_vertex(builder, x - right_x, y - right_y, z + rail);
    return first;
}

static void add_span(lf__builder *builder, const span *span) {
    int64_t deck = lf__builder_name(builder, "bridge"), rail = lf__builder_name(builder, "rail");
    int64_t last = add_section(builder, span, 0, 1.1);
    for (int64_t i = 1; i <= span->parts; i++) {
        int64_t next = add_section(builder, span, (double)i / (double)span->parts, 1.1);
        int64_t floor[4] = {last + 1, next + 1, next + 2, last + 2};
        int64_t right[4] = {last + 1, last, next, next + 1},
                left[4] = {last + 2, next + 2, next + 3, last + 3};
        lf__builder_quad(builder, deck, floor);
        lf__builder_quad(builder, rail, right);
        lf__builder_quad(builder, rail, left);
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
        if (park_lake(park, x, avenue_y(x)) < 1.0) {
            west = x < west ? x : west;
            east = x > east ? x : east;
        }
    if (!(west < east))
        return;
    span span = {west - 6, avenue_y(west - 6), east + 6, avenue_y(east + 6), 0, 0, 3.2, 2.4, 0};
    span.z0 = park_ground(park, span.x0, span.y0);
    span.z1 = park_ground(park, span.x1, span.y1);
    span.parts = lf__park_parts(park, (span.x1 - span.x0) / 3.0);
    add_span(park->builder, &span);
}

static void add_bridges(const lf__park *park) {
    span foot = {236, 118, 236, 190, 0, 0, 4.4, 1.4, lf__park_parts(park, 30)};
    foot.z0 = park_ground(park, foot.x0, foot.y0);
    foot.z1 = park_ground(park, foot.x1, foot.y1);
    double middle = park_ground(park, 236, avenue_y(236)), line = 0.5 * (foot.z0 + foot.z1);
    foot.rise = middle + 4.4 > line + 2.5 ? middle + 4.4 - line : 2.5; // headroom
    add_lake_bridge(park);
    add_span(park->builder, &foot);
}

// ---------------------------------------------------------------------------------------------------
// A plaza of hexagons with a bandstand, and trees
// ---------------------------------------------------------------------------------------------------

#define PLAZA_X 226.0
#define PLAZA_Y 216.0
#define PLAZA_RADIUS 15.0

/// A regular polygon, level, counter-clockwise from above; or from below.
static void add_disc(lf__builder *builder, const char *name, lf_vec3 centre, double radius, int sides,
                     bool from_below) {
    int64_t corners[16];
    for (int i = 0; i < sides; i++) {
        double turns = ((double)i + 0.5) / sides;
        corners[from_below ? sides - 1 - i : i] = lf__builder_vertex(
            builder, centre.x + radius * lf__cosine(turns), centre.y + radius * lf__sine(turns), centre.z);
    }
    lf__builder_polygon(builder, lf__builder_name(builder, name), corners, sides);
}

static void add_cone(lf__builder *builder, const char *name, lf_vec3 centre, double radius, double rise,
                     int sides) {
    int64_t first = builder->vertices.count;
    for (int i = 0; i < sides; i++) {
        double turns = ((double)i + 0.5) / sides;
        lf__builder_vertex(builder, centre.x + radius * lf__cosine(turns),
                           centre.y + radius * lf__sine(turns), centre.z);
    }
    int64_t tip = lf__builder_vertex(builder, centre.x, centre.y, centre.z + rise);
    for (int i = 0; i < sides; i++)
        lf__builder_triangle(builder, lf__builder_name(builder, name), first + i, first + (i + 1) % sides,
                             tip);
}

/// Upright walls around a regular polygon, facing outwards.
static void add_tube(lf__builder *builder, const char *name, lf_vec3 centre, double radius, double rise,
                     int sides) {
    int64_t first = builder->vertices.count;
    for (int i = 0; i < sides; i++) {
        double turns = ((double)i + 0.5) / sides;
        double x = centre.x + radius * lf__cosine(turns), y = centre.y + radius * lf__sine(turns);
        lf__builder_vertex(builder, x, y, centre.z);
        lf__builder_vertex(builder, x, y, centre.z + rise);
    }
    for (int i = 0; i < sides; i++) {
        int64_t a = first + 2 * i, b = first + 2 * ((i + 1) % sides), corners[4] = {a, b, b + 1, a + 1};
        lf__builder_quad(builder, lf__builder_name(builder, name), corners);
    }
}

/// The plaza's corners lie on a lattice of triangles: (i, j) stands at i * (1, 0) + j * (1/2, sqrt(3)/2).
/// Hexagon middles are the lattice points with i - j divisible by three.
static void add_hexagon(const lf__park *park, double side, int64_t i, int64_t j, double z) {
    static const int64_t around[6][2] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};
    int64_t corners[6];
    for (int k = 0; k < 6; k++) {
        double a = (double)(i + around[k][0]), b = (double)(j + around[k][1]);
        corners[k] = lf__builder_vertex(park->builder, PLAZA_X + side * (a + 0.5 * b),
                                        PLAZA_Y + side * 0.8660254037844386 * b, z);
    }
    lf__builder_polygon(park->builder, lf__builder_name(park->builder, "plaza"), corners, 6);
}

static void add_plaza(const lf__park *park) {
    double side = 1.5 / park->detail, top = 0;
    for (double y = -PLAZA_RADIUS; y <= PLAZA_RADIUS; y += 3)
        for (double x = -PLAZA_RADIUS; x <= PLAZA_RADIUS; x += 3) {
            double z = park_ground(park, PLAZA_X + x, PLAZA_Y + y);
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
    add_tube(park->builder, "wall", stage, 4.2, 0.8, 8);
    stage.z += 0.8;
    add_disc(park->builder, "floor", stage, 4.2, 8, false);
    stage.z += 3.4;
    add_cone(park->builder, "roof", stage, 4.8, 1.8, 8);
}

/// Whether a tree may stand here: only meadow around it.
static bool is_free(const lf__park *park, double x, double y) {
    double dx = x - PLAZA_X, dy = y - PLAZA_Y, lake = park_lake(park, x, y);
    return lake > 13 && fabs(park_avenue(x, y)) > 6.5 && fabs(park_loop(x, y)) > 5 &&
           park_velodrome(x, y) > 6 && park_house(park, x, y) > 8 &&
           dx * dx + dy * dy > (PLAZA_RADIUS + 5) * (PLAZA_RADIUS + 5) && fabs(x - 236) > 5 && x > 5 &&
           y > 5 && x < LF__PARK_WIDTH - 5 && y < LF__PARK_DEPTH - 5;
}

/// Groves: trees stand where slow noise is high, on a jittered lattice.
static void add_trees(const lf__park *park) {
    lf__builder *builder = park->builder;
    for (int64_t j = 0; j < 36; j++)
        for (int64_t i = 0; i < 48; i++) {
            uint64_t bits = lf__hash(park->seed + 11, i, j);
            double x = ((double)i + 0.15 + 0.7 * lf__unit(bits)) * (LF__PARK_WIDTH / 48);
            double y = ((double)j + 0.15 + 0.7 * lf__unit(bits << 20)) * (LF__PARK_DEPTH / 36);
            if (lf__noise(park->seed + 12, x / 48, y / 48).z < 0.42 || !is_free(park, x, y))
                continue;
            double size = 0.75 + 0.5 * lf__unit(bits << 40);
            lf_vec3 foot = {x, y, park_ground(park, x, y) - 0.2}, crown = {x, y, foot.z + 2.2 * size};
            add_tube(builder, "tree", foot, 0.25 * size, 2.2 * size, 6);
            add_disc(builder, "tree", crown, 2.6 * size, 8, true);
            add_cone(builder, "tree", crown, 2.6 * size, 6.5 * size, 8);
        }
}

// ---------------------------------------------------------------------------------------------------
// The whole park
// ---------------------------------------------------------------------------------------------------

/// The nearest line between cells.
static double on_line(double at, double size, int64_t cells) {
    return (double)lf__floor(at * (double)cells / size + 0.5) * size / (double)cells;
}

static void add_all(lf__builder *builder, uint64_t seed, double detail) {
    lf__park park = {
        .builder = builder, .seed = seed, .detail = detail, .cell = 6.2 / detail, .house_floor = 10.0};
    park.columns = lf__floor(LF__PARK_WIDTH / park.cell + 0.5);
    park.rows = lf__floor(LF__PARK_DEPTH / park.cell + 0.5);
    park.house[0] = on_line(268, LF__PARK_WIDTH, park.columns);
    park.house[1] = on_line(196, LF__PARK_DEPTH, park.rows);
    park.house[2] = on_line(328, LF__PARK_WIDTH, park.columns);
    park.house[3] = on_line(236, LF__PARK_DEPTH, park.rows);
    add_meadow(&park);
    add_bridges(&park);
    lf__park_add_house(&park);
    lf__park_add_velodrome(&park);
    add_plaza(&park);
    add_trees(&park);
}

/// Polygons grow nearly with the square of the detail: a few attempts come close from below, and corners cut
/// off polygons add the rest. Parts come in whole numbers, so where 3 percent cannot be met, 12 are accepted.
void lf__make_park(lf__builder *builder, uint64_t seed, int64_t count) {
    double detail = sqrt((double)count / 13346.0);
    lf__builder_reserve(builder, count + count / 4, count, 4 * count);
    for (int attempt = 0; attempt < 16; attempt++) {
        double least = attempt < 5 ? 0.97 : 0.88, aim = attempt < 5 ? 1.0 : 0.94;
        add_all(builder, lf__hash(0x7061726bu, (int64_t)seed, 0), detail);
        int64_t made = lf__builder_count(builder);
        if (builder->status != LF_OK || (made <= count && (double)made > least * (double)count) ||
            attempt == 15)
            break;
        detail *= sqrt(aim * (double)count / (double)made) * (made > count ? 0.995 : 1.0);
        lf__builder_clear(builder);
    }
    lf__builder_cut_to(builder, count);
}
