#include "json.h"
#include <math.h>
#include <string.h>

json json_start(output *out, bool indented) {
    return (json){.out = out, .indented = indented};
}

void json_end(json *document) {
    output_char(document->out, '\n');
}

static void new_line(json *document) {
    if (!document->indented)
        return;
    output_char(document->out, '\n');
    for (int i = 0; i < document->depth; i++)
        output_text(document->out, "  ");
}

/// Length of the UTF-8 character at p, 0 when it is none.
static size_t character_length(const unsigned char *p, size_t left) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = p[0] < 0x80   ? 1
                    : p[0] < 0xC2 ? 0
                    : p[0] < 0xE0 ? 2
                    : p[0] < 0xF0 ? 3
                    : p[0] < 0xF5 ? 4
                                  : 0;
    if (length > left)
        return 0;
    unsigned code = length < 2 ? p[0] : p[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3F);
    }
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return length > 1 && (code < least[length] || code > 0x10FFFF || surrogate) ? 0 : length;
}

static void write_escaped(output *out, unsigned char c) {
    static const char hex[] = "0123456789abcdef";
    char escaped[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    const char *name = c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '\n' ? "\\n" : c == '\t' ? "\\t" : NULL;
    if (name)
        output_text(out, name);
    else
        output_bytes(out, escaped, sizeof escaped);
}

static void write_string(output *out, const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    output_char(out, '"');
    while (length > 0) {
        size_t step = character_length(p, length);
        if (step == 0)
            output_text(out, "\xef\xbf\xbd");
        else if (*p < ' ' || *p == '"' || *p == '\\' || *p == 127)
            write_escaped(out, *p);
        else
            output_bytes(out, (const char *)p, step);
        step = step ? step : 1;
        p += step;
        length -= step;
    }
    output_char(out, '"');
}

/// What stands before a value: the comma, the line, the key.
static void lead_in(json *document, const char *key) {
    if (document->depth > 0) {
        bool *filled = &document->filled[document->depth - 1];
        if (*filled)
            output_text(document->out, document->indented ? "," : ", ");
        *filled = true;
        new_line(document);
    }
    if (key) {
        write_string(document->out, key, strlen(key));
        output_text(document->out, ": ");
    }
}

static void open_level(json *document, const char *key, bool list) {
    lead_in(document, key);
    output_char(document->out, list ? '[' : '{');
    document->filled[document->depth] = false;
    document->lists[document->depth] = list;
    document->depth++;
}

void json_put_object(json *document, const char *key) {
    open_level(document, key, false);
}

void json_put_array(json *document, const char *key) {
    open_level(document, key, true);
}

void json_close(json *document) {
    document->depth--;
    if (document->filled[document->depth])
        new_line(document);
    output_char(document->out, document->lists[document->depth] ? ']' : '}');
}

/// JSON has no word for what is not finite.
static void write_number(output *out, double value) {
    if (isfinite(value))
        output_number(out, value);
    else
        output_text(out, "null");
}

void json_put_number(json *document, const char *key, double value) {
    lead_in(document, key);
    write_number(document->out, value);
}

void json_put_integer(json *document, const char *key, int64_t value) {
    lead_in(document, key);
    output_integer(document->out, value);
}

void json_put_truth(json *document, const char *key, bool value) {
    lead_in(document, key);
    output_text(document->out, value ? "true" : "false");
}

void json_put_null(json *document, const char *key) {
    lead_in(document, key);
    output_text(document->out, "null");
}

void json_put_text_or_null(json *document, const char *key, const char *text) {
    if (text)
        json_put_text(document, key, text);
    else
        json_put_null(document, key);
}

void json_put_bytes(json *document, const char *key, const char *text, size_t length) {
    lead_in(document, key);
    write_string(document->out, text, length);
}

void json_put_text(json *document, const char *key, const char *text) {
    json_put_bytes(document, key, text, strlen(text));
}

void json_put_numbers(json *document, const char *key, const double *numbers, int count) {
    lead_in(document, key);
    output_char(document->out, '[');
    for (int i = 0; i < count; i++) {
        if (i > 0)
            output_text(document->out, ", ");
        write_number(document->out, numbers[i]);
    }
    output_char(document->out, ']');
}

void json_put_vector(json *document, const char *key, lf_vec3 vector) {
    double numbers[] = {vector.x, vector.y, vector.z};
    json_put_numbers(document, key, numbers, 3);
}
