#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Bytes being put together, numbers in either order or as text.
typedef struct builder {
    char bytes[8192];
    size_t size;
    char encoding; // 'a', 'l', 'b'
} builder;

static void put_text(builder *out, const char *text) {
    memcpy(out->bytes + out->size, text, strlen(text));
    out->size += strlen(text);
}

static void put_bits(builder *out, uint64_t bits, int size) {
    for (int i = 0; i < size; i++)
        out->bytes[out->size++] = (char)(bits >> 8 * (out->encoding == 'b' ? size - 1 - i : i));
}

static void put_whole(builder *out, int64_t value, int size) {
    char text[32];
    snprintf(text, sizeof text, "%lld ", (long long)value);
    if (out->encoding == 'a')
        put_text(out, text);
    else
        put_bits(out, (uint64_t)value, size);
}

static void put_real(builder *out, double value, int size) {
    char text[32];
    float single = (float)value;
    uint32_t single_bits;
    uint64_t bits;
    memcpy(&single_bits, &single, sizeof single_bits);
    memcpy(&bits, &value, sizeof bits);
    snprintf(text, sizeof text, "%.17g ", value);
    if (out->encoding == 'a')
        put_text(out, text);
    else
        put_bits(out, size == 4 ? single_bits : bits, size);
}

static void end_line(builder *out) {
    if (out->encoding == 'a')
        put_text(out, "\n");
}

static void start(builder *out, char encoding) {
    out->size = 0;
    out->encoding = encoding;
    put_text(out, "ply\nformat ");
    put_text(out, encoding == 'a' ? "ascii" : encoding == 'l' ? "binary_little_endian" : "binary_big_endian");
    put_text(out, " 1.0\ncomment made by a test\nobj_info nothing\n");
}

static const char *store(const builder *out) {
    return test_file("made.ply", out->bytes, out->size);
}

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

static void assert_same(const lf_polygons *a, const lf_polygons *b) {
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->polygon_count, b->polygon_count);
    assert_memory_equal(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof(lf_vec3));
    assert_memory_equal(a->starts, b->starts, (size_t)(a->polygon_count + 1) * sizeof(int64_t));
    assert_memory_equal(a->corners, b->corners, (size_t)a->starts[a->polygon_count] * sizeof(int64_t));
}

/// A prism with quads and triangles, between elements and properties that nobody knows.
static void build_prism(builder *out, char encoding) {
    static const double corners[6][3] = {{0, 0, 0},   {4, 0, 0},   {0, 3, 0},
                                         {0, 0, 0.1}, {4, 0, 0.1}, {0, 3, 0.1}};
    static const int faces[5][4] = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
    start(out, encoding);
    put_text(out, "element odd 2\nproperty double a\nproperty list ushort short b\nelement plain 3\n"
                  "property uint8 c\nelement vertex 6\nproperty uchar red\nproperty double x\n"
                  "property list uint8 float32 w\nproperty float64 y\nproperty double z\n"
                  "element face 5\nproperty uint flags\nproperty list uchar int vertex_indices\n"
                  "property list char double uv\nelement end 1\nproperty char last\nend_header\n");
    for (int i = 0; i < 2; i++) {
        put_real(out, 0.5, 8), put_whole(out, i, 2);
        for (int k = 0; k < i; k++)
            put_whole(out, -300, 2);
        end_line(out);
    }
    for (int i = 0; i < 3; i++)
        put_whole(out, i, 1), end_line(out);
    for (int i = 0; i < 6; i++) {
        put_whole(out, 200, 1), put_real(out, corners[i][0], 8), put_whole(out, 2, 1);
        put_real(out, 1, 4), put_real(out, 2, 4);
        put_real(out, corners[i][1], 8), put_real(out, corners[i][2], 8), end_line(out);
    }
    for (int i = 0; i < 5; i++) {
        int count = faces[i][3] < 0 ? 3 : 4;
        put_whole(out, 7, 4), put_whole(out, count, 1);
        for (int k = 0; k < count; k++)
            put_whole(out, faces[i][k], 4);
        put_whole(out, 1, 1), put_real(out, 0.25, 8), end_line(out);
    }
    put_whole(out, -1, 1), end_line(out);
}

static void three_encodings_are_one_mesh(void **state) {
    (void)state;
    builder out;
    lf_polygon_file *files[3];
    for (int i = 0; i < 3; i++) {
        build_prism(&out, "alb"[i]);
        files[i] = read_good(store(&out));
    }
    lf_polygons first = lf_polygon_file_polygons(files[0]);
    assert_int_equal(first.vertex_count, 6);
    assert_int_equal(first.polygon_count, 5);
    assert_true(first.vertices[5].y == 3 && first.vertices[5].z == 0.1);
    assert_int_equal(first.starts[5], 18);
    assert_null(first.users);
    for (int i = 1; i < 3; i++) {
        lf_polygons other = lf_polygon_file_polygons(files[i]);
        assert_same(&first, &other);
    }
    lf_polygon_file_info info = lf_polygon_file_describe(files[2]);
    assert_string_equal(info.format, "PLY");
    assert_int_equal(info.cut_count + info.dropped_count + info.name_count, 0);
    assert_true(info.precision == ldexp(1, -51)); // half a step at 4
    for (int i = 0; i < 3; i++)
        lf_polygon_file_close(files[i]);
    lf_polygon_file_close(NULL);
}

/// Coordinates and vertex numbers of every type, faces before vertices.
static void every_type(void **state) {
    (void)state;
    static const struct {
        const char *name, *alias;
        int size;
        bool real;
    } types[] = {{"char", "int8", 1, false},     {"uchar", "uint8", 1, false},  {"short", "int16", 2, false},
                 {"ushort", "uint16", 2, false}, {"int", "int32", 4, false},    {"uint", "uint32", 4, false},
                 {"float", "float32", 4, true},  {"double", "float64", 8, true}};
    for (int t = 0; t < 8; t++)
        for (int e = 0; e < 3; e++) {
            builder out;
            char text[256];
            int n = types[t].real ? 4 : t; // numbers of vertices are whole
            start(&out, "alb"[e]);
            snprintf(text, sizeof text,
                     "element face 1\nproperty list %s %s vertex_index\nelement vertex 3\nproperty %s x\n"
                     "property %s y\nproperty %s z\nend_header\n",
                     types[n].name, types[n].alias, types[t].name, types[t].alias, types[t].name);
            put_text(&out, text);
            put_whole(&out, 3, types[n].size);
            for (int i = 0; i < 3; i++)
                put_whole(&out, i, types[n].size);
            end_line(&out);
            for (int i = 0; i < 9; i++) {
                double value = i == 3 ? 100 : i == 7 ? 50 : 0;
                if (types[t].real)
                    put_real(&out, -value, types[t].size);
                else
                    put_whole(&out, t % 2 ? value : -value, types[t].size);
                if (i % 3 == 2)
                    end_line(&out);
            }
            lf_polygon_file *file = read_good(store(&out));
            lf_polygons polygons = lf_polygon_file_polygons(file);
            double sign = types[t].real || t % 2 == 0 ? -1 : 1;
            assert_true(polygons.vertices[1].x == sign * 100 && polygons.vertices[2].y == sign * 50);
            double precision = lf_polygon_file_describe(file).precision;
            bool single = t == 6 && e > 0;
            assert_true(precision == ldexp(1, single ? -18 : -47)); // half a step at 100
            lf_polygon_file_close(file);
        }
}

static void strips_of_triangles(void **state) {
    (void)state;
    lf_polygon_file *file = read_good(test_text_file(
        "strip.ply",
        "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
        "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n11 0 1 2 3 3 -1 2 3 4 -1 0\n"));
    lf_polygons polygons = lf_polygon_file_polygons(file);
    static const int64_t wanted[] = {0, 1, 2, 2, 1, 3, 2, 3, 4};
    assert_int_equal(polygons.polygon_count, 3);
    assert_memory_equal(polygons.corners, wanted, sizeof wanted);
    lf_polygon_file_close(file);
}

#define HEAD "ply\nformat ascii 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACES "property list uchar int vertex_indices\nend_header\n"
#define TRIANGLE "0 0 0\n1 0 0\n0 1 0\n"

static void line_ends_of_all_kinds(void **state) {
    (void)state;
    static const char text[] = HEAD "element vertex 3\n" XYZ "element face 1\n" FACES TRIANGLE "\n3 0 1 2";
    char other[2 * sizeof text];
    for (int kind = 0; kind < 3; kind++) {
        size_t size = 0;
        for (const char *at = text; *at; at++) {
            if (*at == '\n' && kind > 0)
                other[size++] = '\r';
            if (*at != '\n' || kind < 2)
                other[size++] = *at;
        }
        lf_polygon_file *file = read_good(test_file("ends.ply", other, size));
        assert_int_equal(lf_polygon_file_polygons(file).polygon_count, 1);
        lf_polygon_file_close(file);
    }
}

/// The first byte of the body looks like a line end.
static void a_body_that_starts_with_a_line_end(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        builder out = {.encoding = 'l'};
        static const char *const ends[] = {"\n", "\r\n", "\r"};
        static const char *const lines[] = {"ply",
                                            "format binary_little_endian 1.0",
                                            "element vertex 3",
                                            "property char x",
                                            "property char y",
                                            "property char z",
                                            "element face 1",
                                            "property list uchar uchar vertex_indices",
                                            "end_header"};
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            put_text(&out, lines[i]), put_text(&out, ends[kind]);
        static const char body[] = {'\n', 0, 0, '\r', '\n', 0, 0, 7, 1, 3, 0, 1, 2};
        memcpy(out.bytes + out.size, body, sizeof body);
        out.size += sizeof body;
        lf_polygon_file *file = read_good(store(&out));
        assert_true(lf_polygon_file_polygons(file).vertices[0].x == '\n');
        lf_polygon_file_close(file);
    }
}

/// Cut a good file short at every byte: never accepted, never a crash.
static void truncated_everywhere(void **state) {
    (void)state;
    for (int e = 0; e < 3; e++) {
        builder out;
        build_prism(&out, "alb"[e]);
        size_t whole = out.size;
        if (e == 0) // a value that nobody looks at may lose its last digit
            whole -= 3;
        for (out.size = 0; out.size < whole; out.size++)
            read_bad(store(&out), LF_BAD_FORMAT);
    }
    builder out;
    build_prism(&out, 'l');
    out.size -= 30;
    lf_error error = read_bad(store(&out), LF_BAD_FORMAT);
    assert_non_null(strstr(error.text, "truncated: the file ends within face 4 of 5"));
    assert_int_equal(error.where, out.size);
}

static void bad_bytes(void **state) {
    (void)state;
    builder out, good;
    static const char head[] =
        "element vertex 3\n" XYZ "element face 1\nproperty list char int vertex_indices\nend_header\n";
    start(&good, 'b');
    put_text(&good, head);
    for (int i = 0; i < 9; i++)
        put_real(&good, i == 3 || i == 7, 4);
    put_whole(&good, 3, 1);
    for (int i = 0; i < 3; i++)
        put_whole(&good, i, 4);
    lf_polygon_file_close(read_good(store(&good)));
    size_t body = good.size - 36 - 13;
    out = good;
    out.size = body + 16, put_real(&out, (double)NAN, 4), out.size = good.size;
    assert_non_null(
        strstr(read_bad(store(&out), LF_BAD_FORMAT).text, "vertex 1: coordinate y is not a number"));
    out = good;
    out.size = body, put_real(&out, -(double)INFINITY, 4), out.size = good.size;
    lf_error error = read_bad(store(&out), LF_BAD_FORMAT);
    assert_non_null(strstr(error.text, "vertex 0: coordinate x is infinite"));
    assert_int_equal(error.where, body);
    out = good;
    out.size = body + 36, put_whole(&out, -1, 1), out.size = good.size;
    assert_non_null(strstr(read_bad(store(&out), LF_BAD_FORMAT).text, "face 0: a list has -1 values"));
    out = good;
    out.size = good.size - 4, put_whole(&out, 3, 4);
    assert_non_null(
        strstr(read_bad(store(&out), LF_BAD_FORMAT).text, "vertex number 3 is not within 0 to 2"));
    out = good;
    out.size = body + 36, put_whole(&out, 127, 1), out.size = good.size;
    assert_non_null(strstr(read_bad(store(&out), LF_BAD_FORMAT).text, "truncated"));
}

/// Random damage: anything but a crash.
static void damaged_bytes(void **state) {
    (void)state;
    test_random random = test_random_start(11);
    for (int round = 0; round < 600; round++) {
        builder out;
        build_prism(&out, "alb"[round % 3]);
        for (int64_t i = test_random_below(&random, 4) + 1; i > 0; i--)
            out.bytes[test_random_below(&random, (int64_t)out.size)] = (char)test_random_bits(&random);
        lf_polygon_file_def def = lf_polygon_file_def_default();
        lf_polygon_file *file = NULL;
        lf_error error;
        lf_status status = lf_polygon_file_read(store(&out), &def, &file, &error);
        assert_true(status == LF_OK || status == LF_BAD_FORMAT || status == LF_BAD_GEOMETRY);
        lf_polygon_file_close(file);
    }
}

static lf_status attempt_read(const lf_host *host, void *user) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    def.host = *host;
    lf_status status = lf_polygon_file_read(user, &def, &file, NULL);
    if (status == LF_OK)
        lf_polygon_file_close(file);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    builder out;
    build_prism(&out, 'l');
    char path[1024];
    strcpy(path, store(&out));
    test_out_of_memory(attempt_read, path);
    strcpy(path, test_text_file("concave.ply", HEAD "element vertex 4\n" XYZ "element face 3\n" FACES TRIANGLE
                                                    "0.2 0.2 0\n4 0 1 3 2\n2 0 1\n3 0 1 1\n"));
    test_out_of_memory(attempt_read, path);
}

static bool stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)done, (void)total;
    return strcmp(stage, user) != 0;
}

static void cancelled(void **state) {
    (void)state;
    static char stages[3][8] = {"read", "check", "cut"};
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 3; i++) {
            const char *path =
                test_text_file("flat.ply", HEAD "element vertex 3\n" XYZ "element face 2\n" FACES TRIANGLE
                                                "3 0 1 2\n3 0 1 1\n");
            builder out;
            build_prism(&out, 'l');
            if (e == 1 && i < 2)
                path = store(&out);
            lf_progress progress = {stages[i], stop};
            lf_polygon_file_def def = lf_polygon_file_def_default();
            def.host.progress = &progress;
            lf_polygon_file *file;
            assert_int_equal(lf_polygon_file_read(path, &def, &file, NULL), LF_CANCELLED);
        }
}

static void a_locale_with_a_decimal_comma(void **state) {
    (void)state;
    builder out;
    build_prism(&out, 'a');
    lf_polygon_file *here = read_good(store(&out));
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        fprintf(stderr, "skipped: the locale de_DE.UTF-8 is not installed\n");
        lf_polygon_file_close(here);
        return;
    }
    lf_polygon_file *there = read_good(store(&out));
    setlocale(LC_ALL, "C");
    lf_polygons a = lf_polygon_file_polygons(here), b = lf_polygon_file_polygons(there);
    assert_same(&a, &b);
    lf_polygon_file_close(there);
    lf_polygon_file_close(here);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_encodings_are_one_mesh),
        cmocka_unit_test(every_type),
        cmocka_unit_test(strips_of_triangles),
        cmocka_unit_test(line_ends_of_all_kinds),
        cmocka_unit_test(a_body_that_starts_with_a_line_end),
        cmocka_unit_test(truncated_everywhere),
        cmocka_unit_test(bad_bytes),
        cmocka_unit_test(damaged_bytes),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(a_locale_with_a_decimal_comma),
    };
    return cmocka_run_group_tests_name("io ply", tests, test_folder_make, test_folder_remove);
}
