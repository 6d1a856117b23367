/// Watches: what is told, when, how often and in which order.
#include "scenes.h"
#include <landfall/published.h>
#include <math.h>
#include <string.h>

static const lf_vec3 unit = {1, 1, 1}, still = {0, 0, 0};

static lf_watch watch(lf_scene *scene, const lf_watch_def *def) {
    lf_watch id;
    assert_int_equal(lf_watch_create(scene, def, &id, NULL), LF_OK);
    return id;
}

static lf_watch_filter who_instance(lf_instance instance) {
    return (lf_watch_filter){LF_WATCH_FILTER_INSTANCE, instance, {0, 0}, NULL};
}

static lf_watch_filter who_part(lf_part part) {
    return (lf_watch_filter){LF_WATCH_FILTER_PART, {0, 0}, part, NULL};
}

static lf_watch_filter who_tag(const char *tag) {
    return (lf_watch_filter){LF_WATCH_FILTER_TAG, {0, 0}, {0, 0}, tag};
}

static void contacts_begin_stay_and_end(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, (lf_vec3){-2, 0, 0}, (lf_vec3){1, 0, 0});
    lf_instance b = test_box(scene, unit, still, still);
    lf_watch_def def = lf_watch_def_default();
    def.events |= LF_EVENT_BIT(LF_EVENT_STAY);
    def.user = 77;
    lf_watch id = watch(scene, &def);
    test_quiet(scene, 0.5); // a's high side at -1
    lf_event event = test_only(scene, 1, LF_EVENT_BEGIN);
    assert_true(event.a.instance.index == a.index && event.b.instance.index == b.index);
    assert_true(event.watch.index == id.index && event.user == 77);
    assert_true(fabs(event.time - 1) < 1e-12 && fabs(event.wait + 0.5) < 1e-12);
    test_only(scene, 1, LF_EVENT_STAY);
    event = test_only(scene, 2, LF_EVENT_END);
    assert_true(event.wait == 0);
    test_quiet(scene, 1);
    assert_int_equal(lf_watch_remove(scene, id), LF_OK);
    assert_int_equal(lf_watch_remove(scene, id), LF_BAD_ARGUMENT);
    lf_scene_destroy(scene);
}

static void what_touches_already_is_told_at_once(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, still, still);
    test_box(scene, unit, (lf_vec3){1, 0, 0}, still); // touching counts
    lf_watch_def def = lf_watch_def_default();
    watch(scene, &def);
    test_only(scene, 1, LF_EVENT_BEGIN);
    for (int i = 0; i < 20; i++) // both come to rest, and nothing is told
        test_quiet(scene, 1);
    assert_int_equal(lf_instance_remove(scene, a), LF_OK);
    lf_event event = test_only(scene, 1, LF_EVENT_END);
    assert_true(event.a.instance.index == a.index && event.a.instance.generation == a.generation);
    test_quiet(scene, 1);
    lf_scene_destroy(scene);
}

static void nothing_slips_through_within_a_step(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_vec3 wall = {0.001, 1, 1};
    test_box(scene, wall, (lf_vec3){-50, 0, 0}, (lf_vec3){100, 0, 0});
    test_box(scene, wall, (lf_vec3){50, 0, 0}, (lf_vec3){-100, 0, 0});
    lf_watch_def def = lf_watch_def_default();
    lf_watch boxes = watch(scene, &def);
    for (int level = LF_WATCH_PARTS; level <= LF_WATCH_MODEL; level++) {
        def.precision = (lf_watch_precision)level;
        watch(scene, &def);
    }
    int64_t count;
    test_step(scene, 1e-9, &count);
    const lf_event *events = test_step(scene, 1, &count);
    assert_int_equal(count, 8);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(events[i].kind, LF_EVENT_BEGIN);
        assert_int_equal(events[4 + i].kind, LF_EVENT_END);
        assert_true(fabs(events[i].time - 0.5) < 1e-4);
        assert_int_equal(lf_part_is_none(events[i].part_a), events[i].watch.index == boxes.index);
    }
    lf_scene_destroy(scene);
}

static void a_jump_sweeps_nothing(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, (lf_vec3){-10, 0, 0}, still);
    test_box(scene, unit, still, still);
    lf_watch_def def = lf_watch_def_default();
    watch(scene, &def);
    test_quiet(scene, 1);
    lf_pose pose = lf_pose_identity();
    pose.translation.x = 10;
    assert_int_equal(lf_instance_set_pose(scene, a, &pose, true), LF_OK);
    test_quiet(scene, 1);
    pose.translation.x = -10;
    assert_int_equal(lf_instance_set_pose(scene, a, &pose, false), LF_OK);
    int64_t count;
    test_step(scene, 1, &count);
    assert_int_equal(count, 2);
    lf_scene_destroy(scene);
}

static void contacts_are_predicted_once_and_cleared(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, (lf_vec3){-11, 0, 0}, (lf_vec3){1, 0, 0});
    test_box(scene, unit, still, still);
    lf_watch_def def = lf_watch_def_default();
    def.ahead = 4;
    watch(scene, &def);
    for (int i = 0; i < 5; i++)
        test_quiet(scene, 1); // at -6: 5 seconds to go
    lf_event event = test_only(scene, 1, LF_EVENT_PREDICTED);
    assert_true(fabs(event.wait - 4) < 1e-9 && fabs(event.time - 10) < 1e-9);
    test_quiet(scene, 1); // no news
    lf_instance_set_motion(scene, a, LF_MOTION_CARRIED, (lf_vec3){0.98, 0, 0}, still, 0);
    test_quiet(scene, 0.1); // hardly any
    lf_instance_set_motion(scene, a, LF_MOTION_CARRIED, (lf_vec3){0.65, 0, 0}, still, 0);
    event = test_only(scene, 0.1, LF_EVENT_PREDICTED); // it will be much later
    assert_true(event.wait > 3.9 && event.wait < 4.9);
    lf_instance_set_motion(scene, a, LF_MOTION_CARRIED, (lf_vec3){-0.1, 0, 0}, still, 0);
    test_only(scene, 0.1, LF_EVENT_CLEARED);
    test_quiet(scene, 0.1);
    lf_instance_set_motion(scene, a, LF_MOTION_CARRIED, (lf_vec3){1, 0, 0}, still, 0);
    test_only(scene, 0.1, LF_EVENT_PREDICTED);
    event = test_only(scene, 4, LF_EVENT_BEGIN); // came true: not cleared
    lf_scene_destroy(scene);
}

static void a_time_around_the_limit_is_not_told_again_and_again(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, (lf_vec3){-5, 0, 0}, still);
    test_box(scene, unit, still, still);
    lf_watch_def def = lf_watch_def_default();
    def.ahead_ticks = 4000; // of a millisecond
    watch(scene, &def);
    int64_t told = 0;
    for (int i = 0; i < 60; i++) {
        lf_vec3 speed = {i % 2 ? 0.97 : 1.03, 0, 0};
        lf_instance_set_motion(scene, a, LF_MOTION_GIVEN, speed, still, 0); // it does not move at all
        int64_t count;
        test_step(scene, 0.001, &count);
        told += count;
    }
    assert_int_equal(told, 1);
    lf_scene_destroy(scene);
}

static void tags_and_parts_are_watched(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance table = test_box(scene, (lf_vec3){4, 4, 0.1}, (lf_vec3){0, 0, 1}, still);
    for (int i = 0; i < 4; i++) {
        lf_vec3 at = {i & 1 ? 1.9 : -1.9, i & 2 ? 1.9 : -1.9, -0.5};
        lf_part leg = test_part(scene, test_top(scene, table), LF_SHAPE_BOX, (lf_vec3){0.1, 0.1, 1}, at);
        assert_int_equal(lf_part_set_tag(scene, leg, "leg", true), LF_OK);
    }
    lf_instance cat = test_box(scene, (lf_vec3){0.3, 0.3, 0.3}, (lf_vec3){-3, 0, 0.3}, (lf_vec3){1, 0, 0});
    lf_watch_def def = lf_watch_def_default();
    def.a = who_instance(cat);
    def.b = who_instance(table);
    watch(scene, &def); // by boxes: it runs into the table
    def.precision = LF_WATCH_PARTS;
    watch(scene, &def); // it runs between the legs, under the top
    def.precision = LF_WATCH_BOXES;
    def.b = who_tag("leg");
    watch(scene, &def);
    lf_event event = test_only(scene, 3, LF_EVENT_BEGIN);
    assert_int_equal(event.watch.index, 0);
    lf_pose pose = lf_pose_identity();
    pose.translation = (lf_vec3){1.9, 1.9, 0.3};
    assert_int_equal(lf_instance_set_motion(scene, cat, LF_MOTION_MEASURED, still, still, 0), LF_OK);
    assert_int_equal(lf_instance_set_pose(scene, cat, &pose, false), LF_OK);
    int64_t count;
    const lf_event *events = test_step(scene, 1, &count);
    assert_int_equal(count, 2);
    assert_int_equal(events[0].watch.index, 1);
    lf_part legs[8];
    int64_t leg_count;
    bool leg = false;
    assert_int_equal(lf_scene_tagged(scene, "leg", legs, 8, &leg_count), LF_OK);
    for (int64_t i = 0; i < leg_count; i++)
        leg = leg || legs[i].index == events[0].part_b.index;
    assert_true(leg);
    assert_int_equal(events[1].watch.index, 2);
    assert_true(events[1].b.part.index == events[0].part_b.index);
    lf_scene_destroy(scene);
}

static void one_part_and_parts_of_one_instance(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance robot = test_box(scene, unit, still, still);
    lf_part arm =
        test_part(scene, test_top(scene, robot), LF_SHAPE_BOX, (lf_vec3){0.2, 0.2, 0.2}, (lf_vec3){3, 0, 0});
    lf_part_info info;
    lf_part_describe(scene, test_top(scene, robot), &info);
    lf_watch_def def = lf_watch_def_default();
    def.a = who_part(arm);
    def.b = who_part(info.first);
    watch(scene, &def); // parts of one instance do not count
    def.own_parts = true;
    watch(scene, &def);
    test_quiet(scene, 1);
    lf_transform move = lf_translation(-2.5, 0, 0);
    assert_int_equal(lf_part_transform(scene, arm, &move), LF_OK);
    lf_event event = test_only(scene, 1, LF_EVENT_BEGIN);
    assert_int_equal(event.watch.index, 1);
    assert_true(event.a.part.index == arm.index && event.b.part.index == info.first.index);
    lf_scene_destroy(scene);
}

static void touching_nothing_is_told(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, still, still);
    test_box(scene, unit, (lf_vec3){0.5, 0, 0}, still);
    test_box(scene, unit, (lf_vec3){-0.5, 0, 0}, still);
    lf_watch_def def = lf_watch_def_default();
    def.a = who_instance(a);
    def.b.kind = LF_WATCH_FILTER_NOTHING;
    watch(scene, &def);
    test_quiet(scene, 1);
    lf_instance_move(scene, a, (lf_vec3){0.6, 0, 0});
    test_quiet(scene, 1); // one is left behind, the other not
    lf_instance_move(scene, a, (lf_vec3){10, 0, 0});
    lf_event event = test_only(scene, 1, LF_EVENT_BEGIN);
    assert_true(event.a.instance.index == a.index && lf_instance_is_none(event.b.instance));
    for (int i = 0; i < 12; i++)
        test_quiet(scene, 1);
    lf_instance_move(scene, a, (lf_vec3){-10, 0, 0});
    test_only(scene, 1, LF_EVENT_END);
    lf_scene_destroy(scene);
}

static void levels_differ_as_they_should(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    // A slanting rod that passes the corner of a box's box, and a ring of four bars with a ball in its hole.
    lf_instance rod = test_box(scene, (lf_vec3){4, 0.1, 0.1}, still, still);
    lf_instance_turn(scene, rod, (lf_vec3){0, 0, 1}, 0.785398163397448);
    test_box(scene, (lf_vec3){0.4, 0.4, 0.4}, (lf_vec3){1.2, -1.2, 0}, still);
    lf_watch_def def = lf_watch_def_default();
    for (int level = LF_WATCH_BOXES; level <= LF_WATCH_MODEL; level++) {
        def.precision = (lf_watch_precision)level;
        watch(scene, &def);
    }
    int64_t count;
    const lf_event *events = test_step(scene, 1, &count);
    assert_int_equal(count, 2); // boxes and boxes of parts meet; shapes do not
    assert_true(events[0].watch.index == LF_WATCH_BOXES && events[1].watch.index == LF_WATCH_PARTS);
    lf_instance_turn(scene, rod, (lf_vec3){0, 0, 1}, -1.570796326794897);
    events = test_step(scene, 1, &count);
    assert_int_equal(count, 2);
    assert_true(events[0].watch.index == LF_WATCH_CONVEX && events[1].watch.index == LF_WATCH_MODEL);
    lf_scene_destroy(scene);
}

/// A tray: a floor with four walls, as polygons that share vertices; open at the top.
static lf_instance tray(lf_scene *scene) {
    static const lf_vec3 v[8] = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0},
                                 {-2, -2, 2}, {2, -2, 2}, {2, 2, 2}, {-2, 2, 2}};
    static const int64_t starts[6] = {0, 4, 8, 12, 16, 20};
    static const int64_t corners[20] = {0, 1, 2, 3, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
    lf_object_def def = lf_object_def_default();
    lf_object object;
    lf_part top;
    assert_int_equal(lf_object_create(scene, &def, &object, &top, NULL), LF_OK);
    lf_part_def part = lf_part_def_default();
    part.shape.kind = LF_SHAPE_POLYGONS;
    part.shape.polygons = (lf_polygons){v, 8, starts, corners, 5, NULL, NULL, NULL};
    assert_int_equal(lf_part_add(scene, top, &part, NULL, NULL), LF_OK);
    return test_instance(scene, object, still, still);
}

static void hollows_count_for_models_only(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    tray(scene);
    lf_object ball = test_object(scene, LF_SHAPE_SPHERE, unit);
    lf_instance falls = test_instance(scene, ball, (lf_vec3){0, 0, 4}, (lf_vec3){0, 0, -1});
    lf_watch_def def = lf_watch_def_default();
    def.precision = LF_WATCH_CONVEX;
    def.ahead = 100;
    lf_watch convex = watch(scene, &def);
    def.precision = LF_WATCH_MODEL;
    watch(scene, &def);
    int64_t count;
    const lf_event *events = test_step(scene, 1, &count); // the ball's bottom is at 2.5
    assert_int_equal(count, 2);
    assert_true(events[0].watch.index == convex.index && fabs(events[0].wait - 0.5) < 1e-4);
    assert_true(events[1].wait > 2.48 && events[1].wait <= 2.5); // facets enclose the ball: early, not late
    lf_instance_set_motion(scene, falls, LF_MOTION_CARRIED, (lf_vec3){0, 0, 1e-9}, still, 0);
    test_step(scene, 1, &count);
    assert_int_equal(count, 2); // both cleared
    lf_scene_destroy(scene);
}

typedef struct owner {
    int64_t calls;
    double answer;
} owner;

static double own(void *user, const lf_watch_callback *question) {
    owner *o = user;
    o->calls++;
    assert_true(question->scene && !lf_instance_is_none(question->a.instance));
    return o->answer;
}

static void functions_of_the_callers_are_asked(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, (lf_vec3){-5, 0, 0}, still);
    test_box(scene, unit, still, still);
    owner o = {0, LF_INFINITY};
    lf_watch_def def = lf_watch_def_default();
    def.precision = LF_WATCH_OWN;
    def.own = own;
    def.own_user = &o;
    def.ahead = 1;
    watch(scene, &def);
    test_quiet(scene, 1);
    assert_int_equal(o.calls, 0); // the boxes are apart
    lf_instance_move(scene, a, (lf_vec3){4.5, 0, 0});
    test_quiet(scene, 1);
    assert_int_equal(o.calls, 1);
    o.answer = 0.25;
    lf_event event = test_only(scene, 1, LF_EVENT_PREDICTED);
    assert_true(event.wait == 0.25);
    o.answer = 0;
    test_only(scene, 1, LF_EVENT_BEGIN);
    o.answer = LF_NAN;
    test_only(scene, 1, LF_EVENT_END);
    lf_scene_destroy(scene);
}

/// A clock that goes on by one second with every look at it.
static double ticking(void *user) {
    double *now = user;
    return *now += 1;
}

static void a_spent_budget_is_told(void **state) {
    (void)state;
    double now = 0;
    lf_scene_def scene_def = lf_scene_def_default();
    scene_def.clock = ticking;
    scene_def.clock_user = &now;
    lf_scene *scene;
    assert_int_equal(lf_scene_create(&scene_def, &scene, NULL), LF_OK);
    lf_object ball = test_object(scene, LF_SHAPE_SPHERE, unit);
    for (int i = 0; i < 10; i++) { // five pairs whose boxes meet at a corner, and whose balls do not
        lf_vec3 at = {10.0 * (i / 2) + (i % 2) * 0.9, (i % 2) * 0.9, 0};
        test_instance(scene, ball, at, still);
    }
    lf_watch_def def = lf_watch_def_default();
    def.precision = LF_WATCH_CONVEX;
    def.budget = 2.5; // a look takes a second: three are made
    watch(scene, &def);
    int64_t count;
    const lf_event *events = test_step(scene, 1, &count);
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++)
        assert_true(events[i].kind == LF_EVENT_BEGIN && events[i].coarse);
    def.budget = LF_INFINITY;
    watch(scene, &def);
    events = test_step(scene, 1, &count);
    for (int64_t i = 0; i < count; i++)
        assert_true(events[i].watch.index == 0); // the other one sees that none of them touch
    lf_scene_destroy(scene);
}

static void a_pair_is_told_once_and_in_order(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance all[8];
    for (int i = 0; i < 8; i++) {
        all[i] = test_box(scene, unit, (lf_vec3){0.1 * i, 0, 0}, still);
        for (int p = 0; p < 3; p++)
            test_part(scene, test_top(scene, all[i]), LF_SHAPE_BOX, unit, (lf_vec3){0, 0, 0.2 * p});
    }
    lf_watch_def def = lf_watch_def_default();
    def.precision = LF_WATCH_PARTS;
    watch(scene, &def);
    watch(scene, &def);
    int64_t count;
    const lf_event *events = test_step(scene, 1, &count);
    assert_int_equal(count, 2 * 28);
    for (int64_t i = 1; i < count; i++) {
        const lf_event *p = &events[i - 1], *q = &events[i];
        uint64_t before =
            (uint64_t)p->watch.index << 40 | (uint64_t)p->a.instance.index << 20 | p->b.instance.index;
        uint64_t after =
            (uint64_t)q->watch.index << 40 | (uint64_t)q->a.instance.index << 20 | q->b.instance.index;
        assert_true(before < after);
        assert_true(q->a.instance.index < q->b.instance.index);
    }
    lf_scene_destroy(scene);
}

static void pairs_that_cannot_meet_yet_are_not_looked_at(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, (lf_vec3){-1001, 0, 0}, (lf_vec3){1, 0, 0});
    lf_instance b = test_box(scene, unit, still, still);
    lf_watch_def def = lf_watch_def_default();
    def.a = who_instance(a);
    def.b = who_instance(b);
    def.ahead = 10;
    watch(scene, &def);
    int64_t count = 0, steps = 0;
    while (count == 0 && steps < 2000) {
        test_step(scene, 1, &count);
        steps++;
    }
    assert_int_equal(steps, 990); // 1000 seconds to go, ten of them ahead
    lf_scene_stats stats = lf_scene_describe(scene);
    assert_true(stats.pair_tests < 20 && stats.sleeping_pairs > 960);
    // A velocity that changes wakes them.
    int64_t tests = stats.pair_tests;
    lf_instance_set_motion(scene, a, LF_MOTION_CARRIED, (lf_vec3){-1, 0, 0}, still, 0);
    test_only(scene, 1, LF_EVENT_CLEARED);
    for (int i = 0; i < 100; i++)
        test_quiet(scene, 1);
    assert_true(lf_scene_describe(scene).pair_tests - tests < 4);
    lf_instance_set_motion(scene, a, LF_MOTION_CARRIED, (lf_vec3){1000, 0, 0}, still, 0);
    test_step(scene, 0.01, &count);
    assert_int_equal(count, 1);
    lf_scene_destroy(scene);
}

static void a_gap_holds_an_end_back(void **state) {
    (void)state;
    for (int level = LF_WATCH_BOXES; level <= LF_WATCH_MODEL; level++) {
        lf_scene *scene = test_scene();
        lf_instance a = test_box(scene, unit, (lf_vec3){1, 0, 0}, still);
        test_box(scene, unit, still, still);
        lf_watch_def def = lf_watch_def_default();
        def.gap = 0.5;
        def.precision = (lf_watch_precision)level;
        watch(scene, &def);
        test_only(scene, 1, LF_EVENT_BEGIN);
        for (int i = 0; i < 4; i++) {
            lf_instance_move(scene, a, (lf_vec3){i % 2 ? -0.4 : 0.4, 0, 0});
            test_quiet(scene, 1);
        }
        lf_instance_move(scene, a, (lf_vec3){0.6, 0, 0});
        test_only(scene, 1, LF_EVENT_END);
        lf_scene_destroy(scene);
    }
}

static void methods_are_chosen_per_watch(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    // A bullet and a thin wall: only looking at every tick misses it; spheres are early.
    test_box(scene, (lf_vec3){0.1, 0.1, 0.1}, (lf_vec3){-10.25, 0, 0}, (lf_vec3){10, 0, 0});
    test_box(scene, (lf_vec3){0.01, 5, 5}, still, still);
    lf_watch_def def = lf_watch_def_default();
    def.ahead = 0.99;
    def.slack = 0;
    watch(scene, &def);
    for (int kind = LF_GOTTSTEIN_STEPS; kind <= LF_GOTTSTEIN_SPHERES_BISECTION; kind++) {
        def.method = lf_gottstein_contact((lf_gottstein_contact_kind)kind);
        watch(scene, &def);
    }
    int64_t count;
    const lf_event *events = test_step(scene, 0.05, &count); // its face is at -9.7, the wall's at -0.005
    double exact = 0.9695;
    enum { EXACT, STEPS, SPHERES, BISECTION, SPHERES_BISECTION, METHODS };
    bool told[METHODS] = {false};
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i++) { // of each watch by its own method, in the order of what they say
        double wait = events[i].wait;
        uint32_t method = events[i].watch.index;
        told[method] = true;
        assert_true(i == 0 || events[i - 1].wait <= wait);
        assert_true(method != EXACT || fabs(wait - exact) < 1e-9);
        assert_true(method != SPHERES || wait < exact - 0.2);
        if (method == BISECTION || method == SPHERES_BISECTION)
            assert_true(wait <= exact && wait > exact - 0.06);
    }
    assert_true(told[EXACT] && told[SPHERES] && told[BISECTION] && told[SPHERES_BISECTION]);
    lf_scene_destroy(scene);
}

static void bad_watches_are_refused(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_error error;
    lf_watch_def def = lf_watch_def_default();
    def.a.kind = LF_WATCH_FILTER_GROUND;
    assert_int_equal(lf_watch_create(scene, &def, NULL, &error), LF_BAD_ARGUMENT);
    def = lf_watch_def_default();
    def.a = who_instance((lf_instance){3, 1});
    assert_int_equal(lf_watch_create(scene, &def, NULL, &error), LF_BAD_ARGUMENT);
    def = lf_watch_def_default();
    def.b.kind = LF_WATCH_FILTER_GROUND;
    assert_int_equal(lf_watch_create(scene, &def, NULL, &error), LF_BAD_ARGUMENT);
    def = lf_watch_def_default();
    def.ahead = -1;
    assert_int_equal(lf_watch_create(scene, &def, NULL, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "-1"));
    def = lf_watch_def_default();
    def.precision = LF_WATCH_OWN;
    assert_int_equal(lf_watch_create(scene, &def, NULL, &error), LF_BAD_ARGUMENT);
    def = lf_watch_def_default();
    def.b = who_tag("");
    assert_int_equal(lf_watch_create(scene, &def, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_step(scene, 0, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_step(scene, LF_NAN, &error), LF_BAD_ARGUMENT);
    assert_string_equal(lf_watch_precision_name(LF_WATCH_MODEL), "model");
    assert_string_equal(lf_watch_precision_name((lf_watch_precision)9), "?");
    assert_string_equal(lf_event_name((lf_event_kind)9), "?");
    lf_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_begin_stay_and_end),
        cmocka_unit_test(what_touches_already_is_told_at_once),
        cmocka_unit_test(nothing_slips_through_within_a_step),
        cmocka_unit_test(a_jump_sweeps_nothing),
        cmocka_unit_test(contacts_are_predicted_once_and_cleared),
        cmocka_unit_test(a_time_around_the_limit_is_not_told_again_and_again),
        cmocka_unit_test(tags_and_parts_are_watched),
        cmocka_unit_test(one_part_and_parts_of_one_instance),
        cmocka_unit_test(touching_nothing_is_told),
        cmocka_unit_test(levels_differ_as_they_should),
        cmocka_unit_test(hollows_count_for_models_only),
        cmocka_unit_test(functions_of_the_callers_are_asked),
        cmocka_unit_test(a_spent_budget_is_told),
        cmocka_unit_test(a_pair_is_told_once_and_in_order),
        cmocka_unit_test(pairs_that_cannot_meet_yet_are_not_looked_at),
        cmocka_unit_test(a_gap_holds_an_end_back),
        cmocka_unit_test(methods_are_chosen_per_watch),
        cmocka_unit_test(bad_watches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
