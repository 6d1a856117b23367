/// Making, describing and giving back models.
#include "model/model.h"
#include "base/base.h"
#include "model/field.h"
#include <string.h>

/// How often the sphere's centre is drawn towards the farthest vertex.
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

static void look_at_corners(void *user, uint32_t triangle) {
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
    lf__tree_visitor visitor = {may_be_farther, look_at_corners, &search};
    lf__tree_visit(model->tree, &visitor, NULL);
    *distance = sqrt(search.square);
    return search.farthest;
}

/// Starts in the middle of the box and goes a shrinking share of the way to the farthest corner: within a few percent of the
/// least sphere. The best centre on the way is kept.
void lf__model_enclose(lf_model *model) {
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

static lf_status make_tree(lf_model *model, const lf_host *host, lf_error *error) {
    lf_tree_def def = lf_tree_def_default();
    def.host = *host;
    def.vertices = model->vertices;
    def.corners = model->corners;
    def.triangle_count = model->triangle_count;
    return lf_tree_create(&def, &model->tree, error);
}

static bool power_of_two(int x) {
    return x > 0 && (x & (x - 1)) == 0;
}

static lf_status check_field(const lf_field_def *def, lf_error *error) {
    if (def->sectors == 0)
        return LF_OK;
    if (def->sectors < 2 || def->sectors > LF__FIELD_SECTORS_MOST || !power_of_two(def->sectors))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d sectors: not a power of two from 2 to %d",
                        def->sectors, LF__FIELD_SECTORS_MOST);
    if (def->layers < 1 || def->layers > LF__FIELD_LAYERS_MOST)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%d layers: not within 1..%d", def->layers,
                        LF__FIELD_LAYERS_MOST);
    if ((int)def->centre < LF_FIELD_CENTRE_SPHERE || def->centre > LF_FIELD_CENTRE_GIVEN)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "there is no centre of kind %d", (int)def->centre);
    lf_vec3 at = def->at;
    if (def->centre == LF_FIELD_CENTRE_GIVEN &&
        !(fabs(at.x) <= LF__MODEL_LIMIT && fabs(at.y) <= LF__MODEL_LIMIT && fabs(at.z) <= LF__MODEL_LIMIT))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the centre (%g, %g, %g) is not within 1e30", at.x, at.y,
                        at.z);
    return LF_OK;
}

static lf_status make_field(lf_model *model, const lf_model_def *def) {
    if (def->field.sectors == 0)
        return LF_OK;
    model->field = lf__take(&model->allocator, sizeof *model->field, _Alignof(lf__field));
    if (!model->field)
        return LF_NO_MEMORY;
    return lf__field_build(model->field, model, &def->field, &def->host);
}

lf_status lf_model_create(const lf_model_def *given, lf_model **model, lf_error *error) {
    lf_model_def def = lf_model_def_default();
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    if (!model)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "model is NULL");
    status = check_field(&def.field, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_model *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_model));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_model){.allocator = allocator, .apart = lf__apart_kernel_for(lf_isa_best())};
    status = lf__model_copy(fresh, &def, error);
    if (status == LF_OK) {
        status = lf__model_count_open(fresh);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    if (status == LF_OK)
        status = make_tree(fresh, &def.host, error);
    if (status == LF_OK) {
        lf__model_enclose(fresh);
        status = make_field(fresh, &def);
        if (status == LF_TOO_LARGE)
            lf__fail(
                error, status, -1,
                "a distance field of %d sectors: its centre is surrounded by too many of the %lld triangles",
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
    if (model->field) {
        lf__field_free(model->field, &allocator);
        lf__give(&allocator, model->field, sizeof *model->field, _Alignof(lf__field));
    }
    lf_tree_destroy(model->tree);
    lf__give_array(&allocator, model->layers, model->polygon_count, sizeof *model->layers);
    lf__give_array(&allocator, model->users, model->polygon_count, sizeof *model->users);
    lf__give_array(&allocator, model->owners, model->triangle_count, sizeof *model->owners);
    lf__give_array(&allocator, model->corners, 3 * model->triangle_count, sizeof *model->corners);
    lf__give_array(&allocator, model->vertices, model->vertex_count, sizeof *model->vertices);
    lf__give(&allocator, model, sizeof *model, _Alignof(lf_model));
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
                          .tree_bytes = lf_tree_describe(model->tree).bytes};
    info.field_bytes = model->field ? lf__field_bytes(model->field) : 0;
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
