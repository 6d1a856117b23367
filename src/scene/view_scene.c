/// Looking at a scene: instances through a culler, and the parts of large ones one by one.
///
/// When is it worth while to look at parts? When the whole is neither in view nor out of it, and when there are enough shapes that leaving some
/// out saves more than asking costs. Both are cheap to know: the planes have just been asked, and counting stops at eight.
#include "scene/cull.h"
#include "scene/scene.h"
#include <math.h>
#include <string.h>

#define ENOUGH 8 ///< shapes

/// A look on its way.
typedef struct look {
    lf_scene *scene;
    const lf__volume *volume;
    lf_scene_cull_result *seen;
} look;

/// Wholly in view: no corner is in front of any plane, rounding allowed for.
static bool wholly_inside(const lf__volume *v, const lf_box *box) {
    for (int k = 0; k < v->plane_count; k++) {
        lf_vec3 n = v->planes[k].normal;
        lf_vec3 p = {n.x > 0 ? box->high.x : box->low.x, n.y > 0 ? box->high.y : box->low.y,
                     n.z > 0 ? box->high.z : box->low.z};
        double size = fabs(p.x) + fabs(p.y) + fabs(p.z) + fabs(v->planes[k].offset);
        if (lf_vec3_dot(n, p) - v->planes[k].offset > -0x1p-50 * size)
            return false;
    }
    return true;
}

static void hand_out(look *l, lf_part part) {
    if (l->seen->count < l->seen->capacity)
        l->seen->parts[l->seen->count] = part;
    l->seen->count++;
}

/// How many shapes are at or below a part, as far as `most`.
static int count_shapes(const lf_scene *scene, lf_part part, int most) {
    lf_part_info info;
    if (lf_part_describe(scene, part, &info) != LF_OK)
        return 0;
    if (info.kind != LF_SHAPE_SOLID)
        return 1;
    int count = 0;
    for (lf_part below = info.first; !lf_part_is_none(below) && count < most; below = info.next) {
        count += count_shapes(scene, below, most - count);
        lf_part_describe(scene, below, &info);
    }
    return count;
}

/// Hand out what may be seen of a part: all of it, or what is below it. Trees are at most 64 deep.
static lf_status look_at_part(look *l, lf_part part) {
    lf_part_info info;
    lf_box box;
    lf_status status = lf_part_describe(l->scene, part, &info);
    if (status == LF_OK)
        status = lf_part_box(l->scene, part, &box);
    if (status != LF_OK)
        return status;
    l->seen->parts_looked.tested++;
    if (lf_box_is_empty(box) || lf__outside_volume(l->volume, &box)) {
        l->seen->parts_looked.culled++;
        return LF_OK;
    }
    if (info.kind != LF_SHAPE_SOLID || wholly_inside(l->volume, &box)) {
        hand_out(l, part);
        return LF_OK;
    }
    for (lf_part below = info.first; !lf_part_is_none(below) && status == LF_OK; below = info.next) {
        status = look_at_part(l, below);
        if (status == LF_OK)
            status = lf_part_describe(l->scene, below, &info);
    }
    return status;
}

static lf_status look_at_instance(look *l, lf_instance instance, const lf_box *box) {
    lf_instance_info info;
    lf_status status = lf_instance_describe(l->scene, instance, &info);
    if (status != LF_OK)
        return status;
    if (wholly_inside(l->volume, box) || count_shapes(l->scene, info.top, ENOUGH) < ENOUGH) {
        hand_out(l, info.top);
        return LF_OK;
    }
    l->seen->opened++;
    return look_at_part(l, info.top);
}

/// Boxes that are not where the culler has them are moved there.
static lf_status move_boxes(lf_scene *scene) {
    const lf_box *boxes = scene->boxes.items;
    lf_status status = LF_OK;
    for (int64_t i = 0; i < scene->boxes.count && status == LF_OK; i++)
        if (memcmp(&boxes[i], &scene->cull->boxes[i], sizeof *boxes) != 0)
            status = lf_cull_move(scene->cull, i, boxes[i]);
    return status;
}

static lf_status make_cull(lf_scene *scene, lf_error *error) {
    lf_cull_def def = lf_cull_def_default();
    lf_cull *fresh;
    const lf_allocator allocator = scene->allocator;
    def.host.allocator = &allocator;
    def.boxes = scene->boxes.items;
    def.count = scene->boxes.count;
    lf_status status = lf_cull_create(&def, &fresh, error);
    if (status != LF_OK)
        return status;
    lf_cull_destroy(scene->cull);
    scene->cull = fresh;
    return LF_OK;
}

/// The scene's culler as the scene is now, and room for what it keeps.
static lf_status renew_cull(lf_scene *scene, lf_error *error) {
    lf_status status = lf_scene_update(scene);
    int64_t count = scene->boxes.count;
    scene->kept.count = 0;
    if (status == LF_OK)
        status = lf__array_reserve(&scene->kept, &scene->allocator, count, sizeof(int64_t));
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    if (!scene->cull || scene->cull->count != count)
        status = make_cull(scene, error);
    else if (scene->culled != scene->listed && (status = move_boxes(scene)) != LF_OK)
        lf__fail_plain(error, status);
    if (status == LF_OK)
        scene->culled = scene->listed;
    return status;
}

/// Cull the instances, then look at each that is left.
static lf_status look_at_all(look *l, const lf_eye *eye, const lf_cull_rules *rules, lf_error *error) {
    lf_scene *scene = l->scene;
    lf_cull_rules ordered = lf_cull_rules_default();
    lf_status status = rules ? lf__def_read(&ordered, sizeof ordered, rules, error) : LF_OK;
    ordered.ordered = true;
    if (status == LF_OK)
        status = renew_cull(scene, error);
    lf_cull_result kept = {.items = scene->kept.items, .capacity = scene->kept.capacity};
    if (status == LF_OK)
        status = lf_cull_query(scene->cull, eye, &ordered, &kept, error);
    if (status != LF_OK)
        return status;
    int64_t live = scene->instances.live_count;
    l->volume = &scene->cull->volume;
    l->seen->volume_made = kept.volume_made;
    l->seen->instances = (lf_cull_count){live, live - kept.count};
    for (int64_t i = 0; status == LF_OK && i < kept.count; i++)
        status = look_at_instance(l, lf__instance_id(scene, (uint32_t)kept.items[i]),
                                  (const lf_box *)scene->boxes.items + kept.items[i]);
    return status;
}

lf_status lf_scene_cull(lf_scene *scene, const lf_eye *eye, const lf_cull_rules *rules, lf_scene_cull_result *seen,
                        lf_error *error) {
    if (!scene || !eye || !seen || seen->capacity < 0 || (seen->capacity > 0 && !seen->parts))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "scene, eye, seen or its parts are NULL");
    lf_scene_cull_result found = {.parts = seen->parts, .capacity = seen->capacity};
    look l = {.scene = scene, .seen = &found};
    lf_status status = look_at_all(&l, eye, rules, error);
    if (status != LF_OK)
        return status;
    *seen = found;
    return found.count > found.capacity ? LF_PARTIAL : LF_OK;
}
