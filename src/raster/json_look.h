/// Looking into JSON: enough for small descriptions of data sets. Nothing is copied and nothing allocated.
#ifndef LF_IO_JSON_LOOK_H
#define LF_IO_JSON_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A value's text, without blanks around it.
typedef struct lf__json {
    const char *at, *end;
} lf__json;

/// The whole text as one value. `fault` is where it stops making sense.
bool lf__json_open(const char *text, size_t size, lf__json *value, const char **fault);

/// The members of an object or the items of an array, one after another. Start with *next = {NULL, NULL}; name is empty for items. False at the end, and for other values.
bool lf__json_next(lf__json value, lf__json *next, lf__json *name, lf__json *item);

/// The member of an object by its name (spelled without escapes); false without one.
bool lf__json_find(lf__json object, const char *name, lf__json *item);

/// Is it this string? Escapes are not looked through.
bool lf__json_is(lf__json value, const char *string);

/// A number that is whole and not negative.
bool lf__json_count(lf__json value, int64_t *count);

#endif
