/// Rays against a mesh: the tree finds triangles, this file says what a polygon makes of them.
#include "bvh/bvh_collect.h"
#include "mesh/mesh.h"
#include "mesh/mesh_question.h"

bool lf__mesh_accepts(const void *user, uint32_t triangle, lf__side side) {
    const lf__mesh_question *question = user;
    const lf_mesh *mesh = question->mesh;
    if (question->gravity && side == LF__SIDE_EDGE_ON)
        return false;
    if (!mesh->layers && !mesh->sides)
        return (question->layers & 1u) != 0;
    int64_t polygon = lf__mesh_owner(mesh, triangle);
    if (mesh->sides && mesh->sides[polygon] == 1 && side != LF__SIDE_FRONT && !question->both_sides)
        return false;
    return (question->layers & (mesh->layers ? mesh->layers[polygon] : 1u)) != 0;
}

lf__mesh_question lf__mesh_ask(const lf_mesh *mesh, const lf_ray *ray, bool gravity,
                               const lf_cursor *cursor) {
    lf__mesh_question question = {
        .mesh = mesh, .ray = ray, .layers = lf__cursor_layers(cursor), .gravity = gravity};
    return question;
}

void lf__mesh_hit(const lf__mesh_question *question, const lf__tree_meeting *meeting, lf_hit *hit) {
    const lf_mesh *mesh = question->mesh;
    lf__tree_hit(mesh->tree, question->ray, meeting, hit);
    int64_t polygon = lf__mesh_owner(mesh, meeting->triangle);
    hit->element = polygon;
    hit->triangle = (int32_t)(meeting->triangle - lf__mesh_first(mesh, polygon));
    hit->user = mesh->users ? mesh->users[polygon] : 0;
    hit->layers = mesh->layers ? mesh->layers[polygon] : 1;
}

void lf__mesh_hit_on_line(const lf__mesh_question *question, const lf__tree_meeting *meeting, double length,
                          lf_hit *hit) {
    lf__mesh_hit(question, meeting, hit);
    hit->t = lf__line_distance(question->ray, length, hit);
}

void lf__mesh_ray_first(const lf_mesh *mesh, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    lf__mesh_question question = lf__mesh_ask(mesh, ray, false, cursor);
    lf__tree_filter filter = {lf__mesh_accepts, &question};
    lf__tree_meeting best;
    if (lf__tree_first(mesh->tree, ray, &filter, &best, cursor))
        lf__mesh_hit(&question, &best, hit);
    else
        *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
}

/// Where the answers of a batch go.
typedef struct answers {
    lf__mesh_question question;
    const lf__tree_batch *batch;
    lf_hit *hits;
    size_t stride;
} answers;

static void answer(void *user, int64_t index, const lf__tree_meeting *best) {
    answers *to = user;
    lf_hit *hit = (void *)((char *)to->hits + (size_t)index * to->stride);
    to->question.ray = lf__tree_batch_ray(to->batch, index);
    if (best)
        lf__mesh_hit(&to->question, best, hit);
    else
        *hit = lf__hit_none(to->question.ray->t_max, LF_REASON_NONE);
}

void lf__mesh_ray_first_many(const lf_mesh *mesh, const lf_ray *rays, size_t ray_stride, int64_t count,
                             lf_hit *hits, size_t hit_stride) {
    answers to = {.question = lf__mesh_ask(mesh, rays, false, NULL), .hits = hits, .stride = hit_stride};
    lf__tree_filter filter = {lf__mesh_accepts, &to.question};
    lf__tree_batch batch = {mesh->tree, &filter, rays, ray_stride, count, answer, &to};
    to.batch = &batch;
    lf__tree_first_many(&batch);
}

bool lf__mesh_ray_any(const lf_mesh *mesh, const lf_ray *ray, lf_cursor *cursor) {
    lf__mesh_question question = lf__mesh_ask(mesh, ray, false, cursor);
    lf__tree_filter filter = {lf__mesh_accepts, &question};
    return lf__tree_any(mesh->tree, ray, &filter, cursor);
}

bool lf__mesh_before(const lf__mesh_question *question, const lf__tree_meeting *a, const lf__tree_meeting *b,
                     uint64_t *exact) {
    int order = lf__meet_order_roughly(a->t, b->t);
    if (order == 2) {
        ++*exact;
        lf_vec3 first[3], second[3];
        lf__mesh_triangle(question->mesh, a->triangle, first);
        lf__mesh_triangle(question->mesh, b->triangle, second);
        order = lf__meet_order(question->ray, first, question->ray, second);
    }
    return order < 0 || (order == 0 && a->triangle < b->triangle);
}

bool lf__mesh_meet_polygon(const lf__mesh_question *question, int64_t polygon, lf__tree_meeting *best,
                           uint64_t *exact) {
    const lf_mesh *mesh = question->mesh;
    lf_ray scaled;
    int exponent;
    const lf_ray *line = lf__line_of(question->ray, &scaled, &exponent);
    int64_t last = lf__mesh_first(mesh, polygon + 1);
    *best = (lf__tree_meeting){INFINITY, LF__TREE_NOWHERE, NULL};
    for (int64_t k = lf__mesh_first(mesh, polygon); k < last; k++) {
        lf_vec3 points[3];
        lf__meeting meeting;
        lf__mesh_triangle(mesh, k, points);
        if (!lf__meet(line, points, &meeting, exact) ||
            !lf__mesh_accepts(question, (uint32_t)k, meeting.side))
            continue;
        double t = exponent == 0 ? meeting.t : ldexp(meeting.t, -exponent);
        lf__tree_meeting fresh = {t, (uint32_t)k, NULL};
        if (best->triangle == LF__TREE_NOWHERE || lf__mesh_before(question, &fresh, best, exact))
            *best = fresh;
    }
    return best->triangle != LF__TREE_NOWHERE;
}

/// Several triangles of one polygon can be met at once, on the diagonals of its fan or along its plane: the one with the
/// least t, then the lowest, speaks for the polygon.
static bool speaks_for_polygon(const lf__mesh_question *question, uint32_t triangle) {
    const lf_mesh *mesh = question->mesh;
    if (triangle < mesh->plain)
        return true;
    int64_t polygon = lf__mesh_owner(mesh, triangle);
    if (lf__mesh_corner_count(mesh, polygon) == 3)
        return true;
    lf__tree_meeting speaker;
    uint64_t exact = 0;
    return lf__mesh_meet_polygon(question, polygon, &speaker, &exact) && speaker.triangle == triangle;
}

static void found(void *user, lf__tree_meeting meeting) {
    lf__mesh_question *question = user;
    if (speaks_for_polygon(question, meeting.triangle))
        lf__nearest_offer(&question->nearest, meeting);
}

int64_t lf__mesh_all(lf__mesh_question *question, lf_hit *hits, int64_t capacity, lf_cursor *cursor) {
    lf__tree_filter filter = {lf__mesh_accepts, question};
    lf__tree_collector collector = {found, question};
    question->nearest = (lf__nearest){question->mesh->tree, question->ray, hits, capacity, 0, 0};
    lf__tree_all(question->mesh->tree, question->ray, &filter, &collector, cursor);
    lf__nearest_sort(&question->nearest);
    for (int64_t i = 0; i < question->nearest.kept; i++) {
        lf__tree_meeting meeting = {hits[i].t, (uint32_t)hits[i].element, NULL};
        lf__mesh_hit(question, &meeting, &hits[i]);
    }
    return question->nearest.offered;
}

typedef struct passing_on {
    const lf__mesh_question *question;
    const lf__finder *finder;
} passing_on;

static void pass_on(void *user, lf__tree_meeting meeting) {
    const passing_on *to = user;
    if (!speaks_for_polygon(to->question, meeting.triangle))
        return;
    lf_hit hit;
    lf__mesh_hit(to->question, &meeting, &hit);
    to->finder->found(to->finder->user, &hit);
}

void lf__mesh_each(const lf__mesh_question *question, const lf__finder *finder, lf_cursor *cursor) {
    lf__tree_filter filter = {lf__mesh_accepts, question};
    passing_on to = {question, finder};
    lf__tree_collector collector = {pass_on, &to};
    lf__tree_all(question->mesh->tree, question->ray, &filter, &collector, cursor);
}

int64_t lf__mesh_ray_all(const lf_mesh *mesh, const lf_ray *ray, lf_hit *hits, int64_t capacity,
                         lf_cursor *cursor) {
    lf__mesh_question question = lf__mesh_ask(mesh, ray, false, cursor);
    return lf__mesh_all(&question, hits, capacity, cursor);
}
