/// What a watch says of one pair: from what is seen in a step to what is told.
#include "scene/watch.h"

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

static lf_status tell(const judged *j, lf_event_kind kind, double time) {
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
        status = tell(&j, LF_EVENT_END, scene->time);
    else if (couple->predicted)
        status = tell(&j, LF_EVENT_CLEARED, scene->time);
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
static lf_status look_closer(judged *j, lf__look *look) {
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
static lf_status look_at(judged *j, lf__look_mode mode, double span, double boxes, double *time) {
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
    lf_status status = look_closer(j, &look);
    *time = look.time;
    if (status == LF_OK && look.time < LF_INFINITY) {
        j->part_a = id_or_none(j->scene, look.part_a);
        j->part_b = id_or_none(j->scene, look.part_b);
    }
    return status;
}

/// Contact in the step: who begins, goes on, ends.
static lf_status judge_step(judged *j, bool was, bool *touching) {
    const lf__candidate *c = j->candidate;
    double begin = 0, now;
    lf_status status;
    if (!was) {
        status = look_at(j, LF__LOOK_STEP, j->dt, c->step_time, &begin);
        *touching = false;
        if (status != LF_OK || begin == LF_INFINITY)
            return status;
        j->begun = true;
        status = tell(j, LF_EVENT_BEGIN, j->scene->time - j->dt + begin);
        if (status != LF_OK)
            return status;
    }
    status = look_at(j, LF__LOOK_NOW, 0, c->now ? 0 : LF_INFINITY, &now);
    if (status != LF_OK)
        return status;
    *touching = now == 0;
    if (!*touching)
        return tell(j, LF_EVENT_END, j->scene->time);
    return was ? tell(j, LF_EVENT_STAY, j->scene->time) : LF_OK;
}

/// What is ahead: a prediction that is new, has moved, or is no longer.
static lf_status judge_ahead(judged *j, bool was, double moment, bool *predicted, double *next) {
    double ahead = j->watch->ahead, slack = j->watch->def.slack;
    double span = was ? ahead * (1 + slack) : ahead, time;
    double boxes = j->candidate->ahead_time <= span ? j->candidate->ahead_time : LF_INFINITY;
    lf_status status = look_at(j, LF__LOOK_AHEAD, span, boxes, &time);
    if (status != LF_OK)
        return status;
    *predicted = time <= span;
    *next = *predicted ? j->scene->time + time : 0;
    if (!*predicted)
        return was ? tell(j, LF_EVENT_CLEARED, j->scene->time) : LF_OK;
    if (was && fabs(*next - moment) <= fmax(slack * ahead, 0.5 * j->dt)) {
        *next = moment;
        return LF_OK;
    }
    return tell(j, LF_EVENT_PREDICTED, *next);
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
        status = judge_step(&j, true, &touching);
    else if (candidate->step_time < LF_INFINITY)
        status = judge_step(&j, false, &touching);
    if (status == LF_OK && !touching && watch->ahead > 0 && watch->b.kind != LF_WATCH_FILTER_NOTHING)
        status = judge_ahead(&j, couple && couple->predicted && !j.begun, couple ? couple->moment : 0,
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
