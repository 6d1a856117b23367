/// A growing array of plain items, by the host's allocator.
#ifndef LF_BASE_ARRAY_H
#define LF_BASE_ARRAY_H

#include "base/memory.h"
#include "base/size.h"

typedef struct lf__array {
    void *items;
    int64_t count;
    int64_t capacity;
} lf__array;

/// Room for `more` further items of `item` bytes.
static inline lf_status lf__array_reserve(lf__array *array, const lf_allocator *allocator, int64_t more,
                                          size_t item) {
    int64_t wanted;
    if (__builtin_add_overflow(array->count, more, &wanted))
        return LF_TOO_LARGE;
    if (wanted <= array->capacity)
        return LF_OK;
    int64_t capacity = array->capacity < INT64_MAX / 2 ? 2 * array->capacity : wanted;
    if (capacity < wanted)
        capacity = wanted;
    if (capacity < 16)
        capacity = 16;
    size_t bytes;
    if (!lf__size_array(capacity, item, &bytes))
        return LF_TOO_LARGE;
    void *items = allocator->resize(allocator->user, array->items, (size_t)array->capacity * item, bytes,
                                    LF__CACHE_LINE);
    if (!items)
        return LF_NO_MEMORY;
    array->items = items;
    array->capacity = capacity;
    return LF_OK;
}

/// Room for `count` items in an array that has some for *room: as much as asked for when it is new, at least half as much
/// again when it grows. An array with *room = 0 is NULL.
static inline lf_status lf__grow(const lf_allocator *allocator, void **items, int64_t *room, int64_t count,
                                 size_t item) {
    if (count <= *room)
        return LF_OK;
    if (*room > 0 && *room < INT64_MAX / 2 && *room + *room / 2 > count)
        count = *room + *room / 2;
    size_t bytes;
    if (!lf__size_array(count, item, &bytes))
        return LF_TOO_LARGE;
    void *grown = allocator->resize(allocator->user, *items, (size_t)*room * item, bytes, LF__CACHE_LINE);
    if (!grown)
        return LF_NO_MEMORY;
    *items = grown;
    *room = count;
    return LF_OK;
}

static inline void lf__array_free(lf__array *array, const lf_allocator *allocator, size_t item) {
    lf__give(allocator, array->items, (size_t)array->capacity * item, LF__CACHE_LINE);
    array->items = NULL;
    array->count = array->capacity = 0;
}

#endif
