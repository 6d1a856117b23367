/// Memory through the host's allocator.
#ifndef LF_BASE_MEMORY_H
#define LF_BASE_MEMORY_H

#include <landfall/base.h>

#define LF__CACHE_LINE 64

/// The host's allocator, or the plain one on malloc when there is none.
lf_allocator lf__allocator_of(const lf_host *host);

/// `bytes` > 0 of memory at that alignment (a power of two); NULL when there is none.
static inline void *lf__take(const lf_allocator *allocator, size_t bytes, size_t alignment) {
    return allocator->resize(allocator->user, NULL, 0, bytes, alignment);
}

/// Give a block back, with the size and alignment it was taken with; NULL is fine.
static inline void lf__give(const lf_allocator *allocator, void *block, size_t bytes, size_t alignment) {
    if (block)
        allocator->resize(allocator->user, block, bytes, 0, alignment);
}

/// An array of `count` items (0 gives room for one); status says whether size or memory was the matter.
/// Freed with lf__give_array and the same count.
lf_status lf__take_array(const lf_allocator *allocator, int64_t count, size_t item, void **array);
void lf__give_array(const lf_allocator *allocator, void *array, int64_t count, size_t item);

#endif
