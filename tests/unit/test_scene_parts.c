/// Objects, parts, labels, tags, transforms, parameters, ids.
#include "scenes.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const lf_vec3 unit = {1, 1, 1}, still = {0, 0, 0};
#define QUARTER 1.57079632679489661923

static void near_box(lf_box box, lf_box wanted) {
    assert_true(fabs(box.low.x - wanted.low.x) < 1e-9 && fabs(box.high.x - wanted.high.x) < 1e-9);
    assert_true(fabs(box.low.y - wanted.low.y) < 1e-9 && fabs(box.high.y - wanted.high.y) < 1e-9);
    assert_true(fabs(box.low.z - wanted.low.z) < 1e-9 && fabs(box.high.z - wanted.high.z) < 1e-9);
}

static lf_box box_of(lf_scene *scene, lf_instance instance) {
    lf_box box;
    assert_int_equal(lf_part_box(scene, test_top(scene, instance), &box), LF_OK);
    return box;
}

/// A solid with two long bars at x = -5 and x = 5, each 4 long in x and 1 wide.
static lf_instance two_bars(lf_scene *scene) {
    lf_object_def def = lf_object_def_default();
    lf_object object;
    lf_part top;
    assert_int_equal(lf_object_create(scene, &def, &object, &top, NULL), LF_OK);
    test_part(scene, top, LF_SHAPE_BOX, (lf_vec3){4, 1, 1}, (lf_vec3){-5, 0, 0});
    test_part(scene, top, LF_SHAPE_BOX, (lf_vec3){4, 1, 1}, (lf_vec3){5, 0, 0});
    return test_instance(scene, object, still, still);
}

static void transforms_act_on_the_whole_or_on_each(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance whole = two_bars(scene), each = two_bars(scene);
    near_box(box_of(scene, whole), (lf_box){{-7, -0.5, -0.5}, {7, 0.5, 0.5}});
    lf_transform turn = lf_turning(LF_TRANSFORM_ABOUT_WHOLE, 0, 0, 1, QUARTER);
    assert_int_equal(lf_part_transform(scene, test_top(scene, whole), &turn), LF_OK);
    near_box(box_of(scene, whole), (lf_box){{-0.5, -7, -0.5}, {0.5, 7, 0.5}});
    turn.about = LF_TRANSFORM_ABOUT_EACH; // the bars turn where they are: the box even becomes shorter
    assert_int_equal(lf_part_transform(scene, test_top(scene, each), &turn), LF_OK);
    near_box(box_of(scene, each), (lf_box){{-5.5, -2, -0.5}, {5.5, 2, 0.5}});
    lf_transform scale = lf_scaling(LF_TRANSFORM_ABOUT_EACH, 1, 0.5, 1);
    assert_int_equal(lf_part_transform(scene, test_top(scene, each), &scale), LF_OK);
    near_box(box_of(scene, each), (lf_box){{-5.5, -1, -0.5}, {5.5, 1, 0.5}});
    scale.about = LF_TRANSFORM_ABOUT_WHOLE;
    scale.vector = (lf_vec3){2, 1, 1};
    assert_int_equal(lf_part_transform(scene, test_top(scene, each), &scale), LF_OK);
    near_box(box_of(scene, each), (lf_box){{-11, -1, -0.5}, {11, 1, 0.5}});
    lf_scene_destroy(scene);
}

static void boxes_come_from_the_shapes_and_not_from_the_turned_box(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    // A ball and a square plate turned by 45 degrees: the turned box of both would be larger.
    lf_object ball = test_object(scene, LF_SHAPE_SPHERE, (lf_vec3){2, 2, 2});
    lf_instance instance = test_instance(scene, ball, still, still);
    assert_int_equal(lf_instance_turn(scene, instance, (lf_vec3){1, 1, 0}, 0.7), LF_OK);
    near_box(box_of(scene, instance), (lf_box){{-1, -1, -1}, {1, 1, 1}});
    lf_instance plate =
        test_instance(scene, test_object(scene, LF_SHAPE_RECTANGLE, (lf_vec3){2, 2, 9}), still, still);
    near_box(box_of(scene, plate), (lf_box){{-1, -1, -0.0005}, {1, 1, 0.0005}}); // never flat
    assert_int_equal(lf_instance_turn(scene, plate, (lf_vec3){0, 0, 1}, QUARTER / 2), LF_OK);
    assert_int_equal(lf_instance_turn(scene, plate, (lf_vec3){0, 0, 1}, QUARTER / 2), LF_OK);
    near_box(box_of(scene, plate), (lf_box){{-1, -1, -0.0005}, {1, 1, 0.0005}});
    lf_instance can =
        test_instance(scene, test_object(scene, LF_SHAPE_CYLINDER, (lf_vec3){2, 2, 6}), still, still);
    near_box(box_of(scene, can), (lf_box){{-1, -1, -3}, {1, 1, 3}});
    assert_int_equal(lf_instance_turn(scene, can, (lf_vec3){0, 1, 0}, QUARTER), LF_OK);
    near_box(box_of(scene, can), (lf_box){{-3, -1, -1}, {3, 1, 1}});
    assert_int_equal(lf_instance_scale(scene, can, (lf_vec3){1, 1, 0.5}), LF_OK);
    near_box(box_of(scene, can), (lf_box){{-1.5, -1, -1}, {1.5, 1, 1}});
    lf_scene_destroy(scene);
}

static int64_t boxes_for(lf_scene *scene, lf_instance instance) {
    int64_t before = lf_scene_describe(scene).part_boxes;
    box_of(scene, instance);
    return lf_scene_describe(scene).part_boxes - before;
}

static void a_change_touches_only_what_it_must(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance instance = two_bars(scene);
    lf_part top = test_top(scene, instance), groups[10], first = {0, 0};
    for (int g = 0; g < 10; g++) {
        lf_part_def def = lf_part_def_default();
        assert_int_equal(lf_part_add(scene, top, &def, &groups[g], NULL), LF_OK);
        for (int p = 0; p < 100; p++) {
            lf_part part = test_part(scene, groups[g], LF_SHAPE_BOX, unit, (lf_vec3){g, p, 0});
            if (p == 50)
                first = part;
        }
    }
    assert_int_equal(boxes_for(scene, instance), 1 + 2 + 10 + 1000);
    assert_int_equal(boxes_for(scene, instance), 0);
    lf_transform turn = lf_turning(LF_TRANSFORM_ABOUT_WHOLE, 1, 2, 3, 0.1);
    assert_int_equal(lf_part_transform(scene, first, &turn), LF_OK);
    assert_int_equal(boxes_for(scene, instance), 3); // itself, its group, the top
    assert_int_equal(lf_part_transform(scene, groups[3], &turn), LF_OK);
    assert_int_equal(boxes_for(scene, instance), 102);
    assert_int_equal(lf_instance_move(scene, instance, (lf_vec3){5, 5, 5}), LF_OK);
    assert_int_equal(boxes_for(scene, instance), 0); // a move touches nothing at all
    assert_int_equal(lf_part_remove(scene, first), LF_OK);
    assert_int_equal(boxes_for(scene, instance), 2);
    assert_int_equal(lf_part_remove(scene, groups[0]), LF_OK);
    assert_int_equal(boxes_for(scene, instance), 1);
    assert_int_equal(lf_instance_turn(scene, instance, (lf_vec3){0, 0, 1}, 1), LF_OK);
    assert_int_equal(boxes_for(scene, instance), 1 + 2 + 9 + 899);
    lf_scene_destroy(scene);
}

static void labels_tags_and_colours(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_object_def def = lf_object_def_default();
    lf_object object;
    lf_part top, wheel, found;
    assert_int_equal(lf_object_create(scene, &def, &object, &top, NULL), LF_OK);
    lf_part_def part = lf_part_def_default();
    part.shape.kind = LF_SHAPE_CYLINDER;
    part.label = "front left";
    part.tag = "wheel";
    part.user = 5;
    lf_error error;
    assert_int_equal(lf_part_add(scene, top, &part, &wheel, &error), LF_OK);
    assert_int_equal(lf_part_add(scene, top, &part, NULL, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "front left"));
    part.label = "rear left";
    part.colour = (lf_paint){1, 0, 0, 1};
    assert_int_equal(lf_part_add(scene, top, &part, NULL, NULL), LF_OK);
    lf_instance a = test_instance(scene, object, still, still),
                b = test_instance(scene, object, still, still);
    lf_part parts[4];
    int64_t count;
    assert_int_equal(lf_scene_tagged(scene, "wheel", parts, 4, &count), LF_OK);
    assert_int_equal(count, 4);
    assert_int_equal(lf_scene_tagged(scene, "wheel", parts, 3, &count), LF_PARTIAL);
    assert_int_equal(lf_scene_tagged(scene, "door", parts, 3, &count), LF_OK);
    assert_int_equal(count, 0);
    assert_int_equal(lf_part_find(scene, test_top(scene, b), "front left", &found), LF_OK);
    lf_part_info info;
    assert_int_equal(lf_part_describe(scene, found, &info), LF_OK);
    assert_true(info.instance.index == b.index && info.user == 5 && info.shape.kind == LF_SHAPE_CYLINDER);
    assert_string_equal(info.label, "front left");
    lf_affine map;
    lf_vec3 place;
    lf_box box;
    assert_int_equal(lf_part_map(scene, found, &map, &place), LF_OK);
    assert_int_equal(lf_part_box(scene, found, &box), LF_OK);
    lf_vec3 middle = lf_vec3_add(place, lf_affine_point(&map, (lf_vec3){0, 0, 0}));
    lf_vec3 centre = lf_vec3_scale(lf_vec3_add(box.low, box.high), 0.5); // that of a cylinder
    assert_true(lf_vec3_length(lf_vec3_sub(middle, centre)) < 1e-12);
    assert_int_equal(lf_part_map(scene, (lf_part){4000000, 1}, &map, &place), LF_BAD_ARGUMENT);
    assert_int_equal(lf_part_describe(scene, found, &info), LF_OK);
    assert_true(info.colour.red == 0.8f);
    assert_int_equal(lf_part_set_colour(scene, test_top(scene, b), (lf_paint){0, 0, 1, 0.5f}), LF_OK);
    assert_int_equal(lf_part_describe(scene, found, &info), LF_OK);
    assert_true(info.colour.blue == 1 && info.colour.opacity == 0.5f);
    assert_int_equal(lf_part_set_colour(scene, found, (lf_paint){2, 0, 0, 1}), LF_BAD_ARGUMENT);
    lf_part tagged[16];
    int64_t before, after;
    assert_int_equal(lf_scene_tagged(scene, "wheel", tagged, 16, &before), LF_OK);
    assert_int_equal(lf_part_set_tag(scene, found, "wheel", false), LF_OK);
    assert_int_equal(lf_part_set_tag(scene, found, "unheard of", false), LF_OK);
    assert_int_equal(lf_scene_tagged(scene, "wheel", tagged, 16, &after), LF_OK);
    assert_int_equal(after, before - 1);
    for (int64_t i = 0; i < after; i++)
        assert_true(tagged[i].index != found.index);
    assert_int_equal(lf_part_find(scene, test_top(scene, a), "nobody", &found), LF_OK);
    assert_true(lf_part_is_none(found));
    char name[8];
    for (int i = 1; i < 64; i++) {
        snprintf(name, sizeof name, "t%d", i);
        assert_int_equal(lf_part_set_tag(scene, wheel, name, true), LF_OK);
    }
    assert_int_equal(lf_part_set_tag(scene, wheel, "one too many", true), LF_TOO_LARGE);
    lf_scene_destroy(scene);
}

static void ids_of_what_is_gone_are_errors(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance a = test_box(scene, unit, still, still);
    lf_part top = test_top(scene, a);
    assert_int_equal(lf_part_remove(scene, top), LF_BAD_ARGUMENT);
    lf_part part = test_part(scene, top, LF_SHAPE_SPHERE, unit, still);
    assert_int_equal(lf_part_remove(scene, part), LF_OK);
    lf_box box;
    assert_int_equal(lf_part_box(scene, part, &box), LF_BAD_ARGUMENT);
    lf_part again = test_part(scene, top, LF_SHAPE_SPHERE, unit, still); // in the same place
    assert_true(again.index == part.index && again.generation != part.generation);
    assert_int_equal(lf_part_box(scene, part, &box), LF_BAD_ARGUMENT);
    assert_int_equal(lf_instance_remove(scene, a), LF_OK);
    assert_int_equal(lf_instance_remove(scene, a), LF_BAD_ARGUMENT);
    assert_int_equal(lf_part_box(scene, again, &box), LF_BAD_ARGUMENT);
    assert_int_equal(lf_instance_move(scene, a, unit), LF_BAD_ARGUMENT);
    assert_int_equal(lf_part_box(scene, (lf_part){4000000, 1}, &box), LF_BAD_ARGUMENT);
    assert_int_equal(lf_part_box(scene, (lf_part){0, 0}, &box), LF_BAD_ARGUMENT);
    assert_int_equal(lf_scene_describe(scene).instance_count, 0);
    lf_scene_destroy(scene);
}

/// A row of as many boxes as the parameter "count" says, "step" apart.
static lf_status build_row(void *user, lf_scene *scene, lf_part top, const double *parameters) {
    int64_t *calls = user;
    ++*calls;
    for (int i = 0; i < (int)parameters[0]; i++)
        test_part(scene, top, LF_SHAPE_BOX, unit, (lf_vec3){parameters[1] * i, 0, 0});
    return parameters[0] < 0 ? LF_BAD_GEOMETRY : LF_OK;
}

static void objects_take_parameters(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    static const char *const names[2] = {"count", "step"};
    static const double values[2] = {2, 3};
    int64_t calls = 0;
    lf_object_def def = lf_object_def_default();
    def.name = "row";
    def.parameter_count = 2;
    def.parameters = names;
    def.parameter_values = values;
    def.build = build_row;
    def.user = &calls;
    lf_object object;
    assert_int_equal(lf_object_create(scene, &def, &object, NULL, NULL), LF_OK);
    lf_instance_def instance_def = lf_instance_def_default();
    instance_def.object = object;
    lf_instance plain, own, none;
    assert_int_equal(lf_instance_create(scene, &instance_def, &plain, NULL), LF_OK);
    near_box(box_of(scene, plain), (lf_box){{-0.5, -0.5, -0.5}, {3.5, 0.5, 0.5}});
    const double wanted[2] = {5, LF_NAN};
    instance_def.parameters = wanted;
    instance_def.parameter_count = 2;
    assert_int_equal(lf_instance_create(scene, &instance_def, &own, NULL), LF_OK);
    near_box(box_of(scene, own), (lf_box){{-0.5, -0.5, -0.5}, {12.5, 0.5, 0.5}});
    double value;
    assert_int_equal(lf_instance_parameter(scene, own, "count", &value), LF_OK);
    assert_true(value == 5);
    assert_int_equal(lf_instance_parameter(scene, own, "step", &value), LF_OK);
    assert_true(value == 3);
    assert_int_equal(lf_instance_parameter(scene, own, "width", &value), LF_BAD_ARGUMENT);
    const double bad[1] = {-1};
    instance_def.parameters = bad;
    instance_def.parameter_count = 1;
    int64_t parts = lf_scene_describe(scene).part_count;
    assert_int_equal(lf_instance_create(scene, &instance_def, &none, NULL), LF_BAD_GEOMETRY);
    assert_int_equal(lf_scene_describe(scene).part_count, parts);
    assert_int_equal(calls, 3);
    assert_int_equal(lf_object_remove(scene, object), LF_OK);
    assert_int_equal(lf_instance_create(scene, &instance_def, &none, NULL), LF_BAD_ARGUMENT);
    lf_instance_info info;
    assert_int_equal(lf_instance_describe(scene, own, &info), LF_OK); // its instances stay
    assert_string_equal(info.name, "row");
    lf_scene_destroy(scene);
}

static void every_instance_has_its_own_geometry(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    static const lf_vec3 v[4] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}};
    lf_object_def def = lf_object_def_default();
    lf_object object;
    lf_part top;
    assert_int_equal(lf_object_create(scene, &def, &object, &top, NULL), LF_OK);
    lf_part_def part = lf_part_def_default();
    part.shape.kind = LF_SHAPE_PATH;
    part.shape.polygons.vertices = v;
    part.shape.polygons.vertex_count = 4;
    part.label = "outline";
    assert_int_equal(lf_part_add(scene, top, &part, NULL, NULL), LF_OK);
    lf_instance a = test_instance(scene, object, still, still),
                b = test_instance(scene, object, still, still);
    lf_part outline;
    assert_int_equal(lf_part_find(scene, test_top(scene, a), "outline", &outline), LF_OK);
    assert_int_equal(lf_part_set_vertex(scene, outline, 2, (lf_vec3){9, 1, 0}), LF_OK);
    assert_int_equal(lf_part_set_vertex(scene, outline, 4, (lf_vec3){9, 1, 0}), LF_BAD_ARGUMENT);
    assert_true(box_of(scene, a).high.x == 9 && box_of(scene, b).high.x == 2);
    lf_part_info info;
    assert_int_equal(lf_part_describe(scene, outline, &info), LF_OK);
    assert_true(info.shape.polygons.vertex_count == 4 && info.shape.polygons.vertices[2].x == 9);
    lf_shape ball = lf_part_def_default().shape;
    ball.kind = LF_SHAPE_SPHERE;
    ball.radius = 3;
    assert_int_equal(lf_part_set_shape(scene, outline, &ball, NULL), LF_OK);
    near_box(box_of(scene, a), (lf_box){{-3, -3, -3}, {3, 3, 3}});
    ball.radius = -3;
    assert_int_equal(lf_part_set_shape(scene, outline, &ball, NULL), LF_BAD_ARGUMENT);
    ball.kind = LF_SHAPE_SOLID;
    assert_int_equal(lf_part_set_shape(scene, outline, &ball, NULL), LF_BAD_ARGUMENT);
    lf_scene_destroy(scene);
}

static void bad_shapes_are_refused(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_part top = test_top(scene, test_box(scene, unit, still, still));
    static const lf_vec3 bow[4] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
    lf_vec3 nan[3] = {{0, 0, 0}, {1, 0, 0}, {0, LF_NAN, 0}};
    lf_error error;
    lf_part_def def = lf_part_def_default();
    def.shape.kind = LF_SHAPE_PATH;
    def.shape.polygons.vertices = bow;
    def.shape.polygons.vertex_count = 4;
    assert_int_equal(lf_part_add(scene, top, &def, NULL, &error), LF_BAD_GEOMETRY);
    def.shape.polygons.vertices = nan;
    def.shape.polygons.vertex_count = 3;
    assert_int_equal(lf_part_add(scene, top, &def, NULL, &error), LF_BAD_GEOMETRY);
    assert_int_equal(error.where, 2);
    static const int64_t corners[3] = {0, 1, 4};
    def.shape.kind = LF_SHAPE_POLYGONS;
    def.shape.polygons = (lf_polygons){bow, 4, NULL, corners, 1, NULL, NULL, NULL};
    assert_int_equal(lf_part_add(scene, top, &def, NULL, &error), LF_BAD_GEOMETRY);
    def.shape.kind = LF_SHAPE_MODEL;
    assert_int_equal(lf_part_add(scene, top, &def, NULL, &error), LF_BAD_ARGUMENT);
    def.shape.kind = (lf_shape_kind)12;
    assert_int_equal(lf_part_add(scene, top, &def, NULL, &error), LF_BAD_ARGUMENT);
    def = lf_part_def_default();
    def.shape.kind = LF_SHAPE_BOX;
    def.shape.size.y = 0;
    assert_int_equal(lf_part_add(scene, top, &def, NULL, &error), LF_BAD_ARGUMENT);
    lf_part ball = test_part(scene, top, LF_SHAPE_SPHERE, unit, still);
    assert_int_equal(lf_part_add(scene, ball, &def, NULL, &error), LF_BAD_ARGUMENT);
    lf_transform none = lf_scaling(LF_TRANSFORM_ABOUT_WHOLE, 1, 0, 1),
                 axis = lf_turning(LF_TRANSFORM_ABOUT_WHOLE, 0, 0, 0, 1);
    assert_int_equal(lf_part_transform(scene, ball, &none), LF_BAD_ARGUMENT);
    assert_int_equal(lf_part_transform(scene, ball, &axis), LF_BAD_ARGUMENT);
    lf_part deep = top;
    lf_status status = LF_OK;
    int depth = 1;
    def = lf_part_def_default();
    while ((status = lf_part_add(scene, deep, &def, &deep, NULL)) == LF_OK)
        depth++;
    assert_int_equal(status, LF_TOO_LARGE);
    assert_int_equal(depth, 64);
    assert_string_equal(lf_shape_name(LF_SHAPE_PATH), "path");
    assert_string_equal(lf_shape_name((lf_shape_kind)99), "?");
    lf_scene_destroy(scene);
}

static void lists_of_transforms_do_not_grow_for_ever(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_instance instance = test_box(scene, unit, still, still);
    lf_part top = test_top(scene, instance);
    for (int i = 0; i < 10000; i++) {
        lf_transform turn = lf_turning(LF_TRANSFORM_ABOUT_WHOLE, 0, 0, 1, 0.001),
                     move = lf_translation(1, 0, 0);
        assert_int_equal(lf_part_transform(scene, top, &turn), LF_OK);
        assert_int_equal(lf_part_transform(scene, top, &turn), LF_OK);
        if (i % 2)
            assert_int_equal(lf_part_transform(scene, top, &move), LF_OK);
    }
    lf_transform list[64];
    int64_t count;
    assert_int_equal(lf_part_transforms(scene, top, list, 64, &count), LF_OK);
    assert_true(count <= 64 && list[0].kind == LF_TRANSFORM_FOLDED);
    // 5000 moves of 1, each followed by turns of 0.004: the sum of exp(i 0.004 k) for k = 0 .. 4999.
    double x = 0, y = 0;
    for (int k = 0; k < 5000; k++)
        x += cos(0.004 * k), y += sin(0.004 * k);
    lf_vec3 centre = lf_box_centre(box_of(scene, instance));
    assert_true(fabs(centre.x - x) < 1e-6 && fabs(centre.y - y) < 1e-6);
    assert_int_equal(lf_part_set_transforms(scene, top, list, count), LF_BAD_ARGUMENT);
    assert_int_equal(lf_part_set_transforms(scene, top, NULL, 0), LF_OK);
    near_box(box_of(scene, instance), (lf_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}});
    lf_scene_destroy(scene);
}

/// A label stays where it is until its part is removed, however many parts come.
static void labels_stay_while_parts_come(void **state) {
    (void)state;
    lf_scene *scene = test_scene();
    lf_part top = test_top(scene, test_box(scene, unit, still, still)), first, second;
    lf_part_def def = lf_part_def_default();
    lf_part_info info;
    def.label = "first";
    assert_int_equal(lf_part_add(scene, top, &def, &first, NULL), LF_OK);
    assert_int_equal(lf_part_describe(scene, first, &info), LF_OK);
    for (int i = 0; i < 100; i++)
        test_part(scene, top, LF_SHAPE_BOX, unit, still);
    assert_string_equal(info.label, "first");
    def.label = info.label; // given to another instance's part
    lf_part other = test_top(scene, test_box(scene, unit, still, still));
    assert_int_equal(lf_part_add(scene, other, &def, &second, NULL), LF_OK);
    assert_int_equal(lf_part_describe(scene, second, &info), LF_OK);
    assert_string_equal(info.label, "first");
    lf_scene_destroy(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms_act_on_the_whole_or_on_each),
        cmocka_unit_test(boxes_come_from_the_shapes_and_not_from_the_turned_box),
        cmocka_unit_test(a_change_touches_only_what_it_must),
        cmocka_unit_test(labels_tags_and_colours),
        cmocka_unit_test(ids_of_what_is_gone_are_errors),
        cmocka_unit_test(objects_take_parameters),
        cmocka_unit_test(every_instance_has_its_own_geometry),
        cmocka_unit_test(bad_shapes_are_refused),
        cmocka_unit_test(lists_of_transforms_do_not_grow_for_ever),
        cmocka_unit_test(labels_stay_while_parts_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
