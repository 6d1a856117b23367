/// Files on Windows: mapping, temporary files that nobody else may open and that are renamed while they are open.
#include "base/base.h"
#if defined(_WIN32)
#include "base/system.h"
#include "base/windows.h"
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <string.h>

/// Space for a path in UTF-16.
#define WIDE_SPACE 4096

/// What the system says, in the words of the C library.
static int windows_failure(void) {
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_BAD_NETPATH:
        return ENOENT;
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
        return EINVAL;
    case ERROR_FILENAME_EXCED_RANGE:
        return ENAMETOOLONG;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
        return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_USER_MAPPED_FILE:
        return EBUSY;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
        return ENOMEM;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        return EEXIST;
    case ERROR_TOO_MANY_OPEN_FILES:
        return EMFILE;
    default:
        return EIO;
    }
}

/// A path in UTF-16. Returns 0 or errno.
static int widen(const char *path, wchar_t wide[WIDE_SPACE]) {
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, WIDE_SPACE) > 0)
        return 0;
    return GetLastError() == ERROR_INSUFFICIENT_BUFFER ? ENAMETOOLONG : EINVAL;
}

static HANDLE handle_of(int file) {
    return (HANDLE)_get_osfhandle(file);
}

/// A descriptor of the C library for an open file, which it closes. -1 and errno on failure.
static int descriptor_of(HANDLE handle) {
    int file = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT);
    if (file < 0)
        CloseHandle(handle);
    return file;
}

// ---------------------------------------------------------------------------------------------------
// Mapped files
// ---------------------------------------------------------------------------------------------------

/// `access` is that of a page; the view stays when the mapping object is closed. NULL: see GetLastError.
static void *view_of(HANDLE file, uint64_t bytes, DWORD pages, DWORD access) {
    HANDLE mapping = CreateFileMappingW(file, NULL, pages, (DWORD)(bytes >> 32), (DWORD)bytes, NULL);
    if (!mapping)
        return NULL;
    void *view = MapViewOfFile(mapping, access, 0, 0, (size_t)bytes);
    DWORD why = GetLastError();
    CloseHandle(mapping);
    SetLastError(why);
    return view;
}

static lf_status view_handle(HANDLE file, const char *path, lf_map *map, lf_error *error) {
    LARGE_INTEGER size;
    if (GetFileType(file) != FILE_TYPE_DISK)
        return lf__fail(error, LF_IO_FAILED, -1, "%s: not a regular file", path);
    if (!GetFileSizeEx(file, &size))
        return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(windows_failure()));
    if ((uint64_t)size.QuadPart > (uint64_t)PTRDIFF_MAX)
        return lf__fail(error, LF_TOO_LARGE, -1, "%s: too large to map", path);
    lf_map fresh = {NULL, (size_t)size.QuadPart};
    if (fresh.size > 0) {
        fresh.data = view_of(file, fresh.size, PAGE_READONLY, FILE_MAP_READ);
        int why = fresh.data ? 0 : windows_failure();
        if (why == ENOMEM)
            return lf__fail(error, LF_NO_MEMORY, -1, "%s: no address space to map its %zu bytes", path,
                            fresh.size);
        if (why != 0)
            return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(why));
    }
    *map = fresh;
    return LF_OK;
}

lf_status lf__view_open(const char *path, lf_map *map, lf_error *error) {
    wchar_t wide[WIDE_SPACE];
    int failure = widen(path, wide);
    HANDLE file = INVALID_HANDLE_VALUE;
    if (failure == 0) {
        file = CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                           OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
        failure = file != INVALID_HANDLE_VALUE ? 0 : windows_failure();
    }
    if (failure != 0)
        return lf__fail(error, LF_IO_FAILED, -1, "%s: %s", path, strerror(failure));
    lf_status status = view_handle(file, path, map, error);
    CloseHandle(file);
    return status;
}

void lf__view_close(lf_map *map) {
    UnmapViewOfFile(map->data);
}

/// The mapping object gives the file its size.
void *lf__file_map(int file, size_t had, size_t bytes) {
    return view_of(handle_of(file), bytes > had ? bytes : had, PAGE_READWRITE, FILE_MAP_WRITE);
}

void lf__file_unmap(void *base, size_t bytes) {
    (void)bytes;
    UnmapViewOfFile(base);
}

// ---------------------------------------------------------------------------------------------------
// Files that are deleted when they are closed
// ---------------------------------------------------------------------------------------------------

int lf__nameless_open(const char *folder) {
    static volatile LONG last;
    wchar_t wide[WIDE_SPACE];
    char path[WIDE_SPACE];
    for (int attempt = 0; attempt < LF__PART_TRIES; attempt++) {
        if (snprintf(path, sizeof path, "%s/.landfall-%lu-%ld", folder, GetCurrentProcessId(),
                     InterlockedIncrement(&last)) >= (int)sizeof path) {
            errno = ENAMETOOLONG;
            return -1;
        }
        errno = widen(path, wide);
        if (errno != 0)
            return -1;
        HANDLE file = CreateFileW(wide, GENERIC_READ | GENERIC_WRITE | DELETE, 0, NULL, CREATE_NEW,
                                  FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, NULL);
        if (file != INVALID_HANDLE_VALUE)
            return descriptor_of(file);
        errno = windows_failure();
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

int lf__nameless_beside(const char *path) {
    char folder[WIDE_SPACE] = ".";
    size_t length = strlen(path);
    while (length > 0 && !strchr("/\\:", path[length - 1]))
        length--;
    if (length + 1 > sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (length > 0) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return lf__nameless_open(folder);
}

// ---------------------------------------------------------------------------------------------------
// Files beside their target
// ---------------------------------------------------------------------------------------------------

int lf__file_write(int file, const char *data, size_t size) {
    while (size > 0) {
        DWORD some = size < ((size_t)1 << 30) ? (DWORD)size : (DWORD)1 << 30, written = 0;
        if (!WriteFile(handle_of(file), data, some, &written, NULL))
            return windows_failure();
        if (written == 0)
            return EIO;
        data += written;
        size -= written;
    }
    return 0;
}

/// A symbolic link is not followed: it is replaced.
int lf__destination_find(const char *path, lf__destination *target) {
    wchar_t wide[WIDE_SPACE];
    *target = (lf__destination){.path = path};
    int failure = widen(path, wide);
    if (failure != 0)
        return failure;
    DWORD attributes = GetFileAttributesW(wide);
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY))
        return EISDIR;
    HANDLE file = CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                              NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file != INVALID_HANDLE_VALUE) {
        target->special = GetFileType(file) != FILE_TYPE_DISK;
        CloseHandle(file);
    }
    return 0;
}

/// Open a file that nobody else has open, and that nobody else can open until it is closed. DELETE: to rename it. Returns 0
/// or errno.
static int open_alone(const char *path, DWORD how, int *descriptor) {
    wchar_t wide[WIDE_SPACE];
    int failure = widen(path, wide);
    if (failure != 0)
        return failure;
    HANDLE file = CreateFileW(wide, GENERIC_WRITE | DELETE, 0, NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return windows_failure();
    *descriptor = descriptor_of(file);
    return *descriptor < 0 ? errno : 0;
}

/// Whoever writes a named part by its path must be able to open it.
static int open_shared(const char *path, int *descriptor) {
    wchar_t wide[WIDE_SPACE];
    int failure = widen(path, wide);
    if (failure != 0)
        return failure;
    HANDLE file =
        CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE)
        return windows_failure();
    *descriptor = descriptor_of(file);
    return *descriptor < 0 ? errno : 0;
}

/// A part that a killed writer left is open nowhere: it is written over.
int lf__place_open(lf__beside *beside, bool special, bool named) {
    (void)named;
    if (special)
        return open_shared(beside->path, &beside->descriptor);
    const char *part = beside->paths + strlen(beside->path) + 1;
    int failure = EBUSY;
    for (int attempt = 1; attempt <= LF__PART_TRIES && failure == EBUSY; attempt++) {
        lf__part_name(beside, attempt);
        failure = open_alone(part, CREATE_ALWAYS, &beside->descriptor);
    }
    beside->part = failure == 0 ? part : NULL;
    return failure;
}

/// Rename an open file over another one.
static int rename_open(int file, const char *path) {
    wchar_t wide[WIDE_SPACE];
    int failure = widen(path, wide);
    if (failure != 0)
        return failure;
    union {
        FILE_RENAME_INFO info;
        char space[sizeof(FILE_RENAME_INFO) + sizeof wide];
    } to;
    size_t length = wcslen(wide) * sizeof *wide;
    memset(&to, 0, sizeof to);
    to.info.ReplaceIfExists = TRUE;
    to.info.FileNameLength = (DWORD)length;
    memcpy(to.space + offsetof(FILE_RENAME_INFO, FileName), wide, length);
    return SetFileInformationByHandle(handle_of(file), FileRenameInfo, &to, (DWORD)sizeof to)
               ? 0
               : windows_failure();
}

static void delete_open(int file) {
    FILE_DISPOSITION_INFO gone = {TRUE};
    SetFileInformationByHandle(handle_of(file), FileDispositionInfo, &gone, sizeof gone);
}

int lf__place_finish(lf__beside *beside) {
    int failure = beside->failure;
    if (failure == 0 && beside->part && !FlushFileBuffers(handle_of(beside->descriptor)))
        failure = windows_failure();
    if (failure == 0 && beside->part)
        failure = rename_open(beside->descriptor, beside->path);
    if (failure != 0 && beside->part)
        delete_open(beside->descriptor);
    if (_close(beside->descriptor) != 0 && failure == 0 && !beside->part)
        failure = errno;
    return failure;
}

void lf__place_discard(lf__beside *beside) {
    if (beside->part)
        delete_open(beside->descriptor);
    _close(beside->descriptor);
}

#endif
