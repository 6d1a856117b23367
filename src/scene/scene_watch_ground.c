/// FIXHEAD scene/scene_watch_ground.c
#include "scene/watch.h"

// ---------------------------------------------------------------------------------------------------
// Contact with ground
// ---------------------------------------------------------------------------------------------------

/// Things and the ground: when will it be hit?
///
/// Everything that a thing touches while it goes straight from one moment to another is touched by the prisms that its triangles
/// sweep. A ground, which goes on beyond a prism, touches the prism exactly when it touches its hull: both ends and the sides over the
/// edges. So the swept thing is a soup of triangles, and the model room says exactly whether the ground touches it. Halving the
/// time then finds the first contact: what is left behind is known to be free.

/// The interval in which the first contact lies is halved so often: to less than 1e-6 of it.
#define SCENE_GROUND_HALVINGS 20

#define SCENE_GROUND_FACETS 32
#define SCENE_GROUND_STRETCH 1.00970

/// What moves: triangles where they start, each with its way over the whole span.
typedef struct mover {
    lf_scene *scene;
    const lf_ground *ground;
    lf_vec3 shift, way; ///< of the shape that is being added
    lf_vec3 rows[3];    ///< likewise
    lf_box box;         ///< of everything on the whole way
    lf_status status;
} mover;

static void add_triangle(mover *m, const lf_vec3 corners[3]) {
    lf_scene *scene = m->scene;
    if (m->status == LF_OK)
        m->status = lf__array_reserve(&scene->movers, &scene->allocator, 4, sizeof(lf_vec3));
    if (m->status != LF_OK)
        return;
    lf_vec3 *room = (lf_vec3 *)scene->movers.items + scene->movers.count;
    for (int i = 0; i < 3; i++) {
        room[i] = corners[i];
        m->box = lf_box_with(lf_box_with(m->box, corners[i]), lf_vec3_add(corners[i], m->way));
    }
    room[3] = m->way;
    scene->movers.count += 4;
}

static bool add_shown(void *user, const lf_vec3 corners[3], int64_t polygon) {
    (void)polygon;
    mover *m = user;
    lf_vec3 carried[3];
    for (int i = 0; i < 3; i++)
        carried[i] = lf_vec3_add(lf__rows_point(m->rows, corners[i]), m->shift);
    add_triangle(m, carried);
    return m->status == LF_OK;
}

/// A box, as the shape it is.
static void add_box(mover *m, lf_box box) {
    lf__form form = {.kind = LF_SHAPE_BOX, .size = lf_vec3_sub(box.high, box.low)};
    lf_vec3 rows[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(m->rows, rows, sizeof rows);
    m->shift = lf_box_centre(box);
    lf__form_triangles(&form, 3, 1, add_shown, m);
}

/// The cube that holds a box in every turn about a point.
static lf_box cube_around(lf_box box, lf_vec3 pivot) {
    lf_vec3 far = {fmax(fabs(box.low.x - pivot.x), fabs(box.high.x - pivot.x)),
                   fmax(fabs(box.low.y - pivot.y), fabs(box.high.y - pivot.y)),
                   fmax(fabs(box.low.z - pivot.z), fabs(box.high.z - pivot.z))};
    double radius = lf_vec3_length(far);
    lf_vec3 half = {radius, radius, radius};
    return (lf_box){lf_vec3_sub(pivot, half), lf_vec3_add(pivot, half)};
}

/// One part: its box, or, for a shape that is to be looked at as it is, its triangles.
static void add_part(mover *m, const lf__look *look, const lf__part *part, bool exact) {
    const lf_scene *scene = look->scene;
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    lf_box now = lf__part_box_now(scene, part);
    if (lf_box_is_empty(now))
        return;
    lf_vec3 back = {0, 0, 0};
    m->way = back;
    bool spins = instance->spin.x != 0 || instance->spin.y != 0 || instance->spin.z != 0;
    if (look->mode == LF__LOOK_AHEAD) {
        m->way = lf_vec3_scale(lf__part_velocity(scene, part), look->span);
    } else if (look->mode == LF__LOOK_STEP) {
        m->way = lf_vec3_sub(lf_box_centre(now), lf_box_centre(lf__part_box_before(scene, part)));
        back = m->way;
        spins = false;
    } else {
        spins = false;
    }
    if (exact && !spins) {
        memcpy(m->rows, part->turn, sizeof m->rows);
        m->shift = lf_vec3_sub(lf_vec3_add(instance->pose.translation, part->shift), back);
        lf__form_triangles(&part->form, SCENE_GROUND_FACETS, SCENE_GROUND_STRETCH, add_shown, m);
        return;
    }
    if (spins)
        now = cube_around(now, instance->pose.translation);
    add_box(m, (lf_box){lf_vec3_sub(now.low, back), lf_vec3_sub(now.high, back)});
}

static void scene_ground_add_thing(mover *m, const lf__look *look, lf_watch_level level) {
    const lf_scene *scene = look->scene;
    uint32_t top = lf__thing_part(scene, look->a);
    if (level == LF_WATCH_BOXES) {
        add_part(m, look, lf__part_at(scene, top), false);
        return;
    }
    for (uint32_t i = top; i != LF__NOWHERE && m->status == LF_OK; i = lf__part_after(scene, i, top))
        if (lf__part_at(scene, i)->form.kind != LF_SHAPE_SOLID)
            add_part(m, look, lf__part_at(scene, i), level != LF_WATCH_PARTS);
}

static void add_to_soup(mover *m, lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    const lf_vec3 corners[3] = {a, b, c};
    if (m->status == LF_OK)
        m->status = lf__triangles_add(m->scene, corners);
}

/// The hull of what a triangle sweeps between two moments.
static void sweep_triangle(mover *m, const lf_vec3 *triangle, double from, double to) {
    lf_vec3 start[3], end[3], way = triangle[3];
    for (int i = 0; i < 3; i++) {
        start[i] = lf_vec3_along(triangle[i], from, way);
        end[i] = lf_vec3_along(triangle[i], to, way);
    }
    add_to_soup(m, start[0], start[1], start[2]);
    if (from == to || (way.x == 0 && way.y == 0 && way.z == 0))
        return;
    add_to_soup(m, end[0], end[1], end[2]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        add_to_soup(m, start[i], start[j], end[j]);
        add_to_soup(m, start[i], end[j], end[i]);
    }
}

/// Does the ground touch what is swept between two moments, or does it lie over it?
static bool scene_ground_meets(mover *m, double from, double to) {
    lf_scene *scene = m->scene;
    scene->soup.count = 0;
    const lf_vec3 *triangles = scene->movers.items;
    lf__work(scene, 8 * scene->movers.count);
    for (int64_t i = 0; i < scene->movers.count && m->status == LF_OK; i += 4)
        sweep_triangle(m, triangles + i, from, to);
    lf_model *model = NULL;
    if (m->status == LF_OK)
        m->status = lf__soup_model(scene, &model);
    if (m->status != LF_OK)
        return false;
    lf_model_stand stand = {model, lf_pose_identity(), m->ground};
    lf_model_landing landing = {.touching = false};
    lf_cursor cursor = lf__work_cursor(scene);
    m->status = lf_model_land(&stand, &landing, &cursor);
    scene->ground_tests++;
    if (!lf__work_of(scene, &cursor) && m->status == LF_OK)
        m->status = LF_CANCELLED;
    lf_model_destroy(model);
    return landing.touching || landing.under_count > 0;
}

lf_status lf__look_ground(lf__look *look, const lf_ground *ground, lf_watch_level level) {
    mover m = {.scene = look->scene, .ground = ground, .box = lf_box_empty()};
    look->time = LF_INFINITY;
    look->scene->movers.count = 0;
    scene_ground_add_thing(&m, look, level);
    if (m.status != LF_OK || look->scene->movers.count == 0)
        return m.status;
    if (scene_ground_meets(&m, 0, 0)) {
        look->time = 0;
        return m.status;
    }
    if (look->mode == LF__LOOK_NOW || m.status != LF_OK || !lf_box_overlap(m.box, lf_ground_box(ground)) ||
        !scene_ground_meets(&m, 0, 1))
        return m.status;
    double free = 0, met = 1;
    for (int i = 0; i < SCENE_GROUND_HALVINGS && m.status == LF_OK; i++) {
        double middle = 0.5 * (free + met);
        if (scene_ground_meets(&m, free, middle))
            met = middle;
        else
            free = middle;
    }
    look->time = free * look->span;
    return m.status;
}

lf_status lf_scene_ground_time(lf_scene *scene, lf_thing thing, const lf_ground *ground, lf_watch_level level,
                               double ahead, double *seconds) {
    if (!scene || !ground || !seconds || !lf__thing_lives(scene, thing) || (int)level < LF_WATCH_BOXES ||
        level > LF_WATCH_MODEL || !(ahead > 0) || !isfinite(ahead))
        return LF_BAD_ARGUMENT;
    if (!lf_part_is_none(thing.part) && lf__part_find(scene, thing.part)->instance != thing.instance.index)
        return LF_BAD_ARGUMENT;
    scene->cancelled = false;
    lf_status status = lf_scene_update(scene);
    lf__look look = {.scene = scene, .a = thing, .mode = LF__LOOK_AHEAD, .span = ahead};
    if (status == LF_OK)
        status = lf__look_ground(&look, ground, level);
    if (status == LF_OK)
        *seconds = look.time;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Watches on ground
// ---------------------------------------------------------------------------------------------------

/// Watches on ground.

static lf_status watch_ground_look(lf_scene *scene, const lf__watch *watch, lf_thing thing,
                                   lf__look_mode mode, double span, double *time) {
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

static lf_status watch_ground_tell(lf_scene *scene, const lf__watch *watch, lf_thing thing,
                                   lf_event_kind kind, double time) {
    lf_event event = {.kind = kind, .a = thing, .time = time, .wait = time - scene->time};
    if (lf__thing_lives(scene, thing))
        event.ground = ground_near(scene, watch, thing, event.wait);
    return lf__event_tell(scene, watch, &event);
}

/// Contact in the step. A prediction of a contact that begins has come true, even if the contact ends within the step.
static lf_status watch_ground_judge_step(lf_scene *scene, const lf__watch *watch, lf__couple *couple) {
    lf_thing thing = couple->a;
    double begin = 0, now;
    bool was = couple->touching;
    lf_status status;
    if (!was) {
        status = watch_ground_look(scene, watch, thing, LF__LOOK_STEP, watch->tick, &begin);
        if (status != LF_OK || begin == LF_INFINITY)
            return status;
        couple->predicted = false;
        status = watch_ground_tell(scene, watch, thing, LF_EVENT_BEGIN, scene->time - watch->tick + begin);
        if (status != LF_OK)
            return status;
    }
    status = watch_ground_look(scene, watch, thing, LF__LOOK_NOW, 0, &now);
    if (status != LF_OK)
        return status;
    couple->touching = now == 0;
    if (!couple->touching)
        return watch_ground_tell(scene, watch, thing, LF_EVENT_END, scene->time);
    return was ? watch_ground_tell(scene, watch, thing, LF_EVENT_STAY, scene->time) : LF_OK;
}

static lf_status watch_ground_judge_ahead(lf_scene *scene, const lf__watch *watch, lf__couple *couple) {
    double slack = watch->def.slack, span = couple->predicted ? watch->ahead * (1 + slack) : watch->ahead,
           time;
    lf_status status = watch_ground_look(scene, watch, couple->a, LF__LOOK_AHEAD, span, &time);
    if (status != LF_OK)
        return status;
    bool was = couple->predicted;
    couple->predicted = time <= span;
    if (!couple->predicted)
        return was ? watch_ground_tell(scene, watch, couple->a, LF_EVENT_CLEARED, scene->time) : LF_OK;
    double moment = scene->time + time;
    if (was && fabs(moment - couple->moment) <= fmax(slack * watch->ahead, 0.5 * watch->tick))
        return LF_OK;
    couple->moment = moment;
    return watch_ground_tell(scene, watch, couple->a, LF_EVENT_PREDICTED, moment);
}

static lf_status watch_ground_judge(lf_scene *scene, lf__watch *watch, lf_thing thing) {
    lf_thing ground = {{0, 0}, {0, 0}};
    lf__couple *couple = lf__couple_find(&watch->table, thing, ground);
    if (!couple) {
        lf_status status = lf__couple_add(scene, &watch->table, thing, ground, &couple);
        if (status != LF_OK)
            return status;
    }
    couple->seen = scene->steps;
    lf_status status = watch_ground_judge_step(scene, watch, couple);
    if (status == LF_OK && !couple->touching && watch->ahead > 0)
        status = watch_ground_judge_ahead(scene, watch, couple);
    return status;
}

lf_status lf__watch_look_ground(lf_scene *scene, uint32_t index) {
    lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, index);
    lf_status status = lf__members_refresh(scene, watch);
    for (int64_t i = 0; i < watch->member_count && status == LF_OK; i++)
        if (watch->members[i].in_use)
            status = watch_ground_judge(scene, watch, watch->members[i].thing);
    for (int64_t i = 0; i < watch->table.count && status == LF_OK; i++)
        if (watch->table.couples[i].seen != scene->steps)
            status = lf__couple_over(scene, watch, &watch->table.couples[i]);
    lf__couples_tidy(&watch->table);
    return status;
}
