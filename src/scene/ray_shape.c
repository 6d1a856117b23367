/// A ray and one shape, in the shape's own coordinates.
#include "scene/ray.h"
#include "bvh/bvh_meet.h"

/// The first of some t that lies within a ray's interval.
typedef struct earliest {
    const lf_ray *ray;
    lf__shape_hit *hit;
    bool found;
} earliest;

static void offer(earliest *first, double t, lf_vec3 normal) {
    if (!(t >= first->ray->t_min && t <= first->ray->t_max) || (first->found && t >= first->hit->t))
        return;
    *first->hit = (lf__shape_hit){t, normal, 0};
    first->found = true;
}

/// Where a line is within a circle (z left out) or a sphere about the origin: between the two t.
static bool within_round(lf_vec3 origin, lf_vec3 direction, double radius, double *enter, double *leave) {
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
    if (!within_round(ray->origin, ray->direction, radius, &at[0], &at[1]))
        return false;
    for (int i = 0; i < 2; i++)
        offer(&first, at[i], lf_vec3_along(ray->origin, at[i], ray->direction));
    return first.found;
}

static bool meet_cylinder(const lf_ray *ray, double radius, double half, lf__shape_hit *hit) {
    earliest first = {ray, hit, false};
    lf_vec3 o = ray->origin, d = ray->direction, flat_o = {o.x, o.y, 0}, flat_d = {d.x, d.y, 0};
    double at[2];
    if (within_round(flat_o, flat_d, radius, &at[0], &at[1])) {
        for (int i = 0; i < 2; i++)
            if (fabs(o.z + at[i] * d.z) <= half)
                offer(&first, at[i], lf_vec3_along(flat_o, at[i], flat_d));
    }
    for (int side = -1; side <= 1 && d.z != 0; side += 2) {
        double t = (side * half - o.z) / d.z;
        lf_vec3 p = lf_vec3_along(flat_o, t, flat_d);
        if (lf_vec3_dot(p, p) <= radius * radius)
            offer(&first, t, (lf_vec3){0, 0, side});
    }
    return first.found;
}

/// A search through the triangles of a shape.
typedef struct search {
    const lf_ray *line;
    lf__shape_hit *hit;
    lf_counters *cost;
    bool found;
} search;

static bool look_at(void *user, const lf_vec3 corners[3], int64_t polygon) {
    search *s = user;
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
    search s = {line, hit, cost, false};
    lf__form_triangles(form, 3, 1, look_at, &s);
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
static bool meet(const lf__form *form, const lf_ray *line, lf__shape_hit *hit, lf_counters *cost) {
    switch (form->kind) {
    case LF_SHAPE_SPHERE:
        return meet_sphere(line, form->radius, hit);
    case LF_SHAPE_CYLINDER:
        return meet_cylinder(line, form->radius, 0.5 * form->size.z, hit);
    default:
        return meet_triangles(form, line, hit, cost);
    }
}

bool lf__shape_ray(const lf__form *form, const lf_ray *ray, lf__shape_hit *hit, lf_counters *cost) {
    if (form->kind == LF_SHAPE_SOLID)
        return false;
    if (form->kind == LF_SHAPE_MODEL)
        return meet_model(form->model, ray, hit);
    lf_ray scaled;
    int exponent;
    if (!meet(form, lf__line_of(ray, &scaled, &exponent), hit, cost))
        return false;
    hit->t = ldexp(hit->t, -exponent);
    return true;
}
