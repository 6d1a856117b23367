/// A small world: a train comes, a car stands on the level crossing, and is warned.
///
///     watch
#include <landfall/landfall.h>
#include <stdio.h>

/// An object that is a box.
static lf_status make_box(lf_scene *scene, const char *name, lf_vec3 size, lf_object *object) {
    lf_object_def object_def = lf_object_def_default();
    object_def.name = name;
    lf_part top;
    lf_part_def def = lf_part_def_default();
    def.shape.kind = LF_SHAPE_BOX;
    def.shape.size = size;
    lf_status status = lf_object_create(scene, &object_def, object, &top, NULL);
    return status == LF_OK ? lf_part_add(scene, top, &def, NULL, NULL) : status;
}

static lf_status put(lf_scene *scene, lf_object object, lf_vec3 at, lf_vec3 velocity, lf_instance *instance) {
    lf_instance_def def = lf_instance_def_default();
    def.object = object;
    def.pose.translation = at;
    def.motion = LF_MOTION_CARRIED; // the scene moves it by its velocity
    def.velocity = velocity;
    return lf_instance_create(scene, &def, instance, NULL);
}

static void tell(const lf_scene *scene, const lf_event *event) {
    lf_instance_info a, b;
    lf_instance_describe(scene, event->a.instance, &a);
    lf_instance_describe(scene, event->b.instance, &b);
    printf("%5.1f s: %s and %s: %s", lf_scene_describe(scene).time, a.name, b.name,
           lf_event_name(event->kind));
    if (event->kind == LF_EVENT_PREDICTED)
        printf(" in %.1f s", event->wait);
    printf("\n");
}

static lf_status run(lf_scene *scene) {
    lf_object train_object, car_object;
    lf_instance train, car;
    lf_status status = make_box(scene, "train", (lf_vec3){80, 3, 4}, &train_object);
    if (status == LF_OK)
        status = make_box(scene, "car", (lf_vec3){2, 4, 1.5}, &car_object);
    if (status == LF_OK)
        status = put(scene, train_object, (lf_vec3){-300, 0, 2}, (lf_vec3){20, 0, 0}, &train);
    if (status == LF_OK)
        status = put(scene, car_object, (lf_vec3){0, 0, 0.75}, (lf_vec3){0, 0, 0}, &car);
    lf_watch_def def = lf_watch_def_default(); // anything against anything
    def.ahead = 5;                             // seconds
    if (status == LF_OK)
        status = lf_watch_create(scene, &def, NULL, NULL);
    while (status == LF_OK && lf_scene_describe(scene).time < 25) {
        status = lf_scene_step(scene, 0.5, NULL);
        const lf_event *events;
        int64_t count;
        lf_scene_events(scene, &events, &count);
        for (int64_t i = 0; i < count; i++) {
            tell(scene, &events[i]);
            if (events[i].kind == LF_EVENT_PREDICTED) // it drives off the rails
                lf_instance_set_motion(scene, car, LF_MOTION_CARRIED, (lf_vec3){0, 3, 0}, (lf_vec3){0, 0, 0},
                                       0);
        }
    }
    return status;
}

int main(void) {
    lf_scene *scene;
    lf_error error;
    if (lf_scene_create(NULL, &scene, &error) != LF_OK) {
        fprintf(stderr, "watch: %s\n", error.text);
        return 2;
    }
    lf_status status = run(scene);
    lf_scene_destroy(scene);
    return status == LF_OK ? 0 : 2;
}
