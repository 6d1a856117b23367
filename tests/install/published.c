// A published method of the installed library: the quadtree of QOTA under one polygon.
#include <landfall/published.h>
#include <stdio.h>

int main(void) {
    static const lf_vec3 vertices[4] = {{0, 0, 1}, {8, 0, 1}, {8, 8, 1}, {0, 8, 1}};
    static const int64_t starts[2] = {0, 4}, corners[4] = {0, 1, 2, 3};
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh;
    lf_hit hit;
    lf_quadtree_stats stats;
    def.polygons.vertices = vertices;
    def.polygons.vertex_count = 4;
    def.polygons.starts = starts;
    def.polygons.corners = corners;
    def.polygons.polygon_count = 1;
    def.index = lf_quadtree_index();
    if (lf_mesh_create(&def, &mesh, NULL) != LF_OK)
        return 1;
    lf_vec3 point = {3, 5, 9};
    lf_status status = lf_ground_height(lf_mesh_ground(mesh), point, LF_VERTICAL_DOWN, &hit, NULL);
    bool fine = status == LF_OK && hit.point.z == 1 && lf_quadtree_describe(mesh, &stats) == LF_OK &&
                stats.leaf_count == 1;
    lf_mesh_destroy(mesh);
    puts(fine ? "a quadtree with one leaf" : "wrong");
    return fine ? 0 : 1;
}
