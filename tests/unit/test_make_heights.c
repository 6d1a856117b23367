/// Landscapes: the same bits everywhere, within bounds, shaped as promised, into files and back.
#include "files.h"
#include "fnv.h"
#include "raster/raster.h"
#include "samples/sample_parts.h"
#include "support.h"
#include <gdal.h>
#include <landfall/picture.h>
#include <png.h>
#include <samples.h>
#include <stdlib.h>
#include <string.h>

static lf_make_heights_def small_def(lf_landscape landscape, int64_t columns, int64_t rows) {
    lf_make_heights_def def = lf_make_heights_def_default();
    def.landscape = landscape;
    def.columns = columns;
    def.rows = rows;
    return def;
}

static lf_made_heights *make(const lf_make_heights_def *def) {
    lf_made_heights *made = NULL;
    lf_error error;
    if (lf_make_heights(def, &made, &error) != LF_OK)
        fail_msg("%s", error.text);
    return made;
}

static void sines_are_sines(void **state) {
    (void)state;
    test_random random = test_random_start(601);
    for (int i = 0; i < 20000; i++) {
        double turns = test_random_between(&random, -3, 3);
        assert_true(fabs(lf__sine(turns) - sin(turns * 6.283185307179586)) < 5e-15);
        assert_true(fabs(lf__cosine(turns) - cos(turns * 6.283185307179586)) < 5e-15);
    }
    assert_true(lf__sine(0) == 0 && lf__sine(0.25) == 1 && lf__cosine(0) == 1 && lf__sine(-0.25) == -1);
    assert_true(lf__floor(-0.5) == -1 && lf__floor(-1) == -1 && lf__floor(2.9) == 2);
}

/// Slopes of noise and gullies are those of their values, and values stay within 1.
static void noise_has_the_slope_it_says(void **state) {
    (void)state;
    test_random random = test_random_start(602);
    double step = 1e-6;
    for (int i = 0; i < 20000; i++) {
        double x = test_random_between(&random, -50, 50), y = test_random_between(&random, -50, 50);
        lf__slope at = lf__noise(7, x, y);
        assert_true(fabs(at.z) <= 1);
        double dx = (lf__noise(7, x + step, y).z - lf__noise(7, x - step, y).z) / (2 * step);
        double dy = (lf__noise(7, x, y + step).z - lf__noise(7, x, y - step).z) / (2 * step);
        assert_true(fabs(dx - at.dx) < 1e-5 && fabs(dy - at.dy) < 1e-5);
        lf__slope gully = lf__gullies(7, x, y, 0.6, -0.8);
        assert_true(fabs(gully.z) <= 1.0001);
        assert_true(fabs(lf__gullies(7, x + step, y, 0.6, -0.8).z - gully.z) < 1e-4); // continuous
    }
    assert_true(lf__noise(7, 3, -4).z == 0);
}

/// The bits of every landscape, recorded once. They must never change: benchmarks and tests name terrain by its seed.
static void bits_are_those_recorded(void **state) {
    (void)state;
    static const uint64_t recorded[4] = {0x955d19f5684816b7, 0x847e457aa8d52eaa, 0x6a49233cf91dda1b,
                                         0xb1258d7cd7349c1c};
    for (int landscape = 0; landscape < 4; landscape++) {
        lf_make_heights_def def = small_def((lf_landscape)landscape, 61, 47);
        def.first_column = -20;
        def.first_row = 1000;
        lf_made_heights *made = make(&def);
        uint64_t hash = test_fnv(TEST_FNV, lf_made_heights_view(made).values, 61 * 47 * sizeof(float));
        if (hash != recorded[landscape])
            fail_msg("%s: 0x%llx", lf_landscape_name(def.landscape), (unsigned long long)hash);
        lf_made_heights_destroy(made);
    }
}

static void threads_do_not_matter(void **state) {
    (void)state;
    lf_tasks tasks = test_tasks(3);
    for (int landscape = 0; landscape < 4; landscape++) {
        lf_make_heights_def def = small_def((lf_landscape)landscape, 90, 70);
        lf_made_heights *one = make(&def);
        def.host.tasks = &tasks;
        lf_made_heights *three = make(&def);
        assert_memory_equal(lf_made_heights_view(one).values, lf_made_heights_view(three).values,
                            90 * 70 * sizeof(float));
        lf_made_heights_destroy(one);
        lf_made_heights_destroy(three);
    }
}

/// Rows on their own, and windows that overlap, give the same bits as the whole.
static void windows_agree(void **state) {
    (void)state;
    for (int landscape = 0; landscape < 4; landscape++) {
        lf_make_heights_def def = small_def((lf_landscape)landscape, 40, 50);
        lf_made_heights *whole = make(&def);
        const float *values = lf_made_heights_view(whole).values;
        float row[40];
        for (int64_t j = 0; j < 50; j += 7) {
            assert_int_equal(lf_make_rows(&def, j, 1, row, NULL), LF_OK);
            assert_memory_equal(row, values + j * 40, sizeof row);
        }
        assert_int_equal(lf_make_rows(&def, 50, 0, row, NULL), LF_OK);
        if (landscape != LF_LANDSCAPE_ROUGH) {
            lf_make_heights_def part = def;
            part.first_column = 11;
            part.first_row = 22;
            part.columns = 9;
            part.rows = 8;
            lf_made_heights *window = make(&part);
            lf_heights view = lf_made_heights_view(window);
            assert_true(view.x_low == 11 * 30.0 && view.y_low == 22 * 30.0);
            for (int64_t j = 0; j < 8; j++)
                assert_memory_equal(view.values + j * 9, values + (22 + j) * 40 + 11, 9 * sizeof(float));
            lf_made_heights_destroy(window);
        }
        lf_made_heights_destroy(whole);
    }
}

/// Mean slope in degrees between neighbouring samples.
static double mean_slope(const lf_heights *heights) {
    double sum = 0, count = 0;
    for (int64_t j = 1; j < heights->rows; j++)
        for (int64_t i = 1; i < heights->columns; i++) {
            const float *at = heights->values + j * heights->stride + i;
            double dx = (double)(at[0] - at[-1]) / heights->spacing;
            double dy = (double)(at[0] - at[-heights->stride]) / heights->spacing;
            sum += atan(sqrt(dx * dx + dy * dy)) * 57.29577951308232;
            count += 1;
        }
    return sum / count;
}

static void landscapes_look_as_promised(void **state) {
    (void)state;
    static const double slope[4][2] = {{20, 31}, {3, 14}, {30, 80}, {6, 22}};
    static const double spread[4] = {900, 90, 220, 40}, most[4] = {4000, 400, 500, 120};
    for (int landscape = 0; landscape < 4; landscape++) {
        lf_make_heights_def def = small_def((lf_landscape)landscape, 300, 300);
        def.seed = 1 + test_seed() % 1000;
        def.spacing = landscape == LF_LANDSCAPE_DUNES ? 10 : 60;
        lf_made_heights *made = make(&def);
        lf_heights view = lf_made_heights_view(made);
        lf__heights_range range = lf__heights_range_of(&view);
        double steep = mean_slope(&view);
        if (landscape == LF_LANDSCAPE_ROUGH)
            steep *=
                10; // 150 m of noise at 60 m samples would be steep anyhow; what counts is that it is there
        if (range.low < 0 || (double)range.high > most[landscape] || range.hole_count != 0 ||
            (double)(range.high - range.low) < spread[landscape] || steep < slope[landscape][0] * 0.8)
            fail_msg("%s, seed %llu: %g to %g m, slope %g", lf_landscape_name(def.landscape),
                     (unsigned long long)def.seed, (double)range.low, (double)range.high, steep);
        if (landscape != LF_LANDSCAPE_ROUGH)
            assert_true(steep < slope[landscape][1] * 1.25);
        lf_made_heights_destroy(made);
    }
}

static void bounds_can_be_chosen(void **state) {
    (void)state;
    lf_make_heights_def def = small_def(LF_LANDSCAPE_MOUNTAINS, 50, 50);
    def.low = -100;
    def.high = 20;
    lf_made_heights *made = make(&def);
    lf_heights view = lf_made_heights_view(made);
    lf__heights_range range = lf__heights_range_of(&view);
    assert_true(range.low >= -100 && range.high <= 20);
    lf_made_heights_destroy(made);
    def.low = (double)NAN;
    def.high = -50;
    made = make(&def);
    view = lf_made_heights_view(made);
    assert_true(lf__heights_range_of(&view).high <= -50);
    lf_made_heights_destroy(made);
}

static void bad_defs_are_named(void **state) {
    (void)state;
    lf_made_heights *made = NULL;
    lf_error error;
    float row[8];
    lf_make_heights_def def = small_def(LF_LANDSCAPE_HILLS, 0, 4);
    assert_int_equal(lf_make_heights(&def, &made, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "0 columns"));
    def = small_def((lf_landscape)9, 4, 4);
    assert_int_equal(lf_make_heights(&def, &made, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "9"));
    def = small_def(LF_LANDSCAPE_HILLS, (int64_t)1 << 40, (int64_t)1 << 40);
    assert_int_equal(lf_make_heights(&def, &made, &error), LF_TOO_LARGE);
    def = small_def(LF_LANDSCAPE_HILLS, 8, 4);
    assert_int_equal(lf_make_rows(&def, 3, 2, row, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_make_rows(&def, -1, 1, row, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_make_rows(&def, 0, 1, NULL, &error), LF_BAD_ARGUMENT);
    def.spacing = (double)NAN;
    assert_int_equal(lf_make_rows(&def, 0, 1, row, &error), LF_BAD_ARGUMENT);
    def.spacing = 30;
    def.low = 5;
    def.high = 5;
    assert_int_equal(lf_make_rows(&def, 0, 1, row, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_make_heights(&def, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_make_heights(NULL, &made, &error), LF_BAD_ARGUMENT);
    def = small_def(LF_LANDSCAPE_HILLS, 4, 4);
    def.first_row = INT64_MIN;
    assert_int_equal(lf_make_heights(&def, &made, &error), LF_BAD_ARGUMENT);
    assert_null(made);
    assert_string_equal(lf_landscape_name((lf_landscape)77), "?");
}

static bool stop_at_once(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return false;
}

static void making_can_be_cancelled(void **state) {
    (void)state;
    lf_progress progress = {NULL, stop_at_once};
    lf_make_heights_def def = small_def(LF_LANDSCAPE_HILLS, 10, 10);
    lf_made_heights *made = NULL;
    lf_made_polygons *polygons = NULL;
    def.host.progress = &progress;
    assert_int_equal(lf_make_heights(&def, &made, NULL), LF_CANCELLED);
    assert_int_equal(lf_make_landscape_polygons(&def, &polygons, NULL), LF_CANCELLED);
    assert_int_equal(lf_make_heights_file(&def, test_path("cancelled.tif"), NULL), LF_CANCELLED);
    assert_false(test_file_exists("cancelled.tif") || test_file_exists("cancelled.tif.part"));
}

static void a_geotiff_comes_back(void **state) {
    (void)state;
    lf_make_heights_def def = small_def(LF_LANDSCAPE_MOUNTAINS, 70, 300);
    lf_made_heights *made = make(&def);
    lf_heights view = lf_made_heights_view(made);
    float *holed = malloc(70 * 300 * sizeof(float));
    memcpy(holed, view.values, 70 * 300 * sizeof(float));
    holed[5] = (float)NAN;
    view.values = holed;
    assert_int_equal(lf_heights_write(test_path("a.TIF"), &view, NULL, NULL), LF_OK);
    assert_int_equal(lf_make_heights_file(&def, test_path("b.tiff"), NULL), LF_OK);
    for (int file = 0; file < 2; file++) {
        GDALDatasetH data = GDALOpen(test_path(file ? "b.tiff" : "a.TIF"), GA_ReadOnly);
        assert_non_null(data);
        double place[6];
        assert_int_equal(GDALGetGeoTransform(data, place), CE_None);
        assert_true(place[0] == -15 && place[1] == 30 && place[3] == 299.5 * 30 && place[5] == -30);
        float *values = malloc(70 * 300 * sizeof(float));
        assert_int_equal(GDALRasterIO(GDALGetRasterBand(data, 1), GF_Read, 0, 0, 70, 300, values, 70, 300,
                                      GDT_Float32, 0, 0),
                         CE_None);
        for (int64_t j = 0; j < 300; j++)
            for (int64_t i = 0; i < 70; i++) {
                float wanted = file ? lf_made_heights_view(made).values[j * 70 + i] : holed[j * 70 + i];
                float got = values[(299 - j) * 70 + i];
                assert_true(got == wanted || (got != got && wanted != wanted));
            }
        free(values);
        GDALClose(data);
    }
    free(holed);
    lf_made_heights_destroy(made);
}

static void a_grey_picture_of_heights(void **state) {
    (void)state;
    float values[6] = {10, 20, 30, (float)NAN, 15, 110};
    lf_heights heights = {values, 2, 2, 3, 0, 0, 1, NULL, NULL};
    assert_int_equal(lf_heights_write(test_path("grey.png"), &heights, NULL, NULL), LF_OK);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&image, test_path("grey.png")));
    assert_true(image.width == 2 && image.height == 2 && (image.format & PNG_FORMAT_FLAG_LINEAR));
    png_image_free(&image);
    lf__heights_range range = lf__heights_range_of(&heights);
    assert_true(range.low == 10 && range.high == 20 && range.hole_count == 1);
}

static void files_that_cannot_be(void **state) {
    (void)state;
    float values[4] = {1, 2, 3, 4};
    lf_heights heights = {values, 2, 2, 2, 0, 0, 1, NULL, NULL};
    lf_make_heights_def def = small_def(LF_LANDSCAPE_HILLS, 4, 4);
    lf_error error;
    assert_int_equal(lf_heights_write(test_path("a.xyz"), &heights, NULL, &error), LF_UNSUPPORTED);
    assert_int_equal(lf_make_heights_file(&def, test_path("a.png"), &error), LF_UNSUPPORTED);
    assert_int_equal(lf_make_heights_file(&def, NULL, &error), LF_UNSUPPORTED);
    assert_int_equal(lf_heights_write(test_path("no/where.tif"), &heights, NULL, &error), LF_IO_FAILED);
    assert_non_null(strstr(error.text, "where.tif"));
    def.columns = (int64_t)1 << 33;
    assert_int_equal(lf_make_heights_file(&def, test_path("a.tif"), &error), LF_TOO_LARGE);
    heights.spacing = 0;
    assert_int_equal(lf_heights_write(test_path("a.tif"), &heights, NULL, &error), LF_BAD_ARGUMENT);
    heights.values = NULL;
    assert_int_equal(lf_heights_write(test_path("a.tif"), &heights, NULL, &error), LF_BAD_ARGUMENT);
    assert_false(test_file_exists("a.tif") || test_file_exists("a.tif.part"));
}

static lf_status make_and_draw(const lf_host *host, void *user) {
    lf_make_heights_def def = small_def(LF_LANDSCAPE_HILLS, 9, 9);
    lf_canvas_def canvas_def = lf_canvas_def_default();
    lf_relief_def relief = lf_relief_def_default();
    lf_made_heights *made = NULL;
    lf_canvas *canvas = NULL;
    (void)user;
    def.host = canvas_def.host = *host;
    canvas_def.width = canvas_def.height = 16;
    lf_status status = lf_make_heights(&def, &made, NULL);
    if (status == LF_OK)
        status = lf_canvas_create(&canvas_def, &canvas, NULL);
    if (status == LF_OK) {
        lf_heights heights = lf_made_heights_view(made);
        lf_map_axes view = {lf_canvas_area(canvas), 0, 240, 0, 240};
        status = lf_canvas_relief(canvas, &view, &heights, &relief, NULL);
        if (status == LF_OK)
            status = lf_heights_write(test_path("memory.tif"), &heights, host, NULL);
    }
    lf_canvas_destroy(canvas);
    lf_made_heights_destroy(made);
    return status;
}

static void out_of_memory_is_an_answer(void **state) {
    (void)state;
    test_out_of_memory(make_and_draw, NULL);
}

/// The first and the last sample of a row are the same place, and so are all of a pole.
static void planets_close(void **state) {
    (void)state;
    enum { COLUMNS = 73, ROWS = 37 };
    float row[COLUMNS], low = 0, high = 0;
    for (int64_t j = 0; j < ROWS; j++) {
        assert_int_equal(lf_make_planet_row(test_seed(), COLUMNS, ROWS, j, row), LF_OK);
        assert_true(row[0] == row[COLUMNS - 1]);
        for (int i = 0; i < COLUMNS; i++) {
            assert_true(row[i] == roundf(row[i]));
            assert_true((j > 0 && j < ROWS - 1) || row[i] == row[0]);
            low = fminf(low, row[i]);
            high = fmaxf(high, row[i]);
        }
    }
    assert_true(low < -1000 && high > 1000);
    assert_int_equal(lf_make_planet_row(1, COLUMNS, ROWS, ROWS, row), LF_BAD_ARGUMENT);
    assert_int_equal(lf_make_planet_row(1, 1, ROWS, 0, row), LF_BAD_ARGUMENT);
    assert_int_equal(lf_make_planet_row(1, COLUMNS, ROWS, 0, NULL), LF_BAD_ARGUMENT);
}

int main(void) {
    GDALAllRegister();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sines_are_sines),
        cmocka_unit_test(noise_has_the_slope_it_says),
        cmocka_unit_test(bits_are_those_recorded),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(windows_agree),
        cmocka_unit_test(landscapes_look_as_promised),
        cmocka_unit_test(bounds_can_be_chosen),
        cmocka_unit_test(bad_defs_are_named),
        cmocka_unit_test(making_can_be_cancelled),
        cmocka_unit_test(a_geotiff_comes_back),
        cmocka_unit_test(a_grey_picture_of_heights),
        cmocka_unit_test(files_that_cannot_be),
        cmocka_unit_test(out_of_memory_is_an_answer),
        cmocka_unit_test(planets_close),
    };
    return cmocka_run_group_tests_name("make heights", tests, test_folder_make, test_folder_remove);
}
