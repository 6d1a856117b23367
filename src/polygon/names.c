#include "polygon/names.h"
#include <string.h>

static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash ^ (hash >> 29);
}

static const lf__name *entry(const lf__names *names, int64_t number) {
    return (const lf__name *)names->entries.items + number;
}

/// The slot that holds a name or, when it is not there, the empty one where it belongs.
static int64_t slot_of(const lf__names *names, const char *text, size_t length, uint64_t hash) {
    const char *letters = names->letters.items;
    int64_t slot = (int64_t)(hash & (uint64_t)(names->slot_count - 1));
    for (;; slot = (slot + 1) & (names->slot_count - 1)) {
        int64_t number = names->slots[slot];
        if (number < 0)
            return slot;
        const lf__name *name = entry(names, number);
        if (name->hash == hash && strncmp(letters + name->start, text, length) == 0 &&
            letters[name->start + (int64_t)length] == 0)
            return slot;
    }
}

/// Keep at least half of the slots empty.
static lf_status grow_slots(lf__names *names, const lf_allocator *allocator) {
    if (2 * (names->entries.count + 1) <= names->slot_count)
        return LF_OK;
    lf__names larger = *names;
    larger.slot_count = names->slot_count > 0 ? 2 * names->slot_count : 16;
    void *slots;
    lf_status status = lf__take_array(allocator, larger.slot_count, sizeof *larger.slots, &slots);
    if (status != LF_OK)
        return status;
    larger.slots = slots;
    memset(slots, 0xff, (size_t)larger.slot_count * sizeof *larger.slots);
    const char *letters = names->letters.items;
    for (int64_t i = 0; i < names->entries.count; i++) {
        const char *text = letters + entry(names, i)->start;
        larger.slots[slot_of(&larger, text, strlen(text), entry(names, i)->hash)] = i;
    }
    lf__give_array(allocator, names->slots, names->slot_count, sizeof *names->slots);
    *names = larger;
    return LF_OK;
}

lf_status lf__names_add(lf__names *names, const lf_allocator *allocator, const char *text, size_t length,
                        int64_t *number) {
    const char *zero = length > 0 ? memchr(text, 0, length) : NULL;
    length = zero ? (size_t)(zero - text) : length;
    lf_status status = grow_slots(names, allocator);
    if (status != LF_OK)
        return status;
    uint64_t hash = hash_of(text, length);
    int64_t slot = slot_of(names, text, length, hash);
    *number = names->slots[slot];
    if (*number >= 0)
        return LF_OK;
    status = lf__array_reserve(&names->letters, allocator, (int64_t)length + 1, 1);
    if (status == LF_OK)
        status = lf__array_reserve(&names->entries, allocator, 1, sizeof(lf__name));
    if (status != LF_OK)
        return status;
    char *letters = (char *)names->letters.items + names->letters.count;
    memcpy(letters, text, length);
    letters[length] = 0;
    *number = names->entries.count++;
    ((lf__name *)names->entries.items)[*number] = (lf__name){names->letters.count, hash, false};
    names->letters.count += (int64_t)length + 1;
    names->slots[slot] = *number;
    return LF_OK;
}

int64_t lf__names_find(const lf__names *names, const char *text) {
    if (names->slot_count == 0)
        return -1;
    size_t length = strlen(text);
    return names->slots[slot_of(names, text, length, hash_of(text, length))];
}

const char *lf__names_get(const lf__names *names, int64_t number) {
    if (number < 0 || number >= names->entries.count)
        return NULL;
    return (const char *)names->letters.items + entry(names, number)->start;
}

void lf__names_free(lf__names *names, const lf_allocator *allocator) {
    lf__array_free(&names->letters, allocator, 1);
    lf__array_free(&names->entries, allocator, sizeof(lf__name));
    lf__give_array(allocator, names->slots, names->slot_count, sizeof *names->slots);
    *names = (lf__names){0};
}
