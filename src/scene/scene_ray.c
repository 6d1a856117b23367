/// Rays against the scene.
#include "scene/ray.h"

/// Boxes and t are judged with this margin, relative: a box must not lose what its shape has.
#define MARGIN 1e-12

/// One question: what shapes do with the hits they give.
typedef struct question {
    lf_scene *scene;
    const lf_ray *ray;
    lf_vec3 inverse; ///< of the direction; infinite where that is 0
    double reach;    ///< hits beyond this t are of no use
    lf_counters cost;
    bool (*found)(struct question *question, const lf_scene_hit *hit); ///< false: enough
    lf_scene_hit *hits;
    int64_t capacity, count;
} question;

/// Comparisons and products only: this is asked of every box there is. Negative t do not matter.
static inline bool clip(double low, double high, double from, double inverse, double *first, double *last) {
    double pad = MARGIN * (fabs(low) + fabs(high) + fabs(from));
    double a = low - pad - from, b = high + pad - from;
    if (isinf(inverse))
        return a <= 0 && b >= 0;
    double enter = (inverse > 0 ? a : b) * inverse * (1 - MARGIN);
    double leave = (inverse > 0 ? b : a) * inverse * (1 + MARGIN);
    *first = enter > *first ? enter : *first;
    *last = leave < *last ? leave : *last;
    return *first <= *last;
}

/// NAN, which clips nothing, for what is too small to have an inverse.
static double inverse_of(double step) {
    return step == 0 || fabs(step) > 1e-290 ? 1 / step : LF_NAN;
}

static bool may_meet(const question *q, const lf_box *box) {
    lf_vec3 origin = q->ray->origin;
    double first = q->ray->t_min, last = q->reach;
    return !lf_box_is_empty(*box) && clip(box->low.x, box->high.x, origin.x, q->inverse.x, &first, &last) &&
           clip(box->low.y, box->high.y, origin.y, q->inverse.y, &first, &last) &&
           clip(box->low.z, box->high.z, origin.z, q->inverse.z, &first, &last);
}

/// A shape whose box the ray meets. false: enough.
static bool ask_shape(question *q, uint32_t index) {
    const lf__part *part = lf__part_at(q->scene, index);
    const lf__instance *instance = lf__instance_at(q->scene, part->instance);
    lf_vec3 inverse[3], back[3];
    if (!lf__rows_inverse(part->turn, inverse))
        return true;
    lf_vec3 from = lf_vec3_sub(lf_vec3_sub(q->ray->origin, instance->pose.translation), part->shift);
    lf_ray local = {lf__rows_point(inverse, from), lf__rows_point(inverse, q->ray->direction), q->ray->t_min,
                    q->ray->t_max};
    lf__shape_hit met;
    q->cost.cells++;
    if (!lf__ray_valid(&local) || !lf__shape_ray(&part->form, &local, &met, &q->cost))
        return true;
    lf__rows_transpose(inverse, back);
    lf_scene_hit hit = {.instance = lf__instance_id(q->scene, part->instance),
                        .part = lf__part_id(q->scene, index),
                        .t = met.t,
                        .point = lf_vec3_along(q->ray->origin, met.t, q->ray->direction),
                        .normal = lf_vec3_unit(lf__rows_point(back, lf_vec3_unit(met.normal))),
                        .element = met.element};
    return q->found(q, &hit);
}

static bool ask_instance(question *q, const lf__instance *instance) {
    uint32_t at = lf__part_after(q->scene, instance->top, instance->top);
    while (at != LF__NOWHERE) {
        const lf__part *part = lf__part_at(q->scene, at);
        q->cost.nodes++;
        lf_box box = lf__part_box_now(q->scene, part);
        if (!may_meet(q, &box)) {
            at = lf__part_beside(q->scene, at, instance->top);
            continue;
        }
        if (part->form.kind != LF_SHAPE_SOLID && !ask_shape(q, at))
            return false;
        at = lf__part_after(q->scene, at, instance->top);
    }
    return true;
}

static lf_status ask(question *q, lf_cursor *cursor) {
    if (!q->scene || !q->ray || !lf__ray_valid(q->ray))
        return LF_BAD_ARGUMENT;
    lf_status status = lf_scene_update(q->scene);
    if (status != LF_OK)
        return status;
    q->reach = q->ray->t_max;
    lf_vec3 d = q->ray->direction;
    q->inverse = (lf_vec3){inverse_of(d.x), inverse_of(d.y), inverse_of(d.z)};
    q->cost.questions = 1;
    const lf_box *boxes = q->scene->boxes.items;
    for (int64_t i = 0; i < q->scene->boxes.count; i++) {
        q->cost.nodes++;
        if (may_meet(q, &boxes[i]) && !ask_instance(q, lf__instance_at(q->scene, (uint32_t)i)))
            break;
    }
    lf__cursor_count(cursor, &q->cost);
    return LF_OK;
}

/// Instances are asked in their order: an equal t does not replace an earlier one.
static bool keep_first(question *q, const lf_scene_hit *hit) {
    if (q->count == 0 || hit->t < q->hits->t) {
        *q->hits = *hit;
        q->count = 1;
        q->reach = hit->t;
    }
    return true;
}

lf_status lf_scene_ray_first(lf_scene *scene, const lf_ray *ray, lf_scene_hit *hit, lf_cursor *cursor) {
    if (!hit)
        return LF_BAD_ARGUMENT;
    *hit = (lf_scene_hit){.t = ray ? ray->t_max : LF_INFINITY};
    question q = {.scene = scene, .ray = ray, .found = keep_first, .hits = hit};
    return ask(&q, cursor);
}

static bool keep_any(question *q, const lf_scene_hit *hit) {
    (void)hit;
    q->count = 1;
    return false;
}

lf_status lf_scene_ray_any(lf_scene *scene, const lf_ray *ray, bool *blocked, lf_cursor *cursor) {
    if (!blocked)
        return LF_BAD_ARGUMENT;
    question q = {.scene = scene, .ray = ray, .found = keep_any};
    lf_status status = ask(&q, cursor);
    *blocked = q.count > 0;
    return status;
}

/// Kept sorted; found in the order of instances and parts, so an equal t goes behind.
static bool keep_all(question *q, const lf_scene_hit *hit) {
    int64_t kept = q->count < q->capacity ? q->count : q->capacity;
    q->count++;
    int64_t at = kept;
    while (at > 0 && q->hits[at - 1].t > hit->t)
        at--;
    if (at >= q->capacity)
        return true;
    int64_t moved = (kept < q->capacity ? kept : q->capacity - 1) - at;
    memmove(q->hits + at + 1, q->hits + at, (size_t)moved * sizeof *q->hits);
    q->hits[at] = *hit;
    return true;
}

lf_status lf_scene_ray_all(lf_scene *scene, const lf_ray *ray, lf_scene_hit *hits, int64_t capacity,
                           int64_t *count, lf_cursor *cursor) {
    if (capacity < 0 || (capacity > 0 && !hits) || !count)
        return LF_BAD_ARGUMENT;
    question q = {.scene = scene, .ray = ray, .found = keep_all, .hits = hits, .capacity = capacity};
    lf_status status = ask(&q, cursor);
    *count = q.count;
    return status == LF_OK && q.count > capacity ? LF_PARTIAL : status;
}
