/// Polygons while they are read: names, arrays, and vertices at the same place joined.
#include "polygon/polygon.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Names
// ---------------------------------------------------------------------------------------------------

static uint64_t hash_name(const char *text, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash ^ (hash >> 29);
}

static const lf__name *name_entry(const lf__names *names, int64_t number) {
    return (const lf__name *)names->entries.items + number;
}

/// The slot that holds a name or, when it is missing, the empty one for it.
static int64_t name_slot(const lf__names *names, const char *text, size_t length, uint64_t hash) {
    const char *letters = names->letters.items;
    int64_t slot = (int64_t)(hash & (uint64_t)(names->slot_count - 1));
    for (;; slot = (slot + 1) & (names->slot_count - 1)) {
        int64_t number = names->slots[slot];
        if (number < 0)
            return slot;
        const lf__name *name = name_entry(names, number);
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
    lf_status status = lf__allocate_array(allocator, larger.slot_count, sizeof *larger.slots, &slots);
    if (status != LF_OK)
        return status;
    larger.slots = slots;
    memset(slots, 0xff, (size_t)larger.slot_count * sizeof *larger.slots);
    const char *letters = names->letters.items;
    for (int64_t i = 0; i < names->entries.count; i++) {
        const char *text = letters + name_entry(names, i)->start;
        larger.slots[name_slot(&larger, text, strlen(text), name_entry(names, i)->hash)] = i;
    }
    lf__free_array(allocator, names->slots, names->slot_count, sizeof *names->slots);
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
    uint64_t hash = hash_name(text, length);
    int64_t slot = name_slot(names, text, length, hash);
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
    return names->slots[name_slot(names, text, length, hash_name(text, length))];
}

const char *lf__names_get(const lf__names *names, int64_t number) {
    if (number < 0 || number >= names->entries.count)
        return NULL;
    return (const char *)names->letters.items + name_entry(names, number)->start;
}

void lf__names_free(lf__names *names, const lf_allocator *allocator) {
    lf__array_free(&names->letters, allocator, 1);
    lf__array_free(&names->entries, allocator, sizeof(lf__name));
    lf__free_array(allocator, names->slots, names->slot_count, sizeof *names->slots);
    *names = (lf__names){0};
}

// ---------------------------------------------------------------------------------------------------
// Polygons
// ---------------------------------------------------------------------------------------------------

lf_status lf__soup_start(lf__soup *soup, const lf_host *host, const char *const *only, int64_t only_count,
                         lf_error *error) {
    *soup = (lf__soup){.host = host, .allocator = lf__allocator_of(host)};
    soup->only = only_count > 0 ? only : NULL;
    soup->only_count = only_count;
    lf_status status = lf__array_reserve(&soup->starts, &soup->allocator, 1, sizeof(int64_t));
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    *(int64_t *)soup->starts.items = 0;
    soup->starts.count = 1;
    return LF_OK;
}

void lf__soup_free(lf__soup *soup) {
    lf__names_free(&soup->names, &soup->allocator);
    lf__array_free(&soup->users, &soup->allocator, sizeof(uint64_t));
    lf__array_free(&soup->starts, &soup->allocator, sizeof(int64_t));
    lf__array_free(&soup->corners, &soup->allocator, sizeof(int64_t));
    lf__array_free(&soup->vertices, &soup->allocator, sizeof(lf_vec3));
}

lf_status lf__soup_reserve(lf__soup *soup, int64_t vertices, int64_t polygons, int64_t corners,
                           lf_error *error) {
    lf_status status = lf__array_reserve(&soup->vertices, &soup->allocator, vertices, sizeof(lf_vec3));
    if (status == LF_OK)
        status = lf__array_reserve(&soup->starts, &soup->allocator, polygons, sizeof(int64_t));
    if (status == LF_OK)
        status = lf__array_reserve(&soup->users, &soup->allocator, polygons, sizeof(uint64_t));
    if (status == LF_OK)
        status = lf__array_reserve(&soup->corners, &soup->allocator, corners, sizeof(int64_t));
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

lf_status lf__soup_close(lf__soup *soup, uint64_t user, bool keep) {
    lf_status status = lf__array_reserve(&soup->starts, &soup->allocator, 1, sizeof(int64_t));
    if (status == LF_OK)
        status = lf__array_reserve(&soup->users, &soup->allocator, 1, sizeof(uint64_t));
    if (status != LF_OK)
        return status;
    int64_t *starts = soup->starts.items;
    int64_t start = starts[soup->starts.count - 1];
    bool thin = soup->corners.count - start < 3;
    if (thin || !keep) {
        soup->corners.count = start;
        soup->dropped_count += thin && keep;
        return LF_OK;
    }
    starts[soup->starts.count++] = soup->corners.count;
    ((uint64_t *)soup->users.items)[soup->users.count++] = user;
    return LF_OK;
}

lf_status lf__soup_name(lf__soup *soup, const char *text, size_t length, int64_t *number) {
    int64_t before = soup->names.entries.count;
    lf_status status = lf__names_add(&soup->names, &soup->allocator, text, length, number);
    if (status != LF_OK || *number < before)
        return status;
    lf__name *name = (lf__name *)soup->names.entries.items + *number;
    for (int64_t i = 0; i < soup->only_count && !name->requested; i++)
        name->requested = strcmp(soup->only[i], lf__names_get(&soup->names, *number)) == 0;
    return LF_OK;
}

/// As many names as fit, separated by commas.
static void list_names(const lf__names *names, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (int64_t i = 0; i < names->entries.count; i++) {
        const char *name = lf__names_get(names, i);
        size_t length = strlen(name);
        if (used + length + 2 + 20 > size) {
            snprintf(text + used, size - used, "%sand %" PRId64 " more", i ? ", " : "",
                     names->entries.count - i);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", name);
    }
}

lf_status lf__soup_check_names(const lf__soup *soup, lf_error *error) {
    for (int64_t i = 0; i < soup->only_count; i++) {
        if (lf__names_find(&soup->names, soup->only[i]) >= 0)
            continue;
        if (soup->names.entries.count == 0)
            return lf__fail(error, LF_BAD_ARGUMENT, i,
                            "no object, group or material \"%.60s\": the file has no names", soup->only[i]);
        char list[140];
        list_names(&soup->names, list, sizeof list);
        return lf__fail(error, LF_BAD_ARGUMENT, i, "no object, group or material \"%.60s\"; names: %s",
                        soup->only[i], list);
    }
    return LF_OK;
}

double lf__soup_largest(const lf__soup *soup) {
    const lf_vec3 *vertices = soup->vertices.items;
    double largest = 0;
    for (int64_t i = 0; i < soup->vertices.count; i++) {
        largest = fmax(largest, fabs(vertices[i].x));
        largest = fmax(largest, fabs(vertices[i].y));
        largest = fmax(largest, fabs(vertices[i].z));
    }
    return largest;
}

lf_status lf__soup_report(const lf__soup *soup, int64_t done, int64_t total, lf_error *error) {
    return lf__report(soup->host, "read", done, total) ? LF_OK : lf__fail_plain(error, LF_CANCELLED);
}

/// Half a unit in the last of so many bits.
static double half_step(double magnitude, int bits) {
    int exponent;
    if (frexp(magnitude, &exponent) == 0)
        return 0;
    return ldexp(0.5, exponent - bits);
}

double lf__half_step_double(double magnitude) {
    return half_step(magnitude, DBL_MANT_DIG);
}

double lf__half_step_single(double magnitude) {
    return half_step(magnitude, FLT_MANT_DIG);
}

// ---------------------------------------------------------------------------------------------------
// Joining vertices at the same place: a hash table on the bits of the coordinates
// ---------------------------------------------------------------------------------------------------

/// -0 and 0 are the same place.
static uint64_t hash_place(lf_vec3 p) {
    double values[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
    uint64_t bits[3], hash = 0;
    memcpy(bits, values, sizeof bits);
    for (int i = 0; i < 3; i++) {
        hash = (hash ^ bits[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool same_place(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Move the first vertex of every place to the front, and store the new number of each old vertex.
static int64_t number_places(lf_vec3 *vertices, int64_t count, int64_t *slots, uint64_t mask,
                             int64_t *numbers) {
    int64_t places = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t slot = hash_place(vertices[i]) & mask;
        while (slots[slot] >= 0 && !same_place(vertices[slots[slot]], vertices[i]))
            slot = (slot + 1) & mask;
        if (slots[slot] < 0) {
            slots[slot] = places;
            vertices[places++] = vertices[i];
        }
        numbers[i] = slots[slot];
    }
    return places;
}

lf_status lf__soup_weld(lf__soup *soup, lf_error *error) {
    int64_t count = soup->vertices.count, slot_count = 16;
    while (slot_count < 2 * count)
        slot_count *= 2;
    void *slots = NULL, *numbers = NULL;
    lf_status status = lf__allocate_array(&soup->allocator, slot_count, sizeof(int64_t), &slots);
    if (status == LF_OK)
        status = lf__allocate_array(&soup->allocator, count, sizeof(int64_t), &numbers);
    if (status == LF_OK) {
        memset(slots, 0xff, (size_t)slot_count * sizeof(int64_t));
        soup->vertices.count =
            number_places(soup->vertices.items, count, slots, (uint64_t)slot_count - 1, numbers);
        int64_t *corners = soup->corners.items;
        for (int64_t i = 0; i < soup->corners.count; i++)
            corners[i] = ((const int64_t *)numbers)[corners[i]];
    }
    lf__free_array(&soup->allocator, numbers, count, sizeof(int64_t));
    lf__free_array(&soup->allocator, slots, slot_count, sizeof(int64_t));
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}
