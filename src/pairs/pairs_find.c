/// Pairs that touch now, in order, and what has changed.
#include "pairs/pairs.h"
#include <stdlib.h>
#include <string.h>

/// Few keys are sorted by putting each in its place.
#define FEW_KEYS 24

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)

static void sort_few(uint64_t *keys, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        int64_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/// Sort by one digit, keeping the order of equal ones.
static void sort_digit(const uint64_t *from, uint64_t *to, int64_t count, int shift, int bits) {
    int64_t start[DIGITS] = {0};
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    for (int64_t i = 0; i < count; i++)
        start[from[i] >> shift & mask]++;
    int64_t sum = 0;
    for (uint64_t digit = 0; digit <= mask; digit++) {
        int64_t here = start[digit];
        start[digit] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < count; i++)
        to[start[from[i] >> shift & mask]++] = from[i];
}

void lf__sort_keys(uint64_t *keys, uint64_t *scratch, int64_t count, int bits) {
    if (count <= FEW_KEYS) {
        sort_few(keys, count);
        return;
    }
    uint64_t *from = keys, *to = scratch;
    int digits = (bits + DIGIT_BITS - 1) / DIGIT_BITS, width = (bits + digits - 1) / digits;
    for (int half = 0; half < 2; half++)
        for (int digit = 0; digit < digits; digit++) {
            sort_digit(from, to, count, 32 * half + digit * width, width);
            uint64_t *swap = from;
            from = to;
            to = swap;
        }
    if (from != keys)
        memcpy(keys, from, (size_t)count * sizeof *keys);
}

static int64_t merge(const uint64_t *a, int64_t a_count, const uint64_t *b, int64_t b_count, uint64_t *out) {
    int64_t i = 0, j = 0, k = 0;
    while (i < a_count && j < b_count)
        out[k++] = a[i] < b[j] ? a[i++] : b[j++];
    while (i < a_count)
        out[k++] = a[i++];
    while (j < b_count)
        out[k++] = b[j++];
    return k;
}

static int bits_of(int64_t count) {
    int bits = 1;
    while (bits < 32 && count >> bits)
        bits++;
    return bits;
}

/// The keys of all pairs that touch, sorted; they are in the sink or in the scratch room.
static const uint64_t *sift(lf_pairs *pairs, int64_t *count) {
    uint64_t *keys = pairs->sink.keys.items;
    const uint32_t *entries = pairs->entries.items;
    int64_t made = 0, since = 0;
    if (pairs->made.count > 0)
        made = pairs->kernels->sift(pairs->bodies, pairs->made.items, pairs->made.count, entries,
                                    pairs->all_stamp, keys);
    if (pairs->owners.count > 0)
        since = pairs->kernels->sift_each(pairs->bodies, pairs->owners.items, pairs->owners.count, entries,
                                          keys + made);
    pairs->work.tested += pairs->listed;
    *count = made + since;
    if (since == 0)
        return keys;
    if (since <= FEW_KEYS)
        sort_few(keys + made, since);
    else
        lf__sort_keys(keys + made, pairs->scratch.items, since, bits_of(pairs->slots));
    if (made == 0)
        return keys;
    merge(keys, made, keys + made, since, pairs->scratch.items);
    return pairs->scratch.items;
}

static inline lf_pairs_id id_of(const lf_pairs *pairs, uint32_t body) {
    return (lf_pairs_id){body, pairs->generations[body]};
}

/// Room for keys of all entries, twice.
static lf_status reserve_keys(lf_pairs *pairs) {
    int64_t wanted = pairs->entries.count + 1;
    pairs->sink.keys.count = pairs->scratch.count = 0;
    if (wanted <= pairs->sink.keys.capacity && wanted <= pairs->scratch.capacity)
        return LF_OK;
    lf_status status = lf__array_reserve(&pairs->sink.keys, &pairs->allocator, wanted, sizeof(uint64_t));
    return status != LF_OK ? status
                           : lf__array_reserve(&pairs->scratch, &pairs->allocator, wanted, sizeof(uint64_t));
}

static lf_status find(lf_pairs *pairs) {
    if (pairs->fresh)
        return LF_OK;
    lf_status status = pairs->leavers.count > 0 || pairs->broken ? lf__pairs_settle(pairs) : LF_OK;
    if (status == LF_OK)
        status = reserve_keys(pairs);
    if (status != LF_OK)
        return status;
    int64_t count;
    const uint64_t *keys = sift(pairs, &count);
    pairs->found.count = 0;
    if (count > pairs->found.capacity)
        status = lf__array_reserve(&pairs->found, &pairs->allocator, count, sizeof(lf_pair));
    if (status != LF_OK)
        return status;
    lf_pair *found = pairs->found.items;
    for (int64_t i = 0; i < count; i++) {
        uint32_t a = (uint32_t)(keys[i] >> 32), b = (uint32_t)keys[i];
        found[i] = (lf_pair){id_of(pairs, a), id_of(pairs, b), pairs->bodies[a].user, pairs->bodies[b].user};
    }
    pairs->found.count = count;
    pairs->fresh = true;
    return LF_OK;
}

lf_status lf_pairs_find(lf_pairs *pairs, lf_pairs_found *found) {
    if (!pairs || !found)
        return LF_BAD_ARGUMENT;
    pairs->work.questions++;
    lf_status status = find(pairs);
    if (status == LF_OK)
        *found = (lf_pairs_found){pairs->found.items, pairs->found.count};
    return status;
}

static inline uint64_t key_of(const lf_pair *pair) {
    return (uint64_t)pair->a.index << 32 | pair->b.index;
}

static inline bool is_same(const lf_pair *a, const lf_pair *b) {
    return a->a.generation == b->a.generation && a->b.generation == b->b.generation;
}

/// Which pairs are only in one of two lists.
static void compare(lf_pairs *pairs) {
    const lf_pair *now = pairs->found.items, *then = pairs->told.items;
    lf_pair *begun = pairs->begun.items, *ended = pairs->ended.items;
    int64_t i = 0, j = 0;
    pairs->begun.count = pairs->ended.count = 0;
    while (i < pairs->found.count || j < pairs->told.count) {
        bool more_now = i < pairs->found.count, more_then = j < pairs->told.count;
        uint64_t here = more_now ? key_of(&now[i]) : UINT64_MAX;
        uint64_t there = more_then ? key_of(&then[j]) : UINT64_MAX;
        if (here == there && more_now && is_same(&now[i], &then[j])) {
            i++;
            j++;
            continue;
        }
        if (there <= here && more_then)
            ended[pairs->ended.count++] = then[j++];
        if (here <= there && more_now)
            begun[pairs->begun.count++] = now[i++];
    }
}

lf_status lf_pairs_report(lf_pairs *pairs, lf_pairs_changes *news) {
    if (!pairs || !news)
        return LF_BAD_ARGUMENT;
    const lf_allocator *allocator = &pairs->allocator;
    pairs->work.questions++;
    lf_status status = find(pairs);
    pairs->begun.count = pairs->ended.count = 0;
    if (status == LF_OK)
        status = lf__array_reserve(&pairs->begun, allocator, pairs->found.count, sizeof(lf_pair));
    if (status == LF_OK)
        status = lf__array_reserve(&pairs->ended, allocator, pairs->told.count, sizeof(lf_pair));
    if (status == LF_OK && pairs->found.count > pairs->told.count)
        status = lf__array_reserve(&pairs->told, allocator, pairs->found.count - pairs->told.count,
                                   sizeof(lf_pair));
    if (status != LF_OK)
        return status;
    compare(pairs);
    if (pairs->found.count > 0)
        memcpy(pairs->told.items, pairs->found.items, (size_t)pairs->found.count * sizeof(lf_pair));
    pairs->told.count = pairs->found.count;
    *news = (lf_pairs_changes){pairs->begun.items, pairs->begun.count, pairs->ended.items, pairs->ended.count};
    return LF_OK;
}

/// Numbers of boxes of one kind that overlap a box, to the front of the scratch room: from the tree, and from those who have looked
/// round since it was made.
static lf_status gather_overlaps(lf_pairs *pairs, const lf_box *box, bool moves) {
    const lf__herd *herd = &pairs->herds[moves];
    lf__flat_box local = lf__flat_local(pairs->origin, box);
    pairs->sink.keys.count = 0;
    pairs->sink.full = false;
    pairs->looks->query(&herd->flat, &local, &pairs->sink);
    int64_t from_tree = pairs->sink.keys.count;
    pairs->looks->scan(herd->recent_rooms, herd->recent, herd->recent_count, &local, &pairs->sink);
    int64_t count = pairs->sink.keys.count;
    lf_status status = pairs->sink.full
                           ? LF_NO_MEMORY
                           : lf__array_reserve(&pairs->scratch, &pairs->allocator, count, sizeof(uint64_t));
    if (status != LF_OK)
        return status;
    const uint64_t *keys = pairs->sink.keys.items;
    uint64_t *found = pairs->scratch.items;
    for (int64_t i = 0; i < count; i++) {
        const lf__body *body = &pairs->bodies[keys[i]];
        const lf__body_more *more = &pairs->more[keys[i]];
        lf_box here = {{body->low[0], body->low[1], body->low[2]},
                       {body->high[0], body->high[1], body->high[2]}};
        bool is_void = more->moves != moves || (i < from_tree && (more->recent >> moves & 1));
        if (body->stamp != LF__GONE && !is_void && lf_box_overlap(here, *box))
            found[pairs->scratch.count++] = keys[i];
    }
    return LF_OK;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

lf_status lf_pairs_overlaps(lf_pairs *pairs, const lf_box *box, lf_pairs_id *ids, int64_t capacity,
                            int64_t *count) {
    if (!pairs || !box || !count || capacity < 0 || (capacity > 0 && !ids) || lf_box_is_empty(*box) ||
        !lf_vec3_finite(box->low) || !lf_vec3_finite(box->high))
        return LF_BAD_ARGUMENT;
    lf_status status = lf__pairs_settle(pairs);
    pairs->scratch.count = 0;
    for (int moves = 0; moves < 2 && status == LF_OK; moves++)
        status = gather_overlaps(pairs, box, moves);
    if (status != LF_OK)
        return status;
    uint64_t *found = pairs->scratch.items;
    if (pairs->scratch.count > 0)
        qsort(found, (size_t)pairs->scratch.count, sizeof *found, by_number);
    for (int64_t i = 0; i < pairs->scratch.count && i < capacity; i++)
        ids[i] = id_of(pairs, (uint32_t)found[i]);
    *count = pairs->scratch.count;
    return *count > capacity ? LF_PARTIAL : LF_OK;
}
