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

/// All instances with their boxes, and the numbers of those that may be seen.
typedef struct crowd {
    lf_instance *instances;
    lf_box *boxes;
    int64_t *seen;
    int64_t count, seen_count;
} crowd;

static void crowd_free(crowd *all) {
    free(all->seen);
    free(all->boxes);
    free(all->instances);
}

static lf_status crowd_gather(lf_scene *scene, crowd *all) {
    lf_status status = lf_scene_instances(scene, NULL, 0, &all->count);
    size_t room = (size_t)all->count + 1;
    all->instances = calloc(room, sizeof *all->instances);
    all->boxes = calloc(room, sizeof *all->boxes);
    all->seen = calloc(room, sizeof *all->seen);
    if (!all->instances || !all->boxes || !all->seen)
        return LF_NO_MEMORY;
    if (status >= LF_OK)
        status = lf_scene_instances(scene, all->instances, all->count, &all->count);
    for (int64_t i = 0; i < all->count && status >= LF_OK; i++)
        status = lf_instance_box(scene, all->instances[i], &all->boxes[i]);
    return status;
}

/// By planes, exactly, and by what the first ground hides.
static lf_status crowd_cull(const frame_view *view, crowd *all, lf_error *error) {
    lf_cull_def def = lf_cull_def_default();
    lf_cull_rules rules = lf_cull_rules_default();
    lf_cull_seen seen = {.items = all->seen, .capacity = all->count};
    lf_cull *cull = NULL;
    def.boxes = all->boxes;
    def.count = all->count;
    rules.methods = LF_CULL_PLANES | LF_CULL_VOLUME;
    rules.ordered = true;
    if (view->ground_count > 0) {
        rules.methods |= LF_CULL_GROUND;
        rules.ground = view->grounds[0];
    }
    lf_status status = lf_cull_create(&def, &cull, error);
    if (status == LF_OK)
        status = lf_cull_look(cull, &view->eye, &rules, &seen, error);
    all->seen_count = status == LF_OK ? seen.count : 0;
    lf_cull_destroy(cull);
    return status;
}

lf_eye frame_whole_scene(lf_scene *scene) {
    lf_eye eye = lf_eye_default();
    crowd all = {0};
    lf_box box = lf_box_empty();
    if (crowd_gather(scene, &all) >= LF_OK)
        for (int64_t i = 0; i < all.count; i++)
            box = lf_box_union(box, all.boxes[i]);
    crowd_free(&all);
    if (lf_box_is_empty(box))
        return eye;
    double radius = 0.5 * lf_vec3_length(lf_vec3_sub(box.high, box.low)) + 1;
    lf_vec3 from = {-0.9 * radius, -1.5 * radius, 1.0 * radius};
    eye.at = lf_vec3_add(lf_box_centre(box), from);
    eye.forward = lf_vec3_scale(from, -1);
    return eye;
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

static lf_status draw_crowd(const frame_view *view, const crowd *all, pass *now) {
    lf_status status = LF_OK;
    for (int64_t i = 0; i < all->seen_count && status >= LF_OK; i++) {
        lf_instance_info info;
        status = lf_instance_describe(view->scene, all->instances[all->seen[i]], &info);
        if (status >= LF_OK)
            status = lf_part_triangles(view->scene, info.top, FACETS, draw_triangle, now);
    }
    return status;
}

static lf_status draw(const frame_view *view, pixels *picture, frame_work *work, lf_error *error) {
    crowd all = {0};
    lf_status status = crowd_gather(view->scene, &all);
    if (status >= LF_OK)
        status = crowd_cull(view, &all, error);
    pass now = {picture, true, 0};
    if (status >= LF_OK)
        status = draw_crowd(view, &all, &now);
    for (int64_t i = 0; i < view->ground_count && status >= LF_OK; i++)
        pixels_ground(picture, view->grounds[i]);
    now.covering = false;
    if (status >= LF_OK)
        status = draw_crowd(view, &all, &now);
    work->frames++;
    work->drawn += all.seen_count;
    work->culled += all.count - all.seen_count;
    work->triangles += now.triangles;
    crowd_free(&all);
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
