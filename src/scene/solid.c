/// Shapes as models, for exact questions. They are kept until the shape or its scale changes: an instance that moves and turns keeps
/// them.
#include "model/model.h"
#include "scene/watch.h"

const lf_vec3 *lf__model_vertices(const lf_model *model, int64_t *count) {
    *count = model->vertex_count;
    return model->vertices;
}

lf_status lf__triangles_add(lf_scene *scene, const lf_vec3 corners[3]) {
    lf__array *soup = &scene->soup;
    lf_status status = lf__array_reserve(soup, &scene->allocator, 3, sizeof(lf_vec3));
    if (status != LF_OK)
        return status;
    memcpy((lf_vec3 *)soup->items + soup->count, corners, 3 * sizeof(lf_vec3));
    soup->count += 3;
    return LF_OK;
}

lf_status lf__soup_model(lf_scene *scene, lf_model **model) {
    lf__array *soup = &scene->soup, *numbers = &scene->soup_numbers;
    numbers->count = 0;
    lf_status status = lf__array_reserve(numbers, &scene->allocator, soup->count, sizeof(int64_t));
    if (status != LF_OK)
        return status;
    int64_t *corners = numbers->items;
    for (int64_t i = 0; i < soup->count; i++)
        corners[i] = i;
    lf_host host = {&scene->allocator, NULL, NULL, NULL};
    lf_model_def def = lf_model_def_default();
    def.host = host;
    def.polygons.vertices = soup->items;
    def.polygons.vertex_count = soup->count;
    def.polygons.corners = corners;
    def.polygons.polygon_count = soup->count / 3;
    return lf_model_create(&def, model, NULL);
}

/// What is gathered while triangles are shown.
typedef struct gathering {
    lf_scene *scene;
    const lf_vec3 *turn;
    lf_status status;
} gathering;

static bool gather(void *user, const lf_vec3 corners[3], int64_t polygon) {
    (void)polygon;
    gathering *g = user;
    const lf_vec3 turned[3] = {lf__rows_point(g->turn, corners[0]), lf__rows_point(g->turn, corners[1]),
                               lf__rows_point(g->turn, corners[2])};
    g->status = lf__triangles_add(g->scene, turned);
    return g->status == LF_OK;
}

lf_status lf__part_solid(lf_scene *scene, lf__part *part, int facets, double stretch,
                         const lf_model **model) {
    lf_pose pose = {.translation = {0, 0, 0}};
    memcpy(pose.rows, part->turn, sizeof pose.rows);
    if (part->form.kind == LF_SHAPE_MODEL && lf_pose_rigid(&pose)) {
        *model = part->form.model;
        return LF_OK;
    }
    if (part->solid && lf__rows_same(part->solid_turn, part->maps.turn)) {
        *model = part->solid;
        return LF_OK;
    }
    lf__solid_free(part);
    gathering g = {scene, part->maps.turn, LF_OK};
    scene->soup.count = 0;
    lf__form_triangles(&part->form, facets, stretch, gather, &g);
    if (g.status == LF_OK)
        g.status = lf__soup_model(scene, &part->solid);
    if (g.status != LF_OK)
        return g.status;
    memcpy(part->solid_turn, part->maps.turn, sizeof part->solid_turn);
    *model = part->solid;
    return LF_OK;
}
