/// Memory of the server, and text that grows: replies are written into it.
#ifndef SERVER_TEXT_H
#define SERVER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Memory of the server's own code and of Jansson. NULL when there is none.
void *memory_take(size_t size);
void *memory_resize(void *old, size_t size);
void memory_free(void *block);

/// A copy of a text, NULL for NULL and without memory.
char *memory_copy(const char *text);

/// For tests: let the allocation number `count` from now on fail, and all after it; -1: none. Returns how many there have been since the last call.
int64_t memory_fail_after(int64_t count);

/// Text that grows. Once an addition fails for lack of memory all further ones are left out, and `failed` is set.
typedef struct text {
    char *bytes; ///< not terminated
    size_t count, space;
    bool failed;
} text;

void text_free(text *text);
void text_put(text *text, const char *string);
__attribute__((format(printf, 2, 3))) void text_format(text *text, const char *format, ...);

/// Space for so many more bytes, to be counted in by the caller; NULL without memory.
char *text_grow(text *text, size_t count);
static inline char *text_space(text *text, size_t count) {
    return count <= text->space - text->count && !text->failed ? text->bytes + text->count
                                                               : text_grow(text, count);
}

static inline void text_add(text *text, const void *bytes, size_t count) {
    char *to = text_space(text, count);
    if (to && count) {
        memcpy(to, bytes, count);
        text->count += count;
    }
}

static inline void text_byte(text *text, char byte) {
    char *to = text_space(text, 1);
    if (to) {
        *to = byte;
        text->count++;
    }
}

/// How a number is written. All restore the same bits, but for the last.
typedef enum number_style {
    NUMBER_SHORT,  ///< as few digits as possible: 1, 0.00001, 1e21
    NUMBER_PYTHON, ///< as Python writes a float: 1.0, 1e-05, 1e+16
    NUMBER_CUT     ///< at least one and at most so many decimals, the rest cut off, as RapidJSON does
} number_style;

/// Write a number; not finite: null.
void text_number(text *text, double value, number_style style, int decimals);

/// The length of the UTF-8 character at the start of a text that is not empty, 0 when there is none.
size_t text_character(const char *text, size_t left);

/// Write a JSON string in quotes. Bytes that are not UTF-8 become U+FFFD.
void text_quoted(text *text, const char *string, size_t length);

/// How a document is laid out.
typedef struct json_style {
    int indent; ///< blanks for each level; -1: everything on one line
    const char *colon, *comma;
    number_style numbers;
} json_style;

extern const json_style json_compact;

/// A JSON document that is being written. Keys are NULL for elements of arrays.
typedef struct json {
    text *out;
    const json_style *style;
    int depth;
    bool filled; ///< has the object or array that is open something in it?
} json;

void put_open(json *json, const char *key, char bracket);
void put_close(json *json, char bracket);
void put_number(json *json, const char *key, double value);
void put_integer(json *json, const char *key, int64_t value);
void put_text(json *json, const char *key, const char *value); ///< NULL: null
void put_word(json *json, const char *key, const char *word);  ///< a string in which nothing is to be escaped
void put_bool(json *json, const char *key, bool value);
void put_null(json *json, const char *key);
void put_raw(json *json, const char *key, const char *value, size_t length); ///< a value as it is
void put_decimals(json *json, const char *key, double value, int decimals);  ///< NUMBER_CUT

#endif
