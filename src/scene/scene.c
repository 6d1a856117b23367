/// Making, describing and giving back scenes.
#include "scene/scene.h"
#include <landfall/scene.h>
#include <time.h>

const char *lf_shape_name(lf_shape_kind kind) {
    switch (kind) {
#define SHAPE_WORD(name, value, word, text) \
    case name:                              \
        return word;
        LF_SHAPE_LIST(SHAPE_WORD)
#undef SHAPE_WORD
    }
    return "?";
}

static double system_clock(void *user) {
    (void)user;
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the thickness %g is not above 0 and within 1e30",
                        def.thickness);
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_scene *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_scene));
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
    lf__array_free(&scene->boxes, &allocator, sizeof(lf_box));
    lf__give_array(&allocator, scene->tags, LF__TAGS_MOST, sizeof *scene->tags);
    lf__give(&allocator, scene, sizeof *scene, _Alignof(lf_scene));
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

void lf__work_tell(lf_scene *scene) {
    scene->work_told = scene->work;
    if (!scene->progress.report)
        return;
    // Whoever counts work may hold pointers into the arrays.
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
    while (length < LF__NAME_ROOM && name[length])
        length++;
    return length < LF__NAME_ROOM;
}
