/// Memory on disk: one unnamed mapped file per block.
#define _POSIX_C_SOURCE 200809L // close
#include "base/base.h"
#include "base/beside.h"
#include "base/system.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/// Bytes before each block, for what freeing it needs; a multiple of the page size of every system.
#define FRONT ((size_t)64 << 10)

typedef struct disk_front {
    int file;
    size_t bytes; ///< of the file
} disk_front;

struct lf_disk {
    lf_allocator allocator;
    lf_allocator plain;
    size_t from;
    char folder[];
};

static disk_front *disk_front_of(void *block) {
    return (disk_front *)(void *)((char *)block - FRONT);
}

/// Grow the file and map it. Disk space is reserved first, because writing to a mapped file without it is a
/// bus error.
static void *disk_map_file(int file, size_t had, size_t size) {
    size_t bytes;
    if (!lf__size_add(size, FRONT, &bytes) || bytes > (size_t)PTRDIFF_MAX)
        return NULL;
    void *base = lf__file_map(file, had, bytes);
    if (!base)
        return NULL;
    *(disk_front *)base = (disk_front){file, bytes};
    return (char *)base + FRONT;
}

static void *disk_allocate(const lf_disk *disk, size_t size) {
    int file = lf__nameless_open(disk->folder);
    if (file < 0)
        return NULL;
    void *block = disk_map_file(file, 0, size);
    if (!block)
        close(file);
    return block;
}

static void disk_free(void *block) {
    disk_front f = *disk_front_of(block);
    lf__file_unmap(disk_front_of(block), f.bytes);
    close(f.file);
}

/// Map the file again with its new size; nothing is copied. A smaller block keeps its disk space.
static void *disk_remap(void *old, size_t size) {
    disk_front f = *disk_front_of(old);
    void *fresh = disk_map_file(f.file, f.bytes, size);
    if (!fresh)
        return NULL;
    disk_front_of(fresh)->bytes = size + FRONT;
    lf__file_unmap(disk_front_of(old), f.bytes);
    return fresh;
}

static void *disk_allocate_any(const lf_disk *disk, size_t size, size_t alignment) {
    return size >= disk->from ? disk_allocate(disk, size) : lf__allocate(&disk->plain, size, alignment);
}

static void disk_free_any(const lf_disk *disk, void *block, size_t size, size_t alignment) {
    if (block && size >= disk->from)
        disk_free(block);
    else
        lf__free(&disk->plain, block, size, alignment);
}

static void *disk_resize(void *user, void *old, size_t old_size, size_t new_size, size_t alignment) {
    const lf_disk *disk = user;
    if (new_size == 0) {
        disk_free_any(disk, old, old_size, alignment);
        return NULL;
    }
    if (!old)
        return disk_allocate_any(disk, new_size, alignment);
    if (old_size >= disk->from && new_size >= disk->from)
        return disk_remap(old, new_size);
    if (old_size < disk->from && new_size < disk->from)
        return disk->plain.resize(disk->plain.user, old, old_size, new_size, alignment);
    void *fresh = disk_allocate_any(disk, new_size, alignment);
    if (fresh) {
        memcpy(fresh, old, old_size < new_size ? old_size : new_size);
        disk_free_any(disk, old, old_size, alignment);
    }
    return fresh;
}

lf_status lf_disk_open(const char *folder, size_t from, lf_disk **disk, lf_error *error) {
    if (!folder || !*folder || !disk || from == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "folder or disk is NULL or empty, or from is 0");
    lf_allocator plain = lf__allocator_of(NULL);
    size_t length = strlen(folder);
    lf_disk *fresh = lf__allocate(&plain, sizeof *fresh + length + 1, _Alignof(lf_disk));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_disk){{fresh, disk_resize}, plain, from};
    memcpy(fresh->folder, folder, length + 1);
    int file = lf__nameless_open(fresh->folder);
    if (file < 0) {
        lf__fail(error, LF_IO_FAILED, -1, "%s: %s", folder, strerror(errno));
        lf_disk_close(fresh);
        return LF_IO_FAILED;
    }
    close(file);
    *disk = fresh;
    return LF_OK;
}

const lf_allocator *lf_disk_allocator(const lf_disk *disk) {
    return &disk->allocator;
}

void lf_disk_close(lf_disk *disk) {
    if (!disk)
        return;
    lf_allocator plain = disk->plain;
    lf__free(&plain, disk, sizeof *disk + strlen(disk->folder) + 1, _Alignof(lf_disk));
}
