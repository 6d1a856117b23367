/// landfall/ask.h: what all questions share: the ray, the hit, the cursor.
#ifndef LANDFALL_ASK_H
#define LANDFALL_ASK_H

#include <landfall/base.h>
#include <landfall/geom.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A ray: origin + t * direction for t_min <= t <= t_max (closed). The direction needs no unit length;
/// t counts in its lengths. Origin within 1e30, finite direction, not zero, 0 <= t_min <= t_max;
/// t_max may be INFINITY.
typedef struct lf_ray {
    lf_vec3 origin;
    lf_vec3 direction;
    double t_min;
    double t_max;
} lf_ray;

/// The ray from a point in a direction, t from 0 without end.
static inline lf_ray lf_ray_towards(lf_vec3 origin, lf_vec3 direction) {
    lf_ray ray = {origin, direction, 0.0, LF_INFINITY};
    return ray;
}

/// The segment from a to b: t is 0 at a and 1 at b.
static inline lf_ray lf_ray_between(lf_vec3 a, lf_vec3 b) {
    lf_ray ray = {a, {b.x - a.x, b.y - a.y, b.z - a.z}, 0.0, 1.0};
    return ray;
}

/// What kind of thing was hit.
typedef enum lf_hit_kind { LF_HIT_NONE, LF_HIT_TRIANGLE, LF_HIT_CELL } lf_hit_kind;

/// One answer for all kinds of ground. On a miss kind is LF_HIT_NONE, reason says why, t is the ray's
/// t_max, and the rest is zero (ids -1).
typedef struct lf_hit {
    lf_hit_kind kind;
    lf_reason reason;
    double t;         ///< along the ray; for heights the distance, see lf_ground_height
    lf_vec3 point;    ///< where
    lf_vec3 normal;   ///< unit length, on the counter-clockwise (front) side of the surface
    int64_t part;     ///< which member of a group; 0 where there are no groups
    int64_t element;  ///< polygon, or cell (row * columns + column)
    int32_t triangle; ///< which triangle of that polygon or cell
    int32_t level;    ///< level of detail, 0 where there is only one
    double u, v; ///< barycentrics of the triangle's second and third corner (heights: see lf_ground_weights)
    double resolution; ///< metres between posts where that means something, else 0
    uint64_t user;     ///< the element's user value
    uint32_t layers;   ///< the element's layers
} lf_hit;

/// Work done by questions, in units that do not depend on the clock.
typedef struct lf_counters {
    uint64_t questions; ///< questions asked with this cursor
    uint64_t nodes;     ///< inner nodes whose children were tested
    uint64_t cells;     ///< leaves, cells or tiles entered
    uint64_t triangles; ///< triangles looked at
    uint64_t exact;     ///< decisions that rounding could have spoiled, made by exact arithmetic
    uint64_t decoded;   ///< samples of compressed grids that were decoded
} lf_counters;

/// A caller's own workspace for questions: counters, decoded blocks, the layer filter. It makes questions cheaper
/// or narrower, never different. One per thread. Every question also takes NULL.
typedef struct lf_cursor lf_cursor;

/// Make a cursor.
/// host    hooks (only the allocator is used) or NULL
/// cursor  written only on success; give it back with lf_cursor_destroy
/// Errors: LF_NO_MEMORY. Threads: any.
LF_API lf_status lf_cursor_create(const lf_host *host, lf_cursor **cursor);

/// Give a cursor back; NULL is fine. Threads: one per cursor.
LF_API void lf_cursor_destroy(lf_cursor *cursor);

/// The counters since creation or the last reset. cursor not NULL. Threads: one per cursor.
LF_API lf_counters lf_cursor_counters(const lf_cursor *cursor);

/// Set all counters to zero. cursor not NULL. Threads: one per cursor.
LF_API void lf_cursor_reset(lf_cursor *cursor);

/// Only see elements that share at least one layer with this mask (all bits at creation).
/// cursor not NULL; a mask of 0 sees nothing. Threads: one per cursor.
LF_API void lf_cursor_set_layers(lf_cursor *cursor, uint32_t layers);

/// How much memory the cursor keeps for decoded blocks of compressed grids (256 KiB at creation). What it held is forgotten. With
/// too little for a handful of blocks, or without a cursor, blocks are kept for no longer than a question.
/// cursor  not NULL; bytes 0: none
/// Errors: LF_NO_MEMORY (it then keeps what it had). Threads: one per cursor.
LF_API lf_status lf_cursor_set_budget(lf_cursor *cursor, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
