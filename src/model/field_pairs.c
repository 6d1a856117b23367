/// The questions that fields answer.
#include "base/array.h"
#include "model/field_walk.h"
#include <stdlib.h>

static lf__field_walk walk_of(const lf_model_query *question, const lf_pose *between) {
    return (lf__field_walk){.model_a = question->a,
                            .model_b = question->b,
                            .a = question->a->field,
                            .b = question->b->field,
                            .pose = between,
                            .shells_only = question->method == LF_MODEL_SHELLS};
}

static lf__field_said stop_at_once(void *user, uint32_t a, uint32_t b) {
    (void)user, (void)a, (void)b;
    return LF__FIELD_STOP;
}

bool lf__field_touch(const lf_model_query *question, const lf_pose *between, lf_cursor *cursor) {
    lf__field_walk walk = walk_of(question, between);
    walk.found = stop_at_once;
    bool touching = lf__field_ask(&walk);
    lf__cursor_count(cursor, &walk.cost);
    return touching;
}

// ---------------------------------------------------------------------------------------------------
// One pair of many
// ---------------------------------------------------------------------------------------------------

typedef struct one_of {
    lf__pair_list *list;
    lf__field_said then;
} one_of;

static lf__field_said add_one(void *user, uint32_t a, uint32_t b) {
    one_of *one = user;
    lf__pair_list *list = one->list;
    if (list->count < list->capacity)
        list->pairs[list->count] = (lf_model_pair){a, b};
    return ++list->count == list->limit ? LF__FIELD_STOP : one->then;
}

// ---------------------------------------------------------------------------------------------------
// All pairs, each once
// ---------------------------------------------------------------------------------------------------

/// Pairs as one number each, sorted now and then, so that those found twice are kept once.
typedef struct pair_set {
    const lf_allocator *allocator;
    lf__array keys;
    int64_t sorted; ///< so many at the start are in order and different
    int64_t limit;
    lf_status status;
} pair_set;

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void drop_doubles(pair_set *set) {
    uint64_t *keys = set->keys.items;
    int64_t kept = 0;
    if (set->keys.count > set->sorted)
        qsort(keys, (size_t)set->keys.count, sizeof *keys, compare_keys);
    for (int64_t i = 0; i < set->keys.count; i++)
        if (kept == 0 || keys[i] != keys[kept - 1])
            keys[kept++] = keys[i];
    set->keys.count = set->sorted = kept;
}

static lf__field_said add_key(void *user, uint32_t a, uint32_t b) {
    pair_set *set = user;
    if (set->keys.count == set->keys.capacity)
        drop_doubles(set);
    set->status = lf__array_reserve(&set->keys, set->allocator, 1, sizeof(uint64_t));
    if (set->status != LF_OK)
        return LF__FIELD_STOP;
    ((uint64_t *)set->keys.items)[set->keys.count++] = (uint64_t)a << 32 | b;
    if (set->limit > 0 && set->keys.count >= set->limit) {
        drop_doubles(set);
        if (set->keys.count == set->limit)
            return LF__FIELD_STOP;
    }
    return LF__FIELD_ON;
}

static lf_status find_all(lf__field_walk *walk, lf__pair_list *list) {
    pair_set set = {.allocator = &walk->model_a->allocator, .limit = list->limit};
    walk->once = true;
    walk->found = add_key;
    walk->user = &set;
    lf__field_ask(walk);
    drop_doubles(&set);
    const uint64_t *keys = set.keys.items;
    for (int64_t i = 0; set.status == LF_OK && i < set.keys.count; i++, list->count++)
        if (i < list->capacity)
            list->pairs[i] = (lf_model_pair){(int64_t)(keys[i] >> 32), (int64_t)(keys[i] & UINT32_MAX)};
    lf__array_free(&set.keys, set.allocator, sizeof(uint64_t));
    return set.status;
}

lf_status lf__field_pairs(const lf_model_query *question, const lf_pose *between, lf__pair_list *list,
                          lf_cursor *cursor) {
    lf__field_walk walk = walk_of(question, between);
    lf_status status = LF_OK;
    if (question->report == LF_MODEL_REPORT_ALL) {
        status = find_all(&walk, list);
    } else {
        one_of one = {list,
                      question->report == LF_MODEL_REPORT_LAYER ? LF__FIELD_NEXT_LAYER : LF__FIELD_NEXT_SECTOR};
        walk.found = add_one;
        walk.user = &one;
        lf__field_ask(&walk);
    }
    lf__cursor_count(cursor, &walk.cost);
    return status;
}
