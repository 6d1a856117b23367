/// Rasters that are refused, and reading that is stopped: always a message, never half a raster.
#include "rasters.h"
#include <cpl_conv.h>
#include <cpl_string.h>

#define COLUMNS 300
#define ROWS 200

static const char *good_file(const char *name, const char *const *options) {
    static double values[COLUMNS * ROWS];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    test_random random = test_random_start(810);
    plan.options = options;
    for (int i = 0; i < COLUMNS * ROWS; i++)
        values[i] = test_random_between(&random, 0, 1000);
    return raster_file(name, &plan, values);
}

static void files_that_are_none(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default();
    raster_refused(test_path("nowhere.tif"), &def, LF_IO_FAILED, "nowhere.tif: No such file or directory");
    raster_refused(test_text_file("empty.tif", ""), &def, LF_BAD_FORMAT,
                   "empty.tif: no raster that GDAL reads");
    raster_refused(test_text_file("poem.txt", "Es war einmal"), &def, LF_BAD_FORMAT, "poem.txt: no raster");
    raster_refused(test_text_file("short.tif", "II*"), &def, LF_BAD_FORMAT, "short.tif");
    raster_refused(
        test_text_file("head.asc", "ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n"), &def,
        LF_IO_FAILED, "head.asc");
    // A server is not asked, even when a file says so.
    raster_refused(test_text_file("server.xml", "<GDAL_WMS><Service name=\"TMS\"><ServerUrl>http://localhost/"
                                                "</ServerUrl></Service></GDAL_WMS>"),
                   &def, LF_BAD_FORMAT, "server.xml: no raster");
}

/// A good file cut off at any place is refused or, where only its tail of metadata is gone, reads as it was.
static void cut_off_files(void **state) {
    (void)state;
    static const char *const options[] = {"COMPRESS=DEFLATE", "TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64",
                                          NULL};
    size_t size;
    char *content = test_file_content(good_file("good.tif", options), &size);
    int refused = 0;
    for (int i = 1; i < 40; i++) {
        lf_raster_def def = lf_raster_def_default();
        lf_raster *raster = NULL;
        lf_error error = {0};
        const char *path = test_file("cut.tif", content, size * (size_t)i / 40);
        lf_status status = lf_raster_read(path, &def, &raster, &error);
        assert_true(status == LF_OK ||
                    ((status == LF_BAD_FORMAT || status == LF_IO_FAILED) && strstr(error.text, "cut.tif")));
        refused += status != LF_OK;
        lf_raster_close(raster);
    }
    assert_true(refused >= 38);
    free(content);
}

#define WIDE 1200

/// Several threads decode a large file: the same samples as one of them, and the same error where a block is damaged.
static void many_readers(void **state) {
    (void)state;
    static const char *const options[] = {"COMPRESS=DEFLATE", "TILED=YES", NULL};
    double *values = malloc((size_t)WIDE * WIDE * sizeof *values);
    raster_plan plan = raster_plan_of(WIDE, WIDE);
    test_random random = test_random_start(811);
    plan.options = options;
    for (int i = 0; i < WIDE * WIDE; i++)
        values[i] = test_random_between(&random, 0, 1000);
    size_t size;
    char *content = test_file_content(raster_file("wide.tif", &plan, values), &size);
    for (int damaged = 0; damaged < 2; damaged++) {
        if (damaged)
            memset(content + size / 2, 0, 4000);
        const char *path = test_file("many.tif", content, size);
        lf_raster *rasters[2] = {NULL, NULL};
        lf_status statuses[2];
        lf_error errors[2] = {{0}, {0}};
        for (int k = 0; k < 2; k++) {
            lf_raster_def def = lf_raster_def_default();
            lf_tasks tasks = test_tasks(4);
            if (k == 1)
                def.host.tasks = &tasks;
            statuses[k] = lf_raster_read(path, &def, &rasters[k], &errors[k]);
        }
        assert_int_equal(statuses[0] == LF_OK, !damaged);
        assert_int_equal(statuses[1], statuses[0]);
        if (damaged)
            assert_string_equal(errors[1].text, errors[0].text);
        else
            assert_memory_equal(lf_raster_grid_def(rasters[0]).samples.values,
                                lf_raster_grid_def(rasters[1]).samples.values,
                                (size_t)WIDE * WIDE * sizeof(float));
        lf_raster_close(rasters[0]);
        lf_raster_close(rasters[1]);
    }
    free(content);
    free(values);
}

/// Bytes changed at random: whatever GDAL makes of it, we come back, and with a message when it is refused.
static void damaged_files(void **state) {
    (void)state;
    static const char *const options[] = {"COMPRESS=LZW", NULL};
    size_t size;
    char *content = test_file_content(good_file("good.tif", options), &size);
    test_random random = test_random_start(820);
    for (int i = 0; i < 100; i++) {
        lf_raster_def def = lf_raster_def_default();
        lf_raster *raster = NULL;
        lf_error error = {0};
        char *bad = malloc(size);
        memcpy(bad, content, size);
        for (int k = 0; k < 8; k++) // half of them in the head, where it hurts
            bad[test_random_below(&random, k % 2 ? (int64_t)size : 400)] = (char)test_random_bits(&random);
        def.memory = (size_t)64 << 20;
        lf_status status = lf_raster_read(test_file("bad.tif", bad, size), &def, &raster, &error);
        assert_true(status == LF_OK ? raster != NULL : error.text[0] != '\0' && raster == NULL);
        lf_raster_close(raster);
        free(bad);
    }
    free(content);
}

static void too_large_for_memory(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default();
    def.memory = COLUMNS * ROWS * sizeof(float) + (size_t)lf_grid_pyramid_size(COLUMNS, ROWS, 2).bytes - 1;
    raster_refused(good_file("good.tif", NULL), &def, LF_TOO_LARGE, "its 300 x 200 samples need 0.000 GB");
    def.memory++;
    lf_raster *raster = raster_read(test_path("good.tif"), &def);
    lf_raster_close(raster);
    // A few bytes that promise more than any machine has.
    static const char vast[] = "<VRTDataset rasterXSize=\"2000000000\" rasterYSize=\"2000000000\">"
                               "<VRTRasterBand dataType=\"Float64\" band=\"1\"/></VRTDataset>";
    def.memory = 0;
    raster_refused(test_text_file("vast.vrt", vast), &def, LF_TOO_LARGE,
                   "2000000000 x 2000000000 samples need");
}

static void shapes_that_are_no_ground(void **state) {
    (void)state;
    double values[8] = {0};
    lf_raster_def def = lf_raster_def_default();
    raster_plan plan = raster_plan_of(8, 1);
    raster_refused(raster_file("line.tif", &plan, values), &def, LF_BAD_FORMAT,
                   "8 x 1 pixels: at least 2 x 2");
    plan = raster_plan_of(2, 2);
    memcpy(plan.place, (double[6]){0, 10, 20, 0, 5, 10}, sizeof plan.place);
    raster_refused(raster_file("flat.tif", &plan, values), &def, LF_BAD_FORMAT, "(10 20 5 10) have no area");
    plan = raster_plan_of(2, 2);
    plan.type = GDT_CFloat32;
    raster_refused(raster_file("complex.tif", &plan, values), &def, LF_UNSUPPORTED, "CFloat32");
}

static void values_that_are_no_heights(void **state) {
    (void)state;
    double values[4] = {1, 2, -3.4028234663852886e38, 4};
    raster_plan plan = raster_plan_of(2, 2);
    lf_raster_def def = lf_raster_def_default();
    raster_refused(raster_file("huge.tif", &plan, values), &def, LF_BAD_FORMAT,
                   "-3.40282347e+38, which is no height");
    def.nodata_given = true;
    def.nodata = -3.4028234663852886e38;
    lf_raster *raster = raster_read(test_path("huge.tif"), &def);
    lf_raster_close(raster);
    heard heard;
    heard_start(&heard);
    def = lf_raster_def_default();
    def.host.log = &heard.log;
    values[2] = -9999;
    raster = raster_read(raster_file("forgotten.tif", &plan, values), &def);
    assert_non_null(strstr(heard.text, "1 samples are -9999, as if that were nodata"));
    lf_raster_close(raster);
}

static void tables_of_colours(void **state) {
    (void)state;
    double values[4] = {1, 2, 3, 4};
    raster_plan plan = raster_plan_of(2, 2);
    lf_raster_def def = lf_raster_def_default();
    plan.type = GDT_Byte;
    GDALDatasetH data = raster_new(test_path("table.tif"), &plan);
    GDALColorTableH table = GDALCreateColorTable(GPI_RGB);
    GDALColorEntry red = {255, 0, 0, 255};
    GDALSetColorEntry(table, 1, &red);
    GDALSetRasterColorTable(GDALGetRasterBand(data, 1), table);
    GDALDestroyColorTable(table);
    raster_fill(data, 1, values);
    GDALClose(data);
    raster_refused(test_path("table.tif"), &def, LF_BAD_FORMAT, "a table of colours");
    def.band = 1;
    lf_raster *raster = raster_read(test_path("table.tif"), &def);
    lf_raster_close(raster);
}

static void arguments_are_checked(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default(), exported;
    lf_raster *raster = NULL;
    const char *path = good_file("good.tif", NULL);
    assert_int_equal(lf_raster_read(NULL, &def, &raster, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_raster_read(path, NULL, &raster, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_raster_read(path, &def, NULL, NULL), LF_BAD_ARGUMENT);
    def.band = -1;
    raster_refused(path, &def, LF_BAD_ARGUMENT, "band -1");
    def = lf_raster_def_default();
    def.z_scale = 0;
    raster_refused(path, &def, LF_BAD_ARGUMENT, "z_scale");
    def = lf_raster_def_default();
    def.encoding = (lf_encoding)9;
    raster_refused(path, &def, LF_BAD_ARGUMENT, "encoding 9");
    def.encoding = LF_ENCODING_TERRARIUM;
    raster_refused(path, &def, LF_BAD_FORMAT, "three bands of bytes");
    exported = lf_raster_def_default();
    raster = raster_read(path, &exported);
    lf_raster_close(raster);
    lf_raster_close(NULL);
}

// ---------------------------------------------------------------------------------------------------
// Stopping
// ---------------------------------------------------------------------------------------------------

typedef struct stop {
    int calls, most;
    int64_t last;
} stop;

static bool count_reports(void *user, const char *stage, int64_t done, int64_t total) {
    stop *stop = user;
    assert_string_equal(stage, "read");
    assert_true(done > stop->last && done <= total);
    stop->last = done;
    return ++stop->calls < stop->most;
}

static void reading_can_be_stopped(void **state) {
    (void)state;
    static const char *const options[] = {"SPARSE_OK=TRUE", "COMPRESS=DEFLATE", NULL};
    raster_plan plan = raster_plan_of(5000, 4000);
    stop stop = {0, 1000, 0};
    lf_progress progress = {&stop, count_reports};
    lf_raster_def def = lf_raster_def_default();
    plan.options = options;
    plan.type = GDT_Byte;
    GDALClose(raster_new(test_path("wide.tif"), &plan));
    def.host.progress = &progress;
    lf_raster *raster = raster_read(test_path("wide.tif"), &def);
    lf_raster_close(raster);
    assert_true(stop.calls > 2);
    assert_int_equal(stop.last, 5000 * 4000);
    stop = (struct stop){0, 2, 0};
    raster_refused(test_path("wide.tif"), &def, LF_CANCELLED, "");
    assert_int_equal(stop.calls, 2);
}

static lf_status read_with(const lf_host *host, void *user) {
    lf_raster_def def = lf_raster_def_default();
    lf_raster *raster = NULL;
    def.host = *host;
    lf_status status = lf_raster_read(user, &def, &raster, NULL);
    lf_raster_close(raster);
    return status;
}

static void memory_can_run_out(void **state) {
    (void)state;
    test_out_of_memory(read_with, (void *)(uintptr_t)good_file("good.tif", NULL));
}

static lf_status way_with(const lf_host *host, void *user) {
    lf_crs_transform *way = NULL;
    (void)user;
    lf_status status = lf_crs_transform_create("EPSG:4326", "EPSG:3006", host, &way, NULL);
    lf_crs_transform_destroy(way);
    return status;
}

static void memory_of_ways_can_run_out(void **state) {
    (void)state;
    test_out_of_memory(way_with, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(cut_off_files),
        cmocka_unit_test(many_readers),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(too_large_for_memory),
        cmocka_unit_test(shapes_that_are_no_ground),
        cmocka_unit_test(values_that_are_no_heights),
        cmocka_unit_test(tables_of_colours),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(reading_can_be_stopped),
        cmocka_unit_test(memory_can_run_out),
        cmocka_unit_test(memory_of_ways_can_run_out),
    };
    return cmocka_run_group_tests_name("io raster bad", tests, raster_folder, test_folder_remove);
}
