/// Watches on ground: when does an instance or part touch it?
#include "scene/watch.h"

// ---------------------------------------------------------------------------------------------------
// Contact with ground
// ---------------------------------------------------------------------------------------------------

// Everything that an object touches while it moves along a line is touched by the prisms that its triangles
// sweep. A ground extends beyond a prism, so it touches the prism exactly when it touches its surface: both
// ends and the sides over the edges. So the swept object is a triangle soup, and a model of it decides
// exactly whether the ground touches it. Bisecting the time then finds the first contact: the time before it
// is known to be free.

/// The interval of the first contact is halved this often: to less than 1e-6 of it.
#define SCENE_GROUND_HALVINGS 20

#define SCENE_GROUND_FACETS 32
#define SCENE_GROUND_STRETCH 1.00970

/// A moving object: triangles at the start, each with its displacement over the whole span.
typedef struct mover {
    lf_scene *scene;
    const lf_ground *ground;
    lf_vec3 shift, way; ///< of the shape that is being added
    lf_vec3 rows[3];    ///< likewise
    lf_box box;         ///< of everything that is swept
    lf_status status;
} mover;

static void add_triangle(mover *m, const lf_vec3 corners[3]) {
    lf_scene *scene = m->scene;
    if (m->status == LF_OK)
        m->status = lf__array_reserve(&scene->movers, &scene->allocator, 4, sizeof(lf_vec3));
    if (m->status != LF_OK)
        return;
    lf_vec3 *added = (lf_vec3 *)scene->movers.items + scene->movers.count;
    for (int i = 0; i < 3; i++) {
        added[i] = corners[i];
        m->box = lf_box_with(lf_box_with(m->box, corners[i]), lf_vec3_add(corners[i], m->way));
    }
    added[3] = m->way;
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

/// Add a box as a shape.
static void add_box(mover *m, lf_box box) {
    lf__form form = {.kind = LF_SHAPE_BOX, .size = lf_vec3_sub(box.high, box.low)};
    lf_vec3 rows[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    memcpy(m->rows, rows, sizeof rows);
    m->shift = lf_box_centre(box);
    lf__form_triangles(&form, 3, 1, add_shown, m);
}

/// The cube that contains a box in every rotation about a point.
static lf_box cube_around(lf_box box, lf_vec3 pivot) {
    lf_vec3 far = {fmax(fabs(box.low.x - pivot.x), fabs(box.high.x - pivot.x)),
                   fmax(fabs(box.low.y - pivot.y), fabs(box.high.y - pivot.y)),
                   fmax(fabs(box.low.z - pivot.z), fabs(box.high.z - pivot.z))};
    double radius = lf_vec3_length(far);
    lf_vec3 half = {radius, radius, radius};
    return (lf_box){lf_vec3_sub(pivot, half), lf_vec3_add(pivot, half)};
}

/// Add one part: its box, or, for an exact test, the triangles of its shape.
static void add_part(mover *m, const lf__watch_test *test, const lf__part *part, bool exact) {
    const lf_scene *scene = test->scene;
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    lf_box now = lf__part_box_now(scene, part);
    if (lf_box_is_empty(now))
        return;
    lf_vec3 back = {0, 0, 0};
    m->way = back;
    bool spins = instance->spin.x != 0 || instance->spin.y != 0 || instance->spin.z != 0;
    if (test->mode == LF__TEST_AHEAD) {
        m->way = lf_vec3_scale(lf__part_velocity(scene, part), test->span);
    } else if (test->mode == LF__TEST_STEP) {
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

static void mover_add_thing(mover *m, const lf__watch_test *test, lf_watch_precision precision) {
    const lf_scene *scene = test->scene;
    uint32_t top = lf__thing_part(scene, test->a);
    if (precision == LF_WATCH_BOXES) {
        add_part(m, test, lf__part_at(scene, top), false);
        return;
    }
    for (uint32_t i = top; i != LF__NO_INDEX && m->status == LF_OK; i = lf__part_after(scene, i, top))
        if (lf__part_at(scene, i)->form.kind != LF_SHAPE_SOLID)
            add_part(m, test, lf__part_at(scene, i), precision != LF_WATCH_PARTS);
}

static void add_to_soup(mover *m, lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    const lf_vec3 corners[3] = {a, b, c};
    if (m->status == LF_OK)
        m->status = lf__triangles_add(m->scene, corners);
}

/// The surface of the prism that a triangle sweeps between two moments.
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

/// Does the ground touch or cover what is swept between two moments?
static bool mover_meets(mover *m, double from, double to) {
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
    lf_model_stand stand = {model, lf_pose_identity(), m->ground, NULL, 0};
    lf_model_landing landing = {.touching = false};
    lf_cursor cursor = lf__work_cursor(scene);
    m->status = lf_model_land(&stand, &landing, &cursor);
    scene->ground_tests++;
    if (!lf__work_of(scene, &cursor) && m->status == LF_OK)
        m->status = LF_CANCELLED;
    lf_model_destroy(model);
    return landing.touching || landing.under_count > 0;
}

/// When does a thing touch the watch's ground? As lf_scene_ground_time; with LF__TEST_STEP for the last step.
static lf_status test_ground(lf__watch_test *test, const lf_ground *ground, lf_watch_precision precision) {
    mover m = {.scene = test->scene, .ground = ground, .box = lf_box_empty()};
    test->time = LF_INFINITY;
    test->scene->movers.count = 0;
    mover_add_thing(&m, test, precision);
    if (m.status != LF_OK || test->scene->movers.count == 0)
        return m.status;
    if (mover_meets(&m, 0, 0)) {
        test->time = 0;
        return m.status;
    }
    if (test->mode == LF__TEST_NOW || m.status != LF_OK || !lf_box_overlap(m.box, lf_ground_box(ground)) ||
        !mover_meets(&m, 0, 1))
        return m.status;
    double free = 0, met = 1;
    for (int i = 0; i < SCENE_GROUND_HALVINGS && m.status == LF_OK; i++) {
        double middle = 0.5 * (free + met);
        if (mover_meets(&m, free, middle))
            met = middle;
        else
            free = middle;
    }
    test->time = free * test->span;
    return m.status;
}

lf_status lf_scene_ground_time(lf_scene *scene, lf_thing thing, const lf_ground *ground,
                               lf_watch_precision precision, double ahead, double *seconds) {
    if (!scene || !ground || !seconds || !lf__thing_lives(scene, thing) || (int)precision < LF_WATCH_BOXES ||
        precision > LF_WATCH_MODEL || !(ahead > 0) || !isfinite(ahead))
        return LF_BAD_ARGUMENT;
    if (!lf_part_is_none(thing.part) && lf__part_find(scene, thing.part)->instance != thing.instance.index)
        return LF_BAD_ARGUMENT;
    scene->cancelled = false;
    lf_status status = lf_scene_update(scene);
    lf__watch_test test = {.scene = scene, .a = thing, .mode = LF__TEST_AHEAD, .span = ahead};
    if (status == LF_OK)
        status = test_ground(&test, ground, precision);
    if (status == LF_OK)
        *seconds = test.time;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Watches on ground
// ---------------------------------------------------------------------------------------------------

static lf_status ground_test(lf_scene *scene, const lf__watch *watch, lf_thing thing,
                             lf__watch_test_mode mode, double span, double *time) {
    lf__watch_test ray_query = {.scene = scene, .watch = watch, .a = thing, .mode = mode, .span = span};
    lf_status status = test_ground(&ray_query, watch->def.ground, watch->def.precision);
    *time = ray_query.time;
    return status;
}

/// The ground below the middle of a thing, or else above it, some seconds from now.
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

static lf_status ground_report(lf_scene *scene, const lf__watch *watch, lf_thing thing, lf_event_kind kind,
                               double time) {
    lf_event event = {.kind = kind, .a = thing, .time = time, .wait = time - scene->time};
    if (lf__thing_lives(scene, thing))
        event.ground = ground_near(scene, watch, thing, event.wait);
    return lf__event_report(scene, watch, &event);
}

/// Contact in the step. A contact that begins fulfils its prediction, even if it ends within the step.
static lf_status ground_update_contact(lf_scene *scene, const lf__watch *watch, lf__watch_pair *pair) {
    lf_thing thing = pair->a;
    double begin = 0, now;
    bool was = pair->touching;
    lf_status status;
    if (!was) {
        status = ground_test(scene, watch, thing, LF__TEST_STEP, watch->tick, &begin);
        if (status != LF_OK || begin == LF_INFINITY)
            return status;
        pair->predicted = false;
        status = ground_report(scene, watch, thing, LF_EVENT_BEGIN, scene->time - watch->tick + begin);
        if (status != LF_OK)
            return status;
    }
    status = ground_test(scene, watch, thing, LF__TEST_NOW, 0, &now);
    if (status != LF_OK)
        return status;
    pair->touching = now == 0;
    if (!pair->touching)
        return ground_report(scene, watch, thing, LF_EVENT_END, scene->time);
    return was ? ground_report(scene, watch, thing, LF_EVENT_STAY, scene->time) : LF_OK;
}

static lf_status ground_update_prediction(lf_scene *scene, const lf__watch *watch, lf__watch_pair *pair) {
    double slack = watch->def.slack, span = pair->predicted ? watch->ahead * (1 + slack) : watch->ahead, time;
    lf_status status = ground_test(scene, watch, pair->a, LF__TEST_AHEAD, span, &time);
    if (status != LF_OK)
        return status;
    bool was = pair->predicted;
    pair->predicted = time <= span;
    if (!pair->predicted)
        return was ? ground_report(scene, watch, pair->a, LF_EVENT_CLEARED, scene->time) : LF_OK;
    double moment = scene->time + time;
    if (was && fabs(moment - pair->moment) <= fmax(slack * watch->ahead, 0.5 * watch->tick))
        return LF_OK;
    pair->moment = moment;
    return ground_report(scene, watch, pair->a, LF_EVENT_PREDICTED, moment);
}

static lf_status ground_update(lf_scene *scene, lf__watch *watch, lf_thing thing) {
    lf_thing ground = {{0, 0}, {0, 0}};
    lf__watch_pair *pair = lf__pair_table_find(&watch->table, thing, ground);
    if (!pair) {
        lf_status status = lf__pair_table_add(scene, &watch->table, thing, ground, &pair);
        if (status != LF_OK)
            return status;
    }
    pair->seen = scene->steps;
    lf_status status = ground_update_contact(scene, watch, pair);
    if (status == LF_OK && !pair->touching && watch->ahead > 0)
        status = ground_update_prediction(scene, watch, pair);
    return status;
}

lf_status lf__watch_step_ground(lf_scene *scene, uint32_t index) {
    lf__watch *watch = (lf__watch *)lf__pool_at(&scene->watches, index);
    lf_status status = lf__members_refresh(scene, watch);
    for (int64_t i = 0; i < watch->member_count && status == LF_OK; i++)
        if (watch->members[i].in_use)
            status = ground_update(scene, watch, watch->members[i].thing);
    for (int64_t i = 0; i < watch->table.count && status == LF_OK; i++)
        if (watch->table.pairs[i].seen != scene->steps)
            status = lf__watch_pair_end(scene, watch, &watch->table.pairs[i]);
    lf__pair_table_prune(&watch->table);
    return status;
}
