/// Watches: made and ended.
#include "scene/watch.h"

const char *lf_watch_level_name(lf_watch_level level) {
    static const char *const words[] = {
#define LEVEL_WORD(name, value, word, text) word,
        LF_WATCH_LIST(LEVEL_WORD)
#undef LEVEL_WORD
    };
    return (int)level >= 0 && level <= LF_WATCH_OWN ? words[level] : "?";
}

const char *lf_event_name(lf_event_kind kind) {
    static const char *const words[] = {
#define EVENT_WORD(name, value, word, text) word,
        LF_EVENT_LIST(EVENT_WORD)
#undef EVENT_WORD
    };
    return (int)kind >= 0 && kind <= LF_EVENT_CLEARED ? words[kind] : "?";
}

void lf__watches_start(lf_scene *scene) {
    lf__pool_start(&scene->watches, sizeof(lf__watch));
}

static void free_watch(lf_scene *scene, lf__watch *watch) {
    lf__couples_free(scene, &watch->table);
    lf__members_free(scene, watch);
}

void lf__watches_free(lf_scene *scene) {
    const lf_allocator *allocator = &scene->allocator;
    for (int64_t i = 0; i < scene->watches.array.count; i++) {
        lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, (uint32_t)i);
        if (watch->slot.live)
            free_watch(scene, watch);
    }
    lf__pool_free(&scene->watches, allocator);
    lf__array_free(&scene->events, allocator, sizeof(lf_event));
    lf__array_free(&scene->shapes_a, allocator, sizeof(uint32_t));
    lf__array_free(&scene->shapes_b, allocator, sizeof(uint32_t));
    lf__array_free(&scene->candidates, allocator, sizeof(lf__candidate));
    lf__array_free(&scene->movers, allocator, sizeof(lf_vec3));
    lf__array_free(&scene->soup, allocator, sizeof(lf_vec3));
    lf__array_free(&scene->soup_numbers, allocator, sizeof(int64_t));
}

static lf_status read_side(lf_scene *scene, const lf_watch_filter *given, const char *side, lf__who *who,
                           lf_error *error) {
    *who = (lf__who){given->kind, given->instance, given->part, -1};
    switch (given->kind) {
    case LF_WATCH_FILTER_ANYTHING:
    case LF_WATCH_FILTER_GROUND:
    case LF_WATCH_FILTER_NOTHING:
        return LF_OK;
    case LF_WATCH_FILTER_INSTANCE:
        if (!lf__instance_find(scene, given->instance))
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "side %s: there is no such instance", side);
        return LF_OK;
    case LF_WATCH_FILTER_PART: {
        const lf__part *part = lf__part_find(scene, given->part);
        if (!part || part->instance == LF__NOWHERE)
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "side %s: there is no such part of an instance",
                            side);
        who->instance = lf__instance_id(scene, part->instance);
        return LF_OK;
    }
    case LF_WATCH_FILTER_TAG: {
        if (!lf__name_valid(given->tag))
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "side %s: a tag has 1 to %d bytes", side,
                            LF__NAME_ROOM - 1);
        lf_status status = lf__tag_number(scene, given->tag, &who->tag);
        return status == LF_OK ? LF_OK
                               : lf__fail(error, status, -1, "no room for the tag \"%s\"", given->tag);
    }
    }
    return lf__fail(error, LF_BAD_ARGUMENT, -1, "side %s: there is no kind %d", side, (int)given->kind);
}

static bool length_valid(double x) {
    return x >= 0 && isfinite(x);
}

static lf_status check_def(const lf_watch_def *def, lf_error *error) {
    if (def->a.kind == LF_WATCH_FILTER_GROUND || def->a.kind == LF_WATCH_FILTER_NOTHING)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "ground and nothing are for side b");
    if (def->b.kind == LF_WATCH_FILTER_GROUND && !def->ground)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "ground is NULL");
    if (!length_valid(def->ahead) || def->ahead_ticks < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%g seconds, %lld ticks ahead", def->ahead,
                        (long long)def->ahead_ticks);
    if ((int)def->level < LF_WATCH_BOXES || def->level > LF_WATCH_OWN)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no level %d", (int)def->level);
    if ((def->level == LF_WATCH_OWN) != (def->own != NULL) ||
        (def->level == LF_WATCH_OWN && def->b.kind == LF_WATCH_FILTER_GROUND))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "a function of one's own goes with the level \"own\" and not with ground");
    if ((int)def->method < LF_CONTACT_EXACT || def->method > LF_CONTACT_SPHERES_BISECTION)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no method %d", (int)def->method);
    if (!length_valid(def->gap) || !length_valid(def->slack) || !(def->budget >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a gap of %g, a slack of %g, a budget of %g", def->gap,
                        def->slack, def->budget);
    return LF_OK;
}

static bool is_one(const lf__who *who) {
    return who->kind == LF_WATCH_FILTER_INSTANCE || who->kind == LF_WATCH_FILTER_PART;
}

lf_status lf_watch_create(lf_scene *scene, const lf_watch_def *given, lf_watch *watch, lf_error *error) {
    lf_watch_def def = lf_watch_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!scene)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "scene is NULL");
    status = lf__scene_may_change(scene, "lf_watch_create", error);
    if (status == LF_OK)
        status = check_def(&def, error);
    lf__who a, b;
    if (status == LF_OK)
        status = read_side(scene, &def.a, "a", &a, error);
    if (status == LF_OK)
        status = read_side(scene, &def.b, "b", &b, error);
    if (status != LF_OK)
        return status;
    uint32_t index;
    status = lf__pool_take(&scene->watches, &scene->allocator, &index);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    lf__watch *fresh = (lf__watch *)lf__pool_at(&scene->watches, index);
    fresh->def = def;
    fresh->def.a.tag = fresh->def.b.tag = NULL;
    fresh->a = a;
    fresh->b = b;
    if (b.kind != LF_WATCH_FILTER_GROUND && !(is_one(&a) && is_one(&b))) {
        lf_pairs_def pairs = lf_pairs_def_default();
        pairs.host.allocator = &scene->allocator;
        status = lf_pairs_create(&pairs, &fresh->pairs, error);
    }
    if (status != LF_OK) {
        lf__pool_leave(&scene->watches, index);
        return status;
    }
    if (watch)
        *watch = (lf_watch){index, fresh->slot.generation};
    return LF_OK;
}

lf_status lf_watch_remove(lf_scene *scene, lf_watch id) {
    lf__watch *watch = scene ? lf__pool_find(&scene->watches, id.index, id.generation) : NULL;
    if (!watch || lf__scene_holder(scene))
        return LF_BAD_ARGUMENT;
    free_watch(scene, watch);
    lf__pool_leave(&scene->watches, id.index);
    return LF_OK;
}
