/// Errors, the host's callbacks and the default allocator. Libraries beside the core compile this file in as well,
/// because the core does not export it.
#include "base/base.h"
#include "base/system.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Errors and defs
// ---------------------------------------------------------------------------------------------------

lf_status lf__fail(lf_error *error, lf_status status, int64_t where, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->status = status;
        error->where = where;
        lf__format(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

lf_status lf__fail_plain(lf_error *error, lf_status status) {
    return lf__fail(error, status, -1, "%s", lf_status_text(status));
}

/// Whether sums and products round to the nearest double, one by one. Not so where the compiler contracts or reorders them
/// although arithmetic.h forbids it (clang with -ffp-contract=fast or -funsafe-math-optimizations), or where the host has set
/// another rounding mode.
static bool arithmetic_is_exact(void) {
    volatile double above = 1 + 0x1p-30, below = 1 - 0x1p-30, unit = 1, large = 0x1p53;
    double a = above, b = below, one = unit, big = large;
    return a * b - one == 0 && (big + one) - big == 0;
}

lf_status lf__def_read(void *full, size_t full_size, const void *given, lf_error *error) {
    size_t size = 0;
    if (!given)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "def is NULL");
    if (!arithmetic_is_exact())
        return lf__fail(error, LF_UNSUPPORTED, -1,
                        "sums and products do not round to the nearest double: the rounding mode of the "
                        "host, or compiler "
                        "flags such as -ffp-contract=fast");
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > full_size)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "def size is %zu, not within %zu..%zu", size, sizeof size,
                        full_size);
    memcpy(full, given, size);
    memcpy(full, &full_size, sizeof full_size);
    return LF_OK;
}

// ---------------------------------------------------------------------------------------------------
// The host's callbacks
// ---------------------------------------------------------------------------------------------------

void lf__run(const lf_tasks *tasks, int64_t count, int64_t grain, lf_task *task, void *job) {
    if (count <= 0)
        return;
    if (tasks && tasks->run && count > grain)
        tasks->run(tasks->user, count, grain, task, job);
    else
        task(job, 0, count, 0);
}

bool lf__report(const lf_host *host, const char *stage, int64_t done, int64_t total) {
    if (!host || !host->progress || !host->progress->report)
        return true;
    return host->progress->report(host->progress->user, stage, done, total);
}

void lf__log(const lf_host *host, lf_log_level level, const char *format, ...) {
    if (!host || !host->log || !host->log->write)
        return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    lf__format(text, sizeof text, format, arguments);
    va_end(arguments);
    host->log->write(host->log->user, level, text);
}

// ---------------------------------------------------------------------------------------------------
// The default allocator
// ---------------------------------------------------------------------------------------------------

#if !defined(LF__LARGE_BLOCKS)
bool lf__is_large(size_t size, size_t alignment) {
    (void)size, (void)alignment;
    return false;
}

void *lf__large_allocate(size_t size) {
    (void)size;
    return NULL;
}

void *lf__large_resize(void *old, size_t old_size, size_t new_size) {
    (void)old, (void)old_size, (void)new_size;
    return NULL;
}

void lf__large_free(void *block, size_t size) {
    (void)block, (void)size;
}
#endif

static void *default_allocate(size_t size, size_t alignment) {
    if (lf__is_large(size, alignment))
        return lf__large_allocate(size);
    if (alignment <= _Alignof(max_align_t))
        return malloc(size);
    size_t rounded;
    if (!lf__size_add(size, alignment - 1, &rounded))
        return NULL;
    return lf__aligned_allocate(rounded / alignment * alignment, alignment);
}

static void default_free(void *block, size_t size, size_t alignment) {
    if (block && lf__is_large(size, alignment))
        lf__large_free(block, size);
    else if (alignment > _Alignof(max_align_t))
        lf__aligned_free(block);
    else
        free(block);
}

static void *default_resize(void *user, void *old, size_t old_size, size_t new_size, size_t alignment) {
    (void)user;
    bool was_large = old && lf__is_large(old_size, alignment), is_large = lf__is_large(new_size, alignment);
    if (new_size == 0) {
        default_free(old, old_size, alignment);
        return NULL;
    }
    if (!old)
        return default_allocate(new_size, alignment);
    if (was_large && is_large)
        return lf__large_resize(old, old_size, new_size);
    if (!was_large && !is_large && alignment <= _Alignof(max_align_t))
        return realloc(old, new_size);
    void *fresh = default_allocate(new_size, alignment);
    if (fresh) {
        memcpy(fresh, old, old_size < new_size ? old_size : new_size);
        default_free(old, old_size, alignment);
    }
    return fresh;
}

lf_allocator lf__allocator_of(const lf_host *host) {
    if (host && host->allocator)
        return *host->allocator;
    return (lf_allocator){NULL, default_resize};
}

void lf__clear(void *block, size_t bytes) {
    memset(block, 0, bytes);
}

/// Arrays start on a cache line, so that kernels can load whole lines.
lf_status lf__allocate_array(const lf_allocator *allocator, int64_t count, size_t item, void **array) {
    size_t bytes;
    if (!lf__size_array(count > 0 ? count : 1, item, &bytes) || count < 0)
        return LF_TOO_LARGE;
    *array = lf__allocate(allocator, bytes, LF__CACHE_LINE);
    return *array ? LF_OK : LF_NO_MEMORY;
}

void lf__free_array(const lf_allocator *allocator, void *array, int64_t count, size_t item) {
    lf__free(allocator, array, (size_t)(count > 0 ? count : 1) * item, LF__CACHE_LINE);
}
