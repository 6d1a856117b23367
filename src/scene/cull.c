/// Cullers: made, moved, given back.
#include "scene/cull.h"
#include <math.h>
#include <string.h>

#define FARTHEST 1e30

const char *lf_cull_name(lf_cull_method method) {
    switch (method) {
#define WORD(name, value, word) \
    case name:                  \
        return word;
        LF_CULL_LIST(WORD)
#undef WORD
    }
    return "?";
}

/// Empty, or within bounds. A NaN is neither.
static bool box_valid(const lf_box *box) {
    const double sides[6] = {box->low.x, box->low.y, box->low.z, box->high.x, box->high.y, box->high.z};
    bool within = true;
    for (int k = 0; k < 6; k++) {
        if (isnan(sides[k]))
            return false;
        within = within && fabs(sides[k]) <= FARTHEST;
    }
    return within || lf_box_is_empty(*box);
}

static lf_status check_boxes(const lf_box *boxes, int64_t count, lf_error *error) {
    if (count < 0 || (count > 0 && !boxes))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld boxes at %s", (long long)count,
                        boxes ? "an array" : "NULL");
    if (count > INT32_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "%lld boxes are more than 2^31 - 1", (long long)count);
    for (int64_t i = 0; i < count; i++)
        if (!box_valid(&boxes[i]))
            return lf__fail(error, LF_BAD_ARGUMENT, i,
                            "box %lld from (%g, %g, %g) to (%g, %g, %g) is not within 1e30", (long long)i,
                            boxes[i].low.x, boxes[i].low.y, boxes[i].low.z, boxes[i].high.x, boxes[i].high.y,
                            boxes[i].high.z);
    return LF_OK;
}

static int64_t mark_words(int64_t count) {
    return (count + 63) / 64;
}

static lf_status take_things(lf_cull *cull) {
    const lf_allocator *a = &cull->allocator;
    lf_status status = lf__take_array(a, cull->count, sizeof *cull->boxes, (void **)&cull->boxes);
    if (status == LF_OK)
        status = lf__take_array(a, cull->count, sizeof *cull->slots, (void **)&cull->slots);
    if (status == LF_OK)
        status = lf__take_array(a, cull->count + LF__NOTE_ROOM, sizeof *cull->things, (void **)&cull->things);
    if (status == LF_OK)
        status = lf__take_array(a, cull->count + LF__NOTE_ROOM, sizeof *cull->found, (void **)&cull->found);
    if (status == LF_OK)
        status = lf__take_array(a, mark_words(cull->count), sizeof *cull->marks, (void **)&cull->marks);
    if (status == LF_OK)
        memset(cull->things, 0, (size_t)(cull->count + LF__NOTE_ROOM) * sizeof *cull->things);
    if (status == LF_OK)
        memset(cull->marks, 0, (size_t)mark_words(cull->count) * sizeof *cull->marks);
    return status;
}

static lf_status make(const lf_allocator *allocator, const lf_box *boxes, int64_t count, lf_cull **made) {
    lf_cull *cull = lf__take(allocator, sizeof *cull, LF__CACHE_LINE);
    if (!cull)
        return LF_NO_MEMORY;
    memset(cull, 0, sizeof *cull);
    cull->allocator = *allocator;
    cull->kernels = lf__cull_kernels_for(lf_isa_best());
    lf__cull_order_make(&cull->order);
    cull->count = count;
    lf_status status = take_things(cull);
    if (status == LF_OK) {
        if (count > 0)
            memcpy(cull->boxes, boxes, (size_t)count * sizeof *boxes);
        status = lf__cull_sort(cull);
    }
    if (status == LF_OK)
        *made = cull;
    else
        lf_cull_destroy(cull);
    return status;
}

lf_status lf_cull_create(const lf_cull_def *def, lf_cull **cull, lf_error *error) {
    lf_cull_def full = lf_cull_def_default();
    if (!def || !cull)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "def or cull is NULL");
    lf_status status = lf__def_read(&full, sizeof full, def, error);
    if (status == LF_OK)
        status = check_boxes(full.boxes, full.count, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&full.host);
    status = make(&allocator, full.boxes, full.count, cull);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    (*cull)->shape = full.shape;
    (*cull)->user = full.user;
    return LF_OK;
}

void lf_cull_destroy(lf_cull *cull) {
    if (!cull || cull->looking)
        return;
    const lf_allocator allocator = cull->allocator;
    for (int l = 0; l < LF__CULL_LEVELS; l++) {
        lf__cull_level *level = &cull->levels[l];
        lf__give_array(&allocator, level->stale, (level->room + 63) / 64, sizeof *level->stale);
        lf__give_array(&allocator, level->groups, level->room, sizeof *level->groups);
    }
    lf__give_array(&allocator, cull->flags, cull->count, sizeof *cull->flags);
    lf__give_array(&allocator, cull->marks, mark_words(cull->count), sizeof *cull->marks);
    lf__give_array(&allocator, cull->found, cull->count + LF__NOTE_ROOM, sizeof *cull->found);
    lf__give_array(&allocator, cull->things, cull->count + LF__NOTE_ROOM, sizeof *cull->things);
    lf__give_array(&allocator, cull->slots, cull->count, sizeof *cull->slots);
    lf__give_array(&allocator, cull->boxes, cull->count, sizeof *cull->boxes);
    lf__give(&allocator, cull, sizeof *cull, LF__CACHE_LINE);
}

lf_status lf_cull_reset(lf_cull *cull, const lf_box *boxes, int64_t count, lf_error *error) {
    lf_cull *fresh;
    if (!cull)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "cull is NULL");
    if (cull->looking)
        return lf__fail(error, LF_BAD_ARGUMENT, -1,
                        "lf_cull_reset: not allowed from the culler's shape function");
    lf_status status = check_boxes(boxes, count, error);
    if (status != LF_OK)
        return status;
    status = make(&cull->allocator, boxes, count, &fresh);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    fresh->shape = cull->shape;
    fresh->user = cull->user;
    lf_cull old = *cull;
    *cull = *fresh;
    *fresh = old;
    lf_cull_destroy(fresh);
    return LF_OK;
}

/// The world has grown beyond what origin and cells were chosen for: sorting finds new ones.
static void widen_world(lf_cull *cull, const lf_box *box) {
    lf_box world = lf_box_union(cull->world, *box);
    bool grown = memcmp(&world, &cull->world, sizeof world) != 0;
    cull->world = world;
    cull->view_known = cull->view_known && !grown;
}

lf_status lf_cull_move(lf_cull *cull, int64_t item, lf_box box) {
    if (!cull || cull->looking || item < 0 || item >= cull->count || !box_valid(&box))
        return LF_BAD_ARGUMENT;
    cull->boxes[item] = box;
    cull->moved++;
    if (!lf_box_is_empty(box))
        widen_world(cull, &box);
    if (cull->flags)
        cull->flags[item] = lf__cull_cells(cull, &box);
    if (cull->unsorted)
        return LF_OK;
    if (cull->slots[item] != LF__NO_SLOT)
        lf__cull_place(cull, cull->slots[item], &box);
    else
        cull->unsorted = !lf_box_is_empty(box);
    return LF_OK;
}
