/// Functions of the caller's that a scene or a culler calls: which of them may change it, and that the others are refused.
#include "scenes.h"
#include <landfall/scene.h>
#include <math.h>
#include <string.h>

static const lf_vec3 unit = {1, 1, 1}, still = {0, 0, 0};

/// A scene with one of everything, and what a function of the caller's does when it is called.
typedef struct world {
    lf_scene *scene;
    lf_object object;
    lf_instance instance;
    lf_part top, part;
    lf_watch watch;
    void (*act)(struct world *w);
    const char *from; ///< what messages call the function
    int calls;
    double now;
    lf_status worst; ///< of what was made inside build functions
} world;

static void act(world *w) {
    w->calls++;
    if (w->act)
        w->act(w);
}

static double ask_own(void *user, const lf_watch_callback *question) {
    world *w = user;
    assert_ptr_equal(question->scene, w->scene);
    act(w);
    return 0;
}

static double ask_clock(void *user) {
    world *w = user;
    act(w);
    return w->now += 1;
}

static bool show(void *user, const lf_scene_triangle *triangle) {
    world *w = user;
    assert_int_equal(triangle->part.index, w->part.index);
    act(w);
    return true;
}

static lf_status build(void *user, lf_scene *scene, lf_part top, const double *parameters) {
    world *w = user;
    assert_ptr_equal(scene, w->scene);
    assert_true(!lf_part_is_none(top) && parameters[0] == 7);
    act(w);
    return LF_OK;
}

/// Three boxes that overlap, and a watch. allocator: NULL for the plain one.
static void world_make_with(world *w, const lf_allocator *allocator) {
    lf_scene_def def = lf_scene_def_default();
    *w = (world){.now = 0};
    def.host.allocator = allocator;
    def.clock = ask_clock;
    def.clock_user = w;
    assert_int_equal(lf_scene_create(&def, &w->scene, NULL), LF_OK);
    w->object = test_object(w->scene, LF_SHAPE_BOX, unit);
    w->instance = test_instance(w->scene, w->object, still, still);
    for (int i = 1; i < 3; i++)
        test_instance(w->scene, w->object, (lf_vec3){0.25 * i, 0, 0}, still);
    w->top = test_top(w->scene, w->instance);
    lf_part_info info;
    assert_int_equal(lf_part_describe(w->scene, w->top, &info), LF_OK);
    w->part = info.first;
    lf_watch_def watch = lf_watch_def_default();
    assert_int_equal(lf_watch_create(w->scene, &watch, &w->watch, NULL), LF_OK);
}

static void world_make(world *w) {
    world_make_with(w, NULL);
}

// ---------------------------------------------------------------------------------------------------
// Every call that changes a scene
// ---------------------------------------------------------------------------------------------------

/// Those without a message.
#define PLAIN 18

static lf_status change_part(world *w, int number) {
    lf_transform move = lf_translation(1, 0, 0);
    lf_vec3 velocity = {1, 0, 0};
    switch (number) {
    case 0:
        return lf_part_remove(w->scene, w->part);
    case 1:
        return lf_part_transform(w->scene, w->part, &move);
    case 2:
        return lf_part_set_transforms(w->scene, w->part, &move, 1);
    case 3:
        return lf_part_set_vertex(w->scene, w->part, 0, still);
    case 4:
        return lf_part_set_colour(w->scene, w->part, (lf_paint){1, 0, 0, 1});
    case 5:
        return lf_part_set_tag(w->scene, w->part, "red", true);
    case 6:
        return lf_part_set_tag(w->scene, w->part, "red", false);
    case 7:
        return lf_part_set_velocity(w->scene, w->part, NULL, 3);
    default:
        return lf_part_set_velocity(w->scene, w->part, &velocity, 0);
    }
}

static lf_status change_instance(world *w, int number) {
    lf_pose pose = lf_pose_identity();
    switch (number) {
    case 0:
        return lf_instance_set_pose(w->scene, w->instance, &pose, false);
    case 1:
        return lf_instance_set_pose(w->scene, w->instance, &pose, true);
    case 2:
        return lf_instance_move(w->scene, w->instance, unit);
    case 3:
        return lf_instance_turn(w->scene, w->instance, unit, 1);
    case 4:
        return lf_instance_scale(w->scene, w->instance, (lf_vec3){2, 2, 2});
    case 5:
        return lf_instance_set_motion(w->scene, w->instance, LF_MOTION_CARRIED, unit, unit, 0);
    case 6:
        return lf_instance_set_motion(w->scene, w->instance, LF_MOTION_MEASURED, (lf_vec3){0, 0, 0},
                                      (lf_vec3){0, 0, 0}, 3);
    case 7:
        return lf_instance_follow(w->scene, w->instance, NULL, NULL, 0);
    default:
        return lf_watch_remove(w->scene, w->watch);
    }
}

/// Those with a message that names them; `name` is written.
#define TOLD 6

static lf_status change_with_message(world *w, int number, const char **name, lf_error *error) {
    static const char *const names[TOLD] = {"lf_part_add",     "lf_part_set_shape",  "lf_object_create",
                                            "lf_watch_create", "lf_instance_create", "lf_scene_step"};
    lf_part_def part = lf_part_def_default();
    lf_shape shape = part.shape;
    lf_object_def object = lf_object_def_default();
    lf_instance_def instance = lf_instance_def_default();
    lf_watch_def watch = lf_watch_def_default();
    lf_object made;
    lf_instance put;
    *name = names[number];
    shape.kind = LF_SHAPE_SPHERE;
    instance.object = w->object;
    switch (number) {
    case 0:
        return lf_part_add(w->scene, w->top, &part, NULL, error);
    case 1:
        return lf_part_set_shape(w->scene, w->part, &shape, error);
    case 2:
        return lf_object_create(w->scene, &object, &made, NULL, error);
    case 3:
        return lf_watch_create(w->scene, &watch, NULL, error);
    case 4:
        return lf_instance_create(w->scene, &instance, &put, error);
    default:
        return lf_scene_step(w->scene, 1, error);
    }
}

/// Every change is refused, and where there is a message it names the call and the function.
static void try_everything(world *w) {
    lf_scene_stats before = lf_scene_describe(w->scene);
    for (int i = 0; i < PLAIN; i++)
        assert_int_equal(i < 9 ? change_part(w, i) : change_instance(w, i - 9), LF_BAD_ARGUMENT);
    for (int i = 0; i < TOLD; i++) {
        lf_error error = {LF_OK, -1, ""};
        const char *name;
        assert_int_equal(change_with_message(w, i, &name, &error), LF_BAD_ARGUMENT);
        assert_true(strncmp(error.text, name, strlen(name)) == 0 && strstr(error.text, w->from));
    }
    assert_int_equal(lf_instance_remove(w->scene, w->instance), LF_BAD_ARGUMENT);
    assert_int_equal(lf_object_remove(w->scene, w->object), LF_BAD_ARGUMENT);
    lf_scene_destroy(w->scene); // is ignored
    lf_scene_stats after = lf_scene_describe(w->scene);
    assert_memory_equal(&before, &after, sizeof before);
}

/// Every change but a step works, over and over, so that all arrays move.
static void change_everything(world *w) {
    const char *name;
    if (w->calls > 1) // an instance that is made here is built, too
        return;
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < TOLD - 1; i++)
            assert_int_equal(change_with_message(w, i, &name, NULL), LF_OK);
        for (int i = 1; i < 9; i++)
            assert_int_equal(change_part(w, i), i == 3 ? LF_BAD_ARGUMENT : LF_OK); // a sphere has no vertices
        for (int i = 0; i < 8; i++)
            assert_int_equal(change_instance(w, i), LF_OK);
    }
    lf_error error = {LF_OK, -1, ""};
    assert_int_equal(lf_scene_step(w->scene, 1, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "lf_scene_step: not allowed from an object's build function"));
    assert_int_equal(lf_object_remove(w->scene, w->object), LF_OK);
    assert_int_equal(lf_watch_remove(w->scene, w->watch), LF_OK);
    assert_int_equal(lf_instance_remove(w->scene, w->instance), LF_OK);
    lf_scene_destroy(w->scene); // is ignored
}

// ---------------------------------------------------------------------------------------------------
// Functions that may only ask
// ---------------------------------------------------------------------------------------------------

static void own_functions_may_not_change_the_scene(void **state) {
    (void)state;
    world w;
    world_make(&w);
    lf_watch_def def = lf_watch_def_default();
    def.precision = LF_WATCH_OWN;
    def.own = ask_own;
    def.own_user = &w;
    def.ahead = 1;
    for (int i = 0; i < 3; i++)
        assert_int_equal(lf_watch_create(w.scene, &def, NULL, NULL), LF_OK);
    w.act = try_everything;
    w.from = "a watch's own function";
    int64_t count;
    test_step(w.scene, 1, &count);
    assert_int_equal(w.calls, 9);
    assert_int_equal(count, 12);
    w.act = NULL;
    assert_int_equal(change_part(&w, 1), LF_OK); // the step is over
    lf_scene_destroy(w.scene);
}

static void clocks_may_not_change_the_scene(void **state) {
    (void)state;
    world w;
    world_make(&w);
    lf_watch_def def = lf_watch_def_default();
    def.precision = LF_WATCH_CONVEX;
    def.budget = 1e9;
    assert_int_equal(lf_watch_create(w.scene, &def, NULL, NULL), LF_OK);
    w.act = try_everything;
    w.from = "the scene's clock function";
    int64_t count;
    test_step(w.scene, 1, &count);
    assert_true(w.calls >= 6);
    w.act = NULL;
    lf_scene_destroy(w.scene);
}

static void shown_triangles_may_not_be_changed(void **state) {
    (void)state;
    world w;
    world_make(&w);
    w.act = try_everything;
    w.from = "the show function of lf_part_triangles";
    assert_int_equal(lf_part_triangles(w.scene, w.top, 3, show, &w), LF_OK);
    assert_int_equal(w.calls, 12);
    w.act = NULL;
    assert_int_equal(change_part(&w, 1), LF_OK);
    lf_scene_destroy(w.scene);
}

static bool count_triangle(void *user, const lf_scene_triangle *triangle) {
    (void)triangle;
    ++*(int *)user;
    return true;
}

static void show_often(void *job, int64_t first, int64_t last, int worker) {
    (void)worker;
    world *w = job;
    for (int64_t i = first; i < last; i++) {
        int count = 0;
        assert_int_equal(lf_part_triangles(w->scene, w->top, 3, count_triangle, &count), LF_OK);
        assert_int_equal(count, 12);
    }
}

/// Many threads may have triangles shown at once; when all are done the scene may be changed again.
static void triangles_are_shown_on_many_threads(void **state) {
    (void)state;
    world w;
    world_make(&w);
    assert_int_equal(lf_scene_update(w.scene), LF_OK);
    lf_tasks tasks = test_tasks(4);
    tasks.run(tasks.user, 400, 10, show_often, &w);
    assert_int_equal(change_part(&w, 1), LF_OK);
    lf_scene_destroy(w.scene);
}

/// A hook that is called while a step allocates is a function of the caller's, too.
typedef struct hook {
    lf_allocator plain;
    world *w;
    bool inside;
} hook;

static void *resize(void *user, void *old, size_t old_size, size_t new_size, size_t alignment) {
    hook *h = user;
    if (h->w && !h->inside) {
        h->inside = true;
        act(h->w);
        h->inside = false;
    }
    return h->plain.resize(h->plain.user, old, old_size, new_size, alignment);
}

static void allocators_may_not_change_the_scene_in_a_step(void **state) {
    (void)state;
    test_memory memory;
    test_memory_start(&memory, -1);
    hook h = {memory.allocator, NULL, false};
    lf_allocator allocator = {&h, resize};
    world w;
    world_make_with(&w, &allocator);
    w.act = try_everything;
    w.from = "a function that lf_scene_step calls";
    h.w = &w;
    assert_int_equal(lf_scene_step(w.scene, 1, NULL), LF_OK);
    h.w = NULL;
    assert_true(w.calls > 0);
    lf_scene_destroy(w.scene);
    assert_int_equal(memory.blocks_out, 0);
}

/// What may be asked in the middle of a step.
static void ask_everything(world *w) {
    lf_box box, all = {{-9, -9, -9}, {9, 9, 9}};
    lf_affine map;
    lf_vec3 v;
    lf_hit hit;
    int64_t count;
    lf_instance found[8];
    lf_ray ray = lf_ray_towards((lf_vec3){-5, 0, 0}, (lf_vec3){1, 0, 0});
    lf_view eye = lf_view_default();
    lf_part parts[8];
    lf_scene_cull_result seen = {.parts = parts, .capacity = 8};
    const lf_event *events = NULL;
    world quiet = *w;
    quiet.act = NULL;
    assert_int_equal(lf_scene_update(w->scene), LF_OK);
    assert_int_equal(lf_part_box(w->scene, test_top(w->scene, w->instance), &box), LF_OK);
    assert_int_equal(lf_part_map(w->scene, w->part, &map, &v), LF_OK);
    lf_part_info part_info;
    assert_int_equal(lf_part_describe(w->scene, w->part, &part_info), LF_OK);
    assert_int_equal(lf_scene_ray_first(w->scene, &ray, &hit, NULL), LF_OK);
    assert_true(fabs(hit.t - 4.5) < 1e-9);
    assert_int_equal(lf_scene_instances_in(w->scene, all, found, 8, &count, NULL), LF_OK);
    assert_int_equal(lf_scene_cull(w->scene, &eye, NULL, &seen, NULL), LF_OK);
    assert_int_equal(lf_part_triangles(w->scene, w->part, 3, show, &quiet), LF_OK);
    // The events of the step that is under way are not all there yet.
    assert_int_equal(lf_scene_events(w->scene, &events, &count), LF_BAD_ARGUMENT);
    assert_null(events);
}

static void own_functions_may_ask(void **state) {
    (void)state;
    world w;
    world_make(&w);
    lf_watch_def def = lf_watch_def_default();
    def.precision = LF_WATCH_OWN;
    def.own = ask_own;
    def.own_user = &w;
    assert_int_equal(lf_watch_create(w.scene, &def, NULL, NULL), LF_OK);
    w.act = ask_everything;
    int64_t count;
    test_step(w.scene, 1, &count);
    assert_int_equal(count, 6);
    assert_int_equal(w.calls, 3);
    lf_scene_destroy(w.scene);
}

// ---------------------------------------------------------------------------------------------------
// Build functions, which may change everything
// ---------------------------------------------------------------------------------------------------

static lf_object built_object(world *w) {
    const char *names[1] = {"n"};
    const double values[1] = {7};
    lf_object_def def = lf_object_def_default();
    lf_object object;
    def.parameter_count = 1;
    def.parameters = names;
    def.parameter_values = values;
    def.build = build;
    def.user = w;
    assert_int_equal(lf_object_create(w->scene, &def, &object, NULL, NULL), LF_OK);
    return object;
}

static void build_functions_may_change_the_scene(void **state) {
    (void)state;
    world w;
    world_make(&w);
    lf_instance_def def = lf_instance_def_default();
    lf_instance made;
    w.object = def.object = built_object(&w);
    w.act = change_everything;
    assert_int_equal(lf_instance_create(w.scene, &def, &made, NULL), LF_OK);
    assert_int_equal(w.calls, 41);
    int64_t count;
    test_step(w.scene, 1, &count);
    lf_scene_destroy(w.scene);
}

static void build_again(world *w) {
    lf_instance_def def = lf_instance_def_default();
    lf_instance made;
    def.object = w->object;
    lf_status status = lf_instance_create(w->scene, &def, &made, NULL);
    if (status < w->worst)
        w->worst = status;
}

/// A build function that makes another instance of its own object, and so on, ends.
static void build_functions_do_not_nest_without_end(void **state) {
    (void)state;
    world w;
    world_make(&w);
    lf_instance_def def = lf_instance_def_default();
    lf_instance made;
    w.object = def.object = built_object(&w);
    w.act = build_again;
    assert_int_equal(lf_instance_create(w.scene, &def, &made, NULL), LF_OK);
    assert_int_equal(w.worst, LF_TOO_LARGE);
    assert_int_equal(lf_scene_describe(w.scene).instance_count, 3 + 64);
    w.act = NULL;
    lf_scene_destroy(w.scene);
}

static void remove_the_last(world *w) {
    lf_instance all[16];
    int64_t count;
    assert_int_equal(lf_scene_instances(w->scene, all, 16, &count), LF_OK);
    assert_int_equal(lf_instance_remove(w->scene, all[count - 1]), LF_OK);
}

static void a_build_function_that_removes_its_instance_is_told(void **state) {
    (void)state;
    world w;
    world_make(&w);
    lf_instance_def def = lf_instance_def_default();
    lf_instance made;
    lf_error error = {LF_OK, -1, ""};
    def.object = built_object(&w);
    w.act = remove_the_last;
    assert_int_equal(lf_instance_create(w.scene, &def, &made, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "removed the instance"));
    lf_scene_destroy(w.scene);
}

// ---------------------------------------------------------------------------------------------------
// Cullers
// ---------------------------------------------------------------------------------------------------

typedef struct looker {
    lf_cull *cull;
    int calls;
} looker;

static bool shape_of(void *user, int64_t item, lf_cull_shape *shape) {
    (void)item, (void)shape;
    looker *l = user;
    lf_box box = {{0, 1, 0}, {1, 2, 1}};
    lf_view eye = lf_view_default();
    lf_cull_result seen = {.items = NULL, .capacity = 0};
    lf_error error = {LF_OK, -1, ""};
    l->calls++;
    assert_int_equal(lf_cull_move(l->cull, 0, box), LF_BAD_ARGUMENT);
    assert_int_equal(lf_cull_query(l->cull, &eye, NULL, &seen, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "lf_cull_query: not allowed from the culler's shape function"));
    lf_cull_destroy(l->cull); // is ignored
    return false;
}

static void shape_functions_may_not_change_the_culler(void **state) {
    (void)state;
    lf_box boxes[3] = {{{-1, 3, -1}, {1, 4, 1}}, {{-1, 5, -1}, {1, 6, 1}}, {{-1, 7, -1}, {1, 8, 1}}};
    looker l = {NULL, 0};
    lf_cull_def def = lf_cull_def_default();
    def.boxes = boxes;
    def.count = 3;
    def.shape = shape_of;
    def.user = &l;
    assert_int_equal(lf_cull_create(&def, &l.cull, NULL), LF_OK);
    lf_view eye = lf_view_default();
    lf_cull_rules rules = lf_cull_rules_default();
    rules.methods = LF_CULL_PLANES | LF_CULL_VOLUME;
    int64_t items[3];
    lf_cull_result seen = {.items = items, .capacity = 3};
    assert_int_equal(lf_cull_query(l.cull, &eye, &rules, &seen, NULL), LF_OK);
    assert_int_equal(seen.count, 3);
    assert_int_equal(l.calls, 3);
    assert_int_equal(lf_cull_move(l.cull, 0, boxes[1]), LF_OK); // the look is over
    lf_cull_destroy(l.cull);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_functions_may_not_change_the_scene),
        cmocka_unit_test(clocks_may_not_change_the_scene),
        cmocka_unit_test(shown_triangles_may_not_be_changed),
        cmocka_unit_test(triangles_are_shown_on_many_threads),
        cmocka_unit_test(allocators_may_not_change_the_scene_in_a_step),
        cmocka_unit_test(own_functions_may_ask),
        cmocka_unit_test(build_functions_may_change_the_scene),
        cmocka_unit_test(build_functions_do_not_nest_without_end),
        cmocka_unit_test(a_build_function_that_removes_its_instance_is_told),
        cmocka_unit_test(shape_functions_may_not_change_the_culler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
