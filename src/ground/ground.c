/// Questions to any ground: check, hand over, count.
#include "ground/ground.h"

lf_ground_kind lf_ground_kind_of(const lf_ground *ground) {
    return ground->kind->kind;
}

lf_frame lf_ground_frame(const lf_ground *ground) {
    return *ground->kind->frame(ground->thing);
}

lf_box lf_ground_box(const lf_ground *ground) {
    return ground->kind->box(ground->thing);
}

bool lf__ground_point_valid(const lf_ground *ground, lf_vec3 point, bool down) {
    if (!(fabs(point.x) <= LF__FARTHEST && fabs(point.y) <= LF__FARTHEST))
        return false;
    return fabs(point.z) <= LF__FARTHEST ||
           (point.z == LF_INFINITY && down && ground->kind->takes_infinity(ground->thing));
}

static bool look_valid(lf_vertical look) {
    return look == LF_VERTICAL_DOWN || look == LF_VERTICAL_UP;
}

__attribute__((noinline)) lf_status lf__ground_ask(const lf_ground *ground, const lf_vec3 *point, bool down,
                                                   lf_hit *hit, lf_cursor *cursor) {
    if (!lf__ground_point_valid(ground, *point, down))
        return lf__hit_refused(hit);
    ground->kind->height(ground->thing, point, down, hit, cursor);
    return lf__ground_told(ground, LF_OK);
}

lf_status lf_ground_height(const lf_ground *ground, lf_vec3 point, lf_vertical look, lf_hit *hit,
                           lf_cursor *cursor) {
    if (!ground || !hit || !look_valid(look))
        return lf__hit_refused(hit);
    if (!cursor && ground->kind->ask)
        return ground->kind->ask(ground->thing, &point, look == LF_VERTICAL_DOWN, hit);
    return lf__ground_ask(ground, &point, look == LF_VERTICAL_DOWN, hit, cursor);
}

lf_status lf_ground_weights(const lf_ground *ground, lf_hit *hit) {
    if (!ground || !hit || hit->kind == LF_HIT_NONE || !lf_vec3_finite(hit->point))
        return LF_BAD_ARGUMENT;
    return lf__ground_told(ground, ground->kind->weights(ground->thing, hit) ? LF_OK : LF_BAD_ARGUMENT);
}

lf_status lf_ground_height_all(const lf_ground *ground, lf_vec3 point, lf_hit *hits, int64_t capacity,
                               int64_t *count, lf_cursor *cursor) {
    if (count)
        *count = 0;
    if (!ground || !count || capacity < 0 || (capacity > 0 && !hits) ||
        !lf__ground_point_valid(ground, point, true))
        return LF_BAD_ARGUMENT;
    *count = ground->kind->height_all(ground->thing, point, hits, capacity, cursor);
    return lf__ground_told(ground, *count > capacity ? LF_PARTIAL : LF_OK);
}

lf_status lf_ground_ray_first(const lf_ground *ground, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!ground || !hit || !lf__ray_valid(ray))
        return lf__hit_refused(hit);
    ground->kind->ray_first(ground->thing, ray, hit, cursor);
    return lf__ground_told(ground, LF_OK);
}

lf_status lf_ground_ray_any(const lf_ground *ground, const lf_ray *ray, bool *blocked, lf_cursor *cursor) {
    if (blocked)
        *blocked = false;
    if (!ground || !blocked || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    *blocked = ground->kind->ray_any(ground->thing, ray, cursor);
    return lf__ground_told(ground, LF_OK);
}

lf_status lf_ground_ray_all(const lf_ground *ground, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                            int64_t *count, lf_cursor *cursor) {
    if (count)
        *count = 0;
    if (!ground || !count || capacity < 0 || (capacity > 0 && !hits) || !lf__ray_valid(ray))
        return LF_BAD_ARGUMENT;
    *count = ground->kind->ray_all(ground->thing, ray, hits, capacity, cursor);
    return lf__ground_told(ground, *count > capacity ? LF_PARTIAL : LF_OK);
}
