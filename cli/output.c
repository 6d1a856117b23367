#define _XOPEN_SOURCE 700 // realpath
#define _DEFAULT_SOURCE   // flock
#include "cli.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAPACITY ((size_t)1 << 16)

bool output_open(output *out, int file) {
    *out = (output){file, malloc(CAPACITY), 0, -1, 0};
    return out->buffer != NULL;
}

static void write_all(output *out, const char *bytes, size_t length) {
    while (length > 0 && !out->fault) {
        ssize_t written = write(out->file, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            out->fault = written < 0 ? errno : EIO;
            break;
        }
        bytes += written;
        length -= (size_t)written;
    }
}

bool output_flush(output *out) {
    write_all(out, out->buffer, out->used);
    out->used = 0;
    return !out->fault;
}

void output_bytes(output *out, const char *bytes, size_t length) {
    if (length > CAPACITY - out->used)
        output_flush(out);
    if (length > CAPACITY) {
        write_all(out, bytes, length);
        return;
    }
    memcpy(out->buffer + out->used, bytes, length);
    out->used += length;
}

void output_text(output *out, const char *text) {
    output_bytes(out, text, strlen(text));
}

void output_char(output *out, char c) {
    output_bytes(out, &c, 1);
}

void output_format(output *out, const char *format, ...) {
    char text[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    output_text(out, text);
}

void output_number(output *out, double value) {
    char text[NUMBER_FIXED_SIZE];
    size_t length =
        out->digits < 0 ? number_write(text, value) : number_write_fixed(text, value, out->digits);
    output_bytes(out, text, length);
}

void output_integer(output *out, int64_t value) {
    char text[24];
    output_bytes(out, text, integer_write(text, value));
}

void output_blanks(output *out, int64_t count) {
    for (; count > 0; count--)
        output_char(out, ' ');
}

void output_cell(output *out, const char *text) {
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted)
        output_char(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            output_char(out, '"');
        output_char(out, *text);
    }
    if (quoted)
        output_char(out, '"');
}

bool output_close(output *out) {
    output_flush(out);
    // Some file systems report a full disk only here.
    if (close(out->file) != 0 && !out->fault)
        out->fault = errno;
    free(out->buffer);
    out->buffer = NULL;
    if (out->fault && out->fault != EPIPE)
        message_error("standard output: %s", strerror(out->fault));
    return !out->fault;
}

// ---- Files --------------------------------------------------------------------------------------

#define PART ".landfall-part"
#define PARTS 99 // writers of one file at the same time

/// A device or a pipe cannot be renamed onto: it is written in place.
static bool is_special(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

bool file_output_possible(const char *path) {
    struct stat about;
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    bool there = stat(path, &about) == 0;
    if (there && !S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode))
        return true;
    char *folder = malloc(length + 1);
    if (!folder)
        return failed("out of memory");
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    int fault = there && S_ISDIR(about.st_mode) ? EISDIR : access(folder, W_OK | X_OK) != 0 ? errno : 0;
    free(folder);
    if (fault)
        message_error("%s: %s", path, strerror(fault));
    return fault == 0;
}

/// Is this file ours, and still what its name says? One whose writer was killed is free; where there are no locks it is taken over.
static bool is_ours(int descriptor, const char *part) {
    struct stat held, there;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return fstat(descriptor, &held) == 0 && lstat(part, &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

/// A file of our own beside the path; -1 and errno when none can be created.
static int open_part(char *part, size_t capacity, const char *path) {
    for (int i = 1; i <= PARTS; i++) {
        snprintf(part, capacity, i == 1 ? "%s" PART : "%s" PART "%d", path, i);
        int descriptor = open(part, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
        if (descriptor < 0)
            return -1;
        if (is_ours(descriptor, part) && ftruncate(descriptor, 0) == 0)
            return descriptor;
        close(descriptor);
        errno = EEXIST;
    }
    return -1;
}

static void free_paths(file_output *file) {
    free(file->part);
    free(file->target);
}

bool file_output_open(file_output *file, const char *path) {
    *file = (file_output){.path = path};
    bool special = is_special(path);
    file->target = special ? NULL : realpath(path, NULL); // NULL where there is nothing yet, too
    const char *place = file->target ? file->target : path;
    size_t capacity = strlen(place) + sizeof PART + 4;
    file->part = special ? NULL : malloc(capacity);
    if (!special && !file->part) {
        free(file->target);
        return failed("out of memory");
    }
    int descriptor = special ? open(path, O_WRONLY) : open_part(file->part, capacity, place);
    int fault = errno;
    if (descriptor >= 0 && output_open(&file->out, descriptor))
        return true;
    message_error("%s: %s", path, descriptor < 0 ? strerror(fault) : "out of memory");
    if (descriptor >= 0) {
        if (file->part)
            unlink(file->part);
        close(descriptor);
    }
    free_paths(file);
    return false;
}

bool file_output_close(file_output *file) {
    output_flush(&file->out);
    int fault = file->out.fault;
    if (!fault && file->part && fsync(file->out.file) != 0)
        fault = errno;
    // Closed behind all that: until then the lock keeps others off.
    if (!fault && file->part && rename(file->part, file->target ? file->target : file->path) != 0)
        fault = errno;
    if (file->part && fault)
        unlink(file->part);
    if (close(file->out.file) != 0 && !fault && !file->part)
        fault = errno;
    if (fault)
        message_error("%s: %s", file->path, strerror(fault));
    free(file->out.buffer);
    free_paths(file);
    *file = (file_output){0};
    return !fault;
}

bool path_ends(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

const char *path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
