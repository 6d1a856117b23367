/// Files on POSIX systems: mapping, unnamed files, temporary files that are locked and renamed.
#define _GNU_SOURCE // flock, O_TMPFILE, mkostemp
#include "base/base.h"
#if !defined(_WIN32)
#include "base/system.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------------
// Mapped files
// ---------------------------------------------------------------------------------------------------

/// Mapping needs address space only: where that is limited, the message says how much the file needs.
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

lf_status lf__view_open(const char *path, lf_map *map, lf_error *error) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(errno));
    lf_status status = map_descriptor(file, path, map, error);
    close(file);
    return status;
}

void lf__view_close(lf_map *map) {
    munmap((void *)(uintptr_t)map->data, map->size);
}

void *lf__file_map(int file, size_t had, size_t bytes) {
    int full;
    do
        full = bytes > had ? posix_fallocate(file, (off_t)had, (off_t)(bytes - had)) : 0;
    while (full == EINTR);
    void *base = full == 0 ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    return base == MAP_FAILED ? NULL : base;
}

void lf__file_unmap(void *base, size_t bytes) {
    munmap(base, bytes);
}

// ---------------------------------------------------------------------------------------------------
// Unnamed files
// ---------------------------------------------------------------------------------------------------

int lf__nameless_open(const char *folder) {
    char path[4096];
#ifdef O_TMPFILE
    int nameless = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (nameless >= 0)
        return nameless;
#endif
    // Not every file system has unnamed files: use a name for a moment.
    if (snprintf(path, sizeof path, "%s%s", folder, "/.landfall-XXXXXX") >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

int lf__nameless_beside(const char *path) {
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    if (slash && (size_t)(slash - path) + 2 > sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (slash) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
        folder[slash - path + 1] = '\0';
    }
    return lf__nameless_open(folder);
}

// ---------------------------------------------------------------------------------------------------
// Files beside their target
// ---------------------------------------------------------------------------------------------------

int lf__file_write(int file, const char *data, size_t size) {
    while (size > 0) {
        ssize_t written = write(file, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : EIO;
        data += written;
        size -= (size_t)written;
    }
    return 0;
}

int lf__destination_find(const char *path, lf__destination *target) {
    struct stat about;
    target->path = path;
    target->special = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    if (target->special)
        return S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode))
        return 0;
    target->path = target->resolved;
    return realpath(path, target->resolved) ? 0 : errno;
}

bool lf__part_claim(int descriptor, const char *part, bool fresh) {
    struct stat held, there;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && (!fresh || errno == EWOULDBLOCK))
        return false;
    return fstat(descriptor, &held) == 0 && lstat(part, &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

/// Open a temporary file of our own: a new one, or one that a killed writer left. Returns its descriptor, or -1.
static int open_part(const char *part) {
    int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool fresh = descriptor >= 0;
    if (!fresh && errno != EEXIST)
        return -1;
    if (!fresh)
        descriptor = open(part, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0 && lf__part_claim(descriptor, part, fresh) &&
        (fresh || ftruncate(descriptor, 0) == 0))
        return descriptor;
    if (descriptor >= 0)
        close(descriptor);
    errno = EEXIST;
    return -1;
}

/// Space for the path under which the system shows an open file.
#define LINK_SPACE 40

static void name_link(int descriptor, char link[LINK_SPACE]) {
    snprintf(link, LINK_SPACE, "/proc/self/fd/%d", descriptor);
}

/// Choose a temporary name next to the target: a file that exists already may belong to another writer. Returns 0 or errno.
static int create_part(lf__beside *beside) {
    size_t length = strlen(beside->path);
    char *part = beside->paths + length + 1;
    for (int attempt = 1; attempt <= LF__PART_TRIES; attempt++) {
        lf__part_name(beside, attempt);
        beside->descriptor = open_part(part);
        if (beside->descriptor >= 0) {
            beside->part = part;
            return 0;
        }
        if (errno != EEXIST)
            break;
    }
    return errno;
}

/// An unnamed file in the folder of the target, to be named later; false where the file system has none.
static bool create_nameless(lf__beside *beside) {
#ifdef O_TMPFILE
    char link[LINK_SPACE], folder[PATH_MAX];
    const char *slash = strrchr(beside->path, '/');
    int length = slash ? (int)(slash - beside->path) + 1 : 0;
    if (snprintf(folder, sizeof folder, "%.*s.", length, beside->path) >= (int)sizeof folder)
        return false;
    int descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return false;
    struct stat about;
    name_link(descriptor, link);
    if (stat(link, &about) == 0) {
        beside->descriptor = descriptor;
        beside->nameless = true;
        beside->part = beside->paths + strlen(beside->path) + 1;
        return true;
    }
    close(descriptor); // without /proc it could never get a name
#endif
    (void)beside;
    return false;
}

/// Remove the file that a killed writer left under a name: it is not locked.
static void clear_part(const char *part) {
    int left = open_part(part);
    if (left < 0)
        return;
    unlink(part);
    close(left);
}

/// Name a complete file, next to its target and locked, so that other writers leave it alone. Returns 0 or errno.
static int name_part(lf__beside *beside) {
    char link[LINK_SPACE];
    name_link(beside->descriptor, link);
    (void)flock(beside->descriptor, LOCK_EX | LOCK_NB); // without locks, no other writer relies on them
    for (int attempt = 1; attempt <= LF__PART_TRIES; attempt++) {
        lf__part_name(beside, attempt);
        for (int again = 0; again < 2; again++) {
            if (linkat(AT_FDCWD, link, AT_FDCWD, beside->part, AT_SYMLINK_FOLLOW) == 0) {
                beside->nameless = false;
                return 0;
            }
            if (errno != EEXIST)
                return errno;
            clear_part(beside->part);
        }
    }
    return EEXIST;
}

int lf__place_open(lf__beside *beside, bool special, bool named) {
    if (!special)
        return !named && create_nameless(beside) ? 0 : create_part(beside);
    beside->descriptor = open(beside->path, O_WRONLY | O_CLOEXEC);
    return beside->descriptor < 0 ? errno : 0;
}

/// Closed after the rename: until then the lock keeps other writers off. Data that is synced cannot fail to close.
int lf__place_finish(lf__beside *beside) {
    int failure = beside->failure;
    if (failure == 0 && beside->part && fsync(beside->descriptor) != 0)
        failure = errno;
    if (failure == 0 && beside->nameless)
        failure = name_part(beside);
    if (failure == 0 && beside->part && rename(beside->part, beside->path) != 0)
        failure = errno;
    if (failure != 0 && beside->part && !beside->nameless)
        unlink(beside->part);
    if (close(beside->descriptor) != 0 && failure == 0 && !beside->part)
        failure = errno;
    return failure;
}

void lf__place_discard(lf__beside *beside) {
    if (beside->part && !beside->nameless)
        unlink(beside->part);
    close(beside->descriptor);
}

#endif
