/// Results that become GeoTIFF files without GDAL: numbers of all types, several bands, files of tiles, halved copies.
#include "rasters.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The numbers of all bands.
static void same_bands(const char *a, const char *b) {
    GDALDatasetH one = GDALOpen(a, GA_ReadOnly), two = GDALOpen(b, GA_ReadOnly);
    assert_true(one && two);
    int wide = GDALGetRasterXSize(one), high = GDALGetRasterYSize(one), bands = GDALGetRasterCount(one);
    size_t bytes = (size_t)wide * (size_t)high * (size_t)bands * sizeof(double);
    double *m = malloc(bytes), *n = malloc(bytes);
    double p[6] = {0}, q[6] = {0};
    assert_int_equal(GDALGetGeoTransform(one, p), GDALGetGeoTransform(two, q));
    assert_memory_equal(p, q, sizeof p);
    OGRSpatialReferenceH s = GDALGetSpatialRef(one), t = GDALGetSpatialRef(two);
    assert_true(s ? t && OSRIsSame(s, t) : !t);
    assert_int_equal(bands, GDALGetRasterCount(two));
    for (int k = 0; k < 2; k++)
        assert_int_equal(GDALDatasetRasterIO(k ? two : one, GF_Read, 0, 0, wide, high, k ? n : m, wide, high,
                                             GDT_Float64, bands, NULL, 0, 0, 0),
                         CE_None);
    assert_memory_equal(m, n, bytes);
    for (int k = 1; k <= bands; k++) {
        GDALRasterBandH x = GDALGetRasterBand(one, k), y = GDALGetRasterBand(two, k);
        assert_int_equal(GDALGetRasterDataType(x), GDALGetRasterDataType(y));
        assert_int_equal(GDALGetRasterColorInterpretation(x), GDALGetRasterColorInterpretation(y));
        int has[2];
        double none = GDALGetRasterNoDataValue(x, &has[0]), other = GDALGetRasterNoDataValue(y, &has[1]);
        assert_true(has[0] == has[1] && (none == other || (isnan(none) && isnan(other))));
        assert_string_equal(GDALGetDescription(x), GDALGetDescription(y));
        assert_string_equal(GDALGetRasterUnitType(x), GDALGetRasterUnitType(y));
    }
    free(n);
    free(m);
    GDALClose(two);
    GDALClose(one);
}

/// The same bytes.
static void same_content(const char *a, const char *b) {
    FILE *one = fopen(a, "rb"), *two = fopen(b, "rb");
    assert_true(one && two);
    for (int x = 0, y = 0; x != EOF;) {
        x = getc(one);
        y = getc(two);
        assert_int_equal(x, y);
    }
    fclose(two);
    fclose(one);
}

/// Numbers of all types and of several bands, packed by DEFLATE or not at all, as GDAL reads and describes them.
static void results_of_numbers(void **state) {
    test_random random = test_random_start(871);
    (void)state;
    static const char *const names[] = {"area", "mean & \"most\"", "longest"};
    static const char *const usual[] = {"TILED=YES", "COMPRESS=DEFLATE"};
    static const char *const tiles[] = {"TILED=YES", "BIGTIFF=IF_SAFER", "COMPRESS=DEFLATE", "ZLEVEL=1"};
    const int64_t columns = 700, rows = 530, count = columns * rows;
    double *values = malloc((size_t)count * 3 * sizeof *values);
    for (int k = 0; k < 24; k++) {
        lf_result_def result = lf_result_def_default();
        lf_error error = {0};
        lf_tasks tasks = test_tasks(3);
        result.type = (lf_result_type)(k % 4);
        result.band_count = 1 + k % 3;
        for (int64_t i = 0; i < count * result.band_count; i++) {
            double value =
                test_random_between(&random, 0, 1) < 0.1 ? 77 : floor(test_random_between(&random, 0, 250));
            if (result.type == LF_RESULT_BYTE)
                ((uint8_t *)values)[i] = (uint8_t)value;
            else if (result.type == LF_RESULT_UINT32)
                ((uint32_t *)values)[i] = (uint32_t)value;
            else if (result.type == LF_RESULT_FLOAT)
                ((float *)values)[i] = value == 77 ? NAN : (float)(value / 3);
            else
                values[i] = value == 77 ? (double)NAN : value / 3;
        }
        result.values = values;
        result.lattice = (lf_lattice){{{100, 200}, {10, 0}, {0, 10}}, columns, rows};
        result.crs = k % 2 ? "EPSG:32632" : NULL;
        result.band_names = names;
        result.unit = k % 5 ? "m2" : NULL;
        result.nodata_given = k % 7 > 0;
        result.nodata = result.type < LF_RESULT_FLOAT ? 77 : (double)NAN;
        result.host.tasks = k % 2 ? &tasks : NULL;
        result.options = k / 4 % 3 == 0 ? NULL : tiles;
        result.option_count = k / 4 % 3 == 0 ? 0 : k / 4 % 3 == 1 ? 2 : 4;
        if (lf_result_write(test_path("without.tif"), NULL, &result, &error) != LF_OK)
            fail_msg("%s", error.text);
        result.options = usual;
        result.option_count = 2;
        if (lf_result_write(test_path("with.tif"), NULL, &result, &error) != LF_OK)
            fail_msg("%s", error.text);
        same_bands(test_path("with.tif"), test_path("without.tif"));
    }
    free(values);
}

/// The mean that a pixel of a halved copy has.
static double mean_at(const double *from, int wide, int high, int x, int y) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < 4; k++) {
        int i = 2 * x + k % 2, j = 2 * y + k / 2;
        double value = from[(ptrdiff_t)(j < high ? j : high - 1) * wide + (i < wide ? i : wide - 1)];
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return count > 0 ? sum / count : (double)NAN;
}

/// Each halved copy has the means, or every second number, of the one before.
static void check_halves(const char *path, bool means) {
    GDALDatasetH data = GDALOpen(path, GA_ReadOnly);
    assert_non_null(data);
    for (int band = 1; band <= GDALGetRasterCount(data); band++) {
        GDALRasterBandH from = GDALGetRasterBand(data, band);
        int levels = GDALGetOverviewCount(from);
        assert_int_equal(levels, 3);
        for (int k = 0; k < levels; k++) {
            GDALRasterBandH to = GDALGetOverview(GDALGetRasterBand(data, band), k);
            int wide = GDALGetRasterBandXSize(from), high = GDALGetRasterBandYSize(from),
                w = GDALGetRasterBandXSize(to), h = GDALGetRasterBandYSize(to);
            double *all = malloc((size_t)wide * (size_t)high * sizeof *all),
                   *half = malloc((size_t)w * (size_t)h * sizeof *half);
            assert_true(w == (wide + 1) / 2 && h == (high + 1) / 2);
            assert_int_equal(
                GDALRasterIO(from, GF_Read, 0, 0, wide, high, all, wide, high, GDT_Float64, 0, 0), CE_None);
            assert_int_equal(GDALRasterIO(to, GF_Read, 0, 0, w, h, half, w, h, GDT_Float64, 0, 0), CE_None);
            for (int i = 0; i < w * h; i++) {
                int x = i % w, y = i / w;
                double expected = means ? (double)(float)mean_at(all, wide, high, x, y)
                                        : all[(ptrdiff_t)2 * y * wide + 2 * x];
                if (!(half[i] == expected || (isnan(half[i]) && isnan(expected))))
                    fail_msg("level %d, pixel %d,%d: %.17g instead of %.17g", k, x, y, half[i], expected);
            }
            free(half);
            free(all);
            from = to;
        }
    }
    GDALClose(data);
}

/// Files of tiles become one with halved copies, with the same bytes on any number of threads.
static void tiles_become_one_file(void **state) {
    test_random random = test_random_start(872);
    (void)state;
    static const char *const plain[] = {"TILED=YES", "BIGTIFF=IF_SAFER", "COMPRESS=DEFLATE", "ZLEVEL=1"};
    static const char *const others[] = {"COMPRESS=LZW"};
    const int64_t columns = 1301, rows = 1115, count = columns * rows;
    float *values = malloc((size_t)count * 2 * sizeof *values);
    for (int k = 0; k < 6; k++) {
        lf_result_def result = lf_result_def_default();
        lf_result_tile list[12];
        char paths[12][32];
        lf_error error = {0};
        lf_tasks tasks = test_tasks(3);
        bool bytes = k % 2;
        for (int64_t i = 0; i < 2 * count; i++)
            values[i] =
                test_random_between(&random, 0, 1) < 0.2 ? NAN : (float)test_random_between(&random, -1, 1);
        result.type = bytes ? LF_RESULT_BYTE : LF_RESULT_FLOAT;
        result.band_count = 2;
        result.nodata_given = true;
        result.nodata = bytes ? 255 : (double)NAN;
        result.lattice = (lf_lattice){{{100, 200}, {10, 0}, {0, 10}}, columns, rows};
        result.window = (lf_window){0, 0, columns, rows};
        result.values = values;
        if (lf_result_write(test_path("whole.tif"), NULL, &result, &error) != LF_OK)
            fail_msg("%s", error.text);
        for (int t = 0; t < 12; t++) {
            int64_t item = bytes ? 1 : 4, x = t % 4 * 400, y = t / 4 * 400;
            lf_window part = {x, y, columns - x < 400 ? columns - x : 400, rows - y < 400 ? rows - y : 400};
            lf_result_def one = result;
            one.window = part;
            one.values = (const char *)values + (y * columns + x) * item;
            one.row_step = (ptrdiff_t)(columns * item);
            one.band_step = (ptrdiff_t)(count * item);
            one.options = k > 3 && t == 5 ? others : plain; // that one is for GDAL
            one.option_count = k > 3 && t == 5 ? 1 : k > 1 ? 4 : 2;
            snprintf(paths[t], sizeof paths[t], "tile%d.tif", t);
            list[t] = (lf_result_tile){part, strdup(test_path(paths[t]))};
            if (lf_result_write(list[t].path, NULL, &one, &error) != LF_OK)
                fail_msg("%s", error.text);
        }
        result.values = NULL;
        result.tiles = list;
        result.tile_count = 12;
        result.overviews = true;
        for (int threads = 0; threads < 2; threads++) {
            result.host.tasks = threads ? &tasks : NULL;
            if (lf_result_write(test_path(threads ? "many.tif" : "one.tif"), NULL, &result, &error) != LF_OK)
                fail_msg("%s", error.text);
        }
        same_bands(test_path("whole.tif"), test_path("one.tif"));
        same_bands(test_path("whole.tif"), test_path("many.tif"));
        if (k <= 3)
            check_halves(test_path("many.tif"), !bytes);
        same_content(test_path("one.tif"), test_path("many.tif"));
        for (int t = 0; t < 12; t++)
            free((void *)(uintptr_t)list[t].path);
    }
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_numbers),
        cmocka_unit_test(tiles_become_one_file),
    };
    return cmocka_run_group_tests(tests, raster_folder, test_folder_remove);
}
