/// Shapes: checked and copied.
#include "scene/scene.h"

static void free_arrays(lf_scene *scene, lf__form *form) {
    const lf_allocator *allocator = &scene->allocator;
    int64_t corner_count = form->starts ? form->starts[form->polygon_count] : 0;
    lf__give_array(allocator, form->corners, corner_count, sizeof *form->corners);
    lf__give_array(allocator, form->starts, form->polygon_count + 1, sizeof *form->starts);
    lf__give_array(allocator, form->vertices, form->vertex_count, sizeof *form->vertices);
    form->corners = form->starts = NULL;
    form->vertices = NULL;
    form->vertex_count = form->polygon_count = 0;
}

void lf__form_free(lf_scene *scene, lf__form *form) {
    free_arrays(scene, form);
}

void lf__solid_free(lf__part *part) {
    lf_model_destroy(part->solid);
    part->solid = NULL;
}

static lf_status check_vertices(const lf_polygons *polygons, lf_error *error) {
    if (!polygons->vertices || polygons->vertex_count < 3)
        return lf__fail(error, LF_BAD_GEOMETRY, -1, "%lld vertices make no shape",
                        (long long)polygons->vertex_count);
    for (int64_t i = 0; i < polygons->vertex_count; i++)
        if (!lf__within_limit(polygons->vertices[i]))
            return lf__fail(error, LF_BAD_GEOMETRY, i, "vertex %lld is not within 1e30", (long long)i);
    return LF_OK;
}

static int64_t start_of(const lf_polygons *polygons, int64_t polygon) {
    return polygons->starts ? polygons->starts[polygon] : 3 * polygon;
}

static lf_status check_polygons(const lf_polygons *polygons, lf_error *error) {
    if (polygons->polygon_count < 1 || polygons->polygon_count > INT64_MAX / 64 || !polygons->corners)
        return lf__fail(error, LF_BAD_GEOMETRY, -1, "there are no polygons");
    if (start_of(polygons, 0) != 0)
        return lf__fail(error, LF_BAD_GEOMETRY, 0, "the first polygon does not start at 0");
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        int64_t first = start_of(polygons, i), end = start_of(polygons, i + 1);
        if (end < first || end - first < 3)
            return lf__fail(error, LF_BAD_GEOMETRY, i, "polygon %lld has fewer than 3 corners", (long long)i);
        for (int64_t c = first; c < end; c++)
            if (polygons->corners[c] < 0 || polygons->corners[c] >= polygons->vertex_count)
                return lf__fail(error, LF_BAD_GEOMETRY, i, "polygon %lld has a corner %lld of %lld vertices",
                                (long long)i, (long long)polygons->corners[c],
                                (long long)polygons->vertex_count);
    }
    return LF_OK;
}

static lf_status take_arrays(lf_scene *scene, lf__form *form, int64_t vertices, int64_t polygons,
                             int64_t corners) {
    void *room;
    lf_status status = lf__take_array(&scene->allocator, vertices, sizeof *form->vertices, &room);
    if (status != LF_OK)
        return status;
    form->vertices = room;
    form->vertex_count = vertices;
    status = lf__take_array(&scene->allocator, polygons + 1, sizeof *form->starts, &room);
    if (status == LF_OK) {
        form->starts = room;
        form->polygon_count = polygons;
        form->starts[polygons] = corners;
        status = lf__take_array(&scene->allocator, corners, sizeof *form->corners, &room);
    }
    if (status == LF_OK)
        form->corners = room;
    else
        free_arrays(scene, form);
    return status;
}

static lf_status copy_polygons(lf_scene *scene, const lf_polygons *polygons, lf__form *form,
                               lf_error *error) {
    int64_t corners = start_of(polygons, polygons->polygon_count);
    lf_status status = take_arrays(scene, form, polygons->vertex_count, polygons->polygon_count, corners);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    memcpy(form->vertices, polygons->vertices, (size_t)form->vertex_count * sizeof *form->vertices);
    for (int64_t i = 0; i <= form->polygon_count; i++)
        form->starts[i] = start_of(polygons, i);
    memcpy(form->corners, polygons->corners, (size_t)corners * sizeof *form->corners);
    return LF_OK;
}

/// A path is kept as the triangles it is cut into.
static lf_status copy_path(lf_scene *scene, const lf_polygons *polygons, lf__form *form, lf_error *error) {
    void *room;
    int64_t most = 3 * (polygons->vertex_count - 2);
    lf_status status = lf__take_array(&scene->allocator, most, sizeof(int64_t), &room);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    int64_t *triangles = room;
    int64_t count = lf_polygon_triangulate(polygons->vertices, polygons->vertex_count, triangles);
    if (count <= 0) {
        status = lf__fail(error, LF_BAD_GEOMETRY, -1,
                          count < 0 ? "the path crosses itself" : "the path has no area");
    } else {
        status = take_arrays(scene, form, polygons->vertex_count, count, 3 * count);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK) {
        memcpy(form->vertices, polygons->vertices, (size_t)form->vertex_count * sizeof *form->vertices);
        for (int64_t i = 0; i <= count; i++)
            form->starts[i] = 3 * i;
        memcpy(form->corners, triangles, (size_t)(3 * count) * sizeof *triangles);
    }
    lf__give_array(&scene->allocator, triangles, most, sizeof *triangles);
    return status;
}

static bool length_valid(double length) {
    return length > 0 && length <= LF__SCENE_LIMIT;
}

/// The sizes that a kind speaks of.
static bool sizes_valid(const lf_shape *shape) {
    bool x = length_valid(shape->size.x), y = length_valid(shape->size.y), z = length_valid(shape->size.z);
    switch (shape->kind) {
    case LF_SHAPE_RECTANGLE:
        return x && y;
    case LF_SHAPE_BOX:
        return x && y && z;
    case LF_SHAPE_SPHERE:
        return length_valid(shape->radius);
    case LF_SHAPE_CYLINDER:
        return length_valid(shape->radius) && z;
    default:
        return true;
    }
}

lf_status lf__form_make(lf_scene *scene, const lf_shape *shape, lf__form *form, lf_error *error) {
    if ((int)shape->kind < LF_SHAPE_SOLID || shape->kind > LF_SHAPE_MODEL)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no shape of kind %d", (int)shape->kind);
    if (!sizes_valid(shape))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a %s of size (%g, %g, %g) and radius %g",
                        lf_shape_name(shape->kind), shape->size.x, shape->size.y, shape->size.z,
                        shape->radius);
    lf__form fresh = {.kind = shape->kind, .size = shape->size, .radius = shape->radius};
    lf_status status = LF_OK;
    if (shape->kind == LF_SHAPE_MODEL) {
        if (!shape->model)
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "model is NULL");
        fresh.model = shape->model;
    }
    if (shape->kind == LF_SHAPE_PATH || shape->kind == LF_SHAPE_POLYGONS)
        status = check_vertices(&shape->polygons, error);
    if (status == LF_OK && shape->kind == LF_SHAPE_POLYGONS) {
        status = check_polygons(&shape->polygons, error);
        if (status == LF_OK)
            status = copy_polygons(scene, &shape->polygons, &fresh, error);
    } else if (status == LF_OK && shape->kind == LF_SHAPE_PATH) {
        status = copy_path(scene, &shape->polygons, &fresh, error);
    }
    if (status == LF_OK)
        *form = fresh;
    return status;
}

lf_status lf__form_copy(lf_scene *scene, const lf__form *from, lf__form *to) {
    lf__form copy = *from;
    copy.vertices = NULL;
    copy.starts = copy.corners = NULL;
    copy.vertex_count = copy.polygon_count = 0;
    if (from->vertices) {
        int64_t corners = from->starts[from->polygon_count];
        lf_status status = take_arrays(scene, &copy, from->vertex_count, from->polygon_count, corners);
        if (status != LF_OK)
            return status;
        memcpy(copy.vertices, from->vertices, (size_t)copy.vertex_count * sizeof *copy.vertices);
        memcpy(copy.starts, from->starts, (size_t)(copy.polygon_count + 1) * sizeof *copy.starts);
        memcpy(copy.corners, from->corners, (size_t)corners * sizeof *copy.corners);
    }
    *to = copy;
    return LF_OK;
}

lf_status lf_part_set_shape(lf_scene *scene, lf_part id, const lf_shape *shape, lf_error *error) {
    lf__part *part = lf__part_find(scene, id);
    if (!part || !shape)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no such part, or no shape");
    lf_status status = lf__scene_may_change(scene, "lf_part_set_shape", error);
    if (status != LF_OK)
        return status;
    if ((part->form.kind == LF_SHAPE_SOLID) != (shape->kind == LF_SHAPE_SOLID))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "a %s does not become a %s",
                        lf_shape_name(part->form.kind), lf_shape_name(shape->kind));
    lf__form form;
    status = lf__form_make(scene, shape, &form, error);
    if (status != LF_OK)
        return status;
    lf__form_free(scene, &part->form);
    lf__solid_free(part);
    part->form = form;
    lf__part_touch(scene, id.index, false, true);
    return LF_OK;
}

lf_status lf_part_set_vertex(lf_scene *scene, lf_part id, int64_t vertex, lf_vec3 to) {
    lf__part *part = lf__part_to_change(scene, id);
    if (!part || vertex < 0 || vertex >= part->form.vertex_count || !lf__within_limit(to))
        return LF_BAD_ARGUMENT;
    part->form.vertices[vertex] = to;
    lf__solid_free(part);
    lf__part_touch(scene, id.index, false, true);
    return LF_OK;
}

lf_status lf_part_shape(const lf_scene *scene, lf_part id, lf_shape *shape) {
    const lf__part *part = lf__part_find(scene, id);
    if (!part || !shape)
        return LF_BAD_ARGUMENT;
    const lf__form *form = &part->form;
    *shape = (lf_shape){.kind = form->kind, .size = form->size, .radius = form->radius, .model = form->model};
    shape->polygons.vertices = form->vertices;
    shape->polygons.vertex_count = form->vertex_count;
    shape->polygons.starts = form->starts;
    shape->polygons.corners = form->corners;
    shape->polygons.polygon_count = form->polygon_count;
    return LF_OK;
}
