/// Places with generations: what ids of a scene point at.
#ifndef LF_SCENE_POOL_H
#define LF_SCENE_POOL_H

#include "base/array.h"
#include <string.h>

/// No place.
#define LF__NOWHERE 0xffffffffu

/// Every item of a pool begins with this. A place is in use while `live`; its generation goes up when it is left, and a place whose
/// generation would come round again is never used any more.
typedef struct lf__slot {
    uint32_t generation;
    uint32_t next_free;
    bool live;
} lf__slot;

/// Places for items of one kind; items move when the pool grows.
typedef struct lf__pool {
    lf__array array;
    size_t item;
    uint32_t free;
    int64_t live_count;
} lf__pool;

static inline void lf__pool_start(lf__pool *pool, size_t item) {
    *pool = (lf__pool){.item = item, .free = LF__NOWHERE};
}

static inline lf__slot *lf__pool_at(const lf__pool *pool, uint32_t index) {
    return (lf__slot *)((char *)pool->array.items + (size_t)index * pool->item);
}

/// The item an id points at, or NULL for an id of nothing.
static inline void *lf__pool_find(const lf__pool *pool, uint32_t index, uint32_t generation) {
    if (generation == 0 || (int64_t)index >= pool->array.count)
        return NULL;
    lf__slot *slot = lf__pool_at(pool, index);
    return slot->live && slot->generation == generation ? slot : NULL;
}

/// A zeroed item in a free place, or in a new one.
static inline lf_status lf__pool_take(lf__pool *pool, const lf_allocator *allocator, uint32_t *index) {
    uint32_t place = pool->free, generation = 1;
    if (place != LF__NOWHERE) {
        const lf__slot *slot = lf__pool_at(pool, place);
        pool->free = slot->next_free;
        generation = slot->generation;
    } else {
        if (pool->array.count >= (int64_t)LF__NOWHERE)
            return LF_TOO_LARGE;
        lf_status status = lf__array_reserve(&pool->array, allocator, 1, pool->item);
        if (status != LF_OK)
            return status;
        place = (uint32_t)pool->array.count++;
    }
    lf__slot *slot = lf__pool_at(pool, place);
    memset(slot, 0, pool->item);
    *slot = (lf__slot){generation, LF__NOWHERE, true};
    pool->live_count++;
    *index = place;
    return LF_OK;
}

static inline void lf__pool_leave(lf__pool *pool, uint32_t index) {
    lf__slot *slot = lf__pool_at(pool, index);
    slot->live = false;
    pool->live_count--;
    if (++slot->generation != 0) {
        slot->next_free = pool->free;
        pool->free = index;
    }
}

static inline void lf__pool_free(lf__pool *pool, const lf_allocator *allocator) {
    lf__array_free(&pool->array, allocator, pool->item);
    pool->free = LF__NOWHERE;
    pool->live_count = 0;
}

#endif
