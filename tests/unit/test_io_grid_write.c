// Grids as GeoTIFF: there and back, compressed or not, turned or not; what is refused.
#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <string.h>

#define COLUMNS 37
#define ROWS 300 // more than one band of the file

static lf_grid *make(lf_codec codec, double scale) {
    static double heights[COLUMNS * ROWS];
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    for (int k = 0; k < COLUMNS * ROWS; k++)
        heights[k] = k % 97 == 5 ? LF_NAN : (double)(k % COLUMNS * 3 - k / COLUMNS);
    def.samples.type = LF_SAMPLE_DOUBLE;
    def.samples.values = heights;
    def.samples.columns = COLUMNS;
    def.samples.rows = ROWS;
    def.samples.scale = scale;
    def.codec = codec;
    def.geotransform = (lf_geotransform){{1000, 5000}, {20, 0}, {0, 30}};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static void there_and_back(void **state) {
    (void)state;
    for (int round = 0; round < 10; round++) {
        lf_grid *grid = make((lf_codec)(round % 5), round < 5 ? 1 : 0.1), *again; // tenths are no floats
        const char *path = test_path("grid.tif");
        lf_raster *raster;
        lf_raster_def def = lf_raster_def_default();
        lf_error error = {0};
        if (lf_grid_write(path, grid, round % 2 ? "EPSG:3006" : NULL, 1, NULL, &error) != LF_OK)
            fail_msg("%s", error.text);
        assert_int_equal(lf_raster_read(path, &def, &raster, &error), LF_OK);
        assert_string_equal(lf_raster_describe(raster).stored, round < 5 ? "Float32" : "Float64");
        assert_int_equal(lf_raster_describe(raster).kind, round % 2 ? LF_CRS_PROJECTED : LF_CRS_NONE);
        lf_grid_def read = lf_raster_grid_def(raster);
        assert_int_equal(lf_grid_create(&read, &again, NULL), LF_OK);
        lf_grid_info a = lf_grid_describe(grid), b = lf_grid_describe(again);
        assert_memory_equal(&a.geotransform, &b.geotransform, sizeof a.geotransform);
        for (int k = 0; k < COLUMNS * ROWS; k++) {
            double one = lf_grid_sample(grid, k % COLUMNS, k / COLUMNS),
                   other = lf_grid_sample(again, k % COLUMNS, k / COLUMNS);
            assert_true(one == other || (isnan(one) && isnan(other)));
        }
        lf_grid_destroy(again);
        lf_raster_close(raster);
        lf_grid_destroy(grid);
    }
}

static void refused(void **state) {
    (void)state;
    lf_grid *grid = make(LF_CODEC_PACK, 1);
    lf_error error = {0};
    assert_int_equal(lf_grid_write(test_path("grid.png"), grid, NULL, 1, NULL, &error), LF_UNSUPPORTED);
    assert_int_equal(lf_grid_write(test_path("refused.tif"), NULL, NULL, 1, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_grid_write(test_path("refused.tif"), grid, NULL, 0, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_grid_write(test_path("no/refused.tif"), grid, NULL, 1, NULL, &error), LF_IO_FAILED);
    assert_int_equal(lf_grid_write(test_path("refused.tif"), grid, "no such CRS", 1, NULL, &error),
                     LF_IO_FAILED);
    assert_false(test_file_exists("refused.tif") || test_file_exists("refused.tif.part"));
    lf_grid_destroy(grid);
}

static lf_status write_grid(const lf_host *host, void *user) {
    return lf_grid_write(test_path("memory.tif"), user, NULL, 1, host, NULL);
}

static void no_memory(void **state) {
    (void)state;
    lf_grid *grid = make(LF_CODEC_RAW, 1);
    test_out_of_memory(write_grid, grid);
    lf_grid_destroy(grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_and_back), cmocka_unit_test(refused),
                                       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests_name("io: grids as files", tests, test_folder_make, test_folder_remove);
}
