/// Boxes against the scene.
#include "scene/scene.h"

static bool box_valid(lf_box box) {
    return !lf_box_is_empty(box) && lf_vec3_finite(box.low) && lf_vec3_finite(box.high);
}

static lf_status begin(lf_scene *scene, lf_box box, int64_t capacity, const void *room, int64_t *count) {
    if (!scene || !box_valid(box) || capacity < 0 || (capacity > 0 && !room) || !count)
        return LF_BAD_ARGUMENT;
    *count = 0;
    return lf_scene_update(scene);
}

lf_status lf_scene_instances_in(lf_scene *scene, lf_box box, lf_instance *instances, int64_t capacity,
                                int64_t *count, lf_cursor *cursor) {
    lf_status status = begin(scene, box, capacity, instances, count);
    if (status != LF_OK)
        return status;
    lf_counters cost = {.questions = 1};
    const lf_box *boxes = scene->boxes.items;
    for (int64_t i = 0; i < scene->boxes.count; i++) {
        cost.nodes++;
        if (!lf_box_overlap(boxes[i], box))
            continue;
        if (*count < capacity)
            instances[*count] = lf__instance_id(scene, (uint32_t)i);
        ++*count;
    }
    lf__cursor_count(cursor, &cost);
    return *count > capacity ? LF_PARTIAL : LF_OK;
}

lf_status lf_scene_parts_in(lf_scene *scene, lf_box box, lf_part *parts, int64_t capacity, int64_t *count,
                            lf_cursor *cursor) {
    lf_status status = begin(scene, box, capacity, parts, count);
    if (status != LF_OK)
        return status;
    lf_counters cost = {.questions = 1};
    const lf_box *boxes = scene->boxes.items;
    for (int64_t i = 0; i < scene->boxes.count; i++) {
        if (!lf_box_overlap(boxes[i], box))
            continue;
        uint32_t top = lf__instance_at(scene, (uint32_t)i)->top, at = top;
        while (at != LF__NOWHERE) {
            const lf__part *part = lf__part_at(scene, at);
            cost.nodes++;
            if (!lf_box_overlap(lf__part_box_now(scene, part), box)) {
                at = lf__part_beside(scene, at, top);
                continue;
            }
            if (part->form.kind != LF_SHAPE_SOLID) {
                if (*count < capacity)
                    parts[*count] = lf__part_id(scene, at);
                ++*count;
            }
            at = lf__part_after(scene, at, top);
        }
    }
    lf__cursor_count(cursor, &cost);
    return *count > capacity ? LF_PARTIAL : LF_OK;
}
