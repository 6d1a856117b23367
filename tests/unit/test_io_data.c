// The readers on real files, found through LANDFALL_DATA.
#include "files.h"
#include "support.h"
#include <dirent.h>
#include <landfall/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static lf_polygon_file *read_good(const char *path) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_error error;
    if (lf_polygon_file_read(path, &def, &file, &error) != LF_OK)
        fail_msg("%s", error.text);
    return file;
}

/// A file of the real data, or NULL when it is not here.
static lf_polygon_file *read_data(const char *relative) {
    const char *path = test_data(relative);
    return path ? read_good(path) : NULL;
}

/// Every polygon is fit to be ground.
static void check_polygons(const lf_polygon_file *file) {
    lf_polygons polygons = lf_polygon_file_polygons(file);
    lf_polygon_file_info info = lf_polygon_file_describe(file);
    assert_true(polygons.polygon_count > 0 && info.precision > 0 && info.precision < 1);
    for (int64_t i = 0; i < polygons.polygon_count; i++) {
        lf_vec3 points[64];
        int64_t count = polygons.starts[i + 1] - polygons.starts[i];
        assert_true(count >= 3 && count <= 64);
        for (int64_t k = 0; k < count; k++) {
            int64_t corner = polygons.corners[polygons.starts[i] + k];
            assert_true(corner >= 0 && corner < polygons.vertex_count);
            points[k] = polygons.vertices[corner];
        }
        if (i % 16 == 0)
            assert_int_equal(lf_polygon_check(points, count, 0.001, NULL), LF_POLYGON_FINE);
        if (polygons.users && polygons.users[i] != UINT64_MAX)
            assert_non_null(lf_polygon_file_name(file, (int64_t)polygons.users[i]));
    }
}

static bool is_known(const char *name) {
    static const char *const endings[] = {".ply", ".obj", ".stl", ".off", ".gltf", ".glb", ".dae", ".3ds"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcasecmp(dot, endings[i]) == 0)
            return true;
    return false;
}

static int read_folder(const char *path) {
    int count = 0;
    DIR *entries = opendir(path);
    if (!entries)
        return 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        char inner[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (is_known(entry->d_name)) {
            lf_polygon_file *file = read_good(inner);
            check_polygons(file);
            lf_polygon_file_close(file);
            count++;
        }
        count += read_folder(inner);
    }
    closedir(entries);
    return count;
}

static void every_mesh_loads(void **state) {
    (void)state;
    static const char *const folders[] = {"mesh", "models"};
    for (int i = 0; i < 2; i++) {
        char path[4096];
        const char *folder = test_data(folders[i]);
        if (!folder)
            continue;
        snprintf(path, sizeof path, "%s", folder);
        assert_true(read_folder(path) > 5);
    }
}

static void a_city_model_is_refused(void **state) {
    (void)state;
    const char *path = test_data("mesh/rotterdam_subset.json");
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    if (path)
        assert_int_equal(lf_polygon_file_read(path, &def, &file, NULL), LF_UNSUPPORTED);
}

static void two_encodings_of_dolphins(void **state) {
    (void)state;
    lf_polygon_file *text = read_data("models/dolphins.ply"), *big = read_data("models/dolphins_be.ply");
    if (!text || !big)
        return;
    lf_polygons a = lf_polygon_file_polygons(text), b = lf_polygon_file_polygons(big);
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_int_equal(a.polygon_count, b.polygon_count);
    for (int64_t i = 0; i < a.vertex_count; i++) { // the text is read in double, the bytes are single
        assert_true((float)a.vertices[i].x == b.vertices[i].x);
        assert_true((float)a.vertices[i].y == b.vertices[i].y);
        assert_true((float)a.vertices[i].z == b.vertices[i].z);
    }
    assert_memory_equal(a.starts, b.starts, (size_t)(a.polygon_count + 1) * sizeof(int64_t));
    assert_memory_equal(a.corners, b.corners, (size_t)a.starts[a.polygon_count] * sizeof(int64_t));
    lf_polygon_file_close(text);
    lf_polygon_file_close(big);
}

static void two_encodings_of_a_head(void **state) {
    (void)state;
    lf_polygon_file *text = read_data("models/pr2_head_pan-ascii.stl");
    lf_polygon_file *binary = read_data("models/pr2_head_pan-binary.stl");
    if (!text || !binary)
        return;
    lf_polygons a = lf_polygon_file_polygons(text), b = lf_polygon_file_polygons(binary);
    assert_int_equal(a.polygon_count, 1000);
    assert_int_equal(b.polygon_count, 1000);
    assert_int_equal(a.vertex_count, b.vertex_count);
    for (int64_t i = 0; i < 3000; i++) { // the text has six digits
        lf_vec3 p = a.vertices[a.corners[i]], q = b.vertices[b.corners[i]];
        assert_true(lf_vec3_length(lf_vec3_sub(p, q)) < 1e-6);
    }
    lf_polygon_file_close(text);
    lf_polygon_file_close(binary);
}

static void oahu_is_complete(void **state) {
    (void)state;
    lf_polygon_file *file = read_data("mesh/oahu-enu.ply");
    if (!file)
        return;
    lf_polygons polygons = lf_polygon_file_polygons(file);
    lf_polygon_file_info info = lf_polygon_file_describe(file);
    assert_int_equal(polygons.vertex_count, 296652);
    assert_int_equal(polygons.polygon_count + info.dropped_count, 541278);
    assert_int_equal(info.dropped_count, 147); // counted apart, in rational arithmetic
    assert_int_equal(info.cut_count, 0);
    lf_polygon_file_close(file);
}

/// Coordinates of millions of metres, read byte for byte and compared.
static void an_airport_keeps_its_millimetres(void **state) {
    (void)state;
    const char *path = test_data("mesh/phnl-ecef.ply");
    if (!path)
        return;
    char *content = test_file_content(path, NULL);
    lf_polygon_file *file = read_good(path);
    lf_polygons polygons = lf_polygon_file_polygons(file);
    lf_polygon_file_info info = lf_polygon_file_describe(file);
    assert_int_equal(polygons.vertex_count, 34341);
    assert_int_equal(polygons.polygon_count + info.dropped_count, 35568);
    assert_int_equal(info.dropped_count, 2792); // counted apart, in rational arithmetic
    assert_true(info.precision < 1e-9);
    const char *body = strstr(content, "end_header\n") + 11;
    for (int64_t i = 0; i < polygons.vertex_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            uint64_t bits = 0;
            double value;
            for (int k = 0; k < 8; k++)
                bits |= (uint64_t)(unsigned char)body[24 * i + 8 * axis + k] << 8 * k;
            memcpy(&value, &bits, sizeof value);
            const lf_vec3 *p = &polygons.vertices[i];
            assert_true(value == (axis == 0 ? p->x : axis == 1 ? p->y : p->z));
        }
    lf_polygon_file_close(file);
    free(content);
}

/// What is read can be written and read again without a change.
static void there_and_back(void **state) {
    (void)state;
    static const char *const sources[] = {"mesh/phnl-ecef.ply", "mesh/tin-recast/nav_test.obj",
                                          "models/cow.obj"};
    static const char *const targets[] = {"back.ply", "back.obj"};
    for (int i = 0; i < 6; i++) {
        lf_polygon_file *first = read_data(sources[i / 2]);
        if (!first)
            continue;
        lf_polygons a = lf_polygon_file_polygons(first);
        assert_int_equal(lf_polygon_file_write(test_path(targets[i % 2]), &a, NULL, NULL), LF_OK);
        lf_polygon_file *second = read_good(test_path(targets[i % 2]));
        lf_polygons b = lf_polygon_file_polygons(second);
        assert_int_equal(a.vertex_count, b.vertex_count);
        assert_int_equal(a.polygon_count, b.polygon_count);
        assert_memory_equal(a.vertices, b.vertices, (size_t)a.vertex_count * sizeof(lf_vec3));
        assert_memory_equal(a.corners, b.corners, (size_t)a.starts[a.polygon_count] * sizeof(int64_t));
        lf_polygon_file_close(second);
        lf_polygon_file_close(first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mesh_loads),
        cmocka_unit_test(a_city_model_is_refused),
        cmocka_unit_test(two_encodings_of_dolphins),
        cmocka_unit_test(two_encodings_of_a_head),
        cmocka_unit_test(oahu_is_complete),
        cmocka_unit_test(an_airport_keeps_its_millimetres),
        cmocka_unit_test(there_and_back),
    };
    return cmocka_run_group_tests_name("io data", tests, test_folder_make, test_folder_remove);
}
