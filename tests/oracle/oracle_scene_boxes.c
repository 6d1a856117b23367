/// Boxes at every level against those of all vertices, computed again in a plain way, after thousands of random changes.
#include "support.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INSTANCES 6
#define PARTS_MOST 2000

static lf_box thick(lf_box box, double thickness) {
    double *low[3] = {&box.low.x, &box.low.y, &box.low.z}, *high[3] = {&box.high.x, &box.high.y, &box.high.z};
    for (int k = 0; k < 3; k++)
        if (!(*high[k] - *low[k] >= thickness)) {
            double middle = 0.5 * *low[k] + 0.5 * *high[k];
            *low[k] = middle - 0.5 * thickness, *high[k] = middle + 0.5 * thickness;
        }
    return box;
}

/// What a shape was asked to be: its transforms, those above and the instance's, one after the other on a point and on the
/// shape's origin, in long doubles.
typedef struct point3 {
    long double x[3];
} point3;

static point3 rotated(point3 p, lf_vec3 axis, long double angle) {
    long double length =
        sqrtl((long double)axis.x * axis.x + (long double)axis.y * axis.y + (long double)axis.z * axis.z);
    long double k[3] = {axis.x / length, axis.y / length, axis.z / length};
    long double c = cosl(angle), s = sinl(angle), along = 0;
    for (int i = 0; i < 3; i++)
        along += k[i] * p.x[i];
    point3 out;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        out.x[i] = p.x[i] * c + (k[j] * p.x[l] - k[l] * p.x[j]) * s + k[i] * along * (1 - c);
    }
    return out;
}

static point3 applied(const lf_transform *t, point3 p, point3 origin) {
    const double v[3] = {t->vector.x, t->vector.y, t->vector.z};
    point3 about = {{0, 0, 0}};
    if (t->about == LF_TRANSFORM_ABOUT_EACH && t->kind != LF_TRANSFORM_TRANSLATE)
        about = origin;
    for (int i = 0; i < 3; i++)
        p.x[i] -= about.x[i];
    if (t->kind == LF_TRANSFORM_ROTATE)
        p = rotated(p, t->vector, t->angle);
    for (int i = 0; i < 3; i++) {
        if (t->kind == LF_TRANSFORM_TRANSLATE)
            p.x[i] += v[i];
        if (t->kind == LF_TRANSFORM_SCALE)
            p.x[i] *= v[i];
        p.x[i] += about.x[i];
    }
    return p;
}

/// Where a vertex of a part is by the list of transforms alone; slow and plain.
static point3 carried(const lf_scene *scene, lf_part part, lf_vec3 vertex) {
    point3 p = {{vertex.x, vertex.y, vertex.z}}, origin = {{0, 0, 0}};
    lf_part_info info = {0};
    lf_instance instance = {0, 0};
    for (lf_part at = part; !lf_part_is_none(at); at = info.above) {
        lf_transform list[128];
        int64_t count;
        assert_int_equal(lf_part_transforms(scene, at, list, 128, &count), LF_OK);
        for (int64_t i = 0; i < count; i++) {
            point3 next = applied(&list[i], origin, origin);
            p = applied(&list[i], p, origin);
            origin = next;
        }
        lf_part_describe(scene, at, &info);
        instance = info.instance;
    }
    lf_instance_info body;
    assert_int_equal(lf_instance_describe(scene, instance, &body), LF_OK);
    const double s[3] = {body.scale.x, body.scale.y, body.scale.z};
    const double at[3] = {body.pose.translation.x, body.pose.translation.y, body.pose.translation.z};
    point3 out;
    for (int i = 0; i < 3; i++) {
        lf_vec3 row = body.pose.rows[i];
        out.x[i] = (row.x * s[0] * p.x[0] + row.y * s[1] * p.x[1] + row.z * s[2] * p.x[2]) + at[i];
    }
    return out;
}

/// The vertices that stand for a shape: all of them, or many on a round one.
static int64_t vertices_of(const lf_shape *shape, lf_vec3 *vertices, int64_t space) {
    lf_vec3 half = lf_vec3_scale(shape->size, 0.5);
    int64_t count = 0;
    if (shape->kind == LF_SHAPE_RECTANGLE || shape->kind == LF_SHAPE_BOX) {
        for (int i = 0; i < 8; i++) {
            double z = shape->kind == LF_SHAPE_BOX ? (i & 4 ? half.z : -half.z) : 0;
            vertices[count++] = (lf_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, z};
        }
    } else if (shape->kind == LF_SHAPE_PATH || shape->kind == LF_SHAPE_POLYGONS) {
        assert_true(shape->polygons.vertex_count <= space);
        for (; count < shape->polygons.vertex_count; count++)
            vertices[count] = shape->polygons.vertices[count];
    } else if (shape->kind == LF_SHAPE_MODEL) {
        int64_t triangles = lf_model_describe(shape->model).triangle_count;
        assert_true(3 * triangles <= space);
        for (int64_t t = 0; t < triangles; t++, count += 3)
            lf_model_triangle(shape->model, t, vertices + count, NULL);
    }
    return count;
}

/// The box of a vertex shape as the header says it comes about, to the last bit.
static lf_box box_of_vertices(lf_scene *scene, lf_part part, const lf_vec3 *vertices, int64_t count) {
    lf_affine map;
    lf_vec3 place;
    assert_int_equal(lf_part_map(scene, part, &map, &place), LF_OK);
    lf_box box = lf_box_empty();
    for (int64_t i = 0; i < count; i++)
        box = lf_box_with(box, lf_affine_point(&map, vertices[i]));
    box = thick(box, 0.001);
    return (lf_box){lf_vec3_add(place, box.low), lf_vec3_add(place, box.high)};
}

static bool same_box(lf_box a, lf_box b) {
    return a.low.x == b.low.x && a.low.y == b.low.y && a.low.z == b.low.z && a.high.x == b.high.x &&
           a.high.y == b.high.y && a.high.z == b.high.z;
}

/// The largest number around, to which rounding is relative.
static double magnitude(lf_box box) {
    return fmax(fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y))),
                fmax(fmax(fabs(box.low.z), fabs(box.high.z)), 1));
}

/// Support of a round shape along a world axis: sampled points must not stick out, and some must come near to each side.
static void check_round(const lf_scene *scene, lf_part part, const lf_shape *shape, lf_box box) {
    double slack = 1e-9 * magnitude(box);
    lf_box seen = lf_box_empty();
    for (int i = 0; i < 24; i++)
        for (int j = 0; j <= 12; j++) {
            double a = 6.283185307179586 * i / 24, b = 3.141592653589793 * j / 12;
            double wide = shape->kind == LF_SHAPE_SPHERE ? shape->radius * sin(b) : shape->radius;
            double z = shape->kind == LF_SHAPE_SPHERE ? shape->radius * cos(b)
                                                      : (j % 2 ? 0.5 : -0.5) * shape->size.z;
            point3 p = carried(scene, part, (lf_vec3){wide * cos(a), wide * sin(a), z});
            seen = lf_box_with(seen, (lf_vec3){(double)p.x[0], (double)p.x[1], (double)p.x[2]});
        }
    const double lows[3] = {box.low.x, box.low.y, box.low.z}, highs[3] = {box.high.x, box.high.y, box.high.z};
    const double seen_low[3] = {seen.low.x, seen.low.y, seen.low.z};
    const double seen_high[3] = {seen.high.x, seen.high.y, seen.high.z};
    for (int k = 0; k < 3; k++) {
        assert_true(seen_low[k] >= lows[k] - slack && seen_high[k] <= highs[k] + slack);
        // Samples are at most 7.5 degrees from the outermost point in both angles: they reach cos(7.5)^2 of
        // the way.
        double half = 0.5 * (highs[k] - lows[k]), reach = 0.5 * (seen_high[k] - seen_low[k]);
        assert_true(reach >= half * 0.98 - slack - 0.001);
    }
}

/// Check one shape, and give its box.
static lf_box check_shape(lf_scene *scene, lf_part part) {
    static lf_vec3 vertices[256];
    lf_part_info info;
    lf_box box;
    assert_int_equal(lf_part_describe(scene, part, &info), LF_OK);
    lf_shape shape = info.shape;
    assert_int_equal(lf_part_box(scene, part, &box), LF_OK);
    int64_t count = vertices_of(&shape, vertices, 256);
    if (count == 0) {
        check_round(scene, part, &shape, box);
        return box;
    }
    assert_true(same_box(box, box_of_vertices(scene, part, vertices, count)));
    lf_box plain = lf_box_empty();
    for (int64_t i = 0; i < count; i++) {
        point3 p = carried(scene, part, vertices[i]);
        plain = lf_box_with(plain, (lf_vec3){(double)p.x[0], (double)p.x[1], (double)p.x[2]});
    }
    plain = thick(plain, 0.001);
    double slack = 1e-9 * magnitude(box);
    assert_true(fabs(plain.low.x - box.low.x) <= slack && fabs(plain.high.x - box.high.x) <= slack);
    assert_true(fabs(plain.low.y - box.low.y) <= slack && fabs(plain.high.y - box.high.y) <= slack);
    assert_true(fabs(plain.low.z - box.low.z) <= slack && fabs(plain.high.z - box.high.z) <= slack);
    return box;
}

/// Check a part and all below it; gives the union of its shapes' boxes.
static lf_box check_part(lf_scene *scene, lf_part part) {
    lf_part_info info;
    assert_int_equal(lf_part_describe(scene, part, &info), LF_OK);
    if (info.shape.kind != LF_SHAPE_SOLID)
        return check_shape(scene, part);
    lf_box all = lf_box_empty(), box;
    for (lf_part at = info.first; !lf_part_is_none(at);) {
        all = lf_box_union(all, check_part(scene, at));
        lf_part_info below;
        lf_part_describe(scene, at, &below);
        at = below.next;
    }
    assert_int_equal(lf_part_box(scene, part, &box), LF_OK);
    assert_true(lf_box_is_empty(all) ? lf_box_is_empty(box) : same_box(box, all));
    return all;
}

static lf_vec3 random_vector(test_random *random, double most) {
    double x = test_random_between(random, -most, most), y = test_random_between(random, -most, most);
    return (lf_vec3){x, y, test_random_between(random, -most, most)};
}

static lf_transform random_transform(test_random *random) {
    lf_transform_origin about =
        test_random_below(random, 2) ? LF_TRANSFORM_ABOUT_WHOLE : LF_TRANSFORM_ABOUT_EACH;
    lf_vec3 v = random_vector(random, 1);
    int kind = (int)test_random_below(random, 3);
    if (kind == 0)
        return lf_translation(3 * v.x, 3 * v.y, 3 * v.z);
    if (kind == 1)
        return lf_turning(about, v.x, v.y, v.z + 2, test_random_between(random, -4, 4));
    return lf_scaling(about, exp(0.2 * v.x), exp(0.2 * v.y),
                      test_random_below(random, 8) ? exp(0.2 * v.z) : -1);
}

static lf_shape random_shape(test_random *random, const lf_model *model, lf_vec3 *space) {
    static const int64_t starts[3] = {0, 4, 7}, corners[7] = {0, 1, 2, 3, 4, 5, 0};
    lf_shape shape = lf_part_def_default().shape;
    shape.kind = (lf_shape_kind)(1 + test_random_below(random, 7));
    shape.size = (lf_vec3){test_random_between(random, 0.1, 3), test_random_between(random, 0.1, 3),
                           test_random_between(random, 0.1, 3)};
    shape.radius = test_random_between(random, 0.1, 2);
    shape.model = model;
    shape.polygons.vertices = space;
    shape.polygons.vertex_count = 6;
    for (int i = 0; i < 6; i++)
        space[i] = shape.kind == LF_SHAPE_PATH
                       ? (lf_vec3){cos(i) * (1 + 0.1 * i), sin(i) * (1 + 0.1 * i), 0.2}
                       : random_vector(random, 2);
    shape.polygons.starts = starts;
    shape.polygons.corners = corners;
    shape.polygons.polygon_count = 2;
    return shape;
}

static lf_model *random_model(test_random *random) {
    lf_vec3 vertices[60];
    int64_t corners[60];
    for (int i = 0; i < 60; i++)
        vertices[i] = random_vector(random, 2), corners[i] = i;
    lf_model_def def = lf_model_def_default();
    def.polygons = (lf_polygons){vertices, 60, NULL, corners, 20, NULL, NULL, NULL};
    lf_model *model;
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    return model;
}

/// Any part of an instance, at random.
static lf_part random_part(test_random *random, const lf_scene *scene, lf_instance instance) {
    lf_instance_info info;
    assert_int_equal(lf_instance_describe(scene, instance, &info), LF_OK);
    lf_part at = info.top;
    for (int deep = 0; deep < 4; deep++) {
        lf_part_info part;
        lf_part_describe(scene, at, &part);
        if (lf_part_is_none(part.first) || test_random_below(random, 4) == 0)
            break;
        at = part.first;
        for (int64_t skip = test_random_below(random, 4); skip > 0; skip--) {
            lf_part_describe(scene, at, &part);
            if (!lf_part_is_none(part.next))
                at = part.next;
        }
    }
    return at;
}

static void add_random(test_random *random, lf_scene *scene, lf_part above, const lf_model *model) {
    lf_vec3 space[6];
    lf_transform transform = random_transform(random);
    lf_part_def def = lf_part_def_default();
    if (test_random_below(random, 3) != 0)
        def.shape = random_shape(random, model, space);
    def.transforms = &transform;
    def.transform_count = (int64_t)test_random_below(random, 2);
    lf_part_info info;
    lf_part_describe(scene, above, &info);
    lf_status wanted = info.shape.kind == LF_SHAPE_SOLID ? LF_OK : LF_BAD_ARGUMENT;
    assert_int_equal(lf_part_add(scene, above, &def, NULL, NULL), wanted);
}

static void change(test_random *random, lf_scene *scene, lf_instance instance, const lf_model *model) {
    lf_part part = random_part(random, scene, instance);
    lf_part_info info;
    lf_part_describe(scene, part, &info);
    lf_vec3 space[6], v = random_vector(random, 1);
    lf_transform transform = random_transform(random);
    switch (test_random_below(random, 9)) {
    case 0:
        add_random(random, scene, part, model);
        break;
    case 1:
        if (lf_scene_describe(scene).part_count > PARTS_MOST || test_random_below(random, 3) == 0)
            assert_int_equal(lf_part_remove(scene, part),
                             lf_part_is_none(info.above) ? LF_BAD_ARGUMENT : LF_OK);
        break;
    case 2:
        assert_int_equal(lf_part_set_transforms(scene, part, &transform, test_random_below(random, 2)),
                         LF_OK);
        break;
    case 3:
        if (info.shape.kind != LF_SHAPE_SOLID) {
            lf_shape shape = random_shape(random, model, space);
            assert_int_equal(lf_part_set_shape(scene, part, &shape, NULL), LF_OK);
        }
        break;
    case 4:
        if (info.shape.kind == LF_SHAPE_POLYGONS)
            assert_int_equal(lf_part_set_vertex(scene, part, test_random_below(random, 6), v), LF_OK);
        break;
    case 5:
        assert_int_equal(lf_instance_move(scene, instance, lf_vec3_scale(v, 100)), LF_OK);
        break;
    case 6:
        assert_int_equal(lf_instance_turn(scene, instance, (lf_vec3){v.x, v.y, v.z + 2}, v.x), LF_OK);
        break;
    default: // a list that is not folded can be checked plainly
        if (info.transform_count < 60)
            assert_int_equal(lf_part_transform(scene, part, &transform), LF_OK);
        if (info.transform_count > 6)
            lf_part_set_transforms(scene, part, NULL, 0);
    }
}

static void boxes_are_those_of_all_vertices(void **state) {
    (void)state;
    test_random random = test_random_start(801);
    lf_model *model = random_model(&random);
    lf_scene *scene;
    assert_int_equal(lf_scene_create(NULL, &scene, NULL), LF_OK);
    lf_object_def object_def = lf_object_def_default();
    lf_instance instances[INSTANCES];
    for (int i = 0; i < INSTANCES; i++) {
        lf_object object;
        lf_part top;
        assert_int_equal(lf_object_create(scene, &object_def, &object, &top, NULL), LF_OK);
        for (int p = 0; p < 3; p++)
            add_random(&random, scene, top, model);
        lf_instance_def def = lf_instance_def_default();
        def.object = object;
        def.scale = (lf_vec3){1, test_random_between(&random, 0.5, 2), 1};
        assert_int_equal(lf_instance_create(scene, &def, &instances[i], NULL), LF_OK);
    }
    for (int64_t round = 0; round < test_rounds(3000); round++) {
        lf_instance which = instances[test_random_below(&random, INSTANCES)];
        change(&random, scene, which, model);
        if (round % 7 == 0) {
            lf_instance_info info;
            lf_instance_describe(scene, which, &info);
            check_part(scene, info.top);
        }
    }
    lf_scene_destroy(scene);
    lf_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_are_those_of_all_vertices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
