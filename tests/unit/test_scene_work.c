/// The scene reports its work, the same numbers each time, and ends a step when it is told to.
#include "support.h"
#include <string.h>

typedef struct reports {
    int64_t count, last, most; ///< most: stop beyond so much work; -1: never
} reports;

static bool hear(void *user, const char *stage, int64_t done, int64_t total) {
    reports *r = user;
    assert_string_equal(stage, "scene");
    assert_true(done >= r->last && total == -1);
    r->count++;
    r->last = done;
    return r->most < 0 || done <= r->most;
}

/// So many boxes in one place, and two watches: the first has nothing to look at.
static lf_scene *make_scene(const lf_progress *progress, int boxes) {
    lf_scene_def def = lf_scene_def_default();
    def.host.progress = progress;
    lf_scene *scene = NULL;
    lf_object object;
    lf_part top;
    lf_instance instance;
    assert_int_equal(lf_scene_create(&def, &scene, NULL), LF_OK);
    lf_object_def object_def = lf_object_def_default();
    assert_int_equal(lf_object_create(scene, &object_def, &object, &top, NULL), LF_OK);
    lf_part_def part = lf_part_def_default();
    part.shape.kind = LF_SHAPE_BOX;
    assert_int_equal(lf_part_add(scene, top, &part, NULL, NULL), LF_OK);
    lf_instance_def instance_def = lf_instance_def_default();
    instance_def.object = object;
    for (int i = 0; i < boxes; i++)
        assert_int_equal(lf_instance_create(scene, &instance_def, &instance, NULL), LF_OK);
    lf_watch_def watch = lf_watch_def_default();
    watch.a.kind = watch.b.kind = LF_WATCH_FILTER_TAG;
    watch.a.tag = watch.b.tag = "none";
    assert_int_equal(lf_watch_create(scene, &watch, NULL, NULL), LF_OK);
    watch = lf_watch_def_default();
    assert_int_equal(lf_watch_create(scene, &watch, NULL, NULL), LF_OK);
    return scene;
}

static int64_t work_of(int boxes) {
    reports r = {0, 0, -1};
    lf_progress progress = {&r, hear};
    lf_scene *scene = make_scene(&progress, boxes);
    lf_error error;
    assert_int_equal(lf_scene_step(scene, 0.1, &error), LF_OK);
    lf_scene_destroy(scene);
    assert_true(r.count > 0);
    return r.last;
}

/// Work is counted alike each time, and grows with the pairs there are.
static void test_work(void **state) {
    (void)state;
    int64_t little = work_of(100), much = work_of(400);
    assert_true(little == work_of(100) && much == work_of(400));
    assert_true(little >= 100 * 99 / 2 && much > 10 * little && much < 40 * little);
}

static void test_cancel(void **state) {
    (void)state;
    reports r = {0, 0, 200000};
    lf_progress progress = {&r, hear};
    lf_scene *scene = make_scene(&progress, 400);
    lf_error error = {LF_OK, -1, ""};
    assert_int_equal(lf_scene_step(scene, 0.1, &error), LF_CANCELLED);
    assert_int_equal(error.where, 1); // the watch that was at work
    assert_true(r.last < 220000);     // not far beyond
    r.most = -1;                      // it goes on where nothing stops it
    assert_int_equal(lf_scene_step(scene, 0.1, &error), LF_OK);
    const lf_event *events;
    int64_t count;
    assert_int_equal(lf_scene_events(scene, &events, &count), LF_OK);
    lf_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_work), cmocka_unit_test(test_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
