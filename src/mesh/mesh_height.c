/// Gravity lines against a mesh.
#include "mesh/mesh.h"
#include "mesh/mesh_index.h"

/// The first meeting of a gravity line, by the structure that the mesh has for it.
static bool meets_first(const lf__mesh_question *question, lf__tree_meeting *best, lf_cursor *cursor) {
    lf__tree_filter filter = {lf__mesh_accepts, question};
    if (question->mesh->index)
        return question->mesh->index->first(question, best, cursor);
    return lf__tree_first(question->mesh->tree, question->ray, &filter, best, cursor);
}

static bool meets_any(const lf__mesh_question *question, lf_cursor *cursor) {
    lf__tree_filter filter = {lf__mesh_accepts, question};
    if (question->mesh->index)
        return question->mesh->index->any(question, cursor);
    return lf__tree_any(question->mesh->tree, question->ray, &filter, cursor);
}

static lf_reason why_not(const lf_mesh *mesh, lf_vec3 point, bool down, lf_cursor *cursor) {
    lf_ray ray;
    double length;
    if (lf__gravity_ray(&mesh->frame, point, !down, &ray, &length)) {
        lf__mesh_question question = lf__mesh_ask(mesh, &ray, true, cursor);
        if (meets_any(&question, cursor))
            return LF_REASON_NONE;
    }
    if (mesh->frame.kind == LF_FRAME_GRAVITY && !lf__hull_contains(&mesh->hull, point))
        return LF_REASON_OUTSIDE;
    return LF_REASON_HOLE;
}

/// As a ray, where gravity has not one direction.
static void height_by_ray(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor) {
    lf_ray ray;
    double length;
    if (lf__gravity_ray(&mesh->frame, point, down, &ray, &length)) {
        lf__mesh_question question = lf__mesh_ask(mesh, &ray, true, cursor);
        lf__tree_meeting best;
        if (meets_first(&question, &best, cursor)) {
            lf__mesh_hit_on_line(&question, &best, length, hit);
            return;
        }
    }
    lf__hit_nothing(hit, why_not(mesh, point, down, cursor));
}

static void height_by_index(const lf_mesh *mesh, lf_vec3 point, bool down, lf_hit *hit, lf_cursor *cursor) {
    bool from_infinity = isinf(point.z);
    if (from_infinity)
        point.z = mesh->box.high.z;
    if (mesh->frame.kind != LF_FRAME_GRAVITY || !mesh->index->height(mesh, point, down, hit, cursor))
        height_by_ray(mesh, point, down, hit, cursor);
    if (from_infinity)
        lf__mesh_from_above_all(hit);
}

void lf__mesh_height(const lf_mesh *mesh, const lf_vec3 *point, bool down, lf_hit *hit, lf_cursor *cursor) {
    if (mesh->index) {
        height_by_index(mesh, *point, down, hit, cursor);
    } else if (!mesh->nest.mesh) {
        height_by_ray(mesh, *point, down, hit, cursor);
    } else {
        lf__nest_ask(mesh, point, down, hit, cursor);
    }
}

int64_t lf__mesh_height_all(const lf_mesh *mesh, lf_vec3 point, lf_hit *hits, int64_t capacity,
                            lf_cursor *cursor) {
    lf_ray ray;
    double length;
    bool from_infinity = isinf(point.z);
    if (from_infinity)
        point.z = mesh->box.high.z;
    if (!lf__gravity_ray(&mesh->frame, point, true, &ray, &length))
        return 0;
    // Upwards too, and beyond the point itself, as far as the frame's lines go.
    ray.t_min = mesh->frame.kind == LF_FRAME_AXIS_OUT ? -1 : -LF_INFINITY;
    lf__mesh_question question = lf__mesh_ask(mesh, &ray, true, cursor);
    question.both_sides = true;
    int64_t count = mesh->index ? mesh->index->all(&question, hits, capacity, cursor)
                                : lf__mesh_all(&question, hits, capacity, cursor);
    int64_t kept = count < capacity ? count : capacity;
    for (int64_t i = 0; i < kept; i++)
        hits[i].t = lf__line_distance(&ray, length, &hits[i]);
    double top = from_infinity && kept > 0 ? hits[0].t : 0;
    for (int64_t i = 0; i < kept; i++) // in order, whatever rounding did
        hits[i].t = i > 0 ? fmax(hits[i].t - top, hits[i - 1].t) : hits[i].t - top;
    return count;
}

bool lf__mesh_weights(const lf_mesh *mesh, lf_hit *hit) {
    if (hit->element < 0 || hit->element >= mesh->polygon_count)
        return false;
    int64_t triangle = lf__mesh_first(mesh, hit->element) + hit->triangle;
    if (hit->triangle < 0 || triangle >= lf__mesh_first(mesh, hit->element + 1) ||
        lf__mesh_gone(mesh, triangle))
        return false;
    lf__tree_weights(mesh->tree, (uint32_t)triangle, hit->point, &hit->u, &hit->v);
    return true;
}
