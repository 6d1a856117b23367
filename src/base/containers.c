/// Containers for all modules: the heap and the hash table.
#include "base/containers.h"
#include <string.h>

void lf__heap_up(const lf__heap *heap, int64_t i) {
    while (i > 0) {
        int64_t parent = (i - 1) / 2;
        if (!heap->before(heap->items, parent, i))
            return;
        heap->swap(heap->items, parent, i);
        i = parent;
    }
}

void lf__heap_down(const lf__heap *heap, int64_t count) {
    int64_t i = 0;
    for (;;) {
        int64_t last = i;
        for (int64_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (heap->before(heap->items, last, child))
                last = child;
        if (last == i)
            return;
        heap->swap(heap->items, last, i);
        i = last;
    }
}

void lf__heap_sort(const lf__heap *heap, int64_t count) {
    for (int64_t last = count - 1; last > 0; last--) {
        heap->swap(heap->items, 0, last);
        lf__heap_down(heap, last);
    }
}

lf_status lf__table_reserve(lf__table *table, const lf_allocator *allocator, int64_t more) {
    int64_t capacity = table->capacity > 0 ? table->capacity : 64;
    while (table->count + more > capacity / 2) {
        if (capacity > INT64_MAX / 4)
            return LF_TOO_LARGE;
        capacity *= 2;
    }
    if (capacity == table->capacity)
        return LF_OK;
    lf__table grown = {NULL, capacity, 0};
    lf_status status =
        lf__allocate_array(allocator, capacity, sizeof *grown.entries, (void **)&grown.entries);
    if (status != LF_OK)
        return status;
    memset(grown.entries, 0xff, (size_t)capacity * sizeof *grown.entries);
    for (int64_t i = 0; i < table->capacity; i++)
        if (table->entries[i].key != LF__TABLE_FREE)
            lf__table_add(&grown, table->entries[i].key, table->entries[i].value);
    lf__table_free(table, allocator);
    *table = grown;
    return LF_OK;
}

void lf__table_add(lf__table *table, uint64_t key, uint64_t value) {
    int64_t i = lf__table_home(table, key);
    while (table->entries[i].key != LF__TABLE_FREE)
        i = (i + 1) & (table->capacity - 1);
    table->entries[i] = (lf__table_entry){key, value};
    table->count++;
}

/// Entries after the removed one move back, not beyond their home, so that probing still finds them.
void lf__table_remove(lf__table *table, lf__table_entry *entry) {
    int64_t mask = table->capacity - 1, i = entry - table->entries;
    table->entries[i].key = LF__TABLE_FREE;
    table->count--;
    for (int64_t k = (i + 1) & mask; table->entries[k].key != LF__TABLE_FREE; k = (k + 1) & mask) {
        int64_t home = lf__table_home(table, table->entries[k].key);
        if (((k - home) & mask) < ((k - i) & mask))
            continue;
        table->entries[i] = table->entries[k];
        table->entries[k].key = LF__TABLE_FREE;
        i = k;
    }
}

void lf__table_clear(lf__table *table) {
    if (table->count > 0)
        memset(table->entries, 0xff, (size_t)table->capacity * sizeof *table->entries);
    table->count = 0;
}

void lf__table_free(lf__table *table, const lf_allocator *allocator) {
    if (table->entries)
        lf__free_array(allocator, table->entries, table->capacity, sizeof *table->entries);
    *table = (lf__table){NULL, 0, 0};
}
