/// GeoTIFF without GDAL: what is read and written without it is the same as with it, and damaged files are refused alike.
#include "raster/geotiff.h"
#include "rasters.h"
#include <cpl_conv.h>
#include <cpl_string.h>

#define COLUMNS 70
#define ROWS 45
#define COUNT (COLUMNS * ROWS)

static test_random generator;

static double uniform(double low, double high) {
    return test_random_between(&generator, low, high);
}

/// A kind of file, and whether it is read without GDAL.
typedef struct tiff_case {
    const char *what;
    GDALDataType type;
    const char *crs;
    const char *options[5];
    double nodata; ///< infinite: none
    const char *unit;
    bool point, scale, overviews, mask;
    bool plain;
} tiff_case;

#define UTM "EPSG:32633"
#define LOCAL "LOCAL_CS[\"site\",UNIT[\"metre\",1]]"

static const tiff_case cases[] = {
    {"floats in strips", GDT_Float32, UTM, {NULL}, INFINITY, .plain = true},
    {"tiles",
     GDT_Float32,
     "EPSG:25832",
     {"TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=16"},
     -9999,
     .unit = "m",
     .plain = true},
    {"deflate", GDT_Float32, "EPSG:26910", {"COMPRESS=DEFLATE"}, (double)NAN, .plain = true},
    {"deflate, predictor 3",
     GDT_Float32,
     UTM,
     {"COMPRESS=DEFLATE", "PREDICTOR=3", "TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=32"},
     -0.1,
     .plain = true},
    {"doubles", GDT_Float64, LOCAL, {"COMPRESS=DEFLATE", "PREDICTOR=3"}, -9999, .plain = true},
    {"integers",
     GDT_Int16,
     "EPSG:4326",
     {"COMPRESS=DEFLATE", "PREDICTOR=2", "BLOCKYSIZE=7"},
     -32768,
     .plain = true},
    {"points", GDT_Int16, "EPSG:4326", {NULL}, -9999, .point = true, .plain = true},
    {"unsigned", GDT_UInt16, "EPSG:32733", {"TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"}, 0, .plain = true},
    {"BigTIFF", GDT_Float32, UTM, {"BIGTIFF=YES", "COMPRESS=DEFLATE"}, INFINITY, .plain = true},
    {"overviews",
     GDT_Float32,
     UTM,
     {"TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"},
     INFINITY,
     .overviews = true,
     .plain = true},
    {"feet", GDT_Float32, UTM, {NULL}, INFINITY, .unit = "US survey foot", .plain = true},
    {"big-endian", GDT_Float32, UTM, {"ENDIANNESS=BIG"}, INFINITY, .plain = false},
    {"LZW", GDT_Int16, UTM, {"COMPRESS=LZW"}, INFINITY, .plain = false},
    {"degrees of another datum", GDT_Float32, "EPSG:4269", {NULL}, INFINITY, .plain = false},
    {"another system", GDT_Float32, "EPSG:3006", {NULL}, INFINITY, .plain = false},
    {"heights of the CRS", GDT_Float32, "EPSG:32633+5773", {NULL}, INFINITY, .plain = false},
    {"no system", GDT_Float32, NULL, {NULL}, INFINITY, .plain = true},
    {"no system, points", GDT_Float32, NULL, {NULL}, INFINITY, .point = true, .plain = false},
    {"scale", GDT_Int16, UTM, {NULL}, INFINITY, .scale = true},
    {"mask", GDT_Float32, UTM, {NULL}, INFINITY, .mask = true},
    {"bytes", GDT_Byte, UTM, {NULL}, 255, .plain = false},
    {"long integers", GDT_Int32, UTM, {NULL}, INFINITY, .plain = false},
    {"sparse",
     GDT_Float32,
     UTM,
     {"SPARSE_OK=TRUE", "TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"},
     INFINITY,
     .plain = false},
    {"nodata of no integer", GDT_Int16, UTM, {NULL}, 0.5, .plain = false},
};
#define CASES (sizeof cases / sizeof *cases)

static const char *write_case(const tiff_case *of) {
    double values[COUNT];
    raster_plan plan = raster_plan_of(COLUMNS, ROWS);
    const char *path = test_path("case.tif");
    char **options = NULL;
    for (int i = 0; i < 5 && of->options[i]; i++)
        options = CSLAddString(options, of->options[i]);
    bool sparse = CSLFetchNameValue(options, "SPARSE_OK") != NULL;
    plan.type = of->type;
    plan.crs = of->crs;
    plan.options = (const char *const *)options;
    bool degrees = of->crs && (strstr(of->crs, ":42") || strstr(of->crs, ":43"));
    if (degrees)
        memcpy(plan.place, (const double[6]){10.5, 1.0 / 1200, 0, 47.25, 0, -1.0 / 1200}, sizeof plan.place);
    CPLSetConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES");
    GDALDatasetH data = raster_new(path, &plan);
    for (int i = 0; i < COUNT; i++)
        values[i] =
            floor(uniform(0, 200)) + (of->type == GDT_Float32 || of->type == GDT_Float64 ? uniform(0, 1) : 0);
    if (isfinite(of->nodata) || isnan(of->nodata)) {
        GDALSetRasterNoDataValue(GDALGetRasterBand(data, 1), of->nodata);
        for (int i = 0; i < COUNT; i += 97)
            values[i] = of->nodata;
    }
    if (of->unit)
        GDALSetRasterUnitType(GDALGetRasterBand(data, 1), of->unit);
    if (of->point)
        GDALSetMetadataItem(data, "AREA_OR_POINT", "Point", NULL);
    if (of->scale)
        GDALSetRasterScale(GDALGetRasterBand(data, 1), 0.5);
    if (sparse)
        for (int y = 0; y < 16; y++)
            assert_int_equal(GDALRasterIO(GDALGetRasterBand(data, 1), GF_Write, 0, y, 16, 1, values, 16, 1,
                                          GDT_Float64, 0, 0),
                             CE_None);
    else
        raster_fill(data, 1, values);
    if (of->mask) {
        uint8_t seen[COUNT];
        memset(seen, 255, sizeof seen);
        seen[5] = 0;
        assert_int_equal(GDALCreateMaskBand(GDALGetRasterBand(data, 1), GMF_PER_DATASET), CE_None);
        assert_int_equal(GDALRasterIO(GDALGetMaskBand(GDALGetRasterBand(data, 1)), GF_Write, 0, 0, COLUMNS,
                                      ROWS, seen, COLUMNS, ROWS, GDT_Byte, 0, 0),
                         CE_None);
    }
    if (of->overviews)
        assert_int_equal(GDALBuildOverviews(data, "NEAREST", 2, (const int[]){2, 4}, 0, NULL, NULL, NULL),
                         CE_None);
    GDALClose(data);
    CSLDestroy(options);
    return path;
}

static bool same_crs(const char *a, const char *b) {
    if (!a || !b)
        return a == b;
    OGRSpatialReferenceH one = OSRNewSpatialReference(NULL), two = OSRNewSpatialReference(NULL);
    assert_int_equal(OSRSetFromUserInput(one, a), OGRERR_NONE);
    assert_int_equal(OSRSetFromUserInput(two, b), OGRERR_NONE);
    bool same = OSRIsSame(one, two);
    OSRDestroySpatialReference(two);
    OSRDestroySpatialReference(one);
    return same;
}

static void same_bytes(const char *what, const char *part, const void *a, const void *b, size_t size) {
    if (memcmp(a, b, size) != 0)
        fail_msg("%s: its %s differ", what, part);
}

static void same_rasters(const char *what, const lf_raster *a, const lf_raster *b) {
    lf_raster_info one = lf_raster_describe(a), two = lf_raster_describe(b);
    lf_grid_def first = lf_raster_grid_def(a), second = lf_raster_grid_def(b);
    lf_pixels p = lf_raster_pixels(a), q = lf_raster_pixels(b);
    assert_string_equal(one.format, two.format);
    assert_string_equal(one.stored, two.stored);
    if (!same_crs(one.crs, two.crs))
        fail_msg("%s: %s and %s", what, one.crs ? one.crs : "none", two.crs ? two.crs : "none");
    if (one.band != two.band || one.band_count != two.band_count || one.georeferenced != two.georeferenced ||
        one.point != two.point || one.kind != two.kind || one.masked != two.masked ||
        one.z_unit_known != two.z_unit_known)
        fail_msg("%s: placed %d %d, points %d %d, kind %d %d, masked %d %d, unit %d %d", what,
                 one.georeferenced, two.georeferenced, one.point, two.point, (int)one.kind, (int)two.kind,
                 one.masked, two.masked, one.z_unit_known, two.z_unit_known);
    same_bytes(what, "ellipsoids", &one.ellipsoid, &two.ellipsoid, sizeof one.ellipsoid);
    assert_true(one.xy_unit == two.xy_unit && one.z_unit == two.z_unit);
    same_bytes(what, "geotransforms", &first.geotransform, &second.geotransform, sizeof first.geotransform);
    same_bytes(what, "places", p.geotransform, q.geotransform, sizeof p.geotransform);
    same_bytes(what, "windows", &p.window, &q.window, sizeof p.window);
    assert_true(p.columns == q.columns && p.rows == q.rows && p.transposed == q.transposed &&
                p.flip_columns == q.flip_columns && p.flip_rows == q.flip_rows &&
                p.nodata_given == q.nodata_given);
    if (p.nodata_given && p.nodata != q.nodata && !(isnan(p.nodata) && isnan(q.nodata)))
        fail_msg("%s: nodata %.17g and %.17g", what, p.nodata, q.nodata);
    assert_true(
        first.samples.type == second.samples.type && first.samples.columns == second.samples.columns &&
        first.samples.rows == second.samples.rows && first.samples.scale == second.samples.scale &&
        first.samples.offset == second.samples.offset && first.samples.row_step == second.samples.row_step);
    assert_true(first.samples.nodata == second.samples.nodata ||
                (isnan(first.samples.nodata) && isnan(second.samples.nodata)));
    if (!first.partial)
        same_bytes(what, "samples", first.samples.values, second.samples.values,
                   (size_t)first.samples.rows * (size_t)first.samples.row_step);
}

static void read_both_ways(const char *what, const char *path, lf_raster_def def) {
    lf_raster *by_gdal = raster_read(path, &def);
    def.crs_code = true;
    lf_raster *without = raster_read(path, &def);
    same_rasters(what, by_gdal, without);
    lf_raster_close(without);
    lf_raster_close(by_gdal);
}

static void files_are_read_as_gdal_reads_them(void **state) {
    (void)state;
    for (size_t k = 0; k < CASES; k++) {
        lf__geotiff tiff;
        lf_raster_def def = lf_raster_def_default();
        const char *path = write_case(&cases[k]);
        bool plain = lf__geotiff_open(path, &tiff);
        lf__geotiff_close(&tiff);
        if (plain != cases[k].plain)
            fail_msg("%s: is %sread without GDAL", cases[k].what, plain ? "" : "not ");
        read_both_ways(cases[k].what, path, def);
        for (int i = 0; i < 20; i++) {
            def.window.column = (int64_t)uniform(0, COLUMNS - 2);
            def.window.row = (int64_t)uniform(0, ROWS - 2);
            def.window.columns = 2 + (int64_t)uniform(0, (double)(COLUMNS - 1 - def.window.column));
            def.window.rows = 2 + (int64_t)uniform(0, (double)(ROWS - 1 - def.window.row));
            read_both_ways(cases[k].what, path, def);
        }
    }
}

/// What GDAL finds beside a file overrules the file.
static void files_beside_are_for_gdal(void **state) {
    (void)state;
    lf__geotiff tiff;
    const char *path = write_case(&cases[0]);
    GDALDatasetH data = GDALOpen(path, GA_ReadOnly);
    GDALSetRasterNoDataValue(GDALGetRasterBand(data, 1), 7);
    GDALClose(data);
    assert_true(test_file_exists("case.tif.aux.xml"));
    assert_false(lf__geotiff_open(path, &tiff));
    read_both_ways("a file beside", path, lf_raster_def_default());
    assert_int_equal(remove(test_path("case.tif.aux.xml")), 0);
}

static void real_files(void **state) {
    (void)state;
    static const char *const names[] = {"dem/elev.tif", "dem/volcano.tif", "dem/mt_everest_90m.tif",
                                        "dem/N57E011.hgt", "dem/N44W072.hgt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = test_data(names[i]);
        if (path)
            read_both_ways(names[i], path, lf_raster_def_default());
    }
}

/// Write a square of so many samples with some voids.
static const char *write_hgt(const char *name, int side, size_t bytes) {
    static uint8_t samples[2 * 1201 * 1201 + 2];
    for (int i = 0; i < side * side; i++) {
        int height = i % 331 == 7 ? INT16_MIN : (int)uniform(-500, 9000);
        samples[2 * i] = (uint8_t)((unsigned)height >> 8);
        samples[2 * i + 1] = (uint8_t)height;
    }
    const char *path = test_path(name);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(samples, 1, bytes, file), bytes);
    fclose(file);
    return path;
}

static void tiles_of_srtm(void **state) {
    (void)state;
    static const char *const names[] = {"N10W020.hgt", "S05E100.hgt", "N00E000.hgt", "S56W072.hgt"};
    static const char *const others[] = {"N10W02.hgt", "N1xW020.hgt", "X10W020.hgt", "N10W020.raw",
                                         "N95W020.hgt"};
    const size_t whole = (size_t)2 * 1201 * 1201;
    lf__geotiff tiff;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *path = write_hgt(names[k], 1201, whole);
        assert_true(lf__plain_open(path, &tiff));
        lf__geotiff_close(&tiff);
        lf_raster_def def = lf_raster_def_default();
        read_both_ways(names[k], path, def);
        for (int i = 0; i < 20; i++) {
            def.window.column = (int64_t)uniform(0, 1199);
            def.window.row = (int64_t)uniform(0, 1199);
            def.window.columns = 2 + (int64_t)uniform(0, (double)(1200 - def.window.column));
            def.window.rows = 2 + (int64_t)uniform(0, (double)(1200 - def.window.row));
            read_both_ways(names[k], path, def);
        }
    }
    // Other names and sizes are for GDAL, and what is beside a file too.
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        assert_false(lf__plain_open(write_hgt(others[k], 1201, whole), &tiff));
    assert_false(lf__plain_open(write_hgt(names[0], 1201, whole - 2), &tiff));
    assert_false(lf__plain_open(write_hgt(names[0], 1201, whole + 2), &tiff));
    assert_false(lf__plain_open(test_path("N44E044.hgt"), &tiff));
    write_hgt(names[0], 1201, whole);
    fclose(fopen(test_path("N10W020.hgt.aux.xml"), "wb"));
    assert_false(lf__plain_open(test_path(names[0]), &tiff));
    assert_int_equal(remove(test_path("N10W020.hgt.aux.xml")), 0);
}

/// Whether all samples of a file can be read without GDAL.
static bool read_whole(const char *path) {
    lf__geotiff tiff;
    if (!lf__geotiff_open(path, &tiff))
        return false;
    char *samples = malloc((size_t)(tiff.columns * tiff.rows * tiff.item));
    const lf__geotiff_target target = {samples, tiff.item, tiff.columns * tiff.item};
    bool whole = lf__geotiff_read(&tiff, &(lf_window){0, 0, tiff.columns, tiff.rows}, &target);
    free(samples);
    lf__geotiff_close(&tiff);
    return whole;
}

/// Damaged files: with and without GDAL they are refused alike, or have the same samples.
static void damaged_files(void **state) {
    (void)state;
    static char bytes[65536], damaged[65536];
    int both = 0, refused = 0;
    for (size_t k = 0; k < CASES; k++) {
        if (!cases[k].plain)
            continue;
        FILE *file = fopen(write_case(&cases[k]), "rb");
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        for (int i = 0; i < (test_long() ? 1000 : 60); i++) {
            size_t kept = i % 4 ? size : (size_t)uniform(0, (double)size);
            memcpy(damaged, bytes, size);
            // Most damage is done to the directory, which is at the beginning of these files.
            for (int n = 0; n < 1 + i % 3 && i % 4; n++)
                damaged[(size_t)uniform(0, i % 2 ? (double)size : 1000)] = (char)(int)uniform(0, 256);
            file = fopen(test_path("damaged.tif"), "wb");
            fwrite(damaged, 1, kept, file);
            fclose(file);
            lf_raster_def def = lf_raster_def_default();
            lf_raster *one = NULL, *two = NULL;
            lf_status by_gdal = lf_raster_read(test_path("damaged.tif"), &def, &one, NULL);
            def.crs_code = true;
            lf_status without = lf_raster_read(test_path("damaged.tif"), &def, &two, NULL);
            if (by_gdal != without)
                fail_msg("%s, file %d: %s by GDAL, %s without", cases[k].what, i, lf_status_text(by_gdal),
                         lf_status_text(without));
            // Of blocks of a wrong size GDAL's memory may hold anything.
            if (by_gdal == LF_OK && read_whole(test_path("damaged.tif")))
                same_rasters(cases[k].what, one, two);
            both += by_gdal == LF_OK;
            refused += by_gdal != LF_OK;
            lf_raster_close(two);
            lf_raster_close(one);
        }
    }
    assert_true(both > 20 && refused > 20);
}

/// What GDAL says about a file.
static void same_files(const char *what, const char *a, const char *b) {
    GDALDatasetH one = GDALOpen(a, GA_ReadOnly), two = GDALOpen(b, GA_ReadOnly);
    double p[6] = {0}, q[6] = {0};
    int first_has = 0, second_has = 0;
    assert_true(one && two);
    GDALRasterBandH first = GDALGetRasterBand(one, 1), second = GDALGetRasterBand(two, 1);
    OGRSpatialReferenceH s = GDALGetSpatialRef(one), t = GDALGetSpatialRef(two);
    assert_true((s != NULL) == (t != NULL));
    char *p_text = NULL, *q_text = NULL;
    if (s) {
        assert_int_equal(OSRExportToWkt(s, &p_text), OGRERR_NONE);
        assert_int_equal(OSRExportToWkt(t, &q_text), OGRERR_NONE);
        if (strcmp(p_text, q_text) != 0)
            fail_msg("%s: %s and %s", what, p_text, q_text);
    }
    CPLFree(q_text);
    CPLFree(p_text);
    assert_int_equal(GDALGetGeoTransform(one, p), GDALGetGeoTransform(two, q));
    assert_memory_equal(p, q, sizeof p);
    assert_int_equal(GDALGetRasterXSize(one), GDALGetRasterXSize(two));
    assert_int_equal(GDALGetRasterYSize(one), GDALGetRasterYSize(two));
    assert_int_equal(GDALGetRasterDataType(first), GDALGetRasterDataType(second));
    double none = GDALGetRasterNoDataValue(first, &first_has),
           other = GDALGetRasterNoDataValue(second, &second_has);
    assert_true((none == other || (isnan(none) && isnan(other))) && first_has == second_has);
    assert_string_equal(GDALGetRasterUnitType(first), GDALGetRasterUnitType(second));
    assert_string_equal(GDALGetDescription(first), GDALGetDescription(second));
    char **items = GDALGetMetadata(one, NULL), **others = GDALGetMetadata(two, NULL);
    assert_int_equal(CSLCount(items), CSLCount(others));
    for (int i = 0; items[i]; i++)
        if (CSLFindStringCaseSensitive(others, items[i]) < 0)
            fail_msg("%s: lacks %s", what, items[i]);
    int count = GDALGetRasterXSize(one) * GDALGetRasterYSize(one);
    uint8_t *m = malloc((size_t)count), *n = malloc((size_t)count);
    for (int k = 0; k < 2; k++)
        assert_int_equal(GDALRasterIO(k ? second : first, GF_Read, 0, 0, GDALGetRasterXSize(one),
                                      GDALGetRasterYSize(one), k ? n : m, GDALGetRasterXSize(one),
                                      GDALGetRasterYSize(one), GDT_Byte, 0, 0),
                         CE_None);
    same_bytes(what, "pixels", m, n, (size_t)count);
    free(n);
    free(m);
    GDALClose(two);
    GDALClose(one);
}

static void results_are_as_gdal_writes_them(void **state) {
    (void)state;
    static const char *const metadata[] = {"LANDFALL_MODE=visible", "NOTE=a < b & \"c\" > d"};
    static const char *const names[] = {"seen & hidden"};
    static const char *const usual[] = {"TILED=YES", "COMPRESS=PACKBITS"};
    for (size_t k = 0; k < CASES; k++) {
        // Of one tile, and of several with parts of tiles at their ends.
        static uint8_t values[COUNT];
        lf_raster_def def = lf_raster_def_default();
        lf_result_def result = lf_result_def_default();
        lf_error error = {0};
        def.crs_code = k % 2;
        lf_raster *raster = raster_read(write_case(&cases[k]), &def);
        for (int i = 0; i < COUNT; i++)
            values[i] = uniform(0, 1) < 0.7 && i > 0 ? values[i - 1] : (uint8_t)uniform(0, 256);
        result.values = values;
        result.nodata_given = k % 3 > 0;
        result.nodata = 255;
        result.unit = k % 3 == 1 ? "m" : NULL;
        result.metadata = metadata;
        result.metadata_count = (int64_t)(k % 3);
        result.band_names = k % 4 == 1 ? names : NULL;
        if (k % 5 == 4)
            result.window = (lf_window){3, 4, 20, 30};
        if (lf_result_write(test_path("without.tif"), raster, &result, &error) != LF_OK)
            fail_msg("%s", error.text);
        result.options = usual;
        result.option_count = 2;
        if (lf_result_write(test_path("with.tif"), raster, &result, &error) != LF_OK)
            fail_msg("%s", error.text);
        same_files(cases[k].what, test_path("with.tif"), test_path("without.tif"));
        lf_raster_close(raster);
    }
}

/// Enough pixels for several threads, in tiles and strips whose rows are read one by one or with their block.
static void large_files_on_threads(void **state) {
    (void)state;
    static const char *const forms[][5] = {{NULL},
                                           {"BLOCKYSIZE=64", NULL},
                                           {"TILED=YES", NULL},
                                           {"TILED=YES", "BLOCKXSIZE=512", "BLOCKYSIZE=1024", NULL},
                                           {"TILED=YES", "BLOCKXSIZE=2064", "BLOCKYSIZE=16", NULL},
                                           {"TILED=YES", "COMPRESS=DEFLATE", NULL}};
    const int columns = 2300, rows = 700, count = columns * rows;
    double *values = malloc((size_t)count * sizeof *values);
    for (int i = 0; i < count; i++)
        values[i] = floor(uniform(0, 30000));
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        raster_plan plan = raster_plan_of(columns, rows);
        const char *path = test_path("large.tif");
        plan.type = k % 2 ? GDT_Int16 : GDT_Float32;
        plan.crs = UTM;
        plan.options = forms[k];
        GDALDatasetH data = raster_new(path, &plan);
        raster_fill(data, 1, values);
        GDALClose(data);
        lf_raster_def def = lf_raster_def_default();
        lf_tasks tasks = test_tasks(3);
        for (int threads = 1; threads < 4; threads += 2) {
            def.host.tasks = threads > 1 ? &tasks : NULL;
            def.window = (lf_window){0, 0, 0, 0};
            read_both_ways(forms[k][0], path, def);
            def.window = (lf_window){13, 7, columns - 40, rows - 30};
            read_both_ways(forms[k][0], path, def);
        }
    }
    free(values);
}

/// Several tiles, with runs of all lengths.
static void results_of_many_tiles(void **state) {
    (void)state;
    int64_t columns = 700, rows = 530;
    uint8_t *values = malloc((size_t)(columns * rows));
    lf_result_def result = lf_result_def_default();
    lf_raster_def def = lf_raster_def_default();
    for (int64_t i = 0, left = 0; i < columns * rows; i++, left--) {
        if (left <= 0)
            left = 1 + (int64_t)uniform(0, i % 3 ? 4 : i % 5 ? 400 : 4000); // also whole rows of tiles
        values[i] = left > 1 && i > 0 ? values[i - 1] : (uint8_t)uniform(0, 256);
    }
    def.nodata_given = true;
    result.values = values;
    result.lattice = (lf_lattice){{{100, 200}, {10, 0}, {0, 10}}, columns, rows};
    lf_error error = {0};
    if (lf_result_write(test_path("many.tif"), NULL, &result, &error) != LF_OK)
        fail_msg("%s", error.text);
    lf_raster *raster = raster_read(test_path("many.tif"), &def);
    lf_samples samples = lf_raster_grid_def(raster).samples;
    for (int64_t j = 0; j < rows; j++)
        for (int64_t i = 0; i < columns; i++)
            assert_true(raster_sample(&samples, i, j) == values[j * columns + i]);
    lf_raster_close(raster);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_as_gdal_reads_them),
        cmocka_unit_test(files_beside_are_for_gdal),
        cmocka_unit_test(real_files),
        cmocka_unit_test(tiles_of_srtm),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(results_are_as_gdal_writes_them),
        cmocka_unit_test(results_of_many_tiles),
        cmocka_unit_test(large_files_on_threads),
    };
    generator = test_random_start(4326);
    return cmocka_run_group_tests(tests, raster_folder, test_folder_remove);
}
