/// Quantized-mesh tiles: a regular grid of vertices with normals, and layer.json.
#include "tiles.h"
#include <math.h>
#include <string.h>

#define DEGREE 0.017453292519943295
#define SIDE 65         // vertices along a side
#define WIDE (SIDE + 2) // with one more around, for normals
#define COUNT (SIDE * SIDE)
#define TRIANGLES (2 * (SIDE - 1) * (SIDE - 1))

typedef struct mesh {
    double west, south, size; ///< degrees
    float heights[WIDE * WIDE];
    double low, high;
    lf_vec3 points[COUNT]; ///< earth-centred
    lf_vec3 centre;
    double radius;
    uint16_t triangles[3 * TRIANGLES], number[COUNT],
        order[COUNT]; ///< numbers of vertices in the order of their first use
} mesh;

static lf_ellipsoid earth(void) {
    return lf_sight_rules_default().ellipsoid;
}

static lf_vec2 place_of(const mesh *mesh, int column, int row) {
    return (lf_vec2){mesh->west + mesh->size * column / (SIDE - 1),
                     mesh->south + mesh->size * row / (SIDE - 1)};
}

static bool find_heights(const request *request, mesh *mesh, int64_t *voids, reply *reply) {
    lf_vec2 *list = memory_take(WIDE * WIDE * sizeof *list);
    if (!list)
        return refuse(reply, 503, "out of memory");
    for (int row = 0; row < WIDE; row++)
        for (int column = 0; column < WIDE; column++) {
            lf_vec2 at = place_of(mesh, column - 1, row - 1);
            list[row * WIDE + column] = (lf_vec2){at.x, fmin(fmax(at.y, -90), 90)};
        }
    bool fine = tile_heights(request, list, WIDE * WIDE, mesh->heights, voids, reply);
    memory_free(list);
    mesh->low = INFINITY;
    mesh->high = -INFINITY;
    for (int i = 0; fine && i < WIDE * WIDE; i++) {
        mesh->heights[i] = isnan(mesh->heights[i]) ? 0 : mesh->heights[i];
        mesh->low = fmin(mesh->low, (double)mesh->heights[i]);
        mesh->high = fmax(mesh->high, (double)mesh->heights[i]);
    }
    return fine;
}

static void find_points(mesh *mesh) {
    lf_ellipsoid ellipsoid = earth();
    lf_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            lf_vec2 at = place_of(mesh, column, row);
            lf_geodetic place = {at.x, at.y, (double)mesh->heights[(row + 1) * WIDE + column + 1]};
            lf_vec3 p = lf_ellipsoid_to_centred(&ellipsoid, place);
            mesh->points[row * SIDE + column] = p;
            low = (lf_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
            high = (lf_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
        }
    mesh->centre = (lf_vec3){0.5 * (low.x + high.x), 0.5 * (low.y + high.y), 0.5 * (low.z + high.z)};
    mesh->radius = 0;
    for (int i = 0; i < COUNT; i++) {
        lf_vec3 p = mesh->points[i];
        mesh->radius = fmax(mesh->radius,
                            hypot(hypot(p.x - mesh->centre.x, p.y - mesh->centre.y), p.z - mesh->centre.z));
    }
}

/// The point below the horizon of which the whole tile is hidden when it is hidden itself, in units of the ellipsoid's radii.
static lf_vec3 occlusion_point(const mesh *mesh) {
    lf_ellipsoid ellipsoid = earth();
    double a = ellipsoid.radius, b = a * (1 - ellipsoid.flattening), most = 0;
    lf_vec3 towards = lf_vec3_unit((lf_vec3){mesh->centre.x / a, mesh->centre.y / a, mesh->centre.z / b});
    for (int i = 0; i < COUNT; i++) {
        lf_vec3 p = {mesh->points[i].x / a, mesh->points[i].y / a, mesh->points[i].z / b},
                d = lf_vec3_unit(p);
        double length = fmax(1, sqrt(p.x * p.x + p.y * p.y + p.z * p.z));
        double cos_a = d.x * towards.x + d.y * towards.y + d.z * towards.z;
        double sin_a = sqrt(fmax(0, 1 - cos_a * cos_a)), cos_b = 1 / length,
               sin_b = sqrt(length * length - 1) * cos_b;
        double scale = 1 / (cos_a * cos_b - sin_a * sin_b);
        most = scale > most ? scale
               : scale < 0  ? 1e9
                            : most; // beyond the horizon of its own centre: never hidden
    }
    return (lf_vec3){towards.x * most, towards.y * most, towards.z * most};
}

// ---- Encoding -----------------------------------------------------------------------------------

static uint16_t zigzag(int value) {
    return (uint16_t)(value < 0 ? -2 * value - 1 : 2 * value);
}

/// Triangles, and vertices numbered in the order of their first use, as the encoding of indices asks for.
static void number_vertices(mesh *mesh) {
    int used = 0, at = 0;
    memset(mesh->number, 0xff, sizeof mesh->number);
    for (int row = 0; row + 1 < SIDE; row++)
        for (int column = 0; column + 1 < SIDE; column++) {
            int a = row * SIDE + column, corners[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            for (int k = 0; k < 6; k++) {
                if (mesh->number[corners[k]] == 0xffff) {
                    mesh->order[used] = (uint16_t)corners[k];
                    mesh->number[corners[k]] = (uint16_t)used++;
                }
                mesh->triangles[at++] = mesh->number[corners[k]];
            }
        }
}

static void add16(text *out, uint16_t value) {
    const unsigned char bytes[2] = {(unsigned char)value, (unsigned char)(value >> 8)};
    text_add(out, bytes, 2);
}

static void add32(text *out, uint32_t value) {
    add16(out, (uint16_t)value);
    add16(out, (uint16_t)(value >> 16));
}

static void write_head(const mesh *mesh, text *out) {
    lf_vec3 hidden = occlusion_point(mesh);
    float range[2] = {(float)mesh->low, (float)mesh->high};
    text_add(out, &mesh->centre, sizeof mesh->centre); // little-endian, as .lf files are
    text_add(out, range, sizeof range);
    text_add(out, &mesh->centre, sizeof mesh->centre);
    text_add(out, &mesh->radius, sizeof mesh->radius);
    text_add(out, &hidden, sizeof hidden);
}

static void write_vertices(const mesh *mesh, text *out) {
    double scale = mesh->high > mesh->low ? 32767 / (mesh->high - mesh->low) : 0;
    add32(out, COUNT);
    for (int part = 0; part < 3; part++)
        for (int i = 0, before = 0; i < COUNT; i++) {
            int column = mesh->order[i] % SIDE, row = mesh->order[i] / SIDE;
            double height = (double)mesh->heights[(row + 1) * WIDE + column + 1];
            int value = part == 0   ? (int)lround(32767.0 * column / (SIDE - 1))
                        : part == 1 ? (int)lround(32767.0 * row / (SIDE - 1))
                                    : (int)lround((height - mesh->low) * scale);
            add16(out, zigzag(value - before));
            before = value;
        }
}

static void write_indices(const mesh *mesh, text *out) {
    uint16_t highest = 0;
    add32(out, TRIANGLES);
    for (int i = 0; i < 3 * TRIANGLES; i++) {
        uint16_t code = (uint16_t)(highest - mesh->triangles[i]);
        add16(out, code);
        highest = (uint16_t)(highest + (code == 0));
    }
    const int first[4] = {0, 0, SIDE - 1, (SIDE - 1) * SIDE},
              step[4] = {SIDE, 1, SIDE, 1}; // west, south, east, north
    for (int edge = 0; edge < 4; edge++) {
        add32(out, SIDE);
        for (int k = 0; k < SIDE; k++)
            add16(out, mesh->number[first[edge] + k * step[edge]]);
    }
}

static uint8_t byte_of(double value) {
    return (uint8_t)lround((fmin(fmax(value, -1), 1) * 0.5 + 0.5) * 255);
}

/// A unit vector as two bytes: its place on an octahedron.
static void add_normal(text *out, lf_vec3 n) {
    double sum = fabs(n.x) + fabs(n.y) + fabs(n.z), x = n.x / sum, y = n.y / sum;
    if (n.z < 0) {
        double folded = (1 - fabs(y)) * (x < 0 ? -1 : 1);
        y = (1 - fabs(x)) * (y < 0 ? -1 : 1);
        x = folded;
    }
    const uint8_t bytes[2] = {byte_of(x), byte_of(y)};
    text_add(out, bytes, 2);
}

static void write_normals(const mesh *mesh, text *out) {
    double step = mesh->size / (SIDE - 1) * 111320;
    text_byte(out, 1);
    add32(out, 2 * COUNT);
    for (int i = 0; i < COUNT; i++) {
        int column = mesh->order[i] % SIDE, row = mesh->order[i] / SIDE;
        const float *h = mesh->heights + (row + 1) * WIDE + column + 1;
        lf_vec2 at = place_of(mesh, column, row);
        double sx = sin(at.x * DEGREE), cx = cos(at.x * DEGREE), sy = sin(at.y * DEGREE),
               cy = cos(at.y * DEGREE);
        double e = -(double)(h[1] - h[-1]) / (2 * step * fmax(cy, 0.01)),
               n = -(double)(h[WIDE] - h[-WIDE]) / (2 * step);
        add_normal(out, lf_vec3_unit((lf_vec3){-sx * e - sy * cx * n + cy * cx,
                                               cx * e - sy * sx * n + cy * sx, cy * n + sy}));
    }
}

bool mesh_write(const request *request, tile tile, text *out, int64_t *voids, reply *reply) {
    mesh *made = memory_take(sizeof *made);
    if (!made)
        return refuse(reply, 503, "out of memory");
    made->size = ldexp(180, -tile.z);
    made->west = -180 + made->size * (double)tile.x;
    made->south = -90 + made->size * (double)tile.y;
    bool fine = find_heights(request, made, voids, reply);
    if (fine) {
        find_points(made);
        number_vertices(made);
        write_head(made, out);
        write_vertices(made, out);
        write_indices(made, out);
        write_normals(made, out);
        fine = !out->failed || refuse(reply, 503, "out of memory");
    }
    memory_free(made);
    return fine;
}

// ---- layer.json ---------------------------------------------------------------------------------

/// The finest level that shows the samples of a dataset.
static int finest_level(const dataset *dataset) {
    double resolution = dataset->grid ? dataset->resolution : dataset->globe ? 1000 : 1;
    double level = ceil(log2(180 * 111320.0 / ((SIDE - 1) * fmax(resolution, 0.1))));
    return (int)fmin(fmax(level, 0), TILE_LEVELS - 1);
}

static void write_area(json *out, const dataset *dataset, int level) {
    double size = ldexp(180, -level), columns = ldexp(2, level), rows = ldexp(1, level);
    put_open(out, NULL, '{');
    put_number(out, "startX", fmin(fmax(floor((dataset->low.x + 180) / size), 0), columns - 1));
    put_number(out, "startY", fmin(fmax(floor((dataset->low.y + 90) / size), 0), rows - 1));
    put_number(out, "endX", fmin(fmax(floor((dataset->high.x + 180) / size), 0), columns - 1));
    put_number(out, "endY", fmin(fmax(floor((dataset->high.y + 90) / size), 0), rows - 1));
    put_close(out, '}');
}

static void write_available(json *out, const request *request, const selection *chosen) {
    int finest = 0;
    for (int i = 0; i < chosen->count; i++) {
        int level = finest_level(&request->data->list[chosen->list[i]]);
        finest = level > finest ? level : finest;
    }
    const dataset world = {.low = {-180, -90}, .high = {180, 90}};
    put_open(out, "available", '[');
    for (int level = 0; level <= finest; level++) {
        put_open(out, NULL, '[');
        if (level == 0)
            write_area(out, &world, 0);
        for (int i = 0; level > 0 && i < chosen->count; i++) {
            const dataset *dataset = &request->data->list[chosen->list[i]];
            if (finest_level(dataset) >= level)
                write_area(out, dataset, level);
        }
        put_close(out, ']');
    }
    put_close(out, ']');
}

void tile_layer(request *request, reply *reply) {
    selection chosen;
    char number[LF_NUMBER_SIZE];
    const char *names = request_text(request, "dataset", number);
    text url = {0};
    if (!api_selection(request, &chosen, reply))
        return;
    text_put(&url, "{z}/{x}/{y}.terrain?v={version}");
    if (names) {
        text_put(&url, "&dataset=");
        text_put(&url, names);
    }
    text_byte(&url, '\0');
    json out = api_start(reply);
    put_open(&out, NULL, '{');
    put_text(&out, "tilejson", "2.1.0");
    put_text(&out, "name", "landfall");
    put_text(&out, "version", "1.0.0");
    put_text(&out, "format", "quantized-mesh-1.0");
    put_text(&out, "scheme", "tms");
    put_text(&out, "projection", "EPSG:4326");
    put_open(&out, "bounds", '[');
    put_number(&out, NULL, -180);
    put_number(&out, NULL, -90);
    put_number(&out, NULL, 180);
    put_number(&out, NULL, 90);
    put_close(&out, ']');
    put_open(&out, "extensions", '[');
    put_text(&out, NULL, "octvertexnormals");
    put_close(&out, ']');
    put_open(&out, "tiles", '[');
    put_text(&out, NULL, url.failed ? "" : url.bytes);
    put_close(&out, ']');
    write_available(&out, request, &chosen);
    put_close(&out, '}');
    reply->body.failed |= url.failed;
    text_free(&url);
}
