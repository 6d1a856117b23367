/// Steps: time passes, things move, watches look.
#include "scene/watch.h"
#include <stdlib.h>

/// A thing is where it was foreseen when no side of its box is off by more than this share of its size.
#define FORESEEN 1e-6

static void carry(lf_scene *scene, lf__instance *instance, double dt) {
    if (instance->motion != LF_MOTION_CARRIED)
        return;
    lf_pose pose = instance->pose;
    pose.translation = lf_vec3_along(pose.translation, dt, instance->velocity);
    if (!lf__within_limit(pose.translation))
        return;
    lf_pose turn;
    double angle = lf_vec3_length(instance->spin) * dt;
    if (angle > 0 && lf_pose_turn((lf_vec3){0, 0, 0}, instance->spin, angle, &turn) == LF_OK) {
        lf__rows_product(turn.rows, instance->pose.rows, pose.rows);
        lf__pose_straighten(&pose);
    }
    lf__instance_pose(scene, instance, &pose);
}

static bool side_off(double now, double foreseen, double most) {
    return !(fabs(now - foreseen) <= most);
}

/// Is an instance where its last stamp said it would be?
static bool is_foreseen(const lf_scene *scene, const lf__instance *instance, const lf__part *top) {
    if (!instance->told || instance->fresh || instance->part_velocities > 0 || top->changed == scene->steps)
        return false;
    lf_vec3 v = instance->velocity, told = instance->told_velocity;
    double most = 1e-9 * (fabs(told.x) + fabs(told.y) + fabs(told.z));
    if (side_off(v.x, told.x, most) || side_off(v.y, told.y, most) || side_off(v.z, told.z, most))
        return false;
    lf_box now = lf__part_box_now(scene, top);
    lf_box was = lf__box_moved(instance->told_box, lf_vec3_scale(told, scene->time - instance->told_time));
    double off = FORESEEN * lf_vec3_length(lf_vec3_sub(now.high, now.low));
    return lf_box_is_empty(now) ||
           !(side_off(now.low.x, was.low.x, off) || side_off(now.low.y, was.low.y, off) ||
             side_off(now.low.z, was.low.z, off) || side_off(now.high.x, was.high.x, off) ||
             side_off(now.high.y, was.high.y, off) || side_off(now.high.z, was.high.z, off));
}

static void stamp(lf_scene *scene, lf__instance *instance) {
    const lf__part *top = lf__part_at(scene, instance->top);
    if (is_foreseen(scene, instance, top))
        return;
    instance->stamp = scene->steps;
    instance->told = true;
    instance->told_velocity = instance->velocity;
    instance->told_box = lf__part_box_now(scene, top);
    instance->told_time = scene->time;
}

/// Do something to every instance.
static void with_all(lf_scene *scene, void (*act)(lf_scene *scene, lf__instance *instance)) {
    for (int64_t i = 0; i < scene->instances.array.count; i++)
        if (lf__instance_at(scene, (uint32_t)i)->slot.live)
            act(scene, lf__instance_at(scene, (uint32_t)i));
}

static void end_step(lf_scene *scene, lf__instance *instance) {
    (void)scene;
    instance->old_pose = instance->pose;
    instance->fresh = false;
}

/// The order of events: by time, then by watch, things and kind. No two events of a step are equal in all of these.
static int by_time(const void *first, const void *second) {
    const lf_event *a = first, *b = second;
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time ? -1 : 1;
    if (a->watch.index != b->watch.index)
        return a->watch.index < b->watch.index ? -1 : 1;
    int order = lf__thing_compare(a->a, b->a);
    if (order == 0)
        order = lf__thing_compare(a->b, b->b);
    return order ? order : (a->kind > b->kind) - (a->kind < b->kind);
}

/// Carry, set down and measure everything.
static void move_all(lf_scene *scene, double dt) {
    for (int64_t i = 0; i < scene->instances.array.count; i++)
        if (lf__instance_at(scene, (uint32_t)i)->slot.live)
            carry(scene, lf__instance_at(scene, (uint32_t)i), dt);
    with_all(scene, lf__instance_set_down);
    lf__scene_refresh(scene);
    scene->time += dt;
    lf__velocities_note(scene);
    with_all(scene, stamp);
}

/// Let every watch look. Watches, tables of pairs and candidates are pointed at meanwhile, so nothing may be changed.
/// watch  the one at work when it ended
static lf_status look_all(lf_scene *scene, double dt, int64_t *watch) {
    scene->events.count = 0;
    lf_status status = lf__work(scene, scene->instances.array.count) ? LF_OK : LF_CANCELLED;
    for (int64_t i = 0; i < scene->watches.array.count && status == LF_OK; i++)
        if (lf__pool_at(&scene->watches, (uint32_t)i)->live) {
            *watch = i;
            status = lf__watch_look(scene, (uint32_t)i, dt);
        }
    if (scene->events.count > 1)
        qsort(scene->events.items, (size_t)scene->events.count, sizeof(lf_event), by_time);
    return status;
}

lf_status lf_scene_step(lf_scene *scene, double dt, lf_error *error) {
    if (!scene || !(dt > 0 && isfinite(dt)))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a step of %g seconds", dt);
    if (scene->building > 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "lf_scene_step: not allowed from an object's build function");
    lf_status status = lf__scene_may_change(scene, "lf_scene_step", error);
    if (status != LF_OK)
        return status;
    int64_t watch = -1;
    scene->held = "a function that lf_scene_step calls";
    scene->cancelled = false;
    move_all(scene, dt);
    status = look_all(scene, dt, &watch);
    with_all(scene, end_step);
    scene->steps++;
    lf__work_tell(scene);
    scene->held = NULL;
    return status == LF_OK ? LF_OK : lf__fail(error, status, watch, "%s", lf_status_text(status));
}

lf_status lf_scene_events(const lf_scene *scene, const lf_event **events, int64_t *count) {
    if (!scene || !events || !count || scene->held)
        return LF_BAD_ARGUMENT;
    *events = scene->events.items;
    *count = scene->events.count;
    return LF_OK;
}
