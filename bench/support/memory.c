/// An allocator that counts what landfall takes.
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

static void *take(const bench_memory *memory, size_t size, size_t alignment) {
    bool huge = memory->huge && size >= HUGE_PAGE;
    alignment = huge ? HUGE_PAGE : alignment;
    alignment = alignment < sizeof(void *) ? sizeof(void *) : alignment;
    void *block;
    if (posix_memalign(&block, alignment, size) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (huge)
        madvise(block, size, MADV_HUGEPAGE); // a wish: without it the block is merely slower
#endif
    return block;
}

static void *resize(void *user, void *old, size_t old_size, size_t new_size, size_t alignment) {
    bench_memory *memory = user;
    void *block = NULL;
    if (new_size) {
        block = take(memory, new_size, alignment);
        if (!block)
            return NULL;
        memory->bytes += (int64_t)new_size;
        memory->peak = memory->bytes > memory->peak ? memory->bytes : memory->peak;
    }
    if (old) {
        if (block)
            memcpy(block, old, old_size < new_size ? old_size : new_size);
        free(old);
        memory->bytes -= (int64_t)old_size;
    }
    return block;
}

void bench_memory_start(bench_memory *memory, bool huge) {
    memory->allocator.user = memory;
    memory->allocator.resize = resize;
    memory->bytes = 0;
    memory->peak = 0;
    memory->huge = huge;
}
