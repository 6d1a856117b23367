// Tiles of quantized-mesh-1.0: made ones come back, spoiled ones are refused by name, real ones are read
// whole.
#include "quantized_make.h"
#include "raster/quantized.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lf__quantized read_fine(const void *data, size_t size) {
    lf__quantized tile;
    lf_error error = {LF_OK, -1, ""};
    lf_status status = lf__quantized_read(data, size, NULL, &tile, &error);
    if (status != LF_OK)
        fail_msg("%s", error.text);
    return tile;
}

/// Twice the area of all triangles, in squares of the raster; every one counter-clockwise or without area.
static double area_of(const lf__quantized *tile) {
    double sum = 0;
    for (int64_t i = 0; i < tile->triangle_count; i++) {
        const int64_t *c = tile->corners + 3 * i;
        double ax = tile->u[c[1]] - tile->u[c[0]], ay = tile->v[c[1]] - tile->v[c[0]];
        double bx = tile->u[c[2]] - tile->u[c[0]], by = tile->v[c[2]] - tile->v[c[0]];
        assert_true(ax * by - ay * bx >= 0);
        sum += ax * by - ay * bx;
    }
    return sum;
}

static const double whole = 2.0 * LF__QUANTIZED_HIGH * LF__QUANTIZED_HIGH;

static void made_tiles_come_back(void **state) {
    (void)state;
    const int cells[] = {1, 2, 16, 255, 256};
    for (int i = 0; i < 5; i++)
        for (int kind = 0; kind < 4; kind++) {
            quantized_plan plan = {cells[i], -12.5f,      880,  kind > 0, kind > 1,
                                   kind > 2, test_seed(), NULL, NULL};
            quantized_bytes bytes = quantized_make(&plan);
            lf__quantized tile = read_fine(bytes.data, bytes.size);
            assert_int_equal(tile.vertex_count, (cells[i] + 1) * (cells[i] + 1));
            assert_int_equal(tile.triangle_count, 2 * cells[i] * cells[i]);
            assert_true(tile.low == -12.5 && tile.high == 880);
            assert_true(tile.centre.y == 2000 && tile.sphere_radius == 8000 && tile.horizon.z == 0.5);
            assert_true(area_of(&tile) == whole);
            for (int side = 0; side < LF__TILE_SIDES; side++)
                assert_int_equal(tile.side_counts[side], cells[i] + 1);
            assert_true((tile.normals != NULL) == plan.normals);
            if (tile.normals)
                assert_true(tile.normals[0] == 0x80 && tile.normals[2 * tile.vertex_count - 1] == 0x80);
            lf__quantized_free(&tile);
            free(bytes.data);
        }
}

/// Refused, with a text that has the word in it.
static void refused(const void *data, size_t size, const char *word) {
    lf__quantized tile = {.vertex_count = 77};
    lf_error error = {LF_OK, -1, ""};
    assert_int_equal(lf__quantized_read(data, size, NULL, &tile, &error), LF_BAD_FORMAT);
    assert_int_equal(error.status, LF_BAD_FORMAT);
    if (!strstr(error.text, word))
        fail_msg("\"%s\" says nothing of \"%s\"", error.text, word);
    assert_int_equal(tile.vertex_count, 77);
}

static void set(quantized_bytes *bytes, size_t at, uint32_t value, int size) {
    for (int i = 0; i < size; i++)
        bytes->data[at + (size_t)i] = (unsigned char)(value >> 8 * i);
}

static void spoiled_tiles_are_refused(void **state) {
    (void)state;
    static const struct {
        int part; // 0 head, 1 vertices, 2 triangles, 3.. sides
        size_t at;
        uint32_t value;
        int size;
        const char *word;
    } spoils[] = {
        {0, 24, 0x7fc00000, 4, "heights from"},
        {0, 28, 0xff800000, 4, "-inf"},
        {0, 28, 0xc47a0000, 4, "-1000"},
        {0, 6, 0x7ff0, 2, "centre"},
        {1, 0, 0xffffffff, 4, "4294967295 vertices"},
        {1, 0, 2, 4, "2 vertices"},
        {1, 4, 0xffff, 2, "u = -32768"},
        {1, 4, 0xfffe, 2, "vertex 1: u = "},
        {2, 0, 0, 4, "0 triangles"},
        {2, 0, 0x80000000, 4, "2147483648 triangles"},
        {2, 4, 1, 2, "vertex number -1"},
        {3, 0, 70000, 4, "70000 western"},
        {4, 4, 999, 2, "southern side: vertex number 999"},
        {5, 4, 0, 2, "eastern side: vertex 0 lies at 0, not at 32767"},
        {6, 0, 0xffff, 4, "65535 northern"},
    };
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        quantized_plan plan = {3, 0, 100, false, false, false, 5, NULL, NULL};
        quantized_bytes bytes = quantized_make(&plan);
        size_t parts[] = {0,
                          bytes.vertices_at,
                          bytes.triangles_at,
                          bytes.sides_at[0],
                          bytes.sides_at[1],
                          bytes.sides_at[2],
                          bytes.sides_at[3]};
        set(&bytes, parts[spoils[i].part] + spoils[i].at, spoils[i].value, spoils[i].size);
        refused(bytes.data, bytes.size, spoils[i].word);
        free(bytes.data);
    }
}

static void spoiled_extensions_are_refused(void **state) {
    (void)state;
    quantized_plan plan = {3, 0, 100, true, false, true, 5, NULL, NULL};
    quantized_bytes bytes = quantized_make(&plan);
    size_t normals = bytes.size - 32 - 5, unknown = normals - 3 - 5;
    set(&bytes, normals + 1, 30, 4);
    refused(bytes.data, bytes.size, "30 bytes of normals for 16 vertices");
    set(&bytes, normals + 1, 0x01020304, 4);
    refused(bytes.data, bytes.size, "extension 1 has 16909060 bytes, 32 are left");
    set(&bytes, normals + 1, 32, 4);
    set(&bytes, unknown + 1, 2, 4); // one byte too few: what follows is read as another extension
    refused(bytes.data, bytes.size, "extension 99");
    free(bytes.data);
}

/// Cut anywhere, a tile is refused and never half believed, except behind its sides, where extensions begin.
static void cut_tiles_are_refused(void **state) {
    (void)state;
    quantized_plan plan = {2, 0, 100, false, false, false, 9, NULL, NULL};
    quantized_bytes bytes = quantized_make(&plan);
    for (size_t size = 0; size < bytes.size; size++) {
        unsigned char *cut =
            test_space((int64_t)size, 1); // of this size, so that the sanitizer sees a step beyond it
        memcpy(cut, bytes.data, size);
        refused(cut, size, size < 92 ? "bytes" : "truncated");
        free(cut);
    }
    free(bytes.data);
}

static lf_status attempt(const lf_host *host, void *user) {
    const quantized_bytes *bytes = user;
    lf__quantized tile;
    lf_status status = lf__quantized_read(bytes->data, bytes->size, host, &tile, NULL);
    if (status == LF_OK)
        lf__quantized_free(&tile);
    return status;
}

static void memory_may_run_out(void **state) {
    (void)state;
    quantized_plan plan = {4, 0, 100, true, false, false, 9, NULL, NULL};
    quantized_bytes bytes = quantized_make(&plan);
    test_out_of_memory(attempt, &bytes);
    free(bytes.data);
}

static void real_tiles_are_read(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t vertices, triangles;
        bool normals;
    } tiles[] = {
        {"335", 2460, 4755, true},
        {"tile.32bitIndices", 65612, 131103, false},
        {"tile.metadataavailability", 208, 380, false},
        {"tile.octvertexnormals", 214, 392, true},
        {"tile.octvertexnormals.unknownext", 214, 392, true},
        {"tile.octvertexnormals.watermask", 218, 400, true},
        {"tile", 219, 402, false},
        {"tile.unknownext", 214, 392, false},
        {"tile.vertexnormals", 214, 392, true}, // lengths with the high byte first
        {"tile.vertexnormals.unknownext", 214, 392, true},
        {"tile.watermask", 218, 400, false},
    };
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        char name[100];
        snprintf(name, sizeof name, "globe/quantized-mesh/%s.terrain", tiles[i].name);
        const char *path = test_data(name);
        if (!path)
            skip();
        lf_map map;
        assert_int_equal(lf_map_open(path, &map, NULL), LF_OK);
        lf__quantized tile = read_fine(map.data, map.size);
        assert_int_equal(tile.vertex_count, tiles[i].vertices);
        assert_int_equal(tile.triangle_count, tiles[i].triangles);
        assert_true((tile.normals != NULL) == tiles[i].normals);
        assert_true(area_of(&tile) == whole);
        lf__quantized_free(&tile);
        lf_map_close(&map);
    }
}

static void the_older_format_is_named(void **state) {
    (void)state;
    const char *path = test_data("globe/quantized-mesh/11_3027_1342.terrain");
    if (!path)
        skip();
    lf_map map;
    assert_int_equal(lf_map_open(path, &map, NULL), LF_OK);
    refused(map.data, map.size, "heightmap-1.0");
    lf_map_close(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_tiles_come_back),
        cmocka_unit_test(spoiled_tiles_are_refused),
        cmocka_unit_test(spoiled_extensions_are_refused),
        cmocka_unit_test(cut_tiles_are_refused),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(real_tiles_are_read),
        cmocka_unit_test(the_older_format_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
