/// Instances: copies of objects that are placed and move in the scene, and that may follow a ground.
#include "scene/scene.h"

// ---------------------------------------------------------------------------------------------------
// Following a ground
// ---------------------------------------------------------------------------------------------------

static lf_vec3 lifted(const lf_ground *ground, lf_vec3 point, double lift) {
    lf_frame frame = lf_ground_frame(ground);
    return lf_vec3_along(point, -lift, lf_frame_down(&frame, point));
}

/// The pose of an instance that stands on the ground; unchanged where it cannot stand.
static lf_status follow_stand(lf_scene *scene, lf__follow *follow, lf_pose *pose) {
    lf_vec3 x = {pose->rows[0].x, pose->rows[1].x, pose->rows[2].x};
    // The lift has raised it: it is set down from its height without the lift.
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
    if (follow_stand(scene, instance->follow, &pose) == LF_OK) // where down is undefined it keeps its pose
        lf__instance_pose(scene, instance, &pose);
}

static void follow_free(lf_scene *scene, lf__instance *instance) {
    lf__free(&scene->allocator, instance->follow, sizeof *instance->follow, _Alignof(lf__follow));
    instance->follow = NULL;
}

lf_status lf_instance_follow(lf_scene *scene, lf_instance id, const lf_ground *ground,
                             const lf_footprint *footprint, double lift) {
    lf__instance *instance = lf__instance_to_change(scene, id);
    if (!instance)
        return LF_BAD_ARGUMENT;
    if (!ground) {
        follow_free(scene, instance);
        return LF_OK;
    }
    if (!footprint || !isfinite(lift) || fabs(lift) > LF__SCENE_LIMIT)
        return LF_BAD_ARGUMENT;
    lf__follow *follow = lf__allocate(&scene->allocator, sizeof *follow, _Alignof(lf__follow));
    if (!follow)
        return LF_NO_MEMORY;
    *follow = (lf__follow){.ground = ground, .footprint = *footprint, .lift = lift};
    // The first time it starts from its own position, which includes no lift.
    lf_pose pose = instance->pose;
    pose.translation = lifted(ground, pose.translation, lift);
    lf_status status = follow_stand(scene, follow, &pose);
    if (status != LF_OK) {
        lf__free(&scene->allocator, follow, sizeof *follow, _Alignof(lf__follow));
        return status;
    }
    follow_free(scene, instance);
    instance->follow = follow;
    if (follow->stance.stands)
        lf__instance_pose(scene, instance, &pose);
    if (instance->fresh)
        instance->old_pose = instance->pose;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Instances
// ---------------------------------------------------------------------------------------------------

static bool pose_valid(const lf_pose *pose) {
    return lf_pose_rigid(pose) && lf__within_limit(pose->translation);
}

static bool factors_valid(lf_vec3 factors) {
    return lf__within_limit(factors) && factors.x != 0 && factors.y != 0 && factors.z != 0;
}

static bool motion_valid(lf_motion motion, lf_vec3 velocity, lf_vec3 spin) {
    return (int)motion >= LF_MOTION_MEASURED && motion <= LF_MOTION_CARRIED && lf__within_limit(velocity) &&
           lf__within_limit(spin);
}

static lf_status instance_check_def(const lf_instance_def *def, const lf__object *object, lf_error *error) {
    if (!pose_valid(&def->pose))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "pose: not rigid, or not within 1e30");
    if (!factors_valid(def->scale))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "scale (%g, %g, %g): expected finite factors other than 0", def->scale.x,
                        def->scale.y, def->scale.z);
    if (!motion_valid(def->motion, def->velocity, def->spin))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "motion %d: unknown kind, or velocity or spin not within 1e30", (int)def->motion);
    if (def->velocity_steps < 1 || def->velocity_steps > LF_VELOCITY_STEPS)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "velocity_steps %d: expected 1..%d", def->velocity_steps,
                        LF_VELOCITY_STEPS);
    if (def->parameter_count < 0 || def->parameter_count > object->parameter_count ||
        (def->parameter_count > 0 && !def->parameters))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "parameter_count %lld: expected 0..%d, and an array",
                        (long long)def->parameter_count, object->parameter_count);
    for (int i = 0; i < def->parameter_count; i++)
        if (isinf(def->parameters[i]))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "parameter %s: not finite",
                            object->parameters[i].name);
    return LF_OK;
}

static void fill_values(lf__instance *instance, const lf_instance_def *def, const lf__object *object) {
    memcpy(instance->name, object->name, sizeof instance->name);
    instance->object = def->object;
    instance->pose = instance->old_pose = def->pose;
    instance->scale = def->scale;
    instance->motion = def->motion;
    instance->user = def->user;
    instance->cull_levels = object->cull_levels;
    instance->fresh = true;
    if (def->motion != LF_MOTION_MEASURED)
        instance->velocity = def->velocity, instance->spin = def->spin;
}

static lf_status instance_fill(lf_scene *scene, uint32_t index, const lf_instance_def *def,
                               const lf__object *object) {
    lf__instance *instance = lf__instance_at(scene, index);
    lf_status status = lf__trail_make(&scene->allocator, &instance->track, def->velocity_steps);
    if (status != LF_OK)
        return status;
    void *items;
    status = lf__allocate_array(&scene->allocator, object->parameter_count, sizeof(lf__parameter), &items);
    if (status != LF_OK)
        return status;
    instance->parameters = items;
    instance->parameter_count = object->parameter_count;
    for (int i = 0; i < object->parameter_count; i++) {
        instance->parameters[i] = object->parameters[i];
        if (i < def->parameter_count && !isnan(def->parameters[i]))
            instance->parameters[i].value = def->parameters[i];
    }
    uint32_t from = object->top;
    status = lf__part_make(scene, index, &instance->top);
    if (status != LF_OK)
        return status;
    lf__part *top = lf__part_at(scene, instance->top);
    top->paint = def->colour.opacity < 0 ? lf__part_at(scene, from)->paint : def->colour;
    return lf__part_copy_below(scene, from, instance->top);
}

/// Copy what the topmost part of an object has itself: transforms, tags, a user value.
static lf_status copy_top(lf_scene *scene, uint32_t from, uint32_t to) {
    lf__part *top = lf__part_at(scene, to);
    const lf__part *part = lf__part_at(scene, from);
    lf_status status =
        lf__array_reserve(&top->transforms, &scene->allocator, part->transforms.count, sizeof(lf__transform));
    if (status != LF_OK)
        return status;
    if (part->transforms.count > 0)
        memcpy(top->transforms.items, part->transforms.items,
               (size_t)part->transforms.count * sizeof(lf__transform));
    top->transforms.count = part->transforms.count;
    top->own = part->own;
    top->tags = part->tags;
    top->user = part->user;
    return LF_OK;
}

/// Let the object's build function adapt the copy to the parameters.
static lf_status instance_build(lf_scene *scene, lf_instance id, const lf__object *object, lf_error *error) {
    lf_status (*function)(void *, lf_scene *, lf_part, const double *) = object->build;
    void *user = object->user;
    double values[LF_OBJECT_PARAMETERS];
    const lf__instance *instance = lf__instance_at(scene, id.index);
    if (scene->building >= LF__BUILD_DEPTH_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1,
                        "build: functions create instances inside each other, more than %d deep",
                        LF__BUILD_DEPTH_MAX);
    for (int i = 0; i < instance->parameter_count; i++)
        values[i] = instance->parameters[i].value;
    scene->building++;
    lf_status status = function(user, scene, lf__part_id(scene, instance->top), values);
    scene->building--;
    if (status < 0)
        return lf__fail(error, status, -1, "build: the object's function returned: %s",
                        lf_status_text(status));
    if (!lf__instance_find(scene, id))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "build: the object's function removed the instance");
    return LF_OK;
}

lf_status lf_instance_create(lf_scene *scene, const lf_instance_def *given, lf_instance *instance,
                             lf_error *error) {
    lf_instance_def def = lf_instance_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    const lf__object *object =
        scene ? lf__pool_find(&scene->objects, def.object.index, def.object.generation) : NULL;
    if (!object || !instance)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "object: does not exist, or instance is NULL");
    status = lf__scene_may_change(scene, "lf_instance_create", error);
    if (status == LF_OK)
        status = instance_check_def(&def, object, error);
    if (status != LF_OK)
        return status;
    uint32_t index;
    status = lf__pool_add(&scene->instances, &scene->allocator, &index);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    lf__instance *fresh = lf__instance_at(scene, index);
    fresh->top = LF__NO_INDEX;
    scene->touched++;
    lf_instance id = {index, fresh->slot.generation};
    fill_values(fresh, &def, object);
    status = instance_fill(scene, index, &def, object);
    if (status == LF_OK)
        status = copy_top(scene, object->top, fresh->top);
    if (status != LF_OK)
        lf__fail_plain(error, status);
    else if (object->build)
        status = instance_build(scene, id, object, error);
    if (status != LF_OK) {
        if (lf__instance_find(scene, id))
            lf__instance_free(scene, lf__instance_at(scene, index));
        return status;
    }
    *instance = id;
    return LF_OK;
}

void lf__instance_free(lf_scene *scene, lf__instance *instance) {
    if (instance->top != LF__NO_INDEX)
        lf__part_free(scene, instance->top);
    lf__free_array(&scene->allocator, instance->parameters, instance->parameter_count,
                   sizeof *instance->parameters);
    lf__trail_free(&scene->allocator, &instance->track);
    follow_free(scene, instance);
    scene->touched++;
    size_t offset = (size_t)((char *)instance - (char *)scene->instances.array.items);
    lf__pool_remove(&scene->instances, (uint32_t)(offset / scene->instances.item));
}

lf_status lf_instance_remove(lf_scene *scene, lf_instance id) {
    lf__instance *instance = lf__instance_to_change(scene, id);
    if (!instance)
        return LF_BAD_ARGUMENT;
    lf__instance_free(scene, instance);
    return LF_OK;
}

lf_status lf_instance_describe(const lf_scene *scene, lf_instance id, lf_instance_info *info) {
    const lf__instance *instance = lf__instance_find(scene, id);
    if (!instance || !info)
        return LF_BAD_ARGUMENT;
    *info = (lf_instance_info){.object = instance->object,
                               .name = instance->name,
                               .top = lf__part_id(scene, instance->top),
                               .pose = instance->pose,
                               .scale = instance->scale,
                               .motion = instance->motion,
                               .velocity = instance->velocity,
                               .spin = instance->spin,
                               .parameter_count = instance->parameter_count,
                               .user = instance->user,
                               .stance = instance->follow ? &instance->follow->stance : NULL};
    return LF_OK;
}

lf_status lf_instance_parameter(const lf_scene *scene, lf_instance id, const char *name, double *value) {
    const lf__instance *instance = lf__instance_find(scene, id);
    if (!instance || !name || !value)
        return LF_BAD_ARGUMENT;
    for (int i = 0; i < instance->parameter_count; i++)
        if (strcmp(instance->parameters[i].name, name) == 0) {
            *value = instance->parameters[i].value;
            return LF_OK;
        }
    return LF_BAD_ARGUMENT;
}

lf_status lf_scene_instances(const lf_scene *scene, lf_instance *instances, int64_t capacity,
                             int64_t *count) {
    if (!scene || capacity < 0 || (capacity > 0 && !instances) || !count)
        return LF_BAD_ARGUMENT;
    *count = 0;
    for (int64_t i = 0; i < scene->instances.array.count; i++) {
        const lf__instance *instance = lf__instance_at(scene, (uint32_t)i);
        if (!instance->slot.live)
            continue;
        if (*count < capacity)
            instances[*count] = (lf_instance){(uint32_t)i, instance->slot.generation};
        ++*count;
    }
    return *count > capacity ? LF_PARTIAL : LF_OK;
}

void lf__instance_pose(lf_scene *scene, lf__instance *instance, const lf_pose *pose) {
    bool turned = !lf__rows_same(instance->pose.rows, pose->rows);
    scene->touched++;
    instance->pose = *pose;
    if (turned)
        lf__part_touch(scene, instance->top, true, false);
}

lf_status lf_instance_set_pose(lf_scene *scene, lf_instance id, const lf_pose *pose, bool jump) {
    lf__instance *instance = lf__instance_to_change(scene, id);
    if (!instance || !pose || !pose_valid(pose))
        return LF_BAD_ARGUMENT;
    lf__instance_pose(scene, instance, pose);
    if (!jump)
        return LF_OK;
    instance->fresh = true;
    instance->old_pose = instance->pose;
    lf__trail_forget(&instance->track);
    for (uint32_t i = instance->top; i != LF__NO_INDEX; i = lf__part_after(scene, i, instance->top))
        if (lf__part_at(scene, i)->track)
            lf__trail_forget(lf__part_at(scene, i)->track);
    return LF_OK;
}

lf_status lf_instance_move(lf_scene *scene, lf_instance id, lf_vec3 by) {
    lf__instance *instance = lf__instance_to_change(scene, id);
    lf_vec3 to = instance ? lf_vec3_add(instance->pose.translation, by) : by;
    if (!instance || !lf__within_limit(to))
        return LF_BAD_ARGUMENT;
    instance->pose.translation = to;
    scene->touched++;
    return LF_OK;
}

void lf__pose_straighten(lf_pose *pose) {
    pose->rows[0] = lf_vec3_unit(pose->rows[0]);
    lf_vec3 z = lf_vec3_unit(lf_vec3_cross(pose->rows[0], pose->rows[1]));
    pose->rows[1] = lf_vec3_cross(z, pose->rows[0]);
    pose->rows[2] = z;
}

lf_status lf_instance_turn(lf_scene *scene, lf_instance id, lf_vec3 axis, double angle) {
    lf__instance *instance = lf__instance_to_change(scene, id);
    lf_pose turn;
    if (!instance || lf_pose_turn((lf_vec3){0, 0, 0}, axis, angle, &turn) != LF_OK)
        return LF_BAD_ARGUMENT;
    lf_pose pose = instance->pose;
    lf__rows_product(turn.rows, instance->pose.rows, pose.rows);
    lf__pose_straighten(&pose);
    lf__instance_pose(scene, instance, &pose);
    return LF_OK;
}

lf_status lf_instance_scale(lf_scene *scene, lf_instance id, lf_vec3 factors) {
    lf__instance *instance = lf__instance_to_change(scene, id);
    if (!instance)
        return LF_BAD_ARGUMENT;
    lf_vec3 old = instance->scale;
    lf_vec3 scale = {old.x * factors.x, old.y * factors.y, old.z * factors.z};
    if (!factors_valid(factors) || !factors_valid(scale))
        return LF_BAD_ARGUMENT;
    instance->scale = scale;
    lf__part_touch(scene, instance->top, true, false);
    return LF_OK;
}

lf_status lf_instance_set_motion(lf_scene *scene, lf_instance id, lf_motion motion, lf_vec3 velocity,
                                 lf_vec3 spin, int steps) {
    lf__instance *instance = lf__instance_to_change(scene, id);
    lf_vec3 zero = {0, 0, 0};
    if (motion == LF_MOTION_MEASURED)
        velocity = spin = zero;
    if (!instance || !motion_valid(motion, velocity, spin) || steps < 0 || steps > LF_VELOCITY_STEPS)
        return LF_BAD_ARGUMENT;
    if (steps > 0) {
        lf__trail track;
        lf_status status = lf__trail_make(&scene->allocator, &track, steps);
        if (status != LF_OK)
            return status;
        lf__trail_free(&scene->allocator, &instance->track);
        instance->track = track;
    }
    instance->motion = motion;
    instance->velocity = motion == LF_MOTION_MEASURED ? lf__trail_velocity(&instance->track) : velocity;
    instance->spin = spin;
    return LF_OK;
}
