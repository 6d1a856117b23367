/// The canvas: pixels of shapes, text and images.
#include "picture/picture.h"
#include "picture/pixel.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

static const lf_colour white = {255, 255, 255, 255}, black = {0, 0, 0, 255}, red = {255, 0, 0, 255};

static lf_canvas *make_canvas(int64_t width, int64_t height) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.width = width;
    def.height = height;
    assert_int_equal(lf_canvas_create(&def, &canvas, NULL), LF_OK);
    return canvas;
}

static bool same(lf_colour a, lf_colour b) {
    return a.red == b.red && a.green == b.green && a.blue == b.blue && a.alpha == b.alpha;
}

/// How much black ink there is: 1 per wholly black pixel.
static double ink(const lf_canvas *canvas) {
    double sum = 0;
    lf_rect area = lf_canvas_area(canvas);
    for (int64_t y = 0; y < (int64_t)area.height; y++)
        for (int64_t x = 0; x < (int64_t)area.width; x++)
            sum += (255 - lf__canvas_pixel(canvas, x, y).green) / 255.0;
    return sum;
}

static void a_canvas_is_its_background(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(7, 5);
    assert_true(lf_canvas_area(canvas).x == 0 && lf_canvas_area(canvas).y == 0);
    assert_true(lf_canvas_area(canvas).width == 7);
    assert_true(lf_canvas_area(canvas).height == 5);
    for (int64_t y = 0; y < 5; y++)
        for (int64_t x = 0; x < 7; x++)
            assert_true(same(lf__canvas_pixel(canvas, x, y), white));
    lf_colour none = {0, 0, 0, 0};
    assert_true(same(lf__canvas_pixel(canvas, -1, 0), none));
    assert_true(same(lf__canvas_pixel(canvas, 0, 5), none));
    lf_canvas_fill_rect(canvas, (lf_rect){6, 4, 2, 2}, red);
    assert_true(same(lf__canvas_pixel(canvas, 6, 4), red));
    assert_true(same(lf__canvas_pixel(canvas, 5, 4), white));
    lf_canvas_destroy(canvas);
    lf_canvas_destroy(NULL);
}

static void bad_sizes_are_named(void **state) {
    (void)state;
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    lf_error error;
    def.width = 0;
    assert_int_equal(lf_canvas_create(&def, &canvas, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "0 x 600"));
    assert_non_null(strstr(error.text, "32767"));
    def.width = 32768;
    assert_int_equal(lf_canvas_create(&def, &canvas, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_create(NULL, &canvas, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_create(&def, NULL, &error), LF_BAD_ARGUMENT);
    assert_null(canvas);
}

static void a_rectangle_covers_shares_of_pixels(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(20, 20);
    lf_canvas_fill_rect(canvas, (lf_rect){2, 3, 4, 5}, black);
    assert_true(ink(canvas) == 20);
    assert_true(same(lf__canvas_pixel(canvas, 2, 3), black) && same(lf__canvas_pixel(canvas, 6, 3), white));
    lf_canvas_fill_rect(canvas, (lf_rect){10.5, 10.25, 1, 1}, black);
    assert_true(fabs(ink(canvas) - 21) < 0.02);
    assert_in_range(lf__canvas_pixel(canvas, 10, 11).red, 255 - 33, 255 - 31); // an eighth
    lf_canvas_fill_rect(canvas, (lf_rect){1, 1, -3, 2}, black);
    lf_canvas_fill_rect(canvas, (lf_rect){(double)NAN, 1, 3, 2}, black);
    lf_canvas_fill_rect(canvas, (lf_rect){1e12, 1, 3, 2}, black);
    assert_true(fabs(ink(canvas) - 21) < 0.02);
    lf_canvas_fill_rect(canvas, (lf_rect){-100, -100, 1000, 1000}, red);
    assert_true(same(lf__canvas_pixel(canvas, 0, 0), red) && same(lf__canvas_pixel(canvas, 19, 19), red));
    lf_canvas_destroy(canvas);
}

static void polygons_cover_their_area(void **state) {
    (void)state;
    test_random random = test_random_start(501);
    for (int round = 0; round < 50; round++) {
        lf_canvas *canvas = make_canvas(64, 64);
        lf_vec2 corners[3];
        for (int i = 0; i < 3; i++)
            corners[i] = (lf_vec2){test_random_between(&random, 1, 63), test_random_between(&random, 1, 63)};
        double area = 0.5 * fabs((corners[1].x - corners[0].x) * (corners[2].y - corners[0].y) -
                                 (corners[2].x - corners[0].x) * (corners[1].y - corners[0].y));
        lf_canvas_fill_polygon(canvas, corners, 3, black);
        if (fabs(ink(canvas) - area) > 0.01 * area + 1.5)
            fail_msg("area %g, ink %g", area, ink(canvas));
        lf_canvas_destroy(canvas);
    }
}

static void a_star_is_filled_by_the_even_odd_rule(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(40, 40);
    lf_vec2 ring[10] = {{5, 5},   {35, 5},  {35, 35}, {5, 35},  {5, 5},
                        {15, 15}, {25, 15}, {25, 25}, {15, 25}, {15, 15}};
    lf_canvas_fill_polygon(canvas, ring, 10, black);
    assert_true(same(lf__canvas_pixel(canvas, 20, 20), white));
    assert_true(same(lf__canvas_pixel(canvas, 10, 20), black));
    assert_true(fabs(ink(canvas) - 800) < 1);
    ring[3].x = (double)INFINITY;
    lf_canvas_fill_polygon(canvas, ring, 10, red);
    lf_canvas_fill_polygon(canvas, ring, 2, red);
    assert_true(same(lf__canvas_pixel(canvas, 10, 20), black));
    lf_canvas_destroy(canvas);
}

static void circles_and_markers_leave_ink(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(60, 60);
    lf_canvas_marker(canvas, (lf_vec2){30, 30}, LF_MARKER_DISC, 20, black);
    assert_true(fabs(ink(canvas) - 314.16) < 3);
    lf_canvas_marker(canvas, (lf_vec2){30, 30}, LF_MARKER_DISC, -1, red);
    assert_true(same(lf__canvas_pixel(canvas, 30, 30), black));
    lf_canvas_destroy(canvas);
    for (int marker = LF_MARKER_NONE; marker <= LF_MARKER_PLUS; marker++) {
        canvas = make_canvas(40, 40);
        lf_canvas_marker(canvas, (lf_vec2){20, 20}, (lf_marker)marker, 16, black);
        double area = ink(canvas);
        assert_true(marker == LF_MARKER_NONE ? area == 0 : area > 40 && area < 300);
        bool hollow = marker == LF_MARKER_NONE || marker == LF_MARKER_RING;
        assert_true(same(lf__canvas_pixel(canvas, 20, 20), hollow ? white : black) ||
                    marker >= LF_MARKER_CROSS);
        lf_canvas_marker(canvas, (lf_vec2){(double)NAN, 20}, (lf_marker)marker, 16, black);
        lf_canvas_marker(canvas, (lf_vec2){20, 20}, (lf_marker)marker, 0, black);
        assert_true(ink(canvas) == area);
        lf_canvas_destroy(canvas);
    }
}

static void lines_have_their_width(void **state) {
    (void)state;
    test_random random = test_random_start(502);
    for (int round = 0; round < 60; round++) {
        lf_canvas *canvas = make_canvas(100, 100);
        lf_vec2 a = {test_random_between(&random, 15, 85), test_random_between(&random, 15, 85)};
        lf_vec2 b = {test_random_between(&random, 15, 85), test_random_between(&random, 15, 85)};
        double width = test_random_between(&random, 0.4, 12), length = hypot(b.x - a.x, b.y - a.y);
        lf_stroke stroke = lf_stroke_solid(black, width);
        lf_canvas_line(canvas, a, b, &stroke);
        double expected = width * (length + width * 3.14159 / 4);
        if (fabs(ink(canvas) - expected) > 0.03 * expected + 2)
            fail_msg("width %g length %g: ink %g, not %g", width, length, ink(canvas), expected);
        lf_canvas_destroy(canvas);
    }
}

static void translucent_chains_cover_once(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(60, 60);
    lf_vec2 there_and_back[3] = {{10, 30.5}, {50, 30.5}, {10, 30.5}};
    lf_stroke stroke = lf_stroke_solid(lf_colour_fade(black, 0.5), 5);
    lf_canvas_polyline(canvas, there_and_back, 3, &stroke);
    assert_in_range(lf__canvas_pixel(canvas, 30, 30).red, 126, 128);
    lf_vec2 broken[5] = {{10, 50}, {20, 50}, {(double)NAN, 0}, {40, 50}, {50, 50}};
    stroke = lf_stroke_solid(black, 4);
    lf_canvas_polyline(canvas, broken, 5, &stroke);
    assert_true(same(lf__canvas_pixel(canvas, 30, 50), white) &&
                same(lf__canvas_pixel(canvas, 15, 50), black));
    lf_canvas_line(canvas, (lf_vec2){1, 1}, (lf_vec2){(double)INFINITY, 1}, &stroke);
    lf_canvas_line(canvas, (lf_vec2){1, 1}, (lf_vec2){1e300, 1}, &stroke);
    assert_true(same(lf__canvas_pixel(canvas, 5, 1), white));
    // Beyond cairo's own range, but still where it belongs: through (30, 10) at a slope of 1 in 2.
    lf_canvas_line(canvas, (lf_vec2){30 - 2e8, 10 - 1e8}, (lf_vec2){30 + 2e8, 10 + 1e8}, &stroke);
    assert_true(same(lf__canvas_pixel(canvas, 10, 0), black) &&
                same(lf__canvas_pixel(canvas, 50, 20), black));
    assert_true(same(lf__canvas_pixel(canvas, 50, 10), white) &&
                same(lf__canvas_pixel(canvas, 10, 20), white));
    lf_canvas_destroy(canvas);
}

static void dashes_leave_gaps(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(120, 20);
    lf_stroke dashed = {black, 2, 10, 10};
    lf_vec2 bent[3] = {{10, 10}, {60, 10}, {110, 10}};
    lf_canvas_polyline(canvas, bent, 3, &dashed);
    assert_true(same(lf__canvas_pixel(canvas, 15, 10), black) &&
                same(lf__canvas_pixel(canvas, 25, 10), white));
    assert_true(same(lf__canvas_pixel(canvas, 35, 10), black) &&
                same(lf__canvas_pixel(canvas, 95, 9), black));
    assert_true(same(lf__canvas_pixel(canvas, 105, 10), white)); // the pattern runs on through the bend
    dashed.dash = dashed.gap = 1e-9;                             // too short to see: solid, and soon done
    lf_canvas_polyline(canvas, bent, 3, &dashed);
    assert_true(same(lf__canvas_pixel(canvas, 105, 10), black));
    lf_canvas_destroy(canvas);
}

static void outlines_close(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(60, 60);
    lf_vec2 square[4] = {{10, 10}, {50, 10}, {50, 50}, {10, 50}};
    lf_stroke stroke = lf_stroke_solid(black, 2);
    lf_canvas_outline(canvas, square, 4, &stroke);
    assert_true(same(lf__canvas_pixel(canvas, 10, 30), black) &&
                same(lf__canvas_pixel(canvas, 30, 30), white));
    // A transparent outline covers its corners once.
    canvas = (lf_canvas_destroy(canvas), make_canvas(60, 60));
    stroke = lf_stroke_solid(lf_colour_fade(black, 0.5), 6);
    lf_canvas_outline(canvas, square, 4, &stroke);
    assert_in_range(lf__canvas_pixel(canvas, 10, 10).red, 126, 128);
    assert_in_range(lf__canvas_pixel(canvas, 10, 30).red, 126, 128);
    // Without its third corner it is two lines and the closing side.
    square[2].x = (double)NAN;
    canvas = (lf_canvas_destroy(canvas), make_canvas(60, 60));
    stroke = lf_stroke_solid(red, 2);
    lf_canvas_outline(canvas, square, 4, &stroke);
    assert_true(same(lf__canvas_pixel(canvas, 30, 10), red) && same(lf__canvas_pixel(canvas, 10, 30), red));
    assert_true(same(lf__canvas_pixel(canvas, 50, 30), white) &&
                same(lf__canvas_pixel(canvas, 30, 50), white));
    lf_canvas_destroy(canvas);
}

static void clipping_stops_every_shape(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(40, 40);
    lf_vec2 corners[3] = {{-20, -20}, {80, -20}, {20, 90}};
    lf_text_style style = lf_text_style_default();
    lf_stroke stroke = lf_stroke_solid(black, 30);
    uint8_t image[3] = {0, 0, 0};
    lf__canvas_clip(canvas, (lf_rect){10, 12, 5, 6});
    lf_canvas_fill_rect(canvas, lf_canvas_area(canvas), black);
    lf_canvas_fill_polygon(canvas, corners, 3, black);
    lf_canvas_marker(canvas, (lf_vec2){20, 20}, LF_MARKER_DISC, 200, black);
    lf_canvas_line(canvas, (lf_vec2){0, 0}, (lf_vec2){40, 40}, &stroke);
    lf_canvas_text(canvas, (lf_vec2){0, 20}, "landfall", &style);
    assert_int_equal(lf_canvas_image(canvas, lf_canvas_area(canvas), image, 1, 1, 3), LF_OK);
    assert_true(ink(canvas) == 30);
    lf__canvas_unclip(canvas);
    lf__canvas_clip(canvas, (lf_rect){-5, -5, 3, 3});
    lf_canvas_fill_rect(canvas, lf_canvas_area(canvas), red);
    assert_true(ink(canvas) == 30);
    lf__canvas_unclip(canvas);
    lf_canvas_fill_rect(canvas, lf_canvas_area(canvas), red);
    assert_true(same(lf__canvas_pixel(canvas, 39, 39), red));
    lf_canvas_destroy(canvas);
}

static void transparency_adds_up(void **state) {
    (void)state;
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.width = def.height = 4;
    def.background = (lf_colour){0, 0, 0, 0};
    assert_int_equal(lf_canvas_create(&def, &canvas, NULL), LF_OK);
    lf_canvas_fill_rect(canvas, (lf_rect){0, 0, 2, 4}, lf_colour_fade(red, 0.5));
    lf_colour once = lf__canvas_pixel(canvas, 0, 0);
    assert_true(once.red == 255 && once.green == 0 && once.alpha == 128);
    lf_canvas_fill_rect(canvas, (lf_rect){0, 0, 1, 4}, lf_colour_fade(white, 0.5));
    lf_colour twice = lf__canvas_pixel(canvas, 0, 0);
    assert_true(twice.alpha >= 191 && twice.alpha <= 193 && twice.green > 165 && twice.green < 175);
    assert_int_equal(lf_colour_fade(red, 2).alpha, 255);
    assert_int_equal(lf_colour_fade(red, -1).alpha, 0);
    lf_canvas_destroy(canvas);
}

static void images_are_scaled(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(20, 20);
    const uint8_t four[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0};
    assert_int_equal(lf_canvas_image(canvas, (lf_rect){0, 0, 10, 10}, four, 2, 2, 3), LF_OK);
    assert_true(same(lf__canvas_pixel(canvas, 4, 4), red) && same(lf__canvas_pixel(canvas, 5, 5), black));
    assert_true(same(lf__canvas_pixel(canvas, 9, 0), lf_colour_of(0x00ff00)));
    assert_int_equal(lf_canvas_image(canvas, (lf_rect){12, 12, 1, 1}, four, 2, 2, 3), LF_OK);
    lf_colour mean = lf__canvas_pixel(canvas, 12, 12);
    assert_true(abs(mean.red - 64) < 4 && abs(mean.green - 64) < 4 && abs(mean.blue - 64) < 4);
    assert_true(same(lf__canvas_pixel(canvas, 13, 12), white) &&
                same(lf__canvas_pixel(canvas, 11, 12), white));
    const uint8_t clear[4] = {9, 9, 9, 0};
    lf_rect empty = {0, 0, 0, 5};
    assert_int_equal(lf_canvas_image(canvas, lf_canvas_area(canvas), clear, 1, 1, 4), LF_OK);
    assert_int_equal(lf_canvas_image(canvas, lf_canvas_area(canvas), clear, 1, 1, 2), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_image(canvas, lf_canvas_area(canvas), NULL, 1, 1, 3), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_image(canvas, empty, four, 2, 2, 3), LF_BAD_ARGUMENT);
    assert_true(same(lf__canvas_pixel(canvas, 15, 15), white));
    lf_canvas_destroy(canvas);
}

/// The letters that figures need have shapes of their own: none is the box for a missing glyph.
static void letters_are_in_the_font(void **state) {
    (void)state;
    static const char *const letters[] = {"A",
                                          "g",
                                          "0",
                                          "9",
                                          "%",
                                          "\xc3\xa4",
                                          "\xc2\xb0",
                                          "\xc2\xb5",
                                          "\xc2\xb2",
                                          "\xc2\xb1",
                                          "\xc3\x97",
                                          "\xe2\x80\x93",
                                          "\xe2\x89\xa4",
                                          "\xcf\x80"};
    enum { COUNT = sizeof letters / sizeof *letters };
    double drawn[COUNT + 1];
    lf_text_style style = lf_text_style_default();
    style.height = 60;
    for (int i = 0; i <= COUNT; i++) {
        lf_canvas *canvas = make_canvas(100, 100);
        lf_canvas_text(canvas, (lf_vec2){20, 80}, i < COUNT ? letters[i] : "\xef\xbf\xbe", &style);
        drawn[i] = ink(canvas);
        assert_true(drawn[i] > 20);
        for (int k = 0; k < i; k++)
            if (fabs(drawn[i] - drawn[k]) < 1e-9)
                fail_msg("letters %d and %d look the same", k, i);
        lf_canvas_destroy(canvas);
    }
    assert_true(lf__text_width("\xc3\xa4", 60) == lf__text_width("a", 60)); // one letter, not two
}

/// Capitals are 0.6 of the line height; bold letters have more ink.
static void text_has_its_size(void **state) {
    (void)state;
    lf_text_style style = lf_text_style_default();
    double inks[2];
    style.height = 100;
    style.colour = black;
    for (int bold = 0; bold < 2; bold++) {
        lf_canvas *canvas = make_canvas(120, 120);
        style.bold = bold == 1;
        lf_canvas_text(canvas, (lf_vec2){20, 100}, "H", &style);
        int64_t top = 120, bottom = 0;
        for (int64_t y = 0; y < 120; y++)
            for (int64_t x = 0; x < 120; x++)
                if (lf__canvas_pixel(canvas, x, y).green < 128) {
                    top = y < top ? y : top;
                    bottom = y + 1;
                }
        assert_true(bottom == 100);
        assert_in_range(bottom - top, 59, 61);
        inks[bold] = ink(canvas);
        lf_canvas_destroy(canvas);
    }
    assert_true(inks[1] > 1.3 * inks[0]);
    assert_true(fabs(lf__text_width("landfall", 48) - 2 * lf__text_width("landfall", 24)) < 0.01);
}

static void text_is_aligned(void **state) {
    (void)state;
    lf_text_style style = lf_text_style_default();
    double width = lf__text_width("landfall", 24);
    assert_true(width > 60 && width < 130);
    assert_true(lf__text_width("", 24) == 0 && lf__text_width(NULL, 24) == 0 && lf__text_width("x", -1) == 0);
    assert_true(lf__text_width("a\nlandfall\nb", 24) == width);
    style.height = 24;
    style.colour = black;
    for (int turns = 0; turns < 4; turns++)
        for (int align = LF_ALIGN_START; align <= LF_ALIGN_END; align++) {
            lf_canvas *canvas = make_canvas(300, 300);
            double sum = 0, x_mean = 0, y_mean = 0;
            style.quarter_turns = turns;
            style.horizontal = (lf_align)align;
            style.vertical = LF_ALIGN_MIDDLE;
            lf_canvas_text(canvas, (lf_vec2){150, 150}, "HHHHHH", &style);
            for (int64_t y = 0; y < 300; y++)
                for (int64_t x = 0; x < 300; x++) {
                    double share = 255 - lf__canvas_pixel(canvas, x, y).green;
                    sum += share, x_mean += share * ((double)x + 0.5), y_mean += share * ((double)y + 0.5);
                }
            double half = 0.5 * lf__text_width("HHHHHH", 24), shift = align == 0   ? half
                                                                      : align == 1 ? 0
                                                                                   : -half;
            static const double along[4][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
            assert_true(sum > 1000);
            assert_true(fabs(x_mean / sum - 150 - shift * along[turns][0]) < 1.6);
            assert_true(fabs(y_mean / sum - 150 - shift * along[turns][1]) < 1.6);
            lf_canvas_destroy(canvas);
        }
}

static void invalid_text_is_replaced(void **state) {
    (void)state;
    lf_canvas *canvas = make_canvas(200, 60);
    lf_text_style style = lf_text_style_default();
    lf_canvas_text(canvas, (lf_vec2){10, 30}, "\xff\xc3 \xe2\x82", &style);
    assert_true(ink(canvas) > 20);
    lf_canvas_text(canvas, (lf_vec2){10, 55}, "\xed\xa0\x80\xf4\x90\x80\x80\xc0\x80", &style);
    double before = ink(canvas);
    lf_canvas_fill_rect(canvas, (lf_rect){190, 0, 10, 10}, black); // cairo still draws
    assert_true(fabs(ink(canvas) - before - 100) < 0.01);
    before = ink(canvas);
    lf_canvas_text(canvas, (lf_vec2){(double)NAN, 30}, "x", &style);
    lf_canvas_text(canvas, (lf_vec2){10, 30}, NULL, &style);
    style.height = 2;
    lf_canvas_text(canvas, (lf_vec2){10, 30}, "x", &style);
    assert_true(ink(canvas) == before);
    style = lf_text_style_default();
    style.halo = red;
    lf_canvas_text(canvas, (lf_vec2){100, 30}, "halo\nline", &style);
    assert_true(ink(canvas) > before + 200);
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    double width = lf__text_width(longest, 24);
    assert_true(width > 1000 * lf__text_width("x", 24) && width < 1024 * lf__text_width("x", 24));
    lf_canvas_destroy(canvas);
}

static void colours_go_from_end_to_end(void **state) {
    (void)state;
    assert_true(same(lf_ramp_colour(LF_RAMP_GREY, 0), black) && same(lf_ramp_colour(LF_RAMP_GREY, 1), white));
    assert_true(same(lf_ramp_colour(LF_RAMP_GREY, -3), black) &&
                same(lf_ramp_colour(LF_RAMP_GREY, 9), white));
    assert_int_equal(lf_ramp_colour(LF_RAMP_GREY, 0.5).red, 128);
    assert_int_equal(lf_ramp_colour(LF_RAMP_LAND, (double)NAN).alpha, 0);
    int before = 0;
    for (int i = 0; i <= 100; i++) { // the even ramp only gets lighter
        lf_colour c = lf_ramp_colour(LF_RAMP_EVEN, i / 100.0);
        int light = 299 * c.red + 587 * c.green + 114 * c.blue;
        assert_true(light > before);
        before = light;
    }
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < i; k++)
            assert_false(same(lf__colour_series(i), lf__colour_series(k)));
    assert_true(same(lf__colour_series(11), lf__colour_series(3)));
    assert_int_equal(lf_colour_mix(black, white, 0.25).green, 64);
    assert_true(same(lf_colour_named("water"), lf_colour_of(0x9fc3d6)));
    assert_int_equal(lf_colour_named("something else").alpha, 255);
    assert_int_equal(lf_colour_named(NULL).red, 0xbf);
}

static void views_go_there_and_back(void **state) {
    (void)state;
    lf_box box = {{1000, 2000, 0}, {1400, 2300, 9}};
    lf_map_axes view = lf_map_axes_fit((lf_rect){10, 20, 800, 900}, box);
    lf_vec2 corner = lf_map_axes_to_pixel(&view, 1000, 2300), other = lf_map_axes_to_pixel(&view, 1400, 2000);
    assert_true(corner.x == 10 && other.x == 810 && corner.y == 170 && other.y == 770);
    lf_vec2 world = lf__map_axes_to_world(&view, (lf_vec2){410, 470});
    assert_true(fabs(world.x - 1200) < 1e-9 && fabs(world.y - 2150) < 1e-9);
    lf_box point = {{5, 5, 0}, {5, 5, 0}};
    view = lf_map_axes_fit((lf_rect){0, 0, 10, 10}, point);
    assert_true(view.x_low == 4.5 && view.x_high == 5.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_canvas_is_its_background),
        cmocka_unit_test(bad_sizes_are_named),
        cmocka_unit_test(a_rectangle_covers_shares_of_pixels),
        cmocka_unit_test(polygons_cover_their_area),
        cmocka_unit_test(a_star_is_filled_by_the_even_odd_rule),
        cmocka_unit_test(circles_and_markers_leave_ink),
        cmocka_unit_test(lines_have_their_width),
        cmocka_unit_test(translucent_chains_cover_once),
        cmocka_unit_test(dashes_leave_gaps),
        cmocka_unit_test(outlines_close),
        cmocka_unit_test(clipping_stops_every_shape),
        cmocka_unit_test(transparency_adds_up),
        cmocka_unit_test(images_are_scaled),
        cmocka_unit_test(letters_are_in_the_font),
        cmocka_unit_test(text_has_its_size),
        cmocka_unit_test(text_is_aligned),
        cmocka_unit_test(invalid_text_is_replaced),
        cmocka_unit_test(colours_go_from_end_to_end),
        cmocka_unit_test(views_go_there_and_back),
    };
    return cmocka_run_group_tests_name("picture canvas", tests, NULL, NULL);
}
