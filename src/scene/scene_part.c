/// Parts: their transforms, trees, labels and colours.
#include "scene/scene.h"

// ---------------------------------------------------------------------------------------------------
// Transforms
// ---------------------------------------------------------------------------------------------------

static bool transform_read_rows(const lf_transform *given, lf_vec3 rows[3]) {
    lf_vec3 v = given->vector;
    if (given->kind == LF_TRANSFORM_ROTATE) {
        lf_pose pose;
        if (!isfinite(given->angle) || lf_pose_turn((lf_vec3){0, 0, 0}, v, given->angle, &pose) != LF_OK)
            return false;
        for (int i = 0; i < 3; i++)
            rows[i] = pose.rows[i];
        return true;
    }
    if (!(v.x != 0 && v.y != 0 && v.z != 0))
        return false;
    rows[0] = (lf_vec3){v.x, 0, 0};
    rows[1] = (lf_vec3){0, v.y, 0};
    rows[2] = (lf_vec3){0, 0, v.z};
    return true;
}

/// Check a transform and compute its maps.
static bool transform_read(const lf_transform *given, lf__transform *transform) {
    if (!lf__within_limit(given->vector) || given->about < LF_TRANSFORM_ABOUT_WHOLE ||
        given->about > LF_TRANSFORM_ABOUT_EACH)
        return false;
    transform->given = *given;
    transform->maps = lf__maps_identity();
    if (given->kind == LF_TRANSFORM_TRANSLATE) {
        transform->maps.shift = given->vector;
        return true;
    }
    if (given->kind != LF_TRANSFORM_ROTATE && given->kind != LF_TRANSFORM_SCALE)
        return false;
    if (!transform_read_rows(given, transform->maps.turn))
        return false;
    if (given->about == LF_TRANSFORM_ABOUT_WHOLE)
        memcpy(transform->maps.carry, transform->maps.turn, sizeof transform->maps.carry);
    return true;
}

/// Merge a transform into the last one where both are of the same kind.
static bool transform_join(lf__transform *last, const lf__transform *next) {
    lf_transform joined = last->given;
    const lf_transform *other = &next->given;
    if (joined.kind != other->kind || joined.kind == LF_TRANSFORM_FOLDED)
        return false;
    if (joined.kind != LF_TRANSFORM_TRANSLATE && joined.about != other->about)
        return false;
    if (joined.kind == LF_TRANSFORM_TRANSLATE) {
        joined.vector = lf_vec3_add(joined.vector, other->vector);
    } else if (joined.kind == LF_TRANSFORM_SCALE) {
        joined.vector = (lf_vec3){joined.vector.x * other->vector.x, joined.vector.y * other->vector.y,
                                  joined.vector.z * other->vector.z};
    } else {
        lf_vec3 a = joined.vector, b = other->vector;
        if (!(a.x == b.x && a.y == b.y && a.z == b.z))
            return false;
        joined.angle = remainder(joined.angle + other->angle, 6.283185307179586476925);
    }
    lf__transform result;
    if (!transform_read(&joined, &result))
        return false;
    *last = result;
    return true;
}

/// The composition of all transforms of a part.
static void compose(lf__part *part) {
    const lf__transform *transforms = part->transforms.items;
    part->own = lf__maps_identity();
    for (int64_t i = 0; i < part->transforms.count; i++)
        part->own = i == 0 ? transforms[0].maps : lf__maps_then(&part->own, &transforms[i].maps);
}

/// Fold the earlier half into one transform.
static void fold(lf__part *part) {
    lf__transform *transforms = part->transforms.items;
    int64_t half = part->transforms.count / 2;
    for (int64_t i = 1; i < half; i++)
        transforms[0].maps = lf__maps_then(&transforms[0].maps, &transforms[i].maps);
    transforms[0].given = (lf_transform){LF_TRANSFORM_FOLDED, LF_TRANSFORM_ABOUT_WHOLE, {0, 0, 0}, 0};
    memmove(transforms + 1, transforms + half, (size_t)(part->transforms.count - half) * sizeof *transforms);
    part->transforms.count -= half - 1;
}

lf_status lf_part_transform(lf_scene *scene, lf_part id, const lf_transform *given) {
    lf__part *part = lf__part_to_change(scene, id);
    lf__transform transform;
    if (!part || !given || !transform_read(given, &transform))
        return LF_BAD_ARGUMENT;
    lf__transform *transforms = part->transforms.items;
    int64_t count = part->transforms.count;
    if (count == 0 || !transform_join(&transforms[count - 1], &transform)) {
        if (count >= LF__TRANSFORMS_MAX)
            fold(part);
        lf_status status = lf__array_reserve(&part->transforms, &scene->allocator, 1, sizeof transform);
        if (status != LF_OK)
            return status;
        ((lf__transform *)part->transforms.items)[part->transforms.count++] = transform;
    }
    compose(part);
    lf__part_touch(scene, id.index, true, false);
    return LF_OK;
}

lf_status lf_part_set_transforms(lf_scene *scene, lf_part id, const lf_transform *given, int64_t count) {
    lf__part *part = lf__part_to_change(scene, id);
    if (!part || count < 0 || (count > 0 && !given))
        return LF_BAD_ARGUMENT;
    lf__transform transform;
    for (int64_t i = 0; i < count; i++)
        if (!transform_read(&given[i], &transform))
            return LF_BAD_ARGUMENT;
    if (count > part->transforms.count) {
        int64_t more = count - part->transforms.count;
        lf_status status = lf__array_reserve(&part->transforms, &scene->allocator, more, sizeof transform);
        if (status != LF_OK)
            return status;
    }
    lf__transform *transforms = part->transforms.items;
    for (int64_t i = 0; i < count; i++)
        transform_read(&given[i], &transforms[i]);
    part->transforms.count = count;
    compose(part);
    lf__part_touch(scene, id.index, true, false);
    return LF_OK;
}

lf_status lf_part_transforms(const lf_scene *scene, lf_part id, lf_transform *transforms, int64_t capacity,
                             int64_t *count) {
    const lf__part *part = lf__part_find(scene, id);
    if (!part || capacity < 0 || (capacity > 0 && !transforms) || !count)
        return LF_BAD_ARGUMENT;
    *count = part->transforms.count;
    const lf__transform *own = part->transforms.items;
    for (int64_t i = 0; i < *count && i < capacity; i++)
        transforms[i] = own[i].given;
    return *count > capacity ? LF_PARTIAL : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Parts
// ---------------------------------------------------------------------------------------------------

uint32_t lf__part_top(const lf_scene *scene, uint32_t index) {
    while (lf__part_at(scene, index)->above != LF__NO_INDEX)
        index = lf__part_at(scene, index)->above;
    return index;
}

uint32_t lf__part_after(const lf_scene *scene, uint32_t index, uint32_t top) {
    uint32_t first = lf__part_at(scene, index)->first;
    return first != LF__NO_INDEX ? first : lf__part_beside(scene, index, top);
}

uint32_t lf__part_beside(const lf_scene *scene, uint32_t index, uint32_t top) {
    while (index != top) {
        const lf__part *part = lf__part_at(scene, index);
        if (part->next != LF__NO_INDEX)
            return part->next;
        index = part->above;
    }
    return LF__NO_INDEX;
}

/// The boxes above are stale as well; where one is already, all above it are.
void lf__part_touch(lf_scene *scene, uint32_t index, bool map, bool core) {
    lf__part *part = lf__part_at(scene, index);
    scene->touched++;
    part->stale_map = part->stale_map || map;
    part->stale_core = part->stale_core || core;
    part->form_changes += core;
    while (!part->stale_box) {
        part->stale_box = true;
        if (part->above == LF__NO_INDEX)
            break;
        part = lf__part_at(scene, part->above);
    }
}

lf_status lf__part_make(lf_scene *scene, uint32_t instance, uint32_t *index) {
    lf_status status = lf__pool_add(&scene->parts, &scene->allocator, index);
    if (status != LF_OK)
        return status;
    lf__part *part = lf__part_at(scene, *index);
    part->above = part->first = part->last = part->next = part->before = LF__NO_INDEX;
    part->instance = instance;
    part->paint = (lf_paint){0, 0, 0, -1};
    part->own = part->maps = lf__maps_identity();
    part->core = part->box = part->old_box = lf_box_empty();
    part->changed = -1;
    part->stale_map = part->stale_core = part->stale_box = true;
    return LF_OK;
}

/// Attach a part below another, after its other parts.
static void part_attach(lf_scene *scene, uint32_t index, uint32_t above) {
    lf__part *part = lf__part_at(scene, index), *over = lf__part_at(scene, above);
    part->above = above;
    part->before = over->last;
    part->next = LF__NO_INDEX;
    if (over->last == LF__NO_INDEX)
        over->first = index;
    else
        lf__part_at(scene, over->last)->next = index;
    over->last = index;
    lf__part_touch(scene, above, false, false);
}

static void part_detach(lf_scene *scene, uint32_t index) {
    lf__part *part = lf__part_at(scene, index);
    if (part->above == LF__NO_INDEX)
        return;
    lf__part *over = lf__part_at(scene, part->above);
    if (part->before == LF__NO_INDEX)
        over->first = part->next;
    else
        lf__part_at(scene, part->before)->next = part->next;
    if (part->next == LF__NO_INDEX)
        over->last = part->before;
    else
        lf__part_at(scene, part->next)->before = part->before;
    lf__part_touch(scene, part->above, false, false);
    part->above = part->next = part->before = LF__NO_INDEX;
}

/// Free one detached part without parts below it.
static void free_part(lf_scene *scene, uint32_t index) {
    lf__part *part = lf__part_at(scene, index);
    lf__solid_free(part);
    lf__form_free(scene, &part->form);
    lf__array_free(&part->transforms, &scene->allocator, sizeof(lf__transform));
    lf__part_untrack(scene, part);
    if (part->label)
        lf__free(&scene->allocator, part->label, strlen(part->label) + 1, 1);
    if (part->given)
        lf__instance_at(scene, part->instance)->part_velocities--;
    lf__pool_remove(&scene->parts, index);
}

void lf__part_free(lf_scene *scene, uint32_t index) {
    part_detach(scene, index);
    uint32_t at = index;
    for (;;) {
        const lf__part *part = lf__part_at(scene, at);
        if (part->first != LF__NO_INDEX) {
            at = part->first;
            continue;
        }
        uint32_t above = part->above;
        bool last = at == index;
        part_detach(scene, at);
        free_part(scene, at);
        if (last)
            return;
        at = above;
    }
}

static int part_depth_of(const lf_scene *scene, uint32_t index) {
    int depth = 0;
    for (; index != LF__NO_INDEX; index = lf__part_at(scene, index)->above)
        depth++;
    return depth;
}

/// visited  number of parts compared
static uint32_t find_label(const lf_scene *scene, uint32_t under, const char *label, int64_t *visited) {
    *visited = 0;
    for (uint32_t i = under; i != LF__NO_INDEX; i = lf__part_after(scene, i, under)) {
        ++*visited;
        if (lf__part_at(scene, i)->label && strcmp(lf__part_at(scene, i)->label, label) == 0)
            return i;
    }
    return LF__NO_INDEX;
}

static lf_status copy_label(const lf_scene *scene, const char *label, char **copy) {
    if (!label)
        return LF_OK;
    size_t size = strlen(label) + 1;
    *copy = lf__allocate(&scene->allocator, size, 1);
    if (!*copy)
        return LF_NO_MEMORY;
    memcpy(*copy, label, size);
    return LF_OK;
}

static bool label_is_taken(lf_scene *scene, uint32_t above, const char *label) {
    int64_t visited;
    bool taken = find_label(scene, lf__part_top(scene, above), label, &visited) != LF__NO_INDEX;
    lf__work(scene, visited / 4);
    return taken;
}

static bool paint_valid(lf_paint paint) {
    if (paint.opacity < 0)
        return true;
    const float values[4] = {paint.red, paint.green, paint.blue, paint.opacity};
    for (int i = 0; i < 4; i++)
        if (!(values[i] >= 0 && values[i] <= 1))
            return false;
    return true;
}

/// All checks of a def that need no memory.
static lf_status part_check_def(lf_scene *scene, uint32_t above, const lf_part_def *def, lf_error *error) {
    if (lf__part_at(scene, above)->form.kind != LF_SHAPE_SOLID)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "above: expected a solid, found a %s",
                        lf_shape_name(lf__part_at(scene, above)->form.kind));
    if (part_depth_of(scene, above) >= LF__PART_DEPTH_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "above: a tree of parts is at most %d deep",
                        LF__PART_DEPTH_MAX);
    if (def->label && !lf__name_valid(def->label))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "label: expected 1..%d bytes", LF__NAME_SIZE - 1);
    if (def->tag && !lf__name_valid(def->tag))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "tag: expected 1..%d bytes", LF__NAME_SIZE - 1);
    if (def->label && label_is_taken(scene, above, def->label))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "label \"%s\": already in use", def->label);
    if (!paint_valid(def->colour))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "colour: expected components within 0..1, or an opacity below 0");
    if (def->transform_count < 0 || (def->transform_count > 0 && !def->transforms))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "transform_count %lld: expected at least 0, and an array",
                        (long long)def->transform_count);
    lf__transform ignored;
    for (int64_t i = 0; i < def->transform_count; i++)
        if (!transform_read(&def->transforms[i], &ignored))
            return lf__fail(error, LF_BAD_ARGUMENT, i,
                            "transform %lld: unknown kind, not finite, or a factor of 0", (long long)i);
    return LF_OK;
}

/// Fill in a part that is not attached yet.
static lf_status part_fill(lf_scene *scene, uint32_t index, const lf_part_def *def, lf_error *error) {
    lf__form form = {.kind = LF_SHAPE_SOLID};
    lf_status status = lf__form_make(scene, &def->shape, &form, error);
    if (status != LF_OK)
        return status;
    lf__part *part = lf__part_at(scene, index);
    part->form = form;
    part->paint = def->colour;
    part->user = def->user;
    part->layers = def->layers;
    status = copy_label(scene, def->label, &part->label);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    if (def->tag) {
        int number;
        status = lf__tag_number(scene, def->tag, &number);
        if (status != LF_OK)
            return lf__fail(error, status, -1, "tag \"%s\": cannot be added; a scene has at most 64 tags",
                            def->tag);
        part->tags = (uint64_t)1 << number;
    }
    if (def->transform_count > 0) {
        status =
            lf_part_set_transforms(scene, lf__part_id(scene, index), def->transforms, def->transform_count);
        if (status != LF_OK)
            return lf__fail_plain(error, status);
    }
    return LF_OK;
}

lf_status lf_part_add(lf_scene *scene, lf_part above, const lf_part_def *given, lf_part *part,
                      lf_error *error) {
    lf_part_def def = lf_part_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    const lf__part *over = lf__part_find(scene, above);
    if (!over)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "above: the part does not exist");
    status = lf__scene_may_change(scene, "lf_part_add", error);
    if (status == LF_OK)
        status = part_check_def(scene, above.index, &def, error);
    if (status != LF_OK)
        return status;
    uint32_t index;
    status = lf__part_make(scene, over->instance, &index);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = part_fill(scene, index, &def, error);
    if (status != LF_OK) {
        lf__part_free(scene, index);
        return status;
    }
    part_attach(scene, index, above.index);
    if (part)
        *part = lf__part_id(scene, index);
    return LF_OK;
}

lf_status lf_part_remove(lf_scene *scene, lf_part id) {
    const lf__part *part = lf__part_to_change(scene, id);
    if (!part || part->above == LF__NO_INDEX)
        return LF_BAD_ARGUMENT;
    lf__part_free(scene, id.index);
    return LF_OK;
}

/// Copy one part without the parts below it.
static lf_status copy_part(lf_scene *scene, uint32_t from, uint32_t instance, uint32_t *to) {
    lf_status status = lf__part_make(scene, instance, to);
    if (status != LF_OK)
        return status;
    lf__work(scene, 16);
    lf__part *copy = lf__part_at(scene, *to);
    const lf__part *part = lf__part_at(scene, from);
    copy->paint = part->paint;
    copy->tags = part->tags;
    copy->user = part->user;
    copy->layers = part->layers;
    copy->own = part->own;
    status = copy_label(scene, part->label, &copy->label);
    if (status == LF_OK)
        status = lf__form_copy(scene, &part->form, &copy->form);
    int64_t count = part->transforms.count;
    if (status == LF_OK)
        status = lf__array_reserve(&copy->transforms, &scene->allocator, count, sizeof(lf__transform));
    if (status != LF_OK) {
        lf__part_free(scene, *to);
        return status;
    }
    if (count > 0)
        memcpy(copy->transforms.items, part->transforms.items, (size_t)count * sizeof(lf__transform));
    copy->transforms.count = count;
    return LF_OK;
}

lf_status lf__part_copy_below(lf_scene *scene, uint32_t from, uint32_t to) {
    uint32_t instance = lf__part_at(scene, to)->instance;
    uint32_t at = from, copy = to;
    for (;;) {
        uint32_t next = lf__part_at(scene, at)->first;
        if (next != LF__NO_INDEX) {
            at = next;
        } else {
            while (at != from && lf__part_at(scene, at)->next == LF__NO_INDEX)
                at = lf__part_at(scene, at)->above, copy = lf__part_at(scene, copy)->above;
            if (at == from)
                return LF_OK;
            at = lf__part_at(scene, at)->next;
            copy = lf__part_at(scene, copy)->above;
        }
        uint32_t fresh;
        lf_status status = copy_part(scene, at, instance, &fresh);
        if (status != LF_OK)
            return status;
        part_attach(scene, fresh, copy);
        copy = fresh;
    }
}

lf_status lf_part_set_colour(lf_scene *scene, lf_part id, lf_paint colour) {
    lf__part *part = lf__part_to_change(scene, id);
    if (!part || !paint_valid(colour))
        return LF_BAD_ARGUMENT;
    part->paint = colour;
    return LF_OK;
}

lf_status lf_part_find(const lf_scene *scene, lf_part under, const char *label, lf_part *part) {
    if (!lf__part_find(scene, under) || !lf__name_valid(label) || !part)
        return LF_BAD_ARGUMENT;
    int64_t visited;
    *part = lf__part_id(scene, find_label(scene, under.index, label, &visited));
    return LF_OK;
}

lf_paint lf__part_colour(const lf_scene *scene, const lf__part *part) {
    while (part->paint.opacity < 0 && part->above != LF__NO_INDEX)
        part = lf__part_at(scene, part->above);
    return part->paint.opacity < 0 ? (lf_paint){0.8f, 0.8f, 0.8f, 1} : part->paint;
}

lf_status lf_part_describe(const lf_scene *scene, lf_part id, lf_part_info *info) {
    const lf__part *part = lf__part_find(scene, id);
    if (!part || !info)
        return LF_BAD_ARGUMENT;
    const lf__form *form = &part->form;
    *info = (lf_part_info){
        .shape = {.kind = form->kind, .size = form->size, .radius = form->radius, .model = form->model},
        .colour = lf__part_colour(scene, part),
        .above = lf__part_id(scene, part->above),
        .first = lf__part_id(scene, part->first),
        .next = lf__part_id(scene, part->next),
        .instance = lf__instance_id(scene, part->instance),
        .label = part->label,
        .user = part->user,
        .layers = part->layers,
        .transform_count = part->transforms.count};
    info->shape.polygons.vertices = form->vertices;
    info->shape.polygons.vertex_count = form->vertex_count;
    info->shape.polygons.starts = form->starts;
    info->shape.polygons.corners = form->corners;
    info->shape.polygons.polygon_count = form->polygon_count;
    if (part->instance != LF__NO_INDEX)
        info->velocity = lf__part_velocity(scene, part);
    return LF_OK;
}
