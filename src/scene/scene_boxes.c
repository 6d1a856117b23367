/// Boxes of parts and instances, recomputed only where something has changed, and velocities.
#include "bvh/bvh.h"
#include "model/model.h"
#include "scene/scene.h"
#include "scene/world.h"

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

// A change of a part's transforms invalidates all parts below it and the boxes above it, but no siblings.
// Boxes are relative to the instance's translation: an instance that only moves keeps all of them. Rounding
// is monotonic, so adding the translation to a box gives the box of the translated vertices, to the last bit.

/// The box of points with these coordinates along the rows: half sides about the origin.
static lf_box centred(double x, double y, double z) {
    lf_box box = {{-x, -y, -z}, {x, y, z}};
    return box;
}

/// The largest (|row.x| hx + |row.y| hy) + |row.z| hz: the coordinate of the corner on that side, since
/// rounding is symmetric.
static double reach_of_box(lf_vec3 row, lf_vec3 half) {
    return fabs(row.x) * half.x + fabs(row.y) * half.y + fabs(row.z) * half.z;
}

static double reach_of_cylinder(lf_vec3 row, double radius, double half) {
    return radius * hypot(row.x, row.y) + fabs(row.z) * half;
}

static lf_box box_of_vertices(const lf_vec3 rows[3], const lf_vec3 *vertices, int64_t count) {
    lf_box box = lf_box_empty();
    for (int64_t i = 0; i < count; i++)
        box = lf_box_with(box, lf__rows_point(rows, vertices[i]));
    return box;
}

/// A search for the outermost vertices of a model along three rows.
typedef struct outermost {
    const lf_model *model;
    const lf_vec3 *rows;
    lf_box box;
    int64_t vertices;
} outermost;

static bool may_stick_out(void *user, const lf_box *box) {
    const outermost *search = user;
    lf_vec3 middle = lf_box_centre(*box), half = lf_vec3_sub(box->high, middle);
    const double lows[3] = {search->box.low.x, search->box.low.y, search->box.low.z};
    const double highs[3] = {search->box.high.x, search->box.high.y, search->box.high.z};
    for (int i = 0; i < 3; i++) {
        lf_vec3 row = search->rows[i];
        double at = lf_vec3_dot(row, middle), reach = reach_of_box(row, half);
        double margin =
            1e-12 * (reach_of_box(row, (lf_vec3){fabs(middle.x), fabs(middle.y), fabs(middle.z)}) + reach);
        if (!(at - reach - margin >= lows[i] && at + reach + margin <= highs[i]))
            return true;
    }
    return false;
}

static void box_test_triangle(void *user, uint32_t triangle) {
    outermost *search = user;
    lf_vec3 corners[3];
    lf__model_corners(search->model, triangle, corners);
    for (int i = 0; i < 3; i++)
        search->box = lf_box_with(search->box, lf__rows_point(search->rows, corners[i]));
    search->vertices += 3;
}

static lf_box box_of_model(lf_scene *scene, const lf_vec3 rows[3], const lf_model *model) {
    outermost search = {model, rows, lf_box_empty(), 0};
    lf__bvh_visitor visitor = {may_stick_out, box_test_triangle, &search};
    lf__bvh_visit(model->tree, &visitor, NULL);
    scene->vertices += search.vertices;
    lf__work(scene, search.vertices);
    return search.box;
}

static lf_box box_of_form(lf_scene *scene, const lf_vec3 rows[3], const lf__form *form) {
    const lf_vec3 *r = rows;
    lf_vec3 half = lf_vec3_scale(form->size, 0.5);
    switch (form->kind) {
    case LF_SHAPE_RECTANGLE:
        half.z = 0;
        return centred(reach_of_box(r[0], half), reach_of_box(r[1], half), reach_of_box(r[2], half));
    case LF_SHAPE_BOX:
        return centred(reach_of_box(r[0], half), reach_of_box(r[1], half), reach_of_box(r[2], half));
    case LF_SHAPE_SPHERE:
        return centred(form->radius * lf_vec3_length(r[0]), form->radius * lf_vec3_length(r[1]),
                       form->radius * lf_vec3_length(r[2]));
    case LF_SHAPE_CYLINDER:
        return centred(reach_of_cylinder(r[0], form->radius, half.z),
                       reach_of_cylinder(r[1], form->radius, half.z),
                       reach_of_cylinder(r[2], form->radius, half.z));
    case LF_SHAPE_PATH:
    case LF_SHAPE_POLYGONS:
        scene->vertices += form->vertex_count;
        lf__work(scene, form->vertex_count / 2);
        return box_of_vertices(rows, form->vertices, form->vertex_count);
    case LF_SHAPE_MODEL:
        return box_of_model(scene, rows, form->model);
    case LF_SHAPE_SOLID:
        break;
    }
    return lf_box_empty();
}

/// One side: at least `thickness`, and within the limit even where transforms overflow.
static void settle_side(double *low, double *high, double thickness) {
    if (!(*high - *low >= thickness)) {
        double middle = 0.5 * *low + 0.5 * *high;
        *low = middle - 0.5 * thickness;
        *high = middle + 0.5 * thickness;
    }
    *low = *low >= -LF__SCENE_LIMIT ? fmin(*low, LF__SCENE_LIMIT) : -LF__SCENE_LIMIT;
    *high = *high <= LF__SCENE_LIMIT ? fmax(*high, -LF__SCENE_LIMIT) : LF__SCENE_LIMIT;
}

static lf_box settled(lf_box box, double thickness) {
    settle_side(&box.low.x, &box.high.x, thickness);
    settle_side(&box.low.y, &box.high.y, thickness);
    settle_side(&box.low.z, &box.high.z, thickness);
    return box;
}

/// Save the state of a part at the end of the last step, before its first change since then.
static void put_aside(const lf_scene *scene, lf__part *part) {
    if (!part->known || part->changed == scene->steps)
        return;
    memcpy(part->old_turn, part->turn, sizeof part->old_turn);
    part->old_shift = part->shift;
    part->old_box = part->box;
    part->changed = scene->steps;
}

/// The maps from above: those of the part above, or the scale of the instance.
static lf__maps maps_above(const lf_scene *scene, const lf__part *part) {
    if (part->above != LF__NO_INDEX)
        return lf__part_at(scene, part->above)->maps;
    lf__maps maps = lf__maps_identity();
    if (part->instance == LF__NO_INDEX)
        return maps;
    lf_vec3 s = lf__instance_at(scene, part->instance)->scale;
    maps.turn[0].x = maps.carry[0].x = s.x;
    maps.turn[1].y = maps.carry[1].y = s.y;
    maps.turn[2].z = maps.carry[2].z = s.z;
    return maps;
}

static void refresh_maps(lf_scene *scene, lf__part *part) {
    lf__maps above = maps_above(scene, part);
    part->maps = lf__maps_then(&part->own, &above);
    lf_vec3 turn[3];
    memcpy(turn, part->maps.turn, sizeof turn);
    part->shift = part->maps.shift;
    if (part->instance != LF__NO_INDEX) {
        const lf_pose *pose = &lf__instance_at(scene, part->instance)->pose;
        lf__rows_product(pose->rows, part->maps.turn, turn);
        part->shift = lf__rows_point(pose->rows, part->maps.shift);
    }
    if (!lf__rows_same(turn, part->turn))
        part->stale_core = true;
    memcpy(part->turn, turn, sizeof turn);
}

static void refresh_shape(lf_scene *scene, lf__part *part) {
    if (part->stale_core)
        part->core = box_of_form(scene, part->turn, &part->form);
    lf_box box = part->core;
    if (!lf_box_is_empty(box))
        box = settled(lf__box_moved(box, part->shift), scene->thickness);
    else if (part->form.kind != LF_SHAPE_SOLID)
        box = settled((lf_box){{LF_NAN, LF_NAN, LF_NAN}, {LF_NAN, LF_NAN, LF_NAN}}, scene->thickness);
    part->box = box;
}

static void refresh_solid(lf_scene *scene, lf__part *part) {
    part->box = lf_box_empty();
    for (uint32_t i = part->first; i != LF__NO_INDEX; i = lf__part_at(scene, i)->next)
        part->box = lf_box_union(part->box, lf__part_at(scene, i)->box);
}

/// Depth is bounded by LF__PART_DEPTH_MAX.
static void refresh(lf_scene *scene, uint32_t index, bool forced) {
    lf__part *part = lf__part_at(scene, index);
    forced = forced || part->stale_map;
    if (!forced && !part->stale_box)
        return; // nothing is written, so that any number of threads may query a scene that is up to date
    put_aside(scene, part);
    if (forced)
        refresh_maps(scene, part);
    for (uint32_t i = part->first; i != LF__NO_INDEX; i = lf__part_at(scene, i)->next) {
        lf__work(scene, 1);
        refresh(scene, i, forced);
    }
    if (part->form.kind == LF_SHAPE_SOLID)
        refresh_solid(scene, part);
    else
        refresh_shape(scene, part);
    scene->part_boxes++;
    lf__work(scene, 8);
    part->known = true;
    part->stale_map = part->stale_core = part->stale_box = false;
}

void lf__parts_refresh(lf_scene *scene, uint32_t top) {
    refresh(scene, top, false);
}

void lf__scene_refresh(lf_scene *scene) {
    for (int64_t i = 0; i < scene->instances.array.count; i++) {
        const lf__instance *instance = lf__instance_at(scene, (uint32_t)i);
        if (instance->slot.live)
            refresh(scene, instance->top, false);
    }
}

/// Boxes in one array are searched ten times as fast as those of parts scattered in memory.
static lf_status list_boxes(lf_scene *scene) {
    int64_t count = scene->instances.array.count;
    scene->boxes.count = 0;
    lf_status status = lf__array_reserve(&scene->boxes, &scene->allocator, count, sizeof(lf_box));
    if (status != LF_OK)
        return status;
    lf_box *boxes = scene->boxes.items;
    lf__work(scene, count);
    for (int64_t i = 0; i < count; i++) {
        const lf__instance *instance = lf__instance_at(scene, (uint32_t)i);
        boxes[i] =
            instance->slot.live ? lf__part_box_now(scene, lf__part_at(scene, instance->top)) : lf_box_empty();
    }
    scene->boxes.count = count;
    scene->listed = scene->touched;
    lf__ray_tree_refresh(scene);
    return LF_OK;
}

lf_status lf_scene_update(lf_scene *scene) {
    if (!scene)
        return LF_BAD_ARGUMENT;
    lf_status status = LF_OK;
    if (scene->listed != scene->touched) {
        lf__scene_refresh(scene);
        status = list_boxes(scene);
    }
    return status == LF_OK ? lf__world_refresh(scene) : status;
}

lf_box lf__part_box_now(const lf_scene *scene, const lf__part *part) {
    if (part->instance == LF__NO_INDEX || lf_box_is_empty(part->box))
        return part->box;
    return lf__box_moved(part->box, lf__instance_at(scene, part->instance)->pose.translation);
}

lf_box lf__part_box_before(const lf_scene *scene, const lf__part *part) {
    const lf__instance *instance = lf__instance_at(scene, part->instance);
    bool changed = part->changed == scene->steps && !instance->fresh;
    lf_box box = changed ? part->old_box : part->box;
    if (lf_box_is_empty(box)) // it had no shape then
        return lf__part_box_now(scene, part);
    return lf__box_moved(box, instance->old_pose.translation);
}

lf_status lf_part_box(lf_scene *scene, lf_part id, lf_box *box) {
    const lf__part *part = lf__part_find(scene, id);
    if (!part || !box)
        return LF_BAD_ARGUMENT;
    lf__parts_refresh(scene, lf__part_top(scene, id.index));
    *box = lf__part_box_now(scene, part);
    return LF_OK;
}

lf_status lf_part_map(lf_scene *scene, lf_part id, lf_affine *map, lf_vec3 *origin) {
    const lf__part *part = lf__part_find(scene, id);
    if (!part || !map || !origin)
        return LF_BAD_ARGUMENT;
    lf__parts_refresh(scene, lf__part_top(scene, id.index));
    memcpy(map->rows, part->turn, sizeof map->rows);
    map->translation = part->shift;
    *origin = (lf_vec3){0, 0, 0};
    if (part->instance != LF__NO_INDEX)
        *origin = lf__instance_at(scene, part->instance)->pose.translation;
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Velocities
// ---------------------------------------------------------------------------------------------------

// Velocities are set by the caller, or measured by the centres of boxes.

lf_status lf__trail_make(const lf_allocator *allocator, lf__trail *track, int steps) {
    void *where, *when;
    lf_status status = lf__allocate_array(allocator, steps + 1, sizeof *track->where, &where);
    if (status != LF_OK)
        return status;
    status = lf__allocate_array(allocator, steps + 1, sizeof *track->when, &when);
    if (status != LF_OK) {
        lf__free_array(allocator, where, steps + 1, sizeof *track->where);
        return status;
    }
    *track = (lf__trail){steps, 0, 0, where, when};
    return LF_OK;
}

void lf__trail_free(const lf_allocator *allocator, lf__trail *track) {
    lf__free_array(allocator, track->when, track->steps + 1, sizeof *track->when);
    lf__free_array(allocator, track->where, track->steps + 1, sizeof *track->where);
    *track = (lf__trail){0};
}

void lf__trail_forget(lf__trail *track) {
    track->count = 0;
}

static void trail_note(lf__trail *track, lf_vec3 where, double when) {
    int places = track->steps + 1;
    track->newest = (track->newest + 1) % places;
    track->where[track->newest] = where;
    track->when[track->newest] = when;
    if (track->count < places)
        track->count++;
}

lf_vec3 lf__trail_velocity(const lf__trail *track) {
    lf_vec3 none = {0, 0, 0};
    if (track->count < 2)
        return none;
    int places = track->steps + 1;
    int oldest = (track->newest + places - (track->count - 1)) % places;
    double seconds = track->when[track->newest] - track->when[oldest];
    if (!(seconds > 0))
        return none;
    return lf_vec3_scale(lf_vec3_sub(track->where[track->newest], track->where[oldest]), 1 / seconds);
}

static void note_instance(lf_scene *scene, lf__instance *instance) {
    const lf__part *top = lf__part_at(scene, instance->top);
    if (lf_box_is_empty(top->box)) {
        lf__trail_forget(&instance->track);
    } else {
        trail_note(&instance->track, lf_box_centre(lf__part_box_now(scene, top)), scene->time);
    }
    if (instance->motion == LF_MOTION_MEASURED)
        instance->velocity = lf__trail_velocity(&instance->track);
}

void lf__velocities_note(lf_scene *scene) {
    for (int64_t i = 0; i < scene->instances.array.count; i++) {
        lf__instance *instance = lf__instance_at(scene, (uint32_t)i);
        if (instance->slot.live)
            note_instance(scene, instance);
    }
    for (int64_t i = 0; i < scene->parts.array.count && scene->tracked_parts > 0; i++) {
        lf__part *part = lf__part_at(scene, (uint32_t)i);
        if (!part->slot.live || !part->track)
            continue;
        if (lf_box_is_empty(part->box))
            lf__trail_forget(part->track);
        else
            trail_note(part->track, lf_box_centre(lf__part_box_now(scene, part)), scene->time);
    }
}

/// Measure the velocity of a part; 0 steps: no longer.
static lf_status measure(lf_scene *scene, lf__part *part, int steps) {
    lf__trail *track = NULL;
    if (steps > 0) {
        track = lf__allocate(&scene->allocator, sizeof *track, _Alignof(lf__trail));
        if (!track)
            return LF_NO_MEMORY;
        lf_status status = lf__trail_make(&scene->allocator, track, steps);
        if (status != LF_OK) {
            lf__free(&scene->allocator, track, sizeof *track, _Alignof(lf__trail));
            return status;
        }
    }
    lf__part_untrack(scene, part);
    part->track = track;
    if (track) {
        scene->tracked_parts++;
        lf__instance_at(scene, part->instance)->part_velocities++;
    }
    return LF_OK;
}

void lf__part_untrack(lf_scene *scene, lf__part *part) {
    if (!part->track)
        return;
    lf__trail_free(&scene->allocator, part->track);
    lf__free(&scene->allocator, part->track, sizeof *part->track, _Alignof(lf__trail));
    part->track = NULL;
    scene->tracked_parts--;
    lf__instance_at(scene, part->instance)->part_velocities--;
}

lf_status lf_part_set_velocity(lf_scene *scene, lf_part id, const lf_vec3 *velocity, int steps) {
    lf__part *part = lf__part_to_change(scene, id);
    if (!part || part->instance == LF__NO_INDEX || (velocity && !lf__within_limit(*velocity)) || steps < 0 ||
        steps > LF_VELOCITY_STEPS)
        return LF_BAD_ARGUMENT;
    lf_status status = measure(scene, part, velocity ? 0 : steps);
    if (status != LF_OK)
        return status;
    lf__instance_at(scene, part->instance)->part_velocities += (velocity != NULL) - part->given;
    part->given = velocity != NULL;
    part->velocity = velocity ? *velocity : (lf_vec3){0, 0, 0};
    return LF_OK;
}

lf_vec3 lf__part_velocity(const lf_scene *scene, const lf__part *part) {
    uint32_t instance = part->instance;
    for (;;) {
        if (part->given)
            return part->velocity;
        if (part->track && part->track->count >= 2)
            return lf__trail_velocity(part->track);
        if (part->above == LF__NO_INDEX)
            return lf__instance_at(scene, instance)->velocity;
        part = lf__part_at(scene, part->above);
    }
}
