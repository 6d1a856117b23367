#include "base/beside.h"
#include "base/base.h"
#include "base/system.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BUFFER_SIZE ((size_t)1 << 16)

static lf_status system_failure(lf_error *error, const char *path, int number) {
    return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(number));
}

/// Allocate the buffer and both paths; lf__place_open fills in the second one.
static lf_status beside_allocate(lf__beside *beside, const char *path, lf_error *error) {
    size_t length = strlen(path), size;
    if (!lf__size_mul(length + 1, 2, &size) || !lf__size_add(size, LF__PART_SPACE, &size))
        return lf__fail_plain(error, LF_TOO_LARGE);
    beside->paths = lf__allocate(&beside->allocator, size, 1);
    beside->buffer = lf__allocate(&beside->allocator, BUFFER_SIZE, 1);
    beside->paths_size = size;
    if (!beside->paths || !beside->buffer)
        return lf__fail_plain(error, LF_NO_MEMORY);
    memcpy(beside->paths, path, length + 1);
    beside->path = beside->paths;
    return LF_OK;
}

static void beside_free(lf__beside *beside) {
    lf__free(&beside->allocator, beside->buffer, BUFFER_SIZE, 1);
    lf__free(&beside->allocator, beside->paths, beside->paths_size, 1);
    beside->buffer = beside->paths = NULL;
    beside->path = beside->part = NULL;
}

void lf__part_name(lf__beside *beside, int attempt) {
    size_t length = strlen(beside->path);
    snprintf(beside->paths + length + 1, length + 1 + LF__PART_SPACE,
             attempt == 1 ? "%s" LF__PART : "%s" LF__PART "%d", beside->path, attempt);
}

static lf_status beside_start(lf__beside *beside, const char *path, const lf_host *host, bool named,
                              lf_error *error) {
    *beside = (lf__beside){.allocator = lf__allocator_of(host)};
    if (!path || !*path)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the path to write to is empty");
    lf__destination target;
    int failure = lf__destination_find(path, &target);
    if (failure != 0)
        return system_failure(error, path, failure);
    lf_status status = beside_allocate(beside, target.path, error);
    if (status == LF_OK) {
        failure = lf__place_open(beside, target.special, named);
        status = failure == 0 ? LF_OK : system_failure(error, beside->path, failure);
    }
    if (status != LF_OK)
        beside_free(beside);
    beside->open = status == LF_OK;
    return status;
}

lf_status lf__beside_open(lf__beside *beside, const char *path, const lf_host *host, lf_error *error) {
    return beside_start(beside, path, host, false, error);
}

lf_status lf__beside_open_named(lf__beside *beside, const char *path, const lf_host *host, lf_error *error) {
    return beside_start(beside, path, host, true, error);
}

static void write_through(lf__beside *beside, const char *data, size_t size) {
    if (beside->failure == 0)
        beside->failure = lf__file_write(beside->descriptor, data, size);
}

bool lf__beside_write(lf__beside *beside, const void *data, size_t size) {
    if (beside->used + size > BUFFER_SIZE || size > BUFFER_SIZE) {
        write_through(beside, beside->buffer, beside->used);
        beside->used = 0;
    }
    if (size > BUFFER_SIZE) {
        write_through(beside, data, size);
    } else if (size > 0) {
        memcpy(beside->buffer + beside->used, data, size);
        beside->used += size;
    }
    return beside->failure == 0;
}

bool lf__beside_print(lf__beside *beside, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof text) {
        beside->failure = beside->failure ? beside->failure : EOVERFLOW;
        return false;
    }
    return lf__beside_write(beside, text, (size_t)length);
}

lf_status lf__beside_commit(lf__beside *beside, lf_error *error) {
    lf_status status = LF_OK;
    write_through(beside, beside->buffer, beside->used);
    int failure = lf__place_finish(beside);
    if (failure != 0)
        status = system_failure(error, beside->path, failure);
    beside->open = false;
    beside_free(beside);
    return status;
}

void lf__beside_abort(lf__beside *beside) {
    if (!beside->open)
        return;
    lf__place_discard(beside);
    beside->open = false;
    beside_free(beside);
}
