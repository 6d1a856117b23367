#include "answer.h"
#include <math.h>
#include <string.h>

#define FORMS (IN_TEXT | IN_JSON | IN_CSV)

static const void *place_of(const field *field, const void *answer) {
    return (const char *)answer + field->offset;
}

/// Does a field belong to a form of output: IN_TEXT, IN_JSON or IN_CSV?
static bool is_in(const field *field, unsigned form) {
    return field->type == FIELD_NAME ? form == IN_TEXT : !(field->forms & FORMS) || field->forms & form;
}

static bool is_shown(const field *field, const void *answer, unsigned form) {
    unsigned has = field->when ? *(const unsigned *)answer : 0;
    return is_in(field, form) && (has & field->when) == field->when &&
           (field->type != FIELD_BYTES || ((const byte_span *)place_of(field, answer))->length > 0);
}

// ---- Strings of JSON ----------------------------------------------------------------------------

/// Length of the UTF-8 character at p; 0 when the bytes are not UTF-8.
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

static void put_escaped(output *out, unsigned char c) {
    const char *name = c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '\n' ? "\\n" : c == '\t' ? "\\t" : NULL;
    if (name)
        output_text(out, name);
    else
        output_format(out, "\\u%04x", c);
}

/// Bytes that are no UTF-8 become U+FFFD.
static void put_string(output *out, const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    output_char(out, '"');
    while (length > 0) {
        size_t step = character_length(p, length);
        if (step == 0)
            output_text(out, "\xef\xbf\xbd");
        else if (*p < ' ' || *p == '"' || *p == '\\' || *p == 127)
            put_escaped(out, *p);
        else
            output_bytes(out, (const char *)p, step);
        step = step ? step : 1;
        p += step;
        length -= step;
    }
    output_char(out, '"');
}

// ---- Values -------------------------------------------------------------------------------------

/// One of three texts by the form.
static const char *by_form(unsigned form, const char *text, const char *json, const char *csv) {
    return form == IN_TEXT ? text : form == IN_JSON ? json : csv;
}

static void put_numbers(output *out, const double *numbers, int count, unsigned form) {
    for (int i = 0; i < count; i++) {
        if (i > 0)
            output_text(out, by_form(form, " ", ", ", ","));
        if (isfinite(numbers[i]))
            output_number(out, numbers[i]);
        else
            output_text(out, by_form(form, "-", "null", ""));
    }
}

static void put_array(output *out, const double *numbers, int count, unsigned form) {
    output_text(out, by_form(form, "", "[", ""));
    put_numbers(out, numbers, count, form);
    output_text(out, by_form(form, "", "]", ""));
}

static void put_text(output *out, const char *text, size_t length, unsigned form) {
    if (!text)
        output_text(out, by_form(form, "none", "null", ""));
    else if (form == IN_JSON)
        put_string(out, text, length);
    else if (form == IN_CSV)
        output_cell(out, text);
    else
        output_bytes(out, text, length);
}

/// A value that is no list, no group and no name.
static void put_value(output *out, field_type type, const void *at, unsigned form) {
    const number_span *numbers = at;
    const byte_span *bytes = at;
    const int64_t *integers = at;
    const char *const *text = at;
    switch (type) {
    case FIELD_NUMBER:
        put_numbers(out, at, 1, form);
        break;
    case FIELD_PAIR:
    case FIELD_VECTOR:
        put_array(out, at, type == FIELD_PAIR ? 2 : 3, form);
        break;
    case FIELD_NUMBERS:
        put_array(out, numbers->numbers, numbers->count, form);
        break;
    case FIELD_INTEGERS:
        output_text(out, by_form(form, "", "[", ""));
        output_integer(out, integers[0]);
        output_text(out, by_form(form, " ", ", ", ","));
        output_integer(out, integers[1]);
        output_text(out, by_form(form, "", "]", ""));
        break;
    case FIELD_INTEGER:
    case FIELD_INT:
        output_integer(out, type == FIELD_INT ? *(const int *)at : *integers);
        break;
    case FIELD_TRUTH:
        output_text(out, *(const bool *)at ? by_form(form, "true", "true", "1")
                                           : by_form(form, "false", "false", "0"));
        break;
    case FIELD_TEXT:
        put_text(out, *text, *text ? strlen(*text) : 0, form);
        break;
    case FIELD_BYTES:
        put_text(out, bytes->bytes, bytes->length, form);
        break;
    default:
        break;
    }
}

/// An item of a list.
static const void *item_of(const field *field, const void *answer, int64_t i) {
    static const size_t sizes[] = {[FIELD_INTEGER] = sizeof(int64_t),
                                   [FIELD_TEXT] = sizeof(char *),
                                   [FIELD_VECTOR] = sizeof(lf_vec3),
                                   [FIELD_INTEGERS] = 2 * sizeof(int64_t)};
    const field_span *list = place_of(field, answer);
    return (const char *)list->items + (size_t)i * (field->fields ? field->size : sizes[field->items]);
}

static int64_t item_count(const field *field, const void *answer) {
    return ((const field_span *)place_of(field, answer))->count;
}

// ---- Text ---------------------------------------------------------------------------------------

/// What stands before the next field of a line.
typedef enum line_state { LINE_EMPTY, LINE_BEGUN, LINE_LISTED } line_state;

/// Items of a list: within the line by their table, or each on a line of its own.
static line_state put_items(output *out, const field *field, const void *answer, line_state state);

static line_state put_line(output *out, const field *fields, const void *answer, line_state state) {
    for (const field *f = fields; f->name; f++) {
        bool truth = f->type == FIELD_TRUTH;
        if (!is_shown(f, answer, IN_TEXT) || (truth && !*(const bool *)place_of(f, answer)))
            continue;
        if (f->type == FIELD_GROUP || f->type == FIELD_LIST) {
            state = f->type == FIELD_GROUP ? put_line(out, f->fields, answer, state)
                                           : put_items(out, f, answer, state);
            continue;
        }
        if (state != LINE_EMPTY)
            output_char(out, state == LINE_BEGUN ? ' ' : '\n');
        state = LINE_BEGUN;
        if (truth || f->type == FIELD_NAME || f->forms & LABELLED)
            output_text(out, f->name);
        if (f->forms & LABELLED)
            output_char(out, ' ');
        if (!truth)
            put_value(out, f->type, place_of(f, answer), IN_TEXT);
    }
    return state;
}

static line_state put_items(output *out, const field *field, const void *answer, line_state state) {
    int64_t count = item_count(field, answer);
    for (int64_t i = 0; i < count; i++) {
        const void *item = item_of(field, answer, i);
        if (field->fields) {
            state = put_line(out, field->fields, item, state);
            continue;
        }
        if (state != LINE_EMPTY)
            output_char(out, '\n');
        put_value(out, field->items, item, IN_TEXT);
        state = LINE_LISTED;
    }
    return state;
}

void answer_line(output *out, const field *fields, const void *answer) {
    put_line(out, fields, answer, LINE_EMPTY);
    output_char(out, '\n');
}

static void put_label(output *out, const char *name, int width) {
    int64_t length = (int64_t)strlen(name);
    output_text(out, name);
    output_blanks(out, length < width ? width - length : 1);
}

static void put_fact(output *out, const field *f, const void *answer, int width) {
    put_label(out, f->name, width);
    if (f->type == FIELD_NAME)
        output_text(out, f->name);
    put_value(out, f->type, place_of(f, answer), IN_TEXT);
    if (f->unit && (f->type == FIELD_PAIR || f->type == FIELD_NUMBERS))
        output_format(out, " %s", f->unit);
    output_char(out, '\n');
}

void answer_facts(output *out, const field *fields, const void *answer, int width) {
    for (const field *f = fields; f->name; f++) {
        if (!is_shown(f, answer, IN_TEXT))
            continue;
        if (f->type == FIELD_GROUP) {
            answer_facts(out, f->fields, answer, width);
        } else if (f->type == FIELD_LIST) {
            for (int64_t i = 0; i < item_count(f, answer); i++) {
                put_label(out, f->name, width);
                answer_line(out, f->fields, item_of(f, answer, i));
            }
        } else {
            put_fact(out, f, answer, width);
        }
    }
}

/// A cell of a column: the name, or of a row the integer, or the number with the column's decimals.
static size_t column_text(const field *f, const char *row, char text[NUMBER_FIXED_SIZE]) {
    const void *at = row ? place_of(f, row) : NULL;
    if (row && f->type == FIELD_NUMBER)
        return number_write_fixed(text, *(const double *)at, f->decimals);
    if (row && f->type != FIELD_NAME)
        return integer_write(text, f->type == FIELD_INT ? *(const int *)at : *(const int64_t *)at);
    memcpy(text, f->name, strlen(f->name));
    return strlen(f->name);
}

void answer_table(output *out, const field *fields, const void *rows, int64_t count, size_t size) {
    for (int64_t i = -1; i < count; i++) {
        const char *row = i < 0 ? NULL : (const char *)rows + (size_t)i * size;
        for (const field *f = fields; f->name; f++) {
            char text[NUMBER_FIXED_SIZE];
            if (!is_shown(f, row ? row : rows, IN_TEXT) || (!row && f->type == FIELD_NAME))
                continue;
            size_t length = column_text(f, row, text);
            output_blanks(out, f->width - (int64_t)length);
            output_bytes(out, text, length);
        }
        output_char(out, '\n');
    }
}

// ---- JSON ---------------------------------------------------------------------------------------

/// A document: all on one line, or a line per member and two blanks per level.
typedef struct json {
    output *out;
    bool indented;
    int depth;
    bool filled; ///< the innermost open object or array has a member yet
} json;

static void new_line(const json *document) {
    if (!document->indented)
        return;
    output_char(document->out, '\n');
    output_blanks(document->out, 2 * document->depth);
}

/// What precedes a member.
static void next_member(json *document) {
    if (document->filled)
        output_text(document->out, document->indented ? "," : ", ");
    new_line(document);
    document->filled = true;
}

static void open_level(json *document, char bracket) {
    output_char(document->out, bracket);
    document->depth++;
    document->filled = false;
}

static void close_level(json *document, char bracket) {
    document->depth--;
    if (document->filled)
        new_line(document);
    output_char(document->out, bracket);
    document->filled = true;
}

static void put_object(json *document, const field *fields, const void *answer);

static void put_list(json *document, const field *field, const void *answer) {
    int64_t count = item_count(field, answer);
    open_level(document, '[');
    for (int64_t i = 0; i < count; i++) {
        const void *item = item_of(field, answer, i);
        next_member(document);
        if (field->fields)
            put_object(document, field->fields, item);
        else
            put_value(document->out, field->items, item, IN_JSON);
    }
    close_level(document, ']');
}

static void put_object(json *document, const field *fields, const void *answer) {
    open_level(document, '{');
    for (const field *f = fields; f->name; f++) {
        if (!is_shown(f, answer, IN_JSON))
            continue;
        next_member(document);
        put_string(document->out, f->name, strlen(f->name));
        output_text(document->out, ": ");
        if (f->type == FIELD_GROUP)
            put_object(document, f->fields, answer);
        else if (f->type == FIELD_LIST)
            put_list(document, f, answer);
        else
            put_value(document->out, f->type, place_of(f, answer), IN_JSON);
    }
    close_level(document, '}');
}

void answer_json(output *out, const field *fields, const void *answer, bool indented) {
    json document = {.out = out, .indented = indented};
    put_object(&document, fields, answer);
    output_char(out, '\n');
}

// ---- CSV ----------------------------------------------------------------------------------------

/// The next field from `f` on that has a column; NULL behind the last.
static const field *next_column(const field *f, const void *first) {
    while (f->name && !(is_in(f, IN_CSV) && (!(f->forms & OPTIONAL) || is_shown(f, first, IN_CSV))))
        f++;
    return f->name ? f : NULL;
}

void answer_csv_names(output *out, const field *fields, const void *first) {
    for (const field *f = next_column(fields, first); f;) {
        if (f->type == FIELD_PAIR || f->type == FIELD_VECTOR)
            output_text(out, f->type == FIELD_PAIR ? "x,y" : "x,y,z");
        else
            output_cell(out, f->name);
        f = next_column(f + 1, first);
        output_char(out, f ? ',' : '\n');
    }
}

void answer_csv_row(output *out, const field *fields, const void *first, const void *row) {
    for (const field *f = next_column(fields, first); f;) {
        if (is_shown(f, row, IN_CSV))
            put_value(out, f->type, place_of(f, row), IN_CSV);
        else if (f->type == FIELD_PAIR || f->type == FIELD_VECTOR)
            output_text(out, f->type == FIELD_PAIR ? "," : ",,");
        f = next_column(f + 1, first);
        output_char(out, f ? ',' : '\n');
    }
}

void answer_csv(output *out, const field *fields, const void *rows, int64_t count, size_t size) {
    answer_csv_names(out, fields, rows);
    for (int64_t i = 0; i < count; i++)
        answer_csv_row(out, fields, rows, (const char *)rows + (size_t)i * size);
}

// ---- Standard output ----------------------------------------------------------------------------

void answer_write(cli *run, const field *fields, const void *answer) {
    if (run->json)
        answer_json(&run->out, fields, answer, false);
    else
        answer_line(&run->out, fields, answer);
}

void answer_write_facts(cli *run, const field *fields, const void *answer) {
    if (run->json)
        answer_json(&run->out, fields, answer, true);
    else
        answer_facts(&run->out, fields, answer, 12);
}
