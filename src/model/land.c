/// A model against the ground.
#include "ground/group.h"
#include "mesh/mesh.h"
#include "model/model.h"

// ---------------------------------------------------------------------------------------------------
// Touching
// ---------------------------------------------------------------------------------------------------

typedef struct layer_finder {
    const lf_mesh *mesh;
    uint32_t layers;
} layer_finder;

/// Go on past triangles of the mesh that are not to be seen.
static bool found(void *user, uint32_t ground, uint32_t own) {
    const layer_finder *finder = user;
    const lf_mesh *mesh = finder->mesh;
    (void)own;
    return (finder->layers & (mesh->layers ? mesh->layers[lf__mesh_owner(mesh, ground)] : 1u)) == 0;
}

static bool mesh_touches(const lf_mesh *mesh, const lf_pose *mesh_pose, const lf_model_stand *stand,
                         lf_cursor *cursor) {
    layer_finder user = {mesh, lf__cursor_layers(cursor)};
    lf__pair_finder finder = {found, &user, true};
    lf_pose between = lf_model_between(mesh_pose, &stand->pose);
    return lf__tree_pairs(mesh->tree, stand->model->tree, &between, &finder, cursor);
}

/// Is it a mesh, or a group of meshes?
static bool of_meshes(const lf_ground *ground) {
    if (ground->kind->kind != LF_GROUND_GROUP)
        return ground->kind->kind == LF_GROUND_MESH;
    const lf_group *group = ground->thing;
    for (int64_t i = 0; i < group->count; i++)
        if (group->parts[i].ground->kind->kind != LF_GROUND_MESH)
            return false;
    return true;
}

static bool touches(const lf_model_stand *stand, lf_cursor *cursor) {
    lf_pose still = lf_pose_identity();
    if (stand->ground->kind->kind == LF_GROUND_MESH)
        return mesh_touches(stand->ground->thing, &still, stand, cursor);
    const lf_group *group = stand->ground->thing;
    for (int64_t i = 0; i < group->count; i++)
        if (mesh_touches(group->parts[i].ground->thing, &group->parts[i].pose, stand, cursor))
            return true;
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Under
// ---------------------------------------------------------------------------------------------------

/// How deep a point of the world is under the ground; 0: it is not.
static double depth_of(const lf_model_stand *stand, const lf_frame *frame, lf_vec3 point, lf_hit *hit,
                       lf_cursor *cursor) {
    if (lf_ground_height(stand->ground, point, LF_LOOK_UP, hit, cursor) != LF_OK || hit->kind == LF_HIT_NONE)
        return 0;
    lf_vec3 down = lf_frame_down(frame, hit->point);
    bool front_is_up = lf_vec3_dot(hit->normal, down) < 0;
    return front_is_up && hit->t <= 2 * stand->model->radius ? hit->t : 0;
}

static bool valid(const lf_model_stand *stand) {
    return stand && stand->model && stand->ground && lf__model_pose_valid(&stand->pose);
}

/// The boxes of model and ground along gravity do not tell; but a model whose sphere is beside the ground's box is nowhere under it.
static bool beside(const lf_model_stand *stand) {
    lf_box box = lf_ground_box(stand->ground);
    lf_vec3 c = lf_pose_to_world(&stand->pose, stand->model->centre);
    double r = stand->model->radius * (1 + 1e-8) * 4;
    lf_box around = {{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}};
    return !lf_box_overlap(box, around);
}

lf_status lf_model_land(const lf_model_stand *stand, lf_model_landing *landing, lf_cursor *cursor) {
    if (!valid(stand) || !landing)
        return LF_BAD_ARGUMENT;
    if (!of_meshes(stand->ground))
        return LF_UNSUPPORTED;
    *landing = (lf_model_landing){.triangle = -1};
    if (beside(stand))
        return LF_OK;
    landing->touching = touches(stand, cursor);
    lf_frame frame = lf_ground_frame(stand->ground);
    for (int64_t i = 0; i < stand->model->triangle_count; i++) {
        lf_vec3 corners[3];
        bool under = false;
        lf__model_corners(stand->model, i, corners);
        for (int c = 0; c < 3; c++) {
            lf_hit hit;
            lf_vec3 corner = lf_pose_to_world(&stand->pose, corners[c]);
            double depth = depth_of(stand, &frame, corner, &hit, cursor);
            under |= depth > 0;
            if (depth > landing->depth) {
                landing->depth = depth;
                landing->corner = corner;
                landing->surface = hit.point;
                landing->triangle = i;
            }
        }
        landing->under_count += under;
    }
    return LF_OK;
}

lf_status lf_model_under(const lf_model_stand *stand, int64_t *triangles, int64_t capacity, int64_t *count,
                         lf_cursor *cursor) {
    if (!valid(stand) || !count || capacity < 0 || (capacity > 0 && !triangles))
        return LF_BAD_ARGUMENT;
    *count = 0;
    if (beside(stand))
        return LF_OK;
    lf_frame frame = lf_ground_frame(stand->ground);
    for (int64_t i = 0; i < stand->model->triangle_count; i++) {
        lf_vec3 corners[3];
        lf_hit hit;
        bool under = false;
        lf__model_corners(stand->model, i, corners);
        for (int c = 0; c < 3 && !under; c++)
            under = depth_of(stand, &frame, lf_pose_to_world(&stand->pose, corners[c]), &hit, cursor) > 0;
        if (under && *count < capacity)
            triangles[*count] = i;
        *count += under;
    }
    return *count > capacity ? LF_PARTIAL : LF_OK;
}
