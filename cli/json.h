/// JSON as it is written: one value after the other, straight to the output, with numbers as all numbers here.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "output.h"

#define JSON_DEPTH 8

typedef struct json {
    output *out;
    bool indented; ///< a line per member, two blanks per level; else all on one line
    int depth;
    bool filled[JSON_DEPTH]; ///< whether the open object or array of that depth has a member yet
    bool lists[JSON_DEPTH];  ///< whether it is an array
} json;

/// Start a document.
json json_start(output *out, bool indented);

/// End a document with a newline.
void json_end(json *document);

/// key is NULL at the top and in arrays.
void json_put_object(json *document, const char *key);
void json_put_array(json *document, const char *key);
void json_close(json *document);

void json_put_number(json *document, const char *key, double value);
void json_put_integer(json *document, const char *key, int64_t value);
void json_put_truth(json *document, const char *key, bool value);
void json_put_null(json *document, const char *key);

/// Text of a length; bytes that are no UTF-8 become U+FFFD.
void json_put_bytes(json *document, const char *key, const char *text, size_t length);
void json_put_text(json *document, const char *key, const char *text);

/// A text, or null where it is NULL.
void json_put_text_or_null(json *document, const char *key, const char *text);

/// An array of `count` numbers, always on one line.
void json_put_numbers(json *document, const char *key, const double *numbers, int count);
void json_put_vector(json *document, const char *key, lf_vec3 vector);

#endif
