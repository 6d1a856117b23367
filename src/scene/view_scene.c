/// Looking at a scene: instances through a culler, and the parts of large ones one by one.
///
/// When is it worth while to look at parts? When the whole is neither in view nor out of it, and when there are enough shapes that leaving some
/// out saves more than asking costs. Both are cheap to know: the planes have just been asked, and counting stops at eight.
#include "scene/scene.h"
#include "scene/view.h"
#include <math.h>

#define ENOUGH 8 ///< shapes

/// A look on its way.
typedef struct look {
    lf_scene *scene;
    lf__volume volume;
    lf_scene_seen *seen;
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
    if (lf_box_is_empty(box) || lf__outside_volume(&l->volume, &box)) {
        l->seen->parts_looked.culled++;
        return LF_OK;
    }
    if (info.kind != LF_SHAPE_SOLID || wholly_inside(&l->volume, &box)) {
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
    if (wholly_inside(&l->volume, box) || count_shapes(l->scene, info.top, ENOUGH) < ENOUGH) {
        hand_out(l, info.top);
        return LF_OK;
    }
    l->seen->opened++;
    return look_at_part(l, info.top);
}

/// All instances, their boxes, and room for the numbers of those that are kept.
typedef struct crowd {
    lf_instance *instances;
    lf_box *boxes;
    int64_t *kept;
    int64_t count;
} crowd;

static lf_status gather(lf_scene *scene, const lf_allocator *allocator, crowd *all) {
    lf_status status = lf_scene_instances(scene, NULL, 0, &all->count);
    if (status >= LF_OK)
        status = lf__take_array(allocator, all->count, sizeof *all->instances, (void **)&all->instances);
    if (status == LF_OK)
        status = lf__take_array(allocator, all->count, sizeof *all->boxes, (void **)&all->boxes);
    if (status == LF_OK)
        status = lf__take_array(allocator, all->count, sizeof *all->kept, (void **)&all->kept);
    if (status == LF_OK)
        status = lf_scene_instances(scene, all->instances, all->count, &all->count);
    for (int64_t i = 0; i < all->count && status == LF_OK; i++)
        status = lf_instance_box(scene, all->instances[i], &all->boxes[i]);
    return status;
}

static void scatter(const lf_allocator *allocator, crowd *all) {
    lf__give_array(allocator, all->kept, all->count, sizeof *all->kept);
    lf__give_array(allocator, all->boxes, all->count, sizeof *all->boxes);
    lf__give_array(allocator, all->instances, all->count, sizeof *all->instances);
}

/// Cull the instances, then look at each that is left.
static lf_status look_at_crowd(look *l, const crowd *all, const lf_eye *eye, const lf_cull_rules *rules,
                               lf_error *error) {
    lf_cull_def def = lf_cull_def_default();
    lf_cull_rules ordered = lf_cull_rules_default();
    lf_cull_seen kept = {.items = all->kept, .capacity = all->count};
    lf_cull *cull = NULL;
    const lf_allocator allocator = l->scene->allocator;
    def.host.allocator = &allocator;
    def.boxes = all->boxes;
    def.count = all->count;
    lf_status status = rules ? lf__def_read(&ordered, sizeof ordered, rules, error) : LF_OK;
    ordered.ordered = true;
    if (status == LF_OK)
        status = lf_cull_create(&def, &cull, error);
    if (status == LF_OK)
        status = lf_cull_look(cull, eye, &ordered, &kept, error);
    if (status == LF_OK) {
        lf__volume_make(eye, kept.farthest, &l->volume);
        l->seen->instances = (lf_cull_count){all->count, all->count - kept.count};
    }
    for (int64_t i = 0; status == LF_OK && i < kept.count; i++)
        status = look_at_instance(l, all->instances[all->kept[i]], &all->boxes[all->kept[i]]);
    lf_cull_destroy(cull);
    return status;
}

lf_status lf_scene_look(lf_scene *scene, const lf_eye *eye, const lf_cull_rules *rules, lf_scene_seen *seen,
                        lf_error *error) {
    lf_eye full;
    crowd all = {NULL, NULL, NULL, 0};
    if (!scene || !eye || !seen || seen->capacity < 0 || (seen->capacity > 0 && !seen->parts))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "scene, eye, seen or its parts are NULL");
    lf_status status = lf__view_read(eye, &full, error);
    if (status != LF_OK)
        return status;
    lf_scene_seen found = {.parts = seen->parts, .capacity = seen->capacity};
    look l = {.scene = scene, .seen = &found};
    const lf_allocator allocator = scene->allocator;
    status = gather(scene, &allocator, &all);
    if (status == LF_OK)
        status = look_at_crowd(&l, &all, &full, rules, error);
    else
        lf__fail_plain(error, status);
    scatter(&allocator, &all);
    if (status != LF_OK)
        return status;
    *seen = found;
    return found.count > found.capacity ? LF_PARTIAL : LF_OK;
}
