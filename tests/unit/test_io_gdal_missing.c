/// Where GDAL cannot be loaded, everything that needs it fails with the reason, and nothing crashes.
#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <string.h>

// These take the place of the C library's.
void *dlopen(const char *name, int mode);
char *dlerror(void);

void *dlopen(const char *name, int mode) {
    (void)name;
    (void)mode;
    return NULL;
}

char *dlerror(void) {
    static char text[] = "there is no such library here";
    return text;
}

static void rasters_name_the_reason(void **state) {
    (void)state;
    lf_raster_def def = lf_raster_def_default();
    lf_raster *raster = NULL;
    lf_error error = {LF_OK, -1, ""};
    test_text_file("any.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2\n3 4\n");
    assert_true(lf_raster_read(test_path("any.asc"), &def, &raster, &error) < LF_OK);
    assert_null(raster);
    assert_non_null(strstr(error.text, "GDAL cannot be loaded: there is no such library here"));
}

static void other_calls_fail_too(void **state) {
    (void)state;
    static const float values[4] = {1, 2, 3, 4};
    const lf_heights heights = {values, 2, 2, 2, 0, 0, 1, NULL, NULL};
    lf_points_def points_def = lf_points_def_default();
    lf_points *points = NULL;
    lf_crs_transform *way = NULL;
    lf_error error = {LF_OK, -1, ""};
    test_text_file("any.geojson", "{}");
    assert_true(lf_crs_transform_create("EPSG:4326", "EPSG:3857", NULL, &way, &error) < LF_OK);
    assert_true(lf_points_read(test_path("any.geojson"), &points_def, &points, &error) < LF_OK);
    assert_true(lf_heights_write(test_path("any.tif"), &heights, NULL, &error) < LF_OK);
    assert_false(test_file_exists("any.tif"));
    assert_true(way == NULL && points == NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rasters_name_the_reason),
                                       cmocka_unit_test(other_calls_fail_too)};
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
