#include "answer.h"
#include <math.h>
#include <string.h>

// ---- JSON ---------------------------------------------------------------------------------------

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

/// What precedes a value: the comma, the line, the key.
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

/// JSON has no name for what is not finite.
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

void json_put_bytes(json *document, const char *key, const char *text, size_t length) {
    lead_in(document, key);
    write_string(document->out, text, length);
}

void json_put_text(json *document, const char *key, const char *text) {
    if (text)
        json_put_bytes(document, key, text, strlen(text));
    else
        json_put_null(document, key);
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

// ---- Fields -------------------------------------------------------------------------------------

static const void *place_of(const field *field, const void *answer) {
    return (const char *)answer + field->offset;
}

static bool is_shown(const field *field, const void *answer, unsigned form) {
    unsigned has = field->when ? *(const unsigned *)answer : 0,
             forms = field->forms & (IN_TEXT | IN_JSON | IN_CSV);
    if ((forms && !(forms & form)) || (has & field->when) != field->when)
        return false;
    if (field->type == FIELD_NAME)
        return form == IN_TEXT;
    return field->type != FIELD_BYTES || ((const byte_span *)place_of(field, answer))->length > 0;
}

/// A whole number of either width; false for any other field.
static bool integer_of(const field *field, const void *at, int64_t *value) {
    if (field->type == FIELD_INTEGER)
        *value = *(const int64_t *)at;
    else if (field->type == FIELD_INT)
        *value = *(const int *)at;
    return field->type == FIELD_INTEGER || field->type == FIELD_INT;
}

static int64_t list_count(const field *field, const void *answer, const void **items) {
    const field_span *list = place_of(field, answer);
    *items = list->items;
    return list->count;
}

static const void *list_item(const field *field, const void *items, int64_t i) {
    static const size_t sizes[] = {[FIELD_TEXT] = sizeof(char *),
                                   [FIELD_VECTOR] = sizeof(lf_vec3),
                                   [FIELD_NUMBERS] = 2 * sizeof(int64_t)};
    return (const char *)items + (size_t)i * (field->fields ? field->size : sizes[field->items]);
}

/// The numbers of a field, none where it has no numbers.
static int numbers_of(const field *field, const void *at, const double **numbers) {
    *numbers = field->type == FIELD_NUMBERS ? ((const number_span *)at)->numbers : at;
    return field->type == FIELD_NUMBER    ? 1
           : field->type == FIELD_PAIR    ? 2
           : field->type == FIELD_VECTOR  ? 3
           : field->type == FIELD_NUMBERS ? ((const number_span *)at)->count
                                          : 0;
}

/// The text of a field; NULL where it has none.
static const char *text_of(const field *field, const void *at, size_t *length) {
    const byte_span *bytes = at;
    const char *text = field->type == FIELD_TEXT    ? *(const char *const *)at
                       : field->type == FIELD_BYTES ? bytes->bytes
                                                    : NULL;
    *length = !text ? 0 : field->type == FIELD_BYTES ? bytes->length : strlen(text);
    return text;
}

void answer_put_number(output *out, double value) {
    if (isfinite(value))
        output_number(out, value);
    else
        output_char(out, '-');
}

/// A value that is no list and no group, as text.
static void put_value(output *out, const field *field, const void *at) {
    const double *numbers;
    int64_t integer;
    size_t length;
    int count = numbers_of(field, at, &numbers);
    const char *text = text_of(field, at, &length);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            output_char(out, ' ');
        answer_put_number(out, numbers[i]);
    }
    if (text)
        output_bytes(out, text, length);
    else if (integer_of(field, at, &integer))
        output_integer(out, integer);
    else if (field->type == FIELD_TRUTH)
        output_text(out, *(const bool *)at ? "true" : "false");
    else if (count == 0)
        output_text(out, field->type == FIELD_TEXT ? "none" : field->name);
}

// ---- Text ---------------------------------------------------------------------------------------

/// An item of a list that has no table.
static void put_item(output *out, const field *field, const void *item) {
    const int64_t *pair = item;
    struct field value = {.name = field->name, .type = field->items};
    if (field->items != FIELD_NUMBERS) {
        put_value(out, &value, item);
        return;
    }
    output_integer(out, pair[0]);
    output_char(out, ' ');
    output_integer(out, pair[1]);
}

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
        if (truth || f->forms & LABELLED)
            output_text(out, f->name);
        if (f->forms & LABELLED)
            output_char(out, ' ');
        if (!truth)
            put_value(out, f, place_of(f, answer));
    }
    return state;
}

static line_state put_items(output *out, const field *field, const void *answer, line_state state) {
    const void *items;
    int64_t count = list_count(field, answer, &items);
    for (int64_t i = 0; i < count; i++) {
        const void *item = list_item(field, items, i);
        if (field->fields) {
            state = put_line(out, field->fields, item, state);
            continue;
        }
        if (state != LINE_EMPTY)
            output_char(out, '\n');
        put_item(out, field, item);
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

void answer_facts(output *out, const field *fields, const void *answer, int width) {
    for (const field *f = fields; f->name; f++) {
        const void *items;
        if (!is_shown(f, answer, IN_TEXT))
            continue;
        if (f->type == FIELD_GROUP) {
            answer_facts(out, f->fields, answer, width);
            continue;
        }
        if (f->type == FIELD_LIST) {
            int64_t count = list_count(f, answer, &items);
            for (int64_t i = 0; i < count; i++) {
                put_label(out, f->name, width);
                answer_line(out, f->fields, list_item(f, items, i));
            }
            continue;
        }
        put_label(out, f->name, width);
        put_value(out, f, place_of(f, answer));
        if (f->unit && (f->type == FIELD_PAIR || f->type == FIELD_NUMBERS)) {
            output_char(out, ' ');
            output_text(out, f->unit);
        }
        output_char(out, '\n');
    }
}

void answer_table(output *out, const field *fields, const void *rows, int64_t count, size_t size) {
    for (int64_t i = -1; i < count; i++) {
        const char *row = (const char *)rows + (i < 0 ? 0 : (size_t)i * size);
        for (const field *f = fields; f->name; f++) {
            char text[NUMBER_FIXED_SIZE];
            int64_t integer;
            size_t length = strlen(f->name);
            if (!is_shown(f, row, IN_TEXT) || (i < 0 && f->type == FIELD_NAME))
                continue;
            if (i >= 0 && integer_of(f, place_of(f, row), &integer))
                length = integer_write(text, integer);
            else if (i >= 0 && f->type == FIELD_NUMBER)
                length = number_write_fixed(text, *(const double *)place_of(f, row), f->decimals);
            else
                memcpy(text, f->name, length);
            output_blanks(out, f->width - (int64_t)length);
            output_bytes(out, text, length);
        }
        output_char(out, '\n');
    }
}

// ---- JSON and CSV of tables ---------------------------------------------------------------------

static void put_list(json *document, const field *field, const void *answer) {
    const void *items;
    int64_t count = list_count(field, answer, &items);
    json_put_array(document, field->name);
    for (int64_t i = 0; i < count; i++) {
        const void *item = list_item(field, items, i);
        if (field->fields) {
            json_put_object(document, NULL);
            answer_members(document, field->fields, item);
            json_close(document);
        } else if (field->items == FIELD_TEXT) {
            json_put_text(document, NULL, *(const char *const *)item);
        } else if (field->items == FIELD_VECTOR) {
            json_put_numbers(document, NULL, item, 3);
        } else {
            const int64_t *pair = item;
            json_put_numbers(document, NULL, (double[2]){(double)pair[0], (double)pair[1]}, 2);
        }
    }
    json_close(document);
}

static void put_member(json *document, const field *field, const void *answer) {
    const void *at = place_of(field, answer);
    const double *numbers;
    int64_t integer;
    size_t length;
    int count = numbers_of(field, at, &numbers);
    const char *text = text_of(field, at, &length);
    if (field->type == FIELD_NUMBER)
        json_put_number(document, field->name, *numbers);
    else if (count > 0)
        json_put_numbers(document, field->name, numbers, count);
    else if (text)
        json_put_bytes(document, field->name, text, length);
    else if (field->type == FIELD_TEXT)
        json_put_null(document, field->name);
    else if (integer_of(field, at, &integer))
        json_put_integer(document, field->name, integer);
    else if (field->type == FIELD_TRUTH)
        json_put_truth(document, field->name, *(const bool *)at);
    else if (field->type == FIELD_LIST)
        put_list(document, field, answer);
    else
        json_put_object(document, field->name);
    if (field->type == FIELD_GROUP) {
        answer_members(document, field->fields, answer);
        json_close(document);
    }
}

void answer_members(json *document, const field *fields, const void *answer) {
    for (const field *f = fields; f->name; f++)
        if (is_shown(f, answer, IN_JSON))
            put_member(document, f, answer);
}

void answer_json(output *out, const field *fields, const void *answer, bool indented) {
    json document = json_start(out, indented);
    json_put_object(&document, NULL);
    answer_members(&document, fields, answer);
    json_close(&document);
    json_end(&document);
}

/// A cell, or of a pair or vector several; those of a row without the field are empty.
static void put_cells(output *out, const field *field, const void *at, bool shown) {
    const double *numbers;
    int64_t integer;
    int count = numbers_of(field, at, &numbers);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            output_char(out, ',');
        if (shown && isfinite(numbers[i]))
            output_number(out, numbers[i]);
    }
    if (shown && field->type == FIELD_TRUTH)
        output_char(out, *(const bool *)at ? '1' : '0');
    else if (shown && field->type == FIELD_TEXT && *(const char *const *)at)
        output_cell(out, *(const char *const *)at);
    else if (shown && integer_of(field, at, &integer))
        output_integer(out, integer);
}

void answer_csv(output *out, const field *fields, const void *rows, int64_t count, size_t size) {
    for (int64_t i = -1; i < count; i++) {
        const char *row = (const char *)rows + (i < 0 ? 0 : (size_t)i * size);
        bool begun = false;
        for (const field *f = fields; f->name; f++) {
            unsigned forms = f->forms & (IN_TEXT | IN_JSON | IN_CSV);
            if (f->type == FIELD_NAME || (forms && !(forms & IN_CSV)) ||
                (f->forms & OPTIONAL && !is_shown(f, rows, IN_CSV)))
                continue;
            if (begun)
                output_char(out, ',');
            begun = true;
            if (i >= 0)
                put_cells(out, f, place_of(f, row), is_shown(f, row, IN_CSV));
            else
                output_text(out, f->type == FIELD_PAIR ? "x,y" : f->type == FIELD_VECTOR ? "x,y,z" : f->name);
        }
        output_char(out, '\n');
    }
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
