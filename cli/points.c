#include "points.h"
#include "cli.h"
#include "numbers.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 18)        // bytes asked of one read
#define LONGEST_LINE ((size_t)1 << 24) // a line beyond this is no list of points

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/// Behind a column: blanks, with at most one comma among them.
static const char *skip_separator(const char *p, const char *end) {
    p = skip_blanks(p, end);
    if (p < end && *p == ',')
        p = skip_blanks(p + 1, end);
    return p;
}

static const char *column_end(const char *p, const char *end) {
    while (p < end && !is_blank(*p) && *p != ',')
        p++;
    return p;
}

/// Does a column look as if a number was meant? Words for NaN and infinity do: they are refused, not overlooked.
static bool starts_like_number(const char *p, const char *end) {
    static const char *const words[] = {"nan", "inf", "infinity"};
    size_t length = (size_t)(column_end(p, end) - p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i]) && strncasecmp(p, words[i], length) == 0)
            return true;
    return p < end && (*p == '-' || *p == '+' || *p == '.' || (*p >= '0' && *p <= '9'));
}

/// Text for a message: what stands there, not too much of it, nothing that upsets a terminal.
static void quote(char *text, size_t room, const char *p, const char *end) {
    size_t length = (size_t)(column_end(p, end) - p);
    size_t shown = length < 40 ? length : 40;
    size_t used = 0;
    for (size_t i = 0; i < shown && used + 1 < room; i++)
        text[used++] = (unsigned char)p[i] < ' ' || p[i] == 127 ? '?' : p[i];
    text[used] = '\0';
}

/// Numbers from a line. On a fault the message is written to `fault`.
static bool parse_row(const char *p, const char *end, row_shape shape, row *read, char *fault, size_t room) {
    read->count = 0;
    p = skip_blanks(p, end);
    while (read->count < shape.most) {
        const char *stop = p;
        if (read->count >= shape.least && !starts_like_number(p, end))
            break;
        number_fault found = number_read(p, end, &read->numbers[read->count], &stop);
        if (found == NUMBER_FINE && stop != column_end(p, end))
            found = NUMBER_BAD;
        if (found != NUMBER_FINE) {
            char shown[48];
            quote(shown, sizeof shown, p, end);
            if (p == end)
                snprintf(fault, room, "%d of at least %d numbers (%s)", read->count, shape.least,
                         shape.spelling);
            else
                snprintf(fault, room, "\"%s\" is %s", shown,
                         found == NUMBER_BAD ? "not a number" : "too large a number");
            return false;
        }
        read->count++;
        p = skip_separator(stop, end);
    }
    while (end > p && is_blank(end[-1]))
        end--;
    read->rest = p;
    read->rest_length = (size_t)(end - p);
    return true;
}

bool row_from_option(const char *name, const char *text, row_shape shape, row *read) {
    char fault[128];
    const char *end = text + strlen(text);
    if (!parse_row(text, end, shape, read, fault, sizeof fault)) {
        message_error("--%s %s: %s", name, text, fault);
        return false;
    }
    if (read->rest_length > 0) {
        message_error("--%s %s: \"%.40s\" is too much, %s is wanted", name, text, read->rest, shape.spelling);
        return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------
// Standard input
// ---------------------------------------------------------------------------------------------------

bool row_reader_open(row_reader *reader, int file, row_shape shape) {
    *reader = (row_reader){.file = file, .source = "standard input", .shape = shape, .capacity = 2 * CHUNK};
    reader->buffer = malloc(reader->capacity);
    return reader->buffer != NULL;
}

void row_reader_close(row_reader *reader) {
    free(reader->rows);
    free(reader->buffer);
    *reader = (row_reader){0};
}

static bool fail(row_reader *reader, const char *reason) {
    reader->failed = true;
    snprintf(reader->fault, sizeof reader->fault, "%s", reason);
    return false;
}

static bool fail_line(row_reader *reader, int64_t line, const char *reason) {
    reader->failed = true;
    snprintf(reader->fault, sizeof reader->fault, "%s, line %lld: %s", reader->source, (long long)line,
             reason);
    return false;
}

/// Make room for one more chunk behind what is still unread.
static bool make_room(row_reader *reader) {
    memmove(reader->buffer, reader->buffer + reader->taken, reader->used - reader->taken);
    reader->used -= reader->taken;
    reader->taken = 0;
    if (reader->capacity - reader->used >= CHUNK)
        return true;
    if (reader->used > LONGEST_LINE)
        return fail_line(reader, reader->line + 1, "longer than 16 MB");
    char *larger = realloc(reader->buffer, 2 * reader->capacity);
    if (!larger)
        return fail(reader, "out of memory");
    reader->buffer = larger;
    reader->capacity *= 2;
    return true;
}

/// Read once; at the end of the input, a last line without its newline gets one.
static bool fill_buffer(row_reader *reader) {
    if (!make_room(reader))
        return false;
    ssize_t got = -1;
    do {
        if (!progress_wait(reader->file)) {
            reader->failed = true; // and nothing to say: main speaks of interrupts
            return false;
        }
        got = read(reader->file, reader->buffer + reader->used, CHUNK - 1);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        snprintf(reader->fault, sizeof reader->fault, "%s: %s", reader->source, strerror(errno));
        reader->failed = true;
        return false;
    }
    if (got == 0) {
        reader->ended = true;
        if (reader->used > 0)
            reader->buffer[reader->used++] = '\n';
        return true;
    }
    reader->used += (size_t)got;
    reader->bytes += got;
    return true;
}

static row *new_row(row_reader *reader) {
    if (reader->count == reader->room) {
        int64_t room = reader->room ? 2 * reader->room : 256;
        row *larger = realloc(reader->rows, (size_t)room * sizeof(row));
        if (!larger)
            return NULL;
        reader->rows = larger;
        reader->room = room;
    }
    return &reader->rows[reader->count];
}

static bool take_line(row_reader *reader, const char *line, const char *end) {
    char reason[128];
    reader->line++;
    if (reader->line == 1 && end - line >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3; // the mark that some editors put before UTF-8
    if (end > line && end[-1] == '\r')
        end--;
    const char *first = skip_blanks(line, end);
    if (first == end || *first == '#')
        return true;
    row *read = new_row(reader);
    if (!read)
        return fail(reader, "out of memory");
    if (!parse_row(line, end, reader->shape, read, reason, sizeof reason))
        return fail_line(reader, reader->line, reason);
    read->line = reader->line;
    reader->count++;
    return true;
}

bool row_reader_next(row_reader *reader) {
    reader->count = 0;
    while (reader->count == 0 && !reader->ended && !reader->failed) {
        if (!fill_buffer(reader))
            break;
        const char *end = reader->buffer + reader->used;
        const char *line = reader->buffer + reader->taken;
        const char *newline;
        while (!reader->failed && (newline = memchr(line, '\n', (size_t)(end - line)))) {
            take_line(reader, line, newline);
            line = newline + 1;
        }
        reader->taken = (size_t)(line - reader->buffer);
    }
    return reader->count > 0;
}

void row_reader_refuse(row_reader *reader, const row *bad, const char *reason) {
    reader->count = bad - reader->rows;
    fail_line(reader, bad->line, reason);
}

bool row_reader_complain(const row_reader *reader) {
    if (reader->failed && reader->fault[0])
        message_error("%s", reader->fault);
    return !reader->failed;
}
