/// Sets of boxes: adding, moving, taking out.
#include "pairs/pairs.h"
#include "base/base.h"
#include <string.h>

/// Indices are kept in 32 bits, one of which marks nobody.
#define MOST_BODIES ((int64_t)1 << 31)

lf_status lf_pairs_create(const lf_pairs_def *def, lf_pairs **pairs, lf_error *error) {
    lf_pairs_def full = lf_pairs_def_default();
    if (!pairs)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "pairs is NULL");
    lf_status status = def ? lf__def_read(&full, sizeof full, def, error) : LF_OK;
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&full.host);
    lf_pairs *made = lf__take(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    memset(made, 0, sizeof *made);
    made->allocator = allocator;
    made->sink.allocator = &made->allocator;
    made->looks = lf__flat_kernels_for(lf_isa_best());
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
    lf__array_free(&pairs->told, &allocator, sizeof(lf_pair));
    lf__array_free(&pairs->found, &allocator, sizeof(lf_pair));
    lf__array_free(&pairs->numbers, &allocator, sizeof(uint32_t));
    lf__array_free(&pairs->scratch, &allocator, sizeof(uint64_t));
    lf__array_free(&pairs->sink.keys, &allocator, sizeof(uint64_t));
    lf__array_free(&pairs->entries, &allocator, sizeof(uint32_t));
    lf__array_free(&pairs->owners, &allocator, sizeof(lf__owner));
    lf__array_free(&pairs->made, &allocator, sizeof(lf__owner));
    lf__array_free(&pairs->leavers, &allocator, sizeof(uint32_t));
    for (int i = 0; i < 2; i++) {
        lf__flat_free(&pairs->herds[i].flat, &allocator);
        lf__give_array(&allocator, pairs->herds[i].recent_rooms, pairs->herds[i].node_room,
                       sizeof(lf__flat_node));
        lf__give_array(&allocator, pairs->herds[i].recent, pairs->herds[i].recent_room, sizeof(uint32_t));
    }
    lf__give_array(&allocator, pairs->generations, pairs->generation_room, sizeof *pairs->generations);
    lf__give_array(&allocator, pairs->more, pairs->more_room, sizeof *pairs->more);
    lf__give_array(&allocator, pairs->bodies, pairs->body_room, sizeof *pairs->bodies);
    lf__give(&allocator, pairs, sizeof *pairs, LF__CACHE_LINE);
}

/// Finite and not empty: a difference of NaN or infinity with itself is not 0.
static inline bool is_usable(const lf_box *box) {
    double still = (box->low.x - box->low.x) + (box->low.y - box->low.y) + (box->low.z - box->low.z) +
                   (box->high.x - box->high.x) + (box->high.y - box->high.y) + (box->high.z - box->high.z);
    return (still == 0) & (box->low.x <= box->high.x) & (box->low.y <= box->high.y) &
           (box->low.z <= box->high.z);
}

static inline bool is_there(const lf_pairs *pairs, lf_pairs_id id) {
    return id.index < pairs->slots && pairs->generations[id.index] == id.generation &&
           pairs->bodies[id.index].stamp != LF__GONE;
}

static inline void put_box(lf__body *body, const lf_box *box) {
    memcpy(body->low, &box->low, sizeof body->low);
    memcpy(body->high, &box->high, sizeof body->high);
}

static inline lf_box box_of(const lf__body *body) {
    return (lf_box){{body->low[0], body->low[1], body->low[2]},
                    {body->high[0], body->high[1], body->high[2]}};
}

/// Room for one more slot, and for all slots wherever moving must not fail.
static lf_status make_room(lf_pairs *pairs) {
    const lf_allocator *allocator = &pairs->allocator;
    int64_t slots = pairs->slots + 1;
    if (slots > MOST_BODIES)
        return LF_TOO_LARGE;
    lf_status status =
        lf__grow(allocator, (void **)&pairs->bodies, &pairs->body_room, slots, sizeof *pairs->bodies);
    if (status == LF_OK)
        status = lf__grow(allocator, (void **)&pairs->more, &pairs->more_room, slots, sizeof *pairs->more);
    if (status == LF_OK)
        status = lf__grow(allocator, (void **)&pairs->generations, &pairs->generation_room, slots,
                          sizeof *pairs->generations);
    if (status == LF_OK)
        status =
            lf__array_reserve(&pairs->leavers, allocator, slots - pairs->leavers.count, sizeof(uint32_t));
    return status;
}

static uint32_t take_slot(lf_pairs *pairs) {
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
    if (!is_usable(&item->box))
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "box is empty or not finite: x %g to %g, y %g to %g, z %g to %g", item->box.low.x,
                        item->box.high.x, item->box.low.y, item->box.high.y, item->box.low.z,
                        item->box.high.z);
    lf_status status = pairs->free ? LF_OK : make_room(pairs);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    uint32_t index = take_slot(pairs);
    lf__body *body = &pairs->bodies[index];
    lf__body_more *more = &pairs->more[index];
    put_box(body, &item->box);
    body->stamp = 0;
    body->user = item->user;
    pairs->generations[index] += pairs->generations[index] == UINT32_MAX ? 2 : 1; // never 0
    more->room = item->box;
    more->groups = item->groups;
    more->meets = item->meets;
    more->moves = item->moves;
    more->question = -1;
    more->reach = LF__ROOM_REACH;
    more->planted = 0; // a tree may still name its forerunner
    pairs->herds[item->moves].count++;
    pairs->herds[item->moves].changed = true;
    lf__pairs_leave(pairs, index);
    pairs->fresh = false;
    *id = (lf_pairs_id){index, pairs->generations[index]};
    return LF_OK;
}

/// A box in its room is finite, because rooms are.
static inline bool move_one(lf_pairs *pairs, lf_pairs_id id, const lf_box *box) {
    if (!is_there(pairs, id))
        return false;
    lf__body *body = &pairs->bodies[id.index];
    if (pairs->kernels->move(body, &pairs->more[id.index].room, box))
        return true;
    if (!is_usable(box))
        return false;
    lf__pairs_leave(pairs, id.index);
    put_box(body, box);
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

lf_status lf_pairs_mark(lf_pairs *pairs, lf_pairs_id id, bool moves) {
    if (!pairs || !is_there(pairs, id))
        return LF_BAD_ARGUMENT;
    lf__body_more *more = &pairs->more[id.index];
    if (more->moves == moves)
        return LF_OK;
    pairs->herds[more->moves].count--;
    pairs->herds[moves].count++;
    pairs->herds[0].changed = pairs->herds[1].changed = true;
    more->moves = moves;
    pairs->broken = true; // rare: everybody looks round again
    pairs->fresh = false;
    return LF_OK;
}

lf_status lf_pairs_remove(lf_pairs *pairs, lf_pairs_id id) {
    if (!pairs || !is_there(pairs, id))
        return LF_BAD_ARGUMENT;
    lf__body_more *more = &pairs->more[id.index];
    pairs->bodies[id.index].stamp = LF__GONE;
    pairs->herds[more->moves].count--;
    pairs->herds[more->moves].changed = true;
    pairs->bodies[id.index].user = pairs->free;
    pairs->free = id.index + 1;
    pairs->fresh = false;
    return LF_OK;
}

bool lf_pairs_get(const lf_pairs *pairs, lf_pairs_id id, lf_pairs_item *item) {
    if (!pairs || !is_there(pairs, id))
        return false;
    const lf__body_more *more = &pairs->more[id.index];
    if (item)
        *item = (lf_pairs_item){box_of(&pairs->bodies[id.index]), pairs->bodies[id.index].user, more->groups,
                                more->meets, more->moves};
    return true;
}

int64_t lf_pairs_count(const lf_pairs *pairs) {
    return pairs ? pairs->herds[0].count + pairs->herds[1].count : 0;
}

lf_pairs_work lf_pairs_cost(const lf_pairs *pairs) {
    return pairs ? pairs->work : (lf_pairs_work){0, 0, 0, 0};
}
