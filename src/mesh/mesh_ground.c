/// A mesh as ground.
#include "ground/ground.h"
#include "mesh/mesh_question.h"

static lf_box box(const void *thing) {
    return ((const lf_mesh *)thing)->box;
}

static const lf_frame *frame(const void *thing) {
    return &((const lf_mesh *)thing)->frame;
}

static bool takes_infinity(const void *thing) {
    return lf__frame_is_plain(frame(thing));
}

static void height(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    lf__mesh_height(thing, point, down, hit, cursor);
}

static lf_status ask(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit) {
    const lf_mesh *mesh = thing;
    if (mesh->quick)
        return mesh->nest_kernels->drop(mesh, point, down, hit);
    return lf__ground_ask(&mesh->ground, point, down, hit, NULL);
}

static void height_many(const void *thing, const lf_vec3 *points, size_t point_stride, int64_t count,
                        bool down, lf_hit *hits, size_t hit_stride) {
    const lf_mesh *mesh = thing;
    const lf__nest_batch batch = {(const char *)points, point_stride, (char *)hits, hit_stride, count, down};
    if (mesh->quick) {
        mesh->nest_kernels->drop_many(mesh, &batch);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        lf__mesh_height(mesh, (const void *)(batch.points + (size_t)i * point_stride), down,
                        (void *)(batch.answers + (size_t)i * hit_stride), NULL);
}

static void heights_many(const void *thing, const lf_vec3 *points, size_t point_stride, int64_t count,
                         bool down, double *heights, size_t height_stride) {
    const lf_mesh *mesh = thing;
    const lf__nest_batch batch = {(const char *)points, point_stride, (char *)heights,
                                  height_stride,        count,        down};
    if (mesh->quick) {
        mesh->nest_kernels->heights_many(mesh, &batch);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        lf_hit hit;
        lf__mesh_height(mesh, (const void *)(batch.points + (size_t)i * point_stride), down, &hit, NULL);
        *(double *)(void *)(batch.answers + (size_t)i * height_stride) = lf__hit_height(&mesh->frame, &hit);
    }
}

static int64_t height_all(const void *thing, lf_vec3 point, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor) {
    return lf__mesh_height_all(thing, point, hits, capacity, cursor);
}

static bool weights(const void *thing, lf_hit *hit) {
    return lf__mesh_weights(thing, hit);
}

static void ray_first(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    lf__mesh_ray_first(thing, ray, hit, cursor);
}

static void ray_first_many(const void *thing, const lf_ray *rays, size_t ray_stride, int64_t count,
                           lf_hit *hits, size_t hit_stride) {
    lf__mesh_ray_first_many(thing, rays, ray_stride, count, hits, hit_stride);
}

static bool ray_any(const void *thing, const lf_ray *ray, lf_cursor *cursor) {
    return lf__mesh_ray_any(thing, ray, cursor);
}

static int64_t ray_all(const void *thing, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                       lf_cursor *cursor) {
    return lf__mesh_ray_all(thing, ray, hits, capacity, cursor);
}

static bool line_first(const void *thing, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    const lf_mesh *mesh = thing;
    lf__mesh_question question = lf__mesh_ask(mesh, line, true, cursor);
    lf__tree_filter filter = {lf__mesh_accepts, &question};
    lf__tree_meeting best;
    if (!lf__tree_first(mesh->tree, line, &filter, &best, cursor))
        return false;
    lf__mesh_hit(&question, &best, hit);
    return true;
}

static void each(const void *thing, const lf_ray *ray, lf__each how, const lf__finder *finder,
                 lf_cursor *cursor) {
    lf__mesh_question question = lf__mesh_ask(thing, ray, how != LF__EACH_RAY, cursor);
    question.both_sides = how == LF__EACH_LINE_SIDES;
    lf__mesh_each(&question, finder, cursor);
}

// ---------------------------------------------------------------------------------------------------
// Outlines
// ---------------------------------------------------------------------------------------------------

static void triangle_of(const lf_mesh *mesh, uint32_t triangle, lf_vec3 corners[3]) {
    const uint32_t *c = mesh->corners + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++)
        corners[i] = mesh->vertices[c[i]];
}

static void corners_of_hit(const void *thing, const lf_hit *hit, lf_vec3 corners[3]) {
    triangle_of(thing, (uint32_t)(lf__mesh_first(thing, hit->element) + hit->triangle), corners);
}

static void crossing_item(void *user, uint32_t triangle) {
    lf__crossing *c = user;
    lf_vec3 corners[3];
    triangle_of(c->thing, triangle, corners);
    lf_box box = lf_box_with(lf_box_with(lf_box_with(lf_box_empty(), corners[0]), corners[1]), corners[2]);
    if (!lf__crossing_enters(c, &box))
        return;
    lf__track_cross(c->track, corners, c->cuts);
}

static void cuts(const void *thing, const lf__track *track, lf__cuts *wanted, lf_cursor *cursor) {
    const lf_mesh *mesh = thing;
    lf__crossing c = lf__crossing_start(thing, track, wanted);
    lf__tree_visitor visitor = {lf__crossing_enters, crossing_item, &c};
    lf__tree_visit(mesh->tree, &visitor, cursor);
}

static void spreading_item(void *user, uint32_t triangle) {
    lf__spreading *s = user;
    lf_vec3 corners[3];
    triangle_of(s->thing, triangle, corners);
    for (int i = 0; i < 3; i++)
        lf__cone_add(s->cone, lf_pose_to_world(s->pose, corners[i]));
}

static void spread(const void *thing, const lf_pose *pose, lf__cone *cone) {
    lf__spreading s = {thing, pose, cone};
    lf__tree_visitor visitor = {lf__spreading_enters, spreading_item, &s};
    lf__tree_visit(((const lf_mesh *)thing)->tree, &visitor, NULL);
}

static const lf_mesh *mesh_of_ground(const void *thing) {
    return thing;
}

static bool segment_blocked(const void *thing, const lf__segment *segment, double t[2], lf_cursor *cursor) {
    return lf__mesh_segment(thing, segment, t, cursor);
}

static const lf__ground_kind_of mesh_kind = {
    .kind = LF_GROUND_MESH,
    .box = box,
    .frame = frame,
    .takes_infinity = takes_infinity,
    .height = height,
    .ask = ask,
    .height_many = height_many,
    .heights_many = heights_many,
    .height_all = height_all,
    .weights = weights,
    .ray_first = ray_first,
    .ray_first_many = ray_first_many,
    .ray_any = ray_any,
    .ray_all = ray_all,
    .line_first = line_first,
    .each = each,
    .corners = corners_of_hit,
    .cuts = cuts,
    .spread = spread,
    .touches = lf__mesh_touches,
    .faces = lf__mesh_faces,
    .mesh = mesh_of_ground,
    .segment = segment_blocked,
};

void lf__mesh_init_ground(lf_mesh *mesh) {
    mesh->ground = (lf_ground){&mesh_kind, mesh, &mesh->allocator};
}

const lf_ground *lf_mesh_ground(const lf_mesh *mesh) {
    return mesh ? &mesh->ground : NULL;
}
