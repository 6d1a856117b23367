// The .lf file: everything comes back and answers the same; what is refused, by which words; hostile files;
// no memory, no disk.
#include "brute.h"
#include "files.h"
#include "nasty_grid.h"
#include "shapes.h"
#include "store/sections.h"
#include "store_ask.h"
#include "support.h"
#include <landfall/published.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// Any of the things that a file can hold.
typedef struct thing {
    lf_store_def def;
    lf_grid *grid;
    lf_mesh *mesh;
    lf_model *model;
    lf_group *group;
    const lf_ground *grounds[2], *ground; ///< of parts, and of all
} thing;

/// Kinds: grids of each codec, a nest, a quadtree, models without and with a field, a group.
enum { THINGS = 10, MESH = 5, QUADTREE, MODEL, FIELD, GROUP };

#define SIDE 40

static lf_grid *make_grid(lf_codec codec, lf_surface surface, int64_t side, test_random *random) {
    float heights[SIDE * SIDE];
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    for (int64_t k = 0; k < side * side; k++)
        heights[k] = (float)(10 * sin((double)(k % side) / 5) + test_random_between(random, 0, 1));
    if (test_random_below(random, 2) == 0)
        for (int k = 0; k < 5; k++)
            heights[test_random_below(random, side * side)] = NAN;
    def.samples.values = heights;
    def.samples.columns = def.samples.rows = side;
    def.surface = surface;
    def.extend = test_random_below(random, 2) == 0;
    def.codec = codec;
    def.max_error = codec == LF_CODEC_RAW ? 0 : 0.01;
    if (codec >= LF_CODEC_HAAR && test_random_below(random, 2) == 0) {
        def.leaf = 32;
        def.derived_bounds = true;
    }
    def.geotransform = (lf_geotransform){{100, 200}, {2, 0}, {0, 3}};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static const lf_vec3 roof[] = {{0, 0, 0},  {8, 0, 0},  {8, 8, 2}, {0, 8, 2},
                               {4, 12, 5}, {20, 3, 1}, {20, 9, 1}};
static const int64_t roof_starts[] = {0, 4, 7, 10}, roof_corners[] = {0, 1, 2, 3, 3, 2, 4, 1, 5, 6};
static const uint64_t roof_users[] = {5, 1ull << 60, 7};
static const uint32_t roof_layers[] = {1, 6, 3};
static const uint8_t roof_sides[] = {1, 2, 2};

static lf_polygons roof_polygons(void) {
    return (lf_polygons){roof, 7, roof_starts, roof_corners, 3, roof_users, roof_layers, roof_sides};
}

static lf_mesh *make_mesh(bool quadtree) {
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh;
    def.polygons = roof_polygons();
    def.index = quadtree ? lf_quadtree_index() : NULL;
    lf_quadtree_def quadtree_def = lf_quadtree_def_default();
    quadtree_def.max_polygons = 1;
    def.index_def = &quadtree_def;
    if (quadtree)
        assert_int_equal(lf_frame_gravity((lf_vec3){0.1, 0, -1}, &def.frame), LF_OK);
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
    return mesh;
}

static void make_group(thing *t, test_random *random) {
    lf_group_def def = lf_group_def_default();
    t->grid = make_grid(LF_CODEC_PACK, LF_SURFACE_FALLING, SIDE, random);
    t->mesh = make_mesh(false);
    t->grounds[0] = lf_grid_ground(t->grid);
    t->grounds[1] = lf_mesh_ground(t->mesh);
    lf_group_part parts[2] = {{.ground = t->grounds[0], .pose = lf_pose_identity()},
                              {.ground = t->grounds[1], .pose = lf_pose_identity()}};
    assert_int_equal(lf_pose_turn((lf_vec3){0, 0, 0}, (lf_vec3){0, 0, 1}, 0.3, &parts[1].pose), LF_OK);
    parts[1].pose.translation = (lf_vec3){120, 230, 12};
    def.parts = parts;
    def.part_count = 2;
    assert_int_equal(lf_group_create(&def, &t->group, NULL), LF_OK);
    t->ground = lf_group_ground(t->group);
    t->def.group = t->group;
}

static void make_thing_of(thing *t, int kind, int64_t side, test_random *random) {
    *t = (thing){.def = lf_store_def_default()};
    if (kind < MESH) {
        t->def.grid = t->grid =
            make_grid((lf_codec)kind, (lf_surface)test_random_below(random, 5), side, random);
        t->ground = lf_grid_ground(t->grid);
    } else if (kind < MODEL) {
        t->def.mesh = t->mesh = make_mesh(kind == QUADTREE);
        t->ground = lf_mesh_ground(t->mesh);
    } else if (kind < GROUP) {
        lf_model_def def = lf_model_def_default();
        def.polygons = roof_polygons();
        def.field.sectors = kind == FIELD ? 4 : 0;
        def.field.functions = lf_funfzig_field();
        assert_int_equal(lf_model_create(&def, &t->model, NULL), LF_OK);
        t->def.model = t->model;
    } else {
        make_group(t, random);
    }
}

static void make_thing(thing *t, int kind, test_random *random) {
    make_thing_of(t, kind, SIDE, random);
}

static void drop_thing(thing *t) {
    lf_group_destroy(t->group);
    lf_model_destroy(t->model);
    lf_mesh_destroy(t->mesh);
    lf_grid_destroy(t->grid);
}

static void same_ground(const lf_ground *a, const lf_ground *b, test_random *random) {
    lf_box box = lf_ground_box(a), other = lf_ground_box(b);
    assert_memory_equal(&box, &other, sizeof box);
    for (int k = 0; k < 200; k++) {
        lf_vec3 from = {test_random_between(random, box.low.x - 1, box.high.x + 1),
                        test_random_between(random, box.low.y - 1, box.high.y + 1),
                        test_random_between(random, box.low.z - 1, box.high.z + 1)};
        lf_vec3 to = {test_random_between(random, box.low.x - 1, box.high.x + 1),
                      test_random_between(random, box.low.y - 1, box.high.y + 1),
                      test_random_between(random, box.low.z - 1, box.high.z + 1)};
        lf_ray ray = lf_ray_between(from, to);
        lf_hit hit_a, hit_b;
        assert_int_equal(lf_ground_ray_first(a, &ray, &hit_a, NULL), LF_OK);
        assert_int_equal(lf_ground_ray_first(b, &ray, &hit_b, NULL), LF_OK);
        assert_true(oracle_same_hit(&hit_a, &hit_b));
        assert_int_equal(lf_ground_height(a, from, LF_VERTICAL_DOWN, &hit_a, NULL), LF_OK);
        assert_int_equal(lf_ground_height(b, from, LF_VERTICAL_DOWN, &hit_b, NULL), LF_OK);
        assert_true(oracle_same_hit(&hit_a, &hit_b));
    }
}

/// Written again from the file, a model has the same content, its field included.
static void same_content_again(const lf_store *store, uint64_t hash) {
    lf_store_def def = lf_store_def_default();
    lf_store_info info = lf_store_describe(store);
    lf_store *again;
    def.model = lf_store_model(store);
    def.crs = info.crs;
    def.parameters = info.parameters;
    def.z_unit = info.z_unit;
    def.point = info.point;
    def.degrees = info.degrees;
    def.ellipsoid = info.ellipsoid;
    assert_int_equal(lf_store_write(test_path("again.lf"), &def, NULL), LF_OK);
    assert_int_equal(lf_store_open(test_path("again.lf"), NULL, false, &again, NULL), LF_OK);
    assert_true(lf_store_describe(again).hash == hash);
    lf_store_close(again);
}

static void same_model(const lf_model *a, const lf_model *b, bool fields) {
    lf_model_info of_a = lf_model_describe(a), of_b = lf_model_describe(b);
    of_a.bytes = of_b.bytes = 0;
    assert_memory_equal(&of_a.box, &of_b.box, sizeof of_a.box);
    assert_int_equal(of_a.triangle_count, of_b.triangle_count);
    assert_int_equal(fields ? of_a.field_bytes : 0, of_b.field_bytes);
    for (int64_t t = 0; t < of_a.triangle_count; t++) {
        lf_vec3 corners[2][3];
        int64_t polygons[2];
        assert_int_equal(lf_model_triangle(a, t, corners[0], &polygons[0]), LF_OK);
        assert_int_equal(lf_model_triangle(b, t, corners[1], &polygons[1]), LF_OK);
        assert_memory_equal(corners[0], corners[1], sizeof corners[0]);
        assert_int_equal(polygons[0], polygons[1]);
    }
}

static void everything_comes_back(void **state) {
    (void)state;
    test_random random = test_random_start(6401);
    for (int round = 0; round < 5 * THINGS; round++) {
        thing t;
        lf_store *store;
        lf_error error = {0};
        const char *path = test_path("thing.lf");
        make_thing(&t, round % THINGS, &random);
        t.def.crs = "LOCAL_CS[\"here\"]";
        t.def.parameters = "round and round";
        t.def.z_unit = 0.3048;
        t.def.point = t.def.degrees = true;
        t.def.ellipsoid.flattening = 0.25;
        if (lf_store_write(path, &t.def, &error) != LF_OK)
            fail_msg("%s", error.text);
        if (lf_store_open(path, NULL, round % 2 == 0, &store, &error) != LF_OK)
            fail_msg("%s", error.text);
        lf_store_info info = lf_store_describe(store);
        assert_string_equal(info.crs, t.def.crs);
        assert_string_equal(info.parameters, t.def.parameters);
        assert_true(strncmp(info.producer, "landfall ", 9) == 0);
        assert_true(info.z_unit == 0.3048 && info.xy_unit == 1 && info.point && info.degrees);
        assert_true(info.ellipsoid.flattening == 0.25 && info.ellipsoid.radius == 6378137.0);
        assert_int_equal(lf_store_polygons(store).polygon_count, t.group || t.grid ? 0 : 3);
        assert_int_equal(info.kind, t.grid && !t.group ? LF_STORE_GRID
                                    : t.group          ? LF_STORE_GROUP
                                    : t.mesh           ? LF_STORE_MESH
                                                       : LF_STORE_MODEL);
        if (t.model) {
            same_model(t.model, lf_store_model(store), round % THINGS != FIELD);
            lf_model *model = NULL;
            lf_status status = lf_funfzig_from_store(store, NULL, &model, &error);
            assert_int_equal(status, round % THINGS == FIELD ? LF_OK : LF_BAD_ARGUMENT);
            if (model)
                same_model(t.model, model, true);
            lf_model_destroy(model);
            same_content_again(store, info.hash);
        } else if (round % THINGS == QUADTREE) {
            lf_mesh *mesh;
            assert_int_equal(lf_quadtree_from_store(store, NULL, &mesh, &error), LF_OK);
            same_ground(t.ground, lf_mesh_ground(mesh), &random);
            lf_mesh_destroy(mesh);
        } else {
            assert_int_equal(lf_quadtree_from_store(store, NULL, NULL, &error), LF_BAD_ARGUMENT);
            same_ground(t.ground, lf_store_ground(store), &random);
        }
        assert_true((lf_store_grid(store) != NULL) == (info.kind == LF_STORE_GRID));
        assert_true((lf_store_mesh(store) != NULL) == (info.kind == LF_STORE_MESH));
        assert_true((lf_store_group(store) != NULL) == (info.kind == LF_STORE_GROUP));
        lf_store_close(store);
        drop_thing(&t);
    }
    assert_false(test_file_exists("thing.lf.part"));
    assert_string_equal(lf_store_kind_name(LF_STORE_GROUP), "group");
    assert_string_equal(lf_store_kind_name((lf_store_kind)77), "?");
    lf_store_close(NULL);
}

/// A grid of a file says of itself what the one it was made from says, and cannot be edited.
static void grids_of_files(void **state) {
    (void)state;
    test_random random = test_random_start(6402);
    for (int codec = 0; codec < 5; codec++) {
        thing t;
        lf_store *store;
        make_thing(&t, codec, &random);
        assert_int_equal(lf_store_write(test_path("grid.lf"), &t.def, NULL), LF_OK);
        assert_int_equal(lf_store_open(test_path("grid.lf"), NULL, true, &store, NULL), LF_OK);
        lf_grid_info a = lf_grid_describe(t.grid), b = lf_grid_describe(lf_store_grid(store));
        assert_true(a.columns == b.columns && a.rows == b.rows && a.hole_count == b.hole_count &&
                    a.low == b.low && a.high == b.high && a.codec == b.codec && a.leaf == b.leaf &&
                    a.extend == b.extend && a.largest_error == b.largest_error &&
                    a.pyramid_bytes == b.pyramid_bytes);
        float one = 1;
        lf_samples samples = {LF_SAMPLE_FLOAT, &one, 1, 1, 0, 0, 1, 0, LF_NAN, NULL, 0};
        lf_error error = {0};
        lf_grid *grid = (lf_grid *)(uintptr_t)lf_store_grid(store);
        assert_int_equal(lf_grid_edit(grid, 3, 3, &samples, NULL, &error), LF_BAD_ARGUMENT);
        // Written again from the file, it is the same content.
        uint64_t hash = lf_store_describe(store).hash;
        lf_store_def again = lf_store_def_default();
        again.grid = lf_store_grid(store);
        again.parameters = "another";
        assert_int_equal(lf_store_write(test_path("again.lf"), &again, NULL), LF_OK);
        lf_store_close(store);
        assert_int_equal(lf_store_open(test_path("again.lf"), NULL, true, &store, NULL), LF_OK);
        assert_true(lf_store_describe(store).hash == hash);
        lf_store_close(store);
        drop_thing(&t);
    }
}

static void refused(const char *path, lf_status status, const char *words) {
    lf_store *store = NULL;
    lf_error error = {0};
    lf_status got = lf_store_open(path, NULL, true, &store, &error);
    if (got != status || !strstr(error.text, words))
        fail_msg("%d \"%s\", wanted was %d with \"%s\"", (int)got, error.text, (int)status, words);
    assert_null(store);
}

/// A small file in memory.
static uint8_t *small_file(int kind, size_t *size, test_random *random) {
    thing t;
    make_thing_of(&t, kind, 6, random);
    assert_int_equal(lf_store_write(test_path("small.lf"), &t.def, NULL), LF_OK);
    drop_thing(&t);
    return (uint8_t *)test_file_content(test_path("small.lf"), size);
}

static void bad_files(void **state) {
    (void)state;
    test_random random = test_random_start(6403);
    size_t size;
    refused(test_path("nowhere.lf"), LF_IO_FAILED, "nowhere.lf");
    refused(test_text_file("empty.lf", ""), LF_BAD_FORMAT, "no landfall file");
    refused(test_text_file("text.lf",
                           "ply\nformat ascii 1.0\nand so on, for as long as a header would be: 1234567890 "
                           "1234567890 1234567890 1234567890 1234567890"),
            LF_BAD_FORMAT, "no landfall file");
    uint8_t *data = small_file(LF_CODEC_PACK, &size, &random);
    lf__store_header *header = (lf__store_header *)(void *)data;
    lf__store_section *sections = (lf__store_section *)(void *)(header + 1);
    refused(test_file("short.lf", data, size - 1), LF_BAD_FORMAT, "the header says");
    header->major = 2;
    refused(test_file("newer.lf", data, size), LF_UNSUPPORTED, "format 2.1");
    header->major = 1;
    header->minor = 9; // a newer minor version is read
    assert_true(store_mend(data, size));
    lf_store *store;
    assert_int_equal(lf_store_open(test_file("minor.lf", data, size), NULL, true, &store, NULL), LF_OK);
    assert_int_equal(lf_store_describe(store).minor, 9);
    lf_store_close(store);
    header->reserved[5] ^= 1;
    refused(test_file("flip.lf", data, size), LF_BAD_FORMAT, "checksum");
    header->reserved[5] ^= 1;
    data[sections[1].offset] ^= 4;
    refused(test_file("content.lf", data, size), LF_BAD_FORMAT, "\"tiles\"");
    data[sections[1].offset] ^= 4;
    // Sections of the future: some may be skipped, some may not.
    uint32_t last = header->section_count - 1;
    assert_memory_equal(sections[last].name, "producer", 8);
    memcpy(sections[last].name, "future", 7);
    sections[last].name[7] = 0;
    store_mend(data, size);
    assert_int_equal(lf_store_open(test_file("future.lf", data, size), NULL, true, &store, NULL), LF_OK);
    assert_string_equal(lf_store_describe(store).producer, "");
    lf_store_close(store);
    sections[last].flags |= LF__SECTION_MUST;
    store_mend(data, size);
    refused(test_file("must.lf", data, size), LF_UNSUPPORTED, "\"future\"");
    sections[last].flags = 0;
    sections[1].offset += 1ull << 40;
    store_mend(data, size);
    refused(test_file("far.lf", data, size), LF_BAD_FORMAT, "not within the file");
    free(data);
}

/// Format 1.0 took a cell with a void for empty. Its bounds do for patches and level squares, and where there are no voids.
static void bounds_without_triangles(void **state) {
    (void)state;
    for (int surface = LF_SURFACE_FALLING; surface <= LF_SURFACE_POINT; surface++)
        for (int voids = 0; voids < 2; voids++) {
            float heights[9] = {1, 2, 3, 4, voids ? NAN : 5, 6, 7, 8, 9};
            lf_grid_def grid_def = lf_grid_def_default();
            lf_store_def def = lf_store_def_default();
            lf_grid *grid;
            lf_store *store;
            size_t size;
            grid_def.samples.values = heights;
            grid_def.samples.columns = grid_def.samples.rows = 3;
            grid_def.surface = (lf_surface)surface;
            assert_int_equal(lf_grid_create(&grid_def, &grid, NULL), LF_OK);
            def.grid = grid;
            assert_int_equal(lf_store_write(test_path("voids.lf"), &def, NULL), LF_OK);
            uint8_t *data = (uint8_t *)test_file_content(test_path("voids.lf"), &size);
            ((lf__store_header *)(void *)data)->minor = 0;
            assert_true(store_mend(data, size));
            const char *path = test_file("earlier.lf", data, size);
            if (voids && surface <= LF_SURFACE_ALTERNATING) {
                refused(path, LF_UNSUPPORTED, "format 1.0");
            } else {
                assert_int_equal(lf_store_open(path, NULL, true, &store, NULL), LF_OK);
                lf_store_close(store);
            }
            free(data);
            lf_grid_destroy(grid);
        }
}

/// Where a section begins in a file in memory.
static size_t section_at(const uint8_t *data, const char *name) {
    const lf__store_header *header = (const lf__store_header *)(const void *)data;
    const lf__store_section *sections = (const lf__store_section *)(const void *)(header + 1);
    for (uint32_t k = 0; k < header->section_count; k++)
        if (strncmp(sections[k].name, name, 8) == 0)
            return (size_t)sections[k].offset;
    fail_msg("no section %s", name);
    return 0;
}

/// Every number of header and records that people are told, or answers are made of: one that is not finite is refused, by a sentence. All
/// checksums are right, so that nothing but the number is wrong.
static void numbers_that_are_not_finite(void **state) {
    (void)state;
    static const struct {
        int kind;
        const char *section; ///< NULL: the header
        size_t first, last;  ///< offsets of doubles
    } fields[] = {{LF_CODEC_PACK, NULL, 48, 56},   {LF_CODEC_PACK, NULL, 72, 80},
                  {LF_CODEC_PACK, "grid", 40, 96}, {LF_CODEC_PACK, "grid", 112, 160},
                  {LF_CODEC_RAW, "grid", 40, 96},  {LF_CODEC_RAW, "grid", 112, 160},
                  {MESH, "mesh", 24, 24},          {MESH, "mesh", 64, 80},
                  {QUADTREE, "mesh", 24, 24},      {MESH, "vertices", 0, 160},
                  {FIELD, "model", 32, 48},        {FIELD, "vertices", 0, 160},
                  {GROUP, "poses", 0, 184},        {GROUP, "group", 32, 48}};
    const double bad[] = {LF_NAN, LF_INFINITY, -LF_INFINITY};
    test_random random = test_random_start(6408);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        size_t size;
        uint8_t *data = small_file(fields[f].kind, &size, &random);
        size_t base = fields[f].section ? section_at(data, fields[f].section) : 0;
        for (size_t at = base + fields[f].first; at <= base + fields[f].last; at += 8)
            for (int k = 0; k < 3; k++) {
                double was;
                lf_store *store = NULL;
                lf_error error = {0};
                memcpy(&was, data + at, 8);
                memcpy(data + at, &bad[k], 8);
                assert_true(store_mend_all(data, size));
                lf_status status = lf__store_open_bytes(data, size, NULL, false, &store, &error);
                if (status >= LF_OK || error.text[0] == 0)
                    fail_msg("%s %zu: %g: status %d \"%s\"", fields[f].section ? fields[f].section : "header",
                             at - base, bad[k], (int)status, error.text);
                memcpy(data + at, &was, 8);
            }
        free(data);
    }
}

/// Nothing is left behind where writing fails, and the old file stays.
static void bad_writes(void **state) {
    (void)state;
    test_random random = test_random_start(6404);
    thing t;
    lf_error error = {0};
    make_thing(&t, LF_CODEC_RAW, &random);
    assert_int_equal(lf_store_write(test_path("nowhere/file.lf"), &t.def, &error), LF_IO_FAILED);
    assert_true(strstr(error.text, "nowhere") != NULL);
    assert_int_equal(lf_store_write("", &t.def, &error), LF_BAD_ARGUMENT);
    lf_store_def none = lf_store_def_default();
    assert_int_equal(lf_store_write(test_path("none.lf"), &none, &error), LF_BAD_ARGUMENT);
    none = t.def;
    none.crs = "a bell \a";
    assert_int_equal(lf_store_write(test_path("none.lf"), &none, &error), LF_BAD_ARGUMENT);
    none = t.def;
    none.ellipsoid.radius = LF_NAN;
    assert_int_equal(lf_store_write(test_path("none.lf"), &none, &error), LF_BAD_ARGUMENT);
    none = t.def;
    none.xy_unit = 0;
    assert_int_equal(lf_store_write(test_path("none.lf"), &none, &error), LF_BAD_ARGUMENT);
    assert_false(test_file_exists("none.lf"));
    struct stat about;
    if (stat("/dev/full", &about) == 0)
        assert_int_equal(lf_store_write("/dev/full", &t.def, &error), LF_IO_FAILED);
    lf_store_def def;
    def = lf_store_def_default();
    assert_int_equal(def.size, sizeof def);
    lf_mesh *mesh = make_mesh(false);
    int64_t gone = 1;
    lf_mesh_edit_def edit = lf_mesh_edit_def_default();
    edit.remove = &gone, edit.remove_count = 1;
    assert_int_equal(lf_mesh_edit(mesh, &edit, NULL, NULL), LF_OK);
    def.mesh = mesh;
    assert_int_equal(lf_store_write(test_path("none.lf"), &def, &error), LF_BAD_ARGUMENT);
    assert_true(strstr(error.text, "compact") != NULL);
    lf_mesh_destroy(mesh);
    drop_thing(&t);
}

/// Bits flipped, bytes changed, ends cut off: all checksums right again or not. Whatever comes, questions end.
static void hostile_files(void **state) {
    (void)state;
    test_random random = test_random_start(6405);
    int64_t opened = 0, closed = 0;
    for (int64_t round = 0; round < (test_long() ? 60000 : 3000); round++) {
        static uint8_t *files[THINGS];
        static size_t sizes[THINGS];
        int kind = (int)(round % THINGS);
        if (!files[kind])
            files[kind] = small_file(kind, &sizes[kind], &random);
        size_t size = sizes[kind];
        uint8_t *data = aligned_alloc(64, (size + 63) / 64 * 64);
        memcpy(data, files[kind], size);
        int64_t changes = 1 + test_random_below(&random, 6);
        for (int64_t k = 0; k < changes; k++) {
            int64_t way = test_random_below(&random, 4);
            // Half of all in header, table and records, which are in front.
            size_t at =
                (size_t)test_random_below(&random, (int64_t)(test_random_below(&random, 2) ? size : 1200));
            at = at < size ? at : size - 1;
            if (way == 0)
                data[at] ^= (uint8_t)(1 << test_random_below(&random, 8));
            else if (way == 1)
                data[at] = (uint8_t)test_random_bits(&random);
            else if (way == 2)
                memset(data + at, round % 2 ? 0xff : 0, size - at < 8 ? size - at : 8);
            else if (k == 0 && round % 5 == 0)
                size -= (size_t)test_random_below(&random, (int64_t)size / 2);
        }
        if (round % 8 != 0)
            store_mend_all(data, size);
        bool fine = store_ask(data, size);
        opened += fine;
        closed += !fine;
        free(data);
        if (round >= (test_long() ? 60000 : 3000) - THINGS)
            free(files[kind]), files[kind] = NULL;
    }
    printf("%lld opened, %lld refused\n", (long long)opened, (long long)closed);
    assert_true(opened > 100 && closed > 100);
}

static lf_status write_and_open(const lf_host *host, void *user) {
    thing *t = user;
    lf_store *store;
    t->def.host = *host;
    lf_status status = lf_store_write(test_path("memory.lf"), &t->def, NULL);
    if (status == LF_OK)
        status = lf_store_open(test_path("memory.lf"), host, true, &store, NULL);
    if (status == LF_OK)
        lf_store_close(store);
    return status;
}

static void no_memory(void **state) {
    (void)state;
    test_random random = test_random_start(6406);
    for (int kind = 0; kind < THINGS; kind++) {
        thing t;
        make_thing_of(&t, kind, 6, &random);
        test_out_of_memory(write_and_open, &t);
        drop_thing(&t);
    }
}

static bool stop(void *user, const char *stage, int64_t done, int64_t total) {
    (void)done, (void)total;
    return strcmp(stage, user) != 0;
}

static void cancelled(void **state) {
    (void)state;
    test_random random = test_random_start(6407);
    char file[] = "file", check[] = "check";
    lf_progress progress = {file, stop};
    lf_store *store;
    thing t;
    make_thing(&t, LF_CODEC_RAW, &random);
    t.def.host.progress = &progress;
    assert_int_equal(lf_store_write(test_path("cancel.lf"), &t.def, NULL), LF_CANCELLED);
    assert_false(test_file_exists("cancel.lf") || test_file_exists("cancel.lf.part"));
    progress.user = check;
    assert_int_equal(lf_store_write(test_path("cancel.lf"), &t.def, NULL), LF_OK);
    assert_int_equal(lf_store_open(test_path("cancel.lf"), &t.def.host, true, &store, NULL), LF_CANCELLED);
    drop_thing(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(grids_of_files),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(bounds_without_triangles),
        cmocka_unit_test(numbers_that_are_not_finite),
        cmocka_unit_test(bad_writes),
        cmocka_unit_test(hostile_files),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(cancelled),
    };
    return cmocka_run_group_tests_name("store", tests, test_folder_make, test_folder_remove);
}
