/// Results as rasters: they lie on the pixels that the samples came from, whole or not at all.
#include "rasters.h"
#include <dirent.h>
#include <locale.h>
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
    return raster_read(raster_file("source.tif", &plan, values), &def);
}

static const double north_up[6] = {1000, 10, 0, 5000, 0, -10};

/// How many entries the folder has; what was written beside must be gone.
static int entries(void) {
    int count = 0;
    DIR *list = opendir(test_path(""));
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

static void write_result(const char *name, const lf_raster *raster, const lf_result_def *def) {
    lf_error error = {0};
    if (lf_result_write(test_path(name), raster, def, &error) != LF_OK)
        fail_msg("%s: %s", name, error.text);
}

/// However the file is turned: a result read back has the same samples at the same places, and the file the same pixels.
static void every_turn_goes_back(void **state) {
    (void)state;
    for (size_t k = 0; k < RASTER_TURNS; k++) {
        lf_raster *raster = source_raster(raster_turns[k], "EPSG:3006");
        lf_grid_def source = lf_raster_grid_def(raster);
        lf_result_def def = lf_result_def_default();
        lf_raster_def plain = lf_raster_def_default();
        double values[SAMPLES], place[6];
        for (int i = 0; i < SAMPLES; i++)
            values[i] = 1000 + i;
        def.type = LF_RESULT_DOUBLE;
        def.values = values;
        write_result("result.tif", raster, &def);
        lf_raster *back = raster_read(test_path("result.tif"), &plain);
        lf_grid_def got = lf_raster_grid_def(back);
        assert_memory_equal(&got.geotransform, &source.geotransform, sizeof got.geotransform);
        for (int64_t j = 0; j < got.samples.rows; j++)
            for (int64_t i = 0; i < got.samples.columns; i++)
                assert_true(raster_sample(&got.samples, i, j) ==
                            1000.0 + (double)(j * got.samples.columns + i));
        GDALDatasetH file = GDALOpen(test_path("result.tif"), GA_ReadOnly);
        assert_int_equal(GDALGetRasterXSize(file), COLUMNS);
        assert_int_equal(GDALGetGeoTransform(file, place), CE_None);
        for (int i = 0; i < 6; i++)
            assert_true(place[i] == raster_turns[k][i]);
        assert_string_equal(lf_raster_describe(back).crs_name, lf_raster_describe(raster).crs_name);
        GDALClose(file);
        lf_raster_close(back);
        lf_raster_close(raster);
    }
    assert_int_equal(entries(), 2);
}

/// A window of the samples is that part of the picture.
static void a_window_lies_where_it_was(void **state) {
    (void)state;
    static const double places[][6] = {{1000, 10, 0, 5000, 0, -10}, {1000, 0, -10, 5000, 10, 0}};
    for (size_t k = 0; k < 2; k++) {
        lf_raster *raster = source_raster(places[k], "EPSG:3006");
        lf_grid_def source = lf_raster_grid_def(raster);
        lf_result_def def = lf_result_def_default();
        lf_raster_def plain = lf_raster_def_default();
        float values[3 * 4] = {0};
        for (int i = 0; i < 12; i++)
            values[i] = (float)i;
        def.type = LF_RESULT_FLOAT;
        def.values = values;
        def.row_step = 4 * sizeof(float);
        def.window = (lf_window){2, 1, 3, 2}; // the fourth of each row is not meant
        write_result("window.tif", raster, &def);
        lf_raster *back = raster_read(test_path("window.tif"), &plain);
        lf_grid_def got = lf_raster_grid_def(back);
        assert_int_equal(got.samples.columns, 3);
        assert_int_equal(got.samples.rows, 2);
        assert_true(got.geotransform.origin.x == source.geotransform.origin.x + 20);
        assert_true(got.geotransform.origin.y == source.geotransform.origin.y + 10);
        assert_true(raster_sample(&got.samples, 2, 0) == 2 && raster_sample(&got.samples, 0, 1) == 4);
        lf_raster_close(back);
        lf_raster_close(raster);
    }
}

static void words_and_bands_are_kept(void **state) {
    (void)state;
    static const char *const words[] = {"LANDFALL_COMMAND=viewshed", "LANDFALL_EYE=2"};
    static const char *const names[] = {"first", "second"};
    lf_raster *raster = source_raster(north_up, "EPSG:3006");
    lf_result_def def = lf_result_def_default();
    uint32_t values[2 * SAMPLES];
    for (int i = 0; i < 2 * SAMPLES; i++)
        values[i] = 4000000000u + (uint32_t)i;
    def.type = LF_RESULT_UINT32;
    def.values = values;
    def.band_count = 2;
    def.nodata_given = true;
    def.nodata = 4294967295.0;
    def.unit = "m";
    def.metadata = words;
    def.metadata_count = 2;
    def.band_names = names;
    write_result("words.tif", raster, &def);
    GDALDatasetH file = GDALOpen(test_path("words.tif"), GA_ReadOnly);
    GDALRasterBandH band = GDALGetRasterBand(file, 2);
    uint32_t corner;
    int given = 0;
    assert_int_equal(GDALGetRasterCount(file), 2);
    assert_int_equal(GDALGetRasterDataType(band), GDT_UInt32);
    assert_true(GDALGetRasterNoDataValue(band, &given) == 4294967295.0 && given);
    assert_string_equal(GDALGetDescription(band), "second");
    assert_string_equal(GDALGetRasterUnitType(band), "m");
    assert_string_equal(GDALGetMetadataItem(file, "LANDFALL_COMMAND", NULL), "viewshed");
    assert_non_null(strstr(GDALGetMetadataItem(file, "TIFFTAG_SOFTWARE", NULL), lf_version()));
    // The last row of the file is the southernmost, the first of the samples.
    assert_int_equal(GDALRasterIO(band, GF_Read, 1, ROWS - 1, 1, 1, &corner, 1, 1, GDT_UInt32, 0, 0),
                     CE_None);
    assert_int_equal(corner, 4000000000u + SAMPLES + 1);
    GDALClose(file);
    lf_raster_close(raster);
}

/// Drivers that only copy, with files beside the file: all of them get there.
static void drivers_go_by_ending_or_name(void **state) {
    (void)state;
    static const char *const options[] = {"DECIMAL_PRECISION=1"};
    lf_raster *raster = source_raster(north_up, "EPSG:3006");
    lf_result_def def = lf_result_def_default();
    lf_raster_def plain = lf_raster_def_default();
    float values[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        values[i] = (float)i;
    def.type = LF_RESULT_FLOAT;
    def.values = values;
    write_result("result.asc", raster, &def);
    assert_int_equal(access(test_path("result.prj"), F_OK), 0);
    lf_raster *back = raster_read(test_path("result.asc"), &plain);
    lf_grid_def got = lf_raster_grid_def(back);
    assert_string_equal(lf_raster_describe(back).format, "AAIGrid");
    assert_true(raster_sample(&got.samples, 3, 2) == 2 * COLUMNS + 3);
    lf_raster_close(back);
    def.format = "AAIGrid";
    def.options = options;
    def.option_count = 1;
    write_result("result.anything", raster, &def);
    back = raster_read(test_path("result.anything"), &plain);
    assert_string_equal(lf_raster_describe(back).format, "AAIGrid");
    lf_raster_close(back);
    lf_raster_close(raster);
}

static void refused(const char *path, const lf_raster *raster, const lf_result_def *def, lf_status status,
                    const char *words) {
    lf_error error = {0};
    lf_status got = lf_result_write(path, raster, def, &error);
    if (got != status || !strstr(error.text, words))
        fail_msg("%s: %d \"%s\", wanted was %d with \"%s\"", path, (int)got, error.text, (int)status, words);
}

static void bad_ones_leave_nothing(void **state) {
    (void)state;
    lf_raster *raster = source_raster(north_up, "EPSG:3006");
    lf_result_def def = lf_result_def_default(), bad;
    uint8_t values[SAMPLES] = {0};
    int before = entries();
    def.values = values;
    bad = def;
    bad.window = (lf_window){5, 0, 5, 1};
    refused(test_path("bad.tif"), raster, &bad, LF_BAD_ARGUMENT, "window");
    bad = def;
    bad.values = NULL;
    refused(test_path("bad.tif"), raster, &bad, LF_BAD_ARGUMENT, "values");
    bad = def;
    bad.band_count = 0;
    refused(test_path("bad.tif"), raster, &bad, LF_BAD_ARGUMENT, "0 bands");
    bad = def;
    bad.format = "Never";
    refused(test_path("bad.tif"), raster, &bad, LF_BAD_ARGUMENT, "\"Never\"");
    bad = def;
    bad.type = (lf_result_type)17;
    refused(test_path("bad.tif"), raster, &bad, LF_BAD_ARGUMENT, "17");
    refused(test_path("bad.never"), raster, &def, LF_BAD_ARGUMENT, "bad.never");
    refused(test_path("nowhere/bad.tif"), raster, &def, LF_IO_FAILED, "nowhere/bad.tif");
    refused(test_path(""), raster, &def, LF_BAD_ARGUMENT, "ending");
    refused("/dev/null", raster, &def, LF_BAD_ARGUMENT, "ending");
    bad = def;
    bad.format = "GTiff";
    refused("/dev/null", raster, &bad, LF_UNSUPPORTED, "device");
    refused(NULL, raster, &def, LF_BAD_ARGUMENT, "NULL");
    assert_int_equal(entries(), before);
    lf_raster_close(raster);
}

static bool never(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return false;
}

/// Cancelled, the old file stays.
static void cancelled_keeps_the_old_file(void **state) {
    (void)state;
    lf_progress progress = {NULL, never};
    lf_raster *raster = source_raster(north_up, "EPSG:3006");
    lf_result_def def = lf_result_def_default();
    lf_raster_def plain = lf_raster_def_default();
    uint8_t values[SAMPLES];
    memset(values, 7, sizeof values);
    def.values = values;
    write_result("kept.tif", raster, &def);
    int before = entries();
    memset(values, 9, sizeof values);
    def.host.progress = &progress;
    assert_int_equal(lf_result_write(test_path("kept.tif"), raster, &def, NULL), LF_CANCELLED);
    assert_int_equal(entries(), before);
    lf_raster *back = raster_read(test_path("kept.tif"), &plain);
    lf_grid_def got = lf_raster_grid_def(back);
    assert_true(raster_sample(&got.samples, 0, 0) == 7);
    lf_raster_close(back);
    lf_raster_close(raster);
}

static bool not_the_projection(void *user, const char *path) {
    ++*(int *)user;
    return !strstr(path, "kept.prj");
}

/// A file that the driver writes beside the named one may be somebody's input: nothing at all is replaced then.
static void a_file_that_may_not_be_replaced_stays(void **state) {
    (void)state;
    uint8_t values[SAMPLES] = {1};
    int asked = 0;
    lf_error error = {0};
    lf_raster *raster = source_raster(north_up, "EPSG:3006");
    lf_result_def def = lf_result_def_default();
    def.values = values;
    def.may_replace = not_the_projection;
    def.may_replace_user = &asked;
    test_text_file("kept.prj", "an input");
    test_text_file("kept.asc", "an old result");
    assert_int_equal(lf_result_write(test_path("kept.asc"), raster, &def, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "kept.prj"));
    assert_true(asked >= 1);
    char *prj = test_file_content(test_path("kept.prj"), NULL),
         *asc = test_file_content(test_path("kept.asc"), NULL);
    assert_string_equal(prj, "an input");
    assert_string_equal(asc, "an old result");
    free(prj);
    free(asc);
    unlink(test_path("kept.prj"));
    asked = 0;
    write_result("kept.asc", raster, &def); // asked about kept.asc only
    assert_int_equal(asked, 1);
    unlink(test_path("kept.asc"));
    unlink(test_path("kept.prj"));
    lf_raster_close(raster);
}

/// A geotransform of the caller's own is written as it is, also where the source has none.
static void a_geotransform_can_be_given(void **state) {
    (void)state;
    static const double own[6] = {3, 1, 0, 2, 0, 1};
    uint8_t values[SAMPLES] = {1};
    double place[6];
    lf_raster *raster = source_raster(north_up, NULL);
    lf_result_def def = lf_result_def_default();
    def.values = values;
    def.geotransform = own;
    write_result("own.tif", raster, &def);
    GDALDatasetH file = GDALOpen(test_path("own.tif"), GA_ReadOnly);
    assert_non_null(file);
    assert_int_equal(GDALGetGeoTransform(file, place), CE_None);
    assert_memory_equal(place, own, sizeof own);
    GDALClose(file);
    unlink(test_path("own.tif"));
    lf_raster_close(raster);
}

/// One row, one column, one pixel: two equal ones for the grid, and results of the pixels that there are.
static void thin_rasters_become_grids(void **state) {
    (void)state;
    static const int sizes[][2] = {{COLUMNS, 1}, {1, ROWS}, {1, 1}};
    for (size_t k = 0; k < 3 * RASTER_TURNS; k++) {
        int columns = sizes[k / RASTER_TURNS][0], rows = sizes[k / RASTER_TURNS][1], count = columns * rows;
        double values[SAMPLES], again[SAMPLES];
        raster_plan plan = raster_plan_of(columns, rows);
        lf_raster_def def = lf_raster_def_default();
        lf_result_def result = lf_result_def_default();
        memcpy(plan.place, raster_turns[k % RASTER_TURNS], sizeof plan.place);
        for (int i = 0; i < count; i++)
            values[i] = 7 + i * i;
        const char *path = raster_file("thin.tif", &plan, values);
        raster_refused(path, &def, LF_BAD_FORMAT, "2 x 2");
        def.thin = true;
        lf_raster *raster = raster_read(path, &def);
        lf_grid_def grid_def = lf_raster_grid_def(raster);
        lf_pixels pixels = lf_raster_pixels(raster);
        bool turned = pixels.transposed;
        int64_t wide = turned ? rows : columns, high = turned ? columns : rows;
        assert_int_equal(grid_def.samples.columns, wide < 2 ? 2 : wide);
        assert_int_equal(grid_def.samples.rows, high < 2 ? 2 : high);
        for (int64_t j = 0; j < grid_def.samples.rows; j++)
            for (int64_t i = 0; i < grid_def.samples.columns; i++) {
                int64_t real_i = i < wide ? i : wide - 1, real_j = j < high ? j : high - 1;
                assert_true(raster_sample(&grid_def.samples, i, j) ==
                            raster_sample(&grid_def.samples, real_i, real_j));
                if (i < wide && j < high)
                    again[j * wide + i] = raster_sample(&grid_def.samples, i, j);
            }
        result.type = LF_RESULT_DOUBLE;
        result.values = again;
        write_result("thin_result.tif", raster, &result);
        GDALDatasetH file = GDALOpen(test_path("thin_result.tif"), GA_ReadOnly);
        double place[6];
        assert_int_equal(GDALGetRasterXSize(file), columns);
        assert_int_equal(GDALGetRasterYSize(file), rows);
        assert_int_equal(GDALGetGeoTransform(file, place), CE_None);
        assert_memory_equal(place, plan.place, sizeof place);
        assert_int_equal(GDALRasterIO(GDALGetRasterBand(file, 1), GF_Read, 0, 0, columns, rows, again,
                                      columns, rows, GDT_Float64, 0, 0),
                         CE_None);
        GDALClose(file);
        for (int i = 0; i < count; i++)
            assert_true(again[i] == values[i]);
        lf_raster_close(raster);
    }
    unlink(test_path("thin.tif"));
    unlink(test_path("thin_result.tif"));
}

static lf_status attempt_thin(const lf_host *host, void *user) {
    lf_raster_def def = lf_raster_def_default();
    lf_raster *raster = NULL;
    def.host = *host;
    def.thin = true;
    lf_status status = lf_raster_read(user, &def, &raster, NULL);
    lf_raster_close(raster);
    return status;
}

static void thin_rasters_run_out_of_memory(void **state) {
    (void)state;
    double values[COLUMNS] = {1, 2, 3};
    raster_plan plan = raster_plan_of(COLUMNS, 1);
    char path[512];
    snprintf(path, sizeof path, "%s", raster_file("thin.tif", &plan, values));
    test_out_of_memory(attempt_thin, path);
    unlink(path);
}

/// A part of a raster without a geotransform lies where the pixels are counted; all of it has none either.
static void a_part_of_an_unplaced_raster_keeps_its_place(void **state) {
    (void)state;
    static const double none[6] = {0, 0, 0, 0, 0, 0};
    uint8_t values[SAMPLES] = {1};
    double place[6];
    lf_raster *raster = source_raster(none, NULL);
    lf_result_def def = lf_result_def_default();
    def.values = values;
    write_result("all.tif", raster, &def);
    GDALDatasetH file = GDALOpen(test_path("all.tif"), GA_ReadOnly);
    assert_int_equal(GDALGetGeoTransform(file, place), CE_Failure);
    GDALClose(file);
    def.window = (lf_window){2, 1, 3, 4};
    write_result("part.tif", raster, &def);
    lf_raster_def plain = lf_raster_def_default();
    lf_raster *back = raster_read(test_path("part.tif"), &plain);
    lf_geotransform geotransform = lf_raster_grid_def(back).geotransform;
    assert_true(geotransform.origin.x == 2 && geotransform.origin.y == 1);
    assert_true(geotransform.per_column.x == 1 && geotransform.per_row.y == 1);
    lf_raster_close(back);
    lf_raster_close(raster);
    unlink(test_path("all.tif"));
    unlink(test_path("part.tif"));
}

/// A format that knows only rasters that are north up does not turn others over without a word.
static void a_format_that_cannot_hold_the_place_is_refused(void **state) {
    (void)state;
    uint8_t values[SAMPLES] = {1};
    for (size_t k = 0; k < RASTER_TURNS; k++) {
        const double *place = raster_turns[k];
        lf_raster *raster = source_raster(place, "EPSG:3006");
        lf_result_def def = lf_result_def_default();
        lf_error error = {0};
        bool fits = place[1] > 0 && place[5] < 0 && place[2] == 0 && place[4] == 0;
        def.values = values;
        lf_status status = lf_result_write(test_path("held.asc"), raster, &def, &error);
        if (status != (fits ? LF_OK : LF_UNSUPPORTED))
            fail_msg("turn %zu: %d %s", k, (int)status, error.text);
        assert_true(test_file_exists("held.asc") == fits);
        unlink(test_path("held.asc"));
        unlink(test_path("held.prj"));
        unlink(test_path("held.asc.aux.xml"));
        lf_raster_close(raster);
    }
}

static lf_raster *shared_raster;

static lf_status attempt(const lf_host *host, void *user) {
    lf_result_def def = lf_result_def_default();
    def.host = *host;
    def.values = user;
    return lf_result_write(test_path("memory.tif"), shared_raster, &def, NULL);
}

static void out_of_memory_is_said(void **state) {
    (void)state;
    uint8_t values[SAMPLES] = {0};
    shared_raster = source_raster(north_up, "EPSG:3006");
    test_out_of_memory(attempt, values);
    lf_raster_close(shared_raster);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_turn_goes_back),
        cmocka_unit_test(a_window_lies_where_it_was),
        cmocka_unit_test(words_and_bands_are_kept),
        cmocka_unit_test(drivers_go_by_ending_or_name),
        cmocka_unit_test(bad_ones_leave_nothing),
        cmocka_unit_test(cancelled_keeps_the_old_file),
        cmocka_unit_test(out_of_memory_is_said),
        cmocka_unit_test(a_file_that_may_not_be_replaced_stays),
        cmocka_unit_test(a_geotransform_can_be_given),
        cmocka_unit_test(thin_rasters_become_grids),
        cmocka_unit_test(thin_rasters_run_out_of_memory),
        cmocka_unit_test(a_part_of_an_unplaced_raster_keeps_its_place),
        cmocka_unit_test(a_format_that_cannot_hold_the_place_is_refused),
    };
    return cmocka_run_group_tests(tests, raster_folder, test_folder_remove);
}
