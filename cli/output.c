#include "cli.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define CAPACITY ((size_t)1 << 16)

bool output_open(output *out, int file) {
    *out = (output){.file = file, .buffer = malloc(CAPACITY), .digits = -1};
    return out->buffer != NULL;
}

bool output_create(output *out, const char *path, int digits) {
    lf_error error = {0};
    if (!output_open(out, -1))
        return failed("out of memory");
    out->digits = digits;
    if (succeeded(lf_text_file_create(path, NULL, &out->beside, &error), &error))
        return true;
    free(out->buffer);
    return false;
}

static void write_all(output *out, const char *bytes, size_t length) {
    if (out->beside) {
        lf_text_file_write(out->beside, bytes, length);
        return;
    }
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
    lf_error error = {0};
    output_flush(out);
    free(out->buffer);
    out->buffer = NULL;
    if (out->beside)
        return succeeded(lf_text_file_commit(out->beside, &error), &error);
    // Some file systems report a full disk only here.
    if (close(out->file) != 0 && !out->fault)
        out->fault = errno;
    if (out->fault && out->fault != EPIPE)
        message_error("standard output: %s", strerror(out->fault));
    return !out->fault;
}

void output_discard(output *out) {
    free(out->buffer);
    out->buffer = NULL;
    lf_text_file_discard(out->beside);
}

// ---- Files --------------------------------------------------------------------------------------

bool output_possible(const char *path) {
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

bool path_ends(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

const char *path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
