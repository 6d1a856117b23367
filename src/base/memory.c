#include "base/memory.h"
#include "base/large.h"
#include "base/size.h"
#include <stdlib.h>
#include <string.h>

static void *plain_take(size_t size, size_t alignment) {
    if (lf__is_large(size, alignment))
        return lf__large_take(size);
    if (alignment <= _Alignof(max_align_t))
        return malloc(size);
    size_t rounded;
    if (!lf__size_add(size, alignment - 1, &rounded))
        return NULL;
    return aligned_alloc(alignment, rounded / alignment * alignment);
}

static void plain_give(void *block, size_t size, size_t alignment) {
    if (block && lf__is_large(size, alignment))
        lf__large_give(block, size);
    else
        free(block);
}

static void *plain_resize(void *user, void *old, size_t old_size, size_t new_size, size_t alignment) {
    (void)user;
    bool was_large = old && lf__is_large(old_size, alignment), is_large = lf__is_large(new_size, alignment);
    if (new_size == 0) {
        plain_give(old, old_size, alignment);
        return NULL;
    }
    if (!old)
        return plain_take(new_size, alignment);
    if (was_large && is_large)
        return lf__large_resize(old, old_size, new_size);
    if (!was_large && !is_large && alignment <= _Alignof(max_align_t))
        return realloc(old, new_size);
    void *fresh = plain_take(new_size, alignment);
    if (fresh) {
        memcpy(fresh, old, old_size < new_size ? old_size : new_size);
        plain_give(old, old_size, alignment);
    }
    return fresh;
}

lf_allocator lf__allocator_of(const lf_host *host) {
    if (host && host->allocator)
        return *host->allocator;
    lf_allocator plain = {NULL, plain_resize};
    return plain;
}

/// Arrays start on a cache line so that kernels may load them whole.
lf_status lf__take_array(const lf_allocator *allocator, int64_t count, size_t item, void **array) {
    size_t bytes;
    if (!lf__size_array(count > 0 ? count : 1, item, &bytes) || count < 0)
        return LF_TOO_LARGE;
    *array = lf__take(allocator, bytes, LF__CACHE_LINE);
    return *array ? LF_OK : LF_NO_MEMORY;
}

void lf__give_array(const lf_allocator *allocator, void *array, int64_t count, size_t item) {
    lf__give(allocator, array, (size_t)(count > 0 ? count : 1) * item, LF__CACHE_LINE);
}
