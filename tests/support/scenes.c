#include "scenes.h"

lf_scene *test_scene(void) {
    lf_scene *scene;
    assert_int_equal(lf_scene_create(NULL, &scene, NULL), LF_OK);
    return scene;
}

lf_part test_part(lf_scene *scene, lf_part above, lf_shape_kind kind, lf_vec3 size, lf_vec3 at) {
    lf_transform transform = lf_translation(at.x, at.y, at.z);
    lf_part_def def = lf_part_def_default();
    def.shape.kind = kind;
    def.shape.size = size;
    def.shape.radius = 0.5 * size.x;
    def.transforms = &transform;
    def.transform_count = 1;
    lf_part part;
    assert_int_equal(lf_part_add(scene, above, &def, &part, NULL), LF_OK);
    return part;
}

lf_object test_object(lf_scene *scene, lf_shape_kind kind, lf_vec3 size) {
    lf_object_def def = lf_object_def_default();
    lf_object object;
    lf_part top;
    assert_int_equal(lf_object_create(scene, &def, &object, &top, NULL), LF_OK);
    test_part(scene, top, kind, size, (lf_vec3){0, 0, 0});
    return object;
}

lf_instance test_instance(lf_scene *scene, lf_object object, lf_vec3 at, lf_vec3 velocity) {
    lf_instance_def def = lf_instance_def_default();
    def.object = object;
    def.pose.translation = at;
    def.velocity = velocity;
    if (lf_vec3_length(velocity) > 0)
        def.motion = LF_MOTION_CARRIED;
    lf_instance instance;
    assert_int_equal(lf_instance_create(scene, &def, &instance, NULL), LF_OK);
    return instance;
}

lf_instance test_box(lf_scene *scene, lf_vec3 size, lf_vec3 at, lf_vec3 velocity) {
    return test_instance(scene, test_object(scene, LF_SHAPE_BOX, size), at, velocity);
}

lf_part test_top(const lf_scene *scene, lf_instance instance) {
    lf_instance_info info;
    assert_int_equal(lf_instance_describe(scene, instance, &info), LF_OK);
    return info.top;
}

const lf_event *test_step(lf_scene *scene, double dt, int64_t *count) {
    const lf_event *events;
    assert_int_equal(lf_scene_step(scene, dt, NULL), LF_OK);
    assert_int_equal(lf_scene_events(scene, &events, count), LF_OK);
    return events;
}

lf_event test_only(lf_scene *scene, double dt, lf_event_kind kind) {
    int64_t count;
    const lf_event *events = test_step(scene, dt, &count);
    assert_int_equal(count, 1);
    assert_string_equal(lf_event_name(events[0].kind), lf_event_name(kind));
    return events[0];
}

void test_quiet(lf_scene *scene, double dt) {
    int64_t count;
    test_step(scene, dt, &count);
    assert_int_equal(count, 0);
}
