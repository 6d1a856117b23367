/// Output of libraries that create files by themselves, perhaps several: in a folder beside the target, moved
/// out at the end.
#define _XOPEN_SOURCE 700
#include "base/base.h"
#include "base/beside.h"
#include "raster/raster.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static lf_status folder_failure(lf_error *error, const char *path, int number) {
    return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(number));
}

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void free_texts(lf__folder *folder) {
    lf__free(&folder->allocator, folder->texts, folder->texts_size, 1);
    folder->texts = NULL;
    folder->path = folder->folder = folder->inside = NULL;
}

static bool is_entry(const char *name) {
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void empty_folder(const char *path) {
    DIR *list = opendir(path);
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (is_entry(entry->d_name))
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
}

/// Create the folder, or take over and empty one that a killed writer left. Returns its descriptor, or -1.
static int open_folder(const char *part) {
    bool fresh = mkdir(part, 0777) == 0;
    if (!fresh && errno != EEXIST)
        return -1;
    int descriptor = open(part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor >= 0 && lf__part_claim(descriptor, part, fresh)) {
        empty_folder(part);
        return descriptor;
    }
    if (descriptor >= 0)
        close(descriptor);
    errno = EEXIST;
    return -1;
}

/// Find a name for the folder: one that exists may belong to another writer.
static lf_status make_folder(lf__folder *folder, lf_error *error) {
    size_t length = strlen(folder->path), capacity = length + LF__PART_SPACE;
    char *part = folder->texts + length + 1, *inside = part + capacity;
    memcpy(part, folder->path, length);
    for (int attempt = 1; attempt <= LF__PART_TRIES; attempt++) {
        snprintf(part + length, LF__PART_SPACE, attempt == 1 ? LF__PART : LF__PART "%d", attempt);
        folder->descriptor = open_folder(part);
        if (folder->descriptor >= 0) {
            size_t used = strlen(part);
            memcpy(inside, part, used);
            inside[used] = '/';
            memcpy(inside + used + 1, name_of(folder->path), strlen(name_of(folder->path)) + 1);
            folder->folder = part;
            folder->inside = inside;
            return LF_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return folder_failure(error, folder->path, errno);
}

lf_status lf__folder_open(lf__folder *folder, const char *path, const lf_host *host, lf_error *error) {
    *folder = (lf__folder){.allocator = lf__allocator_of(host)};
    struct stat about;
    char target[PATH_MAX];
    if (!path || !*path)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "the path to write to is empty");
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        if (S_ISDIR(about.st_mode))
            return folder_failure(error, path, EISDIR);
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: a raster cannot be written to a device or a pipe",
                        path);
    }
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode)) {
        if (!realpath(path, target))
            return folder_failure(error, path, errno);
        path = target;
    }
    size_t length = strlen(path), size;
    if (!lf__size_mul(length + LF__PART_SPACE, 4, &size))
        return lf__fail_plain(error, LF_TOO_LARGE);
    folder->texts = lf__allocate(&folder->allocator, size, 1);
    if (!folder->texts)
        return lf__fail_plain(error, LF_NO_MEMORY);
    folder->texts_size = size;
    memcpy(folder->texts, path, length + 1);
    folder->path = folder->texts;
    lf_status status = make_folder(folder, error);
    if (status != LF_OK)
        free_texts(folder);
    folder->open = status == LF_OK;
    return status;
}

/// The content must be on the disk before the name is. Returns 0 or errno.
static int sync_file(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int fault = file < 0 || fsync(file) != 0 ? errno : 0;
    if (file >= 0)
        close(file);
    return fault;
}

/// The target of a file of the folder, beside the named one. False when that is too long.
static bool target_path(const lf__folder *folder, const char *name, char to[PATH_MAX]) {
    int length = (int)(name_of(folder->path) - folder->path);
    int made = snprintf(to, PATH_MAX, "%.*s%s", length, folder->path, name);
    return made >= 0 && made < PATH_MAX;
}

/// Move one file of the folder beside the named one.
static int move_file(const lf__folder *folder, const char *name) {
    char from[PATH_MAX], to[PATH_MAX];
    int used = snprintf(from, sizeof from, "%s/%s", folder->folder, name);
    if (used < 0 || (size_t)used >= sizeof from || !target_path(folder, name, to))
        return ENAMETOOLONG;
    int fault = sync_file(from);
    return fault ? fault : rename(from, to) != 0 ? errno : 0;
}

static lf_status check_replacements(const lf__folder *folder, lf__folder_may_replace *may_replace, void *user,
                                    lf_error *error) {
    lf_status status = LF_OK;
    DIR *list = opendir(folder->folder);
    for (struct dirent *entry; list && status == LF_OK && (entry = readdir(list));) {
        char to[PATH_MAX];
        if (is_entry(entry->d_name) && target_path(folder, entry->d_name, to) && access(to, F_OK) == 0 &&
            !may_replace(user, to))
            status = lf__fail(error, LF_BAD_ARGUMENT, -1,
                              "%s: writing it would replace %s, which is an input", folder->path, to);
    }
    if (list)
        closedir(list);
    return status;
}

lf_status lf__folder_commit(lf__folder *folder, lf__folder_may_replace *may_replace, void *user,
                            lf_error *error) {
    const char *main_name = name_of(folder->path);
    lf_status asked = may_replace ? check_replacements(folder, may_replace, user, error) : LF_OK;
    if (asked != LF_OK)
        return asked;
    DIR *list = opendir(folder->folder);
    int fault = list ? 0 : errno;
    for (struct dirent *entry; list && fault == 0 && (entry = readdir(list));)
        if (is_entry(entry->d_name) && strcmp(entry->d_name, main_name) != 0)
            fault = move_file(folder, entry->d_name);
    if (list)
        closedir(list);
    if (fault == 0)
        fault = move_file(folder, main_name);
    lf_status status = fault ? folder_failure(error, folder->path, fault) : LF_OK;
    lf__folder_abort(folder);
    return status;
}

void lf__folder_abort(lf__folder *folder) {
    if (!folder->open)
        return;
    empty_folder(folder->folder);
    rmdir(folder->folder);
    close(folder->descriptor);
    folder->open = false;
    free_texts(folder);
}
