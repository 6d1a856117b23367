/// Groups of posed grounds and boxes: making them, and moving their parts.
#include "ground/group.h"
#include "base/base.h"
#include "geom/geometry.h"
#include <string.h>

/// Relative difference below which two computed directions or places are equal.
#define GROUP_SAME 4e-16

/// A scene's numbers in `inner`.
#define SCENE_NUMBERS ((int64_t)1 << 24)
#define MOST_NUMBERS ((int64_t)1 << 32)

static bool same_direction(lf_vec3 a, lf_vec3 b) {
    return lf_vec3_length(lf_vec3_sub(lf_vec3_unit(a), lf_vec3_unit(b))) <= GROUP_SAME;
}

static bool group_same_place(lf_vec3 a, lf_vec3 b) {
    return lf_vec3_length(lf_vec3_sub(a, b)) <= GROUP_SAME * (lf_vec3_length(a) + lf_vec3_length(b));
}

/// Is a part's own down the group's down, everywhere, once the part is posed?
static bool is_upright(const lf_frame *group, const lf_frame *part, const lf_pose *pose) {
    if (group->kind != part->kind)
        return false;
    lf_vec3 down = lf_pose_turn_to_world(pose, part->down), origin = lf_pose_to_world(pose, part->origin);
    switch (group->kind) {
    case LF_FRAME_GRAVITY:
        return same_direction(down, group->down);
    case LF_FRAME_CENTRE:
        return group_same_place(origin, group->origin);
    case LF_FRAME_AXIS_IN:
    case LF_FRAME_AXIS_OUT:
        break;
    }
    if (!same_direction(down, group->down) && !same_direction(lf_vec3_scale(down, -1), group->down))
        return false;
    lf_vec3 between = lf_vec3_sub(origin, group->origin), axis = lf_vec3_unit(group->down);
    lf_vec3 foot = lf_vec3_along(group->origin, lf_vec3_dot(between, axis), axis);
    return group_same_place(origin, foot);
}

/// How far the rows of a pose are from those of a rotation: the way there and back differs from none by this share.
static double pose_defect(const lf_pose *pose) {
    double most = 0;
    for (int i = 0; i < 3; i++)
        for (int k = i; k < 3; k++)
            most = fmax(most, fabs(lf_vec3_dot(pose->rows[i], pose->rows[k]) - (i == k)));
    return most;
}

static double largest_of(lf_vec3 a, lf_vec3 b) {
    double low = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))),
           high = fmax(fabs(b.x), fmax(fabs(b.y), fabs(b.z)));
    return fmax(low, high);
}

/// The box in the world, with a margin: lines are carried into the part's coordinates, not its corners out of them.
static lf_box box_in_world(lf_box own, const lf_pose *pose) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < 8; i++) {
        lf_vec3 corner = {i & 1 ? own.low.x : own.high.x, i & 2 ? own.low.y : own.high.y,
                          i & 4 ? own.low.z : own.high.z};
        box = lf_box_with(box, lf_pose_to_world(pose, corner));
    }
    double defect = pose_defect(pose), size = largest_of(own.low, own.high);
    if (defect > 1e-14) {
        double pad = 4 * defect * size;
        box.low = lf_vec3_sub(box.low, (lf_vec3){pad, pad, pad});
        box.high = lf_vec3_add(box.high, (lf_vec3){pad, pad, pad});
    }
    return box;
}

static bool same_vector(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool pose_is_identity(const lf_pose *pose) {
    lf_pose here = lf_pose_identity();
    bool same = same_vector(pose->translation, here.translation);
    for (int i = 0; i < 3; i++)
        same = same && same_vector(pose->rows[i], here.rows[i]);
    return same;
}

static float float_of_half(double low, double high) {
    return (float)(0.5 * high - 0.5 * low);
}

/// The outline of a box. Where rounding of places, or a pose that is not quite rigid, could matter compared with the box, nothing is known.
static void set_outline(lf__group_part *part) {
    lf_vec3 middle = lf_pose_to_world(&part->pose, lf_box_centre(part->own));
    lf__outline *to = &part->outline;
    const lf_vec3 *rows = part->pose.rows;
    for (int k = 0; k < 3; k++) {
        to->axis[0][k] = (int16_t)lrint(32767 * rows[k].x);
        to->axis[1][k] = (int16_t)lrint(32767 * rows[k].y);
        to->axis[2][k] = (int16_t)lrint(32767 * rows[k].z);
    }
    to->centre[0] = middle.x, to->centre[1] = middle.y, to->centre[2] = middle.z;
    to->half[0] = float_of_half(part->own.low.x, part->own.high.x);
    to->half[1] = float_of_half(part->own.low.y, part->own.high.y);
    to->half[2] = float_of_half(part->own.low.z, part->own.high.z);
    double blur =
        0x1p-48 * (largest_of(middle, part->pose.translation) + largest_of(part->own.low, part->own.high)) +
        4 * pose_defect(&part->pose) * largest_of(part->own.low, part->own.high);
    float least = fminf(to->half[0], fminf(to->half[1], to->half[2]));
    float most = fmaxf(to->half[0], fmaxf(to->half[1], to->half[2]));
    if (!(blur < LF__OUTLINE_UNIT * least && least > LF__OUTLINE_LEAST && most < 1 / LF__OUTLINE_LEAST))
        to->half[0] = NAN;
}

void lf__group_pose_part(const lf_group *group, lf__group_part *part, const lf_pose *pose) {
    lf_frame own = lf_ground_frame(part->ground);
    part->pose = *pose;
    part->identity = pose_is_identity(pose);
    part->box = part->identity || lf_box_is_empty(part->own) ? part->own : box_in_world(part->own, pose);
    if (part->is_box)
        set_outline(part);
    part->upright = part->ground->kind->height && is_upright(&group->frame, &own, pose);
}

void lf__group_part_set_box(lf__group_part *part, const lf_box *box) {
    part->own = *box;
    part->is_box = true;
    part->self = lf__ground_of(&lf__box_kind, &part->own, NULL);
    part->ground = &part->self;
}

int64_t lf__ground_numbers(const lf_ground *ground) {
    if (ground->kind->is_scene)
        return SCENE_NUMBERS;
    const lf_group *group = lf__ground_group(ground);
    if (!group)
        return 1;
    const lf__group_part *last = &group->parts[group->count - 1];
    return last->first + lf__ground_numbers(last->ground);
}

// ---------------------------------------------------------------------------------------------------
// Checks
// ---------------------------------------------------------------------------------------------------

static bool group_frame_valid(const lf_frame *frame) {
    bool kind = frame->kind == LF_FRAME_GRAVITY || frame->kind == LF_FRAME_CENTRE ||
                frame->kind == LF_FRAME_AXIS_IN || frame->kind == LF_FRAME_AXIS_OUT;
    bool direction = frame->down.x != 0 || frame->down.y != 0 || frame->down.z != 0;
    return kind && lf_vec3_finite(frame->origin) && lf_vec3_finite(frame->down) &&
           (direction || frame->kind == LF_FRAME_CENTRE);
}

/// The globe that a ground is or has; NULL: none.
static const lf_ground *globe_of(const lf_ground *ground) {
    const lf_group *group = ground ? lf__ground_group(ground) : NULL;
    return group ? group->globe : ground && lf__ground_globe(ground) ? ground : NULL;
}

static bool group_box_valid(const lf_box *box) {
    return box->low.x < box->high.x && box->low.y < box->high.y && box->low.z < box->high.z &&
           largest_of(box->low, box->high) <= LF__FARTHEST;
}

static lf_status group_check_part(const lf_group_part *part, int64_t i, lf_error *error) {
    const lf_box *box = &part->box;
    if (!part->ground && !group_box_valid(box))
        return lf__fail(error, LF_BAD_ARGUMENT, i,
                        "part %lld: without a ground, the box (%g, %g, %g) to (%g, %g, %g) must be finite "
                        "and have an inside",
                        (long long)i, box->low.x, box->low.y, box->low.z, box->high.x, box->high.y,
                        box->high.z);
    if (!lf_pose_rigid(&part->pose))
        return lf__fail(error, LF_BAD_ARGUMENT, i, "part %lld: the pose is not rigid", (long long)i);
    return LF_OK;
}

static lf_status group_check_def(const lf_group_def *def, lf_error *error) {
    int64_t globes = 0;
    if (!group_frame_valid(&def->frame))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "frame: has no direction of gravity");
    if (!def->parts || def->part_count < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "parts: %lld given: must be 1 or more",
                        (long long)def->part_count);
    for (int64_t i = 0; i < def->part_count; i++) {
        lf_status status = group_check_part(&def->parts[i], i, error);
        if (status != LF_OK)
            return status;
        globes += globe_of(def->parts[i].ground) != NULL;
        if (globes > 1)
            return lf__fail(error, LF_BAD_ARGUMENT, i, "part %lld: is a second globe: must be at most one",
                            (long long)i);
    }
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Making and moving
// ---------------------------------------------------------------------------------------------------

static void set_part(lf_group *group, int64_t i, const lf_group_part *given) {
    lf__group_part *part = &group->parts[i];
    *part = (lf__group_part){.ground = given->ground, .user = given->user, .layers = given->layers};
    if (!given->ground) {
        lf__group_part_set_box(part, &given->box);
        part->self.allocator = &group->allocator;
    } else {
        part->own = lf_ground_box(given->ground);
        if (given->ground->kind->failure) {
            group->files[0] = group->files[1] == 0 ? i : group->files[0];
            group->files[1] = i + 1;
        }
    }
    const lf_group *inner = lf__ground_group(part->ground);
    part->has_grid = lf__ground_grid(part->ground) || (inner && inner->grid_count > 0);
    group->grid_count += part->has_grid;
    part->first = i > 0 ? part[-1].first + lf__ground_numbers(part[-1].ground) : 0;
    lf__group_pose_part(group, part, &given->pose);
}

/// Parts of a part have other names in the group than in the part.
static void set_single(lf_group *group) {
    const lf__group_part *only = group->parts;
    group->single = group->count == 1 && only->identity && only->upright && only->layers == 0 &&
                    only->user == 0 && !lf__ground_group(only->ground);
}

/// The first grid in its own coordinates. Not a globe: the last bits of its hits depend on the end of the ray.
static void set_terrain(lf_group *group) {
    group->terrain = 0;
    for (int64_t i = 0; i < group->count && group->terrain == 0 && !group->single; i++) {
        const lf__group_part *part = &group->parts[i];
        if (part->identity && lf__ground_grid(part->ground))
            group->terrain = i + 1;
    }
}

/// The frame of the globe that is among the parts.
static void take_frame_of_globe(lf_group *group, const lf_group_def *def) {
    for (int64_t i = 0; i < def->part_count && !group->globe; i++) {
        const lf_group_part *part = &def->parts[i];
        group->globe = globe_of(part->ground);
        if (!group->globe)
            continue;
        const lf_group *inner = lf__ground_group(part->ground);
        group->globe_pose = inner ? lf_pose_then(&inner->globe_pose, &part->pose) : part->pose;
        group->globe_there = pose_is_identity(&group->globe_pose);
        group->frame = lf_ground_frame(part->ground);
        if (pose_is_identity(&part->pose))
            continue;
        group->frame.origin = lf_pose_to_world(&part->pose, group->frame.origin);
        for (int k = 0; k < 3; k++)
            group->frame.rows[k] = lf_pose_turn_to_world(&part->pose, group->frame.rows[k]);
    }
}

lf_status lf_group_create(const lf_group_def *given, lf_group **group, lf_error *error) {
    lf_group_def def = lf_group_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK && !group)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "group is NULL");
    if (status == LF_OK)
        status = group_check_def(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_group *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_group));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_group){.allocator = allocator, .frame = def.frame, .count = def.part_count};
    fresh->ground = lf__ground_of(&lf__group_kind, fresh, &fresh->allocator);
    lf__items_start(&fresh->items, &allocator);
    status = lf__allocate_array(&allocator, fresh->count, sizeof *fresh->parts, (void **)&fresh->parts);
    if (status == LF_OK) {
        take_frame_of_globe(fresh, &def);
        for (int64_t i = 0; i < fresh->count; i++)
            set_part(fresh, i, &def.parts[i]);
        status = lf__items_build(&fresh->items, &fresh->parts[0].box, sizeof *fresh->parts, fresh->count);
    }
    if (status == LF_OK && lf__ground_numbers(&fresh->ground) > MOST_NUMBERS)
        status = LF_TOO_LARGE;
    if (status != LF_OK) {
        lf_group_destroy(fresh);
        return lf__fail_plain(error, status);
    }
    for (int64_t i = 0; i < fresh->count; i++)
        fresh->nested |= lf__ground_group(fresh->parts[i].ground) != NULL;
    set_single(fresh);
    set_terrain(fresh);
    *group = fresh;
    return LF_OK;
}

void lf_group_destroy(lf_group *group) {
    if (!group)
        return;
    lf_allocator allocator = group->allocator;
    lf__items_free(&group->items);
    lf__free_array(&allocator, group->parts, group->count, sizeof *group->parts);
    lf__free(&allocator, group, sizeof *group, _Alignof(lf_group));
}

int64_t lf_group_count(const lf_group *group) {
    return group->count;
}

lf_pose lf_group_pose(const lf_group *group, int64_t part) {
    return part >= 0 && part < group->count ? group->parts[part].pose : lf_pose_identity();
}

lf_status lf_group_set_pose(lf_group *group, int64_t index, const lf_pose *pose) {
    if (!group || index < 0 || index >= group->count || !pose || !lf_pose_rigid(pose))
        return LF_BAD_ARGUMENT;
    lf__group_part *part = &group->parts[index];
    if (globe_of(part->ground) && memcmp(pose, &part->pose, sizeof *pose) != 0)
        return LF_BAD_ARGUMENT;
    if (!part->is_box)
        part->own = lf_ground_box(part->ground);
    lf__group_pose_part(group, part, pose);
    lf__items_moved(&group->items, index);
    set_single(group);
    if (part->has_grid)
        set_terrain(group);
    return LF_OK;
}

static bool group_same_box(const lf_box *a, const lf_box *b) {
    return same_vector(a->low, b->low) && same_vector(a->high, b->high);
}

lf_status lf_group_update(lf_group *group) {
    if (!group)
        return LF_BAD_ARGUMENT;
    bool appeared = false;
    for (int64_t i = 0; i < group->count; i++) {
        lf__group_part *part = &group->parts[i];
        lf_box own = lf_ground_box(part->ground);
        if (part->is_box || group_same_box(&own, &part->own))
            continue;
        part->own = own;
        lf__group_pose_part(group, part, &part->pose);
        appeared |= group->items.places[i] == LF__BVH_NOWHERE;
        lf__items_moved(&group->items, i);
    }
    return appeared ? lf__items_build(&group->items, &group->parts[0].box, sizeof *group->parts, group->count)
                    : LF_OK;
}

const lf_ground *lf_group_ground(const lf_group *group) {
    return group ? &group->ground : NULL;
}
