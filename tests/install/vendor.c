/// A program that vendors the core as landfall.c and landfall.h: a height on a mesh, a line of sight on a grid.
#include "landfall.h"
#include <stdio.h>

static bool on_a_mesh(void) {
    lf_vec3 corners[] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 2}, {0, 4, 2}};
    int64_t triangles[] = {0, 1, 2, 0, 2, 3};
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    lf_hit hit;
    def.polygons.vertices = corners;
    def.polygons.vertex_count = 4;
    def.polygons.corners = triangles;
    def.polygons.polygon_count = 2;
    lf_vec3 above = {1, 1, LF_INFINITY};
    bool fine = lf_mesh_create(&def, &mesh, NULL) == LF_OK &&
                lf_ground_height(lf_mesh_ground(mesh), above, LF_VERTICAL_DOWN, &hit, NULL) == LF_OK &&
                hit.point.z == 0.5;
    lf_mesh_destroy(mesh);
    return fine;
}

static bool on_a_grid(void) {
    float heights[9] = {0, 5, 0, 0, 5, 0, 0, 5, 0};
    lf_grid_def def = lf_grid_def_default();
    lf_sight_rules rules = lf_sight_rules_default();
    lf_grid *grid = NULL;
    lf_verdict over = LF_VERDICT_UNKNOWN, through = LF_VERDICT_UNKNOWN;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 3;
    lf_vec3 a = {0, 1, 6}, b = {2, 1, 6}, low = {2, 1, 1};
    bool fine = lf_grid_create(&def, &grid, NULL) == LF_OK &&
                lf_sight_verdict(lf_grid_ground(grid), &rules, a, b, &over, NULL) == LF_OK &&
                lf_sight_verdict(lf_grid_ground(grid), &rules, a, low, &through, NULL) == LF_OK &&
                over == LF_VERDICT_CLEAR && through == LF_VERDICT_BLOCKED;
    lf_grid_destroy(grid);
    return fine;
}

int main(void) {
    bool mesh = on_a_mesh(), grid = on_a_grid();
    printf("landfall %s in one file: mesh %s, grid %s\n", lf_version(), mesh ? "ok" : "WRONG",
           grid ? "ok" : "WRONG");
    return mesh && grid ? 0 : 1;
}
