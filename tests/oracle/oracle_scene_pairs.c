/// Pairs of boxes against comparing all with all, through thousands of random changes.
#include "base/base.h"
#include "pairs/pairs.h"
#include "support.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

/// What the set should hold.
typedef struct known {
    lf_pairs_id id;
    lf_pairs_item item;
    lf_vec3 velocity;
} known;

typedef struct world {
    lf_pairs *pairs;
    known boxes[MOST];
    int count;
    test_random random;
    double size; ///< of the region
    bool whole;  ///< coordinates are whole numbers: much touches exactly
    lf_pair *told;
    int64_t told_count;
} world;

static double place(world *world, double low, double high) {
    double at = test_random_between(&world->random, low, high);
    return world->whole ? floor(at) : at;
}

/// Sizes from points to walls through the whole region.
static lf_box random_box(world *world) {
    double extent[3];
    int64_t kind = test_random_below(&world->random, 20);
    for (int k = 0; k < 3; k++)
        extent[k] = kind == 0 ? 0 : kind == 1 ? place(world, 0, world->size) : place(world, 0, 4);
    lf_vec3 low = {place(world, 0, world->size), place(world, 0, world->size), place(world, 0, world->size)};
    return (lf_box){low, {low.x + extent[0], low.y + extent[1], low.z + extent[2]}};
}

static void add_one(world *world) {
    if (world->count == MOST)
        return;
    known *box = &world->boxes[world->count];
    box->item = lf_pairs_item_default();
    box->item.box = random_box(world);
    box->item.user = test_random_bits(&world->random);
    box->item.moves = test_random_below(&world->random, 3) > 0;
    if (test_random_below(&world->random, 4) == 0) {
        box->item.groups = (uint32_t)test_random_below(&world->random, 4);
        box->item.meets = (uint32_t)test_random_below(&world->random, 4);
    }
    double pace = test_random_below(&world->random, 10) == 0 ? 20 : 0.2;
    box->velocity = (lf_vec3){test_random_between(&world->random, -pace, pace),
                              test_random_between(&world->random, -pace, pace),
                              test_random_between(&world->random, -pace, pace)};
    assert_int_equal(lf_pairs_add(world->pairs, &box->item, &box->id, NULL), LF_OK);
    world->count++;
}

static void move_one(world *world, known *box) {
    lf_vec3 step = box->velocity;
    if (world->whole)
        step = (lf_vec3){rint(step.x * 3), rint(step.y * 3), rint(step.z * 3)};
    if (test_random_below(&world->random, 50) == 0)
        box->item.box = random_box(world);
    else if (test_random_below(&world->random, 10) == 0)
        box->item.box = lf_box_swept(box->item.box, step);
    else
        box->item.box = (lf_box){lf_vec3_add(box->item.box.low, step), lf_vec3_add(box->item.box.high, step)};
    if (!lf_box_contains((lf_box){{0, 0, 0}, {world->size, world->size, world->size}}, box->item.box.low))
        box->velocity = lf_vec3_scale(box->velocity, -1);
    assert_int_equal(lf_pairs_move(world->pairs, box->id, &box->item.box), LF_OK);
}

static void remove_one(world *world, int which) {
    lf_pairs_id id = world->boxes[which].id;
    assert_int_equal(lf_pairs_remove(world->pairs, id), LF_OK);
    assert_int_equal(lf_pairs_remove(world->pairs, id), LF_BAD_ARGUMENT);
    world->boxes[which] = world->boxes[--world->count];
}

/// Everything that may happen between two questions.
static void change(world *world, int64_t still_percent) {
    for (int i = 0; i < world->count; i++) {
        known *box = &world->boxes[i];
        if (box->item.moves || test_random_below(&world->random, 100) < still_percent)
            move_one(world, box);
    }
    int64_t what = test_random_below(&world->random, 12);
    if (what < 3 && world->count > 0)
        remove_one(world, (int)test_random_below(&world->random, world->count));
    if (what >= 2 && what < 5)
        add_one(world);
    if (what == 5 && world->count > 0) {
        known *box = &world->boxes[test_random_below(&world->random, world->count)];
        box->item.moves = !box->item.moves;
        assert_int_equal(lf__pairs_mark(world->pairs, box->id, box->item.moves), LF_OK);
    }
}

static int by_index(const void *a, const void *b) {
    const lf_pair *p = a, *q = b;
    if (p->a.index != q->a.index)
        return p->a.index < q->a.index ? -1 : 1;
    return (p->b.index > q->b.index) - (p->b.index < q->b.index);
}

/// All with all.
static int64_t brute_force(const world *world, lf_pair *pairs) {
    int64_t count = 0;
    for (int i = 0; i < world->count; i++)
        for (int j = i + 1; j < world->count; j++) {
            const known *a = &world->boxes[i], *b = &world->boxes[j];
            if (!(a->item.moves || b->item.moves) || !lf_box_overlap(a->item.box, b->item.box))
                continue;
            if (!((a->item.meets & b->item.groups) | (b->item.meets & a->item.groups)))
                continue;
            const known *first = a->id.index < b->id.index ? a : b, *second = first == a ? b : a;
            pairs[count++] = (lf_pair){first->id, second->id, first->item.user, second->item.user};
        }
    qsort(pairs, (size_t)count, sizeof *pairs, by_index);
    return count;
}

static bool is_in(const lf_pair *pair, const lf_pair *list, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (memcmp(pair, &list[i], sizeof *pair) == 0)
            return true;
    return false;
}

/// News are what is only in the one or the other.
static void check_news(world *world, const lf_pair *right, int64_t count) {
    lf_pairs_changes news;
    assert_int_equal(lf_pairs_report(world->pairs, &news), LF_OK);
    int64_t begun = 0, ended = 0;
    for (int64_t i = 0; i < count; i++)
        if (!is_in(&right[i], world->told, world->told_count))
            assert_memory_equal(&news.begun[begun++], &right[i], sizeof *right);
    for (int64_t i = 0; i < world->told_count; i++)
        if (!is_in(&world->told[i], right, count))
            assert_memory_equal(&news.ended[ended++], &world->told[i], sizeof *right);
    assert_int_equal(news.begun_count, begun);
    assert_int_equal(news.ended_count, ended);
    memcpy(world->told, right, (size_t)count * sizeof *right);
    world->told_count = count;
}

static void check_overlaps(world *world) {
    lf_box box = random_box(world);
    lf_pairs_id ids[MOST];
    int64_t count, right = 0;
    assert_int_equal(lf_pairs_overlaps(world->pairs, &box, ids, MOST, &count), LF_OK);
    for (int i = 0; i < world->count; i++)
        right += lf_box_overlap(world->boxes[i].item.box, box);
    assert_int_equal(count, right);
    for (int64_t i = 0; i < count; i++) {
        lf_pairs_item item;
        assert_true(lf__pairs_get(world->pairs, ids[i], &item));
        assert_true(lf_box_overlap(item.box, box));
        assert_true(i == 0 || ids[i - 1].index < ids[i].index);
    }
}

static void run_world(int64_t boxes, int64_t steps, bool whole, int64_t still_percent, uint64_t salt) {
    world world = {.random = test_random_start(salt), .size = 24, .whole = whole};
    lf_pair *right = test_space(MOST * MOST / 2, sizeof *right);
    world.told = test_space(MOST * MOST / 2, sizeof *right);
    assert_int_equal(lf_pairs_create(NULL, &world.pairs, NULL), LF_OK);
    for (int64_t i = 0; i < boxes; i++)
        add_one(&world);
    for (int64_t step = 0; step < steps; step++) {
        change(&world, still_percent);
        int64_t count = brute_force(&world, right);
        lf_pairs_found found;
        if (test_random_below(&world.random, 4) > 0) {
            assert_int_equal(lf_pairs_find(world.pairs, &found), LF_OK);
            assert_int_equal(found.count, count);
            assert_memory_equal(found.pairs, right, (size_t)count * sizeof *right);
        }
        if (test_random_below(&world.random, 3) == 0)
            check_news(&world, right, count);
        if (test_random_below(&world.random, 8) == 0)
            check_overlaps(&world);
        assert_int_equal(lf_pairs_describe(world.pairs).count, world.count);
    }
    lf_pairs_destroy(world.pairs);
    free(world.told);
    free(right);
}

static void few_boxes(void **state) {
    (void)state;
    run_world(0, test_rounds(300), false, 0, 1);
    run_world(12, test_rounds(600), false, 0, 2);
    run_world(12, test_rounds(600), true, 5, 3);
    run_world(40, test_rounds(300), true, 1, 4);
}

static void many_boxes(void **state) {
    (void)state;
    run_world(300, test_rounds(60), false, 0, 5);
    run_world(300, test_rounds(60), true, 1, 6);
    run_world(300, test_rounds(30), false, 50, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_boxes), cmocka_unit_test(many_boxes)};
    return cmocka_run_group_tests_name("oracle_scene_pairs", tests, NULL, NULL);
}
