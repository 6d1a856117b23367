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

static inline void lf__array_free(lf__array *array, const lf_allocator *allocator, size_t item) {
    lf__give(allocator, array->items, (size_t)array->capacity * item, LF__CACHE_LINE);
    array->items = NULL;
    array->count = array->capacity = 0;
}

#endif
