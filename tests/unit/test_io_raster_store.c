/// Rasters through .lf files: results of a stored grid lie on the pixels of the file that it was built from.
#include "rasters.h"
#include <landfall/io.h>
#include <landfall/store.h>
#include <math.h>
#include <unistd.h>

#define COLUMNS 9
#define ROWS 7
#define SAMPLES (COLUMNS * ROWS)

static lf_raster *source_raster(const double place[6], const char *crs) {
    double values[SAMPLES];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    memcpy(plan.place, place, sizeof plan.place);
    plan.crs = crs;
    for (int i = 0; i < SAMPLES; i++)
        values[i] = i;
    def.z_unit = "m";
    def.window = (lf_window){1, 2, COLUMNS - 1, ROWS - 2};
    return raster_read(raster_file("source.tif", &plan, values), &def);
}

/// The raster's grid in a file, with its pixels or without.
static lf_store *stored(const lf_raster *raster, bool with_pixels) {
    lf_grid_def def = lf_raster_grid_def(raster);
    lf_store_def store_def = lf_store_def_default();
    lf_raster_info info = lf_raster_describe(raster);
    lf_pixels pixels = lf_raster_pixels(raster);
    lf_grid *grid;
    lf_store *store = NULL;
    lf_error error = {0};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    store_def.grid = grid;
    store_def.crs = info.crs;
    store_def.xy_unit = info.xy_unit;
    store_def.point = info.point;
    store_def.degrees = info.kind == LF_CRS_DEGREES;
    store_def.ellipsoid = info.ellipsoid;
    store_def.pixels = with_pixels ? &pixels : NULL;
    if (lf_store_write(test_path("grid.lf"), &store_def, &error) != LF_OK)
        fail_msg("%s", error.text);
    lf_grid_destroy(grid);
    if (lf_store_open(test_path("grid.lf"), NULL, true, &store, &error) != LF_OK)
        fail_msg("%s", error.text);
    return store;
}

static void write_result(const char *name, const lf_raster *raster) {
    uint8_t values[SAMPLES];
    lf_result_def def = lf_result_def_default();
    lf_error error = {0};
    for (int i = 0; i < SAMPLES; i++)
        values[i] = (uint8_t)(3 * i);
    def.values = values;
    if (lf_result_write(test_path(name), raster, &def, &error) != LF_OK)
        fail_msg("%s: %s", name, error.text);
}

static void assert_same_files(const char *a, const char *b) {
    size_t a_size, b_size;
    char *a_bytes = test_file_content(test_path(a), &a_size),
         *b_bytes = test_file_content(test_path(b), &b_size);
    assert_int_equal(a_size, b_size);
    assert_memory_equal(a_bytes, b_bytes, a_size);
    free(a_bytes);
    free(b_bytes);
}

/// However the file lies, and a window of it at that: a result of the stored grid is the result of the file, byte by byte.
static void results_lie_on_the_pixels_of_the_source(void **state) {
    (void)state;
    static const char *const systems[] = {"EPSG:3006", NULL, "EPSG:2225"};
    for (size_t k = 0; k < RASTER_TURNS * 3; k++) {
        const char *crs = systems[k / RASTER_TURNS];
        lf_raster *raster = source_raster(raster_turns[k % RASTER_TURNS], crs), *again = NULL;
        lf_store *store = stored(raster, true);
        lf_pixels expected = lf_raster_pixels(raster), found;
        assert_true(lf_store_pixels(store, &found));
        assert_memory_equal(found.geotransform, expected.geotransform, sizeof found.geotransform);
        assert_memory_equal(&found.window, &expected.window, sizeof found.window);
        assert_int_equal(lf_raster_from_store(store, NULL, &again, NULL), LF_OK);
        lf_raster_info a = lf_raster_describe(raster), b = lf_raster_describe(again);
        assert_int_equal(a.kind, b.kind);
        assert_true(a.georeferenced == b.georeferenced && a.xy_unit == b.xy_unit && a.point == b.point);
        if (crs) {
            assert_string_equal(a.crs, b.crs);
            assert_string_equal(a.crs_name, b.crs_name);
        }
        write_result("direct.tif", raster);
        write_result("stored.tif", again);
        assert_same_files("direct.tif", "stored.tif");
        lf_raster_close(again);
        lf_store_close(store);
        lf_raster_close(raster);
    }
}

/// A file that does not say how its pixels lay: north up, and every sample where it was.
static void without_pixels_samples_stay_where_they_are(void **state) {
    (void)state;
    for (size_t k = 0; k < RASTER_TURNS; k++) {
        lf_raster *raster = source_raster(raster_turns[k], "EPSG:3006"), *again = NULL;
        lf_store *store = stored(raster, false);
        lf_raster_def def = lf_raster_def_default();
        lf_pixels pixels;
        assert_false(lf_store_pixels(store, &pixels));
        assert_true(pixels.georeferenced && pixels.flip_rows && !pixels.nodata_given);
        assert_int_equal(lf_raster_from_store(store, NULL, &again, NULL), LF_OK);
        write_result("north.tif", again);
        lf_raster *back = raster_read(test_path("north.tif"), &def);
        lf_grid_def got = lf_raster_grid_def(back), expected = lf_raster_grid_def(raster);
        const double *x = &got.geotransform.origin.x, *y = &expected.geotransform.origin.x;
        for (int i = 0; i < 6; i++)
            assert_true(fabs(x[i] - y[i]) <= 1e-11);
        for (int64_t j = 0; j < got.samples.rows; j++)
            for (int64_t i = 0; i < got.samples.columns; i++)
                assert_true(raster_sample(&got.samples, i, j) ==
                            (double)(uint8_t)(3 * (j * got.samples.columns + i)));
        lf_raster_close(back);
        lf_raster_close(again);
        lf_store_close(store);
        lf_raster_close(raster);
    }
}

static void the_number_for_no_data_is_kept(void **state) {
    (void)state;
    double values[SAMPLES];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    lf_pixels pixels;
    for (int i = 0; i < SAMPLES; i++)
        values[i] = i == 5 ? -9999 : i;
    const char *path = raster_file("void.tif", &plan, values);
    GDALDatasetH file = GDALOpen(path, GA_Update);
    GDALSetRasterNoDataValue(GDALGetRasterBand(file, 1), -9999);
    GDALClose(file);
    lf_raster *raster = raster_read(path, &def);
    lf_store *store = stored(raster, true);
    assert_true(lf_store_pixels(store, &pixels));
    assert_true(pixels.nodata_given && pixels.nodata == -9999);
    assert_int_equal(lf_store_voids(store), 1);
    lf_store_close(store);
    lf_raster_close(raster);
}

/// Where a section of part 0 begins in a file.
static uint64_t section_at(const char *bytes, const char *name) {
    uint32_t count;
    memcpy(&count, bytes + 40, sizeof count);
    for (uint32_t k = 0; k < count; k++)
        if (strncmp(bytes + 128 + 64 * k, name, 8) == 0) {
            uint64_t offset;
            memcpy(&offset, bytes + 128 + 64 * k + 16, sizeof offset);
            return offset;
        }
    fail_msg("there is no section %s", name);
    return 0;
}

/// Any damaged byte of the section is found when the file is opened, without the check of everything.
static void damaged_pixels_are_refused(void **state) {
    (void)state;
    lf_raster *raster = source_raster(raster_turns[0], "EPSG:3006");
    size_t size;
    lf_store_close(stored(raster, true));
    char *bytes = test_file_content(test_path("grid.lf"), &size);
    uint64_t at = section_at(bytes, "pixels");
    for (int k = 0; k < 128; k++) {
        lf_store *store = NULL;
        lf_error error = {0};
        bytes[at + (uint64_t)k] ^= 1;
        lf_status status = lf_store_open(test_file("hurt.lf", bytes, size), NULL, false, &store, &error);
        bytes[at + (uint64_t)k] ^= 1;
        assert_int_equal(status, LF_BAD_FORMAT);
        assert_non_null(strstr(error.text, "\"pixels\""));
    }
    free(bytes);
    lf_raster_close(raster);
}

/// Pixels that are not those of the grid are refused when they are written.
static void wrong_pixels_are_refused(void **state) {
    (void)state;
    lf_raster *raster = source_raster(raster_turns[0], "EPSG:3006"), *none = NULL;
    lf_grid_def def = lf_raster_grid_def(raster);
    lf_grid *grid;
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    for (int k = 0; k < 5; k++) {
        lf_pixels pixels = lf_raster_pixels(raster);
        lf_store_def store = lf_store_def_default();
        lf_error error = {0};
        pixels.window.columns += k == 0;
        pixels.window.column += k == 1 ? COLUMNS : 0;
        pixels.transposed = k == 2;
        pixels.geotransform[0] = k == 3 ? (double)NAN : pixels.geotransform[0];
        pixels.geotransform[5] = k == 4 ? 0 : pixels.geotransform[5];
        store.grid = grid;
        store.pixels = &pixels;
        assert_int_equal(lf_store_write(test_path("wrong.lf"), &store, &error), LF_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "pixels"));
        assert_false(test_file_exists("wrong.lf"));
    }
    assert_int_equal(lf_raster_from_store(NULL, NULL, &none, NULL), LF_BAD_ARGUMENT);
    lf_grid_destroy(grid);
    lf_raster_close(raster);
}

static const lf_store *shared_store;

static lf_status attempt(const lf_host *host, void *user) {
    lf_raster *raster = NULL;
    (void)user;
    lf_status status = lf_raster_from_store(shared_store, host, &raster, NULL);
    lf_raster_close(raster);
    return status;
}

static void out_of_memory_is_said(void **state) {
    (void)state;
    lf_raster *raster = source_raster(raster_turns[0], "EPSG:3006");
    lf_store *store = stored(raster, true);
    shared_store = store;
    test_out_of_memory(attempt, NULL);
    lf_store_close(store);
    lf_raster_close(raster);
}

/// A globe says how many samples of its tiles have no height.
static void voids_of_a_globe_are_counted(void **state) {
    (void)state;
    double values[36 * 18];
    raster_plan plan = raster_plan_of(36, 18);
    const double world[6] = {-180, 10, 0, 90, 0, -10};
    for (int holes = 0; holes < 2; holes++) {
        lf_raster_def def = lf_raster_def_default();
        lf_store_def store_def = lf_store_def_default();
        lf_globe_rasters *rasters = NULL;
        lf_globe *globe = NULL;
        lf_store *store = NULL;
        lf_error error = {0};
        memcpy(plan.place, world, sizeof world);
        plan.crs = "EPSG:4326";
        for (int i = 0; i < 36 * 18; i++)
            values[i] = holes && i == 200 ? (double)NAN : 0.5 * i;
        const char *path = raster_file("world.tif", &plan, values);
        if (lf_globe_rasters_open(&path, 1, &def, 64, &rasters, &error) != LF_OK)
            fail_msg("%s", error.text);
        lf_globe_def globe_def = lf_globe_rasters_def(rasters);
        assert_int_equal(lf_globe_create(&globe_def, &globe, NULL), LF_OK);
        store_def.globe = globe;
        assert_int_equal(lf_store_write(test_path("world.lf"), &store_def, &error), LF_OK);
        assert_int_equal(lf_store_open(test_path("world.lf"), NULL, false, &store, &error), LF_OK);
        if (holes)
            assert_true(lf_store_voids(store) >= 1);
        else
            assert_int_equal(lf_store_voids(store), 0);
        lf_pixels pixels;
        assert_false(lf_store_pixels(store, &pixels));
        lf_store_close(store);
        lf_globe_destroy(globe);
        lf_globe_rasters_close(rasters);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_lie_on_the_pixels_of_the_source),
                                       cmocka_unit_test(without_pixels_samples_stay_where_they_are),
                                       cmocka_unit_test(the_number_for_no_data_is_kept),
                                       cmocka_unit_test(damaged_pixels_are_refused),
                                       cmocka_unit_test(wrong_pixels_are_refused),
                                       cmocka_unit_test(out_of_memory_is_said),
                                       cmocka_unit_test(voids_of_a_globe_are_counted)};
    return cmocka_run_group_tests_name("rasters in .lf files", tests, raster_folder, test_folder_remove);
}
