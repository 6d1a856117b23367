/// Events: the order of those of one step, and predictions that come true within it.
#include "scenes.h"
#include <math.h>

static const lf_vec3 unit = {1, 1, 1}, still = {0, 0, 0};

static lf_watch watch_pair(lf_scene *scene, lf_instance a, lf_instance b, double ahead) {
    lf_watch_def def = lf_watch_def_default();
    lf_watch id;
    def.a = (lf_watch_filter){LF_WATCH_FILTER_INSTANCE, a, {0, 0}, NULL};
    def.b = (lf_watch_filter){LF_WATCH_FILTER_INSTANCE, b, {0, 0}, NULL};
    def.ahead = ahead;
    assert_int_equal(lf_watch_create(scene, &def, &id, NULL), LF_OK);
    return id;
}

static void expect_kinds(const lf_event *events, int64_t count, const lf_event_kind *kinds, int64_t wanted) {
    assert_int_equal(count, wanted);
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(events[i].kind, kinds[i]);
}

/// A contact that was predicted, began and ended within one step came true: nothing is cleared.
static void a_prediction_that_came_true_is_not_cleared(void **state) {
    (void)state;
    static const lf_event_kind kinds[2] = {LF_EVENT_BEGIN, LF_EVENT_END};
    for (int level = LF_WATCH_BOXES; level <= LF_WATCH_MODEL; level++) {
        lf_scene *scene = test_scene();
        test_box(scene, unit, (lf_vec3){-11, 0, 0}, (lf_vec3){10, 0, 0});
        test_box(scene, unit, still, still);
        lf_watch_def def = lf_watch_def_default();
        def.ahead = 4;
        def.precision = (lf_watch_precision)level;
        assert_int_equal(lf_watch_create(scene, &def, NULL, NULL), LF_OK);
        test_only(scene, 0.1, LF_EVENT_PREDICTED);
        int64_t count;
        const lf_event *events = test_step(scene, 2, &count);
        expect_kinds(events, count, kinds, 2);
        for (int i = 0; i < 3; i++)
            test_quiet(scene, 1);
        lf_scene_destroy(scene);
    }
}

/// The same for a thing that flies through a ridge of a ground.
static void a_prediction_of_ground_that_came_true_is_not_cleared(void **state) {
    (void)state;
    static const lf_event_kind kinds[2] = {LF_EVENT_BEGIN, LF_EVENT_END};
    double heights[3 * 41];
    for (int i = 0; i < 3 * 41; i++)
        heights[i] = i % 41 == 20 ? 10 : -10;
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    const lf_ground *ground;
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = 41;
    def.samples.rows = 3;
    def.geotransform = (lf_geotransform){{0, 0}, {1, 0}, {0, 10}};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    ground = lf_grid_ground(grid);
    lf_scene *scene = test_scene();
    test_box(scene, unit, (lf_vec3){5, 10, 0}, (lf_vec3){10, 0, 0});
    lf_watch_def watch = lf_watch_def_default();
    watch.b.kind = LF_WATCH_FILTER_GROUND;
    watch.ground = ground;
    watch.ahead = 3;
    assert_int_equal(lf_watch_create(scene, &watch, NULL, NULL), LF_OK);
    test_only(scene, 0.1, LF_EVENT_PREDICTED);
    int64_t count;
    const lf_event *events = test_step(scene, 2, &count);
    expect_kinds(events, count, kinds, 2);
    lf_scene_destroy(scene);
    lf_grid_destroy(grid);
}

/// A prediction that has come true may be followed by a new one in the same step; one that has not is still cleared.
static void a_prediction_is_cleared_when_the_thing_turns_away(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, (lf_vec3){-11, 0, 0}, (lf_vec3){10, 0, 0});
    test_box(scene, unit, still, still);
    lf_watch_def def = lf_watch_def_default();
    def.ahead = 4;
    assert_int_equal(lf_watch_create(scene, &def, NULL, NULL), LF_OK);
    test_only(scene, 0.1, LF_EVENT_PREDICTED);
    assert_int_equal(lf_instance_set_motion(scene, a, LF_MOTION_CARRIED, (lf_vec3){-10, 0, 0}, still, 0),
                     LF_OK);
    test_only(scene, 0.1, LF_EVENT_CLEARED);
    lf_scene_destroy(scene);
}

/// Later watches come first where their contacts do; what happens at the same time goes by watch, then by things, then by kind.
static void events_of_a_step_come_by_time(void **state) {
    (void)state;
    enum { COUNT = 4 };
    static const double starts[COUNT] = {-8, -4, -6, -4};
    lf_scene *scene = test_scene();
    lf_instance movers[COUNT], wall = test_box(scene, (lf_vec3){1, 100, 1}, still, still);
    lf_watch watches[COUNT];
    for (int i = 0; i < COUNT; i++)
        movers[i] = test_box(scene, unit, (lf_vec3){starts[i], 4.0 * i, 0}, (lf_vec3){1, 0, 0});
    for (int i = 0; i < COUNT; i++)
        watches[i] = watch_pair(scene, movers[i], wall, i == 0 ? 20 : 0);
    int64_t count;
    test_step(scene, 0.5, &count);
    assert_int_equal(count, 1); // predicted
    const lf_event *events = test_step(scene, 20, &count);
    static const int order[2 * COUNT] = {1, 3, 2, 0, 0, 1, 2, 3};
    static const double times[COUNT] = {7, 3, 5, 3};
    assert_int_equal(count, 2 * COUNT);
    for (int i = 0; i < 2 * COUNT; i++) {
        bool begins = i < COUNT;
        assert_int_equal(events[i].kind, begins ? LF_EVENT_BEGIN : LF_EVENT_END);
        assert_int_equal(events[i].watch.index, watches[order[i]].index);
        assert_true(fabs(events[i].time - (begins ? times[order[i]] : 20.5)) < 1e-9);
    }
    lf_scene_destroy(scene);
}

/// What is predicted lies ahead, so it comes behind all that has happened.
static void predictions_come_last(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance wall = test_box(scene, (lf_vec3){1, 100, 1}, still, still);
    lf_instance early = test_box(scene, unit, (lf_vec3){-5, 0, 0}, (lf_vec3){1, 0, 0});
    lf_instance late = test_box(scene, unit, (lf_vec3){-3, 5, 0}, (lf_vec3){1, 0, 0});
    lf_watch first = watch_pair(scene, early, wall, 10), second = watch_pair(scene, late, wall, 0);
    int64_t count;
    const lf_event *events = test_step(scene, 2.5, &count);
    assert_int_equal(count, 2);
    assert_true(events[0].kind == LF_EVENT_BEGIN && events[0].watch.index == second.index);
    assert_true(events[1].kind == LF_EVENT_PREDICTED && events[1].watch.index == first.index);
    assert_true(events[0].time < events[1].time);
    lf_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prediction_that_came_true_is_not_cleared),
        cmocka_unit_test(a_prediction_of_ground_that_came_true_is_not_cleared),
        cmocka_unit_test(a_prediction_is_cleared_when_the_thing_turns_away),
        cmocka_unit_test(events_of_a_step_come_by_time),
        cmocka_unit_test(predictions_come_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
