/// The one face over every kind of ground, from the inside.
#ifndef LF_GROUND_GROUND_H
#define LF_GROUND_GROUND_H

#include "ask/ask.h"
#include <landfall/ground.h>

/// What a kind of ground can do. Arguments have been checked.
typedef struct lf__ground_kind_of {
    lf_ground_kind kind;
    lf_box (*box)(const void *thing);
    bool (*takes_infinity)(const void *thing); ///< is down -z, so that "above everything" is a place?
    void (*height)(const void *thing, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor);
    int64_t (*height_all)(const void *thing, lf_vec3 point, lf_hit *hits, int64_t capacity,
                          lf_cursor *cursor);
    bool (*weights)(const void *thing, lf_hit *hit);
    void (*ray_first)(const void *thing, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor);
    /// Many rays at once: the same bits as one by one. NULL where there is nothing to gain.
    void (*ray_first_many)(const void *thing, const lf_ray *rays, size_t ray_stride, int64_t count,
                           lf_hit *hits, size_t hit_stride);
    bool (*ray_any)(const void *thing, const lf_ray *ray, lf_cursor *cursor);
    int64_t (*ray_all)(const void *thing, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                       lf_cursor *cursor);
} lf__ground_kind_of;

struct lf_ground {
    lf_allocator allocator;
    const lf__ground_kind_of *kind;
    const void *thing;
};

#endif
