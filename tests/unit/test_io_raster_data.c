/// Every raster of the real data loads as it should, or is refused with a message; found through LANDFALL_DATA.
#include "rasters.h"
#include "real_rasters.h"
#include <cpl_conv.h>
#include <cpl_string.h>

#define FOOT 0.3048

/// What is known of a file that is ground.
typedef struct expected {
    const char *name;
    int64_t columns, rows;
    lf_crs_kind kind;
    int64_t holes;
    double low, high; ///< to nine digits
} expected;

static const expected files[] = {
    {"N42E001.hgt.zip", 1201, 1201, LF_CRS_DEGREES, 7652, 349, 3100},
    {"N43E007.hgt.zip", 1201, 1201, LF_CRS_DEGREES, 1595, -11, 2064},
    {"N44W072.hgt", 1201, 1201, LF_CRS_DEGREES, 0, 115, 1908},
    {"N48W125.hgt.zip", 3601, 3601, LF_CRS_DEGREES, 6483876, -13, 1095},
    {"N57E011.hgt", 1201, 1201, LF_CRS_DEGREES, 0, -6, 163},
    {"S29W072.hgt.zip", 1201, 1201, LF_CRS_DEGREES, 21, -5, 1899},
    {"elev.tif", 95, 90, LF_CRS_DEGREES, 3942, 141, 547},
    {"gdal-autotest/dem10.img", 87, 210, LF_CRS_PROJECTED, 0, 0, 9},
    {"gdal-autotest/n43.dt0", 121, 121, LF_CRS_DEGREES, 0, 75, 460},
    {"gdal-autotest/n43.tif", 121, 121, LF_CRS_DEGREES, 0, 75, 460},
    {"gdal-autotest/n43_partial_cols.dt0", 121, 121, LF_CRS_DEGREES, 14399, 0, 0},
    {"gdal-autotest/n43_sparse_cols.dt0", 121, 121, LF_CRS_DEGREES, 14399, 0, 0},
    {"gdal-autotest/nwt_grd.grd", 63, 47, LF_CRS_PROJECTED, 381, 412.497803, 1637.00232},
    {"gdal-autotest/record_1025_ending_with_linefeed.dem", 1024, 3, LF_CRS_PROJECTED, 1024, 90, 206},
    {"gdal-autotest/sombrero.grd", 101, 101, LF_CRS_NONE, 0, -0.675758719, 1},
    {"gdal-autotest/ter6test.ter", 64, 96, LF_CRS_ENGINEERING, 0, 11.3847 * FOOT, 96.7221 * FOOT},
    {"gdal-autotest/warp_52_dem.tif", 122, 122, LF_CRS_PROJECTED, 0, 1360, 2982},
    {"gdal-autotest/withnodata.asc", 2, 2, LF_CRS_NONE, 1, 0, 0},
    {"grass-elevation/elevation.asc", 150, 135, LF_CRS_NONE, 0, 56.1364937, 156.22171},
    {"grass-elevation/elevation.nc", 150, 135, LF_CRS_PROJECTED, 0, 56.1364937, 156.22171},
    {"grass-elevation/elevation.tif", 150, 135, LF_CRS_PROJECTED, 0, 56.1364937, 156.22171},
    {"gz-common/dem_landscape.tif", 200, 125, LF_CRS_DEGREES, 0, -4.73246861, 921.44812},
    {"gz-common/dem_moon.tif", 33, 33, LF_CRS_PROJECTED, 0, -212.296158, -205.440094},
    {"gz-common/dem_nodata.dem", 65, 65, LF_CRS_PROJECTED, 96, 682, 2932},
    {"gz-common/dem_nodata_nan.nc", 53, 75, LF_CRS_PROJECTED, 103, 682, 2932},
    {"gz-common/dem_portrait.tif", 125, 200, LF_CRS_DEGREES, 0, -6.26333523, 920.762939},
    {"gz-common/dem_squared.tif", 129, 129, LF_CRS_DEGREES, 0, 65.3582916, 318.441132},
    {"gz-common/dem_unfinished.tif", 33, 33, LF_CRS_DEGREES, 0, -32768, 1909},
    {"gz-common/grayscale_16bit.png", 4, 4, LF_CRS_NONE, 0, 24779, 55521},
    {"gz-common/heightmap_bowl.png", 129, 129, LF_CRS_NONE, 0, 0, 254},
    {"gz-common/volcano.tif", 129, 129, LF_CRS_PROJECTED, 0, 0, 8340},
    {"landlab-asc/DEM-kootenai_37x50_1x1.asc", 50, 37, LF_CRS_NONE, 0, 537.359985, 543.809998},
    {"landlab-asc/SRTMGL3_40.09_-105.56_40.209999999999994_-105.44.asc", 144, 144, LF_CRS_NONE, 0, 2186,
     3345},
    {"landlab-asc/Square_TestBasin.asc", 200, 200, LF_CRS_NONE, 0, -9999, 230.270645},
    {"landlab-asc/hugo_site.asc", 76, 55, LF_CRS_NONE, 2028, 1660, 1711},
    {"landlab-asc/pre_runout_DEM.asc", 80, 122, LF_CRS_NONE, 122, 189.028107, 582.384583},
    {"landlab-asc/west_bijou_gully.asc", 43, 89, LF_CRS_NONE, 2739, 1680.77942, 1725.43262},
    {"landlab-asc/zSW3.asc", 300, 452, LF_CRS_NONE, 35152, -2.60934711, 8.46137619},
    {"lerc/california_400_400_1_float.lerc2", 400, 400, LF_CRS_NONE, 101491, -82.9720917, 4080.61377},
    {"matplotlib/jacksboro_fault_dem.tif", 403, 344, LF_CRS_DEGREES, 0, 236, 1076},
    {"matplotlib/topobathy.tif", 120, 91, LF_CRS_DEGREES, 0, -1437, 2205},
    {"mt_everest_90m.tif", 1201, 1201, LF_CRS_DEGREES, 130953, 192, 8642},
    {"rio-rgbify/elev-rgb.tif", 512, 512, LF_CRS_PROJECTED, 0, 0.436, 114.92},
    {"rio-rgbify/elev.tif", 512, 512, LF_CRS_PROJECTED, 0, 0.43601042, 114.920891},
    {"volcano.tif", 61, 87, LF_CRS_NONE, 0, 94, 195},
    {"vtk-sthelens/SainteHelens.dem", 327, 468, LF_CRS_PROJECTED, 4151, 682, 2543},
    {"vtk-sthelens/SainteHelens.tif", 327, 468, LF_CRS_PROJECTED, 4151, 682, 2543},
};

#define FILE_COUNT (sizeof files / sizeof *files)

static double height_of(const lf_samples *samples, int64_t column, int64_t row) {
    return raster_sample(samples, column, row) * samples->scale + samples->offset;
}

static bool near_enough(double a, double b) {
    return fabs(a - b) <= 1e-6 * fmax(1, fabs(b));
}

static void check_file(const expected *file, const lf_raster *raster) {
    lf_samples samples = lf_raster_grid_def(raster).samples;
    int64_t holes = 0;
    double low = INFINITY, high = -INFINITY;
    for (int64_t j = 0; j < samples.rows; j++)
        for (int64_t i = 0; i < samples.columns; i++) {
            if (raster_hole(&samples, i, j)) {
                holes++;
                continue;
            }
            double h = height_of(&samples, i, j);
            low = fmin(low, h);
            high = fmax(high, h);
        }
    lf_crs_kind kind = lf_raster_describe(raster).kind;
    if (samples.columns != file->columns || samples.rows != file->rows || kind != file->kind ||
        holes != file->holes || !near_enough(low, file->low) || !near_enough(high, file->high))
        fail_msg("%s: %lld x %lld, %s, %lld holes, %.9g to %.9g", file->name, (long long)samples.columns,
                 (long long)samples.rows, lf_crs_kind_name(kind), (long long)holes, low, high);
}

/// The samples of a window in the middle are GDAL's own pixels: value, place and hole.
static void check_window(const char *path, const real_raster_odd *other, const lf_raster *raster) {
    GDALDatasetH data = GDALOpen(path, GA_ReadOnly);
    lf_grid_def def = lf_raster_grid_def(raster);
    lf_raster_info info = lf_raster_describe(raster);
    double place[6];
    int wide = GDALGetRasterXSize(data), high = GDALGetRasterYSize(data);
    GDALRasterBandH band = GDALGetRasterBand(data, info.band ? info.band : 1);
    if (!info.georeferenced || (other && (other->encoding != LF_ENCODING_NONE || other->nodata_zero))) {
        GDALClose(data);
        return;
    }
    GDALGetGeoTransform(data, place);
    for (int y = high / 2 - 1; y < high / 2 + 19 && y < high; y++)
        for (int x = wide / 2 - 1; x < wide / 2 + 19 && x < wide; x++) {
            double value, east, north;
            uint8_t seen;
            int64_t column, row;
            GDALApplyGeoTransform(place, x + 0.5, y + 0.5, &east, &north);
            raster_locate(&def, east * info.xy_unit, north * info.xy_unit, &column, &row);
            assert_int_equal(GDALRasterIO(band, GF_Read, x, y, 1, 1, &value, 1, 1, GDT_Float64, 0, 0),
                             CE_None);
            assert_int_equal(
                GDALRasterIO(GDALGetMaskBand(band), GF_Read, x, y, 1, 1, &seen, 1, 1, GDT_Byte, 0, 0),
                CE_None);
            assert_true(raster_hole(&def.samples, column, row) == (seen == 0));
            assert_true(seen == 0 || raster_sample(&def.samples, column, row) == value);
        }
    GDALClose(data);
}

static void every_raster_loads(void **state) {
    (void)state;
    for (size_t i = 0; i < FILE_COUNT; i++) {
        const real_raster_odd *other = real_raster_odd_of(files[i].name);
        lf_raster_def def = real_raster_def(other);
        const char *path = real_raster_path(files[i].name);
        if (!path)
            return;
        lf_raster *raster = raster_read(path, &def);
        check_file(&files[i], raster);
        check_window(path, other, raster);
        lf_raster_close(raster);
    }
}

static void or_is_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < REAL_RASTER_ODD; i++) {
        lf_raster_def def = lf_raster_def_default();
        const char *path = real_raster_path(real_raster_odds[i].name);
        if (path)
            raster_refused(path, &def, LF_BAD_FORMAT, real_raster_odds[i].words);
    }
}

/// Nothing in the folder is missing from the table.
static void look_up(const char *name, void *user) {
    int *unknown = user;
    bool known = real_raster_odd_of(name) != NULL;
    for (size_t i = 0; i < FILE_COUNT; i++)
        known |= strcmp(files[i].name, name) == 0;
    if (!known)
        print_error("%s is not in the table\n", name);
    *unknown += !known;
}

static void the_table_is_complete(void **state) {
    (void)state;
    int unknown = 0;
    if (real_rasters_each(look_up, &unknown))
        assert_int_equal(unknown, 0);
}

static void three_copies_are_equal(void **state) {
    (void)state;
    static const char *const names[] = {"asc", "nc", "tif"};
    lf_raster *rasters[3];
    lf_raster_def def = lf_raster_def_default();
    for (int i = 0; i < 3; i++) {
        char relative[64];
        snprintf(relative, sizeof relative, "dem/grass-elevation/elevation.%s", names[i]);
        const char *path = test_data(relative);
        if (!path)
            return;
        rasters[i] = raster_read(path, &def);
    }
    lf_grid_def first = lf_raster_grid_def(rasters[0]);
    for (int i = 1; i < 3; i++) {
        lf_grid_def other = lf_raster_grid_def(rasters[i]);
        assert_memory_equal(&first.geotransform, &other.geotransform, sizeof first.geotransform);
        assert_int_equal(first.samples.type, other.samples.type);
        assert_memory_equal(first.samples.values, other.samples.values, 150 * 135 * sizeof(float));
    }
    for (int i = 0; i < 3; i++)
        lf_raster_close(rasters[i]);
}

/// The harbour of Gothenburg; and longitudes beyond 180 stay what they are.
static void places_that_are_known(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default();
    int64_t column, row;
    const char *path = real_raster_path("N57E011.hgt");
    if (!path)
        return;
    lf_raster *raster = raster_read(path, &def);
    lf_grid_def grid = lf_raster_grid_def(raster);
    raster_locate(&grid, 11.9, 57.7, &column, &row);
    assert_true(height_of(&grid.samples, column, row) == 13);
    lf_raster_close(raster);
    raster = raster_read(real_raster_path("matplotlib/topobathy.tif"), &def);
    grid = lf_raster_grid_def(raster);
    assert_true(grid.geotransform.origin.x > 234 && grid.geotransform.origin.x < 234.1);
    lf_raster_close(raster);
}

static void coded_heights_are_the_plain_ones(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default();
    const char *path = real_raster_path("rio-rgbify/elev.tif");
    if (!path)
        return;
    lf_raster *plain = raster_read(path, &def);
    def.encoding = LF_ENCODING_TERRAIN_RGB;
    def.z_scale = 0.01;
    lf_raster *coded = raster_read(real_raster_path("rio-rgbify/elev-rgb.tif"), &def);
    lf_samples a = lf_raster_grid_def(plain).samples, b = lf_raster_grid_def(coded).samples;
    for (int64_t j = 0; j < a.rows; j++)
        for (int64_t i = 0; i < a.columns; i++)
            assert_true(fabs(height_of(&a, i, j) - height_of(&b, i, j)) < 0.0011);
    lf_raster_close(coded);
    lf_raster_close(plain);
}

/// What is doubtful is said.
static void doubts_are_said(void **state) {
    (void)state;
    static const char *const doubts[][2] = {
        {"gz-common/dem_unfinished.tif", "282 samples are -32768, as if that were nodata"},
        {"landlab-asc/Square_TestBasin.asc", "799 samples are -9999"},
        {"landlab-asc/SRTMGL3_40.09_-105.56_40.209999999999994_-105.44.asc", "look like degrees"},
        {"volcano.tif", "does not say where it is"},
    };
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        lf_raster_def def = lf_raster_def_default();
        const char *path = real_raster_path(doubts[i][0]);
        heard heard;
        if (!path)
            return;
        heard_start(&heard);
        def.host.log = &heard.log;
        lf_raster *raster = raster_read(path, &def);
        assert_non_null(strstr(heard.text, doubts[i][1]));
        lf_raster_close(raster);
    }
}

static void globes_are_degrees(void **state) {
    (void)state;
    static const char *const names[] = {"globe/etopo60.cdf", "globe/ETOPO1_Ice_g_geotiff.resampled-1deg.tif"};
    for (int i = 0; i < 2; i++) {
        lf_raster_def def = lf_raster_def_default();
        const char *path = test_data(names[i]);
        if (!path)
            return;
        lf_raster *raster = raster_read(path, &def);
        assert_int_equal(lf_raster_describe(raster).kind, LF_CRS_DEGREES);
        lf_raster_close(raster);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_raster_loads),    cmocka_unit_test(or_is_refused),
        cmocka_unit_test(the_table_is_complete), cmocka_unit_test(three_copies_are_equal),
        cmocka_unit_test(places_that_are_known), cmocka_unit_test(coded_heights_are_the_plain_ones),
        cmocka_unit_test(doubts_are_said),       cmocka_unit_test(globes_are_degrees),
    };
    return cmocka_run_group_tests_name("io raster data", tests, raster_folder, test_folder_remove);
}
