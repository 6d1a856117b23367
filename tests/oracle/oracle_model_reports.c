/// Part of the touching pairs: one for each two shells, one for each two sectors, or only so many. Nothing may be reported that does
/// not touch, nothing twice where all are asked for, and nobody who touches may go without a word: where two triangles meet,
/// the shells that hold them have been reported. All pairs, by the trees, are the truth here; another oracle oracles these.
#include "published/funfzig_field.h"
#include "shapes.h"
#include <stdio.h>
#include <stdlib.h>

/// Pairs, grown as they come.
typedef struct pair_list {
    lf_model_pair *pairs;
    int64_t count;
} pair_list;

static pair_list ask(const lf_model_query *question) {
    pair_list list = {NULL, 0};
    int64_t again;
    lf_status status = lf_model_pairs(question, NULL, 0, &list.count, NULL);
    assert_int_equal(status, list.count > 0 ? LF_PARTIAL : LF_OK);
    list.pairs = malloc((size_t)(list.count + 1) * sizeof *list.pairs);
    assert_non_null(list.pairs);
    assert_int_equal(lf_model_pairs(question, list.pairs, list.count, &again, NULL), LF_OK);
    assert_int_equal(again, list.count);
    return list;
}

/// Which shells (or sectors) a model's triangles are in.
typedef struct places {
    int64_t triangles, count;
    bool *in;       ///< [triangle][place]
    bool *together; ///< [triangle][triangle]: is there a place where both are?
} places;

static places places_of(const lf_model *model, bool by_layer) {
    const lf__field *field = model->field;
    int64_t sectors = LF__FIELD_CHARTS * lf__field_chart_sectors(field);
    places p = {.triangles = model->triangle_count, .count = by_layer ? field->layer_count : sectors};
    p.in = test_space(p.triangles * p.count, sizeof *p.in);
    p.together = test_space(p.triangles * p.triangles, sizeof *p.together);
    for (int64_t sector = 0; sector < sectors; sector++)
        for (uint32_t layer = field->firsts[sector]; layer < field->firsts[sector + 1]; layer++)
            for (uint32_t i = field->layers[layer].first; i < field->layers[layer + 1].first; i++)
                p.in[field->triangles[i] * p.count + (by_layer ? (int64_t)layer : sector)] = true;
    for (int64_t i = 0; i < p.triangles; i++)
        for (int64_t k = 0; k < p.triangles; k++)
            for (int64_t m = 0; m < p.count && !p.together[i * p.triangles + k]; m++)
                p.together[i * p.triangles + k] = p.in[i * p.count + m] && p.in[k * p.count + m];
    return p;
}

static void places_free(places *p) {
    free(p->together);
    free(p->in);
}

static bool is_in(const pair_list *list, lf_model_pair pair) {
    for (int64_t i = 0; i < list->count; i++)
        if (list->pairs[i].a == pair.a && list->pairs[i].b == pair.b)
            return true;
    return false;
}

/// How many pairs of places have touching triangles in them: none is reported twice.
static int64_t count_meeting(const pair_list *all, const places *a, const places *b) {
    bool *meet = test_space(a->count * b->count, sizeof *meet);
    int64_t meeting = 0;
    for (int64_t i = 0; i < all->count; i++)
        for (int64_t k = 0; k < a->count; k++)
            for (int64_t m = 0; a->in[all->pairs[i].a * a->count + k] && m < b->count; m++)
                meet[k * b->count + m] |= b->in[all->pairs[i].b * b->count + m];
    for (int64_t i = 0; i < a->count * b->count; i++)
        meeting += meet[i];
    free(meet);
    return meeting;
}

/// Two models and what is known of them: by sectors, then by layers.
typedef struct truth {
    lf_model *a, *b;
    places in_a[2], in_b[2];
    pair_list all;
} truth;

static void oracle_report(const truth *truth, const pair_list *said, bool by_layer) {
    const places *a = &truth->in_a[by_layer], *b = &truth->in_b[by_layer];
    assert_true(said->count <= count_meeting(&truth->all, a, b));
    for (int64_t i = 0; i < said->count; i++)
        assert_true(is_in(&truth->all, said->pairs[i]));
    for (int64_t i = 0; i < truth->all.count; i++) {
        lf_model_pair pair = truth->all.pairs[i];
        bool spoken_for = false;
        for (int64_t k = 0; k < said->count && !spoken_for; k++)
            spoken_for = a->together[pair.a * a->triangles + said->pairs[k].a] &&
                         b->together[pair.b * b->triangles + said->pairs[k].b];
        assert_true(spoken_for);
    }
}

/// With a limit: so many, or all there are. By layers and sectors the first of the whole report; of all pairs any, but none twice.
static void oracle_limit(lf_model_query question, const pair_list *whole, int64_t limit) {
    question.limit = limit;
    pair_list some = ask(&question);
    assert_int_equal(some.count, limit < whole->count ? limit : whole->count);
    for (int64_t i = 0; i < some.count; i++) {
        assert_true(is_in(whole, some.pairs[i]));
        if (question.report != LF_MODEL_REPORT_ALL)
            assert_memory_equal(&some.pairs[i], &whole->pairs[i], sizeof *some.pairs);
        for (int64_t k = 0; k < i && question.report == LF_MODEL_REPORT_ALL; k++)
            assert_true(some.pairs[k].a != some.pairs[i].a || some.pairs[k].b != some.pairs[i].b);
    }
    free(some.pairs);
}

static void oracle_all(lf_model_query question, const truth *truth, test_random *random) {
    pair_list lists[3];
    question.method = LF_MODEL_FIELD;
    for (int report = LF_MODEL_REPORT_ALL; report <= LF_MODEL_REPORT_SECTOR; report++) {
        question.report = (lf_model_report)report;
        lists[report] = ask(&question);
        if (report != LF_MODEL_REPORT_ALL)
            oracle_report(truth, &lists[report], report == LF_MODEL_REPORT_LAYER);
        oracle_limit(question, &lists[report], 1 + test_random_below(random, 40));
        oracle_limit(question, &lists[report], lists[report].count + 1);
    }
    assert_int_equal(lists[LF_MODEL_REPORT_ALL].count, truth->all.count);
    assert_true(lists[LF_MODEL_REPORT_SECTOR].count <= lists[LF_MODEL_REPORT_LAYER].count);
    for (int report = LF_MODEL_REPORT_ALL; report <= LF_MODEL_REPORT_SECTOR; report++)
        free(lists[report].pairs);
}

static lf_model *make(shape_kind kind, shape *shape, test_random *random) {
    lf_model_def def = lf_model_def_default();
    lf_model *model;
    shape_make(shape, kind, 10 + test_random_below(random, 20), random);
    def.polygons = shape_polygons(shape);
    def.field.functions = lf_funfzig_field();
    def.field.sectors = 2 << test_random_below(random, 2);
    def.field.layers = 1 + (int)test_random_below(random, 5);
    def.field.centre = (lf_field_centre)test_random_below(random, 3);
    assert_int_equal(lf_model_create(&def, &model, NULL), LF_OK);
    return model;
}

static int64_t oracle_shapes(shape_kind kind_a, shape_kind kind_b, test_random *random) {
    shape a, b;
    truth truth = {.a = make(kind_a, &a, random), .b = make(kind_b, &b, random)};
    int64_t touching = 0;
    for (int i = 0; i < 2; i++) {
        truth.in_a[i] = places_of(truth.a, i == 1);
        truth.in_b[i] = places_of(truth.b, i == 1);
    }
    for (int kind = 0; kind < SHAPE_POSES; kind++) {
        lf_model_query question = lf_model_query_default();
        question.a = truth.a;
        question.b = truth.b;
        question.pose_b = shape_pose((shape_pose_kind)kind, &a, &question.pose_a, &b, random);
        question.method = LF_MODEL_TREE;
        truth.all = ask(&question);
        oracle_all(question, &truth, random);
        oracle_limit(question, &truth.all, 1 + test_random_below(random, 40));
        touching += truth.all.count > 0;
        free(truth.all.pairs);
    }
    for (int i = 0; i < 2; i++) {
        places_free(&truth.in_b[i]);
        places_free(&truth.in_a[i]);
    }
    lf_model_destroy(truth.b);
    lf_model_destroy(truth.a);
    shape_free(&b);
    shape_free(&a);
    return touching;
}

static void parts_of_all(void **state) {
    (void)state;
    static const shape_kind kinds[] = {SHAPE_SOUP,   SHAPE_TREE,   SHAPE_KNOT, SHAPE_BOXES,
                                       SHAPE_NESTED, SHAPE_SHEETS, SHAPE_FLAT};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    test_random random = test_random_start(381);
    int64_t touching = 0, rounds = test_rounds(1);
    for (int64_t round = 0; round < rounds; round++)
        for (int i = 0; i < KINDS; i++)
            touching += oracle_shapes(kinds[i], kinds[(i + round) % KINDS], &random);
    printf("%lld questions, %lld of models that touch\n", (long long)(rounds * KINDS * SHAPE_POSES),
           (long long)touching);
    assert_true(touching > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
