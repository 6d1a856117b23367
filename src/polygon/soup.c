#include "polygon/soup.h"
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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
    for (int64_t i = 0; i < soup->only_count && !name->wanted; i++)
        name->wanted = strcmp(soup->only[i], lf__names_get(&soup->names, *number)) == 0;
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
            return lf__fail(error, LF_BAD_ARGUMENT, i, "nothing is called \"%.60s\": the file holds no names",
                            soup->only[i]);
        char list[140];
        list_names(&soup->names, list, sizeof list);
        return lf__fail(error, LF_BAD_ARGUMENT, i, "nothing is called \"%.60s\"; names: %s", soup->only[i],
                        list);
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
