#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lf_polygon_file *read_only(const char *text, const char *const *only, int64_t only_count) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_error error;
    def.only = only;
    def.only_count = only_count;
    if (lf_polygon_file_read(test_text_file("made.obj", text), &def, &file, &error) != LF_OK)
        fail_msg("%s", error.text);
    return file;
}

static lf_polygon_file *read_text(const char *text) {
    return read_only(text, NULL, 0);
}

/// A text as an OBJ file, refused at a line with a message that holds some words.
static void refused(const char *text, lf_status status, int64_t line, const char *words) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_error error = {0};
    assert_int_equal(lf_polygon_file_read(test_text_file("bad.obj", text), &def, &file, &error), status);
    assert_null(file);
    assert_int_equal(error.where, line);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void corners_of_every_kind(void **state) {
    (void)state;
    static const char *const faces[] = {"f 1 2 3 4\n",
                                        "f 1/1 2/2 3/3 4/4\n",
                                        "f 1//1 2//1 3//1 4//1\n",
                                        "f 1/1/1 2/2/2 3/3/3 4/4/4\n",
                                        "f -4 -3 -2 -1\n",
                                        "f -4/-4/-1 -3/-3/-1 -2//-1 -1\n",
                                        "f 1 2 \\\n 3 4\n",
                                        "f\t+1  2 \\\r\n\\\n 3 4 # a remark\n",
                                        "f 1/ 2/ 3/ 4/",
                                        "  f 1 2 3 4   \r\n",
                                        "fo 1 2 3 4\n",
                                        "f 1 2 3 4\\"};
    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++) {
        char text[256];
        snprintf(text, sizeof text, SQUARE "%s", faces[i]);
        lf_polygon_file *file = read_text(text);
        lf_polygons polygons = lf_polygon_file_polygons(file);
        static const int64_t wanted[] = {0, 1, 2, 3};
        assert_int_equal(polygons.polygon_count, 1);
        assert_int_equal(polygons.starts[1], 4);
        assert_memory_equal(polygons.corners, wanted, sizeof wanted);
        assert_null(polygons.users);
        assert_string_equal(lf_polygon_file_describe(file).format, "OBJ");
        lf_polygon_file_close(file);
    }
}

static void what_else_a_file_may_hold(void **state) {
    (void)state;
    lf_polygon_file *file =
        read_text("# a remark that ends in a backslash \\\n"
                  "6540\nmtllib some file.mtl\n\n   \n#\ns off\n"
                  "f 1 2 3\n" // vertices may come later
                  "v 1.5 -2.25e1 .5\nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5\nv 0 0 9 1 0.5 0.5 0.5 1\n"
                  "vt 0 \\\n f\nvn 0 0 1\nl 1 2\np 1\nvp 0.5\n"
                  "f 1 4 2");
    lf_polygons polygons = lf_polygon_file_polygons(file);
    assert_int_equal(polygons.vertex_count, 4);
    assert_int_equal(polygons.polygon_count, 2);
    assert_true(polygons.vertices[0].x == 1.5 && polygons.vertices[0].y == -22.5 &&
                polygons.vertices[0].z == 0.5);
    assert_true(lf_polygon_file_describe(file).precision == ldexp(1, -49)); // half a step at 22.5
    lf_polygon_file_close(file);
}

static void bad_lines(void **state) {
    (void)state;
    refused(SQUARE "f 1 2 x\n", LF_BAD_FORMAT, 5, "line 5: not a corner of a polygon: \"x\"");
    refused(SQUARE "f 1 2 3a\n", LF_BAD_FORMAT, 5, "\"3a\"");
    refused(SQUARE "f 1 2 3/a\n", LF_BAD_FORMAT, 5, "\"3/a\"");
    refused(SQUARE "f 1 2 3/1/2/3\n", LF_BAD_FORMAT, 5, "\"3/1/2/3\"");
    refused(SQUARE "f 1 2 3.5\n", LF_BAD_FORMAT, 5, "\"3.5\"");
    refused(SQUARE "f 1 2 /3\n", LF_BAD_FORMAT, 5, "\"/3\"");
    refused(SQUARE "f 1 2 99999999999999999999\n", LF_BAD_FORMAT, 5, "\"99999999999999999999\"");
    refused(SQUARE "f 1 2 0\n", LF_BAD_FORMAT, 5, "no vertex 0 (4 so far)");
    refused(SQUARE "f 1 2 -5\n", LF_BAD_FORMAT, 5, "no vertex -5");
    refused(SQUARE "f 1 2 -9223372036854775808\n", LF_BAD_FORMAT, 5, "no vertex -9223372036854775808");
    refused(SQUARE "f 1 2 5\nf 1 2 7\nf 1 2 6", LF_BAD_FORMAT, 6, "no vertex 7 (the file has 4)");
    refused(SQUARE "f 1 2 9223372036854775807\n", LF_BAD_FORMAT, 5, "9223372036854775807");
    refused(SQUARE "f\n", LF_BAD_FORMAT, 5, "a polygon without corners");
    refused("v 1 2\n", LF_BAD_FORMAT, 1, "line 1: a vertex of 2 numbers");
    refused("v\n", LF_BAD_FORMAT, 1, "a vertex of 0 numbers");
    refused("\nv 1 2 three\n", LF_BAD_FORMAT, 2, "not a number in a vertex: \"three\"");
    refused("v 1 2 3,5\n", LF_BAD_FORMAT, 1, "\"3,5\"");
    refused("v 1 2 3 4 5 6 7 8 9\n", LF_BAD_FORMAT, 1, "too many numbers in a vertex: \"9\"");
    refused("v 0 0 0\nv 0 \\\n nan 0\n", LF_BAD_FORMAT, 3, "vertex 2 is not finite");
    refused("v 0 0 -inf\n", LF_BAD_FORMAT, 1, "vertex 1 is not finite");
    refused("v 0 1e400 0\n", LF_BAD_FORMAT, 1, "vertex 1 is not finite");
    refused("", LF_BAD_GEOMETRY, -1, "no polygons");
    refused(SQUARE, LF_BAD_GEOMETRY, -1, "no polygons");
    refused(SQUARE "f 1 2\nf 1 1 1\nf 1 2 1\n", LF_BAD_GEOMETRY, -1, "all 3 have no area");
}

static const char named[] = SQUARE "v 0 0 1\nf 1 2 5\n"
                                   "o house\nf 1 2 3\n"
                                   "usemtl red brick\ng wall outside\nf 1 3 4\n"
                                   "g\nf 2 3 5\nusemtl\n"
                                   "o garden shed  \r\nf 3 4 5\n"
                                   "usemtl red brick\ng roof\nf 1 2 4\n";

static void names_of_polygons(void **state) {
    (void)state;
    lf_polygon_file *file = read_text(named);
    lf_polygons polygons = lf_polygon_file_polygons(file);
    static const char *const wanted[] = {NULL, "house", "wall", "house", "garden shed", "roof"};
    assert_int_equal(polygons.polygon_count, 6);
    for (int64_t i = 0; i < 6; i++) {
        const char *name = lf_polygon_file_name(file, (int64_t)polygons.users[i]);
        if (wanted[i])
            assert_string_equal(name, wanted[i]);
        else
            assert_null(name);
    }
    assert_true(polygons.users[0] == UINT64_MAX);
    assert_int_equal(lf_polygon_file_describe(file).name_count, 6);
    assert_string_equal(lf_polygon_file_name(file, 1), "red brick");
    assert_string_equal(lf_polygon_file_name(file, 3), "outside");
    assert_null(lf_polygon_file_name(file, 6));
    assert_null(lf_polygon_file_name(file, -1));
    lf_polygon_file_close(file);
}

static void only_what_is_named(void **state) {
    (void)state;
    static const struct {
        const char *names[2];
        int64_t count, polygons;
    } cases[] = {{{"house", NULL}, 1, 3},        {{"red brick", NULL}, 1, 3},   {{"wall", NULL}, 1, 1},
                 {{"outside", NULL}, 1, 1},      {{"garden shed", NULL}, 1, 2}, {{"roof", "wall"}, 2, 2},
                 {{"house", "red brick"}, 2, 4}, {{"house", "house"}, 2, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lf_polygon_file *file = read_only(named, cases[i].names, cases[i].count);
        assert_int_equal(lf_polygon_file_polygons(file).polygon_count, cases[i].polygons);
        lf_polygon_file_close(file);
    }
}

static void names_that_do_not_occur(void **state) {
    (void)state;
    const char *wanted[] = {"house", "attic"};
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_error error;
    def.only = wanted;
    def.only_count = 2;
    assert_int_equal(lf_polygon_file_read(test_text_file("n.obj", named), &def, &file, &error),
                     LF_BAD_ARGUMENT);
    assert_int_equal(error.where, 1);
    assert_non_null(strstr(
        error.text,
        "no object, group or material \"attic\"; names: house, red brick, wall, outside, garden shed, roof"));
    assert_int_equal(lf_polygon_file_read(test_text_file("n.obj", SQUARE "f 1 2 3"), &def, &file, &error),
                     LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "the file has no names"));
    def.only_count = 1;
    assert_int_equal(
        lf_polygon_file_read(test_text_file("n.obj", SQUARE "f 1 2 3\no house"), &def, &file, &error),
        LF_BAD_GEOMETRY);
    assert_non_null(strstr(error.text, "none of the requested names has polygons"));
    assert_null(file);
}

/// Thousands of names: each is found again, and the message lists as many as fit.
static void many_names(void **state) {
    (void)state;
    enum { COUNT = 5000 };
    char *text = malloc(COUNT * 32);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, SQUARE);
    for (int i = 0; i < COUNT; i++)
        used += (size_t)sprintf(text + used, "g part%d\nf 1 2 %d\n", i % 2500, 3 + i % 2);
    lf_polygon_file *file = read_text(text);
    lf_polygons polygons = lf_polygon_file_polygons(file);
    assert_int_equal(lf_polygon_file_describe(file).name_count, 2500);
    for (int64_t i = 0; i < COUNT; i++)
        assert_int_equal(polygons.users[i], i % 2500);
    assert_string_equal(lf_polygon_file_name(file, 2499), "part2499");
    lf_polygon_file_close(file);
    const char *wanted[] = {"none"};
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_error error;
    def.only = wanted;
    def.only_count = 1;
    assert_int_equal(lf_polygon_file_read(test_path("made.obj"), &def, &file, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "part0, part1, "));
    assert_non_null(strstr(error.text, " more"));
    free(text);
}

static void cutting_and_dropping(void **state) {
    (void)state;
    lf_polygon_file *file =
        read_text("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 1 2 0\nv 4 4 1\nv 4 4 0.0005\nv 2 0 0\n"
                  "f 1 2 3 4\n"     // fine
                  "f 1 2 3 4 5\n"   // not convex
                  "f 1 2 6 4\n"     // not flat
                  "f 1 2 7 4\n"     // flat enough
                  "f 1 2 4 3\n"     // crosses itself: two triangles
                  "f 1 8 2\n"       // no area
                  "f 1 2 2\n"       // no area
                  "f 1 2\n"         // a line
                  "f 1 8 2 3 4\n"); // a corner on a straight edge
    lf_polygons polygons = lf_polygon_file_polygons(file);
    lf_polygon_file_info info = lf_polygon_file_describe(file);
    assert_int_equal(info.cut_count, 3);
    assert_int_equal(info.dropped_count, 3);
    assert_int_equal(polygons.polygon_count, 3 + 3 + 2 + 2);
    double area = 0;
    for (int64_t i = 1; i < 4; i++) { // the concave one, in three pieces
        lf_vec3 points[3];
        assert_int_equal(polygons.starts[i + 1] - polygons.starts[i], 3);
        for (int k = 0; k < 3; k++)
            points[k] = polygons.vertices[polygons.corners[polygons.starts[i] + k]];
        area += lf_polygon_area(points, 3).z;
    }
    assert_true(area == 14); // the square without the notch; all pieces turn the same way
    lf_polygon_file_close(file);
}

/// What is left is what a mesh accepts, whatever the polygons were.
static void random_polygons_come_out_convex(void **state) {
    (void)state;
    test_random random = test_random_start(21);
    enum { VERTICES = 60, POLYGONS = 400 };
    char *text = malloc(100000);
    assert_non_null(text);
    size_t used = 0;
    for (int i = 0; i < VERTICES; i++)
        used += (size_t)sprintf(text + used, "v %d %d %d\n", (int)test_random_below(&random, 9),
                                (int)test_random_below(&random, 9), (int)test_random_below(&random, 9) / 8);
    for (int i = 0; i < POLYGONS; i++) {
        used += (size_t)sprintf(text + used, "f");
        for (int64_t k = 3 + test_random_below(&random, 5); k > 0; k--)
            used += (size_t)sprintf(text + used, " %d", 1 + (int)test_random_below(&random, VERTICES));
        used += (size_t)sprintf(text + used, "\n");
    }
    lf_polygon_file *file = read_text(text);
    lf_polygons polygons = lf_polygon_file_polygons(file);
    for (int64_t i = 0; i < polygons.polygon_count; i++) {
        lf_vec3 points[8];
        int64_t count = polygons.starts[i + 1] - polygons.starts[i];
        assert_true(count >= 3 && count <= 8);
        for (int64_t k = 0; k < count; k++)
            points[k] = polygons.vertices[polygons.corners[polygons.starts[i] + k]];
        assert_int_equal(lf_polygon_check(points, count, 0.001, NULL), LF_POLYGON_FINE);
    }
    assert_true(lf_polygon_file_describe(file).cut_count > 0 &&
                lf_polygon_file_describe(file).dropped_count > 0);
    lf_polygon_file_close(file);
    free(text);
}

/// A star with more corners than can be cut up; a circle of them is fine.
static void very_many_corners(void **state) {
    (void)state;
    enum { COUNT = 10001 };
    char *text = malloc(COUNT * 80);
    assert_non_null(text);
    for (int star = 0; star < 2; star++) {
        size_t used = 0;
        for (int i = 0; i < COUNT; i++) {
            double angle = 2 * acos(-1) * i / COUNT, radius = star && i % 2 ? 500 : 1000;
            used +=
                (size_t)sprintf(text + used, "v %.17g %.17g 0\n", radius * cos(angle), radius * sin(angle));
        }
        used += (size_t)sprintf(text + used, "f");
        for (int i = 1; i <= COUNT; i++)
            used += (size_t)sprintf(text + used, " %d", i);
        if (star) {
            refused(text, LF_TOO_LARGE, 0, "has 10001 corners; at most 10000 can be cut up");
        } else {
            lf_polygon_file *file = read_text(text);
            assert_int_equal(lf_polygon_file_polygons(file).starts[1], COUNT);
            lf_polygon_file_close(file);
        }
    }
    free(text);
}

static void bad_arguments(void **state) {
    (void)state;
    lf_polygon_file_def def;
    lf_polygon_file *file = NULL;
    lf_error error;
    const char *nothing[] = {NULL};
    def = lf_polygon_file_def_default();
    assert_true(def.size == sizeof def && def.tolerance == 0.001);
    assert_int_equal(lf_polygon_file_read(NULL, &def, &file, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_polygon_file_read("x.obj", NULL, &file, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_polygon_file_read("x.obj", &def, NULL, &error), LF_BAD_ARGUMENT);
    def.tolerance = (double)NAN;
    assert_int_equal(lf_polygon_file_read("x.obj", &def, &file, &error), LF_BAD_ARGUMENT);
    def = lf_polygon_file_def_default();
    def.only_count = 1;
    assert_int_equal(lf_polygon_file_read("x.obj", &def, &file, &error), LF_BAD_ARGUMENT);
    def.only = nothing;
    assert_int_equal(lf_polygon_file_read("x.obj", &def, &file, &error), LF_BAD_ARGUMENT);
    def = lf_polygon_file_def_default();
    assert_int_equal(lf_polygon_file_read(test_path("missing.obj"), &def, &file, &error), LF_IO_FAILED);
    assert_non_null(strstr(error.text, "missing.obj"));
    assert_int_equal(lf_polygon_file_read(test_path("city.json"), &def, &file, &error), LF_UNSUPPORTED);
    assert_non_null(strstr(error.text, "\"json\": expected ply, obj, stl, off, gltf, glb, dae or 3ds"));
    assert_int_equal(lf_polygon_file_read("a.b/c", &def, &file, &error), LF_UNSUPPORTED);
    assert_int_equal(lf_polygon_file_read("nothing", &def, &file, NULL), LF_UNSUPPORTED);
    char text[300];
    memset(text, 'x', sizeof text);
    strcpy(text + 250, "END.xyz");
    assert_int_equal(lf_polygon_file_read(text, &def, &file, &error), LF_UNSUPPORTED);
    assert_non_null(strstr(error.text, "xEND.xyz: no mesh format"));
    assert_null(file);
}

static void endings_in_capitals(void **state) {
    (void)state;
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    assert_int_equal(lf_polygon_file_read(test_text_file("LOUD.OBJ", SQUARE "f 1 2 3"), &def, &file, NULL),
                     LF_OK);
    lf_polygon_file_close(file);
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
    char path[1024], text[2048];
    size_t used = (size_t)sprintf(text, "%sf 1 2 3 4 5\n", named);
    for (int i = 0; i < 20; i++)
        used += (size_t)sprintf(text + used, "g a%d b%d\nv %d %d 0\nf -1 -2 -3\n", i, i, i, i * i);
    strcpy(path, test_text_file("memory.obj", text));
    test_out_of_memory(attempt_read, path);
}

static bool stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return false;
}

static void cancelled(void **state) {
    (void)state;
    lf_progress progress = {NULL, stop};
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    def.host.progress = &progress;
    assert_int_equal(lf_polygon_file_read(test_text_file("c.obj", named), &def, &file, NULL), LF_CANCELLED);
}

static void a_locale_with_a_decimal_comma(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        fprintf(stderr, "skipped: the locale de_DE.UTF-8 is not installed\n");
        return;
    }
    lf_polygon_file *file = read_text("v 0.5 0 0\nv 1.25 0 0\nv 0 0.12345678901234567890123 0\nf 1 2 3\n");
    setlocale(LC_ALL, "C");
    const lf_vec3 *vertices = lf_polygon_file_polygons(file).vertices;
    assert_true(vertices[0].x == 0.5 && vertices[1].x == 1.25 && vertices[2].y == 0.12345678901234567890123);
    lf_polygon_file_close(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_of_every_kind),
        cmocka_unit_test(what_else_a_file_may_hold),
        cmocka_unit_test(bad_lines),
        cmocka_unit_test(names_of_polygons),
        cmocka_unit_test(only_what_is_named),
        cmocka_unit_test(names_that_do_not_occur),
        cmocka_unit_test(many_names),
        cmocka_unit_test(cutting_and_dropping),
        cmocka_unit_test(random_polygons_come_out_convex),
        cmocka_unit_test(very_many_corners),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(endings_in_capitals),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(a_locale_with_a_decimal_comma),
    };
    return cmocka_run_group_tests_name("io obj", tests, test_folder_make, test_folder_remove);
}
