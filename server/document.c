#include "document.h"
#include "text.h"
#include <landfall/base.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct reader {
    document *document;
    char *at, *end;              ///< of the copy; *end is 0
    uint32_t count, space, open; ///< values, and the index of the container that is being read plus 1
    int depth;
    document_limits limits;
    document_status status;
    document_error *error;
} reader;

static bool broken(reader *reader, const char *expected) {
    int line = 1;
    for (const char *c = reader->document->text; c < reader->at; c++)
        line += *c == '\n';
    reader->error->line = line;
    if (reader->at >= reader->end)
        snprintf(reader->error->text, sizeof reader->error->text, "expected %s, found the end", expected);
    else if (*reader->at > 0x20 && *reader->at < 0x7f)
        snprintf(reader->error->text, sizeof reader->error->text, "expected %s, found %c", expected,
                 *reader->at);
    else
        snprintf(reader->error->text, sizeof reader->error->text, "expected %s, found byte %u", expected,
                 (unsigned char)*reader->at);
    reader->status = DOCUMENT_BROKEN;
    return false;
}

static bool ends(reader *reader, document_status status) {
    reader->status = status;
    return false;
}

/// One more value in the list; NULL: the status is set.
static value *add(reader *reader, value_kind kind) {
    if (reader->count == reader->space) {
        uint32_t space = reader->space ? 2 * reader->space : 64;
        value *values = reader->count >= UINT32_MAX / 4
                            ? NULL
                            : memory_resize(reader->document->values, space * sizeof *values);
        if (!values) {
            reader->status = DOCUMENT_NO_MEMORY;
            return NULL;
        }
        reader->document->values = values;
        reader->space = space;
    }
    if ((double)reader->count > reader->limits.values) {
        reader->status = DOCUMENT_LONG;
        return NULL;
    }
    value *made = &reader->document->values[reader->count++];
    *made = (value){.kind = kind, .size = 1};
    return made;
}

static void skip_blanks(reader *reader) {
    while (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t' || *reader->at == '\r')
        reader->at++;
}

// ---- Strings ------------------------------------------------------------------------------------

/// Four hexadecimal digits; -1: broken.
static long read_hex(const char *text) {
    long value = 0;
    for (int i = 0; i < 4; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

static char *write_character(char *to, long code) {
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const int first[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(first[more] | (int)(code >> (6 * more)));
    while (more-- > 0)
        *to++ = (char)(0x80 | (int)(code >> (6 * more) & 0x3f));
    return to;
}

/// The escape behind a backslash, written to `to`; NULL: broken.
static char *read_escape(reader *reader, char *to) {
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *name = *reader->at ? strchr(names, *reader->at) : NULL;
    if (name) {
        reader->at++;
        *to++ = meant[name - names];
        return to;
    }
    long code = *reader->at == 'u' ? read_hex(reader->at + 1) : -1, low = -1;
    if (code >= 0xd800 && code < 0xdc00 && reader->at[5] == '\\' && reader->at[6] == 'u')
        low = read_hex(reader->at + 7);
    if (low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        reader->at += 6;
    }
    if (code <= 0 || (code >= 0xd800 && code < 0xe000)) {
        broken(reader, "an escape such as \\n or \\u00e9");
        return NULL;
    }
    reader->at += 5;
    return write_character(to, code);
}

/// A string from its quote on. It is decoded where it stands, which never makes it longer.
static bool read_string(reader *reader, value *made) {
    char *from = ++reader->at, *to = from;
    for (;;) {
        unsigned char c = (unsigned char)*reader->at;
        if (c == '"')
            break;
        if (c == '\\') {
            reader->at++;
            to = read_escape(reader, to);
            if (!to)
                return false;
            continue;
        }
        size_t length = c < 0x20 ? 0 : text_character(reader->at, (size_t)(reader->end - reader->at));
        if (length == 0)
            return broken(reader, "a character of UTF-8 or the end of the string");
        if (to != reader->at)
            memmove(to, reader->at, length);
        to += length;
        reader->at += length;
    }
    *to = '\0';
    reader->at++;
    made->string = from;
    made->count = (uint32_t)(to - from);
    return true;
}

// ---- Numbers and words --------------------------------------------------------------------------

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// A number, which lf_number_read reads in more forms than JSON has.
static bool read_number(reader *reader, value *made) {
    const char *from = reader->at, *digits = from + (*from == '-'), *point = digits;
    while (is_digit(*point))
        point++;
    bool fine =
        point > digits && (*digits != '0' || point == digits + 1) && (*point != '.' || is_digit(point[1]));
    const char *end = fine ? lf_number_read(from, reader->end, &made->number) : NULL;
    if (!end || *end == 'e' || *end == 'E') // an exponent without digits
        return broken(reader, "a number");
    if (!isfinite(made->number))
        return broken(reader, "a number below 1.8e308");
    made->whole = end == point;
    reader->at += end - from;
    return true;
}

static bool read_word(reader *reader, const char *word) {
    size_t length = strlen(word);
    if (strncmp(reader->at, word, length) != 0)
        return broken(reader, "a value");
    reader->at += length;
    return true;
}

// ---- Values -------------------------------------------------------------------------------------

/// A value, of an array or object only its bracket.
static bool read_start(reader *reader) {
    char c = *reader->at;
    value_kind kind = c == '{'   ? VALUE_OBJECT
                      : c == '[' ? VALUE_ARRAY
                      : c == '"' ? VALUE_STRING
                      : c == 't' ? VALUE_TRUE
                      : c == 'f' ? VALUE_FALSE
                      : c == 'n' ? VALUE_NULL
                                 : VALUE_NUMBER;
    value *made = add(reader, kind);
    if (!made)
        return false;
    switch (kind) {
    case VALUE_NUMBER:
        return (c == '-' || (c >= '0' && c <= '9')) ? read_number(reader, made) : broken(reader, "a value");
    case VALUE_STRING:
        return read_string(reader, made);
    case VALUE_TRUE:
        return read_word(reader, "true");
    case VALUE_FALSE:
        return read_word(reader, "false");
    case VALUE_NULL:
        return read_word(reader, "null");
    case VALUE_ARRAY:
    case VALUE_OBJECT:
        break;
    }
    if (++reader->depth > reader->limits.depth)
        return ends(reader, DOCUMENT_DEEP);
    made->size = reader->open;
    reader->open = reader->count;
    reader->at++;
    return true;
}

/// A member's key and colon.
static bool read_key(reader *reader) {
    skip_blanks(reader);
    if (*reader->at != '"')
        return broken(reader, "a key in quotes");
    value *key = add(reader, VALUE_STRING);
    if (!key || !read_string(reader, key))
        return false;
    skip_blanks(reader);
    if (*reader->at != ':')
        return broken(reader, ":");
    reader->at++;
    return true;
}

/// What comes after a bracket or a value: ends, then a comma. Returns whether another value follows.
static bool read_between(reader *reader) {
    bool fresh = reader->document->values[reader->count - 1].kind >= VALUE_ARRAY &&
                 reader->open == reader->count; // its first element may follow
    while (reader->open > 0) {
        value *container = &reader->document->values[reader->open - 1];
        bool object = container->kind == VALUE_OBJECT;
        skip_blanks(reader);
        if (*reader->at == (object ? '}' : ']')) {
            uint32_t index = reader->open - 1;
            reader->at++;
            reader->depth--;
            reader->open = container->size;
            container->size = reader->count - index;
            fresh = false;
            continue;
        }
        if (!fresh && *reader->at != ',')
            return broken(reader, object ? ", or }" : ", or ]");
        reader->at += !fresh;
        container->count++;
        return !object || read_key(reader);
    }
    skip_blanks(reader);
    if (reader->at < reader->end)
        broken(reader, "the end");
    return false;
}

document_status document_read(document *document, const char *text, size_t size, document_limits limits,
                              document_error *error) {
    reader reader = {.document = document, .limits = limits, .error = error};
    *document = (struct document){0};
    *error = (document_error){1, ""};
    document->text = size < SIZE_MAX ? memory_take(size + 1) : NULL;
    if (!document->text)
        return DOCUMENT_NO_MEMORY;
    memcpy(document->text, text, size);
    document->text[size] = '\0';
    reader.at = document->text;
    reader.end = document->text + size;
    skip_blanks(&reader);
    if (*reader.at != '{' && *reader.at != '[')
        broken(&reader, "{ or [");
    while (reader.status == DOCUMENT_FINE) {
        skip_blanks(&reader);
        if (!read_start(&reader) || !read_between(&reader))
            break;
    }
    if (reader.status != DOCUMENT_FINE)
        document_free(document);
    return reader.status;
}

void document_free(document *document) {
    memory_free(document->values);
    memory_free(document->text);
    *document = (struct document){0};
}

// ---- Access -------------------------------------------------------------------------------------

const value *value_first(const value *array) {
    return array ? array + 1 : NULL;
}

const value *value_next(const value *value) {
    return value + value->size;
}

const value *value_end(const value *array) {
    return array ? array + array->size : NULL;
}

bool value_is(const value *value, value_kind kind) {
    return value && value->kind == kind;
}

const value *value_member(const value *object, const char *key) {
    const value *found = NULL;
    if (!value_is(object, VALUE_OBJECT))
        return NULL;
    for (const value *at = object + 1; at < value_end(object); at = value_next(at + 1))
        if (strcmp(at->string, key) == 0)
            found = at + 1;
    return found;
}

const char *value_string(const value *value) {
    return value_is(value, VALUE_STRING) ? value->string : NULL;
}

double value_number(const value *value) {
    return value_is(value, VALUE_NUMBER) ? value->number : 0;
}
