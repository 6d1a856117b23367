// Meshes of files: their structures are used as they lie in the file. They are those of a fresh build, bit
// for bit; damaged bytes are part of no answer; a file that was made to harm is refused or answered, and
// nothing beyond it is read.
#include "base/base.h"
#include "files.h"
#include "mesh/mesh.h"
#include "mesh/mesh_stored.h"
#include "store/sections.h"
#include "support.h"
#include <landfall/ground.h>
#include <landfall/sight.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 90, VERTICES = (SIDE + 1) * (SIDE + 1), KINDS = 4 };

static lf_vec3 vertices[VERTICES];
static int64_t corners[SIDE * SIDE * 6], starts[2 * SIDE * SIDE + 1];
static uint64_t users[2 * SIDE * SIDE];
static uint32_t layers[2 * SIDE * SIDE];
static uint8_t sides[2 * SIDE * SIDE];

/// Triangles; polygons with values of their own and gravity aslant; compact; around a centre.
static lf_mesh *make_mesh(int kind, test_random *random) {
    lf_mesh_def def = lf_mesh_def_default();
    int64_t count = 0, polygons = 0;
    for (int j = 0; j <= SIDE; j++)
        for (int i = 0; i <= SIDE; i++)
            vertices[j * (SIDE + 1) + i] = (lf_vec3){
                i + test_random_between(random, -0.3, 0.3), j + test_random_between(random, -0.3, 0.3),
                test_random_between(random, 0, 2) + (kind == 3 ? 300 : 0)};
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            int64_t a = j * (SIDE + 1) + i, b = a + 1, c = b + SIDE + 1, d = c - 1;
            bool flat = kind == 1 && (i + j) % 3 == 0; // one quad: its corners are made flat
            if (flat) {
                int64_t quad[] = {a, b, c, d};
                double x = i, y = j;
                vertices[a] = (lf_vec3){x, y, 1};
                vertices[b] = (lf_vec3){x + 1, y, 1};
                vertices[c] = (lf_vec3){x + 1, y + 1, 1};
                vertices[d] = (lf_vec3){x, y + 1, 1};
                starts[polygons++] = count;
                memcpy(corners + count, quad, sizeof quad);
                count += 4;
                continue;
            }
            int64_t two[] = {a, b, c, a, c, d};
            starts[polygons] = count;
            starts[polygons + 1] = count + 3;
            polygons += 2;
            memcpy(corners + count, two, sizeof two);
            count += 6;
        }
    starts[polygons] = count;
    for (int64_t k = 0; k < polygons; k++) {
        users[k] = (uint64_t)(7 * k);
        layers[k] = 1u << k % 3;
        sides[k] = (uint8_t)(1 + k % 2);
    }
    def.polygons = (lf_polygons){
        .vertices = vertices, .vertex_count = VERTICES, .corners = corners, .polygon_count = polygons};
    if (kind == 1) {
        def.polygons.starts = starts;
        def.polygons.users = users;
        def.polygons.layers = layers;
        def.polygons.sides = sides;
        assert_int_equal(lf_frame_gravity((lf_vec3){0.1, 0.2, -1}, &def.frame), LF_OK);
    }
    if (kind == 3)
        assert_int_equal(lf_frame_centre((lf_vec3){SIDE / 2.0, SIDE / 2.0, 0}, &def.frame), LF_OK);
    def.compact = kind == 2;
    lf_mesh *mesh;
    lf_error error = {0};
    if (lf_mesh_create(&def, &mesh, &error) != LF_OK)
        fail_msg("%s (polygon %lld)", error.text, (long long)error.where);
    return mesh;
}

/// The file of a mesh, in memory at a multiple of 64.
static uint8_t *file_of(const lf_mesh *mesh, size_t *size) {
    lf_store_def def = lf_store_def_default();
    const char *path = test_path("mesh.lf");
    def.mesh = mesh;
    assert_int_equal(lf_store_write(path, &def, NULL), LF_OK);
    void *content = test_file_content(path, size);
    uint8_t *data = aligned_alloc(64, (*size + 63) / 64 * 64);
    assert_non_null(data);
    memcpy(data, content, *size);
    free(content);
    return data;
}

static lf_store *open_file(const uint8_t *data, size_t size) {
    lf_store *store = NULL;
    lf_error error = {0};
    if (lf__store_open_bytes(data, size, NULL, false, &store, &error) != LF_OK)
        fail_msg("%s", error.text);
    return store;
}

static void same_bytes(const void *a, const void *b, size_t size) {
    if (size > 0)
        assert_memory_equal(a, b, size);
}

/// The stored structures are those of a fresh build of the stored polygons.
static void bits_are_those_of_a_build(void **state) {
    (void)state;
    test_random random = test_random_start(8181);
    for (int kind = 0; kind < KINDS; kind++) {
        size_t size;
        lf_mesh *mesh = make_mesh(kind, &random), *fresh;
        uint8_t *data = file_of(mesh, &size);
        lf_store *store = open_file(data, size);
        const lf_mesh *stored = lf_store_mesh(store);
        assert_true(stored->borrowed);
        lf_mesh_def def = lf_mesh_def_default();
        def.polygons = lf_store_polygons(store);
        def.frame = stored->frame;
        def.tolerance = stored->tolerance;
        def.compact = stored->compact;
        assert_int_equal(lf_mesh_create(&def, &fresh, NULL), LF_OK);
        lf__mesh_stored a, b;
        lf__mesh_store(stored, &a);
        lf__mesh_store(fresh, &b);
        same_bytes(&a.built, &b.built, sizeof a.built);
        for (int k = 0; k < LF__STORED_ARRAYS; k++) {
            assert_int_equal(a.arrays[k].size, b.arrays[k].size);
            same_bytes(a.arrays[k].data, b.arrays[k].data, a.arrays[k].size);
        }
        same_bytes(a.hull.data, b.hull.data, a.hull.size);
        lf_mesh_info one = lf_mesh_describe(stored), other = lf_mesh_describe(fresh);
        assert_int_equal(one.bytes, other.bytes);
        same_bytes(&one.built, &other.built, sizeof one.built);
        lf_mesh_destroy(fresh);
        lf_store_close(store);
        free(data);
        lf_mesh_destroy(mesh);
    }
}

/// One query of each kind at the same place: the answers, in bytes; or the first failure.
typedef struct replies {
    lf_hit height, up, first, many[3];
    bool any;
    int64_t all;
    lf_status status;
} replies;

static lf_status worse(lf_status a, lf_status b) {
    return a < 0 ? a : b;
}

static replies ask(const lf_ground *ground, int what, lf_vec3 from, lf_vec3 to) {
    replies r;
    lf_ray ray = lf_ray_between(from, to);
    lf_hit all[40];
    memset(&r, 0, sizeof r);
    r.status = LF_OK;
    lf_vec3 points[3] = {from, to, lf_vec3_scale(lf_vec3_add(from, to), 0.5)};
    if (what % 4 == 0) {
        r.status = worse(r.status, lf_ground_height(ground, from, LF_VERTICAL_DOWN, &r.height, NULL));
        r.status = worse(r.status, lf_ground_height(ground, from, LF_VERTICAL_UP, &r.up, NULL));
    }
    if (what % 4 == 1)
        r.status = worse(r.status, lf_ground_ray_first(ground, &ray, &r.first, NULL));
    if (what % 4 == 2)
        r.status = worse(r.status, lf_ground_ray_any(ground, &ray, &r.any, NULL));
    if (what % 4 == 3)
        r.status = worse(r.status, lf_ground_height_many(ground, points, sizeof *points, 3, LF_VERTICAL_DOWN,
                                                         r.many, sizeof *r.many, NULL));
    if (what == 100)
        r.status = worse(r.status, lf_ground_ray_all(ground, &ray, all, 40, &r.all, NULL));
    return r;
}

static void random_places(test_random *random, int kind, lf_vec3 *from, lf_vec3 *to) {
    double base = kind == 3 ? 300 : 0;
    *from = (lf_vec3){test_random_between(random, -2, SIDE + 2), test_random_between(random, -2, SIDE + 2),
                      base + test_random_between(random, 1, 4)};
    *to = (lf_vec3){from->x + test_random_between(random, -9, 9),
                    from->y + test_random_between(random, -9, 9), base + test_random_between(random, -1, 2)};
}

/// The same answers while little, and when everything has been checked.
static void answers_are_those_of_a_build(void **state) {
    (void)state;
    test_random random = test_random_start(8282);
    for (int kind = 0; kind < KINDS; kind++) {
        size_t size;
        lf_mesh *mesh = make_mesh(kind, &random);
        uint8_t *data = file_of(mesh, &size);
        for (int k = 0; k < 400; k++) {
            lf_store *store = open_file(data, size);
            for (int n = 0; n < (k == 0 ? 3000 : 2); n++) {
                lf_vec3 from, to;
                random_places(&random, kind, &from, &to);
                int what = n % 50 == 49 ? 100 : (int)test_random_below(&random, 4);
                replies a = ask(lf_mesh_ground(mesh), what, from, to),
                        b = ask(lf_store_ground(store), what, from, to);
                assert_memory_equal(&a, &b, sizeof a);
            }
            lf_store_close(store);
        }
        free(data);
        lf_mesh_destroy(mesh);
    }
}

static lf__store_section *section_of(uint8_t *data, const char *name) {
    lf__store_header *header = (void *)data;
    lf__store_section *sections = (void *)(data + sizeof *header);
    for (uint32_t k = 0; k < header->section_count; k++)
        if (strncmp(sections[k].name, name, 8) == 0)
            return &sections[k];
    return NULL;
}

/// Of a file with a changed byte every answer is refused, or that of the undamaged file.
static void damage_is_in_no_answer(void **state) {
    (void)state;
    test_random random = test_random_start(8383);
    int64_t refused = 0, answered = 0;
    for (int round = 0; round < (test_long() ? 3000 : 240); round++) {
        size_t size;
        static lf_mesh *mesh;
        static uint8_t *whole, *data;
        static size_t whole_size;
        int kind = round / (test_long() ? 750 : 60);
        if (round % (test_long() ? 750 : 60) == 0) {
            lf_mesh_destroy(mesh);
            free(whole), free(data);
            mesh = make_mesh(kind, &random);
            whole = file_of(mesh, &whole_size);
            data = aligned_alloc(64, (whole_size + 63) / 64 * 64);
            assert_non_null(data);
        }
        size = whole_size;
        memcpy(data, whole, size);
        lf__store_section *s =
            section_of(data, lf__stored_name((int)test_random_below(&random, LF__STORED_ARRAYS)));
        if (!s || s->bytes == 0)
            continue;
        data[s->offset + (uint64_t)test_random_below(&random, (int64_t)s->bytes)] ^=
            (uint8_t)(1 << test_random_below(&random, 8));
        lf_store *store = open_file(data, size);
        for (int n = 0; n < 60; n++) {
            lf_vec3 from, to;
            random_places(&random, kind, &from, &to);
            int what = n == 59 ? 100 : (int)test_random_below(&random, 4);
            replies a = ask(lf_mesh_ground(mesh), what, from, to),
                    b = ask(lf_store_ground(store), what, from, to);
            if (b.status == LF_BAD_FORMAT)
                refused++;
            else
                assert_memory_equal(&a, &b, sizeof a), answered++;
            if (n == 59)
                assert_int_equal(b.status, LF_BAD_FORMAT);
        }
        lf_store_close(store);
    }
    printf("%lld answered, %lld refused\n", (long long)answered, (long long)refused);
    assert_true(answered > 200 && refused > 200);
}

/// The same with checksums that are right: everything is refused or answered, and nothing beyond the file is read.
static void harmful_files_do_no_harm(void **state) {
    (void)state;
    test_random random = test_random_start(8484);
    for (int kind = 0; kind < KINDS; kind++) {
        size_t size;
        lf_mesh *mesh = make_mesh(kind, &random);
        uint8_t *whole = file_of(mesh, &size), *data = aligned_alloc(64, (size + 63) / 64 * 64);
        assert_non_null(data);
        for (int round = 0; round < (test_long() ? 2000 : 60); round++) {
            memcpy(data, whole, size);
            lf__store_section *sums = section_of(data, "blocks");
            int64_t block = 0;
            int wanted = (int)test_random_below(&random, LF__STORED_ARRAYS);
            for (int a = 0; a < LF__STORED_ARRAYS; a++) {
                lf__store_section *s = section_of(data, lf__stored_name(a));
                int64_t bytes = s ? (int64_t)s->bytes : 0;
                if (a == wanted && bytes > 0) {
                    int64_t at = test_random_below(&random, bytes / 4 + (bytes < 4)) * 4,
                            k = at / LF__STORED_BLOCK;
                    uint32_t value = (uint32_t)test_random_below(&random, 1 << 16)
                                     << test_random_below(&random, 17);
                    memcpy(data + s->offset + at, &value, bytes < 4 ? (size_t)bytes : 4);
                    int64_t rest = bytes - k * LF__STORED_BLOCK;
                    ((uint64_t *)(void *)(data + sums->offset))[block + k] =
                        lf__xxh64(data + s->offset + k * LF__STORED_BLOCK,
                                  (size_t)(rest < LF__STORED_BLOCK ? rest : LF__STORED_BLOCK), 0);
                }
                block += (bytes + LF__STORED_BLOCK - 1) / LF__STORED_BLOCK;
            }
            lf__store_header *header = (void *)data;
            sums->quick = lf__xxh64(data + sums->offset, (size_t)sums->bytes, 0);
            header->checksum = 0;
            header->checksum =
                lf__store_sum(LF__STORE_SEED, data, sizeof *header + header->section_count * sizeof *sums);
            lf_store *store = open_file(data, size);
            for (int n = 0; n < 40; n++) {
                lf_vec3 from, to;
                random_places(&random, kind, &from, &to);
                ask(lf_store_ground(store), n == 20 || n == 39 ? 100 : (int)test_random_below(&random, 4),
                    from, to);
            }
            lf_store_close(store);
        }
        free(data);
        free(whole);
        lf_mesh_destroy(mesh);
    }
}

/// Structures of another revision, and files without them, are built from their polygons.
static void other_revisions_are_built(void **state) {
    (void)state;
    test_random random = test_random_start(8585);
    size_t size;
    lf_mesh *mesh = make_mesh(0, &random);
    uint8_t *data = file_of(mesh, &size);
    lf__store_header *header = (void *)data;
    lf__store_section *built = section_of(data, "built");
    data[built->offset] = LF__STORED_REVISION + 1;
    built->quick = lf__xxh64(data + built->offset, (size_t)built->bytes, 0);
    header->checksum = 0;
    header->checksum =
        lf__store_sum(LF__STORE_SEED, data, sizeof *header + header->section_count * sizeof *built);
    lf_store *store = open_file(data, size);
    assert_false(lf_store_mesh(store)->borrowed);
    for (int n = 0; n < 300; n++) {
        lf_vec3 from, to;
        random_places(&random, 0, &from, &to);
        replies a = ask(lf_mesh_ground(mesh), n, from, to), b = ask(lf_store_ground(store), n, from, to);
        assert_memory_equal(&a, &b, sizeof a);
    }
    lf_store_close(store);
    free(data);
    lf_mesh_destroy(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_a_build), cmocka_unit_test(answers_are_those_of_a_build),
        cmocka_unit_test(damage_is_in_no_answer),    cmocka_unit_test(harmful_files_do_no_harm),
        cmocka_unit_test(other_revisions_are_built),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
