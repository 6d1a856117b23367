/// Questions to any ground: check, hand over, count.
#include "ground/ground.h"

void lf_ground_destroy(lf_ground *ground) {
    if (!ground)
        return;
    lf_allocator allocator = ground->allocator;
    lf__give(&allocator, ground, sizeof *ground, _Alignof(lf_ground));
}

lf_ground_kind lf_ground_kind_of(const lf_ground *ground) {
    return ground->kind->kind;
}

lf_frame lf_ground_frame(const lf_ground *ground) {
    return *ground->kind->frame(ground->thing);
}

lf_box lf_ground_box(const lf_ground *ground) {
    return ground->kind->box(ground->thing);
}

/// Farther away than this nothing can be told from rounding.
#define FARTHEST 1e30

bool lf__ground_point_valid(const lf_ground *ground, lf_vec3 point, bool down) {
    if (!(fabs(point.x) <= FARTHEST && fabs(point.y) <= FARTHEST))
        return false;
    return fabs(point.z) <= FARTHEST ||
           (point.z == LF_INFINITY && down && ground->kind->takes_infinity(ground->thing));
}

static bool look_valid(lf_look look) {
    return look == LF_LOOK_DOWN || look == LF_LOOK_UP;
}

lf_status lf_ground_height(const lf_ground *ground, lf_vec3 point, lf_look look, lf_hit *hit,
                           lf_cursor *cursor) {
    bool down = look == LF_LOOK_DOWN;
    if (!ground || !hit || !look_valid(look) || !lf__ground_point_valid(ground, point, down))
        return LF_BAD_ARGUMENT;
    ground->kind->height(ground->thing, &point, down, hit, cursor);
    return LF_OK;
}

lf_status lf_ground_weights(const lf_ground *ground, lf_hit *hit) {
    if (!ground || !hit || hit->kind == LF_HIT_NONE || !lf_vec3_finite(hit->point))
        return LF_BAD_ARGUMENT;
    return ground->kind->weights(ground->thing, hit) ? LF_OK : LF_BAD_ARGUMENT;
}

lf_status lf_ground_height_all(const lf_ground *ground, lf_vec3 point, lf_hit *hits, int64_t capacity,
                               int64_t *count, lf_cursor *cursor) {
    if (!ground || !count || capacity < 0 || (capacity > 0 && !hits) ||
        !lf__ground_point_valid(ground, point, true))
        return LF_BAD_ARGUMENT;
    *count = ground->kind->height_all(ground->thing, point, hits, capacity, cursor);
    return *count > capacity ? LF_PARTIAL : LF_OK;
}

lf_status lf_ground_ray_first(const lf_ground *ground, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!ground || !hit || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    ground->kind->ray_first(ground->thing, ray, hit, cursor);
    return LF_OK;
}

lf_status lf_ground_ray_any(const lf_ground *ground, const lf_ray *ray, bool *blocked, lf_cursor *cursor) {
    if (!ground || !blocked || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    *blocked = ground->kind->ray_any(ground->thing, ray, cursor);
    return LF_OK;
}

lf_status lf_ground_ray_all(const lf_ground *ground, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                            int64_t *count, lf_cursor *cursor) {
    if (!ground || !count || capacity < 0 || (capacity > 0 && !hits) || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    *count = ground->kind->ray_all(ground->thing, ray, hits, capacity, cursor);
    return *count > capacity ? LF_PARTIAL : LF_OK;
}

/// Questions per share of a parallel loop: enough to outweigh the handing out.
#define SHARE 256

typedef struct batch {
    const lf_ground *ground;
    const char *questions;
    size_t question_stride;
    char *hits;
    size_t hit_stride;
    bool down;
} batch;

static void height_share(void *job, int64_t first, int64_t last, int worker) {
    const batch *b = job;
    (void)worker;
    for (int64_t i = first; i < last; i++) {
        const lf_vec3 *point = (const void *)(b->questions + (size_t)i * b->question_stride);
        lf_hit *hit = (void *)(b->hits + (size_t)i * b->hit_stride);
        b->ground->kind->height(b->ground->thing, point, b->down, hit, NULL);
    }
}

static void ray_share(void *job, int64_t first, int64_t last, int worker) {
    const batch *b = job;
    (void)worker;
    if (b->ground->kind->ray_first_many) {
        const char *rays = b->questions + (size_t)first * b->question_stride;
        char *hits = b->hits + (size_t)first * b->hit_stride;
        b->ground->kind->ray_first_many(b->ground->thing, (const void *)rays, b->question_stride,
                                        last - first, (void *)hits, b->hit_stride);
        return;
    }
    for (int64_t i = first; i < last; i++) {
        const lf_ray *ray = (const void *)(b->questions + (size_t)i * b->question_stride);
        lf_hit *hit = (void *)(b->hits + (size_t)i * b->hit_stride);
        b->ground->kind->ray_first(b->ground->thing, ray, hit, NULL);
    }
}

lf_status lf_ground_height_many(const lf_ground *ground, const lf_vec3 *points, size_t point_stride,
                                int64_t count, lf_look look, lf_hit *hits, size_t hit_stride,
                                const lf_tasks *tasks) {
    bool down = look == LF_LOOK_DOWN;
    if (!ground || count < 0 || (count > 0 && (!points || !hits)) || !look_valid(look))
        return LF_BAD_ARGUMENT;
    batch b = {ground,
               (const char *)points,
               point_stride ? point_stride : sizeof *points,
               (char *)hits,
               hit_stride ? hit_stride : sizeof *hits,
               down};
    for (int64_t i = 0; i < count; i++)
        if (!lf__ground_point_valid(
                ground, *(const lf_vec3 *)(const void *)(b.questions + (size_t)i * b.question_stride), down))
            return LF_BAD_ARGUMENT;
    lf__run(tasks, count, SHARE, height_share, &b);
    return LF_OK;
}

lf_status lf_ground_ray_first_many(const lf_ground *ground, const lf_ray *rays, size_t ray_stride,
                                   int64_t count, lf_hit *hits, size_t hit_stride, const lf_tasks *tasks) {
    if (!ground || count < 0 || (count > 0 && (!rays || !hits)))
        return LF_BAD_ARGUMENT;
    batch b = {ground,
               (const char *)rays,
               ray_stride ? ray_stride : sizeof *rays,
               (char *)hits,
               hit_stride ? hit_stride : sizeof *hits,
               false};
    for (int64_t i = 0; i < count; i++)
        if (!lf__ray_valid((const void *)(b.questions + (size_t)i * b.question_stride)))
            return LF_BAD_ARGUMENT;
    lf__run(tasks, count, SHARE, ray_share, &b);
    return LF_OK;
}
