/// Perspective pictures: what is where, what is lit, and that every thread draws the same.
#include "picture/pixel.h"
#include "support.h"
#include <landfall/picture.h>
#include <stdlib.h>

/// A plain with a tower in the middle, 10 m between samples.
typedef struct yard {
    float values[64 * 64];
    lf_grid *grid;
    const lf_ground *ground;
} yard;

static void yard_make(yard *yard) {
    for (int i = 0; i < 64 * 64; i++)
        yard->values[i] = 0;
    for (int j = 30; j < 34; j++)
        for (int i = 30; i < 34; i++)
            yard->values[64 * j + i] = 100;
    lf_grid_def def = lf_grid_def_default();
    def.samples.values = yard->values;
    def.samples.columns = def.samples.rows = 64;
    def.geotransform.per_column.x = def.geotransform.per_row.y = 10;
    assert_int_equal(lf_grid_create(&def, &yard->grid, NULL), LF_OK);
    yard->ground = lf_grid_ground(yard->grid);
}

static void yard_free(yard *yard) {
    lf_grid_destroy(yard->grid);
}

static lf_canvas *make_canvas(int64_t width, int64_t height, const lf_host *host) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.width = width;
    def.height = height;
    if (host)
        def.host = *host;
    assert_int_equal(lf_canvas_create(&def, &canvas, NULL), LF_OK);
    return canvas;
}

static int brightness(const lf_canvas *canvas, int64_t x, int64_t y) {
    lf_colour p = lf__canvas_pixel(canvas, x, y);
    return p.red + p.green + p.blue;
}

/// From straight above, north is up and the shadow falls away from the sun.
static lf_render_def from_above(void) {
    lf_render_def def = lf_render_def_default();
    def.eye = (lf_vec3){315, 315, 2000};
    def.target = (lf_vec3){315, 315, 0};
    def.fov_deg = 20;
    def.haze = 0;
    def.samples = 1;
    return def;
}

static void shadows_fall_away_from_the_sun(void **state) {
    (void)state;
    yard yard;
    yard_make(&yard);
    lf_canvas *canvas = make_canvas(64, 64, NULL);
    lf_render_def def = from_above();
    def.sun_azimuth_deg = 270; // in the west, on the left
    def.sun_height_deg = 30;
    assert_int_equal(lf_canvas_render(canvas, lf_canvas_area(canvas), yard.ground, &def, NULL), LF_OK);
    int east = brightness(canvas, 41, 32), west = brightness(canvas, 22, 32);
    assert_true(east < west - 100);
    assert_int_equal(brightness(canvas, 32, 10), west); // beside both
    def.shadows = 0;
    assert_int_equal(lf_canvas_render(canvas, lf_canvas_area(canvas), yard.ground, &def, NULL), LF_OK);
    assert_int_equal(brightness(canvas, 41, 32), brightness(canvas, 22, 32));
    lf_canvas_destroy(canvas);
    yard_free(&yard);
}

static lf_colour paint_east(void *user, lf_vec3 point) {
    lf_colour red = {255, 0, 0, 255}, none = {0, 0, 0, 0};
    assert_null(user);
    return point.x > 315 ? red : none;
}

/// A ball that hangs over the north of the yard.
static bool ball(void *user, const lf_ray *ray, lf_render_object *thing) {
    const lf_vec3 *centre = user;
    double radius = 40, length = lf_vec3_length(ray->direction);
    lf_vec3 way = lf_vec3_scale(ray->direction, 1 / length), from = lf_vec3_sub(ray->origin, *centre);
    double b = lf_vec3_dot(from, way), c = lf_vec3_dot(from, from) - radius * radius, d = b * b - c;
    double t = d >= 0 ? (-b - sqrt(d)) / length : -1;
    if (!(t >= ray->t_min && t <= ray->t_max))
        return false;
    lf_vec3 at = lf_vec3_add(ray->origin, lf_vec3_scale(ray->direction, t));
    *thing = (lf_render_object){t, lf_vec3_unit(lf_vec3_sub(at, *centre)), {0, 0, 255, 255}};
    return true;
}

static void paint_and_things_are_where_they_should_be(void **state) {
    (void)state;
    yard yard;
    yard_make(&yard);
    lf_canvas *canvas = make_canvas(64, 64, NULL);
    lf_render_def def = from_above();
    lf_vec3 centre = {315, 500, 60};
    def.paint = paint_east;
    def.objects = ball;
    def.objects_user = &centre;
    def.sun_azimuth_deg = 0; // in the north: the ball's shadow falls to the south of it
    assert_int_equal(lf_canvas_render(canvas, lf_canvas_area(canvas), yard.ground, &def, NULL), LF_OK);
    lf_colour east = lf__canvas_pixel(canvas, 55, 50), west = lf__canvas_pixel(canvas, 9, 50);
    assert_true(east.red > 3 * east.green && east.red > 3 * east.blue);
    assert_true(west.green > west.red / 2 && west.green > west.blue / 2);
    lf_colour blue = lf__canvas_pixel(canvas, 32, 14);
    assert_true(blue.blue > 3 * blue.red && blue.blue > 3 * blue.green);
    assert_true(brightness(canvas, 30, 22) < brightness(canvas, 9, 22) - 100);
    lf_canvas_destroy(canvas);
    yard_free(&yard);
}

/// Whatever the ground, the view that is chosen shows it in the middle and sky at the top.
static void a_good_view_is_found(void **state) {
    (void)state;
    yard yard;
    yard_make(&yard);
    lf_render_def def = lf_render_def_default(), view;
    assert_int_equal(lf_render_resolve(yard.ground, &def, 1.6, &view, NULL), LF_OK);
    assert_true(view.eye.z > 100 && view.eye.y < 0);
    assert_true(view.low == 0 && view.high == 100);
    lf_canvas *canvas = make_canvas(80, 50, NULL);
    assert_int_equal(lf_canvas_render(canvas, lf_canvas_area(canvas), yard.ground, &view, NULL), LF_OK);
    lf_colour middle = lf__canvas_pixel(canvas, 25, 32), sky = lf__canvas_pixel(canvas, 40, 1);
    assert_true(sky.blue > sky.red && middle.blue < middle.green);
    view.metres = (lf_vec3){1, 1, 5}; // a tower five times as high covers more of the picture
    assert_int_equal(lf_canvas_render(canvas, lf_canvas_area(canvas), yard.ground, &view, NULL), LF_OK);
    lf_canvas_destroy(canvas);
    yard_free(&yard);
}

static void threads_draw_the_same(void **state) {
    (void)state;
    yard yard;
    yard_make(&yard);
    lf_tasks four = test_tasks(4);
    lf_host host = {NULL, &four, NULL, NULL};
    lf_canvas *one = make_canvas(90, 70, NULL), *many = make_canvas(90, 70, &host);
    lf_render_def def = lf_render_def_default();
    assert_int_equal(lf_canvas_render(one, lf_canvas_area(one), yard.ground, &def, NULL), LF_OK);
    assert_int_equal(lf_canvas_render(many, lf_canvas_area(many), yard.ground, &def, NULL), LF_OK);
    for (int64_t y = 0; y < 70; y++)
        for (int64_t x = 0; x < 90; x++) {
            lf_colour a = lf__canvas_pixel(one, x, y), b = lf__canvas_pixel(many, x, y);
            assert_memory_equal(&a, &b, sizeof a);
        }
    lf_canvas_destroy(many);
    lf_canvas_destroy(one);
    yard_free(&yard);
}

static void refuse(const yard *yard, const lf_render_def *def) {
    lf_canvas *canvas = make_canvas(20, 20, NULL);
    lf_error error = {0};
    assert_int_equal(lf_canvas_render(canvas, lf_canvas_area(canvas), yard->ground, def, &error),
                     LF_BAD_ARGUMENT);
    assert_true(error.text[0] != '\0');
    lf_canvas_destroy(canvas);
}

static void bad_views_are_refused(void **state) {
    (void)state;
    yard yard;
    yard_make(&yard);
    lf_render_def good = from_above(), bad = good;
    bad.fov_deg = 171, refuse(&yard, &bad), bad = good;
    bad.sun_height_deg = 0, refuse(&yard, &bad), bad = good;
    bad.haze = LF_NAN, refuse(&yard, &bad), bad = good;
    bad.samples = 9, refuse(&yard, &bad), bad = good;
    bad.metres.z = 0, refuse(&yard, &bad), bad = good;
    bad.low = 5, bad.high = 5, refuse(&yard, &bad), bad = good;
    bad.target = bad.eye, refuse(&yard, &bad);
    lf_rect nothing = {0, 0, 0, 10};
    lf_canvas *canvas = make_canvas(20, 20, NULL);
    assert_int_equal(lf_canvas_render(canvas, nothing, yard.ground, &good, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_render(NULL, nothing, yard.ground, &good, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_render_resolve(yard.ground, &good, 1, NULL, NULL), LF_BAD_ARGUMENT);
    lf_canvas_destroy(canvas);
    yard_free(&yard);
}

static lf_status draw_with(const lf_host *host, void *user) {
    const yard *yard = user;
    lf_canvas_def canvas_def = lf_canvas_def_default();
    lf_render_def def = from_above();
    lf_canvas *canvas = NULL;
    canvas_def.host = *host;
    canvas_def.width = canvas_def.height = 16;
    lf_status status = lf_canvas_create(&canvas_def, &canvas, NULL);
    if (status == LF_OK)
        status = lf_canvas_render(canvas, lf_canvas_area(canvas), yard->ground, &def, NULL);
    lf_canvas_destroy(canvas);
    return status;
}

static void memory_can_run_out(void **state) {
    (void)state;
    yard yard;
    yard_make(&yard);
    test_out_of_memory(draw_with, &yard);
    yard_free(&yard);
}

static bool stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)stage;
    (void)total;
    (*(int *)user)++;
    return done == 0;
}

static void it_can_be_cancelled(void **state) {
    (void)state;
    yard yard;
    yard_make(&yard);
    int reports = 0;
    lf_progress progress = {&reports, stop};
    lf_host host = {NULL, NULL, &progress, NULL};
    lf_canvas *canvas = make_canvas(40, 200, &host);
    lf_render_def def = from_above();
    assert_int_equal(lf_canvas_render(canvas, lf_canvas_area(canvas), yard.ground, &def, NULL), LF_CANCELLED);
    assert_int_equal(reports, 2);
    lf_canvas_destroy(canvas);
    yard_free(&yard);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shadows_fall_away_from_the_sun),
        cmocka_unit_test(paint_and_things_are_where_they_should_be),
        cmocka_unit_test(a_good_view_is_found),
        cmocka_unit_test(threads_draw_the_same),
        cmocka_unit_test(bad_views_are_refused),
        cmocka_unit_test(memory_can_run_out),
        cmocka_unit_test(it_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
