/// Every instruction set's kernels against the plain ones, on random and on nasty input.
#include "bvh/bvh.h"
#include "support.h"
#include <string.h>

enum { TRIANGLES = 2000, RAYS = 1000 };

typedef struct soup {
    lf_vec3 vertices[3 * TRIANGLES];
    uint32_t corners[3 * TRIANGLES];
} soup;

static void fill_soup(soup *s, test_random *random, double extent, double offset, double size) {
    for (int i = 0; i < TRIANGLES; i++) {
        lf_vec3 at = {offset + test_random_between(random, 0, extent), test_random_between(random, 0, extent),
                      test_random_between(random, 0, extent)};
        for (int c = 0; c < 3; c++) {
            s->corners[3 * i + c] = (uint32_t)(3 * i + c);
            s->vertices[3 * i + c] = (lf_vec3){at.x + test_random_between(random, -size, size),
                                               at.y + test_random_between(random, -size, size),
                                               at.z + test_random_between(random, -size, size)};
        }
    }
}

static lf_ray some_ray(test_random *random, const soup *s, int kind) {
    lf_vec3 a = s->vertices[test_random_below(random, 3 * TRIANGLES)];
    lf_vec3 b = s->vertices[test_random_below(random, 3 * TRIANGLES)];
    lf_ray ray = lf_ray_between(a, b);
    if (kind % 4 == 1)
        ray = lf_ray_towards(a, (lf_vec3){0, kind & 4 ? -1 : 1, 0});
    else if (kind % 4 == 2)
        ray.origin = lf_vec3_along(a, -1000, ray.direction), ray.t_max = INFINITY;
    else if (kind % 4 == 3)
        ray.direction.z = 0, ray.direction.x += 1e-12;
    if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0)
        ray.direction.x = 1;
    return ray;
}

static void collect_sum(void *user, lf__bvh_meeting meeting) {
    uint64_t *sum = user;
    sum[0]++;
    sum[1] += meeting.triangle;
}

static void compare_rays(const lf__bvh *tree, const soup *s, test_random *random) {
    lf__bvh plain = *tree;
    plain.kernels = lf__bvh_kernels_for(LF_ISA_SCALAR);
    for (int i = 0; i < RAYS; i++) {
        lf_ray ray = some_ray(random, s, i);
        lf__bvh_meeting a = {0}, b = {0};
        bool hit = lf__bvh_first(tree, &ray, NULL, &a, NULL);
        assert_int_equal(hit, lf__bvh_first(&plain, &ray, NULL, &b, NULL));
        assert_int_equal(a.triangle, b.triangle);
        assert_memory_equal(&a.t, &b.t, sizeof a.t);
        assert_int_equal(hit, lf__bvh_any(tree, &ray, NULL, NULL));
        assert_int_equal(hit, lf__bvh_any(&plain, &ray, NULL, NULL));
        uint64_t sums[2][2] = {{0, 0}, {0, 0}};
        lf__bvh_collector collectors[2] = {{collect_sum, sums[0]}, {collect_sum, sums[1]}};
        lf__bvh_all(tree, &ray, NULL, &collectors[0], NULL);
        lf__bvh_all(&plain, &ray, NULL, &collectors[1], NULL);
        assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
        assert_int_equal(hit, sums[0][0] > 0);
    }
}

typedef struct batch_check {
    const lf__bvh_batch *batch;
    int64_t answers, hits;
} batch_check;

/// One answer of a batch against the same ray asked alone.
static void check_one(void *user, int64_t index, const lf__bvh_meeting *best) {
    batch_check *check = user;
    lf__bvh_meeting alone = {0};
    bool met = lf__bvh_first(check->batch->tree, lf__bvh_batch_ray(check->batch, index), NULL, &alone, NULL);
    assert_int_equal(met, best != NULL);
    if (best) {
        assert_int_equal(best->triangle, alone.triangle);
        assert_memory_equal(&best->t, &alone.t, sizeof alone.t);
    }
    check->answers++;
    check->hits += met;
}

/// Rays in turns: scattered ones, ones that follow each other, ones whose direction must be scaled; many and few.
static void compare_batches(const lf__bvh *tree, const soup *s, test_random *random) {
    static lf_ray rays[RAYS];
    lf__bvh plain = *tree;
    plain.kernels = lf__bvh_kernels_for(LF_ISA_SCALAR);
    const lf__bvh *trees[2] = {tree, &plain};
    int64_t hits = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int64_t count = 0; count <= RAYS; count += count < 20 ? 1 : 490) {
            for (int i = 0; i < RAYS; i++) {
                rays[i] = kind == 1 && i > 0 ? rays[i - 1] : some_ray(random, s, i);
                if (kind == 1)
                    rays[i].direction.x *= 1 + 1e-4;
                if (kind == 2)
                    rays[i].direction = lf_vec3_scale(rays[i].direction, i & 1 ? 0x1p-80 : 0x1p80);
            }
            for (int which = 0; which < 2; which++) {
                batch_check check = {0};
                lf__bvh_batch batch = {trees[which], NULL, rays, sizeof *rays, count, check_one, &check};
                check.batch = &batch;
                lf__bvh_first_many(&batch);
                assert_int_equal(check.answers, count);
                hits += check.hits;
            }
        }
    assert_true(hits > 100);
}

static void compare_nodes(const lf__bvh *tree, test_random *random) {
    const lf__bvh_kernels *plain = lf__bvh_kernels_for(LF_ISA_SCALAR);
    for (int i = 0; i < RAYS; i++) {
        const lf__bvh_node *node = &tree->nodes[test_random_below(random, tree->node_count)];
        float low[3], high[3];
        for (int k = 0; k < 3; k++) {
            // Now and then exactly a child's own plane: touching must be seen alike.
            low[k] = node->plane[3 + k][test_random_below(random, 2)];
            high[k] = low[k] + (float)test_random_between(random, 0, 50);
        }
        assert_int_equal(tree->kernels->overlapping(node, low, high), plain->overlapping(node, low, high));
    }
}

// ---------------------------------------------------------------------------------------------------
// Trees of items
// ---------------------------------------------------------------------------------------------------

enum { ITEMS = 3000 };

/// What searches of some rays have found: a mark for each item. `reach` of the rays never falls.
typedef struct item_marks {
    uint8_t found[ITEMS];
    double reach;
    int64_t visits;
} item_marks;

static double mark_item(void *user, uint32_t item) {
    item_marks *marks = user;
    assert_true(item < ITEMS);
    marks->found[item]++;
    marks->visits++;
    return marks->reach;
}

static double mark_item_of(void *user, int64_t index, uint32_t item) {
    return mark_item((item_marks *)user + index, item);
}

/// Does a ray meet a box, by clipping in doubles, well inside of it?
static bool meets_box(const lf_ray *ray, const lf_box *box) {
    const double o[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
    const double d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    const double low[3] = {box->low.x, box->low.y, box->low.z},
                 high[3] = {box->high.x, box->high.y, box->high.z};
    double near = ray->t_min, far = ray->t_max;
    for (int k = 0; k < 3; k++) {
        if (d[k] == 0 && (o[k] < low[k] || o[k] > high[k]))
            return false;
        if (d[k] == 0)
            continue;
        double a = (low[k] - o[k]) / d[k], b = (high[k] - o[k]) / d[k];
        near = fmax(near, fmin(a, b));
        far = fmin(far, fmax(a, b));
    }
    return near <= far;
}

/// Every item that a ray meets is found once, by each instruction set, alone and in turns.
static void compare_searches(lf__items *items, const lf_ray *rays, int64_t count) {
    static item_marks alone, turns[64];
    for (int isa = LF_ISA_SCALAR; isa <= (int)lf_isa_best(); isa++) {
        items->kernels = lf__item_kernels_for((lf_isa)isa);
        memset(turns, 0, sizeof turns);
        for (int64_t i = 0; i < count; i++)
            turns[i].reach = rays[i].t_max;
        lf__item_searches all = {.rays = rays,
                                 .ray_stride = sizeof *rays,
                                 .count = count,
                                 .item = mark_item_of,
                                 .user = turns,
                                 .parts = (const char *)items->boxes,
                                 .stride = items->stride};
        lf__items_search_many(items, &all);
        for (int64_t i = 0; i < count; i++) {
            memset(&alone, 0, sizeof alone);
            alone.reach = rays[i].t_max;
            lf__item_search search = {mark_item, &alone, NULL, (const char *)items->boxes, items->stride};
            lf__items_search(items, &rays[i], &search, NULL);
            assert_memory_equal(alone.found, turns[i].found, sizeof alone.found);
            for (int64_t k = 0; k < ITEMS; k++) {
                assert_true(alone.found[k] <= 1);
                if (!lf_box_is_empty(items->boxes[k]) && meets_box(&rays[i], &items->boxes[k]))
                    assert_int_equal(alone.found[k], 1);
            }
        }
    }
}

static void searches_find_all_items(void **state) {
    (void)state;
    static lf_box boxes[ITEMS];
    test_random random = test_random_start(12);
    for (int round = 0; round < 12; round++) {
        double offset = round % 3 == 1 ? 1e7 : 0, size = round % 4 == 3 ? 40 : 3;
        for (int64_t i = 0; i < ITEMS; i++) {
            lf_vec3 at = {offset + test_random_between(&random, 0, 300), test_random_between(&random, 0, 300),
                          test_random_between(&random, 0, 30)};
            lf_vec3 half = {test_random_between(&random, 0, size), test_random_between(&random, 0, size),
                            test_random_between(&random, 0, size)};
            boxes[i] = i % 50 == 7 ? lf_box_empty() : (lf_box){lf_vec3_sub(at, half), lf_vec3_add(at, half)};
        }
        if (round % 2 == 1) // one as large as everything
            boxes[1] = (lf_box){{offset, 0, -1}, {offset + 300, 300, 0}};
        int64_t count = round == 5 ? 1 : round == 6 ? 16 : round == 7 ? 17 : ITEMS;
        for (int64_t i = count; i < ITEMS; i++)
            boxes[i] = lf_box_empty();
        lf__items items;
        lf_host host = {0};
        lf_allocator allocator = lf__allocator_of(&host);
        lf__items_start(&items, &allocator);
        assert_int_equal(lf__items_build(&items, boxes, sizeof *boxes, ITEMS), LF_OK);
        for (int64_t i = 0; i < count && round > 8; i += 3) // refitted, in part far away
            if (!lf_box_is_empty(boxes[i])) {
                double by = i % 9 == 0 ? 500 : 2;
                boxes[i].low.x += by, boxes[i].high.x += by;
                lf__items_moved(&items, i);
            }
        lf_ray rays[64];
        for (int i = 0; i < 64; i++) {
            lf_vec3 a = {offset + test_random_between(&random, -50, 350),
                         test_random_between(&random, -50, 350), test_random_between(&random, -5, 35)};
            lf_vec3 b = {offset + test_random_between(&random, -50, 350),
                         test_random_between(&random, -50, 350), test_random_between(&random, -5, 35)};
            rays[i] = lf_ray_between(a, b);
            if (i % 4 == 1)
                rays[i] = lf_ray_towards(a, (lf_vec3){i & 4 ? -1 : 1, 0, 0});
            if (i % 8 == 2)
                rays[i] = lf_ray_towards(a, (lf_vec3){0, 0, -1});
        }
        compare_searches(&items, rays, 64);
        lf__items_free(&items);
    }
}

static void all_kernels_agree(void **state) {
    (void)state;
    static soup s;
    const double cases[][3] = {{100, 0, 5}, {100, 1e7, 5}, {1e-3, 0, 1e-4}, {100, 0, 0.01}, {1e6, -1e9, 1e6}};
    test_random random = test_random_start(11);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        fill_soup(&s, &random, cases[c][0], cases[c][1], cases[c][2]);
        lf__bvh_def def = lf__bvh_def_default();
        def.vertices = s.vertices;
        def.corners = s.corners;
        def.triangle_count = TRIANGLES;
        lf__bvh *tree;
        assert_int_equal(lf__bvh_create(&def, &tree, NULL), LF_OK);
        compare_rays(tree, &s, &random);
        compare_batches(tree, &s, &random);
        compare_nodes(tree, &random);
        lf__bvh_destroy(tree);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_kernels_agree),
                                       cmocka_unit_test(searches_find_all_items)};
    return cmocka_run_group_tests_name("tree: kernels", tests, NULL, NULL);
}
