#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const endings[] = {"out.ply", "out.obj"};

/// Triangles and a quad on a wavy surface far from the origin, with numbers of many digits.
typedef struct sample {
    lf_vec3 vertices[64];
    int64_t starts[100], corners[400];
    lf_polygons polygons;
} sample;

static void make_sample(sample *made, uint64_t salt) {
    test_random random = test_random_start(salt);
    for (int i = 0; i < 64; i++)
        made->vertices[i] = (lf_vec3){6e6 + (i % 8) * 10 + test_random_between(&random, -1, 1),
                                      -2e6 + (double)(i / 8 * 10) + test_random_between(&random, -1, 1),
                                      test_random_between(&random, -1e-3, 1e-3)};
    int64_t count = 0, used = 0;
    for (int i = 0; i < 55; i++) {
        if (i % 8 == 7)
            continue;
        const int64_t square[4] = {i, i + 1, i + 9, i + 8};
        made->starts[count++] = used;
        for (int k = 0; k < 3; k++)
            made->corners[used++] = square[k];
        made->starts[count++] = used;
        for (int k = 0; k < 3; k++)
            made->corners[used++] = square[(k + 2) % 4];
    }
    made->starts[count] = used;
    made->polygons = (lf_polygons){.vertices = made->vertices,
                                   .vertex_count = 64,
                                   .starts = made->starts,
                                   .corners = made->corners,
                                   .polygon_count = count};
}

static lf_polygon_file *read_back(const char *path) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_error error;
    if (lf_polygon_file_read(path, &def, &file, &error) != LF_OK)
        fail_msg("%s", error.text);
    return file;
}

static void assert_same(const lf_polygons *a, const lf_polygons *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->polygon_count, b->polygon_count);
    assert_memory_equal(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof(lf_vec3));
    for (int64_t i = 0; i <= a->polygon_count; i++)
        assert_int_equal(a->starts[i], b->starts ? b->starts[i] : 3 * i);
    assert_memory_equal(a->corners, b->corners, (size_t)a->starts[a->polygon_count] * sizeof(int64_t));
}

static void the_same_bits_come_back(void **state) {
    (void)state;
    sample made;
    lf_error error;
    for (int i = 0; i < 2; i++) {
        make_sample(&made, (uint64_t)i);
        made.vertices[0].z = -0.0;
        made.vertices[1].z = 5e-324;
        made.vertices[63].z = 0.1 + 0.2;
        for (int plain = 0; plain < 2; plain++) {
            made.polygons.starts = plain ? NULL : made.starts; // all are triangles
            assert_int_equal(lf_polygon_file_write(test_path(endings[i]), &made.polygons, NULL, &error),
                             LF_OK);
            lf_polygon_file *file = read_back(test_path(endings[i]));
            lf_polygons back = lf_polygon_file_polygons(file);
            assert_same(&back, &made.polygons);
            lf_polygon_file_close(file);
        }
    }
}

/// More corners than a byte counts.
static void a_round_polygon(void **state) {
    (void)state;
    enum { COUNT = 300 };
    lf_vec3 vertices[COUNT];
    int64_t corners[COUNT], starts[2] = {0, COUNT};
    for (int i = 0; i < COUNT; i++) {
        double angle = 2 * acos(-1) * i / COUNT;
        vertices[i] = (lf_vec3){1000 * cos(angle), 1000 * sin(angle), 5};
        corners[i] = i;
    }
    lf_polygons polygons = {.vertices = vertices,
                            .vertex_count = COUNT,
                            .starts = starts,
                            .corners = corners,
                            .polygon_count = 1};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(lf_polygon_file_write(test_path(endings[i]), &polygons, NULL, NULL), LF_OK);
        lf_polygon_file *file = read_back(test_path(endings[i]));
        lf_polygons back = lf_polygon_file_polygons(file);
        assert_same(&back, &polygons);
        lf_polygon_file_close(file);
    }
}

static void as_people_would_write_it(void **state) {
    (void)state;
    const lf_vec3 vertices[] = {{0, 0, 0}, {1.5, 0, -0.1}, {0, 1e-9, 1e21}};
    const int64_t corners[] = {0, 1, 2};
    lf_polygons polygons = {.vertices = vertices, .vertex_count = 3, .corners = corners, .polygon_count = 1};
    char wanted[200];
    snprintf(wanted, sizeof wanted, "# landfall %s\nv 0 0 0\nv 1.5 0 -0.1\nv 0 1e-9 1e+21\nf 1 2 3\n",
             lf_version());
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        fprintf(stderr, "skipped: the locale de_DE.UTF-8 is not installed\n");
    assert_int_equal(lf_polygon_file_write(test_path("a.obj"), &polygons, NULL, NULL), LF_OK);
    setlocale(LC_ALL, "C");
    char *text = test_file_content(test_path("a.obj"), NULL);
    assert_string_equal(text, wanted);
    free(text);
}

static void refused(const lf_polygons *polygons, lf_status status, const char *words) {
    lf_error error;
    assert_int_equal(lf_polygon_file_write(test_path("old.obj"), polygons, NULL, &error), status);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void what_cannot_be_written_leaves_the_old_file(void **state) {
    (void)state;
    sample made;
    make_sample(&made, 5);
    test_text_file("old.obj", "old");
    lf_polygons bad = made.polygons;
    bad.vertex_count = 20;
    refused(&bad, LF_BAD_ARGUMENT, "no vertex");
    bad = made.polygons;
    bad.vertex_count = -1;
    refused(&bad, LF_BAD_ARGUMENT, "count");
    bad = made.polygons;
    bad.corners = NULL;
    refused(&bad, LF_BAD_ARGUMENT, "NULL");
    made.starts[1] = 2;
    refused(&made.polygons, LF_BAD_ARGUMENT, "polygon 0 has fewer than 3 corners");
    made.starts[1] = 3, made.starts[0] = -3;
    refused(&made.polygons, LF_BAD_ARGUMENT, "starts at corner -3");
    made.starts[0] = 0, made.vertices[7].y = (double)NAN;
    refused(&made.polygons, LF_BAD_GEOMETRY, "vertex 7 is not finite");
    make_sample(&made, 5);
    lf_error error;
    assert_int_equal(lf_polygon_file_write("mesh.stl", &made.polygons, NULL, &error), LF_UNSUPPORTED);
    assert_int_equal(lf_polygon_file_write("mesh", &made.polygons, NULL, &error), LF_UNSUPPORTED);
    assert_int_equal(lf_polygon_file_write(NULL, &made.polygons, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_polygon_file_write("mesh.ply", NULL, NULL, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_polygon_file_write(test_path("no/folder.ply"), &made.polygons, NULL, &error),
                     LF_IO_FAILED);
    char *text = test_file_content(test_path("old.obj"), NULL);
    assert_string_equal(text, "old");
    free(text);
    assert_false(test_file_exists("old.obj.landfall-part"));
}

static bool stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)done, (void)total;
    assert_string_equal(stage, "write");
    return (*(int *)user)-- > 0;
}

static void cancelled(void **state) {
    (void)state;
    sample made;
    make_sample(&made, 6);
    for (int i = 0; i < 2; i++) {
        int calls = 0;
        lf_progress progress = {&calls, stop};
        lf_host host = {.progress = &progress};
        lf_error error;
        test_text_file(endings[i], "old");
        assert_int_equal(lf_polygon_file_write(test_path(endings[i]), &made.polygons, &host, &error),
                         LF_CANCELLED);
        assert_int_equal(error.status, LF_CANCELLED);
        char *text = test_file_content(test_path(endings[i]), NULL);
        assert_string_equal(text, "old");
        free(text);
        assert_false(test_file_exists(i ? "out.obj.landfall-part" : "out.ply.landfall-part"));
    }
}

static lf_status attempt_write(const lf_host *host, void *user) {
    return lf_polygon_file_write(test_path("memory.ply"), user, host, NULL);
}

static void out_of_memory(void **state) {
    (void)state;
    sample made;
    make_sample(&made, 7);
    test_out_of_memory(attempt_write, &made.polygons);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_bits_come_back),
        cmocka_unit_test(a_round_polygon),
        cmocka_unit_test(as_people_would_write_it),
        cmocka_unit_test(what_cannot_be_written_leaves_the_old_file),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests_name("io polygons write", tests, test_folder_make, test_folder_remove);
}
