/// Scenes: boxes and models that move over a ground, and when they will touch.
#include "web.h"

#define WEB_THINGS 1024 ///< in a scene

typedef struct web_scene {
    lf_scene *scene;
    const lf_ground *ground;
    lf_watch watch;
    int count;
    lf_instance things[WEB_THINGS];
    lf_model *models[WEB_THINGS]; ///< NULL for boxes
} web_scene;

WEB void web_scene_destroy(web_scene *s) {
    if (!s)
        return;
    lf_scene_destroy(s->scene);
    for (int k = 0; k < s->count; k++)
        lf_model_destroy(s->models[k]);
    free(s);
}

/// A scene over a ground, which must outlive it; contacts between things are predicted so many seconds ahead.
WEB web_scene *web_scene_create(const web_ground *ground, double ahead) {
    web_scene *s = calloc(1, sizeof *s);
    lf_error error = {0};
    lf_status status = s ? lf_scene_create(NULL, &s->scene, &error) : LF_NO_MEMORY;
    lf_watch_def watch = lf_watch_def_default();
    watch.ahead = ahead;
    watch.precision = LF_WATCH_MODEL;
    if (status == LF_OK)
        status = lf_watch_create(s->scene, &watch, &s->watch, &error);
    if (status != LF_OK) {
        web_fail(status, &error);
        web_scene_destroy(s);
        return NULL;
    }
    s->ground = ground->ground;
    return s;
}

/// The shape of a new thing: a box of half sides, or a model of triangles.
static lf_status shape_of(web_scene *s, const double *half, const double *vertices, int vertex_count,
                          const uint32_t *triangles, int triangle_count, lf_shape *shape, lf_error *error) {
    if (triangle_count == 0) {
        *shape =
            (lf_shape){.kind = LF_SHAPE_BOX, .size = {2 * half[0], 2 * half[1], 2 * half[2]}, .radius = 1};
        return LF_OK;
    }
    size_t count = 3 * (size_t)triangle_count;
    int64_t *corners = malloc(sizeof *corners * count);
    lf_model_def def = lf_model_def_default();
    if (!corners)
        return LF_NO_MEMORY;
    for (size_t k = 0; k < count; k++)
        corners[k] = triangles[k];
    def.polygons = (lf_polygons){.vertices = (const lf_vec3 *)(const void *)vertices,
                                 .vertex_count = vertex_count,
                                 .corners = corners,
                                 .polygon_count = triangle_count};
    lf_status status = lf_model_create(&def, &s->models[s->count], error);
    free(corners);
    *shape = (lf_shape){.kind = LF_SHAPE_MODEL, .size = {1, 1, 1}, .radius = 1, .model = s->models[s->count]};
    return status;
}

/// Add a thing: 12 numbers of its pose, velocity, spin (3 each), half sides (3). Returns its number.
WEB int web_scene_add(web_scene *s, const double *n, const double *vertices, int vertex_count,
                      const uint32_t *triangles, int triangle_count) {
    lf_error error = {0};
    lf_object_def object = lf_object_def_default();
    lf_part_def part = lf_part_def_default();
    lf_instance_def def = lf_instance_def_default();
    lf_part top = {0, 0};
    if (s->count == WEB_THINGS) {
        snprintf(error.text, sizeof error.text, "a scene has at most %d things", WEB_THINGS);
        return web_fail(LF_TOO_LARGE, &error);
    }
    lf_status status =
        shape_of(s, n + 18, vertices, vertex_count, triangles, triangle_count, &part.shape, &error);
    if (status == LF_OK)
        status = lf_object_create(s->scene, &object, &def.object, &top, &error);
    if (status == LF_OK)
        status = lf_part_add(s->scene, top, &part, NULL, &error);
    memcpy(&def.pose, n, sizeof def.pose);
    def.motion = LF_MOTION_CARRIED;
    def.velocity = (lf_vec3){n[12], n[13], n[14]};
    def.spin = (lf_vec3){n[15], n[16], n[17]};
    def.user = (uint64_t)s->count;
    if (status == LF_OK)
        status = lf_instance_create(s->scene, &def, &s->things[s->count], &error);
    if (status != LF_OK) {
        if (!lf_part_is_none(top))
            lf_object_remove(s->scene, def.object);
        lf_model_destroy(s->models[s->count]);
        s->models[s->count] = NULL;
        return web_fail(status, &error);
    }
    return s->count++;
}

static bool is_thing(const web_scene *s, int thing) {
    lf_error error = {0};
    if (thing >= 0 && thing < s->count)
        return true;
    snprintf(error.text, sizeof error.text, "thing %d: the scene has %d", thing, s->count);
    web_fail(LF_BAD_ARGUMENT, &error);
    return false;
}

/// Set pose (12 numbers), velocity and spin (3 each) of a thing: it jumps there.
WEB int web_scene_set(web_scene *s, int thing, const double *n) {
    lf_pose pose;
    if (!is_thing(s, thing))
        return LF_BAD_ARGUMENT;
    memcpy(&pose, n, sizeof pose);
    lf_status status = lf_instance_set_pose(s->scene, s->things[thing], &pose, true);
    if (status == LF_OK)
        status = lf_instance_set_motion(s->scene, s->things[thing], LF_MOTION_CARRIED,
                                        (lf_vec3){n[12], n[13], n[14]}, (lf_vec3){n[15], n[16], n[17]}, 0);
    return status == LF_OK ? 0 : web_fail(status, NULL);
}

/// Pose (12 numbers), velocity and spin (3 each) of a thing.
WEB int web_scene_get(const web_scene *s, int thing, double *n) {
    lf_instance_info info;
    if (!is_thing(s, thing))
        return LF_BAD_ARGUMENT;
    lf_status status = lf_instance_describe(s->scene, s->things[thing], &info);
    if (status != LF_OK)
        return web_fail(status, NULL);
    memcpy(n, &info.pose, sizeof info.pose);
    memcpy(n + 12, &info.velocity, sizeof info.velocity);
    memcpy(n + 15, &info.spin, sizeof info.spin);
    return 0;
}

/// Seconds until a thing meets the ground; INFINITY: not within `ahead`.
WEB int web_scene_ground_time(web_scene *s, int thing, double ahead, double *seconds) {
    if (!is_thing(s, thing))
        return LF_BAD_ARGUMENT;
    lf_thing of = {s->things[thing], {0, 0}};
    lf_status status = lf_scene_ground_time(s->scene, of, s->ground, LF_WATCH_MODEL, ahead, seconds);
    return status == LF_OK ? 0 : web_fail(status, NULL);
}

static double number_of(const web_scene *s, lf_instance instance) {
    lf_instance_info info;
    return lf_instance_describe(s->scene, instance, &info) == LF_OK ? (double)info.user : -1;
}

/// A step. Returns the number of events, of which at most capacity are written: kind, a, b, seconds from the end of the step.
WEB int web_scene_step(web_scene *s, double dt, double *events, int capacity) {
    const lf_event *list;
    int64_t count;
    lf_error error = {0};
    lf_status status = lf_scene_step(s->scene, dt, &error);
    if (status == LF_OK)
        status = lf_scene_events(s->scene, &list, &count);
    if (status != LF_OK)
        return web_fail(status, &error);
    for (int64_t k = 0; k < count && k < capacity; k++) {
        double *out = events + 4 * k;
        out[0] = list[k].kind;
        out[1] = number_of(s, list[k].a.instance);
        out[2] = number_of(s, list[k].b.instance);
        out[3] = list[k].wait;
    }
    return (int)count;
}
