// The process that reads what Assimp reads: whatever becomes of it, the caller gets polygons or a sentence,
// and goes on.
#include "files.h"
#include "polygon/polygon.h"
#include "support.h"
#include <landfall/io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// A tetrahedron and a quad as COLLADA: what Assimp has crashed on once its text was changed.
static const char collada[] =
    "<?xml version=\"1.0\"?>\n"
    "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">\n"
    "<asset><unit name=\"meter\" meter=\"1\"/><up_axis>Z_UP</up_axis></asset>\n"
    "<library_effects><effect id=\"e\"><profile_COMMON><technique sid=\"t\"><lambert><diffuse>"
    "<color>1 0 0 1</color></diffuse></lambert></technique></profile_COMMON></effect></library_effects>\n"
    "<library_materials><material id=\"m\" name=\"red\"><instance_effect url=\"#e\"/></material>"
    "</library_materials>\n"
    "<library_geometries><geometry id=\"g\" name=\"body\"><mesh>\n"
    "<source id=\"p\"><float_array id=\"pa\" count=\"15\">0 0 0 4 0 0 0 4 0 0 0 4 4 4 0</float_array>"
    "<technique_common><accessor source=\"#pa\" count=\"5\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common>"
    "</source>\n"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\n"
    "<polylist count=\"4\" material=\"m\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
    "<vcount>4 3 3 3</vcount><p>0 2 4 1 0 1 3 1 2 3 2 0 3</p></polylist>\n"
    "</mesh></geometry></library_geometries>\n"
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\" name=\"node\">"
    "<matrix>1 0 0 5 0 1 0 6 0 0 1 7 0 0 0 1</matrix><instance_geometry url=\"#g\"><bind_material>"
    "<technique_common><instance_material symbol=\"m\" target=\"#m\"/></technique_common></bind_material>"
    "</instance_geometry></node></visual_scene></library_visual_scenes>\n"
    "<scene><instance_visual_scene url=\"#s\"/></scene>\n</COLLADA>\n";

static lf_status read_file(const char *path, const lf_host *host, int64_t *polygons, lf_error *error) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    if (host)
        def.host = *host;
    lf_status status = lf_polygon_file_read(path, &def, &file, error);
    *polygons = file ? lf_polygon_file_polygons(file).polygon_count : -1;
    lf_polygon_file_close(file);
    return status;
}

/// In place of the program: a script.
static void use_script(const char *text) {
    const char *path = test_text_file("reader", text);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(setenv("LANDFALL_POLYGON_READER", path, 1), 0);
}

static void ends_as(const char *script, lf_status wanted, const char *words) {
    int64_t polygons;
    lf_error error = {0};
    use_script(script);
    lf_status status = read_file(test_text_file("any.dae", collada), NULL, &polygons, &error);
    unsetenv("LANDFALL_POLYGON_READER");
    if (status != wanted || !strstr(error.text, words) || !strstr(error.text, "any.dae: "))
        fail_msg("%d \"%s\" where %d and \"%s\" were expected", (int)status, error.text, (int)wanted, words);
}

static void every_end_has_its_message(void **state) {
    (void)state;
    ends_as("#!/bin/sh\nkill -SEGV $$\n", LF_BAD_FORMAT, "reader crashed (signal 11)");
    ends_as("#!/bin/sh\nkill -ABRT $$\n", LF_BAD_FORMAT, "reader crashed (signal 6)");
    ends_as("#!/bin/sh\nkill -XCPU $$\n", LF_BAD_FORMAT, "reader exceeded its limits");
    ends_as("#!/bin/sh\nexit 7\n", LF_BAD_FORMAT, "reader failed (exit status 7)");
    ends_as("#!/bin/sh\nexit 0\n", LF_BAD_FORMAT, "reader ended before its last polygon");
    ends_as("#!/bin/sh\nhead -c 5000 /dev/zero\n", LF_BAD_FORMAT, "reader sent an invalid header");
    assert_int_equal(setenv("LANDFALL_POLYGON_READER", "/nowhere/at/all", 1), 0);
    int64_t polygons;
    lf_error error = {0};
    assert_int_equal(read_file(test_text_file("any.dae", collada), NULL, &polygons, &error), LF_UNSUPPORTED);
    assert_non_null(strstr(error.text, "landfall-polygon-reader"));
    unsetenv("LANDFALL_POLYGON_READER");
}

/// Polygons that no reader may send are refused one by one: whatever wrote them, the library does not believe it.
static void nothing_is_believed(void **state) {
    (void)state;
    struct {
        lf__reader_head head;
        lf_vec3 vertices[3];
        int64_t corners[3], starts[2];
        uint64_t user;
        char name[2];
    } all, bad;
    memset(&all, 0, sizeof all);
    all.head = (lf__reader_head){
        .magic = LF__READER_MAGIC, .vertices = 3, .corners = 3, .polygons = 1, .names = 1, .name_bytes = 2};
    all.vertices[1].x = all.vertices[2].y = 1;
    all.corners[1] = 1, all.corners[2] = 2, all.starts[1] = 3;
    all.name[0] = 'a';
    size_t size = offsetof(__typeof__(all), name) + 2;
    for (int fault = 0; fault < 13; fault++) {
        bad = all;
        if (fault == 1)
            bad.corners[1] = 3;
        else if (fault == 2)
            bad.corners[1] = -1;
        else if (fault == 3)
            bad.vertices[0].z = LF_NAN;
        else if (fault == 4)
            bad.starts[0] = 1;
        else if (fault == 5)
            bad.starts[1] = 4;
        else if (fault == 6)
            bad.user = 1;
        else if (fault == 7)
            bad.head.vertices = (int64_t)1 << 39; // more than comes
        else if (fault == 8)
            bad.head.polygons = -1;
        else if (fault == 9)
            bad.name[1] = 'b'; // without an end
        else if (fault == 10)
            bad.head.precision = LF_NAN;
        else if (fault == 11)
            bad.head.status = 3;
        else if (fault == 12)
            bad.starts[1] = INT64_MIN;
        char script[300];
        int64_t polygons;
        lf_error error = {0};
        test_file("sent", &bad, size);
        snprintf(script, sizeof script, "#!/bin/sh\ncat %s\n", test_path("sent"));
        use_script(script);
        lf_status status = read_file(test_text_file("any.dae", collada), NULL, &polygons, &error);
        if (fault == 0 && (status != LF_OK || polygons != 1))
            fail_msg("what is right is refused: %s", error.text);
        if (fault > 0 && (status != LF_BAD_FORMAT || !strstr(error.text, "reader")))
            fail_msg("fault %d: status %d \"%s\"", fault, (int)status, error.text);
    }
    unsetenv("LANDFALL_POLYGON_READER");
}

static bool stop_at_once(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return false;
}

/// A reader that hangs is stopped by whoever cancels.
static void cancelled_while_it_hangs(void **state) {
    (void)state;
    lf_progress progress = {NULL, stop_at_once};
    lf_host host = {.progress = &progress};
    int64_t polygons;
    lf_error error = {0};
    use_script("#!/bin/sh\nexec sleep 1000\n");
    assert_int_equal(read_file(test_text_file("any.dae", collada), &host, &polygons, &error), LF_CANCELLED);
    unsetenv("LANDFALL_POLYGON_READER");
}

static void changed(char *text, size_t size, test_random *random) {
    for (int64_t k = 1 + test_random_below(random, 2); k > 0; k--) {
        size_t at = (size_t)test_random_below(random, (int64_t)size);
        size_t more = (size_t)test_random_below(random, 12);
        if (test_random_below(random, 2))
            text[at] = (char)(32 + test_random_below(random, 90));
        else if (at + more < size) // a piece is gone
            memmove(text + at, text + at + more, size - at - more + 1);
    }
}

/// Changed files, several threads at a time: each is read or refused with a reason, and the process lives on.
static void read_some(void *job, int64_t first, int64_t last, int worker) {
    (void)worker;
    _Atomic int64_t *counts = job;
    for (int64_t k = first; k < last; k++) {
        test_random random = test_random_start(1600 + (uint64_t)k);
        char text[sizeof collada], path[400];
        memcpy(text, collada, sizeof text);
        if (k > 0)
            changed(text, strlen(text), &random);
        snprintf(path, sizeof path, "%s-%lld.dae", test_path("mutant"), (long long)k);
        FILE *out = fopen(path, "wb");
        if (!out || fputs(text, out) < 0 || fclose(out) != 0)
            abort();
        int64_t polygons;
        lf_error error = {0};
        lf_status status = read_file(path, NULL, &polygons, &error);
        if (status != LF_OK && error.text[0] == 0)
            abort();
        counts[status == LF_OK ? 0 : strstr(error.text, "crashed") ? 2 : 1]++;
        remove(path);
    }
}

static void mutants_of_collada(void **state) {
    (void)state;
    _Atomic int64_t counts[3] = {0};
    lf_tasks tasks = test_tasks(3);
    lf__run(&tasks, test_long() ? 2000 : 60, 4, read_some, (void *)counts);
    printf("%lld read, %lld refused, %lld crashed\n", (long long)counts[0], (long long)counts[1],
           (long long)counts[2]);
    assert_true(counts[0] > 0 && counts[1] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_end_has_its_message),
        cmocka_unit_test(nothing_is_believed),
        cmocka_unit_test(cancelled_while_it_hangs),
        cmocka_unit_test(mutants_of_collada),
    };
    return cmocka_run_group_tests_name("io_reader", tests, test_folder_make, test_folder_remove);
}
