/// Transforms: ordered, of the whole or of each shape.
#include "scene/scene.h"

static bool read_rows(const lf_transform *given, lf_vec3 rows[3]) {
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

bool lf__transform_read(const lf_transform *given, lf__transform *transform) {
    if (!lf__within_limit(given->vector) || given->about < LF_TRANSFORM_ABOUT_WHOLE || given->about > LF_TRANSFORM_ABOUT_EACH)
        return false;
    transform->given = *given;
    transform->maps = lf__maps_none();
    if (given->kind == LF_TRANSFORM_TRANSLATE) {
        transform->maps.shift = given->vector;
        return true;
    }
    if (given->kind != LF_TRANSFORM_ROTATE && given->kind != LF_TRANSFORM_SCALE)
        return false;
    if (!read_rows(given, transform->maps.turn))
        return false;
    if (given->about == LF_TRANSFORM_ABOUT_WHOLE)
        memcpy(transform->maps.carry, transform->maps.turn, sizeof transform->maps.carry);
    return true;
}

/// Join a transform with the last one where it goes on with it.
static bool join(lf__transform *last, const lf__transform *next) {
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
    if (!lf__transform_read(&joined, &result))
        return false;
    *last = result;
    return true;
}

/// What all transforms of a part do, one after the other.
static void compose(lf__part *part) {
    const lf__transform *transforms = part->transforms.items;
    part->own = lf__maps_none();
    for (int64_t i = 0; i < part->transforms.count; i++)
        part->own = i == 0 ? transforms[0].maps : lf__maps_then(&part->own, &transforms[i].maps);
}

/// Make one of the earlier half.
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
    if (!part || !given || !lf__transform_read(given, &transform))
        return LF_BAD_ARGUMENT;
    lf__transform *transforms = part->transforms.items;
    int64_t count = part->transforms.count;
    if (count == 0 || !join(&transforms[count - 1], &transform)) {
        if (count >= LF__TRANSFORMS_MOST)
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
        if (!lf__transform_read(&given[i], &transform))
            return LF_BAD_ARGUMENT;
    if (count > part->transforms.count) {
        int64_t more = count - part->transforms.count;
        lf_status status = lf__array_reserve(&part->transforms, &scene->allocator, more, sizeof transform);
        if (status != LF_OK)
            return status;
    }
    lf__transform *transforms = part->transforms.items;
    for (int64_t i = 0; i < count; i++)
        lf__transform_read(&given[i], &transforms[i]);
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
