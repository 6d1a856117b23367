/// Scenes in perspective pictures, with ground and without, and things that one sees through.
#include "picture/pixel.h"
#include "support.h"
#include <landfall/picture.h>
#include <landfall/scene.h>

#define SIDE 40 // of the pictures

static lf_scene *make_scene(void) {
    lf_scene *scene = NULL;
    assert_int_equal(lf_scene_create(NULL, &scene, NULL), LF_OK);
    return scene;
}

/// A plate, 20 by 20, at a height.
static void put_plate(lf_scene *scene, double z, lf_paint colour) {
    lf_object_def object_def = lf_object_def_default();
    lf_part_def part_def = lf_part_def_default();
    lf_instance_def def = lf_instance_def_default();
    lf_instance instance;
    lf_part top;
    part_def.shape.kind = LF_SHAPE_RECTANGLE;
    part_def.shape.size = (lf_vec3){20, 20, 1};
    assert_int_equal(lf_object_create(scene, &object_def, &def.object, &top, NULL), LF_OK);
    assert_int_equal(lf_part_add(scene, top, &part_def, NULL, NULL), LF_OK);
    def.pose.translation = (lf_vec3){0, 0, z};
    def.colour = colour;
    assert_int_equal(lf_instance_create(scene, &def, &instance, NULL), LF_OK);
    assert_int_equal(lf_scene_update(scene), LF_OK);
}

/// The picture from straight above, 40 m across at height 0, in clear air.
static lf_canvas *draw(const lf_ground *ground, lf_scene *scene) {
    lf_canvas_def canvas_def = lf_canvas_def_default();
    lf_render_def def = lf_render_def_default();
    lf_canvas *canvas = NULL;
    canvas_def.width = canvas_def.height = SIDE;
    assert_int_equal(lf_canvas_create(&canvas_def, &canvas, NULL), LF_OK);
    def.eye = (lf_vec3){0, 0, 100};
    def.target = (lf_vec3){0, 0, 0};
    def.fov_deg = 22.6;
    def.haze = 0;
    def.samples = 1;
    def.objects = lf_render_scene;
    def.objects_user = scene;
    assert_int_equal(lf_canvas_render(canvas, lf_canvas_area(canvas), ground, &def, NULL), LF_OK);
    return canvas;
}

static void a_scene_is_drawn_without_ground(void **state) {
    (void)state;
    lf_scene *scene = make_scene();
    put_plate(scene, 0, (lf_paint){1, 0, 0, 1});
    lf_canvas *canvas = draw(NULL, scene);
    lf_colour middle = lf__canvas_pixel(canvas, 20, 20), beside = lf__canvas_pixel(canvas, 3, 20);
    assert_true(middle.red > 100 && middle.green == 0 && middle.blue == 0);
    assert_true(beside.blue > 100); // what is below the horizon
    lf_canvas_destroy(canvas);
    lf_scene_destroy(scene);
}

/// The share of what is behind is 1 - opacity, of however many lie one over the other.
static void one_sees_through_glass(void **state) {
    (void)state;
    lf_scene *bare = make_scene(), *one = make_scene(), *two = make_scene();
    put_plate(bare, 0, (lf_paint){0.5F, 0, 0, 1});
    put_plate(one, 0, (lf_paint){0.5F, 0, 0, 1});
    put_plate(one, 10, (lf_paint){0, 0, 1, 0.5F});
    put_plate(two, 0, (lf_paint){0.5F, 0, 0, 1});
    put_plate(two, 10, (lf_paint){0, 0, 1, 0.5F});
    put_plate(two, 20, (lf_paint){0, 0, 1, 0.5F});
    lf_canvas *pictures[3] = {draw(NULL, bare), draw(NULL, one), draw(NULL, two)};
    int red[3], blue[3];
    for (int i = 0; i < 3; i++) {
        red[i] = lf__canvas_pixel(pictures[i], 20, 20).red;
        blue[i] = lf__canvas_pixel(pictures[i], 20, 20).blue;
    }
    double through = 127.0 / 255; // opacity is a byte of a colour here: 128 of 255
    for (int i = 1; i < 3; i++)
        assert_in_range(red[i], (int)floor(red[0] * pow(through, i) - 0.5),
                        (int)ceil(red[0] * pow(through, i) + 0.5));
    assert_in_range(red[0], 60, 200);
    assert_true(blue[0] == 0 && blue[1] > 40 && blue[2] > blue[1]);
    for (int i = 0; i < 3; i++)
        lf_canvas_destroy(pictures[i]);
    lf_scene_destroy(two);
    lf_scene_destroy(one);
    lf_scene_destroy(bare);
}

static int brightness(const lf_canvas *canvas, int64_t x, int64_t y) {
    lf_colour p = lf__canvas_pixel(canvas, x, y);
    return p.red + p.green + p.blue;
}

/// A plate throws a shadow on the ground, glass does not, and ground hides what is under it.
static void things_and_ground_see_each_other(void **state) {
    (void)state;
    static float flat[5 * 5];
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    const lf_ground *ground;
    def.samples.values = flat;
    def.samples.columns = def.samples.rows = 5;
    def.geotransform.origin = (lf_vec2){-100, -100};
    def.geotransform.per_column.x = def.geotransform.per_row.y = 50;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    ground = lf_grid_ground(grid);
    lf_scene *scenes[3] = {make_scene(), make_scene(), make_scene()};
    put_plate(scenes[0], 7, (lf_paint){1, 0, 0, 1});
    put_plate(scenes[1], 7, (lf_paint){1, 0, 0, 0.5F});
    put_plate(scenes[2], -7, (lf_paint){1, 0, 0, 1});
    lf_canvas *pictures[3];
    for (int i = 0; i < 3; i++)
        pictures[i] = draw(ground, scenes[i]);
    // The sun is in the north-west at 35 degrees: the shadow of a height of 7 lies 7 m east and 7 m south.
    assert_true(brightness(pictures[0], 34, 24) < brightness(pictures[0], 3, 3) - 100);
    assert_int_equal(brightness(pictures[1], 34, 24), brightness(pictures[1], 3, 3));
    for (int64_t x = 0; x < SIDE; x++)
        assert_true(lf__canvas_pixel(pictures[2], x, 20).green > 40);
    for (int i = 0; i < 3; i++) {
        lf_canvas_destroy(pictures[i]);
        lf_scene_destroy(scenes[i]);
    }
    lf_grid_destroy(grid);
}

static void without_ground_a_position_is_required(void **state) {
    (void)state;
    lf_render_def def = lf_render_def_default(), view;
    lf_error error = {0};
    assert_int_equal(lf_render_resolve(NULL, &def, 1, &view, &error), LF_BAD_ARGUMENT);
    assert_string_equal(error.text, "eye and target: must be set where there is no ground");
    def.eye = (lf_vec3){0, 0, 1};
    def.target = (lf_vec3){0, 1, 0};
    assert_int_equal(lf_render_resolve(NULL, &def, 1, &view, &error), LF_OK);
    assert_true(view.low < view.high);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_is_drawn_without_ground),
        cmocka_unit_test(one_sees_through_glass),
        cmocka_unit_test(things_and_ground_see_each_other),
        cmocka_unit_test(without_ground_a_position_is_required),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
