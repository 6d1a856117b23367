/// Rasters of many shapes, types and drivers: each pixel is a sample at its centre, with its value.
#include "rasters.h"
#include <cpl_conv.h>
#include <cpl_string.h>

#define COLUMNS 23
#define ROWS 17

static void fill_values(double *values, int64_t salt, double low, double high) {
    test_random random = test_random_start((uint64_t)salt);
    for (int i = 0; i < COLUMNS * ROWS; i++)
        values[i] = floor(test_random_between(&random, low, high));
}

/// Every pixel of the file, by GDAL's own map, is a sample of the raster with GDAL's own value.
static void check_pixels(const char *path, const lf_raster *raster, double unit) {
    GDALDatasetH data = GDALOpen(path, GA_ReadOnly);
    lf_grid_def def = lf_raster_grid_def(raster);
    double place[6];
    int columns = GDALGetRasterXSize(data), rows = GDALGetRasterYSize(data);
    assert_int_equal((int64_t)columns * rows, def.samples.columns * def.samples.rows);
    assert_int_equal(GDALGetGeoTransform(data, place), CE_None);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            double value, east, north;
            int64_t column, row;
            GDALApplyGeoTransform(place, x + 0.5, y + 0.5, &east, &north);
            raster_locate(&def, east * unit, north * unit, &column, &row);
            assert_int_equal(GDALRasterIO(GDALGetRasterBand(data, 1), GF_Read, x, y, 1, 1, &value, 1, 1,
                                          GDT_Float64, 0, 0),
                             CE_None);
            assert_true(raster_sample(&def.samples, column, row) == value);
        }
    GDALClose(data);
}

/// North-up, south-up, mirrored, turned by right angles and by others, long pixels: samples stand where pixels are.
static void every_turn_is_placed(void **state) {
    (void)state;
    double values[COLUMNS * ROWS];
    for (size_t i = 0; i < RASTER_TURNS; i++) {
        raster_plan plan = raster_plan_of(COLUMNS, ROWS);
        lf_raster_def def = lf_raster_def_default();
        memcpy(plan.place, raster_turns[i], sizeof plan.place);
        fill_values(values, 700 + (int64_t)i, -500, 9000);
        lf_raster *raster = raster_read(raster_file("turned.tif", &plan, values), &def);
        lf_geotransform geotransform = lf_raster_grid_def(raster).geotransform;
        check_pixels(test_path("turned.tif"), raster, 1);
        // Columns run eastwards and rows northwards wherever a right angle allows it.
        assert_true(geotransform.per_column.x > 0 && geotransform.per_row.y > 0);
        if (i < 8)
            assert_true(geotransform.per_column.y == 0 && geotransform.per_row.x == 0);
        lf_raster_close(raster);
    }
}

static void types_hold_every_value(void **state) {
    (void)state;
    static const struct {
        GDALDataType stored;
        double low, high;
        lf_sample_type kept;
    } types[] = {
        {GDT_Byte, 0, 256, LF_SAMPLE_UINT16},        {GDT_UInt16, 0, 65536, LF_SAMPLE_UINT16},
        {GDT_Int16, -32000, 32768, LF_SAMPLE_INT16}, {GDT_Int32, -2e9, 2e9, LF_SAMPLE_DOUBLE},
        {GDT_UInt32, 0, 4e9, LF_SAMPLE_DOUBLE},      {GDT_Int32, -16777216, 16777217, LF_SAMPLE_FLOAT},
        {GDT_UInt32, 0, 16777217, LF_SAMPLE_FLOAT},  {GDT_Float32, -500, 9000, LF_SAMPLE_FLOAT},
        {GDT_Float64, -500, 9000, LF_SAMPLE_DOUBLE}, {GDT_Int64, -9e15, 9e15, LF_SAMPLE_DOUBLE},
        {GDT_UInt64, 0, 9e15, LF_SAMPLE_DOUBLE},
    };
    double values[COLUMNS * ROWS];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        raster_plan plan = raster_plan_of(COLUMNS, ROWS);
        lf_raster_def def = lf_raster_def_default();
        plan.type = types[i].stored;
        fill_values(values, 720 + (int64_t)i, types[i].low, types[i].high);
        lf_raster *raster = raster_read(raster_file("typed.tif", &plan, values), &def);
        assert_int_equal(lf_raster_grid_def(raster).samples.type, types[i].kept);
        assert_string_equal(lf_raster_describe(raster).stored, GDALGetDataTypeName(types[i].stored));
        check_pixels(test_path("typed.tif"), raster, 1);
        lf_raster_close(raster);
    }
}

static void signed_bytes_are_signed(void **state) {
    (void)state;
    static const char *const options[] = {"PIXELTYPE=SIGNEDBYTE", NULL};
    double values[COLUMNS * ROWS];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    plan.type = GDT_Byte;
    plan.options = options;
    fill_values(values, 730, 0, 256);
    lf_raster *raster = raster_read(raster_file("signed.tif", &plan, values), &def);
    lf_samples samples = lf_raster_grid_def(raster).samples;
    assert_int_equal(samples.type, LF_SAMPLE_INT16);
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++) {
            double stored = values[y * COLUMNS + x];
            assert_true(raster_sample(&samples, x, ROWS - 1 - y) == (stored > 127 ? stored - 256 : stored));
        }
    lf_raster_close(raster);
}

static void drivers_agree(void **state) {
    (void)state;
    static const struct {
        const char *name, *driver;
    } files[] = {{"d.tif", "GTiff"}, {"d.img", "HFA"},  {"d.asc", "AAIGrid"}, {"d.nc", "netCDF"},
                 {"d.vrt", "VRT"},   {"d.rst", "RST"},  {"d.bil", "EHdr"},    {"d.grd", "GS7BG"},
                 {"d.ers", "ERS"},   {"d.bin", "ENVI"}, {"d.sdat", "SAGA"},   {"d.xyz", "XYZ"}};
    double values[COLUMNS * ROWS];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    int read = 0;
    fill_values(values, 740, 0, 3000);
    raster_file("source.tif", &plan, values);
    GDALDatasetH source = GDALOpen(test_path("source.tif"), GA_ReadOnly);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        lf_raster_def def = lf_raster_def_default();
        GDALDriverH driver = GDALGetDriverByName(files[i].driver);
        if (!driver)
            continue;
        GDALDatasetH copy = GDALCreateCopy(driver, test_path(files[i].name), source, FALSE, NULL, NULL, NULL);
        assert_non_null(copy);
        GDALClose(copy);
        lf_raster *raster = raster_read(test_path(files[i].name), &def);
        assert_string_equal(lf_raster_describe(raster).format, files[i].driver);
        check_pixels(test_path(files[i].name), raster, 1);
        lf_raster_close(raster);
        read++;
    }
    GDALClose(source);
    assert_true(read >= 8);
}

/// Tiled, in strips, with tall blocks: large enough for several blocks of reading.
static void blocks_fit_together(void **state) {
    (void)state;
    static const char *const tiled[] = {"TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=2048", "COMPRESS=DEFLATE",
                                        NULL};
    static const char *const strips[] = {"BLOCKYSIZE=7", NULL};
    int columns = 2500, rows = 2100;
    int16_t *values = malloc((size_t)columns * (size_t)rows * sizeof *values);
    for (int i = 0; i < columns * rows; i++)
        values[i] = (int16_t)((i * 2654435761u) >> 17);
    for (int turn = 0; turn < 4; turn++) {
        raster_plan plan = raster_plan_of(columns, rows);
        lf_raster_def def = lf_raster_def_default();
        plan.type = GDT_Int16;
        plan.options = turn % 2 ? tiled : strips;
        if (turn / 2)
            memcpy(plan.place, (double[6]){0, 0, 10, 0, 10, 0}, sizeof plan.place);
        GDALDatasetH data = raster_new(test_path("blocks.tif"), &plan);
        assert_int_equal(GDALRasterIO(GDALGetRasterBand(data, 1), GF_Write, 0, 0, columns, rows, values,
                                      columns, rows, GDT_Int16, 0, 0),
                         CE_None);
        GDALClose(data);
        lf_raster *raster = raster_read(test_path("blocks.tif"), &def);
        const int16_t *got = lf_raster_grid_def(raster).samples.values;
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < columns; x++) {
                int at = turn / 2 ? x * rows + y : (rows - 1 - y) * columns + x;
                if (got[at] != values[y * columns + x])
                    fail_msg("turn %d: pixel %d, %d is %d, not %d", turn, x, y, got[at],
                             values[y * columns + x]);
            }
        lf_raster_close(raster);
    }
    free(values);
}

static void windows_are_parts(void **state) {
    (void)state;
    double values[COLUMNS * ROWS];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    fill_values(values, 750, 0, 3000);
    raster_file("whole.tif", &plan, values);
    def.window = (lf_window){5, 3, 10, 7};
    lf_raster *raster = raster_read(test_path("whole.tif"), &def);
    lf_grid_def grid = lf_raster_grid_def(raster);
    assert_int_equal(grid.samples.columns, 10);
    assert_int_equal(grid.samples.rows, 7);
    for (int y = 0; y < 7; y++)
        for (int x = 0; x < 10; x++) {
            int64_t column, row;
            raster_locate(&grid, 1000 + 10 * (5 + x + 0.5), 5000 - 10 * (3 + y + 0.5), &column, &row);
            assert_true(raster_sample(&grid.samples, column, row) == values[(3 + y) * COLUMNS + 5 + x]);
        }
    lf_raster_close(raster);
    def.window = (lf_window){COLUMNS - 4, 0, 5, 5};
    raster_refused(test_path("whole.tif"), &def, LF_BAD_ARGUMENT, "the window ends at 24, 5");
    def.window = (lf_window){0, 0, 1, 5};
    raster_refused(test_path("whole.tif"), &def, LF_BAD_FORMAT, "1 x 5 pixels");
    def.window = (lf_window){-1, 0, 5, 5};
    raster_refused(test_path("whole.tif"), &def, LF_BAD_ARGUMENT, "negative");
}

/// A file that says nothing about its place stands at 0, 0.
static void pictures_have_a_place(void **state) {
    (void)state;
    double values[COLUMNS * ROWS];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    heard heard;
    heard_start(&heard);
    def.host.log = &heard.log;
    plan.type = GDT_UInt16;
    plan.crs = NULL;
    plan.place[1] = plan.place[2] = 0;
    fill_values(values, 760, 0, 65536);
    lf_raster *raster = raster_read(raster_copy("grey.png", "PNG", &plan, values, NULL), &def);
    lf_grid_def grid = lf_raster_grid_def(raster);
    assert_false(lf_raster_describe(raster).georeferenced);
    assert_int_equal(lf_raster_describe(raster).kind, LF_CRS_NONE);
    assert_non_null(strstr(heard.text, "does not say where it is"));
    assert_true(grid.geotransform.origin.x == 0 && grid.geotransform.origin.y == 0 &&
                grid.geotransform.per_column.x == 1 && grid.geotransform.per_row.y == 1);
    assert_true(raster_sample(&grid.samples, 2, 0) == values[(ROWS - 1) * COLUMNS + 2]);
    lf_raster_close(raster);
}

/// GDAL shifts what is a point by half a pixel; samples are pixel centres either way.
static void points_and_areas(void **state) {
    (void)state;
    double values[COLUMNS * ROWS];
    fill_values(values, 770, 0, 3000);
    for (int point = 0; point < 2; point++) {
        raster_plan plan = raster_plan_of(COLUMNS, ROWS);
        lf_raster_def def = lf_raster_def_default();
        const char *path = test_path("point.tif");
        GDALDatasetH data = raster_new(path, &plan);
        GDALSetMetadataItem(data, "AREA_OR_POINT", point ? "Point" : "Area", NULL);
        raster_fill(data, 1, values);
        GDALClose(data);
        lf_raster *raster = raster_read(path, &def);
        assert_true(lf_raster_describe(raster).point == (point == 1));
        check_pixels(path, raster, 1);
        lf_raster_close(raster);
    }
}

static void control_points_place_too(void **state) {
    (void)state;
    double values[COLUMNS * ROWS];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    fill_values(values, 780, 0, 3000);
    plan.place[1] = plan.place[2] = 0;
    plan.crs = NULL;
    for (int bent = 0; bent < 2; bent++) {
        GDALDatasetH data = raster_new(test_path("points.tif"), &plan);
        GDAL_GCP points[5];
        char name[] = "p", none[] = "";
        for (int i = 0; i < 5; i++) {
            double x = (i % 2) * COLUMNS, y = (i / 2) * (double)ROWS / 2;
            points[i] = (GDAL_GCP){name, none, x, y, 100 + 2 * x, 900 - 3 * y + (bent && i == 4 ? 40 : 0), 0};
        }
        OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
        OSRImportFromEPSG(system, 3006);
        assert_int_equal(GDALSetGCPs2(data, 5, points, system), CE_None);
        OSRDestroySpatialReference(system);
        raster_fill(data, 1, values);
        GDALClose(data);
        if (bent) {
            raster_refused(test_path("points.tif"), &def, LF_BAD_FORMAT, "5 control points");
        } else {
            lf_raster *raster = raster_read(test_path("points.tif"), &def);
            lf_geotransform geotransform = lf_raster_grid_def(raster).geotransform;
            assert_true(fabs(geotransform.origin.x - 101) < 1e-9 && fabs(geotransform.per_row.y - 3) < 1e-9);
            lf_raster_close(raster);
        }
    }
}

static void archives_are_opened(void **state) {
    (void)state;
    double values[COLUMNS * ROWS];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    char inner[4200];
    fill_values(values, 790, 0, 3000);
    plan.options = NULL;
    raster_file("a.tif", &plan, values);
    static const char *const archives[] = {"one.zip", "two.zip"};
    for (int i = 0; i < 2; i++) {
        snprintf(inner, sizeof inner, "/vsizip/%s/readme.txt", test_path(archives[i]));
        VSILFILE *text = VSIFOpenL(inner, "wb");
        VSIFWriteL("hello", 1, 5, text);
        VSIFCloseL(text);
        for (int k = 0; k <= i; k++) {
            snprintf(inner, sizeof inner, "/vsizip/%s/folder/%c.tif", test_path(archives[i]), "ab"[k]);
            assert_int_equal(CPLCopyFile(inner, test_path("a.tif")), 0);
        }
    }
    lf_raster *raster = raster_read(test_path("one.zip"), &def);
    check_pixels(test_path("a.tif"), raster, 1);
    lf_raster_close(raster);
    raster_refused(test_path("two.zip"), &def, LF_BAD_FORMAT,
                   "2 rasters are in it (folder/a.tif, folder/b.tif)");
    raster = raster_read(inner, &def);
    lf_raster_close(raster);
    snprintf(inner, sizeof inner, "/vsigzip/%s", test_path("a.tif.gz"));
    assert_int_equal(CPLCopyFile(inner, test_path("a.tif")), 0);
    raster = raster_read(test_path("a.tif.gz"), &def);
    check_pixels(test_path("a.tif"), raster, 1);
    lf_raster_close(raster);
    test_text_file("none.zip", "this is no archive");
    raster_refused(test_path("none.zip"), &def, LF_BAD_FORMAT, "none.zip");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_turn_is_placed),     cmocka_unit_test(types_hold_every_value),
        cmocka_unit_test(signed_bytes_are_signed),  cmocka_unit_test(drivers_agree),
        cmocka_unit_test(blocks_fit_together),      cmocka_unit_test(windows_are_parts),
        cmocka_unit_test(pictures_have_a_place),    cmocka_unit_test(points_and_areas),
        cmocka_unit_test(control_points_place_too), cmocka_unit_test(archives_are_opened),
    };
    return cmocka_run_group_tests_name("io raster", tests, raster_folder, test_folder_remove);
}
