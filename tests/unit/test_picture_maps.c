/// Shaded relief and maps of polygons: what is where, what covers what, light from the right side.
#include "picture/pixel.h"
#include "support.h"
#include <landfall/picture.h>
#include <samples.h>
#include <stdlib.h>
#include <string.h>

static lf_canvas *make_canvas(int64_t width, int64_t height, const lf_tasks *tasks) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.width = width;
    def.height = height;
    def.host.tasks = tasks;
    assert_int_equal(lf_canvas_create(&def, &canvas, NULL), LF_OK);
    return canvas;
}

static int brightness(const lf_canvas *canvas, int64_t x, int64_t y) {
    lf_colour p = lf__canvas_pixel(canvas, x, y);
    return p.red + p.green + p.blue;
}

/// A ridge along the diagonal from south-west to north-east: its north-west side looks into the sun.
static void slopes_towards_the_sun_are_brighter(void **state) {
    (void)state;
    float values[64 * 64];
    for (int j = 0; j < 64; j++)
        for (int i = 0; i < 64; i++)
            values[64 * j + i] = 500 - 6 * fabsf((float)(i - j));
    lf_heights heights = {values, 64, 64, 64, 0, 0, 10, NULL, NULL};
    lf_relief_def def = lf_relief_def_default();
    lf_map_axes view = {{0, 0, 128, 128}, 0, 630, 0, 630};
    def.ramp = LF_RAMP_GREY;
    def.low = -4000;
    def.high = 4000;
    lf_canvas *canvas = make_canvas(128, 128, NULL);
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, NULL), LF_OK);
    assert_true(brightness(canvas, 32, 32) > brightness(canvas, 96, 96) + 100);
    def.sun_azimuth_deg = 135;
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, NULL), LF_OK);
    assert_true(brightness(canvas, 32, 32) < brightness(canvas, 96, 96) - 100);
    def.strength = 0;
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, NULL), LF_OK);
    assert_true(abs(brightness(canvas, 40, 40) - brightness(canvas, 88, 88)) < 6);
    lf_canvas_destroy(canvas);
}

/// A tower on a plain throws its shadow away from the sun, and only there.
static void towers_cast_shadows(void **state) {
    (void)state;
    float values[64 * 64];
    for (int i = 0; i < 64 * 64; i++)
        values[i] = 0;
    for (int j = 30; j < 34; j++)
        for (int i = 30; i < 34; i++)
            values[64 * j + i] = 100;
    lf_heights heights = {values, 64, 64, 64, 0, 0, 10, NULL, NULL};
    lf_relief_def def = lf_relief_def_default();
    lf_map_axes view = {{0, 0, 64, 64}, -5, 635, -5, 635};
    lf_canvas *canvas = make_canvas(64, 64, NULL);
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, NULL), LF_OK);
    assert_true(brightness(canvas, 36, 35) < brightness(canvas, 25, 26) - 60);
    assert_int_equal(brightness(canvas, 50, 10), brightness(canvas, 10, 50));
    def.shadows = 0;
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, NULL), LF_OK);
    assert_int_equal(brightness(canvas, 36, 36), brightness(canvas, 25, 25));
    lf_canvas_destroy(canvas);
}

static void holes_and_contours(void **state) {
    (void)state;
    float values[32 * 32];
    for (int j = 0; j < 32; j++)
        for (int i = 0; i < 32; i++)
            values[32 * j + i] = (float)(31 - j);
    values[16 * 32 + 16] = (float)NAN;
    lf_heights heights = {values, 32, 32, 32, 0, 0, 1, NULL, NULL};
    lf_relief_def def = lf_relief_def_default();
    lf_map_axes view = {{0, 0, 310, 310}, 0, 31, 0, 31};
    lf_canvas *canvas = make_canvas(310, 310, NULL);
    def.no_data = lf_colour_of(0x0000ff);
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, NULL), LF_OK);
    lf_colour hole = lf__canvas_pixel(canvas, 165, 154);
    assert_true(hole.blue == 255 && hole.red == 0);
    int plain = brightness(canvas, 50, 250);
    def.contours = 5;
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, NULL), LF_OK);
    assert_true(brightness(canvas, 50, 250) < plain - 60);      // 25 m, a strong line
    assert_true(abs(brightness(canvas, 50, 235) - plain) < 40); // between two lines
    lf_canvas_destroy(canvas);
}

static void threads_draw_the_same(void **state) {
    (void)state;
    lf_tasks tasks = test_tasks(3);
    lf_make_heights_def def = lf_make_heights_def_default();
    lf_make_polygons_def park_def = lf_make_polygons_def_default();
    lf_made_heights *made = NULL;
    lf_made_polygons *park = NULL;
    lf_relief_def relief = lf_relief_def_default();
    lf_canvas *canvases[2];
    def.columns = def.rows = 60;
    park_def.polygon_count = 4000;
    assert_int_equal(lf_make_heights(&def, &made, NULL), LF_OK);
    assert_int_equal(lf_make_polygons(&park_def, &park, NULL), LF_OK);
    lf_heights heights = lf_made_heights_view(made);
    lf_polygons polygons = lf_made_polygons_view(park);
    for (int i = 0; i < 2; i++) {
        lf_map_axes left = {{0, 0, 90, 90}, 0, 1770, 0, 1770}, right = {{90, 0, 90, 90}, 0, 400, -50, 350};
        canvases[i] = make_canvas(180, 90, i ? &tasks : NULL);
        assert_int_equal(lf_canvas_relief(canvases[i], &left, &heights, &relief, NULL), LF_OK);
        assert_int_equal(lf_canvas_polygons(canvases[i], &right, &polygons, &relief, NULL), LF_OK);
    }
    for (int64_t y = 0; y < 90; y++)
        for (int64_t x = 0; x < 180; x++) {
            lf_colour a = lf__canvas_pixel(canvases[0], x, y), b = lf__canvas_pixel(canvases[1], x, y);
            assert_memory_equal(&a, &b, sizeof a);
        }
    lf_canvas_destroy(canvases[0]);
    lf_canvas_destroy(canvases[1]);
    lf_made_polygons_destroy(park);
    lf_made_heights_destroy(made);
}

/// Two squares one above the other, an L-shaped floor, and a wall.
static const lf_vec3 vertices[] = {{0, 0, 0},   {10, 0, 0},  {10, 10, 0}, {0, 10, 0}, {4, 4, 5},  {6, 4, 5},
                                   {6, 6, 5},   {4, 6, 5},   {12, 0, 0},  {20, 0, 0}, {20, 4, 0}, {16, 4, 0},
                                   {16, 10, 0}, {12, 10, 0}, {18, 8, 0},  {19, 8, 0}, {19, 8, 9}, {18, 8, 9}};
static const int64_t starts[] = {0, 4, 8, 14, 18};
static const int64_t corners[] = {4, 5, 6, 7, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
static const uint64_t users[] = {1, 0, 2, 3};

static lf_polygons few_polygons(void) {
    lf_polygons polygons = {vertices, 18, starts, corners, 4, users, NULL, NULL};
    return polygons;
}

static void the_topmost_covers(void **state) {
    (void)state;
    lf_polygons polygons = few_polygons();
    lf_colour palette[4] = {lf_colour_of(0xff0000), lf_colour_of(0x00ff00), lf_colour_of(0x0000ff),
                            lf_colour_of(0x000000)};
    lf_relief_def def = lf_relief_def_default();
    lf_map_axes view = {{0, 0, 200, 100}, 0, 20, 0, 10};
    lf_canvas *canvas = make_canvas(200, 100, NULL);
    def.palette = palette;
    def.palette_count = 4;
    def.shadows = 0;
    assert_int_equal(lf_canvas_polygons(canvas, &view, &polygons, &def, NULL), LF_OK);
    lf_colour low = lf__canvas_pixel(canvas, 20, 50), high = lf__canvas_pixel(canvas, 50, 50);
    assert_true(low.red > 200 && low.green < 60);   // wound the other way round, but there
    assert_true(high.green > 200 && high.red < 60); // above, although it comes first
    assert_true(lf__canvas_pixel(canvas, 130, 80).blue > 200);
    assert_int_equal(brightness(canvas, 180, 40), 765); // the notch of the L
    assert_int_equal(brightness(canvas, 110, 50), 765); // between
    assert_int_equal(brightness(canvas, 185, 20), 765); // walls are not seen
    def.edges = lf_stroke_solid(lf_colour_of(0x000000), 1);
    assert_int_equal(lf_canvas_polygons(canvas, &view, &polygons, &def, NULL), LF_OK);
    assert_true(brightness(canvas, 59, 50) < brightness(canvas, 50, 50) - 80);
    lf_canvas_destroy(canvas);
}

static void bad_maps_are_refused(void **state) {
    (void)state;
    lf_polygons polygons = few_polygons();
    lf_relief_def def = lf_relief_def_default();
    lf_map_axes view = {{0, 0, 20, 10}, 0, 20, 0, 10}, empty = {{0, 0, 20, 10}, 5, 5, 0, 10};
    lf_canvas *canvas = make_canvas(20, 10, NULL);
    float value = 1;
    lf_heights heights = {&value, 1, 1, 1, 0, 0, 1, NULL, NULL};
    lf_error error;
    polygons.vertex_count = 17;
    assert_int_equal(lf_canvas_polygons(canvas, &view, &polygons, &def, &error), LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 3);
    polygons = few_polygons();
    assert_int_equal(lf_canvas_polygons(canvas, &empty, &polygons, &def, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_polygons(canvas, NULL, &polygons, &def, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_polygons(canvas, &view, NULL, &def, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_polygons(NULL, &view, &polygons, &def, &error), LF_BAD_ARGUMENT);
    view.area.x = 500; // beside the canvas: nothing to do
    assert_int_equal(lf_canvas_polygons(canvas, &view, &polygons, &def, &error), LF_OK);
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, &error), LF_OK);
    view.area.x = 0;
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, &error),
                     LF_OK); // one sample: next to nothing
    def.sun_height_deg = 0;
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, &error), LF_BAD_ARGUMENT);
    def = lf_relief_def_default();
    def.strength = (double)NAN;
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, &error), LF_BAD_ARGUMENT);
    def = lf_relief_def_default();
    def.low = 3;
    def.high = 3;
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, &error), LF_BAD_ARGUMENT);
    def = lf_relief_def_default();
    def.palette_count = 1;
    assert_int_equal(lf_canvas_polygons(canvas, &view, &polygons, &def, &error), LF_BAD_ARGUMENT);
    def = lf_relief_def_default();
    heights.spacing = -1;
    assert_int_equal(lf_canvas_relief(canvas, &view, &heights, &def, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_relief(canvas, &view, NULL, &def, &error), LF_BAD_ARGUMENT);
    lf_canvas_destroy(canvas);
}

static lf_colour tint_even(void *user, int64_t column, int64_t row) {
    lf_colour red = {255, 0, 0, 255}, none = {0, 0, 0, 0};
    (void)user;
    return (column + row) % 2 == 0 ? red : none;
}

/// Pixels take the colour of the nearest sample; those that cover several mix them.
static void tints_lie_on_their_samples(void **state) {
    (void)state;
    float values[16] = {0};
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    lf_map_axes near = {{0, 0, 40, 40}, -0.5, 3.5, -0.5, 3.5}, far = {{0, 0, 2, 2}, -0.5, 3.5, -0.5, 3.5};
    def.samples.values = values;
    def.samples.columns = def.samples.rows = 4;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    lf_canvas *canvas = make_canvas(60, 40, NULL);
    assert_int_equal(lf_canvas_tint(canvas, &near, grid, tint_even, NULL), LF_OK);
    assert_int_equal(lf__canvas_pixel(canvas, 1, 38).green, 0);    // sample 0, 0
    assert_int_equal(lf__canvas_pixel(canvas, 9, 31).green, 0);    // still
    assert_int_equal(lf__canvas_pixel(canvas, 11, 38).green, 255); // sample 1, 0
    assert_int_equal(lf__canvas_pixel(canvas, 45, 20).green, 255); // beside the view
    lf_canvas_destroy(canvas);
    canvas = make_canvas(2, 2, NULL);
    assert_int_equal(lf_canvas_tint(canvas, &far, grid, tint_even, NULL), LF_OK);
    assert_in_range(lf__canvas_pixel(canvas, 0, 0).green, 126, 128);
    assert_int_equal(lf_canvas_tint(canvas, &far, NULL, tint_even, NULL), LF_BAD_ARGUMENT);
    lf_canvas_destroy(canvas);
    lf_grid_destroy(grid);
}

static lf_status draw_map(const lf_host *host, void *user) {
    lf_polygons polygons = few_polygons();
    lf_relief_def def = lf_relief_def_default();
    lf_map_axes view = {{0, 0, 20, 10}, 0, 20, 0, 10};
    lf_canvas_def canvas_def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    (void)user;
    canvas_def.host = *host;
    canvas_def.width = canvas_def.height = 20;
    lf_status status = lf_canvas_create(&canvas_def, &canvas, NULL);
    if (status == LF_OK)
        status = lf_canvas_polygons(canvas, &view, &polygons, &def, NULL);
    lf_canvas_destroy(canvas);
    return status;
}

static lf_status draw_grid(const lf_host *host, void *user) {
    lf_relief_def def = lf_relief_def_default();
    lf_map_axes view = {{0, 0, 20, 20}, 0, 1, 0, 1};
    lf_canvas_def canvas_def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    canvas_def.host = *host;
    canvas_def.width = canvas_def.height = 20;
    def.contours = 1;
    lf_status status = lf_canvas_create(&canvas_def, &canvas, NULL);
    if (status == LF_OK)
        status = lf_canvas_grid(canvas, &view, user, &def, NULL);
    lf_canvas_destroy(canvas);
    return status;
}

static void out_of_memory_is_an_answer(void **state) {
    (void)state;
    static const float heights[4] = {0, 1, 2, 5};
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = 2;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    test_out_of_memory(draw_grid, grid);
    lf_grid_destroy(grid);
    test_out_of_memory(draw_map, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_towards_the_sun_are_brighter),
        cmocka_unit_test(towers_cast_shadows),
        cmocka_unit_test(holes_and_contours),
        cmocka_unit_test(threads_draw_the_same),
        cmocka_unit_test(the_topmost_covers),
        cmocka_unit_test(bad_maps_are_refused),
        cmocka_unit_test(tints_lie_on_their_samples),
        cmocka_unit_test(out_of_memory_is_an_answer),
    };
    return cmocka_run_group_tests_name("picture maps", tests, NULL, NULL);
}
