/// Terrain that changes: dig a hole into a mesh, put a bridge over it, and ask before and after.
///
///     dig park.ply 100 100
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, const lf_error *error) {
    fprintf(stderr, "%s: %s\n", what, error->text);
    return 2;
}

static bool read_number(const char *word, double *value) {
    const char *end = word + strlen(word);
    return lf_number_read(word, end, value) == end;
}

/// The topmost ground, said in words.
static lf_hit look(const char *when, const lf_ground *ground, double x, double y) {
    lf_hit hit;
    lf_ground_height(ground, (lf_vec3){x, y, LF_INFINITY}, LF_VERTICAL_DOWN, &hit, NULL);
    if (hit.kind == LF_HIT_NONE)
        printf("%s: %s\n", when, lf_reason_name(hit.reason));
    else
        printf("%s: polygon %lld at %.2f\n", when, (long long)hit.element, hit.point.z);
    return hit;
}

/// Remove whatever is at a place, from the top down, until there is nothing left.
static lf_status dig(lf_mesh *mesh, const lf_ground *ground, double x, double y, lf_error *error) {
    lf_hit hit = look("before", ground, x, y);
    lf_mesh_edit_def hole = lf_mesh_edit_def_default();
    lf_status status = LF_OK;
    hole.remove = &hit.element;
    hole.remove_count = 1;
    while (status == LF_OK && hit.kind != LF_HIT_NONE) {
        status = lf_mesh_edit(mesh, &hole, NULL, error);
        hit = look("a hole", ground, x, y);
    }
    return status;
}

/// A square of wood, 8 m wide.
static lf_status build_bridge(lf_mesh *mesh, double x, double y, double z, lf_error *error) {
    const lf_vec3 vertices[4] = {{x - 4, y - 4, z}, {x + 4, y - 4, z}, {x + 4, y + 4, z}, {x - 4, y + 4, z}};
    const int64_t starts[] = {0, 4}, corners[] = {0, 1, 2, 3};
    lf_mesh_edit_def bridge = lf_mesh_edit_def_default();
    bridge.add.vertices = vertices;
    bridge.add.vertex_count = 4;
    bridge.add.starts = starts;
    bridge.add.corners = corners;
    bridge.add.polygon_count = 1;
    lf_mesh_edit_result edited;
    lf_status status = lf_mesh_edit(mesh, &bridge, &edited, error);
    if (status == LF_OK)
        printf("the bridge is polygon %lld\n", (long long)edited.first);
    return status;
}

int main(int count, char **words) {
    double x, y;
    if (count != 4 || !read_number(words[2], &x) || !read_number(words[3], &y)) {
        fprintf(stderr, "usage: dig MESH X Y\n");
        return 2;
    }
    lf_error error;
    lf_polygon_file_def file_def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    if (lf_polygon_file_read(words[1], &file_def, &file, &error) != LF_OK)
        return fail(words[1], &error);
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    const lf_ground *ground = NULL;
    def.polygons = lf_polygon_file_polygons(file);
    lf_status status = lf_mesh_create(&def, &mesh, &error);
    lf_polygon_file_close(file);
    if (status == LF_OK)
        ground = lf_mesh_ground(mesh);
    if (status == LF_OK)
        status = dig(mesh, ground, x, y, &error);
    if (status == LF_OK)
        status = build_bridge(mesh, x, y, 20, &error);
    if (status == LF_OK)
        look("after", ground, x, y);
    lf_mesh_destroy(mesh);
    return status == LF_OK ? 0 : fail("dig", &error);
}
