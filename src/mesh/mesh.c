/// Making, describing and giving back meshes.
#include "mesh/mesh.h"
#include "base/base.h"
#include "mesh/quadtree.h"
#include <string.h>

void lf_mesh_def_init(lf_mesh_def *def, size_t size) {
    lf_mesh_def full = lf_mesh_def_default();
    memcpy(def, &full, size < sizeof full ? size : sizeof full);
}

/// The hull of the vertices that polygons use, where the frame knows an outside.
static lf_status make_hull(lf_mesh *mesh) {
    if (mesh->frame.kind != LF_FRAME_GRAVITY)
        return LF_OK;
    const lf_allocator *allocator = &mesh->allocator;
    uint8_t *used = NULL;
    lf_vec3 *points = NULL;
    lf_status status = lf__take_array(allocator, mesh->vertex_count, sizeof *used, (void **)&used);
    if (status == LF_OK)
        status = lf__take_array(allocator, mesh->vertex_count, sizeof *points, (void **)&points);
    if (status == LF_OK) {
        memset(used, 0, (size_t)mesh->vertex_count);
        for (int64_t i = 0; i < 3 * mesh->triangle_count; i++)
            used[mesh->corners[i]] = 1;
        int64_t count = 0;
        for (int64_t i = 0; i < mesh->vertex_count; i++)
            if (used[i])
                points[count++] = mesh->vertices[i];
        status = lf__hull_make(&mesh->hull, allocator, points, count, mesh->frame.down);
    }
    lf__give_array(allocator, points, mesh->vertex_count, sizeof *points);
    lf__give_array(allocator, used, mesh->vertex_count, sizeof *used);
    return status;
}

static lf_status make_tree(lf_mesh *mesh, const lf_host *host, lf_error *error) {
    lf_tree_def def = lf_tree_def_default();
    def.host = *host;
    def.vertices = mesh->vertices;
    def.corners = mesh->corners;
    def.triangle_count = mesh->triangle_count;
    return lf_tree_create(&def, &mesh->tree, error);
}

static bool frame_valid(const lf_frame *frame) {
    bool kind = frame->kind == LF_FRAME_GRAVITY || frame->kind == LF_FRAME_CENTRE ||
                frame->kind == LF_FRAME_AXIS_IN || frame->kind == LF_FRAME_AXIS_OUT;
    bool direction = frame->down.x != 0 || frame->down.y != 0 || frame->down.z != 0;
    return kind && lf_vec3_finite(frame->origin) && lf_vec3_finite(frame->down) &&
           (direction || frame->kind == LF_FRAME_CENTRE);
}

lf_status lf_mesh_create(const lf_mesh_def *given, lf_mesh **mesh, lf_error *error) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!mesh)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "mesh is NULL");
    if (!frame_valid(&def.frame))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the frame has no direction of gravity");
    if (def.structure != LF_MESH_NEST && def.structure != LF_MESH_QUADTREE)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no structure %d", (int)def.structure);
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_mesh *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_mesh));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_mesh){
        .allocator = allocator, .frame = def.frame, .nest_kernels = lf__nest_kernels_for(lf_isa_best())};
    fresh->straight = def.frame.kind == LF_FRAME_GRAVITY && def.frame.down.x == 0 && def.frame.down.y == 0 &&
                      def.frame.down.z < 0;
    status = lf__mesh_copy(fresh, &def, error);
    if (status == LF_OK) {
        status = make_hull(fresh);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK && def.structure == LF_MESH_QUADTREE) {
        status = lf__quadtree_make(fresh, &def, error);
    } else if (status == LF_OK && def.frame.kind == LF_FRAME_GRAVITY) {
        status = lf__nest_build(&fresh->nest, fresh, &def.host);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK)
        status = make_tree(fresh, &def.host, error);
    if (status != LF_OK) {
        lf_mesh_destroy(fresh);
        return status;
    }
    *mesh = fresh;
    return LF_OK;
}

void lf_mesh_destroy(lf_mesh *mesh) {
    if (!mesh)
        return;
    lf_allocator allocator = mesh->allocator;
    lf_tree_destroy(mesh->tree);
    lf__quadtree_destroy(mesh->quadtree, &allocator);
    lf__nest_free(&mesh->nest, &allocator);
    lf__hull_free(&mesh->hull, &allocator);
    lf__give_array(&allocator, mesh->sides, mesh->polygon_count, sizeof *mesh->sides);
    lf__give_array(&allocator, mesh->layers, mesh->polygon_count, sizeof *mesh->layers);
    lf__give_array(&allocator, mesh->users, mesh->polygon_count, sizeof *mesh->users);
    lf__give_array(&allocator, mesh->firsts, mesh->polygon_count + 1, sizeof *mesh->firsts);
    lf__give_array(&allocator, mesh->owners, mesh->triangle_count, sizeof *mesh->owners);
    lf__give_array(&allocator, mesh->corners, 3 * mesh->triangle_count, sizeof *mesh->corners);
    lf__give_array(&allocator, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    lf__give(&allocator, mesh, sizeof *mesh, _Alignof(lf_mesh));
}

static size_t array_bytes(const void *array, int64_t count, size_t item) {
    return array ? (size_t)count * item : 0;
}

lf_mesh_info lf_mesh_describe(const lf_mesh *mesh) {
    lf_mesh_info info = {.vertex_count = mesh->vertex_count,
                         .polygon_count = mesh->polygon_count,
                         .triangle_count = mesh->triangle_count,
                         .wall_count = mesh->wall_count,
                         .flat_count = mesh->flat_count,
                         .box = mesh->box,
                         .frame = mesh->frame,
                         .tree_bytes = lf_tree_describe(mesh->tree).bytes,
                         .height_bytes = lf__nest_bytes(&mesh->nest) + lf__quadtree_bytes(mesh->quadtree)};
    info.bytes = sizeof *mesh + info.tree_bytes + info.height_bytes +
                 array_bytes(mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices) +
                 array_bytes(mesh->corners, 3 * mesh->triangle_count, sizeof *mesh->corners) +
                 array_bytes(mesh->owners, mesh->triangle_count, sizeof *mesh->owners) +
                 array_bytes(mesh->firsts, mesh->polygon_count + 1, sizeof *mesh->firsts) +
                 array_bytes(mesh->users, mesh->polygon_count, sizeof *mesh->users) +
                 array_bytes(mesh->layers, mesh->polygon_count, sizeof *mesh->layers) +
                 array_bytes(mesh->sides, mesh->polygon_count, sizeof *mesh->sides) +
                 array_bytes(mesh->hull.corners, mesh->hull.count, sizeof *mesh->hull.corners);
    return info;
}
