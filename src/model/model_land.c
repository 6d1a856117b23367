/// A model on the ground: does it touch, which triangles are below the surface, and how deep?
#include "geom/geometry.h"
#include "ground/land.h"
#include "model/model.h"
#include <math.h>

// ---------------------------------------------------------------------------------------------------
// Depth below faces
// ---------------------------------------------------------------------------------------------------

// Over the part of a triangle that is under one face, the depth is linear: it is greatest at a corner of that
// part. But another face may be in between. Then the part under that face too is cut off, and the rest is
// searched again in convex parts. Only faces in between at the deepest corner are cut off; usually there are
// none.

/// What depths are searched for: any, and then deeper ones.
typedef struct land_goal {
    double reach;  ///< ground farther above than this does not count
    double deeper; ///< once something is found, only what is deeper than this too is searched for
} land_goal;

enum {
    CORNERS_MOST = 24,
    DEPTH_PARTS_MOST = 48,
    LIMITS_MOST = 6,
    STEPS_MOST =
        4096 ///< for one triangle and one face; what is left then counts as if nothing were in between
};

/// A convex part of the triangle.
typedef struct region {
    lf_vec3 corners[CORNERS_MOST];
    int count;
} region;

typedef struct depth_search {
    const lf__face_view *view;
    const land_goal *goal;
    lf__land_depth *best;
    region whole;
    const lf__face *face;             ///< the current one
    lf__face_limit cuts[LIMITS_MOST]; ///< what is under another face and nearer to it
    int cut_count;
    const region *current; ///< the part whose deepest corner is tested
    lf_vec3 corner;
    bool between; ///< the cuts are of a face in between at that corner
    region parts[DEPTH_PARTS_MOST];
    int part_count;
} depth_search;

// ---------------------------------------------------------------------------------------------------
// Regions
// ---------------------------------------------------------------------------------------------------

/// What is left where `side` times the limit is not negative.
static void depth_keep(const region *from, const lf__face_limit *limit, double side, region *kept) {
    kept->count = 0;
    for (int i = 0; i < from->count; i++) {
        lf_vec3 p = from->corners[i], q = from->corners[(i + 1) % from->count];
        double at_p = side * lf__face_limit_at(limit, p), at_q = side * lf__face_limit_at(limit, q);
        if (at_p >= 0 && kept->count < CORNERS_MOST)
            kept->corners[kept->count++] = p;
        if (((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) && kept->count < CORNERS_MOST)
            kept->corners[kept->count++] = lf_vec3_along(p, at_p / (at_p - at_q), lf_vec3_sub(q, p));
    }
}

/// 0 a point, 1 a segment, 2 an area, with a tolerance of `blur`; -1 nothing.
static int dimensions(const region *r, double blur) {
    double longest = 0, widest = 0;
    lf_vec3 far = {0, 0, 0};
    if (r->count == 0)
        return -1;
    for (int i = 1; i < r->count; i++) {
        lf_vec3 d = lf_vec3_sub(r->corners[i], r->corners[0]);
        double length = lf_vec3_length(d);
        if (length > longest)
            longest = length, far = d;
    }
    if (longest <= blur)
        return 0;
    for (int i = 1; i < r->count; i++) {
        lf_vec3 d = lf_vec3_sub(r->corners[i], r->corners[0]);
        widest = fmax(widest, lf_vec3_length(lf_vec3_cross(d, far)) / longest);
    }
    return widest <= blur ? 1 : 2;
}

static double deepest_corner(const depth_search *s, const region *r, lf_vec3 *corner) {
    double depth = -LF_INFINITY;
    for (int i = 0; i < r->count; i++) {
        double at = lf__face_limit_at(&s->face->above, r->corners[i]);
        if (at > depth)
            depth = at, *corner = r->corners[i];
    }
    return depth;
}

// ---------------------------------------------------------------------------------------------------
// Faces in between
// ---------------------------------------------------------------------------------------------------

static bool depth_comes_first(const lf__face *a, const lf__face *b) {
    return a->part < b->part || (a->part == b->part && a->triangle < b->triangle);
}

/// The points of a region that are under a face and nearer to it than to the current one. Where both
/// coincide, the first hides the second, which matters if it is a ceiling.
static void set_cuts(depth_search *s, const lf__face *other) {
    const lf__face_limit *far = &s->face->above, *near = &other->above;
    double doubt = s->face->doubt + other->doubt;
    double least = !other->front_up && depth_comes_first(other, s->face) ? -doubt : doubt;
    s->cut_count = 0;
    for (int k = 0; k < other->edge_count; k++) {
        s->cuts[s->cut_count] = other->edges[k];
        s->cuts[s->cut_count++].k += s->view->blur; // points exactly under its border are under it
    }
    s->cuts[s->cut_count++] = (lf__face_limit){near->x, near->y, near->z, near->k + other->doubt};
    s->cuts[s->cut_count++] =
        (lf__face_limit){far->x - near->x, far->y - near->y, 0, far->k - near->k - least};
}

/// Is a face in between at the deepest corner, over more than the border of the region? Returns false to
/// stop.
static bool not_between(void *user, const lf__face *other) {
    depth_search *s = user;
    region regions[2] = {*s->current};
    int now = 0;
    set_cuts(s, other);
    for (int k = 0; k < s->cut_count; k++)
        if (lf__face_limit_at(&s->cuts[k], s->corner) < -4 * (s->face->doubt + other->doubt))
            return true;
    for (int k = 0; k < s->cut_count && regions[now].count > 0; k++, now = !now)
        depth_keep(&regions[now], &s->cuts[k], 1, &regions[!now]);
    double blur = s->view->blur;
    s->between = dimensions(&regions[now], blur) >= dimensions(s->current, blur);
    return !s->between;
}

/// Is there a face between the deepest corner and the current face? Its cuts are then in the search.
static bool something_between(depth_search *s, double depth) {
    lf__face_finder finder = {not_between, s};
    lf_box line = {s->corner, s->corner};
    line.high.z += depth;
    s->between = false;
    lf__faces_in(s->view, &line, &finder);
    return s->between;
}

/// Remove what is within all cuts; the rest is added to the parts.
static void cut_off(depth_search *s, const region *from) {
    region rest = *from, outside, inside;
    int size = dimensions(from, s->view->blur);
    for (int k = 0; k < s->cut_count && rest.count > 0; k++) {
        depth_keep(&rest, &s->cuts[k], -1, &outside);
        depth_keep(&rest, &s->cuts[k], 1, &inside);
        if (dimensions(&outside, s->view->blur) >= size && s->part_count < DEPTH_PARTS_MOST)
            s->parts[s->part_count++] = outside;
        rest = inside;
    }
}

// ---------------------------------------------------------------------------------------------------
// Depth
// ---------------------------------------------------------------------------------------------------

static bool depth_is_new(const depth_search *s, double depth) {
    double known = s->best->depth;
    return depth > known + s->face->doubt && (known <= 0 || depth > s->goal->deeper);
}

static void depth_settle(depth_search *s, double depth) {
    lf_vec3 surface = s->corner;
    surface.z += depth;
    *s->best =
        (lf__land_depth){depth, lf__face_to_world(s->view, s->corner), lf__face_to_world(s->view, surface)};
}

/// The triangle clipped to what is under the face and within reach.
static void depth_start(depth_search *s) {
    const lf__face *face = s->face;
    lf__face_limit near = face->above;
    region region_left = s->whole, *first = &s->parts[0];
    near.k -= s->goal->reach;
    for (int k = 0; k < face->edge_count; k++) {
        depth_keep(&region_left, &face->edges[k], 1, first);
        region_left = *first;
    }
    depth_keep(&region_left, &face->above, 1, first);
    region_left = *first;
    depth_keep(&region_left, &near, -1, first);
    // Rounding would decide about a part that only touches the face's border, seen from above.
    s->part_count = dimensions(first, s->view->blur) == dimensions(&s->whole, s->view->blur);
}

static bool depth_test_face(void *user, const lf__face *face) {
    depth_search *s = user;
    s->face = face;
    if (!face->front_up)
        return true;
    depth_start(s);
    for (int step = 0; s->part_count > 0; step++) {
        region part = s->parts[--s->part_count];
        double depth = deepest_corner(s, &part, &s->corner);
        if (!depth_is_new(s, depth))
            continue;
        s->current = &part;
        if (step < STEPS_MOST && something_between(s, depth))
            cut_off(s, &part);
        else
            depth_settle(s, depth);
    }
    return true;
}

/// The deepest point of a triangle below faces; `best` is what is known already. The nearest face above a
/// point counts, and only where it is met from behind. Exact up to the view's blur, where the nearest face
/// ends the depth on its side.
/// corners  in the world
static void land_depth_in_faces(const lf__face_view *view, const lf_vec3 corners[3], const land_goal *goal,
                                lf__land_depth *best) {
    depth_search s; // too large to be cleared for every triangle
    lf_box box = lf_box_empty();
    s.view = view, s.goal = goal, s.best = best;
    s.whole.count = 3;
    for (int c = 0; c < 3; c++) {
        s.whole.corners[c] = lf__face_to_view(view, corners[c]);
        box = lf_box_with(box, s.whole.corners[c]);
    }
    box.high.z += goal->reach;
    lf__face_finder finder = {depth_test_face, &s};
    lf__faces_in(view, &box, &finder);
}

// ---------------------------------------------------------------------------------------------------
// Models on the ground: touching
// ---------------------------------------------------------------------------------------------------

static bool touches(const lf_model_stand *stand, lf_cursor *cursor) {
    const lf_model *model = stand->model;
    const lf__land_body body = {model->tree,           model->vertices, model->corners,
                                model->triangle_count, model->centre,   model->radius};
    const lf_ground *ground = stand->ground;
    lf_pose here = lf_pose_identity(), between = lf__pose_between(&here, &stand->pose);
    return ground->kind->touches(ground->object, &body, &between, cursor);
}

// ---------------------------------------------------------------------------------------------------
// Under
// ---------------------------------------------------------------------------------------------------

/// How deep a point of the world is under the ground.
static lf__land_depth land_depth_of(const lf_model_stand *stand, const lf_frame *frame, lf_vec3 point,
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

/// What the queries for all triangles share.
typedef struct stance {
    const lf_model_stand *stand;
    lf_frame frame;
    lf__face_view view; ///< of the ground, where down is that of the model's middle
    land_goal goal;
    lf_cursor *cursor;
} stance;

/// The largest finite coordinate of a box.
static double land_size_of_box(lf_box box) {
    const double all[6] = {box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z};
    double most = 0;
    for (int i = 0; i < 6; i++)
        most = isfinite(all[i]) ? fmax(most, fabs(all[i])) : most;
    return most;
}

static void start_stance(const lf_model_stand *stand, lf_cursor *cursor, stance *s) {
    lf_vec3 middle = lf_pose_to_world(&stand->pose, stand->model->centre);
    double size = fmax(land_size_of_box(lf_ground_box(stand->ground)),
                       fmax(fabs(middle.x), fmax(fabs(middle.y), fabs(middle.z))));
    lf_frame upright = lf_frame_default();
    *s = (stance){.stand = stand, .frame = lf_ground_frame(stand->ground), .cursor = cursor};
    s->goal.reach = 2 * stand->model->radius;
    const lf_group *group = lf__ground_group(stand->ground);
    for (int64_t i = 0; group && i < group->count; i++)
        size = fmax(size, land_size_of_box(group->parts[i].own));
    lf_vec3 down = lf_frame_down(&s->frame, middle);
    if (lf_vec3_dot(down, down) > 0) // none at the centre of a planet
        lf_frame_gravity(down, &upright);
    s->view = (lf__face_view){.ground = stand->ground, .cursor = cursor};
    s->view.blur = 4e-15 * size + 1e-12 * s->goal.reach;
    for (int i = 0; i < 3; i++)
        s->view.rows[i] = upright.rows[i];
}

/// The parts of a group near a triangle, as long as there is one.
typedef struct land_only {
    const lf_group *group;
    const lf__group_part *found;
    bool several;
} land_only;

static bool land_count_part(void *user, int64_t index) {
    land_only *o = user;
    o->several = o->found != NULL;
    o->found = &o->group->parts[index];
    return !o->several;
}

/// The only part of a group near a triangle, where it is upright and has exact depths. NULL: no part, or
/// several.
static const lf__group_part *only_grid(const stance *s, const lf_vec3 corners[3]) {
    land_only only = {.group = lf__ground_group(s->stand->ground)};
    lf__part_finder finder = {
        .found = land_count_part, .user = &only, .group = only.group, .box = lf_box_empty()};
    lf_vec3 far = {s->goal.reach, s->goal.reach, s->goal.reach};
    if (!only.group)
        return NULL;
    for (int c = 0; c < 3; c++)
        finder.box = lf_box_with(finder.box, corners[c]);
    finder.box.low = lf_vec3_sub(finder.box.low, far);
    finder.box.high = lf_vec3_add(finder.box.high, far);
    lf__group_near(&finder, s->cursor);
    bool fine = only.found && !only.several && only.found->upright && only.found->ground->kind->depth &&
                only.found->layers == 0;
    return fine ? only.found : NULL;
}

static bool depth_in_only_grid(const stance *s, const lf_vec3 corners[3], lf__land_depth *deepest) {
    const lf__group_part *part = only_grid(s, corners);
    lf__land_depth found;
    lf_vec3 own[3];
    if (!part)
        return false;
    for (int c = 0; c < 3; c++)
        own[c] = lf_pose_to_local(&part->pose, corners[c]);
    part->ground->kind->depth(part->ground->object, own, &found, s->cursor);
    if (found.depth > s->goal.reach) // depths beyond the reach do not count, but smaller ones do
        return false;
    if (found.depth > deepest->depth)
        *deepest = (lf__land_depth){found.depth, lf_pose_to_world(&part->pose, found.point),
                                    lf_pose_to_world(&part->pose, found.surface)};
    return true;
}

/// Where down is not the same everywhere, the deepest point is found as if it were, but its depth is measured
/// exactly.
static void land_search_faces(stance *s, const lf_vec3 corners[3], lf__land_depth *deepest) {
    lf__land_depth found = *deepest;
    s->view.origin = corners[0];
    land_depth_in_faces(&s->view, corners, &s->goal, &found);
    if (s->frame.kind != LF_FRAME_GRAVITY && found.depth > deepest->depth)
        found = land_depth_of(s->stand, &s->frame, found.point, s->cursor);
    *deepest = found.depth > deepest->depth ? found : *deepest;
}

/// A smooth surface has no faces to clip by: the triangle is sampled at points that are close together
/// compared with the spacing of the ground's samples. Where it is small, its corners are enough.
static void land_sample_triangle(const stance *s, const lf_vec3 corners[3], lf__land_depth *deepest) {
    const lf_ground *ground = s->stand->ground;
    double longest = 0;
    for (int k = 0; k < 3; k++)
        longest = fmax(longest, lf_vec3_length(lf_vec3_sub(corners[k], corners[(k + 1) % 3])));
    lf_vec3 sum = lf_vec3_add(corners[0], lf_vec3_add(corners[1], corners[2]));
    double spacing = ground->kind->spacing(ground->object, lf_vec3_scale(sum, 1.0 / 3));
    double count = spacing > 0 ? ceil(longest / (LF__LAND_SHARE * spacing)) : 1;
    int most = 1 << LF__LAND_HALVINGS, parts = count < 1 ? 1 : count > most ? most : (int)count;
    lf_vec3 sides[2] = {lf_vec3_sub(corners[1], corners[0]), lf_vec3_sub(corners[2], corners[0])};
    for (int i = 0; i <= parts && parts > 1; i++)
        for (int j = 0; j <= parts - i; j++) {
            lf_vec3 point = lf_vec3_along(corners[0], (double)i / parts, sides[0]);
            point = lf_vec3_along(point, (double)j / parts, sides[1]);
            lf__land_depth at = land_depth_of(s->stand, &s->frame, point, s->cursor);
            *deepest = at.depth > deepest->depth ? at : *deepest;
        }
}

/// The deepest point of a triangle; any point under the ground where none is deeper than the goal.
static lf__land_depth depth_of_triangle(stance *s, int64_t triangle) {
    const lf_model_stand *stand = s->stand;
    lf__land_depth deepest = {0};
    lf_vec3 corners[3];
    lf__model_corners(stand->model, triangle, corners);
    for (int c = 0; c < 3; c++)
        corners[c] = lf_pose_to_world(&stand->pose, corners[c]);
    if (stand->ground->kind->depth) {
        stand->ground->kind->depth(stand->ground->object, corners, &deepest, s->cursor);
        return deepest;
    }
    for (int c = 0; c < 3; c++) {
        lf__land_depth at = land_depth_of(stand, &s->frame, corners[c], s->cursor);
        deepest = at.depth > deepest.depth ? at : deepest;
    }
    if (lf__ground_is_smooth(stand->ground))
        land_sample_triangle(s, corners, &deepest);
    else if (!depth_in_only_grid(s, corners, &deepest))
        land_search_faces(s, corners, &deepest);
    return deepest;
}

static bool valid(const lf_model_stand *stand) {
    return stand && stand->model && stand->ground && lf__model_pose_valid(&stand->pose);
}

/// A model whose sphere is beside the ground's box is nowhere under it. A ground without overhangs covers
/// everything below it.
static bool land_beside(const lf_model_stand *stand) {
    lf_box box = lf_ground_box(stand->ground);
    lf_vec3 c = lf_pose_to_world(&stand->pose, stand->model->centre);
    double r = stand->model->radius * (1 + 1e-8) * 4;
    lf_box around = {{c.x - r, c.y - r, c.z - r}, {c.x + r, c.y + r, c.z + r}};
    if (stand->ground->kind->depth)
        around.high.z = fmax(around.high.z, box.low.z);
    return !lf_box_overlap(box, around);
}

lf_status lf__model_land(const lf_model_stand *stand, bool any_depth, lf_model_landing *landing,
                         lf_cursor *cursor) {
    if (!valid(stand) || !landing || stand->under_capacity < 0 ||
        (stand->under_capacity > 0 && !stand->under))
        return LF_BAD_ARGUMENT;
    *landing = (lf_model_landing){.triangle = -1};
    if (land_beside(stand))
        return LF_OK;
    landing->touching = touches(stand, cursor);
    stance s;
    start_stance(stand, cursor, &s);
    for (int64_t i = 0; i < stand->model->triangle_count; i++) {
        if (lf__cursor_stops(cursor))
            return LF_CANCELLED;
        s.goal.deeper = any_depth ? LF_INFINITY : landing->depth;
        lf__land_depth at = depth_of_triangle(&s, i);
        if (at.depth > 0 && landing->under_count < stand->under_capacity)
            stand->under[landing->under_count] = i;
        landing->under_count += at.depth > 0;
        if (at.depth > landing->depth) {
            landing->depth = at.depth;
            landing->deepest = at.point;
            landing->surface = at.surface;
            landing->triangle = i;
        }
    }
    bool partial = stand->under && landing->under_count > stand->under_capacity;
    return lf__ground_status(stand->ground, partial ? LF_PARTIAL : LF_OK);
}

lf_status lf_model_land(const lf_model_stand *stand, lf_model_landing *landing, lf_cursor *cursor) {
    return lf__model_land(stand, false, landing, cursor);
}
