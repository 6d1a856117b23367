/// A generated city on hills, as the parts of a world file: a raster, footprints of buildings, a bridge, and the world file itself.
#include "samples/sample_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 60.0    // metres from street to street
#define SPACING 5.0   // of the raster
#define MARGIN 60.0   // without buildings along the border
#define BANK 30.0     // metres from the middle of the river to its banks
#define SLOPES 110.0  // and to where its valley ends
#define WATER 20.0    // height of the river
#define SEGMENTS 24   // of the bridge
#define REACH 105.0   // of the bridge, to either side of the river's middle
#define HALF_DECK 5.0 // half its width

struct lf_made_city {
    lf_allocator allocator;
    double side; ///< metres
    lf_made_heights *made;
    lf__array heights;   ///< float
    lf__array vertices;  ///< lf_vec3, of the bridge
    lf__array corners;   ///< int64_t, triangles
    lf__array buildings; ///< char, ended by NUL
    lf__array world;     ///< likewise
    lf_heights raster;
    int64_t building_count;
};

// ---------------------------------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------------------------------

static lf_status append_text(lf_made_city *city, lf__array *text, const char *format, ...) LF_PRINTF(3, 4);

static lf_status append_text(lf_made_city *city, lf__array *text, const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    lf__format(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t length = strlen(line);
    lf_status status = lf__array_reserve(text, &city->allocator, (int64_t)length + 1, 1);
    if (status != LF_OK)
        return status;
    memcpy((char *)text->items + text->count, line, length + 1);
    text->count += (int64_t)length;
    return LF_OK;
}

/// Whole centimetres, which every locale writes alike.
typedef struct centimetres {
    long long metres;
    int rest;
} centimetres;

static centimetres in_centimetres(double metres) {
    int64_t all = lf__floor(metres * 100 + 0.5);
    return (centimetres){all / 100, (int)(all % 100)};
}

// ---------------------------------------------------------------------------------------------------
// Terrain
// ---------------------------------------------------------------------------------------------------

/// The middle of the river at a y.
static double river_at(const lf_made_city *city, double y) {
    double u = y / city->side;
    return city->side * (0.42 + 1.8 * u * (u - 0.5) * (u - 1));
}

/// The height of the finished terrain at the nearest sample.
static double height_near(const lf_made_city *city, double x, double y) {
    const lf_heights *r = &city->raster;
    int64_t i = lf__floor(lf__clamp(x / SPACING + 0.5, 0, (double)r->columns - 1));
    int64_t j = lf__floor(lf__clamp(y / SPACING + 0.5, 0, (double)r->rows - 1));
    return (double)r->values[j * r->stride + i];
}

/// Hills with the valley of a river.
static lf_status make_terrain(lf_made_city *city, uint64_t seed, const lf_host *host, lf_error *error) {
    lf_make_heights_def def = lf_make_heights_def_default();
    if (host)
        def.host = *host;
    def.landscape = LF_LANDSCAPE_HILLS;
    def.seed = seed;
    def.columns = def.rows = lf__floor(city->side / SPACING) + 1;
    def.spacing = SPACING;
    def.low = WATER + 12;
    def.high = WATER + 240;
    lf_status status = lf_make_heights(&def, &city->made, error);
    if (status != LF_OK)
        return status;
    city->raster = lf_made_heights_view(city->made);
    status = lf__array_reserve(&city->heights, &city->allocator, def.columns * def.rows, sizeof(float));
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    city->heights.count = def.columns * def.rows;
    float *values = city->heights.items;
    for (int64_t j = 0; j < def.rows; j++)
        for (int64_t i = 0; i < def.columns; i++) {
            double x = (double)i * SPACING, y = (double)j * SPACING;
            double hill = (double)city->raster.values[j * city->raster.stride + i];
            double valley = lf__smooth(BANK, SLOPES, fabs(x - river_at(city, y)));
            values[j * def.columns + i] = (float)(WATER + (hill - WATER) * valley);
        }
    city->raster.values = values;
    city->raster.stride = def.columns;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// The bridge
// ---------------------------------------------------------------------------------------------------

static lf_status add_quad(lf_made_city *city, const lf_vec3 corners[4]) {
    static const int fan[6] = {0, 1, 2, 0, 2, 3};
    lf_status status = lf__array_reserve(&city->vertices, &city->allocator, 4, sizeof(lf_vec3));
    if (status == LF_OK)
        status = lf__array_reserve(&city->corners, &city->allocator, 6, sizeof(int64_t));
    if (status != LF_OK)
        return status;
    for (int k = 0; k < 6; k++)
        ((int64_t *)city->corners.items)[city->corners.count++] = city->vertices.count + fan[k];
    for (int k = 0; k < 4; k++)
        ((lf_vec3 *)city->vertices.items)[city->vertices.count++] = corners[k];
    return LF_OK;
}

/// The sides of a prism of four corners below and four above; with its floor and roof.
static lf_status add_block(lf_made_city *city, const lf_vec3 low[4], const lf_vec3 high[4]) {
    lf_vec3 floor[4] = {low[3], low[2], low[1], low[0]};
    lf_status status = add_quad(city, high);
    if (status == LF_OK)
        status = add_quad(city, floor);
    for (int k = 0; k < 4 && status == LF_OK; k++) {
        lf_vec3 wall[4] = {low[k], low[(k + 1) % 4], high[(k + 1) % 4], high[k]};
        status = add_quad(city, wall);
    }
    return status;
}

/// A block between two heights on each side, along x.
static lf_status add_span(lf_made_city *city, lf_vec2 x, double y, double half, lf_vec2 low, lf_vec2 high) {
    lf_vec3 bottom[4] = {
        {x.x, y - half, low.x}, {x.y, y - half, low.y}, {x.y, y + half, low.y}, {x.x, y + half, low.x}};
    lf_vec3 top[4] = {
        {x.x, y - half, high.x}, {x.y, y - half, high.y}, {x.y, y + half, high.y}, {x.x, y + half, high.x}};
    return add_block(city, bottom, top);
}

/// From one slope of the valley to the other, in the middle of the city: an arched deck on four pillars.
static lf_status make_bridge(lf_made_city *city) {
    double y = 0.5 * city->side, middle = river_at(city, y);
    double ends[2] = {height_near(city, middle - REACH, y), height_near(city, middle + REACH, y)};
    lf_status status = LF_OK;
    for (int i = 0; i < SEGMENTS && status == LF_OK; i++) {
        double t[2] = {(double)i / SEGMENTS, (double)(i + 1) / SEGMENTS}, x[2], z[2];
        for (int k = 0; k < 2; k++) {
            x[k] = middle + REACH * (2 * t[k] - 1);
            z[k] = ends[0] + (ends[1] - ends[0]) * t[k] + 16 * t[k] * (1 - t[k]) + 0.2;
        }
        status = add_span(city, (lf_vec2){x[0], x[1]}, y, HALF_DECK, (lf_vec2){z[0] - 1.2, z[1] - 1.2},
                          (lf_vec2){z[0], z[1]});
        if (status == LF_OK && i > 0 && i % 5 == 0)
            status = add_span(city, (lf_vec2){x[0] - 1.5, x[0] + 1.5}, y, HALF_DECK - 1,
                              (lf_vec2){WATER - 5, WATER - 5}, (lf_vec2){z[0] - 1.2, z[0] - 1.2});
    }
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Buildings
// ---------------------------------------------------------------------------------------------------

static lf_status append_ring(lf_made_city *city, const lf_vec2 *points, int count, bool first) {
    lf_status status = append_text(city, &city->buildings, first ? "[" : ", [");
    for (int i = 0; i <= count && status == LF_OK; i++) {
        centimetres x = in_centimetres(points[i % count].x), y = in_centimetres(points[i % count].y);
        status = append_text(city, &city->buildings, "%s[%lld.%02d, %lld.%02d]", i ? ", " : "", x.metres,
                             x.rest, y.metres, y.rest);
    }
    return status == LF_OK ? append_text(city, &city->buildings, "]") : status;
}

/// One of a lot: a house, an L, or a block around a courtyard.
static lf_status append_building(lf_made_city *city, lf_vec2 low, lf_vec2 high, double height,
                                 uint64_t bits) {
    lf_vec2 size = {high.x - low.x, high.y - low.y};
    bool roomy = size.x > 26 && size.y > 26, court = roomy && bits % 3 == 0, corner = roomy && bits % 3 == 1;
    lf_vec2 house[4] = {low, {high.x, low.y}, high, {low.x, high.y}};
    lf_vec2 ell[6] = {low,
                      {high.x, low.y},
                      {high.x, low.y + 0.5 * size.y},
                      {low.x + 0.5 * size.x, low.y + 0.5 * size.y},
                      {low.x + 0.5 * size.x, high.y},
                      {low.x, high.y}};
    lf_vec2 yard[4] = {
        {low.x + 8, low.y + 8}, {low.x + 8, high.y - 8}, {high.x - 8, high.y - 8}, {high.x - 8, low.y + 8}};
    centimetres tall = in_centimetres(height);
    long long number = (long long)++city->building_count;
    lf_status status =
        append_text(city, &city->buildings, "%s\n{\"type\": \"Feature\", \"id\": %lld, \"properties\": {",
                    number > 1 ? "," : "", number);
    if (status == LF_OK && height < 24 && bits % 2) // as registers have them: some heights, some storeys
        status = append_text(city, &city->buildings, "\"height\": null, \"levels\": %lld",
                             (long long)lf__floor(height / 3 + 0.5));
    else if (status == LF_OK)
        status = append_text(city, &city->buildings, "\"height\": %lld.%02d, \"levels\": null", tall.metres,
                             tall.rest);
    if (status == LF_OK)
        status = append_text(city, &city->buildings,
                             "}, \"geometry\": {\"type\": \"Polygon\", \"coordinates\": [");
    if (status == LF_OK)
        status = append_ring(city, corner ? ell : house, corner ? 6 : 4, true);
    if (status == LF_OK && court)
        status = append_ring(city, yard, 4, false);
    return status == LF_OK ? append_text(city, &city->buildings, "]}}") : status;
}

/// Towers in the middle, houses farther out.
static double building_height(const lf_made_city *city, lf_vec2 at, uint64_t bits) {
    double half = 0.5 * city->side, dx = (at.x - half) / half, dy = (at.y - half) / half;
    double outwards = sqrt(dx * dx + dy * dy), share = lf__unit(bits * 0x9e3779b97f4a7c15u);
    bool tower = outwards < 0.45 && share > 0.55;
    return tower ? 30 + 110 * (1 - 2 * outwards) * share : 6 + 14 * share * (1.3 - 0.6 * outwards);
}

static lf_status make_buildings(lf_made_city *city, uint64_t seed) {
    int64_t blocks = lf__floor((city->side - 2 * MARGIN) / BLOCK);
    lf_status status =
        append_text(city, &city->buildings, "{\"type\": \"FeatureCollection\", \"features\": [");
    for (int64_t k = 0; k < blocks * blocks && status == LF_OK; k++) {
        uint64_t bits = lf__hash(seed, k % blocks, k / blocks),
                 more = lf__hash(seed + 1, k % blocks, k / blocks);
        lf_vec2 corner = {MARGIN + BLOCK * (double)(k % blocks), MARGIN + BLOCK * (double)(k / blocks)};
        lf_vec2 at = {corner.x + 0.5 * BLOCK, corner.y + 0.5 * BLOCK};
        bool river = fabs(at.x - river_at(city, at.y)) < SLOPES + 30,
             road = fabs(at.y - 0.5 * city->side) < 0.5 * BLOCK + 8;
        if (river || road || bits % 11 == 0)
            continue;
        lf_vec2 size = {18 + 24 * lf__unit(bits), 18 + 24 * lf__unit(more)};
        lf_vec2 low = {at.x - 0.5 * size.x, at.y - 0.5 * size.y},
                high = {at.x + 0.5 * size.x, at.y + 0.5 * size.y};
        status = append_building(city, low, high, building_height(city, at, more), bits >> 20);
    }
    return status == LF_OK ? append_text(city, &city->buildings, "\n]}\n") : status;
}

// ---------------------------------------------------------------------------------------------------
// The world
// ---------------------------------------------------------------------------------------------------

/// A mast on the highest ground.
static lf_vec2 find_summit(const lf_made_city *city) {
    const lf_heights *r = &city->raster;
    int64_t best = 0;
    for (int64_t k = 0; k < r->rows * r->columns; k++) {
        int64_t i = k % r->columns, j = k / r->columns;
        bool inside = i > 20 && j > 20 && i + 21 < r->columns && j + 21 < r->rows;
        if (inside && (best == 0 || r->values[k] > r->values[best]))
            best = k;
    }
    return (lf_vec2){(double)(best % r->columns) * SPACING, (double)(best / r->columns) * SPACING};
}

static lf_status make_world(lf_made_city *city, const char *name) {
    lf_vec2 summit = find_summit(city);
    return append_text(city, &city->world,
                       "{\n    \"landfall_world\": 1,\n    \"name\": \"a generated city on hills\",\n    "
                       "\"parts\": [\n"
                       "        {\"name\": \"hills\", \"raster\": \"%.60s-hills.tif\"},\n"
                       "        {\"name\": \"buildings\", \"buildings\": {\"file\": "
                       "\"%.60s-buildings.geojson\", \"height\": "
                       "\"height\", \"storeys\": \"levels\"}, \"crs\": \"world\"},\n",
                       name, name) == LF_OK &&
                   append_text(
                       city, &city->world,
                       "        {\"name\": \"bridge\", \"mesh\": \"%.60s-bridge.ply\", \"place\": \"own\"},\n"
                       "        {\"name\": \"mast\", \"box\": {\"size\": [3, 3, 40]}, \"place\": {\"x\": "
                       "%lld, \"y\": "
                       "%lld, \"above\": 0}}\n    ]\n}\n",
                       name, (long long)summit.x, (long long)summit.y) == LF_OK
               ? LF_OK
               : LF_NO_MEMORY;
}

lf_status lf_make_city(uint64_t seed, int64_t building_count, const char *name, const lf_host *host,
                       lf_made_city **made, lf_error *error) {
    if (building_count < 1 || building_count > 1000000)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld buildings: expected 1 to 1000000",
                        (long long)building_count);
    lf_allocator allocator = lf__allocator_of(host);
    lf_made_city *city = lf__allocate(&allocator, sizeof *city, _Alignof(lf_made_city));
    if (!city)
        return lf__fail_plain(error, LF_NO_MEMORY);
    // About one block in five has no building, and the river takes four columns of blocks.
    *city = (lf_made_city){.allocator = allocator};
    city->side = 2 * MARGIN + BLOCK * (double)lf__floor(sqrt((double)building_count / 0.85) + 4);
    lf_status status = make_terrain(city, seed, host, error);
    if (status == LF_OK) {
        status = make_bridge(city);
        if (status == LF_OK)
            status = make_buildings(city, seed);
        if (status == LF_OK)
            status = make_world(city, name);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK)
        *made = city;
    else
        lf_made_city_destroy(city);
    return status;
}

void lf_made_city_destroy(lf_made_city *city) {
    if (!city)
        return;
    lf_allocator allocator = city->allocator;
    lf__array_free(&city->world, &allocator, 1);
    lf__array_free(&city->buildings, &allocator, 1);
    lf__array_free(&city->corners, &allocator, sizeof(int64_t));
    lf__array_free(&city->vertices, &allocator, sizeof(lf_vec3));
    lf__array_free(&city->heights, &allocator, sizeof(float));
    lf_made_heights_destroy(city->made);
    lf__free(&allocator, city, sizeof *city, _Alignof(lf_made_city));
}

lf_city_parts lf_made_city_parts(const lf_made_city *city) {
    return (lf_city_parts){.hills = city->raster,
                           .bridge = {.vertices = city->vertices.items,
                                      .vertex_count = city->vertices.count,
                                      .corners = city->corners.items,
                                      .polygon_count = city->corners.count / 3},
                           .buildings = city->buildings.items,
                           .building_count = city->building_count,
                           .world = city->world.items};
}
