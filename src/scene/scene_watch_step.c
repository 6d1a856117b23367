/// One step of a watch: which pairs are tested, and which events are reported.
#include "scene/watch.h"
#include <stdlib.h>

// ---------------------------------------------------------------------------------------------------
// One pair
// ---------------------------------------------------------------------------------------------------

/// The update of one pair in a step.
typedef struct pair_update {
    lf_scene *scene;
    lf__watch *watch;
    const lf__candidate *candidate;
    double dt;
    bool coarse;
    bool begun; ///< a contact began in this step, which fulfils its prediction
    double own; ///< the result of the caller's function; NAN: not called yet
    lf_part part_a, part_b;
} pair_update;

static lf_event event_of(const pair_update *j, lf_event_kind kind, double time) {
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

lf_status lf__event_report(lf_scene *scene, const lf__watch *watch, const lf_event *event) {
    if (!(watch->def.events & LF_EVENT_BIT(event->kind)))
        return LF_OK;
    lf_status status = lf__array_reserve(&scene->events, &scene->allocator, 1, sizeof *event);
    if (status != LF_OK)
        return status;
    lf_event *added = (lf_event *)scene->events.items + scene->events.count++;
    *added = *event;
    size_t offset = (size_t)((const char *)watch - (const char *)scene->watches.array.items);
    added->watch = (lf_watch){(uint32_t)(offset / scene->watches.item), watch->slot.generation};
    added->user = watch->def.user;
    return LF_OK;
}

static lf_status pair_report(const pair_update *j, lf_event_kind kind, double time) {
    if (j->watch->b.kind == LF_WATCH_FILTER_NOTHING)
        return LF_OK;
    lf_event event = event_of(j, kind, time);
    return lf__event_report(j->scene, j->watch, &event);
}

lf_status lf__watch_pair_end(lf_scene *scene, const lf__watch *watch, lf__watch_pair *pair) {
    lf__candidate candidate = {pair->a, pair->b, 0, 0, false};
    pair_update j = {.scene = scene,
                     .watch = (lf__watch *)watch,
                     .candidate = &candidate,
                     .part_a = pair->part_a,
                     .part_b = pair->part_b};
    lf_status status = LF_OK;
    if (pair->touching)
        status = pair_report(&j, LF_EVENT_END, scene->time);
    else if (pair->predicted)
        status = pair_report(&j, LF_EVENT_CLEARED, scene->time);
    pair->touching = pair->predicted = false;
    pair->sleep = -LF_INFINITY;
    return status;
}

/// The caller's function is called once per step and pair.
static double call_own(pair_update *j, double ahead) {
    if (isnan(j->own)) {
        lf_watch_callback ray_query = {j->scene, j->candidate->a, j->candidate->b, ahead};
        const char *held = j->scene->held;
        j->scene->held = "a watch's own function";
        double seconds = j->watch->def.own(j->watch->def.own_user, &ray_query);
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

/// Test the shapes as long as the watch's budget lasts, and then their boxes.
static lf_status pair_test_closely(pair_update *j, lf__watch_test *test) {
    lf__watch *watch = j->watch;
    lf_scene *scene = j->scene;
    bool shapes = watch->def.precision == LF_WATCH_CONVEX || watch->def.precision == LF_WATCH_MODEL;
    bool limited = isfinite(watch->def.budget);
    if (shapes && limited && watch->spent >= watch->def.budget) {
        shapes = false;
        j->coarse = true;
    }
    if (!shapes) {
        scene->pair_tests++;
        return lf__test_parts(test);
    }
    double start = limited ? read_clock(scene) : 0;
    lf_status status = lf__test_shapes(test);
    if (limited)
        watch->spent += fmax(read_clock(scene) - start, 0);
    return status;
}

/// One test by the watch's precision. `boxes` is the result for the boxes of the two.
static lf_status pair_test(pair_update *j, lf__watch_test_mode mode, double span, double boxes,
                           double *time) {
    lf_watch_precision precision = j->watch->def.precision;
    *time = boxes;
    if (precision == LF_WATCH_BOXES || boxes == LF_INFINITY)
        return LF_OK;
    if (precision == LF_WATCH_OWN) {
        double own = call_own(j, j->watch->ahead * (1 + j->watch->def.slack));
        if (mode == LF__TEST_AHEAD)
            *time = own <= span ? own : LF_INFINITY;
        else // its result is about the current moment
            *time = own <= 0 ? (mode == LF__TEST_STEP ? span : 0) : LF_INFINITY;
        return LF_OK;
    }
    lf__watch_test test = {.scene = j->scene,
                           .watch = j->watch,
                           .a = j->candidate->a,
                           .b = j->candidate->b,
                           .mode = mode,
                           .span = span,
                           .gap = mode == LF__TEST_NOW ? j->watch->def.gap : 0};
    lf_status status = pair_test_closely(j, &test);
    *time = test.time;
    if (status == LF_OK && test.time < LF_INFINITY) {
        j->part_a = lf__part_id(j->scene, test.part_a);
        j->part_b = lf__part_id(j->scene, test.part_b);
    }
    return status;
}

/// Contact in the step: it begins, continues or ends.
static lf_status pair_update_contact(pair_update *j, bool was, bool *touching) {
    const lf__candidate *c = j->candidate;
    double begin = 0, now;
    lf_status status;
    if (!was) {
        status = pair_test(j, LF__TEST_STEP, j->dt, c->step_time, &begin);
        *touching = false;
        if (status != LF_OK || begin == LF_INFINITY)
            return status;
        j->begun = true;
        status = pair_report(j, LF_EVENT_BEGIN, j->scene->time - j->dt + begin);
        if (status != LF_OK)
            return status;
    }
    status = pair_test(j, LF__TEST_NOW, 0, c->now ? 0 : LF_INFINITY, &now);
    if (status != LF_OK)
        return status;
    *touching = now == 0;
    if (!*touching)
        return pair_report(j, LF_EVENT_END, j->scene->time);
    return was ? pair_report(j, LF_EVENT_STAY, j->scene->time) : LF_OK;
}

/// Contact ahead: a prediction is new, has changed, or is cleared.
static lf_status pair_update_prediction(pair_update *j, bool was, double moment, bool *predicted,
                                        double *next) {
    double ahead = j->watch->ahead, slack = j->watch->def.slack;
    double span = was ? ahead * (1 + slack) : ahead, time;
    double boxes = j->candidate->ahead_time <= span ? j->candidate->ahead_time : LF_INFINITY;
    lf_status status = pair_test(j, LF__TEST_AHEAD, span, boxes, &time);
    if (status != LF_OK)
        return status;
    *predicted = time <= span;
    *next = *predicted ? j->scene->time + time : 0;
    if (!*predicted)
        return was ? pair_report(j, LF_EVENT_CLEARED, j->scene->time) : LF_OK;
    if (was && fabs(*next - moment) <= fmax(slack * ahead, 0.5 * j->dt)) {
        *next = moment;
        return LF_OK;
    }
    return pair_report(j, LF_EVENT_PREDICTED, *next);
}

/// Test a pair whose boxes meet, and report its events.
static lf_status candidate_update(lf_scene *scene, uint32_t index, const lf__candidate *candidate,
                                  double dt) {
    lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, index);
    lf__watch_pair *pair = lf__pair_table_find(&watch->table, candidate->a, candidate->b);
    pair_update j = {.scene = scene, .watch = watch, .candidate = candidate, .dt = dt, .own = LF_NAN};
    if (pair)
        j.part_a = pair->part_a, j.part_b = pair->part_b;
    bool touching = false, predicted = false;
    double moment = 0;
    lf_status status = LF_OK;
    if (pair && pair->touching)
        status = pair_update_contact(&j, true, &touching);
    else if (candidate->step_time < LF_INFINITY)
        status = pair_update_contact(&j, false, &touching);
    if (status == LF_OK && !touching && watch->ahead > 0 && watch->b.kind != LF_WATCH_FILTER_NOTHING)
        status = pair_update_prediction(&j, pair && pair->predicted && !j.begun, pair ? pair->moment : 0,
                                        &predicted, &moment);
    if (status == LF_OK && !pair && (touching || predicted))
        status = lf__pair_table_add(scene, &watch->table, candidate->a, candidate->b, &pair);
    if (!pair)
        return status;
    pair->touching = touching;
    pair->predicted = predicted;
    pair->moment = moment;
    pair->sleep = -LF_INFINITY;
    pair->tested_step = pair->seen = scene->steps;
    pair->part_a = j.part_a;
    pair->part_b = j.part_b;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// One watch
// ---------------------------------------------------------------------------------------------------

/// Instances may deviate from their forecast by this share of their size before sleeping pairs are woken.
#define WATCH_FORECAST_ERROR 1e-6

static const lf__instance *instance_of(const lf_scene *scene, lf_thing thing) {
    return lf__instance_at(scene, thing.instance.index);
}

static bool spins(const lf__instance *instance) {
    return instance->spin.x != 0 || instance->spin.y != 0 || instance->spin.z != 0;
}

/// Two parts of one instance, one of them below the other, or two parts of one instance that the watch
/// ignores.
static bool are_one(const lf_scene *scene, const lf__watch *watch, lf_thing a, lf_thing b) {
    if (a.instance.index != b.instance.index)
        return false;
    if (!watch->def.own_parts || lf_part_is_none(a.part) || lf_part_is_none(b.part))
        return true;
    for (uint32_t i = a.part.index; i != LF__NO_INDEX; i = lf__part_at(scene, i)->above)
        if (i == b.part.index)
            return true;
    for (uint32_t i = b.part.index; i != LF__NO_INDEX; i = lf__part_at(scene, i)->above)
        if (i == a.part.index)
            return true;
    return false;
}

/// Is a pair sleeping, and has neither instance deviated from its forecast?
static bool sleeps(const lf_scene *scene, const lf__watch_pair *pair) {
    return pair && !pair->touching && !pair->predicted && pair->sleep > scene->time &&
           instance_of(scene, pair->a)->stamp <= pair->tested_step &&
           instance_of(scene, pair->b)->stamp <= pair->tested_step;
}

static lf_moving_box grown(const lf_scene *scene, lf_thing thing) {
    const lf__part *part = lf__part_at(scene, lf__thing_part(scene, thing));
    lf_box box = lf__part_box_now(scene, part);
    const lf__part *top = lf__part_at(scene, instance_of(scene, thing)->top);
    double pad = 2 * WATCH_FORECAST_ERROR * lf_vec3_length(lf_vec3_sub(top->box.high, top->box.low));
    lf_vec3 by = {pad, pad, pad};
    lf_moving_box moving = {{lf_vec3_sub(box.low, by), lf_vec3_add(box.high, by)},
                            lf__part_velocity(scene, part),
                            {0, 0, 0},
                            {0, 0, 0}};
    return moving;
}

/// When a pair must be tested again if both match their forecasts; -INFINITY: at the next step.
static double wake_time(const lf_scene *scene, const lf__watch *watch, lf_thing a, lf_thing b) {
    const lf__instance *first = instance_of(scene, a), *second = instance_of(scene, b);
    if (watch->def.method || spins(first) || spins(second) || first->part_velocities > 0 ||
        second->part_velocities > 0)
        return -LF_INFINITY;
    lf_moving_box box_a = grown(scene, a), box_b = grown(scene, b);
    lf_contact_result meeting;
    if (lf_contact_boxes(&box_a, &box_b, LF_INFINITY, &meeting) != LF_OK)
        return -LF_INFINITY;
    double ahead = watch->ahead * (1 + watch->def.slack) + watch->tick;
    double wake =
        meeting.meets ? scene->time + meeting.time * (1 - WATCH_FORECAST_ERROR) - ahead : LF_INFINITY;
    return wake > scene->time + watch->tick ? wake : -LF_INFINITY;
}

static lf_status pair_sleep(lf_scene *scene, lf__watch *watch, lf__watch_pair *pair, lf_thing a, lf_thing b) {
    double wake = wake_time(scene, watch, a, b);
    if (wake == -LF_INFINITY)
        return LF_OK;
    if (!pair) {
        lf_status status = lf__pair_table_add(scene, &watch->table, a, b, &pair);
        if (status != LF_OK)
            return status;
    }
    pair->sleep = wake;
    pair->tested_step = pair->seen = scene->steps;
    return LF_OK;
}

/// Has it rotated, or has any of its parts changed, since the last step?
static bool has_changed(const lf_scene *scene, lf_thing thing) {
    const lf__instance *instance = instance_of(scene, thing);
    return instance->fresh || lf__part_at(scene, instance->top)->changed == scene->steps;
}

/// The filter, by the boxes of the two: the pair becomes a candidate, or sleeps, or is dropped.
static lf_status filter_pair(lf_scene *scene, lf__watch *watch, lf_thing a, lf_thing b, double dt) {
    if (!lf__work(scene, 16))
        return LF_CANCELLED;
    lf__watch_pair *pair = lf__pair_table_find(&watch->table, a, b);
    if (pair)
        pair->seen = scene->steps;
    if (sleeps(scene, pair)) {
        scene->sleeping_pairs++;
        return LF_OK;
    }
    uint32_t part_a = lf__thing_part(scene, a), part_b = lf__thing_part(scene, b);
    lf__watch_test test = {.scene = scene, .watch = watch, .a = a, .b = b, .mode = LF__TEST_STEP, .span = dt};
    lf__candidate candidate = {a, b, lf__test_boxes(&test, part_a, part_b), LF_INFINITY, false};
    scene->pair_tests++;
    bool shapes = watch->def.precision == LF_WATCH_CONVEX || watch->def.precision == LF_WATCH_MODEL;
    if (shapes && (has_changed(scene, a) || has_changed(scene, b)) && candidate.step_time == LF_INFINITY &&
        lf_box_overlap(lf__thing_reach(scene, a, 0), lf__thing_reach(scene, b, 0)))
        candidate.step_time = 0; // rotating objects leave the hull of their two boxes
    test.mode = LF__TEST_NOW;
    test.gap = watch->def.gap;
    candidate.now = lf__test_boxes(&test, part_a, part_b) == 0;
    if (watch->ahead > 0) {
        bool parts_move =
            instance_of(scene, a)->part_velocities > 0 || instance_of(scene, b)->part_velocities > 0;
        test.mode = LF__TEST_AHEAD;
        test.span = watch->ahead * (1 + watch->def.slack);
        candidate.ahead_time =
            parts_move && watch->def.precision != LF_WATCH_BOXES ? 0 : lf__test_boxes(&test, part_a, part_b);
    }
    bool reported = pair && (pair->touching || pair->predicted);
    if (!reported && candidate.step_time == LF_INFINITY && candidate.ahead_time == LF_INFINITY)
        return pair_sleep(scene, watch, pair, a, b);
    lf_status status = lf__array_reserve(&scene->candidates, &scene->allocator, 1, sizeof candidate);
    if (status == LF_OK)
        ((lf__candidate *)scene->candidates.items)[scene->candidates.count++] = candidate;
    return status;
}

/// Orders the two by the watch's sides; where both match both, the lower one is first.
static lf_status filter_members(lf_scene *scene, lf__watch *watch, const lf__member *x, const lf__member *y,
                                double dt) {
    bool straight = (x->sides & LF__SIDE_A) && (y->sides & LF__SIDE_B);
    bool crossed = (y->sides & LF__SIDE_A) && (x->sides & LF__SIDE_B);
    if (are_one(scene, watch, x->thing, y->thing) || (!straight && !crossed))
        return LF_OK;
    bool swap = straight && crossed ? lf__thing_compare(x->thing, y->thing) > 0 : crossed;
    return swap ? filter_pair(scene, watch, y->thing, x->thing, dt)
                : filter_pair(scene, watch, x->thing, y->thing, dt);
}

static lf_status step_many(lf_scene *scene, lf__watch *watch, double dt) {
    lf_status status = lf__members_refresh(scene, watch);
    lf_pairs_found found = {NULL, 0};
    int64_t tested = lf_pairs_describe(watch->pairs).tested;
    if (status == LF_OK)
        status = lf_pairs_find(watch->pairs, &found);
    tested = lf_pairs_describe(watch->pairs).tested - tested;
    if (status == LF_OK && !lf__work(scene, tested / 8 + found.count))
        status = LF_CANCELLED;
    for (int64_t i = 0; i < found.count && status == LF_OK; i++)
        status = filter_members(scene, watch, &watch->members[found.pairs[i].user_a],
                                &watch->members[found.pairs[i].user_b], dt);
    return status;
}

static lf_thing thing_of(const lf__watch_side *side) {
    lf_thing thing = {side->instance, {0, 0}};
    if (side->kind == LF_WATCH_FILTER_PART)
        thing.part = side->part;
    return thing;
}

static lf_status step_one(lf_scene *scene, lf__watch *watch, double dt) {
    lf_thing a = thing_of(&watch->a), b = thing_of(&watch->b);
    if (!lf__thing_lives(scene, a) || !lf__thing_lives(scene, b) || are_one(scene, watch, a, b))
        return LF_OK;
    return filter_pair(scene, watch, a, b, dt);
}

/// By urgency: the earliest contact is tested first; ties by the things.
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
    int64_t capacity = part ? watch->of_part_count : watch->of_instance_count;
    uint32_t index = part ? thing.part.index : thing.instance.index;
    if ((int64_t)index >= capacity || numbers[index] == 0)
        return NULL;
    const lf__member *member = &watch->members[numbers[index] - 1];
    return lf__thing_compare(member->thing, thing) == 0 ? member : NULL;
}

/// Neither has moved for some steps: the search does not report such pairs, and nothing has changed.
static bool pair_is_at_rest(const lf_scene *scene, const lf__watch *watch, const lf__watch_pair *pair) {
    if (!watch->pairs || !lf__thing_lives(scene, pair->a) || !lf__thing_lives(scene, pair->b))
        return false;
    const lf__member *a = member_of(watch, pair->a), *b = member_of(watch, pair->b);
    return a && b && lf__member_calm(a) && lf__member_calm(b);
}

/// End the pairs that are no longer near.
static lf_status end_others(lf_scene *scene, lf__watch *watch) {
    lf_status status = LF_OK;
    for (int64_t i = 0; i < watch->table.count && status == LF_OK; i++) {
        lf__watch_pair *pair = &watch->table.pairs[i];
        if (pair->seen == scene->steps)
            continue;
        lf__work(scene, 4);
        if (!pair_is_at_rest(scene, watch, pair)) {
            status = lf__watch_pair_end(scene, watch, pair);
            continue;
        }
        lf_event event = {.kind = LF_EVENT_STAY,
                          .a = pair->a,
                          .b = pair->b,
                          .part_a = pair->part_a,
                          .part_b = pair->part_b,
                          .time = scene->time};
        if (pair->touching && watch->b.kind != LF_WATCH_FILTER_NOTHING)
            status = lf__event_report(scene, watch, &event);
    }
    lf__pair_table_prune(&watch->table);
    return status;
}

/// Report members that touch nothing, and those that touch something again.
static lf_status report_untouched(lf_scene *scene, lf__watch *watch) {
    for (int64_t i = 0; i < watch->member_count; i++)
        watch->members[i].touched = false;
    for (int64_t i = 0; i < watch->table.count; i++) {
        const lf__watch_pair *pair = &watch->table.pairs[i];
        lf__member *a = (lf__member *)member_of(watch, pair->a), *b = (lf__member *)member_of(watch, pair->b);
        if (pair->touching && a)
            a->touched = true;
        if (pair->touching && b)
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
        status = lf__event_report(scene, watch, &event);
    }
    return status;
}

static lf_status step_pairs(lf_scene *scene, uint32_t index, double dt) {
    lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, index);
    scene->candidates.count = 0;
    lf_status status = watch->pairs ? step_many(scene, watch, dt) : step_one(scene, watch, dt);
    const lf__candidate *candidates = scene->candidates.items;
    if (isfinite(watch->def.budget) && scene->candidates.count > 1)
        qsort(scene->candidates.items, (size_t)scene->candidates.count, sizeof *candidates, by_urgency);
    for (int64_t i = 0; i < scene->candidates.count && status == LF_OK; i++)
        status = candidate_update(scene, index, &candidates[i], dt);
    if (status == LF_OK)
        status = end_others(scene, watch);
    if (status == LF_OK && watch->b.kind == LF_WATCH_FILTER_NOTHING)
        status = report_untouched(scene, watch);
    return status;
}

lf_status lf__watch_step(lf_scene *scene, uint32_t index, double dt) {
    lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, index);
    watch->tick = dt;
    watch->ahead = fmax(watch->def.ahead, (double)watch->def.ahead_ticks * dt);
    watch->spent = 0;
    return watch->b.kind == LF_WATCH_FILTER_GROUND ? lf__watch_step_ground(scene, index)
                                                   : step_pairs(scene, index, dt);
}
