/// Shapes as triangles.
#include "scene/scene.h"

/// Where triangles go.
typedef struct sink {
    lf__show_triangle *show;
    void *user;
    bool enough;
} sink;

static void show(sink *to, lf_vec3 a, lf_vec3 b, lf_vec3 c, int64_t polygon) {
    const lf_vec3 corners[3] = {a, b, c};
    if (!to->enough)
        to->enough = !to->show(to->user, corners, polygon);
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
    for (int64_t p = 0; p < form->polygon_count && !to->enough; p++) {
        const int64_t *corners = form->corners + form->starts[p];
        int64_t count = form->starts[p + 1] - form->starts[p];
        for (int64_t c = 2; c < count; c++)
            show(to, form->vertices[corners[0]], form->vertices[corners[c - 1]], form->vertices[corners[c]],
                 form->kind == LF_SHAPE_PATH ? 0 : p);
    }
}

static void show_model(sink *to, const lf_model *model) {
    int64_t count = lf_model_describe(model).triangle_count;
    for (int64_t i = 0; i < count && !to->enough; i++) {
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
    return !to.enough;
}

/// What turns triangles of a shape into those of the world.
typedef struct carrier {
    const lf__part *part;
    lf_vec3 place;
    bool mirrored;
    lf_scene_triangle triangle;
    bool (*show)(void *user, const lf_scene_triangle *triangle);
    void *user;
} carrier;

static bool carry(void *user, const lf_vec3 corners[3], int64_t polygon) {
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
    for (uint32_t i = id.index; i != LF__NOWHERE; i = lf__part_after(scene, i, id.index)) {
        const lf__part *part = lf__part_at(scene, i);
        carrier c = {.part = part, .show = function, .user = user};
        if (part->instance != LF__NOWHERE)
            c.place = lf__instance_at(scene, part->instance)->pose.translation;
        c.mirrored = lf__rows_determinant(part->turn) < 0;
        c.triangle.part = lf__part_id(scene, i);
        lf_part_colour(scene, c.triangle.part, &c.triangle.colour);
        if (!lf__form_triangles(&part->form, facets, 1, carry, &c))
            break;
    }
    atomic_fetch_sub_explicit(&scene->showing, 1, memory_order_relaxed);
    return LF_OK;
}
