/// Text, time, locks and memory on POSIX systems.
#define _GNU_SOURCE // mremap, newlocale
#include "base/base.h"
#if !defined(_WIN32)
#include "base/system.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

void lf__format(char *text, size_t size, const char *format, va_list arguments) {
    locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), before = (locale_t)0;
    if (c_locale)
        before = uselocale(c_locale);
    vsnprintf(text, size, format, arguments);
    if (c_locale) {
        uselocale(before);
        freelocale(c_locale);
    }
}

double lf__clock(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool lf__mutex_create(lf__mutex *mutex) {
    return pthread_mutex_init(mutex, NULL) == 0;
}

void lf__mutex_destroy(lf__mutex *mutex) {
    pthread_mutex_destroy(mutex);
}

void lf__mutex_lock(lf__mutex *mutex) {
    pthread_mutex_lock(mutex);
}

void lf__mutex_unlock(lf__mutex *mutex) {
    pthread_mutex_unlock(mutex);
}

void *lf__aligned_allocate(size_t size, size_t alignment) {
    return aligned_alloc(alignment, size);
}

void lf__aligned_free(void *block) {
    free(block);
}

// ---------------------------------------------------------------------------------------------------
// Large blocks
// ---------------------------------------------------------------------------------------------------

#if defined(LF__LARGE_BLOCKS)

/// A multiple of the page size of every system.
#define LF__PAGES ((size_t)64 << 10)

bool lf__is_large(size_t size, size_t alignment) {
    return size >= LF__LARGE_SIZE && size <= PTRDIFF_MAX / 2 && alignment <= LF__LARGE_ALIGNMENT;
}

static size_t whole_pages(size_t size) {
    return (size + LF__PAGES - 1) / LF__PAGES * LF__PAGES;
}

/// Only a hint: without huge pages the block works, with more page lookups.
static void request_huge_pages(void *block, size_t size) {
    (void)madvise(block, size, MADV_HUGEPAGE);
}

/// Map more than needed, then unmap what is before and after the aligned block.
void *lf__large_allocate(size_t size) {
    size_t bytes = whole_pages(size), mapped = bytes + LF__LARGE_ALIGNMENT;
    char *base = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    size_t before = (LF__LARGE_ALIGNMENT - (uintptr_t)base % LF__LARGE_ALIGNMENT) % LF__LARGE_ALIGNMENT;
    size_t after = mapped - before - bytes;
    char *block = base + before;
    if (before > 0)
        munmap(base, before);
    if (after > 0)
        munmap(block + bytes, after);
    request_huge_pages(block, bytes);
    return block;
}

void lf__large_free(void *block, size_t size) {
    munmap(block, whole_pages(size));
}

/// Moves the mapping of the pages instead of copying their content.
static void *move_pages(void *old, size_t old_bytes, size_t new_bytes) {
    void *target = lf__large_allocate(new_bytes);
    if (!target)
        return NULL;
    void *fresh = mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, target);
    if (fresh == MAP_FAILED) {
        munmap(target, new_bytes);
        return NULL;
    }
    request_huge_pages(fresh, new_bytes);
    return fresh;
}

void *lf__large_resize(void *old, size_t old_size, size_t new_size) {
    size_t old_bytes = whole_pages(old_size), new_bytes = whole_pages(new_size);
    if (new_bytes < old_bytes)
        munmap((char *)old + new_bytes, old_bytes - new_bytes);
    return new_bytes <= old_bytes ? old : move_pages(old, old_bytes, new_bytes);
}

#endif

#if defined(__linux__)
void *lf__sparse_take(size_t bytes) {
    void *block =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        return NULL;
    (void)madvise(block, bytes, MADV_NOHUGEPAGE); // one written byte must not take 2 MB
    return block;
}

void lf__sparse_give(void *block, size_t bytes) {
    if (block)
        munmap(block, bytes);
}
#else
void *lf__sparse_take(size_t bytes) {
    return calloc(bytes, 1); // most systems map large blocks of zeros on demand
}

void lf__sparse_give(void *block, size_t bytes) {
    (void)bytes;
    free(block);
}
#endif

#endif
