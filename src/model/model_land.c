/// A model against the ground.
#include "model/land.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------------
// Touching
// ---------------------------------------------------------------------------------------------------

static bool touches(const lf_model_stand *stand, lf_cursor *cursor) {
    const lf_model *model = stand->model;
    const lf__land_body body = {model->tree,           model->vertices, model->corners,
                                model->triangle_count, model->centre,   model->radius};
    lf__group_part self;
    int64_t count;
    const lf__group_part *parts = lf__ground_parts(stand->ground, &self, &count);
    for (int64_t i = 0; i < count; i++) {
        lf_pose between = lf_model_between(&parts[i].pose, &stand->pose);
        if (parts[i].ground->kind->touches(parts[i].ground->thing, &body, &between, cursor))
            return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------
// Under
// ---------------------------------------------------------------------------------------------------

/// How deep a point of the world is under the ground.
static lf__land_depth depth_of(const lf_model_stand *stand, const lf_frame *frame, lf_vec3 point,
                               lf_cursor *cursor) {
    lf__land_depth none = {0}, found = {0};
    lf_hit hit;
    if (lf_ground_height(stand->ground, point, LF_VERTICAL_UP, &hit, cursor) != LF_OK ||
        hit.kind == LF_HIT_NONE)
        return none;
    lf_vec3 down = lf_frame_down(frame, hit.point);
    bool front_is_up = lf_vec3_dot(hit.normal, down) < 0;
    found = (lf__land_depth){hit.t, point, hit.point};
    bool caves = !lf__ground_is_smooth(stand->ground);
    return front_is_up && (!caves || hit.t <= 2 * stand->model->radius) ? found : none;
}

/// What all triangles of a stand share.
typedef struct stance {
    const lf_model_stand *stand;
    lf_frame frame;
    lf__face_view view; ///< of the ground, where down is that of the model's middle
    lf__land_wish wish;
    const lf__group_part *parts; ///< of the ground
    lf__group_part self;         ///< the part of a ground that is no group
    int64_t part_count;
    lf_cursor *cursor;
} stance;

/// The largest coordinate of a ground, as far as it has an end.
static double size_of(const lf_ground *ground) {
    lf_box box = lf_ground_box(ground);
    const double all[6] = {box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z};
    double most = 0;
    for (int i = 0; i < 6; i++)
        most = isfinite(all[i]) ? fmax(most, fabs(all[i])) : most;
    return most;
}

static void start_stance(const lf_model_stand *stand, lf_cursor *cursor, stance *s) {
    lf_vec3 middle = lf_pose_to_world(&stand->pose, stand->model->centre);
    double size = fmax(size_of(stand->ground), fmax(fabs(middle.x), fmax(fabs(middle.y), fabs(middle.z))));
    lf_frame upright = lf_frame_default();
    *s = (stance){.stand = stand, .frame = lf_ground_frame(stand->ground), .cursor = cursor};
    s->wish.reach = 2 * stand->model->radius;
    s->parts = lf__ground_parts(stand->ground, &s->self, &s->part_count);
    for (int64_t i = 0; i < s->part_count; i++)
        size = fmax(size, size_of(s->parts[i].ground));
    lf_vec3 down = lf_frame_down(&s->frame, middle);
    if (lf_vec3_dot(down, down) > 0) // none at the centre of a planet
        lf_frame_gravity(down, &upright);
    s->view = (lf__face_view){.ground = stand->ground, .cursor = cursor};
    s->view.blur = 4e-15 * size + 1e-12 * s->wish.reach;
    for (int i = 0; i < 3; i++)
        s->view.rows[i] = upright.rows[i];
}

/// The only part of a group that is near a triangle, where it is an upright grid: it can tell more exactly. NULL: none, or more.
static const lf__group_part *lonely_grid(const stance *s, const lf_vec3 corners[3]) {
    const lf__group_part *found = NULL;
    lf_box box = lf_box_empty();
    lf_vec3 far = {s->wish.reach, s->wish.reach, s->wish.reach};
    for (int c = 0; c < 3; c++)
        box = lf_box_with(box, corners[c]);
    box.low = lf_vec3_sub(box.low, far);
    box.high = lf_vec3_add(box.high, far);
    for (int64_t i = 0; i < s->part_count; i++) {
        const lf__group_part *part = &s->parts[i];
        if (!lf_box_overlap(lf__group_part_box(part), box))
            continue;
        if (found || !part->upright || !part->ground->kind->depth)
            return NULL;
        found = part;
    }
    return found;
}

static bool depth_in_lonely_grid(const stance *s, const lf_vec3 corners[3], lf__land_depth *deepest) {
    const lf__group_part *part = lonely_grid(s, corners);
    lf__land_depth found;
    lf_vec3 own[3];
    if (!part)
        return false;
    for (int c = 0; c < 3; c++)
        own[c] = lf_pose_to_local(&part->pose, corners[c]);
    part->ground->kind->depth(part->ground->thing, own, &found, s->cursor);
    if (found.depth > s->wish.reach) // what is deeper does not count, but what is less deep does
        return false;
    if (found.depth > deepest->depth)
        *deepest = (lf__land_depth){found.depth, lf_pose_to_world(&part->pose, found.point),
                                    lf_pose_to_world(&part->pose, found.surface)};
    return true;
}

/// Where down is not the same everywhere, it is taken to be so for finding the deepest point, but not for telling how deep that is.
static void look_in_faces(stance *s, const lf_vec3 corners[3], lf__land_depth *deepest) {
    lf__land_depth found = *deepest;
    s->view.origin = corners[0];
    lf__land_depth_in_faces(&s->view, corners, &s->wish, &found);
    if (s->frame.kind != LF_FRAME_GRAVITY && found.depth > deepest->depth)
        found = depth_of(s->stand, &s->frame, found.point, s->cursor);
    *deepest = found.depth > deepest->depth ? found : *deepest;
}

/// A globe has no faces to be cut by. Points of the triangle are asked that are near to one another against its cells; where it is small, its corners will do.
static void look_between(const stance *s, const lf_vec3 corners[3], lf__land_depth *deepest) {
    const lf_ground *ground = s->stand->ground;
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, lf_vec3_length(lf_vec3_sub(corners[k], corners[(k + 1) % 3])));
    lf_vec3 sum = lf_vec3_add(corners[0], lf_vec3_add(corners[1], corners[2]));
    double spacing = ground->kind->spacing(ground->thing, lf_vec3_scale(sum, 1.0 / 3));
    double count = spacing > 0 ? ceil(longest / (LF__LAND_SHARE * spacing)) : 1;
    int most = 1 << LF__LAND_HALVINGS, parts = count < 1 ? 1 : count > most ? most : (int)count;
    lf_vec3 sides[2] = {lf_vec3_sub(corners[1], corners[0]), lf_vec3_sub(corners[2], corners[0])};
    for (int i = 0; i <= parts && parts > 1; i++)
        for (int j = 0; j <= parts - i; j++) {
            lf_vec3 point = lf_vec3_along(corners[0], (double)i / parts, sides[0]);
            point = lf_vec3_along(point, (double)j / parts, sides[1]);
            lf__land_depth at = depth_of(s->stand, &s->frame, point, s->cursor);
            *deepest = at.depth > deepest->depth ? at : *deepest;
        }
}

/// The deepest point of a triangle; any that is under the ground where none is deeper than the wish.
static lf__land_depth depth_of_triangle(stance *s, int64_t triangle) {
    const lf_model_stand *stand = s->stand;
    lf__land_depth deepest = {0};
    lf_vec3 corners[3];
    lf__model_corners(stand->model, triangle, corners);
    for (int c = 0; c < 3; c++)
        corners[c] = lf_pose_to_world(&stand->pose, corners[c]);
    if (stand->ground->kind->depth) {
        stand->ground->kind->depth(stand->ground->thing, corners, &deepest, s->cursor);
        return deepest;
    }
    for (int c = 0; c < 3; c++) {
        lf__land_depth at = depth_of(stand, &s->frame, corners[c], s->cursor);
        deepest = at.depth > deepest.depth ? at : deepest;
    }
    if (lf__ground_is_smooth(stand->ground))
        look_between(s, corners, &deepest);
    else if (!depth_in_lonely_grid(s, corners, &deepest))
        look_in_faces(s, corners, &deepest);
    return deepest;
}

static bool valid(const lf_model_stand *stand) {
    return stand && stand->model && stand->ground && lf__model_pose_valid(&stand->pose);
}

/// A model whose sphere is beside the ground's box is nowhere under it; a grid is over everything that is below it.
static bool beside(const lf_model_stand *stand) {
    lf_box box = lf_ground_box(stand->ground);
    lf_vec3 c = lf_pose_to_world(&stand->pose, stand->model->centre);
    double r = stand->model->radius * (1 + 1e-8) * 4;
    lf_box around = {{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}};
    if (stand->ground->kind->depth)
        around.high.z = fmax(around.high.z, box.low.z);
    return !lf_box_overlap(box, around);
}

lf_status lf_model_land(const lf_model_stand *stand, lf_model_landing *landing, lf_cursor *cursor) {
    if (!valid(stand) || !landing)
        return LF_BAD_ARGUMENT;
    *landing = (lf_model_landing){.triangle = -1};
    if (beside(stand))
        return LF_OK;
    landing->touching = touches(stand, cursor);
    stance s;
    start_stance(stand, cursor, &s);
    for (int64_t i = 0; i < stand->model->triangle_count; i++) {
        if (lf__cursor_stops(cursor))
            return LF_CANCELLED;
        s.wish.deeper = landing->depth;
        lf__land_depth at = depth_of_triangle(&s, i);
        landing->under_count += at.depth > 0;
        if (at.depth > landing->depth) {
            landing->depth = at.depth;
            landing->deepest = at.point;
            landing->surface = at.surface;
            landing->triangle = i;
        }
    }
    return lf__ground_told(stand->ground, LF_OK);
}

lf_status lf_model_under(const lf_model_stand *stand, int64_t *triangles, int64_t capacity, int64_t *count,
                         lf_cursor *cursor) {
    if (!valid(stand) || !count || capacity < 0 || (capacity > 0 && !triangles))
        return LF_BAD_ARGUMENT;
    *count = 0;
    if (beside(stand))
        return LF_OK;
    stance s;
    start_stance(stand, cursor, &s);
    s.wish.deeper = LF_INFINITY; // whether there is any
    for (int64_t i = 0; i < stand->model->triangle_count; i++) {
        bool under = depth_of_triangle(&s, i).depth > 0;
        if (under && *count < capacity)
            triangles[*count] = i;
        *count += under;
    }
    return lf__ground_told(stand->ground, *count > capacity ? LF_PARTIAL : LF_OK);
}
