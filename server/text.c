#include "text.h"
#include <landfall/base.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Memory -------------------------------------------------------------------------------------

static atomic_int_fast64_t allocations, failing = -1;

int64_t memory_fail_after(int64_t count) {
    atomic_store(&failing, count);
    return atomic_exchange(&allocations, 0);
}

static bool fails(void) {
    int64_t limit = atomic_load_explicit(&failing, memory_order_relaxed);
    return limit >= 0 && atomic_fetch_add(&allocations, 1) >= limit;
}

void *memory_take(size_t size) {
    return fails() ? NULL : malloc(size ? size : 1);
}

void *memory_resize(void *old, size_t size) {
    return fails() ? NULL : realloc(old, size ? size : 1);
}

void memory_free(void *block) {
    free(block);
}

char *memory_copy(const char *text) {
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? memory_take(size) : NULL;
    return copy ? memcpy(copy, text, size) : NULL;
}

// ---- Text ---------------------------------------------------------------------------------------

void text_free(text *text) {
    memory_free(text->bytes);
    *text = (struct text){0};
}

char *text_grow(text *text, size_t count) {
    if (text->failed)
        return NULL;
    size_t space = text->space ? 2 * text->space : 512;
    while (space - text->count < count && space < SIZE_MAX / 4)
        space *= 2;
    char *bytes = space - text->count < count ? NULL : memory_resize(text->bytes, space);
    if (!bytes) {
        text->failed = true;
        return NULL;
    }
    text->bytes = bytes;
    text->space = space;
    return text->bytes + text->count;
}

void text_put(text *text, const char *string) {
    text_add(text, string, strlen(string));
}

void text_format(text *text, const char *format, ...) {
    char line[1024];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (length > 0)
        text_add(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

// ---- Numbers ------------------------------------------------------------------------------------

/// The significant digits of a finite number and the power of ten of the first.
static int digits_of(const char *number, char digits[LF_NUMBER_SIZE], int *power) {
    int count = 0, before = 0, leading = 0;
    bool point = false, begun = false;
    const char *c = number + (*number == '-');
    for (; *c && *c != 'e'; c++) {
        if (*c == '.') {
            point = true;
            continue;
        }
        begun |= *c != '0';
        if (begun)
            digits[count++] = *c;
        before += begun && !point;
        leading += !begun && point;
    }
    *power = (before > 0 ? before - 1 : -leading - 1) + (*c == 'e' ? atoi(c + 1) : 0);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

/// As repr() of Python.
static size_t write_python(double value, char out[64]) {
    char number[LF_NUMBER_SIZE], digits[LF_NUMBER_SIZE];
    int power;
    lf_number_write(value, number);
    if (value == 0)
        return (size_t)snprintf(out, 64, "%s0.0", signbit(value) ? "-" : "");
    int count = digits_of(number, digits, &power);
    const char *sign = value < 0 ? "-" : "";
    if (power < -4 || power >= 16)
        return (size_t)snprintf(out, 64, "%s%c%s%.*se%c%02d", sign, digits[0], count > 1 ? "." : "",
                                count - 1, digits + 1, power < 0 ? '-' : '+', abs(power));
    if (power < 0)
        return (size_t)snprintf(out, 64, "%s0.%.*s%.*s", sign, -power - 1, "000", count, digits);
    if (count <= power + 1)
        return (size_t)snprintf(out, 64, "%s%.*s%.*s.0", sign, count, digits, power + 1 - count,
                                "0000000000000000");
    return (size_t)snprintf(out, 64, "%s%.*s.%.*s", sign, power + 1, digits, count - power - 1,
                            digits + power + 1);
}

/// At least one decimal, at most so many, the others cut off.
static size_t write_cut(double value, int decimals, char out[64]) {
    char number[LF_NUMBER_SIZE];
    size_t length = lf_number_write(value, number);
    char *point = strchr(number, '.');
    if (strchr(number, 'e')) // beyond 1e17 there are no decimals, below 1e-6 only zeros
        return (size_t)snprintf(out, 64, "%s", fabs(value) < 1 ? (value < 0 ? "-0.0" : "0.0") : number);
    if (!point)
        return (size_t)snprintf(out, 64, "%s.0", number);
    size_t most = (size_t)(point - number) + 1 + (size_t)decimals;
    if (length > most)
        length = most;
    while (number[length - 1] == '0' && number[length - 2] != '.')
        length--;
    return (size_t)snprintf(out, 64, "%.*s", (int)length, number);
}

void text_number(text *text, double value, number_style style, int decimals) {
    char *out = text_space(text, 64);
    size_t length;
    if (!out)
        return;
    if (!isfinite(value))
        length = (size_t)snprintf(out, 64, "null");
    else if (style == NUMBER_SHORT)
        length = lf_number_write(value, out);
    else if (style == NUMBER_PYTHON)
        length = write_python(value, out);
    else
        length = write_cut(value, decimals < 1 ? 1 : decimals, out);
    text->count += length;
}

// ---- JSON ---------------------------------------------------------------------------------------

size_t text_character(const char *text, size_t left) {
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    size_t length = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4 || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool fine = (c[0] != 0xe0 || c[1] >= 0xa0) && (c[0] != 0xed || c[1] < 0xa0) &&
                (c[0] != 0xf0 || c[1] >= 0x90) && (c[0] != 0xf4 || c[1] < 0x90);
    return fine ? length : 0;
}

/// How many characters from the start stand for themselves in a JSON string.
static size_t plain_length(const char *string, size_t length) {
    size_t count = 0;
    while (count < length && (unsigned char)string[count] >= 0x20 && (unsigned char)string[count] < 0x7f &&
           string[count] != '"' && string[count] != '\\')
        count++;
    return count;
}

void text_quoted(text *text, const char *string, size_t length) {
    text_space(text, length + 2); // what most need, at once
    text_byte(text, '"');
    for (size_t i = 0; i < length;) {
        size_t plain = plain_length(string + i, length - i);
        text_add(text, string + i, plain);
        i += plain;
        if (i == length)
            break;
        unsigned char c = (unsigned char)string[i];
        size_t size = text_character(string + i, length - i);
        if (size == 0)
            text_put(text, "\\ufffd");
        else if (c == '"' || c == '\\')
            text_format(text, "\\%c", c);
        else if (c == '\n')
            text_put(text, "\\n");
        else if (c < 0x20 || c == 0x7f)
            text_format(text, "\\u%04x", c);
        else
            text_add(text, string + i, size);
        i += size ? size : 1;
    }
    text_byte(text, '"');
}

const json_style json_compact = {-1, ":", ",", NUMBER_SHORT};

static void new_line(json *json) {
    if (json->style->indent < 0)
        return;
    text_byte(json->out, '\n');
    for (int i = 0; i < json->depth * json->style->indent; i++)
        text_byte(json->out, ' ');
}

/// What comes before a value: a comma after the last one, a new line, the key.
static void before_value(json *json, const char *key) {
    const json_style *style = json->style;
    size_t length = key ? strlen(key) : 0;
    char *to = style == &json_compact ? text_space(json->out, length + 4) : NULL;
    if (to) { // most replies, at once
        char *at = to;
        if (json->filled)
            *at++ = ',';
        if (key) {
            *at++ = '"';
            memcpy(at, key, length);
            memcpy(at + length, "\":", 2);
            at += length + 2;
        }
        json->out->count += (size_t)(at - to);
        json->filled = true;
        return;
    }
    if (json->filled)
        text_put(json->out, style->comma);
    if (json->depth > 0)
        new_line(json);
    json->filled = true;
    if (key) { // ours: nothing in it to escape
        text_byte(json->out, '"');
        text_add(json->out, key, length);
        text_byte(json->out, '"');
        text_put(json->out, style->colon);
    }
}

void put_open(json *json, const char *key, char bracket) {
    before_value(json, key);
    text_byte(json->out, bracket);
    json->depth++;
    json->filled = false;
}

void put_close(json *json, char bracket) {
    json->depth--;
    if (json->filled)
        new_line(json);
    text_byte(json->out, bracket);
    json->filled = true;
}

void put_number(json *json, const char *key, double value) {
    before_value(json, key);
    text_number(json->out, value, json->style->numbers, 0);
}

void put_decimals(json *json, const char *key, double value, int decimals) {
    before_value(json, key);
    text_number(json->out, value, NUMBER_CUT, decimals);
}

void put_integer(json *json, const char *key, int64_t value) {
    before_value(json, key);
    text_format(json->out, "%lld", (long long)value);
}

void put_text(json *json, const char *key, const char *value) {
    before_value(json, key);
    if (value)
        text_quoted(json->out, value, strlen(value));
    else
        text_put(json->out, "null");
}

void put_word(json *json, const char *key, const char *word) {
    before_value(json, key);
    text_byte(json->out, '"');
    text_put(json->out, word);
    text_byte(json->out, '"');
}

void put_bool(json *json, const char *key, bool value) {
    before_value(json, key);
    text_put(json->out, value ? "true" : "false");
}

void put_null(json *json, const char *key) {
    before_value(json, key);
    text_put(json->out, "null");
}

void put_raw(json *json, const char *key, const char *value, size_t length) {
    before_value(json, key);
    text_add(json->out, value, length);
}
