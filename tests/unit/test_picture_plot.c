/// Plots, ticks, numbers as text, scale bars and keys.
#include "picture/picture.h"
#include "picture/pixel.h"
#include "support.h"
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static lf_canvas *make_canvas(int64_t width, int64_t height) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.width = width;
    def.height = height;
    assert_int_equal(lf_canvas_create(&def, &canvas, NULL), LF_OK);
    return canvas;
}

/// Pixels within a rectangle that are near a colour.
static int64_t near_colour(const lf_canvas *canvas, lf_rect area, lf_colour colour) {
    int64_t count = 0;
    for (int64_t y = (int64_t)area.y; y < (int64_t)(area.y + area.height); y++)
        for (int64_t x = (int64_t)area.x; x < (int64_t)(area.x + area.width); x++) {
            lf_colour p = lf__canvas_pixel(canvas, x, y);
            int off = abs(p.red - colour.red) + abs(p.green - colour.green) + abs(p.blue - colour.blue);
            count += p.alpha == 255 && off < 12;
        }
    return count;
}

static void ticks_are_round(void **state) {
    (void)state;
    lf_ticks ticks = lf_ticks_of(0, 10, 5);
    assert_true(ticks.first == 0 && ticks.step == 2 && ticks.count == 6 && ticks.decimals == 0);
    ticks = lf_ticks_of(-0.31, 0.77, 5);
    assert_true(fabs(ticks.step - 0.5) < 1e-12 || fabs(ticks.step - 0.2) < 1e-12);
    assert_int_equal(ticks.decimals, 1);
    assert_int_equal(lf_ticks_of(1, 1, 5).count, 0);
    assert_int_equal(lf_ticks_of(2, 1, 5).count, 0);
    assert_int_equal(lf_ticks_of((double)NAN, 1, 5).count, 0);
    assert_int_equal(lf_ticks_of(-1e308, 1.7e308, 5).count, 0);
    test_random random = test_random_start(511);
    for (int round = 0; round < 2000; round++) {
        double size = pow(10, test_random_between(&random, -9, 12));
        double low = test_random_between(&random, -1, 1) * size,
               high = low + test_random_between(&random, 0.01, 1) * size;
        int wanted = 1 + (int)test_random_below(&random, 20);
        ticks = lf_ticks_of(low, high, wanted);
        double lead = ticks.step / pow(10, floor(log10(ticks.step) + 1e-9));
        assert_true(fabs(lead - 1) < 1e-6 || fabs(lead - 2) < 1e-6 || fabs(lead - 5) < 1e-6);
        assert_true(ticks.count >= wanted / 3 && ticks.count <= wanted + 3);
        double space = 1e-6 * ticks.step;
        if (ticks.count > 0)
            assert_true(ticks.first >= low - space &&
                        ticks.first + (ticks.count - 1) * ticks.step <= high + space);
    }
}

static void check_number(double value, int decimals, const char *expected) {
    char text[64];
    lf_number_text(value, decimals, text, sizeof text);
    assert_string_equal(text, expected);
}

static void numbers_are_the_same_everywhere(void **state) {
    (void)state;
    setlocale(LC_ALL, "de_DE.UTF-8"); // where it is not there, nothing changes
    check_number(0, 0, "0");
    check_number(-0.0, 1, "0.0");
    check_number(-0.04, 1, "0.0");
    check_number(-0.06, 1, "-0.1");
    check_number(1234.5678, 2, "1234.57");
    check_number(9.999, 2, "10.00");
    check_number(0.05, 3, "0.050");
    check_number(999999999999999.0, 0, "999999999999999");
    check_number(1.5e20, 1, "1.5e+20");
    check_number(-9.99e99, 1, "-1.0e+100");
    check_number((double)NAN, 1, "nan");
    check_number((double)INFINITY, 1, "inf");
    check_number(-(double)INFINITY, 1, "-inf");
    check_number(1.0, 99, "1.000000000000000");
    setlocale(LC_ALL, "C");
    char little[4];
    lf_number_text(123456, 0, little, sizeof little);
    assert_string_equal(little, "123");
    lf_number_text(1, 0, little, 0);
    lf_number_text(1, 0, NULL, 4);
}

static void a_line_lands_where_the_view_says(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(640, 420);
    double x[101], y[101];
    for (int i = 0; i <= 100; i++) {
        x[i] = i * 0.1;
        y[i] = 3 + (x[i] - 5) * (x[i] - 5) / 5;
    }
    lf_series series = {.name = "parabola", .x = x, .y = y, .count = 101, .kind = LF_SERIES_LINE};
    lf_plot_def def = lf_plot_def_default();
    lf_map_axes view;
    def.title = "A title";
    def.subtitle = "and a subtitle";
    def.x.label = "x (m)";
    def.y.label = "y (m)";
    def.series = &series;
    def.series_count = 1;
    assert_int_equal(lf_canvas_plot(canvas, &def, &view, NULL), LF_OK);
    assert_true(view.x_low == 0 && view.x_high == 10 && view.y_low <= 3 && view.y_high >= 8);
    for (int i = 0; i <= 100; i += 10) {
        lf_vec2 at = lf_map_axes_to_pixel(&view, x[i], y[i]);
        lf_rect about = {floor(at.x) - 2, floor(at.y) - 2, 5, 5};
        assert_true(near_colour(canvas, about, lf__colour_series(0)) > 0);
    }
    lf_rect above = {view.area.x, 0, view.area.width, view.area.y - 8};
    assert_true(near_colour(canvas, above, (lf_colour){38, 43, 51, 255}) > 20); // the title
    lf_canvas_destroy(canvas);
}

static void every_kind_of_series_leaves_ink(void **state) {
    (void)state;
    double x[600], y[600];
    for (int i = 0; i < 600; i++) {
        x[i] = i + 1;
        y[i] = 10 + i % 50 * (i % 7);
    }
    y[300] = (double)NAN;
    for (int kind = LF_SERIES_LINE; kind <= LF_SERIES_STEPS; kind++)
        for (int logarithmic = 0; logarithmic < 2; logarithmic++) {
            lf_canvas *canvas = make_canvas(500, 320);
            lf_series series = {.name = "s", .x = x, .y = y, .count = 600, .kind = (lf_series_kind)kind};
            lf_plot_def def = lf_plot_def_default();
            series.colour = lf_colour_of(0x0000ff);
            series.marker = kind == LF_SERIES_AREA ? LF_MARKER_RING : LF_MARKER_NONE;
            series.dash = kind == LF_SERIES_STEPS ? 5 : 0;
            def.series = &series;
            def.series_count = 1;
            def.x.logarithmic = def.y.logarithmic = logarithmic == 1;
            lf_map_axes view;
            assert_int_equal(lf_canvas_plot(canvas, &def, &view, NULL), LF_OK);
            int64_t blue = 0;
            for (int64_t j = 0; j < 320; j++)
                for (int64_t i = 0; i < 500; i++) {
                    lf_colour p = lf__canvas_pixel(canvas, i, j);
                    blue += p.blue > p.red + 60;
                }
            assert_true(blue > 300);
            lf_canvas_destroy(canvas);
        }
}

static void one_scale_is_one_scale(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(700, 300);
    double x[2] = {0, 10}, y[2] = {0, 10};
    lf_series series = {.x = x, .y = y, .count = 2};
    lf_plot_def def = lf_plot_def_default();
    def.series = &series;
    def.series_count = 1;
    def.one_scale = true;
    lf_map_axes view;
    assert_int_equal(lf_canvas_plot(canvas, &def, &view, NULL), LF_OK);
    double across = view.area.width / (view.x_high - view.x_low),
           up = view.area.height / (view.y_high - view.y_low);
    assert_true(fabs(across - up) < 1e-9 * up);
    lf_canvas_destroy(canvas);
}

static void bad_plots_are_refused(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(300, 200);
    double x[2] = {-1, -2}, y[2] = {1, 2};
    lf_series series = {.x = x, .y = y, .count = 2};
    lf_plot_def def = lf_plot_def_default();
    lf_error error;
    assert_int_equal(lf_canvas_plot(canvas, &def, NULL, &error), LF_OK); // empty, but with axes
    def.series = &series;
    def.series_count = 1;
    def.x.logarithmic = true;
    assert_int_equal(lf_canvas_plot(canvas, &def, NULL, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "x axis"));
    def.x.logarithmic = false;
    def.y.low = 3;
    def.y.high = 2;
    assert_int_equal(lf_canvas_plot(canvas, &def, NULL, &error), LF_BAD_ARGUMENT);
    def = lf_plot_def_default();
    def.area = (lf_rect){0, 0, 40, 40};
    assert_int_equal(lf_canvas_plot(canvas, &def, NULL, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "40 x 40"));
    def = lf_plot_def_default();
    def.series_count = 2;
    assert_int_equal(lf_canvas_plot(canvas, &def, NULL, &error), LF_BAD_ARGUMENT);
    series.x = NULL;
    def.series = &series;
    def.series_count = 1;
    assert_int_equal(lf_canvas_plot(canvas, &def, NULL, &error), LF_BAD_ARGUMENT);
    def = lf_plot_def_default();
    def.text_height = (double)NAN;
    assert_int_equal(lf_canvas_plot(canvas, &def, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_plot(canvas, NULL, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_plot(NULL, &def, NULL, &error), LF_BAD_ARGUMENT);
    lf_canvas_destroy(canvas);
}

static void a_single_point_gets_an_axis(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(300, 200);
    double x[1] = {1e6}, y[1] = {-7};
    lf_series series = {.x = x, .y = y, .count = 1, .kind = LF_SERIES_POINTS};
    lf_plot_def def = lf_plot_def_default();
    def.series = &series;
    def.series_count = 1;
    lf_map_axes view;
    assert_int_equal(lf_canvas_plot(canvas, &def, &view, NULL), LF_OK);
    assert_true(view.x_low < 1e6 && view.x_high > 1e6 && view.y_low < -7 && view.y_high > -7);
    lf_canvas_destroy(canvas);
}

static void scale_bars_and_keys_are_drawn(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(400, 300);
    lf_box box = {{0, 0, 0}, {1000, 750, 0}};
    lf_map_axes view = lf_map_axes_fit(lf_canvas_area(canvas), box);
    lf_canvas_scale_bar(canvas, &view, (lf_vec2){20, 280}, 100);
    lf_colour dark = {38, 43, 51, 255};
    // 100 pixels are 250 m: the bar is 200 m, 80 pixels, dark in its first and third quarter and around the
    // others.
    assert_int_equal(near_colour(canvas, (lf_rect){20, 274, 80, 6}, dark), 80 * 6 - 4 * (20 + 19));
    assert_int_equal(near_colour(canvas, (lf_rect){101, 270, 60, 10}, dark), 0);
    assert_true(near_colour(canvas, (lf_rect){20, 250, 60, 20}, dark) > 5);
    lf_canvas_scale_bar(canvas, &view, (lf_vec2){20, 280}, (double)NAN);
    lf_canvas_ramp_key(canvas, (lf_rect){200, 40, 20, 200}, LF_RAMP_GREY, 0, 4000, "height (m)");
    assert_true(lf__canvas_pixel(canvas, 210, 41).red > 250 && lf__canvas_pixel(canvas, 210, 238).red < 5);
    lf_canvas_ramp_key(canvas, (lf_rect){40, 40, 120, 12}, LF_RAMP_EVEN, 5, 5, "nothing");
    lf_canvas_ramp_key(canvas, (lf_rect){40, 100, 120, 12}, LF_RAMP_HEAT, 0, 1, NULL);
    assert_true(lf__canvas_pixel(canvas, 158, 105).green < 60);
    lf_canvas_destroy(canvas);
}

/// A line that leaves the frame by far is cut off at the frame, not left out.
static void a_narrow_axis_shows_a_part(void **state) {
    (void)state;
    double x[2] = {-1e5, 1e5}, y[2] = {-1e5, 1e5};
    lf_canvas *canvas = make_canvas(400, 300);
    lf_series series = {.x = x, .y = y, .count = 2, .kind = LF_SERIES_AREA};
    lf_plot_def def = lf_plot_def_default();
    lf_map_axes view;
    def.series = &series;
    def.series_count = 1;
    def.x.low = def.y.low = 0;
    def.x.high = def.y.high = 1;
    assert_int_equal(lf_canvas_plot(canvas, &def, &view, NULL), LF_OK);
    for (int i = 1; i < 10; i++) {
        lf_vec2 at = lf_map_axes_to_pixel(&view, i * 0.1, i * 0.1);
        lf_rect about = {floor(at.x) - 2, floor(at.y) - 2, 5, 5};
        assert_true(near_colour(canvas, about, lf__colour_series(0)) > 0);
    }
    lf_rect left = {0, view.area.y, view.area.x - 3, view.area.height};
    assert_int_equal(near_colour(canvas, left, lf__colour_series(0)), 0);
    lf_canvas_destroy(canvas);
}

static lf_status draw_plot(const lf_host *host, void *user) {
    static const double x[] = {0, 1, 2}, y[] = {0.5, 2, 1};
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    lf_series series = {.x = x, .y = y, .count = 3, .kind = LF_SERIES_STEPS};
    lf_plot_def plot = lf_plot_def_default();
    (void)user;
    def.host = *host;
    plot.series = &series;
    plot.series_count = 1;
    lf_status status = lf_canvas_create(&def, &canvas, NULL);
    if (status == LF_OK)
        status = lf_canvas_plot(canvas, &plot, NULL, NULL);
    lf_canvas_destroy(canvas);
    return status;
}

static void out_of_memory_is_an_answer(void **state) {
    (void)state;
    test_out_of_memory(draw_plot, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(numbers_are_the_same_everywhere),
        cmocka_unit_test(a_line_lands_where_the_view_says),
        cmocka_unit_test(every_kind_of_series_leaves_ink),
        cmocka_unit_test(one_scale_is_one_scale),
        cmocka_unit_test(bad_plots_are_refused),
        cmocka_unit_test(a_single_point_gets_an_axis),
        cmocka_unit_test(scale_bars_and_keys_are_drawn),
        cmocka_unit_test(a_narrow_axis_shows_a_part),
        cmocka_unit_test(out_of_memory_is_an_answer),
    };
    return cmocka_run_group_tests_name("picture plot", tests, NULL, NULL);
}
