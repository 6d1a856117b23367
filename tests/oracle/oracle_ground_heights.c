// Heights over polygon ground against brute force: down, up, all, and why there is none.
#include "brute.h"
#include <landfall/ground.h>
#include <landfall/mesh.h>
#include <stdio.h>
#include <stdlib.h>

/// One nasty mesh as two grounds, made for different instruction sets, and room for answers.
typedef struct bench {
    nasty_mesh mesh;
    lf_frame frame;
    exact_hull *hull; ///< only where gravity is one direction
    test_place plain, best;
    lf_cursor *cursor;
    brute_hit *expected;
    lf_hit *hits, *other_hits;
} bench;

static void make_place(const bench *bench, const char *isa, test_place *place) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = nasty_mesh_polygons(&bench->mesh);
    def.frame = bench->frame;
    if (isa)
        setenv("LANDFALL_ISA", isa, 1);
    *place = test_place_make(&def);
    unsetenv("LANDFALL_ISA");
}

static void open_bench(bench *bench, int kind, int64_t size, lf_frame frame, test_random *random) {
    nasty_mesh_make(&bench->mesh, (nasty_mesh_kind)kind, size, test_random_below(random, 3) > 0, random);
    int64_t count = bench->mesh.polygon_count;
    bench->frame = frame;
    bench->hull = frame.kind == LF_FRAME_GRAVITY ? nasty_mesh_hull(&bench->mesh, frame.down) : NULL;
    make_place(bench, "scalar", &bench->plain);
    make_place(bench, NULL, &bench->best);
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
    exact_hull_free(bench->hull);
    nasty_mesh_free(&bench->mesh);
}

/// What the library said about one point.
typedef struct answers {
    lf_hit down, up;
    const lf_hit *all;
    int64_t count;
} answers;

static answers ask(const bench *bench, const lf_ground *ground, lf_vec3 point, uint32_t layers,
                   lf_hit *hits) {
    answers said = {.all = hits};
    lf_cursor *cursor = layers == ~0u ? NULL : bench->cursor;
    lf_cursor_set_layers(bench->cursor, layers);
    assert_int_equal(lf_ground_height(ground, point, LF_LOOK_DOWN, &said.down, cursor), LF_OK);
    assert_int_equal(lf_ground_height(ground, point, LF_LOOK_UP, &said.up, cursor), LF_OK);
    lf_hit *both[2] = {&said.down, &said.up};
    for (int i = 0; i < 2; i++)
        assert_int_equal(lf_ground_weights(ground, both[i]),
                         both[i]->kind == LF_HIT_NONE ? LF_BAD_ARGUMENT : LF_OK);
    assert_int_equal(
        lf_ground_height_all(ground, point, hits, bench->mesh.polygon_count, &said.count, cursor), LF_OK);
    return said;
}

static bool same_answers(const answers *a, const answers *b) {
    if (!judge_same_hit(&a->down, &b->down) || !judge_same_hit(&a->up, &b->up) || a->count != b->count)
        return false;
    for (int64_t i = 0; i < a->count; i++)
        if (!judge_same_hit(&a->all[i], &b->all[i]))
            return false;
    return true;
}

/// The line of a height question, looked along downwards (sign 1) or upwards (sign -1), for s >= 0.
static brute_question half_line(const bench *bench, lf_vec3 point, double sign, uint32_t layers) {
    lf_ray ray = {point, lf_vec3_scale(bench->frame.down, sign), 0, LF_INFINITY};
    brute_question question = {&bench->mesh, ray, layers, false, true, false};
    return question;
}

/// Why there is nothing on this side, given what is on the other.
static lf_reason expected_reason(const bench *bench, lf_vec3 point, bool other_side) {
    if (other_side)
        return LF_REASON_NONE;
    return exact_hull_contains(bench->hull, point) ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
}

/// One look: the nearest hit, or the reason. length: metres per s of the question's ray.
static void judge_look(judge *judge, const bench *bench, const brute_question *question, const lf_hit *hit,
                       double length, bool other_side) {
    brute_answer expected = {.hits = bench->expected};
    brute_ask(question, &expected);
    judge->questions++;
    judge->meetings += expected.count;
    if (expected.count == 0) {
        judge->misses++;
        if (hit->kind != LF_HIT_NONE)
            judge_wrong(judge, question, "height: a hit where there is none", hit);
        else if (hit->reason != expected_reason(bench, question->ray.origin, other_side))
            judge_wrong(judge, question, "height: wrong reason", hit);
        return;
    }
    judge->hits++;
    if (hit->kind == LF_HIT_NONE) {
        judge_wrong(judge, question, "height: a miss where there is a hit", hit);
        return;
    }
    const char *fault = judge_hit(question, hit, length);
    if (fault)
        judge_wrong(judge, question, fault, hit);
    else if (!judge_close_to(hit->t, expected.first_t * length, BRUTE_T_TOLERANCE) &&
             !(fabs(hit->t - expected.first_t * length) <= judge_height_slack(question, hit)))
        judge_wrong(judge, question, "height: not the nearest", hit);
    else if (hit->t == 0 && signbit(hit->t))
        judge_wrong(judge, question, "height: t is minus zero", hit);
}

/// Every meeting, from the top down, whichever side a polygon shows.
static void judge_all(judge *judge, const bench *bench, lf_vec3 point, uint32_t layers, const answers *said,
                      double length) {
    brute_question question = half_line(bench, point, 1, layers);
    question.ray.t_min = -LF_INFINITY;
    question.both_sides = true;
    brute_answer expected = {.hits = bench->expected};
    brute_ask(&question, &expected);
    judge->questions++;
    judge->meetings += expected.count;
    *(expected.count ? &judge->hits : &judge->misses) += 1;
    if (said->count != expected.count)
        judge_wrong(judge, &question, "all heights: wrong count", said->count ? said->all : NULL);
    for (int64_t i = 0; i < said->count; i++) {
        const lf_hit *hit = &said->all[i];
        const char *fault = judge_hit(&question, hit, length);
        if (!fault && i > 0 &&
            !(hit[-1].t < hit->t || (hit[-1].t == hit->t && hit[-1].element < hit->element)))
            fault = "all heights: out of order or twice";
        if (fault) {
            if (judge_wrong(judge, &question, fault, hit) && i > 0)
                fprintf(stderr, "    the hit before it: element %lld, t %a\n", (long long)hit[-1].element,
                        hit[-1].t);
            return;
        }
    }
}

/// Is there a wanted polygon on the other side, as the other look sees it?
static bool anything(const bench *bench, const brute_question *question) {
    brute_answer expected = {.hits = bench->expected};
    brute_ask(question, &expected);
    return expected.count > 0;
}

static void judge_point(judge *judge, bench *bench, lf_vec3 point, uint32_t layers) {
    answers said = ask(bench, bench->best.ground, point, layers, bench->hits);
    answers plain = ask(bench, bench->plain.ground, point, layers, bench->other_hits);
    brute_question down = half_line(bench, point, 1, layers), up = half_line(bench, point, -1, layers);
    double length = lf_vec3_length(bench->frame.down);
    bool below = anything(bench, &down), above = anything(bench, &up);
    judge_look(judge, bench, &down, &said.down, length, above);
    judge_look(judge, bench, &up, &said.up, length, below);
    judge_all(judge, bench, point, layers, &said, length);
    if (!same_answers(&said, &plain))
        judge_wrong(judge, &down, "another answer on plain instructions", &plain.down);
}

/// The batch gives the same bits as one point after the other, packed or with strides, on one thread or three.
static void judge_many(judge *judge, const bench *bench, const lf_vec3 *points, int64_t count, lf_look look) {
    struct wide {
        lf_hit hit;
        double beside;
    } *wide = test_room(count, sizeof *wide);
    lf_hit *packed = test_room(count, sizeof *packed), single;
    lf_tasks tasks = test_tasks(3);
    const lf_ground *ground = bench->best.ground;
    assert_int_equal(lf_ground_height_many(ground, points, 0, count, look, packed, 0, &tasks), LF_OK);
    assert_int_equal(
        lf_ground_height_many(ground, points, sizeof *points, count, look, &wide->hit, sizeof *wide, NULL),
        LF_OK);
    for (int64_t i = 0; i < count; i++) {
        brute_question question = half_line(bench, points[i], look == LF_LOOK_DOWN ? 1 : -1, ~0u);
        assert_int_equal(lf_ground_height(ground, points[i], look, &single, NULL), LF_OK);
        if (!judge_same_hit(&packed[i], &single))
            judge_wrong(judge, &question, "many on three threads: not what one point gives", &packed[i]);
        if (!judge_same_hit(&wide[i].hit, &single))
            judge_wrong(judge, &question, "many with strides: not what one point gives", &wide[i].hit);
    }
    free(packed);
    free(wide);
}

static void judge_mesh(judge *judge, int kind, int64_t size, lf_frame frame, test_random *random) {
    static const uint32_t masks[4] = {1, 2, 0x80000004u, 0};
    enum { COUNT = 120 };
    bench bench;
    open_bench(&bench, kind, size, frame, random);
    lf_vec3 points[COUNT];
    for (int i = 0; i < COUNT; i++) {
        points[i] = nasty_point_make(&bench.mesh, frame.down, random);
        judge_point(judge, &bench, points[i], ~0u);
        if (i % 4 == 0)
            judge_point(judge, &bench, points[i], masks[test_random_below(random, 4)]);
    }
    judge_many(judge, &bench, points, COUNT, LF_LOOK_DOWN);
    judge_many(judge, &bench, points, COUNT, LF_LOOK_UP);
    close_bench(&bench);
}

static void heights_where_down_is_minus_z(void **state) {
    (void)state;
    test_random random = test_random_start(3001);
    judge judge = {.name = "heights, -z"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++)
            judge_mesh(&judge, kind, 1 + test_random_below(&random, 300), lf_frame_default(), &random);
    judge_close(&judge, 20000);
}

static void heights_along_any_gravity(void **state) {
    (void)state;
    test_random random = test_random_start(3002);
    judge judge = {.name = "heights, any gravity"};
    for (int64_t round = 0; round < test_rounds(4); round++)
        for (int kind = 0; kind < NASTY_MESH_KINDS; kind++) {
            lf_frame frame;
            assert_int_equal(lf_frame_gravity(nasty_gravity(&random), &frame), LF_OK);
            judge_mesh(&judge, kind, 1 + test_random_below(&random, 300), frame, &random);
        }
    judge_close(&judge, 20000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_where_down_is_minus_z),
        cmocka_unit_test(heights_along_any_gravity),
    };
    return cmocka_run_group_tests_name("oracle: ground heights", tests, NULL, NULL);
}
