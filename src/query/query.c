/// Cursors, checks of rays, and rays along gravity.
#include "query/query.h"

/// Default bytes for decoded blocks: some hundred of them, as many as a line of sight crosses.
#define CURSOR_BUDGET ((size_t)256 << 10)

lf_status lf_cursor_create(const lf_host *host, lf_cursor **cursor) {
    if (!cursor)
        return LF_BAD_ARGUMENT;
    lf_allocator allocator = lf__allocator_of(host);
    lf_cursor *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_cursor));
    if (!fresh)
        return LF_NO_MEMORY;
    *fresh = (lf_cursor){.allocator = allocator, .layers = UINT32_MAX};
    if (lf_cursor_set_budget(fresh, CURSOR_BUDGET) != LF_OK) {
        lf_cursor_destroy(fresh);
        return LF_NO_MEMORY;
    }
    *cursor = fresh;
    return LF_OK;
}

lf_status lf_cursor_set_budget(lf_cursor *cursor, size_t bytes) {
    void *space = bytes > 0 ? lf__allocate(&cursor->allocator, bytes, LF__CACHE_LINE) : NULL;
    if (bytes > 0 && !space)
        return LF_NO_MEMORY;
    lf__free(&cursor->allocator, cursor->space, cursor->space_bytes, LF__CACHE_LINE);
    cursor->space = space;
    cursor->space_bytes = bytes;
    cursor->space_owner = 0;
    return LF_OK;
}

void lf_cursor_destroy(lf_cursor *cursor) {
    if (!cursor)
        return;
    lf_allocator allocator = cursor->allocator;
    lf__free(&allocator, cursor->space, cursor->space_bytes, LF__CACHE_LINE);
    lf__free(&allocator, cursor, sizeof *cursor, _Alignof(lf_cursor));
}

lf_counters lf_cursor_counters(const lf_cursor *cursor) {
    return cursor->counters;
}

void lf_cursor_reset(lf_cursor *cursor) {
    cursor->counters = (lf_counters){0};
}

void lf_cursor_set_layers(lf_cursor *cursor, uint32_t layers) {
    cursor->layers = layers;
}

/// Beyond this distance rounding errors exceed any terrain.
#define RAY_FARTHEST 1e30

bool lf__ray_valid(const lf_ray *ray) {
    return ray && fabs(ray->origin.x) <= RAY_FARTHEST && fabs(ray->origin.y) <= RAY_FARTHEST &&
           fabs(ray->origin.z) <= RAY_FARTHEST && lf_vec3_finite(ray->direction) &&
           (ray->direction.x != 0 || ray->direction.y != 0 || ray->direction.z != 0) && ray->t_min >= 0 &&
           isfinite(ray->t_min) && ray->t_min <= ray->t_max;
}

bool lf__gravity_ray(const lf_frame *frame, lf_vec3 point, bool down, lf_ray *ray, double *length) {
    lf_vec3 d = frame->down;
    bool ends = false;
    if (frame->kind == LF_FRAME_CENTRE) {
        d = lf_vec3_sub(frame->origin, point);
        ends = down;
    } else if (frame->kind != LF_FRAME_GRAVITY) {
        lf_vec3 from = lf_vec3_sub(point, frame->origin);
        double along = lf_vec3_dot(from, frame->down) / lf_vec3_dot(frame->down, frame->down);
        lf_vec3 inward = lf_vec3_sub(lf_vec3_scale(frame->down, along), from);
        bool inwards = frame->kind == LF_FRAME_AXIS_IN;
        d = inwards ? inward : lf_vec3_scale(inward, -1);
        ends = inwards == down;
    }
    *length = lf_vec3_length(d);
    *ray = lf_ray_towards(point, down ? d : lf_vec3_scale(d, -1));
    if (ends)
        ray->t_max = 1;
    return lf_vec3_finite(d) && (d.x != 0 || d.y != 0 || d.z != 0);
}

double lf__line_distance(const lf_ray *line, double length, const lf_hit *hit) {
    double distance = lf_vec3_dot(lf_vec3_sub(hit->point, line->origin), line->direction) / length;
    // At the start itself, or closer than rounding, t of the exact test decides.
    bool agree = isfinite(distance) && distance * hit->t > 0;
    return agree ? distance : hit->t * length;
}
