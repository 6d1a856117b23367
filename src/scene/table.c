/// Pairs of things, and what a watch remembers of them.
#include "scene/watch.h"

static uint64_t mixed(uint64_t x) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static uint64_t hash_of(lf_thing a, lf_thing b) {
    const uint32_t words[8] = {a.instance.index, a.instance.generation, a.part.index, a.part.generation,
                               b.instance.index, b.instance.generation, b.part.index, b.part.generation};
    uint64_t hash = 0;
    for (int i = 0; i < 8; i++)
        hash = mixed(hash + words[i] + 0x100000001u * (uint64_t)i);
    return hash;
}

static bool same(lf_thing a, lf_thing b) {
    return a.instance.index == b.instance.index && a.instance.generation == b.instance.generation &&
           a.part.index == b.part.index && a.part.generation == b.part.generation;
}

lf__couple *lf__couple_find(const lf__couple_table *table, lf_thing a, lf_thing b) {
    if (table->count == 0)
        return NULL;
    uint64_t mask = (uint64_t)table->place_count - 1;
    for (uint64_t at = hash_of(a, b) & mask; table->places[at] != 0; at = (at + 1) & mask) {
        lf__couple *pair = &table->couples[table->places[at] - 1];
        if (same(pair->a, a) && same(pair->b, b))
            return pair;
    }
    return NULL;
}

static void put(lf__couple_table *table, int64_t number) {
    const lf__couple *pair = &table->couples[number];
    uint64_t mask = (uint64_t)table->place_count - 1, at = hash_of(pair->a, pair->b) & mask;
    while (table->places[at] != 0)
        at = (at + 1) & mask;
    table->places[at] = (uint32_t)number + 1;
}

static void put_all(lf__couple_table *table) {
    if (table->place_count > 0)
        memset(table->places, 0, (size_t)table->place_count * sizeof *table->places);
    for (int64_t i = 0; i < table->count; i++)
        put(table, i);
}

/// At most half of the places are in use.
static lf_status reserve(lf_scene *scene, lf__couple_table *table) {
    if (table->count >= INT32_MAX)
        return LF_TOO_LARGE;
    if (2 * (table->count + 1) > table->place_count) {
        int64_t wanted = table->place_count ? 2 * table->place_count : 64;
        void *fresh;
        lf_status status = lf__take_array(&scene->allocator, wanted, sizeof *table->places, &fresh);
        if (status != LF_OK)
            return status;
        lf__give_array(&scene->allocator, table->places, table->place_count, sizeof *table->places);
        table->places = fresh;
        table->place_count = wanted;
        put_all(table);
    }
    void *pairs = table->couples;
    lf_status status =
        lf__grow(&scene->allocator, &pairs, &table->room, table->count + 1, sizeof *table->couples);
    table->couples = pairs;
    return status;
}

lf_status lf__couple_add(lf_scene *scene, lf__couple_table *table, lf_thing a, lf_thing b,
                         lf__couple **pair) {
    lf_status status = reserve(scene, table);
    if (status != LF_OK)
        return status;
    table->couples[table->count] =
        (lf__couple){.a = a, .b = b, .sleep = -LF_INFINITY, .looked = -1, .seen = -1};
    put(table, table->count);
    *pair = &table->couples[table->count++];
    return LF_OK;
}

void lf__couples_tidy(lf__couple_table *table) {
    int64_t kept = 0;
    for (int64_t i = 0; i < table->count; i++) {
        const lf__couple *pair = &table->couples[i];
        if (pair->touching || pair->predicted || pair->sleep > -LF_INFINITY)
            table->couples[kept++] = *pair;
    }
    if (kept == table->count)
        return;
    table->count = kept;
    put_all(table);
}

void lf__couples_free(lf_scene *scene, lf__couple_table *table) {
    lf__give_array(&scene->allocator, table->places, table->place_count, sizeof *table->places);
    lf__give(&scene->allocator, table->couples, (size_t)table->room * sizeof *table->couples, LF__CACHE_LINE);
    *table = (lf__couple_table){0};
}
