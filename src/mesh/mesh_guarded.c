/// The mesh of a file as ground: each function checks what it is going to read, and then asks the mesh.
#include "ground/land.h"
#include "mesh/mesh_stored.h"
#include <string.h>

/// Batches with more queries check everything at once.
#define FEW 64

static lf_box guard_box(const void *object) {
    return ((const lf_mesh *)object)->box;
}

static const lf_frame *guard_frame(const void *object) {
    return &((const lf_mesh *)object)->frame;
}

static bool guard_takes_infinity(const void *object) {
    return lf__mesh_kind()->takes_infinity(object);
}

static void guard_height(const void *object, const lf_vec3 *point, bool down, lf_hit *hit,
                         lf_cursor *cursor) {
    if (lf__mesh_pass_point(object, point))
        lf__mesh_kind()->height(object, point, down, hit, cursor);
    else
        lf__hit_nothing(hit, LF_REASON_NONE);
}

static lf_status guard_ask(const void *object, lf_vec3 point, lf_vertical vertical, lf_hit *hit) {
    const lf_mesh *mesh = object;
    bool down = vertical == LF_VERTICAL_DOWN;
    if (lf__mesh_checked(mesh))
        return mesh->fast ? mesh->nest_kernels->drop(mesh, point, vertical, hit)
                          : lf__ground_height_checked(&mesh->ground, &point, down, hit, NULL);
    lf_status status = lf__ground_height_checked(&mesh->ground, &point, down, hit, NULL);
    return status >= 0 && lf__mesh_damaged(mesh) ? LF_BAD_FORMAT : status;
}

static bool pass_points(const void *object, const char *points, size_t stride, int64_t count) {
    if (count > FEW)
        return lf__mesh_pass_all(object);
    for (int64_t i = 0; i < count; i++)
        if (!lf__mesh_pass_point(object, (const void *)(points + (size_t)i * stride)))
            return false;
    return true;
}

static void guard_height_many(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                              bool down, lf_hit *hits, size_t hit_stride) {
    if (pass_points(object, (const char *)points, point_stride, count)) {
        lf__mesh_kind()->height_many(object, points, point_stride, count, down, hits, hit_stride);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        lf__hit_nothing((void *)((char *)hits + (size_t)i * hit_stride), LF_REASON_NONE);
}

static void guard_heights_many(const void *object, const lf_vec3 *points, size_t point_stride, int64_t count,
                               bool down, double *heights, size_t height_stride) {
    if (pass_points(object, (const char *)points, point_stride, count)) {
        lf__mesh_kind()->heights_many(object, points, point_stride, count, down, heights, height_stride);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        *(double *)(void *)((char *)heights + (size_t)i * height_stride) = NAN;
}

static int64_t guard_height_all(const void *object, lf_vec3 point, lf_hit *hits, int64_t capacity,
                                lf_cursor *cursor) {
    return lf__mesh_pass_all(object) ? lf__mesh_kind()->height_all(object, point, hits, capacity, cursor) : 0;
}

static bool guard_weights(const void *object, lf_hit *hit) {
    return lf__mesh_pass_all(object) && lf__mesh_kind()->weights(object, hit);
}

static void guard_ray_first(const void *object, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (lf__mesh_pass_ray(object, ray))
        lf__mesh_kind()->ray_first(object, ray, hit, cursor);
    else
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
}

static void guard_ray_first_many(const void *object, const lf_ray *rays, size_t ray_stride, int64_t count,
                                 lf_hit *hits, size_t hit_stride) {
    if (lf__mesh_pass_all(object)) {
        lf__mesh_kind()->ray_first_many(object, rays, ray_stride, count, hits, hit_stride);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        lf__hit_nothing((void *)((char *)hits + (size_t)i * hit_stride), LF_REASON_NONE);
}

static bool guard_ray_any(const void *object, const lf_ray *ray, lf_cursor *cursor) {
    return lf__mesh_pass_ray(object, ray) && lf__mesh_kind()->ray_any(object, ray, cursor);
}

static int64_t guard_ray_all(const void *object, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                             lf_cursor *cursor) {
    return lf__mesh_pass_all(object) ? lf__mesh_kind()->ray_all(object, ray, hits, capacity, cursor) : 0;
}

static bool guard_line_first(const void *object, const lf_ray *line, lf_hit *hit, lf_cursor *cursor) {
    return lf__mesh_pass_all(object) && lf__mesh_kind()->line_first(object, line, hit, cursor);
}

static void guard_each(const void *object, const lf_ray *ray, lf__each how, const lf__finder *finder,
                       lf_cursor *cursor) {
    if (lf__mesh_pass_all(object))
        lf__mesh_kind()->each(object, ray, how, finder, cursor);
}

static void guard_corners(const void *object, const lf_hit *hit, lf_vec3 corners[3]) {
    if (lf__mesh_pass_all(object))
        lf__mesh_kind()->corners(object, hit, corners);
    else
        memset(corners, 0, 3 * sizeof *corners);
}

static void guard_cuts(const void *object, const lf__track *track, lf__cuts *cuts, lf_cursor *cursor) {
    if (lf__mesh_pass_all(object))
        lf__mesh_kind()->cuts(object, track, cuts, cursor);
}

static void guard_spread(const void *object, const lf_pose *pose, lf__cone *cone) {
    if (lf__mesh_pass_all(object))
        lf__mesh_kind()->spread(object, pose, cone);
}

static bool guard_touches(const void *object, const lf__land_body *body, const lf_pose *pose,
                          lf_cursor *cursor) {
    return lf__mesh_pass_all(object) && lf__mesh_kind()->touches(object, body, pose, cursor);
}

static void guard_faces(lf__face_search *search) {
    if (lf__mesh_pass_all(search->object))
        lf__mesh_kind()->faces(search);
}

static const lf_mesh *guard_mesh(const void *object) {
    return object;
}

static bool guard_segment(const void *object, const lf__segment *segment, double t[2], lf_cursor *cursor) {
    return lf__mesh_pass_all(object) && lf__mesh_kind()->segment(object, segment, t, cursor);
}

static void guard_sweep(const void *object, lf__sweeping *sweep) {
    if (lf__mesh_pass_all(object))
        lf__mesh_kind()->sweep(object, sweep);
}

static lf_status guard_failure(const void *object) {
    const lf_mesh *mesh = object;
    return lf__mesh_damaged(mesh) ? LF_BAD_FORMAT : LF_OK;
}

static const lf__ground_kind_of stored_kind = {
    .box = guard_box,
    .frame = guard_frame,
    .takes_infinity = guard_takes_infinity,
    .height = guard_height,
    .ask = guard_ask,
    .height_many = guard_height_many,
    .heights_many = guard_heights_many,
    .height_all = guard_height_all,
    .weights = guard_weights,
    .ray_first = guard_ray_first,
    .ray_first_many = guard_ray_first_many,
    .ray_any = guard_ray_any,
    .ray_all = guard_ray_all,
    .line_first = guard_line_first,
    .each = guard_each,
    .corners = guard_corners,
    .cuts = guard_cuts,
    .spread = guard_spread,
    .touches = guard_touches,
    .faces = guard_faces,
    .mesh = guard_mesh,
    .segment = guard_segment,
    .sweep = guard_sweep,
    .failure = guard_failure,
};

void lf__mesh_init_stored(lf_mesh *mesh) {
    mesh->ground = lf__ground_of(&stored_kind, mesh, &mesh->allocator);
}

#undef FEW
