/// Requests of any kind, from their first line on: "GET /path?query", a line with the type of the body, the body.
#include "fuzz.h"
#include "in_process.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static in_process here;
    static bool started;
    if (!started) {
        json_set_alloc_funcs(memory_take, memory_free);
        in_process_start(&here);
        started = true;
    }
    char *copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    copy[size] = '\0';
    char *line = strchr(copy, '\n'), *type = line ? line + 1 : NULL, *end = type ? strchr(type, '\n') : NULL;
    char *target = strchr(copy, ' ');
    if (line && end && target && target < line) {
        reply reply;
        *line = *end = *target++ = '\0';
        size_t used = (size_t)(end + 1 - copy), left = size - used;
        char *body = malloc(left ? left : 1); // of its own, so that reading past its end is seen
        if (body) {
            memcpy(body, end + 1, left);
            in_process_ask(&here, strcmp(copy, "POST") == 0 ? HTTP_POST : HTTP_GET, target, type, body, left,
                           &reply);
            if (reply.status < 200 || reply.status > 599)
                abort();
            reply_free(&reply);
        }
        free(body);
    }
    free(copy);
    return 0;
}
