/// Culling boxes by a view, one method after the other, and culling the instances and parts of a scene.
#include "scene/cull.h"
#include "scene/scene.h"
#include <limits.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Culling boxes
// ---------------------------------------------------------------------------------------------------

// Each method tests what the methods before it have kept.

// ---------------------------------------------------------------------------------------------------
// Planes, through the hierarchy
// ---------------------------------------------------------------------------------------------------

/// Beyond this, squares of distances overflow floats, and nothing counts as too small.
#define SQUARES 1e18f

/// Planes relative to the origin, as floats. A limit includes its own rounding error and that of the normals
/// and of the origin; the groups' slack covers that of the coordinates.
static void narrow_planes(const lf_cull *cull, lf__cull_planes *p) {
    const lf__volume *v = &cull->volume;
    lf_vec3 o = cull->origin;
    double o_size = fabs(o.x) + fabs(o.y) + fabs(o.z);
    p->count = v->plane_count;
    for (int k = 0; k < v->plane_count; k++) {
        const lf_plane *plane = &v->planes[k];
        p->normal[k][0] = (float)plane->normal.x;
        p->normal[k][1] = (float)plane->normal.y;
        p->normal[k][2] = (float)plane->normal.z;
        double offset = plane->offset - lf_vec3_dot(plane->normal, o);
        double doubt = 0x1p-49 * (fabs(plane->offset) + o_size) + 0x1p-22 * fabs(offset) + 1e-37;
        p->outside[k] = (float)(offset + doubt);
        p->inside[k] = (float)(offset - doubt);
    }
    lf__cull_choose_sides(p);
    lf_vec3 eye = lf_vec3_sub(v->eye, o);
    double size = fabs(eye.x) + fabs(eye.y) + fabs(eye.z);
    p->eye[0] = (float)eye.x;
    p->eye[1] = (float)eye.y;
    p->eye[2] = (float)eye.z;
    p->eye_slack = (float)(0x1p-20 * size + 0x1p-49 * o_size);
    lf_vec3 half = lf_vec3_sub(cull->world.high, o);
    double reach = size + fabs(half.x) + fabs(half.y) + fabs(half.z);
    p->smallest = reach < SQUARES ? (float)(v->smallest * (1 - 0x1p-20)) : 0;
}

/// A traversal of the hierarchy.
typedef struct cull_walk {
    lf_cull *cull;
    lf__cull_planes planes;
    int64_t groups, count;
} cull_walk;

/// Add these lanes of a group to what was found.
static inline void cull_note_lanes(cull_walk *w, int64_t g, uint64_t lanes) {
    lf_cull *cull = w->cull;
    w->count += cull->kernels.note(&cull->order, cull->things + g * LF__GROUP, lanes, cull->found + w->count);
}

static void note_group(cull_walk *w, int64_t g) {
    uint64_t alive = w->cull->levels[0].groups[g].alive;
    if (~alive) {
        cull_note_lanes(w, g, alive);
        return;
    }
    memcpy(w->cull->found + w->count, w->cull->things + g * LF__GROUP, LF__GROUP * sizeof(uint32_t));
    w->count += LF__GROUP;
}

/// Add all items under a lane: a run of groups of the lowest level.
static void note_all(cull_walk *w, int level, int64_t index) {
    int64_t first = index, last = index + 1;
    for (; level > 0; level--) {
        first *= LF__GROUP;
        last *= LF__GROUP;
    }
    if (last > w->cull->levels[0].count)
        last = w->cull->levels[0].count;
    for (int64_t g = first; g < last; g++)
        note_group(w, g);
}

static void walk_leaf(cull_walk *w, int64_t index, unsigned mask) {
    lf__cull_found found;
    w->groups++;
    w->cull->kernels.test(&w->planes, mask, &w->cull->levels[0].groups[index], false, &found);
    cull_note_lanes(w, index, found.kept);
}

/// The planes that each lane crosses which is kept.
static void planes_of(const lf__cull_found *found, unsigned mask, uint8_t crossed[LF__GROUP]) {
    memset(crossed, 0, LF__GROUP);
    for (; mask; mask &= mask - 1) {
        int k = __builtin_ctz(mask);
        for (uint64_t rest = found->crossing[k] & found->kept; rest; rest &= rest - 1)
            crossed[__builtin_ctzll(rest)] |= (uint8_t)(1u << k);
    }
}

static void walk_group(cull_walk *w, int level, int64_t index, unsigned mask) {
    lf__cull_found found;
    uint8_t crossed[LF__GROUP];
    if (level == 0) {
        walk_leaf(w, index, mask);
        return;
    }
    w->groups++;
    w->cull->kernels.test(&w->planes, mask, &w->cull->levels[level].groups[index], true, &found);
    planes_of(&found, mask, crossed);
    for (uint64_t rest = found.kept; rest; rest &= rest - 1) {
        int lane = __builtin_ctzll(rest);
        int64_t child = index * LF__GROUP + lane;
        // Where items can be too small, groups inside of all planes must be tested too.
        if (crossed[lane] == 0 && !(w->planes.smallest > 0))
            note_all(w, level - 1, child);
        else
            walk_group(w, level - 1, child, crossed[lane]);
    }
}

/// Write the items that the planes keep to `found`; returns their number, and the number of groups tested.
static int64_t cull_by_planes(lf_cull *cull, int64_t *groups) {
    cull_walk w = {.cull = cull};
    narrow_planes(cull, &w.planes);
    walk_group(&w, cull->level_count - 1, 0, (1u << w.planes.count) - 1);
    *groups = w.groups;
    return w.count;
}

// ---------------------------------------------------------------------------------------------------
// One item after the other
// ---------------------------------------------------------------------------------------------------

/// A running query.
typedef struct cull_query {
    lf_cull *cull;
    const lf_cull_rules *rules;
} cull_query;

static bool item_outside(const lf_cull *cull, int64_t thing) {
    lf_cull_shape shape = {NULL, NULL, 0};
    const lf_box *box = &cull->boxes[thing];
    if (lf__outside_volume(&cull->volume, box))
        return true;
    return cull->shape && cull->shape(cull->user, thing, &shape) &&
           lf__shape_outside_volume(&cull->volume, &shape);
}

static bool item_culled(const cull_query *l, lf_cull_method method, int64_t thing) {
    const lf_cull *cull = l->cull;
    bool hidden = false;
    if (method == LF_CULL_VOLUME)
        return item_outside(cull, thing);
    return lf__box_hidden(l->rules->ground, cull->volume.eye, cull->boxes[thing], &hidden, NULL) == LF_OK &&
           hidden;
}

/// Apply one method to everything found so far; returns the number of items kept.
static int64_t cull_apply_method(const cull_query *l, lf_cull_method method, int64_t count,
                                 lf_cull_count *counts) {
    uint32_t *found = l->cull->found;
    int64_t left = 0;
    if (method & LF__CULL_FILTERS) {
        left = l->rules->filters->keep(l->cull, method, found, count);
    } else {
        for (int64_t i = 0; i < count; i++)
            if (!item_culled(l, method, found[i]))
                found[left++] = found[i];
    }
    *counts = (lf_cull_count){count, count - left};
    return left;
}

/// All items with a box.
static int64_t find_everything(lf_cull *cull) {
    int64_t count = 0;
    for (int64_t i = 0; i < cull->count; i++)
        if (!lf_box_is_empty(cull->boxes[i]))
            cull->found[count++] = (uint32_t)i;
    return count;
}

/// Sort what was found in ascending order, by means of a bit for each item.
static void cull_sort_found(lf_cull *cull, int64_t count) {
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++)
        cull->marks[cull->found[i] / 64] |= (uint64_t)1 << (cull->found[i] % 64);
    for (int64_t word = 0; word < (cull->count + 63) / 64; word++) {
        for (uint64_t rest = cull->marks[word]; rest; rest &= rest - 1)
            cull->found[at++] = (uint32_t)(word * 64 + __builtin_ctzll(rest));
        cull->marks[word] = 0;
    }
}

static void cull_write_items(const lf_cull *cull, lf_cull_result *seen) {
    int64_t count = seen->count < seen->capacity ? seen->count : seen->capacity;
    if (count > 0)
        cull->kernels.widen(cull->found, count, seen->items);
}

static bool cull_view_is_known(const lf_cull *cull, const lf_view *view) {
    return cull->view_known && memcmp(view, &cull->view, sizeof *view) == 0;
}

/// Read a caller's view; one that equals the last has been checked already.
static lf_status read_view(const lf_cull *cull, const lf_view *view, lf_view *full, lf_error *error) {
    *full = lf_view_default();
    lf_status status = lf__def_read(full, sizeof *full, view, error);
    return status == LF_OK && !cull_view_is_known(cull, full) ? lf__view_check(full, error) : status;
}

/// Is a view within the slack of the last one, and everything else of both the same?
static bool view_is_near(const lf_cull *cull, const lf_view *view, const lf_cull_rules *rules) {
    if (!cull->view_known || rules->slack_distance != cull->rules.slack_distance ||
        rules->slack_angle != cull->rules.slack_angle)
        return false;
    if (cull_view_is_known(cull, view))
        return true;
    const lf_view *last = &cull->view;
    return (rules->slack_distance > 0 || rules->slack_angle > 0) && view->across == last->across &&
           view->upright == last->upright && view->farthest == last->farthest &&
           view->nearest == last->nearest && view->smallest == last->smallest &&
           lf_vec3_length(lf_vec3_sub(view->at, last->at)) <= rules->slack_distance &&
           lf__view_turned(view, &cull->volume) <= rules->slack_angle;
}

/// The same view as last time, or one that is near, has the same volume, unless it has no far plane and the world has grown.
static bool renew_volume(lf_cull *cull, const lf_view *view, const lf_cull_rules *rules) {
    lf_view wide = *view;
    if (view_is_near(cull, view, rules))
        return false;
    bool slack = rules->slack_distance > 0 || rules->slack_angle > 0;
    // A frustum that would be too wide is not widened: then only the same view is known again.
    cull->view_known = !slack || lf__view_widen(view, rules->slack_distance, rules->slack_angle, &wide);
    cull->view = *view;
    if (!cull->view_known)
        wide = *view;
    lf__volume_make(&wide, isinf(wide.farthest) ? lf__view_reach(&wide, cull->world) : 0, &cull->volume);
    cull->found_known = false;
    return true;
}

/// Is what was kept last what would be kept now? Only where a slack was allowed, and never of ground, which looks from the place of the camera.
static bool found_again(const lf_cull *cull, const lf_cull_rules *rules) {
    const lf_cull_rules *last = &cull->rules;
    return cull->found_known && (rules->slack_distance > 0 || rules->slack_angle > 0) &&
           rules->methods == last->methods && rules->ordered == last->ordered &&
           rules->filters == last->filters && !(rules->methods & LF_CULL_GROUND);
}

static lf_status cull_prepare(lf_cull *cull, const lf_view *view, const lf_cull_rules *rules, cull_query *l,
                              lf_cull_result *seen) {
    lf_status status = lf__cull_refresh(cull, &seen->sorted);
    if (status == LF_OK && (rules->methods & LF_CULL_FLAGS) && !cull->filters) {
        status = rules->filters->prepare(cull);
        cull->filters = status == LF_OK ? rules->filters : NULL;
    }
    if (status != LF_OK)
        return status;
    seen->volume_made = renew_volume(cull, view, rules);
    seen->farthest = cull->volume.farthest;
    *l = (cull_query){cull, rules};
    return LF_OK;
}

static lf_status read_rules(const lf_cull_rules *given, lf_cull_rules *rules, lf_error *error) {
    *rules = lf_cull_rules_default();
    lf_status status = given ? lf__def_read(rules, sizeof *rules, given, error) : LF_OK;
    if (status == LF_OK && rules->methods >> LF_CULL_METHODS)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "methods %#x: expected LF_CULL_ bits only",
                          (unsigned)rules->methods);
    if (status == LF_OK && (rules->methods & LF_CULL_GROUND) && !rules->ground)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "LF_CULL_GROUND: ground is NULL");
    if (status == LF_OK && (rules->methods & LF__CULL_FILTERS) && !rules->filters)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1,
                          "methods %#x: LF_CULL_FLAGS, LF_CULL_BOUNDS and LF_CULL_SPHERE need filters",
                          (unsigned)rules->methods);
    if (status == LF_OK && !(rules->slack_distance >= 0 && isfinite(rules->slack_distance) &&
                             rules->slack_angle >= 0 && isfinite(rules->slack_angle)))
        status = lf__fail(error, LF_BAD_ARGUMENT, -1,
                          "slack_distance %g, slack_angle %g: expected finite numbers, 0 or more",
                          rules->slack_distance, rules->slack_angle);
    return status;
}

/// Planes first, where requested, then the other methods in order.
static void cull_find(const cull_query *l, lf_cull_result *seen) {
    lf_cull *cull = l->cull;
    if (l->rules->methods & LF_CULL_PLANES) {
        seen->count = cull_by_planes(cull, &seen->groups);
        seen->methods[0] = (lf_cull_count){cull->there, cull->there - seen->count};
    } else {
        seen->count = find_everything(cull);
    }
    for (int k = 1; k < LF_CULL_METHODS; k++)
        if (l->rules->methods >> k & 1)
            seen->count = cull_apply_method(l, (lf_cull_method)(1 << k), seen->count, &seen->methods[k]);
}

lf_status lf_cull_query(lf_cull *cull, const lf_view *view, const lf_cull_rules *rules, lf_cull_result *seen,
                        lf_error *error) {
    lf_view full_view;
    lf_cull_rules full_rules;
    cull_query l;
    if (!cull || !view || !seen || seen->capacity < 0 || (seen->capacity > 0 && !seen->items))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "cull, view, seen or its items are NULL");
    if (cull->querying)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "lf_cull_query: not allowed from the culler's shape function");
    lf_status status = read_view(cull, view, &full_view, error);
    if (status == LF_OK)
        status = read_rules(rules, &full_rules, error);
    if (status != LF_OK)
        return status;
    lf_cull_result out = {.items = seen->items, .capacity = seen->capacity};
    status = cull_prepare(cull, &full_view, &full_rules, &l, &out);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    if (found_again(cull, &full_rules)) {
        out.count = cull->found_count;
    } else {
        cull->querying = true;
        cull_find(&l, &out);
        cull->querying = false;
        if (full_rules.ordered)
            cull_sort_found(cull, out.count);
    }
    cull->rules = full_rules;
    cull->found_known = true;
    cull->found_count = out.count;
    cull_write_items(cull, &out);
    *seen = out;
    return out.count > out.capacity ? LF_PARTIAL : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Culling a scene
// ---------------------------------------------------------------------------------------------------

// Instances are culled by a culler, and the parts of large instances one by one. Testing parts is worth it
// when the instance is neither wholly inside nor outside, and when it has so many shapes that skipping some
// saves more than the tests cost. Both are cheap to decide: the planes have just been tested, and counting
// stops at eight. Who designed an object may know better: its cull_levels decides then.

#define SCENE_VIEW_ENOUGH 8 ///< shapes

/// A running query.
typedef struct scene_cull_query {
    lf_scene *scene;
    const lf__volume *volume;
    lf_scene_cull_result *seen;
} scene_cull_query;

/// Wholly in view: no corner is in front of any plane, with a margin for rounding.
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

static void cull_report_part(scene_cull_query *l, lf_part part) {
    if (l->seen->count < l->seen->capacity)
        l->seen->parts[l->seen->count] = part;
    l->seen->count++;
}

/// The number of shapes at or below a part, at most `most`.
static int count_shapes(const lf_scene *scene, uint32_t index, int most) {
    const lf__part *part = lf__part_at(scene, index);
    if (part->form.kind != LF_SHAPE_SOLID)
        return 1;
    int count = 0;
    for (uint32_t below = part->first; below != LF__NO_INDEX && count < most;
         below = lf__part_at(scene, below)->next)
        count += count_shapes(scene, below, most - count);
    return count;
}

/// Report what may be visible of a part: all of it, or some of the parts on so many levels below it. Trees are at most 64 deep.
static lf_status cull_part(scene_cull_query *l, lf_part id, int levels) {
    lf_box box;
    lf_status status = lf_part_box(l->scene, id, &box);
    if (status != LF_OK)
        return status;
    l->seen->opened_parts.tested++;
    if (lf_box_is_empty(box) || lf__outside_volume(l->volume, &box)) {
        l->seen->opened_parts.culled++;
        return LF_OK;
    }
    const lf__part *part = lf__part_at(l->scene, id.index);
    if (levels == 0 || part->form.kind != LF_SHAPE_SOLID || wholly_inside(l->volume, &box)) {
        cull_report_part(l, id);
        return LF_OK;
    }
    for (uint32_t below = part->first; below != LF__NO_INDEX && status == LF_OK;
         below = lf__part_at(l->scene, below)->next)
        status = cull_part(l, lf__part_id(l->scene, below), levels - 1);
    return status;
}

static lf_status cull_instance(scene_cull_query *l, lf_instance instance, const lf_box *box) {
    lf_instance_info info;
    lf_status status = lf_instance_describe(l->scene, instance, &info);
    if (status != LF_OK)
        return status;
    int levels = lf__instance_at(l->scene, instance.index)->cull_levels;
    if (levels == LF_CULL_LEVELS_AUTO)
        levels = count_shapes(l->scene, info.top.index, SCENE_VIEW_ENOUGH) < SCENE_VIEW_ENOUGH ? 0 : INT_MAX;
    if (levels == 0 || wholly_inside(l->volume, box)) {
        cull_report_part(l, info.top);
        return LF_OK;
    }
    l->seen->opened++;
    return cull_part(l, info.top, levels);
}

/// Move the boxes in the culler that have changed.
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

/// Bring the scene's culler up to date, and reserve space for what it keeps.
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

/// Cull the instances, then the parts of those that are kept.
static lf_status cull_instances(scene_cull_query *l, const lf_view *view, const lf_cull_rules *rules,
                                lf_error *error) {
    lf_scene *scene = l->scene;
    lf_cull_rules ordered = lf_cull_rules_default();
    lf_status status = rules ? lf__def_read(&ordered, sizeof ordered, rules, error) : LF_OK;
    ordered.ordered = true;
    if (status == LF_OK)
        status = renew_cull(scene, error);
    lf_cull_result kept = {.items = scene->kept.items, .capacity = scene->kept.capacity};
    if (status == LF_OK)
        status = lf_cull_query(scene->cull, view, &ordered, &kept, error);
    if (status != LF_OK)
        return status;
    int64_t live = scene->instances.live_count;
    l->volume = &scene->cull->volume;
    l->seen->volume_made = kept.volume_made;
    l->seen->instances = (lf_cull_count){live, live - kept.count};
    for (int64_t i = 0; status == LF_OK && i < kept.count; i++)
        status = cull_instance(l, lf__instance_id(scene, (uint32_t)kept.items[i]),
                               (const lf_box *)scene->boxes.items + kept.items[i]);
    return status;
}

lf_status lf_scene_cull(lf_scene *scene, const lf_view *view, const lf_cull_rules *rules,
                        lf_scene_cull_result *seen, lf_error *error) {
    if (!scene || !view || !seen || seen->capacity < 0 || (seen->capacity > 0 && !seen->parts))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "scene, view, seen or its parts are NULL");
    lf_scene_cull_result found = {.parts = seen->parts, .capacity = seen->capacity};
    scene_cull_query l = {.scene = scene, .seen = &found};
    lf_status status = cull_instances(&l, view, rules, error);
    if (status != LF_OK)
        return status;
    *seen = found;
    return found.count > found.capacity ? LF_PARTIAL : LF_OK;
}
