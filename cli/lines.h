/// Facts as lines, a word and its value; and tables in columns.
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include "output.h"

/// A line starts with its word, padded to one column.
void line_start(output *out, const char *word);

void line_count(output *out, const char *word, int64_t count);
void line_number(output *out, const char *word, double number);
void line_text(output *out, const char *word, const char *text);
void line_vector(output *out, const char *word, lf_vec3 vector);

/// The lines "low" and "high".
void line_box(output *out, lf_box box);

/// A whole number, or one with so many digits, at the right end of a column.
void column_count(output *out, int64_t count, size_t width);
void column_number(output *out, double value, int digits, size_t width);

#endif
