/// Out of memory, at every allocation: nothing leaks, nothing breaks.
#include "scenes.h"
#include <math.h>

/// Everything a scene allocates for, once. Each call that fails ends the attempt.
static lf_status live(lf_scene *scene, const lf_ground *ground) {
    static const lf_vec3 v[4] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}};
    static const char *const names[1] = {"size"};
    static const double values[1] = {2};
    lf_object_def object_def = lf_object_def_default();
    object_def.parameter_count = 1;
    object_def.parameters = names;
    object_def.parameter_values = values;
    lf_object object;
    lf_part top, part;
    lf_transform turn = lf_turning(LF_TRANSFORM_ABOUT_EACH, 0, 0, 1, 1);
    lf_part_def def = lf_part_def_default();
    def.shape.kind = LF_SHAPE_PATH;
    def.shape.polygons.vertices = v;
    def.shape.polygons.vertex_count = 4;
    def.label = "the plate";
    def.tag = "plate";
    def.transforms = &turn;
    def.transform_count = 1;
    lf_instance_def instance_def = lf_instance_def_default();
    lf_instance a, b;
    lf_status status = lf_object_create(scene, &object_def, &object, &top, NULL);
    if (status == LF_OK)
        status = lf_part_add(scene, top, &def, &part, NULL);
    instance_def.object = object;
    if (status == LF_OK)
        status = lf_instance_create(scene, &instance_def, &a, NULL);
    instance_def.motion = LF_MOTION_CARRIED;
    instance_def.velocity = (lf_vec3){1, 0, 0};
    if (status == LF_OK)
        status = lf_instance_create(scene, &instance_def, &b, NULL);
    if (status == LF_OK)
        status = lf_part_set_velocity(scene, test_top(scene, a), NULL, 3);
    if (status == LF_OK)
        status =
            lf_instance_set_motion(scene, a, LF_MOTION_MEASURED, (lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 0}, 4);
    lf_watch_def watch = lf_watch_def_default();
    watch.ahead = 1;
    for (int level = LF_WATCH_BOXES; level <= LF_WATCH_MODEL && status == LF_OK; level++) {
        watch.precision = (lf_watch_precision)level;
        status = lf_watch_create(scene, &watch, NULL, NULL);
    }
    watch.b.kind = LF_WATCH_FILTER_TAG;
    watch.b.tag = "plate";
    if (status == LF_OK)
        status = lf_watch_create(scene, &watch, NULL, NULL);
    watch.b.kind = LF_WATCH_FILTER_GROUND;
    watch.ground = ground;
    if (status == LF_OK)
        status = lf_watch_create(scene, &watch, NULL, NULL);
    lf_footprint wheels = lf_footprint_wheels(1, 1);
    if (status == LF_OK)
        status = lf_instance_follow(scene, a, ground, &wheels, 0);
    for (int i = 0; i < 4 && status == LF_OK; i++)
        status = lf_scene_step(scene, 0.5, NULL);
    return status;
}

static lf_status attempt(const lf_host *host, void *user) {
    lf_scene_def def = lf_scene_def_default();
    def.host = *host;
    lf_scene *scene;
    lf_status status = lf_scene_create(&def, &scene, NULL);
    if (status != LF_OK)
        return status;
    status = live(scene, ((const test_place *)user)->ground);
    if (status != LF_OK) { // whatever failed, the world goes on, and is whole
        lf_status again = lf_scene_step(scene, 0.5, NULL);
        assert_true(again == LF_OK || again == LF_NO_MEMORY);
    }
    lf_scene_destroy(scene);
    return status;
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    static const lf_vec3 v[3] = {{-100, -100, -1}, {100, -100, -1}, {0, 100, -1}};
    static const int64_t corners[3] = {0, 1, 2};
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = (lf_polygons){v, 3, NULL, corners, 1, NULL, NULL, NULL};
    test_place place = test_place_make(&def);
    test_out_of_memory(attempt, &place);
    test_place_drop(place);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_is_taken_for_granted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
