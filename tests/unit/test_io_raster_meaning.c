/// What the numbers of a raster mean: holes, masks, scales, units, coordinate reference systems.
#include "raster/raster.h"
#include "rasters.h"
#include <cpl_conv.h>
#include <cpl_string.h>

#define COLUMNS 6
#define ROWS 4
#define COUNT (COLUMNS * ROWS)
#define US_FOOT (1200.0 / 3937.0)

static void fill_steps(double *values) {
    for (int i = 0; i < COUNT; i++)
        values[i] = 100 + i;
}

/// Samples in the file's order, from the top left.
static double at(const lf_samples *samples, int x, int y) {
    return raster_sample(samples, x, samples->rows - 1 - y);
}

static int64_t holes_of(const lf_raster *raster) {
    lf_samples samples = lf_raster_grid_def(raster).samples;
    int64_t count = 0;
    for (int64_t j = 0; j < samples.rows; j++)
        for (int64_t i = 0; i < samples.columns; i++)
            count += raster_hole(&samples, i, j);
    return count;
}

static void nodata_makes_holes(void **state) {
    (void)state;
    double values[COUNT];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    fill_steps(values);
    values[3] = values[7] = -9999;
    values[9] = (double)NAN;
    GDALDatasetH data = raster_new(test_path("holes.tif"), &plan);
    raster_fill(data, 1, values);
    GDALSetRasterNoDataValue(GDALGetRasterBand(data, 1), -9999);
    GDALClose(data);
    lf_raster *raster = raster_read(test_path("holes.tif"), &def);
    assert_int_equal(holes_of(raster), 3);
    lf_raster_close(raster);
    def.nodata_given = true; // another number instead of the file's
    def.nodata = 105;
    raster = raster_read(test_path("holes.tif"), &def);
    assert_int_equal(holes_of(raster), 2);
    lf_raster_close(raster);
    def.nodata = (double)NAN; // none at all
    raster = raster_read(test_path("holes.tif"), &def);
    assert_int_equal(holes_of(raster), 1);
    lf_raster_close(raster);
}

/// A nodata with more digits than a float has still meets its samples.
static void nodata_of_floats(void **state) {
    (void)state;
    double values[COUNT];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    fill_steps(values);
    values[0] = (double)(float)-0.1;
    raster_file("float.tif", &plan, values);
    def.nodata_given = true;
    def.nodata = -0.1;
    lf_raster *raster = raster_read(test_path("float.tif"), &def);
    assert_int_equal(holes_of(raster), 1);
    lf_raster_close(raster);
}

static void nodata_of_large_integers(void **state) {
    (void)state;
    double values[COUNT];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    plan.type = GDT_Int64;
    fill_steps(values);
    GDALDatasetH data = raster_new(test_path("large.tif"), &plan);
    int64_t most = INT64_MAX;
    raster_fill(data, 1, values);
    GDALRasterBandH band = GDALGetRasterBand(data, 1);
    assert_int_equal(GDALRasterIO(band, GF_Write, 2, 1, 1, 1, &most, 1, 1, GDT_Int64, 0, 0), CE_None);
    GDALFlushCache(data);
    GDALClose(data);
    raster_refused(test_path("large.tif"), &def, LF_UNSUPPORTED, "9223372036854775807 at column 2, row 1");
    data = GDALOpen(test_path("large.tif"), GA_Update);
    GDALSetRasterNoDataValueAsInt64(GDALGetRasterBand(data, 1), INT64_MAX);
    GDALClose(data);
    lf_raster *raster = raster_read(test_path("large.tif"), &def);
    assert_int_equal(holes_of(raster), 1);
    lf_raster_close(raster);
}

/// 32-bit integers are floats while these are exact; nodata is compared before.
static void nodata_of_integers(void **state) {
    (void)state;
    static const struct {
        double nodata, beside; ///< a height that is no float, beside nodata
        lf_sample_type kept;
    } cases[] = {{-9999, -9998, LF_SAMPLE_FLOAT},
                 {-2147483647, 3, LF_SAMPLE_FLOAT},
                 {16777217, 16777216, LF_SAMPLE_FLOAT},
                 {16777216, 16777217, LF_SAMPLE_DOUBLE},
                 {-2147483648, -16777219, LF_SAMPLE_DOUBLE}};
    double values[COUNT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        raster_plan plan = raster_plan_of(COLUMNS, ROWS);
        lf_raster_def def = lf_raster_def_default();
        plan.type = GDT_Int32;
        fill_steps(values);
        values[3] = cases[i].nodata;
        values[5] = cases[i].beside;
        GDALDatasetH data = raster_new(test_path("integers.tif"), &plan);
        raster_fill(data, 1, values);
        GDALSetRasterNoDataValue(GDALGetRasterBand(data, 1), cases[i].nodata);
        GDALClose(data);
        lf_raster *raster = raster_read(test_path("integers.tif"), &def);
        lf_samples samples = lf_raster_grid_def(raster).samples;
        assert_int_equal(samples.type, cases[i].kept);
        assert_int_equal(holes_of(raster), 1);
        assert_true(raster_sample(&samples, 5 % COLUMNS, ROWS - 1 - 5 / COLUMNS) == cases[i].beside);
        lf_raster_close(raster);
    }
}

static void masks_make_holes(void **state) {
    (void)state;
    double values[COUNT], seen[COUNT];
    for (int alpha = 0; alpha < 2; alpha++) {
        raster_plan plan = raster_plan_of(COLUMNS, ROWS);
        lf_raster_def def = lf_raster_def_default();
        static const char *const options[] = {"ALPHA=YES", NULL};
        plan.bands = 1 + alpha;
        plan.type = GDT_Int16;
        plan.options = alpha ? options : NULL;
        fill_steps(values);
        for (int i = 0; i < COUNT; i++)
            seen[i] = i % 5 == 0 ? 0 : 255;
        GDALDatasetH data = raster_new(test_path("masked.tif"), &plan);
        raster_fill(data, 1, values);
        if (alpha) {
            raster_fill(data, 2, seen);
        } else {
            GDALCreateDatasetMaskBand(data, GMF_PER_DATASET);
            assert_int_equal(GDALRasterIO(GDALGetMaskBand(GDALGetRasterBand(data, 1)), GF_Write, 0, 0,
                                          COLUMNS, ROWS, seen, COLUMNS, ROWS, GDT_Float64, 0, 0),
                             CE_None);
        }
        GDALClose(data);
        lf_raster *raster = raster_read(test_path("masked.tif"), &def);
        lf_samples samples = lf_raster_grid_def(raster).samples;
        assert_true(lf_raster_describe(raster).masked);
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < COLUMNS; x++)
                assert_true(raster_hole(&samples, x, ROWS - 1 - y) == (seen[y * COLUMNS + x] == 0));
        lf_raster_close(raster);
        VSIUnlink(test_path("masked.tif"));
        VSIUnlink(test_path("masked.tif.msk"));
    }
}

static void scales_and_offsets(void **state) {
    (void)state;
    double values[COUNT];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    plan.type = GDT_Int16;
    fill_steps(values);
    GDALDatasetH data = raster_new(test_path("scaled.tif"), &plan);
    raster_fill(data, 1, values);
    GDALSetRasterScale(GDALGetRasterBand(data, 1), 0.5);
    GDALSetRasterOffset(GDALGetRasterBand(data, 1), -20);
    GDALClose(data);
    lf_raster *raster = raster_read(test_path("scaled.tif"), &def);
    lf_samples samples = lf_raster_grid_def(raster).samples;
    assert_int_equal(samples.type, LF_SAMPLE_INT16);
    assert_true(samples.scale == 0.5 && samples.offset == -20 && at(&samples, 1, 0) == 101);
    lf_raster_close(raster);
    def.z_scale = -3;
    def.z_unit = "ft";
    raster = raster_read(test_path("scaled.tif"), &def);
    samples = lf_raster_grid_def(raster).samples;
    assert_true(samples.scale == 0.5 * (0.3048 * -3) && samples.offset == -20 * (0.3048 * -3));
    lf_raster_close(raster);
}

/// A file whose band or CRS says this and that about units.
static const char *unit_file(const char *crs, const char *unit) {
    double values[COUNT];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    fill_steps(values);
    plan.crs = crs;
    GDALDatasetH data = raster_new(test_path("unit.tif"), &plan);
    raster_fill(data, 1, values);
    if (unit)
        GDALSetRasterUnitType(GDALGetRasterBand(data, 1), unit);
    GDALClose(data);
    return test_path("unit.tif");
}

static void names_of_units(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double metres;
    } names[] = {
        {"m", 1},
        {"M", 1},
        {"METERS", 1},
        {"metre", 1},
        {"m (NAVD88)", 1},
        {"m a.s.l.", 1},
        {"ft", 0.3048},
        {"foot (International)", 0.3048},
        {"ft (US)", US_FOOT},
        {"us-ft", US_FOOT},
        {"US_survey_foot", US_FOOT},
        {"feet above sea level", 0.3048},
        {"cm", 0.01},
        {"km", 1000},
        {"m/s", 0},
        {"m2", 0},
        {"m s-1", 0},
        {"m^2", 0},
        {"in metres", 0},
        {"K", 0},
        {"", 0},
        {"degrees", 0},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lf__length_unit(names[i].name) != names[i].metres)
            fail_msg("\"%s\" is %g", names[i].name, lf__length_unit(names[i].name));
}

static void feet_become_metres(void **state) {
    (void)state;
    static const struct {
        const char *crs, *unit;
        double xy_unit, z_unit;
        bool known;
        int remarks;
    } cases[] = {
        {"EPSG:3006", NULL, 1, 1, false, 0},
        {"EPSG:3006", "m", 1, 1, true, 0},
        {"EPSG:3006", "metre", 1, 1, true, 0},
        {"EPSG:3006", "Meters above sea level", 1, 1, true, 0},
        {"EPSG:3006", "ft", 1, 0.3048, true, 1},
        {"EPSG:3006", "US survey foot", 1, US_FOOT, true, 1},
        {"EPSG:3006+5613", NULL, 1, 1, true, 0},
        {"EPSG:2264", "ft", US_FOOT, 0.3048, true, 2},
        {"EPSG:2264", "m", US_FOOT, 1, true, 1},
        {"EPSG:2264+6360", NULL, US_FOOT, US_FOOT, true, 2},
        {"EPSG:26917+6360", NULL, 1, US_FOOT, true, 1},
        {"EPSG:26917+6357", NULL, 1, -1, true, 1}, // NAVD88 depth
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lf_raster_def def = lf_raster_def_default();
        heard heard;
        heard_start(&heard);
        def.host.log = &heard.log;
        lf_raster *raster = raster_read(unit_file(cases[i].crs, cases[i].unit), &def);
        lf_raster_info info = lf_raster_describe(raster);
        lf_grid_def grid = lf_raster_grid_def(raster);
        assert_int_equal(info.kind, LF_CRS_PROJECTED);
        assert_true(fabs(info.xy_unit - cases[i].xy_unit) < 1e-12 &&
                    fabs(info.z_unit - cases[i].z_unit) < 1e-12);
        assert_true(info.z_unit_known == cases[i].known);
        assert_true(grid.samples.scale == info.z_unit);
        assert_true(fabs(grid.geotransform.per_column.x - 10 * cases[i].xy_unit) < 1e-9);
        assert_true(fabs(grid.geotransform.origin.x - 1005 * cases[i].xy_unit) < 1e-9);
        assert_int_equal(heard.count, cases[i].remarks);
        // The text that goes with numbers in metres speaks of no feet.
        if (cases[i].remarks > 0)
            assert_null(strstr(strstr(info.crs, "CS[Cartesian"), "survey foot"));
        lf_raster_close(raster);
    }
}

static void doubtful_units_are_refused(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default();
    raster_refused(unit_file("EPSG:2264", NULL), &def, LF_BAD_FORMAT, "nothing says what its heights are in");
    raster_refused(unit_file("EPSG:3006", "degC"), &def, LF_BAD_FORMAT,
                   "\"degC\", which is no unit of height");
    raster_refused(unit_file("EPSG:3006+5613", "ft"), &def, LF_BAD_FORMAT, "its CRS says otherwise");
    def.z_unit = "us-ft";
    lf_raster *raster = raster_read(unit_file("EPSG:3006+5613", "ft"), &def);
    assert_true(lf_raster_describe(raster).z_unit == US_FOOT);
    lf_raster_close(raster);
    def.z_unit = "cubits";
    raster_refused(unit_file("EPSG:3006", NULL), &def, LF_BAD_ARGUMENT, "\"cubits\" is no unit of height");
}

static void systems_have_a_kind(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default();
    lf_raster *raster = raster_read(unit_file("EPSG:4326", "m"), &def);
    lf_raster_info info = lf_raster_describe(raster);
    assert_int_equal(info.kind, LF_CRS_DEGREES);
    assert_string_equal(info.crs_name, "WGS 84");
    assert_true(strncmp(info.crs, "GEOGCRS[\"WGS 84\"", 16) == 0);
    assert_true(info.ellipsoid.radius == 6378137 &&
                fabs(info.ellipsoid.flattening - 1 / 298.257223563) < 1e-15);
    lf_raster_close(raster);
    raster = raster_read(unit_file("LOCAL_CS[\"yard\",UNIT[\"metre\",1]]", "m"), &def);
    assert_int_equal(lf_raster_describe(raster).kind, LF_CRS_ENGINEERING);
    lf_raster_close(raster);
    raster_refused(unit_file("EPSG:4807", "m"), &def, LF_UNSUPPORTED, "grad");
    raster_refused(unit_file("EPSG:4978", "m"), &def, LF_UNSUPPORTED, "earth-centred");
    def.crs = "EPSG:3857";
    raster = raster_read(unit_file("EPSG:3006", "m"), &def);
    assert_string_equal(lf_raster_describe(raster).crs_name, "WGS 84 / Pseudo-Mercator");
    lf_raster_close(raster);
    def.crs = "Atlantis";
    raster_refused(unit_file("EPSG:3006", "m"), &def, LF_BAD_ARGUMENT,
                   "\"Atlantis\" is no coordinate reference system");
    def.crs = "http://example.com/";
    raster_refused(unit_file("EPSG:3006", "m"), &def, LF_BAD_ARGUMENT, "http://example.com/");
}

static void words_of_kinds(void **state) {
    (void)state;
    assert_string_equal(lf_crs_kind_name(LF_CRS_NONE), "none");
    assert_string_equal(lf_crs_kind_name(LF_CRS_DEGREES), "degrees");
    assert_string_equal(lf_crs_kind_name((lf_crs_kind)77), "?");
}

/// A raster whose x is the latitude, as its CRS has it: x comes out as the longitude all the same.
static void axes_are_put_in_order(void **state) {
    (void)state;
    double values[COUNT];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    fill_steps(values);
    plan.crs = NULL;
    memcpy(plan.place, (double[6]){57, 0.1, 0, 12, 0, -0.1}, sizeof plan.place);
    raster_file("plain.tif", &plan, values);
    char text[1024];
    snprintf(
        text, sizeof text,
        "<VRTDataset rasterXSize=\"%d\" rasterYSize=\"%d\"><SRS "
        "dataAxisToSRSAxisMapping=\"1,2\">EPSG:4326</SRS>"
        "<GeoTransform>57, 0.1, 0, 12, 0, -0.1</GeoTransform><VRTRasterBand dataType=\"Float32\" band=\"1\">"
        "<SimpleSource><SourceFilename "
        "relativeToVRT=\"1\">plain.tif</SourceFilename><SourceBand>1</SourceBand>"
        "</SimpleSource></VRTRasterBand></VRTDataset>",
        COLUMNS, ROWS);
    lf_raster *raster = raster_read(test_text_file("swapped.vrt", text), &def);
    lf_grid_def grid = lf_raster_grid_def(raster);
    int64_t column, row;
    raster_locate(&grid, 12 - 0.1 * 1.5, 57 + 0.1 * 4.5, &column, &row); // pixel 4, 1
    assert_true(raster_sample(&grid.samples, column, row) == values[COLUMNS + 4]);
    assert_true(grid.geotransform.per_column.x > 0 && grid.geotransform.per_row.y > 0 &&
                grid.geotransform.per_column.y == 0);
    lf_raster_close(raster);
}

static void coded_heights(void **state) {
    (void)state;
    static const double heights[] = {-10000, -430.7, 0, 0.1, 8848.8};
    for (int turn = 0; turn < 2; turn++) {
        double colours[3][COUNT];
        raster_plan plan = raster_plan_of(COLUMNS, ROWS);
        lf_raster_def def = lf_raster_def_default();
        lf_encoding encoding = turn ? LF_ENCODING_TERRARIUM : LF_ENCODING_TERRAIN_RGB;
        plan.type = GDT_Byte;
        plan.bands = 3;
        for (int i = 0; i < COUNT; i++) {
            double h = heights[i % 5];
            long code = lround(turn ? (h + 32768) * 256 : (h + 10000) * 10);
            for (int k = 0; k < 3; k++)
                colours[k][i] = (double)((code >> (16 - 8 * k)) & 255);
        }
        GDALDatasetH data = raster_new(test_path("coded.tif"), &plan);
        for (int k = 0; k < 3; k++)
            raster_fill(data, k + 1, colours[k]);
        GDALClose(data);
        def.encoding = encoding;
        lf_raster *raster = raster_read(test_path("coded.tif"), &def);
        lf_samples samples = lf_raster_grid_def(raster).samples;
        for (int i = 0; i < COUNT; i++) {
            double h = at(&samples, i % COLUMNS, i / COLUMNS) * samples.scale + samples.offset;
            assert_true(fabs(h - heights[i % 5]) <= (turn ? 1.0 / 512 : 1e-9));
        }
        lf_raster_close(raster);
        def.nodata_given = true;
        def.nodata = -10000; // a height here
        raster = raster_read(test_path("coded.tif"), &def);
        assert_int_equal(holes_of(raster), 5);
        lf_raster_close(raster);
        def.band = 1;
        raster_refused(test_path("coded.tif"), &def, LF_BAD_ARGUMENT, "band 1");
        def.encoding = LF_ENCODING_NONE;
        def.band = 0;
        raster_refused(test_path("coded.tif"), &def, LF_BAD_FORMAT, "has 3 bands");
        def.band = 4;
        raster_refused(test_path("coded.tif"), &def, LF_BAD_ARGUMENT, "band 4: file has 3 bands");
        def.band = 2;
        raster = raster_read(test_path("coded.tif"), &def);
        samples = lf_raster_grid_def(raster).samples;
        assert_int_equal(lf_raster_describe(raster).band, 2);
        assert_true(at(&samples, 1, 0) == colours[1][1]);
        lf_raster_close(raster);
    }
}

static void pages_can_be_named(void **state) {
    (void)state;
    double values[COUNT];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    lf_raster_def def = lf_raster_def_default();
    char name[4200];
    fill_steps(values);
    raster_plan one = plan;
    GDALDatasetH data = raster_new(test_path("part.tif"), &one);
    raster_fill(data, 1, values);
    GDALClose(data);
    static const char *const append[] = {"APPEND_SUBDATASET=YES", NULL};
    one.options = append;
    data = raster_new(test_path("part.tif"), &one);
    raster_fill(data, 1, values);
    GDALClose(data);
    // Several pages: the first is the file's own.
    lf_raster *raster = raster_read(test_path("part.tif"), &def);
    lf_raster_close(raster);
    snprintf(name, sizeof name, "GTIFF_DIR:2:%s", test_path("part.tif"));
    raster = raster_read(name, &def);
    lf_raster_close(raster);
}

/// A package with one table opens by itself; with two, one has to be named.
static void tables_have_to_be_named(void **state) {
    (void)state;
    double values[COUNT];
    lf_raster_def def = lf_raster_def_default();
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    static const char *const first[] = {"RASTER_TABLE=first", NULL};
    static const char *const second[] = {"RASTER_TABLE=second", "APPEND_SUBDATASET=YES", NULL};
    char name[4200];
    plan.driver = "GPKG";
    plan.type = GDT_Byte;
    fill_steps(values);
    if (!GDALGetDriverByName("GPKG"))
        return;
    plan.options = first;
    raster_file("package.gpkg", &plan, values);
    def.band = 1;
    lf_raster *raster = raster_read(test_path("package.gpkg"), &def);
    lf_raster_close(raster);
    plan.options = second;
    raster_file("package.gpkg", &plan, values);
    raster_refused(test_path("package.gpkg"), &def, LF_BAD_FORMAT, "has 2 parts: name one, as GPKG:");
    snprintf(name, sizeof name, "GPKG:%s:second", test_path("package.gpkg"));
    raster = raster_read(name, &def);
    lf_raster_close(raster);
}

static void ways_go_there_and_back(void **state) {
    (void)state;
    lf_crs_transform *way = NULL;
    lf_error error = {0};
    lf_vec3 points[3] = {{11.9, 57.7, 5}, {12.5, 58.25, -7}, {1e9, 1e9, 1}};
    assert_int_equal(lf_crs_transform_create("EPSG:4326", "EPSG:3006", NULL, &way, &error), LF_OK);
    assert_int_equal(lf_crs_transform_points(way, points, 0, 3, false), 1);
    // SWEREF 99 TM by Lantmateriet's formulas, to the millimetre.
    assert_true(points[0].x > 310000 && points[0].x < 330000 && points[0].y > 6395000 &&
                points[0].y < 6405000);
    assert_true(points[0].z == 5 && isnan(points[2].x) && isnan(points[2].y));
    assert_int_equal(lf_crs_transform_points(way, points, sizeof *points, 2, true), 0);
    assert_true(fabs(points[0].x - 11.9) < 1e-9 && fabs(points[0].y - 57.7) < 1e-9);
    assert_true(fabs(points[1].x - 12.5) < 1e-9 && fabs(points[1].y - 58.25) < 1e-9 && points[1].z == -7);
    lf_crs_transform_destroy(way);
    lf_crs_transform_destroy(NULL);
    way = NULL;
    assert_int_equal(lf_crs_transform_create("EPSG:4326", "Atlantis", NULL, &way, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "Atlantis"));
    assert_int_equal(lf_crs_transform_create(NULL, "EPSG:4326", NULL, &way, &error), LF_BAD_ARGUMENT);
    assert_null(way);
}

/// The middle of the zone, where the formulas can be done by hand: the meridian's arc times 0.9996.
static void a_way_is_right(void **state) {
    (void)state;
    lf_crs_transform *way = NULL;
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    lf_vec3 point = {15, 60, 0};
    double arc = lf_geodesic_between(&wgs84, (lf_geodetic){15, 0, 0}, (lf_geodetic){15, 60, 0}).distance;
    assert_int_equal(lf_crs_transform_create("EPSG:4326", "EPSG:32633", NULL, &way, NULL), LF_OK);
    assert_int_equal(lf_crs_transform_points(way, &point, 0, 1, false), 0);
    assert_true(fabs(point.x - 500000) < 1e-6 && fabs(point.y - 0.9996 * arc) < 1e-6);
    lf_crs_transform_destroy(way);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodata_makes_holes),
        cmocka_unit_test(nodata_of_floats),
        cmocka_unit_test(nodata_of_large_integers),
        cmocka_unit_test(nodata_of_integers),
        cmocka_unit_test(masks_make_holes),
        cmocka_unit_test(scales_and_offsets),
        cmocka_unit_test(names_of_units),
        cmocka_unit_test(feet_become_metres),
        cmocka_unit_test(doubtful_units_are_refused),
        cmocka_unit_test(systems_have_a_kind),
        cmocka_unit_test(words_of_kinds),
        cmocka_unit_test(axes_are_put_in_order),
        cmocka_unit_test(coded_heights),
        cmocka_unit_test(pages_can_be_named),
        cmocka_unit_test(tables_have_to_be_named),
        cmocka_unit_test(ways_go_there_and_back),
        cmocka_unit_test(a_way_is_right),
    };
    return cmocka_run_group_tests_name("io raster meaning", tests, raster_folder, test_folder_remove);
}
