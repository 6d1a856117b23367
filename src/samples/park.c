/// The plan of the park and its meadow.
#include "samples/park.h"
#include "samples/samples_split.h"
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

double lf__park_lake(const lf__park *park, double x, double y) {
    static const ellipse lake = {134, 170, 58, 40}, pond = {322, 74, 34, 24};
    double first = ellipse_field(park, &lake, x, y), second = ellipse_field(park, &pond, x, y);
    return first < second ? first : second;
}

/// A rounded rectangle along the border: q = (u^4 + v^4)^(1/4), made a distance by its slope.
double lf__park_loop(double x, double y) {
    double a = 184, b = 136, u = (x - 200) / a, v = (y - 150) / b;
    double p = u * u * u * u + v * v * v * v, q = sqrt(sqrt(p));
    if (!(q > 0.05))
        return -100;
    double scale = 1 / (q * q * q), dx = u * u * u * scale / a, dy = v * v * v * scale / b;
    return (q - 1) / sqrt(dx * dx + dy * dy);
}

double lf__park_avenue(double x, double y) {
    return (y - 152 - 0.06 * (x - 200)) / 1.0017983829094555;
}

double lf__park_velodrome(double x, double y) {
    double dx = x - LF__VELODROME_X, dy = y - LF__VELODROME_Y, s = LF__VELODROME_STRAIGHT;
    dx = dx > s ? dx - s : dx < -s ? dx + s : 0;
    return sqrt(dx * dx + dy * dy) - LF__VELODROME_RADIUS;
}

double lf__park_house(const lf__park *park, double x, double y) {
    const double *h = park->house;
    double dx = x < h[0] ? h[0] - x : x > h[2] ? x - h[2] : 0;
    double dy = y < h[1] ? h[1] - y : y > h[3] ? y - h[3] : 0;
    return sqrt(dx * dx + dy * dy);
}

/// Rolling ground that comes level towards lakes and buildings.
double lf__park_ground(const lf__park *park, double x, double y) {
    double z = 9.5 + 5.2 * lf__noise(park->seed + 3, x / 105, y / 105).z +
               1.5 * lf__noise(park->seed + 4, x / 41, y / 41).z +
               0.3 * lf__noise(park->seed + 5, x / 15, y / 15).z;
    double lake = lf__park_lake(park, x, y), shore = LAKE_LEVEL + 0.12 + 0.06 * (lake > 0 ? lake : 0);
    z = shore + (z - shore) * lf__smooth(0, 26, lake);
    z = LF__VELODROME_LEVEL + (z - LF__VELODROME_LEVEL) * lf__smooth(2, 24, lf__park_velodrome(x, y));
    return park->house_floor + (z - park->house_floor) * lf__smooth(3, 24, lf__park_house(park, x, y));
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
    double lake = lf__park_lake(park, x, y), avenue = lf__park_avenue(x, y), loop = lf__park_loop(x, y);
    lf__values values = {{0}};
    values.field[FIELD_LAKE] = lake;
    values.field[FIELD_SHORE_NEAR] = lake - 6.0;
    values.field[FIELD_SHORE_FAR] = lake - 6.0 - 2 * PATH_HALF;
    values.field[FIELD_SOUTH] = avenue + AVENUE_HALF;
    values.field[FIELD_NORTH] = avenue - AVENUE_HALF;
    values.field[FIELD_INNER] = loop + PATH_HALF;
    values.field[FIELD_OUTER] = loop - PATH_HALF;
    values.field[FIELD_WALL] = lf__park_velodrome(x, y) + 0.8; // the ground reaches a little under the wall
    return values;
}

/// Grid vertices are shifted a little, so that the meadow looks surveyed rather than ruled; not on the border, and not
/// at the house, whose walls stand on lines of the grid.
static void add_vertex(const lf__park *park, lf__fields *fields, int64_t i, int64_t j) {
    double wide = LF__PARK_WIDTH / (double)park->columns, deep = LF__PARK_DEPTH / (double)park->rows;
    double x = (double)i * wide, y = (double)j * deep;
    bool border = i == 0 || j == 0 || i == park->columns || j == park->rows;
    if (!border && lf__park_house(park, x, y) > 0.5 * park->cell) {
        uint64_t bits = lf__hash(park->seed + 9, i, j);
        x += 0.44 * wide * (lf__unit(bits) - 0.5);
        y += 0.44 * deep * (lf__unit(bits << 24) - 0.5);
    }
    lf__maker_vertex(park->maker, x, y, lf__park_ground(park, x, y));
    lf__values values = values_at(park, x, y);
    lf__fields_add(fields, &values);
}

#define USER_FLOOR ((int64_t)1 << LF__FIELDS)

static void add_cell(const lf__park *park, int64_t i, int64_t j) {
    int64_t across = park->columns + 1, a = j * across + i, b = a + 1, c = b + across, d = a + across;
    double x = ((double)i + 0.5) * LF__PARK_WIDTH / (double)park->columns;
    double y = ((double)j + 0.5) * LF__PARK_DEPTH / (double)park->rows;
    if (lf__park_house(park, x, y) <= 0) {
        int64_t corners[4] = {a, b, c, d};
        lf__maker_quad(park->maker, USER_FLOOR, corners);
    } else if ((i + j) % 2) {
        lf__maker_triangle(park->maker, 0, a, b, c);
        lf__maker_triangle(park->maker, 0, a, c, d);
    } else {
        lf__maker_triangle(park->maker, 0, a, b, d);
        lf__maker_triangle(park->maker, 0, b, c, d);
    }
}

/// The name of a piece of ground by the sides of the fields it lies on; -1 where there is none.
static int64_t ground_name(lf__maker *maker, uint64_t sides) {
    bool on[LF__FIELDS];
    for (int k = 0; k < LF__FIELDS; k++)
        on[k] = sides >> k & 1;
    if (sides & (uint64_t)USER_FLOOR)
        return lf__maker_name(maker, "floor");
    if (!on[FIELD_LAKE] || !on[FIELD_WALL])
        return -1;
    bool shore = on[FIELD_SHORE_NEAR] && !on[FIELD_SHORE_FAR], avenue = on[FIELD_SOUTH] && !on[FIELD_NORTH];
    bool loop = on[FIELD_INNER] && !on[FIELD_OUTER];
    return lf__maker_name(maker, shore || avenue || loop ? "path" : "meadow");
}

/// Turn sides into names and leave out water and what the velodrome stands on.
static void name_ground(lf__maker *maker) {
    lf__maker named = {.allocator = maker->allocator};
    lf__maker_reserve(&named, 0, lf__maker_count(maker), maker->corners.count);
    const int64_t *starts = maker->starts.items, *corners = maker->corners.items;
    const uint64_t *users = maker->users.items;
    for (int64_t i = 0; i < lf__maker_count(maker) && maker->status == LF_OK; i++) {
        int64_t name = ground_name(maker, users[i]);
        if (name >= 0)
            lf__maker_polygon(&named, name, corners + starts[i], starts[i + 1] - starts[i]);
    }
    maker->status = maker->status == LF_OK ? named.status : maker->status;
    lf__array_free(&maker->users, &maker->allocator, sizeof(uint64_t));
    lf__array_free(&maker->corners, &maker->allocator, sizeof(int64_t));
    lf__array_free(&maker->starts, &maker->allocator, sizeof(int64_t));
    maker->users = named.users;
    maker->corners = named.corners;
    maker->starts = named.starts;
}

void lf__park_add_meadow(const lf__park *park) {
    lf__fields fields = {.maker = park->maker, .snap = 0.06 * park->cell};
    lf__fields_reserve(&fields, (park->columns + 1) * (park->rows + 1) * 5 / 4);
    lf__maker_name(park->maker, "meadow");
    for (int64_t j = 0; j <= park->rows; j++)
        for (int64_t i = 0; i <= park->columns; i++)
            add_vertex(park, &fields, i, j);
    for (int64_t j = 0; j < park->rows; j++)
        for (int64_t i = 0; i < park->columns; i++)
            add_cell(park, i, j);
    for (int k = FIELD_LAKE; k <= FIELD_WALL; k++)
        lf__fields_split(&fields, k);
    name_ground(park->maker);
    lf__fields_drop(&fields);
}

/// The nearest line between cells.
static double on_line(double at, double size, int64_t cells) {
    return (double)lf__floor(at * (double)cells / size + 0.5) * size / (double)cells;
}

static void add_all(lf__maker *maker, uint64_t seed, double detail) {
    lf__park park = {
        .maker = maker, .seed = seed, .detail = detail, .cell = 6.2 / detail, .house_floor = 10.0};
    park.columns = lf__floor(LF__PARK_WIDTH / park.cell + 0.5);
    park.rows = lf__floor(LF__PARK_DEPTH / park.cell + 0.5);
    park.house[0] = on_line(268, LF__PARK_WIDTH, park.columns);
    park.house[1] = on_line(196, LF__PARK_DEPTH, park.rows);
    park.house[2] = on_line(328, LF__PARK_WIDTH, park.columns);
    park.house[3] = on_line(236, LF__PARK_DEPTH, park.rows);
    lf__park_add_meadow(&park);
    lf__park_add_bridges(&park);
    lf__park_add_house(&park);
    lf__park_add_velodrome(&park);
    lf__park_add_plaza(&park);
    lf__park_add_trees(&park);
}

/// Polygons grow nearly with the square of the detail: a few tries come close from below, and cutting corners off
/// polygons makes up the rest. Parts come in whole numbers, so where 3 percent cannot be met, 12 will do.
void lf__make_park(lf__maker *maker, uint64_t seed, int64_t count) {
    double detail = sqrt((double)count / 13346.0);
    lf__maker_reserve(maker, count + count / 4, count, 4 * count);
    for (int attempt = 0; attempt < 16; attempt++) {
        double least = attempt < 5 ? 0.97 : 0.88, aim = attempt < 5 ? 1.0 : 0.94;
        add_all(maker, lf__hash(0x7061726bu, (int64_t)seed, 0), detail);
        int64_t made = lf__maker_count(maker);
        if (maker->status != LF_OK || (made <= count && (double)made > least * (double)count) ||
            attempt == 15)
            break;
        detail *= sqrt(aim * (double)count / (double)made) * (made > count ? 0.995 : 1.0);
        lf__maker_clear(maker);
    }
    lf__maker_cut_to(maker, count);
}
