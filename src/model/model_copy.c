/// From the caller's polygons to a model: everything is checked here, and only here.
#include "base/base.h"
#include "geom/polygon.h"
#include "model/model.h"
#include <string.h>

static int64_t start_of(const lf_polygons *from, int64_t polygon) {
    return from->starts ? from->starts[polygon] : 3 * polygon;
}

static lf_status check_arrays(const lf_polygons *from, lf_error *error) {
    if (from->polygon_count < 1)
        return lf__fail(error, LF_BAD_GEOMETRY, -1, "a model of %lld polygons",
                        (long long)from->polygon_count);
    if (!from->vertices || !from->corners || from->vertex_count < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a model without vertices or without corners");
    if (from->vertex_count > UINT32_MAX || from->polygon_count > INT32_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld vertices and %lld polygons are too many for one model",
                        (long long)from->vertex_count, (long long)from->polygon_count);
    if (from->starts && from->starts[0] != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, 0, "polygon 0 starts at corner %lld, not 0",
                        (long long)from->starts[0]);
    return LF_OK;
}

static lf_status count_triangles(lf_model *model, const lf_polygons *from, lf_error *error) {
    int64_t triangles = 0;
    for (int64_t i = 0; i < from->polygon_count; i++) {
        int64_t size;
        if (__builtin_sub_overflow(start_of(from, i + 1), start_of(from, i), &size) || size < 3)
            return lf__fail(error, LF_BAD_GEOMETRY, i, "polygon %lld has fewer than 3 corners", (long long)i);
        if (__builtin_add_overflow(triangles, size - 2, &triangles) || triangles > INT32_MAX)
            return lf__fail(error, LF_TOO_LARGE, i, "more than %d triangles in one model", INT32_MAX);
    }
    model->triangle_count = triangles;
    return LF_OK;
}

static lf_status take_arrays(lf_model *model, const lf_polygons *from) {
    const lf_allocator *allocator = &model->allocator;
    model->vertex_count = from->vertex_count;
    model->polygon_count = from->polygon_count;
    lf_status status =
        lf__take_array(allocator, model->vertex_count, sizeof *model->vertices, (void **)&model->vertices);
    if (status == LF_OK)
        status = lf__take_array(allocator, 3 * model->triangle_count, sizeof *model->corners,
                                (void **)&model->corners);
    if (status == LF_OK && model->triangle_count != model->polygon_count)
        status =
            lf__take_array(allocator, model->triangle_count, sizeof *model->owners, (void **)&model->owners);
    if (status == LF_OK && from->users)
        status =
            lf__take_array(allocator, model->polygon_count, sizeof *model->users, (void **)&model->users);
    if (status == LF_OK && from->layers)
        status =
            lf__take_array(allocator, model->polygon_count, sizeof *model->layers, (void **)&model->layers);
    return status;
}

static bool usable(lf_vec3 v) {
    return fabs(v.x) <= LF__MODEL_LIMIT && fabs(v.y) <= LF__MODEL_LIMIT && fabs(v.z) <= LF__MODEL_LIMIT;
}

static lf_status check_corners(const lf_polygons *from, int64_t polygon, lf_error *error) {
    for (int64_t k = start_of(from, polygon); k < start_of(from, polygon + 1); k++) {
        int64_t vertex = from->corners[k];
        if (vertex < 0 || vertex >= from->vertex_count)
            return lf__fail(error, LF_BAD_ARGUMENT, polygon, "polygon %lld names vertex %lld of %lld",
                            (long long)polygon, (long long)vertex, (long long)from->vertex_count);
        lf_vec3 v = from->vertices[vertex];
        if (!usable(v))
            return lf__fail(error, LF_BAD_GEOMETRY, polygon,
                            "polygon %lld has its vertex %lld at (%g, %g, %g), not within 1e30",
                            (long long)polygon, (long long)vertex, v.x, v.y, v.z);
    }
    return LF_OK;
}

/// Exact. Almost every triangle is told by the first line.
static bool without_area(const lf_vec3 t[3]) {
    lf_vec3 u = lf_vec3_sub(t[1], t[0]), v = lf_vec3_sub(t[2], t[0]), n = lf_vec3_cross(u, v);
    if (lf_vec3_dot(n, n) > 1e-20 * lf_vec3_dot(u, u) * lf_vec3_dot(v, v))
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (lf_orient2d(lf__project(t[0], axis), lf__project(t[1], axis), lf__project(t[2], axis)) != 0)
            return false;
    return true;
}

static void copy_polygon(lf_model *model, const lf_polygons *from, int64_t polygon, int64_t *triangle) {
    const int64_t *ring = from->corners + start_of(from, polygon);
    int64_t size = start_of(from, polygon + 1) - start_of(from, polygon);
    for (int64_t k = 1; k + 1 < size; k++, ++*triangle) {
        uint32_t *corner = model->corners + 3 * *triangle;
        corner[0] = (uint32_t)ring[0];
        corner[1] = (uint32_t)ring[k];
        corner[2] = (uint32_t)ring[k + 1];
        if (model->owners)
            model->owners[*triangle] = (uint32_t)polygon;
        lf_vec3 t[3];
        lf__model_corners(model, *triangle, t);
        model->flat_count += without_area(t);
    }
}

lf_status lf__model_copy(lf_model *model, const lf_model_def *def, lf_error *error) {
    const lf_polygons *from = &def->polygons;
    lf_status status = check_arrays(from, error);
    if (status == LF_OK)
        status = count_triangles(model, from, error);
    if (status != LF_OK)
        return status;
    status = take_arrays(model, from);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    memcpy(model->vertices, from->vertices, (size_t)from->vertex_count * sizeof *model->vertices);
    if (model->users)
        memcpy(model->users, from->users, (size_t)from->polygon_count * sizeof *model->users);
    if (model->layers)
        memcpy(model->layers, from->layers, (size_t)from->polygon_count * sizeof *model->layers);
    int64_t triangle = 0;
    for (int64_t i = 0; i < from->polygon_count; i++) {
        status = check_corners(from, i, error);
        if (status != LF_OK)
            return status;
        copy_polygon(model, from, i, &triangle);
        if (i % 65536 == 0 && !lf__report(&def->host, "check", i, from->polygon_count))
            return lf__fail_plain(error, LF_CANCELLED);
    }
    return LF_OK;
}
