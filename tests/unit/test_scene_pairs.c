/// Sets of boxes: what is refused, what touching means, memory that runs out, instruction sets, cost over time.
#include "pairs/pairs.h"
#include "support.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lf_box unit_at(double x, double y, double z) {
    return (lf_box){{x, y, z}, {x + 1, y + 1, z + 1}};
}

static lf_pairs *make(void) {
    lf_pairs *pairs;
    lf_pairs_def def = lf_pairs_def_default();
    assert_int_equal(lf_pairs_create(&def, &pairs, NULL), LF_OK);
    return pairs;
}

static lf_pairs_id add(lf_pairs *pairs, lf_box box, bool moves) {
    lf_pairs_item item = lf_pairs_item_default();
    lf_pairs_id id;
    item.box = box;
    item.moves = moves;
    item.user = (uint64_t)lf_pairs_describe(pairs).count + 100;
    assert_int_equal(lf_pairs_add(pairs, &item, &id, NULL), LF_OK);
    return id;
}

static int64_t count_pairs(lf_pairs *pairs) {
    lf_pairs_found found;
    assert_int_equal(lf_pairs_find(pairs, &found), LF_OK);
    return found.count;
}

static void touching_counts(void **state) {
    (void)state;
    lf_pairs *pairs = make();
    assert_int_equal(count_pairs(pairs), 0);
    lf_pairs_id wall = add(pairs, unit_at(0, 0, 0), false), other = add(pairs, unit_at(0.5, 0, 0), false);
    lf_pairs_id mover = add(pairs, unit_at(2, 2, 2), true);
    assert_int_equal(count_pairs(pairs), 0); // two that do not move are no pair
    lf_box corner = unit_at(1, 1, 1);
    assert_int_equal(lf_pairs_move(pairs, mover, &corner), LF_OK);
    lf_pairs_found found;
    assert_int_equal(lf_pairs_find(pairs, &found), LF_OK);
    assert_int_equal(found.count, 2); // a corner
    assert_int_equal(found.pairs[0].user_a, 100);
    assert_int_equal(found.pairs[0].user_b, 102);
    assert_int_equal(found.pairs[1].a.index, other.index);
    corner.low.x = nextafter(1, 2);
    assert_int_equal(lf_pairs_move(pairs, mover, &corner), LF_OK);
    assert_int_equal(count_pairs(pairs), 1);
    lf_box far = unit_at(5, 0, 0); // what it sweeps on its way through both
    far = lf_box_swept(far, (lf_vec3){-20, 0, 0});
    assert_int_equal(lf_pairs_move(pairs, mover, &far), LF_OK);
    assert_int_equal(count_pairs(pairs), 2);
    assert_int_equal(lf__pairs_mark(pairs, wall, true), LF_OK);
    assert_int_equal(count_pairs(pairs), 3);
    lf_pairs_item item;
    assert_true(lf__pairs_get(pairs, wall, &item));
    assert_true(item.moves);
    assert_int_equal(lf_pairs_remove(pairs, mover), LF_OK);
    assert_false(lf__pairs_get(pairs, mover, NULL));
    assert_int_equal(count_pairs(pairs), 1);
    lf_pairs_destroy(pairs);
    lf_pairs_destroy(NULL);
}

static void news(void **state) {
    (void)state;
    lf_pairs *pairs = make();
    lf_pairs_id a = add(pairs, unit_at(0, 0, 0), true), b = add(pairs, unit_at(0.5, 0, 0), true);
    lf_pairs_changes told;
    assert_int_equal(lf_pairs_report(pairs, &told), LF_OK);
    assert_int_equal(told.begun_count, 1);
    assert_int_equal(told.ended_count, 0);
    assert_int_equal(lf_pairs_report(pairs, &told), LF_OK);
    assert_int_equal(told.begun_count + told.ended_count, 0);
    // another box in the same slot is another pair
    assert_int_equal(lf_pairs_remove(pairs, b), LF_OK);
    lf_pairs_id c = add(pairs, unit_at(0.5, 0, 0), true);
    assert_int_equal(c.index, b.index);
    assert_int_not_equal(c.generation, b.generation);
    assert_int_equal(lf_pairs_report(pairs, &told), LF_OK);
    assert_int_equal(told.begun_count, 1);
    assert_int_equal(told.ended_count, 1);
    assert_int_equal(told.ended[0].b.generation, b.generation);
    assert_int_equal(told.begun[0].a.index, a.index);
    lf_pairs_destroy(pairs);
}

static void bad_input(void **state) {
    (void)state;
    lf_pairs *pairs = make();
    lf_pairs_id id = add(pairs, unit_at(0, 0, 0), true), none = {0, 0}, out;
    lf_pairs_item item = lf_pairs_item_default();
    lf_error error;
    lf_box box = unit_at(0, 0, 0);
    lf_pairs_def def = lf_pairs_def_default();
    def.size = sizeof def + 8;
    assert_int_equal(lf_pairs_create(&def, &pairs, &error), LF_BAD_ARGUMENT);
    assert_int_equal(lf_pairs_create(NULL, NULL, &error), LF_BAD_ARGUMENT);
    item.box.low.x = 2;
    assert_int_equal(lf_pairs_add(pairs, &item, &out, &error), LF_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "2"));
    item.box.low.x = (double)NAN;
    assert_int_equal(lf_pairs_add(pairs, &item, &out, &error), LF_BAD_ARGUMENT);
    box.high.z = (double)INFINITY;
    assert_int_equal(lf_pairs_move(pairs, id, &box), LF_BAD_ARGUMENT);
    box = unit_at(0, 0, 0);
    assert_int_equal(lf_pairs_move(pairs, none, &box), LF_BAD_ARGUMENT);
    assert_int_equal(lf__pairs_mark(pairs, none, true), LF_BAD_ARGUMENT);
    assert_int_equal(lf_pairs_find(pairs, NULL), LF_BAD_ARGUMENT);
    assert_int_equal(lf_pairs_report(NULL, NULL), LF_BAD_ARGUMENT);
    lf_pairs_id ids[2] = {id, none};
    lf_box boxes[2] = {box, box};
    int64_t done;
    assert_int_equal(lf_pairs_move_many(pairs, ids, boxes, 2, &done), LF_BAD_ARGUMENT);
    assert_int_equal(done, 1);
    int64_t count;
    assert_int_equal(lf_pairs_overlaps(pairs, &box, NULL, 0, &count), LF_PARTIAL);
    assert_int_equal(count, 1);
    assert_int_equal(lf_pairs_describe(NULL).count, 0);
    lf_pairs_destroy(pairs);
}

/// A crowd that has been moved for some steps: the sum of all that was found.
static lf_status crowd(const lf_host *host, void *user) {
    uint64_t *hash = user;
    lf_pairs_def def = lf_pairs_def_default();
    lf_pairs *pairs = NULL;
    lf_pairs_id ids[120];
    lf_box boxes[120];
    test_random random = {7};
    if (host)
        def.host = *host;
    lf_status status = lf_pairs_create(&def, &pairs, NULL);
    for (int i = 0; i < 120 && status == LF_OK; i++) {
        lf_pairs_item item = lf_pairs_item_default();
        item.box = boxes[i] = unit_at(test_random_between(&random, 0, 8), test_random_between(&random, 0, 8),
                                      test_random_between(&random, 0, 8));
        item.moves = i % 3 > 0;
        status = lf_pairs_add(pairs, &item, &ids[i], NULL);
    }
    for (int step = 0; step < 12 && status == LF_OK; step++) {
        for (int i = 0; i < 120; i++)
            if (i % 3 > 0) {
                double way = i % 7 == 0 ? 1.5 : 0.02 * (i % 5 - 2);
                boxes[i].low.x += way;
                boxes[i].high.x += way;
            }
        status = lf_pairs_move_many(pairs, ids, boxes, 120, NULL);
        lf_pairs_changes told;
        lf_pairs_found found;
        if (status == LF_OK)
            status = lf_pairs_report(pairs, &told);
        if (status == LF_OK)
            status = lf_pairs_find(pairs, &found);
        for (int64_t i = 0; status == LF_OK && i < found.count; i++)
            *hash =
                (*hash ^ (uint64_t)found.pairs[i].a.index << 32 ^ found.pairs[i].b.index) * 0x100000001b3u;
        if (status == LF_OK)
            *hash = (*hash ^ (uint64_t)(told.begun_count << 20 ^ told.ended_count)) * 0x100000001b3u;
    }
    lf_pairs_destroy(pairs);
    return status;
}

static void memory_runs_out(void **state) {
    (void)state;
    uint64_t hash = 1;
    test_out_of_memory(crowd, &hash);
}

/// After a failure the same set can be asked again.
static void asks_again(void **state) {
    (void)state;
    for (int64_t fail = 8;; fail++) {
        test_memory memory;
        test_memory_start(&memory, -1);
        lf_pairs_def def = lf_pairs_def_default();
        def.host.allocator = &memory.allocator;
        lf_pairs *pairs;
        assert_int_equal(lf_pairs_create(&def, &pairs, NULL), LF_OK);
        for (int i = 0; i < 60; i++)
            add(pairs, unit_at(0.75 * i, 0, 0), i % 2);
        memory.fail_at = fail;
        lf_pairs_found found;
        lf_status status = lf_pairs_find(pairs, &found);
        memory.fail_at = -1;
        if (status != LF_OK) {
            assert_int_equal(status, LF_NO_MEMORY);
            assert_int_equal(lf_pairs_find(pairs, &found), LF_OK);
        }
        assert_int_equal(found.count, 59);
        bool never = memory.calls <= fail;
        lf_pairs_destroy(pairs);
        assert_int_equal(memory.blocks_out, 0);
        if (never)
            break;
    }
}

static void instruction_sets_agree(void **state) {
    (void)state;
    uint64_t best = 1, plain = 1;
    assert_int_equal(crowd(NULL, &best), LF_OK);
    char *old = getenv("LANDFALL_ISA"), kept[32] = "";
    if (old)
        snprintf(kept, sizeof kept, "%s", old);
    setenv("LANDFALL_ISA", "scalar", 1);
    assert_int_equal(crowd(NULL, &plain), LF_OK);
    if (old)
        setenv("LANDFALL_ISA", kept, 1);
    else
        unsetenv("LANDFALL_ISA");
    assert_true(best == plain);
}

/// Counted, not timed: late steps compare no more boxes than early ones, and few of all there are.
static void no_decay(void **state) {
    (void)state;
    enum { MOVERS = 300, WINDOW = 100 };
    lf_pairs *pairs = make();
    lf_pairs_id ids[MOVERS];
    lf_box boxes[MOVERS];
    double speed[MOVERS];
    test_random random = test_random_start(9);
    for (int i = 0; i < MOVERS; i++) {
        boxes[i] = unit_at(test_random_between(&random, 0, 13), test_random_between(&random, 0, 13),
                           test_random_between(&random, 0, 13));
        ids[i] = add(pairs, boxes[i], true);
        speed[i] = test_random_between(&random, -0.05, 0.05);
    }
    int64_t early = 0, late = 0;
    for (int step = 0; step < 3000; step++) {
        int64_t before = lf_pairs_describe(pairs).tested;
        for (int i = 0; i < MOVERS; i++) {
            if (boxes[i].low.y + speed[i] < 0 || boxes[i].high.y + speed[i] > 14)
                speed[i] = -speed[i];
            boxes[i].low.y += speed[i];
            boxes[i].high.y += speed[i];
        }
        assert_int_equal(lf_pairs_move_many(pairs, ids, boxes, MOVERS, NULL), LF_OK);
        count_pairs(pairs);
        int64_t tested = lf_pairs_describe(pairs).tested - before;
        early += step < WINDOW ? tested : 0;
        late += step >= 3000 - WINDOW ? tested : 0;
    }
    assert_true(late < 2 * early);
    assert_true(late < (int64_t)WINDOW * MOVERS * MOVERS / 2 / 10);
    lf_pairs_destroy(pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touching_counts), cmocka_unit_test(news),
        cmocka_unit_test(bad_input),       cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(asks_again),      cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(no_decay),
    };
    return cmocka_run_group_tests_name("test_scene_pairs", tests, NULL, NULL);
}
