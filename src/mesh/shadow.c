/// Shadows: a mesh whose gravity is the light. Light from afar uses the nested grid, that of a lamp the directions from it.
#include "mesh/mesh_edit.h"
#include <landfall/mesh.h>
#include <string.h>

struct lf_shadow {
    lf_allocator allocator;
    lf_shadow_def def;
    lf_mesh *mesh;
};

/// Gravity along the light, or towards the lamp.
static lf_status shadow_frame(lf_light light, lf_frame *frame, lf_error *error) {
    lf_status status = LF_BAD_ARGUMENT;
    if (light.kind == LF_LIGHT_DIRECTION)
        status = lf_frame_gravity(light.vector, frame);
    else if (light.kind == LF_LIGHT_POINT)
        status = lf_frame_centre(light.vector, frame);
    if (status != LF_OK)
        lf__fail(error, status, -1,
                 "light (%g, %g, %g): expected a known kind, and a finite vector, not zero for a direction",
                 light.vector.x, light.vector.y, light.vector.z);
    return status;
}

static lf_status shadow_build(lf_shadow *shadow, lf_error *error) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_status status = shadow_frame(shadow->def.light, &def.frame, error);
    if (status != LF_OK)
        return status;
    def.host = shadow->def.host;
    def.polygons = shadow->def.polygons;
    def.polygons.sides = NULL; // the back of an object casts shadow too
    def.tolerance = shadow->def.tolerance;
    def.index = shadow->def.light.kind == LF_LIGHT_POINT ? lf__cube_index() : NULL;
    return lf_mesh_create(&def, &shadow->mesh, error);
}

lf_status lf_shadow_create(const lf_shadow_def *given, lf_shadow **shadow, lf_error *error) {
    lf_shadow_def def = lf_shadow_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!shadow)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "shadow is NULL");
    if (!(def.skin >= 0 && isfinite(def.skin)))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "skin is %g, not 0 or more", def.skin);
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_shadow *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_shadow));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_shadow){.allocator = allocator, .def = def};
    status = shadow_build(fresh, error);
    if (status != LF_OK) {
        lf_shadow_destroy(fresh);
        return status;
    }
    *shadow = fresh;
    return LF_OK;
}

void lf_shadow_destroy(lf_shadow *shadow) {
    if (!shadow)
        return;
    lf_allocator allocator = shadow->allocator;
    lf_mesh_destroy(shadow->mesh);
    lf__free(&allocator, shadow, sizeof *shadow, _Alignof(lf_shadow));
}

/// The first polygon on the way from a point to the lamp.
static void towards_lamp(const lf_mesh *mesh, lf_vec3 from, lf_hit *by, lf_cursor *cursor) {
    lf_ray ray;
    double length;
    if (!lf__gravity_ray(&mesh->frame, from, true, &ray, &length))
        return;
    lf__mesh_query query = lf__mesh_query_of(mesh, &ray, true, cursor);
    lf__bvh_meeting best;
    if (mesh->index->first(&query, &best, cursor))
        lf__mesh_hit_on_line(&query, &best, length, by);
}

/// What casts shadow on a point; false: it is lit.
static bool shaded(const lf_shadow *shadow, lf_vec3 point, lf_hit *by, lf_cursor *cursor) {
    const lf_ground *ground = lf_mesh_ground(shadow->mesh);
    bool lamp = shadow->def.light.kind == LF_LIGHT_POINT;
    double skin = shadow->def.skin;
    double way = lamp ? lf_vec3_length(lf_vec3_sub(shadow->def.light.vector, point)) : LF_INFINITY;
    *by = lf__hit_none(LF_INFINITY, LF_REASON_NONE);
    if (!(way > skin))
        return false;
    // Towards a lamp is down in its frame, towards a light far away is up.
    if (skin > 0) {
        lf_frame frame = lf_ground_frame(ground);
        lf_vec3 start = lf_vec3_along(point, lamp ? skin : -skin, lf_frame_down(&frame, point));
        if (lamp)
            towards_lamp(shadow->mesh, start, by, cursor);
        else
            ground->kind->height(ground->object, &start, false, by, cursor);
        by->t += skin;
    } else {
        lf__ground_beyond(ground, point, lamp, by, cursor);
    }
    // What goes through the lamp itself is not between: the remaining distance is known up to rounding.
    if (by->kind == LF_HIT_NONE || by->t >= way * (1 - 1e-14)) {
        *by = lf__hit_none(LF_INFINITY, LF_REASON_NONE);
        return false;
    }
    return true;
}

lf_status lf_shadow_at(const lf_shadow *shadow, lf_vec3 point, bool *lit, lf_hit *by, lf_cursor *cursor) {
    lf_hit hit;
    if (!shadow || !lit || !lf_vec3_finite(point))
        return LF_BAD_ARGUMENT;
    *lit = !shaded(shadow, point, by ? by : &hit, cursor);
    return LF_OK;
}

/// Points per share of a parallel loop.
#define SHADOW_SHARE 256

typedef struct shadow_batch {
    const lf_shadow *shadow;
    const char *points;
    size_t stride;
    bool *lit;
    lf_hit *by;
} shadow_batch;

static lf_vec3 shadow_point(const shadow_batch *b, int64_t i) {
    return *(const lf_vec3 *)(const void *)(b->points + (size_t)i * b->stride);
}

static void shadow_share(void *job, int64_t first, int64_t last, int worker) {
    const shadow_batch *b = job;
    lf_hit hit;
    (void)worker;
    for (int64_t i = first; i < last; i++)
        b->lit[i] = !shaded(b->shadow, shadow_point(b, i), b->by ? &b->by[i] : &hit, NULL);
}

lf_status lf_shadow_many(const lf_shadow *shadow, const lf_vec3 *points, size_t stride, int64_t count,
                         bool *lit, lf_hit *by, const lf_tasks *tasks) {
    if (!shadow || count < 0 || (count > 0 && (!points || !lit)))
        return LF_BAD_ARGUMENT;
    shadow_batch b = {shadow, (const char *)points, lf__stride(stride, sizeof *points), lit, by};
    for (int64_t i = 0; i < count; i++)
        if (!lf_vec3_finite(shadow_point(&b, i)))
            return LF_BAD_ARGUMENT;
    lf__run(tasks, count, SHADOW_SHARE, shadow_share, &b);
    return LF_OK;
}
