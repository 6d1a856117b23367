/// The files that a raster is read from: itself, sidecar files, sources of a VRT and of a VRT in it, archives.
#include "rasters.h"

#define FOUND 16

typedef struct list {
    int count;
    char paths[FOUND][512];
} list;

static void keep(void *user, const char *path) {
    list *list = user;
    assert_true(list->count < FOUND);
    snprintf(list->paths[list->count++], sizeof list->paths[0], "%s", path);
}

static list files_of(const char *path) {
    list list = {0};
    lf_error error = {0};
    assert_int_equal(lf_raster_files(path, keep, &list, &error), LF_OK);
    return list;
}

/// How often a file of the folder is in the list, whatever its path looks like.
static int times(const list *list, const char *name) {
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        const char *slash = strrchr(list->paths[i], '/');
        count += strcmp(slash ? slash + 1 : list->paths[i], name) == 0;
    }
    return count;
}

static const char *make_raster(const char *name) {
    double values[4] = {1, 2, 3, 4};
    raster_plan plan = raster_plan_of(2, 2);
    return raster_file(name, &plan, values);
}

static const char *make_vrt(const char *name, const char *source) {
    char text[512];
    snprintf(text, sizeof text,
             "<VRTDataset rasterXSize=\"2\" rasterYSize=\"2\"><VRTRasterBand dataType=\"Float32\" band=\"1\">"
             "<SimpleSource><SourceFilename relativeToVRT=\"1\">%s</SourceFilename></SimpleSource>"
             "</VRTRasterBand></VRTDataset>",
             source);
    return test_text_file(name, text);
}

static void a_raster_has_itself_and_its_sidecar_files(void **state) {
    (void)state;
    const char *path = make_raster("plain.tif");
    test_text_file("plain.tif.aux.xml", "<PAMDataset></PAMDataset>");
    list found = files_of(path);
    assert_string_equal(found.paths[0], path);
    assert_int_equal(times(&found, "plain.tif"), 1);
    assert_int_equal(times(&found, "plain.tif.aux.xml"), 1);
}

static void a_vrt_has_its_sources_and_theirs(void **state) {
    (void)state;
    make_raster("source.tif");
    test_text_file("source.tif.aux.xml", "<PAMDataset></PAMDataset>");
    make_vrt("inner.vrt", "source.tif");
    list found = files_of(make_vrt("outer.vrt", "inner.vrt"));
    assert_int_equal(times(&found, "outer.vrt"), 1);
    assert_int_equal(times(&found, "inner.vrt"), 1);
    assert_int_equal(times(&found, "source.tif"), 1);
    assert_int_equal(times(&found, "source.tif.aux.xml"), 1);
}

/// Two VRTs that name one another end, and each is there once.
static void a_ring_of_vrts_ends(void **state) {
    (void)state;
    make_vrt("b.vrt", "a.vrt");
    list found = files_of(make_vrt("a.vrt", "b.vrt"));
    assert_int_equal(times(&found, "a.vrt"), 1);
    assert_true(times(&found, "b.vrt") <= 1);
}

static void the_archive_of_a_path_is_found(void **state) {
    (void)state;
    char path[600];
    const char *archive = make_raster("not_really.zip"); // only its name matters
    snprintf(path, sizeof path, "/vsizip/%s/dem.tif", archive);
    list found = files_of(path);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.paths[0], archive);
}

static void what_gdal_cannot_open_has_only_itself(void **state) {
    (void)state;
    list found = files_of(test_text_file("words.xyz1", "no raster"));
    assert_int_equal(found.count, 1);
    found = files_of(test_path("nowhere.tif"));
    assert_int_equal(found.count, 0);
    assert_int_equal(lf_raster_files(NULL, keep, &found, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_raster_files("x", NULL, &found, NULL), LF_BAD_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_raster_has_itself_and_its_sidecar_files),
                                       cmocka_unit_test(a_vrt_has_its_sources_and_theirs),
                                       cmocka_unit_test(a_ring_of_vrts_ends),
                                       cmocka_unit_test(the_archive_of_a_path_is_found),
                                       cmocka_unit_test(what_gdal_cannot_open_has_only_itself)};
    return cmocka_run_group_tests_name("files of rasters", tests, raster_folder, test_folder_remove);
}
