/// Heights of groups, and the function tables.
#include "bvh/bvh_meet.h"
#include "ground/group.h"
#include "ground/land.h"

static lf_box group_box(const void *object) {
    const lf_group *group = object;
    if (group->single)
        return lf_ground_box(group->parts->ground);
    return lf__items_bounds(&group->items);
}

/// Above everything, with a margin for the rounding of poses.
static double above_all(const lf_group *group) {
    double high = group->items.tree.box.high.z;
    return isfinite(high) ? high + 1 + 1e-6 * fabs(high) : 0;
}

static const lf_frame *group_frame(const void *object) {
    return &((const lf_group *)object)->frame;
}

static bool group_takes_infinity(const void *object) {
    return lf__frame_is_down_z(group_frame(object));
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// The height of a point over all parts.
typedef struct group_height_search {
    const lf_group *group;
    lf_vec3 point;
    bool down, found;
    lf_ray line;   ///< the gravity line, downwards or upwards
    double length; ///< of its direction
    double reach;  ///< t of the line beyond which nothing matters
    uint32_t layers;
    lf_hit *best;
    lf_cursor *cursor;
} group_height_search;

/// The height by one part, in its own coordinates but for t, which is metres; false on a miss.
static bool part_height(const group_height_search *s, const lf__group_part *part, lf_hit *hit) {
    const lf_ground *ground = part->ground;
    if (part->upright) {
        lf_vec3 local = lf__part_place(part, s->point);
        ground->kind->height(ground->object, &local, s->down, hit, s->cursor);
        return hit->kind != LF_HIT_NONE;
    }
    lf_ray line = lf__part_ray(part, &s->line);
    if (!ground->kind->line_first(ground->object, &line, hit, s->cursor))
        return false;
    hit->t = lf__line_distance(&line, s->length, hit);
    return true;
}

/// Generous bound of the error of the distances of two parts' heights together: the accuracy of heights, and
/// that of t.
static double height_doubt(const lf_group *group, const lf_hit *a, const lf_hit *b) {
    const lf_hit *hits[2] = {a, b};
    double doubt = 4 * LF__MEET_ERROR * (fabs(a->t) + fabs(b->t));
    for (int i = 0; i < 2; i++) {
        lf_box box = group->parts[hits[i]->part].own;
        double x = fabs(box.low.x) + fabs(box.high.x), y = fabs(box.low.y) + fabs(box.high.y);
        doubt += 4e-10 + 1e-13 * (x + y + fabs(box.low.z) + fabs(box.high.z));
    }
    return doubt;
}

/// Is the height of another part before the nearest so far? Where the distances are too close, by the exact t along the group's
/// gravity line, then by part.
static bool group_is_nearer(const group_height_search *s, const lf_hit *hit, double doubt) {
    double nearer_by = s->best->t - hit->t;
    if (fabs(nearer_by) > doubt)
        return nearer_by > 0;
    int order = lf__group_order(s->group, &s->line, s->length, hit, s->best);
    return order < 0 || (order == 0 && hit->part < s->best->part);
}

/// The height by a part, as far as its layers are seen; false on a miss.
static bool seen_height(const group_height_search *s, uint32_t index, lf_hit *hit) {
    const lf__group_part *part = &s->group->parts[index];
    if (!lf__part_seen(part, s->layers))
        return false;
    lf__cursor_filter(s->cursor, lf__part_layers(part, s->layers));
    bool met = part_height(s, part, hit);
    lf__cursor_filter(s->cursor, s->layers);
    return met;
}

static double height_item(void *user, uint32_t index) {
    group_height_search *s = user;
    lf_hit hit;
    if (!seen_height(s, index, &hit))
        return s->reach;
    lf_hit world = lf__group_from_part(s->group, index, &hit);
    double doubt = s->found ? height_doubt(s->group, &world, s->best) : 0;
    if (s->found && !group_is_nearer(s, &world, doubt))
        return s->reach;
    *s->best = world;
    s->found = true;
    double t = (world.t + 2 * height_doubt(s->group, &world, &world)) / s->length;
    s->reach = fmin(s->line.t_max, t + 16 * LF__MEET_ERROR * fabs(t));
    return s->reach;
}

/// Is there ground on the other side of the point?
static double beyond_item(void *user, uint32_t index) {
    group_height_search *s = user;
    lf_hit hit;
    s->found = seen_height(s, index, &hit);
    return s->found ? LF_NAN : s->reach;
}

static bool height_search(group_height_search *s, double (*item)(void *user, uint32_t index)) {
    s->found = false;
    if (!lf__gravity_ray(&s->group->frame, s->point, s->down, &s->line, &s->length))
        return false;
    lf__item_search search = lf__group_search(s->group, item, s, NULL);
    s->reach = s->line.t_max;
    lf__items_search(&s->group->items, &s->line, &search, s->cursor);
    return s->found;
}

/// Outside of everything, or over a hole? The parts' own reasons say so where a globe's tiles are not loaded.
static lf_reason group_outside_or_void(const lf_group *group, lf_vec3 point, lf_cursor *cursor) {
    if (group->globe) {
        lf_hit hit;
        lf_vec3 there = group->globe_there ? point : lf_pose_to_local(&group->globe_pose, point);
        group->globe->kind->height(group->globe->object, &there, true, &hit, cursor);
        return hit.kind == LF_HIT_NONE && hit.reason != LF_REASON_NONE ? hit.reason : LF_REASON_HOLE;
    }
    if (group->frame.kind != LF_FRAME_GRAVITY)
        return LF_REASON_HOLE;
    lf_pose here = lf_pose_identity();
    lf__cone cone = lf__cone_start(point, group->frame.down);
    lf__group_spread(group, &here, &cone);
    return cone.whole ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
}

static void group_height(const void *object, const lf_vec3 *at, bool down, lf_hit *best, lf_cursor *cursor) {
    const lf_group *group = object;
    if (group->single) {
        const lf_ground *only = group->parts->ground;
        only->kind->height(only->object, at, down, best, cursor);
        return;
    }
    bool from_infinity = isinf(at->z);
    group_height_search s = {.group = group,
                             .point = *at,
                             .down = down,
                             .layers = lf__cursor_layers(cursor),
                             .best = best,
                             .cursor = cursor};
    if (from_infinity)
        s.point.z = above_all(group);
    if (!height_search(&s, height_item)) {
        s.down = !down;
        bool beyond = !from_infinity && height_search(&s, beyond_item); // infinity has no other side
        lf_reason reason = beyond ? LF_REASON_NONE : group_outside_or_void(group, s.point, cursor);
        *best = lf__hit_none(LF_INFINITY, reason);
        return;
    }
    if (from_infinity)
        best->t = 0;
    if (group_takes_infinity(
            object)) { // the line is vertical in the world, whatever the rounding of the pose
        best->point.x = s.point.x;
        best->point.y = s.point.y;
    }
}

static lf_status group_ask(const void *object, lf_vec3 point, lf_vertical vertical, lf_hit *hit) {
    const lf_group *group = object;
    const lf_ground *only = group->single ? group->parts->ground : NULL;
    if (only && only->ask)
        return only->ask(only->object, point, vertical, hit);
    return lf__ground_height_checked(only ? only : &group->ground, &point, vertical == LF_VERTICAL_DOWN, hit,
                                     NULL);
}

static void group_height_many(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                              bool down, lf_hit *hits, size_t hit_stride) {
    const lf_group *group = object;
    const lf_ground *only = group->single ? group->parts->ground : NULL;
    if (only && only->kind->height_many) {
        only->kind->height_many(only->object, points, point_stride, count, down, hits, hit_stride);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        group_height(object, (const void *)((const char *)points + (size_t)i * point_stride), down,
                     (void *)((char *)hits + (size_t)i * hit_stride), NULL);
}

static void group_heights_many(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                               bool down, double *heights, size_t height_stride) {
    const lf_group *group = object;
    const lf_ground *only = group->single ? group->parts->ground : NULL;
    if (only && only->kind->heights_many) {
        only->kind->heights_many(only->object, points, point_stride, count, down, heights, height_stride);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        lf_hit hit;
        group_height(object, (const void *)((const char *)points + (size_t)i * point_stride), down, &hit,
                     NULL);
        *(double *)(void *)((char *)heights + (size_t)i * height_stride) =
            lf__hit_height(&group->frame, &hit);
    }
}

static int64_t group_height_all(const void *object, lf_vec3 point, lf_hit *hits, int64_t capacity,
                                lf_cursor *cursor) {
    const lf_group *group = object;
    bool from_infinity = isinf(point.z);
    lf_ray line;
    double length;
    if (group->single)
        return group->parts->ground->kind->height_all(group->parts->ground->object, point, hits, capacity,
                                                      cursor);
    if (from_infinity)
        point.z = above_all(group);
    if (!lf__gravity_ray(&group->frame, point, true, &line, &length))
        return 0;
    line.t_min = group->frame.kind == LF_FRAME_AXIS_OUT ? -1 : -LF_INFINITY;
    int64_t count = lf__group_gather(group, &line, LF__EACH_LINE_SIDES, hits, capacity, cursor);
    int64_t kept = count < capacity ? count : capacity;
    for (int64_t i = 0; i < kept; i++)
        hits[i].t = lf__line_distance(&line, length, &hits[i]);
    double top = from_infinity && kept > 0 ? hits[0].t : 0;
    for (int64_t i = 0; i < kept; i++) {
        hits[i].t -= top;
        if (group_takes_infinity(object)) {
            hits[i].point.x = point.x;
            hits[i].point.y = point.y;
        }
    }
    lf__hits_keep_rising(hits, kept);
    return count;
}

static bool group_weights(const void *object, lf_hit *hit) {
    const lf_group *group = object;
    if (hit->part < 0 || hit->part >= group->count || !group->parts[hit->part].ground)
        return false;
    const lf_ground *ground = group->parts[hit->part].ground;
    lf_hit local = lf__group_to_part(group, hit);
    if (!ground->kind->weights(ground->object, &local))
        return false;
    hit->u = local.u;
    hit->v = local.v;
    return true;
}

// ---------------------------------------------------------------------------------------------------
// The function tables
// ---------------------------------------------------------------------------------------------------

static lf_status group_failure(const void *object) {
    const lf_group *group = object;
    lf_status status = LF_OK;
    for (int64_t i = group->files[0]; status == LF_OK && i < group->files[1]; i++)
        status = lf__ground_status(group->parts[i].ground, LF_OK);
    return status;
}

#define GROUP_KIND(is)                                                                                      \
    {                                                                                                       \
        .box = group_box, .frame = group_frame, .takes_infinity = group_takes_infinity,                     \
        .height = group_height, .ask = group_ask, .height_many = group_height_many,                         \
        .heights_many = group_heights_many, .height_all = group_height_all, .weights = group_weights,       \
        .ray_first = lf__group_ray_first, .ray_first_many = lf__group_ray_first_many,                       \
        .ray_any = lf__group_ray_any, .ray_all = lf__group_ray_all, .line_first = lf__group_line_first,     \
        .each = lf__group_each, .cuts = lf__group_cuts, .bend = lf__group_bend, .spread = lf__group_spread, \
        .touches = lf__group_touches, .faces = lf__group_faces, .sweep = lf__group_sweep,                   \
        .failure = group_failure, .is = true,                                                               \
    }

const lf__ground_kind_of lf__group_kind = GROUP_KIND(is_group),
                         lf__group_kind_of_scene = GROUP_KIND(is_scene);
