/// Groups of posed grounds.
#include "ground/group.h"
#include "base/base.h"
#include "bvh/bvh_meet.h"
#include <string.h>

/// Relative difference below which two computed directions or places are equal.
#define GROUP_SAME 4e-16

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

static bool group_frame_valid(const lf_frame *frame) {
    bool kind = frame->kind == LF_FRAME_GRAVITY || frame->kind == LF_FRAME_CENTRE ||
                frame->kind == LF_FRAME_AXIS_IN || frame->kind == LF_FRAME_AXIS_OUT;
    bool direction = frame->down.x != 0 || frame->down.y != 0 || frame->down.z != 0;
    return kind && lf_vec3_finite(frame->origin) && lf_vec3_finite(frame->down) &&
           (direction || frame->kind == LF_FRAME_CENTRE);
}

static lf_status group_check_def(const lf_group_def *def, lf_error *error) {
    if (!group_frame_valid(&def->frame))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "frame: has no direction of gravity");
    if (!def->parts || def->part_count < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "parts: %lld given: must be 1 or more",
                        (long long)def->part_count);
    for (int64_t i = 0; i < def->part_count; i++) {
        if (!def->parts[i].ground)
            return lf__fail(error, LF_BAD_ARGUMENT, i, "part %lld: ground is NULL", (long long)i);
        if (def->parts[i].ground->kind->kind == LF__GROUND_GROUP)
            return lf__fail(error, LF_BAD_ARGUMENT, i, "part %lld: is a group, which cannot be a part",
                            (long long)i);
        if (def->parts[i].ground->kind->kind == LF__GROUND_GLOBE)
            return lf__fail(error, LF_BAD_ARGUMENT, i, "part %lld: is a globe, which cannot be a part",
                            (long long)i);
        if (!lf_pose_rigid(&def->parts[i].pose))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "part %lld: the pose is not rigid", (long long)i);
    }
    return LF_OK;
}

static const lf__ground_kind_of group_kind;

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
    fresh->ground = (lf_ground){&group_kind, fresh, &fresh->allocator};
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

// ---------------------------------------------------------------------------------------------------
// The function table of a group
// ---------------------------------------------------------------------------------------------------

// Every query goes to every part in the part's own coordinates, and the results are combined in world
// coordinates.

static lf_box group_box(const void *thing) {
    const lf_group *group = thing;
    lf_box all = lf_box_empty();
    for (int64_t i = 0; i < group->count; i++)
        all = lf_box_union(all, lf__group_part_box(&group->parts[i]));
    return all;
}

/// Above everything, with a margin for the rounding of poses.
static double above_all(const void *thing) {
    double high = group_box(thing).high.z;
    return high + 1 + 1e-6 * fabs(high);
}

static const lf_frame *group_frame(const void *thing) {
    return &((const lf_group *)thing)->frame;
}

static bool group_takes_infinity(const void *thing) {
    return lf__frame_is_down_z(group_frame(thing));
}

static lf_ray to_part(const lf__group_part *part, const lf_ray *ray) {
    return (lf_ray){lf_pose_to_local(&part->pose, ray->origin),
                    lf_pose_turn_to_local(&part->pose, ray->direction), ray->t_min, ray->t_max};
}

static lf_hit from_part(const lf_group *group, int64_t index, const lf_hit *hit) {
    const lf_pose *pose = &group->parts[index].pose;
    lf_hit world = *hit;
    world.point = lf_pose_to_world(pose, hit->point);
    world.normal = lf_pose_turn_to_world(pose, hit->normal);
    world.part = index;
    return world;
}

// ---------------------------------------------------------------------------------------------------
// Order of hits
// ---------------------------------------------------------------------------------------------------

/// The sign of a's t minus b's along a line of the world: for meshes the exact t of the line in the part's
/// own coordinates, for others t as it is.
/// length  metres of the line per unit of the hits' t
static int order_exactly(const lf_group *group, const lf_ray *line, double length, const lf_hit *a,
                         const lf_hit *b) {
    const lf__group_part *part_a = &group->parts[a->part], *part_b = &group->parts[b->part];
    const lf_ground *ground_a = part_a->ground, *ground_b = part_b->ground;
    lf_ray line_a = to_part(part_a, line), line_b = to_part(part_b, line);
    lf_vec3 corners_a[3], corners_b[3];
    bool exact_a = ground_a->kind->corners != NULL, exact_b = ground_b->kind->corners != NULL;
    if (exact_a)
        ground_a->kind->corners(ground_a->thing, a, corners_a);
    if (exact_b)
        ground_b->kind->corners(ground_b->thing, b, corners_b);
    if (exact_a && exact_b)
        return lf__meet_order(&line_a, corners_a, a->part == b->part ? &line_a : &line_b, corners_b);
    if (exact_a)
        return lf__meet_against(&line_a, corners_a, b->t / length);
    if (exact_b)
        return -lf__meet_against(&line_b, corners_b, a->t / length);
    return (a->t > b->t) - (a->t < b->t);
}

static bool group_comes_before(const lf_group *group, const lf_ray *line, const lf_hit *a, const lf_hit *b) {
    int order = lf__meet_order_roughly(a->t, b->t);
    if (order == 2)
        order = order_exactly(group, line, 1, a, b);
    if (order != 0)
        return order < 0;
    return a->part != b->part ? a->part < b->part : a->element < b->element;
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// Where down is -z: can a gravity line through a point meet a part? Never wrong when it returns false.
static bool under_or_over(const lf__group_part *part, lf_vec3 p) {
    lf_box b = lf__group_part_box(part);
    double margin = 1e-12 * (fabs(b.low.x) + fabs(b.high.x) + fabs(b.low.y) + fabs(b.high.y));
    return p.x >= b.low.x - margin && p.x <= b.high.x + margin && p.y >= b.low.y - margin &&
           p.y <= b.high.y + margin;
}

/// The height by one part; false on a miss, and then `other_side` if there is ground on the other side.
static bool part_height(const lf_group *group, const lf__group_part *part, lf_vec3 point, bool down,
                        lf_hit *hit, bool *other_side, lf_cursor *cursor) {
    if (lf__frame_is_down_z(&group->frame) && !under_or_over(part, point))
        return false;
    const lf_ground *ground = part->ground;
    if (part->upright) {
        lf_vec3 local = lf_pose_to_local(&part->pose, point);
        ground->kind->height(ground->thing, &local, down, hit, cursor);
        *other_side |= hit->reason == LF_REASON_NONE;
        return hit->kind != LF_HIT_NONE;
    }
    lf_ray ray, line;
    double length;
    if (!lf__gravity_ray(&group->frame, point, down, &ray, &length))
        return false;
    line = to_part(part, &ray);
    if (ground->kind->line_first(ground->thing, &line, hit, cursor)) {
        hit->t = lf__line_distance(&line, length, hit);
        return true;
    }
    lf_hit other;
    lf__gravity_ray(&group->frame, point, !down, &ray, &length);
    line = to_part(part, &ray);
    *other_side |= !*other_side && ground->kind->line_first(ground->thing, &line, &other, cursor);
    return false;
}

/// Outside of everything, or over a hole?
static lf_reason group_outside_or_void(const lf_group *group, lf_vec3 point) {
    if (group->frame.kind != LF_FRAME_GRAVITY)
        return LF_REASON_HOLE;
    lf__cone cone = lf__cone_start(point, group->frame.down);
    for (int64_t i = 0; i < group->count && !cone.whole; i++) {
        const lf_ground *ground = group->parts[i].ground;
        ground->kind->spread(ground->thing, &group->parts[i].pose, &cone);
    }
    return cone.whole ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
}

/// Generous bound of the error of the distances of two parts' heights together: the accuracy of heights, and
/// that of t.
static double height_doubt(const lf_group *group, const lf_hit *a, const lf_hit *b) {
    const lf_hit *hits[2] = {a, b};
    double doubt = 4 * LF__MEET_ERROR * (fabs(a->t) + fabs(b->t));
    for (int i = 0; i < 2; i++) {
        lf_box box = lf_ground_box(group->parts[hits[i]->part].ground);
        double x = fabs(box.low.x) + fabs(box.high.x), y = fabs(box.low.y) + fabs(box.high.y);
        doubt += 4e-10 + 1e-13 * (x + y + fabs(box.low.z) + fabs(box.high.z));
    }
    return doubt;
}

/// Is the height of a later part nearer than the nearest so far? Where the distances are too close, by the
/// exact t along the group's gravity line.
static bool group_is_nearer(const lf_group *group, lf_vec3 point, bool down, const lf_hit *hit,
                            const lf_hit *best) {
    double nearer_by = best->t - hit->t, doubt = height_doubt(group, hit, best), length;
    lf_ray line;
    if (fabs(nearer_by) > doubt || !lf__gravity_ray(&group->frame, point, down, &line, &length))
        return nearer_by > 0;
    return order_exactly(group, &line, length, hit, best) < 0;
}

static void group_height(const void *thing, const lf_vec3 *at, bool down, lf_hit *best, lf_cursor *cursor) {
    const lf_group *group = thing;
    lf_vec3 point = *at;
    bool from_infinity = isinf(point.z), found = false, other_side = false;
    if (from_infinity)
        point.z = above_all(thing);
    for (int64_t i = 0; i < group->count; i++) {
        lf_hit hit;
        if (!part_height(group, &group->parts[i], point, down, &hit, &other_side, cursor))
            continue;
        hit.part = i;
        if (found && !group_is_nearer(group, point, down, &hit, best))
            continue;
        *best = from_part(group, i, &hit);
        found = true;
    }
    if (!found) {
        bool beyond = other_side && !from_infinity; // infinity has no other side
        *best = lf__hit_none(LF_INFINITY, beyond ? LF_REASON_NONE : group_outside_or_void(group, point));
        return;
    }
    if (from_infinity)
        best->t = 0;
    if (group_takes_infinity(thing)) { // the line is vertical in the world, whatever the rounding of the pose
        best->point.x = point.x;
        best->point.y = point.y;
    }
}

static bool group_weights(const void *thing, lf_hit *hit) {
    const lf_group *group = thing;
    if (hit->part < 0 || hit->part >= group->count)
        return false;
    const lf__group_part *part = &group->parts[hit->part];
    lf_hit local = *hit;
    local.point = lf_pose_to_local(&part->pose, hit->point);
    if (!part->ground->kind->weights(part->ground->thing, &local))
        return false;
    hit->u = local.u;
    hit->v = local.v;
    return true;
}

// ---------------------------------------------------------------------------------------------------
// All hits
// ---------------------------------------------------------------------------------------------------

/// The first few hits in order of t, part, element; or each of them passed on to another finder.
typedef struct group_gathering {
    const lf_group *group;
    const lf_ray *line;
    int64_t part;
    lf_hit *hits;
    int64_t capacity;
    int64_t count;
    const lf__finder *finder;
} group_gathering;

static void keep_in_order(void *user, const lf_hit *hit) {
    group_gathering *g = user;
    lf_hit fresh = from_part(g->group, g->part, hit);
    int64_t at = g->count < g->capacity ? g->count : g->capacity;
    g->count++;
    while (at > 0 && group_comes_before(g->group, g->line, &fresh, &g->hits[at - 1])) {
        if (at < g->capacity)
            g->hits[at] = g->hits[at - 1];
        at--;
    }
    if (at < g->capacity)
        g->hits[at] = fresh;
}

static void group_pass_on(void *user, const lf_hit *hit) {
    const group_gathering *g = user;
    lf_hit fresh = from_part(g->group, g->part, hit);
    g->finder->found(g->finder->user, &fresh);
}

static void group_gather(group_gathering *g, const lf_ray *ray, lf__each how, lf_cursor *cursor) {
    lf__finder finder = {g->finder ? group_pass_on : keep_in_order, g};
    g->line = ray;
    for (g->part = 0; g->part < g->group->count; g->part++) {
        const lf__group_part *part = &g->group->parts[g->part];
        lf_ray local = to_part(part, ray);
        part->ground->kind->each(part->ground->thing, &local, how, &finder, cursor);
    }
}

static void group_each(const void *thing, const lf_ray *ray, lf__each how, const lf__finder *finder,
                       lf_cursor *cursor) {
    group_gathering g = {.group = thing, .finder = finder};
    group_gather(&g, ray, how, cursor);
}

/// Rounding may have put a t below that of the hit before it.
static void keep_rising(lf_hit *hits, int64_t count) {
    for (int64_t i = 1; i < count; i++)
        hits[i].t = fmax(hits[i].t, hits[i - 1].t);
}

static int64_t group_ray_all(const void *thing, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                             lf_cursor *cursor) {
    group_gathering g = {.group = thing, .hits = hits, .capacity = capacity};
    group_gather(&g, ray, LF__EACH_RAY, cursor);
    keep_rising(hits, g.count < capacity ? g.count : capacity);
    return g.count;
}

static int64_t group_height_all(const void *thing, lf_vec3 point, lf_hit *hits, int64_t capacity,
                                lf_cursor *cursor) {
    const lf_group *group = thing;
    bool from_infinity = isinf(point.z);
    lf_ray line;
    double length;
    if (from_infinity)
        point.z = above_all(thing);
    if (!lf__gravity_ray(&group->frame, point, true, &line, &length))
        return 0;
    line.t_min = group->frame.kind == LF_FRAME_AXIS_OUT ? -1 : -LF_INFINITY;
    group_gathering g = {.group = group, .hits = hits, .capacity = capacity};
    group_gather(&g, &line, LF__EACH_LINE_SIDES, cursor);
    int64_t kept = g.count < capacity ? g.count : capacity;
    for (int64_t i = 0; i < kept; i++)
        hits[i].t = lf__line_distance(&line, length, &hits[i]);
    double top = from_infinity && kept > 0 ? hits[0].t : 0;
    for (int64_t i = 0; i < kept; i++) {
        hits[i].t -= top;
        if (group_takes_infinity(thing)) {
            hits[i].point.x = point.x;
            hits[i].point.y = point.y;
        }
    }
    keep_rising(hits, kept);
    return g.count;
}

// ---------------------------------------------------------------------------------------------------
// First hits
// ---------------------------------------------------------------------------------------------------

static bool part_first(const lf_ground *ground, const lf_ray *ray, bool as_line, lf_hit *hit,
                       lf_cursor *cursor) {
    if (as_line)
        return ground->kind->line_first(ground->thing, ray, hit, cursor);
    ground->kind->ray_first(ground->thing, ray, hit, cursor);
    return hit->kind != LF_HIT_NONE;
}

static bool group_first(const lf_group *group, lf_ray ray, bool as_line, lf_hit *best, lf_cursor *cursor) {
    bool found = false;
    double end = ray.t_max;
    for (int64_t i = 0; i < group->count; i++) {
        lf_ray local = to_part(&group->parts[i], &ray);
        lf_hit hit;
        if (!part_first(group->parts[i].ground, &local, as_line, &hit, cursor))
            continue;
        hit.part = i;
        if (found && !group_comes_before(group, &ray, &hit, best))
            continue;
        *best = from_part(group, i, &hit);
        // What is farther, beyond all rounding, does not matter for the other parts.
        ray.t_max = fmin(end, hit.t + 16 * LF__MEET_ERROR * fabs(hit.t) + LF__MEET_TINY);
        found = true;
    }
    return found;
}

static void group_ray_first(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!group_first(thing, *ray, false, hit, cursor))
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
}

static bool group_line_first(const void *thing, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    return group_first(thing, *line, true, hit, cursor);
}

static bool group_ray_any(const void *thing, const lf_ray *ray, lf_cursor *cursor) {
    const lf_group *group = thing;
    for (int64_t i = 0; i < group->count; i++) {
        const lf_ground *ground = group->parts[i].ground;
        lf_ray local = to_part(&group->parts[i], ray);
        if (ground->kind->ray_any(ground->thing, &local, cursor))
            return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Outlines
// ---------------------------------------------------------------------------------------------------

static void group_cuts(const void *thing, const lf__track *track, lf__cuts *needed, lf_cursor *cursor) {
    const lf_group *group = thing;
    for (int64_t i = 0; i < group->count; i++) {
        const lf_ground *ground = group->parts[i].ground;
        lf__track local = lf__track_posed(track, &group->parts[i].pose);
        ground->kind->cuts(ground->thing, &local, needed, cursor);
    }
}

static double group_bend(const void *thing, const lf_hit *hit, const lf__track *track) {
    const lf__group_part *part = &((const lf_group *)thing)->parts[hit->part];
    if (!part->ground->kind->bend)
        return 0;
    lf__track local_track = lf__track_posed(track, &part->pose);
    lf_hit local = *hit;
    local.point = lf_pose_to_local(&part->pose, hit->point);
    local.normal = lf_pose_turn_to_local(&part->pose, hit->normal);
    return part->ground->kind->bend(part->ground->thing, &local, &local_track);
}

static void group_spread(const void *thing, const lf_pose *pose, lf__cone *cone) {
    const lf_group *group = thing;
    for (int64_t i = 0; i < group->count; i++) {
        const lf_ground *ground = group->parts[i].ground;
        lf_pose both = lf_pose_then(&group->parts[i].pose, pose);
        ground->kind->spread(ground->thing, &both, cone);
    }
}

static bool group_damaged(const void *thing) {
    const lf_group *group = thing;
    for (int64_t i = 0; i < group->count && group->of_files; i++)
        if (lf__ground_status(group->parts[i].ground, LF_OK) != LF_OK)
            return true;
    return false;
}

static const lf__group_part *group_parts(const void *thing, int64_t *count) {
    const lf_group *group = thing;
    *count = group->count;
    return group->parts;
}

static const lf__ground_kind_of group_kind = {
    .kind = LF__GROUND_GROUP,
    .box = group_box,
    .frame = group_frame,
    .takes_infinity = group_takes_infinity,
    .height = group_height,
    .height_all = group_height_all,
    .weights = group_weights,
    .ray_first = group_ray_first,
    .ray_any = group_ray_any,
    .ray_all = group_ray_all,
    .line_first = group_line_first,
    .each = group_each,
    .cuts = group_cuts,
    .bend = group_bend,
    .spread = group_spread,
    .parts = group_parts,
    .damaged = group_damaged,
};
