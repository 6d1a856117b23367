#include "query/query.h"

/// For decoded blocks, unless the caller says otherwise: some hundred of them, which is what the way of a sight line crosses.
#define BUDGET ((size_t)256 << 10)

lf_status lf_cursor_create(const lf_host *host, lf_cursor **cursor) {
    if (!cursor)
        return LF_BAD_ARGUMENT;
    lf_allocator allocator = lf__allocator_of(host);
    lf_cursor *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_cursor));
    if (!fresh)
        return LF_NO_MEMORY;
    *fresh = (lf_cursor){.allocator = allocator, .layers = UINT32_MAX};
    if (lf_cursor_set_budget(fresh, BUDGET) != LF_OK) {
        lf_cursor_destroy(fresh);
        return LF_NO_MEMORY;
    }
    *cursor = fresh;
    return LF_OK;
}

lf_status lf_cursor_set_budget(lf_cursor *cursor, size_t bytes) {
    void *room = bytes > 0 ? lf__take(&cursor->allocator, bytes, LF__CACHE_LINE) : NULL;
    if (bytes > 0 && !room)
        return LF_NO_MEMORY;
    lf__give(&cursor->allocator, cursor->room, cursor->room_bytes, LF__CACHE_LINE);
    cursor->room = room;
    cursor->room_bytes = bytes;
    cursor->room_owner = 0;
    return LF_OK;
}

void lf_cursor_destroy(lf_cursor *cursor) {
    if (!cursor)
        return;
    lf_allocator allocator = cursor->allocator;
    lf__give(&allocator, cursor->room, cursor->room_bytes, LF__CACHE_LINE);
    lf__give(&allocator, cursor, sizeof *cursor, _Alignof(lf_cursor));
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

/// Farther away than this nothing can be told from rounding.
#define FARTHEST 1e30

bool lf__ray_valid(const lf_ray *ray) {
    return ray && fabs(ray->origin.x) <= FARTHEST && fabs(ray->origin.y) <= FARTHEST &&
           fabs(ray->origin.z) <= FARTHEST && lf_vec3_finite(ray->direction) &&
           (ray->direction.x != 0 || ray->direction.y != 0 || ray->direction.z != 0) && ray->t_min >= 0 &&
           isfinite(ray->t_min) && ray->t_min <= ray->t_max;
}

lf_hit lf__hit_none(double t, lf_reason reason) {
    lf_hit hit = {.kind = LF_HIT_NONE, .reason = reason, .t = t, .part = -1, .element = -1, .triangle = -1};
    return hit;
}
