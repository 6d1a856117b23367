/// Shapes: checked and copied, as triangles, and as models for exact queries.
#include "model/model.h"
#include "scene/scene.h"
#include "scene/watch.h"

// ---------------------------------------------------------------------------------------------------
// Shapes
// ---------------------------------------------------------------------------------------------------

static void free_arrays(lf_scene *scene, lf__form *form) {
    const lf_allocator *allocator = &scene->allocator;
    int64_t corner_count = form->starts ? form->starts[form->polygon_count] : 0;
    lf__free_array(allocator, form->corners, corner_count, sizeof *form->corners);
    lf__free_array(allocator, form->starts, form->polygon_count + 1, sizeof *form->starts);
    lf__free_array(allocator, form->vertices, form->vertex_count, sizeof *form->vertices);
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
        return lf__fail(error, LF_BAD_GEOMETRY, -1, "vertex_count %lld: expected at least 3, and an array",
                        (long long)polygons->vertex_count);
    for (int64_t i = 0; i < polygons->vertex_count; i++)
        if (!lf__within_limit(polygons->vertices[i]))
            return lf__fail(error, LF_BAD_GEOMETRY, i, "vertex %lld: expected coordinates within 1e30",
                            (long long)i);
    return LF_OK;
}

static int64_t shape_start_of(const lf_polygons *polygons, int64_t polygon) {
    return polygons->starts ? polygons->starts[polygon] : 3 * polygon;
}

static lf_status check_polygons(const lf_polygons *polygons, lf_error *error) {
    if (polygons->polygon_count < 1 || polygons->polygon_count > INT64_MAX / 64 || !polygons->corners)
        return lf__fail(error, LF_BAD_GEOMETRY, -1,
                        "polygons: corners are missing, or the count is not within range");
    if (shape_start_of(polygons, 0) != 0)
        return lf__fail(error, LF_BAD_GEOMETRY, 0, "starts[0]: expected 0");
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        int64_t first = shape_start_of(polygons, i), end = shape_start_of(polygons, i + 1);
        if (end < first || end - first < 3)
            return lf__fail(error, LF_BAD_GEOMETRY, i, "polygon %lld: expected at least 3 corners",
                            (long long)i);
        for (int64_t c = first; c < end; c++)
            if (polygons->corners[c] < 0 || polygons->corners[c] >= polygons->vertex_count)
                return lf__fail(error, LF_BAD_GEOMETRY, i,
                                "polygon %lld: corner %lld: expected a vertex below %lld", (long long)i,
                                (long long)polygons->corners[c], (long long)polygons->vertex_count);
    }
    return LF_OK;
}

static lf_status shape_take_arrays(lf_scene *scene, lf__form *form, int64_t vertices, int64_t polygons,
                                   int64_t corners) {
    void *items;
    lf_status status = lf__allocate_array(&scene->allocator, vertices, sizeof *form->vertices, &items);
    if (status != LF_OK)
        return status;
    form->vertices = items;
    form->vertex_count = vertices;
    status = lf__allocate_array(&scene->allocator, polygons + 1, sizeof *form->starts, &items);
    if (status == LF_OK) {
        form->starts = items;
        form->polygon_count = polygons;
        form->starts[polygons] = corners;
        status = lf__allocate_array(&scene->allocator, corners, sizeof *form->corners, &items);
    }
    if (status == LF_OK)
        form->corners = items;
    else
        free_arrays(scene, form);
    return status;
}

static lf_status shape_copy_polygons(lf_scene *scene, const lf_polygons *polygons, lf__form *form,
                                     lf_error *error) {
    int64_t corners = shape_start_of(polygons, polygons->polygon_count);
    lf_status status =
        shape_take_arrays(scene, form, polygons->vertex_count, polygons->polygon_count, corners);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    memcpy(form->vertices, polygons->vertices, (size_t)form->vertex_count * sizeof *form->vertices);
    for (int64_t i = 0; i <= form->polygon_count; i++)
        form->starts[i] = shape_start_of(polygons, i);
    memcpy(form->corners, polygons->corners, (size_t)corners * sizeof *form->corners);
    return LF_OK;
}

/// A path is stored as the triangles of its triangulation.
static lf_status copy_path(lf_scene *scene, const lf_polygons *polygons, lf__form *form, lf_error *error) {
    void *items;
    int64_t most = 3 * (polygons->vertex_count - 2);
    lf_status status = lf__allocate_array(&scene->allocator, most, sizeof(int64_t), &items);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    int64_t *triangles = items;
    int64_t count = lf_polygon_triangulate(polygons->vertices, polygons->vertex_count, triangles);
    if (count <= 0) {
        status =
            lf__fail(error, LF_BAD_GEOMETRY, -1, count < 0 ? "path: crosses itself" : "path: has no area");
    } else {
        status = shape_take_arrays(scene, form, polygons->vertex_count, count, 3 * count);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK) {
        memcpy(form->vertices, polygons->vertices, (size_t)form->vertex_count * sizeof *form->vertices);
        for (int64_t i = 0; i <= count; i++)
            form->starts[i] = 3 * i;
        memcpy(form->corners, triangles, (size_t)(3 * count) * sizeof *triangles);
    }
    lf__free_array(&scene->allocator, triangles, most, sizeof *triangles);
    return status;
}

static bool shape_length_valid(double length) {
    return length > 0 && length <= LF__SCENE_LIMIT;
}

/// Check the sizes that a kind of shape uses.
static bool sizes_valid(const lf_shape *shape) {
    bool x = shape_length_valid(shape->size.x), y = shape_length_valid(shape->size.y),
         z = shape_length_valid(shape->size.z);
    switch (shape->kind) {
    case LF_SHAPE_RECTANGLE:
        return x && y;
    case LF_SHAPE_BOX:
        return x && y && z;
    case LF_SHAPE_SPHERE:
        return shape_length_valid(shape->radius);
    case LF_SHAPE_CYLINDER:
        return shape_length_valid(shape->radius) && z;
    default:
        return true;
    }
}

lf_status lf__form_make(lf_scene *scene, const lf_shape *shape, lf__form *form, lf_error *error) {
    if ((int)shape->kind < LF_SHAPE_SOLID || shape->kind > LF_SHAPE_MODEL)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "shape kind %d: unknown", (int)shape->kind);
    if (!sizes_valid(shape))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "%s of size (%g, %g, %g) and radius %g: expected finite sizes above 0",
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
            status = shape_copy_polygons(scene, &shape->polygons, &fresh, error);
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
        lf_status status = shape_take_arrays(scene, &copy, from->vertex_count, from->polygon_count, corners);
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
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "part: does not exist, or shape is NULL");
    lf_status status = lf__scene_may_change(scene, "lf_part_set_shape", error);
    if (status != LF_OK)
        return status;
    if ((part->form.kind == LF_SHAPE_SOLID) != (shape->kind == LF_SHAPE_SOLID))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "shape: a %s cannot become a %s",
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

// ---------------------------------------------------------------------------------------------------
// Triangles
// ---------------------------------------------------------------------------------------------------

/// Where triangles go.
typedef struct sink {
    lf__show_triangle *show;
    void *user;
    bool stopped;
} sink;

static void show(sink *to, lf_vec3 a, lf_vec3 b, lf_vec3 c, int64_t polygon) {
    const lf_vec3 corners[3] = {a, b, c};
    if (!to->stopped)
        to->stopped = !to->show(to->user, corners, polygon);
}

static void show_quad(sink *to, lf_vec3 a, lf_vec3 b, lf_vec3 c, lf_vec3 d, int64_t polygon) {
    show(to, a, b, c, polygon);
    show(to, a, c, d, polygon);
}

static void show_rectangle(sink *to, lf_vec3 half) {
    double x = half.x, y = half.y;
    show_quad(to, (lf_vec3){-x, -y, 0}, (lf_vec3){x, -y, 0}, (lf_vec3){x, y, 0}, (lf_vec3){-x, y, 0}, 0);
}

/// Corner i of a box has the high side in x, y, z by bits 0, 1, 2.
static void show_box(sink *to, lf_vec3 half) {
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    lf_vec3 c[8];
    for (int i = 0; i < 8; i++)
        c[i] = (lf_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    for (int f = 0; f < 6; f++)
        show_quad(to, c[faces[f][0]], c[faces[f][1]], c[faces[f][2]], c[faces[f][3]], f);
}

/// A point of a circle; the same bits for facet 0 and for the last one.
static lf_vec3 on_circle(double radius, double z, int facet, int facets) {
    double angle = 6.283185307179586476925 * (facet % facets) / facets;
    lf_vec3 point = {radius * cos(angle), radius * sin(angle), z};
    return point;
}

static void show_cylinder(sink *to, double radius, double half, int facets) {
    for (int i = 0; i < facets; i++) {
        lf_vec3 a = on_circle(radius, -half, i, facets), b = on_circle(radius, -half, i + 1, facets);
        lf_vec3 c = b, d = a, low = {0, 0, -half}, high = {0, 0, half};
        c.z = d.z = half;
        show_quad(to, a, b, c, d, 0);
        show(to, high, d, c, 1);
        show(to, low, b, a, 2);
    }
}

static void show_sphere(sink *to, double radius, int facets) {
    int stacks = facets / 2 > 2 ? facets / 2 : 2;
    for (int s = 0; s < stacks; s++) {
        double under = 3.14159265358979323846 * s / stacks, over = 3.14159265358979323846 * (s + 1) / stacks;
        double low = -radius * cos(under), high = -radius * cos(over);
        double wide = s == 0 ? 0 : radius * sin(under), narrow = s == stacks - 1 ? 0 : radius * sin(over);
        for (int i = 0; i < facets; i++) {
            lf_vec3 a = on_circle(wide, low, i, facets), b = on_circle(wide, low, i + 1, facets);
            lf_vec3 c = on_circle(narrow, high, i + 1, facets), d = on_circle(narrow, high, i, facets);
            if (s > 0)
                show(to, a, b, c, 0);
            if (s < stacks - 1)
                show(to, a, c, d, 0);
        }
    }
}

static void show_polygons(sink *to, const lf__form *form) {
    for (int64_t p = 0; p < form->polygon_count && !to->stopped; p++) {
        const int64_t *corners = form->corners + form->starts[p];
        int64_t count = form->starts[p + 1] - form->starts[p];
        for (int64_t c = 2; c < count; c++)
            show(to, form->vertices[corners[0]], form->vertices[corners[c - 1]], form->vertices[corners[c]],
                 form->kind == LF_SHAPE_PATH ? 0 : p);
    }
}

static void show_model(sink *to, const lf_model *model) {
    int64_t count = lf_model_describe(model).triangle_count;
    for (int64_t i = 0; i < count && !to->stopped; i++) {
        lf_vec3 corners[3];
        int64_t polygon = 0;
        lf_model_triangle(model, i, corners, &polygon);
        show(to, corners[0], corners[1], corners[2], polygon);
    }
}

bool lf__form_triangles(const lf__form *form, int facets, double stretch, lf__show_triangle *function,
                        void *user) {
    sink to = {function, user, false};
    lf_vec3 half = lf_vec3_scale(form->size, 0.5);
    switch (form->kind) {
    case LF_SHAPE_SOLID:
        break;
    case LF_SHAPE_RECTANGLE:
        show_rectangle(&to, half);
        break;
    case LF_SHAPE_BOX:
        show_box(&to, half);
        break;
    case LF_SHAPE_SPHERE:
        show_sphere(&to, stretch * form->radius, facets);
        break;
    case LF_SHAPE_CYLINDER:
        show_cylinder(&to, stretch * form->radius, half.z, facets);
        break;
    case LF_SHAPE_PATH:
    case LF_SHAPE_POLYGONS:
        show_polygons(&to, form);
        break;
    case LF_SHAPE_MODEL:
        show_model(&to, form->model);
        break;
    }
    return !to.stopped;
}

/// Maps triangles of a shape to the world.
typedef struct carrier {
    const lf__part *part;
    lf_vec3 place;
    bool mirrored;
    lf_scene_triangle triangle;
    bool (*show)(void *user, const lf_scene_triangle *triangle);
    void *user;
} carrier;

static bool triangles_carry(void *user, const lf_vec3 corners[3], int64_t polygon) {
    (void)polygon;
    carrier *c = user;
    lf_affine map = {.translation = c->part->shift};
    memcpy(map.rows, c->part->turn, sizeof map.rows);
    for (int i = 0; i < 3; i++)
        c->triangle.corners[c->mirrored ? 2 - i : i] =
            lf_vec3_add(c->place, lf_affine_point(&map, corners[i]));
    return c->show(c->user, &c->triangle);
}

lf_status lf_part_triangles(lf_scene *scene, lf_part id, int facets,
                            bool (*function)(void *user, const lf_scene_triangle *triangle), void *user) {
    if (!lf__part_find(scene, id) || facets < 3 || facets > 256 || !function)
        return LF_BAD_ARGUMENT;
    lf__parts_refresh(scene, lf__part_top(scene, id.index));
    atomic_fetch_add_explicit(&scene->showing, 1, memory_order_relaxed);
    for (uint32_t i = id.index; i != LF__NO_INDEX; i = lf__part_after(scene, i, id.index)) {
        const lf__part *part = lf__part_at(scene, i);
        carrier c = {.part = part, .show = function, .user = user};
        if (part->instance != LF__NO_INDEX)
            c.place = lf__instance_at(scene, part->instance)->pose.translation;
        c.mirrored = lf__rows_determinant(part->turn) < 0;
        c.triangle.part = lf__part_id(scene, i);
        c.triangle.colour = lf__part_colour(scene, part);
        if (!lf__form_triangles(&part->form, facets, 1, triangles_carry, &c))
            break;
    }
    atomic_fetch_sub_explicit(&scene->showing, 1, memory_order_relaxed);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Models of shapes
// ---------------------------------------------------------------------------------------------------

// Models of shapes are kept until the shape or its scale changes: an instance that moves and rotates keeps
// them.

const lf_vec3 *lf__model_vertices(const lf_model *model, int64_t *count) {
    *count = model->vertex_count;
    return model->vertices;
}

lf_status lf__triangles_add(lf_scene *scene, const lf_vec3 corners[3]) {
    lf__array *soup = &scene->soup;
    lf_status status = lf__array_reserve(soup, &scene->allocator, 3, sizeof(lf_vec3));
    if (status != LF_OK)
        return status;
    memcpy((lf_vec3 *)soup->items + soup->count, corners, 3 * sizeof(lf_vec3));
    soup->count += 3;
    return LF_OK;
}

lf_status lf__soup_model(lf_scene *scene, lf_model **model) {
    lf__array *soup = &scene->soup, *numbers = &scene->soup_numbers;
    numbers->count = 0;
    lf_status status = lf__array_reserve(numbers, &scene->allocator, soup->count, sizeof(int64_t));
    if (status != LF_OK)
        return status;
    int64_t *corners = numbers->items;
    for (int64_t i = 0; i < soup->count; i++)
        corners[i] = i;
    lf_host host = {&scene->allocator, NULL, NULL, NULL};
    lf_model_def def = lf_model_def_default();
    def.host = host;
    def.polygons.vertices = soup->items;
    def.polygons.vertex_count = soup->count;
    def.polygons.corners = corners;
    def.polygons.polygon_count = soup->count / 3;
    return lf_model_create(&def, model, NULL);
}

/// State while triangles are collected.
typedef struct solid_gathering {
    lf_scene *scene;
    const lf_vec3 *turn;
    lf_status status;
} solid_gathering;

static bool solid_gather(void *user, const lf_vec3 corners[3], int64_t polygon) {
    (void)polygon;
    solid_gathering *g = user;
    const lf_vec3 turned[3] = {lf__rows_point(g->turn, corners[0]), lf__rows_point(g->turn, corners[1]),
                               lf__rows_point(g->turn, corners[2])};
    g->status = lf__triangles_add(g->scene, turned);
    return g->status == LF_OK;
}

lf_status lf__part_solid(lf_scene *scene, lf__part *part, int facets, double stretch,
                         const lf_model **model) {
    lf_pose pose = {.translation = {0, 0, 0}};
    memcpy(pose.rows, part->turn, sizeof pose.rows);
    if (part->form.kind == LF_SHAPE_MODEL && lf_pose_rigid(&pose)) {
        *model = part->form.model;
        return LF_OK;
    }
    if (part->solid && lf__rows_same(part->solid_turn, part->maps.turn)) {
        *model = part->solid;
        return LF_OK;
    }
    lf__solid_free(part);
    solid_gathering g = {scene, part->maps.turn, LF_OK};
    scene->soup.count = 0;
    lf__form_triangles(&part->form, facets, stretch, solid_gather, &g);
    if (g.status == LF_OK)
        g.status = lf__soup_model(scene, &part->solid);
    if (g.status != LF_OK)
        return g.status;
    memcpy(part->solid_turn, part->maps.turn, sizeof part->solid_turn);
    *model = part->solid;
    return LF_OK;
}
