#include "twin.h"
#include "exact.h"
#include <stdlib.h>
#include <string.h>

static double sample(const twin *t, int64_t i, int64_t j) {
    bool there = i >= 0 && j >= 0 && i < t->shape.columns && j < t->shape.rows;
    return there ? t->heights[j * t->shape.columns + i] : LF_NAN;
}

typedef struct corner {
    double i, j, z;
} corner;

static void add_polygon(twin *t, int64_t element, int triangle, const corner *corners, int count) {
    nasty_mesh *mesh = &t->mesh;
    int64_t number = mesh->polygon_count++;
    for (int k = 0; k < count; k++) {
        mesh->vertices[mesh->vertex_count] = (lf_vec3){corners[k].i * t->shape.per_sample.x,
                                                       corners[k].j * t->shape.per_sample.y, corners[k].z};
        mesh->corners[mesh->vertex_count] = mesh->vertex_count;
        mesh->vertex_count++;
        if (k >= 2) {
            uint32_t last = (uint32_t)mesh->vertex_count - 1;
            uint32_t fan[3] = {last - (uint32_t)k, last - 1, last};
            memcpy(mesh->triangles + 3 * mesh->triangle_count, fan, sizeof fan);
            mesh->owners[mesh->triangle_count++] = number;
        }
    }
    mesh->starts[number + 1] = mesh->vertex_count;
    mesh->first_triangle[number + 1] = mesh->triangle_count;
    mesh->layers[number] = 1;
    mesh->sides[number] = 2;
    t->elements[number] = element;
    t->triangles[number] = triangle;
}

static void add_cell(twin *t, int64_t i, int64_t j) {
    double x = (double)i, y = (double)j;
    corner a = {x, y, sample(t, i, j)}, b = {x + 1, y, sample(t, i + 1, j)};
    corner c = {x, y + 1, sample(t, i, j + 1)}, d = {x + 1, y + 1, sample(t, i + 1, j + 1)};
    lf_surface s = t->shape.surface;
    bool falling = s == LF_SURFACE_FALLING || (s == LF_SURFACE_ALTERNATING && (i + j) % 2 == 0);
    corner falls[2][3] = {{a, b, c}, {b, d, c}}, rises[2][3] = {{a, b, d}, {a, d, c}};
    for (int k = 0; k < 2; k++) {
        const corner *three = falling ? falls[k] : rises[k];
        if (!isnan(three[0].z) && !isnan(three[1].z) && !isnan(three[2].z))
            add_polygon(t, j * (t->shape.columns - 1) + i, k, three, 3);
    }
}

static void add_wall(twin *t, int64_t i, int64_t j, int number) {
    int64_t ni = i + (number == 2) - (number == 1), nj = j + (number == 4) - (number == 3);
    double low = sample(t, ni, nj), high = sample(t, i, j), x = (double)i, y = (double)j;
    if (!(low < high))
        return;
    double x0 = number == 2 ? x + 0.5 : x - 0.5, x1 = number == 1 ? x - 0.5 : x + 0.5;
    double y0 = number == 4 ? y + 0.5 : y - 0.5, y1 = number == 3 ? y - 0.5 : y + 0.5;
    corner wall[4] = {{x0, y0, low}, {x1, y1, low}, {x1, y1, high}, {x0, y0, high}};
    corner turned[4] = {wall[3], wall[2], wall[1], wall[0]};
    // The front, from where corners run counter-clockwise, is away from the sample.
    add_polygon(t, j * t->shape.columns + i, number, number == 2 || number == 3 ? wall : turned, 4);
}

static void add_sample(twin *t, int64_t i, int64_t j) {
    double x = (double)i, y = (double)j, z = sample(t, i, j);
    if (isnan(z))
        return;
    corner square[4] = {
        {x - 0.5, y - 0.5, z}, {x + 0.5, y - 0.5, z}, {x + 0.5, y + 0.5, z}, {x - 0.5, y + 0.5, z}};
    add_polygon(t, j * t->shape.columns + i, 0, square, 4);
    for (int number = 1; number <= 4; number++)
        add_wall(t, i, j, number);
}

static void add_surface(twin *t) {
    int64_t samples = t->shape.columns * t->shape.rows, polygons = 5 * samples;
    nasty_mesh *mesh = &t->mesh;
    *mesh = (nasty_mesh){.name = lf_surface_name(t->shape.surface), .kind = NASTY_GRID};
    mesh->vertices = test_space(4 * polygons, sizeof *mesh->vertices);
    mesh->corners = test_space(4 * polygons, sizeof *mesh->corners);
    mesh->starts = test_space(polygons + 1, sizeof *mesh->starts);
    mesh->users = test_space(polygons, sizeof *mesh->users);
    mesh->layers = test_space(polygons, sizeof *mesh->layers);
    mesh->sides = test_space(polygons, sizeof *mesh->sides);
    mesh->triangles = test_space(6 * polygons, sizeof *mesh->triangles);
    mesh->owners = test_space(2 * polygons, sizeof *mesh->owners);
    mesh->first_triangle = test_space(polygons + 1, sizeof *mesh->first_triangle);
    t->elements = test_space(polygons, sizeof *t->elements);
    t->triangles = test_space(polygons, sizeof *t->triangles);
    bool by_sample = t->shape.surface == LF_SURFACE_POINT;
    for (int64_t j = 0; j < t->shape.rows - !by_sample; j++)
        for (int64_t i = 0; i < t->shape.columns - !by_sample; i++) {
            if (by_sample)
                add_sample(t, i, j);
            else
                add_cell(t, i, j);
        }
    mesh->box = exact_box(mesh->vertices, mesh->vertex_count);
}

static void make_grid(twin *t) {
    lf_grid_def def = lf_grid_def_default();
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = t->heights;
    def.samples.columns = t->shape.columns;
    def.samples.rows = t->shape.rows;
    def.surface = t->shape.surface;
    def.leaf = t->shape.leaf;
    def.geotransform.per_column.x = t->shape.per_sample.x;
    def.geotransform.per_row.y = t->shape.per_sample.y;
    lf_error error = {0};
    if (lf_grid_create(&def, &t->grid, &error) != LF_OK)
        fail_msg("no grid: %s", error.text);
    t->ground = lf_grid_ground(t->grid);
}

static void make_both(twin *t) {
    add_surface(t);
    make_grid(t);
    if (t->mesh.polygon_count == 0)
        return;
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = nasty_mesh_polygons(&t->mesh);
    lf_error error = {0};
    if (lf_mesh_create(&def, &t->polygons, &error) != LF_OK)
        fail_msg("no mesh: %s", error.text);
    t->polygon_ground = lf_mesh_ground(t->polygons);
}

void twin_make_of(twin *t, const twin_shape *shape, const double *heights) {
    int64_t samples = shape->columns * shape->rows;
    *t = (twin){.shape = *shape};
    t->heights = test_space(samples, sizeof *t->heights);
    memcpy(t->heights, heights, (size_t)samples * sizeof *heights);
    make_both(t);
}

void twin_make(twin *t, const twin_shape *shape, test_random *random) {
    int64_t samples = shape->columns * shape->rows;
    *t = (twin){.shape = *shape};
    t->heights = test_space(samples, sizeof *t->heights);
    for (int64_t k = 0; k < samples; k++) {
        double whole = (double)test_random_below(random, shape->rise + 1),
               real = test_random_between(random, 0, 3);
        t->heights[k] = shape->rise > 0 ? whole : real;
        if (shape->holes > 0 && test_random_below(random, shape->holes) == 0)
            t->heights[k] = LF_NAN;
    }
    int64_t i = test_random_below(random, shape->columns - 1), j = test_random_below(random, shape->rows - 1);
    for (int64_t k = 0; k < 4; k++) { // one square at least
        double *h = &t->heights[(j + k / 2) * shape->columns + i + k % 2];
        *h = isnan(*h) ? 1 : *h;
    }
    make_both(t);
}

void twin_free(twin *t) {
    lf_mesh_destroy(t->polygons);
    lf_grid_destroy(t->grid);
    nasty_mesh_free(&t->mesh);
    free(t->triangles);
    free(t->elements);
    free(t->heights);
    *t = (twin){.grid = NULL};
}

twin_shape twin_any_shape(lf_surface surface, test_random *random) {
    twin_shape shape = {.surface = surface, .per_sample = {1, 1}};
    int64_t most = test_random_below(random, 4) == 0 ? 40 : 12;
    shape.columns = 2 + test_random_below(random, most);
    shape.rows = 2 + test_random_below(random, test_random_below(random, 4) == 0 ? 2 : most);
    shape.rise = test_random_below(random, 3) == 0 ? 0 : test_random_below(random, 2) ? 2 : 9;
    shape.holes = test_random_below(random, 2) ? 0 : 2 + test_random_below(random, 20);
    shape.leaf = (int)test_random_below(random, 8);
    shape.leaf = shape.leaf == 7 ? 0 : 1 << shape.leaf;
    return shape;
}

int64_t twin_polygon_of(const twin *t, const lf_hit *hit) {
    for (int64_t p = 0; p < t->mesh.polygon_count; p++)
        if (t->elements[p] == hit->element && t->triangles[p] == hit->triangle)
            return p;
    return -1;
}
