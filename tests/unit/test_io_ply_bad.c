// PLY files that must be refused, each with a message that says why.
#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACES "property list uchar int vertex_indices\nend_header\n"
#define TRIANGLE "0 0 0\n1 0 0\n0 1 0\n"

static lf_polygon_file *read_good(const char *path) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_error error;
    if (lf_polygon_file_read(path, &def, &file, &error) != LF_OK)
        fail_msg("%s", error.text);
    return file;
}

static lf_error read_bad(const char *path, lf_status wanted) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = (lf_polygon_file *)&def;
    lf_error error = {0};
    assert_int_equal(lf_polygon_file_read(path, &def, &file, &error), wanted);
    assert_ptr_equal(file, &def);
    assert_int_equal(error.status, wanted);
    return error;
}

/// A text as a PLY file, refused with a message that holds some words.
static void refused(const char *text, lf_status status, const char *words) {
    lf_error error = read_bad(test_text_file("bad.ply", text), status);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void bad_headers(void **state) {
    (void)state;
    refused("", LF_BAD_FORMAT, "not a PLY");
    refused("plyx\n", LF_BAD_FORMAT, "not a PLY");
    refused("solid thing\n", LF_BAD_FORMAT, "not a PLY");
    refused("ply\nformat ascii 1.0\n", LF_BAD_FORMAT, "no end_header");
    refused("ply\nend_header\n", LF_BAD_FORMAT, "no format");
    refused("ply\nformat ascii 2.0\n", LF_BAD_FORMAT, "line 2: unknown version \"2.0\"");
    refused("ply\nformat binary 1.0\n", LF_BAD_FORMAT, "unknown format \"binary\"");
    refused(HEAD "format ascii 1.0\n", LF_BAD_FORMAT, "a second format");
    refused(HEAD "nonsense\n", LF_BAD_FORMAT, "line 3: unknown word \"nonsense\"");
    refused(HEAD "element vertex many\n", LF_BAD_FORMAT, "\"many\"");
    refused(HEAD "element vertex -1\n", LF_BAD_FORMAT, "\"-1\"");
    refused(HEAD "element vertex\n", LF_BAD_FORMAT, "count is \"\"");
    refused(HEAD "element vertex 99999999999999999999\n", LF_BAD_FORMAT, "99999999999999999999");
    refused(HEAD "property float x\n", LF_BAD_FORMAT, "before any element");
    refused(HEAD "element vertex 1\nproperty quad x\n", LF_BAD_FORMAT, "unknown type \"quad\"");
    refused(HEAD "element vertex 1\nproperty list float int x\n", LF_BAD_FORMAT,
            "length cannot be of type \"float\"");
    refused(HEAD "element vertex 1\nproperty list uchar\n", LF_BAD_FORMAT, "unknown type \"\"");
    refused(HEAD "element face 1\nproperty list uchar float vertex_indices\n", LF_BAD_FORMAT,
            "whole numbers");
    refused(HEAD "element vertex 1\nproperty float x\nproperty float x\n", LF_BAD_FORMAT,
            "a second property \"x\"");
    refused(HEAD "element vertex 1\nelement vertex 2\n", LF_BAD_FORMAT, "a second element \"vertex\"");
    refused(HEAD "element vertex 0\nproperty float x\nproperty float y\nend_header\n", LF_BAD_FORMAT,
            "no property z");
    refused(HEAD "element vertex 0\n" XYZ "element face 1\nproperty int material\nend_header\n1\n",
            LF_BAD_FORMAT, "no list of vertex_indices");
    refused(HEAD "element vertex 3\n" XYZ "end_header\n" TRIANGLE, LF_BAD_GEOMETRY, "no polygons");
    refused(HEAD "element vertex 0\n" XYZ "end_header", LF_BAD_GEOMETRY, "no polygons");
}

static void too_much_in_the_header(void **state) {
    (void)state;
    char *text = malloc(100000);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, HEAD);
    for (int i = 0; i < 70; i++)
        used += (size_t)sprintf(text + used, "element e%d 0\n", i);
    refused(text, LF_BAD_FORMAT, "too many elements");
    used = (size_t)sprintf(text, HEAD "element e 0\n");
    for (int i = 0; i < 1100; i++)
        used += (size_t)sprintf(text + used, "property int p%d\n", i);
    refused(text, LF_BAD_FORMAT, "too many properties");
    free(text);
}

/// Counts that the file cannot hold are refused before anything is allocated.
static void hostile_counts(void **state) {
    (void)state;
    static const char *const headers[] = {
        "ply\nformat binary_little_endian 1.0\nelement vertex 1000000000000000000\n" XYZ "end_header\n",
        "ply\nformat ascii 1.0\nelement vertex 1000000000000000000\n" XYZ "end_header\n",
        "ply\nformat binary_big_endian 1.0\nelement vertex 0\n" XYZ
        "element face 9223372036854775807\n" FACES,
        "ply\nformat ascii 1.0\nelement vertex 0\n" XYZ "element face 1000000000000000000\n" FACES};
    for (int i = 0; i < 4; i++) {
        test_memory memory;
        test_memory_start(&memory, -1);
        lf_polygon_file_def def = lf_polygon_file_def_default();
        def.host.allocator = &memory.allocator;
        lf_polygon_file *file;
        lf_error error;
        const char *path = test_text_file("hostile.ply", headers[i]);
        assert_int_equal(lf_polygon_file_read(path, &def, &file, &error), LF_BAD_FORMAT);
        assert_non_null(strstr(error.text, "cannot be in the"));
        assert_int_equal(memory.blocks_out, 0);
        assert_true(memory.calls <= 2); // the file itself and the first entry of its table of starts
    }
    // An element without properties takes no bytes, however many there are.
    lf_polygon_file *file = read_good(
        test_text_file("nothing.ply", HEAD "element nothing 1000000000000000000\nelement vertex 3\n" XYZ
                                           "element face 1\n" FACES TRIANGLE "3 0 1 2\n"));
    lf_polygon_file_close(file);
}

static void bad_text(void **state) {
    (void)state;
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n",
            LF_BAD_FORMAT, "line 11: vertex 1: a coordinate is not finite: \"nan\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES "0 0 0\n1 0 1e999\n0 1 0\n3 0 1 2\n",
            LF_BAD_FORMAT, "\"1e999\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES "0 0 0\n1 0 0,5\n0 1 0\n3 0 1 2\n",
            LF_BAD_FORMAT, "not a coordinate: \"0,5\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES "0 0 0\n1 0\n0 1 0 0 0 0\n3 0 1 2\n",
            LF_BAD_FORMAT, "line 11: vertex 1: not a coordinate: \"\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES "0 0 0 9\n1 0 0\n0 1 0\n3 0 1 2\n",
            LF_BAD_FORMAT, "more values than the header declares: \"9\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES TRIANGLE "3 0 1 3\n", LF_BAD_FORMAT,
            "line 13: face 0: vertex number out of range: \"3\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES TRIANGLE "3 0 1 -1\n", LF_BAD_FORMAT,
            "out of range: \"-1\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES TRIANGLE "3 0 1 x\n", LF_BAD_FORMAT,
            "not a vertex number: \"x\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES TRIANGLE "-3 0 1 2\n", LF_BAD_FORMAT,
            "not the length of a list: \"-3\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES TRIANGLE "9000000000000000000 0 1 2\n",
            LF_BAD_FORMAT, "not a vertex number: \"\"");
    refused(HEAD "element vertex 3\n" XYZ "element face 2\n" FACES TRIANGLE "3 0 1 2\n", LF_BAD_FORMAT,
            "truncated: the file ends in line 14 before face 1 of 2");
    refused(HEAD "element vertex 3\n" XYZ "property int a\nelement face 1\n" FACES
                 "0 0 0\n\n1 0 0 1\n3 0 1 2     \n",
            LF_BAD_FORMAT, "too few values");
    refused(HEAD "element vertex 3\n" XYZ "element face 1\n" FACES "0 0 0\n1 1 1\n2 2 2\n3 0 1 2\n",
            LF_BAD_GEOMETRY, "no polygon left: all 1 have no area");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_headers),
        cmocka_unit_test(too_much_in_the_header),
        cmocka_unit_test(hostile_counts),
        cmocka_unit_test(bad_text),
    };
    return cmocka_run_group_tests_name("io ply bad", tests, test_folder_make, test_folder_remove);
}
