#define _GNU_SOURCE
#include "base/large.h"

// Sanitizers watch malloc: under them large blocks stay there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define WATCHED
#endif
#endif

#if defined(__linux__) && !defined(WATCHED)
#include <stdint.h>
#include <sys/mman.h>

/// A multiple of the page size of every system.
#define PAGES ((size_t)64 << 10)

bool lf__is_large(size_t size, size_t alignment) {
    return size >= LF__LARGE_SIZE && size <= PTRDIFF_MAX / 2 && alignment <= LF__LARGE_ALIGNMENT;
}

static size_t whole_pages(size_t size) {
    return (size + PAGES - 1) / PAGES * PAGES;
}

/// A wish: a system that does not grant it has merely smaller pages.
static void wish_huge(void *block, size_t size) {
    (void)madvise(block, size, MADV_HUGEPAGE);
}

/// Too much is asked for, then what lies before and behind an aligned block is given back.
void *lf__large_take(size_t size) {
    size_t bytes = whole_pages(size), asked = bytes + LF__LARGE_ALIGNMENT;
    char *base = mmap(NULL, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    size_t before = (LF__LARGE_ALIGNMENT - (uintptr_t)base % LF__LARGE_ALIGNMENT) % LF__LARGE_ALIGNMENT;
    size_t behind = asked - before - bytes;
    char *block = base + before;
    if (before > 0)
        munmap(base, before);
    if (behind > 0)
        munmap(block + bytes, behind);
    wish_huge(block, bytes);
    return block;
}

void lf__large_give(void *block, size_t size) {
    munmap(block, whole_pages(size));
}

/// The pages are moved, not their content.
static void *move(void *old, size_t old_bytes, size_t new_bytes) {
    void *target = lf__large_take(new_bytes);
    if (!target)
        return NULL;
    void *fresh = mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, target);
    if (fresh == MAP_FAILED) {
        munmap(target, new_bytes);
        return NULL;
    }
    wish_huge(fresh, new_bytes);
    return fresh;
}

void *lf__large_resize(void *old, size_t old_size, size_t new_size) {
    size_t old_bytes = whole_pages(old_size), new_bytes = whole_pages(new_size);
    if (new_bytes < old_bytes)
        munmap((char *)old + new_bytes, old_bytes - new_bytes);
    return new_bytes <= old_bytes ? old : move(old, old_bytes, new_bytes);
}

#else

bool lf__is_large(size_t size, size_t alignment) {
    (void)size, (void)alignment;
    return false;
}

void *lf__large_take(size_t size) {
    (void)size;
    return NULL;
}

void *lf__large_resize(void *old, size_t old_size, size_t new_size) {
    (void)old, (void)old_size, (void)new_size;
    return NULL;
}

void lf__large_give(void *block, size_t size) {
    (void)block, (void)size;
}
#endif
