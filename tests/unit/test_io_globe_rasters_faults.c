// Globes from raster files: samples keep their heights, bad files are named, and memory may run out anywhere.
#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 36, ROWS = 19 };

static float heights[COLUMNS * ROWS];
static const char degrees[] = "EPSG:4326";

/// A raster of every tenth degree, or of as many metres; its path.
static const char *put_raster(const char *name, const char *crs) {
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid = NULL;
    for (int i = 0; i < COLUMNS * ROWS; i++)
        heights[i] = (float)(i % 7 * 100 + i / COLUMNS);
    def.samples.values = heights;
    def.samples.columns = COLUMNS;
    def.samples.rows = ROWS;
    def.geotransform = (lf_geotransform){{-180, -90}, {10, 0}, {0, 10}};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    assert_int_equal(lf_grid_write(test_path(name), grid, crs, 1, NULL, NULL), LF_OK);
    lf_grid_destroy(grid);
    return test_path(name);
}

static lf_status make_and_ask(const lf_host *host, void *user) {
    const char *path = user;
    lf_raster_def def = lf_raster_def_default();
    lf_globe_rasters *rasters = NULL;
    lf_globe *globe = NULL;
    lf_globe_elevation ground;
    def.host = *host;
    lf_status status = lf_globe_rasters_open(&path, 1, &def, 8, &rasters, NULL);
    if (status == LF_OK) {
        lf_globe_def globe_def = lf_globe_rasters_def(rasters);
        status = lf_globe_create(&globe_def, &globe, NULL);
    }
    if (status == LF_OK)
        status = lf_globe_height_finest(globe, 20, 30, &ground);
    if (status == LF_OK) {
        assert_int_equal(ground.reason, LF_REASON_ANSWERED);
        assert_true(fabs(ground.height - (double)heights[12 * COLUMNS + 20]) < 1e-6);
    }
    lf_globe_destroy(globe);
    lf_globe_rasters_close(rasters);
    return status;
}

static void samples_keep_their_heights_and_memory_may_run_out(void **state) {
    (void)state;
    char path[1024];
    snprintf(path, sizeof path, "%s", put_raster("planet.tif", degrees));
    lf_host plain = {NULL, NULL, NULL, NULL};
    assert_int_equal(make_and_ask(&plain, path), LF_OK);
    test_out_of_memory(make_and_ask, path);
}

static void refuse(const char *path, int cells, lf_status wanted, const char *word) {
    lf_raster_def def = lf_raster_def_default();
    lf_globe_rasters *rasters = NULL;
    lf_error error = {LF_OK, -1, ""};
    assert_int_equal(lf_globe_rasters_open(&path, 1, &def, cells, &rasters, &error), wanted);
    assert_null(rasters);
    if (!strstr(error.text, word))
        fail_msg("\"%s\" does not name %s", error.text, word);
}

static void what_is_no_globe_is_named(void **state) {
    (void)state;
    refuse(put_raster("metres.tif", "EPSG:32632"), 8, LF_BAD_FORMAT, "metres.tif");
    refuse(test_path("nothing.tif"), 8, LF_IO_FAILED, "nothing.tif");
    refuse(test_text_file("text.tif", "no raster"), 8, LF_BAD_FORMAT, "text.tif");
    refuse(put_raster("planet.tif", degrees), 1, LF_BAD_ARGUMENT, "1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_keep_their_heights_and_memory_may_run_out),
        cmocka_unit_test(what_is_no_globe_is_named),
    };
    return cmocka_run_group_tests_name("io: globe rasters, faults", tests, test_folder_make,
                                       test_folder_remove);
}
