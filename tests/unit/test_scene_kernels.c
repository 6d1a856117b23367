/// The kernels of pairs, trees, models, contacts, culling and tiles: every instruction set of this machine gives what the scalar
/// code gives, on random and on nasty input. It links nothing but the core, so that it runs on other machines too (tools/platforms).
#include "codec/codec.h"
#include "contact/contact.h"
#include "mesh/mesh.h"
#include "model/model.h"
#include "pairs/pairs.h"
#include "scene/cull.h"
#include "support.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A number as boxes may have it: often the same again, sometimes one that breaks things.
static double odd_number(test_random *random) {
    static const double odd[] = {0,      -0.0,   1,      -1,     0.5,    1e-310,           1e99, 1e150,
                                 -1e101, 1e-200, 3e-324, 0x1p52, 0x1p24, (double)INFINITY, NAN};
    uint64_t which = (uint64_t)test_random_below(random, 400);
    if (which < sizeof odd / sizeof *odd)
        return odd[which];
    return which < 200 ? (double)test_random_below(random, 5) - 2 : test_random_between(random, -3, 3);
}

static lf_box odd_box(test_random *random) {
    double n[6];
    for (int k = 0; k < 6; k++)
        n[k] = odd_number(random);
    for (int k = 0; k < 3; k++)
        if (n[k] > n[3 + k] && test_random_below(random, 20) > 0) {
            double kept = n[k];
            n[k] = n[3 + k];
            n[3 + k] = kept;
        }
    return (lf_box){{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
}

// ---------------------------------------------------------------------------------------------------
// Pairs
// ---------------------------------------------------------------------------------------------------

enum { BODIES = 300, ENTRIES = 2000, OWNERS = 100 };

static void compare_lists(const lf__pairs_kernels *plain, const lf__pairs_kernels *best,
                          test_random *random) {
    static _Alignas(64) lf__body bodies[BODIES];
    static uint32_t entries[ENTRIES + LF__PAIRS_FETCH];
    static uint64_t keys[2][ENTRIES + 1];
    lf__owner owners[OWNERS];
    for (int i = 0; i < BODIES; i++) {
        lf_box box = odd_box(random);
        memcpy(bodies[i].low, &box.low, sizeof bodies[i].low);
        memcpy(bodies[i].high, &box.high, sizeof bodies[i].high);
        bodies[i].stamp = i % 50 == 0 ? LF__BODY_REMOVED : (uint64_t)test_random_below(random, 4);
        bodies[i].user = UINT64_MAX; // a NAN in the fourth lane
    }
    uint32_t used = 0;
    for (int i = 0; i < OWNERS; i++) {
        owners[i] = (lf__owner){(uint32_t)test_random_below(random, BODIES), used,
                                (uint32_t)test_random_below(random, ENTRIES / OWNERS)};
        used += owners[i].count;
    }
    for (int i = 0; i < ENTRIES + LF__PAIRS_FETCH; i++)
        entries[i] = (uint32_t)test_random_below(random, BODIES);
    for (uint64_t stamp = 0; stamp < 4; stamp++) {
        int64_t count = plain->sift(bodies, owners, OWNERS, entries, stamp, keys[0]);
        assert_int_equal(best->sift(bodies, owners, OWNERS, entries, stamp, keys[1]), count);
        assert_memory_equal(keys[0], keys[1], (size_t)count * sizeof *keys[0]);
    }
    int64_t count = plain->sift_each(bodies, owners, OWNERS, entries, keys[0]);
    assert_int_equal(best->sift_each(bodies, owners, OWNERS, entries, keys[1]), count);
    assert_memory_equal(keys[0], keys[1], (size_t)count * sizeof *keys[0]);
    for (int i = 0; i + 1 < BODIES; i++) {
        lf_box fat = odd_box(random), box = odd_box(random);
        if (i % 2) // within
            for (int k = 0; k < 3; k++)
                ((double *)&fat.low)[k] = fmin(((double *)&fat.low)[k], ((double *)&box.low)[k]),
                         ((double *)&fat.high)[k] = fmax(((double *)&fat.high)[k], ((double *)&box.high)[k]);
        _Alignas(64) lf__body a = bodies[i], b = bodies[i];
        bool moved = plain->move(&a, &fat, &box);
        assert_true(best->move(&b, &fat, &box) == moved);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

/// Traversals visit alike, so the keys come in the same order.
static void compare_flat(const lf__flat_kernels *plain, const lf__flat_kernels *best, test_random *random) {
    static lf_box boxes[BODIES];
    static uint32_t items[BODIES];
    int64_t count = 1 + test_random_below(random, BODIES);
    for (int i = 0; i < BODIES; i++) {
        lf_vec3 at = {test_random_between(random, -9, 9), (double)test_random_below(random, 20) - 10,
                      test_random_between(random, -1, 1)};
        boxes[i] = (lf_box){at, {at.x + (double)test_random_below(random, 3), at.y + 1, at.z + i % 4 * 0.25}};
        items[i] = (uint32_t)i;
    }
    lf_host host = {0};
    lf_allocator allocator = lf__allocator_of(&host);
    lf__flat flat = {0};
    lf__flat_boxes view = {boxes, sizeof *boxes};
    flat.origin = lf__flat_centre(&view, items, count);
    assert_int_equal(lf__flat_make(&flat, &allocator, &view, items, count, false), LF_OK);
    lf__pairs_sink sinks[2] = {{.allocator = &allocator}, {.allocator = &allocator}};
    const lf__flat_kernels *kinds[2] = {plain, best};
    for (int k = 0; k < 2; k++) {
        kinds[k]->join(&flat, &flat, &sinks[k]);
        for (int i = 0; i < BODIES; i++) {
            lf__flat_box box = lf__flat_local(flat.origin, &boxes[i]);
            box.high[0] = i % 7 == 0 ? NAN : i % 11 == 0 ? INFINITY : box.high[0];
            kinds[k]->query(&flat, &box, &sinks[k]);
            kinds[k]->scan(flat.nodes, flat.items, count, &box, &sinks[k]);
        }
    }
    assert_int_equal(sinks[0].keys.count, sinks[1].keys.count);
    assert_true(sinks[0].keys.count > 0 && !sinks[0].full && !sinks[1].full);
    assert_memory_equal(sinks[0].keys.items, sinks[1].keys.items,
                        (size_t)sinks[0].keys.count * sizeof(uint64_t));
    for (int k = 0; k < 2; k++)
        lf__array_free(&sinks[k].keys, &allocator, sizeof(uint64_t));
    lf__flat_free(&flat, &allocator);
}

static void test_pairs(void **state) {
    (void)state;
    test_random random = test_random_start(81);
    for (int isa = LF_ISA_SCALAR; isa <= (int)lf_isa_best(); isa++)
        for (int round = 0; round < 20; round++) {
            compare_lists(lf__pairs_kernels_for(LF_ISA_SCALAR), lf__pairs_kernels_for((lf_isa)isa), &random);
            compare_flat(lf__flat_kernels_for(LF_ISA_SCALAR), lf__flat_kernels_for((lf_isa)isa), &random);
        }
}

// ---------------------------------------------------------------------------------------------------
// Touching triangles of two trees
// ---------------------------------------------------------------------------------------------------

enum { TRIANGLES = 250 };

static lf_mesh *soup(test_random *random, double offset) {
    lf_vec3 vertices[3 * TRIANGLES];
    int64_t corners[3 * TRIANGLES];
    for (int i = 0; i < 3 * TRIANGLES; i++) {
        double size = i % 30 < 3 ? 4 : 0.5;
        lf_vec3 at = i % 3 ? vertices[i - i % 3]
                           : (lf_vec3){offset + (double)test_random_below(random, 12),
                                       test_random_between(random, 0, 12), test_random_between(random, 0, 6)};
        vertices[i] = i % 3 == 0 ? at
                                 : (lf_vec3){at.x + size * test_random_between(random, -1, 1),
                                             at.y + (double)test_random_below(random, 3) * size,
                                             at.z + size * test_random_between(random, -1, 1)};
        corners[i] = i;
    }
    lf_mesh_def def = lf_mesh_def_default();
    lf_mesh *mesh = NULL;
    def.polygons = (lf_polygons){
        .vertices = vertices, .vertex_count = 3 * TRIANGLES, .corners = corners, .polygon_count = TRIANGLES};
    assert_int_equal(lf_mesh_create(&def, &mesh, NULL), LF_OK);
    return mesh;
}

typedef struct pair_list {
    uint64_t keys[TRIANGLES * TRIANGLES];
    int64_t count;
} pair_list;

static bool note_pair(void *user, uint32_t a, uint32_t b) {
    pair_list *list = user;
    list->keys[list->count++] = (uint64_t)a << 32 | b;
    return true;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void test_pair_kernel(void **state) {
    (void)state;
    static pair_list lists[2];
    test_random random = test_random_start(82);
    int64_t all = 0;
    assert_true(lf__pair_kernel_for(LF_ISA_SCALAR) != NULL);
    for (int round = 0; round < 30; round++) {
        lf_mesh *a = soup(&random, 0), *b = soup(&random, round % 3 * 4);
        double angle = round % 2 ? test_random_between(&random, -3, 3) : 0, c = cos(angle), s = sin(angle);
        lf_pose pose = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}, {(round % 5 - 2) * c, 0, 0}};
        const lf__bvh_kernels *kinds[2] = {lf__bvh_kernels_for(LF_ISA_SCALAR),
                                           lf__bvh_kernels_for(lf_isa_best())};
        for (int k = 0; k < 2; k++) {
            lf__pair_finder finder = {note_pair, &lists[k], false};
            lists[k].count = 0;
            a->tree->kernels = b->tree->kernels =
                kinds[k]; // lf__bvh_pairs takes the pair kernel of the same set
            assert_false(lf__bvh_pairs(a->tree, b->tree, &pose, &finder, NULL));
            qsort(lists[k].keys, (size_t)lists[k].count, sizeof *lists[k].keys, by_number);
        }
        all += lists[0].count;
        assert_int_equal(lists[0].count, lists[1].count);
        assert_memory_equal(lists[0].keys, lists[1].keys, (size_t)lists[0].count * sizeof *lists[0].keys);
        lf_mesh_destroy(a);
        lf_mesh_destroy(b);
    }
    assert_true(all > 100);
}

// ---------------------------------------------------------------------------------------------------
// Poses and moving boxes
// ---------------------------------------------------------------------------------------------------

/// Where the distance is not within a hair of the reach, and the pose not within a hair of rigid, there is one answer.
static void test_apart(void **state) {
    (void)state;
    test_random random = test_random_start(83);
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 0, 1e31, -2e30, 1e-9, 1e300, DBL_MIN};
    for (int isa = LF_ISA_SCALAR; isa <= (int)lf_isa_best(); isa++)
        for (int i = 0; i < 20000; i++) {
            lf_pose poses[2];
            for (int k = 0; k < 2; k++) {
                double angle = test_random_between(&random, -3, 3), c = cos(angle), s = sin(angle);
                double scale = pow(10, test_random_between(&random, -20, 20));
                poses[k] = (lf_pose){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}},
                                     {scale * test_random_between(&random, -1, 1), scale, 0}};
            }
            double distance = lf_vec3_length(lf_vec3_sub(poses[0].translation, poses[1].translation));
            double reach = distance * (i % 2 ? 0.999 : 1.001);
            if (i % 3 == 0)
                ((double *)&poses[i % 2])[test_random_below(&random, 12)] =
                    wrong[test_random_below(&random, sizeof wrong / sizeof *wrong)];
            lf__poses plain = lf__apart_kernel_for(LF_ISA_SCALAR)(&poses[0], &poses[1], reach);
            assert_int_equal(lf__apart_kernel_for((lf_isa)isa)(&poses[0], &poses[1], reach), plain);
        }
}

static void test_contact(void **state) {
    (void)state;
    test_random random = test_random_start(84);
    const lf__contact_kernels *plain = lf__contact_kernels_for(LF_ISA_SCALAR),
                              *best = lf__contact_kernels_for(lf_isa_best());
    for (int i = 0; i < 20000; i++) {
        lf_moving_box boxes[2] = {{.box = odd_box(&random)}, {.box = odd_box(&random)}};
        for (int k = 0; k < 2; k++)
            boxes[k].velocity =
                (lf_vec3){odd_number(&random), odd_number(&random), test_random_between(&random, -1, 1)};
        lf_contact_result one, two, three;
        memset(&one, 0, sizeof one);
        two = three = one;
        double ahead = i % 7 == 0 ? (double)INFINITY : test_random_between(&random, 0, 5);
        bool fine = plain->one(&boxes[0], &boxes[1], ahead, &one);
        assert_true(best->one(&boxes[0], &boxes[1], ahead, &two) == fine);
        lf_contact_batch batch = {&boxes[0], &boxes[1], 0, 0, 1, ahead, &three, NULL};
        assert_int_equal(best->many(&batch, 0, 1), fine);
        assert_true(!fine || (one.meets == two.meets && one.meets == three.meets));
        assert_memory_equal(&one.time, &two.time, fine ? sizeof one.time : 0);
        assert_memory_equal(&one.point, &two.point, fine ? sizeof one.point : 0);
        assert_memory_equal(&one.normal, &three.normal, fine ? sizeof one.normal : 0);
    }
}

// ---------------------------------------------------------------------------------------------------
// Culling
// ---------------------------------------------------------------------------------------------------

/// Coordinates and normals of few bits: sums are exact, so that fused or not, and exactly on a limit, there is one answer.
static float few_bits(test_random *random, int most) {
    return (float)(test_random_below(random, 2 * most + 1) - most);
}

static void cull_scene(lf__cull_planes *planes, lf__cull_group *group, test_random *random, int round) {
    *planes = (lf__cull_planes){.count = 5 + round % 2, .smallest = round % 3 ? 0.0f : 0.5f};
    for (int i = 0; i < LF__GROUP; i++)
        for (int k = 0; k < 3; k++) {
            group->low[k][i] = few_bits(random, 100);
            group->high[k][i] = group->low[k][i] + (float)test_random_below(random, round % 7 ? 5 : 100);
            group->diagonal[i] = (float)test_random_below(random, 100);
        }
    for (int k = 0; k < planes->count; k++) {
        for (int c = 0; c < 3; c++)
            planes->normal[k][c] = few_bits(random, 4) * 0.25f * (float)(round % 5 != c);
        planes->outside[k] = few_bits(random, 100);
        planes->inside[k] = planes->outside[k] - 1;
    }
    lf__cull_choose_sides(planes);
    group->alive = test_random_bits(random) | test_random_bits(random);
}

static void compare_cull(lf_isa isa, test_random *random) {
    lf__cull_kernels plain = lf__cull_kernels_for(LF_ISA_SCALAR), best = lf__cull_kernels_for(isa);
    static lf__cull_order order;
    static _Alignas(64) lf__cull_group group;
    uint32_t things[LF__GROUP], noted[2][2 * LF__GROUP];
    lf__cull_order_make(&order);
    for (int i = 0; i < LF__GROUP; i++)
        things[i] = (uint32_t)test_random_bits(random);
    for (int round = 0; round < 300; round++) {
        lf__cull_planes planes;
        lf__cull_found a, b;
        cull_scene(&planes, &group, random, round);
        unsigned mask = (unsigned)test_random_below(random, 64) & ((1u << planes.count) - 1);
        plain.test(&planes, mask, &group, true, &a);
        best.test(&planes, mask, &group, true, &b);
        assert_true(a.kept == b.kept);
        assert_memory_equal(a.crossing, b.crossing, (size_t)planes.count * sizeof *a.crossing);
        uint64_t lanes = round % 2 ? a.kept : test_random_bits(random);
        int64_t count = plain.note(&order, things, lanes, noted[0]);
        int64_t wide[2][LF__GROUP + 1] = {{0}, {0}};
        assert_int_equal(best.note(&order, things, lanes, noted[1]), count);
        assert_memory_equal(noted[0], noted[1], (size_t)count * sizeof *things);
        plain.widen(noted[0], count, wide[0]);
        best.widen(noted[0], count, wide[1]);
        assert_memory_equal(wide[0], wide[1], sizeof wide[0]);
    }
}

static void test_cull(void **state) {
    (void)state;
    test_random random = test_random_start(85);
    for (int isa = LF_ISA_SCALAR; isa <= (int)lf_isa_best(); isa++)
        compare_cull((lf_isa)isa, &random);
}

// ---------------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------------

static void test_tiles(void **state) {
    (void)state;
    test_random random = test_random_start(86);
    lf__codec_decoder *decode = lf__codec_decoder_for(lf_isa_best());
    lf__codec_two *two = lf__codec_two_for(lf_isa_best()), *plain_two = lf__codec_two_for(LF_ISA_SCALAR);
    for (int round = 0; round < 6000; round++) {
        int32_t steps[256], plain[256], quick[256], rows[2][32], maxima[2][LF__CODEC_MAXIMA] = {{0}};
        uint8_t bytes[LF__CODEC_BYTES + 40];
        lf__codec_kind kind = round % 2 ? LF__CODEC_PREDICT : LF__CODEC_MAXPLUS;
        int32_t range = 1 << test_random_below(&random, round % 8 == 0 ? 30 : 17);
        for (int k = 0; k < 256; k++)
            steps[k] = (int32_t)test_random_below(&random, range) + round % 5 * (k % 16) * (range / 64);
        size_t size = round % 2 ? lf__predict_encode(steps, bytes) : lf__maxplus_encode(steps, bytes);
        size_t more = (size_t)test_random_below(&random, 40);
        for (size_t k = 0; k < more; k++)
            bytes[size + k] = (uint8_t)test_random_bits(&random);
        int row = (int)test_random_below(&random, 15), count = 1 + round % 2;
        plain_two(kind, bytes, size + more, row, count, rows[0]);
        two(kind, bytes, size + more, row, count, rows[1]);
        assert_memory_equal(rows[0], rows[1], (size_t)count * 16 * sizeof *rows[0]);
        for (int64_t k = round % 4 == 3 ? test_random_below(&random, 4) : 0; k > 0; k--)
            bytes[(size_t)test_random_below(&random, 21) % size] = (uint8_t)test_random_bits(&random);
        bool fine = lf__codec_decode(kind, bytes, size + more, plain, maxima[0]);
        assert_true(decode(kind, bytes, size + more, quick, maxima[1]) == fine);
        assert_memory_equal(plain, quick, sizeof plain);
        assert_memory_equal(maxima[0], maxima[1], round % 2 ? 0 : sizeof maxima[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),   cmocka_unit_test(test_pair_kernel), cmocka_unit_test(test_apart),
        cmocka_unit_test(test_contact), cmocka_unit_test(test_cull),        cmocka_unit_test(test_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
