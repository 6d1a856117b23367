/// Pictures as files: PNG read back, shapes and letters in SVG and PDF, files that cannot be written.
#include "files.h"
#include "picture/picture.h"
#include "picture/pixel.h"
#include "support.h"
#include <locale.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const lf_colour white = {255, 255, 255, 255}, black = {0, 0, 0, 255}, red = {255, 0, 0, 255};

static lf_canvas *make_canvas(int64_t width, int64_t height, lf_colour background) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.width = width;
    def.height = height;
    def.background = background;
    assert_int_equal(lf_canvas_create(&def, &canvas, NULL), LF_OK);
    return canvas;
}

/// Read a PNG back by libpng's simple interface.
static uint8_t *read_png(const char *path, int *width, int *height, bool *alpha) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, path));
    *alpha = (image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
    image.format = PNG_FORMAT_RGBA;
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    *width = (int)image.width;
    *height = (int)image.height;
    return pixels;
}

static void a_png_comes_back(void **state) {
    (void)state;
    test_random random = test_random_start(503);
    for (int with_alpha = 0; with_alpha < 2; with_alpha++) {
        lf_canvas *canvas = make_canvas(37, 23, with_alpha ? (lf_colour){0, 0, 0, 0} : white);
        uint8_t image[37 * 23 * 4], *pixels;
        for (size_t i = 0; i < sizeof image; i++)
            image[i] = i % 4 == 3 && !with_alpha ? 255 : (uint8_t)test_random_bits(&random);
        assert_int_equal(lf_canvas_image(canvas, lf_canvas_area(canvas), image, 37, 23, 4), LF_OK);
        int width, height;
        bool alpha;
        assert_int_equal(lf_canvas_write(canvas, test_path("a.png"), NULL), LF_OK);
        pixels = read_png(test_path("a.png"), &width, &height, &alpha);
        assert_true(width == 37 && height == 23 && alpha == (with_alpha == 1));
        for (int64_t i = 0; i < 37 * 23; i++) {
            lf_colour colour = lf__canvas_pixel(canvas, i % 37, i / 37);
            assert_int_equal(pixels[4 * i + 3], image[4 * i + 3]);
            assert_int_equal(colour.alpha, image[4 * i + 3]);
            // What is nearly invisible has lost its colour.
            for (int k = 0; k < 3 && colour.alpha > 0; k++) {
                int off = 1 + 255 / colour.alpha;
                assert_in_range(pixels[4 * i + k] + 256, image[4 * i + k] + 256 - off,
                                image[4 * i + k] + 256 + off);
            }
            if (!with_alpha)
                assert_memory_equal(pixels + 4 * i, image + 4 * i, 4);
            if (!with_alpha)
                assert_memory_equal(pixels + 4 * i, &colour, 4);
        }
        free(pixels);
        lf_canvas_destroy(canvas);
    }
}

static int64_t count_of(const char *text, const char *part) {
    int64_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        count++;
    return count;
}

/// A canvas with a red square, a transparent line, an image and text.
static lf_canvas *small_picture(const char *text) {
    lf_canvas *canvas = make_canvas(200, 120, white);
    lf_text_style style = lf_text_style_default();
    lf_stroke stroke = {lf_colour_fade(black, 0.5), 3, 10, 5};
    uint8_t image[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0};
    lf_canvas_fill_rect(canvas, (lf_rect){20, 30, 40, 50}, red);
    lf_canvas_line(canvas, (lf_vec2){0, 0}, (lf_vec2){200, 120}, &stroke);
    assert_int_equal(lf_canvas_image(canvas, (lf_rect){150, 10, 20, 20}, image, 2, 2, 3), LF_OK);
    lf_canvas_text(canvas, (lf_vec2){10, 110}, text, &style);
    return canvas;
}

static void an_svg_has_shapes_and_letters(void **state) {
    (void)state;
    lf_canvas *canvas = small_picture("abcabc d");
    assert_int_equal(lf_canvas_write(canvas, test_path("shapes.SVG"), NULL), LF_OK);
    char *svg = test_file_content(test_path("shapes.SVG"), NULL);
    assert_true(strncmp(svg, "<?xml", 5) == 0);
    assert_non_null(strstr(svg, "width=\"200px\" height=\"120px\" viewBox=\"0 0 200 120\""));
    assert_non_null(strstr(svg, "fill:rgb(100%,0%,0%)")); // the square
    assert_non_null(strstr(svg, "stroke-dasharray"));
    assert_int_equal(count_of(svg, "stroke-dasharray"), 1); // one path, not one for each dash
    assert_non_null(strstr(svg, "stroke-opacity:0.50196"));
    assert_int_equal(count_of(svg, "<image "), 1);
    assert_int_equal(count_of(svg, "<symbol "), 6); // a, b, c, d, the space and the box for other letters
    assert_int_equal(count_of(svg, "xlink:href=\"#glyph"), 8); // and where they are
    assert_non_null(strstr(svg, "</svg>\n"));
    free(svg);
    lf_canvas_destroy(canvas);
}

static void a_pdf_is_the_same_every_time(void **state) {
    (void)state;
    size_t sizes[3];
    char *files[3];
    for (int i = 0; i < 3; i++) {
        lf_canvas *canvas = small_picture(i < 2 ? "same" : "other");
        assert_int_equal(lf_canvas_write(canvas, test_path("shapes.pdf"), NULL), LF_OK);
        files[i] = test_file_content(test_path("shapes.pdf"), &sizes[i]);
        lf_canvas_destroy(canvas);
    }
    assert_true(strncmp(files[0], "%PDF-1.", 7) == 0);
    assert_true(sizes[0] > 1000 && memcmp(files[0] + sizes[0] - 6, "%%EOF\n", 6) == 0);
    assert_true(sizes[0] == sizes[1]);
    assert_memory_equal(files[0], files[1], sizes[0]);
    assert_false(sizes[0] == sizes[2] && memcmp(files[0], files[2], sizes[0]) == 0);
    // 200 x 120 pixels of 1/96 inch, and the font, so that text is text.
    bool sized = false, font = false, dated = false;
    for (size_t i = 0; i + 20 < sizes[0]; i++) {
        sized = sized || strncmp(files[0] + i, "[ 0 0 150 90 ]", 14) == 0;
        font = font || strncmp(files[0] + i, "DejaVuSans", 10) == 0;
        dated = dated || strncmp(files[0] + i, "20000101000000", 14) == 0;
    }
    assert_true(sized);
    assert_true(font);
    assert_true(dated);
    for (int i = 0; i < 3; i++)
        free(files[i]);
}

/// The same calls draw the same pixels.
static void pixels_are_the_same_every_time(void **state) {
    (void)state;
    lf_canvas *a = small_picture("twice \xc3\xbc"), *b = small_picture("twice \xc3\xbc");
    for (int64_t i = 0; i < 200 * 120; i++) {
        lf_colour first = lf__canvas_pixel(a, i % 200, i / 200),
                  second = lf__canvas_pixel(b, i % 200, i / 200);
        assert_memory_equal(&first, &second, sizeof first);
    }
    lf_canvas_destroy(a);
    lf_canvas_destroy(b);
}

/// A file is complete or absent, and what was there before stays when writing fails.
static void a_file_that_cannot_be_written(void **state) {
    (void)state;
    static const char *const endings[] = {"png", "svg", "pdf"};
    lf_canvas *canvas = make_canvas(300, 300, white);
    lf_error error;
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "no/such/folder.%s", endings[i]);
        assert_int_equal(lf_canvas_write(canvas, test_path(name), &error), LF_IO_FAILED);
        assert_non_null(strstr(error.text, name));
        snprintf(name, sizeof name, "full.%s", endings[i]);
        assert_int_equal(symlink("/dev/full", test_path(name)), 0);
        assert_int_equal(lf_canvas_write(canvas, test_path(name), &error), LF_IO_FAILED);
        assert_non_null(strstr(error.text, name));
        assert_non_null(strstr(error.text, "No space left"));
    }
    test_text_file("kept.jpg", "before");
    assert_int_equal(lf_canvas_write(canvas, test_path("kept.jpg"), &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "kept.jpg: the ending must be .png, .svg or .pdf"));
    char *kept = test_file_content(test_path("kept.jpg"), NULL);
    assert_string_equal(kept, "before");
    free(kept);
    assert_int_equal(lf_canvas_write(canvas, test_path("none"), &error), LF_BAD_ARGUMENT);
    assert_false(test_file_exists("none"));
    assert_int_equal(lf_canvas_write(canvas, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_canvas_write(NULL, "x.png", &error), LF_BAD_ARGUMENT);
    lf_canvas_destroy(canvas);
}

/// user: the name of the file
static lf_status draw_and_write(const lf_host *host, void *user) {
    lf_canvas_def def = lf_canvas_def_default();
    lf_canvas *canvas = NULL;
    def.host = *host;
    def.width = def.height = 20;
    lf_status status = lf_canvas_create(&def, &canvas, NULL);
    if (status == LF_OK) {
        lf_text_style style = lf_text_style_default();
        lf_canvas_text(canvas, (lf_vec2){2, 18}, "x", &style);
        status = lf_canvas_write(canvas, test_path(user), NULL);
    }
    lf_canvas_destroy(canvas);
    if (status != LF_OK)
        assert_false(test_file_exists(user));
    return status;
}

static void out_of_memory_is_an_answer(void **state) {
    (void)state;
    char png[] = "memory.png", svg[] = "memory.svg", pdf[] = "memory.pdf";
    test_out_of_memory(draw_and_write, png);
    test_out_of_memory(draw_and_write, svg);
    test_out_of_memory(draw_and_write, pdf);
}

/// A plot with a title as a file; returns its content.
static char *plot_file(const char *title, const char *name) {
    static const double x[] = {0, 1, 2}, y[] = {0.5, 2, 1};
    lf_canvas *canvas = make_canvas(960, 600, white);
    lf_series series = {.name = "a < b & c", .x = x, .y = y, .count = 3, .kind = LF_SERIES_LINE, .dash = 6};
    lf_plot_def plot = lf_plot_def_default();
    plot.title = title;
    plot.x.high = 1.5; // the line leaves the frame
    plot.series = &series;
    plot.series_count = 1;
    assert_int_equal(lf_canvas_plot(canvas, &plot, NULL, NULL), LF_OK);
    assert_int_equal(lf_canvas_write(canvas, test_path(name), NULL), LF_OK);
    assert_int_equal(lf_canvas_write(canvas, test_path("no/plot.svg"), NULL), LF_IO_FAILED);
    lf_canvas_destroy(canvas);
    return test_file_content(test_path(name), NULL);
}

/// The file has the letters, lines and clip of the plot, once each, in any locale.
static void a_plot_becomes_svg(void **state) {
    (void)state;
    setlocale(LC_ALL, "de_DE.UTF-8");
    char *text = plot_file("kept", "plot.svg"), *longer = plot_file("kept, 3", "longer.svg");
    setlocale(LC_ALL, "C");
    assert_true(strncmp(text, "<?xml", 5) == 0);
    assert_non_null(strstr(text, "viewBox=\"0 0 960 600\""));
    // The title is bold, a font of its own: four letters here, three more there.
    assert_int_equal(count_of(longer, "xlink:href=\"#glyph"), count_of(text, "xlink:href=\"#glyph") + 3);
    assert_non_null(strstr(text, "stroke-dasharray:6,5.4"));
    assert_non_null(strstr(text, "clip-path=\"url(#clip"));
    assert_non_null(strstr(text, "</svg>\n"));
    // The dashed line is one path, not one for each dash, and the legend has another.
    assert_in_range(count_of(text, "stroke-dasharray"), 1, 2);
    free(text);
    free(longer);
    text = plot_file("kept", "plot.pdf");
    assert_true(strncmp(text, "%PDF-", 5) == 0);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_comes_back),
        cmocka_unit_test(an_svg_has_shapes_and_letters),
        cmocka_unit_test(a_pdf_is_the_same_every_time),
        cmocka_unit_test(pixels_are_the_same_every_time),
        cmocka_unit_test(a_plot_becomes_svg),
        cmocka_unit_test(a_file_that_cannot_be_written),
        cmocka_unit_test(out_of_memory_is_an_answer),
    };
    return cmocka_run_group_tests_name("picture files", tests, test_folder_make, test_folder_remove);
}
