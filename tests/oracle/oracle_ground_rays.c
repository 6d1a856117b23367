// Rays over polygon ground against brute force: layers, one-sided polygons, batches, instruction sets.
#include "brute.h"
#include <landfall/ground.h>
#include <landfall/mesh.h>
#include <stdlib.h>

/// One nasty mesh as two grounds, made for different instruction sets, and room for answers.
typedef struct bench {
    nasty_mesh mesh;
    test_place plain, best;
    lf_cursor *cursor;
    brute_hit *expected;
    lf_hit *hits, *other_hits;
} bench;

static void make_place(const nasty_mesh *mesh, const char *isa, test_place *place) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = nasty_mesh_polygons(mesh);
    if (isa)
        setenv("LANDFALL_ISA", isa, 1);
    *place = test_place_make(&def);
    unsetenv("LANDFALL_ISA");
}

static void open_bench(bench *bench, int kind, int64_t size, test_random *random) {
    nasty_mesh_make(&bench->mesh, (nasty_mesh_kind)kind, size, test_random_below(random, 3) > 0, random);
    int64_t count = bench->mesh.polygon_count;
    make_place(&bench->mesh, "scalar", &bench->plain);
    make_place(&bench->mesh, NULL, &bench->best);
    assert_int_equal(lf_cursor_create(NULL, &bench->cursor), LF_OK);
    bench->expected = test_room(count, sizeof *bench->expected);
    bench->hits = test_room(count, sizeof *bench->hits);
    bench->other_hits = test_room(count, sizeof *bench->other_hits);
}

static void close_bench(bench *bench) {
    free(bench->other_hits);
    free(bench->hits);
    free(bench->expected);
    lf_cursor_destroy(bench->cursor);
    test_place_drop(bench->best);
    test_place_drop(bench->plain);
    nasty_mesh_free(&bench->mesh);
}

static judged_ray ask(bench *bench, const lf_ground *ground, const brute_question *question, lf_hit *hits) {
    judged_ray said = {.all = hits};
    lf_cursor *cursor = question->layers == ~0u ? NULL : bench->cursor;
    const lf_ray *ray = &question->ray;
    lf_cursor_set_layers(bench->cursor, question->layers);
    assert_int_equal(lf_ground_ray_first(ground, ray, &said.first, cursor), LF_OK);
    assert_int_equal(lf_ground_ray_any(ground, ray, &said.any, cursor), LF_OK);
    assert_int_equal(lf_ground_ray_all(ground, ray, hits, bench->mesh.polygon_count, &said.count, cursor),
                     LF_OK);
    return said;
}

/// Too little room: the first hits, in order, and nothing behind them.
static void check_partial(judge *judge, bench *bench, const brute_question *question,
                          const judged_ray *said) {
    if (said->count == 0 || question->layers != ~0u)
        return;
    int64_t capacity = said->count / 2, count = -1;
    lf_hit *hits = bench->other_hits;
    hits[capacity].element = -77;
    lf_status status = lf_ground_ray_all(bench->best.ground, &question->ray, hits, capacity, &count, NULL);
    bool fine = status == LF_PARTIAL && count == said->count && hits[capacity].element == -77;
    for (int64_t i = 0; i < capacity; i++)
        fine = fine && judge_same_hit(&hits[i], &said->all[i]);
    if (!fine)
        judge_wrong(judge, question, "all: wrong with too little room", NULL);
}

static lf_hit judge_one(judge *judge, bench *bench, const lf_ray *ray, uint32_t layers) {
    brute_question question = {&bench->mesh, *ray, layers, false, false, false};
    brute_answer expected = {.hits = bench->expected};
    brute_ask(&question, &expected);
    judged_ray said = ask(bench, bench->best.ground, &question, bench->hits);
    judged_ray plain = ask(bench, bench->plain.ground, &question, bench->other_hits);
    judge_ray(judge, &question, &expected, &said);
    if (!judge_same_answers(&said, &plain))
        judge_wrong(judge, &question, "another answer on plain instructions", &plain.first);
    check_partial(judge, bench, &question, &said);
    return said.first;
}

/// Ask again with an interval that begins or ends at the hit's t, or one bit beside it.
static void judge_interval(judge *judge, bench *bench, lf_ray ray, const lf_hit *hit, int64_t how) {
    double beside = how & 1 ? hit->t : nextafter(hit->t, how & 2 ? LF_INFINITY : 0);
    if (how & 4 && beside >= ray.t_min)
        ray.t_max = beside;
    else if (beside <= ray.t_max)
        ray.t_min = beside;
    judge_one(judge, bench, &ray, ~0u);
}

/// The batch gives the same bits as one ray after the other, packed or with strides, on one thread or three.
static void judge_many(judge *judge, const bench *bench, const lf_ray *rays, const lf_hit *singles,
                       int64_t count) {
    struct wide {
        lf_hit hit;
        double beside;
    } *wide = test_room(count, sizeof *wide);
    lf_hit *packed = test_room(count, sizeof *packed);
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground = bench->best.ground;
    assert_int_equal(lf_ground_ray_first_many(ground, rays, 0, count, packed, 0, &tasks), LF_OK);
    assert_int_equal(
        lf_ground_ray_first_many(ground, rays, sizeof *rays, count, &wide->hit, sizeof *wide, NULL), LF_OK);
    for (int64_t i = 0; i < count; i++) {
        brute_question question = {&bench->mesh, rays[i], ~0u, false, false, false};
        if (!judge_same_hit(&packed[i], &singles[i]))
            judge_wrong(judge, &question, "many on three threads: not what one ray gives", &packed[i]);
        if (!judge_same_hit(&wide[i].hit, &singles[i]))
            judge_wrong(judge, &question, "many with strides: not what one ray gives", &wide[i].hit);
    }
    free(packed);
    free(wide);
}

static void judge_mesh(judge *judge, int kind, int64_t size, int64_t count, test_random *random) {
    static const uint32_t masks[4] = {1, 2, 0x80000004u, 0};
    bench bench;
    open_bench(&bench, kind, size, random);
    lf_ray *rays = test_room(count, sizeof *rays);
    lf_hit *singles = test_room(count, sizeof *singles);
    for (int64_t i = 0; i < count; i++) {
        rays[i] = nasty_ray_make((nasty_ray_kind)(i % NASTY_RAY_KINDS), &bench.mesh, random);
        singles[i] = judge_one(judge, &bench, &rays[i], ~0u);
        if (i % 4 == 0)
            judge_one(judge, &bench, &rays[i], masks[test_random_below(random, 4)]);
        if (singles[i].kind != LF_HIT_NONE && singles[i].t > 0 && i % 4 == 1)
            judge_interval(judge, &bench, rays[i], &singles[i], test_random_below(random, 8));
    }
    judge_many(judge, &bench, rays, singles, count);
    free(singles);
    free(rays);
    close_bench(&bench);
}

static void rays_equal_brute_force(void **state) {
    (void)state;
    test_random random = test_random_start(2001);
    judge judge = {.name = "ground rays"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            judge_mesh(&judge, kind, 1 + test_random_below(&random, 400), NASTY_RAY_KINDS * 20, &random);
    judge_close(&judge, 20000);
}

static void rays_over_many_polygons(void **state) {
    (void)state;
    test_random random = test_random_start(2002);
    judge judge = {.name = "ground rays, many polygons"};
    for (int64_t round = 0; round < test_rounds(1); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            judge_mesh(&judge, kind, 3000, NASTY_RAY_KINDS * 2, &random);
    judge_close(&judge, 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_equal_brute_force),
        cmocka_unit_test(rays_over_many_polygons),
    };
    return cmocka_run_group_tests_name("oracle: ground rays", tests, NULL, NULL);
}
