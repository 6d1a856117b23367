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
    uint64_t hash = 0;
    for (size_t i = 0; i < length; i++)
        hash = lf__table_hash(hash, (unsigned char)text[i]);
    return hash;
}

static const lf__name *name_entry(const lf__names *names, int64_t number) {
    return (const lf__name *)names->entries.items + number;
}

/// The number of a name with this hash; -1 when it is unknown.
static int64_t name_number(const lf__names *names, const char *text, size_t length, uint64_t hash) {
    const char *letters = names->letters.items;
    const lf__table_entry *entry = lf__table_find(&names->table, hash);
    for (; entry; entry = lf__table_next(&names->table, entry)) {
        const lf__name *name = name_entry(names, (int64_t)entry->value);
        if (strncmp(letters + name->start, text, length) == 0 && letters[name->start + (int64_t)length] == 0)
            return (int64_t)entry->value;
    }
    return -1;
}

lf_status lf__names_add(lf__names *names, const lf_allocator *allocator, const char *text, size_t length,
                        int64_t *number) {
    const char *zero = length > 0 ? memchr(text, 0, length) : NULL;
    length = zero ? (size_t)(zero - text) : length;
    uint64_t hash = hash_name(text, length);
    *number = name_number(names, text, length, hash);
    if (*number >= 0)
        return LF_OK;
    lf_status status = lf__table_reserve(&names->table, allocator, 1);
    if (status == LF_OK)
        status = lf__array_reserve(&names->letters, allocator, (int64_t)length + 1, 1);
    if (status == LF_OK)
        status = lf__array_reserve(&names->entries, allocator, 1, sizeof(lf__name));
    if (status != LF_OK)
        return status;
    char *letters = (char *)names->letters.items + names->letters.count;
    memcpy(letters, text, length);
    letters[length] = 0;
    *number = names->entries.count++;
    ((lf__name *)names->entries.items)[*number] = (lf__name){names->letters.count, false};
    names->letters.count += (int64_t)length + 1;
    lf__table_add(&names->table, hash, (uint64_t)*number);
    return LF_OK;
}

int64_t lf__names_find(const lf__names *names, const char *text) {
    size_t length = strlen(text);
    return name_number(names, text, length, hash_name(text, length));
}

const char *lf__names_get(const lf__names *names, int64_t number) {
    if (number < 0 || number >= names->entries.count)
        return NULL;
    return (const char *)names->letters.items + name_entry(names, number)->start;
}

void lf__names_free(lf__names *names, const lf_allocator *allocator) {
    lf__array_free(&names->letters, allocator, 1);
    lf__array_free(&names->entries, allocator, sizeof(lf__name));
    lf__table_free(&names->table, allocator);
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
// Joining vertices at the same place
// ---------------------------------------------------------------------------------------------------

/// Move the first vertex of every place to the front, and store the new number of each old vertex. The table has space.
static int64_t number_places(lf_vec3 *vertices, int64_t count, lf__table *table, int64_t *numbers) {
    int64_t places = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t hash = lf__place_hash(vertices[i]);
        const lf__table_entry *entry = lf__table_find(table, hash);
        while (entry && !lf__place_same(vertices[entry->value], vertices[i]))
            entry = lf__table_next(table, entry);
        numbers[i] = entry ? (int64_t)entry->value : places;
        if (!entry) {
            lf__table_add(table, hash, (uint64_t)places);
            vertices[places++] = vertices[i];
        }
    }
    return places;
}

lf_status lf__soup_weld(lf__soup *soup, lf_error *error) {
    int64_t count = soup->vertices.count;
    lf__table table = {0};
    void *numbers = NULL;
    lf_status status = lf__table_reserve(&table, &soup->allocator, count);
    if (status == LF_OK)
        status = lf__allocate_array(&soup->allocator, count, sizeof(int64_t), &numbers);
    if (status == LF_OK) {
        soup->vertices.count = number_places(soup->vertices.items, count, &table, numbers);
        int64_t *corners = soup->corners.items;
        for (int64_t i = 0; i < soup->corners.count; i++)
            corners[i] = ((const int64_t *)numbers)[corners[i]];
    }
    lf__free_array(&soup->allocator, numbers, count, sizeof(int64_t));
    lf__table_free(&table, &soup->allocator);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}
