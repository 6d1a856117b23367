/// The grounds that benchmarks run on: generated mountains and real meshes.
#include "support.h"

#include <landfall/io.h>
#include <samples.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t bench_random_bits(bench_random *random) {
    uint64_t bits = random->state += 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

double bench_random_between(bench_random *random, double low, double high) {
    return low + (high - low) * (double)(bench_random_bits(random) >> 11) * 0x1p-53;
}

int64_t bench_random_below(bench_random *random, int64_t count) {
    return (int64_t)(bench_random_bits(random) % (uint64_t)count);
}

static void make_space(bench_terrain *terrain, const char *name, int64_t vertices, int64_t triangles) {
    memset(terrain, 0, sizeof *terrain);
    snprintf(terrain->name, sizeof terrain->name, "%s", name);
    terrain->vertex_count = vertices;
    terrain->triangle_count = triangles;
    terrain->vertices = bench_take((size_t)vertices, sizeof *terrain->vertices);
    terrain->singles = bench_take(3 * (size_t)vertices + 1, sizeof *terrain->singles);
    terrain->corners = bench_take(3 * (size_t)triangles, sizeof *terrain->corners);
    terrain->box = lf_box_empty();
}

/// Everybody gets the vertex as single precision has it.
static void set_vertex(bench_terrain *terrain, int64_t index, lf_vec3 p) {
    float x = (float)p.x, y = (float)p.y, z = (float)p.z;
    terrain->singles[3 * index] = x;
    terrain->singles[3 * index + 1] = y;
    terrain->singles[3 * index + 2] = z;
    lf_vec3 rounded = {x, y, z};
    terrain->vertices[index] = rounded;
    terrain->box = lf_box_with(terrain->box, rounded);
}

void bench_terrain_polygons(bench_terrain *terrain, const char *name, const lf_polygons *polygons) {
    if (polygons->vertex_count > UINT32_MAX)
        bench_stop("%s has more vertices than the peers can count", name);
    int64_t corners =
        polygons->starts ? polygons->starts[polygons->polygon_count] : 3 * polygons->polygon_count;
    make_space(terrain, name, polygons->vertex_count, corners - 2 * polygons->polygon_count);
    for (int64_t i = 0; i < polygons->vertex_count; i++)
        set_vertex(terrain, i, polygons->vertices[i]);
    uint32_t *corner = terrain->corners;
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        int64_t start = polygons->starts ? polygons->starts[i] : 3 * i;
        int64_t end = polygons->starts ? polygons->starts[i + 1] : 3 * i + 3;
        for (int64_t k = start + 1; k + 1 < end; k++) {
            *corner++ = (uint32_t)polygons->corners[start];
            *corner++ = (uint32_t)polygons->corners[k];
            *corner++ = (uint32_t)polygons->corners[k + 1];
        }
    }
}

/// Two triangles per cell, the diagonals alternating like those of a grid.
static void cut_cells(bench_terrain *terrain, int64_t cells) {
    uint32_t *corner = terrain->corners;
    for (int64_t row = 0; row < cells; row++)
        for (int64_t column = 0; column < cells; column++) {
            uint32_t a = (uint32_t)(row * (cells + 1) + column), b = a + 1;
            uint32_t c = b + (uint32_t)cells, d = c + 1;
            const uint32_t even[6] = {a, b, c, b, d, c}, odd[6] = {a, b, d, a, d, c};
            memcpy(corner, (row + column) % 2 == 0 ? even : odd, sizeof even);
            corner += 6;
        }
}

void bench_terrain_mountains(bench_terrain *terrain, const char *name, int64_t cells, uint64_t seed) {
    int64_t samples = cells + 1;
    lf_make_heights_def def = lf_make_heights_def_default();
    def.seed = seed;
    def.columns = samples;
    def.rows = samples;
    float *heights = bench_take((size_t)(samples * samples), sizeof *heights);
    lf_error error = {LF_OK, -1, ""};
    if (lf_make_rows(&def, 0, samples, heights, &error) != LF_OK)
        bench_stop("%s: %s", name, error.text);
    make_space(terrain, name, samples * samples, 2 * cells * cells);
    for (int64_t i = 0; i < samples * samples; i++) {
        lf_vec3 sample = {def.spacing * (double)(i % samples), def.spacing * (double)(i / samples),
                          heights[i]};
        set_vertex(terrain, i, sample);
    }
    cut_cells(terrain, cells);
    free(heights);
}

bool bench_data_path(const char *name, const char *relative, char *path, size_t size) {
    const char *folder = getenv("LANDFALL_DATA");
    snprintf(path, size, "%s/%s", folder && *folder ? folder : "../shared/data", relative);
    if (access(path, R_OK) == 0)
        return true;
    printf("\n%s: left out, there is no %s (LANDFALL_DATA says where the real data is)\n", name, path);
    return false;
}

lf_polygon_file *bench_terrain_open(const char *name, const char *relative) {
    char path[4096];
    if (!bench_data_path(name, relative, path, sizeof path))
        return NULL;
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    lf_error error;
    if (lf_polygon_file_read(path, &def, &file, &error) != LF_OK)
        bench_stop("%s: %s", path, error.text);
    return file;
}

bool bench_terrain_file(bench_terrain *terrain, const char *name, const char *relative) {
    lf_polygon_file *file = bench_terrain_open(name, relative);
    if (!file)
        return false;
    lf_polygons polygons = lf_polygon_file_polygons(file);
    bench_terrain_polygons(terrain, name, &polygons);
    lf_polygon_file_close(file);
    return true;
}

void bench_terrain_close(bench_terrain *terrain) {
    free(terrain->corners);
    free(terrain->singles);
    free(terrain->vertices);
    memset(terrain, 0, sizeof *terrain);
}
