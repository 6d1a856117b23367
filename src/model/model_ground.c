/// A model as a ground: a mesh that borrows its triangles and its tree.
#include "mesh/mesh.h"
#include "model/model.h"

/// Polygon to its first triangle, and one more.
static lf_status model_find_firsts(const lf_model *model, lf_mesh *skin) {
    void *firsts;
    lf_status status =
        lf__allocate_array(&model->allocator, model->polygon_count + 1, sizeof *skin->firsts, &firsts);
    if (status != LF_OK)
        return status;
    skin->firsts = firsts;
    for (int64_t i = model->triangle_count - 1; i >= 0; i--)
        skin->firsts[model->owners[i]] = (uint32_t)i;
    skin->firsts[model->polygon_count] = (uint32_t)model->triangle_count;
    skin->plain = 0;
    return LF_OK;
}

lf_status lf__model_make_skin(lf_model *model) {
    lf_mesh *skin = lf__allocate(&model->allocator, sizeof *skin, _Alignof(lf_mesh));
    if (!skin)
        return LF_NO_MEMORY;
    model->skin = skin;
    *skin = (lf_mesh){.allocator = model->allocator,
                      .frame = lf_frame_default(),
                      .vertices = model->vertices,
                      .vertex_count = model->vertex_count,
                      .corners = model->corners,
                      .triangle_count = model->triangle_count,
                      .plain = LF__MESH_PLAIN,
                      .owners = model->owners,
                      .polygon_count = model->polygon_count,
                      .users = model->users,
                      .layers = model->layers,
                      .box = model->tree->box,
                      .straight = true,
                      .tree = model->tree};
    lf__mesh_init_skin(skin);
    lf_box box = skin->box;
    const lf_vec3 corners[4] = {box.low, {box.high.x, box.low.y, 0}, box.high, {box.low.x, box.high.y, 0}};
    lf_status status = lf__hull_make(&skin->hull, &model->allocator, corners, 4, skin->frame.down);
    return status == LF_OK && model->owners ? model_find_firsts(model, skin) : status;
}

void lf__model_free_skin(lf_model *model) {
    lf_mesh *skin = model->skin;
    if (!skin)
        return;
    lf__free_array(&model->allocator, skin->firsts, model->polygon_count + 1, sizeof *skin->firsts);
    lf__hull_free(&skin->hull, &model->allocator);
    lf__free(&model->allocator, skin, sizeof *skin, _Alignof(lf_mesh));
}

const lf_ground *lf_model_ground(const lf_model *model) {
    return model ? &model->skin->ground : NULL;
}
