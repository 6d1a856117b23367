/// Sets of moving boxes: adding, moving and removing boxes, and the pairs that touch, in order.
#include "pairs/pairs.h"
#include "base/base.h"
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Adding, moving and removing
// ---------------------------------------------------------------------------------------------------

/// Indices are stored in 32 bits, with one value reserved for none.
#define MOST_BODIES ((int64_t)1 << 31)

lf_status lf_pairs_create(const lf_pairs_def *def, lf_pairs **pairs, lf_error *error) {
    lf_pairs_def full = lf_pairs_def_default();
    if (!pairs)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "pairs is NULL");
    lf_status status = def ? lf__def_read(&full, sizeof full, def, error) : LF_OK;
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&full.host);
    lf_pairs *made = lf__allocate(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    made->sink.allocator = &made->allocator;
    made->tree_kernels = lf__flat_kernels_for(lf_isa_best());
    made->kernels = lf__pairs_kernels_for(lf_isa_best());
    *pairs = made;
    return LF_OK;
}

void lf_pairs_destroy(lf_pairs *pairs) {
    if (!pairs)
        return;
    lf_allocator allocator = pairs->allocator;
    lf__array_free(&pairs->ended, &allocator, sizeof(lf_pair));
    lf__array_free(&pairs->begun, &allocator, sizeof(lf_pair));
    lf__array_free(&pairs->reported, &allocator, sizeof(lf_pair));
    lf__array_free(&pairs->found, &allocator, sizeof(lf_pair));
    lf__array_free(&pairs->numbers, &allocator, sizeof(uint32_t));
    lf__array_free(&pairs->scratch, &allocator, sizeof(uint64_t));
    lf__array_free(&pairs->sink.keys, &allocator, sizeof(uint64_t));
    lf__array_free(&pairs->entries, &allocator, sizeof(uint32_t));
    lf__array_free(&pairs->owners, &allocator, sizeof(lf__owner));
    lf__array_free(&pairs->made, &allocator, sizeof(lf__owner));
    lf__array_free(&pairs->pending, &allocator, sizeof(uint32_t));
    for (int i = 0; i < 2; i++) {
        lf__flat_free(&pairs->sets[i].flat, &allocator);
        lf__free_array(&allocator, pairs->sets[i].recent_boxes, pairs->sets[i].node_capacity,
                       sizeof(lf__flat_node));
        lf__free_array(&allocator, pairs->sets[i].recent, pairs->sets[i].recent_capacity, sizeof(uint32_t));
    }
    lf__free_array(&allocator, pairs->generations, pairs->generation_capacity, sizeof *pairs->generations);
    lf__free_array(&allocator, pairs->more, pairs->more_capacity, sizeof *pairs->more);
    lf__free_array(&allocator, pairs->bodies, pairs->body_capacity, sizeof *pairs->bodies);
    lf__free(&allocator, pairs, sizeof *pairs, LF__CACHE_LINE);
}

/// Finite and not empty: a difference of NaN or infinity with itself is not 0.
static inline bool pairs_is_usable(const lf_box *box) {
    double still = (box->low.x - box->low.x) + (box->low.y - box->low.y) + (box->low.z - box->low.z) +
                   (box->high.x - box->high.x) + (box->high.y - box->high.y) + (box->high.z - box->high.z);
    return (still == 0) & (box->low.x <= box->high.x) & (box->low.y <= box->high.y) &
           (box->low.z <= box->high.z);
}

static inline bool is_alive_id(const lf_pairs *pairs, lf_pairs_id id) {
    return id.index < pairs->slots && pairs->generations[id.index] == id.generation &&
           pairs->bodies[id.index].stamp != LF__BODY_REMOVED;
}

static inline void pairs_put_box(lf__body *body, const lf_box *box) {
    memcpy(body->low, &box->low, sizeof body->low);
    memcpy(body->high, &box->high, sizeof body->high);
}

static inline lf_box pairs_box_of(const lf__body *body) {
    return (lf_box){{body->low[0], body->low[1], body->low[2]},
                    {body->high[0], body->high[1], body->high[2]}};
}

/// Reserve one more slot, and space for all slots where moving must not fail.
static lf_status pairs_reserve_slot(lf_pairs *pairs) {
    const lf_allocator *allocator = &pairs->allocator;
    int64_t slots = pairs->slots + 1;
    if (slots > MOST_BODIES)
        return LF_TOO_LARGE;
    lf_status status =
        lf__grow(allocator, (void **)&pairs->bodies, &pairs->body_capacity, slots, sizeof *pairs->bodies);
    if (status == LF_OK)
        status =
            lf__grow(allocator, (void **)&pairs->more, &pairs->more_capacity, slots, sizeof *pairs->more);
    if (status == LF_OK)
        status = lf__grow(allocator, (void **)&pairs->generations, &pairs->generation_capacity, slots,
                          sizeof *pairs->generations);
    if (status == LF_OK)
        status =
            lf__array_reserve(&pairs->pending, allocator, slots - pairs->pending.count, sizeof(uint32_t));
    return status;
}

static uint32_t add_slot(lf_pairs *pairs) {
    uint32_t index;
    if (pairs->free) {
        index = pairs->free - 1;
        pairs->free = (uint32_t)pairs->bodies[index].user;
    } else {
        index = (uint32_t)pairs->slots++;
        memset(&pairs->bodies[index], 0, sizeof *pairs->bodies);
        memset(&pairs->more[index], 0, sizeof *pairs->more);
        pairs->generations[index] = 0;
    }
    return index;
}

lf_status lf_pairs_add(lf_pairs *pairs, const lf_pairs_item *item, lf_pairs_id *id, lf_error *error) {
    if (!pairs || !item || !id)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%s is NULL", !pairs ? "pairs" : !item ? "item" : "id");
    if (!pairs_is_usable(&item->box))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "box is empty or not finite: x %g to %g, y %g to %g, z %g to %g", item->box.low.x,
                        item->box.high.x, item->box.low.y, item->box.high.y, item->box.low.z,
                        item->box.high.z);
    lf_status status = pairs->free ? LF_OK : pairs_reserve_slot(pairs);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    uint32_t index = add_slot(pairs);
    lf__body *body = &pairs->bodies[index];
    lf__body_more *more = &pairs->more[index];
    pairs_put_box(body, &item->box);
    body->stamp = 0;
    body->user = item->user;
    pairs->generations[index] += pairs->generations[index] == UINT32_MAX ? 2 : 1; // never 0
    more->fat = item->box;
    more->groups = item->groups;
    more->meets = item->meets;
    more->moves = item->moves;
    more->question = -1;
    more->reach = LF__FAT_REACH;
    more->in_tree = 0; // a tree may still hold the previous body of this slot
    pairs->sets[item->moves].count++;
    pairs->sets[item->moves].changed = true;
    lf__pairs_set_pending(pairs, index);
    pairs->fresh = false;
    *id = (lf_pairs_id){index, pairs->generations[index]};
    return LF_OK;
}

/// A box within its fat box is finite, because fat boxes are.
static inline bool move_one(lf_pairs *pairs, lf_pairs_id id, const lf_box *box) {
    if (!is_alive_id(pairs, id))
        return false;
    lf__body *body = &pairs->bodies[id.index];
    if (pairs->kernels->move(body, &pairs->more[id.index].fat, box))
        return true;
    if (!pairs_is_usable(box))
        return false;
    lf__pairs_set_pending(pairs, id.index);
    pairs_put_box(body, box);
    return true;
}

lf_status lf_pairs_move(lf_pairs *pairs, lf_pairs_id id, const lf_box *box) {
    if (!pairs || !box || !move_one(pairs, id, box))
        return LF_BAD_ARGUMENT;
    pairs->fresh = false;
    return LF_OK;
}

lf_status lf_pairs_move_many(lf_pairs *pairs, const lf_pairs_id *ids, const lf_box *boxes, int64_t count,
                             int64_t *done) {
    int64_t moved = 0;
    lf_status status = !pairs || count < 0 || (count > 0 && (!ids || !boxes)) ? LF_BAD_ARGUMENT : LF_OK;
    while (status == LF_OK && moved < count) {
        status = move_one(pairs, ids[moved], &boxes[moved]) ? LF_OK : LF_BAD_ARGUMENT;
        moved += status == LF_OK;
    }
    if (moved > 0)
        pairs->fresh = false;
    if (done)
        *done = moved;
    return status;
}

lf_status lf__pairs_mark(lf_pairs *pairs, lf_pairs_id id, bool moves) {
    if (!pairs || !is_alive_id(pairs, id))
        return LF_BAD_ARGUMENT;
    lf__body_more *more = &pairs->more[id.index];
    if (more->moves == moves)
        return LF_OK;
    pairs->sets[more->moves].count--;
    pairs->sets[moves].count++;
    pairs->sets[0].changed = pairs->sets[1].changed = true;
    more->moves = moves;
    pairs->broken = true; // rare: all bodies are searched again
    pairs->fresh = false;
    return LF_OK;
}

lf_status lf_pairs_remove(lf_pairs *pairs, lf_pairs_id id) {
    if (!pairs || !is_alive_id(pairs, id))
        return LF_BAD_ARGUMENT;
    lf__body_more *more = &pairs->more[id.index];
    pairs->bodies[id.index].stamp = LF__BODY_REMOVED;
    pairs->sets[more->moves].count--;
    pairs->sets[more->moves].changed = true;
    pairs->bodies[id.index].user = pairs->free;
    pairs->free = id.index + 1;
    pairs->fresh = false;
    return LF_OK;
}

bool lf__pairs_get(const lf_pairs *pairs, lf_pairs_id id, lf_pairs_item *item) {
    if (!pairs || !is_alive_id(pairs, id))
        return false;
    const lf__body_more *more = &pairs->more[id.index];
    if (item)
        *item = (lf_pairs_item){pairs_box_of(&pairs->bodies[id.index]), pairs->bodies[id.index].user,
                                more->groups, more->meets, more->moves};
    return true;
}

lf_pairs_stats lf_pairs_describe(const lf_pairs *pairs) {
    lf_pairs_stats stats = {0, 0, 0, 0, 0};
    if (pairs) {
        stats = pairs->work;
        stats.count = pairs->sets[0].count + pairs->sets[1].count;
    }
    return stats;
}

// ---------------------------------------------------------------------------------------------------
// Finding
// ---------------------------------------------------------------------------------------------------

/// Up to this many keys are sorted by insertion.
#define FEW_KEYS 24

#define DIGIT_BITS 11
#define FOUND_DIGITS (1 << DIGIT_BITS)

static void sort_few(uint64_t *keys, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        int64_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/// Stable sort by one digit.
static void sort_digit(const uint64_t *from, uint64_t *to, int64_t count, int shift, int bits) {
    int64_t start[FOUND_DIGITS] = {0};
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

static int64_t pairs_merge_keys(const uint64_t *a, int64_t a_count, const uint64_t *b, int64_t b_count,
                                uint64_t *out) {
    int64_t i = 0, j = 0, k = 0;
    while (i < a_count && j < b_count)
        out[k++] = a[i] < b[j] ? a[i++] : b[j++];
    while (i < a_count)
        out[k++] = a[i++];
    while (j < b_count)
        out[k++] = b[j++];
    return k;
}

static int pairs_key_bits(int64_t count) {
    int bits = 1;
    while (bits < 32 && count >> bits)
        bits++;
    return bits;
}

/// The keys of all pairs that touch, sorted; they are in the sink or in the scratch array.
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
        lf__sort_keys(keys + made, pairs->scratch.items, since, pairs_key_bits(pairs->slots));
    if (made == 0)
        return keys;
    pairs_merge_keys(keys, made, keys + made, since, pairs->scratch.items);
    return pairs->scratch.items;
}

static inline lf_pairs_id id_of(const lf_pairs *pairs, uint32_t body) {
    return (lf_pairs_id){body, pairs->generations[body]};
}

/// Reserve space for the keys of all entries, twice.
static lf_status reserve_keys(lf_pairs *pairs) {
    int64_t needed = pairs->entries.count + 1;
    pairs->sink.keys.count = pairs->scratch.count = 0;
    if (needed <= pairs->sink.keys.capacity && needed <= pairs->scratch.capacity)
        return LF_OK;
    lf_status status = lf__array_reserve(&pairs->sink.keys, &pairs->allocator, needed, sizeof(uint64_t));
    return status != LF_OK ? status
                           : lf__array_reserve(&pairs->scratch, &pairs->allocator, needed, sizeof(uint64_t));
}

static lf_status pairs_update_found(lf_pairs *pairs) {
    if (pairs->fresh)
        return LF_OK;
    lf_status status = pairs->pending.count > 0 || pairs->broken ? lf__pairs_settle(pairs) : LF_OK;
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
    lf_status status = pairs_update_found(pairs);
    if (status == LF_OK)
        *found = (lf_pairs_found){pairs->found.items, pairs->found.count};
    return status;
}

static inline uint64_t pair_key(const lf_pair *pair) {
    return (uint64_t)pair->a.index << 32 | pair->b.index;
}

static inline bool is_same(const lf_pair *a, const lf_pair *b) {
    return a->a.generation == b->a.generation && a->b.generation == b->b.generation;
}

/// Find the pairs that are only in one of two lists.
static void pairs_compare(lf_pairs *pairs) {
    const lf_pair *now = pairs->found.items, *then = pairs->reported.items;
    lf_pair *begun = pairs->begun.items, *ended = pairs->ended.items;
    int64_t i = 0, j = 0;
    pairs->begun.count = pairs->ended.count = 0;
    while (i < pairs->found.count || j < pairs->reported.count) {
        bool more_now = i < pairs->found.count, more_then = j < pairs->reported.count;
        uint64_t here = more_now ? pair_key(&now[i]) : UINT64_MAX;
        uint64_t there = more_then ? pair_key(&then[j]) : UINT64_MAX;
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

lf_status lf_pairs_report(lf_pairs *pairs, lf_pairs_changes *changes) {
    if (!pairs || !changes)
        return LF_BAD_ARGUMENT;
    const lf_allocator *allocator = &pairs->allocator;
    pairs->work.questions++;
    lf_status status = pairs_update_found(pairs);
    pairs->begun.count = pairs->ended.count = 0;
    if (status == LF_OK)
        status = lf__array_reserve(&pairs->begun, allocator, pairs->found.count, sizeof(lf_pair));
    if (status == LF_OK)
        status = lf__array_reserve(&pairs->ended, allocator, pairs->reported.count, sizeof(lf_pair));
    if (status == LF_OK && pairs->found.count > pairs->reported.count)
        status = lf__array_reserve(&pairs->reported, allocator, pairs->found.count - pairs->reported.count,
                                   sizeof(lf_pair));
    if (status != LF_OK)
        return status;
    pairs_compare(pairs);
    if (pairs->found.count > 0)
        memcpy(pairs->reported.items, pairs->found.items, (size_t)pairs->found.count * sizeof(lf_pair));
    pairs->reported.count = pairs->found.count;
    *changes =
        (lf_pairs_changes){pairs->begun.items, pairs->begun.count, pairs->ended.items, pairs->ended.count};
    return LF_OK;
}

/// Append the numbers of boxes of one set that overlap a box to the scratch array: from the tree, and from
/// the bodies that were searched since it was built.
static lf_status gather_overlaps(lf_pairs *pairs, const lf_box *box, bool moves) {
    const lf__body_set *set = &pairs->sets[moves];
    lf__flat_box local = lf__flat_local(pairs->origin, box);
    pairs->sink.keys.count = 0;
    pairs->sink.full = false;
    pairs->tree_kernels->query(&set->flat, &local, &pairs->sink);
    int64_t from_tree = pairs->sink.keys.count;
    pairs->tree_kernels->scan(set->recent_boxes, set->recent, set->recent_count, &local, &pairs->sink);
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
        if (body->stamp != LF__BODY_REMOVED && !is_void && lf_box_overlap(here, *box))
            found[pairs->scratch.count++] = keys[i];
    }
    return LF_OK;
}

static int pairs_by_number(const void *a, const void *b) {
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
        qsort(found, (size_t)pairs->scratch.count, sizeof *found, pairs_by_number);
    for (int64_t i = 0; i < pairs->scratch.count && i < capacity; i++)
        ids[i] = id_of(pairs, (uint32_t)found[i]);
    *count = pairs->scratch.count;
    return *count > capacity ? LF_PARTIAL : LF_OK;
}
