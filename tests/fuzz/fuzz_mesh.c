// Rays over a few polygons, and heights over them, against brute force in exact arithmetic.
#include "mesh_oracle.h"
#include "take.h"
#include <stdio.h>
#include <stdlib.h>

enum { VERTICES = 24, TRIANGLES = 32 };

/// Triangles of any vertices: flat ones, copies and such that share a line are welcome.
static void take_mesh(nasty_mesh *mesh, fuzz_bytes *bytes) {
    *mesh = (nasty_mesh){.name = "fuzzed"};
    mesh->vertex_count = 3 + fuzz_below(bytes, VERTICES - 2);
    mesh->polygon_count = 1 + fuzz_below(bytes, TRIANGLES);
    mesh->vertices = test_space(mesh->vertex_count, sizeof *mesh->vertices);
    mesh->starts = test_space(mesh->polygon_count + 1, sizeof *mesh->starts);
    mesh->corners = test_space(3 * mesh->polygon_count, sizeof *mesh->corners);
    mesh->users = test_space(mesh->polygon_count, sizeof *mesh->users);
    mesh->layers = test_space(mesh->polygon_count, sizeof *mesh->layers);
    mesh->sides = test_space(mesh->polygon_count, sizeof *mesh->sides);
    for (int64_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[i] = fuzz_vector(bytes);
    for (int64_t i = 0; i < mesh->polygon_count; i++) {
        uint8_t marks = fuzz_byte(bytes);
        mesh->starts[i + 1] = 3 * (i + 1);
        mesh->users[i] = (uint64_t)i;
        mesh->layers[i] = 1u << (marks & 3);
        mesh->sides[i] = marks & 4 ? 1 : 2;
        for (int k = 0; k < 3; k++)
            mesh->corners[3 * i + k] = fuzz_below(bytes, (int)mesh->vertex_count);
    }
    mesh->box = exact_box(mesh->vertices, mesh->vertex_count);
    nasty_mesh_cut(mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint32_t layers[4] = {~0u, 1, 2, 12};
    fuzz_bytes bytes = {data, data + size};
    nasty_mesh mesh;
    mesh_bench bench;
    oracle oracle = {.name = "fuzz"};
    take_mesh(&mesh, &bytes);
    mesh_bench_open(&bench, &mesh, lf_frame_default());
    for (int i = 0; i < 4 && (i == 0 || bytes.next < bytes.end); i++) {
        lf_ray ray = fuzz_ray(&bytes);
        lf_vec3 point = fuzz_vector(&bytes);
        mesh_oracle_ray(&oracle, &bench, &ray, layers[fuzz_below(&bytes, 4)]);
        mesh_oracle_height(&oracle, &bench, point, layers[fuzz_below(&bytes, 4)]);
    }
    FUZZ_HOLDS(oracle.wrong == 0);
    mesh_bench_close(&bench);
    return 0;
}
