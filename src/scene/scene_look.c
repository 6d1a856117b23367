/// Looks at two things by their boxes, and by the boxes of their shapes.
#include "scene/watch.h"

/// When does a line f, from `start` at s = 0 to `end` at s = 1, come to 0 or below, and when does it leave? Narrows [first, last].
static void narrow(double start, double end, double *first, double *last) {
    if (start <= 0 && end <= 0)
        return;
    if (start > 0 && end > 0) {
        *first = LF_INFINITY;
        return;
    }
    double cross = start / (start - end);
    if (start > 0)
        *first = fmax(*first, cross);
    else
        *last = fmin(*last, cross);
}

/// Each side of a box moves evenly: whether they meet, and when, is a matter of six lines.
static double step_contact(lf_box a0, lf_box a1, lf_box b0, lf_box b1) {
    if (lf_box_overlap(a0, b0))
        return 0;
    double first = 0, last = 1;
    narrow(a0.low.x - b0.high.x, a1.low.x - b1.high.x, &first, &last);
    narrow(b0.low.x - a0.high.x, b1.low.x - a1.high.x, &first, &last);
    narrow(a0.low.y - b0.high.y, a1.low.y - b1.high.y, &first, &last);
    narrow(b0.low.y - a0.high.y, b1.low.y - a1.high.y, &first, &last);
    narrow(a0.low.z - b0.high.z, a1.low.z - b1.high.z, &first, &last);
    narrow(b0.low.z - a0.high.z, b1.low.z - a1.high.z, &first, &last);
    // Rounding of two crossings must not part what touches for an instant.
    if (first <= last * (1 + 4e-16))
        return first;
    return lf_box_overlap(a1, b1) ? 1 : LF_INFINITY;
}

static lf_moving_box moving(const lf_scene *scene, const lf__part *part) {
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    lf_moving_box box = {lf__part_box_now(scene, part), lf__part_velocity(scene, part), instance->spin,
                         instance->pose.translation};
    return box;
}

static double ahead_contact(const lf__look *look, const lf__part *a, const lf__part *b) {
    lf_moving_box first = moving(look->scene, a), second = moving(look->scene, b);
    lf_contact_rules rules = lf_contact_rules_default();
    rules.method = look->watch->def.method;
    rules.ahead = look->span;
    rules.tick = look->watch->tick;
    lf_contact_result meeting;
    if (lf_contact_boxes_by(&first, &second, &rules, &meeting) != LF_OK || !meeting.meets)
        return LF_INFINITY;
    return meeting.time;
}

static lf_box widened(lf_box box, double gap) {
    lf_vec3 by = {gap, gap, gap};
    return (lf_box){lf_vec3_sub(box.low, by), lf_vec3_add(box.high, by)};
}

double lf__look_boxes(const lf__look *look, uint32_t a, uint32_t b) {
    const lf_scene *scene = look->scene;
    const lf__part *first = lf__part_at(scene, a), *second = lf__part_at(scene, b);
    if (lf_box_is_empty(first->box) || lf_box_is_empty(second->box))
        return LF_INFINITY;
    lf_box now_a = lf__part_box_now(scene, first), now_b = lf__part_box_now(scene, second);
    if (look->mode == LF__LOOK_NOW)
        return lf_box_overlap(widened(now_a, look->gap), now_b) ? 0 : LF_INFINITY;
    if (look->mode == LF__LOOK_AHEAD)
        return ahead_contact(look, first, second);
    double share =
        step_contact(lf__part_box_before(scene, first), now_a, lf__part_box_before(scene, second), now_b);
    return share <= 1 ? share * look->span : LF_INFINITY;
}

lf_box lf__look_reach(const lf__look *look, uint32_t index) {
    if (look->mode == LF__LOOK_NOW)
        return widened(lf__part_box_now(look->scene, lf__part_at(look->scene, index)), look->gap);
    return lf__part_reach(look->scene, index, look->mode == LF__LOOK_AHEAD ? look->span : 0);
}

/// The shapes of a thing whose boxes can come near a box.
static lf_status gather(lf__look *look, uint32_t top, lf_box near, lf__array *shapes) {
    lf_scene *scene = look->scene;
    shapes->count = 0;
    for (uint32_t i = top; i != LF__NOWHERE; i = lf__part_after(scene, i, top)) {
        if (!lf__work(scene, 4))
            return LF_CANCELLED;
        if (lf__part_at(scene, i)->form.kind == LF_SHAPE_SOLID ||
            !lf_box_overlap(lf__look_reach(look, i), near))
            continue;
        lf_status status = lf__array_reserve(shapes, &scene->allocator, 1, sizeof(uint32_t));
        if (status != LF_OK)
            return status;
        ((uint32_t *)shapes->items)[shapes->count++] = i;
    }
    return LF_OK;
}

static lf_box near_thing(const lf__look *look, lf_thing thing) {
    if (look->mode == LF__LOOK_NOW)
        return lf__look_reach(look, lf__thing_part(look->scene, thing));
    return lf__thing_reach(look->scene, thing, look->mode == LF__LOOK_AHEAD ? look->span : 0);
}

lf_status lf__look_gather(lf__look *look) {
    lf_scene *scene = look->scene;
    lf_status status =
        gather(look, lf__thing_part(scene, look->a), near_thing(look, look->b), &scene->shapes_a);
    if (status == LF_OK)
        status = gather(look, lf__thing_part(scene, look->b), near_thing(look, look->a), &scene->shapes_b);
    return status;
}

lf_status lf__look_parts(lf__look *look) {
    lf_scene *scene = look->scene;
    look->time = LF_INFINITY;
    look->part_a = look->part_b = LF__NOWHERE;
    lf_status status = lf__look_gather(look);
    if (status != LF_OK)
        return status;
    const uint32_t *a = scene->shapes_a.items, *b = scene->shapes_b.items;
    for (int64_t i = 0; i < scene->shapes_a.count; i++) {
        if (!lf__work(scene, 4 * scene->shapes_b.count))
            return LF_CANCELLED;
        for (int64_t j = 0; j < scene->shapes_b.count; j++) {
            double time = lf__look_boxes(look, a[i], b[j]);
            if (time < look->time) {
                look->time = time;
                look->part_a = a[i];
                look->part_b = b[j];
            }
        }
    }
    return LF_OK;
}
