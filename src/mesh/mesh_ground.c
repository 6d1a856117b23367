/// Queries of a mesh as ground: rays by the box tree, gravity lines by the nested grid or by an index of the caller.
#include "bvh/bvh.h"
#include "ground/ground.h"
#include "mesh/mesh.h"
#include "mesh/mesh_edit.h"

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

bool lf__mesh_accepts(const void *user, uint32_t triangle, lf__side side) {
    const lf__mesh_query *query = user;
    const lf_mesh *mesh = query->mesh;
    if (query->gravity && side == LF__SIDE_EDGE_ON)
        return false;
    if (!mesh->layers && !mesh->sides)
        return (query->layers & 1u) != 0;
    int64_t polygon = lf__mesh_owner(mesh, triangle);
    if (mesh->sides && mesh->sides[polygon] == 1 && side != LF__SIDE_FRONT && !query->both_sides)
        return false;
    return (query->layers & (mesh->layers ? mesh->layers[polygon] : 1u)) != 0;
}

lf__mesh_query lf__mesh_query_of(const lf_mesh *mesh, const lf_ray *ray, bool gravity,
                                 const lf_cursor *cursor) {
    lf__mesh_query query = {
        .mesh = mesh, .ray = ray, .layers = lf__cursor_layers(cursor), .gravity = gravity};
    return query;
}

void lf__mesh_hit(const lf__mesh_query *query, const lf__bvh_meeting *meeting, lf_hit *hit) {
    const lf_mesh *mesh = query->mesh;
    lf__bvh_hit(mesh->tree, query->ray, meeting, hit);
    int64_t polygon = lf__mesh_owner(mesh, meeting->triangle);
    hit->element = polygon;
    hit->triangle = (int32_t)(meeting->triangle - lf__mesh_first(mesh, polygon));
    hit->user = mesh->users ? mesh->users[polygon] : 0;
    hit->layers = mesh->layers ? mesh->layers[polygon] : 1;
}

void lf__mesh_hit_on_line(const lf__mesh_query *query, const lf__bvh_meeting *meeting, double length,
                          lf_hit *hit) {
    lf__mesh_hit(query, meeting, hit);
    hit->t = lf__line_distance(query->ray, length, hit);
}

void lf__mesh_ray_first(const lf_mesh *mesh, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    lf__mesh_query query = lf__mesh_query_of(mesh, ray, false, cursor);
    lf__bvh_filter filter = {lf__mesh_accepts, &query};
    lf__bvh_meeting best;
    if (lf__bvh_first(mesh->tree, ray, &filter, &best, cursor))
        lf__mesh_hit(&query, &best, hit);
    else
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
}

/// Where the answers of a batch go.
typedef struct mesh_answers {
    lf__mesh_query query;
    const lf__bvh_batch *batch;
    lf_hit *hits;
    size_t stride;
} mesh_answers;

static void mesh_answer(void *user, int64_t index, const lf__bvh_meeting *best) {
    mesh_answers *to = user;
    lf_hit *hit = (void *)((char *)to->hits + (size_t)index * to->stride);
    to->query.ray = lf__bvh_batch_ray(to->batch, index);
    if (best)
        lf__mesh_hit(&to->query, best, hit);
    else
        *hit = lf__hit_none(to->query.ray->t_max, LF_REASON_NONE);
}

void lf__mesh_ray_first_many(const lf_mesh *mesh, const lf_ray *rays, size_t ray_stride, int64_t count,
                             lf_hit *hits, size_t hit_stride) {
    mesh_answers to = {
        .query = lf__mesh_query_of(mesh, rays, false, NULL), .hits = hits, .stride = hit_stride};
    lf__bvh_filter filter = {lf__mesh_accepts, &to.query};
    lf__bvh_batch batch = {mesh->tree, &filter, rays, ray_stride, count, mesh_answer, &to};
    to.batch = &batch;
    lf__bvh_first_many(&batch);
}

bool lf__mesh_ray_any(const lf_mesh *mesh, const lf_ray *ray, lf_cursor *cursor) {
    lf__mesh_query query = lf__mesh_query_of(mesh, ray, false, cursor);
    lf__bvh_filter filter = {lf__mesh_accepts, &query};
    return lf__bvh_any(mesh->tree, ray, &filter, cursor);
}

bool lf__mesh_before(const lf__mesh_query *query, const lf__bvh_meeting *a, const lf__bvh_meeting *b,
                     uint64_t *exact) {
    int order = lf__meet_order_roughly(a->t, b->t);
    if (order == 2) {
        ++*exact;
        lf_vec3 first[3], second[3];
        lf__mesh_triangle(query->mesh, a->triangle, first);
        lf__mesh_triangle(query->mesh, b->triangle, second);
        order = lf__meet_order(query->ray, first, query->ray, second);
    }
    return order < 0 || (order == 0 && a->triangle < b->triangle);
}

bool lf__mesh_meet_polygon(const lf__mesh_query *query, int64_t polygon, lf__bvh_meeting *best,
                           uint64_t *exact) {
    const lf_mesh *mesh = query->mesh;
    lf_ray scaled;
    int exponent;
    const lf_ray *line = lf__line_of(query->ray, &scaled, &exponent);
    int64_t last = lf__mesh_first(mesh, polygon + 1);
    *best = (lf__bvh_meeting){INFINITY, LF__BVH_NOWHERE, NULL};
    for (int64_t k = lf__mesh_first(mesh, polygon); k < last; k++) {
        lf_vec3 points[3];
        lf__meeting meeting;
        lf__mesh_triangle(mesh, k, points);
        if (!lf__meet(line, points, &meeting, exact) || !lf__mesh_accepts(query, (uint32_t)k, meeting.side))
            continue;
        double t = exponent == 0 ? meeting.t : ldexp(meeting.t, -exponent);
        lf__bvh_meeting fresh = {t, (uint32_t)k, NULL};
        if (best->triangle == LF__BVH_NOWHERE || lf__mesh_before(query, &fresh, best, exact))
            *best = fresh;
    }
    return best->triangle != LF__BVH_NOWHERE;
}

/// Several triangles of one polygon can be met at once, on the diagonals of its fan or along its plane: the one with the
/// least t, then the lowest, represents the polygon.
static bool represents_polygon(const lf__mesh_query *query, uint32_t triangle) {
    const lf_mesh *mesh = query->mesh;
    if (triangle < mesh->plain)
        return true;
    int64_t polygon = lf__mesh_owner(mesh, triangle);
    if (lf__mesh_corner_count(mesh, polygon) == 3)
        return true;
    lf__bvh_meeting speaker;
    uint64_t exact = 0;
    return lf__mesh_meet_polygon(query, polygon, &speaker, &exact) && speaker.triangle == triangle;
}

static void mesh_found(void *user, lf__bvh_meeting meeting) {
    lf__mesh_query *query = user;
    if (represents_polygon(query, meeting.triangle))
        lf__nearest_offer(&query->nearest, meeting);
}

int64_t lf__mesh_all(lf__mesh_query *query, lf_hit *hits, int64_t capacity, lf_cursor *cursor) {
    lf__bvh_filter filter = {lf__mesh_accepts, query};
    lf__bvh_collector collector = {mesh_found, query};
    query->nearest = (lf__nearest){query->mesh->tree, query->ray, hits, capacity, 0, 0};
    lf__bvh_all(query->mesh->tree, query->ray, &filter, &collector, cursor);
    lf__nearest_sort(&query->nearest);
    for (int64_t i = 0; i < query->nearest.kept; i++) {
        lf__bvh_meeting meeting = {hits[i].t, (uint32_t)hits[i].element, NULL};
        lf__mesh_hit(query, &meeting, &hits[i]);
    }
    return query->nearest.offered;
}

typedef struct mesh_passing_on {
    const lf__mesh_query *query;
    const lf__finder *finder;
} mesh_passing_on;

static void mesh_pass_on(void *user, lf__bvh_meeting meeting) {
    const mesh_passing_on *to = user;
    if (!represents_polygon(to->query, meeting.triangle))
        return;
    lf_hit hit;
    lf__mesh_hit(to->query, &meeting, &hit);
    to->finder->found(to->finder->user, &hit);
}

void lf__mesh_each(const lf__mesh_query *query, const lf__finder *finder, lf_cursor *cursor) {
    lf__bvh_filter filter = {lf__mesh_accepts, query};
    mesh_passing_on to = {query, finder};
    lf__bvh_collector collector = {mesh_pass_on, &to};
    lf__bvh_all(query->mesh->tree, query->ray, &filter, &collector, cursor);
}

int64_t lf__mesh_ray_all(const lf_mesh *mesh, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                         lf_cursor *cursor) {
    lf__mesh_query query = lf__mesh_query_of(mesh, ray, false, cursor);
    return lf__mesh_all(&query, hits, capacity, cursor);
}

// ---------------------------------------------------------------------------------------------------
// Gravity lines
// ---------------------------------------------------------------------------------------------------

/// The first meeting of a gravity line, by the structure that the mesh has for it.
static bool mesh_meets_first(const lf__mesh_query *query, lf__bvh_meeting *best, lf_cursor *cursor) {
    lf__bvh_filter filter = {lf__mesh_accepts, query};
    if (query->mesh->index)
        return query->mesh->index->first(query, best, cursor);
    return lf__bvh_first(query->mesh->tree, query->ray, &filter, best, cursor);
}

static bool meets_any(const lf__mesh_query *query, lf_cursor *cursor) {
    lf__bvh_filter filter = {lf__mesh_accepts, query};
    if (query->mesh->index)
        return query->mesh->index->any(query, cursor);
    return lf__bvh_any(query->mesh->tree, query->ray, &filter, cursor);
}

static lf_reason mesh_why_not(const lf_mesh *mesh, lf_vec3 point, bool down, lf_cursor *cursor) {
    lf_ray ray;
    double length;
    if (lf__gravity_ray(&mesh->frame, point, !down, &ray, &length)) {
        lf__mesh_query query = lf__mesh_query_of(mesh, &ray, true, cursor);
        if (meets_any(&query, cursor))
            return LF_REASON_NONE;
    }
    if (mesh->frame.kind == LF_FRAME_GRAVITY && !lf__hull_contains(&mesh->hull, point))
        return LF_REASON_OUTSIDE;
    return LF_REASON_HOLE;
}

/// As a ray, where gravity has not one direction.
static void height_by_ray(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor) {
    lf_ray ray;
    double length;
    if (lf__gravity_ray(&mesh->frame, point, down, &ray, &length)) {
        lf__mesh_query query = lf__mesh_query_of(mesh, &ray, true, cursor);
        lf__bvh_meeting best;
        if (mesh_meets_first(&query, &best, cursor)) {
            lf__mesh_hit_on_line(&query, &best, length, hit);
            return;
        }
    }
    lf__hit_nothing(hit, mesh_why_not(mesh, point, down, cursor));
}

void lf__mesh_height(const lf_mesh *mesh, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    if (mesh->nest.mesh && !mesh->index) {
        lf__nest_query(mesh, point, down, hit, cursor);
        return;
    }
    lf_vec3 from = *point;
    bool from_infinity = isinf(from.z);
    if (from_infinity)
        from.z = mesh->box.high.z;
    if (!mesh->index || mesh->frame.kind != LF_FRAME_GRAVITY ||
        !mesh->index->height(mesh, from, down, hit, cursor))
        height_by_ray(mesh, from, down, hit, cursor);
    if (from_infinity)
        lf__mesh_from_infinity(hit);
}

int64_t lf__mesh_height_all(const lf_mesh *mesh, lf_vec3 point, lf_hit *hits, int64_t capacity,
                            lf_cursor *cursor) {
    lf_ray ray;
    double length;
    bool from_infinity = isinf(point.z);
    if (from_infinity)
        point.z = mesh->box.high.z;
    if (!lf__gravity_ray(&mesh->frame, point, true, &ray, &length))
        return 0;
    // Upwards too, and beyond the point itself, as far as the frame's lines go.
    ray.t_min = mesh->frame.kind == LF_FRAME_AXIS_OUT ? -1 : -LF_INFINITY;
    lf__mesh_query query = lf__mesh_query_of(mesh, &ray, true, cursor);
    query.both_sides = true;
    int64_t count = mesh->index ? mesh->index->all(&query, hits, capacity, cursor)
                                : lf__mesh_all(&query, hits, capacity, cursor);
    int64_t kept = count < capacity ? count : capacity;
    for (int64_t i = 0; i < kept; i++)
        hits[i].t = lf__line_distance(&ray, length, &hits[i]);
    double top = from_infinity && kept > 0 ? hits[0].t : 0;
    for (int64_t i = 0; i < kept; i++) // in order, whatever rounding did
        hits[i].t = i > 0 ? fmax(hits[i].t - top, hits[i - 1].t) : hits[i].t - top;
    return count;
}

bool lf__mesh_weights(const lf_mesh *mesh, lf_hit *hit) {
    if (hit->element < 0 || hit->element >= mesh->polygon_count)
        return false;
    int64_t triangle = lf__mesh_first(mesh, hit->element) + hit->triangle;
    if (hit->triangle < 0 || triangle >= lf__mesh_first(mesh, hit->element + 1) ||
        lf__mesh_gone(mesh, triangle))
        return false;
    lf__bvh_weights(mesh->tree, (uint32_t)triangle, hit->point, &hit->u, &hit->v);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// The table of functions of the ground
// ---------------------------------------------------------------------------------------------------

static lf_box mesh_box(const void *object) {
    return ((const lf_mesh *)object)->box;
}

static const lf_frame *mesh_frame(const void *object) {
    return &((const lf_mesh *)object)->frame;
}

static bool mesh_takes_infinity(const void *object) {
    return lf__frame_is_down_z(mesh_frame(object));
}

static void mesh_height(const void *object, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    lf__mesh_height(object, point, down, hit, cursor);
}

static void mesh_height_many(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                             bool down, lf_hit *hits, size_t hit_stride) {
    const lf_mesh *mesh = object;
    const lf__nest_batch batch = {(const char *)points, point_stride, (char *)hits, hit_stride, count, down};
    if (mesh->fast) {
        mesh->nest_kernels->drop_many(mesh, &batch);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        lf__mesh_height(mesh, (const void *)(batch.points + (size_t)i * point_stride), down,
                        (void *)(batch.answers + (size_t)i * hit_stride), NULL);
}

static void mesh_heights_many(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                              bool down, double *heights, size_t height_stride) {
    const lf_mesh *mesh = object;
    const lf__nest_batch batch = {(const char *)points, point_stride, (char *)heights,
                                  height_stride,        count,        down};
    if (mesh->fast) {
        mesh->nest_kernels->heights_many(mesh, &batch);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        lf_hit hit;
        lf__mesh_height(mesh, (const void *)(batch.points + (size_t)i * point_stride), down, &hit, NULL);
        *(double *)(void *)(batch.answers + (size_t)i * height_stride) = lf__hit_height(&mesh->frame, &hit);
    }
}

static int64_t mesh_height_all(const void *object, lf_vec3 point, lf_hit *hits, int64_t capacity,
                               lf_cursor *cursor) {
    return lf__mesh_height_all(object, point, hits, capacity, cursor);
}

static bool mesh_weights(const void *object, lf_hit *hit) {
    return lf__mesh_weights(object, hit);
}

static void mesh_ray_first(const void *object, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    lf__mesh_ray_first(object, ray, hit, cursor);
}

static void mesh_ray_first_many(const void *object, const lf_ray *rays, size_t ray_stride, int64_t count,
                                lf_hit *hits, size_t hit_stride) {
    lf__mesh_ray_first_many(object, rays, ray_stride, count, hits, hit_stride);
}

static bool mesh_ray_any(const void *object, const lf_ray *ray, lf_cursor *cursor) {
    return lf__mesh_ray_any(object, ray, cursor);
}

static int64_t mesh_ray_all(const void *object, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                            lf_cursor *cursor) {
    return lf__mesh_ray_all(object, ray, hits, capacity, cursor);
}

static bool mesh_line_first(const void *object, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    const lf_mesh *mesh = object;
    lf__mesh_query query = lf__mesh_query_of(mesh, line, true, cursor);
    lf__bvh_filter filter = {lf__mesh_accepts, &query};
    lf__bvh_meeting best;
    if (!lf__bvh_first(mesh->tree, line, &filter, &best, cursor))
        return false;
    lf__mesh_hit(&query, &best, hit);
    return true;
}

static void mesh_each(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                      lf_cursor *cursor) {
    lf__mesh_query query = lf__mesh_query_of(object, ray, how != LF__EACH_RAY, cursor);
    query.both_sides = how == LF__EACH_LINE_SIDES;
    lf__mesh_each(&query, finder, cursor);
}

// ---------------------------------------------------------------------------------------------------
// Outlines
// ---------------------------------------------------------------------------------------------------

static void mesh_triangle_corners(const lf_mesh *mesh, uint32_t triangle, lf_vec3 corners[3]) {
    const uint32_t *c = mesh->corners + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++)
        corners[i] = mesh->vertices[c[i]];
}

static void mesh_corners_of_hit(const void *object, const lf_hit *hit, lf_vec3 corners[3]) {
    mesh_triangle_corners(object, (uint32_t)(lf__mesh_first(object, hit->element) + hit->triangle), corners);
}

static void mesh_crossing_item(void *user, uint32_t triangle) {
    lf__crossing *c = user;
    lf_vec3 corners[3];
    mesh_triangle_corners(c->object, triangle, corners);
    lf_box box = lf_box_with(lf_box_with(lf_box_with(lf_box_empty(), corners[0]), corners[1]), corners[2]);
    if (!lf__crossing_enters(c, &box))
        return;
    lf__track_cross(c->track, corners, c->cuts);
}

static void mesh_cuts(const void *object, const lf__track *track, lf__cuts *wanted, lf_cursor *cursor) {
    const lf_mesh *mesh = object;
    lf__crossing c = lf__crossing_start(object, track, wanted);
    lf__bvh_visitor visitor = {lf__crossing_enters, mesh_crossing_item, &c};
    lf__bvh_visit(mesh->tree, &visitor, cursor);
}

static void mesh_spreading_item(void *user, uint32_t triangle) {
    lf__spreading *s = user;
    lf_vec3 corners[3];
    mesh_triangle_corners(s->object, triangle, corners);
    for (int i = 0; i < 3; i++)
        lf__cone_add(s->cone, lf_pose_to_world(s->pose, corners[i]));
}

static void mesh_spread(const void *object, const lf_pose *pose, lf__cone *cone) {
    lf__spreading s = {object, pose, cone};
    lf__bvh_visitor visitor = {lf__spreading_enters, mesh_spreading_item, &s};
    lf__bvh_visit(((const lf_mesh *)object)->tree, &visitor, NULL);
}

static const lf_mesh *mesh_of_ground(const void *object) {
    return object;
}

static bool mesh_segment(const void *object, const lf__segment *segment, double t[2], lf_cursor *cursor) {
    return lf__mesh_segment(object, segment, t, cursor);
}

#define MESH_KIND(accessor, skin)                                                                           \
    {                                                                                                       \
        .box = mesh_box, .frame = mesh_frame, .takes_infinity = mesh_takes_infinity, .height = mesh_height, \
        .height_many = mesh_height_many, .heights_many = mesh_heights_many, .height_all = mesh_height_all,  \
        .weights = mesh_weights, .ray_first = mesh_ray_first, .ray_first_many = mesh_ray_first_many,        \
        .ray_any = mesh_ray_any, .ray_all = mesh_ray_all, .line_first = mesh_line_first, .each = mesh_each, \
        .corners = mesh_corners_of_hit, .cuts = mesh_cuts, .spread = mesh_spread,                           \
        .touches = lf__mesh_touches, .faces = lf__mesh_faces, .mesh = (accessor), .segment = mesh_segment,  \
        .sweep = lf__mesh_sweep, .is_skin = (skin),                                                         \
    }

static const lf__ground_kind_of mesh_kind = MESH_KIND(mesh_of_ground, false),
                                skin_kind = MESH_KIND(NULL, true);

void lf__mesh_init_skin(lf_mesh *mesh) {
    mesh->ground = lf__ground_of(&skin_kind, mesh, &mesh->allocator);
}

const lf_mesh *lf__ground_skin(const lf_ground *ground) {
    return ground->kind->is_skin ? ground->object : NULL;
}

void lf__mesh_init_ground(lf_mesh *mesh) {
    mesh->ground = lf__ground_of(&mesh_kind, mesh, &mesh->allocator);
    lf__mesh_choose_path(mesh);
}

void lf__mesh_choose_path(lf_mesh *mesh) {
    mesh->fast = lf__nest_is_fast(mesh);
    if (mesh->ground.kind == &mesh_kind)
        mesh->ground.ask = mesh->fast ? mesh->nest_kernels->drop : NULL;
}

const lf__ground_kind_of *lf__mesh_kind(void) {
    return &mesh_kind;
}

const lf_ground *lf_mesh_ground(const lf_mesh *mesh) {
    return mesh ? &mesh->ground : NULL;
}
