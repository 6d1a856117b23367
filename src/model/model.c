/// Models: checking and copying the caller's polygons, counting open edges, building, describing and
/// destroying.
#include "model/model.h"
#include "base/base.h"
#include "geom/geometry.h"
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Copying polygons
// ---------------------------------------------------------------------------------------------------

static int64_t model_polygon_start(const lf_polygons *from, int64_t polygon) {
    return from->starts ? from->starts[polygon] : 3 * polygon;
}

static lf_status model_check_arrays(const lf_polygons *from, lf_error *error) {
    if (from->polygon_count < 1)
        return lf__fail(error, LF_BAD_GEOMETRY, -1, "polygon_count %lld: expected at least 1",
                        (long long)from->polygon_count);
    if (!from->vertices || !from->corners || from->vertex_count < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "polygons: vertices or corners are missing");
    if (from->vertex_count > UINT32_MAX || from->polygon_count > INT32_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld vertices, %lld polygons: too many for one model",
                        (long long)from->vertex_count, (long long)from->polygon_count);
    if (from->starts && from->starts[0] != 0)
        return lf__fail(error, LF_BAD_ARGUMENT, 0, "starts[0] %lld: expected 0", (long long)from->starts[0]);
    return LF_OK;
}

static lf_status count_triangles(lf_model *model, const lf_polygons *from, lf_error *error) {
    int64_t triangles = 0;
    for (int64_t i = 0; i < from->polygon_count; i++) {
        int64_t size;
        if (__builtin_sub_overflow(model_polygon_start(from, i + 1), model_polygon_start(from, i), &size) ||
            size < 3)
            return lf__fail(error, LF_BAD_GEOMETRY, i, "polygon %lld: expected at least 3 corners",
                            (long long)i);
        if (__builtin_add_overflow(triangles, size - 2, &triangles) || triangles > INT32_MAX)
            return lf__fail(error, LF_TOO_LARGE, i, "polygons: more than %d triangles", INT32_MAX);
    }
    model->triangle_count = triangles;
    return LF_OK;
}

static lf_status model_allocate(lf_model *model, const lf_polygons *from) {
    const lf_allocator *allocator = &model->allocator;
    model->vertex_count = from->vertex_count;
    model->polygon_count = from->polygon_count;
    lf_status status = lf__allocate_array(allocator, model->vertex_count, sizeof *model->vertices,
                                          (void **)&model->vertices);
    if (status == LF_OK)
        status = lf__allocate_array(allocator, 3 * model->triangle_count, sizeof *model->corners,
                                    (void **)&model->corners);
    if (status == LF_OK && model->triangle_count != model->polygon_count)
        status = lf__allocate_array(allocator, model->triangle_count, sizeof *model->owners,
                                    (void **)&model->owners);
    if (status == LF_OK && from->users)
        status =
            lf__allocate_array(allocator, model->polygon_count, sizeof *model->users, (void **)&model->users);
    if (status == LF_OK && from->layers)
        status = lf__allocate_array(allocator, model->polygon_count, sizeof *model->layers,
                                    (void **)&model->layers);
    return status;
}

static bool model_vertex_usable(lf_vec3 v) {
    return fabs(v.x) <= LF__MODEL_LIMIT && fabs(v.y) <= LF__MODEL_LIMIT && fabs(v.z) <= LF__MODEL_LIMIT;
}

static lf_status check_corners(const lf_polygons *from, int64_t polygon, lf_error *error) {
    for (int64_t k = model_polygon_start(from, polygon); k < model_polygon_start(from, polygon + 1); k++) {
        int64_t vertex = from->corners[k];
        if (vertex < 0 || vertex >= from->vertex_count)
            return lf__fail(error, LF_BAD_ARGUMENT, polygon,
                            "polygon %lld: vertex %lld: expected a number below %lld", (long long)polygon,
                            (long long)vertex, (long long)from->vertex_count);
        lf_vec3 v = from->vertices[vertex];
        if (!model_vertex_usable(v))
            return lf__fail(error, LF_BAD_GEOMETRY, polygon,
                            "polygon %lld: vertex %lld at (%g, %g, %g): expected coordinates within 1e30",
                            (long long)polygon, (long long)vertex, v.x, v.y, v.z);
    }
    return LF_OK;
}

/// Exact; the filter of the first line decides almost every triangle.
static bool triangle_has_no_area(const lf_vec3 t[3]) {
    lf_vec3 u = lf_vec3_sub(t[1], t[0]), v = lf_vec3_sub(t[2], t[0]), n = lf_vec3_cross(u, v);
    if (lf_vec3_dot(n, n) > 1e-20 * lf_vec3_dot(u, u) * lf_vec3_dot(v, v))
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (lf_orient2d(lf__project(t[0], axis), lf__project(t[1], axis), lf__project(t[2], axis)) != 0)
            return false;
    return true;
}

static void model_copy_polygon(lf_model *model, const lf_polygons *from, int64_t polygon, int64_t *triangle) {
    const int64_t *ring = from->corners + model_polygon_start(from, polygon);
    int64_t size = model_polygon_start(from, polygon + 1) - model_polygon_start(from, polygon);
    for (int64_t k = 1; k + 1 < size; k++, ++*triangle) {
        uint32_t *corner = model->corners + 3 * *triangle;
        corner[0] = (uint32_t)ring[0];
        corner[1] = (uint32_t)ring[k];
        corner[2] = (uint32_t)ring[k + 1];
        if (model->owners)
            model->owners[*triangle] = (uint32_t)polygon;
        lf_vec3 t[3];
        lf__model_corners(model, *triangle, t);
        model->flat_count += triangle_has_no_area(t);
    }
}

/// Check the caller's polygons and copy them into a model.
static lf_status model_copy(lf_model *model, const lf_model_def *def, lf_error *error) {
    const lf_polygons *from = &def->polygons;
    lf_status status = model_check_arrays(from, error);
    if (status == LF_OK)
        status = count_triangles(model, from, error);
    if (status != LF_OK)
        return status;
    status = model_allocate(model, from);
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
        model_copy_polygon(model, from, i, &triangle);
        if (i % 65536 == 0 && !lf__report(&def->host, "check", i, from->polygon_count))
            return lf__fail_plain(error, LF_CANCELLED);
    }
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// Open edges
// ---------------------------------------------------------------------------------------------------

// A model is closed when every edge is traversed equally often in both directions: only then is there an
// inside. Corners are the same where their coordinates are, whatever their numbers: triangle soups of closed
// shapes count as closed.

/// For each vertex the lowest one with the same coordinates. Unused vertices may be NaN; these equal no
/// other.
static lf_status find_places(const lf_model *model, uint32_t *places) {
    lf__table table = {0};
    lf_status status = lf__table_reserve(&table, &model->allocator, model->vertex_count);
    for (int64_t i = 0; i < model->vertex_count && status == LF_OK; i++) {
        uint64_t hash = lf__place_hash(model->vertices[i]);
        const lf__table_entry *entry = lf__table_find(&table, hash);
        while (entry && !lf__place_same(model->vertices[entry->value], model->vertices[i]))
            entry = lf__table_next(&table, entry);
        if (!entry)
            lf__table_add(&table, hash, (uint64_t)i);
        places[i] = entry ? (uint32_t)entry->value : (uint32_t)i;
    }
    lf__table_free(&table, &model->allocator);
    return status;
}

/// The value of an edge counts how much more often it is traversed upwards than downwards; 0 is not kept, so that the
/// table stays small. It has space.
static void pass_edge(lf__table *table, uint32_t from, uint32_t to) {
    if (from == to)
        return;
    uint64_t key = from < to ? (uint64_t)from << 32 | to : (uint64_t)to << 32 | from,
             one = from < to ? 1 : UINT64_MAX;
    lf__table_entry *entry = lf__table_find(table, key);
    if (!entry)
        lf__table_add(table, key, one);
    else if ((entry->value += one) == 0)
        lf__table_remove(table, entry);
}

/// Count the edges that are not traversed equally often in both directions.
static lf_status model_count_open(lf_model *model) {
    const lf_allocator *allocator = &model->allocator;
    uint32_t *places = NULL;
    lf__table edges = {0};
    lf_status status = lf__allocate_array(allocator, model->vertex_count, sizeof *places, (void **)&places);
    if (status == LF_OK)
        status = find_places(model, places);
    for (int64_t i = 0; i < model->triangle_count && status == LF_OK; i++) {
        const uint32_t *corner = model->corners + 3 * i;
        status = lf__table_reserve(&edges, allocator, 3);
        for (int c = 0; c < 3 && status == LF_OK; c++)
            pass_edge(&edges, places[corner[c]], places[corner[(c + 1) % 3]]);
    }
    model->open_count = edges.count;
    lf__table_free(&edges, allocator);
    lf__free_array(allocator, places, model->vertex_count, sizeof *places);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Building and describing
// ---------------------------------------------------------------------------------------------------

/// The number of times the sphere's centre is moved towards the farthest vertex.
#define SPHERE_STEPS 24

/// A search for the corner farthest from a point.
typedef struct far_search {
    const lf_model *model;
    lf_vec3 point, farthest;
    double square;
} far_search;

static bool may_be_farther(void *user, const lf_box *box) {
    const far_search *search = user;
    lf_vec3 low = lf_vec3_sub(search->point, box->low), high = lf_vec3_sub(box->high, search->point);
    double x = fmax(low.x, high.x), y = fmax(low.y, high.y), z = fmax(low.z, high.z);
    return (x * x + y * y + z * z) * (1 + 1e-6) >= search->square;
}

static void test_corners(void *user, uint32_t triangle) {
    far_search *search = user;
    lf_vec3 t[3];
    lf__model_corners(search->model, triangle, t);
    for (int c = 0; c < 3; c++) {
        lf_vec3 d = lf_vec3_sub(t[c], search->point);
        double square = lf_vec3_dot(d, d);
        if (square > search->square)
            search->square = square, search->farthest = t[c];
    }
}

/// The corner farthest from a point, and how far it is.
static lf_vec3 farthest_from(const lf_model *model, lf_vec3 point, double *distance) {
    far_search search = {model, point, point, 0};
    lf__bvh_visitor visitor = {may_be_farther, test_corners, &search};
    lf__bvh_visit(model->tree, &visitor, NULL);
    *distance = sqrt(search.square);
    return search.farthest;
}

/// Set the sphere around everything. The centre starts in the middle of the box and moves a shrinking share
/// towards the farthest corner; the best centre is kept. The result is within a few percent of the smallest
/// sphere.
static void model_enclose(lf_model *model) {
    lf_vec3 centre = lf_box_centre(model->tree->box);
    model->radius = LF_INFINITY;
    for (int i = 0; i < SPHERE_STEPS; i++) {
        double radius;
        lf_vec3 farthest = farthest_from(model, centre, &radius);
        if (radius < model->radius)
            model->centre = centre, model->radius = radius;
        centre = lf_vec3_along(centre, 1.0 / (i + 2), lf_vec3_sub(farthest, centre));
    }
    model->radius *= 1 + 0x1p-40; // rounding, of distances and of the centre in the world
    model->reach = (lf_vec3_length(model->centre) + model->radius) * (1 + 1e-8); // poses are not quite rigid
}

static lf_status model_make_tree(lf_model *model, const lf_host *host, lf_error *error) {
    lf__bvh_def def = lf__bvh_def_default();
    def.host = *host;
    def.vertices = model->vertices;
    def.corners = model->corners;
    def.triangle_count = model->triangle_count;
    return lf__bvh_create(&def, &model->tree, error);
}

static bool power_of_two(int x) {
    return x > 0 && (x & (x - 1)) == 0;
}

lf_status lf__field_check(const lf_field_def *def, lf_error *error) {
    if (def->sectors == 0)
        return LF_OK;
    if (def->sectors < 2 || def->sectors > LF__FIELD_SECTORS_MAX || !power_of_two(def->sectors))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "sectors %d: expected a power of two within 2..%d",
                        def->sectors, LF__FIELD_SECTORS_MAX);
    if (def->layers < 1 || def->layers > LF__FIELD_LAYERS_MAX)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "layers %d: expected 1..%d", def->layers,
                        LF__FIELD_LAYERS_MAX);
    if ((int)def->centre < LF_FIELD_CENTRE_SPHERE || def->centre > LF_FIELD_CENTRE_GIVEN)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "centre %d: unknown kind", (int)def->centre);
    lf_vec3 at = def->at;
    if (def->centre == LF_FIELD_CENTRE_GIVEN &&
        !(fabs(at.x) <= LF__MODEL_LIMIT && fabs(at.y) <= LF__MODEL_LIMIT && fabs(at.z) <= LF__MODEL_LIMIT))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "centre (%g, %g, %g): expected coordinates within 1e30",
                        at.x, at.y, at.z);
    return LF_OK;
}

static lf_status make_field(lf_model *model, const lf_model_def *def) {
    if (def->field.sectors == 0)
        return LF_OK;
    model->field_record = def->field;
    return def->field.functions->build(model, &def->field, &def->host);
}

lf_status lf_model_create(const lf_model_def *given, lf_model **model, lf_error *error) {
    lf_model_def def = lf_model_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!model)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "model is NULL");
    status = lf__field_check(&def.field, error);
    if (status == LF_OK && def.field.sectors > 0 && !def.field.functions)
        status =
            lf__fail(error, LF_BAD_ARGUMENT, -1,
                     "sectors %d: functions is NULL: expected those of a distance field", def.field.sectors);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_model *fresh = lf__allocate(&allocator, sizeof *fresh, _Alignof(lf_model));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_model){.allocator = allocator, .apart = lf__apart_kernel_for(lf_isa_best())};
    status = model_copy(fresh, &def, error);
    if (status == LF_OK) {
        status = model_count_open(fresh);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK)
        status = model_make_tree(fresh, &def.host, error);
    if (status == LF_OK) {
        model_enclose(fresh);
        status = lf__model_make_skin(fresh);
        if (status == LF_OK)
            status = make_field(fresh, &def);
        if (status == LF_TOO_LARGE)
            lf__fail(
                error, status, -1,
                "distance field of %d sectors: its centre is surrounded by too many of the %lld triangles",
                def.field.sectors, (long long)fresh->triangle_count);
        else if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status != LF_OK) {
        lf_model_destroy(fresh);
        return status;
    }
    *model = fresh;
    return LF_OK;
}

void lf_model_destroy(lf_model *model) {
    if (!model)
        return;
    lf_allocator allocator = model->allocator;
    if (model->field)
        lf__field_functions(model)->destroy(model);
    lf__model_free_skin(model);
    lf__bvh_destroy(model->tree);
    lf__free_array(&allocator, model->layers, model->polygon_count, sizeof *model->layers);
    lf__free_array(&allocator, model->users, model->polygon_count, sizeof *model->users);
    lf__free_array(&allocator, model->owners, model->triangle_count, sizeof *model->owners);
    lf__free_array(&allocator, model->corners, 3 * model->triangle_count, sizeof *model->corners);
    lf__free_array(&allocator, model->vertices, model->vertex_count, sizeof *model->vertices);
    lf__free(&allocator, model, sizeof *model, _Alignof(lf_model));
}

static size_t array_bytes(const void *array, int64_t count, size_t item) {
    return array ? (size_t)count * item : 0;
}

lf_model_info lf_model_describe(const lf_model *model) {
    lf_model_info info = {.vertex_count = model->vertex_count,
                          .polygon_count = model->polygon_count,
                          .triangle_count = model->triangle_count,
                          .flat_count = model->flat_count,
                          .open_count = model->open_count,
                          .closed = model->open_count == 0,
                          .box = model->tree->box,
                          .centre = model->centre,
                          .radius = model->radius,
                          .tree_bytes = lf__bvh_describe(model->tree).bytes};
    info.field_bytes = model->field ? lf__field_functions(model)->bytes(model) : 0;
    info.bytes = sizeof *model + info.tree_bytes + info.field_bytes +
                 array_bytes(model->vertices, model->vertex_count, sizeof *model->vertices) +
                 array_bytes(model->corners, 3 * model->triangle_count, sizeof *model->corners) +
                 array_bytes(model->owners, model->triangle_count, sizeof *model->owners) +
                 array_bytes(model->users, model->polygon_count, sizeof *model->users) +
                 array_bytes(model->layers, model->polygon_count, sizeof *model->layers);
    return info;
}

lf_status lf_model_triangle(const lf_model *model, int64_t triangle, lf_vec3 *corners, int64_t *polygon) {
    if (!model || !corners || triangle < 0 || triangle >= model->triangle_count)
        return LF_BAD_ARGUMENT;
    lf__model_corners(model, triangle, corners);
    if (polygon)
        *polygon = lf__model_owner(model, triangle);
    return LF_OK;
}
