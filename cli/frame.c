#include "frame.h"
#include "frame_pixels.h"
#include <stdlib.h>

#define WIDTH 640
#define LEAST 64
#define MOST 1280
#define FACETS 24 ///< of a circle

// ---------------------------------------------------------------------------------------------------
// Who is drawn
// ---------------------------------------------------------------------------------------------------

lf_box frame_box(lf_scene *scene) {
    int64_t count = 0;
    lf_box box = lf_box_empty();
    lf_scene_instances(scene, NULL, 0, &count);
    lf_instance *instances = calloc((size_t)count + 1, sizeof *instances);
    if (!instances || lf_scene_instances(scene, instances, count, &count) < LF_OK)
        count = 0;
    for (int64_t i = 0; i < count; i++) {
        lf_box one;
        if (lf_instance_box(scene, instances[i], &one) == LF_OK)
            box = lf_box_union(box, one);
    }
    free(instances);
    return box;
}

lf_eye frame_whole_scene(lf_scene *scene) {
    lf_eye eye = lf_eye_default();
    lf_box box = frame_box(scene);
    if (lf_box_is_empty(box))
        return eye;
    double radius = 0.5 * lf_vec3_length(lf_vec3_sub(box.high, box.low)) + 1;
    lf_vec3 from = {-0.9 * radius, -1.5 * radius, 1.0 * radius};
    eye.at = lf_vec3_add(lf_box_centre(box), from);
    eye.forward = lf_vec3_scale(from, -1);
    return eye;
}

/// The parts that may be seen: by planes, exactly, and by what the first ground hides.
static lf_status look(const frame_view *view, lf_scene_cull_result *seen, lf_error *error) {
    lf_cull_rules rules = lf_cull_rules_default();
    rules.methods = LF_CULL_PLANES | LF_CULL_VOLUME;
    if (view->ground_count > 0) {
        rules.methods |= LF_CULL_GROUND;
        rules.ground = view->grounds[0];
    }
    lf_status status = lf_scene_cull(view->scene, &view->eye, &rules, seen, error);
    if (status != LF_PARTIAL)
        return status;
    seen->capacity = seen->count;
    seen->parts = calloc((size_t)seen->count, sizeof *seen->parts);
    return seen->parts ? lf_scene_cull(view->scene, &view->eye, &rules, seen, error) : LF_NO_MEMORY;
}

// ---------------------------------------------------------------------------------------------------
// Drawing
// ---------------------------------------------------------------------------------------------------

/// One pass over the triangles: those that cover, or those that let something through.
typedef struct pass {
    pixels *picture;
    bool covering;
    int64_t triangles;
} pass;

static bool draw_triangle(void *user, const lf_scene_triangle *triangle) {
    pass *now = user;
    if ((triangle->colour.opacity >= 1) == now->covering) {
        pixels_triangle(now->picture, triangle);
        now->triangles++;
    }
    return true;
}

static lf_status draw_parts(const frame_view *view, const lf_scene_cull_result *seen, pass *now) {
    lf_status status = LF_OK;
    for (int64_t i = 0; i < seen->count && status >= LF_OK; i++)
        status = lf_part_triangles(view->scene, seen->parts[i], FACETS, draw_triangle, now);
    return status;
}

static lf_status draw(const frame_view *view, pixels *picture, frame_work *work, lf_error *error) {
    lf_scene_cull_result seen = {.parts = NULL, .capacity = 0};
    lf_status status = look(view, &seen, error);
    pass now = {picture, true, 0};
    if (status == LF_OK)
        status = draw_parts(view, &seen, &now);
    for (int64_t i = 0; i < view->ground_count && status >= LF_OK; i++)
        pixels_ground(picture, view->grounds[i]);
    now.covering = false;
    if (status >= LF_OK)
        status = draw_parts(view, &seen, &now);
    work->frames++;
    work->drawn += seen.instances.tested - seen.instances.culled;
    work->culled += seen.instances.culled;
    work->triangles += now.triangles;
    free(seen.parts);
    return status < LF_OK ? status : LF_OK;
}

lf_status frame_write(const frame_view *view, const char *path, frame_work *work, lf_error *error) {
    pixels picture;
    int64_t height = pixels_height(&view->eye, WIDTH);
    height = height < LEAST ? LEAST : height > MOST ? MOST : height;
    if (!pixels_open(&picture, &view->eye, WIDTH, height))
        return LF_NO_MEMORY;
    lf_status status = draw(view, &picture, work, error);
    if (status == LF_OK)
        status = pixels_write(&picture, path, error);
    pixels_close(&picture);
    return status;
}
