/// Two models against each other: the pairs that the library finds must be exactly those that touch, checked for every pair of
/// triangles by whole-number arithmetic that shares nothing with it.
#include "exact.h"
#include "exact_touch.h"
#include "geom/geometry.h"
#include "published/funfzig_field.h"
#include "shapes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One shape as models made for different instruction sets.
typedef struct subject {
    shape shape;
    lf_model *plain, *best, *field;
} subject;

typedef struct tally {
    int64_t questions, touching, pairs, near, wrong;
    lf_counters cost;
} tally;

static lf_model *make_model(const shape *shape, const char *isa, lf_field_def field) {
    lf_model_def def = lf_model_def_default();
    def.field = field;
    lf_model *model;
    lf_error error = {0};
    def.polygons = shape_polygons(shape);
    if (isa)
        setenv("LANDFALL_ISA", isa, 1);
    lf_status status = lf_model_create(&def, &model, &error);
    unsetenv("LANDFALL_ISA");
    if (status != LF_OK)
        fail_msg("no model of %s: %s", shape->name, error.text);
    return model;
}

static void open_subject(subject *subject, lf_field_def field) {
    subject->plain = make_model(&subject->shape, "scalar", lf_model_def_default().field);
    subject->best = make_model(&subject->shape, NULL, lf_model_def_default().field);
    subject->field = make_model(&subject->shape, NULL, field);
}

/// Any field that is not too fine for a test: sectors of 2, 4, .. 2^most each way.
static lf_field_def some_field(int most, test_random *random) {
    lf_field_def def = lf_model_def_default().field;
    def.functions = lf_funfzig_field();
    def.sectors = 2 << test_random_below(random, most);
    def.layers = 1 + (int)test_random_below(random, 5);
    def.centre = (lf_field_centre)test_random_below(random, 3);
    return def;
}

static void close_subject(subject *subject) {
    lf_model_destroy(subject->field);
    lf_model_destroy(subject->best);
    lf_model_destroy(subject->plain);
    shape_free(&subject->shape);
}

/// Pairs as one number each.
typedef struct pair_set {
    int64_t *keys;
    int64_t count, space;
} pair_set;

static void add_key(pair_set *set, int64_t a, int64_t b) {
    if (set->count == set->space) {
        set->space = 2 * set->space + 256;
        set->keys = realloc(set->keys, (size_t)set->space * sizeof *set->keys);
        assert_non_null(set->keys);
    }
    set->keys[set->count++] = a << 32 | b;
}

static int compare_keys(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void sort_keys(pair_set *set) {
    if (set->count > 0)
        qsort(set->keys, (size_t)set->count, sizeof *set->keys, compare_keys);
}

static void fetch(const shape *shape, const lf_pose *pose, int64_t triangle, lf_vec3 corners[3]) {
    for (int c = 0; c < 3; c++) {
        lf_vec3 v = shape->vertices[shape->corners[3 * triangle + c]];
        corners[c] = pose ? lf_pose_to_world(pose, v) : v;
    }
}

static void brute_pairs(const shape *a, const shape *b, const lf_pose *between, pair_set *set) {
    lf_box *boxes = malloc((size_t)b->triangle_count * sizeof *boxes);
    assert_non_null(boxes);
    lf_vec3 p[3], q[3];
    for (int64_t j = 0; j < b->triangle_count; j++) {
        fetch(b, between, j, q);
        boxes[j] = exact_box(q, 3);
    }
    set->count = 0;
    for (int64_t i = 0; i < a->triangle_count; i++) {
        fetch(a, NULL, i, p);
        lf_box box = exact_box(p, 3);
        for (int64_t j = 0; j < b->triangle_count; j++) {
            if (!exact_boxes_touch(box, boxes[j]))
                continue;
            fetch(b, between, j, q);
            if (exact_triangles_touch(p, q))
                add_key(set, i, j);
        }
    }
    free(boxes);
}

static void ask_pairs(const lf_model_query *question, pair_set *set, lf_cursor *cursor) {
    lf_model_pair first[64], *pairs = first;
    int64_t count;
    lf_status status = lf_model_pairs(question, first, 64, &count, cursor);
    if (status == LF_PARTIAL) {
        pairs = malloc((size_t)count * sizeof *pairs);
        assert_non_null(pairs);
        int64_t again;
        status = lf_model_pairs(question, pairs, count, &again, NULL);
        assert_int_equal(again, count);
        assert_memory_equal(first, pairs, sizeof first);
    }
    assert_int_equal(status, LF_OK);
    set->count = 0;
    for (int64_t i = 0; i < count; i++)
        add_key(set, pairs[i].a, pairs[i].b);
    sort_keys(set);
    if (pairs != first)
        free(pairs);
}

static void report(const subject *a, const subject *b, const char *pose, int64_t said, int64_t expected) {
    fprintf(stderr, "wrong: %s against %s, %s: %lld pairs, not %lld\n", a->shape.name, b->shape.name, pose,
            (long long)said, (long long)expected);
}

/// Space for the answers, kept between questions.
typedef struct answers {
    pair_set expected, said;
} answers;

static void oracle(tally *tally, const subject *a, const subject *b, lf_model_query *question,
                   const char *pose, answers *answers, lf_cursor *cursor) {
    lf_pose between = lf__pose_between(&question->pose_a, &question->pose_b);
    brute_pairs(&a->shape, &b->shape, &between, &answers->expected);
    sort_keys(&answers->expected);
    for (int k = 0; k < 2; k++) {
        bool touching, same;
        question->a = k ? a->best : a->plain;
        question->b = k ? b->best : b->plain;
        ask_pairs(question, &answers->said, cursor);
        assert_int_equal(lf_model_touch(question, &touching, cursor), LF_OK);
        same = answers->said.count == answers->expected.count &&
               (answers->said.count == 0 || memcmp(answers->said.keys, answers->expected.keys,
                                                   (size_t)answers->said.count * sizeof(int64_t)) == 0) &&
               touching == (answers->expected.count > 0);
        if (!same && tally->wrong++ < 5)
            report(a, b, pose, answers->said.count, answers->expected.count);
        tally->questions++;
        tally->touching += touching;
        tally->pairs += answers->said.count;
    }
}

/// The same by fields: the same pairs, shells that never miss, and no more tests than promised.
static void oracle_field(tally *tally, const subject *a, const subject *b, lf_model_query *question,
                         const char *pose, answers *answers) {
    bool touching, shells;
    lf_cursor *cursor;
    double cones, layers;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    question->a = a->field;
    question->b = b->field;
    question->method = LF_MODEL_FIELD;
    ask_pairs(question, &answers->said, cursor);
    lf_counters cost = lf_cursor_counters(cursor);
    lf__field_bound(a->field->field, b->field->field, &cones, &layers);
    assert_true((double)cost.nodes <= cones);
    assert_true((double)cost.cells <= layers);
    assert_int_equal(lf_model_touch(question, &touching, NULL), LF_OK);
    question->method = LF_MODEL_SHELLS;
    assert_int_equal(lf_model_touch(question, &shells, NULL), LF_OK);
    bool any = answers->expected.count > 0;
    bool same = answers->said.count == answers->expected.count &&
                (answers->said.count == 0 || memcmp(answers->said.keys, answers->expected.keys,
                                                    (size_t)answers->said.count * sizeof(int64_t)) == 0) &&
                touching == any && (shells || !any);
    if (!same && tally->wrong++ < 5)
        report(a, b, pose, answers->said.count, answers->expected.count);
    tally->near += shells && !any;
    tally->questions++;
    tally->touching += touching;
    tally->pairs += answers->said.count;
    lf_cursor_destroy(cursor);
}

/// In so many poses of each of the first so many kinds.
static void ask_all(tally *tally, const subject *a, const subject *b, int kinds, int64_t poses,
                    test_random *random) {
    answers answers = {{NULL, 0, 0}, {NULL, 0, 0}};
    lf_cursor *cursor;
    assert_int_equal(lf_cursor_create(NULL, &cursor), LF_OK);
    for (int64_t i = 0; i < poses; i++)
        for (int kind = 0; kind < kinds; kind++) {
            lf_model_query question = lf_model_query_default();
            if (kind != POSE_WHOLE && test_random_below(random, 2))
                question.pose_a = shape_random_pose(10, random);
            question.pose_b =
                shape_pose((shape_pose_kind)kind, &a->shape, &question.pose_a, &b->shape, random);
            oracle(tally, a, b, &question, shape_pose_name((shape_pose_kind)kind), &answers, cursor);
            oracle_field(tally, a, b, &question, shape_pose_name((shape_pose_kind)kind), &answers);
        }
    lf_counters cost = lf_cursor_counters(cursor);
    tally->cost.exact += cost.exact;
    tally->cost.cells += cost.cells;
    lf_cursor_destroy(cursor);
    free(answers.expected.keys);
    free(answers.said.keys);
}

static void close_tally(const tally *tally, const char *name) {
    printf("%s: %lld questions, %lld touch, %lld pairs, %lld exact tests, %lld near by shells\n", name,
           (long long)tally->questions, (long long)tally->touching, (long long)tally->pairs,
           (long long)tally->cost.exact, (long long)tally->near);
    assert_int_equal(tally->wrong, 0);
    assert_true(tally->touching > 0);
    assert_true(tally->touching < tally->questions);
}

/// Every kind of shape against every other.
static void made_shapes(void **state) {
    (void)state;
    test_random random = test_random_start(311);
    tally sum;
    memset(&sum, 0, sizeof sum);
    for (int64_t round = 0; round < test_rounds(1); round++)
        for (int i = 0; i < SHAPE_KINDS; i++)
            for (int j = 0; j < SHAPE_KINDS; j++) {
                subject a, b;
                shape_make(&a.shape, (shape_kind)i, 8 + test_random_below(&random, 48), &random);
                shape_make(&b.shape, (shape_kind)j, 8 + test_random_below(&random, 48), &random);
                open_subject(&a, some_field(1, &random));
                open_subject(&b, some_field(1, &random));
                ask_all(&sum, &a, &b, SHAPE_POSES, 1, &random);
                close_subject(&a);
                close_subject(&b);
            }
    close_tally(&sum, "made shapes");
}

/// Large enough for trees of several levels.
static void deep_trees(void **state) {
    (void)state;
    static const shape_kind kinds[] = {SHAPE_KNOT, SHAPE_BALL, SHAPE_TREE, SHAPE_SOUP};
    test_random random = test_random_start(312);
    tally sum;
    memset(&sum, 0, sizeof sum);
    for (int i = 0; i < 4; i++) {
        subject a, b;
        shape_make(&a.shape, kinds[i], 1500, &random);
        shape_make(&b.shape, kinds[(i + 1) % 4], 1000, &random);
        open_subject(&a, some_field(1, &random));
        open_subject(&b, some_field(1, &random));
        ask_all(&sum, &a, &b, SHAPE_POSES, test_rounds(1), &random);
        close_subject(&a);
        close_subject(&b);
    }
    close_tally(&sum, "deep trees");
}

/// Fields of many sectors, where shapes do not lie in each other: there a field compares nearly everything with everything.
static void fine_fields(void **state) {
    (void)state;
    static const shape_kind kinds[] = {SHAPE_KNOT, SHAPE_BALL, SHAPE_TREE, SHAPE_BOXES};
    test_random random = test_random_start(314);
    tally sum;
    memset(&sum, 0, sizeof sum);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            subject a, b;
            shape_make(&a.shape, kinds[i], 200, &random);
            shape_make(&b.shape, kinds[j], 200, &random);
            open_subject(&a, some_field(4, &random));
            open_subject(&b, some_field(4, &random));
            ask_all(&sum, &a, &b, POSE_WHOLE, test_rounds(2), &random);
            close_subject(&a);
            close_subject(&b);
        }
    close_tally(&sum, "fine fields");
}

static void real_shapes(void **state) {
    (void)state;
    static const char *const files[] = {"models/beetle.obj", "models/suzanne.obj", "models/tree.obj",
                                        "models/soup.stl", "models/stanford-bunny.obj"};
    test_random random = test_random_start(313);
    tally sum;
    memset(&sum, 0, sizeof sum);
    int count = test_long() ? 5 : 4;
    for (int i = 0; i < count; i++) {
        subject a, b;
        if (!shape_read(&a.shape, files[i]) || !shape_read(&b.shape, files[(i + 1) % 4]))
            skip();
        open_subject(&a, some_field(1, &random));
        open_subject(&b, some_field(1, &random));
        ask_all(&sum, &a, &b, SHAPE_POSES, test_rounds(1), &random);
        close_subject(&a);
        close_subject(&b);
    }
    close_tally(&sum, "real shapes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_shapes),
        cmocka_unit_test(deep_trees),
        cmocka_unit_test(fine_fields),
        cmocka_unit_test(real_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
