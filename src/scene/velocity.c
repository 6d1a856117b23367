/// Velocities: given, or measured by the centres of boxes.
#include "scene/scene.h"

lf_status lf__trail_make(const lf_allocator *allocator, lf__trail *track, int steps) {
    void *where, *when;
    lf_status status = lf__take_array(allocator, steps + 1, sizeof *track->where, &where);
    if (status != LF_OK)
        return status;
    status = lf__take_array(allocator, steps + 1, sizeof *track->when, &when);
    if (status != LF_OK) {
        lf__give_array(allocator, where, steps + 1, sizeof *track->where);
        return status;
    }
    *track = (lf__trail){steps, 0, 0, where, when};
    return LF_OK;
}

void lf__trail_free(const lf_allocator *allocator, lf__trail *track) {
    lf__give_array(allocator, track->when, track->steps + 1, sizeof *track->when);
    lf__give_array(allocator, track->where, track->steps + 1, sizeof *track->where);
    *track = (lf__trail){0};
}

void lf__trail_forget(lf__trail *track) {
    track->count = 0;
}

void lf__trail_note(lf__trail *track, lf_vec3 where, double when) {
    int places = track->steps + 1;
    track->newest = (track->newest + 1) % places;
    track->where[track->newest] = where;
    track->when[track->newest] = when;
    if (track->count < places)
        track->count++;
}

lf_vec3 lf__trail_velocity(const lf__trail *track) {
    lf_vec3 none = {0, 0, 0};
    if (track->count < 2)
        return none;
    int places = track->steps + 1;
    int oldest = (track->newest + places - (track->count - 1)) % places;
    double seconds = track->when[track->newest] - track->when[oldest];
    if (!(seconds > 0))
        return none;
    return lf_vec3_scale(lf_vec3_sub(track->where[track->newest], track->where[oldest]), 1 / seconds);
}

static void note_instance(lf_scene *scene, lf__instance *instance) {
    const lf__part *top = lf__part_at(scene, instance->top);
    if (lf_box_is_empty(top->box)) {
        lf__trail_forget(&instance->track);
    } else {
        lf__trail_note(&instance->track, lf_box_centre(lf__part_box_now(scene, top)), scene->time);
    }
    if (instance->motion == LF_MOTION_MEASURED)
        instance->velocity = lf__trail_velocity(&instance->track);
}

void lf__velocities_note(lf_scene *scene) {
    for (int64_t i = 0; i < scene->instances.array.count; i++) {
        lf__instance *instance = lf__instance_at(scene, (uint32_t)i);
        if (instance->slot.live)
            note_instance(scene, instance);
    }
    for (int64_t i = 0; i < scene->parts.array.count && scene->tracked_parts > 0; i++) {
        lf__part *part = lf__part_at(scene, (uint32_t)i);
        if (!part->slot.live || !part->track)
            continue;
        if (lf_box_is_empty(part->box))
            lf__trail_forget(part->track);
        else
            lf__trail_note(part->track, lf_box_centre(lf__part_box_now(scene, part)), scene->time);
    }
}

lf_status lf_instance_set_velocity_steps(lf_scene *scene, lf_instance id, int steps) {
    lf__instance *instance = lf__instance_to_change(scene, id);
    if (!instance || steps < 1 || steps > LF_VELOCITY_STEPS)
        return LF_BAD_ARGUMENT;
    lf__trail track;
    lf_status status = lf__trail_make(&scene->allocator, &track, steps);
    if (status != LF_OK)
        return status;
    lf__trail_free(&scene->allocator, &instance->track);
    instance->track = track;
    return LF_OK;
}

lf_status lf_part_measure(lf_scene *scene, lf_part id, int steps) {
    lf__part *part = lf__part_to_change(scene, id);
    if (!part || part->instance == LF__NOWHERE || steps < 0 || steps > LF_VELOCITY_STEPS)
        return LF_BAD_ARGUMENT;
    lf__trail *track = NULL;
    if (steps > 0) {
        track = lf__take(&scene->allocator, sizeof *track, _Alignof(lf__trail));
        if (!track)
            return LF_NO_MEMORY;
        lf_status status = lf__trail_make(&scene->allocator, track, steps);
        if (status != LF_OK) {
            lf__give(&scene->allocator, track, sizeof *track, _Alignof(lf__trail));
            return status;
        }
    }
    lf__part_untrack(scene, part);
    part->track = track;
    if (track) {
        scene->tracked_parts++;
        lf__instance_at(scene, part->instance)->part_velocities++;
    }
    return LF_OK;
}

void lf__part_untrack(lf_scene *scene, lf__part *part) {
    if (!part->track)
        return;
    lf__trail_free(&scene->allocator, part->track);
    lf__give(&scene->allocator, part->track, sizeof *part->track, _Alignof(lf__trail));
    part->track = NULL;
    scene->tracked_parts--;
    lf__instance_at(scene, part->instance)->part_velocities--;
}

lf_status lf_part_set_velocity(lf_scene *scene, lf_part id, const lf_vec3 *velocity) {
    lf__part *part = lf__part_to_change(scene, id);
    if (!part || part->instance == LF__NOWHERE || (velocity && !lf__within_limit(*velocity)))
        return LF_BAD_ARGUMENT;
    lf__instance_at(scene, part->instance)->part_velocities += (velocity != NULL) - part->given;
    part->given = velocity != NULL;
    part->velocity = velocity ? *velocity : (lf_vec3){0, 0, 0};
    return LF_OK;
}

lf_vec3 lf__part_velocity(const lf_scene *scene, const lf__part *part) {
    uint32_t instance = part->instance;
    for (;;) {
        if (part->given)
            return part->velocity;
        if (part->track && part->track->count >= 2)
            return lf__trail_velocity(part->track);
        if (part->above == LF__NOWHERE)
            return lf__instance_at(scene, instance)->velocity;
        part = lf__part_at(scene, part->above);
    }
}

lf_status lf_part_velocity(const lf_scene *scene, lf_part id, lf_vec3 *velocity) {
    const lf__part *part = lf__part_find(scene, id);
    if (!part || part->instance == LF__NOWHERE || !velocity)
        return LF_BAD_ARGUMENT;
    *velocity = lf__part_velocity(scene, part);
    return LF_OK;
}
