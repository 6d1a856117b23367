/// boxes [STEPS]: 10,000 boxes fly through each other, and each step prints how many pairs begin and end to touch.
#include <landfall/landfall.h>
#include <stdio.h>
#include <stdlib.h>

/// A number from 0 to 1 that depends only on n: the same on every machine and at every start.
static double chance(uint32_t n) {
    n = (n ^ (n >> 16)) * 0x7feb352du;
    n = (n ^ (n >> 15)) * 0x846ca68bu;
    return (n ^ (n >> 16)) / 4294967296.0;
}

/// End the program with the library's message, if there is an error.
static void check(lf_status status, const lf_error *error) {
    if (status >= 0)
        return;
    fprintf(stderr, "boxes: %s\n", error ? error->text : lf_status_text(status));
    exit(1);
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 20;
    lf_error error;
    lf_scene *scene = NULL;
    check(lf_scene_create(NULL, &scene, &error), &error);

    // One object: a box of 1 m. The instances are copies of it.
    lf_object object;
    lf_part top;
    lf_object_def object_def = lf_object_def_default();
    check(lf_object_create(scene, &object_def, &object, &top, &error), &error);
    lf_part_def box = lf_part_def_default();
    box.shape.kind = LF_SHAPE_BOX;
    check(lf_part_add(scene, top, &box, NULL, &error), &error);

    // The boxes start anywhere in a cube of 60 m, with up to 2 m/s along each axis. The scene moves them.
    for (uint32_t i = 0; i < 60000; i += 6) {
        lf_instance instance;
        lf_instance_def def = lf_instance_def_default();
        def.object = object;
        def.motion = LF_MOTION_CARRIED;
        def.pose.translation = (lf_vec3){60 * chance(i), 60 * chance(i + 1), 60 * chance(i + 2)};
        def.velocity = (lf_vec3){4 * chance(i + 3) - 2, 4 * chance(i + 4) - 2, 4 * chance(i + 5) - 2};
        check(lf_instance_create(scene, &def, &instance, &error), &error);
    }

    lf_watch_def watch = lf_watch_def_default(); // anything against anything: begin and end
    check(lf_watch_create(scene, &watch, NULL, &error), &error);
    for (int step = 1; step <= steps; step++) {
        const lf_event *events;
        int64_t count, begun = 0;
        check(lf_scene_step(scene, 0.1, &error), &error);
        check(lf_scene_events(scene, &events, &count), NULL);
        for (int64_t i = 0; i < count; i++)
            begun += events[i].kind == LF_EVENT_BEGIN;
        printf("step %d: %lld begin, %lld end\n", step, (long long)begun, (long long)(count - begun));
    }
    lf_scene_destroy(scene);
}
