/// Watches on ground.
#include "scene/watch.h"

static lf_status look(lf_scene *scene, const lf__watch *watch, lf_thing thing, lf__look_mode mode,
                      double span, double *time) {
    lf__look question = {.scene = scene, .watch = watch, .a = thing, .mode = mode, .span = span};
    lf_status status = lf__look_ground(&question, watch->def.ground, watch->def.level);
    *time = question.time;
    return status;
}

/// The ground under the middle of a thing, or else over it, some seconds from now.
static lf_hit ground_near(const lf_scene *scene, const lf__watch *watch, lf_thing thing, double wait) {
    const lf__part *part = lf__part_at(scene, lf__thing_part(scene, thing));
    lf_vec3 middle = lf_box_centre(lf__part_box_now(scene, part));
    middle = lf_vec3_along(middle, wait, lf__part_velocity(scene, part));
    lf_hit hit = {.kind = LF_HIT_NONE, .reason = LF_REASON_NONE, .part = -1, .element = -1, .triangle = -1};
    if (lf__within_limit(middle) &&
        lf_ground_height(watch->def.ground, middle, LF_VERTICAL_DOWN, &hit, NULL) == LF_OK &&
        hit.kind == LF_HIT_NONE)
        lf_ground_height(watch->def.ground, middle, LF_VERTICAL_UP, &hit, NULL);
    return hit;
}

static lf_status tell(lf_scene *scene, const lf__watch *watch, lf_thing thing, lf_event_kind kind,
                      double time) {
    lf_event event = {.kind = kind, .a = thing, .time = time, .wait = time - scene->time};
    if (lf__thing_lives(scene, thing))
        event.ground = ground_near(scene, watch, thing, event.wait);
    return lf__event_tell(scene, watch, &event);
}

/// Contact in the step. A prediction of a contact that begins has come true, even if the contact ends within the step.
static lf_status judge_step(lf_scene *scene, const lf__watch *watch, lf__couple *couple) {
    lf_thing thing = couple->a;
    double begin = 0, now;
    bool was = couple->touching;
    lf_status status;
    if (!was) {
        status = look(scene, watch, thing, LF__LOOK_STEP, watch->tick, &begin);
        if (status != LF_OK || begin == LF_INFINITY)
            return status;
        couple->predicted = false;
        status = tell(scene, watch, thing, LF_EVENT_BEGIN, scene->time - watch->tick + begin);
        if (status != LF_OK)
            return status;
    }
    status = look(scene, watch, thing, LF__LOOK_NOW, 0, &now);
    if (status != LF_OK)
        return status;
    couple->touching = now == 0;
    if (!couple->touching)
        return tell(scene, watch, thing, LF_EVENT_END, scene->time);
    return was ? tell(scene, watch, thing, LF_EVENT_STAY, scene->time) : LF_OK;
}

static lf_status judge_ahead(lf_scene *scene, const lf__watch *watch, lf__couple *couple) {
    double slack = watch->def.slack, span = couple->predicted ? watch->ahead * (1 + slack) : watch->ahead,
           time;
    lf_status status = look(scene, watch, couple->a, LF__LOOK_AHEAD, span, &time);
    if (status != LF_OK)
        return status;
    bool was = couple->predicted;
    couple->predicted = time <= span;
    if (!couple->predicted)
        return was ? tell(scene, watch, couple->a, LF_EVENT_CLEARED, scene->time) : LF_OK;
    double moment = scene->time + time;
    if (was && fabs(moment - couple->moment) <= fmax(slack * watch->ahead, 0.5 * watch->tick))
        return LF_OK;
    couple->moment = moment;
    return tell(scene, watch, couple->a, LF_EVENT_PREDICTED, moment);
}

static lf_status judge(lf_scene *scene, lf__watch *watch, lf_thing thing) {
    lf_thing ground = {{0, 0}, {0, 0}};
    lf__couple *couple = lf__couple_find(&watch->table, thing, ground);
    if (!couple) {
        lf_status status = lf__couple_add(scene, &watch->table, thing, ground, &couple);
        if (status != LF_OK)
            return status;
    }
    couple->seen = scene->steps;
    lf_status status = judge_step(scene, watch, couple);
    if (status == LF_OK && !couple->touching && watch->ahead > 0)
        status = judge_ahead(scene, watch, couple);
    return status;
}

lf_status lf__watch_look_ground(lf_scene *scene, uint32_t index) {
    lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, index);
    lf_status status = lf__members_refresh(scene, watch);
    for (int64_t i = 0; i < watch->member_count && status == LF_OK; i++)
        if (watch->members[i].in_use)
            status = judge(scene, watch, watch->members[i].thing);
    for (int64_t i = 0; i < watch->table.count && status == LF_OK; i++)
        if (watch->table.couples[i].seen != scene->steps)
            status = lf__couple_over(scene, watch, &watch->table.couples[i]);
    lf__couples_tidy(&watch->table);
    return status;
}
