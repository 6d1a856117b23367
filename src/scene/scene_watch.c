/// Watches: creating and removing, their members, and the table of pairs that a watch remembers.
#include "pairs/pairs.h"
#include "scene/watch.h"

// ---------------------------------------------------------------------------------------------------
// Table of pairs
// ---------------------------------------------------------------------------------------------------

static uint64_t hash_of(lf_thing a, lf_thing b) {
    const uint32_t names[8] = {a.instance.index, a.instance.generation, a.part.index, a.part.generation,
                               b.instance.index, b.instance.generation, b.part.index, b.part.generation};
    uint64_t hash = 0;
    for (int i = 0; i < 8; i += 2)
        hash = lf__table_hash(hash, (uint64_t)names[i] << 32 | names[i + 1]);
    return hash;
}

static bool pair_same_thing(lf_thing a, lf_thing b) {
    return a.instance.index == b.instance.index && a.instance.generation == b.instance.generation &&
           a.part.index == b.part.index && a.part.generation == b.part.generation;
}

lf__watch_pair *lf__pair_table_find(const lf__pair_table *table, lf_thing a, lf_thing b) {
    const lf__table_entry *entry = lf__table_find(&table->places, hash_of(a, b));
    for (; entry; entry = lf__table_next(&table->places, entry)) {
        lf__watch_pair *pair = &table->pairs[entry->value];
        if (pair_same_thing(pair->a, a) && pair_same_thing(pair->b, b))
            return pair;
    }
    return NULL;
}

static lf_status pair_table_reserve(lf_scene *scene, lf__pair_table *table) {
    lf_status status = lf__table_reserve(&table->places, &scene->allocator, 1);
    if (status != LF_OK)
        return status;
    void *pairs = table->pairs;
    status = lf__grow(&scene->allocator, &pairs, &table->capacity, table->count + 1, sizeof *table->pairs);
    table->pairs = pairs;
    return status;
}

lf_status lf__pair_table_add(lf_scene *scene, lf__pair_table *table, lf_thing a, lf_thing b,
                             lf__watch_pair **pair) {
    lf_status status = pair_table_reserve(scene, table);
    if (status != LF_OK)
        return status;
    table->pairs[table->count] =
        (lf__watch_pair){.a = a, .b = b, .sleep = -LF_INFINITY, .tested_step = -1, .seen = -1};
    lf__table_add(&table->places, hash_of(a, b), (uint64_t)table->count);
    *pair = &table->pairs[table->count++];
    return LF_OK;
}

void lf__pair_table_prune(lf__pair_table *table) {
    int64_t kept = 0;
    for (int64_t i = 0; i < table->count; i++) {
        const lf__watch_pair *pair = &table->pairs[i];
        if (pair->touching || pair->predicted || pair->sleep > -LF_INFINITY)
            table->pairs[kept++] = *pair;
    }
    if (kept == table->count)
        return;
    table->count = kept;
    lf__table_clear(&table->places);
    for (int64_t i = 0; i < kept; i++)
        lf__table_add(&table->places, hash_of(table->pairs[i].a, table->pairs[i].b), (uint64_t)i);
}

static void pair_table_free(lf_scene *scene, lf__pair_table *table) {
    lf__table_free(&table->places, &scene->allocator);
    lf__free(&scene->allocator, table->pairs, (size_t)table->capacity * sizeof *table->pairs, LF__CACHE_LINE);
    *table = (lf__pair_table){0};
}

// ---------------------------------------------------------------------------------------------------
// Members
// ---------------------------------------------------------------------------------------------------

/// Steps without a change after which a member counts as static.
#define CALM_STEPS 8

static bool member_fits(const lf_scene *scene, const lf__watch_side *side, lf_thing thing) {
    switch (side->kind) {
    case LF_WATCH_FILTER_ANYTHING:
        return lf_part_is_none(thing.part);
    case LF_WATCH_FILTER_INSTANCE:
        return lf_part_is_none(thing.part) && thing.instance.index == side->instance.index &&
               thing.instance.generation == side->instance.generation;
    case LF_WATCH_FILTER_PART:
        return thing.part.generation != 0 && thing.part.index == side->part.index &&
               thing.part.generation == side->part.generation;
    case LF_WATCH_FILTER_TAG:
        return thing.part.generation != 0 && (lf__part_at(scene, thing.part.index)->tags >> side->tag & 1);
    case LF_WATCH_FILTER_NOTHING: // members that touch no other are reported
        return lf_part_is_none(thing.part);
    case LF_WATCH_FILTER_GROUND:
        break;
    }
    return false;
}

/// The sides of a watch that a thing matches, as bits.
static uint32_t member_sides(const lf_scene *scene, const lf__watch *watch, lf_thing thing) {
    return (member_fits(scene, &watch->a, thing) ? LF__SIDE_A : 0) |
           (member_fits(scene, &watch->b, thing) ? LF__SIDE_B : 0);
}

/// Reserve the numbers of members for this many instances or parts; new ones are 0.
static lf_status reserve_numbers(lf_scene *scene, uint32_t **numbers, int64_t *capacity, int64_t count) {
    int64_t old = *capacity;
    void *items = *numbers;
    lf_status status = lf__grow(&scene->allocator, &items, capacity, count, sizeof **numbers);
    *numbers = items;
    if (status == LF_OK && *capacity > old)
        memset(*numbers + old, 0, (size_t)(*capacity - old) * sizeof **numbers);
    return status;
}

static bool same_thing(lf_thing a, lf_thing b) {
    return lf__thing_compare(a, b) == 0;
}

static bool same_box(lf_box a, lf_box b) {
    return a.low.x == b.low.x && a.low.y == b.low.y && a.low.z == b.low.z && a.high.x == b.high.x &&
           a.high.y == b.high.y && a.high.z == b.high.z;
}

static void member_remove(lf__watch *watch, int64_t number) {
    lf__member *member = &watch->members[number];
    if (member->box.generation != 0)
        lf_pairs_remove(watch->pairs, member->box);
    bool part = member->thing.part.generation != 0;
    uint32_t *numbers = part ? watch->of_part : watch->of_instance;
    uint32_t index = part ? member->thing.part.index : member->thing.instance.index;
    if (numbers[index] == (uint32_t)number + 1)
        numbers[index] = 0;
    *member = (lf__member){.in_use = false};
}

static lf_status member_reserve(lf_scene *scene, lf__watch *watch, int64_t *number) {
    for (int64_t i = watch->member_free; i < watch->member_count; i++)
        if (!watch->members[i].in_use) {
            watch->member_free = i + 1;
            *number = i;
            return LF_OK;
        }
    watch->member_free = watch->member_count;
    void *members = watch->members;
    lf_status status = lf__grow(&scene->allocator, &members, &watch->member_capacity, watch->member_count + 1,
                                sizeof *watch->members);
    watch->members = members;
    if (status != LF_OK)
        return status;
    *number = watch->member_count++;
    watch->members[*number] = (lf__member){.in_use = false};
    watch->member_free = watch->member_count;
    return LF_OK;
}

/// Update a member's box in the search for pairs.
static lf_status member_put_box(lf_scene *scene, lf__watch *watch, int64_t number) {
    lf__member *member = &watch->members[number];
    // A little longer than the time ahead: predictions stay valid until they exceed it by the slack.
    lf_box around = lf__thing_reach(scene, member->thing, watch->ahead * (1 + watch->def.slack));
    if (lf_box_is_empty(around)) {
        if (member->box.generation != 0)
            lf_pairs_remove(watch->pairs, member->box);
        member->box = (lf_pairs_id){0, 0};
        return LF_OK;
    }
    lf_vec3 gap = {watch->def.gap, watch->def.gap, watch->def.gap};
    around = (lf_box){lf_vec3_sub(around.low, gap), lf_vec3_add(around.high, gap)};
    if (member->box.generation != 0) {
        bool still = same_box(around, member->around);
        member->calm = still ? member->calm + 1 : 0;
        if (member->calm == CALM_STEPS)
            lf__pairs_mark(watch->pairs, member->box, false);
        if (still)
            return LF_OK;
        lf__pairs_mark(watch->pairs, member->box, true);
        member->around = around;
        return lf_pairs_move(watch->pairs, member->box, &around);
    }
    uint32_t meets =
        (member->sides & LF__SIDE_A ? LF__SIDE_B : 0) | (member->sides & LF__SIDE_B ? LF__SIDE_A : 0);
    lf_pairs_item item = {around, (uint64_t)number, member->sides, meets, true};
    member->around = around;
    member->calm = 0;
    return lf_pairs_add(watch->pairs, &item, &member->box, NULL);
}

/// Add a thing to the members where it matches a side, and update it.
static lf_status member_add(lf_scene *scene, lf__watch *watch, lf_thing thing) {
    uint32_t sides = member_sides(scene, watch, thing);
    if (!lf__work(scene, 4))
        return LF_CANCELLED;
    if (sides == 0)
        return LF_OK;
    bool part = thing.part.generation != 0;
    uint32_t index = part ? thing.part.index : thing.instance.index;
    uint32_t *numbers = part ? watch->of_part : watch->of_instance;
    if (numbers[index] != 0) {
        const lf__member *member = &watch->members[numbers[index] - 1];
        if (!same_thing(member->thing, thing) || member->sides != sides)
            member_remove(watch, numbers[index] - 1);
    }
    int64_t number = (int64_t)numbers[index] - 1;
    if (number < 0) {
        lf_status status = member_reserve(scene, watch, &number);
        if (status != LF_OK)
            return status;
        watch->members[number] = (lf__member){.thing = thing, .sides = sides, .in_use = true};
        numbers[index] = (uint32_t)number + 1;
    }
    watch->members[number].seen = scene->steps;
    return watch->pairs ? member_put_box(scene, watch, number) : LF_OK;
}

bool lf__member_calm(const lf__member *member) {
    return member->calm >= CALM_STEPS;
}

static bool side_has_parts(const lf__watch_side *side) {
    return side->kind == LF_WATCH_FILTER_PART || side->kind == LF_WATCH_FILTER_TAG;
}

static bool side_has_instances(const lf__watch_side *side) {
    return side->kind == LF_WATCH_FILTER_INSTANCE || side->kind == LF_WATCH_FILTER_ANYTHING ||
           side->kind == LF_WATCH_FILTER_NOTHING;
}

static lf_status members_add_all(lf_scene *scene, lf__watch *watch) {
    lf_status status = LF_OK;
    if (side_has_instances(&watch->a) || side_has_instances(&watch->b)) {
        int64_t count = scene->instances.array.count;
        status = reserve_numbers(scene, &watch->of_instance, &watch->of_instance_count, count);
        for (int64_t i = 0; i < count && status == LF_OK; i++)
            if (lf__instance_at(scene, (uint32_t)i)->slot.live)
                status = member_add(scene, watch, (lf_thing){lf__instance_id(scene, (uint32_t)i), {0, 0}});
    }
    if (status == LF_OK && (side_has_parts(&watch->a) || side_has_parts(&watch->b))) {
        int64_t count = scene->parts.array.count;
        status = reserve_numbers(scene, &watch->of_part, &watch->of_part_count, count);
        for (int64_t i = 0; i < count && status == LF_OK; i++) {
            const lf__part *part = lf__part_at(scene, (uint32_t)i);
            if (part->slot.live && part->instance != LF__NO_INDEX)
                status = member_add(
                    scene, watch,
                    (lf_thing){lf__instance_id(scene, part->instance), lf__part_id(scene, (uint32_t)i)});
        }
    }
    return status;
}

lf_status lf__members_refresh(lf_scene *scene, lf__watch *watch) {
    watch->member_free = 0;
    lf_status status = members_add_all(scene, watch);
    if (status != LF_OK)
        return status;
    for (int64_t i = 0; i < watch->member_count; i++)
        if (watch->members[i].in_use && watch->members[i].seen != scene->steps)
            member_remove(watch, i);
    return LF_OK;
}

static void members_free(lf_scene *scene, lf__watch *watch) {
    const lf_allocator *allocator = &scene->allocator;
    lf_pairs_destroy(watch->pairs);
    lf__free(allocator, watch->members, (size_t)watch->member_capacity * sizeof *watch->members,
             LF__CACHE_LINE);
    lf__free(allocator, watch->of_instance, (size_t)watch->of_instance_count * sizeof *watch->of_instance,
             LF__CACHE_LINE);
    lf__free(allocator, watch->of_part, (size_t)watch->of_part_count * sizeof *watch->of_part,
             LF__CACHE_LINE);
}

// ---------------------------------------------------------------------------------------------------
// Watches
// ---------------------------------------------------------------------------------------------------

LF__ENUM_NAME(lf_watch_precision_name, lf_watch_precision, LF_WATCH_LIST, LF_NAME_CASE_4)

LF__ENUM_NAME(lf_event_name, lf_event_kind, LF_EVENT_LIST, LF_NAME_CASE_4)

void lf__watches_start(lf_scene *scene) {
    lf__pool_start(&scene->watches, sizeof(lf__watch));
}

static void free_watch(lf_scene *scene, lf__watch *watch) {
    pair_table_free(scene, &watch->table);
    members_free(scene, watch);
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

static lf_status read_side(lf_scene *scene, const lf_watch_filter *given, const char *name,
                           lf__watch_side *side, lf_error *error) {
    *side = (lf__watch_side){given->kind, given->instance, given->part, -1};
    switch (given->kind) {
    case LF_WATCH_FILTER_ANYTHING:
    case LF_WATCH_FILTER_GROUND:
    case LF_WATCH_FILTER_NOTHING:
        return LF_OK;
    case LF_WATCH_FILTER_INSTANCE:
        if (!lf__instance_find(scene, given->instance))
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "side %s: the instance does not exist", name);
        return LF_OK;
    case LF_WATCH_FILTER_PART: {
        const lf__part *part = lf__part_find(scene, given->part);
        if (!part || part->instance == LF__NO_INDEX)
            return lf__fail(error, LF_BAD_ARGUMENT, -1,
                            "side %s: the part does not exist, or belongs to no instance", name);
        side->instance = lf__instance_id(scene, part->instance);
        return LF_OK;
    }
    case LF_WATCH_FILTER_TAG: {
        if (!lf__name_valid(given->tag))
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "side %s: a tag has 1 to %d bytes", name,
                            LF__NAME_SIZE - 1);
        lf_status status = lf__tag_number(scene, given->tag, &side->tag);
        return status == LF_OK
                   ? LF_OK
                   : lf__fail(error, status, -1, "tag \"%s\": cannot be added; a scene has at most 64 tags",
                              given->tag);
    }
    }
    return lf__fail(error, LF_BAD_ARGUMENT, -1, "side %s: kind %d: unknown", name, (int)given->kind);
}

static bool watch_length_valid(double x) {
    return x >= 0 && isfinite(x);
}

static lf_status watch_check_def(const lf_watch_def *def, lf_error *error) {
    if (def->a.kind == LF_WATCH_FILTER_GROUND || def->a.kind == LF_WATCH_FILTER_NOTHING)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "side a: ground and nothing are accepted on side b only");
    if (def->b.kind == LF_WATCH_FILTER_GROUND && !def->ground)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "ground is NULL");
    if (!watch_length_valid(def->ahead) || def->ahead_ticks < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "ahead %g, ahead_ticks %lld: expected finite values of at least 0", def->ahead,
                        (long long)def->ahead_ticks);
    if ((int)def->precision < LF_WATCH_BOXES || def->precision > LF_WATCH_OWN)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "precision %d: unknown", (int)def->precision);
    if ((def->precision == LF_WATCH_OWN) != (def->own != NULL) ||
        (def->precision == LF_WATCH_OWN && def->b.kind == LF_WATCH_FILTER_GROUND))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "own: a function is required for the precision \"own\", and accepted only there and "
                        "not with ground");
    if (def->method && !def->method->boxes)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "method: its function is NULL");
    if (!watch_length_valid(def->gap) || !watch_length_valid(def->slack) || !(def->budget >= 0))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "gap %g, slack %g, budget %g: expected values of at least 0", def->gap, def->slack,
                        def->budget);
    return LF_OK;
}

static bool is_one(const lf__watch_side *side) {
    return side->kind == LF_WATCH_FILTER_INSTANCE || side->kind == LF_WATCH_FILTER_PART;
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
        status = watch_check_def(&def, error);
    lf__watch_side a, b;
    if (status == LF_OK)
        status = read_side(scene, &def.a, "a", &a, error);
    if (status == LF_OK)
        status = read_side(scene, &def.b, "b", &b, error);
    if (status != LF_OK)
        return status;
    uint32_t index;
    status = lf__pool_add(&scene->watches, &scene->allocator, &index);
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
        lf__pool_remove(&scene->watches, index);
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
    lf__pool_remove(&scene->watches, id.index);
    return LF_OK;
}
