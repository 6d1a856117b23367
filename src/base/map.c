#define _POSIX_C_SOURCE 200809L
#include "base/base.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/// Mapping takes address space only: where that is limited, say how much of it the file takes.
static lf_status map_failure(const char *path, size_t size, int number, lf_error *error) {
    if (number != ENOMEM)
        return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(number));
    return lf__fail(error, LF_NO_MEMORY, -1,
                    "%s: no address space to map its %zu bytes (limited by ulimit -v?)", path, size);
}

static lf_status map_descriptor(int file, const char *path, lf_map *map, lf_error *error) {
    struct stat about;
    if (fstat(file, &about) != 0)
        return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return lf__fail(error, LF_IO_FAILED, -1, "%s: not a regular file", path);
    if ((uintmax_t)about.st_size > (uintmax_t)PTRDIFF_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "%s: too large to map", path);
    lf_map fresh = {NULL, (size_t)about.st_size};
    if (fresh.size > 0) {
        void *data = mmap(NULL, fresh.size, PROT_READ, MAP_PRIVATE, file, 0);
        if (data == MAP_FAILED)
            return map_failure(path, fresh.size, errno, error);
        fresh.data = data;
    }
    *map = fresh;
    return LF_OK;
}

lf_status lf_map_open(const char *path, lf_map *map, lf_error *error) {
    if (!path || !map)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or map is NULL");
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(errno));
    lf_status status = map_descriptor(file, path, map, error);
    close(file);
    return status;
}

void lf_map_close(lf_map *map) {
    if (!map)
        return;
    if (map->data)
        munmap((void *)(uintptr_t)map->data, map->size);
    map->data = NULL;
    map->size = 0;
}
