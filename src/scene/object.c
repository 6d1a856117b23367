/// Objects: what instances are copies of.
#include "scene/scene.h"

static lf_status check_def(const lf_object_def *def, lf_error *error) {
    if (def->name && def->name[0] && !lf__name_valid(def->name))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "an object's name has at most %d bytes",
                        LF__NAME_ROOM - 1);
    int64_t count = def->parameter_count;
    if (count < 0 || count > LF_OBJECT_PARAMETERS ||
        (count > 0 && (!def->parameters || !def->parameter_values)))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "%lld parameters: not within 0..%d, or without their arrays", (long long)count,
                        LF_OBJECT_PARAMETERS);
    for (int i = 0; i < count; i++) {
        if (!lf__name_valid(def->parameters[i]))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "parameter %d: a name has 1 to %d bytes", i,
                            LF__NAME_ROOM - 1);
        if (!isfinite(def->parameter_values[i]))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "parameter %s is not finite", def->parameters[i]);
        for (int j = 0; j < i; j++)
            if (strcmp(def->parameters[i], def->parameters[j]) == 0)
                return lf__fail(error, LF_BAD_ARGUMENT, i, "parameter %s is there twice", def->parameters[i]);
    }
    return LF_OK;
}

static lf_status fill(lf_scene *scene, uint32_t index, const lf_object_def *def) {
    void *room;
    lf_status status = lf__take_array(&scene->allocator, def->parameter_count, sizeof(lf__parameter), &room);
    if (status != LF_OK)
        return status;
    lf__object *object = (lf__object *)lf__pool_at(&scene->objects, index);
    object->parameters = room;
    object->parameter_count = (int)def->parameter_count;
    for (int i = 0; i < def->parameter_count; i++) {
        memcpy(object->parameters[i].name, def->parameters[i], strlen(def->parameters[i]) + 1);
        object->parameters[i].value = def->parameter_values[i];
    }
    if (def->name)
        memcpy(object->name, def->name, strlen(def->name) + 1);
    object->build = def->build;
    object->user = def->user;
    return lf__part_make(scene, LF__NOWHERE, &object->top);
}

lf_status lf_object_create(lf_scene *scene, const lf_object_def *given, lf_object *object, lf_part *top,
                           lf_error *error) {
    lf_object_def def = lf_object_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!scene || !object)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "scene or object is NULL");
    status = lf__scene_may_change(scene, "lf_object_create", error);
    if (status == LF_OK)
        status = check_def(&def, error);
    if (status != LF_OK)
        return status;
    uint32_t index;
    status = lf__pool_take(&scene->objects, &scene->allocator, &index);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    lf__object *fresh = (lf__object *)lf__pool_at(&scene->objects, index);
    fresh->top = LF__NOWHERE;
    status = fill(scene, index, &def);
    if (status != LF_OK) {
        lf__object_free(scene, fresh);
        return lf__fail_plain(error, status);
    }
    *object = (lf_object){index, fresh->slot.generation};
    if (top)
        *top = lf__part_id(scene, fresh->top);
    return LF_OK;
}

void lf__object_free(lf_scene *scene, lf__object *object) {
    if (object->top != LF__NOWHERE)
        lf__part_drop(scene, object->top);
    lf__give_array(&scene->allocator, object->parameters, object->parameter_count,
                   sizeof *object->parameters);
    size_t offset = (size_t)((char *)object - (char *)scene->objects.array.items);
    lf__pool_leave(&scene->objects, (uint32_t)(offset / scene->objects.item));
}

lf_status lf_object_remove(lf_scene *scene, lf_object id) {
    lf__object *object = scene ? lf__pool_find(&scene->objects, id.index, id.generation) : NULL;
    if (!object || lf__scene_holder(scene))
        return LF_BAD_ARGUMENT;
    lf__object_free(scene, object);
    return LF_OK;
}
