/// A JSON text of a request, read into one list of values. Several times as fast as a tree of objects, and two allocations in all.
#ifndef SERVER_DOCUMENT_H
#define SERVER_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum value_kind {
    VALUE_NULL,
    VALUE_FALSE,
    VALUE_TRUE,
    VALUE_NUMBER,
    VALUE_STRING,
    VALUE_ARRAY,
    VALUE_OBJECT
} value_kind;

/// A value; what it contains follows it in the list. An object contains a string, its key, before each of its members.
typedef struct value {
    value_kind kind;
    bool whole; ///< a number without point and exponent
    uint32_t
        size; ///< values from this one to its end; while it is read, the index of the one that contains it
    uint32_t count; ///< elements, members, or bytes of a string
    union {
        double number;
        const char *string; ///< decoded and terminated; without zero bytes
    };
} value;

typedef struct document {
    value *values; ///< the first one is the whole text: an array or an object
    char *text;    ///< a copy, with its strings decoded in place
} document;

/// What a text may contain, and what was wrong with it.
typedef struct document_limits {
    double depth, values;
} document_limits;

typedef enum document_status {
    DOCUMENT_FINE,
    DOCUMENT_BROKEN,
    DOCUMENT_DEEP,
    DOCUMENT_LONG,
    DOCUMENT_NO_MEMORY
} document_status;

typedef struct document_error {
    int line;
    char text[96]; ///< of a broken one
} document_error;

/// Read a JSON text (RFC 8259, UTF-8). Of members with the same key the last one counts.
document_status document_read(document *document, const char *text, size_t size, document_limits limits,
                              document_error *error);
void document_free(document *document);

/// All of these accept NULL, which has no kind. Elements of an array: value_first, then value_next until value_end.
const value *value_member(const value *object, const char *key);
const value *value_first(const value *array);
const value *value_next(const value *value);
const value *value_end(const value *array);
bool value_is(const value *value, value_kind kind);

/// NULL and 0 for values of another kind.
const char *value_string(const value *value);
double value_number(const value *value);

#endif
