#include "output.h"
#include "cli.h"
#include "numbers.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM ((size_t)1 << 16)

bool output_open(output *out, int file) {
    *out = (output){file, malloc(ROOM), 0, -1, 0};
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
    if (length > ROOM - out->used)
        output_flush(out);
    if (length > ROOM) {
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

void output_number(output *out, double value) {
    char text[NUMBER_FIXED_ROOM];
    size_t length =
        out->digits < 0 ? number_write(text, value) : number_write_fixed(text, value, out->digits);
    output_bytes(out, text, length);
}

void output_integer(output *out, int64_t value) {
    char text[24];
    output_bytes(out, text, integer_write(text, value));
}

void output_vector(output *out, lf_vec3 vector, char separator) {
    output_number(out, vector.x);
    output_char(out, separator);
    output_number(out, vector.y);
    output_char(out, separator);
    output_number(out, vector.z);
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
