/// Marks from text and from vector files.
#include "rasters.h"
#include <landfall/io.h>
#include <ogr_api.h>
#include <ogr_srs_api.h>

static lf_points *read_marks(const char *path, const char *crs) {
    lf_points_def def = lf_points_def_default();
    lf_points *marks = NULL;
    lf_error error = {0};
    def.crs = crs;
    if (lf_points_read(path, &def, &marks, &error) != LF_OK)
        fail_msg("%s: %s", path, error.text);
    return marks;
}

static void check_mark(const lf_points *marks, int64_t i, double x, double y, double height,
                       const char *name) {
    lf_point mark = lf_points_get(marks, i);
    assert_true(mark.at.x == x && mark.at.y == y);
    assert_true(isnan(height) ? isnan(mark.height) : mark.height == height);
    if (name)
        assert_string_equal(mark.name, name);
    else
        assert_null(mark.name);
}

static void plain_lines(void **state) {
    (void)state;
    lf_points *marks =
        read_marks(test_text_file("plain.csv", "\xef\xbb\xbf# towers\r\n1,2\r\n\r\n 3.5;-4 ; 10\n5 6 7 hill\n"
                                               "8,9,,west gate \n1\t2\t\t\"a, b\""),
                   NULL);
    assert_int_equal(lf_points_count(marks), 5);
    check_mark(marks, 4, 1, 2, NAN, "a, b");
    check_mark(marks, 0, 1, 2, NAN, NULL);
    check_mark(marks, 1, 3.5, -4, 10, NULL);
    check_mark(marks, 2, 5, 6, 7, "hill");
    check_mark(marks, 3, 8, 9, NAN, "west gate");
    lf_point none = lf_points_get(marks, 5);
    assert_true(isnan(none.at.x) && !none.name);
    lf_points_close(marks);
}

/// Two quotes in a quoted name stand for one.
static void quotes_in_names(void **state) {
    (void)state;
    lf_points *marks =
        read_marks(test_text_file("quotes.csv", "1,2,,\"a; \"\"b\"\"\"\n3;4;5;\"\"\"hi\"\", twice\"\n"
                                                "5,6,,\"\"\"\"\n7,8,,\"\"\n9 10 1 \"\"\"c d\n11,12,,e\"\"f\n"
                                                "\"13\",14,\"2\",\"\"\"\"\"\"\n"),
                   NULL);
    assert_int_equal(lf_points_count(marks), 7);
    check_mark(marks, 0, 1, 2, NAN, "a; \"b\"");
    check_mark(marks, 1, 3, 4, 5, "\"hi\", twice");
    check_mark(marks, 2, 5, 6, NAN, "\"");
    check_mark(marks, 3, 7, 8, NAN, NULL);
    check_mark(marks, 4, 9, 10, 1, "\"c d");
    check_mark(marks, 5, 11, 12, NAN, "e\"\"f");
    check_mark(marks, 6, 13, 14, 2, "\"\"");
    lf_points_close(marks);
}

static void named_columns(void **state) {
    (void)state;
    lf_points *marks = read_marks(
        test_text_file(
            "named.csv",
            "id,remark,Latitude,Longitude,EYE\na1,\"by, the lake\", 57.5 ,11.25,3\nb2,none,58,12,\n"),
        NULL);
    assert_int_equal(lf_points_count(marks), 2);
    check_mark(marks, 0, 11.25, 57.5, 3, "a1");
    check_mark(marks, 1, 12, 58, NAN, "b2");
    lf_points_close(marks);
}

static void many_lines(void **state) {
    (void)state;
    const char *path = test_path("many.txt");
    FILE *file = fopen(path, "wb");
    for (int i = 0; i < 5000; i++)
        fprintf(file, "%d %d 2 p%d\n", i, -i, i);
    fclose(file);
    lf_points *marks = read_marks(path, NULL);
    assert_int_equal(lf_points_count(marks), 5000);
    check_mark(marks, 4321, 4321, -4321, 2, "p4321");
    lf_points_close(marks);
}

static void refused(const char *path, lf_status status, const char *words) {
    lf_points_def def = lf_points_def_default();
    lf_points *marks = NULL;
    lf_error error = {0};
    lf_status got = lf_points_read(path, &def, &marks, &error);
    if (got != status || !strstr(error.text, words))
        fail_msg("%s: %d \"%s\", wanted was %d with \"%s\"", path, (int)got, error.text, (int)status, words);
    assert_null(marks);
}

static void bad_text_is_named(void **state) {
    (void)state;
    refused(test_text_file("bad.csv", "1,2\n3,wide\n"), LF_BAD_FORMAT, "line 2: \"wide\" is no y");
    refused(test_text_file("bad.csv", "1,2\n3\n"), LF_BAD_FORMAT, "line 2: has no y");
    refused(test_text_file("bad.csv", "1,2,tall\n"), LF_BAD_FORMAT, "\"tall\" is no height");
    refused(test_text_file("bad.csv", "1,nan\n"), LF_BAD_FORMAT, "\"nan\" is no y");
    refused(test_text_file("bad.csv", "x,height\n1,2\n"), LF_BAD_FORMAT, "line 1");
    refused(test_text_file("bad.csv", "# nothing\n"), LF_BAD_FORMAT, "no points");
    refused(test_text_file("bad.csv", ""), LF_BAD_FORMAT, "no points");
    refused(test_path("absent.csv"), LF_IO_FAILED, "absent.csv");
    refused(test_path("absent.gpkg"), LF_IO_FAILED, "absent.gpkg");
    refused(test_text_file("bad.gpkg", "no data base"), LF_BAD_FORMAT, "bad.gpkg");
    assert_int_equal(lf_points_read(NULL, NULL, NULL, NULL), LF_BAD_ARGUMENT);
    lf_points_close(NULL);
}

static void vector_files_bring_points(void **state) {
    (void)state;
    const char *path = test_text_file(
        "points.geojson",
        "{\"type\": \"FeatureCollection\", \"features\": ["
        "{\"type\": \"Feature\", \"properties\": {\"name\": \"summit\", \"height\": 2.5}, \"geometry\": "
        "{\"type\": "
        "\"Point\", \"coordinates\": [15, 58]}},"
        "{\"type\": \"Feature\", \"properties\": {\"name\": null}, \"geometry\": {\"type\": \"MultiPoint\", "
        "\"coordinates\": [[15, 59], [16, 60]]}}]}");
    lf_points *marks = read_marks(path, NULL);
    assert_int_equal(lf_points_count(marks), 3);
    check_mark(marks, 0, 15, 58, 2.5, "summit");
    check_mark(marks, 1, 15, 59, NAN, NULL);
    check_mark(marks, 2, 16, 60, NAN, NULL);
    lf_points_close(marks);
    // On the central meridian the easting is the false one.
    marks = read_marks(path, "EPSG:3006");
    lf_point first = lf_points_get(marks, 0);
    assert_true(fabs(first.at.x - 500000) < 1e-3 && first.at.y > 6.4e6 && first.at.y < 6.5e6);
    lf_points_close(marks);
    refused(test_text_file("lines.geojson",
                           "{\"type\": \"Feature\", \"properties\": {}, \"geometry\": {\"type\": "
                           "\"LineString\", \"coordinates\": [[1, 2], [3, 4]]}}"),
            LF_BAD_FORMAT, "LINESTRING");
}

/// A GeoPackage with a point at 12, 34.
static const char *make_package(const char *name, const char *crs) {
    const char *path = test_path(name);
    OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
    if (crs)
        assert_int_equal(OSRSetFromUserInput(system, crs), OGRERR_NONE);
    GDALDatasetH data = GDALCreate(GDALGetDriverByName("GPKG"), path, 0, 0, 0, GDT_Unknown, NULL);
    OGRLayerH layer = GDALDatasetCreateLayer(data, "points", crs ? system : NULL, wkbPoint, NULL);
    OGRFeatureH feature = OGR_F_Create(OGR_L_GetLayerDefn(layer));
    OGRGeometryH point = OGR_G_CreateGeometry(wkbPoint);
    OGR_G_SetPoint_2D(point, 0, 12, 34);
    OGR_F_SetGeometryDirectly(feature, point);
    assert_int_equal(OGR_L_CreateFeature(layer, feature), OGRERR_NONE);
    OGR_F_Destroy(feature);
    GDALClose(data);
    OSRDestroySpatialReference(system);
    return path;
}

/// GeoPackages always name a CRS; an undefined one does not count, and between equal local ones nothing is
/// transformed, for which PROJ has no operation.
static void points_without_crs_stay(void **state) {
    static const char local[] = "ENGCRS[\"site\",EDATUM[\"\"],CS[Cartesian,2],AXIS[\"x\",east],"
                                "AXIS[\"y\",north],LENGTHUNIT[\"metre\",1]]";
    static const struct {
        const char *name, *own, *requested;
    } cases[] = {{"undefined.gpkg", NULL, "EPSG:32632"},
                 {"undefined-local.gpkg", NULL, local},
                 {"local.gpkg", local, local}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        lf_points *marks = read_marks(make_package(cases[k].name, cases[k].own), cases[k].requested);
        check_mark(marks, 0, 12, 34, NAN, NULL);
        lf_points_close(marks);
    }
    lf_points_def def = lf_points_def_default();
    lf_points *marks = NULL;
    lf_error error = {0};
    def.crs = local;
    assert_int_equal(lf_points_read(make_package("other.gpkg", "EPSG:4326"), &def, &marks, &error),
                     LF_BAD_ARGUMENT);
    assert_non_null(strstr(
        error.text, "other.gpkg: no transformation from its CRS, WGS 84, to that of the ground, site"));
}

static lf_status attempt(const lf_host *host, void *user) {
    lf_points_def def = lf_points_def_default();
    lf_points *marks = NULL;
    def.host = *host;
    lf_status status = lf_points_read(user, &def, &marks, NULL);
    lf_points_close(marks);
    return status;
}

static void out_of_memory_is_said(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", test_text_file("memory.csv", "1,2,3,name\n"));
    test_out_of_memory(attempt, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines),
        cmocka_unit_test(quotes_in_names),
        cmocka_unit_test(named_columns),
        cmocka_unit_test(many_lines),
        cmocka_unit_test(bad_text_is_named),
        cmocka_unit_test(vector_files_bring_points),
        cmocka_unit_test(points_without_crs_stay),
        cmocka_unit_test(out_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, raster_folder, test_folder_remove);
}
