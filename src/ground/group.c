/// Making groups and moving their parts.
#include "ground/group.h"
#include "base/base.h"
#include <string.h>

/// As near as two computed directions or places can be to one another.
#define SAME 4e-16

static bool same_direction(lf_vec3 a, lf_vec3 b) {
    return lf_vec3_length(lf_vec3_sub(lf_vec3_unit(a), lf_vec3_unit(b))) <= SAME;
}

static bool same_place(lf_vec3 a, lf_vec3 b) {
    return lf_vec3_length(lf_vec3_sub(a, b)) <= SAME * (lf_vec3_length(a) + lf_vec3_length(b));
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
        return same_place(origin, group->origin);
    case LF_FRAME_AXIS_IN:
    case LF_FRAME_AXIS_OUT:
        break;
    }
    if (!same_direction(down, group->down) && !same_direction(lf_vec3_scale(down, -1), group->down))
        return false;
    lf_vec3 between = lf_vec3_sub(origin, group->origin), axis = lf_vec3_unit(group->down);
    lf_vec3 foot = lf_vec3_along(group->origin, lf_vec3_dot(between, axis), axis);
    return same_place(origin, foot);
}

static lf_box box_in_world(lf_box own, const lf_pose *pose) {
    lf_box box = lf_box_empty();
    for (int i = 0; i < 8; i++) {
        lf_vec3 corner = {i & 1 ? own.low.x : own.high.x, i & 2 ? own.low.y : own.high.y,
                          i & 4 ? own.low.z : own.high.z};
        box = lf_box_with(box, lf_pose_to_world(pose, corner));
    }
    return box;
}

static bool same_vector(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

lf_box lf__group_part_box(const lf__group_part *part) {
    lf_box own = lf_ground_box(part->ground);
    if (same_vector(own.low, part->own.low) && same_vector(own.high, part->own.high))
        return part->box;
    return box_in_world(own, &part->pose);
}

static void pose_part(lf_group *group, int64_t index, const lf_pose *pose) {
    lf__group_part *part = &group->parts[index];
    lf_frame own = lf_ground_frame(part->ground);
    part->pose = *pose;
    part->own = lf_ground_box(part->ground);
    part->box = box_in_world(part->own, pose);
    part->upright = is_upright(&group->frame, &own, pose);
}

static bool frame_valid(const lf_frame *frame) {
    bool kind = frame->kind == LF_FRAME_GRAVITY || frame->kind == LF_FRAME_CENTRE ||
                frame->kind == LF_FRAME_AXIS_IN || frame->kind == LF_FRAME_AXIS_OUT;
    bool direction = frame->down.x != 0 || frame->down.y != 0 || frame->down.z != 0;
    return kind && lf_vec3_finite(frame->origin) && lf_vec3_finite(frame->down) &&
           (direction || frame->kind == LF_FRAME_CENTRE);
}

static lf_status check_def(const lf_group_def *def, lf_error *error) {
    if (!frame_valid(&def->frame))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the frame has no direction of gravity");
    if (!def->parts || def->part_count < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "no part: %lld given", (long long)def->part_count);
    for (int64_t i = 0; i < def->part_count; i++) {
        if (!def->parts[i].ground)
            return lf__fail(error, LF_BAD_ARGUMENT, i, "part %lld has no ground", (long long)i);
        if (lf_ground_kind_of(def->parts[i].ground) == LF_GROUND_GROUP)
            return lf__fail(error, LF_BAD_ARGUMENT, i, "part %lld is a group itself", (long long)i);
        if (lf_ground_kind_of(def->parts[i].ground) == LF_GROUND_GLOBE)
            return lf__fail(error, LF_BAD_ARGUMENT, i, "part %lld is a globe, which does not move",
                            (long long)i);
        if (!lf_pose_rigid(&def->parts[i].pose))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "the pose of part %lld is not rigid", (long long)i);
    }
    return LF_OK;
}

lf_status lf_group_create(const lf_group_def *given, lf_group **group, lf_error *error) {
    lf_group_def def = lf_group_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status == LF_OK && !group)
        status = lf__fail(error, LF_BAD_ARGUMENT, -1, "group is NULL");
    if (status == LF_OK)
        status = check_def(&def, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_group *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_group));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_group){.allocator = allocator, .frame = def.frame, .count = def.part_count};
    status = lf__take_array(&allocator, fresh->count, sizeof *fresh->parts, (void **)&fresh->parts);
    if (status != LF_OK) {
        lf_group_destroy(fresh);
        return lf__fail_plain(error, status);
    }
    for (int64_t i = 0; i < fresh->count; i++) {
        fresh->parts[i].ground = def.parts[i].ground;
        fresh->of_files |= def.parts[i].ground->kind->damaged != NULL;
        pose_part(fresh, i, &def.parts[i].pose);
    }
    fresh->ground = (lf_ground){&lf__group_kind, fresh, &fresh->allocator};
    *group = fresh;
    return LF_OK;
}

void lf_group_destroy(lf_group *group) {
    if (!group)
        return;
    lf_allocator allocator = group->allocator;
    lf__give_array(&allocator, group->parts, group->count, sizeof *group->parts);
    lf__give(&allocator, group, sizeof *group, _Alignof(lf_group));
}

int64_t lf_group_count(const lf_group *group) {
    return group->count;
}

lf_pose lf_group_pose(const lf_group *group, int64_t part) {
    return part >= 0 && part < group->count ? group->parts[part].pose : lf_pose_identity();
}

lf_status lf_group_set_pose(lf_group *group, int64_t part, const lf_pose *pose) {
    if (!group || part < 0 || part >= group->count || !pose || !lf_pose_rigid(pose))
        return LF_BAD_ARGUMENT;
    pose_part(group, part, pose);
    return LF_OK;
}

const lf_ground *lf_group_ground(const lf_group *group) {
    return group ? &group->ground : NULL;
}
