#include "lines.h"
#include "numbers.h"
#include <string.h>

#define WORD_WIDTH 12

void line_start(output *out, const char *word) {
    output_text(out, word);
    for (size_t i = strlen(word); i < WORD_WIDTH; i++)
        output_char(out, ' ');
}

void line_count(output *out, const char *word, int64_t count) {
    line_start(out, word);
    output_integer(out, count);
    output_char(out, '\n');
}

void line_number(output *out, const char *word, double number) {
    line_start(out, word);
    output_number(out, number);
    output_char(out, '\n');
}

void line_text(output *out, const char *word, const char *text) {
    line_start(out, word);
    output_text(out, text);
    output_char(out, '\n');
}

void line_vector(output *out, const char *word, lf_vec3 vector) {
    line_start(out, word);
    output_vector(out, vector, ' ');
    output_char(out, '\n');
}

void line_box(output *out, lf_box box) {
    line_vector(out, "low", box.low);
    line_vector(out, "high", box.high);
}

static void put_column(output *out, const char *text, size_t length, size_t width) {
    for (size_t i = length; i < width; i++)
        output_char(out, ' ');
    output_bytes(out, text, length);
}

void column_count(output *out, int64_t count, size_t width) {
    char text[NUMBER_ROOM];
    put_column(out, text, integer_write(text, count), width);
}

void column_number(output *out, double value, int digits, size_t width) {
    char text[NUMBER_FIXED_ROOM];
    put_column(out, text, number_write_fixed(text, value, digits), width);
}
