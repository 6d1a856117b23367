/// Making, describing and giving back meshes.
#include "mesh/mesh.h"
#include "base/base.h"
#include "mesh/mesh_index.h"
#include <string.h>

lf_status lf__mesh_make_hull(const lf_mesh *mesh, lf__hull *hull) {
    const lf_allocator *allocator = &mesh->allocator;
    uint8_t *used = NULL;
    lf_vec3 *points = NULL;
    lf_status status = lf__take_array(allocator, mesh->vertex_count, sizeof *used, (void **)&used);
    if (status == LF_OK)
        status = lf__take_array(allocator, mesh->vertex_count, sizeof *points, (void **)&points);
    if (status == LF_OK) {
        memset(used, 0, (size_t)mesh->vertex_count);
        for (int64_t i = 0; i < mesh->triangle_count; i++)
            for (int k = 0; k < 3 && !lf__mesh_gone(mesh, i); k++)
                used[mesh->corners[3 * i + k]] = 1;
        int64_t count = 0;
        for (int64_t i = 0; i < mesh->vertex_count; i++)
            if (used[i])
                points[count++] = mesh->vertices[i];
        status = lf__hull_make(hull, allocator, points, count, mesh->frame.down);
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

/// What making the mesh took.
static void count_work(lf_mesh *mesh) {
    lf_tree_info tree = lf_tree_describe(mesh->tree);
    mesh->built = mesh->nest.work;
    if (mesh->index) {
        lf_mesh_work work = mesh->index->work(mesh);
        lf__work_add(&mesh->built, &work);
    }
    mesh->built.vertices += mesh->vertex_count;
    mesh->built.triangles += mesh->triangle_count + tree.item_count + mesh->tree->moved;
    mesh->built.nodes += tree.node_count + tree.leaf_count;
}

static bool frame_valid(const lf_frame *frame) {
    bool kind = frame->kind == LF_FRAME_GRAVITY || frame->kind == LF_FRAME_CENTRE ||
                frame->kind == LF_FRAME_AXIS_IN || frame->kind == LF_FRAME_AXIS_OUT;
    bool direction = frame->down.x != 0 || frame->down.y != 0 || frame->down.z != 0;
    return kind && lf_vec3_finite(frame->origin) && lf_vec3_finite(frame->down) &&
           (direction || frame->kind == LF_FRAME_CENTRE);
}

static lf_status copy_polygons(lf_mesh *mesh, const lf_mesh_def *def, lf_error *error) {
    lf__mesh_addition addition;
    if (!(def->tolerance >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "tolerance is %g, not 0 or more", def->tolerance);
    lf_status status = lf__mesh_append(mesh, &def->polygons, &def->host, &addition, error);
    if (status != LF_OK)
        return status;
    lf__mesh_accept(mesh, &addition);
    mesh->box = addition.box;
    return LF_OK;
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
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_mesh *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_mesh));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_mesh){
        .allocator = allocator, .frame = def.frame, .nest_kernels = lf__nest_kernels_for(lf_isa_best())};
    fresh->straight = def.frame.kind == LF_FRAME_GRAVITY && def.frame.down.x == 0 && def.frame.down.y == 0 &&
                      def.frame.down.z < 0;
    fresh->tolerance = def.tolerance;
    fresh->compact = def.compact;
    status = copy_polygons(fresh, &def, error);
    if (status == LF_OK && def.frame.kind == LF_FRAME_GRAVITY) {
        status = lf__mesh_make_hull(fresh, &fresh->hull);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK && def.index) {
        fresh->index = def.index;
        status = def.index->create(fresh, def.index_def, &def.host, error);
    } else if (status == LF_OK && def.frame.kind == LF_FRAME_GRAVITY) {
        status = lf__nest_build(&fresh->nest, fresh, &def.host, 0);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK)
        status = make_tree(fresh, &def.host, error);
    if (status != LF_OK) {
        lf_mesh_destroy(fresh);
        return status;
    }
    count_work(fresh);
    lf__mesh_choose_way(fresh);
    lf__mesh_init_ground(fresh);
    *mesh = fresh;
    return LF_OK;
}

void lf_mesh_destroy(lf_mesh *mesh) {
    if (!mesh)
        return;
    lf_allocator allocator = mesh->allocator;
    lf_tree_destroy(mesh->tree);
    if (mesh->index)
        mesh->index->destroy(mesh);
    lf__nest_free(&mesh->nest, &allocator);
    lf__hull_free(&mesh->hull, &allocator);
    lf__mesh_free_arrays(mesh);
    lf__give(&allocator, mesh, sizeof *mesh, _Alignof(lf_mesh));
}

lf_mesh_info lf_mesh_describe(const lf_mesh *mesh) {
    lf_mesh_info info = {.vertex_count = mesh->vertex_count,
                         .polygon_count = mesh->polygon_count - mesh->gone_count,
                         .id_count = mesh->polygon_count,
                         .triangle_count = mesh->triangle_count - mesh->gone_triangles,
                         .wall_count = mesh->wall_count,
                         .flat_count = mesh->flat_count,
                         .box = mesh->box,
                         .frame = mesh->frame,
                         .tree_bytes = lf_tree_describe(mesh->tree).bytes,
                         .height_bytes = mesh->index ? mesh->index->bytes(mesh) : lf__nest_bytes(&mesh->nest),
                         .built = mesh->built,
                         .edited = mesh->edited};
    info.bytes = sizeof *mesh + info.tree_bytes + info.height_bytes + lf__mesh_array_bytes(mesh) +
                 (size_t)mesh->hull.count * sizeof *mesh->hull.corners;
    return info;
}
