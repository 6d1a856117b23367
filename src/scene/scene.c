/// Scenes: tags, objects, steps, and the scene itself.
#include "scene/scene.h"
#include "base/base.h"
#include "base/system.h"
#include "scene/watch.h"
#include "scene/world.h"
#include <landfall/scene.h>
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------
// Tags
// ---------------------------------------------------------------------------------------------------

// A scene has few different tags, and each is a bit.

static int tag_known(const lf_scene *scene, const char *tag) {
    for (int i = 0; i < scene->tag_count; i++)
        if (strcmp(scene->tags[i], tag) == 0)
            return i;
    return -1;
}

lf_status lf__tag_number(lf_scene *scene, const char *tag, int *number) {
    *number = tag_known(scene, tag);
    if (*number >= 0)
        return LF_OK;
    if (scene->tag_count == LF__TAGS_MAX)
        return LF_TOO_LARGE;
    if (!scene->tags) {
        void *items;
        lf_status status = lf__allocate_array(&scene->allocator, LF__TAGS_MAX, sizeof *scene->tags, &items);
        if (status != LF_OK)
            return status;
        scene->tags = items;
    }
    memcpy(scene->tags[scene->tag_count], tag, strlen(tag) + 1);
    *number = scene->tag_count++;
    return LF_OK;
}

lf_status lf_part_set_tag(lf_scene *scene, lf_part id, const char *tag, bool has) {
    lf__part *part = lf__part_to_change(scene, id);
    if (!part || !lf__name_valid(tag))
        return LF_BAD_ARGUMENT;
    int number = tag_known(scene, tag);
    lf_status status = has ? lf__tag_number(scene, tag, &number) : LF_OK;
    if (status != LF_OK)
        return status;
    if (has)
        part->tags |= (uint64_t)1 << number;
    else if (number >= 0)
        part->tags &= ~((uint64_t)1 << number);
    return LF_OK;
}

lf_status lf_scene_tagged(const lf_scene *scene, const char *tag, lf_part *parts, int64_t capacity,
                          int64_t *count) {
    if (!scene || !lf__name_valid(tag) || capacity < 0 || (capacity > 0 && !parts) || !count)
        return LF_BAD_ARGUMENT;
    *count = 0;
    int number = tag_known(scene, tag);
    if (number < 0)
        return LF_OK;
    for (int64_t i = 0; i < scene->parts.array.count; i++) {
        const lf__part *part = lf__part_at(scene, (uint32_t)i);
        if (!part->slot.live || part->instance == LF__NO_INDEX || !(part->tags >> number & 1))
            continue;
        if (*count < capacity)
            parts[*count] = lf__part_id(scene, (uint32_t)i);
        ++*count;
    }
    return *count > capacity ? LF_PARTIAL : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Objects
// ---------------------------------------------------------------------------------------------------

static lf_status object_check_def(const lf_object_def *def, lf_error *error) {
    if (def->name && def->name[0] && !lf__name_valid(def->name))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "name: expected at most %d bytes", LF__NAME_SIZE - 1);
    int64_t count = def->parameter_count;
    if (count < 0 || count > LF_OBJECT_PARAMETERS ||
        (count > 0 && (!def->parameters || !def->parameter_values)))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "parameter_count %lld: expected 0..%d, with names and values", (long long)count,
                        LF_OBJECT_PARAMETERS);
    for (int i = 0; i < count; i++) {
        if (!lf__name_valid(def->parameters[i]))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "parameter %d: expected a name of 1..%d bytes", i,
                            LF__NAME_SIZE - 1);
        if (!isfinite(def->parameter_values[i]))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "parameter %s: not finite", def->parameters[i]);
        for (int j = 0; j < i; j++)
            if (strcmp(def->parameters[i], def->parameters[j]) == 0)
                return lf__fail(error, LF_BAD_ARGUMENT, i, "parameter %s: named twice", def->parameters[i]);
    }
    if (def->cull_levels < LF_CULL_LEVELS_AUTO)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "cull_levels %d: expected 0 or more, or LF_CULL_LEVELS_AUTO", def->cull_levels);
    return LF_OK;
}

static lf_status object_fill(lf_scene *scene, uint32_t index, const lf_object_def *def) {
    void *items;
    lf_status status =
        lf__allocate_array(&scene->allocator, def->parameter_count, sizeof(lf__parameter), &items);
    if (status != LF_OK)
        return status;
    lf__object *object = (lf__object *)lf__pool_at(&scene->objects, index);
    object->parameters = items;
    object->parameter_count = (int)def->parameter_count;
    for (int i = 0; i < def->parameter_count; i++) {
        memcpy(object->parameters[i].name, def->parameters[i], strlen(def->parameters[i]) + 1);
        object->parameters[i].value = def->parameter_values[i];
    }
    if (def->name)
        memcpy(object->name, def->name, strlen(def->name) + 1);
    object->build = def->build;
    object->user = def->user;
    object->cull_levels = def->cull_levels;
    return lf__part_make(scene, LF__NO_INDEX, &object->top);
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
        status = object_check_def(&def, error);
    if (status != LF_OK)
        return status;
    uint32_t index;
    status = lf__pool_add(&scene->objects, &scene->allocator, &index);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    lf__object *fresh = (lf__object *)lf__pool_at(&scene->objects, index);
    fresh->top = LF__NO_INDEX;
    status = object_fill(scene, index, &def);
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
    if (object->top != LF__NO_INDEX)
        lf__part_free(scene, object->top);
    lf__free_array(&scene->allocator, object->parameters, object->parameter_count,
                   sizeof *object->parameters);
    size_t offset = (size_t)((char *)object - (char *)scene->objects.array.items);
    lf__pool_remove(&scene->objects, (uint32_t)(offset / scene->objects.item));
}

lf_status lf_object_remove(lf_scene *scene, lf_object id) {
    lf__object *object = scene ? lf__pool_find(&scene->objects, id.index, id.generation) : NULL;
    if (!object || lf__scene_holder(scene))
        return LF_BAD_ARGUMENT;
    lf__object_free(scene, object);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Steps
// ---------------------------------------------------------------------------------------------------

/// An instance matches its forecast when no side of its box deviates by more than this share of its size.
#define STEP_FORECAST_ERROR 1e-6

static void step_move(lf_scene *scene, lf__instance *instance, double dt) {
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

static bool side_off(double now, double forecast, double most) {
    return !(fabs(now - forecast) <= most);
}

/// Does an instance match its last forecast?
static bool matches_forecast(const lf_scene *scene, const lf__instance *instance, const lf__part *top) {
    if (!instance->has_forecast || instance->fresh || instance->part_velocities > 0 ||
        top->changed == scene->steps)
        return false;
    lf_vec3 v = instance->velocity, forecast = instance->forecast_velocity;
    double most = 1e-9 * (fabs(forecast.x) + fabs(forecast.y) + fabs(forecast.z));
    if (side_off(v.x, forecast.x, most) || side_off(v.y, forecast.y, most) || side_off(v.z, forecast.z, most))
        return false;
    lf_box now = lf__part_box_now(scene, top);
    lf_box was =
        lf__box_moved(instance->forecast_box, lf_vec3_scale(forecast, scene->time - instance->forecast_time));
    double off = STEP_FORECAST_ERROR * lf_vec3_length(lf_vec3_sub(now.high, now.low));
    return lf_box_is_empty(now) ||
           !(side_off(now.low.x, was.low.x, off) || side_off(now.low.y, was.low.y, off) ||
             side_off(now.low.z, was.low.z, off) || side_off(now.high.x, was.high.x, off) ||
             side_off(now.high.y, was.high.y, off) || side_off(now.high.z, was.high.z, off));
}

static void stamp(lf_scene *scene, lf__instance *instance) {
    const lf__part *top = lf__part_at(scene, instance->top);
    if (matches_forecast(scene, instance, top))
        return;
    instance->stamp = scene->steps;
    instance->has_forecast = true;
    instance->forecast_velocity = instance->velocity;
    instance->forecast_box = lf__part_box_now(scene, top);
    instance->forecast_time = scene->time;
}

/// Call a function for every instance.
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

/// The order of events: by time, then by watch, by the two sides and by kind. No two events of a step are
/// equal in all of these.
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

/// Move all instances, set them down on their grounds, and measure their velocities.
static void move_all(lf_scene *scene, double dt) {
    for (int64_t i = 0; i < scene->instances.array.count; i++)
        if (lf__instance_at(scene, (uint32_t)i)->slot.live)
            step_move(scene, lf__instance_at(scene, (uint32_t)i), dt);
    with_all(scene, lf__instance_set_down);
    lf__scene_refresh(scene);
    scene->time += dt;
    lf__velocities_note(scene);
    with_all(scene, stamp);
}

/// Run every watch. Pointers to watches, tables of pairs and candidates are held meanwhile, so nothing may be
/// changed.
/// watch  the last one that ran
static lf_status step_watches(lf_scene *scene, double dt, int64_t *watch) {
    scene->events.count = 0;
    lf_status status = lf__work(scene, scene->instances.array.count) ? LF_OK : LF_CANCELLED;
    for (int64_t i = 0; i < scene->watches.array.count && status == LF_OK; i++)
        if (lf__pool_at(&scene->watches, (uint32_t)i)->live) {
            *watch = i;
            status = lf__watch_step(scene, (uint32_t)i, dt);
        }
    if (scene->events.count > 1)
        qsort(scene->events.items, (size_t)scene->events.count, sizeof(lf_event), by_time);
    return status;
}

lf_status lf_scene_step(lf_scene *scene, double dt, lf_error *error) {
    if (!scene || !(dt > 0 && isfinite(dt)))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "dt %g: expected seconds above 0", dt);
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
    status = step_watches(scene, dt, &watch);
    with_all(scene, end_step);
    scene->steps++;
    lf__work_report(scene);
    scene->held = NULL;
    if (status == LF_OK && scene->world)
        status = lf_scene_update(scene);
    return status == LF_OK ? LF_OK : lf__fail(error, status, watch, "%s", lf_status_text(status));
}

lf_status lf_scene_events(const lf_scene *scene, const lf_event **events, int64_t *count) {
    if (!scene || !events || !count || scene->held)
        return LF_BAD_ARGUMENT;
    *events = scene->events.items;
    *count = scene->events.count;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Scenes
// ---------------------------------------------------------------------------------------------------

LF__ENUM_NAME(lf_shape_name, lf_shape_kind, LF_SHAPE_LIST, LF_NAME_CASE_4)

static double system_clock(void *user) {
    (void)user;
    return lf__clock();
}

lf_status lf_scene_create(const lf_scene_def *given, lf_scene **scene, lf_error *error) {
    lf_scene_def def = lf_scene_def_default();
    if (given) {
        lf_status status = lf__def_read(&def, sizeof def, given, error);
        if (status != LF_OK)
            return status;
    }
    if (!scene)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "scene is NULL");
    if (!(def.thickness > 0 && def.thickness <= LF__SCENE_LIMIT))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "thickness %g: expected above 0 and at most 1e30",
                        def.thickness);
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_scene *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_scene));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_scene){.allocator = allocator, .thickness = def.thickness};
    if (def.host.progress)
        fresh->progress = *def.host.progress;
    fresh->clock = def.clock ? def.clock : system_clock;
    fresh->clock_user = def.clock_user;
    lf__pool_start(&fresh->parts, sizeof(lf__part));
    lf__pool_start(&fresh->objects, sizeof(lf__object));
    lf__pool_start(&fresh->instances, sizeof(lf__instance));
    lf__watches_start(fresh);
    fresh->listed = fresh->culled = -1;
    *scene = fresh;
    return LF_OK;
}

lf_status lf__scene_may_change(const lf_scene *scene, const char *call, lf_error *error) {
    const char *holder = lf__scene_holder(scene);
    if (!holder)
        return LF_OK;
    return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s: not allowed from %s", call, holder);
}

void lf_scene_destroy(lf_scene *scene) {
    if (!scene || lf__scene_holder(scene) || scene->building > 0)
        return;
    lf_allocator allocator = scene->allocator;
    lf__watches_free(scene);
    lf__world_free(scene);
    for (int64_t i = 0; i < scene->instances.array.count; i++) {
        lf__instance *instance = lf__instance_at(scene, (uint32_t)i);
        if (instance->slot.live)
            lf__instance_free(scene, instance);
    }
    for (int64_t i = 0; i < scene->objects.array.count; i++) {
        lf__object *object = (lf__object *)lf__pool_at(&scene->objects, (uint32_t)i);
        if (object->slot.live)
            lf__object_free(scene, object);
    }
    lf__pool_free(&scene->instances, &allocator);
    lf__pool_free(&scene->objects, &allocator);
    lf__pool_free(&scene->parts, &allocator);
    lf_cull_destroy(scene->cull);
    lf__array_free(&scene->kept, &allocator, sizeof(int64_t));
    lf__ray_tree_free(scene);
    lf__array_free(&scene->boxes, &allocator, sizeof(lf_box));
    lf__free_array(&allocator, scene->tags, LF__TAGS_MAX, sizeof *scene->tags);
    lf__free(&allocator, scene, sizeof *scene, _Alignof(lf_scene));
}

lf_scene_stats lf_scene_describe(const lf_scene *scene) {
    lf_scene_stats stats = {.instance_count = scene->instances.live_count,
                            .part_count = scene->parts.live_count,
                            .watch_count = scene->watches.live_count,
                            .part_boxes = scene->part_boxes,
                            .vertices = scene->vertices,
                            .pair_tests = scene->pair_tests,
                            .sleeping_pairs = scene->sleeping_pairs,
                            .ground_tests = scene->ground_tests,
                            .steps = scene->steps,
                            .time = scene->time};
    return stats;
}

void lf__work_report(lf_scene *scene) {
    scene->work_reported = scene->work;
    if (!scene->progress.report)
        return;
    // The caller may hold pointers into the arrays.
    const char *held = scene->held;
    scene->held = "the scene's progress function";
    if (!scene->progress.report(scene->progress.user, "scene", scene->work, -1))
        scene->cancelled = true;
    scene->held = held;
}

bool lf__work_of(lf_scene *scene, lf_cursor *cursor) {
    lf_counters cost = cursor->counters;
    cursor->counters = (lf_counters){0};
    return lf__work(scene, (int64_t)(4 + cost.nodes + 2 * cost.cells + 2 * cost.triangles + 8 * cost.exact +
                                     cost.decoded));
}

static bool go_on(lf_cursor *cursor) {
    return lf__work_of(cursor->go_on_user, cursor);
}

lf_cursor lf__work_cursor(lf_scene *scene) {
    lf_cursor cursor = {.layers = UINT32_MAX, .go_on = go_on, .go_on_user = scene};
    return cursor;
}

bool lf__name_valid(const char *name) {
    if (!name || !name[0])
        return false;
    size_t length = 0;
    while (length < LF__NAME_SIZE && name[length])
        length++;
    return length < LF__NAME_SIZE;
}
