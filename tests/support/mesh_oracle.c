#include "mesh_oracle.h"
#include <stdio.h>
#include <stdlib.h>

static void make_place(const mesh_bench *bench, const char *isa, test_place *place) {
    lf_mesh_def def = lf_mesh_def_default();
    def.polygons = nasty_mesh_polygons(&bench->mesh);
    def.frame = bench->frame;
    if (isa)
        setenv("LANDFALL_ISA", isa, 1);
    *place = test_place_make(&def);
    unsetenv("LANDFALL_ISA");
}

void mesh_bench_open(mesh_bench *bench, const nasty_mesh *mesh, lf_frame frame) {
    int64_t count = mesh->polygon_count;
    *bench = (mesh_bench){.mesh = *mesh, .frame = frame};
    bench->hull = frame.kind == LF_FRAME_GRAVITY ? nasty_mesh_hull(&bench->mesh, frame.down) : NULL;
    make_place(bench, "scalar", &bench->plain);
    make_place(bench, NULL, &bench->best);
    assert_int_equal(lf_cursor_create(NULL, &bench->cursor), LF_OK);
    bench->expected = test_space(count, sizeof *bench->expected);
    bench->hits = test_space(count, sizeof *bench->hits);
    bench->other_hits = test_space(count, sizeof *bench->other_hits);
}

void mesh_bench_close(mesh_bench *bench) {
    free(bench->other_hits);
    free(bench->hits);
    free(bench->expected);
    lf_cursor_destroy(bench->cursor);
    test_place_drop(bench->best);
    test_place_drop(bench->plain);
    exact_hull_free(bench->hull);
    nasty_mesh_free(&bench->mesh);
}

// ---------------------------------------------------------------------------------------------------
// Rays
// ---------------------------------------------------------------------------------------------------

static checked_ray ask_ray(mesh_bench *bench, const lf_ground *ground, const brute_question *question,
                           lf_hit *hits) {
    checked_ray said = {.all = hits};
    lf_cursor *cursor = question->layers == ~0u ? NULL : bench->cursor;
    const lf_ray *ray = &question->ray;
    lf_cursor_set_layers(bench->cursor, question->layers);
    assert_int_equal(lf_ground_ray_first(ground, ray, &said.first, cursor), LF_OK);
    assert_int_equal(lf_ground_ray_any(ground, ray, &said.any, cursor), LF_OK);
    assert_int_equal(lf_ground_ray_all(ground, ray, hits, bench->mesh.polygon_count, &said.count, cursor),
                     LF_OK);
    return said;
}

/// Too little space: the first hits, in order, and nothing behind them.
static void check_partial(oracle *oracle, mesh_bench *bench, const brute_question *question,
                          const checked_ray *said) {
    if (said->count == 0 || question->layers != ~0u)
        return;
    int64_t capacity = said->count / 2, count = -1;
    lf_hit *hits = bench->other_hits;
    hits[capacity].element = -77;
    lf_status status = lf_ground_ray_all(bench->best.ground, &question->ray, hits, capacity, &count, NULL);
    bool fine = status == LF_PARTIAL && count == said->count && hits[capacity].element == -77;
    for (int64_t i = 0; i < capacity; i++)
        fine = fine && oracle_same_hit(&hits[i], &said->all[i]);
    if (!fine)
        oracle_wrong(oracle, question, "all: wrong with too little space", NULL);
}

lf_hit mesh_oracle_ray(oracle *oracle, mesh_bench *bench, const lf_ray *ray, uint32_t layers) {
    brute_question question = {&bench->mesh, *ray, layers, false, false, false};
    brute_answer expected = {.hits = bench->expected};
    brute_ask(&question, &expected);
    checked_ray said = ask_ray(bench, bench->best.ground, &question, bench->hits);
    checked_ray plain = ask_ray(bench, bench->plain.ground, &question, bench->other_hits);
    oracle_ray(oracle, &question, &expected, &said);
    if (!oracle_same_answers(&said, &plain))
        oracle_wrong(oracle, &question, "another answer on plain instructions", &plain.first);
    check_partial(oracle, bench, &question, &said);
    return said.first;
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// What the library said about one point.
typedef struct answers {
    lf_hit down, up;
    const lf_hit *all;
    int64_t count;
} answers;

static answers ask_height(const mesh_bench *bench, const lf_ground *ground, lf_vec3 point, uint32_t layers,
                          lf_hit *hits) {
    answers said = {.all = hits};
    lf_cursor *cursor = layers == ~0u ? NULL : bench->cursor;
    lf_cursor_set_layers(bench->cursor, layers);
    assert_int_equal(lf_ground_height(ground, point, LF_VERTICAL_DOWN, &said.down, cursor), LF_OK);
    assert_int_equal(lf_ground_height(ground, point, LF_VERTICAL_UP, &said.up, cursor), LF_OK);
    lf_hit *both[2] = {&said.down, &said.up};
    for (int i = 0; i < 2; i++)
        assert_int_equal(lf_ground_weights(ground, both[i]),
                         both[i]->kind == LF_HIT_NONE ? LF_BAD_ARGUMENT : LF_OK);
    assert_int_equal(
        lf_ground_height_all(ground, point, hits, bench->mesh.polygon_count, &said.count, cursor), LF_OK);
    return said;
}

static bool same_answers(const answers *a, const answers *b) {
    if (!oracle_same_hit(&a->down, &b->down) || !oracle_same_hit(&a->up, &b->up) || a->count != b->count)
        return false;
    for (int64_t i = 0; i < a->count; i++)
        if (!oracle_same_hit(&a->all[i], &b->all[i]))
            return false;
    return true;
}

brute_question mesh_oracle_half_line(const mesh_bench *bench, lf_vec3 point, double sign, uint32_t layers) {
    lf_ray ray = {point, lf_vec3_scale(bench->frame.down, sign), 0, LF_INFINITY};
    brute_question question = {&bench->mesh, ray, layers, false, true, false};
    return question;
}

/// Why there is nothing on this side, given what is on the other.
static lf_reason expected_reason(const mesh_bench *bench, lf_vec3 point, bool other_side) {
    if (other_side)
        return LF_REASON_NONE;
    return exact_hull_contains(bench->hull, point) ? LF_REASON_HOLE : LF_REASON_OUTSIDE;
}

/// One look: the nearest hit, or the reason. length: metres per s of the question's ray.
static void oracle_look(oracle *oracle, const mesh_bench *bench, const brute_question *question,
                        const lf_hit *hit, double length, bool other_side) {
    brute_answer expected = {.hits = bench->expected};
    brute_ask(question, &expected);
    oracle->questions++;
    oracle->meetings += expected.count;
    if (expected.count == 0) {
        oracle->misses++;
        if (hit->kind != LF_HIT_NONE)
            oracle_wrong(oracle, question, "height: a hit where there is none", hit);
        else if (hit->reason != expected_reason(bench, question->ray.origin, other_side))
            oracle_wrong(oracle, question, "height: wrong reason", hit);
        return;
    }
    oracle->hits++;
    if (hit->kind == LF_HIT_NONE) {
        oracle_wrong(oracle, question, "height: a miss where there is a hit", hit);
        return;
    }
    const char *fault = oracle_hit(question, hit, length);
    if (fault)
        oracle_wrong(oracle, question, fault, hit);
    else if (!oracle_close_to(hit->t, expected.first_t * length, BRUTE_T_TOLERANCE) &&
             !(fabs(hit->t - expected.first_t * length) <= oracle_height_slack(question, hit)))
        oracle_wrong(oracle, question, "height: not the nearest", hit);
    else if (!oracle_is_first(question, &expected, hit))
        oracle_wrong(oracle, question, "height: not the lowest of the nearest", hit);
    else if (hit->t == 0 && signbit(hit->t))
        oracle_wrong(oracle, question, "height: t is minus zero", hit);
}

/// Every meeting, from the top down, whichever side a polygon shows.
static void oracle_heights(oracle *oracle, const mesh_bench *bench, lf_vec3 point, uint32_t layers,
                           const answers *said, double length) {
    brute_question question = mesh_oracle_half_line(bench, point, 1, layers);
    question.ray.t_min = -LF_INFINITY;
    question.both_sides = true;
    brute_answer expected = {.hits = bench->expected};
    brute_ask(&question, &expected);
    oracle->questions++;
    oracle->meetings += expected.count;
    *(expected.count ? &oracle->hits : &oracle->misses) += 1;
    if (said->count != expected.count)
        oracle_wrong(oracle, &question, "all heights: wrong count", said->count ? said->all : NULL);
    for (int64_t i = 0; i < said->count; i++) {
        const lf_hit *hit = &said->all[i];
        const char *fault = oracle_hit(&question, hit, length);
        if (!fault && i > 0 && !oracle_in_order(&question, &expected, &hit[-1], hit))
            fault = "all heights: out of order or twice";
        if (fault) {
            if (oracle_wrong(oracle, &question, fault, hit) && i > 0)
                fprintf(stderr, "    the hit before it: element %lld, t %a\n", (long long)hit[-1].element,
                        hit[-1].t);
            return;
        }
    }
}

/// Is there a wanted polygon on the other side, as the other look sees it?
static bool anything(const mesh_bench *bench, const brute_question *question) {
    brute_answer expected = {.hits = bench->expected};
    brute_ask(question, &expected);
    return expected.count > 0;
}

void mesh_oracle_height(oracle *oracle, mesh_bench *bench, lf_vec3 point, uint32_t layers) {
    answers said = ask_height(bench, bench->best.ground, point, layers, bench->hits);
    answers plain = ask_height(bench, bench->plain.ground, point, layers, bench->other_hits);
    brute_question down = mesh_oracle_half_line(bench, point, 1, layers),
                   up = mesh_oracle_half_line(bench, point, -1, layers);
    double length = lf_vec3_length(bench->frame.down);
    bool below = anything(bench, &down), above = anything(bench, &up);
    oracle_look(oracle, bench, &down, &said.down, length, above);
    oracle_look(oracle, bench, &up, &said.up, length, below);
    oracle_heights(oracle, bench, point, layers, &said, length);
    if (!same_answers(&said, &plain))
        oracle_wrong(oracle, &down, "another answer on plain instructions", &plain.down);
}
