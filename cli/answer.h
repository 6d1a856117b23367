/// Answers by tables: an answer is a structure, and a table says once what its fields are called, where they are and what unit they
/// have. Text, JSON and CSV are written from that table.
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "cli.h"
#include <stddef.h>

typedef enum field_type {
    FIELD_NUMBER,   ///< double; what is not finite is "-", null, or an empty cell
    FIELD_INTEGER,  ///< int64_t or size_t
    FIELD_INT,      ///< int
    FIELD_TRUTH,    ///< bool; on a line of text its name, or nothing
    FIELD_TEXT,     ///< const char *; NULL: nothing, null, or an empty cell
    FIELD_BYTES,    ///< byte_span; left out where it is empty
    FIELD_PAIR,     ///< lf_vec2; in CSV the columns x and y
    FIELD_VECTOR,   ///< lf_vec3; in CSV the columns x, y and z
    FIELD_NUMBERS,  ///< number_span
    FIELD_INTEGERS, ///< two int64_t
    FIELD_LIST,     ///< field_span of structures, or of `items` where there is no table for them
    FIELD_GROUP, ///< a structure of its own in JSON, fields like the others elsewhere; offsets are those of the whole answer
    FIELD_NAME ///< no value: the name itself, in text only
} field_type;

typedef struct byte_span {
    const char *bytes;
    size_t length;
} byte_span;

typedef struct number_span {
    const double *numbers;
    int count;
} number_span;

typedef struct field_span {
    const void *items;
    int64_t count;
} field_span;

/// Where a field is written; none of these: everywhere.
enum {
    IN_TEXT = 1,
    IN_JSON = 2,
    IN_CSV = 4,
    LABELLED = 8, ///< on a line of text behind its name
    OPTIONAL =
        16 ///< in CSV there is no column where the first row lacks it; others are empty where a row lacks them
};

/// One field. A table is an array that ends with a name of NULL.
struct field {
    const char *name;
    field_type type;
    size_t offset;
    const char *unit; ///< or NULL
    unsigned forms;   ///< IN_TEXT ...
    unsigned
        when; ///< shown where all of these bits are set in the answer's first member, an unsigned; 0: always
    int width, decimals; ///< of a column of a table for people
    const field *fields; ///< of a list or group
    size_t size;         ///< bytes of an item of a list
    field_type
        items; ///< of a list without a table: FIELD_INTEGER, FIELD_TEXT, FIELD_VECTOR or FIELD_INTEGERS
};

/// A line of text: values with blanks between them. Lists take lines of their own, before the line where they come first in the table.
void answer_line(output *out, const field *fields, const void *answer);

/// Facts, one per line: names padded to a width, then values and units.
void answer_facts(output *out, const field *fields, const void *answer, int width);

/// A document with the members of an answer, on one line or with a line for each.
void answer_json(output *out, const field *fields, const void *answer, bool indented);

/// A CSV table: a line of names, and one for each row.
void answer_csv(output *out, const field *fields, const void *rows, int64_t count, size_t size);

/// The same line by line. `first` is the first row, which says what OPTIONAL columns there are.
void answer_csv_names(output *out, const field *fields, const void *first);
void answer_csv_row(output *out, const field *fields, const void *first, const void *row);

/// A table in columns for people: a line of names, and one for each row.
void answer_table(output *out, const field *fields, const void *rows, int64_t count, size_t size);

/// On standard output as --json asks: an object on a line, or a line of text.
void answer_write(cli *run, const field *fields, const void *answer);

/// The same of facts: a document, or lines with names of at most 11 characters in their column.
void answer_write_facts(cli *run, const field *fields, const void *answer);

#endif
