#include "files.h"
#include "support.h"
#include <landfall/io.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lf_polygon_file *read_good(const char *path) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_error error;
    if (lf_polygon_file_read(path, &def, &file, &error) != LF_OK)
        fail_msg("%s", error.text);
    return file;
}

static void refused(const char *path, lf_status status, const char *words) {
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    lf_error error = {0};
    assert_int_equal(lf_polygon_file_read(path, &def, &file, &error), status);
    assert_null(file);
    if (!strstr(error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", error.text, words);
}

static void refused_text(const char *name, const char *text, const char *words) {
    refused(test_text_file(name, text), LF_BAD_FORMAT, words);
}

static void assert_vertex(const lf_polygons *polygons, int64_t corner, double x, double y, double z) {
    lf_vec3 p = polygons->vertices[polygons->corners[corner]];
    if (fabs(p.x - x) + fabs(p.y - y) + fabs(p.z - z) > 1e-5)
        fail_msg("corner %d is %g %g %g, not %g %g %g", (int)corner, p.x, p.y, p.z, x, y, z);
}

/// Bytes in little-endian order.
typedef struct bytes {
    unsigned char data[4096];
    size_t size;
} bytes;

static void put(bytes *out, uint64_t value, int size) {
    for (int i = 0; i < size; i++)
        out->data[out->size++] = (unsigned char)(value >> 8 * i);
}

static void put_float(bytes *out, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(out, bits, 4);
}

static void put_bytes(bytes *out, const void *data, size_t size) {
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

// ---------------------------------------------------------------------------------------------------
// STL
// ---------------------------------------------------------------------------------------------------

#define FACET(z)                                                                        \
    "facet normal 0 0 1\nouter loop\nvertex 0 0 " z "\nvertex 4 0 " z "\nvertex 0 3 " z \
    "\nendloop\nendfacet\n"
#define SECOND "facet normal 0 0 1\nouter loop\nvertex 4 0 0\nvertex 4 3 0\nvertex 0 3 0\nendloop\nendfacet\n"

static void stl_text(void **state) {
    (void)state;
    lf_polygon_file *file = read_good(test_text_file(
        "a.stl", "solid floor\n" FACET("0") SECOND "endsolid floor\nsolid roof\n" FACET("2.5") "endsolid\n"));
    lf_polygons polygons = lf_polygon_file_polygons(file);
    assert_int_equal(polygons.polygon_count, 3);
    assert_int_equal(polygons.vertex_count, 4 + 3); // the floor's triangles share two
    assert_vertex(&polygons, 8, 0, 3, 2.5);
    assert_string_equal(lf_polygon_file_name(file, (int64_t)polygons.users[0]), "floor");
    assert_string_equal(lf_polygon_file_name(file, (int64_t)polygons.users[2]), "roof");
    assert_string_equal(lf_polygon_file_describe(file).format, "STL");
    assert_true(lf_polygon_file_describe(file).precision == ldexp(1, -22)); // half a single step at 4
    lf_polygon_file_close(file);
    const char *only[] = {"roof"};
    lf_polygon_file_def def = lf_polygon_file_def_default();
    def.only = only, def.only_count = 1;
    assert_int_equal(lf_polygon_file_read(test_path("a.stl"), &def, &file, NULL), LF_OK);
    assert_int_equal(lf_polygon_file_polygons(file).polygon_count, 1);
    lf_polygon_file_close(file);
    lf_error error;
    only[0] = "cellar";
    assert_int_equal(lf_polygon_file_read(test_path("a.stl"), &def, &file, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "floor, roof"));
}

static void make_binary_stl(bytes *out, int facets) {
    out->size = 0;
    for (int i = 0; i < 80; i++)
        put(out, ' ', 1);
    put(out, (uint64_t)facets, 4);
    for (int i = 0; i < facets; i++) {
        const float points[12] = {0, 0, 1, 0, 0, (float)i, 4, 0, (float)i, 0, 3, (float)i};
        for (int k = 0; k < 12; k++)
            put_float(out, points[k]);
        put(out, 0, 2);
    }
}

static void stl_binary(void **state) {
    (void)state;
    bytes out;
    make_binary_stl(&out, 3);
    lf_polygon_file *file = read_good(test_file("b.stl", out.data, out.size));
    lf_polygons polygons = lf_polygon_file_polygons(file);
    assert_int_equal(polygons.polygon_count, 3);
    assert_int_equal(polygons.vertex_count, 9);
    assert_vertex(&polygons, 7, 4, 0, 2);
    assert_int_equal(lf_polygon_file_describe(file).name_count, 0);
    assert_null(polygons.users);
    lf_polygon_file_close(file);
    for (size_t size = 0; size < out.size; size += 7)
        refused(test_file("b.stl", out.data, size), LF_BAD_FORMAT, size == 0 ? "empty" : "truncated");
    float bad = (float)NAN;
    memcpy(out.data + 84 + 12, &bad, 4);
    refused(test_file("b.stl", out.data, out.size), LF_BAD_FORMAT,
            "vertex 0 of mesh (without a name) is not finite");
}

static void stl_that_is_bad(void **state) {
    (void)state;
    refused_text("c.stl", "solid a\n" FACET("0"), "truncated: the file ends in line 9 within a solid");
    refused_text("c.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0",
                 "truncated: the file ends in line 5 within a facet");
    refused_text("c.stl", "solid a\n" FACET("x") "endsolid\n", "line 4: not a coordinate: \"x\"");
    refused_text("c.stl", "solid a\n" FACET("nan") "endsolid\n", "a coordinate is not finite: \"nan\"");
    refused_text("c.stl",
                 "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\n",
                 "line 7: out of place in an STL file: \"endfacet\"");
    refused_text("c.stl", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not an STL file");
    refused(test_text_file("c.stl", "solid a\nendsolid a\n"), LF_BAD_GEOMETRY, "no polygons");
}

// ---------------------------------------------------------------------------------------------------
// OFF
// ---------------------------------------------------------------------------------------------------

static void off_text(void **state) {
    (void)state;
    lf_polygon_file *file =
        read_good(test_text_file("a.off", "OFF\n# a remark\n5 4 0\n\n0 0 0\n4 0 0\n4 3 0\n0 3 0\n"
                                          "1 1 0\n4 0 1 2 3\n3 0 1 2 255 0 0\n2 0 1\n5 0 1 2 3 4\n"));
    lf_polygons polygons = lf_polygon_file_polygons(file);
    lf_polygon_file_info info = lf_polygon_file_describe(file);
    assert_int_equal(polygons.vertex_count, 5);
    assert_int_equal(info.dropped_count, 1); // the line
    assert_int_equal(info.cut_count, 1);     // the one with a notch
    assert_int_equal(polygons.polygon_count, 2 + 3);
    assert_int_equal(polygons.starts[1], 4);
    assert_string_equal(info.format, "OFF");
    lf_polygon_file_close(file);
}

static void off_that_is_bad(void **state) {
    (void)state;
    refused_text("b.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n",
                 "line 6: vertex number out of range: \"7\"");
    refused_text("b.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n", "line 6: not a vertex number: \"\"");
    refused_text("b.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n-3 0 1\n",
                 "line 6: not a number of corners: \"-3\"");
    refused_text("b.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "ends before polygon 1 of 2");
    refused_text("b.off", "OFF\n3000000000000000000 2 0\n0 0 0\n1 0 0\n",
                 "ends before vertex 2 of 3000000000000000000");
    refused_text("b.off", "OFF\n3 1 0\n0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n",
                 "line 4: a coordinate is not finite: \"inf\"");
    refused_text("b.off", "OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n", "line 4: not a coordinate: \"\"");
    refused_text("b.off", "OFF\nthree 1 0\n", "not a number of vertices: \"three\"");
    refused_text("b.off", "OFF\n3\n", "not a number of polygons: \"\"");
    refused_text("b.off", "ply\n3 1 0\n", "not an OFF file: it starts with \"ply\"");
    refused_text("b.off", "\n\n", "not an OFF file");
}

/// A coordinate that single precision cannot hold is told of in the log.
static void remember(void *user, lf_log_level level, const char *text) {
    assert_int_equal(level, LF_LOG_WARNING);
    snprintf(user, 256, "%s", text);
}

static void single_precision_is_told_of(void **state) {
    (void)state;
    char heard[256] = "";
    lf_log log = {heard, remember};
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file;
    def.host.log = &log;
    const char *path = test_text_file("far.off", "OFF\n3 1 0\n0 0 0\n16000 0 0\n0 100 0\n3 0 1 2\n");
    assert_int_equal(lf_polygon_file_read(path, &def, &file, NULL), LF_OK);
    assert_string_equal(heard, ""); // steps of 0.98 mm
    lf_polygon_file_close(file);
    path = test_text_file("far.off", "OFF\n3 1 0\n0 0 0\n40000 0 0\n0 100 0\n3 0 1 2\n");
    assert_int_equal(lf_polygon_file_read(path, &def, &file, NULL), LF_OK);
    assert_non_null(strstr(heard, "single precision: coordinates up to 40000 m come in steps of 4 mm"));
    assert_true(lf_polygon_file_describe(file).precision == ldexp(1, -9));
    lf_polygon_file_close(file);
}

// ---------------------------------------------------------------------------------------------------
// glTF and GLB
// ---------------------------------------------------------------------------------------------------

/// One triangle (1 2 3), (5 2 3), (1 5 3) with y up, twice as large and moved by a node within a node.
static const char scene_text[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":["
    "{\"name\":\"island\",\"translation\":[100,0,0],\"children\":[1]},"
    "{\"name\":\"hill\",\"scale\":[2,2,2],\"mesh\":0}],"
    "\"meshes\":[{\"name\":\"slope\",\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,"
    "\"material\":0}]}],"
    "\"materials\":[{\"name\":\"grass\"}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[1,2,3],"
    "\"max\":[5,5,3]},"
    "{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,"
    "\"byteLength\":6}],"
    "\"buffers\":[{%s\"byteLength\":44}]}";

static void make_buffer(bytes *out) {
    const float points[9] = {1, 2, 3, 5, 2, 3, 1, 5, 3};
    for (int i = 0; i < 9; i++)
        put_float(out, points[i]);
    put(out, 0, 2), put(out, 1, 2), put(out, 2, 2), put(out, 0, 2);
}

static void check_scene(const char *path, const char *format) {
    static const char *const names[] = {"island", "hill", "slope", "grass"};
    lf_polygon_file *file = read_good(path);
    lf_polygons polygons = lf_polygon_file_polygons(file);
    assert_int_equal(polygons.polygon_count, 1);
    assert_vertex(&polygons, 0, 102, -6, 4); // y up becomes z up
    assert_vertex(&polygons, 1, 110, -6, 4);
    assert_vertex(&polygons, 2, 102, -6, 10);
    assert_string_equal(lf_polygon_file_name(file, (int64_t)polygons.users[0]), "hill");
    assert_string_equal(lf_polygon_file_describe(file).format, format);
    lf_polygon_file_close(file);
    for (int i = 0; i < 4; i++) { // names of the node, of nodes above it, of the mesh and of the material
        lf_polygon_file_def def = lf_polygon_file_def_default();
        def.only = &names[i], def.only_count = 1;
        assert_int_equal(lf_polygon_file_read(path, &def, &file, NULL), LF_OK);
        assert_int_equal(lf_polygon_file_polygons(file).polygon_count, 1);
        lf_polygon_file_close(file);
    }
}

static void gltf_with_a_buffer_beside_it(void **state) {
    (void)state;
    char text[2048];
    bytes buffer = {.size = 0};
    make_buffer(&buffer);
    test_file("scene.bin", buffer.data, buffer.size);
    snprintf(text, sizeof text, scene_text, "\"uri\":\"scene.bin\",");
    check_scene(test_text_file("scene.gltf", text), "glTF");
    refused_text("half.gltf", "", "empty");
    refused_text("half.gltf", "glTF", "does not start with \"{\"");
    text[strlen(text) / 2] = 0;
    refused_text("half.gltf", text, "half.gltf: ");
    snprintf(text, sizeof text, scene_text, "\"uri\":\"missing.bin\",");
    refused_text("half.gltf", text, "half.gltf: ");
}

static void make_glb(bytes *out, const char *text) {
    bytes buffer = {.size = 0};
    make_buffer(&buffer);
    size_t length = (strlen(text) + 3) / 4 * 4;
    out->size = 0;
    put_bytes(out, "glTF", 4), put(out, 2, 4), put(out, 12 + 8 + length + 8 + buffer.size, 4);
    put(out, length, 4), put_bytes(out, "JSON", 4), put_bytes(out, text, strlen(text));
    while (out->size < 20 + length)
        put(out, ' ', 1);
    put(out, buffer.size, 4), put_bytes(out, "BIN\0", 4), put_bytes(out, buffer.data, buffer.size);
}

static void glb_in_one_file(void **state) {
    (void)state;
    char text[2048];
    bytes out;
    snprintf(text, sizeof text, scene_text, "");
    make_glb(&out, text);
    check_scene(test_file("scene.glb", out.data, out.size), "GLB");
    for (size_t size = 1; size < out.size; size += 37)
        refused(test_file("half.glb", out.data, size), LF_BAD_FORMAT, size < 12 ? "not a GLB" : "truncated");
    refused_text("half.glb", "solid a\n" FACET("0") "endsolid\n", "not a GLB file");
    float bad = (float)INFINITY;
    memcpy(out.data + out.size - 44 + 16, &bad, 4);
    refused(test_file("half.glb", out.data, out.size), LF_BAD_FORMAT, "vertex 1 of mesh slope is not finite");
    out.data[out.size - 44 + 36 + 2] = 9;
    memset(out.data + out.size - 44 + 16, 0, 4);
    lf_polygon_file_def def = lf_polygon_file_def_default();
    lf_polygon_file *file = NULL;
    assert_true(lf_polygon_file_read(test_file("half.glb", out.data, out.size), &def, &file, NULL) < 0);
}

// ---------------------------------------------------------------------------------------------------
// DAE
// ---------------------------------------------------------------------------------------------------

static const char dae_text[] =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
    "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\"><asset>"
    "<unit name=\"centimeter\" meter=\"0.01\"/><up_axis>%c_UP</up_axis></asset>"
    "<library_effects><effect id=\"e\"><profile_COMMON><technique sid=\"c\"><lambert/></technique>"
    "</profile_COMMON></effect></library_effects>"
    "<library_materials><material id=\"m\" name=\"grass\"><instance_effect "
    "url=\"#e\"/></material></library_materials>"
    "<library_geometries><geometry id=\"g\" name=\"slope\"><mesh><source id=\"p\">"
    "<float_array id=\"pa\" count=\"9\">100 200 300 400 200 300 100 600 300</float_array><technique_common>"
    "<accessor source=\"#pa\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/>"
    "<param name=\"Y\" type=\"float\"/><param name=\"Z\" "
    "type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><polylist count=\"1\" "
    "material=\"m\">"
    "<input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><vcount>3</vcount><p>0 1 "
    "2</p></polylist></mesh></geometry>"
    "</library_geometries><library_visual_scenes><visual_scene id=\"s\" name=\"scene\">"
    "<node id=\"n\" name=\"meadow\"><translate>0 0 1000</translate><instance_geometry "
    "url=\"#g\"><bind_material>"
    "<technique_common><instance_material symbol=\"m\" target=\"#m\"/></technique_common></bind_material>"
    "</instance_geometry></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>\n";

/// The file says which way is up and how long its unit is.
static void dae_comes_upright_and_in_metres(void **state) {
    (void)state;
    static const double firsts[3][3] = {{-2, -13, 1}, {1, -13, 2}, {1, 2, 13}};
    char text[sizeof dae_text];
    for (int axis = 0; axis < 3; axis++) {
        snprintf(text, sizeof text, dae_text, "XYZ"[axis]);
        lf_polygon_file *file = read_good(test_text_file("a.dae", text));
        lf_polygons polygons = lf_polygon_file_polygons(file);
        assert_int_equal(polygons.polygon_count, 1);
        assert_vertex(&polygons, 0, firsts[axis][0], firsts[axis][1], firsts[axis][2]);
        assert_string_equal(lf_polygon_file_name(file, (int64_t)polygons.users[0]), "meadow");
        lf_polygon_file_close(file);
    }
    for (size_t size = 1; size < strlen(text); size += 101)
        refused(test_file("half.dae", text, size), LF_BAD_FORMAT, "half.dae: ");
}

// ---------------------------------------------------------------------------------------------------
// 3DS
// ---------------------------------------------------------------------------------------------------

static void put_chunk(bytes *out, uint64_t kind, const bytes *content) {
    put(out, kind, 2), put(out, 6 + content->size, 4), put_bytes(out, content->data, content->size);
}

static void make_3ds(bytes *file, uint64_t last_corner) {
    bytes vertices = {.size = 0}, faces = {.size = 0}, mesh = {.size = 0}, object = {.size = 0},
          editor = {.size = 0};
    const float points[9] = {0, 0, 0, 4, 0, 0, 0, 3, 1};
    put(&vertices, 3, 2);
    for (int i = 0; i < 9; i++)
        put_float(&vertices, points[i]);
    put(&faces, 1, 2), put(&faces, 0, 2), put(&faces, 1, 2), put(&faces, last_corner, 2), put(&faces, 0, 2);
    put_chunk(&mesh, 0x4110, &vertices), put_chunk(&mesh, 0x4120, &faces);
    put_bytes(&object, "rock", 5), put_chunk(&object, 0x4100, &mesh);
    put_chunk(&editor, 0x4000, &object);
    bytes main_chunk = {.size = 0};
    put_chunk(&main_chunk, 0x3d3d, &editor);
    file->size = 0;
    put_chunk(file, 0x4d4d, &main_chunk);
}

static void three_ds(void **state) {
    (void)state;
    bytes out;
    make_3ds(&out, 2);
    lf_polygon_file *file = read_good(test_file("a.3ds", out.data, out.size));
    lf_polygons polygons = lf_polygon_file_polygons(file);
    assert_int_equal(polygons.polygon_count, 1);
    assert_vertex(&polygons, 2, 0, 3, 1); // z is up in the file, too
    assert_string_equal(lf_polygon_file_describe(file).format, "3DS");
    assert_int_equal(lf_polygon_file_describe(file).name_count, 0);
    lf_polygon_file_close(file);
    for (size_t size = 1; size < out.size; size++)
        refused(test_file("b.3ds", out.data, size), LF_BAD_FORMAT, size < 6 ? "not a 3DS" : "does not fit");
    make_3ds(&out, 7);
    refused(test_file("b.3ds", out.data, out.size), LF_BAD_FORMAT, "face 0: no vertex 7 (3 in its object)");
    refused_text("b.3ds", "MMMMMMMMMM", "does not fit");
    refused_text("b.3ds", "hello, world", "not a 3DS file");
    make_3ds(&out, 2);
    out.data[6 + 6 + 6 + 5 + 6 + 6] = 200; // more vertices than there is space for
    refused(test_file("b.3ds", out.data, out.size), LF_BAD_FORMAT, "too short for its list");
}

// ---------------------------------------------------------------------------------------------------
// All of them
// ---------------------------------------------------------------------------------------------------

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
    char path[1024];
    strcpy(path, test_text_file("memory.stl", "solid floor\n" FACET("0") SECOND "endsolid floor\n"));
    test_out_of_memory(attempt_read, path);
}

static bool stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)stage, (void)done, (void)total;
    return false;
}

static void cancelled(void **state) {
    (void)state;
    lf_progress progress = {NULL, stop};
    lf_host host = {.progress = &progress};
    char path[1024];
    strcpy(path, test_text_file("stop.stl", "solid floor\n" FACET("0") "endsolid floor\n"));
    assert_int_equal(attempt_read(&host, path), LF_CANCELLED);
}

static void a_locale_with_a_decimal_comma(void **state) {
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        fprintf(stderr, "skipped: the locale de_DE.UTF-8 is not installed\n");
        return;
    }
    lf_polygon_file *off =
        read_good(test_text_file("de.off", "OFF\n3 1 0\n0.5 0 0\n4.25 0 0\n0 3 0\n3 0 1 2\n"));
    lf_polygon_file *stl = read_good(test_text_file("de.stl", "solid a\n" FACET("2.5") "endsolid a\n"));
    setlocale(LC_ALL, "C");
    lf_polygons polygons = lf_polygon_file_polygons(off);
    assert_vertex(&polygons, 1, 4.25, 0, 0);
    polygons = lf_polygon_file_polygons(stl);
    assert_vertex(&polygons, 2, 0, 3, 2.5);
    lf_polygon_file_close(stl);
    lf_polygon_file_close(off);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stl_text),
        cmocka_unit_test(stl_binary),
        cmocka_unit_test(stl_that_is_bad),
        cmocka_unit_test(off_text),
        cmocka_unit_test(off_that_is_bad),
        cmocka_unit_test(single_precision_is_told_of),
        cmocka_unit_test(gltf_with_a_buffer_beside_it),
        cmocka_unit_test(glb_in_one_file),
        cmocka_unit_test(dae_comes_upright_and_in_metres),
        cmocka_unit_test(three_ds),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(a_locale_with_a_decimal_comma),
    };
    return cmocka_run_group_tests_name("io assimp", tests, test_folder_make, test_folder_remove);
}
