/// Containers for all modules: a growing array, a heap and a hash table.
#ifndef LF_BASE_CONTAINERS_H
#define LF_BASE_CONTAINERS_H

#include "base/base.h"

// ---------------------------------------------------------------------------------------------------
// A growing array
// ---------------------------------------------------------------------------------------------------

typedef struct lf__array {
    void *items;
    int64_t count;
    int64_t capacity;
} lf__array;

/// Reserve space for `more` further items of `item` bytes.
static inline lf_status lf__array_reserve(lf__array *array, const lf_allocator *allocator, int64_t more,
                                          size_t item) {
    int64_t needed;
    if (__builtin_add_overflow(array->count, more, &needed))
        return LF_TOO_LARGE;
    if (needed <= array->capacity)
        return LF_OK;
    int64_t capacity = array->capacity < INT64_MAX / 2 ? 2 * array->capacity : needed;
    if (capacity < needed)
        capacity = needed;
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

/// The same for an array whose count is elsewhere: space for `count` items in an array with space for
/// *capacity. Exactly that many when it is new, at least half as many again when it grows. An array with
/// *capacity = 0 is NULL.
static inline lf_status lf__grow(const lf_allocator *allocator, void **items, int64_t *capacity,
                                 int64_t count, size_t item) {
    if (count <= *capacity)
        return LF_OK;
    if (*capacity > 0 && *capacity < INT64_MAX / 2 && *capacity + *capacity / 2 > count)
        count = *capacity + *capacity / 2;
    size_t bytes;
    if (!lf__size_array(count, item, &bytes))
        return LF_TOO_LARGE;
    void *grown = allocator->resize(allocator->user, *items, (size_t)*capacity * item, bytes, LF__CACHE_LINE);
    if (!grown)
        return LF_NO_MEMORY;
    *items = grown;
    *capacity = count;
    return LF_OK;
}

static inline void lf__array_free(lf__array *array, const lf_allocator *allocator, size_t item) {
    lf__free(allocator, array->items, (size_t)array->capacity * item, LF__CACHE_LINE);
    array->items = NULL;
    array->count = array->capacity = 0;
}

// ---------------------------------------------------------------------------------------------------
// A heap in the caller's array
// ---------------------------------------------------------------------------------------------------

/// The item that comes last in the order is in front. `before` says whether item i comes before item j.
typedef struct lf__heap {
    void *items;
    bool (*before)(const void *items, int64_t i, int64_t j);
    void (*swap)(void *items, int64_t i, int64_t j);
} lf__heap;

/// Item i is new: move it up to its position.
void lf__heap_up(const lf__heap *heap, int64_t i);

/// The item in front is new: move it down among `count`.
void lf__heap_down(const lf__heap *heap, int64_t count);

/// Sort a heap; the first item in the order comes first.
void lf__heap_sort(const lf__heap *heap, int64_t count);

// ---------------------------------------------------------------------------------------------------
// A hash table: open addressing with linear probing, at most half full
// ---------------------------------------------------------------------------------------------------

/// Not a key: marks a free entry.
#define LF__TABLE_FREE UINT64_MAX

typedef struct lf__table_entry {
    uint64_t key;
    uint64_t value;
} lf__table_entry;

/// From 64-bit keys to values. Keys may repeat: a caller with longer keys stores a hash of them and compares
/// the values that lf__table_next returns.
typedef struct lf__table {
    lf__table_entry *entries;
    int64_t capacity; ///< a power of two, or 0
    int64_t count;
} lf__table;

static inline int64_t lf__table_home(const lf__table *table, uint64_t key) {
    uint64_t mixed = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;
    return (int64_t)(mixed >> 20) & (table->capacity - 1);
}

/// The first entry of a key, or NULL.
static inline lf__table_entry *lf__table_find(const lf__table *table, uint64_t key) {
    if (table->capacity == 0)
        return NULL;
    for (int64_t i = lf__table_home(table, key);; i = (i + 1) & (table->capacity - 1)) {
        if (table->entries[i].key == key)
            return &table->entries[i];
        if (table->entries[i].key == LF__TABLE_FREE)
            return NULL;
    }
}

/// The next entry with the same key, or NULL.
static inline lf__table_entry *lf__table_next(const lf__table *table, const lf__table_entry *entry) {
    for (int64_t i = entry - table->entries;;) {
        i = (i + 1) & (table->capacity - 1);
        if (table->entries[i].key == entry->key)
            return &table->entries[i];
        if (table->entries[i].key == LF__TABLE_FREE)
            return NULL;
    }
}

/// Reserve space for `more` further entries; afterwards adding them cannot fail.
lf_status lf__table_reserve(lf__table *table, const lf_allocator *allocator, int64_t more);

/// Add an entry; there is space. The key is not LF__TABLE_FREE.
void lf__table_add(lf__table *table, uint64_t key, uint64_t value);

/// Remove an entry that lf__table_find or lf__table_next returned. Pointers to other entries become invalid.
void lf__table_remove(lf__table *table, lf__table_entry *entry);

/// Remove all entries; the space stays.
void lf__table_clear(lf__table *table);

void lf__table_free(lf__table *table, const lf_allocator *allocator);

/// A hash of a longer key, part by part: hash = lf__table_hash(hash, part), from 0 on. Never LF__TABLE_FREE.
static inline uint64_t lf__table_hash(uint64_t hash, uint64_t part) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    return hash == LF__TABLE_FREE ? 0 : hash;
}

#endif
