/// A mesh as ground.
#include "ground/ground.h"
#include "mesh/mesh.h"

static lf_box box(const void *thing) {
    return ((const lf_mesh *)thing)->box;
}

static bool takes_infinity(const void *thing) {
    const lf_frame *frame = &((const lf_mesh *)thing)->frame;
    return frame->kind == LF_FRAME_GRAVITY && frame->down.x == 0 && frame->down.y == 0 && frame->down.z < 0;
}

static void height(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    lf__mesh_height(thing, point, down, hit, cursor);
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

static const lf__ground_kind_of mesh_kind = {.kind = LF_GROUND_MESH,
                                             .box = box,
                                             .takes_infinity = takes_infinity,
                                             .height = height,
                                             .height_all = height_all,
                                             .weights = weights,
                                             .ray_first = ray_first,
                                             .ray_first_many = ray_first_many,
                                             .ray_any = ray_any,
                                             .ray_all = ray_all};

lf_status lf_ground_from_mesh(const lf_mesh *mesh, const lf_host *host, lf_ground **ground) {
    if (!mesh || !ground)
        return LF_BAD_ARGUMENT;
    lf_allocator allocator = lf__allocator_of(host);
    lf_ground *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_ground));
    if (!fresh)
        return LF_NO_MEMORY;
    *fresh = (lf_ground){allocator, &mesh_kind, mesh};
    *ground = fresh;
    return LF_OK;
}
