// Folders of terrain tiles become globes; what is wrong with one is told by name.
#include "files.h"
#include "quantized_make.h"
#include <landfall/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int level_count(lf_tile_folder *terrain) {
    int count;
    lf_tile_folder_provider(terrain, &count);
    return count;
}

static char folder[512];

static void put_file(const char *name, const void *data, size_t size) {
    char path[700];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void put_layer(const char *text) {
    put_file("layer.json", text, strlen(text));
}

/// Height of a made planet: a slope along the meridian, so that all levels have the same surface but for the steps of the format.
static double slope(void *user, double x, double y) {
    const int *key = user; // level, column, row
    (void)x;
    double size = ldexp(180, -key[0]);
    return 1000 + 5 * (-90 + (key[2] + y) * size);
}

static void put_tile(int level, int column, int row, uint64_t salt) {
    int key[3] = {level, column, row};
    quantized_plan plan = {4, 500, 1500, false, false, false, salt, slope, key};
    quantized_bytes bytes = quantized_make(&plan);
    char name[64];
    snprintf(name, sizeof name, "%d/%d/%d.terrain", level, column, row);
    put_file(name, bytes.data, bytes.size);
    free(bytes.data);
}

static const char *const plain =
    "{\"tilejson\": \"2.1.0\", \"format\": \"quantized-mesh-1.0\", \"scheme\": \"tms\","
    " \"projection\": \"EPSG:4326\", \"tiles\": [\"{z}/{x}/{y}.terrain\"]}";

static void make_folder(const char *name) {
    snprintf(folder, sizeof folder, "%s", test_path(name));
    mkdir(folder, 0777);
}

static lf_globe *open_globe(lf_tile_folder **terrain) {
    lf_error error = {LF_OK, -1, ""};
    if (lf_tile_folder_open(folder, NULL, terrain, &error) != LF_OK)
        fail_msg("%s", error.text);
    lf_globe_def def = lf_globe_def_default();
    def.provider = lf_tile_folder_provider(*terrain, &def.level_count);
    lf_globe *globe = NULL;
    if (lf_globe_create(&def, &globe, &error) != LF_OK)
        fail_msg("%s", error.text);
    return globe;
}

static void a_folder_is_a_globe(void **state) {
    (void)state;
    make_folder("terrain-plain");
    put_layer(plain);
    put_tile(0, 0, 0, 1);
    put_tile(0, 1, 0, 2);
    put_tile(1, 2, 1, 3);
    lf_tile_folder *terrain;
    lf_globe *globe = open_globe(&terrain);
    assert_int_equal(level_count(terrain), 2);
    lf_globe_elevation ground;
    test_random random = test_random_start(1);
    for (int i = 0; i < 300; i++) {
        double lon = test_random_between(&random, -180, 180), lat = test_random_between(&random, -90, 90);
        assert_int_equal(lf_globe_height_finest(globe, lon, lat, &ground), LF_OK);
        assert_int_equal(ground.reason, LF_REASON_ANSWERED);
        bool fine = lon >= 0 && lon < 90 && lat >= 0;
        assert_int_equal(ground.tile.level, fine);
    }
    lf_globe_destroy(globe);
    lf_tile_folder_close(terrain);
}

/// One tile of a degree's sixth, far from any other: its heights are those of the slope, but for the sink of triangles that are flat in space (5 km wide
/// ones by half a metre) and the steps of the format.
static void a_lone_tile_has_its_heights(void **state) {
    (void)state;
    make_folder("terrain-lone");
    put_layer("{\"format\": \"quantized-mesh-1.0\", \"available\": [[], [], [], [], [], [], [], [], [], [],"
              " [{\"startX\": 1030, \"startY\": 700, \"endX\": 1030, \"endY\": 700}]]}");
    put_tile(10, 1030, 700, 3);
    lf_tile_folder *terrain;
    lf_globe *globe = open_globe(&terrain);
    test_random random = test_random_start(2);
    double size = ldexp(180, -10);
    for (int i = 0; i < 100; i++) {
        lf_globe_elevation ground;
        double lon = -180 + size * (1030 + test_random_between(&random, 0, 1));
        double lat = -90 + size * (700 + test_random_between(&random, 0, 1));
        assert_int_equal(lf_globe_height_finest(globe, lon, lat, &ground), LF_OK);
        assert_int_equal(ground.reason, LF_REASON_ANSWERED);
        assert_int_equal(ground.tile.level, 10);
        double above = ground.height - (1000 + 5 * lat);
        assert_true(above < 0.04 && above > -2);
        assert_int_equal(lf_globe_height_finest(globe, lon + 1, lat, &ground), LF_OK);
        assert_int_equal(ground.reason, LF_REASON_OUTSIDE);
    }
    lf_globe_destroy(globe);
    lf_tile_folder_close(terrain);
}

static int remove_all(void **state) {
    char command[1200];
    snprintf(command, sizeof command, "rm -r '%s'/terrain-*", test_path(""));
    return system(command) == 0 ? test_folder_remove(state) : -1;
}

static void packed_tiles_are_unpacked(void **state) {
    (void)state;
    make_folder("terrain-packed");
    put_layer(plain);
    put_tile(0, 0, 0, 1);
    put_tile(0, 1, 0, 2);
    char command[1200];
    lf_tile_folder *terrain;
    lf_globe_elevation before, after;
    lf_globe *globe = open_globe(&terrain);
    assert_int_equal(lf_globe_height(globe, 30, 40, &before, NULL), LF_OK);
    lf_globe_destroy(globe);
    lf_tile_folder_close(terrain);
    snprintf(command, sizeof command, "cd '%s/0/1' && gzip -c 0.terrain > packed && mv packed 0.terrain",
             folder);
    assert_int_equal(system(command), 0);
    globe = open_globe(&terrain);
    assert_int_equal(lf_globe_height(globe, 30, 40, &after, NULL), LF_OK);
    assert_true(before.height == after.height);
    lf_globe_destroy(globe);
    lf_tile_folder_close(terrain);
}

static void refused(const char *layer, lf_status wanted, const char *word) {
    lf_tile_folder *terrain = NULL;
    lf_error error = {LF_OK, -1, ""};
    put_layer(layer);
    assert_int_equal(lf_tile_folder_open(folder, NULL, &terrain, &error), wanted);
    if (!strstr(error.text, word))
        fail_msg("\"%s\" says nothing of \"%s\"", error.text, word);
    assert_null(terrain);
}

static void bad_layers_are_refused(void **state) {
    (void)state;
    make_folder("terrain-bad");
    lf_tile_folder *terrain = NULL;
    lf_error error;
    assert_int_equal(lf_tile_folder_open(folder, NULL, &terrain, &error), LF_IO_FAILED);
    refused("", LF_BAD_FORMAT, "no JSON at byte 0");
    refused("{\"format\": \"quantized-mesh-1.0\"", LF_BAD_FORMAT, "no JSON");
    refused("[1, 2]", LF_BAD_FORMAT, "no \"format\"");
    refused("{\"format\": \"heightmap-1.0\"}", LF_BAD_FORMAT, "heightmap-1.0");
    refused("{\"format\": \"quantized-mesh-1.0\", \"projection\": \"EPSG:3857\"}", LF_UNSUPPORTED,
            "EPSG:3857");
    refused("{\"format\": \"quantized-mesh-1.0\", \"scheme\": \"other\"}", LF_BAD_FORMAT, "other");
    refused("{\"format\": \"quantized-mesh-1.0\"}", LF_BAD_FORMAT, "level 0");
    refused("{\"format\": \"quantized-mesh-1.0\", \"available\": [[{\"startX\": 0, \"endX\": -1}]]}",
            LF_BAD_FORMAT, "startX");
}

static void a_spoiled_tile_is_told(void **state) {
    (void)state;
    make_folder("terrain-spoiled");
    put_layer(plain);
    put_tile(0, 0, 0, 1);
    put_file("0/1/0.terrain", "rubbish", 7);
    lf_tile_folder *terrain;
    lf_error error = {LF_OK, -1, ""};
    assert_int_equal(lf_tile_folder_open(folder, NULL, &terrain, &error), LF_OK);
    lf_globe_provider provider = lf_tile_folder_provider(terrain, NULL);
    lf_tile tile = {0};
    assert_int_equal(provider.fetch(provider.user, (lf_tile_key){0, 1, 0}, true, &tile, &error),
                     LF_TILE_FAILED);
    assert_non_null(strstr(error.text, "0/1/0.terrain: not a quantized mesh: 7 bytes"));
    assert_int_equal(provider.fetch(provider.user, (lf_tile_key){0, 0, 0}, true, &tile, &error),
                     LF_TILE_READY);
    provider.release(provider.user, &tile);
    assert_int_equal(provider.fetch(provider.user, (lf_tile_key){1, 0, 0}, true, &tile, &error),
                     LF_TILE_ABSENT);
    lf_tile_folder_close(terrain);
}

/// Tiles that layer.json lists lead to their places even where coarser ones are not there.
static void listed_tiles_are_found(void **state) {
    (void)state;
    make_folder("terrain-listed");
    put_layer("{\"format\": \"quantized-mesh-1.0\", \"scheme\": \"slippyMap\", \"available\": [[], [],"
              " [{\"startX\": 5, \"startY\": 0, \"endX\": 5, \"endY\": 0}]]}");
    put_tile(2, 5, 0, 3); // from the north: row 3
    lf_tile_folder *terrain;
    assert_int_equal(lf_tile_folder_open(folder, NULL, &terrain, NULL), LF_OK);
    assert_int_equal(level_count(terrain), 3);
    lf_globe_provider provider = lf_tile_folder_provider(terrain, NULL);
    lf_tile tile = {0};
    lf_error error;
    assert_int_equal(provider.fetch(provider.user, (lf_tile_key){0, 1, 0}, true, &tile, &error),
                     LF_TILE_ABSENT);
    assert_int_equal(tile.children, 4);
    assert_int_equal(provider.fetch(provider.user, (lf_tile_key){1, 2, 1}, true, &tile, &error),
                     LF_TILE_ABSENT);
    assert_int_equal(tile.children, 8);
    assert_int_equal(provider.fetch(provider.user, (lf_tile_key){2, 5, 3}, true, &tile, &error),
                     LF_TILE_READY);
    assert_true(tile.vertices[0].lat_deg >= 45 && tile.vertices[0].lon_deg >= 45);
    provider.release(provider.user, &tile);
    lf_tile_folder_close(terrain);
}

static void texts_that_are_no_json_are_refused(void **state) {
    (void)state;
    make_folder("terrain-json");
    static const char *const good[] = {
        "{}", "[]", " [1, -2.5e3, \"a\\\"b\", true, false, null, {\"x\": [[]]}] ", "7", "\"\""};
    static const char *const bad[] = {"",   "{",      "[1,]", "{\"a\"}", "{\"a\": }",   "[1 2]", "]",
                                      "{]", "\"open", "nul",  "[1]]",    "{\"a\": 1,}", "+1",    "[\"\\"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        refused(good[i], LF_BAD_FORMAT, "no \"format\"");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(bad[i], LF_BAD_FORMAT, "no JSON at byte");
    refused("{\"format\": 1, \"format\": 2}", LF_BAD_FORMAT, "duplicate object key");
    static char deep[20001];
    memset(deep, '[', 10000);
    refused(deep, LF_BAD_FORMAT, "depth");
    memset(deep + 10000, ']', 10000);
    refused(deep, LF_BAD_FORMAT, "depth");
    memset(deep, 0, sizeof deep);
    memset(deep, '[', 200);
    refused(deep, LF_BAD_FORMAT, "no JSON at byte");
    memset(deep + 200, ']', 200);
    refused(deep, LF_BAD_FORMAT, "no \"format\"");
    // Members are found by name on their own level only, and numbers may be written with a point.
    refused("{\"a\": {\"format\": \"quantized-mesh-1.0\"}}", LF_BAD_FORMAT, "no \"format\"");
    refused("{\"format\": \"quantized-mesh-1.0x\"}", LF_BAD_FORMAT, "\"format\" is \"quantized-mesh-1.0x\"");
    put_layer("{\"format\": \"quantized-mesh-1.0\", \"available\": [[{\"startX\": 0.0, \"endX\": 1e0,"
              " \"startY\": 0, \"endY\": 0}]]}");
    lf_tile_folder *terrain = NULL;
    assert_int_equal(lf_tile_folder_open(folder, NULL, &terrain, NULL), LF_OK);
    assert_int_equal(level_count(terrain), 1);
    lf_tile_folder_close(terrain);
}

static lf_status open_and_ask(const lf_host *host, void *user) {
    (void)user;
    lf_globe_def def = lf_globe_def_default();
    lf_tile_folder *terrain = NULL;
    lf_globe *globe = NULL;
    lf_globe_elevation ground;
    lf_status status = lf_tile_folder_open(folder, host, &terrain, NULL);
    if (status == LF_OK) {
        def.host = *host;
        def.provider = lf_tile_folder_provider(terrain, &def.level_count);
        status = lf_globe_create(&def, &globe, NULL);
    }
    if (status == LF_OK)
        status = lf_globe_height_finest(globe, 100, 30, &ground);
    lf_globe_destroy(globe);
    lf_tile_folder_close(terrain);
    return status;
}

static void out_of_memory(void **state) {
    (void)state;
    make_folder("terrain-memory");
    put_layer(plain);
    put_tile(0, 0, 0, 1);
    put_tile(0, 1, 0, 2);
    put_tile(1, 3, 1, 3);
    test_out_of_memory(open_and_ask, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_a_globe),
        cmocka_unit_test(a_lone_tile_has_its_heights),
        cmocka_unit_test(packed_tiles_are_unpacked),
        cmocka_unit_test(bad_layers_are_refused),
        cmocka_unit_test(a_spoiled_tile_is_told),
        cmocka_unit_test(listed_tiles_are_found),
        cmocka_unit_test(texts_that_are_no_json_are_refused),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, test_folder_make, remove_all);
}
