/// What must hold for anything that a polygon reader accepts.
#ifndef LF_TESTS_SOUP_CHECK_H
#define LF_TESTS_SOUP_CHECK_H

#include "fuzz.h"
#include "polygon/polygon.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef lf_status soup_reader(const void *data, size_t size, lf__soup *soup, lf_error *error);

static inline void soup_check(const lf__soup *soup) {
    const int64_t *starts = soup->starts.items, *corners = soup->corners.items;
    const lf_vec3 *vertices = soup->vertices.items;
    int64_t count = lf__soup_polygon_count(soup);
    FUZZ_HOLDS(count >= 0 && soup->users.count == count && starts[0] == 0);
    FUZZ_HOLDS(starts[count] == soup->corners.count);
    for (int64_t i = 0; i < soup->vertices.count; i++)
        FUZZ_HOLDS(lf_vec3_finite(vertices[i]));
    for (int64_t i = 0; i < count; i++)
        FUZZ_HOLDS(starts[i + 1] - starts[i] >= 3);
    for (int64_t i = 0; i < soup->corners.count; i++)
        FUZZ_HOLDS(corners[i] >= 0 && corners[i] < soup->vertices.count);
    for (int64_t i = 0; i < soup->names.entries.count; i++)
        FUZZ_HOLDS(lf__names_find(&soup->names, lf__names_get(&soup->names, i)) == i);
}

/// Read, check, clean up, check again. A refusal has a message.
static inline int soup_fuzz(soup_reader *reader, const uint8_t *data, size_t size) {
    lf__soup soup;
    lf_error error = {LF_OK, -1, ""};
    FUZZ_HOLDS(lf__soup_start(&soup, NULL, NULL, 0, &error) == LF_OK);
    lf_status status = reader(data, size, &soup, &error);
    if (status == LF_OK) {
        soup_check(&soup);
        status = lf__soup_clean(&soup, 0.001, &error);
        if (status == LF_OK)
            soup_check(&soup);
    }
    FUZZ_HOLDS(status == LF_OK || (error.status == status && strlen(error.text) > 0));
    lf__soup_free(&soup);
    return 0;
}

#endif
