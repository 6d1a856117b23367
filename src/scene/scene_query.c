/// Queries on a scene: instances and parts in a box, and rays.
#include "bvh/bvh_meet.h"
#include "scene/scene.h"

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

static bool overlap_box_valid(lf_box box) {
    return !lf_box_is_empty(box) && lf_vec3_finite(box.low) && lf_vec3_finite(box.high);
}

static lf_status overlap_begin(lf_scene *scene, lf_box box, int64_t capacity, const void *items,
                               int64_t *count) {
    if (!scene || !overlap_box_valid(box) || capacity < 0 || (capacity > 0 && !items) || !count)
        return LF_BAD_ARGUMENT;
    *count = 0;
    return lf_scene_update(scene);
}

lf_status lf_scene_instances_in(lf_scene *scene, lf_box box, lf_instance *instances, int64_t capacity,
                                int64_t *count, lf_cursor *cursor) {
    lf_status status = overlap_begin(scene, box, capacity, instances, count);
    if (status != LF_OK)
        return status;
    lf_counters cost = {.questions = 1};
    const lf_box *boxes = scene->boxes.items;
    for (int64_t i = 0; i < scene->boxes.count; i++) {
        cost.nodes++;
        if (!lf_box_overlap(boxes[i], box))
            continue;
        if (*count < capacity)
            instances[*count] = lf__instance_id(scene, (uint32_t)i);
        ++*count;
    }
    lf__cursor_count(cursor, &cost);
    return *count > capacity ? LF_PARTIAL : LF_OK;
}

lf_status lf_scene_parts_in(lf_scene *scene, lf_box box, lf_part *parts, int64_t capacity, int64_t *count,
                            lf_cursor *cursor) {
    lf_status status = overlap_begin(scene, box, capacity, parts, count);
    if (status != LF_OK)
        return status;
    lf_counters cost = {.questions = 1};
    const lf_box *boxes = scene->boxes.items;
    for (int64_t i = 0; i < scene->boxes.count; i++) {
        if (!lf_box_overlap(boxes[i], box))
            continue;
        uint32_t top = lf__instance_at(scene, (uint32_t)i)->top, at = top;
        while (at != LF__NO_INDEX) {
            const lf__part *part = lf__part_at(scene, at);
            cost.nodes++;
            if (!lf_box_overlap(lf__part_box_now(scene, part), box)) {
                at = lf__part_beside(scene, at, top);
                continue;
            }
            if (part->form.kind != LF_SHAPE_SOLID) {
                if (*count < capacity)
                    parts[*count] = lf__part_id(scene, at);
                ++*count;
            }
            at = lf__part_after(scene, at, top);
        }
    }
    lf__cursor_count(cursor, &cost);
    return *count > capacity ? LF_PARTIAL : LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// A ray and one shape
// ---------------------------------------------------------------------------------------------------

/// Where a ray first meets a shape.
typedef struct lf__shape_hit {
    double t;
    lf_vec3 normal; ///< in the shape's own coordinates, of any length
    int64_t element;
} lf__shape_hit;

/// The first of some t that lies within a ray's interval.
typedef struct earliest {
    const lf_ray *ray;
    lf__shape_hit *hit;
    bool found;
} earliest;

static void shape_ray_offer(earliest *first, double t, lf_vec3 normal) {
    if (!(t >= first->ray->t_min && t <= first->ray->t_max) || (first->found && t >= first->hit->t))
        return;
    *first->hit = (lf__shape_hit){t, normal, 0};
    first->found = true;
}

bool lf__within_round(lf_vec3 origin, lf_vec3 direction, double radius, double *enter, double *leave) {
    double square = lf_vec3_dot(direction, direction);
    if (!(square > 0))
        return false;
    double middle = -lf_vec3_dot(origin, direction) / square;
    lf_vec3 nearest = lf_vec3_along(origin, middle, direction);
    double left = radius * radius - lf_vec3_dot(nearest, nearest);
    if (!(left >= 0))
        return false;
    double half = sqrt(left / square);
    *enter = middle - half;
    *leave = middle + half;
    return true;
}

static bool meet_sphere(const lf_ray *ray, double radius, lf__shape_hit *hit) {
    earliest first = {ray, hit, false};
    double at[2];
    if (!lf__within_round(ray->origin, ray->direction, radius, &at[0], &at[1]))
        return false;
    for (int i = 0; i < 2; i++)
        shape_ray_offer(&first, at[i], lf_vec3_along(ray->origin, at[i], ray->direction));
    return first.found;
}

static bool meet_cylinder(const lf_ray *ray, double radius, double half, lf__shape_hit *hit) {
    earliest first = {ray, hit, false};
    lf_vec3 o = ray->origin, d = ray->direction, flat_o = {o.x, o.y, 0}, flat_d = {d.x, d.y, 0};
    double at[2];
    if (lf__within_round(flat_o, flat_d, radius, &at[0], &at[1])) {
        for (int i = 0; i < 2; i++)
            if (fabs(o.z + at[i] * d.z) <= half)
                shape_ray_offer(&first, at[i], lf_vec3_along(flat_o, at[i], flat_d));
    }
    for (int side = -1; side <= 1 && d.z != 0; side += 2) {
        double t = (side * half - o.z) / d.z;
        lf_vec3 p = lf_vec3_along(flat_o, t, flat_d);
        if (lf_vec3_dot(p, p) <= radius * radius)
            shape_ray_offer(&first, t, (lf_vec3){0, 0, side});
    }
    return first.found;
}

/// A search through the triangles of a shape.
typedef struct shape_ray_search {
    const lf_ray *line;
    lf__shape_hit *hit;
    lf_counters *cost;
    bool found;
} shape_ray_search;

static bool shape_ray_triangle(void *user, const lf_vec3 corners[3], int64_t polygon) {
    shape_ray_search *s = user;
    lf__meeting meeting;
    s->cost->triangles++;
    if (!lf__meet(s->line, corners, &meeting, &s->cost->exact) || (s->found && meeting.t >= s->hit->t))
        return true;
    lf_vec3 normal = lf_vec3_cross(lf_vec3_sub(corners[1], corners[0]), lf_vec3_sub(corners[2], corners[0]));
    *s->hit = (lf__shape_hit){meeting.t, normal, polygon};
    s->found = true;
    return true;
}

static bool meet_triangles(const lf__form *form, const lf_ray *line, lf__shape_hit *hit, lf_counters *cost) {
    shape_ray_search s = {line, hit, cost, false};
    lf__form_triangles(form, 3, 1, shape_ray_triangle, &s);
    return s.found;
}

static bool meet_model(const lf_model *model, const lf_ray *ray, lf__shape_hit *hit) {
    lf_hit first;
    if (lf_model_ray_first(model, NULL, ray, &first, NULL) != LF_OK || first.kind == LF_HIT_NONE)
        return false;
    *hit = (lf__shape_hit){first.t, first.normal, first.element};
    return true;
}

/// With a line whose direction is neither tiny nor huge.
static bool shape_ray_meet(const lf__form *form, const lf_ray *line, lf__shape_hit *hit, lf_counters *cost) {
    switch (form->kind) {
    case LF_SHAPE_SPHERE:
        return meet_sphere(line, form->radius, hit);
    case LF_SHAPE_CYLINDER:
        return meet_cylinder(line, form->radius, 0.5 * form->size.z, hit);
    default:
        return meet_triangles(form, line, hit, cost);
    }
}

/// The first hit of a ray in the shape's own coordinates; false for none.
static bool shape_ray(const lf__form *form, const lf_ray *ray, lf__shape_hit *hit, lf_counters *cost) {
    if (form->kind == LF_SHAPE_SOLID)
        return false;
    if (form->kind == LF_SHAPE_MODEL)
        return meet_model(form->model, ray, hit);
    lf_ray scaled;
    int exponent;
    if (!shape_ray_meet(form, lf__line_of(ray, &scaled, &exponent), hit, cost))
        return false;
    hit->t = ldexp(hit->t, -exponent);
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

/// Relative margin of boxes and t: a box must not exclude hits of its shape.
#define SCENE_RAY_MARGIN 1e-12

/// A ray query and what happens with its hits.
typedef struct ray_query {
    lf_scene *scene;
    const lf_ray *ray;
    lf_vec3 inverse; ///< of the direction; infinite where that is 0
    double reach;    ///< hits beyond this t are of no use
    lf_counters cost;
    bool (*found)(struct ray_query *ray_query, const lf_scene_hit *hit); ///< returns false to stop
    lf_scene_hit *hits;
    int64_t capacity, count;
} ray_query;

/// Comparisons and products only: this runs for every box of the scene. Negative t do not matter.
static inline bool scene_ray_clip(double low, double high, double from, double inverse, double *first,
                                  double *last) {
    double pad = SCENE_RAY_MARGIN * (fabs(low) + fabs(high) + fabs(from));
    double a = low - pad - from, b = high + pad - from;
    if (isinf(inverse))
        return a <= 0 && b >= 0;
    double enter = (inverse > 0 ? a : b) * inverse * (1 - SCENE_RAY_MARGIN);
    double leave = (inverse > 0 ? b : a) * inverse * (1 + SCENE_RAY_MARGIN);
    *first = enter > *first ? enter : *first;
    *last = leave < *last ? leave : *last;
    return *first <= *last;
}

/// NAN, which clips nothing, where the inverse overflows.
static double inverse_of(double step) {
    return step == 0 || fabs(step) > 1e-290 ? 1 / step : LF_NAN;
}

static bool may_meet(const ray_query *q, const lf_box *box) {
    lf_vec3 origin = q->ray->origin;
    double first = q->ray->t_min, last = q->reach;
    return !lf_box_is_empty(*box) &&
           scene_ray_clip(box->low.x, box->high.x, origin.x, q->inverse.x, &first, &last) &&
           scene_ray_clip(box->low.y, box->high.y, origin.y, q->inverse.y, &first, &last) &&
           scene_ray_clip(box->low.z, box->high.z, origin.z, q->inverse.z, &first, &last);
}

/// Test a shape whose box the ray meets; false to stop.
static bool query_shape(ray_query *q, uint32_t index) {
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
    if (!lf__ray_valid(&local) || !shape_ray(&part->form, &local, &met, &q->cost))
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

static bool query_instance(ray_query *q, const lf__instance *instance) {
    uint32_t at = lf__part_after(q->scene, instance->top, instance->top);
    while (at != LF__NO_INDEX) {
        const lf__part *part = lf__part_at(q->scene, at);
        q->cost.nodes++;
        lf_box box = lf__part_box_now(q->scene, part);
        if (!may_meet(q, &box)) {
            at = lf__part_beside(q->scene, at, instance->top);
            continue;
        }
        if (part->form.kind != LF_SHAPE_SOLID && !query_shape(q, at))
            return false;
        at = lf__part_after(q->scene, at, instance->top);
    }
    return true;
}

static lf_status query_scene(ray_query *q, lf_cursor *cursor) {
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
        if (may_meet(q, &boxes[i]) && !query_instance(q, lf__instance_at(q->scene, (uint32_t)i)))
            break;
    }
    lf__cursor_count(cursor, &q->cost);
    return LF_OK;
}

/// Instances are tested in order: an equal t does not replace an earlier hit.
static bool scene_ray_keep_first(ray_query *q, const lf_scene_hit *hit) {
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
    ray_query q = {.scene = scene, .ray = ray, .found = scene_ray_keep_first, .hits = hit};
    return query_scene(&q, cursor);
}

/// Hits are kept sorted; they are found in the order of instances and parts, so equal t are appended after.
static bool keep_all(ray_query *q, const lf_scene_hit *hit) {
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
    ray_query q = {.scene = scene, .ray = ray, .found = keep_all, .hits = hits, .capacity = capacity};
    lf_status status = query_scene(&q, cursor);
    *count = q.count;
    return status == LF_OK && q.count > capacity ? LF_PARTIAL : status;
}
