/// Who belongs to a watch of many.
#include "scene/watch.h"

/// Steps without a change after which a thing counts as one that does not move.
#define CALM_STEPS 8

static bool fits(const lf_scene *scene, const lf__who *who, lf_thing thing) {
    switch (who->kind) {
    case LF_WATCH_FILTER_ANYTHING:
        return lf_part_is_none(thing.part);
    case LF_WATCH_FILTER_INSTANCE:
        return lf_part_is_none(thing.part) && thing.instance.index == who->instance.index &&
               thing.instance.generation == who->instance.generation;
    case LF_WATCH_FILTER_PART:
        return thing.part.generation != 0 && thing.part.index == who->part.index &&
               thing.part.generation == who->part.generation;
    case LF_WATCH_FILTER_TAG:
        return thing.part.generation != 0 && (lf__part_at(scene, thing.part.index)->tags >> who->tag & 1);
    case LF_WATCH_FILTER_NOTHING: // touching nothing is told by everything that is not touched
        return lf_part_is_none(thing.part);
    case LF_WATCH_FILTER_GROUND:
        break;
    }
    return false;
}

uint32_t lf__sides_of(const lf_scene *scene, const lf__watch *watch, lf_thing thing) {
    return (fits(scene, &watch->a, thing) ? LF__SIDE_A : 0) |
           (fits(scene, &watch->b, thing) ? LF__SIDE_B : 0);
}

/// Room for numbers of members of so many instances or parts; new ones are 0.
static lf_status reserve_numbers(lf_scene *scene, uint32_t **numbers, int64_t *room, int64_t count) {
    int64_t old = *room;
    void *items = *numbers;
    lf_status status = lf__grow(&scene->allocator, &items, room, count, sizeof **numbers);
    *numbers = items;
    if (status == LF_OK && *room > old)
        memset(*numbers + old, 0, (size_t)(*room - old) * sizeof **numbers);
    return status;
}

static bool same_thing(lf_thing a, lf_thing b) {
    return lf__thing_compare(a, b) == 0;
}

static bool same_box(lf_box a, lf_box b) {
    return a.low.x == b.low.x && a.low.y == b.low.y && a.low.z == b.low.z && a.high.x == b.high.x &&
           a.high.y == b.high.y && a.high.z == b.high.z;
}

static void drop_member(lf__watch *watch, int64_t number) {
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

static lf_status place_for_member(lf_scene *scene, lf__watch *watch, int64_t *number) {
    for (int64_t i = watch->member_free; i < watch->member_count; i++)
        if (!watch->members[i].in_use) {
            watch->member_free = i + 1;
            *number = i;
            return LF_OK;
        }
    watch->member_free = watch->member_count;
    void *members = watch->members;
    lf_status status = lf__grow(&scene->allocator, &members, &watch->member_room, watch->member_count + 1,
                                sizeof *watch->members);
    watch->members = members;
    if (status != LF_OK)
        return status;
    *number = watch->member_count++;
    watch->members[*number] = (lf__member){.in_use = false};
    watch->member_free = watch->member_count;
    return LF_OK;
}

/// Tell the search for pairs where a member is.
static lf_status put_box(lf_scene *scene, lf__watch *watch, int64_t number) {
    lf__member *member = &watch->members[number];
    // A little longer than the time ahead: predictions stand until they are that much beyond.
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
            lf_pairs_mark(watch->pairs, member->box, false);
        if (still)
            return LF_OK;
        lf_pairs_mark(watch->pairs, member->box, true);
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

/// See to it that a thing is a member.
static lf_status enrol(lf_scene *scene, lf__watch *watch, lf_thing thing) {
    uint32_t sides = lf__sides_of(scene, watch, thing);
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
            drop_member(watch, numbers[index] - 1);
    }
    int64_t number = (int64_t)numbers[index] - 1;
    if (number < 0) {
        lf_status status = place_for_member(scene, watch, &number);
        if (status != LF_OK)
            return status;
        watch->members[number] = (lf__member){.thing = thing, .sides = sides, .in_use = true};
        numbers[index] = (uint32_t)number + 1;
    }
    watch->members[number].seen = scene->steps;
    return watch->pairs ? put_box(scene, watch, number) : LF_OK;
}

bool lf__member_calm(const lf__member *member) {
    return member->calm >= CALM_STEPS;
}

static bool wants_parts(const lf__who *who) {
    return who->kind == LF_WATCH_FILTER_PART || who->kind == LF_WATCH_FILTER_TAG;
}

static bool wants_instances(const lf__who *who) {
    return who->kind == LF_WATCH_FILTER_INSTANCE || who->kind == LF_WATCH_FILTER_ANYTHING || who->kind == LF_WATCH_FILTER_NOTHING;
}

static lf_status enrol_all(lf_scene *scene, lf__watch *watch) {
    lf_status status = LF_OK;
    if (wants_instances(&watch->a) || wants_instances(&watch->b)) {
        int64_t count = scene->instances.array.count;
        status = reserve_numbers(scene, &watch->of_instance, &watch->of_instance_count, count);
        for (int64_t i = 0; i < count && status == LF_OK; i++)
            if (lf__instance_at(scene, (uint32_t)i)->slot.live)
                status = enrol(scene, watch, (lf_thing){lf__instance_id(scene, (uint32_t)i), {0, 0}});
    }
    if (status == LF_OK && (wants_parts(&watch->a) || wants_parts(&watch->b))) {
        int64_t count = scene->parts.array.count;
        status = reserve_numbers(scene, &watch->of_part, &watch->of_part_count, count);
        for (int64_t i = 0; i < count && status == LF_OK; i++) {
            const lf__part *part = lf__part_at(scene, (uint32_t)i);
            if (part->slot.live && part->instance != LF__NOWHERE)
                status = enrol(
                    scene, watch,
                    (lf_thing){lf__instance_id(scene, part->instance), lf__part_id(scene, (uint32_t)i)});
        }
    }
    return status;
}

lf_status lf__members_refresh(lf_scene *scene, lf__watch *watch) {
    watch->member_free = 0;
    lf_status status = enrol_all(scene, watch);
    if (status != LF_OK)
        return status;
    for (int64_t i = 0; i < watch->member_count; i++)
        if (watch->members[i].in_use && watch->members[i].seen != scene->steps)
            drop_member(watch, i);
    return LF_OK;
}

void lf__members_free(lf_scene *scene, lf__watch *watch) {
    const lf_allocator *allocator = &scene->allocator;
    lf_pairs_destroy(watch->pairs);
    lf__give(allocator, watch->members, (size_t)watch->member_room * sizeof *watch->members, LF__CACHE_LINE);
    lf__give(allocator, watch->of_instance, (size_t)watch->of_instance_count * sizeof *watch->of_instance,
             LF__CACHE_LINE);
    lf__give(allocator, watch->of_part, (size_t)watch->of_part_count * sizeof *watch->of_part,
             LF__CACHE_LINE);
}
