#define _GNU_SOURCE // flock, O_TMPFILE
#include "base/beside.h"
#include "base/base.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE ((size_t)1 << 16)

static lf_status system_failure(lf_error *error, const char *path, int number) {
    return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(number));
}

/// Allocate the buffer and both paths; create_part fills in the second one.
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

/// The name of the part, with a number from the second attempt on.
static void name_attempt(lf__beside *beside, int attempt) {
    size_t length = strlen(beside->path);
    snprintf(beside->paths + length + 1, length + 1 + LF__PART_SPACE,
             attempt == 1 ? "%s" LF__PART : "%s" LF__PART "%d", beside->path, attempt);
}

/// Choose a temporary name next to the target: a file that exists already may belong to another writer.
static lf_status create_part(lf__beside *beside, lf_error *error) {
    size_t length = strlen(beside->path);
    char *part = beside->paths + length + 1;
    for (int attempt = 1; attempt <= LF__PART_TRIES; attempt++) {
        name_attempt(beside, attempt);
        beside->descriptor = open_part(part);
        if (beside->descriptor >= 0) {
            beside->part = part;
            return LF_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return system_failure(error, beside->path, errno);
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
        name_attempt(beside, attempt);
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

static lf_status open_place(lf__beside *beside, bool special, bool named, lf_error *error) {
    if (!special && !named && create_nameless(beside))
        return LF_OK;
    if (!special)
        return create_part(beside, error);
    beside->descriptor = open(beside->path, O_WRONLY | O_CLOEXEC);
    if (beside->descriptor < 0)
        return system_failure(error, beside->path, errno);
    return LF_OK;
}

static lf_status beside_start(lf__beside *beside, const char *path, const lf_host *host, bool named,
                              lf_error *error) {
    *beside = (lf__beside){.allocator = lf__allocator_of(host)};
    if (!path || !*path)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the path to write to is empty");
    struct stat about;
    char target[PATH_MAX];
    bool special = stat(path, &about) == 0 && !S_ISREG(about.st_mode);
    if (special && S_ISDIR(about.st_mode))
        return system_failure(error, path, EISDIR);
    if (!special && lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        if (!realpath(path, target))
            return system_failure(error, path, errno);
        path = target;
    }
    lf_status status = beside_allocate(beside, path, error);
    if (status == LF_OK)
        status = open_place(beside, special, named, error);
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
    while (size > 0 && beside->failure == 0) {
        ssize_t written = write(beside->descriptor, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            beside->failure = written < 0 ? errno : EIO;
            return;
        }
        data += written;
        size -= (size_t)written;
    }
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
    if (beside->failure == 0 && beside->part && fsync(beside->descriptor) != 0)
        beside->failure = errno;
    if (beside->failure == 0 && beside->nameless)
        beside->failure = name_part(beside);
    // Closed after the rename: until then the lock keeps other writers off. Data that is synced cannot fail
    // to close.
    if (beside->failure == 0 && beside->part && rename(beside->part, beside->path) != 0)
        beside->failure = errno;
    if (beside->failure != 0 && beside->part && !beside->nameless)
        unlink(beside->part);
    if (close(beside->descriptor) != 0 && beside->failure == 0 && !beside->part)
        beside->failure = errno;
    if (beside->failure != 0)
        status = system_failure(error, beside->path, beside->failure);
    beside->open = false;
    beside_free(beside);
    return status;
}

void lf__beside_abort(lf__beside *beside) {
    if (!beside->open)
        return;
    if (beside->part && !beside->nameless)
        unlink(beside->part);
    close(beside->descriptor);
    beside->open = false;
    beside_free(beside);
}
