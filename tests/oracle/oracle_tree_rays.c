// The box tree against brute force: rays over triangles, and boxes.
#include "brute.h"
#include "bvh/bvh.h"
#include <stdio.h>
#include <stdlib.h>

/// One mesh under two trees, made for different instruction sets, and space for answers.
typedef struct bench {
    nasty_mesh mesh;
    lf__bvh *plain, *best;
    brute_hit *expected;
    lf_hit *hits, *other_hits;
    int64_t *items;
} bench;

static void make_tree(const nasty_mesh *mesh, const char *isa, lf__bvh **tree) {
    lf__bvh_def def = lf__bvh_def_default();
    def.vertices = mesh->vertices;
    def.corners = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    if (isa)
        setenv("LANDFALL_ISA", isa, 1);
    lf_error error = {0};
    lf_status status = lf__bvh_create(&def, tree, &error);
    unsetenv("LANDFALL_ISA");
    if (status != LF_OK)
        fail_msg("no tree over %s: %s", mesh->name, error.text);
}

static void open_bench(bench *bench, int kind, int64_t size, test_random *random) {
    nasty_mesh_make(&bench->mesh, (nasty_mesh_kind)kind, size, false, random);
    int64_t count = bench->mesh.triangle_count;
    make_tree(&bench->mesh, "scalar", &bench->plain);
    make_tree(&bench->mesh, NULL, &bench->best);
    bench->expected = test_space(count, sizeof *bench->expected);
    bench->hits = test_space(count, sizeof *bench->hits);
    bench->other_hits = test_space(count, sizeof *bench->other_hits);
    bench->items = test_space(count, sizeof *bench->items);
}

static void close_bench(bench *bench) {
    free(bench->items);
    free(bench->other_hits);
    free(bench->hits);
    free(bench->expected);
    lf__bvh_destroy(bench->best);
    lf__bvh_destroy(bench->plain);
    nasty_mesh_free(&bench->mesh);
}

static checked_ray ask(const bench *bench, const lf__bvh *tree, const lf_ray *ray, lf_hit *hits) {
    checked_ray said = {.all = hits};
    assert_int_equal(lf__bvh_ray_first(tree, ray, &said.first, NULL), LF_OK);
    assert_int_equal(lf__bvh_ray_any(tree, ray, &said.any, NULL), LF_OK);
    assert_int_equal(lf__bvh_ray_all(tree, ray, hits, bench->mesh.triangle_count, &said.count, NULL), LF_OK);
    return said;
}

/// Too little space: the first hits, in order, and nothing behind them.
static void check_partial(oracle *oracle, bench *bench, const brute_question *question,
                          const checked_ray *said) {
    if (said->count == 0)
        return;
    int64_t capacity = said->count / 2, count = -1;
    lf_hit *hits = bench->other_hits;
    hits[capacity].element = -77;
    lf_status status = lf__bvh_ray_all(bench->best, &question->ray, hits, capacity, &count, NULL);
    bool fine = status == LF_PARTIAL && count == said->count && hits[capacity].element == -77;
    for (int64_t i = 0; i < capacity; i++)
        fine = fine && oracle_same_hit(&hits[i], &said->all[i]);
    if (!fine)
        oracle_wrong(oracle, question, "all: wrong with too little space", NULL);
}

static lf_hit oracle_one(oracle *oracle, bench *bench, const lf_ray *ray) {
    brute_question question = {&bench->mesh, *ray, ~0u, true, false, false};
    brute_answer expected = {.hits = bench->expected};
    brute_ask(&question, &expected);
    checked_ray said = ask(bench, bench->best, ray, bench->hits);
    checked_ray plain = ask(bench, bench->plain, ray, bench->other_hits);
    oracle_ray(oracle, &question, &expected, &said);
    if (!oracle_same_answers(&said, &plain))
        oracle_wrong(oracle, &question, "another answer on plain instructions", &plain.first);
    check_partial(oracle, bench, &question, &said);
    return said.first;
}

/// Ask again with an interval that begins or ends at the hit's t, or one bit beside it.
static void oracle_interval(oracle *oracle, bench *bench, lf_ray ray, const lf_hit *hit, int64_t how) {
    double beside = how & 1 ? hit->t : nextafter(hit->t, how & 2 ? LF_INFINITY : 0);
    if (how & 4 && beside >= ray.t_min)
        ray.t_max = beside;
    else if (beside <= ray.t_max)
        ray.t_min = beside;
    oracle_one(oracle, bench, &ray);
}

static void oracle_mesh(oracle *oracle, int kind, int64_t size, int64_t rays, test_random *random) {
    bench bench;
    open_bench(&bench, kind, size, random);
    for (int64_t i = 0; i < rays; i++) {
        lf_ray ray = nasty_ray_make((nasty_ray_kind)(i % NASTY_RAY_KINDS), &bench.mesh, random);
        lf_hit hit = oracle_one(oracle, &bench, &ray);
        if (hit.kind != LF_HIT_NONE && hit.t > 0 && i % 3 == 0)
            oracle_interval(oracle, &bench, ray, &hit, test_random_below(random, 8));
    }
    close_bench(&bench);
}

static void rays_equal_brute_force(void **state) {
    (void)state;
    test_random random = test_random_start(1001);
    oracle oracle = {.name = "tree rays"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            oracle_mesh(&oracle, kind, 1 + test_random_below(&random, 400), NASTY_RAY_KINDS * 20, &random);
    oracle_close(&oracle, 20000);
}

static void rays_in_deep_trees(void **state) {
    (void)state;
    test_random random = test_random_start(1002);
    oracle oracle = {.name = "tree rays, many triangles"};
    for (int64_t round = 0; round < test_rounds(1); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            oracle_mesh(&oracle, kind, 4000, NASTY_RAY_KINDS * 2, &random);
    oracle_close(&oracle, 400);
}

/// A box between two corners of triangles, widened or not.
static lf_box some_box(const nasty_mesh *mesh, test_random *random) {
    lf_vec3 ends[2];
    for (int i = 0; i < 2; i++)
        ends[i] = mesh->vertices[mesh->triangles[test_random_below(random, 3 * mesh->triangle_count)]];
    if (test_random_below(random, 2))
        ends[1] = ends[0];
    if (test_random_below(random, 2))
        ends[1] = nasty_nudge(ends[1], random);
    return exact_box(ends, 2);
}

static void oracle_overlap(const bench *bench, const lf__bvh *tree, const lf_box *boxes, lf_box box,
                           oracle *oracle) {
    int64_t total = bench->mesh.triangle_count, count = -1, found = 0;
    assert_int_equal(lf__bvh_overlaps(tree, box, bench->items, total, &count, NULL), LF_OK);
    bool right = true;
    for (int64_t i = 0; i < total; i++) {
        if (!exact_boxes_touch(boxes[i], box))
            continue;
        right = right && found < count && bench->items[found] == i;
        found++;
    }
    oracle->questions++;
    oracle->meetings += found;
    *(found ? &oracle->hits : &oracle->misses) += 1;
    right = right && count == found;
    if (found > 1) {
        int64_t capacity = found / 2, last = bench->items[capacity - 1];
        bench->items[capacity] = -77;
        right = right && lf__bvh_overlaps(tree, box, bench->items, capacity, &count, NULL) == LF_PARTIAL &&
                count == found && bench->items[capacity - 1] == last && bench->items[capacity] == -77;
    }
    if (!right && oracle->wrong++ < 5)
        fprintf(stderr, "overlaps: WRONG in %s: box {%a %a %a} {%a %a %a}: %lld said, %lld exist\n",
                bench->mesh.name, box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z,
                (long long)count, (long long)found);
}

static void make_box_tree(const lf_box *boxes, int64_t count, lf__bvh **tree) {
    lf__bvh_def def = lf__bvh_def_default();
    def.boxes = boxes;
    def.box_count = count;
    assert_int_equal(lf__bvh_create(&def, tree, NULL), LF_OK);
}

static void oracle_mesh_overlaps(oracle *oracle, int kind, int64_t size, test_random *random) {
    bench bench;
    open_bench(&bench, kind, size, random);
    int64_t count = bench.mesh.triangle_count;
    lf_box *boxes = test_space(count, sizeof *boxes);
    for (int64_t i = 0; i < count; i++) {
        lf_vec3 corners[3];
        nasty_mesh_triangle(&bench.mesh, i, corners);
        boxes[i] = exact_box(corners, 3);
    }
    lf__bvh *box_tree;
    make_box_tree(boxes, count, &box_tree);
    const lf__bvh *trees[3] = {bench.plain, bench.best, box_tree};
    for (int64_t i = 0; i < 300; i++)
        oracle_overlap(&bench, trees[i % 3], boxes, some_box(&bench.mesh, random), oracle);
    lf_box outside = {bench.mesh.box.high, bench.mesh.box.high};
    outside.low.x = outside.high.x = nextafter(outside.high.x, LF_INFINITY);
    for (int i = 0; i < 30; i++)
        oracle_overlap(&bench, trees[i % 3], boxes, outside, oracle);
    lf__bvh_destroy(box_tree);
    free(boxes);
    close_bench(&bench);
}

static void overlaps_equal_brute_force(void **state) {
    (void)state;
    test_random random = test_random_start(1003);
    oracle oracle = {.name = "tree overlaps"};
    for (int64_t round = 0; round < test_rounds(2); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            oracle_mesh_overlaps(&oracle, kind, 1 + test_random_below(&random, 1000), &random);
    oracle_close(&oracle, 5000);
}

/// Zero, or any double from the denormals up to 2^highest.
static double any_double(int highest, test_random *random) {
    double sign = test_random_below(random, 2) ? 1 : -1;
    double mantissa = test_random_between(random, 0.5, 1);
    int64_t exponent = highest - test_random_below(random, highest + 1074);
    return test_random_below(random, 8) ? sign * ldexp(mantissa, (int)exponent) : 0;
}

static lf_vec3 any_vec(int highest, test_random *random) {
    double x = any_double(highest, random), y = any_double(highest, random);
    return (lf_vec3){x, y, any_double(highest, random)};
}

/// Beyond the sizes that exact arithmetic promises for, answers may be wrong, but they come, name triangles that
/// exist, and do not depend on the instruction set.
static void sizes_beyond_all_promises(void **state) {
    (void)state;
    test_random random = test_random_start(1004);
    for (int64_t round = 0; round < test_rounds(20); round++) {
        bench bench;
        open_bench(&bench, NASTY_SOUP, 1 + test_random_below(&random, 200), &random);
        for (int64_t i = 0; i < bench.mesh.vertex_count; i++)
            bench.mesh.vertices[i] = any_vec(99, &random); // meshes and origins end at 1e30
        lf__bvh_destroy(bench.best);
        lf__bvh_destroy(bench.plain);
        make_tree(&bench.mesh, "scalar", &bench.plain);
        make_tree(&bench.mesh, NULL, &bench.best);
        for (int i = 0; i < 200; i++) {
            lf_vec3 origin = any_vec(99, &random), direction = any_vec(1023, &random);
            if (direction.x == 0 && direction.y == 0 && direction.z == 0)
                continue;
            lf_ray ray = lf_ray_towards(origin, direction);
            checked_ray said = ask(&bench, bench.best, &ray, bench.hits);
            checked_ray plain = ask(&bench, bench.plain, &ray, bench.other_hits);
            assert_true(oracle_same_answers(&said, &plain));
            for (int64_t k = 0; k < said.count; k++)
                assert_in_range(said.all[k].element, 0, bench.mesh.triangle_count - 1);
        }
        close_bench(&bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_equal_brute_force),
        cmocka_unit_test(rays_in_deep_trees),
        cmocka_unit_test(overlaps_equal_brute_force),
        cmocka_unit_test(sizes_beyond_all_promises),
    };
    return cmocka_run_group_tests_name("oracle: tree rays", tests, NULL, NULL);
}
