/// FIXHEAD scene/scene_watch_step.c
#include "scene/watch.h"
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------
// One pair
// ---------------------------------------------------------------------------------------------------

/// What a watch says of one pair: from what is seen in a step to what is told.

/// A pair that is looked at.
typedef struct judged {
    lf_scene *scene;
    lf__watch *watch;
    const lf__candidate *candidate;
    double dt;
    bool coarse;
    bool begun; ///< a contact began in this step, so that a prediction of it has come true
    double own; ///< what the caller's function said; NAN: it has not been asked yet
    lf_part part_a, part_b;
} judged;

static lf_event event_of(const judged *j, lf_event_kind kind, double time) {
    lf_event event = {.kind = kind,
                      .a = j->candidate->a,
                      .b = j->candidate->b,
                      .part_a = j->part_a,
                      .part_b = j->part_b,
                      .time = time,
                      .wait = time - j->scene->time,
                      .coarse = j->coarse};
    return event;
}

lf_status lf__event_tell(lf_scene *scene, const lf__watch *watch, const lf_event *event) {
    if (!(watch->def.events & LF_EVENT_BIT(event->kind)))
        return LF_OK;
    lf_status status = lf__array_reserve(&scene->events, &scene->allocator, 1, sizeof *event);
    if (status != LF_OK)
        return status;
    lf_event *told = (lf_event *)scene->events.items + scene->events.count++;
    *told = *event;
    size_t offset = (size_t)((const char *)watch - (const char *)scene->watches.array.items);
    told->watch = (lf_watch){(uint32_t)(offset / scene->watches.item), watch->slot.generation};
    told->user = watch->def.user;
    return LF_OK;
}

static lf_status couple_tell(const judged *j, lf_event_kind kind, double time) {
    if (j->watch->b.kind == LF_WATCH_FILTER_NOTHING)
        return LF_OK;
    lf_event event = event_of(j, kind, time);
    return lf__event_tell(j->scene, j->watch, &event);
}

lf_status lf__couple_over(lf_scene *scene, const lf__watch *watch, lf__couple *couple) {
    lf__candidate candidate = {couple->a, couple->b, 0, 0, false};
    judged j = {.scene = scene,
                .watch = (lf__watch *)watch,
                .candidate = &candidate,
                .part_a = couple->part_a,
                .part_b = couple->part_b};
    lf_status status = LF_OK;
    if (couple->touching)
        status = couple_tell(&j, LF_EVENT_END, scene->time);
    else if (couple->predicted)
        status = couple_tell(&j, LF_EVENT_CLEARED, scene->time);
    couple->touching = couple->predicted = false;
    couple->sleep = -LF_INFINITY;
    return status;
}

static lf_part id_or_none(const lf_scene *scene, uint32_t index) {
    return lf__part_id(scene, index);
}

/// The caller's function is asked once in a step.
static double ask_own(judged *j, double ahead) {
    if (isnan(j->own)) {
        lf_watch_callback question = {j->scene, j->candidate->a, j->candidate->b, ahead};
        const char *held = j->scene->held;
        j->scene->held = "a watch's own function";
        double seconds = j->watch->def.own(j->watch->def.own_user, &question);
        j->scene->held = held;
        j->own = seconds >= 0 ? seconds : isnan(seconds) ? LF_INFINITY : 0;
        j->scene->pair_tests++;
    }
    return j->own;
}

static double read_clock(lf_scene *scene) {
    const char *held = scene->held;
    scene->held = "the scene's clock function";
    double now = scene->clock(scene->clock_user);
    scene->held = held;
    return now;
}

/// The shapes, as long as the watch's budget lasts, and then their boxes.
static lf_status couple_look_closer(judged *j, lf__look *look) {
    lf__watch *watch = j->watch;
    lf_scene *scene = j->scene;
    bool shapes = watch->def.level == LF_WATCH_CONVEX || watch->def.level == LF_WATCH_MODEL;
    bool limited = isfinite(watch->def.budget);
    if (shapes && limited && watch->spent >= watch->def.budget) {
        shapes = false;
        j->coarse = true;
    }
    if (!shapes) {
        scene->pair_tests++;
        return lf__look_parts(look);
    }
    double start = limited ? read_clock(scene) : 0;
    lf_status status = lf__look_shapes(look);
    if (limited)
        watch->spent += fmax(read_clock(scene) - start, 0);
    return status;
}

/// One look by the watch's level. `boxes` is what the boxes of the two say.
static lf_status couple_look_at(judged *j, lf__look_mode mode, double span, double boxes, double *time) {
    lf_watch_level level = j->watch->def.level;
    *time = boxes;
    if (level == LF_WATCH_BOXES || boxes == LF_INFINITY)
        return LF_OK;
    if (level == LF_WATCH_OWN) {
        double own = ask_own(j, j->watch->ahead * (1 + j->watch->def.slack));
        if (mode == LF__LOOK_AHEAD)
            *time = own <= span ? own : LF_INFINITY;
        else // what it says is about now
            *time = own <= 0 ? (mode == LF__LOOK_STEP ? span : 0) : LF_INFINITY;
        return LF_OK;
    }
    lf__look look = {.scene = j->scene,
                     .watch = j->watch,
                     .a = j->candidate->a,
                     .b = j->candidate->b,
                     .mode = mode,
                     .span = span,
                     .gap = mode == LF__LOOK_NOW ? j->watch->def.gap : 0};
    lf_status status = couple_look_closer(j, &look);
    *time = look.time;
    if (status == LF_OK && look.time < LF_INFINITY) {
        j->part_a = id_or_none(j->scene, look.part_a);
        j->part_b = id_or_none(j->scene, look.part_b);
    }
    return status;
}

/// Contact in the step: who begins, goes on, ends.
static lf_status couple_judge_step(judged *j, bool was, bool *touching) {
    const lf__candidate *c = j->candidate;
    double begin = 0, now;
    lf_status status;
    if (!was) {
        status = couple_look_at(j, LF__LOOK_STEP, j->dt, c->step_time, &begin);
        *touching = false;
        if (status != LF_OK || begin == LF_INFINITY)
            return status;
        j->begun = true;
        status = couple_tell(j, LF_EVENT_BEGIN, j->scene->time - j->dt + begin);
        if (status != LF_OK)
            return status;
    }
    status = couple_look_at(j, LF__LOOK_NOW, 0, c->now ? 0 : LF_INFINITY, &now);
    if (status != LF_OK)
        return status;
    *touching = now == 0;
    if (!*touching)
        return couple_tell(j, LF_EVENT_END, j->scene->time);
    return was ? couple_tell(j, LF_EVENT_STAY, j->scene->time) : LF_OK;
}

/// What is ahead: a prediction that is new, has moved, or is no longer.
static lf_status couple_judge_ahead(judged *j, bool was, double moment, bool *predicted, double *next) {
    double ahead = j->watch->ahead, slack = j->watch->def.slack;
    double span = was ? ahead * (1 + slack) : ahead, time;
    double boxes = j->candidate->ahead_time <= span ? j->candidate->ahead_time : LF_INFINITY;
    lf_status status = couple_look_at(j, LF__LOOK_AHEAD, span, boxes, &time);
    if (status != LF_OK)
        return status;
    *predicted = time <= span;
    *next = *predicted ? j->scene->time + time : 0;
    if (!*predicted)
        return was ? couple_tell(j, LF_EVENT_CLEARED, j->scene->time) : LF_OK;
    if (was && fabs(*next - moment) <= fmax(slack * ahead, 0.5 * j->dt)) {
        *next = moment;
        return LF_OK;
    }
    return couple_tell(j, LF_EVENT_PREDICTED, *next);
}

lf_status lf__candidate_judge(lf_scene *scene, uint32_t index, const lf__candidate *candidate, double dt) {
    lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, index);
    lf__couple *couple = lf__couple_find(&watch->table, candidate->a, candidate->b);
    judged j = {.scene = scene, .watch = watch, .candidate = candidate, .dt = dt, .own = LF_NAN};
    if (couple)
        j.part_a = couple->part_a, j.part_b = couple->part_b;
    bool touching = false, predicted = false;
    double moment = 0;
    lf_status status = LF_OK;
    if (couple && couple->touching)
        status = couple_judge_step(&j, true, &touching);
    else if (candidate->step_time < LF_INFINITY)
        status = couple_judge_step(&j, false, &touching);
    if (status == LF_OK && !touching && watch->ahead > 0 && watch->b.kind != LF_WATCH_FILTER_NOTHING)
        status = couple_judge_ahead(&j, couple && couple->predicted && !j.begun, couple ? couple->moment : 0,
                                    &predicted, &moment);
    if (status == LF_OK && !couple && (touching || predicted))
        status = lf__couple_add(scene, &watch->table, candidate->a, candidate->b, &couple);
    if (!couple)
        return status;
    couple->touching = touching;
    couple->predicted = predicted;
    couple->moment = moment;
    couple->sleep = -LF_INFINITY;
    couple->looked = couple->seen = scene->steps;
    couple->part_a = j.part_a;
    couple->part_b = j.part_b;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// One watch
// ---------------------------------------------------------------------------------------------------

/// One watch in one step: who has to be looked at, and what is told.

/// Things may leave the way that was foreseen by this share of their size before pairs that sleep are woken.
#define WATCH_STEP_FORESEEN 1e-6

static const lf__instance *instance_of(const lf_scene *scene, lf_thing thing) {
    return lf__instance_at(scene, thing.instance.index);
}

static bool spins(const lf__instance *instance) {
    return instance->spin.x != 0 || instance->spin.y != 0 || instance->spin.z != 0;
}

/// Two parts of one instance, one of them below the other, or two of one instance that the watch does not ask about.
static bool are_one(const lf_scene *scene, const lf__watch *watch, lf_thing a, lf_thing b) {
    if (a.instance.index != b.instance.index)
        return false;
    if (!watch->def.own_parts || lf_part_is_none(a.part) || lf_part_is_none(b.part))
        return true;
    for (uint32_t i = a.part.index; i != LF__NOWHERE; i = lf__part_at(scene, i)->above)
        if (i == b.part.index)
            return true;
    for (uint32_t i = b.part.index; i != LF__NOWHERE; i = lf__part_at(scene, i)->above)
        if (i == a.part.index)
            return true;
    return false;
}

/// Nothing can have changed what is known of a sleeping pair.
static bool sleeps(const lf_scene *scene, const lf__couple *couple) {
    return couple && !couple->touching && !couple->predicted && couple->sleep > scene->time &&
           instance_of(scene, couple->a)->stamp <= couple->looked &&
           instance_of(scene, couple->b)->stamp <= couple->looked;
}

static lf_moving_box grown(const lf_scene *scene, lf_thing thing) {
    const lf__part *part = lf__part_at(scene, lf__thing_part(scene, thing));
    lf_box box = lf__part_box_now(scene, part);
    const lf__part *top = lf__part_at(scene, instance_of(scene, thing)->top);
    double pad = 2 * WATCH_STEP_FORESEEN * lf_vec3_length(lf_vec3_sub(top->box.high, top->box.low));
    lf_vec3 by = {pad, pad, pad};
    lf_moving_box moving = {{lf_vec3_sub(box.low, by), lf_vec3_add(box.high, by)},
                            lf__part_velocity(scene, part),
                            {0, 0, 0},
                            {0, 0, 0}};
    return moving;
}

/// When a pair has to be looked at again if nothing unforeseen happens; -INFINITY: at the next step.
static double wake_time(const lf_scene *scene, const lf__watch *watch, lf_thing a, lf_thing b) {
    const lf__instance *first = instance_of(scene, a), *second = instance_of(scene, b);
    if (watch->def.method != LF_CONTACT_EXACT || spins(first) || spins(second) ||
        first->part_velocities > 0 || second->part_velocities > 0)
        return -LF_INFINITY;
    lf_moving_box box_a = grown(scene, a), box_b = grown(scene, b);
    lf_contact_result meeting;
    if (lf_contact_boxes(&box_a, &box_b, LF_INFINITY, &meeting) != LF_OK)
        return -LF_INFINITY;
    double ahead = watch->ahead * (1 + watch->def.slack) + watch->tick;
    double wake =
        meeting.meets ? scene->time + meeting.time * (1 - WATCH_STEP_FORESEEN) - ahead : LF_INFINITY;
    return wake > scene->time + watch->tick ? wake : -LF_INFINITY;
}

static lf_status put_to_sleep(lf_scene *scene, lf__watch *watch, lf__couple *couple, lf_thing a, lf_thing b) {
    double wake = wake_time(scene, watch, a, b);
    if (wake == -LF_INFINITY)
        return LF_OK;
    if (!couple) {
        lf_status status = lf__couple_add(scene, &watch->table, a, b, &couple);
        if (status != LF_OK)
            return status;
    }
    couple->sleep = wake;
    couple->looked = couple->seen = scene->steps;
    return LF_OK;
}

/// Has it turned, or has any of its parts changed, since the last step?
static bool has_changed(const lf_scene *scene, lf_thing thing) {
    const lf__instance *instance = instance_of(scene, thing);
    return instance->fresh || lf__part_at(scene, instance->top)->changed == scene->steps;
}

/// A first look, by the boxes of the two; then it is a candidate, or sleeps, or is forgotten.
static lf_status first_look(lf_scene *scene, lf__watch *watch, lf_thing a, lf_thing b, double dt) {
    if (!lf__work(scene, 16))
        return LF_CANCELLED;
    lf__couple *couple = lf__couple_find(&watch->table, a, b);
    if (couple)
        couple->seen = scene->steps;
    if (sleeps(scene, couple)) {
        scene->sleeping_pairs++;
        return LF_OK;
    }
    uint32_t part_a = lf__thing_part(scene, a), part_b = lf__thing_part(scene, b);
    lf__look look = {.scene = scene, .watch = watch, .a = a, .b = b, .mode = LF__LOOK_STEP, .span = dt};
    lf__candidate candidate = {a, b, lf__look_boxes(&look, part_a, part_b), LF_INFINITY, false};
    scene->pair_tests++;
    bool shapes = watch->def.level == LF_WATCH_CONVEX || watch->def.level == LF_WATCH_MODEL;
    if (shapes && (has_changed(scene, a) || has_changed(scene, b)) && candidate.step_time == LF_INFINITY &&
        lf_box_overlap(lf__thing_reach(scene, a, 0), lf__thing_reach(scene, b, 0)))
        candidate.step_time = 0; // what turns leaves the way between its boxes
    look.mode = LF__LOOK_NOW;
    look.gap = watch->def.gap;
    candidate.now = lf__look_boxes(&look, part_a, part_b) == 0;
    if (watch->ahead > 0) {
        bool parts_move =
            instance_of(scene, a)->part_velocities > 0 || instance_of(scene, b)->part_velocities > 0;
        look.mode = LF__LOOK_AHEAD;
        look.span = watch->ahead * (1 + watch->def.slack);
        candidate.ahead_time =
            parts_move && watch->def.level != LF_WATCH_BOXES ? 0 : lf__look_boxes(&look, part_a, part_b);
    }
    bool told = couple && (couple->touching || couple->predicted);
    if (!told && candidate.step_time == LF_INFINITY && candidate.ahead_time == LF_INFINITY)
        return put_to_sleep(scene, watch, couple, a, b);
    lf_status status = lf__array_reserve(&scene->candidates, &scene->allocator, 1, sizeof candidate);
    if (status == LF_OK)
        ((lf__candidate *)scene->candidates.items)[scene->candidates.count++] = candidate;
    return status;
}

/// Sides as the watch names them; where both fit both, the lower one first.
static lf_status first_look_sorted(lf_scene *scene, lf__watch *watch, const lf__member *x,
                                   const lf__member *y, double dt) {
    bool straight = (x->sides & LF__SIDE_A) && (y->sides & LF__SIDE_B);
    bool crossed = (y->sides & LF__SIDE_A) && (x->sides & LF__SIDE_B);
    if (are_one(scene, watch, x->thing, y->thing) || (!straight && !crossed))
        return LF_OK;
    bool swap = straight && crossed ? lf__thing_compare(x->thing, y->thing) > 0 : crossed;
    return swap ? first_look(scene, watch, y->thing, x->thing, dt)
                : first_look(scene, watch, x->thing, y->thing, dt);
}

static lf_status look_at_many(lf_scene *scene, lf__watch *watch, double dt) {
    lf_status status = lf__members_refresh(scene, watch);
    lf_pairs_found found = {NULL, 0};
    int64_t tested = lf_pairs_cost(watch->pairs).tested;
    if (status == LF_OK)
        status = lf_pairs_find(watch->pairs, &found);
    tested = lf_pairs_cost(watch->pairs).tested - tested;
    if (status == LF_OK && !lf__work(scene, tested / 8 + found.count))
        status = LF_CANCELLED;
    for (int64_t i = 0; i < found.count && status == LF_OK; i++)
        status = first_look_sorted(scene, watch, &watch->members[found.pairs[i].user_a],
                                   &watch->members[found.pairs[i].user_b], dt);
    return status;
}

static lf_thing thing_of(const lf__who *who) {
    lf_thing thing = {who->instance, {0, 0}};
    if (who->kind == LF_WATCH_FILTER_PART)
        thing.part = who->part;
    return thing;
}

static lf_status look_at_one(lf_scene *scene, lf__watch *watch, double dt) {
    lf_thing a = thing_of(&watch->a), b = thing_of(&watch->b);
    if (!lf__thing_lives(scene, a) || !lf__thing_lives(scene, b) || are_one(scene, watch, a, b))
        return LF_OK;
    return first_look(scene, watch, a, b, dt);
}

/// By urgency: what touches first is looked at first; ties by the things.
static int by_urgency(const void *first, const void *second) {
    const lf__candidate *a = first, *b = second;
    double time_a = fmin(a->now ? 0 : a->step_time, a->ahead_time),
           time_b = fmin(b->now ? 0 : b->step_time, b->ahead_time);
    if (time_a != time_b)
        return time_a < time_b ? -1 : 1;
    int order = lf__thing_compare(a->a, b->a);
    return order ? order : lf__thing_compare(a->b, b->b);
}

static const lf__member *member_of(const lf__watch *watch, lf_thing thing) {
    bool part = thing.part.generation != 0;
    const uint32_t *numbers = part ? watch->of_part : watch->of_instance;
    int64_t room = part ? watch->of_part_count : watch->of_instance_count;
    uint32_t index = part ? thing.part.index : thing.instance.index;
    if ((int64_t)index >= room || numbers[index] == 0)
        return NULL;
    const lf__member *member = &watch->members[numbers[index] - 1];
    return lf__thing_compare(member->thing, thing) == 0 ? member : NULL;
}

/// Neither has moved for some steps: the search for pairs does not tell of such two, and all is as it was.
static bool watch_step_rest(const lf_scene *scene, const lf__watch *watch, const lf__couple *couple) {
    if (!watch->pairs || !lf__thing_lives(scene, couple->a) || !lf__thing_lives(scene, couple->b))
        return false;
    const lf__member *a = member_of(watch, couple->a), *b = member_of(watch, couple->b);
    return a && b && lf__member_calm(a) && lf__member_calm(b);
}

/// Pairs that were not near any more.
static lf_status end_others(lf_scene *scene, lf__watch *watch) {
    lf_status status = LF_OK;
    for (int64_t i = 0; i < watch->table.count && status == LF_OK; i++) {
        lf__couple *couple = &watch->table.couples[i];
        if (couple->seen == scene->steps)
            continue;
        lf__work(scene, 4);
        if (!watch_step_rest(scene, watch, couple)) {
            status = lf__couple_over(scene, watch, couple);
            continue;
        }
        lf_event event = {.kind = LF_EVENT_STAY,
                          .a = couple->a,
                          .b = couple->b,
                          .part_a = couple->part_a,
                          .part_b = couple->part_b,
                          .time = scene->time};
        if (couple->touching && watch->b.kind != LF_WATCH_FILTER_NOTHING)
            status = lf__event_tell(scene, watch, &event);
    }
    lf__couples_tidy(&watch->table);
    return status;
}

/// Who touches nothing, and who does again.
static lf_status tell_of_nothing(lf_scene *scene, lf__watch *watch) {
    for (int64_t i = 0; i < watch->member_count; i++)
        watch->members[i].touched = false;
    for (int64_t i = 0; i < watch->table.count; i++) {
        const lf__couple *couple = &watch->table.couples[i];
        lf__member *a = (lf__member *)member_of(watch, couple->a),
                   *b = (lf__member *)member_of(watch, couple->b);
        if (couple->touching && a)
            a->touched = true;
        if (couple->touching && b)
            b->touched = true;
    }
    lf_status status = LF_OK;
    for (int64_t i = 0; i < watch->member_count && status == LF_OK; i++) {
        lf__member *member = &watch->members[i];
        if (!member->in_use || !(member->sides & LF__SIDE_A) || member->free == !member->touched)
            continue;
        member->free = !member->touched;
        lf_event event = {
            .kind = member->free ? LF_EVENT_BEGIN : LF_EVENT_END, .a = member->thing, .time = scene->time};
        status = lf__event_tell(scene, watch, &event);
    }
    return status;
}

static lf_status look_at_pairs(lf_scene *scene, uint32_t index, double dt) {
    lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, index);
    scene->candidates.count = 0;
    lf_status status = watch->pairs ? look_at_many(scene, watch, dt) : look_at_one(scene, watch, dt);
    const lf__candidate *candidates = scene->candidates.items;
    if (isfinite(watch->def.budget) && scene->candidates.count > 1)
        qsort(scene->candidates.items, (size_t)scene->candidates.count, sizeof *candidates, by_urgency);
    for (int64_t i = 0; i < scene->candidates.count && status == LF_OK; i++)
        status = lf__candidate_judge(scene, index, &candidates[i], dt);
    if (status == LF_OK)
        status = end_others(scene, watch);
    if (status == LF_OK && watch->b.kind == LF_WATCH_FILTER_NOTHING)
        status = tell_of_nothing(scene, watch);
    return status;
}

lf_status lf__watch_look(lf_scene *scene, uint32_t index, double dt) {
    lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, index);
    watch->tick = dt;
    watch->ahead = fmax(watch->def.ahead, (double)watch->def.ahead_ticks * dt);
    watch->spent = 0;
    return watch->b.kind == LF_WATCH_FILTER_GROUND ? lf__watch_look_ground(scene, index)
                                                   : look_at_pairs(scene, index, dt);
}
