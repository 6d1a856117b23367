/// Keeping instances on a ground.
#include "scene/scene.h"

static lf_vec3 lifted(const lf_ground *ground, lf_vec3 point, double lift) {
    lf_frame frame = lf_ground_frame(ground);
    return lf_vec3_along(point, -lift, lf_frame_down(&frame, point));
}

lf_status lf__instance_set_down(lf_scene *scene, lf__instance *instance) {
    if (!instance->ground)
        return LF_OK;
    lf_vec3 x = {instance->pose.rows[0].x, instance->pose.rows[1].x, instance->pose.rows[2].x};
    lf_stance stance;
    // The lift has raised it: it is set down from the height it would have without.
    lf_vec3 point = lifted(instance->ground, instance->pose.translation, -instance->lift);
    lf_status status = lf_ground_stand(instance->ground, &instance->footprint, point, x, &stance, NULL);
    scene->ground_tests++;
    if (status != LF_OK)
        return status;
    instance->stance = stance;
    if (!stance.stands)
        return LF_OK;
    lf_vec3 forward = stance.forward, normal = stance.normal;
    lf_vec3 left = lf_vec3_unit(lf_vec3_cross(normal, forward));
    lf_pose pose = {
        {{forward.x, left.x, normal.x}, {forward.y, left.y, normal.y}, {forward.z, left.z, normal.z}},
        lifted(instance->ground, stance.position, instance->lift)};
    if (!lf_pose_rigid(&pose) || !lf__within_limit(pose.translation))
        return LF_OK;
    lf__instance_pose(scene, instance, &pose);
    return LF_OK;
}

lf_status lf_instance_follow(lf_scene *scene, lf_instance id, const lf_ground *ground,
                             const lf_footprint *footprint, double lift) {
    lf__instance *instance = lf__instance_find(scene, id);
    if (!instance)
        return LF_BAD_ARGUMENT;
    if (!ground) {
        instance->ground = NULL;
        return LF_OK;
    }
    if (!footprint || !isfinite(lift) || fabs(lift) > LF__SCENE_LIMIT)
        return LF_BAD_ARGUMENT;
    lf__instance before = *instance;
    instance->ground = ground;
    instance->footprint = *footprint;
    instance->lift = lift;
    instance->stance = (lf_stance){.stands = false};
    // The first time it comes from where it is, not from where a lift had put it.
    instance->pose.translation = lifted(ground, before.pose.translation, lift);
    lf_status status = lf__instance_set_down(scene, instance);
    if (status != LF_OK)
        *instance = before;
    else if (!instance->stance.stands)
        instance->pose = before.pose;
    else if (instance->fresh)
        instance->old_pose = instance->pose;
    return status;
}

lf_status lf_instance_stance(const lf_scene *scene, lf_instance id, lf_stance *stance) {
    const lf__instance *instance = lf__instance_find(scene, id);
    if (!instance || !instance->ground || !stance)
        return LF_BAD_ARGUMENT;
    *stance = instance->stance;
    return LF_OK;
}
