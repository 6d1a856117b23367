/// Keeping instances on a ground.
#include "scene/scene.h"

static lf_vec3 lifted(const lf_ground *ground, lf_vec3 point, double lift) {
    lf_frame frame = lf_ground_frame(ground);
    return lf_vec3_along(point, -lift, lf_frame_down(&frame, point));
}

/// Where a thing would stand, and in which pose; it keeps the pose it has where it cannot.
static lf_status stand(lf_scene *scene, lf__follow *follow, lf_pose *pose) {
    lf_vec3 x = {pose->rows[0].x, pose->rows[1].x, pose->rows[2].x};
    // The lift has raised it: it is set down from the height it would have without.
    lf_vec3 point = lifted(follow->ground, pose->translation, -follow->lift);
    lf_stance stance;
    lf_cursor cursor = lf__work_cursor(scene);
    lf_status status = lf_ground_stand(follow->ground, &follow->footprint, point, x, &stance, &cursor);
    scene->ground_tests++;
    lf__work_of(scene, &cursor);
    if (status != LF_OK)
        return status;
    follow->stance = stance;
    if (!stance.stands)
        return LF_OK;
    lf_vec3 f = stance.forward, n = stance.normal, left = lf_vec3_unit(lf_vec3_cross(n, f));
    lf_pose stands = {{{f.x, left.x, n.x}, {f.y, left.y, n.y}, {f.z, left.z, n.z}},
                      lifted(follow->ground, stance.position, follow->lift)};
    if (lf_pose_rigid(&stands) && lf__within_limit(stands.translation))
        *pose = stands;
    return LF_OK;
}

void lf__instance_set_down(lf_scene *scene, lf__instance *instance) {
    if (!instance->follow)
        return;
    lf_pose pose = instance->pose;
    if (stand(scene, instance->follow, &pose) == LF_OK) // where there is no down it stays as it is
        lf__instance_pose(scene, instance, &pose);
}

void lf__follow_free(lf_scene *scene, lf__instance *instance) {
    lf__give(&scene->allocator, instance->follow, sizeof *instance->follow, _Alignof(lf__follow));
    instance->follow = NULL;
}

lf_status lf_instance_follow(lf_scene *scene, lf_instance id, const lf_ground *ground,
                             const lf_footprint *footprint, double lift) {
    lf__instance *instance = lf__instance_to_change(scene, id);
    if (!instance)
        return LF_BAD_ARGUMENT;
    if (!ground) {
        lf__follow_free(scene, instance);
        return LF_OK;
    }
    if (!footprint || !isfinite(lift) || fabs(lift) > LF__SCENE_LIMIT)
        return LF_BAD_ARGUMENT;
    lf__follow *follow = lf__take(&scene->allocator, sizeof *follow, _Alignof(lf__follow));
    if (!follow)
        return LF_NO_MEMORY;
    *follow = (lf__follow){.ground = ground, .footprint = *footprint, .lift = lift};
    // The first time it comes from where it is, not from where a lift had put it.
    lf_pose pose = instance->pose;
    pose.translation = lifted(ground, pose.translation, lift);
    lf_status status = stand(scene, follow, &pose);
    if (status != LF_OK) {
        lf__give(&scene->allocator, follow, sizeof *follow, _Alignof(lf__follow));
        return status;
    }
    lf__follow_free(scene, instance);
    instance->follow = follow;
    if (follow->stance.stands)
        lf__instance_pose(scene, instance, &pose);
    if (instance->fresh)
        instance->old_pose = instance->pose;
    return LF_OK;
}

lf_status lf_instance_stance(const lf_scene *scene, lf_instance id, lf_stance *stance) {
    const lf__instance *instance = lf__instance_find(scene, id);
    if (!instance || !instance->follow || !stance)
        return LF_BAD_ARGUMENT;
    *stance = instance->follow->stance;
    return LF_OK;
}
