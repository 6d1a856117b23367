/// Queries on a scene: instances in a box, and rays.
#include "base/base.h"
#include "bvh/bvh.h"
#include "bvh/bvh_meet.h"
#include "scene/scene.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------------

static bool overlap_box_valid(lf_box box) {
    return !lf_box_is_empty(box) && lf_vec3_finite(box.low) && lf_vec3_finite(box.high);
}

lf_status lf_scene_instances_in(lf_scene *scene, lf_box box, lf_instance *instances, int64_t capacity,
                                int64_t *count, lf_cursor *cursor) {
    if (!scene || !overlap_box_valid(box) || capacity < 0 || (capacity > 0 && !instances) || !count)
        return LF_BAD_ARGUMENT;
    *count = 0;
    lf_status status = lf_scene_update(scene);
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
    if (lf_ground_ray_first(lf_model_ground(model), ray, &first, NULL) != LF_OK || first.kind == LF_HIT_NONE)
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

/// Scenes of fewer instances have no tree.
#define SCENE_RAY_FEW 24

/// The tree follows a change if at least this many rays were asked since the change before: a single ray is answered sooner by testing all boxes.
#define SCENE_RAY_WANTED 2

/// The boxes of all instances in a tree.
typedef struct lf__ray_tree {
    lf__items items;
    lf_box *boxes; ///< as they are in the tree
    int64_t count, space;
    int64_t listed; ///< the scene's `touched`, when it was brought up to date; -1: it cannot be used
} lf__ray_tree;

void lf__ray_tree_free(lf_scene *scene) {
    lf__ray_tree *tree = scene->ray_tree;
    if (!tree)
        return;
    lf__items_free(&tree->items);
    lf__free_array(&scene->allocator, tree->boxes, tree->space, sizeof *tree->boxes);
    lf__free(&scene->allocator, tree, sizeof *tree, _Alignof(lf__ray_tree));
    scene->ray_tree = NULL;
}

/// Take over the boxes that have changed. Without memory, and where coordinates are beyond floats, the tree cannot be used.
static void ray_tree_follow(const lf_scene *scene, lf__ray_tree *tree) {
    const lf_box *boxes = scene->boxes.items;
    int64_t count = scene->boxes.count;
    bool rebuild = !tree->items.ready || count != tree->count || tree->listed < 0;
    tree->listed = -1;
    if (lf__grow(&scene->allocator, (void **)&tree->boxes, &tree->space, count, sizeof *tree->boxes) != LF_OK)
        return;
    tree->items.boxes = tree->boxes;
    tree->count = count;
    for (int64_t i = 0; i < count; i++) {
        const lf_box *b = &boxes[i];
        bool none = lf_box_is_empty(*b);
        double most = fmax(fmax(fabs(b->low.x), fmax(fabs(b->low.y), fabs(b->low.z))),
                           fmax(fabs(b->high.x), fmax(fabs(b->high.y), fabs(b->high.z))));
        if (!none && !(most <= 1e30))
            return;
        rebuild |= !rebuild && none != lf_box_is_empty(tree->boxes[i]);
        bool moved = !rebuild && !none && memcmp(b, &tree->boxes[i], sizeof *b) != 0;
        tree->boxes[i] = *b;
        if (moved)
            lf__items_moved(&tree->items, i);
    }
    if (!rebuild || lf__items_build(&tree->items, tree->boxes, sizeof *tree->boxes, count) == LF_OK)
        tree->listed = scene->touched;
}

void lf__ray_tree_refresh(lf_scene *scene) {
    bool wanted =
        scene->boxes.count >= SCENE_RAY_FEW && (!scene->ray_tree || scene->rays >= SCENE_RAY_WANTED);
    scene->rays = 0;
    if (scene->ray_tree && !wanted)
        scene->ray_tree->listed = -1;
    if (!wanted)
        return;
    lf__ray_tree *tree = scene->ray_tree;
    if (!tree) {
        tree = lf__allocate(&scene->allocator, sizeof *tree, _Alignof(lf__ray_tree));
        if (!tree)
            return;
        *tree = (lf__ray_tree){.listed = -1};
        lf__items_start(&tree->items, &scene->allocator);
        scene->ray_tree = tree;
    }
    ray_tree_follow(scene, tree);
}

/// The tree, if it is up to date. Many threads may ask at once.
static const lf__ray_tree *ray_tree_of(lf_scene *scene) {
    const lf__ray_tree *tree = scene->ray_tree;
    if (__atomic_load_n(&scene->rays, __ATOMIC_RELAXED) < SCENE_RAY_WANTED)
        __atomic_fetch_add(&scene->rays, 1, __ATOMIC_RELAXED);
    return tree && tree->listed == scene->touched ? tree : NULL;
}

/// A ray query and its first hit so far.
typedef struct ray_query {
    lf_scene *scene;
    const lf_ray *ray;
    lf_vec3 inverse; ///< of the direction; infinite where that is 0
    double reach;    ///< hits beyond this t are of no use
    lf_counters cost;
    lf_hit *hit;
    uint32_t instance; ///< of the hit
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

/// Test a shape whose box the ray meets. Shapes of an instance are tested in order: an equal t does not replace an earlier hit.
static void query_shape(ray_query *q, uint32_t index) {
    const lf__part *part = lf__part_at(q->scene, index);
    const lf__instance *instance = lf__instance_at(q->scene, part->instance);
    lf_vec3 inverse[3], back[3];
    if (!lf__rows_inverse(part->turn, inverse))
        return;
    lf_vec3 from = lf_vec3_sub(lf_vec3_sub(q->ray->origin, instance->pose.translation), part->shift);
    lf_ray local = {lf__rows_point(inverse, from), lf__rows_point(inverse, q->ray->direction), q->ray->t_min,
                    q->ray->t_max};
    lf__shape_hit met;
    q->cost.cells++;
    if (!lf__ray_valid(&local) || !shape_ray(&part->form, &local, &met, &q->cost))
        return;
    if (q->hit->kind != LF_HIT_NONE &&
        (met.t > q->hit->t || (met.t == q->hit->t && part->instance >= q->instance)))
        return;
    q->instance = part->instance;
    lf__rows_transpose(inverse, back);
    *q->hit = (lf_hit){.kind = LF_HIT_TRIANGLE,
                       .reason = LF_REASON_ANSWERED,
                       .t = met.t,
                       .point = lf_vec3_along(q->ray->origin, met.t, q->ray->direction),
                       .normal = lf_vec3_unit(lf__rows_point(back, lf_vec3_unit(met.normal))),
                       .part = index,
                       .element = met.element,
                       .user = part->user ? part->user : instance->user,
                       .layers = part->layers};
    q->reach = met.t;
}

static void query_instance(ray_query *q, const lf__instance *instance) {
    uint32_t at = lf__part_after(q->scene, instance->top, instance->top);
    while (at != LF__NO_INDEX) {
        const lf__part *part = lf__part_at(q->scene, at);
        q->cost.nodes++;
        lf_box box = lf__part_box_now(q->scene, part);
        if (!may_meet(q, &box)) {
            at = lf__part_beside(q->scene, at, instance->top);
            continue;
        }
        if (part->form.kind != LF_SHAPE_SOLID)
            query_shape(q, at);
        at = lf__part_after(q->scene, at, instance->top);
    }
}

static double query_item(void *user, uint32_t index) {
    ray_query *q = user;
    const lf_box *boxes = q->scene->boxes.items;
    if (may_meet(q, &boxes[index]))
        query_instance(q, lf__instance_at(q->scene, index));
    return q->reach;
}

/// The instances along the ray, nearest first. The boxes of the tree are widened by more than the margins of may_meet.
static void query_tree(ray_query *q, const lf__items *items, lf_cursor *cursor) {
    lf_vec3 o = q->ray->origin, low = items->tree.box.low, high = items->tree.box.high;
    double size = fabs(o.x) + fabs(o.y) + fabs(o.z) + fabs(low.x) + fabs(low.y) + fabs(low.z) + fabs(high.x) +
                  fabs(high.y) + fabs(high.z);
    float by = (float)(10 * SCENE_RAY_MARGIN * size), wide[3] = {by, by, by};
    lf__item_search search = {query_item, q, wide, q->scene->boxes.items, sizeof(lf_box)};
    lf__items_search(items, q->ray, &search, cursor);
}

lf_status lf_scene_ray_first(lf_scene *scene, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    if (!scene || !hit || !lf__ray_valid(ray))
        return lf__hit_refused(hit);
    *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
    lf_status status = lf_scene_update(scene);
    if (status != LF_OK)
        return status;
    lf_vec3 d = ray->direction;
    ray_query q = {.scene = scene,
                   .ray = ray,
                   .inverse = {inverse_of(d.x), inverse_of(d.y), inverse_of(d.z)},
                   .reach = ray->t_max,
                   .cost = {.questions = 1},
                   .hit = hit};
    const lf__ray_tree *tree = ray_tree_of(scene);
    if (tree)
        query_tree(&q, &tree->items, cursor);
    const lf_box *boxes = scene->boxes.items;
    for (int64_t i = 0; i < scene->boxes.count && !tree; i++) {
        q.cost.nodes++;
        if (may_meet(&q, &boxes[i]))
            query_instance(&q, lf__instance_at(scene, (uint32_t)i));
    }
    lf__cursor_count(cursor, &q.cost);
    return LF_OK;
}
