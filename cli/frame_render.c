#include "frame.h"
#include "frame_pixels.h"
#include <landfall/picture.h>
#include <math.h>
#include <stdlib.h>

#define WIDTH 960
#define LEAST 96
#define MOST 1920
#define DEGREE 0.017453292519943295

/// The grounds of a frame as one: none, the only one, or a group of them, which is given back with it.
typedef struct joined {
    const lf_ground *ground;
    lf_group *group;
    const lf_ground *own;
} joined;

static lf_status join(const frame_view *view, joined *joined, lf_error *error) {
    lf_group_def def = lf_group_def_default();
    joined->ground = view->ground_count > 0 ? view->grounds[0] : NULL;
    if (view->ground_count < 2)
        return LF_OK;
    lf_group_part *parts = calloc((size_t)view->ground_count, sizeof *parts);
    if (!parts)
        return LF_NO_MEMORY;
    for (int64_t i = 0; i < view->ground_count; i++)
        parts[i] = (lf_group_part){view->grounds[i], lf_pose_identity()};
    def.parts = parts;
    def.part_count = view->ground_count;
    lf_status status = lf_group_create(&def, &joined->group, error);
    if (status == LF_OK)
        joined->own = lf_group_ground(joined->group);
    joined->ground = joined->own;
    free(parts);
    return status;
}

static void part(joined *joined) {
    lf_group_destroy(joined->group);
}

/// The view of an eye. What is looked at is as far away as the things are: haze is measured by it.
static lf_render_def view_of(const frame_view *view) {
    lf_render_def def = lf_render_def_default();
    lf_box box = frame_box(view->scene);
    double far = 1;
    if (!lf_box_is_empty(box)) {
        far = lf_vec3_length(lf_vec3_sub(lf_box_centre(box), view->eye.at));
        far = fmax(far, lf_vec3_length(lf_vec3_sub(box.high, box.low)));
    }
    def.eye = view->eye.at;
    def.target = lf_vec3_add(def.eye, lf_vec3_scale(lf_vec3_unit(view->eye.forward), far));
    def.fov_deg = fmin(fmax(view->eye.across / DEGREE, 1), 170);
    def.haze = view->ground_count > 0 ? 0.2 : 0;
    def.objects = lf_render_scene;
    def.objects_user = view->scene;
    return def;
}

lf_status frame_render(const frame_view *view, const lf_host *host, const char *path, frame_work *work,
                       lf_error *error) {
    lf_canvas_def canvas_def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    joined joined = {NULL, NULL, NULL};
    int64_t height = pixels_height(&view->eye, WIDTH);
    canvas_def.host =
        (lf_host){host->allocator, host->tasks, NULL, NULL}; // a frame is one step of a longer way
    canvas_def.width = WIDTH;
    canvas_def.height = height < LEAST ? LEAST : height > MOST ? MOST : height;
    lf_status status = lf_scene_update(view->scene);
    if (status == LF_OK)
        status = join(view, &joined, error);
    if (status == LF_OK)
        status = lf_canvas_create(&canvas_def, &canvas, error);
    if (status == LF_OK) {
        lf_render_def def = view_of(view);
        status = lf_canvas_render(canvas, lf_canvas_area(canvas), joined.ground, &def, error);
    }
    if (status == LF_OK)
        status = lf_canvas_write(canvas, path, error);
    lf_canvas_destroy(canvas);
    part(&joined);
    work->frames++;
    work->drawn += lf_scene_describe(view->scene).instance_count;
    return status;
}
